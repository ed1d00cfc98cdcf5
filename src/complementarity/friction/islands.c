#include "complementarity/friction/islands.h"

#include "complementarity/problem/condense.h"

#include "math/disjoint_sets.h"

#include <string.h>

// ---- finding -------------------------------------------------------------------------------------------------------

// What is connected: contacts first, then the rows of M, those of one body being one node.
typedef struct graph {
  int contacts, nodes;
  const int *node_of_row; // NULL without bodies
  int *parent;
} graph;

static const int *number_nodes(const ts_friction *p, ts_arena *arena, int *nodes)
{
  const ts_bodies *bodies = p->bodies;
  int *node = ts_arena_ints(arena, (size_t)bodies->M.rows);
  for (int row = 0; bodies->count == 0 && row < bodies->M.rows; ++row) node[row] = p->contacts + row;
  for (int b = 0; b < bodies->count; ++b)
    for (int row = bodies->first[b]; row < bodies->first[b + 1]; ++row) node[row] = p->contacts + b;
  *nodes = p->contacts + (bodies->count > 0 ? bodies->count : bodies->M.rows);
  return node;
}

// Returns how many islands there are; the first row of a full matrix connects all.
static int connect_contacts(const ts_friction *p, int *parent)
{
  int islands = p->contacts;
  for (int i = 0; islands > 1 && i < p->contacts; ++i)
    for (int k = p->W.start[i]; k < p->W.start[i + 1]; ++k)
      if (p->W.index[k] > i) islands -= ts_join_sets(parent, i, p->W.index[k]); // the pattern is symmetric
  return islands;
}

// The nodes of each column of a matrix with the node of the column.
static void connect_columns(const ts_matrix *A, const int *node_of_column, int columns_a_contact, const graph *g)
{
  for (int j = 0; j < A->columns; ++j) {
    const int own = node_of_column ? node_of_column[j] : j / columns_a_contact;
    int last = own;
    for (int k = A->start[j]; k < A->start[j + 1]; ++k) {
      const int node = g->node_of_row[A->index[k]];
      if (node != last) ts_join_sets(g->parent, own, node);
      last = node;
    }
  }
}

static void connect_bodies(const ts_friction *p, graph *g, ts_arena *arena)
{
  g->node_of_row = number_nodes(p, arena, &g->nodes);
  int *parent = ts_arena_ints(arena, (size_t)g->nodes);
  memcpy(parent, g->parent, (size_t)g->contacts * sizeof *parent);
  for (int i = g->contacts; i < g->nodes; ++i) parent[i] = i;
  g->parent = parent;
  connect_columns(&p->bodies->H, NULL, p->dimension, g);
  if (p->bodies->count == 0) connect_columns(&p->bodies->M, g->node_of_row, 0, g);
}

// The island of each representative in the order of first contacts, -1 without contacts.
static int *label_sets(const graph *g, ts_arena *arena, int *count)
{
  int *label = ts_arena_ints(arena, (size_t)g->nodes);
  *count = 0;
  for (int i = 0; i < g->nodes; ++i) label[i] = -1;
  for (int i = 0; i < g->contacts; ++i) {
    int *own = &label[ts_find_set(g->parent, i)];
    if (*own < 0) *own = (*count)++;
  }
  return label;
}

// Members of each island by counting; node i stands for the i-th of them, or node[i] where that is given.
static ts_island_members collect(const graph *g, const int *label, int islands, const int *node, int count,
                                 ts_arena *arena)
{
  int *start = ts_arena_ints(arena, (size_t)islands + 1), *member = ts_arena_ints(arena, (size_t)count);
  int *number = ts_arena_ints(arena, (size_t)count), *next = ts_arena_ints(arena, (size_t)islands + 1);
  memset(next, 0, ((size_t)islands + 1) * sizeof *next);
  for (int i = 0; i < count; ++i) {
    const int island = label[ts_find_set(g->parent, node ? node[i] : i)];
    number[i] = island < 0 ? -1 : next[island]++;
  }
  start[0] = 0;
  for (int k = 0; k < islands; ++k) start[k + 1] = start[k] + next[k];
  for (int i = 0; i < count; ++i)
    if (number[i] >= 0) member[start[label[ts_find_set(g->parent, node ? node[i] : i)]] + number[i]] = i;
  return (ts_island_members){start, member, number};
}

// Contacts with a body in common have a block in W as a rule, and no need to be connected by it: that is done where W
// alone leaves several islands.
void ts_islands_find(const ts_friction *problem, ts_arena *arena, ts_islands *islands)
{
  const ts_bodies *bodies = problem->bodies;
  graph g = {.contacts = problem->contacts, .nodes = problem->contacts};
  *islands = (ts_islands){.count = 1};
  if (bodies && (!bodies->M.start || !bodies->H.start)) return; // a dense matrix connects all that there is
  g.parent = ts_arena_ints(arena, (size_t)g.nodes);
  for (int i = 0; i < g.nodes; ++i) g.parent[i] = i;
  islands->count = connect_contacts(problem, g.parent);
  if (islands->count < 2) return;
  const int *label = label_sets(&g, arena, &islands->count);
  if (islands->count > 1 && bodies) {
    connect_bodies(problem, &g, arena);
    label = label_sets(&g, arena, &islands->count);
  }
  if (islands->count < 2) return;
  islands->contacts = collect(&g, label, islands->count, NULL, problem->contacts, arena);
  if (bodies) islands->rows = collect(&g, label, islands->count, g.node_of_row, bodies->M.rows, arena);
}

