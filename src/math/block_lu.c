// Supernodal right-looking LU, see block_lu.h. After ordering, the scalars of a supernode are consecutive. Supernode s
// with p pivots and u rows below them keeps two panels, column-major: lower (p + u rows, p columns; its first p rows
// are the pivot block) and upper (u rows, p columns: the part of U right of the pivot block, transposed, so that both
// panels are worked on down contiguous columns). Factoring s computes the update lower_below * upper^T once, and
// scatters it into the panels of the supernodes that own its rows and columns.
#include "math/block_lu.h"

#include "base/assert.h"
#include "base/clock.h"
#include "base/hot.h"
#include "math/blas.h"
#include "math/ordering.h"

#include <cblas.h>
#include <math.h>
#include <string.h>

typedef struct supernode {
  int first, pivots;      // first scalar, number of pivot scalars
  int below;              // rows below the pivot block
  const int *rows;        // their scalars, ascending
  double *lower, *upper;  // panels
  int *exchange;          // row exchanged with pivot k (relative to `first`)
  int targets;            // supernodes that the update goes to
  const int *target;      // their numbers
  const int *target_at;   // targets+1: where each one's pivot columns begin in `rows`
  const int *const *into; // for each target: row of its lower panel for every row of ours from target_at on
} supernode;

struct ts_block_lu {
  int nodes, scalars, supernodes;
  supernode *super;
  int *node_first;   // first scalar of node i, in elimination order
  int *node_super;   // supernode of node i
  int *caller_first; // first scalar of node i, in the caller's order
  const int *size;
  double *values; // all panels
  size_t value_count;
  double *update;   // scratch for the largest update
  double *permuted; // scratch for a right-hand side
  double flops;
  double deadline;
};

// ---- symbolic ------------------------------------------------------------------------------------------------------

typedef struct symbolic {
  int n;
  int *order;      // order[k]: node eliminated as the k-th
  int *position;   // its inverse
  int *parent;     // elimination tree over positions, -1: root
  int **structure; // positions beyond k in column k, ascending
  int *count;      // their number
} symbolic;

static void elimination_tree(const symbolic *sym, const int *start, const int *index, ts_arena *arena)
{
  const ts_arena_mark mark = ts_arena_save(arena);
  int *ancestor = ts_arena_ints(arena, (size_t)sym->n);
  for (int k = 0; k < sym->n; ++k) {
    sym->parent[k] = ancestor[k] = -1;
    const int node = sym->order[k];
    for (int e = start[node]; e < start[node + 1]; ++e) {
      int i = sym->position[index[e]];
      while (i >= 0 && i < k) { // climb, compressing the path
        const int next = ancestor[i];
        ancestor[i] = k;
        if (next < 0) sym->parent[i] = k;
        i = next;
      }
    }
  }
  ts_arena_restore(arena, mark);
}

// Renumber so that every subtree is consecutive: supernodes are then runs of positions.
static void postorder(symbolic *sym, ts_arena *arena)
{
  const ts_arena_mark mark = ts_arena_save(arena);
  const size_t n = (size_t)sym->n;
  int *child = ts_arena_ints(arena, n), *sibling = ts_arena_ints(arena, n), *stack = ts_arena_ints(arena, n);
  int *fresh = ts_arena_ints(arena, n), *old_order = ts_arena_ints(arena, n), *old_parent = ts_arena_ints(arena, n);
  memcpy(old_order, sym->order, n * sizeof *old_order);
  memcpy(old_parent, sym->parent, n * sizeof *old_parent);
  for (int k = 0; k < sym->n; ++k) child[k] = -1;
  for (int k = sym->n - 1; k >= 0; --k)
    if (old_parent[k] >= 0) {
      sibling[k] = child[old_parent[k]];
      child[old_parent[k]] = k;
    }
  int next = 0;
  for (int root = 0; root < sym->n; ++root) {
    if (old_parent[root] >= 0) continue;
    int depth = 0;
    stack[depth++] = root;
    while (depth > 0) {
      const int k = stack[depth - 1];
      if (child[k] >= 0) {
        stack[depth++] = child[k];
        child[k] = sibling[child[k]];
      } else {
        fresh[k] = next++;
        --depth;
      }
    }
  }
  for (int k = 0; k < sym->n; ++k) {
    sym->order[fresh[k]] = old_order[k];
    sym->position[old_order[k]] = fresh[k];
    sym->parent[fresh[k]] = old_parent[k] < 0 ? -1 : fresh[old_parent[k]];
  }
  ts_arena_restore(arena, mark);
}

