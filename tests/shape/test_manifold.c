// Touches of every pair of kinds: what they claim is checked point by point against the shapes, the closest of them
// against the signed distance, and face contacts against polygons that are intersected by other means.
#include "shape/manifold.h"

#include "counting_allocator.h"
#include "shapes.h"

#include "shape/distance.h"
#include "shape/power_sum.h"

#include <math.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <cmocka.h>

enum { MOST = 600 };

static const ts_vec3 ORIGIN = {0.0, 0.0, 0.0};

// A part somewhere
typedef struct placed {
  const ts_convex *part;
  ts_frame frame;
} placed;

static const ts_convex *make_part(const ts_shape *shape, ts_arena *arena)
{
  int count;
  assert_int_equal(ts_shape_check(shape, NULL), TS_OK);
  const ts_convex *part = ts_convex_pieces(shape, arena, &count);
  return count == 1 ? part : NULL;
}

static const ts_convex *make_box(double x, double y, double z, ts_arena *arena)
{
  return make_part(&(ts_shape){.kind = TS_SHAPE_BOX, .size = {x, y, z}}, arena);
}

static const ts_convex *make_round(ts_shape_kind kind, double radius, double length, ts_arena *arena)
{
  return make_part(&(ts_shape){.kind = kind, .radius = radius, .length = length}, arena);
}

static const ts_convex *make_plane(ts_vec3 normal, double offset, ts_arena *arena)
{
  return make_part(&(ts_shape){.kind = TS_SHAPE_PLANE, .normal = normal, .offset = offset}, arena);
}

static ts_frame frame_at(double x, double y, double z, ts_vec3 rotation)
{
  const ts_pose pose = {{x, y, z}, ts_quat_exp(rotation)};
  return ts_pose_frame(&pose);
}

static int touch(const placed *a, const placed *b, double margin, ts_touch *touches)
{
  const int count = ts_convex_touches(a->part, &a->frame, b->part, &b->frame, margin, touches, MOST);
  assert_true(count <= MOST);
  return count;
}

static double outside_faces(const ts_hull *hull, ts_vec3 x)
{
  double most = -INFINITY;
  for (int f = 0; f < hull->face_count; ++f) most = fmax(most, ts_dot(hull->normals[f], x) - hull->offsets[f]);
  return most;
}

// How far a point is outside a part: a distance near the surface
static double outside(const placed *p, ts_vec3 point)
{
  const ts_convex *s = p->part;
  const ts_vec3 x = ts_frame_unapply(&p->frame, point);
  switch (s->kind) {
  case TS_SHAPE_PLANE:
    return ts_dot(s->normal, x) - s->offset;
  case TS_SHAPE_CAPSULE:
    return hypot(hypot(x.x, x.y), fmax(0.0, fabs(x.z) - s->half_length)) - s->radius;
  case TS_SHAPE_CYLINDER:
    return fmax(hypot(x.x, x.y) - s->radius, fabs(x.z) - s->half_length);
  case TS_SHAPE_CONE: {
    const double share = 0.5 + 0.5 * x.z / s->half_length, r = (1.0 - share) * s->radius + share * s->top_radius;
    const double slant = hypot(2.0 * s->half_length, s->radius - s->top_radius);
    return fmax(2.0 * s->half_length / slant * (hypot(x.x, x.y) - r), fabs(x.z) - s->half_length);
  }
  case TS_SHAPE_SUPERELLIPSOID:
  case TS_SHAPE_SUPERELLIPSE:
    return ts_power_sum_outside(s, x); // test_distance.c has it by another way
  case TS_SHAPE_ELLIPSOID: {
    const ts_vec3 q = {x.x / s->half.x, x.y / s->half.y, x.z / s->half.z};
    const ts_vec3 g = {q.x / s->half.x, q.y / s->half.y, q.z / s->half.z};
    return (ts_dot(q, q) - 1.0) / (2.0 * ts_length(g));
  }
  case TS_SHAPE_BOX:
  case TS_SHAPE_POLYTOPE:
  case TS_SHAPE_POLYGON:
    return outside_faces(s->hull, x);
  default:
    return ts_length(x) - s->radius;
  }
}

static int by_gap(const void *x, const void *y)
{
  const double a = ((const ts_touch *)x)->gap, b = ((const ts_touch *)y)->gap;
  return a < b ? -1 : a > b;
}

static int by_feature(const void *x, const void *y)
{
  const uint32_t a = ((const ts_touch *)x)->feature, b = ((const ts_touch *)y)->feature;
  return a < b ? -1 : a > b;
}

// ---- properties of all pairs

static const ts_shape_kind solid_kinds[] = {TS_SHAPE_PLANE,   TS_SHAPE_POINT,    TS_SHAPE_SPHERE,    TS_SHAPE_BOX,
                                            TS_SHAPE_CAPSULE, TS_SHAPE_CYLINDER, TS_SHAPE_ELLIPSOID, TS_SHAPE_POLYTOPE};
static const ts_shape_kind planar_kinds[] = {TS_SHAPE_PLANE, TS_SHAPE_POINT, TS_SHAPE_DISC, TS_SHAPE_POLYGON};

static ts_frame random_frame(ts_random *random, bool planar)
{
  ts_pose pose = random_pose(random, 1.0);
  if (planar) {
    pose.position.z = 0.0;
    pose.orientation = ts_quat_about_z(ts_random_uniform(random, -TS_PI, TS_PI));
  }
  return ts_pose_frame(&pose);
}

static const ts_convex *random_part(ts_random *random, ts_shape_kind kind, bool planar, ts_arena *arena)
{
  const ts_convex *part = NULL;
  while (!part) {
    test_shape made;
    random_shape(random, kind, 1.0, &made);
    if (planar && kind == TS_SHAPE_PLANE) {
      made.shape.normal.z = 0.0;
      made.shape.normal = ts_normalize(made.shape.normal, ts_vec3_make(0.0, 1.0, 0.0));
    }
    part = make_part(&made.shape, arena);
  }
  return part;
}

// Half of the time, turn a's axes to b's but for a small tilt: faces, edges and lines then nearly face each other.
static void align(ts_random *random, placed *a, const placed *b, bool planar)
{
  static const double tilts[] = {0.0, 1e-12, 1e-9, 1e-6, 1e-4, 1e-2};
  if (ts_random_below(random, 2)) return;
  const double tilt = tilts[ts_random_below(random, 6)];
  const ts_vec3 axis = planar ? ts_vec3_make(0.0, 0.0, 1.0) : random_direction(random);
  const ts_vec3 about_z = {0.0, 0.0,
                           ts_random_below(random, 2) ? 0.5 * TS_PI * ts_random_below(random, 4)
                                                      : ts_random_uniform(random, 0.0, TS_PI)};
  const ts_mat3 R = ts_quat_matrix(ts_quat_exp(ts_scale(tilt, axis))), Z = ts_quat_matrix(ts_quat_exp(about_z));
  const ts_mat3 tilted = ts_mat3_product(&R, &b->frame.axes);
  a->frame.axes = ts_mat3_product(&tilted, &Z);
}

