// Plug-ins as users have them: the shared libraries of examples/plugins, and some that do not fit.
#include "command.h"

#include "touchstone/record.h"

#include "math/vec3.h"

#include <math.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <string.h>
#include <cmocka.h>

#define PLUGIN(name) " --plugin " PLUGIN_FOLDER "/" name ".so "
#define SLOPE        EXAMPLES "/plugins/box_on_slope.yaml"
#define HOVER        EXAMPLES "/plugins/hover.yaml"
#define RINGS        EXAMPLES "/plugins/torus.yaml"

static const double G = 9.81, MU = 0.3, ANGLE = 25.0 * TS_PI / 180.0;

// The last value of a series in a run.
static double last_of(scratch_folder *folder, const char *file, const char *series)
{
  ts_record *record;
  ts_error error = {0};
  int count;
  if (ts_record_open(scratch_path(folder, file), &record, &error) != TS_OK) fail_msg("%s: %s", file, error.text);
  const double *values = ts_record_series(record, series, &count);
  assert_true(values && count > 0);
  const double last = values[count - 1];
  ts_record_close(record);
  return last;
}

static void a_solver_takes_steps_to_the_tolerance(void **state)
{
  scratch_folder *folder = *state;
  command_result result;
  command_run_well(folder, TOUCHSTONE_COMMAND,
                   "run " SLOPE PLUGIN("projected-descent") "--set step.solver=projected-descent -o slope.h5 --json",
                   &result);
  assert_non_null(strstr(result.out, "\"projected-descent\": 1000"));
  const double speed = G * (sin(ANGLE) - MU * cos(ANGLE)), vx = last_of(folder, "slope.h5", "box.vx");
  if (!(fabs(vx + speed * cos(ANGLE)) < 1e-6)) fail_msg("%.9g, not %.9g", vx, -speed * cos(ANGLE));
}

static void a_stepper_runs_records_and_resumes(void **state)
{
  scratch_folder *folder = *state;
  command_result result;
  command_run_well(folder, TOUCHSTONE_COMMAND,
                   "run " SLOPE PLUGIN("penalty") "--set step.method=penalty -q -o whole.h5", &result);
  command_run_well(folder, TOUCHSTONE_COMMAND,
                   "run " SLOPE PLUGIN("penalty") "--set step.method=penalty -q -d 0.4 -o parts.h5", &result);
  command_run_well(folder, TOUCHSTONE_COMMAND,
                   "run " SLOPE PLUGIN("penalty") "--set step.method=penalty -q --resume parts.h5", &result);
  const char *const series[] = {"box.x", "box.z", "box.vx", "box.vz", "box.wy"};
  for (int i = 0; i < 5; ++i)
    assert_true(last_of(folder, "whole.h5", series[i]) == last_of(folder, "parts.h5", series[i]));
  // friction rubs with all of it but while the box gets going
  const double speed = G * (sin(ANGLE) - MU * cos(ANGLE)), vx = last_of(folder, "whole.h5", "box.vx");
  if (!(fabs(vx + speed * cos(ANGLE)) < 0.02)) fail_msg("%.9g, not %.9g", vx, -speed * cos(ANGLE));
}

// At rest the springs of the four corners carry the box: k depth + (k h + c) g h cos(angle) = m g cos(angle)/4, for
// they are told the velocity that bodies would reach without them.
static void parameters_reach_the_stepper(void **state)
{
  scratch_folder *folder = *state;
  command_result result;
  command_run_well(
      folder, TOUCHSTONE_COMMAND,
      "run " SLOPE PLUGIN("penalty") "--set step.method=penalty --set step.parameters.stiffness=2e4 "
                                     "--set step.parameters.damping=900 --set contact.friction=1 -q -o soft.h5",
      &result);
  const double k = 2e4, c = 900.0, h = 1e-3, mass = 500.0 * 0.4 * 0.3 * 0.2, g = G * cos(ANGLE);
  const double x = last_of(folder, "soft.h5", "box.x"), z = last_of(folder, "soft.h5", "box.z");
  const double height = -sin(ANGLE) * x + cos(ANGLE) * z, depth = (mass * g / 4.0 - (k * h + c) * g * h) / k;
  if (!(fabs(0.1 - height - depth) < 1e-3 * depth)) fail_msg("%.6g m deep, not %.6g", 0.1 - height, depth);
}

