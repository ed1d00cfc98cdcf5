// Signed distances of every pair of convex kinds. What a separation claims is proved, not compared with code of the
// same make: support functions and insides are written here once more, from the shapes' parameters alone.
//  - The gap along the returned normal is a lower bound of the gap, and must be the gap.
//  - The points must lie in their shapes and apart by gap and normal. Apart, that is an upper bound: the two bounds
//  meet,
//    and the distance is exact. Overlapping, it shows that the normal is a local maximum of the gap.
//  - That no other direction gives a greater gap is left to brute force: a grid of directions and a local search from
//    the best of them.
#include "shape/distance.h"

#include "base/random.h"

#include <stdarg.h>
#include <stddef.h>
#include <setjmp.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <math.h>
#include <string.h>
#include <cmocka.h>

#include "effort.h"

// ---- shapes, written once more
// -----------------------------------------------------------------------------------------

#define TURN (2.0 * TS_PI) // a full turn [rad]

enum { MOST_VERTICES = 64 };

// A shape with memory of its own for vertices.
typedef struct specimen {
  ts_shape shape;
  ts_vec3 vertices[MOST_VERTICES];
  const ts_convex *part; // in the arena of the test
} specimen;

static ts_vec3 oracle_support(const ts_shape *s, ts_vec3 d)
{
  const double flat = hypot(d.x, d.y), length = ts_length(d);
  switch (s->kind) {
  case TS_SHAPE_SPHERE:
    return ts_scale(s->radius / length, d);
  case TS_SHAPE_BOX:
    return ts_vec3_make(d.x < 0 ? -0.5 * s->size.x : 0.5 * s->size.x, d.y < 0 ? -0.5 * s->size.y : 0.5 * s->size.y,
                        d.z < 0 ? -0.5 * s->size.z : 0.5 * s->size.z);
  case TS_SHAPE_CAPSULE:
    return ts_add(ts_scale(s->radius / length, d), ts_vec3_make(0, 0, d.z < 0 ? -0.5 * s->length : 0.5 * s->length));
  case TS_SHAPE_CYLINDER:
    return ts_vec3_make(flat > 0 ? s->radius * d.x / flat : 0, flat > 0 ? s->radius * d.y / flat : 0,
                        d.z < 0 ? -0.5 * s->length : 0.5 * s->length);
  case TS_SHAPE_CONE: {
    const bool top = s->top_radius * flat + 0.5 * s->length * d.z > s->radius * flat - 0.5 * s->length * d.z;
    const double r = top ? s->top_radius : s->radius;
    return ts_vec3_make(flat > 0 ? r * d.x / flat : 0, flat > 0 ? r * d.y / flat : 0,
                        top ? 0.5 * s->length : -0.5 * s->length);
  }
  case TS_SHAPE_ELLIPSOID: {
    const ts_vec3 e = s->size, q = {e.x * d.x, e.y * d.y, e.z * d.z};
    const double h = ts_length(q);
    return ts_vec3_make(e.x * q.x / h, e.y * q.y / h, e.z * q.z / h);
  }
  case TS_SHAPE_DISC:
    return ts_vec3_make(flat > 0 ? s->radius * d.x / flat : 0, flat > 0 ? s->radius * d.y / flat : 0, 0);
  case TS_SHAPE_POLYTOPE:
  case TS_SHAPE_POLYGON: {
    ts_vec3 best = s->vertices[0];
    for (int v = 1; v < s->vertex_count; ++v)
      if (ts_dot(s->vertices[v], d) > ts_dot(best, d)) best = s->vertices[v];
    return best;
  }
  default:
    return ts_vec3_make(0, 0, 0);
  }
}

typedef struct placed {
  const specimen *it;
  ts_frame frame;
} placed;

static bool is_power_sum(ts_shape_kind kind)
{
  return kind == TS_SHAPE_SUPERELLIPSOID || kind == TS_SHAPE_SUPERELLIPSE;
}

// Greatest value of n.x over the body.
static double extent_along(const placed *p, ts_vec3 n)
{
  if (p->it->shape.kind == TS_SHAPE_PLANE) {
    const ts_vec3 outward = ts_mul(&p->frame.axes, p->it->shape.normal);
    const double along = ts_dot(outward, n);
    return along > 1.0 - 1e-12 ? p->it->shape.offset + ts_dot(outward, p->frame.origin) : INFINITY;
  }
  const ts_vec3 local = ts_mul_transposed(&p->frame.axes, n);
  if (is_power_sum(p->it->shape.kind)) // without a closed form; test_convex.c checks it by its gradient
    return ts_dot(local, ts_convex_support(p->it->part, local)) + ts_dot(n, p->frame.origin);
  return ts_dot(local, oracle_support(&p->it->shape, local)) + ts_dot(n, p->frame.origin);
}

static double gap_along(const placed *a, const placed *b, ts_vec3 n)
{
  return -extent_along(a, ts_negate(n)) - extent_along(b, n);
}

// The sum of powers less 1, over the length of its gradient
static double outside_power_sum(const ts_shape *s, ts_vec3 point)
{
  const double a[3] = {s->size.x, s->size.y, s->size.z}, p[3] = {s->exponents.x, s->exponents.y, s->exponents.z};
  const double x[3] = {point.x, point.y, point.z};
  double value = -1.0, square = 0.0;
  for (int i = 0; i < (s->kind == TS_SHAPE_SUPERELLIPSE ? 2 : 3); ++i) {
    const double power = pow(fabs(x[i] / a[i]), p[i] - 1.0);
    value += power * fabs(x[i] / a[i]);
    square += p[i] * power / a[i] * (p[i] * power / a[i]);
  }
  return value / sqrt(square);
}

