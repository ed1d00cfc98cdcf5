// 001's Table I in one run: chains of spheres in minimal and redundant coordinates beside the engines of others, and
// how the cost of a step grows with the number of links.
#include "chain.h"
#include "report.h"

#include "command_line.h"
#include "name_list.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

enum { MOST_LENGTHS = 16, MOST_ENGINES = 16, MOST_LINKS = 1000 };

static const char help[] =
    "bench_pendulum: chains of 3 to 1000 spheres, Touchstone in minimal and redundant coordinates and other engines\n"
    "\n"
    "  --links LIST      lengths of Table I's runs (default 3,6,12,15,24,30)\n"
    "  --growth LIST     lengths for the growth of the cost (default 50,100,200,400,800,1000)\n"
    "  --engine LIST     only engines whose name contains one of these (touchstone always runs)\n"
    "  --rounds N        runs of each engine, of which the fastest counts (default 1)\n"
    "  --duration T      of Table I's runs [s] (default 5; at least 0.7)\n"
    "  --time-limit X    CPU seconds for an engine to settle a chain in growth, and once more to be timed (default 5)\n"
    "  --list            names of engines, one a line\n"
    "  --count KIND      for callgrind: one block of one engine (--engine) on one chain (--links) that swings or "
    "rests\n";

typedef struct bench_options {
  int links[MOST_LENGTHS], links_count;
  int growth[MOST_LENGTHS], growth_count;
  const char *engines; // NULL: all
  int rounds;
  double duration, time_limit;
  bool list;
  const char *count; // NULL: no
} bench_options;

enum { LINKS = 256, GROWTH, ENGINE, ROUNDS, DURATION, TIME_LIMIT, LIST, COUNT };

static const struct option long_options[] = {{"links", required_argument, NULL, LINKS},
                                             {"growth", required_argument, NULL, GROWTH},
                                             {"engine", required_argument, NULL, ENGINE},
                                             {"rounds", required_argument, NULL, ROUNDS},
                                             {"duration", required_argument, NULL, DURATION},
                                             {"time-limit", required_argument, NULL, TIME_LIMIT},
                                             {"list", no_argument, NULL, LIST},
                                             {"count", required_argument, NULL, COUNT},
                                             {"help", no_argument, NULL, OPTION_HELP},
                                             {NULL, 0, NULL, 0}};

static const command_line line = {"bench_pendulum", help, "", long_options};

// Numbers with commas between them; none when the text is empty. -1: that is not what it holds.
static int lengths(const char *text, int *list)
{
  int count = 0;
  for (const char *at = text; *at;) {
    char *rest;
    const long n = strtol(at, &rest, 10);
    const bool good =
        rest != at && n >= 3 && n <= MOST_LINKS && count < MOST_LENGTHS && (*rest == ',' || *rest == '\0');
    if (!good) return -1;
    list[count++] = (int)n;
    at = rest + (*rest == ',');
  }
  return count;
}

static int lengths_asked(const char *option, int *list)
{
  const int count = lengths(optarg, list);
  if (count < 0) command_line_refuse(&line, option, "up to 16 lengths from 3 to 1000 with commas between them");
  return count;
}

static void take(void *options, int option)
{
  bench_options *o = options;
  switch (option) {
  case LINKS:
    o->links_count = lengths_asked("--links", o->links);
    break;
  case GROWTH:
    o->growth_count = lengths_asked("--growth", o->growth);
    break;
  case ENGINE:
    o->engines = optarg;
    break;
  case ROUNDS:
    o->rounds = (int)command_line_number(&line, "--rounds", 1.0, 1000.0);
    break;
  case DURATION:
    o->duration = command_line_number(&line, "--duration", 0.7, 1000.0);
    break;
  case TIME_LIMIT:
    o->time_limit = command_line_number(&line, "--time-limit", 0.01, 100000.0);
    break;
  case LIST:
    o->list = true;
    break;
  case COUNT:
    if (strcmp(optarg, "swings") != 0 && strcmp(optarg, "rests") != 0)
      command_line_refuse(&line, "--count", "\"swings\" or \"rests\"");
    o->count = optarg;
    break;
  }
}

