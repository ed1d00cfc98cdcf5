// What the kinds of scenes are made by: each gets a scene that has its bodies' memory, gravity and friction.
#ifndef BENCH_SCALE_KINDS_H
#define BENCH_SCALE_KINDS_H

#include "recipe.h"

#include "base/random.h"

// A loose grid that bodies begin on
typedef struct grid {
  ts_vec3 least;  // corner [m]
  int across;     // bodies along x and along y, layers above each other
  double spacing; // [m]
  double offset;  // at random, in each direction [m]
} grid;
// As wide as it is high, for as many bodies, its middle on the z axis and its lowest layer above z
grid grid_for(int bodies, double z);

// Body i: where it begins, and what it is in a mix
ts_vec3 grid_position(const grid *g, int i, ts_random *random);
scene_body mixed_body(recipe_kind kind, int i);
void scatter(scene *s, const recipe *r, const grid *g); // all bodies on the grid

void add_plane(scene *s, ts_vec3 normal, double offset);
void add_floor_and_walls(scene *s, double half); // planes at +-half

void make_pile(scene *s, const recipe *r);
void make_wall(scene *s, const recipe *r);
void make_hopper(scene *s, const recipe *r);
void make_tumbler(scene *s, const recipe *r);
void make_ropes(scene *s, const recipe *r);

#endif