// Move a along the normal to a gap of about the given one. More rounds come closer, but where another direction takes
// over on the way they end with both at that gap.
static void bring_to_gap(placed *a, const placed *b, double gap, int rounds)
{
  for (int k = 0; k < rounds; ++k) {
    ts_separation s;
    ts_convex_distance(a->part, &a->frame, b->part, &b->frame, &s);
    a->frame.origin = ts_add_scaled(a->frame.origin, gap - s.gap, s.normal);
  }
}

typedef struct worst {
  double gap, normal, apart, surface, beside;
} worst;

// A corner of one hull on a face of the other. Within 1e-6 of the size of that face's sides it counts as on it
// (manifold.h), and where the faces do not overlap there it stands between the sides, outside both by at most that.
static bool is_corner_on_face(const placed *a, const placed *b, uint32_t feature)
{
  const unsigned on_a = feature >> 30, on_b = feature >> 14 & 3u;
  return a->part->hull && b->part->hull && ((on_a == 0 && on_b == 2) || (on_a == 2 && on_b == 0));
}

static double size_of(const ts_convex *part)
{
  return part->hull ? ts_distance_of(part->hull->vertices[0], part->middle) : part->reach;
}

static void check_touches(const placed *a, const placed *b, double margin, const ts_touch *touches, int count,
                          worst *seen)
{
  ts_separation s;
  ts_convex_distance(a->part, &a->frame, b->part, &b->frame, &s);
  if (fabs(s.gap - margin) < 1e-12) return; // either way
  if (s.gap > margin) {
    assert_int_equal(count, 0);
    return;
  }
  assert_true(count > 0);
  double least = INFINITY;
  for (int i = 0; i < count; ++i) {
    const ts_touch *t = &touches[i];
    least = fmin(least, t->gap);
    assert_true(t->gap <= margin);
    assert_memory_equal(&t->normal, &touches[0].normal, sizeof t->normal);
    seen->normal = fmax(seen->normal, fabs(ts_length(t->normal) - 1.0));
    seen->apart = fmax(seen->apart, ts_length(ts_sub(ts_sub(t->point_1, t->point_2), ts_scale(t->gap, t->normal))));
    const double off = fmax(fabs(outside(a, t->point_1)), fabs(outside(b, t->point_2)));
    if (off > 1e-9 && is_corner_on_face(a, b, t->feature))
      seen->beside = fmax(seen->beside, off / fmin(size_of(a->part), size_of(b->part)));
    else
      seen->surface = fmax(seen->surface, off);
    for (int j = 0; j < i; ++j) assert_int_not_equal(t->feature, touches[j].feature);
  }
  seen->gap = fmax(seen->gap, fabs(least - s.gap));
}

// With the parts exchanged: opposite normal, same gaps. Corners that meet point to point have no one normal, so these
// are asked for their gap alone, and so are parts with two ways out of the same length. Cones touch with lines of
// which an end, the tip, is at the contact while they cross an edge squarely: which further points there are, some way
// above the surface, is then as rounding wants.
static void check_exchange(const placed *a, const placed *b, double margin, ts_touch *touches, int count)
{
  static ts_touch exchanged[MOST];
  const int exchanged_count = touch(b, a, margin, exchanged);
  qsort(touches, (size_t)count, sizeof *touches, by_gap);
  qsort(exchanged, (size_t)exchanged_count, sizeof *exchanged, by_gap);
  assert_int_equal(count > 0, exchanged_count > 0);
  if (count == 0) return;
  assert_true(fabs(touches[0].gap - exchanged[0].gap) < 2e-9);
  const bool same_way = ts_length(ts_add(touches[0].normal, exchanged[0].normal)) < 1e-7;
  if (!same_way || fabs(touches[0].gap) < 1e-8) return;
  if (a->part->kind == TS_SHAPE_CONE || b->part->kind == TS_SHAPE_CONE) return;
  assert_int_equal(count, exchanged_count);
  for (int i = 0; i < count; ++i) assert_true(fabs(touches[i].gap - exchanged[i].gap) < 1e-7);
}

// Fill what calls to come will use of the stack.
__attribute__((noinline)) static void leave_on_stack(unsigned char byte)
{
  volatile unsigned char room[1 << 16];
  for (size_t k = 0; k < sizeof room; ++k) room[k] = byte;
}

// What was in memory before is of no account.
static void check_memory(const placed *a, const placed *b, double margin)
{
  static ts_touch first[MOST], second[MOST];
  leave_on_stack(0x00);
  const int count = touch(a, b, margin, first);
  leave_on_stack(0x3f); // doubles of 5e-4
  assert_int_equal(touch(a, b, margin, second), count);
  for (int i = 0; i < count; ++i) {
    assert_memory_equal(&first[i], &second[i], offsetof(ts_touch, feature));
    assert_int_equal(first[i].feature, second[i].feature);
  }
}

static void check_pair(ts_shape_kind kind_a, ts_shape_kind kind_b, bool planar, int poses, ts_random *random)
{
  worst seen = {0};
  if (kind_a == TS_SHAPE_PLANE && kind_b == TS_SHAPE_PLANE) return;
  for (int k = 0; k < poses; ++k) {
    static ts_touch touches[MOST];
    ts_arena arena;
    ts_arena_init(&arena, NULL);
    placed a = {random_part(random, kind_a, planar, &arena), random_frame(random, planar)};
    placed b = {random_part(random, kind_b, planar, &arena), random_frame(random, planar)};
    const double gaps[] = {0.05, 1e-3, 1e-9, 0.0, -1e-9, -1e-3, -0.02};
    align(random, &a, &b, planar);
    bring_to_gap(&a, &b, gaps[k % 7], 3);
    const double margin = fmax(0.0, gaps[k % 7]) + pow(10.0, -1.0 - ts_random_below(random, 4));
    const int count = touch(&a, &b, margin, touches);
    check_touches(&a, &b, margin, touches, count, &seen);
    check_exchange(&a, &b, margin, touches, count);
    if (k % 8 == 0) check_memory(&a, &b, margin);
    ts_arena_release(&arena);
  }
  if (!(seen.gap < 1e-9 && seen.normal < 1e-12 && seen.apart < 1e-12 && seen.surface < 1e-9 && seen.beside <= 1e-6))
    fail_msg("%s and %s: gap %.1e, normal %.1e, apart %.1e, surface %.1e, beside %.1e", ts_shape_name(kind_a),
             ts_shape_name(kind_b), seen.gap, seen.normal, seen.apart, seen.surface, seen.beside);
}

static void check_pairs(const ts_shape_kind *kinds, int kind_count, bool planar, int poses)
{
  ts_random random;
  ts_random_init(&random, 42);
  for (int i = 0; i < kind_count; ++i)
    for (int j = 0; j < kind_count; ++j) check_pair(kinds[i], kinds[j], planar, poses, &random);
}

