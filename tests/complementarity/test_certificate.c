// The certificate: zero at solutions made by hand, figures computed by hand elsewhere, proportional to what is wrong,
// and indifferent to units, order and frames.
#include "touchstone/certificate.h"

#include "touchstone/lowering.h"
#include "touchstone/vector.h"

#include "base/random.h"
#include "math/matrix.h"

#include <math.h>
#include <stdarg.h>
#include <stddef.h>
#include <setjmp.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <cmocka.h>

static void assert_near(double a, double b, double tolerance)
{
  if (!(fabs(a - b) <= tolerance)) print_error("%.17g and %.17g differ by %g\n", a, b, a - b);
  assert_true(fabs(a - b) <= tolerance);
}

static void assert_ratio(double a, double b, double tolerance)
{
  assert_near(a / b, 1.0, tolerance);
}

static ts_matrix dense(int rows, int columns, const double *value)
{
  return (ts_matrix){rows, columns, NULL, NULL, value};
}

// ---- linear problems -----------------------------------------------------------------------------------------------

// An MLCP whose four variables end at the lower bound, in between, at the upper bound, and free; all w and z are exact
// in binary. w = M z + q = (2, 0, -4, 0) at z = (1, 2, 3, -5).
static const double four_M[] = {4, 1, 0, 2, 1, 8, 1, 0, 0, -1, 16, 1, -2, 0, 1, 32}; // column after column
static const double four_z[] = {1, 2, 3, -5}, four_w[] = {2, 0, -4, 0};
static const double four_lower[] = {1, 0, -1, -INFINITY}, four_upper[] = {INFINITY, 4, 3, INFINITY};

static void four_q(double *q)
{
  for (int i = 0; i < 4; ++i) {
    q[i] = four_w[i];
    for (int j = 0; j < 4; ++j) q[i] -= four_M[j * 4 + i] * four_z[j];
  }
}

static double four_residual(const double *z)
{
  double q[4];
  four_q(q);
  const ts_problem p = ts_problem_mlcp((ts_mlcp){4, dense(4, 4, four_M), q, four_lower, four_upper});
  assert_int_equal(ts_problem_check(&p, NULL), TS_OK);
  return ts_problem_residual(&p, z);
}

static void linear_solutions_have_residual_zero(void **state)
{
  (void)state;
  const double M[] = {2, 1, 1, 2}, q[] = {-4, -5}, z[] = {1, 2}, q2[] = {-4, 3}, z2[] = {2, 0};
  ts_problem p = ts_problem_lcp((ts_lcp){2, dense(2, 2, M), q});
  assert_true(ts_problem_residual(&p, z) == 0.0);
  p = ts_problem_lcp((ts_lcp){2, dense(2, 2, M), q2});
  assert_true(ts_problem_residual(&p, z2) == 0.0);
  assert_true(four_residual(four_z) == 0.0);
  p = ts_problem_lcp((ts_lcp){0, dense(0, 0, NULL), NULL});
  assert_true(ts_problem_residual(&p, NULL) == 0.0);
}

// One variable, w = 4 z - 8: in scaled units z/s, s w with s = 1/2 the data are 4, and a relative error of z shows as
// itself. w = 4 z + 8 has its solution at the bound: a z below it counts by the same scale.
static void figures_of_one_variable_are_those_of_hand(void **state)
{
  (void)state;
  const double four = 4.0, inside = -8.0, outside = 8.0;
  const ts_problem p = ts_problem_lcp((ts_lcp){1, dense(1, 1, &four), &inside});
  const ts_problem o = ts_problem_lcp((ts_lcp){1, dense(1, 1, &four), &outside});
  for (double e = 0.25; e > 1e-6; e /= 8) {
    assert_near(ts_problem_residual(&p, (double[]){2.0 * (1.0 + e)}), e, 1e-15);
    assert_near(ts_problem_residual(&p, (double[]){2.0 * (1.0 - e)}), e, 1e-15);
    assert_near(ts_problem_residual(&o, (double[]){-e}), 0.5 * e, 1e-15);
    assert_near(ts_problem_residual(&o, (double[]){e}), 0.5 * e, 1e-15);
  }
  assert_near(ts_problem_residual(&p, (double[]){0.0}), 1.0, 1e-15); // nothing done: 1
}

static void every_error_of_a_component_shows_in_proportion(void **state)
{
  (void)state;
  for (int k = 0; k < 4; ++k)
    for (int sign = -1; sign <= 1; sign += 2) {
      double small[4], twice[4];
      memcpy(small, four_z, sizeof small);
      memcpy(twice, four_z, sizeof twice);
      small[k] += sign * 1e-4;
      twice[k] += sign * 2e-4;
      assert_true(four_residual(small) > 1e-6);
      assert_ratio(four_residual(twice), 2.0 * four_residual(small), 1e-9);
    }
}

