#!/bin/sh
# Fit the finger on the first half of recorded pushes, predict the others, draw both; with inertia too.
# usage: run.sh [RECORD[:x,y:x,y:x,y] ...]     folders as record.h says, and the points that the triangle stands on [mm]
# Without folders: the five that lie beside the project, where they do.
set -eu
here=$(cd "$(dirname "$0")" && pwd)
records=$here/../../../shared/data/pushes
if [ $# = 0 ]; then
  if [ ! -d "$records" ]; then
    echo "skipped: there is no folder $records, and none was named"
    exit 0
  fi
  set -- "$records/board_130:10,10:130,10:10,130" "$records/board_30_90:30,30:90,30:30,90" \
    "$records/wood_90:10,10:90,30:10,130" "$records/wood_63:30,30:63.33,43.33:43.33,63.33" "$records/board_patch"
fi
mkdir -p "$here/out"
"${BUILD:-$here/../../build}/examples/pushes" "$here/push.yaml" -o "$here/out" -d 500 "$@"
echo "errors of every push: out/errors.csv, figure: out/pushes.svg"
