#!/bin/sh
# A block slides over a hole and a fingertip is pressed against polygons, with each rule for corners. Prints where they
# end and how near the tip comes, and draws both.
set -eu
cd "$(dirname "$0")"
touchstone=${BUILD:-../../build}/touchstone
mkdir -p out

results() { # what a run yields, on one line
  "$touchstone" run "$@" | sed '1,/^results:/d' | tr -s ' \n' ' '
}

for friction in 0 0.1; do
  for size in 0.01 0.002; do
    for corners in nearest exact conjunction; do
      printf '  hole, %-30s %s\n' "mu $friction, h $size, $corners" \
        "$(results hole.yaml --set step.corners=$corners --set step.size=$size --set contact.friction=$friction)"
    done
  done
done
for sides in 16 64; do
  for corners in nearest exact conjunction; do
    printf '  tip, %-30s %s\n' "$sides sides, $corners" "$(results tip.yaml --set sides=$sides --set step.corners=$corners)"
  done
done
for corners in exact conjunction; do
  "$touchstone" run hole.yaml -q --set step.corners=$corners -o out/hole_$corners.h5
  "$touchstone" draw out/hole_$corners.h5 --at 0,0.55,0.75,1 --contacts -o out/hole_$corners.svg
  "$touchstone" run tip.yaml -q --set step.corners=$corners -o out/tip_$corners.h5
  "$touchstone" draw out/tip_$corners.h5 --at 0,1 --trail tip --contacts -o out/tip_$corners.svg
done