static int affine_F(void *user, const double *z, double *F)
{
  (void)user;
  four_q(F);
  for (int j = 0; j < 4; ++j)
    for (int i = 0; i < 4; ++i) F[i] += four_M[j * 4 + i] * z[j];
  return 0;
}

static int affine_J(void *user, const double *z, double *values)
{
  (void)user;
  (void)z;
  memcpy(values, four_M, sizeof four_M);
  return 0;
}

static int undefined_F(void *user, const double *z, double *F)
{
  (void)user;
  (void)z;
  for (int i = 0; i < 4; ++i) F[i] = NAN;
  return 0;
}

static int refused(void *user, const double *z, double *F)
{
  (void)user;
  (void)z;
  (void)F;
  return 1;
}

static void an_affine_mcp_has_the_figure_of_the_mlcp(void **state)
{
  (void)state;
  ts_mcp mcp = {4, four_lower, four_upper, NULL, NULL, affine_F, affine_J, NULL};
  ts_problem p = ts_problem_mcp(mcp);
  assert_true(ts_problem_residual(&p, four_z) == 0.0);
  for (int k = 0; k < 20; ++k) {
    double z[4];
    for (int i = 0; i < 4; ++i) z[i] = four_z[i] + sin(7.0 * k + i);
    assert_ratio(ts_problem_residual(&p, z), four_residual(z), 1e-13);
  }
  mcp.evaluate = undefined_F;
  p = ts_problem_mcp(mcp);
  assert_true(isnan(ts_problem_residual(&p, four_z)));
  mcp.evaluate = refused;
  p = ts_problem_mcp(mcp);
  assert_true(isnan(ts_problem_residual(&p, four_z)));
}

// z -> a z, w -> b w, and the variables in another order.
static void linear_figures_do_not_depend_on_units_and_order(void **state)
{
  (void)state;
  const int order[] = {2, 0, 3, 1};
  const double z[] = {1.5, 1.0, 2.5, -4.0}, a = 1e-4, b = 37.0;
  double q[4], M2[16], q2[4], z2[4], lower[4], upper[4];
  four_q(q);
  for (int i = 0; i < 4; ++i) {
    q2[i] = b * q[order[i]];
    z2[i] = a * z[order[i]];
    lower[i] = a * four_lower[order[i]];
    upper[i] = a * four_upper[order[i]];
    for (int j = 0; j < 4; ++j) M2[j * 4 + i] = b / a * four_M[order[j] * 4 + order[i]];
  }
  const ts_problem p = ts_problem_mlcp((ts_mlcp){4, dense(4, 4, M2), q2, lower, upper});
  assert_ratio(ts_problem_residual(&p, z2), four_residual(z), 1e-13);
}

// ---- friction: problems with a known point -------------------------------------------------------------------------

enum { MOST_CONTACTS = 8, MOST = 4 * MOST_CONTACTS + 6 };

typedef struct storage {
  int start[MOST_CONTACTS + 1], index[MOST_CONTACTS];
  double W[16 * MOST_CONTACTS], q[MOST], mu[MOST_CONTACTS], ellipsoid[3 * MOST_CONTACTS];
} storage;

// Contacts that do not meet, with the diagonal of W given: u = W r + q makes any pair (r, u) a point of some problem.
static ts_friction separate_contacts(int d, int contacts, double diagonal, const double *r, const double *u, storage *t)
{
  memset(t, 0, sizeof *t);
  for (int i = 0; i < contacts; ++i) {
    t->start[i + 1] = i + 1;
    t->index[i] = i;
    t->mu[i] = 0.5;
    for (int k = 0; k < d; ++k) t->W[i * d * d + k * d + k] = diagonal;
  }
  for (int k = 0; k < d * contacts; ++k) t->q[k] = u[k] - diagonal * r[k];
  return (ts_friction){
      .dimension = d, .contacts = contacts, .W = {contacts, d, t->start, t->index, t->W}, .q = t->q, .mu = t->mu};
}

static ts_friction_measures measure(const ts_friction *p, const double *z)
{
  const ts_problem problem = ts_problem_friction(*p);
  ts_friction_measures m;
  assert_int_equal(ts_problem_check(&problem, NULL), TS_OK);
  assert_int_equal(ts_friction_measure(&problem, z, &m), TS_OK);
  assert_true(m.scaled == ts_problem_residual(&problem, z));
  return m;
}

static ts_friction_measures measure_pair(int d, const double *r, const double *u)
{
  storage t;
  const ts_friction p = separate_contacts(d, 1, 1.0, r, u, &t);
  return measure(&p, r);
}