// Insertion sort for short lists, merge passes for long ones: no allocation, no recursion.
static void sort_ints(int *list, int count, int *scratch)
{
  enum { RUN = 16 };
  for (int low = 0; low < count; low += RUN) {
    const int high = low + RUN < count ? low + RUN : count;
    for (int i = low + 1; i < high; ++i) {
      const int value = list[i];
      int j = i;
      for (; j > low && list[j - 1] > value; --j) list[j] = list[j - 1];
      list[j] = value;
    }
  }
  for (int width = RUN; width < count; width *= 2) {
    for (int low = 0; low < count; low += 2 * width) {
      const int middle = low + width < count ? low + width : count;
      const int high = low + 2 * width < count ? low + 2 * width : count;
      int a = low, b = middle;
      for (int k = low; k < high; ++k)
        scratch[k] = b >= high || (a < middle && list[a] <= list[b]) ? list[a++] : list[b++];
    }
    memcpy(list, scratch, (size_t)count * sizeof *list);
  }
}

// Column structures of the factor: the matrix' own entries and what the children pass on.
static void column_structures(symbolic *sym, const int *start, const int *index, ts_arena *arena)
{
  const size_t n = (size_t)sym->n;
  int *mark = ts_arena_ints(arena, n), *list = ts_arena_ints(arena, n), *scratch = ts_arena_ints(arena, n);
  int *child = ts_arena_ints(arena, n), *sibling = ts_arena_ints(arena, n);
  for (int k = 0; k < sym->n; ++k) mark[k] = child[k] = -1;
  for (int k = 0; k < sym->n; ++k) {
    int count = 0;
    mark[k] = k;
    const int node = sym->order[k];
    for (int e = start[node]; e < start[node + 1]; ++e) {
      const int i = sym->position[index[e]];
      if (i > k && mark[i] != k) {
        mark[i] = k;
        list[count++] = i;
      }
    }
    for (int c = child[k]; c >= 0; c = sibling[c])
      for (int e = 0; e < sym->count[c]; ++e) {
        const int i = sym->structure[c][e];
        if (mark[i] != k) {
          mark[i] = k;
          list[count++] = i;
        }
      }
    sort_ints(list, count, scratch);
    sym->count[k] = count;
    sym->structure[k] = ts_arena_ints(arena, (size_t)count);
    memcpy(sym->structure[k], list, (size_t)count * sizeof *list);
    const int p = sym->parent[k];
    if (p >= 0) {
      sibling[k] = child[p];
      child[p] = k;
    }
  }
}

static symbolic analyze_graph(int nodes, const int *start, const int *index, ts_arena *arena)
{
  const size_t n = (size_t)nodes;
  symbolic sym = {.n = nodes,
                  .order = ts_arena_ints(arena, n),
                  .position = ts_arena_ints(arena, n),
                  .parent = ts_arena_ints(arena, n),
                  .structure = ts_arena_bytes(arena, n, sizeof(int *)),
                  .count = ts_arena_ints(arena, n)};
  ts_order_minimum_degree(nodes, start, index, sym.order, arena);
  for (int k = 0; k < nodes; ++k) sym.position[sym.order[k]] = k;
  elimination_tree(&sym, start, index, arena);
  postorder(&sym, arena);
  column_structures(&sym, start, index, arena);
  return sym;
}

