#include "counting_allocator.h"
#include "newton_checks.h"

#include "touchstone/builtin.h"
#include "touchstone/problem_file.h"

#include <math.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <cmocka.h>

static const double TOLERANCE = 1e-10;

ts_report run_solver(const char *solver, const ts_problem *problem, const ts_solve_options *options, double *z)
{
  const ts_solve_options defaults = ts_solve_options_default();
  ts_workspace *workspace = ts_workspace_create(NULL);
  ts_report report = {0};
  ts_error error = {0};
  const ts_solver *s = ts_solver_find(solver);
  assert_non_null(s);
  if (ts_solve(s, problem, options ? options : &defaults, workspace, z, &report, &error) != TS_OK)
    fail_msg("%s: %s", solver, error.text);
  ts_workspace_destroy(workspace);
  return report;
}

static double *zeros(const ts_problem *problem)
{
  return calloc(ts_problem_size(problem) + 1, sizeof(double));
}

static void assert_finite(const ts_problem *problem, const double *z)
{
  const size_t n = ts_problem_size(problem);
  for (size_t i = 0; i < n; ++i) assert_true(isfinite(z[i]));
}

void assert_certified(const char *solver, const ts_problem *problem, const ts_report *report, const double *z)
{
  assert_finite(problem, z);
  const double residual = ts_problem_residual(problem, z);
  if (report->outcome != TS_SOLVED || !(residual <= TOLERANCE))
    fail_msg("%s: %s after %d iterations with residual %g", solver, ts_outcome_name(report->outcome),
             report->iterations, residual);
  const double tiny = 1e-13;
  assert_true(report->claimed <= 100.0 * residual + tiny && residual <= 100.0 * report->claimed + tiny);
}

void assert_solves_random(const char *solver, mcp_class class, int n, int count)
{
  for (int seed = 1; seed <= count; ++seed) {
    mcp_instance *instance = mcp_generate(class, n, (uint64_t)seed);
    const ts_problem *problem = mcp_instance_problem(instance);
    double *z = zeros(problem);
    const ts_report report = run_solver(solver, problem, NULL, z);
    assert_certified(solver, problem, &report, z);
    // The matrices have condition below 1e4, the data are of size 10.
    for (int i = 0; mcp_class_is_unique(class) && i < n; ++i)
      assert_true(fabs(z[i] - mcp_instance_solution(instance)[i]) < 1e-6);
    free(z);
    mcp_instance_destroy(instance);
  }
}

// ---- reference files -----------------------------------------------------------------------------------------------

typedef struct reference_file {
  const char *folder, *name;
  bool isolated; // reference solutions are listed, and there are no others
} reference_file;

static const reference_file files[] = {{"lcp", "lcp_CPS_1.dat", false},
                                       {"lcp", "lcp_CPS_2.dat", true},
                                       {"lcp", "lcp_CPS_3.dat", true},
                                       {"lcp", "lcp_CPS_4.dat", true},
                                       {"lcp", "lcp_CPS_5.dat", true},
                                       {"lcp", "lcp_Pang_isolated_sol.dat", true},
                                       {"lcp", "lcp_deudeu.dat", true},
                                       {"lcp", "lcp_deudeu_block.dat", true},
                                       {"lcp", "lcp_enum_fails.dat", true},
                                       {"lcp", "lcp_exp_murty2.dat", true},
                                       {"lcp", "lcp_ortiz.dat", true},
                                       {"lcp", "lcp_ortiz_block.dat", true},
                                       {"lcp", "lcp_trivial.dat", true},
                                       {"lcp", "lcp_trivial_block.dat", true},
                                       {"mlcp", "BuckConverter_mlcp.dat", false},
                                       {"mlcp", "BuckFirstStep_mlcp.dat", false},
                                       {"mlcp", "PDSym_mlcp.dat", true},
                                       {"mlcp", "PD_mlcp.dat", true},
                                       {"mlcp", "RCD_mlcp.dat", true},
                                       {"mlcp", "RLCD_mlcp.dat", true},
                                       {"mlcp", "deudeu_mlcp.dat", true},
                                       {"mlcp", "diodeBridge20_mlcp.dat", true},
                                       {"mlcp", "diodeBridge_mlcp.dat", true},
                                       {"mlcp", "m2n1_mlcp.dat", true},
                                       {"mlcp", "m3n2_mlcp.dat", true},
                                       {"mlcp", "relay2_mlcp.dat", true},
                                       {"lcp/relay", "relay1.dat", false},
                                       {"lcp/relay", "relay_2x2.dat", false},
                                       {"lcp/relay", "relay_4x4.dat", false},
                                       {"lcp/relay", "relay_simple2.dat", false},
                                       {"lcp/relay", "step_1x1.dat", false},
                                       {"lcp/relay", "step_2x2.dat", false},
                                       {"lcp/relay", "step_4x4.dat", false}};

