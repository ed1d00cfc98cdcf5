// What the head of touchstone/api.h says of mistakes in calls that return a status: TS_INVALID, a sentence that names
// the function, and nothing has changed.
#include "scratch_folder.h"
#include "world.h"

#include "touchstone/touchstone.h"

#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <cmocka.h>

static world scene; // a ball and a floor, one step taken
static ts_dynamics *dynamics;
static ts_problem contact; // one, on a mass of 1
static double numbers[64]; // room for any vector of theirs
static ts_error error;

static void start_problem(void)
{
  static const int first[] = {0, 1}, diagonal[] = {0};
  static const double unit[] = {1.0, 0.0, 0.0, 0.0, 1.0, 0.0, 0.0, 0.0, 1.0}, mu[] = {0.5}, down[] = {-1.0, 0.0, 0.0};
  const ts_block_matrix W = {.rows = 1, .block = 3, .start = first, .index = diagonal, .value = unit};
  contact = ts_problem_friction((ts_friction){.dimension = 3, .contacts = 1, .W = W, .q = down, .mu = mu});
}

static int start(void **state)
{
  (void)state;
  world_init(&scene, TS_SPACE_3D);
  world_floor(&scene);
  world_add(&scene, "ball", TS_DYNAMIC, 1.0, shape_sphere(0.5), (ts_vec3){0.0, 0.0, 0.5});
  world_start(&scene);
  world_steps(&scene, 1);
  start_problem();
  return ts_dynamics_create(scene.model, NULL, &dynamics, &error) == TS_OK ? 0 : -1;
}

static int stop(void **state)
{
  (void)state;
  ts_dynamics_destroy(dynamics);
  world_release(&scene);
  return 0;
}

// ---- what is missing ------------------------------------------------------------------------------------------------

static void expect_refusal(ts_status status, const char *words)
{
  assert_int_equal(status, TS_INVALID);
  assert_int_equal(error.status, TS_INVALID);
  if (!strstr(error.text, words)) fail_msg("'%s' does not say '%s'", error.text, words);
}

// What is missing, and the call.
#define REFUSES(what, function, ...) expect_refusal(function(__VA_ARGS__, &error), #function "() requires " what)

static void simulations_refuse_what_is_missing(void **state)
{
  (void)state;
  ts_sim *sim = scene.sim;
  const ts_step_options options = ts_step_options_default();
  REFUSES("model", ts_sim_create, NULL, &options, NULL, &sim);
  assert_null(sim);
  REFUSES("options", ts_sim_create, scene.model, NULL, NULL, &sim);
  REFUSES("sim", ts_sim_create, scene.model, &options, NULL, NULL);
  REFUSES("sim", ts_sim_step, NULL);
  REFUSES("sim", ts_sim_set_pose, NULL, 0, &(ts_pose){0});
  REFUSES("pose", ts_sim_set_pose, scene.sim, 1, NULL);
  REFUSES("sim", ts_sim_set_velocity, NULL, 1, &(ts_twist){0});
  REFUSES("velocity", ts_sim_set_velocity, scene.sim, 1, NULL);
  REFUSES("sim", ts_sim_push, NULL, 1, &(ts_wrench){0});
  REFUSES("wrench", ts_sim_push, scene.sim, 1, NULL);
  REFUSES("sim", ts_sim_push_joint, NULL, 0, 1.0);
  REFUSES("sim", ts_sim_set_target, NULL, 0, 1.0, 0.0);
  REFUSES("sim", ts_sim_clear_target, NULL, 0);
  REFUSES("sim", ts_sim_measure_joints, NULL, true);
  REFUSES("sim", ts_sim_find_contacts, NULL);
  REFUSES("sim", ts_sim_load, NULL, NULL, 0);
  REFUSES("options", ts_step_options_check, NULL);
  REFUSES("watch", ts_watch_create, ts_sim_model(scene.sim), NULL);
  REFUSES("options", ts_step_options_set, NULL, "size", "1");
  REFUSES("name", ts_step_options_set, &(ts_step_options){0}, NULL, "1");
  REFUSES("text", ts_step_options_set, &(ts_step_options){0}, "size", NULL);
  REFUSES("options", ts_step_options_get, NULL, "size", (char[8]){0}, 8);
  REFUSES("text", ts_step_options_get, &options, "size", NULL, 0);
  assert_int_equal(ts_sim_step(NULL, NULL), TS_INVALID); // nobody listens
}

