// fb-rlm and fb-plm: random problems with known solutions, reference files, the built-in problems, and manners.
#include "newton_checks.h"
#include "shared_data.h"

#include <math.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdlib.h>
#include <cmocka.h>

static const char *const solvers[] = {"fb-rlm", "fb-plm"};

static void random_problems_are_solved(void **state)
{
  (void)state;
  for (int s = 0; s < 2; ++s)
    for (int class = 0; class < MCP_CLASS_COUNT; ++class) {
      assert_solves_random(solvers[s], (mcp_class) class, 1, 20);
      assert_solves_random(solvers[s], (mcp_class) class, 6, 20);
      assert_solves_random(solvers[s], (mcp_class) class, 25, 10);
    }
  assert_solves_random("fb-rlm", MCP_SPARSE_P, 120, 1); // sparse from here on
  assert_solves_random("fb-plm", MCP_SPARSE_P, 120, 3);
}

static void reference_files_are_solved(void **state)
{
  (void)state;
  // On this one, as on deltasigma, lambda of fb-rlm swings over many decades and psi creeps, whatever the initial
  // lambda.
  const char *const except[] = {"relay1.dat", NULL};
  assert_solves_reference_files("fb-rlm", except);
  assert_solves_reference_files("fb-plm", NULL);
}

static void deltasigma_is_solved(void **state)
{
  (void)state;
  assert_solves_deltasigma("fb-plm");
}

static void builtin_problems_are_solved(void **state)
{
  (void)state;
  // Known local minima of psi: billups by construction; fb-rlm meets others of kojshin.
  const char *const except_rlm[] = {"billups 0", "kojshin 2", "kojshin 6", NULL};
  const char *const except_plm[] = {"billups 0", NULL};
  assert_solves_builtins("fb-rlm", 20, except_rlm);
  assert_solves_builtins("fb-plm", 20, except_plm);
}

static void a_local_minimum_is_reported_as_such(void **state)
{
  (void)state;
  // F = z - 1 under 0 <= z <= 1/2 has a solution, F = -1 under z >= 0 has none.
  const double minus_one = -1.0, zero = 0.0;
  const ts_problem none = ts_problem_lcp((ts_lcp){1, {1, 1, NULL, NULL, &zero}, &minus_one});
  for (int s = 0; s < 2; ++s) {
    double z = 0.0;
    const ts_report report = run_solver(solvers[s], &none, NULL, &z);
    assert_int_not_equal(report.outcome, TS_SOLVED);
    assert_true(isfinite(z));
  }
}

static void options_reach_the_algorithm(void **state)
{
  (void)state;
  mcp_instance *instance = mcp_generate(MCP_P, 20, 5);
  const ts_problem *problem = mcp_instance_problem(instance);
  const double paper[] = {1e-3, 1e-16}; // 000: initial lambda of RLM, constant lambda of PLM
  for (int s = 0; s < 2; ++s) {
    double z[20];
    ts_iteration history[4];
    ts_solve_options options = ts_solve_options_default();
    ts_workspace *workspace = ts_workspace_create(NULL);
    ts_report report = {.history = history, .history_capacity = 4};
    assert_int_equal(ts_solve(ts_solver_find(solvers[s]), problem, &options, workspace, z, &report, NULL), TS_OK);
    assert_true(history[0].damping == paper[s]);
    options.damping = 0.5;
    assert_int_equal(ts_solve(ts_solver_find(solvers[s]), problem, &options, workspace, z, &report, NULL), TS_OK);
    assert_true(history[0].damping == 0.5);
    ts_workspace_destroy(workspace);
  }
  // A monotone search takes shorter steps, and gets there as well.
  for (int class = 0; class < MCP_CLASS_COUNT; ++class) {
    mcp_instance *other = mcp_generate((mcp_class) class, 20, 6);
    double z[20];
    ts_solve_options options = ts_solve_options_default();
    options.line_search = TS_MONOTONE;
    const ts_report report = run_solver("fb-plm", mcp_instance_problem(other), &options, z);
    assert_certified("fb-plm", mcp_instance_problem(other), &report, z);
    mcp_instance_destroy(other);
  }
  mcp_instance_destroy(instance);
}

// The empty problem is solved by doing nothing.
static void nothing_is_solved_by_nothing(void **state)
{
  (void)state;
  const double nothing = 0.0;
  const ts_problem empty = ts_problem_lcp((ts_lcp){0, {0, 0, NULL, NULL, &nothing}, &nothing});
  for (int s = 0; s < 2; ++s) {
    double z = 0.0;
    assert_int_equal(run_solver(solvers[s], &empty, NULL, &z).outcome, TS_SOLVED);
  }
}

static void manners(void **state)
{
  (void)state;
  for (int s = 0; s < 2; ++s) {
    assert_allocates_nothing_when_warm(solvers[s]);
    assert_survives_lack_of_memory(solvers[s]);
    assert_deterministic(solvers[s]);
    assert_keeps_limits(solvers[s]);
    assert_stays_at_a_solution(solvers[s]);
    assert_survives_undefined_values(solvers[s]);
  }
}

int main(int argc, char **argv)
{
  const struct CMUnitTest tests[] = {
      cmocka_unit_test(random_problems_are_solved),
      cmocka_unit_test(reference_files_are_solved),
      cmocka_unit_test(builtin_problems_are_solved),
      cmocka_unit_test(a_local_minimum_is_reported_as_such),
      cmocka_unit_test(options_reach_the_algorithm),
      cmocka_unit_test(nothing_is_solved_by_nothing),
      cmocka_unit_test(manners),
  };
  const struct CMUnitTest shared_tests[] = {cmocka_unit_test(deltasigma_is_solved)};
  if (asks_for_shared(argc, argv)) return run_shared_tests(shared_tests, NULL, NULL);
  return cmocka_run_group_tests(tests, NULL, NULL);
}
