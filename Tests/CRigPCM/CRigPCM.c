#define _GNU_SOURCE
#include "CRigPCM.h"

#ifdef RIG_ALSA

#include <errno.h>
#include <fcntl.h>
#include <poll.h>
#include <sched.h>
#include <string.h>
#include <sys/epoll.h>
#include <sys/mman.h>
#include <sys/stat.h>
#include <sys/timerfd.h>
#include <unistd.h>

#include "device.h"

// Each callback takes the lock, brings the device to the present, does its work, and sets the timer for the next event.

static rig_pcm *enter(snd_pcm_ioplug_t *io) {
  rig_pcm *rig = io->private_data;
  pthread_mutex_lock(&rig->lock);
  rig_advance(rig);
  return rig;
}

static int leave(rig_pcm *rig, int result) {
  rig_arm(rig);
  rig->ahead = 0;
  pthread_mutex_unlock(&rig->lock);
  return result;
}

/// The error of a state in which nothing can be transferred; 0 for the others.
static int state_error(const rig_pcm *rig) {
  switch (rig->io.state) {
    case SND_PCM_STATE_XRUN: return -EPIPE;
    case SND_PCM_STATE_SUSPENDED: return -ESTRPIPE;
    case SND_PCM_STATE_DISCONNECTED: return -ENODEV;
    default: return 0;
  }
}

static snd_pcm_sframes_t on_pointer(snd_pcm_ioplug_t *io) {
  rig_pcm *rig = enter(io);
  // alsa-lib takes any error for an xrun, so the other states must not be told this way.
  snd_pcm_sframes_t position = (snd_pcm_sframes_t)(rig->hardware % rig->boundary);
  if (io->state == SND_PCM_STATE_XRUN) position = -EPIPE;
  leave(rig, 0);
  return position;
}

static snd_pcm_sframes_t on_transfer(snd_pcm_ioplug_t *io, const snd_pcm_channel_area_t *areas,
                                     snd_pcm_uframes_t offset, snd_pcm_uframes_t frames) {
  rig_pcm *rig = enter(io);
  int error = rig_enter(rig->control, RIG_TRANSFER);
  if (!error) error = state_error(rig);
  if (!error && rig->is_interrupted) {
    rig->is_interrupted = false;
    error = -EAGAIN;
  }
  if (error) return leave(rig, error);
  uint64_t most = (uint64_t)rig_get(rig->control, RIG_SHORT_TRANSFER);
  if (most && most < frames) {
    rig_set(rig->control, RIG_SHORT_TRANSFER, 0);
    rig->is_interrupted = true;
    frames = most;
  }
  rig_copy(rig, areas, offset, frames);
  rig_add(rig->control, RIG_TRANSFERRED_FRAMES, (int64_t)frames);
  rig_set(rig->control, RIG_THREAD, gettid());
  rig_set(rig->control, RIG_THREAD_POLICY, sched_getscheduler(0));
  // alsa-lib moves the client's position after this, except for a capture client that reads mapped memory.
  if (io->stream == SND_PCM_STREAM_PLAYBACK || io->access == SND_PCM_ACCESS_RW_INTERLEAVED) rig->ahead = frames;
  leave(rig, 0);
  return (snd_pcm_sframes_t)frames;
}

static int on_delay(snd_pcm_ioplug_t *io, snd_pcm_sframes_t *delay) {
  rig_pcm *rig = enter(io);
  int error = rig_enter(rig->control, RIG_DELAY);
  if (!error) error = state_error(rig);
  if (error) return leave(rig, error);
  snd_pcm_sframes_t frames = (snd_pcm_sframes_t)(io->appl_ptr - rig->hardware % rig->boundary);
  if (io->stream == SND_PCM_STREAM_CAPTURE) frames = -frames;
  *delay = frames + rig_get(rig->control, RIG_EXTRA_DELAY);
  return leave(rig, 0);
}

static int on_prepare(snd_pcm_ioplug_t *io) {
  rig_pcm *rig = enter(io);
  int error = rig_enter(rig->control, RIG_PREPARE);
  if (!error && io->state == SND_PCM_STATE_DISCONNECTED) error = -ENODEV;
  if (error) return leave(rig, error);
  rig->is_running = false;
  rig->is_interrupted = false;
  rig->hardware = 0;
  return leave(rig, 0);
}

static int on_start(snd_pcm_ioplug_t *io) {
  rig_pcm *rig = enter(io);
  int error = rig_enter(rig->control, RIG_START);
  if (!error) error = state_error(rig);
  if (!error && io->stream == SND_PCM_STREAM_PLAYBACK && rig_avail(rig) == io->buffer_size) error = -EPIPE;
  if (!error) rig_run(rig);
  return leave(rig, error);
}

