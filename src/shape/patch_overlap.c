// Corners of the overlap of two shadows: corners of one patch that lie in the other, both ways, and crossings of their
// outlines. Nothing is ordered or cut step by step, so that each corner depends on two features alone and keeps its
// identity from step to step.
//
// Stacks of equal boxes have their corners and sides on top of each other, up to the rounding and creep of a
// simulation. A corner within ON of a side is therefore taken for lying on it: it is reported as a corner, moved onto
// the overlap, and the sides that meet there do not count as crossing. Only what is more than ON apart on either side
// crosses. So no sequence of features appears and disappears while two sides nearly coincide.
#include "shape/patch.h"

#include <float.h>

static const double ON = 1e-6;     // of the parts' size: a corner this close to an outline lies on it
static const double EXACT = 1e-10; // of the parts' size: reported points are no further outside than this
static const double LEVEL = 1e-8;  // slope between two faces that is taken for none

// A line that is beside an outline by this share of the root of radius times size is still above it: the surface there
// is half its square of the size lower. The normal of a face is taken for theirs where that costs less than 1e-10 of
// the size (manifold_nearest.c), and the nearest point of a line that crosses the outline at an angle of t moves by
// radius / t^2 when the line turns by 1: this is far more than the first needs, and bounds the second.
static const double BESIDE = 1e-3;

enum { RIM_POINTS = 8, SETTLE_ROUNDS = 8, SECANTS = 12 };

TS_INLINE int after(const ts_patch *polygon, int i)
{
  return i + 1 < polygon->count ? i + 1 : 0;
}

TS_INLINE ts_vec3 corner(const ts_patch *polygon, int i)
{
  return polygon->count <= TS_PATCH_CACHED ? polygon->corners[i]
                                           : ts_frame_apply(polygon->frame, polygon->hull->vertices[polygon->loop[i]]);
}

static ts_vec3 side_of_large(const ts_patch *polygon, int i)
{
  const ts_vec3 along = ts_sub(corner(polygon, after(polygon, i)), corner(polygon, i));
  return ts_normalize(ts_cross(polygon->outward, along), ts_vec3_make(0.0, 0.0, 0.0));
}

TS_INLINE ts_vec3 side(const ts_patch *polygon, int i)
{
  return polygon->count <= TS_PATCH_CACHED ? polygon->sides[i] : side_of_large(polygon, i);
}

// How far inside the i-th side a point of the shadow is
TS_INLINE double depth_at_side(const ts_patch *polygon, int i, ts_vec3 x)
{
  return ts_dot(side(polygon, i), ts_sub(x, corner(polygon, i)));
}

static uint32_t corner_spot(const ts_patch *polygon, int i)
{
  return ts_spot(TS_SPOT_VERTEX, polygon->loop[i]);
}

static uint32_t side_spot(const ts_patch *polygon, int i)
{
  return ts_spot_edge(polygon->hull->vertex_count, polygon->loop[i], polygon->loop[after(polygon, i)]);
}

// The point of a polygon's or disc's plane that has the same shadow as x
TS_INLINE ts_vec3 lift(const ts_patch *patch, ts_vec3 x)
{
  const double height = ts_dot(patch->normal, ts_sub(patch->base, x)) / ts_dot(patch->normal, patch->outward);
  return ts_add_scaled(x, height, patch->outward);
}

// How far inside a polygon's or disc's outline a point of the shadow is
static double depth_inside(const ts_patch *patch, ts_vec3 x)
{
  if (patch->kind == TS_PATCH_DISC) return patch->radius - ts_distance_of(lift(patch, x), patch->base);
  double depth = INFINITY;
  for (int i = 0; i < patch->count; ++i) depth = fmin(depth, depth_at_side(patch, i, x));
  return depth;
}

static ts_vec3 moved_into(const ts_patch *patch, ts_vec3 x)
{
  if (patch->kind == TS_PATCH_DISC) {
    const ts_vec3 from_centre = ts_sub(lift(patch, x), patch->base);
    const double distance = ts_length(from_centre);
    return distance > patch->radius ? ts_add_scaled(patch->base, patch->radius / distance, from_centre) : x;
  }
  for (int i = 0; i < patch->count; ++i) {
    const double depth = depth_at_side(patch, i, x);
    if (depth < 0.0) x = ts_add_scaled(x, -depth, side(patch, i));
  }
  return x;
}

