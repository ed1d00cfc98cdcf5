// Extrapolated first-order steps against closed forms: smooth motion, motion on a constraint, and a kink.
#include "math/extrapolation.h"

#include <math.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <string.h>
#include <cmocka.h>

typedef struct rig {
  ts_arena arena;
  jmp_buf recovery;
} rig;

static void rig_init(rig *r)
{
  ts_arena_init(&r->arena, NULL);
  r->arena.recovery = &r->recovery;
}

// Euler's method for the pendulum x'' = -sin x.
static bool swing(void *user, double t, const double *y, double h, int substeps, double *end)
{
  (void)user;
  (void)t;
  double x = y[0], v = y[1];
  for (int k = 0; k < substeps; ++k) {
    const double a = -sin(x);
    x += h / substeps * v;
    v += h / substeps * a;
  }
  end[0] = x;
  end[1] = v;
  return true;
}

static double energy(const double *y)
{
  return 0.5 * y[1] * y[1] - cos(y[0]);
}

// Halving h divides the error of j rows by 2^(j + 1); the estimate is that of order j - 1.
static void each_row_adds_an_order(void **state)
{
  (void)state;
  rig r;
  rig_init(&r);
  ts_extrapolation x;
  ts_extrapolation_init(&x, 2, 2, 1, swing, NULL, 1e-10, &r.arena);
  const double y[2] = {1.0, 0.5};
  double exact[2];
  assert_true(ts_extrapolation_attempt(&x, 0.0, y, 0.1, x.most) < 1.0);
  double errors[2];
  for (int rows = 2; rows <= 4; ++rows) {
    for (int k = 0; k < 2; ++k) {
      const double h = 0.1 / (1 << k);
      ts_extrapolation_attempt(&x, 0.0, y, h, x.most);
      memcpy(exact, x.trial, sizeof exact);
      ts_extrapolation_attempt(&x, 0.0, y, h, rows);
      errors[k] = fabs(x.trial[0] - exact[0]) + fabs(x.trial[1] - exact[1]);
    }
    assert_true(fabs(log2(errors[0] / errors[1]) - (rows + 1)) < 0.3);
  }
  ts_arena_release(&r.arena);
}

static double run(ts_extrapolation *x, double *y, double end)
{
  double t = 0.0;
  while (t < end) {
    const double h = ts_extrapolation_step(x, t, y, end);
    if (h == 0.0) break;
    memcpy(y, x->trial, x->size * sizeof *y);
    t += h;
  }
  return t;
}

static void a_pendulum_keeps_its_energy(void **state)
{
  (void)state;
  rig r;
  rig_init(&r);
  ts_extrapolation x;
  ts_extrapolation_init(&x, 2, 2, 1, swing, NULL, 1e-11, &r.arena);
  double y[2] = {1.0, 0.5};
  const double before = energy(y);
  assert_true(fabs(run(&x, y, 20.0) - 20.0) < 1e-12);
  assert_true(fabs(energy(y) - before) < 1e-8); // some hundred steps of at most 1e-11, which add up and grow with time
  assert_true(x.substeps < 40000);
  ts_arena_release(&r.arena);
}

// A bead on a circle: the velocity is made tangent at the start of each substep, as steps at the level of velocities
// do.
static bool circle(void *user, double t, const double *y, double h, int substeps, double *end)
{
  (void)user;
  (void)t;
  double p[2] = {y[0], y[1]}, v[2] = {y[2], y[3]};
  for (int k = 0; k < substeps; ++k) {
    v[1] -= h / substeps * 9.81;
    const double out = (p[0] * v[0] + p[1] * v[1]) / (p[0] * p[0] + p[1] * p[1]);
    for (int i = 0; i < 2; ++i) v[i] -= out * p[i];
    for (int i = 0; i < 2; ++i) p[i] += h / substeps * v[i];
  }
  memcpy(end, p, sizeof p);
  memcpy(end + 2, v, sizeof v);
  return true;
}

static void constraints_are_extrapolated_too(void **state)
{
  (void)state;
  rig r;
  rig_init(&r);
  ts_extrapolation x;
  ts_extrapolation_init(&x, 4, 4, 1, circle, NULL, 1e-11, &r.arena);
  double y[4] = {1.0, 0.0, 0.0, 0.0};
  assert_true(fabs(run(&x, y, 0.5) - 0.5) < 1e-14);
  assert_true(fabs(hypot(y[0], y[1]) - 1.0) < 1e-9);
  assert_true(fabs(y[0] * y[2] + y[1] * y[3]) < 1e-8);
  const double height = y[1], speed = 0.5 * (y[2] * y[2] + y[3] * y[3]);
  assert_true(fabs(speed + 9.81 * height) < 1e-8);
  ts_arena_release(&r.arena);
}

// Dry friction that is too weak to hold: v' = a - b sign v jumps where the motion turns round. A substep that does so
// from a speed that counts would hide the jump.
static bool turn_round(void *user, double t, const double *y, double h, int substeps, double *end)
{
  (void)user;
  (void)t;
  double p = y[0], v = y[1];
  for (int k = 0; k < substeps; ++k) {
    const double d = h / substeps, before = v, free = v - 2.0 * d;
    v = free > 0.5 * d ? free - 0.5 * d : free < -0.5 * d ? free + 0.5 * d : 0.0;
    if (before > 1e-11 && v <= 0.0) return false;
    p += d * v;
  }
  end[0] = p;
  end[1] = v;
  return true;
}

static void a_kink_is_passed_in_short_steps(void **state)
{
  (void)state;
  rig r;
  rig_init(&r);
  ts_extrapolation x;
  ts_extrapolation_init(&x, 2, 2, 1, turn_round, NULL, 1e-10, &r.arena);
  double y[2] = {0.0, 1.0};
  run(&x, y, 1.0); // turns at t = 1/2.5, 0.2 from the start
  assert_true(fabs(y[1] + 1.5 * 0.6) < 1e-9);
  assert_true(fabs(y[0] - (0.2 - 0.5 * 1.5 * 0.36)) < 1e-9);
  assert_true(x.substeps < 2000);
  ts_arena_release(&r.arena);
}

// Defined for t < 0.35 only, as if the method failed there.
static bool fails_late(void *user, double t, const double *y, double h, int substeps, double *end)
{
  *(int *)user += 1;
  end[0] = y[0] + h;
  (void)substeps;
  return t + h < 0.35;
}

static void a_method_that_fails_ends_the_run(void **state)
{
  (void)state;
  rig r;
  rig_init(&r);
  ts_extrapolation x;
  int calls = 0;
  ts_extrapolation_init(&x, 1, 1, 1, fails_late, &calls, 1e-10, &r.arena);
  double y[1] = {0.0};
  const double t = run(&x, y, 1.0);
  assert_true(t < 0.35 && t > 0.34999999);
  assert_true(fabs(y[0] - t) < 1e-12);
  assert_true(calls < 2000);
  ts_arena_release(&r.arena);
}

int main(void)
{
  const struct CMUnitTest tests[] = {
      cmocka_unit_test(each_row_adds_an_order),           cmocka_unit_test(a_pendulum_keeps_its_energy),
      cmocka_unit_test(constraints_are_extrapolated_too), cmocka_unit_test(a_kink_is_passed_in_short_steps),
      cmocka_unit_test(a_method_that_fails_ends_the_run),
  };
  return cmocka_run_group_tests(tests, NULL, NULL);
}