// ---- the problem of one --------------------------------------------------------------------------------------------

static ts_block_matrix take_blocks(const ts_block_matrix *W, const int *members, int count, const int *number,
                                   ts_arena *arena)
{
  const size_t size = (size_t)(W->block * W->block);
  int *start = ts_arena_ints(arena, (size_t)count + 1), blocks = 0;
  for (int i = 0; i < count; ++i) {
    start[i] = blocks;
    blocks += W->start[members[i] + 1] - W->start[members[i]];
  }
  start[count] = blocks;
  int *index = ts_arena_ints(arena, (size_t)blocks);
  double *value = ts_arena_doubles(arena, (size_t)blocks * size);
  for (int i = 0; i < count; ++i) {
    const int from = W->start[members[i]], here = start[i + 1] - start[i];
    for (int k = 0; k < here; ++k) index[start[i] + k] = number[W->index[from + k]];
    memcpy(value + (size_t)start[i] * size, W->value + (size_t)from * size, (size_t)here * size * sizeof *value);
  }
  return (ts_block_matrix){count, W->block, start, index, value};
}

// Groups of `width` columns, numbered by `members`, with the rows' new numbers. These keep their order.
static ts_matrix take_columns(const ts_matrix *A, const int *members, int count, int width, const int *row_number,
                              int rows, ts_arena *arena)
{
  int *start = ts_arena_ints(arena, (size_t)count * (size_t)width + 1), entries = 0, column = 0;
  for (int i = 0; i < count; ++i) entries += A->start[(members[i] + 1) * width] - A->start[members[i] * width];
  int *index = ts_arena_ints(arena, (size_t)entries);
  double *value = ts_arena_doubles(arena, (size_t)entries);
  entries = 0;
  for (int i = 0; i < count; ++i)
    for (int j = members[i] * width; j < (members[i] + 1) * width; ++j) {
      start[column++] = entries;
      for (int k = A->start[j]; k < A->start[j + 1]; ++k) {
        index[entries] = row_number[A->index[k]];
        value[entries++] = A->value[k];
      }
    }
  start[column] = entries;
  return (ts_matrix){rows, column, start, index, value};
}

// Bodies are whole in an island: one begins where a row of the island is its first.
static const int *take_first_rows(const ts_bodies *bodies, const int *rows, int count, int *number, ts_arena *arena)
{
  int *first = ts_arena_ints(arena, (size_t)count + 1), found = 0, row = 0;
  while (row < count) {
    int low = 0, high = bodies->count; // first[low] <= rows[row] < first[high]
    while (high - low > 1) {
      const int middle = low + (high - low) / 2;
      if (bodies->first[middle] <= rows[row])
        low = middle;
      else
        high = middle;
    }
    first[found++] = row;
    row += bodies->first[low + 1] - bodies->first[low];
  }
  first[found] = count;
  *number = found;
  return first;
}

static ts_bodies take_bodies(const ts_friction *p, const ts_islands *islands, int k, ts_arena *arena)
{
  const ts_bodies *all = p->bodies;
  const ts_island_members *c = &islands->contacts, *r = &islands->rows;
  const int *contacts = c->member + c->start[k], *rows = r->member + r->start[k];
  const int contact_count = c->start[k + 1] - c->start[k], row_count = r->start[k + 1] - r->start[k];
  ts_bodies own = {.M = take_columns(&all->M, rows, row_count, 1, r->number, row_count, arena),
                   .H = take_columns(&all->H, contacts, contact_count, p->dimension, r->number, row_count, arena)};
  if (all->count > 0) own.first = take_first_rows(all, rows, row_count, &own.count, arena);
  return own;
}

static const double *take_numbers(const double *from, const int *members, int count, int width, ts_arena *arena)
{
  if (!from) return NULL;
  double *to = ts_arena_doubles(arena, (size_t)count * (size_t)width);
  for (int i = 0; i < count; ++i)
    memcpy(to + (size_t)i * (size_t)width, from + (size_t)members[i] * (size_t)width, (size_t)width * sizeof *to);
  return to;
}

ts_friction ts_island_problem(const ts_friction *problem, const ts_islands *islands, int k, ts_bodies *bodies,
                              ts_arena *arena)
{
  const ts_island_members *c = &islands->contacts;
  const int *contacts = c->member + c->start[k], count = c->start[k + 1] - c->start[k], d = problem->dimension;
  ts_friction own = {.dimension = d,
                     .contacts = count,
                     .W = take_blocks(&problem->W, contacts, count, c->number, arena),
                     .q = take_numbers(problem->q, contacts, count, d, arena),
                     .mu = take_numbers(problem->mu, contacts, count, 1, arena),
                     .ellipsoid = take_numbers(problem->ellipsoid, contacts, count, d - 1, arena)};
  if (problem->bodies && count >= TS_FEWEST_FOR_BODIES) {
    *bodies = take_bodies(problem, islands, k, arena);
    own.bodies = bodies;
  }
  return own;
}
