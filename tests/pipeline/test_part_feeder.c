// The part feeder of thesis 4.3.1: geometry and inequalities as examples/part_feeder/README.md has them.
#include "part_feeder/feeder.h"
#include "command.h"
#include "scene_run.h"
#include "whole_file.h"

#include <math.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdlib.h>
#include <string.h>
#include <cmocka.h>

// ---- the geometric level

static feeder_design with(feeder_design design, const char *name, double value)
{
  for (int i = 0; i < FEEDER_NUMBERS; ++i)
    if (strcmp(feeder_number_name(i), name) == 0) return *feeder_number(&design, i) = value, design;
  fail_msg("a design has no number %s", name);
  return design;
}

static void the_design_that_works_obeys_all_rules(void **state)
{
  (void)state;
  feeder_rule rules[FEEDER_RULES];
  const feeder_design design = feeder_working_design();
  assert_int_equal(feeder_rules(&design, rules), 0);
  for (int i = 0; i < FEEDER_RULES; ++i) assert_true(rules[i].holds);
}

// Bounds worked out by hand for L = 30, D = 14, CH = 10 and the design that works: 14.7 = 1.05 D, 24 = 0.8 L,
// 21.48746216 = 14.7/cos 0.8174, 19 = L - CH - 1, 38.9908 = slot + L - CH, 7.303289158 = slot tan 0.3533 + 0.3.
static void each_rule_is_found_broken_alone(void **state)
{
  (void)state;
  static const struct {
    const char *name;
    double holds, fails;
  } cases[FEEDER_RULES] = {
      {"chute_width", 14.7001, 14.6999},    {"chute_width", 23.9999, 24.0001}, {"exit_clearance", 21.487463, 21.487461},
      {"slot_width", 14.7001, 14.6999},     {"slot_width", 18.9999, 19.0001},  {"backstop", 30.5001, 30.4999},
      {"backstop", 38.9907, 38.9909},       {"slot_depth", 40.0001, 39.9999},  {"ledge_drop", 7.30329, 7.30328},
      {"ramp_2_angle", 0.291457, 0.291456}, {"ledge_tilt", -0.0501, -0.0499},  {"ramp_2_length", 15.0001, 14.9999},
  };
  for (int k = 0; k < FEEDER_RULES; ++k) {
    feeder_rule rules[FEEDER_RULES];
    feeder_design base = feeder_working_design();
    if (k == 3) base = with(base, "backstop", 34.0); // or a narrow slot breaks the rule of the backstop, too
    const feeder_design good = with(base, cases[k].name, cases[k].holds),
                        bad = with(base, cases[k].name, cases[k].fails);
    assert_int_equal(feeder_rules(&good, rules), 0);
    assert_int_equal(feeder_rules(&bad, rules), 1);
    for (int i = 0; i < FEEDER_RULES; ++i) assert_int_equal(rules[i].holds, i != k);
  }
}

// ---- walls

static bool has_corner(const ts_model *model, double x, double y)
{
  for (int p = 0; p < ts_model_part_count(model); ++p) {
    const ts_shape *shape = ts_model_part_shape(model, p);
    for (int i = 0; shape->kind == TS_SHAPE_POLYGON && i < shape->vertex_count; ++i)
      if (hypot(shape->vertices[i].x - 1e-3 * x, shape->vertices[i].y - 1e-3 * y) < 1e-9) return true;
  }
  return false;
}

