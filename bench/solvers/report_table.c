#include "reports.h"

#include <math.h>
#include <string.h>

static const char *without_prefix(const char *name)
{
  const char *colon = strchr(name, ':');
  return colon ? colon + 1 : name;
}

// ---- table ---------------------------------------------------------------------------------------------------------

static void print_time(FILE *out, const measurement *m)
{
  if (m && m->reached)
    fprintf(out, " %10.4f", 1e3 * m->seconds);
  else
    fprintf(out, " %10s", "-");
}

static void print_best(FILE *out, const results *r, const problem_results *record, bool ours)
{
  const int best = results_best(r, record, ours);
  print_time(out, best < 0 ? NULL : &record->entries[best].m);
  fprintf(out, " %-20.20s", best < 0 ? "" : without_prefix(r->contenders.at[best].name));
}

// auto / best of Siconos, or NAN where one of them is missing.
static double auto_ratio(const results *r, const problem_results *record)
{
  const entry *own = results_entry(r, record, "auto");
  const int best = results_best(r, record, false);
  return own && own->m.reached && best >= 0 ? own->m.seconds / record->entries[best].m.seconds : NAN;
}

static void print_lines(const results *r, FILE *out)
{
  fprintf(out, "%-46s %6s %10s %10s %-20s %10s %-20s %7s\n", "problem", "size", "auto ms", "best ms", "ours", "best ms",
          "Siconos", "ratio");
  for (int k = 0; k < r->count; ++k) {
    const problem_results *record = &r->at[k];
    const entry *own = results_entry(r, record, "auto");
    const double ratio = auto_ratio(r, record);
    fprintf(out, "%-46.46s %6d", record->name, record->size);
    print_time(out, own ? &own->m : NULL);
    print_best(out, r, record, true);
    print_best(out, r, record, false);
    if (isnan(ratio))
      fprintf(out, " %7s\n", "-");
    else
      fprintf(out, " %7.3f\n", ratio);
  }
}

// ---- summary -------------------------------------------------------------------------------------------------------

// Geometric mean and worst of a set of ratios.
typedef struct ratio_summary {
  int count;
  double logarithms, worst;
  const char *worst_name;
} ratio_summary;

static void add_ratio(ratio_summary *s, double ratio, const char *name)
{
  if (isnan(ratio)) return;
  ++s->count;
  s->logarithms += log(ratio);
  if (s->count == 1 || ratio > s->worst) {
    s->worst = ratio;
    s->worst_name = name;
  }
}

static void print_ratios(FILE *out, const char *what, const ratio_summary *s)
{
  if (s->count)
    fprintf(out, "%s: geometric mean %.4f over %d problems, worst %.3f (%s)\n", what, exp(s->logarithms / s->count),
            s->count, s->worst, s->worst_name);
}

static bool is_contact_set(const char *set)
{
  return strcmp(set, "fc3d") == 0 || strcmp(set, "fclib") == 0 || strcmp(set, "piles") == 0;
}

static void print_auto_ratios(const results *r, FILE *out)
{
  ratio_summary contact = {0}, all = {0};
  for (int k = 0; k < r->count; ++k) {
    const double ratio = auto_ratio(r, &r->at[k]);
    add_ratio(&all, ratio, r->at[k].name);
    if (is_contact_set(r->at[k].set)) add_ratio(&contact, ratio, r->at[k].name);
  }
  print_ratios(out, "auto / best Siconos, fc3d + fclib + piles", &contact);
  print_ratios(out, "auto / best Siconos, all sets", &all);
}

// Pivoting against pivoting: the pyramid LCPs and the random ones of at least 20 unknowns.
static void print_lemke_ratios(const results *r, FILE *out)
{
  ratio_summary s = {0};
  for (int k = 0; k < r->count; ++k) {
    const problem_results *record = &r->at[k];
    const entry *own = results_entry(r, record, "lemke"), *other = results_entry(r, record, "siconos:lemke");
    const bool counts =
        strcmp(record->set, "pyramid") == 0 || (strcmp(record->set, "random") == 0 && record->size >= 20);
    if (counts && own && other && own->m.reached && other->m.reached)
      add_ratio(&s, own->m.seconds / other->m.seconds, record->name);
  }
  print_ratios(out, "lemke / Siconos Lemke, pyramid + random", &s);
}

// The problems that one side brings to the tolerance with none of its solvers (ours: with "auto").
static void print_unsolved(const results *r, bool ours, FILE *out)
{
  int count = 0;
  for (int k = 0; k < r->count; ++k) {
    const entry *own = results_entry(r, &r->at[k], "auto");
    bool tried = own != NULL, solved = own && own->m.reached;
    if (!ours) {
      tried = false;
      for (int i = 0; i < r->contenders.count; ++i)
        tried = tried || (!r->contenders.at[i].ours && r->at[k].entries[i].ran);
      solved = results_best(r, &r->at[k], false) >= 0;
    }
    if (!tried || solved) continue;
    if (count++ == 0) fprintf(out, "not brought to %.0e by %s:", r->tolerance, ours ? "auto" : "any Siconos solver");
    fprintf(out, " %s", r->at[k].name);
  }
  if (count) fprintf(out, " (%d)\n", count);
}

static void print_quoted(const results *r, FILE *out)
{
  for (int k = 0; k < r->count; ++k) {
    if (!results_quoted(r->at[k].name)) continue;
    const measurement *m = &r->at[k].strict;
    fprintf(out, "auto at %.0e, cold, %s: ", STRICT_TOLERANCE, r->at[k].name);
    if (m->reached)
      fprintf(out, "%.3f ms\n", 1e3 * m->seconds);
    else
      fprintf(out, "not reached (%.1e)\n", m->figure);
  }
}

void report_table(const results *r, FILE *out)
{
  fprintf(out, "Time of the fastest cold solve to %.0e, friction problems measured by %s.\n\n", r->tolerance,
          r->by == BY_FCLIB ? "FCLIB's figure" : "the certificate (scaled residual and FCLIB's figure)");
  print_lines(r, out);
  fputc('\n', out);
  print_auto_ratios(r, out);
  print_lemke_ratios(r, out);
  print_quoted(r, out);
  print_unsolved(r, false, out);
  print_unsolved(r, true, out);
}
