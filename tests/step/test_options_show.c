// Every step option shows in a run: for each there is a scene in which two of its values lead to other states or other
// reports. An option that is read and then not used would be found here.
#include "touchstone/scene.h"

#include <math.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <cmocka.h>

#define FLOOR "- {name: floor, kind: fixed, shape: {plane: {normal: [0, 0, 1]}}}\n"
#define SLIDER                                                                                                         \
  FLOOR "- {name: box, mass: 1, shape: {box: {size: [1, 1, 0.4]}}, position: [0, 0, 0.2], velocity: [1, 0.6, 0]}\n"
#define BALL(z, v)                                                                                                     \
  FLOOR "- {name: ball, mass: 1, shape: {sphere: {radius: 0.5}}, position: [0, 0, " z "], velocity: [0.3, 0, " v "]}"  \
        "\n"
#define HEAD    "touchstone: 1\nallow_overlap: true\nbodies:\n"
#define RINGING "contact: {friction: 0.3, restitution: 0.8}\n"
#define SPRINGY "contact: {friction: 0.3, stiffness: 1e4, damping: 20}\n"
#define BRICKS                                                                                                         \
  FLOOR "- {name: a, mass: 1, shape: {box: {size: [1, 1, 0.5]}}, position: [0, 0, 0.25], velocity: [1, 0.2, 0]}\n"     \
        "- {name: b, mass: 3, shape: {box: {size: [1, 1, 0.5]}}, position: [0.2, 0.1, 0.75]}\n"                        \
        "- {name: c, mass: 9, shape: {box: {size: [1, 1, 0.5]}}, position: [0.1, 0.2, 1.25], velocity: [-1, 0, 0]}\n"
#define SPINNER "- {name: top, mass: 1, inertia: [1, 2, 2.5], position: [0, 0, 9], angular_velocity: [3, 5, 1]}\n"
#define PENDULUM                                                                                                       \
  "- {name: bob, mass: 1, inertia: [0.1, 0.2, 0.1], position: [1, 0, 0],\n"                                            \
  "   joint: {type: revolute, at: [0, 0, 0], axis: [0, 1, 0]}}\n"
// A ball that a moving plate presses into the floor: nothing solves that.
#define PRESS                                                                                                          \
  FLOOR "- {name: ball, mass: 1, shape: {sphere: {radius: 0.5}}, position: [0, 0, 0.5]}\n"                             \
        "- {name: plate, kind: kinematic, shape: {box: {size: [4, 4, 1]}}, position: [0, 0, 1.5],\n"                   \
        "   motion: {displacement: [0, 0, {polynomial: [0, -1]}]}}\n"
// Two balls that overlap and rub: where the impulse acts changes their spin.
#define RUBBING                                                                                                        \
  "- {name: a, mass: 1, shape: {sphere: {radius: 0.5}}, position: [0, 0, 5], angular_velocity: [0, 9, 0],\n"           \
  "   velocity: [0, 0, 1]}\n"                                                                                          \
  "- {name: b, mass: 2, shape: {sphere: {radius: 0.7}}, position: [0, 0, 6.1], velocity: [0, 0, -1]}\n"

// A plate that turns, tilts and slows down below a bead.
#define CARRIER                                                                                                        \
  "- {name: plate, kind: kinematic, shape: {plane: {normal: [0, 0, 1]}}, motion: {displacement:\n"                     \
  "   [{polynomial: [0, 1, -3]}, 0, 0], rotation: [{polynomial: [0, 1]}, 0, {polynomial: [0, 1]}]}}\n"                 \
  "- {name: bead, mass: 1, rotates: false, shape: {point: {}}, position: [0.3, 0.2, 0.001]}\n"

// A bead that runs into the edge of a box.
#define EDGE                                                                                                           \
  "- {name: block, kind: fixed, shape: {box: {size: [1, 1, 1]}}}\n"                                                    \
  "- {name: bead, mass: 1, inertia: [1, 1, 1], shape: {point: {}}, position: [0.505, 0, 0.503],\n"                     \
  "   velocity: [-1, 0, -0.9]}\n"

typedef struct showing {
  const char *option; // its name
  const char *scene;  // bodies and what else
  const char *common; // keys of `step` of both runs
  const char *first, *second;
} showing;

