#!/bin/sh
# Run the six examples at three step sizes, print their errors, and draw them.
set -eu
cd "$(dirname "$0")"
touchstone=${BUILD:-../../build}/touchstone
reference=../../tests/data/thesis_2_7
mkdir -p out

series_of() {
  case $1 in
    1) echo rodA.theta rodB.theta ;;
    6) echo block.x rodA.theta particle.x particle.y ;;
    *) echo block.x rodA.theta rodB.theta ;;
  esac
}

echo "example  largest error over 2 s at h = 10, 1, 0.5 ms   ratio of the last two   unknowns of the MLCP"
for k in 1 2 3 4 5 6; do
  errors=
  for h in 0.01 0.001 0.0005; do
    "$touchstone" run example_$k.yaml -q --set step.size=$h --set output.interval=0.02 -o out/example_$k.csv
    errors="$errors $(./errors.sh out/example_$k.csv $reference/example_$k.csv $(series_of $k))"
  done
  size=$("$touchstone" check example_$k.yaml | sed -n 's/.*MLCP \([0-9]*\) .*/\1/p')
  echo "$k $errors $size" | awk '{ printf "%4d     %10s %10s %10s %20.3f %16s\n", $1, $2, $3, $4, $3/$4, $5 }'
  "$touchstone" run example_$k.yaml -q -o out/example_$k.h5
  "$touchstone" plot out/example_$k.h5 --y "$(series_of $k | tr ' ' ,)" -o out/example_$k.plot.svg > out/log
  "$touchstone" draw out/example_$k.h5 --ghosts 6 --names -o out/example_$k.draw.svg >> out/log
done
echo "figures: out/example_K.plot.svg, out/example_K.draw.svg"
