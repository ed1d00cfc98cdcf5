// A self-stress r of the contacts: J^T r = 0 on all bodies, r_i in its cone of friction, joints with whatever they
// hold. With b what contacts are asked for (gaps over h, and what moving surfaces slide), r.b < 0 says that the drives
// push along it: contacts that approach with r would have to do so for ever. In the plane a cone has two edges,
// (1, +-mu), and all this is a linear program,
//   find x >= 0:   sum over edges of x J^T e = 0,   sum over edges of x (e.b) = -1.
// Without friction that is Farkas' proof that no motion opens all contacts. With it a slip may still do, which no
// solver has found then: the step is reported as jammed, and as no more than that.
#include "step/quasistatic/wedge.h"

#include "math/feasibility.h"

#include <math.h>
#include <string.h>

enum { SIDES_IN_SPACE = 8, MOST_PIVOTS = 2000, MOST_NUMBERS = 4000000 };

typedef struct wedge {
  ts_step *step;
  int rows, columns; // of the linear program
  int *first;        // of a body's rows (body_count), -1: not dynamic
  double *A, *b;
  int *source; // of a column: contact, or -1: of a joint
} wedge;

static int edges_of(const ts_step *step)
{
  return ts_is_flat(step->sim->model->freedoms) ? 2 : SIDES_IN_SPACE;
}

// Radius of gyration: the arm by which moments count like forces [m].
static double arm_of(const ts_body *b)
{
  const double moment = (b->inertia.x.x + b->inertia.y.y + b->inertia.z.z) / (ts_is_flat(b->freedoms) ? 1.0 : 3.0);
  return b->mass > 0.0 && moment > 0.0 ? sqrt(moment / b->mass) : 1.0;
}

// A column of the program: an impulse along a row with its weight, measured so that moments count like forces.
static void put(const wedge *w, int column, int body, double weight, ts_twist row)
{
  if (body < 0 || w->first[body] < 0) return;
  const double arm = arm_of(&w->step->sim->model->bodies[body]);
  const double own[6] = {row.linear.x,        row.linear.y,        row.linear.z,
                         row.angular.x / arm, row.angular.y / arm, row.angular.z / arm};
  double *at = w->A + (size_t)column * (size_t)w->rows + w->first[body];
  for (int k = 0; k < 6; ++k) at[k] += weight * own[k];
}

// Edge k of the cone of contact i.
static void add_edge(wedge *w, int i, int k, double scale)
{
  const ts_system *system = &w->step->system;
  const int d = system->dimension, edges = edges_of(w->step);
  const double angle = 2.0 * TS_PI * k / edges, mu = system->blocks[i].friction;
  const double edge[3] = {1.0, mu * cos(angle), edges > 2 ? mu * sin(angle) : 0.0};
  const double *bias = w->step->bias + (size_t)i * (size_t)d;
  double fed = 0.0;
  for (int r = 0; r < 3 && r < d; ++r) {
    fed += edge[r] * bias[r];
    for (int side = 0; side < 2; ++side)
      if (system->blocks[i].body[side] >= 0)
        put(w, w->columns, system->blocks[i].body[side], edge[r], ts_row_block_row(&system->jacobian[2 * i + side], r));
  }
  w->A[(size_t)w->columns * (size_t)w->rows + (size_t)w->rows - 1] = -fed / scale;
  w->source[w->columns++] = i;
}

static void add_joint(wedge *w, const ts_bilateral_row *row, double sign, double scale)
{
  for (int side = 0; side < ts_side_count(row); ++side)
    put(w, w->columns, ts_side_body(row, side), sign, *ts_side_jacobian(row, side));
  w->A[(size_t)w->columns * (size_t)w->rows + (size_t)w->rows - 1] = -sign * row->bias / scale;
  w->source[w->columns++] = -1;
}

// What a joint asks for, as a speed of its bodies.
static double speed_of_joint(const ts_step *step, const ts_bilateral_row *row)
{
  double size = 0.0;
  for (int side = 0; side < ts_side_count(row); ++side) {
    const int body = ts_side_body(row, side);
    if (body < 0) continue;
    const ts_twist *jacobian = ts_side_jacobian(row, side);
    const double arm = arm_of(&step->sim->model->bodies[body]);
    size = fmax(size, hypot(ts_length(jacobian->linear), ts_length(jacobian->angular) / arm));
  }
  return size > 0.0 && row->softness == 0.0 ? fabs(row->bias) / size : 0.0;
}

static double speed_of_drives(const ts_step *step)
{
  double speed = 0.0;
  for (int i = 0; i < step->contacts.count; ++i)
    for (int r = 0; r < step->system.dimension; ++r)
      speed = fmax(speed, fabs(step->bias[i * step->system.dimension + r]));
  for (int k = 0; k < step->mobility.count; ++k) speed = fmax(speed, speed_of_joint(step, &step->mobility.rows[k]));
  return speed;
}

static void number_bodies(wedge *w)
{
  const ts_model *model = w->step->sim->model;
  w->first = ts_arena_ints(w->step->arena, (size_t)model->body_count);
  for (int b = 0; b < model->body_count; ++b) {
    const bool moves = model->bodies[b].kind == TS_DYNAMIC;
    w->first[b] = moves ? w->rows : -1;
    w->rows += moves ? 6 : 0;
  }
  ++w->rows; // that they are fed
}

bool ts_step_find_wedge(ts_step *step)
{
  ts_arena *arena = step->arena;
  const ts_arena_mark mark = ts_arena_save(arena);
  const double scale = speed_of_drives(step);
  wedge w = {.step = step};
  if (step->contacts.count == 0 || !(scale > 0.0)) return false;
  number_bodies(&w);
  const size_t rows = (size_t)w.rows, edges = (size_t)edges_of(step);
  const size_t most = edges * (size_t)step->contacts.count + 2 * (size_t)step->mobility.count;
  if (rows * most > MOST_NUMBERS) { // it would take longer than a solve
    ts_arena_restore(arena, mark);
    return false;
  }
  w.A = ts_arena_zeros(arena, rows * most);
  w.b = ts_arena_zeros(arena, rows);
  w.source = ts_arena_ints(arena, most);
  w.b[rows - 1] = 1.0;
  for (int i = 0; i < step->contacts.count; ++i)
    for (int k = 0; k < edges_of(step); ++k) add_edge(&w, i, k, scale);
  for (int k = 0; k < step->mobility.count; ++k)
    if (step->mobility.rows[k].softness == 0.0) {
      add_joint(&w, &step->mobility.rows[k], 1.0, scale);
      add_joint(&w, &step->mobility.rows[k], -1.0, scale);
    }
  bool *equal = memset(ts_arena_bytes(arena, rows, sizeof *equal), 1, rows * sizeof *equal);
  double *x = ts_arena_zeros(arena, most), *y = ts_arena_zeros(arena, rows), sum = 0.0;
  const ts_inequalities program = {w.rows, w.columns, w.A, w.b, equal};
  const bool found = ts_find_feasible(&program, MOST_PIVOTS, arena, x, y) == TS_FEASIBLE;
  for (int c = 0; found && c < w.columns; ++c) sum += w.source[c] >= 0 ? x[c] : 0.0;
  for (int c = 0; sum > 0.0 && c < w.columns; ++c)
    if (w.source[c] >= 0) step->jam[w.source[c]] += x[c] / sum;
  ts_arena_restore(arena, mark);
  return found;
}
