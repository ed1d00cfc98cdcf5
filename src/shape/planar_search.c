// See planar_search.h. In the plane g(n) of core.h is a function of one angle. With x(n) the difference of the support
// points along -n of A and along n of B, g = n.x, and t.x is its slope, t being n turned by a right angle: continuous
// where both outlines are curved, with a jump where one has a straight side.
//
// Between two directions on both sides of an arc less than half a turn, g(n) is no more than the lesser of n.x at
// either end. The arc with the greatest such bound is cut until few arcs are left that can have the maximum, and in
// these it is where the slope changes its sign: the root is enclosed to rounding. Points in contact are those of the
// two ends of the last arc, mixed so that they lie across from each other.
#include "shape/planar_search.h"

#include <float.h>

enum { MOST_KNOTS = 48, FIRST_KNOTS = 8, MOST_CUTS = 100 };

// A direction, and what is known of it
typedef struct knot {
  ts_vec3 n, a, b; // support points of both cores
  ts_vec3 x;       // a - b
  double slope;
} knot;

typedef struct pair {
  const ts_core *a, *b;
  double rounding; // what sums of the pair's coordinates may be wrong by
} pair;

static ts_vec3 quarter_turn(ts_vec3 n)
{
  return ts_vec3_make(-n.y, n.x, 0.0);
}

static knot knot_at(const pair *of, ts_vec3 n)
{
  knot k = {.n = n, .a = ts_core_support(of->a, ts_negate(n)), .b = ts_core_support(of->b, n)};
  k.x = ts_sub(k.a, k.b);
  k.slope = ts_dot(quarter_turn(n), k.x);
  return k;
}

static double gap_of(const knot *k)
{
  return ts_dot(k->n, k->x);
}

// ---- arcs

// The bound of an arc, and a direction in which it is attained
typedef struct bound {
  double value;
  ts_vec3 n;
} bound;

static bool is_within(const knot *from, const knot *to, ts_vec3 n)
{
  return ts_cross(from->n, n).z >= 0.0 && ts_cross(n, to->n).z >= 0.0;
}

static void try_direction(const knot *from, const knot *to, ts_vec3 n, bound *best)
{
  const double value = fmin(ts_dot(n, from->x), ts_dot(n, to->x));
  if (is_within(from, to, n) && value > best->value) *best = (bound){value, n};
}

// The lesser of two sines over an arc is greatest where one of them is, where they are equal, or at an end.
static bound bound_of(const knot *from, const knot *to)
{
  const ts_vec3 chord = ts_sub(to->x, from->x), middle = ts_normalize(ts_add(from->n, to->n), from->n);
  bound best = {fmin(ts_dot(from->n, from->x), ts_dot(from->n, to->x)), from->n};
  try_direction(from, to, to->n, &best);
  try_direction(from, to, ts_normalize(from->x, middle), &best);
  try_direction(from, to, ts_normalize(to->x, middle), &best);
  const ts_vec3 level = ts_normalize(quarter_turn(chord), middle);
  try_direction(from, to, ts_dot(level, middle) < 0.0 ? ts_negate(level) : level, &best);
  return best;
}

// ---- the maximum in an arc

typedef struct arc {
  knot from, to; // slopes: not negative, not positive
} arc;

// Where the slope is 0 if it changes linearly, kept away from the ends
static ts_vec3 between(const arc *on, double weight_from, double weight_to)
{
  const double p = weight_from * on->from.slope, q = -weight_to * on->to.slope, sum = p + q;
  const double t = sum > 0.0 ? p / sum : 0.5;
  return ts_normalize(ts_add(ts_scale(1.0 - t, on->from.n), ts_scale(t, on->to.n)), on->from.n);
}

// Regula falsi (with the weight of an end halved that stays for the second time), halving in every third round.
static void enclose(const pair *of, arc *on)
{
  double weight_from = 1.0, weight_to = 1.0;
  int last = 0;
  for (int i = 0; i < MOST_CUTS && ts_distance_of(on->from.n, on->to.n) > 2.0 * DBL_EPSILON; ++i) {
    const ts_vec3 n =
        i % 3 == 2 ? ts_normalize(ts_add(on->from.n, on->to.n), on->from.n) : between(on, weight_from, weight_to);
    const knot k = knot_at(of, n);
    if (k.slope >= 0.0) {
      on->from = k;
      weight_from = 1.0;
      weight_to = last > 0 ? 0.5 * weight_to : 1.0;
      last = 1;
    }
    if (k.slope <= 0.0) {
      on->to = k;
      weight_to = 1.0;
      weight_from = last < 0 ? 0.5 * weight_from : 1.0;
      last = -1;
    }
  }
}

// Straight sides: the direction in which both ends of an arc are at the same height has nothing beyond them.
static bool is_straight(const pair *of, const arc *on, ts_vec3 *n)
{
  const bound most = bound_of(&on->from, &on->to);
  const knot k = knot_at(of, most.n);
  *n = most.n;
  return ts_distance_of(on->from.x, on->to.x) > 1e-6 * (of->a->part->reach + of->b->part->reach) &&
         gap_of(&k) >= most.value - of->rounding;
}

