// Overlapping boxes by a bounding volume tree that is built anew each time: the boxes are sorted along a Morton curve
// (Lauterbach et al. 2009), groups of GROUP neighbours on it become the leaves of a complete binary tree, and every
// moving box looks for partners among the boxes behind it on the curve. Boxes that do not move are sorted behind those
// that do: they need not look for anything, and whoever looks forward meets them all.
//
// The tree is a heap: node k has the children 2k and 2k + 1. Depth first, what follows the subtree of k is k + 1
// shifted until it is odd: right siblings are odd, and the shift climbs from a node that was the last of its parent's.
//
// Cost: sorting by digits 8 n, tree 2 n / GROUP, search n log n for boxes of similar size, pairs two counting sorts.
#include "shape/broad_phase.h"

#include "base/assert.h"
#include "math/quad.h"

#include <limits.h>
#include <math.h>
#include <stdint.h>
#include <string.h>

enum {
  FEW = 64,  // so few boxes are compared one with another
  LANES = 4, // of them at a time
  GROUP = 8, // boxes in a leaf
  DIGIT_BITS = 8,
  DIGITS = 1 << DIGIT_BITS,
  PASSES = 64 / DIGIT_BITS,
  AXIS_BITS = 21 // of a Morton code, for each axis
};

#define REST_BIT ((uint64_t)1 << 63) // of the sorting key: does not move

typedef struct tree_item {
  uint64_t key;
  int box;
} tree_item;

// Few boxes, component by component; what does not overlap anything has a NAN.
typedef struct box_lanes {
  double low_x[FEW + LANES], low_y[FEW + LANES], low_z[FEW + LANES];
  double high_x[FEW + LANES], high_y[FEW + LANES], high_z[FEW + LANES];
  double moving_low_x[FEW + LANES]; // NAN for boxes that do not move
} box_lanes;

struct ts_broad_phase {
  ts_allocator allocator;
  int box_capacity, pair_capacity;
  tree_item *items, *spare_items; // finite boxes along the curve
  ts_bounds *leaf_boxes;          // their bounds, in that order
  ts_bounds *nodes;               // heap, from 1
  int *unbounded;                 // boxes that have no place on the curve
  int *starts;                    // of the counting sorts
  ts_box_pair *pairs, *spare_pairs;
  int pair_count;
  box_lanes lanes; // scratch
};

static void release(ts_broad_phase *b, void *memory)
{
  if (memory) b->allocator.release(b->allocator.user, memory);
}

static void release_boxes(ts_broad_phase *b)
{
  release(b, b->items);
  release(b, b->spare_items);
  release(b, b->leaf_boxes);
  release(b, b->nodes);
  release(b, b->unbounded);
  release(b, b->starts);
  b->items = b->spare_items = NULL;
  b->leaf_boxes = b->nodes = NULL;
  b->unbounded = b->starts = NULL;
  b->box_capacity = 0;
}

static void *allocate(ts_broad_phase *b, size_t count, size_t size)
{
  return count > SIZE_MAX / size ? NULL : b->allocator.allocate(b->allocator.user, count * size);
}

// Leaves of the tree over so many boxes: a power of two
static size_t leaf_count_for(int count)
{
  const size_t groups = ((size_t)count + GROUP - 1) / GROUP;
  size_t leaves = 1;
  while (leaves < groups) leaves *= 2;
  return leaves;
}

static bool reserve_boxes(ts_broad_phase *b, int count)
{
  if (count <= b->box_capacity) return true;
  const int doubled = b->box_capacity > INT_MAX / 2 ? INT_MAX : 2 * b->box_capacity;
  const int capacity = count > doubled ? count : doubled;
  const size_t n = (size_t)capacity;
  release_boxes(b);
  b->items = allocate(b, n, sizeof *b->items);
  b->spare_items = allocate(b, n, sizeof *b->spare_items);
  b->leaf_boxes = allocate(b, n, sizeof *b->leaf_boxes);
  b->nodes = allocate(b, 2 * leaf_count_for(capacity), sizeof *b->nodes);
  b->unbounded = allocate(b, n, sizeof *b->unbounded);
  b->starts = allocate(b, n + 1, sizeof *b->starts);
  if (!b->items || !b->spare_items || !b->leaf_boxes || !b->nodes || !b->unbounded || !b->starts) {
    release_boxes(b);
    return false;
  }
  b->box_capacity = capacity;
  return true;
}

static bool reserve_pairs(ts_broad_phase *b, int capacity)
{
  ts_box_pair *pairs = allocate(b, (size_t)capacity, sizeof *pairs);
  ts_box_pair *spare = allocate(b, (size_t)capacity, sizeof *spare);
  if (!pairs || !spare) {
    release(b, pairs);
    release(b, spare);
    return false;
  }
  if (b->pair_count) memcpy(pairs, b->pairs, (size_t)b->pair_count * sizeof *pairs);
  release(b, b->pairs);
  release(b, b->spare_pairs);
  b->pairs = pairs;
  b->spare_pairs = spare;
  b->pair_capacity = capacity;
  return true;
}