static void builders_refuse_what_is_missing(void **state)
{
  (void)state;
  ts_builder *builder = ts_builder_create(TS_SPACE_3D);
  ts_model *model = scene.model;
  int i;
  const ts_contact_law law = ts_contact_law_default();
  REFUSES("builder", ts_builder_set_contact, NULL, &law);
  REFUSES("law", ts_builder_set_contact, builder, NULL);
  REFUSES("builder", ts_builder_add_material, NULL, "wood", &law, &i);
  REFUSES("name", ts_builder_add_material, builder, NULL, &law, &i);
  REFUSES("law", ts_builder_add_material, builder, "wood", NULL, &i);
  REFUSES("builder", ts_builder_add_body, NULL, &(ts_body_def){0}, &i);
  REFUSES("def", ts_builder_add_body, builder, NULL, &i);
  REFUSES("builder", ts_builder_add_part, NULL, &(ts_part_def){0}, &i);
  REFUSES("def", ts_builder_add_part, builder, NULL, &i);
  REFUSES("builder", ts_builder_add_joint, NULL, &(ts_joint_def){0}, &i);
  REFUSES("def", ts_builder_add_joint, builder, NULL, &i);
  REFUSES("builder", ts_builder_add_spring, NULL, &(ts_spring_def){0}, &i);
  REFUSES("def", ts_builder_add_spring, builder, NULL, &i);
  REFUSES("builder", ts_builder_add_bushing, NULL, &(ts_bushing_def){0}, &i);
  REFUSES("def", ts_builder_add_bushing, builder, NULL, &i);
  REFUSES("builder", ts_builder_pair_groups, NULL, &(ts_group_def){0});
  REFUSES("def", ts_builder_pair_groups, builder, NULL);
  REFUSES("builder", ts_builder_add_force, NULL, &(ts_force_def){0}, &i);
  REFUSES("def", ts_builder_add_force, builder, NULL, &i);
  REFUSES("builder", ts_builder_add_motion, NULL, &(ts_motion_def){0}, &i);
  REFUSES("def", ts_builder_add_motion, builder, NULL, &i);
  REFUSES("builder", ts_builder_pair_materials, NULL, 0, 1, &law);
  REFUSES("law", ts_builder_pair_materials, builder, 0, 1, NULL);
  REFUSES("builder", ts_builder_pair_bodies, NULL, 0, 1, &law);
  REFUSES("builder", ts_builder_finish, NULL, &model);
  assert_null(model);
  REFUSES("model", ts_builder_finish, builder, NULL);
  REFUSES("signal", ts_signal_check, NULL);
  ts_builder_destroy(builder);
}

static void readers_refuse_what_is_missing(void **state)
{
  (void)state;
  const ts_urdf_options options = ts_urdf_options_default();
  static const char *const none[] = {NULL};
  ts_scene *read;
  REFUSES("path", ts_scene_read, NULL, NULL, 0, &read);
  REFUSES("scene", ts_scene_read, "x", NULL, 0, NULL);
  REFUSES("count == 0", ts_scene_read, "x", NULL, 2, &read);
  REFUSES("count == 0", ts_scene_read, "x", none, -1, &read);
  REFUSES("text", ts_scene_parse, NULL, 5, "x", NULL, 0, &read);
  REFUSES("name", ts_scene_parse, "", 0, NULL, NULL, 0, &read);
  REFUSES("scene", ts_scene_parse, "", 0, "x", NULL, 0, NULL);
  REFUSES("count == 0", ts_scene_parse, "", 0, "x", NULL, 2, &read);
  REFUSES("count == 0", ts_scene_parse, "", 0, "x", none, -1, &read);
  REFUSES("path", ts_urdf_read, NULL, &options, NULL, 0, &read);
  REFUSES("scene", ts_urdf_read, "x", &options, NULL, 0, NULL);
  REFUSES("count == 0", ts_urdf_read, "x", &options, NULL, 2, &read);
  REFUSES("count == 0", ts_urdf_read, "x", &options, none, -1, &read);
  REFUSES("text", ts_urdf_parse, NULL, 5, "x", &options, NULL, 0, &read);
  REFUSES("name", ts_urdf_parse, "", 0, NULL, &options, NULL, 0, &read);
  REFUSES("scene", ts_urdf_parse, "", 0, "x", &options, NULL, 0, NULL);
  REFUSES("count == 0", ts_urdf_parse, "", 0, "x", &options, NULL, 2, &read);
  REFUSES("count == 0", ts_urdf_parse, "", 0, "x", &options, none, -1, &read);
}

