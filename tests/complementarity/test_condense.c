// Condensing against dense algebra: W = H^T M^-1 H and the rest by LU of the whole M, for bodies apart, bodies coupled
// through M, dense and sparse storage, with and without bilateral rows.
#include "counting_allocator.h"
#include "shared_data.h"
#include "complementarity/problem/condense.h"

#include "touchstone/certificate.h"
#include "touchstone/lowering.h"
#include "touchstone/problem_file.h"

#include "base/random.h"
#include "math/dense.h"
#include "math/matrix.h"
#include "math/sparse.h"

#include <math.h>
#include <stdarg.h>
#include <stddef.h>
#include <setjmp.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <cmocka.h>

// ---- problems ------------------------------------------------------------------------------------------------------

typedef enum mass_kind { DIAGONAL, ONE_BLOCK_A_BODY, CHAIN, FULL } mass_kind;

typedef struct shape {
  int dimension, bodies, dofs, contacts, bilaterals;
  mass_kind mass;
  bool dense;
} shape;

static double *dense_mass(const shape *s, ts_random *random, ts_arena *arena)
{
  const int n = s->bodies * s->dofs;
  double *M = ts_arena_zeros(arena, (size_t)n * (size_t)n);
  for (int i = 0; i < n; ++i)
    for (int j = 0; j <= i; ++j) {
      const int apart = abs(i / s->dofs - j / s->dofs);
      const bool coupled =
          s->mass == FULL || (s->mass == CHAIN && apart <= 1) || (s->mass == ONE_BLOCK_A_BODY && !apart);
      if (i == j) M[i * n + i] += 0.5 + ts_random_uniform(random, 0.0, 1.0);
      if (i == j || !coupled) continue;
      const double a = 0.1 * ts_random_normal(random);
      M[i * n + j] = M[j * n + i] = a;
      M[i * n + i] += fabs(a);
      M[j * n + j] += fabs(a);
    }
  return M;
}

// Columns in groups of `width`; a group touches two bodies at random.
static double *dense_directions(const shape *s, int groups, int width, ts_random *random, ts_arena *arena)
{
  const int n = s->bodies * s->dofs;
  double *H = ts_arena_zeros(arena, (size_t)n * (size_t)(groups * width) + 1);
  for (int g = 0; g < groups; ++g)
    for (int side = 0; side < 2; ++side) {
      const int body = ts_random_below(random, s->bodies);
      for (int k = 0; k < width; ++k)
        for (int i = 0; i < s->dofs; ++i) H[(g * width + k) * n + body * s->dofs + i] += ts_random_normal(random);
    }
  return H;
}

static double *normals(size_t count, ts_random *random, ts_arena *arena)
{
  double *x = ts_arena_doubles(arena, count + 1);
  for (size_t k = 0; k < count; ++k) x[k] = ts_random_normal(random);
  return x;
}

static ts_matrix view(const double *dense, int rows, int columns, bool keep_dense, ts_arena *arena)
{
  const ts_matrix A = {rows, columns, NULL, NULL, dense};
  return keep_dense ? A : ts_matrix_compress(&A, arena);
}

static ts_global_friction make_problem(const shape *s, uint64_t seed, ts_arena *arena)
{
  ts_random random;
  ts_random_init(&random, seed);
  const int n = s->bodies * s->dofs, m = s->dimension * s->contacts;
  ts_global_friction p = {.dimension = s->dimension, .contacts = s->contacts, .bilaterals = s->bilaterals};
  p.M = view(dense_mass(s, &random, arena), n, n, s->dense, arena);
  p.H = view(dense_directions(s, s->contacts, s->dimension, &random, arena), n, m, s->dense, arena);
  p.G = view(dense_directions(s, s->bilaterals, 1, &random, arena), n, s->bilaterals, s->dense, arena);
  p.f = normals((size_t)n, &random, arena);
  p.w = normals((size_t)m, &random, arena);
  p.b = normals((size_t)s->bilaterals, &random, arena);
  double *mu = normals((size_t)s->contacts, &random, arena);
  for (int i = 0; i < s->contacts; ++i) mu[i] = fabs(mu[i]);
  p.mu = mu;
  return p;
}

