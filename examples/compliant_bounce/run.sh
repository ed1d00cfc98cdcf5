#!/bin/sh
# Let four balls bounce and a box come to rest on springs; print what they do, draw it.
set -eu
cd "$(dirname "$0")"
build=${BUILD:-../../build}
touchstone=$build/touchstone
mkdir -p out

"$touchstone" run bounce.yaml -q -o out/bounce.csv
awk -F, 'FNR == 1 { for (k = 1; k <= NF; ++k) c[$k] = k; split("elastic lively dull dead", name, " "); next }
  { for (b = 1; b <= 4; ++b) {
      v = $c[name[b] ".vz"]; z = $c[name[b] ".z"] - 0.1
      if (last[b] < 0 && v > 0) ++bounces[b]
      if (bounces[b] == 1 && v > 0 && z > 0) height[b] = z + v * v / 19.62
      last[b] = v } }
  END { for (b = 1; b <= 4; ++b) printf "%-8s comes back to %.4f m of 1 m\n", name[b], height[b] }' out/bounce.csv
"$touchstone" plot out/bounce.csv --y elastic.z,lively.z,dull.z,dead.z -o out/bounce.svg > out/log

"$touchstone" run box_drops.yaml -q -o out/box_drops.csv
"$touchstone" run box_drops.yaml -q -o out/box_drops.h5
awk -F, 'FNR == 1 { for (k = 1; k <= NF; ++k) c[$k] = k; next } { last = $c["kinetic"]; parts += $c["substeps"]; uncertified += !$c["certified"] }
  END { printf "box: kinetic energy at the end %.1e J, %d parts in 1500 steps, uncertified %d\n", last, parts, uncertified }' out/box_drops.steps.csv
"$touchstone" draw out/box_drops.h5 --at 0,0.15,0.3,1.5 --contacts -o out/box_drops.svg > out/log
"$touchstone" plot out/box_drops.csv --y 'box.z,contacts(box, floor).fn' -o out/box_drops.plot.svg > out/log
echo "figures: out/bounce.svg, out/box_drops.svg, out/box_drops.plot.svg"
