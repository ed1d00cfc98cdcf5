// Touches in the plane z = 0. The direction is the normal of a side of one of the polygons while a corner of the other
// faces that side, and the line between two corners else: of convex polygons there are no other cases.
//
// Pieces of a polygon that is not convex have sides that are cuts, not surface. Nothing touches a cut: where it is the
// nearest, the piece behind it is nearer. While parts overlap, cuts are no way out, so only true sides are asked.
#include "shape/manifold_pairs.h"

#include "shape/distance.h"
#include "shape/patch.h"
#include "shape/turned_points.h"

static const double PREFERENCE =
    1e-10;                          // of the smaller part, for a's sides against b's and for true sides against cuts
static const double REACHED = 1e-9; // of the smaller part: a touch this close to the bound proves it

static bool is_cut(const ts_hull *hull, int face)
{
  return hull->inner && hull->inner[face];
}

static ts_vec3 side_start(const ts_hull *hull, int face)
{
  return hull->vertices[hull->face_vertices[hull->face_start[face]]];
}

static ts_vec3 side_end(const ts_hull *hull, int face)
{
  return hull->vertices[hull->face_vertices[hull->face_start[face] + 1]];
}

// ---- points and discs

// Where a point is relative to a polygon: outside the side it is furthest outside of, or nearest to a point of a side
typedef struct place {
  int outermost;     // of the sides that are asked
  double outside;    // how far outside that one
  int nearest;       // side, when the point is outside
  double along;      // of the nearest point on it, 0 at its start and 1 at its end
  double distance_2; // squared
} place;

static place place_of(const ts_hull *hull, ts_vec3 x, bool ask_cuts)
{
  place p = {-1, -INFINITY, -1, 0.0, INFINITY};
  for (int f = 0; f < hull->face_count; ++f) {
    if (!ask_cuts && is_cut(hull, f)) continue;
    const double outside = ts_dot(hull->normals[f], x) - hull->offsets[f];
    if (outside > p.outside) p.outermost = f, p.outside = outside;
    if (outside <= 0.0) continue;
    const ts_vec3 start = side_start(hull, f), span = ts_sub(side_end(hull, f), start);
    const double along = fmax(0.0, fmin(1.0, ts_dot(ts_sub(x, start), span) / ts_dot(span, span)));
    const ts_vec3 apart = ts_sub(x, ts_add_scaled(start, along, span));
    const double distance_2 = ts_dot(apart, apart);
    if (distance_2 < p.distance_2) p.nearest = f, p.along = along, p.distance_2 = distance_2;
  }
  return p;
}

static void push_round(const ts_convex *a, const ts_frame *frame_b, ts_vec3 surface, ts_vec3 normal, double distance,
                       uint32_t feature, ts_touch_list *list)
{
  ts_touch_list_push(list, ts_frame_apply(frame_b, surface), ts_mul(&frame_b->axes, normal), distance - a->radius,
                     ts_feature_pair(ts_feature_id(TS_FEATURE_ID_NEAREST, 0), feature));
}

static void push_side(const ts_convex *a, const ts_hull *hull, const ts_frame *frame_b, ts_vec3 x, int face,
                      double outside, ts_touch_list *list)
{
  const ts_vec3 normal = hull->normals[face];
  push_round(a, frame_b, ts_add_scaled(x, -outside, normal), normal, outside, ts_feature_id(TS_FEATURE_ID_EDGE, face),
             list);
}

static void touches_of_round(const ts_convex *a, const ts_frame *frame_a, const ts_convex *b, const ts_frame *frame_b,
                             ts_touch_list *list)
{
  const ts_hull *const hull = b->hull;
  const ts_vec3 x = ts_frame_unapply(frame_b, frame_a->origin);
  const place p = place_of(hull, x, true);
  if (p.outside - a->radius > list->margin) return;
  if (p.nearest < 0) {
    const place way_out = hull->inner ? place_of(hull, x, false) : p;
    if (way_out.outermost >= 0) push_side(a, hull, frame_b, x, way_out.outermost, way_out.outside, list);
  } else if (p.along > 0.0 && p.along < 1.0) {
    if (!is_cut(hull, p.nearest))
      push_side(a, hull, frame_b, x, p.nearest, ts_dot(hull->normals[p.nearest], x) - hull->offsets[p.nearest], list);
  } else {
    const int vertex = hull->face_vertices[hull->face_start[p.nearest] + (p.along > 0.0)];
    const double distance = sqrt(p.distance_2);
    const ts_vec3 normal = ts_normalize(ts_sub(x, hull->vertices[vertex]), hull->normals[p.nearest]);
    push_round(a, frame_b, hull->vertices[vertex], normal, distance, ts_feature_id(TS_FEATURE_ID_VERTEX, vertex), list);
  }
}

