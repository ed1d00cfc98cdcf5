// The tables of bench_step.
#ifndef BENCH_STEP_REPORT_H
#define BENCH_STEP_REPORT_H

#include "measure.h"

#include <stdio.h>

// Which engines take part, with which settings
void report_engines(FILE *out, const engine *const *engines, int count);

// A scene's table: Touchstone is results[0]
void report_scene(FILE *out, const scene *s, const measurement *results, int count);

// What the times are meant to reach, and whether they do. Row i of `results`, `count` long, is scene i; scenes that did
// not run have ran == false throughout.
void report_targets(FILE *out, const measurement *results, int count);

#endif
