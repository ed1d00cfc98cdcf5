// Unknowns are the impulses x of rows that act, spin in units of its semi-axis: u = W x + c. Newton's equations are
//   held rows:  u + s N N^T x = 0,  the columns of N a basis of the null space of W_HH, s the size of its diagonal;
//   slip rows:  x_t + mu x_n T(u_t) = 0,  T = D^2 u_t / |D u_t|.
// Since N^T u_H does not depend on x, the first line holds u_H at zero and N^T x_H, too.
#include "contact/redundant_loads.h"

#include "contact/load_members.h"

#include "math/dense.h"

#include <float.h>
#include <math.h>
#include <string.h>

// ---- Newton's equations --------------------------------------------------------------------------------------------

static double load_of(const ts_load_member *m, const double *x)
{
  return m->normal >= 0 ? x[m->normal] : m->load;
}

// T and its derivative by u_t (3x3). Of a polygon friction keeps its direction, T = -x_t / (mu x_n).
static void slip_direction(const ts_loads *loads, const ts_load_member *m, double T[3], double slope[3][3])
{
  double square = 0.0;
  memset(slope, 0, 9 * sizeof(double));
  if (loads->group.polygon) {
    const double load = loads->group.system->blocks[m->block].friction * load_of(m, loads->x);
    for (int t = 0; t < m->tangents; ++t) T[t] = load > 0.0 ? -loads->x[m->tangent[t]] / load : 0.0;
    return;
  }
  for (int t = 0; t < m->tangents; ++t) square += pow(m->axis[t] * loads->u[m->tangent[t]], 2);
  const double slip = sqrt(square);
  for (int t = 0; t < m->tangents; ++t) T[t] = m->axis[t] * m->axis[t] * loads->u[m->tangent[t]] / slip;
  for (int t = 0; t < m->tangents; ++t)
    for (int k = 0; k < m->tangents; ++k) slope[t][k] = ((t == k ? m->axis[t] * m->axis[t] : 0.0) - T[t] * T[k]) / slip;
}

// Rows of K and of the residual, where a contact slides; in units of velocity.
static void slip_rows(const ts_loads *loads, const ts_load_member *m, double *K, double *residual)
{
  const size_t n = (size_t)loads->size;
  const double mu = loads->group.system->blocks[m->block].friction, load = load_of(m, loads->x);
  double T[3], slope[3][3];
  slip_direction(loads, m, T, slope);
  double factor[3];
  for (int t = 0; t < m->tangents; ++t) factor[t] = loads->W[(size_t)m->tangent[t] * (n + 1)] * mu * load;
  for (size_t j = 0; j < n; ++j) {
    const double *column = loads->W + j * n;
    for (int t = 0; t < m->tangents; ++t) {
      double sum = 0.0;
      for (int k = 0; k < m->tangents; ++k) sum += slope[t][k] * column[m->tangent[k]];
      K[j * n + (size_t)m->tangent[t]] = factor[t] * sum;
    }
  }
  for (int t = 0; t < m->tangents; ++t) {
    const size_t row = (size_t)m->tangent[t];
    const double w = loads->W[row * (n + 1)];
    K[row * n + row] += w;
    if (m->normal >= 0) K[(size_t)m->normal * n + row] += w * mu * T[t];
    residual[row] = w * (loads->x[row] + mu * load * T[t]);
  }
}

// K of the held rows, the same wherever the contacts slide to.
static const double *held_K(ts_loads *loads)
{
  const size_t n = (size_t)loads->size, held = (size_t)loads->held;
  double *K = loads->held_K;
  if (loads->has_held_K) return K;
  memset(K, 0, n * n * sizeof *K);
  for (size_t j = 0; j < n; ++j)
    for (size_t i = 0; i < held; ++i)
      K[j * n + (size_t)loads->held_row[i]] = loads->W[j * n + (size_t)loads->held_row[i]];
  for (int b = 0; b < loads->nulls; ++b) {
    const double *v = loads->null + (size_t)b * held, *s = loads->selects + (size_t)b * held;
    for (size_t j = 0; j < held; ++j) {
      double *column = K + (size_t)loads->held_row[j] * n;
      for (size_t i = 0; s[j] != 0.0 && i < held; ++i) column[loads->held_row[i]] += loads->spring * v[i] * s[j];
    }
  }
  loads->has_held_K = true;
  return K;
}

