#define _GNU_SOURCE // dl_iterate_phdr
#include "CHeapCounter.h"

#include <errno.h>
#include <link.h>
#include <stdatomic.h>
#include <stddef.h>
#include <string.h>

#if defined(__has_feature)
#if __has_feature(address_sanitizer) || __has_feature(thread_sanitizer)
#define HEAP_IS_SANITIZED
#endif
#endif

// The simplest model of thread-local storage: the others may allocate when a thread counts for the first time.
static __thread int64_t allocations __attribute__((tls_model("initial-exec")));
static __thread int64_t releases __attribute__((tls_model("initial-exec")));

static __thread int64_t foreign __attribute__((tls_model("initial-exec")));

// The code of the libraries whose calls are counted apart. Read by every thread, so a range is complete before it counts.
#define RANGES 32
static struct {
  uintptr_t start, end;
} ranges[RANGES];
static atomic_int range_count;

static int add_ranges(struct dl_phdr_info *library, size_t size, void *name) {
  (void)size;
  if (!strstr(library->dlpi_name, name)) return 0;
  for (int index = 0; index < library->dlpi_phnum; index++) {
    const ElfW(Phdr) *segment = &library->dlpi_phdr[index];
    int count = atomic_load(&range_count);
    if (segment->p_type != PT_LOAD || !(segment->p_flags & PF_X) || count == RANGES) continue;
    ranges[count].start = library->dlpi_addr + segment->p_vaddr;
    ranges[count].end = ranges[count].start + segment->p_memsz;
    atomic_store(&range_count, count + 1);
  }
  return 0;
}

int chc_count_apart(const char *name) {
  int before = atomic_load(&range_count);
  dl_iterate_phdr(add_ranges, (void *)name);
  return atomic_load(&range_count) - before;
}

int64_t chc_allocations(void) { return allocations; }

int64_t chc_foreign(void) { return foreign; }

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

// Counts a call, by who made it.
static void note_call(int64_t *calls, void *caller) {
  int known = atomic_load_explicit(&range_count, memory_order_acquire);
  for (int index = 0; index < known; index++) {
    if ((uintptr_t)caller < ranges[index].start || (uintptr_t)caller >= ranges[index].end) continue;
    foreign++;
    return;
  }
  (*calls)++;
}

#define COUNT(calls) note_call(&(calls), __builtin_return_address(0))

void *malloc(size_t size) {
  COUNT(allocations);
  return __libc_malloc(size);
}

void *calloc(size_t count, size_t size) {
  COUNT(allocations);
  return __libc_calloc(count, size);
}

void *realloc(void *memory, size_t size) {
  COUNT(allocations);
  return __libc_realloc(memory, size);
}

void *memalign(size_t alignment, size_t size) {
  COUNT(allocations);
  return __libc_memalign(alignment, size);
}

void *aligned_alloc(size_t alignment, size_t size) {
  COUNT(allocations);
  return __libc_memalign(alignment, size);
}

int posix_memalign(void **memory, size_t alignment, size_t size) {
  if (alignment % sizeof(void *) != 0 || (alignment & (alignment - 1)) != 0 || alignment == 0) return EINVAL;
  COUNT(allocations);
  void *made = __libc_memalign(alignment, size);
  if (!made) return ENOMEM;
  *memory = made;
  return 0;
}

void free(void *memory) {
  if (memory) COUNT(releases);
  __libc_free(memory);
}

#endif
