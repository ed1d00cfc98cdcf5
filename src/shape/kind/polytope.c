// The convex hull of points.
#include "shape/checks.h"
#include "shape/hull.h"
#include "shape/hull_part.h"
#include "shape/mass.h"
#include "shape/scratch.h"
#include "shape/shape_type.h"
#include "shape/wide_faces.h"

#include "base/assert.h"

static const char *const convexities[] = {"hull", "parts", NULL};
static const ts_key keys[] = {
    {"vertices", TS_VALUE_VECTORS, "m", .least = 4, .most = TS_ANY_NUMBER, .help = "points, not all in a plane",
     .offset = offsetof(ts_shape, vertices)},
    {"file", TS_VALUE_TEXT, .above_zero = true,
     .help = "OBJ, STL or COLLADA file with the points, beside the scene file"},
    {"scale", TS_VALUE_NUMBER, .range = TS_RANGE_POSITIVE, .fallback = "1", .help = "factor on the file's coordinates"},
    {"convex", TS_VALUE_CHOICE, .choices = convexities, .fallback = "hull",
     .help = "hull: of all points of the file; parts: of each of its connected pieces, a compound"},
};
static const ts_rule rules[] = {
    {TS_RULE_EXACTLY_ONE, {"vertices", "file"}},
    {TS_RULE_NEEDS, {"scale", "file"}},
    {TS_RULE_NEEDS, {"convex", "file"}},
};
static const ts_section section = {"a polytope", TS_KEYS(keys), TS_RULES(rules)};

typedef struct task {
  const ts_shape *shape;
  ts_error *error;
} task;

static ts_status try_hull(void *given, ts_arena *arena)
{
  const task *t = given;
  const ts_hull *built;
  return ts_hull_build(t->shape->vertices, t->shape->vertex_count, arena, &built, t->error);
}

static ts_status check(const ts_shape *shape, ts_error *error)
{
  TS_TRY(ts_check_vertices(shape, error));
  return ts_with_own_memory(try_hull, &(task){shape, error}, error);
}

static ts_status build(const ts_shape *shape, ts_arena *arena, const ts_hull **built)
{
  const ts_status status = ts_hull_build(shape->vertices, shape->vertex_count, arena, built, NULL);
  if (status == TS_OUT_OF_MEMORY) longjmp(*arena->recovery, 1);
  return status;
}

static void draw(const ts_shape *shape, const ts_face_sink *sink)
{
  const ts_hull *built;
  if (build(shape, sink->arena, &built) != TS_OK) return; // what is flat has no faces
  const ts_hull *wide = ts_wide_faces(built, sink->arena);
  ts_draw_hull(sink, wide ? wide : built);
}

static const ts_hull *hull(const ts_shape *shape, ts_arena *arena)
{
  const ts_hull *built = NULL;
  const ts_status status = build(shape, arena, &built);
  TS_ASSERT(status == TS_OK); // as ts_shape_check() found
  ts_hull *hull = ts_arena_bytes(arena, 1, sizeof *hull);
  *hull = *built;
  hull->wide = ts_wide_faces(built, arena);
  return hull;
}

// What the normal of a wide face may cost besides: its triangles are tilted against it by up to the slack over their
// width, which shows at both ends of the other part's face.
static double slack(const ts_convex *part)
{
  return 4.0 * ts_patch_hull(part)->slack;
}

const ts_shape_type ts_shape_type_polytope = {
    .key = {"polytope", TS_VALUE_MAP, .section = &section, .spaces = "3d", .help = "convex hull of points"},
    .in_space = true,
    .has_vertices = true,
    .check = check,
    .draw = draw,
    .hull = hull,
    .support = ts_hull_support,
    .bounds = ts_hull_bounds,
    .inner_radius = ts_hull_inner_radius,
    .implicit_count = ts_hull_implicit_count,
    .implicit_value = ts_hull_implicit_value,
    .mass = ts_hull_mass,
    .core = TS_CORE_HULL,
    .look = ts_hull_look,
    .face_normal = ts_hull_face_normal,
    .slack = slack,
    .widest = ts_hull_widest,
    .edge = ts_hull_edge,
    .on_plane = ts_vertices_on_plane,
};
