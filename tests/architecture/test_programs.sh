#!/bin/sh
# Test files that share a program define nothing beside their own entry: a name that the library has too would replace it
# in all tests of the program. And the check notices one that does.
# Arguments: the build folder of the tests, C compiler.
set -eu
build=$1 compiler=$2

# FILE NAME of what the objects of tests in a table define beside an entry of the file's own name.
# Arguments: the table, the folder of the objects.
beside_entries() {
  for name in $(sed 's/TEST(\(.*\))/\1/' "$1"); do
    find "$2" -name "$name.c.o"
  done | xargs nm -gA --defined-only | awk '{
    file = $1
    sub(/\.c\.o:.*/, "", file)
    sub(/.*\//, "", file)
    if ($NF != file && $NF !~ /^__odr_asan/) print file, $NF
  }'
}

bad=$(for table in "$build"/tests_*.inc; do
  beside_entries "$table" "$build/CMakeFiles/$(basename "$table" .inc).dir"
done)
[ -z "$bad" ] || {
  echo "make these static, or begin a line of the file with \"// Linked by itself\":"
  echo "$bad"
  exit 1
}

work=$(mktemp -d)
trap 'rm -rf "$work"' EXIT
printf 'int test_a(void)\n{\n  return 0;\n}\nint ts_other;\nstatic int own;\nint *use(void)\n{\n  return &own;\n}\n' > "$work/test_a.c"
"$compiler" -c "$work/test_a.c" -o "$work/test_a.c.o"
echo 'TEST(test_a)' > "$work/table"
noticed=$(echo $(beside_entries "$work/table" "$work"))
[ "$noticed" = "test_a ts_other test_a use" ] || { echo "noticed: $noticed"; exit 1; }
echo "$(cat "$build"/tests_*.inc | wc -l) test files with an entry each"
