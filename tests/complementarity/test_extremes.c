// Friction problems that are allowed but hostile: data whose squares overflow, no contacts, much friction, bodies that
// do not belong to W. Every solver has to come back with finite numbers, within its limits, and nothing wrong may be
// certified.
#include "touchstone/touchstone.h"

#include "friction_generator.h"

#include <math.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <string.h>
#include <cmocka.h>

enum { MOST = 60 };

// Run every solver that takes the problem, from its cold start and from a point whose products overflow.
static void run_all(const ts_problem *problem, void (*check)(const ts_problem *, const double *, const ts_report *))
{
  ts_workspace *workspace = ts_workspace_create(NULL);
  const size_t size = ts_problem_size(problem);
  assert_true(size <= MOST);
  for (int k = 0; k < 2 * ts_solver_count(); ++k) {
    const ts_solver *solver = ts_solver_at(k / 2);
    if (!(ts_solver_takes(solver) & (unsigned)problem->type)) continue;
    double z[MOST];
    ts_solve_options options = ts_solve_options_default();
    options.warm_start = k % 2 == 1;
    options.time_limit = 60.0;
    for (size_t i = 0; i < size; ++i) z[i] = i % 2 ? 1e300 : -1e300;
    ts_report report = {0};
    assert_int_equal(ts_solve(solver, problem, &options, workspace, z, &report, NULL), TS_OK);
    for (size_t i = 0; i < size; ++i) assert_true(isfinite(z[i]));
    assert_true(report.outcome != TS_TIME_LIMIT); // small as they are, none may go on and on
    check(problem, z, &report);
  }
  ts_workspace_destroy(workspace);
}

static void assert_auto_solves(const ts_problem *problem)
{
  double z[MOST];
  ts_workspace *workspace = ts_workspace_create(NULL);
  const ts_solve_options options = ts_solve_options_default();
  ts_report report = {0};
  assert_int_equal(ts_solve(ts_solver_find("auto"), problem, &options, workspace, z, &report, NULL), TS_OK);
  assert_int_equal(report.outcome, TS_SOLVED);
  ts_workspace_destroy(workspace);
}

static void any_outcome(const ts_problem *problem, const double *z, const ts_report *report)
{
  (void)problem;
  (void)z;
  (void)report;
}

// The contact of one_contact() below is pressed together: a solution has an impulse.
static void presses_where_solved(const ts_problem *problem, const double *z, const ts_report *report)
{
  const double *q = problem->friction.q;
  if (report->outcome == TS_SOLVED) assert_true(fabs(z[0] / -q[0] - 1.0) < 1e-3);
}

static const double identity[] = {1, 0, 0, 0, 1, 0, 0, 0, 1};
static const int one_start[] = {0, 1}, one_index[] = {0};

static ts_problem one_contact(const double *q, const double *mu)
{
  return ts_problem_friction(
      (ts_friction){.dimension = 3, .contacts = 1, .W = {1, 3, one_start, one_index, identity}, .q = q, .mu = mu});
}

static void units_do_not_matter(void **state)
{
  (void)state;
  static const double units[] = {1e-300, 1e-160, 1e160, 1e300};
  const double mu = 0.5;
  for (size_t k = 0; k < sizeof units / sizeof units[0]; ++k) {
    const double q[] = {-units[k], 0.2 * units[k], 0};
    const ts_problem p = one_contact(q, &mu);
    run_all(&p, presses_where_solved);
    assert_auto_solves(&p);
  }
}

static void much_friction_is_no_excuse(void **state)
{
  (void)state;
  const double q[] = {-1, 2, 0};
  static const double mus[] = {1e3, 1e8, 1e12, 1e160, 1e300};
  for (size_t k = 0; k < sizeof mus / sizeof mus[0]; ++k) {
    const ts_problem p = one_contact(q, &mus[k]);
    run_all(&p, presses_where_solved);
  }
}

static void vanishing_W_breaks_nothing(void **state)
{
  (void)state;
  double W[9];
  const double q[] = {-1, 2, 0}, mu = 0.5;
  static const double sizes[] = {0.0, 5e-324, 1e-310, 1e300, -1.0};
  for (size_t k = 0; k < sizeof sizes / sizeof sizes[0]; ++k) {
    for (int i = 0; i < 9; ++i) W[i] = sizes[k] * identity[i];
    ts_problem p = one_contact(q, &mu);
    p.friction.W.value = W;
    run_all(&p, any_outcome);
  }
}

static void bilateral_rows_need_no_contacts(void **state)
{
  (void)state;
  const double R[] = {2, 1, 1, 2}, s[] = {1, -1};
  const ts_problem p = ts_problem_friction((ts_friction){.dimension = 3,
                                                         .bilaterals = 2,
                                                         .W = {.block = 3},
                                                         .V = {0, 2, NULL, NULL, NULL},
                                                         .R = {2, 2, NULL, NULL, R},
                                                         .s = s});
  run_all(&p, any_outcome);
  assert_auto_solves(&p);
}

// Nine contacts, each on a row of M of its own, and rows that no contact touches. W is that of M = 1.
enum { CONTACTS = 9, ROWS = 3 * CONTACTS + 2 };