static int scalars_in(const symbolic *sym, const int *size, const int *positions, int count)
{
  int total = 0;
  for (int e = 0; e < count; ++e) total += size[sym->order[positions[e]]];
  return total;
}

// Larger supernodes are cut, so that most of the work is in the updates between them, which go through BLAS.
enum { MAX_PIVOTS = 48 };

// Gather runs of positions k, k+1, ... with parent(k) = k+1 into supernodes. A run may go on when the zeros that this
// stores stay a small part of the panel, or the panel is small anyway: fewer, larger dense blocks are faster.
// begins[s] is the first position of supernode s; returns their number.
static int gather_supernodes(const symbolic *sym, const int *size, int *begins, ts_arena *arena)
{
  const ts_arena_mark mark = ts_arena_save(arena);
  int *below = ts_arena_ints(arena, (size_t)sym->n);
  for (int k = 0; k < sym->n; ++k) below[k] = scalars_in(sym, size, sym->structure[k], sym->count[k]);
  int supernodes = 0, pivots = 0;
  double zeros = 0.0;
  for (int k = 0; k < sym->n; ++k) {
    const int own = size[sym->order[k]];
    bool joins = false;
    if (k > 0 && sym->parent[k - 1] == k) {
      const double added = (double)pivots * (own + below[k] - below[k - 1]);
      const double panel = (double)(pivots + own) * (pivots + own + below[k]);
      joins = pivots + own <= MAX_PIVOTS &&
              (zeros + added <= 0.15 * panel || (pivots + own <= 12 && zeros + added <= 0.4 * panel));
      if (joins) zeros += added;
    }
    if (!joins) {
      begins[supernodes++] = k;
      pivots = 0;
      zeros = 0.0;
    }
    pivots += own;
  }
  begins[supernodes] = sym->n;
  ts_arena_restore(arena, mark);
  return supernodes;
}

// The rows of supernode s, as scalars: those of its last position.
static void set_rows(const symbolic *sym, const ts_block_lu *lu, supernode *s, int last_position, ts_arena *arena)
{
  const int *structure = sym->structure[last_position], count = sym->count[last_position];
  s->below = scalars_in(sym, lu->size, structure, count);
  int *rows = ts_arena_ints(arena, (size_t)s->below), filled = 0;
  for (int e = 0; e < count; ++e) {
    const int node = sym->order[structure[e]];
    for (int r = 0; r < lu->size[node]; ++r) rows[filled++] = lu->node_first[node] + r;
  }
  s->rows = rows;
}

static int supernode_of_scalar(const ts_block_lu *lu, int scalar)
{
  int low = 0, high = lu->supernodes - 1;
  while (low < high) {
    const int middle = low + (high - low + 1) / 2;
    if (lu->super[middle].first <= scalar)
      low = middle;
    else
      high = middle - 1;
  }
  return low;
}

static const int *copy_ints(const int *list, int count, ts_arena *arena)
{
  int *copy = ts_arena_ints(arena, (size_t)count);
  memcpy(copy, list, (size_t)count * sizeof *copy);
  return copy;
}

// Row of t's lower panel for each row of s from `from` on.
static const int *map_rows(const supernode *s, int from, const supernode *t, ts_arena *arena)
{
  int *map = ts_arena_ints(arena, (size_t)(s->below - from)), row = 0;
  for (int r = from; r < s->below; ++r) {
    const int scalar = s->rows[r];
    if (scalar < t->first + t->pivots) {
      map[r - from] = scalar - t->first;
    } else {
      while (t->rows[row] < scalar) ++row;
      TS_ASSERT(t->rows[row] == scalar);
      map[r - from] = t->pivots + row;
    }
  }
  return map;
}

