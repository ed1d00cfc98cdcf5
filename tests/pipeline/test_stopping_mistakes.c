// What the head of touchstone/api.h says of mistakes in calls that return no status: a sentence on standard error that
// names the function, and abort(), whatever the build. Every public function of this sort, every pointer and every
// index of it, each in a process of its own.
#define _POSIX_C_SOURCE 200809L
#include "scratch_folder.h"

#include "touchstone/touchstone.h"

#include <setjmp.h>
#include <signal.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/resource.h>
#include <sys/wait.h>
#include <unistd.h>
#include <cmocka.h>

// One of each: a joint and another that closes a loop, a spring, a contact, a warning; a step of it on disk.
static const char text[] = "touchstone: 1\n"
                           "bodies:\n"
                           "  - {name: floor, kind: fixed, shape: {plane: {normal: [0, 0, 1]}}}\n"
                           "  - {name: ball, shape: {sphere: {radius: 0.5}}, position: [0, 0, 0.5]}\n"
                           "  - {name: arm, mass: 1, inertia: [1, 1, 1], position: [9, 0, 0]}\n"
                           "joints:\n"
                           "  - {name: hinge, type: revolute, child: arm, at: [9, 0, 0], limits: [0, 90]}\n"
                           "  - {name: again, type: revolute, child: arm, at: [9, 0, 0], closes_loop: true}\n"
                           "springs:\n"
                           "  - {name: coil, bodies: [world, arm], at: [[9, 0, 2], [0, 0, 1]], stiffness: 1}\n"
                           "duration: 1\n";
static const char robot_text[] = "<robot name='r'><link name='a'/></robot>";

static ts_scene *scene, *robot;
static const ts_model *model;
static ts_sim *sim;
static ts_dynamics *dynamics;
static ts_record *record;
static ts_builtin *builtin;
static ts_lowering *lowering;   // of one contact
static ts_condensed *condensed; // likewise
static ts_problem contact;
static double numbers[64]; // room for any vector of theirs
static ts_error error;

// One contact on a mass of 1, as it is and without bodies.
static void start_problems(void)
{
  static const int first[] = {0, 1}, diagonal[] = {0};
  static const double unit[] = {1.0, 0.0, 0.0, 0.0, 1.0, 0.0, 0.0, 0.0, 1.0}, mu[] = {0.5};
  static const double down[] = {-1.0, 0.0, 0.0}, none[] = {0.0, 0.0, 0.0};
  const ts_block_matrix W = {.rows = 1, .block = 3, .start = first, .index = diagonal, .value = unit};
  const ts_matrix I = {.rows = 3, .columns = 3, .value = unit};
  const ts_friction local = {.dimension = 3, .contacts = 1, .W = W, .q = down, .mu = mu};
  const ts_global_friction global = {.dimension = 3, .contacts = 1, .M = I, .H = I, .f = down, .w = none, .mu = mu};
  contact = ts_problem_friction(local);
  assert_int_equal(ts_lower_to_mcp(&local, &lowering, &error), TS_OK);
  assert_int_equal(ts_condense(&global, &condensed, &error), TS_OK);
  assert_int_equal(ts_builtin_create("kojshin", 0, &builtin, &error), TS_OK);
}

static void start_record(scratch_folder *folder)
{
  const char *path = scratch_path(folder, "run.csv");
  ts_recorder *recorder;
  assert_int_equal(ts_recorder_create(path, sim, text, &recorder, &error), TS_OK);
  assert_int_equal(ts_sim_step(sim, &error), TS_OK);
  assert_int_equal(ts_recorder_add(recorder, sim, true, &error), TS_OK);
  assert_int_equal(ts_recorder_close(recorder, sim, &error), TS_OK);
  assert_int_equal(ts_record_open(path, &record, &error), TS_OK);
}

