// Inside of the fake device: what its files share.
#ifndef RIG_DEVICE_H
#define RIG_DEVICE_H

#include <alsa/asoundlib.h>
#include <alsa/pcm_external.h>
#include <pthread.h>
#include <stdbool.h>
#include <stdint.h>

#include "CRigControl.h"

#define RIG_MAXIMUM_PATH 200
#define RIG_MAXIMUM_CHANNELS 32

/// What the configuration file says.
typedef struct {
  const char *path;
  snd_pcm_stream_t direction;
  unsigned formats[8];
  unsigned format_count;
  long rate_min, rate_max, channels_min, channels_max, period_min, period_max, buffer_min, buffer_max;
  bool can_pause, can_resume;
} rig_options;

/// One open PCM.
typedef struct {
  snd_pcm_ioplug_t io;
  rig_control *control;
  char path[RIG_MAXIMUM_PATH];

  /// Guards all below: alsa-lib calls poll_revents, prepare and drain without a lock of its own.
  pthread_mutex_t lock;

  // Descriptors.
  int owner;   // the claim
  int wake;    // the FIFO
  int timer;   // becomes readable when poll is to return
  int poller;  // an epoll of the two, which clients poll
  int output;

  // The clock.
  int64_t last_nanoseconds;
  int64_t last_clock_frames;
  unsigned __int128 remainder;

  // Positions in frames.
  bool has_started;
  bool is_running;
  uint64_t heard;     // since the first start: the place in the input
  uint64_t hardware;  // since the last prepare
  uint64_t ahead;     // how far alsa-lib is about to move the client's position

  // Parameters.
  size_t frame_bytes;
  uint64_t avail_min, stop_threshold, boundary;

  // Samples in the client's format between client and hardware, one buffer of them.
  unsigned char *ring;
  const int16_t *input;
  size_t input_bytes, input_frames;
  unsigned input_channels;

  int64_t unplugs;      // how often the device had been unplugged when it was opened
  bool is_interrupted;  // the next transfer fails with EAGAIN, after a short one
} rig_pcm;

/// Reads the configuration node of a PCM. Returns 0 or a negative errno, with a message in alsa-lib's log.
int rig_parse(snd_config_t *node, rig_options *options);

/// Bytes of a sample in a format that the device supports.
size_t rig_sample_bytes(snd_pcm_format_t format);

/// Converts samples to a device format. Exact, except for U8.
void rig_encode(void *to, snd_pcm_format_t format, const int16_t *from, size_t samples);

/// Converts samples from a device format. Rounds toward zero what S16 can't hold.
void rig_decode(int16_t *to, const void *from, snd_pcm_format_t format, size_t samples);

/// Brings the device to the present: time, injected faults, xruns. With the lock held, as are the functions below.
void rig_advance(rig_pcm *rig);

/// Starts the hardware, or lets it go on.
void rig_run(rig_pcm *rig);

/// Frames that the client may write or read now.
uint64_t rig_avail(const rig_pcm *rig);

/// The events that poll is to report now.
unsigned short rig_events(rig_pcm *rig);

/// Sets the timer for the moment when there is something to report.
void rig_arm(rig_pcm *rig);

/// Empties the FIFO.
void rig_clear_wake(rig_pcm *rig);

/// Copies frames between the client's memory and the ring, at the client's position.
void rig_copy(rig_pcm *rig, const snd_pcm_channel_area_t *areas, snd_pcm_uframes_t offset, snd_pcm_uframes_t frames);

#endif