// mu = 0.5 throughout.
static void lawful_contacts_have_residual_zero(void **state)
{
  (void)state;
  const double zero[] = {0, 0, 0, 0};
  ts_friction_measures m = measure_pair(3, zero, (double[]){2, 3, -1});
  assert_true(m.scaled == 0.0 && m.fclib == 0.0 && m.open == 1);
  m = measure_pair(3, (double[]){4, 1, -1}, zero);
  assert_true(m.scaled == 0.0 && m.fclib == 0.0 && m.stick == 1);
  m = measure_pair(3, (double[]){4, -1.2, 1.6}, (double[]){0, 3, -4}); // |r_t| = 2 = mu r_n, against u_t
  assert_true(m.scaled < 1e-15 && m.fclib < 1e-15 && m.slip == 1);
  assert_true(m.penetration_velocity == 0.0 && m.cone_violation < 1e-15 && m.misalignment < 1e-14);
  assert_true(m.complementarity == 0.0);
  m = measure_pair(2, (double[]){2, 1}, (double[]){0, -5});
  assert_true(m.scaled < 1e-15 && m.slip == 1);
  m = measure_pair(4, (double[]){5, -1.5, 0, 2}, (double[]){0, 3, 0, -4});
  assert_true(m.scaled < 1e-15 && m.slip == 1);
  m = measure_pair(3, zero, zero); // grazing
  assert_true(m.scaled == 0.0 && m.open == 1);
}

// Figures by hand. x = r - u - mu |u_t| n is projected on the cone by hand in each comment; |q| = |u - r|.
static void figures_of_one_contact_are_those_of_hand(void **state)
{
  (void)state;
  // r = (1, 0, 0), u = (0, 1, 0): x = (0.5, -1, 0), P = (0.8, -0.4, 0), r - P = (0.2, 0.4, 0): sqrt(0.2) over sqrt(2)
  ts_friction_measures m = measure_pair(3, (double[]){1, 0, 0}, (double[]){0, 1, 0});
  assert_near(m.fclib, sqrt(0.1), 1e-15);
  assert_near(m.scaled, sqrt(0.1), 1e-15); // W = 1: the scaled figure is the same
  assert_near(m.misalignment, 0.0, 0.0);   // r_t = 0 cannot be misaligned
  // penetrating: r = 0, u = (-2, 0, 0): x = P = (2, 0, 0): 2 over 2
  m = measure_pair(3, (double[]){0, 0, 0}, (double[]){-2, 0, 0});
  assert_near(m.fclib, 1.0, 1e-15);
  assert_near(m.penetration_velocity, 2.0, 0.0);
  // outside the cone: r = (2, 3, 0), u = 0: P has (2 + 0.5 3)/1.25 = 2.8, 1.4: r - P = (-0.8, 1.6), over sqrt(13)
  m = measure_pair(3, (double[]){2, 3, 0}, (double[]){0, 0, 0});
  assert_near(m.fclib, sqrt(3.2 / 13.0), 1e-15);
  assert_near(m.cone_violation, 2.0, 1e-15);
  assert_int_equal(m.slip, 1);
  // pulling: r = (-3, 0, 0), u = 0: x in the polar cone, P = 0: 3 over 3
  m = measure_pair(3, (double[]){-3, 0, 0}, (double[]){0, 0, 0});
  assert_near(m.fclib, 1.0, 1e-15);
  assert_near(m.cone_violation, 3.0, 0.0);
  // along the slip instead of against it: |r_t| |u_t| + r_t . u_t = 1 2 + 2
  m = measure_pair(3, (double[]){2, 0, 1}, (double[]){0, 0, 2});
  assert_near(m.misalignment, 4.0, 1e-15);
  // across it, and r_n u_n = 2 0.25
  m = measure_pair(3, (double[]){2, 1, 0}, (double[]){0.25, 0, 2});
  assert_near(m.misalignment, 2.0, 1e-15);
  assert_near(m.complementarity, 0.5, 0.0);
}

static void worst_contacts_and_modes_are_found(void **state)
{
  (void)state;
  const double r[] = {0, 0, 0, 4, 1, -1, 4, -1.2, 1.6, 0, 0, 0, 1, 2, 0};
  const double u[] = {1, 5, 5, 0, 0, 0, 0, 3, -4, -0.25, 0, 0, 0, 0, 0};
  storage t;
  const ts_friction p = separate_contacts(3, 5, 1.0, r, u, &t);
  const ts_friction_measures m = measure(&p, r);
  assert_int_equal(m.open, 1);
  assert_int_equal(m.stick, 2); // the one that should stick, and the penetrating one, which wants an impulse
  assert_int_equal(m.slip, 2);
  assert_near(m.penetration_velocity, 0.25, 0.0);
  assert_near(m.cone_violation, 1.5, 1e-15);
  assert_true(m.scaled > 0.01);
}

