// A watch that is saved and taken up again finds what one finds that was never interrupted.
#include "scene_try.h"
#include "watched_run.h"

#include "step/sim.h"

#include <math.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <cmocka.h>

static const char bouncing[] =
    "touchstone: 1\n"
    "contact: {restitution: 0.8}\n"
    "parameters: {a: 2}\n"
    "bodies:\n"
    "  - {name: floor, kind: fixed, shape: {plane: {normal: [0, 0, 1]}}}\n"
    "  - {name: ball, shape: {sphere: {radius: 0.1}}, position: [0, 0, 0.3], velocity: [0.3, 0, 0]}\n"
    "step: {size: 5e-3}\n"
    "duration: 1\n"
    "stop:\n"
    "  - {name: far, when: ball.x > 0.2, for: 0.05}\n"
    "  - {name: late, when: t > 0.9, steps: 3}\n"
    "results:\n"
    "  first: {first: ball.z, from: 0.3}\n"
    "  last: {final: a*ball.z, to: 0.6}\n"
    "  high: {max: ball.z, when: t > 0.1}\n"
    "  low: {min: ball.z}\n"
    "  mean: {mean: ball.z, from: 0.1234, to: 0.5678}\n"
    "  area: {integral: ball.z, last: 0.1237}\n"
    "  peak: {max: ball.z, last: 0.2}\n"
    "  bounces: {count: 'contacts(ball, floor).pn > 0'}\n"
    "  down: {time: 'contacts(ball, floor).pn > 0'}\n"
    "  points: {mean: ball.z, when: abs(sin(20*pi*t)) > 0.999}\n"
    "  end: ball.z + high\n"
    "  energy: steps.energy\n"
    "  push: contacts(ball, floor).pn + contacts(ball, floor).count\n";

// Save, forget everything, and take it up in a watch and a simulation of their own, with another condition (or NULL).
static void change_over(watched_run *run, const char *text, const char *condition)
{
  ts_error error = {0};
  const size_t size = ts_watch_state_size(run->watch), bytes = size * sizeof(double);
  double *state = malloc(bytes), *again = malloc(bytes), *snapshot;
  size_t snapshot_size;
  assert_int_equal(ts_watch_save(run->watch, state, size - 1, &error), TS_INVALID);
  assert_int_equal(ts_watch_save(run->watch, state, size, &error), TS_OK);
  assert_int_equal(ts_sim_snapshot(run->sim, &snapshot, &snapshot_size, &error), TS_OK);
  watched_end(run);
  *run = watched_start(text);
  if (condition) assert_int_equal(ts_watch_add_stops(run->watch, condition, &error), TS_OK);
  assert_int_equal(ts_sim_load(run->sim, snapshot, snapshot_size, &error), TS_OK);
  if (ts_watch_load(run->watch, run->sim, state, size, &error) != TS_OK) fail_msg("%s", error.text);
  if (!condition) {
    assert_int_equal(ts_watch_state_size(run->watch), size);
    assert_int_equal(ts_watch_save(run->watch, again, size, &error), TS_OK);
    assert_memory_equal(again, state, bytes);
  }
  free(state);
  free(again);
  free(snapshot);
}

static void interruptions_change_nothing(void **state)
{
  (void)state;
  watched_run whole = watched_run_of(bouncing), run = watched_start(bouncing);
  ts_error error = {0};
  for (int k = 1; ts_watch_stopped(run.watch) < 0; ++k) {
    assert_int_equal(watched_step(&run, &error), TS_OK);
    if (k % 7 == 0 || k < 5) change_over(&run, bouncing, NULL);
  }
  change_over(&run, bouncing, NULL);
  assert_int_equal(ts_watch_end(run.watch, run.sim, &error), TS_OK);
  assert_true(ts_watch_stopped(run.watch) == ts_watch_stopped(whole.watch));
  assert_true(ts_sim_time(run.sim) == ts_sim_time(whole.sim));
  assert_int_equal(ts_watch_result_count(run.watch), 13);
  for (int i = 0; i < 13; ++i) {
    const double a = ts_watch_result(run.watch, i), b = ts_watch_result(whole.watch, i);
    if (memcmp(&a, &b, sizeof a) != 0) fail_msg("%s: %.17g, not %.17g", ts_watch_result_name(run.watch, i), a, b);
    assert_true(!isnan(a));
  }
  watched_end(&run);
  watched_end(&whole);
}

