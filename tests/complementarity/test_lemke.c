// Lemke's method: closed forms, published problems with their solutions, degenerate and infeasible ones, bounds, free
// variables in singular blocks, warm starts, limits.
#include "counting_allocator.h"
#include "lcp_generator.h"
#include "linear_run.h"
#include "shared_data.h"

#include <dirent.h>
#include <math.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <cmocka.h>

#define INF ((double)INFINITY)

static void assert_solution(linear_run *run, const ts_problem *problem, const double *expected, double tolerance)
{
  assert_int_equal(linear_run_solve(run, "lemke", problem), TS_SOLVED);
  assert_true(run->report.residual <= 1e-14);
  assert_true(largest_difference((int)ts_problem_size(problem), run->z, expected) <= tolerance);
}

// ---- closed forms --------------------------------------------------------------------------------------------------

static void two_by_two(void **state)
{
  const ts_problem problem = dense_lcp(2, (double[]){2, 1, 1, 2}, (double[]){-5, -6});
  assert_solution(*state, &problem, (double[]){4.0 / 3.0, 7.0 / 3.0}, 1e-15);
}

static void indefinite_matrix_with_one_solution(void **state) // Cottle, Pang and Stone, example 4.4.7
{
  const double M[] = {0, 2, -1, -1, 0, 1, 2, -2, 0}; // by columns
  const ts_problem problem = dense_lcp(3, M, (double[]){-3, 6, -1});
  assert_solution(*state, &problem, (double[]){0, 1, 3}, 1e-15);
}

static void nothing_to_do(void **state)
{
  linear_run *run = *state;
  const double none = 0.0;
  const ts_problem empty = dense_lcp(0, &none, &none), feasible = dense_lcp(1, (double[]){-1}, (double[]){0});
  assert_int_equal(linear_run_solve(run, "lemke", &empty), TS_SOLVED);
  assert_int_equal(linear_run_solve(run, "lemke", &feasible), TS_SOLVED);
  assert_int_equal(run->report.iterations, 0);
}

// All ratios tie, and without a rule for ties the pivots can repeat for ever (Kostreva 1979).
static void kostreva_does_not_cycle(void **state)
{
  const ts_problem problem = dense_lcp(3, (double[]){1, 0, 2, 2, 1, 0, 0, 2, 1}, (double[]){-1, -1, -1});
  assert_solution(*state, &problem, (double[]){1.0 / 3.0, 1.0 / 3.0, 1.0 / 3.0}, 1e-15);
}

// M has ones on and twos above the diagonal, q_i = 2^(i+1) - 2^(n+1) (Murty 1988, chapter 6): 2^n pivots with the
// covering vector of ones, and z = (0, ..., 0, 2^n).
static void exponential_path_is_followed_to_its_end(void **state)
{
  enum { N = 12 };
  double M[N * N] = {0}, q[N], expected[N] = {0};
  for (int j = 0; j < N; ++j) {
    for (int i = 0; i <= j; ++i) M[j * N + i] = i == j ? 1.0 : 2.0;
    q[j] = ldexp(1.0, j + 1) - ldexp(1.0, N + 1);
  }
  expected[N - 1] = ldexp(1.0, N);
  const ts_problem problem = dense_lcp(N, M, q);
  assert_solution(*state, &problem, expected, 0.0);
}

// Every positive covering vector ends on a ray at once (Cottle, Pang and Stone, example 4.4.23).
static void bimatrix_game_is_solved_from_another_basis(void **state)
{
  const double M[] = {0, 0, 10, 30, 0, 0, 20, 15, 10, 30, 0, 0, 20, 15, 0, 0};
  const double solutions[3][4] = {
      {0.1, 0, 0.1, 0}, {0, 1.0 / 15.0, 0, 1.0 / 15.0}, {1.0 / 90.0, 2.0 / 45.0, 1.0 / 90.0, 2.0 / 45.0}};
  const ts_problem problem = dense_lcp(4, M, (double[]){-1, -1, -1, -1});
  linear_run *run = *state;
  assert_int_equal(linear_run_solve(run, "lemke", &problem), TS_SOLVED);
  double nearest = INF;
  for (int k = 0; k < 3; ++k) nearest = fmin(nearest, largest_difference(4, run->z, solutions[k]));
  assert_true(nearest <= 1e-15);
}

