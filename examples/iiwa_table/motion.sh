#!/bin/sh
# Print what the arm's joints start at and follow, one KEY=VALUE on a line: the tip goes down on the table within 1 s, along
# it until 3 s, and is kept there. The arm stays in the plane y = 0 with its tool upright, so that joints 2, 4 and 6 alone
# turn. With the wrist at (x, z) from the shoulder, links of a = 0.42 m and b = 0.4 m and the bend beta of the elbow,
#   x^2 + z^2 = a^2 + b^2 + 2 a b cos(beta),   q2 = atan2(x, z) - atan2(b sin(beta), a + b cos(beta)),
#   q4 = -beta,   q6 = pi - q2 - beta.
# usage: motion.sh [DEPTH]     how far below its place on the table the tip is sent [m], default 0.005
set -eu
awk -v depth="${1:-0.005}" '
function smooth(s) { return s < 0 ? 0 : s > 1 ? 1 : s*s*(3 - 2*s) }
function aim(t,   x, z, c) {
  x = 0.5 + 0.2*smooth((t - 1)/2)
  z = top + radius + 0.15 - (0.15 + depth)*smooth(t) + tool - shoulder
  c = (x*x + z*z - a*a - b*b)/(2*a*b)
  beta = atan2(sqrt(1 - c*c), c)
  q[2] = atan2(x, z) - atan2(b*sin(beta), a + b*c)
  q[4] = -beta
  q[6] = pi - q[2] - beta
}
function servo(joint, target) {
  printf "iiwa_joint_%d.motor={servo: {target: %s, stiffness: 3000, damping: %s, max_force: %s}}\n",
    joint, target, damping[joint], effort[joint]
}
BEGIN {
  pi = atan2(0, -1); a = 0.42; b = 0.4; shoulder = 0.36
  tool = 0.079374800809; radius = 0.05285650291; top = 0.2   # of the ball at the tip: from the wrist, its radius; the table
  split("300 300 150 150 20 20 20", damping, " "); split("320 320 176 176 110 40 40", effort, " ")
  aim(0)
  for (joint = 2; joint <= 6; joint += 2) printf "iiwa_joint_%d.position=%.12g\n", joint, q[joint]
  for (joint = 1; joint <= 7; joint += 2) servo(joint, "0")
  for (k = 0; k <= 600; ++k) {
    aim(k/200)
    times = times (k ? ", " : "") k/200
    for (joint = 2; joint <= 6; joint += 2) values[joint] = values[joint] (k ? ", " : "") sprintf("%.9g", q[joint])
  }
  for (joint = 2; joint <= 6; joint += 2) servo(joint, "{table: {times: [" times "], values: [" values[joint] "]}}")
}'
