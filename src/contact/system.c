#include "contact/system.h"

#include "contact/body_space.h"

#include <string.h>

static ts_twist *row_at(ts_twist *rows, const ts_system *system, int block, int side)
{
  return &rows[((size_t)block * 2 + (size_t)side) * (size_t)system->dimension];
}

static const ts_twist *const_row_at(const ts_twist *rows, const ts_system *system, int block, int side)
{
  return &rows[((size_t)block * 2 + (size_t)side) * (size_t)system->dimension];
}

static int dynamic_body(const ts_model *model, int body)
{
  return body >= 0 && model->bodies[body].kind == TS_DYNAMIC ? body : -1;
}

// Number of rows of a contact: n t in the plane, n t o in space, n t o r with torsional friction.
static int block_dimension(const ts_model *model)
{
  if (model->space == TS_SPACE_2D) return 2;
  return model->spins ? 4 : 3;
}

static void create_arrays(ts_system *system, int count, ts_arena *arena)
{
  const size_t rows = (size_t)count * (size_t)system->dimension;
  system->count = count;
  system->blocks = ts_arena_bytes(arena, (size_t)count, sizeof *system->blocks);
  system->jacobian = ts_arena_bytes(arena, 2 * rows, sizeof *system->jacobian);
  system->response = ts_arena_bytes(arena, 2 * rows, sizeof *system->response);
  system->q = ts_arena_doubles(arena, rows);
}

// Rows n, t, o of the relative velocity of body_1 at the contact's point, and its spin about n.
static void contact_rows(ts_system *system, int i, const ts_contact *contact, const ts_contact_law *law)
{
  ts_block *block = &system->blocks[i];
  const int d = system->dimension;
  const ts_vec3 directions[3] = {contact->normal, contact->tangent, contact->other};
  const int linear = d < 3 ? d : 3;
  const bool spin = d == 4 && law->ellipsoid.z > 0.0;
  *block =
      (ts_block){.kind = TS_BLOCK_CONTACT,
                 .source = i,
                 .body = {dynamic_body(system->model, contact->body_1), dynamic_body(system->model, contact->body_2)},
                 .active = (1u << linear) - 1u,
                 .friction = contact->friction};
  if (spin) block->active |= 8u;
  for (int side = 0; side < 2; ++side) {
    ts_twist *jacobian = row_at(system->jacobian, system, i, side);
    memset(jacobian, 0, (size_t)d * sizeof *jacobian);
    if (block->body[side] < 0) continue;
    const double sign = side == 0 ? 1.0 : -1.0;
    const ts_vec3 arm = side == 0 ? contact->arm_1 : contact->arm_2;
    for (int r = 0; r < linear; ++r) {
      const ts_vec3 direction = ts_scale(sign, directions[r]);
      jacobian[r] = (ts_twist){direction, ts_cross(arm, direction)};
    }
    if (spin) jacobian[3].angular = ts_scale(sign, contact->normal);
  }
}

// A limit takes the block's normal, a motor its first tangent.
static void bounded_rows(ts_system *system, int i, const ts_bounded_row *bounded, int source)
{
  ts_block *block = &system->blocks[i];
  const bool limit = bounded->lower >= 0.0;
  const int row = limit ? 0 : 1;
  *block = (ts_block){
      .kind = limit ? TS_BLOCK_LIMIT : TS_BLOCK_MOTOR,
      .source = source,
      .body = {dynamic_body(system->model, bounded->row.body[0]), dynamic_body(system->model, bounded->row.body[1])},
      .active = 1u << row,
      .friction = limit ? 0.0 : 1.0};
  for (int side = 0; side < 2; ++side) {
    ts_twist *jacobian = row_at(system->jacobian, system, i, side);
    memset(jacobian, 0, (size_t)system->dimension * sizeof *jacobian);
    if (block->body[side] >= 0) jacobian[row] = bounded->row.jacobian[side];
  }
}

static void fill_responses(ts_system *system)
{
  const int d = system->dimension;
  for (int i = 0; i < system->count; ++i)
    for (int side = 0; side < 2; ++side) {
      const int body = system->blocks[i].body[side];
      const ts_twist *jacobian = const_row_at(system->jacobian, system, i, side);
      ts_twist *response = row_at(system->response, system, i, side);
      if (body < 0) {
        memset(response, 0, (size_t)d * sizeof *response);
        continue;
      }
      const double inverse_mass = system->model->bodies[body].inverse_mass;
      const ts_mat3 *inverse_inertia = &system->kinematics->inverse_inertia[body];
      for (int r = 0; r < d; ++r)
        response[r] =
            (ts_twist){ts_scale(inverse_mass, jacobian[r].linear), ts_mul(inverse_inertia, jacobian[r].angular)};
    }
}

