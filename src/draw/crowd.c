#include "draw/crowd.h"

#include "draw/outlier.h"

#include <math.h>
#include <stdlib.h>

// A fixed body that is larger than all that moves by more than this is a ground rather than a thing.
static const double DWARFED = 20.0;

// Parts of one body at one moment follow each other in the picture.
static void gather(ts_crowd *crowd, const ts_picture *picture)
{
  for (int i = 0; i < picture->placed_count; ++i) {
    const ts_placed_shape *placed = &picture->placed[i];
    crowd->member_of[i] = -1;
    if (!ts_placed_shape_has_place(placed)) continue;
    const ts_scope box = ts_scope_of_shape(placed->shape, &placed->pose);
    const ts_crowd_member *last = crowd->count > 0 ? &crowd->members[crowd->count - 1] : NULL;
    if (!last || last->body != placed->body || last->moment != placed->moment) {
      crowd->boxes[crowd->count] = box;
      crowd->members[crowd->count++] = (ts_crowd_member){placed->body, placed->moment, placed->kind == TS_FIXED};
    }
    crowd->member_of[i] = crowd->count - 1;
    ts_scope_unite(&crowd->boxes[crowd->count - 1], &box);
  }
}

ts_scope ts_crowd_scope(const ts_crowd *crowd)
{
  ts_scope scope = ts_scope_empty();
  for (int i = 0; i < crowd->count; ++i)
    if (crowd->counted[i] && !crowd->outside[i]) ts_scope_unite(&scope, &crowd->boxes[i]);
  return scope;
}

// Fixed bodies are measured by those that move; with these they make up what all are measured by.
static void find_outside(ts_crowd *crowd, ts_heap *heap)
{
  for (int i = 0; i < crowd->count; ++i) crowd->counted[i] = !crowd->members[i].fixed;
  ts_outliers_find(crowd->boxes, crowd->counted, crowd->count, crowd->outside, heap);
  const ts_scope moving = ts_crowd_scope(crowd);
  const double size = ts_scope_size(&moving), largest = size > 0.0 ? DWARFED * size : INFINITY;
  for (int i = 0; i < crowd->count; ++i)
    crowd->counted[i] = !crowd->members[i].fixed || ts_scope_size(&crowd->boxes[i]) <= largest;
  ts_outliers_find(crowd->boxes, crowd->counted, crowd->count, crowd->outside, heap);
}

static bool has_trail(const ts_picture *picture, int body)
{
  for (int i = 0; i < picture->trail_count; ++i)
    if (picture->trails[i].body == body) return true;
  return false;
}

// Where bodies to look at were named, nothing is left out, and neither is a body whose way is asked for.
static void bring_back(ts_crowd *crowd, const ts_picture *picture)
{
  for (int i = 0; i < crowd->count; ++i) {
    if (crowd->outside[i]) crowd->outside[i] = !picture->focus && !has_trail(picture, crowd->members[i].body);
    crowd->outside_count += crowd->outside[i];
  }
}

void ts_crowd_init(ts_crowd *crowd, const ts_picture *picture, ts_heap *heap)
{
  const size_t most = (size_t)picture->placed_count;
  *crowd = (ts_crowd){.members = ts_heap_zeros(heap, most, sizeof *crowd->members),
                      .boxes = ts_heap_zeros(heap, most, sizeof *crowd->boxes),
                      .counted = ts_heap_zeros(heap, most, sizeof *crowd->counted),
                      .outside = ts_heap_zeros(heap, most, sizeof *crowd->outside),
                      .member_of = ts_heap_zeros(heap, most, sizeof *crowd->member_of)};
  if (heap->exhausted) return;
  gather(crowd, picture);
  find_outside(crowd, heap);
  bring_back(crowd, picture);
}

void ts_crowd_destroy(ts_crowd *crowd)
{
  free(crowd->members);
  free(crowd->boxes);
  free(crowd->counted);
  free(crowd->outside);
  free(crowd->member_of);
}

bool ts_crowd_is_outside(const ts_crowd *crowd, int body, int moment)
{
  for (int i = 0; crowd->outside_count > 0 && i < crowd->count; ++i)
    if (crowd->outside[i] && crowd->members[i].body == body && crowd->members[i].moment == moment) return true;
  return false;
}
