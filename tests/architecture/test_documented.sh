#!/bin/sh
# Every exported function says what it does: above its declaration stands a line of documentation, or behind it. And
# the check notices a function that does not.
# Argument: the folder of public headers.
set -eu

# Declarations without documentation, as FILE:LINE: NAME. They may go over several lines, and end with a semicolon.
undocumented() {
  awk '
    FNR == 1 { above = "" }
    !declares && /^TS_API / {
      declares = 1
      text = ""
      place = FILENAME ":" FNR
      documented = above ~ /^\/\/\//
    }
    declares {
      text = text $0
      if ($0 ~ /;/) {
        name = text
        sub(/\(.*/, "", name)
        sub(/.*[ *]/, "", name)
        if (!documented && $0 !~ /;[ ]*\/\/\/</) print place ": " name
        declares = 0
      }
    }
    { above = $0 }' "$@"
}

missing=$(undocumented "$1"/*.h)
[ -z "$missing" ] || { echo "not documented:"; echo "$missing"; exit 1; }

work=$(mktemp -d)
trap 'rm -rf "$work"' EXIT
cat > "$work/doctored.h" << 'END'
/// Says what it does.
TS_API int ts_first(void);
TS_API int ts_second(void);
TS_API int ts_third(void); ///< likewise
// no documentation
TS_API const char *ts_fourth(int a,
                             int b);
TS_API int ts_fifth(int a,
                    int b); ///< documented

TS_API int ts_sixth(void);
END
noticed=$(undocumented "$work/doctored.h" | sed 's/.*: //' | tr '\n' ' ')
[ "$noticed" = "ts_second ts_fourth ts_sixth " ] || { echo "noticed in a doctored header: $noticed"; exit 1; }

echo "$(cat "$1"/*.h | grep -c '^TS_API ') functions documented"
