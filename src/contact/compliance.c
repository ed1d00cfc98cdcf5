#include "contact/compliance.h"

#include "contact/block_groups.h"
#include "contact/coupling_inline.h"
#include "contact/joint_compliance.h"
#include "contact/responses.h"
#include "contact/run_compliance.h"

#include <string.h>

// Walks over the blocks that share a group with one block, ascending, each once.
typedef struct neighbours {
  const int *at[2], *end[2];
} neighbours;

// Those of each group from place from[group] on, which may be g->start: all of them.
TS_INLINE neighbours neighbours_of(const ts_block_groups *g, const ts_block *block, const int *from)
{
  neighbours n = {{NULL, NULL}, {NULL, NULL}};
  const int groups[2] = {ts_group_of(g, block, 0), ts_group_of(g, block, 1)};
  for (int side = 0; side < 2; ++side) {
    if (groups[side] < 0 || (side == 1 && groups[1] == groups[0])) continue;
    n.at[side] = g->member + from[groups[side]];
    n.end[side] = g->member + g->start[groups[side] + 1];
  }
  return n;
}

TS_INLINE int next_neighbour(neighbours *n) // -1: no more
{
  const bool first = n->at[0] < n->end[0], second = n->at[1] < n->end[1];
  if (!first && !second) return -1;
  const int a = first ? *n->at[0] : *n->at[1], b = second ? *n->at[1] : a;
  const int least = a < b ? a : b;
  if (first && *n->at[0] == least) ++n->at[0];
  if (second && *n->at[1] == least) ++n->at[1];
  return least;
}

TS_INLINE void couple_blocks(const ts_system *system, int i, int j, const ts_coupling *common, const int d,
                             double *block, double *mirrored)
{
  ts_quad column[TS_MAX_DIMENSION] = {{0}};
  for (int k = 0; k < common->count; ++k)
    ts_couple_rows(&system->jacobian[2 * i + common->side_i[k]], &system->response[2 * j + common->side_j[k]], d,
                   column);
  ts_store_block(column, d, block, mirrored);
}

TS_HOT static void couple_only_block(const ts_system *system, double *block)
{
  const ts_coupling own = ts_coupling_of(&system->blocks[0], &system->blocks[0]);
  switch (system->dimension) { // a constant dimension lets the compiler unroll
  case 2:
    couple_blocks(system, 0, 0, &own, 2, block, NULL);
    break;
  case 3:
    couple_blocks(system, 0, 0, &own, 3, block, NULL);
    break;
  default:
    couple_blocks(system, 0, 0, &own, 4, block, NULL);
  }
}

// All blocks act on one and the same body, and on nothing else that moves: W is full.
static bool acts_on_one_body(const ts_system *system)
{
  if (system->mobility) return false;
  for (int i = 0; i < system->count; ++i)
    if (system->blocks[i].body[0] != system->blocks[0].body[0] || system->blocks[i].body[1] >= 0) return false;
  return true;
}

// The upper half of a full W block by block, and its mirror image.
TS_INLINE void couple_all(const ts_system *system, const int d, double *value)
{
  const int n = system->count;
  for (int i = 0; i < n; ++i)
    for (int j = i; j < n; ++j) {
      ts_quad column[TS_MAX_DIMENSION] = {{0}};
      ts_couple_rows(&system->jacobian[2 * i], &system->response[2 * j], d, column);
      ts_store_block(column, d, value + (size_t)(i * n + j) * (size_t)(d * d),
                     j > i ? value + (size_t)(j * n + i) * (size_t)(d * d) : NULL);
    }
}

TS_HOT static void fill_full_compliance(const ts_system *system, double *value)
{
  switch (system->dimension) { // a constant dimension lets the compiler unroll
  case 2:
    couple_all(system, 2, value);
    break;
  case 3:
    couple_all(system, 3, value);
    break;
  default:
    couple_all(system, 4, value);
  }
}

// W of one block.
static void assemble_single_compliance(ts_system *system, ts_arena *arena)
{
  static const int start[] = {0, 1}, index[] = {0};
  const int d = system->dimension;
  double *value = ts_arena_doubles(arena, (size_t)(d * d));
  couple_only_block(system, value);
  ts_fill_idle_rows(&system->blocks[0], d, value);
  system->problem.W = (ts_block_matrix){.rows = 1, .block = d, .start = start, .index = index, .value = value};
}

static void refuse_too_many(size_t couplings, ts_arena *arena)
{
  if (couplings > TS_MOST_COUPLINGS)
    ts_arena_refuse(arena, "pairs of contacts that push the same body", couplings, TS_MOST_COUPLINGS);
}

