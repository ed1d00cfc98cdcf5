// The maps of one contact: zero at what the law allows and only there, and their derivatives against differences.
#include "complementarity/friction/contact_map.h"

#include "base/random.h"

#include <math.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stdbool.h>
#include <stddef.h>
#include <string.h>
#include <cmocka.h>

enum { MAX_D = 4 };

typedef struct named_map {
  const char *name;
  ts_contact_map *map;
} named_map;

static const named_map maps[] = {{"Alart-Curnier", ts_alart_curnier}, {"natural", ts_natural_map}};
enum { MAPS = sizeof maps / sizeof maps[0] };

typedef enum mode { OPEN, STICK, SLIP, MODES } mode;

// A pair that the law allows: built from the mode.
static void draw_solution(ts_random *random, mode mode_drawn, int d, double mu, double *r, double *u)
{
  double t[MAX_D] = {0}, length = 0.0;
  for (int k = 1; k < d; ++k) {
    t[k] = ts_random_normal(random);
    length += t[k] * t[k];
  }
  for (int k = 1; k < d; ++k) t[k] /= sqrt(length);
  memset(r, 0, MAX_D * sizeof *r);
  memset(u, 0, MAX_D * sizeof *u);
  const double speed = ts_random_uniform(random, 0.1, 3.0), pressure = ts_random_uniform(random, 0.1, 3.0);
  if (mode_drawn == OPEN) {
    u[0] = ts_random_uniform(random, 0.1, 3.0);
    for (int k = 1; k < d; ++k) u[k] = speed * t[k];
    return;
  }
  r[0] = pressure;
  const double share = mode_drawn == SLIP ? 1.0 : ts_random_uniform(random, 0.0, 0.95);
  for (int k = 1; k < d; ++k) {
    r[k] = -share * mu * pressure * t[k];
    u[k] = mode_drawn == SLIP ? speed * t[k] : 0.0;
  }
}

static double norm(int d, const double *x)
{
  double sum = 0.0;
  for (int k = 0; k < d; ++k) sum += x[k] * x[k];
  return sqrt(sum);
}

static void maps_vanish_at_solutions(void **state)
{
  (void)state;
  ts_random random;
  ts_random_init(&random, 30);
  for (int n = 0; n < 9000; ++n) {
    const int d = 2 + n % 3;
    const double mu = n % 11 == 0 ? 0.0 : ts_random_uniform(&random, 0.05, 2.0);
    const double rho = pow(10.0, ts_random_uniform(&random, -2.0, 2.0));
    double r[MAX_D], u[MAX_D], F[MAX_D];
    draw_solution(&random, (mode)(n / 3 % MODES), d, mu, r, u);
    for (int m = 0; m < MAPS; ++m) {
      maps[m].map(d, mu, rho, r, u, F, NULL, NULL);
      // r - rho u is rounded, and so is its projection.
      assert_true(norm(d, F) <= 1e-15 * 8.0 * (norm(d, r) + rho * (1.0 + mu) * norm(d, u)));
    }
  }
}

// A pair that breaks the law by e in one place gives a map of at least that order: no other zeros nearby.
static void maps_do_not_vanish_elsewhere(void **state)
{
  (void)state;
  const double mu = 0.5;
  static const struct {
    const char *what;
    double r[3], u[3];
  } wrong[] = {
      {"penetrates", {1.0, 0.0, 0.0}, {-0.1, 0.0, 0.0}},
      {"pulls", {-0.1, 0.0, 0.0}, {0.0, 0.0, 0.0}},
      {"presses while opening", {1.0, 0.0, 0.0}, {0.1, 0.0, 0.0}},
      {"leaves the cone", {1.0, 0.6, 0.0}, {0.0, 0.0, 0.0}},
      {"slips inside the cone", {1.0, 0.2, 0.0}, {0.0, -0.1, 0.0}},
      {"pushes along the slip", {1.0, 0.5, 0.0}, {0.0, 0.1, 0.0}},
      {"slips askew", {1.0, 0.5, 0.0}, {0.0, 0.0, -0.1}},
      {"rubs without pressure", {0.0, 0.1, 0.0}, {0.1, 0.0, 0.0}},
  };
  for (size_t n = 0; n < sizeof wrong / sizeof wrong[0]; ++n)
    for (int m = 0; m < MAPS; ++m) {
      double F[3];
      maps[m].map(3, mu, 1.0, wrong[n].r, wrong[n].u, F, NULL, NULL);
      if (!(norm(3, F) > 0.03)) fail_msg("%s: %s gives %g", maps[m].name, wrong[n].what, norm(3, F));
    }
}

