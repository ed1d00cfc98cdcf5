#!/bin/sh
# Build optimized and run all tests, long loops over cases by a sample of them (tests/support/effort.h).
#   ./test.sh --full   all cases, and everything else that has to hold: all tests again under the address and
#                      undefined-behaviour sanitizers, the tests that use threads under the thread sanitizer, and the
#                      core tests under valgrind, which also sees reads of uninitialized memory.
# Tests on data that are not there (tests/support/shared_data.h) are named as skipped.
set -eu
cd "$(dirname "$0")"
full=
case ${1-} in
'') ;;
--full) full=yes ;;
*)
  echo "usage: ./test.sh [--full]" >&2
  exit 2
  ;;
esac
scripts/setup.sh
jobs=$(nproc)

build_and_test() {
  echo "== $1"
  cmake --preset "$1" > /dev/null
  cmake --build --preset "$1" -j "$jobs"
  ctest --preset "$1" -j "$jobs"
}

[ -z "$full" ] || export TOUCHSTONE_EFFORT=full
build_and_test release
[ -n "$full" ] || {
  printf '\nAll tests passed, optimized. ./test.sh --full adds all cases, sanitizers, threads and valgrind.\n'
  exit 0
}

build_and_test asan

echo "== threads"
cmake --preset tsan > /dev/null
cmake --build --preset tsan -j "$jobs" --target test_team test_body_sweeps test_team_steps test_threads \
  test_claims test_claims_folder test_study_sweep
ctest --preset tsan -j "$jobs"

echo "== valgrind"
printf '%s\n' test_arena test_status test_random test_matrix test_dense test_block_lu test_sparse_cholesky test_problem \
  test_solve test_contact_map test_eliminate test_cone_state | xargs -P "$jobs" -I{} sh -c '
  valgrind --quiet --error-exitcode=9 --leak-check=full build/tests/{} > /dev/null 2> build/valgrind.{}.log || {
    cat build/valgrind.{}.log
    echo "test.sh: {} fails under valgrind"
    exit 1
  }
  echo "{}: clean"'

printf '\nAll tests passed: optimized with all cases, sanitizers, threads, valgrind.\n'