// ---- friction: the law by brute force ------------------------------------------------------------------------------

// Whether (r, u) obeys the law to `tolerance`, checked by its words: no admissible tangential impulse takes more power
// out of the slip than r_t. The admissible ones are sampled on the ellipsoid, in circles of 720 directions.
static bool obeys_law(int d, double mu, const double *e, const double *r, const double *u, double tolerance)
{
  double size = 0.0, power = 0.0, least = 0.0;
  for (int k = 1; k < d; ++k) {
    size += r[k] / e[k - 1] * (r[k] / e[k - 1]);
    power += r[k] * u[k];
  }
  if (r[0] < -tolerance || u[0] < -tolerance || fabs(r[0] * u[0]) > tolerance) return false;
  if (sqrt(size) > mu * r[0] + tolerance) return false;
  for (int a = 0; a < 720; ++a)
    for (int b = 0; b <= (d == 4 ? 180 : 0); ++b) {
      const double latitude = d == 4 ? TS_PI * (b - 90) / 180.0 : 0.0, ring = cos(latitude);
      const double direction[] = {ring * cos(TS_PI * a / 360.0), d == 2 ? 0.0 : ring * sin(TS_PI * a / 360.0),
                                  sin(latitude)};
      double p = 0.0;
      for (int k = 1; k < d; ++k) p += mu * r[0] * e[k - 1] * direction[k - 1] * u[k];
      least = fmin(least, p);
    }
  return power <= least + tolerance;
}

// Lawful points with random ellipsoids have residual 0 and pass the brute-force check; the same points with one
// component moved fail both.
static void the_residual_vanishes_where_the_law_holds_and_nowhere_else(void **state)
{
  (void)state;
  ts_random random;
  ts_random_init(&random, 11);
  for (int d = 2; d <= 4; ++d)
    for (int trial = 0; trial < 30; ++trial) {
      const int mode = trial % 3; // open, stick, slip
      double r[4] = {0}, u[4] = {0}, e[3], slip = 0.0;
      const double mu = ts_random_uniform(&random, 0.2, 1.5);
      r[0] = mode ? ts_random_uniform(&random, 0.5, 2.0) : 0.0;
      u[0] = mode ? 0.0 : ts_random_uniform(&random, 0.5, 2.0);
      for (int k = 1; k < d; ++k) {
        e[k - 1] = ts_random_uniform(&random, 0.3, 2.0);
        u[k] = mode == 1 ? 0.0 : (k % 2 ? 1.0 : -1.0) * ts_random_uniform(&random, 0.3, 1.0);
        slip = hypot(slip, e[k - 1] * u[k]);
      }
      for (int k = 1; k < d; ++k)
        r[k] = mode == 2   ? -mu * r[0] * e[k - 1] * e[k - 1] * u[k] / slip
               : mode == 1 ? 0.5 * mu * r[0] * e[k - 1] * ts_random_uniform(&random, -1.0, 1.0)
                           : 0.0;
      for (int moved = -1; moved < 2 * d; ++moved) {
        double r2[4], u2[4];
        memcpy(r2, r, sizeof r);
        memcpy(u2, u, sizeof u);
        if (moved >= 0) (moved < d ? r2 : u2)[moved % d] += 0.1;
        storage t;
        ts_friction p = separate_contacts(d, 1, 0.7, r2, u2, &t);
        t.mu[0] = mu;
        memcpy(t.ellipsoid, e, sizeof e);
        p.ellipsoid = t.ellipsoid;
        const double residual = measure(&p, r2).scaled;
        // lawful still: an open contact's u moves freely, a sticking one's r, a slipping one's speed along the slip in
        // 2D
        const bool lawful = obeys_law(d, mu, e, r2, u2, 2e-4);
        assert_int_equal(lawful, residual < 1e-4);
        if (moved < 0) assert_true(lawful && residual < 1e-14);
      }
    }
}

// ---- friction: invariance ------------------------------------------------------------------------------------------

// A coupled problem in 3D with bilateral rows, and a point that is no solution. With contacts in another order,
// tangents turned by an angle of each contact, and other units.
typedef struct coupled {
  int start[4], index[9];
  double W[81], q[9], mu[3], V[18], R[4], s[2], z[11];
} coupled;

