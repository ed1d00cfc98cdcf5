// What a block LU needs to know before there are numbers: the order of elimination, supernodes, their rows and panels,
// and which panels each of them updates.
#include "math/block_lu_inside.h"

#include "base/assert.h"
#include "math/blas.h"
#include "math/ordering.h"

#include <math.h>
#include <string.h>

// ---- the graph -----------------------------------------------------------------------------------------------------

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

// ---- supernodes ----------------------------------------------------------------------------------------------------

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
static void set_rows(const symbolic *sym, const ts_block_lu *lu, ts_supernode *s, int last_position, ts_arena *arena)
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
static const int *map_rows(const ts_supernode *s, int from, const ts_supernode *t, ts_arena *arena)
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
static void set_targets(ts_block_lu *lu, ts_supernode *s, int *scratch, ts_arena *arena)
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
    ts_supernode *super = &lu->super[s];
    const size_t p = (size_t)super->pivots, u = (size_t)super->below;
    super->lower = next;
    super->upper = next + p * (p + u);
    next += p * (p + 2 * u);
    super->exchange = ts_arena_ints(arena, p);
  }
  lu->update = ts_arena_doubles(arena, largest_update);
  lu->permuted = ts_arena_doubles(arena, (size_t)lu->scalars);
}

// p^2 u and p u^2 are at most 4/27 (p + u)^3.
static bool may_call_blas(const ts_block_lu *lu)
{
  const double n = lu->scalars;
  return 4.0 / 27.0 * n * n * n > TS_SMALL_WORK;
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
    ts_supernode *super = &lu->super[s];
    *super = (ts_supernode){.first = lu->node_first[sym.order[begins[s]]]};
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
