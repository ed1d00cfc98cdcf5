// Tables of joints and impacts: what a simulation says of them reads back from both formats, an interrupted run leaves
// the same file, runs without them are as they were, and files that somebody has changed are refused with a sentence.
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <cmocka.h>

#include "scratch_folder.h"
#include "whole_file.h"

#include "touchstone/record.h"
#include "touchstone/scene.h"

#include <hdf5.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

// A pendulum that falls on the floor, and one that runs into its stop; the joint "a.b" has a name with a point.
static const char *const falling = "touchstone: 1\ncontact: {restitution: 0.5, friction: 0}\nbodies:\n"
                                   "  - {name: floor, kind: fixed, shape: {plane: {normal: [0, 0, 1], offset: -0.3}}}\n"
                                   "  - {name: bob, mass: 1, position: [0.5, 0, 0], shape: {sphere: {radius: 0.1}}}\n"
                                   "  - {name: arm, mass: 2, inertia: [0.1, 0.2, 0.3], position: [0.5, 3, 0]}\n"
                                   "  - {name: block, mass: 1, inertia: [0.1, 0.2, 0.3], position: [0, 6, 0]}\n"
                                   "  - {name: carried, mass: 1, inertia: [0.1, 0.2, 0.3], position: [0, 6, 1]}\n"
                                   "joints:\n"
                                   "  - {name: a.b, type: revolute, child: bob, axis: [0, 1, 0]}\n"
                                   "  - {name: stopped, type: revolute, child: arm, axis: [0, 1, 0], at: [0, 3, 0], "
                                   "limits: [-1, 0.1], restitution: 0.4}\n"
                                   "  - {name: weld, type: fixed, child: block, at: [0, 6, 0]}\n"
                                   "  - {name: lift, type: prismatic, parent: block, child: carried, axis: [0, 0, 1], "
                                   "motor: {velocity: {target: 0.1}}}\n"
                                   "step: {size: 0.01, method: event-driven}\nduration: 1\n";

static ts_scene *parse(const char *const *overrides, int count)
{
  ts_scene *scene;
  ts_error error;
  if (ts_scene_parse(falling, strlen(falling), "test", overrides, count, &scene, &error) != TS_OK)
    fail_msg("%d: %s", error.line, error.text);
  return scene;
}

static ts_sim *simulate(const ts_scene *scene, bool measured)
{
  ts_sim *sim;
  ts_error error;
  assert_int_equal(ts_sim_create(ts_scene_model(scene), ts_scene_options(scene), NULL, &sim, &error), TS_OK);
  if (measured) assert_int_equal(ts_sim_measure_joints(sim, true, &error), TS_OK);
  return sim;
}

static ts_recorder *begin(const char *path, const ts_sim *sim)
{
  ts_recorder *recorder;
  ts_error error;
  if (ts_recorder_create(path, sim, NULL, &recorder, &error) != TS_OK) fail_msg("%s", error.text);
  assert_int_equal(ts_recorder_add(recorder, sim, true, &error), TS_OK);
  return recorder;
}

static void go_on(ts_sim *sim, ts_recorder *recorder, int from, int to)
{
  ts_error error;
  for (int k = from; k < to; ++k) {
    assert_int_equal(ts_sim_step(sim, &error), TS_OK);
    assert_int_equal(ts_recorder_add(recorder, sim, k % 2 == 1, &error), TS_OK);
  }
}

static void record_run(const char *path, bool measured, const char *method)
{
  ts_error error;
  const char *const overrides[] = {method};
  ts_scene *scene = parse(overrides, 1);
  ts_sim *sim = simulate(scene, measured);
  ts_recorder *recorder = begin(path, sim);
  go_on(sim, recorder, 0, 60);
  assert_int_equal(ts_recorder_close(recorder, sim, &error), TS_OK);
  ts_sim_destroy(sim);
  ts_scene_destroy(scene);
}

static ts_record *open_run(const char *path)
{
  ts_record *record;
  ts_error error = {0};
  if (ts_record_open(path, &record, &error) != TS_OK)
    fail_msg("%s:%d:%d: %s", error.file, error.line, error.column, error.text);
  return record;
}

static void assert_refused(const char *path, const char *fragment)
{
  ts_record *record;
  ts_error error = {0};
  assert_int_not_equal(ts_record_open(path, &record, &error), TS_OK);
  assert_null(record);
  if (!strstr(error.text, fragment)) fail_msg("'%s' is not in '%s'", fragment, error.text);
}

