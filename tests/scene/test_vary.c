// Setting parameters again gives what a fresh read with these values gives: model, options and times to the last bit,
// and the same steps. Scenes of the tests and of the examples, in which numbers are replaced by parameters.
#include "library_calls.h"
#include "scene_try.h"
#include "scratch_folder.h"
#include "watched_run.h"
#include "whole_file.h"

#include "touchstone/scene.h"

#include "base/random.h"
#include "scene/scene.h"
#include "step/sim.h"

#include <ctype.h>
#include <math.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <cmocka.h>

// ---- scenes with parameters ----------------------------------------------------------------------------------------

static const char *const files[] = {TEST_DATA "/scenes/every_key_3d.yaml",
                                    TEST_DATA "/scenes/every_key_2d.yaml",
                                    TEST_DATA "/scenes/skins_3d.yaml",
                                    TEST_DATA "/scenes/skins_2d.yaml",
                                    TEST_DATA "/scenes/supports_2_5d.yaml",
                                    TEST_DATA "/scenes/four_bar_3d.yaml",
                                    TEST_DATA "/scenes/jammed_poisson.yaml",
                                    EXAMPLES "/arm_pushes_box/push.yaml",
                                    EXAMPLES "/compliant_bounce/bounce.yaml",
                                    EXAMPLES "/compliant_bounce/box_drops.yaml",
                                    EXAMPLES "/corners/hole.yaml",
                                    EXAMPLES "/cube_tosses/cube.yaml",
                                    EXAMPLES "/fence_particle/fence.yaml",
                                    EXAMPLES "/fence_particle/fence_3d.yaml",
                                    EXAMPLES "/four_bar/four_bar.yaml",
                                    EXAMPLES "/gear_grasp/grasp.yaml",
                                    EXAMPLES "/gripper/gripper.yaml",
                                    EXAMPLES "/line_and_surface_contact/cube_slides.yaml",
                                    EXAMPLES "/line_and_surface_contact/cube_tips.yaml",
                                    EXAMPLES "/line_and_surface_contact/cylinder_rolls.yaml",
                                    EXAMPLES "/line_and_surface_contact/disc_rolls.yaml",
                                    EXAMPLES "/line_and_surface_contact/sphere_on_spheres.yaml",
                                    EXAMPLES "/needle_push/needle.yaml",
                                    EXAMPLES "/part_feeder/feeder.yaml",
                                    EXAMPLES "/real_pushes/push.yaml",
                                    EXAMPLES "/rolling_bodies/cylinder.yaml",
                                    EXAMPLES "/rolling_bodies/euler_disc.yaml",
                                    EXAMPLES "/screw_jack/jack.yaml",
                                    EXAMPLES "/soft_skin/block_tumbles.yaml",
                                    EXAMPLES "/soft_skin/disc_falls.yaml",
                                    EXAMPLES "/soft_skin/load_cycle.yaml",
                                    EXAMPLES "/sphere/sphere.yaml",
                                    EXAMPLES "/thesis_2_7/example_1.yaml",
                                    EXAMPLES "/thesis_2_7/example_3.yaml",
                                    EXAMPLES "/thesis_2_7/example_6.yaml",
                                    EXAMPLES "/tower/heavy_on_light.yaml",
                                    EXAMPLES "/tower/tower.yaml"};
enum { FILES = sizeof files / sizeof *files, MOST_NUMBERS = 2000, OWN = 64, PARAMETERS = 3 };

typedef struct number {
  size_t at, length;
  double value;
} number;

// Numbers that stand where a value may: behind a blank or a bracket, and not in a comment.
static int find_numbers(const char *text, number *numbers)
{
  int count = 0;
  bool in_comment = false;
  for (size_t i = 1; text[i] && count < MOST_NUMBERS; ++i) {
    if (text[i] == '\n') in_comment = false;
    if (text[i] == '#') in_comment = true;
    if (in_comment || (text[i - 1] != ' ' && text[i - 1] != '[') ||
        !(isdigit((unsigned char)text[i]) || text[i] == '-'))
      continue;
    char *end;
    const double value = strtod(text + i, &end);
    const size_t length = (size_t)(end - text) - i;
    if (length == 0 || !strchr(",]} \n", *end) || (i >= 12 && strncmp(text + i - 12, "touchstone: ", 12) == 0))
      continue;
    numbers[count++] = (number){i, length, value};
    i += length - 1;
  }
  return count;
}

