#!/bin/sh
# Named numbers look alike: pi is TS_PI and stands in one place, constant numbers are in upper case. The check notices
# when they do not.
# Argument: the project's folder.
set -eu

# Digits of pi, of half and of twice it, and ways to compute it, outside texts and comments.
pi_again() {
  find "$@" -name '*.[ch]' ! -name '*sincos*' ! -path '*/touchstone/vector.h' | sort | xargs awk '
    { line = $0; sub(/\/\/.*/, "", line); gsub(/"[^"]*"/, "", line) }
    line ~ /3\.14159265|6\.28318530|1\.57079632[67]|M_PI|acos\(-1|atan2\(0(\.0)?, *-1|atan\(1(\.0)?\)/ {
      print FILENAME ":" FNR ": " $0
    }'
}

in_lower_case() {
  grep -rnE --include='*.[ch]' 'static const (double|int|size_t|u?int(32|64)_t) [a-z][a-z0-9_]* = ' "$@" || true
}

cd "$1"
found=$(pi_again src include tests bench examples; in_lower_case src)
[ -z "$found" ] || { echo "$found"; exit 1; }
[ "$(grep -rh '#define TS_PI ' include src | wc -l)" = 1 ] || { echo "TS_PI has to be defined once"; exit 1; }

work=$(mktemp -d)
trap 'rm -rf "$work"' EXIT
noticed() {
  printf '%s\n' "$1" > "$work/doctored.c"
  [ -n "$(pi_again "$work"; in_lower_case "$work")" ] || { echo "not noticed: $1"; exit 1; }
}
noticed 'static const double FULL_TURN = 6.283185307179586;'
noticed 'return 2.0 * M_PI * r;'
noticed 'const double half = acos(-1.0);'
noticed '  static const double limit = 1e-3;'
