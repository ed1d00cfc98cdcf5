// Branch and bound over modes: problems whose solvability is known in closed form, solutions where other solvers have
// them, and no claim that another solver refutes.
#include "base/random.h"
#include "complementarity/friction/friction_solver.h"

#include <math.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdlib.h>
#include <string.h>
#include <cmocka.h>

#include "near.h"

enum { MOST_CONTACTS = 4, MOST_ROWS = 4 * MOST_CONTACTS, NODES = 3000 };

static ts_outcome stages(ts_cone_state *state)
{
  return ts_cone_enumerate(state, NODES);
}

static ts_outcome enumerate(const ts_problem *problem, ts_run *run, double *z)
{
  return ts_friction_solve(problem, true, run, z, stages);
}

static const ts_solver ENUMERATOR = {"modes", "branch and bound alone", TS_FRICTION, 1000000, enumerate};

// A dense friction problem; W = B B^T with `rank` columns of B.
typedef struct specimen {
  int d, contacts, rank;
  double B[MOST_ROWS][MOST_ROWS], value[MOST_ROWS * MOST_ROWS], q[MOST_ROWS], mu[MOST_CONTACTS];
  int start[MOST_CONTACTS + 1], index[MOST_CONTACTS * MOST_CONTACTS];
  ts_problem problem;
} specimen;

static void specimen_init(specimen *s, int d, int contacts, int rank)
{
  memset(s, 0, sizeof *s);
  s->d = d;
  s->contacts = contacts;
  s->rank = rank;
}

// From B, q and mu. Blocks that are zero are left out of the pattern, but for the diagonal.
static void specimen_finish(specimen *s)
{
  int blocks = 0;
  for (int i = 0; i < s->contacts; ++i) {
    s->start[i] = blocks;
    for (int j = 0; j < s->contacts; ++j) {
      double *block = s->value + blocks * s->d * s->d, largest = 0.0;
      for (int r = 0; r < s->d; ++r)
        for (int c = 0; c < s->d; ++c) {
          double sum = 0.0;
          for (int k = 0; k < s->rank; ++k) sum += s->B[i * s->d + r][k] * s->B[j * s->d + c][k];
          block[c * s->d + r] = sum;
          largest = fmax(largest, fabs(sum));
        }
      if (i == j || largest > 0.0) s->index[blocks++] = j;
    }
  }
  s->start[s->contacts] = blocks;
  const ts_block_matrix W = {
      .block = s->d, .rows = s->contacts, .start = s->start, .index = s->index, .value = s->value};
  s->problem =
      ts_problem_friction((ts_friction){.dimension = s->d, .contacts = s->contacts, .W = W, .q = s->q, .mu = s->mu});
}

static ts_outcome solve_by(const ts_solver *solver, const specimen *s, double *jam)
{
  ts_error error;
  double z[MOST_ROWS];
  ts_report report;
  memset(&report, 0, sizeof report);
  report.jam = jam;
  ts_workspace *workspace = ts_workspace_create(NULL);
  ts_solve_options options = ts_solve_options_default();
  if (ts_solve(solver, &s->problem, &options, workspace, z, &report, &error) != TS_OK) fail_msg("%s", error.text);
  ts_workspace_destroy(workspace);
  return report.outcome;
}

static void random_numbers(ts_random *random, int count, double *numbers)
{
  for (int k = 0; k < count; ++k) numbers[k] = ts_random_normal(random);
}

// One contact, W = a a^T: a body that can move in one way only. With q_n < 0 the contact closes at s = a.r = -q_n/a_n,
// slips along e = (q_t + a_t s) normalized, and r_n (a_n - mu a_t.e) = s: solvable if and only if a_n (a_n - mu a_t.e)
// is positive. (Painleve's paradox with a motion that nothing stops.)
static void bodies_with_one_freedom(void **state)
{
  (void)state;
  ts_random random;
  ts_random_init(&random, 41);
  int jammed = 0;
  for (int trial = 0; trial < 600; ++trial) {
    specimen s;
    const int d = 2 + trial % 3;
    specimen_init(&s, d, 1, 1);
    double a[4], e[4] = {0}, size = 0.0, along = 0.0;
    random_numbers(&random, d, a);
    random_numbers(&random, d, s.q);
    for (int k = 0; k < d; ++k) s.B[k][0] = a[k];
    s.mu[0] = ts_random_uniform(&random, 0.0, 2.0);
    specimen_finish(&s);
    for (int k = 1; k < d; ++k) {
      e[k] = s.q[k] - a[k] * s.q[0] / a[0];
      size += e[k] * e[k];
    }
    for (int k = 1; k < d; ++k) along += a[k] * e[k] / sqrt(size);
    const double margin = a[0] * (a[0] - s.mu[0] * along);
    if (fabs(margin) < 1e-3 || fabs(a[0]) < 1e-2 || fabs(s.q[0]) < 1e-3) continue;
    const bool solvable = s.q[0] >= 0.0 || margin > 0.0;
    const ts_outcome expected = solvable ? TS_SOLVED : TS_NO_SOLUTION;
    const ts_outcome alone = solve_by(&ENUMERATOR, &s, NULL), together = solve_by(ts_solver_find("auto"), &s, NULL);
    if (alone != expected || together != expected)
      fail_msg("d = %d, trial %d: %s and %s, should be %s", d, trial, ts_outcome_name(alone), ts_outcome_name(together),
               ts_outcome_name(expected));
    jammed += !solvable;
  }
  print_message("%d of 600 jammed\n", jammed);
  assert_true(jammed > 50);
}

