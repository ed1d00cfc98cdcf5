// Tests on large data that are not part of the repository: they lie in a folder `shared` beside it, which not everybody
// has. A program lists such tests apart from the others and runs them when its argument is "shared"; ctest has an entry
// of its own for them (tests/CMakeLists.txt) and reports it as skipped where the folder is missing. Where the folder is
// there, a file that is missing in it is a failure.
#ifndef TESTS_SHARED_DATA_H
#define TESTS_SHARED_DATA_H

#include <stdbool.h>

enum { TESTS_SKIPPED = 77 }; // ctest's SKIP_RETURN_CODE

// Whether the program was called for its tests on shared data.
bool asks_for_shared(int argc, char **argv);

// Whether the folder is there; says so when it is not.
bool shared_data_is_there(void);

// What main() returns: instead of cmocka_run_group_tests().
#define run_shared_tests(tests, setup, teardown)                                                                       \
  (shared_data_is_there() ? cmocka_run_group_tests(tests, setup, teardown) : TESTS_SKIPPED)

#endif
