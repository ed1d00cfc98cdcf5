// The piecewise linear path: every corner lies on it, its end solves the linear problem, both storages walk the same
// way, and it says so when it cannot start or leaves to infinity.
#include "counting_allocator.h"
#include "complementarity/newton/path.h"

#include "base/random.h"
#include "math/dense.h"
#include "math/matrix.h"
#include "mcp_generator.h"

#include <math.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <string.h>
#include <cmocka.h>

enum { N = 25 };

typedef struct start_point {
  double x[N], z[N], F[N], r[N];
} start_point;

static ts_run make_run(ts_arena *arena)
{
  return (ts_run){.arena = arena, .deadline = INFINITY, .limit = 1};
}

static void complete(ts_mcp_view *view, start_point *p)
{
  memcpy(p->z, p->x, (size_t)view->size * sizeof *p->z);
  ts_mcp_view_project(view, p->z);
  assert_true(ts_mcp_view_evaluate(view, p->z, p->F));
  for (int i = 0; i < view->size; ++i) p->r[i] = p->F[i] + (p->x[i] - p->z[i]);
}

// Largest component of F(P(x)) + x - P(x) - (1 - t) r, F being affine.
static double distance_from_path(ts_mcp_view *view, const start_point *p, const double *x, double t)
{
  start_point q;
  memcpy(q.x, x, (size_t)view->size * sizeof *x);
  complete(view, &q);
  double worst = 0.0;
  for (int i = 0; i < view->size; ++i) worst = fmax(worst, fabs(q.r[i] - (1.0 - t) * p->r[i]));
  return worst;
}

static void corners_lie_on_the_path_and_its_end_is_the_solution(void **state)
{
  ts_arena *arena = *state;
  for (int seed = 1; seed <= 20; ++seed) {
    ts_arena_reset(arena);
    mcp_instance *instance = mcp_generate(MCP_SPARSE_P, N, (uint64_t)seed);
    const ts_run run = make_run(arena);
    ts_random random;
    ts_random_init(&random, (uint64_t)seed);
    start_point p;
    for (int i = 0; i < N; ++i) p.x[i] = 3.0 * ts_random_normal(&random);
    int pivots[2] = {0};
    for (int sparse = 0; sparse < 2; ++sparse) {
      ts_mcp_view view;
      ts_path path;
      ts_mcp_view_init(&view, mcp_instance_problem(instance), sparse ? TS_STORE_SPARSE : TS_STORE_DENSE, arena);
      ts_path_init(&path, &view, &run);
      complete(&view, &p);
      ts_path_pieces(&view, p.x, path.piece);
      assert_int_equal(ts_path_follow(&path, p.z, p.F, p.r, 0.0, 10000), TS_PATH_COMPLETE);
      for (int k = 0; k < path.count; ++k)
        assert_true(distance_from_path(&view, &p, ts_path_point(&path, k), path.point_t[k]) < 1e-9);
      assert_true(path.point_t[path.count - 1] == 1.0);
      double z[N];
      memcpy(z, ts_path_point(&path, path.count - 1), sizeof z);
      ts_mcp_view_project(&view, z);
      for (int i = 0; i < N; ++i) assert_true(fabs(z[i] - mcp_instance_solution(instance)[i]) < 1e-9);
      pivots[sparse] = path.pivots;
    }
    assert_int_equal(pivots[0], pivots[1]);
    mcp_instance_destroy(instance);
  }
}