// Blocks on each group of bodies that impulses pass between: single bodies, or all that joints hold together. The
// blocks of group g are member[start[g]] to member[start[g+1]-1], ascending.
typedef struct grouping {
  const int *group; // of a body; -1 where it is not dynamic
  const int *start, *member;
} grouping;

static int group_of(const grouping *g, const ts_block *block, int side)
{
  return block->body[side] < 0 ? -1 : g->group[block->body[side]];
}

static grouping group_blocks(const ts_system *system, ts_arena *arena)
{
  const ts_model *model = system->model;
  int *group = ts_arena_ints(arena, (size_t)model->body_count);
  int groups = model->body_count;
  if (system->bilateral)
    groups = ts_bilateral_components(system->bilateral, group, arena);
  else
    for (int b = 0; b < model->body_count; ++b) group[b] = b;
  int *start = ts_arena_ints(arena, (size_t)groups + 2);
  int *member = ts_arena_ints(arena, 2 * (size_t)system->count);
  memset(start, 0, ((size_t)groups + 2) * sizeof *start);
  const grouping g = {group, start, member};
  for (int i = 0; i < system->count; ++i) {
    const int first = group_of(&g, &system->blocks[i], 0), second = group_of(&g, &system->blocks[i], 1);
    if (first >= 0) ++start[first + 2];
    if (second >= 0 && second != first) ++start[second + 2];
  }
  for (int k = 0; k < groups; ++k) start[k + 2] += start[k + 1];
  for (int i = 0; i < system->count; ++i) { // start[k+1] runs from the beginning of group k to its end
    const int first = group_of(&g, &system->blocks[i], 0), second = group_of(&g, &system->blocks[i], 1);
    if (first >= 0) member[start[first + 1]++] = i;
    if (second >= 0 && second != first) member[start[second + 1]++] = i;
  }
  return g;
}

// Walks over the blocks that share a group with one block, ascending, each once.
typedef struct neighbours {
  const int *at[2], *end[2];
} neighbours;

static neighbours neighbours_of(const grouping *g, const ts_block *block)
{
  neighbours n = {{NULL, NULL}, {NULL, NULL}};
  const int groups[2] = {group_of(g, block, 0), group_of(g, block, 1)};
  for (int side = 0; side < 2; ++side) {
    if (groups[side] < 0 || (side == 1 && groups[1] == groups[0])) continue;
    n.at[side] = g->member + g->start[groups[side]];
    n.end[side] = g->member + g->start[groups[side] + 1];
  }
  return n;
}

static int next_neighbour(neighbours *n) // -1: no more
{
  const bool first = n->at[0] < n->end[0], second = n->at[1] < n->end[1];
  if (!first && !second) return -1;
  const int a = first ? *n->at[0] : *n->at[1], b = second ? *n->at[1] : a;
  const int least = a < b ? a : b;
  if (first && *n->at[0] == least) ++n->at[0];
  if (second && *n->at[1] == least) ++n->at[1];
  return least;
}

// entry += sum over the sides that act on one body of jacobian . response, for all rows of blocks i and j.
TS_INLINE void couple_sides(const ts_twist *restrict jacobian, const ts_twist *restrict response, const int d,
                            double *restrict block)
{
  for (int c = 0; c < d; ++c)
    for (int r = 0; r < d; ++r) block[c * d + r] += ts_twist_dot(jacobian[r], response[c]);
}

TS_INLINE void couple_blocks(const ts_system *system, int i, int j, const int d, double *block)
{
  for (int k = 0; k < d * d; ++k) block[k] = 0.0;
  for (int side_i = 0; side_i < 2; ++side_i) {
    const int body = system->blocks[i].body[side_i];
    if (body < 0) continue;
    for (int side_j = 0; side_j < 2; ++side_j)
      if (system->blocks[j].body[side_j] == body)
        couple_sides(const_row_at(system->jacobian, system, i, side_i),
                     const_row_at(system->response, system, j, side_j), d, block);
  }
}

