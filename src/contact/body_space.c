#include "contact/body_space.h"

#include <string.h>

enum { FEWEST_BLOCKS = 8 }; // below that W itself is small

static bool applies(const ts_system *system)
{
  if (system->mobility || system->count < FEWEST_BLOCKS) return false;
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

static ts_matrix mass_matrix(const ts_system *system, const layout *l, ts_arena *arena)
{
  const ts_model *model = system->model;
  int *start = ts_arena_ints(arena, (size_t)l->rows + 1), *index = ts_arena_ints(arena, 3 * (size_t)l->rows);
  double *value = ts_arena_doubles(arena, 3 * (size_t)l->rows);
  int entries = 0, column = 0;
  for (int b = 0; b < model->body_count; ++b) {
    if (l->offset[b] < 0) continue;
    const components *own = &l->component[b];
    const ts_body *body = &model->bodies[b];
    const ts_mat3 inertia =
        body->isotropic ? body->inertia : ts_mat3_rotate(&system->kinematics->frame[b].axes, &body->inertia);
    for (int c = 0; c < own->count; ++c) {
      start[column++] = entries;
      for (int r = 0; r < own->count; ++r) {
        const bool linear = own->number[r] < 3 || own->number[c] < 3;
        if (linear && r != c) continue;
        index[entries] = l->offset[b] + r;
        value[entries++] = linear ? body->mass : inertia_entry(&inertia, own->number[r] - 3, own->number[c] - 3);
      }
    }
  }
  start[column] = entries;
  return (ts_matrix){.rows = l->rows, .columns = l->rows, .start = start, .index = index, .value = value};
}

// The components of row r on one body, as far as the body has them, into a column of H. Returns how many.
static int write_row(const ts_row_block *rows, int r, const components *own, int offset, int *index, double *value)
{
  const double all[6] = {rows->linear[0][r],  rows->linear[1][r],  rows->linear[2][r],
                         rows->angular[0][r], rows->angular[1][r], rows->angular[2][r]};
  if (own->count == 6) { // as a rule, and a constant number of turns is unrolled
    for (int k = 0; k < 6; ++k) {
      index[k] = offset + k;
      value[k] = all[k];
    }
    return 6;
  }
  for (int k = 0; k < own->count; ++k) {
    index[k] = offset + k;
    value[k] = all[own->number[k]];
  }
  return own->count;
}

typedef struct direction_task {
  const ts_system *system;
  const layout *layout;
  const int *start; // of the columns
  int *index;
  double *value;
} direction_task;

// The bodies of a block in the order of their rows in M.
static void write_directions(void *argument, int first, int end)
{
  const direction_task *task = argument;
  const ts_system *system = task->system;
  const layout *l = task->layout;
  for (int i = first; i < end; ++i) {
    const ts_block *block = &system->blocks[i];
    const int lower = block->body[0] >= 0 && (block->body[1] < 0 || block->body[0] < block->body[1]) ? 0 : 1;
    for (int r = 0; r < system->dimension; ++r) {
      int entries = task->start[i * system->dimension + r];
      for (int turn = 0; turn < 2; ++turn) {
        const int side = turn == 0 ? lower : 1 - lower, body = block->body[side];
        if (body >= 0)
          entries += write_row(&system->jacobian[2 * i + side], r, &l->component[body], l->offset[body],
                               task->index + entries, task->value + entries);
      }
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
