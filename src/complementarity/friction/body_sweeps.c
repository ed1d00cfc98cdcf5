#include "complementarity/friction/body_sweeps.h"

#include "complementarity/friction/cone_residual_inline.h"
#include "complementarity/friction/cone_state.h"
#include "complementarity/friction/momentum.h"
#include "complementarity/friction/one_contact_inline.h"

#include "base/hot.h"
#include "math/matrix.h"
#include "math/quad.h"

#include <float.h>
#include <math.h>
#include <string.h>

enum {
  MOST_ROWS = 6,  // of a body
  BODY = 8,       // numbers of a body's velocity, padded
  ROW = 2 * BODY, // numbers of a row of G: two bodies
  STRIDE = 4      // numbers of a contact in vectors
};

// What the measurement here may differ by from the certificate, which adds in another order (cone_state.c).
static const double ROUND_OFF = 4.0 * DBL_EPSILON;

typedef struct body_sweeps {
  int d, contacts, bodies;
  const ts_friction *problem;
  int *body;               // two a contact; `bodies` stands for what does not move: its velocity stays 0
  double *G;               // d rows of ROW numbers a contact
  double *D;               // diagonal blocks of the scaled W: d columns of STRIDE numbers
  double *q;               // scaled, |q| = 1
  double *s;               // scale of a contact
  double data_size;        // |S q|
  double raw_data;         // |E q|, for FCLIB's figure
  double target;           // error that solves the problem: near it FCLIB's figure counts too
  ts_one_contact *one;     // a contact
  double *x, *before;      // the point, and the one before it
  double *v, *v_before;    // G^T of both
  double *best;            // point that was kept
  double best_error, last; // of the point that was kept, and of the present one
} body_sweeps;

// ---- building ------------------------------------------------------------------------------------------------------

// The body of each row of M.
static int *bodies_of_rows(const ts_bodies *bodies, ts_arena *arena)
{
  int *of = ts_arena_ints(arena, (size_t)bodies->M.rows);
  for (int b = 0; b < bodies->count; ++b)
    for (int row = bodies->first[b]; row < bodies->first[b + 1]; ++row) of[row] = b;
  return of;
}

// The lower factor of the mass matrix of body b, MOST_ROWS numbers a row. False where it is not positive definite.
static bool factor_mass(const ts_bodies *bodies, int b, double *L)
{
  const int first = bodies->first[b], n = bodies->first[b + 1] - first;
  const ts_matrix *M = &bodies->M;
  memset(L, 0, MOST_ROWS * MOST_ROWS * sizeof *L);
  for (int c = 0; c < n; ++c)
    for (int k = M->start[first + c]; k < M->start[first + c + 1]; ++k)
      if (M->index[k] - first >= c) L[(M->index[k] - first) * MOST_ROWS + c] = M->value[k];
  for (int c = 0; c < n; ++c) {
    double pivot = L[c * MOST_ROWS + c];
    for (int k = 0; k < c; ++k) pivot -= L[c * MOST_ROWS + k] * L[c * MOST_ROWS + k];
    if (!(pivot > 0.0)) return false;
    L[c * MOST_ROWS + c] = sqrt(pivot);
    for (int r = c + 1; r < n; ++r) {
      double sum = L[r * MOST_ROWS + c];
      for (int k = 0; k < c; ++k) sum -= L[r * MOST_ROWS + k] * L[c * MOST_ROWS + k];
      L[r * MOST_ROWS + c] = sum / L[c * MOST_ROWS + c];
    }
  }
  return true;
}

// x <- L^-1 x.
static void solve_lower(const double *L, int n, double *x)
{
  for (int r = 0; r < n; ++r) {
    double sum = x[r];
    for (int k = 0; k < r; ++k) sum -= L[r * MOST_ROWS + k] * x[k];
    x[r] = sum / L[r * MOST_ROWS + r];
  }
}

