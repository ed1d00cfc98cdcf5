#!/bin/sh
# The drops of two designs by steps of several lengths and with contacts that are springs and dampers; 3000 random designs
# level by level, and those that were found; and a picture of a drop from either start. With the word `search` the search for the first design, too.
set -eu
cd "$(dirname "$0")"
build=${BUILD:-../../build}
mkdir -p out
if [ "${1:-}" = search ]; then "$build/examples/search" feeder.yaml 9; fi

# How many drops of each design are oriented, from the table of a sweep.
count() {
  awk -F, 'NR == 1 { for (i = 1; i <= NF; ++i) column[$i] = i; next }
           { design = $column["chute_width"]; if (!(design in drops)) order[++designs] = design
             ++drops[design]; oriented[design] += $column["success"] }
           END { for (k = 1; k <= designs; ++k) printf "  %d of %d", oriented[order[k]], drops[order[k]]; print "" }' "$1"
}
drops() { # name, values of the scene
  name=$1
  shift
  "$build/touchstone" sweep drops.yaml -o "out/$name.csv" --fresh --quiet "$@"
  printf '%-30s%s\n' "$name" "$(count "out/$name.csv")"
}
echo "oriented: the design that search.c has found, and another program's"
drops rigid-5e-4
drops rigid-2e-4 --set step.size=2e-4
drops rigid-1e-4 --set step.size=1e-4
drops compliant --set step.method=compliant
drops compliant-1e6 --set step.method=compliant --set stiffness=1e6
drops compliant-zeta-0.05 --set step.method=compliant --set zeta=0.05

"$build/touchstone" verify verify.yaml -o out/verify.csv --fresh
"$build/touchstone" verify found.yaml -o out/found.csv --fresh

for end in heavy light; do
  case $end in heavy) down=1 ;; light) down=0 ;; esac
  "$build/touchstone" run feeder.yaml --set heavy_down=$down -o out/$end.h5 > out/log
  "$build/touchstone" draw out/$end.h5 --ghosts 14 --trail cup --focus cup --zoom 0.8 -o out/$end.draw.svg >> out/log
done
echo "pictures: out/heavy.draw.svg, out/light.draw.svg"