static void held_residuals(const ts_loads *loads, double *residual)
{
  const size_t held = (size_t)loads->held;
  for (size_t i = 0; i < held; ++i) residual[loads->held_row[i]] = loads->u[loads->held_row[i]];
  for (int b = 0; b < loads->nulls; ++b) {
    const double *v = loads->null + (size_t)b * held, *s = loads->selects + (size_t)b * held;
    double along = 0.0;
    for (size_t i = 0; i < held; ++i) along += s[i] * loads->x[loads->held_row[i]];
    for (size_t i = 0; i < held; ++i) residual[loads->held_row[i]] += loads->spring * along * v[i];
  }
}

// Contacts that are left out press with nothing.
static void open_rows(const ts_loads *loads, const ts_load_member *m, double *K, double *residual)
{
  const size_t n = (size_t)loads->size;
  const int rows[4] = {m->normal, m->tangents > 0 ? m->tangent[0] : -1, m->tangents > 1 ? m->tangent[1] : -1,
                       m->tangents > 2 ? m->tangent[2] : -1};
  for (int k = 0; k < 4; ++k) {
    if (rows[k] < 0) continue;
    const size_t row = (size_t)rows[k];
    K[row * (n + 1)] = loads->W[row * (n + 1)];
    residual[row] = loads->W[row * (n + 1)] * loads->x[row];
  }
}

// K, factored, at the present point, and the residual. False: it has no factor.
static bool linearize(ts_loads *loads, double *residual)
{
  const size_t n = (size_t)loads->size;
  loads->is_factored = false;
  memcpy(loads->K, held_K(loads), n * n * sizeof *loads->K);
  held_residuals(loads, residual);
  for (int k = 0; k < loads->count; ++k) {
    const ts_load_member *m = &loads->members[k];
    if (m->role == TS_LOAD_SLIDES) slip_rows(loads, m, loads->K, residual);
    if (m->role == TS_LOAD_OPEN) open_rows(loads, m, loads->K, residual);
  }
  return ts_lu_factor(loads->size, loads->K, loads->pivots);
}

// ---- selection -----------------------------------------------------------------------------------------------------

static double largest(const double *x, int count)
{
  double most = 0.0;
  for (int k = 0; k < count; ++k) most = fmax(most, fabs(x[k]));
  return most;
}

static bool turns_back(const ts_loads *loads, const double *before)
{
  for (int k = 0; k < loads->count; ++k) {
    const ts_load_member *m = &loads->members[k];
    double along = 0.0;
    for (int t = 0; t < m->tangents; ++t) along += loads->u[m->tangent[t]] * before[m->tangent[t]];
    if (m->role == TS_LOAD_SLIDES && !(along > 0.0)) return true;
  }
  return false;
}

// The impulse that round-off of u in this row amounts to.
static double round_off_of(const ts_loads *loads, size_t row)
{
  const size_t n = (size_t)loads->size;
  double sum = fabs(loads->c[row]);
  for (size_t j = 0; j < n; ++j) sum += fabs(loads->W[j * n + row] * loads->x[j]);
  return loads->W[row * (n + 1)] > 0.0 ? DBL_EPSILON * sum / loads->W[row * (n + 1)] : 0.0;
}

// The largest change relative to the impulse of its own contact: light bodies may lie on pressed ones.
static double relative_change(const ts_loads *loads, const double *change)
{
  static const double ROUND_OFF = 1e12; // of what GOOD is a share of
  double most = 0.0;
  for (int k = 0; k < loads->count; ++k) {
    const ts_load_member *m = &loads->members[k];
    double own = m->normal >= 0 ? 0.0 : m->load, moved = 0.0;
    for (int t = -1; t < m->tangents; ++t) {
      const int row = t < 0 ? m->normal : m->tangent[t];
      if (row < 0) continue;
      own = fmax(own, fmax(fabs(loads->x[row]), ROUND_OFF * round_off_of(loads, (size_t)row)));
      moved = fmax(moved, fabs(change[row]));
    }
    if (moved > 0.0) most = fmax(most, moved / own);
  }
  return most;
}

// Newton's method; every contact slides or sticks as it does. What is left after a change of GOOD is the square of it.
static bool solve(ts_loads *loads)
{
  enum { MOST = 12 };
  static const double GOOD = 1e-12, FAR = 1e3; // changes of x, of its size
  const size_t n = (size_t)loads->size;
  double *change = ts_arena_zeros(loads->arena, 2 * n), *before = change + n;
  for (int k = 0; k < MOST; ++k) {
    if (!linearize(loads, change)) return false;
    ts_lu_solve(loads->size, loads->K, loads->pivots, change);
    memcpy(before, loads->u, n * sizeof *before);
    for (size_t i = 0; i < n; ++i) loads->x[i] -= change[i];
    ts_loads_velocity(loads, loads->x, loads->u);
    if (!(largest(change, loads->size) <= FAR * largest(loads->x, loads->size)) || turns_back(loads, before))
      return false;
    loads->is_factored = relative_change(loads, change) <= GOOD;
    if (loads->is_factored) return true;
  }
  return false;
}

