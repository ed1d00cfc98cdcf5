#include "contact/body_space.h"

#include <string.h>

enum { FEWEST_BLOCKS = 8 }; // below that W itself is small

static bool applies(const ts_system *system)
{
  if (system->mobility || system->soft || system->count < FEWEST_BLOCKS) return false;
  const unsigned all = (1u << system->dimension) - 1u;
  for (int i = 0; i < system->count; ++i)
    if (system->blocks[i].active != all) return false;
  return true;
}

// The velocity components that a body has: linear x y z, angular x y z; x y and the angle in the plane; no angles for a
// particle.
typedef struct components {
  int count, number[6];
} components;

static components body_components(const ts_model *model, int body)
{
  const ts_freedoms *freedoms = model->bodies[body].freedoms;
  const bool turns = model->bodies[body].inertia.z.z > 0.0;
  const double axes[6] = {freedoms->along.x, freedoms->along.y, freedoms->along.z,
                          freedoms->about.x, freedoms->about.y, freedoms->about.z};
  components all = {.count = 0};
  for (int k = 0; k < (turns ? 6 : 3); ++k)
    if (axes[k] != 0.0) all.number[all.count++] = k;
  return all;
}

static double inertia_entry(const ts_mat3 *inertia, int row, int column)
{
  const ts_vec3 c = column == 0 ? inertia->x : column == 1 ? inertia->y : inertia->z;
  return row == 0 ? c.x : row == 1 ? c.y : c.z;
}

// Where the rows of each dynamic body that is touched begin in M; -1 for the others.
typedef struct layout {
  int *offset;
  components *component; // of each body that is touched
  int *first;            // row of each body that is touched, and behind the last one the number of rows
  int bodies, rows;
} layout;

static layout number_rows(const ts_system *system, ts_arena *arena)
{
  const ts_model *model = system->model;
  const size_t bodies = (size_t)model->body_count;
  layout l = {.offset = ts_arena_ints(arena, bodies),
              .component = ts_arena_bytes(arena, bodies, sizeof *l.component),
              .first = ts_arena_ints(arena, bodies + 1)};
  for (int b = 0; b < model->body_count; ++b) l.offset[b] = -1;
  for (int i = 0; i < system->count; ++i)
    for (int side = 0; side < 2; ++side)
      if (system->blocks[i].body[side] >= 0) l.offset[system->blocks[i].body[side]] = 0;
  for (int b = 0; b < model->body_count; ++b) {
    if (l.offset[b] < 0) continue;
    l.component[b] = body_components(model, b);
    l.offset[b] = l.first[l.bodies++] = l.rows;
    l.rows += l.component[b].count;
  }
  l.first[l.bodies] = l.rows;
  return l;
}

// A mass matrix in the making, column by column.
typedef struct mass_columns {
  int *start, *index;
  double *value;
  int count, entries;
} mass_columns;

TS_INLINE void begin_column(mass_columns *m)
{
  m->start[m->count++] = m->entries;
}

TS_INLINE void put_entry(mass_columns *m, int row, double value)
{
  m->index[m->entries] = row;
  m->value[m->entries++] = value;
}

// A body with all six components, as a rule.
static void write_whole_body(mass_columns *m, double mass, const ts_mat3 *inertia, int offset)
{
  const ts_vec3 columns[3] = {inertia->x, inertia->y, inertia->z};
  for (int c = 0; c < 3; ++c) {
    begin_column(m);
    put_entry(m, offset + c, mass);
  }
  for (int c = 0; c < 3; ++c) {
    begin_column(m);
    put_entry(m, offset + 3, columns[c].x);
    put_entry(m, offset + 4, columns[c].y);
    put_entry(m, offset + 5, columns[c].z);
  }
}

static void write_body(mass_columns *m, const components *own, double mass, const ts_mat3 *inertia, int offset)
{
  for (int c = 0; c < own->count; ++c) {
    begin_column(m);
    for (int r = 0; r < own->count; ++r) {
      const bool linear = own->number[r] < 3 || own->number[c] < 3;
      if (linear && r != c) continue;
      put_entry(m, offset + r, linear ? mass : inertia_entry(inertia, own->number[r] - 3, own->number[c] - 3));
    }
  }
}

