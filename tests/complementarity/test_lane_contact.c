// Four contacts at a time against each of them alone: on random blocks in every dimension, on singular ones, and where
// the answer can be written down.
#include "complementarity/friction/lane_contact_inline.h"
#include "complementarity/friction/lane_residual_inline.h"

#include "complementarity/friction/cone_residual_inline.h"
#include "complementarity/friction/one_contact.h"

#include "base/random.h"

#include <math.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <string.h>
#include <cmocka.h>

enum { MAX_D = 4 };

typedef struct four_contacts {
  int d;
  double mu[TS_LANES], W[TS_LANES][MAX_D * MAX_D], q[TS_LANES][MAX_D];
} four_contacts;

// W = A A^T with A of `rank` columns, well conditioned: singular where that is less than d.
static void draw(ts_random *random, int d, int rank, four_contacts *c)
{
  c->d = d;
  for (int lane = 0; lane < TS_LANES; ++lane) {
    double A[MAX_D][MAX_D];
    for (int r = 0; r < d; ++r)
      for (int k = 0; k < rank; ++k) A[r][k] = ts_random_uniform(random, -0.5, 0.5) + (r == k ? 1.5 : 0.0);
    for (int r = 0; r < d; ++r) {
      c->q[lane][r] = ts_random_uniform(random, -1.0, r == 0 ? 0.3 : 1.0);
      for (int s = 0; s < d; ++s) {
        c->W[lane][s * d + r] = 0.0;
        for (int k = 0; k < rank; ++k) c->W[lane][s * d + r] += A[r][k] * A[s][k];
      }
    }
    const double mu = ts_random_uniform(random, -0.1, 1.5);
    c->mu[lane] = mu > 0.0 ? mu : 0.0;
  }
}

static ts_lane_block to_lanes(const four_contacts *c, ts_quad *q)
{
  ts_lane_block block;
  memset(&block, 0, sizeof block);
  for (int lane = 0; lane < TS_LANES; ++lane) {
    const double *W = c->W[lane];
    block.mu[lane] = c->mu[lane];
    block.normal[lane] = W[0];
    block.inverse_normal[lane] = W[0] > 0.0 ? 1.0 / W[0] : 0.0;
    for (int r = 1, k = 0; r < c->d; ++r) {
      block.nt[r - 1][lane] = W[r] / W[0];
      for (int s = 1; s <= r; ++s) block.S[k++][lane] = W[s * c->d + r] - W[r] * W[s] / W[0];
    }
    for (int r = 0; r < c->d; ++r) q[r][lane] = c->q[lane][r];
  }
  return block;
}

static void solve_lanes(int d, ts_lane_block *block, const ts_quad *q, ts_quad *r)
{
  switch (d) {
  case 2:
    ts_lanes_solve(2, block, q, r);
    break;
  case 3:
    ts_lanes_solve(3, block, q, r);
    break;
  default:
    ts_lanes_solve(4, block, q, r);
  }
}

static void solve_alone(const four_contacts *c, int lane, double *r)
{
  ts_one_contact contact;
  ts_one_contact_init(c->d, c->d, c->W[lane], &contact);
  memset(r, 0, MAX_D * sizeof *r);
  ts_one_contact_solve(c->d, c->mu[lane], &contact, c->W[lane], c->d, c->q[lane], r);
}

static double size_of(int d, const double *r)
{
  double size = 0.0;
  for (int k = 0; k < d; ++k) size = fmax(size, fabs(r[k]));
  return size;
}

// One visit is as near as the last step begins; a few from the same data are at the solution, as visits in sweeps are.
static void lanes_come_to_the_exact_solution(void **state)
{
  (void)state;
  ts_random random;
  ts_random_init(&random, 11);
  int sliding = 0;
  for (int trial = 0; trial < 3000; ++trial) {
    four_contacts c;
    ts_quad q[MAX_D], r[MAX_D] = {{0.0}};
    draw(&random, 2 + trial % 3, MAX_D, &c);
    ts_lane_block block = to_lanes(&c, q);
    for (int visit = 0; visit < 5; ++visit) {
      solve_lanes(c.d, &block, q, r);
      for (int lane = 0; lane < TS_LANES; ++lane) {
        double exact[MAX_D], apart = 0.0;
        solve_alone(&c, lane, exact);
        for (int k = 0; k < c.d; ++k) apart = fmax(apart, fabs(r[k][lane] - exact[k]));
        const double within = visit == 0 ? 5e-2 : visit == 4 ? 1e-12 : 2e-3;
        if (!(apart <= within * size_of(c.d, exact) + 1e-15))
          fail_msg("trial %d, lane %d, visit %d: %g of %g apart", trial, lane, visit, apart, size_of(c.d, exact));
        sliding += visit == 4 && block.a[lane] > 0.0;
      }
    }
  }
  assert_in_range(sliding, 2000, 11000); // the draw has both kinds
}

