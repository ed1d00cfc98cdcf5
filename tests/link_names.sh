#!/bin/sh
# Beside a layer's program, a link to it by the name of each of its tests.
# Arguments: the program, names.
set -eu
cd "$(dirname "$1")"
program=$(basename "$1")
shift
for name; do
  [ "$(readlink "$name")" = "$program" ] || ln -sf "$program" "$name"
done
