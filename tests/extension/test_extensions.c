// Extensions that a program defines with the public headers: solvers that fail on purpose, steppers that solve, and
// definitions that lack something.
#include "touchstone/touchstone.h"

#include <math.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>
#include <string.h>
#include <cmocka.h>

static const char BALL[] = "touchstone: 1\nbodies:\n- {name: floor, kind: fixed, shape: {plane: {normal: [0, 0, 1]}}}\n"
                           "- {name: ball, mass: 1, shape: {sphere: {radius: 0.1}}, position: [0, 0, 0.1]}\n";

static ts_scene *scene_with(const ts_extensions *extensions, const char *step)
{
  char text[1024];
  ts_scene *scene;
  ts_error error = {0};
  snprintf(text, sizeof text, "%sstep: {%s}\n", BALL, step);
  const ts_scene_request request = {.extensions = extensions};
  if (ts_scene_parse_with(text, strlen(text), "ball", &request, &scene, &error) != TS_OK)
    fail_msg("%d:%d: %s", error.line, error.column, error.text);
  return scene;
}

static ts_sim *sim_of(const ts_scene *scene)
{
  ts_sim *sim;
  ts_error error = {0};
  if (ts_sim_create(ts_scene_model(scene), ts_scene_options(scene), NULL, &sim, &error) != TS_OK)
    fail_msg("%s", error.text);
  return sim;
}

// ---- solvers -------------------------------------------------------------------------------------------------------

static ts_outcome answer_nonsense(void *user, const ts_problem *problem, ts_solver_run *run, double *z)
{
  ++*(int *)user;
  ts_solver_run_record(run, 0.0, 1.0); // claims to be there
  for (size_t k = 0; k < ts_problem_size(problem); ++k) z[k] = 7.0;
  return TS_SOLVED;
}

static void a_solver_that_fails_is_replaced_and_reported(void **state)
{
  (void)state;
  int calls = 0;
  const ts_solver_def def = {"nonsense", "claims what is not so", TS_FRICTION, 5, answer_nonsense, &calls};
  ts_extensions *extensions = ts_extensions_create();
  assert_int_equal(ts_extensions_add_solver(extensions, &def, NULL), TS_OK);
  ts_scene *scene = scene_with(extensions, "solver: nonsense");
  ts_sim *sim = sim_of(scene);
  for (int k = 0; k < 10; ++k) {
    const int before = calls;
    assert_int_equal(ts_sim_step(sim, NULL), TS_OK);
    const ts_step_report *report = ts_sim_report(sim);
    assert_true(calls > before && report->certified && report->fallbacks >= 1);
    assert_string_not_equal(report->solver, "nonsense");
  }
  int count;
  assert_true(fabs(ts_sim_contacts(sim, &count)[0].impulse[0] - 9.81e-3) < 1e-9);
  ts_sim_destroy(sim);
  ts_scene_destroy(scene);
  ts_extensions_destroy(extensions);
}

// ---- steppers ------------------------------------------------------------------------------------------------------

static const ts_parameter rates[] = {{"share", 1.0, 0.0, 1.0, "", "of the gap that a step closes"}};

// Stewart and Trinkle's step.
static bool close_gaps(void *user, ts_stepping *stepping)
{
  int count;
  (void)user;
  const ts_contact *contacts = ts_stepping_contacts(stepping, &count);
  const double h = ts_stepping_size(stepping), share = ts_stepping_parameters(stepping)[0];
  for (int i = 0; i < count; ++i) ts_stepping_ask(stepping, i, -share * contacts[i].gap / h);
  ts_stepping_numbers(stepping)[0] += 1.0;
  return count == 0 ||
         (ts_stepping_solve(stepping, ts_stepping_problem(stepping), false, ts_stepping_impulses(stepping)), true);
}

static const ts_stepper_def closing = {.name = "closing",
                                       .summary = "closes gaps",
                                       .parameters = rates,
                                       .parameter_count = 1,
                                       .number_count = 1,
                                       .step = close_gaps};

// Falls from 5 mm above the floor: lands on it, to the bit where the library's own stepper does.
static void a_stepper_solves_as_the_librarys_own_does(void **state)
{
  (void)state;
  double heights[2];
  ts_extensions *extensions = ts_extensions_create();
  assert_int_equal(ts_extensions_add_stepper(extensions, &closing, NULL), TS_OK);
  const char *const steps[] = {"method: closing, size: 1e-3", "size: 1e-3"};
  for (int i = 0; i < 2; ++i) {
    ts_scene *scene = scene_with(extensions, steps[i]);
    ts_sim *sim = sim_of(scene);
    const ts_pose above = {{0.0, 0.0, 0.105}, {1.0, 0.0, 0.0, 0.0}};
    assert_int_equal(ts_sim_set_pose(sim, 1, &above, NULL), TS_OK);
    for (int k = 0; k < 200; ++k) {
      assert_int_equal(ts_sim_step(sim, NULL), TS_OK);
      assert_true(ts_sim_report(sim)->certified);
    }
    heights[i] = ts_sim_pose(sim, 1).position.z;
    ts_sim_destroy(sim);
    ts_scene_destroy(scene);
  }
  assert_true(fabs(heights[0] - 0.1) < 1e-9 && fabs(heights[0] - heights[1]) < 1e-9);
  ts_extensions_destroy(extensions);
}