typedef struct variation {
  const char *path;
  char *text;
  number chosen[PARAMETERS];
  double values[PARAMETERS + OWN]; // a scene may have some of its own, behind them
  ts_random random;
  ts_scene *scene;
  ts_sim *sim; // of the model that the scene had last
} variation;

// The text with `p0` and so on in the place of the numbers; the last is a multiple of the first where that is possible.
static char *with_parameters(const char *text, const number *chosen)
{
  static const char heading[] = "parameters:\n";
  const size_t size = strlen(text) + 400;
  char *made = malloc(size);
  const char *own = strstr(text, "\nparameters:\n");
  const bool derived = chosen[0].value != 0.0;
  int used = own ? 0 : snprintf(made, size, "%s", heading);
  for (size_t i = 0; text[i];) {
    int p = 0;
    if (own ? text + i == own + sizeof heading : i == 0)
      used += snprintf(made + used, size - (size_t)used, "  p0: %.17g\n  p1: {value: %.17g}\n  p2: %s%.17g\n",
                       chosen[0].value, chosen[1].value, derived ? "=p0*" : "",
                       derived ? chosen[2].value / chosen[0].value : chosen[2].value);
    while (p < PARAMETERS && chosen[p].at != i) ++p;
    if (p < PARAMETERS) used += snprintf(made + used, size - (size_t)used, "=p%d", p);
    if (p < PARAMETERS)
      i += chosen[p].length;
    else
      made[used++] = text[i++];
  }
  made[used] = '\0';
  return made;
}

// ---- one against the other -----------------------------------------------------------------------------------------

static ts_status read_fresh(const variation *v, ts_scene **scene)
{
  char texts[PARAMETERS][60];
  const char *overrides[PARAMETERS];
  int count = 0;
  for (int p = 0; p < PARAMETERS; ++p) {
    if (isnan(v->values[p])) continue;
    snprintf(texts[count], sizeof texts[count], "p%d=%.17g", p, v->values[p]);
    overrides[count] = texts[count];
    ++count;
  }
  return ts_scene_parse(v->text, strlen(v->text), v->path, overrides, count, scene, NULL);
}

static void assert_same_state(const variation *v, const ts_sim *a, const ts_sim *b, int step)
{
  for (int body = 0; body < ts_model_body_count(ts_sim_model(a)); ++body) {
    const ts_pose one = ts_sim_pose(a, body), other = ts_sim_pose(b, body);
    const ts_twist fast = ts_sim_velocity(a, body), as_fast = ts_sim_velocity(b, body);
    if (memcmp(&one, &other, sizeof one) != 0 || memcmp(&fast, &as_fast, sizeof fast) != 0)
      fail_msg("%s: body %d differs in step %d, at %g %g %g\n%s", v->path, body, step, v->values[0], v->values[1],
               v->values[2], v->text);
  }
}

// The next simulation is made from the one before.
static void compare_steps(variation *v, const ts_scene *fresh, int steps)
{
  ts_sim *next, *other;
  ts_error error = {0}, same = {0};
  const ts_status status =
      ts_sim_create_like(v->sim, ts_scene_model(v->scene), ts_scene_options(v->scene), NULL, &next, &error);
  assert_int_equal(ts_sim_create(ts_scene_model(fresh), ts_scene_options(fresh), NULL, &other, &same), status);
  ts_sim_destroy(v->sim);
  v->sim = next;
  if (status != TS_OK) {
    assert_string_equal(error.text, same.text);
    return;
  }
  assert_same_state(v, next, other, 0);
  for (int k = 1; k <= steps; ++k) {
    const ts_status stepped = ts_sim_step(next, NULL);
    assert_int_equal(ts_sim_step(other, NULL), stepped);
    assert_same_state(v, next, other, k);
    if (stepped != TS_OK) break;
  }
  ts_sim_destroy(other);
}

