// Climbing g(n) of core.h to its maximum.
//
// From a unit vector n, move A away along n until the cores are apart, and
// measure that distance by GJK. Its normal n' has g(n') >= g(n): with the shift
// s, n' maximizes g(m) + s m.n, and m.n <= 1. Apart, the problem is convex, so
// this climbs without fail, however deep the overlap and whether or not the
// cores touch. The nearest points say which features meet, and between given
// features the best normal is found to rounding (feature.h). The end is
// certified: points of both cores that lie g(n) apart along n prove that n
// cannot climb.
//
// Overlapping cores have several maxima, so the climb starts from all
// directions that an expanding polytope leaves open.
#include "shape/ascent.h"

#include "shape/closed_form.h"
#include "shape/epa.h"
#include "shape/feature.h"

// Lengths of the pair.
typedef struct scales {
  double thickness; // of the thinner core that has any
  double rounding;  // a witness may lie that far outside: what sums of the
                    // pair's coordinates may be wrong by, and more
} scales;

static scales scales_of(const ts_core *a, const ts_core *b)
{
  const double ta = ts_core_thickness(a), tb = ts_core_thickness(b);
  const double thickness = ta > 0.0 && tb > 0.0 ? fmin(ta, tb) : fmax(ta, tb);
  const double apart = ts_length(ts_sub(ts_core_middle(a), ts_core_middle(b)));
  return (scales){thickness, 1e-13 * (a->part->reach + b->part->reach + apart)};
}

static void set_points(ts_vec3 point_2, ts_separation *s)
{
  s->point_2 = point_2;
  s->point_1 = ts_add_scaled(point_2, s->gap, s->normal);
}

static double defect_of(const ts_core *a, const ts_core *b, const ts_separation *s)
{
  return fmax(ts_core_outside(a, s->point_1), ts_core_outside(b, s->point_2));
}

// Keep the points of the two that lie less far outside.
static void keep_better(const ts_core *a, const ts_core *b, ts_vec3 point_2, ts_separation *s, double *defect)
{
  ts_separation trial = *s;
  set_points(point_2, &trial);
  const double trial_defect = defect_of(a, b, &trial);
  if (trial_defect < *defect) *s = trial, *defect = trial_defect;
}

// Moved apart along n, the cores' nearest points are common to the faces or
// lines that touch: the one on B.
static ts_vec3 common_point(const ts_core *a, const ts_core *b, double clearance, const ts_separation *s)
{
  const ts_difference moved = {a, b, ts_scale(clearance - s->gap, s->normal), 0.0};
  ts_gjk gjk;
  ts_vec3 on_a, on_b;
  ts_gjk_run(&moved, s->normal, 1e-14 * clearance, &gjk);
  ts_gjk_witnesses(&gjk, &on_a, &on_b);
  return on_b;
}

static ts_vec3 onto_plane(ts_vec3 point, ts_vec3 of_plane, ts_vec3 n)
{
  return ts_add_scaled(point, ts_dot(n, ts_sub(of_plane, point)), n);
}

// The nearest points of two lines that touch crosswise: on B.
static bool crossing_point(const ts_feature *a, const ts_feature *b, ts_vec3 n, ts_vec3 *on_b)
{
  double s, t;
  if (a->kind != TS_FEATURE_LINE || b->kind != TS_FEATURE_LINE) return false;
  const ts_feature_axis u = ts_feature_axis_of(a, ts_negate(n)), v = ts_feature_axis_of(b, n);
  if (!ts_nearest_on_lines(u.point, u.direction, v.point, v.direction, &s, &t)) return false;
  *on_b = ts_add_scaled(ts_add_scaled(v.point, t, v.direction), v.radius, n);
  return true;
}

// Points of the separation along s->normal: of the features where they can be
// touched in one point only, else one that the cores have in common. `near_b`
// (or NULL) is a guess for the one on B. All are put into B's supporting plane.
static double find_witnesses(const ts_core *a, const ts_core *b, const ts_feature *fa, const ts_feature *fb,
                             const ts_vec3 *near_b, const scales *scale, ts_separation *s)
{
  const ts_vec3 n = s->normal;
  const bool one_a = ts_feature_has_one_point(fa), one_b = ts_feature_has_one_point(fb);
  ts_vec3 support_a, support_b, crossing;
  double defect = INFINITY;
  s->gap = ts_core_gap_along(a, b, n, &support_a, &support_b);
  const ts_vec3 touched_a = one_a ? ts_feature_point(fa, ts_negate(n)) : support_a;
  const ts_vec3 touched_b = one_b ? ts_feature_point(fb, n) : support_b;
  if (crossing_point(fa, fb, n, &crossing)) keep_better(a, b, onto_plane(crossing, support_b, n), s, &defect);
  if (defect > scale->rounding) keep_better(a, b, onto_plane(touched_b, support_b, n), s, &defect);
  if (defect > scale->rounding) keep_better(a, b, onto_plane(touched_a, support_b, n), s, &defect);
  if (defect > scale->rounding && near_b) keep_better(a, b, onto_plane(*near_b, support_b, n), s, &defect);
  if (defect > scale->rounding && !(one_a && one_b))
    keep_better(a, b, onto_plane(common_point(a, b, 0.25 * scale->thickness, s), support_b, n), s, &defect);
  return defect;
}

