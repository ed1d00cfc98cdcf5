// The figures of the certificate for friction problems. Definitions: docs/theory/residuals.md.
#include "complementarity/problem/friction_measures.h"

#include "base/hot.h"
#include "math/conjugate_gradients.h"
#include "math/matrix.h"

#include <math.h>
#include <string.h>

enum { MAX_DIMENSION = 4 };

// One contact's impulse and velocity in the units of its friction ellipsoid, where the cone is round, and the lengths
// of their tangential parts.
typedef struct round_contact {
  double r[MAX_DIMENSION], u[MAX_DIMENSION], q[MAX_DIMENSION];
  double friction, slip;
} round_contact;

TS_INLINE double tangent_norm(const double *x, const int d)
{
  double sum = x[1] * x[1];
  for (int k = 2; k < d; ++k) sum += x[k] * x[k];
  return sqrt(sum);
}

TS_INLINE void to_round(const int d, const double *semi_axes, const double *r, const double *u, const double *q,
                        round_contact *c)
{
  for (int k = 0; k < d; ++k) {
    const double e = k > 0 && semi_axes ? semi_axes[k - 1] : 1.0;
    c->r[k] = semi_axes ? r[k] / e : r[k];
    c->u[k] = u[k] * e;
    c->q[k] = q[k] * e;
  }
  c->friction = tangent_norm(c->r, d);
  c->slip = tangent_norm(c->u, d);
}

// |r - P_K(r - u - mu |u_t| n)|^2 after r t and u s, s t = 1; P_K is the projection on K = { |x_t| <= mu x_n }.
TS_INLINE double natural_squared(const round_contact *c, double mu, const int d, double s, double t)
{
  double x[MAX_DIMENSION], sum = 0.0;
  for (int k = 0; k < d; ++k) x[k] = c->r[k] * t - s * c->u[k];
  x[0] -= s * mu * c->slip;
  const double tangent = tangent_norm(x, d);
  if (x[0] >= 0.0 && tangent <= mu * x[0]) { // inside the cone: P(x) = x
    for (int k = 0; k < d; ++k) sum += (c->r[k] * t - x[k]) * (c->r[k] * t - x[k]);
  } else if (mu * tangent <= -x[0]) { // inside the polar cone: P(x) = 0
    for (int k = 0; k < d; ++k) sum += c->r[k] * t * c->r[k] * t;
  } else {
    const double normal = (x[0] + mu * tangent) / (1.0 + mu * mu), shrink = mu * normal / tangent;
    sum = (c->r[0] * t - normal) * (c->r[0] * t - normal);
    for (int k = 1; k < d; ++k) sum += (c->r[k] * t - shrink * x[k]) * (c->r[k] * t - shrink * x[k]);
  }
  return sum;
}

TS_INLINE void raise(double *worst, double value)
{
  if (!(value <= *worst)) *worst = value; // keeps NAN
}

// The natural map sees an error of u_n as that over sqrt(1 + mu^2): with mu = 1e10 a contact that slides into the other
// body without any impulse would pass. Where mu > 1 the normal law therefore counts by itself too: no penetration, and
// no impulse across a contact that opens.
TS_INLINE double lawful_squared(const round_contact *c, double mu, const int d, double s, double t)
{
  const double natural = natural_squared(c, mu, d, s, t);
  if (!(mu > 1.0)) return natural;
  const double impulse = hypot(c->r[0], c->friction) * t, velocity = s * c->u[0];
  const double normal = velocity > 0.0 ? fmin(impulse, velocity) : velocity;
  return normal * normal > natural ? normal * normal : natural; // keeps NAN
}

TS_INLINE void measure_mode(const round_contact *c, double mu, const int d, double s, double t, ts_friction_measures *m)
{
  double x[MAX_DIMENSION];
  for (int k = 0; k < d; ++k) x[k] = c->r[k] * t - s * c->u[k];
  if (x[0] <= 0.0)
    ++m->open;
  else if (tangent_norm(x, d) > mu * x[0])
    ++m->slip;
  else
    ++m->stick;
}

TS_INLINE void measure_contact(const round_contact *c, double mu, const int d, ts_friction_measures *m)
{
  double power = 0.0;
  for (int k = 1; k < d; ++k) power += c->r[k] * c->u[k];
  raise(&m->penetration_velocity, -c->u[0]);
  raise(&m->cone_violation, c->friction - mu * c->r[0]);
  raise(&m->cone_violation, -c->r[0]);
  raise(&m->misalignment, c->friction * c->slip + power);
  raise(&m->complementarity, fabs(c->r[0] * c->u[0]));
}

