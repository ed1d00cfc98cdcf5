// Forces between pairs of bodies, panels of joints and marks of impacts, of runs whose numbers are known.
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <cmocka.h>

#include "plot/series.h"
#include "plot/summary_sheet.h"

#include "near.h"
#include "scratch_folder.h"

#include "touchstone/scene.h"

#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

// Three weights lie on a table, of 1, 2 and 3 kg, and a rod falls on its stop. The joint carries its weight at rest.
static const char scene_text[] =
    "touchstone: 1\ngravity: [0, 0, -10]\nbodies:\n"
    "  - {name: table, kind: fixed, shape: {plane: {normal: [0, 0, 1], offset: 0}}}\n"
    "  - {name: weight1, mass: 1, shape: {box: {size: [1, 1, 1]}}, position: [0, 0, 0.5]}\n"
    "  - {name: weight2, mass: 2, shape: {box: {size: [1, 1, 1]}}, position: [3, 0, 0.5]}\n"
    "  - {name: other, mass: 3, shape: {box: {size: [1, 1, 1]}}, position: [6, 0, 0.5]}\n"
    "  - {name: far, kind: fixed, shape: {sphere: {radius: 1}}, position: [0, 0, 90]}\n"
    "  - {name: rod, mass: 4, inertia: [0.1, 0.1, 0.1], position: [0.5, 9, 20]}\n"
    "joints: [{name: hinge, type: revolute, child: rod, axis: [0, 1, 0], at: [0, 9, 20], limits: [-1, 0.2],\n"
    "          motor: {force: 0.5}}]\n"
    "step: {size: 0.01, method: event-driven, tolerance: 1e-12}\nduration: 1\n";

enum { STEPS = 40 };

static ts_record *make_record_of(void **state, const char *text)
{
  ts_error error = {0};
  ts_scene *scene;
  ts_sim *sim;
  ts_recorder *recorder;
  ts_record *record;
  const char *path = scratch_path(*state, "run.h5");
  if (ts_scene_parse(text, strlen(text), "scene", NULL, 0, &scene, &error) != TS_OK) fail_msg("%s", error.text);
  assert_int_equal(ts_sim_create(ts_scene_model(scene), ts_scene_options(scene), NULL, &sim, &error), TS_OK);
  assert_int_equal(ts_sim_measure_joints(sim, true, &error), TS_OK);
  assert_int_equal(ts_recorder_create(path, sim, NULL, &recorder, &error), TS_OK);
  assert_int_equal(ts_recorder_add(recorder, sim, true, &error), TS_OK);
  for (int i = 0; i < STEPS; ++i) {
    assert_int_equal(ts_sim_step(sim, &error), TS_OK);
    assert_int_equal(ts_recorder_add(recorder, sim, true, &error), TS_OK);
  }
  assert_int_equal(ts_recorder_close(recorder, sim, &error), TS_OK);
  ts_sim_destroy(sim);
  ts_scene_destroy(scene);
  assert_int_equal(ts_record_open(path, &record, &error), TS_OK);
  return record;
}

static ts_record *make_record(void **state)
{
  return make_record_of(state, scene_text);
}

static void pairs_are_summed(void **state)
{
  static const struct {
    const char *word;
    double sum;
  } cases[] = {{"contacts(weight1, table).fn", 10.0},  {"contacts( table ,weight1).fn", 10.0},
               {"contacts(weight?, table).fn", 30.0},  {"contacts(*, table).fn", 60.0},
               {"contacts(table, *).fn", 60.0},        {"contacts(*, *).pn", 0.6},
               {"contacts(weight1, weight2).fn", 0.0}, {"contacts(other, far).fn", 0.0}};
  ts_record *record = make_record(state);
  for (size_t k = 0; k < sizeof cases / sizeof *cases; ++k) {
    ts_series *list;
    ts_error error;
    int count, states;
    if (ts_series_choose(record, cases[k].word, &list, &count, &error) != TS_OK) fail_msg("%s", error.text);
    assert_int_equal(count, 1);
    assert_string_equal(list[0].label, strstr(cases[k].word, "fn") ? "normal force [N]" : "normal impulse [N s]");
    assert_true(list[0].times == ts_record_series(record, "t", &states));
    assert_int_equal(list[0].count, states);
    assert_true(isnan(list[0].values[0]));
    for (int i = 1; i < states; ++i) assert_near(list[0].values[i], cases[k].sum, 1e-8);
    ts_series_release(list, count);
  }
  ts_record_close(record);
}

