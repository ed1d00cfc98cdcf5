// Continuity of contact manifolds. A point of one surface is at most e further from the other part when a pose changes
// by e, so the region of points whose gap is within d of the least is part of the region within d + 2e at the other
// pose. Touches stand for that region by their convex hull, all along one normal. What must therefore hold for two
// poses that differ by e (length over size, and angle):
//
//   every touch at one pose with a gap within d of the least lies in the convex hull of the touches at the other pose
//   with gaps within 2 d + 2 e + LIFT of their least, up to  reach = SLOPE d + sqrt(2 r d) + STEEP e + ON
//
// all but r and d as shares of the size of the smaller part.
// - SLOPE: two edges touch in a point although faces beside them are tilted by as little as 0.02 rad; what is within d
//   there is within d / 0.02 of the point. sqrt(2 r d): the same for what is round, of radius r.
// - ON, LIFT: outlines and edges within 1e-6 of the size count as one on the other, so that what is there is known to
//   that, and so is its gap; a point of a line may be moved along a round part where that costs 1e-9 (2 sqrt(1e-9 r)).
// - STEEP: what is further apart crosses in a point that moves by e over the angle, at least 1e-6, between the two.
// - Of a rim there are eight points; their hull is known up to the sagitta of the arcs between them.
// Where normals jump, as they do between corners and edges that touch in a point or a line and have all of a cone to
// choose from, this is asked for d of 1e-7 at most: beyond, what is near along one normal is not along the other.
//
// Then neither the area of the support polygon nor the wrenches it can transmit jump. Both are checked, too, by
// themselves: the area, and all singular values of the map from contact forces to wrenches about a common point.
//
// TOUCHSTONE_POSES sets how many poses a pair of kinds gets, TOUCHSTONE_VERBOSE prints what was seen.
#include "shape/manifold.h"

#include "shapes.h"

#include "shape/distance.h"

#include <math.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <cmocka.h>

enum { MOST = 600 };

static const double SLOPE = 60.0, STEEP = 4e6, ON = 2e-5, LIFT = 2e-6;

typedef struct placed {
  const ts_convex *part;
  ts_frame frame;
} placed;

// ---- parts

static const ts_convex *make_part(const ts_shape *shape, ts_arena *arena)
{
  int count;
  assert_int_equal(ts_shape_check(shape, NULL), TS_OK);
  const ts_convex *part = ts_convex_pieces(shape, arena, &count);
  return count == 1 ? part : NULL;
}

// Prisms have parallel faces and edges, as most things that are made.
static void make_prism(ts_random *random, test_shape *made)
{
  const int sides = 3 + ts_random_below(random, 6);
  const double height = ts_random_uniform(random, 0.1, 1.0), radius = ts_random_uniform(random, 0.2, 1.0);
  made->shape.vertex_count = 2 * sides;
  for (int i = 0; i < 2 * sides; ++i) {
    const double angle = 2.0 * TS_PI * (i / 2) / sides;
    made->vertices[i] = ts_vec3_make(radius * cos(angle), radius * sin(angle), i % 2 ? height : -height);
  }
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
    if (kind == TS_SHAPE_POLYTOPE && ts_random_below(random, 2))
      make_prism(random, &made);
    else if (kind == TS_SHAPE_POLYTOPE && made.shape.vertex_count > 12)
      made.shape.vertex_count = 12;
    part = make_part(&made.shape, arena);
  }
  return part;
}

static double size_of(const ts_convex *part)
{
  return part->hull ? ts_distance_of(part->hull->vertices[0], part->middle) : part->reach;
}

// ---- features

// A place on a part to put the other one: a point, a direction outward there, and one along the feature
typedef struct place {
  ts_vec3 point, outward, along;
} place;

static double random_share(ts_random *random)
{
  static const double shares[] = {0.0, 0.5, 1.0};
  const int k = ts_random_below(random, 4);
  return k < 3 ? shares[k] : ts_random_uniform(random, 0.0, 1.0);
}

static ts_vec3 between(ts_vec3 x, ts_vec3 y, double share)
{
  return ts_add_scaled(ts_scale(1.0 - share, x), share, y);
}

static ts_vec3 centre_of_face(const ts_hull *hull, int face)
{
  ts_vec3 sum = {0.0, 0.0, 0.0};
  const int count = hull->face_start[face + 1] - hull->face_start[face];
  for (int k = 0; k < count; ++k) sum = ts_add(sum, hull->vertices[hull->face_vertices[hull->face_start[face] + k]]);
  return ts_scale(1.0 / count, sum);
}

