#include "draw/outlier.h"

#include <math.h>
#include <stdlib.h>

// One that is just as far as this shrinks the others to a third of the picture.
static const double SEVERAL_TIMES = 5.0;

static int ascending(const void *a, const void *b)
{
  const double first = *(const double *)a, second = *(const double *)b;
  return (first > second) - (first < second);
}

static double median(double *numbers, int count)
{
  qsort(numbers, (size_t)count, sizeof *numbers, ascending);
  return 0.5 * (numbers[(count - 1) / 2] + numbers[count / 2]);
}

typedef struct distance {
  double near, far; // of a box, from the middle
  int number;
} distance;

// The median of the centres along every axis; `numbers` is room for one a box.
static ts_vec3 middle_of(const ts_scope *boxes, const distance *list, int count, double *numbers)
{
  ts_vec3 middle;
  for (int i = 0; i < count; ++i) numbers[i] = ts_scope_centre(&boxes[list[i].number]).x;
  middle.x = median(numbers, count);
  for (int i = 0; i < count; ++i) numbers[i] = ts_scope_centre(&boxes[list[i].number]).y;
  middle.y = median(numbers, count);
  for (int i = 0; i < count; ++i) numbers[i] = ts_scope_centre(&boxes[list[i].number]).z;
  middle.z = median(numbers, count);
  return middle;
}

static int nearest_first(const void *a, const void *b)
{
  const distance *first = a, *second = b;
  if (first->near != second->near) return first->near < second->near ? -1 : 1;
  return (first->number > second->number) - (first->number < second->number);
}

static void measure(const ts_scope *boxes, distance *list, int count, double *numbers)
{
  const ts_vec3 middle = middle_of(boxes, list, count, numbers);
  for (int i = 0; i < count; ++i) {
    const ts_scope *box = &boxes[list[i].number];
    list[i].near = ts_vector_length(ts_scope_way(box, middle));
    list[i].far = ts_scope_reach(box, middle);
  }
  qsort(list, (size_t)count, sizeof *list, nearest_first);
}

// How many of the sorted boxes belong together. Points that are all in one place reach nowhere: then all do.
static int count_together(const distance *list, int count)
{
  double reach = 0.0;
  for (int i = 0; i < count; ++i) {
    if (i > count / 2 && reach > 0.0 && list[i].near > SEVERAL_TIMES * reach) return i;
    reach = fmax(reach, list[i].far);
  }
  return count;
}

void ts_outliers_find(const ts_scope *boxes, const bool *counted, int count, bool *outlying, ts_heap *heap)
{
  distance *list = ts_heap_zeros(heap, (size_t)count, sizeof *list);
  double *numbers = ts_heap_zeros(heap, (size_t)count, sizeof *numbers);
  int used = 0;
  for (int i = 0; i < count; ++i) {
    outlying[i] = false;
    if (numbers && counted[i]) list[used++].number = i;
  }
  if (used > 0) measure(boxes, list, used, numbers);
  for (int i = used > 0 ? count_together(list, used) : 0; i < used; ++i) outlying[list[i].number] = true;
  free(numbers);
  free(list);
}
