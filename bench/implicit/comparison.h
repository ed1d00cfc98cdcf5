// Scenes in which line and surface contact matters, for all engines of bench/step.
#ifndef BENCH_IMPLICIT_COMPARISON_H
#define BENCH_IMPLICIT_COMPARISON_H

#include "measure.h"

enum { COMPARISONS = 3 };

// Release with scene_release().
void comparison_init(scene *s, int i);

// The stepper `implicit` first, then the engines of bench/step; NULL past the last one
const engine *comparison_engine(int i);

#endif