// ---- the same by dense algebra -------------------------------------------------------------------------------------

typedef struct reference {
  int n, *pivots;
  double *LU;
} reference;

static reference factor_whole(const ts_matrix *M, ts_arena *arena)
{
  const size_t n = (size_t)M->rows;
  reference f = {M->rows, ts_arena_ints(arena, n), ts_arena_doubles(arena, n * n)};
  ts_matrix_to_dense(M, f.LU, n);
  assert_true(ts_lu_factor(f.n, f.LU, f.pivots));
  return f;
}

// A^T M^-1 B, dense.
static double *inner(const reference *f, const ts_matrix *A, const ts_matrix *B, ts_arena *arena)
{
  const size_t n = (size_t)f->n, rows = (size_t)A->columns, columns = (size_t)B->columns;
  double *X = ts_arena_doubles(arena, n * columns + 1), *P = ts_arena_zeros(arena, rows * columns + 1);
  ts_matrix_to_dense(B, X, n);
  for (size_t j = 0; j < columns; ++j) {
    ts_lu_solve(f->n, f->LU, f->pivots, X + j * n);
    ts_matrix_transpose_multiply_add(A, 1.0, X + j * n, P + j * rows);
  }
  return P;
}

static void assert_near(double a, double b)
{
  assert_true(fabs(a - b) <= 1e-11 * (1.0 + fabs(b)));
}

static void assert_same_matrix(const ts_matrix *A, const double *expected, ts_arena *arena)
{
  const size_t size = (size_t)A->rows * (size_t)A->columns;
  double *dense = ts_arena_doubles(arena, size + 1);
  ts_matrix_to_dense(A, dense, (size_t)A->rows);
  for (size_t k = 0; k < size; ++k) assert_near(dense[k], expected[k]);
}

static void assert_same_blocks(const ts_block_matrix *W, const double *expected, ts_arena *arena)
{
  const int d = W->block, m = W->rows * d;
  double *dense = ts_arena_zeros(arena, (size_t)m * (size_t)m + 1);
  for (int i = 0; i < W->rows; ++i)
    for (int k = W->start[i]; k < W->start[i + 1]; ++k)
      for (int c = 0; c < d; ++c)
        for (int r = 0; r < d; ++r) dense[(W->index[k] * d + c) * m + i * d + r] = W->value[k * d * d + c * d + r];
  for (int k = 0; k < m * m; ++k) assert_near(dense[k], expected[k]);
  for (int i = 0; i < m; ++i)
    for (int j = 0; j < i; ++j) assert_true(dense[i * m + j] == dense[j * m + i]); // exactly symmetric
}

static void assert_same_vector(const double *x, const double *product, const double *constant, int count)
{
  for (int k = 0; k < count; ++k) assert_near(x[k], product[k] + constant[k]);
}

static void assert_condenses(const shape *s, uint64_t seed)
{
  ts_arena arena;
  ts_arena_init(&arena, NULL);
  const ts_global_friction p = make_problem(s, seed, &arena);
  const reference whole = factor_whole(&p.M, &arena);
  const ts_matrix f = {p.M.rows, 1, NULL, NULL, p.f};
  const int m = s->dimension * s->contacts;

  ts_condensed *condensed = NULL;
  assert_int_equal(ts_condense(&p, &condensed, NULL), TS_OK);
  const ts_problem *problem = ts_condensed_problem(condensed);
  assert_int_equal(ts_problem_check(problem, NULL), TS_OK);
  const ts_friction *local = &problem->friction;
  assert_same_blocks(&local->W, inner(&whole, &p.H, &p.H, &arena), &arena);
  assert_same_vector(local->q, inner(&whole, &p.H, &f, &arena), p.w, m);
  if (s->bilaterals > 0) {
    assert_same_matrix(&local->V, inner(&whole, &p.H, &p.G, &arena), &arena);
    assert_same_matrix(&local->R, inner(&whole, &p.G, &p.G, &arena), &arena);
    assert_same_vector(local->s, inner(&whole, &p.G, &f, &arena), p.b, s->bilaterals);
  }
  const bool with_bodies = s->bilaterals == 0 && s->contacts >= TS_FEWEST_FOR_BODIES;
  assert_int_equal(local->bodies != NULL, with_bodies);
  if (with_bodies) {
    assert_non_null(local->bodies->M.start);
    assert_non_null(local->bodies->H.start);
  }

  ts_random random;
  ts_random_init(&random, seed + 1000);
  double *z = normals(ts_problem_size(problem), &random, &arena);
  const ts_problem global = ts_problem_global_friction(p);
  double *full = ts_arena_doubles(&arena, ts_problem_size(&global));
  ts_condensed_recover(condensed, z, full);
  ts_friction_measures measures, of_local;
  assert_int_equal(ts_friction_measure(&global, full, &measures), TS_OK);
  assert_int_equal(ts_friction_measure(problem, z, &of_local), TS_OK);
  assert_true(measures.equilibrium <= 1e-11);
  assert_near(measures.bilateral, of_local.bilateral);
  assert_near(measures.penetration_velocity, of_local.penetration_velocity);
  ts_condensed_destroy(condensed);
  ts_arena_release(&arena);
}