static void records_refuse_what_is_missing(void **state)
{
  const char *path = scratch_path(*state, "run.csv");
  ts_recorder *recorder;
  ts_record *record = NULL;
  const ts_record *const from = (const ts_record *)numbers; // not looked at
  REFUSES("path", ts_record_open, NULL, &record);
  REFUSES("record", ts_record_open, path, NULL);
  REFUSES("recorder", ts_recorder_create, path, scene.sim, NULL, NULL);
  REFUSES("path", ts_recorder_create, NULL, scene.sim, NULL, &recorder);
  REFUSES("sim", ts_recorder_create, path, NULL, NULL, &recorder);
  REFUSES("recorder", ts_recorder_resume, path, from, scene.sim, NULL, NULL);
  REFUSES("path", ts_recorder_resume, NULL, from, scene.sim, NULL, &recorder);
  REFUSES("from", ts_recorder_resume, path, NULL, scene.sim, NULL, &recorder);
  REFUSES("sim", ts_recorder_resume, path, from, NULL, NULL, &recorder);
  REFUSES("recorder", ts_recorder_add, NULL, scene.sim, true);
  REFUSES("recorder", ts_recorder_close, NULL, scene.sim);
  assert_int_equal(ts_recorder_create(path, scene.sim, NULL, &recorder, &error), TS_OK);
  REFUSES("sim", ts_recorder_add, recorder, NULL, true);
  ts_recorder_discard(recorder);
}

static void dynamics_refuse_what_is_missing(void **state)
{
  (void)state;
  ts_dynamics *made = dynamics;
  ts_point_motion motion;
  REFUSES("model", ts_dynamics_create, NULL, NULL, &made);
  assert_null(made);
  REFUSES("dynamics", ts_dynamics_create, scene.model, NULL, NULL);
  REFUSES("dynamics", ts_dynamics_set, NULL, 0.0, numbers, numbers);
  REFUSES("dynamics", ts_dynamics_inverse, NULL, NULL, NULL, numbers);
  REFUSES("f", ts_dynamics_inverse, dynamics, NULL, NULL, NULL);
  REFUSES("dynamics", ts_dynamics_forward, NULL, NULL, NULL, numbers);
  REFUSES("a", ts_dynamics_forward, dynamics, NULL, NULL, NULL);
  REFUSES("dynamics", ts_dynamics_point, NULL, 0, (ts_vec3){0}, numbers, &motion);
  REFUSES("dynamics", ts_dynamics_from_sim, NULL, scene.sim);
  REFUSES("sim", ts_dynamics_from_sim, dynamics, NULL);
  REFUSES("dynamics", ts_dynamics_to_sim, NULL, scene.sim);
  REFUSES("sim", ts_dynamics_to_sim, dynamics, NULL);
}

