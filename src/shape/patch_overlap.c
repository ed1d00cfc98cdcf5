// Corners of the overlap of two shadows: corners of one patch that lie in the other, both ways, and crossings of their
// outlines. Nothing is ordered or cut step by step, so that each corner depends on two features alone and keeps its
// identity from step to step.
//
// Stacks of equal boxes have their corners and sides on top of each other, up to the rounding and creep of a
// simulation. A corner within ON of a side is therefore taken for lying on it: it is reported as a corner, moved onto
// the overlap, and the sides that meet there do not count as crossing. Only what is more than ON apart on either side
// crosses. So no sequence of features appears and disappears while two sides nearly coincide.
#include "shape/patch_shadow.h"

static const double LEVEL = 1e-8; // slope between two faces that is taken for none

enum { RIM_POINTS = 8, SECANTS = 12 };

// Move a point that is on the outlines to tolerance into both shadows; false where they do not overlap there.
TS_INLINE bool settle(const ts_patch *a, const ts_patch *b, double size, ts_vec3 *x)
{
  for (int round = 0; round < TS_PATCH_SETTLE_ROUNDS; ++round) {
    if (ts_depth_inside(a, *x) >= -TS_PATCH_EXACT * size && ts_depth_inside(b, *x) >= -TS_PATCH_EXACT * size)
      return true;
    *x = ts_moved_into(b, ts_moved_into(a, *x));
  }
  return false;
}

// Points that are on the outlines to tolerance, where the shadows do not overlap: sides of a and b are nearly one
// there, with a and b on different sides of it. What is left of the overlap is as long as rounding wants, but support
// is there along all of it. So they count as well once it is known that the shadows meet anywhere.
enum { MOST_WAITING = 16 };
typedef struct waiting {
  int count;
  ts_vec3 points[MOST_WAITING]; // between the outlines
  uint32_t features[MOST_WAITING];
} waiting;

// What the overlap of two flat patches is made of
typedef struct flat_pair {
  const ts_patch *a, *b;
  ts_vec3 normal;
  double size;
  ts_touch_list *list;
  waiting *later;
} flat_pair;

static void push_at(const flat_pair *pair, ts_vec3 x, uint32_t feature)
{
  const ts_vec3 p1 = ts_lift(pair->a, x), p2 = ts_lift(pair->b, x);
  ts_touch_list_push(pair->list, p2, pair->normal, ts_dot(pair->normal, ts_sub(p1, p2)), feature);
}

static void wait_at(waiting *w, ts_vec3 x, uint32_t feature)
{
  if (w->count == MOST_WAITING) return;
  w->points[w->count] = x;
  w->features[w->count++] = feature;
}

static double shadow_distance(const flat_pair *pair, ts_vec3 x, ts_vec3 y)
{
  const ts_vec3 d = ts_sub(x, y);
  return ts_length(ts_add_scaled(d, -ts_dot(d, pair->normal), pair->normal));
}

// Beyond a sharp corner a point may be far from a polygon and still be outside no side by much.
static bool is_near(const flat_pair *pair, const ts_patch *patch, ts_vec3 x)
{
  if (patch->kind == TS_PATCH_DISC || patch->count == 0) return true;
  for (int i = 0; i < patch->count; ++i) {
    const ts_vec3 here = ts_corner(patch, i), along = ts_sub(ts_corner(patch, ts_next_corner(patch, i)), here);
    const ts_vec3 shadow = ts_add_scaled(along, -ts_dot(along, pair->normal), pair->normal);
    const double square = ts_dot(shadow, shadow), t = square > 0.0 ? ts_dot(shadow, ts_sub(x, here)) / square : 0.0;
    const ts_vec3 nearest = ts_add_scaled(here, fmax(0.0, fmin(1.0, t)), along);
    if (shadow_distance(pair, x, nearest) <= 4.0 * TS_PATCH_ON * pair->size) return true;
  }
  return false;
}

