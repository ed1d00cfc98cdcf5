#!/bin/sh
# Draw how residuals fall, from a file that `touchstone solve --history` wrote.
# usage: scripts/plot-history.sh HISTORY.csv OUTPUT
# makes OUTPUT.svg and OUTPUT.png, a line a solver; runs on lowered problems, whose residuals are others, are left out.
set -eu
history=$1 output=$2
solvers=$(awk -F, 'NR > 1 && $1 !~ /\// && !seen[$1]++ { printf "%s ", $1 }' "$history")
[ -n "$solvers" ] || { echo "plot-history: $history holds no runs" >&2; exit 1; }

for format in svg png; do
  case $format in
  svg) terminal='svg size 800,500 font "sans,13" background "white"' ;;
  png) terminal='pngcairo size 1200,750 font "sans,14"' ;;
  esac
  gnuplot << END
set terminal $terminal
set output "$output.$format"
set datafile separator ","
set logscale y
set format y "10^{%L}"
set xlabel "iterations"
set ylabel "residual as the solver measures it"
set xrange [0:100]
set yrange [1e-16:100]
set grid
set colorsequence podo
set linetype 9 linecolor rgb "#8b4513"
set linetype 10 linecolor rgb "#7f7f7f"
set key outside right
residual_of(name) = strcol(1) eq name && column(3) > 0 ? column(3) : NaN
plot for [name in "$solvers"] "$history" using 2:(residual_of(name)) with linespoints pointsize 0.5 linewidth 1.5 title name
END
done