static void cones_hold_what_they_claim(void **state)
{
  (void)state;
  ts_random random;
  ts_random_init(&random, 43);
  check_pair(TS_SHAPE_CONE, TS_SHAPE_CONE, false, 300, &random);
  for (size_t i = 0; i < sizeof solid_kinds / sizeof solid_kinds[0]; ++i) {
    check_pair(TS_SHAPE_CONE, solid_kinds[i], false, 150, &random);
    check_pair(solid_kinds[i], TS_SHAPE_CONE, false, 150, &random);
  }
}

static void superellipsoids_hold_what_they_claim(void **state)
{
  (void)state;
  ts_random random;
  ts_random_init(&random, 44);
  check_pair(TS_SHAPE_SUPERELLIPSOID, TS_SHAPE_SUPERELLIPSOID, false, 150, &random);
  for (size_t i = 0; i < sizeof solid_kinds / sizeof solid_kinds[0]; ++i) {
    check_pair(TS_SHAPE_SUPERELLIPSOID, solid_kinds[i], false, 50, &random);
    check_pair(solid_kinds[i], TS_SHAPE_SUPERELLIPSOID, false, 50, &random);
  }
  check_pair(TS_SHAPE_SUPERELLIPSE, TS_SHAPE_SUPERELLIPSE, true, 300, &random);
  for (size_t i = 0; i < sizeof planar_kinds / sizeof planar_kinds[0]; ++i) {
    check_pair(TS_SHAPE_SUPERELLIPSE, planar_kinds[i], true, 150, &random);
    check_pair(planar_kinds[i], TS_SHAPE_SUPERELLIPSE, true, 150, &random);
  }
}

static void pairs_in_space_hold_what_they_claim(void **state)
{
  (void)state;
  check_pairs(solid_kinds, sizeof solid_kinds / sizeof solid_kinds[0], false, 150);
}

static void pairs_in_the_plane_hold_what_they_claim(void **state)
{
  (void)state;
  check_pairs(planar_kinds, sizeof planar_kinds / sizeof planar_kinds[0], true, 600);
}

// Moving both parts as one moves the touches with them; features stay.
static void rigid_motions_move_the_touches(void **state)
{
  ts_random random;
  (void)state;
  ts_random_init(&random, 7);
  for (int k = 0; k < 2000; ++k) {
    static ts_touch here[MOST], there[MOST];
    ts_arena arena;
    ts_arena_init(&arena, NULL);
    const int kinds = sizeof solid_kinds / sizeof solid_kinds[0];
    placed a = {random_part(&random, solid_kinds[1 + ts_random_below(&random, kinds - 1)], false, &arena),
                random_frame(&random, false)};
    placed b = {random_part(&random, solid_kinds[1 + ts_random_below(&random, kinds - 1)], false, &arena),
                random_frame(&random, false)};
    const bool points = a.part->kind == TS_SHAPE_POINT && b.part->kind == TS_SHAPE_POINT; // which cannot overlap
    bring_to_gap(&a, &b, k % 2 || points ? 1e-2 : -1e-2, 1);
    const ts_pose motion = {ts_scale(100.0, random_vector(&random)), random_rotation(&random)};
    const ts_frame moved = ts_pose_frame(&motion);
    const placed far_a = {a.part,
                          {ts_frame_apply(&moved, a.frame.origin), ts_mat3_product(&moved.axes, &a.frame.axes)}};
    const placed far_b = {b.part,
                          {ts_frame_apply(&moved, b.frame.origin), ts_mat3_product(&moved.axes, &b.frame.axes)}};
    const int count = touch(&a, &b, 0.1, here);
    assert_int_equal(touch(&far_a, &far_b, 0.1, there), count);
    qsort(here, (size_t)count, sizeof *here, by_feature);
    qsort(there, (size_t)count, sizeof *there, by_feature);
    for (int i = 0; i < count; ++i) {
      assert_int_equal(here[i].feature, there[i].feature);
      assert_true(fabs(here[i].gap - there[i].gap) < 1e-9);
      assert_true(ts_distance_of(ts_frame_apply(&moved, here[i].point_1), there[i].point_1) < 1e-6);
      assert_true(ts_distance_of(ts_mul(&moved.axes, here[i].normal), there[i].normal) < 1e-6);
    }
    ts_arena_release(&arena);
  }
}

// ---- boxes and planes in closed form

static void assert_near(double value, double expected, double tolerance)
{
  if (!(fabs(value - expected) <= tolerance)) fail_msg("%.15g, expected %.15g within %.1e", value, expected, tolerance);
}

static bool has_touch_at(const ts_touch *touches, int count, ts_vec3 point_2, double tolerance)
{
  for (int i = 0; i < count; ++i)
    if (ts_distance_of(touches[i].point_2, point_2) <= tolerance) return true;
  return false;
}

static void box_on_plane_touches_with_its_corners(void **state)
{
  ts_arena *arena = *state;
  ts_touch touches[MOST];
  const ts_vec3 n = ts_normalize(ts_vec3_make(0.3, -0.2, 1.0), ORIGIN);
  const placed ground = {make_plane(n, 0.5, arena), frame_at(0.0, 0.0, 0.0, ORIGIN)};
  const placed flat = {make_plane(ts_vec3_make(0.0, 0.0, 1.0), 0.0, arena), frame_at(0.0, 0.0, 0.0, ORIGIN)};
  placed box = {make_box(2.0, 3.0, 4.0, arena), frame_at(0.1, 0.2, 2.01, ORIGIN)};
  assert_int_equal(touch(&box, &flat, 0.009, touches), 0);
  assert_int_equal(touch(&box, &flat, 0.02, touches), 4);
  for (int i = 0; i < 4; ++i) {
    assert_near(touches[i].gap, 0.01, 1e-15);
    assert_int_equal(touches[i].feature >> 16, i); // the four lower corners, in order
    assert_near(touches[i].point_2.x, 0.1 + (i & 1 ? 1.0 : -1.0), 1e-15);
    assert_near(touches[i].point_2.y, 0.2 + (i & 2 ? 1.5 : -1.5), 1e-15);
    assert_near(touches[i].point_2.z, 0.0, 1e-15);
  }
  box.frame = frame_at(0.3, 0.2, 2.0, ts_vec3_make(0.5, 0.6, 0.7));
  const int count = touch(&box, &ground, INFINITY, touches);
  assert_int_equal(count, 8);
  for (int v = 0; v < 8; ++v) {
    const ts_vec3 corner =
        ts_frame_apply(&box.frame, ts_vec3_make(v & 1 ? 1.0 : -1.0, v & 2 ? 1.5 : -1.5, v & 4 ? 2.0 : -2.0));
    assert_near(touches[v].gap, ts_dot(n, corner) - 0.5, 1e-14);
    assert_true(ts_distance_of(touches[v].point_1, corner) < 1e-14);
  }
}

