#!/bin/sh
# Build Touchstone, let all its solvers loose on one contact problem, and draw how they get there.
set -eu
cd "$(dirname "$0")"
scripts/setup.sh

echo "building ..."
cmake --preset release > /dev/null
cmake --build build --target touchstone_command | tail -n 1

mkdir -p demo-output
echo
echo '$ touchstone solve examples/sphere_pile/problem.txt --all --formulation all --time-limit 2 --history demo-output/history.csv'
build/touchstone solve examples/sphere_pile/problem.txt --all --formulation all --time-limit 2 --history demo-output/history.csv
echo
echo '$ touchstone solve examples/sphere_pile/problem.txt -o demo-output/impulses.txt'
build/touchstone solve examples/sphere_pile/problem.txt -o demo-output/impulses.txt

scripts/plot-history.sh demo-output/history.csv demo-output/convergence
echo
echo "The picture is in demo-output/convergence.svg (and .png), the iterations are in demo-output/history.csv,"
echo "the impulses in demo-output/impulses.txt."