// Leave out the contact that pulls most. False: none does.
static bool leave_out(ts_loads *loads)
{
  const double size = largest(loads->x, loads->size);
  double most = -1e-14 * size;
  ts_load_member *worst = NULL;
  for (int k = 0; k < loads->count; ++k) {
    ts_load_member *m = &loads->members[k];
    if (m->role == TS_LOAD_OPEN || m->normal < 0 || !(loads->x[m->normal] < most)) continue;
    most = loads->x[m->normal];
    worst = m;
  }
  if (!worst) return false;
  worst->role = TS_LOAD_OPEN;
  return true;
}

static bool obeys(const ts_loads *loads, const ts_load_member *m)
{
  const double mu = loads->group.system->blocks[m->block].friction, load = load_of(m, loads->x);
  double used = 0.0, slip = 0.0;
  if (m->role == TS_LOAD_OPEN) return loads->u[m->normal] >= -loads->group.still;
  for (int t = 0; t < m->tangents; ++t) {
    used += pow(loads->x[m->tangent[t]] / m->axis[t], 2);
    slip += pow(loads->u[m->tangent[t]] * m->axis[t], 2);
  }
  return m->role == TS_LOAD_STICKS ? sqrt(used) <= mu * load * (1.0 + 1e-12) : sqrt(slip) > 0.0;
}

bool ts_loads_select(ts_loads *loads)
{
  if (!solve(loads)) return false;
  while (leave_out(loads)) {
    ts_loads_prepare(loads);
    if (!solve(loads)) return false;
  }
  for (int k = 0; k < loads->count; ++k) {
    ts_load_member *m = &loads->members[k];
    if (!obeys(loads, m)) return false;
    if (m->normal >= 0 && loads->x[m->normal] < 0.0) loads->x[m->normal] = 0.0;
  }
  return true;
}

// ---- other motions -------------------------------------------------------------------------------------------------

// All contacts that are closed may take load, those too that the declared loads leave out. True if there are such.
static bool close_all(ts_loads *loads)
{
  bool any = false;
  for (int k = 0; k < loads->count; ++k) {
    ts_load_member *m = &loads->members[k];
    double slip = 0.0;
    if (m->role != TS_LOAD_OPEN || loads->u[m->normal] > loads->group.still) continue;
    for (int t = 0; t < m->tangents; ++t) slip += pow(loads->u[m->tangent[t]] * m->axis[t], 2);
    m->role = sqrt(slip) > loads->group.still ? TS_LOAD_SLIDES : TS_LOAD_STICKS;
    any = true;
  }
  if (any) ts_loads_prepare(loads);
  return any;
}

// The size that other loads may have: that of the present loads, or, if these are round-off, of the impulses that would
// take the velocities of free motion.
static double size_of_loads(const ts_loads *loads)
{
  static const double ROUND_OFF = 1e-9;
  const size_t n = (size_t)loads->size;
  double size = 0.0, most = largest(loads->x, loads->size);
  for (size_t i = 0; i < n; ++i)
    if (loads->W[i * (n + 1)] > 0.0) size = fmax(size, fabs(loads->c[i]) / loads->W[i * (n + 1)]);
  return most > ROUND_OFF * size ? most : size;
}

bool ts_loads_leave_motion(ts_loads *loads)
{
  static const double SHARE = 1e-2; // of velocities that count as none
  const size_t n = (size_t)loads->size;
  const double size = size_of_loads(loads);
  double *change = ts_arena_zeros(loads->arena, 2 * n), *du = change + n;
  if ((close_all(loads) || !loads->is_factored) && !linearize(loads, change)) return false;
  for (int b = 0; b < loads->nulls; ++b) {
    const double *v = loads->null + (size_t)b * (size_t)loads->held;
    memset(change, 0, n * sizeof *change);
    for (int i = 0; i < loads->held; ++i) change[loads->held_row[i]] = loads->spring * v[i];
    ts_lu_solve(loads->size, loads->K, loads->pivots, change);
    memset(du, 0, n * sizeof *du);
    for (size_t j = 0; j < n; ++j)
      for (size_t i = 0; i < n; ++i) du[i] += loads->W[j * n + i] * change[j];
    const double by = size / largest(change, loads->size);
    if (!(by * largest(du, loads->size) <= SHARE * loads->group.still)) return false;
  }
  return true;
}