// Whenever it is taken up and ended without another step, results of the end are those of the last step: a simulation
// that was loaded knows neither contacts nor what acts in joints.
static void ends_are_those_of_the_last_step(void **state)
{
  (void)state;
  static const char text[] = "touchstone: 1\n"
                             "gravity: [0, 0, -10]\n"
                             "bodies:\n"
                             "  - {name: floor, kind: fixed, shape: {plane: {normal: [0, 0, 1]}}}\n"
                             "  - {name: ball, mass: 2, shape: {sphere: {radius: 0.1}}, position: [0, 0, 0.1]}\n"
                             "  - {name: bob, mass: 3, inertia: [1, 1, 1], position: [5, 0, 9]}\n"
                             "joints: [{name: pin, type: revolute, child: bob, at: [5, 0, 9], axis: [0, 1, 0]}]\n"
                             "step: {size: 0.01}\n"
                             "results:\n"
                             "  fn: contacts(ball, floor).fn\n"
                             "  held: joints.pin.fz\n"
                             "  contacts: steps.contacts\n"
                             "  sum: fn + held\n";
  static const double values[] = {20.0, 30.0, 1.0, 50.0};
  watched_run run = watched_start(text);
  ts_error error = {0};
  for (int k = 0; k < 3; ++k) assert_int_equal(watched_step(&run, &error), TS_OK);
  change_over(&run, text, "contacts(ball, floor).fn < 0");
  assert_int_equal(ts_watch_end(run.watch, run.sim, &error), TS_OK);
  for (int i = 0; i < 4; ++i) assert_true(fabs(ts_watch_result(run.watch, i) - values[i]) < 1e-10);
  assert_int_equal(ts_sim_step(run.sim, &error), TS_OK); // then the simulation knows again
  run.sim->report.contacts = 7;
  assert_int_equal(ts_watch_step(run.watch, run.sim, &error), TS_OK);
  assert_int_equal(ts_watch_end(run.watch, run.sim, &error), TS_OK);
  assert_true(ts_watch_result(run.watch, 2) == 7.0);
  watched_end(&run);
}

// Conditions are told by their texts, so that others may be asked for.
static void other_conditions_begin_anew(void **state)
{
  (void)state;
  const char *text = "touchstone: 1\n"
                     "gravity: [0, 0, 0]\n"
                     "bodies: [{name: ball, shape: {sphere: {radius: 0.1}}}]\n"
                     "step: {size: 1e-3}\n";
  watched_run run = watched_start(text), other = watched_start(text);
  ts_error error = {0};
  double numbers[64];
  assert_int_equal(ts_watch_add_stops(run.watch, "t > 0.0005:9, t > 0.0015:9", &error), TS_OK);
  assert_int_equal(ts_watch_add_stops(other.watch, "t > 0:4, t > 0.0015:9", &error), TS_OK);
  assert_int_equal(ts_watch_begin(run.watch, run.sim, &error), TS_OK);
  for (int k = 0; k < 5; ++k) {
    assert_int_equal(watched_step(&run, &error), TS_OK);
    assert_int_equal(ts_sim_step(other.sim, &error), TS_OK);
  }
  const size_t size = ts_watch_state_size(run.watch);
  assert_int_equal(ts_watch_save(run.watch, numbers, 64, &error), TS_OK);
  assert_int_equal(ts_watch_load(other.watch, other.sim, numbers, size, &error), TS_OK);
  int steps = 5;
  while (ts_watch_stopped(other.watch) < 0) {
    assert_int_equal(watched_step(&other, &error), TS_OK);
    ++steps;
  }
  assert_int_equal(steps, 9);
  assert_int_equal(ts_watch_stopped(other.watch), 0);
  ts_watch_go_on(other.watch);
  assert_int_equal(watched_step(&other, &error), TS_OK); // the tenth step is the ninth of t > 0.0015
  assert_int_equal(ts_watch_stopped(other.watch), 1);
  watched_end(&run);
  watched_end(&other);
}

// Whatever the numbers are: it is refused, or it is as if they were right.
static void damaged_states_do_no_harm(void **state)
{
  (void)state;
  static const double wrong[] = {-1.0, 0.5, 1e9, 1e300, -1e300, NAN, INFINITY, 0.0, 3.0, 1e10};
  watched_run run = watched_start(bouncing);
  ts_error error = {0};
  for (int k = 0; k < 60; ++k) assert_int_equal(watched_step(&run, &error), TS_OK);
  const size_t size = ts_watch_state_size(run.watch);
  double *good = malloc(size * sizeof *good), *bad = malloc(size * sizeof *bad);
  int refused = 0;
  assert_int_equal(ts_watch_save(run.watch, good, size, &error), TS_OK);
  for (size_t i = 0; i < size; ++i)
    for (size_t k = 0; k < sizeof wrong / sizeof *wrong; ++k) {
      memcpy(bad, good, size * sizeof *bad);
      bad[i] = wrong[k];
      const ts_status status = ts_watch_load(run.watch, run.sim, bad, size, &error);
      assert_true(status == TS_OK || status == TS_INVALID);
      refused += status != TS_OK;
      if (status == TS_OK) ts_watch_end(run.watch, run.sim, &error);
      if (status != TS_OK) assert_int_equal(ts_watch_step(run.watch, run.sim, NULL), TS_INVALID); // not begun
    }
  assert_true(refused > 100);
  memcpy(bad, good, size * sizeof *bad);
  bad[0] = 1.0;
  assert_int_equal(ts_watch_load(run.watch, run.sim, bad, size, &error), TS_INVALID);
  assert_string_equal(error.text, "what was watched was saved by another version");
  for (size_t shorter = 0; shorter < size; ++shorter)
    assert_int_equal(ts_watch_load(run.watch, run.sim, good, shorter, &error), TS_INVALID);
  free(good);
  free(bad);
  watched_end(&run);
}

int main(void)
{
  const struct CMUnitTest tests[] = {
      cmocka_unit_test(interruptions_change_nothing),
      cmocka_unit_test(ends_are_those_of_the_last_step),
      cmocka_unit_test(other_conditions_begin_anew),
      cmocka_unit_test(damaged_states_do_no_harm),
  };
  return cmocka_run_group_tests(tests, NULL, NULL);
}
