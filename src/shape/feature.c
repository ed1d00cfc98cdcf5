// See feature.h. With support functions h_A and h_B of the features and m = -n for A, m = n for B, the normal minimizes
//   H(n) = h_A(-n) + h_B(n)   over unit vectors n (on the circle of a line feature).
// The gradient of a support function is the support point, so with x = x_A - x_B it is -x; on the sphere, along
// tangents s and t, gradient and Hessian are  -x.t  and  s.(h_A'' + h_B'') t + (n.x) s.t. Along the circle n.e = l
// about a unit vector e, with the tangent t = e x n, they are  -x.t  and  t.(h_A'' + h_B'') t + (n - l e).x.
#include "shape/feature.h"

#include "shape/shape_type.h"

#include <float.h>

ts_feature ts_feature_vertex(const ts_core *core, ts_vec3 point)
{
  return (ts_feature){.kind = TS_FEATURE_VERTEX, .core = core, .point = point, .vertex = -1, .edge = -1};
}

ts_feature ts_feature_line(const ts_core *core, ts_vec3 point, ts_vec3 direction, double radius, double lean,
                           double rise)
{
  return (ts_feature){.kind = TS_FEATURE_LINE,
                      .core = core,
                      .point = point,
                      .direction = direction,
                      .radius = radius,
                      .lean = lean,
                      .rise = rise,
                      .vertex = -1,
                      .edge = -1};
}

ts_feature ts_feature_flat(const ts_core *core, ts_vec3 point, ts_vec3 normal)
{
  return (ts_feature){
      .kind = TS_FEATURE_FLAT, .core = core, .point = point, .direction = normal, .vertex = -1, .edge = -1};
}

ts_feature ts_feature_rim(const ts_core *core, ts_vec3 point, ts_vec3 axis, double radius, double lean)
{
  ts_feature feature = ts_feature_flat(core, point, axis);
  feature.kind = TS_FEATURE_RIM;
  feature.radius = radius;
  feature.lean = lean;
  return feature;
}

static ts_feature segment_feature(const ts_core *core, ts_vec3 local)
{
  const double half = core->part->half_length;
  if (half - fabs(local.z) > TS_FEATURE_NEAR * half)
    return ts_feature_line(core, core->frame.origin, core->frame.axes.z, 0.0, 0.0, 1.0);
  return ts_feature_vertex(core, ts_add_scaled(core->frame.origin, copysign(half, local.z), core->frame.axes.z));
}

static ts_feature hull_vertex(const ts_core *core, int vertex)
{
  ts_feature feature = ts_feature_vertex(core, ts_frame_apply(&core->frame, core->part->hull->vertices[vertex]));
  feature.vertex = vertex;
  return feature;
}

static ts_feature hull_edge(const ts_core *core, int edge)
{
  const ts_hull *hull = core->part->hull;
  const ts_vec3 start = hull->vertices[hull->edges[edge][0]];
  const ts_vec3 along = ts_normalize(ts_sub(hull->vertices[hull->edges[edge][1]], start), (ts_vec3){1.0, 0.0, 0.0});
  ts_feature feature =
      ts_feature_line(core, ts_frame_apply(&core->frame, start), ts_mul(&core->frame.axes, along), 0.0, 0.0, 1.0);
  feature.edge = edge;
  return feature;
}

static ts_feature hull_face(const ts_core *core, int face)
{
  const ts_hull *hull = core->part->hull;
  const ts_vec3 corner = hull->vertices[hull->face_vertices[hull->face_start[face]]];
  return ts_feature_flat(core, ts_frame_apply(&core->frame, corner), ts_mul(&core->frame.axes, hull->normals[face]));
}

static double distance2_from_edge(const ts_hull *hull, int edge, ts_vec3 local)
{
  const ts_vec3 start = hull->vertices[hull->edges[edge][0]], to = ts_sub(local, start);
  const ts_vec3 span = ts_sub(hull->vertices[hull->edges[edge][1]], start);
  const double along = fmax(0.0, fmin(1.0, ts_dot(to, span) / ts_dot(span, span)));
  const ts_vec3 apart = ts_add_scaled(to, -along, span);
  return ts_dot(apart, apart);
}

// Of the faces that the point lies on, the one that looks along `outward`; without any, the nearest.
static ts_feature hull_face_at(const ts_core *core, ts_vec3 local, ts_vec3 outward, double tolerance)
{
  const ts_hull *hull = core->part->hull;
  int best = 0, nearest = 0;
  double least = INFINITY, straightest = -INFINITY;
  for (int f = 0; f < hull->face_count; ++f) {
    const double depth = hull->offsets[f] - ts_dot(hull->normals[f], local);
    const double cosine = ts_dot(hull->normals[f], outward);
    if (depth < least) least = depth, nearest = f;
    if (depth <= tolerance && cosine > straightest) straightest = cosine, best = f;
  }
  return hull_face(core, least <= tolerance ? best : nearest);
}

