#!/bin/sh
# Grip the cube, lift it, print where it is and how hard it is held, and draw it.
set -eu
cd "$(dirname "$0")"
touchstone=${BUILD:-../../build}/touchstone
mkdir -p out

for coordinates in minimal redundant; do
  echo "$coordinates coordinates"
  "$touchstone" run gripper.yaml --set step.coordinates=$coordinates | grep 'joint error\|cube_x\|raised'
done
"$touchstone" run gripper.yaml -q -o out/gripper.h5
"$touchstone" draw out/gripper.h5 --at 0,0.9,2.5 --view y --contacts -o out/gripper.svg
