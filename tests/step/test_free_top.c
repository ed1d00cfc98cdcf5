// Bodies that turn without any torque, against Euler's equations integrated finely by the method of Runge and Kutta,
// and against what they conserve.
#include "world.h"

#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <cmocka.h>

#include "near.h"

static const double INERTIA[3] = {0.1, 0.2, 0.25}; // corrections.md 12
static const ts_vec3 SPIN = {5.0, 6.0, 4.0};
static const ts_vec3 NONE = {0.0, 0.0, 0.0};

typedef struct variant {
  const char *method;
  double theta;
} variant;

static const variant VARIANTS[] = {{"stewart-trinkle", 1.0}, {"velocity", 1.0}, {"velocity", 0.75}, {"velocity", 0.5}};
enum { VARIANT_COUNT = sizeof VARIANTS / sizeof VARIANTS[0] };

static int top_init(world *w, variant v, ts_gyroscopic rule, double h)
{
  world_init(w, TS_SPACE_3D);
  ts_builder_set_gravity(w->builder, NONE);
  ts_body_def def = ts_body_def_default();
  def.name = "top";
  def.kind = TS_DYNAMIC;
  def.mass = 1.0;
  for (int k = 0; k < 3; ++k) def.inertia[k] = INERTIA[k];
  w->options.method = ts_stepper_find(v.method);
  w->options.theta = v.theta;
  w->options.gyroscopic = rule;
  w->options.size = h;
  const int top = world_add_def(w, &def, shape_sphere(0.1));
  world_start(w);
  return top;
}

static ts_vec3 times_inertia(ts_vec3 w)
{
  return (ts_vec3){INERTIA[0] * w.x, INERTIA[1] * w.y, INERTIA[2] * w.z};
}

static ts_vec3 angular_momentum(const world *w, int top)
{
  const ts_quat q = ts_sim_pose(w->sim, top).orientation;
  const ts_vec3 own = ts_quat_rotate(ts_quat_conjugate(q), ts_sim_velocity(w->sim, top).angular);
  return ts_quat_rotate(q, times_inertia(own));
}

// ---- the reference -------------------------------------------------------------------------------------------------

typedef struct motion {
  ts_quat q;
  ts_vec3 w; // body axes
} motion;

static motion rate_of(motion m)
{
  const ts_vec3 L = times_inertia(m.w), torque = ts_cross(L, m.w);
  const ts_quat half = ts_quat_product(m.q, (ts_quat){0.0, 0.5 * m.w.x, 0.5 * m.w.y, 0.5 * m.w.z});
  return (motion){half, {torque.x / INERTIA[0], torque.y / INERTIA[1], torque.z / INERTIA[2]}};
}

static motion moved(motion m, double h, motion r)
{
  const ts_quat q = {m.q.w + h * r.q.w, m.q.x + h * r.q.x, m.q.y + h * r.q.y, m.q.z + h * r.q.z};
  return (motion){q, ts_add_scaled(m.w, h, r.w)};
}

static motion exact_motion(ts_vec3 w, double time)
{
  enum { STEPS = 20000 };
  const double h = time / STEPS;
  motion m = {ts_quat_identity(), w};
  for (int k = 0; k < STEPS; ++k) {
    const motion a = rate_of(m), b = rate_of(moved(m, 0.5 * h, a)), c = rate_of(moved(m, 0.5 * h, b)),
                 d = rate_of(moved(m, h, c));
    m = moved(moved(moved(moved(m, h / 6.0, a), h / 3.0, b), h / 3.0, c), h / 6.0, d);
  }
  return m;
}

// ---- tests ---------------------------------------------------------------------------------------------------------

