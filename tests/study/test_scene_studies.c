// Studies of scenes: parameters as files have them, and records of trials against runs of the same scene.
#include "touchstone/study.h"

#include "touchstone/record.h"

#include "scratch_folder.h"

#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>
#include <string.h>
#include <unistd.h>
#include <cmocka.h>

#include "near.h"

// A ball slides on a floor; states are recorded every 3 steps of 20, or every step where no interval is given.
static const char scene[] = "touchstone: 1\n"
                            "parameters: {mu: 0.1, v: 1}\n"
                            "contact: {friction: =mu}\n"
                            "bodies:\n"
                            "  - {name: floor, kind: fixed, shape: {plane: {normal: [0, 0, 1], offset: 0}}}\n"
                            "  - {name: ball, mass: 1, shape: {sphere: {radius: 0.1}}, position: [0, 0, 0.1],\n"
                            "     velocity: [=v, 0, 0]}\n"
                            "step: {size: 1e-2}\n"
                            "duration: 0.2\n"
                            "results: {x: ball.x}\n";

static ts_study *read_study_of(scratch_folder *folder, const char *of, const char *text)
{
  ts_study *study;
  ts_error error = {0};
  scratch_write(scratch_path(folder, "scene.yaml"), of, strlen(of));
  scratch_write(scratch_path(folder, "study.yaml"), text, strlen(text));
  if (ts_study_read(scratch_path(folder, "study.yaml"), NULL, &study, &error) != TS_OK) fail_msg("%s", error.text);
  return study;
}

static ts_study *read_study(scratch_folder *folder, const char *text)
{
  return read_study_of(folder, scene, text);
}

static void one_value_needs_no_brackets(void **state)
{
  ts_study *study = read_study(*state, "study: 1\nscene: scene.yaml\nvary: {mu: 0.3, v: [1, 2]}\n");
  double values[2];
  assert_int_equal(ts_study_trial_count(study), 2);
  assert_int_equal(ts_study_parameter_count(study), 2);
  assert_string_equal(ts_study_parameter_name(study, 0), "mu");
  for (uint64_t trial = 0; trial < 2; ++trial) {
    assert_int_equal(ts_study_parameters(study, trial, values, NULL), TS_OK);
    assert_true(values[0] == 0.3 && values[1] == 1.0 + (double)trial);
  }
  ts_study_destroy(study);
}

// Steps of the trial's scene, against the states in its record: every `interval`-th of them and the start.
static void check_record(const ts_study *study, uint64_t trial, const char *path, int interval, int steps)
{
  ts_scene *read;
  ts_sim *sim;
  ts_record *record;
  ts_error error = {0};
  if (ts_study_read_scene(study, trial, 0, &read, &error) != TS_OK ||
      ts_sim_create(ts_scene_model(read), ts_scene_options(read), NULL, &sim, &error) != TS_OK ||
      ts_record_open(path, &record, &error) != TS_OK)
    fail_msg("%s", error.text);
  int state = 0;
  for (int step = 0; step <= steps; ++step) {
    if (step > 0) assert_int_equal(ts_sim_step(sim, &error), TS_OK);
    if (step % interval != 0) continue;
    ts_pose poses[2];
    assert_true(state < ts_record_state_count(record));
    assert_true(ts_record_state_time(record, state) == ts_sim_time(sim));
    ts_record_poses(record, state++, poses);
    const ts_pose pose = ts_sim_pose(sim, 1);
    assert_memory_equal(&poses[1].position, &pose.position, sizeof pose.position);
  }
  assert_int_equal(ts_record_state_count(record), state);
  ts_record_close(record);
  ts_sim_destroy(sim);
  ts_scene_destroy(read);
}

static void records_of_trials_are_those_of_their_scenes(void **state)
{
  static const struct {
    const char *line;
    int interval, steps;
  } cases[] = {{"set: [output.interval=0.03]\n", 3, 20}, {"", 1, 20}, {"limits: {steps: 7}\n", 1, 7}};
  for (size_t i = 0; i < sizeof cases / sizeof *cases; ++i) {
    char text[256];
    snprintf(text, sizeof text, "study: 1\nscene: scene.yaml\nvary: {mu: [0.1, 0.4], v: [1, 2]}\n%s", cases[i].line);
    ts_study *study = read_study(*state, text);
    const char *path = scratch_path(*state, "trial.h5");
    ts_error error = {0};
    if (ts_study_record_trial(study, 2, 0, path, &error) != TS_OK) fail_msg("%s", error.text);
    check_record(study, 2, path, cases[i].interval, cases[i].steps);
    ts_study_destroy(study);
  }
}

