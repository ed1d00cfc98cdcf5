#!/bin/sh
# Everything that has to hold: all tests optimized, all tests again under the address and undefined-behaviour
# sanitizers, the tests that use threads under the thread sanitizer, and the core tests under valgrind, which also sees
# reads of uninitialized memory. Tests on data that are not there (tests/support/shared_data.h) are named as skipped.
set -eu
cd "$(dirname "$0")"
scripts/setup.sh
jobs=$(nproc)

build_and_test() {
  echo "== $1"
  cmake --preset "$1" > /dev/null
  cmake --build --preset "$1" -j "$jobs"
  ctest --preset "$1" -j "$jobs"
}

build_and_test release
build_and_test asan

echo "== threads"
cmake --preset tsan > /dev/null
cmake --build --preset tsan -j "$jobs" --target test_team test_body_sweeps test_team_steps test_threads \
  test_claims test_claims_folder test_study_sweep
ctest --preset tsan -j "$jobs"

echo "== valgrind"
for test in test_arena test_status test_random test_matrix test_dense test_block_lu test_sparse_cholesky test_problem \
  test_solve test_contact_map test_eliminate test_cone_state; do
  valgrind --quiet --error-exitcode=9 --leak-check=full "build/tests/$test" > /dev/null 2> build/valgrind.log || {
    cat build/valgrind.log
    echo "test.sh: $test fails under valgrind"
    exit 1
  }
  echo "$test: clean"
done

echo
echo "All tests passed: release, sanitizers, threads, valgrind."