static void shapes_refuse_what_is_missing(void **state)
{
  (void)state;
  const ts_shape ball = shape_sphere(1.0);
  const ts_pose pose = {.orientation = {1.0, 0.0, 0.0, 0.0}};
  ts_separation between;
  REFUSES("shape", ts_shape_check, NULL);
  REFUSES("shape", ts_shape_mass_properties, NULL, &(ts_mass_properties){0});
  REFUSES("properties", ts_shape_mass_properties, &ball, NULL);
  REFUSES("first", ts_shape_distance, NULL, &pose, &ball, &pose, &between);
  REFUSES("first_pose", ts_shape_distance, &ball, NULL, &ball, &pose, &between);
  REFUSES("second", ts_shape_distance, &ball, &pose, NULL, &pose, &between);
  REFUSES("second_pose", ts_shape_distance, &ball, &pose, &ball, NULL, &between);
  REFUSES("separation", ts_shape_distance, &ball, &pose, &ball, &pose, NULL);
}

static void watches_refuse_what_is_missing(void **state)
{
  (void)state;
  ts_watch *watch = (ts_watch *)numbers;
  const ts_result_def result = {.name = "z", .kind = TS_RESULT_MAX, .expression = "ball.z"};
  const ts_stop_def condition = {.when = "ball.z > 1"};
  REFUSES("watch", ts_watch_create, scene.model, NULL);
  REFUSES("model", ts_watch_create, NULL, &watch);
  assert_null(watch);
  assert_int_equal(ts_watch_create(scene.model, &watch, &error), TS_OK);
  REFUSES("watch", ts_watch_add_parameter, NULL, "a", 1.0);
  REFUSES("watch", ts_watch_add_result, NULL, &result);
  REFUSES("def", ts_watch_add_result, watch, NULL);
  REFUSES("watch", ts_watch_add_stop, NULL, &condition);
  REFUSES("def", ts_watch_add_stop, watch, NULL);
  REFUSES("watch", ts_watch_add_stops, NULL, "jam");
  REFUSES("watch", ts_watch_begin, NULL, scene.sim);
  REFUSES("sim", ts_watch_begin, watch, NULL);
  REFUSES("watch", ts_watch_step, NULL, scene.sim);
  REFUSES("watch && watch->begun", ts_watch_step, watch, scene.sim);
  REFUSES("watch", ts_watch_end, NULL, scene.sim);
  REFUSES("watch && watch->begun", ts_watch_end, watch, scene.sim);
  REFUSES("watch && watch->begun", ts_watch_save, watch, numbers, 64);
  REFUSES("watch", ts_watch_load, NULL, scene.sim, numbers, 64);
  REFUSES("sim", ts_watch_load, watch, NULL, numbers, 64);
  REFUSES("state", ts_watch_load, watch, scene.sim, NULL, 64);
  assert_int_equal(ts_watch_begin(watch, scene.sim, &error), TS_OK);
  REFUSES("sim", ts_watch_step, watch, NULL);
  REFUSES("sim", ts_watch_end, watch, NULL);
  REFUSES("state", ts_watch_save, watch, NULL, 64);
  REFUSES("watch", ts_watch_save, NULL, numbers, 64);
  ts_watch_destroy(watch);
}

static void studies_refuse_what_is_missing(void **state)
{
  (void)state;
  const ts_study *const study = (const ts_study *)numbers; // not looked at
  const ts_sweep_options options = ts_sweep_options_default();
  ts_study *made = (ts_study *)numbers;
  ts_scene *read;
  ts_sweep_progress progress;
  REFUSES("study", ts_study_create, &(ts_study_def){0}, NULL);
  REFUSES("def", ts_study_create, NULL, &made);
  assert_null(made);
  REFUSES("study", ts_study_read, "x", NULL, NULL);
  REFUSES("path", ts_study_read, NULL, NULL, &made);
  REFUSES("study", ts_study_parameters, NULL, 0, numbers);
  REFUSES("study", ts_study_run_trial, NULL, 0, 0, &(ts_trial_outcome){.results = numbers});
  REFUSES("study", ts_study_check_steps, NULL);
  REFUSES("study", ts_study_read_scene, NULL, 0, 0, &read);
  REFUSES("scene", ts_study_read_scene, study, 0, 0, NULL);
  REFUSES("study", ts_study_pack, NULL, "x.csv");
  REFUSES("output", ts_study_pack, study, NULL);
  REFUSES("study", ts_study_prepare, NULL, "x.csv", &options);
  REFUSES("output", ts_study_prepare, study, NULL, &options);
  REFUSES("options", ts_study_prepare, study, "x.csv", NULL);
  REFUSES("study", ts_study_stand, NULL, "x.csv", &progress);
  REFUSES("output", ts_study_stand, study, NULL, &progress);
  REFUSES("progress", ts_study_stand, study, "x.csv", NULL);
  REFUSES("study", ts_study_record_trial, NULL, 0, 0, "x.csv");
  REFUSES("path", ts_study_record_trial, study, 0, 0, NULL);
}

