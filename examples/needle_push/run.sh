#!/bin/sh
# Push the peg in shorter and shorter steps, and with inertia; print where it ends, and draw it with the forces under it.
set -eu
cd "$(dirname "$0")"
touchstone=${BUILD:-../../build}/touchstone
mkdir -p out

end_of() {
  awk -F, -v name="$1" 'NR == 1 { for (k = 1; k <= NF; ++k) c[$k] = k }
    END { printf "%-34s x %.7f mm, y %.7f mm, angle %.7f rad\n", name, 1e3 * $c["peg.x"], 1e3 * $c["peg.y"], $c["peg.theta"] }' "$2"
}
for size in 0.02 0.01 0.005 0.0025; do
  "$touchstone" run needle.yaml -s step.size=$size -q -o out/slow_$size.csv
  end_of "quasi-static, h = $size s" out/slow_$size.csv
done
"$touchstone" run needle.yaml -s step.method=stewart-trinkle -s step.size=0.0025 -q -o out/inertia.csv
end_of "with inertia, h = 0.0025 s" out/inertia.csv
for directions in 4 8 16 32; do
  "$touchstone" run needle.yaml -s "step.cone={polyhedral: {directions: $directions, align: fixed}}" -q -o out/polygon_$directions.csv
  end_of "$directions fixed directions, h = 0.01 s" out/polygon_$directions.csv
done
"$touchstone" run needle.yaml -q -o out/needle.h5
"$touchstone" draw out/needle.h5 --at 0,0.6,1.2 --contacts --trail peg -o out/needle.svg
