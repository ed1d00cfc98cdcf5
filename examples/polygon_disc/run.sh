#!/bin/sh
# Roll inscribed polygons for 10 s, print their energies beside the reference's, and draw thesis Fig. 3.6.
set -eu
cd "$(dirname "$0")"
touchstone=${BUILD:-../../build}/touchstone
mkdir -p out

run() { # n, h, vertex|edge: leaves out/n-h-down.csv and .txt
  name=out/$1-$2-$3
  case $3 in edge) edge=1 ;; *) edge=0 ;; esac
  "$touchstone" run polygon.yaml -q --set n=$1 --set edge=$edge --set step.size=$2 -o "$name.csv"
  ./energy.sh "$name.csv" > "$name.txt"
}

echo "n, h, down: kinetic energy [J] at 0.5, 1, 2, 3, 5, 10 s, and the reference's"
while read -r n h down reference; do
  run "$n" "$h" "$down"
  printf '%5s %6s %-6s  ours       %s\n                      reference  %s\n' "$n" "$h" "$down" \
    "$(./energy.sh "out/$n-$h-$down.csv" 0.5 1 2 3 5 10)" "$reference"
done < reference.txt

# The disc itself, by the implicit stepper.
"$touchstone" run ../line_and_surface_contact/disc_rolls.yaml -q -o out/disc.csv
./energy.sh out/disc.csv > out/disc.txt
printf '%5s %6s %-6s  implicit   %s\n' disc 0.01 '' "$(./energy.sh out/disc.csv 0.5 1 2 3 5 10)"

gnuplot << 'END'
set terminal svg size 800,500 font "sans,13" background "white"
set output "out/energy.svg"
set xlabel "time [s]"
set ylabel "kinetic energy [J]"
set xrange [0:10]
set yrange [0:7]
set grid
set key outside right
set colorsequence podo
plot "out/disc.txt" with lines linewidth 2 dashtype 2 title "disc, h = 10 ms", \
     "out/1000-0.0005-vertex.txt" with lines linewidth 2 title "n = 1000, h = 0.5 ms", \
     "out/1000-0.001-vertex.txt" with lines linewidth 2 title "n = 1000, h = 1 ms", \
     "out/1000-0.01-vertex.txt" with lines linewidth 2 title "n = 1000, h = 10 ms", \
     "out/100-0.01-vertex.txt" with lines linewidth 2 title "n = 100, h = 10 ms", \
     "out/50-0.01-vertex.txt" with lines linewidth 2 title "n = 50, h = 10 ms", \
     "out/10-0.01-vertex.txt" with lines linewidth 2 title "n = 10, h = 10 ms"
END
"$touchstone" run polygon.yaml -q -o out/10.h5
"$touchstone" draw out/10.h5 --at 0,0.2,0.4,0.6 --trail disc -o out/10-gon.svg
echo "figures: out/energy.svg, out/10-gon.svg"