static void tables_refuse_what_is_missing(void **state)
{
  (void)state;
  const ts_table *const table = (const ts_table *)numbers; // not looked at
  ts_summary *const summary = (ts_summary *)numbers;       // likewise
  ts_table *read = (ts_table *)numbers;
  ts_summary *made = (ts_summary *)numbers;
  ts_convergence *measured;
  const ts_summary_options options = ts_summary_options_default();
  const ts_convergence_def convergence = {0};
  REFUSES("table", ts_table_open, "x.csv", NULL);
  REFUSES("path", ts_table_open, NULL, &read);
  assert_null(read);
  REFUSES("study", ts_study_open_table, NULL, "x.csv", &read);
  REFUSES("table", ts_table_write_csv, NULL, "x.csv");
  REFUSES("path", ts_table_write_csv, table, NULL);
  REFUSES("summary", ts_summary_create, table, &options, NULL);
  REFUSES("table", ts_summary_create, NULL, &options, &made);
  REFUSES("summary", ts_summary_outcomes_of, NULL, &(ts_summary_outcomes){0});
  REFUSES("outcomes", ts_summary_outcomes_of, summary, NULL);
  REFUSES("summary", ts_summary_column_of, NULL, 0, &(ts_summary_column){0});
  REFUSES("told", ts_summary_column_of, summary, 0, NULL);
  REFUSES("summary", ts_summary_histogram_of, NULL, 0, 1, &(ts_summary_histogram){0});
  REFUSES("histogram", ts_summary_histogram_of, summary, 0, 1, NULL);
  REFUSES("summary", ts_summary_sensitivities_of, NULL, 0, &(ts_summary_sensitivities){0});
  REFUSES("sensitivities", ts_summary_sensitivities_of, summary, 0, NULL);
  REFUSES("convergence", ts_convergence_measure, table, &convergence, NULL);
  REFUSES("table", ts_convergence_measure, NULL, &convergence, &measured);
  REFUSES("study", ts_convergence_check, NULL, &convergence);
}

static void verifications_refuse_what_is_missing(void **state)
{
  (void)state;
  ts_verification *read = (ts_verification *)numbers;
  REFUSES("verification", ts_verification_read, "x.yaml", NULL, NULL);
  REFUSES("path", ts_verification_read, NULL, NULL, &read);
  assert_null(read);
  REFUSES("verification", ts_verification_check_steps, NULL);
  REFUSES("verification", ts_verification_parameters, NULL, 0, numbers);
}

static void solving_refuses_what_is_missing(void **state)
{
  (void)state;
  const ts_solve_options options = ts_solve_options_default();
  ts_workspace *workspace = ts_workspace_create(NULL);
  ts_report report = {0};
  const ts_solver *solver = ts_solver_find("auto");
  REFUSES("solver", ts_solve, NULL, &contact, &options, workspace, numbers, &report);
  REFUSES("problem", ts_solve, solver, NULL, &options, workspace, numbers, &report);
  REFUSES("options", ts_solve, solver, &contact, NULL, workspace, numbers, &report);
  REFUSES("workspace", ts_solve, solver, &contact, &options, NULL, numbers, &report);
  REFUSES("z", ts_solve, solver, &contact, &options, workspace, NULL, &report);
  REFUSES("report", ts_solve, solver, &contact, &options, workspace, numbers, NULL);
  REFUSES("options", ts_solve_options_check, NULL);
  REFUSES("problem", ts_problem_check, NULL);
  ts_workspace_destroy(workspace);
  assert_int_equal(ts_friction_measure(NULL, numbers, &report.measures), TS_INVALID);
  assert_int_equal(ts_friction_measure(&contact, NULL, &report.measures), TS_INVALID);
  assert_int_equal(ts_friction_measure(&contact, numbers, NULL), TS_INVALID);
}