static void a_controller_holds_and_resumes(void **state)
{
  scratch_folder *folder = *state;
  command_result result;
  command_run_well(folder, TOUCHSTONE_COMMAND, "run " HOVER PLUGIN("hover") "-q -o whole.h5", &result);
  assert_true(fabs(last_of(folder, "whole.h5", "ball.z") - 1.0) < 1e-3);
  command_run_well(folder, TOUCHSTONE_COMMAND, "run " HOVER PLUGIN("hover") "-q -d 3 -o parts.h5", &result);
  command_run_well(folder, TOUCHSTONE_COMMAND, "run " HOVER PLUGIN("hover") "-q --resume parts.h5", &result);
  assert_true(last_of(folder, "whole.h5", "ball.z") == last_of(folder, "parts.h5", "ball.z"));
  assert_true(last_of(folder, "whole.h5", "ball.vz") == last_of(folder, "parts.h5", "ball.vz"));
}

// Where the hoop is after 2 s at 1 m/s, the ring on its tube, the ball in its hole and the link in the hook.
static void a_shape_runs_records_resumes_and_is_drawn(void **state)
{
  scratch_folder *folder = *state;
  command_result result;
  command_run_well(folder, TOUCHSTONE_COMMAND, "run " RINGS PLUGIN("torus") "-o whole.h5 --json", &result);
  assert_non_null(strstr(result.out, "\"uncertified_steps\": 0"));
  assert_true(fabs(last_of(folder, "whole.h5", "hoop.x") - 1.0) < 1e-6);
  assert_true(fabs(last_of(folder, "whole.h5", "ring.z") - 0.1) < 1e-7);
  assert_true(fabs(last_of(folder, "whole.h5", "ball.z") - 0.1 - sqrt(0.35 * 0.35 - 0.3 * 0.3)) < 1e-6);
  assert_true(fabs(last_of(folder, "whole.h5", "link.z") - 0.88) < 1e-6);
  assert_true(fabs(last_of(folder, "whole.h5", "askew.z") - 0.05) < 1e-6);
  command_run_well(folder, TOUCHSTONE_COMMAND, "run " RINGS PLUGIN("torus") "-q -d 0.7 -o parts.h5", &result);
  command_run_well(folder, TOUCHSTONE_COMMAND, "run " RINGS PLUGIN("torus") "-q --resume parts.h5", &result);
  const char *const series[] = {"hoop.x", "ring.z", "ball.z", "link.z", "askew.x", "askew.wy"};
  for (int i = 0; i < 6; ++i)
    assert_true(last_of(folder, "whole.h5", series[i]) == last_of(folder, "parts.h5", series[i]));
  command_run_well(folder, TOUCHSTONE_COMMAND, "draw whole.h5 -o rings.svg" PLUGIN("torus"), &result);
  command_assert_refused(folder, TOUCHSTONE_COMMAND, "draw whole.h5 -o rings.svg", "there is no shape 'torus'");
  command_assert_refused(folder, TOUCHSTONE_COMMAND, "run " RINGS " --resume parts.h5", "there is no shape 'torus'");
  command_run_well(folder, TOUCHSTONE_COMMAND, "check " RINGS PLUGIN("torus"), &result);
  command_run_well(folder, TOUCHSTONE_COMMAND, "convert " RINGS " rings.yaml" PLUGIN("torus"), &result);
  command_run_well(folder, TOUCHSTONE_COMMAND, "run rings.yaml -q -d 0.01" PLUGIN("torus"), &result);
}

