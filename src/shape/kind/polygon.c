// A polygon in the plane z = 0, convex or not.
#include "shape/checks.h"
#include "shape/hull_part.h"
#include "shape/mass.h"
#include "shape/outline.h"
#include "shape/scratch.h"
#include "shape/shape_type.h"

#include "base/assert.h"

static const ts_key keys[] = {
    {"vertices", TS_VALUE_VECTORS, "m", .least = 3, .most = TS_ANY_NUMBER, .required = true,
     .help = "corners in order, either way round; the outline must not cross itself",
     .offset = offsetof(ts_shape, vertices)},
};
static const ts_section section = {"a polygon", TS_KEYS(keys)};

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
  ts_error *error;
} task;

static ts_status try_outline(void *given, ts_arena *arena)
{
  const task *t = given;
  const ts_hull *hulls;
  int count;
  return ts_outline_pieces(t->shape->vertices, t->shape->vertex_count, arena, &hulls, &count, t->error);
}

static ts_status check(const ts_shape *shape, ts_error *error)
{
  TS_TRY(ts_check_vertices(shape, error));
  TS_TRY(check_is_planar(shape, error));
  return ts_with_own_memory(try_outline, &(task){shape, error}, error);
}

static void draw(const ts_shape *shape, const ts_face_sink *sink)
{
  sink->face(sink->user, shape->vertices, shape->vertex_count, ts_vec3_make(0.0, 0.0, 1.0), false);
}

static const ts_convex *pieces(const ts_shape *shape, ts_arena *arena, int *count)
{
  const ts_hull *hulls = NULL;
  const ts_status status = ts_outline_pieces(shape->vertices, shape->vertex_count, arena, &hulls, count, NULL);
  TS_ASSERT(status == TS_OK); // as ts_shape_check() found
  (void)status;
  ts_convex *parts = ts_arena_bytes(arena, (size_t)*count, sizeof *parts);
  for (int i = 0; i < *count; ++i) {
    parts[i] = (ts_convex){.kind = TS_SHAPE_POLYGON};
    ts_take_hull(parts + i, hulls + i, arena);
  }
  return parts;
}

const ts_shape_type ts_shape_type_polygon = {
    .key = {"polygon", TS_VALUE_MAP, .section = &section, .spaces = TS_PLANE, .help = "polygon, convex or not"},
    .in_plane = true,
    .has_vertices = true,
    .check = check,
    .draw = draw,
    .pieces = pieces,
    .support = ts_hull_support,
    .bounds = ts_hull_bounds,
    .inner_radius = ts_hull_inner_radius,
    .implicit_count = ts_hull_implicit_count,
    .implicit_value = ts_hull_implicit_value,
    .mass = ts_outline_mass,
    .core = TS_CORE_HULL,
    .on_plane = ts_vertices_on_plane,
};
