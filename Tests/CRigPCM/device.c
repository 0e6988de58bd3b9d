#ifdef RIG_ALSA

#include "device.h"

#include <poll.h>
#include <string.h>
#include <sys/timerfd.h>
#include <time.h>
#include <unistd.h>

static int64_t monotonic_nanoseconds(void) {
  struct timespec now;
  clock_gettime(CLOCK_MONOTONIC, &now);
  return (int64_t)now.tv_sec * 1000000000 + now.tv_nsec;
}

static bool is_playback(const rig_pcm *rig) { return rig->io.stream == SND_PCM_STREAM_PLAYBACK; }

/// Frames per 10^15 nanoseconds, the clock's error included.
static unsigned __int128 clock_speed(const rig_pcm *rig) {
  int64_t parts = 1000000 + rig_get(rig->control, RIG_CLOCK_PPM);
  return (unsigned __int128)rig->io.rate * (uint64_t)(parts > 1 ? parts : 1);
}

static const uint64_t clock_divisor = 1000000000000000;

/// Frames that the device's clock has gone since the last look.
static uint64_t elapsed_frames(rig_pcm *rig) {
  int64_t nanoseconds = monotonic_nanoseconds();
  int64_t clock_frames = rig_get(rig->control, RIG_CLOCK_FRAMES);
  int64_t passed = nanoseconds - rig->last_nanoseconds;
  int64_t stepped = clock_frames - rig->last_clock_frames;
  rig->last_nanoseconds = nanoseconds;
  rig->last_clock_frames = clock_frames;
  if (!rig->has_started || rig_get(rig->control, RIG_IS_FROZEN)) return 0;
  if (rig_get(rig->control, RIG_CLOCK_IS_MANUAL)) return stepped > 0 ? (uint64_t)stepped : 0;
  unsigned __int128 product = (unsigned __int128)passed * clock_speed(rig) + rig->remainder;
  rig->remainder = product % clock_divisor;
  return (uint64_t)(product / clock_divisor);
}

/// Frames between the client's position and the hardware's: queued for playback, or captured.
static uint64_t pending_frames(const rig_pcm *rig) {
  int64_t difference = (int64_t)(rig->io.appl_ptr + rig->ahead - rig->hardware % rig->boundary);
  if (!is_playback(rig)) difference = -difference;
  return difference > 0 ? (uint64_t)difference : 0;
}

uint64_t rig_avail(const rig_pcm *rig) {
  uint64_t pending = pending_frames(rig);
  if (!is_playback(rig)) return pending;
  return pending < rig->io.buffer_size ? rig->io.buffer_size - pending : 0;
}

static void play(rig_pcm *rig, uint64_t frames) {
  uint64_t queued = pending_frames(rig);
  int16_t samples[256 * RIG_MAXIMUM_CHANNELS];
  while (frames > 0) {
    uint64_t offset = rig->hardware % rig->io.buffer_size;
    uint64_t count = frames < 256 ? frames : 256;
    if (count > rig->io.buffer_size - offset) count = rig->io.buffer_size - offset;
    if (queued && count > queued) count = queued;
    size_t bytes = count * rig->io.channels * sizeof *samples;
    if (queued)
      rig_decode(samples, rig->ring + offset * rig->frame_bytes, rig->io.format, count * rig->io.channels);
    else
      memset(samples, 0, bytes);
    // Whether all was written is for the test to see.
    if (rig->output >= 0 && write(rig->output, samples, bytes) < 0) {
      close(rig->output);
      rig->output = -1;
    }
    queued -= queued ? count : 0;
    rig->hardware += count;
    frames -= count;
  }
}

static void capture(rig_pcm *rig, uint64_t frames, uint64_t heard) {
  int16_t samples[RIG_MAXIMUM_CHANNELS] = {0};
  for (; frames > 0; frames--, heard++, rig->hardware++) {
    if (rig->input_frames) {
      const int16_t *frame = rig->input + heard % rig->input_frames * rig->input_channels;
      for (unsigned channel = 0; channel < rig->io.channels; channel++)
        samples[channel] = frame[channel % rig->input_channels];
    }
    unsigned char *place = rig->ring + rig->hardware % rig->io.buffer_size * rig->frame_bytes;
    rig_encode(place, rig->io.format, samples, rig->io.channels);
  }
}

static void stop_in(rig_pcm *rig, snd_pcm_state_t state) {
  rig->is_running = false;
  snd_pcm_ioplug_set_state(&rig->io, state);
}

