#!/bin/sh
# Run 003's scenarios 1 to 3 and the thesis' disc and sphere with the implicit stepper; print what they do and draw it.
set -eu
cd "$(dirname "$0")"
build=${BUILD:-../../build}
touchstone=$build/touchstone
mkdir -p out

for scene in cube_slides cube_tips disc_rolls sphere_on_spheres; do
  "$touchstone" run $scene.yaml -q -o out/$scene.csv
  "$touchstone" run $scene.yaml -q -o out/$scene.h5
  awk -F, -v name=$scene 'NR == 1 { for (k = 1; k <= NF; ++k) c[$k] = k; next }
    { uncertified += !$c["certified"]; if ($c["penetration"] > deepest) deepest = $c["penetration"] }
    NR == 2 { first = $c["kinetic"] }
    END { printf "%-18s %4d steps, uncertified %d, deepest overlap %.1e m, kinetic energy %.9f to %.9f J\n",
            name, NR - 1, uncertified, deepest, first, $c["kinetic"] }' out/$scene.steps.csv
done

# The equivalent contact point as seen from the cube, at 2 s.
awk -F, 'NR == 1 { for (k = 1; k <= NF; ++k) c[$k] = k; next }
  FNR == 1 { for (k = 1; k <= NF; ++k) d[$k] = k; next }
  NR == FNR && $c["t"] == 2 { x = $c["cube.x"]; y = $c["cube.y"] }
  NR != FNR && $d["t"] == 2 { printf "cube slides: contact point %.6f, %.6f m from the centre\n", $d["px"] - x, $d["py"] - y }
  ' out/cube_slides.csv out/cube_slides.contacts.csv
"$build/examples/kicks" cylinder_rolls.yaml out/kicks.csv

"$touchstone" draw out/cube_slides.h5 --at 0,1,2,4 --contacts --trail cube -o out/cube_slides.svg > out/log
"$touchstone" draw out/cube_tips.h5 --at 0,0.3,0.9 --view -45,8 --focus cube --contacts --title "corner to edge" -o out/corner_to_edge.svg > out/log
"$touchstone" draw out/cube_tips.h5 --at 0.9,1.1,1.2,1.7 --view 45,8 --focus cube --contacts --title "edge to face" -o out/edge_to_face.svg > out/log
"$touchstone" plot out/cube_tips.h5 --to 2 --y 'cube.z,cube.wx,contacts(cube, floor).fn' -o out/cube_tips.plot.svg > out/log
"$touchstone" draw out/sphere_on_spheres.h5 --at 0,2,3,3.5,4 --contacts --trail ball -o out/sphere_on_spheres.svg > out/log
"$touchstone" plot out/sphere_on_spheres.h5 --y 'contacts(ball, ten).fn,contacts(ball, nine).fn' -o out/sphere_on_spheres.plot.svg > out/log
gnuplot << 'END'
set terminal svg size 900,520 font "sans,13" background "white"
set output "out/kicks.svg"
set datafile separator ","
set multiplot layout 2,1
set colorsequence podo
set grid
set lmargin 12
set xrange [0:2]
set ylabel "ω_z [rad/s]"
plot "out/kicks.csv" every ::1 using 1:2 with lines linewidth 2 notitle
set ylabel "contact point [m]"
set key bottom right
set xlabel "time [s]"
plot "out/kicks.csv" every ::1 using 1:3 with lines linewidth 2 title "along", "" every ::1 using 1:4 with lines linewidth 2 dashtype 2 title "across"
END
echo "figures: out/cube_slides.svg, out/corner_to_edge.svg, out/edge_to_face.svg, out/cube_tips.plot.svg, out/kicks.svg, out/sphere_on_spheres.svg, out/sphere_on_spheres.plot.svg"
