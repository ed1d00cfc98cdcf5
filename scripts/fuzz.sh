#!/bin/sh
# Build the fuzz targets and run each for a while: scripts/fuzz.sh [SECONDS [TARGET...]]
# Seeds come from tests/data and, when it is there, ../shared/data; what the fuzzer finds is kept in build-fuzz/corpus.
set -eu
cd "$(dirname "$0")/.."
seconds=${1:-600}
[ $# -gt 0 ] && shift
[ $# -gt 0 ] || set -- fuzz_problem_text fuzz_problem_hdf5 fuzz_scene fuzz_urdf fuzz_mesh fuzz_shape

cmake -S . -B build-fuzz -G Ninja -DCMAKE_C_COMPILER=clang -DCMAKE_BUILD_TYPE=Debug -DTOUCHSTONE_FUZZ=ON \
  -DTOUCHSTONE_TESTS=OFF -DTOUCHSTONE_BENCH=OFF > /dev/null
cmake --build build-fuzz --target "$@"

# Small files only: a fuzzer learns little from large ones.
text=build-fuzz/seeds/fuzz_problem_text hdf5=build-fuzz/seeds/fuzz_problem_hdf5 scene=build-fuzz/seeds/fuzz_scene
urdf=build-fuzz/seeds/fuzz_urdf
mkdir -p "$text" "$hdf5" "$scene" "$urdf"
for folder in tests/data ../shared/data; do
  [ -d "$folder" ] || continue
  find "$folder" \( -name '*.dat' -o -name '*.txt' \) -size -9k -exec cp -f {} "$text" \;
  find "$folder" -name '*.hdf5' -size -140k -exec cp -f {} "$hdf5" \;
done

find tests/data examples -name '*.yaml' -size -9k -exec cp -f {} "$scene" \;
# The first byte of a robot chooses its options.
find tests/data/urdf -name '*.urdf' -size -9k -exec sh -c 'for file; do
  { printf 3; cat "$file"; } > "$0/$(basename "$file")"; done' "$urdf" {} +

for target in "$@"; do
  mkdir -p "build-fuzz/corpus/$target" "build-fuzz/seeds/$target"
  # libhdf5 leaks when it gives up on a damaged file (the target counts open objects instead), and asks for as much
  # memory as the file claims to need, which it copes with not getting.
  leaks=1
  if [ "$target" = fuzz_problem_hdf5 ]; then
    leaks=0
    export ASAN_OPTIONS=allocator_may_return_null=1:max_allocation_size_mb=512
  fi
  echo "$target for $seconds s"
  "build-fuzz/tests/fuzz/$target" -max_total_time="$seconds" -timeout=20 -rss_limit_mb=2048 \
    -malloc_limit_mb=100000000 -detect_leaks=$leaks -print_final_stats=1 \
    -artifact_prefix="build-fuzz/$target-" "build-fuzz/corpus/$target" "build-fuzz/seeds/$target"
done
