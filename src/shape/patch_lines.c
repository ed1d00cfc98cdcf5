// Touches of lines: edges of hulls and lines along round sides, with flat patches and with each other.
#include "shape/patch_shadow.h"

#include "shape/shape_type.h"

// A line that is beside an outline by this share of the root of radius times size is still above it: the surface there
// is half its square of the size lower. The normal of a face is taken for theirs where that costs less than 1e-10 of
// the size (manifold_nearest.c), and the nearest point of a line that crosses the outline at an angle of t moves by
// radius / t^2 when the line turns by 1: this is far more than the first needs, and bounds the second.
static const double BESIDE = 1e-3;

// ---- a line and a flat patch

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
  part->bound[which] = ts_side_feature_id(polygon, i);
}

// What is inside to the tolerance `on`, and what would be if the line along a side might be outside by `beside`. Where
// it is not quite along, by less: what that adds to a line across the side shrinks to nothing as the angle grows, it
// does not vanish at once.
static void clip_to_polygon(const ts_patch *polygon, const ts_patch *segment, double on, double beside, interval *inner,
                            interval *outer)
{
  const ts_vec3 start = segment->corners[0], end = segment->corners[1];
  for (int i = 0; i < polygon->count; ++i) {
    const double at_start = ts_depth_at_side(polygon, i, start), at_end = ts_depth_at_side(polygon, i, end);
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
  if (!ts_meet_rim(disc, segment->corners[0], segment->corners[1], t) || t[1] < 0.0 || t[0] > 1.0) {
    part->t[1] = -INFINITY;
    return;
  }
  for (int k = 0; k < 2; ++k)
    if (k ? t[k] < 1.0 : t[k] > 0.0) {
      part->t[k] = t[k];
      part->own_end[k] = false;
      part->bound[k] = ts_rim_feature_id(disc, k);
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
  if (part->own_end[k] && ts_depth_inside(flat, x) < -TS_PATCH_EXACT * size) x = segment->corners[k];
  if (!part->beside || ts_depth_inside(flat, x) >= -TS_PATCH_EXACT * size) return x;
  x = ts_moved_into(flat, x);
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
  const ts_vec3 x = point_above(pair->segment, pair->flat, part, k, pair->size), y = ts_lift(pair->flat, x);
  const uint32_t other = part->bound[k];
  if (pair->segment_is_a)
    ts_touch_list_push(pair->list, y, pair->normal, ts_dot(pair->normal, ts_sub(x, y)), ts_feature_pair(own, other));
  else
    ts_touch_list_push(pair->list, x, pair->normal, ts_dot(pair->normal, ts_sub(y, x)), ts_feature_pair(other, own));
}

static void overlap_segment_flat(const mixed_pair *pair)
{
  const ts_patch *const segment = pair->segment, *const flat = pair->flat;
  interval inner = {{0.0, 1.0}, {true, true}, {flat->feature, flat->feature}, false}, outer = inner;
  if (flat->kind == TS_PATCH_DISC) {
    clip_to_disc(flat, segment, &inner);
    outer = inner;
  } else if (flat->count > 0) {
    const double on = TS_PATCH_ON * pair->size,
                 beside = on + BESIDE * sqrt(pair->size * fmax(segment->radii[0], segment->radii[1]));
    clip_to_polygon(flat, segment, on, beside, &inner, &outer);
  }
  if (is_empty(&outer)) return;
  const double same = 4.0 * TS_PATCH_ON * pair->size / ts_distance_of(segment->corners[0], segment->corners[1]);
  const bool none = is_empty(&inner), single = inner.t[1] - inner.t[0] <= same;
  const int one =
      single && inner.own_end[1] && !inner.own_end[0]; // an end stays where it is on its part, a bound slides
  for (int k = one; k < (single ? one + 1 : 2) && !none; ++k)
    push_end(pair, &inner, k, inner.own_end[k] ? segment->end_features[k] : segment->feature);
  for (int k = 0; k < 2; ++k)
    if (none || fabs(outer.t[k] - inner.t[single ? one : k]) > same)
      push_end(pair, &outer, k, segment->end_features[k]);
}

void ts_overlap_line_flat(const ts_patch *line, const ts_patch *flat, bool line_is_a, ts_vec3 normal, double size,
                          ts_touch_list *list)
{
  overlap_segment_flat(&(mixed_pair){line, flat, line_is_a, normal, size, list});
}

// ---- two lines

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

// How far a point is beyond the end of a round part, along its axis
static ts_vec3 beyond_end(const ts_patch *line, ts_vec3 y)
{
  const ts_shape_type *type = line->round ? ts_shape_type_of(line->round->kind) : NULL;
  return type && type->beyond_end ? type->beyond_end(line, y) : ts_vec3_make(0.0, 0.0, 0.0);
}

// The surfaces over the point of the shadow that is level with `level` and lies between the two lines, at a share of
// the way from a's to b's. Where it leaves a round part at its end it is moved along. False where there are none.
static bool surfaces_between(const line_pair *pair, ts_vec3 level, double share, ts_vec3 y[2])
{
  for (int round = 0; round < TS_PATCH_SETTLE_ROUNDS; ++round) {
    const ts_vec3 p1 = point_over(pair->a, pair->along, level, true);
    const ts_vec3 p2 = point_over(pair->b, pair->along, level, true);
    const ts_vec3 x = ts_add_scaled(p1, share * ts_dot(pair->across, ts_sub(p2, p1)), pair->across);
    if (!ts_patch_surface_over(pair->a, x, pair->size, &y[0]) || !ts_patch_surface_over(pair->b, x, pair->size, &y[1]))
      return false;
    const ts_vec3 beyond = ts_add(beyond_end(pair->a, y[0]), beyond_end(pair->b, y[1]));
    if (ts_length(beyond) <= TS_PATCH_EXACT * pair->size) return true;
    level = ts_sub(level, beyond);
  }
  return false;
}

// The radius of curvature across a line, at the level of x
static double radius_at(const ts_patch *line, ts_vec3 u, ts_vec3 x)
{
  if (line->radii[0] == line->radii[1]) return line->radii[0];
  const ts_vec3 start = line->corners[0], d = ts_sub(line->corners[1], start);
  const double t = fmax(0.0, fmin(1.0, ts_dot(u, ts_sub(x, start)) / ts_dot(u, d)));
  return line->radii[0] + t * (line->radii[1] - line->radii[0]);
}

// Where lines part, the surfaces around them do, too: between round parts the gap is least at a share of the way, at
// the edge between an edge and a round part, at one of the edges between two.
static bool part_between(const line_pair *pair, ts_vec3 level, ts_vec3 *point_2, double *gap)
{
  const double of_a = radius_at(pair->a, pair->along, level), radii = of_a + radius_at(pair->b, pair->along, level);
  const double shares[2] = {radii > 0.0 ? of_a / radii : 0.0, 1.0};
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
  const bool ends = !reaches(other, pair->along, level, TS_PATCH_ON * pair->size);
  const ts_vec3 opposite = point_over(other, pair->along, level, ends), p1 = of_b ? opposite : level;
  ts_vec3 p2 = of_b ? level : opposite;
  double gap = ts_dot(pair->normal, ts_sub(p1, p2));
  if (gap > list->margin) return; // the surfaces are further apart still
  const bool part = ends || fabs(ts_dot(pair->across, ts_sub(p2, p1))) > TS_PATCH_EXACT * pair->size;
  if (part && !part_between(pair, level, &p2, &gap)) return;
  ts_touch_list_push(list, p2, pair->normal, gap,
                     of_b ? ts_feature_pair(a->feature, b->end_features[end])
                          : ts_feature_pair(a->end_features[end], b->feature));
}

// Two lines side by side: the ends of what they share, as long as the surfaces are near each other there. Where lines
// cross the nearest points are between, which are not for us.
void ts_overlap_lines(const ts_patch *a, const ts_patch *b, ts_vec3 normal, double size, ts_touch_list *list)
{
  const ts_vec3 da = across(ts_sub(a->corners[1], a->corners[0]), normal);
  const ts_vec3 db = across(ts_sub(b->corners[1], b->corners[0]), normal);
  const double length_a = ts_length(da), length_b = ts_length(db), on = TS_PATCH_ON * size;
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