// A point of one patch that is `depth` inside the other: report it unless it is outside.
TS_HOT static void push_if_inside(const flat_pair *pair, ts_vec3 x, double depth, uint32_t feature)
{
  if (depth < -TS_PATCH_ON * pair->size) return;
  if (depth >= 0.0 || settle(pair->a, pair->b, pair->size, &x))
    push_at(pair, x, feature);
  else if (is_near(pair, pair->a, x) && is_near(pair, pair->b, x))
    wait_at(pair->later, x, feature);
}

TS_INLINE bool on_both_sides(double depth, double next, double width)
{
  return (depth > width && next < -width) || (depth < -width && next > width);
}

// ---- polygon and polygon

// The crossing of side i of a, from `here` to `next`, with side j of b, where they cross: depths of both ends at b's
// side are given.
static void add_crossing(const flat_pair *pair, int i, ts_vec3 here, ts_vec3 next, int j, double at_here,
                         double at_next)
{
  const ts_patch *const a = pair->a, *const b = pair->b;
  const double on = TS_PATCH_ON * pair->size;
  if (!on_both_sides(ts_depth_at_side(a, i, ts_corner(b, j)),
                     ts_depth_at_side(a, i, ts_corner(b, ts_next_corner(b, j))), on))
    return;
  push_at(pair, ts_add_scaled(here, at_here / (at_here - at_next), ts_sub(next, here)),
          ts_feature_pair(ts_side_feature_id(a, i), ts_side_feature_id(b, j)));
}

// One corner of a, and the crossings of the side that begins there with b's sides
static void add_corner_and_side_of_a(const flat_pair *pair, int i)
{
  const ts_patch *const a = pair->a, *const b = pair->b;
  const double on = TS_PATCH_ON * pair->size;
  const ts_vec3 here = ts_corner(a, i), next = ts_corner(a, ts_next_corner(a, i));
  double depth = INFINITY;
  for (int j = 0; j < b->count; ++j) {
    const double at_here = ts_depth_at_side(b, j, here), at_next = ts_depth_at_side(b, j, next);
    depth = at_here < depth ? at_here : depth;
    if (on_both_sides(at_here, at_next, on)) add_crossing(pair, i, here, next, j, at_here, at_next);
  }
  push_if_inside(pair, here, depth, ts_feature_pair(ts_corner_feature_id(a, i), b->feature));
}

// The same of two quadrangles for all corners of a: boxes on boxes.
TS_INLINE void add_corners_and_sides_of_a(const flat_pair *pair)
{
  const ts_patch *const a = pair->a, *const b = pair->b;
  const double on = TS_PATCH_ON * pair->size;
  ts_quad depths[4];
  for (int i = 0; i < 4; ++i) depths[i] = ts_depths_at_four_sides(b, a->corners[i]);
  for (int i = 0; i < 4; ++i) {
    const ts_quad here = depths[i], next = depths[(i + 1) % 4];
    const ts_quad_mask across = ((here > on) & (next < -on)) | ((next > on) & (here < -on));
    for (int j = 0; j < 4 && ts_quad_any(across); ++j)
      if (across[j]) add_crossing(pair, i, a->corners[i], a->corners[(i + 1) % 4], j, here[j], next[j]);
    push_if_inside(pair, a->corners[i], ts_least_of_four(here),
                   ts_feature_pair(ts_corner_feature_id(a, i), b->feature));
  }
}

// Whether corner i of a is reported.
TS_INLINE bool is_corner_inside_b(const flat_pair *pair, int i)
{
  return ts_depth_inside(pair->b, ts_corner(pair->a, i)) >= -TS_PATCH_ON * pair->size;
}

// A corner of a that is reported stands at x already.
static bool stands_at_corner_of_a(const flat_pair *pair, ts_vec3 x)
{
  for (int i = 0; i < pair->a->count; ++i)
    if (shadow_distance(pair, ts_corner(pair->a, i), x) <= 4.0 * TS_PATCH_ON * pair->size &&
        is_corner_inside_b(pair, i))
      return true;
  return false;
}

