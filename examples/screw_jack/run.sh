#!/bin/sh
# Lift the crate, print how far with which work, and draw it.
set -eu
cd "$(dirname "$0")"
touchstone=${BUILD:-../../build}/touchstone
mkdir -p out

for method in stewart-trinkle event-driven; do
  echo $method
  "$touchstone" run jack.yaml --set step.method=$method | grep 'work of\|rise'
done
"$touchstone" run jack.yaml -q -o out/jack.h5
"$touchstone" draw out/jack.h5 --at 0,3 --contacts -o out/jack.svg
