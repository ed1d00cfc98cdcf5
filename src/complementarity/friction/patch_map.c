#include "complementarity/friction/patch_map.h"

#include <math.h>
#include <string.h>

enum { MOST_TANGENTS = 3 };
static const double SHIFT = 1e-7; // at first: smaller ones make loads of faces wander by what rounding leaves of gaps

static int points_of(const ts_patch_map *s, int patch)
{
  return s->problem->start[patch + 1] - s->problem->start[patch];
}

static double semi_axis(const ts_patch_map *s, int patch, int tangent)
{
  const ts_friction *p = s->problem->points;
  return p->ellipsoid ? p->ellipsoid[s->problem->start[patch] * (s->d - 1) + tangent] : 1.0;
}

// ---- the patch -----------------------------------------------------------------------------------------------------

// What its unknowns make of a patch.
typedef struct patch {
  int index, points, tangents;
  int row; // of its first point
  const double *p, *f;
  double load; // sum of the p_k, at least 0
} patch;

static patch patch_of(const ts_patch_map *s, int index, const double *x)
{
  patch own = {.index = index,
               .points = points_of(s, index),
               .tangents = s->d - 1,
               .row = s->problem->start[index] * s->d,
               .p = x + s->first[index],
               .f = x + s->first[index] + points_of(s, index)};
  for (int k = 0; k < own.points; ++k) own.load += fmax(0.0, own.p[k]);
  return own;
}

// theta_k. Without a load friction is shared out evenly, and does not act.
static double share_of(const patch *own, int k)
{
  return own->load > 0.0 ? fmax(0.0, own->p[k]) / own->load : 1.0 / own->points;
}

// d theta_k / d p_j
static double share_slope(const patch *own, int k, int j)
{
  if (!(own->load > 0.0) || !(own->p[j] > 0.0)) return 0.0;
  return ((k == j ? 1.0 : 0.0) - share_of(own, k)) / own->load;
}

// t mu
static double friction_of(const ts_patch_map *s, const patch *own)
{
  return s->share * s->problem->points->mu[s->problem->start[own->index]];
}

// ---- values --------------------------------------------------------------------------------------------------------

void ts_patch_map_impulses(const ts_patch_map *s, const double *x, double *r)
{
  for (int i = 0; i < s->problem->patches; ++i) {
    const patch own = patch_of(s, i, x);
    for (int k = 0; k < own.points; ++k) {
      r[own.row + k * s->d] = own.p[k];
      for (int j = 0; j < own.tangents; ++j) r[own.row + k * s->d + 1 + j] = share_of(&own, k) * own.f[j];
    }
  }
}

static void velocities(const ts_patch_map *s, const double *r, double *u)
{
  memcpy(u, s->problem->points->q, (size_t)s->rows * sizeof *u);
  for (int c = 0; c < s->rows; ++c)
    for (int k = 0; k < s->rows; ++k) u[k] += s->W[(size_t)c * (size_t)s->rows + (size_t)k] * r[c];
}

// y = f/e - e u / w at the equivalent contact point, its length, and the radius of the disc.
typedef struct rub {
  double y[MOST_TANGENTS], size, most;
} rub;

static rub rub_of(const ts_patch_map *s, const patch *own, const double *u)
{
  rub at = {.most = friction_of(s, own) * own->load};
  for (int j = 0; j < own->tangents; ++j) {
    const double e = semi_axis(s, own->index, j);
    double slip = 0.0;
    for (int k = 0; k < own->points; ++k) slip += share_of(own, k) * u[own->row + k * s->d + 1 + j];
    at.y[j] = own->f[j] / e - e * slip / s->friction_w[own->index];
    at.size += at.y[j] * at.y[j];
  }
  at.size = sqrt(at.size);
  return at;
}

double ts_patch_map_values(const ts_patch_map *s, const double *x, double *F)
{
  double sum = 0.0;
  ts_patch_map_impulses(s, x, s->r);
  velocities(s, s->r, s->u);
  for (int i = 0; i < s->problem->patches; ++i) {
    const patch own = patch_of(s, i, x);
    const rub at = rub_of(s, &own, s->u);
    const double shrink = at.size > at.most ? at.most / at.size : 1.0;
    double *to = F + s->first[i];
    for (int k = 0; k < own.points; ++k) {
      const double w = s->normal_w[s->problem->start[i] + k];
      to[k] = w * (own.p[k] - fmax(0.0, own.p[k] - s->u[own.row + k * s->d] / w));
    }
    for (int j = 0; j < own.tangents; ++j)
      to[own.points + j] = s->friction_w[i] * (own.f[j] / semi_axis(s, i, j) - shrink * at.y[j]);
  }
  for (int k = 0; k < s->unknowns; ++k) sum += F[k] * F[k];
  return sum;
}

// ---- derivatives ---------------------------------------------------------------------------------------------------

