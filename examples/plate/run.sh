#!/bin/sh
# The studies of 004 chapter 5: fields, the rocking plate, sizes of steps, friction directions, a tripod. Prints their numbers and leaves tables and
# figures in out/. About 3 minutes on 2 cores.
# usage: run.sh [fields] [rocking] [steps] [directions] [tripod] [quaternion]     left out: all
set -eu
cd "$(dirname "$0")"
touchstone=${BUILD:-../../build}/touchstone
mkdir -p out

draw() { # a figure by a script of gnuplot
  if command -v gnuplot > out/log; then
    gnuplot -e "out = 'out/$1.svg'" "$1.gp" && echo "figure: out/$1.svg"
  fi
}

column() { # number of a column of a table by its name
  head -n 1 "$1" | tr ',' '\n' | grep -n "^$2\$" | cut -d: -f1
}

print_columns() { # of a table, by their names
  table=$1
  shift
  places=
  for name; do places="$places $(column "$table" "$name")"; done
  awk -F, -v places="$places" 'BEGIN { count = split(places, place, " ") }
    { for (i = 1; i <= count; ++i) printf((NR > 1 && $place[i] != "nan" ? " %10.6g" : " %10s"), $place[i]); print "" }' "$table"
}

fields() {
  "$touchstone" sweep ends.yaml -o out/ends.csv -q
  print_columns out/ends.csv field x0 y0 xp yp vx vy touching lost
  "$touchstone" sweep fields.yaml -o out/fields.csv -q
  draw fields
}

rocking() {
  "$touchstone" sweep rocking_law.yaml -o out/rocking_law.csv -q
  print_columns out/rocking_law.csv h d mu r0 r v law ratio sticks
  draw rocking_law
}

steps() {
  "$touchstone" sweep steps.yaml -o out/steps.h5 -q -c h:xp,yp -r extrapolated | tee out/steps.txt
  "$touchstone" sweep steps.yaml -s step.surfaces=secant -o out/secants.h5 -q -c h:xp,yp -r extrapolated | tee out/secants.txt
  draw steps
}

directions() {
  "$touchstone" sweep cones.yaml -o out/cones.h5 -q
  "$touchstone" sweep directions.yaml -o out/directions.h5 -q -c 1/directions:xp,yp -r out/cones.h5 | tee out/directions.txt
  draw directions
}

tripod() { # one after another, so that times are times
  "$touchstone" sweep tripod_cone.yaml -o out/tripod_cone.csv -q -n 1
  "$touchstone" sweep tripod_times.yaml -o out/tripod_times.csv -q -n 1 -c 1/directions:xp,yp -r out/tripod_cone.csv
  echo "seconds of the cone, and of 4, 8, 16 and 32 directions:"
  tail -q -n +2 out/tripod_cone.times.csv out/tripod_times.times.csv | cut -d, -f2
}

quaternion() { # how the integrated orientation of the centrifuge starts (004 section 5.3)
  "$touchstone" run centrifuge.yaml -s plate.motion.acceleration.orientation=integrated -s duration=1e-4 -q -o out/start.csv
  first=$(column out/start.csv plate.qw)
  echo "orientation of the centrifuge at the start, integrated:"
  sed -n 2p out/start.csv | cut -d, -f "$first-$((first + 3))"
}

[ $# -gt 0 ] || set -- fields rocking steps directions tripod quaternion
for part; do
  case $part in
  fields | rocking | steps | directions | tripod | quaternion) "$part" ;;
  *) echo "run.sh: there is no part '$part'" >&2 && exit 2 ;;
  esac
done