// Squares of very small or large numbers are 0 or infinite, and any error over such data would be 0 as well. A power of
// two that brings the largest number next to 1 where that threatens, else 1.
static double unit_for(double largest)
{
  static const double SAFE = 1e70;
  if (!(largest > 0.0) || isinf(largest) || (largest < SAFE && largest > 1.0 / SAFE)) return 1.0;
  return ldexp(1.0, largest < 1.0 ? (int)fmin(1000.0, -ilogb(largest)) : -ilogb(largest));
}

TS_INLINE double largest_magnitude(const double *x, size_t count)
{
  double largest = 0.0;
  for (size_t k = 0; k < count; ++k) largest = fabs(x[k]) > largest ? fabs(x[k]) : largest;
  return largest;
}

// x times unit: x itself where that is 1.
static const double *in_unit(const double *x, size_t count, double unit, ts_arena *arena)
{
  if (unit == 1.0) return x;
  double *scaled = ts_arena_doubles(arena, count);
  for (size_t k = 0; k < count; ++k) scaled[k] = unit * x[k];
  return scaled;
}

// Sums of squares over contacts and rows, from which the two figures are made.
typedef struct sums {
  double scaled, raw, scaled_data, raw_data;
  double unit; // multiplies what enters the scaled sums
} sums;

static double quotient(double residual, double data)
{
  if (isinf(data)) return INFINITY;
  return sqrt(residual) / (data > 0.0 ? sqrt(data) : 1.0);
}

// The figures, and the physical measures in the caller's unit again.
static void finish(const sums *t, double unit, ts_friction_measures *m)
{
  m->scaled = quotient(t->scaled, t->scaled_data);
  raise(&m->velocity_error, m->bilateral);
  m->fclib = quotient(t->raw, t->raw_data);
  if (unit == 1.0) return;
  double *const lengths[] = {&m->penetration_velocity, &m->cone_violation, &m->bilateral,
                             &m->equilibrium,          &m->velocity_error, &m->data_speed};
  for (size_t k = 0; k < sizeof lengths / sizeof lengths[0]; ++k) *lengths[k] /= unit;
  m->misalignment = m->misalignment / unit / unit;
  m->complementarity = m->complementarity / unit / unit;
}

// The contacts of a friction problem at a point: what both forms have in common.
typedef struct contact_data {
  int dimension, contacts;
  const double *mu, *ellipsoid, *r, *u, *q;
  const double *scale; // of each contact
} contact_data;

// Scales sqrt(d / trace) from the traces of the contacts' diagonal blocks in round variables, in place.
static void traces_to_scales(double *trace, int contacts, int d)
{
  double mean = 0.0;
  for (int i = 0; i < contacts; ++i) mean += trace[i];
  mean /= contacts;
  for (int i = 0; i < contacts; ++i) {
    const double size = trace[i] > 0.0 ? trace[i] : mean;
    trace[i] = size > 0.0 ? sqrt(d / size) : 1.0;
  }
}

// The unit of the scaled sums: from the scaled data of the contacts.
TS_INLINE double scaled_unit(const contact_data *p, const int d)
{
  double largest = 0.0;
  for (int i = 0; i < p->contacts; ++i) {
    const double size = p->scale[i] * largest_magnitude(p->q + (size_t)i * (size_t)d, (size_t)d);
    largest = size > largest ? size : largest;
  }
  return unit_for(largest);
}

TS_INLINE void sum_contacts_of(const contact_data *p, int first, int end, sums *t, ts_friction_measures *m, const int d)
{
  for (int i = first; i < end; ++i) {
    const size_t at = (size_t)i * (size_t)d;
    round_contact c;
    to_round(d, p->ellipsoid ? p->ellipsoid + (size_t)i * (size_t)(d - 1) : NULL, p->r + at, p->u + at, p->q + at, &c);
    const double s = t->unit * p->scale[i], inverse = t->unit / p->scale[i];
    double data = 0.0, scaled_data = 0.0;
    for (int k = 0; k < d; ++k) {
      data += c.q[k] * c.q[k];
      scaled_data += s * c.q[k] * (s * c.q[k]);
    }
    t->raw_data += data;
    t->scaled_data += scaled_data;
    const double lawful = lawful_squared(&c, p->mu[i], d, s, inverse);
    t->scaled += lawful;
    raise(&m->velocity_error, sqrt(lawful) / s);
    t->raw += natural_squared(&c, p->mu[i], d, 1.0, 1.0);
    measure_contact(&c, p->mu[i], d, m);
    measure_mode(&c, p->mu[i], d, s, inverse, m);
  }
}

