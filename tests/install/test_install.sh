#!/bin/sh
# Install into a fresh prefix, then build and run the library example against it, once found by CMake and once by
# pkg-config, and the installed command. Where there is a C++ compiler, a program in C++ too.
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

command -v c++ > /dev/null || { echo "no C++ compiler here"; exit 0; }
echo "from C++:"
strict="-std=c++17 -Wall -Wextra -pedantic -Werror"
for header in "$prefix"/include/touchstone/*.h; do # each by itself
  printf '#include "touchstone/%s"\n' "$(basename "$header")" > "$work/header.cpp"
  # shellcheck disable=SC2086
  c++ $strict -I"$prefix/include" -fsyntax-only "$work/header.cpp"
done
# Every function that the headers declare, by its address: all of them must link.
{
  printf '#include <touchstone/touchstone.h>\n#include <cstdio>\n'
  printf 'typedef void function();\nstatic function *const all[] = {\n'
  cat "$prefix"/include/touchstone/*.h | grep -v '^#' | tr '\n' ' ' | sed 's/TS_API/\n&/g' | grep '^TS_API' |
    sed 's/(.*//; s/.*[ *]//; s/.*/  reinterpret_cast<function *>(\&&),/'
  printf '};\nint main()\n{\n  int missing = 0;\n  for (function *one : all) missing += one == nullptr;\n'
  printf '  std::printf("touchstone %%s, %%d functions\\n", ts_version(), (int)(sizeof all / sizeof *all));\n'
  printf '  return missing;\n}\n'
} > "$work/all.cpp"
for program in "$work/all.cpp" "$source/tests/install/consumer.cpp"; do
  # shellcheck disable=SC2086
  c++ $strict $flags "$program" $arguments -Wl,-rpath,"$libdir" -o "$work/consumer"
  "$work/consumer"
done