// How far a point is outside of a body, in any measure that is a distance near the surface.
static double outside(const placed *p, ts_vec3 point)
{
  const ts_shape *s = &p->it->shape;
  const ts_vec3 x = ts_frame_unapply(&p->frame, point);
  switch (s->kind) {
  case TS_SHAPE_PLANE:
    return ts_dot(s->normal, x) - s->offset;
  case TS_SHAPE_SPHERE:
  case TS_SHAPE_DISC:
    return ts_length(x) - s->radius;
  case TS_SHAPE_BOX:
    return fmax(fabs(x.x) - 0.5 * s->size.x, fmax(fabs(x.y) - 0.5 * s->size.y, fabs(x.z) - 0.5 * s->size.z));
  case TS_SHAPE_CAPSULE:
    return hypot(hypot(x.x, x.y), fmax(0, fabs(x.z) - 0.5 * s->length)) - s->radius;
  case TS_SHAPE_CYLINDER:
    return fmax(hypot(x.x, x.y) - s->radius, fabs(x.z) - 0.5 * s->length);
  case TS_SHAPE_CONE: { // the line through both rims, in the half-plane of the point
    const double dr = s->top_radius - s->radius, across = hypot(x.x, x.y) - s->radius, along = x.z + 0.5 * s->length;
    return fmax((s->length * across - dr * along) / hypot(s->length, dr), fabs(x.z) - 0.5 * s->length);
  }
  case TS_SHAPE_ELLIPSOID: {
    const ts_vec3 q = {x.x / s->size.x, x.y / s->size.y, x.z / s->size.z};
    const ts_vec3 g = {q.x / s->size.x, q.y / s->size.y, q.z / s->size.z};
    return (ts_dot(q, q) - 1) / (2 * ts_length(g));
  }
  case TS_SHAPE_SUPERELLIPSOID:
  case TS_SHAPE_SUPERELLIPSE:
    return outside_power_sum(s, x);
  case TS_SHAPE_POLYTOPE:
  case TS_SHAPE_POLYGON: { // by the faces, which test_hull checks against brute force
    const ts_hull *hull = p->it->part->hull;
    double most = -INFINITY;
    for (int f = 0; f < hull->face_count; ++f) most = fmax(most, ts_dot(hull->normals[f], x) - hull->offsets[f]);
    return most;
  }
  default:
    return ts_length(x);
  }
}

// ---- brute force
// -------------------------------------------------------------------------------------------------------

enum { GRID = 400 };

// Directions spread evenly: a golden spiral over the sphere, or a circle.
static ts_vec3 grid_direction(int i, bool planar)
{
  const double turn = 2.399963229728653;
  if (planar) return ts_vec3_make(cos(TURN * i / GRID), sin(TURN * i / GRID), 0);
  const double z = 1 - (2 * i + 1.0) / GRID, r = sqrt(1 - z * z);
  return ts_vec3_make(r * cos(turn * i), r * sin(turn * i), z);
}

static ts_vec3 nearby(ts_vec3 n, double radius, bool planar, ts_random *random)
{
  const ts_vec3 t = planar ? ts_vec3_make(-n.y, n.x, 0) : ts_tangent_of(n), o = planar ? t : ts_cross(n, t);
  const double angle = ts_random_uniform(random, 0, TURN), r = radius * ts_random_uniform(random, 0, 1);
  return ts_normalize(ts_add_scaled(ts_add_scaled(n, r * cos(angle), t), r * sin(angle), o), n);
}

// Random steps uphill from n, in circles that shrink while nothing better is found.
static double local_search(const placed *a, const placed *b, ts_vec3 n, bool planar, ts_random *random)
{
  double best = gap_along(a, b, n);
  for (double radius = 0.15; radius > 1e-9; radius *= 0.6)
    for (int i = 0; i < 12; ++i) {
      const ts_vec3 trial = nearby(n, radius, planar, random);
      const double gap = gap_along(a, b, trial);
      if (gap > best) best = gap, n = trial, i = -1;
    }
  return best;
}

// A lower bound of the gap, and a good one.
static double brute_force(const placed *a, const placed *b, bool planar, ts_random *random)
{
  enum { STARTS = 4 };
  double gaps[STARTS];
  ts_vec3 starts[STARTS];
  int count = 0;
  for (int i = 0; i < GRID; ++i) {
    const ts_vec3 n = grid_direction(i, planar);
    const double gap = gap_along(a, b, n);
    if (count == STARTS && gap <= gaps[STARTS - 1]) continue;
    int at = count < STARTS ? count++ : STARTS - 1;
    for (; at > 0 && gaps[at - 1] < gap; --at) gaps[at] = gaps[at - 1], starts[at] = starts[at - 1];
    gaps[at] = gap, starts[at] = n;
  }
  double best = -INFINITY;
  for (int i = 0; i < count; ++i) best = fmax(best, local_search(a, b, starts[i], planar, random));
  return best;
}

// ---- making shapes and poses
// -------------------------------------------------------------------------------------------

static ts_vec3 any_direction(ts_random *random, bool planar)
{
  const ts_vec3 v = {ts_random_normal(random), ts_random_normal(random), planar ? 0.0 : ts_random_normal(random)};
  return ts_normalize(v, ts_vec3_make(1, 0, 0));
}

static ts_mat3 any_rotation(ts_random *random, bool planar)
{
  ts_quat q = {ts_random_normal(random), ts_random_normal(random), ts_random_normal(random), ts_random_normal(random)};
  if (planar) q.x = q.y = 0;
  q = ts_quat_normalize(q);
  return ts_quat_matrix(q);
}

// Of its own seed: other kinds keep their poses.
static ts_vec3 any_exponents(ts_random *random)
{
  static const double some[] = {2.0, 2.2, 2.5, 3.0, 4.0, 7.0, 20.0, 100.0};
  ts_vec3 p;
  p.x = some[ts_random_below(random, 8)];
  p.y = some[ts_random_below(random, 8)];
  p.z = some[ts_random_below(random, 8)];
  return p;
}

