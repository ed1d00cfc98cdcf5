#include "complementarity/friction/few_contacts.h"

#include "complementarity/friction/cone_residual_inline.h"
#include "complementarity/friction/cone_state.h"
#include "complementarity/friction/one_contact_inline.h"

#include "base/hot.h"
#include "math/finite.h"
#include "math/matrix.h"
#include "math/small_system.h"

#include <float.h>
#include <math.h>
#include <string.h>

// The Newton matrix is a small system; in the plane it may have as many contacts.
enum { MAX_DIMENSION = 4, MOST_ROWS = TS_SMALL_SYSTEM_ROWS, MOST = MOST_ROWS / 2 };
_Static_assert(TS_FEW_CONTACTS *MAX_DIMENSION <= MOST_ROWS, "few contacts of any dimension are a small system");

// What the certificate adds up in another order may differ by this share of the impulses (see cone_state.c).
static const double ROUND_OFF = 4.0 * DBL_EPSILON;
// Regularization of W, which has no full rank where a body stands on four corners: it keeps the shares of the corners
// near those of the guess. A share of the contact's own compliance; it enters the Newton matrix and no residual.
static const double SHIFT = 1e-8;
// A step may make things worse while modes are still being found, but not by this much.
static const double RUN_AWAY = 100.0;

typedef struct few {
  const ts_friction *p;
  const double *block[MOST];    // W_ii
  double rho[MOST];             // d / trace of W_ii: what a velocity is worth as an impulse
  double inverse_scale[MOST];   // of r in the scaled residual; the scale is sqrt(rho)
  double scaled_data, raw_data; // |D q|^2, |q|^2
} few;

// A point with its velocity u = W r + q.
typedef struct point {
  double r[MOST_ROWS], u[MOST_ROWS];
} point;

// What a contact does by Alart and Curnier's map at a point. One that slides slips so fast that its direction e hardly
// depends on the impulses: r_t = mu r_n e with the e of the point, and r_n is its only unknown.
typedef enum mode_kind { OPEN, STICK, SLIP, SLIDE } mode_kind;

typedef struct mode {
  mode_kind kind;
  double direction[MAX_DIMENSION - 1]; // e of r_t - rho u_t, 0 without friction
  double share;                        // beta = mu r_n / |r_t - rho u_t|
  int column, rows;                    // of its unknowns in the Newton matrix
} mode;

// Up to this share of slip a contact slides. A step then leaves about that share of the error in its direction.
static const double SLIDING = 0.05;

bool ts_few_contacts_apply(const ts_friction *problem)
{
  return ts_few_contacts_apply_cold(problem) && problem->contacts <= TS_FEW_CONTACTS;
}

bool ts_few_contacts_apply_cold(const ts_friction *problem)
{
  if (problem->bilaterals > 0 || problem->ellipsoid) return false;
  return problem->contacts > 0 && problem->contacts <= MOST_ROWS / problem->dimension;
}

static bool is_ordinary(double sum) // a sum of squares that kept its digits
{
  return sum > 1e-200 && sum < 1e200;
}

TS_INLINE bool measure_data(few *f, const ts_friction *p, const int d)
{
  *f = (few){.p = p};
  for (int i = 0; i < p->contacts; ++i) {
    const double *block = ts_block_diagonal(&p->W, i), *q = p->q + i * d;
    double trace = 0.0, sum = 0.0;
    for (int k = 0; k < d; ++k) {
      trace += block[k * d + k];
      sum += q[k] * q[k];
    }
    if (!is_ordinary(trace)) return false;
    f->block[i] = block;
    f->rho[i] = d / trace;
    f->inverse_scale[i] = sqrt(trace / d);
    f->raw_data += sum;
    f->scaled_data += f->rho[i] * sum;
  }
  return is_ordinary(f->raw_data) && is_ordinary(f->scaled_data);
}

TS_INLINE void set_velocity(const few *f, point *x, const int d)
{
  memcpy(x->u, f->p->q, (size_t)(f->p->contacts * d) * sizeof *x->u);
  ts_block_multiply_add(&f->p->W, x->r, x->u);
}