// 1e10 steps are refused before the first, even of a scene that would stop after 3, unless a study says how many there
// may be.
static void too_many_steps_are_not_recorded(void **state)
{
  static const char *const limits[] = {"", "limits: {steps: 7}\n"};
  for (int limited = 0; limited < 2; ++limited) {
    char text[256];
    snprintf(text, sizeof text,
             "study: 1\nscene: scene.yaml\nset: [duration=1e8, \"stop=[{when: =ball.x > 0.025}]\"]\nvary: {v: 1}\n%s",
             limits[limited]);
    ts_study *study = read_study(*state, text);
    const char *path = scratch_path(*state, "trial.h5");
    ts_error error = {0};
    assert_int_equal(ts_study_record_trial(study, 0, 0, path, &error), limited ? TS_OK : TS_INVALID);
    if (limited)
      check_record(study, 0, path, 1, 3);
    else
      assert_non_null(strstr(error.text, "takes 1e+10 steps"));
    ts_study_destroy(study);
  }
}

// A lamp hangs from a rod that is fixed above its middle: the joint bears its weight, at every state of the record.
static void records_of_trials_have_joints(void **state)
{
  static const char lamp[] = "touchstone: 1\n"
                             "parameters: {m: 1}\n"
                             "bodies: [{name: lamp, mass: =m, shape: {sphere: {radius: 0.1}}, position: [0, 0, 1]}]\n"
                             "joints: [{name: rod, type: revolute, child: lamp, at: [0, 0, 1.5], axis: [0, 1, 0]}]\n"
                             "step: {size: 1e-2}\n"
                             "duration: 0.05\n";
  ts_study *study = read_study_of(*state, lamp, "study: 1\nscene: scene.yaml\nvary: {m: [1, 2]}\n");
  const char *path = scratch_path(*state, "trial.h5");
  for (uint64_t trial = 0; trial < 2; ++trial) {
    ts_record *record;
    ts_error error = {0};
    int count = 0;
    if (ts_study_record_trial(study, trial, 0, path, &error) != TS_OK || ts_record_open(path, &record, &error) != TS_OK)
      fail_msg("%s", error.text);
    assert_int_equal(ts_record_joint_count(record), 1);
    const double *force = ts_record_series(record, "joints.rod.fz", &count);
    assert_int_equal(count, 6);
    for (int k = 1; k < count; ++k) assert_near(force[k], 9.81 * (1.0 + (double)trial), 1e-9);
    ts_record_close(record);
  }
  ts_study_destroy(study);
}

static void some_trials_are_kept(void **state)
{
  ts_study *study = read_study(*state, "study: 1\nscene: scene.yaml\nvary: {v: [1, 2, 3, 4]}\n");
  const char *output = scratch_path(*state, "out.csv");
  const ts_sweep_options options = ts_sweep_options_default();
  uint64_t kept = 0;
  ts_error error = {0};
  if (ts_study_sweep(study, output, &options, NULL, &error) != TS_OK) fail_msg("%s", error.text);
  assert_int_equal(ts_study_keep(study, output, TS_KEEP_FAILED, 0, &options, &kept, &error), TS_OK);
  assert_int_equal(kept, 0);
  assert_int_equal(ts_study_keep(study, output, TS_KEEP_FIRST, 2, &options, &kept, &error), TS_OK);
  assert_int_equal(kept, 2);
  for (int trial = 0; trial < 4; ++trial) {
    char path[64];
    snprintf(path, sizeof path, "out.csv.records/trial_%d.h5", trial);
    assert_int_equal(access(scratch_path(*state, path), F_OK) == 0, trial < 2);
    if (trial < 2) check_record(study, (uint64_t)trial, scratch_path(*state, path), 1, 20);
  }
  assert_int_equal(ts_study_keep(study, output, TS_KEEP_ALL, 0, &options, &kept, &error), TS_OK);
  assert_int_equal(kept, 4);
  ts_study_destroy(study);
}

#define scratch_test(f) cmocka_unit_test_setup_teardown(f, scratch_folder_set_up, scratch_folder_tear_down)

int main(void)
{
  const struct CMUnitTest tests[] = {scratch_test(one_value_needs_no_brackets),
                                     scratch_test(records_of_trials_are_those_of_their_scenes),
                                     scratch_test(too_many_steps_are_not_recorded),
                                     scratch_test(records_of_trials_have_joints), scratch_test(some_trials_are_kept)};
  return cmocka_run_group_tests(tests, NULL, NULL);
}