static ts_matrix mass_matrix(const ts_system *system, const layout *l, ts_arena *arena)
{
  const ts_model *model = system->model;
  const size_t rows = (size_t)l->rows;
  mass_columns m = {.start = ts_arena_ints(arena, rows + 1),
                    .index = ts_arena_ints(arena, 3 * rows),
                    .value = ts_arena_doubles(arena, 3 * rows)};
  for (int b = 0; b < model->body_count; ++b) {
    if (l->offset[b] < 0) continue;
    const components *own = &l->component[b];
    const ts_body *body = &model->bodies[b];
    const ts_mat3 inertia =
        body->isotropic ? body->inertia : ts_mat3_rotate(&system->kinematics->frame[b].axes, &body->inertia);
    if (own->count == 6)
      write_whole_body(&m, body->mass, &inertia, l->offset[b]);
    else
      write_body(&m, own, body->mass, &inertia, l->offset[b]);
  }
  m.start[m.count] = m.entries;
  return (ts_matrix){.rows = l->rows, .columns = l->rows, .start = m.start, .index = m.index, .value = m.value};
}

// The rows of a block on one body, as far as the body has their components, into columns of H that lie `stride` apart.
TS_INLINE void write_side(const ts_row_block *rows, int d, const components *own, int offset, int stride,
                          int *restrict index, double *restrict value)
{
  for (int r = 0; r < d; ++r, index += stride, value += stride) {
    const double all[6] = {rows->linear[0][r],  rows->linear[1][r],  rows->linear[2][r],
                           rows->angular[0][r], rows->angular[1][r], rows->angular[2][r]};
    if (own->count == 6) { // as a rule, and a constant number of turns is unrolled
      for (int k = 0; k < 6; ++k) index[k] = offset + k;
      for (int k = 0; k < 6; ++k) value[k] = all[k];
      continue;
    }
    for (int k = 0; k < own->count; ++k) {
      index[k] = offset + k;
      value[k] = all[own->number[k]];
    }
  }
}

typedef struct direction_task {
  const ts_system *system;
  const layout *layout;
  const int *start; // of the columns
  int *index;
  double *value;
} direction_task;

// The bodies of a block in the order of their rows in M.
TS_HOT static void write_directions(void *argument, int first, int end)
{
  const direction_task *task = argument;
  const ts_system *system = task->system;
  const layout *l = task->layout;
  const int d = system->dimension;
  for (int i = first; i < end; ++i) {
    const ts_block *block = &system->blocks[i];
    const int lower = block->body[0] >= 0 && (block->body[1] < 0 || block->body[0] < block->body[1]) ? 0 : 1;
    const int stride = task->start[i * d + 1] - task->start[i * d];
    for (int turn = 0, entries = task->start[i * d]; turn < 2; ++turn) {
      const int side = turn == 0 ? lower : 1 - lower, body = block->body[side];
      if (body < 0) continue;
      write_side(&system->jacobian[2 * i + side], d, &l->component[body], l->offset[body], stride,
                 task->index + entries, task->value + entries);
      entries += l->component[body].count;
    }
  }
}

static ts_matrix directions(const ts_system *system, const layout *l, ts_arena *arena)
{
  const int d = system->dimension;
  const size_t columns = (size_t)system->count * (size_t)d;
  int *start = ts_arena_ints(arena, columns + 1), entries = 0;
  for (int i = 0; i < system->count; ++i) {
    const int *body = system->blocks[i].body;
    const int here = (body[0] < 0 ? 0 : l->component[body[0]].count) + (body[1] < 0 ? 0 : l->component[body[1]].count);
    for (int r = 0; r < d; ++r, entries += here) start[i * d + r] = entries;
  }
  start[columns] = entries;
  direction_task task = {system, l, start, ts_arena_ints(arena, (size_t)entries),
                         ts_arena_doubles(arena, (size_t)entries)};
  ts_team_loop(system->team, system->count, TS_SHARE_OF_BLOCKS, write_directions, &task);
  return (ts_matrix){
      .rows = l->rows, .columns = (int)columns, .start = start, .index = task.index, .value = task.value};
}

bool ts_body_space_find(const ts_system *system, ts_arena *arena, ts_bodies *bodies)
{
  if (!applies(system)) return false;
  const layout l = number_rows(system, arena);
  *bodies = (ts_bodies){mass_matrix(system, &l, arena), directions(system, &l, arena), l.bodies, l.first};
  return true;
}
