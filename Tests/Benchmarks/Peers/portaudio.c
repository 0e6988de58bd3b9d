// PortAudio, on ALSA's `pulse` PCM because Debian builds it without PulseAudio. Settings: the suggested latency in
// frames.
#include <CMeasurement.h>
#include <portaudio.h>
#include <stdlib.h>
#include <string.h>

static PaStream *stream;

static int on_data(const void *input, void *output, unsigned long frames, const PaStreamCallbackTimeInfo *times,
                   PaStreamCallbackFlags flags, void *context) {
  (void)times, (void)flags, (void)context;
  bm_capture(input, (int)frames, BM_NO_ESTIMATE);
  bm_play(output, (int)frames, BM_NO_ESTIMATE);
  return paContinue;
}

static const char *start(int period, int count, char **settings) {
  if (count != 1) return "settings: LATENCY";
  if (Pa_Initialize() != paNoError) return "PortAudio does not start";
  PaDeviceIndex device = 0;
  while (device < Pa_GetDeviceCount() && strcmp(Pa_GetDeviceInfo(device)->name, "pulse") != 0) device++;
  if (device >= Pa_GetDeviceCount()) return "no device";
  PaStreamParameters mono = {device, 1, paInt16, atoi(settings[0]) / 48000.0, NULL};
  PaError error = Pa_OpenStream(&stream, &mono, &mono, 48000, (unsigned long)period, paNoFlag, on_data, NULL);
  if (error == paNoError) error = Pa_StartStream(stream);
  return error == paNoError ? NULL : Pa_GetErrorText(error);
}

static void stop(void) {
  Pa_AbortStream(stream);
  Pa_CloseStream(stream);
  Pa_Terminate();
}

int main(int argc, char **argv) { return bm_main(argc, argv, start, stop); }