// Which supernodes the update of s goes to, and into which rows of their lower panels. `scratch` holds 2 below + 1
// ints.
static void set_targets(ts_block_lu *lu, supernode *s, int *scratch, ts_arena *arena)
{
  int *target = scratch, *at = scratch + s->below, targets = 0;
  for (int r = 0; r < s->below;) {
    const int t = supernode_of_scalar(lu, s->rows[r]), end = lu->super[t].first + lu->super[t].pivots;
    target[targets] = t;
    at[targets++] = r;
    while (r < s->below && s->rows[r] < end) ++r;
  }
  at[targets] = s->below;
  s->targets = targets;
  s->target = copy_ints(target, targets, arena);
  s->target_at = copy_ints(at, targets + 1, arena);
  const int **into = ts_arena_bytes(arena, (size_t)targets, sizeof *into);
  for (int k = 0; k < targets; ++k) into[k] = map_rows(s, s->target_at[k], &lu->super[s->target[k]], arena);
  s->into = into;
}

static void number_scalars(ts_block_lu *lu, const symbolic *sym, ts_arena *arena)
{
  lu->node_first = ts_arena_ints(arena, (size_t)lu->nodes);
  lu->caller_first = ts_arena_ints(arena, (size_t)lu->nodes);
  int scalar = 0;
  for (int k = 0; k < lu->nodes; ++k) {
    lu->node_first[sym->order[k]] = scalar;
    scalar += lu->size[sym->order[k]];
  }
  lu->scalars = scalar;
  for (int i = 0, at = 0; i < lu->nodes; at += lu->size[i++]) lu->caller_first[i] = at;
}

static void place_panels(ts_block_lu *lu, ts_arena *arena)
{
  size_t largest_update = 0;
  lu->value_count = 0;
  for (int s = 0; s < lu->supernodes; ++s) {
    const size_t p = (size_t)lu->super[s].pivots, u = (size_t)lu->super[s].below;
    lu->value_count += p * (p + 2 * u);
    if (u * u > largest_update) largest_update = u * u;
    lu->flops += (double)p * (double)p * (double)p / 3.0 + (double)(p * p * u) + (double)(p * u * u);
  }
  lu->values = ts_arena_doubles(arena, lu->value_count);
  double *next = lu->values;
  for (int s = 0; s < lu->supernodes; ++s) {
    supernode *super = &lu->super[s];
    const size_t p = (size_t)super->pivots, u = (size_t)super->below;
    super->lower = next;
    super->upper = next + p * (p + u);
    next += p * (p + 2 * u);
    super->exchange = ts_arena_ints(arena, p);
  }
  lu->update = ts_arena_doubles(arena, largest_update);
  lu->permuted = ts_arena_doubles(arena, (size_t)lu->scalars);
}

// Work below which plain loops beat a call into BLAS.
static const double SMALL_WORK = 30000.0;

// p^2 u and p u^2 are at most 4/27 (p + u)^3.
static bool may_call_blas(const ts_block_lu *lu)
{
  const double n = lu->scalars;
  return 4.0 / 27.0 * n * n * n > SMALL_WORK;
}

ts_block_lu *ts_block_lu_analyze(int nodes, const int *size, const int *start, const int *index, ts_arena *arena)
{
  ts_block_lu *lu = ts_arena_bytes(arena, 1, sizeof *lu);
  *lu = (ts_block_lu){.nodes = nodes, .size = size, .deadline = INFINITY};
  const symbolic sym = analyze_graph(nodes, start, index, arena);
  number_scalars(lu, &sym, arena);
  if (may_call_blas(lu)) ts_blas_prepare(arena);
  int *begins = ts_arena_ints(arena, (size_t)nodes + 1);
  lu->supernodes = gather_supernodes(&sym, size, begins, arena);
  lu->super = ts_arena_bytes(arena, (size_t)lu->supernodes, sizeof *lu->super);
  lu->node_super = ts_arena_ints(arena, (size_t)nodes);
  for (int s = 0; s < lu->supernodes; ++s) {
    supernode *super = &lu->super[s];
    *super = (supernode){.first = lu->node_first[sym.order[begins[s]]]};
    for (int k = begins[s]; k < begins[s + 1]; ++k) {
      lu->node_super[sym.order[k]] = s;
      super->pivots += size[sym.order[k]];
    }
    set_rows(&sym, lu, super, begins[s + 1] - 1, arena);
  }
  int *scratch = ts_arena_ints(arena, 2 * (size_t)lu->scalars + 1);
  for (int s = 0; s < lu->supernodes; ++s) set_targets(lu, &lu->super[s], scratch, arena);
  place_panels(lu, arena);
  return lu;
}