// Sets x->u too.
TS_INLINE double error_at(const few *f, point *x, const int d)
{
  const ts_friction *p = f->p;
  double scaled = 0.0, raw = 0.0, size = 0.0;
  set_velocity(f, x, d);
  for (int i = 0; i < p->contacts; ++i) {
    const double *r = x->r + i * d, *u = x->u + i * d, s = f->inverse_scale[i];
    double sum = 0.0;
    for (int k = 0; k < d; ++k) sum += r[k] * r[k];
    size += s * s * sum;
    scaled += ts_lawful_squared(d, p->mu[i], r, u, s);
    raw += ts_natural_squared(d, p->mu[i], r, u, 1.0);
  }
  scaled /= f->scaled_data;
  raw /= f->raw_data;
  return sqrt(raw > scaled ? raw : scaled) + ROUND_OFF * sqrt(size / f->scaled_data);
}

TS_INLINE mode mode_of(const few *f, const point *x, int i, const int d)
{
  const double rho = f->rho[i], mu = f->p->mu[i], *r = x->r + i * d, *u = x->u + i * d;
  const double pressed = r[0] - rho * u[0];
  mode m = {.kind = OPEN};
  if (!(pressed > 0.0)) return m;
  double y[MAX_DIMENSION] = {0};
  for (int k = 1; k < d; ++k) y[k] = r[k] - rho * u[k];
  const double size = ts_tangent_norm(y, d);
  if (mu > 0.0 && size <= mu * pressed) {
    m.kind = STICK;
    m.rows = d;
    return m;
  }
  if (mu > 0.0) {
    const double inverse = 1.0 / size, share = mu * r[0] * inverse;
    for (int k = 1; k < d; ++k) m.direction[k - 1] = y[k] * inverse;
    m.share = share < 0.0 ? 0.0 : share < 1.0 ? share : 1.0;
  }
  m.kind = m.share <= SLIDING ? SLIDE : SLIP;
  m.rows = m.kind == SLIDE ? 1 : d;
  return m;
}

// Open contacts lose their impulse, and that of sliding ones is put along its direction; x->u follows. Returns the
// number of unknowns.
TS_INLINE int choose_modes(const few *f, point *x, mode *modes, const int d)
{
  const ts_friction *p = f->p;
  bool moved = false;
  int rows = 0;
  for (int i = 0; i < p->contacts; ++i) {
    mode *m = &modes[i];
    double *r = x->r + i * d;
    *m = mode_of(f, x, i, d);
    moved = moved || m->kind == OPEN || m->kind == SLIDE;
    m->column = rows;
    rows += m->rows;
    if (m->kind == OPEN) r[0] = 0.0;
    if (m->kind == OPEN || m->kind == SLIDE)
      for (int k = 1; k < d; ++k) r[k] = p->mu[i] * r[0] * m->direction[k - 1];
  }
  if (moved) set_velocity(f, x, d);
  return rows;
}

// What a unit of an unknown of contact j adds to the velocity of contact i: a column of their block of W, or of a
// sliding contact the sum along its cone.
TS_INLINE void unit_velocity(const double *block, const mode *m, double mu, int unknown, const int d, double *w)
{
  for (int k = 0; k < d; ++k) w[k] = block[unknown * d + k];
  for (int c = 1; m->kind == SLIDE && c < d; ++c)
    for (int k = 0; k < d; ++k) w[k] += mu * m->direction[c - 1] * block[c * d + k];
}

// The rows of contact i in one column: u itself, and across a slip beta (1 - e e^T) u_t.
TS_INLINE void put_velocity(const double *w, const mode *m, int column, const int d, ts_small_system *system)
{
  double along = 0.0;
  system->at[m->column][column] = w[0];
  if (m->kind == SLIDE) return;
  for (int k = 1; k < d; ++k) along += m->direction[k - 1] * w[k];
  for (int k = 1; k < d; ++k)
    system->at[m->column + k][column] = m->kind == STICK ? w[k] : m->share * (w[k] - along * m->direction[k - 1]);
}

// What does not come from W: the regularization, and across a slip dr_t - mu e dr_n - beta (1 - e e^T) dr_t over rho.
// The right-hand side is minus the map: u_n, and u_t where a contact sticks, r_t - mu r_n e over rho where it slips.
TS_INLINE void put_own(const few *f, const point *x, int i, const mode *m, const int d, ts_small_system *system)
{
  const double inverse = f->inverse_scale[i] * f->inverse_scale[i], mu = f->p->mu[i]; // 1 / rho
  const double *r = x->r + i * d, *u = x->u + i * d;
  const int first = m->column, last = system->count;
  system->at[first][first] += SHIFT * inverse;
  system->at[first][last] = -u[0];
  for (int k = 1; k < m->rows; ++k) {
    double *row = system->at[first + k];
    if (m->kind == STICK) {
      row[first + k] += SHIFT * inverse;
      row[last] = -u[k];
      continue;
    }
    const double e = m->direction[k - 1];
    row[first] -= mu * e * inverse;
    row[first + k] += inverse;
    for (int c = 1; c < d; ++c) row[first + c] -= m->share * inverse * ((c == k ? 1.0 : 0.0) - e * m->direction[c - 1]);
    row[last] = -(r[k] - mu * r[0] * e) * inverse;
  }
}

