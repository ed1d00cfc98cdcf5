#include "complementarity/friction/newton_bodies.h"

#include "math/disjoint_sets.h"
#include "math/matrix.h"

#include <string.h>

// For each row of M the contacts that touch it, ascending.
typedef struct row_contacts {
  int *start, *contact;
} row_contacts;

static row_contacts list_row_contacts(const ts_cone_problem *p, ts_arena *arena)
{
  const ts_matrix *H = &p->bodies->H;
  const size_t rows = (size_t)H->rows;
  row_contacts list = {ts_arena_ints(arena, rows + 2), ts_arena_ints(arena, (size_t)H->start[H->columns])};
  int *last = ts_arena_ints(arena, rows);
  memset(list.start, 0, (rows + 2) * sizeof *list.start);
  for (int pass = 0; pass < 2; ++pass) { // count two places ahead, then fill: start[] ends up in place
    for (size_t k = 0; k < rows; ++k) last[k] = -1;
    for (int j = 0; j < H->columns; ++j) {
      const int contact = j / p->d, end = H->start[j + 1];
      for (int k = H->start[j]; k < end; ++k) {
        const int row = H->index[k];
        if (last[row] == contact) continue;
        last[row] = contact;
        if (pass == 0)
          ++list.start[row + 2];
        else
          list.contact[list.start[row + 1]++] = contact;
      }
    }
    if (pass == 0)
      for (size_t k = 2; k < rows + 2; ++k) list.start[k] += list.start[k - 1];
  }
  return list;
}

// Whether at least half of the contacts that touch either row touch both.
static bool rows_are_alike(const row_contacts *list, int a, int b)
{
  int i = list->start[a], j = list->start[b], common = 0;
  const int of_a = list->start[a + 1] - i, of_b = list->start[b + 1] - j;
  while (i < list->start[a + 1] && j < list->start[b + 1]) {
    const int left = list->contact[i], right = list->contact[j];
    common += left == right;
    i += left <= right;
    j += right <= left;
  }
  return common > 0 && 2 * common >= of_a + of_b - common;
}

static void create_nodes(ts_newton_bodies *s, size_t rows, ts_arena *arena)
{
  s->node_of = ts_arena_ints(arena, rows);
  s->row_at = ts_arena_ints(arena, rows);
  s->size = ts_arena_ints(arena, rows);
  s->first = ts_arena_ints(arena, rows + 1);
}

// Where it is known which rows are whose, each body is a node. False where that is not known, or one has too many.
static bool take_bodies(ts_newton_bodies *s, const ts_bodies *bodies)
{
  for (int b = 0; b < bodies->count; ++b) {
    const int rows = bodies->first[b + 1] - bodies->first[b];
    if (rows < 1 || rows > TS_RIGID_BODY) return false;
  }
  if (bodies->count == 0) return false;
  for (int b = 0; b < bodies->count; ++b) {
    s->first[b] = bodies->first[b];
    s->size[b] = bodies->first[b + 1] - bodies->first[b];
    for (int k = s->first[b]; k < bodies->first[b + 1]; ++k) {
      s->node_of[k] = b;
      s->row_at[k] = k;
    }
  }
  s->nodes = bodies->count;
  s->rows = s->first[s->nodes] = bodies->M.rows;
  return true;
}

