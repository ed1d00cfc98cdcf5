// The points that several convex shapes have in common.
#include "shape/intersection_part.h"

#include "shape/convex_program.h"
#include "shape/faces.h"
#include "shape/intersection_faces.h"
#include "shape/scratch.h"
#include "shape/shape_type.h"

#include "schema/orientation_keys.h"

#include "base/assert.h"

// Of the size: closer to a function's surface a point lies on it.
static const double ON = TS_FEATURE_NEAR;

// Cosine of the angle to a flat face within which its corners may lie on a plane.
static const double STANDING = 0.70710678118654752;

static const ts_rule member_rules[] = {{TS_RULE_EXACTLY_ONE, {NULL}}};
static const ts_section any_shape = {"a shape", "SHAPE", .key_at = ts_shape_key_at, .key_count = TS_SHAPE_KINDS,
                                     TS_RULES(member_rules)};
static const ts_key member_keys[] = {
    {"position", TS_VALUE_VECTOR, "m", .fallback = "0", .help = "of the shape in the intersection's frame"},
    TS_ORIENTATION_ROWS,
    {"angle", TS_VALUE_NUMBER, "rad", .spaces = TS_PLANE, .fallback = "0", .help = "orientation in that frame"},
};
static const ts_section member_section = {"a member of an intersection", TS_KEYS(member_keys), .base = &any_shape};
static const ts_key keys[] = {
    {"members", TS_VALUE_MAPS, .section = &member_section, .least = 1, .most = TS_INTERSECTION_MOST_MEMBERS,
     .required = true, .help = "convex shapes, planes among them: what all of them hold",
     .offset = offsetof(ts_shape, members)},
};
static const ts_section section = {"an intersection", TS_KEYS(keys)};

// ---- as it is given

typedef struct task {
  const ts_shape *shape;
  ts_error *error;
} task;

static ts_status try_to_build(void *given, ts_arena *arena)
{
  const task *t = given;
  const ts_convex *part;
  return ts_intersection_build(t->shape, arena, &part, t->error);
}

static ts_status check(const ts_shape *shape, ts_error *error)
{
  return ts_with_own_memory(try_to_build, &(task){shape, error}, error);
}

static void normalize(ts_shape *copy, ts_arena *arena)
{
  ts_shape_member *members = ts_arena_bytes(arena, (size_t)copy->member_count, sizeof *members);
  for (int i = 0; i < copy->member_count; ++i) {
    members[i].shape = ts_shape_copy(&copy->members[i].shape, arena);
    members[i].pose = copy->members[i].pose;
    members[i].pose.orientation = ts_quat_normalize(members[i].pose.orientation);
  }
  copy->members = members;
}

static const ts_convex *pieces(const ts_shape *shape, ts_arena *arena, int *count)
{
  const ts_convex *part = NULL;
  const ts_status status = ts_intersection_build(shape, arena, &part, NULL);
  TS_ASSERT(status == TS_OK); // as ts_shape_check() found
  (void)status;
  *count = 1;
  return part;
}

static void draw(const ts_shape *shape, const ts_face_sink *sink)
{
  const ts_convex *part;
  if (ts_intersection_build(shape, sink->arena, &part, NULL) == TS_OK) ts_draw_part(sink, part);
}

// ---- as a part

static ts_bounds bounds(const ts_convex *part, const ts_frame *frame)
{
  const ts_mat3 rows = ts_mat3_transpose(&frame->axes);
  const ts_vec3 row[3] = {rows.x, rows.y, rows.z};
  double low[3], high[3];
  for (int k = 0; k < 3; ++k) {
    high[k] = ts_dot(row[k], ts_intersection_support(part, row[k]));
    low[k] = ts_dot(row[k], ts_intersection_support(part, ts_negate(row[k])));
  }
  return (ts_bounds){ts_add(frame->origin, ts_vec3_make(low[0], low[1], low[2])),
                     ts_add(frame->origin, ts_vec3_make(high[0], high[1], high[2]))};
}

static double inner_radius(const ts_convex *part)
{
  return part->radius;
}

static int implicit_count(const ts_convex *part)
{
  return part->meet->function_count;
}

// ---- distances

static ts_feature smooth(const ts_core *core)
{
  return (ts_feature){.kind = TS_FEATURE_SMOOTH, .core = core, .point = ts_core_middle(core)};
}

// Functions on whose surface the point lies: two of them at most, and how many there are.
static int functions_at(const ts_convex *part, ts_vec3 point, int found[2])
{
  int count = 0;
  for (int i = 0; i < part->meet->function_count; ++i) {
    if (ts_intersection_value(part, i, point, NULL, NULL) < -ON * part->meet->size) continue;
    if (count < 2) found[count] = i;
    ++count;
  }
  return count;
}

