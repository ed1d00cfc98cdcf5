#!/bin/sh
# Instructions that solvers execute on one problem file, counted by callgrind around the solve alone: unlike times, the
# same on a busy machine as on an idle one. Run it from the build folder's parent or set BUILD.
#
#   bench/instructions.sh FILE SOLVER...      for example: auto nsgs siconos:prox
set -eu

if [ $# -lt 2 ]; then
  sed -n '2,5s/^# \{0,1\}//p' "$0" >&2
  exit 2
fi
one=${BUILD:-build}/bench/solvers/bench_one
tolerance=${TOLERANCE:-1e-8}
file=$1
shift
log=$(mktemp)
trap 'rm -f "$log"' EXIT

printf '%-28s %16s  %s\n' solver instructions result
for solver in "$@"; do
  case $solver in
    siconos:*) solve=siconos_problem_drive ;;
    *) solve=ts_solve ;;
  esac
  result=$(valgrind --tool=callgrind --callgrind-out-file=/dev/null --toggle-collect="$solve" --log-file="$log" \
    "$one" "$file" "$solver" "$tolerance" | tail -n 1 | sed 's/.*figure/figure/') || result="failed"
  count=$(sed -n 's/.*Collected *: *\([0-9]*\).*/\1/p' "$log" | tail -n 1)
  printf '%-28s %16s  %s\n' "$solver" "${count:--}" "$result"
done
