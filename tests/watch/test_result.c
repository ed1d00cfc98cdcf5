// Every kind of result against closed forms: of the time itself, whose lines between steps are exact, and of a ball
// that is thrown.
#include "watched_run.h"

#include <math.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>
#include <string.h>
#include <cmocka.h>

static void assert_result(const watched_run *run, const char *name, double value, double tolerance)
{
  const double found = watched_result(run, name);
  if (!(fabs(found - value) <= tolerance)) fail_msg("%s is %.17g, not %.17g", name, found, value);
}

static void assert_none(const watched_run *run, const char *name)
{
  if (!isnan(watched_result(run, name))) fail_msg("%s is %g, not nothing", name, watched_result(run, name));
}

// 100 steps of 0.01 s of a ball that rests in space.
static watched_run run_of_time(const char *results)
{
  char text[4000];
  snprintf(text, sizeof text,
           "touchstone: 1\n"
           "gravity: [0, 0, 0]\n"
           "bodies: [{name: ball, shape: {sphere: {radius: 0.1}}}]\n"
           "step: {size: 0.01}\n"
           "duration: 1\n"
           "parameters: {a: 0.5}\n"
           "results:\n%s",
           results);
  return watched_run_of(text);
}

static const double TIGHT = 1e-12;

static void kinds_of_the_time(void **state)
{
  (void)state;
  watched_run run = run_of_time("  last: t + a\n"
                                "  last_too: {final: '=t + a', unit: s}\n"
                                "  first: {first: t + 1}\n"
                                "  least: {min: (t - 0.3)^2}\n"
                                "  most: {max: t*(0.8 - t)}\n"
                                "  mean: {mean: t}\n"
                                "  area: {integral: 2*t}\n"
                                "  when: {time: t >= 0.345}\n"
                                "  at_once: {time: 1}\n"
                                "  never: {time: t < 0}\n"
                                "  waves: {count: 'sin(2*pi*5*(t - 0.005)) > 0'}\n"
                                "  no_wave: {count: t > 2}\n"
                                "  always: {count: 1}\n"
                                "  of_others: waves + 2*area\n");
  assert_result(&run, "last", 1.5, TIGHT);
  assert_result(&run, "last_too", 1.5, TIGHT);
  assert_string_equal(ts_watch_result_unit(run.watch, 1), "s");
  assert_result(&run, "first", 1.0, 0.0);
  assert_result(&run, "least", 0.0, TIGHT);
  assert_result(&run, "most", 0.16, TIGHT);
  assert_result(&run, "mean", 0.5, TIGHT);
  assert_result(&run, "area", 1.0, TIGHT);
  assert_result(&run, "when", 0.35, TIGHT);
  assert_result(&run, "at_once", 0.0, 0.0);
  assert_none(&run, "never");
  assert_result(&run, "waves", 5.0, 0.0);
  assert_result(&run, "no_wave", 0.0, 0.0);
  assert_result(&run, "always", 1.0, 0.0); // what holds at the start begins there
  assert_result(&run, "of_others", 7.0, TIGHT);
  watched_end(&run);
}

// Means and integrals are cut where their time begins and ends, in the middle of steps, too; all others take the steps
// in it.
// At the end of a step, between two, at the start, at the end of the run, and after it.
static void values_at_a_time(void **state)
{
  (void)state;
  watched_run run = run_of_time("  end: {value: t + a, at: 0.3}\n"
                                "  between: {value: t^2, at: 0.3025}\n"
                                "  start: {value: t + 1, at: 0}\n"
                                "  last: {value: 2*t, at: 1}\n"
                                "  after: {value: t, at: 1.005}\n"
                                "  step: {value: t*steps.substeps, at: 0.3025}\n"
                                "  step_end: {value: t*steps.substeps, at: 0.3}\n"
                                "  no_step: {value: t*steps.substeps, at: 0}\n"
                                "  not_then: {value: t, at: 0.3025, when: t > 0.305}\n"
                                "  'of_$i': {repeat: {count: 100, from: 1}, value: 3*t, at: =0.00731*i}\n");
  assert_result(&run, "end", 0.8, TIGHT);
  assert_result(&run, "between", 0.75 * 0.09 + 0.25 * 0.31 * 0.31, TIGHT); // on the chord
  assert_result(&run, "start", 1.0, TIGHT);
  assert_result(&run, "last", 2.0, TIGHT);
  assert_none(&run, "after");
  assert_result(&run, "step", 0.31, TIGHT); // of the step from 0.3 to 0.31
  assert_result(&run, "step_end", 0.3, TIGHT);
  assert_none(&run, "no_step");
  assert_none(&run, "not_then");
  for (int i = 1; i <= 100; ++i) {
    char name[16];
    snprintf(name, sizeof name, "of_%d", i);
    assert_result(&run, name, 3.0 * 0.00731 * i, TIGHT);
  }
  watched_end(&run);
}