// ---- bounds and free variables -------------------------------------------------------------------------------------

static void every_kind_of_bound(void **state)
{
  double M[36] = {0};
  for (int i = 0; i < 6; ++i) M[7 * i] = 2.0;
  const double q[] = {-2, -8, 8, 4, -6, 100};
  const double lower[] = {-INF, 0, -1, -INF, -INF, 3}, upper[] = {INF, 3, 5, -1, 2, 3};
  const ts_problem problem = dense_mlcp(6, M, q, lower, upper); // z = mid(lower, -q/2, upper)
  assert_solution(*state, &problem, (double[]){1, 3, -1, -2, 2, 3}, 1e-15);
}

// The block of the free variable is 0: v = 1 from its equation, then w_v = 2 - u = 0.
static void free_variable_without_diagonal(void **state)
{
  const double M[] = {0, -1, 1, 0};
  const ts_problem problem = dense_mlcp(2, M, (double[]){-1, 2}, (double[]){-INF, 0}, (double[]){INF, INF});
  assert_solution(*state, &problem, (double[]){2, 1}, 1e-15);
}

static void redundant_equations_are_harmless(void **state)
{
  linear_run *run = *state;
  const double M[] = {1, 1, 0, 1, 1, 0, 0, 0, 1}, lower[] = {-INF, -INF, 0}, upper[] = {INF, INF, INF};
  const ts_problem consistent = dense_mlcp(3, M, (double[]){-2, -2, -1}, lower, upper);
  assert_int_equal(linear_run_solve(run, "lemke", &consistent), TS_SOLVED);
  assert_true(fabs(run->z[0] + run->z[1] - 2.0) <= 1e-15 && run->z[2] == 1.0);
  const ts_problem contradictory = dense_mlcp(3, M, (double[]){-2, -3, -1}, lower, upper);
  assert_int_not_equal(linear_run_solve(run, "lemke", &contradictory), TS_SOLVED);
  for (int i = 0; i < 3; ++i) assert_true(isfinite(run->z[i]));
}

// Ideal diodes: the block of the free variables is singular in exact arithmetic, yet the problem is sound. Built
// backwards: A = [M_ff C; -C^T B] with M_ff of low rank.
static void singular_free_blocks(void **state)
{
  enum { FREE = 6, BOUNDED = 8, N = FREE + BOUNDED };
  for (uint64_t seed = 0; seed < 200; ++seed) {
    lcp_instance noise = lcp_generate(LCP_PSD, N, seed), definite = lcp_generate(LCP_SPD, N, seed);
    double M[N * N], q[N], lower[N], upper[N], z[N];
    for (int j = 0; j < N; ++j) {
      lower[j] = j < FREE ? -INF : 0.0;
      upper[j] = INF;
      z[j] = j < FREE ? definite.lcp.q[j] : fmax(0.0, definite.lcp.q[j]);
      for (int i = 0; i < N; ++i) { // free block: rank 2
        const double x = definite.lcp.M.value[j * N + i];
        const bool above = i < FREE && j >= FREE;
        M[j * N + i] = i < FREE && j < FREE ? (i % 3 == j % 3 && i % 3 < 2 ? 1.0 : 0.0) : above ? -x : x;
      }
    }
    for (int i = 0; i < N; ++i) {
      q[i] = i < FREE || z[i] > 0.0 ? 0.0 : fabs(noise.lcp.q[i]);
      for (int j = 0; j < N; ++j) q[i] -= M[j * N + i] * z[j];
    }
    const ts_problem problem = dense_mlcp(N, M, q, lower, upper);
    linear_run *run = *state;
    if (linear_run_solve(run, "lemke", &problem) != TS_SOLVED) fail_msg("seed %d", (int)seed);
    lcp_instance_release(&noise);
    lcp_instance_release(&definite);
  }
}

// ---- published problems --------------------------------------------------------------------------------------------