static int start(void **state)
{
  if (scratch_folder_set_up(state) != 0) return -1;
  if (ts_scene_parse(text, sizeof text - 1, "scene", NULL, 0, &scene, &error) != TS_OK) fail_msg("%s", error.text);
  const ts_urdf_options options = ts_urdf_options_default();
  assert_int_equal(ts_urdf_parse(robot_text, sizeof robot_text - 1, "robot", &options, NULL, 0, &robot, &error), TS_OK);
  model = ts_scene_model(scene);
  assert_int_equal(ts_sim_create(model, ts_scene_options(scene), NULL, &sim, &error), TS_OK);
  assert_int_equal(ts_dynamics_create(model, NULL, &dynamics, &error), TS_OK);
  start_problems();
  start_record(*state);
  return 0;
}

static int stop(void **state)
{
  ts_record_close(record);
  ts_dynamics_destroy(dynamics);
  ts_sim_destroy(sim);
  ts_scene_destroy(scene);
  ts_scene_destroy(robot);
  ts_builtin_destroy(builtin);
  ts_lowering_destroy(lowering);
  ts_condensed_destroy(condensed);
  return scratch_folder_tear_down(state);
}

// ---- one call ------------------------------------------------------------------------------------------------------

typedef struct ending {
  int status;
  char said[512];
} ending;

// True in a new process, whose standard error is heard here. Here false, when that process has ended.
static bool in_another_process(ending *end)
{
  int ends[2];
  assert_int_equal(pipe(ends), 0);
  const pid_t child = fork();
  assert_true(child >= 0);
  if (child == 0) {
    const struct rlimit none = {0, 0};
    setrlimit(RLIMIT_CORE, &none);
    signal(SIGABRT, SIG_DFL);
    signal(SIGSEGV, SIG_DFL);
    dup2(ends[1], STDERR_FILENO);
    return true;
  }
  close(ends[1]);
  size_t length = 0;
  for (ssize_t got; (got = read(ends[0], end->said + length, sizeof end->said - 1 - length)) > 0;)
    length += (size_t)got;
  end->said[length] = '\0';
  close(ends[0]);
  assert_int_equal(waitpid(child, &end->status, 0), child);
  return false;
}

static void assert_stopped(const ending *end, const char *function, const char *call)
{
  char words[128];
  snprintf(words, sizeof words, "touchstone: %s() requires ", function);
  if (!WIFSIGNALED(end->status) || WTERMSIG(end->status) != SIGABRT || strncmp(end->said, words, strlen(words)) != 0)
    fail_msg("%s%s: status %d, '%s'", function, call, end->status, end->said);
}

