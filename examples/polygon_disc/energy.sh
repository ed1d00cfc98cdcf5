#!/bin/sh
# Kinetic energy [J] of a run recorded as CSV: "t energy" for every row, or those at the times that are given.
# usage: energy.sh RUN.csv [TIME ...]
set -eu
run=$1; shift
awk -F, -v times="$*" 'BEGIN { count = split(times, list, " "); for (k = 1; k <= count; ++k) wanted[list[k]] = 1 }
  NR == 1 { for (k = 1; k <= NF; ++k) column[$k] = k; next }
  { vx = $column["disc.vx"]; vy = $column["disc.vy"]; w = $column["disc.w"]; energy = 0.5*(vx*vx + vy*vy + 0.5*w*w) }
  !count { print $1, energy }
  count && $1 in wanted { printf "%.4f ", energy }
  END { if (count) print "" }' "$run"
