// Newton's method from a guess on problems of few contacts: judged by the certificate, by what can be written down, and
// by leaving alone what it cannot solve.
#include "complementarity/friction/few_contacts.h"

#include "touchstone/certificate.h"
#include "touchstone/solver.h"

#include "base/random.h"
#include "friction_generator.h"
#include "math/small_system.h"

#include <float.h>
#include <math.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <string.h>
#include <cmocka.h>

enum { MOST = TS_FEW_CONTACTS, MOST_ROWS = 4 * MOST, STEPS = 5 };

static const double TARGET = 5e-9;

static ts_friction_measures measure(const ts_friction *p, const double *r)
{
  ts_friction_measures m;
  const ts_problem problem = ts_problem_friction(*p);
  assert_int_equal(ts_friction_measure(&problem, r, &m), TS_OK);
  return m;
}

// A solution by the whole chain, from nothing.
static bool solve_cold(const ts_friction *p, double *r)
{
  const ts_problem problem = ts_problem_friction(*p);
  ts_solve_options options = ts_solve_options_default();
  ts_report report = {0};
  ts_workspace *workspace = ts_workspace_create(NULL);
  options.tolerance = 1e-10;
  memset(r, 0, MOST_ROWS * sizeof *r);
  assert_int_equal(ts_solve(ts_solver_find("auto"), &problem, &options, workspace, r, &report, NULL), TS_OK);
  ts_workspace_destroy(workspace);
  return report.outcome == TS_SOLVED;
}

// What holds whatever the guess was: solved as the certificate sees it, or the guess as it was.
static bool solve_and_check(const ts_friction *p, double *r)
{
  double before[MOST_ROWS];
  memcpy(before, r, sizeof before);
  const ts_few_contacts_result result = ts_few_contacts_solve(p, TARGET, STEPS, r);
  assert_in_range(result.steps, 0, STEPS);
  if (!(result.error <= TARGET)) {
    assert_memory_equal(r, before, sizeof before);
    return false;
  }
  const ts_friction_measures m = measure(p, r);
  assert_true(m.scaled <= result.error && m.fclib <= result.error);
  return true;
}

// ---- a cube on the four corners of its lower face -------------------------------------------------------------------

// Edge 1 and mass 1; rows n t o of corner (+-1/2, +-1/2, -1/2) with n = z, t = x, o = y. W has rank 6 of 12.
typedef struct cube {
  int start[5], index[16];
  double W[16 * 9], q[12], mu[4];
  ts_friction problem;
} cube;

static void cross(const double *a, const double *b, double *c)
{
  for (int k = 0; k < 3; ++k) c[k] = a[(k + 1) % 3] * b[(k + 2) % 3] - a[(k + 2) % 3] * b[(k + 1) % 3];
}

static void make_cube(cube *c, double mu)
{
  static const double axis[3][3] = {{0, 0, 1}, {1, 0, 0}, {0, 1, 0}};
  double moment[4][3][3];
  for (int i = 0; i < 4; ++i) {
    const double arm[3] = {i & 1 ? 0.5 : -0.5, i & 2 ? 0.5 : -0.5, -0.5};
    for (int r = 0; r < 3; ++r) cross(arm, axis[r], moment[i][r]);
    c->mu[i] = mu;
    c->start[i] = 4 * i;
    for (int j = 0; j < 4; ++j) c->index[4 * i + j] = j;
  }
  c->start[4] = 16;
  for (int i = 0; i < 4; ++i)
    for (int j = 0; j < 4; ++j)
      for (int r = 0; r < 3; ++r)
        for (int s = 0; s < 3; ++s) {
          double entry = r == s ? 1.0 : 0.0;
          for (int k = 0; k < 3; ++k) entry += 6.0 * moment[i][r][k] * moment[j][s][k]; // inertia 1/6
          c->W[9 * (4 * i + j) + 3 * s + r] = entry;
        }
  c->problem = (ts_friction){
      .dimension = 3, .contacts = 4, .W = {4, 3, c->start, c->index, c->W}, .q = c->q, .mu = c->mu, .bodies = NULL};
}

