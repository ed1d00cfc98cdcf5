#!/bin/sh
# Calls between the units of a layer (a unit is NAME.c with NAME.h and what they include) go one way, and no call goes up
# to a later layer or sublayer, whatever header declares the function. The order is that of check_layers.sh. Groups of
# units that call each other, and calls upwards, are listed here with a reason. The lists only get shorter: the test asks
# for that. And the check notices what is not listed.
# Objects have the calls: functions that a unit leaves undefined, in the unit that defines them. Calls through tables of
# functions (of solvers, steppers, joints, shapes) are not among them.
# Arguments: the project's folder, the build folder, C compiler.
set -eu
here=$(cd "$(dirname "$0")" && pwd)

# LAYER: UNITS | reason
allowed_groups() {
  cat << 'END'
document: formula parameter_set validate | formulas evaluate names of parameters, and values of parameters are formulas
draw: crowd picture picture_flat picture_ground picture_solid selection | picture.c draws by its parts, and has small functions that the parts share
plot: table_curves table_figure table_map table_scatter table_sheet | table_figure.c selects the kind of a figure, and has labels that all kinds share
scene: build build_bodies build_extensions build_joints build_laws build_parts | build.c calls its parts, and finds bodies and materials by name for them
scene: scene vary | vary.c completes scenes as scene.c does, which releases the memory of a variation
shape: distance own_shape | distances of shapes of plug-ins begin from those of their bounds
step: bases joint_loads repair select_loads settle solve step supports works | step.c goes through a step by the others, and has small functions that they share
step: corners look_again | both need the gap of a contact at the end of a step
step: event/blind_step event/put_right event/smooth | smooth.c integrates, and calls what replaces or corrects a step that cannot be integrated
study: table table_csv table_hdf5 | table.c reads by its formats, which fill tables by its functions
END
}

# UNIT -> UNIT: FUNCTIONS | reason
allowed_upwards() {
  cat << 'END'
schema/schema -> model/freedoms: ts_space_name | keys of scenes name the spaces that they belong to; public
step/option_rows -> extension/extensions: ts_extensions_solver ts_extensions_stepper | options name solvers and steppers of plug-ins; public
END
}