static void every_verb_loads_them(void **state)
{
  scratch_folder *folder = *state;
  command_result result;
  command_run_well(folder, TOUCHSTONE_COMMAND, "check " HOVER PLUGIN("hover"), &result);
  command_run_well(folder, TOUCHSTONE_COMMAND, "convert " HOVER " out.yaml" PLUGIN("hover"), &result);
  command_run_well(folder, TOUCHSTONE_COMMAND, "draw " HOVER PLUGIN("hover") "-o out.svg", &result);
}

// Beside what the library has, in the order that they were loaded.
static void lists_have_them(void **state)
{
  scratch_folder *folder = *state;
  command_result result;
  command_run_well(folder, TOUCHSTONE_COMMAND, "list shapes" PLUGIN("torus"), &result);
  assert_non_null(strstr(result.out, "\ncone "));
  assert_non_null(strstr(result.out, "\ntorus           3d          ring with a round tube, about z\n"));
  assert_non_null(strstr(result.out, "\ntorus  tube       m     1e-06 .. 1e+06  0.1      radius of the tube"));
  command_run_well(folder, TOUCHSTONE_COMMAND, "list steppers" PLUGIN("penalty") PLUGIN("torus"), &result);
  assert_non_null(strstr(result.out, "\nstewart-trinkle "));
  assert_non_null(strstr(result.out, "\npenalty  stiffness   N/m "));
  assert_null(strstr(result.out, "torus"));
  command_run_well(folder, TOUCHSTONE_COMMAND, "list solvers --json" PLUGIN("projected-descent"), &result);
  assert_true(strstr(result.out, "\"name\": \"projected-descent\"") > strstr(result.out, "\"name\": \"lemke\""));
  command_run_well(folder, TOUCHSTONE_COMMAND, "list controllers --json" PLUGIN("hover"), &result);
  assert_non_null(strstr(result.out, "\"unit\": \"N s/m\""));
  command_run_well(folder, TOUCHSTONE_COMMAND, "list controllers", &result);
  assert_string_equal(result.out, "controller  what it is\n");
  command_run_well(folder, TOUCHSTONE_COMMAND, "list shapes", &result);
  assert_null(strstr(result.out, "torus"));
}

// A residual of 0 is no praise for a stepper that solves nothing.
static void a_summary_says_what_was_not_solved(void **state)
{
  scratch_folder *folder = *state;
  command_result result;
  command_run_well(folder, TOUCHSTONE_COMMAND, "run " SLOPE PLUGIN("penalty") "--set step.method=penalty", &result);
  assert_non_null(strstr(result.out, "in 1000 steps with contacts stepper 'penalty' solved nothing: there the residual "
                                     "promises nothing\n"));
  command_run_well(folder, TOUCHSTONE_COMMAND, "run " SLOPE PLUGIN("penalty") "--set step.method=penalty --json",
                   &result);
  assert_non_null(strstr(result.out, "\"unsolved_steps\": 1000"));
  command_run_well(folder, TOUCHSTONE_COMMAND, "run " SLOPE, &result);
  assert_null(strstr(result.out, "promises nothing"));
}