ts_broad_phase *ts_broad_phase_create(int capacity, const ts_allocator *allocator)
{
  ts_arena defaults;
  ts_arena_init(&defaults, allocator);
  ts_broad_phase *b = defaults.allocator.allocate(defaults.allocator.user, sizeof *b);
  if (!b) return NULL;
  memset(b, 0, sizeof *b);
  b->allocator = defaults.allocator;
  const int few = capacity > FEW ? capacity : FEW;
  if (reserve_boxes(b, few) && reserve_pairs(b, few > INT_MAX / 4 ? INT_MAX : 4 * few)) return b;
  ts_broad_phase_destroy(b);
  return NULL;
}

void ts_broad_phase_destroy(ts_broad_phase *b)
{
  if (!b) return;
  release_boxes(b);
  release(b, b->pairs);
  release(b, b->spare_pairs);
  b->allocator.release(b->allocator.user, b);
}

static bool push_pair(ts_broad_phase *b, int i, int j)
{
  if (b->pair_count == b->pair_capacity) {
    if (b->pair_capacity > INT_MAX / 2 || !reserve_pairs(b, 2 * b->pair_capacity)) return false;
  }
  b->pairs[b->pair_count++] = i < j ? (ts_box_pair){i, j} : (ts_box_pair){j, i};
  return true;
}

TS_INLINE void fill_lane(box_lanes *lanes, int i, const ts_bounds *box, bool moves)
{
  const double x = ts_bounds_are_proper(box) ? box->low.x : NAN;
  lanes->low_x[i] = x;
  lanes->moving_low_x[i] = moves ? x : NAN;
  lanes->low_y[i] = box->low.y;
  lanes->low_z[i] = box->low.z;
  lanes->high_x[i] = box->high.x;
  lanes->high_y[i] = box->high.y;
  lanes->high_z[i] = box->high.z;
}

// Lanes behind the last box overlap nothing, so that the last four may be read whole.
TS_INLINE void fill_lanes(box_lanes *lanes, const ts_bounds *boxes, const bool *moves, int count)
{
  for (int i = 0; i < count; ++i) fill_lane(lanes, i, &boxes[i], moves[i]);
  for (int i = count; i < count + LANES - 1; ++i) lanes->low_x[i] = lanes->moving_low_x[i] = NAN;
}

// Whether box i overlaps one of those behind it, four at a time. A comparison with NAN is false.
TS_INLINE bool overlaps_one_behind(const box_lanes *lanes, int i, bool moves, int count)
{
  typedef long long mask __attribute__((vector_size(32)));
  const double *low_x = moves ? lanes->low_x : lanes->moving_low_x;
  mask any = {0};
  for (int j = i + 1; j < count; j += LANES)
    any |=
        (TS_CONST_QUAD(low_x + j) <= lanes->high_x[i]) & (TS_CONST_QUAD(lanes->high_x + j) >= lanes->low_x[i]) &
        (TS_CONST_QUAD(lanes->low_y + j) <= lanes->high_y[i]) & (TS_CONST_QUAD(lanes->high_y + j) >= lanes->low_y[i]) &
        (TS_CONST_QUAD(lanes->low_z + j) <= lanes->high_z[i]) & (TS_CONST_QUAD(lanes->high_z + j) >= lanes->low_z[i]);
  return (any[0] | any[1] | any[2] | any[3]) != 0;
}

static bool push_partners_behind(ts_broad_phase *b, const ts_bounds *boxes, const bool *moves, int i, int count)
{
  for (int j = i + 1; j < count; ++j)
    if ((moves[i] | moves[j]) && ts_bounds_overlap(&boxes[i], &boxes[j]) && ts_bounds_are_proper(&boxes[j]) &&
        !push_pair(b, i, j))
      return false;
  return true;
}

// Few boxes: each with each, which gives the right order at once. Most overlap nothing.
TS_HOT static bool find_among_few(ts_broad_phase *b, const ts_bounds *boxes, const bool *moves, int count)
{
  fill_lanes(&b->lanes, boxes, moves, count);
  for (int i = 0; i < count; ++i)
    if (overlaps_one_behind(&b->lanes, i, moves[i], count) && !push_partners_behind(b, boxes, moves, i, count))
      return false;
  return true;
}

static bool is_bounded(const ts_bounds *a)
{
  return ts_vec3_is_finite(a->low) && ts_vec3_is_finite(a->high);
}

