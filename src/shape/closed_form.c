// See closed_form.h. Where the nearest point is not unique (a centre, an axis), any normal that attains the maximum of
// core.h is right; the choice is fixed, so that results repeat.
#include "shape/closed_form.h"

void ts_point_point_distance(const ts_core *a, const ts_core *b, ts_separation *separation)
{
  const ts_vec3 apart = ts_sub(a->frame.origin, b->frame.origin);
  *separation = (ts_separation){.gap = ts_length(apart),
                                .normal = ts_normalize(apart, (ts_vec3){1.0, 0.0, 0.0}),
                                .point_1 = a->frame.origin,
                                .point_2 = b->frame.origin};
}

// A point and the point of a segment nearest to it. The part of their difference along the segment is set, not
// computed: 0 inside the segment, outward at its ends. When the points nearly coincide a difference of points may say
// otherwise, and along a segment small angles make large errors.
static void separate_from_segment(ts_vec3 point, const ts_core *segment, ts_vec3 fallback, ts_separation *separation)
{
  const ts_vec3 u = segment->frame.axes.z;
  const double half = segment->part->half_length;
  const double foot = ts_dot(ts_sub(point, segment->frame.origin), u), along = fmax(-half, fmin(half, foot));
  const ts_vec3 nearest = ts_add_scaled(segment->frame.origin, along, u), raw = ts_sub(point, nearest);
  const ts_vec3 apart = ts_add_scaled(raw, (foot - along) - ts_dot(raw, u), u);
  *separation = (ts_separation){
      .gap = ts_length(apart), .normal = ts_normalize(apart, fallback), .point_1 = point, .point_2 = nearest};
}

void ts_point_segment_distance(const ts_core *point, const ts_core *segment, ts_separation *separation)
{
  separate_from_segment(point->frame.origin, segment, segment->frame.axes.x, separation);
}

bool ts_nearest_on_lines(ts_vec3 p, ts_vec3 u, ts_vec3 q, ts_vec3 v, double *s, double *t)
{
  const ts_vec3 n = ts_cross(u, v), apart = ts_sub(q, p);
  const double nn = ts_dot(n, n);
  if (!(nn > 1e-24 * ts_dot(u, u) * ts_dot(v, v))) return false; // sine below 1e-12: parallel to rounding
  *s = ts_dot(ts_cross(apart, v), n) / nn;
  *t = ts_dot(ts_cross(apart, u), n) / nn;
  return true;
}

static ts_vec3 without_part_along(ts_vec3 n, ts_vec3 u)
{
  return ts_add_scaled(n, -ts_dot(n, u), u);
}

// The common perpendicular of unit vectors. That of nearly parallel ones is a difference of nearly equal products; it
// is made perpendicular to u to rounding, and so, as v hardly differs, to v.
static ts_vec3 across_both(ts_vec3 u, ts_vec3 v, ts_vec3 fallback)
{
  const ts_vec3 n = ts_cross(u, v);
  if (!(ts_length(n) > 1e-13)) return fallback;
  return ts_normalize(without_part_along(n, u), fallback);
}

// n without its part along the segment where that would make another point than `point` the furthest along `side` n.
static ts_vec3 supported_at(ts_vec3 n, ts_vec3 point, const ts_core *segment, double side)
{
  const ts_vec3 u = segment->frame.axes.z;
  const double end = segment->part->half_length * (1.0 - 1e-9); // what rounding leaves of it far from the origin
  const double at = ts_dot(ts_sub(point, segment->frame.origin), u), slope = side * ts_dot(n, u);
  const bool holds = (at >= end && slope >= 0.0) || (at <= -end && slope <= 0.0);
  return holds ? n : without_part_along(n, u);
}

