// The list of steppers, what options are refused with which sentence, and what a solver costs that cannot do its work.
#include "world.h"

#include <math.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <string.h>
#include <cmocka.h>

static void the_list_of_steppers_keeps_its_word(void **state)
{
  (void)state;
  assert_true(ts_stepper_count() >= 2);
  for (int i = 0; i < ts_stepper_count(); ++i) {
    const ts_stepper *stepper = ts_stepper_at(i);
    assert_ptr_equal(ts_stepper_find(ts_stepper_name(stepper)), stepper);
    assert_true(strlen(ts_stepper_summary(stepper)) > 10);
    assert_null(strchr(ts_stepper_summary(stepper), '\n'));
    for (int k = 0; k < i; ++k) assert_string_not_equal(ts_stepper_name(stepper), ts_stepper_name(ts_stepper_at(k)));
  }
  assert_non_null(ts_stepper_find("stewart-trinkle"));
  assert_non_null(ts_stepper_find("velocity"));
  assert_null(ts_stepper_find("runge-kutta"));
  assert_null(ts_stepper_find(""));
  assert_null(ts_stepper_find("Velocity"));
}

static void defaults_pass(void **state)
{
  (void)state;
  const ts_step_options options = ts_step_options_default();
  ts_error error;
  assert_int_equal(ts_step_options_check(&options, &error), TS_OK);
  assert_string_equal(ts_stepper_name(options.method), "stewart-trinkle");
  assert_string_equal(ts_solver_name(options.solver), "auto");
}

static void refused(const ts_step_options *options, ts_status status, const char *word)
{
  ts_error error = {.status = TS_OK};
  assert_int_equal(ts_step_options_check(options, &error), status);
  assert_int_equal(error.status, status);
  if (!strstr(error.text, word)) fail_msg("'%s' does not speak of '%s'", error.text, word);
  assert_int_equal(ts_step_options_check(options, NULL), status);
}

// Every value that is out of range, one at a time.
#define REFUSE_AS(name, field, value)                                                                                  \
  do {                                                                                                                 \
    ts_step_options changed = ts_step_options_default();                                                               \
    changed.field = value;                                                                                             \
    refused(&changed, TS_INVALID, "'" name "'");                                                                       \
  } while (0)
#define REFUSE(field, value) REFUSE_AS(#field, field, value)
#define ACCEPT(field, value)                                                                                           \
  do {                                                                                                                 \
    ts_step_options changed = ts_step_options_default();                                                               \
    changed.field = value;                                                                                             \
    assert_int_equal(ts_step_options_check(&changed, NULL), TS_OK);                                                    \
  } while (0)

static void numbers_out_of_range_are_refused(void **state)
{
  (void)state;
  const double never[] = {NAN, INFINITY, -INFINITY, -1.0};
  for (size_t k = 0; k < sizeof never / sizeof never[0]; ++k) {
    REFUSE(size, never[k]);
    REFUSE(tolerance, never[k]);
    REFUSE(rest_speed, never[k]);
    REFUSE(recovery_speed, never[k]);
    REFUSE(theta, never[k]);
    REFUSE(margin, never[k]);
    REFUSE(impulse_scale, never[k]);
    if (!isfinite(never[k])) REFUSE_AS("angle", direction_angle, never[k]);
  }
  REFUSE(size, 0.0);
  ACCEPT(tolerance, 0.0);
  REFUSE(tolerance, -1e-300);
  REFUSE(tolerance, 1.0);
  REFUSE(recovery_speed, 0.0);
  REFUSE(theta, 0.49);
  REFUSE(theta, 1.01);
  REFUSE(max_iterations, -1);
  REFUSE(directions, 2);
  REFUSE(directions, 5);
  REFUSE(directions, -4);
  REFUSE(max_substeps, 0);
  REFUSE(max_substeps, 3);
  REFUSE(max_substeps, -8);
  REFUSE(max_substeps, 2048);
  ACCEPT(rest_speed, 0.0);
  ACCEPT(margin, 0.1);
  ACCEPT(theta, 0.5);
  ACCEPT(directions, 4);
  ACCEPT(max_substeps, 1);
  ACCEPT(max_substeps, 1024);
  ACCEPT(direction_angle, -7.0);
}

