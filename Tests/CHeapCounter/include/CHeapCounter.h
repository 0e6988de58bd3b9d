// Counts what each thread asks of the heap, by standing before the C library's functions. Prefix chc_.
//
// Whatever program this is linked into is counted, all of its libraries included. The counting itself costs an addition.
#ifndef CHEAPCOUNTER_H
#define CHEAPCOUNTER_H

#include <stdint.h>

/// Whether calls are counted. Not under the address and thread sanitizers, which bring a heap of their own.
int chc_is_active(void);

/// Calls of this thread so far that asked for memory: malloc, calloc, realloc, posix_memalign and the like.
int64_t chc_allocations(void);

/// Calls of this thread so far that gave memory back: free of anything but NULL.
int64_t chc_releases(void);

#endif