// On a side of a face, or inwards of it; the direction is that of the face, of the edge, or of the vertex.
static place place_on_hull(ts_random *random, const ts_hull *hull)
{
  const int e = ts_random_below(random, hull->edge_count), k = ts_random_below(random, 2);
  const int face = hull->edge_faces[e][k], other = hull->edge_faces[e][1 - k];
  const ts_vec3 v = hull->vertices[hull->edges[e][0]], w = hull->vertices[hull->edges[e][1]];
  place p = {between(v, w, random_share(random)), hull->normals[face], ts_normalize(ts_sub(w, v), v)};
  switch (ts_random_below(random, 5)) {
  case 0:
    p.outward = ts_normalize(between(hull->normals[face], hull->normals[other], random_share(random)), p.outward);
    break;
  case 1:
    p.point = between(p.point, centre_of_face(hull, face), ts_random_uniform(random, 0.0, 1.0));
    break;
  case 2:
    p.point = v;
    p.outward = ts_vec3_make(0.0, 0.0, 0.0);
    for (int f = 0; f < hull->face_count; ++f)
      if (fabs(ts_dot(hull->normals[f], v) - hull->offsets[f]) < 1e-9)
        p.outward = ts_add_scaled(p.outward, ts_random_uniform(random, 0.0, 1.0), hull->normals[f]);
    p.outward = ts_normalize(p.outward, hull->normals[face]);
    break;
  default:
    break;
  }
  return p;
}

static place place_on_polygon(ts_random *random, const ts_hull *hull)
{
  const int f = ts_random_below(random, hull->face_count);
  const ts_vec3 v = hull->vertices[hull->face_vertices[hull->face_start[f]]];
  const ts_vec3 w = hull->vertices[hull->face_vertices[hull->face_start[f] + 1]];
  return (place){between(v, w, random_share(random)), hull->normals[f], ts_normalize(ts_sub(w, v), v)};
}

// The side, an end, or the rim between.
static place place_on_round(ts_random *random, const ts_convex *part)
{
  const ts_vec3 z = {0.0, 0.0, 1.0};
  const double angle = ts_random_below(random, 2) ? 0.0 : ts_random_uniform(random, -TS_PI, TS_PI);
  const double share = random_share(random), height = (2.0 * share - 1.0) * part->half_length;
  const ts_vec3 radial = {cos(angle), sin(angle), 0.0}, around = {-sin(angle), cos(angle), 0.0};
  const int which = ts_random_below(random, 3);
  if (which < 2) return (place){ts_add_scaled(ts_scale(height, z), part->radius, radial), radial, z};
  if (part->kind == TS_SHAPE_CAPSULE) return (place){{0.0, 0.0, part->half_length + part->radius}, z, radial};
  const ts_vec3 end = {0.0, 0.0, part->half_length};
  return (place){ts_add_scaled(end, part->radius * share, radial), z, around};
}

// The side, an end, the rim or the tip; between the normals of side and end where both meet.
static place place_on_cone(ts_random *random, const ts_convex *part)
{
  const double slant = hypot(2.0 * part->half_length, part->radius - part->top_radius);
  const double c = 2.0 * part->half_length / slant, s = (part->radius - part->top_radius) / slant;
  const double angle = ts_random_below(random, 2) ? 0.0 : ts_random_uniform(random, -TS_PI, TS_PI);
  const ts_vec3 radial = {cos(angle), sin(angle), 0.0}, around = {-sin(angle), cos(angle), 0.0};
  const bool top = ts_random_below(random, 2);
  const ts_vec3 end = {0.0, 0.0, top ? part->half_length : -part->half_length}, axis = {0.0, 0.0, top ? 1.0 : -1.0};
  const ts_vec3 low = {part->radius * radial.x, part->radius * radial.y, -part->half_length};
  const ts_vec3 high = {part->top_radius * radial.x, part->top_radius * radial.y, part->half_length};
  const ts_vec3 normal = {c * radial.x, c * radial.y, s};
  switch (ts_random_below(random, 4)) {
  case 0:
    return (place){top ? high : low, ts_normalize(between(normal, axis, random_share(random)), axis), around};
  case 1:
    return (place){between(end, top ? high : low, random_share(random)), axis, around};
  default:
    return (place){between(low, high, random_share(random)), normal, ts_normalize(ts_sub(high, low), axis)};
  }
}

