#include "friction_union.h"

#include "base/random.h"

#include <stdlib.h>
#include <string.h>

// A shuffled list of all contacts, and where each contact of each problem has come to: at[k][i].
static int **shuffle(friction_union *all, const ts_friction *const *parts, int count, int contacts, uint64_t seed)
{
  int **at = ts_arena_bytes(&all->arena, (size_t)count, sizeof *at), next = 0;
  ts_random random;
  ts_random_init(&random, seed);
  all->part = ts_arena_ints(&all->arena, (size_t)contacts);
  all->place = ts_arena_ints(&all->arena, (size_t)contacts);
  for (int k = 0; k < count; ++k)
    for (int i = 0; i < parts[k]->contacts; ++i, ++next) {
      const int other = ts_random_below(&random, next + 1);
      all->part[next] = all->part[other];
      all->place[next] = all->place[other];
      all->part[other] = k;
      all->place[other] = i;
    }
  for (int k = 0; k < count; ++k) at[k] = ts_arena_ints(&all->arena, (size_t)parts[k]->contacts);
  for (int i = 0; i < contacts; ++i) at[all->part[i]][all->place[i]] = i;
  return at;
}

typedef struct entry {
  int index;
  const double *block;
} entry;

static int compare_entries(const void *a, const void *b)
{
  const entry *x = a, *y = b;
  return (x->index > y->index) - (x->index < y->index);
}

static ts_block_matrix join_blocks(friction_union *all, const ts_friction *const *parts, int count, int **at,
                                   int contacts)
{
  const int d = parts[0]->dimension;
  const size_t size = (size_t)(d * d);
  int blocks = 0, filled = 0;
  for (int k = 0; k < count; ++k) blocks += parts[k]->W.start[parts[k]->contacts];
  int *start = ts_arena_ints(&all->arena, (size_t)contacts + 1), *index = ts_arena_ints(&all->arena, (size_t)blocks);
  double *value = ts_arena_doubles(&all->arena, (size_t)blocks * size);
  entry *row = ts_arena_bytes(&all->arena, (size_t)contacts, sizeof *row);
  for (int i = 0; i < contacts; ++i) {
    const int k = all->part[i];
    const ts_block_matrix *W = &parts[k]->W;
    size_t found = 0;
    for (int b = W->start[all->place[i]]; b < W->start[all->place[i] + 1]; ++b)
      row[found++] = (entry){at[k][W->index[b]], W->value + (size_t)b * size};
    qsort(row, found, sizeof *row, compare_entries);
    start[i] = filled;
    for (size_t b = 0; b < found; ++b, ++filled) {
      index[filled] = row[b].index;
      memcpy(value + (size_t)filled * size, row[b].block, size * sizeof *value);
    }
  }
  start[contacts] = filled;
  return (ts_block_matrix){contacts, d, start, index, value};
}

// Columns from[j] of matrices of[j], their rows moved by shift[j].
static ts_matrix join_columns(ts_arena *arena, int rows, int columns, const ts_matrix *const *of, const int *from,
                              const int *shift)
{
  int *start = ts_arena_ints(arena, (size_t)columns + 1), entries = 0;
  for (int j = 0; j < columns; ++j) entries += of[j]->start[from[j] + 1] - of[j]->start[from[j]];
  int *index = ts_arena_ints(arena, (size_t)entries);
  double *value = ts_arena_doubles(arena, (size_t)entries);
  entries = 0;
  for (int j = 0; j < columns; ++j) {
    start[j] = entries;
    for (int e = of[j]->start[from[j]]; e < of[j]->start[from[j] + 1]; ++e, ++entries) {
      index[entries] = of[j]->index[e] + shift[j];
      value[entries] = of[j]->value[e];
    }
  }
  start[columns] = entries;
  return (ts_matrix){rows, columns, start, index, value};
}

static ts_bodies join_bodies(friction_union *all, const ts_friction *const *parts, int count, int contacts)
{
  ts_arena *arena = &all->arena;
  const int d = parts[0]->dimension;
  int rows = 0, bodies = 0, *before = ts_arena_ints(arena, (size_t)count);
  for (int k = 0; k < count; ++k) {
    before[k] = rows;
    rows += parts[k]->bodies->M.rows;
    bodies += parts[k]->bodies->count;
  }
  const size_t most = (size_t)(rows > d * contacts ? rows : d * contacts);
  const ts_matrix **of = ts_arena_bytes(arena, most, sizeof *of);
  int *from = ts_arena_ints(arena, most), *shift = ts_arena_ints(arena, most);
  int *first = ts_arena_ints(arena, (size_t)bodies + 1), body = 0;
  for (int k = 0; k < count; ++k) {
    for (int row = 0; row < parts[k]->bodies->M.rows; ++row) {
      of[before[k] + row] = &parts[k]->bodies->M;
      from[before[k] + row] = row;
      shift[before[k] + row] = before[k];
    }
    for (int b = 0; b < parts[k]->bodies->count; ++b) first[body++] = before[k] + parts[k]->bodies->first[b];
  }
  first[bodies] = rows;
  ts_bodies joined = {.M = join_columns(arena, rows, rows, of, from, shift), .count = bodies, .first = first};
  for (int j = 0; j < d * contacts; ++j) {
    of[j] = &parts[all->part[j / d]]->bodies->H;
    from[j] = all->place[j / d] * d + j % d;
    shift[j] = before[all->part[j / d]];
  }
  joined.H = join_columns(arena, rows, d * contacts, of, from, shift);
  return joined;
}

