// Block Cholesky against dense LAPACK: definite matrices, singular ones built as Gram matrices of dependent vectors,
// half solutions, and the cost of chains.
#include "math/block_cholesky.h"

#include "base/random.h"
#include "math/dense.h"

#include <stdarg.h>
#include <stddef.h>
#include <setjmp.h>
#include <stdbool.h>
#include <stdint.h>
#include <math.h>
#include <string.h>
#include <cmocka.h>

#include "gives_back.h"

// A graph, and a symmetric matrix with blocks on its nodes and edges.
typedef struct sample {
  int nodes, scalars, *size, *first, *start, *index;
  double *A; // dense
} sample;

static int edge_count(const sample *s)
{
  return s->start[s->nodes];
}

static void random_edges(ts_random *random, int nodes, int extra, bool path, sample *s, ts_arena *arena)
{
  const size_t n = (size_t)nodes;
  char *adjacent = ts_arena_bytes(arena, n * n, 1);
  memset(adjacent, 0, n * n);
  for (int i = 1; path && i < nodes; ++i) adjacent[i * nodes + i - 1] = adjacent[(i - 1) * nodes + i] = 1;
  for (int e = 0; e < extra; ++e) {
    const int i = ts_random_below(random, nodes), j = ts_random_below(random, nodes);
    if (i != j) adjacent[i * nodes + j] = adjacent[j * nodes + i] = 1;
  }
  s->start = ts_arena_ints(arena, n + 1);
  s->index = ts_arena_ints(arena, n * n);
  int filled = 0;
  for (int i = 0; i < nodes; ++i) {
    s->start[i] = filled;
    for (int j = 0; j < nodes; ++j)
      if (adjacent[i * nodes + j]) s->index[filled++] = j;
  }
  s->start[nodes] = filled;
}

static sample random_sample(ts_random *random, int nodes, int largest, int extra, bool path, ts_arena *arena)
{
  sample s = {
      .nodes = nodes, .size = ts_arena_ints(arena, (size_t)nodes), .first = ts_arena_ints(arena, (size_t)nodes)};
  for (int i = 0; i < nodes; ++i) {
    s.first[i] = s.scalars;
    s.size[i] = 1 + ts_random_below(random, largest);
    s.scalars += s.size[i];
  }
  random_edges(random, nodes, extra, path, &s, arena);
  const size_t n = (size_t)s.scalars;
  s.A = ts_arena_zeros(arena, n * n);
  return s;
}

// Random blocks between neighbours, and a diagonal that dominates them.
static void make_definite(ts_random *random, const sample *s)
{
  const int n = s->scalars;
  for (int i = 0; i < s->nodes; ++i)
    for (int e = s->start[i]; e < s->start[i + 1]; ++e)
      for (int r = s->first[i]; r < s->first[i] + s->size[i]; ++r)
        for (int c = s->first[s->index[e]]; c < s->first[s->index[e]] + s->size[s->index[e]]; ++c)
          s->A[r * n + c] = s->A[c * n + r] = ts_random_uniform(random, -1.0, 1.0);
  for (int i = 0; i < s->nodes; ++i)
    for (int r = s->first[i]; r < s->first[i] + s->size[i]; ++r)
      for (int c = s->first[i]; c < r; ++c) s->A[r * n + c] = s->A[c * n + r] = ts_random_uniform(random, -1.0, 1.0);
  for (int r = 0; r < n; ++r) {
    double sum = 0.1;
    for (int c = 0; c < n; ++c) sum += fabs(s->A[r * n + c]);
    s->A[r * n + r] = sum;
  }
}

static void add_block(const ts_block_cholesky *f, const sample *s, int i, int j)
{
  double block[64];
  for (int c = 0; c < s->size[j]; ++c)
    for (int r = 0; r < s->size[i]; ++r)
      block[c * s->size[i] + r] = s->A[(s->first[j] + c) * s->scalars + s->first[i] + r];
  ts_block_cholesky_add(f, i, j, block);
}

// Off-diagonal blocks are added from above or from below the diagonal, as it comes.
static ts_block_cholesky factor_sample(ts_random *random, const sample *s, double relative, int *dropped,
                                       ts_arena *arena)
{
  const ts_block_cholesky f = ts_block_cholesky_analyze(s->nodes, s->size, s->start, s->index, arena);
  assert_int_equal(f.scalars, s->scalars);
  double *thresholds = ts_arena_doubles(arena, (size_t)s->nodes);
  for (int i = 0; i < s->nodes; ++i) {
    thresholds[i] = relative;
    add_block(&f, s, i, i);
    for (int e = s->start[i]; e < s->start[i + 1]; ++e) {
      const int j = s->index[e];
      if (j > i) continue;
      const bool swap = ts_random_below(random, 2);
      add_block(&f, s, swap ? j : i, swap ? i : j);
    }
  }
  bool *flags = ts_arena_bytes(arena, (size_t)s->scalars, sizeof *flags);
  memset(flags, 0, (size_t)s->scalars * sizeof *flags);
  assert_gives_back(arena, ts_block_cholesky_factor(&f, thresholds, flags, arena));
  *dropped = 0;
  for (int i = 0; i < s->scalars; ++i) *dropped += flags[i];
  return f;
}