static void random_specimen(specimen *it, ts_shape_kind kind, bool planar, ts_random *random, ts_arena *arena)
{
  *it = (specimen){.shape = {.kind = kind}};
  ts_shape *s = &it->shape;
  s->radius = ts_random_uniform(random, 0.3, 1);
  s->length = ts_random_uniform(random, 0.5, 2);
  s->size = ts_vec3_make(ts_random_uniform(random, 0.3, 1), ts_random_uniform(random, 0.3, 1),
                         ts_random_uniform(random, 0.3, 1));
  s->normal = any_direction(random, planar);
  s->offset = ts_random_uniform(random, -1, 1);
  if (kind == TS_SHAPE_CONE && ts_random_below(random, 2)) s->top_radius = ts_random_uniform(random, 0, 1);
  if (is_power_sum(kind)) s->exponents = any_exponents(random);
  s->vertices = it->vertices;
  if (kind == TS_SHAPE_POLYTOPE) {
    s->vertex_count = 6 + ts_random_below(random, 20);
    for (int v = 0; v < s->vertex_count; ++v)
      it->vertices[v] = ts_add(ts_scale(ts_random_uniform(random, 0.7, 1), any_direction(random, false)),
                               ts_vec3_make(0.3, 0.2, -0.4));
  }
  if (kind == TS_SHAPE_POLYGON) { // on an ellipse, so convex
    s->vertex_count = 3 + ts_random_below(random, 8);
    const double phase = ts_random_uniform(random, 0, 6);
    for (int v = 0; v < s->vertex_count; ++v) {
      const double angle = phase + TURN * v / s->vertex_count;
      it->vertices[v] = ts_vec3_make(0.3 + cos(angle), s->size.x * sin(angle), 0);
    }
  }
  int count;
  assert_int_equal(ts_shape_check(s, NULL), TS_OK);
  it->part = ts_convex_pieces(s, arena, &count);
  assert_int_equal(count, 1);
}

static void measure(const placed *a, const placed *b, ts_separation *s)
{
  ts_convex_distance(a->it->part, &a->frame, b->it->part, &b->frame, s);
}

// ---- what has to hold
// --------------------------------------------------------------------------------------------------

typedef struct worst {
  double lower, points, brute, shortfall;
} worst;

static bool holds(const char *what, double value, double limit, const placed *a, const placed *b)
{
  if (value <= limit) return true;
  print_error("%s - %s: %s is %g, at most %g is allowed\n", ts_shape_name(a->it->shape.kind),
              ts_shape_name(b->it->shape.kind), what, value, limit);
  return false;
}

// The separation is consistent and locally right.
static bool separation_holds(const placed *a, const placed *b, const ts_separation *s, double tolerance, worst *seen)
{
  const ts_vec3 apart = ts_sub(s->point_1, ts_add_scaled(s->point_2, s->gap, s->normal));
  const double lower = fabs(gap_along(a, b, s->normal) - s->gap);
  const double points = fmax(outside(a, s->point_1), outside(b, s->point_2));
  seen->lower = fmax(seen->lower, lower);
  seen->points = fmax(seen->points, points);
  return holds("the normal's length less 1", fabs(ts_length(s->normal) - 1), 1e-14, a, b) &&
         holds("the distance of point 1 from point 2 + gap normal", ts_length(apart), tolerance, a, b) &&
         holds("the error of the gap along the normal", lower, tolerance, a, b) &&
         holds("the distance of a point outside its shape", points, tolerance, a, b);
}

static bool exchange_holds(const placed *a, const placed *b, const ts_separation *s)
{
  ts_separation back;
  measure(b, a, &back);
  return holds("the change of gap under exchange", fabs(back.gap - s->gap), 1e-9, a, b);
}

// Random poses a pair of kinds; arrangements of other sorts take an eighth of them.
static int pose_count(void)
{
  const char *text = getenv("TOUCHSTONE_POSES");
  const int asked = text ? atoi(text) : effort_part(400, 4, 10);
  return asked > 0 ? asked : 1;
}

static void place_at_gap(placed *a, const placed *b, ts_vec3 direction, double gap)
{
  a->frame.origin = ts_add_scaled(a->frame.origin, gap - gap_along(a, b, direction), direction);
}

static int failures_of_pair(ts_shape_kind kind_a, ts_shape_kind kind_b, bool planar, ts_random *random, worst *seen)
{
  int failures = 0;
  const int poses = pose_count();
  for (int i = 0; i < poses; ++i) {
    ts_arena arena;
    ts_arena_init(&arena, NULL);
    specimen shape_a, shape_b;
    random_specimen(&shape_a, kind_a, planar, random, &arena);
    random_specimen(&shape_b, kind_b, planar, random, &arena);
    placed a = {&shape_a, {any_direction(random, planar), any_rotation(random, planar)}};
    placed b = {&shape_b, {any_direction(random, planar), any_rotation(random, planar)}};
    const bool plane = kind_a == TS_SHAPE_PLANE || kind_b == TS_SHAPE_PLANE;
    ts_vec3 u = any_direction(random, planar);
    if (kind_a == TS_SHAPE_PLANE) u = ts_negate(ts_mul(&a.frame.axes, shape_a.shape.normal));
    if (kind_b == TS_SHAPE_PLANE) u = ts_mul(&b.frame.axes, shape_b.shape.normal);
    place_at_gap(&a, &b, u, ts_random_uniform(random, -0.1, i % 3 ? 0.02 : 0.5));
    ts_separation s;
    measure(&a, &b, &s);
    const bool touching = i % 4 == 0;
    if (touching) { // along the normal to a gap of nearly nothing
      static const double gaps[] = {0, 1e-12, -1e-12, 1e-9, -1e-9, 1e-6, -1e-6};
      const double target = gaps[(i / 4) % 7];
      a.frame.origin = ts_add_scaled(a.frame.origin, target - s.gap, s.normal);
      measure(&a, &b, &s);
    }
    bool fine = separation_holds(&a, &b, &s, 1e-9, seen) && exchange_holds(&a, &b, &s);
    if (!plane && (s.gap <= 0 || i % 8 == 1)) { // of those apart, the bounds have met already
      const double brute = brute_force(&a, &b, planar, random);
      seen->brute = fmax(seen->brute, brute - s.gap);
      seen->shortfall = fmax(seen->shortfall, s.gap - brute);
      fine &= holds("what brute force gains", brute - s.gap, 1e-8, &a, &b);
    }
    if (!fine) {
      ++failures;
      print_error("  in pose %d of %s - %s, gap %g\n", i, ts_shape_name(kind_a), ts_shape_name(kind_b), s.gap);
    }
    ts_arena_release(&arena);
  }
  return failures;
}

