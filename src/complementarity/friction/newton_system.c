#include "complementarity/friction/newton_system.h"

#include "complementarity/friction/newton_bodies.h"

#include "base/hot.h"
#include "math/matrix.h"

#include <math.h>
#include <string.h>

// Systems of up to SMALL_SYSTEM rows are factored dense: analyzing their pattern would cost more than it saves.
enum { SMALL_SYSTEM = 24, MAX_D = 4 };

struct ts_newton_system {
  const ts_cone_problem *p;
  double shift;
  double *A, *B;   // blocks
  double *shifted; // LU factors of A + shift B, in body space
  int *pivots;
  double *K;                // in body space
  ts_newton_bodies *bodies; // NULL: contact space
  ts_block_lu *contacts;    // NULL: the whole matrix is small and dense
  ts_block_place *places;   // of each block of W, in contact space
  double *dense;            // the small matrix, then its LU factors
  int *sizes;
  double *compact; // d numbers a contact, for the block LU
  double *rhs, *residual, *work;
};

// ---- small dense blocks --------------------------------------------------------------------------------------------

// LU with row exchanges of a small d x d matrix; a zero pivot is replaced by the smallest number that can be divided
// by.
TS_INLINE void factor_small(int d, double *A, int *pivots)
{
  for (int k = 0; k < d; ++k) {
    int best = k;
    for (int i = k + 1; i < d; ++i)
      if (fabs(A[k * d + i]) > fabs(A[k * d + best])) best = i;
    pivots[k] = best;
    if (best != k)
      for (int c = 0; c < d; ++c) {
        const double t = A[c * d + k];
        A[c * d + k] = A[c * d + best];
        A[c * d + best] = t;
      }
    if (A[k * d + k] == 0.0) A[k * d + k] = 1e-300;
    for (int i = k + 1; i < d; ++i) {
      A[k * d + i] /= A[k * d + k];
      for (int c = k + 1; c < d; ++c) A[c * d + i] -= A[k * d + i] * A[c * d + k];
    }
  }
}

TS_INLINE void solve_small(int d, const double *LU, const int *pivots, double *x)
{
  for (int k = 0; k < d; ++k) {
    const double t = x[k];
    x[k] = x[pivots[k]];
    x[pivots[k]] = t;
  }
  for (int k = 0; k < d; ++k)
    for (int i = k + 1; i < d; ++i) x[i] -= LU[k * d + i] * x[k];
  for (int k = d - 1; k >= 0; --k) {
    x[k] /= LU[k * d + k];
    for (int i = 0; i < k; ++i) x[i] -= LU[k * d + i] * x[k];
  }
}

// ---- creation ------------------------------------------------------------------------------------------------------

static bool bodies_are_usable(const ts_cone_problem *p)
{
  return p->bodies && !ts_matrix_is_dense(&p->bodies->M) && !ts_matrix_is_dense(&p->bodies->H);
}

// Multiply-adds that a factorization in contact space takes at least, whatever its order: with c_k blocks beyond the
// pivot in column k they are p^3/3 + p^2 (p c_k) + p (p c_k)^2 summed over the columns, p = d; the sum of c_k is at
// least the number of pairs that W couples, and the sum of their squares at least its square over the number of
// columns.
static double least_contact_flops(const ts_cone_problem *p)
{
  const double d = p->d, columns = p->contacts, pairs = 0.5 * (p->start[p->contacts] - p->contacts);
  return d * d * d * (columns / 3.0 + pairs + pairs * pairs / columns);
}

// The blocks of W are placed in one dense matrix.
static void create_small_system(ts_newton_system *system, ts_arena *arena)
{
  const ts_cone_problem *p = system->p;
  const int d = p->d, n = p->contacts * d;
  system->dense = ts_arena_doubles(arena, (size_t)(n * n));
  system->pivots = ts_arena_ints(arena, (size_t)n);
  system->compact = ts_arena_doubles(arena, (size_t)n);
  system->places = ts_arena_bytes(arena, (size_t)p->start[p->contacts], sizeof *system->places);
  for (int i = 0; i < p->contacts; ++i)
    for (int b = p->start[i]; b < p->start[i + 1]; ++b)
      system->places[b] = (ts_block_place){system->dense + (size_t)(p->index[b] * d) * (size_t)n + i * d, 1, n};
}

