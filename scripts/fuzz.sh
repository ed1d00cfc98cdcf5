#!/bin/sh
# Build the fuzz targets and run each for a while: scripts/fuzz.sh [SECONDS [TARGET...]]
# Seeds come from tests/data and, when it is there, ../shared/data; what the fuzzer finds is kept in build-fuzz/corpus.
# All targets run, whatever the ones before them found; those that found something are named at the end.
set -eu
cd "$(dirname "$0")/.."
seconds=${1:-600}
[ $# -gt 0 ] && shift
[ $# -gt 0 ] || set -- fuzz_problem_text fuzz_problem_hdf5 fuzz_scene fuzz_include fuzz_set fuzz_urdf fuzz_mesh fuzz_collada \
  fuzz_shape fuzz_run_csv fuzz_run_hdf5 fuzz_checkpoint fuzz_expression fuzz_journal fuzz_study fuzz_table_csv fuzz_table_hdf5 fuzz_command

cmake -S . -B build-fuzz -G Ninja -DCMAKE_C_COMPILER=clang -DCMAKE_BUILD_TYPE=Debug -DTOUCHSTONE_FUZZ=ON \
  -DTOUCHSTONE_TESTS=OFF -DTOUCHSTONE_BENCH=OFF > /dev/null
cmake --build build-fuzz --target "$@"

# Small files only: a fuzzer learns little from large ones.
text=build-fuzz/seeds/fuzz_problem_text hdf5=build-fuzz/seeds/fuzz_problem_hdf5 scene=build-fuzz/seeds/fuzz_scene
urdf=build-fuzz/seeds/fuzz_urdf collada=build-fuzz/seeds/fuzz_collada
mkdir -p "$text" "$hdf5" "$scene" "$urdf" "$collada"
for folder in tests/data ../shared/data; do
  [ -d "$folder" ] || continue
  find "$folder" \( -name '*.dat' -o -name '*.txt' \) -size -9k -exec cp -f {} "$text" \;
  find "$folder" -name '*.hdf5' -size -140k -exec cp -f {} "$hdf5" \;
  find -L "$folder" -name '*.dae' -size -9k -exec cp -f {} "$collada" \;
done

# Masses of what is cut take seconds here: each mutation of such a scene would be a timeout.
find tests/data examples -name '*.yaml' -size -9k ! -path '*/cut_shapes/*' -exec cp -f {} "$scene" \;
# The first byte of a robot chooses its options.
find tests/data/urdf -name '*.urdf' -size -9k -exec sh -c 'for file; do
  { printf 3; cat "$file"; } > "$0/$(basename "$file")"; done' "$urdf" {} +

# Runs of a few steps, recorded by the command.
csv=build-fuzz/seeds/fuzz_run_csv run=build-fuzz/seeds/fuzz_run_hdf5
mkdir -p "$csv" "$run" build-fuzz/seeds/fuzz_set build-fuzz/seeds/fuzz_include build-fuzz/seeds/fuzz_command \
  build-fuzz/seeds/fuzz_expression build-fuzz/seeds/fuzz_study
if [ -x build/touchstone ]; then
  for name in sphere four_bar; do
    yaml=$(find "examples/$name" -name '*.yaml' | head -n 1)
    build/touchstone run "$yaml" --set duration=0.02 -o "$run/$name.h5" > /dev/null || continue
    build/touchstone run "$yaml" --set duration=0.02 -o "build-fuzz/$name.csv" > /dev/null || continue
    { cat "build-fuzz/$name.csv"; printf '\377'; cat "build-fuzz/$name.contacts.csv"; printf '\377'
      cat "build-fuzz/$name.steps.csv"; } > "$csv/$name"
  done
fi
if [ -x build/touchstone ]; then
  build/touchstone run tests/data/scenes/parameters.yaml -q -o "$run/parameters.h5" || true
  build/touchstone run tests/data/scenes/parameters.yaml -q -o build-fuzz/parameters.csv || true
  { cat build-fuzz/parameters.csv; printf '\377'; cat build-fuzz/parameters.contacts.csv; printf '\377'
    cat build-fuzz/parameters.steps.csv; printf '\377'; cat build-fuzz/parameters.results.csv; } > "$csv/parameters"
fi
printf 'mu=0.25\nparameters.r.range=[0,2]\nd==3*r\nball_1.mass==mu\nresults.top.when=t>1\n' > build-fuzz/seeds/fuzz_set/b
mkdir -p build-fuzz/seeds/fuzz_table_csv build-fuzz/seeds/fuzz_table_hdf5
{ cat tests/data/tables/table.csv; printf '\377'; cat tests/data/tables/table.times.csv; } > build-fuzz/seeds/fuzz_table_csv/a
cp tests/data/tables/table.h5 build-fuzz/seeds/fuzz_table_hdf5
# Without the seal libhdf5 and the checks behind it get to see changes.
head -c -16 tests/data/tables/table.h5 > build-fuzz/seeds/fuzz_table_hdf5/unsealed.h5
printf 'arm.mass=2\nstep.size=1e-4\nhinge.axis=[0,1,0]\ngravity=[0,0,-1]\n' > build-fuzz/seeds/fuzz_set/a
printf 'touchstone: 1\ninclude: [a.yaml, b.yaml]\n\377bodies: [{name: x, mass: 1}]\n\377include: a.yaml\n' \
  > build-fuzz/seeds/fuzz_include/a
printf 'run\ns.yaml\n-o\nr.csv\n--set\nball.mass=2\n' > build-fuzz/seeds/fuzz_command/run
printf 'check\ns.yaml\n' > build-fuzz/seeds/fuzz_command/check
printf 'solve\n--solver\nlemke\n--help\n' > build-fuzz/seeds/fuzz_command/solve
printf '2*r + 0.01 - -t^2 %% 3' > build-fuzz/seeds/fuzz_expression/sum
printf '"left finger".x@plate < 1e-3 and not t != r or ball.vx >= 2' > build-fuzz/seeds/fuzz_expression/logic
printf 'if(t > 1, contacts( a,b* ).fn, clamp(sin(30*deg), -1, hypot(1, r, 2)))' > build-fuzz/seeds/fuzz_expression/calls
printf 'r ? random(1, r) : (nan || !big) && t <= 1 ? log(-1)/0 : atan2(1, pi) == 2' > build-fuzz/seeds/fuzz_expression/choice
printf 'study: 1\nscene: scene.yaml\nvary: {v: {grid: [0, 2], count: 3}, mu: {uniform: [0.1, 0.9]}}\nsamples: 4\nderived: {a: =v*mu}\n' \
  > build-fuzz/seeds/fuzz_study/grid
printf 'study: 1\nscene: scene.yaml\ntable: points.csv\nsampling: sobol\nretry: [{step: 0.5}]\nlimits: {steps: 3}\n\377v,mu\n1,0.2\n2,0.3\n' \
  > build-fuzz/seeds/fuzz_study/table
printf 'study: 1\nscene: scene.yaml\nvary: {v: {normal: [0, 1], range: [-1, 2]}, mu: {discrete: [0, 1], weights: [1, 3]}}\nsampling: saltelli\n' \
  > build-fuzz/seeds/fuzz_study/saltelli
printf 'verify: 1\nscene: scene.yaml\ndesigns: {vary: {v: {triangular: [0, 1, 2]}}, samples: 9}\nuncertain: {vary: {mu: [0.1, 0.2]}}\nlevels: [{name: a, when: v > 1}, {name: b, stop_after: 1}]\n' \
  > build-fuzz/seeds/fuzz_study/verify

found=
for target in "$@"; do
  mkdir -p "build-fuzz/corpus/$target" "build-fuzz/seeds/$target"
  # libhdf5 leaks when it gives up on a damaged file (the targets count open objects instead), and asks for as much
  # memory as the file claims to need, which it copes with not getting.
  leaks=1 sanitizer= words=
  case $target in fuzz_scene | fuzz_include | fuzz_set) words=-dict=tests/fuzz/scene.dict ;; esac
  case $target in *_hdf5) leaks=0 sanitizer=detect_leaks=0:allocator_may_return_null=1:max_allocation_size_mb=512 ;; esac
  echo "$target for $seconds s"
  ASAN_OPTIONS=$sanitizer "build-fuzz/tests/fuzz/$target" -max_total_time="$seconds" -timeout=20 -rss_limit_mb=2048 \
    -malloc_limit_mb=100000000 -detect_leaks=$leaks -print_final_stats=1 $words \
    -artifact_prefix="$PWD/build-fuzz/$target-" "$PWD/build-fuzz/corpus/$target" "$PWD/build-fuzz/seeds/$target" ||
    found="$found $target"
done
[ -z "$found" ] || { echo "found something:$found (see build-fuzz)"; exit 1; }
