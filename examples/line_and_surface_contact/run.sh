#!/bin/sh
# Run 003's scenarios 1 to 4 and the thesis' disc and sphere with the implicit stepper; print what they do and draw it.
set -eu
cd "$(dirname "$0")"
build=${BUILD:-../../build}
touchstone=$build/touchstone
mkdir -p out

for scene in cube_slides cube_tips cylinder_walks disc_rolls sphere_on_spheres; do
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

# What touches the walking cylinder, where it ends, and how near it comes to the obstacles: a margin of 0.2 m has their gaps
# among the contacts.
awk -F, 'NR > 1 && $2 == "cylinder" && $NF != last { last = $NF; kinds = kinds " " (last == 0 ? "point" : last == 1 ? "line" : "surface") }
  END { print "cylinder walks: touches by" kinds }' out/cylinder_walks.contacts.csv
tail -n 1 out/cylinder_walks.csv | awk -F, '{ printf "cylinder walks: ends at (%.6f, %.6f, %.9f) m\n", $2, $3, $4 }'
"$touchstone" run cylinder_walks.yaml -q --set step.margin=0.2 -o out/margin.csv
awk -F, 'NR == 1 { for (k = 1; k <= NF; ++k) c[$k] = k; next }
  $c["body2"] != "floor" { name = $c["body2"]; if (!(name in nearest) || $c["gap"] < nearest[name]) nearest[name] = $c["gap"]; push[name] += $c["pn"] }
  END { for (name in nearest) printf "cylinder walks: %.4f m from the %s, impulse %g N s\n", nearest[name], name, push[name] }' out/margin.contacts.csv

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

# 003's figures 9 and 10: the way, and what acts, the height of the centre and the kind of contact.
"$touchstone" draw out/cylinder_walks.h5 --at 0,0.3,0.6,1.5,1.7,1.95,2.6,3.2,3.5,5 --view -120,50 --trail cylinder -o out/cylinder_walks.svg > out/log
awk '/force:|torque:/ { kind = /force:/ ? 1 : 2
    while (match($0, /time: [0-9.]+, value: [-0-9.]+/)) {
      split(substr($0, RSTART, RLENGTH), word, /[ ,]+/)
      if (!(word[2] in seen)) { seen[word[2]] = 1; order[++count] = word[2] }
      squares[word[2], kind] += word[4]^2; $0 = substr($0, RSTART + RLENGTH) } }
  END { for (k = 1; k <= count; ++k) printf "%s,%.6f,%.6f\n", order[k], sqrt(squares[order[k], 1]), sqrt(squares[order[k], 2]) }' \
  cylinder_walks.yaml > out/blows.csv
gnuplot << 'END'
set terminal svg size 900,800 font "sans,13" background "white"
set output "out/cylinder_walks.plot.svg"
set datafile separator ","
set multiplot layout 4,1
set colorsequence podo
set grid
set lmargin 14
set xrange [0:5]
set xtics 0.5
do for [t in "0.66 1.51 2.16 3.26 4.71"] { set arrow from first t, graph 0 to first t, graph 1 nohead linecolor "gray" dashtype 3 }
do for [k = 1:6] { set label k sprintf("T_%d", k) at first word("0.33 1.08 1.83 2.71 3.98 4.85", k), graph 1.08 center }
set ylabel "impulses"
set key right
set yrange [0:100]
plot "out/blows.csv" using 1:2 with impulses linewidth 3 title "force [N s]", "" using ($1 + 0.02):(10 * $3) with impulses linewidth 3 title "moment [0.1 N m s]"
unset key
unset for [k = 1:6] label k
set ylabel "v_z [m/s]"
set yrange [*:*]
plot "out/cylinder_walks.csv" every ::1 using 1:11 with lines linewidth 2
set ylabel "q_z [m]"
set yrange [0.09:0.19]
plot "out/cylinder_walks.csv" every ::1 using 1:4 with lines linewidth 2, 0.1 with lines dashtype 2, 0.15 with lines dashtype 4
set ylabel "contact"
set xlabel "time [s]"
set yrange [-0.5:2.5]
set ytics ("point" 0, "line" 1, "surface" 2)
plot "out/cylinder_walks.contacts.csv" every ::1 using 1:24 with steps linewidth 2
END
gnuplot figures.gp

# What other engines make of the sliding cube, where they have been built.
if [ -x "$build/bench/bench_implicit" ]; then
  "$build/bench/bench_implicit" --trace cube > out/engines.csv
  gnuplot figure_6.gp
  echo "figure: out/cube_slides.engines.svg"
fi
echo "figures: out/cube_tips.contact.svg, out/sphere_on_spheres.contact.svg, out/cylinder_walks.svg, out/cylinder_walks.plot.svg, out/cube_slides.svg, out/corner_to_edge.svg, out/edge_to_face.svg, out/cube_tips.plot.svg, out/kicks.svg, out/sphere_on_spheres.svg, out/sphere_on_spheres.plot.svg"
