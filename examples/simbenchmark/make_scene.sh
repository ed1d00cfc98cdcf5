#!/bin/sh
# Write a scene of the benchmark to standard output.
# usage: make_scene.sh rolling-y | rolling-diagonal | bouncing | 666 | elastic-666
set -eu
name=${1-}

head_of_scene() { # title, friction, restitution
  cat <<END
touchstone: 1
name: "$1"
gravity: [0, 0, -9.81]
contact: {friction: $2, restitution: $3}
bodies:
  - {name: ground, kind: fixed, shape: {plane: {normal: [0, 0, 1], offset: 0}}}
END
}

# A cuboid of 10 kg on the ground carries 25 balls of 1 kg and is pushed.
rolling() { # direction of the force
  head_of_scene "SimBenchmark: rolling, pushed along ($1)" 0.4 0
  cat <<END
  - {name: box, mass: 10, shape: {box: {size: [20, 20, 1]}}, position: [0, 0, 0.5], material: box}
END
  awk 'BEGIN { for (i = 0; i < 5; ++i) for (j = 0; j < 5; ++j)
    printf "  - {name: ball%d%d, mass: 1, shape: {sphere: {radius: 0.5}}, position: [%d, %d, 1.5], material: ball}\n",
      i, j, 2*i - 4, 2*j - 4 }'
  awk -v direction="$1" 'BEGIN { split(direction, d, ", "); l = sqrt(d[1]^2 + d[2]^2)
    printf "forces:\n  - {body: box, force: [%.17g, %.17g, 0]}\n", 150*d[1]/l, 150*d[2]/l }'
  cat <<END
materials:
  - {name: box}
  - {name: ball}
pairs:
  - {materials: [box, ball], friction: 0.8}
step: {method: stewart-trinkle, size: 1e-3, tolerance: 1e-10}
duration: 4
output: {interval: 0.01}
END
}

# 49 balls fall and rebound without loss: velocity stepper, theta 0.5, contacts at midstep, Newton's law (Moreau-Jean).
bouncing() {
  head_of_scene "SimBenchmark: bouncing" 0 1
  awk 'BEGIN { for (i = 0; i < 7; ++i) for (j = 0; j < 7; ++j)
    printf "  - {name: ball%d%d, mass: 10, shape: {sphere: {radius: 0.1}}, position: [%d, %d, 5]}\n", i, j, 2*i - 6, 2*j - 6 }'
  elastic_step
  echo "duration: 20"
  echo "output: {interval: 0.02}"
}

# 216 balls in a cube, each put off its place by up to 1 mm a coordinate. The offsets come from a linear congruential
# generator (Park and Miller), so that every awk gives the same scene.
cube_of_balls() { # lowest centre
  awk -v lowest="$1" '
    function offset() { seed = (16807*seed) % 2147483647; return 0.001*seed/2147483647 }
    BEGIN { seed = 666
      for (i = 0; i < 6; ++i) for (j = 0; j < 6; ++j) for (k = 0; k < 6; ++k) {
        x = 0.21*(i - 2.5) + offset(); y = 0.21*(j - 2.5) + offset(); z = lowest + 0.21*k + offset()
        printf "  - {name: ball%d%d%d, mass: 10, shape: {sphere: {radius: 0.1}}, position: [%.9f, %.9f, %.9f]}\n",
          i, j, k, x, y, z
      } }'
}

elastic_step() {
  echo "step: {method: velocity, size: 1e-3, theta: 0.5, activate: midpoint, impacts: newton, tolerance: 1e-10}"
}

case $name in
  rolling-y) rolling "0, 1" ;;
  rolling-diagonal) rolling "0.5, 0.8660254037844386" ;;
  bouncing) bouncing ;;
  666)
    head_of_scene "SimBenchmark: 666" 0 0
    cube_of_balls 0.101
    echo "step: {method: stewart-trinkle, size: 1e-3}"
    echo "duration: 10"
    echo "output: {interval: 0.02}"
    ;;
  elastic-666)
    head_of_scene "SimBenchmark: elastic 666" 0 1
    cube_of_balls 1.101
    elastic_step
    echo "duration: 10"
    echo "output: {interval: 0.02}"
    ;;
  *)
    echo "usage: $0 rolling-y | rolling-diagonal | bouncing | 666 | elastic-666" >&2
    exit 2
    ;;
esac