static void set_velocity(cube *c, double n, double t, double o)
{
  for (int i = 0; i < 4; ++i) {
    c->q[3 * i] = n;
    c->q[3 * i + 1] = t;
    c->q[3 * i + 2] = o;
  }
}

static void sum_impulses(const double *r, double *sum)
{
  for (int k = 0; k < 3; ++k) sum[k] = r[k] + r[3 + k] + r[6 + k] + r[9 + k];
}

// It slides along (4, 3): whatever the corners' shares, together they stop the fall and brake by mu against the slip.
static void a_sliding_cube_is_braked_by_mu(void **state)
{
  (void)state;
  cube c;
  make_cube(&c, 0.12);
  set_velocity(&c, -0.1, 4.0, 3.0);
  double r[MOST_ROWS] = {0}, sum[3];
  for (int i = 0; i < 4; ++i) r[3 * i] = 0.02; // frictionless, and too little
  const ts_few_contacts_result result = ts_few_contacts_solve(&c.problem, TARGET, STEPS, r);
  assert_true(result.error <= TARGET);
  assert_in_range(result.steps, 1, 3);
  sum_impulses(r, sum);
  assert_true(fabs(sum[0] - 0.1) < 1e-8);
  assert_true(fabs(sum[1] + 0.12 * 0.1 * 0.8) < 1e-8);
  assert_true(fabs(sum[2] + 0.12 * 0.1 * 0.6) < 1e-8);
}

// It sticks: one step takes all of its velocity away, though W is singular.
static void a_sticking_cube_is_stopped_in_one_step(void **state)
{
  (void)state;
  cube c;
  make_cube(&c, 0.5);
  set_velocity(&c, -0.1, 0.02, -0.01);
  double r[MOST_ROWS] = {0}, sum[3];
  for (int i = 0; i < 4; ++i) r[3 * i] = 0.02;
  const ts_few_contacts_result result = ts_few_contacts_solve(&c.problem, TARGET, 1, r);
  assert_true(result.error <= TARGET);
  sum_impulses(r, sum);
  assert_true(fabs(sum[0] - 0.1) < 1e-8 && fabs(sum[1] + 0.02) < 1e-8 && fabs(sum[2] - 0.01) < 1e-8);
  for (int i = 0; i < 4; ++i) assert_true(fabs(r[3 * i] - 0.025) < 1e-2); // the shares stay near those of the guess
}

static void no_friction_leaves_no_tangential_impulse(void **state)
{
  (void)state;
  cube c;
  make_cube(&c, 0.0);
  set_velocity(&c, -0.1, 4.0, 3.0);
  double r[MOST_ROWS] = {0};
  for (int i = 0; i < 4; ++i) r[3 * i] = r[3 * i + 1] = 0.01;
  assert_true(solve_and_check(&c.problem, r));
  for (int i = 0; i < 4; ++i) assert_true(r[3 * i + 1] == 0.0 && r[3 * i + 2] == 0.0);
}

static void what_separates_gets_no_impulse(void **state)
{
  (void)state;
  cube c;
  make_cube(&c, 0.3);
  set_velocity(&c, 0.1, 1.0, 0.0);
  double r[MOST_ROWS] = {0};
  for (int i = 0; i < 4; ++i) r[3 * i] = 1e-4;
  assert_true(solve_and_check(&c.problem, r));
  for (int k = 0; k < 12; ++k) assert_true(r[k] == 0.0);
}

static void a_solution_is_left_as_it_is(void **state)
{
  (void)state;
  cube c;
  make_cube(&c, 0.12);
  set_velocity(&c, -0.1, 4.0, 3.0);
  double r[MOST_ROWS] = {0}, again[MOST_ROWS];
  r[0] = r[3] = r[6] = r[9] = 0.02;
  ts_few_contacts_solve(&c.problem, 1e-13, 20, r);
  memcpy(again, r, sizeof again);
  const ts_few_contacts_result result = ts_few_contacts_solve(&c.problem, TARGET, STEPS, again);
  assert_int_equal(result.steps, 0);
  assert_memory_equal(again, r, sizeof r);
}