static void run_with_bodies(int entries, const int *row, const int *column, const double *value)
{
  double W[9 * CONTACTS], q[3 * CONTACTS], mu[CONTACTS], H[3 * CONTACTS], M[MOST];
  int start[CONTACTS + 1], index[CONTACTS], H_start[3 * CONTACTS + 1], H_index[3 * CONTACTS], M_start[ROWS + 1];
  int M_index[MOST], filled = 0;
  for (int i = 0; i < CONTACTS; ++i) {
    memcpy(W + 9 * i, identity, sizeof identity);
    start[i] = index[i] = i;
    mu[i] = 0.5;
    memcpy(q + 3 * i, (double[]){-1, 0.9, 0.1 * i}, 3 * sizeof *q);
  }
  start[CONTACTS] = CONTACTS;
  for (int k = 0; k < 3 * CONTACTS; ++k) {
    H_start[k] = H_index[k] = k;
    H[k] = 1.0;
  }
  H_start[3 * CONTACTS] = 3 * CONTACTS;
  for (int j = 0; j < ROWS; ++j) { // the unit matrix with the given entries in the place of its own
    M_start[j] = filled;
    for (int i = 0; i < ROWS; ++i) {
      double entry = i == j ? 1.0 : 0.0;
      bool present = i == j;
      for (int k = 0; k < entries; ++k)
        if (row[k] == i && column[k] == j) {
          entry = value[k];
          present = true;
        }
      if (!present) continue;
      M_index[filled] = i;
      M[filled++] = entry;
    }
  }
  M_start[ROWS] = filled;
  const ts_bodies bodies = {.M = {ROWS, ROWS, M_start, M_index, M}, .H = {ROWS, 3 * CONTACTS, H_start, H_index, H}};
  const ts_problem p = ts_problem_friction((ts_friction){
      .dimension = 3, .contacts = CONTACTS, .W = {CONTACTS, 3, start, index, W}, .q = q, .mu = mu, .bodies = &bodies});
  run_all(&p, any_outcome);
}

static void bodies_that_do_not_fit_break_nothing(void **state)
{
  (void)state;
  // a zero that is there, between a row with and a row without contacts
  run_with_bodies(2, (int[]){ROWS - 1, 0}, (int[]){0, ROWS - 1}, (double[]){0, 0});
  // half of a symmetric matrix, in parts that are too large for one node
  int row[13], column[13];
  double value[13];
  for (int k = 0; k < 13; ++k) {
    row[k] = k;
    column[k] = k + 1;
    value[k] = 0.1;
  }
  run_with_bodies(13, row, column, value);
  // not definite, and not there at all
  run_with_bodies(2, (int[]){0, 5}, (int[]){0, 5}, (double[]){-1, 0});
}

// ---- limits --------------------------------------------------------------------------------------------------------

static void run_limited(const ts_problem *problem, int limit, ts_workspace *workspace)
{
  double z[400];
  assert_true(ts_problem_size(problem) <= sizeof z / sizeof *z);
  for (int k = 0; k < ts_solver_count(); ++k) {
    const ts_solver *solver = ts_solver_at(k);
    if (!(ts_solver_takes(solver) & (unsigned)problem->type)) continue;
    ts_solve_options options = ts_solve_options_default();
    options.max_iterations = limit;
    ts_report report = {0};
    assert_int_equal(ts_solve(solver, problem, &options, workspace, z, &report, NULL), TS_OK);
    assert_true(report.iterations <= limit);
    assert_true(report.trail_count == 0 || report.fallbacks == report.trail_count - 1);
  }
}

static void no_solver_takes_more_iterations_than_it_may(void **state)
{
  (void)state;
  static const int limits[] = {1, 7, 150};
  ts_workspace *workspace = ts_workspace_create(NULL);
  for (uint64_t seed = 1; seed <= 12; ++seed) {
    const friction_recipe recipe = friction_recipe_draw(seed);
    friction_sample *sample = friction_sample_create(&recipe, seed);
    for (size_t k = 0; k < sizeof limits / sizeof limits[0]; ++k) {
      run_limited(&sample->local, limits[k], workspace);
      run_limited(&sample->global, limits[k], workspace);
    }
    friction_sample_destroy(sample);
  }
  const double M[] = {0, -1, 2, 2, 0, -1, -1, 2, 0}, q[] = {-1, -1, -1};
  const ts_problem lcp = ts_problem_lcp((ts_lcp){3, {3, 3, NULL, NULL, M}, q});
  for (size_t k = 0; k < sizeof limits / sizeof limits[0]; ++k) run_limited(&lcp, limits[k], workspace);
  ts_workspace_destroy(workspace);
}

int main(void)
{
  const struct CMUnitTest tests[] = {
      cmocka_unit_test(units_do_not_matter),
      cmocka_unit_test(much_friction_is_no_excuse),
      cmocka_unit_test(vanishing_W_breaks_nothing),
      cmocka_unit_test(bilateral_rows_need_no_contacts),
      cmocka_unit_test(bodies_that_do_not_fit_break_nothing),
      cmocka_unit_test(no_solver_takes_more_iterations_than_it_may),
  };
  return cmocka_run_group_tests(tests, NULL, NULL);
}
