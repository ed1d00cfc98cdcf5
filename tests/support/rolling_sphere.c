#include "rolling_sphere.h"

#include <math.h>

ts_friction sphere_problem(const sphere *s, double phi, double *q)
{
  static const int one_start[] = {0, 1}, one_index[] = {0};
  static const double W[] = {1, 0, 0, 0, 3.5, 0, 0, 0, 3.5};
  const double ux = s->vx - s->wy, uy = s->vy + s->wx;
  q[0] = -gravity * step_size;
  q[1] = cos(phi) * ux + sin(phi) * uy;
  q[2] = -sin(phi) * ux + cos(phi) * uy;
  return (ts_friction){.dimension = 3, .contacts = 1, .W = {1, 3, one_start, one_index, W}, .q = q, .mu = &friction};
}

void sphere_advance(sphere *s, double phi, const double *r)
{
  const double px = cos(phi) * r[1] - sin(phi) * r[2], py = sin(phi) * r[1] + cos(phi) * r[2];
  s->vx += px;
  s->vy += py;
  s->wx += 2.5 * py;
  s->wy -= 2.5 * px;
  s->x += step_size * s->vx;
  s->y += step_size * s->vy;
}
