#include "draw/depth_order.h"

#include <stdlib.h>

// `front` must be painted after `back`.
typedef struct relation {
  int back, front;
} relation;

typedef struct relations {
  relation *list;
  int count, capacity;
  ts_heap *heap; // relations that it has no memory for are left out
} relations;

static void add_relation(relations *all, int back, int front)
{
  if (all->count == all->capacity) {
    const int capacity = all->capacity ? 2 * all->capacity : 256;
    relation *grown = ts_heap_grow(all->heap, all->list, (size_t)capacity, sizeof *grown);
    if (!grown) return;
    all->list = grown;
    all->capacity = capacity;
  }
  all->list[all->count++] = (relation){back, front};
}

static double depth_of(const ts_placed_shape *solid, const ts_camera *camera)
{
  return ts_vector_dot(camera->toward, solid->pose.position);
}

// How far `first` is in front of `second`; negative: behind. Only the sign counts.
static double lead(const ts_placed_shape *first, const ts_placed_shape *second, const ts_camera *camera, ts_heap *heap)
{
  const double apart = depth_of(first, camera) - depth_of(second, camera);
  ts_separation separation;
  const ts_status status =
      ts_shape_distance(first->shape, &first->pose, second->shape, &second->pose, &separation, NULL);
  if (status == TS_OUT_OF_MEMORY) heap->exhausted = true;
  if (status != TS_OK) return apart;
  if (separation.gap < 0.0 && first->body == second->body && first->moment != second->moment)
    return (double)(first->moment - second->moment); // a body and its own past: the later covers the earlier
  const double along = ts_vector_dot(separation.normal, camera->toward);
  return along != 0.0 ? along : apart;
}

typedef struct screen_box {
  ts_window window;
  int solid;
} screen_box;

static int by_left_side(const void *a, const void *b)
{
  const double first = ((const screen_box *)a)->window.low.x, second = ((const screen_box *)b)->window.low.x;
  return (first > second) - (first < second);
}

// Only solids that overlap in the picture need an order. A sweep from left to right finds them.
static relations find_relations(const ts_placed_shape *const *solids, int count, const ts_camera *camera, ts_heap *heap)
{
  relations all = {.heap = heap};
  screen_box *boxes = ts_heap_zeros(heap, (size_t)count, sizeof *boxes);
  if (!boxes) return all;
  for (int i = 0; i < count; ++i) {
    boxes[i] = (screen_box){ts_window_empty(), i};
    ts_window_add_shape(&boxes[i].window, camera, solids[i]->shape, &solids[i]->pose);
  }
  qsort(boxes, (size_t)count, sizeof *boxes, by_left_side);
  for (int i = 0; i < count; ++i)
    for (int k = i + 1; k < count && boxes[k].window.low.x < boxes[i].window.high.x; ++k) {
      if (!ts_windows_overlap(&boxes[i].window, &boxes[k].window)) continue;
      const int a = boxes[i].solid, b = boxes[k].solid;
      if (lead(solids[a], solids[b], camera, heap) > 0.0)
        add_relation(&all, b, a);
      else
        add_relation(&all, a, b);
    }
  free(boxes);
  return all;
}

static int by_back(const void *a, const void *b)
{
  const relation *first = a, *second = b;
  if (first->back != second->back) return first->back < second->back ? -1 : 1;
  return (first->front > second->front) - (first->front < second->front);
}

// The furthest of those that nothing unpainted lies behind; when rings leave none, the furthest of all that are left.
static int next_solid(const int *behind, const bool *painted, const double *depth, int count)
{
  int best = -1;
  for (int i = 0; i < count; ++i) {
    if (painted[i]) continue;
    const bool ready = behind[i] == 0, best_ready = best >= 0 && behind[best] == 0;
    if (best < 0 || ready > best_ready || (ready == best_ready && depth[i] < depth[best])) best = i;
  }
  return best;
}

// What a walk from the back to the front keeps, by the number of the solid.
typedef struct walk {
  int *start;  // of its relations as the one behind (count + 1)
  int *behind; // how many that are not painted yet must be painted before it
  bool *painted;
  double *depth;
} walk;

static walk begin_walk(const relations *all, const ts_placed_shape *const *solids, int count, const ts_camera *camera)
{
  walk w = {ts_heap_zeros(all->heap, (size_t)count + 1, sizeof *w.start),
            ts_heap_zeros(all->heap, (size_t)count, sizeof *w.behind),
            ts_heap_zeros(all->heap, (size_t)count, sizeof *w.painted),
            ts_heap_zeros(all->heap, (size_t)count, sizeof *w.depth)};
  if (all->heap->exhausted) return w;
  for (int i = 0; i < count; ++i) w.depth[i] = depth_of(solids[i], camera);
  for (int i = 0; i < all->count; ++i) {
    ++w.start[all->list[i].back + 1];
    ++w.behind[all->list[i].front];
  }
  for (int i = 0; i < count; ++i) w.start[i + 1] += w.start[i];
  return w;
}

static void go(walk *w, const relations *all, int count, int *order)
{
  for (int k = 0; k < count; ++k) {
    const int i = next_solid(w->behind, w->painted, w->depth, count);
    w->painted[i] = true;
    order[k] = i;
    for (int j = w->start[i]; j < w->start[i + 1]; ++j) --w->behind[all->list[j].front];
  }
}

static void end_walk(walk *w)
{
  free(w->start);
  free(w->behind);
  free(w->painted);
  free(w->depth);
}

bool ts_depth_order(const ts_placed_shape *const *solids, int count, const ts_camera *camera, int *order, ts_heap *heap)
{
  relations all = find_relations(solids, count, camera, heap);
  if (all.count > 0) qsort(all.list, (size_t)all.count, sizeof *all.list, by_back);
  walk w = begin_walk(&all, solids, count, camera);
  if (!heap->exhausted) go(&w, &all, count, order);
  end_walk(&w);
  free(all.list);
  return !heap->exhausted;
}