TS_HOT static void couple(const ts_system *system, int i, int j, double *block)
{
  switch (system->dimension) { // a constant dimension lets the compiler unroll
  case 2:
    couple_blocks(system, i, j, 2, block);
    break;
  case 3:
    couple_blocks(system, i, j, 3, block);
    break;
  default:
    couple_blocks(system, i, j, 4, block);
  }
}

// Rows that act on nothing get the block's own size on the diagonal.
static void fill_idle_rows(const ts_block *block, int d, double *diagonal)
{
  double size = 0.0;
  for (int r = 0; r < d; ++r)
    if (block->active & (1u << r)) size = fmax(size, diagonal[r * d + r]);
  if (size == 0.0) size = 1.0;
  for (int r = 0; r < d; ++r)
    if (!(block->active & (1u << r))) diagonal[r * d + r] = size;
}

static void transpose_block(const double *from, int d, double *to)
{
  for (int c = 0; c < d; ++c)
    for (int r = 0; r < d; ++r) to[r * d + c] = from[c * d + r];
}

// All blocks act on one and the same body, and on nothing else that moves: W is full.
static bool acts_on_one_body(const ts_system *system)
{
  if (system->bilateral) return false;
  for (int i = 0; i < system->count; ++i)
    if (system->blocks[i].body[0] != system->blocks[0].body[0] || system->blocks[i].body[1] >= 0) return false;
  return true;
}

static void assemble_full_compliance(ts_system *system, ts_arena *arena)
{
  const int d = system->dimension, n = system->count;
  const size_t block_size = (size_t)(d * d), blocks = (size_t)n * (size_t)n;
  int *start = ts_arena_ints(arena, (size_t)n + 1), *index = ts_arena_ints(arena, blocks);
  double *value = ts_arena_doubles(arena, blocks * block_size);
  for (int i = 0; i < n; ++i) {
    start[i] = i * n;
    for (int j = 0; j < n; ++j) index[i * n + j] = j;
    for (int j = i; j < n; ++j) {
      double *block = value + (size_t)(i * n + j) * block_size;
      couple(system, i, j, block);
      if (j > i)
        transpose_block(block, d, value + (size_t)(j * n + i) * block_size);
      else
        fill_idle_rows(&system->blocks[i], d, block);
    }
  }
  start[n] = n * n;
  system->problem.W = (ts_block_matrix){.rows = n, .block = d, .start = start, .index = index, .value = value};
}

// Pattern and values of W. Rows are filled for i ascending, and block (j, i) is written with (i, j), so the columns of
// every row come out ascending.
static void assemble_compliance(ts_system *system, ts_arena *arena)
{
  const int d = system->dimension, n = system->count;
  const size_t block_size = (size_t)(d * d);
  const grouping g = group_blocks(system, arena);
  int *start = ts_arena_ints(arena, (size_t)n + 1), *fill = ts_arena_ints(arena, (size_t)n);
  start[0] = 0;
  for (int i = 0; i < n; ++i) {
    neighbours walk = neighbours_of(&g, &system->blocks[i]);
    int degree = 0;
    while (next_neighbour(&walk) >= 0) ++degree;
    fill[i] = start[i];
    start[i + 1] = start[i] + degree;
  }
  int *index = ts_arena_ints(arena, (size_t)start[n]);
  double *value = ts_arena_doubles(arena, (size_t)start[n] * block_size);
  for (int i = 0; i < n; ++i) {
    neighbours walk = neighbours_of(&g, &system->blocks[i]);
    for (int j = next_neighbour(&walk); j >= 0; j = next_neighbour(&walk)) {
      if (j < i) continue;
      double *block = value + (size_t)fill[i] * block_size;
      couple(system, i, j, block);
      index[fill[i]++] = j;
      if (j == i) {
        fill_idle_rows(&system->blocks[i], d, block);
      } else {
        transpose_block(block, d, value + (size_t)fill[j] * block_size);
        index[fill[j]++] = i;
      }
    }
  }
  system->problem.W = (ts_block_matrix){.rows = n, .block = d, .start = start, .index = index, .value = value};
}

