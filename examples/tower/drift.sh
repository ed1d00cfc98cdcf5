#!/bin/sh
# The largest change of any coordinate x, y, z of any body in a run recorded as CSV [m].
# usage: drift.sh RUN.csv
set -eu
awk -F, 'NR == 1 { for (k = 1; k <= NF; ++k) if ($k ~ /\.[xyz]$/) column[k] = $k; next }
  NR == 2 { for (k in column) first[k] = $k }
  { for (k in column) { d = $k - first[k]; if (d < 0) d = -d; if (d > worst) worst = d } }
  END { printf "%.2e\n", worst }' "$1"