static void agrees_with_dense_cholesky(void **state)
{
  (void)state;
  ts_random random;
  ts_random_init(&random, 11);
  for (int round = 0; round < 300; ++round) {
    ts_arena arena;
    ts_arena_init(&arena, NULL);
    const int nodes = 1 + ts_random_below(&random, 30), extra = ts_random_below(&random, 2 * nodes + 1);
    const sample s = random_sample(&random, nodes, 1 + ts_random_below(&random, 7), extra, round % 2, &arena);
    const size_t n = (size_t)s.scalars;
    make_definite(&random, &s);
    int dropped;
    const ts_block_cholesky f = factor_sample(&random, &s, 1e-14, &dropped, &arena);
    assert_int_equal(dropped, 0);
    double *x = ts_arena_doubles(&arena, n), *y = ts_arena_doubles(&arena, n);
    for (size_t i = 0; i < n; ++i) x[i] = y[i] = ts_random_normal(&random);
    assert_gives_back(&arena, ts_block_cholesky_solve(&f, x, &arena));
    assert_true(ts_cholesky_factor(s.scalars, s.A));
    ts_cholesky_solve(s.scalars, s.A, y);
    for (size_t i = 0; i < n; ++i) assert_true(fabs(x[i] - y[i]) <= 1e-12 * (1.0 + fabs(y[i])));
    ts_arena_release(&arena);
  }
}

// H^T A^-1 H of two right-hand sides on one or two nodes each, by half solutions and by LAPACK.
static void half_solutions_give_the_products(void **state)
{
  (void)state;
  ts_random random;
  ts_random_init(&random, 12);
  for (int round = 0; round < 200; ++round) {
    ts_arena arena;
    ts_arena_init(&arena, NULL);
    const int nodes = 2 + ts_random_below(&random, 30);
    const sample s = random_sample(&random, nodes, 6, ts_random_below(&random, nodes), round % 2, &arena);
    make_definite(&random, &s);
    int dropped;
    const ts_block_cholesky f = factor_sample(&random, &s, 1e-14, &dropped, &arena);
    const size_t n = (size_t)s.scalars;
    const int start[2] = {ts_random_below(&random, nodes), ts_random_below(&random, nodes)};
    int *place = ts_arena_ints(&arena, (size_t)nodes);
    const ts_block_reach reach = ts_block_cholesky_reach(&f, 2, start, place, &arena);
    double *X = ts_arena_zeros(&arena, 2 * (size_t)reach.scalars), *H = ts_arena_zeros(&arena, 2 * n);
    for (int column = 0; column < 2; ++column)
      for (int c = 0; c < s.size[start[column]]; ++c) {
        const double value = ts_random_normal(&random);
        H[(size_t)column * n + (size_t)(s.first[start[column]] + c)] = value;
        X[column * reach.scalars + place[f.position[start[column]]] + c] = value;
      }
    ts_block_cholesky_half_solve(&f, &reach, place, 2, X);
    double *Y = ts_arena_doubles(&arena, 2 * n);
    memcpy(Y, H, 2 * n * sizeof *Y);
    assert_true(ts_cholesky_factor(s.scalars, s.A));
    for (int column = 0; column < 2; ++column) ts_cholesky_solve(s.scalars, s.A, Y + (size_t)column * n);
    for (int a = 0; a < 2; ++a)
      for (int b = 0; b < 2; ++b) {
        double half = 0.0, full = 0.0;
        for (int i = 0; i < reach.scalars; ++i) half += X[a * reach.scalars + i] * X[b * reach.scalars + i];
        for (size_t i = 0; i < n; ++i) full += H[(size_t)a * n + i] * Y[(size_t)b * n + i];
        assert_true(fabs(half - full) <= 1e-12 * (1.0 + fabs(full)));
      }
    for (int t = 1; t < reach.count; ++t) assert_true(reach.position[t] > reach.position[t - 1]);
    ts_arena_release(&arena);
  }
}

