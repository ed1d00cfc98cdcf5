// ncp-rlm, ncp-plm and ncp-dogleg: closed forms, the rolling sphere of 000, reference problems with unique solutions, a
// degenerate one, random ones, and the contract that every solver keeps.
#include "case_file.h"
#include "contact_cases.h"
#include "counting_allocator.h"
#include "touchstone/touchstone.h"

#include "friction_generator.h"

#include <math.h>
#include <stdarg.h>
#include <stddef.h>
#include <setjmp.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <cmocka.h>

static const char *const names[] = {"ncp-rlm", "ncp-plm", "ncp-dogleg"};
enum { SOLVERS = 3 };

static ts_workspace *workspace;

static int create_workspace(void **state)
{
  (void)state;
  workspace = ts_workspace_create(NULL);
  return workspace == NULL;
}

static int destroy_workspace(void **state)
{
  (void)state;
  ts_workspace_destroy(workspace);
  return 0;
}

static ts_report run(const char *name, const ts_problem *problem, const ts_solve_options *options, double *z)
{
  ts_report report = {0};
  ts_error error = {0};
  if (ts_solve(ts_solver_find(name), problem, options, workspace, z, &report, &error))
    fail_msg("%s: %s", name, error.text);
  return report;
}

static ts_solve_options tight(void)
{
  ts_solve_options options = ts_solve_options_default();
  options.tolerance = 1e-13;
  return options;
}

// One contact with a diagonal block, which the caller keeps.
static ts_problem one_contact(int d, const double *block, const double *q, const double *mu, const double *ellipsoid)
{
  static const int start[2] = {0, 1}, index[1] = {0};
  return ts_problem_friction((ts_friction){
      .dimension = d, .contacts = 1, .W = {1, d, start, index, block}, .q = q, .mu = mu, .ellipsoid = ellipsoid});
}

static void assert_solution(const ts_problem *problem, const double *expected, int n, double tolerance)
{
  const ts_solve_options options = tight();
  for (int k = 0; k < SOLVERS; ++k) {
    double z[4];
    const ts_report report = run(names[k], problem, &options, z);
    for (int i = 0; i < n; ++i)
      if (!(fabs(z[i] - expected[i]) <= tolerance))
        fail_msg("%s (%s): r[%d] is %.15g, expected %.15g", names[k], ts_outcome_name(report.outcome), i, z[i],
                 expected[i]);
  }
}

// ---- closed forms ---------------------------------------------------------------------------------------------------

static const double sphere_block[9] = {1.0, 0.0, 0.0, 0.0, 3.5, 0.0, 0.0, 0.0, 3.5}; // of 000's sphere

static void one_contact_sticks_slips_and_opens(void **state)
{
  (void)state;
  const double mu = 0.5;
  const double stick[3] = {-2.0, 0.7, -0.35}, slip[3] = {-2.0, 6.0, 8.0}, open[3] = {0.5, 3.0, -1.0};
  const double r_stick[3] = {2.0, -0.2, 0.1}, r_slip[3] = {2.0, -0.6, -0.8}, r_open[3] = {0.0, 0.0, 0.0};
  ts_problem problem = one_contact(3, sphere_block, stick, &mu, NULL);
  assert_solution(&problem, r_stick, 3, 1e-13);
  problem = one_contact(3, sphere_block, slip, &mu, NULL);
  assert_solution(&problem, r_slip, 3, 1e-13);
  problem = one_contact(3, sphere_block, open, &mu, NULL);
  assert_solution(&problem, r_open, 3, 1e-13);
}

// Without friction, and in the plane.
static void one_contact_in_the_plane_and_without_friction(void **state)
{
  (void)state;
  const double block[4] = {2.0, 0.5, 0.5, 1.0}, q[2] = {-3.0, 4.0}, none = 0.0, some = 0.4;
  const double normal_only[2] = {1.5, 0.0};
  // Sliding forwards: r_t = -mu r_n, u_n = (2 - 0.5 mu) r_n - 3 = 0, u_t = 0.5 r_n - mu r_n + 4 > 0.
  const double r_n = 3.0 / (2.0 - 0.5 * some), sliding[2] = {r_n, -some * r_n};
  ts_problem problem = one_contact(2, block, q, &none, NULL);
  assert_solution(&problem, normal_only, 2, 1e-13);
  problem = one_contact(2, block, q, &some, NULL);
  assert_solution(&problem, sliding, 2, 1e-13);
}

