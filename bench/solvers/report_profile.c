// Performance profiles after Dolan and More, Mathematical Programming 91 (2002): with t_ps the time of solver s on
// problem p, rho_s(tau) is the share of problems with t_ps <= tau min_s t_ps.
#include "reports.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

enum { STEPS = 12, CURVES = 10 }; // tau = 1, 2, 4, ..., 2^STEPS

static const double far_right = STEPS; // log2 tau at the right edge

// The time of the fastest contender, INFINITY where none reached the tolerance.
static double fastest(const results *r, const problem_results *record)
{
  double best = INFINITY;
  for (int i = 0; i < r->contenders.count; ++i)
    if (record->entries[i].ran && record->entries[i].m.reached) best = fmin(best, record->entries[i].m.seconds);
  return best;
}

static bool counts(const results *r, ts_problem_type type, int k)
{
  return r->at[k].type == type && isfinite(fastest(r, &r->at[k]));
}

int report_profile_count(const results *r, ts_problem_type type)
{
  int count = 0;
  for (int k = 0; k < r->count; ++k) count += counts(r, type, k);
  return count;
}

// One solver's ratios to the fastest, ascending, as log2 tau.
typedef struct curve {
  const char *name;
  double *logs;
  int count;
  double area; // under the profile up to far_right: what curves are ranked by
} curve;

static int ascending(const void *a, const void *b)
{
  const double x = *(const double *)a, y = *(const double *)b;
  return (x > y) - (x < y);
}

// "auto" first, since it is the one users meet and the figure has room for few; then the best.
static int by_rank(const void *a, const void *b)
{
  const curve *x = a, *y = b;
  const int first = strcmp(x->name, "auto") == 0, second = strcmp(y->name, "auto") == 0;
  return first != second ? second - first : (x->area < y->area) - (x->area > y->area);
}

static void *allocate(size_t count, size_t bytes)
{
  void *memory = calloc(count + 1, bytes);
  if (memory) return memory;
  perror("bench");
  exit(EXIT_FAILURE);
}

static curve make_curve(const results *r, ts_problem_type type, int contender_index)
{
  curve c = {r->contenders.at[contender_index].name, allocate((size_t)r->count, sizeof(double)), 0, 0.0};
  for (int k = 0; k < r->count; ++k) {
    const entry *e = &r->at[k].entries[contender_index];
    if (!counts(r, type, k) || !e->ran || !e->m.reached) continue;
    const double log_ratio = log2(e->m.seconds / fastest(r, &r->at[k]));
    c.area += fmax(0.0, far_right - log_ratio);
    c.logs[c.count++] = log_ratio;
  }
  qsort(c.logs, (size_t)c.count, sizeof *c.logs, ascending);
  return c;
}

// All curves that solve at least one problem, in the order of by_rank(); returns how many.
static int make_curves(const results *r, ts_problem_type type, curve **curves)
{
  int count = 0;
  *curves = allocate((size_t)r->contenders.count, sizeof **curves);
  for (int i = 0; i < r->contenders.count; ++i) {
    const curve c = make_curve(r, type, i);
    if (c.count)
      (*curves)[count++] = c;
    else
      free(c.logs);
  }
  qsort(*curves, (size_t)count, sizeof **curves, by_rank);
  return count;
}

static void free_curves(curve *curves, int count)
{
  for (int i = 0; i < count; ++i) free(curves[i].logs);
  free(curves);
}

static double share_within(const curve *c, double log_tau, int problems)
{
  int within = 0;
  while (within < c->count && c->logs[within] <= log_tau) ++within;
  return (double)within / problems;
}

void report_profile_text(const results *r, ts_problem_type type, FILE *out)
{
  curve *curves;
  const int problems = report_profile_count(r, type), count = make_curves(r, type, &curves);
  if (problems) {
    fprintf(out, "\nPerformance profile, %d problems of type %s: share solved within tau times the fastest\n%-32s",
            problems, ts_problem_type_name(type), "tau");
    for (int step = 0; step <= STEPS; ++step) fprintf(out, " %5d", 1 << step);
    fprintf(out, " %6s\n", "solved");
    for (int i = 0; i < count; ++i) {
      fprintf(out, "%-32s", curves[i].name);
      for (int step = 0; step <= STEPS; ++step) fprintf(out, " %5.2f", share_within(&curves[i], step, problems));
      fprintf(out, " %6d\n", curves[i].count);
    }
  }
  free_curves(curves, count);
}

