#!/bin/sh
# Instructions that a step executes, engine by scene, counted by callgrind over one block of steps: unlike times, the
# same on a busy machine as on an idle one. Run it from the build folder's parent or set BUILD. Large piles take long.
#
#   bench/step/instructions.sh [SCENE...]      default: sphere cube tower slope capsule
set -eu

program=${BUILD:-build}/bench/bench_step
[ $# -gt 0 ] || set -- sphere cube tower slope capsule
engines=$("$program" --list | sed -n 's/^engine //p')
log=$(mktemp)
trap 'rm -f "$log"' EXIT

count() {
  steps=$(valgrind --tool=callgrind --instr-atstart=no --callgrind-out-file=/dev/null --log-file="$log" \
    "$program" --count --scene "$1" --engine "$2" | sed -n 's/^steps //p')
  total=$(sed -n 's/.*Collected *: *\([0-9]*\).*/\1/p' "$log" | tail -n 1)
  if [ -n "$steps" ] && [ -n "$total" ]; then echo $((total / steps)); else echo -; fi
}

printf '%-20s' 'instructions/step'
printf '%14s' "$@"
echo
echo "$engines" | while read -r engine; do
  printf '%-20s' "$engine"
  for scene in "$@"; do printf '%14s' "$(count "$scene" "$engine")"; done
  echo
done