// The same where a is a quadrangle: the distances of its corners, as shadow_distance() has them, at once.
TS_INLINE bool stands_at_one_of_four(const flat_pair *pair, ts_vec3 x)
{
  const ts_quadrangle *q = &pair->a->four;
  const ts_vec3 n = pair->normal;
  const ts_quad d[3] = {TS_CONST_QUAD(q->corner[0]) - x.x, TS_CONST_QUAD(q->corner[1]) - x.y,
                        TS_CONST_QUAD(q->corner[2]) - x.z};
  const ts_quad along = d[0] * n.x + d[1] * n.y + d[2] * n.z;
  const ts_quad across[3] = {d[0] - along * n.x, d[1] - along * n.y, d[2] - along * n.z};
  const ts_quad distance = ts_quad_sqrt(across[0] * across[0] + across[1] * across[1] + across[2] * across[2]);
  const ts_quad_mask near = distance <= 4.0 * TS_PATCH_ON * pair->size;
  for (int i = 0; i < 4 && ts_quad_any(near); ++i)
    if (near[i] && is_corner_inside_b(pair, i)) return true;
  return false;
}

TS_HOT static void overlap_polygons(const flat_pair *pair)
{
  if (pair->a->count == 4 && pair->b->count == 4)
    add_corners_and_sides_of_a(pair);
  else
    for (int i = 0; i < pair->a->count; ++i) add_corner_and_side_of_a(pair, i);
  const bool four = pair->a->count == 4;
  for (int j = 0; j < pair->b->count; ++j) {
    const ts_vec3 x = ts_corner(pair->b, j);
    const double depth = ts_depth_inside(pair->a, x), on = TS_PATCH_ON * pair->size;
    if (depth < -on) continue;
    if (depth <= on && (four ? stands_at_one_of_four(pair, x) : stands_at_corner_of_a(pair, x))) continue;
    push_if_inside(pair, x, depth, ts_feature_pair(pair->a->feature, ts_corner_feature_id(pair->b, j)));
  }
}

// ---- discs

// Slope across the normal of a patch's plane
static ts_vec3 slope_of(const ts_patch *patch, ts_vec3 normal)
{
  const double along = ts_dot(patch->normal, normal);
  return ts_scale(-1.0 / along, ts_add_scaled(patch->normal, -along, normal));
}

// Rim points are fixed to the body while the faces are level; else the first of them is where the gap is least.
static bool turn_towards_least_gap(ts_patch *disc, const ts_patch *a, const ts_patch *b, ts_vec3 normal)
{
  const ts_vec3 rise = ts_sub(slope_of(a, normal), slope_of(b, normal));
  if (ts_dot(rise, rise) <= LEVEL * LEVEL) return false;
  const ts_vec3 fall = ts_add_scaled(ts_negate(rise), ts_dot(rise, disc->normal), disc->normal);
  disc->axes[0] = ts_normalize(fall, disc->axes[0]);
  disc->axes[1] = ts_cross(disc->normal, disc->axes[0]);
  return true;
}

static ts_vec3 rim_point(const ts_patch *disc, int k)
{
  static const double cosine[RIM_POINTS] = {1.0,  0.70710678118654752,  0.0, -0.70710678118654752,
                                            -1.0, -0.70710678118654752, 0.0, 0.70710678118654752};
  const double c = disc->radius * cosine[k], s = disc->radius * cosine[(k + RIM_POINTS - 2) % RIM_POINTS];
  return ts_add(disc->base, ts_add_scaled(ts_scale(c, disc->axes[0]), s, disc->axes[1]));
}

static uint32_t rim_point_feature_id(const ts_patch *disc, int k, bool turned)
{
  return ts_feature_id(TS_FEATURE_ID_VERTEX, (2 * disc->cap + turned) * RIM_POINTS + k);
}

