#!/bin/sh
# The maps of Figs. 4.9a and 4.9b, 100 800 grasps each, and one with a tripod at random: about 5 minutes on 2 cores.
# usage: run.sh [OPTIONS OF SWEEP]     as --set step.size=2e-3, or --limit 4000 for a look
set -eu
cd "$(dirname "$0")"
touchstone=${BUILD:-../../build}/touchstone
mkdir -p out
for map in medium high tripod; do
  "$touchstone" sweep $map.yaml -o out/$map.h5 "$@"
  "$touchstone" plot out/$map.h5 --map x,y --color success -o out/$map.svg > out/log
done
echo "maps: out/medium.svg, out/high.svg, out/tripod.svg"