static double at(const ts_record *record, const char *name, int row)
{
  int count;
  const double *values = ts_record_series(record, name, &count);
  if (!values) fail_msg("there is no series %s", name);
  assert_true(row < count);
  return values[row];
}

// ---- what is recorded ----------------------------------------------------------------------------------------------

static void check_state(const ts_record *record, const ts_sim *sim, int row)
{
  double rate;
  const ts_model *model = ts_sim_model(sim);
  const int stopped = ts_model_find_joint(model, "stopped"), lift = ts_model_find_joint(model, "lift");
  assert_true(at(record, "joints.t", row) == ts_sim_time(sim));
  assert_true(at(record, "joints.stopped.position", row) == ts_sim_joint_position(sim, stopped, &rate));
  assert_true(at(record, "joints.stopped.rate", row) == rate);
  assert_true(at(record, "joints.lift.motor", row) == ts_sim_joint_forces(sim, lift).motor);
  const ts_wrench weld = ts_sim_joint_forces(sim, ts_model_find_joint(model, "weld")).reaction;
  assert_true(at(record, "joints.weld.fz", row) == weld.force.z);
  assert_true(at(record, "joints.weld.mx", row) == weld.moment.x);
  assert_true(at(record, "joints.a.b.fx", row) == ts_sim_joint_forces(sim, 0).reaction.force.x);
}

static void states_read_back(void **state)
{
  static const char *const names[] = {"run.h5", "run.csv"};
  for (int k = 0; k < 2; ++k) {
    int count;
    const char *path = scratch_path(*state, names[k]);
    record_run(path, true, "step.method=event-driven");
    ts_record *record = open_run(path);
    ts_scene *scene = parse(NULL, 0);
    ts_sim *sim = simulate(scene, true);
    ts_error error;
    assert_int_equal(ts_record_joint_count(record), 4);
    assert_string_equal(ts_record_joint_name(record, 0), "a.b");
    assert_null(ts_record_series(record, "joints.weld.position", &count)); // it has no coordinate
    assert_string_equal(ts_record_series_unit(record, "joints.stopped.position"), k == 0 ? "rad" : "m, rad");
    assert_string_equal(ts_record_series_unit(record, "joints.lift.motor"), k == 0 ? "N" : "N, N m");
    assert_string_equal(ts_record_series_unit(record, "joints.weld.mx"), "N m");
    check_state(record, sim, 0);
    for (int step = 0; step < 60; ++step) {
      assert_int_equal(ts_sim_step(sim, &error), TS_OK);
      if (step % 2 == 1) check_state(record, sim, 1 + step / 2);
    }
    assert_true(at(record, "joints.lift.motor", 30) > 9.0);
    for (int i = 0; i < ts_record_series_count(record); ++i)
      assert_non_null(ts_record_series(record, ts_record_series_name(record, i), &count));
    ts_sim_destroy(sim);
    ts_scene_destroy(scene);
    ts_record_close(record);
  }
}

// Times and partners are those of the interface, and the last time of each step that of the report.
static void impacts_read_back(void **state)
{
  static const char *const names[] = {"run.h5", "run.csv"};
  for (int k = 0; k < 2; ++k) {
    const char *path = scratch_path(*state, names[k]);
    record_run(path, false, "step.method=event-driven");
    ts_record *record = open_run(path);
    ts_scene *scene = parse(NULL, 0);
    ts_sim *sim = simulate(scene, false);
    ts_error error;
    int row = 0, stops = 0, events = 0;
    for (int step = 0; step < 60; ++step) {
      int count, times = 0;
      assert_int_equal(ts_sim_step(sim, &error), TS_OK);
      const ts_located_impact *impacts = ts_sim_impacts(sim, &count);
      for (int i = 0; i < count; ++i, ++row) {
        const ts_recorded_impact impact = ts_record_impact(record, row);
        assert_true(impact.t == impacts[i].time);
        assert_string_equal(ts_record_body_name(record, impact.body_1),
                            ts_model_body_name(ts_scene_model(scene), impacts[i].body_1));
        assert_true(impact.approach == impacts[i].approach && impact.approach > 0.0);
        assert_true(impact.pn == impacts[i].impulse && impact.pn > 0.0);
        if (impact.joint) assert_string_equal(impact.joint, "stopped");
        if (!impact.joint) assert_string_equal(ts_record_body_name(record, impact.body_2), "floor");
        stops += impact.joint != NULL;
        times += i == 0 || impacts[i].time != impacts[i - 1].time;
      }
      assert_int_equal(times, ts_sim_report(sim)->events);
      if (count > 0) assert_true(impacts[count - 1].time == ts_sim_report(sim)->event_time);
      events += times;
    }
    assert_int_equal(row, ts_record_impact_count(record));
    assert_true(stops > 0 && events > stops);
    assert_int_equal(ts_record_joint_count(record), 0); // nobody measured them
    ts_sim_destroy(sim);
    ts_scene_destroy(scene);
    ts_record_close(record);
  }
}

