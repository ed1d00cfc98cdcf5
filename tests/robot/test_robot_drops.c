// Every robot of the folders beside the project, thrown on a floor with its base free and its joints loose: no step may
// be left uncertified. In ctest the first steps of each; with a second argument, "full", a second of each from three
// starts in minimal coordinates and one in redundant ones:
//   build/tests/test_robot_drops shared full
#define _GNU_SOURCE // scandir()
#include "shared_data.h"

#include "touchstone/scene.h"
#include "touchstone/sim.h"
#include "touchstone/urdf.h"

#include "base/random.h"
#include "math/vec3.h"

#include <dirent.h>
#include <math.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <cmocka.h>

enum { MOST_ROBOTS = 200, PATH_SIZE = 512 };

static bool full = false;

// ---- files ---------------------------------------------------------------------------------------------------------

typedef struct robot_list {
  char path[MOST_ROBOTS][PATH_SIZE];
  int count;
} robot_list;

static bool ends_in_urdf(const char *name)
{
  const size_t length = strlen(name);
  return length > 5 && strcmp(name + length - 5, ".urdf") == 0;
}

// All robots in a folder and those in it, in the order of their names.
static void list_robots(const char *folder, robot_list *list)
{
  struct dirent **entries;
  const int count = scandir(folder, &entries, NULL, alphasort);
  if (count < 0) fail_msg("there is no folder %s", folder);
  for (int i = 0; i < count; ++i) {
    char path[PATH_SIZE];
    struct stat about;
    const int length = snprintf(path, sizeof path, "%s/%s", folder, entries[i]->d_name);
    const bool hidden = entries[i]->d_name[0] == '.';
    free(entries[i]);
    if (hidden || length >= (int)sizeof path || stat(path, &about) != 0) continue;
    if (S_ISDIR(about.st_mode)) {
      list_robots(path, list);
    } else if (ends_in_urdf(path)) {
      assert_true(list->count < MOST_ROBOTS);
      memcpy(list->path[list->count++], path, sizeof path);
    }
  }
  free(entries);
}

// ---- drops ---------------------------------------------------------------------------------------------------------

typedef struct tally {
  int drops, steps, uncertified;
} tally;

static void must(const char *path, ts_status status, const ts_error *error)
{
  if (status != TS_OK) fail_msg("%s: %s", path, error->text);
}

static ts_vec3 random_vector(ts_random *random, double size)
{
  return (ts_vec3){ts_random_uniform(random, -size, size), ts_random_uniform(random, -size, size),
                   ts_random_uniform(random, -size, size)};
}

// All bodies move as one.
static void throw_robot(const char *path, ts_sim *sim, ts_random *random)
{
  const ts_twist v = {random_vector(random, 1.0), random_vector(random, 3.0)};
  const ts_model *model = ts_sim_model(sim);
  ts_vec3 first = {0};
  ts_error error;
  for (int b = 0, moving = 0; b < ts_model_body_count(model); ++b) {
    if (ts_model_body_kind(model, b) != TS_DYNAMIC) continue;
    const ts_vec3 at = ts_sim_pose(sim, b).position;
    if (moving++ == 0) first = at;
    const ts_twist own = {ts_add(v.linear, ts_cross(v.angular, ts_sub(at, first))), v.angular};
    must(path, ts_sim_set_velocity(sim, b, &own, &error), &error);
  }
}

static void drop(const char *path, ts_sim *sim, int start, tally *sum)
{
  ts_error error;
  const int steps = full ? 1000 : 30;
  for (int k = 0; k < steps; ++k) {
    must(path, ts_sim_step(sim, &error), &error);
    const ts_step_report *report = ts_sim_report(sim);
    ++sum->steps;
    if (report->certified) continue;
    ++sum->uncertified;
    print_message("%s, start %d, step %d: residual %.2g, %d contacts%s%s%s\n", path, start, k, report->residual,
                  report->contacts, report->gained ? ", gained" : "", report->jammed ? ", jammed" : "",
                  report->tunnelled ? ", tunnelled" : "");
  }
  ++sum->drops;
}

static ts_quat random_turn(ts_random *random)
{
  const ts_quat q = {ts_random_uniform(random, -1.0, 1.0), ts_random_uniform(random, -1.0, 1.0),
                     ts_random_uniform(random, -1.0, 1.0), ts_random_uniform(random, -1.0, 1.0)};
  return ts_quat_normalize(q);
}

// At rest as it is, then turned and thrown. Redundant coordinates refuse robots whose links have no mass.
static void drop_from_start(const char *path, const char *coordinates, bool refusable, int start, tally *sum)
{
  const char *overrides[] = {"step.size=1e-3", coordinates};
  ts_urdf_options options = ts_urdf_options_default();
  ts_random random;
  ts_random_init(&random, 40 + (uint64_t)start);
  options.base = TS_BASE_FREE;
  options.floor = true;
  if (start > 0) options.pose.orientation = random_turn(&random);
  ts_scene *scene;
  ts_sim *sim = NULL;
  ts_error error;
  must(path, ts_urdf_read(path, &options, overrides, 2, &scene, &error), &error);
  const ts_status status = ts_sim_create(ts_scene_model(scene), ts_scene_options(scene), NULL, &sim, &error);
  if (!refusable || (status != TS_OK && !strstr(error.text, "only minimal coordinates"))) must(path, status, &error);
  if (status == TS_OK && start > 0) throw_robot(path, sim, &random);
  if (status == TS_OK) drop(path, sim, start, sum);
  ts_sim_destroy(sim);
  ts_scene_destroy(scene);
}

static void no_step_of_a_falling_robot_is_uncertified(void **state)
{
  (void)state;
  static robot_list list;
  tally sum = {0};
  list_robots(SHARED_DATA "/data/models", &list);
  list_robots(SHARED_DATA "/data/robots", &list);
  for (int i = 0; i < list.count; ++i) {
    for (int start = 0; start < (full ? 3 : 1); ++start)
      drop_from_start(list.path[i], "step.coordinates=minimal", false, start, &sum);
    if (full) drop_from_start(list.path[i], "step.coordinates=redundant", true, 0, &sum);
  }
  print_message("%d robots, %d drops, %d steps: %d not certified\n", list.count, sum.drops, sum.steps, sum.uncertified);
  assert_true(list.count >= 30 && sum.uncertified == 0);
}

int main(int argc, char **argv)
{
  const struct CMUnitTest on_shared[] = {
      cmocka_unit_test(no_step_of_a_falling_robot_is_uncertified),
  };
  full = argc > 2 && strcmp(argv[2], "full") == 0;
  return asks_for_shared(argc, argv) ? run_shared_tests(on_shared, NULL, NULL) : TESTS_SKIPPED;
}