#define STOPS(function, ...)                                                                                           \
  do {                                                                                                                 \
    ending end;                                                                                                        \
    if (in_another_process(&end)) {                                                                                    \
      (void)function(__VA_ARGS__);                                                                                     \
      _exit(0);                                                                                                        \
    }                                                                                                                  \
    assert_stopped(&end, #function, "(" #__VA_ARGS__ ")");                                                             \
  } while (0)

// An index that counts `count` things of an object.
#define STOPS_OUTSIDE(function, object, count)                                                                         \
  do {                                                                                                                 \
    STOPS(function, NULL, 0);                                                                                          \
    STOPS(function, object, -1);                                                                                       \
    STOPS(function, object, count);                                                                                    \
  } while (0)

// ---- all calls -----------------------------------------------------------------------------------------------------

static void problems(void **state)
{
  (void)state;
  STOPS(ts_problem_size, NULL);
  STOPS(ts_problem_residual, NULL, numbers);
  STOPS(ts_problem_residual, &contact, NULL);
  STOPS(ts_problem_file_problem, NULL);
  STOPS(ts_problem_file_format, NULL);
  STOPS(ts_builtin_name, -1);
  STOPS(ts_builtin_name, ts_builtin_count());
  STOPS(ts_builtin_summary, -1);
  STOPS(ts_builtin_summary, ts_builtin_count());
  STOPS(ts_builtin_problem, NULL);
  STOPS(ts_builtin_start_count, NULL);
  STOPS(ts_builtin_start, NULL, 0, numbers);
  STOPS(ts_builtin_start, builtin, -1, numbers);
  STOPS(ts_builtin_start, builtin, ts_builtin_start_count(builtin), numbers);
  STOPS(ts_builtin_start, builtin, 0, NULL);
}

static void lowerings(void **state)
{
  (void)state;
  STOPS(ts_lowering_problem, NULL);
  STOPS(ts_lowering_recover, NULL, numbers, numbers);
  STOPS(ts_lowering_recover, lowering, NULL, numbers);
  STOPS(ts_lowering_recover, lowering, numbers, NULL);
  STOPS(ts_lowering_start, NULL, numbers, numbers);
  STOPS(ts_lowering_start, lowering, NULL, numbers);
  STOPS(ts_lowering_start, lowering, numbers, NULL);
  STOPS(ts_condensed_problem, NULL);
  STOPS(ts_condensed_recover, NULL, numbers, numbers);
  STOPS(ts_condensed_recover, condensed, NULL, numbers);
  STOPS(ts_condensed_recover, condensed, numbers, NULL);
}

static void solvers(void **state)
{
  (void)state;
  STOPS(ts_solver_at, -1);
  STOPS(ts_solver_at, ts_solver_count());
  STOPS(ts_solver_find, NULL);
  STOPS(ts_solver_name, NULL);
  STOPS(ts_solver_summary, NULL);
  STOPS(ts_solver_takes, NULL);
  STOPS(ts_solver_default_limit, NULL);
  STOPS(ts_workspace_peak, NULL);
}

static void models(void **state)
{
  (void)state;
  const int bodies = ts_model_body_count(model), parts = ts_model_part_count(model);
  ts_contact_law law;
  STOPS(ts_builder_set_gravity, NULL, (ts_vec3){0});
  STOPS(ts_builder_set_combination, NULL, TS_MAXIMUM, TS_MAXIMUM);
  STOPS(ts_model_space, NULL);
  STOPS(ts_model_gravity, NULL);
  STOPS(ts_model_body_count, NULL);
  STOPS(ts_model_part_count, NULL);
  STOPS(ts_model_joint_count, NULL);
  STOPS(ts_model_spring_count, NULL);
  STOPS(ts_model_bushing_count, NULL);
  STOPS(ts_model_bushing, NULL, 0);
  STOPS(ts_model_bushing, model, 0);
  STOPS(ts_model_bushing_frame, NULL, 0, 0);
  STOPS(ts_model_bushing_frame, model, 0, 0);
  STOPS(ts_sim_bushing, NULL, 0);
  STOPS(ts_model_group_count, NULL);
  STOPS(ts_model_group, NULL, 0);
  STOPS(ts_model_group, model, 0);
  STOPS(ts_wildcard_matches, NULL, "a");
  STOPS(ts_wildcard_matches, "a", NULL);
  STOPS(ts_model_dof_count, NULL);
  STOPS(ts_model_bilateral_count, NULL);
  STOPS(ts_model_find_body, NULL, "ball");
  STOPS(ts_model_find_body, model, NULL);
  STOPS(ts_model_find_joint, NULL, "hinge");
  STOPS(ts_model_find_joint, model, NULL);
  STOPS_OUTSIDE(ts_model_body_name, model, bodies);
  STOPS_OUTSIDE(ts_model_body_kind, model, bodies);
  STOPS_OUTSIDE(ts_model_body_mass, model, bodies);
  STOPS_OUTSIDE(ts_model_body_centre, model, bodies);
  STOPS(ts_model_body_inertia, NULL, 0, numbers);
  STOPS(ts_model_body_inertia, model, -1, numbers);
  STOPS(ts_model_body_inertia, model, bodies, numbers);
  STOPS(ts_model_body_inertia, model, 0, NULL);
  STOPS_OUTSIDE(ts_model_part_body, model, parts);
  STOPS_OUTSIDE(ts_model_part_shape, model, parts);
  STOPS_OUTSIDE(ts_model_part_pose, model, parts);
  STOPS_OUTSIDE(ts_model_joint, model, 2);
  STOPS_OUTSIDE(ts_model_spring, model, 1);
  STOPS(ts_model_joint_frame, NULL, 0, 0);
  STOPS(ts_model_joint_frame, model, -1, 0);
  STOPS(ts_model_joint_frame, model, 2, 0);
  STOPS(ts_model_joint_frame, model, 0, -1);
  STOPS(ts_model_joint_frame, model, 0, 2);
  STOPS(ts_model_contact_law, NULL, 0, 1, &law);
  STOPS(ts_model_contact_law, model, -1, 1, &law);
  STOPS(ts_model_contact_law, model, parts, 1, &law);
  STOPS(ts_model_contact_law, model, 0, -1, &law);
  STOPS(ts_model_contact_law, model, 0, parts, &law);
  STOPS(ts_model_contact_law, model, 0, 1, NULL);
  STOPS(ts_signal_value, NULL, 0.0, NULL);
  STOPS(ts_signal_impulse, NULL, 0.0, 1.0);
}

static void dynamics_of_models(void **state)
{
  (void)state;
  const int bodies = ts_model_body_count(model);
  STOPS(ts_dynamics_model, NULL);
  STOPS(ts_dynamics_node_count, NULL);
  STOPS_OUTSIDE(ts_dynamics_node_at, dynamics, ts_dynamics_node_count(dynamics));
  STOPS(ts_dynamics_closure_count, NULL);
  STOPS_OUTSIDE(ts_dynamics_closure_at, dynamics, 1);
  STOPS(ts_dynamics_coordinate_count, NULL);
  STOPS(ts_dynamics_rate_count, NULL);
  STOPS_OUTSIDE(ts_dynamics_coordinate_name, dynamics, ts_dynamics_coordinate_count(dynamics));
  STOPS_OUTSIDE(ts_dynamics_rate_name, dynamics, ts_dynamics_rate_count(dynamics));
  STOPS(ts_dynamics_coordinates, NULL);
  STOPS(ts_dynamics_rates, NULL);
  STOPS(ts_dynamics_time, NULL);
  STOPS(ts_dynamics_advance, NULL, 0.1, numbers, numbers);
  STOPS(ts_dynamics_advance, dynamics, 0.1, NULL, numbers);
  STOPS(ts_dynamics_advance, dynamics, 0.1, numbers, NULL);
  STOPS_OUTSIDE(ts_dynamics_pose, dynamics, bodies);
  STOPS_OUTSIDE(ts_dynamics_velocity, dynamics, bodies);
  STOPS(ts_dynamics_mass_matrix, NULL, numbers);
  STOPS(ts_dynamics_mass_matrix, dynamics, NULL);
  STOPS(ts_dynamics_bias, NULL, numbers);
  STOPS(ts_dynamics_bias, dynamics, NULL);
  STOPS(ts_dynamics_loop_error, NULL);
}

static void destroy_in_callback(void *user, ts_sim *of, double t)
{
  (void)user;
  (void)t;
  ts_sim_destroy(of);
}

static void step_destroying(void)
{
  ts_sim_set_callback(sim, destroy_in_callback, NULL);
  (void)ts_sim_step(sim, NULL);
}

static void simulations(void **state)
{
  (void)state;
  const int bodies = ts_model_body_count(model);
  int count;
  ts_sim_contacts(sim, &count);
  assert_int_equal(count, 1);
  double jacobian[4][12];
  STOPS(ts_stepper_at, -1);
  STOPS(ts_stepper_at, ts_stepper_count());
  STOPS(ts_stepper_find, NULL);
  STOPS(ts_stepper_name, NULL);
  STOPS(ts_stepper_summary, NULL);
  STOPS(ts_sim_corrections, NULL, &count);
  STOPS(ts_sim_corrections, sim, NULL);
  STOPS(ts_sim_start_velocities, NULL);
  STOPS(ts_sim_model, NULL);
  STOPS(ts_sim_options, NULL);
  STOPS(ts_sim_time, NULL);
  STOPS(ts_sim_report, NULL);
  STOPS_OUTSIDE(ts_sim_pose, sim, bodies);
  STOPS_OUTSIDE(ts_sim_angle, sim, bodies);
  STOPS_OUTSIDE(ts_sim_velocity, sim, bodies);
  STOPS(ts_sim_set_callback, NULL, NULL, NULL);
  STOPS(ts_sim_set_interrupt, NULL, NULL, NULL);
  STOPS(ts_sim_set_timing, NULL, true);
  STOPS(ts_sim_contacts, NULL, &count);
  STOPS(ts_sim_contacts, sim, NULL);
  STOPS(ts_sim_contact_jacobian, NULL, 0, jacobian);
  STOPS(ts_sim_contact_jacobian, sim, -1, jacobian);
  STOPS(ts_sim_contact_jacobian, sim, 1, jacobian);
  STOPS(ts_sim_contact_jacobian, sim, 0, NULL);
  STOPS_OUTSIDE(ts_sim_contact_wrench, sim, 1);
  STOPS(ts_sim_joint_position, NULL, 0, NULL);
  STOPS(ts_sim_joint_position, sim, -1, NULL);
  STOPS(ts_sim_joint_position, sim, 2, NULL);
  STOPS_OUTSIDE(ts_sim_joint, sim, 2);
  STOPS_OUTSIDE(ts_sim_joint_forces, sim, 2);
  STOPS(ts_sim_measures_joints, NULL);
  STOPS(ts_sim_impacts, NULL, &count);
  STOPS(ts_sim_impacts, sim, NULL);
  STOPS_OUTSIDE(ts_sim_spring, sim, 1);
  STOPS(ts_sim_memory, NULL, NULL);
  STOPS(ts_sim_state_size, NULL);
  ending end;
  if (in_another_process(&end)) {
    step_destroying();
    _exit(0);
  }
  assert_stopped(&end, "ts_sim_destroy", " in a callback");
}

static void watches(void **state)
{
  (void)state;
  ts_watch *watch;
  const char *help;
  const ts_result_def height = {.name = "height", .kind = TS_RESULT_MAX, .expression = "ball.z"};
  assert_int_equal(ts_watch_create(model, &watch, &error), TS_OK);
  assert_int_equal(ts_watch_add_stops(watch, "jam", &error), TS_OK);
  assert_int_equal(ts_watch_add_result(watch, &height, &error), TS_OK);
  STOPS(ts_watch_state_size, NULL);
  STOPS(ts_watch_stopped, NULL);
  STOPS(ts_watch_stop_count, NULL);
  STOPS(ts_watch_go_on, NULL);
  STOPS_OUTSIDE(ts_watch_stop_name, watch, 1);
  STOPS_OUTSIDE(ts_watch_stop_at, watch, 1);
  STOPS(ts_watch_result_count, NULL);
  STOPS_OUTSIDE(ts_watch_result_name, watch, 1);
  STOPS_OUTSIDE(ts_watch_result_unit, watch, 1);
  STOPS_OUTSIDE(ts_watch_result_at, watch, 1);
  STOPS_OUTSIDE(ts_watch_result, watch, 1);
  STOPS(ts_watch_find_result, NULL, "height");
  STOPS(ts_watch_find_result, watch, NULL);
  STOPS(ts_watch_needs_joint_forces, NULL);
  STOPS(ts_watch_set_parameter, NULL, 0, 1.0);
  STOPS(ts_watch_set_parameter, watch, -1, 1.0);
  STOPS(ts_watch_set_parameter, watch, 0, 1.0);
  ts_watch_destroy(watch);
  STOPS(ts_quantity_at, -1);
  STOPS(ts_quantity_at, ts_quantity_count());
  STOPS(ts_watch_function_at, -1, &help);
  STOPS(ts_watch_function_at, 0, NULL);
}

static void words_to_suggest(void **state)
{
  (void)state;
  STOPS(ts_suggest, NULL, 0, NULL, NULL);
  STOPS(ts_suggest, "word", 1, NULL, NULL);
}

static void studies(void **state)
{
  static const char varied[] = "study: 1\nscene: scene.yaml\nvary: {mu: [0.1, 0.2]}\n";
  static const char scene_of[] = "{touchstone: 1, parameters: {mu: 0.1}, contact: {friction: =mu}, duration: 1,"
                                 " bodies: [{name: ball, mass: 1, inertia: [1, 1, 1]}], results: {z: ball.z}}\n";
  const char *path = scratch_path(*state, "study.yaml");
  scratch_write(path, varied, strlen(varied));
  scratch_write(scratch_path(*state, "scene.yaml"), scene_of, strlen(scene_of));
  ts_study *study;
  if (ts_study_read(scratch_path(*state, "study.yaml"), NULL, &study, &error) != TS_OK) fail_msg("%s", error.text);
  STOPS(ts_study_name, NULL);
  STOPS(ts_study_trial_count, NULL);
  STOPS(ts_study_cell_count, NULL);
  STOPS(ts_study_parameter_count, NULL);
  STOPS_OUTSIDE(ts_study_parameter_name, study, 1);
  STOPS_OUTSIDE(ts_study_parameter_unit, study, 1);
  STOPS(ts_study_result_count, NULL);
  STOPS_OUTSIDE(ts_study_result_name, study, 1);
  STOPS_OUTSIDE(ts_study_result_unit, study, 1);
  STOPS(ts_study_scene_path, NULL);
  STOPS(ts_study_step_limit, NULL);
  STOPS(ts_study_allow_steps, NULL);
  ts_study_destroy(study);
  STOPS(ts_study_key_at, -1);
  STOPS(ts_study_key_at, ts_study_key_count());
}

static void tables(void **state)
{
  (void)state;
  ts_table *table;
  if (ts_table_open(TEST_DATA "/tables/table.csv", &table, &error) != TS_OK) fail_msg("%s", error.text);
  const int rows = ts_table_row_count(table), columns = ts_table_column_count(table);
  STOPS(ts_table_recognizes, NULL);
  STOPS(ts_table_name, NULL);
  STOPS(ts_table_row_count, NULL);
  STOPS(ts_table_design_of, NULL);
  STOPS(ts_table_column_count, NULL);
  STOPS(ts_table_find_column, NULL, "a");
  STOPS(ts_table_find_column, table, NULL);
  STOPS_OUTSIDE(ts_table_row_end, table, rows);
  STOPS_OUTSIDE(ts_table_row_text, table, rows);
  STOPS_OUTSIDE(ts_table_column_name, table, columns);
  STOPS_OUTSIDE(ts_table_column_unit, table, columns);
  STOPS_OUTSIDE(ts_table_column_role, table, columns);
  STOPS_OUTSIDE(ts_table_column_axis, table, columns);
  STOPS_OUTSIDE(ts_table_column_values, table, columns);
  STOPS(ts_convergence_parameter_count, NULL);
  STOPS(ts_convergence_parameter_name, NULL, 0);
  STOPS(ts_convergence_series_count, NULL);
  STOPS(ts_convergence_series_at, NULL, 0);
  STOPS(ts_reference_name, TS_REFERENCE_COUNT);
  ts_table_close(table);
}

static void verifications(void **state)
{
  (void)state;
  STOPS(ts_verification_name, NULL);
  STOPS(ts_verification_design_count, NULL);
  STOPS(ts_verification_run_count, NULL);
  STOPS(ts_verification_level_count, NULL);
  STOPS(ts_verification_level_name, NULL, 0);
  STOPS(ts_verification_parameter_count, NULL);
  STOPS(ts_verification_parameter_name, NULL, 0);
  STOPS(ts_verification_allow_steps, NULL);
  STOPS(ts_verify_key_at, -1);
  STOPS(ts_verify_key_at, ts_verify_key_count());
}

static void records(void **state)
{
  (void)state;
  const int bodies = ts_record_body_count(record), states = ts_record_state_count(record);
  const int contacts = ts_record_contact_count(record), series = ts_record_series_count(record);
  assert_true(bodies == ts_model_body_count(model) && states > 0 && contacts > 0);
  int count;
  ts_pose poses[8];
  STOPS(ts_recorder_size, NULL);
  STOPS(ts_record_scene, NULL);
  STOPS(ts_record_body_count, NULL);
  STOPS_OUTSIDE(ts_record_body_name, record, bodies);
  STOPS(ts_record_joint_count, NULL);
  STOPS_OUTSIDE(ts_record_joint_name, record, 0); // none is measured
  STOPS(ts_record_impact_count, NULL);
  STOPS_OUTSIDE(ts_record_impact, record, 0);
  STOPS(ts_record_is_planar, NULL);
  STOPS(ts_record_checkpoint, NULL, &(size_t){0});
  STOPS(ts_record_checkpoint, record, NULL);
  STOPS(ts_record_series_count, NULL);
  STOPS_OUTSIDE(ts_record_series_name, record, series);
  STOPS(ts_record_series, NULL, "steps.t", &count);
  STOPS(ts_record_series, record, NULL, &count);
  STOPS(ts_record_series, record, "steps.t", NULL);
  STOPS(ts_record_series_unit, NULL, "steps.t");
  STOPS(ts_record_series_unit, record, NULL);
  STOPS(ts_record_solver_name, NULL, 0);
  STOPS(ts_record_state_count, NULL);
  STOPS_OUTSIDE(ts_record_state_time, record, states);
  STOPS(ts_record_poses, NULL, 0, poses);
  STOPS(ts_record_poses, record, -1, poses);
  STOPS(ts_record_poses, record, states, poses);
  STOPS(ts_record_poses, record, 0, NULL);
  STOPS(ts_record_contact_count, NULL);
  STOPS_OUTSIDE(ts_record_contact, record, contacts);
}

static void scenes(void **state)
{
  (void)state;
  STOPS(ts_scene_name, NULL);
  STOPS(ts_scene_model, NULL);
  STOPS(ts_scene_options, NULL);
  STOPS(ts_scene_duration, NULL);
  STOPS(ts_scene_output_interval, NULL);
  STOPS(ts_scene_text, NULL);
  STOPS(ts_scene_note_count, NULL);
  assert_true(ts_scene_note_count(scene) > 0);
  STOPS_OUTSIDE(ts_scene_note_at, scene, ts_scene_note_count(scene));
  STOPS(ts_scene_place_error, NULL, &error);
  STOPS(ts_scene_place_error, scene, NULL);
  STOPS(ts_scene_key_at, -1);
  STOPS(ts_scene_key_at, ts_scene_key_count());
  STOPS(ts_urdf_key_at, -1);
  STOPS(ts_urdf_key_at, ts_urdf_key_count());
  STOPS(ts_scene_urdf_summary, NULL);
  STOPS_OUTSIDE(ts_scene_urdf_link, robot, 1);
  STOPS_OUTSIDE(ts_scene_urdf_joint, robot, 0);
  STOPS(ts_scene_urdf_link, scene, 0); // no robot
}

int main(void)
{
  const struct CMUnitTest tests[] = {
      cmocka_unit_test(problems), cmocka_unit_test(lowerings),          cmocka_unit_test(solvers),
      cmocka_unit_test(models),   cmocka_unit_test(dynamics_of_models), cmocka_unit_test(simulations),
      cmocka_unit_test(watches),  cmocka_unit_test(words_to_suggest),   cmocka_unit_test(studies),
      cmocka_unit_test(tables),   cmocka_unit_test(verifications),      cmocka_unit_test(records),
      cmocka_unit_test(scenes),
  };
  return cmocka_run_group_tests(tests, start, stop);
}
