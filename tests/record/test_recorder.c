// The recorder on simulations: what stands in the file is what the simulation said, and a run that was interrupted and
// resumed leaves the very file of one that was not.
#include "whole_file.h"
#include "scratch_folder.h"
#include "world.h"

#include "touchstone/record.h"

#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <cmocka.h>

static const double gravity = 9.81;

// A ball of 2 kg that slides and a block that falls, over a fixed floor.
static void start_world(world *w, ts_space space)
{
  const bool planar = space == TS_SPACE_2D;
  world_init(w, space);
  world_friction(w, 0.2, 0.0);
  world_floor(w);
  const ts_vec3 up = planar ? (ts_vec3){0.0, 0.5, 0.0} : (ts_vec3){0.0, 0.0, 0.5};
  const int ball = world_add(w, "ball", TS_DYNAMIC, 2.0, planar ? shape_disc(0.5) : shape_sphere(0.5), up);
  const ts_vec3 high = planar ? (ts_vec3){3.0, 0.53, 0.0} : (ts_vec3){3.0, 0.0, 0.53};
  world_add(w, "second", TS_DYNAMIC, 1.0, planar ? shape_disc(0.5) : shape_sphere(0.5), high);
  w->options.size = 1e-3;
  world_start(w);
  world_move(w, ball, (ts_vec3){1.0, 0.0, 0.0}, (ts_vec3){0.0, 0.0, 0.0});
}

static ts_recorder *create(const char *path, const world *w)
{
  ts_recorder *recorder;
  ts_error error = {0};
  if (ts_recorder_create(path, w->sim, "the scene", &recorder, &error) != TS_OK) fail_msg("%s", error.text);
  return recorder;
}

static void add(ts_recorder *recorder, const world *w, bool with_state)
{
  ts_error error = {0};
  if (ts_recorder_add(recorder, w->sim, with_state, &error) != TS_OK) fail_msg("%s", error.text);
}

static void finish(ts_recorder *recorder, const world *w)
{
  ts_error error = {0};
  if (ts_recorder_close(recorder, w->sim, &error) != TS_OK) fail_msg("%s", error.text);
}

static ts_record *open_run(const char *path)
{
  ts_record *record;
  ts_error error = {0};
  if (ts_record_open(path, &record, &error) != TS_OK) fail_msg("%s: %s", path, error.text);
  return record;
}

// Steps first+1 .. last, every third state.
static void record_steps(ts_recorder *recorder, world *w, int first, int last)
{
  for (int k = first + 1; k <= last; ++k) {
    world_step(w);
    add(recorder, w, k % 3 == 0);
  }
}

static double value(const ts_record *record, const char *series, int i)
{
  int count;
  const double *values = ts_record_series(record, series, &count);
  assert_non_null(values);
  assert_in_range(i, 0, count - 1);
  return values[i];
}

// ---- what stands in a run ------------------------------------------------------------------------------------------

static void check_spatial_state(const ts_record *record, const world *w, int state)
{
  const int ball = ts_model_find_body(w->model, "ball");
  const ts_pose pose = ts_sim_pose(w->sim, ball);
  const ts_twist velocity = ts_sim_velocity(w->sim, ball);
  assert_true(value(record, "t", state) == ts_sim_time(w->sim));
  assert_true(value(record, "ball.x", state) == pose.position.x);
  assert_true(value(record, "ball.z", state) == pose.position.z);
  assert_true(value(record, "ball.qw", state) == pose.orientation.w);
  assert_true(value(record, "ball.qz", state) == pose.orientation.z);
  assert_true(value(record, "ball.vx", state) == velocity.linear.x);
  assert_true(value(record, "ball.wy", state) == velocity.angular.y);
  ts_pose poses[3];
  ts_record_poses(record, state, poses);
  int recorded = 0; // CSV orders bodies in another way
  while (strcmp(ts_record_body_name(record, recorded), "ball") != 0) ++recorded;
  assert_memory_equal(&poses[recorded], &pose, sizeof pose);
}

static void check_planar_state(const ts_record *record, const world *w, int state)
{
  const int ball = ts_model_find_body(w->model, "ball");
  const ts_twist velocity = ts_sim_velocity(w->sim, ball);
  assert_true(value(record, "ball.y", state) == ts_sim_pose(w->sim, ball).position.y);
  assert_true(value(record, "ball.theta", state) == ts_sim_angle(w->sim, ball));
  assert_true(value(record, "ball.vx", state) == velocity.linear.x);
  assert_true(value(record, "ball.w", state) == velocity.angular.z);
}

