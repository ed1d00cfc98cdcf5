// The library has no global state: what a thread computes is, to the last bit, what it computes alone, whatever another
// thread does with the same model or problem. test.sh runs this under the thread sanitizer, which sees more than the
// results: any memory that two threads use without order.
#define _POSIX_C_SOURCE 200809L
#include "scratch_folder.h"
#include "whole_file.h"

#include "touchstone/dynamics.h"
#include "touchstone/problem_file.h"
#include "touchstone/record.h"
#include "touchstone/scene.h"
#include "touchstone/solver.h"
#include "touchstone/study.h"

#include <hdf5.h>
#include <locale.h>
#include <math.h>
#include <pthread.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <cmocka.h>

// ---- work that leaves bytes ----------------------------------------------------------------------------------------

// What a piece of work found out. cmocka must not be called from threads, so trouble is kept here.
typedef struct transcript {
  unsigned char *bytes;
  size_t size, capacity;
  char trouble[600]; // empty: none
} transcript;

static void note(transcript *t, const void *bytes, size_t size)
{
  if (t->size + size > t->capacity) {
    t->capacity = 2 * (t->size + size);
    t->bytes = realloc(t->bytes, t->capacity);
    if (!t->bytes) abort();
  }
  memcpy(t->bytes + t->size, bytes, size);
  t->size += size;
}

static void note_text(transcript *t, const char *text)
{
  note(t, text, strlen(text) + 1);
}

// Whether it went well; else the first thing that did not is kept.
static bool well(transcript *t, ts_status status, const ts_error *error)
{
  if (status != TS_OK && t->trouble[0] == '\0') snprintf(t->trouble, sizeof t->trouble, "%s", error->text);
  return status == TS_OK;
}

typedef struct work {
  void (*run)(const struct work *work, transcript *result);
  const void *what; // constant: threads share it
  int variant;
  const char *path; // where it may write, of its own
} work;

typedef struct thread {
  pthread_t id;
  pthread_barrier_t *start;
  const work *work;
  transcript result;
} thread;

static void *run_thread(void *argument)
{
  thread *self = argument;
  pthread_barrier_wait(self->start);
  self->work->run(self->work, &self->result);
  return NULL;
}

// Each piece alone, then both at once: the same bytes. How many there are.
static size_t assert_threads_do_not_meet(const work pair[2])
{
  transcript alone[2] = {{0}, {0}};
  pthread_barrier_t start;
  thread threads[2] = {{.start = &start, .work = &pair[0]}, {.start = &start, .work = &pair[1]}};
  for (int k = 0; k < 2; ++k) pair[k].run(&pair[k], &alone[k]);
  pthread_barrier_init(&start, NULL, 2);
  for (int k = 0; k < 2; ++k) assert_int_equal(pthread_create(&threads[k].id, NULL, run_thread, &threads[k]), 0);
  for (int k = 0; k < 2; ++k) assert_int_equal(pthread_join(threads[k].id, NULL), 0);
  pthread_barrier_destroy(&start);
  size_t size = 0;
  for (int k = 0; k < 2; ++k) {
    const transcript *together = &threads[k].result;
    if (alone[k].trouble[0]) fail_msg("alone: %s", alone[k].trouble);
    if (together->trouble[0]) fail_msg("beside another thread: %s", together->trouble);
    assert_int_equal(together->size, alone[k].size);
    assert_memory_equal(together->bytes, alone[k].bytes, alone[k].size);
    size += alone[k].size;
    free(alone[k].bytes);
    free(threads[k].result.bytes);
  }
  return size;
}

// ---- simulations that share a model --------------------------------------------------------------------------------

enum { STEPS = 30, VARIANTS = 2 }; // the arm rebounds in one of them