// Of the normal n, between the ends of an arc
static ts_separation separation_of(const arc *on, ts_vec3 n)
{
  const ts_vec3 t = quarter_turn(n);
  const double p = ts_dot(t, on->from.x), q = ts_dot(t, on->to.x), share = p - q != 0.0 ? p / (p - q) : 0.5;
  const double mix = fmax(0.0, fmin(1.0, share));
  const double gap = fmin(ts_dot(n, on->from.x), ts_dot(n, on->to.x));
  const ts_vec3 b = ts_add(ts_scale(1.0 - mix, on->from.b), ts_scale(mix, on->to.b));
  return (ts_separation){.gap = gap, .normal = n, .point_1 = ts_add_scaled(b, gap, n), .point_2 = b};
}

static ts_separation maximum_in(const pair *of, arc on)
{
  ts_vec3 n;
  for (int i = 0; i < 2; ++i) {
    if (is_straight(of, &on, &n)) return separation_of(&on, n);
    const knot k = knot_at(of, n); // cut where the bound is, which finds the ends of sides
    if (k.slope >= 0.0) on.from = k;
    if (k.slope <= 0.0) on.to = k;
  }
  enclose(of, &on);
  const ts_vec3 middle = ts_normalize(ts_add(on.from.n, on.to.n), on.from.n);
  return separation_of(&on, middle);
}

// ---- the search

typedef struct search {
  pair of;
  knot knots[MOST_KNOTS]; // in their order around
  int count;
  double best; // greatest gap seen
} search;

static int next_of(const search *s, int i)
{
  return i + 1 < s->count ? i + 1 : 0;
}

static void insert(search *s, int after, const knot *k)
{
  for (int i = s->count; i > after + 1; --i) s->knots[i] = s->knots[i - 1];
  s->knots[after + 1] = *k;
  ++s->count;
  s->best = fmax(s->best, gap_of(k));
}

// Cut the arc of greatest bound; false when none is left that is worth it.
static bool cut(search *s, double accuracy)
{
  int widest = -1;
  bound most = {s->best + accuracy, {0.0, 0.0, 0.0}};
  for (int i = 0; i < s->count; ++i) {
    const bound b = bound_of(&s->knots[i], &s->knots[next_of(s, i)]);
    if (b.value > most.value) most = b, widest = i;
  }
  if (widest < 0 || s->count == MOST_KNOTS) return false;
  const knot *from = &s->knots[widest], *to = &s->knots[next_of(s, widest)];
  ts_vec3 n = most.n;
  if (ts_distance_of(n, from->n) < 1e-3 || ts_distance_of(n, to->n) < 1e-3)
    n = ts_normalize(ts_add(from->n, to->n), from->n);
  const knot k = knot_at(&s->of, n);
  insert(s, widest, &k);
  return true;
}

// The arc beside the best knot in which its slope leads to a maximum. At its other end g is no greater, so that the
// slope changes its sign on the way there, if perhaps more than once.
static arc beside_best(const search *s)
{
  int best = 0;
  for (int i = 1; i < s->count; ++i)
    if (gap_of(&s->knots[i]) > gap_of(&s->knots[best])) best = i;
  const bool ahead = s->knots[best].slope >= 0.0;
  knot here = s->knots[best], there = s->knots[ahead ? next_of(s, best) : best > 0 ? best - 1 : s->count - 1];
  for (int i = 0; i < MOST_CUTS && here.slope * there.slope > 0.0; ++i) {
    const knot middle = knot_at(&s->of, ts_normalize(ts_add(here.n, there.n), here.n));
    if (gap_of(&middle) >= gap_of(&here) && middle.slope * here.slope > 0.0)
      here = middle;
    else
      there = middle;
  }
  return ahead ? (arc){here, there} : (arc){there, here};
}

static void keep_better(const pair *of, const arc *on, ts_separation *best)
{
  const ts_separation found = maximum_in(of, *on);
  if (found.gap > best->gap + of->rounding) *best = found;
}

void ts_planar_search_distance(const ts_core *a, const ts_core *b, ts_separation *separation)
{
  const double extent = a->part->reach + b->part->reach + ts_length(ts_sub(a->frame.origin, b->frame.origin));
  search s = {.of = {a, b, 4e-15 * extent}, .best = -INFINITY};
  for (int i = 0; i < FIRST_KNOTS; ++i) { // none along an axis, where sides of boxes are
    const double angle = 2.0 * TS_PI * (i + 0.3) / FIRST_KNOTS;
    const knot k = knot_at(&s.of, ts_vec3_make(cos(angle), sin(angle), 0.0));
    insert(&s, s.count - 1, &k);
  }
  while (cut(&s, 1e-3 * fmin(ts_core_thickness(a) + ts_core_thickness(b), extent))) continue;
  separation->gap = -INFINITY;
  for (int i = 0; i < s.count; ++i) {
    const arc on = {s.knots[i], s.knots[next_of(&s, i)]};
    if (!(on.from.slope >= 0.0 && on.to.slope <= 0.0) || bound_of(&on.from, &on.to).value < s.best) continue;
    keep_better(&s.of, &on, separation);
  }
  if (s.best > separation->gap) {
    const arc on = beside_best(&s);
    keep_better(&s.of, &on, separation);
  }
}
