// libpulse without anything around it, the control. Settings: tlength, minreq and fragsize in frames, and `fifo` for a
// real-time thread; `capture` alone makes it a listener that plays nothing.
#include <CMeasurement.h>
#include <pthread.h>
#include <pulse/pulseaudio.h>
#include <sched.h>
#include <stdlib.h>
#include <string.h>

static pa_threaded_mainloop *mainloop;
static pa_context *context;
static pa_stream *output, *input;
static int period;

static void wake(void *object, void *unused) {
  (void)object, (void)unused;
  pa_threaded_mainloop_signal(mainloop, 0);
}

static void on_write(pa_stream *stream, size_t unused, void *context) {
  (void)unused, (void)context;
  for (;;) {
    // Whole periods alone, as a call has them.
    size_t room = pa_stream_writable_size(stream), size = (size_t)period * 2;
    void *space;
    if (room == (size_t)-1 || room < size) return;
    size = room / size * size;
    if (pa_stream_begin_write(stream, &space, &size) < 0 || !space) return;
    size = size / ((size_t)period * 2) * (size_t)period * 2;
    bm_play(space, (int)(size / 2), BM_NO_ESTIMATE);
    if (size == 0 || pa_stream_write(stream, space, size, NULL, 0, PA_SEEK_RELATIVE) < 0) return;
  }
}

static void on_read(pa_stream *stream, size_t unused, void *context) {
  (void)unused, (void)context;
  const void *data;
  size_t size;
  while (pa_stream_peek(stream, &data, &size) >= 0 && size > 0) {
    bm_capture(data, (int)(size / 2), BM_NO_ESTIMATE);
    pa_stream_drop(stream);
  }
}

// Once, on libpulse's thread.
static void become_realtime(pa_mainloop_api *unused, void *result) {
  (void)unused;
  struct sched_param priority = {.sched_priority = 10};
  *(int *)result = pthread_setschedparam(pthread_self(), SCHED_FIFO, &priority);
  pa_threaded_mainloop_signal(mainloop, 0);
}

static int stream_is_ready(pa_stream *stream) {
  pa_stream_state_t state;
  while ((state = pa_stream_get_state(stream)) == PA_STREAM_CREATING) pa_threaded_mainloop_wait(mainloop);
  return state == PA_STREAM_READY;
}

static const char *start(int frames, int count, char **settings) {
  int listens = count == 1 && strcmp(settings[0], "capture") == 0;
  int is_realtime = count == 4 && strcmp(settings[3], "fifo") == 0;
  if (count != 3 && !is_realtime && !listens) return "settings: TLENGTH MINREQ FRAGSIZE [fifo], or capture";
  period = frames;
  mainloop = pa_threaded_mainloop_new();
  context = pa_context_new(pa_threaded_mainloop_get_api(mainloop), "benchmark");
  pa_context_set_state_callback(context, (pa_context_notify_cb_t)wake, NULL);
  pa_threaded_mainloop_lock(mainloop);
  if (pa_context_connect(context, NULL, PA_CONTEXT_NOAUTOSPAWN, NULL) < 0) return "no server";
  if (pa_threaded_mainloop_start(mainloop) < 0) return "no thread";
  if (is_realtime) {
    int result = -1;
    pa_mainloop_api_once(pa_threaded_mainloop_get_api(mainloop), become_realtime, &result);
    while (result < 0) pa_threaded_mainloop_wait(mainloop);
    if (result > 0) return "no real-time scheduling";
  }
  pa_context_state_t state;
  while (PA_CONTEXT_IS_GOOD(state = pa_context_get_state(context)) && state != PA_CONTEXT_READY)
    pa_threaded_mainloop_wait(mainloop);
  if (state != PA_CONTEXT_READY) return "no connection";

  pa_sample_spec spec = {PA_SAMPLE_S16NE, 48000, 1};
  pa_buffer_attr attributes = {(uint32_t)-1, (uint32_t)-1, (uint32_t)-1, (uint32_t)-1, (uint32_t)-1};
  pa_stream_flags_t flags = PA_STREAM_ADJUST_LATENCY | PA_STREAM_AUTO_TIMING_UPDATE;
  attributes.fragsize = (uint32_t)(listens ? period : atoi(settings[2])) * 2;
  input = pa_stream_new(context, "capture", &spec, NULL);
  pa_stream_set_state_callback(input, (pa_stream_notify_cb_t)wake, NULL);
  pa_stream_set_read_callback(input, on_read, NULL);
  if (pa_stream_connect_record(input, NULL, &attributes, flags) < 0 || !stream_is_ready(input)) return "no capture";
  if (!listens) {
    attributes.tlength = (uint32_t)atoi(settings[0]) * 2;
    attributes.minreq = attributes.prebuf = (uint32_t)atoi(settings[1]) * 2;
    output = pa_stream_new(context, "render", &spec, NULL);
    pa_stream_set_state_callback(output, (pa_stream_notify_cb_t)wake, NULL);
    pa_stream_set_write_callback(output, on_write, NULL);
    if (pa_stream_connect_playback(output, NULL, &attributes, flags, NULL, NULL) < 0 || !stream_is_ready(output))
      return "no rendering";
  }
  pa_threaded_mainloop_unlock(mainloop);
  return NULL;
}

static void stop(void) {
  pa_threaded_mainloop_lock(mainloop);
  for (int index = 0; index < 2; index++) {
    pa_stream *stream = index ? input : output;
    if (!stream || pa_stream_disconnect(stream) < 0) continue;
    while (PA_STREAM_IS_GOOD(pa_stream_get_state(stream))) pa_threaded_mainloop_wait(mainloop);
  }
  pa_context_disconnect(context);
  pa_threaded_mainloop_unlock(mainloop);
  pa_threaded_mainloop_stop(mainloop);
}

int main(int argc, char **argv) { return bm_main(argc, argv, start, stop); }