/// Moves the hardware on. It stops where the client's frames, or the room for them, end.
static void move_hardware(rig_pcm *rig, uint64_t frames) {
  bool is_draining = rig->io.state == SND_PCM_STATE_DRAINING;
  uint64_t limit = is_draining && is_playback(rig) ? rig->io.buffer_size : rig->stop_threshold;
  uint64_t avail = rig_avail(rig);
  uint64_t room = limit > avail ? limit - avail : 0;
  uint64_t heard = rig->heard - frames;
  bool is_exhausted = frames >= room;
  if (is_exhausted) frames = room;
  rig_add(rig->control, RIG_HARDWARE_FRAMES, (int64_t)frames);
  if (is_playback(rig))
    play(rig, frames);
  else
    capture(rig, frames, heard);
  if (!is_exhausted) return;
  if (is_draining) {
    rig->is_running = false;
    return;
  }
  rig_add(rig->control, RIG_XRUNS, 1);
  stop_in(rig, SND_PCM_STATE_XRUN);
}

void rig_advance(rig_pcm *rig) {
  uint64_t frames = elapsed_frames(rig);
  rig->heard += frames;
  if (rig_get(rig->control, RIG_UNPLUGS) != rig->unplugs) {
    stop_in(rig, SND_PCM_STATE_DISCONNECTED);
    return;
  }
  if (!rig->is_running) return;
  move_hardware(rig, frames);
  if (!rig->is_running) return;
  if (rig_take(rig->control, RIG_INJECT_XRUN)) {
    rig_add(rig->control, RIG_XRUNS, 1);
    stop_in(rig, SND_PCM_STATE_XRUN);
  } else if (rig_take(rig->control, RIG_INJECT_SUSPEND)) {
    stop_in(rig, SND_PCM_STATE_SUSPENDED);
  }
}

void rig_run(rig_pcm *rig) {
  if (!rig->has_started) {
    // The time from opening to the first start does not count: the input begins with its first frame.
    (void)elapsed_frames(rig);
    rig->has_started = true;
  }
  rig->is_running = true;
}

unsigned short rig_events(rig_pcm *rig) {
  unsigned short ready = is_playback(rig) ? POLLOUT : POLLIN;
  if (rig_get(rig->control, RIG_POLLS_ERROR)) return POLLERR;
  switch (rig->io.state) {
    case SND_PCM_STATE_DISCONNECTED: return POLLERR | POLLHUP;
    case SND_PCM_STATE_PREPARED:
    case SND_PCM_STATE_RUNNING:
    case SND_PCM_STATE_PAUSED:
    case SND_PCM_STATE_DRAINING: return rig_avail(rig) >= rig->avail_min ? ready : 0;
    default: return ready | POLLERR;
  }
}

void rig_arm(rig_pcm *rig) {
  struct itimerspec when = {{0, 0}, {0, 0}};
  if (rig_events(rig)) {
    when.it_value.tv_nsec = 1;
  } else if (rig->is_running && !rig_get(rig->control, RIG_CLOCK_IS_MANUAL) &&
             !rig_get(rig->control, RIG_IS_FROZEN)) {
    // Nothing to report, so less than avail_min is there, and no xrun has come.
    uint64_t goal = rig->avail_min < rig->stop_threshold ? rig->avail_min : rig->stop_threshold;
    uint64_t missing = goal - rig_avail(rig);
    unsigned __int128 speed = clock_speed(rig);
    uint64_t wait = (uint64_t)(((unsigned __int128)missing * clock_divisor - rig->remainder + speed - 1) / speed);
    when.it_value.tv_sec = (time_t)(wait / 1000000000);
    when.it_value.tv_nsec = (long)(wait % 1000000000);
  }
  timerfd_settime(rig->timer, 0, &when, NULL);
}

void rig_clear_wake(rig_pcm *rig) {
  char bytes[64];
  while (read(rig->wake, bytes, sizeof bytes) == sizeof bytes) {
  }
}

void rig_copy(rig_pcm *rig, const snd_pcm_channel_area_t *areas, snd_pcm_uframes_t offset,
              snd_pcm_uframes_t frames) {
  unsigned char *client = (unsigned char *)areas->addr + (areas->first + areas->step * offset) / 8;
  uint64_t position = rig->io.appl_ptr;
  while (frames > 0) {
    uint64_t place = position % rig->io.buffer_size;
    uint64_t count = rig->io.buffer_size - place;
    if (count > frames) count = frames;
    unsigned char *own = rig->ring + place * rig->frame_bytes;
    if (is_playback(rig))
      memcpy(own, client, count * rig->frame_bytes);
    else
      memcpy(client, own, count * rig->frame_bytes);
    client += count * rig->frame_bytes;
    position += count;
    frames -= count;
  }
}

#endif