// A = J J^T with fewer columns than rows: as many pivots are dropped as the rank lacks, and consistent systems are
// solved.
static void drops_what_is_dependent(void **state)
{
  (void)state;
  ts_random random;
  ts_random_init(&random, 13);
  for (int round = 0; round < 100; ++round) {
    ts_arena arena;
    ts_arena_init(&arena, NULL);
    const int nodes = 2 + ts_random_below(&random, 6);
    const sample s = random_sample(&random, nodes, 6, 10000, true, &arena); // complete
    const int n = s.scalars, rank = 1 + ts_random_below(&random, n);
    double *J = ts_arena_doubles(&arena, (size_t)(n * rank)), *x = ts_arena_zeros(&arena, (size_t)n);
    double *b = ts_arena_zeros(&arena, (size_t)n);
    for (int i = 0; i < n * rank; ++i) J[i] = ts_random_normal(&random);
    for (int r = 0; r < n; ++r)
      for (int c = 0; c < n; ++c)
        for (int k = 0; k < rank; ++k) s.A[r * n + c] += J[r * rank + k] * J[c * rank + k];
    for (int k = 0; k < rank; ++k) {
      const double weight = ts_random_normal(&random);
      for (int r = 0; r < n; ++r) b[r] += J[r * rank + k] * weight;
    }
    memcpy(x, b, (size_t)n * sizeof *x);
    int dropped;
    const ts_block_cholesky f = factor_sample(&random, &s, 1e-10, &dropped, &arena);
    assert_int_equal(dropped, n - rank);
    assert_gives_back(&arena, ts_block_cholesky_solve(&f, x, &arena));
    for (int r = 0; r < n; ++r) {
      double left = b[r];
      for (int c = 0; c < n; ++c) left -= s.A[r * n + c] * x[c];
      assert_true(fabs(left) < 1e-6);
    }
    ts_arena_release(&arena);
  }
}

// Minimum degree leaves a chain without fill: one block below each but the last, in one path.
static void a_chain_has_no_fill(void **state)
{
  (void)state;
  ts_random random;
  ts_random_init(&random, 14);
  ts_arena arena;
  ts_arena_init(&arena, NULL);
  const sample s = random_sample(&random, 200, 6, 0, true, &arena);
  assert_int_equal(edge_count(&s), 398);
  const ts_block_cholesky f = ts_block_cholesky_analyze(s.nodes, s.size, s.start, s.index, &arena);
  assert_int_equal(f.start[f.nodes], 199);
  ts_arena_release(&arena);
}

static void takes_zero_and_nan(void **state)
{
  (void)state;
  ts_arena arena;
  ts_arena_init(&arena, NULL);
  const int size[1] = {2}, start[2] = {0, 0};
  const double relative[1] = {1e-14}, bad[4] = {0.0, 0.0, 0.0, NAN};
  const ts_block_cholesky f = ts_block_cholesky_analyze(1, size, start, NULL, &arena);
  ts_block_cholesky_add(&f, 0, 0, bad);
  bool dropped[2] = {false, false};
  ts_block_cholesky_factor(&f, relative, dropped, &arena);
  assert_true(dropped[0] && dropped[1]);
  double x[2] = {3.0, 4.0};
  assert_gives_back(&arena, ts_block_cholesky_solve(&f, x, &arena));
  assert_true(x[0] == 0.0 && x[1] == 0.0);
  ts_arena_release(&arena);
}

// What the caller drops is as if it were not there.
static void drops_what_it_is_told(void **state)
{
  (void)state;
  ts_arena arena;
  ts_arena_init(&arena, NULL);
  const int size[2] = {2, 1}, start[3] = {0, 1, 2}, index[2] = {1, 0};
  const double relative[2] = {1e-14, 1e-14}, A[4] = {4.0, 1.0, 1.0, 3.0}, B[2] = {1.0, 0.5}, D[1] = {2.0};
  const ts_block_cholesky f = ts_block_cholesky_analyze(2, size, start, index, &arena);
  for (int round = 0; round < 2; ++round) {
    ts_block_cholesky_clear(&f);
    ts_block_cholesky_add(&f, 0, 0, A);
    ts_block_cholesky_add(&f, 0, 1, B);
    ts_block_cholesky_add(&f, 1, 1, D);
    bool dropped[3] = {true, false, false};
    ts_block_cholesky_factor(&f, relative, dropped, &arena);
    assert_true(dropped[0] && !dropped[1] && !dropped[2]);
    double x[3] = {7.0, 1.0, 2.0}; // 3 y + z/2 = 1, y/2 + 2 z = 2
    assert_gives_back(&arena, ts_block_cholesky_solve(&f, x, &arena));
    assert_true(x[0] == 0.0 && fabs(x[1] - 1.0 / 5.75) < 1e-15 && fabs(x[2] - 5.5 / 5.75) < 1e-15);
  }
  ts_arena_release(&arena);
}

int main(void)
{
  const struct CMUnitTest tests[] = {
      cmocka_unit_test(agrees_with_dense_cholesky), cmocka_unit_test(half_solutions_give_the_products),
      cmocka_unit_test(drops_what_is_dependent),    cmocka_unit_test(a_chain_has_no_fill),
      cmocka_unit_test(takes_zero_and_nan),         cmocka_unit_test(drops_what_it_is_told),
  };
  return cmocka_run_group_tests(tests, NULL, NULL);
}
