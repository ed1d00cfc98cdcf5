#include "touchstone/shape.h"

#include "shape/mass.h"
#include "shape/scratch.h"
#include "shape/shape_type.h"

#include "base/require.h"
#include "base/status.h"

#include <math.h>

static bool is_kind(ts_shape_kind kind)
{
  return (unsigned)kind < TS_SHAPE_KINDS;
}

const char *ts_shape_name(ts_shape_kind kind)
{
  return is_kind(kind) ? ts_shape_type_of(kind)->key.name : "unknown shape";
}

const char *ts_shape_summary(ts_shape_kind kind)
{
  return is_kind(kind) ? ts_shape_type_of(kind)->key.help : "unknown shape";
}

ts_status ts_shape_check(const ts_shape *shape, ts_error *error)
{
  TS_REFUSE_UNLESS(shape, error);
  if (!is_kind(shape->kind)) return ts_fail(error, TS_INVALID, "there is no shape of kind %d", (int)shape->kind);
  const ts_shape_type *type = ts_shape_type_of(shape->kind);
  return type->check ? type->check(shape, error) : TS_OK;
}

static double furthest_vertex(const ts_shape *shape, ts_vec3 direction)
{
  double furthest = -INFINITY;
  for (int i = 0; i < shape->vertex_count; ++i) furthest = fmax(furthest, ts_dot(direction, shape->vertices[i]));
  return furthest;
}

typedef struct reach_task {
  const ts_shape *shape;
  ts_vec3 direction;
  double reach;
} reach_task;

static ts_status reach_of_pieces(void *given, ts_arena *arena)
{
  reach_task *t = given;
  int count;
  const ts_convex *pieces = ts_convex_pieces(t->shape, arena, &count);
  for (int i = 0; i < count; ++i)
    t->reach = fmax(t->reach, ts_dot(t->direction, ts_convex_support(&pieces[i], t->direction)));
  return TS_OK;
}

double ts_shape_reach(const ts_shape *shape, ts_vec3 direction)
{
  TS_REQUIRE(shape && is_kind(shape->kind));
  const ts_shape_type *type = ts_shape_type_of(shape->kind);
  ts_convex part = {.kind = shape->kind, .shape = shape};
  if (type->has_vertices) return furthest_vertex(shape, direction);
  if (type->pieces) {
    reach_task t = {shape, direction, -INFINITY};
    return ts_with_own_memory(reach_of_pieces, &t, NULL) == TS_OK ? t.reach : INFINITY;
  }
  if (type->measure) type->measure(shape, &part);
  return isfinite(part.reach) ? ts_dot(direction, type->support(&part, direction)) : INFINITY;
}

typedef struct task {
  const ts_shape *shape;
  ts_mass_properties *properties;
  ts_face_sink sink;
} task;

static ts_status draw(void *given, ts_arena *arena)
{
  task *t = given;
  t->sink.arena = arena;
  ts_shape_type_of(t->shape->kind)->draw(t->shape, &t->sink);
  return TS_OK;
}

ts_status ts_shape_draw(const ts_shape *shape, ts_shape_face *face, void *user, ts_error *error)
{
  TS_REFUSE_UNLESS(shape, error);
  TS_REFUSE_UNLESS(is_kind(shape->kind), error);
  TS_REFUSE_UNLESS(face, error);
  task t = {.shape = shape, .sink = {.face = face, .user = user}};
  return ts_shape_type_of(shape->kind)->draw ? ts_with_own_memory(draw, &t, error) : TS_OK;
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
  task t = {.shape = shape, .properties = properties};
  return ts_with_own_memory(weigh, &t, error);
}