static double random_value(variation *v, double value)
{
  static const double factors[] = {1.0, 1.0, 1.1, 0.9, 2.0, 0.5, 1.0001, 0.0, -1.0, 1e3};
  const int which = (int)ts_random_uniform(&v->random, 0.0, 12.0);
  if (which >= 10) return NAN;
  return value == 0.0 ? factors[which] - 1.0 : factors[which] * value;
}

// Set once; whether the values were accepted.
static bool vary_once(variation *v, int steps)
{
  ts_scene *fresh;
  for (int p = 0; p < PARAMETERS; ++p) v->values[p] = random_value(v, v->chosen[p].value);
  const ts_status expected = read_fresh(v, &fresh);
  ts_error error = {0};
  const ts_status status = ts_scene_set_parameters(v->scene, v->values, &error);
  if (status != expected)
    fail_msg("%s: %g %g %g gives '%s', a fresh read %s", v->path, v->values[0], v->values[1], v->values[2], error.text,
             ts_status_text(expected));
  if (status != TS_OK) {
    ts_sim_destroy(v->sim); // its model may be gone after the next call
    v->sim = NULL;
    return false;
  }
  const char *difference = scene_difference(v->scene, fresh);
  if (difference)
    fail_msg("%s: '%s' differs at %g %g %g\n%s", v->path, difference, v->values[0], v->values[1], v->values[2],
             v->text);
  for (int p = 0; p < PARAMETERS; ++p)
    assert_true(ts_scene_parameter_at(v->scene, p).value == ts_scene_parameter_at(fresh, p).value);
  compare_steps(v, fresh, steps);
  ts_scene_destroy(fresh);
  return true;
}

typedef struct totals {
  int scenes, refused, set, failed;
} totals;

static void vary_numbers(const char *path, const char *text, const number *numbers, int count, uint64_t seed, int sets,
                         int steps, totals *all)
{
  variation v = {.path = path};
  for (int p = PARAMETERS; p < PARAMETERS + OWN; ++p) v.values[p] = NAN;
  ts_random_init(&v.random, seed);
  int at[PARAMETERS];
  for (int p = 0; p < PARAMETERS; ++p) {
    at[p] = (int)ts_random_uniform(&v.random, 0.0, count);
    for (int q = 0; q < p; ++q)
      if (at[q] == at[p]) return;
    v.chosen[p] = numbers[at[p]];
  }
  v.text = with_parameters(text, v.chosen);
  if (ts_scene_parse(v.text, strlen(v.text), path, NULL, 0, &v.scene, NULL) == TS_OK) {
    ++all->scenes;
    for (int k = 0; k < sets; ++k) ++*(vary_once(&v, steps) ? &all->set : &all->failed);
  } else {
    ++all->refused;
  }
  ts_sim_destroy(v.sim);
  ts_scene_destroy(v.scene);
  free(v.text);
}

// Steps that are compared: few where they take long.
static int steps_of(const char *path)
{
  return strstr(path, "cylinder.yaml") || strstr(path, "jammed") ? 2 : 50;
}

static void any_numbers_of_any_scene(void **state)
{
  (void)state;
  static number numbers[MOST_NUMBERS];
  totals all = {0};
  for (int f = 0; f < FILES; ++f) {
    char *text = read_text(files[f]);
    const int count = find_numbers(text, numbers);
    assert_true(count >= PARAMETERS);
    for (uint64_t k = 0; k < (steps_of(files[f]) < 50 ? 1 : 8); ++k)
      vary_numbers(files[f], text, numbers, count, 1000 * (uint64_t)f + k, 5, k < 2 ? steps_of(files[f]) : 0, &all);
    free(text);
  }
  print_message("%d scenes, %d not read; %d sets, %d refused\n", all.scenes, all.refused, all.set, all.failed);
  assert_true(all.scenes > 200 && all.set > 700 && all.failed > 300);
}

// ---- chosen scenes -------------------------------------------------------------------------------------------------