static ts_friction make_coupled(coupled *c, const int *order, const double *angle, double impulse, double velocity)
{
  double J[11][11], K[11][11], T[9][9] = {{0}}, z[11], q[11];
  ts_random random;
  ts_random_init(&random, 4);
  for (int i = 0; i < 11; ++i) {
    for (int j = 0; j < 11; ++j) J[i][j] = ts_random_normal(&random);
    z[i] = ts_random_normal(&random);
    q[i] = ts_random_normal(&random);
  }
  for (int i = 0; i < 11; ++i)
    for (int j = 0; j < 11; ++j) {
      K[i][j] = 0.0;
      for (int k = 0; k < 11; ++k) K[i][j] += J[i][k] * J[j][k];
    }
  for (int i = 0; i < 3; ++i) { // rows of T: the new contacts' axes in those of the old ones
    const double a = cos(angle[i]), b = sin(angle[i]);
    const int from = 3 * order[i];
    T[3 * i][from] = 1.0;
    T[3 * i + 1][from + 1] = T[3 * i + 2][from + 2] = a;
    T[3 * i + 1][from + 2] = b;
    T[3 * i + 2][from + 1] = -b;
    c->mu[i] = 0.2 + 0.3 * order[i];
    c->start[i] = 3 * i;
    for (int j = 0; j < 3; ++j) c->index[3 * i + j] = j;
  }
  c->start[3] = 9;
  const double unit = velocity / impulse;
  for (int i = 0; i < 9; ++i) {
    c->q[i] = c->z[i] = 0.0;
    for (int a = 0; a < 9; ++a) {
      c->q[i] += velocity * T[i][a] * q[a];
      c->z[i] += impulse * T[i][a] * z[a];
    }
    for (int j = 0; j < 9; ++j) {
      double sum = 0.0;
      for (int a = 0; a < 9; ++a)
        for (int b = 0; b < 9; ++b) sum += unit * T[i][a] * K[a][b] * T[j][b];
      c->W[(i / 3 * 3 + j / 3) * 9 + j % 3 * 3 + i % 3] = sum;
    }
    for (int k = 0; k < 2; ++k) {
      c->V[k * 9 + i] = 0.0;
      for (int a = 0; a < 9; ++a) c->V[k * 9 + i] += unit * T[i][a] * K[a][9 + k];
    }
  }
  for (int k = 0; k < 2; ++k) {
    c->s[k] = velocity * q[9 + k];
    c->z[9 + k] = impulse * z[9 + k];
    for (int j = 0; j < 2; ++j) c->R[j * 2 + k] = unit * K[9 + k][9 + j];
  }
  return (ts_friction){.dimension = 3,
                       .contacts = 3,
                       .bilaterals = 2,
                       .W = {3, 3, c->start, c->index, c->W},
                       .q = c->q,
                       .mu = c->mu,
                       .V = dense(9, 2, c->V),
                       .R = dense(2, 2, c->R),
                       .s = c->s};
}

static void friction_figures_do_not_depend_on_units_order_and_frames(void **state)
{
  (void)state;
  const double level[] = {0, 0, 0}, turned[] = {0.3, -2.0, 1.1};
  coupled a, b;
  ts_friction p = make_coupled(&a, (int[]){0, 1, 2}, level, 1.0, 1.0);
  const ts_friction_measures plain = measure(&p, a.z);
  assert_true(plain.scaled > 0.1);
  p = make_coupled(&b, (int[]){2, 0, 1}, turned, 1.0, 1.0);
  const ts_friction_measures moved = measure(&p, b.z);
  assert_ratio(moved.scaled, plain.scaled, 1e-13);
  assert_ratio(moved.fclib, plain.fclib, 1e-13);
  assert_ratio(moved.cone_violation, plain.cone_violation, 1e-12);
  assert_ratio(moved.misalignment, plain.misalignment, 1e-12);
  assert_ratio(moved.bilateral, plain.bilateral, 1e-12);
  p = make_coupled(&b, (int[]){1, 2, 0}, turned, 1e3, 1e-2);
  const ts_friction_measures scaled = measure(&p, b.z);
  assert_ratio(scaled.scaled, plain.scaled, 1e-13);
  assert_ratio(scaled.penetration_velocity, 1e-2 * plain.penetration_velocity, 1e-12);
  assert_ratio(scaled.cone_violation, 1e3 * plain.cone_violation, 1e-12);
  assert_ratio(scaled.misalignment, 10.0 * plain.misalignment, 1e-12);
  assert_ratio(scaled.bilateral, 1e-2 * plain.bilateral, 1e-12);
}

