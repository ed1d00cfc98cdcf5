// Four contacts at a time against each of them alone: on random blocks in every dimension, on singular ones, and where
// the answer can be written down. Eight of single precision come as near as that allows.
#include "complementarity/friction/lane_contact.h"

#include "complementarity/friction/lane_bodies_inline.h"

#define TS_KIND quad
#include "complementarity/friction/lane_contact_inline.h"
#include "complementarity/friction/lane_residual_inline.h"
#undef TS_KIND
#define TS_KIND oct
#include "complementarity/friction/lane_contact_inline.h"
#include "complementarity/friction/lane_residual_inline.h"
#undef TS_KIND

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

// The contacts in lanes, and the axes that their tangents are turned into.
typedef struct lanes {
  ts_quad_block block;
  ts_lane_axes axes;
} lanes;

static lanes to_lanes(const four_contacts *c)
{
  lanes own;
  ts_quad W[MAX_D * (MAX_D + 1) / 2];
  memset(&own, 0, sizeof own);
  for (int lane = 0; lane < TS_LANES; ++lane) {
    own.block.mu[lane] = c->mu[lane];
    for (int r = 0; r < c->d; ++r)
      for (int s = 0; s <= r; ++s) W[r * (r + 1) / 2 + s][lane] = c->W[lane][s * c->d + r];
  }
  ts_quad_block_init(c->d, W, &own.block, &own.axes);
  return own;
}

// Tangents into the axes, or out of them.
static void turn(const lanes *own, int d, bool back, ts_quad *x)
{
  ts_quad turned[MAX_D];
  for (int k = 1; k < d; ++k) {
    turned[k] = x[k] - x[k];
    for (int r = 1; r < d; ++r)
      turned[k] += x[r] * (back ? own->axes.axis[r - 1][k - 1] : own->axes.axis[k - 1][r - 1]);
  }
  for (int k = 1; k < d; ++k) x[k] = turned[k];
}

// A visit: the impulses r are replaced.
static void visit(const four_contacts *c, lanes *own, ts_quad *r)
{
  const int d = c->d;
  ts_quad u[MAX_D], y[MAX_D];
  for (int lane = 0; lane < TS_LANES; ++lane)
    for (int k = 0; k < d; ++k) {
      u[k][lane] = c->q[lane][k];
      for (int s = 0; s < d; ++s) u[k][lane] += c->W[lane][s * d + k] * r[s][lane];
    }
  memcpy(y, r, sizeof y);
  turn(own, d, false, u);
  turn(own, d, false, y);
  switch (d) {
  case 2:
    ts_quad_solve(2, &own->block, u, y, r);
    break;
  case 3:
    ts_quad_solve(3, &own->block, u, y, r);
    break;
  default:
    ts_quad_solve(4, &own->block, u, y, r);
  }
  turn(own, d, true, r);
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
    ts_quad r[MAX_D] = {{0.0}};
    draw(&random, 2 + trial % 3, MAX_D, &c);
    lanes own = to_lanes(&c);
    for (int visits = 0; visits < 5; ++visits) {
      visit(&c, &own, r);
      for (int lane = 0; lane < TS_LANES; ++lane) {
        double exact[MAX_D], apart = 0.0;
        solve_alone(&c, lane, exact);
        for (int k = 0; k < c.d; ++k) apart = fmax(apart, fabs(r[k][lane] - exact[k]));
        const double within = visits == 0 ? 5e-2 : visits == 4 ? 1e-12 : 2e-3;
        if (!(apart <= within * size_of(c.d, exact) + 1e-15))
          fail_msg("trial %d, lane %d, visit %d: %g of %g apart", trial, lane, visits, apart, size_of(c.d, exact));
        sliding += visits == 4 && own.block.a[lane] > 0.0;
      }
    }
  }
  assert_in_range(sliding, 2000, 11000); // the draw has both kinds
}