// All kinds of things that parameters can change: counts, shapes, conditions, results, steps, times.
static const char all_kinds[] =
    "touchstone: 1\n"
    "parameters:\n"
    "  n: {value: 3, range: [1, 6]}\n"
    "  r: 0.1\n"
    "  gap: =2.5*r\n"
    "  mu: {value: 0.5, range: [0, 2]}\n"
    "  h: 1e-3\n"
    "  wait: 0.1\n"
    "contact: {friction: =mu}\n"
    "bodies:\n"
    "  - {name: floor, kind: fixed, shape: {plane: {normal: [0, 0, 1]}}}\n"
    "  - {repeat: {count: =n}, name: ball_$i, shape: {sphere: {radius: =r}}, position: [=gap*i, 0, =r], velocity: [0, "
    "=mu, 0]}\n"
    "step: {size: =h}\n"
    "duration: =10*wait\n"
    "output: {interval: =wait}\n"
    "stop: [{when: ball_0.y > wait, for: =wait/2, name: away}]\n"
    "results: {way: {max: ball_0.y*mu, last: =wait}, late: {mean: ball_0.vy, from: =wait/2, to: =wait}, count: n}\n";
enum { N, R, GAP, MU, H, WAIT, VALUES };

static ts_scene *fresh_with(const char *text, const double *values, ts_status *status)
{
  static const char *const names[] = {"n", "r", "gap", "mu", "h", "wait"};
  char texts[VALUES][60];
  const char *overrides[VALUES];
  int count = 0;
  for (int i = 0; i < VALUES; ++i) {
    if (isnan(values[i])) continue;
    snprintf(texts[count], sizeof texts[count], "%s=%.17g", names[i], values[i]);
    overrides[count] = texts[count];
    ++count;
  }
  ts_scene *scene;
  *status = ts_scene_parse(text, strlen(text), "test.yaml", overrides, count, &scene, NULL);
  return scene;
}

// What a watch of the scene finds in a run of it.
static void run_watched(ts_scene *scene, double *results, double *end, char *stopped)
{
  watched_run run = {.scene = scene};
  ts_error error = {0};
  assert_int_equal(ts_sim_create(ts_scene_model(scene), ts_scene_options(scene), NULL, &run.sim, &error), TS_OK);
  if (ts_scene_create_watch(scene, &run.watch, &error) != TS_OK) fail_msg("%s", error.text);
  assert_int_equal(ts_watch_begin(run.watch, run.sim, &error), TS_OK);
  watched_finish(&run);
  assert_int_equal(ts_watch_result_count(run.watch), 3);
  for (int i = 0; i < 3; ++i) results[i] = ts_watch_result(run.watch, i);
  *end = ts_sim_time(run.sim);
  const int which = ts_watch_stopped(run.watch);
  snprintf(stopped, 40, "%s", which >= 0 ? ts_watch_stop_name(run.watch, which) : "");
  ts_watch_destroy(run.watch);
  ts_sim_destroy(run.sim);
}

static void counts_shapes_conditions_and_results(void **state)
{
  (void)state;
  static const double sets[][VALUES] = {
      {NAN, NAN, NAN, NAN, NAN, NAN},      {NAN, NAN, NAN, 0.25, NAN, NAN}, {NAN, NAN, NAN, NAN, NAN, NAN},
      {5, NAN, NAN, NAN, NAN, NAN},        {NAN, NAN, NAN, NAN, NAN, NAN},  {NAN, 0.2, NAN, NAN, NAN, NAN},
      {NAN, NAN, 1.0, NAN, NAN, NAN},      {NAN, NAN, NAN, NAN, 2e-3, NAN}, {7, NAN, NAN, NAN, NAN, NAN},
      {NAN, NAN, NAN, 1.0, NAN, 0.05},     {2.5, NAN, NAN, NAN, NAN, NAN},  {NAN, 0.2, NAN, 3.0, NAN, NAN},
      {NAN, NAN, 0.01, NAN, NAN, NAN},     {1, 0.3, 0.4, 0.75, 5e-4, 0.2},  {NAN, -1, NAN, NAN, NAN, NAN},
      {NAN, NAN, NAN, INFINITY, NAN, NAN}, {NAN, NAN, NAN, NAN, NAN, 0.02}, {NAN, NAN, NAN, NAN, NAN, NAN}};
  ts_scene *scene = scene_of(all_kinds, NULL);
  int refused = 0;
  for (size_t k = 0; k < sizeof sets / sizeof *sets; ++k) {
    ts_status expected;
    ts_scene *fresh = fresh_with(all_kinds, sets[k], &expected);
    ts_error error = {0};
    const ts_status status = ts_scene_set_parameters(scene, sets[k], &error);
    assert_int_equal(status, expected);
    refused += status != TS_OK;
    if (status != TS_OK) {
      ts_watch *none;
      assert_true(*error.text != '\0');
      assert_int_equal(ts_scene_create_watch(scene, &none, NULL), TS_INVALID);
      assert_int_equal(ts_scene_parameter_count(scene), VALUES);
      assert_string_equal(ts_scene_parameter_at(scene, MU).name, "mu");
      continue;
    }
    assert_null(scene_difference(scene, fresh));
    double results[2][3], ends[2];
    char stopped[2][40];
    run_watched(scene, results[0], &ends[0], stopped[0]);
    run_watched(fresh, results[1], &ends[1], stopped[1]);
    assert_memory_equal(results[0], results[1], sizeof results[0]);
    assert_true(ends[0] == ends[1]);
    assert_string_equal(stopped[0], stopped[1]);
    ts_scene_destroy(fresh);
  }
  assert_int_equal(refused, 6);
  ts_scene_destroy(scene);
}

