#!/bin/sh
# All levels for the design that works, the steps of the README's table, and a picture of a drop from either start.
set -eu
cd "$(dirname "$0")"
build=${BUILD:-../../build}
mkdir -p out
"$build/examples/part_feeder" --all || true # some drops at other frictions than 0.2 get stuck
for size in 2e-4 1e-4; do
  echo "steps of $size s"
  "$build/examples/part_feeder" --level rigid --set step.size=$size || true
done
for end in heavy light; do
  "$build/examples/part_feeder" --level rigid --start $end --friction 0.2 --record out/$end.h5 > out/log
  "$build/touchstone" draw out/$end.h5 --ghosts 14 --trail cup --focus cup --zoom 0.8 -o out/$end.draw.svg >> out/log
  "$build/touchstone" plot out/$end.h5 --y cup.x,cup.y -o out/$end.svg >> out/log
done
echo "figures: out/heavy.draw.svg, out/light.draw.svg, out/heavy.svg, out/light.svg"
