#include "quadrant.h"

#include "math/vec3.h"

#include <math.h>

typedef struct view {
  ts_separation at; // along a normal
  double slope;     // of the separation, as the normal turns from the first side's to the second's
} view;

// The point of the shape that is furthest along n. With q = p/(p - 1) the support function of a superellipse is
// h(n) = (|a n_1|^q + |b n_2|^q)^(1/q), and the point its gradient.
static ts_vec3 furthest(const ts_shape *shape, ts_vec3 n)
{
  if (shape->kind == TS_SHAPE_DISC) return ts_scale(shape->radius, n);
  const double p = shape->exponents.x, q = p / (p - 1.0), u = shape->size.x * n.x, v = shape->size.y * n.y;
  const double h = pow(pow(fabs(u), q) + pow(fabs(v), q), 1.0 / q);
  return ts_vec3_make(copysign(shape->size.x * pow(fabs(u) / h, q - 1.0), n.x),
                      copysign(shape->size.y * pow(fabs(v) / h, q - 1.0), n.y), 0.0);
}

static view look(const quadrant *from, const ts_shape *shape, const ts_pose *pose, double angle)
{
  const ts_frame frame = ts_pose_frame(pose);
  const ts_vec3 n = ts_add(ts_scale(cos(angle), from->sides[0]), ts_scale(sin(angle), from->sides[1]));
  const ts_vec3 t = ts_add(ts_scale(-sin(angle), from->sides[0]), ts_scale(cos(angle), from->sides[1]));
  const ts_vec3 x = ts_frame_apply(&frame, furthest(shape, ts_mul_transposed(&frame.axes, ts_negate(n))));
  const ts_vec3 apart = ts_sub(x, from->corner);
  const double gap = ts_dot(n, apart);
  return (view){{gap, n, x, ts_add_scaled(x, -gap, n)}, ts_dot(t, apart)};
}

ts_separation quadrant_separation(const quadrant *from, const ts_shape *shape, const ts_pose *pose)
{
  enum { VIEWS = 400, CUTS = 60 };
  const double width = 0.5 * TS_PI / VIEWS;
  ts_separation best = look(from, shape, pose, 0.0).at;
  const ts_separation last = look(from, shape, pose, 0.5 * TS_PI).at;
  if (last.gap > best.gap) best = last;
  for (int i = 0; i < VIEWS; ++i) {
    double low = i * width, high = low + width;
    if (!(look(from, shape, pose, low).slope >= 0.0 && look(from, shape, pose, high).slope <= 0.0)) continue;
    for (int k = 0; k < CUTS; ++k) {
      const double middle = 0.5 * (low + high);
      *(look(from, shape, pose, middle).slope >= 0.0 ? &low : &high) = middle;
    }
    const ts_separation found = look(from, shape, pose, 0.5 * (low + high)).at;
    if (found.gap > best.gap) best = found;
  }
  return best;
}
