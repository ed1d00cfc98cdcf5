// Problems whose approaching contacts do not feel each other: solved contact by contact, as the certificate confirms,
// and recognized where that is no solution.
#include "complementarity/friction/one_contact.h"

#include "touchstone/certificate.h"
#include "touchstone/solver.h"

#include "base/random.h"

#include <math.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <string.h>
#include <cmocka.h>

enum { CONTACTS = 5, MAX_D = 4, ROWS = CONTACTS * MAX_D, BLOCKS = CONTACTS + 2 };

// Contacts 0 and 1 are coupled, the others stand alone.
typedef struct pair_and_three {
  int start[CONTACTS + 1], index[BLOCKS];
  double W[BLOCKS * MAX_D * MAX_D], q[ROWS], mu[CONTACTS], semi_axes[ROWS];
  ts_friction problem;
} pair_and_three;

// Block (i, j) of G^T G with the columns of G drawn at random: positive definite as a whole.
static void set_block(double (*G)[2 * MAX_D], int i, int j, int d, double *block)
{
  for (int c = 0; c < d; ++c)
    for (int r = 0; r < d; ++r) {
      double sum = 0.0;
      for (int k = 0; k < 2 * MAX_D; ++k) sum += G[i * MAX_D + r][k] * G[j * MAX_D + c][k];
      block[c * d + r] = sum;
    }
}

static void draw(pair_and_three *p, int d, bool ellipsoid, uint64_t seed)
{
  static const int start[] = {0, 2, 4, 5, 6, 7}, index[] = {0, 1, 0, 1, 2, 3, 4};
  ts_random random;
  ts_random_init(&random, seed);
  memcpy(p->start, start, sizeof start);
  memcpy(p->index, index, sizeof index);
  for (int b = 0; b < BLOCKS; ++b) {
    double G[2 * MAX_D][2 * MAX_D];
    ts_random entries;
    ts_random_init(&entries, b < 4 ? seed + 1000 : seed + 1000 + (uint64_t)b);
    for (int r = 0; r < 2 * MAX_D; ++r)
      for (int k = 0; k < 2 * MAX_D; ++k) G[r][k] = ts_random_normal(&entries);
    set_block(G, b < 4 ? b / 2 : 0, b < 4 ? b % 2 : 0, d, p->W + b * d * d);
  }
  for (int i = 0; i < CONTACTS; ++i) {
    p->mu[i] = ts_random_uniform(&random, 0.0, 1.0);
    for (int k = 0; k < d; ++k) p->q[i * d + k] = ts_random_normal(&random);
    for (int k = 1; k < d; ++k) p->semi_axes[i * (d - 1) + k - 1] = ts_random_uniform(&random, 0.3, 2.0);
  }
  p->problem = (ts_friction){.dimension = d,
                             .contacts = CONTACTS,
                             .W = {CONTACTS, d, p->start, p->index, p->W},
                             .q = p->q,
                             .mu = p->mu,
                             .ellipsoid = ellipsoid ? p->semi_axes : NULL};
}

static double certified(const ts_friction *p, const double *r)
{
  ts_friction_measures m;
  const ts_problem problem = ts_problem_friction(*p);
  assert_int_equal(ts_friction_measure(&problem, r, &m), TS_OK);
  return fmax(m.scaled, m.fclib);
}

static ts_report solve_by_auto(const ts_friction *p, double *r)
{
  const ts_problem problem = ts_problem_friction(*p);
  const ts_solve_options options = ts_solve_options_default();
  ts_report report = {0};
  ts_workspace *workspace = ts_workspace_create(NULL);
  assert_int_equal(ts_solve(ts_solver_find("auto"), &problem, &options, workspace, r, &report, NULL), TS_OK);
  ts_workspace_destroy(workspace);
  return report;
}

// Whatever the signs of the data: what is returned as small is one, and where the coupled two both approach, or one
// makes the other approach, nothing is claimed. Both happen, and `auto` solves all of them.
static void what_is_claimed_is_certified(void **state)
{
  (void)state;
  int claimed = 0, refused = 0;
  for (int d = 2; d <= 4; ++d)
    for (uint64_t seed = 0; seed < 200; ++seed) {
      static pair_and_three p;
      double r[ROWS];
      draw(&p, d, seed % 2 == 0, seed);
      const double residual = ts_separate_contacts_solve(&p.problem, r);
      const bool both = p.q[0] < 0.0 && p.q[d] < 0.0;
      if (both) assert_true(isinf(residual));
      if (isinf(residual)) {
        ++refused;
      } else {
        ++claimed;
        assert_true(residual < 1e-12); // round-off of blocks that are nearly singular
        assert_true(certified(&p.problem, r) < 1e-12);
        for (int i = 0; i < CONTACTS; ++i)
          if (p.q[i * d] >= 0.0) assert_true(r[i * d] == 0.0 && r[i * d + 1] == 0.0);
      }
      const ts_report report = solve_by_auto(&p.problem, r);
      assert_int_equal(report.outcome, TS_SOLVED);
      if (residual < 1e-3 * 1e-10) assert_int_equal(report.iterations, 1);
    }
  assert_true(claimed > 150);
  assert_true(refused > 150);
}

// Contact 1 separates slowly, and what stops contact 0 drives it back: it is not left without an impulse.
static void a_neighbour_that_is_driven_back_is_seen(void **state)
{
  (void)state;
  static pair_and_three p;
  double r[ROWS];
  draw(&p, 3, false, 1);
  p.W[9] = -fabs(p.W[9]) - 0.1; // normal on normal, block (0, 1)
  p.W[18] = p.W[9];
  p.q[0] = -1.0;
  p.q[1] = p.q[2] = p.mu[0] = 0.0;
  p.q[3] = -0.5 * p.W[18] / p.W[0];
  assert_true(isinf(ts_separate_contacts_solve(&p.problem, r)));
  p.q[3] = -1.5 * p.W[18] / p.W[0];
  assert_true(ts_separate_contacts_solve(&p.problem, r) < 1e-13);
  assert_true(fabs(r[0] - 1.0 / p.W[0]) < 1e-13);
}

static void bilateral_rows_are_left_to_others(void **state)
{
  (void)state;
  static pair_and_three p;
  double r[ROWS];
  draw(&p, 3, false, 1);
  p.q[0] = 1.0;
  p.problem.bilaterals = 1;
  assert_true(isinf(ts_separate_contacts_solve(&p.problem, r)));
}

int main(void)
{
  const struct CMUnitTest tests[] = {
      cmocka_unit_test(what_is_claimed_is_certified),
      cmocka_unit_test(a_neighbour_that_is_driven_back_is_seen),
      cmocka_unit_test(bilateral_rows_are_left_to_others),
  };
  return cmocka_run_group_tests(tests, NULL, NULL);
}
