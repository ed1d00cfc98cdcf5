// Piles of any size: bodies on a loose grid with random offsets fall into a box of planes.
#ifndef BENCH_SCALE_PILE_H
#define BENCH_SCALE_PILE_H

#include "scene.h"

#include <stdint.h>

typedef enum pile_kind { PILE_SPHERES, PILE_BOXES, PILE_MIXED, PILE_KIND_COUNT } pile_kind;
const char *pile_kind_name(pile_kind kind); // "spheres", "boxes", "mixed"

typedef struct pile_recipe {
  pile_kind kind;
  int bodies;
  double friction;
  uint64_t seed;
} pile_recipe;

// Release with scene_release().
void pile_init(scene *s, const pile_recipe *recipe);

#endif
