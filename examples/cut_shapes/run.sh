#!/bin/sh
# Run the scene, and draw it at the start and at the end.
set -eu
cd "$(dirname "$0")"
touchstone=${BUILD:-../../build}/touchstone
mkdir -p out
"$touchstone" run shapes.yaml -o out/shapes.h5
"$touchstone" draw out/shapes.h5 --at 0 -o out/start.png
"$touchstone" draw out/shapes.h5 --at 2 -o out/end.png
