#include "fit.h"

#include <math.h>
#include <stdlib.h>

double mean_error(const assumption *a, const folder *f, int first, int last)
{
  double sum = 0.0;
  for (int i = first; i < last; ++i) {
    prediction p;
    if (!predict(a, f, &f->push[i], &p)) return NAN;
    const difference d = difference_of(&p.after, &f->push[i].after);
    sum += combined(&d);
  }
  return sum / (last - first);
}

static double error_of_half(const fit *all, int k)
{
  return mean_error(&all->assumption[k], all->folder[k], 0, all->folder[k]->pushes / 2);
}

static double error_of_all(const fit *all)
{
  double sum = 0.0;
  for (int k = 0; k < all->folders; ++k) sum += error_of_half(all, k);
  return sum / all->folders;
}

// One number that is fitted: the offset of folder k, or the friction of the finger (k < 0).
static void set_value(fit *all, int k, double value)
{
  if (k >= 0) all->assumption[k].offset = value;
  for (int i = 0; k < 0 && i < all->folders; ++i) all->assumption[i].friction = value;
}

static double try_value(fit *all, int k, double value)
{
  set_value(all, k, value);
  return k >= 0 ? error_of_half(all, k) : error_of_all(all);
}

// The least error within `reach` of a value, to a twentieth of it: golden section. The value is kept where nothing is
// better.
static void golden_section(fit *all, int k, double at, double reach)
{
  const double golden = 0.5 * (sqrt(5.0) - 1.0);
  double low = at - reach, high = at + reach, best = at, least = try_value(all, k, at);
  double x[2] = {high - golden * (high - low), low + golden * (high - low)};
  double value[2] = {try_value(all, k, x[0]), try_value(all, k, x[1])};
  while (high - low > 0.1 * reach) {
    const int better = value[1] < value[0];
    if (value[better] < least) {
      least = value[better];
      best = x[better];
    }
    *(better ? &low : &high) = x[!better];
    x[!better] = x[better];
    value[!better] = value[better];
    x[better] = better ? low + golden * (high - low) : high - golden * (high - low);
    value[better] = try_value(all, k, x[better]);
  }
  set_value(all, k, best);
}

static double fit_in_turns(fit *all, int rounds, bool with_friction)
{
  double reach = 1.0;
  for (int round = 0; round < rounds; ++round, reach *= 0.4) {
    for (int k = 0; k < all->folders; ++k) golden_section(all, k, all->assumption[k].offset, 0.8 * reach);
    if (with_friction) golden_section(all, -1, all->assumption[0].friction, 0.15 * reach);
  }
  return error_of_all(all);
}

double fit_motion(fit *all, int rounds)
{
  return fit_in_turns(all, rounds, true);
}

double fit_offsets(fit *all, int rounds)
{
  return fit_in_turns(all, rounds, false);
}

static int compare(const void *a, const void *b)
{
  const double x = *(const double *)a, y = *(const double *)b;
  return x < y ? -1 : x > y;
}

double median(double *values, int count)
{
  qsort(values, (size_t)count, sizeof *values, compare);
  return count % 2 ? values[count / 2] : 0.5 * (values[count / 2 - 1] + values[count / 2]);
}

bool fit_surface(assumption *a, const folder *f)
{
  double ratio[MOST_PUSHES];
  int count = 0;
  for (int i = 0; i < f->pushes / 2; ++i) {
    prediction p;
    if (!predict(a, f, &f->push[i], &p)) return false;
    if (p.force > 0.0) ratio[count++] = f->push[i].force / p.force;
  }
  if (count > 0) a->surface *= median(ratio, count);
  return true;
}
