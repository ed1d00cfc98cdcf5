// What a step costs and how good it is, Touchstone and the engines of others on the same scenes in the same run.
#include "name_list.h"
#include "report.h"

#include "command_line.h"

#include <stdlib.h>
#include <string.h>

static const char help[] =
    "bench_step: time and quality of a step, Touchstone and other engines on the same scenes\n"
    "\n"
    "  --scene LIST     only these scenes (comma separated)\n"
    "  --engine LIST    only engines whose name contains one of these (comma separated; touchstone always runs)\n"
    "  --blocks N       timed blocks an engine and scene (default 25)\n"
    "  --time-limit X   CPU seconds for an engine to settle a scene, and once more for its blocks (default 60)\n"
    "  --list           names of scenes and engines, one a line\n"
    "  --count          for callgrind: one block of one engine (--engine) on one scene (--scene), no table\n";

typedef struct bench_options {
  const char *scenes, *engines; // NULL: all
  measure_options measure;
  bool list, count;
} bench_options;

enum { SCENE = 256, ENGINE, BLOCKS, TIME_LIMIT, LIST, COUNT };

static const struct option long_options[] = {
    {"scene", required_argument, NULL, SCENE},   {"engine", required_argument, NULL, ENGINE},
    {"blocks", required_argument, NULL, BLOCKS}, {"time-limit", required_argument, NULL, TIME_LIMIT},
    {"list", no_argument, NULL, LIST},           {"count", no_argument, NULL, COUNT},
    {"help", no_argument, NULL, OPTION_HELP},    {NULL, 0, NULL, 0}};

static const command_line line = {"bench_step", help, "", long_options};

static void take(void *options, int option)
{
  bench_options *o = options;
  switch (option) {
  case SCENE:
    o->scenes = optarg;
    break;
  case ENGINE:
    o->engines = optarg;
    break;
  case BLOCKS:
    o->measure.blocks = (int)command_line_number(&line, "--blocks", 1.0, 100000.0);
    break;
  case TIME_LIMIT:
    o->measure.time_limit = command_line_number(&line, "--time-limit", 1.0, 100000.0);
    break;
  case LIST:
    o->list = true;
    break;
  case COUNT:
    o->count = true;
    break;
  }
}

static bench_options read_options(int argc, char **argv)
{
  bench_options o = {.measure = {.blocks = 25, .time_limit = 60.0}};
  command_line_read(&line, argc, argv, take, &o);
  return o;
}

// Without words everything is wanted.
static bool wanted(const char *words, const char *name, bool (*matches)(const char *, const char *))
{
  return !words || name_matches(words, name, matches);
}

static int choose_engines(const bench_options *o, const engine **chosen)
{
  int count = 0;
  for (int i = 0; i < engine_count(); ++i)
    if ((i == 0 && !o->count) || wanted(o->engines, engine_at(i)->name, name_contains)) chosen[count++] = engine_at(i);
  return count;
}

static void print_lists(void)
{
  for (int i = 0; i < SCENE_COUNT; ++i) {
    scene s;
    scene_init(&s, (scene_id)i);
    printf("scene %s\n", s.name);
    scene_release(&s);
  }
  for (int i = 0; i < engine_count(); ++i)
    if (engine_at(i)->create) printf("engine %s\n", engine_at(i)->name);
}

static void count_instructions(const bench_options *o, const engine *e)
{
  for (int i = 0; i < SCENE_COUNT; ++i) {
    scene s;
    scene_init(&s, (scene_id)i);
    if (wanted(o->scenes, s.name, name_equals) && engine_runs(e, &s)) printf("steps %d\n", measure_instructions(&s, e));
    scene_release(&s);
  }
}

static void compare(const bench_options *o, const engine *const *engines, int count)
{
  measurement *results = calloc((size_t)(SCENE_COUNT * count), sizeof *results);
  if (!results) exit(EXIT_FAILURE);
  report_engines(stdout, engines, count);
  for (int i = 0; i < SCENE_COUNT; ++i) {
    scene s;
    scene_init(&s, (scene_id)i);
    if (wanted(o->scenes, s.name, name_equals)) {
      measure_scene(&s, engines, count, &o->measure, &results[i * count]);
      report_scene(stdout, &s, &results[i * count], count);
    }
    scene_release(&s);
  }
  report_targets(stdout, results, count);
  free(results);
}

int main(int argc, char **argv)
{
  const bench_options o = read_options(argc, argv);
  const engine **engines = calloc((size_t)engine_count(), sizeof *engines);
  if (!engines) return EXIT_FAILURE;
  const int count = choose_engines(&o, engines);
  if (o.list)
    print_lists();
  else if (o.count && count == 1)
    count_instructions(&o, engines[0]);
  else if (o.count)
    fprintf(stderr, "bench_step: --count takes one engine, --engine names %d\n", count);
  else
    compare(&o, engines, count);
  free(engines);
  return o.count && count != 1 && !o.list ? EXIT_FAILURE : EXIT_SUCCESS;
}
