#!/bin/sh
# Predict every toss of a folder from its first row; print errors, write out/errors.csv, draw errors and one toss.
# usage: run.sh [FOLDER [KEY=VALUE ...]]     values of cube.yaml to replace, such as contact.friction=0.15
# Without a folder: all 100 tosses where they lie beside the project, else the three that the tests use.
set -eu
here=$(dirname "$0")
default=$here/../../../shared/data/cube_tosses
[ -d "$default" ] || default=$here/../../tests/data/cube_tosses
folder=$(cd "${1-$default}" && pwd)
[ $# = 0 ] || shift
cd "$here"
build=${BUILD:-../../build}
mkdir -p out
"$build/examples/tosses" cube.yaml "$@" -o out/errors.csv "$folder"/*.csv

# The first toss again, by the command, to see it.
toss=$(ls "$folder"/*.csv | head -n 1)
initial=$(awk -F, 'NR == 2 { printf "cube.position=[%s,%s,%s] cube.orientation=[%s,%s,%s,%s] ", $6, $7, $8, $2, $3, $4, $5
                             printf "cube.angular_velocity=[%s,%s,%s] cube.velocity=[%s,%s,%s]", $9, $10, $11, $12, $13, $14 }
                   END { printf " duration=%s", $1 }' "$toss")
set -- $initial "$@"
for value do set -- "$@" --set "$value"; shift; done
"$build/touchstone" run cube.yaml -q "$@" -o out/toss.h5
"$build/touchstone" run cube.yaml -q "$@" -o out/toss.csv
"$build/touchstone" draw out/toss.h5 --ghosts 8 --trail cube -o out/toss.draw.svg > out/log

awk -F, 'NR > 1 { print $2 }' out/errors.csv | sort -n > out/sorted.txt
gnuplot << END
set terminal svg size 900,420 font "sans,13" background "white"
set output "out/tosses.svg"
set multiplot layout 1,2
set grid
set colorsequence podo
set key top left
set title "position error of every toss, sorted"
set xlabel "toss"
set ylabel "% of the edge"
stats "out/sorted.txt" nooutput
plot "out/sorted.txt" using 0:1 with impulses linewidth 3 notitle, STATS_mean with lines linewidth 2 title sprintf("mean %.2f %%", STATS_mean)
set datafile separator ","
set title "height of the first toss"
set xlabel "time [s]"
set ylabel "z [m]"
set key top right
plot "$toss" using (column("t")):(column("z")) with points pointtype 6 pointsize 0.5 title "recorded", \
     "out/toss.csv" using (column("t")):(column("cube.z")) with lines linewidth 2 title "predicted"
END
echo "figures: out/tosses.svg, out/toss.draw.svg; errors: out/errors.csv"