static void assemble_full_compliance(ts_system *system, ts_arena *arena)
{
  const int d = system->dimension, n = system->count;
  const size_t block_size = (size_t)(d * d), blocks = (size_t)n * (size_t)n;
  refuse_too_many(blocks, arena);
  int *start = ts_arena_ints(arena, (size_t)n + 1 + blocks), *index = start + n + 1;
  double *value = ts_arena_doubles(arena, blocks * block_size);
  fill_full_compliance(system, value);
  for (int i = 0; i < n; ++i) {
    start[i] = i * n;
    for (int j = 0; j < n; ++j) index[i * n + j] = j;
    ts_fill_idle_rows(&system->blocks[i], d, value + (size_t)(i * n + i) * block_size);
  }
  start[n] = n * n;
  system->problem.W = (ts_block_matrix){.rows = n, .block = d, .start = start, .index = index, .value = value};
}

// A block that shares a group with another, and the bodies they share; none where joints alone couple them.
typedef struct neighbour {
  int block;
  ts_coupling common;
} neighbour;

// Writing the pattern and the values of W. Block (j, i) is written with (i, j), and rows are filled for i ascending, so
// that the columns of every row come out ascending. Rows may be shared among several writers: where in row j one begins
// follows from how many columns of that row are those of writers before it.
typedef struct filling {
  const ts_system *system;
  ts_block_groups groups;
  int writers;
  const int *bounds; // writer w has the rows from bounds[w] to before bounds[w + 1]
  int *start, *index;
  double *value;
  int *next;       // of row j, the place behind start[j] of the next column from writer w: [w * rows + j]
  int *from;       // of each group, its first member that is not behind writer w: [w * groups + g]
  neighbour *near; // of a row and those behind it on the same bodies: [w * rows + ...]
} filling;

static bool on_same_groups(const ts_block_groups *g, const ts_block *a, const ts_block *b)
{
  return ts_group_of(g, a, 0) == ts_group_of(g, b, 0) && ts_group_of(g, a, 1) == ts_group_of(g, b, 1);
}

// How many columns a row has, and how many of them are before each writer's.
static void count_row(const filling *f, int i)
{
  const size_t rows = (size_t)f->system->count;
  neighbours walk = neighbours_of(&f->groups, &f->system->blocks[i], f->groups.start);
  int degree = 0, writer = 1;
  f->next[i] = 0;
  for (int j = next_neighbour(&walk); j >= 0; j = next_neighbour(&walk), ++degree)
    for (; writer < f->writers && j >= f->bounds[writer]; ++writer) f->next[(size_t)writer * rows + (size_t)i] = degree;
  for (; writer < f->writers; ++writer) f->next[(size_t)writer * rows + (size_t)i] = degree;
  f->start[i + 1] = degree;
}

// Blocks in a row on the same groups have the same neighbours.
static void count_columns(void *argument, int first, int end)
{
  const filling *f = argument;
  const ts_block *blocks = f->system->blocks;
  const size_t rows = (size_t)f->system->count;
  for (int i = first; i < end; ++i) {
    if (i == first || !on_same_groups(&f->groups, &blocks[i], &blocks[i - 1])) {
      count_row(f, i);
      continue;
    }
    for (int w = 0; w < f->writers; ++w)
      f->next[(size_t)w * rows + (size_t)i] = f->next[(size_t)w * rows + (size_t)i - 1];
    f->start[i + 1] = f->start[i];
  }
}

// The members of groups that a writer begins with.
static int *first_members(const filling *f, int writer)
{
  const ts_block_groups *g = &f->groups;
  int *from = f->from + (size_t)writer * (size_t)g->count;
  memcpy(from, g->start, (size_t)g->count * sizeof *from);
  for (int k = 0; writer > 0 && k < g->count; ++k)
    while (from[k] < g->start[k + 1] && g->member[from[k]] < f->bounds[writer]) ++from[k];
  return from;
}

// The neighbours of a block from the given members on. Returns how many.
TS_INLINE int list_neighbours(const filling *f, const ts_block *own, const int *from, neighbour *near)
{
  const ts_block *blocks = f->system->blocks;
  neighbours walk = neighbours_of(&f->groups, own, from);
  int count = 0;
  for (int j = next_neighbour(&walk); j >= 0; j = next_neighbour(&walk))
    near[count++] = (neighbour){j, ts_coupling_of(own, &blocks[j])};
  return count;
}

// Block (i, j), j >= i, at `here`, and (j, i).
TS_INLINE void fill_pair(const filling *f, int i, const neighbour *near, int here, int *next, const int d)
{
  const size_t block_size = (size_t)(d * d);
  const int j = near->block;
  double *block = f->value + (size_t)here * block_size;
  f->index[here] = j;
  if (j == i) {
    couple_blocks(f->system, i, i, &near->common, d, block, NULL);
    ts_fill_idle_rows(&f->system->blocks[i], d, block);
    return;
  }
  const int there = f->start[j] + next[j]++;
  f->index[there] = i;
  couple_blocks(f->system, i, j, &near->common, d, block, f->value + (size_t)there * block_size);
}