// What conditions and results ask for may not be there with other values: that is said at once, as reading says it.
static void what_is_watched_may_be_gone(void **state)
{
  (void)state;
  const char text[] = "touchstone: 1\n"
                      "parameters: {n: 3, begin: 0.1, speed: 1}\n"
                      "bodies:\n"
                      "  - {repeat: {count: =n}, name: ball_$i, shape: {sphere: {radius: 0.1}}, position: [=i, 0, 0]}\n"
                      "stop: [{when: ball_1.z < -9}, {rest: 'ball_*', speed: =speed}]\n"
                      "results: {last: 2 + ball_2.x, late: {mean: ball_0.x, from: =begin, to: 0.2}}\n";
  static const struct {
    double values[3];
    const char *sentence;
  } sets[] = {{{2, NAN, NAN}, "there is no body 'ball_2'"},
              {{NAN, 0.3, NAN}, "the result 'late': its time is empty"},
              {{4, 0.15, 2}, NULL},
              {{1, NAN, NAN}, "there is no body 'ball_1'"},
              {{3, 0.15, NAN}, NULL},
              {{NAN, 0.25, 3}, "the result 'late': its time is empty"},
              {{NAN, NAN, NAN}, NULL}};
  ts_scene *scene = scene_of(text, NULL);
  for (size_t k = 0; k < sizeof sets / sizeof *sets; ++k) {
    const double *values = sets[k].values;
    ts_error error = {0}, same = {0};
    char texts[3][40];
    const char *overrides[3];
    int count = 0;
    for (int i = 0; i < 3; ++i) {
      if (isnan(values[i])) continue;
      snprintf(texts[count], sizeof texts[count], "%s=%.17g", ts_scene_parameter_at(scene, i).name, values[i]);
      overrides[count] = texts[count];
      ++count;
    }
    ts_scene *fresh;
    const ts_status expected = ts_scene_parse(text, strlen(text), "test.yaml", overrides, count, &fresh, &same);
    assert_int_equal(expected, sets[k].sentence ? TS_INVALID : TS_OK);
    assert_int_equal(ts_scene_set_parameters(scene, values, &error), expected);
    assert_string_equal(error.text, same.text);
    assert_int_equal(error.line, same.line);
    assert_int_equal(error.column, same.column);
    if (sets[k].sentence) assert_non_null(strstr(error.text, sets[k].sentence));
    ts_scene_destroy(fresh);
  }
  ts_scene_destroy(scene);
}

