#!/bin/sh
# Includes follow the layers: base < text < expression < schema < hdf5 < math < sampling < statistics < complementarity < problemfile < shape < model <
# dynamics < contact < step < extension < record < watch < document < robot < scene < study < draw < plot < cluster < cli. The sublayers of a layer have an order
# too: problem < linear < newton < friction in complementarity, kind in shape, joint in
# model and dynamics, event, implicit, compliant and quasistatic in step;
# files in the layer's own folder may include any of them, and what they say in headers is for all sublayers.
#  - a file includes its own layer, lower layers and public headers, by their full name ("math/dense.h");
#  - draw, plot and the command are users of the library: they include each other downwards and public headers only;
#  - a file that has a header of its own name includes it first;
#  - a public header includes public and system headers only.
# Argument: the project's folder. Prints what breaks the rules, and fails when something does.
set -eu
cd "$1"

find src include -name '*.[ch]' | sort | while read -r file; do
  stem=${file%.*}
  own=
  case $file in
  src/*.c)
    if [ -e "$stem.h" ]; then own=${stem#src/}.h
    elif [ -e "include/touchstone/$(basename "$stem").h" ]; then own=touchstone/$(basename "$stem").h
    fi ;;
  esac
  awk -v file="$file" -v own="$own" '
    function complain(text) { printf "%s:%d: %s\n", file, NR, text }
    BEGIN {
      split("base text expression schema hdf5 math sampling statistics complementarity problemfile shape model dynamics contact step extension record watch document robot scene study draw plot cluster cli", order, " ")
      for (i in order) rank[order[i]] = i
      first_user = rank["draw"] + 0
      split("problem linear newton friction event implicit compliant quasistatic joint kind", sublayers, " ")
      for (i in sublayers) sublayer_rank[sublayers[i]] = i
      split(file, part, "/")
      public = part[1] == "include"
      layer = part[2]
      sublayer = part[4] == "" ? "" : part[3]
    }
    !public && !(layer in rank) && NR == 1 { complain("the folder " layer " is no layer") }
    !public && sublayer != "" && !(sublayer in sublayer_rank) && NR == 1 { complain("the folder " sublayer " is no sublayer of " layer) }
    /^[ \t]*#[ \t]*include[ \t]*["<]/ {
      ++count
      quoted = $0 ~ /"/
      name = $0
      sub(/^[^"<]*["<]/, "", name)
      sub(/[">].*/, "", name)
      if (count == 1 && own != "" && name != own) complain("its own header, " own ", is not the first include")
      if (!quoted) next
      split(name, target, "/")
      if (target[1] == "touchstone") next
      if (public) complain("a public header includes the internal " name)
      else if (!(target[1] in rank)) complain(name " does not begin with a layer")
      else if (rank[target[1]] + 0 > rank[layer] + 0) complain(layer " includes upwards: " name)
      else if (target[1] == layer && sublayer != "" && target[3] != "" && sublayer_rank[target[2]] + 0 > sublayer_rank[sublayer] + 0)
        complain("the sublayer " sublayer " includes upwards: " name)
      else if (rank[layer] + 0 >= first_user && rank[target[1]] + 0 < first_user)
        complain(layer " reaches inside the library: " name)
    }' "$file"
done | {
  bad=0
  while read -r line; do
    echo "$line"
    bad=1
  done
  exit $bad
}
