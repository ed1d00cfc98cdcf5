#include "draw_shape.h"

#include "math/vec3.h"

#include <math.h>

ts_vec3 campaign_random_vector(ts_random *random, bool planar, double size)
{
  const double x = ts_random_uniform(random, -size, size), y = ts_random_uniform(random, -size, size);
  const double z = ts_random_uniform(random, -size, size);
  return ts_vec3_make(x, y, planar ? 0.0 : z);
}

ts_vec3 campaign_random_direction(ts_random *random, bool planar)
{
  const ts_vec3 v = {ts_random_normal(random), ts_random_normal(random), ts_random_normal(random)};
  return ts_normalize(ts_vec3_make(v.x, v.y, planar ? 0.0 : v.z), ts_vec3_make(1.0, 0.0, 0.0));
}

ts_quat campaign_random_rotation(ts_random *random)
{
  const ts_quat q = {ts_random_normal(random), ts_random_normal(random), ts_random_normal(random),
                     ts_random_normal(random)};
  return ts_quat_length(q) > 1e-3 ? ts_quat_normalize(q) : ts_quat_identity();
}

// ---- solids --------------------------------------------------------------------------------------------------------

static double part_of(ts_random *random, double size)
{
  return ts_random_uniform(random, 0.35, 1.0) * size;
}

// 2 is an ellipsoid; up to 30 covers rounded boxes.
static double random_exponent(ts_random *random)
{
  return ts_random_below(random, 3) == 0 ? 2.0 : exp(ts_random_uniform(random, log(2.0), log(30.0)));
}

static void draw_corners(campaign_part *part, ts_random *random, bool planar, double size)
{
  const int count = planar ? 3 + ts_random_below(random, 5) : 5 + ts_random_below(random, 8);
  part->shape.vertex_count = count;
  for (int i = 0; i < count; ++i) {
    if (planar) { // on an ellipse, in order: convex
      const double angle = 2.0 * TS_PI * (i + ts_random_uniform(random, 0.0, 0.6)) / count;
      part->corners[i] = ts_vec3_make(size * cos(angle), 0.7 * size * sin(angle), 0.0);
    } else {
      part->corners[i] = ts_scale(size, campaign_random_direction(random, false));
    }
  }
  part->shape.vertices = part->corners;
}

static void draw_solid(campaign_part *part, ts_random *random, bool plain, double size)
{
  static const ts_shape_kind kinds[] = {TS_SHAPE_SPHERE,         TS_SHAPE_BOX,       TS_SHAPE_CAPSULE,
                                        TS_SHAPE_CYLINDER,       TS_SHAPE_ELLIPSOID, TS_SHAPE_POLYTOPE,
                                        TS_SHAPE_SUPERELLIPSOID, TS_SHAPE_CONE,      TS_SHAPE_BOX,
                                        TS_SHAPE_SPHERE};
  ts_shape *s = &part->shape;
  const double a = part_of(random, size), b = part_of(random, size), c = part_of(random, size);
  s->kind = kinds[ts_random_below(random, plain ? 4 : 10)];
  s->radius = s->kind == TS_SHAPE_SPHERE ? a : 0.6 * a;
  s->length = b;
  s->top_radius = ts_random_below(random, 2) ? 0.0 : 0.5 * s->radius;
  s->size = ts_vec3_make(a, b, c);
  part->reach = s->kind == TS_SHAPE_SPHERE    ? a
                : s->kind == TS_SHAPE_BOX     ? 0.5 * ts_length(s->size)
                : s->kind == TS_SHAPE_CAPSULE ? 0.5 * b + s->radius
                                              : hypot(0.5 * b, s->radius);
  if (s->kind == TS_SHAPE_ELLIPSOID) part->reach = fmax(a, fmax(b, c));
  if (s->kind == TS_SHAPE_SUPERELLIPSOID) {
    s->exponents = ts_vec3_make(random_exponent(random), random_exponent(random), random_exponent(random));
    part->reach = ts_length(s->size);
  }
  if (s->kind == TS_SHAPE_POLYTOPE) {
    draw_corners(part, random, false, size);
    part->reach = size;
  }
}

static void draw_flat(campaign_part *part, ts_random *random, bool plain, double size)
{
  static const ts_shape_kind kinds[] = {TS_SHAPE_DISC, TS_SHAPE_BOX, TS_SHAPE_POLYGON, TS_SHAPE_SUPERELLIPSE};
  ts_shape *s = &part->shape;
  const double a = part_of(random, size), b = part_of(random, size);
  s->kind = kinds[ts_random_below(random, plain ? 2 : 4)];
  s->radius = a;
  s->size = ts_vec3_make(a, b, 0.0);
  part->reach = s->kind == TS_SHAPE_DISC ? a : s->kind == TS_SHAPE_BOX ? 0.5 * hypot(a, b) : size;
  if (s->kind == TS_SHAPE_POLYGON) draw_corners(part, random, true, size);
  if (s->kind == TS_SHAPE_SUPERELLIPSE) {
    s->exponents = ts_vec3_make(random_exponent(random), random_exponent(random), 2.0);
    part->reach = hypot(a, b);
  }
}

// A mesh of two tetrahedra in 0 <= x, y <= 1, 0 <= z <= 3, scaled to the size
static void draw_mesh(campaign_part *part, double size)
{
  part->mesh = "two_tetrahedra.obj";
  part->has_support = false;
  part->shape = (ts_shape){.kind = TS_SHAPE_POLYTOPE, .length = size / 3.0}; // length: the scale
  part->reach = 1.05 * size;
}

void campaign_draw_shape(campaign_part *part, ts_random *random, bool planar, bool plain, double size)
{
  *part = (campaign_part){.pose = ts_pose_identity(), .has_support = true};
  if (planar)
    draw_flat(part, random, plain, size);
  else if (!plain && ts_random_below(random, 25) == 0)
    draw_mesh(part, size);
  else
    draw_solid(part, random, plain, size);
}