// Built backwards: with u_n = 0, a slip u_t and r_n given, r_t = -mu r_n D^2 u_t/|D u_t|, and q = u - W r.
static void one_contact_slips_on_an_ellipsoid_with_spin(void **state)
{
  (void)state;
  const double mu = 0.6, e[3] = {1.0, 0.5, 0.2}, slip[3] = {0.3, -0.8, 2.0}, r_n = 1.7;
  double block[16] = {0}, r[4] = {r_n, 0.0, 0.0, 0.0}, q[4], length = 0.0;
  const double diagonal[4] = {1.0, 3.5, 3.0, 2.5};
  for (int k = 0; k < 3; ++k) length += e[k] * slip[k] * e[k] * slip[k];
  for (int k = 0; k < 3; ++k) r[k + 1] = -mu * r_n * e[k] * e[k] * slip[k] / sqrt(length);
  for (int k = 0; k < 4; ++k) {
    block[k * 4 + k] = diagonal[k];
    q[k] = (k > 0 ? slip[k - 1] : 0.0) - diagonal[k] * r[k];
  }
  const ts_problem problem = one_contact(4, block, q, &mu, e);
  assert_solution(&problem, r, 4, 1e-12);
}

// reference-numbers.md 1: v_x = 2 - mu g h k while sliding (k <= 291), then 10/7; w_y = 2.5 (2 - v_x).
static void the_sphere_slides_then_rolls(void **state)
{
  (void)state;
  const double mu = 0.2, g = 9.81, h = 1e-3, inertia = 0.4;
  const ts_solve_options options = tight();
  for (int solver = 0; solver < SOLVERS; ++solver) {
    double v[3] = {2.0, 0.0, 0.0}, w[3] = {0.0, 0.0, 0.0};
    for (int k = 1; k <= 600; ++k) {
      v[2] -= g * h;
      const double q[3] = {v[2], v[0] - w[1], v[1] + w[0]}; // velocity of the lowest point: v + w x (0, 0, -1)
      const ts_problem problem = one_contact(3, sphere_block, q, &mu, NULL);
      double r[3];
      run(names[solver], &problem, &options, r);
      v[2] += r[0];
      v[0] += r[1];
      v[1] += r[2];
      w[0] += r[2] / inertia;
      w[1] -= r[1] / inertia;
      const double expected = k <= 291 ? 2.0 - mu * g * h * k : 10.0 / 7.0;
      if (!(fabs(v[0] - expected) <= 1e-10))
        fail_msg("%s, step %d: v_x is %.12f, expected %.12f", names[solver], k, v[0], expected);
      assert_true(fabs(w[1] - 2.5 * (2.0 - expected)) <= 1e-10);
      assert_true(fabs(v[1]) <= 1e-12 && fabs(v[2]) <= 1e-12 && fabs(w[0]) <= 1e-12);
    }
  }
}

// ---- reference problems ---------------------------------------------------------------------------------------------

// u = W r + q, block after block.
static void velocities(const ts_friction *p, const double *r, double *u)
{
  const int d = p->dimension;
  for (int i = 0; i < d * p->contacts; ++i) u[i] = p->q[i];
  for (int i = 0; i < p->contacts; ++i)
    for (int k = p->W.start[i]; k < p->W.start[i + 1]; ++k)
      for (int b = 0; b < d; ++b)
        for (int a = 0; a < d; ++a) u[i * d + a] += p->W.value[k * d * d + b * d + a] * r[p->W.index[k] * d + b];
}

static bool matches(const contact_case *c, const double *r)
{
  double u[CASE_ROWS];
  velocities(&c->problem, r, u);
  for (int i = 0; i < 3 * c->problem.contacts; ++i)
    if (!(fabs(r[i] - c->r[i]) <= 1e-9 && fabs(u[i] - c->u[i]) <= 1e-9)) return false;
  return true;
}