// Largest difference from the nearest of the solutions that reference_solutions.txt lists for the file, relative to
// the size of the solution.
static double distance_from_reference(const char *folder, const char *name, const double *z, size_t n)
{
  char path[1280], word[256];
  snprintf(path, sizeof path, "%s/reference_solutions.txt", folder);
  FILE *stream = fopen(path, "r");
  assert_non_null(stream);
  bool ours = false;
  double nearest = INFINITY;
  while (fscanf(stream, "%255s", word) == 1) {
    if (strstr(word, ".dat")) ours = strcmp(word, name) == 0;
    if (!ours || strcmp(word, "z") != 0 || fscanf(stream, "%255s", word) != 1) continue; // skips "="
    double worst = 0.0, size = 0.0;
    for (size_t i = 0; i < n; ++i) {
      double value;
      assert_int_equal(fscanf(stream, "%lf", &value), 1);
      worst = fmax(worst, fabs(z[i] - value));
      size = fmax(size, fabs(value));
    }
    nearest = fmin(nearest, worst / size);
  }
  fclose(stream);
  return nearest;
}

static bool is_listed(const char *const *list, const char *name)
{
  for (; list && *list; ++list)
    if (strcmp(*list, name) == 0) return true;
  return false;
}

static void assert_solves_file(const char *solver, const char *folder, const reference_file *reference)
{
  char path[1280];
  ts_problem_file *file;
  snprintf(path, sizeof path, "%s/%s", folder, reference->name);
  if (ts_problem_file_read(path, &file, NULL) != TS_OK) fail_msg("%s cannot be read", path);
  const ts_problem *problem = ts_problem_file_problem(file);
  double *z = zeros(problem);
  const ts_report report = run_solver(solver, problem, NULL, z);
  print_message("%-10s %-28s %4d iterations, residual %.1e\n", solver, reference->name, report.iterations,
                report.residual);
  assert_certified(solver, problem, &report, z);
  if (reference->isolated)
    assert_true(distance_from_reference(folder, reference->name, z, ts_problem_size(problem)) < 1e-6);
  free(z);
  ts_problem_file_destroy(file);
}

void assert_solves_reference_files(const char *solver, const char *const *except)
{
  for (size_t k = 0; k < sizeof files / sizeof files[0]; ++k) {
    char folder[1024];
    snprintf(folder, sizeof folder, TEST_DATA "/problems/%s", files[k].folder);
    if (!is_listed(except, files[k].name)) assert_solves_file(solver, folder, &files[k]);
  }
}

void assert_solves_deltasigma(const char *solver)
{
  assert_solves_file(solver, SHARED_DATA "/data/mlcp", &(reference_file){"mlcp", "deltasigma_mlcp.dat", false});
}

// ---- built-in problems ---------------------------------------------------------------------------------------------

void assert_solves_builtins(const char *solver, int grid, const char *const *except)
{
  for (int p = 0; p < ts_builtin_count(); ++p) {
    ts_builtin *builtin;
    assert_int_equal(ts_builtin_create(ts_builtin_name(p), grid, &builtin, NULL), TS_OK);
    const ts_problem *problem = ts_builtin_problem(builtin);
    double *z = zeros(problem);
    for (int k = 0; k < ts_builtin_start_count(builtin); ++k) {
      char label[64];
      snprintf(label, sizeof label, "%s %d", ts_builtin_name(p), k);
      if (is_listed(except, label)) continue;
      ts_solve_options options = ts_solve_options_default();
      options.warm_start = true;
      ts_builtin_start(builtin, k, z);
      const ts_report report = run_solver(solver, problem, &options, z);
      print_message("%-10s %-12s %4d iterations, residual %.1e\n", solver, label, report.iterations, report.residual);
      assert_certified(solver, problem, &report, z);
    }
    free(z);
    ts_builtin_destroy(builtin);
  }
}

// ---- manners -------------------------------------------------------------------------------------------------------

void assert_allocates_nothing_when_warm(const char *solver)
{
  const mcp_class classes[] = {MCP_P, MCP_SPARSE_P, MCP_NONLINEAR};
  for (int k = 0; k < 3; ++k) {
    mcp_instance *instance = mcp_generate(classes[k], 150, 4);
    const ts_problem *problem = mcp_instance_problem(instance);
    double *z = zeros(problem);
    allocation_count count = UNLIMITED_ALLOCATIONS;
    int before_last = 0;
    const ts_allocator allocator = counting_allocator(&count);
    ts_workspace *workspace = ts_workspace_create(&allocator);
    for (int run = 0; run < 3; ++run) {
      const ts_solve_options options = ts_solve_options_default();
      ts_report report = {0};
      before_last = count.calls;
      assert_int_equal(ts_solve(ts_solver_find(solver), problem, &options, workspace, z, &report, NULL), TS_OK);
    }
    assert_int_equal(count.calls, before_last);
    ts_workspace_destroy(workspace);
    free(z);
    mcp_instance_destroy(instance);
  }
}