// A cylinder on its side, a cube on its face, and one that falls above: lines, surfaces, and nothing.
static void patches_have_their_dimension(void **state)
{
  static const char text[] =
      "touchstone: 1\ngravity: [0, 0, -10]\ncontact: {friction: 1}\nbodies:\n"
      "  - {name: table, kind: fixed, shape: {plane: {normal: [0, 0, 1], offset: 0}}}\n"
      "  - {name: roll, mass: 1, shape: {cylinder: {radius: 1, length: 2}}, position: [0, 0, 1],\n"
      "     orientation: [0.7071067811865476, 0.7071067811865476, 0, 0]}\n"
      "  - {name: cube, mass: 1, shape: {box: {size: [1, 1, 1]}}, position: [4, 0, 0.5]}\n"
      "  - {name: high, mass: 1, shape: {box: {size: [1, 1, 1]}}, position: [8, 0, 50]}\n"
      "step: {size: 0.01, method: implicit, tolerance: 1e-10}\nduration: 1\n";
  static const struct {
    const char *word;
    double patch; // NAN: nothing touches
  } cases[] = {{"contacts(roll, table).patch", 1.0},
               {"contacts(cube, table).patch", 2.0},
               {"contacts(*, table).patch", 2.0},
               {"contacts(high, table).patch", NAN}};
  ts_record *record = make_record_of(state, text);
  for (size_t k = 0; k < sizeof cases / sizeof *cases; ++k) {
    ts_series *list;
    ts_error error;
    int count;
    if (ts_series_choose(record, cases[k].word, &list, &count, &error) != TS_OK) fail_msg("%s", error.text);
    assert_string_equal(list[0].label, "contact: 0 point, 1 line, 2 surface");
    assert_true(isnan(list[0].values[0]));
    for (int i = 1; i < list[0].count; ++i)
      assert_true(isnan(cases[k].patch) ? isnan(list[0].values[i]) : list[0].values[i] == cases[k].patch);
    ts_series_release(list, count);
  }
  ts_record_close(record);
}

static void lists_have_pairs_among_others(void **state)
{
  ts_record *record = make_record(state);
  ts_series *list;
  ts_error error;
  int count;
  assert_int_equal(ts_series_choose(record, "weight1.z, contacts(weight1, table).fn,joints.hinge.*,impacts.approach",
                                    &list, &count, &error),
                   TS_OK);
  assert_int_equal(count, 1 + 1 + 9 + 1);
  assert_string_equal(list[1].name, "contacts(weight1, table).fn");
  assert_string_equal(list[2].name, "joints.hinge.position");
  assert_string_equal(list[2].label, "joint position [rad]");
  assert_string_equal(list[4].label, "motor force [N m]");
  assert_string_equal(list[5].label, "joint reaction [N]");
  assert_string_equal(list[10].label, "joint moment [N m]");
  assert_true(list[11].scattered);
  ts_series_release(list, count);
  ts_record_close(record);
}

static void mistakes_are_named(void **state)
{
  static const struct {
    const char *list, *sentence;
  } cases[] = {
      {"contacts(weight1).fn",
       "'contacts(weight1).fn' is no pair: contacts(NAME, NAME).fn, .fn_mean, .fn_max, .pn or .patch is one"},
      {"contacts(weight1, table)",
       "'contacts(weight1, table)' is no pair: contacts(NAME, NAME).fn, .fn_mean, .fn_max, .pn or .patch is one"},
      {"contacts(weight1, table).slip",
       "'contacts(weight1, table).slip' is no pair: contacts(NAME, NAME).fn, .fn_mean, .fn_max, .pn or .patch is one"},
      {"contacts(a, b, c).fn",
       "'contacts(a, b, c).fn' is no pair: contacts(NAME, NAME).fn, .fn_mean, .fn_max, .pn or .patch is one"},
      {"contacts(, table).fn",
       "'contacts(, table).fn' is no pair: contacts(NAME, NAME).fn, .fn_mean, .fn_max, .pn or .patch is one"},
      {"contacts(weight1",
       "'contacts(weight1' is no pair: contacts(NAME, NAME).fn, .fn_mean, .fn_max, .pn or .patch is one"},
      {"contacts(weigth1, table).fn", "there is no body 'weigth1'; did you mean 'weight1'?"},
      {"t, joints.hinge.force", NULL},
  };
  ts_record *record = make_record(state);
  for (size_t k = 0; k < sizeof cases / sizeof *cases; ++k) {
    ts_series *list;
    ts_error error = {0};
    int count;
    assert_int_equal(ts_series_choose(record, cases[k].list, &list, &count, &error), TS_INVALID);
    assert_null(list);
    if (cases[k].sentence) assert_string_equal(error.text, cases[k].sentence);
  }
  ts_record_close(record);
}