static void windows_of_the_time(void **state)
{
  (void)state;
  watched_run run = run_of_time("  to_half: {final: t, to: 0.5}\n"
                                "  to_between: {final: t, to: 0.505}\n"
                                "  from_between: {first: t, from: 0.255}\n"
                                "  from_on: {first: t, from: 0.25}\n"
                                "  most: {max: t, from: 0.1, to: 0.2}\n"
                                "  count: {count: t < 0.5, from: 0.25}\n"
                                "  onset: {count: t > 0.245, from: 0.25}\n"
                                "  onset_between: {count: t > 0.255, from: 0.255}\n"
                                "  held_between: {count: t > 0.245, from: 0.255}\n"
                                "  at_end: {count: t > 0.495, from: 0.25, to: 0.5}\n"
                                "  after_end: {count: t > 0.505, from: 0.25, to: 0.5}\n"
                                "  condition: {count: 1, when: t > 0.245, from: 0.3}\n"
                                "  whole: {integral: t, from: 0.2, to: 0.6}\n"
                                "  cut: {integral: t, from: 0.2034, to: 0.6012}\n"
                                "  mean_cut: {mean: t, from: 0.2034, to: 0.6012}\n"
                                "  within: {integral: t, from: 0.2034, to: 0.2057}\n"
                                "  mean_within: {mean: t, from: 0.2034, to: 0.2057}\n"
                                "  first_within: {first: t, from: 0.2034, to: 0.2057}\n"
                                "  open: {integral: t, from: 0.5}\n"
                                "  beyond: {integral: t, from: 0.5, to: 7}\n"
                                "  after: {mean: t, from: 7}\n"
                                "  before: {mean: t, from: -3, to: 0.1}\n"
                                "  undefined: {mean: '1/(t - 0.2)', from: 0.205, to: 0.3}\n"
                                "  when: {integral: t, when: t < 0.5, from: 0.3}\n"
                                "  no_time: {mean: t, when: t < -1}\n"
                                "  point: {mean: t, when: 'abs(t - 0.5) < 1e-6'}\n"
                                "  no_area: {integral: t, when: 'abs(t - 0.5) < 1e-6'}\n"
                                "  points: {mean: t, when: 'abs(sin(10*pi*t)) > 0.999'}\n"
                                "  last_points: {mean: t, when: 'abs(sin(10*pi*t)) > 0.999', last: 0.3}\n"
                                "  some_lines: {mean: t, when: 't < 0.1005 or abs(t - 0.5) < 1e-6'}\n");
  assert_result(&run, "to_half", 0.5, TIGHT);
  assert_result(&run, "to_between", 0.5, TIGHT);
  assert_result(&run, "from_between", 0.26, TIGHT);
  assert_result(&run, "from_on", 0.25, TIGHT);
  assert_result(&run, "most", 0.2, TIGHT);
  assert_result(&run, "count", 0.0, 0.0); // it held before
  assert_result(&run, "onset", 1.0, 0.0);
  assert_result(&run, "onset_between", 1.0, 0.0);
  assert_result(&run, "held_between", 0.0, 0.0);
  assert_result(&run, "at_end", 1.0, 0.0);
  assert_result(&run, "after_end", 0.0, 0.0);
  assert_result(&run, "condition", 0.0, 0.0);
  assert_result(&run, "whole", 0.16, TIGHT);
  assert_result(&run, "cut", 0.5 * (0.6012 * 0.6012 - 0.2034 * 0.2034), TIGHT);
  assert_result(&run, "mean_cut", 0.5 * (0.6012 + 0.2034), TIGHT);
  assert_result(&run, "within", 0.5 * (0.2057 * 0.2057 - 0.2034 * 0.2034), TIGHT);
  assert_result(&run, "mean_within", 0.5 * (0.2057 + 0.2034), TIGHT);
  assert_none(&run, "first_within");
  assert_result(&run, "open", 0.375, TIGHT);
  assert_result(&run, "beyond", 0.375, TIGHT);
  assert_none(&run, "after");
  assert_result(&run, "before", 0.05, TIGHT);
  double area = 0.0; // the line from 0.20 to 0.21 has no beginning
  for (int i = 21; i < 30; ++i) area += 0.005 * (1.0 / (0.01 * i - 0.2) + 1.0 / (0.01 * i - 0.19));
  assert_result(&run, "undefined", area / 0.09, 1e-9);
  assert_result(&run, "when", 0.5 * (0.49 * 0.49 - 0.3 * 0.3), TIGHT);
  assert_none(&run, "no_time");
  assert_result(&run, "point", 0.5, TIGHT);
  assert_result(&run, "no_area", 0.0, 0.0);
  assert_result(&run, "points", 0.5, TIGHT); // of 0.05, 0.15, ...
  assert_result(&run, "last_points", 0.85, TIGHT);
  assert_result(&run, "some_lines", 0.05, TIGHT);
  watched_end(&run);
}

