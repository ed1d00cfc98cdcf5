// See convex_program.h. Both programs are: minimize c.x where f_i(x) <= 0 for all i, x having three components, or a
// fourth, the depth, which is added to every f_i.
//
// A primal-dual interior point method finds which functions hold the solution: it needs no guess, and does not mind
// corners where more of them meet than there are dimensions. From there Newton's method on the conditions
//   c + sum of l_i grad f_i = 0,  f_i = 0
// of those functions leads to rounding, and is checked; where it fails, the interior method goes further first.
#include "shape/convex_program.h"

#include "shape/implicit.h"

#include <float.h>

enum { MOST = TS_PROGRAM_MOST_FUNCTIONS, N = 4, HELD = 4, ROWS = N + HELD, MOST_STEPS = 120 };

typedef struct program {
  const ts_convex *part;
  int count, n; // functions; unknowns
  double size;
  double c[N];
} program;

typedef struct state {
  double x[N];
  double f[MOST], l[MOST], g[MOST][N]; // values, weights, gradients
  double H[N][N];                      // sum of l_i f_i''
} state;

static ts_vec3 place_of(const double x[N])
{
  return ts_vec3_make(x[0], x[1], x[2]);
}

static double value_of(const program *p, int i, const double x[N], double g[N], ts_mat3 *H)
{
  ts_vec3 gradient;
  const double f = ts_implicit_value(p->part, i, place_of(x), &gradient, H);
  g[0] = gradient.x;
  g[1] = gradient.y;
  g[2] = gradient.z;
  g[3] = p->n > 3 ? 1.0 : 0.0;
  return p->n > 3 ? f + x[3] : f;
}

static void add_weighted(double A[N][N], double w, const ts_mat3 *B)
{
  const ts_vec3 columns[3] = {B->x, B->y, B->z};
  for (int k = 0; k < 3; ++k) {
    A[0][k] += w * columns[k].x;
    A[1][k] += w * columns[k].y;
    A[2][k] += w * columns[k].z;
  }
}

// All functions at s->x, with the weights s->l; false where one is not negative.
static bool evaluate(const program *p, state *s)
{
  memset(s->H, 0, sizeof s->H);
  for (int i = 0; i < p->count; ++i) {
    ts_mat3 H;
    s->f[i] = value_of(p, i, s->x, s->g[i], &H);
    if (!(s->f[i] < 0.0)) return false;
    add_weighted(s->H, s->l[i], &H);
  }
  return true;
}

// ---- inside

// A x = b by Gauss' method with the largest pivot; what has none is left at 0.
static void solve(double A[ROWS][ROWS + 1], int n, double x[ROWS])
{
  for (int k = 0; k < n; ++k) {
    int pivot = k;
    for (int i = k + 1; i < n; ++i)
      if (fabs(A[i][k]) > fabs(A[pivot][k])) pivot = i;
    for (int j = 0; j <= n; ++j) {
      const double other = A[k][j];
      A[k][j] = A[pivot][j];
      A[pivot][j] = other;
    }
    if (A[k][k] == 0.0) continue;
    for (int i = k + 1; i < n; ++i) {
      const double factor = A[i][k] / A[k][k];
      for (int j = k; j <= n; ++j) A[i][j] -= factor * A[k][j];
    }
  }
  for (int k = n - 1; k >= 0; --k) {
    double sum = A[k][n];
    for (int j = k + 1; j < n; ++j) sum -= A[k][j] * x[j];
    x[k] = A[k][k] != 0.0 ? sum / A[k][k] : 0.0;
  }
}

static double dot(const double a[N], const double b[N])
{
  return a[0] * b[0] + a[1] * b[1] + a[2] * b[2] + a[3] * b[3];
}

// The sum of l_i (-f_i): how far the value is from the least, if l satisfies the first condition
static double distance_of(const program *p, const state *s)
{
  double sum = 0.0;
  for (int i = 0; i < p->count; ++i) sum -= s->l[i] * s->f[i];
  return sum;
}

