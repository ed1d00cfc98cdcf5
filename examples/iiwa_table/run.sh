#!/bin/sh
# Let the arm touch the table and slide: print what the tip does, draw its contact force and its place against time, and the
# arm.
# usage: run.sh [KEY=VALUE ...]     values of the scene to replace, such as contact.friction=0.6 or depth=0
set -eu
cd "$(dirname "$0")"
touchstone=${BUILD:-../../build}/touchstone
mkdir -p out
for value do set -- "$@" --set "$value"; shift; done
"$touchstone" run arm.yaml "$@" -q -o out/arm.h5
"$touchstone" run arm.yaml "$@" -q -o out/arm.csv

awk -F, '
  FNR == 1 { ++file; split("", c); for (k = 1; k <= NF; ++k) c[$k] = k; next }
  file == 1 {
    t = $c["t"]; n = $c["fn"]; f = sqrt($c["ft"]^2 + $c["fo"]^2)
    if (!count++) first = t
    normal[t] = n; friction[t] = f
    if ($c["mode"] == "slip") {
      last = t; ratio = f/n
      if (ratio > most) most = ratio
      if (!least || ratio < least) least = ratio
    }
    if (n > largest) largest = n
    next
  }
  file == 2 {
    t = $c["t"]
    print t, normal[t] + 0, friction[t] + 0, $c["iiwa_link_7.x"], $c["iiwa_link_7.z"] > "out/arm.txt"
    next
  }
  { ++steps; uncertified += !$c["certified"] }
  END {
    printf "steps %d, uncertified %d\n", steps, uncertified
    printf "touches from %.3f s, slides until %.3f s\n", first, last
    printf "largest normal force %.1f N, at rest %.3f N and friction %.3f N\n", largest, n, f
    printf "friction / normal force while it slides: %.9f to %.9f\n", least, most
  }' out/arm.contacts.csv out/arm.csv out/arm.steps.csv

gnuplot << 'END'
set terminal svg size 900,520 font "sans,13" background "white"
set output "out/arm.svg"
set multiplot layout 2,1
set colorsequence podo
set grid
set lmargin 12
set ylabel "contact force [N]"
plot "out/arm.txt" using 1:2 with lines linewidth 2 title "normal", "" using 1:3 with lines linewidth 2 title "friction"
set ylabel "tip [m]"
set xlabel "time [s]"
set key left center
plot "out/arm.txt" using 1:4 with lines linewidth 2 title "x", "" using 1:5 with lines linewidth 2 title "z"
END
"$touchstone" draw out/arm.h5 --contacts --at 0,1,3 --trail iiwa_link_7 --view 300,20 -o out/arm.draw.svg > out/log
echo "figures: out/arm.svg, out/arm.draw.svg"