static place place_on(ts_random *random, const ts_convex *part, bool planar)
{
  ts_vec3 d = random_direction(random);
  switch (part->kind) {
  case TS_SHAPE_PLANE:
    return (place){ts_scale(part->offset, part->normal), part->normal, ts_tangent_of(part->normal)};
  case TS_SHAPE_BOX:
  case TS_SHAPE_POLYTOPE:
    return place_on_hull(random, part->hull);
  case TS_SHAPE_POLYGON:
    return place_on_polygon(random, part->hull);
  case TS_SHAPE_CAPSULE:
  case TS_SHAPE_CYLINDER:
    return place_on_round(random, part);
  case TS_SHAPE_CONE:
    return place_on_cone(random, part);
  case TS_SHAPE_ELLIPSOID:
    if (ts_random_below(random, 2)) d = ts_vec3_make(0.0, 1.0, 0.0);
    break;
  default:
    if (planar) d = ts_normalize(ts_vec3_make(d.x, d.y, 0.0), ts_vec3_make(1.0, 0.0, 0.0));
  }
  return (place){ts_convex_support(part, d), d, ts_tangent_of(d)};
}

// ---- poses

static ts_mat3 axes_of(ts_vec3 outward, ts_vec3 along, bool planar)
{
  if (planar) along = ts_cross(ts_vec3_make(0.0, 0.0, 1.0), outward);
  const ts_vec3 u = ts_normalize(ts_add_scaled(along, -ts_dot(along, outward), outward), ts_tangent_of(outward));
  return (ts_mat3){outward, u, ts_cross(outward, u)};
}

static double log_uniform(ts_random *random, double low, double high)
{
  return pow(10.0, ts_random_uniform(random, low, high));
}

// Turned about `about` and shifted, each by up to 10^high, in any direction or along one of the axes of the contact.
static void disturb(ts_random *random, ts_frame *frame, ts_vec3 about, const ts_mat3 *axes, bool planar, double size,
                    double low, double high)
{
  ts_vec3 way[2];
  for (int k = 0; k < 2; ++k) {
    const ts_vec3 axis[] = {axes->x, axes->y, axes->z, random_direction(random), {0.0, 0.0, 0.0}};
    way[k] = ts_scale(log_uniform(random, low, high), axis[ts_random_below(random, 5)]);
  }
  const ts_vec3 turn = planar ? ts_vec3_make(0.0, 0.0, ts_dot(way[0], ts_vec3_make(1.0, 1.0, 1.0))) : way[0];
  if (planar) way[1].z = 0.0;
  const ts_mat3 R = ts_quat_matrix(ts_quat_exp(turn));
  frame->axes = ts_mat3_rotate(&R, &frame->axes);
  frame->origin = ts_add(ts_add(about, ts_mul(&R, ts_sub(frame->origin, about))), ts_scale(size, way[1]));
}

// One in eight is tilted to where a face may cease to count as flat, or a cylinder to stand.
static void tilt(ts_random *random, ts_frame *frame, ts_vec3 about, const ts_mat3 *axes)
{
  const double angles[] = {acos(0.9998), 0.25 * TS_PI};
  if (ts_random_below(random, 8)) return;
  const ts_vec3 axis = ts_random_below(random, 2) ? axes->y : axes->z;
  const ts_mat3 R = ts_quat_matrix(ts_quat_exp(ts_scale(angles[ts_random_below(random, 2)], axis)));
  frame->axes = ts_mat3_rotate(&R, &frame->axes);
  frame->origin = ts_add(about, ts_mul(&R, ts_sub(frame->origin, about)));
}

static double random_gap(ts_random *random)
{
  static const double signs[] = {0.0, 1.0, 1.0, -1.0};
  return signs[ts_random_below(random, 4)] * log_uniform(random, -12.0, -4.0);
}

// Two parts with features on each other but for a disturbance of 1e-17 to 1e-3.
typedef struct scene {
  placed a, b;
  bool planar;
  double size;
  ts_mat3 axes; // of the contact
  ts_vec3 point;
} scene;

static ts_frame base_frame(ts_random *random, bool planar)
{
  ts_pose pose = ts_pose_identity();
  if (ts_random_below(random, 2)) {
    pose = random_pose(random, 1.0);
    if (planar) {
      pose.position.z = 0.0;
      pose.orientation = ts_quat_about_z(ts_random_uniform(random, -TS_PI, TS_PI));
    }
  }
  return ts_pose_frame(&pose);
}

