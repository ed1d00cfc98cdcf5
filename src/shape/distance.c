// See distance.h: which method measures which pair.
#include "shape/distance.h"

#include "shape/ascent.h"
#include "shape/closed_form.h"
#include "shape/planar_pair.h"
#include "shape/planar_search.h"
#include "shape/polyhedral_pair.h"
#include "shape/scratch.h"
#include "shape/shape_type.h"

#include "base/assert.h"
#include "base/require.h"
#include "base/status.h"

typedef void core_distance(const ts_core *a, const ts_core *b, ts_separation *separation);

// Pairs that have a way of their own.
static void hull_hull_distance(const ts_core *a, const ts_core *b, ts_separation *separation)
{
  if (a->part->kind == TS_SHAPE_BOX && b->part->kind == TS_SHAPE_BOX)
    ts_box_box_distance(a, b, separation);
  else
    ts_polyhedral_distance(a, b, separation);
}

static void segment_hull_distance(const ts_core *a, const ts_core *b, ts_separation *separation)
{
  if (b->part->kind == TS_SHAPE_BOX)
    ts_segment_box_distance(a, b, separation);
  else
    ts_polyhedral_distance(a, b, separation);
}

// By the kinds of the cores, the first not after the second. Where the table of the second has a closed form for
// points, that goes before.
static core_distance *const methods[TS_CORE_COUNT][TS_CORE_COUNT] = {
    [TS_CORE_POINT] = {ts_point_point_distance, ts_point_segment_distance, ts_polyhedral_distance, ts_ascent_distance},
    [TS_CORE_SEGMENT] = {NULL, ts_segment_segment_distance, segment_hull_distance, ts_ascent_distance},
    [TS_CORE_HULL] = {NULL, NULL, hull_hull_distance, ts_ascent_distance},
    [TS_CORE_SOLID] = {NULL, NULL, NULL, ts_ascent_distance},
};

static core_distance *method_for(const ts_core *a, const ts_core *b)
{
  core_distance *const of_points = ts_shape_type_of(b->part->kind)->point_distance;
  return a->kind == TS_CORE_POINT && of_points ? of_points : methods[a->kind][b->kind];
}

// Solids in the order of their kinds, so that both orders of a pair give the same.
static bool is_in_order(const ts_core *a, const ts_core *b)
{
  if (a->kind == TS_CORE_SOLID && b->kind == TS_CORE_SOLID) return a->part->kind <= b->part->kind;
  return a->kind <= b->kind;
}

// Give the cores their radii back and move the points to the world.
static void finish(const ts_core *a, const ts_core *b, ts_vec3 common_origin, ts_separation *s)
{
  s->gap -= a->rounding + b->rounding;
  s->point_1 = ts_add(common_origin, ts_add_scaled(s->point_1, -a->rounding, s->normal));
  s->point_2 = ts_add(common_origin, ts_add_scaled(s->point_2, b->rounding, s->normal));
}

// The body's support point towards the half-space; the half-space is the second.
static void plane_distance(const ts_convex *body, const ts_frame *frame, const ts_convex *plane,
                           const ts_frame *plane_frame, ts_separation *separation)
{
  const ts_vec3 n = ts_mul(&plane_frame->axes, plane->normal);
  const ts_vec3 support = ts_convex_support(body, ts_mul_transposed(&frame->axes, ts_negate(n)));
  const ts_vec3 point = ts_frame_apply(frame, support);
  const double gap = ts_dot(n, ts_sub(point, plane_frame->origin)) - plane->offset;
  *separation = (ts_separation){.gap = gap, .normal = n, .point_1 = point, .point_2 = ts_add_scaled(point, -gap, n)};
}

static bool is_planar(const ts_convex *part)
{
  return part->kind == TS_SHAPE_POLYGON;
}

ts_query_fault ts_convex_distance(const ts_convex *a, const ts_frame *frame_a, const ts_convex *b,
                                  const ts_frame *frame_b, ts_separation *separation)
{
  TS_ASSERT(a->kind != TS_SHAPE_PLANE || b->kind != TS_SHAPE_PLANE);
  if (ts_either_is_own(a, b)) return ts_own_distance(a, frame_a, b, frame_b, separation);
  if (b->kind == TS_SHAPE_PLANE) {
    plane_distance(a, frame_a, b, frame_b, separation);
    return TS_QUERY_FINE;
  }
  if (a->kind == TS_SHAPE_PLANE) {
    plane_distance(b, frame_b, a, frame_a, separation);
    ts_separation_flip(separation);
    return TS_QUERY_FINE;
  }
  const ts_vec3 common_origin = frame_b->origin; // far from the world's origin, differences keep the digits
  const ts_core core_a = ts_core_make(a, frame_a, common_origin), core_b = ts_core_make(b, frame_b, common_origin);
  if (a->planar || b->planar) {
    ts_planar_search_distance(&core_a, &core_b, separation);
    finish(&core_a, &core_b, common_origin, separation);
  } else if (is_planar(a) || is_planar(b)) {
    ts_planar_distance(&core_a, &core_b, separation);
    finish(&core_a, &core_b, common_origin, separation);
  } else if (is_in_order(&core_a, &core_b)) {
    method_for(&core_a, &core_b)(&core_a, &core_b, separation);
    finish(&core_a, &core_b, common_origin, separation);
  } else {
    method_for(&core_b, &core_a)(&core_b, &core_a, separation);
    finish(&core_b, &core_a, common_origin, separation);
    ts_separation_flip(separation);
  }
  return TS_QUERY_FINE;
}