// Variant 2 k: stepper k in redundant coordinates, 2 k + 1: in minimal ones; the implicit ones take what they know.
static ts_step_options options_of(int variant)
{
  ts_step_options options = ts_step_options_default();
  options.method = ts_stepper_at(variant / VARIANTS);
  options.coordinates = variant % VARIANTS ? TS_COORDINATES_MINIMAL : TS_COORDINATES_REDUNDANT;
  options.size = 2e-3;
  options.cone = variant % 3 == 2 ? TS_CONE_POLYHEDRAL : TS_CONE_QUADRATIC;
  if (options.method == ts_stepper_find("implicit") || options.method == ts_stepper_find("implicit-compliant")) {
    options.coordinates = TS_COORDINATES_REDUNDANT;
    options.cone = TS_CONE_QUADRATIC;
    options.impacts = TS_IMPACT_INELASTIC;
  }
  if (options.method == ts_stepper_find("compliant")) options.impacts = TS_IMPACT_INELASTIC;
  if (options.method == ts_stepper_find("quasistatic")) {
    options.coordinates = TS_COORDINATES_REDUNDANT;
    options.impacts = TS_IMPACT_INELASTIC;
  }
  return options;
}

static void note_state(transcript *result, const ts_sim *sim)
{
  double *state;
  size_t size;
  ts_error error;
  if (!well(result, ts_sim_snapshot(sim, &state, &size, &error), &error)) return;
  note(result, state, size * sizeof *state);
  free(state);
  const ts_step_report *report = ts_sim_report(sim);
  note(result, &report->residual, sizeof report->residual);
  note(result, &report->contacts, sizeof report->contacts);
}

static void simulate(const work *w, transcript *result)
{
  const ts_step_options options = options_of(w->variant);
  ts_sim *sim;
  ts_error error;
  if (!well(result, ts_sim_create(w->what, &options, NULL, &sim, &error), &error)) return;
  for (int k = 0; k < STEPS && well(result, ts_sim_step(sim, &error), &error); ++k) note_state(result, sim);
  ts_sim_destroy(sim);
}

// A ball that slides and then rolls, a box that slides, and an arm that swings onto the floor and rebounds.
static const char *const scenes[] = {
    "touchstone: 1\n"
    "contact: {friction: 0.4, restitution: 0.3, stiffness: 1e5, damping: 50}\n"
    "bodies:\n"
    "  - {name: floor, kind: fixed, shape: {plane: {normal: [0, 0, 1], offset: 0}}}\n"
    "  - {name: ball, mass: 1, shape: {sphere: {radius: 0.2}}, position: [0, 0, 0.2], velocity: [1, 0, 0]}\n"
    "  - {name: box, mass: 2, shape: {box: {size: [0.4, 0.3, 0.2]}}, position: [1, 0, 0.1], velocity: [0.5, 0.2, 0]}\n"
    "  - {name: arm, mass: 1, shape: {capsule: {radius: 0.1, length: 0.4}}, position: [0, 1.1, 0.315]}\n"
    "joints:\n"
    "  - {name: hinge, type: revolute, parent: world, child: arm, at: [0, 1, 0.6], axis: [1, 0, 0], velocity: -3}\n",
    "touchstone: 1\n"
    "space: 2d\n"
    "contact: {friction: 0.4, restitution: 0.3, stiffness: 1e5, damping: 50}\n"
    "bodies:\n"
    "  - {name: floor, kind: fixed, shape: {plane: {normal: [0, 1], offset: 0}}}\n"
    "  - {name: disc, mass: 1, shape: {disc: {radius: 0.2}}, position: [0, 0.2], velocity: [1, 0]}\n"
    "  - {name: plate, mass: 2, shape: {box: {size: [0.4, 0.2]}}, position: [1, 0.1], velocity: [0.5, 0]}\n"
    "  - {name: arm, mass: 1, shape: {disc: {radius: 0.1}}, position: [2.1, 0.11]}\n"
    "joints:\n"
    "  - {name: hinge, type: revolute, parent: world, child: arm, at: [2, 0.6], velocity: -3}\n"};

static ts_scene *make_scene(int k)
{
  ts_scene *scene;
  ts_error error;
  if (ts_scene_parse(scenes[k], strlen(scenes[k]), "scene", NULL, 0, &scene, &error) != TS_OK)
    fail_msg("%d: %s", error.line, error.text);
  return scene;
}

static void simulations_share_a_model(void **state)
{
  (void)state;
  for (int s = 0; s < 2; ++s) {
    ts_scene *scene = make_scene(s);
    const ts_model *model = ts_scene_model(scene);
    for (int variant = 0; variant < VARIANTS * ts_stepper_count(); ++variant) {
      const work pair[] = {{simulate, model, variant, NULL}, {simulate, model, variant, NULL}};
      assert_true(assert_threads_do_not_meet(pair) > 1000);
    }
    ts_scene_destroy(scene);
  }
}

