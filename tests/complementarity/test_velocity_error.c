// The velocity error of the worst contact: closed forms of one contact, its bound under changed data, and that it does
// not depend on units of mass. Then solvers that are content with it: they say so, certify it, and ask for nothing
// else.
#include "touchstone/certificate.h"
#include "touchstone/solver.h"

#include "friction_generator.h"

#include "base/random.h"

#include <math.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdlib.h>
#include <string.h>
#include <cmocka.h>

static void assert_near(double value, double expected, double tolerance)
{
  if (!(fabs(value - expected) <= tolerance)) fail_msg("%.15g, not %.15g +- %.2g", value, expected, tolerance);
}

// ---- one contact ---------------------------------------------------------------------------------------------------

// The figure of one contact with W = w I.
static ts_friction_measures measure_one(double w, double mu, const double q[3], const double r[3])
{
  const int start[2] = {0, 1}, index[1] = {0};
  const double W[9] = {w, 0, 0, 0, w, 0, 0, 0, w};
  const ts_problem p = ts_problem_friction(
      (ts_friction){.dimension = 3, .contacts = 1, .W = {1, 3, start, index, W}, .q = q, .mu = &mu});
  ts_friction_measures m;
  assert_int_equal(ts_friction_measure(&p, r, &m), TS_OK);
  return m;
}

static void errors_of_one_contact_are_velocities(void **state)
{
  (void)state;
  const double masses[] = {1e-3, 1.0, 1e6};
  for (size_t k = 0; k < sizeof masses / sizeof *masses; ++k) {
    const double w = 1.0 / masses[k], none[3] = {0}, approach[3] = {-0.3, 0.0, 0.0}, slip[3] = {-1.0, 2.0, 0.0};
    // Nothing stops it: all of the approach is missing.
    assert_near(measure_one(w, 0.0, approach, none).velocity_error, 0.3, 1e-14);
    // Pushed too hard, it leaves at 0.01 m/s: right for an approach that is faster by as much.
    assert_near(measure_one(w, 0.0, approach, (double[]){0.31 / w, 0, 0}).velocity_error, 0.01, 1e-13);
    // A contact that opens and is pushed a little: without the impulse it would be right, which is the smaller error.
    assert_near(measure_one(w, 0.0, (double[]){1.0, 0, 0}, (double[]){1e-3 / w, 0, 0}).velocity_error, 1e-3, 1e-13);
    // Sliding at the limit of friction, exactly.
    const double right[3] = {1.0 / w, -0.5 / w, 0.0};
    assert_near(measure_one(w, 0.5, slip, right).velocity_error, 0.0, 1e-14);
    assert_near(measure_one(w, 0.5, slip, right).data_speed, sqrt(5.0), 1e-14);
  }
}

// ---- many contacts -------------------------------------------------------------------------------------------------

static const friction_recipe recipes[] = {
    {.dimension = 2, .contacts = 90, .bodies = 60, .with_bodies = true, .least_mu = 0.1, .most_mu = 0.5},
    {.dimension = 3, .contacts = 100, .bodies = 50, .with_bodies = true, .least_mu = 0.1, .most_mu = 0.5},
    {.dimension = 3,
     .contacts = 80,
     .bodies = 60,
     .with_bodies = true,
     .ellipsoid = true,
     .least_mu = 0.0,
     .most_mu = 0.5},
    {.dimension = 4,
     .contacts = 80,
     .bodies = 60,
     .with_bodies = true,
     .ellipsoid = true,
     .least_mu = 0.1,
     .most_mu = 0.4},
    {.dimension = 3, .contacts = 80, .bodies = 60, .joints = 10, .least_mu = 0.1, .most_mu = 0.4},
};
enum { RECIPES = sizeof recipes / sizeof *recipes };

static ts_outcome solve(const ts_problem *problem, double tolerance, double velocity_error, double *z,
                        ts_report *report)
{
  ts_workspace *workspace = ts_workspace_create(NULL);
  ts_solve_options options = ts_solve_options_default();
  options.tolerance = tolerance;
  options.velocity_error = velocity_error;
  memset(report, 0, sizeof *report);
  ts_error error;
  if (ts_solve(ts_solver_find("auto"), problem, &options, workspace, z, report, &error) != TS_OK)
    fail_msg("%s", error.text);
  ts_workspace_destroy(workspace);
  return report->outcome;
}