friction_union *friction_union_create(const ts_friction *const *parts, int count, const double *scale, uint64_t seed)
{
  friction_union *all = calloc(1, sizeof *all);
  if (!all) abort();
  ts_arena_init(&all->arena, NULL);
  const int d = parts[0]->dimension;
  int contacts = 0;
  for (int k = 0; k < count; ++k) contacts += parts[k]->contacts;
  int **at = shuffle(all, parts, count, contacts, seed);
  double *q = ts_arena_doubles(&all->arena, (size_t)(d * contacts)),
         *mu = ts_arena_doubles(&all->arena, (size_t)contacts);
  double *axes = parts[0]->ellipsoid ? ts_arena_doubles(&all->arena, (size_t)((d - 1) * contacts)) : NULL;
  for (int i = 0; i < contacts; ++i) {
    const int k = all->part[i], j = all->place[i];
    mu[i] = parts[k]->mu[j];
    for (int r = 0; r < d; ++r) q[i * d + r] = (scale ? scale[k] : 1.0) * parts[k]->q[j * d + r];
    for (int r = 0; axes && r < d - 1; ++r)
      axes[i * (d - 1) + r] = parts[k]->ellipsoid ? parts[k]->ellipsoid[j * (d - 1) + r] : 1.0;
  }
  ts_friction joined = {.dimension = d,
                        .contacts = contacts,
                        .W = join_blocks(all, parts, count, at, contacts),
                        .q = q,
                        .mu = mu,
                        .ellipsoid = axes};
  if (parts[0]->bodies) {
    all->bodies = join_bodies(all, parts, count, contacts);
    joined.bodies = &all->bodies;
  }
  all->problem = ts_problem_friction(joined);
  return all;
}

void friction_union_destroy(friction_union *all)
{
  if (!all) return;
  ts_arena_release(&all->arena);
  free(all);
}

void friction_union_take(const friction_union *all, int k, const double *z, double *own)
{
  const size_t d = (size_t)all->problem.friction.dimension;
  for (int i = 0; i < all->problem.friction.contacts; ++i)
    if (all->part[i] == k) memcpy(own + (size_t)all->place[i] * d, z + (size_t)i * d, d * sizeof *own);
}

ts_friction friction_vice(int dimension, ts_arena *arena, ts_bodies *bodies)
{
  static const int start[] = {0, 2, 4}, index[] = {0, 1, 0, 1}, ones[] = {0, 1, 2, 3, 4}, H_index[] = {0, 1, 2, 3};
  static const double unit[] = {1.0, 1.0, 1.0, 1.0}, mu[] = {0.3, 0.3};
  const int d = dimension;
  int *H_start = ts_arena_ints(arena, (size_t)(2 * d + 1)), *rows = ts_arena_ints(arena, (size_t)(2 * d));
  int *first = ts_arena_ints(arena, 2);
  double *value = ts_arena_zeros(arena, (size_t)(4 * d * d)), *q = ts_arena_zeros(arena, (size_t)(2 * d));
  double *signs = ts_arena_doubles(arena, (size_t)(2 * d));
  for (int b = 0; b < 4; ++b)
    for (int r = 0; r < d; ++r) value[b * d * d + r * d + r] = b == 0 || b == 3 ? 1.0 : -1.0;
  for (int j = 0; j < 2 * d; ++j) {
    H_start[j] = j;
    rows[j] = H_index[j % d];
    signs[j] = j < d ? 1.0 : -1.0;
  }
  H_start[2 * d] = 2 * d;
  q[0] = q[d] = -1.0;
  first[0] = 0;
  first[1] = d;
  *bodies =
      (ts_bodies){.M = {d, d, ones, H_index, unit}, .H = {d, 2 * d, H_start, rows, signs}, .count = 1, .first = first};
  return (ts_friction){
      .dimension = d, .contacts = 2, .W = {2, d, start, index, value}, .q = q, .mu = mu, .bodies = bodies};
}