// Bodies or contacts, whichever takes fewer multiply-adds. Where bodies take fewer than contacts could, these need not
// be analyzed.
static void choose_space(ts_newton_system *system, ts_arena *arena)
{
  const ts_cone_problem *p = system->p;
  if (p->compliance || bodies_are_usable(p)) system->bodies = ts_newton_bodies_create(p, arena);
  const double flops = system->bodies ? ts_block_lu_flops(system->bodies->lu) : (double)INFINITY;
  if (p->compliance || flops <= least_contact_flops(p)) return;
  system->contacts = ts_block_lu_analyze(p->contacts, system->sizes, p->start, p->index, arena);
  if (flops > ts_block_lu_flops(system->contacts)) system->bodies = NULL;
}

ts_newton_system *ts_newton_system_create(const ts_cone_problem *p, double deadline, ts_arena *arena)
{
  const size_t contacts = (size_t)p->contacts, block = (size_t)(p->d * p->d);
  ts_newton_system *system = ts_arena_bytes(arena, 1, sizeof *system);
  *system = (ts_newton_system){.p = p};
  system->A = ts_arena_doubles(arena, contacts * block);
  system->B = ts_arena_doubles(arena, contacts * block);
  system->rhs = ts_arena_doubles(arena, p->length);
  system->residual = ts_arena_doubles(arena, p->length);
  system->work = ts_arena_doubles(arena, p->length);
  if (p->contacts * p->d <= SMALL_SYSTEM && !p->compliance) {
    create_small_system(system, arena);
    return system;
  }
  system->sizes = ts_arena_ints(arena, contacts);
  for (int i = 0; i < p->contacts; ++i) system->sizes[i] = p->d;
  choose_space(system, arena);
  if (system->bodies) {
    ts_newton_bodies_place(system->bodies, p, arena);
    ts_block_lu_set_deadline(system->bodies->lu, deadline);
    system->shifted = ts_arena_doubles(arena, contacts * block);
    system->K = ts_arena_doubles(arena, contacts * block);
    system->pivots = ts_arena_ints(arena, contacts * (size_t)p->d);
  } else {
    ts_block_lu_set_deadline(system->contacts, deadline);
    system->compact = ts_arena_doubles(arena, contacts * (size_t)p->d);
    system->places = ts_arena_bytes(arena, (size_t)p->start[p->contacts], sizeof *system->places);
    for (int i = 0; i < p->contacts; ++i)
      for (int b = p->start[i]; b < p->start[i + 1]; ++b)
        system->places[b] = ts_block_lu_place(system->contacts, i, p->index[b]);
  }
  return system;
}

double *ts_newton_system_A(ts_newton_system *system, int i)
{
  return system->A + (size_t)i * (size_t)(system->p->d * system->p->d);
}

double *ts_newton_system_B(ts_newton_system *system, int i)
{
  return system->B + (size_t)i * (size_t)(system->p->d * system->p->d);
}

// ---- factorization -------------------------------------------------------------------------------------------------

static const double TINY_PIVOT = 1e-18;

// Add B W (and A + shift B on the diagonal) for one block of W.
TS_INLINE void add_block(ts_block_place place, const double *restrict W, int stride, const double *restrict A,
                         const double *restrict B, double shift, const int d)
{
  for (int c = 0; c < d; ++c)
    for (int r = 0; r < d; ++r) {
      double sum = A ? A[c * d + r] + shift * B[c * d + r] : 0.0;
      for (int k = 0; k < d; ++k) sum += B[k * d + r] * W[c * stride + k];
      place.value[r * place.row_stride + c * place.column_stride] = sum;
    }
}