// The scale of a contact, cone_problem.h: one number, from the trace of its diagonal block in round variables.
static double contact_scale(const ts_friction *p, int i, const double *e)
{
  const int d = p->dimension;
  const double *block = ts_block_diagonal(&p->W, i);
  double trace = block[0];
  for (int k = 1; k < d; ++k) trace += e[k] * e[k] * block[k * d + k];
  const double squared = d / trace;
  return squared > 0.0 && isfinite(squared) ? sqrt(squared) : 1.0;
}

static void semi_axes(const ts_friction *p, int i, double e[4])
{
  for (int k = 0; k < 4; ++k)
    e[k] = k == 0 || k >= p->dimension || !p->ellipsoid ? 1.0 : p->ellipsoid[i * (p->dimension - 1) + k - 1];
}

// The two bodies of contact i, and its rows of G before L is taken out of them. False where there are more than two.
static bool place_rows(body_sweeps *f, const int *body_of_row, int i, double scale, const double *e)
{
  const ts_bodies *bodies = f->problem->bodies;
  const ts_matrix *H = &bodies->H;
  int *body = f->body + 2 * i;
  body[0] = body[1] = f->bodies;
  for (int r = 0; r < f->d; ++r) {
    double *row = f->G + ((size_t)i * (size_t)f->d + (size_t)r) * ROW;
    memset(row, 0, ROW * sizeof *row);
    for (int k = H->start[i * f->d + r]; k < H->start[i * f->d + r + 1]; ++k) {
      const int b = body_of_row[H->index[k]];
      int side = 0;
      while (side < 2 && body[side] != b && body[side] != f->bodies) ++side;
      if (side == 2) return false;
      body[side] = b;
      row[side * BODY + H->index[k] - bodies->first[b]] = scale * e[r] * H->value[k];
    }
  }
  return true;
}

static void take_out_masses(body_sweeps *f, const double *L, int i)
{
  const ts_bodies *bodies = f->problem->bodies;
  for (int side = 0; side < 2; ++side) {
    const int b = f->body[2 * i + side];
    if (b == f->bodies) continue;
    for (int r = 0; r < f->d; ++r)
      solve_lower(L + (size_t)b * MOST_ROWS * MOST_ROWS, bodies->first[b + 1] - bodies->first[b],
                  f->G + ((size_t)i * (size_t)f->d + (size_t)r) * ROW + side * BODY);
  }
}

static void scale_contact(body_sweeps *f, int i, const double *e)
{
  const ts_friction *p = f->problem;
  const int d = f->d;
  const double *block = ts_block_diagonal(&p->W, i), s = f->s[i];
  double *D = f->D + (size_t)i * (size_t)(d * STRIDE), *q = f->q + (size_t)i * STRIDE, sum = 0.0;
  for (int c = 0; c < d; ++c)
    for (int r = 0; r < STRIDE; ++r) D[c * STRIDE + r] = r < d ? s * e[r] * block[c * d + r] * e[c] * s : 0.0;
  for (int r = 0; r < STRIDE; ++r) {
    const double value = r < d ? e[r] * p->q[i * d + r] : 0.0;
    q[r] = s * value;
    sum += value * value;
  }
  f->raw_data += sum;
  f->data_size += s * s * sum;
  ts_one_contact_init(d, STRIDE, D, &f->one[i]);
}

// Data that have lost their squares are left to others.
static bool finish_scaling(body_sweeps *f)
{
  static const double LEAST = 1e-200, MOST = 1e200;
  if (!(f->data_size > LEAST && f->data_size < MOST && f->raw_data > LEAST && f->raw_data < MOST)) return false;
  f->data_size = sqrt(f->data_size);
  f->raw_data = sqrt(f->raw_data);
  for (size_t k = 0; k < (size_t)f->contacts * STRIDE; ++k) f->q[k] /= f->data_size;
  return true;
}

