// Block LU against dense LAPACK on random symmetric patterns with unsymmetric values.
#include "math/block_lu.h"

#include "base/random.h"
#include "math/dense.h"

#include <stdarg.h>
#include <stddef.h>
#include <setjmp.h>
#include <stdint.h>
#include <math.h>
#include <string.h>
#include <cmocka.h>

typedef struct block_graph {
  int nodes, scalars;
  int *size, *first, *start, *index;
} block_graph;

// A random graph: a path for connectivity on request, and `extra` random edges.
static block_graph random_graph(ts_random *random, int nodes, int largest, int extra, bool path, ts_arena *arena)
{
  const size_t n = (size_t)nodes;
  block_graph g = {.nodes = nodes, .size = ts_arena_ints(arena, n), .first = ts_arena_ints(arena, n + 1)};
  char *adjacent = ts_arena_bytes(arena, n * n, 1);
  memset(adjacent, 0, n * n);
  for (int i = 0; i < nodes; ++i) {
    g.size[i] = 1 + ts_random_below(random, largest);
    g.first[i] = g.scalars;
    g.scalars += g.size[i];
    if (path && i > 0) adjacent[i * nodes + i - 1] = adjacent[(i - 1) * nodes + i] = 1;
  }
  for (int e = 0; e < extra; ++e) {
    const int i = ts_random_below(random, nodes), j = ts_random_below(random, nodes);
    adjacent[i * nodes + j] = adjacent[j * nodes + i] = 1;
  }
  g.start = ts_arena_ints(arena, n + 1);
  g.index = ts_arena_ints(arena, n * n);
  int filled = 0;
  for (int i = 0; i < nodes; ++i) {
    g.start[i] = filled;
    for (int j = 0; j < nodes; ++j)
      if (adjacent[i * nodes + j]) g.index[filled++] = j;
  }
  g.start[nodes] = filled;
  return g;
}

// Fill block (i, j) with random numbers, in the factor's place and in the dense copy.
static void fill_block(const ts_block_lu *lu, const block_graph *g, int i, int j, double shift, ts_random *random,
                       double *dense)
{
  const ts_block_place place = ts_block_lu_place(lu, i, j);
  for (int c = 0; c < g->size[j]; ++c)
    for (int r = 0; r < g->size[i]; ++r) {
      const double value = ts_random_uniform(random, -1.0, 1.0) + (i == j && r == c ? shift : 0.0);
      place.value[r * place.row_stride + c * place.column_stride] += value;
      dense[(g->first[j] + c) * g->scalars + g->first[i] + r] = value;
    }
}

static double solve_both(const block_graph *g, double shift, ts_random *random, ts_arena *arena)
{
  const size_t n = (size_t)g->scalars;
  ts_block_lu *lu = ts_block_lu_analyze(g->nodes, g->size, g->start, g->index, arena);
  double *dense = ts_arena_zeros(arena, n * n), *x = ts_arena_doubles(arena, n), *y = ts_arena_doubles(arena, n);
  int *pivots = ts_arena_ints(arena, n);
  double worst = 0.0;
  for (int repeat = 0; repeat < 2; ++repeat) { // the second factorization reuses the analysis
    ts_block_lu_clear(lu);
    memset(dense, 0, n * n * sizeof *dense);
    for (int i = 0; i < g->nodes; ++i) {
      fill_block(lu, g, i, i, shift, random, dense);
      for (int k = g->start[i]; k < g->start[i + 1]; ++k)
        if (g->index[k] != i) fill_block(lu, g, i, g->index[k], 0.0, random, dense);
    }
    for (size_t i = 0; i < n; ++i) x[i] = y[i] = ts_random_normal(random);
    assert_int_equal(ts_block_lu_factor(lu, 1e-14), 0);
    ts_block_lu_solve(lu, x);
    assert_true(ts_lu_factor(g->scalars, dense, pivots));
    ts_lu_solve(g->scalars, dense, pivots, y);
    for (size_t i = 0; i < n; ++i) worst = fmax(worst, fabs(x[i] - y[i]));
  }
  return worst;
}

