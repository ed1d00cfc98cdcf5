#include "results.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

// A cell: everything that differs by the seed alone
static bool same_engine(const result *a, const result *b)
{
  return a->recipe.kind == b->recipe.kind && a->recipe.friction == b->recipe.friction &&
         strcmp(a->engine, b->engine) == 0;
}

static bool same_cell(const result *a, const result *b)
{
  return same_engine(a, b) && a->recipe.bodies == b->recipe.bodies;
}

typedef struct spread {
  int count;
  double least, median, most;
} spread;

static int ascending(const void *a, const void *b)
{
  const double x = *(const double *)a, y = *(const double *)b;
  return (x > y) - (x < y);
}

// Sorts.
static spread spread_of(double *values, int count)
{
  if (count == 0) return (spread){0, NAN, NAN, NAN};
  qsort(values, (size_t)count, sizeof *values, ascending);
  return (spread){count, values[0], 0.5 * (values[(count - 1) / 2] + values[count / 2]), values[count - 1]};
}

static double mean_of(const result *r)
{
  return 1e3 * r->fall.mean;
}

static double ratio_of(const result *r)
{
  return r->ratio;
}

// Over the complete runs of a cell
static spread spread_over(const results *all, const result *cell, double (*figure)(const result *r), double *values)
{
  int count = 0;
  for (int i = 0; i < all->count; ++i) {
    if (!all->rows[i].fall.complete || !same_cell(&all->rows[i], cell)) continue;
    values[count] = figure(&all->rows[i]);
    if (!isnan(values[count])) ++count;
  }
  return spread_of(values, count);
}

static bool is_first_of_cell(const results *all, int i)
{
  for (int j = 0; j < i; ++j)
    if (same_cell(&all->rows[j], &all->rows[i])) return false;
  return true;
}

// The cell of the same engine and scenes with the next smaller number of bodies; NULL: there is none
static const result *smaller_cell(const results *all, const result *r)
{
  const result *best = NULL;
  for (int i = 0; i < all->count; ++i) {
    const result *other = &all->rows[i];
    if (!same_engine(other, r) || other->recipe.bodies >= r->recipe.bodies) continue;
    if (!best || other->recipe.bodies > best->recipe.bodies) best = other;
  }
  return best;
}

static void print_growth(const results *all, const result *r, double median, double *values)
{
  const result *smaller = smaller_cell(all, r);
  const double before = smaller ? spread_over(all, smaller, mean_of, values).median : NAN;
  const double exponent = smaller ? log(median / before) / log((double)r->recipe.bodies / smaller->recipe.bodies) : NAN;
  if (isnan(exponent))
    printf(" %7s", "-");
  else
    printf("   ^%4.2f", exponent);
}

void results_print_summary(const results *all)
{
  double *values = calloc((size_t)all->count + 1, sizeof *values);
  if (!values) {
    fprintf(stderr, "bench_scale: out of memory\n");
    exit(EXIT_FAILURE);
  }
  printf(
      "\nComplete runs of each cell, over its seeds: median (least to most); growth is the exponent since the number "
      "of bodies before\n");
  printf("  %-8s %6s %5s %-14s %5s %9s %21s %7s %8s %17s\n", "kind", "bodies", "mu", "engine", "seeds", "mean ms", "",
         "growth", "ours is", "");
  for (int i = 0; i < all->count; ++i) {
    if (!is_first_of_cell(all, i)) continue;
    const result *r = &all->rows[i];
    const spread mean = spread_over(all, r, mean_of, values), ratio = spread_over(all, r, ratio_of, values);
    if (mean.count == 0) continue;
    printf("  %-8s %6d %5g %-14s %5d %9.3f (%8.3f to %8.3f)", recipe_kind_name(r->recipe.kind), r->recipe.bodies,
           r->recipe.friction, r->engine, mean.count, mean.median, mean.least, mean.most);
    print_growth(all, r, mean.median, values);
    if (ratio.count > 0)
      printf(" %8.2f (%6.2f to %6.2f)\n", ratio.median, ratio.least, ratio.most);
    else
      printf(" %8s\n", "-");
  }
  free(values);
}
