#!/bin/sh
# No function has more than 60 lines and no source file more than 800, but for those listed here with the lines that
# they may have. The list only gets shorter: who makes one of them smaller takes it off, or lowers its number; the test
# asks for that. And the check notices what is too long.
# Argument: the project's folder.
set -eu

MOST_LINES=800
MOST_FUNCTION_LINES=60

allowed() {
  cat << 'END'
END
}

# FILE LINES of files, FILE:FUNCTION LINES of functions that are too long. A function begins with its name on the line
# before a brace in the first column, and ends with one.
too_long() {
  find "$@" -name '*.[ch]' | sort | while read -r file; do
    awk -v file="$file" -v most="$MOST_LINES" -v longest="$MOST_FUNCTION_LINES" '
      /^[a-z].*\(/ { name = $0; sub(/\(.*/, "", name); sub(/.*[ *]/, "", name) }
      /^\{$/ { start = NR - 1 }
      /^\}/ { if (start && NR - start + 1 > longest) print file ":" name " " NR - start + 1; start = 0 }
      END { if (NR > most) print file " " NR }' "$file"
  done
}

cd "$1"
work=$(mktemp -d)
trap 'rm -rf "$work"' EXIT
too_long src include | sort > "$work/found"
allowed | sort > "$work/allowed"

bad=0
while read -r what lines; do
  limit=$(awk -v what="$what" '$1 == what { print $2 }' "$work/allowed")
  [ -n "$limit" ] && [ "$lines" -le "$limit" ] && continue
  echo "$what has $lines lines"
  bad=1
done < "$work/found"
while read -r what limit; do
  lines=$(awk -v what="$what" '$1 == what { print $2 }' "$work/found")
  [ "${lines:-0}" -ge "$((limit - 20))" ] && continue
  echo "$what has become shorter: take it off the list of tests/architecture/test_sizes.sh, or put ${lines:-nothing} there"
  bad=1
done < "$work/allowed"
[ "$bad" = 0 ] || exit 1

{
  printf 'static int long_one(int a)\n{\n'
  yes '  a += 1;' | head -n "$MOST_FUNCTION_LINES"
  printf '}\n'
} > "$work/function.c"
yes '// a line' | head -n "$((MOST_LINES + 1))" > "$work/file.c"
noticed=$(too_long "$work" | sed 's,.*/,,' | tr '\n' ' ')
[ "$noticed" = "file.c 801 function.c:long_one 63 " ] || { echo "noticed of what is too long: $noticed"; exit 1; }