double ts_ascent_witnesses(const ts_core *a, const ts_core *b, ts_vec3 n, const ts_vec3 lines[2],
                           ts_separation *separation)
{
  const scales scale = scales_of(a, b);
  ts_feature fa = {.kind = TS_FEATURE_FLAT}, fb = fa;
  if (lines) {
    fa = ts_feature_line(a, ts_core_support(a, ts_negate(n)), lines[0], 0.0, 0.0, 1.0);
    fb = ts_feature_line(b, ts_core_support(b, n), lines[1], 0.0, 0.0, 1.0);
  }
  separation->normal = n;
  return find_witnesses(a, b, &fa, &fb, NULL, &scale, separation);
}

// A flat feature gives the normal; the other one has no say in it.
static bool both_hold(const ts_feature *a, const ts_feature *b, ts_vec3 n)
{
  if (a->kind == TS_FEATURE_FLAT || b->kind == TS_FEATURE_FLAT) return true;
  return ts_feature_holds(a, ts_negate(n)) && ts_feature_holds(b, n);
}

// On the way from a normal for which the features hold to one for which they do
// not: just beyond where that ends.
static ts_vec3 where_they_cease(const ts_feature *a, const ts_feature *b, ts_vec3 held, ts_vec3 ceased)
{
  enum { MOST_HALVINGS = 48 };
  for (int i = 0; i < MOST_HALVINGS; ++i) {
    const ts_vec3 middle = ts_normalize(ts_add(held, ceased), held);
    if (both_hold(a, b, middle))
      held = middle;
    else
      ceased = middle;
  }
  return ceased;
}

// From nearest points (of cores moved apart, perhaps) to the best normal
// between the features they lie on, and on to neighbouring features while that
// leads beyond them.
static double refine(const ts_core *a, const ts_core *b, const ts_gjk *gjk, const scales *scale, ts_separation *s)
{
  enum { MOST_RAISES = 4 };
  ts_vec3 on_a, on_b;
  ts_gjk_witnesses(gjk, &on_a, &on_b);
  ts_vec3 n = ts_scale(1.0 / gjk->distance, gjk->nearest);
  ts_feature fa = ts_feature_at(a, on_a, ts_negate(n)), fb = ts_feature_at(b, on_b, n);
  ts_vec3 best = ts_feature_normal(&fa, &fb, n);
  for (int i = 0; i < MOST_RAISES && !both_hold(&fa, &fb, best); ++i) {
    n = where_they_cease(&fa, &fb, n, best);
    if (!ts_feature_holds(&fa, ts_negate(n))) fa = ts_feature_raised(&fa, ts_negate(n));
    if (!ts_feature_holds(&fb, n)) fb = ts_feature_raised(&fb, n);
    best = ts_feature_normal(&fa, &fb, n);
  }
  s->normal = best;
  return find_witnesses(a, b, &fa, &fb, &on_b, scale, s);
}

// Climb from n to a local maximum; the best separation seen is kept.
static void climb(const ts_core *a, const ts_core *b, ts_vec3 n, const scales *scale, ts_separation *best)
{
  enum { MOST_CLIMBS = 16 };
  double accuracy = 1e-6, clearance = 0.25 * scale->thickness;
  double gap = ts_core_gap_along(a, b, n, NULL, NULL), best_defect = INFINITY;
  best->gap = -INFINITY;
  for (int i = 0; i < MOST_CLIMBS; ++i) {
    const ts_difference moved = {a, b, ts_scale(fmax(0.0, clearance - gap), n), 0.0};
    ts_gjk gjk;
    ts_gjk_run(&moved, n, accuracy * clearance, &gjk);
    if (gjk.overlap) break; // rounding: the clearance is nothing beside the cores' coordinates
    ts_separation trial;
    const double defect = refine(a, b, &gjk, scale, &trial);
    if (trial.gap > best->gap || (defect < best_defect && trial.gap > best->gap - scale->rounding))
      *best = trial, best_defect = defect;
    const ts_vec3 along = ts_scale(1.0 / gjk.distance, gjk.nearest);
    const double along_gap = ts_core_gap_along(a, b, along, NULL, NULL);
    if (along_gap > gap) gap = along_gap, n = along;
    if (trial.gap > gap - scale->rounding && defect <= scale->rounding) return;
    if (trial.gap > gap) gap = trial.gap, n = trial.normal;
    accuracy = fmax(1e-3 * accuracy, 1e-14);
    clearance *= 0.25; // the smaller the shift, the further a climb leads
  }
  if (gap > best->gap) ts_ascent_witnesses(a, b, n, NULL, best);
}

