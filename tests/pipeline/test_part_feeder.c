// The part feeder of thesis 4.3.1: geometry and inequalities as examples/part_feeder/README.md has them.
#include "command.h"
#include "scene_run.h"

#include "touchstone/verify.h"

#include <math.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <string.h>
#include <cmocka.h>

#define FEEDER EXAMPLES "/part_feeder/feeder.yaml"

enum { NUMBERS = 12, MOST_PARAMETERS = 100 };

// A design of another program, its name in scenes, and the ranges that designs are drawn from [mm, rad].
static const struct {
  const char *name;
  double value, low, high;
} numbers[NUMBERS] = {{"chute_width", 20.1864, 13, 22},
                      {"exit_clearance", 55.9192, 20, 60},
                      {"ramp_1_angle", 0.8174, 0.4, 1.1},
                      {"ramp_1_length", 17.9003, 8, 40},
                      {"ramp_2_angle", 0.3533, 0.15, 0.55},
                      {"ramp_2_length", 32.4113, 10, 50},
                      {"slot_width", 18.9908, 12, 22},
                      {"ledge_drop", 13.5010, 0, 14},
                      {"backstop", 34.8496, 28, 48},
                      {"slot_depth", 43.3944, 42, 60},
                      {"drop", 9.3875, 1, 20},
                      {"ledge_tilt", -0.1339, -0.6, 0.1}};

static int find_parameter(const ts_scene *scene, const char *name)
{
  for (int i = 0; i < ts_scene_parameter_count(scene); ++i)
    if (strcmp(ts_scene_parameter_at(scene, i).name, name) == 0) return i;
  fail_msg("the scene has no parameter %s", name);
  return -1;
}

static ts_scene *read_feeder(void)
{
  ts_scene *scene;
  ts_error error;
  assert_int_equal(ts_scene_read(FEEDER, NULL, 0, &scene, &error), TS_OK);
  return scene;
}

// A design (NULL: the scene's own), and another value of one parameter (NULL: of none).
static void set_parameters(ts_scene *scene, const double *design, const char *name, double value)
{
  double values[MOST_PARAMETERS];
  ts_error error;
  for (int i = 0; i < MOST_PARAMETERS; ++i) values[i] = NAN;
  for (int i = 0; design && i < NUMBERS; ++i) values[find_parameter(scene, numbers[i].name)] = design[i];
  if (name) values[find_parameter(scene, name)] = value;
  if (ts_scene_set_parameters(scene, values, &error) != TS_OK) fail_msg("%s", error.text);
}

static bool holds(const ts_scene *scene, const char *rule)
{
  return ts_scene_parameter_at(scene, find_parameter(scene, rule)).value > 0.0;
}

static void other_design(double design[NUMBERS])
{
  for (int i = 0; i < NUMBERS; ++i) design[i] = numbers[i].value;
}

// ---- the geometric level

// Bounds worked out by hand for L = 30, D = 14, CH = 10 and the other program's design: 14.7 = 1.05 D,
// 21.48746216 = 14.7/cos 0.8174, 19 = L - CH - 1, 38.9908 = slot + L - CH, 7.303289158 = slot tan 0.3533 + 0.3. No
// value in its range breaks the rules chute <= 24 and depth >= 40.
static void each_rule_is_found_broken_alone(void **state)
{
  (void)state;
  static const struct {
    const char *rule, *name;
    double holds, fails;
  } cases[] = {
      {"fits_chute", "chute_width", 14.7001, 14.6999},     {"fits_exit", "exit_clearance", 21.487463, 21.487461},
      {"tips_heavy_end", "slot_width", 14.7001, 14.6999},  {"holds_light_end", "slot_width", 18.9999, 19.0001},
      {"fits_backstop", "backstop", 30.5001, 30.4999},     {"stops_in_time", "backstop", 38.9907, 38.9909},
      {"clears_far_edge", "ledge_drop", 7.30329, 7.30328}, {"slides", "ramp_2_angle", 0.291457, 0.291456},
      {"slides_back", "ledge_tilt", -0.0501, -0.0499},     {"lies_down", "ramp_2_length", 15.0001, 14.9999}};
  enum { RULES = sizeof cases / sizeof cases[0] };
  ts_scene *scene = read_feeder();
  double design[NUMBERS];
  for (int k = 0; k < RULES; ++k) {
    other_design(design);
    if (k == 2) design[8] = 34.0; // or a narrow slot breaks the rule of the backstop, too
    set_parameters(scene, design, cases[k].name, cases[k].holds);
    assert_true(holds(scene, "sound"));
    set_parameters(scene, design, cases[k].name, cases[k].fails);
    assert_false(holds(scene, "sound"));
    for (int i = 0; i < RULES; ++i) assert_int_equal(holds(scene, cases[i].rule), i != k);
  }
  ts_scene_destroy(scene);
}