// Insides of both segments nearest to each other: the normal is the common perpendicular, exact however small the gap.
static bool segments_cross(const ts_core *a, const ts_core *b, ts_separation *separation)
{
  const ts_vec3 u = a->frame.axes.z, v = b->frame.axes.z;
  double s, t;
  if (!ts_nearest_on_lines(a->frame.origin, u, b->frame.origin, v, &s, &t)) return false;
  if (fabs(s) > a->part->half_length || fabs(t) > b->part->half_length) return false;
  ts_vec3 n = across_both(u, v, a->frame.axes.x);
  double gap = ts_dot(n, ts_sub(a->frame.origin, b->frame.origin));
  if (gap < 0.0) n = ts_negate(n), gap = -gap;
  *separation = (ts_separation){.gap = gap,
                                .normal = n,
                                .point_1 = ts_add_scaled(a->frame.origin, s, u),
                                .point_2 = ts_add_scaled(b->frame.origin, t, v)};
  return true;
}

// The inside pair where there is one, else an end of one segment and the nearest point of the other.
void ts_segment_segment_distance(const ts_core *a, const ts_core *b, ts_separation *separation)
{
  if (segments_cross(a, b, separation)) return;
  const ts_vec3 fallback = across_both(a->frame.axes.z, b->frame.axes.z, a->frame.axes.x);
  ts_vec3 ends_a[2], ends_b[2];
  ts_core_ends(a, ends_a);
  ts_core_ends(b, ends_b);
  ts_separation candidate;
  separation->gap = INFINITY;
  for (int i = 0; i < 2; ++i) {
    separate_from_segment(ends_a[i], b, fallback, &candidate);
    if (candidate.gap < separation->gap) *separation = candidate;
    separate_from_segment(ends_b[i], a, fallback, &candidate);
    ts_separation_flip(&candidate);
    if (candidate.gap < separation->gap) *separation = candidate;
  }
  // A normal that is a difference of nearly equal points is rough, and along a segment small angles make large errors.
  ts_vec3 n = supported_at(separation->normal, separation->point_1, a, -1.0);
  n = supported_at(n, separation->point_2, b, 1.0);
  const bool touching = separation->gap <= 1e-14 * (a->part->reach + b->part->reach);
  separation->normal = touching ? fallback : ts_normalize(n, fallback);
}

// From the solid's own frame to the pair's: the point is `gap` outside along `normal`.
static void place(const ts_core *point, const ts_core *solid, double gap, ts_vec3 normal, ts_separation *separation)
{
  const ts_vec3 n = ts_mul(&solid->frame.axes, normal);
  *separation = (ts_separation){
      .gap = gap, .normal = n, .point_1 = point->frame.origin, .point_2 = ts_add_scaled(point->frame.origin, -gap, n)};
}

static ts_vec3 signed_axis(int axis, double sign)
{
  const double one = copysign(1.0, sign);
  return (ts_vec3){axis == 0 ? one : 0.0, axis == 1 ? one : 0.0, axis == 2 ? one : 0.0};
}

void ts_point_box_distance(const ts_core *point, const ts_core *box, ts_separation *separation)
{
  const ts_vec3 half = box->part->half, p = ts_frame_unapply(&box->frame, point->frame.origin);
  const double over[3] = {fabs(p.x) - half.x, fabs(p.y) - half.y, fabs(p.z) - half.z}; // outside the faces
  const double sign[3] = {p.x, p.y, p.z};
  int most = 0;
  for (int i = 1; i < 3; ++i)
    if (over[i] > over[most]) most = i;
  const ts_vec3 outside = {copysign(fmax(over[0], 0.0), p.x), copysign(fmax(over[1], 0.0), p.y),
                           copysign(fmax(over[2], 0.0), p.z)};
  const double distance = ts_length(outside);
  if (distance > 0.0)
    place(point, box, distance, ts_scale(1.0 / distance, outside), separation);
  else
    place(point, box, over[most], signed_axis(most, sign[most]), separation);
}

