#!/bin/sh
# Push the peg in shorter and shorter steps, and with inertia; print where it ends, and draw it with the forces under it. Then
# look for plans that bring it to a goal. About a minute.
# usage: run.sh [OPTIONS OF SWEEP]     of the search for plans, as --limit 500 for a look
set -eu
cd "$(dirname "$0")"
touchstone=${BUILD:-../../build}/touchstone
mkdir -p out

results() { # what a run yields, on one line
  "$touchstone" run "$@" | sed '1,/^results:/d' | tr -s ' \n' ' '
}

for size in 0.02 0.01 0.005 0.0025; do
  printf '%-34s %s\n' "quasi-static, h = $size s" "$(results needle.yaml -s step.size=$size)"
done
printf '%-34s %s\n' "with inertia, h = 0.0025 s" "$(results needle.yaml -s step.method=stewart-trinkle -s step.size=0.0025)"
for directions in 4 8 16 32; do
  printf '%-34s %s\n' "$directions fixed directions, h = 0.01 s" \
    "$(results needle.yaml -s "step.cone={polyhedral: {directions: $directions, align: fixed}}")"
done
"$touchstone" run needle.yaml -q -o out/needle.h5
"$touchstone" draw out/needle.h5 --at 0,0.6,1.2 --contacts --trail peg -o out/needle.svg

# Plans: all pushes of a grid, the ten that bring the peg nearest to the goal, and how often these do so where friction and places are not known.
"$touchstone" sweep plans.yaml -o out/plans.csv "$@"
column() { # number of a column of a table by its name
  head -n 1 "$1" | tr ',' '\n' | grep -n "^$2\$" | cut -d: -f1
}
offset=$(column out/plans.csv offset) away=$(column out/plans.csv away)
echo "offset,angle,distance" > out/best.csv
tail -n +2 out/plans.csv | sort -t, -g -k "$away,$away" | head -n 10 | cut -d, -f "$offset-$((offset + 2))" >> out/best.csv
"$touchstone" sweep robust.yaml -o out/robust.csv --fresh -q
echo "plans: offset [mm], angle [rad], distance [mm]; share of 100 trials that succeed, mean distance from the goal [mm]"
tail -n +2 out/robust.csv | awk -F, -v away="$(column out/robust.csv away)" -v success="$(column out/robust.csv success)" '
  { plan = sprintf("%6.2f %6.2f %5.2f", $2, $3, $4); trials[plan] += 1; won[plan] += $success; sum[plan] += $away }
  END { for (plan in trials) printf "  %s   %5.2f   %6.4f\n", plan, won[plan] / trials[plan], sum[plan] / trials[plan] }' |
  sort -k 4,4gr -k 5,5g
