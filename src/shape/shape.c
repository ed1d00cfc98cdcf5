#include "touchstone/shape.h"

#include "shape/convex.h"
#include "shape/hull.h"
#include "shape/mass.h"
#include "shape/outline.h"
#include "shape/scratch.h"

#include "base/require.h"
#include "base/status.h"

#include <math.h>

#define NAME(kind, name, space, help)    name,
#define SUMMARY(kind, name, space, help) help,
static const char *const names[] = {TS_SHAPE_LIST(NAME)};
static const char *const summaries[] = {TS_SHAPE_LIST(SUMMARY)};
#undef NAME
#undef SUMMARY

static bool is_kind(ts_shape_kind kind)
{
  return (unsigned)kind < TS_SHAPE_COUNT;
}

const char *ts_shape_name(ts_shape_kind kind)
{
  return is_kind(kind) ? names[kind] : "unknown shape";
}

const char *ts_shape_summary(ts_shape_kind kind)
{
  return is_kind(kind) ? summaries[kind] : "unknown shape";
}

// Lengths between these leave room for what is computed from them: inertias go with their fifth power.
static const double SMALLEST_LENGTH = 1e-30, LARGEST_LENGTH = 1e30;

static ts_status check_length(const ts_shape *shape, const char *quantity, double value, ts_error *error)
{
  if (value >= SMALLEST_LENGTH && value <= LARGEST_LENGTH) return TS_OK;
  if (!(value > 0.0))
    return ts_fail(error, TS_INVALID, "the %s of a %s must be a positive number, not %g", quantity, names[shape->kind],
                   value);
  return ts_fail(error, TS_INVALID, "the %s of a %s must be between %g and %g, not %g", quantity, names[shape->kind],
                 SMALLEST_LENGTH, LARGEST_LENGTH, value);
}

static ts_status check_size(const ts_shape *shape, const char *what, ts_error *error)
{
  const double sizes[3] = {shape->size.x, shape->size.y, shape->size.z};
  for (int k = 0; k < 3; ++k) TS_TRY(check_length(shape, what, sizes[k], error));
  return TS_OK;
}

static bool is_moderate(double coordinate)
{
  return fabs(coordinate) <= LARGEST_LENGTH; // and a number
}

static ts_status check_plane(const ts_shape *shape, ts_error *error)
{
  const double length = ts_length(shape->normal);
  if (!(length >= SMALLEST_LENGTH && length <= LARGEST_LENGTH))
    return ts_fail(error, TS_INVALID, "the normal of a plane must have a direction, not [%g, %g, %g]", shape->normal.x,
                   shape->normal.y, shape->normal.z);
  if (!is_moderate(shape->offset))
    return ts_fail(error, TS_INVALID, "the offset of a plane must be a number of at most %g, not %g", LARGEST_LENGTH,
                   shape->offset);
  return TS_OK;
}

static ts_status check_vertices(const ts_shape *shape, ts_error *error)
{
  if (shape->vertex_count > 0 && !shape->vertices)
    return ts_fail(error, TS_INVALID, "a %s has no vertices", names[shape->kind]);
  double extent = 0.0;
  for (int i = 0; i < shape->vertex_count; ++i) {
    const ts_vec3 v = shape->vertices[i], first = shape->vertices[0];
    if (!is_moderate(v.x) || !is_moderate(v.y) || !is_moderate(v.z))
      return ts_fail(error, TS_INVALID, "vertex %d of a %s must be numbers of at most %g, not [%g, %g, %g]", i + 1,
                     names[shape->kind], LARGEST_LENGTH, v.x, v.y, v.z);
    extent = fmax(extent, fmax(fmax(fabs(v.x - first.x), fabs(v.y - first.y)), fabs(v.z - first.z)));
  }
  if (shape->vertex_count > 1 && extent < SMALLEST_LENGTH)
    return ts_fail(error, TS_INVALID, "the vertices of a %s lie within %g of each other", names[shape->kind],
                   SMALLEST_LENGTH);
  return TS_OK;
}

static ts_status check_is_planar(const ts_shape *shape, ts_error *error)
{
  for (int i = 0; i < shape->vertex_count; ++i)
    if (shape->vertices[i].z != 0.0)
      return ts_fail(error, TS_INVALID, "corner %d of a polygon must lie in the plane z = 0, not at z = %g", i + 1,
                     shape->vertices[i].z);
  return TS_OK;
}

typedef struct task {
  const ts_shape *shape;
  ts_mass_properties *properties;
  ts_error *error;
} task;

static ts_status try_hull(void *given, ts_arena *arena)
{
  const task *t = given;
  const ts_hull *hull;
  return ts_hull_build(t->shape->vertices, t->shape->vertex_count, arena, &hull, t->error);
}

static ts_status try_outline(void *given, ts_arena *arena)
{
  const task *t = given;
  const ts_hull *hulls;
  int count;
  return ts_outline_pieces(t->shape->vertices, t->shape->vertex_count, arena, &hulls, &count, t->error);
}

ts_status ts_shape_check(const ts_shape *shape, ts_error *error)
{
  TS_REFUSE_UNLESS(shape, error);
  task t = {.shape = shape, .error = error};
  switch (shape->kind) {
  case TS_SHAPE_PLANE:
    return check_plane(shape, error);
  case TS_SHAPE_POINT:
    return TS_OK;
  case TS_SHAPE_SPHERE:
  case TS_SHAPE_DISC:
    return check_length(shape, "radius", shape->radius, error);
  case TS_SHAPE_CAPSULE:
  case TS_SHAPE_CYLINDER:
    TS_TRY(check_length(shape, "radius", shape->radius, error));
    return check_length(shape, "length", shape->length, error);
  case TS_SHAPE_BOX:
    return check_size(shape, "size", error);
  case TS_SHAPE_ELLIPSOID:
    return check_size(shape, "semi-axis", error);
  case TS_SHAPE_POLYTOPE:
    TS_TRY(check_vertices(shape, error));
    return ts_with_own_memory(try_hull, &t, error);
  case TS_SHAPE_POLYGON:
    TS_TRY(check_vertices(shape, error));
    TS_TRY(check_is_planar(shape, error));
    return ts_with_own_memory(try_outline, &t, error);
  default:
    return ts_fail(error, TS_INVALID, "there is no shape of kind %d", (int)shape->kind);
  }
}

static ts_status weigh(void *given, ts_arena *arena)
{
  const task *t = given;
  int count;
  const ts_convex *pieces = ts_convex_pieces(t->shape, arena, &count);
  *t->properties = ts_pieces_mass(pieces, count);
  return TS_OK;
}

ts_status ts_shape_mass_properties(const ts_shape *shape, ts_mass_properties *properties, ts_error *error)
{
  TS_REFUSE_UNLESS(shape, error);
  TS_REFUSE_UNLESS(properties, error);
  *properties = (ts_mass_properties){0};
  TS_TRY(ts_shape_check(shape, error));
  task t = {shape, properties, error};
  return ts_with_own_memory(weigh, &t, error);
}