// The inequalities of the README.
static bool is_sound(const double p[NUMBERS])
{
  const double L = 30.0, D = 14.0, CH = 10.0;
  return p[0] >= 1.05 * D && p[0] <= 0.8 * L && p[1] >= 1.05 * D / cos(p[2]) && p[6] >= fmax(1.05 * D, CH + 2.0) &&
         p[6] <= fmin(L - CH - 1.0, 0.8 * hypot(L, D)) && p[8] >= L + 0.5 && p[8] <= p[6] + L - CH &&
         p[9] >= L + 10.0 && p[7] >= p[6] * tan(p[4]) + 0.3 && tan(p[4]) >= 0.3 && p[11] <= -0.05 && p[5] >= 0.5 * L;
}

static ts_status run_nothing(void *user, void *worker, const ts_trial *trial, ts_trial_outcome *outcome,
                             ts_error *error)
{
  (void)user, (void)worker, (void)trial, (void)outcome, (void)error;
  return TS_OK;
}

// The designs of verify.yaml: the same draws by a study of the test's own.
static ts_study *draw_designs(void)
{
  ts_variation variations[NUMBERS];
  ts_study *study;
  ts_error error;
  for (int i = 0; i < NUMBERS; ++i)
    variations[i] = (ts_variation){
        .name = numbers[i].name, .kind = TS_VARY_UNIFORM, .low = numbers[i].low, .high = numbers[i].high};
  const ts_study_def def = {.name = "designs",
                            .variations = variations,
                            .variation_count = NUMBERS,
                            .samples = 3000,
                            .seed = 1,
                            .results = (const char *const[]){"nothing"},
                            .result_count = 1,
                            .most_attempts = 1,
                            .function.run = run_nothing};
  if (ts_study_create(&def, &study, &error) != TS_OK) fail_msg("%s", error.text);
  return study;
}

// By iterated integrals of the inequalities over the ranges a share of 0.0197527 is sound: 59.3 of 3000, give or
// take 7.6.
static void verification_prunes_as_the_inequalities_say(void **state)
{
  ts_error error;
  ts_verification *verification;
  ts_level_report reports[3];
  uint64_t sound = 0;
  ts_study *designs = draw_designs();
  ts_scene *scene = read_feeder();
  for (uint64_t i = 0; i < 3000; ++i) {
    double design[NUMBERS];
    assert_int_equal(ts_study_parameters(designs, i, design, &error), TS_OK);
    const bool is = is_sound(design);
    sound += is;
    if (!is && i >= 200) continue; // the scene has to agree, where that does not take long
    set_parameters(scene, design, NULL, 0.0);
    assert_int_equal(holds(scene, "sound"), is);
  }
  assert_true(fabs((double)sound - 59.258) < 3.0 * sqrt(59.258));
  const ts_sweep_options options = ts_sweep_options_default();
  assert_int_equal(ts_verification_read(EXAMPLES "/part_feeder/verify.yaml", NULL, &verification, &error), TS_OK);
  assert_int_equal(ts_verification_design_count(verification), 3000);
  assert_int_equal(ts_verification_run_count(verification), 12);
  assert_int_equal(
      ts_verification_run(verification, scratch_path(*state, "verify.csv"), &options, reports, NULL, NULL, &error),
      TS_OK);
  assert_int_equal(reports[0].passed, sound);
  assert_int_equal(reports[1].designs, sound);
  ts_verification_destroy(verification);
  ts_scene_destroy(scene);
  ts_study_destroy(designs);
}