// The part of W that joints take away, group by group.
static void subtract_joints(ts_system *system, ts_arena *arena)
{
  const int d = system->dimension;
  const ts_arena_mark mark = ts_arena_save(arena);
  const size_t rows = (size_t)system->count * (size_t)d;
  ts_row *columns = ts_arena_bytes(arena, rows, sizeof *columns);
  for (int i = 0; i < system->count; ++i)
    for (int r = 0; r < d; ++r)
      columns[i * d + r] =
          (ts_row){{system->blocks[i].body[0], system->blocks[i].body[1]},
                   {const_row_at(system->jacobian, system, i, 0)[r], const_row_at(system->jacobian, system, i, 1)[r]}};
  double *C = ts_arena_doubles(arena, rows * rows);
  ts_bilateral_delassus(system->bilateral, columns, (int)rows, C, arena);
  const ts_block_matrix *W = &system->problem.W;
  double *value = (double *)W->value; // ours, from the arena
  for (int i = 0; i < system->count; ++i)
    for (int k = W->start[i]; k < W->start[i + 1]; ++k)
      for (int c = 0; c < d; ++c)
        for (int r = 0; r < d; ++r)
          value[(size_t)k * (size_t)(d * d) + (size_t)(c * d + r)] +=
              C[(size_t)(W->index[k] * d + c) * rows + (size_t)(i * d + r)];
  ts_arena_restore(arena, mark);
}

static double *diagonal_entry(const ts_system *system, int block, int row)
{
  const ts_block_matrix *W = &system->problem.W;
  const int d = system->dimension;
  int k = W->start[block];
  while (W->index[k] != block) ++k;
  return (double *)&W->value[(size_t)k * (size_t)(d * d) + (size_t)(row * d + row)]; // ours, from the arena
}

static void set_friction(ts_system *system, const ts_contact_set *contacts, ts_arena *arena)
{
  const int d = system->dimension;
  double *mu = ts_arena_doubles(arena, (size_t)system->count);
  bool round = true;
  for (int i = 0; i < system->count; ++i) {
    mu[i] = system->blocks[i].friction;
    if (system->blocks[i].kind != TS_BLOCK_CONTACT && system->blocks[i].kind != TS_BLOCK_REBOUND) continue;
    const ts_vec3 e = contacts->laws[system->blocks[i].source]->ellipsoid;
    round = round && e.x == 1.0 && e.y == 1.0 && d < 4;
  }
  system->problem.mu = mu;
  system->problem.ellipsoid = NULL;
  if (round) return;
  double *axes = ts_arena_doubles(arena, (size_t)system->count * (size_t)(d - 1));
  for (int i = 0; i < system->count; ++i) {
    ts_vec3 e = {1.0, 1.0, 1.0};
    if (system->blocks[i].kind == TS_BLOCK_CONTACT || system->blocks[i].kind == TS_BLOCK_REBOUND)
      e = contacts->laws[system->blocks[i].source]->ellipsoid;
    const double semi[3] = {e.x, e.y, e.z > 0.0 ? e.z : 1.0};
    memcpy(axes + (size_t)i * (size_t)(d - 1), semi, (size_t)(d - 1) * sizeof *axes);
  }
  system->problem.ellipsoid = axes;
}

static void finish_problem(ts_system *system, const ts_contact_set *contacts, ts_arena *arena)
{
  fill_responses(system);
  if (acts_on_one_body(system))
    assemble_full_compliance(system, arena);
  else
    assemble_compliance(system, arena);
  if (system->bilateral && system->count > 0) subtract_joints(system, arena);
  set_friction(system, contacts, arena);
  system->problem.dimension = system->dimension;
  system->problem.contacts = system->count;
  system->problem.bilaterals = 0;
  system->problem.q = system->q;
  system->problem.bodies = NULL;
}

double ts_system_diagonal(const ts_system *system, int block, int row)
{
  return *diagonal_entry(system, block, row);
}

void ts_system_assemble(const ts_model *model, const ts_kinematics *kinematics, const ts_contact_set *contacts,
                        const ts_bounded_row *bounded, int bounded_count, const ts_bilateral *bilateral,
                        ts_arena *arena, ts_system *system)
{
  *system = (ts_system){.model = model, .kinematics = kinematics, .bilateral = bilateral};
  system->dimension = block_dimension(model);
  create_arrays(system, contacts->count + bounded_count, arena);
  for (int i = 0; i < contacts->count; ++i) contact_rows(system, i, &contacts->contacts[i], contacts->laws[i]);
  for (int k = 0; k < bounded_count; ++k) bounded_rows(system, contacts->count + k, &bounded[k], k);
  finish_problem(system, contacts, arena);
  for (int k = 0; k < bounded_count; ++k) // a soft row gives way in proportion to its impulse
    *diagonal_entry(system, contacts->count + k, bounded[k].lower >= 0.0 ? 0 : 1) += bounded[k].softness;
  ts_body_space_give(system, arena);
}