static bench_options read_options(int argc, char **argv)
{
  bench_options o = {.rounds = 1, .duration = 5.0, .time_limit = 5.0};
  o.links_count = lengths("3,6,12,15,24,30", o.links);
  o.growth_count = lengths("50,100,200,400,800,1000", o.growth);
  command_line_read(&line, argc, argv, take, &o);
  return o;
}

// Without words every engine is wanted.
static bool is_wanted(const char *words, const char *name)
{
  return !words || name_matches(words, name, name_contains);
}

static int choose_engines(const bench_options *o, const engine **chosen)
{
  static const engine *(*const sources[])(int) = {touchstone_chain_engine, mujoco_chain_engine, bullet_chain_engine,
                                                  ode_chain_engine};
  int count = 0;
  for (size_t k = 0; k < sizeof sources / sizeof *sources; ++k)
    for (int j = 0; sources[k](j) && count < MOST_ENGINES; ++j) {
      const bool own = k == 0 && j == 0 && !o->count;
      if (own || is_wanted(o->engines, sources[k](j)->name)) chosen[count++] = sources[k](j);
    }
  return count;
}

static void table(const bench_options *o, const engine *const *engines, int count)
{
  table_run runs[MOST_LENGTHS][MOST_ENGINES];
  for (int k = 0; k < o->links_count; ++k) {
    scene s;
    chain_init(&s, CHAIN_SWINGS, o->links[k]);
    run_table(&s, engines, count, o->rounds, o->duration, runs[k]);
    report_run(stdout, o->links[k], o->duration, runs[k], count);
    scene_release(&s);
  }
  if (o->links_count > 0) printf("\nTargets\n");
  for (int k = 0; k < o->links_count; ++k) report_run_targets(stdout, o->links[k], runs[k], count);
}

static void growth(const bench_options *o, chain_kind kind, const engine *const *engines, int count)
{
  static measurement results[MOST_LENGTHS * MOST_ENGINES];
  const measure_options options = {.blocks = 9, .time_limit = o->time_limit};
  const char *title = NULL;
  for (int k = 0; k < o->growth_count; ++k) {
    scene s;
    chain_init(&s, kind, o->growth[k]);
    title = s.title;
    measure_scene(&s, engines, count, &options, &results[k * count]);
    scene_release(&s);
  }
  if (title) report_growth(stdout, title, o->growth, o->growth_count, results, count);
}

static int count_instructions(const bench_options *o, const engine *const *engines, int count)
{
  if (count != 1 || o->links_count != 1) {
    fprintf(stderr, "bench_pendulum: --count takes one engine and one length, not %d and %d\n", count, o->links_count);
    return EXIT_FAILURE;
  }
  scene s;
  chain_init(&s, strcmp(o->count, "rests") == 0 ? CHAIN_RESTS : CHAIN_SWINGS, o->links[0]);
  if (engine_runs(engines[0], &s)) printf("steps %d\n", measure_instructions(&s, engines[0]));
  scene_release(&s);
  return EXIT_SUCCESS;
}

int main(int argc, char **argv)
{
  const bench_options o = read_options(argc, argv);
  const engine *engines[MOST_ENGINES];
  const int count = choose_engines(&o, engines);
  if (o.count) return count_instructions(&o, engines, count);
  if (o.list) {
    for (int i = 0; i < count; ++i)
      if (engines[i]->create) printf("engine %s\n", engines[i]->name);
    return EXIT_SUCCESS;
  }
  report_chain_engines(stdout, engines, count);
  table(&o, engines, count);
  growth(&o, CHAIN_SWINGS, engines, count);
  growth(&o, CHAIN_RESTS, engines, count);
  return EXIT_SUCCESS;
}
