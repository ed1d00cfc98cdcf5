#!/bin/sh
# Install what building, testing and the demo need (Debian and its relatives). Quick when all is there.
set -eu

packages="
  build-essential cmake ninja-build pkg-config
  libopenblas-serial-dev liblapacke-dev libsuitesparse-dev libhdf5-dev libfyaml-dev libqhull-dev zlib1g-dev
  libcmocka-dev valgrind gnuplot-nox libopenmpi-dev openmpi-bin
"

# A package counts as present under another name too where that one provides it (gnuplot-qt for gnuplot-nox).
is_present() {
  case $1 in
  gnuplot-nox) command -v gnuplot > /dev/null && return 0 ;;
  esac
  dpkg-query -W -f='${db:Status-Status}' "$1" 2> /dev/null | grep -q '^installed$'
}

missing=
for package in $packages; do
  is_present "$package" || missing="$missing $package"
done
[ -n "$missing" ] || exit 0

echo "installing:$missing"
as_root=
[ "$(id -u)" -eq 0 ] || as_root=sudo
export DEBIAN_FRONTEND=noninteractive
$as_root apt-get update -qq || true # a stale list may still do
# shellcheck disable=SC2086 # a list of packages
$as_root apt-get install -y -qq --no-install-recommends $missing