static int failures_of_kinds(const ts_shape_kind *kinds, int count, bool planar)
{
  int failures = 0;
  ts_random random;
  ts_random_init(&random, 20240607);
  for (int i = 0; i < count; ++i)
    for (int j = 0; j <= i; ++j) { // in the other order too, see exchange_holds()
      if (kinds[i] == TS_SHAPE_PLANE && kinds[j] == TS_SHAPE_PLANE) continue;
      worst seen = {0, 0, -INFINITY, 0};
      failures += failures_of_pair(kinds[i], kinds[j], planar, &random, &seen);
      if (getenv("TOUCHSTONE_VERBOSE"))
        print_message("%10s %10s  bound %.1e  points %.1e  brute force %+.1e, short by %.1e\n", ts_shape_name(kinds[i]),
                      ts_shape_name(kinds[j]), seen.lower, seen.points, seen.brute, seen.shortfall);
    }
  return failures;
}

// ---- arrangements that hit faces, edges and axes exactly
// ----------------------------------------------------------------

// Quarter turns about two axes, then perhaps a very small turn.
static ts_mat3 aligned_rotation(ts_random *random, bool planar)
{
  static const double tilts[] = {0, 0, 0, 1e-15, 1e-12, 1e-9, 1e-6, 1e-3};
  const double quarter = TURN / 4, tilt = tilts[ts_random_below(random, 8)];
  const ts_vec3 small = planar ? ts_vec3_make(0, 0, tilt) : ts_scale(tilt, any_direction(random, false));
  ts_quat q = ts_quat_about_z(quarter * ts_random_below(random, 4));
  if (!planar) q = ts_quat_product(ts_quat_exp(ts_vec3_make(quarter * ts_random_below(random, 4), 0, 0)), q);
  q = ts_quat_normalize(ts_quat_product(ts_quat_exp(small), q));
  return ts_quat_matrix(q);
}

static void aligned_specimen(specimen *it, ts_shape_kind kind, ts_random *random, ts_arena *arena)
{
  *it = (specimen){.shape = {.kind = kind}};
  ts_shape *s = &it->shape;
  s->radius = 0.5 * (1 + ts_random_below(random, 2));
  s->length = 1 + ts_random_below(random, 2);
  s->size = ts_vec3_make(0.5 * (1 + ts_random_below(random, 3)), 0.5 * (1 + ts_random_below(random, 3)),
                         0.5 * (1 + ts_random_below(random, 3)));
  if (kind == TS_SHAPE_CONE) s->top_radius = 0.5 * ts_random_below(random, 3);
  if (is_power_sum(kind)) s->exponents = any_exponents(random);
  s->vertices = it->vertices;
  if (kind == TS_SHAPE_POLYTOPE) { // an octahedron or a wedge
    static const ts_vec3 octahedron[] = {{1, 0, 0}, {-1, 0, 0}, {0, 1, 0}, {0, -1, 0}, {0, 0, 1}, {0, 0, -1}};
    static const ts_vec3 wedge[] = {{1, 1, 0}, {1, -1, 0}, {-1, 1, 0}, {-1, -1, 0}, {1, 0, 1}, {-1, 0, 1}};
    s->vertex_count = 6;
    memcpy(it->vertices, ts_random_below(random, 2) ? octahedron : wedge, sizeof octahedron);
  }
  if (kind == TS_SHAPE_POLYGON) {
    static const ts_vec3 outline[] = {{1, 0.5, 0}, {-1, 0.5, 0}, {-1, -0.5, 0}, {0, -1, 0}, {1, -0.5, 0}};
    s->vertex_count = 5;
    memcpy(it->vertices, outline, sizeof outline);
  }
  int count;
  it->part = ts_convex_pieces(s, arena, &count);
}

static int failures_of_aligned(ts_shape_kind kind_a, ts_shape_kind kind_b, bool planar, ts_random *random)
{
  int failures = 0;
  for (int i = 0; i < 1 + pose_count() / 8; ++i) {
    ts_arena arena;
    ts_arena_init(&arena, NULL);
    specimen shape_a, shape_b;
    aligned_specimen(&shape_a, kind_a, random, &arena);
    aligned_specimen(&shape_b, kind_b, random, &arena);
    placed a = {&shape_a, {{0, 0, 0}, aligned_rotation(random, planar)}};
    const placed b = {&shape_b, {{0, 0, 0}, aligned_rotation(random, planar)}};
    a.frame.origin = ts_vec3_make(0.25 * (ts_random_below(random, 13) - 6), 0.25 * (ts_random_below(random, 13) - 6),
                                  planar ? 0 : 0.25 * (ts_random_below(random, 13) - 6));
    if (i % 8 == 0) a.frame.origin = ts_vec3_make(0, 0, 0);
    ts_separation s;
    worst seen = {0};
    measure(&a, &b, &s);
    const double brute = brute_force(&a, &b, planar, random);
    const double tolerance = s.gap > -0.25 ? 1e-8 : 1e-6; // deep inside, maxima of nearly equal size lie close together
    const bool fine = separation_holds(&a, &b, &s, tolerance, &seen) && exchange_holds(&a, &b, &s) &&
                      holds("what brute force gains", brute - s.gap, tolerance, &a, &b);
    if (!fine) {
      ++failures;
      print_error("  in aligned pose %d of %s - %s, gap %g\n", i, ts_shape_name(kind_a), ts_shape_name(kind_b), s.gap);
    }
    ts_arena_release(&arena);
  }
  return failures;
}

