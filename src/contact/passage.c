#include "contact/passage.h"

#include "shape/distance.h"

#include <math.h>

static const double GRAZES = 1e-2;  // of the largest overlap that two parts can have, which is to be passed by
static const double TOUCHES = 1e-4; // of the same: a gap that counts as none

enum { ADVANCES = 100 };

typedef struct passage {
  const ts_way *a, *b;
  double h;
  double depth; // overlap of the parts when one is in the middle of the other, or less
  double speed; // at which they can approach each other at most
  ts_query_fault *fault;
} passage;

static double fastest(const ts_way *way)
{
  const double turning = ts_length(way->twist.angular);
  const double swing = ts_length(way->part->frame.origin) + way->part->convex.reach;
  return ts_length(way->twist.linear) + (turning > 0.0 ? turning * swing : 0.0);
}

ts_frame ts_way_frame(const ts_way *way, double t, double h)
{
  const ts_vec3 w = way->twist.angular;
  const double turning = ts_length(w), half = 0.5 * h * turning;
  const double slower = way->planar || !(half > 0.0) ? 1.0 : atan(half) / half;
  const ts_mat3 turn = ts_quat_matrix(ts_quat_exp(ts_scale(t * slower, w)));
  const ts_frame body = {ts_add_scaled(way->start.origin, t, way->twist.linear),
                         ts_mat3_product(&turn, &way->start.axes)};
  const ts_frame *part = &way->part->frame;
  return (ts_frame){ts_frame_apply(&body, part->origin), ts_mat3_product(&body.axes, &part->axes)};
}

static ts_separation apart_at(const passage *p, double t)
{
  ts_separation s;
  const ts_frame a = ts_way_frame(p->a, t, p->h), b = ts_way_frame(p->b, t, p->h);
  const ts_query_fault fault = ts_convex_distance(&p->a->part->convex, &a, &p->b->part->convex, &b, &s);
  if (*p->fault == TS_QUERY_FINE) *p->fault = fault;
  return s;
}

// Conservative advancement: the parts cannot meet before the gap is used up at the highest speed. Forward from 0 or
// back from h; returns the time at which they touch, or one beyond the step.
static double touching_time(const passage *p, bool forward, ts_separation *s)
{
  double t = forward ? 0.0 : p->h;
  for (int k = 0; k < ADVANCES; ++k) {
    *s = apart_at(p, t);
    if (s->gap <= TOUCHES * p->depth) return t;
    t += (forward ? s->gap : -s->gap) / p->speed;
    if (!(t >= 0.0 && t <= p->h)) return t;
  }
  return t;
}

bool ts_parts_pass(const ts_way *a, const ts_way *b, double h, ts_query_fault *fault)
{
  const double depth = ts_convex_inner_radius(&a->part->convex) + ts_convex_inner_radius(&b->part->convex);
  const passage p = {a, b, h, depth, fastest(a) + fastest(b), fault};
  *fault = TS_QUERY_FINE;
  ts_separation touch = apart_at(&p, 0.0), end;
  const bool overlap = touch.gap < -GRAZES * depth;     // which any motion may undo on the other side
  if (!overlap && !(p.speed * h > depth)) return false; // of a plane too
  const double begins = touching_time(&p, true, &touch);
  if (!(begins <= h)) return false;
  const double ends = touching_time(&p, false, &end);
  const ts_separation last = apart_at(&p, h), middle = apart_at(&p, 0.5 * (begins + fmax(begins, ends)));
  if (fmin(middle.gap, last.gap) > -GRAZES * depth) return false;
  return (begins > 0.0 && ends < h) || ts_dot(touch.normal, last.normal) < 0.0;
}