// From a solution with a contact in each mode, every component of r and l counts, in proportion.
static void every_impulse_counts_in_proportion(void **state)
{
  (void)state;
  coupled c;
  const ts_friction p = make_coupled(&c, (int[]){0, 1, 2}, (double[]){0, 0, 0}, 1.0, 1.0);
  const double r[] = {0, 0, 0, 2, 0.2, -0.3, 1, 0, -0.8}, u[] = {1, 2, 3, 0, 0, 0, 0, 0, 2}, l[] = {0.5, -1.5};
  double product[9] = {0};
  memcpy(c.z, r, sizeof r);
  memcpy(c.z + 9, l, sizeof l);
  ts_block_multiply_add(&p.W, r, product);
  ts_matrix_multiply_add(&p.V, 1.0, l, product);
  for (int i = 0; i < 9; ++i) c.q[i] = u[i] - product[i];
  c.s[0] = c.s[1] = 0.0;
  ts_matrix_transpose_multiply_add(&p.V, -1.0, r, c.s);
  ts_matrix_multiply_add(&p.R, -1.0, l, c.s);
  assert_true(measure(&p, c.z).scaled < 1e-14);
  for (int k = 0; k < 11; ++k)
    for (int sign = -1; sign <= 1; sign += 2) {
      const double exact = c.z[k];
      c.z[k] = exact + sign * 1e-6;
      const ts_friction_measures once = measure(&p, c.z);
      c.z[k] = exact + sign * 2e-6;
      const ts_friction_measures twice = measure(&p, c.z);
      c.z[k] = exact;
      assert_true(once.scaled > 1e-8 && once.fclib > 1e-8);
      assert_ratio(twice.scaled, 2.0 * once.scaled, 1e-4);
      assert_ratio(twice.fclib, 2.0 * once.fclib, 1e-4);
    }
}

// ---- friction: FCLIB's figure --------------------------------------------------------------------------------------

// Squared distance to the point of the cone's surface above `height` and next to x.
static double squared_distance(const double *x, double mu, double height)
{
  const double tangent = hypot(x[1], x[2]), reach = mu * height;
  const double out = tangent > reach ? tangent - reach : 0.0;
  return (x[0] - height) * (x[0] - height) + out * out;
}

// The distance by search: over the height of the nearest point, which makes a convex function.
static void search_projection(const double *x, double mu, double *p)
{
  double low = 0.0, high = fabs(x[0]) + hypot(x[1], x[2]) + 1.0;
  for (int k = 0; k < 200; ++k) {
    const double a = low + (high - low) / 3.0, b = high - (high - low) / 3.0;
    if (squared_distance(x, mu, a) < squared_distance(x, mu, b))
      high = b;
    else
      low = a;
  }
  const double height = 0.5 * (low + high), tangent = hypot(x[1], x[2]);
  const double share = tangent > mu * height ? mu * height / tangent : 1.0;
  p[0] = height;
  p[1] = share * x[1];
  p[2] = share * x[2];
}

static void the_figure_of_fclib_is_that_of_a_search(void **state)
{
  (void)state;
  coupled c;
  ts_friction p = make_coupled(&c, (int[]){0, 1, 2}, (double[]){0, 0, 0}, 1.0, 1.0);
  p.bilaterals = 0;
  for (int trial = 0; trial < 20; ++trial) {
    double u[9], numerator = 0.0, denominator = 0.0;
    for (int i = 0; i < 9; ++i) c.z[i] = 2.0 * sin(13.0 * trial + 5.0 * i);
    for (int i = 0; i < 9; ++i) {
      u[i] = c.q[i];
      for (int j = 0; j < 9; ++j) u[i] += c.W[(i / 3 * 3 + j / 3) * 9 + j % 3 * 3 + i % 3] * c.z[j];
      denominator += c.q[i] * c.q[i];
    }
    for (int i = 0; i < 3; ++i) {
      const double *r = c.z + 3 * i, *v = u + 3 * i;
      const double x[] = {r[0] - v[0] - c.mu[i] * hypot(v[1], v[2]), r[1] - v[1], r[2] - v[2]};
      double projected[3];
      search_projection(x, c.mu[i], projected);
      for (int k = 0; k < 3; ++k) numerator += (r[k] - projected[k]) * (r[k] - projected[k]);
    }
    assert_ratio(measure(&p, c.z).fclib, sqrt(numerator / denominator), 1e-6);
  }
}

// ---- the global form -----------------------------------------------------------------------------------------------

typedef struct global_storage {
  double M[144], H[12 * 9], G[12 * 2], f[12], w[9], b[2], mu[3], ellipsoid[6], z[9 + 2 + 12];
} global_storage;