// Square of what is missing to the conditions with l_i (-f_i) = m
static double residual_of(const program *p, const state *s, double m)
{
  double r[N], sum = 0.0;
  memcpy(r, p->c, sizeof r);
  for (int i = 0; i < p->count; ++i) {
    const double off = (s->l[i] * -s->f[i] - m) / p->size;
    for (int k = 0; k < N; ++k) r[k] += s->l[i] * s->g[i][k];
    sum += off * off;
  }
  return sum + dot(r, r);
}

// Functions that are nearest to holding the point, as many as there are unknowns at most: the greatest l_i / (-f_i)
static int nearest(const program *p, const state *s, int found[HELD])
{
  int count = 0;
  for (int i = 0; i < p->count; ++i) {
    const double ratio = s->l[i] / -s->f[i];
    int at = count < p->n ? count++ : p->n;
    for (; at > 0 && s->l[found[at - 1]] / -s->f[found[at - 1]] < ratio; --at)
      if (at < p->n) found[at] = found[at - 1];
    if (at < p->n) found[at] = i;
  }
  return count;
}

// Newton's step for l_i (-f_i) = m. The weights of all but the nearest functions are eliminated: their terms are of
// moderate size. Of the nearest they would drown the curvature along an edge, so that their weights stay unknowns.
static void find_step(const program *p, const state *s, double m, double dx[N], double dl[MOST])
{
  double A[ROWS][ROWS + 1] = {{0.0}}, x[ROWS] = {0.0};
  int near[HELD];
  const int kept = nearest(p, s, near), rows = p->n + kept;
  bool is_kept[MOST] = {false};
  for (int k = 0; k < kept; ++k) is_kept[near[k]] = true;
  for (int k = 0; k < p->n; ++k) {
    for (int j = 0; j < p->n; ++j) A[k][j] = s->H[k][j];
    A[k][k] += 1e-13 / p->size; // along the side of a capsule nothing curves
    A[k][rows] = -p->c[k];
  }
  for (int i = 0; i < p->count; ++i)
    for (int k = 0; k < p->n && !is_kept[i]; ++k) {
      A[k][rows] += s->g[i][k] * m / s->f[i];
      for (int j = 0; j < p->n; ++j) A[k][j] -= s->l[i] / s->f[i] * s->g[i][k] * s->g[i][j];
    }
  for (int i = 0; i < kept; ++i) {
    const int row = p->n + i;
    for (int k = 0; k < p->n; ++k) A[k][row] = A[row][k] = s->g[near[i]][k];
    A[row][row] = s->f[near[i]] / s->l[near[i]];
    A[row][rows] = -m / s->l[near[i]];
  }
  if (p->part->planar) A[2][2] = 1.0; // nothing depends on z
  solve(A, rows, x);
  for (int k = 0; k < N; ++k) dx[k] = k < p->n ? x[k] : 0.0;
  for (int i = 0; i < p->count; ++i) dl[i] = -(s->l[i] * (dot(s->g[i], dx) + s->f[i]) + m) / s->f[i];
  for (int i = 0; i < kept; ++i) dl[near[i]] = x[p->n + i] - s->l[near[i]];
}

// Along the step as far as all stay inside and the residual falls. False where rounding allows none.
static bool advance(const program *p, state *s, double m)
{
  double dx[N], dl[MOST], share = 1.0;
  find_step(p, s, m, dx, dl);
  for (int i = 0; i < p->count; ++i)
    if (dl[i] < 0.0) share = fmin(share, -0.99 * s->l[i] / dl[i]);
  const double length = sqrt(dx[0] * dx[0] + dx[1] * dx[1] + dx[2] * dx[2]);
  if (share * length > p->size) share = p->size / length; // nothing curves where a part has a middle line
  const double before = residual_of(p, s, m);
  state trial;
  for (int k = 0; k < 60; ++k, share *= 0.6) {
    for (int j = 0; j < N; ++j) trial.x[j] = s->x[j] + share * dx[j];
    for (int i = 0; i < p->count; ++i) trial.l[i] = s->l[i] + share * dl[i];
    if (evaluate(p, &trial) && residual_of(p, &trial, m) <= (1.0 - 0.01 * share) * before) {
      memcpy(s, &trial, sizeof trial);
      return true;
    }
  }
  return false;
}