TS_INLINE void clear_matrix(ts_small_system *system)
{
  for (int k = 0; k < system->count; ++k) memset(system->at[k], 0, (size_t)system->count * sizeof system->at[k][0]);
}

// Where all contacts stick the matrix is W and the regularization; a definite system takes its upper half.
TS_INLINE void assemble_sticking(const few *f, const point *x, const int d, ts_small_system *system)
{
  const ts_friction *p = f->p;
  if (p->W.start[p->contacts] < p->contacts * p->contacts) clear_matrix(system);
  for (int i = 0; i < p->contacts; ++i) {
    for (int b = p->W.start[i]; b < p->W.start[i + 1]; ++b) {
      const double *block = p->W.value + (size_t)b * (size_t)(d * d);
      const int j = p->W.index[b];
      if (j < i) continue;
      for (int k = 0; k < d; ++k)
        for (int c = 0; c < d; ++c) system->at[i * d + k][j * d + c] = block[c * d + k];
    }
    for (int k = i * d; k < (i + 1) * d; ++k) {
      system->at[k][k] += SHIFT * (f->inverse_scale[i] * f->inverse_scale[i]);
      system->at[k][system->count] = -x->u[k];
    }
  }
}

TS_INLINE void assemble(const few *f, const point *x, const mode *modes, const int d, ts_small_system *system)
{
  const ts_friction *p = f->p;
  clear_matrix(system);
  for (int i = 0; i < p->contacts; ++i) {
    if (modes[i].kind == OPEN) continue;
    for (int b = p->W.start[i]; b < p->W.start[i + 1]; ++b) {
      const int j = p->W.index[b];
      for (int unknown = 0; unknown < modes[j].rows; ++unknown) {
        double w[MAX_DIMENSION];
        unit_velocity(p->W.value + (size_t)b * (size_t)(d * d), &modes[j], p->mu[j], unknown, d, w);
        put_velocity(w, &modes[i], modes[j].column + unknown, d, system);
      }
    }
    put_own(f, x, i, &modes[i], d, system);
  }
}

TS_INLINE void apply_step(const few *f, const double *step, const mode *modes, const int d, point *x)
{
  for (int i = 0; i < f->p->contacts; ++i) {
    const mode *m = &modes[i];
    double *r = x->r + i * d;
    for (int k = 0; k < m->rows; ++k) r[k] += step[m->column + k];
    for (int k = 1; m->kind == SLIDE && k < d; ++k) r[k] = f->p->mu[i] * r[0] * m->direction[k - 1];
  }
}

TS_INLINE bool all_stick(const mode *modes, int contacts)
{
  for (int i = 0; i < contacts; ++i)
    if (modes[i].kind != STICK) return false;
  return true;
}

TS_INLINE bool newton_step(const few *f, point *x, const int d)
{
  mode modes[MOST];
  double step[TS_SMALL_SYSTEM_ROWS];
  ts_small_system system;
  system.count = choose_modes(f, x, modes, d);
  const bool stuck = all_stick(modes, f->p->contacts);
  if (stuck)
    assemble_sticking(f, x, d, &system);
  else
    assemble(f, x, modes, d, &system);
  if (!(stuck ? ts_small_system_solve_definite : ts_small_system_solve)(&system, step)) return false;
  apply_step(f, step, modes, d, x);
  return true;
}

