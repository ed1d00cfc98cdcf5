// Which stepper is how accurate, and what does it cost: scenes with known answers, stepped by all steppers that take
// them, at one size after the other. Thesis 4.4 asks for such a suite.
#include "reports.h"

#include "command_line.h"

#include <stdlib.h>
#include <string.h>

static const char help[] = "bench_accuracy: error and CPU time of every stepper on scenes whose answer is known\n"
                           "\n"
                           "  --scene TEXT     only scenes whose name contains this\n"
                           "  --stepper TEXT   only steppers whose name contains this\n"
                           "  --runs N         timed runs of which the fastest counts (default 3; 0: no times)\n"
                           "  --time-limit X   CPU seconds of a run; smaller steps are left out beyond (default 4)\n"
                           "  --figure FILE    draw error over CPU time into this file, .svg or .png (needs gnuplot)\n"
                           "  --quick          what theory promises, with the larger sizes and without times: fails "
                           "where an order or an error is\n"
                           "                   not as it should be\n"
                           "  --list           names of scenes and steppers, one a line\n";

typedef struct bench_options {
  const char *scene, *stepper, *figure; // or NULL
  measure_options measure;
  bool quick, list;
} bench_options;

enum { QUICK_SIZES = 5 };
enum { SCENE = 256, STEPPER, RUNS, TIME_LIMIT, FIGURE, QUICK, LIST };

static const struct option long_options[] = {{"scene", required_argument, NULL, SCENE},
                                             {"stepper", required_argument, NULL, STEPPER},
                                             {"runs", required_argument, NULL, RUNS},
                                             {"time-limit", required_argument, NULL, TIME_LIMIT},
                                             {"figure", required_argument, NULL, FIGURE},
                                             {"quick", no_argument, NULL, QUICK},
                                             {"list", no_argument, NULL, LIST},
                                             {"help", no_argument, NULL, OPTION_HELP},
                                             {NULL, 0, NULL, 0}};

static const command_line line = {"bench_accuracy", help, "", long_options};

static void take(void *options, int option)
{
  bench_options *o = options;
  switch (option) {
  case SCENE:
    o->scene = optarg;
    break;
  case STEPPER:
    o->stepper = optarg;
    break;
  case RUNS:
    o->measure.runs = (int)command_line_number(&line, "--runs", 0.0, 100.0);
    break;
  case TIME_LIMIT:
    o->measure.time_limit = command_line_positive(&line, "--time-limit");
    break;
  case FIGURE:
    o->figure = optarg;
    break;
  case QUICK:
    o->quick = true;
    break;
  case LIST:
    o->list = true;
    break;
  }
}

static bool is_promised(const suite_scene *scene, const suite_stepper *stepper)
{
  for (int p = 0; suite_promise_at(p); ++p)
    if (strcmp(suite_promise_at(p)->scene, scene->name) == 0 &&
        strcmp(suite_promise_at(p)->stepper, stepper->name) == 0)
      return true;
  return false;
}

static bool is_wanted(const bench_options *o, const suite_scene *scene, const suite_stepper *stepper)
{
  return (!o->scene || strstr(scene->name, o->scene)) && (!o->stepper || strstr(stepper->name, o->stepper)) &&
         (stepper->traits == 0 || (stepper->traits & scene->traits)) && (!o->quick || is_promised(scene, stepper));
}

// The rows of one scene, behind those of the scenes before.
static int measure_scene(const bench_options *o, const suite_scene *scene, measurement *rows)
{
  int count = 0;
  for (int k = 0; suite_stepper_at(k); ++k)
    if (is_wanted(o, scene, suite_stepper_at(k))) measure(scene, suite_stepper_at(k), &o->measure, &rows[count++]);
  if (count > 0) report_scene(rows, count, stdout);
  fflush(stdout);
  return count;
}

static void print_list(void)
{
  for (int i = 0; suite_scene_at(i); ++i) printf("scene %s\n", suite_scene_at(i)->name);
  for (int i = 0; suite_stepper_at(i); ++i)
    printf("stepper %s\n", suite_stepper_at(i)->name + strspn(suite_stepper_at(i)->name, " "));
}

static measurement *allocate_rows(void)
{
  size_t scenes = 0, steppers = 0;
  while (suite_scene_at((int)scenes)) ++scenes;
  while (suite_stepper_at((int)steppers)) ++steppers;
  measurement *rows = calloc(scenes * steppers, sizeof *rows);
  if (rows) return rows;
  perror(line.program);
  exit(EXIT_FAILURE);
}

int main(int argc, char **argv)
{
  bench_options o = {.measure = {.most_sizes = MOST_SIZES, .runs = 3, .time_limit = 4.0}};
  command_line_read(&line, argc, argv, take, &o);
  if (o.list) {
    print_list();
    return EXIT_SUCCESS;
  }
  if (o.quick) o.measure.runs = 0, o.measure.most_sizes = QUICK_SIZES;
  measurement *rows = allocate_rows();
  int count = 0;
  report_heading(stdout);
  for (int i = 0; suite_scene_at(i); ++i) count += measure_scene(&o, suite_scene_at(i), rows + count);
  report_legend(stdout);
  bool good = !o.quick || report_promises(rows, count, stdout) == 0;
  if (o.figure) good = report_figure(rows, count, o.figure) && good;
  free(rows);
  return good ? EXIT_SUCCESS : EXIT_FAILURE;
}