static const showing showings[] = {
    {"method", BALL("0.501", "-1") RINGING, "impacts: newton", "method: stewart-trinkle", "method: velocity"},
    {"size", BALL("0.6", "-1"), "method: velocity", "size: 1e-3", "size: 2e-3"},
    {"cone", SLIDER, "size: 0.01", "cone: quadratic", "cone: {polyhedral: {directions: 4, align: fixed}}"},
    {"cone.polyhedral.directions", SLIDER, "size: 0.01", "cone: {polyhedral: {directions: 4, align: fixed}}",
     "cone: {polyhedral: {directions: 6, align: fixed}}"},
    {"cone.polyhedral.align", SLIDER, "size: 0.01", "cone: {polyhedral: {directions: 4, align: fixed}}",
     "cone: {polyhedral: {directions: 4, align: slip}}"},
    {"cone.polyhedral.align", CARRIER, "size: 0.01", "cone: {polyhedral: {directions: 4, align: fixed}}",
     "cone: {polyhedral: {directions: 4, align: body}}"},
    {"cone.polyhedral.angle", SLIDER, "size: 0.01", "cone: {polyhedral: {directions: 4, align: fixed, angle: 0}}",
     "cone: {polyhedral: {directions: 4, align: fixed, angle: 0.3}}"},
    {"solver", SLIDER, "size: 0.01", "solver: nsgs", "solver: newton"},
    {"tolerance", BRICKS, "solver: nsgs, size: 0.01, warm_start: false", "tolerance: 1e-4", "tolerance: 1e-10"},
    {"max_iterations", BRICKS, "solver: nsgs, size: 0.01, warm_start: false", "max_iterations: 2",
     "max_iterations: 5000"},
    {"accuracy", BRICKS, "solver: nsgs, size: 0.01, warm_start: false, max_iterations: 2", "accuracy: 0",
     "accuracy: 0.1"},
    {"warm_start", BRICKS, "solver: nsgs, size: 0.01", "warm_start: true", "warm_start: false"},
    {"line_search", BRICKS, "solver: ncp-plm, size: 0.01, warm_start: false", "line_search: monotone",
     "line_search: nonmonotone"},
    {"impulse_scale", BRICKS, "solver: ncp-plm, size: 0.01, warm_start: false", "impulse_scale: 0", "impulse_scale: 1"},
    {"impacts", BALL("0.501", "-1") RINGING, "method: velocity", "impacts: inelastic", "impacts: newton"},
    {"rest_speed", BALL("0.501", "-1") RINGING, "method: velocity, impacts: newton", "rest_speed: 0", "rest_speed: 9"},
    {"closing", BALL("0.504", "-1"), "size: 0.01", "closing: gap", "closing: impact"},
    {"start", BALL("0.45", "0"), "size: 0.01, stabilization: none", "start: corrected", "start: as_given"},
    {"stabilization", BALL("0.45", "0"), "size: 0.01, start: as_given", "stabilization: full", "stabilization: none"},
    {"recovery_speed", BALL("0.45", "0"), "size: 0.01, start: as_given, stabilization: capped", "recovery_speed: 0.1",
     "recovery_speed: 0.2"},
    {"theta", BALL("5", "-1"), "method: velocity, size: 0.01", "theta: 0.5", "theta: 1"},
    {"activate", BALL("0.502", "-1"), "method: velocity, size: 0.01", "activate: current", "activate: midpoint"},
    {"formulation", BALL("0.501", "-1"), "method: implicit, size: 0.01", "formulation: reduced", "formulation: mncp"},
    {"contact_error", BALL("0.501", "-1") SPRINGY, "method: compliant, size: 0.01", "contact_error: 0.01",
     "contact_error: 0.001"},
    {"most_parts", BALL("0.501", "-1") SPRINGY, "method: compliant, size: 0.01", "most_parts: 1", "most_parts: 128"},
    {"gyroscopic", SPINNER, "size: 0.01", "gyroscopic: midpoint", "gyroscopic: implicit"},
    {"gyroscopic", SPINNER, "size: 0.01", "gyroscopic: midpoint", "gyroscopic: explicit"},
    {"coordinates", PENDULUM, "size: 0.01", "coordinates: redundant", "coordinates: minimal"},
    {"arms", RUBBING, "size: 0.01", "arms: common", "arms: surface"},
    {"arms", CARRIER, "size: 0.01", "arms: common", "arms: surface"},
    {"surfaces", CARRIER, "size: 0.01", "surfaces: end", "surfaces: secant"},
    {"surfaces", CARRIER, "size: 0.01, method: quasistatic", "surfaces: end", "surfaces: secant"},
    {"corners", EDGE, "size: 0.01", "corners: exact", "corners: conjunction"},
    {"margin", BALL("0.7", "0"), "size: 1e-3", "margin: 0", "margin: 0.5"},
    {"max_substeps", PRESS, "size: 0.01", "max_substeps: 1", "max_substeps: 4"},
};