static int on_stop(snd_pcm_ioplug_t *io) {
  rig_pcm *rig = enter(io);
  int error = rig_enter(rig->control, RIG_STOP);
  rig->is_running = false;
  return leave(rig, error);
}

static int on_pause(snd_pcm_ioplug_t *io, int enable) {
  rig_pcm *rig = enter(io);
  int error = rig_enter(rig->control, RIG_PAUSE);
  if (!error) error = state_error(rig);
  if (!error) rig->is_running = !enable;
  return leave(rig, error);
}

static int on_resume(snd_pcm_ioplug_t *io) {
  rig_pcm *rig = enter(io);
  // alsa-lib drops the result and tells its caller that all went well: only the state tells.
  int error = rig_enter(rig->control, RIG_RESUME);
  if (!error && io->state == SND_PCM_STATE_SUSPENDED && !rig_get(rig->control, RIG_CANNOT_RESUME)) {
    snd_pcm_ioplug_set_state(io, SND_PCM_STATE_RUNNING);
    rig_run(rig);
  }
  return leave(rig, error);
}

static int on_drain(snd_pcm_ioplug_t *io) {
  rig_pcm *rig = enter(io);
  int error = rig_enter(rig->control, RIG_DRAIN);
  if (error || io->stream == SND_PCM_STREAM_CAPTURE) return leave(rig, error);
  if (!rig->is_running) rig_run(rig);
  while (io->state == SND_PCM_STATE_DRAINING && rig_avail(rig) < io->buffer_size) {
    leave(rig, 0);
    if (io->nonblock) return -EAGAIN;
    struct pollfd wake = {rig->wake, POLLIN, 0};
    poll(&wake, 1, 2);
    rig_clear_wake(rig);
    enter(io);
  }
  return leave(rig, state_error(rig));
}

static int on_poll(snd_pcm_ioplug_t *io, struct pollfd *descriptors, unsigned count, unsigned short *events) {
  (void)descriptors;
  (void)count;
  rig_pcm *rig = enter(io);
  int error = rig_enter(rig->control, RIG_POLL);
  rig_clear_wake(rig);
  *events = error ? 0 : rig_events(rig);
  return leave(rig, error);
}

static int on_sw_params(snd_pcm_ioplug_t *io, snd_pcm_sw_params_t *parameters) {
  rig_pcm *rig = enter(io);
  snd_pcm_uframes_t avail_min = io->period_size, stop_threshold = io->buffer_size, boundary = rig->boundary;
  int error = rig_enter(rig->control, RIG_SW_PARAMS);
  if (!error) error = snd_pcm_sw_params_get_avail_min(parameters, &avail_min);
  if (!error) error = snd_pcm_sw_params_get_stop_threshold(parameters, &stop_threshold);
  if (!error) error = snd_pcm_sw_params_get_boundary(parameters, &boundary);
  if (error) return leave(rig, error);
  rig->avail_min = avail_min;
  rig->stop_threshold = stop_threshold;
  rig->boundary = boundary;
  rig_set(rig->control, RIG_AVAIL_MIN, (int64_t)avail_min);
  rig_set(rig->control, RIG_STOP_THRESHOLD, (int64_t)stop_threshold);
  return leave(rig, 0);
}

static void free_parameters(rig_pcm *rig) {
  free(rig->ring);
  rig->ring = NULL;
  if (rig->output >= 0) close(rig->output);
  rig->output = -1;
}

static int open_output(rig_pcm *rig) {
  char path[RIG_MAXIMUM_PATH];
  snprintf(path, sizeof path, "%s.%lld.%ux%u.output", rig->path,
           (long long)rig_count(rig->control, RIG_HW_PARAMS), rig->io.rate, rig->io.channels);
  rig->output = open(path, O_WRONLY | O_CREAT | O_TRUNC | O_APPEND | O_CLOEXEC, 0600);
  return rig->output < 0 ? -errno : 0;
}

