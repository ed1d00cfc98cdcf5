#include "separation.h"

#include "math/vec3.h"

#include <math.h>

// ---- support points ------------------------------------------------------------------------------------------------

static double signed_one(double x)
{
  return x < 0.0 ? -1.0 : 1.0;
}

// Farthest point of sum |x_i/a_i|^p_i <= 1 along d: |x_i/a_i| = (l |d_i| a_i / p_i)^(1/(p_i - 1)), l by bisection
static ts_vec3 superellipsoid_point(const ts_shape *s, ts_vec3 d, bool planar)
{
  const double a[3] = {s->size.x, s->size.y, s->size.z}, p[3] = {s->exponents.x, s->exponents.y, s->exponents.z};
  const double c[3] = {d.x, d.y, d.z};
  const int n = planar ? 2 : 3;
  double low = -60.0, high = 60.0, x[3] = {0.0, 0.0, 0.0}; // logarithms of l
  for (int turn = 0; turn < 60; ++turn) {
    const double l = 0.5 * (low + high);
    double sum = 0.0;
    for (int i = 0; i < n; ++i) {
      const double y = fabs(c[i]) * a[i];
      x[i] = y > 0.0 ? exp((l + log(y / p[i])) / (p[i] - 1.0)) : 0.0;
      sum += x[i] > 0.0 ? exp(p[i] * fmin(log(x[i]), 10.0)) : 0.0;
    }
    if (sum > 1.0)
      high = l;
    else
      low = l;
  }
  return ts_vec3_make(signed_one(c[0]) * a[0] * x[0], signed_one(c[1]) * a[1] * x[1], signed_one(c[2]) * a[2] * x[2]);
}

static ts_vec3 corner_point(const ts_shape *s, ts_vec3 d)
{
  ts_vec3 best = s->vertices[0];
  for (int i = 1; i < s->vertex_count; ++i)
    if (ts_dot(d, s->vertices[i]) > ts_dot(d, best)) best = s->vertices[i];
  return best;
}

static ts_vec3 round_point(const ts_shape *s, ts_vec3 d) // about z
{
  const double across = hypot(d.x, d.y), z = 0.5 * s->length * signed_one(d.z);
  const ts_vec3 rim = across > 0.0 ? ts_vec3_make(d.x / across, d.y / across, 0.0) : ts_vec3_make(1.0, 0.0, 0.0);
  if (s->kind == TS_SHAPE_CYLINDER) return ts_add(ts_scale(s->radius, rim), ts_vec3_make(0.0, 0.0, z));
  const ts_vec3 bottom = ts_add(ts_scale(s->radius, rim), ts_vec3_make(0.0, 0.0, -0.5 * s->length));
  const ts_vec3 top = ts_add(ts_scale(s->top_radius, rim), ts_vec3_make(0.0, 0.0, 0.5 * s->length));
  return ts_dot(d, bottom) > ts_dot(d, top) ? bottom : top;
}

static ts_vec3 own_point(const ts_shape *s, ts_vec3 d)
{
  switch (s->kind) {
  case TS_SHAPE_SPHERE:
  case TS_SHAPE_DISC:
    return ts_scale(s->radius, d);
  case TS_SHAPE_BOX:
    return ts_vec3_make(0.5 * s->size.x * signed_one(d.x), 0.5 * s->size.y * signed_one(d.y),
                        0.5 * s->size.z * signed_one(d.z));
  case TS_SHAPE_CAPSULE:
    return ts_add(ts_scale(s->radius, d), ts_vec3_make(0.0, 0.0, 0.5 * s->length * signed_one(d.z)));
  case TS_SHAPE_CYLINDER:
  case TS_SHAPE_CONE:
    return round_point(s, d);
  case TS_SHAPE_ELLIPSOID: {
    const ts_vec3 y = {s->size.x * d.x, s->size.y * d.y, s->size.z * d.z};
    const double length = ts_length(y);
    return ts_vec3_make(s->size.x * y.x / length, s->size.y * y.y / length, s->size.z * y.z / length);
  }
  case TS_SHAPE_SUPERELLIPSOID:
    return superellipsoid_point(s, d, false);
  case TS_SHAPE_SUPERELLIPSE:
    return superellipsoid_point(s, d, true);
  default:
    return corner_point(s, d);
  }
}