// Rows of M become nodes of the factorization. A connected part of M is a node when it is small, else each of its rows
// is one; where M is diagonal, consecutive rows that feel the same contacts are put together: a body. Parts that no
// contact touches are left out. Any grouping is right; a good one makes dense blocks.
static void find_nodes(ts_newton_bodies *s, const ts_cone_problem *p, ts_arena *arena)
{
  const ts_matrix *M = &p->bodies->M;
  const size_t n = (size_t)M->rows;
  const ts_arena_mark mark = ts_arena_save(arena);
  int *parent = ts_arena_ints(arena, n), *count = ts_arena_ints(arena, n), *touched = ts_arena_ints(arena, n);
  const row_contacts list = list_row_contacts(p, arena);
  for (int i = 0; i < M->rows; ++i) {
    parent[i] = i;
    count[i] = touched[i] = 0;
    s->node_of[i] = -1;
  }
  for (int j = 0; j < M->columns; ++j)
    for (int k = M->start[j]; k < M->start[j + 1]; ++k)
      if (M->index[k] != j && M->value[k] != 0.0) ts_join_sets(parent, M->index[k], j);
  for (int i = 0; i < M->rows; ++i) {
    const int root = ts_find_set(parent, i);
    ++count[root];
    touched[root] |= list.start[i + 1] > list.start[i];
  }
  int nodes = 0, at = 0, last_row = -1;
  for (int i = 0; i < M->rows; ++i) {
    const int root = ts_find_set(parent, i);
    if (!touched[root] || s->node_of[i] >= 0) continue;
    const int wanted = count[root] <= TS_LARGEST_BODY ? count[root] : 1;
    const bool joins = last_row >= 0 && wanted == count[root] && s->size[nodes - 1] + wanted <= TS_RIGID_BODY &&
                       rows_are_alike(&list, last_row, i);
    if (!joins) {
      s->first[nodes] = at;
      s->size[nodes++] = 0;
    }
    for (int k = i, taken = 0; taken < wanted; ++k)
      if (ts_find_set(parent, k) == root && s->node_of[k] < 0) {
        s->node_of[k] = nodes - 1;
        s->row_at[k] = at++;
        last_row = k;
        ++taken;
      }
    s->size[nodes - 1] += wanted;
  }
  s->nodes = nodes;
  s->rows = s->first[nodes] = at;
  ts_arena_restore(arena, mark);
}

// The piece of H of contact i and a node, as large as the node and the dimension. `slot` has the touches that nodes got
// last.
static double *piece_of(ts_newton_bodies *s, int i, int node, int d, int *slot, int *filled, ts_arena *arena)
{
  if (slot[node] < s->touch_start[i]) {
    slot[node] = *filled;
    s->touches[(*filled)++] = (ts_body_touch){node, ts_arena_zeros(arena, (size_t)(s->size[node] * d))};
  }
  return (double *)s->touches[slot[node]].H;
}

// Whether the entries of H from k on are all rows of the node that the first of them belongs to.
static bool is_whole_body(const ts_newton_bodies *s, const ts_matrix *H, int k, int end, int node)
{
  const int size = s->size[node];
  return s->bodies_taken && k + size <= end && H->index[k] == s->first[node] &&
         H->index[k + size - 1] == s->first[node] + size - 1;
}

// The touches of each contact: nodes with a nonzero in its columns of H, with the dense piece of H scaled by D.
static void find_touches(ts_newton_bodies *s, const ts_cone_problem *p, ts_arena *arena)
{
  const ts_matrix *H = &p->bodies->H;
  const int d = p->d;
  s->touch_start = ts_arena_ints(arena, (size_t)p->contacts + 1);
  s->touches = ts_arena_bytes(arena, (size_t)H->start[H->columns], sizeof *s->touches);
  int *slot = ts_arena_ints(arena, (size_t)s->nodes), filled = 0;
  for (int k = 0; k < s->nodes; ++k) slot[k] = -1;
  for (int i = 0; i < p->contacts; ++i) {
    s->touch_start[i] = filled;
    for (int c = 0; c < d; ++c) {
      const double scale = p->scale[(size_t)i * (size_t)p->stride + (size_t)c] / p->data_size;
      const int end = H->start[i * d + c + 1];
      for (int k = H->start[i * d + c], next; k < end; k = next) {
        const int node = s->node_of[H->index[k]];
        double *column = piece_of(s, i, node, d, slot, &filled, arena) + c * s->size[node];
        next = is_whole_body(s, H, k, end, node) ? k + s->size[node] : k + 1;
        column += s->row_at[H->index[k]] - s->first[node];
        for (; k < next; ++k) *column++ = scale * H->value[k];
      }
    }
  }
  s->touch_start[p->contacts] = filled;
}

