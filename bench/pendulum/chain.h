// Chains of n spheres of 1 kg, 12 m long, as scenes for all engines (reference-numbers.md 6.1).
#ifndef BENCH_PENDULUM_CHAIN_H
#define BENCH_PENDULUM_CHAIN_H

#include "scene.h"

typedef enum chain_kind {
  CHAIN_SWINGS, // T<n> of 001's Table I: from the horizontal onto floor and wall, 5 s in steps of 0.1 ms
  CHAIN_RESTS   // hangs, the last four spheres in a line on the floor
} chain_kind;

// Release with scene_release(). `name` and `title` point into static memory of the two kinds.
void chain_init(scene *s, chain_kind kind, int links);

#endif
