#!/bin/sh
# Run the mixer for 2 s, and draw it as it falls, as it is stirred, and at the end. Takes about 10 seconds.
set -eu
cd "$(dirname "$0")"
touchstone=${BUILD:-../../build}/touchstone
mkdir -p out
"$touchstone" run mixer.yaml -o out/mixer.h5
for time in 0.26 1 2; do
  "$touchstone" draw out/mixer.h5 --at $time --view 35,40 --size 700x500 -o out/mixer_$time.png
done
"$touchstone" plot out/mixer.h5 -o out/mixer.svg
