#!/bin/sh
# A grasp that succeeds from aside, one from the middle, and one that jams; a picture of each.
set -eu
cd "$(dirname "$0")"
build=${BUILD:-../../build}
mkdir -p out
grasp() {
  "$build/touchstone" run grasp.yaml --set "gear.position=[$2]" -q -o out/$1.h5
  "$build/touchstone" run grasp.yaml --set "gear.position=[$2]" -q -o out/$1.csv
  "$build/touchstone" draw out/$1.h5 --at 0,0.2,0.8 --contacts --focus gear --zoom 0.7 -o out/$1.draw.svg > out/log
  tail -n 1 out/$1.csv | awk -F, -v name=$1 '{ printf "%s: gear at %.4f, %.4f mm, %.4f rad; tips at %.4f, %.4f mm\n", name,
                                              1e3 * $2, 1e3 * $3, $4, 1e3 * $8, 1e3 * $14 }'
}
grasp middle "0, 0.012"
grasp aside "-0.004, 0.014"
grasp jams "0, 0.005"
echo "pictures: out/middle.draw.svg, out/aside.draw.svg, out/jams.draw.svg"