static void different_steppers_share_a_model(void **state)
{
  (void)state;
  ts_scene *scene = make_scene(0);
  const ts_model *model = ts_scene_model(scene);
  const int count = VARIANTS * ts_stepper_count();
  for (int variant = 0; variant < count; ++variant) {
    const work pair[] = {{simulate, model, variant, NULL}, {simulate, model, (variant + 1) % count, NULL}};
    assert_threads_do_not_meet(pair);
  }
  ts_scene_destroy(scene);
}

// ---- dynamics ------------------------------------------------------------------------------------------------------

static void move_by_dynamics(const work *w, transcript *result)
{
  ts_dynamics *dynamics;
  ts_error error;
  if (!well(result, ts_dynamics_create(w->what, NULL, &dynamics, &error), &error)) return;
  const size_t n = (size_t)ts_dynamics_rate_count(dynamics);
  double *numbers = calloc(n * n + n, sizeof *numbers), *a = numbers + n * n;
  if (!numbers) abort();
  for (int k = 0; k < 20; ++k) {
    ts_dynamics_mass_matrix(dynamics, numbers);
    well(result, ts_dynamics_forward(dynamics, NULL, NULL, a, &error), &error);
    note(result, numbers, (n * n + n) * sizeof *numbers);
  }
  free(numbers);
  ts_dynamics_destroy(dynamics);
}

static void dynamics_share_a_model(void **state)
{
  (void)state;
  ts_scene *scene = make_scene(0);
  const ts_model *model = ts_scene_model(scene);
  const work pair[] = {{move_by_dynamics, model, 0, NULL}, {move_by_dynamics, model, 0, NULL}};
  assert_true(assert_threads_do_not_meet(pair) > 1000);
  ts_scene_destroy(scene);
}

// ---- solvers -------------------------------------------------------------------------------------------------------

static void solve(const work *w, transcript *result)
{
  const ts_problem *problem = w->what;
  ts_solve_options options = ts_solve_options_default();
  ts_workspace *workspace = ts_workspace_create(NULL);
  const size_t size = ts_problem_size(problem);
  double *z = calloc(size, sizeof *z);
  if (!z || !workspace) abort();
  ts_report report = {0};
  ts_error error;
  options.max_iterations = 200;
  for (int k = 0; k < 2; ++k) {
    memset(z, 0, size * sizeof *z);
    well(result, ts_solve(ts_solver_at(w->variant), problem, &options, workspace, z, &report, &error), &error);
    note(result, z, size * sizeof *z);
    note(result, &report.iterations, sizeof report.iterations);
  }
  free(z);
  ts_workspace_destroy(workspace);
}

static void solvers_share_a_problem(void **state)
{
  (void)state;
  static const char *const paths[] = {TEST_DATA "/problems/piles/fc3d_np_K0016_rest.txt",
                                      TEST_DATA "/problems/mlcp/diodeBridge_mlcp.dat",
                                      TEST_DATA "/problems/lcp/lcp_enum_fails.dat"};
  int pairs = 0;
  for (size_t i = 0; i < sizeof paths / sizeof *paths; ++i) {
    ts_problem_file *file;
    assert_int_equal(ts_problem_file_read(paths[i], &file, NULL), TS_OK);
    const ts_problem *problem = ts_problem_file_problem(file);
    for (int k = 0; k < ts_solver_count(); ++k) {
      if (!(ts_solver_takes(ts_solver_at(k)) & (unsigned)problem->type)) continue;
      const work pair[] = {{solve, problem, k, NULL}, {solve, problem, k, NULL}};
      assert_threads_do_not_meet(pair);
      ++pairs;
    }
    ts_problem_file_destroy(file);
  }
  assert_true(pairs > ts_solver_count());
}

// ---- files and the locale ------------------------------------------------------------------------------------------

static void read_scenes(const work *w, transcript *result)
{
  for (int k = 0; k < 10; ++k) {
    ts_scene *scene;
    ts_error error;
    if (!well(result, ts_scene_read(w->what, NULL, 0, &scene, &error), &error)) return;
    note_text(result, ts_scene_text(scene));
    ts_scene_destroy(scene);
  }
}