// The natural map does not stretch, and De Saxce's term adds mu: a solution has an error of at most (1 + mu) |dq| in
// the problem whose q differs by dq, contact by contact.
static void changed_data_bound_the_error(void **state)
{
  (void)state;
  for (int k = 0; k < RECIPES - 1; ++k) {
    friction_sample *sample = friction_sample_create(&recipes[k], 900 + (uint64_t)k);
    ts_problem p = sample->local;
    const size_t d = (size_t)p.friction.dimension, rows = d * (size_t)p.friction.contacts;
    double *z = calloc(ts_problem_size(&p), sizeof *z), *q = calloc(rows, sizeof *q);
    assert_true(z && q);
    ts_report report;
    assert_int_equal(solve(&p, 1e-10, 0.0, z, &report), TS_SOLVED);
    ts_random random;
    ts_random_init(&random, 5);
    double bound = 0.0;
    for (size_t i = 0; i < rows; ++i) {
      const double e = i % d > 0 && p.friction.ellipsoid ? p.friction.ellipsoid[i / d * (d - 1) + i % d - 1] : 1.0;
      const double change = ts_random_uniform(&random, -1e-4, 1e-4);
      q[i] = p.friction.q[i] + change / e; // round variables
    }
    bound = (1.0 + recipes[k].most_mu) * 1e-4 * sqrt((double)d) + 1e-8;
    p.friction.q = q;
    ts_friction_measures m;
    assert_int_equal(ts_friction_measure(&p, z, &m), TS_OK);
    assert_true(m.velocity_error <= bound);
    assert_true(m.velocity_error > 1e-5); // it is seen
    free(z);
    free(q);
    friction_sample_destroy(sample);
  }
}

// Content with an error: certified as accurate, within it, sooner than to the tolerance; in the space of bodies and,
// with joints eliminated, on W.
static void solvers_are_content_with_an_error(void **state)
{
  (void)state;
  for (int k = 0; k < RECIPES; ++k)
    for (uint64_t seed = 0; seed < 4; ++seed) {
      friction_sample *sample = friction_sample_create(&recipes[k], 77 + seed);
      const ts_problem *p = &sample->local;
      double *z = calloc(ts_problem_size(p), sizeof *z), *exact = calloc(ts_problem_size(p), sizeof *exact);
      assert_true(z && exact);
      ts_report report, strict;
      const double allowed = 1e-3;
      const ts_outcome outcome = solve(p, 1e-12, allowed, z, &report);
      if (outcome != TS_ACCURATE && outcome != TS_SOLVED)
        fail_msg("recipe %d, seed %d: %s", k, (int)seed, ts_outcome_name(outcome));
      ts_friction_measures m;
      assert_int_equal(ts_friction_measure(p, z, &m), TS_OK);
      assert_true(outcome == TS_SOLVED || m.velocity_error <= fmax(allowed, TS_SHARE_OF_SPEED * m.data_speed));
      assert_true(m.velocity_error == report.measures.velocity_error);
      assert_int_equal(solve(p, 1e-12, 0.0, exact, &strict), TS_SOLVED); // 0: nothing but the tolerance counts
      assert_true(strict.measures.velocity_error < 1e-9);
      free(z);
      free(exact);
      friction_sample_destroy(sample);
    }
}

// A solver that stops at once is not believed.
static void claims_of_accuracy_are_measured(void **state)
{
  (void)state;
  friction_sample *sample = friction_sample_create(&recipes[1], 3);
  double *z = calloc(ts_problem_size(&sample->local), sizeof *z);
  assert_non_null(z);
  ts_workspace *workspace = ts_workspace_create(NULL);
  ts_solve_options options = ts_solve_options_default();
  options.max_iterations = 1;
  options.velocity_error = 1e-9;
  ts_report report = {0};
  assert_int_equal(ts_solve(ts_solver_find("nsgs"), &sample->local, &options, workspace, z, &report, NULL), TS_OK);
  assert_true(report.outcome != TS_ACCURATE && report.outcome != TS_SOLVED);
  options.velocity_error = 1e3;
  assert_int_equal(ts_solve(ts_solver_find("nsgs"), &sample->local, &options, workspace, z, &report, NULL), TS_OK);
  assert_int_equal(report.outcome, TS_ACCURATE);
  options.velocity_error = -1.0;
  assert_int_equal(ts_solve(ts_solver_find("nsgs"), &sample->local, &options, workspace, z, &report, NULL), TS_INVALID);
  options.velocity_error = NAN;
  assert_int_equal(ts_solve(ts_solver_find("nsgs"), &sample->local, &options, workspace, z, &report, NULL), TS_INVALID);
  ts_workspace_destroy(workspace);
  free(z);
  friction_sample_destroy(sample);
}

int main(void)
{
  const struct CMUnitTest tests[] = {
      cmocka_unit_test(errors_of_one_contact_are_velocities),
      cmocka_unit_test(changed_data_bound_the_error),
      cmocka_unit_test(solvers_are_content_with_an_error),
      cmocka_unit_test(claims_of_accuracy_are_measured),
  };
  return cmocka_run_group_tests(tests, NULL, NULL);
}