TS_INLINE ts_few_contacts_result solve(const ts_friction *p, double target, int limit, double *r, const int d)
{
  few f;
  ts_few_contacts_result result = {INFINITY, 0, 0};
  if (!measure_data(&f, p, d)) return result;
  point x;
  const size_t bytes = (size_t)(p->contacts * d) * sizeof *r;
  memcpy(x.r, r, bytes);
  const double first = result.error = error_at(&f, &x, d);
  double goal = TS_SHARE_FOR_A_GUESS * target;
  while (!(result.error <= goal) && result.steps < limit && result.error <= RUN_AWAY * first) {
    ++result.steps;
    if (!newton_step(&f, &x, d)) break;
    result.error = error_at(&f, &x, d);
    goal = target;
  }
  if (result.error <= target && result.error < first)
    memcpy(r, x.r, bytes);
  else
    result.error = first; // which may do all the same
  return result;
}

TS_HOT ts_few_contacts_result ts_few_contacts_solve(const ts_friction *problem, double target, int limit, double *r)
{
  switch (problem->dimension) { // a constant dimension lets the compiler unroll
  case 2:
    return solve(problem, target, limit, r, 2);
  case 3:
    return solve(problem, target, limit, r, 3);
  default:
    return solve(problem, target, limit, r, 4);
  }
}

// ---- without a guess ------------------------------------------------------------------------------------------------

// Three sweeps show most contacts what they do, and where Newton's steps went astray the next three bring them back.
// The counts were chosen on random problems of 2 to 12 contacts; others are not better in space and in the plane.
enum { ROUNDS = 4, SWEEPS_A_ROUND = 3, STEPS_A_ROUND = 3 };
// Up to so many in the plane, where a contact slips one way or the other, have so few modes that Newton's steps find
// them without sweeps as a rule.
enum { FEWEST = 3 };
// Growth of the error that sends a step back to the sweeps.
static const double ASTRAY = 10.0;

TS_INLINE void visit(const few *f, int i, ts_one_contact *contact, double *r, const int d)
{
  const ts_block_matrix *W = &f->p->W;
  double u[MAX_DIMENSION] = {0};
  for (int k = 0; k < d; ++k) u[k] = f->p->q[i * d + k];
  for (int b = W->start[i]; b < W->start[i + 1]; ++b) {
    const int j = W->index[b];
    const double *block = W->value + (size_t)b * (size_t)(d * d), *rj = r + j * d;
    if (j == i) continue;
    for (int c = 0; c < d; ++c)
      for (int k = 0; k < d; ++k) u[k] += block[c * d + k] * rj[c];
  }
  ts_solve_one_contact(d, f->p->mu[i], contact, f->block[i], d, u, r + i * d);
}

// Newton's steps from x, whose error is known. Returns how many.
TS_INLINE int take_steps(const few *f, double target, point *x, double *error, const int d)
{
  int steps = 0;
  while (steps < STEPS_A_ROUND && !(*error <= target)) {
    const double before = *error;
    ++steps;
    if (!newton_step(f, x, d)) break;
    *error = error_at(f, x, d);
    if (!(*error <= ASTRAY * before)) break;
  }
  return steps;
}

TS_INLINE ts_few_contacts_result solve_cold(const ts_friction *p, double target, double *r, const int d)
{
  const int rows = p->contacts * d;
  few f;
  point x;
  ts_one_contact contacts[MOST];
  ts_few_contacts_result result = {INFINITY, 0, 0};
  if (!measure_data(&f, p, d)) return result;
  memset(x.r, 0, (size_t)rows * sizeof *r);
  for (int i = 0; i < p->contacts; ++i) ts_one_contact_init(d, d, f.block[i], &contacts[i]);
  for (int round = 0; round < ROUNDS && ts_all_finite(x.r, (size_t)rows); ++round) {
    const int sweeps = round == 0 && d == 2 && p->contacts <= FEWEST ? 0 : SWEEPS_A_ROUND;
    for (int k = 0; k < sweeps; ++k)
      for (int i = 0; i < p->contacts; ++i) visit(&f, i, &contacts[i], x.r, d);
    result.sweeps += sweeps;
    result.error = error_at(&f, &x, d);
    result.steps += take_steps(&f, target, &x, &result.error, d);
    if (!(result.error <= target)) continue;
    memcpy(r, x.r, (size_t)rows * sizeof *r);
    break;
  }
  return result;
}

TS_HOT ts_few_contacts_result ts_few_contacts_solve_cold(const ts_friction *problem, double target, double *r)
{
  switch (problem->dimension) { // a constant dimension lets the compiler unroll
  case 2:
    return solve_cold(problem, target, r, 2);
  case 3:
    return solve_cold(problem, target, r, 3);
  default:
    return solve_cold(problem, target, r, 4);
  }
}