void ts_loads_write(const ts_loads *loads, double *r)
{
  for (int k = 0; k < loads->size; ++k) r[loads->row[k]] = loads->x[k] * loads->unit[k];
}

// ---- as a problem --------------------------------------------------------------------------------------------------

// W of the members with what selects loads: its blocks are all there.
static ts_block_matrix full_matrix(const ts_loads *loads, const int *member_of, const double *null, int nulls)
{
  const ts_system *system = loads->group.system;
  const ts_block_matrix *W = &system->problem.W;
  const size_t n = (size_t)loads->count, d = (size_t)system->dimension, size = d * d;
  int *start = ts_arena_ints(loads->arena, n + 1), *index = ts_arena_ints(loads->arena, n * n);
  double *value = ts_arena_zeros(loads->arena, n * n * size);
  for (size_t i = 0; i < n; ++i) {
    const int block = loads->members[i].block;
    start[i] = (int)(i * n);
    for (size_t j = 0; j < n; ++j) index[i * n + j] = (int)j;
    for (int e = W->start[block]; e < W->start[block + 1]; ++e)
      if (member_of[W->index[e]] >= 0)
        memcpy(value + (i * n + (size_t)member_of[W->index[e]]) * size, W->value + (size_t)e * size,
               size * sizeof *value);
    for (size_t j = 0; j < n; ++j)
      for (int b = 0; b < nulls; ++b)
        value[(i * n + j) * size] += loads->spring * null[(size_t)b * n + i] * null[(size_t)b * n + j];
  }
  start[n] = (int)(n * n);
  return (ts_block_matrix){loads->count, system->dimension, start, index, value};
}

// The null space of the normals alone, over all members.
static int null_of_normals(const ts_loads *loads, double *null)
{
  const size_t n = (size_t)loads->count;
  int *rows = ts_arena_ints(loads->arena, 2 * n), *whose = rows + n, normals = 0;
  double *own = ts_arena_doubles(loads->arena, n * n);
  for (size_t k = 0; k < n; ++k) {
    if (loads->members[k].normal < 0 || loads->members[k].role == TS_LOAD_OPEN) continue;
    whose[normals] = (int)k;
    rows[normals++] = loads->members[k].normal;
  }
  const int nulls = ts_loads_null_space(loads, rows, normals, own);
  memset(null, 0, n * n * sizeof *null);
  for (int b = 0; b < nulls; ++b)
    for (int k = 0; k < normals; ++k) null[(size_t)b * n + (size_t)whose[k]] = own[b * normals + k];
  return nulls;
}

ts_friction ts_loads_problem(const ts_loads *loads, const double *r, const double *u, const int **blocks)
{
  const ts_system *system = loads->group.system;
  const size_t n = (size_t)loads->count, d = (size_t)system->dimension;
  int *member_of = ts_arena_ints(loads->arena, (size_t)system->count), *block = ts_arena_ints(loads->arena, n);
  double *null = ts_arena_doubles(loads->arena, n * n), *q = ts_arena_zeros(loads->arena, n * d);
  double *mu = ts_arena_doubles(loads->arena, n), *axes = ts_arena_doubles(loads->arena, n * (d - 1));
  for (int i = 0; i < system->count; ++i) member_of[i] = -1;
  for (size_t k = 0; k < n; ++k) member_of[block[k] = loads->members[k].block] = (int)k;
  ts_friction problem = {.dimension = system->dimension, .contacts = loads->count, .q = q, .mu = mu};
  problem.W = full_matrix(loads, member_of, null, 0);
  for (size_t i = 0; i < n; ++i) { // what the others do to the members
    for (size_t row = 0; row < d; ++row) q[i * d + row] = u[(size_t)block[i] * d + row];
    for (size_t j = 0; j < n; ++j)
      for (size_t c = 0; c < d; ++c)
        for (size_t row = 0; row < d; ++row)
          q[i * d + row] -= problem.W.value[(i * n + j) * d * d + c * d + row] * r[(size_t)block[j] * d + c];
    mu[i] = system->problem.mu[block[i]];
    for (size_t k = 0; k + 1 < d; ++k) axes[i * (d - 1) + k] = ts_load_semi_axis(system, block[i], (int)k + 1);
  }
  problem.W = full_matrix(loads, member_of, null, null_of_normals(loads, null));
  problem.ellipsoid = system->problem.ellipsoid ? axes : NULL;
  *blocks = block;
  return problem;
}