// On towards the solution until it is as near as `target`; false when there is no way on.
static bool approach(const program *p, state *s, double target)
{
  for (int i = 0; i < MOST_STEPS; ++i) {
    const double left = distance_of(p, s);
    if (left <= target) return true;
    if (!advance(p, s, 0.1 * left / p->count) && !advance(p, s, 0.8 * left / p->count)) return false;
  }
  return false;
}

static bool begin(const program *p, state *s)
{
  for (int i = 0; i < p->count; ++i) s->l[i] = 0.0;
  if (!evaluate(p, s)) return false;
  for (int i = 0; i < p->count; ++i) s->l[i] = -0.1 * p->size / s->f[i] / p->count;
  return evaluate(p, s);
}

// ---- on the surface

typedef struct held {
  int count, function[HELD];
  double weight[HELD];
} held;

// The functions with the greatest weights beside their values whose gradients are independent.
static held choose(const program *p, const state *s)
{
  held h = {0};
  double basis[HELD][N];
  bool taken[MOST] = {false};
  while (h.count < p->n && h.count < HELD) {
    int best = -1;
    for (int i = 0; i < p->count; ++i)
      if (!taken[i] && s->l[i] * p->size > -s->f[i] && (best < 0 || s->l[i] > s->l[best])) best = i;
    if (best < 0) break;
    taken[best] = true;
    double rest[N];
    memcpy(rest, s->g[best], sizeof rest);
    for (int pass = 0; pass < 2; ++pass)
      for (int k = 0; k < h.count; ++k) {
        const double along = dot(basis[k], rest);
        for (int j = 0; j < N; ++j) rest[j] -= along * basis[k][j];
      }
    const double length = sqrt(dot(rest, rest));
    if (!(length > 1e-6 * sqrt(dot(s->g[best], s->g[best])))) continue;
    for (int j = 0; j < N; ++j) basis[h.count][j] = rest[j] / length;
    h.weight[h.count] = s->l[best];
    h.function[h.count++] = best;
  }
  return h;
}

// What the conditions are made of at x: gradients and values of the functions that hold it, and the sum of l_i f_i''
typedef struct conditions {
  double f[HELD], g[HELD][N], H[N][N];
} conditions;

static void evaluate_held(const program *p, const held *h, const double x[N], conditions *at)
{
  memset(at->H, 0, sizeof at->H);
  for (int k = 0; k < h->count; ++k) {
    ts_mat3 H;
    at->f[k] = value_of(p, h->function[k], x, at->g[k], &H);
    add_weighted(at->H, h->weight[k], &H);
  }
}

// Solve  H dx + G l = right,  G^T dx = below.  A little curvature of its own keeps what no function decides at its
// place.
static void solve_conditions(const program *p, const held *h, const conditions *at, const double right[N],
                             const double below[HELD], double solution[ROWS])
{
  double A[ROWS][ROWS + 1] = {{0.0}}, most = 0.0, all = 0.0;
  const int rows = p->n + h->count;
  for (int k = 0; k < p->n; ++k) most = fmax(most, fabs(at->H[k][k]));
  for (int k = 0; k < h->count; ++k) all += fabs(h->weight[k]);
  for (int k = 0; k < p->n; ++k) {
    for (int j = 0; j < p->n; ++j) A[k][j] = at->H[k][j];
    A[k][k] += 1e-12 * most + 1e-10 * all / p->size;
    A[k][rows] = right[k];
  }
  for (int i = 0; i < h->count; ++i) {
    for (int k = 0; k < p->n; ++k) A[k][p->n + i] = A[p->n + i][k] = at->g[i][k];
    A[p->n + i][rows] = below[i];
  }
  solve(A, rows, solution);
}

static bool is_solution(const program *p, const held *h, const double x[N])
{
  double r[N];
  memcpy(r, p->c, sizeof r);
  for (int i = 0; i < p->count; ++i) {
    double g[N];
    if (!(value_of(p, i, x, g, NULL) <= 4e-15 * p->size)) return false;
    for (int j = 0; j < h->count; ++j)
      for (int k = 0; k < N && h->function[j] == i; ++k) r[k] += h->weight[j] * g[k];
  }
  for (int k = 0; k < h->count; ++k)
    if (!(h->weight[k] >= -1e-14)) return false;
  return dot(r, r) <= 1e-26 * dot(p->c, p->c);
}

