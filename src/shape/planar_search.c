// See planar_search.h. In the plane g(n) of core.h is a function of one angle. With x(n) the difference of the support
// points along -n of A and along n of B, g = n.x, and t.x is its slope, t being n turned by a right angle: continuous
// where both outlines are curved, with a jump where one has a straight side.
//
// Between two directions on both sides of an arc less than half a turn, g(n) is no more than the lesser of n.x at
// either end. Where parts overlap, the arc with the greatest such bound is cut until few arcs are left that can have
// the maximum, and in these it is where the slope changes its sign. Where g is above 0 somewhere it has one maximum
// there, because r g(n) is concave as a function of the vector r n: it is beside the best direction that is known.
//
// The root is enclosed to rounding. Points in contact are those of the two ends of the last arc, mixed so that they lie
// across from each other.
//
// A polygon is B. Its sides are arcs without width, at whose ends its support points are those of the side; between two
// sides its support point is the corner, and g is as smooth as A.
#include "shape/planar_search.h"

#include "base/assert.h"

#include <float.h>

enum { MOST_ARCS = 64, MOST_SIDES = 16, FIRST_ARCS = 8, MOST_CUTS = 100 };

// A direction, and what is known of it
typedef struct knot {
  ts_vec3 n, a, b; // support points of both cores
  ts_vec3 x;       // a - b
  double gap;      // g
  double slope;
} knot;

typedef struct arc {
  knot from, to;
  double bound; // of g between them, and a direction in which it is attained
  ts_vec3 most;
} arc;

typedef struct search {
  const ts_core *a, *b;
  double rounding; // what sums of the pair's coordinates may be wrong by
  bool straight;   // outlines have sides that no arc stands for
  arc arcs[MOST_ARCS];
  int count;
  double best; // greatest gap seen
} search;

static ts_vec3 quarter_turn(ts_vec3 n)
{
  return ts_vec3_make(-n.y, n.x, 0.0);
}

static ts_vec3 middle_of(ts_vec3 n, ts_vec3 m)
{
  return ts_normalize(ts_add(n, m), n);
}

static knot make_knot(ts_vec3 n, ts_vec3 a, ts_vec3 b)
{
  const ts_vec3 x = ts_sub(a, b);
  return (knot){n, a, b, x, ts_dot(n, x), ts_dot(quarter_turn(n), x)};
}

// In an arc between two sides B's support point is the same everywhere.
static knot knot_in(const search *s, const arc *on, ts_vec3 n)
{
  const bool corner = !s->straight && on->from.b.x == on->to.b.x && on->from.b.y == on->to.b.y;
  return make_knot(n, ts_core_support(s->a, ts_negate(n)), corner ? on->from.b : ts_core_support(s->b, n));
}

// ---- arcs

static bool is_side(const arc *on)
{
  return on->from.n.x == on->to.n.x && on->from.n.y == on->to.n.y;
}

static void try_direction(arc *on, ts_vec3 n)
{
  const double value = fmin(ts_dot(n, on->from.x), ts_dot(n, on->to.x));
  const bool within = ts_cross(on->from.n, n).z >= 0.0 && ts_cross(n, on->to.n).z >= 0.0;
  if (within && value > on->bound) on->bound = value, on->most = n;
}

// The lesser of two sines over an arc is greatest where one of them is, where they are equal, or at an end.
static void set_bound(arc *on)
{
  const ts_vec3 chord = ts_sub(on->to.x, on->from.x), middle = middle_of(on->from.n, on->to.n);
  on->bound = fmin(ts_dot(on->from.n, on->from.x), ts_dot(on->from.n, on->to.x));
  on->most = on->from.n;
  if (is_side(on)) return;
  try_direction(on, on->to.n);
  try_direction(on, ts_normalize(on->from.x, middle));
  try_direction(on, ts_normalize(on->to.x, middle));
  const ts_vec3 level = ts_normalize(quarter_turn(chord), middle);
  try_direction(on, ts_dot(level, middle) < 0.0 ? ts_negate(level) : level);
}

static bool has_turn(const arc *on)
{
  return on->from.slope >= 0.0 && on->to.slope <= 0.0;
}

// ---- the maximum in an arc

