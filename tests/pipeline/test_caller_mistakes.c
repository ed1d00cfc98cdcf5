// What the head of touchstone/api.h says of mistakes in calls: a status and a sentence where there is a status, else a
// sentence on standard error and abort(), whatever the build. Each case runs in a process of its own.
#define _POSIX_C_SOURCE 200809L
#include "scratch_folder.h"
#include "world.h"

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

static world scene; // a ball and a floor, one step taken
static ts_dynamics *dynamics;
static ts_builtin *builtin;
static ts_lowering *lowering;   // of one contact
static ts_condensed *condensed; // likewise
static double numbers[64];      // room for any vector of theirs
static ts_problem contact;
static ts_scene *plain; // no robot
static ts_error error;

// One contact on a mass of 1, as it is and without bodies.
static ts_status start_problems(void)
{
  static const int first[] = {0, 1}, diagonal[] = {0};
  static const double unit[] = {1.0, 0.0, 0.0, 0.0, 1.0, 0.0, 0.0, 0.0, 1.0}, mu[] = {0.5};
  static const double down[] = {-1.0, 0.0, 0.0}, none[] = {0.0, 0.0, 0.0};
  const ts_block_matrix W = {.rows = 1, .block = 3, .start = first, .index = diagonal, .value = unit};
  const ts_matrix I = {.rows = 3, .columns = 3, .value = unit};
  const ts_friction local = {.dimension = 3, .contacts = 1, .W = W, .q = down, .mu = mu};
  const ts_global_friction global = {.dimension = 3, .contacts = 1, .M = I, .H = I, .f = down, .w = none, .mu = mu};
  contact = ts_problem_friction(local);
  ts_status status = ts_lower_to_mcp(&local, &lowering, &error);
  if (status == TS_OK) status = ts_condense(&global, &condensed, &error);
  if (status == TS_OK) status = ts_builtin_create("kojshin", 0, &builtin, &error);
  return status;
}

static int start(void **state)
{
  (void)state;
  world_init(&scene, TS_SPACE_3D);
  world_floor(&scene);
  world_add(&scene, "ball", TS_DYNAMIC, 1.0, shape_sphere(0.5), (ts_vec3){0.0, 0.0, 0.5});
  world_start(&scene);
  world_steps(&scene, 1);
  static const char text[] = "touchstone: 1\nduration: 1\nbodies: [{name: a, shape: {sphere: {radius: 1}}}]\n";
  if (start_problems() != TS_OK) return -1;
  if (ts_scene_parse(text, sizeof text - 1, "plain", NULL, 0, &plain, &error) != TS_OK) return -1;
  return ts_dynamics_create(scene.model, NULL, &dynamics, &error) == TS_OK ? 0 : -1;
}

static int stop(void **state)
{
  (void)state;
  ts_dynamics_destroy(dynamics);
  ts_builtin_destroy(builtin);
  ts_lowering_destroy(lowering);
  ts_condensed_destroy(condensed);
  ts_scene_destroy(plain);
  world_release(&scene);
  return 0;
}

// ---- calls that stop the program -----------------------------------------------------------------------------------

typedef void mistake(void);