// Parts that stand together for ever are found once, wherever their bodies are at the start: a floor of tiles, and
// bodies of several shapes that fall onto it, are moved, turned and pushed.
static void compounds_move(void **state)
{
  (void)state;
  const char text[] = "touchstone: 1\n"
                      "parameters: {x: 0.1, angle: 0.3, v: 1, tile: 0}\n"
                      "contact: {friction: 0.4}\n"
                      "bodies:\n"
                      "  - {repeat: [{count: 4, as: i}, {count: 4, as: j}], name: tile_$(i)_$j, kind: fixed,\n"
                      "     shape: {box: {size: [0.5, 0.5, 0.2]}}, position: [=0.5*i, =0.5*j + tile, -0.1]}\n"
                      "  - repeat: {count: 3}\n"
                      "    name: cross_$i\n"
                      "    position: [=x + 0.4*i, =0.3 + 0.37*x, =0.4 + 0.3*i]\n"
                      "    orientation: {axis: [1, 2, 3], angle: =angle*(i + 1)}\n"
                      "    velocity: [=v, 0, -1]\n"
                      "    shapes:\n"
                      "      - {box: {size: [0.3, 0.1, 0.1]}}\n"
                      "      - {box: {size: [0.1, 0.3, 0.1]}}\n"
                      "      - {box: {size: [0.1, 0.1, 0.3]}, position: [0.03, 0.01, 0.02]}\n"
                      "step: {size: 2e-3}\n";
  ts_scene *scene = scene_of(text, NULL);
  ts_sim *like = NULL;
  for (int k = 0; k < 12; ++k) {
    const double values[] = {0.1 + 0.0137 * k, 0.3 + 0.71 * k, 1.0 - 0.3 * k, k < 6 ? NAN : 0.01 * k};
    char texts[4][40];
    for (int i = 0; i < 4; ++i)
      snprintf(texts[i], sizeof texts[i], "%s=%.17g", ts_scene_parameter_at(scene, i).name,
               isnan(values[i]) ? 0.0 : values[i]);
    ts_scene *fresh = scene_of(text, texts[0], texts[1], texts[2], texts[3], NULL);
    variation v = {.path = "compounds", .text = (char *)text, .scene = scene, .sim = like};
    memcpy(v.values, values, sizeof values);
    assert_int_equal(ts_scene_set_parameters(scene, values, NULL), TS_OK);
    assert_null(scene_difference(scene, fresh));
    compare_steps(&v, fresh, 150);
    like = v.sim;
    ts_scene_destroy(fresh);
  }
  ts_sim_destroy(like);
  ts_scene_destroy(scene);
}

// Robots and meshes are not read again from the disk.
static void files_are_read_once(void **state)
{
  scratch_folder *folder = *state;
  char *mesh = read_text(TEST_DATA "/scenes/wedge.obj"), *robot = read_text(TEST_DATA "/urdf/cartpole.urdf");
  const char text[] = "touchstone: 1\n"
                      "include: part.yaml\n"
                      "parameters: {s: 1, m: 2, h: 5}\n"
                      "urdf: {file: robot.urdf, position: [9, 0, =h]}\n"
                      "bodies:\n"
                      "  - {name: wedge, mass: =m, shape: {polytope: {file: wedge.obj, scale: =s}}}\n";
  const char part[] = "duration: =m\n";
  const char *paths[4] = {scratch_path(folder, "top.yaml"), scratch_path(folder, "part.yaml"),
                          scratch_path(folder, "wedge.obj"), scratch_path(folder, "robot.urdf")};
  const char *contents[4] = {text, part, mesh, robot};
  static const double sets[][3] = {{2, NAN, NAN}, {NAN, 3, NAN}, {NAN, NAN, 6}, {-1, 3, 3}, {1, 1, 1}, {0.5, NAN, 7}};
  enum { SETS = sizeof sets / sizeof *sets };
  ts_scene *fresh[SETS], *scene;
  ts_error error = {0};
  for (int i = 0; i < 4; ++i) scratch_write(paths[i], contents[i], strlen(contents[i]));
  for (int k = 0; k < SETS; ++k) {
    char texts[3][40];
    const char *overrides[3];
    int count = 0;
    for (int i = 0; i < 3; ++i)
      if (!isnan(sets[k][i])) {
        snprintf(texts[count], sizeof texts[count], "%c=%.17g", "smh"[i], sets[k][i]);
        overrides[count] = texts[count];
        ++count;
      }
    ts_scene_read(paths[0], overrides, count, &fresh[k], NULL);
  }
  if (ts_scene_read(paths[0], NULL, 0, &scene, &error) != TS_OK) fail_msg("%s", error.text);
  for (int i = 0; i < 4; ++i) assert_int_equal(remove(paths[i]), 0);
  for (int k = 0; k < SETS; ++k) {
    const ts_status status = ts_scene_set_parameters(scene, sets[k], &error);
    if ((status == TS_OK) != (fresh[k] != NULL)) fail_msg("set %d: %s", k, error.text);
    if (fresh[k]) assert_null(scene_difference(scene, fresh[k]));
    ts_scene_destroy(fresh[k]);
  }
  ts_scene_destroy(scene);
  free(mesh);
  free(robot);
}

