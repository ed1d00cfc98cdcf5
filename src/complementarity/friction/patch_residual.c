#include "complementarity/friction/patch_problem.h"

#include "math/larger.h"
#include "math/matrix.h"

#include <math.h>
#include <string.h>

enum { MOST_ROWS = 4 };

// u = W r + q.
static void velocities(const ts_friction *p, const double *r, double *u)
{
  const ts_block_matrix *W = &p->W;
  const int d = p->dimension;
  memcpy(u, p->q, (size_t)(p->contacts * d) * sizeof *u);
  for (int i = 0; i < W->rows; ++i)
    for (int k = W->start[i]; k < W->start[i + 1]; ++k) {
      const double *block = W->value + (size_t)k * (size_t)(d * d), *own = r + (size_t)W->index[k] * (size_t)d;
      for (int c = 0; c < d; ++c)
        for (int row = 0; row < d; ++row) u[i * d + row] += block[c * d + row] * own[c];
    }
}

static double own_entry(const ts_friction *p, int i, int row)
{
  const ts_block_matrix *W = &p->W;
  const int d = p->dimension;
  for (int k = W->start[i]; k < W->start[i + 1]; ++k)
    if (W->index[k] == i) return W->value[(size_t)k * (size_t)(d * d) + (size_t)(row * d + row)];
  return 0.0;
}

static double semi_axis(const ts_friction *p, int i, int row)
{
  return p->ellipsoid ? p->ellipsoid[i * (p->dimension - 1) + row - 1] : 1.0;
}

// 0 <= impulse _|_ velocity >= 0: the smaller of what is missing, as a velocity.
static double normal_error(double impulse, double velocity, double compliance)
{
  return fabs(velocity - ts_larger(velocity - compliance * impulse, 0.0));
}

// Friction of a patch acts at one point: the largest |f_k/e - theta_k f/e| w. Points that rub each for itself would
// turn the patch, beyond what its ellipsoid allows.
static double sharing_error(const ts_friction *p, int first, int end, const double *r, const double *f, double load,
                            double compliance)
{
  const int d = p->dimension;
  double most = 0.0;
  if (end - first == 1) return 0.0;
  for (int i = first; i < end; ++i) {
    const double share = load > 0.0 ? ts_larger(r[i * d], 0.0) / load : 1.0 / (end - first);
    double square = 0.0;
    for (int row = 1; row < d; ++row) {
      const double off = r[i * d + row] / semi_axis(p, first, row) - share * f[row];
      square += off * off;
    }
    most = ts_larger(square, most);
  }
  return compliance * sqrt(most);
}

// Friction of one patch: |f/e - P(f/e - e u / w)| w, P onto the disc of radius mu p_n; and that it is shared out.
static double friction_error(const ts_friction *p, int first, int end, const double *r, const double *u)
{
  const int d = p->dimension;
  double load = 0.0, f[MOST_ROWS] = {0}, slip[MOST_ROWS] = {0}, compliance = 0.0;
  for (int i = first; i < end; ++i) load += ts_larger(r[i * d], 0.0);
  for (int row = 1; row < d; ++row) {
    const double e = semi_axis(p, first, row);
    for (int i = first; i < end; ++i) {
      const double share = load > 0.0 ? ts_larger(r[i * d], 0.0) / load : 1.0 / (end - first);
      f[row] += r[i * d + row] / e;
      slip[row] += share * e * u[i * d + row];
    }
    compliance = ts_larger(e * e * own_entry(p, first, row), compliance);
  }
  if (!(compliance > 0.0)) return 0.0;
  double size = 0.0, error = 0.0;
  for (int row = 1; row < d; ++row) size += (f[row] - slip[row] / compliance) * (f[row] - slip[row] / compliance);
  const double most = p->mu[first] * load, shrink = size > most * most ? most / sqrt(size) : 1.0;
  for (int row = 1; row < d; ++row) {
    const double off = f[row] - shrink * (f[row] - slip[row] / compliance);
    error += off * off;
  }
  return fmax(compliance * sqrt(error), sharing_error(p, first, end, r, f, load, compliance));
}

// By how much a patch misses its laws [m/s].
static double patch_error(const ts_patch_problem *problem, int patch, const double *r, const double *u)
{
  const ts_friction *p = problem->points;
  const int first = problem->start[patch], end = problem->start[patch + 1];
  double worst = 0.0;
  for (int i = first; i < end; ++i)
    worst = ts_larger(normal_error(r[i * p->dimension], u[i * p->dimension], own_entry(p, i, 0)), worst);
  return fmax(friction_error(p, first, end, r, u), worst);
}

double ts_patch_residual(const ts_patch_problem *problem, const double *r, ts_arena *arena)
{
  const ts_friction *p = problem->points;
  if (problem->patches == 0) return 0.0;
  const ts_arena_mark mark = ts_arena_save(arena);
  const int rows = p->contacts * p->dimension;
  double *u = ts_arena_doubles(arena, (size_t)rows), worst = 0.0, speed = 0.0;
  velocities(p, r, u);
  for (int k = 0; k < rows; ++k) speed = ts_larger(fabs(p->q[k]), speed);
  for (int k = 0; k < problem->patches; ++k) worst = fmax(worst, patch_error(problem, k, r, u));
  ts_arena_restore(arena, mark);
  return speed > 0.0 ? worst / speed : worst;
}

void ts_patch_drop_open(const ts_patch_problem *problem, double *r, ts_arena *arena)
{
  const ts_friction *p = problem->points;
  if (problem->patches == 0) return;
  const ts_arena_mark mark = ts_arena_save(arena);
  const size_t d = (size_t)p->dimension;
  double *u = ts_arena_doubles(arena, (size_t)p->contacts * d);
  velocities(p, r, u);
  for (int i = 0; i < p->contacts; ++i)
    if (r[(size_t)i * d] < 0.0 || own_entry(p, i, 0) * r[(size_t)i * d] < u[(size_t)i * d])
      memset(r + (size_t)i * d, 0, d * sizeof *r);
  ts_arena_restore(arena, mark);
}