// Put two zeros between the lowest 21 bits
static uint64_t spread_bits(uint64_t x)
{
  x = (x | x << 32) & 0x001f00000000ffffu;
  x = (x | x << 16) & 0x001f0000ff0000ffu;
  x = (x | x << 8) & 0x100f00f00f00f00fu;
  x = (x | x << 4) & 0x10c30c30c30c30c3u;
  x = (x | x << 2) & 0x1249249249249249u;
  return x;
}

// Half the middle of a box: cannot overflow, nor can the difference of two
TS_INLINE ts_vec3 half_middle(const ts_bounds *a)
{
  return ts_add(ts_scale(0.25, a->low), ts_scale(0.25, a->high));
}

// A cube that holds all half middles
typedef struct curve_cube {
  ts_vec3 corner;
  double edge;
} curve_cube;

static curve_cube cube_around(const ts_bounds *boxes, const tree_item *items, int count)
{
  ts_vec3 low = {INFINITY, INFINITY, INFINITY}, high = {-INFINITY, -INFINITY, -INFINITY};
  for (int i = 0; i < count; ++i) {
    const ts_vec3 m = half_middle(&boxes[items[i].box]);
    low = ts_vec3_make(fmin(low.x, m.x), fmin(low.y, m.y), fmin(low.z, m.z));
    high = ts_vec3_make(fmax(high.x, m.x), fmax(high.y, m.y), fmax(high.z, m.z));
  }
  return (curve_cube){low, fmax(fmax(high.x - low.x, high.y - low.y), high.z - low.z)};
}

static uint64_t axis_code(double distance, double edge)
{
  const double cells = (double)((1 << AXIS_BITS) - 1);
  return edge > 0.0 ? spread_bits((uint64_t)(distance / edge * cells)) : 0;
}

static void set_keys(const ts_bounds *boxes, const bool *moves, tree_item *items, int count)
{
  const curve_cube cube = cube_around(boxes, items, count);
  for (int i = 0; i < count; ++i) {
    const ts_vec3 d = ts_sub(half_middle(&boxes[items[i].box]), cube.corner);
    const uint64_t code = axis_code(d.x, cube.edge) | axis_code(d.y, cube.edge) << 1 | axis_code(d.z, cube.edge) << 2;
    items[i].key = moves[items[i].box] ? code : code | REST_BIT;
  }
}

// By the digits of the keys, the lowest first; items of equal keys stay in the order of their boxes.
static void sort_items(ts_broad_phase *b, int count)
{
  int histogram[PASSES][DIGITS] = {{0}};
  for (int i = 0; i < count; ++i)
    for (int pass = 0; pass < PASSES; ++pass) ++histogram[pass][b->items[i].key >> (pass * DIGIT_BITS) & (DIGITS - 1)];
  for (int pass = 0; pass < PASSES; ++pass) {
    int *const start = histogram[pass];
    if (start[b->items[0].key >> (pass * DIGIT_BITS) & (DIGITS - 1)] == count) continue; // all alike in this digit
    for (int digit = 0, sum = 0; digit < DIGITS; ++digit) {
      const int here = start[digit];
      start[digit] = sum;
      sum += here;
    }
    for (int i = 0; i < count; ++i)
      b->spare_items[start[b->items[i].key >> (pass * DIGIT_BITS) & (DIGITS - 1)]++] = b->items[i];
    tree_item *const sorted = b->spare_items;
    b->spare_items = b->items;
    b->items = sorted;
  }
}

TS_INLINE ts_bounds unite(const ts_bounds *a, const ts_bounds *b)
{
  return (ts_bounds){{a->low.x < b->low.x ? a->low.x : b->low.x, a->low.y < b->low.y ? a->low.y : b->low.y,
                      a->low.z < b->low.z ? a->low.z : b->low.z},
                     {a->high.x > b->high.x ? a->high.x : b->high.x, a->high.y > b->high.y ? a->high.y : b->high.y,
                      a->high.z > b->high.z ? a->high.z : b->high.z}};
}

// Behind the last box of a leaf
static size_t leaf_end(size_t leaf, int count)
{
  const size_t end = (leaf + 1) * GROUP;
  return end < (size_t)count ? end : (size_t)count;
}

static void build_tree(ts_broad_phase *b, const ts_bounds *boxes, int count, size_t leaves)
{
  const ts_bounds nothing = {{INFINITY, INFINITY, INFINITY}, {-INFINITY, -INFINITY, -INFINITY}};
  for (int i = 0; i < count; ++i) b->leaf_boxes[i] = boxes[b->items[i].box];
  for (size_t leaf = 0; leaf < leaves; ++leaf) {
    ts_bounds around = nothing;
    for (size_t i = leaf * GROUP; i < leaf_end(leaf, count); ++i) around = unite(&around, &b->leaf_boxes[i]);
    b->nodes[leaves + leaf] = around;
  }
  for (size_t k = leaves - 1; k > 0; --k) b->nodes[k] = unite(&b->nodes[2 * k], &b->nodes[2 * k + 1]);
}