// Every one as a function of its name.
#define MISTAKES(X)                                                                                                    \
  X(builtin_name, (void)ts_builtin_name(-1))                                                                           \
  X(builtin_problem, (void)ts_builtin_problem(NULL))                                                                   \
  X(builtin_start, ts_builtin_start(builtin, 0, NULL))                                                                 \
  X(problem_residual, (void)ts_problem_residual(NULL, NULL))                                                           \
  X(problem_residual_nowhere, (void)ts_problem_residual(&contact, NULL))                                               \
  X(problem_size, (void)ts_problem_size(NULL))                                                                         \
  X(lowering_problem, (void)ts_lowering_problem(NULL))                                                                 \
  X(lowering_recover, ts_lowering_recover(NULL, NULL, NULL))                                                           \
  X(lowering_recover_nothing, ts_lowering_recover(lowering, NULL, numbers))                                            \
  X(lowering_recover_nowhere, ts_lowering_recover(lowering, numbers, NULL))                                            \
  X(lowering_start_nothing, ts_lowering_start(lowering, NULL, numbers))                                                \
  X(lowering_start_nowhere, ts_lowering_start(lowering, numbers, NULL))                                                \
  X(condensed_problem, (void)ts_condensed_problem(NULL))                                                               \
  X(condensed_recover_nothing, ts_condensed_recover(condensed, NULL, numbers))                                         \
  X(condensed_recover_nowhere, ts_condensed_recover(condensed, numbers, NULL))                                         \
  X(solver_at, (void)ts_solver_at(1000))                                                                               \
  X(solver_find, (void)ts_solver_find(NULL))                                                                           \
  X(solver_name, (void)ts_solver_name(NULL))                                                                           \
  X(workspace_peak, (void)ts_workspace_peak(NULL))                                                                     \
  X(dynamics_model, (void)ts_dynamics_model(NULL))                                                                     \
  X(dynamics_node_at, (void)ts_dynamics_node_at(dynamics, 99))                                                         \
  X(dynamics_rate_name, (void)ts_dynamics_rate_name(dynamics, -1))                                                     \
  X(dynamics_pose, (void)ts_dynamics_pose(dynamics, 2))                                                                \
  X(dynamics_bias, ts_dynamics_bias(NULL, NULL))                                                                       \
  X(dynamics_bias_nowhere, ts_dynamics_bias(dynamics, NULL))                                                           \
  X(dynamics_mass_matrix, ts_dynamics_mass_matrix(dynamics, NULL))                                                     \
  X(dynamics_advance_without_rates, ts_dynamics_advance(dynamics, 0.1, NULL, numbers))                                 \
  X(dynamics_advance_nothing, ts_dynamics_advance(dynamics, 0.1, numbers, NULL))                                       \
  X(builder_set_gravity, ts_builder_set_gravity(NULL, (ts_vec3){0}))                                                   \
  X(model_space, (void)ts_model_space(NULL))                                                                           \
  X(model_body_count, (void)ts_model_body_count(NULL))                                                                 \
  X(model_body_name, (void)ts_model_body_name(scene.model, 2))                                                         \
  X(model_find_body, (void)ts_model_find_body(scene.model, NULL))                                                      \
  X(model_body_mass, (void)ts_model_body_mass(scene.model, -1))                                                        \
  X(model_body_inertia, ts_model_body_inertia(scene.model, 1, NULL))                                                   \
  X(model_part_shape, (void)ts_model_part_shape(scene.model, 2))                                                       \
  X(model_joint, (void)ts_model_joint(scene.model, 0))                                                                 \
  X(model_spring, (void)ts_model_spring(scene.model, 0))                                                               \
  X(model_contact_law, (void)ts_model_contact_law(scene.model, 0, 5, &(ts_contact_law){0}))                            \
  X(problem_file_problem, (void)ts_problem_file_problem(NULL))                                                         \
  X(record_scene, (void)ts_record_scene(NULL))                                                                         \
  X(record_series, (void)ts_record_series(NULL, "t", &(int){0}))                                                       \
  X(record_checkpoint, (void)ts_record_checkpoint(NULL, &(size_t){0}))                                                 \
  X(scene_name, (void)ts_scene_name(NULL))                                                                             \
  X(scene_model, (void)ts_scene_model(NULL))                                                                           \
  X(scene_key_at, (void)ts_scene_key_at(-1))                                                                           \
  X(urdf_key_at, (void)ts_urdf_key_at(100000))                                                                         \
  X(scene_urdf_summary, (void)ts_scene_urdf_summary(NULL))                                                             \
  X(scene_urdf_link, (void)ts_scene_urdf_link(plain, 0))                                                               \
  X(scene_urdf_joint, (void)ts_scene_urdf_joint(plain, 0))                                                             \
  X(signal_value, (void)ts_signal_value(NULL, 0.0, NULL))                                                              \
  X(stepper_at, (void)ts_stepper_at(-1))                                                                               \
  X(stepper_find, (void)ts_stepper_find(NULL))                                                                         \
  X(sim_model, (void)ts_sim_model(NULL))                                                                               \
  X(sim_time, (void)ts_sim_time(NULL))                                                                                 \
  X(sim_report, (void)ts_sim_report(NULL))                                                                             \
  X(sim_corrections, (void)ts_sim_corrections(NULL, &(int){0}))                                                        \
  X(sim_corrections_uncounted, (void)ts_sim_corrections(scene.sim, NULL))                                              \
  X(sim_start_velocities, (void)ts_sim_start_velocities(NULL))                                                         \
  X(sim_pose, (void)ts_sim_pose(scene.sim, -1))                                                                        \
  X(sim_pose_of_none, (void)ts_sim_pose(NULL, 0))                                                                      \
  X(sim_angle, (void)ts_sim_angle(scene.sim, 2))                                                                       \
  X(sim_velocity, (void)ts_sim_velocity(scene.sim, 2))                                                                 \
  X(sim_contacts, (void)ts_sim_contacts(scene.sim, NULL))                                                              \
  X(sim_contact_wrench, (void)ts_sim_contact_wrench(scene.sim, 100))                                                   \
  X(sim_contact_jacobian, ts_sim_contact_jacobian(scene.sim, 0, NULL))                                                 \
  X(sim_joint, (void)ts_sim_joint(scene.sim, 0))                                                                       \
  X(sim_joint_position, (void)ts_sim_joint_position(scene.sim, 0, NULL))                                               \
  X(sim_spring, (void)ts_sim_spring(scene.sim, 0))                                                                     \
  X(sim_state_size, (void)ts_sim_state_size(NULL))                                                                     \
  X(stop_met, (void)ts_stop_met(NULL, 0.0, NULL))                                                                      \
  X(stop_describe, (void)ts_stop_describe(&(ts_stop_condition){0}, NULL, 0))                                           \
  X(recorder_size, (void)ts_recorder_size(NULL))                                                                       \
  X(scene_note_count, (void)ts_scene_note_count(NULL))                                                                 \
  X(scene_place_error, ts_scene_place_error(NULL, NULL))                                                               \
  X(sim_set_callback, ts_sim_set_callback(NULL, NULL, NULL))                                                           \
  X(suggest, (void)ts_suggest(NULL, 0, NULL, NULL))                                                                    \
  X(suggest_from_nothing, (void)ts_suggest("word", 1, NULL, NULL))

