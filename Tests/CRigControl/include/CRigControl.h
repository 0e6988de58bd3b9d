// What a test and the rig's fake sound device tell each other: a block of shared memory, one per device. Prefix rig_.
//
// The device is an alsa-lib plug-in (CRigPCM), usually in the same process, but it may be in a child such as aplay: hence
// a file. All accesses are atomic; the functions neither block nor allocate, except to map and to unmap.
#ifndef CRIGCONTROL_H
#define CRIGCONTROL_H

#include <stdint.h>

typedef struct rig_control rig_control;

/// What a client does to the device. Each is counted, and each can be made to fail.
typedef enum {
  RIG_OPEN,
  RIG_HW_PARAMS,
  RIG_SW_PARAMS,
  RIG_PREPARE,
  RIG_START,
  RIG_STOP,
  RIG_DRAIN,
  RIG_PAUSE,
  RIG_RESUME,
  RIG_TRANSFER,
  RIG_DELAY,
  RIG_POLL,
  RIG_CLOSE,
  RIG_OPERATIONS
} rig_operation;

/// A number in the block.
typedef enum {
  // Written by the test.

  /// Frames that the manual clock has gone so far.
  RIG_CLOCK_FRAMES,
  /// Whether the manual clock moves the device, not time.
  RIG_CLOCK_IS_MANUAL,
  /// How much too fast the device's clock is, in parts per million.
  RIG_CLOCK_PPM,
  /// Whether the device stands still, as if its interrupts had stopped.
  RIG_IS_FROZEN,
  /// Whether the device is gone now, and how often it went.
  RIG_IS_UNPLUGGED,
  RIG_UNPLUGS,
  /// Whether poll reports an error while the state shows none.
  RIG_POLLS_ERROR,
  /// Once: an xrun.
  RIG_INJECT_XRUN,
  /// Once: the device suspends.
  RIG_INJECT_SUSPEND,
  /// Whether snd_pcm_resume leaves the device suspended, so that only snd_pcm_prepare helps.
  RIG_CANNOT_RESUME,
  /// Frames added to the delay; may be negative.
  RIG_EXTRA_DELAY,
  /// Channels of the input file; 0 stands for 1.
  RIG_INPUT_CHANNELS,
  /// The next transfer takes only this many frames, then the one after it fails with EAGAIN. 0: not.
  RIG_SHORT_TRANSFER,

  // Written by the device.

  /// Frames that clients wrote or read.
  RIG_TRANSFERRED_FRAMES,
  /// Frames that were played or recorded.
  RIG_HARDWARE_FRAMES,
  /// Xruns, injected ones included.
  RIG_XRUNS,
  /// Of the last hw_params.
  RIG_RATE,
  RIG_CHANNELS,
  RIG_FORMAT,
  RIG_ACCESS,
  RIG_PERIOD_FRAMES,
  RIG_BUFFER_FRAMES,
  /// Of the last sw_params.
  RIG_AVAIL_MIN,
  RIG_STOP_THRESHOLD,
  /// The thread that transferred last, and its scheduling policy.
  RIG_THREAD,
  RIG_THREAD_POLICY,
  RIG_WORDS
} rig_word;

/// Maps the block in a file, made if need be. NULL with errno set on failure.
rig_control *_Nullable rig_control_map(const char *_Nonnull path);

/// Unmaps a block.
void rig_control_unmap(rig_control *_Nonnull control);

/// Takes the device whose block is in a file, for one client. Returns a descriptor that keeps it until it is
/// closed, be it by the client's death, or a negative errno: -EBUSY when somebody has it.
int rig_claim(const char *_Nonnull path);

/// Whether somebody has claimed the device.
int rig_is_claimed(const char *_Nonnull path);

int64_t rig_get(rig_control *_Nonnull control, rig_word word);
void rig_set(rig_control *_Nonnull control, rig_word word, int64_t value);
void rig_add(rig_control *_Nonnull control, rig_word word, int64_t value);

/// Reads a number and sets it to zero.
int64_t rig_take(rig_control *_Nonnull control, rig_word word);

/// Makes an operation fail with an errno: `times` times, after it has succeeded `skip` times more.
void rig_fail(rig_control *_Nonnull control, rig_operation operation, int error, int64_t skip, int64_t times);

/// Counts an operation. Returns 0, or the negative errno that it is to fail with.
int rig_enter(rig_control *_Nonnull control, rig_operation operation);

/// How often an operation was tried, failures included.
int64_t rig_count(rig_control *_Nonnull control, rig_operation operation);

#endif