static void read_problems(const work *w, transcript *result)
{
  for (int k = 0; k < 10; ++k) {
    ts_problem_file *file;
    ts_error error;
    if (!well(result, ts_problem_file_read(w->what, &file, &error), &error)) return;
    const ts_friction *friction = &ts_problem_file_problem(file)->friction;
    note(result, friction->q, (size_t)(friction->contacts * friction->dimension) * sizeof *friction->q);
    ts_problem_file_destroy(file);
  }
}

// What a program prints beside the library: by the locale that it has chosen, all the time.
static void print_numbers(const work *w, transcript *result)
{
  for (int k = 0; k < 5000; ++k) {
    char text[32];
    snprintf(text, sizeof text, "%.3f", k / 8.0);
    note_text(result, text);
    note_text(result, setlocale(LC_NUMERIC, NULL));
  }
  (void)w;
}

static void readers_leave_the_locale_of_other_threads(void **state)
{
  (void)state;
  static const char scene[] = TEST_DATA "/scenes/every_key_3d.yaml",
                    problem[] = TEST_DATA "/problems/piles/fc3d_np_K0016_rest.txt";
  if (!setlocale(LC_NUMERIC, "de_DE.UTF-8") && !setlocale(LC_NUMERIC, "C.UTF-8"))
    print_message("no other locale is installed\n");
  const work readers[] = {{read_scenes, scene, 0, NULL}, {read_scenes, scene, 0, NULL}};
  const work mixed[] = {{read_scenes, scene, 0, NULL}, {read_problems, problem, 0, NULL}};
  const work beside[] = {{read_scenes, scene, 0, NULL}, {print_numbers, NULL, 0, NULL}};
  assert_threads_do_not_meet(readers);
  assert_threads_do_not_meet(mixed);
  assert_threads_do_not_meet(beside);
  setlocale(LC_NUMERIC, "C");
}

// ---- recording -----------------------------------------------------------------------------------------------------

static void note_series(transcript *result, const char *path)
{
  ts_record *record;
  ts_error error;
  if (!well(result, ts_record_open(path, &record, &error), &error)) return;
  for (int i = 0; i < ts_record_series_count(record); ++i) {
    const char *name = ts_record_series_name(record, i);
    int count;
    const double *numbers = ts_record_series(record, name, &count);
    note_text(result, name);
    if (strcmp(name, "steps.seconds") != 0) note(result, numbers, (size_t)count * sizeof *numbers);
  }
  ts_record_close(record);
}

static void record_run(const work *w, transcript *result)
{
  const ts_step_options options = options_of(w->variant);
  ts_sim *sim;
  ts_recorder *recorder;
  ts_error error;
  if (!well(result, ts_sim_create(w->what, &options, NULL, &sim, &error), &error)) return;
  if (well(result, ts_recorder_create(w->path, sim, NULL, &recorder, &error), &error)) {
    for (int k = 0; k < STEPS; ++k) {
      well(result, ts_sim_step(sim, &error), &error);
      well(result, ts_recorder_add(recorder, sim, true, &error), &error);
    }
    well(result, ts_recorder_close(recorder, sim, &error), &error);
    note_series(result, w->path);
  }
  ts_sim_destroy(sim);
}

static void assert_records(scratch_folder *folder, const char *first, const char *second)
{
  ts_scene *scene = make_scene(0);
  const ts_model *model = ts_scene_model(scene);
  char paths[2][128];
  snprintf(paths[0], sizeof paths[0], "%s", scratch_path(folder, first));
  snprintf(paths[1], sizeof paths[1], "%s", scratch_path(folder, second));
  const work pair[] = {{record_run, model, 0, paths[0]}, {record_run, model, 0, paths[1]}};
  assert_true(assert_threads_do_not_meet(pair) > 1000);
  ts_scene_destroy(scene);
}

static void runs_are_recorded_side_by_side(void **state)
{
  assert_records(*state, "first.csv", "second.csv");
}

// libhdf5 has to be built for threads.
static void hdf5_runs_are_recorded_side_by_side(void **state)
{
  hbool_t for_threads = 0;
  assert_true(H5is_library_threadsafe(&for_threads) >= 0);
  if (!for_threads) {
    print_message("this HDF5 was not built for threads\n");
    skip();
  }
  assert_records(*state, "first.h5", "second.h5");
  assert_records(*state, "third.h5", "third.csv");
}

