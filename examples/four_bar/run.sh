#!/bin/sh
# Let the linkage fall on its floor at three step sizes, print the error of the crank's angle before the first impact and
# how far the loop opens, and draw it.
set -eu
cd "$(dirname "$0")"
touchstone=${BUILD:-../../build}/touchstone
mkdir -p out

echo "coordinates  h [ms]  crank's error at 0.40 s [rad]  joints open by [m]"
for coordinates in minimal redundant; do
  for h in 0.001 0.0005 0.00025; do
    "$touchstone" run four_bar.yaml -q --set step.coordinates=$coordinates --set step.size=$h -o out/run.csv
    awk -F, -v name=$coordinates -v h=$h '
      FNR == 1 { ++file; for (k = 1; k <= NF; ++k) c[file, $k] = k; next }
      file == 1 { if ($c[1, "t"] > 0.3999 && $c[1, "t"] < 0.4001) error = $c[1, "crank.theta"] - 3.122928718360; next }
      { if ($c[2, "joint_error"] > open) open = $c[2, "joint_error"] }
      END { printf "%-12s %6.2f %20.2e %28.1e\n", name, 1e3*h, error < 0 ? -error : error, open }' \
      out/run.csv out/run.steps.csv
  done
done
"$touchstone" run four_bar.yaml -q -o out/four_bar.h5
"$touchstone" draw out/four_bar.h5 --at 0,0.2,0.3,0.36,0.42 --trail coupler --names -o out/four_bar.svg > out/log
"$touchstone" plot out/four_bar.h5 --y crank.theta,crank.w,steps.energy -o out/crank.svg >> out/log
echo "figures: out/four_bar.svg, out/crank.svg"
