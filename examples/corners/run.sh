#!/bin/sh
# A block slides over a hole and a fingertip is pressed against polygons, with each rule for corners. Prints where they
# end and how near the tip comes, and draws both.
set -eu
cd "$(dirname "$0")"
touchstone=${BUILD:-../../build}/touchstone
mkdir -p out

for friction in 0 0.1; do
  for size in 0.01 0.002; do
    for corners in nearest exact conjunction; do
      "$touchstone" run hole.yaml -q --set step.corners=$corners --set step.size=$size --set contact.friction=$friction -o out/hole.csv
      awk -F, -v what="mu $friction, h $size, $corners" 'NR == 1 { for (k = 1; k <= NF; ++k) c[$k] = k }
        END { printf "  hole, %-30s x = %.6f m\n", what, $c["block.x"] }' out/hole.csv
    done
  done
done
for sides in 16 64; do
  ./make_tip.sh $sides > out/tip_$sides.yaml
  for corners in nearest exact conjunction; do
    "$touchstone" run out/tip_$sides.yaml -q --set step.corners=$corners -o out/tip.csv
    awk -F, -v what="$sides sides, $corners" -v n=$sides 'NR == 1 { for (k = 1; k <= NF; ++k) c[$k] = k; turn = atan2(0, -1) / n; least = 1; next }
      { gap = -1
        for (k = 0; k < n; ++k) {
          psi = $c["tip.x"] * cos((2 * k + 1) * turn) + $c["tip.y"] * sin((2 * k + 1) * turn) - cos(turn)
          if (psi > gap) gap = psi
        }
        if (gap < least) least = gap }
      END { printf "  tip, %-30s (%.5f, %.5f), nearest %.1e m\n", what, $c["tip.x"], $c["tip.y"], least }' out/tip.csv
  done
done
for corners in exact conjunction; do
  "$touchstone" run hole.yaml -q --set step.corners=$corners -o out/hole_$corners.h5
  "$touchstone" draw out/hole_$corners.h5 --at 0,0.55,0.75,1 --contacts -o out/hole_$corners.svg
  "$touchstone" run out/tip_16.yaml -q --set step.corners=$corners -o out/tip_$corners.h5
  "$touchstone" draw out/tip_$corners.h5 --at 0,1 --trail tip --contacts -o out/tip_$corners.svg
done