// ---- random problems -----------------------------------------------------------------------------------------------

static friction_recipe recipe_of(int dimension, int contacts, int bodies, double most_mu)
{
  return (friction_recipe){
      .dimension = dimension, .contacts = contacts, .bodies = bodies, .least_mu = 0.0, .most_mu = most_mu};
}

// The data changes a little, as from one step to the next: nearly always the old solution leads to the new one.
static void a_good_guess_is_nearly_always_enough(void **state)
{
  (void)state;
  ts_random random;
  ts_random_init(&random, 5);
  int tried = 0, solved = 0;
  for (uint64_t seed = 0; seed < 240; ++seed) {
    const friction_recipe recipe = recipe_of(2 + (int)(seed % 3), 1 + (int)(seed % MOST), 1 + (int)(seed % 4), 0.8);
    friction_sample *sample = friction_sample_create(&recipe, seed);
    ts_friction p = sample->local.friction;
    const int rows = p.dimension * p.contacts;
    double r[MOST_ROWS], q[MOST_ROWS];
    if (solve_cold(&p, r)) {
      for (int k = 0; k < rows; ++k) q[k] = p.q[k] * (1.0 + 1e-4 * ts_random_normal(&random));
      p.q = q;
      ++tried;
      solved += solve_and_check(&p, r);
    }
    friction_sample_destroy(sample);
  }
  assert_true(tried > 230);
  assert_true(solved > 0.9 * tried);
}

static void a_wrong_guess_is_solved_or_left_alone(void **state)
{
  (void)state;
  ts_random random;
  ts_random_init(&random, 6);
  for (uint64_t seed = 0; seed < 300; ++seed) {
    const friction_recipe recipe = recipe_of(2 + (int)(seed % 3), 1 + (int)(seed % MOST), 1 + (int)(seed % 3), 3.0);
    friction_sample *sample = friction_sample_create(&recipe, seed);
    const ts_friction *p = &sample->local.friction;
    double r[MOST_ROWS] = {0};
    const double size = pow(10.0, ts_random_uniform(&random, -6.0, 6.0));
    for (int k = 0; k < p->dimension * p->contacts; ++k) r[k] = size * ts_random_normal(&random);
    solve_and_check(p, r);
    friction_sample_destroy(sample);
  }
}

// `auto` with a warm start that misleads it has the rest of its chain, and says in the trail what it tried.
static void auto_goes_on_from_a_wrong_guess(void **state)
{
  (void)state;
  ts_random random;
  ts_random_init(&random, 7);
  ts_workspace *workspace = ts_workspace_create(NULL);
  int missed = 0;
  for (uint64_t seed = 0; seed < 100; ++seed) {
    const friction_recipe recipe = recipe_of(3, 2 + (int)(seed % 7), 2, 0.8);
    friction_sample *sample = friction_sample_create(&recipe, seed);
    ts_solve_options options = ts_solve_options_default();
    ts_report report = {0};
    double r[MOST_ROWS];
    options.warm_start = true;
    for (int k = 0; k < MOST_ROWS; ++k) r[k] = 100.0 * ts_random_normal(&random);
    assert_int_equal(ts_solve(ts_solver_find("auto"), &sample->local, &options, workspace, r, &report, NULL), TS_OK);
    assert_int_equal(report.outcome, TS_SOLVED);
    assert_true(measure(&sample->local.friction, r).fclib <= options.tolerance);
    assert_true(report.trail_count > 0);
    assert_string_equal(report.trail[0].solver, "newton");
    if (report.trail[0].outcome != TS_SOLVED) ++missed;
    assert_int_equal(report.fallbacks, report.trail_count - 1);
    friction_sample_destroy(sample);
  }
  assert_true(missed > 0);
  ts_workspace_destroy(workspace);
}