static scene random_scene(ts_random *random, ts_shape_kind kind_a, ts_shape_kind kind_b, bool planar, ts_arena *arena)
{
  scene s = {.planar = planar,
             .a.part = random_part(random, kind_a, planar, arena),
             .b = {random_part(random, kind_b, planar, arena), base_frame(random, planar)}};
  s.size = fmin(size_of(s.a.part), size_of(s.b.part));
  if (s.size == 0.0) s.size = 1.0; // points
  const place pa = place_on(random, s.a.part, planar), pb = place_on(random, s.b.part, planar);
  const double turns[] = {0.0, 0.5 * TS_PI, TS_PI, ts_random_uniform(random, -TS_PI, TS_PI)};
  const double turn = planar ? 0.0 : turns[ts_random_below(random, 4)];
  const ts_mat3 own = axes_of(ts_negate(pa.outward), pa.along, planar);
  const ts_mat3 other = axes_of(pb.outward, pb.along, planar), back = ts_mat3_transpose(&own);
  const ts_mat3 spin = ts_quat_matrix(ts_quat_exp(ts_scale(turn, pb.outward)));
  const ts_mat3 local = ts_mat3_product(&other, &back), turned = ts_mat3_product(&spin, &local);
  s.a.frame.axes = ts_mat3_product(&s.b.frame.axes, &turned);
  s.axes = ts_mat3_product(&s.b.frame.axes, &other);
  s.point = ts_frame_apply(&s.b.frame, pb.point);
  s.a.frame.origin = ts_sub(s.point, ts_mul(&s.a.frame.axes, pa.point));
  if (!planar) tilt(random, &s.a.frame, s.point, &s.axes);
  disturb(random, &s.a.frame, s.point, &s.axes, planar, s.size, -17.0, -3.0);
  ts_separation separation;
  ts_convex_distance(s.a.part, &s.a.frame, s.b.part, &s.b.frame, &separation);
  s.a.frame.origin = ts_add_scaled(s.a.frame.origin, s.size * random_gap(random) - separation.gap, separation.normal);
  return s;
}

// ---- what a manifold supports

typedef struct support {
  ts_touch touches[MOST];
  ts_vec3 points[MOST]; // amid the surfaces
  int count;
} support;

static double least_gap(const support *s)
{
  double least = INFINITY;
  for (int i = 0; i < s->count; ++i) least = fmin(least, s->touches[i].gap);
  return least;
}

static void find_support(const placed *a, const placed *b, double margin, support *s)
{
  s->count = ts_convex_touches(a->part, &a->frame, b->part, &b->frame, margin, s->touches, MOST);
  assert_true(s->count <= MOST);
}

// Those within a distance of the least gap
static void keep_within(const support *all, double within, support *s)
{
  const double least = least_gap(all);
  s->count = 0;
  for (int i = 0; i < all->count; ++i) {
    if (!(all->touches[i].gap <= least + within)) continue;
    s->touches[s->count] = all->touches[i];
    s->points[s->count++] = between(all->touches[i].point_1, all->touches[i].point_2, 0.5);
  }
}

typedef struct flat {
  double x, y;
} flat;

static double turn_of(flat o, flat p, flat q)
{
  return (p.x - o.x) * (q.y - o.y) - (p.y - o.y) * (q.x - o.x);
}

static int by_x(const void *l, const void *r)
{
  const flat *p = l, *q = r;
  if (p->x != q->x) return p->x < q->x ? -1 : 1;
  return p->y < q->y ? -1 : p->y > q->y;
}

// Counter-clockwise convex hull of points seen along a direction (Andrew's chain)
static int hull_along(const support *s, ts_vec3 n, ts_vec3 origin, flat *hull)
{
  const ts_vec3 u = ts_tangent_of(n), v = ts_cross(n, u);
  flat points[MOST];
  int count = 0;
  for (int i = 0; i < s->count; ++i) {
    const ts_vec3 r = ts_sub(s->points[i], origin);
    points[i] = (flat){ts_dot(r, u), ts_dot(r, v)};
  }
  qsort(points, (size_t)s->count, sizeof *points, by_x);
  for (int i = 0; i < s->count; ++i) {
    while (count > 1 && turn_of(hull[count - 2], hull[count - 1], points[i]) <= 0.0) --count;
    hull[count++] = points[i];
  }
  for (int i = s->count - 2, lower = count + 1; i >= 0; --i) {
    while (count >= lower && turn_of(hull[count - 2], hull[count - 1], points[i]) <= 0.0) --count;
    hull[count++] = points[i];
  }
  return count > 1 ? count - 1 : count;
}

