// Loaded before a client (LD_PRELOAD): counts the heap calls of all its threads, in the file that BENCHMARK_HEAP names.
// Two 64-bit numbers: all calls, and those that did not come from libpulse's own code.
#define _GNU_SOURCE
#include <errno.h>
#include <fcntl.h>
#include <link.h>
#include <stdatomic.h>
#include <stdint.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <unistd.h>

void *__libc_malloc(size_t size);
void *__libc_calloc(size_t count, size_t size);
void *__libc_realloc(void *memory, size_t size);
void *__libc_memalign(size_t alignment, size_t size);
void __libc_free(void *memory);

#define RANGES 16

static _Atomic int64_t unseen[2];
static _Atomic int64_t *counters = unseen;
// Read by every thread, so a range is complete before it counts.
static struct {
  uintptr_t start, end;
} ranges[RANGES];
static atomic_int range_count;

static int note_library(struct dl_phdr_info *library, size_t size, void *context) {
  (void)size, (void)context;
  const char *name = strrchr(library->dlpi_name, '/');
  if (!name || strncmp(name, "/libpulse", 9) != 0) return 0;
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

// libpulse may be loaded late. Called from one thread, before anything is measured.
void heap_note_libraries(void) {
  atomic_store(&range_count, 0);
  dl_iterate_phdr(note_library, NULL);
}

__attribute__((constructor)) static void begin(void) {
  const char *path = getenv("BENCHMARK_HEAP");
  int file = path ? open(path, O_RDWR | O_CREAT | O_CLOEXEC, 0600) : -1;
  if (file < 0 || ftruncate(file, sizeof unseen) < 0) return;
  void *memory = mmap(NULL, sizeof unseen, PROT_READ | PROT_WRITE, MAP_SHARED, file, 0);
  close(file);
  if (memory != MAP_FAILED) counters = memory;
}

static void count(void *caller) {
  atomic_fetch_add_explicit(&counters[0], 1, memory_order_relaxed);
  int known = atomic_load_explicit(&range_count, memory_order_acquire);
  for (int index = 0; index < known; index++)
    if ((uintptr_t)caller >= ranges[index].start && (uintptr_t)caller < ranges[index].end) return;
  atomic_fetch_add_explicit(&counters[1], 1, memory_order_relaxed);
}

#define COUNT() count(__builtin_return_address(0))

void *malloc(size_t size) {
  COUNT();
  return __libc_malloc(size);
}

void *calloc(size_t number, size_t size) {
  COUNT();
  return __libc_calloc(number, size);
}

void *realloc(void *memory, size_t size) {
  COUNT();
  return __libc_realloc(memory, size);
}

void *memalign(size_t alignment, size_t size) {
  COUNT();
  return __libc_memalign(alignment, size);
}

void *aligned_alloc(size_t alignment, size_t size) {
  COUNT();
  return __libc_memalign(alignment, size);
}

int posix_memalign(void **memory, size_t alignment, size_t size) {
  if (alignment % sizeof(void *) != 0 || (alignment & (alignment - 1)) != 0 || alignment == 0) return EINVAL;
  COUNT();
  void *made = __libc_memalign(alignment, size);
  if (!made) return ENOMEM;
  *memory = made;
  return 0;
}

void free(void *memory) {
  if (memory) COUNT();
  __libc_free(memory);
}
