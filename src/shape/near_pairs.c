#include "shape/near_pairs.h"

#include "base/hot.h"
#include "math/quad.h"

#include <math.h>
#include <stdint.h>
#include <string.h>

_Static_assert(sizeof(ts_bounds) == 6 * sizeof(double), "a box is six numbers");

// How many calls a box that moves on evenly stays in its fat box. More of them mean more pairs that are near and do not
// overlap, fewer mean more searches.
static const double CALLS = 8.0;

struct ts_near_pairs {
  ts_allocator allocator;
  ts_broad_phase *broad_phase;
  int capacity;            // of boxes
  int count;               // boxes that have a fat box; 0: no pairs are kept
  ts_bounds *fat_boxes;    // (capacity)
  bool *moves;             // as they were when the fat boxes were made (capacity)
  const ts_box_pair *kept; // whose fat boxes overlap: the view of the broad phase
  int kept_count;
  ts_box_pair *pairs; // of these, those whose boxes overlap
  int pair_capacity;
};

static void release(ts_near_pairs *near, void *memory)
{
  if (memory) near->allocator.release(near->allocator.user, memory);
}

static void *allocate(ts_near_pairs *near, int count, size_t size)
{
  return (size_t)count > SIZE_MAX / size ? NULL : near->allocator.allocate(near->allocator.user, (size_t)count * size);
}

static int twice(int capacity)
{
  return capacity > INT32_MAX / 2 ? INT32_MAX : 2 * capacity;
}

static bool reserve_boxes(ts_near_pairs *near, int count)
{
  if (count <= near->capacity) return true;
  const int capacity = count > twice(near->capacity) ? count : twice(near->capacity);
  ts_bounds *fat_boxes = allocate(near, capacity, sizeof *fat_boxes);
  bool *moves = allocate(near, capacity, sizeof *moves);
  if (!fat_boxes || !moves) {
    release(near, fat_boxes);
    release(near, moves);
    return false;
  }
  release(near, near->fat_boxes);
  release(near, near->moves);
  near->fat_boxes = fat_boxes;
  near->moves = moves;
  near->capacity = capacity;
  return true;
}

static bool reserve_pairs(ts_near_pairs *near, int count)
{
  if (count <= near->pair_capacity) return true;
  const int capacity = count > twice(near->pair_capacity) ? count : twice(near->pair_capacity);
  ts_box_pair *pairs = allocate(near, capacity, sizeof *pairs);
  if (!pairs) return false;
  release(near, near->pairs);
  near->pairs = pairs;
  near->pair_capacity = capacity;
  return true;
}

ts_near_pairs *ts_near_pairs_create(int capacity, const ts_allocator *allocator)
{
  ts_arena defaults; // knows what NULL means
  ts_arena_init(&defaults, allocator);
  ts_near_pairs *near = defaults.allocator.allocate(defaults.allocator.user, sizeof *near);
  if (!near) return NULL;
  *near = (ts_near_pairs){.allocator = defaults.allocator};
  near->broad_phase = ts_broad_phase_create(capacity, &near->allocator);
  if (near->broad_phase && reserve_boxes(near, capacity) && reserve_pairs(near, twice(capacity))) return near;
  ts_near_pairs_destroy(near);
  return NULL;
}

void ts_near_pairs_destroy(ts_near_pairs *near)
{
  if (!near) return;
  ts_broad_phase_destroy(near->broad_phase);
  release(near, near->fat_boxes);
  release(near, near->moves);
  release(near, near->pairs);
  near->allocator.release(near->allocator.user, near);
}

// A box with a NAN in it is in no fat box; a fat box with one holds no box. A box is six numbers: the first four are
// compared for its low corner, and the last four for its high one.
TS_HOT static bool all_in_their_fat_boxes(const ts_bounds *fat_boxes, const ts_bounds *boxes, int count)
{
  typedef long long mask __attribute__((vector_size(32)));
  mask low = {-1, -1, -1, -1}, high = low;
  for (int i = 0; i < count; ++i) {
    const double *fat_box = (const double *)&fat_boxes[i], *box = (const double *)&boxes[i];
    low &= TS_CONST_QUAD(fat_box) <= TS_CONST_QUAD(box);
    high &= TS_CONST_QUAD(fat_box + 2) >= TS_CONST_QUAD(box + 2);
  }
  return (low[0] & low[1] & low[2] & high[1] & high[2] & high[3]) != 0;
}

static bool kept_pairs_hold(const ts_near_pairs *near, const ts_bounds *boxes, const bool *moves, int count)
{
  return near->count > 0 && near->count == count && memcmp(near->moves, moves, (size_t)count * sizeof *moves) == 0 &&
         all_in_their_fat_boxes(near->fat_boxes, boxes, count);
}

// At least the box itself, whatever `way` is.
static ts_bounds fattened(const ts_bounds *box, double way)
{
  const double spare = way > 0.0 && isfinite(way) ? CALLS * way : 0.0;
  const ts_vec3 by = {spare, spare, spare};
  return (ts_bounds){ts_sub(box->low, by), ts_add(box->high, by)};
}

static bool make_fat_boxes(ts_near_pairs *near, const ts_bounds *boxes, const double *way, const bool *moves, int count)
{
  near->count = 0;
  if (!reserve_boxes(near, count)) return false;
  for (int i = 0; i < count; ++i) near->fat_boxes[i] = fattened(&boxes[i], way[i]);
  if (count > 0) memcpy(near->moves, moves, (size_t)count * sizeof *moves);
  if (!ts_broad_phase_find(near->broad_phase, near->fat_boxes, moves, count, &near->kept, &near->kept_count) ||
      !reserve_pairs(near, near->kept_count))
    return false;
  near->count = count;
  return true;
}

bool ts_near_pairs_find(ts_near_pairs *near, const ts_bounds *boxes, const double *way, const bool *moves, int count,
                        const ts_box_pair **pairs, int *pair_count)
{
  *pairs = near->pairs;
  *pair_count = 0;
  if (!kept_pairs_hold(near, boxes, moves, count) && !make_fat_boxes(near, boxes, way, moves, count)) return false;
  int found = 0;
  for (int k = 0; k < near->kept_count; ++k) {
    const ts_bounds *first = &boxes[near->kept[k].first], *second = &boxes[near->kept[k].second];
    if (ts_bounds_overlap(first, second) && ts_bounds_are_proper(first) && ts_bounds_are_proper(second))
      near->pairs[found++] = near->kept[k];
  }
  *pairs = near->pairs;
  *pair_count = found;
  return true;
}

const ts_bounds *ts_near_pairs_fat_boxes(const ts_near_pairs *near, int count)
{
  return near->count > 0 && near->count == count ? near->fat_boxes : NULL;
}

const ts_box_pair *ts_near_pairs_kept(const ts_near_pairs *near, int *pair_count)
{
  *pair_count = near->kept_count;
  return near->kept;
}
