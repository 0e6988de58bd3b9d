// Child processes without the surprises of fork(2) in a threaded process. Prefix crp_.
#ifndef CRIGPROCESS_H
#define CRIGPROCESS_H

#include <stdint.h>
#include <sys/types.h>

/// Starts a program found in PATH, with default signal handling and no descriptor but 0, 1 and 2.
///
/// `descriptors` (above 2) become 0, 1 and 2; a negative one becomes /dev/null. `group` is the process group to join; 0 makes one
/// whose leader the child is. Returns 0 and sets `process`, or returns an errno.
int crp_spawn(pid_t *_Nonnull process, char *_Nullable const *_Nonnull arguments,
              char *_Nullable const *_Nonnull environment, const int *_Nonnull descriptors, pid_t group);

/// A descriptor that becomes readable when the child ends, as pidfd_open(2), close-on-exec; -1 with errno set.
int crp_open_process(pid_t process);

/// pipe(2) with both ends close-on-exec. Returns 0, or -1 with errno set.
int crp_pipe(int *_Nonnull ends);

/// An empty file without a name, as memfd_create(2), close-on-exec; -1 with errno set.
int crp_memory_file(void);

#endif