// Without a guess: solved as the certificate sees it, or r as it was. Sweeps and Newton steps do in most problems, in
// the plane with many contacts as with few.
static void sweeps_make_a_guess(void **state)
{
  (void)state;
  for (int dimension = 2; dimension <= 4; ++dimension) {
    int solved = 0;
    for (uint64_t seed = 0; seed < 200; ++seed) {
      const int most = TS_SMALL_SYSTEM_ROWS / dimension;
      const friction_recipe recipe = recipe_of(dimension, 2 + (int)(seed % (uint64_t)(most - 1)), 3, 0.8);
      friction_sample *sample = friction_sample_create(&recipe, seed);
      const ts_friction *p = &sample->local.friction;
      double r[TS_SMALL_SYSTEM_ROWS], before[TS_SMALL_SYSTEM_ROWS];
      for (int k = 0; k < TS_SMALL_SYSTEM_ROWS; ++k) r[k] = 7.0 + k; // nobody reads what is no guess
      memcpy(before, r, sizeof r);
      assert_true(ts_few_contacts_apply_cold(p));
      const ts_few_contacts_result result = ts_few_contacts_solve_cold(p, TARGET, r);
      if (result.error <= TARGET) {
        const ts_friction_measures m = measure(p, r);
        const double bound = fmax(result.error, DBL_EPSILON);
        assert_true(m.scaled <= bound && m.fclib <= bound);
        ++solved;
      } else {
        assert_memory_equal(r, before, sizeof r);
      }
      friction_sample_destroy(sample);
    }
    assert_true(solved > 150);
  }
}

// `auto` begins with it, in the plane without sweeps where there are two or three, and has the rest of its chain from
// nothing where that is not enough. Who counts iterations gets the chain.
static void few_contacts_need_no_guess(void **state)
{
  (void)state;
  ts_workspace *workspace = ts_workspace_create(NULL);
  int at_once = 0, missed = 0;
  for (uint64_t seed = 0; seed < 300; ++seed) {
    const friction_recipe recipe = recipe_of(2 + (int)(seed % 2), 2 + (int)(seed % 7), 1 + (int)(seed % 4), 1.5);
    friction_sample *sample = friction_sample_create(&recipe, seed);
    ts_solve_options options = ts_solve_options_default();
    ts_report report = {0};
    double r[MOST_ROWS];
    for (int k = 0; k < MOST_ROWS; ++k) r[k] = NAN;
    assert_int_equal(ts_solve(ts_solver_find("auto"), &sample->local, &options, workspace, r, &report, NULL), TS_OK);
    assert_int_equal(report.outcome, TS_SOLVED);
    assert_true(measure(&sample->local.friction, r).fclib <= options.tolerance);
    const bool newton = report.trail_count > 0 && strcmp(report.trail[0].solver, "newton") == 0;
    if (newton && report.trail_count == 1) ++at_once;
    if (newton && report.trail_count > 1) ++missed;
    if (newton && recipe.dimension == 2 && recipe.contacts <= 3 && report.trail_count == 1)
      assert_true(report.iterations == report.factorizations || report.iterations > 3);
    options.max_iterations = 1;
    assert_int_equal(ts_solve(ts_solver_find("auto"), &sample->local, &options, workspace, r, &report, NULL), TS_OK);
    assert_true(report.trail_count == 0 || strcmp(report.trail[0].solver, "nsgs") == 0);
    assert_true(report.iterations <= 1);
    friction_sample_destroy(sample);
  }
  assert_true(at_once > 180);
  assert_true(missed > 0);
  ts_workspace_destroy(workspace);
}

// ---- limits and hostile data ---------------------------------------------------------------------------------------