static void unknown_choices_are_refused(void **state)
{
  (void)state;
  REFUSE(cone, (ts_cone)2);
  REFUSE(impacts, (ts_impact_law)4);
  REFUSE(closing, (ts_closing)3);
  REFUSE(start, (ts_start)2);
  REFUSE(stabilization, (ts_stabilization)5);
  REFUSE(activate, (ts_activation)-1);
  REFUSE(formulation, (ts_formulation)2);
  REFUSE(gyroscopic, (ts_gyroscopic)7);
  REFUSE(align, (ts_alignment)3);
  REFUSE(line_search, (ts_line_search)2);
  REFUSE(coordinates, (ts_coordinates)2);
  REFUSE(arms, (ts_arms)-1);
  REFUSE(surfaces, (ts_surfaces)2);
}

// Defaults of a program are those of the lists; every row has a place of its own.
static void options_go_by_name(void **state)
{
  (void)state;
  const ts_step_options defaults = ts_step_options_default();
  ts_error error;
  for (int i = 0; i < ts_step_option_count(); ++i) {
    const ts_step_option option = ts_step_option_at(i);
    ts_step_options spoiled = defaults;
    char text[64];
    assert_int_equal(ts_step_options_get(&defaults, option.name, text, sizeof text, &error), TS_OK);
    assert_string_equal(text, strcmp(option.fallback, "1e-3") == 0   ? "0.001"
                              : strcmp(option.fallback, "1e-8") == 0 ? "1e-08"
                                                                     : option.fallback);
    assert_int_equal(ts_step_options_set(&spoiled, option.name, "no such word", &error), TS_INVALID);
    const char *name = strrchr(option.name, '.') ? strrchr(option.name, '.') + 1 : option.name;
    assert_non_null(strstr(error.text, name));
    assert_memory_equal(&spoiled, &defaults, sizeof defaults);
    assert_true(strlen(option.help) > 5 && strlen(option.type) > 0);
  }
  assert_int_equal(ts_step_options_set(&(ts_step_options){0}, "rest_sped", "1", &error), TS_INVALID);
  assert_string_equal(error.text, "there is no option 'rest_sped'; did you mean 'rest_speed'?");
}

static void values_go_where_their_names_say(void **state)
{
  (void)state;
  ts_step_options options = ts_step_options_default();
  static const char *const values[][2] = {
      {"method", "velocity"},
      {"size", "0.125"},
      {"cone", "polyhedral"},
      {"solver", "lemke"},
      {"max_iterations", "7"},
      {"warm_start", "false"},
      {"cone.polyhedral.angle", "-.5"},
      {"closing", "gap"},
      {"cone.polyhedral.align", "fixed"},
      {"theta", "0.75"},
  };
  for (size_t i = 0; i < sizeof values / sizeof *values; ++i)
    assert_int_equal(ts_step_options_set(&options, values[i][0], values[i][1], NULL), TS_OK);
  assert_ptr_equal(options.method, ts_stepper_find("velocity"));
  assert_ptr_equal(options.solver, ts_solver_find("lemke"));
  assert_true(options.size == 0.125 && options.direction_angle == -0.5 && options.theta == 0.75);
  assert_true(options.cone == TS_CONE_POLYHEDRAL && options.align == TS_ALIGN_FIXED);
  assert_true(options.max_iterations == 7 && !options.warm_start && options.closing == TS_CLOSING_GAP);
  assert_int_equal(ts_step_options_check(&options, NULL), TS_OK);
  char text[8];
  options.cone = (ts_cone)9;
  assert_int_equal(ts_step_options_get(&options, "cone", text, sizeof text, NULL), TS_OK);
  assert_string_equal(text, ""); // no word for what is no cone
}

static void what_is_missing_is_named(void **state)
{
  (void)state;
  ts_step_options options = ts_step_options_default();
  options.method = NULL;
  refused(&options, TS_INVALID, "'method' is missing");
  options = ts_step_options_default();
  options.solver = NULL;
  refused(&options, TS_INVALID, "'solver' is missing");
  memset(&options, 0, sizeof options);
  refused(&options, TS_INVALID, "ts_step_options_default");
}

// A solver of linear problems and a quadratic cone, and the other way round.
static void solvers_must_fit_the_cone(void **state)
{
  (void)state;
  for (int i = 0; i < ts_solver_count(); ++i) {
    ts_step_options options = ts_step_options_default();
    options.solver = ts_solver_at(i);
    const unsigned takes = ts_solver_takes(options.solver);
    if (takes & (TS_FRICTION | TS_MCP))
      assert_int_equal(ts_step_options_check(&options, NULL), TS_OK);
    else
      refused(&options, TS_UNSUPPORTED, ts_solver_name(options.solver));
    options.cone = TS_CONE_POLYHEDRAL;
    if (takes & TS_LCP)
      assert_int_equal(ts_step_options_check(&options, NULL), TS_OK);
    else
      refused(&options, TS_UNSUPPORTED, ts_solver_name(options.solver));
  }
}

