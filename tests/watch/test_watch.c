// Conditions that end runs, and what goes wrong.
#include "scene_try.h"
#include "watched_run.h"

#include "step/sim.h"
#include "watch/watch.h"

#include <locale.h>
#include <math.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <cmocka.h>

// ---- conditions as texts -------------------------------------------------------------------------------------------

static const char still[] = "touchstone: 1\n"
                            "gravity: [0, 0, 0]\n"
                            "bodies:\n"
                            "  - {name: ball, shape: {sphere: {radius: 0.1}}}\n"
                            "  - {name: 'a, b: c', shape: {sphere: {radius: 0.1}}, position: [3, 0, 0]}\n"
                            "step: {size: 1e-3}\n"
                            "duration: 1\n";

// The step (from 1) after which a run of steps of 1 ms ends; each letter is one: '.' certified, 'u' not, 'j' jammed.
static int end_of(const char *conditions, const char *steps, const char *words)
{
  watched_run run = watched_start(still);
  ts_error error = {0};
  int end = 0;
  if (ts_watch_add_stops(run.watch, conditions, &error) != TS_OK) fail_msg("%s", error.text);
  assert_int_equal(ts_watch_begin(run.watch, run.sim, &error), TS_OK);
  for (int i = 0; steps[i] && end == 0; ++i) {
    assert_int_equal(ts_sim_step(run.sim, &error), TS_OK);
    run.sim->report.certified = steps[i] == '.';
    run.sim->report.jammed = steps[i] == 'j';
    assert_int_equal(ts_watch_step(run.watch, run.sim, &error), TS_OK);
    const int stopped = ts_watch_stopped(run.watch);
    if (stopped < 0) continue;
    assert_string_equal(ts_watch_stop_name(run.watch, stopped), words);
    end = i + 1;
  }
  watched_end(&run);
  return end;
}

static void steps_in_a_row_count(void **state)
{
  (void)state;
  assert_int_equal(end_of("jam", "....", ""), 0);
  assert_int_equal(end_of("jam", ".u.j", "jam for 1 step"), 4);
  assert_int_equal(end_of("uncertified", ".u.j", "uncertified for 1 step"), 2);
  assert_int_equal(end_of("uncertified:3", "uu.uju", "uncertified for 3 steps"), 6);
  assert_int_equal(end_of("jam:2", "jujujuj", ""), 0);
  assert_int_equal(end_of("jam:2,uncertified:4", ".uuuujj", "uncertified for 4 steps"), 5);
  assert_int_equal(end_of(" jam : 2 , uncertified:4 ", ".uuuujj", "uncertified for 4 steps"), 5);
  assert_int_equal(end_of("uncertified:5,jam:2", ".uujj", "jam for 2 steps"), 5);
  assert_int_equal(end_of(NULL, "jjjj", ""), 0);
  assert_int_equal(end_of("", "jjjj", ""), 0);
}

static void time_in_a_row_counts(void **state)
{
  (void)state;
  assert_int_equal(end_of("jam:0.003s", "..jj.jjjj", "jam for 0.003 s"), 8);
  assert_int_equal(end_of("jam:0.0025s", "..jj.jjjj", "jam for 0.0025 s"), 8);
}

static void the_point_is_a_point_in_every_locale(void **state)
{
  (void)state;
  if (!setlocale(LC_NUMERIC, "de_DE.UTF-8") && !setlocale(LC_NUMERIC, "fr_FR.UTF-8")) {
    print_message("no locale with a decimal comma is installed\n");
    skip();
  }
  assert_int_equal(end_of("jam:0.003s", "..jj.jjjj", "jam for 0.003 s"), 8);
  setlocale(LC_NUMERIC, "C");
}