// One line "name size=... " and its solutions "  z = ..." of reference_solutions.txt.
static bool matches_reference(const char *path, const char *name, int n, const double *z)
{
  FILE *file = fopen(path, "r");
  assert_non_null(file);
  static char line[16384];
  bool here = false, matched = false;
  while (fgets(line, sizeof line, file)) {
    if (line[0] != ' ') {
      here = strncmp(line, name, strlen(name)) == 0 && line[strlen(name)] == ' ';
      continue;
    }
    if (!here) continue;
    char *rest = strchr(line, '=') + 1;
    double largest = 0.0, size = 0.0;
    for (int i = 0; i < n; ++i) {
      const double expected = strtod(rest, &rest);
      largest = fmax(largest, fabs(expected - z[i]));
      size = fmax(size, fabs(expected));
    }
    matched |= largest <= 1e-8 * size;
  }
  fclose(file);
  return matched;
}

// The listed solution of this one is wrong by 3e-6: tests/data has the exact one.
static bool matches_exact_deltasigma(const double *z)
{
  FILE *file = fopen(TEST_DATA "/deltasigma_exact.txt", "r");
  assert_non_null(file);
  char line[256];
  double largest = 0.0;
  for (int i = 0; fgets(line, sizeof line, file);)
    if (line[0] != '#') largest = fmax(largest, fabs(strtod(line, NULL) - z[i++]));
  fclose(file);
  return largest <= 1e-8;
}

static void solve_folder(linear_run *run, const char *folder)
{
  char path[512], reference[512];
  snprintf(reference, sizeof reference, "%s/reference_solutions.txt", folder);
  DIR *entries = opendir(folder);
  if (!entries) fail_msg("%s is absent", folder);
  for (const struct dirent *entry; (entry = readdir(entries));) {
    if (!strstr(entry->d_name, ".dat") || strstr(entry->d_name, "Rectangular")) continue;
    snprintf(path, sizeof path, "%s/%s", folder, entry->d_name);
    ts_problem_file *file = NULL;
    ts_error error;
    assert_int_equal(ts_problem_file_read(path, &file, &error), TS_OK);
    const ts_problem *problem = ts_problem_file_problem(file);
    const ts_outcome outcome = linear_run_solve(run, "lemke", problem);
    if (strstr(entry->d_name, "perturbed")) { // has no solution
      assert_int_equal(outcome, TS_RAY);
    } else {
      if (outcome != TS_SOLVED || run->report.residual > 1e-13)
        fail_msg("%s: %s, residual %g", entry->d_name, ts_outcome_name(outcome), run->report.residual);
      if (strstr(entry->d_name, "deltasigma")
              ? !matches_exact_deltasigma(run->z)
              : !matches_reference(reference, entry->d_name, (int)ts_problem_size(problem), run->z))
        fail_msg("%s: none of the listed solutions", entry->d_name);
    }
    ts_problem_file_destroy(file);
  }
  closedir(entries);
}

static void lcp_files_match_their_solutions(void **state)
{
  solve_folder(*state, TEST_DATA "/problems/lcp");
}

static void mlcp_files_match_their_solutions(void **state)
{
  solve_folder(*state, TEST_DATA "/problems/mlcp");
}

static void deltasigma_matches_its_solution(void **state)
{
  solve_folder(*state, SHARED_DATA "/data/mlcp");
}

static void relay_files_are_solved(void **state)
{
  static const char *const names[] = {"relay1",   "relay_2x2", "relay_4x4", "relay_simple2",
                                      "step_1x1", "step_2x2",  "step_4x4"};
  linear_run *run = *state;
  for (size_t k = 0; k < sizeof names / sizeof names[0]; ++k) {
    char path[512];
    snprintf(path, sizeof path, TEST_DATA "/problems/lcp/relay/%s.dat", names[k]);
    ts_problem_file *file = NULL;
    assert_int_equal(ts_problem_file_read(path, &file, NULL), TS_OK);
    if (linear_run_solve(run, "lemke", ts_problem_file_problem(file)) != TS_SOLVED) fail_msg("%s", names[k]);
    assert_true(run->report.residual <= 1e-11); // relay1 is a stiff beam: eps |M| |z| is 1e-11 of |q|
    ts_problem_file_destroy(file);
  }
}

// ---- friction pyramids ---------------------------------------------------------------------------------------------

// Column or row of the friction LCP that component c of a contact goes to, with its signs: r_n, or the two directions
// +t and -t.
static int pyramid_places(int c, int *place, double *sign)
{
  place[0] = c == 0 ? 0 : 2 * c - 1;
  place[1] = 2 * c;
  sign[0] = 1.0;
  sign[1] = -1.0;
  return c == 0 ? 1 : 2;
}