static bool build(body_sweeps *f, const ts_friction *problem, ts_arena *arena)
{
  const size_t contacts = (size_t)problem->contacts, length = contacts * STRIDE, d = (size_t)problem->dimension;
  const ts_bodies *bodies = problem->bodies;
  const size_t velocities = ((size_t)bodies->count + 1) * BODY;
  *f = (body_sweeps){.d = problem->dimension,
                     .contacts = problem->contacts,
                     .bodies = bodies->count,
                     .problem = problem,
                     .body = ts_arena_ints(arena, 2 * contacts),
                     .G = ts_arena_doubles(arena, contacts * d * ROW),
                     .D = ts_arena_doubles(arena, contacts * d * STRIDE),
                     .q = ts_arena_doubles(arena, length),
                     .s = ts_arena_doubles(arena, contacts),
                     .one = ts_arena_bytes(arena, contacts, sizeof *f->one),
                     .x = ts_arena_zeros(arena, length),
                     .before = ts_arena_zeros(arena, length),
                     .best = ts_arena_zeros(arena, length),
                     .v = ts_arena_zeros(arena, velocities),
                     .v_before = ts_arena_zeros(arena, velocities)};
  const ts_arena_mark mark = ts_arena_save(arena);
  const int *body_of_row = bodies_of_rows(bodies, arena);
  double *L = ts_arena_doubles(arena, (size_t)bodies->count * MOST_ROWS * MOST_ROWS);
  bool fits = true;
  for (int b = 0; b < bodies->count && fits; ++b) fits = factor_mass(bodies, b, L + (size_t)b * MOST_ROWS * MOST_ROWS);
  for (int i = 0; i < problem->contacts && fits; ++i) {
    double e[4];
    semi_axes(problem, i, e);
    f->s[i] = contact_scale(problem, i, e);
    fits = place_rows(f, body_of_row, i, f->s[i], e);
    if (fits) take_out_masses(f, L, i);
    scale_contact(f, i, e);
  }
  ts_arena_restore(arena, mark);
  return fits && finish_scaling(f);
}

// ---- sweeping ------------------------------------------------------------------------------------------------------

// The sums of four quads, one in each place.
TS_INLINE ts_quad sums_of(ts_quad a, ts_quad b, ts_quad c, ts_quad e)
{
  const ts_quad ab = TS_QUAD_PICK(a, b, 0, 4, 2, 6) + TS_QUAD_PICK(a, b, 1, 5, 3, 7);
  const ts_quad ce = TS_QUAD_PICK(c, e, 0, 4, 2, 6) + TS_QUAD_PICK(c, e, 1, 5, 3, 7);
  return TS_QUAD_PICK(ab, ce, 0, 1, 4, 5) + TS_QUAD_PICK(ab, ce, 2, 3, 6, 7);
}

// A row of G times the velocities of its two bodies, not yet added up.
TS_INLINE ts_quad row_products(const double *row, const double *first, const double *second)
{
  return TS_CONST_QUAD(row) * TS_CONST_QUAD(first) + TS_CONST_QUAD(row + 4) * TS_CONST_QUAD(first + 4) +
         (TS_CONST_QUAD(row + 8) * TS_CONST_QUAD(second) + TS_CONST_QUAD(row + 12) * TS_CONST_QUAD(second + 4));
}

// G v of one contact.
TS_INLINE ts_quad velocity_of(const double *G, const double *first, const double *second, const int d)
{
  const ts_quad none = {0.0, 0.0, 0.0, 0.0};
  return sums_of(row_products(G, first, second), row_products(G + ROW, first, second),
                 d > 2 ? row_products(G + 2 * ROW, first, second) : none,
                 d > 3 ? row_products(G + 3 * ROW, first, second) : none);
}

// v += G^T change for one body.
TS_INLINE void push(const double *G, int side, const double *change, double *v, const int d)
{
  ts_quad low = TS_CONST_QUAD(v), high = TS_CONST_QUAD(v + 4);
  for (int r = 0; r < d; ++r) {
    const double *row = G + r * ROW + side * BODY;
    low += TS_CONST_QUAD(row) * change[r];
    high += TS_CONST_QUAD(row + 4) * change[r];
  }
  TS_QUAD(v) = low;
  TS_QUAD(v + 4) = high;
}

