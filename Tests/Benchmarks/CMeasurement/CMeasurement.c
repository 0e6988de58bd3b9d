#include "CMeasurement.h"

#include <errno.h>
#include <fcntl.h>
#include <signal.h>
#include <stdatomic.h>
#include <stdio.h>
#include <stdlib.h>
#include <sys/mman.h>
#include <sys/prctl.h>
#include <time.h>
#include <unistd.h>

#define RECORDS 200000
#define HEADER_BYTES 64
// Played periods that are remembered, more than BM_CODES frames of the smallest.
#define PERIODS 1024

// The file: a header, and the records.
static struct {
  _Atomic int64_t count;
} *header;
static bm_record *records;

static int period_frames;
static struct {
  int64_t asked, estimate;
} played[PERIODS];
static _Atomic int64_t played_frames;

// The period that is being captured.
static bm_record current;
static int current_frames;
static int64_t current_first, current_estimate;
static int last_code;

int64_t bm_now(void) {
  struct timespec now;
  clock_gettime(CLOCK_MONOTONIC, &now);
  return (int64_t)now.tv_sec * 1000000000 + now.tv_nsec;
}

int bm_open(const char *path, int period) {
  if (period < 64 || period > BM_CODES) {
    errno = EINVAL;
    return -1;
  }
  prctl(PR_SET_PDEATHSIG, SIGKILL);
  period_frames = period;
  size_t size = HEADER_BYTES + RECORDS * sizeof(bm_record);
  int file = open(path, O_RDWR | O_CREAT | O_TRUNC | O_CLOEXEC, 0600);
  if (file < 0 || ftruncate(file, (off_t)size) < 0) return -1;
  void *memory = mmap(NULL, size, PROT_READ | PROT_WRITE, MAP_SHARED | MAP_POPULATE, file, 0);
  close(file);
  if (memory == MAP_FAILED) return -1;
  header = memory;
  records = (bm_record *)((char *)memory + HEADER_BYTES);
  return 0;
}

void bm_play(int16_t *samples, int frames, int64_t estimate) {
  int64_t frame = atomic_load_explicit(&played_frames, memory_order_relaxed), now = bm_now();
  for (int index = 0; index < frames; index++, frame++) {
    if (frame % period_frames == 0) {
      int64_t behind = (int64_t)index * 1000000000 / 48000;
      played[frame / period_frames % PERIODS].asked = now;
      played[frame / period_frames % PERIODS].estimate =
          estimate == BM_NO_ESTIMATE ? BM_NO_ESTIMATE : estimate + behind;
    }
    samples[index] = (int16_t)(1 + frame % BM_CODES);
  }
  atomic_store_explicit(&played_frames, frame, memory_order_release);
}

// Ends the current period.
static void keep(int64_t now) {
  int64_t all = atomic_load_explicit(&played_frames, memory_order_acquire);
  current.arrived = now;
  current.round_trip = 0;
  current.estimate = BM_NO_ESTIMATE;
  if (current_first > 0) {
    // The last frame played with this number, and the share of the played period after its own.
    int64_t frame = all - 1 - (all - 1 - (current_first - 1) + BM_CODES) % BM_CODES;
    double share = (double)(frame % period_frames) / period_frames;
    int64_t index = frame / period_frames, next = share > 0 && frame - frame % period_frames + period_frames < all;
    if (frame >= 0) {
      int64_t asked = played[index % PERIODS].asked, estimate = played[index % PERIODS].estimate;
      if (next) {
        asked += (int64_t)(share * (double)(played[(index + 1) % PERIODS].asked - asked));
        if (estimate != BM_NO_ESTIMATE)
          estimate += (int64_t)(share * (double)(played[(index + 1) % PERIODS].estimate - estimate));
      }
      current.round_trip = now - asked;
      if (estimate != BM_NO_ESTIMATE && current_estimate != BM_NO_ESTIMATE)
        current.estimate = estimate + current_estimate;
    }
  }
  int64_t count = atomic_load_explicit(&header->count, memory_order_relaxed);
  records[count % RECORDS] = current;
  atomic_store_explicit(&header->count, count + 1, memory_order_release);
  current = (bm_record){0};
  current_frames = 0;
}

void bm_capture(const int16_t *samples, int frames, int64_t estimate) {
  int64_t now = bm_now();
  for (int index = 0; index < frames; index++) {
    int code = samples ? samples[index] : 0;
    if (current_frames == 0) {
      current_first = code;
      current_estimate =
          estimate == BM_NO_ESTIMATE ? BM_NO_ESTIMATE : estimate - (int64_t)index * 1000000000 / 48000;
    }
    if (code == 0) {
      current.silent++;
      if (last_code != 0) current.breaks++;
    } else if (last_code != 0 && code != last_code % BM_CODES + 1) {
      current.breaks++;
    }
    last_code = code;
    if (++current_frames == period_frames) keep(now);
  }
}

// Only there when the heap counter is loaded before everything else.
void heap_note_libraries(void) __attribute__((weak));

void bm_note_libraries(void) {
  if (heap_note_libraries) heap_note_libraries();
}

int bm_main(int argc, char **argv, const char *(*start)(int period, int count, char **settings), void (*stop)(void)) {
  if (argc < 3 || bm_open(argv[1], atoi(argv[2])) < 0) {
    fprintf(stderr, "usage: %s LOG PERIOD SETTING...\n", argv[0]);
    return 2;
  }
  int64_t begin = bm_now();
  const char *error = start(period_frames, argc - 3, argv + 3);
  if (error) {
    fprintf(stderr, "%s: %s\n", argv[0], error);
    return 1;
  }
  bm_note_libraries();
  printf("started %lld %lld\n", (long long)begin, (long long)bm_now());
  fflush(stdout);
  char unused;
  while (read(STDIN_FILENO, &unused, 1) > 0) {}
  begin = bm_now();
  stop();
  printf("stopped %lld %lld\n", (long long)begin, (long long)bm_now());
  fflush(stdout);
  // What the library does when the process ends is not measured.
  _exit(0);
}
