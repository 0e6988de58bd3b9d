#ifdef RIG_ALSA

#include <string.h>

#include "device.h"

static int parse_formats(const char *text, rig_options *options) {
  char names[128];
  char *rest = names;
  options->format_count = 0;
  snprintf(names, sizeof names, "%s", text);
  for (char *name = strtok_r(rest, " ", &rest); name; name = strtok_r(NULL, " ", &rest)) {
    snd_pcm_format_t format = snd_pcm_format_value(name);
    size_t capacity = sizeof options->formats / sizeof *options->formats;
    if (format == SND_PCM_FORMAT_UNKNOWN || !rig_sample_bytes(format) || options->format_count == capacity)
      return -EINVAL;
    options->formats[options->format_count++] = (unsigned)format;
  }
  return options->format_count ? 0 : -EINVAL;
}

static int parse_direction(const char *text, rig_options *options) {
  if (strcmp(text, "playback") == 0)
    options->direction = SND_PCM_STREAM_PLAYBACK;
  else if (strcmp(text, "capture") == 0)
    options->direction = SND_PCM_STREAM_CAPTURE;
  else
    return -EINVAL;
  return 0;
}

static long *number_named(const char *id, rig_options *options) {
  const struct {
    const char *id;
    long *value;
  } numbers[] = {
      {"rate_min", &options->rate_min},         {"rate_max", &options->rate_max},
      {"channels_min", &options->channels_min}, {"channels_max", &options->channels_max},
      {"period_min", &options->period_min},     {"period_max", &options->period_max},
      {"buffer_min", &options->buffer_min},     {"buffer_max", &options->buffer_max},
  };
  for (size_t index = 0; index < sizeof numbers / sizeof *numbers; index++)
    if (strcmp(id, numbers[index].id) == 0) return numbers[index].value;
  return NULL;
}

static int parse_field(const char *id, snd_config_t *entry, rig_options *options) {
  const char *text = NULL;
  if (strcmp(id, "comment") == 0 || strcmp(id, "type") == 0 || strcmp(id, "hint") == 0) return 0;
  if (strcmp(id, "path") == 0) return snd_config_get_string(entry, &options->path);
  if (strcmp(id, "pause") == 0 || strcmp(id, "resume") == 0) {
    int value = snd_config_get_bool(entry);
    if (value < 0) return value;
    *(id[0] == 'p' ? &options->can_pause : &options->can_resume) = value;
    return 0;
  }
  long *number = number_named(id, options);
  if (number) return snd_config_get_integer(entry, number);
  int error = snd_config_get_string(entry, &text);
  if (error < 0) return error;
  if (strcmp(id, "formats") == 0) return parse_formats(text, options);
  if (strcmp(id, "direction") == 0) return parse_direction(text, options);
  return -EINVAL;
}

int rig_parse(snd_config_t *node, rig_options *options) {
  *options = (rig_options){
      .direction = SND_PCM_STREAM_LAST + 1,
      .rate_min = 8000, .rate_max = 192000,
      .channels_min = 1, .channels_max = 8,
      .period_min = 16, .period_max = 1 << 18,
      .buffer_min = 32, .buffer_max = 1 << 20,
      .can_pause = true, .can_resume = true,
  };
  int error = parse_formats("S16_LE S24_LE S24_3LE S32_LE FLOAT_LE U8", options);
  if (error < 0) return error;
  snd_config_iterator_t position, next;
  snd_config_for_each(position, next, node) {
    snd_config_t *entry = snd_config_iterator_entry(position);
    const char *id;
    if (snd_config_get_id(entry, &id) < 0) continue;
    error = parse_field(id, entry, options);
    if (error < 0) {
      SNDERR("rig: cannot use the field %s", id);
      return error;
    }
  }
  if (!options->path || strlen(options->path) > RIG_MAXIMUM_PATH - 60 || options->channels_max > RIG_MAXIMUM_CHANNELS || options->direction > SND_PCM_STREAM_LAST) {
    SNDERR("rig: path (of at most %d bytes), direction and sane numbers are required", RIG_MAXIMUM_PATH - 60);
    return -EINVAL;
  }
  return 0;
}

#endif