static void expressions_end_runs(void **state)
{
  (void)state;
  assert_int_equal(end_of("t >= 0.0025", "......", "t >= 0.0025"), 3);
  assert_int_equal(end_of("t >= 0.0025:2", "......", "t >= 0.0025 for 2 steps"), 4);
  assert_int_equal(end_of("t > 0.0025 : 0.002s", "......", "t > 0.0025 for 0.002 s"), 4);
  assert_int_equal(end_of("jam, max(t, 0.001) > 0.0045", "......", "max(t, 0.001) > 0.0045"), 5);
  assert_int_equal(end_of("t > 0.0025 ? 1 : 0", "......", "t > 0.0025 ? 1 : 0"), 3);
  assert_int_equal(end_of("t > 0.0025 ? 1 : 0:2", "......", "t > 0.0025 ? 1 : 0 for 2 steps"), 4);
  assert_int_equal(end_of("(t > 0.0015 ? 1 : 0):3", "......", "(t > 0.0015 ? 1 : 0) for 3 steps"), 4);
  assert_int_equal(
      end_of("t < 0 ? 1 : t > 0.0015 ? 1 : 0 : 0.002s", "......", "t < 0 ? 1 : t > 0.0015 ? 1 : 0 for 0.002 s"), 3);
  assert_int_equal(end_of("bodies(bal?).speed < 1:5, t > 0.0055", "......", "bodies(bal?).speed < 1 for 5 steps"), 5);
  assert_int_equal(end_of("contacts('b?ll', ?*).count == 0:2", "......", "contacts('b?ll', ?*).count == 0 for 2 steps"),
                   2);
  assert_int_equal(end_of("'a, b: c'.x > 2 and t > 0.0015", "......", "'a, b: c'.x > 2 and t > 0.0015"), 2);
  assert_int_equal(end_of("'a, b: c'.x > 2:4", "......", "'a, b: c'.x > 2 for 4 steps"), 4);
  assert_int_equal(end_of("contacts('a, b: c', ball).count > 0, t > 0.0035", "......", "t > 0.0035"), 4);
}

static void nonsense_is_refused(void **state)
{
  (void)state;
  static const char *const texts[][2] = {
      {"jamm", "did you mean 'jam'?"},           {"rest", "there are 'jam', 'uncertified' and expressions"},
      {"jam,", "cannot be stopped on ''"},       {",", "cannot be stopped on ''"},
      {"jam:0", "neither a number of steps"},    {"jam:1.5", "neither a number of steps"},
      {"jam:", "neither a number of steps"},     {"jam:-1s", "neither a number of steps"},
      {"jam:nans", "neither a number of steps"}, {"jam:infs", "neither a number of steps"},
      {"jam:1:2", "'1:2' is neither a number"},  {"t > 1 ? 1", "the ':' of this '?' is missing"},
      {"bal.z < 1", "there is no body 'bal'"},   {"ball.z <", ""}};
  watched_run run = watched_start(still);
  for (size_t i = 0; i < sizeof texts / sizeof texts[0]; ++i) {
    ts_error error = {0};
    assert_int_equal(ts_watch_add_stops(run.watch, texts[i][0], &error), TS_INVALID);
    if (!strstr(error.text, texts[i][1])) fail_msg("'%s' does not say '%s'", error.text, texts[i][1]);
    assert_int_equal(ts_watch_add_stops(run.watch, texts[i][0], NULL), TS_INVALID);
  }
  char *lengthy = calloc(1, 3000);
  memset(lengthy, '1', 2999);
  assert_int_equal(ts_watch_add_stops(run.watch, lengthy, NULL), TS_INVALID);
  free(lengthy);
  watched_end(&run);
}

// ---- conditions of scenes ------------------------------------------------------------------------------------------

// The time when a run ends, and on what.
static double end_of_scene(const char *stops, char *name, size_t size)
{
  char text[2000];
  snprintf(
      text, sizeof text,
      "touchstone: 1\n"
      "gravity: [0, 0, -10]\n"
      "contact: {friction: 0.5}\n"
      "parameters: {low: 0.3}\n"
      "bodies:\n"
      "  - {name: floor, kind: fixed, shape: {plane: {normal: [0, 0, 1]}}}\n"
      "  - {name: crate, mass: 1, shape: {box: {size: [0.2, 0.2, 0.1]}}, position: [0, 0, 0.05], velocity: [2, 0, 0]}\n"
      "  - {name: ball, mass: 1, shape: {sphere: {radius: 0.1}}, position: [0, 5, 0.9]}\n"
      "step: {size: 1e-3}\n"
      "duration: 1\n"
      "stop:\n%s",
      stops);
  watched_run run = watched_run_of(text);
  const double end = ts_sim_time(run.sim);
  const int stopped = ts_watch_stopped(run.watch);
  snprintf(name, size, "%s", stopped >= 0 ? ts_watch_stop_name(run.watch, stopped) : "");
  watched_end(&run);
  return end;
}

