#!/bin/sh
# Push the peg in shorter and shorter steps, and with inertia; print where it ends, and draw it with the forces under it.
set -eu
cd "$(dirname "$0")"
touchstone=${BUILD:-../../build}/touchstone
mkdir -p out

results() { # what a run yields, on one line
  "$touchstone" run "$@" | sed '1,/^  memory /d; /^  recorded in /d' | tr -s ' \n' ' '
}

for size in 0.02 0.01 0.005 0.0025; do
  printf '%-34s %s\n' "quasi-static, h = $size s" "$(results needle.yaml -s step.size=$size)"
done
printf '%-34s %s\n' "with inertia, h = 0.0025 s" "$(results needle.yaml -s step.method=stewart-trinkle -s step.size=0.0025)"
for directions in 4 8 16 32; do
  printf '%-34s %s\n' "$directions fixed directions, h = 0.01 s" \
    "$(results needle.yaml -s "step.cone={polyhedral: {directions: $directions, align: fixed}}")"
done
"$touchstone" run needle.yaml -q -o out/needle.h5
"$touchstone" draw out/needle.h5 --at 0,0.6,1.2 --contacts --trail peg -o out/needle.svg