// M of 0 <= (r_n, beta, sigma), 6 a contact: [W_dd E; mu - 1^T 0] (000 eq. 22), dense by columns.
static void fill_pyramid(const ts_friction *p, double *M, double *q)
{
  const int n = 6 * p->contacts;
  for (int i = 0; i < p->contacts; ++i) {
    for (int k = p->W.start[i]; k < p->W.start[i + 1]; ++k)
      for (int e = 0; e < 9; ++e) {
        int row[2], column[2];
        double row_sign[2], column_sign[2];
        const int rows = pyramid_places(e % 3, row, row_sign), columns = pyramid_places(e / 3, column, column_sign);
        for (int b = 0; b < columns; ++b)
          for (int a = 0; a < rows; ++a)
            M[(6 * p->W.index[k] + column[b]) * n + 6 * i + row[a]] =
                row_sign[a] * column_sign[b] * p->W.value[9 * k + e];
      }
    for (int d = 1; d <= 4; ++d) {
      M[(6 * i + 5) * n + 6 * i + d] = 1.0;
      M[(6 * i + d) * n + 6 * i + 5] = -1.0;
      q[6 * i + d] = (d % 2 ? 1.0 : -1.0) * p->q[3 * i + (d + 1) / 2];
    }
    M[6 * i * n + 6 * i + 5] = p->mu[i];
    q[6 * i] = p->q[3 * i];
  }
}

static void friction_pyramids_of_piles(void **state)
{
  static const char *const names[] = {"K0005_impact", "K0005_rest",   "K0016_impact",
                                      "K0016_rest",   "K0064_impact", "K0064_rest"};
  linear_run *run = *state;
  for (size_t k = 0; k < sizeof names / sizeof names[0]; ++k) {
    char path[512];
    snprintf(path, sizeof path, TEST_DATA "/problems/piles/fc3d_np_%s.txt", names[k]);
    ts_problem_file *file = NULL;
    assert_int_equal(ts_problem_file_read(path, &file, NULL), TS_OK);
    const ts_friction *friction = &ts_problem_file_problem(file)->friction;
    const int n = 6 * friction->contacts;
    double *M = calloc((size_t)n * (size_t)n, sizeof *M), *q = calloc((size_t)n, sizeof *q);
    assert_true(M && q);
    fill_pyramid(friction, M, q);
    const ts_problem problem = dense_lcp(n, M, q);
    assert_int_equal(linear_run_solve(run, "lemke", &problem), TS_SOLVED);
    assert_true(run->report.residual <= 1e-13);
    free(M);
    free(q);
    ts_problem_file_destroy(file);
  }
}

// ---- rays, limits, warm starts -------------------------------------------------------------------------------------

static void ray_of_an_infeasible_problem(void **state)
{
  linear_run *run = *state;
  const ts_problem problem = dense_lcp(2, (double[]){0, 1, -1, 0}, (double[]){1, -1});     // -z2 + 1 >= 0, z1 - 1 >= 0
  const ts_problem infeasible = dense_lcp(2, (double[]){0, -1, 1, 0}, (double[]){-1, -1}); // z2 >= 1, -z1 >= 1
  assert_int_equal(linear_run_solve(run, "lemke", &problem), TS_SOLVED);
  assert_false(run->report.ray_found);
  assert_int_equal(linear_run_solve(run, "lemke", &infeasible), TS_RAY);
  assert_true(run->report.ray_found);
  assert_true(run->ray[0] >= 0.0 && run->ray[1] > 0.0); // u = (0, 1): M^T u = (-1, 0), q.u = -1
}

// Rounding errors of the inverse used to hide these rays: the path went on to z of size 1e11.
static void rays_that_look_like_long_steps(void **state)
{
  static const struct {
    int size, seed;
  } cases[] = {{140, 1835}, {171, 1925}, {158, 4889}, {186, 4965}};
  linear_run *run = *state;
  for (size_t k = 0; k < sizeof cases / sizeof cases[0]; ++k) {
    lcp_instance one = lcp_generate(LCP_INFEASIBLE, cases[k].size, (uint64_t)cases[k].seed);
    const ts_problem problem = ts_problem_lcp(one.lcp);
    assert_int_equal(linear_run_solve(run, "lemke", &problem), TS_RAY);
    lcp_instance_release(&one);
  }
}

