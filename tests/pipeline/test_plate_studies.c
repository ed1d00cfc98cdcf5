// The studies of vibrating plates and of the needle's plans, shortened: tables against scenes, published numbers and
// closed forms (reference-numbers.md 10), and plans against their mirror images.
#include "touchstone/convergence.h"

#include "scene_run.h"
#include "scratch_folder.h"

#include "math/vec3.h"

#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>
#include <string.h>
#include <cmocka.h>

#include "near.h"

enum { MOST_RESULTS = 16 };

static ts_study *read_study(const char *path, const char *const *overrides, int count)
{
  ts_study *study;
  ts_error error = {0};
  const ts_scene_request request = {overrides, count, NULL};
  if (ts_study_read(path, &request, &study, &error) != TS_OK) fail_msg("%s: %s", path, error.text);
  assert_true(ts_study_result_count(study) <= MOST_RESULTS);
  return study;
}

// A study of the test's own.
static ts_study *study_from_text(scratch_folder *folder, const char *text)
{
  scratch_write(scratch_path(folder, "study.yaml"), text, strlen(text));
  return read_study(scratch_path(folder, "study.yaml"), NULL, 0);
}

static ts_trial_outcome trial_of(const ts_study *study, int trial, double *results)
{
  ts_error error = {0};
  ts_trial_outcome outcome = {.results = results};
  if (ts_study_run_trial(study, (uint64_t)trial, 0, &outcome, &error) != TS_OK) fail_msg("%s", error.text);
  assert_int_equal(outcome.uncertified, 0);
  return outcome;
}

static double result_of(const ts_study *study, const double *results, const char *name)
{
  for (int i = 0; i < ts_study_result_count(study); ++i)
    if (strcmp(ts_study_result_name(study, i), name) == 0) return results[i];
  fail_msg("there is no result %s", name);
  return NAN;
}

static ts_table *table_of(scratch_folder *folder, const char *name, const ts_study *study)
{
  ts_table *table;
  ts_error error = {0};
  const char *path = scratch_path(folder, name);
  const ts_sweep_options options = ts_sweep_options_default();
  if (ts_study_sweep(study, path, &options, NULL, &error) != TS_OK || ts_study_pack(study, path, &error) != TS_OK ||
      ts_table_open(path, &table, &error) != TS_OK)
    fail_msg("%s", error.text);
  return table;
}

// ---- fields --------------------------------------------------------------------------------------------------------

// Row after row the table of fields has what the scenes have: particles are in the same places after 200 steps. Those
// of the scenes after 6 s are in test_plate.c.
static void the_table_has_the_fields_of_the_scenes(void **state)
{
  (void)state;
  static const char *const names[] = {"source",        "sink",           "centrifuge", "whirlpool",      "circle",
                                      "scaled_circle", "circle_learned", "saddle",     "saddle_learned", "line_sink",
                                      "line_source",   "shear",          "trans"};
  const char *const overrides[] = {"duration=0.02"};
  ts_study *study = read_study(EXAMPLES "/plate/ends.yaml", overrides, 1);
  assert_int_equal(ts_study_trial_count(study), sizeof names / sizeof *names);
  for (int i = 0; i < (int)(sizeof names / sizeof *names); ++i) {
    char path[512];
    double results[MOST_RESULTS];
    trial_of(study, i, results);
    snprintf(path, sizeof path, "%s/plate/%s.yaml", EXAMPLES, names[i]);
    scene_run run = scene_run_start(path, overrides, 1);
    scene_run_to(&run, 0.02);
    const ts_pose plate = ts_sim_pose(run.sim, scene_run_body(&run, "plate"));
    const ts_vec3 apart = ts_sub(scene_run_position(&run, "particle"), plate.position);
    const ts_vec3 place = ts_quat_rotate(ts_quat_conjugate(plate.orientation), apart);
    assert_near(result_of(study, results, "xp"), 100.0 * place.x, 1e-12);
    assert_near(result_of(study, results, "yp"), 100.0 * place.y, 1e-12);
    scene_run_end(&run);
  }
  ts_study_destroy(study);
}

// Particles start where they should on the plate and with its velocity. Accelerations of plate and particle differ by
// less than 60 m/s^2, so that after a step they are still there within that times h^2; with a velocity of their own
// they would be farther off.
static void particles_start_with_the_plate(void **state)
{
  (void)state;
  const char *const overrides[] = {"duration=1e-4"};
  ts_study *study = read_study(EXAMPLES "/plate/fields.yaml", overrides, 1);
  const int trials = (int)ts_study_trial_count(study);
  assert_int_equal(trials, 13 * 49);
  for (int i = 0; i < trials; i += 5) {
    double parameters[64], results[MOST_RESULTS];
    ts_error error;
    assert_int_equal(ts_study_parameters(study, (uint64_t)i, parameters, &error), TS_OK);
    trial_of(study, i, results);
    const int count = ts_study_parameter_count(study); // x0 and y0 come last
    assert_string_equal(ts_study_parameter_name(study, count - 2), "x0");
    const double moved = hypot(result_of(study, results, "xp") - parameters[count - 2],
                               result_of(study, results, "yp") - parameters[count - 1]);
    assert_true(moved < 100.0 * 60.0 * 1e-4 * 1e-4); // [cm]
  }
  ts_study_destroy(study);
}

// ---- size of steps -------------------------------------------------------------------------------------------------