// Graph of M + H K H^T: nodes coupled by M, and nodes touched by one contact. M enters in both directions, so that one
// with half its entries missing, which nobody checks, gives a useless factor and no broken pattern.
static void analyze_bodies(ts_newton_bodies *s, const ts_cone_problem *p, ts_arena *arena)
{
  const ts_matrix *M = &p->bodies->M;
  size_t edges = 2 * (size_t)M->start[M->columns];
  for (int i = 0; i < p->contacts; ++i) {
    const size_t touches = (size_t)(s->touch_start[i + 1] - s->touch_start[i]);
    edges += touches * touches;
  }
  int *start = ts_arena_ints(arena, (size_t)s->nodes + 1), *index = ts_arena_ints(arena, edges);
  memset(start, 0, ((size_t)s->nodes + 1) * sizeof *start);
  for (int pass = 0; pass < 2; ++pass) { // count, then fill; duplicates do no harm to the analysis
    for (int j = 0; j < M->columns; ++j)
      for (int k = M->start[j]; k < M->start[j + 1]; ++k) {
        const int a = s->node_of[M->index[k]], b = s->node_of[j];
        if (a == b || a < 0 || b < 0) continue;
        if (pass == 0) {
          ++start[a + 1];
          ++start[b + 1];
        } else {
          index[start[a]++] = b;
          index[start[b]++] = a;
        }
      }
    for (int i = 0; i < p->contacts; ++i)
      for (int x = s->touch_start[i]; x < s->touch_start[i + 1]; ++x)
        for (int y = s->touch_start[i]; y < s->touch_start[i + 1]; ++y) {
          if (x == y) continue;
          if (pass == 0)
            ++start[s->touches[x].node + 1];
          else
            index[start[s->touches[x].node]++] = s->touches[y].node;
        }
    if (pass == 0)
      for (int k = 0; k < s->nodes; ++k) start[k + 1] += start[k];
    else
      for (int k = s->nodes; k > 0; --k) start[k] = start[k - 1];
    if (pass == 1) start[0] = 0;
  }
  // Duplicates would break the minimum-degree code: make every list unique.
  int *seen = ts_arena_ints(arena, (size_t)s->nodes), filled = 0;
  for (int k = 0; k < s->nodes; ++k) seen[k] = -1;
  for (int k = 0; k < s->nodes; ++k) {
    const int from = start[k], to = start[k + 1];
    start[k] = filled;
    for (int e = from; e < to; ++e)
      if (seen[index[e]] != k) {
        seen[index[e]] = k;
        index[filled++] = index[e];
      }
  }
  start[s->nodes] = filled;
  s->lu = ts_block_lu_analyze(s->nodes, s->size, start, index, arena);
}

void ts_newton_bodies_place(ts_newton_bodies *s, const ts_cone_problem *p, ts_arena *arena)
{
  s->place_start = ts_arena_ints(arena, (size_t)p->contacts + 1);
  int total = 0;
  for (int i = 0; i < p->contacts; ++i) {
    const int touches = s->touch_start[i + 1] - s->touch_start[i];
    s->place_start[i] = total;
    total += touches * touches;
  }
  s->place_start[p->contacts] = total;
  s->places = ts_arena_bytes(arena, (size_t)total, sizeof *s->places);
  for (int i = 0, k = 0; i < p->contacts; ++i)
    for (int x = s->touch_start[i]; x < s->touch_start[i + 1]; ++x)
      for (int y = s->touch_start[i]; y < s->touch_start[i + 1]; ++y)
        s->places[k++] = ts_block_lu_place(s->lu, s->touches[x].node, s->touches[y].node);
}

ts_newton_bodies *ts_newton_bodies_create(const ts_cone_problem *p, ts_arena *arena)
{
  ts_newton_bodies *s = ts_arena_bytes(arena, 1, sizeof *s);
  create_nodes(s, (size_t)p->bodies->M.rows, arena);
  s->bodies_taken = take_bodies(s, p->bodies);
  if (!s->bodies_taken) find_nodes(s, p, arena);
  find_touches(s, p, arena);
  analyze_bodies(s, p, arena);
  s->y = ts_arena_doubles(arena, (size_t)s->rows);
  return s;
}