static void parameters_can_be_set_by_name(void **state)
{
  (void)state;
  ts_extensions *extensions = ts_extensions_create();
  ts_error error = {0};
  assert_int_equal(ts_extensions_add_stepper(extensions, &closing, NULL), TS_OK);
  ts_step_options options = ts_step_options_default();
  assert_int_equal(ts_step_options_set(&options, "method", "closing", &error), TS_INVALID);
  options.extensions = extensions;
  assert_int_equal(ts_step_options_set(&options, "method", "closing", &error), TS_OK);
  assert_true(options.own[0] == 1.0);
  assert_int_equal(ts_step_options_set(&options, "parameters.share", "0.25", &error), TS_OK);
  assert_true(options.own[0] == 0.25);
  assert_int_equal(ts_step_options_check(&options, &error), TS_OK);
  assert_int_equal(ts_step_options_set(&options, "parameters.share", "2", &error), TS_INVALID);
  assert_int_equal(ts_step_options_set(&options, "parameters.shade", "0.5", &error), TS_INVALID);
  assert_non_null(strstr(error.text, "did you mean 'share'?"));
  assert_true(options.own[0] == 0.25);
  char name[32];
  assert_int_equal(ts_step_options_get(&options, "method", name, sizeof name, &error), TS_OK);
  assert_string_equal(name, "closing");
  ts_extensions_destroy(extensions);
}

// ---- definitions ---------------------------------------------------------------------------------------------------

static void nothing(void *user, const ts_control *control)
{
  (void)user, (void)control;
}

#define REFUSED(kind, words, ...)                                                                                      \
  do {                                                                                                                 \
    const ts_##kind##_def def = __VA_ARGS__;                                                                           \
    assert_int_equal(ts_extensions_add_##kind(extensions, &def, &error), TS_INVALID);                                  \
    if (!strstr(error.text, words)) fail_msg("'%s' does not say '%s'", error.text, words);                             \
  } while (0)

static void definitions_that_lack_something_are_refused(void **state)
{
  (void)state;
  ts_extensions *extensions = ts_extensions_create();
  ts_error error = {0};
  static const ts_parameter twice[] = {{.name = "a"}, {.name = "a"}}, nameless[] = {{.name = ""}};
  static const ts_parameter beyond[] = {{.name = "a", .fallback = 3.0, .most = 1.0}};
  REFUSED(solver, "a name begins with", {.name = NULL});
  REFUSED(solver, "a name begins with", {.name = "Mine"});
  REFUSED(solver, "a name begins with", {.name = "my solver"});
  REFUSED(solver, "has no summary", {.name = "mine"});
  REFUSED(solver, "has no function 'solve'", {.name = "mine", .summary = ""});
  REFUSED(solver, "takes no problem", {.name = "mine", .summary = "", .limit = 1, .solve = answer_nonsense});
  REFUSED(solver, "a limit below 1", {.name = "mine", .summary = "", .takes = TS_LCP, .solve = answer_nonsense});
  REFUSED(solver, "there is a solver 'nsgs' already", {.name = "nsgs", .summary = ""});
  REFUSED(stepper, "there is a stepper 'velocity' already", {.name = "velocity", .summary = ""});
  REFUSED(stepper, "has no function 'step'", {.name = "mine", .summary = ""});
  REFUSED(stepper, "keeps -1 numbers", {.name = "mine", .summary = "", .number_count = -1, .step = close_gaps});
  REFUSED(stepper, "has 17 parameters",
          {.name = "mine", .summary = "", .parameters = twice, .parameter_count = 17, .step = close_gaps});
  REFUSED(stepper, "two parameters are called 'a'",
          {.name = "mine", .summary = "", .parameters = twice, .parameter_count = 2, .step = close_gaps});
  REFUSED(controller, "has no function 'control'", {.name = "mine", .summary = ""});
  REFUSED(controller, "parameter 1 has no name",
          {.name = "mine", .summary = "", .parameters = nameless, .parameter_count = 1, .control = nothing});
  REFUSED(controller, "the default of 'a' is out of its range",
          {.name = "mine", .summary = "", .parameters = beyond, .parameter_count = 1, .control = nothing});
  assert_null(ts_extensions_solver(extensions, "mine"));
  assert_null(ts_extensions_controller(NULL, "mine"));
  ts_extensions_destroy(extensions);
  ts_extensions_destroy(NULL);
}

int main(void)
{
  const struct CMUnitTest tests[] = {
      cmocka_unit_test(a_solver_that_fails_is_replaced_and_reported),
      cmocka_unit_test(a_stepper_solves_as_the_librarys_own_does),
      cmocka_unit_test(parameters_can_be_set_by_name),
      cmocka_unit_test(definitions_that_lack_something_are_refused),
  };
  return cmocka_run_group_tests(tests, NULL, NULL);
}
