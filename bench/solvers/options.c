#include "options.h"

#include "command_line.h"

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

enum { SET = 256, ONLY, SOLVER, TOLERANCE, BY, REPEATS, REPEAT_FOR, TIME_LIMIT, PRUNE, NO_SICONOS, DATA };

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
                                             {"help", no_argument, NULL, OPTION_HELP},
                                             {NULL, 0, NULL, 0}};

static const command_line line = {"bench_solvers", help, "o:", long_options};

static criterion criterion_named(const char *text)
{
  if (strcmp(text, "fclib") == 0) return BY_FCLIB;
  if (strcmp(text, "certificate") == 0) return BY_CERTIFICATE;
  command_line_refuse(&line, "--by", "fclib or certificate");
}

static void take(void *options, int option)
{
  bench_options *o = options;
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
    o->tolerance = command_line_positive(&line, "--tolerance");
    break;
  case BY:
    o->by = criterion_named(optarg);
    break;
  case REPEATS:
    o->repeats = (int)command_line_positive(&line, "--repeats");
    break;
  case REPEAT_FOR:
    o->repeat_for = command_line_positive(&line, "--repeat-for");
    break;
  case TIME_LIMIT:
    o->time_limit = command_line_positive(&line, "--time-limit");
    break;
  case PRUNE:
    o->prune = command_line_positive(&line, "--prune");
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
  command_line_read(&line, argc, argv, take, &o);
  return o;
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