static void resumed_runs_leave_the_same_file(void **state)
{
  ts_error error;
  const char *whole = scratch_path(*state, "whole.h5"), *part = scratch_path(*state, "part.h5"),
             *rest = scratch_path(*state, "rest.h5");
  record_run(whole, true, "step.method=event-driven");
  ts_scene *scene = parse(NULL, 0);
  ts_sim *sim = simulate(scene, true);
  ts_recorder *recorder = begin(part, sim);
  go_on(sim, recorder, 0, 33);
  assert_int_equal(ts_recorder_close(recorder, sim, &error), TS_OK);
  ts_sim_destroy(sim);
  ts_record *record = open_run(part);
  size_t size;
  const double *checkpoint = ts_record_checkpoint(record, &size);
  sim = simulate(scene, false);
  assert_int_equal(ts_recorder_resume(rest, record, sim, NULL, &recorder, &error), TS_INVALID);
  assert_string_equal(error.text, "the run to be resumed is one of other joints, or these are not measured");
  assert_int_equal(ts_sim_measure_joints(sim, true, &error), TS_OK);
  assert_int_equal(ts_sim_load(sim, checkpoint, size, &error), TS_OK);
  assert_int_equal(ts_recorder_resume(rest, record, sim, NULL, &recorder, &error), TS_OK);
  ts_record_close(record);
  go_on(sim, recorder, 33, 60);
  assert_int_equal(ts_recorder_close(recorder, sim, &error), TS_OK);
  ts_sim_destroy(sim);
  ts_scene_destroy(scene);
  size_t left, right;
  char *a = read_bytes(whole, &left), *b = read_bytes(rest, &right);
  assert_true(left == right);
  assert_memory_equal(a, b, left);
  free(a);
  free(b);
}

// A run without such tables has no trace of them, and takes away what another has left under its name.
static void runs_without_them_are_as_they_were(void **state)
{
  const char *csv = scratch_path(*state, "run.csv"), *joints = scratch_path(*state, "run.joints.csv"),
             *impacts = scratch_path(*state, "run.impacts.csv"), *h5 = scratch_path(*state, "run.h5");
  record_run(csv, true, "step.method=event-driven");
  assert_int_equal(access(joints, F_OK), 0);
  assert_int_equal(access(impacts, F_OK), 0);
  record_run(csv, false, "step.method=stewart-trinkle");
  assert_int_not_equal(access(joints, F_OK), 0);
  assert_int_not_equal(access(impacts, F_OK), 0);
  record_run(h5, false, "step.method=stewart-trinkle");
  const hid_t file = H5Fopen(h5, H5F_ACC_RDONLY, H5P_DEFAULT);
  assert_true(H5Lexists(file, "joints", H5P_DEFAULT) == 0 && H5Lexists(file, "impacts", H5P_DEFAULT) == 0);
  H5Fclose(file);
  for (int k = 0; k < 2; ++k) {
    int count;
    ts_record *record = open_run(k == 0 ? csv : h5);
    assert_int_equal(ts_record_joint_count(record) + ts_record_impact_count(record), 0);
    assert_null(ts_record_series(record, "impacts.t", &count));
    ts_record_close(record);
  }
}

// ---- files that somebody has changed -------------------------------------------------------------------------------

static hid_t open_to_change(const char *path)
{
  record_run(path, true, "step.method=event-driven");
  const hid_t file = H5Fopen(path, H5F_ACC_RDWR, H5P_DEFAULT);
  assert_true(file >= 0);
  return file;
}

