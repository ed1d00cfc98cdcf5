#!/bin/sh
# Write the scene of a pendulum of spheres to standard output: P12 is that of 000, T3 to T30 are those of 001's Table I.
# The motion is in the y-z plane; sphere k is at the far end of link k, which has no mass.
# usage: make_scene.sh P12|T<links>
set -eu
[ $# = 1 ] || { echo "usage: $0 P12|T<links>" >&2; exit 2; }
awk -v kind="$1" 'BEGIN {
  n = substr(kind, 2) + 0
  if (kind !~ /^(P12|T[1-9][0-9]*)$/) { print "unknown pendulum: " kind > "/dev/stderr"; exit 2 }
  swings = kind == "P12"
  pi = atan2(0, -1)
  angle = swings ? -pi/4 : -pi/2
  gravity = swings ? 9.81 : 9.8
  restitution = swings ? 0.7 : 0.5
  h = swings ? 0.001 : 0.0001
  print "touchstone: 1"
  printf "name: \"pendulum of %d spheres\"\n", n
  printf "gravity: [0, 0, %g]\ncontact: {friction: 0.5, restitution: %g}\nbodies:\n", -gravity, restitution
  print "  - {name: floor, kind: fixed, shape: {plane: {normal: [0, 0, 1], offset: 0.1}}}"
  print "  - {name: wall, kind: fixed, shape: {plane: {normal: [0, -1, 0], offset: -4}}}"
  for (k = 1; k <= n; ++k) {
    reach = 12*k/n
    printf "  - name: link%d\n    mass: 1\n    shape: {sphere: {radius: %.17g}}\n", k, 3/n
    printf "    position: [0, %.17g, %.17g]\n", reach*sin(angle), 10 - reach*cos(angle)
    printf "    velocity: [0, %.17g, %.17g]\n    angular_velocity: [1, 0, 0]\n", reach*cos(angle), reach*sin(angle)
  }
  print "joints:"
  for (k = 1; k <= n; ++k) {
    parent = k == 1 ? "at: [0, 0, 10]" : sprintf("parent: link%d, at: [0, 0, 0]", k - 1)
    printf "  - {type: revolute, child: link%d, %s, axis: [1, 0, 0]}\n", k, parent
  }
  printf "step:\n  method: velocity\n  size: %g\n  coordinates: minimal\n  impacts: poisson\n  rest_speed: %.17g\n", h, 2*gravity*h
  print "  arms: surface\n  gyroscopic: explicit  # velocity products at the start of the step, as 000 and 001 have them"
  printf "duration: %g\noutput: {interval: 0.01}\n", swings ? 20 : 5
}'
