#!/bin/sh
# Run the sphere with five cones, print when it begins to roll and how it goes astray, and draw its velocities.
set -eu
cd "$(dirname "$0")"
touchstone=${BUILD:-../../build}/touchstone
mkdir -p out

run() { # name, cone
  "$touchstone" run sphere.yaml -q --set "step.cone=$2" -o "out/$1.csv"
  awk -F, -v name="$1" 'NR == 1 { for (k = 1; k <= NF; ++k) c[$k] = k; next }
    function size(v) { return v < 0 ? -v : v }
    { t = $c["t"]; vx = $c["ball.vx"]; vy = $c["ball.vy"]; slip = size(vx - $c["ball.wy"]) + size(vy + $c["ball.wx"]) }
    slip > 1e-9 { rolls = 0 }
    slip <= 1e-9 && !rolls { rolls = t }
    size(vy) > astray { astray = size(vy) }
    END { printf "%-12s rolls from %.3f s at vx = %.9f, wy = %.9f; largest |vy| %.6f; x(0.6) = %.6f, y = %.6f\n",
            name, rolls, vx, $c["ball.wy"], astray, $c["ball.x"], $c["ball.y"] }' "out/$1.csv"
}

run quadratic quadratic
run aligned '{polyhedral: {directions: 4, align: slip}}'
run fixed_0 '{polyhedral: {directions: 4, align: fixed, angle: 0}}'
run fixed_22 '{polyhedral: {directions: 4, align: fixed, angle: 0.39269908169872414}}'
run fixed_45 '{polyhedral: {directions: 4, align: fixed, angle: 0.7853981633974483}}'

gnuplot << 'END'
set terminal svg size 900,640 font "sans,13" background "white"
set output "out/velocities.svg"
set datafile separator ","
set multiplot layout 3,1 margins 0.1,0.78,0.1,0.97 spacing 0.03
set grid
set colorsequence podo
set format x ""
set key outside right
names = "quadratic aligned fixed_0 fixed_22 fixed_45"
titles = "'quadratic' '4, aligned' '4, at 0°' '4, at 22.5°' '4, at 45°'"
file(i) = sprintf("out/%s.csv", word(names, i))
do for [panel = 1:3] {
  series = word("ball.vx ball.wy ball.vy", panel)
  set ylabel word("'v_x [m/s]' 'ω_y [rad/s]' 'v_y [m/s]'", panel)
  if (panel > 1) { unset key }
  if (panel == 3) { set format x "%g"; set xlabel "time [s]" }
  plot for [i = 1:5] file(i) every 4 using (column("t")):(column(series)) with lines linewidth 2 dashtype i title word(titles, i)
}
END
"$touchstone" run sphere.yaml -q -o out/quadratic.h5
"$touchstone" plot out/quadratic.h5 -o out/summary.svg
echo "figures: out/velocities.svg, out/summary.svg"