// The intersection of convex polygons by cutting one with the sides of the other, one after the other (Sutherland and
// Hodgman 1974), counter-clockwise; returns its number of corners.
static int cut_polygon(const ts_vec3 *subject, int subject_count, const ts_vec3 *by, int by_count, ts_vec3 *result)
{
  ts_vec3 from[128], to[128];
  int count = subject_count;
  memcpy(from, subject, (size_t)count * sizeof *from);
  for (int j = 0; j < by_count; ++j) {
    const ts_vec3 p = by[j], q = by[(j + 1) % by_count];
    int kept = 0;
    for (int i = 0; i < count; ++i) {
      const ts_vec3 u = from[i], v = from[(i + 1) % count];
      const double du = (q.x - p.x) * (u.y - p.y) - (q.y - p.y) * (u.x - p.x);
      const double dv = (q.x - p.x) * (v.y - p.y) - (q.y - p.y) * (v.x - p.x);
      if (du >= 0.0) to[kept++] = u;
      if ((du > 0.0 && dv < 0.0) || (du < 0.0 && dv > 0.0)) to[kept++] = ts_add_scaled(u, du / (du - dv), ts_sub(v, u));
    }
    count = kept;
    memcpy(from, to, (size_t)count * sizeof *from);
  }
  memcpy(result, from, (size_t)count * sizeof *from);
  return count;
}

static void corners_of_rectangle(double x, double y, double angle, double hx, double hy, ts_vec3 corners[4])
{
  static const double sx[] = {-1.0, 1.0, 1.0, -1.0}, sy[] = {-1.0, -1.0, 1.0, 1.0};
  for (int i = 0; i < 4; ++i) {
    const double u = hx * sx[i], v = hy * sy[i];
    corners[i] = ts_vec3_make(x + cos(angle) * u - sin(angle) * v, y + sin(angle) * u + cos(angle) * v, 0.0);
  }
}

// The touches of stacked boxes are the corners of the intersection of their faces.
static void stacked_boxes_touch_in_the_intersection_of_their_faces(void **state)
{
  ts_arena *arena = *state;
  ts_random random;
  ts_random_init(&random, 11);
  for (int k = 0; k < 3000; ++k) {
    ts_touch touches[MOST];
    ts_vec3 upper[4], lower[4], expected[128];
    const double hx = ts_random_uniform(&random, 0.2, 1.0), hy = ts_random_uniform(&random, 0.2, 1.0);
    const double x = ts_random_uniform(&random, -1.0, 1.0), y = ts_random_uniform(&random, -1.0, 1.0);
    const double angle = ts_random_uniform(&random, -TS_PI, TS_PI), gap = ts_random_uniform(&random, -1e-3, 1e-3);
    const placed b = {make_box(1.0, 1.2, 0.5, arena), frame_at(0.0, 0.0, -0.25, ORIGIN)};
    const placed a = {make_box(2.0 * hx, 2.0 * hy, 1.0, arena),
                      frame_at(x, y, 0.5 + gap, ts_vec3_make(0.0, 0.0, angle))};
    corners_of_rectangle(x, y, angle, hx, hy, upper);
    corners_of_rectangle(0.0, 0.0, 0.0, 0.5, 0.6, lower);
    const int expected_count = cut_polygon(upper, 4, lower, 4, expected);
    const int count = touch(&a, &b, 2e-3, touches);
    if (expected_count < 3) continue; // side by side
    double least_side = INFINITY, width = INFINITY;
    for (int i = 0; i < expected_count; ++i) {
      const ts_vec3 p = expected[i], q = expected[(i + 1) % expected_count];
      double depth = 0.0;
      least_side = fmin(least_side, ts_distance_of(p, q));
      for (int j = 0; j < expected_count; ++j)
        depth = fmax(depth, fabs((q.x - p.x) * (expected[j].y - p.y) - (q.y - p.y) * (expected[j].x - p.x)) /
                                ts_distance_of(p, q));
      width = fmin(width, depth);
    }
    if (least_side < 1e-4 || width < 1e-2) continue; // corners that merge, or parts that come apart sideways
    assert_int_equal(count, expected_count);
    for (int i = 0; i < expected_count; ++i) assert_true(has_touch_at(touches, count, expected[i], 1e-12));
    for (int i = 0; i < count; ++i) {
      assert_near(touches[i].gap, gap, 1e-15);
      assert_near(touches[i].normal.z, 1.0, 1e-15);
    }
  }
}

// Prisms with more corners than are kept in a patch, on each other
static void many_sided_faces_intersect_as_well(void **state)
{
  enum { CORNERS = 24 };
  ts_arena *arena = *state;
  ts_random random;
  ts_random_init(&random, 12);
  for (int k = 0; k < 30; ++k) {
    ts_touch touches[MOST];
    ts_vec3 points[2 * CORNERS], upper[CORNERS], lower[CORNERS], expected[128];
    const double x = ts_random_uniform(&random, -1.0, 1.0), y = ts_random_uniform(&random, -1.0, 1.0);
    for (int i = 0; i < CORNERS; ++i) {
      const double angle = 2.0 * TS_PI * i / CORNERS;
      lower[i] = ts_vec3_make(cos(angle), sin(angle), 0.0);
      upper[i] = ts_vec3_make(lower[i].x + x, lower[i].y + y, 0.0);
      points[i] = ts_vec3_make(lower[i].x, lower[i].y, -0.5);
      points[CORNERS + i] = ts_vec3_make(lower[i].x, lower[i].y, 0.5);
    }
    const ts_shape prism = {.kind = TS_SHAPE_POLYTOPE, .vertices = points, .vertex_count = 2 * CORNERS};
    const ts_convex *part = make_part(&prism, arena);
    const placed b = {part, frame_at(0.0, 0.0, -0.5, ORIGIN)}, a = {part, frame_at(x, y, 0.5 + 1e-4, ORIGIN)};
    const int expected_count = cut_polygon(upper, CORNERS, lower, CORNERS, expected);
    const int count = touch(&a, &b, 1e-3, touches);
    assert_int_equal(count, expected_count);
    for (int i = 0; i < expected_count; ++i) assert_true(has_touch_at(touches, count, expected[i], 1e-9));
  }
}

// ---- stability

static void assert_same_features(ts_touch *touches, int count, const uint32_t *features, int feature_count)
{
  qsort(touches, (size_t)count, sizeof *touches, by_feature);
  assert_int_equal(count, feature_count);
  for (int i = 0; i < count; ++i) assert_int_equal(touches[i].feature, features[i]);
}