// The limit is known to 0.003 cm (reference-numbers.md 10.4).
static void errors_on_the_centrifuge_are_of_first_order(void **state)
{
  static const char *const results[] = {"xp", "yp"};
  for (int secant = 0; secant < 2; ++secant) {
    char text[512];
    snprintf(text, sizeof text,
             "study: 1\nscene: %s/plate/centrifuge.yaml\nvary: {h: [5e-4, 2.5e-4, 1e-4, 5e-5]}\n"
             "set: [step.surfaces=%s]\n",
             EXAMPLES, secant ? "secant" : "end");
    ts_study *study = study_from_text(*state, text);
    ts_table *table = table_of(*state, secant ? "secant.h5" : "end.h5", study);
    ts_convergence *convergence;
    ts_error error = {0};
    const ts_convergence_def def = {"h", false, results, 2, TS_REFERENCE_EXTRAPOLATED, NULL};
    if (ts_convergence_measure(table, &def, &convergence, &error) != TS_OK) fail_msg("%s", error.text);
    const ts_convergence_series *series = ts_convergence_series_at(convergence, 0);
    print_message("limit (%.4f, %.4f) cm, order %.3f\n", series->reference[0], series->reference[1], series->order);
    assert_near(series->reference[0], 7.548, 0.01);
    assert_near(series->reference[1], 8.1575, 0.01);
    assert_near(series->order, 1.0, 0.05);
    ts_convergence_destroy(convergence);
    ts_table_close(table);
    ts_study_destroy(study);
  }
}

// ---- the rocking plate ---------------------------------------------------------------------------------------------

// Against steps of 1 us, and the law by its ratio (reference-numbers.md 10.6).
static void means_on_the_rocking_plate_are_those_of_the_reference(void **state)
{
  static const struct {
    double r, v;
  } cases[] = {{0.94623, -0.54721}, {2.61675, -1.52394}, {4.27252, -2.52235}};
  char text[256];
  double results[MOST_RESULTS];
  snprintf(text, sizeof text, "study: 1\nscene: %s/plate/rocking.yaml\nvary: {d: [5, 2], r0: [1, 3, 5]}\n", EXAMPLES);
  ts_study *study = study_from_text(*state, text);
  for (int i = 0; i < 3; ++i) {
    trial_of(study, i, results);
    const double r = result_of(study, results, "r"), v = result_of(study, results, "v");
    assert_near(r, cases[i].r, 0.003 * cases[i].r);
    assert_near(v, cases[i].v, -0.003 * cases[i].v);
    assert_near(result_of(study, results, "law"), -0.58584688 * r - 7.29e-4 * r * r * r, 1e-7);
    assert_near(result_of(study, results, "ratio"), 0.9859, 3e-3);
    assert_near(result_of(study, results, "sticks"), 0.0, 0.0);
  }
  trial_of(study, 5, results); // an axis 2 cm below: the particle sticks, and the law fails
  assert_near(result_of(study, results, "sticks"), 1.0, 0.0);
  assert_near(result_of(study, results, "ratio"), 0.6, 0.05);
  ts_study_destroy(study);
}

// ---- plans of pushes -----------------------------------------------------------------------------------------------

// The peg and what it stands on are their own mirror images about x, so that a plan and its mirror image bring it
// equally near to a goal and that goal's mirror image.
static void mirrored_plans_reach_mirrored_goals(void **state)
{
  char text[512];
  snprintf(text, sizeof text,
           "study: 1\nscene: %s/needle_push/needle.yaml\nvary:\n  angle: [0.1, -0.1]\n  distance: [0.5, 1.1, 1.5]\n"
           "derived: {offset: =-2.5*angle, goal_y: =2.5*angle, goal_angle: =3*angle}\n",
           EXAMPLES);
  ts_study *study = study_from_text(*state, text);
  for (int i = 0; i < 3; ++i) {
    double here[MOST_RESULTS], there[MOST_RESULTS];
    trial_of(study, i, here);
    trial_of(study, 3 + i, there);
    assert_near(result_of(study, here, "x"), result_of(study, there, "x"), 1e-7);
    assert_near(result_of(study, here, "theta"), -result_of(study, there, "theta"), 1e-7);
    assert_near(result_of(study, here, "away"), result_of(study, there, "away"), 1e-7);
  }
  ts_study_destroy(study);
}

// The best plan of the grid comes near the goal; the push of the reference, which goes the other way, does not.
static void plans_succeed_or_not(void **state)
{
  char text[512];
  double results[MOST_RESULTS];
  snprintf(text, sizeof text,
           "study: 1\nscene: %s/needle_push/needle.yaml\nvary: {offset: [-0.25, 0.2]}\nset: [distance=1.1]\n",
           EXAMPLES);
  ts_study *study = study_from_text(*state, text);
  for (int i = 0; i < 2; ++i) {
    trial_of(study, i, results);
    const double away = hypot(hypot(result_of(study, results, "x") - 1.0, result_of(study, results, "y") - 0.25),
                              sqrt(5.0 / 12.0) * (result_of(study, results, "theta") - 0.3));
    assert_near(result_of(study, results, "away"), away, 1e-12);
    assert_near(result_of(study, results, "success"), i == 0, 0.0);
    assert_true(i == 0 ? away < 0.03 : away > 0.5);
  }
  ts_study_destroy(study);
}

#define TEST(function) cmocka_unit_test_setup_teardown(function, scratch_folder_set_up, scratch_folder_tear_down)

int main(void)
{
  const struct CMUnitTest tests[] = {
      TEST(the_table_has_the_fields_of_the_scenes),      TEST(particles_start_with_the_plate),
      TEST(errors_on_the_centrifuge_are_of_first_order), TEST(means_on_the_rocking_plate_are_those_of_the_reference),
      TEST(mirrored_plans_reach_mirrored_goals),         TEST(plans_succeed_or_not),
  };
  return cmocka_run_group_tests(tests, NULL, NULL);
}
