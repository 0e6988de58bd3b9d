// SDL2 on its PulseAudio driver. It has no setting but the period.
#define SDL_MAIN_HANDLED
#include <CMeasurement.h>
#include <SDL.h>

static SDL_AudioDeviceID output, input;

static void on_render(void *context, Uint8 *samples, int size) {
  (void)context;
  bm_play((int16_t *)samples, size / 2, BM_NO_ESTIMATE);
}

static void on_capture(void *context, Uint8 *samples, int size) {
  (void)context;
  bm_capture((const int16_t *)samples, size / 2, BM_NO_ESTIMATE);
}

static const char *start(int period, int count, char **settings) {
  (void)count, (void)settings;
  if (SDL_AudioInit("pulseaudio") < 0) return SDL_GetError();
  SDL_AudioSpec spec = {.freq = 48000, .format = AUDIO_S16SYS, .channels = 1, .samples = (Uint16)period};
  spec.callback = on_capture;
  input = SDL_OpenAudioDevice(NULL, 1, &spec, NULL, 0);
  spec.callback = on_render;
  output = SDL_OpenAudioDevice(NULL, 0, &spec, NULL, 0);
  if (!input || !output) return SDL_GetError();
  SDL_PauseAudioDevice(input, 0);
  SDL_PauseAudioDevice(output, 0);
  return NULL;
}

static void stop(void) {
  SDL_CloseAudioDevice(output);
  SDL_CloseAudioDevice(input);
  SDL_AudioQuit();
}

int main(int argc, char **argv) { return bm_main(argc, argv, start, stop); }