// Solve contact i with the others fixed, from its share of y. The old point takes the place of the one before it.
TS_INLINE double visit(body_sweeps *f, int i, double weight, const int d)
{
  const double *G = f->G + (size_t)i * (size_t)(d * ROW), *D = f->D + (size_t)i * (size_t)(d * STRIDE);
  double *x = f->x + (size_t)i * STRIDE, *before = f->before + (size_t)i * STRIDE;
  double *first = f->v + (size_t)f->body[2 * i] * BODY, *second = f->v + (size_t)f->body[2 * i + 1] * BODY;
  double y[STRIDE], w[STRIDE], fresh[STRIDE], change[STRIDE], uphill = 0.0;
  const ts_quad old = TS_CONST_QUAD(x), from = old + weight * (old - TS_CONST_QUAD(before));
  TS_QUAD(y) = from;
  ts_quad without = TS_CONST_QUAD(f->q + (size_t)i * STRIDE) + velocity_of(G, first, second, d);
  for (int c = 0; c < d; ++c) without -= TS_CONST_QUAD(D + c * STRIDE) * y[c];
  TS_QUAD(w) = without;
  TS_QUAD(fresh) = from;
  ts_solve_one_contact(d, f->problem->mu[i], &f->one[i], D, STRIDE, w, fresh);
  for (int k = 0; k < d; ++k) {
    change[k] = fresh[k] - y[k];
    uphill -= change[k] * (fresh[k] - x[k]);
  }
  push(G, 0, change, first, d);
  push(G, 1, change, second, d);
  TS_QUAD(before) = old;
  for (int k = 0; k < d; ++k) x[k] = fresh[k];
  return uphill;
}

TS_INLINE double sweep_all(body_sweeps *f, double weight, const int d)
{
  double uphill = 0.0;
  for (int i = 0; i < f->contacts; ++i) uphill += visit(f, i, weight, d);
  return uphill;
}

// v <- v + weight (v - v_before), and v_before <- v.
TS_INLINE void extrapolate_velocities(body_sweeps *f, double weight)
{
  for (size_t k = 0; k < (size_t)f->bodies * BODY; k += 4) {
    const ts_quad v = TS_CONST_QUAD(f->v + k);
    TS_QUAD(f->v + k) = v + weight * (v - TS_CONST_QUAD(f->v_before + k));
    TS_QUAD(f->v_before + k) = v;
  }
}

TS_HOT static double sweep(void *self, double weight)
{
  body_sweeps *f = self;
  extrapolate_velocities(f, weight);
  switch (f->d) { // a constant dimension lets the compiler unroll
  case 2:
    return sweep_all(f, weight, 2);
  case 3:
    return sweep_all(f, weight, 3);
  default:
    return sweep_all(f, weight, 4);
  }
}

// ---- measuring -----------------------------------------------------------------------------------------------------

// v = G^T x afresh: what sweeps add up drifts by round-off.
TS_INLINE void set_velocities(body_sweeps *f, const int d)
{
  memset(f->v, 0, ((size_t)f->bodies + 1) * BODY * sizeof *f->v);
  for (int i = 0; i < f->contacts; ++i)
    for (int side = 0; side < 2; ++side)
      push(f->G + (size_t)i * (size_t)(d * ROW), side, f->x + (size_t)i * STRIDE,
           f->v + (size_t)f->body[2 * i + side] * BODY, d);
  memset(f->v + (size_t)f->bodies * BODY, 0, BODY * sizeof *f->v);
}

typedef struct sums {
  double scaled, raw, size; // squares of the two residuals and of the impulses
  double worst;             // square of the worst contact's error
} sums;

// `near`: FCLIB's figure and the size of the impulses are wanted too.
TS_INLINE sums measure_all(body_sweeps *f, bool near, const int d)
{
  sums t = {0};
  set_velocities(f, d);
  for (int i = 0; i < f->contacts; ++i) {
    const double *x = f->x + (size_t)i * STRIDE, mu = f->problem->mu[i], s = f->s[i];
    double u[STRIDE];
    TS_QUAD(u) = TS_CONST_QUAD(f->q + (size_t)i * STRIDE) + velocity_of(f->G + (size_t)i * (size_t)(d * ROW),
                                                                        f->v + (size_t)f->body[2 * i] * BODY,
                                                                        f->v + (size_t)f->body[2 * i + 1] * BODY, d);
    const double lawful = ts_lawful_squared(d, mu, x, u, 1.0), error = lawful / (s * s);
    t.scaled += lawful;
    if (!(error <= t.worst)) t.worst = error;
    if (!near) continue;
    t.raw += ts_natural_squared(d, mu, x, u, s);
    for (int k = 0; k < d; ++k) t.size += x[k] * x[k];
  }
  return t;
}

