#!/bin/sh
# The largest difference between a run recorded as CSV and a reference, over the rows and columns of the reference.
# usage: errors.sh RUN.csv REFERENCE.csv SERIES ...     SERIES of the run, one a column of the reference behind t
set -eu
run=$1 reference=$2; shift 2
awk -F, -v series="$*" 'BEGIN { count = split(series, name, " ") }
  FNR == 1 { ++file; for (k = 1; k <= NF; ++k) column[$k] = k; next }
  file == 1 { for (k = 1; k <= count; ++k) ours[FNR, k] = $column[name[k]]; t[FNR] = $1; next }
  { if (t[FNR] - $1 > 1e-9 || $1 - t[FNR] > 1e-9) { print "errors.sh: times differ in row " FNR > "/dev/stderr"; exit 1 }
    for (k = 1; k <= count; ++k) { d = ours[FNR, k] - $(k + 1); if (d < 0) d = -d; if (d > worst) worst = d } }
  END { printf "%.2e\n", worst }' "$run" "$reference"
