// Bodies on a loose grid with random offsets fall into a box of planes.
#include "kinds.h"

#include "math/vec3.h"

#include <math.h>

static const double MASS = 4.0; // [kg]

grid grid_for(int bodies, double z)
{
  const int across = (int)ceil(cbrt(bodies));
  const double spacing = 2.2 * PILE_RADIUS, half = 0.5 * spacing * across;
  return (grid){{-half, -half, z}, across, spacing, 0.09 * PILE_RADIUS};
}

ts_vec3 grid_position(const grid *g, int i, ts_random *random)
{
  const int cell[3] = {i % g->across, i / g->across % g->across, i / (g->across * g->across)};
  double at[3];
  for (int k = 0; k < 3; ++k) at[k] = (cell[k] + 0.5) * g->spacing + ts_random_uniform(random, -g->offset, g->offset);
  return ts_add(g->least, ts_vec3_make(at[0], at[1], at[2]));
}

// As large as the spheres, about; boxes and capsules stand upright on the grid and topple.
scene_body mixed_body(recipe_kind kind, int i)
{
  const body_shape shapes[] = {BODY_SPHERE, BODY_BOX, BODY_CAPSULE};
  scene_body body = {.shape = kind == RECIPE_SPHERES ? BODY_SPHERE
                              : kind == RECIPE_BOXES ? BODY_BOX
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
  case BODY_CYLINDER: // not among them
    break;
  }
  return body;
}

void scatter(scene *s, const recipe *r, const grid *g)
{
  ts_random random;
  ts_random_init(&random, r->seed);
  for (int i = 0; i < s->body_count; ++i) {
    s->bodies[i] = mixed_body(r->kind, i);
    s->bodies[i].pose.position = grid_position(g, i, &random);
  }
}

void add_plane(scene *s, ts_vec3 normal, double offset)
{
  s->planes[s->plane_count++] = (scene_plane){normal, offset};
}

void add_floor_and_walls(scene *s, double half)
{
  const ts_vec3 normals[MAX_PLANES] = {{0, 0, 1}, {1, 0, 0}, {-1, 0, 0}, {0, 1, 0}, {0, -1, 0}};
  for (int k = 0; k < MAX_PLANES; ++k) add_plane(s, normals[k], k == 0 ? 0.0 : -half);
}

void make_pile(scene *s, const recipe *r)
{
  const grid g = grid_for(r->bodies, 0.0);
  add_floor_and_walls(s, 0.5 * g.spacing * g.across);
  scatter(s, r, &g);
}
