// The integrator against closed forms: orders, tolerance kept, steps that end where they should, rates that are not
// defined everywhere.
#include "math/ode.h"

#include <float.h>
#include <math.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <string.h>
#include <cmocka.h>

// A planet: y = x, y, vx, vy. The orbit with eccentricity e closes after 2 pi.
static bool planet(void *user, double t, const double *y, double *rate)
{
  (void)user;
  (void)t;
  const double r = hypot(y[0], y[1]), r3 = r * r * r;
  rate[0] = y[2];
  rate[1] = y[3];
  rate[2] = -y[0] / r3;
  rate[3] = -y[1] / r3;
  return true;
}

// y' = cos(t) y: y = exp(sin t).
static bool wave(void *user, double t, const double *y, double *rate)
{
  (void)user;
  rate[0] = cos(t) * y[0];
  return true;
}

static const double TURN = 6.283185307179586476925;

static double integrate(ts_ode *ode, double t, double end, double *y)
{
  while (t != end) {
    ode->rate(ode->user, t, y, ode->stage[0]);
    const double h = ts_ode_step(ode, t, y, end);
    if (h == 0.0) return t;
    memcpy(y, ode->trial, ode->size * sizeof *y);
    t = fabs(end - t - h) < 1e-14 * fabs(end) ? end : t + h;
  }
  return t;
}

static void steps_are_of_eighth_order(void **state)
{
  (void)state;
  ts_arena arena;
  ts_arena_init(&arena, NULL);
  ts_ode ode;
  ts_ode_init(&ode, 1, wave, NULL, 1e-12, 1e-12, &arena);
  double error[2], estimate[2];
  for (int k = 0; k < 2; ++k) {
    const int steps = k == 0 ? 8 : 16;
    const double h = 2.0 / steps;
    double y = 1.0;
    for (int i = 0; i < steps; ++i) {
      wave(NULL, i * h, &y, ode.stage[0]);
      const double ratio = ts_ode_attempt(&ode, i * h, &y, h);
      if (i == 0) estimate[k] = ratio;
      y = ode.trial[0];
    }
    error[k] = fabs(y - exp(sin(2.0)));
  }
  const double order = log2(error[0] / error[1]);
  assert_true(order > 7.5 && order < 9.0);
  assert_true(log2(estimate[0] / estimate[1]) > 7.5); // local error of order 7: h^8
  ts_arena_release(&arena);
}

// An error dE of the energy shifts the period by 3 pi a^(5/2) dE, about 9.4 dE, and with it the velocity at the
// pericentre by 6.25 times that, its acceleration there. Some twenty steps may each add tolerance times velocity, at
// most 2, to E.
static const double AMPLIFICATION = 1e3;

static void orbits_close_as_the_tolerance_says(void **state)
{
  (void)state;
  static const double tolerance[] = {1e-6, 1e-9, 1e-12};
  ts_arena arena;
  ts_arena_init(&arena, NULL);
  for (int k = 0; k < 3; ++k) {
    const double e = 0.6, start[4] = {1.0 - e, 0.0, 0.0, sqrt((1.0 + e) / (1.0 - e))};
    double y[4];
    ts_ode ode;
    memcpy(y, start, sizeof y);
    ts_ode_init(&ode, 4, planet, NULL, tolerance[k], tolerance[k], &arena);
    assert_true(integrate(&ode, 0.0, TURN, y) == TURN);
    for (int i = 0; i < 4; ++i) assert_true(fabs(y[i] - start[i]) < AMPLIFICATION * tolerance[k]);
    assert_true(ode.steps < 200 && ode.rejected < ode.steps);
    double back = integrate(&ode, TURN, 0.0, y); // and in reverse
    assert_true(back == 0.0);
    for (int i = 0; i < 4; ++i) assert_true(fabs(y[i] - start[i]) < 2.0 * AMPLIFICATION * tolerance[k]);
  }
  ts_arena_release(&arena);
}

// Defined for y < 1 only; the solution of y' = 1 gets there at t = 1.
static bool bounded(void *user, double t, const double *y, double *rate)
{
  (void)user;
  (void)t;
  rate[0] = 1.0;
  return y[0] < 1.0;
}

static void steps_stay_where_the_rate_is_defined(void **state)
{
  (void)state;
  ts_arena arena;
  ts_arena_init(&arena, NULL);
  ts_ode ode;
  ts_ode_init(&ode, 1, bounded, NULL, 1e-9, 1e-9, &arena);
  double y = 0.0;
  const double reached = integrate(&ode, 0.0, 2.0, &y);
  assert_true(reached > 1.0 - 1e-12 && reached <= 1.0 + 1e-14);
  assert_true(y < 1.0 + 1e-12);
  ts_arena_release(&arena);
}

static bool broken(void *user, double t, const double *y, double *rate)
{
  (void)user;
  (void)t;
  (void)y;
  rate[0] = NAN;
  return true;
}

static void nan_is_never_accepted(void **state)
{
  (void)state;
  ts_arena arena;
  ts_arena_init(&arena, NULL);
  ts_ode ode;
  ts_ode_init(&ode, 1, broken, NULL, 1e-9, 1e-9, &arena);
  const double y = 0.0;
  ode.stage[0][0] = NAN;
  ode.step = 0.1;
  assert_true(ts_ode_step(&ode, 0.0, &y, 1.0) == 0.0);
  ts_arena_release(&arena);
}

int main(void)
{
  const struct CMUnitTest tests[] = {
      cmocka_unit_test(steps_are_of_eighth_order),
      cmocka_unit_test(orbits_close_as_the_tolerance_says),
      cmocka_unit_test(steps_stay_where_the_rate_is_defined),
      cmocka_unit_test(nan_is_never_accepted),
  };
  return cmocka_run_group_tests(tests, NULL, NULL);
}
