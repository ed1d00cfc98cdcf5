// The implication 3.48 of the thesis, for the impulses that were found. A change dv of the velocities leaves the step
// solved where
//   rows of joints, springs and dampers do not change;
//   a contact that presses stays closed, J_n dv = 0; one that touches without pressing does not close, J_n dv >= 0;
//   what rubs with less than it could keeps still, J_t dv = 0; what has used up its friction may change its slip along
//   the direction that this friction stands for, and where it does not slip yet may begin to.
// The last line is missing in print, which holds all slips (corrections.md 17): a block that is pulled by exactly its
// friction slides at any speed. Motion is unique where dv = 0 alone does all that: equalities leave a subspace, and a
// linear program per direction of it asks for a dv that obeys the inequalities, too.
#include "step/quasistatic/unique_motion.h"

#include "contact/law.h"
#include "math/dense.h"
#include "math/disjoint_sets.h"
#include "math/feasibility.h"

#include <math.h>
#include <string.h>

static const double DEPENDENT = 1e-9; // rows this small, of unit rows, add nothing

// Rows on the velocities of some bodies: every one has as many numbers as it may do, moments measured by its radius of
// gyration.
typedef struct row_list {
  int count, capacity;
  double *rows; // capacity x size, row after row, each of length 1
} row_list;

typedef struct motion {
  ts_step *step;
  int *island;         // of a body (body_count): those that blocks and rows join share one
  int size;            // numbers of a velocity
  int *first;          // of a body (body_count), -1: not dynamic, or of another island
  double *turner;      // what turns a body as much as a unit of speed moves it (body_count) [m]
  const double *force; // the largest on each body, in the unit of step->r (body_count)
  row_list equal, least;
} motion;

static bool keeps_out_of_plane(const ts_body *body)
{
  return ts_is_flat(body->freedoms);
}

static int freedoms_of(const ts_body *body)
{
  if (body->kind != TS_DYNAMIC) return 0;
  return keeps_out_of_plane(body) ? 3 : 6;
}

static double *new_row(const motion *m, row_list *list)
{
  return memset(list->rows + (size_t)list->count * (size_t)m->size, 0, (size_t)m->size * sizeof(double));
}

// A part of a row on one body. Moments are measured by the body's radius of gyration.
static void put(const motion *m, double *row, int body, double factor, ts_twist jacobian)
{
  if (body < 0 || m->first[body] < 0) return;
  double *at = row + m->first[body];
  const double turn = factor / m->turner[body];
  if (keeps_out_of_plane(&m->step->sim->model->bodies[body])) {
    at[0] += factor * jacobian.linear.x;
    at[1] += factor * jacobian.linear.y;
    at[2] += turn * jacobian.angular.z;
    return;
  }
  const double own[6] = {factor * jacobian.linear.x, factor * jacobian.linear.y, factor * jacobian.linear.z,
                         turn * jacobian.angular.x,  turn * jacobian.angular.y,  turn * jacobian.angular.z};
  for (int k = 0; k < 6; ++k) at[k] += own[k];
}

// The row counts where it is not zero.
static void keep_row(const motion *m, row_list *list, double *row)
{
  double square = 0.0;
  for (int k = 0; k < m->size; ++k) square += row[k] * row[k];
  if (!(square > 0.0)) return;
  for (int k = 0; k < m->size; ++k) row[k] /= sqrt(square);
  ++list->count;
}

// A combination of the rows of block i.
static void block_row(motion *m, row_list *list, int i, const double weights[TS_MAX_DIMENSION])
{
  const ts_system *system = &m->step->system;
  double *row = new_row(m, list);
  for (int side = 0; side < 2; ++side)
    for (int r = 0; r < system->dimension; ++r)
      if (system->blocks[i].body[side] >= 0 && weights[r] != 0.0)
        put(m, row, system->blocks[i].body[side], weights[r], ts_row_block_row(&system->jacobian[2 * i + side], r));
  keep_row(m, list, row);
}

// ---- what holds ----------------------------------------------------------------------------------------------------

static void add_joints(motion *m)
{
  const ts_mobility *mobility = &m->step->mobility;
  for (int k = 0; k < mobility->count; ++k) {
    const ts_bilateral_row *joint = &mobility->rows[k];
    double *row = new_row(m, &m->equal);
    for (int side = 0; side < ts_side_count(joint); ++side)
      put(m, row, ts_side_body(joint, side), 1.0, *ts_side_jacobian(joint, side));
    keep_row(m, &m->equal, row);
  }
}

