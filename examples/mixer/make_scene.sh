#!/bin/sh
# Write the scene to standard output: bodies of six shapes fall into a bin, where a motor turns a paddle.
# usage: make_scene.sh [COUNT]     bodies, 48 unless told
set -eu
cat << 'END'
touchstone: 1
name: mixer
contact: {friction: 0.4}
bodies:
  - {name: floor, kind: fixed, shape: {plane: {normal: [0, 0, 1], offset: 0}}}
  - name: bin
    kind: fixed
    shapes:
      - {box: {size: [0.04, 1.24, 0.24]}, position: [-0.6, 0, 0.12]}
      - {box: {size: [0.04, 1.24, 0.24]}, position: [0.6, 0, 0.12]}
      - {box: {size: [1.16, 0.04, 0.24]}, position: [0, -0.6, 0.12]}
      - {box: {size: [1.16, 0.04, 0.24]}, position: [0, 0.6, 0.12]}
  - name: paddle
    density: 2000
    position: [0, 0, 0.11]
    shapes:
      - {box: {size: [0.35, 0.03, 0.2]}, position: [-0.225, 0, 0]}
      - {box: {size: [0.35, 0.03, 0.2]}, position: [0.225, 0, 0]}
      - {cylinder: {radius: 0.05, length: 0.5}, position: [0, 0, 0.15]}
    joint:
      type: revolute
      axis: [0, 0, 1]
      at: [0, 0, 0.11]
      motor: {velocity: {target: {piecewise: [{from: 0, constant: 0}, {from: 0.6, constant: 2.5}]}, max_force: 40}}
END
# Layers of twelve around the shaft; a body is turned about an axis of its own. Park and Miller's generator gives the
# same scene with every awk.
awk -v count="${1-48}" '
  function random() { seed = (16807*seed) % 2147483647; return seed/2147483647 }
  function between(a, b) { return a + (b - a)*random() }
  function shape(kind) {
    if (kind == 0) return sprintf("sphere: {radius: %.3f}", between(0.05, 0.07))
    if (kind == 1) return sprintf("box: {size: [%.3f, %.3f, %.3f]}", between(0.07, 0.12), between(0.07, 0.12), between(0.07, 0.12))
    if (kind == 2) return sprintf("capsule: {radius: %.3f, length: %.3f}", between(0.03, 0.045), between(0.06, 0.1))
    if (kind == 3) return sprintf("cylinder: {radius: %.3f, length: %.3f}", between(0.04, 0.06), between(0.06, 0.1))
    if (kind == 4) return sprintf("ellipsoid: {semi_axes: [%.3f, %.3f, %.3f]}", between(0.03, 0.05), between(0.04, 0.06), between(0.05, 0.07))
    return "polytope: {vertices: [[0.07, 0, 0], [-0.07, 0, 0], [0, 0.07, 0], [0, -0.07, 0], [0, 0, 0.07], [0, 0, -0.07]]}"
  }
  BEGIN { seed = 2024; pi = atan2(0, -1)
    for (i = 0; i < count; ++i) {
      slot = i % 12; layer = int(i/12)
      if (slot < 4) { angle = pi/2*slot + pi/4; r = 0.22 } else { angle = pi/4*(slot - 4) + pi/8; r = 0.45 }
      angle += between(-0.02, 0.02) + 0.3*layer
      printf "  - {name: body%d, density: 800, shape: {%s}, position: [%.4f, %.4f, %.4f], ", i, shape((i + layer) % 6),
        r*cos(angle), r*sin(angle), 0.36 + 0.19*layer
      printf "orientation: [%.3f, %.3f, %.3f, %.3f]}\n", between(-1, 1), between(-1, 1), between(-1, 1), between(-1, 1)
    } }'
cat << 'END'
step: {method: stewart-trinkle, size: 2e-3, tolerance: 1e-6}
duration: 2
output: {interval: 0.02}
END