// A round side of a member, which is touched along a line
static ts_feature side_of_member(const ts_core *core, int function, ts_vec3 point, ts_vec3 outward)
{
  const ts_intersection_member *m = ts_intersection_member_at(core->part->meet, function);
  const ts_shape_type *type = ts_shape_type_of(m->part->kind);
  const ts_core member = {
      m->part,
      type->core,
      0.0,
      {ts_frame_apply(&core->frame, m->frame.origin), ts_mat3_product(&core->frame.axes, &m->frame.axes)}};
  const ts_vec3 x = ts_frame_unapply(&m->frame, point);
  if (type->core == TS_CORE_SEGMENT && fabs(x.z) < m->part->half_length)
    return ts_feature_line(core, member.frame.origin, member.frame.axes.z, m->part->radius, 0.0, 1.0);
  if (!type->feature_at) return smooth(core);
  ts_feature feature = type->feature_at(&member, x, ts_mul_transposed(&m->frame.axes, outward));
  if (feature.kind != TS_FEATURE_LINE) return smooth(core);
  feature.core = core;
  return feature;
}

// The edge between two surfaces, if it is straight: neither bends along it.
static ts_feature edge_of(const ts_core *core, const int functions[2], ts_vec3 point)
{
  ts_vec3 g[2];
  ts_mat3 H[2];
  for (int k = 0; k < 2; ++k) ts_intersection_value(core->part, functions[k], point, &g[k], &H[k]);
  const ts_vec3 both = ts_cross(g[0], g[1]);
  const double sine = ts_length(both) / (ts_length(g[0]) * ts_length(g[1]));
  if (!(sine > ON)) return smooth(core);
  const ts_vec3 along = ts_normalize(both, both);
  const double bent = fabs(ts_dot(along, ts_mul(&H[0], along))) + fabs(ts_dot(along, ts_mul(&H[1], along)));
  if (bent * core->part->meet->size > 1e-9) return smooth(core);
  return ts_feature_line(core, ts_frame_apply(&core->frame, point), ts_mul(&core->frame.axes, along), 0.0, 0.0, 1.0);
}

// A flat face where the point lies inside of one, a round side of a member, a straight edge. Corners and curved edges
// are smooth enough: directions turn about them as about surfaces, of no or one curvature.
static ts_feature feature_at(const ts_core *core, ts_vec3 point, ts_vec3 outward)
{
  const ts_intersection *meet = core->part->meet;
  int functions[2];
  const int count = functions_at(core->part, point, functions);
  if (count == 2) return edge_of(core, functions, point);
  if (count != 1) return smooth(core);
  for (int f = 0; f < meet->flats->face_count; ++f)
    if (meet->flat_functions[f] == functions[0])
      return ts_feature_flat(core, ts_frame_apply(&core->frame, meet->flats->vertices[meet->flats->face_start[f]]),
                             ts_mul(&core->frame.axes, meet->flats->normals[f]));
  return side_of_member(core, functions[0], point, outward);
}

static ts_vec3 bend(const ts_core *core, ts_vec3 m, ts_vec3 t)
{
  const ts_convex *part = core->part;
  const ts_vec3 n = ts_mul_transposed(&core->frame.axes, m);
  const ts_held_point held = ts_program_furthest(part, n, part->middle, part->meet->size);
  const ts_vec3 turned = ts_mul_transposed(&core->frame.axes, t);
  return ts_mul(&core->frame.axes, ts_program_bend(part, &held, turned, part->meet->size));
}

// ---- contact points

static ts_facing look(const ts_convex *part, ts_vec3 direction)
{
  const ts_hull *flats = part->meet->flats;
  ts_facing facing = {0};
  for (int f = 0; f < flats->face_count; ++f) {
    const double flatness = ts_dot(flats->normals[f], direction);
    if (flatness > facing.flatness) facing = (ts_facing){.flatness = flatness, .face = f};
  }
  return facing;
}

static ts_vec3 face_normal(const ts_convex *part, const ts_frame *frame, ts_vec3 outward, const ts_facing *facing)
{
  (void)outward;
  return ts_mul(&frame->axes, part->meet->flats->normals[facing->face]);
}

static void widest(const ts_convex *part, const ts_frame *frame, ts_vec3 outward, const ts_facing *facing,
                   ts_patch *patch)
{
  if (facing->flatness >= TS_PATCH_FLAT)
    ts_patch_face(part->meet->flats, frame, outward, facing->face, patch);
  else
    ts_patch_point(patch);
}