// ---- tests ---------------------------------------------------------------------------------------------------------

static void condensed_problems_agree_with_dense_algebra(void **state)
{
  (void)state;
  const shape shapes[] = {
      {3, 7, 6, 9, 0, DIAGONAL, false},
      {3, 7, 6, 9, 4, DIAGONAL, false},
      {3, 5, 6, 8, 3, ONE_BLOCK_A_BODY, false},
      {2, 6, 3, 7, 5, ONE_BLOCK_A_BODY, true},
      {4, 6, 6, 6, 2, CHAIN, false},
      {3, 12, 6, 3, 1, CHAIN, true},
      {3, 8, 4, 5, 3, FULL, false},
      {3, 3, 4, 5, 3, FULL, true},
      {2, 2, 3, 1, 0, FULL, true},
      {3, 4, 6, 0, 0, DIAGONAL, false},
      {3, 4, 6, 0, 3, CHAIN, true},
      {2, 40, 3, 60, 0, DIAGONAL, false},
      {3, 60, 6, 5, 2, CHAIN, false},
  };
  for (size_t k = 0; k < sizeof shapes / sizeof shapes[0]; ++k)
    for (uint64_t seed = 1; seed <= 3; ++seed) assert_condenses(&shapes[k], seed + 10 * k);
}

// Contact 1 touches nothing that moves, as between two fixed bodies: its diagonal block is there, and zero.
static void a_contact_without_bodies_keeps_its_diagonal_block(void **state)
{
  (void)state;
  const double M[] = {2, 0, 0, 4}, H[] = {1, 0, 0, 1, 0, 0, 0, 0}, f[] = {-1, 3}, w[] = {0, 0, 5, 6}, mu[] = {1, 1};
  const ts_global_friction p = {
      .dimension = 2, .contacts = 2, .M = {2, 2, NULL, NULL, M}, .H = {2, 4, NULL, NULL, H}, .f = f, .w = w, .mu = mu};
  ts_condensed *condensed = NULL;
  assert_int_equal(ts_condense(&p, &condensed, NULL), TS_OK);
  const ts_friction *local = &ts_condensed_problem(condensed)->friction;
  assert_int_equal(local->W.start[2], 2);
  const double W[] = {0.5, 0, 0, 0.25, 0, 0, 0, 0}, q[] = {-0.5, 0.75, 5, 6};
  for (int k = 0; k < 8; ++k) assert_near(local->W.value[k], W[k]);
  for (int k = 0; k < 4; ++k) assert_near(local->q[k], q[k]);
  ts_condensed_destroy(condensed);
}

