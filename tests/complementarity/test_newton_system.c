// The Newton systems (A + B (W + shift I)) x = b against LAPACK on the whole dense matrix, in the space of contacts, in
// the space of bodies and small, for mass matrices of every structure.
#include "complementarity/friction/newton_system.h"

#include "complementarity/friction/contact_map.h"

#include "base/random.h"

#include <cblas.h>
#include <float.h>
#include <lapacke.h>
#include <math.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <string.h>
#include <cmocka.h>

// ---- mechanisms ----------------------------------------------------------------------------------------------------

typedef enum coupling {
  DIAGONAL, // M is diagonal: rows are put together by the contacts they feel
  BODIES,   // one full block a body
  PAIRS,    // blocks of two bodies: 12 rows, the largest that stay whole
  CHAIN,    // every body coupled to the next: one connected part
  COUPLINGS
} coupling;

typedef struct mechanism {
  int d, contacts, bodies;
  coupling coupling;
  bool hand_over; // M and H to the solver
} mechanism;

// A problem with all its arrays in an arena.
typedef struct built {
  ts_arena arena;
  ts_bodies bodies;
  ts_friction friction;
  ts_cone_problem p;
} built;

static int freedoms_of(int d)
{
  return d == 2 ? 3 : 6;
}

// Symmetric and diagonally dominant, hence positive definite.
static double *draw_mass(const mechanism *m, ts_random *random, ts_arena *arena)
{
  const int f = freedoms_of(m->d), n = f * m->bodies;
  double *M = ts_arena_zeros(arena, (size_t)(n * n));
  for (int i = 0; i < n; ++i)
    for (int j = 0; j < i; ++j) {
      const int a = i / f, b = j / f;
      const bool coupled = (m->coupling == BODIES && a == b) || (m->coupling == PAIRS && a / 2 == b / 2) ||
                           (m->coupling == CHAIN && (a == b || (a == b + 1 && i % f == j % f)));
      if (coupled) M[j * n + i] = M[i * n + j] = ts_random_uniform(random, -0.1, 0.1);
    }
  for (int i = 0; i < n; ++i) M[i * n + i] = ts_random_uniform(random, 1.5, 3.0);
  return M;
}

// Each contact touches one or two bodies. The last body in four is touched by none.
static double *draw_directions(const mechanism *m, ts_random *random, ts_arena *arena)
{
  const int f = freedoms_of(m->d), n = f * m->bodies, touched = m->bodies - m->bodies / 4;
  double *H = ts_arena_zeros(arena, (size_t)(n * m->d * m->contacts));
  for (int i = 0; i < m->contacts; ++i) {
    const int first = ts_random_below(random, touched), second = ts_random_below(random, touched);
    for (int c = 0; c < m->d; ++c)
      for (int k = 0; k < f; ++k) {
        H[(i * m->d + c) * n + first * f + k] = ts_random_normal(random);
        if (ts_random_below(random, 8) == 0) H[(i * m->d + c) * n + first * f + k] = 0.0;
        if (second != first && i % 3) H[(i * m->d + c) * n + second * f + k] = ts_random_normal(random);
      }
  }
  return H;
}

static ts_matrix compress(int rows, int columns, const double *dense, ts_arena *arena)
{
  int *start = ts_arena_ints(arena, (size_t)columns + 1), filled = 0;
  int *index = ts_arena_ints(arena, (size_t)(rows * columns));
  double *value = ts_arena_doubles(arena, (size_t)(rows * columns));
  for (int j = 0; j < columns; ++j) {
    start[j] = filled;
    for (int i = 0; i < rows; ++i)
      if (dense[j * rows + i] != 0.0) {
        index[filled] = i;
        value[filled++] = dense[j * rows + i];
      }
  }
  start[columns] = filled;
  return (ts_matrix){rows, columns, start, index, value};
}

// The nonzero blocks of a dense W, and all diagonal ones.
static ts_block_matrix compress_blocks(int d, int contacts, const double *W, ts_arena *arena)
{
  const int n = d * contacts;
  int *start = ts_arena_ints(arena, (size_t)contacts + 1), *index = ts_arena_ints(arena, (size_t)(contacts * contacts));
  double *value = ts_arena_doubles(arena, (size_t)(n * n));
  int filled = 0;
  for (int i = 0; i < contacts; ++i) {
    start[i] = filled;
    for (int j = 0; j < contacts; ++j) {
      double size = i == j;
      for (int k = 0; k < d * d; ++k) {
        value[filled * d * d + k] = W[(j * d + k / d) * n + i * d + k % d];
        size += fabs(value[filled * d * d + k]);
      }
      if (size > 0.0) index[filled++] = j;
    }
  }
  start[contacts] = filled;
  return (ts_block_matrix){contacts, d, start, index, value};
}