static void no_edge(const ts_convex *part, const ts_frame *frame, ts_vec3 outward, const ts_facing *facing,
                    ts_patch *patch)
{
  (void)part, (void)frame, (void)outward, (void)facing;
  ts_patch_point(patch);
}

static double push_on(const ts_boundary *ground, const ts_frame *frame, ts_vec3 local, uint32_t feature,
                      ts_touch_list *list)
{
  const ts_vec3 point = ts_frame_apply(frame, local);
  const double gap = ts_dot(ground->normal, point) - ground->offset;
  ts_touch_list_push(list, ts_add_scaled(point, -gap, ground->normal), ground->normal, gap,
                     ts_feature_pair(feature, ts_feature_id(TS_FEATURE_ID_FACE, 0)));
  return gap;
}

// The ends of the straight line through a point of a round side, if there is one: along it the surface does not bend.
static bool ends_of_line(const ts_convex *part, ts_vec3 point, ts_vec3 down, ts_vec3 ends[2])
{
  int functions[2];
  if (part->planar || functions_at(part, point, functions) != 1) return false;
  const int function = functions[0];
  ts_mat3 H;
  ts_intersection_value(part, function, point, NULL, &H);
  const ts_vec3 u = ts_tangent_of(down), w = ts_cross(down, u);
  const double uu = ts_dot(u, ts_mul(&H, u)), uw = ts_dot(u, ts_mul(&H, w)), ww = ts_dot(w, ts_mul(&H, w));
  const double mean = 0.5 * (uu + ww), spread = hypot(0.5 * (uu - ww), uw);
  if (!(mean - spread <= 1e-9 * (mean + spread))) return false;
  const double angle = 0.5 * atan2(uw, 0.5 * (uu - ww));
  const ts_vec3 along = ts_add_scaled(ts_scale(-sin(angle), u), cos(angle), w);
  for (int k = 0; k < 2; ++k) {
    const ts_vec3 way = k ? along : ts_negate(along);
    ends[k] = ts_add_scaled(point, ts_intersection_exit(part, point, way, function, NULL), way);
    if (fabs(ts_intersection_value(part, function, ends[k], NULL, NULL)) > 1e-9 * part->meet->size) return false;
  }
  return true;
}

// The corners of the flat face that looks down, the ends of a line, and the lowest point where it is none of these
static void on_plane(const ts_convex *part, const ts_frame *frame, const ts_boundary *ground, ts_touch_list *list)
{
  const ts_vec3 down = ts_mul_transposed(&frame->axes, ts_negate(ground->normal));
  const ts_vec3 lowest = ts_intersection_support(part, down);
  const double least = ts_dot(ground->normal, ts_frame_apply(frame, lowest)) - ground->offset;
  if (!(least <= list->margin)) return;
  const ts_hull *flats = part->meet->flats;
  const ts_facing facing = look(part, down);
  ts_vec3 ends[2];
  double reached = INFINITY;
  if (facing.flatness > STANDING) {
    for (int k = flats->face_start[facing.face]; k < flats->face_start[facing.face + 1]; ++k)
      reached = fmin(reached, push_on(ground, frame, flats->vertices[flats->face_vertices[k]],
                                      ts_feature_id(TS_FEATURE_ID_VERTEX, flats->face_vertices[k]), list));
  } else if (ends_of_line(part, lowest, down, ends)) {
    for (int k = 0; k < 2; ++k)
      reached = fmin(reached, push_on(ground, frame, ends[k], ts_feature_id(TS_FEATURE_ID_EDGE, k), list));
  }
  if (reached > least + 1e-9 * part->meet->size)
    push_on(ground, frame, lowest, ts_feature_id(TS_FEATURE_ID_NEAREST, 0), list);
}

const ts_shape_type ts_shape_type_intersection = {
    .key = {"intersection", TS_VALUE_MAP, .section = &section,
            .help = "what convex shapes have in common, half-spaces among them: truncated shapes, lenses, wedges"},
    .in_space = true,
    .in_plane = true,
    .is_planar = ts_intersection_is_planar,
    .check = check,
    .normalize = normalize,
    .draw = draw,
    .pieces = pieces,
    .support = ts_intersection_support,
    .bounds = bounds,
    .inner_radius = inner_radius,
    .implicit_count = implicit_count,
    .implicit_value = ts_intersection_value,
    .mass = ts_intersection_mass,
    .core = TS_CORE_SOLID,
    .outside = ts_intersection_outside,
    .feature_at = feature_at,
    .bend = bend,
    .look = look,
    .face_normal = face_normal,
    .widest = widest,
    .edge = no_edge,
    .on_plane = on_plane,
};
