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
  int *first; // row of each body that is touched, and behind the last one the number of rows
  int bodies, rows;
} layout;

static layout number_rows(const ts_system *system, ts_arena *arena)
{
  const ts_model *model = system->model;
  layout l = {ts_arena_ints(arena, (size_t)model->body_count), ts_arena_ints(arena, (size_t)model->body_count + 1), 0,
              0};
  for (int b = 0; b < model->body_count; ++b) l.offset[b] = -1;
  for (int i = 0; i < system->count; ++i)
    for (int side = 0; side < 2; ++side)
      if (system->blocks[i].body[side] >= 0) l.offset[system->blocks[i].body[side]] = 0;
  for (int b = 0; b < model->body_count; ++b) {
    int component[6];
    if (l.offset[b] < 0) continue;
    l.offset[b] = l.first[l.bodies++] = l.rows;
    l.rows += body_components(model, b, component);
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

static ts_matrix directions(const ts_system *system, const layout *l, ts_arena *arena)
{
  const int d = system->dimension;
  const size_t columns = (size_t)system->count * (size_t)d;
  int *start = ts_arena_ints(arena, columns + 1), *index = ts_arena_ints(arena, 12 * columns);
  double *value = ts_arena_doubles(arena, 12 * columns);
  int entries = 0;
  for (int i = 0; i < system->count; ++i) {
    const ts_block *block = &system->blocks[i];
    const int first = block->body[0] >= 0 && (block->body[1] < 0 || block->body[0] < block->body[1]) ? 0 : 1;
    for (int r = 0; r < d; ++r) {
      start[i * d + r] = entries;
      for (int turn = 0; turn < 2; ++turn) {
        const int side = turn == 0 ? first : 1 - first, body = block->body[side];
        if (body < 0) continue;
        int component[6];
        const int count = body_components(system->model, body, component);
        const ts_twist row = ts_row_block_row(&system->jacobian[2 * i + side], r);
        for (int k = 0; k < count; ++k) {
          index[entries] = l->offset[body] + k;
          value[entries++] = twist_component(&row, component[k]);
        }
      }
    }
  }
  start[columns] = entries;
  return (ts_matrix){.rows = l->rows, .columns = (int)columns, .start = start, .index = index, .value = value};
}

void ts_body_space_give(ts_system *system, ts_arena *arena)
{
  if (!applies(system)) return;
  const layout l = number_rows(system, arena);
  system->bodies = (ts_bodies){mass_matrix(system, &l, arena), directions(system, &l, arena), l.bodies, l.first};
  system->problem.bodies = &system->bodies;
}