TS_INLINE void assemble_contacts(ts_newton_system *system, const int d)
{
  const ts_cone_problem *p = system->p;
  const int stride = d == 2 ? 2 : 4;
  for (int i = 0; i < p->contacts; ++i) {
    const double *A = ts_newton_system_A(system, i), *B = ts_newton_system_B(system, i);
    for (int b = p->start[i]; b < p->start[i + 1]; ++b)
      add_block(system->places[b], p->W + (size_t)b * (size_t)(stride * d), stride, b == p->diagonal[i] ? A : NULL, B,
                system->shift, d);
  }
}

TS_HOT static bool factor_contact_space(ts_newton_system *system)
{
  const size_t rows = (size_t)(system->p->contacts * system->p->d);
  if (system->contacts)
    ts_block_lu_clear(system->contacts);
  else
    memset(system->dense, 0, rows * rows * sizeof *system->dense);
  switch (system->p->d) { // a constant dimension lets the compiler unroll
  case 2:
    assemble_contacts(system, 2);
    break;
  case 3:
    assemble_contacts(system, 3);
    break;
  default:
    assemble_contacts(system, 4);
    break;
  }
  if (system->contacts) return ts_block_lu_factor(system->contacts, TINY_PIVOT) >= 0;
  factor_small((int)rows, system->dense, system->pivots);
  return isfinite(system->dense[rows * rows - 1]);
}

// K = (A + shift B)^-1 B.
TS_INLINE void condense_contact(ts_newton_system *system, int i, const int d)
{
  const size_t at = (size_t)i * (size_t)(d * d);
  double *LU = system->shifted + at, *K = system->K + at;
  int *pivots = system->pivots + (size_t)i * (size_t)d;
  for (int k = 0; k < d * d; ++k) LU[k] = system->A[at + (size_t)k] + system->shift * system->B[at + (size_t)k];
  memcpy(K, system->B + at, (size_t)(d * d) * sizeof *K);
  factor_small(d, LU, pivots);
  for (int c = 0; c < d; ++c) solve_small(d, LU, pivots, K + c * d);
}

TS_INLINE bool block_is_zero(const double *block, int count)
{
  for (int k = 0; k < count; ++k)
    if (block[k] != 0.0) return false;
  return true;
}

// D += X Y^T, X with `rows` and Y with `columns` rows, d columns each, D with leading dimension `leading`.
TS_INLINE void add_product(int rows, int columns, const int d, const double *restrict X, const double *restrict Y,
                           double *restrict D, int leading)
{
  for (int c = 0; c < columns; ++c)
    for (int r = 0; r < rows; ++r) {
      double sum = X[r] * Y[c];
      for (int k = 1; k < d; ++k) sum += X[k * rows + r] * Y[k * columns + c];
      D[c * leading + r] += sum;
    }
}

// H_x K of a node with `rows` rows.
TS_INLINE void multiply_touch(int rows, const int d, const double *restrict H, const double *restrict K,
                              double *restrict HK)
{
  for (int c = 0; c < d; ++c)
    for (int r = 0; r < rows; ++r) {
      double sum = H[r] * K[c * d];
      for (int k = 1; k < d; ++k) sum += H[k * rows + r] * K[c * d + k];
      HK[c * rows + r] = sum;
    }
}

// Add H_x K H_y^T for all pairs of nodes that contact i touches. Most have the rows of a rigid body, and a constant
// number of them lets the compiler unroll.
TS_INLINE void add_contact(ts_newton_system *system, int i, const int d)
{
  const ts_newton_bodies *s = system->bodies;
  const double *K = system->K + (size_t)i * (size_t)(d * d);
  const ts_block_place *place = s->places + s->place_start[i];
  for (int x = s->touch_start[i]; x < s->touch_start[i + 1]; ++x) {
    const int rows = s->size[s->touches[x].node];
    double HK[TS_LARGEST_BODY * MAX_D];
    if (rows == TS_RIGID_BODY)
      multiply_touch(TS_RIGID_BODY, d, s->touches[x].H, K, HK);
    else
      multiply_touch(rows, d, s->touches[x].H, K, HK);
    for (int y = s->touch_start[i]; y < s->touch_start[i + 1]; ++y, ++place) {
      const int columns = s->size[s->touches[y].node];
      const bool rigid = rows == TS_RIGID_BODY && columns == TS_RIGID_BODY;
      if (rigid && place->row_stride == 1)
        add_product(TS_RIGID_BODY, TS_RIGID_BODY, d, HK, s->touches[y].H, place->value, place->column_stride);
      else if (rigid)
        add_product(TS_RIGID_BODY, TS_RIGID_BODY, d, s->touches[y].H, HK, place->value, place->row_stride);
      else if (place->row_stride == 1)
        add_product(rows, columns, d, HK, s->touches[y].H, place->value, place->column_stride);
      else // kept transposed
        add_product(columns, rows, d, s->touches[y].H, HK, place->value, place->row_stride);
    }
  }
}

