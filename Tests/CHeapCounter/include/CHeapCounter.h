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

/// From now on, what a library's own code asks for is counted apart, on all threads: neither as an allocation nor as a
/// release. name is a part of the file name of one library or several that are loaded already. Returns how many pieces
/// of code were found. Call it from one thread; it cannot be taken back.
int chc_count_apart(const char *name);

/// Calls of this thread so far, of both kinds, that came from a library that is counted apart.
int64_t chc_foreign(void);

#endif