// Blocks of rank 1 and 2: impulses stay finite and lawful.
static void singular_blocks_have_answers(void **state)
{
  (void)state;
  ts_random random;
  ts_random_init(&random, 12);
  for (int trial = 0; trial < 1000; ++trial) {
    four_contacts c;
    ts_quad r[MAX_D] = {{0.0}};
    draw(&random, 3 + trial % 2, 1 + trial / 2 % 2, &c);
    lanes in_lanes = to_lanes(&c);
    for (int visits = 0; visits < 20; ++visits) visit(&c, &in_lanes, r);
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

static ts_oct_block round_blocks(const ts_quad_block *low, const ts_quad_block *high)
{
  ts_oct_block to = {.mu = ts_oct_round(low->mu, high->mu),
                     .normal = ts_oct_round(low->normal, high->normal),
                     .inverse_normal = ts_oct_round(low->inverse_normal, high->inverse_normal),
                     .a = ts_oct_round(low->a, high->a)};
  for (int k = 0; k < TS_MOST_TANGENTS; ++k) {
    to.nt[k] = ts_oct_round(low->nt[k], high->nt[k]);
    to.S[k] = ts_oct_round(low->S[k], high->S[k]);
    to.inverse_S[k] = ts_oct_round(low->inverse_S[k], high->inverse_S[k]);
  }
  return to;
}

// u = W y + q with the block W that turned axes have, in space.
static void velocities_at(const ts_quad_block *c, const ts_quad *q, const ts_quad *y, ts_quad *u)
{
  const ts_quad normal = c->normal * (y[0] + c->nt[0] * y[1] + c->nt[1] * y[2]);
  u[0] = q[0] + normal;
  for (int k = 0; k < 2; ++k) u[k + 1] = q[k + 1] + c->S[k] * y[k + 1] + c->nt[k] * normal;
}

// Two fours, and the eight that they are in single precision: visits of both come to the same impulses, which have the
// same residual.
static void eight_lanes_are_two_fours(void **state)
{
  (void)state;
  enum { VISITS = 6 };
  ts_random random;
  ts_random_init(&random, 15);
  for (int trial = 0; trial < 2000; ++trial) {
    four_contacts c[2];
    lanes own[2];
    ts_quad q[2][3], r[2][3] = {{{0.0}}}, u[2][3], y[3];
    ts_oct in_single[3] = {{0.0F}}, rounded_u[3], rounded_y[3];
    for (int half = 0; half < 2; ++half) {
      draw(&random, 3, MAX_D, &c[half]);
      own[half] = to_lanes(&c[half]);
      for (int k = 0; k < 3; ++k)
        for (int lane = 0; lane < TS_LANES; ++lane) q[half][k][lane] = c[half].q[lane][k];
    }
    ts_oct_block block = round_blocks(&own[0].block, &own[1].block);
    for (int visits = 0; visits < VISITS; ++visits) {
      for (int half = 0; half < 2; ++half) {
        for (int k = 0; k < 3; ++k) y[k] = ts_oct_half(in_single[k], half);
        velocities_at(&own[half].block, q[half], y, u[half]);
      }
      for (int k = 0; k < 3; ++k) rounded_u[k] = ts_oct_round(u[0][k], u[1][k]);
      memcpy(rounded_y, in_single, sizeof rounded_y);
      ts_oct_solve(3, &block, rounded_u, rounded_y, in_single);
      for (int half = 0; half < 2; ++half) {
        memcpy(y, r[half], sizeof y);
        velocities_at(&own[half].block, q[half], y, u[half]);
        ts_quad_solve(3, &own[half].block, u[half], y, r[half]);
      }
    }
    const ts_oct law = ts_oct_lawful_squared(3, block.mu, in_single, rounded_u);
    for (int lane = 0; lane < 2 * TS_LANES; ++lane) {
      double size = 0.0, apart = 0.0;
      for (int k = 0; k < 3; ++k) {
        const double exact = r[lane / TS_LANES][k][lane % TS_LANES];
        size = fmax(size, fabs(exact));
        apart = fmax(apart, fabs(exact - (double)in_single[k][lane]));
      }
      if (!(apart <= 1e-5 * (1.0 + size))) fail_msg("trial %d, lane %d: %g of %g apart", trial, lane, apart, size);
      assert_true(sqrt((double)law[lane]) <= 1e-4); // u is that of the visit before
    }
  }
}

// Velocities of bodies come into their lanes and back, and what does not move is not written.
static void velocities_go_through_lanes(void **state)
{
  (void)state;
  enum { BODIES = 9, NOBODY = BODIES };
  const int body[2 * TS_LANES] = {3, NOBODY, 8, 0, 5, 1, NOBODY, 7};
  float v[(BODIES + 1) * TS_BODY_NUMBERS], back[(BODIES + 1) * TS_BODY_NUMBERS] = {0};
  ts_oct c[TS_BODY_ROWS];
  for (int k = 0; k < (BODIES + 1) * TS_BODY_NUMBERS; ++k)
    v[k] = k % TS_BODY_NUMBERS < TS_BODY_ROWS ? (float)(1 + k) : 0.0F;
  ts_oct_gather(v, body, c);
  for (int k = 0; k < TS_BODY_ROWS; ++k)
    for (int lane = 0; lane < 2 * TS_LANES; ++lane) assert_true(c[k][lane] == v[body[lane] * TS_BODY_NUMBERS + k]);
  ts_oct_scatter(c, body, NOBODY, back);
  for (int b = 0; b <= BODIES; ++b) {
    bool moved = false;
    for (int lane = 0; lane < 2 * TS_LANES; ++lane) moved |= body[lane] == b && b != NOBODY;
    for (int k = 0; k < TS_BODY_NUMBERS; ++k)
      assert_true(back[b * TS_BODY_NUMBERS + k] == (moved ? v[b * TS_BODY_NUMBERS + k] : 0.0F));
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
  ts_quad r[MAX_D] = {{0.0}};
  for (int lane = 0; lane < TS_LANES; ++lane) {
    const double W[9] = {1.0, 0.0, 0.0, 0.0, 2.0, 0.0, 0.0, 0.0, 2.0};
    memcpy(c.W[lane], W, sizeof W);
    c.mu[lane] = mu[lane];
    c.q[lane][0] = down[lane];
    c.q[lane][1] = 0.6 * along[lane];
    c.q[lane][2] = 0.8 * along[lane];
  }
  lanes own = to_lanes(&c);
  for (int visits = 0; visits < 4; ++visits) visit(&c, &own, r);
  for (int lane = 0; lane < TS_LANES; ++lane) {
    assert_true(fabs(r[0][lane] - normal[lane]) <= 1e-14);
    assert_true(fabs(r[1][lane] - 0.6 * tangent[lane]) <= 1e-14 && fabs(r[2][lane] - 0.8 * tangent[lane]) <= 1e-14);
  }
}

// A^T diag(own values) A is the matrix again, A orthogonal; with equal values, zeros and matrices that are diagonal.
static void axes_are_principal(void **state)
{
  (void)state;
  ts_random random;
  ts_random_init(&random, 14);
  for (int trial = 0; trial < 1000; ++trial) {
    const int t = 1 + trial % TS_MOST_TANGENTS;
    ts_quad S[TS_MOST_TANGENTS][TS_MOST_TANGENTS], kept[TS_MOST_TANGENTS][TS_MOST_TANGENTS];
    for (int r = 0; r < t; ++r)
      for (int k = 0; k <= r; ++k)
        for (int lane = 0; lane < TS_LANES; ++lane) {
          const double drawn = ts_random_uniform(&random, -1.0, 1.0),
                       special = trial % 5 == 0 ? (r == k) : drawn * drawn;
          S[r][k][lane] = S[k][r][lane] = lane == 0 ? special : lane == 1 && trial % 3 == 0 ? 1.0 : drawn;
        }
    memcpy(kept, S, sizeof S);
    ts_lane_axes axes;
    ts_lanes_principal_axes(t, S, &axes);
    for (int lane = 0; lane < TS_LANES; ++lane)
      for (int r = 0; r < t; ++r)
        for (int s = 0; s < t; ++s) {
          double product = 0.0, rebuilt = 0.0;
          for (int k = 0; k < t; ++k) {
            product += axes.axis[r][k][lane] * axes.axis[s][k][lane];
            rebuilt += axes.axis[k][r][lane] * axes.value[k][lane] * axes.axis[k][s][lane];
          }
          assert_true(fabs(product - (r == s)) <= 4e-15 && fabs(rebuilt - kept[r][s][lane]) <= 1e-14);
        }
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
    const ts_quad natural = ts_quad_natural_squared(3, mu, r, u, s), lawful = ts_quad_lawful_squared(3, mu, r, u);
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
      cmocka_unit_test(singular_blocks_have_answers),
      cmocka_unit_test(eight_lanes_are_two_fours),
      cmocka_unit_test(velocities_go_through_lanes),
      cmocka_unit_test(closed_forms),
      cmocka_unit_test(axes_are_principal),
      cmocka_unit_test(residuals_are_those_of_one),
  };
  return cmocka_run_group_tests(tests, NULL, NULL);
}
