// Collecting the touches of a pair: what is further apart than the margin is left out, what does not fit is counted.
#ifndef TS_SHAPE_TOUCH_LIST_H
#define TS_SHAPE_TOUCH_LIST_H

#include "shape/manifold.h"

// All points are relative to `origin`: the arithmetic then does not suffer where the pair is far from the world's.
typedef struct ts_touch_list {
  ts_touch *touches;
  int capacity, count;
  double margin;
  double least_gap; // of all touches so far
  ts_vec3 origin;
} ts_touch_list;

// A feature id says where on one part a touch is: the kind (two bits) and which (fourteen). The feature of a touch is
// the pair of part a's in the upper half and part b's in the lower.
typedef enum ts_feature_id_kind {
  TS_FEATURE_ID_VERTEX,
  TS_FEATURE_ID_EDGE,
  TS_FEATURE_ID_FACE,
  TS_FEATURE_ID_NEAREST
} ts_feature_id_kind;

TS_INLINE uint32_t ts_feature_id(ts_feature_id_kind kind, int index)
{
  return (uint32_t)kind << 14 | ((uint32_t)index & 0x3fffu);
}

TS_INLINE uint32_t ts_feature_pair(uint32_t of_a, uint32_t of_b)
{
  return of_a << 16 | of_b;
}

TS_INLINE uint32_t ts_feature_pair_swapped(uint32_t feature)
{
  return feature << 16 | feature >> 16;
}

// The edge between two vertices of a hull: the same whichever face it is seen from
TS_INLINE uint32_t ts_edge_feature_id(int vertex_count, int v, int w)
{
  return ts_feature_id(TS_FEATURE_ID_EDGE, v < w ? v * vertex_count + w : w * vertex_count + v);
}

TS_INLINE void ts_touch_list_push(ts_touch_list *list, ts_vec3 point_2, ts_vec3 normal, double gap, uint32_t feature)
{
  if (!(gap <= list->margin)) return;
  if (gap < list->least_gap) list->least_gap = gap;
  if (list->count < list->capacity) {
    const ts_vec3 p = ts_add(list->origin, point_2);
    list->touches[list->count] = (ts_touch){ts_add_scaled(p, gap, normal), p, normal, gap, feature};
  }
  ++list->count;
}

// A touch that is known better: in place of one that stands within `distance` of it, or else beside the others
TS_INLINE void ts_touch_list_correct(ts_touch_list *list, ts_vec3 point_2, ts_vec3 normal, double gap, uint32_t feature,
                                     double distance)
{
  const int written = list->count < list->capacity ? list->count : list->capacity;
  const ts_vec3 p = ts_add(list->origin, point_2);
  for (int i = 0; i < written; ++i) {
    ts_touch *const t = &list->touches[i];
    if (ts_distance_of(t->point_2, p) > distance) continue;
    *t = (ts_touch){ts_add_scaled(p, gap, normal), p, normal, gap, t->feature};
    list->least_gap = gap;
    return;
  }
  ts_touch_list_push(list, point_2, normal, gap, feature);
}

// As seen with the parts exchanged
TS_INLINE void ts_touch_list_swap(ts_touch_list *list)
{
  const int written = list->count < list->capacity ? list->count : list->capacity;
  for (int i = 0; i < written; ++i) {
    ts_touch *const t = &list->touches[i];
    *t = (ts_touch){t->point_2, t->point_1, ts_negate(t->normal), t->gap, ts_feature_pair_swapped(t->feature)};
  }
}

#endif