// Blocks of rank 1 and 2: what lanes cannot invert is left to the solution of one contact, with the same answer.
static void singular_blocks_are_solved_alone(void **state)
{
  (void)state;
  ts_random random;
  ts_random_init(&random, 12);
  for (int trial = 0; trial < 1000; ++trial) {
    four_contacts c;
    ts_quad q[MAX_D], r[MAX_D] = {{0.0}};
    draw(&random, 3 + trial % 2, 1 + trial / 2 % 2, &c);
    ts_lane_block block = to_lanes(&c, q);
    for (int visit = 0; visit < 20; ++visit) solve_lanes(c.d, &block, q, r);
    for (int lane = 0; lane < TS_LANES; ++lane) {
      double u[MAX_D], own[MAX_D], friction = 0.0;
      for (int k = 0; k < c.d; ++k) {
        own[k] = r[k][lane];
        u[k] = c.q[lane][k];
        for (int s = 0; s < c.d; ++s) u[k] += c.W[lane][s * c.d + k] * r[s][lane];
        friction += k > 0 ? own[k] * own[k] : 0.0;
        assert_true(isfinite(own[k]));
      }
      assert_true(own[0] >= 0.0 && sqrt(friction) <= c.mu[lane] * own[0] * (1.0 + 1e-12));
      assert_true(u[0] >= -1e-6 * (1.0 + own[0])); // nothing is pushed through: the normal row is never singular
    }
  }
}

// A ball on a slope: W is a multiple of the identity in the tangents; it sticks up to mu and slides beyond.
static void closed_forms(void **state)
{
  (void)state;
  const double down[TS_LANES] = {-1.0, -1.0, 1.0, -1.0}, along[TS_LANES] = {0.2, 2.0, 2.0, 2.0};
  const double mu[TS_LANES] = {0.5, 0.5, 0.5, 0.0};
  const double normal[TS_LANES] = {1.0, 1.0, 0.0, 1.0}, tangent[TS_LANES] = {-0.1, -0.5, 0.0, 0.0};
  four_contacts c = {.d = 3};
  ts_quad q[MAX_D], r[MAX_D] = {{0.0}};
  for (int lane = 0; lane < TS_LANES; ++lane) {
    const double W[9] = {1.0, 0.0, 0.0, 0.0, 2.0, 0.0, 0.0, 0.0, 2.0};
    memcpy(c.W[lane], W, sizeof W);
    c.mu[lane] = mu[lane];
    c.q[lane][0] = down[lane];
    c.q[lane][1] = 0.6 * along[lane];
    c.q[lane][2] = 0.8 * along[lane];
  }
  ts_lane_block block = to_lanes(&c, q);
  for (int visit = 0; visit < 4; ++visit) ts_lanes_solve(3, &block, q, r);
  for (int lane = 0; lane < TS_LANES; ++lane) {
    assert_true(fabs(r[0][lane] - normal[lane]) <= 1e-14);
    assert_true(fabs(r[1][lane] - 0.6 * tangent[lane]) <= 1e-14 && fabs(r[2][lane] - 0.8 * tangent[lane]) <= 1e-14);
  }
}

static void residuals_are_those_of_one(void **state)
{
  (void)state;
  ts_random random;
  ts_random_init(&random, 13);
  for (int trial = 0; trial < 2000; ++trial) {
    ts_quad r[3], u[3], mu, s;
    for (int lane = 0; lane < TS_LANES; ++lane) {
      mu[lane] = ts_random_uniform(&random, 0.0, 2.0);
      s[lane] = ts_random_uniform(&random, 0.2, 3.0);
      for (int k = 0; k < 3; ++k) {
        r[k][lane] = ts_random_uniform(&random, -1.0, 1.0);
        u[k][lane] = ts_random_uniform(&random, -1.0, 1.0);
      }
    }
    const ts_quad natural = ts_lanes_natural_squared(3, mu, r, u, s), lawful = ts_lanes_lawful_squared(3, mu, r, u);
    for (int lane = 0; lane < TS_LANES; ++lane) {
      const double own_r[3] = {r[0][lane], r[1][lane], r[2][lane]}, own_u[3] = {u[0][lane], u[1][lane], u[2][lane]};
      assert_true(fabs(natural[lane] - ts_natural_squared(3, mu[lane], own_r, own_u, s[lane])) <= 1e-14);
      assert_true(fabs(lawful[lane] - ts_lawful_squared(3, mu[lane], own_r, own_u, 1.0)) <= 1e-14);
    }
  }
}

int main(void)
{
  const struct CMUnitTest tests[] = {
      cmocka_unit_test(lanes_come_to_the_exact_solution),
      cmocka_unit_test(singular_blocks_are_solved_alone),
      cmocka_unit_test(closed_forms),
      cmocka_unit_test(residuals_are_those_of_one),
  };
  return cmocka_run_group_tests(tests, NULL, NULL);
}
