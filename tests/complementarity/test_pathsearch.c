// pathsearch: everything that has a solution, from everywhere; a ray where there is none; and manners.
#include "base/random.h"
#include "newton_checks.h"
#include "shared_data.h"

#include "touchstone/builtin.h"
#include "touchstone/problem_file.h"

#include <math.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <cmocka.h>

static void random_problems_are_solved(void **state)
{
  (void)state;
  for (int class = 0; class < MCP_CLASS_COUNT; ++class) {
    assert_solves_random("pathsearch", (mcp_class) class, 1, 40);
    assert_solves_random("pathsearch", (mcp_class) class, 6, 40);
    assert_solves_random("pathsearch", (mcp_class) class, 40, 20);
  }
  assert_solves_random("pathsearch", MCP_SPARSE_P, 300, 3);
}

static void reference_files_are_solved(void **state)
{
  (void)state;
  assert_solves_reference_files("pathsearch", NULL);
}

static void deltasigma_is_solved(void **state)
{
  (void)state;
  assert_solves_deltasigma("pathsearch");
}

static void builtin_problems_are_solved_from_every_start(void **state)
{
  (void)state;
  assert_solves_builtins("pathsearch", 30, NULL);
}

// Billups' problem from 0, where descent methods end, with any seed.
static void the_local_minimum_of_billups_is_left(void **state)
{
  (void)state;
  ts_builtin *builtin;
  assert_int_equal(ts_builtin_create("billups", 0, &builtin, NULL), TS_OK);
  for (uint64_t seed = 1; seed <= 20; ++seed) {
    double z = 0.0;
    ts_solve_options options = ts_solve_options_default();
    options.seed = seed;
    const ts_report report = run_solver("pathsearch", ts_builtin_problem(builtin), &options, &z);
    assert_int_equal(report.outcome, TS_SOLVED);
    assert_true(fabs(z - (1.0 + sqrt(1.01))) < 1e-9);
  }
  ts_builtin_destroy(builtin);
}

// n = 10^4, both bounds active. The membrane's equation holds where neither obstacle is touched, by the definition of
// the problem; the certificate sees that. Few factorizations mean that the active set was found by the crash.
static void a_large_membrane_is_solved_in_few_factorizations(void **state)
{
  (void)state;
  const int grids[] = {50, 100};
  for (int g = 0; g < 2; ++g) {
    ts_builtin *builtin;
    assert_int_equal(ts_builtin_create("obstacle", grids[g], &builtin, NULL), TS_OK);
    const ts_problem *problem = ts_builtin_problem(builtin);
    const size_t n = ts_problem_size(problem);
    double *z = malloc(n * sizeof *z);
    ts_builtin_start(builtin, 0, z);
    ts_solve_options options = ts_solve_options_default();
    options.warm_start = true;
    const ts_report report = run_solver("pathsearch", problem, &options, z);
    assert_certified("pathsearch", problem, &report, z);
    assert_true(report.factorizations < 40);
    int lower = 0, upper = 0;
    for (size_t i = 0; i < n; ++i) {
      lower += z[i] == problem->mcp.lower[i];
      upper += z[i] == problem->mcp.upper[i];
    }
    assert_true(lower > 0 && upper > 0);
    free(z);
    ts_builtin_destroy(builtin);
  }
}

// -1 - z >= 0 for no z >= 0: the path leaves along z.
static void a_problem_without_solution_ends_on_a_ray(void **state)
{
  (void)state;
  const double M = -1.0, q = -1.0;
  const ts_problem none = ts_problem_lcp((ts_lcp){1, {1, 1, NULL, NULL, &M}, &q});
  double z = 0.0, ray = 0.0;
  ts_workspace *workspace = ts_workspace_create(NULL);
  const ts_solve_options options = ts_solve_options_default();
  ts_report report = {.ray = &ray};
  assert_int_equal(ts_solve(ts_solver_find("pathsearch"), &none, &options, workspace, &z, &report, NULL), TS_OK);
  assert_int_equal(report.outcome, TS_RAY);
  assert_true(report.ray_found && ray > 0.0);
  ts_workspace_destroy(workspace);
}