static double area_of(const flat *hull, int count)
{
  double area = 0.0;
  for (int i = 1; i + 1 < count; ++i) area += 0.5 * turn_of(hull[0], hull[i], hull[i + 1]);
  return area;
}

static double perimeter_of(const flat *hull, int count)
{
  double length = 0.0;
  for (int i = 0; i < count; ++i)
    length += hypot(hull[(i + 1) % count].x - hull[i].x, hull[(i + 1) % count].y - hull[i].y);
  return length;
}

static double distance_from_hull(const flat *hull, int count, flat p)
{
  bool inside = count > 2;
  double least = INFINITY;
  for (int i = 0; i < count; ++i) {
    const flat s = hull[i], e = hull[(i + 1) % count];
    const double dx = e.x - s.x, dy = e.y - s.y, square = dx * dx + dy * dy;
    double t = square > 0.0 ? ((p.x - s.x) * dx + (p.y - s.y) * dy) / square : 0.0;
    t = fmax(0.0, fmin(1.0, t));
    least = fmin(least, hypot(p.x - s.x - t * dx, p.y - s.y - t * dy));
    if (turn_of(s, e, p) < 0.0) inside = false;
  }
  return inside ? 0.0 : least;
}

// Eigenvalues of a symmetric matrix by Jacobi's rotations, ascending
static void eigenvalues(double A[6][6], double value[6])
{
  for (int sweep = 0; sweep < 30; ++sweep)
    for (int p = 0; p < 6; ++p)
      for (int q = p + 1; q < 6; ++q) {
        if (A[p][q] == 0.0) continue;
        const double angle = 0.5 * atan2(2.0 * A[p][q], A[q][q] - A[p][p]), c = cos(angle), s = sin(angle);
        for (int k = 0; k < 6; ++k) {
          const double x = A[k][p], y = A[k][q];
          A[k][p] = c * x - s * y;
          A[k][q] = s * x + c * y;
        }
        for (int k = 0; k < 6; ++k) {
          const double x = A[p][k], y = A[q][k];
          A[p][k] = c * x - s * y;
          A[q][k] = s * x + c * y;
        }
      }
  for (int i = 0; i < 6; ++i) value[i] = A[i][i];
  for (int i = 0; i < 6; ++i)
    for (int j = i + 1; j < 6; ++j)
      if (value[j] < value[i]) {
        const double x = value[i];
        value[i] = value[j];
        value[j] = x;
      }
}

// Singular values of the map from forces at the points to wrenches about `centre`, torques over `size`, ascending
static void wrench_spread(const support *s, ts_vec3 centre, double size, double sigma[6])
{
  double A[6][6] = {{0.0}};
  for (int i = 0; i < s->count; ++i) {
    const ts_vec3 r = ts_scale(1.0 / size, ts_sub(s->points[i], centre));
    const double G[6][3] = {{1.0, 0.0, 0.0},  {0.0, 1.0, 0.0},  {0.0, 0.0, 1.0},
                            {0.0, -r.z, r.y}, {r.z, 0.0, -r.x}, {-r.y, r.x, 0.0}};
    for (int p = 0; p < 6; ++p)
      for (int q = 0; q < 6; ++q) A[p][q] += G[p][0] * G[q][0] + G[p][1] * G[q][1] + G[p][2] * G[q][2];
  }
  eigenvalues(A, sigma);
  for (int i = 0; i < 6; ++i) sigma[i] = sqrt(fmax(0.0, sigma[i]));
}

// ---- the property

typedef struct jump {
  double apart; // of a touch from the other hull, over the reach
  double area;  // lost, over what the reach allows
  double sigma; // lost, over what the reach allows
} jump;