static void aligned_pairs(void **state)
{
  (void)state;
  static const ts_shape_kind solid[] = {TS_SHAPE_POINT,    TS_SHAPE_SPHERE,   TS_SHAPE_BOX,
                                        TS_SHAPE_CAPSULE,  TS_SHAPE_CYLINDER, TS_SHAPE_ELLIPSOID,
                                        TS_SHAPE_POLYTOPE, TS_SHAPE_CONE,     TS_SHAPE_SUPERELLIPSOID};
  static const ts_shape_kind flat[] = {TS_SHAPE_POINT, TS_SHAPE_DISC, TS_SHAPE_POLYGON, TS_SHAPE_SUPERELLIPSE};
  ts_random random;
  ts_random_init(&random, 7);
  int failures = 0;
  for (int i = 0; i < 9; ++i)
    for (int j = 0; j <= i; ++j) failures += failures_of_aligned(solid[i], solid[j], false, &random);
  for (int i = 0; i < 4; ++i)
    for (int j = 0; j <= i; ++j) failures += failures_of_aligned(flat[i], flat[j], true, &random);
  assert_int_equal(failures, 0);
}

// ---- thin, tiny, huge, far away
// -----------------------------------------------------------------------------------------

static double thin(ts_random *random)
{
  static const double shares[] = {1, 1, 0.1, 1e-2, 1e-4};
  return shares[ts_random_below(random, 5)] * ts_random_uniform(random, 0.5, 1);
}

static void thin_specimen(specimen *it, ts_shape_kind kind, double scale, ts_random *random, ts_arena *arena)
{
  *it = (specimen){.shape = {.kind = kind}};
  ts_shape *s = &it->shape;
  s->radius = scale * thin(random);
  s->length = scale * thin(random);
  s->size = ts_vec3_make(scale * thin(random), scale * thin(random), scale * thin(random));
  if (kind == TS_SHAPE_CONE && ts_random_below(random, 2)) s->top_radius = scale * thin(random);
  if (is_power_sum(kind)) s->exponents = any_exponents(random);
  s->vertices = it->vertices;
  s->vertex_count = 8 + ts_random_below(random, 8);
  for (int v = 0; v < s->vertex_count; ++v) {
    const ts_vec3 on_ball = any_direction(random, false);
    it->vertices[v] = ts_vec3_make(s->size.x * on_ball.x, s->size.y * on_ball.y, s->size.z * on_ball.z);
  }
  int count;
  it->part = ts_convex_pieces(s, arena, &count);
}

static bool is_finite(const ts_separation *s)
{
  return isfinite(s->gap) && ts_vec3_is_finite(s->normal) && ts_vec3_is_finite(s->point_1) &&
         ts_vec3_is_finite(s->point_2);
}

static int failures_of_extremes(ts_shape_kind kind_a, ts_shape_kind kind_b, ts_random *random)
{
  static const double scales[] = {1e-3, 1, 1e3};
  int failures = 0;
  for (int i = 0; i < 1 + pose_count() / 8; ++i) {
    ts_arena arena;
    ts_arena_init(&arena, NULL);
    const double scale = scales[i % 3];
    specimen shape_a, shape_b;
    thin_specimen(&shape_a, kind_a, scale, random, &arena);
    thin_specimen(&shape_b, kind_b, scale * (i % 5 ? 1 : 0.01), random, &arena);
    placed a = {&shape_a, {ts_scale(1e3, any_direction(random, false)), any_rotation(random, false)}};
    placed b = {&shape_b, {a.frame.origin, any_rotation(random, false)}};
    const double small = fmin(shape_a.part->reach, shape_b.part->reach), size = fmax(small, 1e-2 * scale);
    if (i % 7) place_at_gap(&a, &b, any_direction(random, false), small * ts_random_uniform(random, -0.1, 0.1));
    ts_separation s;
    worst seen = {0};
    measure(&a, &b, &s);
    const double tolerance = 1e-8 * size + 1e-12; // 1e-12: rounding of coordinates of 1e3
    bool fine = is_finite(&s) && separation_holds(&a, &b, &s, tolerance, &seen);
    fine &= holds("what brute force gains", brute_force(&a, &b, false, random) - s.gap, tolerance, &a, &b);
    if (!fine) {
      ++failures;
      print_error("  in extreme pose %d of %s - %s, gap %g\n", i, ts_shape_name(kind_a), ts_shape_name(kind_b), s.gap);
    }
    ts_arena_release(&arena);
  }
  return failures;
}

static void extreme_pairs(void **state)
{
  (void)state;
  static const ts_shape_kind kinds[] = {TS_SHAPE_POINT,    TS_SHAPE_SPHERE,   TS_SHAPE_BOX,
                                        TS_SHAPE_CAPSULE,  TS_SHAPE_CYLINDER, TS_SHAPE_ELLIPSOID,
                                        TS_SHAPE_POLYTOPE, TS_SHAPE_CONE,     TS_SHAPE_SUPERELLIPSOID};
  ts_random random;
  ts_random_init(&random, 11);
  int failures = 0;
  for (int i = 0; i < 9; ++i)
    for (int j = 0; j <= i; ++j) failures += failures_of_extremes(kinds[i], kinds[j], &random);
  assert_int_equal(failures, 0);
}

static void every_pair_in_space(void **state)
{
  (void)state;
  static const ts_shape_kind kinds[] = {TS_SHAPE_PLANE,   TS_SHAPE_POINT,         TS_SHAPE_SPHERE,    TS_SHAPE_BOX,
                                        TS_SHAPE_CAPSULE, TS_SHAPE_CYLINDER,      TS_SHAPE_ELLIPSOID, TS_SHAPE_POLYTOPE,
                                        TS_SHAPE_CONE,    TS_SHAPE_SUPERELLIPSOID};
  assert_int_equal(failures_of_kinds(kinds, 10, false), 0);
}