// ---- trials --------------------------------------------------------------------------------------------------------

// Trials of a scene one after another, as a worker of a sweep makes them: other numbers, and every third time other
// shapes.
static void vary_a_scene(const work *w, transcript *result)
{
  enum { TRIALS = 6, SHORT = 20 };
  ts_scene *scene;
  ts_error error;
  if (!well(result, ts_scene_read(w->what, NULL, 0, &scene, &error), &error)) return;
  const int count = ts_scene_parameter_count(scene);
  double *values = calloc((size_t)count, sizeof *values);
  if (!values) abort();
  for (int k = 0; k < TRIALS; ++k) {
    for (int i = 0; i < count; ++i) values[i] = NAN;
    for (int i = 0; i < count; ++i) {
      const char *name = ts_scene_parameter_at(scene, i).name;
      if (strcmp(name, "y") == 0) values[i] = -0.014 + 0.001 * k;
      if (strcmp(name, "mu_gripper") == 0) values[i] = 0.3 + 0.1 * k;
      if (strcmp(name, "R") == 0 && k % 3 == 2) values[i] = 0.0205;
    }
    ts_sim *sim;
    if (!well(result, ts_scene_set_parameters(scene, values, &error), &error)) break;
    if (!well(result, ts_sim_create(ts_scene_model(scene), ts_scene_options(scene), NULL, &sim, &error), &error)) break;
    for (int step = 0; step < SHORT && well(result, ts_sim_step(sim, &error), &error); ++step) note_state(result, sim);
    ts_sim_destroy(sim);
  }
  free(values);
  ts_scene_destroy(scene);
}

static void trials_are_made_side_by_side(void **state)
{
  (void)state;
  static const char grasp[] = EXAMPLES "/gear_grasp/grasp.yaml";
  const work pair[] = {{vary_a_scene, grasp, 0, NULL}, {vary_a_scene, grasp, 0, NULL}};
  assert_true(assert_threads_do_not_meet(pair) > 1000);
}

// A sweep of a scene by two threads makes the table that one makes.
static void a_sweep_by_threads_makes_the_same_table(void **state)
{
  static const char text[] =
      "study: 1\nscene: " EXAMPLES "/gear_grasp/grasp.yaml\nset: [duration=0.02]\n"
      "vary: {y: {grid: [-0.014, -0.004], count: 4}, mu_gripper: {uniform: [0.3, 0.6]}}\nsamples: 4\n";
  ts_error error;
  ts_study *study;
  ts_sweep_options options = ts_sweep_options_default();
  scratch_write(scratch_path(*state, "study.yaml"), text, sizeof text - 1);
  assert_int_equal(ts_study_read(scratch_path(*state, "study.yaml"), NULL, &study, &error), TS_OK);
  for (options.jobs = 1; options.jobs <= 2; ++options.jobs) {
    const char *path = scratch_path(*state, options.jobs == 1 ? "one.csv" : "two.csv");
    assert_int_equal(ts_study_sweep(study, path, &options, NULL, &error), TS_OK);
    assert_int_equal(ts_study_pack(study, path, &error), TS_OK);
  }
  assert_same_files(scratch_path(*state, "one.csv"), scratch_path(*state, "two.csv"));
  ts_study_destroy(study);
}

int main(void)
{
  const struct CMUnitTest tests[] = {
      cmocka_unit_test(simulations_share_a_model),
      cmocka_unit_test(different_steppers_share_a_model),
      cmocka_unit_test(dynamics_share_a_model),
      cmocka_unit_test(solvers_share_a_problem),
      cmocka_unit_test(readers_leave_the_locale_of_other_threads),
      cmocka_unit_test(runs_are_recorded_side_by_side),
      cmocka_unit_test(hdf5_runs_are_recorded_side_by_side),
      cmocka_unit_test(trials_are_made_side_by_side),
      cmocka_unit_test(a_sweep_by_threads_makes_the_same_table),
  };
  return cmocka_run_group_tests(tests, scratch_folder_set_up, scratch_folder_tear_down);
}