static void build(built *b, const mechanism *m, uint64_t seed)
{
  const int n = freedoms_of(m->d) * m->bodies, rows = m->d * m->contacts;
  ts_random random;
  ts_random_init(&random, seed);
  ts_arena_init(&b->arena, NULL);
  double *M = draw_mass(m, &random, &b->arena), *H = draw_directions(m, &random, &b->arena);
  b->bodies = (ts_bodies){.M = compress(n, n, M, &b->arena), .H = compress(n, rows, H, &b->arena)};
  double *X = ts_arena_doubles(&b->arena, (size_t)(n * rows)), *W = ts_arena_doubles(&b->arena, (size_t)(rows * rows));
  memcpy(X, H, (size_t)(n * rows) * sizeof *X);
  assert_int_equal(LAPACKE_dposv(LAPACK_COL_MAJOR, 'L', n, rows, M, n, X, n), 0);
  cblas_dgemm(CblasColMajor, CblasTrans, CblasNoTrans, rows, rows, n, 1.0, H, n, X, n, 0.0, W, rows);
  double *q = ts_arena_doubles(&b->arena, (size_t)rows), *mu = ts_arena_doubles(&b->arena, (size_t)m->contacts);
  double *ellipsoid = ts_arena_doubles(&b->arena, (size_t)rows);
  for (int k = 0; k < rows; ++k) q[k] = ts_random_normal(&random);
  for (int k = 0; k < rows; ++k) ellipsoid[k] = ts_random_uniform(&random, 0.5, 2.0);
  for (int i = 0; i < m->contacts; ++i) mu[i] = ts_random_uniform(&random, 0.1, 1.0);
  b->friction = (ts_friction){.dimension = m->d,
                              .contacts = m->contacts,
                              .W = compress_blocks(m->d, m->contacts, W, &b->arena),
                              .q = q,
                              .mu = mu,
                              .ellipsoid = ellipsoid,
                              .bodies = m->hand_over ? &b->bodies : NULL};
  const ts_problem problem = ts_problem_friction(b->friction);
  ts_error error = {0};
  if (ts_problem_check(&problem, &error) != TS_OK) fail_msg("%s", error.text);
  ts_cone_problem_init(&b->p, &b->friction, &b->arena);
}

// ---- systems -------------------------------------------------------------------------------------------------------

// Blocks of a contact in each mode: those of Alart-Curnier's map, or (`mixed`) none of its zeros.
static void draw_blocks(const built *b, ts_newton_system *system, ts_random *random, bool mixed)
{
  const int d = b->p.d;
  for (int i = 0; i < b->p.contacts; ++i) {
    double *A = ts_newton_system_A(system, i), *B = ts_newton_system_B(system, i), F[4], r[4], u[4];
    for (int k = 0; k < d; ++k) {
      r[k] = ts_random_normal(random);
      u[k] = ts_random_normal(random);
    }
    if (i % 3) r[0] = 4.0; // pressed: two in three slip or stick
    ts_alart_curnier(d, b->p.mu[i], 0.5, r, u, F, A, B);
    for (int k = 0; k < d * d && mixed; ++k) {
      A[k] = (k % (d + 1) == 0) + 0.2 * ts_random_normal(random);
      B[k] = (k % (d + 1) == 0) + 0.2 * ts_random_normal(random);
    }
  }
}

// A + B (W + shift I), dense.
static double *dense_system(built *b, ts_newton_system *system, double shift)
{
  const ts_cone_problem *p = &b->p;
  const int d = p->d, n = d * p->contacts;
  double *J = ts_arena_zeros(&b->arena, (size_t)(n * n));
  for (int i = 0; i < p->contacts; ++i) {
    const double *A = ts_newton_system_A(system, i), *B = ts_newton_system_B(system, i);
    for (int k = p->start[i]; k < p->start[i + 1]; ++k)
      for (int c = 0; c < d; ++c)
        for (int r = 0; r < d; ++r) {
          const int j = p->index[k];
          double sum = i == j ? A[c * d + r] + shift * B[c * d + r] : 0.0;
          for (int s = 0; s < d; ++s) sum += B[s * d + r] * p->W[(k * d + c) * p->stride + s];
          J[(j * d + c) * n + i * d + r] = sum;
        }
  }
  return J;
}

