// See passing.h.
#include "contact/passing.h"

#include <math.h>

// Of the smaller part's size: closing by less is round-off.
static const double NOISE = 1e-12;

// How fast the touch opens.
static double opening_speed(const ts_mover *a, const ts_mover *b, const ts_touch *touch)
{
  const ts_vec3 of_a = ts_twist_at(a->twist, ts_sub(touch->point_1, a->centre));
  const ts_vec3 of_b = ts_twist_at(b->twist, ts_sub(touch->point_2, b->centre));
  return ts_dot(touch->normal, ts_sub(of_a, of_b));
}

static bool counts(const ts_mover *a, const ts_touch *touch, double closed)
{
  const double size = ts_distance_of(touch->point_1, a->centre) + ts_length(touch->point_1);
  return closed == INFINITY || touch->gap <= closed * size;
}

double ts_passing_gap(const ts_mover *a, const ts_mover *b, const ts_touch *touches, int count,
                      const ts_outlook *outlook, double size)
{
  const double noise = -NOISE * size;
  double least = INFINITY;
  for (int k = 0; k < count; ++k) {
    const double way = outlook->time * opening_speed(a, b, &touches[k]), gap = touches[k].gap + way;
    if (way < noise && gap < noise && gap < least && counts(a, &touches[k], outlook->closed)) least = gap;
  }
  return least;
}

static ts_vec3 way_of(const ts_mover *mover, double time)
{
  return ts_scale(time, ts_twist_at(mover->twist, ts_sub(mover->frame->origin, mover->centre)));
}

ts_frame ts_mover_ahead(const ts_mover *mover, double time)
{
  const ts_mat3 turn = ts_quat_matrix(ts_quat_exp(ts_scale(time, mover->twist.angular)));
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
  const ts_vec3 back_a = way_of(a, -time), back_b = way_of(b, -time);
  for (int k = 0; k < count; ++k) {
    ts_touch *const t = &touches[k];
    t->point_1 = ts_add(t->point_1, back_a);
    t->point_2 = ts_add(t->point_2, back_b);
    t->gap -= time * opening_speed(a, b, t);
    t->point_2 = ts_add_scaled(t->point_1, -t->gap, t->normal);
  }
}
