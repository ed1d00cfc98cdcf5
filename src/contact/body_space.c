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
// particle. Returns how many, `component` lists them.
static int body_components(const ts_model *model, int body, int component[6])
{
  const ts_freedoms *freedoms = model->bodies[body].freedoms;
  const bool turns = model->bodies[body].inertia.z.z > 0.0;
  const double axes[6] = {freedoms->along.x, freedoms->along.y, freedoms->along.z,
                          freedoms->about.x, freedoms->about.y, freedoms->about.z};
  int count = 0;
  for (int k = 0; k < (turns ? 6 : 3); ++k)
    if (axes[k] != 0.0) component[count++] = k;
  return count;
}

static double twist_component(const ts_twist *twist, int k)
{
  const double all[6] = {twist->linear.x,  twist->linear.y,  twist->linear.z,
                         twist->angular.x, twist->angular.y, twist->angular.z};
  return all[k];
}

static double inertia_entry(const ts_mat3 *inertia, int row, int column)
{
  const ts_vec3 c = column == 0 ? inertia->x : column == 1 ? inertia->y : inertia->z;
  return row == 0 ? c.x : row == 1 ? c.y : c.z;
}

// Where the rows of each dynamic body that is touched begin in M; -1 for the others.
typedef struct layout {
  int *offset;
  int *size;  // number of its rows
  int *first; // row of each body that is touched, and behind the last one the number of rows
  int bodies, rows;
} layout;

static layout number_rows(const ts_system *system, ts_arena *arena)
{
  const ts_model *model = system->model;
  const size_t bodies = (size_t)model->body_count;
  layout l = {ts_arena_ints(arena, bodies), ts_arena_ints(arena, bodies), ts_arena_ints(arena, bodies + 1), 0, 0};
  for (int b = 0; b < model->body_count; ++b) l.offset[b] = -1;
  for (int i = 0; i < system->count; ++i)
    for (int side = 0; side < 2; ++side)
      if (system->blocks[i].body[side] >= 0) l.offset[system->blocks[i].body[side]] = 0;
  for (int b = 0; b < model->body_count; ++b) {
    int component[6];
    if (l.offset[b] < 0) continue;
    l.offset[b] = l.first[l.bodies++] = l.rows;
    l.size[b] = body_components(model, b, component);
    l.rows += l.size[b];
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
    int component[6];
    const int count = body_components(model, b, component);
    const ts_body *body = &model->bodies[b];
    const ts_mat3 inertia =
        body->isotropic ? body->inertia : ts_mat3_rotate(&system->kinematics->frame[b].axes, &body->inertia);
    for (int c = 0; c < count; ++c) {
      start[column++] = entries;
      for (int r = 0; r < count; ++r) {
        const bool linear = component[r] < 3 || component[c] < 3;
        if (linear && r != c) continue;
        index[entries] = l->offset[b] + r;
        value[entries++] = linear ? body->mass : inertia_entry(&inertia, component[r] - 3, component[c] - 3);
      }
    }
  }
  start[column] = entries;
  return (ts_matrix){.rows = l->rows, .columns = l->rows, .start = start, .index = index, .value = value};
}

// The sides of a block in the order of the rows of their bodies in M; of none, -1.
static void order_sides(const ts_block *block, int side[2])
{
  const bool first = block->body[0] >= 0 && (block->body[1] < 0 || block->body[0] < block->body[1]);
  side[0] = first ? 0 : 1;
  side[1] = first ? 1 : 0;
  for (int turn = 0; turn < 2; ++turn)
    if (block->body[side[turn]] < 0) side[turn] = -1;
}

typedef struct direction_task {
  const ts_system *system;
  const layout *layout;
  const int *start; // of the columns
  int *index;
  double *value;
} direction_task;

static void write_directions(void *argument, int first, int end)
{
  const direction_task *task = argument;
  const ts_system *system = task->system;
  const int d = system->dimension;
  for (int i = first; i < end; ++i) {
    const int entries = task->start[i * d + 1] - task->start[i * d];
    int side[2], at = task->start[i * d];
    order_sides(&system->blocks[i], side);
    for (int turn = 0; turn < 2; ++turn) {
      if (side[turn] < 0) continue;
      int component[6];
      const int body = system->blocks[i].body[side[turn]], count = body_components(system->model, body, component);
      for (int r = 0; r < d; ++r) {
        const ts_twist row = ts_row_block_row(&system->jacobian[2 * i + side[turn]], r);
        for (int k = 0; k < count; ++k) {
          task->index[at + r * entries + k] = task->layout->offset[body] + k;
          task->value[at + r * entries + k] = twist_component(&row, component[k]);
        }
      }
      at += count;
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
    const int here = (body[0] < 0 ? 0 : l->size[body[0]]) + (body[1] < 0 ? 0 : l->size[body[1]]);
    for (int r = 0; r < d; ++r, entries += here) start[i * d + r] = entries;
  }
  start[columns] = entries;
  direction_task task = {system, l, start, ts_arena_ints(arena, (size_t)entries),
                         ts_arena_doubles(arena, (size_t)entries)};
  ts_team_loop(system->team, system->count, TS_SHARE_OF_BLOCKS, write_directions, &task);
  return (ts_matrix){
      .rows = l->rows, .columns = (int)columns, .start = start, .index = task.index, .value = task.value};
}

void ts_body_space_give(ts_system *system, ts_arena *arena)
{
  if (!applies(system)) return;
  const layout l = number_rows(system, arena);
  system->bodies = (ts_bodies){mass_matrix(system, &l, arena), directions(system, &l, arena), l.bodies, l.first};
  system->problem.bodies = &system->bodies;
}