// What turns of bodies that do not turn, and what is out of their plane, has no part in it: such numbers are held.
static void add_what_does_not_turn(motion *m)
{
  const ts_model *model = m->step->sim->model;
  for (int b = 0; b < model->body_count; ++b) {
    if (m->first[b] < 0) continue;
    const int freedoms = freedoms_of(&model->bodies[b]), slides = model->freedoms->slides;
    const bool turns = model->bodies[b].inverse_inertia.z.z > 0.0;
    for (int k = slides; !turns && k < freedoms; ++k) {
      double *row = new_row(m, &m->equal);
      row[m->first[b] + k] = 1.0;
      keep_row(m, &m->equal, row);
    }
  }
}

// ---- what rubs -----------------------------------------------------------------------------------------------------

static const ts_contact_law *law_of(const ts_step *step, int i)
{
  const ts_block *block = &step->system.blocks[i];
  if (block->kind == TS_BLOCK_CONTACT) return step->contacts.laws[block->source];
  return block->kind == TS_BLOCK_SUPPORT ? &step->bounded[block->source].support->law : NULL;
}

static bool has_used_up(const ts_step *step, int i, ts_vec3 e)
{
  const double *p = step->r + (size_t)i * (size_t)step->system.dimension;
  const bool around = (step->system.blocks[i].active & 4u) != 0; // else it rubs along one line, and knows no polygon
  const double share = around ? ts_law_cone_share(&step->sim->options, step->sim->model) : 1.0;
  return ts_law_friction_used(e, p, step->system.dimension) >=
         (1.0 - 1e-6) * share * step->system.blocks[i].friction * p[0];
}

static double slip_of(const ts_step *step, int i, const double *u)
{
  double square = 0.0;
  for (int r = 1; r < step->system.dimension; ++r)
    square += u[i * step->system.dimension + r] * u[i * step->system.dimension + r];
  return sqrt(square);
}

// Rows 1 and up of a block whose friction is used up: along c, the slip that it stands for, motion may go on or begin;
// across it nothing may. Two or three unit vectors e_r less their part along c span what is across.
static void add_used_up(motion *m, int i, ts_vec3 e, bool slips)
{
  const ts_step *step = m->step;
  const int d = step->system.dimension;
  const double *p = step->r + (size_t)i * (size_t)d, axes[TS_MAX_DIMENSION] = {1.0, e.x, e.y, e.z};
  double c[TS_MAX_DIMENSION] = {0.0}, square = 0.0;
  for (int r = 1; r < d; ++r) {
    const bool acts = (step->system.blocks[i].active >> r & 1u) != 0;
    c[r] = acts ? -p[r] / (axes[r] * axes[r]) : 0.0;
    square += c[r] * c[r];
  }
  if (!(square > 0.0)) return;
  for (int r = 1; r < d; ++r) {
    double across[TS_MAX_DIMENSION] = {0.0};
    if (!(step->system.blocks[i].active >> r & 1u)) continue;
    for (int k = 1; k < d; ++k) across[k] = (k == r ? 1.0 : 0.0) - c[r] * c[k] / square;
    block_row(m, &m->equal, i, across);
  }
  if (!slips) block_row(m, &m->least, i, c);
}

static void add_friction(motion *m, int i, const double *u, double threshold)
{
  const ts_step *step = m->step;
  const ts_contact_law *law = law_of(step, i);
  const double *p = step->r + (size_t)i * (size_t)step->system.dimension;
  if (!(step->system.blocks[i].friction * p[0] > 0.0)) return;
  const ts_vec3 e = law ? ts_law_semi_axes(law) : (ts_vec3){1.0, 1.0, 1.0};
  if (has_used_up(step, i, e)) {
    add_used_up(m, i, e, slip_of(step, i, u) > threshold);
    return;
  }
  for (int r = 1; r < step->system.dimension; ++r) {
    double weights[TS_MAX_DIMENSION] = {0.0};
    weights[r] = step->system.blocks[i].active >> r & 1u ? 1.0 : 0.0;
    block_row(m, &m->equal, i, weights);
  }
}

// True if block i presses: with more than round-off leaves of the largest force on either of its bodies.
static bool presses(const motion *m, int i)
{
  static const double ROUND_OFF = 1e-9;
  const ts_block *block = &m->step->system.blocks[i];
  double largest = INFINITY;
  for (int side = 0; side < 2; ++side)
    if (block->body[side] >= 0) largest = fmin(largest, m->force[block->body[side]]);
  return m->step->r[(size_t)i * (size_t)m->step->system.dimension] > (isfinite(largest) ? ROUND_OFF * largest : 0.0);
}

