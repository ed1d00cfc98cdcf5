#!/bin/sh
# Drop the quadruped and let it stand: print when its feet carry its weight, draw base height, joint errors and foot forces
# against time, and the robot at the end.
# usage: run.sh [KEY=VALUE ...]     values of the scene to replace, such as contact.friction=0.3 or stiffness=200
set -eu
cd "$(dirname "$0")"
touchstone=${BUILD:-../../build}/touchstone
mkdir -p out
for value do set -- "$@" --set "$value"; shift; done
"$touchstone" run anymal.yaml "$@" -q -o out/stand.h5
"$touchstone" run anymal.yaml "$@" -q -o out/stand.csv

# Foot forces are summed by time. A joint's angle is that of the turn from its parent to its child about its axis.
awk -F, -v gravity=9.81 -v mass=30.421396462 '
  function angle(up, down, axis,   w, x, y, z, W, X, Y, Z, s) {
    w = $c[up ".qw"]; x = -$c[up ".qx"]; y = -$c[up ".qy"]; z = -$c[up ".qz"]
    W = $c[down ".qw"]; X = $c[down ".qx"]; Y = $c[down ".qy"]; Z = $c[down ".qz"]
    s = axis == "x" ? w*X + x*W + y*Z - z*Y : w*Y - x*Z + y*W + z*X
    W = w*W - x*X - y*Y - z*Z
    return 2*atan2(W < 0 ? -s : s, W < 0 ? -W : W)
  }
  function note(error) { if (error < 0) error = -error; if (error > worst) worst = error }
  FNR == 1 { ++file; split("", c); for (k = 1; k <= NF; ++k) c[$k] = k; next }
  file == 1 { force[$c["t"]] += $c["fn"]; next }
  file == 2 {
    worst = 0
    for (k = 1; k <= 4; ++k) {
      leg = substr("LFRFLHRH", 2*k - 1, 2); bend = k < 3 ? 0.4 : -0.4
      note(angle("base", leg "_HIP", "x"))
      note(angle(leg "_HIP", leg "_THIGH", "y") - bend)
      note(angle(leg "_THIGH", leg "_SHANK", "y") + 2*bend)
    }
    t = $c["t"]; z = $c["base.z"]; share = force[t]/(mass*gravity)
    print t, z, worst, force[t] + 0, mass*gravity > "out/stand.txt"
    off = share > 1 ? share - 1 : 1 - share
    if (off > 1e-6) since = ""; else if (since == "") since = t
    next
  }
  { ++steps; uncertified += !$c["certified"] }
  END {
    printf "steps %d, uncertified %d\n", steps, uncertified
    printf "foot forces / weight - 1 at the end  %.1e, below 1e-6 from %s s\n", share - 1, since
    printf "base height at the end               %.6f m\n", z
    printf "largest joint error at the end       %.4f rad\n", worst
  }' out/stand.contacts.csv out/stand.csv out/stand.steps.csv

gnuplot << 'END'
set terminal svg size 900,720 font "sans,13" background "white"
set output "out/stand.svg"
set multiplot layout 3,1
set colorsequence podo
set grid
set lmargin 12
set xrange [0:1.2]
set ylabel "base height [m]"
plot "out/stand.txt" using 1:2 with lines linewidth 2 notitle
set ylabel "largest joint error [rad]"
plot "out/stand.txt" using 1:3 with lines linewidth 2 notitle
set ylabel "sum of foot forces [N]"
set xlabel "time [s]"
plot "out/stand.txt" using 1:4 with lines linewidth 2 title "foot forces", \
     "" using 1:5 with lines linewidth 2 dashtype 2 title "weight"
END
"$touchstone" draw out/stand.h5 --contacts -o out/stand.draw.svg > out/log
echo "figures: out/stand.svg, out/stand.draw.svg"