// Corners that the walls of the README end or meet in, from its formulas.
static void walls_stand_where_the_numbers_say(void **state)
{
  (void)state;
  const double p1 = 20.1864, p2 = 55.9192, p3 = 0.8174, p4 = 17.9003, p5 = 0.3533, p6 = 32.4113, p7 = 18.9908,
               p8 = 13.5010, p9 = 34.8496, p10 = 43.3944, p12 = -0.1339;
  const double Px = p4 * cos(p3), Py = -p4 * sin(p3), Nx = Px + p6 * cos(p5), Ny = Py - p6 * sin(p5), Fx = Nx + p7,
               Fy = Ny - p8;
  scene_run run = scene_run_start(EXAMPLES "/part_feeder/heavy_down.yaml", NULL, 0);
  const ts_model *model = ts_scene_model(run.scene);
  const double corners[][2] = {{0, 200},
                               {0, 0},
                               {Px, Py},
                               {Nx, Ny},
                               {Nx, Ny - p10},
                               {Fx, Fy - p10},
                               {Fx, Fy},
                               {p1, 200},
                               {p1, p2 - p1 * tan(p3)},
                               {Nx + p9, Fy + (p9 - p7) * tan(p12)},
                               {Nx + p9, Fy + 80}};
  for (size_t i = 0; i < sizeof corners / sizeof corners[0]; ++i)
    assert_true(has_corner(model, corners[i][0], corners[i][1]));
  const ts_vec3 start = scene_run_position(&run, "cup");
  assert_true(fabs(start.x - 0.5e-3 * p1) < 1e-9);
  assert_true(fabs(start.y - 1e-3 * (-0.5 * p1 * tan(p3) + 9.3875 + 7.0 + 10.0)) < 1e-9);
  scene_run_end(&run);
}

static void scene_files_are_those_of_the_program(void **state)
{
  (void)state;
  for (int heavy = 0; heavy < 2; ++heavy) {
    char text[FEEDER_TEXT];
    const feeder_design design = feeder_working_design();
    const feeder_start start = {heavy == 1, 0.0, 0.0};
    feeder_scene(&design, &start, text);
    char *file = read_text(heavy ? EXAMPLES "/part_feeder/heavy_down.yaml" : EXAMPLES "/part_feeder/light_down.yaml");
    assert_string_equal(file, text);
    free(file);
  }
}

// ---- drops

static feeder_end end_of(const feeder_start *start, const char *size)
{
  char text[FEEDER_TEXT];
  const char *const overrides[] = {size};
  const feeder_design design = feeder_working_design();
  scene_run run;
  ts_error error;
  feeder_scene(&design, start, text);
  assert_int_equal(ts_scene_parse(text, strlen(text), "design", overrides, 1, &run.scene, &error), TS_OK);
  assert_int_equal(ts_sim_create(ts_scene_model(run.scene), ts_scene_options(run.scene), NULL, &run.sim, &error),
                   TS_OK);
  feeder_watch watch = {0};
  feeder_end end = FEEDER_FALLING;
  while (end == FEEDER_FALLING && ts_sim_time(run.sim) < 2.0) {
    assert_int_equal(ts_sim_step(run.sim, &error), TS_OK);
    assert_true(ts_sim_report(run.sim)->certified);
    assert_true(ts_sim_report(run.sim)->penetration < 1e-4); // a hundredth of the cup: it goes through no wall
    end = feeder_look(&design, run.sim, &watch);
  }
  scene_run_end(&run);
  return end;
}

// Friction 0.2, both ends down, with the tilts and offsets of the README.
static void the_cup_is_oriented_from_both_starts(void **state)
{
  (void)state;
  static const double tilts[] = {0.0, 0.05, -0.05}, offsets[] = {0.0, 1.0, -1.0};
  for (int heavy = 0; heavy < 2; ++heavy)
    for (int j = 0; j < 3; ++j)
      for (int k = 0; k < 3; ++k) {
        const feeder_start start = {heavy == 1, tilts[j], offsets[k]};
        assert_int_equal(end_of(&start, "step.size=5e-4"), FEEDER_ORIENTED);
      }
  const feeder_start heavy = {.heavy_end_down = true}, light = {.heavy_end_down = false};
  assert_int_equal(end_of(&heavy, "step.size=1e-4"), FEEDER_ORIENTED);
  assert_int_equal(end_of(&light, "step.size=1e-4"), FEEDER_ORIENTED);
}

static feeder_end end_at(double x, double y, double angle)
{
  const feeder_design design = feeder_working_design();
  scene_run run = scene_run_start(EXAMPLES "/part_feeder/heavy_down.yaml", NULL, 0);
  const ts_pose pose = {{1e-3 * x, 1e-3 * y, 0.0}, {cos(0.5 * angle), 0.0, 0.0, sin(0.5 * angle)}};
  feeder_watch watch = {0};
  assert_int_equal(ts_sim_set_pose(run.sim, scene_run_body(&run, "cup"), &pose, NULL), TS_OK);
  const feeder_end end = feeder_look(&design, run.sim, &watch);
  scene_run_end(&run);
  return end;
}