// The crate slides until t = v/(mu g) = 0.4 s; the ball falls 0.8 m in 0.4 s, and 0.5 m in sqrt(0.1) s.
static void scenes_end_on_conditions(void **state)
{
  (void)state;
  static const struct {
    const char *stops, *name;
    double end, tolerance;
  } cases[] = {
      {"  - {rest: crate}\n", "rest of crate", 0.4, 3e-3},
      {"  - {rest: crate, for: 0.1}\n", "rest of crate", 0.5, 3e-3},
      {"  - {rest: crate, steps: 50, name: settled}\n", "settled", 0.45, 3e-3},
      {"  - {rest: crate, speed: 1}\n", "rest of crate", 0.2, 3e-3},
      {"  - {rest: crate, speed: 1, angular_speed: 1e-12}\n", "rest of crate", 0.2, 0.3},
      {"  - {rest: '*'}\n", "rest of *", 0.4, 3e-2},
      {"  - {contact: [ball, floor]}\n", "contact of ball and floor", 0.4, 3e-3},
      {"  - {contact: [floor, 'b*l']}\n", "contact of floor and b*l", 0.4, 3e-3},
      {"  - {contact: [crate/0, floor]}\n", "contact of crate/0 and floor", 1e-3, 1e-9},
      {"  - {when: ball.z < low + 0.1}\n", "ball.z < low + 0.1", 0.31622776601683794, 3e-3},
      {"  - {when: '=ball.z < 0.4', name: low}\n", "low", 0.31622776601683794, 3e-3},
      {"  - {when: ball.z < 0.4, for: =low/10}\n", "ball.z < 0.4 for 0.03 s", 0.31622776601683794 + 0.03, 3e-3},
      {"  - {when: t > 0.7}\n  - {when: t > 0.6, name: second}\n", "second", 0.601, 1e-9},
      {"  - {when: t > 0.6, name: first}\n  - {when: t > 0.6, name: second}\n", "first", 0.601, 1e-9},
      {"  - {when: t >= 0}\n", "t >= 0", 1e-3, 1e-12}, // at the end of a step, not at the start
      {"  - {when: t > 2}\n", "", 1.0, 1e-9},
      {"  []\n", "", 1.0, 1e-9}};
  for (size_t i = 0; i < sizeof cases / sizeof *cases; ++i) {
    char name[100];
    const double end = end_of_scene(cases[i].stops, name, sizeof name);
    if (!(fabs(end - cases[i].end) <= cases[i].tolerance))
      fail_msg("%s ends at %g s, not at %g s", cases[i].stops, end, cases[i].end);
    assert_string_equal(name, cases[i].name);
  }
}

static void going_on_begins_anew(void **state)
{
  (void)state;
  watched_run run = watched_start(still);
  ts_error error;
  assert_int_equal(ts_watch_add_stops(run.watch, "t > 0.0015:3", &error), TS_OK);
  assert_int_equal(ts_watch_begin(run.watch, run.sim, &error), TS_OK);
  int ends[2] = {0}, count = 0;
  for (int i = 1; i <= 10 && count < 2; ++i) {
    assert_int_equal(watched_step(&run, &error), TS_OK);
    if (ts_watch_stopped(run.watch) < 0) continue;
    ends[count++] = i;
    ts_watch_go_on(run.watch);
  }
  assert_int_equal(ends[0], 4);
  assert_int_equal(ends[1], 7);
  watched_end(&run);
}

// ---- places of what is wrong in scenes -----------------------------------------------------------------------------