TS_INLINE void add_all_contacts(ts_newton_system *system, const int d)
{
  for (int i = 0; i < system->p->contacts; ++i) {
    condense_contact(system, i, d);
    if (!block_is_zero(system->K + (size_t)i * (size_t)(d * d), d * d)) add_contact(system, i, d);
  }
}

TS_HOT static void add_contacts(ts_newton_system *system)
{
  switch (system->p->d) { // a constant dimension lets the compiler unroll
  case 2:
    add_all_contacts(system, 2);
    break;
  case 3:
    add_all_contacts(system, 3);
    break;
  default:
    add_all_contacts(system, 4);
    break;
  }
}

static bool factor_body_space(ts_newton_system *system)
{
  const ts_cone_problem *p = system->p;
  const ts_newton_bodies *s = system->bodies;
  const ts_matrix *M = &p->bodies->M;
  ts_block_lu_clear(s->lu);
  for (int j = 0; j < M->columns; ++j)
    for (int k = M->start[j]; k < M->start[j + 1]; ++k) {
      const int i = M->index[k], a = s->node_of[i], b = s->node_of[j];
      if (a < 0 || b < 0) continue; // no contact touches it; of two parts one may be left out where the entry is zero
      const ts_block_place place = ts_block_lu_place(s->lu, a, b);
      place.value[(s->row_at[i] - s->first[a]) * place.row_stride +
                  (s->row_at[j] - s->first[b]) * place.column_stride] += M->value[k];
    }
  add_contacts(system);
  return ts_block_lu_factor(s->lu, TINY_PIVOT) >= 0;
}

bool ts_newton_system_factor(ts_newton_system *system, double shift)
{
  system->shift = shift;
  return system->bodies ? factor_body_space(system) : factor_contact_space(system);
}

// ---- solution ------------------------------------------------------------------------------------------------------

static void solve_contact_space(ts_newton_system *system, double *x)
{
  const ts_cone_problem *p = system->p;
  const size_t d = (size_t)p->d, stride = (size_t)p->stride;
  for (size_t i = 0; i < (size_t)p->contacts; ++i) memcpy(system->compact + i * d, x + i * stride, d * sizeof *x);
  if (system->contacts)
    ts_block_lu_solve(system->contacts, system->compact);
  else
    solve_small(p->contacts * p->d, system->dense, system->pivots, system->compact);
  for (size_t i = 0; i < (size_t)p->contacts; ++i) memcpy(x + i * stride, system->compact + i * d, d * sizeof *x);
}

TS_INLINE void push_node(int rows, const int d, const double *restrict H, const double *x, double *restrict y)
{
  for (int c = 0; c < d; ++c)
    for (int r = 0; r < rows; ++r) y[r] += H[c * rows + r] * x[c];
}

TS_INLINE void pull_node(int rows, const int d, const double *restrict H, const double *restrict y, double *restrict u)
{
  for (int c = 0; c < d; ++c) {
    double sum = 0.0;
    for (int r = 0; r < rows; ++r) sum += H[c * rows + r] * y[r];
    u[c] += sum;
  }
}