static void impulse_derivatives(const ts_patch_map *s, const double *x)
{
  memset(s->A, 0, (size_t)s->rows * (size_t)s->unknowns * sizeof *s->A);
  for (int i = 0; i < s->problem->patches; ++i) {
    const patch own = patch_of(s, i, x);
    for (int c = 0; c < own.points; ++c) {
      double *column = s->A + (size_t)(s->first[i] + c) * (size_t)s->rows;
      column[own.row + c * s->d] = 1.0;
      for (int k = 0; k < own.points; ++k)
        for (int j = 0; j < own.tangents; ++j) column[own.row + k * s->d + 1 + j] = own.f[j] * share_slope(&own, k, c);
    }
    for (int j = 0; j < own.tangents; ++j) {
      double *column = s->A + (size_t)(s->first[i] + own.points + j) * (size_t)s->rows;
      for (int k = 0; k < own.points; ++k) column[own.row + k * s->d + 1 + j] = share_of(&own, k);
    }
  }
}

static void velocity_derivatives(const ts_patch_map *s)
{
  const size_t n = (size_t)s->rows;
  memset(s->WA, 0, n * (size_t)s->unknowns * sizeof *s->WA);
  for (int c = 0; c < s->unknowns; ++c) {
    const double *a = s->A + (size_t)c * n;
    double *to = s->WA + (size_t)c * n;
    for (size_t m = 0; m < n; ++m)
      if (a[m] != 0.0)
        for (size_t k = 0; k < n; ++k) to[k] += s->W[m * n + k] * a[m];
  }
}

// Column c of the derivative of y; `inside`: the unknown is one of the patch's own, counted from its first.
static void rub_slope(const ts_patch_map *s, const patch *own, int c, double *slope)
{
  const double *du = s->WA + (size_t)c * (size_t)s->rows;
  const int inside = c - s->first[own->index];
  for (int j = 0; j < own->tangents; ++j) {
    const double e = semi_axis(s, own->index, j);
    double slip = 0.0;
    for (int k = 0; k < own->points; ++k) {
      const int row = own->row + k * s->d + 1 + j;
      slip += share_of(own, k) * du[row];
      if (inside >= 0 && inside < own->points) slip += share_slope(own, k, inside) * s->u[row];
    }
    slope[j] = (inside == own->points + j ? 1.0 / e : 0.0) - e * slip / s->friction_w[own->index];
  }
}

// dG = w (df/e - dP); P = y inside of the disc, and most y/|y| outside.
static void friction_rows(const ts_patch_map *s, const patch *own, const rub *at, int c)
{
  const int inside = c - s->first[own->index], first = s->first[own->index] + own->points;
  double slope[MOST_TANGENTS], along = 0.0, *column = s->H + (size_t)c * (size_t)s->unknowns;
  rub_slope(s, own, c, slope);
  const bool slips = at->size > at->most, loads = inside >= 0 && inside < own->points && own->p[inside] > 0.0;
  const double growth = loads ? friction_of(s, own) : 0.0;
  for (int j = 0; j < own->tangents; ++j) along += slips ? at->y[j] * slope[j] / at->size : 0.0;
  for (int j = 0; j < own->tangents; ++j) {
    const double direction = slips ? at->y[j] / at->size : 0.0;
    const double dP = slips ? growth * direction + at->most / at->size * (slope[j] - along * direction) : slope[j];
    column[first + j] =
        s->friction_w[own->index] * ((inside == own->points + j ? 1.0 / semi_axis(s, own->index, j) : 0.0) - dP);
  }
}

static void normal_rows(const ts_patch_map *s, const patch *own, int c)
{
  double *column = s->H + (size_t)c * (size_t)s->unknowns;
  for (int k = 0; k < own->points; ++k) {
    const int row = own->row + k * s->d, unknown = s->first[own->index] + k;
    const double w = s->normal_w[s->problem->start[own->index] + k];
    const bool pushes = own->p[k] - s->u[row] / w > 0.0;
    column[unknown] = pushes ? s->WA[(size_t)c * (size_t)s->rows + (size_t)row] : unknown == c ? w : 0.0;
  }
}

void ts_patch_map_derivatives(const ts_patch_map *s, const double *x)
{
  impulse_derivatives(s, x);
  velocity_derivatives(s);
  for (int i = 0; i < s->problem->patches; ++i) {
    const patch own = patch_of(s, i, x);
    const rub at = rub_of(s, &own, s->u);
    for (int c = 0; c < s->unknowns; ++c) {
      normal_rows(s, &own, c);
      friction_rows(s, &own, &at, c);
    }
    for (int k = 0; k < own.points; ++k) {
      const size_t unknown = (size_t)(s->first[i] + k);
      s->H[unknown * (size_t)s->unknowns + unknown] += s->shift * s->normal_w[s->problem->start[i] + k];
    }
    for (int j = 0; j < own.tangents; ++j) {
      const size_t unknown = (size_t)(s->first[i] + own.points + j);
      s->H[unknown * (size_t)s->unknowns + unknown] += s->shift * s->friction_w[i];
    }
  }
}