static void reference_problems_are_solved(void **state)
{
  (void)state;
  const ts_solve_options options = tight();
  FILE *file = case_file_open(TEST_DATA "/contact_cases.txt");
  assert_non_null(file);
  int cases = 0, matched[SOLVERS] = {0};
  for (contact_case c; contact_cases_next(file, &c); ++cases) {
    const ts_problem problem = ts_problem_friction(c.problem);
    for (int k = 0; k < SOLVERS; ++k) {
      double r[CASE_ROWS];
      const ts_report report = run(names[k], &problem, &options, r);
      const bool good = matches(&c, r);
      matched[k] += good;
      if (report.residual <= 1e-11 && !good) fail_msg("%s finds another solution of case %d", names[k], cases);
    }
  }
  fclose(file);
  assert_int_equal(cases, 30);
  for (int k = 0; k < SOLVERS; ++k)
    print_message("%s: %d of %d reference problems to 1e-9\n", names[k], matched[k], cases);
  assert_true(matched[0] >= 27 && matched[1] >= 27);
  assert_int_equal(matched[2], 30);
}

static double clamp(double x, double low, double high)
{
  return fmin(fmax(x, low), high);
}

static void a_degenerate_problem_is_solved(void **state)
{
  (void)state;
  const ts_solve_options options = tight();
  contact_case c;
  contact_case_degenerate(&c);
  const ts_problem problem = ts_problem_friction(c.problem);
  for (int k = 0; k < SOLVERS; ++k) {
    double r[CASE_ROWS], u[CASE_ROWS], violation = 0.0;
    run(names[k], &problem, &options, r);
    velocities(&c.problem, r, u);
    for (int i = 0; i < c.problem.contacts; ++i) {
      const double bound = c.problem.mu[i] * r[2 * i];
      violation = fmax(violation, fabs(r[2 * i] - fmax(0.0, r[2 * i] - u[2 * i])));
      violation = fmax(violation, fabs(r[2 * i + 1] - clamp(r[2 * i + 1] - u[2 * i + 1], -bound, bound)));
    }
    if (!(violation <= 1e-12)) fail_msg("%s: violation %.3g", names[k], violation);
  }
}

// ---- random problems ------------------------------------------------------------------------------------------------

static bool all_finite(const double *x, size_t n)
{
  for (size_t i = 0; i < n; ++i)
    if (!isfinite(x[i])) return false;
  return true;
}

// The shares are what the methods reach, rounded down: their merit has local minima, and only ncp-dogleg starts again.
static void random_problems(void **state)
{
  (void)state;
  enum { PROBLEMS = 100 };
  static const int least[SOLVERS] = {55, 80, 90};
  const ts_solve_options options = ts_solve_options_default();
  for (int k = 0; k < SOLVERS; ++k) {
    int solved = 0;
    for (uint64_t seed = 1; seed <= PROBLEMS; ++seed) {
      const friction_recipe recipe = friction_recipe_draw(seed);
      friction_sample *sample = friction_sample_create(&recipe, seed);
      const size_t n = ts_problem_size(&sample->local);
      double *z = malloc(n * sizeof *z);
      const ts_report report = run(names[k], &sample->local, &options, z);
      const double certified = fmax(report.residual, report.measures.fclib);
      assert_true(all_finite(z, n));
      assert_true(fabs(report.claimed - certified) <= 1e-6 * certified + 1e-12); // nobody fools himself
      assert_true(report.iterations <= ts_solver_default_limit(ts_solver_find(names[k])));
      solved += report.outcome == TS_SOLVED;
      free(z);
      friction_sample_destroy(sample);
    }
    print_message("%s: %d of %d random problems to 1e-10\n", names[k], solved, PROBLEMS);
    assert_true(solved >= least[k]);
  }
}