static ts_global_friction make_global(global_storage *t, double impulse, double velocity)
{
  ts_random random;
  ts_random_init(&random, 21);
  memset(t, 0, sizeof *t);
  for (int i = 0; i < 12; ++i) {
    t->M[i * 12 + i] = impulse / velocity * (i % 6 < 3 ? 2.0 : 0.4 + 0.1 * i);
    t->f[i] = impulse * ts_random_normal(&random);
  }
  for (int k = 0; k < 12 * 9; ++k) t->H[k] = ts_random_normal(&random);
  for (int k = 0; k < 12 * 2; ++k) t->G[k] = ts_random_normal(&random);
  for (int k = 0; k < 9; ++k) t->w[k] = velocity * ts_random_normal(&random);
  for (int k = 0; k < 2; ++k) t->b[k] = velocity * ts_random_normal(&random);
  for (int i = 0; i < 3; ++i) t->mu[i] = 0.4;
  for (int k = 0; k < 6; ++k) t->ellipsoid[k] = 0.5 + 0.2 * k;
  for (int k = 0; k < 11; ++k) t->z[k] = impulse * ts_random_normal(&random);
  for (int k = 11; k < 23; ++k) t->z[k] = velocity * ts_random_normal(&random);
  return (ts_global_friction){.dimension = 3,
                              .contacts = 3,
                              .bilaterals = 2,
                              .M = dense(12, 12, t->M),
                              .H = dense(12, 9, t->H),
                              .G = dense(12, 2, t->G),
                              .f = t->f,
                              .w = t->w,
                              .b = t->b,
                              .mu = t->mu,
                              .ellipsoid = t->ellipsoid};
}

static void a_point_in_equilibrium_has_the_figures_of_the_condensed_problem(void **state)
{
  (void)state;
  for (int bilaterals = 0; bilaterals <= 2; bilaterals += 2) {
    global_storage t;
    ts_global_friction p = make_global(&t, 1.0, 1.0);
    p.bilaterals = bilaterals;
    p.G.columns = bilaterals;
    ts_condensed *condensed = NULL;
    double z[23];
    assert_int_equal(ts_condense(&p, &condensed, NULL), TS_OK);
    ts_condensed_recover(condensed, t.z, z);
    const ts_problem global = ts_problem_global_friction(p);
    ts_friction_measures a, b;
    assert_int_equal(ts_friction_measure(&global, z, &a), TS_OK);
    assert_int_equal(ts_friction_measure(ts_condensed_problem(condensed), z, &b), TS_OK);
    assert_true(a.equilibrium < 1e-13);
    assert_ratio(a.scaled, b.scaled, 1e-12);
    assert_ratio(a.fclib, b.fclib, 1e-12);
    assert_ratio(a.misalignment, b.misalignment, 1e-12);
    if (bilaterals) assert_ratio(a.bilateral, b.bilateral, 1e-12);
    assert_int_equal(a.open + a.stick + a.slip, 3);
    assert_int_equal(a.slip, b.slip);
    z[9 + bilaterals + 4] += 1e-3; // a velocity that is not that of the impulses
    assert_int_equal(ts_friction_measure(&global, z, &b), TS_OK);
    assert_near(b.equilibrium, 1e-3 * t.M[4 * 12 + 4], 1e-12);
    ts_condensed_destroy(condensed);
  }
}

static void global_figures_do_not_depend_on_units(void **state)
{
  (void)state;
  global_storage t, other;
  ts_problem p = ts_problem_global_friction(make_global(&t, 1.0, 1.0));
  const double plain = ts_problem_residual(&p, t.z);
  p = ts_problem_global_friction(make_global(&other, 1e3, 1e-2));
  assert_ratio(ts_problem_residual(&p, other.z), plain, 1e-12);
}

// Without contacts: M v = f, measured against f.
static void a_global_problem_without_contacts_is_its_equilibrium(void **state)
{
  (void)state;
  const double M[] = {4, 0, 0, 1}, f[] = {8, 3}, v[] = {2, 3}, off[] = {2.5, 3};
  const ts_problem p = ts_problem_global_friction(
      (ts_global_friction){.dimension = 3, .M = dense(2, 2, M), .H = dense(2, 0, NULL), .f = f});
  assert_true(ts_problem_residual(&p, v) == 0.0);
  assert_near(ts_problem_residual(&p, off), 1.0 / 5.0, 1e-15); // |(2/2, 0)| over |(8/2, 3)|
}

// ---- points that are none ------------------------------------------------------------------------------------------

static void what_is_no_mass_matrix_gives_no_figure(void **state)
{
  (void)state;
  const double M[] = {1, 0, 0, -1}, f[] = {1, 1}, v[] = {0, 0}; // the squares of the two errors would cancel
  const ts_problem p = ts_problem_global_friction(
      (ts_global_friction){.dimension = 3, .M = dense(2, 2, M), .H = dense(2, 0, NULL), .f = f});
  assert_int_equal(ts_problem_check(&p, NULL), TS_OK);
  assert_true(isnan(ts_problem_residual(&p, v)));
}

// One contact that moves into the other body and along it, r = 0: the law is broken by all there is, whatever the unit.
static double untouched_contact(double mu, double unit, ts_friction_measures *measures)
{
  const double W[] = {1, 0, 0, 0, 1, 0, 0, 0, 1}, q[] = {-unit, 2 * unit, 0}, r[3] = {0};
  const int start[] = {0, 1}, index[] = {0};
  const ts_problem p = ts_problem_friction(
      (ts_friction){.dimension = 3, .contacts = 1, .W = {1, 3, start, index, W}, .q = q, .mu = &mu});
  assert_int_equal(ts_friction_measure(&p, r, measures), TS_OK);
  return ts_problem_residual(&p, r);
}