double ts_block_lu_flops(const ts_block_lu *lu)
{
  return lu->flops;
}

// ---- assembly ------------------------------------------------------------------------------------------------------

void ts_block_lu_clear(ts_block_lu *lu)
{
  memset(lu->values, 0, lu->value_count * sizeof *lu->values);
}

static int row_below(const supernode *s, int scalar)
{
  int low = 0, high = s->below - 1;
  while (low < high) {
    const int middle = low + (high - low) / 2;
    if (s->rows[middle] < scalar)
      low = middle + 1;
    else
      high = middle;
  }
  TS_ASSERT(s->below > 0 && s->rows[low] == scalar);
  return low;
}

ts_block_place ts_block_lu_place(const ts_block_lu *lu, int i, int j)
{
  const int si = lu->node_super[i], sj = lu->node_super[j];
  const int row = lu->node_first[i], column = lu->node_first[j];
  if (si < sj) { // right of the pivot block: kept transposed
    const supernode *s = &lu->super[si];
    return (ts_block_place){s->upper + row_below(s, column) + (size_t)(row - s->first) * (size_t)s->below, s->below, 1};
  }
  const supernode *s = &lu->super[sj];
  const int height = s->pivots + s->below;
  const int at = si == sj ? row - s->first : s->pivots + row_below(s, row);
  return (ts_block_place){s->lower + at + (size_t)(column - s->first) * (size_t)height, 1, height};
}

// ---- numeric -------------------------------------------------------------------------------------------------------

// y -= a x down a column.
TS_INLINE void subtract_multiple(int n, double a, const double *restrict x, double *restrict y)
{
  for (int i = 0; i < n; ++i) y[i] -= a * x[i];
}

static void swap_rows(double *a, double *b, int count, size_t stride)
{
  for (int k = 0; k < count; ++k) {
    const double t = a[(size_t)k * stride];
    a[(size_t)k * stride] = b[(size_t)k * stride];
    b[(size_t)k * stride] = t;
  }
}

static void swap_columns(double *restrict a, double *restrict b, int count)
{
  for (int i = 0; i < count; ++i) {
    const double t = a[i];
    a[i] = b[i];
    b[i] = t;
  }
}

// LU of the pivot block with row exchanges inside it.
TS_HOT static int factor_pivots(supernode *s, double smallest)
{
  const int p = s->pivots, height = p + s->below;
  int replaced = 0;
  for (int k = 0; k < p; ++k) {
    double *column = s->lower + (size_t)k * (size_t)height;
    for (int i = 0; i < k; ++i) // left-looking: apply the columns before
      subtract_multiple(p - i - 1, column[i], s->lower + (size_t)i * (size_t)height + i + 1, column + i + 1);
    int pivot = k;
    for (int i = k + 1; i < p; ++i)
      if (fabs(column[i]) > fabs(column[pivot])) pivot = i;
    s->exchange[k] = pivot;
    if (pivot != k) swap_rows(s->lower + k, s->lower + pivot, p, (size_t)height);
    if (!(fabs(column[k]) >= smallest)) {
      if (isnan(column[k])) return -1;
      column[k] = column[k] < 0.0 ? -smallest : smallest;
      ++replaced;
    }
    const double inverse = 1.0 / column[k];
    for (int i = k + 1; i < p; ++i) column[i] *= inverse;
  }
  return replaced;
}