// Symmetric but for round-off, in units whose squares vanish or overflow; half a matrix is none in any unit.
static void the_unit_of_mass_does_not_matter(void **state)
{
  (void)state;
  static const double units[] = {1e-200, 1.0, 1e200};
  for (size_t k = 0; k < sizeof units / sizeof units[0]; ++k)
    for (int half = 0; half < 2; ++half) {
      const double m = units[k], M[] = {2 * m, m, half ? 0.0 : m * (1.0 + 1e-14), 2 * m};
      const double H[] = {1, 0, 0, 1}, f[] = {0, 0}, mu[] = {0.5};
      const ts_global_friction p = {.dimension = 2,
                                    .contacts = 1,
                                    .M = {2, 2, NULL, NULL, M},
                                    .H = {2, 2, NULL, NULL, H},
                                    .f = f,
                                    .w = f,
                                    .mu = mu};
      ts_condensed *condensed = NULL;
      assert_int_equal(ts_condense(&p, &condensed, NULL), half ? TS_INVALID : TS_OK);
      ts_condensed_destroy(condensed);
    }
}

static void masses_that_are_none_are_refused_with_a_sentence(void **state)
{
  (void)state;
  const double matrices[][4] = {{1, 2, 2, 1}, {1, 0, 0, 0}, {1, 0, 0, -1}, {2, 0, 1, 2}, {1, 1, 1, 1}};
  const double H[] = {1, 0, 0, 1}, f[] = {0, 0}, mu[] = {0.5};
  for (int dense = 0; dense < 2; ++dense)
    for (size_t k = 0; k < sizeof matrices / sizeof matrices[0]; ++k) {
      ts_arena arena;
      ts_arena_init(&arena, NULL);
      const ts_global_friction p = {.dimension = 2,
                                    .contacts = 1,
                                    .M = view(matrices[k], 2, 2, dense, &arena),
                                    .H = {2, 2, NULL, NULL, H},
                                    .f = f,
                                    .w = f,
                                    .mu = mu};
      ts_error error = {0};
      ts_condensed *condensed = (ts_condensed *)&error;
      assert_int_equal(ts_condense(&p, &condensed, &error), TS_INVALID);
      assert_null(condensed);
      assert_non_null(strstr(error.text, "M is not"));
      ts_arena_release(&arena);
    }
}

// 2000 spheres and a few hundred contacts: blocks only where contacts share a body, and a second run in the same arena
// allocates nothing.
typedef struct spheres {
  int start[1069], index[1068 * 12], M_start[12001], M_index[12000], pair[356][2];
  double value[1068 * 12], M[12000], f[12000], w[1068], mu[356];
} spheres;

static ts_global_friction make_spheres(spheres *s)
{
  ts_random random;
  ts_random_init(&random, 5);
  for (int i = 0; i < 12000; ++i) {
    s->M_start[i] = s->M_index[i] = i;
    s->M[i] = i % 6 < 3 ? 1.0 : 0.4;
    s->f[i] = i % 6 == 2 ? -0.1 : 0.0;
  }
  s->M_start[12000] = 12000;
  s->start[0] = 0;
  int count = 0;
  for (int c = 0; c < 356; ++c) {
    s->mu[c] = 0.3;
    s->pair[c][0] = ts_random_below(&random, 1999);
    s->pair[c][1] = s->pair[c][0] + 1 + ts_random_below(&random, 1999 - s->pair[c][0]);
    for (int k = 0; k < 3; ++k) {
      for (int side = 0; side < 2; ++side)
        for (int i = 0; i < 6; ++i) {
          s->index[count] = 6 * s->pair[c][side] + i;
          s->value[count++] = ts_random_normal(&random);
        }
      s->start[3 * c + k + 1] = count;
      s->w[3 * c + k] = 0.0;
    }
  }
  return (ts_global_friction){.dimension = 3,
                              .contacts = 356,
                              .M = {12000, 12000, s->M_start, s->M_index, s->M},
                              .H = {12000, 1068, s->start, s->index, s->value},
                              .f = s->f,
                              .w = s->w,
                              .mu = s->mu};
}