// Sums over many contacts are sums of those over pieces of PIECE, whoever adds them up: they have the same bits with
// any number of threads.
enum { PIECE = 256 };

typedef struct piece {
  sums sums;
  ts_friction_measures measures;
} piece;

typedef struct piece_list {
  const contact_data *data;
  piece *pieces;
} piece_list;

TS_INLINE void sum_pieces_of(const piece_list *list, int first, int end, const int d)
{
  const int contacts = list->data->contacts;
  for (int k = first; k < end; ++k) {
    const int from = k * PIECE, to = contacts - from < PIECE ? contacts : from + PIECE;
    sum_contacts_of(list->data, from, to, &list->pieces[k].sums, &list->pieces[k].measures, d);
  }
}

TS_HOT static void sum_pieces(void *argument, int first, int end)
{
  const piece_list *list = argument;
  switch (list->data->dimension) {
  case 2:
    sum_pieces_of(list, first, end, 2);
    break;
  case 3:
    sum_pieces_of(list, first, end, 3);
    break;
  default:
    sum_pieces_of(list, first, end, 4);
  }
}

static void add_piece(const piece *from, sums *t, ts_friction_measures *m)
{
  const ts_friction_measures *more = &from->measures;
  t->scaled += from->sums.scaled;
  t->raw += from->sums.raw;
  t->scaled_data += from->sums.scaled_data;
  t->raw_data += from->sums.raw_data;
  raise(&m->velocity_error, more->velocity_error);
  raise(&m->penetration_velocity, more->penetration_velocity);
  raise(&m->cone_violation, more->cone_violation);
  raise(&m->misalignment, more->misalignment);
  raise(&m->complementarity, more->complementarity);
  m->open += more->open;
  m->slip += more->slip;
  m->stick += more->stick;
}

static void sum_many(const contact_data *p, ts_team *team, ts_arena *arena, sums *t, ts_friction_measures *m)
{
  const int count = (p->contacts + PIECE - 1) / PIECE;
  piece_list list = {p, ts_arena_bytes(arena, (size_t)count, sizeof *list.pieces)};
  for (int k = 0; k < count; ++k) list.pieces[k] = (piece){.sums = {.unit = t->unit}};
  ts_team_loop(team, count, 1, sum_pieces, &list);
  for (int k = 0; k < count; ++k) add_piece(&list.pieces[k], t, m);
}

TS_INLINE void sum_all_of(const contact_data *p, ts_team *team, ts_arena *arena, sums *t, ts_friction_measures *m,
                          const int d)
{
  t->unit = scaled_unit(p, d);
  if (p->contacts <= PIECE)
    sum_contacts_of(p, 0, p->contacts, t, m, d);
  else
    sum_many(p, team, arena, t, m);
  m->data_speed = p->contacts > 0 ? sqrt(t->raw_data / p->contacts) : 0.0;
}

TS_HOT static void sum_contacts(const contact_data *p, ts_team *team, ts_arena *arena, sums *t, ts_friction_measures *m)
{
  switch (p->dimension) { // a constant dimension lets the compiler unroll
  case 2:
    sum_all_of(p, team, arena, t, m, 2);
    break;
  case 3:
    sum_all_of(p, team, arena, t, m, 3);
    break;
  default:
    sum_all_of(p, team, arena, t, m, 4);
  }
}

// Bilateral rows: residual e_k with data b_k, scaled by 1/sqrt(size_k).
static void sum_bilaterals(int rows, const double *e, const double *b, const double *size, sums *t, double *worst)
{
  double mean = 0.0;
  for (int k = 0; k < rows; ++k) mean += fabs(size[k]) / rows;
  for (int k = 0; k < rows; ++k) {
    const double weight = size[k] > 0.0 ? size[k] : mean > 0.0 ? mean : 1.0;
    t->scaled += t->unit * e[k] * (t->unit * e[k]) / weight;
    t->scaled_data += t->unit * b[k] * (t->unit * b[k]) / weight;
    t->raw += e[k] * e[k];
    t->raw_data += b[k] * b[k];
    raise(worst, fabs(e[k]));
  }
}

// The equilibrium of the bodies: residual e_k, scaled by 1/sqrt(M_kk). It has no data of its own, so that a point in
// equilibrium has the figure of the condensed problem; f stands in only where there is nothing else to compare with.
static void sum_equilibrium(int rows, const double *e, const double *f, const double *mass, sums *t, double *worst)
{
  const bool bare = t->scaled_data == 0.0;
  for (int k = 0; k < rows; ++k) {
    const double weight = mass[k] > 0.0 ? mass[k] : NAN; // no mass matrix, no figure: errors must not cancel
    t->scaled += t->unit * e[k] * (t->unit * e[k]) / weight;
    if (bare) t->scaled_data += t->unit * f[k] * (t->unit * f[k]) / weight;
    raise(worst, fabs(e[k]));
  }
}