// |w| h up to 1 and far beyond, 2000 steps: energy and the length of the angular momentum stay.
static void energy_does_not_grow(void **state)
{
  (void)state;
  static const double turns[] = {0.01, 0.1, 0.3, 1.0, 3.0};
  double worst_energy = 0.0, worst_length = 0.0;
  for (int v = 0; v < VARIANT_COUNT; ++v)
    for (size_t k = 0; k < sizeof turns / sizeof turns[0]; ++k) {
      const double h = turns[k] / ts_length(SPIN);
      world w;
      const int top = top_init(&w, VARIANTS[v], TS_GYROSCOPIC_MIDPOINT, h);
      world_move(&w, top, NONE, SPIN);
      const double energy = world_kinetic(&w), length = ts_length(angular_momentum(&w, top));
      for (int step = 0; step < 2000; ++step) {
        world_step(&w);
        const double gained = world_kinetic(&w) / energy - 1.0;
        const double longer = ts_length(angular_momentum(&w, top)) / length - 1.0;
        if (gained > 1e-11)
          fail_msg("%s, theta %g, |w| h = %g: energy grows by %g", VARIANTS[v].method, VARIANTS[v].theta, turns[k],
                   gained);
        if (turns[k] > 1.0) continue;
        worst_energy = fmax(worst_energy, fabs(gained));
        worst_length = fmax(worst_length, fabs(longer));
      }
      world_release(&w);
    }
  print_message("energy changes by %.2g at most, the length of the angular momentum by %.2g\n", worst_energy,
                worst_length);
  assert_true(worst_energy < 1e-11 && worst_length < 1e-11);
}

// What the default is there for: at |w| h = 1 the explicit term multiplies the energy within few certified steps.
static void the_explicit_term_diverges(void **state)
{
  (void)state;
  world w;
  const int top = top_init(&w, VARIANTS[0], TS_GYROSCOPIC_EXPLICIT, 1.0 / ts_length(SPIN));
  world_move(&w, top, NONE, SPIN);
  const double energy = world_kinetic(&w);
  int steps = 0;
  while (steps < 100 && world_kinetic(&w) < 1e3 * energy) {
    world_step(&w);
    ++steps;
  }
  print_message("explicit: the energy grows by 1000 in %d steps\n", steps);
  assert_true(steps < 100);
  world_release(&w);
}

typedef struct errors {
  double velocity, orientation, momentum;
} errors;

static errors errors_after_one_second(variant v, ts_gyroscopic rule, int steps)
{
  world w;
  const int top = top_init(&w, v, rule, 1.0 / steps);
  const motion exact = exact_motion(SPIN, 1.0);
  world_move(&w, top, NONE, SPIN);
  const ts_vec3 before = angular_momentum(&w, top);
  errors e = {0.0, 0.0, 0.0};
  for (int k = 0; k < steps; ++k) {
    world_step(&w);
    e.momentum = fmax(e.momentum, ts_distance_of(angular_momentum(&w, top), before) / ts_length(before));
  }
  const ts_quat q = ts_sim_pose(w.sim, top).orientation, apart = ts_quat_product(ts_quat_conjugate(exact.q), q);
  e.velocity = ts_distance_of(ts_sim_velocity(w.sim, top).angular, ts_quat_rotate(exact.q, exact.w)) / ts_length(SPIN);
  e.orientation = 2.0 * ts_length((ts_vec3){apart.x, apart.y, apart.z});
  world_release(&w);
  return e;
}

static void motions_converge(void **state)
{
  (void)state;
  for (int v = 0; v < VARIANT_COUNT; ++v) {
    const errors coarse = errors_after_one_second(VARIANTS[v], TS_GYROSCOPIC_MIDPOINT, 1000);
    const errors fine = errors_after_one_second(VARIANTS[v], TS_GYROSCOPIC_MIDPOINT, 2000);
    const errors explicitly = errors_after_one_second(VARIANTS[v], TS_GYROSCOPIC_EXPLICIT, 1000);
    const errors implicitly = errors_after_one_second(VARIANTS[v], TS_GYROSCOPIC_IMPLICIT, 1000);
    print_message("%s, theta %g, h = 1 ms: errors of w %.2g, orientation %.2g, momentum %.2g; orders %.2f %.2f %.2f; "
                  "explicit %.2g %.2g %.2g, implicit %.2g %.2g %.2g\n",
                  VARIANTS[v].method, VARIANTS[v].theta, coarse.velocity, coarse.orientation, coarse.momentum,
                  log2(coarse.velocity / fine.velocity), log2(coarse.orientation / fine.orientation),
                  log2(coarse.momentum / fine.momentum), explicitly.velocity, explicitly.orientation,
                  explicitly.momentum, implicitly.velocity, implicitly.orientation, implicitly.momentum);
    const double order = VARIANTS[v].theta > 0.5 ? 1.0 : 2.0;
    assert_near(log2(coarse.velocity / fine.velocity), order, 0.05);
    assert_near(log2(coarse.orientation / fine.orientation), order, 0.05);
    assert_near(log2(coarse.momentum / fine.momentum), order, 0.05);
    assert_true(coarse.velocity < fmin(explicitly.velocity, implicitly.velocity));
    assert_true(coarse.orientation < fmin(explicitly.orientation, implicitly.orientation));
  }
}