static ts_feature hull_feature(const ts_core *core, ts_vec3 local, ts_vec3 outward)
{
  const ts_hull *hull = core->part->hull;
  const double tolerance = TS_FEATURE_NEAR * core->part->reach, tolerance2 = tolerance * tolerance;
  for (int v = 0; v < hull->vertex_count; ++v) {
    const ts_vec3 apart = ts_sub(hull->vertices[v], local);
    if (ts_dot(apart, apart) <= tolerance2) return hull_vertex(core, v);
  }
  for (int e = 0; e < hull->edge_count; ++e)
    if (distance2_from_edge(hull, e, local) <= tolerance2) return hull_edge(core, e);
  return hull_face_at(core, local, outward, tolerance);
}

ts_feature ts_feature_at(const ts_core *core, ts_vec3 point, ts_vec3 outward)
{
  const ts_vec3 local = ts_frame_unapply(&core->frame, point);
  switch (core->kind) {
  case TS_CORE_SEGMENT:
    return segment_feature(core, local);
  case TS_CORE_HULL:
    return hull_feature(core, local, ts_mul_transposed(&core->frame.axes, outward));
  case TS_CORE_SOLID:
    return ts_shape_type_of(core->part->kind)->feature_at(core, local, ts_mul_transposed(&core->frame.axes, outward));
  default:
    return ts_feature_vertex(core, core->frame.origin);
  }
}

// Along the edge from the vertex that climbs most steeply.
static ts_feature steepest_edge(const ts_feature *vertex, ts_vec3 outward)
{
  const ts_core *core = vertex->core;
  const ts_hull *hull = core->part->hull;
  const ts_vec3 m = ts_mul_transposed(&core->frame.axes, outward);
  int best = 0;
  double steepest = -INFINITY;
  for (int e = 0; e < hull->edge_count; ++e) {
    const int *ends = hull->edges[e];
    if (ends[0] != vertex->vertex && ends[1] != vertex->vertex) continue;
    const int other = ends[0] == vertex->vertex ? ends[1] : ends[0];
    const ts_vec3 along = ts_sub(hull->vertices[other], hull->vertices[vertex->vertex]);
    const double slope = ts_dot(m, along) / ts_length(along);
    if (slope > steepest) steepest = slope, best = e;
  }
  return hull_edge(core, best);
}

static ts_feature better_face(const ts_feature *edge, ts_vec3 outward)
{
  const ts_hull *hull = edge->core->part->hull;
  const ts_vec3 m = ts_mul_transposed(&edge->core->frame.axes, outward);
  const int *faces = hull->edge_faces[edge->edge];
  const bool first = ts_dot(m, hull->normals[faces[0]]) >= ts_dot(m, hull->normals[faces[1]]);
  return hull_face(edge->core, faces[first ? 0 : 1]);
}

// Across a rim's axis: the unit vector from its centre to the support point, and how far `outward` is from the axis.
static ts_vec3 rim_radial(const ts_feature *rim, ts_vec3 outward, double *sine)
{
  const ts_vec3 across = ts_add_scaled(outward, -ts_dot(outward, rim->direction), rim->direction);
  *sine = ts_length(across);
  return ts_normalize(across, rim->core->frame.axes.x);
}

bool ts_feature_holds(const ts_feature *feature, ts_vec3 outward)
{
  const ts_core *core = feature->core;
  if (feature->kind == TS_FEATURE_RIM) {
    double sine;
    rim_radial(feature, outward, &sine);
    return sine > 1e-9 && ts_dot(outward, feature->direction) > feature->lean;
  }
  const bool can_grow = feature->kind == TS_FEATURE_VERTEX
                            ? core->kind != TS_CORE_POINT
                            : feature->kind == TS_FEATURE_LINE && core->kind == TS_CORE_HULL;
  if (!can_grow) return true;
  const double beyond = ts_dot(outward, ts_sub(ts_core_support(core, outward), feature->point));
  return beyond <= 1e-14 * core->part->reach;
}

ts_feature ts_feature_raised(const ts_feature *feature, ts_vec3 outward)
{
  const ts_core *core = feature->core;
  if (core->kind == TS_CORE_SOLID) return ts_shape_type_of(core->part->kind)->feature_raised(feature, outward);
  if (core->kind == TS_CORE_SEGMENT)
    return ts_feature_line(core, core->frame.origin, core->frame.axes.z, 0.0, 0.0, 1.0);
  return feature->kind == TS_FEATURE_VERTEX ? steepest_edge(feature, outward) : better_face(feature, outward);
}

bool ts_feature_has_one_point(const ts_feature *feature)
{
  return feature->kind != TS_FEATURE_LINE && feature->kind != TS_FEATURE_FLAT;
}

