#!/bin/sh
# A name stands for one thing: no type and no enumerator of the library is defined twice, and no two files of a layer
# have the same name, whatever folder they are in. And the check notices when it is otherwise.
# Argument: the project's folder.
set -eu

# Types and enumerators that begin with ts_ or TS_, a line for each file that defines them.
defined() {
  find "$@" -name '*.[ch]' | sort | xargs awk '
    function note(name) { gsub(/ /, "", name); if (!(name in seen)) print name; seen[name] = 1 }
    function scan_file(   found, count, item, i) {
      split("", seen)
      while (match(text, /(struct|union|enum) +ts_[a-z0-9_]+ *[{]|enum( +[a-z0-9_]+)? *[{][^}]*[}]/)) {
        found = substr(text, RSTART, RLENGTH)
        text = substr(text, RSTART + RLENGTH)
        if (match(found, / +ts_[a-z0-9_]+ *[{]/)) note(substr(found, RSTART, RLENGTH - 1))
        if (found !~ /[}]/) continue
        sub(/^[^{]*[{]/, "", found)
        count = split(found, item, ",")
        for (i = 1; i <= count; ++i) if (match(item[i], /^ *TS_[A-Z0-9_]+/)) note(substr(item[i], RSTART, RLENGTH))
      }
      text = ""
    }
    FNR == 1 { scan_file() }
    { sub(/\/\/.*/, ""); text = text " " $0 }
    END { scan_file() }'
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
