#include "order.h"

#include <math.h>

enum { FEWEST = 3 };
static const double LARGEST_ERROR = 0.3;    // what is worse is no motion that resembles the exact one
static const double WIDEST_SCATTER = 0.263; // log2 of 1.2

// Least squares over the sizes from first to last.
static void fit_line(const measurement *m, fitted_order *f)
{
  double sx = 0.0, sy = 0.0, sxx = 0.0, sxy = 0.0, sum = 0.0;
  const int n = f->last - f->first + 1;
  for (int i = f->first; i <= f->last; ++i) {
    const double x = log2(m->at[i].h), y = log2(m->at[i].error);
    sx += x;
    sy += y;
    sxx += x * x;
    sxy += x * y;
  }
  f->slope = (n * sxy - sx * sy) / (n * sxx - sx * sx);
  for (int i = f->first; i <= f->last; ++i) {
    const double rest = log2(m->at[i].error) - (sy + f->slope * (n * log2(m->at[i].h) - sx)) / n;
    sum += rest * rest;
  }
  f->scatter = sqrt(sum / n);
}

// The asymptotic range: sizes below the first error that makes sense and above the floor, and of these without the
// largest ones as long as errors scatter about the line. Where they still do with the fewest, all are taken and the fit
// is called irregular.
fitted_order order_fit(const measurement *m)
{
  fitted_order f = {.slope = NAN, .first = 0, .last = m->count - 1};
  while (f.first < m->count && m->at[f.first].error > LARGEST_ERROR) ++f.first;
  while (f.last >= f.first && m->at[f.last].error < m->scene->floor) --f.last;
  f.at_floor = f.last < m->count - 1;
  for (int i = f.first; i <= f.last; ++i)
    if (m->at[i].error < m->scene->floor) f.last = i - 1;
  if (f.last - f.first + 1 < FEWEST) return f;
  const int whole = f.first;
  fit_line(m, &f);
  while (f.scatter > WIDEST_SCATTER && f.last - f.first + 1 > FEWEST + 1) {
    ++f.first;
    fit_line(m, &f);
  }
  f.irregular = f.scatter > WIDEST_SCATTER;
  if (f.irregular) {
    f.first = whole;
    fit_line(m, &f);
  }
  return f;
}

double order_time_for(const measurement *m, double error, bool *at_most)
{
  int i = m->count; // the largest size from which on all errors are small enough
  while (i > 0 && m->at[i - 1].error <= error) --i;
  *at_most = i == 0 && m->count > 0;
  if (i == m->count) return NAN;
  if (i == 0) return m->at[0].seconds;
  const double above = log(m->at[i - 1].error / error), below = log(error / fmax(m->at[i].error, 1e-300));
  const double share = above / (above + below);
  return exp((1.0 - share) * log(m->at[i - 1].seconds) + share * log(m->at[i].seconds));
}