// ---- polygons

// A side of one polygon, and the corner of the other that is furthest inside it
typedef struct side_bound {
  double separation;
  bool of_a;
  int face, vertex;
  bool cut;
} side_bound;

// The frame of one polygon seen from the other
static ts_frame relative_frame(const ts_frame *of, const ts_frame *from)
{
  const ts_mat3 back = ts_mat3_transpose(&from->axes);
  return (ts_frame){ts_frame_unapply(from, of->origin), ts_mat3_product(&back, &of->axes)};
}

static int lowest_vertex(const ts_hull *hull, ts_vec3 up)
{
  int lowest = 0;
  for (int v = 1; v < hull->vertex_count; ++v)
    if (ts_dot(up, hull->vertices[v]) < ts_dot(up, hull->vertices[lowest])) lowest = v;
  return lowest;
}

// Walk on around the polygon while that leads down; vertices are listed counter-clockwise.
static int walk_down(const ts_hull *hull, ts_vec3 up, int vertex)
{
  for (int steps = 0; steps < hull->vertex_count; ++steps) {
    const int next = vertex + 1 < hull->vertex_count ? vertex + 1 : 0;
    if (ts_dot(up, hull->vertices[next]) >= ts_dot(up, hull->vertices[vertex])) break;
    vertex = next;
  }
  return vertex;
}

// All sides of one polygon. Their normals turn one way around, so does the corner of the other polygon that is lowest
// over them: one walk around both.
static void try_sides(const ts_hull *own, const ts_hull *other, const ts_frame *other_in_own, bool of_a, bool ask_cuts,
                      double preference, side_bound *best)
{
  int vertex = -1;
  for (int f = 0; f < own->face_count; ++f) {
    const ts_vec3 up = ts_mul_transposed(&other_in_own->axes, own->normals[f]);
    vertex = vertex < 0 ? lowest_vertex(other, up) : walk_down(other, up, vertex);
    const bool cut = is_cut(own, f);
    if (cut && !ask_cuts) continue;
    const double separation =
        ts_dot(own->normals[f], ts_frame_apply(other_in_own, other->vertices[vertex])) - own->offsets[f];
    const bool later = best->face >= 0 && (best->of_a != of_a || (cut && !best->cut)); // as good is not better
    const bool truer = best->face >= 0 && best->cut && !cut;                           // as good is better
    if (separation > best->separation + (later ? preference : truer ? -preference : 0.0))
      *best = (side_bound){separation, of_a, f, vertex, cut};
  }
}

static side_bound best_side(const ts_convex *a, const ts_frame *frame_a, const ts_convex *b, const ts_frame *frame_b,
                            bool ask_cuts, double size)
{
  const ts_frame b_in_a = relative_frame(frame_b, frame_a), a_in_b = relative_frame(frame_a, frame_b);
  side_bound best = {-INFINITY, true, -1, -1, false};
  try_sides(a->hull, b->hull, &b_in_a, true, ask_cuts, PREFERENCE * size, &best);
  try_sides(b->hull, a->hull, &a_in_b, false, ask_cuts, PREFERENCE * size, &best);
  return best;
}

static void side_patch(const ts_hull *hull, const ts_frame *frame, ts_vec3 outward, int face, ts_patch *patch)
{
  ts_patch_segment(ts_frame_apply(frame, side_start(hull, face)), ts_frame_apply(frame, side_end(hull, face)), outward,
                   patch);
  patch->feature = ts_feature_id(TS_FEATURE_ID_EDGE, face);
  for (int k = 0; k < 2; ++k)
    patch->end_features[k] = ts_feature_id(TS_FEATURE_ID_VERTEX, hull->face_vertices[hull->face_start[face] + k]);
}

// Of the two sides that meet in a vertex, the one that faces `outward` more, true sides before cuts. Side f begins at
// vertex f.
static int flatter_side(const ts_hull *hull, const ts_frame *frame, ts_vec3 outward, int vertex)
{
  const ts_vec3 d = ts_mul_transposed(&frame->axes, outward);
  const int before = vertex > 0 ? vertex - 1 : hull->face_count - 1;
  if (is_cut(hull, before) != is_cut(hull, vertex)) return is_cut(hull, before) ? vertex : before;
  return ts_dot(hull->normals[before], d) > ts_dot(hull->normals[vertex], d) ? before : vertex;
}