// ---- public
// ------------------------------------------------------------------------------------------------------------

// A shape's only convex piece.
static ts_status only_piece(const ts_shape *shape, ts_arena *arena, const ts_convex **piece, ts_error *error)
{
  int count;
  TS_TRY(ts_shape_check(shape, error));
  ts_shape *copy = ts_arena_bytes(arena, 1, sizeof *copy); // as models have them: with all parameters
  *copy = ts_shape_copy(shape, arena);
  *piece = ts_convex_pieces(copy, arena, &count);
  if (count > 1) return ts_fail(error, TS_UNSUPPORTED, "a polygon that is not convex has no single distance");
  return TS_OK;
}

static ts_status check_pair(const ts_shape *shape_a, const ts_shape *shape_b, ts_error *error)
{
  const ts_shape_kind a = shape_a->kind, b = shape_b->kind;
  if (a == TS_SHAPE_PLANE && b == TS_SHAPE_PLANE) return ts_fail(error, TS_UNSUPPORTED, "two planes have no distance");
  if (!(ts_shape_is_in(shape_a, false) && ts_shape_is_in(shape_b, false)) &&
      !(ts_shape_is_in(shape_a, true) && ts_shape_is_in(shape_b, true)))
    return ts_fail(error, TS_UNSUPPORTED, "there is no distance between a %s and a %s: one of them is flat",
                   ts_shape_label(shape_a), ts_shape_label(shape_b));
  if ((a == TS_SHAPE_OWN || b == TS_SHAPE_OWN) && !ts_own_pair_is_known(shape_a, shape_b))
    return ts_fail(error, TS_UNSUPPORTED, "neither a %s nor a %s knows where it touches the other",
                   ts_shape_label(shape_a), ts_shape_label(shape_b));
  return TS_OK;
}

static ts_status check_pose(const ts_pose *pose, ts_error *error)
{
  const ts_quat q = pose->orientation;
  const bool finite =
      ts_vec3_is_finite(pose->position) && isfinite(q.w) && isfinite(q.x) && isfinite(q.y) && isfinite(q.z);
  if (!finite) return ts_fail(error, TS_INVALID, "a pose has a number that is not finite");
  const double length = ts_quat_length(q);
  if (!(fabs(length - 1.0) < 1e-6)) return ts_fail(error, TS_INVALID, "an orientation has length %g, not 1", length);
  return TS_OK;
}

typedef struct distance_task {
  const ts_shape *shapes[2];
  const ts_pose *poses[2];
  ts_separation *separation;
  ts_error *error;
} distance_task;

static ts_status measure(void *work, ts_arena *arena)
{
  const distance_task *task = work;
  const ts_convex *piece[2];
  ts_frame frame[2];
  for (int i = 0; i < 2; ++i) {
    TS_TRY(check_pose(task->poses[i], task->error));
    TS_TRY(only_piece(task->shapes[i], arena, &piece[i], task->error));
    const ts_pose pose = {task->poses[i]->position, ts_quat_normalize(task->poses[i]->orientation)};
    frame[i] = ts_pose_frame(&pose);
  }
  TS_TRY(check_pair(task->shapes[0], task->shapes[1], task->error));
  const ts_query_fault fault = ts_convex_distance(piece[0], &frame[0], piece[1], &frame[1], task->separation);
  if (fault == TS_QUERY_FINE) return TS_OK;
  char text[TS_FAULT_SIZE];
  ts_query_fault_text(fault, piece[0], piece[1], text);
  return ts_fail(task->error, TS_INVALID, "%s", text);
}

ts_status ts_shape_distance(const ts_shape *first, const ts_pose *first_pose, const ts_shape *second,
                            const ts_pose *second_pose, ts_separation *separation, ts_error *error)
{
  TS_REFUSE_UNLESS(first, error);
  TS_REFUSE_UNLESS(first_pose, error);
  TS_REFUSE_UNLESS(second, error);
  TS_REFUSE_UNLESS(second_pose, error);
  TS_REFUSE_UNLESS(separation, error);
  distance_task task = {{first, second}, {first_pose, second_pose}, separation, error};
  return ts_with_own_memory(measure, &task, error);
}