static void put_texts(hid_t file, const char *path, const char *text, size_t size, hsize_t count)
{
  assert_true(H5Ldelete(file, path, H5P_DEFAULT) >= 0);
  const hid_t space = H5Screate_simple(1, &count, NULL), properties = H5Pcreate(H5P_DATASET_CREATE);
  const hid_t type = H5Tcopy(H5T_C_S1);
  H5Tset_size(type, size);
  H5Pset_chunk(properties, 1, &count);
  H5Pset_fletcher32(properties);
  const hid_t dataset = H5Dcreate2(file, path, type, space, H5P_DEFAULT, properties, H5P_DEFAULT);
  assert_true(dataset >= 0 && H5Dwrite(dataset, type, H5S_ALL, H5S_ALL, H5P_DEFAULT, text) >= 0);
  H5Dclose(dataset);
  H5Pclose(properties);
  H5Sclose(space);
  H5Tclose(type);
}

static void put_number(hid_t file, const char *path, double value)
{
  const hsize_t one = 1, first = 0;
  const hid_t dataset = H5Dopen2(file, path, H5P_DEFAULT), place = H5Dget_space(dataset);
  const hid_t memory = H5Screate_simple(1, &one, NULL);
  H5Sselect_hyperslab(place, H5S_SELECT_SET, &first, NULL, &one, NULL);
  assert_true(H5Dwrite(dataset, H5T_NATIVE_DOUBLE, memory, place, H5P_DEFAULT, &value) >= 0);
  H5Sclose(memory);
  H5Sclose(place);
  H5Dclose(dataset);
}

static void cut_rows(hid_t file, const char *path, int rank, hsize_t rows, hsize_t columns)
{
  const hsize_t extent[2] = {rows, columns};
  const hid_t dataset = H5Dopen2(file, path, H5P_DEFAULT);
  assert_true(rank > 0 && H5Dset_extent(dataset, extent) >= 0);
  H5Dclose(dataset);
}

static void changed_hdf5_is_refused(void **state)
{
  const char *path = scratch_path(*state, "run.h5");
  hid_t file = open_to_change(path);
  put_texts(file, "joints/measure", "angle\0\0sideway\0none\0\0\0length\0", 7, 4);
  H5Fclose(file);
  assert_refused(path, "joints/measure of this run names something that coordinates of joints cannot be");
  file = open_to_change(path);
  put_texts(file, "joints/measure", "angle\0none\0", 6, 2);
  H5Fclose(file);
  assert_refused(path, "joints/measure of this run has 2 rows, expected are 4");
  file = open_to_change(path);
  put_texts(file, "joints/measure", "none\0none\0none\0none", 5, 4);
  H5Fclose(file);
  assert_refused(path, "joints/values of this run does not have a column for every quantity of every joint");
  file = open_to_change(path);
  put_texts(file, "joints/name", "a\0b\0a\0c", 2, 4);
  H5Fclose(file);
  assert_refused(path, "joints/name of this run names something twice");
  file = open_to_change(path);
  assert_true(H5Ldelete(file, "joints/name", H5P_DEFAULT) >= 0);
  H5Fclose(file);
  assert_refused(path, "joints/name of this run is missing");
  file = open_to_change(path);
  cut_rows(file, "joints/t", 1, 7, 1);
  H5Fclose(file);
  assert_refused(path, "joints of this run does not have a row for every state");
  file = open_to_change(path);
  cut_rows(file, "impacts/pn", 1, 1, 1);
  H5Fclose(file);
  assert_refused(path, "impacts/pn of this run has 1 rows");
  for (int k = 0; k < 3; ++k) {
    static const double wrong[] = {4.0, -2.0, 0.5};
    file = open_to_change(path);
    put_number(file, "impacts/approach", -7.0); // any number may be there
    put_number(file, "impacts/joint", k < 2 ? wrong[k] : 99.0);
    H5Fclose(file);
    assert_refused(path, "impacts/joint of this run holds a number that has no name");
  }
}

