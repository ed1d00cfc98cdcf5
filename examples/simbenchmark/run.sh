#!/bin/sh
# Run the five tests, print their errors, and draw them. Takes about half a minute.
set -eu
cd "$(dirname "$0")"
build=${BUILD:-../../build}
mkdir -p out
for test in rolling-y rolling-diagonal bouncing 666 elastic-666; do
  "$build/examples/measure" $test $test.yaml out/$test.h5
  "$build/touchstone" plot out/$test.h5 -o out/$test.plot.svg > out/log
  "$build/touchstone" draw out/$test.h5 -o out/$test.draw.svg >> out/log
done
# What the elastic balls overlap, which their energy does not show.
echo "elastic-666 once more, measured as 666 is:"
"$build/examples/measure" 666 elastic-666.yaml
echo "figures: out/TEST.plot.svg, out/TEST.draw.svg"