// F(z) = z - (1, 2, ..., n), from x = -5: variable i leaves its bound at t = 5 / (i + 5). All corners are kept as long
// as there is room, then every second, every fourth and so on, and always the end.
static void corners_are_thinned_out_evenly(void **state)
{
  enum { MOST = 120 };
  ts_arena *arena = *state;
  static const int sizes[] = {1, 10, 23, 24, 25, 30, 60, MOST};
  for (size_t k = 0; k < sizeof sizes / sizeof *sizes; ++k) {
    ts_arena_reset(arena);
    const int n = sizes[k];
    double *M = ts_arena_zeros(arena, (size_t)n * (size_t)n), q[MOST], x[MOST], z[MOST], F[MOST], r[MOST];
    for (int i = 0; i < n; ++i) {
      M[i * n + i] = 1.0;
      q[i] = F[i] = -(i + 1.0);
      x[i] = -5.0;
      z[i] = 0.0;
      r[i] = F[i] + x[i];
    }
    const ts_problem problem = ts_problem_lcp((ts_lcp){n, {n, n, NULL, NULL, M}, q});
    const ts_run run = make_run(arena);
    ts_mcp_view view;
    ts_path path;
    ts_mcp_view_init(&view, &problem, TS_STORE_AUTO, arena);
    ts_path_init(&path, &view, &run);
    ts_path_pieces(&view, x, path.piece);
    assert_true(ts_mcp_view_evaluate(&view, z, F));
    assert_int_equal(ts_path_follow(&path, z, F, r, 0.0, 1000), TS_PATH_COMPLETE);
    assert_int_equal(path.pivots, n + 1); // and the one that ends it
    if (n <= TS_PATH_POINTS)
      assert_int_equal(path.count, n + 1);
    else
      assert_in_range(path.count, TS_PATH_POINTS / 2 + 1, TS_PATH_POINTS + 1);
    int last = 0, stride = 0; // corner j, from 1 on, is where variable n + 1 - j leaves its bound
    for (int c = 0; c < path.count - 1; ++c) {
      const int corner = n + 1 - (int)lround(5.0 / path.point_t[c] - 5.0);
      assert_true(corner > last && (c < 2 || corner - last <= 2 * stride));
      if (c > 0) stride = corner - last;
      last = corner;
    }
    assert_true(path.point_t[path.count - 1] == 1.0);
  }
}

// With a shift the path is that of F + shift (z - z_k), whose solution it ends in.
static void a_shift_is_centred_at_the_start(void **state)
{
  ts_arena *arena = *state;
  ts_arena_reset(arena);
  const double M[] = {0.0}, q[] = {-1.0}, low[] = {-10.0}, high[] = {10.0};
  const ts_problem problem = ts_problem_mlcp((ts_mlcp){1, {1, 1, NULL, NULL, M}, q, low, high});
  const ts_run run = make_run(arena);
  ts_mcp_view view;
  ts_path path;
  start_point p = {.x = {2.0}};
  ts_mcp_view_init(&view, &problem, TS_STORE_AUTO, arena);
  ts_path_init(&path, &view, &run);
  complete(&view, &p);
  ts_path_pieces(&view, p.x, path.piece);
  assert_int_equal(ts_path_follow(&path, p.z, p.F, p.r, 0.0, 100), TS_PATH_SINGULAR);
  assert_int_equal(ts_path_follow(&path, p.z, p.F, p.r, 0.5, 100), TS_PATH_COMPLETE);
  assert_true(fabs(ts_path_point(&path, path.count - 1)[0] - 4.0) < 1e-14); // -1 + (z - 2)/2 = 0
  // A smaller shift ends at the bound: z = 10, s = 1 - 0.05 (10 - 2) = 0.6.
  assert_int_equal(ts_path_follow(&path, p.z, p.F, p.r, 0.05, 100), TS_PATH_COMPLETE);
  assert_true(fabs(ts_path_point(&path, path.count - 1)[0] - 10.6) < 1e-14);
}

static void a_path_without_end_is_a_ray(void **state)
{
  ts_arena *arena = *state;
  ts_arena_reset(arena);
  const double M[] = {-1.0}, q[] = {-1.0};
  const ts_problem problem = ts_problem_lcp((ts_lcp){1, {1, 1, NULL, NULL, M}, q});
  const ts_run run = make_run(arena);
  ts_mcp_view view;
  ts_path path;
  start_point p = {.x = {-1.0}};
  ts_mcp_view_init(&view, &problem, TS_STORE_AUTO, arena);
  ts_path_init(&path, &view, &run);
  complete(&view, &p);
  ts_path_pieces(&view, p.x, path.piece);
  assert_int_equal(ts_path_follow(&path, p.z, p.F, p.r, 0.0, 100), TS_PATH_RAY);
  assert_true(path.ray[0] > 0.0);
}

// On one piece the Newton step is the end of the path.
static void a_newton_step_ends_where_the_path_does(void **state)
{
  ts_arena *arena = *state;
  ts_arena_reset(arena);
  const double M[] = {2.0, 1.0, 0.0, 2.0}, q[] = {-3.0, -3.0};
  const ts_problem problem = ts_problem_lcp((ts_lcp){2, {2, 2, NULL, NULL, M}, q});
  const ts_run run = make_run(arena);
  ts_mcp_view view;
  ts_path path;
  start_point p = {.x = {1.0, 1.0}};
  double next[2];
  ts_mcp_view_init(&view, &problem, TS_STORE_AUTO, arena);
  ts_path_init(&path, &view, &run);
  complete(&view, &p);
  ts_path_pieces(&view, p.x, path.piece);
  assert_true(ts_path_newton(&path, p.z, p.F, p.r, 0.0, next));
  assert_true(fabs(next[0] - 1.5) < 1e-14 && fabs(next[1] - 0.75) < 1e-14);
}

