// What every listed solver of friction problems has to pass: closed forms, reference problems, and that nothing depends
// on units, on the order of contacts, on tangent frames or on the form the problem is stated in. A solver that joins
// the list is tested here without a line of its own. Where the methods differ in what they can solve, the rule is:
// whoever says solved has the solution, and `auto` solves all.
#include "case_file.h"
#include "contact_cases.h"
#include "friction_generator.h"
#include "friction_run.h"

#include "touchstone/lowering.h"

#include "base/random.h"
#include "math/matrix.h"

#include <math.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <cmocka.h>

static const int one_start[] = {0, 1}, one_index[] = {0};

static bool takes(const ts_solver *solver, ts_problem_type type)
{
  return (ts_solver_takes(solver) & (unsigned)type) != 0;
}

static bool is_auto(const ts_solver *solver)
{
  return strcmp(ts_solver_name(solver), "auto") == 0;
}

#define FOR_ALL_SOLVERS(solver, type)                                                                                  \
  for (int solver##_ = 0; solver##_ < ts_solver_count(); ++solver##_)                                                  \
    for (const ts_solver *solver = ts_solver_at(solver##_); solver && takes(solver, type); solver = NULL)

// Solve, and fail unless it is solved and certified.
static void solve(friction_run *run, const ts_solver *solver, const ts_problem *problem, const char *what)
{
  const ts_outcome outcome = friction_run_solve(run, solver, problem);
  if (outcome == TS_SOLVED && friction_run_is_certified(run, problem, run->options.tolerance)) return;
  friction_run_print_miss(run, problem, what);
  fail_msg("%s does not solve %s", ts_solver_name(solver), what);
}

// Solve where the method can: false when it says that it did not; `auto` has to.
static bool try_to_solve(friction_run *run, const ts_solver *solver, const ts_problem *problem, const char *what)
{
  if (is_auto(solver)) {
    solve(run, solver, problem, what);
    return true;
  }
  if (friction_run_solve(run, solver, problem) != TS_SOLVED) return false;
  if (!friction_run_is_certified(run, problem, run->options.tolerance))
    fail_msg("%s calls %s solved and it is not", ts_solver_name(solver), what);
  return true;
}

static void assert_near(const ts_solver *solver, const char *what, int count, const double *z, const double *expected,
                        double allowed)
{
  for (int k = 0; k < count; ++k)
    if (!(fabs(z[k] - expected[k]) <= allowed))
      fail_msg("%s on %s: number %d is %.12g, expected is %.12g", ts_solver_name(solver), what, k, z[k], expected[k]);
}

// ---- closed forms --------------------------------------------------------------------------------------------------

typedef struct closed_form {
  const char *what;
  double mu, W[9], q[3], r[3];
} closed_form;

// One contact. The sphere of reference-numbers.md 1 during 1 ms: sliding at 2 m/s in a direction of 3-4-5, and rolling.
// A block of 2 kg on a slope with mu = 0.5 during 0.1 s at 10 m/s^2: at tan = 0.75 it slips, and the impulse along the
// slope is mu times the pressure; at tan = 7/24 it sticks and the impulse is the weight.
static const closed_form closed_forms[] = {
    {"a sliding sphere",
     0.2,
     {1, 0, 0, 0, 3.5, 0, 0, 0, 3.5},
     {-9.81e-3, 1.2, 1.6},
     {9.81e-3, -0.12 * 9.81e-3, -0.16 * 9.81e-3}},
    {"a rolling sphere", 0.2, {1, 0, 0, 0, 3.5, 0, 0, 0, 3.5}, {-9.81e-3, 0, 0}, {9.81e-3, 0, 0}},
    {"a slipping block", 0.5, {0.5, 0, 0, 0, 0.5, 0, 0, 0, 0.5}, {-0.8, 0.6, 0}, {1.6, -0.8, 0}},
    {"a sticking block", 0.5, {0.5, 0, 0, 0, 0.5, 0, 0, 0, 0.5}, {-0.96, 0.28, 0}, {1.92, -0.56, 0}},
    {"a contact that opens", 0.5, {2, 0.5, 0, 0.5, 2, 0, 0, 0, 2}, {0.1, -3, 1}, {0, 0, 0}},
    {"a contact at rest", 0.5, {2, 0.5, 0, 0.5, 2, 0, 0, 0, 2}, {0, 0, 0}, {0, 0, 0}},
    {"no friction", 0.0, {2, 0.5, 0, 0.5, 2, 0, 0, 0, 2}, {-1, 3, 1}, {0.5, 0, 0}},
    // q = -W r for an r far inside the cone: it sticks
    {"large friction", 1e3, {2, 0.5, 0, 0.5, 2, 0, 0, 0, 2}, {-1.75, 0.5, -2}, {1, -0.5, 1}},
    {"huge friction", 1e6, {2, 0.5, 0, 0.5, 2, 0, 0, 0, 2}, {-1.75, 0.5, -2}, {1, -0.5, 1}},
};

static ts_problem one_contact_problem(const closed_form *c)
{
  return ts_problem_friction(
      (ts_friction){.dimension = 3, .contacts = 1, .W = {1, 3, one_start, one_index, c->W}, .q = c->q, .mu = &c->mu});
}

static void closed_forms_are_met(void **state)
{
  friction_run *run = *state;
  for (size_t k = 0; k < sizeof closed_forms / sizeof closed_forms[0]; ++k) {
    const closed_form *c = &closed_forms[k];
    const ts_problem problem = one_contact_problem(c);
    FOR_ALL_SOLVERS(solver, TS_FRICTION)
    {
      // The residual holds mu |u_t|: a last digit of u_t makes 1e-10 of it at mu = 1e6, which sweeps do not get below.
      if (c->mu > 1e4 && !try_to_solve(run, solver, &problem, c->what)) continue;
      if (c->mu <= 1e4) solve(run, solver, &problem, c->what);
      assert_near(solver, c->what, 3, run->z, c->r, 1e-9 * (1.0 + fabs(c->r[0])));
    }
  }
}

// The same contact stated twice: both copies together carry what one would.
static void duplicate_contacts_share_the_impulse(void **state)
{
  friction_run *run = *state;
  static const int start[] = {0, 2, 4}, index[] = {0, 1, 0, 1};
  for (size_t k = 0; k < sizeof closed_forms / sizeof closed_forms[0]; ++k) {
    const closed_form *c = &closed_forms[k];
    double W[36], q[6], total[3];
    const double mu[2] = {c->mu, c->mu};
    for (int b = 0; b < 4; ++b) memcpy(W + 9 * b, c->W, sizeof c->W);
    for (int b = 0; b < 2; ++b) memcpy(q + 3 * b, c->q, sizeof c->q);
    const ts_problem problem = ts_problem_friction(
        (ts_friction){.dimension = 3, .contacts = 2, .W = {2, 3, start, index, W}, .q = q, .mu = mu});
    FOR_ALL_SOLVERS(solver, TS_FRICTION)
    {
      if (!try_to_solve(run, solver, &problem, c->what)) continue;
      for (int a = 0; a < 3; ++a) total[a] = run->z[a] + run->z[3 + a];
      assert_near(solver, c->what, 3, total, c->r, 1e-8 * (1.0 + fabs(c->r[0])));
    }
  }
}

// A box of 1 kg and edges 2, 2, 1 m on four corners, on a slope: 12 rows of which 6 are independent. Impulses are not
// unique, their sum is: the weight where it sticks, (1, -mu) times the pressure where it slides.
static void a_box_sticks_and_slides_on_a_slope(void **state)
{
  friction_run *run = *state;
  static const double corner[4][3] = {{1, 1, -0.5}, {1, -1, -0.5}, {-1, 1, -0.5}, {-1, -1, -0.5}};
  static const double inertia[3] = {(4 + 1) / 12.0, (4 + 1) / 12.0, (4 + 4) / 12.0};
  static const double axis[3][3] = {{0, 0, 1}, {1, 0, 0}, {0, 1, 0}}; // normal, down the slope, across
  static const int start[] = {0, 4, 8, 12, 16}, index[] = {0, 1, 2, 3, 0, 1, 2, 3, 0, 1, 2, 3, 0, 1, 2, 3};
  static const double mu[] = {0.4, 0.4, 0.4, 0.4};
  double J[12][6], W[16 * 9];
  for (int k = 0; k < 12; ++k) {
    const double *a = axis[k % 3], *p = corner[k / 3];
    const double row[6] = {
        a[0], a[1], a[2], p[1] * a[2] - p[2] * a[1], p[2] * a[0] - p[0] * a[2], p[0] * a[1] - p[1] * a[0]};
    memcpy(J[k], row, sizeof row);
  }
  for (int i = 0; i < 12; ++i)
    for (int j = 0; j < 12; ++j) {
      double sum = 0.0;
      for (int k = 0; k < 6; ++k) sum += J[i][k] * J[j][k] / (k < 3 ? 1.0 : inertia[k - 3]);
      W[(i / 3 * 4 + j / 3) * 9 + j % 3 * 3 + i % 3] = sum;
    }
  for (int slides = 0; slides < 2; ++slides) {
    const double pressure = slides ? 0.8 : 0.96, push = slides ? 0.6 : 0.28; // weight of 1 N s at two slopes
    double q[12];
    for (int k = 0; k < 12; ++k) q[k] = k % 3 == 0 ? -pressure : k % 3 == 1 ? push : 0.0;
    const double expected[3] = {pressure, slides ? -0.4 * pressure : -push, 0.0};
    const ts_problem problem = ts_problem_friction(
        (ts_friction){.dimension = 3, .contacts = 4, .W = {4, 3, start, index, W}, .q = q, .mu = mu});
    FOR_ALL_SOLVERS(solver, TS_FRICTION)
    {
      if (!try_to_solve(run, solver, &problem, "a box on a slope")) continue;
      double total[3] = {0};
      for (int k = 0; k < 12; ++k) total[k % 3] += run->z[k];
      assert_near(solver, "a box on a slope", 3, total, expected, 1e-9);
    }
  }
}

static void no_contacts_are_solved(void **state)
{
  friction_run *run = *state;
  static const int start[] = {0}, none[] = {0};
  static const double M[] = {2.0, 0.0, 0.0, 4.0}, f[] = {1.0, 2.0}, v[] = {0.5, 0.5};
  const ts_problem local = ts_problem_friction((ts_friction){.dimension = 3, .W = {0, 3, start, NULL, NULL}});
  const ts_problem global =
      ts_problem_global_friction((ts_global_friction){.dimension = 3,
                                                      .M = {.rows = 2, .columns = 2, .value = M},
                                                      .H = {.rows = 2, .columns = 0, .start = none},
                                                      .f = f});
  FOR_ALL_SOLVERS(solver, TS_FRICTION) solve(run, solver, &local, "nothing");
  FOR_ALL_SOLVERS(solver, TS_GLOBAL_FRICTION)
  {
    solve(run, solver, &global, "free flight");
    assert_near(solver, "free flight", 2, run->z, v, 1e-15);
  }
}

// Without friction the normal impulses solve an LCP, here by Lemke's method; W is positive definite, so they are
// unique.
static void without_friction_it_is_a_linear_problem(void **state)
{
  friction_run *run = *state;
  FILE *file = case_file_open(TEST_DATA "/contact_cases.txt");
  assert_non_null(file);
  for (contact_case c; contact_cases_next(file, &c);) {
    const int contacts = c.problem.contacts;
    double M[CASE_CONTACTS * CASE_CONTACTS], q[CASE_CONTACTS], pressure[CASE_CONTACTS];
    for (int i = 0; i < contacts; ++i) {
      c.mu[i] = 0.0;
      q[i] = c.q[3 * i];
      for (int j = 0; j < contacts; ++j) M[j * contacts + i] = c.W[(i * contacts + j) * 9];
    }
    const ts_problem lcp =
        ts_problem_lcp((ts_lcp){.size = contacts, .M = {.rows = contacts, .columns = contacts, .value = M}, .q = q});
    const ts_problem problem = ts_problem_friction(c.problem);
    assert_int_equal(friction_run_solve(run, ts_solver_find("lemke"), &lcp), TS_SOLVED);
    memcpy(pressure, run->z, (size_t)contacts * sizeof *pressure);
    FOR_ALL_SOLVERS(solver, TS_FRICTION)
    {
      if (!try_to_solve(run, solver, &problem, "a case without friction")) continue;
      for (int i = 0; i < contacts; ++i) {
        assert_near(solver, "a case without friction", 1, run->z + 3 * i, pressure + i, 1e-8);
        assert_true(run->z[3 * i + 1] == 0.0 && run->z[3 * i + 2] == 0.0);
      }
    }
  }
  fclose(file);
}

// ---- reference problems and what must not matter -------------------------------------------------------------------

// Read the cases, change each by `change`, and compare with the solution, changed in the same way. The 30 cases have
// one solution each; 1e-9 is asked for (reference-numbers.md 5). The cases have conditions of up to some 1e2, so 1e-12
// gives that.
static void check_cases(friction_run *run, const char *what, void (*change)(contact_case *c, ts_random *random))
{
  FILE *file = case_file_open(TEST_DATA "/contact_cases.txt");
  assert_non_null(file);
  ts_random random;
  ts_random_init(&random, 40);
  run->options.tolerance = 1e-12;
  int cases = 0, solved = 0, runs = 0;
  for (contact_case c; contact_cases_next(file, &c); ++cases) {
    if (change) change(&c, &random);
    const ts_problem problem = ts_problem_friction(c.problem);
    double size = 0.0;
    for (int k = 0; k < 3 * c.problem.contacts; ++k) size = fmax(size, fabs(c.r[k]));
    FOR_ALL_SOLVERS(solver, TS_FRICTION)
    {
      ++runs;
      if (!try_to_solve(run, solver, &problem, what)) continue;
      ++solved;
      assert_near(solver, what, 3 * c.problem.contacts, run->z, c.r, 1e-9 * fmax(size, 1e-300));
    }
  }
  fclose(file);
  print_message("%s: %d of %d runs solved\n", what, solved, runs);
  assert_int_equal(cases, 30);
  assert_true(solved >= 9 * runs / 10);
}

static void reference_cases_are_solved(void **state)
{
  check_cases(*state, "a reference case", NULL);
}

// Another unit of mass (1/W), of time (q): r goes with both.
static void change_units(contact_case *c, ts_random *random)
{
  const double mass = pow(10.0, ts_random_uniform(random, -5.0, 5.0));
  const double speed = pow(10.0, ts_random_uniform(random, -5.0, 5.0));
  const int n = 3 * c->problem.contacts;
  for (int k = 0; k < n * n; ++k) c->W[k] /= mass;
  for (int k = 0; k < n; ++k) {
    c->q[k] *= speed;
    c->r[k] *= speed * mass;
  }
}

static void units_do_not_matter(void **state)
{
  check_cases(*state, "a case in other units", change_units);
}

static void reverse_contacts(contact_case *c, ts_random *random)
{
  (void)random;
  const contact_case old = *c;
  const int contacts = c->problem.contacts;
  for (int i = 0; i < contacts; ++i) {
    const int from = contacts - 1 - i;
    c->mu[i] = old.mu[from];
    memcpy(c->q + 3 * i, old.q + 3 * from, 3 * sizeof *c->q);
    memcpy(c->r + 3 * i, old.r + 3 * from, 3 * sizeof *c->r);
    for (int j = 0; j < contacts; ++j)
      memcpy(c->W + (i * contacts + j) * 9, old.W + (from * contacts + contacts - 1 - j) * 9, 9 * sizeof *c->W);
  }
}

static void the_order_of_contacts_does_not_matter(void **state)
{
  check_cases(*state, "a case in reverse order", reverse_contacts);
}

// Each tangent frame turned by its own angle: W_ij -> Q_i W_ij Q_j^T.
static void turn_tangents(contact_case *c, ts_random *random)
{
  const int contacts = c->problem.contacts;
  double Q[CASE_CONTACTS][9];
  for (int i = 0; i < contacts; ++i) {
    const double angle = ts_random_uniform(random, 0.0, 6.0), cosine = cos(angle), sine = sin(angle);
    const double turn[9] = {1, 0, 0, 0, cosine, sine, 0, -sine, cosine}; // column-major
    memcpy(Q[i], turn, sizeof turn);
    double q[3] = {0}, r[3] = {0};
    for (int k = 0; k < 9; ++k) {
      q[k % 3] += turn[k] * c->q[3 * i + k / 3];
      r[k % 3] += turn[k] * c->r[3 * i + k / 3];
    }
    memcpy(c->q + 3 * i, q, sizeof q);
    memcpy(c->r + 3 * i, r, sizeof r);
  }
  for (int i = 0; i < contacts; ++i)
    for (int j = 0; j < contacts; ++j) {
      double *block = c->W + (i * contacts + j) * 9, left[9] = {0}, both[9] = {0};
      for (int a = 0; a < 3; ++a)
        for (int b = 0; b < 3; ++b)
          for (int k = 0; k < 3; ++k) left[b * 3 + a] += Q[i][k * 3 + a] * block[b * 3 + k];
      for (int a = 0; a < 3; ++a)
        for (int b = 0; b < 3; ++b)
          for (int k = 0; k < 3; ++k) both[b * 3 + a] += left[k * 3 + a] * Q[j][k * 3 + b];
      memcpy(block, both, sizeof both);
    }
}

static void tangent_frames_do_not_matter(void **state)
{
  check_cases(*state, "a case in other tangent frames", turn_tangents);
}

static void the_same_bits_every_time(void **state)
{
  friction_run *run = *state;
  for (uint64_t seed = 1; seed <= 5; ++seed) {
    friction_sample *sample = friction_sample_spheres(10, 16, 1.0, seed);
    FOR_ALL_SOLVERS(solver, TS_FRICTION)
    {
      friction_run other;
      friction_run_init(&other);
      friction_run_solve(run, solver, &sample->local); // in a workspace that others have used
      friction_run_solve(&other, solver, &sample->local);
      assert_memory_equal(run->z, other.z, run->size * sizeof *run->z);
      assert_int_equal(run->report.iterations, other.report.iterations);
      friction_run_release(&other);
    }
    friction_sample_destroy(sample);
  }
}

static void a_warm_start_at_the_solution_stays_there(void **state)
{
  friction_run *run = *state;
  for (uint64_t seed = 1; seed <= 5; ++seed) {
    friction_sample *sample = friction_sample_spheres(5, 7, 0.5, seed);
    const ts_problem *forms[2] = {&sample->local, &sample->global};
    for (int form = 0; form < 2; ++form) FOR_ALL_SOLVERS(solver, forms[form]->type)
      {
        run->options.warm_start = false;
        run->options.tolerance = 1e-13;
        friction_run_solve(run, ts_solver_find("auto"), forms[form]);
        double *solution = malloc((run->size + 1) * sizeof *solution);
        assert_non_null(solution);
        memcpy(solution, run->z, run->size * sizeof *solution);
        run->options.warm_start = true;
        run->options.tolerance = 1e-10;
        solve(run, solver, forms[form], "its own solution");
        assert_true(run->report.iterations <= 1);
        assert_near(solver, "its own solution", (int)run->size, run->z, solution, 1e-9);
        free(solution);
      }
    friction_sample_destroy(sample);
  }
}

// ---- other forms of the same problem -------------------------------------------------------------------------------

// The contacts' velocity that a solution of the local form gives.
static void local_velocity(const ts_friction *p, const double *z, double *u)
{
  const size_t m = (size_t)p->dimension * (size_t)p->contacts;
  memcpy(u, p->q, m * sizeof *u);
  ts_block_multiply_add(&p->W, z, u);
  if (p->bilaterals > 0) ts_matrix_multiply_add(&p->V, 1.0, z + m, u);
}

// Both forms solved by the same method give the bodies the same motion: with little friction the velocity of the
// contacts is unique even where impulses are not.
static void global_and_local_form_agree(void **state)
{
  friction_run *run = *state;
  int compared = 0;
  run->options.tolerance = 1e-12;
  for (uint64_t seed = 1; seed <= 24; ++seed) {
    const friction_recipe recipe = {.dimension = 2 + (int)seed % 3,
                                    .contacts = 5,
                                    .bodies = 4,
                                    .joints = (int)seed % 2,
                                    .ellipsoid = seed % 4 == 0,
                                    .most_mu = 0.2};
    friction_sample *sample = friction_sample_create(&recipe, seed);
    const ts_friction *local = &sample->local.friction;
    const ts_global_friction *global = &sample->global.global;
    const int m = local->dimension * local->contacts;
    double u[20], v[20];
    FOR_ALL_SOLVERS(solver, TS_GLOBAL_FRICTION)
    {
      if (!try_to_solve(run, solver, &sample->local, "the local form")) continue;
      local_velocity(local, run->z, u);
      if (!try_to_solve(run, solver, &sample->global, "the global form")) continue;
      memcpy(v, global->w, (size_t)m * sizeof *v);
      ts_matrix_transpose_multiply_add(&global->H, 1.0, run->z + m + local->bilaterals, v);
      assert_near(solver, "the global form", m, v, u, 1e-8);
      assert_true(run->report.measures.equilibrium < 1e-9 && run->report.measures.bilateral < 1e-9);
      ++compared;
    }
    friction_sample_destroy(sample);
  }
  assert_true(compared >= 100);
}

// The same friction ellipsoids as quadratic cones of an MCP, solved from zero by a solver that knows nothing of cones.
// At open contacts the quadratic cone leaves tangential impulses of the root of its tolerance.
static void elliptic_cones_agree_with_the_lowered_problem(void **state)
{
  friction_run *run = *state;
  int compared = 0;
  FILE *file = case_file_open(TEST_DATA "/contact_cases.txt");
  assert_non_null(file);
  ts_random random;
  ts_random_init(&random, 41);
  for (contact_case c; contact_cases_next(file, &c);) {
    double ellipsoid[2 * CASE_CONTACTS], r[CASE_ROWS];
    for (int k = 0; k < 2 * c.problem.contacts; ++k) ellipsoid[k] = ts_random_uniform(&random, 0.4, 1.6);
    for (int i = 0; i < c.problem.contacts; ++i) c.mu[i] *= 0.5; // little friction: one solution
    c.problem.ellipsoid = ellipsoid;
    ts_lowering *lowering;
    assert_int_equal(ts_lower_to_mcp(&c.problem, &lowering, NULL), TS_OK);
    run->options.tolerance = 1e-13;
    if (friction_run_solve(run, ts_solver_find("pathsearch"), ts_lowering_problem(lowering)) == TS_SOLVED) {
      ts_lowering_recover(lowering, run->z, r);
      const ts_problem problem = ts_problem_friction(c.problem);
      run->options.tolerance = 1e-11;
      FOR_ALL_SOLVERS(solver, TS_FRICTION)
      {
        if (!try_to_solve(run, solver, &problem, "an elliptic case")) continue;
        assert_near(solver, "an elliptic case", 3 * c.problem.contacts, run->z, r, 1e-6);
        ++compared;
      }
    }
    ts_lowering_destroy(lowering);
  }
  fclose(file);
  print_message("%d elliptic runs compared\n", compared);
  assert_true(compared >= 100);
}

// ---- promises of a run ---------------------------------------------------------------------------------------------

static void limits_are_kept_with_a_finite_point(void **state)
{
  friction_run *run = *state;
  friction_sample *sample = friction_sample_spheres(15, 27, 1.0, 3);
  run->options.max_iterations = 2;
  FOR_ALL_SOLVERS(solver, TS_FRICTION)
  {
    friction_run_solve(run, solver, &sample->local);
    for (size_t k = 0; k < run->size; ++k) assert_true(isfinite(run->z[k]));
    if (run->report.outcome == TS_SOLVED) assert_true(friction_run_is_certified(run, &sample->local, 1e-10));
  }
  run->options.max_iterations = 0;
  run->options.time_limit = 1e-9;
  FOR_ALL_SOLVERS(solver, TS_FRICTION)
  {
    const ts_outcome outcome = friction_run_solve(run, solver, &sample->local);
    if (outcome != TS_TIME_LIMIT && outcome != TS_SOLVED)
      fail_msg("%s: %s when time is out", ts_solver_name(solver), ts_outcome_name(outcome));
    for (size_t k = 0; k < run->size; ++k) assert_true(isfinite(run->z[k]));
  }
  friction_sample_destroy(sample);
}

// What a solver claims is what the certificate finds, up to a factor: they measure in different norms.
static void claims_are_honest(void **state)
{
  friction_run *run = *state;
  for (uint64_t seed = 1; seed <= 20; ++seed) {
    friction_sample *sample = friction_sample_spheres(10, 16, 0.5, seed);
    FOR_ALL_SOLVERS(solver, TS_FRICTION)
    {
      friction_run_solve(run, solver, &sample->local);
      const double residual = fmax(run->report.measures.scaled, run->report.measures.fclib);
      if (!(residual <= 100.0 * run->report.claimed + 1e-12))
        fail_msg("%s claims %g and has %g, seed %d", ts_solver_name(solver), run->report.claimed, residual, (int)seed);
    }
    friction_sample_destroy(sample);
  }
}

#define TEST(function) cmocka_unit_test_setup_teardown(function, friction_run_setup, friction_run_teardown)

// Two balls that part and two that meet, head on and without friction: nothing is tangential, not even by round-off.
static void contacts_without_friction_or_slip(void **state)
{
  (void)state;
  const int start[] = {0, 1, 2}, index[] = {0, 1};
  const double W[18] = {2, 0, 0, 0, 7, 0, 0, 0, 7, 2, 0, 0, 0, 7, 0, 0, 0, 7}, mu[2] = {0.0, 0.0};
  const double q[6] = {2.5, 0, 0, -1.0, 0, 0}, expected[6] = {0, 0, 0, 0.5, 0, 0};
  const ts_problem problem =
      ts_problem_friction((ts_friction){.dimension = 3, .contacts = 2, .W = {2, 3, start, index, W}, .q = q, .mu = mu});
  const double pulling[6] = {-1.25, 0, 0, 0.5, 0, 0};
  assert_true(ts_problem_residual(&problem, expected) < 1e-15);
  assert_true(ts_problem_residual(&problem, pulling) > 0.1); // u = 0 with a negative impulse is no solution
  friction_run run;
  friction_run_init(&run);
  FOR_ALL_SOLVERS(solver, TS_FRICTION)
  {
    if (!try_to_solve(&run, solver, &problem, "contacts without friction or slip")) continue;
    for (int k = 0; k < 6; ++k) assert_true(fabs(run.z[k] - expected[k]) < 1e-9);
  }
  friction_run_release(&run);
}

int main(void)
{
  const struct CMUnitTest tests[] = {
      cmocka_unit_test(contacts_without_friction_or_slip),
      TEST(closed_forms_are_met),
      TEST(duplicate_contacts_share_the_impulse),
      TEST(a_box_sticks_and_slides_on_a_slope),
      TEST(no_contacts_are_solved),
      TEST(without_friction_it_is_a_linear_problem),
      TEST(reference_cases_are_solved),
      TEST(units_do_not_matter),
      TEST(the_order_of_contacts_does_not_matter),
      TEST(tangent_frames_do_not_matter),
      TEST(the_same_bits_every_time),
      TEST(a_warm_start_at_the_solution_stays_there),
      TEST(global_and_local_form_agree),
      TEST(elliptic_cones_agree_with_the_lowered_problem),
      TEST(limits_are_kept_with_a_finite_point),
      TEST(claims_are_honest),
  };
  return cmocka_run_group_tests(tests, NULL, NULL);
}