// A box on a larger one, tilted by anything from nothing to 1e-3 rad about any axis: always the same four features. So
// for a box that hangs over, and for a tower of equal boxes up to the creep of a simulation.
static void small_tilts_keep_the_features(void **state)
{
  static const struct {
    double size_b, x, y, yaw, most_tilt;
  } cases[] = {{3.0, 0.3, 0.2, 0.1, 1e-3}, {3.0, 1.3, 0.2, 0.1, 1e-3}, {3.0, 1.3, 1.2, 0.4, 1e-3},
               {1.0, 0.3, 0.2, 0.7, 1e-3}, {1.0, 0.0, 0.0, 0.0, 1e-7}, {1.0, 0.0, 0.3, 0.0, 1e-7}};
  ts_arena *arena = *state;
  ts_random random;
  ts_random_init(&random, 13);
  for (size_t c = 0; c < sizeof cases / sizeof cases[0]; ++c) {
    uint32_t features[16];
    int feature_count = 0;
    const placed b = {make_box(cases[c].size_b, cases[c].size_b, 1.0, arena), frame_at(0.0, 0.0, -0.5, ORIGIN)};
    for (int k = 0; k < 400; ++k) {
      ts_touch touches[MOST];
      const double tilt = k == 0 ? 0.0 : fmin(cases[c].most_tilt, pow(10.0, ts_random_uniform(&random, -13.0, -3.0)));
      const double creep = fmin(tilt, 1e-7);
      ts_vec3 rotation = ts_scale(tilt, random_direction(&random)), move = ts_scale(creep, random_direction(&random));
      rotation.z = fmin(1e-7, fmax(-1e-7, rotation.z));
      const ts_mat3 yaw = ts_quat_matrix(ts_quat_about_z(cases[c].yaw)), R = ts_quat_matrix(ts_quat_exp(rotation));
      placed a = {make_box(1.0, 1.0, 1.0, arena),
                  {ts_vec3_make(cases[c].x, cases[c].y, 0.5), {{1.0, 0.0, 0.0}, {0.0, 1.0, 0.0}, {0.0, 0.0, 1.0}}}};
      a.frame.axes = ts_mat3_product(&R, &yaw);
      // the middle of the lower face stays, but for the creep, so that tilting does not slide the box
      const ts_vec3 foot = ts_add(ts_vec3_make(cases[c].x, cases[c].y, 0.0), move);
      a.frame.origin = ts_add_scaled(foot, 0.5, a.frame.axes.z);
      const int count = touch(&a, &b, 2e-3, touches);
      if (k == 0) {
        qsort(touches, (size_t)count, sizeof *touches, by_feature);
        feature_count = count;
        assert_true(count >= 4 && count <= 8);
        for (int i = 0; i < count; ++i) features[i] = touches[i].feature;
      } else {
        assert_same_features(touches, count, features, feature_count);
      }
      assert_true(touches[0].normal.z > 1.0 - 1e-6);
    }
  }
}

// A cube slides over another and past its edge: a touch that keeps its feature moves no further than the cube.
static void touches_do_not_jump_while_a_cube_slides(void **state)
{
  ts_arena *arena = *state;
  const double step = 1e-4;
  const placed b = {make_box(1.0, 1.0, 1.0, arena), frame_at(0.0, 0.0, -0.5, ORIGIN)};
  ts_touch before[MOST], now[MOST];
  int before_count = 0, changes = 0;
  for (int k = 0; k < 9000; ++k) {
    const double tilt = k % 2 ? 1e-9 : -1e-9; // rounding that alternates
    const placed a = {make_box(1.0, 1.0, 1.0, arena),
                      frame_at(step * k, 0.3 * step * k, 0.5, ts_vec3_make(tilt, tilt, 0.2))};
    const int count = touch(&a, &b, 1e-3, now);
    int kept = 0;
    for (int i = 0; i < count; ++i)
      for (int j = 0; j < before_count; ++j)
        if (now[i].feature == before[j].feature) {
          ++kept;
          assert_true(ts_distance_of(now[i].point_2, before[j].point_2) < 8.0 * step);
        }
    assert_true(count >= 3 && count <= 8);
    if (k > 0) changes += kept < count || count != before_count;
    before_count = count;
    memcpy(before, now, (size_t)count * sizeof *now);
  }
  assert_true(changes <= 12); // a corner passes an edge now and then
}

// ---- parts that do not face each other

static void boxes_beside_each_other_have_no_ghosts(void **state)
{
  ts_arena *arena = *state;
  ts_touch touches[MOST];
  const placed b = {make_box(1.0, 1.0, 1.0, arena), frame_at(0.0, 0.0, 0.0, ORIGIN)};
  for (int k = 1; k <= 8; ++k) {
    const double apart = pow(10.0, -k);
    // beside, and as much above: the nearest are two edges, and the normal is the diagonal
    const placed diagonal = {b.part, frame_at(1.0 + apart, 0.2, 1.0 + apart, ORIGIN)};
    int count = touch(&diagonal, &b, 1.0, touches);
    assert_int_equal(count, 2);
    for (int i = 0; i < count; ++i) {
      assert_near(touches[i].gap, apart * sqrt(2.0), 1e-12);
      assert_near(touches[i].normal.x, sqrt(0.5), 1e-8);
    }
    // beside and level, a hair apart: the sides face each other, the top faces do not
    const placed beside = {b.part, frame_at(1.0 + apart, 0.2, 0.9, ORIGIN)};
    count = touch(&beside, &b, 1.0, touches);
    assert_int_equal(count, 4);
    for (int i = 0; i < count; ++i) {
      assert_near(touches[i].gap, apart, 1e-12);
      assert_near(touches[i].normal.x, 1.0, 1e-12);
      assert_true(touches[i].point_2.z > 0.4 - 1e-12 && touches[i].point_2.z < 0.5 + 1e-12);
    }
  }
}

static void crossing_edges_touch_in_one_point(void **state)
{
  ts_arena *arena = *state;
  ts_touch touches[MOST];
  const double h = sqrt(0.5); // of a unit cube on its edge
  for (int k = -3; k <= 3; ++k) {
    const double gap = k * 1e-3;
    const placed b = {make_box(1.0, 1.0, 1.0, arena), frame_at(0.0, 0.0, -h, ts_vec3_make(0.25 * TS_PI, 0.0, 0.0))};
    const placed a = {make_box(1.0, 1.0, 1.0, arena),
                      frame_at(0.1, 0.2, h + gap, ts_vec3_make(0.0, 0.25 * TS_PI, 0.0))};
    assert_int_equal(touch(&a, &b, 0.01, touches), 1);
    assert_near(touches[0].gap, gap, 1e-14);
    assert_near(touches[0].normal.z, 1.0, 1e-14);
    assert_true(ts_distance_of(touches[0].point_2, ts_vec3_make(0.1, 0.0, 0.0)) < 1e-9);
  }
}

static void parallel_edges_touch_in_two_points(void **state)
{
  ts_arena *arena = *state;
  ts_touch touches[MOST];
  const double h = sqrt(0.5);
  const placed b = {make_box(1.0, 1.0, 1.0, arena), frame_at(0.0, 0.0, -h, ts_vec3_make(0.25 * TS_PI, 0.0, 0.0))};
  const placed a = {make_box(1.0, 1.0, 1.0, arena), frame_at(0.4, 0.0, h + 1e-3, ts_vec3_make(0.25 * TS_PI, 0.0, 0.0))};
  assert_int_equal(touch(&a, &b, 0.01, touches), 2);
  assert_true(has_touch_at(touches, 2, ts_vec3_make(-0.1, 0.0, 0.0), 1e-9));
  assert_true(has_touch_at(touches, 2, ts_vec3_make(0.5, 0.0, 0.0), 1e-9));
  // an edge down on a face: two points as well
  const placed floor = {make_box(3.0, 3.0, 1.0, arena), frame_at(0.0, 0.0, -0.5, ORIGIN)};
  for (int k = -4; k <= 4; ++k) {
    const double angle = 0.25 * TS_PI + 1e-10 * k; // whichever of its faces is the flatter
    const placed edge = {b.part,
                         frame_at(0.0, 0.0, sqrt(0.5) * cos(angle - 0.25 * TS_PI), ts_vec3_make(angle, 0.0, 0.0))};
    assert_int_equal(touch(&edge, &floor, 0.01, touches), 2);
    assert_near(fabs(touches[0].point_2.x), 0.5, 1e-12);
    assert_near(touches[0].point_2.x + touches[1].point_2.x, 0.0, 1e-12);
    qsort(touches, 2, sizeof *touches, by_feature);
    assert_int_equal(touches[0].feature >> 16, 0);
    assert_int_equal(touches[1].feature >> 16, 1);
  }
}

