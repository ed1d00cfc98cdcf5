// The iteration table of 002: spheres in contact, three sizes by four coefficients of friction, cold starts. The slides
// do not say how their problems were made; the generator is the one of reference-numbers.md 2, so the slides' figures
// stand beside ours for orientation.
//
//   bench_todorov [--problems N] [--limit N] [SOLVER ...]      default: 200 problems a cell, 30 iterations, ncp-dogleg,
//   auto
//
// `auto` falls down a chain of solvers, each with its own limit: for it the table gives the largest number of
// factorizations instead of a share of Newton points.
#include "touchstone/touchstone.h"

#include "friction_generator.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

typedef struct cell {
  int bodies, contacts;
  double mu;
  double slide_iterations; // 002, "Numerical results"
  int slide_newton;        // percent
} cell;

static const cell cells[] = {
    {5, 7, 0.1, 3.8, 99},   {5, 7, 0.5, 2.6, 95},   {5, 7, 1.0, 2.8, 90},    {5, 7, 2.0, 2.9, 88},
    {10, 16, 0.1, 4.8, 98}, {10, 16, 0.5, 5.3, 85}, {10, 16, 1.0, 4.9, 71},  {10, 16, 2.0, 4.6, 71},
    {15, 27, 0.1, 6.5, 90}, {15, 27, 0.5, 7.5, 73}, {15, 27, 1.0, 10.2, 60}, {15, 27, 2.0, 16.2, 55},
};
enum {
  CELLS = sizeof cells / sizeof cells[0],
  HISTORY = 4096,
  FIRST_SEED = 777000
}; // seeds that no setting was chosen on

typedef struct tally {
  int solved, failed;
  long iterations, newton_points; // of the solved ones
  int most_iterations, most_factorizations;
} tally;

static void add_run(tally *t, const ts_report *report)
{
  if (report->outcome != TS_SOLVED) {
    ++t->failed;
    return;
  }
  ++t->solved;
  t->iterations += report->iterations;
  for (int k = 0; k < report->history_count; ++k) t->newton_points += report->history[k].step == 1.0;
  if (report->iterations > t->most_iterations) t->most_iterations = report->iterations;
  if (report->factorizations > t->most_factorizations) t->most_factorizations = report->factorizations;
}

static int run_cell(const ts_solver *solver, const cell *c, int problems, int limit, ts_workspace *workspace, tally *t)
{
  static ts_iteration history[HISTORY];
  ts_solve_options options = ts_solve_options_default();
  options.max_iterations = limit;
  *t = (tally){0};
  for (int k = 0; k < problems; ++k) {
    friction_sample *sample = friction_sample_spheres(c->bodies, c->contacts, c->mu, FIRST_SEED + (uint64_t)k);
    double *z = calloc(ts_problem_size(&sample->local), sizeof *z);
    ts_report report = {.history = history, .history_capacity = HISTORY};
    ts_error error = {0};
    const ts_status status = ts_solve(solver, &sample->local, &options, workspace, z, &report, &error);
    free(z);
    friction_sample_destroy(sample);
    if (status != TS_OK) {
      fprintf(stderr, "bench_todorov: %s: %s\n", ts_solver_name(solver), error.text);
      return 1;
    }
    add_run(t, &report);
  }
  return 0;
}

static int run_solver(const ts_solver *solver, int problems, int limit, ts_workspace *workspace)
{
  const bool chain = strcmp(ts_solver_name(solver), "auto") == 0;
  printf("%s, %d problems a cell, %s\n", ts_solver_name(solver), problems,
         chain ? "its own limits" : "means over the solved ones");
  printf("%4s %4s %5s | %10s %7s %6s %7s %8s %8s | %10s %7s\n", "n_b", "n_c", "mu", "iterations", "newton", "failed",
         "solved", "most it.", "most fa.", "slides: it.", "newton");
  for (int k = 0; k < CELLS; ++k) {
    const cell *c = &cells[k];
    tally t;
    if (run_cell(solver, c, problems, chain ? 0 : limit, workspace, &t)) return 1;
    printf("%4d %4d %5.1f | %10.1f %6.0f%% %6d %6.1f%% %8d %8d | %10.1f %6d%%\n", c->bodies, c->contacts, c->mu,
           t.solved ? (double)t.iterations / t.solved : 0.0,
           t.iterations ? 100.0 * (double)t.newton_points / (double)t.iterations : 0.0, t.failed,
           100.0 * t.solved / problems, t.most_iterations, t.most_factorizations, c->slide_iterations, c->slide_newton);
  }
  putchar('\n');
  return 0;
}

static int usage(void)
{
  fputs("usage: bench_todorov [--problems N] [--limit N] [SOLVER ...]\n", stderr);
  return 2;
}

int main(int count, char **arguments)
{
  static const char *const defaults[] = {"ncp-dogleg", "auto"};
  int problems = 200, limit = 30, k = 1;
  for (; k + 1 < count && strncmp(arguments[k], "--", 2) == 0; k += 2) {
    int *const option = strcmp(arguments[k], "--problems") == 0 ? &problems
                        : strcmp(arguments[k], "--limit") == 0  ? &limit
                                                                : NULL;
    if (!option || (*option = atoi(arguments[k + 1])) <= 0) return usage();
  }
  const bool chosen = k < count;
  const char *const *names = chosen ? (const char *const *)(arguments + k) : defaults;
  const int names_count = chosen ? count - k : (int)(sizeof defaults / sizeof defaults[0]);
  ts_workspace *workspace = ts_workspace_create(NULL);
  int failed = workspace == NULL;
  for (int i = 0; i < names_count && !failed; ++i) {
    const ts_solver *solver = ts_solver_find(names[i]);
    if (solver)
      failed = run_solver(solver, problems, limit, workspace);
    else
      printf("%s: not built in\n", names[i]);
  }
  ts_workspace_destroy(workspace);
  return failed;
}
