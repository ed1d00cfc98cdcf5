#!/bin/sh
# Install into a fresh prefix, then build and run the library example against it, once found by CMake and once by
# pkg-config, and the installed command.
# Arguments: cmake, build folder, source folder, C compiler, C flags.
set -eu
cmake=$1 build=$2 source=$3 compiler=$4 flags=$5
work=$(mktemp -d)
trap 'rm -rf "$work"' EXIT
prefix=$work/prefix
example=$source/examples/library/sliding_block.c

"$cmake" --install "$build" --prefix "$prefix" > "$work/install.log"
"$prefix/bin/touchstone" --version

echo "found by CMake:"
"$cmake" -S "$source/tests/install" -B "$work/found" -DCMAKE_PREFIX_PATH="$prefix" -DCMAKE_C_COMPILER="$compiler" \
  -DCMAKE_C_FLAGS="$flags" -DEXAMPLE="$example" > "$work/configure.log"
"$cmake" --build "$work/found" > "$work/build.log"
"$work/found/consumer"

echo "found by pkg-config:"
pc=$(dirname "$(find "$prefix" -name touchstone.pc)")
libdir=$(dirname "$pc")
static=
[ -e "$libdir/libtouchstone.so" ] || static=--static
arguments=$(PKG_CONFIG_PATH=$pc pkg-config $static --cflags --libs touchstone)
# shellcheck disable=SC2086 # flags and arguments are lists
"$compiler" $flags "$example" $arguments -Wl,-rpath,"$libdir" -o "$work/consumer"
"$work/consumer"
