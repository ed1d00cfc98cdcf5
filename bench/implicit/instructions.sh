#!/bin/sh
# Instructions that a step executes, scene file by stepper, counted by callgrind: unlike times, the same on a busy machine
# as on an idle one. Run it from the build folder's parent or set BUILD; STEPS bounds the steps of a run.
#
#   bench/implicit/instructions.sh [SCENE...]      default: all files but bin-20
set -eu

program=${BUILD:-build}/bench/bench_implicit
[ $# -gt 0 ] || set -- $("$program" --list | sed -n 's/^file //p' | grep -v bin-20)
log=$(mktemp)
trap 'rm -f "$log"' EXIT

count() {
  steps=$(valgrind --tool=callgrind --instr-atstart=no --callgrind-out-file=/dev/null --log-file="$log" \
    "$program" --count "$2" --steps "${STEPS:-500}" --scene "$1" | sed -n 's/^steps //p')
  total=$(sed -n 's/.*Collected *: *\([0-9]*\).*/\1/p' "$log" | tail -n 1)
  if [ -n "$steps" ] && [ -n "$total" ]; then echo $((total / steps)); else echo -; fi
}

printf '%-20s %12s %16s\n' 'instructions/step' implicit stewart-trinkle
for scene in "$@"; do
  printf '%-20s %12s %16s\n' "$scene" "$(count "$scene" implicit)" "$(count "$scene" stewart-trinkle)"
done