static int on_hw_params(snd_pcm_ioplug_t *io, snd_pcm_hw_params_t *parameters) {
  (void)parameters;
  rig_pcm *rig = enter(io);
  int error = rig_enter(rig->control, RIG_HW_PARAMS);
  if (!error && io->state == SND_PCM_STATE_DISCONNECTED) error = -ENODEV;
  if (error) return leave(rig, error);
  free_parameters(rig);
  rig->is_running = false;
  rig->hardware = 0;
  rig->frame_bytes = rig_sample_bytes(io->format) * io->channels;
  rig->ring = calloc(io->buffer_size, rig->frame_bytes);
  if (!rig->ring) return leave(rig, -ENOMEM);
  if (io->stream == SND_PCM_STREAM_PLAYBACK) error = open_output(rig);
  rig_set(rig->control, RIG_RATE, io->rate);
  rig_set(rig->control, RIG_CHANNELS, io->channels);
  rig_set(rig->control, RIG_FORMAT, io->format);
  rig_set(rig->control, RIG_ACCESS, io->access);
  rig_set(rig->control, RIG_PERIOD_FRAMES, (int64_t)io->period_size);
  rig_set(rig->control, RIG_BUFFER_FRAMES, (int64_t)io->buffer_size);
  return leave(rig, error);
}

static int on_hw_free(snd_pcm_ioplug_t *io) {
  rig_pcm *rig = enter(io);
  rig->is_running = false;
  free_parameters(rig);
  return leave(rig, 0);
}

static void destroy(rig_pcm *rig) {
  free_parameters(rig);
  if (rig->input) munmap((void *)rig->input, rig->input_bytes);
  const int descriptors[] = {rig->owner, rig->wake, rig->timer, rig->poller};
  for (size_t index = 0; index < sizeof descriptors / sizeof *descriptors; index++)
    if (descriptors[index] >= 0) close(descriptors[index]);
  if (rig->control) rig_control_unmap(rig->control);
  pthread_mutex_destroy(&rig->lock);
  free(rig);
}

static int on_close(snd_pcm_ioplug_t *io) {
  rig_pcm *rig = io->private_data;
  int error = rig_enter(rig->control, RIG_CLOSE);
  destroy(rig);
  return error;
}

static int open_file(const rig_pcm *rig, const char *suffix, int flags) {
  char path[RIG_MAXIMUM_PATH];
  snprintf(path, sizeof path, "%s.%s", rig->path, suffix);
  int file = open(path, flags | O_CLOEXEC);
  return file < 0 ? -errno : file;
}

/// Maps what a capture device hears; no file, or an empty one, is silence.
static int map_input(rig_pcm *rig) {
  int file = open_file(rig, "input", O_RDONLY);
  if (file < 0) return file == -ENOENT ? 0 : file;
  struct stat status;
  int error = fstat(file, &status) < 0 ? -errno : 0;
  int64_t channels = rig_get(rig->control, RIG_INPUT_CHANNELS);
  rig->input_channels = channels > 0 ? (unsigned)channels : 1;
  size_t frame_bytes = sizeof(int16_t) * rig->input_channels;
  if (!error && (size_t)status.st_size >= frame_bytes) {
    rig->input_bytes = (size_t)status.st_size;
    rig->input_frames = rig->input_bytes / frame_bytes;
    void *memory = mmap(NULL, rig->input_bytes, PROT_READ, MAP_PRIVATE, file, 0);
    if (memory == MAP_FAILED) {
      rig->input_frames = 0;
      error = -errno;
    } else {
      rig->input = memory;
    }
  }
  close(file);
  return error;
}

/// Makes the one descriptor that clients poll.
static int open_descriptors(rig_pcm *rig) {
  rig->wake = open_file(rig, "wake", O_RDWR | O_NONBLOCK);
  if (rig->wake < 0) return rig->wake;
  rig_clear_wake(rig);
  rig->timer = timerfd_create(CLOCK_MONOTONIC, TFD_NONBLOCK | TFD_CLOEXEC);
  rig->poller = epoll_create1(EPOLL_CLOEXEC);
  struct epoll_event event = {.events = EPOLLIN};
  if (rig->timer < 0 || rig->poller < 0 || epoll_ctl(rig->poller, EPOLL_CTL_ADD, rig->timer, &event) < 0 ||
      epoll_ctl(rig->poller, EPOLL_CTL_ADD, rig->wake, &event) < 0)
    return -errno;
  return 0;
}

static int open_device(rig_pcm *rig, const rig_options *options, snd_pcm_stream_t stream) {
  char path[RIG_MAXIMUM_PATH];
  snprintf(path, sizeof path, "%s.control", rig->path);
  rig->control = rig_control_map(path);
  if (!rig->control) return -errno;
  int error = rig_enter(rig->control, RIG_OPEN);
  if (error) return error;
  if (stream != options->direction) return -ENOENT;
  if (rig_get(rig->control, RIG_IS_UNPLUGGED)) return -ENODEV;
  rig->unplugs = rig_get(rig->control, RIG_UNPLUGS);
  rig->owner = rig_claim(path);
  if (rig->owner < 0) return rig->owner;
  error = open_descriptors(rig);
  if (!error && stream == SND_PCM_STREAM_CAPTURE) error = map_input(rig);
  return error;
}

