#!/bin/sh
# Let the arm push the box: print where it ends and what that took, and draw it.
# usage: run.sh [KEY=VALUE ...]     values of the scene to replace, such as urdf.joints.elbow.motor.servo.stiffness=200
set -eu
cd "$(dirname "$0")"
touchstone=${BUILD:-../../build}/touchstone
mkdir -p out
for value do set -- "$@" --set "$value"; shift; done
"$touchstone" run push.yaml "$@" -o out/push.csv | grep 'uncertified\|work of'
awk -F, 'NR == 1 { for (k = 1; k <= NF; ++k) c[$k] = k }
  END { printf "  box at              %.6f m, plate at %.6f m\n", $c["box.x"], $c["plate.x"] }' out/push.csv
"$touchstone" run push.yaml "$@" -q -o out/push.h5
"$touchstone" draw out/push.h5 --at 0,1.2,3.5 --contacts -o out/push.draw.svg > out/log
"$touchstone" plot out/push.h5 --y plate.x,box.x,box.vx -o out/push.svg > out/log
echo "figures: out/push.svg, out/push.draw.svg"