# FROM TO FUNCTION of calls from one unit to another. Arguments: project, build. Objects whose source is gone do not count.
calls() {
  (cd "$2" && find CMakeFiles -path '*.dir/src/*.o' | sort | while read -r object; do
    source=src/${object#*.dir/src/}
    [ ! -e "$1/${source%.*}" ] || echo "$object"
  done | xargs nm -gAP) | awk '
    {
      unit = $1
      sub(/^.*\.dir\/src\//, "", unit)
      sub(/\.c\.[a-z]+:$/, "", unit)
    }
    $3 ~ /^[TWi]$/ { home[$2] = unit }
    $3 == "U" { used[++count] = unit " " $2 }
    END {
      for (i = 1; i <= count; ++i) {
        split(used[i], use, " ")
        if (use[2] in home && home[use[2]] != use[1]) print use[1], home[use[2]], use[2]
      }
    }' | LC_ALL=C sort
}

# LAYER: UNITS of each set of two or more units that reach each other by calls. Argument: the calls.
groups() {
  awk '
    function visit(from, to,    list, count, i) { # whatever unit `from` reaches
      count = split(callees[to], list, " ")
      for (i = 1; i <= count; ++i)
        if (!((from, list[i]) in reaches)) {
          reaches[from, list[i]] = 1
          visit(from, list[i])
        }
    }
    {
      layer = $1
      sub(/\/.*/, "", layer)
      if (index($2, layer "/") != 1) next
      if (!($1 in callees)) unit[++units] = $1
      layer_of[$1] = layer
      callees[$1] = callees[$1] " " $2
    }
    END {
      for (i = 1; i <= units; ++i) visit(unit[i], unit[i])
      for (i = 1; i <= units; ++i) {
        if (done[unit[i]] || !((unit[i], unit[i]) in reaches)) continue
        text = layer_of[unit[i]] ":"
        for (k = 1; k <= units; ++k)
          if (((unit[i], unit[k]) in reaches) && ((unit[k], unit[i]) in reaches)) {
            done[unit[k]] = 1
            text = text " " substr(unit[k], length(layer_of[unit[k]]) + 2)
          }
        print text
      }
    }' "$1"
}

# UNIT -> UNIT: FUNCTIONS of calls against the order of layers and sublayers. Argument: the calls.
upwards() {
  sublayers=$(sed -n 's/.*split("\([^"]*\)", sublayers, " ").*/\1/p' "$here/check_layers.sh")
  awk -v layers="$(layer_order)" -v sublayers="$sublayers" '
    function print_pair() { if (functions != "") print pair ":" functions }
    BEGIN {
      count = split(layers, name, " ")
      for (i = 1; i <= count; ++i) rank[name[i]] = i
      count = split(sublayers, name, " ")
      for (i = 1; i <= count; ++i) sublayer_rank[name[i]] = i
    }
    {
      parts = split($1, from, "/")
      inner = split($2, to, "/") == 3 && parts == 3 && from[1] == to[1]
      if (rank[to[1]] <= rank[from[1]] && !(inner && sublayer_rank[to[2]] > sublayer_rank[from[2]])) next
      if (pair != $1 " -> " $2) { print_pair(); functions = "" }
      pair = $1 " -> " $2
      functions = functions " " $3
    }
    END { print_pair() }' "$1"
}

layer_order() {
  sed -n 's/.*split("\([^"]*\)", order, " ").*/\1/p' "$here/check_layers.sh"
}

# FROM -> TO: FUNCTIONS of the calls that make the group of a line LAYER: UNITS. Arguments: the calls, the line.
calls_of_group() {
  awk -v group="$2" '
    BEGIN {
      count = split(group, member, " ")
      layer = member[1]
      sub(/:/, "/", layer)
      for (i = 2; i <= count; ++i) inside[layer member[i]] = 1
    }
    ($1 in inside) && ($2 in inside) { print "  " $1 " -> " $2 ": " $3 }' "$1"
}

# Complain about what is found and not allowed, and the other way. Arguments: project, build, files with what is allowed.
check() {
  (cd "$2" && find CMakeFiles -path '*.dir/src/*.o') | sed 's,.*\.dir/src/,,; s/\.[a-z]*$//' | LC_ALL=C sort -u > "$work/made"
  (cd "$1/src" && find * -name '*.c' ! -path 'cluster/*') | LC_ALL=C sort | LC_ALL=C comm -23 - "$work/made" > "$work/unmade"
  [ ! -s "$work/unmade" ] || { echo "the build has no objects of"; cat "$work/unmade"; return 1; }
  calls "$1" "$2" > "$work/calls"
  groups "$work/calls" | LC_ALL=C sort > "$work/groups"
  upwards "$work/calls" > "$work/upwards"
  sed 's/ *|.*//' "$3" | LC_ALL=C sort > "$work/allowed_groups"
  sed 's/ *|.*//' "$4" | LC_ALL=C sort > "$work/allowed_upwards"
  bad=0
  LC_ALL=C comm -23 "$work/groups" "$work/allowed_groups" > "$work/new"
  while read -r group; do
    echo "these units call each other: $group"
    calls_of_group "$work/calls" "$group"
    bad=1
  done < "$work/new"
  LC_ALL=C sort "$work/upwards" | LC_ALL=C comm -23 - "$work/allowed_upwards" > "$work/new"
  while read -r call; do
    echo "a call goes to a later layer: $call"
    bad=1
  done < "$work/new"
  LC_ALL=C sort "$work/upwards" "$work/groups" > "$work/found"
  LC_ALL=C sort "$work/allowed_groups" "$work/allowed_upwards" | LC_ALL=C comm -13 "$work/found" - > "$work/gone"
  while read -r line; do
    echo "this is no longer so: take it off the list of tests/architecture/test_calls.sh, or put there what is left of it: $line"
    bad=1
  done < "$work/gone"
  return $bad
}

work=$(mktemp -d)
trap 'rm -rf "$work"' EXIT
project=$(cd "$1" && pwd) build=$(cd "$2" && pwd) compiler=$3
allowed_groups > "$work/groups_here"
allowed_upwards > "$work/upwards_here"
if grep -hv '|..*' "$work/groups_here" "$work/upwards_here"; then
  echo "the lines above have no reason"
  exit 1
fi
check "$project" "$build" "$work/groups_here" "$work/upwards_here" || exit 1
said="$(wc -l < "$work/calls") uses of functions of other units, $(wc -l < "$work/groups_here") groups, $(wc -l < "$work/upwards_here") upwards"

# A project of its own: unit FILE TEXT adds one, known GROUPS UPWARDS has what is allowed in it.
unit() {
  mkdir -p "$(dirname "$work/p/src/$1")" "$(dirname "$work/p/CMakeFiles/a.dir/src/$1")"
  printf '%s\n' "$2" > "$work/p/src/$1"
  "$compiler" -I "$work/p/src" -c "$work/p/src/$1" -o "$work/p/CMakeFiles/a.dir/src/$1.o"
}
known() {
  printf "$1" > "$work/known_groups"
  printf "$2" > "$work/known_upwards"
  check "$work/p" "$work/p" "$work/known_groups" "$work/known_upwards" > "$work/said"
}
refused() { # groups, calls upwards, what is to be said
  if known "$1" "$2"; then
    echo "not noticed: $3"
    exit 1
  fi
  grep -q "$3" "$work/said" || { echo "not said: $3"; cat "$work/said"; exit 1; }
}
accepted() {
  known "$1" "$2" || { echo "refused, and all is listed:"; cat "$work/said"; exit 1; }
}

# Static functions of one name make no calls between units, nor do calls within a unit, nor those down and to the same layer.
unit base/low.c 'static int help(void) { return 1; } int ts_low(void) { return help(); }'
unit math/one.c 'int ts_low(void); int ts_two(void); static int help(void) { return ts_low(); } int ts_one(void) { return help() + ts_two(); }'
unit math/two.c 'static int help(void) { return 2; } int ts_two(void) { return help(); }'
accepted '' ''
# A circle through a sublayer and a file that is included; the reason counts for nothing.
printf 'int ts_one(void); int ts_three(void) { return ts_one(); }\n' > "$work/p/src/math/part.inc"
unit math/newton/three.c '#include "math/part.inc"'
unit math/two.c 'int ts_three(void); int ts_two(void) { return ts_three(); }'
refused '' '' 'these units call each other: math: newton/three one two'
refused '' '' 'math/two -> math/newton/three: ts_three'
refused 'math: one two | less than there is\n' '' 'these units call each other: math: newton/three one two'
accepted 'math: newton/three one two | known\n' ''
# What is listed and no longer there, and a circle that became smaller.
unit math/newton/three.c 'int ts_two(void); int ts_three(void) { return ts_two(); }'
refused 'math: newton/three one two | known\n' '' 'no longer so.*: math: newton/three one two'
refused 'math: newton/three one two | known\n' '' 'these units call each other: math: newton/three two'
unit math/newton/three.c 'int ts_three(void) { return 3; }'
refused 'math: newton/three two | known\n' '' 'no longer so.*: math: newton/three two'
# Two circles of a layer are two groups.
unit math/two.c 'int ts_one(void); int ts_two(void) { return ts_one(); }'
unit math/newton/three.c 'int ts_four(void); int ts_three(void) { return ts_four(); }'
unit math/newton/four.c 'int ts_three(void); int ts_four(void) { return ts_three(); }'
accepted 'math: one two | known\nmath: newton/four newton/three | known\n' ''
# Calls upwards, with layers and with sublayers.
unit math/newton/three.c 'int ts_three(void) { return 3; }'
unit math/linear/five.c 'int ts_three(void); int ts_five(void) { return ts_three(); }'
refused 'math: one two | known\n' '' 'to a later layer: math/linear/five -> math/newton/three: ts_three'
unit base/low.c 'int ts_two(void); int ts_low(void) { return ts_two(); }'
five='math/linear/five -> math/newton/three: ts_three | known\n'
refused 'math: one two | known\n' "$five" 'to a later layer: base/low -> math/two: ts_two'
accepted 'math: one two | known\n' "${five}base/low -> math/two: ts_two | known\n"
refused 'math: one two | known\n' "${five}base/low -> math/one: ts_one | known\n" 'no longer so.*: base/low -> math/one: ts_one'
# Sources without an object, and objects without a source.
printf 'int a;\n' > "$work/p/src/base/new.c"
refused '' '' '^base/new.c'
rm "$work/p/src/base/new.c" "$work/p/src/base/low.c" "$work/p/src/math/one.c"
accepted '' "$five"

echo "$said"
