// Scenes of any number of bodies, each kind with a recipe: what falls, and into what.
#ifndef BENCH_SCALE_RECIPE_H
#define BENCH_SCALE_RECIPE_H

#include "scene.h"

#include <stdint.h>

typedef enum recipe_kind {
  RECIPE_SPHERES, // on a loose grid, fall into a box of planes
  RECIPE_BOXES,   // the same of boxes
  RECIPE_MIXED,   // the same of spheres, boxes and capsules in turn
  RECIPE_WALL,    // bricks in running bond, hit by a ball, which is the last body
  RECIPE_HOPPER,  // mixed bodies run over four inclined plates through an opening
  RECIPE_TUMBLER, // mixed bodies in a drum of eight plates that turns
  RECIPE_ROPES,   // capsules in chains of ten with ball joints fall across each other
  RECIPE_KIND_COUNT
} recipe_kind;
const char *recipe_kind_name(recipe_kind kind); // "spheres", ...

typedef struct recipe {
  recipe_kind kind;
  int bodies;
  double friction;
  uint64_t seed; // of the offsets
} recipe;

// Release with scene_release().
void recipe_init(scene *s, const recipe *recipe);

#endif