TS_HOT static sums measure_contacts(body_sweeps *f, bool near)
{
  switch (f->d) { // a constant dimension lets the compiler unroll
  case 2:
    return measure_all(f, near, 2);
  case 3:
    return measure_all(f, near, 3);
  default:
    return measure_all(f, near, 4);
  }
}

static ts_momentum_figures measure(void *self)
{
  body_sweeps *f = self;
  const bool near = f->last <= 1e3 * f->target;
  const sums t = measure_contacts(f, near);
  const double scaled = sqrt(t.scaled), raw = sqrt(t.raw) * f->data_size / f->raw_data;
  f->last = near ? fmax(scaled, raw) + ROUND_OFF * sqrt(t.size) : scaled;
  if (!near && scaled <= f->target) return measure(self); // it came here at once
  return (ts_momentum_figures){f->last, sqrt(t.worst) * f->data_size};
}

static void keep(void *self)
{
  body_sweeps *f = self;
  memcpy(f->best, f->x, (size_t)f->contacts * STRIDE * sizeof *f->best);
  f->best_error = f->last;
}

// ---- solving -------------------------------------------------------------------------------------------------------

bool ts_body_sweeps_apply(const ts_friction *problem)
{
  if (!problem->bodies || problem->bodies->count == 0 || problem->bilaterals > 0) return false;
  for (int b = 0; b < problem->bodies->count; ++b)
    if (problem->bodies->first[b + 1] - problem->bodies->first[b] > MOST_ROWS) return false;
  return true;
}

// The impulses of a contact here are r = s e |S q| x.
static void import(body_sweeps *f, const double *z)
{
  for (int i = 0; i < f->contacts; ++i) {
    double e[4];
    semi_axes(f->problem, i, e);
    for (int k = 0; k < f->d; ++k) {
      const double value = z[i * f->d + k] / (f->s[i] * e[k] * f->data_size);
      f->x[i * STRIDE + k] = f->before[i * STRIDE + k] = isfinite(value) ? value : 0.0;
    }
  }
}

static void export(const body_sweeps *f, double *z)
{
  for (int i = 0; i < f->contacts; ++i) {
    double e[4];
    semi_axes(f->problem, i, e);
    for (int k = 0; k < f->d; ++k) {
      const double value = f->best[i * STRIDE + k] * (f->s[i] * e[k] * f->data_size);
      z[i * f->d + k] = isfinite(value) ? value : 0.0;
    }
  }
}

ts_outcome ts_body_sweeps_solve(const ts_friction *problem, ts_run *run, bool warm, int most, double *z, double *error)
{
  static const ts_momentum_ops ops = {sweep, measure, keep};
  const ts_arena_mark mark = ts_arena_save(run->arena);
  body_sweeps f;
  ts_outcome outcome = TS_STALLED;
  if (build(&f, problem, run->arena)) {
    const ts_solve_options *o = run->options;
    const double speed = f.raw_data / sqrt(problem->contacts);
    const double enough = o->velocity_error > 0.0 ? fmax(o->velocity_error, TS_SHARE_OF_SPEED * speed) : 0.0;
    f.last = INFINITY;
    f.target = TS_SHARE_OF_TOLERANCE * o->tolerance;
    if (warm) import(&f, z);
    const ts_momentum_goal goal = {f.target, TS_SHARE_OF_VELOCITY_ERROR * enough, most};
    outcome = ts_momentum_run(&ops, &f, &goal, run);
    export(&f, z);
    *error = f.best_error;
  }
  ts_arena_restore(run->arena, mark);
  return outcome;
}