static ts_vec3 support_of(const campaign_part *part, const ts_pose *at, ts_vec3 d)
{
  const ts_pose pose = ts_pose_compose(at, &part->pose);
  return ts_pose_apply(&pose, own_point(&part->shape, ts_quat_rotate(ts_quat_conjugate(pose.orientation), d)));
}

// ---- separation ----------------------------------------------------------------------------------------------------

// A plane bounds nothing across its normal: the direction is always the normal then.
static double plane_separation(const campaign_part *plane, const ts_pose *at, const campaign_part *part,
                               const ts_pose *there, ts_vec3 *normal)
{
  const ts_pose pose = ts_pose_compose(at, &plane->pose);
  *normal = ts_quat_rotate(pose.orientation, plane->shape.normal);
  const ts_vec3 lowest = support_of(part, there, ts_negate(*normal));
  return ts_dot(*normal, ts_sub(lowest, pose.position)) - plane->shape.offset;
}

// The difference of the support points: its component along the direction is the gap, the rest the way to a wider one
static ts_vec3 difference(const campaign_part *a, const ts_pose *at, const campaign_part *b, const ts_pose *there,
                          ts_vec3 d)
{
  return ts_sub(support_of(a, at, ts_negate(d)), support_of(b, there, d));
}

double separation_along(const campaign_part *a, const ts_pose *at, const campaign_part *b, const ts_pose *there,
                        ts_vec3 d)
{
  ts_vec3 normal;
  if (b->shape.kind == TS_SHAPE_PLANE) return plane_separation(b, there, a, at, &normal);
  if (a->shape.kind == TS_SHAPE_PLANE) return plane_separation(a, at, b, there, &normal);
  return ts_dot(d, difference(a, at, b, there, d));
}

typedef struct search {
  const campaign_part *a, *b;
  const ts_pose *at, *there;
  double best;
  ts_vec3 axis;
  bool planar;
} search;

static bool try_direction(search *s, ts_vec3 d, double enough)
{
  if (s->planar) d.z = 0.0;
  const double length = ts_length(d);
  if (!(length > 1e-9)) return false;
  d = ts_scale(1.0 / length, d);
  const double gap = ts_dot(d, difference(s->a, s->at, s->b, s->there, d));
  if (gap > s->best) {
    s->best = gap;
    s->axis = d;
  }
  return s->best >= enough;
}

// Climb from a direction: steps along the difference, shorter where they do not widen the gap
static bool climb(search *s, ts_vec3 from, double enough)
{
  ts_vec3 d = from;
  const double size = s->a->reach + s->b->reach;
  if (try_direction(s, d, enough)) return true;
  double length = 0.5, here = ts_dot(d, difference(s->a, s->at, s->b, s->there, d));
  for (int k = 0; k < 60 && length > 1e-7; ++k) {
    const ts_vec3 w = difference(s->a, s->at, s->b, s->there, d);
    const ts_vec3 across = ts_add_scaled(w, -ts_dot(w, d), d);
    const ts_vec3 next = ts_normalize(ts_add_scaled(d, length / size, across), d);
    const double gap = ts_dot(next, difference(s->a, s->at, s->b, s->there, next));
    if (gap > here) {
      d = next;
      here = gap;
      length *= 1.5;
    } else {
      length *= 0.5;
    }
    if (try_direction(s, d, enough)) return true;
  }
  return false;
}

// Normals of faces and directions of edges: axes of boxes and round solids, planes and lines through corners
static int features_of(const campaign_part *part, const ts_pose *at, ts_vec3 *normals, int most)
{
  const ts_pose pose = ts_pose_compose(at, &part->pose);
  const ts_shape *s = &part->shape;
  int n = 0;
  for (int i = 0; i < 3; ++i) normals[n++] = ts_quat_rotate(pose.orientation, ts_vec3_make(i == 0, i == 1, i == 2));
  for (int i = 0; i < s->vertex_count; ++i)
    for (int j = 0; j < i; ++j) {
      const ts_vec3 edge = ts_sub(s->vertices[i], s->vertices[j]);
      if (s->kind == TS_SHAPE_POLYGON && n < most)
        normals[n++] = ts_quat_rotate(pose.orientation, ts_vec3_make(edge.y, -edge.x, 0.0));
      for (int k = 0; k < j && s->kind == TS_SHAPE_POLYTOPE && n < most; ++k)
        normals[n++] = ts_quat_rotate(pose.orientation, ts_cross(edge, ts_sub(s->vertices[k], s->vertices[j])));
    }
  return n;
}

