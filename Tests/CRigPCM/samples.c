#ifdef RIG_ALSA

#include <string.h>

#include "device.h"

size_t rig_sample_bytes(snd_pcm_format_t format) {
  switch (format) {
    case SND_PCM_FORMAT_U8: return 1;
    case SND_PCM_FORMAT_S16_LE: return 2;
    case SND_PCM_FORMAT_S24_3LE: return 3;
    case SND_PCM_FORMAT_S24_LE:
    case SND_PCM_FORMAT_S32_LE:
    case SND_PCM_FORMAT_FLOAT_LE: return 4;
    default: return 0;
  }
}

static void put(unsigned char *to, uint32_t value, size_t bytes) {
  for (size_t index = 0; index < bytes; index++) to[index] = (unsigned char)(value >> (8 * index));
}

static uint32_t get(const unsigned char *from, size_t bytes) {
  uint32_t value = 0;
  for (size_t index = 0; index < bytes; index++) value |= (uint32_t)from[index] << (8 * index);
  return value;
}

static int16_t clip(float value) {
  float scaled = value * 32768.0f;
  return scaled >= 32767.0f ? 32767 : scaled <= -32768.0f ? -32768 : (int16_t)scaled;
}

void rig_encode(void *to, snd_pcm_format_t format, const int16_t *from, size_t samples) {
  unsigned char *bytes = to;
  size_t size = rig_sample_bytes(format);
  for (size_t index = 0; index < samples; index++, bytes += size) {
    uint32_t value = (uint16_t)from[index];
    uint32_t wide = (uint32_t)(int32_t)from[index];
    float real = (float)from[index] / 32768.0f;
    switch (format) {
      case SND_PCM_FORMAT_U8: *bytes = (unsigned char)((value >> 8) ^ 0x80); break;
      case SND_PCM_FORMAT_S16_LE: put(bytes, value, 2); break;
      case SND_PCM_FORMAT_S24_3LE: put(bytes, value << 8, 3); break;
      case SND_PCM_FORMAT_S24_LE: put(bytes, wide << 8, 4); break;
      case SND_PCM_FORMAT_S32_LE: put(bytes, value << 16, 4); break;
      default: memcpy(bytes, &real, sizeof real); break;
    }
  }
}

void rig_decode(int16_t *to, const void *from, snd_pcm_format_t format, size_t samples) {
  const unsigned char *bytes = from;
  size_t size = rig_sample_bytes(format);
  for (size_t index = 0; index < samples; index++, bytes += size) {
    float real;
    switch (format) {
      case SND_PCM_FORMAT_U8: to[index] = (int16_t)((uint16_t)(*bytes ^ 0x80) << 8); break;
      case SND_PCM_FORMAT_S16_LE: to[index] = (int16_t)get(bytes, 2); break;
      case SND_PCM_FORMAT_S24_3LE:
      case SND_PCM_FORMAT_S24_LE: to[index] = (int16_t)(get(bytes, 3) >> 8); break;
      case SND_PCM_FORMAT_S32_LE: to[index] = (int16_t)(get(bytes, 4) >> 16); break;
      default:
        memcpy(&real, bytes, sizeof real);
        to[index] = clip(real);
        break;
    }
  }
}

#endif
