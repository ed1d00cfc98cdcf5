#!/bin/sh
# Lift the crate, print how far with which work, and draw it.
set -eu
cd "$(dirname "$0")"
touchstone=${BUILD:-../../build}/touchstone
mkdir -p out

for method in stewart-trinkle event-driven; do
  "$touchstone" run jack.yaml --set step.method=$method -o out/$method.csv | grep 'work of'
  awk -F, -v name=$method 'NR == 1 { for (k = 1; k <= NF; ++k) c[$k] = k }
    END { printf "  %-20s%.5f m\n", "rise", $c["platform.z"] - 0.3 }' out/$method.csv
done
"$touchstone" run jack.yaml -q -o out/jack.h5
"$touchstone" draw out/jack.h5 --at 0,3 --contacts -o out/jack.svg