static void agrees_with_dense_lu(void **state)
{
  (void)state;
  ts_random random;
  ts_random_init(&random, 7);
  for (int round = 0; round < 300; ++round) {
    ts_arena arena;
    ts_arena_init(&arena, NULL);
    const int nodes = 1 + ts_random_below(&random, 40), largest = 1 + ts_random_below(&random, 6);
    const block_graph g =
        random_graph(&random, nodes, largest, ts_random_below(&random, 3 * nodes + 1), round % 2, &arena);
    // Diagonally dominant enough that exchanging rows inside pivot blocks only is stable.
    assert_true(solve_both(&g, 3.0 + 0.2 * g.scalars, &random, &arena) < 1e-11);
    ts_arena_release(&arena);
  }
}

static void a_dense_graph_is_one_pivoted_lu(void **state)
{
  (void)state;
  ts_random random;
  ts_random_init(&random, 8);
  ts_arena arena;
  ts_arena_init(&arena, NULL);
  const block_graph g = random_graph(&random, 50, 5, 20000, true, &arena);
  assert_true(solve_both(&g, 30.0, &random, &arena) < 1e-10);
  ts_arena_release(&arena);
}

static void replaces_pivots_of_a_singular_matrix(void **state)
{
  (void)state;
  ts_arena arena;
  ts_arena_init(&arena, NULL);
  const int size[] = {1, 1}, start[] = {0, 1, 2}, index[] = {1, 0};
  ts_block_lu *lu = ts_block_lu_analyze(2, size, start, index, &arena);
  ts_block_lu_clear(lu);
  for (int i = 0; i < 2; ++i)
    for (int j = 0; j < 2; ++j) *ts_block_lu_place(lu, i, j).value = 1.0;
  assert_int_equal(ts_block_lu_factor(lu, 1e-10), 1);
  double x[] = {2.0, 2.0};
  ts_block_lu_solve(lu, x);
  assert_true(fabs(x[0] + x[1] - 2.0) < 1e-9);
  ts_block_lu_clear(lu);
  *ts_block_lu_place(lu, 0, 0).value = NAN;
  *ts_block_lu_place(lu, 1, 1).value = 1.0;
  assert_int_equal(ts_block_lu_factor(lu, 1e-10), -1);
  ts_arena_release(&arena);
}

static void a_large_factorization_stops_at_its_deadline(void **state)
{
  (void)state;
  enum { NODES = 100, SIZE = 6 };
  ts_arena arena;
  ts_arena_init(&arena, NULL);
  int size[NODES], start[NODES + 1], *index = ts_arena_ints(&arena, NODES * NODES);
  for (int i = 0; i <= NODES; ++i) start[i] = i * NODES;
  for (int k = 0; k < NODES * NODES; ++k) index[k] = k % NODES;
  for (int i = 0; i < NODES; ++i) size[i] = SIZE;
  ts_block_lu *lu = ts_block_lu_analyze(NODES, size, start, index, &arena);
  static const struct {
    double deadline;
    int result;
  } cases[] = {{0.0, -1}, {INFINITY, 0}};
  for (size_t k = 0; k < sizeof cases / sizeof cases[0]; ++k) {
    ts_block_lu_clear(lu);
    for (int i = 0; i < NODES; ++i) {
      const ts_block_place place = ts_block_lu_place(lu, i, i);
      for (int r = 0; r < SIZE; ++r) place.value[r * (place.row_stride + place.column_stride)] = 1.0;
    }
    ts_block_lu_set_deadline(lu, cases[k].deadline);
    assert_int_equal(ts_block_lu_factor(lu, 1e-10), cases[k].result);
  }
  ts_arena_release(&arena);
}

static void an_empty_matrix_is_no_trouble(void **state)
{
  (void)state;
  ts_arena arena;
  ts_arena_init(&arena, NULL);
  const int start[] = {0};
  ts_block_lu *lu = ts_block_lu_analyze(0, NULL, start, NULL, &arena);
  ts_block_lu_clear(lu);
  assert_int_equal(ts_block_lu_factor(lu, 1e-10), 0);
  ts_block_lu_solve(lu, NULL);
  ts_arena_release(&arena);
}

int main(void)
{
  const struct CMUnitTest tests[] = {
      cmocka_unit_test(agrees_with_dense_lu),
      cmocka_unit_test(a_dense_graph_is_one_pivoted_lu),
      cmocka_unit_test(replaces_pivots_of_a_singular_matrix),
      cmocka_unit_test(a_large_factorization_stops_at_its_deadline),
      cmocka_unit_test(an_empty_matrix_is_no_trouble),
  };
  return cmocka_run_group_tests(tests, NULL, NULL);
}
