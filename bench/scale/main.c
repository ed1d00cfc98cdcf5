// What hundreds and thousands of bodies cost, from the fall to the rest, Touchstone and other engines in the same run.
#include "fall.h"
#include "pile.h"

#include "name_list.h"

#include "command_line.h"

#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

static const char help[] =
    "bench_scale: whole falls of many bodies, Touchstone and other engines on the same piles\n"
    "\n"
    "  --kind LIST      spheres, boxes, mixed (default: spheres)\n"
    "  --bodies LIST    how many (default 100,300,1000)\n"
    "  --friction LIST  coefficients (default 0.3)\n"
    "  --engine LIST    only engines whose name contains one of these (touchstone always runs; default: quick,bullet)\n"
    "  --seeds N        piles a cell, each with other offsets (default 1)\n"
    "  --seed N         of the first one (default 1)\n"
    "  --seconds X      simulated, in steps of 5 ms (default 2.5)\n"
    "  --time-limit X   CPU seconds for an engine and a pile (default 120)\n"
    "  --threads N      that share Touchstone's steps; with more than one times are those of the clock (default 1)\n";

typedef struct bench_options {
  const char *kinds, *bodies, *frictions, *engines;
  int seeds, threads;
  double seed, seconds, time_limit;
} bench_options;

enum { KIND = 256, BODIES, FRICTION, ENGINE, SEEDS, SEED, SECONDS, TIME_LIMIT, THREADS };

static const struct option long_options[] = {{"kind", required_argument, NULL, KIND},
                                             {"bodies", required_argument, NULL, BODIES},
                                             {"friction", required_argument, NULL, FRICTION},
                                             {"engine", required_argument, NULL, ENGINE},
                                             {"seeds", required_argument, NULL, SEEDS},
                                             {"seed", required_argument, NULL, SEED},
                                             {"seconds", required_argument, NULL, SECONDS},
                                             {"time-limit", required_argument, NULL, TIME_LIMIT},
                                             {"threads", required_argument, NULL, THREADS},
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
  case THREADS:
    o->threads = (int)command_line_number(&line, "--threads", 1.0, 256.0);
    break;
  case SEED:
    o->seed = command_line_number(&line, "--seed", 0.0, 1e9);
    break;
  case SECONDS:
    o->seconds = command_line_number(&line, "--seconds", 0.05, 1000.0);
    break;
  case TIME_LIMIT:
    o->time_limit = command_line_number(&line, "--time-limit", 0.1, 1e6);
    break;
  }
}

// The next number of a list with commas, or a refusal.
static double next_number(const char **list, const char *option, double least, double most)
{
  char *end;
  const double value = strtod(*list, &end);
  if (end == *list || (*end && *end != ',') || !(value >= least && value <= most))
    command_line_refuse(&line, option, "numbers with commas between them, each in its range");
  *list = *end ? end + 1 : end;
  return value;
}

static const double STEP = 5e-3; // [s]

static void print_row(const engine *e, const fall *f, double ours)
{
  printf("  %-12s %9.3f %9.2f %7.2f", e->name, 1e3 * f->mean, 1e3 * f->worst, f->mean > 0.0 ? ours / f->mean : NAN);
  for (int k = 0; k < FALL_PHASES; ++k) printf(" %8.3f", 1e3 * f->phase[k]);
  printf(" %8.0f %9.1e %9.1e", f->contacts, f->early / PILE_RADIUS, f->late / PILE_RADIUS);
  if (f->failed >= 0) printf(" %6d", f->failed);
  if (!f->complete) printf("  stopped after %d steps", f->steps);
  putchar('\n');
}

static void run_pile(const bench_options *o, const pile_recipe *recipe)
{
  scene s;
  pile_init(&s, recipe);
  s.threads = o->threads;
  printf("\n%d %s, mu = %g, seed %llu: ms a step\n", recipe->bodies, s.name, recipe->friction,
         (unsigned long long)recipe->seed);
  printf("  %-12s %9s %9s %7s %8s %8s %8s %8s %8s %8s %9s %9s %6s\n", "engine", "mean", "worst", "ours is", "1st fifth",
         "2nd", "3rd", "4th", "5th", "contacts", "overlap/r", "late", "failed");
  double ours = NAN;
  for (int i = 0; i < engine_count(); ++i) {
    const engine *e = engine_at(i);
    if (!engine_runs(e, &s) || (i > 0 && !name_matches(o->engines, e->name, name_contains))) continue;
    const fall f = fall_run(&s, e, (int)lround(o->seconds / STEP), o->time_limit);
    if (i == 0) ours = f.mean;
    print_row(e, &f, ours);
    fflush(stdout);
  }
  scene_release(&s);
}

static void run_kind(const bench_options *o, pile_kind kind)
{
  for (const char *n = o->bodies; *n;) {
    const int bodies = (int)next_number(&n, "--bodies", 1.0, 1e6);
    for (const char *mu = o->frictions; *mu;) {
      const double friction = next_number(&mu, "--friction", 0.0, 100.0);
      for (int k = 0; k < o->seeds; ++k)
        run_pile(o, &(pile_recipe){kind, bodies, friction, (uint64_t)o->seed + (uint64_t)k});
    }
  }
}

int main(int argc, char **argv)
{
  bench_options o = {.kinds = "spheres",
                     .bodies = "100,300,1000",
                     .frictions = "0.3",
                     .engines = "quick,bullet",
                     .seeds = 1,
                     .threads = 1,
                     .seed = 1.0,
                     .seconds = 2.5,
                     .time_limit = 120.0};
  command_line_read(&line, argc, argv, take, &o);
  int known = 0;
  for (int k = 0; k < PILE_KIND_COUNT; ++k) {
    if (!name_matches(o.kinds, pile_kind_name((pile_kind)k), name_equals)) continue;
    run_kind(&o, (pile_kind)k);
    ++known;
  }
  if (known == 0) command_line_refuse(&line, "--kind", "spheres, boxes or mixed");
  return EXIT_SUCCESS;
}
