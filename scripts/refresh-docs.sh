#!/bin/sh
# Bring what the manual quotes up to date: the block after a line
#   <!-- output of: touchstone ARGUMENTS -->     becomes what the command prints,
#   <!-- content of: FILE -->                    becomes the file;
# what stands between the lines
#   <!-- tables of: touchstone ARGUMENTS -->  and  <!-- end of tables -->  becomes what the command prints.
# usage: scripts/refresh-docs.sh [--check] COMMAND
# With --check nothing is written; it fails and shows the difference when a quotation is out of date.
set -eu
check=no
if [ "${1-}" = --check ]; then check=yes; shift; fi
command=$(realpath "${1-build/touchstone}")
cd "$(dirname "$0")/.."
new=$(mktemp)
trap 'rm -f "$new"' EXIT
status=0
for file in README.md docs/*.md docs/*/*.md; do
  grep -q '^<!-- \(output\|content\|tables\) of: ' "$file" || continue
  awk -v command="$command" '
    function copy_from(source,   line) {
      while ((source | getline line) > 0) print line
      if (close(source) != 0) { print "refresh-docs: " source " failed" > "/dev/stderr"; exit 1 }
    }
    skipping { if ($0 == ending) { skipping = 0; print }; next }
    { print }
    /^<!-- tables of: touchstone / { source = $0; sub(/^[^:]*: touchstone /, "", source); sub(/ -->$/, "", source)
                                     copy_from(command " " source); source = ""
                                     skipping = 1; ending = "<!-- end of tables -->"; next }
    /^<!-- output of: touchstone / { source = $0; sub(/^[^:]*: touchstone /, "", source); sub(/ -->$/, "", source)
                                     source = command " " source; next }
    /^<!-- content of: /           { source = $0; sub(/^[^:]*: /, "", source); sub(/ -->$/, "", source)
                                     source = "cat " source; next }
    source != "" && /^```/         { copy_from(source); source = ""; skipping = 1; ending = "```" }
  ' "$file" > "$new"
  if cmp -s "$new" "$file"; then continue; fi
  if [ $check = yes ]; then
    echo "$file is out of date; run scripts/refresh-docs.sh:"
    diff "$file" "$new" | head -20
    status=1
  else
    cat "$new" > "$file"
    echo "$file: refreshed"
  fi
done
exit $status