static void it_applies_to_few_round_contacts_alone(void **state)
{
  (void)state;
  cube c;
  make_cube(&c, 0.1);
  const double axes[8] = {1, 1, 1, 1, 1, 1, 1, 1};
  ts_friction p = c.problem;
  assert_true(ts_few_contacts_apply(&p));
  p.contacts = 0;
  assert_false(ts_few_contacts_apply(&p));
  assert_false(ts_few_contacts_apply_cold(&p));
  p.contacts = MOST + 1;
  assert_false(ts_few_contacts_apply(&p));
  assert_true(ts_few_contacts_apply_cold(&p));
  p.contacts = TS_SMALL_SYSTEM_ROWS / 3 + 1;
  assert_false(ts_few_contacts_apply_cold(&p));
  p = c.problem;
  p.ellipsoid = axes;
  assert_false(ts_few_contacts_apply(&p) || ts_few_contacts_apply_cold(&p));
  p = c.problem;
  p.bilaterals = 1;
  assert_false(ts_few_contacts_apply(&p) || ts_few_contacts_apply_cold(&p));
}

static void without_steps_only_the_guess_is_measured(void **state)
{
  (void)state;
  cube c;
  make_cube(&c, 0.12);
  set_velocity(&c, -0.1, 4.0, 3.0);
  double r[MOST_ROWS] = {0};
  const ts_few_contacts_result result = ts_few_contacts_solve(&c.problem, TARGET, 0, r);
  assert_int_equal(result.steps, 0);
  assert_true(result.error > TARGET);
  assert_true(fabs(result.error / measure(&c.problem, r).fclib - 1.0) < 1e-12);
}

static void hostile_numbers_are_left_alone(void **state)
{
  (void)state;
  const double hostile[] = {NAN, INFINITY, -INFINITY, 1e300, -1e300, 1e-300};
  for (size_t h = 0; h < sizeof hostile / sizeof hostile[0]; ++h)
    for (int where = 0; where < 3; ++where) {
      cube c;
      make_cube(&c, 0.3);
      set_velocity(&c, -0.1, 1.0, 0.0);
      double r[MOST_ROWS] = {0.02, 0, 0, 0.02, 0, 0, 0.02}, before[MOST_ROWS];
      if (where == 0) r[4] = hostile[h];
      if (where == 1) c.q[7] = hostile[h];
      if (where == 2) c.W[9 * 5 + 4] = hostile[h]; // on the diagonal
      memcpy(before, r, sizeof r);
      const ts_few_contacts_result result = ts_few_contacts_solve(&c.problem, TARGET, STEPS, r);
      if (!(result.error <= TARGET)) assert_memory_equal(r, before, sizeof r);
      for (int k = 0; where > 0 && k < 12; ++k) assert_true(isfinite(r[k]));
      memcpy(r, before, sizeof r);
      const ts_few_contacts_result cold = ts_few_contacts_solve_cold(&c.problem, TARGET, r);
      if (!(cold.error <= TARGET)) assert_memory_equal(r, before, sizeof r);
      for (int k = 0; cold.error <= TARGET && k < 12; ++k) assert_true(isfinite(r[k]));
    }
  cube c;
  make_cube(&c, 0.3);
  memset(c.W, 0, sizeof c.W);
  set_velocity(&c, -0.1, 1.0, 0.0);
  double r[MOST_ROWS] = {0};
  assert_true(isinf(ts_few_contacts_solve(&c.problem, TARGET, STEPS, r).error));
}

int main(void)
{
  const struct CMUnitTest tests[] = {
      cmocka_unit_test(a_sliding_cube_is_braked_by_mu),
      cmocka_unit_test(a_sticking_cube_is_stopped_in_one_step),
      cmocka_unit_test(no_friction_leaves_no_tangential_impulse),
      cmocka_unit_test(what_separates_gets_no_impulse),
      cmocka_unit_test(a_solution_is_left_as_it_is),
      cmocka_unit_test(a_good_guess_is_nearly_always_enough),
      cmocka_unit_test(a_wrong_guess_is_solved_or_left_alone),
      cmocka_unit_test(auto_goes_on_from_a_wrong_guess),
      cmocka_unit_test(sweeps_make_a_guess),
      cmocka_unit_test(few_contacts_need_no_guess),
      cmocka_unit_test(it_applies_to_few_round_contacts_alone),
      cmocka_unit_test(without_steps_only_the_guess_is_measured),
      cmocka_unit_test(hostile_numbers_are_left_alone),
  };
  return cmocka_run_group_tests(tests, NULL, NULL);
}
