#define _GNU_SOURCE
#include "CRigControl.h"

#include <errno.h>
#include <fcntl.h>
#include <stdatomic.h>
#include <stddef.h>
#include <sys/mman.h>
#include <unistd.h>

struct failure {
  atomic_int_least64_t error;
  atomic_int_least64_t skip;
  atomic_int_least64_t times;
};

struct rig_control {
  atomic_int_least64_t words[RIG_WORDS];
  atomic_int_least64_t counts[RIG_OPERATIONS];
  struct failure failures[RIG_OPERATIONS];
};

rig_control *rig_control_map(const char *path) {
  int file = open(path, O_RDWR | O_CREAT | O_CLOEXEC, 0600);
  if (file < 0) return NULL;
  void *memory = MAP_FAILED;
  if (ftruncate(file, sizeof(rig_control)) == 0)
    memory = mmap(NULL, sizeof(rig_control), PROT_READ | PROT_WRITE, MAP_SHARED, file, 0);
  close(file);
  return memory == MAP_FAILED ? NULL : memory;
}

void rig_control_unmap(rig_control *control) { munmap(control, sizeof *control); }

int rig_claim(const char *path) {
  struct flock whole = {.l_type = F_WRLCK, .l_whence = SEEK_SET};
  int file = open(path, O_RDWR | O_CLOEXEC);
  if (file < 0) return -errno;
  if (fcntl(file, F_OFD_SETLK, &whole) == 0) return file;
  int error = errno == EAGAIN || errno == EACCES ? EBUSY : errno;
  close(file);
  return -error;
}

int rig_is_claimed(const char *path) {
  struct flock whole = {.l_type = F_WRLCK, .l_whence = SEEK_SET};
  int file = open(path, O_RDWR | O_CLOEXEC);
  if (file < 0) return 0;
  int is_known = fcntl(file, F_OFD_GETLK, &whole) == 0;
  close(file);
  return is_known && whole.l_type != F_UNLCK;
}

int64_t rig_get(rig_control *control, rig_word word) { return atomic_load(&control->words[word]); }

void rig_set(rig_control *control, rig_word word, int64_t value) { atomic_store(&control->words[word], value); }

void rig_add(rig_control *control, rig_word word, int64_t value) { atomic_fetch_add(&control->words[word], value); }

int64_t rig_take(rig_control *control, rig_word word) { return atomic_exchange(&control->words[word], 0); }

void rig_fail(rig_control *control, rig_operation operation, int error, int64_t skip, int64_t times) {
  struct failure *failure = &control->failures[operation];
  // Disarmed while it changes: the device looks at `times` first.
  atomic_store(&failure->times, 0);
  atomic_store(&failure->error, error);
  atomic_store(&failure->skip, skip);
  atomic_store(&failure->times, times);
}

int rig_enter(rig_control *control, rig_operation operation) {
  struct failure *failure = &control->failures[operation];
  atomic_fetch_add(&control->counts[operation], 1);
  if (atomic_load(&failure->times) <= 0) return 0;
  if (atomic_load(&failure->skip) > 0) {
    atomic_fetch_sub(&failure->skip, 1);
    return 0;
  }
  atomic_fetch_sub(&failure->times, 1);
  return -(int)atomic_load(&failure->error);
}

int64_t rig_count(rig_control *control, rig_operation operation) { return atomic_load(&control->counts[operation]); }
