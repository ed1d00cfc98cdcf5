#include "pile.h"

#include "base/random.h"
#include "math/vec3.h"

#include <math.h>
#include <stdio.h>
#include <stdlib.h>

static const double MASS = 4.0, SPACING = 2.2 * PILE_RADIUS, OFFSET = 0.09 * PILE_RADIUS; // [kg, m, m]

const char *pile_kind_name(pile_kind kind)
{
  static const char *const names[PILE_KIND_COUNT] = {"spheres", "boxes", "mixed"};
  return names[kind];
}

// As large as the spheres, about; boxes and capsules stand upright on the grid and topple.
static scene_body body_of(pile_kind kind, int i)
{
  const body_shape shapes[] = {BODY_SPHERE, BODY_BOX, BODY_CAPSULE};
  scene_body body = {.shape = kind == PILE_SPHERES ? BODY_SPHERE
                              : kind == PILE_BOXES ? BODY_BOX
                                                   : shapes[i % 3],
                     .mass = MASS,
                     .pose.orientation = ts_quat_identity()};
  switch (body.shape) {
  case BODY_SPHERE:
    body.radius = PILE_RADIUS;
    break;
  case BODY_BOX:
    body.size = ts_vec3_make(1.6 * PILE_RADIUS, 1.3 * PILE_RADIUS, 1.8 * PILE_RADIUS);
    break;
  case BODY_CAPSULE:
    body.radius = 0.5 * PILE_RADIUS;
    body.length = 0.9 * PILE_RADIUS;
    break;
  }
  return body;
}

static void add_walls(scene *s, double half)
{
  const ts_vec3 normals[MAX_PLANES] = {{0, 0, 1}, {1, 0, 0}, {-1, 0, 0}, {0, 1, 0}, {0, -1, 0}};
  s->plane_count = MAX_PLANES;
  for (int k = 0; k < MAX_PLANES; ++k) s->planes[k] = (scene_plane){normals[k], k == 0 ? 0.0 : -half};
}

void pile_init(scene *s, const pile_recipe *recipe)
{
  const int side = (int)ceil(cbrt(recipe->bodies));
  const double half = 0.5 * SPACING * side;
  *s = (scene){.name = pile_kind_name(recipe->kind),
               .step_size = 5e-3,
               .gravity = 9.81,
               .friction = recipe->friction,
               .tolerance = 1e-6,
               .body_count = recipe->bodies,
               .bodies = calloc((size_t)recipe->bodies, sizeof *s->bodies)};
  if (!s->bodies) {
    fprintf(stderr, "bench_scale: out of memory\n");
    exit(EXIT_FAILURE);
  }
  add_walls(s, half);
  ts_random random;
  ts_random_init(&random, recipe->seed);
  for (int i = 0; i < recipe->bodies; ++i) {
    const int cell[3] = {i % side, i / side % side, i / (side * side)};
    double at[3];
    for (int k = 0; k < 3; ++k)
      at[k] = (cell[k] + 0.5) * SPACING - (k < 2 ? half : 0.0) + ts_random_uniform(&random, -OFFSET, OFFSET);
    s->bodies[i] = body_of(recipe->kind, i);
    s->bodies[i].pose.position = ts_vec3_make(at[0], at[1], at[2]);
  }
}
