// Counting every call of the C library's allocator, by BLAS and LAPACK too, and letting it fail: a test that reads the
// count gets its own malloc() and friends.
#ifndef TS_SUPPORT_LIBRARY_CALLS_H
#define TS_SUPPORT_LIBRARY_CALLS_H

#include <stddef.h>
#include <stdlib.h> // says which C library this is

#if defined(__GLIBC__) && !defined(__SANITIZE_ADDRESS__) && !defined(__SANITIZE_THREAD__)
#define LIBRARY_CALLS_ARE_COUNTED 1
#else
#define LIBRARY_CALLS_ARE_COUNTED 0 // a sanitizer has the allocator to itself
#endif

extern int library_calls;
extern int library_blocks;     // allocated and not given back
extern int library_calls_left; // for so many allocations there is memory; negative: for all

#endif