static void check_steps(const ts_record *record, const world *w, int steps)
{
  const ts_step_report *report = ts_sim_report(w->sim);
  const int last = steps - 1;
  int count;
  assert_non_null(ts_record_series(record, "steps.t", &count));
  assert_int_equal(count, steps);
  assert_true(value(record, "steps.t", last) == ts_sim_time(w->sim));
  assert_true(value(record, "steps.residual", last) == report->residual);
  assert_true(value(record, "steps.kinetic", last) == report->kinetic_energy);
  assert_true(value(record, "steps.energy", last) == report->kinetic_energy + report->potential_energy);
  assert_true(value(record, "steps.contacts", last) == report->contacts);
  assert_true(value(record, "steps.certified", last) == 1.0);
  assert_true(value(record, "steps.substeps", last) == 1.0);
  assert_string_equal(ts_record_solver_name(record, (int)value(record, "steps.solver", last)), report->solver);
  assert_null(ts_record_solver_name(record, -1));
  assert_null(ts_record_solver_name(record, 1000));
}

// Newton's law from outside: the floor carries the ball's weight, and brakes it by mu m g while it slides.
static void check_contacts(const ts_record *record, bool planar)
{
  const int count = ts_record_contact_count(record);
  assert_true(count > 0);
  int seen = 0;
  for (int i = 0; i < count; ++i) {
    const ts_recorded_contact c = ts_record_contact(record, i);
    const char *first = ts_record_body_name(record, c.body_1), *second = ts_record_body_name(record, c.body_2);
    if (strcmp(first, "ball") != 0 && strcmp(second, "ball") != 0) continue;
    ++seen;
    assert_true(fabs(c.fn - 2.0 * gravity) < 1e-6);
    assert_true(fabs(c.pn - 1e-3 * c.fn) < 1e-15);
    assert_int_equal(c.mode, TS_SLIP);
    assert_true(c.slip > 0.5);
    const double ft = value(record, "contacts.ft", i), fo = value(record, "contacts.fo", i);
    assert_true(fabs(hypot(ft, fo) - 0.2 * 2.0 * gravity) < 1e-6);
    assert_true(fabs((planar ? c.normal.y : c.normal.z) - (strcmp(first, "ball") == 0 ? 1.0 : -1.0)) < 1e-12);
  }
  assert_true(seen > 0);
}

static void runs_say_what_the_simulation_did(void **state)
{
  static const char *const names[] = {"run.h5", "run.csv"};
  for (int space = 0; space < 2; ++space)
    for (int k = 0; k < 2; ++k) {
      world w;
      start_world(&w, (ts_space)space);
      const char *path = scratch_path(*state, names[k]);
      ts_recorder *recorder = create(path, &w);
      add(recorder, &w, true);
      record_steps(recorder, &w, 0, 30);
      finish(recorder, &w);
      ts_record *record = open_run(path);
      assert_int_equal(ts_record_is_planar(record), space == TS_SPACE_2D);
      assert_int_equal(ts_record_state_count(record), 11);
      (space == TS_SPACE_2D ? check_planar_state : check_spatial_state)(record, &w, 10);
      check_steps(record, &w, 30);
      check_contacts(record, space == TS_SPACE_2D);
      ts_record_close(record);
      world_release(&w);
    }
}

// ---- resuming ------------------------------------------------------------------------------------------------------

// Take up the run at `from` in a new simulation and end it at `path`.
static void resume_to(const char *path, const char *from, ts_space space, int first, int last)
{
  world w;
  ts_error error = {0};
  start_world(&w, space);
  ts_record *record = open_run(from);
  ts_recorder *recorder;
  if (ts_recorder_resume(path, record, w.sim, "the scene", &recorder, &error) != TS_OK) fail_msg("%s", error.text);
  size_t size;
  const double *checkpoint = ts_record_checkpoint(record, &size);
  assert_int_equal(ts_sim_load(w.sim, checkpoint, size, &error), TS_OK);
  ts_record_close(record);
  record_steps(recorder, &w, first, last);
  finish(recorder, &w);
  world_release(&w);
}

static void resumed_runs_leave_the_same_file(void **state)
{
  for (int space = 0; space < 2; ++space) {
    const char *whole = scratch_path(*state, "whole.h5"), *part = scratch_path(*state, "part.h5"),
               *text = scratch_path(*state, "whole.csv"), *resumed_text = scratch_path(*state, "resumed.csv");
    world w;
    start_world(&w, (ts_space)space);
    ts_recorder *recorder = create(whole, &w), *second = create(text, &w);
    add(recorder, &w, true);
    add(second, &w, true);
    for (int k = 1; k <= 200; ++k) {
      world_step(&w);
      add(recorder, &w, k % 3 == 0);
      add(second, &w, k % 3 == 0);
    }
    finish(recorder, &w);
    finish(second, &w);
    world_release(&w);
    start_world(&w, (ts_space)space);
    recorder = create(part, &w);
    add(recorder, &w, true);
    record_steps(recorder, &w, 0, 77);
    finish(recorder, &w);
    world_release(&w);
    resume_to(resumed_text, part, (ts_space)space, 77, 200);
    resume_to(part, part, (ts_space)space, 77, 150);
    resume_to(part, part, (ts_space)space, 150, 200);
    assert_same_files(whole, part);
    assert_same_files(text, resumed_text);
    assert_same_files(scratch_path(*state, "whole.steps.csv"), scratch_path(*state, "resumed.steps.csv"));
    assert_same_files(scratch_path(*state, "whole.contacts.csv"), scratch_path(*state, "resumed.contacts.csv"));
  }
}

