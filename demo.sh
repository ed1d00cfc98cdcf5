#!/bin/sh
# Build Touchstone, run two scenes, leave pictures and plots of them, compare all solvers on one contact problem, and draw
# a map of where a gripper succeeds.
set -eu
cd "$(dirname "$0")"
scripts/setup.sh
out=demo-output
touchstone=build/touchstone

echo "building ..."
cmake --preset release > /dev/null
cmake --build build --target touchstone_command | tail -n 1
mkdir -p $out

show() {
  echo
  echo "\$ $*"
  "$@"
}

show $touchstone run examples/mixer/mixer.yaml -o $out/mixer.h5
for time in 0.26 1 2; do
  show $touchstone draw $out/mixer.h5 --at $time --view 35,40 -o $out/mixer_$time.png
done
show $touchstone plot $out/mixer.h5 -o $out/mixer.svg

show $touchstone run examples/sphere/sphere.yaml -o $out/sphere.h5
show $touchstone plot $out/sphere.h5 --y ball.vx,ball.vy,ball.wy -o $out/sphere.svg

show $touchstone solve examples/sphere_pile/problem.txt --all --time-limit 2 --history $out/history.csv
scripts/plot-history.sh $out/history.csv $out/convergence

# 20 grasps at each of 400 places, of the study's 252: some trials have no row yet, which is status 1.
show $touchstone sweep examples/grasp_maps/medium.yaml -o $out/grasps.h5 --fresh --limit 8000 || [ $? -eq 1 ]
show $touchstone plot $out/grasps.h5 --map x,y --color success -o $out/grasps.svg

cat << END

In $out/:
  mixer_0.26.png, mixer_1.png, mixer_2.png   48 bodies fall into a bin and are stirred
  mixer.svg                                  their energy, contact forces and modes, and how well each step was solved
  sphere.svg                                 a sphere slides until it rolls at 10/7 m/s
  convergence.svg                            how the residual of each solver falls on 64 contacts
  grasps.svg                                 where a gripper that closes on a gear succeeds, friction being uncertain
  mixer.h5, sphere.h5, grasps.h5             the runs and the table: touchstone plot, touchstone draw
END