static void every_pair_in_the_plane(void **state)
{
  (void)state;
  static const ts_shape_kind kinds[] = {TS_SHAPE_PLANE, TS_SHAPE_POINT, TS_SHAPE_DISC, TS_SHAPE_POLYGON,
                                        TS_SHAPE_SUPERELLIPSE};
  assert_int_equal(failures_of_kinds(kinds, 5, true), 0);
}

// ---- known numbers
// ------------------------------------------------------------------------------------------------------

static ts_pose pose_at(double x, double y, double z)
{
  return (ts_pose){{x, y, z}, {1, 0, 0, 0}};
}

static void assert_gap(const ts_shape *first, ts_pose first_pose, const ts_shape *second, ts_pose second_pose,
                       double gap, ts_vec3 normal)
{
  ts_separation s;
  assert_int_equal(ts_shape_distance(first, &first_pose, second, &second_pose, &s, NULL), TS_OK);
  assert_true(fabs(s.gap - gap) < 1e-14);
  assert_true(ts_distance_of(s.normal, normal) < 1e-14);
  assert_true(ts_distance_of(s.point_1, ts_add_scaled(s.point_2, s.gap, s.normal)) < 1e-14);
}

static void closed_forms(void **state)
{
  (void)state;
  const ts_shape plane = {.kind = TS_SHAPE_PLANE, .normal = {0, 0, 2}, .offset = 0.5}; // normals need not be unit
  const ts_shape ball = {.kind = TS_SHAPE_SPHERE, .radius = 1};
  const ts_shape box = {.kind = TS_SHAPE_BOX, .size = {2, 4, 6}};
  const ts_shape capsule = {.kind = TS_SHAPE_CAPSULE, .radius = 0.5, .length = 2};
  const ts_shape cylinder = {.kind = TS_SHAPE_CYLINDER, .radius = 0.5, .length = 2};
  const ts_shape ellipsoid = {.kind = TS_SHAPE_ELLIPSOID, .size = {1, 2, 3}};
  const ts_vec3 x = {1, 0, 0}, y = {0, 1, 0}, z = {0, 0, 1};
  assert_gap(&ball, pose_at(0, 0, 2), &plane, pose_at(0, 0, 0), 0.5, z);
  assert_gap(&plane, pose_at(0, 0, 0), &ball, pose_at(0, 0, 1.25), -0.25, ts_negate(z));
  assert_gap(&ball, pose_at(5, 0, 0), &ball, pose_at(2, 0, 0), 1, x);
  assert_gap(&ball, pose_at(0, 0, 0), &ball, pose_at(0, 0, 0), -2, x);
  assert_gap(&ball, pose_at(0, 3.5, 0), &box, pose_at(0, 0, 0), 0.5, y);
  assert_gap(&ball, pose_at(0, 1.5, 0), &box, pose_at(0, 0, 0), -1.5, y);
  assert_gap(&box, pose_at(0, 0, 5.75), &box, pose_at(0, 0, 0), -0.25, z);
  assert_gap(&box, pose_at(0.5, 0.25, 7), &box, pose_at(0, 0, 0), 1, z);
  assert_gap(&box, pose_at(5, 8, 0), &box, pose_at(0, 0, 0), 5, ts_vec3_make(0.6, 0.8, 0)); // edge to edge
  assert_gap(&capsule, pose_at(3, 0, 0), &capsule, pose_at(0, 0, 0.5), 2, x);
  assert_gap(&capsule, pose_at(0, 0, 4), &cylinder, pose_at(0, 0, 0), 1.5, z);
  assert_gap(&cylinder, pose_at(0, 0, 1.9), &cylinder, pose_at(0.2, 0, 0), -0.1, z);
  assert_gap(&cylinder, pose_at(0, 2, 0), &cylinder, pose_at(0, 0, 0), 1, y);
  assert_gap(&ball, pose_at(0, 0, 5), &ellipsoid, pose_at(0, 0, 0), 1, z);
  assert_gap(&ellipsoid, pose_at(0, 4.5, 0), &ellipsoid, pose_at(0, 0, 0), 0.5, y);
  assert_gap(&ellipsoid, pose_at(1.9, 0, 0), &ellipsoid, pose_at(0, 0, 0), -0.1, x);
}

// The depth of a ball in the middle of an ellipsoid is along its shortest axis, though no axis is preferred there.
static void centres_that_coincide(void **state)
{
  (void)state;
  const ts_shape ball = {.kind = TS_SHAPE_SPHERE, .radius = 1};
  const ts_shape ellipsoid = {.kind = TS_SHAPE_ELLIPSOID, .size = {4, 2, 3}};
  const ts_pose pose = pose_at(0, 0, 0);
  ts_separation s;
  assert_int_equal(ts_shape_distance(&ball, &pose, &ellipsoid, &pose, &s, NULL), TS_OK);
  assert_true(fabs(s.gap + 3) < 1e-14);
  assert_true(fabs(fabs(s.normal.y) - 1) < 1e-14);
}

// ---- large hulls, which overlap by another way than small ones
// ------------------------------------------------------------

static void large_hull(specimen *it, ts_random *random, ts_arena *arena)
{
  *it = (specimen){.shape = {.kind = TS_SHAPE_POLYTOPE, .vertex_count = MOST_VERTICES}};
  it->shape.vertices = it->vertices;
  for (int v = 0; v < MOST_VERTICES; ++v) it->vertices[v] = any_direction(random, false);
  int count;
  it->part = ts_convex_pieces(&it->shape, arena, &count);
}