// reference-numbers.md 2: at least 95 % at mu <= 0.5 within 30 iterations, and 90 % beyond.
static void spheres_are_solved_within_30_iterations(void **state)
{
  (void)state;
  enum { PROBLEMS = 40 };
  static const int sizes[3][2] = {{5, 7}, {10, 16}, {15, 27}};
  static const double mus[4] = {0.1, 0.5, 1.0, 2.0};
  ts_solve_options options = ts_solve_options_default();
  options.max_iterations = 30;
  for (int m = 0; m < 4; ++m)
    for (int s = 0; s < 3; ++s) {
      int solved = 0;
      for (uint64_t seed = 1; seed <= PROBLEMS; ++seed) {
        friction_sample *sample = friction_sample_spheres(sizes[s][0], sizes[s][1], mus[m], seed);
        double z[81];
        solved += run("ncp-dogleg", &sample->local, &options, z).outcome == TS_SOLVED;
        friction_sample_destroy(sample);
      }
      assert_true(solved >= (mus[m] <= 0.5 ? 38 : 36));
    }
}

// ---- the contract ---------------------------------------------------------------------------------------------------

static void a_warm_start_at_the_solution_ends_at_once(void **state)
{
  (void)state;
  const friction_recipe recipe = {
      .dimension = 4, .contacts = 8, .bodies = 8, .joints = 2, .ellipsoid = true, .most_mu = 0.5};
  friction_sample *sample = friction_sample_create(&recipe, 2);
  ts_solve_options options = ts_solve_options_default();
  double z[64];
  for (int k = 0; k < SOLVERS; ++k) {
    assert_int_equal(run(names[k], &sample->local, &options, z).outcome, TS_SOLVED);
    options.warm_start = true;
    const ts_report report = run(names[k], &sample->local, &options, z);
    options.warm_start = false;
    assert_int_equal(report.outcome, TS_SOLVED);
    assert_true(report.iterations <= 1);
  }
  friction_sample_destroy(sample);
}

static void limits_and_options_are_honoured(void **state)
{
  (void)state;
  friction_sample *sample = friction_sample_spheres(15, 27, 2.0, 12);
  ts_iteration history[8];
  double z[81];
  for (int k = 0; k < SOLVERS; ++k) {
    ts_solve_options options = ts_solve_options_default();
    options.max_iterations = 3;
    options.damping = 0.125;
    ts_report report = {.history = history, .history_capacity = 8};
    assert_int_equal(ts_solve(ts_solver_find(names[k]), &sample->local, &options, workspace, z, &report, NULL), TS_OK);
    assert_int_equal(report.outcome, TS_ITERATION_LIMIT);
    assert_int_equal(report.iterations, 3);
    assert_int_equal(report.history_count, 3);
    assert_true(history[0].damping == 0.125);
    options.time_limit = 1e-9;
    assert_int_equal(run(names[k], &sample->local, &options, z).outcome, TS_TIME_LIMIT);
    assert_true(all_finite(z, 81));
  }
  friction_sample_destroy(sample);
}

static void runs_repeat_to_the_last_bit(void **state)
{
  (void)state;
  const ts_solve_options options = ts_solve_options_default();
  friction_sample *sample = friction_sample_spheres(15, 27, 2.0, 5);
  for (int k = 0; k < SOLVERS; ++k) {
    double first[81], second[81];
    run(names[k], &sample->local, &options, first);
    run(names[k], &sample->local, &options, second);
    assert_memory_equal(first, second, sizeof first);
  }
  friction_sample_destroy(sample);
}

// Slower by a power of two, everything that is computed scales exactly, and so must the solution.
static void the_unit_of_velocity_does_not_matter(void **state)
{
  (void)state;
  const ts_solve_options options = ts_solve_options_default();
  const double unit = 0x1p-60;
  friction_sample *sample = friction_sample_spheres(10, 16, 1.0, 4);
  ts_problem slow = sample->local;
  double q[48], z[48], z_slow[48];
  for (int i = 0; i < 48; ++i) q[i] = unit * sample->local.friction.q[i];
  slow.friction.q = q;
  for (int k = 0; k < SOLVERS; ++k) {
    const ts_report report = run(names[k], &sample->local, &options, z),
                    report_slow = run(names[k], &slow, &options, z_slow);
    assert_int_equal(report.iterations, report_slow.iterations);
    for (int i = 0; i < 48; ++i) assert_true(z_slow[i] == unit * z[i]);
  }
  friction_sample_destroy(sample);
}

