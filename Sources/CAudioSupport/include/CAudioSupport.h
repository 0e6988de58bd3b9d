// What Swift cannot import for itself: variadic handlers and functions hidden behind _GNU_SOURCE.
// No audio library's header is needed to build it.
#ifndef CAUDIOSUPPORT_H
#define CAUDIOSUPPORT_H

#include <poll.h>
#include <stdint.h>

#define CAS_REALTIME __attribute__((swift_attr("@_noLocks"))) __attribute__((swift_attr("@_noAllocation")))

/// Nanoseconds on CLOCK_MONOTONIC. Any thread; neither blocks nor allocates (vDSO call).
CAS_REALTIME int64_t cas_monotonic_nanoseconds(void);

/// Names the calling thread (at most 15 bytes are kept), as pthread_setname_np does.
void cas_name_current_thread(const char *_Nonnull name);

/// Kernel id of the calling thread, as gettid(2).
int32_t cas_thread_id(void);

/// A non-blocking, close-on-exec eventfd(2); -1 with errno set on failure.
int cas_eventfd(void);

/// ppoll(2) with a time-out in nanoseconds (negative: none) and no signal mask. Blocks; does not allocate.
CAS_REALTIME int cas_poll(struct pollfd *_Nonnull descriptors, uint64_t count, int64_t timeout_nanoseconds);

/// Receives one whole message of alsa-lib's error log. `context` is what cas_alsa_log_set was given.
typedef void (*cas_alsa_log_callback)(void *_Nullable context, const char *_Nonnull message);

/// Where the messages of cas_alsa_log_handler go; a null callback drops them. Process-wide, as alsa-lib's handler is.
void cas_alsa_log_set(cas_alsa_log_callback _Nullable callback, void *_Nullable context);

/// A snd_lib_error_handler_t that formats its variadic message and forwards it to the callback set above.
void cas_alsa_log_handler(const char *_Nullable file, int line, const char *_Nullable function, int error,
                          const char *_Nullable format, ...);

/// The address of cas_alsa_log_handler, which Swift cannot form for a variadic function.
void *_Nonnull cas_alsa_log_handler_address(void);

#endif