#define DEFINE(name, call)                                                                                             \
  static void make_##name(void)                                                                                        \
  {                                                                                                                    \
    call;                                                                                                              \
  }
MISTAKES(DEFINE)

static const struct {
  const char *name;
  mistake *make;
} mistakes[] = {
#define ENTRY(name, call) {#name, make_##name},
    MISTAKES(ENTRY)};

static void assert_stops_with_a_sentence(const char *name, mistake *make)
{
  int ends[2];
  assert_int_equal(pipe(ends), 0);
  const pid_t child = fork();
  assert_true(child >= 0);
  if (child == 0) {
    const struct rlimit none = {0, 0};
    setrlimit(RLIMIT_CORE, &none);
    signal(SIGABRT, SIG_DFL);
    dup2(ends[1], STDERR_FILENO);
    make();
    _exit(0);
  }
  close(ends[1]);
  char text[512] = {0};
  size_t length = 0;
  for (ssize_t got; length < sizeof text - 1 && (got = read(ends[0], text + length, sizeof text - 1 - length)) > 0;)
    length += (size_t)got;
  close(ends[0]);
  int status;
  assert_int_equal(waitpid(child, &status, 0), child);
  if (!WIFSIGNALED(status) || WTERMSIG(status) != SIGABRT) fail_msg("%s: status %d", name, status);
  if (strncmp(text, "touchstone: ts_", 15) != 0 || !strstr(text, " requires ")) fail_msg("%s: '%s'", name, text);
}

static void mistakes_without_a_status_stop_the_program(void **state)
{
  (void)state;
  for (size_t k = 0; k < sizeof mistakes / sizeof *mistakes; ++k)
    assert_stops_with_a_sentence(mistakes[k].name, mistakes[k].make);
}

// ---- calls that are refused ----------------------------------------------------------------------------------------

static void expect_refusal(ts_status status, const char *words)
{
  assert_int_equal(status, TS_INVALID);
  assert_int_equal(error.status, TS_INVALID);
  if (!strstr(error.text, words)) fail_msg("'%s' does not say '%s'", error.text, words);
}

