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

void ts_place_distance(const ts_core *point, const ts_core *solid, double gap, ts_vec3 normal,
                       ts_separation *separation)
{
  const ts_vec3 n = ts_mul(&solid->frame.axes, normal);
  *separation = (ts_separation){
      .gap = gap, .normal = n, .point_1 = point->frame.origin, .point_2 = ts_add_scaled(point->frame.origin, -gap, n)};
}