// The kept design orients most of the drops with rigid contacts and too few with those that give way: the report has it
// pass one level and fall at the next. Of found.yaml's 90 drops these are the 18 at friction 0.25.
static void designs_pass_rigid_drops_and_fail_compliant_ones(void **state)
{
  ts_error error;
  ts_verification *verification;
  ts_level_report reports[3];
  const ts_sweep_options options = ts_sweep_options_default();
  assert_int_equal(ts_verification_read(EXAMPLES "/part_feeder/found.yaml", NULL, &verification, &error), TS_OK);
  assert_int_equal(ts_verification_design_count(verification), 11);
  assert_int_equal(ts_verification_run_count(verification), 90);
  ts_verification_destroy(verification);
  static const char text[] =
      "verify: 1\nscene: " EXAMPLES "/part_feeder/feeder.yaml\n"
      "designs: {vary: {chute_width: [20.5326]}}\n"
      "uncertain: {vary: {mu: [0.25], heavy_down: [1, 0], tilt: [0, 0.05, -0.05], offset: [0, 1, -1]}}\n"
      "levels: [{name: geometric, when: sound}, {name: rigid, share: =16/18},\n"
      "  {name: compliant, set: [step.method=compliant], share: =16/18}]\n";
  scratch_write(scratch_path(*state, "found.yaml"), text, sizeof text - 1);
  assert_int_equal(ts_verification_read(scratch_path(*state, "found.yaml"), NULL, &verification, &error), TS_OK);
  assert_int_equal(
      ts_verification_run(verification, scratch_path(*state, "found.csv"), &options, reports, NULL, NULL, &error),
      TS_OK);
  assert_int_equal(reports[0].passed, 1);
  assert_int_equal(reports[1].passed, 1);
  assert_int_equal(reports[2].designs, 1);
  assert_int_equal(reports[2].passed, 0);
  ts_verification_destroy(verification);
}

// ---- walls

static bool has_corner(const ts_model *model, double x, double y)
{
  for (int p = 0; p < ts_model_part_count(model); ++p) {
    const ts_shape *shape = ts_model_part_shape(model, p);
    for (int i = 0; shape->kind == TS_SHAPE_POLYGON && i < shape->vertex_count; ++i)
      if (hypot(shape->vertices[i].x - 1e-3 * x, shape->vertices[i].y - 1e-3 * y) < 1e-12) return true;
  }
  return false;
}

// Corners that the walls of the README end or meet in, from its formulas.
static void walls_stand_where_the_numbers_say(void **state)
{
  (void)state;
  double p[NUMBERS];
  other_design(p);
  const double Px = p[3] * cos(p[2]), Py = -p[3] * sin(p[2]), Nx = Px + p[5] * cos(p[4]), Ny = Py - p[5] * sin(p[4]),
               Fx = Nx + p[6], Fy = Ny - p[7];
  ts_scene *scene = read_feeder();
  set_parameters(scene, p, NULL, 0.0);
  const ts_model *model = ts_scene_model(scene);
  const double corners[][2] = {{0, 200},
                               {0, 0},
                               {Px, Py},
                               {Nx, Ny},
                               {Nx, Ny - p[9]},
                               {Fx, Fy - p[9]},
                               {Fx, Fy},
                               {p[0], 200},
                               {p[0], p[1] - p[0] * tan(p[2])},
                               {Nx + p[8], Fy + (p[8] - p[6]) * tan(p[11])},
                               {Nx + p[8], Fy + 80}};
  for (size_t i = 0; i < sizeof corners / sizeof corners[0]; ++i)
    assert_true(has_corner(model, corners[i][0], corners[i][1]));
  ts_scene_destroy(scene);
}

static void the_cup_starts_where_it_is_put(void **state)
{
  (void)state;
  for (int heavy = 0; heavy < 2; ++heavy) {
    const char *const overrides[] = {heavy ? "heavy_down=1" : "heavy_down=0", "tilt=0.05", "offset=-1"};
    scene_run run = scene_run_start(FEEDER, overrides, 3);
    const double p1 = 20.5326, p3 = 0.6851, p11 = 1.2626; // of the design that the scene has
    const ts_vec3 start = scene_run_position(&run, "cup");
    assert_true(fabs(start.x - 1e-3 * (0.5 * p1 - 1.0)) < 1e-12);
    assert_true(fabs(start.y - 1e-3 * (-0.5 * p1 * tan(p3) + p11 + 7.0 + (heavy ? 10.0 : 20.0))) < 1e-12);
    assert_true(fabs(ts_sim_angle(run.sim, scene_run_body(&run, "cup")) - ((heavy ? 0.5 : -0.5) * TS_PI + 0.05)) <
                1e-12);
    scene_run_end(&run);
  }
}

// ---- drops