static void badly_scaled_problems_keep_their_accuracy(void **state)
{
  linear_run *run = *state;
  enum { N = 30 };
  for (uint64_t seed = 0; seed < 50; ++seed) {
    lcp_instance one = lcp_generate(LCP_P, N, seed);
    ts_problem problem = ts_problem_lcp(one.lcp);
    double M[N * N], q[N], expected[N];
    assert_int_equal(linear_run_solve(run, "lemke", &problem), TS_SOLVED);
    memcpy(expected, run->z, sizeof expected);
    for (int j = 0; j < N; ++j) { // rows times 10^(3 - j%7), columns times 10^(j%9 - 4), so z over the latter
      q[j] = one.lcp.q[j] * pow(10.0, 3 - j % 7);
      for (int i = 0; i < N; ++i) M[j * N + i] = one.lcp.M.value[j * N + i] * pow(10.0, 3 - i % 7 + j % 9 - 4);
    }
    problem = dense_lcp(N, M, q);
    assert_int_equal(linear_run_solve(run, "lemke", &problem), TS_SOLVED);
    for (int j = 0; j < N; ++j)
      assert_true(fabs(run->z[j] * pow(10.0, j % 9 - 4) - expected[j]) <= 1e-12 * (1.0 + expected[j]));
    lcp_instance_release(&one);
  }
}

static void warm_start_at_the_solution_needs_no_pivot(void **state)
{
  linear_run *run = *state;
  lcp_instance one = lcp_generate(LCP_P, 60, 7);
  const ts_problem problem = ts_problem_lcp(one.lcp);
  assert_int_equal(linear_run_solve(run, "lemke", &problem), TS_SOLVED);
  const int cold = run->report.iterations;
  run->options.warm_start = true;
  assert_int_equal(linear_run_solve(run, "lemke", &problem), TS_SOLVED);
  assert_int_equal(run->report.iterations, 0);
  for (int i = 0; i < 60; ++i) ((double *)one.lcp.q)[i] *= 1.0 + 0.02 * (i % 3); // a problem next to it
  assert_int_equal(linear_run_solve(run, "lemke", &problem), TS_SOLVED);
  assert_true(run->report.iterations < cold / 2);
  for (int i = 0; i < 60; ++i) run->z[i] = i % 2 ? 100.0 : 0.0; // a bad one does no harm
  assert_int_equal(linear_run_solve(run, "lemke", &problem), TS_SOLVED);
  run->options.warm_start = false;
  lcp_instance_release(&one);
}

static void limits_are_kept(void **state)
{
  linear_run *run = *state;
  lcp_instance one = lcp_generate(LCP_PSD, 100, 3);
  const ts_problem problem = ts_problem_lcp(one.lcp);
  run->options.max_iterations = 5;
  assert_int_equal(linear_run_solve(run, "lemke", &problem), TS_ITERATION_LIMIT);
  assert_int_equal(run->report.iterations, 5);
  for (int i = 0; i < 100; ++i) assert_true(isfinite(run->z[i]) && run->z[i] >= 0.0);
  run->options.max_iterations = 0;
  run->options.time_limit = 1e-9;
  assert_int_equal(linear_run_solve(run, "lemke", &problem), TS_TIME_LIMIT);
  run->options.time_limit = INF;
  lcp_instance_release(&one);
}

// ---- storage, memory, repeatability --------------------------------------------------------------------------------

static void sparse_and_dense_storage_agree(void **state)
{
  linear_run *run = *state;
  enum { N = 80 };
  for (uint64_t seed = 0; seed < 30; ++seed) {
    lcp_instance one = lcp_generate(LCP_P, N, seed);
    double M[N * N], expected[N];
    for (int k = 0; k < N * N; ++k) // a band: the diagonal stays dominant
      M[k] = abs(k / N - k % N) <= 4 ? one.lcp.M.value[k] : 0.0;
    const ts_problem dense = dense_lcp(N, M, one.lcp.q);
    ts_problem sparse = sparse_copy(&dense);
    assert_int_equal(linear_run_solve(run, "lemke", &dense), TS_SOLVED);
    memcpy(expected, run->z, sizeof expected);
    assert_int_equal(linear_run_solve(run, "lemke", &sparse), TS_SOLVED);
    assert_true(largest_difference(N, run->z, expected) <= 1e-13);
    sparse_copy_release(&sparse);
    lcp_instance_release(&one);
  }
}