// The part of L below the pivot block: solve with the upper triangle from the right.
TS_HOT static void factor_lower(supernode *s)
{
  const int p = s->pivots, u = s->below, height = p + u;
  double *below = s->lower + p;
  if ((double)p * p * u > SMALL_WORK) {
    cblas_dtrsm(CblasColMajor, CblasRight, CblasUpper, CblasNoTrans, CblasNonUnit, u, p, 1.0, s->lower, height, below,
                height);
    return;
  }
  for (int k = 0; k < p; ++k) {
    const double *pivot = s->lower + (size_t)k * (size_t)height;
    double *column = below + (size_t)k * (size_t)height;
    for (int i = 0; i < k; ++i) subtract_multiple(u, pivot[i], below + (size_t)i * (size_t)height, column);
    const double inverse = 1.0 / pivot[k];
    for (int r = 0; r < u; ++r) column[r] *= inverse;
  }
}

// The transposed part of U right of the pivot block: exchange its columns as the rows of the pivot block were, then
// solve with the unit lower triangle.
TS_HOT static void factor_upper(supernode *s)
{
  const int p = s->pivots, u = s->below, height = p + u;
  for (int k = 0; k < p; ++k)
    if (s->exchange[k] != k)
      swap_columns(s->upper + (size_t)k * (size_t)u, s->upper + (size_t)s->exchange[k] * (size_t)u, u);
  if ((double)p * p * u > SMALL_WORK) {
    cblas_dtrsm(CblasColMajor, CblasRight, CblasLower, CblasTrans, CblasUnit, u, p, 1.0, s->lower, height, s->upper, u);
    return;
  }
  for (int k = 1; k < p; ++k)
    for (int i = 0; i < k; ++i)
      subtract_multiple(u, s->lower[(size_t)i * (size_t)height + (size_t)k], s->upper + (size_t)i * (size_t)u,
                        s->upper + (size_t)k * (size_t)u);
}

// update = lower_below upper^T. Small ones by plain loops: the call into BLAS costs more than the product.
TS_HOT static void compute_update(const supernode *s, double *update)
{
  const int p = s->pivots, u = s->below, height = p + u;
  if ((double)p * u * u > SMALL_WORK) {
    cblas_dgemm(CblasColMajor, CblasNoTrans, CblasTrans, u, u, p, 1.0, s->lower + p, height, s->upper, u, 0.0, update,
                u);
    return;
  }
  for (int j = 0; j < u; ++j) {
    double *restrict column = update + (size_t)j * (size_t)u;
    const double *restrict first = s->lower + p, a = s->upper[j];
    for (int i = 0; i < u; ++i) column[i] = a * first[i];
    int k = 1;
    for (; k + 1 < p; k += 2) {
      const double *restrict x = s->lower + (size_t)k * (size_t)height + p, *restrict y = x + height;
      const double ax = s->upper[(size_t)k * (size_t)u + (size_t)j],
                   ay = s->upper[(size_t)(k + 1) * (size_t)u + (size_t)j];
      for (int i = 0; i < u; ++i) column[i] += ax * x[i] + ay * y[i];
    }
    if (k < p) {
      const double *restrict x = s->lower + (size_t)k * (size_t)height + p;
      const double ax = s->upper[(size_t)k * (size_t)u + (size_t)j];
      for (int i = 0; i < u; ++i) column[i] += ax * x[i];
    }
  }
}

TS_HOT static void scatter_update(ts_block_lu *lu, const supernode *s, const double *update)
{
  const size_t u = (size_t)s->below;
  for (int k = 0; k < s->targets; ++k) {
    supernode *t = &lu->super[s->target[k]];
    const int from = s->target_at[k], to = s->target_at[k + 1], height = t->pivots + t->below, rest = s->below - from;
    const int *into = s->into[k];
    for (int c = from; c < to; ++c) { // columns among t's pivots: its lower panel, pivot block included
      double *restrict column = t->lower + (size_t)into[c - from] * (size_t)height;
      const double *restrict value = update + (size_t)c * u + from;
      for (int r = 0; r < rest; ++r) column[into[r]] -= value[r];
    }
    for (int c = to; c < s->below; ++c) { // rows among t's pivots, columns beyond: its transposed upper panel
      double *restrict row = t->upper + (into[c - from] - t->pivots);
      const double *restrict value = update + (size_t)c * u;
      for (int r = from; r < to; ++r) row[(size_t)into[r - from] * (size_t)t->below] -= value[r];
    }
  }
}

