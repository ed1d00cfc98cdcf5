#!/bin/sh
# Let both towers stand for 5 s, and print how far any box has moved.
set -eu
cd "$(dirname "$0")"
touchstone=${BUILD:-../../build}/touchstone
mkdir -p out
for name in tower heavy_on_light; do
  "$touchstone" run $name.yaml -o out/$name.csv
  "$touchstone" run $name.yaml -q -o out/$name.h5
  echo "  largest drift       $(./drift.sh out/$name.csv) m"
  "$touchstone" draw out/$name.h5 --contacts -o out/$name.svg
  "$touchstone" plot out/$name.h5 -o out/$name.summary.svg
done
