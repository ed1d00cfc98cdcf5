#include "complementarity/friction/mncp_ray.h"

#include <cblas.h>
#include <math.h>
#include <string.h>

enum { BREAKS_A_CONTACT = 3, ROOT_STEPS = 12 };

void ts_mncp_ray_init(ts_mncp_ray *ray, const ts_mncp *mncp, ts_arena *arena)
{
  const size_t n = (size_t)mncp->size, contacts = (size_t)mncp->contacts;
  ts_mncp_ray *r = ray;
  *r = (ts_mncp_ray){.mncp = mncp};
  r->modes = ts_arena_bytes(arena, contacts, sizeof *r->modes);
  r->breaks = ts_arena_doubles(arena, BREAKS_A_CONTACT * contacts + 2);
  r->columns = ts_arena_doubles(arena, 2 * n);
  r->images = ts_arena_doubles(arena, 2 * n);
}

static void add_break(ts_mncp_ray *r, double t, double limit)
{
  if (t > 0.0 && t < limit) r->breaks[r->count++] = t;
}

// Where |z_t|^2 = mu^2 z_n^2 along z + t d, with z_n < 0: the roots of a t^2 + 2 b t + c, without cancellation.
static void add_cone_breaks(ts_mncp_ray *r, const double *z, const double *d, double mu, double limit)
{
  double a = -mu * mu * d[0] * d[0], b = -mu * mu * z[0] * d[0], c = -mu * mu * z[0] * z[0];
  for (int k = 1; k < r->mncp->dimension; ++k) {
    a += d[k] * d[k];
    b += z[k] * d[k];
    c += z[k] * z[k];
  }
  const double discriminant = b * b - a * c;
  if (discriminant <= 0.0) return; // touching the cone from one side is no edge
  const double w = -(b + copysign(sqrt(discriminant), b));
  const double roots[2] = {a != 0.0 ? w / a : -1.0, w != 0.0 ? c / w : -1.0};
  for (int k = 0; k < 2; ++k)
    if (z[0] + roots[k] * d[0] < 0.0) add_break(r, roots[k], limit);
}

// Shell sort: short, in place, and it allocates nothing.
static void sort(double *a, int count)
{
  int gap = 1;
  while (gap < count / 3) gap = 3 * gap + 1;
  for (; gap > 0; gap /= 3)
    for (int i = gap; i < count; ++i) {
      const double value = a[i];
      int j = i;
      for (; j >= gap && a[j - gap] > value; j -= gap) a[j] = a[j - gap];
      a[j] = value;
    }
}

static void find_breaks(ts_mncp_ray *r, double limit)
{
  const ts_mncp *m = r->mncp;
  r->count = 0;
  r->breaks[r->count++] = 0.0;
  for (int i = 0; i < m->contacts; ++i) {
    const int at = m->bilaterals + i * m->dimension;
    const double *z = r->origin + at, *d = r->direction + at;
    if (d[0] != 0.0) add_break(r, -z[0] / d[0], limit);
    if (m->mu[i] > 0.0) add_cone_breaks(r, z, d, m->mu[i], limit);
  }
  r->breaks[r->count++] = limit;
  sort(r->breaks, r->count);
}

static void point_on_ray(const ts_mncp_ray *r, int first, int count, double t, double *z)
{
  for (int k = 0; k < count; ++k) z[k] = r->origin[first + k] + t * r->direction[first + k];
}

static void enter_piece(ts_mncp_ray *r, double inside)
{
  const ts_mncp *m = r->mncp;
  double z[TS_MNCP_MAX_DIMENSION];
  for (int i = 0; i < m->contacts; ++i) {
    point_on_ray(r, m->bilaterals + i * m->dimension, m->dimension, inside, z);
    r->modes[i] = ts_mncp_mode_of(z, m->mu[i], m->dimension);
  }
}