// u: velocities of the blocks at the end of the step, biases included.
static void add_block(motion *m, int i, const double *u, double threshold)
{
  static const double normal[TS_MAX_DIMENSION] = {1.0};
  const ts_step *step = m->step;
  const size_t first = (size_t)i * (size_t)step->system.dimension;
  if (!ts_block_is_held(&step->system.blocks[i])) {
    const bool pressed = presses(m, i);
    if (!pressed && u[first] > threshold) return; // open
    block_row(m, pressed ? &m->equal : &m->least, i, normal);
    if (!pressed) return;
  }
  add_friction(m, i, u, threshold);
}

// ---- the verdict ---------------------------------------------------------------------------------------------------

// The columns of `basis` (size x size) become a basis of what the equalities leave; returns how many. Orthogonal
// projections, twice each: rows have length 1.
static int null_space(const motion *m, double *basis)
{
  const size_t n = (size_t)m->size;
  double *kept = ts_arena_doubles(m->step->arena, 2 * n * n), *trial = kept + n * n;
  int rank = 0, left = 0;
  for (int k = 0; k < m->equal.count + m->size; ++k) {
    const bool is_row = k < m->equal.count;
    memset(trial, 0, n * sizeof *trial);
    if (is_row)
      memcpy(trial, m->equal.rows + (size_t)k * n, n * sizeof *trial);
    else
      trial[k - m->equal.count] = 1.0;
    for (int twice = 0; twice < 2; ++twice)
      for (int b = 0; b < rank + left; ++b) {
        const double *other = b < rank ? kept + (size_t)b * n : basis + (size_t)(b - rank) * n;
        double dot = 0.0;
        for (size_t j = 0; j < n; ++j) dot += trial[j] * other[j];
        for (size_t j = 0; j < n; ++j) trial[j] -= dot * other[j];
      }
    double square = 0.0;
    for (size_t j = 0; j < n; ++j) square += trial[j] * trial[j];
    if (!(sqrt(square) > (is_row ? DEPENDENT : 1e-6)) || rank + left == m->size) continue;
    double *to = is_row ? kept + (size_t)rank++ * n : basis + (size_t)left++ * n;
    for (size_t j = 0; j < n; ++j) to[j] = trial[j] / sqrt(square);
  }
  return left;
}

// Whether coordinate k of the subspace can be +1 (sign 1) or -1 while no inequality is broken: x = (z+, z-) >= 0.
static bool can_go(const motion *m, const double *B, int left, int k, double sign)
{
  enum { MOST_PIVOTS = 1000 };
  ts_arena *arena = m->step->arena;
  const ts_arena_mark mark = ts_arena_save(arena);
  const int rows = m->least.count + 1, columns = 2 * left;
  double *A = ts_arena_zeros(arena, (size_t)rows * (size_t)columns), *b = ts_arena_zeros(arena, (size_t)rows);
  double *x = ts_arena_zeros(arena, (size_t)columns), *y = ts_arena_zeros(arena, (size_t)rows);
  bool *equal = memset(ts_arena_bytes(arena, (size_t)rows, sizeof *equal), 0, (size_t)rows * sizeof *equal);
  for (int c = 0; c < left; ++c) {
    for (int i = 0; i < m->least.count; ++i) {
      A[(size_t)c * (size_t)rows + (size_t)i] = B[i * left + c];
      A[(size_t)(c + left) * (size_t)rows + (size_t)i] = -B[i * left + c];
    }
    A[(size_t)c * (size_t)rows + (size_t)m->least.count] = c == k ? sign : 0.0;
    A[(size_t)(c + left) * (size_t)rows + (size_t)m->least.count] = c == k ? -sign : 0.0;
  }
  b[m->least.count] = 1.0;
  equal[m->least.count] = true;
  const ts_inequalities system = {rows, columns, A, b, equal};
  const bool found = ts_find_feasible(&system, MOST_PIVOTS, arena, x, y) != TS_NOT_FEASIBLE;
  ts_arena_restore(arena, mark);
  return found;
}

static bool can_move(const motion *m, const double *basis, int left)
{
  double *B = ts_arena_zeros(m->step->arena, (size_t)(m->least.count * left));
  for (int i = 0; i < m->least.count; ++i)
    for (int c = 0; c < left; ++c)
      for (int j = 0; j < m->size; ++j) B[i * left + c] += m->least.rows[i * m->size + j] * basis[c * m->size + j];
  for (int k = 0; k < left; ++k)
    if (can_go(m, B, left, k, 1.0) || can_go(m, B, left, k, -1.0)) return true;
  return false;
}

