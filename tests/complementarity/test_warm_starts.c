// Warm starts near the solution, not at it: a solver that takes them needs less work than from nothing, and says of
// itself how near it is.
#include "friction_generator.h"

#include "base/random.h"

#include "touchstone/solver.h"

#include <math.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <string.h>
#include <cmocka.h>

enum { MOST = 256, SAMPLES = 12 };

static ts_report run(const char *name, const ts_problem *problem, bool warm, double *z)
{
  ts_workspace *workspace = ts_workspace_create(NULL);
  ts_solve_options options = ts_solve_options_default();
  options.tolerance = 1e-8;
  options.warm_start = warm;
  ts_report report = {0};
  ts_error error;
  if (ts_solve(ts_solver_find(name), problem, &options, workspace, z, &report, &error) != TS_OK)
    fail_msg("%s: %s", name, error.text);
  ts_workspace_destroy(workspace);
  return report;
}

// The solution with each number changed by up to `share` of the largest.
static void perturb(ts_random *random, const double *z, size_t size, double share, double *near)
{
  double largest = 0.0;
  for (size_t i = 0; i < size; ++i) largest = fmax(largest, fabs(z[i]));
  for (size_t i = 0; i < size; ++i) near[i] = z[i] + share * largest * ts_random_uniform(random, -1.0, 1.0);
}

// Iterations over a few problems, from nothing and from near the solution.
static void count_iterations(const char *name, int *cold, int *warm)
{
  ts_random random;
  ts_random_init(&random, 4);
  *cold = *warm = 0;
  for (uint64_t seed = 1; seed <= SAMPLES; ++seed) {
    friction_sample *sample = friction_sample_spheres(8, 14, 0.4, seed);
    double z[MOST] = {0}, near[MOST];
    const size_t size = ts_problem_size(&sample->local);
    const ts_report first = run(name, &sample->local, false, z);
    if (first.outcome == TS_SOLVED) {
      perturb(&random, z, size, 1e-5, near);
      const ts_report second = run(name, &sample->local, true, near);
      assert_int_equal(second.outcome, TS_SOLVED);
      *cold += first.iterations;
      *warm += second.iterations;
    }
    friction_sample_destroy(sample);
  }
}

static void a_guess_near_the_solution_saves_work(void **state)
{
  (void)state;
  static const char *const names[] = {"nsgs", "splitting", "pgs", "ncp-rlm", "ncp-plm", "ncp-dogleg", "newton"};
  for (size_t k = 0; k < sizeof names / sizeof *names; ++k) {
    if (!ts_solver_find(names[k]) || !(ts_solver_takes(ts_solver_find(names[k])) & TS_FRICTION)) continue;
    int cold, warm;
    count_iterations(names[k], &cold, &warm);
    if (!(cold > 0 && warm < 0.8 * cold)) fail_msg("%s: %d iterations warm, %d cold", names[k], warm, cold);
  }
}

// `claimed` is what the solver believes, whichever of its ways it took.
static void claims_are_made_after_a_guess_too(void **state)
{
  (void)state;
  ts_random random;
  ts_random_init(&random, 5);
  int steps = 0;
  for (uint64_t seed = 1; seed <= 20; ++seed) {
    friction_sample *sample = friction_sample_spheres(1 + (int)(seed % 3), 2 + (int)(seed % 3), 0.4, seed);
    double z[MOST] = {0}, near[MOST];
    assert_int_equal(run("auto", &sample->local, false, z).outcome, TS_SOLVED);
    perturb(&random, z, ts_problem_size(&sample->local), 1e-4, near);
    const ts_report report = run("auto", &sample->local, true, near);
    assert_int_equal(report.outcome, TS_SOLVED);
    assert_true(report.claimed <= 1e-8 && report.residual <= 1e-8);
    steps += report.trail_count > 0 && strcmp(report.trail[0].solver, "newton") == 0;
    friction_sample_destroy(sample);
  }
  assert_true(steps > 10); // Newton's method from the guess is what this is about
}

int main(void)
{
  const struct CMUnitTest tests[] = {
      cmocka_unit_test(a_guess_near_the_solution_saves_work),
      cmocka_unit_test(claims_are_made_after_a_guess_too),
  };
  return cmocka_run_group_tests(tests, NULL, NULL);
}
