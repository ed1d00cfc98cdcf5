#!/bin/sh
# Let the linkage fall on its floor at three step sizes, print the error of the crank's angle before the first impact and
# how far the loop opens, and draw it.
set -eu
cd "$(dirname "$0")"
touchstone=${BUILD:-../../build}/touchstone
mkdir -p out

results() { # what a run yields, on one line
  "$touchstone" run "$@" | sed '1,/^results:/d' | tr -s ' \n' ' '
}

for coordinates in minimal redundant; do
  for h in 0.001 0.0005 0.00025; do
    printf '%-10s h = %-7s s %s\n' $coordinates $h "$(results four_bar.yaml --set step.coordinates=$coordinates --set step.size=$h)"
  done
done
"$touchstone" run four_bar.yaml -q -o out/four_bar.h5
"$touchstone" draw out/four_bar.h5 --at 0,0.2,0.3,0.36,0.42 --trail coupler --names -o out/four_bar.svg > out/log
"$touchstone" plot out/four_bar.h5 --y crank.theta,crank.w,steps.energy -o out/crank.svg >> out/log
echo "figures: out/four_bar.svg, out/crank.svg"
