// Allocators for tests of memory: they count, and fail on request. And an arena as the state of a group of tests.
#ifndef TEST_SUPPORT_COUNTING_ALLOCATOR_H
#define TEST_SUPPORT_COUNTING_ALLOCATOR_H

#include "touchstone/solver.h"

typedef struct allocation_count {
  int calls;  // allocations asked for
  int budget; // how many of them are granted
  int held;   // blocks that were not given back
} allocation_count;

#define UNLIMITED_ALLOCATIONS ((allocation_count){.budget = 1 << 30})

// An allocator over malloc and free that keeps `count`, which must outlive it.
ts_allocator counting_allocator(allocation_count *count);

// Group set-up and tear-down of cmocka: *state is a ts_arena.
int make_arena(void **state);
int release_arena(void **state);

#endif
