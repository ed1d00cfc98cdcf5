#!/bin/sh
# Run the thesis' disc with a thin and a thick skin, a load cycle and a block that tumbles; print what they do, draw it.
set -eu
cd "$(dirname "$0")"
build=${BUILD:-../../build}
touchstone=$build/touchstone
mkdir -p out

for thickness in 0.05 1; do
  "$touchstone" run disc_falls.yaml -s ground.skin.thickness=$thickness -q -o out/disc_$thickness.csv
  awk -F, -v skin=$thickness 'FNR == 1 { for (k = 1; k <= NF; ++k) c[$k] = k; next }
    FILENAME ~ /steps/ { uncertified += !$c["certified"]; if ($c["t"] == 2) last = $c["energy"]; next }
    $c["dn"] > deepest { deepest = $c["dn"] }
    $c["core"] > 0 { struck += $c["core"]; strikes = strikes sprintf(" %.5f N s at %.4f s", $c["core"], $c["t"]) }
    END { printf "skin of %4s m: pressed in by %.6f m, energy at 2 s %.6f J, uncertified %d, core:%s\n",
            skin, deepest, last, uncertified, strikes == "" ? " never" : strikes }
    ' out/disc_$thickness.contacts.csv out/disc_$thickness.steps.csv
done

"$touchstone" run load_cycle.yaml -q -o out/load_cycle.csv
awk -F, 'FNR == 1 { for (k = 1; k <= NF; ++k) c[$k] = k; next }
  { x = 0.02 * sin(3.141592653589793 * $c["t"]); if ($c["t"] > 2) area += $c["ft"] * $c["tx"] * (x - last); last = x
    print $c["t"], x, $c["ft"] * $c["tx"] > "out/loop.txt" }
  END { N = 2 * 9.81; printf "load cycle: loop %.6f J, closed form %.6f J\n", area, 4 * 0.4 * N * (0.02 - 0.4 * N / 900) }
  ' out/load_cycle.contacts.csv

"$touchstone" run block_tumbles.yaml -q -o out/block_tumbles.h5
"$touchstone" draw out/block_tumbles.h5 --at 0,0.25,0.5,3 --contacts -o out/block_tumbles.svg > out/log
"$touchstone" plot out/block_tumbles.h5 --y 'block.z,ball.z,contacts(block, ball).fn,contacts(block, floor).fn' -o out/block_tumbles.plot.svg > out/log

gnuplot << 'END'
set datafile separator ","
set colorsequence podo
set grid
set terminal svg size 900,700 font "sans,13" background "white"
set output "out/disc_falls.svg"
set multiplot layout 3,1
set lmargin 12
set xrange [0:2]
set key top right horizontal
set yrange [0.8:1.8]
set ylabel "height [m]"
plot for [d in "0.05 1"] "out/disc_".d.".csv" every ::1 using 1:3 with lines linewidth 2 title d." m"
set autoscale y
set ylabel "energy [J]"
unset key
plot for [d in "0.05 1"] "out/disc_".d.".steps.csv" every ::1 using "t":"energy" with lines linewidth 2 notitle
set ylabel "deflection [m]"
set xlabel "time [s]"
plot for [d in "0.05 1"] "out/disc_".d.".contacts.csv" every ::1 using "t":"dn" with dots linewidth 2 notitle
unset multiplot
set datafile separator whitespace
set terminal svg size 620,460 font "sans,13" background "white"
set output "out/load_cycle.svg"
set autoscale x
set xlabel "way of the floor [m]"
set ylabel "friction on the weight [N]"
plot "out/loop.txt" using 2:3 with lines linewidth 2 notitle
END
echo "figures: out/disc_falls.svg, out/load_cycle.svg, out/block_tumbles.svg, out/block_tumbles.plot.svg"
