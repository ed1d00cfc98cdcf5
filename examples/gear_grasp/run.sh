#!/bin/sh
# A grasp that succeeds from aside, one from the middle, and one that jams; a picture of each.
set -eu
cd "$(dirname "$0")"
build=${BUILD:-../../build}
mkdir -p out
grasp() { # name, x, y
  echo "$1: from x = $2, y = $3 m"
  "$build/touchstone" run grasp.yaml --set "x=$2" --set "y=$3" -o out/$1.h5 | sed '1,/^results:/d'
  "$build/touchstone" draw out/$1.h5 --ghosts 2 --contacts --focus gear --zoom 0.7 -o out/$1.draw.svg > out/log
}
grasp middle 0 -0.012
grasp aside 0.004 -0.014
grasp jams 0 -0.005
echo "pictures: out/middle.draw.svg, out/aside.draw.svg, out/jams.draw.svg"