// Newton's method on the conditions from s->x.
static bool polish(const program *p, const state *s, held *h, double x[N])
{
  enum { ROUNDS = 12 };
  double right[N];
  *h = choose(p, s);
  memcpy(x, s->x, N * sizeof *x);
  for (int k = 0; k < N; ++k) right[k] = -p->c[k];
  for (int round = 0; round < ROUNDS; ++round) {
    conditions at;
    double below[HELD], step[ROWS], length = 0.0;
    evaluate_held(p, h, x, &at);
    for (int i = 0; i < h->count; ++i) below[i] = -at.f[i];
    solve_conditions(p, h, &at, right, below, step);
    for (int k = 0; k < p->n; ++k) x[k] += step[k], length = fmax(length, fabs(step[k]));
    for (int i = 0; i < h->count; ++i) h->weight[i] = step[p->n + i];
    if (!(length < 0.1 * p->size)) return false;
    if (length <= 4.0 * DBL_EPSILON * p->size) break;
  }
  return is_solution(p, h, x);
}

// The solution in x, as near as rounding allows; whether it has been verified
static bool minimize(const program *p, const double start[N], double x[N], held *h)
{
  state s;
  memcpy(s.x, start, sizeof s.x);
  *h = (held){0};
  memcpy(x, start, N * sizeof *x);
  bool inside = begin(p, &s);
  for (double target = 1e-6 * p->size; inside && target > 1e-16 * p->size; target *= 1e-2) {
    inside = approach(p, &s, target);
    if (polish(p, &s, h, x)) return true;
  }
  memcpy(x, s.x, N * sizeof *x);
  return false;
}

// ---- public

static program program_of(const ts_convex *part, int n, double size)
{
  return (program){.part = part, .count = ts_implicit_count(part), .n = n, .size = size};
}

ts_held_point ts_program_furthest(const ts_convex *part, ts_vec3 direction, ts_vec3 start, double size)
{
  program p = program_of(part, 3, size);
  double x[N];
  held h = {0};
  p.c[0] = -direction.x;
  p.c[1] = -direction.y;
  p.c[2] = -direction.z;
  // In the middle functions may have a kink; from elsewhere the way is another.
  static const double starts[] = {0.5, 0.1, 0.8};
  bool found_it = false;
  for (int k = 0; k < 3 && !found_it; ++k) {
    const ts_vec3 off = ts_add_scaled(start, starts[k] * part->radius, direction);
    const double from[N] = {off.x, off.y, off.z, 0.0};
    found_it = minimize(&p, from, x, &h);
  }
  ts_held_point found = {.x = place_of(x), .count = h.count < 3 ? h.count : 3};
  for (int k = 0; k < found.count; ++k) {
    found.function[k] = h.function[k];
    found.weight[k] = fmax(0.0, h.weight[k]);
  }
  return found;
}

double ts_program_deepest(const ts_convex *part, ts_vec3 start, double size, ts_vec3 *deepest)
{
  program p = program_of(part, 4, size);
  double from[N] = {start.x, start.y, start.z, 0.0}, x[N], most = -INFINITY;
  held h;
  p.c[3] = -1.0;
  for (int i = 0; i < p.count; ++i) most = fmax(most, ts_implicit_value(part, i, start, NULL, NULL));
  from[3] = -most - size;
  minimize(&p, from, x, &h);
  *deepest = place_of(x);
  most = -INFINITY;
  for (int i = 0; i < p.count; ++i) most = fmax(most, ts_implicit_value(part, i, *deepest, NULL, NULL));
  return most;
}

ts_vec3 ts_program_bend(const ts_convex *part, const ts_held_point *at, ts_vec3 t, double size)
{
  const program p = program_of(part, 3, size);
  const double x[N] = {at->x.x, at->x.y, at->x.z, 0.0}, right[N] = {t.x, t.y, t.z, 0.0}, below[HELD] = {0.0};
  held h = {.count = at->count};
  for (int k = 0; k < at->count; ++k) h.function[k] = at->function[k], h.weight[k] = at->weight[k];
  conditions here;
  double moved[ROWS] = {0.0};
  evaluate_held(&p, &h, x, &here);
  solve_conditions(&p, &h, &here, right, below, moved);
  return ts_vec3_make(moved[0], moved[1], moved[2]);
}