// Overrides of other things hold whatever the parameters are.
static void overrides_stay(void **state)
{
  (void)state;
  const char *const overrides[] = {"ball_1.mass=7", "ball_0.mass==2*n", "mu=0.125", "gap=0.5"};
  ts_scene *scene = scene_of(all_kinds, overrides[0], overrides[1], overrides[2], overrides[3], NULL);
  const double values[VALUES] = {4, NAN, NAN, NAN, NAN, NAN}, quick[VALUES] = {4, NAN, NAN, 1.0, NAN, NAN};
  ts_scene *fresh = scene_of(all_kinds, overrides[0], overrides[1], overrides[2], overrides[3], "n=4", NULL);
  assert_int_equal(ts_scene_set_parameters(scene, quick, NULL), TS_OK);
  assert_int_equal(ts_scene_set_parameters(scene, values, NULL), TS_OK);
  assert_null(scene_difference(scene, fresh));
  assert_true(ts_scene_parameter_at(scene, GAP).value == 0.5 && ts_scene_parameter_at(scene, MU).value == 0.125);
  ts_scene_destroy(scene);
  ts_scene_destroy(fresh);
}

// Memory for so many allocations: either it is enough, or that is said; then other values are as good as ever, and
// nothing is lost.
static void memory_may_run_out_at_any_time(void **state)
{
  (void)state;
  if (!LIBRARY_CALLS_ARE_COUNTED) skip();
  static const double sets[][VALUES] = {{NAN, NAN, NAN, 0.25, NAN, NAN}, {5, 0.2, NAN, NAN, NAN, NAN}};
  const double none[VALUES] = {NAN, NAN, NAN, NAN, NAN, NAN};
  ts_scene *plain = scene_of(all_kinds, NULL);
  const int blocks = library_blocks;
  for (int k = 0; k < 2; ++k) {
    ts_scene *scene = scene_of(all_kinds, NULL);
    ts_status status = TS_OUT_OF_MEMORY;
    for (int granted = 0; status != TS_OK; ++granted) {
      assert_true(granted < 10000);
      library_calls_left = granted;
      status = ts_scene_set_parameters(scene, sets[k], NULL);
      library_calls_left = -1;
      assert_true(status == TS_OK || status == TS_OUT_OF_MEMORY);
      assert_int_equal(ts_scene_set_parameters(scene, none, NULL), TS_OK);
      assert_null(scene_difference(scene, plain));
    }
    status = TS_OUT_OF_MEMORY;
    for (int granted = 0; status != TS_OK; ++granted) {
      assert_true(granted < 10000);
      ts_watch *watch;
      library_calls_left = granted;
      status = ts_scene_create_watch(scene, &watch, NULL);
      library_calls_left = -1;
      assert_true((status == TS_OK && watch) || (status == TS_OUT_OF_MEMORY && !watch));
      ts_watch_destroy(watch);
    }
    ts_scene_destroy(scene);
  }
  assert_int_equal(library_blocks, blocks);
  ts_scene_destroy(plain);
}

int main(void)
{
  const struct CMUnitTest tests[] = {
      cmocka_unit_test(any_numbers_of_any_scene),
      cmocka_unit_test(counts_shapes_conditions_and_results),
      cmocka_unit_test(what_is_watched_may_be_gone),
      cmocka_unit_test(compounds_move),
      cmocka_unit_test(files_are_read_once),
      cmocka_unit_test(overrides_stay),
      cmocka_unit_test(memory_may_run_out_at_any_time),
  };
  return cmocka_run_group_tests(tests, scratch_folder_set_up, scratch_folder_tear_down);
}