static void what_is_wrong_has_its_place(void **state)
{
  (void)state;
  static const char *const cases[][3] = {
      {"stop: [{when: bal.z < 1}]\n", "2:15: ", "there is no body 'bal'"},
      {"stop: [{when: '1 < bal.z'}]\n", "2:20: ", "there is no body 'bal'"},
      {"stop: [{when: '=1 < bal.z'}]\n", "2:21: ", "there is no body 'bal'"},
      {"stop: [{rest: bal}]\n", "2:15: ", "there is no dynamic body 'bal'; did you mean 'ball'?"},
      {"stop: [{contact: [ball, bal]}]\n", "2:18: ", "there is no body 'bal'"},
      {"stop: [{contact: [ball]}]\n", "2:18: ", "'contact' must have 2 entries"},
      {"stop: [{}]\n", "2:8: ", "a condition to stop on needs one of 'when', 'rest' or 'contact'"},
      {"stop: [{when: t > 1, rest: ball}]\n", "2:22: ", "exclude each other"},
      {"stop: [{when: t > 1, speed: 1}]\n", "2:22: ", "'speed' needs 'rest' beside it"},
      {"stop: [{when: t > 1, for: -1}]\n", "2:27: ", "'for' must"},
      {"stop: [{when: t > 1, steps: 0}]\n", "2:29: ", "'steps' must"},
      {"stop: {when: t > 1}\n", "2:7: ", "'stop' must be a list"},
      {"results: [1]\n", "2:10: ", "'results' must be a map"},
      {"results: {a: [1]}\n", "2:14: ", "'a' must be a map"},
      {"results: {a: {final: ball.z, max: ball.z}}\n", "2:30: ", "exclude each other"},
      {"results: {a: {unit: m}}\n", "2:14: ", "a result needs one of 'final'"},
      {"results: {a: {maximum: ball.z}}\n", "2:15: ", "a result has no key 'maximum'"},
      {"results: {a: ball.q}\n", "2:14: ", "a body has no 'q'"},
      {"results: {a: =2 + ball.q}\n", "2:19: ", "a body has no 'q'"},
      {"results: {a: {max: '2 + ball.q'}}\n", "2:25: ", "a body has no 'q'"},
      {"results: {a: {max: ball.x, when: 1 < ball.q}}\n", "2:38: ", "a body has no 'q'"},
      {"results: {a: {mean: ball.x, from: 2, to: 1}}\n", "2:21: ", "its time is empty"},
      {"results: {a: {mean: ball.x, to: 0}}\n", "2:33: ", "'to' must"},
      {"results: {a: {mean: ball.x, last: 0}}\n", "2:35: ", "'last' must"},
      {"results: {a: {mean: ball.x, last: 1, from: 1}}\n", "2:38: ", "exclude each other"},
      {"results: {2a: t}\n", "2:15: ", "a result is called by letters"},
      {"results: {t: t}\n", "2:14: ", "no result can be called 't'"},
      {"results: {deg: {max: ball.x}, twice: 2*deg}\n", "2:22: ", "no result can be called 'deg': expressions have it"},
      {"results: {max: ball.x}\n", "2:16: ", "no result can be called 'max'"},
      {"results: {not: ball.x}\n", "2:16: ", "no result can be called 'not'"},
      {"results: {p: t}\nparameters: {p: 1}\n", "2:14: ", "already a parameter or result 'p'"},
      {"results: {b: a + 1, a: t}\n", "2:14: ", "there is no 'a'"},
      {"results: {a: t, b: {max: a}}\n", "2:26: ", "known at the end only"},
      {"results: {a: {max: ''}}\n", "2:20: ", "'max' must not be empty"}};
  for (size_t i = 0; i < sizeof cases / sizeof *cases; ++i)
    assert_trouble(ball_scene(cases[i][0]), cases[i][1], cases[i][2]);
}

// ---- errors at run time --------------------------------------------------------------------------------------------

static void what_has_no_value_is_said_when_it_happens(void **state)
{
  (void)state;
  watched_run run = watched_start("touchstone: 1\n"
                                  "gravity: [0, 0, 0]\n"
                                  "bodies: [{name: ball, shape: {sphere: {radius: 0.1}}}]\n"
                                  "step: {size: 0.125}\n"
                                  "results: {a: {max: 1/(t - 0.25)}, b: 1/(t - 0.5)}\n");
  ts_error error = {0};
  assert_int_equal(watched_step(&run, &error), TS_OK);
  assert_int_equal(watched_step(&run, &error), TS_INVALID);
  assert_non_null(strstr(error.text, "result 'a' at t = 0.25 s: "));
  assert_int_equal(watched_step(&run, &error), TS_OK);
  assert_int_equal(watched_step(&run, &error), TS_OK);
  assert_int_equal(ts_watch_end(run.watch, run.sim, &error), TS_INVALID);
  assert_non_null(strstr(error.text, "result 'b' at t = 0.5 s: "));
  watched_end(&run);
}

