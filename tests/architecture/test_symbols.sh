#!/bin/sh
# The shared library exports what the public headers declare with TS_API: nothing more, nothing less.
# Arguments: the library, the folder of public headers.
set -eu
library=$1 headers=$2
work=$(mktemp -d)
trap 'rm -rf "$work"' EXIT

nm -D --defined-only "$library" | awk '{ print $3 }' | sed 's/@.*//' | sort > "$work/exported"
# A declaration may break its line before the parenthesis, never inside the name.
cat "$headers"/*.h | grep -v '^#' | tr '\n' ' ' | sed 's/TS_API/\n&/g' | grep '^TS_API' |
  sed 's/(.*//; s/.*[ *]//' | sort > "$work/declared"

[ -s "$work/exported" ] || { echo "nothing is exported"; exit 1; }
if ! diff "$work/declared" "$work/exported" > "$work/difference"; then
  echo "declared but not exported (<), exported but not declared (>):"
  grep '^[<>]' "$work/difference"
  exit 1
fi
if grep -v '^ts_' "$work/exported"; then
  echo "the names above do not begin with ts_"
  exit 1
fi
echo "$(wc -l < "$work/exported") symbols"