void assert_survives_lack_of_memory(const char *solver)
{
  const ts_solve_options options = ts_solve_options_default();
  mcp_instance *instance = mcp_generate(MCP_SPARSE_P, 150, 4);
  const ts_problem *problem = mcp_instance_problem(instance);
  double *z = zeros(problem);
  int failures = 0;
  for (ts_status status = TS_OUT_OF_MEMORY; status != TS_OK; ++failures) {
    allocation_count count = {.budget = 1 + failures}; // the workspace itself takes one
    const ts_allocator allocator = counting_allocator(&count);
    ts_workspace *workspace = ts_workspace_create(&allocator);
    ts_report report = {0};
    status = ts_solve(ts_solver_find(solver), problem, &options, workspace, z, &report, NULL);
    assert_true(status == TS_OK || status == TS_OUT_OF_MEMORY);
    count.budget = 1000;
    assert_int_equal(ts_solve(ts_solver_find(solver), problem, &options, workspace, z, &report, NULL), TS_OK);
    assert_int_equal(report.outcome, TS_SOLVED);
    ts_workspace_destroy(workspace);
    assert_true(failures < 100);
  }
  assert_true(failures > 1);
  free(z);
  mcp_instance_destroy(instance);
}

void assert_deterministic(const char *solver)
{
  for (int class = 0; class < MCP_CLASS_COUNT; ++class) {
    mcp_instance *instance = mcp_generate((mcp_class) class, 30, 9);
    const ts_problem *problem = mcp_instance_problem(instance);
    double *first = zeros(problem), *second = zeros(problem);
    const ts_report a = run_solver(solver, problem, NULL, first), b = run_solver(solver, problem, NULL, second);
    assert_int_equal(a.iterations, b.iterations);
    assert_memory_equal(first, second, 30 * sizeof *first);
    free(first);
    free(second);
    mcp_instance_destroy(instance);
  }
}

void assert_keeps_limits(const char *solver)
{
  mcp_instance *instance = mcp_generate(MCP_NONLINEAR, 30, 2);
  const ts_problem *problem = mcp_instance_problem(instance);
  double *z = zeros(problem);
  ts_solve_options options = ts_solve_options_default();
  options.max_iterations = 2;
  ts_report report = run_solver(solver, problem, &options, z);
  assert_int_equal(report.outcome, TS_ITERATION_LIMIT);
  assert_int_equal(report.iterations, 2);
  assert_finite(problem, z);
  options = ts_solve_options_default();
  options.time_limit = 1e-12;
  report = run_solver(solver, problem, &options, z);
  assert_int_equal(report.outcome, TS_TIME_LIMIT);
  assert_finite(problem, z);
  free(z);
  mcp_instance_destroy(instance);
}

void assert_stays_at_a_solution(const char *solver)
{
  for (int class = 0; class < MCP_CLASS_COUNT; ++class) {
    mcp_instance *instance = mcp_generate((mcp_class) class, 20, 3);
    const ts_problem *problem = mcp_instance_problem(instance);
    double *z = zeros(problem);
    memcpy(z, mcp_instance_solution(instance), 20 * sizeof *z);
    ts_solve_options options = ts_solve_options_default();
    options.warm_start = true;
    const ts_report report = run_solver(solver, problem, &options, z);
    assert_certified(solver, problem, &report, z);
    assert_true(report.iterations <= 1);
    for (int i = 0; i < 20; ++i) assert_true(fabs(z[i] - mcp_instance_solution(instance)[i]) < 1e-9);
    free(z);
    mcp_instance_destroy(instance);
  }
}

void assert_survives_undefined_values(const char *solver)
{
  ts_builtin *builtin;
  assert_int_equal(ts_builtin_create("nash", 0, &builtin, NULL), TS_OK);
  const ts_problem *problem = ts_builtin_problem(builtin);
  double *z = zeros(problem); // nothing produced: the price is not defined
  ts_solve_options options = ts_solve_options_default();
  options.warm_start = true;
  const ts_report warm = run_solver(solver, problem, &options, z);
  assert_finite(problem, z);
  if (warm.outcome != TS_SOLVED) assert_int_equal(warm.outcome, TS_BROKE_DOWN);
  const ts_report cold = run_solver(solver, problem, NULL, z);
  assert_certified(solver, problem, &cold, z);
  free(z);
  ts_builtin_destroy(builtin);
}