static void what_does_not_fit_is_refused(void **state)
{
  scratch_folder *folder = *state;
  scratch_write(scratch_path(folder, "text.so"), "this is no library\n", 19);
  static const struct {
    const char *arguments, *words;
  } cases[] = {
      {"run " SLOPE " --plugin ./text.so", "it is no library that can be loaded"},
      {"run " SLOPE " --plugin text.so", "it is no library that can be loaded"},
      {"run " SLOPE " --plugin ./missing.so", "it is no library that can be loaded"},
      {"run " SLOPE PLUGIN("no-symbol"), "it is no plug-in: it has no symbol 'touchstone_plugin'"},
      {"run " SLOPE PLUGIN("later-interface"), "it was made for interface 3 of plug-ins, this is interface 2"},
      {"run " SLOPE PLUGIN("twice"), "there is a solver 'lemke' already"},
      {"run " SLOPE PLUGIN("penalty") PLUGIN("penalty"), "there is a stepper 'penalty' already"},
      {"run " SLOPE " --set step.method=penalty", "compliant, or of a plug-in (--plugin), not 'penalty'"},
      {"run " SLOPE " --set step.solver=projected-descent",
       "arclength, or of a plug-in (--plugin), not 'projected-descent'"},
      {"run " HOVER, "there is no controller 'hover' in the plug-ins that were loaded"},
      {"run " SLOPE PLUGIN("penalty") "--set step.method=penalty --set step.parameters.stifness=1",
       "method 'penalty' has no parameter 'stifness'; did you mean 'stiffness'?"},
      {"run " SLOPE PLUGIN("penalty") "--set step.method=penalty --set step.parameters.damping=-1",
       "'damping' must lie between 0 and 1e+07 N s/m, not be -1"},
      {"run " SLOPE PLUGIN("penalty") "--set step.method=penalty --set step.parameters.damping=much",
       "must be a number, not 'much'"},
      {"run " SLOPE " --set step.parameters.stiffness=1", "method 'stewart-trinkle' has no parameter 'stiffness'"},
      {"run " HOVER PLUGIN("hover") "--set controllers=3", "'controllers' must be a list"},
      {"list joints" PLUGIN("torus"),
       "'--plugin' is for lists of solvers, steppers, controllers and shapes, not of joints"},
      {"list shapes" PLUGIN("no-symbol"), "it has no symbol 'touchstone_plugin'"},
      {"run " RINGS, "there is no shape 'torus' in the plug-ins that were loaded (--plugin FILE loads one)"},
      {"run " RINGS PLUGIN("torus") PLUGIN("torus"), "there is a shape 'torus' already"},
      {"run " RINGS PLUGIN("torus") "--set bodies.ring.shape.own.parameters.ring=-1",
       "shape 'torus': 'ring' must lie between 1e-06 and 1e+06 m, not be -1"},
      {"run " RINGS PLUGIN("torus") "--set bodies.ring.shape.own.parameters.rings=1",
       "shape 'torus' has no parameter 'rings'; did you mean 'ring'?"},
      {"run " RINGS PLUGIN("torus") "--set bodies.ring.shape.own.parameters.tube=0.4",
       "body 'ring': shape 'torus': a tube of 0.4 m leaves no hole in a ring of 0.3 m"},
      {"run " RINGS PLUGIN("torus") "--set bodies.ring.shape.own.type=tours", "there is no shape 'tours'"},
      {"run " RINGS PLUGIN("torus") "--set step.method=event-driven", "cannot tell when shape 'torus' of body 'hoop'"},
  };
  for (size_t i = 0; i < sizeof cases / sizeof cases[0]; ++i)
    command_assert_refused(folder, TOUCHSTONE_COMMAND, cases[i].arguments, cases[i].words);
}

int main(void)
{
  const struct CMUnitTest tests[] = {
      cmocka_unit_test_setup_teardown(a_solver_takes_steps_to_the_tolerance, scratch_folder_set_up,
                                      scratch_folder_tear_down),
      cmocka_unit_test_setup_teardown(a_stepper_runs_records_and_resumes, scratch_folder_set_up,
                                      scratch_folder_tear_down),
      cmocka_unit_test_setup_teardown(parameters_reach_the_stepper, scratch_folder_set_up, scratch_folder_tear_down),
      cmocka_unit_test_setup_teardown(a_controller_holds_and_resumes, scratch_folder_set_up, scratch_folder_tear_down),
      cmocka_unit_test_setup_teardown(a_shape_runs_records_resumes_and_is_drawn, scratch_folder_set_up,
                                      scratch_folder_tear_down),
      cmocka_unit_test_setup_teardown(every_verb_loads_them, scratch_folder_set_up, scratch_folder_tear_down),
      cmocka_unit_test_setup_teardown(lists_have_them, scratch_folder_set_up, scratch_folder_tear_down),
      cmocka_unit_test_setup_teardown(a_summary_says_what_was_not_solved, scratch_folder_set_up,
                                      scratch_folder_tear_down),
      cmocka_unit_test_setup_teardown(what_does_not_fit_is_refused, scratch_folder_set_up, scratch_folder_tear_down),
  };
  return cmocka_run_group_tests(tests, NULL, NULL);
}