// The end of a run by the watch of its scene: number of the stop, or -1, and whether it is a success.
static int drop(const char *const *overrides, int count, bool *success)
{
  ts_error error;
  ts_watch *watch;
  scene_run run = scene_run_start(FEEDER, overrides, count);
  assert_int_equal(ts_scene_create_watch(run.scene, &watch, &error), TS_OK);
  assert_int_equal(ts_watch_begin(watch, run.sim, &error), TS_OK);
  while (ts_watch_stopped(watch) < 0 && ts_sim_time(run.sim) < 2.0) {
    assert_int_equal(ts_sim_step(run.sim, &error), TS_OK);
    assert_true(ts_sim_report(run.sim)->penetration < 2e-4); // a hundredth of the cup: it goes through no wall
    assert_int_equal(ts_watch_step(watch, run.sim, &error), TS_OK);
  }
  assert_int_equal(ts_watch_end(watch, run.sim, &error), TS_OK);
  *success = ts_watch_result(watch, ts_watch_find_result(watch, "success")) > 0.0;
  const int stopped = ts_watch_stopped(watch);
  ts_watch_destroy(watch);
  scene_run_end(&run);
  return stopped;
}

enum { THROUGH, LEFT, STUCK }; // in the order of the scene

// The twelve runs of verify.yaml.
static void the_kept_design_succeeds_in_all_runs(void **state)
{
  (void)state;
  static const char *const mus[] = {"mu=0.1", "mu=0.2", "mu=0.3"}, *const ends[] = {"heavy_down=1", "heavy_down=0"},
                           *const tilts[] = {"tilt=0.05", "tilt=-0.05"};
  static const char *const methods[] = {"step.method=stewart-trinkle", "step.method=compliant"};
  for (int k = 0; k < 24; ++k) {
    const char *const overrides[] = {mus[k / 4 % 3], ends[k / 2 % 2], tilts[k % 2], methods[k / 12]};
    bool success;
    assert_int_equal(drop(overrides, 4, &success), THROUGH);
    assert_true(success);
  }
}

// Both designs of drops.yaml: trials 0 to 89 are of the scene's own, 90 to 179 of the other program's. At friction 0.2
// both orient the cup in all 18 drops; at 0.1 some get stuck.
static void drops_end_as_the_readme_says(void **state)
{
  (void)state;
  double results[16];
  ts_trial_outcome outcome = {.results = results};
  ts_study *study;
  ts_error error;
  assert_int_equal(ts_study_read(EXAMPLES "/part_feeder/drops.yaml", NULL, &study, &error), TS_OK);
  assert_int_equal(ts_study_trial_count(study), 180);
  assert_string_equal(ts_study_result_name(study, 2), "success");
  for (uint64_t trial = 36; trial < 54; ++trial)
    for (uint64_t design = 0; design < 2; ++design) {
      assert_int_equal(ts_study_run_trial(study, trial + 90 * design, 0, &outcome, &error), TS_OK);
      assert_string_equal(outcome.text, "through");
      assert_true(results[2] == 1.0);
      assert_int_equal(outcome.uncertified, 0);
    }
  assert_int_equal(ts_study_run_trial(study, 92, 0, &outcome, &error), TS_OK); // friction 0.1, heavy end down, -1 mm
  assert_string_equal(outcome.text, "stuck");
  assert_true(results[2] == 0.0);
  ts_study_destroy(study);
}

// The first line of the table is the design that the scene has.
static void the_scene_has_the_first_design(void **state)
{
  (void)state;
  double of_trial[NUMBERS + 4];
  ts_study *study;
  ts_error error;
  ts_scene *scene = read_feeder();
  assert_int_equal(ts_study_read(EXAMPLES "/part_feeder/drops.yaml", NULL, &study, &error), TS_OK);
  assert_int_equal(ts_study_parameter_count(study), NUMBERS + 4);
  for (uint64_t trial = 0; trial < 180; trial += 90) {
    assert_int_equal(ts_study_parameters(study, trial, of_trial, &error), TS_OK);
    for (int i = 0; i < NUMBERS; ++i) {
      assert_string_equal(ts_study_parameter_name(study, i), numbers[i].name);
      const ts_scene_parameter own = ts_scene_parameter_at(scene, i);
      assert_true(of_trial[i] == (trial == 0 ? own.value : numbers[i].value));
      assert_true(own.least == numbers[i].low && own.most == numbers[i].high);
    }
  }
  ts_study_destroy(study);
  ts_scene_destroy(scene);
}

