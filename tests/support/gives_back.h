// Functions that take scratch from an arena leave it as they found it.
#ifndef TEST_SUPPORT_GIVES_BACK_H
#define TEST_SUPPORT_GIVES_BACK_H

#include "base/arena.h"

// Arguments: the arena, the statement. (Variadic, because calls have commas.) cmocka's headers are included before.
#define assert_gives_back(arena, ...)                                                                                  \
  do {                                                                                                                 \
    const size_t in_use_before = ts_arena_in_use(arena);                                                               \
    __VA_ARGS__;                                                                                                       \
    assert_int_equal(ts_arena_in_use(arena), in_use_before);                                                           \
  } while (0)

#endif