// Trace of a diagonal block in round variables.
static double block_trace(const double *block, const double *semi_axes, int d)
{
  double trace = block[0] + (semi_axes ? semi_axes[0] * semi_axes[0] : 1.0) * block[d + 1];
  for (int k = 2; k < d; ++k) trace += (semi_axes ? semi_axes[k - 1] * semi_axes[k - 1] : 1.0) * block[k * d + k];
  return trace;
}

// What the velocities u = W r + q and the traces of a local problem are made from.
typedef struct velocity_task {
  const ts_friction *problem;
  const double *r, *q;
  double *u, *trace;
} velocity_task;

TS_INLINE void set_traces(const ts_friction *p, int first, int end, double *trace)
{
  const int d = p->dimension;
  for (int i = first; i < end; ++i)
    trace[i] = block_trace(ts_block_diagonal(&p->W, i), p->ellipsoid ? p->ellipsoid + i * (d - 1) : NULL, d);
}

// Rows of a matrix are a matrix.
static void velocities_and_traces(void *argument, int first, int end)
{
  const velocity_task *task = argument;
  const ts_friction *p = task->problem;
  const size_t at = (size_t)first * (size_t)p->dimension, rows = (size_t)(end - first) * (size_t)p->dimension;
  ts_block_matrix some = p->W;
  some.rows = end - first;
  some.start += first;
  memcpy(task->u + at, task->q + at, rows * sizeof *task->u);
  ts_block_multiply_add(&some, task->r, task->u + at);
  set_traces(p, first, end, task->trace);
}

void ts_measure_local_friction(const ts_friction *p, const double *z, ts_team *team, ts_arena *arena,
                               ts_friction_measures *m)
{
  enum { WORTHWHILE = 64 }; // contacts
  const int d = p->dimension;
  const size_t rows = (size_t)d * (size_t)p->contacts, bilaterals = (size_t)p->bilaterals;
  const double unit = unit_for(fmax(largest_magnitude(p->q, rows), largest_magnitude(p->s, bilaterals)));
  const double *r = in_unit(z, rows + bilaterals, unit, arena), *l = r + rows;
  const double *q = in_unit(p->q, rows, unit, arena);
  double *u = ts_arena_doubles(arena, rows), *trace = ts_arena_doubles(arena, (size_t)p->contacts);
  if (ts_team_pays(team, p->contacts, WORTHWHILE)) {
    velocity_task task = {p, r, q, u, trace};
    ts_team_split(team, p->contacts, WORTHWHILE, velocities_and_traces, &task);
  } else {
    if (rows > 0) memcpy(u, q, rows * sizeof *u);
    ts_block_multiply_add(&p->W, r, u);
    set_traces(p, 0, p->contacts, trace);
  }
  if (bilaterals) ts_matrix_multiply_add(&p->V, 1.0, l, u);
  traces_to_scales(trace, p->contacts, d);
  sums t = {0};
  sum_contacts(&(contact_data){d, p->contacts, p->mu, p->ellipsoid, r, u, q, trace}, team, arena, &t, m);
  if (bilaterals) {
    double *e = ts_arena_doubles(arena, bilaterals), *diagonal = ts_arena_doubles(arena, bilaterals);
    const double *s = in_unit(p->s, bilaterals, unit, arena);
    memcpy(e, s, bilaterals * sizeof *e);
    ts_matrix_transpose_multiply_add(&p->V, 1.0, r, e);
    ts_matrix_multiply_add(&p->R, 1.0, l, e);
    ts_matrix_diagonal(&p->R, diagonal);
    sum_bilaterals(p->bilaterals, e, s, diagonal, &t, &m->bilateral);
  }
  finish(&t, unit, m);
}

void ts_measure_friction_at(const ts_friction *p, const double *r, const double *u, double *trace, ts_team *team,
                            ts_arena *arena, ts_friction_measures *m)
{
  const size_t rows = (size_t)p->dimension * (size_t)p->contacts;
  const double unit = unit_for(largest_magnitude(p->q, rows));
  const contact_data data = {p->dimension,
                             p->contacts,
                             p->mu,
                             p->ellipsoid,
                             in_unit(r, rows, unit, arena),
                             in_unit(u, rows, unit, arena),
                             in_unit(p->q, rows, unit, arena),
                             trace};
  sums t = {0};
  traces_to_scales(trace, p->contacts, p->dimension);
  sum_contacts(&data, team, arena, &t, m);
  finish(&t, unit, m);
}