// ---- round parts

static void lying_capsules_touch_in_two_points(void **state)
{
  ts_arena *arena = *state;
  ts_touch touches[MOST];
  const ts_convex *capsule = make_round(TS_SHAPE_CAPSULE, 0.1, 1.0, arena);
  const placed ground = {make_plane(ts_vec3_make(0.0, 0.0, 1.0), 0.0, arena), frame_at(0.0, 0.0, 0.0, ORIGIN)};
  const placed floor = {make_box(3.0, 3.0, 1.0, arena), frame_at(0.0, 0.0, -0.5, ORIGIN)};
  const placed sill = {make_box(0.6, 3.0, 1.0, arena), frame_at(0.0, 0.0, -0.5, ORIGIN)};
  for (int k = 0; k < 8; ++k) {
    const double tilt = k ? pow(10.0, -2.0 * k) : 0.0, drop = 1e-4;
    const placed a = {capsule,
                      frame_at(0.0, 0.2, 0.1 + 0.5 * sin(tilt) - drop, ts_vec3_make(0.0, 0.5 * TS_PI + tilt, 0.0))};
    const placed *on[] = {&ground, &floor};
    for (int i = 0; i < 2; ++i) {
      assert_int_equal(touch(&a, on[i], 0.05, touches), 2);
      qsort(touches, 2, sizeof *touches, by_gap);
      assert_near(touches[0].gap, -drop, 1e-12);
      assert_near(touches[1].gap, 0.5 * sin(tilt) * 2.0 + 0.1 * (1.0 - cos(tilt)) - drop, 1e-12);
      assert_near(touches[0].normal.z, 1.0, 1e-12);
    }
  }
  // over a sill that is shorter than the capsule: the points are at its edges
  const placed over = {capsule, frame_at(0.0, 0.2, 0.1, ts_vec3_make(0.0, 0.5 * TS_PI, 0.0))};
  assert_int_equal(touch(&over, &sill, 0.01, touches), 2);
  assert_true(has_touch_at(touches, 2, ts_vec3_make(-0.3, 0.2, 0.0), 1e-12));
  assert_true(has_touch_at(touches, 2, ts_vec3_make(0.3, 0.2, 0.0), 1e-12));
  // standing: one
  const placed upright = {capsule, frame_at(0.0, 0.2, 0.6, ORIGIN)};
  assert_int_equal(touch(&upright, &ground, 0.01, touches), 1);
  assert_int_equal(touch(&upright, &floor, 0.01, touches), 1);
  assert_near(touches[0].gap, 0.0, 1e-15);
}

// A capsule beside a box, its axis at the height of the box's lower edge but for `below` and turned by next to nothing:
// two points, where its line or the edge ends. Beyond, the gap is that of the edge: r (1 / cos - 1).
static void capsules_along_an_edge_touch_in_two_points(void **state)
{
  ts_arena *arena = *state;
  ts_touch touches[MOST];
  const double r = 0.02;
  const placed box = {make_box(0.01, 0.04, 0.08, arena), frame_at(-0.025, 0.0, 0.06, ORIGIN)};
  const ts_convex *capsule = make_round(TS_SHAPE_CAPSULE, r, 0.06, arena);
  for (int k = -18; k <= -3; ++k)
    for (int i = -1; i <= 1; ++i)
      for (int j = 0; j < 3; ++j) {
        const double below = i * pow(10.0, k), turn = j ? pow(10.0, -5.0 - 4.0 * j) : 0.0;
        const placed a = {capsule, frame_at(0.0, 0.0, 0.02 - below, ts_vec3_make(0.5 * TS_PI + turn, 0.0, 0.0))};
        assert_int_equal(touch(&a, &box, 1e-3, touches), 2);
        const double gap = below > 0.0 ? hypot(r, below) - r : 0.0;
        for (int m = 0; m < 2; ++m) {
          assert_near(touches[m].gap, gap, 1e-10);
          assert_near(fabs(touches[m].point_2.y), 0.02, 1e-9);
        }
        assert_near(touches[0].point_2.y + touches[1].point_2.y, 0.0, 1e-9);
      }
}

static void parallel_capsules_touch_over_their_overlap(void **state)
{
  ts_arena *arena = *state;
  ts_touch touches[MOST];
  const placed b = {make_round(TS_SHAPE_CAPSULE, 0.1, 1.0, arena), frame_at(0.0, 0.0, 0.0, ORIGIN)};
  for (int k = 0; k < 4; ++k) {
    const double skew = k ? pow(10.0, -4.0 * k) * 1e-2 : 0.0;
    const placed a = {make_round(TS_SHAPE_CAPSULE, 0.2, 0.8, arena),
                      frame_at(0.3 + 1e-3, 0.0, 0.5, ts_vec3_make(skew, 0.0, 0.0))};
    assert_int_equal(touch(&a, &b, 0.01, touches), 2); // from 0.1 to 0.5
    for (int i = 0; i < 2; ++i) {
      assert_near(touches[i].gap, 1e-3, 1e-9);
      assert_near(touches[i].normal.x, 1.0, 1e-9);
    }
    assert_true(has_touch_at(touches, 2, ts_vec3_make(0.1, 0.0, 0.1), 1e-6));
    assert_true(has_touch_at(touches, 2, ts_vec3_make(0.1, 0.0, 0.5), 1e-6));
  }
  const placed across = {b.part, frame_at(0.2, 0.0, 0.1, ts_vec3_make(0.5, 0.0, 0.0))};
  assert_int_equal(touch(&across, &b, 0.01, touches), 1);
  assert_true(ts_distance_of(touches[0].point_2, ts_vec3_make(0.1, 0.0, 0.1)) < 1e-12);
}