static int edges_of(const campaign_part *part, const ts_pose *at, ts_vec3 *edges, int most)
{
  const ts_pose pose = ts_pose_compose(at, &part->pose);
  const ts_shape *s = &part->shape;
  int n = 0;
  for (int i = 0; i < 3; ++i) edges[n++] = ts_quat_rotate(pose.orientation, ts_vec3_make(i == 0, i == 1, i == 2));
  for (int i = 0; i < s->vertex_count; ++i)
    for (int j = 0; j < i && n < most; ++j)
      edges[n++] = ts_quat_rotate(pose.orientation, ts_sub(s->vertices[i], s->vertices[j]));
  return n;
}

static bool try_features(search *s, double enough)
{
  enum { MOST = 256 };
  ts_vec3 normals[MOST], first[MOST], second[MOST];
  const campaign_part *parts[2] = {s->a, s->b};
  const ts_pose *poses[2] = {s->at, s->there};
  for (int side = 0; side < 2; ++side) {
    const int n = features_of(parts[side], poses[side], normals, MOST);
    for (int i = 0; i < n; ++i)
      if (try_direction(s, normals[i], enough) || try_direction(s, ts_negate(normals[i]), enough)) return true;
  }
  const int n = s->planar ? 0 : edges_of(s->a, s->at, first, MOST),
            m = s->planar ? 0 : edges_of(s->b, s->there, second, MOST);
  for (int i = 0; i < n; ++i)
    for (int j = 0; j < m; ++j) {
      const ts_vec3 across = ts_cross(first[i], second[j]);
      if (try_direction(s, across, enough) || try_direction(s, ts_negate(across), enough)) return true;
    }
  return false;
}

// Directions all over the sphere, or the circle
static bool try_everywhere(search *s, double enough)
{
  enum { MANY = 400 };
  for (int k = 0; k < MANY; ++k) {
    const double z = s->planar ? 0.0 : 1.0 - 2.0 * (k + 0.5) / MANY, r = sqrt(1.0 - z * z),
                 angle = s->planar ? 2.0 * TS_PI * k / MANY : 2.39996323 * k;
    if (try_direction(s, ts_vec3_make(r * cos(angle), r * sin(angle), z), enough)) return true;
  }
  const ts_vec3 best = s->axis;
  return climb(s, best, enough);
}

// ---- nearest points ------------------------------------------------------------------------------------------------

// Nearest point to the origin of the hull of up to four points, by all of their subsets: the nearest point of the plane
// through a subset counts if it lies between its points. Keeps the subset.
typedef struct simplex {
  ts_vec3 points[4];
  int count;
} simplex;

// Weights of the nearest point of the plane through points: Gaussian elimination of their edges' products
static bool weigh(const ts_vec3 *p, int n, double *weight)
{
  double a[3][4];
  for (int i = 1; i < n; ++i) {
    for (int j = 1; j < n; ++j) a[i - 1][j - 1] = ts_dot(ts_sub(p[i], p[0]), ts_sub(p[j], p[0]));
    a[i - 1][n - 1] = -ts_dot(ts_sub(p[i], p[0]), p[0]);
  }
  for (int k = 0; k < n - 1; ++k) {
    if (!(a[k][k] > 1e-30)) return false;
    for (int i = 0; i < n - 1; ++i) {
      const double factor = a[i][k] / a[k][k];
      for (int j = k; j < n && i != k; ++j) a[i][j] -= factor * a[k][j];
    }
  }
  weight[0] = 1.0;
  for (int k = 0; k < n - 1; ++k) {
    weight[k + 1] = a[k][n - 1] / a[k][k];
    weight[0] -= weight[k + 1];
  }
  for (int k = 0; k < n; ++k)
    if (weight[k] < 0.0) return false;
  return true;
}