// y += H x and u = H^T y over the nodes that contact i touches.
TS_INLINE void push(const ts_newton_bodies *s, int i, const double *x, double *restrict y, const int d)
{
  for (int t = s->touch_start[i]; t < s->touch_start[i + 1]; ++t) {
    const int node = s->touches[t].node, rows = s->size[node];
    if (rows == TS_RIGID_BODY)
      push_node(TS_RIGID_BODY, d, s->touches[t].H, x, y + s->first[node]);
    else
      push_node(rows, d, s->touches[t].H, x, y + s->first[node]);
  }
}

TS_INLINE void pull(const ts_newton_bodies *s, int i, const double *restrict y, double *restrict u, const int d)
{
  for (int c = 0; c < d; ++c) u[c] = 0.0;
  for (int t = s->touch_start[i]; t < s->touch_start[i + 1]; ++t) {
    const int node = s->touches[t].node, rows = s->size[node];
    if (rows == TS_RIGID_BODY)
      pull_node(TS_RIGID_BODY, d, s->touches[t].H, y + s->first[node], u);
    else
      pull_node(rows, d, s->touches[t].H, y + s->first[node], u);
  }
}

TS_INLINE void solve_in_bodies(ts_newton_system *system, double *x, const int d)
{
  const ts_cone_problem *p = system->p;
  const ts_newton_bodies *s = system->bodies;
  memset(s->y, 0, (size_t)s->rows * sizeof *s->y);
  for (int i = 0; i < p->contacts; ++i) {
    double *xi = x + (size_t)i * (size_t)p->stride;
    solve_small(d, system->shifted + (size_t)i * (size_t)(d * d), system->pivots + (size_t)i * (size_t)d, xi);
    push(s, i, xi, s->y, d);
  }
  ts_block_lu_solve(s->lu, s->y);
  for (int i = 0; i < p->contacts; ++i) {
    double u[MAX_D], *xi = x + (size_t)i * (size_t)p->stride;
    pull(s, i, s->y, u, d);
    const double *K = system->K + (size_t)i * (size_t)(d * d);
    for (int c = 0; c < d; ++c)
      for (int r = 0; r < d; ++r) xi[r] -= K[c * d + r] * u[c];
  }
}

TS_HOT static void solve_body_space(ts_newton_system *system, double *x)
{
  switch (system->p->d) { // a constant dimension lets the compiler unroll
  case 2:
    solve_in_bodies(system, x, 2);
    break;
  case 3:
    solve_in_bodies(system, x, 3);
    break;
  default:
    solve_in_bodies(system, x, 4);
    break;
  }
}

static void solve_once(ts_newton_system *system, double *x)
{
  if (system->bodies)
    solve_body_space(system, x);
  else
    solve_contact_space(system, x);
}

// residual = rhs - (A + B (W + shift)) x.
TS_HOT static void subtract_product(ts_newton_system *system, const double *x, double *residual)
{
  const ts_cone_problem *p = system->p;
  const int d = p->d;
  ts_cone_multiply(p, x, system->work);
  for (int i = 0; i < p->contacts; ++i) {
    const size_t at = (size_t)i * (size_t)p->stride;
    const double *A = ts_newton_system_A(system, i), *B = ts_newton_system_B(system, i);
    for (int c = 0; c < d; ++c) {
      const double xc = x[at + (size_t)c], uc = system->work[at + (size_t)c] + system->shift * xc;
      for (int r = 0; r < d; ++r) residual[at + (size_t)r] -= A[c * d + r] * xc + B[c * d + r] * uc;
    }
  }
}

void ts_newton_system_solve(ts_newton_system *system, double *x)
{
  const size_t bytes = system->p->length * sizeof *x;
  if (system->dense) { // factored with full exchange of rows: nothing to refine
    solve_once(system, x);
    return;
  }
  memcpy(system->rhs, x, bytes);
  solve_once(system, x);
  memcpy(system->residual, system->rhs, bytes);
  subtract_product(system, x, system->residual);
  solve_once(system, system->residual);
  for (size_t k = 0; k < system->p->length; ++k) x[k] += system->residual[k];
}
