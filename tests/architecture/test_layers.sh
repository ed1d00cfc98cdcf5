#!/bin/sh
# The project keeps its layers, and the check that says so notices when somebody does not.
# Argument: the project's folder.
set -eu
here=$(dirname "$0")
sh "$here/check_layers.sh" "$1"

work=$(mktemp -d)
trap 'rm -rf "$work"' EXIT

# refused FILE TEXT REASON: a project whose only doubtful file is FILE must be refused for REASON.
refused() {
  rm -rf "$work/p"
  mkdir -p "$work/p/src/base" "$work/p/src/math" "$work/p/src/draw" "$work/p/src/plot" "$work/p/src/cli" "$work/p/src/tools" "$work/p/src/math/problem" "$work/p/src/math/attic" "$work/p/include/touchstone"
  : > "$work/p/src/math/dense.h"
  printf "$2" > "$work/p/$1"
  if sh "$here/check_layers.sh" "$work/p" > "$work/said"; then
    echo "not noticed: $1 with $2"
    exit 1
  fi
  grep -q "$3" "$work/said" || { echo "wrong reason for $1:"; cat "$work/said"; exit 1; }
}
refused src/base/a.c '#include "math/dense.h"\n' 'base includes upwards'
refused src/math/dense.c '#include <math.h>\n#include "math/dense.h"\n' 'not the first include'
refused src/math/a.c '#include "dense.h"\n' 'does not begin with a layer'
refused src/cli/a.c '#include "math/dense.h"\n' 'cli reaches inside the library'
refused src/draw/a.c '#include "math/dense.h"\n' 'draw reaches inside the library'
refused src/plot/a.c '#include "math/dense.h"\n' 'plot reaches inside the library'
refused src/draw/a.c '#include "plot/figure.h"\n' 'draw includes upwards'
refused src/plot/a.c '#include "cli/message.h"\n' 'plot includes upwards'
refused src/tools/a.c '#include <math.h>\n' 'is no layer'
refused src/math/attic/a.c '#include <math.h>\n' 'is no sublayer of math'
refused src/math/problem/a.c '#include "math/newton/b.h"\n' 'the sublayer problem includes upwards'
refused include/touchstone/a.h '#include "math/dense.h"\n' 'a public header includes the internal'