static ts_vec3 across(ts_vec3 n, ts_vec3 line)
{
  return ts_normalize(ts_add_scaled(n, -ts_dot(n, line), line), ts_tangent_of(line));
}

// The unit vector from the axis to where a line is touched. Without lean it is the normal itself.
static ts_vec3 line_radial(const ts_feature *line, ts_vec3 outward)
{
  return line->lean == 0.0 ? outward : across(outward, line->direction);
}

ts_feature_axis ts_feature_axis_of(const ts_feature *line, ts_vec3 outward)
{
  const double l = line->lean;
  if (l == 0.0) return (ts_feature_axis){line->point, line->direction, line->radius};
  const ts_vec3 along = ts_normalize(ts_add_scaled(line->direction, -l, outward), line->direction);
  return (ts_feature_axis){ts_feature_point(line, outward), along, 0.0};
}

ts_vec3 ts_feature_point(const ts_feature *feature, ts_vec3 outward)
{
  double sine;
  switch (feature->kind) {
  case TS_FEATURE_LINE:
    return ts_add_scaled(feature->point, feature->radius, line_radial(feature, outward));
  case TS_FEATURE_RIM:
    return ts_add_scaled(feature->point, feature->radius, rim_radial(feature, outward, &sine));
  case TS_FEATURE_SMOOTH:
    return ts_core_support(feature->core, outward);
  default:
    return feature->point;
  }
}

// h''(m) t: how the support point moves when its direction turns towards t.
static ts_vec3 bend(const ts_feature *feature, ts_vec3 m, ts_vec3 t)
{
  if (feature->kind == TS_FEATURE_LINE) return ts_scale(feature->radius / feature->rise, t);
  if (feature->kind == TS_FEATURE_RIM) {
    double sine;
    const ts_vec3 u = ts_cross(feature->direction, rim_radial(feature, m, &sine));
    return ts_scale(feature->radius * ts_dot(u, t) / fmax(sine, DBL_EPSILON), u);
  }
  if (feature->kind == TS_FEATURE_SMOOTH) return ts_shape_type_of(feature->core->part->kind)->bend(feature->core, m, t);
  return (ts_vec3){0.0, 0.0, 0.0};
}

static ts_vec3 apart(const ts_feature *a, const ts_feature *b, ts_vec3 n)
{
  return ts_sub(ts_feature_point(a, ts_negate(n)), ts_feature_point(b, n));
}

// Newton's step in the tangents' coordinates, with the sizes of the Hessian's eigenvalues: where curvature is negative,
// as between a vertex and a rim that overlap, it leads away from the saddle, and not slowly.
static void newton_step(const double hessian[3], const double gradient[2], double step[2])
{
  const double xx = hessian[0], xy = hessian[1], yy = hessian[2];
  const double mean = 0.5 * (xx + yy), spread = hypot(0.5 * (xx - yy), xy);
  const double least = 1e-14 * (fabs(mean) + spread) + DBL_MIN;
  const double first = fmax(fabs(mean + spread), least), second = fmax(fabs(mean - spread), least);
  const double angle = 0.5 * atan2(xy, 0.5 * (xx - yy)), c = cos(angle), s = sin(angle); // of the first's eigenvector
  const double along = (c * gradient[0] + s * gradient[1]) / first,
               across = (c * gradient[1] - s * gradient[0]) / second;
  step[0] = s * across - c * along;
  step[1] = -s * along - c * across;
}

static ts_vec3 turned(ts_vec3 n, const ts_vec3 tangent[2], const double step[2], double share)
{
  const ts_vec3 moved = ts_add_scaled(ts_add_scaled(n, share * step[0], tangent[0]), share * step[1], tangent[1]);
  return ts_normalize(moved, n);
}

// Normals n with n.axis = lean, those that a line feature leaves; rise^2 = 1 - lean^2
typedef struct circle {
  ts_vec3 axis;
  double lean, rise;
} circle;

static ts_vec3 onto_circle(ts_vec3 n, const circle *on)
{
  const ts_vec3 radial = across(n, on->axis);
  return on->lean == 0.0 ? radial : ts_add_scaled(ts_scale(on->rise, radial), on->lean, on->axis);
}

// H's derivatives at n along the tangents; along the first alone when there is a circle to stay on.
static void differentiate(const ts_feature *a, const ts_feature *b, ts_vec3 n, ts_vec3 x, const ts_vec3 tangent[2],
                          const circle *on, double gradient[2], double hessian[3])
{
  const double gap = ts_dot(n, x) - (on ? on->lean * ts_dot(on->axis, x) : 0.0);
  ts_vec3 bent[2];
  for (int k = 0; k < 2; ++k) bent[k] = ts_add(bend(a, ts_negate(n), tangent[k]), bend(b, n, tangent[k]));
  gradient[0] = -ts_dot(x, tangent[0]);
  gradient[1] = on ? 0.0 : -ts_dot(x, tangent[1]);
  hessian[0] = ts_dot(bent[0], tangent[0]) + gap;
  hessian[1] = on ? 0.0 : ts_dot(bent[0], tangent[1]);
  hessian[2] = on ? 0.0 : ts_dot(bent[1], tangent[1]) + gap;
}

