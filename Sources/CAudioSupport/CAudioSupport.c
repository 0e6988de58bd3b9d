#define _GNU_SOURCE
#include "CAudioSupport.h"

#include <pthread.h>
#include <stdarg.h>
#include <stdio.h>
#include <string.h>
#include <sys/eventfd.h>
#include <time.h>
#include <unistd.h>

int64_t cas_monotonic_nanoseconds(void) {
  struct timespec now;
  clock_gettime(CLOCK_MONOTONIC, &now);
  return (int64_t)now.tv_sec * 1000000000LL + now.tv_nsec;
}

void cas_name_current_thread(const char *name) {
  char kept[16];
  strncpy(kept, name, sizeof kept - 1);
  kept[sizeof kept - 1] = 0;
  pthread_setname_np(pthread_self(), kept);
}

int32_t cas_thread_id(void) { return (int32_t)gettid(); }

int cas_eventfd(void) { return eventfd(0, EFD_NONBLOCK | EFD_CLOEXEC); }

int cas_poll(struct pollfd *descriptors, uint64_t count, int64_t timeout_nanoseconds) {
  struct timespec timeout = {timeout_nanoseconds / 1000000000, timeout_nanoseconds % 1000000000};
  return ppoll(descriptors, count, timeout_nanoseconds < 0 ? NULL : &timeout, NULL);
}

static pthread_mutex_t log_lock = PTHREAD_MUTEX_INITIALIZER;
static cas_alsa_log_callback log_callback;
static void *log_context;

void cas_alsa_log_set(cas_alsa_log_callback callback, void *context) {
  pthread_mutex_lock(&log_lock);
  log_callback = callback;
  log_context = context;
  pthread_mutex_unlock(&log_lock);
}

void cas_alsa_log_handler(const char *file, int line, const char *function, int error, const char *format, ...) {
  (void)file;
  (void)line;
  char text[512];
  int length = snprintf(text, sizeof text, "%s: ", function ? function : "alsa-lib");
  if (length < 0 || (size_t)length >= sizeof text) length = 0;
  va_list arguments;
  va_start(arguments, format);
  if (format) vsnprintf(text + length, sizeof text - (size_t)length, format, arguments);
  va_end(arguments);
  size_t used = strlen(text);
  if (error) snprintf(text + used, sizeof text - used, " (%s)", strerror(error < 0 ? -error : error));
  pthread_mutex_lock(&log_lock);
  if (log_callback) log_callback(log_context, text);
  pthread_mutex_unlock(&log_lock);
}

void *cas_alsa_log_handler_address(void) { return (void *)cas_alsa_log_handler; }
