#include "contact/run_compliance.h"

#include "contact/coupling_inline.h"

enum { FEW_BLOCKS = 64 };

typedef struct run {
  int first, end;
  int degree; // columns that each of its rows has
  int filled; // of them, those of runs that have been gone through
} run;

typedef struct run_list {
  int count;
  run runs[FEW_BLOCKS];
} run_list;

// W in the making.
typedef struct filling {
  const ts_system *system;
  int *start, *index;
  double *value;
} filling;

bool ts_run_compliance_applies(const ts_system *system)
{
  return system->count <= FEW_BLOCKS && !(system->mobility && ts_mobility_joins(system->mobility));
}

static void list_runs(const ts_system *system, run_list *list)
{
  list->count = 0;
  for (int i = 0; i < system->count; ++i) {
    const int *body = system->blocks[i].body, *last = i > 0 ? system->blocks[i - 1].body : NULL;
    if (last && body[0] == last[0] && body[1] == last[1])
      ++list->runs[list->count - 1].end;
    else
      list->runs[list->count++] = (run){i, i + 1, 0, 0};
  }
}

TS_INLINE bool share_a_body(const ts_block *a, const ts_block *b)
{
  const bool first = a->body[0] == b->body[0] || a->body[0] == b->body[1];
  const bool second = a->body[1] == b->body[0] || a->body[1] == b->body[1];
  return (a->body[0] >= 0 && first) || (a->body[1] >= 0 && second);
}

static void count_columns(const ts_block *blocks, run_list *list, int *start)
{
  for (int a = 0; a < list->count; ++a) {
    run *own = &list->runs[a];
    for (int b = a; b < list->count; ++b) {
      run *other = &list->runs[b];
      if (!share_a_body(&blocks[own->first], &blocks[other->first])) continue;
      own->degree += other->end - other->first;
      if (b > a) other->degree += own->end - own->first;
    }
  }
  start[0] = 0;
  for (int a = 0; a < list->count; ++a)
    for (int i = list->runs[a].first; i < list->runs[a].end; ++i) start[i + 1] = start[i] + list->runs[a].degree;
}

// Blocks (i, j) of j from `first` to before `end`, from `here` on, and (j, i), which are `there` in their rows.
// `bodies` are common to i and all j.
TS_INLINE void fill_row(const filling *f, int i, int first, int end, const ts_coupling *common, int here, int there,
                        const int bodies, const int d)
{
  const ts_system *system = f->system;
  const size_t block_size = (size_t)(d * d);
  const ts_row_block *rows[2] = {&system->jacobian[2 * i + common->side_i[0]],
                                 &system->jacobian[2 * i + common->side_i[1]]};
  double *block = f->value + (size_t)here * block_size;
  for (int j = first; j < end; ++j, ++here, block += block_size) {
    ts_quad column[TS_MAX_DIMENSION] = {{0}};
    for (int k = 0; k < bodies; ++k) ts_couple_rows(rows[k], &system->response[2 * j + common->side_j[k]], d, column);
    const int place = f->start[j] + there;
    f->index[here] = j;
    f->index[place] = i;
    ts_store_block(column, d, block, j > i ? f->value + (size_t)place * block_size : NULL);
  }
}

// The rows of run a from their diagonal on, run by run, and their mirror images. Runs are gone through in their order,
// so that the columns of every row come out ascending.
TS_INLINE void fill_run(const filling *f, run_list *list, int a, const int d)
{
  const ts_block *blocks = f->system->blocks;
  run *own = &list->runs[a];
  for (int b = a, columns = own->filled; b < list->count; ++b) {
    run *other = &list->runs[b];
    if (!share_a_body(&blocks[own->first], &blocks[other->first])) continue;
    const ts_coupling common = ts_coupling_of(&blocks[own->first], &blocks[other->first]);
    for (int i = own->first; i < own->end; ++i) {
      const int first = b == a ? i : other->first, here = f->start[i] + columns + first - other->first;
      const int there = other->filled + i - own->first;
      if (common.count == 1)
        fill_row(f, i, first, other->end, &common, here, there, 1, d);
      else
        fill_row(f, i, first, other->end, &common, here, there, 2, d);
      if (b == a) ts_fill_idle_rows(&blocks[i], d, f->value + (size_t)here * (size_t)(d * d));
    }
    columns += other->end - other->first;
    if (b > a) other->filled += own->end - own->first;
  }
}

TS_INLINE void fill_runs(const filling *f, run_list *list, const int d)
{
  for (int a = 0; a < list->count; ++a) fill_run(f, list, a, d);
}

TS_HOT static void fill(const filling *f, run_list *list)
{
  switch (f->system->dimension) { // a constant dimension lets the compiler unroll
  case 2:
    fill_runs(f, list, 2);
    break;
  case 3:
    fill_runs(f, list, 3);
    break;
  default:
    fill_runs(f, list, 4);
  }
}

void ts_run_compliance_assemble(ts_system *system, ts_arena *arena)
{
  const int d = system->dimension, n = system->count;
  run_list list;
  filling f = {.system = system, .start = ts_arena_ints(arena, (size_t)n + 1)};
  list_runs(system, &list);
  count_columns(system->blocks, &list, f.start);
  f.index = ts_arena_ints(arena, (size_t)f.start[n]);
  f.value = ts_arena_doubles(arena, (size_t)f.start[n] * (size_t)(d * d));
  fill(&f, &list);
  system->problem.W = (ts_block_matrix){.rows = n, .block = d, .start = f.start, .index = f.index, .value = f.value};
}
