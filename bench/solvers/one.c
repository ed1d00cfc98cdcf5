// One solver on one problem, once, in this process: the target of profilers and of bench/instructions.sh.
#include "contender.h"
#include "problem_set.h"

#include <stdio.h>
#include <stdlib.h>

static int usage(void)
{
  fprintf(stderr, "bench_one FILE SOLVER [TOLERANCE]: solve FILE once; SOLVER is a name of ours or siconos:NAME\n");
  return EXIT_FAILURE;
}

static int solve(const char *file, const ts_problem *problem, const char *name, double tolerance)
{
  contender_list list = contender_list_create(true);
  const contender *solver = contender_list_find(&list, name, problem);
  if (solver) {
    const trial t = {.problem = problem, .tolerance = tolerance, .repeats = 1};
    measurement m;
    solver->solve_once(solver, &t, &m);
    printf("%s %s: %.6f ms, figure %.2e, scaled %.2e, iterations %d\n", file, name, 1e3 * m.seconds, m.figure, m.scaled,
           m.iterations);
  } else {
    fprintf(stderr, "bench_one: no solver %s takes this problem\n", name);
  }
  contender_list_destroy(&list);
  return solver ? EXIT_SUCCESS : EXIT_FAILURE;
}

int main(int argc, char **argv)
{
  if (argc < 3 || argc > 4) return usage();
  const double tolerance = argc == 4 ? atof(argv[3]) : 1e-8;
  if (!(tolerance > 0.0 && tolerance < 1.0)) return usage();
  problem_list found = problem_list_create("", NULL, argv[1]);
  char why[256] = "it cannot be read";
  bench_problem *problem = found.count ? bench_problem_open(&found.at[0], why) : NULL;
  int status = EXIT_FAILURE;
  if (problem)
    status = solve(argv[1], bench_problem_get(problem), argv[2], tolerance);
  else
    fprintf(stderr, "bench_one: %s: %s\n", argv[1], why);
  bench_problem_close(problem);
  problem_list_destroy(&found);
  return status;
}
