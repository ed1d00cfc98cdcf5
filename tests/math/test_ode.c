// The integrator against closed forms: orders, tolerance kept, steps that end where they should, rates that are not
// defined everywhere.
#include "math/ode.h"

#include "touchstone/vector.h"

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

static const double TURN = 2.0 * TS_PI;

static double integrate(ts_ode *ode, double t, double end, double *y)
{
  while (t != end) {
    const double h = ts_ode_step(ode, t, y, end);
    if (h == 0.0) return t;
    memcpy(y, ode->extrapolation.trial, ode->extrapolation.size * sizeof *y);
    t = fabs(end - t - h) < 1e-14 * fabs(end) ? end : t + h;
  }
  return t;
}

// Of j rows 2 j, where the method itself is of second order; their difference from j - 1 columns is one of 2 j - 2.
static void each_row_adds_two_orders(void **state)
{
  (void)state;
  ts_arena arena;
  ts_arena_init(&arena, NULL);
  ts_ode ode;
  ts_ode_init(&ode, 1, wave, NULL, 1e-12, &arena);
  for (int rows = 2; rows <= 4; ++rows) {
    double error[2], estimate[2];
    for (int k = 0; k < 2; ++k) {
      const int steps = k == 0 ? 4 : 8;
      const double h = 2.0 / steps;
      double y = 1.0;
      for (int i = 0; i < steps; ++i) {
        wave(NULL, i * h, &y, ode.start);
        const double ratio = ts_extrapolation_attempt(&ode.extrapolation, i * h, &y, h, rows);
        if (i == 0) estimate[k] = ratio;
        y = ode.extrapolation.trial[0];
      }
      error[k] = fabs(y - exp(sin(2.0)));
    }
    assert_true(fabs(log2(error[0] / error[1]) - 2.0 * rows) < 0.8);
    assert_true(log2(estimate[0] / estimate[1]) > 2.0 * rows - 2.0);
  }
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
    ts_ode_init(&ode, 4, planet, NULL, tolerance[k], &arena);
    assert_true(integrate(&ode, 0.0, TURN, y) == TURN);
    for (int i = 0; i < 4; ++i) assert_true(fabs(y[i] - start[i]) < AMPLIFICATION * tolerance[k]);
    assert_true(ode.evaluations < 3000);
    assert_true(ode.extrapolation.rejected < 20);
  }
  ts_arena_release(&arena);
}

// ---- forces of time alone ------------------------------------------------------------------------------------------

// y' = w cos(w t + phase): an estimate must see a quadrature, at whatever phase and with whatever first step.
typedef struct wheel {
  double frequency, phase;
} wheel;

static bool turn_wheel(void *user, double t, const double *y, double *rate)
{
  const wheel *w = user;
  (void)y;
  rate[0] = w->frequency * cos(w->frequency * t + w->phase);
  return true;
}

static void functions_of_time_are_integrated(void **state)
{
  (void)state;
  static const double frequency[] = {1.0, 100.0, 4.0 * 2.0 * TS_PI, 240.0 * 2.0 * TS_PI};
  ts_arena arena;
  ts_arena_init(&arena, NULL);
  for (int k = 0; k < 4; ++k)
    for (int i = 0; i < 4; ++i) {
      wheel w = {frequency[k], 0.25 * TURN * i};
      ts_ode ode;
      ts_ode_init(&ode, 1, turn_wheel, &w, 1e-12, &arena);
      double y = sin(w.phase);
      assert_true(integrate(&ode, 0.0, 1.0, &y) == 1.0);
      assert_true(fabs(y - sin(w.frequency + w.phase)) < 1e-9);
    }
  ts_arena_release(&arena);
}

// ---- stiffness -----------------------------------------------------------------------------------------------------

// y' = -c (y - 1/c), at its steady state y = 1/c: y' is 0, and a long step explodes.
static bool decay(void *user, double t, const double *y, double *rate)
{
  const double c = *(const double *)user;
  (void)t;
  rate[0] = 1.0 - c * y[0];
  return true;
}

static void what_is_stiff_does_not_explode(void **state)
{
  (void)state;
  ts_arena arena;
  ts_arena_init(&arena, NULL);
  for (double c = 1e2; c < 1e6; c *= 10.0)
    for (int off = 0; off < 2; ++off) {
      ts_ode ode;
      ts_ode_init(&ode, 1, decay, &c, 1e-13, &arena);
      double y = (1.0 + 1e-3 * off) / c;
      assert_true(integrate(&ode, 0.0, 0.1, &y) == 0.1);
      const double exact = (1.0 + 1e-3 * off * exp(-0.1 * c)) / c;
      assert_true(fabs(y - exact) < 1e-11);
    }
  ts_arena_release(&arena);
}

// ---- what is not defined -------------------------------------------------------------------------------------------

// Defined for y < 1 only; the solution of y' = 1 gets there at t = 1.
static bool bounded(void *user, double t, const double *y, double *rate)
{
  (void)user;
  (void)t;
  rate[0] = 1.0;
  return y[0] < 1.0;
}

static void a_run_ends_where_the_rate_is_not_defined(void **state)
{
  (void)state;
  ts_arena arena;
  ts_arena_init(&arena, NULL);
  ts_ode ode;
  ts_ode_init(&ode, 1, bounded, NULL, 1e-9, &arena);
  double y = 0.0;
  const double reached = integrate(&ode, 0.0, 2.0, &y);
  assert_true(reached > 1.0 - 1e-12 && reached < 2.0); // the end of a step is seen at the start of the next one
  assert_true(fabs(y - reached) < 1e-12);
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
  ts_ode_init(&ode, 1, broken, NULL, 1e-9, &arena);
  const double y = 0.0;
  assert_true(ts_ode_step(&ode, 0.0, &y, 1.0) == 0.0);
  ts_arena_release(&arena);
}

int main(void)
{
  const struct CMUnitTest tests[] = {
      cmocka_unit_test(each_row_adds_two_orders),
      cmocka_unit_test(orbits_close_as_the_tolerance_says),
      cmocka_unit_test(functions_of_time_are_integrated),
      cmocka_unit_test(what_is_stiff_does_not_explode),
      cmocka_unit_test(a_run_ends_where_the_rate_is_not_defined),
      cmocka_unit_test(nan_is_never_accepted),
  };
  return cmocka_run_group_tests(tests, NULL, NULL);
}