// The node after the subtree of k, depth first; 1 when there is none
TS_INLINE size_t after(size_t k)
{
  for (++k; k % 2 == 0; k /= 2) {
  }
  return k;
}

static bool find_in_leaf(ts_broad_phase *b, int i, size_t start, size_t end)
{
  const ts_bounds *const box = &b->leaf_boxes[i];
  for (size_t j = start; j < end; ++j)
    if (ts_bounds_overlap(box, &b->leaf_boxes[j]) && !push_pair(b, b->items[i].box, b->items[j].box)) return false;
  return true;
}

// Partners of the i-th item on the curve among those behind it
static bool find_behind(ts_broad_phase *b, int i, int count, size_t leaves)
{
  const ts_bounds *const box = &b->leaf_boxes[i];
  const size_t own_leaf = (size_t)i / GROUP;
  if (!find_in_leaf(b, i, (size_t)i + 1, leaf_end(own_leaf, count))) return false;
  for (size_t k = after(leaves + own_leaf); k > 1;) {
    if (!ts_bounds_overlap(box, &b->nodes[k]))
      k = after(k);
    else if (k < leaves)
      k *= 2;
    else {
      if (!find_in_leaf(b, i, (k - leaves) * GROUP, leaf_end(k - leaves, count))) return false;
      k = after(k);
    }
  }
  return true;
}

static bool find_in_tree(ts_broad_phase *b, const ts_bounds *boxes, const bool *moves, int count)
{
  if (count == 0) return true;
  const size_t leaves = leaf_count_for(count);
  set_keys(boxes, moves, b->items, count);
  sort_items(b, count);
  build_tree(b, boxes, count, leaves);
  for (int i = 0; i < count && !(b->items[i].key & REST_BIT); ++i)
    if (!find_behind(b, i, count, leaves)) return false;
  return true;
}

// Each unbounded box with all bounded ones, and with the unbounded ones after it
static bool find_unbounded(ts_broad_phase *b, const ts_bounds *boxes, const bool *moves, int bounded, int unbounded)
{
  for (int u = 0; u < unbounded; ++u) {
    const int i = b->unbounded[u];
    for (int k = 0; k < bounded; ++k) {
      const int j = b->items[k].box;
      if ((moves[i] | moves[j]) && ts_bounds_overlap(&boxes[i], &boxes[j]) && !push_pair(b, i, j)) return false;
    }
    for (int k = u + 1; k < unbounded; ++k) {
      const int j = b->unbounded[k];
      if ((moves[i] | moves[j]) && ts_bounds_overlap(&boxes[i], &boxes[j]) && !push_pair(b, i, j)) return false;
    }
  }
  return true;
}

// One stable counting sort of the pairs, by their second or their first box
static void sort_pairs_by(ts_broad_phase *b, int box_count, bool by_second)
{
  int *const starts = b->starts;
  memset(starts, 0, ((size_t)box_count + 1) * sizeof *starts);
  for (int k = 0; k < b->pair_count; ++k) ++starts[1 + (by_second ? b->pairs[k].second : b->pairs[k].first)];
  for (int i = 0; i < box_count; ++i) starts[i + 1] += starts[i];
  for (int k = 0; k < b->pair_count; ++k)
    b->spare_pairs[starts[by_second ? b->pairs[k].second : b->pairs[k].first]++] = b->pairs[k];
  ts_box_pair *const sorted = b->spare_pairs;
  b->spare_pairs = b->pairs;
  b->pairs = sorted;
}

static bool find_among_many(ts_broad_phase *b, const ts_bounds *boxes, const bool *moves, int count)
{
  int bounded = 0, unbounded = 0;
  if (!reserve_boxes(b, count)) return false;
  for (int i = 0; i < count; ++i) {
    if (!ts_bounds_are_proper(&boxes[i])) continue;
    if (is_bounded(&boxes[i]))
      b->items[bounded++].box = i;
    else
      b->unbounded[unbounded++] = i;
  }
  if (!find_in_tree(b, boxes, moves, bounded) || !find_unbounded(b, boxes, moves, bounded, unbounded)) return false;
  sort_pairs_by(b, count, true);
  sort_pairs_by(b, count, false);
  return true;
}

bool ts_broad_phase_find(ts_broad_phase *b, const ts_bounds *boxes, const bool *moves, int count,
                         const ts_box_pair **pairs, int *pair_count)
{
  TS_ASSERT(count >= 0);
  b->pair_count = 0;
  const bool found = count < FEW ? find_among_few(b, boxes, moves, count) : find_among_many(b, boxes, moves, count);
  *pairs = b->pairs;
  *pair_count = found ? b->pair_count : 0;
  return found;
}