static const ts_panel *panel_of(const ts_figure *figure, const char *label)
{
  for (int i = 0; i < figure->panel_count; ++i)
    if (strcmp(figure->panels[i].y_label, label) == 0) return &figure->panels[i];
  fail_msg("there is no panel '%s'", label);
  return NULL;
}

static void sheet_has_joints_and_impacts(void **state)
{
  ts_record *record = make_record(state);
  ts_figure figure = {.title = "", .format = ts_image_format_at(0), .from = -INFINITY, .to = INFINITY};
  ts_summary_sheet(record, &figure);
  assert_false(figure.heap.exhausted);
  assert_true(figure.from == 0.0);
  assert_near(figure.to, 0.4, 1e-12);
  const ts_curve *angle = &panel_of(&figure, "joint position [rad]")->curves[0];
  assert_string_equal(angle->name, "hinge");
  assert_near(angle->y[angle->count - 1], 0.2, 1e-9);
  const ts_curve *motor = &panel_of(&figure, "motor force [N m]")->curves[0];
  assert_true(isnan(motor->y[0]));
  assert_near(motor->y[1], 0.5, 1e-12);
  const ts_curve *reaction = &panel_of(&figure, "joint reaction [N]")->curves[0];
  assert_near(reaction->y[reaction->count - 1], 40.0, 1e-6); // at rest, its weight
  assert_true(figure.mark_count >= 1);
  assert_true(figure.marks[0] == ts_record_impact(record, 0).t);
  const ts_panel *positions = panel_of(&figure, "position [m]"); // the rod moves most, and comes first
  assert_string_equal(positions->curves[0].name, "rod.z");
  ts_figure_destroy(&figure);
  ts_record_close(record);
}

// Series of bodies are theirs, whatever they are called.
static void bodies_may_be_called_as_tables_are(void **state)
{
  static const char *const names[] = {"steps", "contacts", "joints", "impacts"};
  ts_record *record =
      make_record_of(state, "touchstone: 1\nbodies:\n"
                            "  - {name: steps, mass: 1, shape: {sphere: {radius: 1}}}\n"
                            "  - {name: contacts, mass: 1, shape: {sphere: {radius: 1}}, position: [3, 0, 0]}\n"
                            "  - {name: joints, mass: 1, shape: {sphere: {radius: 1}}, position: [6, 0, 0]}\n"
                            "  - {name: impacts, mass: 1, shape: {sphere: {radius: 1}}, position: [9, 0, 0]}\n"
                            "step: {size: 0.01}\nduration: 1\n");
  for (size_t k = 0; k < sizeof names / sizeof *names; ++k) {
    ts_series *list;
    ts_error error = {0};
    int count, states;
    char word[32];
    snprintf(word, sizeof word, "%s.z", names[k]);
    const double *times = ts_record_series(record, "t", &states);
    if (ts_series_choose(record, word, &list, &count, &error) != TS_OK) fail_msg("%s: %s", word, error.text);
    assert_int_equal(count, 1);
    assert_string_equal(list[0].label, "position [m]");
    assert_true(list[0].times == times && list[0].count == states && !list[0].scattered);
    ts_series_release(list, count);
  }
  ts_record_close(record);
}

#define scratch_test(f) cmocka_unit_test_setup_teardown(f, scratch_folder_set_up, scratch_folder_tear_down)

int main(void)
{
  const struct CMUnitTest tests[] = {
      scratch_test(pairs_are_summed),
      scratch_test(patches_have_their_dimension),
      scratch_test(lists_have_pairs_among_others),
      scratch_test(mistakes_are_named),
      scratch_test(sheet_has_joints_and_impacts),
      scratch_test(bodies_may_be_called_as_tables_are),
  };
  return cmocka_run_group_tests(tests, NULL, NULL);
}