// A_j^T diag(M)^-1 A_j for every column of A: the diagonal of A^T M^-1 A for a diagonal mass matrix, and a scale for
// any other.
static double *column_sizes(const ts_matrix *A, const double *diagonal, ts_arena *arena)
{
  double *size = ts_arena_zeros(arena, (size_t)A->columns);
  for (int j = 0; j < A->columns; ++j) {
    const bool dense = ts_matrix_is_dense(A);
    const size_t first = dense ? (size_t)j * (size_t)A->rows : (size_t)A->start[j];
    const size_t end = dense ? first + (size_t)A->rows : (size_t)A->start[j + 1];
    for (size_t k = first; k < end; ++k)
      size[j] += A->value[k] * A->value[k] / diagonal[dense ? (int)(k - first) : A->index[k]];
  }
  return size;
}

// Traces of the contacts' diagonal blocks in round variables.
static double *contact_traces(const ts_global_friction *p, const double *diagonal, ts_arena *arena)
{
  const int d = p->dimension;
  double *trace = ts_arena_zeros(arena, (size_t)p->contacts);
  const double *size = column_sizes(&p->H, diagonal, arena);
  for (int i = 0; i < p->contacts; ++i)
    for (int k = 0; k < d; ++k) {
      const double e = k > 0 && p->ellipsoid ? p->ellipsoid[i * (d - 1) + k - 1] : 1.0;
      trace[i] += e * e * size[i * d + k];
    }
  return trace;
}

// A^T v + c.
static double *velocity_along(const ts_matrix *A, const double *v, const double *c, ts_arena *arena)
{
  double *u = ts_arena_doubles(arena, (size_t)A->columns);
  if (A->columns > 0) memcpy(u, c, (size_t)A->columns * sizeof *u);
  ts_matrix_transpose_multiply_add(A, 1.0, v, u);
  return u;
}

// From the velocities that are data: of the contacts, of the bilateral rows, and about what f does to the bodies.
static double global_unit(const ts_global_friction *p, const double *diagonal)
{
  const size_t rows = (size_t)p->dimension * (size_t)p->contacts;
  double largest = fmax(largest_magnitude(p->w, rows), largest_magnitude(p->b, (size_t)p->bilaterals));
  for (int k = 0; k < p->M.rows; ++k) largest = fmax(largest, fabs(p->f[k]) / fabs(diagonal[k]));
  return unit_for(largest);
}

void ts_measure_global_friction(const ts_global_friction *p, const double *z, ts_team *team, ts_arena *arena,
                                ts_friction_measures *m)
{
  const size_t rows = (size_t)p->dimension * (size_t)p->contacts, n = (size_t)p->M.rows;
  const size_t bilaterals = (size_t)p->bilaterals;
  double *diagonal = ts_arena_doubles(arena, n), *free_velocity = ts_arena_doubles(arena, n);
  ts_matrix_diagonal(&p->M, diagonal);
  const double unit = global_unit(p, diagonal);
  const double *r = in_unit(z, rows + bilaterals + n, unit, arena), *l = r + rows, *v = l + bilaterals;
  const double *f = in_unit(p->f, n, unit, arena), *w = in_unit(p->w, rows, unit, arena);
  ts_conjugate_gradients(&p->M, diagonal, f, free_velocity, arena); // for the size of q alone
  const double *u = velocity_along(&p->H, v, w, arena), *q = velocity_along(&p->H, free_velocity, w, arena);
  sums t = {0};
  double *trace = contact_traces(p, diagonal, arena);
  traces_to_scales(trace, p->contacts, p->dimension);
  sum_contacts(&(contact_data){p->dimension, p->contacts, p->mu, p->ellipsoid, r, u, q, trace}, team, arena, &t, m);
  if (p->bilaterals > 0) {
    const double *b = in_unit(p->b, bilaterals, unit, arena);
    const double *c = velocity_along(&p->G, v, b, arena), *s = velocity_along(&p->G, free_velocity, b, arena);
    sum_bilaterals(p->bilaterals, c, s, column_sizes(&p->G, diagonal, arena), &t, &m->bilateral);
  }

  double *e = ts_arena_zeros(arena, n);
  for (size_t i = 0; i < n; ++i) e[i] = -f[i];
  ts_matrix_multiply_add(&p->M, 1.0, v, e);
  ts_matrix_multiply_add(&p->H, -1.0, r, e);
  if (p->bilaterals > 0) ts_matrix_multiply_add(&p->G, -1.0, l, e);
  sum_equilibrium(p->M.rows, e, f, diagonal, &t, &m->equilibrium);
  finish(&t, unit, m);
}