static ts_vec3 nearest_of(simplex *s)
{
  simplex best = {.count = 0};
  ts_vec3 nearest = {0.0, 0.0, 0.0};
  double least = INFINITY;
  for (unsigned set = 1; set < 1u << s->count; ++set) {
    simplex part = {.count = 0};
    double weight[4];
    for (int k = 0; k < s->count; ++k)
      if (set >> k & 1u) part.points[part.count++] = s->points[k];
    if (!weigh(part.points, part.count, weight)) continue;
    ts_vec3 x = {0.0, 0.0, 0.0};
    for (int k = 0; k < part.count; ++k) x = ts_add_scaled(x, weight[k], part.points[k]);
    if (ts_length(x) >= least) continue;
    least = ts_length(x);
    nearest = x;
    best = part;
  }
  *s = best;
  return nearest;
}

// Directions of the nearest points of the two, the first moved by `shift` (Gilbert, Johnson and Keerthi)
static bool try_nearest(search *s, ts_vec3 shift, double enough)
{
  simplex found = {.count = 0};
  ts_vec3 v = ts_add(difference(s->a, s->at, s->b, s->there, s->axis), shift);
  found.points[found.count++] = v;
  for (int k = 0; k < 100; ++k) {
    const double length = ts_length(v);
    if (!(length > 1e-14)) return false;
    const ts_vec3 d = ts_scale(1.0 / length, v), w = ts_add(difference(s->a, s->at, s->b, s->there, d), shift);
    if (try_direction(s, d, enough)) return true;
    if (length - ts_dot(d, w) < 1e-15 || found.count == 4) return false;
    found.points[found.count++] = w;
    v = nearest_of(&found);
  }
  return false;
}

// Touching bodies have the direction of their nearest points once they are moved apart by the overlap of no interest.
// If that does not part them, they are moved farther: the overlap is then known to a factor of 2. The direction across
// a distance s is known to 1e-16 r/s, with r the size of the bodies, and costs a gap of that times r: the first
// distances are at least 1e-7 r, and some more are tried before the search ends.
static bool try_apart(search *s, double deep, double enough)
{
  enum { FIRST = 8 };
  const double size = s->a->reach + s->b->reach;
  double shift = fmax(deep, 1e-7 * size);
  for (int k = 0; shift < 0.1 * size; ++k, shift *= 2.0) {
    if (try_nearest(s, ts_scale(shift, s->axis), enough)) return true;
    if (k >= FIRST && s->best >= -2.0 * shift) return false;
  }
  return false;
}

double separation_overlap(const campaign_part *a, const ts_pose *at, const campaign_part *b, const ts_pose *there,
                          double deep, ts_vec3 *axis)
{
  const bool planar = a->shape.kind == TS_SHAPE_DISC || a->shape.kind == TS_SHAPE_POLYGON ||
                      a->shape.kind == TS_SHAPE_SUPERELLIPSE ||
                      (a->shape.kind == TS_SHAPE_BOX && a->shape.size.z == 0.0);
  search s = {a, b, at, there, -INFINITY, *axis, planar};
  if (b->shape.kind == TS_SHAPE_PLANE) return -plane_separation(b, there, a, at, axis);
  if (a->shape.kind == TS_SHAPE_PLANE) return -plane_separation(a, at, b, there, axis);
  const ts_vec3 centres = ts_sub(ts_pose_apply(at, a->pose.position), ts_pose_apply(there, b->pose.position));
  if (ts_length(centres) > a->reach + b->reach) return 0.0;
  if (!try_direction(&s, *axis, -deep) && !try_direction(&s, centres, -deep) &&
      !climb(&s, ts_normalize(centres, ts_vec3_make(1.0, 0.0, 0.0)), -deep) && !try_apart(&s, deep, -deep) &&
      !try_features(&s, -deep) && !try_everywhere(&s, -deep))
    try_apart(&s, deep, -deep);
  *axis = s.axis;
  return -s.best;
}