static void a_warm_workspace_allocates_nothing(void **state)
{
  (void)state;
  const ts_solve_options options = ts_solve_options_default();
  friction_sample *sample = friction_sample_spheres(10, 16, 2.0, 5);
  for (int k = 0; k < SOLVERS; ++k) {
    allocation_count count = UNLIMITED_ALLOCATIONS;
    const ts_allocator allocator = counting_allocator(&count);
    ts_workspace *own = ts_workspace_create(&allocator);
    int before = 0;
    for (int repeat = 0; repeat < 3; ++repeat) {
      before = count.calls;
      double z[48];
      ts_report report = {0};
      assert_int_equal(ts_solve(ts_solver_find(names[k]), &sample->local, &options, own, z, &report, NULL), TS_OK);
    }
    assert_int_equal(count.calls, before);
    ts_workspace_destroy(own);
  }
  friction_sample_destroy(sample);
}

// No contacts at all, and a contact that nothing moves: W = 0.
static void empty_and_immovable_problems(void **state)
{
  (void)state;
  const ts_solve_options options = ts_solve_options_default();
  const double zeros[9] = {0.0}, approaching[3] = {-1.0, 0.5, 0.0}, mu = 0.3;
  const int start[1] = {0};
  const ts_problem nothing =
      ts_problem_friction((ts_friction){.dimension = 3, .W = {.block = 3, .start = start}, .q = zeros, .mu = &mu});
  const ts_problem immovable = one_contact(3, zeros, approaching, &mu, NULL),
                   at_rest = one_contact(3, zeros, zeros, &mu, NULL);
  for (int k = 0; k < SOLVERS; ++k) {
    double z[3] = {0.0};
    assert_int_equal(run(names[k], &nothing, &options, z).outcome, TS_SOLVED);
    assert_int_equal(run(names[k], &at_rest, &options, z).outcome, TS_SOLVED);
    assert_int_not_equal(run(names[k], &immovable, &options, z).outcome, TS_SOLVED); // it has no solution
    assert_true(all_finite(z, 3));
  }
}

// Problems with joints that are solved only after a restart: its sweeps must count every bilateral row.
static void restarts_sweep_bilateral_rows_too(void **state)
{
  (void)state;
  static const int seeds[] = {82, 103, 121, 198, 236, 301, 469, 553, 560, 588, 595};
  double z[1024];
  const ts_solve_options options = ts_solve_options_default();
  for (size_t k = 0; k < sizeof seeds / sizeof *seeds; ++k) {
    friction_recipe recipe = friction_recipe_draw((uint64_t)seeds[k]);
    if (recipe.contacts > 12) recipe.contacts = 12;
    if (recipe.joints == 0) recipe.joints = 2;
    friction_sample *sample = friction_sample_create(&recipe, (uint64_t)seeds[k]);
    ts_report report = {0};
    memset(z, 0, sizeof z);
    assert_int_equal(ts_solve(ts_solver_find("ncp-dogleg"), &sample->local, &options, workspace, z, &report, NULL),
                     TS_OK);
    if (report.outcome != TS_SOLVED) fail_msg("seed %d: %s", seeds[k], ts_outcome_name(report.outcome));
    friction_sample_destroy(sample);
  }
}

int main(void)
{
  const struct CMUnitTest tests[] = {
      cmocka_unit_test(one_contact_sticks_slips_and_opens),
      cmocka_unit_test(one_contact_in_the_plane_and_without_friction),
      cmocka_unit_test(one_contact_slips_on_an_ellipsoid_with_spin),
      cmocka_unit_test(the_sphere_slides_then_rolls),
      cmocka_unit_test(reference_problems_are_solved),
      cmocka_unit_test(a_degenerate_problem_is_solved),
      cmocka_unit_test(random_problems),
      cmocka_unit_test(spheres_are_solved_within_30_iterations),
      cmocka_unit_test(a_warm_start_at_the_solution_ends_at_once),
      cmocka_unit_test(limits_and_options_are_honoured),
      cmocka_unit_test(runs_repeat_to_the_last_bit),
      cmocka_unit_test(the_unit_of_velocity_does_not_matter),
      cmocka_unit_test(a_warm_workspace_allocates_nothing),
      cmocka_unit_test(empty_and_immovable_problems),
      cmocka_unit_test(restarts_sweep_bilateral_rows_too),
  };
  return cmocka_run_group_tests(tests, create_workspace, destroy_workspace);
}