static void kinks_belong_to_the_inner_piece(void **state)
{
  ts_arena *arena = *state;
  ts_arena_reset(arena);
  const double M[36] = {0}, q[6] = {0};
  const double low[] = {0, 0, 1, -INFINITY, 0, 0}, high[] = {1, 1, 1, INFINITY, 1, 1};
  const ts_problem problem = ts_problem_mlcp((ts_mlcp){6, {6, 6, NULL, NULL, M}, q, low, high});
  ts_mcp_view view;
  ts_mcp_view_init(&view, &problem, TS_STORE_AUTO, arena);
  const double x[] = {0.0, 1.0, 1.0, 5.0, -0.1, 1.1};
  const ts_map_piece expected[] = {TS_PIECE_BETWEEN, TS_PIECE_BETWEEN, TS_PIECE_LOWER,
                                   TS_PIECE_BETWEEN, TS_PIECE_LOWER,   TS_PIECE_UPPER};
  ts_map_piece piece[6];
  ts_path_pieces(&view, x, piece);
  assert_memory_equal(piece, expected, sizeof piece);
}

// Exchanges against a fresh factorization, dense and sparse.
static void exchanged_bases_solve_like_fresh_ones(void **state)
{
  ts_arena *arena = *state;
  ts_random random;
  ts_random_init(&random, 8);
  for (int sparse = 0; sparse < 2; ++sparse) {
    ts_arena_reset(arena);
    mcp_instance *instance = mcp_generate(MCP_SPARSE_P, N, 17);
    ts_mcp_view view;
    ts_path_basis worn, fresh;
    double cover[N], alpha[N], x[N], y[N];
    int columns[N];
    ts_mcp_view_init(&view, mcp_instance_problem(instance), sparse ? TS_STORE_SPARSE : TS_STORE_DENSE, arena);
    ts_path_basis_init(&worn, &view.J, arena);
    ts_path_basis_init(&fresh, &view.J, arena);
    for (int i = 0; i < N; ++i) {
      cover[i] = ts_random_normal(&random);
      columns[i] = ts_path_basis_unit(&worn, i);
    }
    worn.cover = fresh.cover = cover;
    worn.shift = fresh.shift = 0.25;
    assert_true(ts_path_basis_factor(&worn, columns));
    for (int k = 0; k < 40; ++k) {
      const int position = ts_random_below(&random, N);
      const int other = columns[position] < N ? ts_path_basis_unit(&worn, position) : position;
      const int entering = k == 20 ? ts_path_basis_cover(&worn) : other;
      if (columns[position] == ts_path_basis_cover(&worn)) continue;
      ts_path_basis_column(&worn, entering, alpha);
      ts_path_basis_solve(&worn, alpha);
      if (fabs(alpha[position]) < 1e-3) continue;
      ts_path_basis_exchange(&worn, position, alpha);
      columns[position] = entering;
      assert_true(ts_path_basis_factor(&fresh, columns));
      for (int i = 0; i < N; ++i) x[i] = y[i] = sin(i + k);
      ts_path_basis_solve(&worn, x);
      ts_path_basis_solve(&fresh, y);
      for (int i = 0; i < N; ++i) assert_true(fabs(x[i] - y[i]) < 1e-8 * (1.0 + fabs(y[i])));
    }
    assert_true(worn.updates > 20);
    mcp_instance_destroy(instance);
  }
}

int main(void)
{
  const struct CMUnitTest tests[] = {
      cmocka_unit_test(corners_lie_on_the_path_and_its_end_is_the_solution),
      cmocka_unit_test(corners_are_thinned_out_evenly),
      cmocka_unit_test(a_shift_is_centred_at_the_start),
      cmocka_unit_test(a_path_without_end_is_a_ray),
      cmocka_unit_test(a_newton_step_ends_where_the_path_does),
      cmocka_unit_test(kinks_belong_to_the_inner_piece),
      cmocka_unit_test(exchanged_bases_solve_like_fresh_ones),
  };
  return cmocka_run_group_tests(tests, make_arena, release_arena);
}