// A rim point of a disc that is inside the other patch stands at x already.
static bool stands_at_rim_point(const flat_pair *pair, const ts_patch *disc, const ts_patch *other, ts_vec3 x)
{
  for (int k = 0; k < RIM_POINTS; ++k) {
    const ts_vec3 p = rim_point(disc, k);
    if (shadow_distance(pair, p, x) <= 4.0 * TS_PATCH_ON * pair->size &&
        ts_depth_inside(other, p) >= -TS_PATCH_ON * pair->size)
      return true;
  }
  return false;
}

static void add_rim_points(const flat_pair *pair, const ts_patch *disc, const ts_patch *other, bool turned)
{
  for (int k = 0; k < RIM_POINTS; ++k) {
    const ts_vec3 x = rim_point(disc, k);
    const uint32_t own = rim_point_feature_id(disc, k, turned);
    const uint32_t feature =
        disc == pair->a ? ts_feature_pair(own, other->feature) : ts_feature_pair(other->feature, own);
    push_if_inside(pair, x, ts_depth_inside(other, x), feature);
  }
}

static void add_side_crossings(const flat_pair *pair, const ts_patch *disc, const ts_patch *polygon, int i)
{
  const ts_vec3 here = ts_corner(polygon, i), along = ts_sub(ts_corner(polygon, ts_next_corner(polygon, i)), here);
  const double off =
      TS_PATCH_ON * pair->size / ts_length(along); // closer to an end, the corner stands for the crossing
  double t[2];
  if (!ts_meet_rim(disc, here, ts_add(here, along), t)) return;
  for (int k = 0; k < 2; ++k) {
    if (t[k] <= off || t[k] >= 1.0 - off) continue;
    const ts_vec3 x = ts_add_scaled(here, t[k], along);
    if (stands_at_rim_point(pair, disc, polygon, x)) continue;
    const uint32_t of_side = ts_side_feature_id(polygon, i), of_rim = ts_rim_feature_id(disc, k);
    push_at(pair, x, disc == pair->a ? ts_feature_pair(of_rim, of_side) : ts_feature_pair(of_side, of_rim));
  }
}

static void overlap_disc_polygon(const flat_pair *pair, const ts_patch *disc, const ts_patch *polygon, bool turned)
{
  add_rim_points(pair, disc, polygon, turned);
  for (int i = 0; i < polygon->count; ++i) {
    const ts_vec3 x = ts_corner(polygon, i);
    const uint32_t own = ts_corner_feature_id(polygon, i);
    const double depth = ts_depth_inside(disc, x), on = TS_PATCH_ON * pair->size;
    if (depth > on || (depth >= -on && !stands_at_rim_point(pair, disc, polygon, x)))
      push_if_inside(pair, x, depth,
                     disc == pair->a ? ts_feature_pair(disc->feature, own) : ts_feature_pair(own, disc->feature));
    add_side_crossings(pair, disc, polygon, i);
  }
}

// A point of a's rim at an angle from u towards v
static ts_vec3 rim_at(const ts_patch *disc, ts_vec3 u, ts_vec3 v, double angle)
{
  return ts_add(disc->base, ts_add_scaled(ts_scale(disc->radius * cos(angle), u), disc->radius * sin(angle), v));
}

// Where the rims of parallel discs cross, the law of cosines gives the angle; the rest of the way, for discs that are
// tilted against each other, goes by secants. False where a tilted rim passes without crossing.
static bool find_rim_crossing(const flat_pair *pair, ts_vec3 u, ts_vec3 v, double angle, ts_vec3 *x)
{
  const double exact = TS_PATCH_EXACT * pair->size;
  double before = angle + 1e-3, depth_before = ts_depth_inside(pair->b, rim_at(pair->a, u, v, before));
  for (int k = 0; k < SECANTS; ++k) {
    *x = rim_at(pair->a, u, v, angle);
    const double depth = ts_depth_inside(pair->b, *x);
    if (fabs(depth) <= exact) return true;
    if (depth == depth_before) return false;
    const double next = angle - depth * (angle - before) / (depth - depth_before);
    before = angle;
    depth_before = depth;
    angle = next;
  }
  return false;
}

