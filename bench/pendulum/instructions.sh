#!/bin/sh
# Instructions that a step of a chain executes, counted by callgrind over one block of steps: chains that swing (flight) and
# chains that rest with four spheres on the floor. Run it from the build folder's parent or set BUILD.
#
#   bench/pendulum/instructions.sh [ENGINE...]      default: touchstone
set -eu

program=${BUILD:-build}/bench/bench_pendulum
lengths=${LENGTHS:-12 30 100 200 400 800}
[ $# -gt 0 ] || set -- touchstone
log=$(mktemp)
trap 'rm -f "$log"' EXIT

count() { # engine, kind, links
  steps=$(valgrind --tool=callgrind --instr-atstart=no --callgrind-out-file=/dev/null --log-file="$log" \
    "$program" --count "$2" --links "$3" --engine "$1" | sed -n 's/^steps //p')
  total=$(sed -n 's/.*Collected *: *\([0-9]*\).*/\1/p' "$log" | tail -n 1)
  if [ -n "$steps" ] && [ -n "$total" ]; then echo $((total / steps)); else echo -; fi
}

printf '%-20s %-8s' 'instructions/step' chain
for links in $lengths; do printf '%12s' "$links"; done
echo
for engine in "$@"; do
  for kind in swings rests; do
    printf '%-20s %-8s' "$engine" $kind
    for links in $lengths; do printf '%12s' "$(count "$engine" $kind "$links")"; done
    echo
  done
done