// Force and its derivative along the ray at t, by the formulas of the present piece.
static void force_on_ray(ts_mncp_ray *r, double t)
{
  const ts_mncp *m = r->mncp;
  const int d = m->dimension, n = m->size;
  double *F = r->columns, *slope = r->columns + n;
  point_on_ray(r, 0, m->bilaterals, t, F);
  memcpy(slope, r->direction, (size_t)m->bilaterals * sizeof *slope);
  for (int i = 0; i < m->contacts; ++i) {
    const int at = m->bilaterals + i * d;
    double z[TS_MNCP_MAX_DIMENSION], dF[TS_MNCP_MAX_DIMENSION * TS_MNCP_MAX_DIMENSION];
    point_on_ray(r, at, d, t, z);
    ts_mncp_contact_force(r->modes[i], z, m->mu[i], d, F + at);
    ts_mncp_contact_derivative(r->modes[i], z, m->mu[i], d, dF);
    for (int a = 0; a < d; ++a) {
      slope[at + a] = 0.0;
      for (int b = 0; b < d; ++b) slope[at + a] += dF[b * d + a] * r->direction[at + b];
    }
  }
}

static ts_mncp_ray_point evaluate_on_ray(ts_mncp_ray *r, double t)
{
  const ts_mncp *m = r->mncp;
  const int n = m->size;
  ts_mncp_ray_point result = {t, 0.0, 0.0};
  force_on_ray(r, t);
  for (int k = 0; k < 2; ++k)
    cblas_dgemv(CblasColMajor, CblasNoTrans, n, n, 1.0, m->A, n, r->columns + (size_t)k * (size_t)n, 1, 0.0,
                r->images + (size_t)k * (size_t)n, 1);
  for (int i = 0; i < n; ++i) {
    double phi = r->images[i] + m->b[i], change = r->images[n + i];
    if (i >= m->bilaterals) {
      phi -= r->columns[i] + r->origin[i] + t * r->direction[i];
      change -= r->columns[n + i] + r->direction[i];
    }
    result.psi += 0.5 * phi * phi;
    result.slope += phi * change;
  }
  return result;
}

static void keep_lower(ts_mncp_ray_point *best, ts_mncp_ray_point candidate)
{
  if (candidate.psi < best->psi) *best = candidate;
}

// Root of the slope between `left` (negative) and `right` (positive): regula falsi in its Illinois form. Exact after
// one step where no contact slips, since psi is a parabola there.
static void search_bracket(ts_mncp_ray *r, ts_mncp_ray_point left, ts_mncp_ray_point right, ts_mncp_ray_point *best)
{
  double weight_left = left.slope, weight_right = right.slope;
  const double enough = 1e-6 * fmin(-left.slope, right.slope);
  int last_moved = 0; // -1: the left end, 1: the right end
  for (int k = 0; k < ROOT_STEPS; ++k) {
    const double t = left.t + (right.t - left.t) * weight_left / (weight_left - weight_right);
    if (!(t > left.t && t < right.t)) return;
    const ts_mncp_ray_point middle = evaluate_on_ray(r, t);
    keep_lower(best, middle);
    if (fabs(middle.slope) <= enough) return;
    if (middle.slope < 0.0) {
      left = middle;
      weight_left = middle.slope;
      if (last_moved < 0) weight_right *= 0.5;
      last_moved = -1;
    } else {
      right = middle;
      weight_right = middle.slope;
      if (last_moved > 0) weight_left *= 0.5;
      last_moved = 1;
    }
  }
}

ts_mncp_ray_point ts_mncp_ray_minimize(ts_mncp_ray *ray, const double *origin, const double *direction, double limit)
{
  ts_mncp_ray *r = ray;
  r->origin = origin;
  r->direction = direction;
  find_breaks(r, limit);
  ts_mncp_ray_point best = {0.0, INFINITY, 0.0};
  for (int k = 0; k + 1 < r->count; ++k) {
    const double a = r->breaks[k], b = r->breaks[k + 1];
    if (b <= a) continue;
    enter_piece(r, a + 0.5 * (b - a));
    const ts_mncp_ray_point left = evaluate_on_ray(r, a), right = evaluate_on_ray(r, b);
    keep_lower(&best, left);
    keep_lower(&best, right);
    if (left.slope < 0.0 && right.slope > 0.0) search_bracket(r, left, right, &best);
  }
  return best;
}
