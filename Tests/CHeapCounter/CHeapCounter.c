#include "CHeapCounter.h"

#include <errno.h>
#include <stddef.h>

#if defined(__has_feature)
#if __has_feature(address_sanitizer) || __has_feature(thread_sanitizer)
#define HEAP_IS_SANITIZED
#endif
#endif

// The simplest model of thread-local storage: the others may allocate when a thread counts for the first time.
static __thread int64_t allocations __attribute__((tls_model("initial-exec")));
static __thread int64_t releases __attribute__((tls_model("initial-exec")));

int64_t chc_allocations(void) { return allocations; }

int64_t chc_releases(void) { return releases; }

#ifdef HEAP_IS_SANITIZED

int chc_is_active(void) { return 0; }

#else

int chc_is_active(void) { return 1; }

// glibc's own entries, behind the names that are taken here.
void *__libc_malloc(size_t size);
void *__libc_calloc(size_t count, size_t size);
void *__libc_realloc(void *memory, size_t size);
void *__libc_memalign(size_t alignment, size_t size);
void __libc_free(void *memory);

void *malloc(size_t size) {
  allocations++;
  return __libc_malloc(size);
}

void *calloc(size_t count, size_t size) {
  allocations++;
  return __libc_calloc(count, size);
}

void *realloc(void *memory, size_t size) {
  allocations++;
  return __libc_realloc(memory, size);
}

void *memalign(size_t alignment, size_t size) {
  allocations++;
  return __libc_memalign(alignment, size);
}

void *aligned_alloc(size_t alignment, size_t size) {
  allocations++;
  return __libc_memalign(alignment, size);
}

int posix_memalign(void **memory, size_t alignment, size_t size) {
  if (alignment % sizeof(void *) != 0 || (alignment & (alignment - 1)) != 0 || alignment == 0) return EINVAL;
  allocations++;
  void *made = __libc_memalign(alignment, size);
  if (!made) return ENOMEM;
  *memory = made;
  return 0;
}

void free(void *memory) {
  if (memory) releases++;
  __libc_free(memory);
}

#endif