// Number the velocities of an island. Returns how many bodies it has.
static int measure_bodies(motion *m, int island)
{
  const ts_model *model = m->step->sim->model;
  int bodies = 0;
  m->size = 0;
  for (int b = 0; b < model->body_count; ++b) {
    const ts_body *body = &model->bodies[b];
    const int freedoms = m->island[b] == island ? freedoms_of(body) : 0;
    const double sum = body->inertia.x.x + body->inertia.y.y + body->inertia.z.z;
    const double moment = keeps_out_of_plane(body) ? body->inertia.z.z : sum / 3.0;
    m->first[b] = freedoms > 0 ? m->size : -1;
    m->turner[b] = body->mass > 0.0 && moment > 0.0 ? sqrt(moment / body->mass) : 1.0;
    m->size += freedoms;
    bodies += freedoms > 0;
  }
  return bodies;
}

static void find_islands(motion *m)
{
  const ts_step *step = m->step;
  const int bodies = step->sim->model->body_count;
  for (int b = 0; b < bodies; ++b) m->island[b] = b;
  for (int i = 0; i < step->system.count; ++i) {
    const int *body = step->system.blocks[i].body;
    if (body[0] >= 0 && body[1] >= 0) ts_join_sets(m->island, body[0], body[1]);
  }
  for (int k = 0; k < step->mobility.count; ++k) ts_join_bodies(&step->mobility.rows[k], m->island);
  for (int b = 0; b < bodies; ++b) m->island[b] = ts_find_set(m->island, b);
}

static bool is_of_island(const motion *m, const ts_block *block)
{
  return (block->body[0] >= 0 && m->first[block->body[0]] >= 0) ||
         (block->body[1] >= 0 && m->first[block->body[1]] >= 0);
}

static row_list make_list(const motion *m, int capacity, ts_arena *arena)
{
  return (row_list){.capacity = capacity, .rows = ts_arena_doubles(arena, (size_t)capacity * (size_t)m->size)};
}

// u: as above. Of islands of very many bodies it is not found out.
static bool island_is_unique(motion *m, int island, const double *u, double threshold)
{
  enum { MOST_BODIES = 64 };
  ts_arena *arena = m->step->arena;
  const ts_system *system = &m->step->system;
  const int bodies = measure_bodies(m, island);
  int blocks = 0;
  if (bodies == 0) return true;
  if (bodies > MOST_BODIES) return false;
  for (int i = 0; i < system->count; ++i) blocks += is_of_island(m, &system->blocks[i]);
  const ts_arena_mark mark = ts_arena_save(arena);
  m->equal = make_list(m, blocks * system->dimension + m->step->mobility.count + m->size + 1, arena);
  m->least = make_list(m, 2 * blocks + 1, arena);
  add_joints(m);
  add_what_does_not_turn(m);
  for (int i = 0; i < system->count; ++i)
    if (is_of_island(m, &system->blocks[i])) add_block(m, i, u, threshold);
  double *basis = ts_arena_doubles(arena, (size_t)m->size * (size_t)m->size);
  const int left = null_space(m, basis);
  const bool unique = left == 0 || !can_move(m, basis, left);
  ts_arena_restore(arena, mark);
  return unique;
}

bool ts_step_motion_is_unique(ts_step *step, double threshold, const double *force)
{
  ts_arena *arena = step->arena;
  const ts_arena_mark mark = ts_arena_save(arena);
  const size_t bodies = (size_t)step->sim->model->body_count;
  const size_t rows = (size_t)step->system.count * (size_t)step->system.dimension;
  motion m = {.step = step,
              .force = force,
              .island = ts_arena_ints(arena, bodies),
              .first = ts_arena_ints(arena, bodies),
              .turner = ts_arena_doubles(arena, bodies)};
  double *u = ts_arena_doubles(arena, rows);
  ts_system_velocity(&step->system, step->sim->state.velocity, u);
  for (size_t k = 0; k < rows; ++k) u[k] += step->bias[k];
  find_islands(&m);
  bool unique = true;
  for (int b = 0; unique && b < (int)bodies; ++b)
    if (m.island[b] == b) unique = island_is_unique(&m, b, u, threshold);
  ts_arena_restore(arena, mark);
  return unique;
}
