#include "options.h"

#include <getopt.h>
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

static const char help[] =
    "bench_solvers: all solvers on all problems, at equal measured residual\n"
    "\n"
    "  --set LIST         lcp, mlcp, fc3d, fclib, piles, pyramid, random (comma separated; default: all)\n"
    "  --only TEXT        only problems whose name contains TEXT, or the file TEXT\n"
    "  --solver LIST      only solvers whose name contains one of these (comma separated; \"auto\" always runs)\n"
    "  --tolerance X      residual to reach (default 1e-8)\n"
    "  --by FIGURE        residual of friction problems: fclib (default), or certificate: fclib and scaled\n"
    "  --repeats N        solves to take the minimum of (default 30)\n"
    "  --repeat-for X     CPU seconds after which no further repeat is started (default 1)\n"
    "  --time-limit X     seconds for a solver on a problem (default 60)\n"
    "  --prune X          end a Siconos solver at X times the best of them so far (default 10)\n"
    "  --no-siconos       only our own solvers\n"
    "  --data DIR         where the problem files are\n"
    "  -o DIR             where to write results.csv, table.txt and the profiles\n";

enum { SET = 256, ONLY, SOLVER, TOLERANCE, BY, REPEATS, REPEAT_FOR, TIME_LIMIT, PRUNE, NO_SICONOS, DATA, HELP };

static const struct option long_options[] = {{"set", required_argument, NULL, SET},
                                             {"only", required_argument, NULL, ONLY},
                                             {"solver", required_argument, NULL, SOLVER},
                                             {"tolerance", required_argument, NULL, TOLERANCE},
                                             {"by", required_argument, NULL, BY},
                                             {"repeats", required_argument, NULL, REPEATS},
                                             {"repeat-for", required_argument, NULL, REPEAT_FOR},
                                             {"time-limit", required_argument, NULL, TIME_LIMIT},
                                             {"prune", required_argument, NULL, PRUNE},
                                             {"no-siconos", no_argument, NULL, NO_SICONOS},
                                             {"data", required_argument, NULL, DATA},
                                             {"help", no_argument, NULL, HELP},
                                             {NULL, 0, NULL, 0}};

static double positive(const char *name, const char *text)
{
  char *rest;
  const double value = strtod(text, &rest);
  if (*text && !*rest && value > 0.0) return value;
  fprintf(stderr, "bench_solvers: %s takes a positive number, not \"%s\"\n", name, text);
  exit(EXIT_FAILURE);
}

static criterion criterion_named(const char *text)
{
  if (strcmp(text, "fclib") == 0) return BY_FCLIB;
  if (strcmp(text, "certificate") == 0) return BY_CERTIFICATE;
  fprintf(stderr, "bench_solvers: --by takes fclib or certificate, not \"%s\"\n", text);
  exit(EXIT_FAILURE);
}

static void take(bench_options *o, int option)
{
  switch (option) {
  case SET:
    o->sets = optarg;
    break;
  case ONLY:
    o->only = optarg;
    break;
  case SOLVER:
    o->solvers = optarg;
    break;
  case TOLERANCE:
    o->tolerance = positive("--tolerance", optarg);
    break;
  case BY:
    o->by = criterion_named(optarg);
    break;
  case REPEATS:
    o->repeats = (int)positive("--repeats", optarg);
    break;
  case REPEAT_FOR:
    o->repeat_for = positive("--repeat-for", optarg);
    break;
  case TIME_LIMIT:
    o->time_limit = positive("--time-limit", optarg);
    break;
  case PRUNE:
    o->prune = positive("--prune", optarg);
    break;
  case NO_SICONOS:
    o->siconos = false;
    break;
  case DATA:
    o->data = optarg;
    break;
  case 'o':
    o->output = optarg;
    break;
  case HELP:
    fputs(help, stdout);
    exit(EXIT_SUCCESS);
  default:
    fputs("bench_solvers: see --help\n", stderr);
    exit(EXIT_FAILURE);
  }
}

bench_options bench_options_read(int argc, char **argv)
{
  bench_options o = {.data = BENCH_DATA,
                     .output = BENCH_RESULTS,
                     .tolerance = 1e-8,
                     .time_limit = 60.0,
                     .prune = 10.0,
                     .repeat_for = 1.0,
                     .repeats = 30,
                     .siconos = true};
  for (int option; (option = getopt_long(argc, argv, "o:", long_options, NULL)) != -1;) take(&o, option);
  if (optind == argc) return o;
  fprintf(stderr, "bench_solvers: unexpected argument \"%s\"\n", argv[optind]);
  exit(EXIT_FAILURE);
}

bool bench_options_want(const bench_options *options, const char *contender)
{
  if (!options->solvers || strcmp(contender, "auto") == 0) return true;
  char part[64];
  for (const char *at = options->solvers; *at;) {
    const size_t length = strcspn(at, ",");
    snprintf(part, sizeof part, "%.*s", (int)length, at);
    if (*part && strstr(contender, part)) return true;
    at += length + (at[length] == ',');
  }
  return false;
}
