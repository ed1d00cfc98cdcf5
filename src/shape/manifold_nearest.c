// Touches from the signed distance: its direction is the common normal, the nearest points are one touch, and where
// faces or lines face each other along it, the corners of their overlap are the others.
#include "shape/manifold_pairs.h"

#include "shape/distance.h"
#include "shape/patch.h"
#include "shape/shape_type.h"
#include "shape/turned_points.h"

static const double SNAP = 0.9999995;  // cosine of 1e-3 rad: a face this close to the normal may give it
static const double SNAP_LOSS = 1e-10; // of the smaller part: what a face's normal may cost in distance
static const double SNAP_SHIFT =
    5e-11; // of the smaller part: and by how much the nearest points may then be beside each other
static const double REACHED = 1e-9; // of the smaller part: some touch must be this close to the distance
static const double AT_END = 4e-6;  // of the smaller part: a nearest point this close to an end is the end

static ts_vec3 face_normal(const ts_convex *part, const ts_frame *frame, ts_vec3 outward, const ts_facing *facing)
{
  return ts_shape_type_of(part->kind)->face_normal(part, frame, outward, facing);
}

static double face_slack(const ts_convex *part)
{
  const ts_shape_type *type = ts_shape_type_of(part->kind);
  return type->slack ? type->slack(part) : 0.0;
}

// May the normal of a face stand for that of the nearest points? It must not cost much distance, and the points must
// face each other along it, or else the shadows of two faces would not meet.
static bool stands_for(const ts_convex *a, const ts_frame *frame_a, const ts_convex *b, const ts_frame *frame_b,
                       const ts_separation *nearest, ts_vec3 m, double size, double slack)
{
  const ts_vec3 apart = ts_sub(nearest->point_1, nearest->point_2);
  return ts_length(ts_add_scaled(apart, -ts_dot(apart, m), m)) <= SNAP_SHIFT * size + slack &&
         ts_convex_separation_along(a, frame_a, b, frame_b, m) >= nearest->gap - SNAP_LOSS * size - slack;
}

static bool is_same(ts_vec3 m, ts_vec3 n)
{
  return m.x == n.x && m.y == n.y && m.z == n.z;
}

// A face that is nearly across the normal gives it exactly, a's before b's: otherwise the normal of faces in contact
// would change with every rounding of the search. False where the normal stays as it is.
static bool snap_to_face(const ts_convex *a, const ts_frame *frame_a, const ts_convex *b, const ts_frame *frame_b,
                         const ts_facing *facing_a, const ts_facing *facing_b, const ts_separation *nearest,
                         double size, ts_vec3 *normal)
{
  if (facing_a->flatness > SNAP) {
    const ts_vec3 m = ts_negate(face_normal(a, frame_a, ts_negate(*normal), facing_a));
    if (is_same(m, *normal)) return false;
    if (stands_for(a, frame_a, b, frame_b, nearest, m, size, face_slack(a))) return *normal = m, true;
  }
  if (facing_b->flatness > SNAP) {
    const ts_vec3 m = face_normal(b, frame_b, *normal, facing_b);
    if (is_same(m, *normal)) return false;
    if (stands_for(a, frame_a, b, frame_b, nearest, m, size, face_slack(b))) return *normal = m, true;
  }
  return false;
}

static uint32_t feature_id_at(const ts_patch *patch, ts_vec3 point, double size)
{
  if (patch->kind == TS_PATCH_POINT) return ts_feature_id(TS_FEATURE_ID_NEAREST, 0);
  if (patch->kind == TS_PATCH_SEGMENT)
    for (int k = 0; k < 2; ++k)
      if (ts_distance_of(point, patch->ends[k]) <= AT_END * size) return patch->end_features[k];
  return patch->feature;
}

static bool has_patches(ts_shape_kind kind)
{
  return ts_shape_type_of(kind)->widest != NULL;
}

void ts_touches_at_nearest(const ts_convex *a, const ts_frame *frame_a, const ts_convex *b, const ts_frame *frame_b,
                           ts_touch_list *list)
{
  const double size = ts_pair_size(a, b);
  ts_patch patch_a, patch_b; // large, and as points nothing else of them is asked for
  ts_separation nearest;
  ts_convex_distance(a, frame_a, b, frame_b, &nearest);
  if (!(nearest.gap <= list->margin)) return;
  ts_vec3 n = nearest.normal;
  patch_a.kind = patch_b.kind = TS_PATCH_POINT;
  if (has_patches(a->kind) && has_patches(b->kind)) {
    ts_facing facing_a = ts_patch_look(a, frame_a, ts_negate(n)), facing_b = ts_patch_look(b, frame_b, n);
    if (snap_to_face(a, frame_a, b, frame_b, &facing_a, &facing_b, &nearest, size, &n)) {
      facing_a = ts_patch_look(a, frame_a, ts_negate(n));
      facing_b = ts_patch_look(b, frame_b, n);
    }
    const bool flat = fmax(facing_a.flatness, facing_b.flatness) >= TS_PATCH_FLAT;
    (flat ? ts_patch_widest : ts_patch_edge)(a, frame_a, ts_negate(n), &facing_a, &patch_a);
    (flat ? ts_patch_widest : ts_patch_edge)(b, frame_b, n, &facing_b, &patch_b);
    ts_patch_overlap(&patch_a, &patch_b, n, size, true, list);
  }
  if (list->least_gap <= nearest.gap + REACHED * size) return;
  const uint32_t features =
      ts_feature_pair(feature_id_at(&patch_a, nearest.point_1, size), feature_id_at(&patch_b, nearest.point_2, size));
  ts_touch_list_correct(list, nearest.point_2, list->count ? n : nearest.normal, nearest.gap, features, AT_END * size);
  ts_touches_after_turns(a, frame_a, b, frame_b, nearest.normal, list);
}