static void the_last_while(void **state)
{
  (void)state;
  watched_run run = run_of_time("  mean: {mean: t, last: 0.2}\n"
                                "  cut: {mean: t, last: 0.2043}\n"
                                "  area: {integral: t, last: 0.2043}\n"
                                "  short: {integral: t, last: 0.0043}\n"
                                "  all: {integral: t, last: 1}\n"
                                "  more: {integral: t, last: 5}\n"
                                "  first: {first: t, last: 0.2}\n"
                                "  first_cut: {first: t, last: 0.2043}\n"
                                "  least: {min: t, last: 0.5}\n"
                                "  count: {count: t > 0.4, last: 0.5}\n"
                                "  onset: {count: t > 0.495, last: 0.5}\n"
                                "  all_count: {count: t < 0.4, last: 5}\n"
                                "  time: {time: t > 0.4, last: 0.5}\n"
                                "  late: {time: t > 0.6, last: 0.5}\n"
                                "  end: {final: t, last: 0.5}\n"
                                "  when: {mean: t, when: t < 0.9, last: 0.2}\n");
  assert_result(&run, "mean", 0.9, TIGHT);
  assert_result(&run, "cut", 1.0 - 0.5 * 0.2043, TIGHT);
  assert_result(&run, "area", 0.2043 * (1.0 - 0.5 * 0.2043), TIGHT);
  assert_result(&run, "short", 0.0043 * (1.0 - 0.5 * 0.0043), TIGHT);
  assert_result(&run, "all", 0.5, TIGHT);
  assert_result(&run, "more", 0.5, TIGHT);
  assert_result(&run, "first", 0.8, TIGHT);
  assert_result(&run, "first_cut", 0.8, TIGHT);
  assert_result(&run, "least", 0.5, TIGHT);
  assert_result(&run, "count", 0.0, 0.0);
  assert_result(&run, "onset", 1.0, 0.0);
  assert_result(&run, "all_count", 1.0, 0.0);
  assert_result(&run, "time", 0.5, TIGHT);
  assert_result(&run, "late", 0.61, TIGHT);
  assert_result(&run, "end", 1.0, TIGHT);
  assert_result(&run, "when", 0.5 * (0.8 + 0.89), TIGHT);
  watched_end(&run);
}