// A ball between two walls that move at v_1 and v_2 towards it: no solution when the gap between them closes. Both
// contacts have half of the proof, a third one elsewhere has nothing of it.
static void a_ball_between_walls(void **state)
{
  (void)state;
  const double speeds[][2] = {{1.0, 0.5}, {1.0, -0.5}, {1.0, -1.5}, {0.3, 0.3}, {-1.0, -1.0}};
  for (int d = 2; d <= 4; ++d)
    for (size_t k = 0; k < sizeof speeds / sizeof speeds[0]; ++k) {
      specimen s;
      double jam[3];
      specimen_init(&s, d, 3, 8);
      for (int i = 0; i < 2; ++i) {
        s.B[i * d][0] = i == 0 ? 1.0 : -1.0;
        for (int r = 1; r < d; ++r) s.B[i * d + r][r] = 1.0;
        s.q[i * d] = -speeds[k][i];
        s.q[i * d + 1] = 0.2;
        s.mu[i] = 0.5;
      }
      for (int r = 0; r < d; ++r) s.B[2 * d + r][4 + r] = 1.0;
      s.q[2 * d] = -1.0;
      s.mu[2] = 0.3;
      specimen_finish(&s);
      const bool closes = speeds[k][0] + speeds[k][1] > 0.0;
      assert_int_equal(solve_by(ts_solver_find("auto"), &s, jam), closes ? TS_NO_SOLUTION : TS_SOLVED);
      if (!closes) continue;
      assert_near(jam[0], 0.5, 1e-9);
      assert_near(jam[1], 0.5, 1e-9);
      assert_near(jam[2], 0.0, 1e-9);
    }
}

// W of full rank: there is a solution, and it is found.
static void regular_problems_are_solved(void **state)
{
  (void)state;
  ts_random random;
  ts_random_init(&random, 42);
  int solved = 0, trials = 0;
  for (int trial = 0; trial < 150; ++trial) {
    specimen s;
    const int d = 2 + trial % 3, contacts = 1 + trial % (d == 2 ? 4 : 3);
    specimen_init(&s, d, contacts, d * contacts);
    for (int r = 0; r < d * contacts; ++r) random_numbers(&random, d * contacts, s.B[r]);
    random_numbers(&random, d * contacts, s.q);
    for (int i = 0; i < contacts; ++i) s.mu[i] = ts_random_uniform(&random, 0.0, 1.0);
    if (trial % 7 == 0) s.mu[0] = 0.0;
    specimen_finish(&s);
    const ts_outcome outcome = solve_by(&ENUMERATOR, &s, NULL);
    if (outcome == TS_NO_SOLUTION) fail_msg("trial %d: a solution exists", trial);
    solved += outcome == TS_SOLVED;
    ++trials;
  }
  print_message("%d of %d solved by branch and bound alone\n", solved, trials);
  assert_true(solved >= 0.95 * trials);
}

// W of low rank, so that many have no solution: whatever other solvers solve must not be said to have none.
static void no_claim_is_refuted(void **state)
{
  (void)state;
  static const char *const others[] = {"nsgs", "smooth", "newton", "ncp-plm", "ncp-dogleg", "splitting"};
  ts_random random;
  ts_random_init(&random, 43);
  int none = 0, solved = 0, unknown = 0;
  for (int trial = 0; trial < 300; ++trial) {
    specimen s;
    const int d = 2 + trial % 2, contacts = 2 + trial % 3;
    specimen_init(&s, d, contacts, 1 + trial % (d * contacts - 1));
    for (int r = 0; r < d * contacts; ++r) random_numbers(&random, s.rank, s.B[r]);
    random_numbers(&random, d * contacts, s.q);
    for (int i = 0; i < contacts; ++i) s.mu[i] = ts_random_uniform(&random, 0.0, 1.0);
    specimen_finish(&s);
    const ts_outcome outcome = solve_by(&ENUMERATOR, &s, NULL);
    none += outcome == TS_NO_SOLUTION;
    solved += outcome == TS_SOLVED;
    unknown += outcome != TS_NO_SOLUTION && outcome != TS_SOLVED;
    for (size_t k = 0; k < sizeof others / sizeof others[0] && outcome == TS_NO_SOLUTION; ++k)
      if (solve_by(ts_solver_find(others[k]), &s, NULL) == TS_SOLVED)
        fail_msg("trial %d: %s solves what has no solution", trial, others[k]);
  }
  print_message("low rank: %d have no solution, %d solved, %d unknown\n", none, solved, unknown);
  assert_true(none > 50 && solved > 50 && unknown <= 15);
}

int main(void)
{
  const struct CMUnitTest tests[] = {
      cmocka_unit_test(bodies_with_one_freedom),
      cmocka_unit_test(a_ball_between_walls),
      cmocka_unit_test(regular_problems_are_solved),
      cmocka_unit_test(no_claim_is_refuted),
  };
  return cmocka_run_group_tests(tests, NULL, NULL);
}