static void large_hulls(void **state)
{
  (void)state;
  static const ts_shape_kind others[] = {TS_SHAPE_POLYTOPE, TS_SHAPE_CYLINDER, TS_SHAPE_ELLIPSOID, TS_SHAPE_CAPSULE};
  ts_random random;
  ts_random_init(&random, 5);
  int failures = 0;
  for (int i = 0; i < 1 + pose_count() * 2 / 5; ++i) {
    ts_arena arena;
    ts_arena_init(&arena, NULL);
    specimen shape_a, shape_b;
    large_hull(&shape_a, &random, &arena);
    if (i % 4 == 0)
      large_hull(&shape_b, &random, &arena);
    else
      random_specimen(&shape_b, others[i % 4], false, &random, &arena);
    placed a = {&shape_a, {{0, 0, 0}, any_rotation(&random, false)}};
    const placed b = {&shape_b, {{0, 0, 0}, any_rotation(&random, false)}};
    place_at_gap(&a, &b, any_direction(&random, false), ts_random_uniform(&random, -0.1, 0.02));
    ts_separation s;
    worst seen = {0};
    measure(&a, &b, &s);
    const bool fine = separation_holds(&a, &b, &s, 1e-9, &seen) &&
                      holds("what brute force gains", brute_force(&a, &b, false, &random) - s.gap, 1e-8, &a, &b);
    if (!fine) {
      ++failures;
      print_error("  in pose %d of large hulls, gap %g\n", i, s.gap);
    }
    ts_arena_release(&arena);
  }
  assert_int_equal(failures, 0);
}

// ---- motions
// ------------------------------------------------------------------------------------------------------------

// Moving both bodies together moves the separation along.
static void rigid_motions_change_nothing(void **state)
{
  (void)state;
  static const ts_shape_kind kinds[] = {TS_SHAPE_SPHERE,   TS_SHAPE_BOX,       TS_SHAPE_CAPSULE,
                                        TS_SHAPE_CYLINDER, TS_SHAPE_ELLIPSOID, TS_SHAPE_POLYTOPE};
  ts_random random;
  ts_random_init(&random, 3);
  for (int i = 0; i < 600; ++i) {
    ts_arena arena;
    ts_arena_init(&arena, NULL);
    specimen shape_a, shape_b;
    random_specimen(&shape_a, kinds[i % 6], false, &random, &arena);
    random_specimen(&shape_b, kinds[i / 6 % 6], false, &random, &arena);
    placed a = {&shape_a, {{0, 0, 0}, any_rotation(&random, false)}};
    placed b = {&shape_b, {{0, 0, 0}, any_rotation(&random, false)}};
    place_at_gap(&a, &b, any_direction(&random, false), ts_random_uniform(&random, -0.05, 0.3));
    ts_separation before, again, after;
    measure(&a, &b, &before);
    measure(&a, &b, &again);
    assert_memory_equal(&before, &again, sizeof before);
    const ts_frame motion = {ts_scale(3, any_direction(&random, false)), any_rotation(&random, false)};
    placed *const both[] = {&a, &b};
    for (int k = 0; k < 2; ++k) {
      both[k]->frame.origin = ts_frame_apply(&motion, both[k]->frame.origin);
      both[k]->frame.axes = ts_mat3_product(&motion.axes, &both[k]->frame.axes);
    }
    measure(&a, &b, &after);
    assert_true(fabs(after.gap - before.gap) < 1e-10);
    ts_arena_release(&arena);
  }
}

// ---- refusals
// -----------------------------------------------------------------------------------------------------------

static void bad_input_is_refused(void **state)
{
  (void)state;
  static const ts_vec3 arrow[] = {{0, 0, 0}, {2, 1, 0}, {0, 2, 0}, {1, 1, 0}};
  const ts_shape plane = {.kind = TS_SHAPE_PLANE, .normal = {0, 0, 1}}, ball = {.kind = TS_SHAPE_SPHERE, .radius = 1};
  const ts_shape disc = {.kind = TS_SHAPE_DISC, .radius = 1}, nothing = {.kind = TS_SHAPE_SPHERE, .radius = -1};
  const ts_shape dented = {.kind = TS_SHAPE_POLYGON, .vertices = arrow, .vertex_count = 4};
  const ts_pose here = pose_at(0, 0, 0), nowhere = pose_at(0, NAN, 0), stretched = {{0, 0, 0}, {2, 0, 0, 0}};
  ts_separation s;
  ts_error error;
  assert_int_equal(ts_shape_distance(&plane, &here, &plane, &here, &s, &error), TS_UNSUPPORTED);
  assert_int_equal(ts_shape_distance(&dented, &here, &disc, &here, &s, &error), TS_UNSUPPORTED);
  assert_int_equal(ts_shape_distance(&ball, &here, &disc, &here, &s, &error), TS_UNSUPPORTED);
  assert_non_null(strstr(error.text, "disc"));
  assert_int_equal(ts_shape_distance(&nothing, &here, &ball, &here, &s, &error), TS_INVALID);
  assert_int_equal(ts_shape_distance(&ball, &nowhere, &ball, &here, &s, &error), TS_INVALID);
  assert_int_equal(ts_shape_distance(&ball, &here, &ball, &stretched, &s, NULL), TS_INVALID);
}

// ---- flat sides on each other, in any direction
// ----------------------------------------------------------------------------

// Corners of a box about the origin, with two at least of its dimensions
static void box_specimen(specimen *it, bool planar, ts_random *random, ts_arena *arena)
{
  const double x = ts_random_uniform(random, 0.1, 1), y = ts_random_uniform(random, 0.1, 1),
               z = ts_random_uniform(random, 0.1, 1);
  const double around[4][2] = {{-x, -y}, {x, -y}, {x, y}, {-x, y}};
  *it = (specimen){.shape = {.kind = planar ? TS_SHAPE_POLYGON : TS_SHAPE_POLYTOPE, .vertex_count = planar ? 4 : 8}};
  it->shape.vertices = it->vertices;
  for (int i = 0; i < it->shape.vertex_count; ++i)
    it->vertices[i] = ts_vec3_make(around[i % 4][0], around[i % 4][1], planar ? 0 : i < 4 ? -z : z);
  int count;
  it->part = ts_convex_pieces(&it->shape, arena, &count);
}

