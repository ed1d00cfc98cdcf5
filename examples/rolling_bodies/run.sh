#!/bin/sh
# Roll a cylinder and Euler's disc with patches (implicit) and with points (stewart-trinkle); print their energies and draw them.
set -eu
cd "$(dirname "$0")"
touchstone=${BUILD:-../../build}/touchstone
mkdir -p out

steps() { # name, times: kinetic and potential energy at these, over that at first
  awk -F, -v times="$2" 'BEGIN { count = split(times, list, " ") }
    NR == 1 { for (k = 1; k <= NF; ++k) c[$k] = k; next }
    { uncertified += !$c["certified"]; at = $c["t"]; energy = $c["energy"] }
    { for (k = 1; k <= count; ++k) if (at < list[k] + 1e-9) shown[k] = energy }
    END { for (k = 1; k <= count; ++k) printf "%.5f ", shown[k]; printf " uncertified %d\n", uncertified }' "out/$1.steps.csv"
}

echo "cylinder and prisms: energy [J] at 0.5, 1, 2, 5, 10 s; 0.981 J of it is that of height"
roll() { # name, scene, then options of the run
  name=$1 scene=$2; shift 2
  "$touchstone" run $scene.yaml -q "$@" -o "out/$name.csv"
  printf '%-28s %s\n' "$name" "$(steps "$name" "0.5 1 2 5 10")"
}
roll cylinder-patches cylinder
roll cylinder-points cylinder --set step.method=stewart-trinkle
roll prism-100-points prism --set n=100
roll prism-24-points prism

echo "Euler's disc: energy [J] of 0.15214 at 0.1, 0.25, 0.5, 1, 2 s; 0.02741 J lying on its face"
for method in implicit stewart-trinkle; do
  for size in 1e-3 5e-4 2.5e-4; do
    name=disc-$method-$size
    "$touchstone" run euler_disc.yaml -q --set step.method=$method --set step.size=$size -o "out/$name.csv"
    printf '%-28s %s\n' "$method $size" "$(steps "$name" "0.1 0.25 0.5 1 2")"
  done
done
"$touchstone" run euler_disc.yaml -q -o out/euler_disc.h5
"$touchstone" draw out/euler_disc.h5 --at 0,0.02,0.04 --contacts --view -60,20 --focus disc --title "Euler's disc" -o out/euler_disc.svg > out/log

gnuplot << 'END'
set terminal svg size 900,900 font "sans,13" background "white"
set output "out/energy.svg"
set datafile separator ","
set multiplot layout 3,1
set colorsequence podo
set grid
set lmargin 14
set key outside right
set ylabel "energy of the roller [J]"
set xlabel "time [s]"
set yrange [0.9:1.8]
plot "out/cylinder-patches.steps.csv" every 20::1 using 1:7 with lines linewidth 4 title "cylinder, patches", \
     "out/cylinder-points.steps.csv" every 20::1 using 1:7 with lines linewidth 2 dashtype 2 title "cylinder, points", \
     "out/prism-100-points.steps.csv" every 5::1 using 1:7 with lines linewidth 2 title "100 sides, points", \
     "out/prism-24-points.steps.csv" every 5::1 using 1:7 with lines linewidth 2 title "24 sides, points"
set ylabel "energy of Euler's disc [mJ]"
set yrange [0:160]
plot 152.14 with lines linewidth 2 dashtype 2 title "rolling", \
     for [size in "1e-3 5e-4 2.5e-4"] "out/disc-implicit-".size.".steps.csv" every 20::1 using 1:(1000 * $7) with lines linewidth 2 title "patches, h = ".size." s", \
     for [size in "1e-3 5e-4 2.5e-4"] "out/disc-stewart-trinkle-".size.".steps.csv" every 20::1 using 1:(1000 * $7) with lines linewidth 2 dashtype 3 title "points, h = ".size." s"
set ylabel "contact of Euler's disc"
set yrange [-0.5:2.5]
set ytics ("point" 0, "line" 1, "surface" 2)
plot for [size in "1e-3 5e-4 2.5e-4"] "out/disc-implicit-".size.".contacts.csv" every 10::1 using 1:24 with steps linewidth 2 title "h = ".size." s"
END
echo "figures: out/energy.svg, out/euler_disc.svg"
