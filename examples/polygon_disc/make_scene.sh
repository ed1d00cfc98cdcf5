#!/bin/sh
# Write the scene of a rolling n-gon to standard output: inscribed in a disc of radius 1 whose centre is 1 above the
# floor. With a vertex down it touches; with an edge down it falls by 1 - cos(pi/n) first.
# usage: make_scene.sh N STEP vertex|edge
set -eu
[ $# = 3 ] || { echo "usage: $0 N STEP vertex|edge" >&2; exit 2; }
awk -v n="$1" -v step="$2" -v down="$3" 'BEGIN {
  pi = atan2(0, -1)
  first = -pi/2 + (down == "edge" ? pi/n : 0)
  print "touchstone: 1"
  printf "name: \"%d-gon rolling, %s down, h = %s s\"\n", n, down, step
  print "space: 2d\ngravity: [0, -9.81]\ncontact: {friction: 0.4}\nbodies:"
  print "  - {name: floor, kind: fixed, shape: {plane: {normal: [0, 1], offset: 0}}}"
  print "  - name: disc\n    mass: 1\n    inertia: 0.5\n    centre: [0, 0]"
  printf "    position: [0, 1]\n    velocity: [-3, 0]\n    angular_velocity: 3\n    shape:\n      polygon:\n        vertices:\n"
  for (k = 0; k < n; ++k) printf "          - [%.17g, %.17g]\n", cos(first + 2*pi*k/n), sin(first + 2*pi*k/n)
  printf "step: {method: stewart-trinkle, size: %s, tolerance: 1e-10}\n", step
  print "duration: 10\noutput: {interval: 0.05}"
}'
