#include "report.h"

#include <math.h>
#include <string.h>

void report_chain_engines(FILE *out, const engine *const *engines, int count)
{
  for (int i = 0; i < count; ++i) fprintf(out, "%-18s %s\n", engines[i]->name, engines[i]->settings);
}

static void print_time(FILE *out, double value)
{
  if (isnan(value))
    fprintf(out, " %9s", "-");
  else
    fprintf(out, " %9.2f", value);
}

static void print_run(FILE *out, const table_run *run, const table_run *own)
{
  fprintf(out, "%-18s", run->engine->name);
  if (!run->ran) {
    fprintf(out, " %9s\n", run->engine->create ? "left out" : "not installed");
    return;
  }
  fprintf(out, " %9.3f %8.3f", run->seconds, own->seconds / run->seconds);
  print_time(out, run->flight);
  print_time(out, run->contact);
  fprintf(out, " %8.1f %% %12.1e %11.1f", 100.0 * run->contact_share, run->flight_error, run->energy);
  if (run->failed_steps > 0) fprintf(out, "  %d steps it calls unsolved", run->failed_steps);
  fprintf(out, "\n");
}

void report_run(FILE *out, int links, double duration, const table_run *runs, int count)
{
  fprintf(out, "\nT%d: %g s in steps of 0.1 ms\n", links, duration);
  fprintf(out, "%-18s %9s %8s %9s %9s %10s %12s %11s\n", "engine", "whole s", "ours is", "flight us", "contact",
          "contact", "energy error", "energy J");
  fprintf(out, "%-18s %9s %8s %9s %9s %10s %12s %11s\n", "", "", "", "a step", "us a step", "steps", "in flight",
          "at the end");
  for (int i = 0; i < count; ++i) print_run(out, &runs[i], &runs[0]);
  fflush(out);
}

static void print_target(FILE *out, int links, const char *what, double value, double limit)
{
  if (isnan(value)) return;
  fprintf(out, "T%d: %-44s %8.3g  at most %.3g: %s\n", links, what, value, limit, value <= limit ? "met" : "missed");
}

void report_run_targets(FILE *out, int links, const table_run *runs, int count)
{
  const table_run *own = &runs[0];
  if (!own->ran) return;
  for (int i = 1; i < count; ++i) {
    if (!runs[i].ran) continue;
    if (strcmp(runs[i].engine->name, "mujoco default") == 0)
      print_target(out, links, "whole run / MuJoCo's default", own->seconds / runs[i].seconds, 0.25);
    if (strcmp(runs[i].engine->name, "mujoco accurate") == 0)
      print_target(out, links, "whole run / MuJoCo's accurate", own->seconds / runs[i].seconds, 0.12);
  }
  if (links != 12 && links != 30) return;
  print_target(out, links, "step in flight [us]", own->flight, links == 12 ? 2.0 : 6.0);
  print_target(out, links, "step in contact [us]", own->contact, links == 12 ? 6.0 : 15.0);
}

static bool is_timed(const measurement *m)
{
  return m->ran && m->stopped_after == 0;
}

// The time at a length, and p of time ~ n^p since the length before.
static void print_growth(FILE *out, const measurement *m, const measurement *before, double longer)
{
  if (!is_timed(m))
    fprintf(out, " %9s %6s", m->ran ? "too slow" : "-", "");
  else if (before && is_timed(before))
    fprintf(out, " %9.1f ^%-5.2f", m->median, log(m->median / before->median) / log(longer));
  else
    fprintf(out, " %9.1f %6s", m->median, "");
}

void report_growth(FILE *out, const char *title, const int *lengths, int lengths_count, const measurement *results,
                   int count)
{
  fprintf(out, "\n%s: us a step, and the exponent of its growth\n%-18s", title, "links");
  for (int k = 0; k < lengths_count; ++k) fprintf(out, " %9d %6s", lengths[k], "");
  fprintf(out, "\n");
  for (int i = 0; i < count; ++i) {
    fprintf(out, "%-18s", results[i].engine->name);
    for (int k = 0; k < lengths_count; ++k) {
      const measurement *before = k > 0 ? &results[(k - 1) * count + i] : NULL;
      print_growth(out, &results[k * count + i], before, k > 0 ? (double)lengths[k] / lengths[k - 1] : 1.0);
    }
    fprintf(out, "\n");
  }
  fflush(out);
}
