#!/bin/sh
# Swing the pendulum of 000 for 20 s with its five solvers, print where they part, and draw 000's figures 5 to 8.
set -eu
cd "$(dirname "$0")"
touchstone=${BUILD:-../../build}/touchstone
solvers="fb-rlm fb-plm ncp-rlm ncp-plm lemke"
mkdir -p out

# As in 000: each step from a cold start, four directions turned against the slip where there are any.
for solver in $solvers; do
  case $solver in ncp-*) cone=quadratic ;; *) cone='{polyhedral: {directions: 4}}' ;; esac
  "$touchstone" run pendulum.yaml -q --set step.solver=$solver --set "step.cone=$cone" --set step.warm_start=false \
    --set step.line_search=monotone --set step.impulse_scale=1 --set step.tolerance=1e-12 -o out/$solver.csv
done

echo "          last sphere away from lemke's by             energy    iterations of"
echo "solver    1e-6 m from  1e-3 m from   at 20 s        at 20 s    a step in contact"
for solver in $solvers; do
  awk -F, -v name=$solver -v apart=out/$solver.apart '
    FNR == 1 { ++file; for (k = 1; k <= NF; ++k) c[file, $k] = k; next }
    file == 1 { y[FNR] = $c[1, "link12.y"]; z[FNR] = $c[1, "link12.z"]; next }
    file == 2 { t = $c[2, "t"]; d = sqrt(($c[2, "link12.y"] - y[FNR])^2 + ($c[2, "link12.z"] - z[FNR])^2)
                if (d > 1e-6 && !small) small = t
                if (d > 1e-3 && !large) large = t
                print t, d + 1e-13 > apart
                next }
    $c[3, "contacts"] > 0 { ++steps; iterations += $c[3, "iterations"] }
    { energy = $c[3, "energy"] }
    function when(t) { return t ? sprintf("%.2f s", t) : "-" }
    END { printf "%-9s %11s %12s %9.1f mm %12.2f J %13.1f\n", name, when(small), when(large), 1e3*d, energy,
            iterations/steps }' out/lemke.csv out/$solver.csv out/$solver.steps.csv
done
awk -F, 'NR == 1 { for (k = 1; k <= NF; ++k) c[$k] = k; next }
  { ++n[$c["contacts"]]; if ($c["contacts"] > most) most = $c["contacts"] }
  END { printf "share of steps by contacts:"; for (k = 0; k <= most; ++k) printf " %d: %.1f %%", k, 100*n[k]/(NR - 1); print "" }' \
  out/ncp-plm.steps.csv

gnuplot << 'END'
set terminal svg size 900,640 font "sans,13" background "white"
set datafile separator ","
set colorsequence podo
set grid
solvers = "fb-rlm fb-plm ncp-rlm ncp-plm lemke"
file(i) = sprintf("out/%s.csv", word(solvers, i))
do for [figure = 5:8] {
  set output sprintf("out/figure_%d.svg", figure)
  series = figure < 7 ? "link12.z" : "link12.vz"
  first = figure % 2 == 1 ? 0 : 19.5
  set xrange [first:20]
  set xlabel "time [s]"
  set ylabel figure < 7 ? "height of the last sphere [m]" : "v_z of the last sphere [m/s]"
  plot for [i = 1:5] file(i) using (column("t") < first ? NaN : column("t")):(column(series)) with lines linewidth 2 dashtype i title word(solvers, i)
}
set output "out/apart.svg"
set xrange [0:20]
set logscale y
set format y "%.0e"
set ylabel "distance of the last sphere from lemke's [m]"
set key left top
set datafile separator whitespace
plot for [i = 1:4] sprintf("out/%s.apart", word(solvers, i)) every 5 with lines linewidth 2 title word(solvers, i)
END
"$touchstone" run pendulum.yaml -q -o out/pendulum.h5
"$touchstone" draw out/pendulum.h5 --view x --at 0,0.3,0.6,0.9,1.2,1.5,1.9 --trail link12 -o out/pendulum.svg > out/log
"$touchstone" plot out/pendulum.h5 --y steps.energy,steps.contacts,steps.iterations -o out/energy.svg >> out/log
echo "figures: out/figure_5.svg to out/figure_8.svg, out/apart.svg, out/energy.svg, out/pendulum.svg"