static void add_rim_crossings(const flat_pair *pair)
{
  const ts_patch *const a = pair->a, *const b = pair->b;
  const ts_vec3 between = ts_sub(ts_lift(a, b->base), a->base);
  const double distance = ts_length(between);
  if (!(distance > TS_PATCH_ON * pair->size)) return;
  const ts_vec3 u = ts_scale(1.0 / distance, between), v = ts_cross(a->normal, u);
  const double along = 0.5 * (distance + (a->radius - b->radius) * (a->radius + b->radius) / distance);
  if (fabs(along) > a->radius) return;
  const double angle = acos(along / a->radius);
  ts_vec3 x[2];
  bool found[2];
  for (int k = 0; k < 2; ++k) found[k] = find_rim_crossing(pair, u, v, k ? angle : -angle, &x[k]);
  if (found[0] && found[1] && ts_distance_of(x[0], x[1]) <= 4.0 * TS_PATCH_ON * pair->size)
    found[1] = false; // tangent rims
  for (int k = 0; k < 2; ++k) {
    if (!found[k] || stands_at_rim_point(pair, a, b, x[k]) || stands_at_rim_point(pair, b, a, x[k])) continue;
    push_at(pair, x[k], ts_feature_pair(ts_rim_feature_id(a, k), ts_rim_feature_id(b, k)));
  }
}

static bool discs_coincide(const flat_pair *pair)
{
  return shadow_distance(pair, pair->a->base, pair->b->base) + fabs(pair->a->radius - pair->b->radius) <=
         TS_PATCH_ON * pair->size;
}

static void overlap_discs(const flat_pair *pair, bool turned)
{
  const ts_patch *const a = pair->a, *const b = pair->b;
  add_rim_points(pair, a, b, turned);
  if (discs_coincide(pair)) return;
  for (int k = 0; k < RIM_POINTS; ++k) {
    const ts_vec3 x = rim_point(b, k);
    if (!stands_at_rim_point(pair, a, b, x))
      push_if_inside(pair, x, ts_depth_inside(a, x), ts_feature_pair(a->feature, rim_point_feature_id(b, k, turned)));
  }
  add_rim_crossings(pair);
}

static void overlap_flat(ts_patch *a, ts_patch *b, ts_vec3 normal, double size, bool meet, ts_touch_list *list)
{
  waiting later;
  const flat_pair pair = {a, b, normal, size, list, &later};
  const int before = list->count;
  bool turned = false;
  later.count = 0;
  if (a->kind == TS_PATCH_DISC) turned = turn_towards_least_gap(a, a, b, normal);
  if (b->kind == TS_PATCH_DISC) turned = turn_towards_least_gap(b, a, b, normal);
  if (a->kind == TS_PATCH_POLYGON && b->kind == TS_PATCH_POLYGON)
    overlap_polygons(&pair);
  else if (a->kind == TS_PATCH_DISC && b->kind == TS_PATCH_DISC)
    overlap_discs(&pair, turned);
  else if (a->kind == TS_PATCH_DISC)
    overlap_disc_polygon(&pair, a, b, turned);
  else
    overlap_disc_polygon(&pair, b, a, turned);
  for (int i = 0; i < later.count && (meet || list->count > before); ++i)
    push_at(&pair, later.points[i], later.features[i]);
}

// ---- any patches

void ts_patch_overlap(ts_patch *a, ts_patch *b, ts_vec3 normal, double size, bool meet, ts_touch_list *list)
{
  if (a->kind == TS_PATCH_POINT || b->kind == TS_PATCH_POINT) return;
  const bool line_a = a->kind == TS_PATCH_SEGMENT, line_b = b->kind == TS_PATCH_SEGMENT;
  if (line_a && line_b)
    ts_overlap_lines(a, b, normal, size, list);
  else if (line_a || line_b)
    ts_overlap_line_flat(line_a ? a : b, line_a ? b : a, line_a, normal, size, list);
  else
    overlap_flat(a, b, normal, size, meet, list);
}