static void a_condition_without_a_value_is_said(void **state)
{
  (void)state;
  watched_run run = watched_start("touchstone: 1\n"
                                  "gravity: [0, 0, 0]\n"
                                  "bodies: [{name: ball, shape: {sphere: {radius: 0.1}}}]\n"
                                  "step: {size: 0.125}\n"
                                  "stop: [{name: odd, when: sqrt(0.2 - t) > 9}]\n");
  ts_error error = {0};
  assert_int_equal(watched_step(&run, &error), TS_OK);
  assert_int_equal(watched_step(&run, &error), TS_INVALID);
  assert_non_null(strstr(error.text, "the condition 'odd' at t = 0.25 s: "));
  watched_end(&run);
}

static void a_watch_refuses_mistakes(void **state)
{
  (void)state;
  ts_scene *scene = scene_of(still, NULL);
  ts_watch *watch;
  ts_sim *sim;
  ts_error error;
  assert_int_equal(ts_watch_create(ts_scene_model(scene), &watch, &error), TS_OK);
  assert_int_equal(ts_sim_create(ts_scene_model(scene), ts_scene_options(scene), NULL, &sim, &error), TS_OK);
  assert_int_equal(ts_watch_step(watch, sim, &error), TS_INVALID); // not begun
  assert_int_equal(ts_watch_end(watch, sim, &error), TS_INVALID);
  assert_int_equal(ts_watch_add_result(watch, &(ts_result_def){.name = "a"}, &error), TS_INVALID);
  assert_int_equal(ts_watch_add_result(watch, &(ts_result_def){.expression = "t"}, &error), TS_INVALID);
  assert_int_equal(ts_watch_add_result(watch, &(ts_result_def){.name = "a", .expression = "t", .last = NAN}, &error),
                   TS_INVALID);
  assert_int_equal(ts_watch_add_result(watch, &(ts_result_def){.name = "a", .expression = "t", .from = NAN}, &error),
                   TS_INVALID);
  assert_int_equal(
      ts_watch_add_result(watch, &(ts_result_def){.name = "a", .expression = "t", .kind = (ts_result_kind)99}, &error),
      TS_INVALID);
  assert_int_equal(ts_watch_add_stop(watch, &(ts_stop_def){.when = NULL}, &error), TS_INVALID);
  assert_int_equal(ts_watch_add_stop(watch, &(ts_stop_def){.when = "1", .duration = -1.0}, &error), TS_INVALID);
  assert_int_equal(ts_watch_add_parameter(watch, "mu", 1.0, &error), TS_OK);
  assert_int_equal(ts_watch_add_parameter(watch, "mu", 1.0, &error), TS_INVALID);
  assert_int_equal(ts_watch_add_parameter(watch, "ball.x", 1.0, &error), TS_INVALID);
  assert_int_equal(ts_watch_add_parameter(watch, "pi", 3.0, &error), TS_INVALID);
  assert_string_equal(error.text, "no parameter can be called 'pi': expressions have it already");
  assert_int_equal(ts_watch_add_parameter(watch, "or", 3.0, &error), TS_INVALID);
  assert_int_equal(
      ts_watch_add_result(watch, &(ts_result_def){.name = "far", .expression = "t", .kind = TS_RESULT_MAX, .last = 1e9},
                          &error),
      TS_OK);
  assert_int_equal(ts_watch_begin(watch, sim, &error), TS_INVALID); // more steps than are kept
  ts_watch_destroy(watch);
  ts_watch_destroy(NULL);
  ts_sim_destroy(sim);
  ts_scene_destroy(scene);
}