static void poisson_does_not_go_with_midpoints(void **state)
{
  (void)state;
  ts_step_options options = ts_step_options_default();
  options.method = ts_stepper_find("velocity");
  options.activate = TS_ACTIVATE_MIDPOINT;
  options.impacts = TS_IMPACT_NEWTON;
  assert_int_equal(ts_step_options_check(&options, NULL), TS_OK);
  options.impacts = TS_IMPACT_POISSON;
  refused(&options, TS_UNSUPPORTED, "midpoint");
}

static void secants_go_with_gaps_of_the_end(void **state)
{
  (void)state;
  for (int i = 0; i < ts_stepper_count(); ++i) {
    ts_step_options options = ts_step_options_default();
    const char *name = ts_stepper_name(ts_stepper_at(i));
    assert_int_equal(ts_step_options_set(&options, "method", name, NULL), TS_OK);
    options.surfaces = TS_SURFACES_SECANT;
    if (strcmp(name, "stewart-trinkle") == 0 || strcmp(name, "quasistatic") == 0)
      assert_int_equal(ts_step_options_check(&options, NULL), TS_OK);
    else
      refused(&options, TS_UNSUPPORTED, "surfaces: secant goes with method: stewart-trinkle and quasistatic");
  }
}

static void modes_have_names(void **state)
{
  (void)state;
  assert_string_equal(ts_contact_mode_name(TS_SEPARATE), "separate");
  assert_string_equal(ts_contact_mode_name(TS_STICK), "stick");
  assert_string_equal(ts_contact_mode_name(TS_SLIP), "slip");
  assert_string_equal(ts_contact_mode_name(TS_ROLL), "roll");
  assert_string_equal(ts_contact_mode_name((ts_contact_mode)99), "unknown");
}

// Two boxes fall on the floor and on each other. No solver is done in three iterations: each problem that a step poses
// falls back once, those of attempts that were given up too.
static void every_problem_falls_back_once(void **state)
{
  (void)state;
  static const char *const solvers[] = {"pathsearch", "fb-rlm", "fb-plm"};
  int most = 0;
  for (int k = 0; k < 6; ++k) {
    world w;
    ts_error error;
    world_init(&w, TS_SPACE_3D);
    world_friction(&w, 0.5, 0.5);
    world_floor(&w);
    w.options.method = ts_stepper_find("stewart-trinkle");
    w.options.size = 1e-2;
    w.options.impacts = k % 2 ? TS_IMPACT_POISSON : TS_IMPACT_NEWTON;
    w.options.solver = ts_solver_find(solvers[k / 2]);
    w.options.max_iterations = 3;
    world_add(&w, "lower", TS_DYNAMIC, 1.0, shape_box(1.0, 1.0, 1.0), (ts_vec3){0.0, 0.0, 0.53});
    const int upper = world_add(&w, "upper", TS_DYNAMIC, 2.0, shape_box(1.0, 1.0, 1.0), (ts_vec3){0.3, 0.0, 1.56});
    world_start(&w);
    world_move(&w, upper, (ts_vec3){1.0, 0.0, -2.0}, (ts_vec3){0.0, 0.0, 0.0});
    for (int step = 0; step < 12; ++step) {
      assert_int_equal(ts_sim_step(w.sim, &error), TS_OK);
      const ts_step_report *report = ts_sim_report(w.sim);
      if (step >= 2) assert_int_equal(report->fallbacks, report->problems); // before, not everything touches
      most = report->problems > most ? report->problems : most;
    }
    world_release(&w);
  }
  assert_true(most > 4);
}

int main(void)
{
  const struct CMUnitTest tests[] = {
      cmocka_unit_test(the_list_of_steppers_keeps_its_word),
      cmocka_unit_test(defaults_pass),
      cmocka_unit_test(numbers_out_of_range_are_refused),
      cmocka_unit_test(unknown_choices_are_refused),
      cmocka_unit_test(options_go_by_name),
      cmocka_unit_test(values_go_where_their_names_say),
      cmocka_unit_test(what_is_missing_is_named),
      cmocka_unit_test(solvers_must_fit_the_cone),
      cmocka_unit_test(poisson_does_not_go_with_midpoints),
      cmocka_unit_test(secants_go_with_gaps_of_the_end),
      cmocka_unit_test(modes_have_names),
      cmocka_unit_test(every_problem_falls_back_once),
  };
  return cmocka_run_group_tests(tests, NULL, NULL);
}