// Runs must not show these: tests/pipeline/test_team_steps.c looks.
static const char *const hidden_options[] = {"threads"};
enum { SHOWINGS = sizeof showings / sizeof *showings, STEPS = 8, NUMBERS = 512 };

typedef struct trace {
  double numbers[NUMBERS];
  int count;
} trace;

static void put(trace *t, double number)
{
  assert_true(t->count < NUMBERS);
  t->numbers[t->count++] = number;
}

static void put_step(trace *t, const ts_sim *sim)
{
  const ts_step_report *report = ts_sim_report(sim);
  put(t, report->iterations);
  put(t, report->contacts);
  put(t, report->substeps);
  put(t, report->fallbacks);
  for (const char *c = report->solver; *c; ++c) put(t, *c);
  for (int b = 0; b < ts_model_body_count(ts_sim_model(sim)); ++b) {
    const ts_pose pose = ts_sim_pose(sim, b);
    const ts_twist twist = ts_sim_velocity(sim, b);
    put(t, pose.position.x + 2.0 * pose.position.y + 3.0 * pose.position.z);
    put(t, pose.orientation.w + 2.0 * pose.orientation.x + 3.0 * pose.orientation.y + 5.0 * pose.orientation.z);
    put(t, twist.linear.x + 2.0 * twist.linear.y + 3.0 * twist.linear.z);
    put(t, twist.angular.x + 2.0 * twist.angular.y + 3.0 * twist.angular.z);
  }
}

static void run(const showing *s, const char *value, trace *t)
{
  char text[4096];
  snprintf(text, sizeof text, HEAD "%sstep: {%s, %s}\n", s->scene, s->common, value);
  ts_scene *scene;
  ts_sim *sim;
  ts_error error;
  if (ts_scene_parse(text, strlen(text), "option", NULL, 0, &scene, &error) != TS_OK)
    fail_msg("%s, %s: %d:%d: %s", s->option, value, error.line, error.column, error.text);
  if (ts_sim_create(ts_scene_model(scene), ts_scene_options(scene), NULL, &sim, &error) != TS_OK)
    fail_msg("%s, %s: %s", s->option, value, error.text);
  t->count = 0;
  for (int k = 0; k < STEPS; ++k) {
    if (ts_sim_step(sim, &error) != TS_OK) fail_msg("%s, %s: %s", s->option, value, error.text);
    put_step(t, sim);
  }
  ts_sim_destroy(sim);
  ts_scene_destroy(scene);
}

static bool same(const trace *a, const trace *b)
{
  return a->count == b->count && memcmp(a->numbers, b->numbers, (size_t)a->count * sizeof *a->numbers) == 0;
}

static void other_values_make_other_runs(void **state)
{
  (void)state;
  static trace first, again, second;
  int hidden = 0;
  for (int k = 0; k < SHOWINGS; ++k) {
    run(&showings[k], showings[k].first, &first);
    run(&showings[k], showings[k].first, &again);
    run(&showings[k], showings[k].second, &second);
    assert_true(same(&first, &again)); // else nothing would be shown
    if (same(&first, &second)) {
      print_error("%s: '%s' and '%s' run alike\n", showings[k].option, showings[k].first, showings[k].second);
      ++hidden;
    }
  }
  assert_int_equal(hidden, 0);
}

static void every_option_is_shown(void **state)
{
  (void)state;
  for (int i = 0; i < ts_step_option_count(); ++i) {
    const ts_step_option option = ts_step_option_at(i);
    int found = 0;
    for (size_t k = 0; k < sizeof hidden_options / sizeof *hidden_options; ++k)
      found += strcmp(hidden_options[k], option.name) == 0;
    for (int k = 0; k < SHOWINGS; ++k) found += strcmp(showings[k].option, option.name) == 0;
    if (found == 0) fail_msg("no run shows '%s'", option.name);
  }
}

int main(void)
{
  const struct CMUnitTest tests[] = {
      cmocka_unit_test(other_values_make_other_runs),
      cmocka_unit_test(every_option_is_shown),
  };
  return cmocka_run_group_tests(tests, NULL, NULL);
}
