// All solvers on all problems, at equal measured residual: one run, one table. See bench/README.md.
#define _XOPEN_SOURCE 700
#include "options.h"
#include "reports.h"

#include <errno.h>
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

static void show_progress(const problem_results *record, int at, int count, const char *solver)
{
  if (isatty(STDERR_FILENO)) fprintf(stderr, "\r\033[K[%d/%d] %s: %s", at + 1, count, record->name, solver);
}

static void end_progress_line(const results *r, const problem_results *record, int at, int count)
{
  const entry *own = results_entry(r, record, "auto");
  const int other = results_best(r, record, false);
  fprintf(stderr, "%s[%d/%d] %s: auto %.4g ms, best Siconos %.4g ms %s\n", isatty(STDERR_FILENO) ? "\r\033[K" : "",
          at + 1, count, record->name, own && own->m.reached ? 1e3 * own->m.seconds : (double)NAN,
          other < 0 ? (double)NAN : 1e3 * record->entries[other].m.seconds,
          other < 0 ? "" : r->contenders.at[other].name);
}

// Where pruning is asked for, a Siconos solver that can no longer be the best of them is ended early. Short times are
// noisy, hence the floor.
static double time_limit(const bench_options *o, const contender *c, double best_siconos)
{
  const double floor_seconds = 0.05;
  return c->ours ? o->time_limit : fmin(o->time_limit, fmax(floor_seconds, o->prune * best_siconos));
}

static void run_problem(const bench_options *o, results *r, problem_results *record, const ts_problem *problem, int at,
                        int count)
{
  double best_siconos = INFINITY;
  for (int i = 0; i < r->contenders.count; ++i) {
    const contender *c = &r->contenders.at[i];
    if (!c->takes(c, problem) || !bench_options_want(o, c->name)) continue;
    show_progress(record, at, count, c->name);
    trial t = {problem, o->by, o->tolerance, o->repeats, o->repeat_for, time_limit(o, c, best_siconos)};
    record->entries[i] = (entry){true, contender_run(c, &t)};
    const measurement *m = &record->entries[i].m;
    if (!c->ours && m->reached) best_siconos = fmin(best_siconos, m->seconds);
    if (strcmp(c->name, "auto") == 0 && results_quoted(record->name)) {
      t.tolerance = STRICT_TOLERANCE;
      record->strict = contender_run(c, &t);
    }
  }
  end_progress_line(r, record, at, count);
}

static void *allocate(size_t count, size_t bytes)
{
  void *memory = calloc(count + 1, bytes);
  if (memory) return memory;
  perror("bench_solvers");
  exit(EXIT_FAILURE);
}

static void make_folder(const char *path)
{
  if (mkdir(path, 0777) == 0 || errno == EEXIST) return;
  fprintf(stderr, "bench_solvers: %s: %s\n", path, strerror(errno));
  exit(EXIT_FAILURE);
}

static FILE *open_result(const bench_options *o, const char *name)
{
  char path[PROBLEM_PATH];
  snprintf(path, sizeof path, "%s/%s", o->output, name);
  FILE *file = fopen(path, "w");
  if (file) return file;
  fprintf(stderr, "bench_solvers: %s: %s\n", path, strerror(errno));
  exit(EXIT_FAILURE);
}

static void close_result(FILE *file, const char *name)
{
  if (!ferror(file) && fclose(file) == 0) return;
  fprintf(stderr, "bench_solvers: could not write %s\n", name);
  exit(EXIT_FAILURE);
}

static void run_all(const bench_options *o, const problem_list *problems, results *r, FILE *csv)
{
  report_csv_header(csv);
  r->at = allocate((size_t)problems->count, sizeof *r->at);
  for (int k = 0; k < problems->count; ++k) {
    const problem_source *source = &problems->at[k];
    char why[256];
    bench_problem *problem = bench_problem_open(source, why);
    if (!problem) {
      fprintf(stderr, "[%d/%d] %s: left out, %s\n", k + 1, problems->count, source->name, why);
      continue;
    }
    problem_results *next = &r->at[r->count++];
    memcpy(next->set, source->set, sizeof next->set);
    memcpy(next->name, source->name, sizeof next->name);
    next->type = bench_problem_get(problem)->type;
    next->size = (int)ts_problem_size(bench_problem_get(problem));
    next->entries = allocate((size_t)r->contenders.count, sizeof *next->entries);
    next->strict = measurement_none();
    run_problem(o, r, next, bench_problem_get(problem), k, problems->count);
    report_csv(r, next, csv);
    bench_problem_close(problem);
  }
}

static void write_tables(const results *r, FILE *out)
{
  static const ts_problem_type types[] = {TS_LCP, TS_MLCP, TS_FRICTION};
  report_table(r, out);
  for (size_t i = 0; i < sizeof types / sizeof types[0]; ++i) report_profile_text(r, types[i], out);
}

static void write_profile(const bench_options *o, const results *r, ts_problem_type type, const char *name)
{
  if (report_profile_count(r, type) == 0) return;
  FILE *out = open_result(o, name);
  report_profile_svg(r, type, out);
  close_result(out, name);
}

static void write_results(const bench_options *o, const results *r)
{
  FILE *table = open_result(o, "table.txt");
  write_tables(r, table);
  close_result(table, "table.txt");
  write_profile(o, r, TS_LCP, "profile-lcp.svg");
  write_profile(o, r, TS_MLCP, "profile-mlcp.svg");
  write_profile(o, r, TS_FRICTION, "profile-friction.svg");
}

static void free_results(results *r)
{
  for (int k = 0; k < r->count; ++k) free(r->at[k].entries);
  free(r->at);
  contender_list_destroy(&r->contenders);
}

int main(int argc, char **argv)
{
  const bench_options options = bench_options_read(argc, argv);
  problem_list problems = problem_list_create(options.data, options.sets, options.only);
  if (problems.count == 0) {
    fprintf(stderr, "bench_solvers: no problem of that name under %s\n", options.data);
    return EXIT_FAILURE;
  }
  results r = {.contenders = contender_list_create(options.siconos), .by = options.by, .tolerance = options.tolerance};
  make_folder(options.output);
  FILE *csv = open_result(&options, "results.csv");
  run_all(&options, &problems, &r, csv);
  close_result(csv, "results.csv");
  write_tables(&r, stdout);
  write_results(&options, &r);
  free_results(&r);
  problem_list_destroy(&problems);
  return EXIT_SUCCESS;
}
