// Event-driven stepping against closed forms: a ball that comes to rest, a pendulum against a stop; and what it
// refuses.
#include "mechanism.h"

#include <math.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <string.h>
#include <cmocka.h>

static const double PI = 3.14159265358979323846;

// ---- a ball --------------------------------------------------------------------------------------------------------

// Dropped from h with e = 1/2: impacts at t1 (1 + 2 e + 2 e^2 + ...), t1 = sqrt(2 h/g), which end at 3 t1.
static void a_ball_comes_to_rest_when_its_bounces_add_up(void **state)
{
  (void)state;
  world w;
  world_init(&w, TS_SPACE_3D);
  world_friction(&w, 0.3, 0.5);
  world_floor(&w);
  const int ball = world_add(&w, "ball", TS_DYNAMIC, 2.0, shape_sphere(0.25), (ts_vec3){0.0, 0.0, 1.25});
  w.options.method = ts_stepper_find("event-driven");
  w.options.impacts = TS_IMPACT_POISSON;
  w.options.size = 0.02;
  world_start(&w);
  const double rest = 3.0 * sqrt(2.0 / 9.81);
  double last = 0.0;
  int impacts = 0;
  for (int k = 0; k < 150; ++k) {
    world_step(&w);
    const ts_step_report *report = ts_sim_report(w.sim);
    impacts += report->events;
    if (report->events > 0) last = report->event_time;
  }
  assert_true(fabs(last - rest) < 1e-6);
  assert_true(impacts > 15 && impacts < 40);
  assert_true(fabs(ts_sim_pose(w.sim, ball).position.z - 0.25) < 1e-12);
  assert_true(fabs(ts_sim_velocity(w.sim, ball).linear.z) < 1e-12);
  world_release(&w);
}

// ---- a stop --------------------------------------------------------------------------------------------------------

// A ball on a rod of length 1 falls from the horizontal against a stop at the vertical, e = 1/2: it arrives with
// w^2 = 2 m g/I and leaves with half of that, and comes back as fast as it left.
static void a_pendulum_rebounds_from_its_stop(void **state)
{
  (void)state;
  world w;
  world_init(&w, TS_SPACE_3D);
  const double m = 1.5, r = 0.1, I = m * (1.0 + 0.4 * r * r);
  const int ball = world_add(&w, "ball", TS_DYNAMIC, m, shape_sphere(r), (ts_vec3){0.0, 1.0, 0.0});
  const ts_vec3 pivot = {0.0, 0.0, 0.0}, axis = {1.0, 0.0, 0.0};
  ts_joint_def def = mechanism_joint(TS_JOINT_REVOLUTE, TS_WORLD, ball, pivot, axis);
  def.limited = true;
  def.lower = -0.5 * PI;
  def.upper = INFINITY;
  def.restitution = 0.5;
  mechanism_add(&w, &def);
  w.options.method = ts_stepper_find("event-driven");
  w.options.impacts = TS_IMPACT_POISSON;
  w.options.tolerance = 1e-12;
  w.options.size = 0.01;
  world_start(&w);
  double rate = sqrt(2.0 * m * 9.81 / I);
  int impacts = 0;
  for (int k = 0; impacts < 4 && k < 400; ++k) {
    world_step(&w);
    const ts_step_report *report = ts_sim_report(w.sim);
    if (report->events == 0) continue;
    assert_int_equal(report->events, 1);
    ++impacts;
    rate *= 0.5;
    const double energy = report->kinetic_energy + report->potential_energy; // at the bottom all of it is kinetic
    assert_true(fabs(energy - (0.5 * I * rate * rate - m * 9.81)) < 1e-9);
  }
  assert_int_equal(impacts, 4);
  world_release(&w);
}

// ---- refusals ------------------------------------------------------------------------------------------------------

static void newtons_law_is_refused(void **state)
{
  (void)state;
  ts_error error;
  ts_step_options options = ts_step_options_default();
  options.method = ts_stepper_find("event-driven");
  assert_int_equal(ts_step_options_check(&options, &error), TS_OK);
  options.impacts = TS_IMPACT_NEWTON;
  assert_int_equal(ts_step_options_check(&options, &error), TS_UNSUPPORTED);
  assert_non_null(strstr(error.text, "poisson or inelastic"));
}

int main(void)
{
  const struct CMUnitTest tests[] = {
      cmocka_unit_test(a_ball_comes_to_rest_when_its_bounces_add_up),
      cmocka_unit_test(a_pendulum_rebounds_from_its_stop),
      cmocka_unit_test(newtons_law_is_refused),
  };
  return cmocka_run_group_tests(tests, NULL, NULL);
}