// `near`: the touches that must be kept; `all`: those of the other pose
static jump jump_between(const support *near, const support *all, double reach, double size)
{
  static flat from[MOST + 1], to[MOST + 1];
  const ts_vec3 n = near->touches[0].normal, centre = near->points[0];
  const int from_count = hull_along(near, n, centre, from), to_count = hull_along(all, n, centre, to);
  jump j = {0.0, 0.0, 0.0};
  for (int i = 0; i < from_count; ++i) j.apart = fmax(j.apart, distance_from_hull(to, to_count, from[i]) / reach);
  const double room = perimeter_of(to, to_count) * reach + TS_PI * reach * reach;
  j.area = fmax(0.0, area_of(from, from_count) - area_of(to, to_count)) / room;
  // Each near touch is a mean of the others up to the reach, G = G' L + E: sigma(G) <= sigma(G') |L| + |E|, where the
  // columns of L sum to 1, so that |L| and |E| over the reach are at most the root of how many near touches there are.
  double sigma[6], other[6];
  wrench_spread(near, centre, size, sigma);
  wrench_spread(all, centre, size, other);
  for (int i = 0; i < 6; ++i) {
    const double root = sqrt((double)near->count);
    j.sigma = fmax(j.sigma, (sigma[i] / root - other[i] - 1e-7) * size / (2.0 * reach));
  }
  return j;
}

// Of curvature; that of a cone is largest at its wider end.
static double radius_of(const ts_convex *part)
{
  const double narrowing = part->radius - part->top_radius;
  if (part->kind != TS_SHAPE_CONE) return part->radius;
  return fmax(part->radius, part->top_radius) * hypot(1.0, 0.5 * narrowing / part->half_length);
}

static double least_radius(const scene *s)
{
  const double a = radius_of(s->a.part), b = radius_of(s->b.part);
  return a > 0.0 && b > 0.0 ? fmin(a, b) : fmax(a, b);
}

// Of a cylinder or cone that stands along the normal
static double sagitta_of(const placed *p, ts_vec3 normal)
{
  const bool has_ends = p->part->kind == TS_SHAPE_CYLINDER || p->part->kind == TS_SHAPE_CONE;
  const bool stands = has_ends && fabs(ts_dot(p->frame.axes.z, normal)) > 0.7;
  return stands ? (1.0 - cos(TS_PI / 8.0)) * fmax(p->part->radius, p->part->top_radius) : 0.0;
}

static double reach_of(const scene *s, ts_vec3 normal, double e, double d)
{
  const double sagitta = fmax(sagitta_of(&s->a, normal), sagitta_of(&s->b, normal));
  return SLOPE * d + sqrt(2.0 * least_radius(s) * d) + (STEEP * e + ON) * s->size + sagitta;
}

typedef struct tally {
  int poses, lost;
  jump worst;
} tally;

static void describe(const scene *s, const support *near, const support *all, jump j, double e, double d)
{
  print_error("  %s %s: apart %.3g area %.3g sigma %.3g, size %.3g, e %.1e, d %.1e, %d of %d\n",
              ts_shape_name(s->a.part->kind), ts_shape_name(s->b.part->kind), j.apart, j.area, j.sigma, s->size, e, d,
              near->count, all->count);
  for (int k = 0; k < 2; ++k)
    for (int i = 0; i < (k ? all : near)->count; ++i) {
      const ts_touch *t = &(k ? all : near)->touches[i];
      const ts_vec3 r = ts_sub((k ? all : near)->points[i], near->points[0]);
      print_error("    %s %08x gap %.3e at %.6g %.6g %.6g normal %.9g %.9g %.9g\n", k ? "there" : "here ", t->feature,
                  t->gap, r.x, r.y, r.z, t->normal.x, t->normal.y, t->normal.z);
    }
}

static void check_scene(const scene *s, ts_random *random, tally *sum)
{
  static support here, there, near, all;
  scene other = *s;
  const double e = log_uniform(random, -12.0, -9.0), d = log_uniform(random, -7.5, -3.0) * s->size;
  disturb(random, &other.a.frame, s->point, &s->axes, s->planar, s->size, log10(e) - 3.0, log10(e));
  const scene *const poses[] = {s, &other};
  ++sum->poses;
  for (int k = 0; k < 2; ++k) {
    find_support(&poses[k]->a, &poses[k]->b, s->size, &here);
    find_support(&poses[1 - k]->a, &poses[1 - k]->b, s->size, &there);
    if (here.count == 0 && there.count == 0) return;
    assert_true(here.count > 0 && there.count > 0);
    const double turn = ts_length(ts_cross(here.touches[0].normal, there.touches[0].normal));
    const double within = turn > 1e-3 ? fmin(d, 1e-7 * s->size) : d;
    keep_within(&here, within, &near);
    keep_within(&there, 2.0 * within + 2.0 * e * s->size + LIFT * s->size, &all);
    const jump j = jump_between(&near, &all, reach_of(s, here.touches[0].normal, e, within), s->size);
    const bool fine = j.apart <= 1.0 && j.area <= 1.0 && j.sigma <= 1.0;
    sum->worst =
        (jump){fmax(sum->worst.apart, j.apart), fmax(sum->worst.area, j.area), fmax(sum->worst.sigma, j.sigma)};
    if (!fine && ++sum->lost <= 3 && getenv("TOUCHSTONE_VERBOSE")) describe(s, &near, &all, j, e, within);
    if (!fine) return;
  }
}

