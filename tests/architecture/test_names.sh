#!/bin/sh
# A name stands for one thing: no type and no enumerator of the library is defined twice, and no two files of a layer
# have the same name, whatever folder they are in. And the check notices when it is otherwise.
# Argument: the project's folder.
set -eu

# Types and enumerators that begin with ts_ or TS_, a line for each definition.
defined() {
  find "$@" -name '*.[ch]' | sort | while read -r file; do
    sed 's,//.*,,' "$file" | tr '\n' ' ' |
      grep -oE '\b(struct|union|enum) +ts_[a-z0-9_]+ *\{|\benum( +[a-z0-9_]+)? *\{[^}]*\}' |
      sed -E 's/^(struct|union|enum) +(ts_[a-z0-9_]+) *\{$/\2/' |
      awk '!/\{/ { print; next }
           { if (match($0, /enum +ts_[a-z0-9_]+/)) print substr($0, RSTART + 5, RLENGTH - 5)
             sub(/^[^{]*\{/, ""); sub(/\}$/, "")
             count = split($0, part, ",")
             for (i = 1; i <= count; ++i) if (match(part[i], /^ *TS_[A-Z0-9_]+/)) print substr(part[i], RSTART, RLENGTH) }' |
      sed 's/ //g' | sort -u
  done
}

# FOLDER/NAME of files, the layer alone as their folder.
files_by_layer() {
  (cd "$1" && find . -name '*.[ch]' | sed -E 's,^\./([^/]+)/(.*/)?([^/]+)$,\1/\3,')
}

twice() {
  sort | uniq -d
}

cd "$1"
bad=$(defined src include | twice; files_by_layer src | twice)
[ -z "$bad" ] || { echo "these names stand for two things:"; echo "$bad"; exit 1; }

work=$(mktemp -d)
trap 'rm -rf "$work"' EXIT
mkdir -p "$work/src/a/b"
printf 'typedef struct ts_one {\n  int a;\n} ts_one;\ntypedef enum ts_two { TS_FIRST, // 1\n  TS_SECOND = 3 } ts_two;\n' > "$work/src/a/c.h"
printf 'struct ts_one *one;\nenum { TS_SECOND, TS_THIRD };\ntypedef struct ts_one { int b; } ts_one;\n' > "$work/src/a/b/c.h"
noticed=$(echo $(defined "$work/src" | twice; files_by_layer "$work/src" | twice))
[ "$noticed" = "TS_SECOND ts_one a/c.h" ] || { echo "noticed of names that stand for two things: $noticed"; exit 1; }
echo "$(defined src include | wc -l) types and enumerators, each of one meaning"
