#include "cli/depth_order.h"

#include "cli/memory.h"

#include <stdlib.h>

// `front` must be painted after `back`.
typedef struct relation {
  int back, front;
} relation;

typedef struct relations {
  relation *list;
  int count, capacity;
} relations;

static void add_relation(relations *all, int back, int front)
{
  if (all->count == all->capacity) {
    all->capacity = all->capacity ? 2 * all->capacity : 256;
    all->list = cli_grow(all->list, (size_t)all->capacity, sizeof *all->list);
  }
  all->list[all->count++] = (relation){back, front};
}

static double depth_of(const cli_placed *solid, const cli_camera *camera)
{
  return cli_dot(camera->toward, solid->pose.position);
}

// How far `first` is in front of `second`; negative: behind. Only the sign counts.
static double lead(const cli_placed *first, const cli_placed *second, const cli_camera *camera)
{
  const double apart = depth_of(first, camera) - depth_of(second, camera);
  ts_separation separation;
  if (ts_shape_distance(first->shape, &first->pose, second->shape, &second->pose, &separation, NULL) != TS_OK)
    return apart;
  if (separation.gap < 0.0 && first->body == second->body && first->moment != second->moment)
    return (double)(first->moment - second->moment); // a body and its own past: the later covers the earlier
  const double along = cli_dot(separation.normal, camera->toward);
  return along != 0.0 ? along : apart;
}

typedef struct screen_box {
  cli_window window;
  int solid;
} screen_box;

static int by_left_side(const void *a, const void *b)
{
  const double first = ((const screen_box *)a)->window.low.x, second = ((const screen_box *)b)->window.low.x;
  return (first > second) - (first < second);
}

// Only solids that overlap in the picture need an order. A sweep from left to right finds them.
static relations find_relations(const cli_placed *const *solids, int count, const cli_camera *camera)
{
  relations all = {NULL, 0, 0};
  screen_box *boxes = cli_zeros((size_t)count, sizeof *boxes);
  for (int i = 0; i < count; ++i) {
    boxes[i] = (screen_box){cli_window_empty(), i};
    cli_window_add_shape(&boxes[i].window, camera, solids[i]->shape, &solids[i]->pose);
  }
  qsort(boxes, (size_t)count, sizeof *boxes, by_left_side);
  for (int i = 0; i < count; ++i)
    for (int k = i + 1; k < count && boxes[k].window.low.x < boxes[i].window.high.x; ++k) {
      if (!cli_windows_overlap(&boxes[i].window, &boxes[k].window)) continue;
      const int a = boxes[i].solid, b = boxes[k].solid;
      if (lead(solids[a], solids[b], camera) > 0.0)
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

void cli_depth_order(const cli_placed *const *solids, int count, const cli_camera *camera, int *order)
{
  relations all = find_relations(solids, count, camera);
  if (all.count > 0) qsort(all.list, (size_t)all.count, sizeof *all.list, by_back);
  int *start = cli_zeros((size_t)count + 1, sizeof *start), *behind = cli_zeros((size_t)count, sizeof *behind);
  bool *painted = cli_zeros((size_t)count, sizeof *painted);
  double *depth = cli_zeros((size_t)count, sizeof *depth);
  for (int i = 0; i < count; ++i) depth[i] = depth_of(solids[i], camera);
  for (int i = 0; i < all.count; ++i) {
    ++start[all.list[i].back + 1];
    ++behind[all.list[i].front];
  }
  for (int i = 0; i < count; ++i) start[i + 1] += start[i];
  for (int k = 0; k < count; ++k) {
    const int i = next_solid(behind, painted, depth, count);
    painted[i] = true;
    order[k] = i;
    for (int j = start[i]; j < start[i + 1]; ++j) --behind[all.list[j].front];
  }
  free(start);
  free(behind);
  free(painted);
  free(depth);
  free(all.list);
}