void ts_point_cylinder_distance(const ts_core *point, const ts_core *cylinder, ts_separation *separation)
{
  const ts_vec3 p = ts_frame_unapply(&cylinder->frame, point->frame.origin);
  const double from_axis = sqrt(p.x * p.x + p.y * p.y);
  const double radial = from_axis - cylinder->part->radius, axial = fabs(p.z) - cylinder->part->half_length;
  const ts_vec3 outward =
      from_axis > 0.0 ? ts_vec3_make(p.x / from_axis, p.y / from_axis, 0.0) : ts_vec3_make(1.0, 0.0, 0.0);
  const ts_vec3 up = signed_axis(2, p.z);
  if (radial > 0.0 && axial > 0.0) { // beyond a rim
    const double distance = sqrt(radial * radial + axial * axial);
    const ts_vec3 n = ts_add_scaled(ts_scale(radial / distance, outward), axial / distance, up);
    place(point, cylinder, distance, n, separation);
  } else if (radial > axial) {
    place(point, cylinder, radial, outward, separation);
  } else {
    place(point, cylinder, axial, up, separation);
  }
}

// The foot of the perpendicular from a point to an ellipsoid's surface, after D. Eberly, "Distance from a point to an
// ellipse, an ellipsoid, or a hyperellipsoid". With semi-axes e_i, e the least of them, r_i = (e_i/e)^2 and z_i =
// |p_i|/e_i it is x_i = e_i w_i(u), w_i = r_i z_i / (u + r_i - 1), for the only u >= 0 with |w(u)| = 1; outside u > 1.
// Newton's method on 1/|w(u)| - 1, which is concave and nearly linear, climbs from the left without overshooting.
static double foot_component(double r, double z, double u)
{
  return z > 0.0 ? r * z / (u + (r - 1.0)) : 0.0;
}

static double foot_parameter(const double r[3], const double z[3], double start)
{
  enum { MOST = 60 };
  double u = start;
  for (int i = 0; i < MOST; ++i) {
    double ww = 0.0, slope = 0.0; // |w|^2 and -(|w|^2)'/2
    for (int k = 0; k < 3; ++k) {
      if (!(z[k] > 0.0)) continue;
      const double w = foot_component(r[k], z[k], u), inverse = 1.0 / (u + (r[k] - 1.0));
      ww += w * w;
      slope += w * w * inverse;
    }
    const double next = u + (sqrt(ww) - 1.0) * ww / slope;
    if (!(fabs(next - u) > 2e-16 * u)) return u;
    u = next;
  }
  return u;
}

void ts_point_ellipsoid_distance(const ts_core *point, const ts_core *ellipsoid, ts_separation *separation)
{
  const ts_vec3 half = ellipsoid->part->half, p = ts_frame_unapply(&ellipsoid->frame, point->frame.origin);
  const double e[3] = {half.x, half.y, half.z}, y[3] = {p.x, p.y, p.z};
  int least = 0;
  for (int k = 1; k < 3; ++k)
    if (e[k] < e[least]) least = k;
  double r[3], z[3], start = 0.0, rest = 0.0;
  for (int k = 0; k < 3; ++k) {
    r[k] = (e[k] / e[least]) * (e[k] / e[least]);
    z[k] = fabs(y[k]) / e[k];
    if (r[k] == 1.0)
      start = sqrt(start * start + z[k] * z[k]);
    else
      rest += (r[k] * z[k] / (r[k] - 1.0)) * (r[k] * z[k] / (r[k] - 1.0));
  }
  double w[3], u = 0.0;
  if (start > 0.0 || rest >= 1.0) {
    // |w| >= 1 at the start by the components along the least axis alone; without any, at 0+ by the others.
    u = foot_parameter(r, z, start);
    for (int k = 0; k < 3; ++k) w[k] = foot_component(r[k], z[k], u);
  } else { // in the middle plane, nearer to the flat sides than to the edge: the foot lies off the plane
    for (int k = 0; k < 3; ++k) w[k] = foot_component(r[k], z[k], 0.0);
    w[least] = sqrt(fmax(0.0, 1.0 - rest));
  }
  // At the foot the normal is along w_i / e_i, and p - x = (u - 1) e^2 x_i / e_i^2.
  const ts_vec3 gradient = {copysign(w[0] / e[0], p.x), copysign(w[1] / e[1], p.y), copysign(w[2] / e[2], p.z)};
  const double length = ts_length(gradient);
  place(point, ellipsoid, (u - 1.0) * e[least] * e[least] * length, ts_scale(1.0 / length, gradient), separation);
}