// z = v t - g t^2/2; the stepper is of first order, so that what is measured may be off by some g h.
static void a_thrown_ball(void **state)
{
  (void)state;
  const double g = 10.0, v = 5.0, h = 1e-4, off = 3.0 * g * h;
  watched_run run = watched_run_of("touchstone: 1\n"
                                   "gravity: [0, 0, -10]\n"
                                   "bodies:\n"
                                   "  - {name: ball, shape: {sphere: {radius: 0.1}}, velocity: [1, 0, 5]}\n"
                                   "step: {size: 1e-4}\n"
                                   "duration: 2\n"
                                   "stop: [{name: down, when: ball.z < 0 and t > 0.1}]\n"
                                   "results:\n"
                                   "  height: {max: ball.z, unit: m}\n"
                                   "  flight: {final: t}\n"
                                   "  range: ball.x\n"
                                   "  climb: {integral: ball.vz, to: 0.5}\n"
                                   "  mean: {mean: ball.z}\n"
                                   "  top: {time: ball.vz < 0}\n"
                                   "  highest: {max: steps.energy, when: t > 0}\n"
                                   "  lowest: {min: steps.energy, when: t > 0}\n"
                                   "  energy_change: {final: (highest - lowest)/highest}\n");
  assert_int_equal(ts_watch_stopped(run.watch), 0);
  assert_string_equal(ts_watch_stop_name(run.watch, 0), "down");
  assert_result(&run, "height", v * v / (2.0 * g), off);
  assert_result(&run, "flight", 2.0 * v / g, 2.0 * h);
  assert_result(&run, "range", 2.0 * v / g, 2.0 * h);
  assert_result(&run, "climb", v * v / (2.0 * g), off);
  assert_result(&run, "mean", v * v / (3.0 * g), off); // (1/T) int v t - g t^2/2 = v T/2 - g T^2/6, T = 2 v/g
  assert_result(&run, "top", v / g, 2.0 * h);
  assert_result(&run, "energy_change", 0.0, 1e-3);
  watched_end(&run);
}

// Bounces of restitution 1/2 from 1 m: each half as fast. After three the ball is down at t = sqrt(2/g) (1 + 2 (1/2 +
// 1/4 + 1/8)).
static void a_bouncing_ball(void **state)
{
  (void)state;
  watched_run run = watched_run_of("touchstone: 1\n"
                                   "gravity: [0, 0, -10]\n"
                                   "contact: {restitution: 0.5, friction: 0}\n"
                                   "bodies:\n"
                                   "  - {name: floor, kind: fixed, shape: {plane: {normal: [0, 0, 1]}}}\n"
                                   "  - {name: ball, shape: {sphere: {radius: 0.1}}, position: [0, 0, 1.1], mass: 2}\n"
                                   "step: {size: 1e-4}\n"
                                   "duration: 1.1\n"
                                   "results:\n"
                                   "  bounces: {count: 'contacts(ball, floor).count > 0'}\n"
                                   "  first: {time: 'contacts(ball, floor).pn > 0', unit: s}\n"
                                   "  first_speed: {max: ball.speed}\n"
                                   "  push: {max: 'contacts(floor, ball).pn'}\n"
                                   "  second_top: {max: ball.z, when: t > 0.5, to: 0.8}\n"
                                   "  when_pushed: {mean: 'contacts(ball, floor).nz', from: 0.4, to: 0.5}\n"
                                   "  none: {max: 'contacts(ball, floor).px', to: 0.3}\n"
                                   "  no_gap: {mean: 'contacts(ball, floor).gap', to: 0.3}\n"
                                   "  far: {min: 'contacts(ball, floor).gap', to: 0.3}\n"
                                   "  near: {mean: 'contacts(ball, floor).gap'}\n");
  const double fall = sqrt(0.2), v = sqrt(20.0);
  assert_result(&run, "bounces", 2.0, 0.0);
  assert_result(&run, "first", fall, 2e-3);
  assert_result(&run, "first_speed", v, 5e-3);
  assert_result(&run, "push", 2.0 * 1.5 * v, 0.05);
  assert_result(&run, "second_top", 0.1 + 0.25, 5e-3);
  assert_result(&run, "when_pushed", 1.0, TIGHT);
  assert_none(&run, "none");
  assert_none(&run, "no_gap");
  assert_true(isinf(watched_result(&run, "far")));
  assert_result(&run, "near", 0.0, 0.01); // where there is one
  watched_end(&run);
}