static void problems_refuse_what_is_missing(void **state)
{
  (void)state;
  ts_problem_file *file = (ts_problem_file *)numbers;
  ts_lowering *lowering;
  ts_condensed *condensed;
  ts_builtin *builtin;
  REFUSES("text", ts_problem_file_parse, NULL, 5, &file);
  assert_null(file);
  REFUSES("file", ts_problem_file_parse, "", 0, NULL);
  REFUSES("path", ts_problem_file_read, NULL, &file);
  REFUSES("file", ts_problem_file_read, "x", NULL);
  REFUSES("path", ts_problem_file_write, NULL, &contact);
  REFUSES("problem", ts_problem_file_write, "x", NULL);
  REFUSES("name", ts_builtin_create, NULL, 0, &builtin);
  REFUSES("builtin", ts_builtin_create, "kojshin", 0, NULL);
  REFUSES("problem", ts_lower_to_mcp, NULL, &lowering);
  REFUSES("lowering", ts_lower_to_mcp, &contact.friction, NULL);
  REFUSES("problem", ts_lower_to_mlcp, NULL, 4, NULL, &lowering);
  REFUSES("lowering", ts_lower_to_mlcp, &contact.friction, 4, NULL, NULL);
  REFUSES("problem", ts_lower_to_lcp, NULL, 4, NULL, &lowering);
  REFUSES("lowering", ts_lower_to_lcp, &contact.friction, 4, NULL, NULL);
  REFUSES("problem", ts_condense, NULL, &condensed);
  REFUSES("condensed", ts_condense, &(ts_global_friction){0}, NULL);
}

static void states_are_neither_taken_from_nowhere_nor_put_there(void **state)
{
  (void)state;
  double *copy = numbers;
  size_t size = 1;
  expect_refusal(ts_sim_save(NULL, numbers, 64, &error), "ts_sim_save() requires sim");
  expect_refusal(ts_sim_save(scene.sim, NULL, 1000000, &error), "requires state");
  expect_refusal(ts_sim_snapshot(scene.sim, NULL, &size, &error), "ts_sim_snapshot() requires state");
  expect_refusal(ts_sim_snapshot(scene.sim, &copy, NULL, &error), "requires size");
  expect_refusal(ts_sim_snapshot(NULL, &copy, &size, &error), "requires sim");
  assert_null(copy);
  assert_int_equal(size, 0);
  expect_refusal(ts_sim_load(scene.sim, NULL, ts_sim_state_size(scene.sim), &error), "requires state");
}

// A recorder knows the model it was made for: another one has other columns.
static void recorders_take_simulations_of_their_model_only(void **state)
{
  scratch_folder *folder = *state;
  world other;
  world_init(&other, TS_SPACE_3D);
  for (int i = 0; i < 20; ++i) {
    char name[16];
    snprintf(name, sizeof name, "b%d", i);
    world_add(&other, name, TS_DYNAMIC, 1.0, shape_sphere(0.1), (ts_vec3){i, 0.0, 0.0});
  }
  world_start(&other);
  ts_recorder *recorder;
  assert_int_equal(ts_recorder_create(scratch_path(folder, "run.csv"), scene.sim, NULL, &recorder, &error), TS_OK);
  assert_int_equal(ts_recorder_add(recorder, scene.sim, true, &error), TS_OK);
  expect_refusal(ts_recorder_add(recorder, other.sim, true, &error), "model");
  expect_refusal(ts_recorder_close(recorder, other.sim, &error), "model");
  const char *path = scratch_path(folder, "run.h5");
  assert_int_equal(ts_recorder_create(path, scene.sim, NULL, &recorder, &error), TS_OK);
  expect_refusal(ts_recorder_checkpoint(&recorder, path, other.sim, &error), "model");
  assert_int_equal(ts_recorder_close(recorder, scene.sim, &error), TS_OK); // it lives on
  world_release(&other);
}