// Rows of blocks that follow each other on the same bodies have the same neighbours, but for those that are done.
TS_INLINE void fill_rows(const filling *f, int writer, const int d)
{
  const ts_system *system = f->system;
  const size_t rows = (size_t)system->count;
  const int begin = f->bounds[writer];
  int *next = f->next + (size_t)writer * rows, *from = first_members(f, writer), count = 0, done = 0;
  neighbour *near = f->near + (size_t)writer * rows;
  for (int i = begin; i < f->bounds[writer + 1]; ++i) {
    const ts_block *own = &system->blocks[i];
    if (i > begin && own->body[0] == own[-1].body[0] && own->body[1] == own[-1].body[1]) {
      ++done;
    } else {
      count = list_neighbours(f, own, from, near);
      done = 0;
    }
    for (int k = done, here = f->start[i] + next[i]; k < count; ++k, ++here) fill_pair(f, i, &near[k], here, next, d);
    const int first = ts_group_of(&f->groups, own, 0), second = ts_group_of(&f->groups, own, 1);
    if (first >= 0) ++from[first];
    if (second >= 0 && second != first) ++from[second];
  }
}

TS_HOT static void fill_rows_as(const filling *f, int writer)
{
  switch (f->system->dimension) { // a constant dimension lets the compiler unroll
  case 2:
    fill_rows(f, writer, 2);
    break;
  case 3:
    fill_rows(f, writer, 3);
    break;
  default:
    fill_rows(f, writer, 4);
  }
}

// In turn with the others: there are more columns behind the diagonal in the first rows.
static void write_in_turn(void *argument, int member, int size)
{
  const filling *f = argument;
  for (int writer = member; writer < f->writers; writer += size) fill_rows_as(f, writer);
}

// Where rows begin, from the numbers of their columns.
static void start_rows(int *start, int rows, ts_arena *arena)
{
  size_t couplings = 0;
  start[0] = 0;
  for (int i = 0; i < rows; ++i) {
    couplings += (size_t)start[i + 1];
    start[i + 1] = couplings > TS_MOST_COUPLINGS ? 0 : (int)couplings;
  }
  refuse_too_many(couplings, arena);
}

static filling begin_filling(const ts_system *system, ts_arena *arena)
{
  enum { MOST_WRITERS = 16, TURNS = 4 }; // a writer has a number for every row
  const int n = system->count, turns = TURNS * ts_team_size(system->team);
  const bool shared = ts_team_pays(system->team, n, TS_SHARE_OF_BLOCKS);
  const int writers = !shared ? 1 : turns < MOST_WRITERS ? turns : MOST_WRITERS;
  int *bounds = ts_arena_ints(arena, (size_t)writers + 1);
  bounds[0] = 0;
  for (int w = 0, first; w < writers; ++w) ts_team_share(n, w, writers, &first, &bounds[w + 1]);
  const ts_block_groups groups = ts_group_blocks(system, arena);
  return (filling){.system = system,
                   .groups = groups,
                   .writers = writers,
                   .bounds = bounds,
                   .start = ts_arena_ints(arena, (size_t)n + 1),
                   .next = ts_arena_ints(arena, (size_t)writers * (size_t)n),
                   .from = ts_arena_ints(arena, (size_t)writers * (size_t)groups.count),
                   .near = ts_arena_bytes(arena, (size_t)writers * (size_t)n, sizeof(neighbour))};
}

static void assemble_compliance(ts_system *system, ts_arena *arena)
{
  const int d = system->dimension, n = system->count;
  filling f = begin_filling(system, arena);
  ts_team_loop(system->team, n, TS_SHARE_OF_BLOCKS, count_columns, &f);
  start_rows(f.start, n, arena);
  f.index = ts_arena_ints(arena, (size_t)f.start[n]);
  f.value = ts_arena_doubles(arena, (size_t)f.start[n] * (size_t)(d * d));
  ts_team_run(f.writers > 1 ? system->team : NULL, write_in_turn, &f);
  system->problem.W = (ts_block_matrix){.rows = n, .block = d, .start = f.start, .index = f.index, .value = f.value};
}

void ts_compliance_assemble(ts_system *system, ts_arena *arena)
{
  ts_system_respond(system);
  if (system->count == 1)
    assemble_single_compliance(system, arena);
  else if (acts_on_one_body(system))
    assemble_full_compliance(system, arena);
  else if (ts_run_compliance_applies(system))
    ts_run_compliance_assemble(system, arena);
  else
    assemble_compliance(system, arena);
  if (system->mobility && ts_mobility_joins(system->mobility)) ts_add_joint_compliance(system, arena);
}
