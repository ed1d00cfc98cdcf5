// What steps of the stepper `implicit` cost and what they are good for: scene files with it and with point contacts,
// and rolling, sliding and spinning bodies beside what other engines make of them.
#include "comparison.h"
#include "cost.h"
#include "name_list.h"

#include "command_line.h"

#include <math.h>
#include <stdio.h>
#include <stdlib.h>

static const char help[] =
    "bench_implicit: what steps of `implicit` cost, and what others make of line and surface contact\n"
    "\n"
    "  --scene LIST     only these scenes (comma separated)\n"
    "  --engine LIST    only engines whose name contains one of these (comma separated; implicit always runs)\n"
    "  --runs N         timed runs of a scene file, blocks of an engine (default 9)\n"
    "  --time-limit X   CPU seconds for all runs of a scene file with a stepper, or of an engine (default 20)\n"
    "  --trace NAME     the way of the body of one comparison, engine by engine: engine,t,x,y,yaw, no table\n"
    "  --list           names of scenes, one a line\n"
    "  --count METHOD   for callgrind: one run of one scene file (--scene) with that stepper, no table\n"
    "  --steps N        of --count: at most so many (default 500)\n";

typedef struct bench_options {
  const char *scenes, *engines, *count, *trace; // NULL: all; no counting, no trace
  cost_options cost;
  int steps;
  bool list;
} bench_options;

enum { SCENE = 256, ENGINE, RUNS, TIME_LIMIT, TRACE, LIST, COUNT, STEPS };

static const struct option long_options[] = {
    {"scene", required_argument, NULL, SCENE}, {"engine", required_argument, NULL, ENGINE},
    {"runs", required_argument, NULL, RUNS},   {"time-limit", required_argument, NULL, TIME_LIMIT},
    {"trace", required_argument, NULL, TRACE}, {"list", no_argument, NULL, LIST},
    {"count", required_argument, NULL, COUNT}, {"steps", required_argument, NULL, STEPS},
    {"help", no_argument, NULL, OPTION_HELP},  {NULL, 0, NULL, 0}};

static const command_line line = {"bench_implicit", help, "", long_options};

static bool is_comparison(const char *name)
{
  bool known = false;
  for (int i = 0; i < COMPARISONS; ++i) {
    scene s;
    comparison_init(&s, i);
    known = known || name_equals(name, s.name);
    scene_release(&s);
  }
  return known;
}

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
  case RUNS:
    o->cost.runs = (int)command_line_number(&line, "--runs", 1.0, 100.0);
    break;
  case TIME_LIMIT:
    o->cost.time_limit = command_line_number(&line, "--time-limit", 0.1, 100000.0);
    break;
  case TRACE:
    o->trace = optarg;
    if (!is_comparison(optarg)) command_line_refuse(&line, "--trace", "rolling, cube or spinning");
    break;
  case LIST:
    o->list = true;
    break;
  case COUNT:
    o->count = optarg;
    if (!ts_stepper_find(optarg)) command_line_refuse(&line, "--count", "a stepper");
    break;
  case STEPS:
    o->steps = (int)command_line_number(&line, "--steps", 2.0, 1e9);
    break;
  }
}

static bool wanted(const char *words, const char *name, bool (*matches)(const char *, const char *))
{
  return !words || name_matches(words, name, matches);
}

static void print_list(void)
{
  for (int i = 0; cost_scene_at(i); ++i) printf("file %s\n", cost_scene_at(i)->name);
  for (int i = 0; i < COMPARISONS; ++i) {
    scene s;
    comparison_init(&s, i);
    printf("scene %s\n", s.name);
    scene_release(&s);
  }
}

static void count_instructions(const bench_options *o)
{
  for (int i = 0; cost_scene_at(i); ++i)
    if (wanted(o->scenes, cost_scene_at(i)->name, name_equals))
      printf("steps %d\n", cost_instructions(cost_scene_at(i), o->count, o->steps));
}

// ---- scene files ---------------------------------------------------------------------------------------------------

static void print_cost(const cost_scene *file, const cost *c, const cost *points)
{
  static const double TARGET = 20.0; // us, of a body on a plane
  printf("%-18s %6d %9.1f %9.1f %9.0f %9.1f %6.1f %5d %7.1f %5d %8.2f %8.2f %6d %9.1e", file->name, c->steps, c->median,
         c->best, c->worst, points->median, c->unknowns, c->most_unknowns, c->iterations, c->most_iterations,
         100.0 * c->fell_back, 100.0 * c->cut, c->uncertified, c->deepest);
  if (file->single) printf("  20 us: %s", c->median <= TARGET ? "met" : "missed");
  if (!c->whole) printf("  stopped at the time limit");
  printf("\n");
  fflush(stdout);
}