// Move a point that is on the outlines to tolerance into both shadows; false where they do not overlap there.
static bool settle(const ts_patch *a, const ts_patch *b, double size, ts_vec3 *x)
{
  for (int round = 0; round < SETTLE_ROUNDS; ++round) {
    if (depth_inside(a, *x) >= -EXACT * size && depth_inside(b, *x) >= -EXACT * size) return true;
    *x = moved_into(b, moved_into(a, *x));
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
  const ts_vec3 p1 = lift(pair->a, x), p2 = lift(pair->b, x);
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
    const ts_vec3 here = corner(patch, i), along = ts_sub(corner(patch, after(patch, i)), here);
    const ts_vec3 shadow = ts_add_scaled(along, -ts_dot(along, pair->normal), pair->normal);
    const double square = ts_dot(shadow, shadow), t = square > 0.0 ? ts_dot(shadow, ts_sub(x, here)) / square : 0.0;
    const ts_vec3 nearest = ts_add_scaled(here, fmax(0.0, fmin(1.0, t)), along);
    if (shadow_distance(pair, x, nearest) <= 4.0 * ON * pair->size) return true;
  }
  return false;
}

// A point of one patch that is `depth` inside the other: report it unless it is outside.
static void push_if_inside(const flat_pair *pair, ts_vec3 x, double depth, uint32_t feature)
{
  if (depth < -ON * pair->size) return;
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

// One corner of a, and the crossings of the side that begins there with b's sides
static void add_corner_and_side_of_a(const flat_pair *pair, int i)
{
  const ts_patch *const a = pair->a, *const b = pair->b;
  const double on = ON * pair->size;
  const int i_next = after(a, i);
  const ts_vec3 here = corner(a, i), next = corner(a, i_next);
  double depth = INFINITY;
  for (int j = 0; j < b->count; ++j) {
    const double at_here = depth_at_side(b, j, here), at_next = depth_at_side(b, j, next);
    depth = at_here < depth ? at_here : depth;
    if (!on_both_sides(at_here, at_next, on)) continue;
    if (!on_both_sides(depth_at_side(a, i, corner(b, j)), depth_at_side(a, i, corner(b, after(b, j))), on)) continue;
    push_at(pair, ts_add_scaled(here, at_here / (at_here - at_next), ts_sub(next, here)),
            ts_spot_pair(side_spot(a, i), side_spot(b, j)));
  }
  push_if_inside(pair, here, depth, ts_spot_pair(corner_spot(a, i), b->spot));
}

// A corner of a that is reported stands at x already.
static bool stands_at_corner_of_a(const flat_pair *pair, ts_vec3 x)
{
  for (int i = 0; i < pair->a->count; ++i) {
    const ts_vec3 other = corner(pair->a, i);
    if (shadow_distance(pair, other, x) <= 4.0 * ON * pair->size && depth_inside(pair->b, other) >= -ON * pair->size)
      return true;
  }
  return false;
}

static void overlap_polygons(const flat_pair *pair)
{
  for (int i = 0; i < pair->a->count; ++i) add_corner_and_side_of_a(pair, i);
  for (int j = 0; j < pair->b->count; ++j) {
    const ts_vec3 x = corner(pair->b, j);
    const double depth = depth_inside(pair->a, x), on = ON * pair->size;
    if (depth < -on || (depth <= on && stands_at_corner_of_a(pair, x))) continue;
    push_if_inside(pair, x, depth, ts_spot_pair(pair->a->spot, corner_spot(pair->b, j)));
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

static uint32_t rim_point_spot(const ts_patch *disc, int k, bool turned)
{
  return ts_spot(TS_SPOT_VERTEX, (2 * disc->cap + turned) * RIM_POINTS + k);
}

// A line meets a rim twice, and so does another rim.
static uint32_t rim_spot(const ts_patch *disc, int which)
{
  return ts_spot(TS_SPOT_EDGE, 2 * disc->cap + which);
}

// A rim point of a disc that is inside the other patch stands at x already.
static bool stands_at_rim_point(const flat_pair *pair, const ts_patch *disc, const ts_patch *other, ts_vec3 x)
{
  for (int k = 0; k < RIM_POINTS; ++k) {
    const ts_vec3 p = rim_point(disc, k);
    if (shadow_distance(pair, p, x) <= 4.0 * ON * pair->size && depth_inside(other, p) >= -ON * pair->size) return true;
  }
  return false;
}

// Where the line start + t (end - start), lifted to the disc's plane, meets the rim: t[0] <= t[1]; false where it does
// not.
static bool meet_rim(const ts_patch *disc, ts_vec3 start, ts_vec3 end, double t[2])
{
  const ts_vec3 p = ts_sub(lift(disc, start), disc->base), q = ts_sub(lift(disc, end), disc->base), d = ts_sub(q, p);
  const double dd = ts_dot(d, d), pd = ts_dot(p, d), pp = ts_dot(p, p);
  if (!(dd > 0.0)) return false;
  const ts_vec3 nearest = ts_add_scaled(p, -pd / dd, d);
  const double square = disc->radius * disc->radius - ts_dot(nearest, nearest);
  if (square < 0.0 || !(pp < INFINITY)) return false;
  const double half = sqrt(square / dd);
  t[0] = -pd / dd - half;
  t[1] = -pd / dd + half;
  return true;
}

static void add_rim_points(const flat_pair *pair, const ts_patch *disc, const ts_patch *other, bool turned)
{
  for (int k = 0; k < RIM_POINTS; ++k) {
    const ts_vec3 x = rim_point(disc, k);
    const uint32_t own = rim_point_spot(disc, k, turned);
    const uint32_t feature = disc == pair->a ? ts_spot_pair(own, other->spot) : ts_spot_pair(other->spot, own);
    push_if_inside(pair, x, depth_inside(other, x), feature);
  }
}

static void add_side_crossings(const flat_pair *pair, const ts_patch *disc, const ts_patch *polygon, int i)
{
  const ts_vec3 here = corner(polygon, i), along = ts_sub(corner(polygon, after(polygon, i)), here);
  const double off = ON * pair->size / ts_length(along); // closer to an end, the corner stands for the crossing
  double t[2];
  if (!meet_rim(disc, here, ts_add(here, along), t)) return;
  for (int k = 0; k < 2; ++k) {
    if (t[k] <= off || t[k] >= 1.0 - off) continue;
    const ts_vec3 x = ts_add_scaled(here, t[k], along);
    if (stands_at_rim_point(pair, disc, polygon, x)) continue;
    const uint32_t of_side = side_spot(polygon, i), of_rim = rim_spot(disc, k);
    push_at(pair, x, disc == pair->a ? ts_spot_pair(of_rim, of_side) : ts_spot_pair(of_side, of_rim));
  }
}

static void overlap_disc_polygon(const flat_pair *pair, const ts_patch *disc, const ts_patch *polygon, bool turned)
{
  add_rim_points(pair, disc, polygon, turned);
  for (int i = 0; i < polygon->count; ++i) {
    const ts_vec3 x = corner(polygon, i);
    const uint32_t own = corner_spot(polygon, i);
    const double depth = depth_inside(disc, x), on = ON * pair->size;
    if (depth > on || (depth >= -on && !stands_at_rim_point(pair, disc, polygon, x)))
      push_if_inside(pair, x, depth, disc == pair->a ? ts_spot_pair(disc->spot, own) : ts_spot_pair(own, disc->spot));
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
  const double exact = EXACT * pair->size;
  double before = angle + 1e-3, depth_before = depth_inside(pair->b, rim_at(pair->a, u, v, before));
  for (int k = 0; k < SECANTS; ++k) {
    *x = rim_at(pair->a, u, v, angle);
    const double depth = depth_inside(pair->b, *x);
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
  const ts_vec3 between = ts_sub(lift(a, b->base), a->base);
  const double distance = ts_length(between);
  if (!(distance > ON * pair->size)) return;
  const ts_vec3 u = ts_scale(1.0 / distance, between), v = ts_cross(a->normal, u);
  const double along = 0.5 * (distance + (a->radius - b->radius) * (a->radius + b->radius) / distance);
  if (fabs(along) > a->radius) return;
  const double angle = acos(along / a->radius);
  ts_vec3 x[2];
  bool found[2];
  for (int k = 0; k < 2; ++k) found[k] = find_rim_crossing(pair, u, v, k ? angle : -angle, &x[k]);
  if (found[0] && found[1] && ts_distance_of(x[0], x[1]) <= 4.0 * ON * pair->size) found[1] = false; // tangent rims
  for (int k = 0; k < 2; ++k) {
    if (!found[k] || stands_at_rim_point(pair, a, b, x[k]) || stands_at_rim_point(pair, b, a, x[k])) continue;
    push_at(pair, x[k], ts_spot_pair(rim_spot(a, k), rim_spot(b, k)));
  }
}

static bool discs_coincide(const flat_pair *pair)
{
  return shadow_distance(pair, pair->a->base, pair->b->base) + fabs(pair->a->radius - pair->b->radius) <=
         ON * pair->size;
}

static void overlap_discs(const flat_pair *pair, bool turned)
{
  const ts_patch *const a = pair->a, *const b = pair->b;
  add_rim_points(pair, a, b, turned);
  if (discs_coincide(pair)) return;
  for (int k = 0; k < RIM_POINTS; ++k) {
    const ts_vec3 x = rim_point(b, k);
    if (!stands_at_rim_point(pair, a, b, x))
      push_if_inside(pair, x, depth_inside(a, x), ts_spot_pair(a->spot, rim_point_spot(b, k, turned)));
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

// ---- segments

// A part of a segment, and what bounds it: features of the other patch, or the segment's own ends
typedef struct interval {
  double t[2];
  bool own_end[2];
  uint32_t bound[2];
  bool beside; // may be outside the other patch by what counts as on it
} interval;

static void clip_at_side(const ts_patch *polygon, int i, double at_start, double at_end, interval *part)
{
  if (at_start >= 0.0 && at_end >= 0.0) return;
  const int which = at_end < 0.0; // the end of the interval that moves
  const double t = at_start < 0.0 && at_end < 0.0 ? -INFINITY : at_start / (at_start - at_end);
  if (which ? t >= part->t[1] : t <= part->t[0]) return;
  part->t[which] = t;
  part->own_end[which] = false;
  part->bound[which] = side_spot(polygon, i);
}

// What is inside to the tolerance `on`, and what would be if the line along a side might be outside by `beside`. Where
// it is not quite along, by less: what that adds to a line across the side shrinks to nothing as the angle grows, it
// does not vanish at once.
static void clip_to_polygon(const ts_patch *polygon, const ts_patch *segment, double on, double beside, interval *inner,
                            interval *outer)
{
  const ts_vec3 start = segment->corners[0], end = segment->corners[1];
  for (int i = 0; i < polygon->count; ++i) {
    const double at_start = depth_at_side(polygon, i, start), at_end = depth_at_side(polygon, i, end);
    const double turned = 0.5 * fabs(at_end - at_start), room = fmax(0.0, on - turned),
                 more = fmax(0.0, beside - turned);
    clip_at_side(polygon, i, at_start + room, at_end + room, inner);
    clip_at_side(polygon, i, at_start + more, at_end + more, outer);
  }
}

static bool is_empty(const interval *part)
{
  return !(part->t[0] <= part->t[1]);
}

static void clip_to_disc(const ts_patch *disc, const ts_patch *segment, interval *part)
{
  double t[2];
  if (!meet_rim(disc, segment->corners[0], segment->corners[1], t) || t[1] < 0.0 || t[0] > 1.0) {
    part->t[1] = -INFINITY;
    return;
  }
  for (int k = 0; k < 2; ++k)
    if (k ? t[k] < 1.0 : t[k] > 0.0) {
      part->t[k] = t[k];
      part->own_end[k] = false;
      part->bound[k] = rim_spot(disc, k);
    }
}

// A point that stands for an end of the interval. The lowest point of a capsule's tilted end is taken where it faces
// the other patch.
static ts_vec3 point_of(const ts_patch *segment, const interval *part, int k)
{
  return part->own_end[k]
             ? segment->ends[k]
             : ts_add_scaled(segment->corners[0], part->t[k], ts_sub(segment->corners[1], segment->corners[0]));
}

// The same, moved along the surface until it faces the other patch
static ts_vec3 point_above(const ts_patch *segment, const ts_patch *flat, const interval *part, int k, double size)
{
  ts_vec3 x = point_of(segment, part, k), y;
  if (part->own_end[k] && depth_inside(flat, x) < -EXACT * size) x = segment->corners[k];
  if (!part->beside || depth_inside(flat, x) >= -EXACT * size) return x;
  x = moved_into(flat, x);
  return segment->round && ts_patch_surface_over(segment, x, size, &y) ? y : x;
}

// A line and a flat patch
typedef struct mixed_pair {
  const ts_patch *segment, *flat;
  bool segment_is_a;
  ts_vec3 normal;
  double size;
  ts_touch_list *list;
} mixed_pair;

static void push_end(const mixed_pair *pair, const interval *part, int k, uint32_t own)
{
  const ts_vec3 x = point_above(pair->segment, pair->flat, part, k, pair->size), y = lift(pair->flat, x);
  const uint32_t other = part->bound[k];
  if (pair->segment_is_a)
    ts_touch_list_push(pair->list, y, pair->normal, ts_dot(pair->normal, ts_sub(x, y)), ts_spot_pair(own, other));
  else
    ts_touch_list_push(pair->list, x, pair->normal, ts_dot(pair->normal, ts_sub(y, x)), ts_spot_pair(other, own));
}

static void overlap_segment_flat(const mixed_pair *pair)
{
  const ts_patch *const segment = pair->segment, *const flat = pair->flat;
  interval inner = {{0.0, 1.0}, {true, true}, {flat->spot, flat->spot}, false}, outer = inner;
  if (flat->kind == TS_PATCH_DISC) {
    clip_to_disc(flat, segment, &inner);
    outer = inner;
  } else if (flat->count > 0) {
    const double on = ON * pair->size, beside = on + BESIDE * sqrt(pair->size * segment->radius);
    clip_to_polygon(flat, segment, on, beside, &inner, &outer);
  }
  if (is_empty(&outer)) return;
  const double same = 4.0 * ON * pair->size / ts_distance_of(segment->corners[0], segment->corners[1]);
  const bool none = is_empty(&inner), single = inner.t[1] - inner.t[0] <= same;
  const int one =
      single && inner.own_end[1] && !inner.own_end[0]; // an end stays where it is on its part, a bound slides
  for (int k = one; k < (single ? one + 1 : 2) && !none; ++k)
    push_end(pair, &inner, k, inner.own_end[k] ? segment->end_spots[k] : segment->spot);
  for (int k = 0; k < 2; ++k)
    if (none || fabs(outer.t[k] - inner.t[single ? one : k]) > same) push_end(pair, &outer, k, segment->end_spots[k]);
}

TS_INLINE ts_vec3 across(ts_vec3 x, ts_vec3 normal)
{
  return ts_add_scaled(x, -ts_dot(x, normal), normal);
}

// The point of a segment's line whose shadow is level with that of x, in the shadow direction u; or the end before it
static ts_vec3 point_over(const ts_patch *segment, ts_vec3 u, ts_vec3 x, bool beyond_ends)
{
  const ts_vec3 start = segment->corners[0], d = ts_sub(segment->corners[1], start);
  const double t = ts_dot(u, ts_sub(x, start)) / ts_dot(u, d);
  return ts_add_scaled(start, beyond_ends ? t : fmax(0.0, fmin(1.0, t)), d);
}

// Two lines that face each other, the direction they have in common in the shadow, and the one across
typedef struct line_pair {
  const ts_patch *a, *b;
  ts_vec3 normal, along, across;
  double size;
} line_pair;

// How far a point is beyond the end of a cylinder, along its axis
static ts_vec3 beyond_end(const ts_patch *line, ts_vec3 y)
{
  const bool ends = line->round && line->round->kind == TS_SHAPE_CYLINDER;
  if (!ends) return ts_vec3_make(0.0, 0.0, 0.0);
  const ts_vec3 axis = line->frame->axes.z;
  const double half = line->round->half_length, z = ts_dot(axis, ts_sub(y, line->frame->origin));
  return ts_scale(z - fmax(-half, fmin(half, z)), axis);
}

// The surfaces over the point of the shadow that is level with `level` and lies between the two lines, at a share of
// the way from a's to b's. Where it leaves a cylinder at its end it is moved along. False where there are none.
static bool surfaces_between(const line_pair *pair, ts_vec3 level, double share, ts_vec3 y[2])
{
  for (int round = 0; round < SETTLE_ROUNDS; ++round) {
    const ts_vec3 p1 = point_over(pair->a, pair->along, level, true);
    const ts_vec3 p2 = point_over(pair->b, pair->along, level, true);
    const ts_vec3 x = ts_add_scaled(p1, share * ts_dot(pair->across, ts_sub(p2, p1)), pair->across);
    if (!ts_patch_surface_over(pair->a, x, pair->size, &y[0]) || !ts_patch_surface_over(pair->b, x, pair->size, &y[1]))
      return false;
    const ts_vec3 beyond = ts_add(beyond_end(pair->a, y[0]), beyond_end(pair->b, y[1]));
    if (ts_length(beyond) <= EXACT * pair->size) return true;
    level = ts_sub(level, beyond);
  }
  return false;
}

// Where lines part, the surfaces around them do, too: between round parts the gap is least at a share of the way, at
// the edge between an edge and a round part, at one of the edges between two.
static bool part_between(const line_pair *pair, ts_vec3 level, ts_vec3 *point_2, double *gap)
{
  const double radii = pair->a->radius + pair->b->radius;
  const double shares[2] = {radii > 0.0 ? pair->a->radius / radii : 0.0, 1.0};
  *gap = INFINITY;
  for (int k = 0; k < (radii > 0.0 ? 1 : 2); ++k) {
    ts_vec3 y[2];
    if (!surfaces_between(pair, level, shares[k], y)) continue;
    const double here = ts_dot(pair->normal, ts_sub(y[0], y[1]));
    if (here < *gap) *gap = here, *point_2 = y[1];
  }
  return *gap < INFINITY;
}

// The lowest point of a capsule's end may be beyond the other line's.
static bool reaches(const ts_patch *line, ts_vec3 along, ts_vec3 level, double on)
{
  const double s = ts_dot(along, ts_sub(level, line->corners[0]));
  const double length = ts_dot(along, ts_sub(line->corners[1], line->corners[0]));
  return s >= fmin(0.0, length) - on && s <= fmax(0.0, length) + on;
}

// What the lines share ends at `end` of one of them. Where that is beyond the end of the other by tolerance it faces
// that end: the line goes on from there to below the surface.
static void push_shared_end(const line_pair *pair, bool of_b, int end, ts_touch_list *list)
{
  const ts_patch *const a = pair->a, *const b = pair->b, *const other = of_b ? a : b;
  const ts_vec3 level = (of_b ? b : a)->ends[end];
  const bool ends = !reaches(other, pair->along, level, ON * pair->size);
  const ts_vec3 opposite = point_over(other, pair->along, level, ends), p1 = of_b ? opposite : level;
  ts_vec3 p2 = of_b ? level : opposite;
  double gap = ts_dot(pair->normal, ts_sub(p1, p2));
  if (gap > list->margin) return; // the surfaces are further apart still
  const bool part = ends || fabs(ts_dot(pair->across, ts_sub(p2, p1))) > EXACT * pair->size;
  if (part && !part_between(pair, level, &p2, &gap)) return;
  ts_touch_list_push(list, p2, pair->normal, gap,
                     of_b ? ts_spot_pair(a->spot, b->end_spots[end]) : ts_spot_pair(a->end_spots[end], b->spot));
}

// Two lines side by side: the ends of what they share, as long as the surfaces are near each other there. Where lines
// cross the nearest points are between, which are not for us.
static void overlap_segments(const ts_patch *a, const ts_patch *b, ts_vec3 normal, double size, ts_touch_list *list)
{
  const ts_vec3 da = across(ts_sub(a->corners[1], a->corners[0]), normal);
  const ts_vec3 db = across(ts_sub(b->corners[1], b->corners[0]), normal);
  const double length_a = ts_length(da), length_b = ts_length(db), on = ON * size;
  if (length_a <= on || length_b <= on) return;
  const int first = ts_dot(da, db) < 0.0; // b's end that comes first along a
  const ts_vec3 u = ts_normalize(ts_add_scaled(ts_scale(1.0 / length_a, da), (first ? -1.0 : 1.0) / length_b, db), da);
  const line_pair pair = {a, b, normal, u, ts_cross(normal, u), size};
  double low_a, high_a, low_b, high_b;
  low_a = ts_dot(u, a->corners[0]), high_a = ts_dot(u, a->corners[1]);
  low_b = ts_dot(u, b->corners[first]), high_b = ts_dot(u, b->corners[!first]);
  const bool low_of_b = low_b > low_a + on, high_of_b = high_b < high_a - on;
  if ((high_of_b ? high_b : high_a) - (low_of_b ? low_b : low_a) <= 4.0 * on) return;
  push_shared_end(&pair, low_of_b, low_of_b ? first : 0, list);
  push_shared_end(&pair, high_of_b, high_of_b ? !first : 1, list);
}

void ts_patch_overlap(ts_patch *a, ts_patch *b, ts_vec3 normal, double size, bool meet, ts_touch_list *list)
{
  if (a->kind == TS_PATCH_POINT || b->kind == TS_PATCH_POINT) return;
  const bool line_a = a->kind == TS_PATCH_SEGMENT, line_b = b->kind == TS_PATCH_SEGMENT;
  if (line_a && line_b)
    overlap_segments(a, b, normal, size, list);
  else if (line_a || line_b)
    overlap_segment_flat(&(mixed_pair){line_a ? a : b, line_a ? b : a, line_a, normal, size, list});
  else
    overlap_flat(a, b, normal, size, meet, list);
}