static void standing_cylinder_touches_with_its_rim(void **state)
{
  ts_arena *arena = *state;
  ts_touch touches[MOST];
  const ts_convex *cylinder = make_round(TS_SHAPE_CYLINDER, 0.5, 2.0, arena);
  const placed ground = {make_plane(ts_vec3_make(0.0, 0.0, 1.0), 0.0, arena), frame_at(0.0, 0.0, 0.0, ORIGIN)};
  const placed floor = {make_box(3.0, 3.0, 1.0, arena), frame_at(0.0, 0.0, -0.5, ORIGIN)};
  const placed pillar = {make_round(TS_SHAPE_CYLINDER, 0.5, 1.0, arena), frame_at(0.0, 0.0, -0.5, ORIGIN)};
  const placed *on[] = {&ground, &floor, &pillar};
  for (int i = 0; i < 3; ++i) {
    const placed level = {cylinder, frame_at(0.0, 0.0, 1.0, ts_vec3_make(0.0, 0.0, 0.3))};
    assert_int_equal(touch(&level, on[i], 1e-3, touches), 8);
    for (int k = 0; k < 8; ++k) { // fixed to the body
      const double angle = 0.3 + 0.25 * TS_PI * k;
      assert_near(touches[k].gap, 0.0, 1e-15);
      assert_true(has_touch_at(touches, 8, ts_vec3_make(0.5 * cos(angle), 0.5 * sin(angle), 0.0), 1e-12));
    }
    for (int k = 2; k < 9; ++k) { // tilted about a horizontal axis: the lowest point is at -0.5 across it
      const double tilt = pow(10.0, -k), away = 0.7;
      const placed tilted = {cylinder, frame_at(0.0, 0.0, cos(tilt) + 0.5 * sin(tilt) + 1e-6,
                                                ts_vec3_make(tilt * cos(away), tilt * sin(away), 0.0))};
      if (i == 2 && k < 8) continue; // it rolls over the pillar's edge
      const int count = touch(&tilted, on[i], 0.6 * tilt + 2e-6, touches);
      qsort(touches, (size_t)count, sizeof *touches, by_gap);
      assert_true(count >= 3);
      assert_near(touches[0].gap, 1e-6, 1e-9);
      if (k < 7) assert_near(atan2(touches[0].point_1.y, touches[0].point_1.x), away - 0.5 * TS_PI, 1e-2);
    }
  }
  const placed lying = {cylinder, frame_at(0.0, 0.0, 0.5, ts_vec3_make(0.5 * TS_PI, 0.0, 0.0))};
  for (int i = 0; i < 2; ++i) {
    assert_int_equal(touch(&lying, on[i], 1e-3, touches), 2);
    assert_true(has_touch_at(touches, 2, ts_vec3_make(0.0, 1.0, 0.0), 1e-12));
    assert_true(has_touch_at(touches, 2, ts_vec3_make(0.0, -1.0, 0.0), 1e-12));
  }
  const placed rolling = {cylinder, frame_at(0.0, 0.0, sqrt(0.5) * 1.5, ts_vec3_make(0.25 * TS_PI, 0.0, 0.0))};
  for (int i = 0; i < 2; ++i) {
    assert_int_equal(touch(&rolling, on[i], 1e-3, touches), 1);
    assert_near(touches[0].gap, 0.0, 1e-15);
  }
}

// A cylinder stands over the edge of a box, and over the corner of one
static void cylinder_overhangs_a_box(void **state)
{
  ts_arena *arena = *state;
  ts_touch touches[MOST];
  const placed b = {make_box(2.0, 2.0, 1.0, arena), frame_at(0.0, 0.0, -0.5, ORIGIN)};
  const placed edge = {make_round(TS_SHAPE_CYLINDER, 0.5, 2.0, arena), frame_at(0.9, 0.0, 1.0, ORIGIN)};
  int count = touch(&edge, &b, 1e-3, touches);
  const double half = sqrt(0.25 - 0.01);
  assert_int_equal(count, 7); // five of the eight rim points, two crossings
  assert_true(has_touch_at(touches, count, ts_vec3_make(1.0, half, 0.0), 1e-12));
  assert_true(has_touch_at(touches, count, ts_vec3_make(1.0, -half, 0.0), 1e-12));
  const placed corner = {edge.part, frame_at(0.9, 0.9, 1.0, ORIGIN)};
  count = touch(&corner, &b, 1e-3, touches);
  assert_true(has_touch_at(touches, count, ts_vec3_make(1.0, 1.0, 0.0), 1e-12));
  assert_true(has_touch_at(touches, count, ts_vec3_make(1.0, 0.9 - half, 0.0), 1e-12));
  assert_true(has_touch_at(touches, count, ts_vec3_make(0.9 - half, 1.0, 0.0), 1e-12));
  // two cylinders, one beside the axis of the other: their rims cross
  const placed below = {make_round(TS_SHAPE_CYLINDER, 0.4, 1.0, arena), frame_at(0.0, 0.0, -0.5, ORIGIN)};
  const placed above = {make_round(TS_SHAPE_CYLINDER, 0.3, 1.0, arena), frame_at(0.5, 0.0, 0.5, ORIGIN)};
  count = touch(&above, &below, 1e-3, touches);
  const double x = (0.25 + 0.16 - 0.09) / 1.0, y = sqrt(0.16 - x * x);
  assert_true(has_touch_at(touches, count, ts_vec3_make(x, y, 0.0), 1e-9));
  assert_true(has_touch_at(touches, count, ts_vec3_make(x, -y, 0.0), 1e-9));
  for (int i = 0; i < count; ++i) {
    assert_true(hypot(touches[i].point_2.x, touches[i].point_2.y) < 0.4 + 1e-9);
    assert_true(hypot(touches[i].point_2.x - 0.5, touches[i].point_2.y) < 0.3 + 1e-9);
  }
}

// ---- polygons that are not convex

typedef struct outline_distance {
  double distance; // to the outline
  bool inside;
} outline_distance;

static outline_distance distance_to_outline(const ts_vec3 *corners, int count, ts_vec3 x)
{
  outline_distance d = {INFINITY, false};
  for (int i = 0; i < count; ++i) {
    const ts_vec3 p = corners[i], q = corners[(i + 1) % count], span = ts_sub(q, p);
    const double t = fmax(0.0, fmin(1.0, ts_dot(ts_sub(x, p), span) / ts_dot(span, span)));
    d.distance = fmin(d.distance, ts_distance_of(x, ts_add_scaled(p, t, span)));
    if ((p.y > x.y) != (q.y > x.y) && x.x < p.x + (x.y - p.y) / (q.y - p.y) * (q.x - p.x)) d.inside = !d.inside;
  }
  return d;
}

