// What hundreds and thousands of bodies cost, from the fall to the rest, Touchstone and other engines in the same run.
#include "results.h"

#include "name_list.h"

#include "command_line.h"

#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

static const char help[] =
    "bench_scale: whole falls of many bodies, Touchstone and other engines on the same piles\n"
    "\n"
    "  --kind LIST      spheres, boxes, mixed, wall, hopper, tumbler, ropes (default: spheres)\n"
    "  --bodies LIST    how many (default 100,300,1000)\n"
    "  --friction LIST  coefficients (default 0.3)\n"
    "  --engine LIST    only engines whose name contains one of these (touchstone always runs; default: quick,bullet)\n"
    "  --seeds N        piles a cell, each with other offsets (default 1)\n"
    "  --seed N         of the first one (default 1)\n"
    "  --seconds X      simulated, in steps of 5 ms (default 2.5)\n"
    "  --time-limit X   seconds for an engine and a scene (default 120)\n"
    "  --accuracy X     Touchstone's step option [m]; 0: strict (default -1: its own)\n"
    "  --threads LIST   Touchstone's rows once for each number (default 1)\n"
    "  --csv FILE       every figure of every row\n";

enum { MOST_THREADS = 256 };

typedef struct bench_options {
  const char *kinds, *bodies, *frictions, *engines, *threads, *csv;
  int seeds;
  double seed, seconds, time_limit, accuracy;
} bench_options;

enum { KIND = 256, BODIES, FRICTION, ENGINE, SEEDS, SEED, SECONDS, TIME_LIMIT, ACCURACY, THREADS, CSV };

static const struct option long_options[] = {{"kind", required_argument, NULL, KIND},
                                             {"bodies", required_argument, NULL, BODIES},
                                             {"friction", required_argument, NULL, FRICTION},
                                             {"engine", required_argument, NULL, ENGINE},
                                             {"seeds", required_argument, NULL, SEEDS},
                                             {"seed", required_argument, NULL, SEED},
                                             {"seconds", required_argument, NULL, SECONDS},
                                             {"time-limit", required_argument, NULL, TIME_LIMIT},
                                             {"accuracy", required_argument, NULL, ACCURACY},
                                             {"threads", required_argument, NULL, THREADS},
                                             {"csv", required_argument, NULL, CSV},
                                             {"help", no_argument, NULL, OPTION_HELP},
                                             {NULL, 0, NULL, 0}};

static const command_line line = {"bench_scale", help, "", long_options};

static void take(void *options, int option)
{
  bench_options *o = options;
  switch (option) {
  case KIND:
    o->kinds = optarg;
    break;
  case BODIES:
    o->bodies = optarg;
    break;
  case FRICTION:
    o->frictions = optarg;
    break;
  case ENGINE:
    o->engines = optarg;
    break;
  case SEEDS:
    o->seeds = (int)command_line_number(&line, "--seeds", 1.0, 1000.0);
    break;
  case SEED:
    o->seed = command_line_number(&line, "--seed", 0.0, 1e9);
    break;
  case SECONDS:
    o->seconds = command_line_number(&line, "--seconds", 0.05, 1000.0);
    break;
  case ACCURACY:
    o->accuracy = command_line_number(&line, "--accuracy", -1.0, 1.0);
    break;
  case THREADS:
    o->threads = optarg;
    break;
  case CSV:
    o->csv = optarg;
    break;
  case TIME_LIMIT:
    o->time_limit = command_line_number(&line, "--time-limit", 0.1, 1e6);
    break;
  }
}

_Noreturn static void refuse(const char *option, const char *what, const char *given)
{
  fprintf(stderr, "bench_scale: %s takes %s, not \"%s\"\n", option, what, given);
  exit(EXIT_FAILURE);
}

// The next number of a list with commas, or a refusal.
static double next_number(const char **list, const char *option, double least, double most)
{
  char *end;
  const double value = strtod(*list, &end);
  if (end == *list || (*end && *end != ',') || !(value >= least && value <= most))
    refuse(option, "numbers with commas between them, each in its range", *list);
  *list = *end ? end + 1 : end;
  return value;
}

static const double STEP = 5e-3; // [s]

// `ours` is the time of Touchstone's first row; NAN: this is it. Runs that were stopped have no ratio: it would be one
// of different phases.
static double run_engine(const bench_options *o, const scene *s, const recipe *r, const engine *e, double ours,
                         results *all)
{
  result row = {.recipe = *r, .fall = fall_run(s, e, (int)lround(o->seconds / STEP), o->time_limit)};
  const double own = row.fall.complete ? row.fall.mean : NAN;
  row.ratio = (isnan(ours) && e->report ? own : ours) / own;
  snprintf(row.engine, sizeof row.engine, s->threads > 1 ? "%s x%d" : "%s", e->name, s->threads);
  results_print_row(&row);
  fflush(stdout);
  results_add(all, &row);
  return own;
}

static void run_scene(const bench_options *o, const recipe *r, results *all)
{
  scene s;
  recipe_init(&s, r);
  s.accuracy = o->accuracy;
  results_print_head(r);
  double ours = NAN;
  for (const char *n = o->threads; *n;) {
    s.threads = (int)next_number(&n, "--threads", 1.0, MOST_THREADS);
    const double own = run_engine(o, &s, r, engine_at(0), ours, all);
    if (isnan(ours)) ours = own;
  }
  s.threads = 1;
  for (int i = 1; i < engine_count(); ++i) {
    const engine *e = engine_at(i);
    if (!name_matches(o->engines, e->name, name_contains)) continue;
    if (engine_runs(e, &s))
      run_engine(o, &s, r, e, ours, all);
    else
      printf("  %-14s left out: not installed, or not for such scenes\n", e->name);
  }
  scene_release(&s);
}

static void run_kind(const bench_options *o, recipe_kind kind, results *all)
{
  for (const char *n = o->bodies; *n;) {
    const int bodies = (int)next_number(&n, "--bodies", 2.0, 1e6);
    for (const char *mu = o->frictions; *mu;) {
      const double friction = next_number(&mu, "--friction", 0.0, 100.0);
      for (int k = 0; k < o->seeds; ++k)
        run_scene(o, &(recipe){kind, bodies, friction, (uint64_t)o->seed + (uint64_t)k}, all);
    }
  }
}

int main(int argc, char **argv)
{
  bench_options o = {.kinds = "spheres",
                     .bodies = "100,300,1000",
                     .frictions = "0.3",
                     .engines = "quick,bullet",
                     .threads = "1",
                     .seeds = 1,
                     .seed = 1.0,
                     .seconds = 2.5,
                     .time_limit = 120.0,
                     .accuracy = -1.0};
  command_line_read(&line, argc, argv, take, &o);
  results all = {0};
  for (int k = 0; k < RECIPE_KIND_COUNT; ++k)
    if (name_matches(o.kinds, recipe_kind_name((recipe_kind)k), name_equals)) run_kind(&o, (recipe_kind)k, &all);
  if (all.count == 0) refuse("--kind", "spheres, boxes, mixed, wall, hopper, tumbler or ropes", o.kinds);
  results_print_summary(&all);
  const bool written = !o.csv || results_write_csv(&all, o.csv);
  if (!written) fprintf(stderr, "bench_scale: cannot write \"%s\"\n", o.csv);
  results_release(&all);
  return written ? EXIT_SUCCESS : EXIT_FAILURE;
}
