// What every client of the benchmark has in common: it plays samples that tell their number, and keeps in a file what
// came back. Prefix bm_. The driver reads the file while the client runs; the layout is known to driver/log.py.
#ifndef CMEASUREMENT_H
#define CMEASUREMENT_H

#include <stdint.h>

/// Frames after which the numbers of the samples begin anew: 625 ms at 48 kHz, the longest round trip that is told.
#define BM_CODES 30000

/// No estimate, for bm_play and bm_capture.
#define BM_NO_ESTIMATE INT64_MIN

/// One captured period, in the file.
typedef struct {
  /// When its last frame was given to the client, CLOCK_MONOTONIC in nanoseconds.
  int64_t arrived;
  /// Nanoseconds since its frames were asked for, their mean; 0 where the first is silence. The mean, because a
  /// captured period can consist of the end of one that was played and the beginning of the next.
  int64_t round_trip;
  /// The round trip as the client's own estimates say; BM_NO_ESTIMATE where there is none.
  int64_t estimate;
  /// Frames that were silence.
  int32_t silent;
  /// Where the numbers did not go on: a gap, a repeat, or the beginning of silence.
  int32_t breaks;
} bm_record;

/// Makes the file and binds the process to the one that started it, so that it never stays behind. period is the size
/// of the client's periods in frames. Returns 0, or -1 with errno set. Once, before any other function.
int bm_open(const char *path, int period);

/// Fills mono samples to play. One thread at a time; neither blocks nor allocates. estimate: nanoseconds until the
/// first of them is heard.
void bm_play(int16_t *samples, int frames, int64_t estimate);

/// Takes mono samples that were captured; NULL stands for silence. One thread at a time, which may be another than
/// that of bm_play; neither blocks nor allocates. estimate: nanoseconds since the first of them was at the microphone.
void bm_capture(const int16_t *samples, int frames, int64_t estimate);

/// CLOCK_MONOTONIC in nanoseconds.
int64_t bm_now(void);

/// Counts the heap calls of the libraries that were loaded meanwhile by their names, where heap calls are counted.
void bm_note_libraries(void);

/// The whole of a client in C: makes the log, starts, tells `started BEGIN END` on standard output, stops at the end of
/// standard input and tells `stopped BEGIN END`. start returns NULL or what went wrong.
int bm_main(int argc, char **argv, const char *(*start)(int period, int count, char **settings), void (*stop)(void));

#endif