// The slot of the design that works: x from 42.655 to 61.646, its near wall ends at y = -67.665 mm.
static void ends_are_told_apart(void **state)
{
  (void)state;
  assert_int_equal(end_at(52.0, -62.7, 0.5 * TS_PI), FEEDER_ORIENTED);
  assert_int_equal(end_at(52.0, -62.7, -0.5 * TS_PI), FEEDER_WRONG);
  assert_int_equal(end_at(52.0, -62.6, 0.5 * TS_PI), FEEDER_FALLING);
  assert_int_equal(end_at(42.6, -62.7, 0.5 * TS_PI), FEEDER_FALLING);
  assert_int_equal(end_at(61.7, -117.7, 0.5 * TS_PI), FEEDER_LEFT);
  assert_int_equal(end_at(211.7, 0.0, 0.0), FEEDER_LEFT);
  assert_int_equal(end_at(-80.1, 0.0, 0.0), FEEDER_LEFT);
}

// ---- the program

static command_result result; // large

static void the_program_says_what_is_wrong(void **state)
{
  command_run(*state, EXAMPLE_PROGRAMS "/part_feeder", "--friction 0.2 --tilt 0 --offset 0 --record drop.h5", &result);
  assert_int_equal(result.status, 0);
  assert_non_null(strstr(result.out, "12 of 12 inequalities hold"));
  assert_non_null(strstr(result.out, "2 of 2 oriented"));
  command_run(*state, TOUCHSTONE_COMMAND, "draw drop.h5 --ghosts 14 --trail cup", &result);
  assert_int_equal(result.status, 0);
  command_run(*state, EXAMPLE_PROGRAMS "/part_feeder",
              "20.1864 55.9192 .8174 17.9003 .3533 32.4113 18.9908 13.501 29 43.3944 9.3875 -.1339", &result);
  assert_int_equal(result.status, 1);
  assert_non_null(
      strstr(result.out, "fails: the cup fits between the slot's near edge and the backstop, 29 is not at least 30.5"));
  assert_null(strstr(result.out, "oriented"));
}

static void the_program_refuses_bad_usage(void **state)
{
  static const char *const bad[][2] = {{"1 2 3", "a design has 12 numbers, these are fewer"},
                                       {"1 2 3 4 5 6 7 8 9 10 11 12 13", "a design has 12 numbers, these are more"},
                                       {"1 2 x", "'x' is no number"},
                                       {"--friction 0.1,,0.2", "',0.2' is no number"},
                                       {"--start up", "--start takes heavy or light"},
                                       {"--level easy", "--level takes geometric, rigid or compliant"},
                                       {"--level rigid --set step.size=-1", "'size' must be > 0"},
                                       {"--wrong 1", "'--wrong' is no option"}};
  for (size_t i = 0; i < sizeof bad / sizeof bad[0]; ++i) {
    command_run(*state, EXAMPLE_PROGRAMS "/part_feeder", bad[i][0], &result);
    assert_int_equal(result.status, 2);
    assert_string_equal(result.out, "");
    if (!strstr(result.err, bad[i][1])) fail_msg("%s: %s", bad[i][0], result.err);
    assert_ptr_equal(strchr(result.err, '\n'), result.err + strlen(result.err) - 1);
  }
}

int main(void)
{
  const struct CMUnitTest tests[] = {
      cmocka_unit_test(the_design_that_works_obeys_all_rules), cmocka_unit_test(each_rule_is_found_broken_alone),
      cmocka_unit_test(walls_stand_where_the_numbers_say),     cmocka_unit_test(scene_files_are_those_of_the_program),
      cmocka_unit_test(the_cup_is_oriented_from_both_starts),  cmocka_unit_test(ends_are_told_apart),
      cmocka_unit_test(the_program_says_what_is_wrong),        cmocka_unit_test(the_program_refuses_bad_usage),
  };
  return cmocka_run_group_tests(tests, scratch_folder_set_up, scratch_folder_tear_down);
}