static int limit(snd_pcm_ioplug_t *io, const rig_options *options) {
  const unsigned accesses[] = {SND_PCM_ACCESS_RW_INTERLEAVED, SND_PCM_ACCESS_MMAP_INTERLEAVED};
  // alsa-lib limits bytes only: where formats or channels differ, the limits in frames are those of the extremes.
  size_t narrow = 4, wide = 1;
  for (unsigned index = 0; index < options->format_count; index++) {
    size_t bytes = rig_sample_bytes((snd_pcm_format_t)options->formats[index]);
    if (bytes < narrow) narrow = bytes;
    if (bytes > wide) wide = bytes;
  }
  unsigned least = (unsigned)(narrow * (size_t)options->channels_min);
  unsigned most = (unsigned)(wide * (size_t)options->channels_max);
  int error = snd_pcm_ioplug_set_param_list(io, SND_PCM_IOPLUG_HW_ACCESS, 2, accesses);
  if (!error)
    error = snd_pcm_ioplug_set_param_list(io, SND_PCM_IOPLUG_HW_FORMAT, options->format_count, options->formats);
  if (!error)
    error = snd_pcm_ioplug_set_param_minmax(io, SND_PCM_IOPLUG_HW_RATE, (unsigned)options->rate_min,
                                            (unsigned)options->rate_max);
  if (!error)
    error = snd_pcm_ioplug_set_param_minmax(io, SND_PCM_IOPLUG_HW_CHANNELS, (unsigned)options->channels_min,
                                            (unsigned)options->channels_max);
  if (!error)
    error = snd_pcm_ioplug_set_param_minmax(io, SND_PCM_IOPLUG_HW_PERIOD_BYTES,
                                            (unsigned)options->period_min * least,
                                            (unsigned)options->period_max * most);
  if (!error)
    error = snd_pcm_ioplug_set_param_minmax(io, SND_PCM_IOPLUG_HW_BUFFER_BYTES,
                                            (unsigned)options->buffer_min * least,
                                            (unsigned)options->buffer_max * most);
  if (!error) error = snd_pcm_ioplug_set_param_minmax(io, SND_PCM_IOPLUG_HW_PERIODS, 2, 1024);
  return error;
}

#define CALLBACKS                                                                                             \
  .start = on_start, .stop = on_stop, .pointer = on_pointer, .transfer = on_transfer, .close = on_close,      \
  .hw_params = on_hw_params, .hw_free = on_hw_free, .sw_params = on_sw_params, .prepare = on_prepare,         \
  .drain = on_drain, .poll_revents = on_poll, .delay = on_delay

/// Whether hardware can pause and resume is told by the callbacks that are there.
static const snd_pcm_ioplug_callback_t callbacks[2][2] = {
    {{CALLBACKS}, {CALLBACKS, .resume = on_resume}},
    {{CALLBACKS, .pause = on_pause}, {CALLBACKS, .pause = on_pause, .resume = on_resume}},
};

SND_PCM_PLUGIN_DEFINE_FUNC(rig) {
  (void)root;
  rig_options options;
  int error = rig_parse(conf, &options);
  if (error < 0) return error;
  rig_pcm *rig = calloc(1, sizeof *rig);
  if (!rig) return -ENOMEM;
  pthread_mutex_init(&rig->lock, NULL);
  rig->owner = rig->wake = rig->timer = rig->poller = rig->output = -1;
  rig->boundary = (uint64_t)1 << 62;
  snprintf(rig->path, sizeof rig->path, "%s", options.path);
  error = open_device(rig, &options, stream);
  if (error) {
    destroy(rig);
    return error;
  }
  rig->io = (snd_pcm_ioplug_t){
      .version = SND_PCM_IOPLUG_VERSION,
      .name = "Fake sound device",
      .flags = SND_PCM_IOPLUG_FLAG_MONOTONIC | SND_PCM_IOPLUG_FLAG_BOUNDARY_WA,
      .poll_fd = rig->poller,
      .poll_events = POLLIN,
      .callback = &callbacks[options.can_pause][options.can_resume],
      .private_data = rig,
      .nonblock = (mode & SND_PCM_NONBLOCK) != 0,
  };
  error = snd_pcm_ioplug_create(&rig->io, name, stream, mode);
  if (error) {
    destroy(rig);
    return error;
  }
  error = limit(&rig->io, &options);
  if (error < 0) {
    snd_pcm_ioplug_delete(&rig->io);
    return error;
  }
  *pcmp = rig->io.pcm;
  return 0;
}
SND_PCM_PLUGIN_SYMBOL(rig);

#endif
