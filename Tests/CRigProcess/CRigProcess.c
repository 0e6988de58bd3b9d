#define _GNU_SOURCE
#include "CRigProcess.h"

#include <errno.h>
#include <fcntl.h>
#include <signal.h>
#include <spawn.h>
#include <sys/mman.h>
#include <sys/pidfd.h>
#include <unistd.h>

static int describe_files(posix_spawn_file_actions_t *actions, const int *descriptors) {
  for (int target = 0; target < 3; target++) {
    int source = descriptors[target];
    int error = source >= 0 ? posix_spawn_file_actions_adddup2(actions, source, target)
                            : posix_spawn_file_actions_addopen(actions, target, "/dev/null", O_RDWR, 0);
    if (error) return error;
  }
  return posix_spawn_file_actions_addclosefrom_np(actions, 3);
}

static int describe_process(posix_spawnattr_t *attributes, pid_t group) {
  sigset_t none, all;
  sigemptyset(&none);
  sigfillset(&all);
  int error = posix_spawnattr_setsigmask(attributes, &none);
  if (!error) error = posix_spawnattr_setsigdefault(attributes, &all);
  if (!error) error = posix_spawnattr_setpgroup(attributes, group);
  if (error) return error;
  return posix_spawnattr_setflags(attributes,
                                  POSIX_SPAWN_SETSIGMASK | POSIX_SPAWN_SETSIGDEF | POSIX_SPAWN_SETPGROUP);
}

int crp_spawn(pid_t *process, char *const *arguments, char *const *environment, const int *descriptors,
              pid_t group) {
  posix_spawn_file_actions_t actions;
  posix_spawnattr_t attributes;
  int error = posix_spawn_file_actions_init(&actions);
  if (error) return error;
  error = posix_spawnattr_init(&attributes);
  if (error) {
    posix_spawn_file_actions_destroy(&actions);
    return error;
  }
  error = describe_files(&actions, descriptors);
  if (!error) error = describe_process(&attributes, group);
  if (!error) error = posix_spawnp(process, arguments[0], &actions, &attributes, arguments, environment);
  posix_spawnattr_destroy(&attributes);
  posix_spawn_file_actions_destroy(&actions);
  return error;
}

int crp_open_process(pid_t process) { return pidfd_open(process, 0); }

int crp_pipe(int *ends) { return pipe2(ends, O_CLOEXEC); }

int crp_memory_file(void) { return memfd_create("rig", MFD_CLOEXEC); }