// Largest entry on the diagonal: the size that a pivot is compared with.
static double largest_diagonal(const ts_block_lu *lu)
{
  double largest = 0.0;
  for (int k = 0; k < lu->supernodes; ++k) {
    const supernode *s = &lu->super[k];
    const size_t step = (size_t)(s->pivots + s->below) + 1;
    for (size_t i = 0; i < (size_t)s->pivots; ++i)
      if (fabs(s->lower[i * step]) > largest) largest = fabs(s->lower[i * step]);
  }
  return largest;
}

void ts_block_lu_set_deadline(ts_block_lu *lu, double deadline)
{
  lu->deadline = deadline;
}

// Multiply-adds between looks at the clock: some milliseconds.
static const double WORK_A_LOOK = 1e7;

int ts_block_lu_factor(ts_block_lu *lu, double tiny)
{
  const double smallest = tiny * largest_diagonal(lu);
  int replaced = 0;
  double work = 0.0;
  for (int k = 0; k < lu->supernodes; ++k) {
    supernode *s = &lu->super[k];
    work += (double)s->pivots * (s->pivots + s->below) * (s->pivots + s->below);
    if (work > WORK_A_LOOK && isfinite(lu->deadline)) {
      if (ts_clock_seconds() >= lu->deadline) return -1;
      work = 0.0;
    }
    const int more = factor_pivots(s, smallest);
    if (more < 0) return -1;
    replaced += more;
    if (s->below == 0) continue;
    factor_lower(s);
    factor_upper(s);
    compute_update(s, lu->update);
    scatter_update(lu, s, lu->update);
  }
  return replaced;
}

TS_HOT static void solve_lower(const supernode *s, double *x)
{
  const int p = s->pivots, height = p + s->below;
  double *pivot = x + s->first;
  for (int k = 0; k < p; ++k)
    if (s->exchange[k] != k) {
      const double t = pivot[k];
      pivot[k] = pivot[s->exchange[k]];
      pivot[s->exchange[k]] = t;
    }
  for (int k = 0; k < p; ++k) {
    const double *column = s->lower + (size_t)k * (size_t)height, xk = pivot[k];
    for (int i = k + 1; i < p; ++i) pivot[i] -= column[i] * xk;
    for (int r = 0; r < s->below; ++r) x[s->rows[r]] -= column[p + r] * xk;
  }
}

TS_HOT static void solve_upper(const supernode *s, double *x)
{
  const int p = s->pivots, height = p + s->below;
  double *pivot = x + s->first;
  for (int k = p - 1; k >= 0; --k) {
    const double *row = s->upper + (size_t)k * (size_t)s->below;
    double sum = pivot[k];
    for (int r = 0; r < s->below; ++r) sum -= row[r] * x[s->rows[r]];
    pivot[k] = sum;
  }
  for (int k = p - 1; k >= 0; --k) {
    const double *column = s->lower + (size_t)k * (size_t)height;
    pivot[k] /= column[k];
    for (int i = 0; i < k; ++i) pivot[i] -= column[i] * pivot[k];
  }
}

void ts_block_lu_solve(const ts_block_lu *lu, double *x)
{
  double *y = lu->permuted;
  for (int i = 0; i < lu->nodes; ++i)
    for (int r = 0; r < lu->size[i]; ++r) y[lu->node_first[i] + r] = x[lu->caller_first[i] + r];
  for (int k = 0; k < lu->supernodes; ++k) solve_lower(&lu->super[k], y);
  for (int k = lu->supernodes - 1; k >= 0; --k) solve_upper(&lu->super[k], y);
  for (int i = 0; i < lu->nodes; ++i)
    for (int r = 0; r < lu->size[i]; ++r) x[lu->caller_first[i] + r] = y[lu->node_first[i] + r];
}
