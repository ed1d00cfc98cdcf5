// See passing.h.
#include "contact/passing.h"

#include <math.h>

// Of the smaller part's size: closing by less is round-off.
static const double NOISE = 1e-12;

// How fast touches with one normal open, n.(v_a - v_b): `middle` at a's centre, and x.slope more at x from there.
// (Points of a touch differ along n, which makes no difference.)
typedef struct opening {
  double middle;
  ts_vec3 slope, centre;
} opening;

static opening opening_along(const ts_mover *a, const ts_mover *b, ts_vec3 n)
{
  const ts_vec3 v_b = ts_twist_at(*b->twist, ts_sub(*a->centre, *b->centre));
  return (opening){.middle = ts_dot(n, ts_sub(a->twist->linear, v_b)),
                   .slope = ts_cross(n, ts_sub(a->twist->angular, b->twist->angular)),
                   .centre = *a->centre};
}

static double opening_speed(const opening *o, ts_vec3 point)
{
  return o->middle + ts_dot(o->slope, ts_sub(point, o->centre));
}

static bool counts(const ts_mover *a, const ts_touch *touch, double closed)
{
  const double size = ts_distance_of(touch->point_1, *a->centre) + ts_length(touch->point_1);
  return closed == INFINITY || touch->gap <= closed * size;
}

double ts_passing_gap(const ts_mover *a, const ts_mover *b, const ts_touch *touches, int count,
                      const ts_outlook *outlook, double size)
{
  const double noise = -NOISE * size;
  const opening opens = opening_along(a, b, touches[0].normal);
  double least = INFINITY;
  for (int k = 0; k < count; ++k) {
    const double way = outlook->time * opening_speed(&opens, touches[k].point_1), gap = touches[k].gap + way;
    if (way < noise && gap < noise && gap < least && counts(a, &touches[k], outlook->closed)) least = gap;
  }
  return least;
}

static ts_vec3 way_of(const ts_mover *mover, double time)
{
  return ts_scale(time, ts_twist_at(*mover->twist, ts_sub(mover->frame->origin, *mover->centre)));
}

ts_frame ts_mover_ahead(const ts_mover *mover, double time)
{
  const ts_mat3 turn = ts_quat_matrix(ts_quat_exp(ts_scale(time, mover->twist->angular)));
  return (ts_frame){ts_add(mover->frame->origin, way_of(mover, time)), ts_mat3_product(&turn, &mover->frame->axes)};
}

static double least_gap(const ts_touch *touches, int count)
{
  double least = INFINITY;
  for (int k = 0; k < count; ++k) least = fmin(least, touches[k].gap);
  return least;
}

bool ts_passing_is_free(const ts_mover *a, const ts_mover *b, const ts_touch *ahead, int count, double gap,
                        bool covered, double size)
{
  if (count == 0) return false;
  if (!covered && least_gap(ahead, count) < 0.5 * gap) return false;
  return ts_convex_separation_along(a->convex, a->frame, b->convex, b->frame, ahead[0].normal) >= -TS_FLUSH * size;
}

void ts_passing_take_back(const ts_mover *a, const ts_mover *b, double time, ts_touch *touches, int count)
{
  const ts_vec3 back = way_of(a, -time);
  const opening opens = opening_along(a, b, touches[0].normal);
  for (int k = 0; k < count; ++k) {
    ts_touch *const t = &touches[k];
    t->point_1 = ts_add(t->point_1, back);
    t->gap -= time * opening_speed(&opens, t->point_1);
    t->point_2 = ts_add_scaled(t->point_1, -t->gap, t->normal);
  }
}
