#!/bin/sh
# Grip the cube, lift it, print where it is and how hard it is held, and draw it.
set -eu
cd "$(dirname "$0")"
touchstone=${BUILD:-../../build}/touchstone
mkdir -p out

for coordinates in minimal redundant; do
  "$touchstone" run gripper.yaml --set step.coordinates=$coordinates -o out/$coordinates.csv | grep 'joint error'
  awk -F, -v name=$coordinates 'NR == 1 { for (k = 1; k <= NF; ++k) c[$k] = k }
    END { printf "  %-20scube at %.1e m, raised by %.6f m\n", name, $c["cube.x"], $c["cube.z"] - 0.03 }' out/$coordinates.csv
done
"$touchstone" run gripper.yaml -q -o out/gripper.h5
"$touchstone" draw out/gripper.h5 --at 0,0.9,2.5 --view y --contacts -o out/gripper.svg
