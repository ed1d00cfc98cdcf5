#!/bin/sh
# Drop every robot of a folder on a floor, in minimal and in redundant coordinates.
# usage: run.sh [FOLDER [KEY=VALUE ...]]     values of the scene to replace, such as step.size=5e-4
# Without a folder: the models that lie beside the project, else those that the tests use.
set -eu
here=$(dirname "$0")
default=$here/../../../shared/data/models
[ -d "$default" ] || default=$here/../../tests/data/urdf
folder=$(cd "${1-$default}" && pwd)
[ $# = 0 ] || shift
cd "$here"
drops=${BUILD:-../../build}/examples/drops
files=$(find "$folder" -name '*.urdf' | sort)
[ -n "$files" ] || { echo "run.sh: there is no .urdf file in $folder" >&2; exit 2; }

status=0
for coordinates in minimal redundant; do
  echo "$coordinates coordinates"
  echo "$files" | tr '\n' '\0' | xargs -0 "$drops" step.coordinates=$coordinates "$@" || status=1
  echo
done
exit $status