// The direction of the angular momentum swings by a share of the turn of one step, and goes on doing so: the error does
// not add up.
static void the_momentum_swings_but_does_not_drift(void **state)
{
  (void)state;
  const double h = 1e-3;
  for (int v = 0; v < VARIANT_COUNT; ++v) {
    world w;
    const int top = top_init(&w, VARIANTS[v], TS_GYROSCOPIC_MIDPOINT, h);
    world_move(&w, top, NONE, SPIN);
    const ts_vec3 before = angular_momentum(&w, top);
    double worst = 0.0;
    for (int k = 0; k < 20000; ++k) {
      world_step(&w);
      worst = fmax(worst, ts_distance_of(angular_momentum(&w, top), before) / ts_length(before));
    }
    if (worst > 0.5 * h * ts_length(SPIN))
      fail_msg("%s, theta %g: momentum off by %g", VARIANTS[v].method, VARIANTS[v].theta, worst);
    world_release(&w);
  }
}

// About a principal axis nothing changes but round-off; also where that axis is the unstable one.
static void turning_about_a_principal_axis_goes_on(void **state)
{
  (void)state;
  const ts_vec3 axes[] = {{9.0, 0.0, 0.0}, {0.0, 9.0, 0.0}, {0.0, 0.0, 9.0}};
  for (int v = 0; v < VARIANT_COUNT; ++v)
    for (int k = 0; k < 3; ++k) {
      world w;
      const int top = top_init(&w, VARIANTS[v], TS_GYROSCOPIC_MIDPOINT, 0.1);
      world_move(&w, top, NONE, axes[k]);
      world_steps(&w, 5);
      assert_vec_near(ts_sim_velocity(w.sim, top).angular, axes[k], 1e-12);
      world_release(&w);
    }
}

// Spun up by a torque about a fixed direction from rest: the angular momentum is torque times time, to first order, and
// speeds of a turn a step are survived.
static void a_light_body_is_spun_up(void **state)
{
  (void)state;
  world w;
  const double h = 1e-2;
  const int top = top_init(&w, VARIANTS[0], TS_GYROSCOPIC_MIDPOINT, h);
  const ts_wrench push = {NONE, {3.0, 4.0, 5.0}};
  for (int k = 1; k <= 2000; ++k) {
    ts_error error;
    assert_int_equal(ts_sim_push(w.sim, top, &push, &error), TS_OK);
    world_step(&w);
    const double most = k * h * ts_length(push.moment);
    assert_true(ts_length(angular_momentum(&w, top)) <= most * (1.0 + 1e-9));
  }
  world_release(&w);
}

int main(void)
{
  const struct CMUnitTest tests[] = {
      cmocka_unit_test(energy_does_not_grow),
      cmocka_unit_test(the_explicit_term_diverges),
      cmocka_unit_test(motions_converge),
      cmocka_unit_test(the_momentum_swings_but_does_not_drift),
      cmocka_unit_test(turning_about_a_principal_axis_goes_on),
      cmocka_unit_test(a_light_body_is_spun_up),
  };
  return cmocka_run_group_tests(tests, NULL, NULL);
}