// Minimize H over the unit sphere, or over a circle on it where that is not NULL.
static ts_vec3 minimize(const ts_feature *a, const ts_feature *b, ts_vec3 n, const circle *on)
{
  enum { MOST_STEPS = 30, MOST_HALVINGS = 12 };
  const double longest = 0.5;               // rad; models of a sphere reach no further
  const bool small = on && on->lean != 0.0; // steps along its tangents leave it
  ts_vec3 x = apart(a, b, n);
  for (int i = 0; i < MOST_STEPS; ++i) {
    ts_vec3 tangent[2];
    tangent[0] = on ? ts_cross(on->axis, n) : ts_tangent_of(n);
    tangent[1] = ts_cross(n, tangent[0]);
    double gradient[2], hessian[3], step[2];
    differentiate(a, b, n, x, tangent, on, gradient, hessian);
    newton_step(hessian, gradient, step);
    const double gap = ts_dot(n, x), length = hypot(step[0], step[1]);
    double share = length > longest ? longest / length : 1.0;
    bool better = false;
    for (int k = 0; k < MOST_HALVINGS && !better; ++k, share *= 0.5) {
      const ts_vec3 moved = turned(n, tangent, step, share), trial = small ? onto_circle(moved, on) : moved;
      const ts_vec3 trial_x = apart(a, b, trial);
      better = ts_dot(trial, trial_x) > gap || (k == 0 && length < 1e-7); // so near, the values no longer tell
      if (better) n = trial, x = trial_x;
    }
    if (!better || length < 1e-9) break; // convergence is quadratic: the next step would be rounding
  }
  return n;
}

// Where two circles meet: of the two points the one nearer to n. With c = e.f the points are p e + q f + r e x f, and
// p + c q = n.e, c p + q = n.f. False where they are about one axis, or do not meet.
static bool where_circles_meet(const circle *a, const circle *b, ts_vec3 n, ts_vec3 *meet)
{
  const ts_vec3 both = ts_cross(a->axis, b->axis);
  const double sine = ts_length(both);
  if (!(sine > 1e-13)) return false;
  const ts_vec3 up = across(both, a->axis); // of nearly parallel axes `both` is only roughly across
  const ts_vec3 towards_n = ts_dot(up, n) > 0.0 ? up : ts_negate(up);
  *meet = towards_n;
  if (a->lean == 0.0 && b->lean == 0.0) return true;
  const double c = ts_dot(a->axis, b->axis);
  const ts_vec3 in_plane = ts_add(ts_scale((a->lean - c * b->lean) / (sine * sine), a->axis),
                                  ts_scale((b->lean - c * a->lean) / (sine * sine), b->axis));
  const double square = 1.0 - ts_dot(in_plane, in_plane);
  if (!(square > 0.0)) return false;
  *meet = ts_add_scaled(in_plane, sqrt(square), towards_n);
  return true;
}

// Normals point from b to a: outward from b, into a.
static circle circle_of_a(const ts_feature *a)
{
  return (circle){a->direction, -a->lean, a->rise};
}

static circle circle_of_b(const ts_feature *b)
{
  return (circle){b->direction, b->lean, b->rise};
}

ts_vec3 ts_feature_normal(const ts_feature *a, const ts_feature *b, ts_vec3 n)
{
  const bool a_flat = a->kind == TS_FEATURE_FLAT, b_flat = b->kind == TS_FEATURE_FLAT;
  if (a_flat && !(b_flat && ts_dot(b->direction, n) > -ts_dot(a->direction, n))) return ts_negate(a->direction);
  if (b_flat) return b->direction;
  const bool a_line = a->kind == TS_FEATURE_LINE, b_line = b->kind == TS_FEATURE_LINE;
  const circle on_a = circle_of_a(a), on_b = circle_of_b(b), *on = a_line ? &on_a : &on_b;
  ts_vec3 meet;
  if (a_line && b_line && where_circles_meet(&on_a, &on_b, n, &meet)) return meet;
  if (a_line || b_line) return minimize(a, b, onto_circle(n, on), on);
  if (a->kind == TS_FEATURE_VERTEX && b->kind == TS_FEATURE_VERTEX) {
    const ts_vec3 x = ts_sub(a->point, b->point);
    return ts_dot(x, n) > 0.0 ? ts_normalize(x, n) : n;
  }
  return minimize(a, b, n, NULL);
}
