#include "shape/intersection_part.h"

#include "shape/convex_program.h"
#include "shape/implicit.h"

#include <float.h>

const ts_intersection_member *ts_intersection_member_at(const ts_intersection *meet, int i)
{
  int m = meet->member_count - 1;
  while (meet->members[m].first > i) --m;
  return &meet->members[m];
}

double ts_intersection_value(const ts_convex *part, int i, ts_vec3 x, ts_vec3 *gradient, ts_mat3 *hessian)
{
  const ts_intersection_member *m = ts_intersection_member_at(part->meet, i);
  const double f = ts_implicit_value(m->part, i - m->first, ts_frame_unapply(&m->frame, x), gradient, hessian);
  if (gradient) *gradient = ts_mul(&m->frame.axes, *gradient);
  if (hessian) *hessian = ts_mat3_rotate(&m->frame.axes, hessian);
  return f;
}

static bool holds_all(const ts_convex *part, ts_vec3 x, const ts_intersection_member *but)
{
  for (int i = 0; i < part->meet->function_count; ++i)
    if (ts_intersection_member_at(part->meet, i) != but && ts_intersection_value(part, i, x, NULL, NULL) > 0.0)
      return false;
  return true;
}

// A member's own point where the others hold it, which needs no search.
static bool point_of_member(const ts_convex *part, ts_vec3 d, ts_vec3 *x)
{
  for (int k = 0; k < part->meet->member_count; ++k) {
    const ts_intersection_member *m = &part->meet->members[k];
    if (!isfinite(m->part->reach)) continue;
    *x = ts_frame_apply(&m->frame, ts_convex_support(m->part, ts_mul_transposed(&m->frame.axes, d)));
    if (holds_all(part, *x, m)) return true;
  }
  return false;
}

ts_vec3 ts_intersection_support(const ts_convex *part, ts_vec3 direction)
{
  const ts_vec3 d = {direction.x, direction.y, part->planar ? 0.0 : direction.z};
  const double length = ts_length(d);
  ts_vec3 x;
  if (!(length > 0.0)) return part->middle;
  if (point_of_member(part, d, &x)) return x;
  return ts_program_furthest(part, ts_scale(1.0 / length, d), part->middle, part->meet->size).x;
}

double ts_intersection_outside(const ts_convex *part, ts_vec3 point)
{
  double most = -INFINITY;
  for (int i = 0; i < part->meet->function_count; ++i) {
    ts_vec3 gradient;
    const double f = ts_intersection_value(part, i, point, &gradient, NULL);
    most = fmax(most, f / fmax(ts_length(gradient), DBL_MIN));
  }
  return most;
}

// Along a ray from inside a function is convex and rises through 0 once: Newton's method from beyond never overshoots.
static double exit_of(const ts_convex *part, int i, ts_vec3 from, ts_vec3 direction, double far)
{
  enum { MOST = 200 };
  double t = far;
  for (int k = 0; k < MOST; ++k) {
    ts_vec3 gradient;
    const double f = ts_intersection_value(part, i, ts_add_scaled(from, t, direction), &gradient, NULL);
    if (k == 0 && !(f > 0.0)) return INFINITY;
    const double next = t - f / ts_dot(gradient, direction);
    if (!(next < t)) return t;
    t = next;
  }
  return t;
}

double ts_intersection_exit(const ts_convex *part, ts_vec3 from, ts_vec3 direction, int skipped, int *function)
{
  double nearest = 4.0 * part->meet->size; // nothing of it is so far away
  int which = -1;
  for (int i = 0; i < part->meet->function_count; ++i) {
    const double t = i == skipped ? INFINITY : exit_of(part, i, from, direction, nearest);
    if (t < nearest) nearest = t, which = i;
  }
  if (function) *function = which;
  return nearest;
}
