#include "shapes.h"

#include "math/vec3.h"

#include <math.h>

ts_vec3 random_vector(ts_random *random)
{
  const double x = ts_random_normal(random), y = ts_random_normal(random), z = ts_random_normal(random);
  return ts_vec3_make(x, y, z);
}

ts_vec3 random_direction(ts_random *random)
{
  return ts_normalize(random_vector(random), ts_vec3_make(1.0, 0.0, 0.0));
}

ts_quat random_rotation(ts_random *random)
{
  const ts_vec3 v = random_vector(random);
  return ts_quat_normalize((ts_quat){ts_random_normal(random), v.x, v.y, v.z});
}

ts_pose random_pose(ts_random *random, double size)
{
  return (ts_pose){ts_scale(size, random_vector(random)), random_rotation(random)};
}

bool kind_is_planar(ts_shape_kind kind)
{
  return kind == TS_SHAPE_DISC || kind == TS_SHAPE_POLYGON || kind == TS_SHAPE_SUPERELLIPSE;
}

double outside_hull(const ts_hull *hull, ts_vec3 point)
{
  double outside = -INFINITY;
  for (int f = 0; f < hull->face_count; ++f)
    outside = fmax(outside, ts_dot(hull->normals[f], point) - hull->offsets[f]);
  return outside;
}

static void fill_polytope(ts_random *random, double size, test_shape *made)
{
  made->shape.vertex_count = 4 + ts_random_below(random, ts_random_below(random, 2) ? 12 : 196);
  for (int i = 0; i < made->shape.vertex_count; ++i) {
    const ts_vec3 v = random_vector(random);
    made->vertices[i] = ts_scale(size, i % 2 ? ts_normalize(v, v) : v);
  }
}

// Corners at ascending angles about a point inside; the radius wavers as much as `rough` says.
static void fill_polygon(ts_random *random, double size, test_shape *made)
{
  const int count = made->shape.vertex_count = 3 + ts_random_below(random, 30);
  const double rough = ts_random_below(random, 3) ? ts_random_uniform(random, 0.1, 0.8) : 0.0;
  const double sense = ts_random_below(random, 2) ? 1.0 : -1.0;
  const ts_vec3 shift = ts_scale(size, random_vector(random));
  for (int i = 0; i < count; ++i) {
    const double angle = sense * 2.0 * TS_PI * (i + ts_random_uniform(random, 0.0, 0.7)) / count;
    const double radius = size * (1.0 - rough * ts_random_uniform(random, 0.0, 1.0));
    made->vertices[i] = ts_vec3_make(shift.x + radius * cos(angle), shift.y + radius * sin(angle), 0.0);
  }
}

double random_exponent(ts_random *random)
{
  static const double some[] = {2.0, 2.0, 2.2, 2.5, 3.0, 4.0, 7.0, 20.0, 100.0};
  return some[ts_random_below(random, 9)];
}

// The origin is inside of all members.
static void fill_intersection(ts_random *random, double size, test_shape *made)
{
  static const ts_shape_kind kinds[] = {TS_SHAPE_SPHERE, TS_SHAPE_BOX,       TS_SHAPE_CAPSULE,       TS_SHAPE_CYLINDER,
                                        TS_SHAPE_CONE,   TS_SHAPE_ELLIPSOID, TS_SHAPE_SUPERELLIPSOID};
  const int solids = 1 + ts_random_below(random, 2), planes = ts_random_below(random, 3);
  made->shape.members = made->members;
  made->shape.member_count = solids + planes;
  for (int i = 0; i < solids + planes; ++i) {
    ts_shape *member = &made->members[i].shape;
    *member = (ts_shape){.kind = i < solids ? kinds[ts_random_below(random, 7)] : TS_SHAPE_PLANE};
    member->radius = size * ts_random_uniform(random, 0.3, 0.8);
    member->top_radius = size * ts_random_uniform(random, 0.3, 0.8);
    member->length = size * ts_random_uniform(random, 0.6, 1.5);
    member->size.x = size * ts_random_uniform(random, 0.5, 1.0);
    member->size.y = size * ts_random_uniform(random, 0.5, 1.0);
    member->size.z = size * ts_random_uniform(random, 0.5, 1.0);
    member->exponents.x = random_exponent(random);
    member->exponents.y = random_exponent(random);
    member->exponents.z = random_exponent(random);
    member->normal = random_direction(random);
    member->offset = size * ts_random_uniform(random, 0.05, 0.3);
    made->members[i].pose = random_pose(random, 0.0);
    if (i < solids) made->members[i].pose.position = ts_scale(0.15 * size, random_direction(random));
  }
}

void random_shape(ts_random *random, ts_shape_kind kind, double size, test_shape *made)
{
  *made = (test_shape){.shape = {.kind = kind, .normal = random_direction(random), .vertices = made->vertices}};
  made->shape.offset = size * ts_random_normal(random);
  made->shape.radius = size * ts_random_uniform(random, 0.1, 1.0);
  made->shape.length = size * ts_random_uniform(random, 0.1, 2.0);
  made->shape.size.x = size * ts_random_uniform(random, 0.1, 1.0);
  made->shape.size.y = size * ts_random_uniform(random, 0.1, 1.0);
  made->shape.size.z = size * ts_random_uniform(random, 0.1, 1.0);
  if (kind == TS_SHAPE_CONE && ts_random_below(random, 2))
    made->shape.top_radius = size * ts_random_uniform(random, 0.0, 1.0);
  if (kind == TS_SHAPE_SUPERELLIPSOID || kind == TS_SHAPE_SUPERELLIPSE) {
    made->shape.exponents.x = random_exponent(random);
    made->shape.exponents.y = random_exponent(random);
    made->shape.exponents.z = random_exponent(random);
  }
  if (kind == TS_SHAPE_INTERSECTION) fill_intersection(random, size, made);
  if (kind == TS_SHAPE_POLYTOPE) fill_polytope(random, size, made);
  if (kind == TS_SHAPE_POLYGON) fill_polygon(random, size, made);
}