static void pang_s_perturbed_problem_is_not_claimed_to_be_solved(void **state)
{
  (void)state;
  ts_problem_file *file;
  static const char path[] = TEST_DATA "/problems/lcp/lcp_Pang_isolated_sol_perturbed.dat";
  assert_int_equal(ts_problem_file_read(path, &file, NULL), TS_OK);
  double z[3];
  const ts_report report = run_solver("pathsearch", ts_problem_file_problem(file), NULL, z);
  assert_int_not_equal(report.outcome, TS_SOLVED);
  assert_true(report.claimed > 1e-6);
  ts_problem_file_destroy(file);
}

static void nothing_is_solved_by_nothing(void **state)
{
  (void)state;
  const double nothing = 0.0;
  const ts_problem empty = ts_problem_lcp((ts_lcp){0, {0, 0, NULL, NULL, &nothing}, &nothing});
  double z = 0.0;
  assert_int_equal(run_solver("pathsearch", &empty, NULL, &z).outcome, TS_SOLVED);
}

static void manners(void **state)
{
  (void)state;
  assert_allocates_nothing_when_warm("pathsearch");
  assert_survives_lack_of_memory("pathsearch");
  assert_deterministic("pathsearch");
  assert_keeps_limits("pathsearch");
  assert_stays_at_a_solution("pathsearch");
  assert_survives_undefined_values("pathsearch");
}

// Any matrix, every variable between two bounds: there is a solution, for the box is compact. Descent does not find it;
// the path from outside the box does.
static void boxes_are_solved_whatever_the_matrix(void **state)
{
  (void)state;
  enum { SIZE = 24 };
  ts_workspace *workspace = ts_workspace_create(NULL);
  const ts_solve_options options = ts_solve_options_default();
  for (uint64_t seed = 1; seed <= 200; ++seed) {
    ts_random random;
    ts_random_init(&random, seed);
    double M[SIZE * SIZE], q[SIZE], low[SIZE], high[SIZE], z[SIZE] = {0.0};
    for (int i = 0; i < SIZE * SIZE; ++i) M[i] = ts_random_normal(&random);
    for (int i = 0; i < SIZE; ++i) {
      q[i] = ts_random_normal(&random);
      low[i] = -ts_random_uniform(&random, 0.1, 2.0);
      high[i] = ts_random_uniform(&random, 0.1, 2.0);
    }
    const ts_problem problem = ts_problem_mlcp((ts_mlcp){SIZE, {SIZE, SIZE, NULL, NULL, M}, q, low, high});
    ts_report report = {0};
    assert_int_equal(ts_solve(ts_solver_find("pathsearch"), &problem, &options, workspace, z, &report, NULL), TS_OK);
    if (report.outcome != TS_SOLVED) fail_msg("seed %d: %s", (int)seed, ts_outcome_name(report.outcome));
  }
  ts_workspace_destroy(workspace);
}

int main(int argc, char **argv)
{
  const struct CMUnitTest tests[] = {
      cmocka_unit_test(random_problems_are_solved),
      cmocka_unit_test(reference_files_are_solved),
      cmocka_unit_test(builtin_problems_are_solved_from_every_start),
      cmocka_unit_test(the_local_minimum_of_billups_is_left),
      cmocka_unit_test(a_large_membrane_is_solved_in_few_factorizations),
      cmocka_unit_test(a_problem_without_solution_ends_on_a_ray),
      cmocka_unit_test(pang_s_perturbed_problem_is_not_claimed_to_be_solved),
      cmocka_unit_test(nothing_is_solved_by_nothing),
      cmocka_unit_test(manners),
      cmocka_unit_test(boxes_are_solved_whatever_the_matrix),
  };
  const struct CMUnitTest shared_tests[] = {cmocka_unit_test(deltasigma_is_solved)};
  if (asks_for_shared(argc, argv)) return run_shared_tests(shared_tests, NULL, NULL);
  return cmocka_run_group_tests(tests, NULL, NULL);
}