// Where the slope is 0 if it changes linearly, kept away from the ends
static ts_vec3 between(const arc *on, double weight_from, double weight_to)
{
  const double p = weight_from * on->from.slope, q = -weight_to * on->to.slope, sum = p + q;
  const double t = sum > 0.0 ? p / sum : 0.5;
  return ts_normalize(ts_add(ts_scale(1.0 - t, on->from.n), ts_scale(t, on->to.n)), on->from.n);
}

// Regula falsi (with the weight of an end halved that stays for the second time), halving in every third round.
static void enclose(const search *s, arc *on)
{
  const double level = 0.1 * s->rounding; // what a slope may be and still be none
  double weight_from = 1.0, weight_to = 1.0;
  int last = 0;
  for (int i = 0; i < MOST_CUTS && ts_distance_of(on->from.n, on->to.n) > 2.0 * DBL_EPSILON; ++i) {
    const ts_vec3 n = i % 3 == 2 ? middle_of(on->from.n, on->to.n) : between(on, weight_from, weight_to);
    const knot k = knot_in(s, on, n);
    if (fabs(k.slope) <= level) {
      on->from = on->to = k;
      return;
    }
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
static bool is_straight(const search *s, arc *on, knot *k)
{
  set_bound(on);
  *k = knot_in(s, on, on->most);
  return ts_distance_of(on->from.x, on->to.x) > 1e-6 * (s->a->part->reach + s->b->part->reach) &&
         k->gap >= on->bound - s->rounding;
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

static ts_separation maximum_in(const search *s, arc on)
{
  knot k;
  for (int i = 0; s->straight && i < 2; ++i) {
    if (is_straight(s, &on, &k)) return separation_of(&on, k.n);
    if (k.slope >= 0.0) on.from = k; // cut where the bound is, which finds the ends of sides
    if (k.slope <= 0.0) on.to = k;
  }
  enclose(s, &on);
  return separation_of(&on, middle_of(on.from.n, on.to.n));
}

// ---- the search

static void add_arc(search *s, const knot *from, const knot *to)
{
  s->arcs[s->count++] = (arc){.from = *from, .to = *to};
  s->best = fmax(s->best, from->gap);
}

// Directions all around, none along an axis, where sides of boxes are
static void begin_around(search *s)
{
  knot first, last;
  for (int i = 0; i < FIRST_ARCS; ++i) {
    const double angle = 2.0 * TS_PI * (i + 0.3) / FIRST_ARCS;
    const ts_vec3 n = {cos(angle), sin(angle), 0.0};
    const knot k = make_knot(n, ts_core_support(s->a, ts_negate(n)), ts_core_support(s->b, n));
    if (i == 0)
      first = k;
    else
      add_arc(s, &last, &k);
    last = k;
  }
  add_arc(s, &last, &first);
}

// A side of a polygon: its normal, where it begins, and A's support point over it
typedef struct side {
  ts_vec3 n, start, a;
  double gap;
} side;

static knot knot_at(const side *at, ts_vec3 corner)
{
  knot k = make_knot(at->n, at->a, corner);
  k.gap = at->gap; // the same of both ends, but for rounding
  return k;
}

static void add_side(search *s, const side *own, const side *next)
{
  const knot from = knot_at(own, own->start), to = knot_at(own, next->start);
  add_arc(s, &from, &to);
}

static void add_corner(search *s, const side *own, const side *next)
{
  const knot from = knot_at(own, next->start), to = knot_at(next, next->start);
  add_arc(s, &from, &to);
}

// The sides of a polygon and the corners between them, or where it is apart from A those about its best side. Side f
// begins at vertex f.
static void begin_at_sides(search *s)
{
  const ts_hull *const hull = s->b->part->hull;
  const ts_frame *const frame = &s->b->frame;
  const int count = hull->face_count;
  side sides[MOST_SIDES];
  int best = 0;
  for (int f = 0; f < count; ++f) {
    side *own = &sides[f];
    own->n = ts_mul(&frame->axes, hull->normals[f]);
    own->start = ts_frame_apply(frame, hull->vertices[f]);
    own->a = ts_core_support(s->a, ts_negate(own->n));
    own->gap = ts_dot(own->n, ts_sub(own->a, own->start));
    if (own->gap > s->best) s->best = own->gap, best = f;
  }
  const bool apart = s->best > 0.0;
  const int first = apart ? best : 0, end = apart ? best + 1 : count;
  if (apart) add_corner(s, &sides[(best + count - 1) % count], &sides[best]);
  for (int f = first; f < end; ++f) {
    add_side(s, &sides[f], &sides[(f + 1) % count]);
    add_corner(s, &sides[f], &sides[(f + 1) % count]);
  }
}

// Cut the arc of greatest bound; false when none is left that is worth it.
static bool cut(search *s, double accuracy)
{
  int widest = -1;
  double most = s->best + accuracy;
  for (int i = 0; i < s->count; ++i)
    if (s->arcs[i].bound > most) most = s->arcs[i].bound, widest = i;
  if (widest < 0 || s->count == MOST_ARCS) return false;
  arc *on = &s->arcs[widest];
  const bool at_end = ts_distance_of(on->most, on->from.n) < 1e-3 || ts_distance_of(on->most, on->to.n) < 1e-3;
  const knot k = knot_in(s, on, at_end ? middle_of(on->from.n, on->to.n) : on->most);
  const knot to = on->to;
  on->to = k;
  set_bound(on);
  add_arc(s, &k, &to);
  set_bound(&s->arcs[s->count - 1]);
  return true;
}

// The arc from the best knot into which its slope leads up. At its other end g is no greater, so that the slope changes
// its sign on the way there, if perhaps more than once.
static arc beside_best(const search *s)
{
  int best = -1;
  bool ahead = true;
  for (int i = 0; i < s->count && !(best >= 0 && has_turn(&s->arcs[best])); ++i) {
    const arc *on = &s->arcs[i];
    const bool up = on->from.gap == s->best && on->from.slope >= 0.0,
               down = on->to.gap == s->best && on->to.slope <= 0.0;
    if ((up || down) && (has_turn(on) || !is_side(on))) best = i, ahead = up;
  }
  TS_ASSERT(best >= 0);
  arc on = s->arcs[best];
  knot *here = ahead ? &on.from : &on.to, *there = ahead ? &on.to : &on.from;
  for (int i = 0; i < MOST_CUTS && here->slope * there->slope > 0.0; ++i) {
    const knot middle = knot_in(s, &on, middle_of(here->n, there->n));
    *(middle.gap >= here->gap && middle.slope * here->slope > 0.0 ? here : there) = middle;
  }
  return on;
}

static void keep_better(const search *s, const arc *on, ts_separation *best)
{
  const ts_separation found = maximum_in(s, *on);
  if (found.gap > best->gap + s->rounding) *best = found;
}

static void search_overlap(search *s, double accuracy, ts_separation *separation)
{
  for (int i = 0; i < s->count; ++i) set_bound(&s->arcs[i]);
  while (s->best <= 0.0 && cut(s, accuracy)) continue;
  for (int i = 0; s->best <= 0.0 && i < s->count; ++i)
    if (has_turn(&s->arcs[i]) && s->arcs[i].bound >= s->best) keep_better(s, &s->arcs[i], separation);
}

static void find_distance(const ts_core *a, const ts_core *b, ts_separation *separation)
{
  const double extent = a->part->reach + b->part->reach + ts_length(ts_sub(a->frame.origin, b->frame.origin));
  const bool sides = b->kind == TS_CORE_HULL && b->part->hull->face_count <= MOST_SIDES;
  search s;
  s.a = a;
  s.b = b;
  s.rounding = 4e-15 * extent;
  s.straight = a->part->meet || b->part->meet || (b->kind == TS_CORE_HULL && !sides);
  s.count = 0;
  s.best = -INFINITY;
  (sides ? begin_at_sides : begin_around)(&s);
  separation->gap = -INFINITY;
  if (s.best <= 0.0) search_overlap(&s, 1e-3 * fmin(ts_core_thickness(a) + ts_core_thickness(b), extent), separation);
  if (s.best > separation->gap) {
    const arc on = beside_best(&s);
    keep_better(&s, &on, separation);
  }
}

void ts_planar_search_distance(const ts_core *a, const ts_core *b, ts_separation *separation)
{
  if (a->kind != TS_CORE_HULL) {
    find_distance(a, b, separation);
  } else {
    find_distance(b, a, separation);
    ts_separation_flip(separation);
  }
}