// The corner that a side bound is about, where it faces the side
static bool push_corner(const ts_hull *own, const ts_frame *frame, const ts_hull *other, const ts_frame *other_frame,
                        const side_bound *side, ts_vec3 normal, double size, ts_touch_list *list)
{
  const ts_vec3 x = ts_frame_apply(other_frame, other->vertices[side->vertex]);
  const ts_vec3 start = ts_frame_apply(frame, side_start(own, side->face));
  const ts_vec3 span = ts_sub(ts_frame_apply(frame, side_end(own, side->face)), start);
  const double length = ts_length(span), along = ts_dot(ts_sub(x, start), span) / length;
  if (along < -REACHED * size || along > length + REACHED * size) return false;
  const uint32_t corner = ts_feature_id(TS_FEATURE_ID_VERTEX, side->vertex),
                 flat = ts_feature_id(TS_FEATURE_ID_EDGE, side->face);
  ts_touch_list_push(list, side->of_a ? x : ts_add_scaled(x, -side->separation, normal), normal, side->separation,
                     side->of_a ? ts_feature_pair(flat, corner) : ts_feature_pair(corner, flat));
  return true;
}

// Two polygons that overlap, or a corner of one and a side of the other. False where neither.
static bool touch_at_side(const ts_convex *a, const ts_frame *frame_a, const ts_convex *b, const ts_frame *frame_b,
                          const side_bound *side, double size, ts_touch_list *list)
{
  const ts_vec3 n = side->of_a ? ts_negate(ts_mul(&frame_a->axes, a->hull->normals[side->face]))
                               : ts_mul(&frame_b->axes, b->hull->normals[side->face]);
  const int face_a = side->of_a ? side->face : flatter_side(a->hull, frame_a, ts_negate(n), side->vertex);
  const int face_b = side->of_a ? flatter_side(b->hull, frame_b, n, side->vertex) : side->face;
  ts_patch patch_a, patch_b;
  side_patch(a->hull, frame_a, ts_negate(n), face_a, &patch_a);
  side_patch(b->hull, frame_b, n, face_b, &patch_b);
  ts_patch_overlap(&patch_a, &patch_b, n, size, false, list);
  if (list->least_gap <= side->separation + REACHED * size) return true;
  return side->of_a ? push_corner(a->hull, frame_a, b->hull, frame_b, side, n, size, list)
                    : push_corner(b->hull, frame_b, a->hull, frame_a, side, n, size, list);
}

// Nearest corners. The nearest point of a polygon that is no corner was found as a corner and a side.
static void touch_at_corners(const ts_convex *a, const ts_frame *frame_a, const ts_convex *b, const ts_frame *frame_b,
                             ts_touch_list *list)
{
  ts_separation s;
  ts_convex_distance(a, frame_a, b, frame_b, &s);
  const int vertex_a = lowest_vertex(a->hull, ts_mul_transposed(&frame_a->axes, s.normal));
  const int vertex_b = lowest_vertex(b->hull, ts_mul_transposed(&frame_b->axes, ts_negate(s.normal)));
  ts_touch_list_push(
      list, s.point_2, s.normal, s.gap,
      ts_feature_pair(ts_feature_id(TS_FEATURE_ID_VERTEX, vertex_a), ts_feature_id(TS_FEATURE_ID_VERTEX, vertex_b)));
}

static void touches_of_polygons(const ts_convex *a, const ts_frame *frame_a, const ts_convex *b,
                                const ts_frame *frame_b, ts_touch_list *list)
{
  const double size = ts_pair_size(a, b);
  side_bound side = best_side(a, frame_a, b, frame_b, true, size);
  if (side.separation > list->margin) return;
  if (side.separation <= 0.0 && side.cut) side = best_side(a, frame_a, b, frame_b, false, size);
  if (side.face < 0) return; // a piece without a true side
  const bool touched = touch_at_side(a, frame_a, b, frame_b, &side, size, list);
  if (touched && side.cut) list->count = 0; // in front of a cut: the piece behind it is nearer
  const bool has_cuts = a->hull->inner || b->hull->inner;
  if (touched || (side.separation <= 0.0 && has_cuts)) return;
  list->count = 0;
  list->least_gap = INFINITY;
  touch_at_corners(a, frame_a, b, frame_b, list);
}

void ts_touches_in_plane(const ts_convex *a, const ts_frame *frame_a, const ts_convex *b, const ts_frame *frame_b,
                         ts_touch_list *list)
{
  if (a->kind == TS_SHAPE_POLYGON)
    touches_of_polygons(a, frame_a, b, frame_b, list);
  else
    touches_of_round(a, frame_a, b, frame_b, list);
}

// The side that looks along `outward` most, true sides before cuts.
static int facing_side(const ts_hull *hull, const ts_frame *frame, ts_vec3 outward)
{
  const ts_vec3 d = ts_mul_transposed(&frame->axes, outward);
  int best = 0;
  for (int f = 1; f < hull->face_count; ++f) {
    const bool truer = is_cut(hull, best) && !is_cut(hull, f), as_true = is_cut(hull, best) == is_cut(hull, f);
    if (truer || (as_true && ts_dot(hull->normals[f], d) > ts_dot(hull->normals[best], d))) best = f;
  }
  return best;
}

