#!/bin/sh
# The scene of a fingertip that is pressed against a fixed regular polygon of so many sides, radius 1 m.
# usage: make_tip.sh SIDES
set -eu
awk -v n="$1" 'BEGIN {
  turn = 2 * atan2(0, -1) / n
  for (k = 0; k < n; ++k) vertices = vertices sprintf("%s[%.17g, %.17g]", k ? ", " : "", cos(turn * k), sin(turn * k))
  print "touchstone: 1"
  print "name: a fingertip on a polygon of " n " sides"
  print "space: 2d"
  print "gravity: [0, 0]"
  print "contact: {friction: 0.2}"
  print "bodies:"
  print "  - {name: part, kind: fixed, shape: {polygon: {vertices: [" vertices "]}}}"
  print "  - {name: tip, mass: 1, inertia: 1, shape: {point: {}}, position: [1.05, 0.35], force: [-20, -3]}"
  print "step: {size: 0.01, corners: exact, margin: 0.2, tolerance: 1e-12}"
  print "duration: 1"
}'
