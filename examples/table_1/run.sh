#!/bin/sh
# Swing the pendulums of 001's Table I for 5 s in minimal and in redundant coordinates; print and draw what a step takes,
# how far the two agree, and their energies. Takes about a minute; for times worth quoting see bench/pendulum.
set -eu
cd "$(dirname "$0")"
touchstone=${BUILD:-../../build}/touchstone
mkdir -p out

microseconds() { # of a step, from a run's JSON summary
  awk -F'[:,]' '/"steps":/ { steps = $2 } /"time_in_steps":/ { printf "%.2f", 1e6*$2/steps }'
}

: > out/times.txt
echo "            us a step        energy at 5 s [J]    last sphere 1 cm apart   hinges open"
echo "links  minimal  redundant   minimal  redundant   from                     by [m]"
for n in ${*:-3 6 12 15 24 30}; do
  for coordinates in minimal redundant; do
    "$touchstone" run chain.yaml --json --set n=$n --set step.coordinates=$coordinates -o out/T$n.$coordinates.csv |
      microseconds > out/T$n.$coordinates.time
  done
  echo "$n $(cat out/T$n.minimal.time) $(cat out/T$n.redundant.time)" >> out/times.txt
  awk -F, -v n=$n -v times="$(cat out/T$n.minimal.time) $(cat out/T$n.redundant.time)" '
    FNR == 1 { ++file; for (k = 1; k <= NF; ++k) c[file, $k] = k; next }
    file == 1 { y[FNR] = $c[1, "link" n ".y"]; z[FNR] = $c[1, "link" n ".z"]; next }
    file == 2 { d = sqrt(($c[2, "link" n ".y"] - y[FNR])^2 + ($c[2, "link" n ".z"] - z[FNR])^2)
                if (d > 0.01 && !apart) apart = $c[2, "t"]
                next }
    { energy[file] = $c[file, "energy"]; error = $c[file, "joint_error"]; if (error > open) open = error }
    END { split(times, us, " ")
          printf "%5d %8.2f %10.2f %9.1f %10.1f   %-24s %.1e\n", n, us[1], us[2], energy[3], energy[4],
            apart ? sprintf("%.2f s", apart) : "not in 5 s", open }' \
    out/T$n.minimal.csv out/T$n.redundant.csv out/T$n.minimal.steps.csv out/T$n.redundant.steps.csv
done

gnuplot << 'END'
set terminal svg size 700,450 font "sans,13" background "white"
set output "out/times.svg"
set xlabel "links"
set ylabel "time of a step [µs]"
set yrange [0:*]
set grid
set key left top
set colorsequence podo
plot "out/times.txt" using 1:2 with linespoints linewidth 2 title "minimal", \
     "out/times.txt" using 1:3 with linespoints linewidth 2 title "redundant"
END
echo "figure: out/times.svg"