static void warm_workspace_allocates_nothing_and_repeats_the_bits(void **state)
{
  (void)state;
  allocation_count count = UNLIMITED_ALLOCATIONS;
  int before = 0;
  const ts_allocator allocator = counting_allocator(&count);
  ts_workspace *workspace = ts_workspace_create(&allocator);
  const ts_solve_options options = ts_solve_options_default();
  lcp_instance one = lcp_generate(LCP_DEGENERATE, 120, 5);
  const ts_problem problem = ts_problem_lcp(one.lcp);
  double z[3][120];
  for (int k = 0; k < 3; ++k) {
    ts_report report = {0};
    before = count.calls;
    assert_int_equal(ts_solve(ts_solver_find("lemke"), &problem, &options, workspace, z[k], &report, NULL), TS_OK);
    assert_int_equal(report.outcome, TS_SOLVED);
  }
  assert_int_equal(count.calls, before);
  assert_memory_equal(z[0], z[1], sizeof z[0]);
  assert_memory_equal(z[0], z[2], sizeof z[0]);
  lcp_instance_release(&one);
  ts_workspace_destroy(workspace);
}

// Random matrices of no class: whatever happens, the outcome agrees with the certificate and z is finite.
static void arbitrary_matrices_end_honestly(void **state)
{
  linear_run *run = *state;
  int solved = 0;
  for (uint64_t seed = 0; seed < 500; ++seed) {
    const int n = 1 + (int)(seed % 40);
    mlcp_instance one = mlcp_generate(n, seed);
    double *M = (double *)one.mlcp.M.value;
    for (int k = 0; k < n * n; ++k) // no sign, no symmetry, many zeros
      M[k] = (k * 7919 + (int)seed) % 3 == 0 ? 0.0 : M[(k * 31 + 17) % (n * n)] - 0.2;
    const ts_problem problem = ts_problem_mlcp(one.mlcp);
    const ts_outcome outcome = linear_run_solve(run, "lemke", &problem);
    const double residual = ts_problem_residual(&problem, run->z);
    assert_true(isfinite(residual));
    assert_int_equal(outcome == TS_SOLVED, residual <= run->options.tolerance);
    solved += outcome == TS_SOLVED;
    mlcp_instance_release(&one);
  }
  assert_true(solved > 100);
}

int main(int argc, char **argv)
{
  const struct CMUnitTest tests[] = {
      cmocka_unit_test(two_by_two),
      cmocka_unit_test(indefinite_matrix_with_one_solution),
      cmocka_unit_test(nothing_to_do),
      cmocka_unit_test(kostreva_does_not_cycle),
      cmocka_unit_test(exponential_path_is_followed_to_its_end),
      cmocka_unit_test(bimatrix_game_is_solved_from_another_basis),
      cmocka_unit_test(every_kind_of_bound),
      cmocka_unit_test(free_variable_without_diagonal),
      cmocka_unit_test(redundant_equations_are_harmless),
      cmocka_unit_test(singular_free_blocks),
      cmocka_unit_test(lcp_files_match_their_solutions),
      cmocka_unit_test(mlcp_files_match_their_solutions),
      cmocka_unit_test(relay_files_are_solved),
      cmocka_unit_test(friction_pyramids_of_piles),
      cmocka_unit_test(ray_of_an_infeasible_problem),
      cmocka_unit_test(rays_that_look_like_long_steps),
      cmocka_unit_test(badly_scaled_problems_keep_their_accuracy),
      cmocka_unit_test(warm_start_at_the_solution_needs_no_pivot),
      cmocka_unit_test(limits_are_kept),
      cmocka_unit_test(sparse_and_dense_storage_agree),
      cmocka_unit_test(warm_workspace_allocates_nothing_and_repeats_the_bits),
      cmocka_unit_test(arbitrary_matrices_end_honestly),
  };
  const struct CMUnitTest shared_tests[] = {cmocka_unit_test(deltasigma_matches_its_solution)};
  if (asks_for_shared(argc, argv)) return run_shared_tests(shared_tests, linear_run_setup, linear_run_teardown);
  return cmocka_run_group_tests(tests, linear_run_setup, linear_run_teardown);
}