// Two boxes with faces on each other across x, shifted along them but still overlapping there by more than `gap`, and
// turned about x by next to nothing: the gap is what the x coordinates say. Rounding must not make it another's.
static double error_of_flush_boxes(bool planar, ts_random *random)
{
  ts_arena arena;
  ts_arena_init(&arena, NULL);
  specimen a, b;
  box_specimen(&a, planar, random, &arena);
  box_specimen(&b, planar, random, &arena);
  const double gaps[] = {0, 1e-15, -1e-15, 1e-13, -1e-13, -1e-10}, gap = gaps[ts_random_below(random, 6)];
  const double turn = planar || ts_random_below(random, 2) ? 0.0 : pow(10, ts_random_uniform(random, -14, -8));
  const ts_vec3 pa = a.vertices[2], pb = b.vertices[2];
  const double room_y = 0.9 * (pa.y + pb.y), room_z = planar ? 0 : 0.9 * (a.vertices[4].z + b.vertices[4].z);
  const ts_vec3 shift = {pa.x + pb.x + gap, ts_random_uniform(random, -room_y, room_y),
                         planar ? 0.0 : ts_random_uniform(random, -room_z, room_z)};
  const ts_vec3 about_x = {turn, 0, 0};
  const ts_frame frame_b = {{0, 0, 0}, any_rotation(random, planar)};
  const ts_mat3 X = ts_quat_matrix(ts_quat_exp(about_x));
  const ts_frame frame_a = {ts_frame_apply(&frame_b, shift), ts_mat3_product(&frame_b.axes, &X)};
  ts_separation s;
  ts_convex_distance(a.part, &frame_a, b.part, &frame_b, &s);
  ts_arena_release(&arena);
  return fmax(fabs(s.gap - gap), ts_distance_of(s.normal, frame_b.axes.x));
}

static void flush_boxes(void **state)
{
  (void)state;
  ts_random random;
  ts_random_init(&random, 5);
  double greatest[2] = {0, 0};
  for (int i = 0; i < effort_part(40000, 4, 10); ++i)
    greatest[i % 2] = fmax(greatest[i % 2], error_of_flush_boxes(i % 2, &random));
  print_message("flush boxes: %.1e in space, %.1e in the plane\n", greatest[0], greatest[1]);
  assert_true(greatest[0] < 1e-8 && greatest[1] < 1e-8);
}

// A capsule near a face of a box, level or tilted by anything, across the face, beside it or over its edges. Above the
// face a box needs no search; a polytope with the same corners does, and finds the same.
static double error_of_capsule_near_box(ts_random *random, bool *above)
{
  ts_arena arena;
  ts_arena_init(&arena, NULL);
  specimen corners;
  box_specimen(&corners, false, random, &arena);
  const ts_vec3 half = ts_vec3_make(corners.vertices[2].x, corners.vertices[2].y, corners.vertices[4].z);
  const ts_shape box = {.kind = TS_SHAPE_BOX, .size = ts_scale(2.0, half)};
  const ts_shape capsule = {.kind = TS_SHAPE_CAPSULE, .radius = 0.1, .length = ts_random_uniform(random, 0.1, 3)};
  int count;
  const ts_convex *box_part = ts_convex_pieces(&box, &arena, &count);
  const ts_convex *capsule_part = ts_convex_pieces(&capsule, &arena, &count);
  const double tilt = ts_random_below(random, 4) ? pow(10, ts_random_uniform(random, -17, 0)) : 0.0;
  const ts_vec3 about_z = {0, 0, ts_random_uniform(random, -4, 4)}, about_x = {tilt, 0, 0}, level = {0, 0.5 * TS_PI, 0};
  const ts_mat3 Z = ts_quat_matrix(ts_quat_exp(about_z)), X = ts_quat_matrix(ts_quat_exp(about_x)),
                Y = ts_quat_matrix(ts_quat_exp(level)), ZX = ts_mat3_product(&Z, &X), A = ts_mat3_product(&ZX, &Y);
  const ts_vec3 at = {ts_random_uniform(random, -1.5, 1.5), ts_random_uniform(random, -1.5, 1.5),
                      half.z + ts_random_uniform(random, 0.05, 0.6)};
  const ts_frame frame_b = {{0.3, -2, 5}, any_rotation(random, false)};
  const ts_frame frame_a = {ts_frame_apply(&frame_b, at), ts_mat3_product(&frame_b.axes, &A)};
  ts_separation s, searched;
  ts_convex_distance(capsule_part, &frame_a, box_part, &frame_b, &s);
  ts_convex_distance(capsule_part, &frame_a, corners.part, &frame_b, &searched);
  const double along = ts_convex_separation_along(capsule_part, &frame_a, box_part, &frame_b, s.normal);
  *above = ts_distance_of(s.normal, frame_b.axes.z) == 0.0;
  ts_arena_release(&arena);
  return fmax(fabs(s.gap - searched.gap), fmax(s.gap - along, 0.0));
}

static void capsules_near_boxes(void **state)
{
  (void)state;
  ts_random random;
  ts_random_init(&random, 15);
  double greatest = 0;
  int above = 0;
  const int count = effort_part(20000, 4, 10);
  for (int i = 0; i < count; ++i) {
    bool is_above;
    greatest = fmax(greatest, error_of_capsule_near_box(&random, &is_above));
    above += is_above;
  }
  print_message("capsules near boxes: gaps differ by %.1e, %d above a face\n", greatest, above);
  assert_true(greatest < 1e-12);
  assert_in_range(above, count / 10, count * 9 / 10);
}

int main(void)
{
  const struct CMUnitTest tests[] = {
      cmocka_unit_test(closed_forms),         cmocka_unit_test(centres_that_coincide),
      cmocka_unit_test(bad_input_is_refused), cmocka_unit_test(rigid_motions_change_nothing),
      cmocka_unit_test(large_hulls),          cmocka_unit_test(every_pair_in_the_plane),
      cmocka_unit_test(every_pair_in_space),  cmocka_unit_test(aligned_pairs),
      cmocka_unit_test(extreme_pairs),        cmocka_unit_test(flush_boxes),
      cmocka_unit_test(capsules_near_boxes),
  };
  return cmocka_run_group_tests(tests, NULL, NULL);
}