static int pose_count(void)
{
  const char *text = getenv("TOUCHSTONE_POSES");
  const int asked = text ? atoi(text) : 400;
  return asked > 0 ? asked : 1;
}

static int losses_of_pair(ts_shape_kind kind_a, ts_shape_kind kind_b, bool planar, ts_random *random)
{
  if (kind_a == TS_SHAPE_PLANE && kind_b == TS_SHAPE_PLANE) return 0;
  tally sum = {0};
  for (int k = 0; k < pose_count(); ++k) {
    ts_arena arena;
    ts_arena_init(&arena, NULL);
    const scene s = random_scene(random, kind_a, kind_b, planar, &arena);
    check_scene(&s, random, &sum);
    ts_arena_release(&arena);
  }
  if (sum.lost || getenv("TOUCHSTONE_VERBOSE"))
    print_message("%10s on %-10s %7d poses, %5d lose support; worst apart %.2g, area %.2g, wrenches %.2g\n",
                  ts_shape_name(kind_a), ts_shape_name(kind_b), sum.poses, sum.lost, sum.worst.apart, sum.worst.area,
                  sum.worst.sigma);
  return sum.lost;
}

static int losses_of_kinds(const ts_shape_kind *kinds, int count, bool planar)
{
  ts_random random;
  ts_random_init(&random, 20260611);
  int lost = 0;
  for (int i = 0; i < count; ++i)
    for (int j = 0; j < count; ++j) lost += losses_of_pair(kinds[i], kinds[j], planar, &random);
  return lost;
}

static void cones_keep_their_support(void **state)
{
  static const ts_shape_kind kinds[] = {TS_SHAPE_PLANE,     TS_SHAPE_POINT,    TS_SHAPE_SPHERE,
                                        TS_SHAPE_BOX,       TS_SHAPE_CAPSULE,  TS_SHAPE_CYLINDER,
                                        TS_SHAPE_ELLIPSOID, TS_SHAPE_POLYTOPE, TS_SHAPE_CONE};
  (void)state;
  ts_random random;
  ts_random_init(&random, 20260612);
  int lost = 0;
  for (size_t i = 0; i < sizeof kinds / sizeof kinds[0]; ++i) {
    lost += losses_of_pair(TS_SHAPE_CONE, kinds[i], false, &random);
    lost += losses_of_pair(kinds[i], TS_SHAPE_CONE, false, &random);
  }
  assert_int_equal(lost, 0);
}

static void manifolds_in_space_keep_their_support(void **state)
{
  static const ts_shape_kind kinds[] = {TS_SHAPE_PLANE,   TS_SHAPE_POINT,    TS_SHAPE_SPHERE,    TS_SHAPE_BOX,
                                        TS_SHAPE_CAPSULE, TS_SHAPE_CYLINDER, TS_SHAPE_ELLIPSOID, TS_SHAPE_POLYTOPE};
  (void)state;
  assert_int_equal(losses_of_kinds(kinds, sizeof kinds / sizeof kinds[0], false), 0);
}

static void manifolds_in_the_plane_keep_their_support(void **state)
{
  static const ts_shape_kind kinds[] = {TS_SHAPE_PLANE, TS_SHAPE_POINT, TS_SHAPE_DISC, TS_SHAPE_POLYGON};
  (void)state;
  assert_int_equal(losses_of_kinds(kinds, sizeof kinds / sizeof kinds[0], true), 0);
}

int main(void)
{
  const struct CMUnitTest tests[] = {
      cmocka_unit_test(manifolds_in_space_keep_their_support),
      cmocka_unit_test(manifolds_in_the_plane_keep_their_support),
      cmocka_unit_test(cones_keep_their_support),
  };
  return cmocka_run_group_tests(tests, NULL, NULL);
}