// Solve a random right-hand side. The residual has to be at round-off of the terms in it, and the distance from
// LAPACK's solution within what two such residuals amount to at the condition of the matrix.
static void assert_solves(built *b, ts_newton_system *system, ts_random *random, double shift)
{
  const ts_cone_problem *p = &b->p;
  const int d = p->d, n = d * p->contacts;
  const ts_arena_mark mark = ts_arena_save(&b->arena);
  double *J = dense_system(b, system, shift), *LU = ts_arena_doubles(&b->arena, (size_t)(n * n));
  double *x = ts_arena_zeros(&b->arena, p->length), *y = ts_arena_doubles(&b->arena, (size_t)n);
  double *compact = ts_arena_doubles(&b->arena, (size_t)n), *rhs = ts_arena_doubles(&b->arena, (size_t)n);
  int *pivots = ts_arena_ints(&b->arena, (size_t)n);
  memcpy(LU, J, (size_t)(n * n) * sizeof *J);
  for (int k = 0; k < n; ++k) y[k] = rhs[k] = x[k / d * p->stride + k % d] = ts_random_normal(random);
  assert_true(ts_newton_system_factor(system, shift));
  ts_newton_system_solve(system, x);
  for (int k = 0; k < n; ++k) compact[k] = x[k / d * p->stride + k % d];
  for (size_t k = 0; k < p->length; ++k)
    if (k % (size_t)p->stride >= (size_t)d) assert_true(x[k] == 0.0); // padding

  double rcond = 0.0;
  const double norm = LAPACKE_dlange(LAPACK_COL_MAJOR, '1', n, n, J, n);
  assert_int_equal(LAPACKE_dgetrf(LAPACK_COL_MAJOR, n, n, LU, n, pivots), 0);
  assert_int_equal(LAPACKE_dgecon(LAPACK_COL_MAJOR, '1', n, LU, n, norm, &rcond), 0);
  assert_int_equal(LAPACKE_dgetrs(LAPACK_COL_MAJOR, 'N', n, 1, LU, n, pivots, y, n), 0);
  const double size = cblas_dnrm2(n, compact, 1), scale = norm * size + cblas_dnrm2(n, rhs, 1);
  cblas_dgemv(CblasColMajor, CblasNoTrans, n, n, -1.0, J, n, compact, 1, 1.0, rhs, 1);
  const double residual = cblas_dnrm2(n, rhs, 1);
  cblas_daxpy(n, -1.0, compact, 1, y, 1);
  const double distance = cblas_dnrm2(n, y, 1), share = 1e-13;
  if (!(residual <= share * scale)) fail_msg("residual %g, allowed %g", residual, share * scale);
  if (!(distance <= share * size / rcond)) fail_msg("off by %g, allowed %g", distance, share * size / rcond);
  ts_arena_restore(&b->arena, mark);
}

static void assert_mechanism(const mechanism *m, uint64_t seed)
{
  built b;
  ts_random random;
  ts_random_init(&random, seed + 1000);
  build(&b, m, seed);
  ts_newton_system *system = ts_newton_system_create(&b.p, INFINITY, &b.arena);
  for (int round = 0; round < 4; ++round) { // one analysis serves many factorizations
    draw_blocks(&b, system, &random, round % 2 == 1);
    assert_solves(&b, system, &random, round < 2 ? 1e-8 : 1e-3);
  }
  ts_arena_release(&b.arena);
}

static void small_systems_are_solved(void **state)
{
  (void)state;
  for (int d = 2; d <= 4; ++d)
    for (int contacts = 1; contacts * d <= 24; ++contacts)
      assert_mechanism(&(mechanism){d, contacts, 1 + contacts / 2, BODIES, contacts % 2}, (uint64_t)contacts);
}

static void contact_space_solves(void **state)
{
  (void)state;
  for (int d = 2; d <= 4; ++d)
    for (int c = 0; c < COUPLINGS; ++c)
      for (uint64_t seed = 1; seed <= 3; ++seed) assert_mechanism(&(mechanism){d, 30, 20, (coupling)c, false}, seed);
}

// Many contacts on few bodies: body space is the cheaper one.
static void body_space_solves(void **state)
{
  (void)state;
  for (int d = 2; d <= 4; ++d)
    for (int c = 0; c < COUPLINGS; ++c)
      for (uint64_t seed = 1; seed <= 3; ++seed) assert_mechanism(&(mechanism){d, 40, 8, (coupling)c, true}, seed);
}

// Few contacts on many bodies, handed over but not the cheaper ones.
static void bodies_may_be_left_aside(void **state)
{
  (void)state;
  for (int c = 0; c < COUPLINGS; ++c) assert_mechanism(&(mechanism){3, 14, 30, (coupling)c, true}, 5);
}

static void all_contacts_open_is_the_identity(void **state)
{
  (void)state;
  for (int space = 0; space < 3; ++space) {
    const mechanism m = {3, space == 0 ? 5 : 40, 8, BODIES, space == 2};
    built b;
    build(&b, &m, 9);
    ts_newton_system *system = ts_newton_system_create(&b.p, INFINITY, &b.arena);
    double *x = ts_arena_zeros(&b.arena, b.p.length);
    for (int i = 0; i < m.contacts; ++i)
      for (int k = 0; k < 9; ++k) {
        ts_newton_system_A(system, i)[k] = k % 4 == 0;
        ts_newton_system_B(system, i)[k] = 0.0;
      }
    for (int k = 0; k < 3 * m.contacts; ++k) x[k / 3 * 4 + k % 3] = k + 1.0;
    assert_true(ts_newton_system_factor(system, 1e-8));
    ts_newton_system_solve(system, x);
    for (int k = 0; k < 3 * m.contacts; ++k) assert_true(x[k / 3 * 4 + k % 3] == k + 1.0);
    ts_arena_release(&b.arena);
  }
}

int main(void)
{
  const struct CMUnitTest tests[] = {
      cmocka_unit_test(small_systems_are_solved),
      cmocka_unit_test(contact_space_solves),
      cmocka_unit_test(body_space_solves),
      cmocka_unit_test(bodies_may_be_left_aside),
      cmocka_unit_test(all_contacts_open_is_the_identity),
  };
  return cmocka_run_group_tests(tests, NULL, NULL);
}