static void assert_not_resumed(const ts_record *record, const world *w, const char *path, const char *scene,
                               const char *fragment)
{
  ts_error error = {0};
  ts_recorder *recorder;
  assert_int_not_equal(ts_recorder_resume(path, record, w->sim, scene, &recorder, &error), TS_OK);
  assert_null(recorder);
  if (!strstr(error.text, fragment)) fail_msg("'%s' is not in '%s'", fragment, error.text);
}

static void other_runs_are_not_resumed(void **state)
{
  const char *path = scratch_path(*state, "run.h5"), *other = scratch_path(*state, "other.h5");
  world w;
  start_world(&w, TS_SPACE_3D);
  ts_recorder *recorder = create(path, &w);
  add(recorder, &w, true);
  finish(recorder, &w);
  ts_record *record = open_run(path);
  assert_not_resumed(record, &w, other, "another scene", "of another scene");
  assert_not_resumed(record, &w, other, NULL, "of another scene");
  assert_not_resumed(record, &w, scratch_path(*state, "run.txt"), "the scene", "must end in .h5, .hdf5 or .csv");
  assert_not_resumed(record, &w, scratch_path(*state, "missing/run.h5"), "the scene", "No such file");
  world_release(&w);
  start_world(&w, TS_SPACE_2D);
  assert_not_resumed(record, &w, other, "the scene", "of other bodies");
  world_release(&w);
  world_init(&w, TS_SPACE_3D);
  world_floor(&w);
  world_start(&w);
  assert_not_resumed(record, &w, other, "the scene", "of other bodies");
  world_release(&w);
  ts_record_close(record);
  assert_int_equal(scratch_count(*state), 1);
}

// ---- odd runs ------------------------------------------------------------------------------------------------------

// A world in which nothing can move, and a recorder that is closed before anything was added.
static void worlds_without_motion(void **state)
{
  static const char *const names[] = {"run.h5", "run.csv"};
  for (int k = 0; k < 2; ++k) {
    world w;
    world_init(&w, TS_SPACE_3D);
    world_floor(&w);
    world_start(&w);
    const char *path = scratch_path(*state, names[k]);
    finish(create(path, &w), &w);
    ts_record *record = open_run(path);
    assert_int_equal(ts_record_state_count(record), 0);
    ts_record_close(record);
    ts_recorder *recorder = create(path, &w);
    add(recorder, &w, true);
    record_steps(recorder, &w, 0, 3);
    finish(recorder, &w);
    record = open_run(path);
    assert_int_equal(ts_record_state_count(record), 2);
    assert_int_equal(ts_record_contact_count(record), 0);
    ts_record_close(record);
    world_release(&w);
  }
}

static void recorders_can_be_dropped(void **state)
{
  world w;
  start_world(&w, TS_SPACE_3D);
  ts_recorder *recorder = create(scratch_path(*state, "run.h5"), &w);
  add(recorder, &w, true);
  ts_recorder_discard(recorder);
  ts_recorder_discard(NULL);
  ts_record_close(NULL);
  assert_int_equal(scratch_count(*state), 0);
  ts_error error = {0};
  assert_int_equal(ts_recorder_create(scratch_path(*state, "run.xml"), w.sim, NULL, &recorder, &error), TS_INVALID);
  assert_null(recorder);
  assert_int_equal(ts_recorder_create(scratch_path(*state, ".csv"), w.sim, NULL, &recorder, NULL), TS_INVALID);
  world_release(&w);
}

#define scratch_test(f) cmocka_unit_test_setup_teardown(f, scratch_folder_set_up, scratch_folder_tear_down)

int main(void)
{
  const struct CMUnitTest tests[] = {
      scratch_test(runs_say_what_the_simulation_did), scratch_test(resumed_runs_leave_the_same_file),
      scratch_test(other_runs_are_not_resumed),       scratch_test(worlds_without_motion),
      scratch_test(recorders_can_be_dropped),
  };
  return cmocka_run_group_tests(tests, NULL, NULL);
}