// One watch, several runs, other parameters: nothing is left of the run before.
static void a_watch_is_used_again(void **state)
{
  (void)state;
  watched_run run =
      watched_start("touchstone: 1\n"
                    "parameters: {a: 2}\n"
                    "bodies: [{name: ball, shape: {sphere: {radius: 0.1}}}]\n"
                    "step: {size: 0.125}\n"
                    "results: {most: {max: a*ball.speed}, last: {mean: a*t, last: 0.3}, n: {count: t > 0.5}}\n");
  ts_error error;
  double first[3];
  watched_finish(&run);
  for (int i = 0; i < 3; ++i) first[i] = ts_watch_result(run.watch, i);
  for (int again = 0; again < 2; ++again) {
    ts_sim_destroy(run.sim);
    assert_int_equal(ts_sim_create(ts_scene_model(run.scene), ts_scene_options(run.scene), NULL, &run.sim, &error),
                     TS_OK);
    ts_watch_set_parameter(run.watch, 0, again ? 4.0 : 2.0);
    assert_int_equal(ts_watch_begin(run.watch, run.sim, &error), TS_OK);
    for (int i = 0; i < 3; ++i) assert_true(isnan(ts_watch_result(run.watch, i)));
    watched_finish(&run);
    for (int i = 0; i < 3; ++i) assert_true(ts_watch_result(run.watch, i) == first[i] * (again && i < 2 ? 2.0 : 1.0));
  }
  watched_end(&run);
}

static void begin_with_step(watched_run *run, double size)
{
  ts_error error = {0};
  ts_step_options options = *ts_scene_options(run->scene);
  options.size = size;
  ts_sim_destroy(run->sim);
  assert_int_equal(ts_sim_create(ts_scene_model(run->scene), &options, NULL, &run->sim, &error), TS_OK);
  assert_int_equal(ts_watch_begin(run->watch, run->sim, &error), TS_OK);
}

// Steps of one length after another, each of which needs rings of its own: memory does not grow.
static void other_steps_take_no_more_memory(void **state)
{
  (void)state;
  watched_run run = watched_start("touchstone: 1\n"
                                  "gravity: [0, 0, 0]\n"
                                  "bodies: [{name: ball, shape: {sphere: {radius: 0.1}}}]\n"
                                  "step: {size: 0.125}\n"
                                  "results: {a: {mean: t, last: 5}, b: {max: t, last: 2}}\n");
  for (int k = 0; k < 4; ++k) begin_with_step(&run, k % 2 ? 0.01 : 0.02);
  const size_t bytes = ts_arena_in_use(&run.watch->memory), peak = ts_arena_peak(&run.watch->ring_memory);
  for (int k = 0; k < 50; ++k) begin_with_step(&run, k % 2 ? 0.01 : 0.02);
  assert_int_equal(ts_arena_in_use(&run.watch->memory), bytes);
  assert_int_equal(ts_arena_peak(&run.watch->ring_memory), peak);
  watched_end(&run);
}

// A result that is added late has a ring like all others, once the run begins anew.
static void results_are_added_between_runs(void **state)
{
  (void)state;
  watched_run run = watched_start(still);
  ts_error error = {0};
  assert_int_equal(watched_step(&run, &error), TS_OK);
  const ts_result_def late = {.name = "late", .kind = TS_RESULT_MAX, .expression = "t", .last = 0.01};
  assert_int_equal(ts_watch_add_result(run.watch, &late, &error), TS_OK);
  assert_int_equal(ts_watch_step(run.watch, run.sim, &error), TS_INVALID); // not begun
  assert_int_equal(ts_watch_begin(run.watch, run.sim, &error), TS_OK);
  for (int k = 0; k < 20; ++k) assert_int_equal(watched_step(&run, &error), TS_OK);
  assert_int_equal(ts_watch_end(run.watch, run.sim, &error), TS_OK);
  assert_true(ts_watch_result(run.watch, 0) == ts_sim_time(run.sim));
  watched_end(&run);
}

int main(void)
{
  const struct CMUnitTest tests[] = {
      cmocka_unit_test(steps_in_a_row_count),
      cmocka_unit_test(time_in_a_row_counts),
      cmocka_unit_test(the_point_is_a_point_in_every_locale),
      cmocka_unit_test(expressions_end_runs),
      cmocka_unit_test(nonsense_is_refused),
      cmocka_unit_test(scenes_end_on_conditions),
      cmocka_unit_test(going_on_begins_anew),
      cmocka_unit_test(what_is_wrong_has_its_place),
      cmocka_unit_test(what_has_no_value_is_said_when_it_happens),
      cmocka_unit_test(a_condition_without_a_value_is_said),
      cmocka_unit_test(a_watch_refuses_mistakes),
      cmocka_unit_test(a_watch_is_used_again),
      cmocka_unit_test(other_steps_take_no_more_memory),
      cmocka_unit_test(results_are_added_between_runs),
  };
  return cmocka_run_group_tests(tests, NULL, NULL);
}