static int stop_at(double x, double y, double angle, bool *success)
{
  ts_error error;
  ts_watch *watch;
  double design[NUMBERS];
  scene_run run = {.scene = read_feeder()};
  other_design(design);
  set_parameters(run.scene, design, NULL, 0.0);
  assert_int_equal(ts_sim_create(ts_scene_model(run.scene), ts_scene_options(run.scene), NULL, &run.sim, &error),
                   TS_OK);
  assert_int_equal(ts_scene_create_watch(run.scene, &watch, &error), TS_OK);
  const ts_pose pose = {{1e-3 * x, 1e-3 * y, 0.0}, {cos(0.5 * angle), 0.0, 0.0, sin(0.5 * angle)}};
  assert_int_equal(ts_sim_set_pose(run.sim, scene_run_body(&run, "cup"), &pose, NULL), TS_OK);
  assert_int_equal(ts_watch_begin(watch, run.sim, &error), TS_OK);
  assert_int_equal(ts_watch_step(watch, run.sim, &error), TS_OK);
  assert_int_equal(ts_watch_end(watch, run.sim, &error), TS_OK);
  *success = ts_watch_result(watch, ts_watch_find_result(watch, "success")) > 0.0;
  const int stopped = ts_watch_stopped(watch);
  ts_watch_destroy(watch);
  scene_run_end(&run);
  return stopped;
}

// The slot of the other design: x from 42.655 to 61.646, its near wall ends at y = -67.665 mm.
static void ends_are_told_apart(void **state)
{
  (void)state;
  const double up = 0.5 * TS_PI;
  bool success;
  assert_int_equal(stop_at(52.0, -62.7, up, &success), THROUGH);
  assert_true(success);
  assert_int_equal(stop_at(52.0, -62.7, -up, &success), THROUGH);
  assert_false(success);
  assert_int_equal(stop_at(52.0, -62.6, up, &success), -1);
  assert_int_equal(stop_at(42.6, -62.7, up, &success), -1);
  assert_false(success);
  assert_int_equal(stop_at(61.7, -117.7, up, &success), LEFT);
  assert_int_equal(stop_at(211.7, 0.0, 0.0, &success), LEFT);
  assert_int_equal(stop_at(-80.1, 0.0, 0.0, &success), LEFT);
}

// ---- programs

static command_result result, again; // large

static void the_search_can_be_repeated(void **state)
{
  command_run(*state, EXAMPLE_PROGRAMS "/search", FEEDER " 5 4", &result);
  command_run(*state, EXAMPLE_PROGRAMS "/search", FEEDER " 5 4", &again);
  assert_int_equal(result.status, 1); // not in so few designs
  assert_non_null(strstr(result.out, "chute_width,exit_clearance,"));
  assert_string_equal(result.out, again.out);
  command_run(*state, EXAMPLE_PROGRAMS "/search", FEEDER " 6 4", &again);
  assert_string_not_equal(result.out, again.out);
}

static void the_search_refuses_bad_usage(void **state)
{
  static const char *const bad[][2] = {{"", "usage: search SCENE"},
                                       {FEEDER " five", "SEED and DESIGNS are whole numbers"},
                                       {FEEDER " 1 -2", "SEED and DESIGNS are whole numbers"},
                                       {EXAMPLES "/compliant_bounce/bounce.yaml", "the scene has no parameter mu"}};
  for (size_t i = 0; i < sizeof bad / sizeof bad[0]; ++i) {
    command_run(*state, EXAMPLE_PROGRAMS "/search", bad[i][0], &result);
    assert_int_equal(result.status, 2);
    assert_string_equal(result.out, "");
    if (!strstr(result.err, bad[i][1])) fail_msg("%s: %s", bad[i][0], result.err);
  }
}

static void a_drop_can_be_drawn(void **state)
{
  command_run(*state, TOUCHSTONE_COMMAND, "run " EXAMPLES "/part_feeder/drops.yaml --trial 36 -o drop.h5", &result);
  assert_int_equal(result.status, 0);
  command_run(*state, TOUCHSTONE_COMMAND, "draw drop.h5 --ghosts 14 --trail cup", &result);
  assert_int_equal(result.status, 0);
}

int main(void)
{
  const struct CMUnitTest tests[] = {
      cmocka_unit_test(each_rule_is_found_broken_alone),
      cmocka_unit_test(verification_prunes_as_the_inequalities_say),
      cmocka_unit_test(designs_pass_rigid_drops_and_fail_compliant_ones),
      cmocka_unit_test(walls_stand_where_the_numbers_say),
      cmocka_unit_test(the_cup_starts_where_it_is_put),
      cmocka_unit_test(the_kept_design_succeeds_in_all_runs),
      cmocka_unit_test(drops_end_as_the_readme_says),
      cmocka_unit_test(the_scene_has_the_first_design),
      cmocka_unit_test(ends_are_told_apart),
      cmocka_unit_test(the_search_can_be_repeated),
      cmocka_unit_test(the_search_refuses_bad_usage),
      cmocka_unit_test(a_drop_can_be_drawn),
  };
  return cmocka_run_group_tests(tests, scratch_folder_set_up, scratch_folder_tear_down);
}
