#include "reports.h"

#include "order.h"

#include <math.h>
#include <string.h>

enum { SHOWN = 4 }; // errors of a row

// Evenly from the largest size of the scene to its smallest.
static int shown_size(const suite_scene *scene, int column)
{
  return column * (suite_size_count(scene) - 1) / (SHOWN - 1);
}

void report_heading(FILE *out)
{
  fprintf(out, "%-19s", "stepper");
  for (int k = 0; k < SHOWN; ++k) fprintf(out, "  error %d", k + 1);
  fprintf(out, "  order  fitted to h [s]     s: 1e-3     1e-5  remarks\n");
}

static void print_range(const measurement *m, const fitted_order *f, FILE *out)
{
  char range[32] = "";
  if (isnan(f->slope))
    fprintf(out, "  %5s ", "-");
  else {
    fprintf(out, "  %5.2f%c", f->slope, f->irregular ? '~' : ' ');
    snprintf(range, sizeof range, "%.2g..%.2g", m->at[f->first].h, m->at[f->last].h);
  }
  fprintf(out, " %-16s", range);
}

static void print_time(const measurement *m, double error, FILE *out)
{
  bool at_most;
  const double seconds = order_time_for(m, error, &at_most);
  if (isnan(seconds))
    fprintf(out, " %8s", "-");
  else
    fprintf(out, " %s%.1e", at_most ? "<" : " ", seconds);
}

static void print_remarks(const measurement *m, const fitted_order *f, FILE *out)
{
  int uncertified = 0;
  for (int i = 0; i < m->count; ++i) uncertified += m->at[i].uncertified;
  if (f->at_floor) fprintf(out, "  floor");
  if (uncertified > 0) fprintf(out, "  %d steps not certified", uncertified);
  if (*m->refusal) fprintf(out, "  %s", m->refusal);
}

static void print_row(const measurement *m, FILE *out)
{
  fprintf(out, "%-19s", m->stepper->name);
  for (int k = 0; k < SHOWN; ++k) {
    const int i = shown_size(m->scene, k);
    if (i < m->count)
      fprintf(out, " %8.1e", m->at[i].error);
    else
      fprintf(out, " %8s", "-");
  }
  const fitted_order f = order_fit(m);
  print_range(m, &f, out);
  print_time(m, 1e-3, out);
  print_time(m, 1e-5, out);
  print_remarks(m, &f, out);
  fputc('\n', out);
}

static bool was_told(const measurement *rows, int i)
{
  for (int k = 0; k < i; ++k)
    if (rows[k].count == 0 && strcmp(rows[k].refusal, rows[i].refusal) == 0) return true;
  return false;
}

// Steppers that did not run, those with one reason together.
static void print_refusals(const measurement *rows, int count, FILE *out)
{
  for (int i = 0; i < count; ++i) {
    if (rows[i].count > 0 || was_told(rows, i)) continue;
    fprintf(out, "without ");
    for (int k = i; k < count; ++k) {
      const char *name = rows[k].stepper->name;
      if (rows[k].count == 0 && strcmp(rows[k].refusal, rows[i].refusal) == 0)
        fprintf(out, "%s%s", k > i ? ", " : "", name + strspn(name, " "));
    }
    fprintf(out, ": %s\n", rows[i].refusal);
  }
}

void report_scene(const measurement *rows, int count, FILE *out)
{
  const suite_scene *scene = rows[0].scene;
  fprintf(out, "\n%s (%s; h =", scene->name, suite_has_closed_form(scene) ? "closed form" : "reference number");
  for (int k = 0; k < SHOWN; ++k) fprintf(out, " %.3g", ldexp(scene->largest, -shown_size(scene, k)));
  fprintf(out, " s; floor %.0e)\n", scene->floor);
  for (int i = 0; i < count; ++i)
    if (rows[i].count > 0) print_row(&rows[i], out);
  print_refusals(rows, count, out);
}

void report_legend(FILE *out)
{
  fprintf(
      out,
      "\nerror 1 to 4: relative error at the four sizes that stand behind the scene's name, of seven (each half the "
      "one before): the worst of\n"
      "five neighbours, with n steps and n + 1 to n + 4, since errors at events depend on where in a step these fall.\n"
      "order: slope of log error over log h by least squares, over the sizes beside it; ~: errors scatter about the "
      "line by more than a\n"
      "factor of 1.2. Sizes are left out where the error is above 0.3 or below the floor, and the largest ones where "
      "errors scatter with them.\n"
      "s: CPU time of the steps that takes the error to 1e-3 and 1e-5, between sizes that were measured; <: the "
      "largest size takes that long and\n"
      "has it, -: no size has it. floor: errors below it are round-off, or those of the reference, and are not "
      "fitted.\n");
}

static bool is_kept(const suite_promise *promise, const measurement *m)
{
  const fitted_order f = order_fit(m);
  bool kept = m->count >= 3 && (promise->order == 0.0 || fabs(f.slope - promise->order) <= 0.3);
  for (int k = 0; k < m->count; ++k) kept = kept && m->at[k].error <= promise->factor * pow(m->at[k].h, promise->order);
  return kept;
}

int report_promises(const measurement *rows, int count, FILE *out)
{
  int broken = 0;
  for (int p = 0; suite_promise_at(p); ++p) {
    const suite_promise *promise = suite_promise_at(p);
    for (int i = 0; i < count; ++i) {
      if (strcmp(rows[i].scene->name, promise->scene) != 0 || strcmp(rows[i].stepper->name, promise->stepper) != 0)
        continue;
      if (is_kept(promise, &rows[i])) continue;
      ++broken;
      fprintf(out, "broken: %s, %s: order %g and errors of %g h^%g at most (%s)\n", promise->scene, promise->stepper,
              promise->order, promise->factor, promise->order, promise->why);
    }
  }
  return broken;
}