// 100 steps of 0.01 s of 2 kg at rest on the floor and of 3 kg at rest on a joint: forces are m g in every step, there
// is none before the first, and what is made of them is of whole steps. The energy of a ball that falls is of states.
static void values_of_steps(void **state)
{
  (void)state;
  watched_run run = watched_run_of("touchstone: 1\n"
                                   "gravity: [0, 0, -10]\n"
                                   "bodies:\n"
                                   "  - {name: floor, kind: fixed, shape: {plane: {normal: [0, 0, 1]}}}\n"
                                   "  - {name: ball, mass: 2, shape: {sphere: {radius: 0.1}}, position: [0, 0, 0.1]}\n"
                                   "  - {name: bob, mass: 3, inertia: [1, 1, 1], position: [5, 0, 9]}\n"
                                   "joints:\n"
                                   "  - {name: pin, type: revolute, child: bob, at: [5, 0, 9], axis: [0, 1, 0]}\n"
                                   "step: {size: 0.01}\n"
                                   "duration: 1\n"
                                   "results:\n"
                                   "  area: {integral: 'contacts(ball, floor).fn'}\n"
                                   "  mean: {mean: 'contacts(ball, floor).fn'}\n"
                                   "  least: {min: 'contacts(ball, floor).fn'}\n"
                                   "  first: {first: 'contacts(ball, floor).fn'}\n"
                                   "  held: {integral: joints.pin.fz}\n"
                                   "  cut: {integral: 'contacts(ball, floor).fn', from: 0.2034, to: 0.6012}\n"
                                   "  mean_cut: {mean: 'contacts(ball, floor).fn', from: 0.2034, to: 0.6012}\n"
                                   "  late: {integral: 'contacts(ball, floor).fn', last: 0.2043}\n"
                                   "  short: {integral: 'contacts(ball, floor).fn', last: 0.0043}\n"
                                   "  when: {integral: 'contacts(ball, floor).fn', when: t < 0.505}\n"
                                   "  apart: {mean: 't*contacts(ball, floor).fn', when: 'abs(sin(10*pi*t)) > 0.999'}\n"
                                   "  steps: {integral: 't*contacts(ball, floor).count'}\n"
                                   "  parts: {integral: 't*contacts(ball, floor).count', from: 0.205, to: 0.215}\n"
                                   "  before: {time: 'contacts(ball, floor).fn == 0'}\n"
                                   "  from_first: {first: t, when: 'contacts(ball, floor).slip == 0'}\n"
                                   "  states: {integral: 2*t + 0*steps.energy}\n"
                                   "  of_state: {first: steps.potential/steps.potential}\n");
  assert_result(&run, "area", 20.0, 2e-11);
  assert_result(&run, "mean", 20.0, 2e-11);
  assert_result(&run, "least", 20.0, 2e-11);
  assert_result(&run, "first", 20.0, 2e-11);
  assert_result(&run, "held", 30.0, 3e-11);
  assert_result(&run, "cut", 20.0 * (0.6012 - 0.2034), 2e-11);
  assert_result(&run, "mean_cut", 20.0, 2e-11);
  assert_result(&run, "late", 20.0 * 0.2043, 2e-11);
  assert_result(&run, "short", 20.0 * 0.0043, 2e-11);
  assert_result(&run, "when", 20.0 * 0.5, 2e-11);
  assert_result(&run, "apart", 20.0 * 0.5, 2e-11);
  assert_result(&run, "steps", 0.01 * 0.01 * 5050.0, TIGHT);
  assert_result(&run, "parts", 0.005 * (0.21 + 0.22), TIGHT);
  assert_none(&run, "before");
  assert_result(&run, "from_first", 0.01, TIGHT);
  assert_result(&run, "states", 1.0, TIGHT);
  assert_result(&run, "of_state", 1.0, 0.0);
  watched_end(&run);
}

int main(void)
{
  const struct CMUnitTest tests[] = {
      cmocka_unit_test(kinds_of_the_time), cmocka_unit_test(values_at_a_time), cmocka_unit_test(windows_of_the_time),
      cmocka_unit_test(the_last_while),    cmocka_unit_test(a_thrown_ball),    cmocka_unit_test(a_bouncing_ball),
      cmocka_unit_test(values_of_steps),
  };
  return cmocka_run_group_tests(tests, NULL, NULL);
}