// The block of friction that a recovered normal impulse allows: tangents of its contact, and a normal that acts on
// nothing.
static void rebound_rows(ts_system *rebound, int i, const ts_system *system, int contact)
{
  const int d = system->dimension;
  rebound->blocks[i] = system->blocks[contact];
  rebound->blocks[i].kind = TS_BLOCK_REBOUND;
  rebound->blocks[i].active &= ~1u;
  for (int side = 0; side < 2; ++side) {
    ts_twist *jacobian = row_at(rebound->jacobian, rebound, i, side);
    memcpy(jacobian, const_row_at(system->jacobian, system, contact, side), (size_t)d * sizeof *jacobian);
    memset(&jacobian[0], 0, sizeof jacobian[0]);
  }
}

void ts_system_assemble_rebound(const ts_system *system, const ts_contact_set *contacts, const double *recovered,
                                ts_arena *arena, ts_system *rebound)
{
  const size_t rows = 2 * (size_t)system->count * (size_t)system->dimension;
  int count = system->count;
  for (int i = 0; i < system->count; ++i)
    if (system->blocks[i].kind == TS_BLOCK_CONTACT && recovered[i] > 0.0) ++count;
  *rebound = *system;
  create_arrays(rebound, count, arena);
  memcpy(rebound->blocks, system->blocks, (size_t)system->count * sizeof *rebound->blocks);
  memcpy(rebound->jacobian, system->jacobian, rows * sizeof *rebound->jacobian);
  int next = system->count;
  for (int i = 0; i < system->count; ++i)
    if (system->blocks[i].kind == TS_BLOCK_CONTACT && recovered[i] > 0.0) rebound_rows(rebound, next++, system, i);
  finish_problem(rebound, contacts, arena);
}

void ts_system_velocity(const ts_system *system, const ts_twist *velocity, double *u)
{
  const int d = system->dimension;
  for (int i = 0; i < system->count; ++i) {
    const ts_block *block = &system->blocks[i];
    double *row = u + (size_t)i * (size_t)d;
    for (int r = 0; r < d; ++r) row[r] = 0.0;
    for (int side = 0; side < 2; ++side) {
      if (block->body[side] < 0) continue;
      const ts_twist *jacobian = const_row_at(system->jacobian, system, i, side);
      const ts_twist v = velocity[block->body[side]];
      for (int r = 0; r < d; ++r) row[r] += ts_twist_dot(jacobian[r], v);
    }
  }
}

static void add_responses(const ts_system *system, const double *r, ts_twist *velocity)
{
  const int d = system->dimension;
  for (int i = 0; i < system->count; ++i)
    for (int side = 0; side < 2; ++side) {
      const int body = system->blocks[i].body[side];
      if (body < 0) continue;
      const ts_twist *response = const_row_at(system->response, system, i, side);
      for (int k = 0; k < d; ++k) velocity[body] = ts_twist_add_scaled(velocity[body], r[i * d + k], response[k]);
    }
}

void ts_system_apply(const ts_system *system, const double *r, ts_twist *velocity, double *impulse, ts_arena *arena)
{
  if (!system->bilateral) {
    add_responses(system, r, velocity);
    return;
  }
  const ts_arena_mark mark = ts_arena_save(arena);
  const size_t bodies = (size_t)system->model->body_count;
  ts_twist *change = ts_arena_bytes(arena, bodies, sizeof *change);
  double *reaction = ts_arena_doubles(arena, (size_t)system->bilateral->count);
  memset(change, 0, bodies * sizeof *change);
  add_responses(system, r, change);
  ts_bilateral_correct(system->bilateral, change, reaction, arena);
  for (size_t b = 0; b < bodies; ++b) velocity[b] = ts_twist_add_scaled(velocity[b], 1.0, change[b]);
  for (int k = 0; k < system->bilateral->count; ++k) impulse[k] += reaction[k];
  ts_arena_restore(arena, mark);
}