void ts_patch_map_growth(const ts_patch_map *s, const double *x, double *growth)
{
  memset(growth, 0, (size_t)s->unknowns * sizeof *growth);
  for (int i = 0; i < s->problem->patches; ++i) {
    const patch own = patch_of(s, i, x);
    const rub at = rub_of(s, &own, s->u);
    if (!(at.size > at.most)) continue;
    const double rate = s->friction_w[i] * s->problem->points->mu[s->problem->start[i]] * own.load / at.size;
    for (int j = 0; j < own.tangents; ++j) growth[s->first[i] + own.points + j] = -rate * at.y[j];
  }
}

void ts_patch_map_switches(const ts_patch_map *s, const double *x, double *switches)
{
  for (int k = 0; k < s->unknowns; ++k) switches[k] = 1.0;
  for (int i = 0; i < s->problem->patches; ++i) {
    const patch own = patch_of(s, i, x);
    const rub at = rub_of(s, &own, s->u);
    for (int k = 0; k < own.points; ++k)
      switches[s->first[i] + k] = own.p[k] - s->u[own.row + k * s->d] / s->normal_w[s->problem->start[i] + k];
    if (own.tangents > 0) switches[s->first[i] + own.points] = at.size - at.most;
  }
}

double ts_patch_map_largest(const ts_patch_map *s, const double *F)
{
  double most = 0.0;
  for (int k = 0; k < s->unknowns; ++k)
    if (!(fabs(F[k]) <= most)) most = fabs(F[k]); // keeps NAN
  return most;
}

// ---- data ----------------------------------------------------------------------------------------------------------

static void take_diagonals(ts_patch_map *s)
{
  const size_t n = (size_t)s->rows;
  for (int i = 0; i < s->problem->patches; ++i) {
    s->friction_w[i] = 0.0;
    for (int k = s->problem->start[i]; k < s->problem->start[i + 1]; ++k) {
      const size_t row = (size_t)(k * s->d);
      s->normal_w[k] = s->W[row * n + row];
      if (!(s->normal_w[k] > 0.0)) s->normal_w[k] = 1.0;
    }
    for (int j = 0; j < s->d - 1; ++j) {
      const size_t row = (size_t)(s->problem->start[i] * s->d + 1 + j);
      const double e = semi_axis(s, i, j);
      s->friction_w[i] = fmax(s->friction_w[i], e * e * s->W[row * n + row]);
    }
    if (!(s->friction_w[i] > 0.0)) s->friction_w[i] = 1.0;
  }
}

static void fill_dense(const ts_friction *p, double *W)
{
  const size_t d = (size_t)p->dimension, n = (size_t)p->contacts * d;
  memset(W, 0, n * n * sizeof *W);
  for (int i = 0; i < p->W.rows; ++i)
    for (int k = p->W.start[i]; k < p->W.start[i + 1]; ++k)
      for (size_t c = 0; c < d; ++c)
        memcpy(W + ((size_t)p->W.index[k] * d + c) * n + (size_t)i * d, p->W.value + ((size_t)k * d + c) * d,
               d * sizeof *W);
}

void ts_patch_map_unknowns(const ts_patch_map *s, const double *r, double *x)
{
  memset(x, 0, (size_t)s->unknowns * sizeof *x);
  for (int i = 0; i < s->problem->patches; ++i)
    for (int k = 0; k < points_of(s, i); ++k) {
      const double *own = r + (s->problem->start[i] + k) * s->d;
      x[s->first[i] + k] = own[0];
      for (int j = 0; j < s->d - 1; ++j) x[s->first[i] + points_of(s, i) + j] += own[1 + j];
    }
}

void ts_patch_map_begin(ts_patch_map *s, const ts_patch_problem *problem, ts_arena *arena)
{
  const ts_friction *p = problem->points;
  int *first = ts_arena_ints(arena, (size_t)problem->patches + 1);
  *s = (ts_patch_map){.problem = problem,
                      .d = p->dimension,
                      .rows = p->contacts * p->dimension,
                      .first = first,
                      .share = 1.0,
                      .shift = SHIFT};
  first[0] = 0;
  for (int i = 0; i < problem->patches; ++i) first[i + 1] = first[i] + points_of(s, i) + s->d - 1;
  s->unknowns = first[problem->patches];
  const size_t n = (size_t)s->rows, m = (size_t)s->unknowns;
  s->W = ts_arena_doubles(arena, n * n);
  s->normal_w = ts_arena_doubles(arena, (size_t)p->contacts);
  s->friction_w = ts_arena_doubles(arena, (size_t)problem->patches);
  s->r = ts_arena_doubles(arena, n);
  s->u = ts_arena_doubles(arena, n);
  s->A = ts_arena_doubles(arena, n * m);
  s->WA = ts_arena_doubles(arena, n * m);
  s->H = ts_arena_doubles(arena, m * m);
  fill_dense(p, s->W);
  take_diagonals(s);
  for (int k = 0; k < s->rows; ++k) s->speed = fmax(s->speed, fabs(p->q[k]));
}