static void many_bodies_give_blocks_only_where_contacts_share_one(void **state)
{
  (void)state;
  spheres *s = malloc(sizeof *s);
  assert_non_null(s);
  const ts_global_friction p = make_spheres(s);
  ts_arena arena;
  allocation_count count = UNLIMITED_ALLOCATIONS;
  const ts_allocator allocator = counting_allocator(&count);
  ts_arena_init(&arena, &allocator);
  ts_condensation c;
  for (int run = 0; run < 3; ++run) {
    ts_arena_reset(&arena);
    count.calls = 0;
    assert_int_equal(ts_condense_into(&p, false, &arena, &c, NULL), TS_OK);
  }
  assert_int_equal(count.calls, 0);
  int expected = 0;
  for (int i = 0; i < 356; ++i)
    for (int j = 0; j < 356; ++j) {
      const int *a = s->pair[i], *b = s->pair[j];
      expected += a[0] == b[0] || a[0] == b[1] || a[1] == b[0] || a[1] == b[1];
    }
  assert_int_equal(c.local.W.start[356], expected);
  ts_arena_release(&arena);
  free(s);
}

// ---- FCLIB ---------------------------------------------------------------------------------------------------------

// A global problem of the collection: condensed, a point of it, and that point with its velocities, have one figure
// where M is diagonal, and are in equilibrium whatever M is.
static void assert_file_condenses(const char *path, int dofs, int contacts, int blocks)
{
  ts_problem_file *file = NULL;
  ts_error error = {0};
  if (ts_problem_file_read(path, &file, &error) != TS_OK) fail_msg("%s: %s", path, error.text);
  const ts_problem *global = ts_problem_file_problem(file);
  assert_int_equal(global->global.M.rows, dofs);
  assert_int_equal(global->global.contacts, contacts);
  ts_condensed *condensed = NULL;
  assert_int_equal(ts_condense(&global->global, &condensed, NULL), TS_OK);
  const ts_problem *local = ts_condensed_problem(condensed);
  assert_int_equal(local->friction.W.start[contacts], blocks);
  double *z = malloc((ts_problem_size(local) + ts_problem_size(global)) * sizeof *z),
         *full = z + ts_problem_size(local);
  assert_non_null(z);
  for (size_t k = 0; k < ts_problem_size(local); ++k) z[k] = sin(3.0 * (double)k);
  ts_condensed_recover(condensed, z, full);
  ts_friction_measures a, b;
  assert_int_equal(ts_friction_measure(local, z, &a), TS_OK);
  assert_int_equal(ts_friction_measure(global, full, &b), TS_OK);
  assert_true(b.equilibrium <= 1e-12);
  assert_near(a.fclib, b.fclib);
  free(z);
  ts_condensed_destroy(condensed);
  ts_problem_file_destroy(file);
}

static void problems_of_fclib_condense(void **state)
{
  (void)state;
  assert_file_condenses(TEST_DATA "/problems/LMGC_GFC3D-i00001-1-00000.hdf5", 48, 1, 1);
  assert_file_condenses(TEST_DATA "/problems/LMGC_GlobalFrictionContactProblem00046.hdf5", 162, 9, 81); // elastic
  assert_file_condenses(TEST_DATA "/problems/CubeH8.hdf5", 162, 1, 1);
}

static void large_problems_of_fclib_condense(void **state)
{
  (void)state;
  assert_file_condenses(SHARED_DATA "/data/fclib/Spheres-i099-356-679.hdf5", 12000, 356, 816);
  assert_file_condenses(SHARED_DATA "/data/fclib/spheres-in-a-box-98-i10000-256-10.hdf5", 588, 256, 1936);
}

int main(int argc, char **argv)
{
  const struct CMUnitTest tests[] = {
      cmocka_unit_test(condensed_problems_agree_with_dense_algebra),
      cmocka_unit_test(a_contact_without_bodies_keeps_its_diagonal_block),
      cmocka_unit_test(masses_that_are_none_are_refused_with_a_sentence),
      cmocka_unit_test(the_unit_of_mass_does_not_matter),
      cmocka_unit_test(many_bodies_give_blocks_only_where_contacts_share_one),
      cmocka_unit_test(problems_of_fclib_condense),
  };
  const struct CMUnitTest shared_tests[] = {cmocka_unit_test(large_problems_of_fclib_condense)};
  if (asks_for_shared(argc, argv)) return run_shared_tests(shared_tests, NULL, NULL);
  return cmocka_run_group_tests(tests, NULL, NULL);
}