static void mistakes_with_a_status_are_refused(void **state)
{
  (void)state;
  ts_sim *sim = scene.sim;
  const ts_step_options options = ts_step_options_default();
  expect_refusal(ts_sim_create(NULL, &options, NULL, &sim, &error), "ts_sim_create() requires model");
  assert_null(sim);
  expect_refusal(ts_sim_create(scene.model, NULL, NULL, &sim, &error), "requires options");
  expect_refusal(ts_sim_create(scene.model, &options, NULL, NULL, &error), "requires sim");
  expect_refusal(ts_sim_step(NULL, &error), "ts_sim_step() requires sim");
  expect_refusal(ts_sim_set_pose(NULL, 0, &(ts_pose){0}, &error), "requires sim");
  expect_refusal(ts_sim_set_velocity(scene.sim, 1, NULL, &error), "requires velocity");
  expect_refusal(ts_sim_push(scene.sim, 1, NULL, &error), "requires wrench");
  expect_refusal(ts_sim_load(NULL, NULL, 0, &error), "requires sim");
  expect_refusal(ts_step_options_check(NULL, &error), "requires options");
  expect_refusal(ts_step_options_set(NULL, "size", "1", &error), "requires options");
  expect_refusal(ts_step_options_set(&(ts_step_options){0}, NULL, "1", &error), "requires name");
  expect_refusal(ts_step_options_set(&(ts_step_options){0}, "size", NULL, &error), "requires text");
  expect_refusal(ts_step_options_get(&options, "size", NULL, 0, &error), "requires text");
  ts_builder *builder = ts_builder_create(TS_SPACE_3D);
  ts_model *model;
  expect_refusal(ts_builder_add_body(NULL, &(ts_body_def){0}, &(int){0}, &error), "requires builder");
  expect_refusal(ts_builder_add_body(builder, NULL, &(int){0}, &error), "requires def");
  expect_refusal(ts_builder_add_joint(builder, NULL, &(int){0}, &error), "requires def");
  expect_refusal(ts_builder_set_contact(builder, NULL, &error), "requires law");
  expect_refusal(ts_builder_finish(NULL, &model, &error), "requires builder");
  expect_refusal(ts_builder_finish(builder, NULL, &error), "requires model");
  ts_builder_destroy(builder);
  ts_scene *read;
  expect_refusal(ts_scene_read(NULL, NULL, 0, &read, &error), "requires path");
  expect_refusal(ts_scene_parse(NULL, 5, "x", NULL, 0, &read, &error), "requires text");
  expect_refusal(ts_scene_parse("", 0, "x", NULL, 2, &read, &error), "overrides");
  expect_refusal(ts_urdf_read(NULL, NULL, NULL, 0, &read, &error), "requires path");
  expect_refusal(ts_record_open(NULL, &(ts_record *){0}, &error), "requires path");
  expect_refusal(ts_recorder_create("x.h5", NULL, NULL, &(ts_recorder *){0}, &error), "requires sim");
  expect_refusal(ts_dynamics_from_sim(NULL, scene.sim, &error), "requires dynamics");
  expect_refusal(ts_problem_check(NULL, &error), "requires problem");
  expect_refusal(ts_shape_check(NULL, &error), "requires shape");
  expect_refusal(ts_stop_read("jam", NULL, &error), "requires stop");
  assert_int_equal(ts_sim_step(NULL, NULL), TS_INVALID); // nobody listens
}

static void numbers_that_are_missing_are_refused(void **state)
{
  (void)state;
  const ts_solve_options options = ts_solve_options_default();
  ts_workspace *workspace = ts_workspace_create(NULL);
  ts_report report = {0};
  ts_problem_file *file = (ts_problem_file *)numbers;
  const ts_solver *solver = ts_solver_find("auto");
  expect_refusal(ts_solve(solver, &contact, &options, workspace, NULL, &report, &error), "ts_solve() requires z");
  ts_workspace_destroy(workspace);
  assert_int_equal(ts_friction_measure(&contact, NULL, &report.measures), TS_INVALID);
  expect_refusal(ts_problem_file_parse(NULL, 5, &file, &error), "requires text");
  assert_null(file);
  expect_refusal(ts_dynamics_inverse(dynamics, NULL, NULL, NULL, &error), "ts_dynamics_inverse() requires f");
  expect_refusal(ts_dynamics_forward(dynamics, NULL, NULL, NULL, &error), "ts_dynamics_forward() requires a");
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
      cmocka_unit_test(mistakes_without_a_status_stop_the_program),
      cmocka_unit_test(mistakes_with_a_status_are_refused),
      cmocka_unit_test(numbers_that_are_missing_are_refused),
      cmocka_unit_test(states_are_neither_taken_from_nowhere_nor_put_there),
      cmocka_unit_test_setup_teardown(recorders_take_simulations_of_their_model_only, scratch_folder_set_up,
                                      scratch_folder_tear_down),
      cmocka_unit_test_setup_teardown(checkpoints_need_a_recorder_a_name_and_a_simulation, scratch_folder_set_up,
                                      scratch_folder_tear_down),
      cmocka_unit_test(callbacks_may_not_change_the_state),
  };
  return cmocka_run_group_tests(tests, start, stop);
}