// Numbers of joints in a run that is resumed must be those of the model.
static void impacts_of_other_joints_are_not_resumed(void **state)
{
  enum { NAMES = 4000, LENGTH = 5 };
  static const char *const outputs[] = {"rest.csv", "rest.h5"};
  const char *path = scratch_path(*state, "run.h5");
  char *names = calloc(NAMES, LENGTH);
  assert_non_null(names);
  for (int k = 0; k < NAMES; ++k) snprintf(names + (size_t)k * LENGTH, LENGTH, "%d", k);
  const hid_t file = open_to_change(path);
  put_texts(file, "impacts/joints", names, LENGTH, NAMES);
  put_number(file, "impacts/joint", NAMES - 1);
  H5Fclose(file);
  free(names);
  ts_record *record = open_run(path);
  ts_scene *scene = parse(NULL, 0);
  ts_sim *sim = simulate(scene, true);
  for (int k = 0; k < 2; ++k) {
    ts_recorder *recorder;
    ts_error error = {0};
    const char *output = scratch_path(*state, outputs[k]);
    assert_int_equal(ts_recorder_resume(output, record, sim, NULL, &recorder, &error), TS_INVALID);
    assert_string_equal(error.text, "the run to be resumed is one of other joints, or these are not measured");
    assert_null(recorder);
    assert_int_not_equal(access(output, F_OK), 0);
  }
  ts_record_close(record);
  ts_sim_destroy(sim);
  ts_scene_destroy(scene);
}

typedef struct fault {
  const char *file, *text, *fragment;
  int line, column;
} fault;

static void changed_csv_is_refused(void **state)
{
  static const fault faults[] = {
      {"run.joints.csv", "", "there is no joint in this table", 1, 1},
      {"run.joints.csv", "t\n0\n", "there is no joint in this table", 1, 2},
      {"run.joints.csv", "t,elbow\n", "this column should be joint.quantity", 1, 3},
      {"run.joints.csv", "t,.position\n", "this column should be joint.quantity", 1, 3},
      {"run.joints.csv", "t,a.position,a.rate\n", "column a.motor is missing", 1, 20},
      {"run.joints.csv", "t,a.fx,a.fy,a.fz,a.mx,a.my,a.mz,a.m\n", "there is no such column", 1, 33},
      {"run.joints.csv", "t,a.fx,a.fy,a.fz,a.mx,a.my,a.q\n", "this column should be a.mz", 1, 28},
      {"run.joints.csv", "t,a.fx,a.fy,a.fz,a.mx,a.my,a.mz\n0,1,2,3,4,5,6\n",
       "there are 1 rows of joints, but 31 states", 0, 0},
      {"run.joints.csv", "t,a.fx,a.fy,a.fz,a.mx,a.my,a.mz\n0,1,2,x,4,5,6\n", "column a.fz wants a number", 2, 7},
      {"run.joints.csv", "t,\"a.fx\n", "the quote that begins here never ends", 1, 3},
      {"run.impacts.csv", "", "this column should be t", 1, 1},
      {"run.impacts.csv", "t,body1,body2,joint,approach\n", "column pn is missing", 1, 29},
      {"run.impacts.csv", "t,body1,body2,joint,approach,pn\n0,bob,floor,\"\",1\n",
       "this row has 5 fields, there are 6 columns", 2, 1},
      {"run.impacts.csv", "t,body1,body2,joint,approach,pn\nsoon,bob,floor,\"\",1,2\n", "column t wants a number", 2,
       1},
  };
  for (size_t k = 0; k < sizeof faults / sizeof *faults; ++k) {
    ts_record *record;
    ts_error error = {0};
    const char *path = scratch_path(*state, "run.csv");
    const char *name = scratch_path(*state, faults[k].file);
    record_run(path, true, "step.method=event-driven");
    scratch_write(name, faults[k].text, strlen(faults[k].text));
    assert_int_equal(ts_record_open(path, &record, &error), TS_INVALID);
    assert_null(record);
    if (!strstr(error.text, faults[k].fragment) || error.line != faults[k].line || error.column != faults[k].column)
      fail_msg("fault %zu: %s:%d:%d: %s", k, error.file, error.line, error.column, error.text);
    assert_string_equal(error.file, name);
  }
}

#define scratch_test(f) cmocka_unit_test_setup_teardown(f, scratch_folder_set_up, scratch_folder_tear_down)

int main(void)
{
  const struct CMUnitTest tests[] = {
      scratch_test(states_read_back),
      scratch_test(impacts_read_back),
      scratch_test(resumed_runs_leave_the_same_file),
      scratch_test(runs_without_them_are_as_they_were),
      scratch_test(changed_hdf5_is_refused),
      scratch_test(impacts_of_other_joints_are_not_resumed),
      scratch_test(changed_csv_is_refused),
  };
  return cmocka_run_group_tests(tests, NULL, NULL);
}