// ---- derivatives ---------------------------------------------------------------------------------------------------

// Distance from the kinks: the two cone tests of either map, and u_t = 0 in the natural one.
static bool is_smooth_here(int d, double mu, double rho, const double *r, const double *u)
{
  double x[MAX_D], xt = 0.0, slip = 0.0;
  for (int k = 0; k < d; ++k) x[k] = r[k] - rho * u[k];
  for (int k = 1; k < d; ++k) {
    xt += x[k] * x[k];
    slip += u[k] * u[k];
  }
  xt = sqrt(xt);
  slip = sqrt(slip);
  const double natural = x[0] - rho * mu * slip, margin = 0.05;
  return fabs(x[0]) > margin && fabs(xt - mu * x[0]) > margin && fabs(xt - mu * natural) > margin &&
         fabs(mu * xt + natural) > margin && xt > margin && slip > margin;
}

// Which piece of the natural map the pair lies on.
static mode piece(int d, double mu, double rho, const double *r, const double *u)
{
  double x[MAX_D], xt = 0.0, slip = 0.0;
  for (int k = 1; k < d; ++k) slip += u[k] * u[k];
  for (int k = 0; k < d; ++k) x[k] = r[k] - rho * u[k] - (k == 0 ? rho * mu * sqrt(slip) : 0.0);
  for (int k = 1; k < d; ++k) xt += x[k] * x[k];
  if (sqrt(xt) <= mu * x[0]) return STICK;
  return mu * sqrt(xt) <= -x[0] ? OPEN : SLIP;
}

// Central differences of step h = 1e-5 are off by h^2/6 times a third derivative of at most 1/margin^2 (4e-9), and by
// round-off over h (1e-10).
static void assert_derivative(const named_map *m, int d, double mu, double rho, const double *r, const double *u)
{
  const double h = 1e-5;
  double F[MAX_D], A[MAX_D * MAX_D], B[MAX_D * MAX_D];
  m->map(d, mu, rho, r, u, F, A, B);
  for (int c = 0; c < 2 * d; ++c) {
    double x[2][MAX_D], high[MAX_D], low[MAX_D];
    for (int side = 0; side < 2; ++side) {
      memcpy(x[0], r, (size_t)d * sizeof *r);
      memcpy(x[1], u, (size_t)d * sizeof *u);
      x[c / d][c % d] += side ? h : -h;
      m->map(d, mu, rho, x[0], x[1], side ? high : low, NULL, NULL);
    }
    for (int k = 0; k < d; ++k) {
      const double difference = (high[k] - low[k]) / (2.0 * h), exact = (c < d ? A : B)[c % d * d + k];
      if (!(fabs(difference - exact) <= 1e-6 * (1.0 + rho)))
        fail_msg("%s, d = %d: entry (%d, %d) is %g, differences give %g", m->name, d, k, c, exact, difference);
    }
  }
}

static void derivatives_agree_with_differences(void **state)
{
  (void)state;
  ts_random random;
  ts_random_init(&random, 31);
  int seen[MAX_D + 1][MODES] = {{0}};
  for (int n = 0; n < 6000; ++n) {
    const int d = 2 + n % 3;
    const double mu = ts_random_uniform(&random, 0.1, 1.5), rho = ts_random_uniform(&random, 0.3, 3.0);
    double r[MAX_D], u[MAX_D];
    for (int k = 0; k < d; ++k) {
      r[k] = ts_random_normal(&random);
      u[k] = ts_random_normal(&random);
    }
    if (n % 4 == 0) { // pressed and slow: sticks
      r[0] = 3.0 + fabs(r[0]);
      for (int k = 0; k < d; ++k) u[k] *= 0.1;
    }
    if (!is_smooth_here(d, mu, rho, r, u)) continue;
    ++seen[d][piece(d, mu, rho, r, u)];
    for (int m = 0; m < MAPS; ++m) assert_derivative(&maps[m], d, mu, rho, r, u);
  }
  for (int d = 2; d <= MAX_D; ++d)
    for (int k = 0; k < MODES; ++k) assert_true(seen[d][k] >= 50);
}

int main(void)
{
  const struct CMUnitTest tests[] = {
      cmocka_unit_test(maps_vanish_at_solutions),
      cmocka_unit_test(maps_do_not_vanish_elsewhere),
      cmocka_unit_test(derivatives_agree_with_differences),
  };
  return cmocka_run_group_tests(tests, NULL, NULL);
}