void ts_touches_of_facing_sides(const ts_convex *a, const ts_frame *frame_a, const ts_convex *b,
                                const ts_frame *frame_b, ts_vec3 normal, ts_touch_list *list)
{
  ts_patch patch_a, patch_b;
  side_patch(a->hull, frame_a, ts_negate(normal), facing_side(a->hull, frame_a, ts_negate(normal)), &patch_a);
  side_patch(b->hull, frame_b, normal, facing_side(b->hull, frame_b, normal), &patch_b);
  ts_patch_overlap(&patch_a, &patch_b, normal, ts_pair_size(a, b), false, list);
}

// ---- outlines that are curved

// Is the normal that of a cut? Then what is behind the cut is nearer, or, where the parts overlap, no way out.
static bool leads_through_cut(const ts_convex *polygon, const ts_frame *frame, ts_vec3 outward)
{
  const ts_vec3 d = ts_mul_transposed(&frame->axes, outward);
  for (int f = 0; polygon->hull && f < polygon->hull->face_count; ++f)
    if (is_cut(polygon->hull, f) && ts_distance_of(polygon->hull->normals[f], d) < REACHED) return true;
  return false;
}

// The way out of a piece over its true sides
static ts_separation over_true_sides(const ts_convex *a, const ts_frame *frame_a, const ts_convex *b,
                                     const ts_frame *frame_b)
{
  ts_separation best = {.gap = -INFINITY};
  for (int f = 0; f < b->hull->face_count; ++f) {
    if (is_cut(b->hull, f)) continue;
    const ts_vec3 n = ts_mul(&frame_b->axes, b->hull->normals[f]);
    const ts_vec3 x = ts_convex_support(a, ts_mul_transposed(&frame_a->axes, ts_negate(n)));
    const ts_vec3 point = ts_frame_apply(frame_a, x);
    const double gap = ts_dot(b->hull->normals[f], ts_frame_unapply(frame_b, point)) - b->hull->offsets[f];
    if (gap > best.gap) best = (ts_separation){gap, n, point, ts_add_scaled(point, -gap, n)};
  }
  return best;
}

// The straight side of a polygon or an intersection that looks along `outward`; false where none does.
static bool straight_side(const ts_convex *part, const ts_frame *frame, ts_vec3 outward, ts_patch *patch)
{
  const ts_hull *const sides = part->meet ? part->meet->flats : part->hull;
  const ts_vec3 d = ts_mul_transposed(&frame->axes, outward);
  int best = -1;
  for (int f = 0; sides && f < sides->face_count; ++f)
    if (ts_dot(sides->normals[f], d) >= TS_PATCH_FLAT && !is_cut(sides, f)) best = f;
  if (best >= 0) side_patch(sides, frame, outward, best, patch);
  return best >= 0;
}

// Whether a part is too far outside a side of a polygon, by its reach alone
static bool is_far_outside(const ts_convex *a, const ts_frame *frame_a, const ts_convex *b, const ts_frame *frame_b,
                           double margin)
{
  const ts_vec3 x = ts_frame_unapply(frame_b, frame_a->origin);
  for (int f = 0; b->hull && f < b->hull->face_count; ++f)
    if (ts_dot(b->hull->normals[f], x) - b->hull->offsets[f] > a->reach + margin) return true;
  return false;
}

void ts_touches_of_outlines(const ts_convex *a, const ts_frame *frame_a, const ts_convex *b, const ts_frame *frame_b,
                            ts_touch_list *list)
{
  ts_separation s;
  if (is_far_outside(a, frame_a, b, frame_b, list->margin)) return;
  ts_convex_distance(a, frame_a, b, frame_b, &s);
  if (leads_through_cut(b, frame_b, s.normal)) {
    if (s.gap > 0.0) return;
    s = over_true_sides(a, frame_a, b, frame_b);
  }
  if (!(s.gap <= list->margin)) return;
  const double size = ts_pair_size(a, b);
  ts_patch side_a, side_b;
  if (straight_side(a, frame_a, ts_negate(s.normal), &side_a) && straight_side(b, frame_b, s.normal, &side_b))
    ts_patch_overlap(&side_a, &side_b, s.normal, size, true, list);
  if (list->least_gap <= s.gap + REACHED * size) return;
  const uint32_t nearest = ts_feature_id(TS_FEATURE_ID_NEAREST, 0);
  ts_touch_list_push(list, s.point_2, s.normal, s.gap, ts_feature_pair(nearest, nearest));
  ts_touches_after_turns(a, frame_a, b, frame_b, s.normal, list);
}