static void checkpoints_need_a_recorder_a_name_and_a_simulation(void **state)
{
  const char *path = scratch_path(*state, "run.h5");
  ts_recorder *none = NULL, *recorder;
  expect_refusal(ts_recorder_checkpoint(NULL, path, scene.sim, &error), "ts_recorder_checkpoint() requires recorder");
  expect_refusal(ts_recorder_checkpoint(&none, path, scene.sim, &error), "requires recorder && *recorder");
  assert_int_equal(ts_recorder_create(path, scene.sim, NULL, &recorder, &error), TS_OK);
  expect_refusal(ts_recorder_checkpoint(&recorder, NULL, scene.sim, &error), "requires path");
  expect_refusal(ts_recorder_checkpoint(&recorder, path, NULL, &error), "requires sim");
  ts_recorder_discard(recorder);
}

// ---- callbacks -----------------------------------------------------------------------------------------------------

static void meddle(void *user, ts_sim *sim, double t)
{
  (void)t;
  int *refused = user;
  const ts_pose pose = ts_sim_pose(sim, 1);
  const ts_twist velocity = ts_sim_velocity(sim, 1);
  *refused += ts_sim_step(sim, NULL) == TS_INVALID;
  *refused += ts_sim_set_pose(sim, 1, &pose, NULL) == TS_INVALID;
  *refused += ts_sim_set_velocity(sim, 1, &velocity, NULL) == TS_INVALID;
  *refused += ts_sim_find_contacts(sim, NULL) == TS_INVALID;
  *refused += ts_sim_load(sim, NULL, 0, NULL) == TS_INVALID;
  *refused += ts_dynamics_to_sim(dynamics, sim, NULL) == TS_INVALID;
  assert_int_equal(ts_sim_push(sim, 1, &(ts_wrench){{1.0, 0.0, 0.0}, {0.0, 0.0, 0.0}}, NULL), TS_OK);
}

static void callbacks_may_not_change_the_state(void **state)
{
  (void)state;
  int refused = 0;
  const double before = ts_sim_time(scene.sim);
  ts_sim_set_callback(scene.sim, meddle, &refused);
  world_steps(&scene, 1);
  assert_int_equal(refused, 6);
  assert_true(ts_sim_time(scene.sim) > before);
  ts_sim_set_callback(scene.sim, NULL, NULL);
  world_steps(&scene, 1); // and it goes on as if nothing had been
}

int main(void)
{
  const struct CMUnitTest tests[] = {
      cmocka_unit_test(simulations_refuse_what_is_missing),
      cmocka_unit_test(builders_refuse_what_is_missing),
      cmocka_unit_test(readers_refuse_what_is_missing),
      cmocka_unit_test_setup_teardown(records_refuse_what_is_missing, scratch_folder_set_up, scratch_folder_tear_down),
      cmocka_unit_test(dynamics_refuse_what_is_missing),
      cmocka_unit_test(shapes_refuse_what_is_missing),
      cmocka_unit_test(watches_refuse_what_is_missing),
      cmocka_unit_test(studies_refuse_what_is_missing),
      cmocka_unit_test(tables_refuse_what_is_missing),
      cmocka_unit_test(verifications_refuse_what_is_missing),
      cmocka_unit_test(solving_refuses_what_is_missing),
      cmocka_unit_test(problems_refuse_what_is_missing),
      cmocka_unit_test(states_are_neither_taken_from_nowhere_nor_put_there),
      cmocka_unit_test_setup_teardown(recorders_take_simulations_of_their_model_only, scratch_folder_set_up,
                                      scratch_folder_tear_down),
      cmocka_unit_test_setup_teardown(checkpoints_need_a_recorder_a_name_and_a_simulation, scratch_folder_set_up,
                                      scratch_folder_tear_down),
      cmocka_unit_test(callbacks_may_not_change_the_state),
  };
  return cmocka_run_group_tests(tests, start, stop);
}