// A disc anywhere around a star: the least of the touches with the pieces is the distance to the outline, and no normal
// is that of a cut unless the outline has it too.
static void discs_touch_the_outline_of_a_polygon(void **state)
{
  ts_arena *arena = *state;
  ts_random random;
  ts_random_init(&random, 21);
  int measured = 0, cut_into_pieces = 0;
  for (int k = 0; k < 200; ++k) {
    test_shape made;
    int pieces;
    random_shape(&random, TS_SHAPE_POLYGON, 1.0, &made);
    const ts_convex *parts = ts_convex_pieces(&made.shape, arena, &pieces);
    const placed disc_at_rest = {make_round(TS_SHAPE_DISC, 0.1, 0.0, arena), frame_at(0.0, 0.0, 0.0, ORIGIN)};
    cut_into_pieces += pieces > 1;
    for (int trial = 0; trial < 50; ++trial) {
      placed disc = disc_at_rest;
      double least = INFINITY;
      disc.frame.origin = ts_add(made.vertices[0], ts_vec3_make(ts_random_uniform(&random, -2.0, 2.0),
                                                                ts_random_uniform(&random, -2.0, 2.0), 0.0));
      const outline_distance truth = distance_to_outline(made.vertices, made.shape.vertex_count, disc.frame.origin);
      for (int i = 0; i < pieces; ++i) {
        ts_touch touches[MOST];
        const placed piece = {&parts[i], frame_at(0.0, 0.0, 0.0, ORIGIN)};
        const int count = touch(&disc, &piece, 0.3, touches);
        for (int j = 0; j < count; ++j) {
          least = fmin(least, touches[j].gap);
          if (!truth.inside) // a true surface point
            assert_true(distance_to_outline(made.vertices, made.shape.vertex_count, touches[j].point_2).distance <
                        1e-9);
        }
      }
      if (truth.inside || truth.distance > 0.4 - 1e-9) continue;
      ++measured;
      assert_near(least, truth.distance - 0.1, 1e-9);
    }
  }
  assert_true(cut_into_pieces > 50 && measured > 1000);
}

static void box_in_the_corner_of_a_step_touches_floor_and_wall(void **state)
{
  ts_arena *arena = *state;
  const ts_vec3 corners[] = {{-2, -1, 0}, {2, -1, 0}, {2, 1, 0}, {1, 1, 0}, {1, 0, 0}, {-2, 0, 0}};
  const ts_vec3 square[] = {{-0.5, -0.5, 0}, {0.5, -0.5, 0}, {0.5, 0.5, 0}, {-0.5, 0.5, 0}};
  const ts_shape step = {.kind = TS_SHAPE_POLYGON, .vertices = corners, .vertex_count = 6};
  const ts_shape box = {.kind = TS_SHAPE_POLYGON, .vertices = square, .vertex_count = 4};
  const ts_convex *part = make_part(&box, arena);
  int pieces;
  const ts_convex *parts = ts_convex_pieces(&step, arena, &pieces);
  for (int k = -1; k <= 1; ++k) {
    const double gap = 1e-4 * k;
    const placed a = {part, frame_at(0.5 - gap, 0.5 + gap, 0.0, ORIGIN)};
    bool floor = false, wall = false;
    for (int i = 0; i < pieces; ++i) {
      ts_touch touches[MOST];
      const placed piece = {&parts[i], frame_at(0.0, 0.0, 0.0, ORIGIN)};
      const int count = touch(&a, &piece, 1e-3, touches);
      for (int j = 0; j < count; ++j) {
        const bool up = touches[j].normal.y > 1.0 - 1e-9, left = touches[j].normal.x < -1.0 + 1e-9;
        assert_true(up || left);
        assert_near(touches[j].gap, gap, 1e-12);
        floor = floor || up;
        wall = wall || left;
      }
    }
    assert_true(floor && wall);
  }
}

// ---- the interface

static void touches_beyond_the_capacity_are_counted(void **state)
{
  ts_arena *arena = *state;
  ts_touch all[MOST], some[MOST];
  const placed b = {make_box(1.0, 1.0, 1.0, arena), frame_at(0.0, 0.0, -0.5, ORIGIN)};
  const placed a = {make_box(1.0, 1.0, 1.0, arena), frame_at(0.0, 0.0, 0.5, ts_vec3_make(0.0, 0.0, 0.4))};
  const int count = touch(&a, &b, 1e-3, all);
  assert_int_equal(count, 8);
  for (int capacity = 0; capacity <= count; ++capacity) {
    memset(some, 0, sizeof some);
    assert_int_equal(ts_convex_touches(a.part, &a.frame, b.part, &b.frame, 1e-3, capacity ? some : NULL, capacity),
                     count);
    for (int k = 0; k < capacity; ++k)
      assert_true(some[k].feature == all[k].feature && some[k].gap == all[k].gap &&
                  ts_distance_of(some[k].point_1, all[k].point_1) == 0.0);
    assert_true(some[capacity].feature == 0 && some[capacity].gap == 0.0);
  }
}

// Parts inside each other, parts at one place, and frames that are not numbers: any answer, but an answer.
static void hostile_poses_are_survived(void **state)
{
  ts_random random;
  (void)state;
  ts_random_init(&random, 31);
  for (int k = 0; k < 300; ++k) {
    static ts_touch touches[MOST];
    ts_arena arena;
    ts_arena_init(&arena, NULL);
    const int kinds = sizeof solid_kinds / sizeof solid_kinds[0];
    placed a = {random_part(&random, solid_kinds[1 + ts_random_below(&random, kinds - 1)], false, &arena),
                random_frame(&random, false)};
    placed b = {random_part(&random, solid_kinds[ts_random_below(&random, kinds)], false, &arena), a.frame};
    const int count = touch(&a, &b, INFINITY, touches);
    assert_true(count > 0);
    for (int i = 0; i < count; ++i) assert_true(isfinite(touches[i].gap) && ts_vec3_is_finite(touches[i].point_1));
    a.frame.origin.y = NAN;
    for (int i = touch(&a, &b, 1.0, touches) - 1; i >= 0; --i) assert_true(touches[i].gap <= 1.0);
    ts_arena_release(&arena);
  }
}

int main(void)
{
  const struct CMUnitTest tests[] = {
      cmocka_unit_test(pairs_in_space_hold_what_they_claim),
      cmocka_unit_test(cones_hold_what_they_claim),
      cmocka_unit_test(superellipsoids_hold_what_they_claim),
      cmocka_unit_test(pairs_in_the_plane_hold_what_they_claim),
      cmocka_unit_test(rigid_motions_move_the_touches),
      cmocka_unit_test(box_on_plane_touches_with_its_corners),
      cmocka_unit_test(stacked_boxes_touch_in_the_intersection_of_their_faces),
      cmocka_unit_test(many_sided_faces_intersect_as_well),
      cmocka_unit_test(small_tilts_keep_the_features),
      cmocka_unit_test(touches_do_not_jump_while_a_cube_slides),
      cmocka_unit_test(boxes_beside_each_other_have_no_ghosts),
      cmocka_unit_test(crossing_edges_touch_in_one_point),
      cmocka_unit_test(parallel_edges_touch_in_two_points),
      cmocka_unit_test(lying_capsules_touch_in_two_points),
      cmocka_unit_test(capsules_along_an_edge_touch_in_two_points),
      cmocka_unit_test(parallel_capsules_touch_over_their_overlap),
      cmocka_unit_test(standing_cylinder_touches_with_its_rim),
      cmocka_unit_test(cylinder_overhangs_a_box),
      cmocka_unit_test(discs_touch_the_outline_of_a_polygon),
      cmocka_unit_test(box_in_the_corner_of_a_step_touches_floor_and_wall),
      cmocka_unit_test(touches_beyond_the_capacity_are_counted),
      cmocka_unit_test(hostile_poses_are_survived),
  };
  return cmocka_run_group_tests(tests, make_arena, release_arena);
}