// ---- SVG -----------------------------------------------------------------------------------------------------------

enum { WIDTH = 860, HEIGHT = 480, LEFT = 60, TOP = 40, PLOT_WIDTH = 560, PLOT_HEIGHT = 380 };

static const char *const colours[CURVES] = {"#1b6ca8", "#d1495b", "#2e933c", "#edae49", "#66477a",
                                            "#00798c", "#8d5a2b", "#ff7f51", "#5c6b73", "#b5179e"};

static double x_of(double log_tau)
{
  return LEFT + PLOT_WIDTH * fmin(log_tau, far_right) / far_right;
}

static double y_of(double share)
{
  return TOP + PLOT_HEIGHT * (1.0 - share);
}

static void draw_axes(FILE *out)
{
  for (int step = 0; step <= STEPS; step += 2)
    fprintf(out,
            "<line x1='%.1f' y1='%d' x2='%.1f' y2='%d' stroke='#ddd'/>"
            "<text x='%.1f' y='%d' text-anchor='middle'>%d</text>\n",
            x_of(step), TOP, x_of(step), TOP + PLOT_HEIGHT, x_of(step), TOP + PLOT_HEIGHT + 18, 1 << step);
  for (int tenth = 0; tenth <= 10; tenth += 2)
    fprintf(out,
            "<line x1='%d' y1='%.1f' x2='%d' y2='%.1f' stroke='#ddd'/>"
            "<text x='%d' y='%.1f' text-anchor='end'>%.1f</text>\n",
            LEFT, y_of(tenth / 10.0), LEFT + PLOT_WIDTH, y_of(tenth / 10.0), LEFT - 8, y_of(tenth / 10.0) + 4,
            tenth / 10.0);
  fprintf(out, "<text x='%d' y='%d' text-anchor='middle'>time over that of the fastest solver</text>\n",
          LEFT + PLOT_WIDTH / 2, TOP + PLOT_HEIGHT + 38);
}

// A step function: level until the next ratio, then up by one problem.
static void draw_curve(FILE *out, const curve *c, int problems, int place)
{
  fprintf(out, "<path fill='none' stroke='%s' stroke-width='2' d='M%.1f %.1f", colours[place], x_of(0.0), y_of(0.0));
  for (int k = 0; k < c->count && c->logs[k] <= far_right; ++k)
    fprintf(out, " H%.1f V%.1f", x_of(c->logs[k]), y_of((k + 1.0) / problems));
  const int legend_x = LEFT + PLOT_WIDTH + 14, legend_y = TOP + 14 + 20 * place;
  fprintf(out, " H%.1f'/>\n<path stroke='%s' stroke-width='4' d='M%d %d h16'/><text x='%d' y='%d'>%s (%d)</text>\n",
          x_of(far_right), colours[place], legend_x, legend_y - 4, legend_x + 22, legend_y, c->name, c->count);
}

void report_profile_svg(const results *r, ts_problem_type type, FILE *out)
{
  curve *curves;
  const int problems = report_profile_count(r, type), count = make_curves(r, type, &curves);
  fprintf(out,
          "<svg xmlns='http://www.w3.org/2000/svg' width='%d' height='%d' viewBox='0 0 %d %d' "
          "font-family='sans-serif' font-size='13'>\n<rect width='100%%' height='100%%' fill='white'/>\n"
          "<text x='%d' y='22'>Share of %d problems (%s) solved to a measured residual of %.0e</text>\n",
          WIDTH, HEIGHT, WIDTH, HEIGHT, LEFT, problems, ts_problem_type_name(type), r->tolerance);
  draw_axes(out);
  for (int i = 0; i < count && i < CURVES; ++i) draw_curve(out, &curves[i], problems, i);
  fprintf(out, "</svg>\n");
  free_curves(curves, count);
}
