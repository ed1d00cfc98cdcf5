#!/bin/sh
# Write the prism of N sides that is inscribed in the cylinder, an edge down, as --set takes it.
# usage: prism.sh N
set -eu
[ $# = 1 ] || { echo "usage: $0 N" >&2; exit 2; }
awk -v n="$1" 'BEGIN {
  pi = atan2(0, -1)
  printf "roller.shape={polytope: {vertices: ["
  for (k = 0; k < n; ++k)
    for (side = -1; side <= 1; side += 2)
      printf "%s[%.17g, %.17g, %.2f]", (k + side >= 0 ? ", " : ""), 0.1*sin(2*pi*k/n), 0.1*cos(2*pi*k/n), 0.15*side
  print "]}}"
}'
