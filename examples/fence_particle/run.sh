#!/bin/sh
# Move the particle with cones and with polygons, in the plane and in space, with a rough fence and without friction; print
# where it ends, and draw its way.
set -eu
cd "$(dirname "$0")"
touchstone=${BUILD:-../../build}/touchstone
mkdir -p out

# run SCENE NAME [OPTION ...]
run() {
  scene=$1
  name=$2
  shift 2
  printf '%-20s %s\n' "$scene, $name" "$("$touchstone" run "$scene.yaml" "$@" -o "out/$scene.$name.csv" |
    sed '1,/^results:/d' | tr -s ' \n' ' ')"
}
for scene in fence fence_3d; do
  run $scene cone
  for directions in 4 8 16 32; do
    run $scene $directions -s "step.cone={polyhedral: {directions: $directions, align: fixed}}"
  done
  run $scene rough -s pairs.1.friction=3
done
run fence smooth -s pairs.0.friction=0 -s pairs.1.friction=0 -s particle.support.friction=0

gnuplot << 'END'
set datafile separator ","
set colorsequence podo
set grid
set terminal svg size 620,460 font "sans,13" background "white"
set output "out/fence.svg"
set key top left title "cone, directions, no friction"
set xlabel "x"
set ylabel "y"
plot for [name in "cone 4 8 16 32 smooth"] "out/fence.".name.".csv" using "particle.x":"particle.y" with lines linewidth 2 title name
END
echo "figure: out/fence.svg"
