// libcubeb on its PulseAudio backend. Settings: the latency in frames, which cubeb raises to its own least.
#include <CMeasurement.h>
#include <cubeb/cubeb.h>
#include <stdlib.h>

static cubeb *library;
static cubeb_stream *stream;

static long on_data(cubeb_stream *unused, void *context, const void *input, void *output, long frames) {
  (void)unused, (void)context;
  bm_capture(input, (int)frames, BM_NO_ESTIMATE);
  bm_play(output, (int)frames, BM_NO_ESTIMATE);
  return frames;
}

static void on_state(cubeb_stream *unused, void *context, cubeb_state state) {
  (void)unused, (void)context, (void)state;
}

static const char *start(int period, int count, char **settings) {
  (void)period;
  if (count != 1) return "settings: LATENCY";
  if (cubeb_init(&library, "benchmark", "pulse") != CUBEB_OK) return "no server";
  cubeb_stream_params mono = {CUBEB_SAMPLE_S16NE, 48000, 1, CUBEB_LAYOUT_MONO, CUBEB_STREAM_PREF_NONE};
  uint32_t latency = (uint32_t)atoi(settings[0]), least = 0;
  if (cubeb_get_min_latency(library, &mono, &least) == CUBEB_OK && latency < least) latency = least;
  if (cubeb_stream_init(library, &stream, "benchmark", NULL, &mono, NULL, &mono, latency, on_data, on_state, NULL) !=
      CUBEB_OK)
    return "no stream";
  return cubeb_stream_start(stream) == CUBEB_OK ? NULL : "the stream does not start";
}

static void stop(void) {
  cubeb_stream_stop(stream);
  cubeb_stream_destroy(stream);
  cubeb_destroy(library);
}

int main(int argc, char **argv) { return bm_main(argc, argv, start, stop); }