static void squares_that_overflow_or_vanish_do_not_hide_an_error(void **state)
{
  (void)state;
  static const double units[] = {1e-310, 1e-200, 1e-160, 1e-80, 1e80, 1e160, 1e300};
  ts_friction_measures usual, m;
  const double expected = untouched_contact(0.5, 1.0, &usual);
  assert_true(expected > 0.1);
  for (size_t k = 0; k < sizeof units / sizeof units[0]; ++k) {
    assert_ratio(untouched_contact(0.5, units[k], &m), expected, 1e-12);
    assert_ratio(m.fclib, usual.fclib, 1e-12);
    assert_ratio(m.penetration_velocity, units[k] * usual.penetration_velocity, 1e-12);
  }
  const double M[] = {1e-300, 0, 0, 1}, q[] = {1e200, -1}; // the scaled q_0 is infinite
  const ts_problem p = ts_problem_lcp((ts_lcp){2, dense(2, 2, M), q});
  assert_false(ts_problem_residual(&p, (double[]){0, 0}) <= 0.5);
}

static void much_friction_does_not_hide_penetration(void **state)
{
  (void)state;
  ts_friction_measures m;
  for (double mu = 2.0; mu < 1e300; mu *= 1e3) assert_true(untouched_contact(mu, 1.0, &m) > 0.1);
}

static void what_is_not_finite_gives_no_figure(void **state)
{
  (void)state;
  const double bad[] = {NAN, INFINITY, -INFINITY};
  for (int b = 0; b < 3; ++b)
    for (int k = 0; k < 4; ++k) {
      double z[4];
      memcpy(z, four_z, sizeof z);
      z[k] = bad[b];
      assert_true(isnan(four_residual(z)));
    }
  coupled c;
  const ts_friction p = make_coupled(&c, (int[]){0, 1, 2}, (double[]){0, 0, 0}, 1.0, 1.0);
  const ts_problem problem = ts_problem_friction(p);
  for (int b = 0; b < 3; ++b)
    for (int k = 0; k < 11; ++k) {
      ts_friction_measures m;
      const double before = c.z[k];
      c.z[k] = bad[b];
      assert_true(isnan(ts_problem_residual(&problem, c.z)));
      assert_int_equal(ts_friction_measure(&problem, c.z, &m), TS_OK);
      assert_true(isnan(m.scaled) && isnan(m.fclib));
      c.z[k] = before;
    }
  c.z[0] = 1e200; // squares overflow: bad, but not out of memory
  ts_friction_measures m;
  assert_int_equal(ts_friction_measure(&problem, c.z, &m), TS_OK);
  assert_false(m.scaled <= 1.0);
  const ts_problem lcp = ts_problem_lcp((ts_lcp){0});
  assert_int_equal(ts_friction_measure(&lcp, c.z, &m), TS_INVALID);
}

int main(void)
{
  const struct CMUnitTest tests[] = {
      cmocka_unit_test(linear_solutions_have_residual_zero),
      cmocka_unit_test(figures_of_one_variable_are_those_of_hand),
      cmocka_unit_test(every_error_of_a_component_shows_in_proportion),
      cmocka_unit_test(an_affine_mcp_has_the_figure_of_the_mlcp),
      cmocka_unit_test(linear_figures_do_not_depend_on_units_and_order),
      cmocka_unit_test(lawful_contacts_have_residual_zero),
      cmocka_unit_test(figures_of_one_contact_are_those_of_hand),
      cmocka_unit_test(worst_contacts_and_modes_are_found),
      cmocka_unit_test(the_residual_vanishes_where_the_law_holds_and_nowhere_else),
      cmocka_unit_test(friction_figures_do_not_depend_on_units_order_and_frames),
      cmocka_unit_test(every_impulse_counts_in_proportion),
      cmocka_unit_test(the_figure_of_fclib_is_that_of_a_search),
      cmocka_unit_test(a_point_in_equilibrium_has_the_figures_of_the_condensed_problem),
      cmocka_unit_test(global_figures_do_not_depend_on_units),
      cmocka_unit_test(a_global_problem_without_contacts_is_its_equilibrium),
      cmocka_unit_test(what_is_no_mass_matrix_gives_no_figure),
      cmocka_unit_test(squares_that_overflow_or_vanish_do_not_hide_an_error),
      cmocka_unit_test(much_friction_does_not_hide_penetration),
      cmocka_unit_test(what_is_not_finite_gives_no_figure),
  };
  return cmocka_run_group_tests(tests, NULL, NULL);
}