static void measure_files(const bench_options *o)
{
  printf("Scene files, stepper implicit; points: the same with stewart-trinkle. Times are CPU time [us].\n");
  printf("%-18s %6s %9s %9s %9s %9s %12s %13s %8s %8s %6s %9s\n", "scene", "steps", "us/step", "best", "worst",
         "points", "unknowns ..", "iterations ..", "fell %", "cut %", "uncert", "overlap m");
  for (int i = 0; cost_scene_at(i); ++i) {
    const cost_scene *file = cost_scene_at(i);
    if (!wanted(o->scenes, file->name, name_equals)) continue;
    const cost own = cost_measure(file, "implicit", &o->cost);
    const cost points = cost_measure(file, "stewart-trinkle", &o->cost);
    print_cost(file, &own, &points);
  }
}

// ---- engines -------------------------------------------------------------------------------------------------------

static void print_figure(double value)
{
  if (isnan(value))
    printf(" %10s", "-");
  else
    printf(" %10.2g", value);
}

static void print_engine(const measurement *m)
{
  printf("%-18s", m->engine->name);
  if (!m->ran) {
    printf(" %10s\n", m->engine->create ? "left out" : "not installed");
    return;
  }
  if (m->stopped_after) {
    printf(" %10.2f  mean of %d steps, then stopped: too slow\n", m->median, m->stopped_after);
    return;
  }
  printf(" %10.2f %10.2f %9.1f", m->median, m->best, m->contacts);
  print_figure(m->quality.penetration);
  print_figure(100.0 * m->quality.energy_lost);
  print_figure(m->quality.yaw);
  print_figure(m->quality.drift);
  if (m->failed_steps > 0) printf("  %d steps it calls unsolved", m->failed_steps);
  printf("\n");
}

static void compare(const bench_options *o, const scene *s)
{
  const engine *engines[32];
  measurement results[32];
  int count = 0;
  for (int i = 0; comparison_engine(i) && count < 32; ++i)
    if (i == 0 || wanted(o->engines, comparison_engine(i)->name, name_contains))
      engines[count++] = comparison_engine(i);
  const measure_options options = {.blocks = o->cost.runs, .time_limit = o->cost.time_limit};
  measure_scene(s, engines, count, &options, results);
  printf("\n%s: %s\ndrift: %s\n", s->name, s->title, s->drift);
  printf("%-18s %10s %10s %9s %10s %10s %10s %10s\n", "engine", "us/step", "best", "contacts", "overlap m", "lost %",
         "yaw rad", "drift m");
  for (int i = 0; i < count; ++i) print_engine(&results[i]);
  fflush(stdout);
}

static void measure_engines(const bench_options *o)
{
  printf("\nEngines\n");
  for (int i = 0; comparison_engine(i); ++i)
    printf("%-18s %s\n", comparison_engine(i)->name, comparison_engine(i)->settings);
  for (int i = 0; i < COMPARISONS; ++i) {
    scene s;
    comparison_init(&s, i);
    if (wanted(o->scenes, s.name, name_equals)) compare(o, &s);
    scene_release(&s);
  }
}

static void trace(const scene *s, const engine *e)
{
  void *world = e->create(s, e->variant);
  for (int k = 1; k <= s->observed; ++k) {
    ts_pose pose;
    ts_twist velocity;
    e->step(world);
    e->state(world, 0, &pose, &velocity);
    const ts_quat q = pose.orientation;
    printf("%s,%.9g,%.17g,%.17g,%.9g\n", e->name, k * s->step_size, pose.position.x, pose.position.y,
           atan2(2.0 * (q.x * q.y + q.w * q.z), 1.0 - 2.0 * (q.y * q.y + q.z * q.z)));
  }
  e->destroy(world);
}

static void trace_engines(const bench_options *o)
{
  for (int i = 0; i < COMPARISONS; ++i) {
    scene s;
    comparison_init(&s, i);
    const bool meant = name_equals(o->trace, s.name);
    if (meant) printf("engine,t,x,y,yaw\n");
    for (int k = 0; meant && comparison_engine(k); ++k)
      if (engine_runs(comparison_engine(k), &s) && wanted(o->engines, comparison_engine(k)->name, name_contains))
        trace(&s, comparison_engine(k));
    scene_release(&s);
  }
}

int main(int argc, char **argv)
{
  bench_options o = {.cost = {.runs = 9, .time_limit = 20.0}, .steps = 500};
  command_line_read(&line, argc, argv, take, &o);
  if (o.list)
    print_list();
  else if (o.trace)
    trace_engines(&o);
  else if (o.count)
    count_instructions(&o);
  else {
    measure_files(&o);
    measure_engines(&o);
  }
  return EXIT_SUCCESS;
}