void ts_ascent_from(const ts_core *a, const ts_core *b, ts_vec3 n, ts_separation *separation)
{
  const scales scale = scales_of(a, b);
  climb(a, b, n, &scale, separation);
}

static void keep_greater(const ts_core *a, const ts_core *b, ts_vec3 n, const scales *scale, ts_separation *best)
{
  ts_separation trial;
  climb(a, b, n, scale, &trial);
  if (trial.gap > best->gap + scale->rounding) *best = trial;
}

static void climb_both_ways(const ts_core *a, const ts_core *b, ts_vec3 n, const scales *scale, ts_separation *best)
{
  keep_greater(a, b, n, scale, best);
  keep_greater(a, b, ts_negate(n), scale, best);
}

// Where no polytope can be grown: from all axes of the cores, and from between
// them, for of cores about one axis a climb along another may end on a saddle.
static void climb_from_axes(const ts_core *a, const ts_core *b, const scales *scale, ts_separation *best)
{
  const ts_mat3 *A = &a->frame.axes, *B = &b->frame.axes;
  const ts_vec3 axes[6] = {A->x, A->y, A->z, B->x, B->y, B->z};
  for (int i = 0; i < 6; ++i) climb_both_ways(a, b, axes[i], scale, best);
  for (int i = 0; i < 6; ++i) {
    const ts_vec3 axis = axes[i], next = axes[i % 3 < 2 ? i + 1 : i - 2];
    climb_both_ways(a, b, ts_normalize(ts_add(axis, next), axis), scale, best);
    climb_both_ways(a, b, ts_normalize(ts_sub(axis, next), axis), scale, best);
  }
}

static bool has_many_corners(const ts_core *core)
{
  enum { MANY = 16 };
  return core->kind == TS_CORE_HULL && core->part->hull->vertex_count > MANY;
}

// How far the expanding polytope's difference is inflated, in thicknesses; its
// bounds come as close as a fifth of that. The maxima of smooth shapes and of
// few faces are far apart. The more faces, the closer, and to be climbed each
// they have to be told apart; that is cheap for two polytopes, whose difference
// has flat faces.
static double inflation_share(const ts_core *a, const ts_core *b)
{
  if (a->kind == TS_CORE_HULL && b->kind == TS_CORE_HULL) return 1e-5;
  return has_many_corners(a) || has_many_corners(b) ? 1e-3 : 0.05;
}

// The greatest of the maxima that are reached from the expanding polytope's
// open directions.
void ts_ascent_overlap(const ts_core *a, const ts_core *b, ts_separation *best)
{
  const scales scale = scales_of(a, b);
  // Inflated, the difference contains the origin well inside even where the
  // cores barely touch. A small odd shift keeps symmetric arrangements from
  // putting it on an edge of the polytope.
  const double inflation = inflation_share(a, b) * scale.thickness;
  const ts_vec3 odd = {0.36, 0.48, 0.8}, aside = ts_scale(1e-3 * inflation, odd);
  const ts_difference difference = {a, b, aside, inflation};
  const ts_vec3 guess = ts_normalize(ts_sub(ts_core_middle(a), ts_core_middle(b)), odd);
  ts_epa_start starts[TS_EPA_MOST_STARTS];
  const int count = ts_epa_starts(&difference, guess, 0.2 * inflation, starts);
  best->gap = -INFINITY;
  for (int i = 0; i < count; ++i) {
    const double most_gap = inflation + ts_length(aside) - starts[i].distance; // none beyond this face is greater
    if (best->gap >= most_gap) break;
    keep_greater(a, b, ts_negate(starts[i].outward), &scale, best);
  }
  if (count == 0) climb_from_axes(a, b, &scale, best);
}

bool ts_ascent_if_apart(const ts_core *a, const ts_core *b, ts_separation *separation)
{
  const scales scale = scales_of(a, b);
  const ts_difference difference = {a, b, {0.0, 0.0, 0.0}, 0.0};
  ts_gjk gjk;
  ts_gjk_run(&difference, ts_sub(ts_core_middle(a), ts_core_middle(b)), 1e-7 * scale.thickness, &gjk);
  if (gjk.overlap || !(gjk.least > scale.rounding)) return false;
  const bool clear = gjk.least > 0.01 * scale.thickness; // else the nearest point's direction
                                                         // is not good enough
  if (!clear || refine(a, b, &gjk, &scale, separation) > scale.rounding)
    climb(a, b, ts_scale(1.0 / gjk.distance, gjk.nearest), &scale, separation);
  return true;
}

void ts_ascent_distance(const ts_core *a, const ts_core *b, ts_separation *separation)
{
  if (!ts_ascent_if_apart(a, b, separation)) ts_ascent_overlap(a, b, separation);
}
