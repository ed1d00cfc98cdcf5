#include "complementarity/problem/friction_polygon.h"

#include "complementarity/problem/column_sink.h"
#include "complementarity/problem/lowering.h"

#include "base/status.h"
#include "math/matrix.h"
#include "math/sparse.h"

#include "touchstone/vector.h"

#include <limits.h>
#include <math.h>
#include <string.h>

enum { MAX_DIMENSION = 4 };

static const double FULL_TURN = 2.0 * TS_PI;

// ---- directions ----------------------------------------------------------------------------------------------------

static ts_status check_options(const ts_friction *p, const ts_friction_polygon_options *options, ts_error *error)
{
  if (p->dimension > 2 && (options->directions < 4 || options->directions % 2 != 0))
    return ts_fail(error, TS_INVALID, "a friction polygon has %d directions, it needs an even number of at least 4",
                   options->directions);
  if (!options->slip) return TS_OK;
  for (int k = 0; k < p->dimension * p->contacts; ++k)
    if (!isfinite(options->slip[k])) return ts_fail(error, TS_INVALID, "slip[%d] is not a finite number", k);
  return TS_OK;
}

// Where the ellipse is a unit circle, the impulse of most dissipation is -D u_t / |D u_t|; +t1 without slip.
static void first_direction(const ts_friction *p, const double *slip, int contact, double *first)
{
  first[0] = 1.0;
  first[1] = 0.0;
  if (!slip) return;
  const double *u = slip + contact * p->dimension;
  const double x = -ts_semi_axis(p, contact, 1) * u[1], y = -ts_semi_axis(p, contact, 2) * u[2], norm = hypot(x, y);
  if (norm == 0.0) return;
  first[0] = x / norm;
  first[1] = y / norm;
}

// Cosine and sine of k/n of a turn, 0 <= k < n. Whole quarters are turned without arithmetic, so that opposite
// directions cancel to the last bit.
static void part_of_turn(int k, int n, double *cosine, double *sine)
{
  const double quarters = floor(4.0 * k / n), angle = FULL_TURN * (4.0 * k - quarters * n) / (4.0 * n);
  const double c = cos(angle), s = sin(angle);
  switch ((int)quarters) {
  case 0:
    *cosine = c, *sine = s;
    break;
  case 1:
    *cosine = -s, *sine = c;
    break;
  case 2:
    *cosine = -c, *sine = -s;
    break;
  default:
    *cosine = s, *sine = -c;
    break;
  }
}

static const double *direction(const ts_friction *p, const ts_friction_polygon *polygon, int contact, int j)
{
  return polygon->vector + ((size_t)contact * (size_t)polygon->directions + (size_t)j) * (size_t)(p->dimension - 1);
}

// Evenly around the ellipse from `first` on, then along the spin.
static void spread_directions(const ts_friction *p, const ts_friction_polygon *polygon, int contact)
{
  const int tangents = p->dimension - 1;
  const double *first = polygon->first + 2 * contact;
  double *d = polygon->vector + (size_t)contact * (size_t)polygon->directions * (size_t)tangents;
  for (int j = 0; j < polygon->around; ++j, d += tangents) {
    double c, s;
    part_of_turn(j, polygon->around, &c, &s);
    d[0] = ts_semi_axis(p, contact, 1) * (c * first[0] - s * first[1]);
    d[1] = ts_semi_axis(p, contact, 2) * (s * first[0] + c * first[1]);
    if (tangents == 3) d[2] = 0.0;
  }
  for (int sign = 1; tangents == 3 && sign >= -1; sign -= 2, d += tangents) {
    d[0] = d[1] = 0.0;
    d[2] = sign * ts_semi_axis(p, contact, 3);
  }
}

ts_status ts_friction_polygon_choose(const ts_friction *problem, const ts_friction_polygon_options *options,
                                     ts_arena *arena, ts_friction_polygon *polygon, ts_error *error)
{
  TS_TRY(check_options(problem, options, error));
  const int tangents = problem->dimension - 1;
  polygon->around = tangents == 1 ? 2 : options->directions;
  const double all = (double)polygon->around + (tangents == 3 ? 2 : 0);
  if (problem->bilaterals + fmax(problem->contacts, 1.0) * (all + 2.0) > INT_MAX)
    return ts_fail(error, TS_UNSUPPORTED, "the lowered problem has more unknowns than an int counts");
  polygon->directions = (int)all;
  polygon->vector = ts_arena_doubles(arena, (size_t)problem->contacts * (size_t)polygon->directions * (size_t)tangents);
  polygon->first = tangents == 1 ? NULL : ts_arena_doubles(arena, 2 * (size_t)problem->contacts);
  for (int i = 0; i < problem->contacts; ++i) {
    if (tangents == 1) {
      polygon->vector[2 * i] = ts_semi_axis(problem, i, 1);
      polygon->vector[2 * i + 1] = -ts_semi_axis(problem, i, 1);
    } else {
      first_direction(problem, options->slip, i, polygon->first + 2 * i);
      spread_directions(problem, polygon, i);
    }
  }
  return TS_OK;
}

// ---- the order of the unknowns -------------------------------------------------------------------------------------

// j = 0: r_n; 1 ..: beta_j.
static int place(const ts_friction_polygon_order *order, int contact, int j)
{
  return order->bilaterals + contact * (order->directions + (order->sigma_last ? 1 : 2)) + j;
}

static int sigma_place(const ts_friction_polygon_order *order, int contact)
{
  if (!order->sigma_last) return place(order, contact, order->directions + 1);
  return place(order, order->contacts, 0) + contact;
}

int ts_friction_polygon_size(const ts_friction_polygon_order *order)
{
  return order->bilaterals + order->contacts * (order->directions + 2);
}

// ---- the matrix ----------------------------------------------------------------------------------------------------

// With the basis B_i = [n, d_1, ..., d_n] of each contact (000 eq. 15: F = B (r_n, beta)), the matrix is
//   [ R       V^T B    0 ]
//   [ B^T V   B^T W B  E ]   with E = (0, 1, ..., 1) and U = (mu, -1, ..., -1) of each contact (000 eq. 22).
//   [ 0       U        0 ]
typedef struct assembly {
  const ts_friction *p;
  const ts_friction_polygon *polygon;
  const ts_friction_polygon_order *order;
  ts_matrix V, R, V_by_row; // compressed columns; not set without bilateral rows
  const int *mate;
  double *bilateral; // scratch, one number a bilateral row
} assembly;

// Column j of B_i: the normal, or a direction.
static void basis_vector(const assembly *a, int contact, int j, double *x)
{
  const int d = a->p->dimension;
  x[0] = j == 0 ? 1.0 : 0.0;
  for (int k = 1; k < d; ++k) x[k] = j == 0 ? 0.0 : direction(a->p, a->polygon, contact, j - 1)[k - 1];
}

// Rows of contact i: B_i^T y.
static void put_contact_rows(const assembly *a, int contact, const double *y, ts_column_sink *sink)
{
  ts_put(sink, place(a->order, contact, 0), y[0]);
  for (int j = 0; j < a->polygon->directions; ++j) {
    const double *v = direction(a->p, a->polygon, contact, j);
    double sum = 0.0;
    for (int k = 1; k < a->p->dimension; ++k) sum += v[k - 1] * y[k];
    ts_put(sink, place(a->order, contact, j + 1), sum);
  }
}

// Column k of R and of B^T V. V's column ascends, so the entries of a contact stand together.
static void put_bilateral_column(const assembly *a, int k, ts_column_sink *sink)
{
  const int d = a->p->dimension;
  for (int e = a->R.start[k]; e < a->R.start[k + 1]; ++e) ts_put(sink, a->R.index[e], a->R.value[e]);
  for (int e = a->V.start[k]; e < a->V.start[k + 1];) {
    const int contact = a->V.index[e] / d;
    double y[MAX_DIMENSION] = {0};
    for (; e < a->V.start[k + 1] && a->V.index[e] / d == contact; ++e) y[a->V.index[e] % d] = a->V.value[e];
    put_contact_rows(a, contact, y, sink);
  }
}

// V^T x of one contact.
static void put_bilateral_rows(const assembly *a, int contact, const double *x, ts_column_sink *sink)
{
  const int d = a->p->dimension;
  const ts_matrix *T = &a->V_by_row;
  memset(a->bilateral, 0, (size_t)a->p->bilaterals * sizeof *a->bilateral);
  for (int k = 0; k < d; ++k)
    for (int e = T->start[contact * d + k]; e < T->start[contact * d + k + 1]; ++e)
      a->bilateral[T->index[e]] += T->value[e] * x[k];
  for (int k = 0; k < a->p->bilaterals; ++k)
    if (a->bilateral[k] != 0.0) ts_put(sink, k, a->bilateral[k]);
}

// Column of r_n (j = 0) or beta_j of a contact.
static void put_impulse_column(const assembly *a, int contact, int j, ts_column_sink *sink)
{
  const ts_block_matrix *W = &a->p->W;
  const int d = W->block;
  const double bound = j == 0 ? a->p->mu[contact] : -1.0; // mu r_n - sum beta
  double x[MAX_DIMENSION] = {0};
  basis_vector(a, contact, j, x);
  if (a->p->bilaterals > 0) put_bilateral_rows(a, contact, x, sink);
  for (int k = W->start[contact]; k < W->start[contact + 1]; ++k) {
    const double *block = W->value + (size_t)a->mate[k] * (size_t)(d * d);
    double y[MAX_DIMENSION] = {0};
    for (int c = 0; c < d; ++c)
      for (int r = 0; r < d; ++r) y[r] += block[c * d + r] * x[c];
    put_contact_rows(a, W->index[k], y, sink);
    if (W->index[k] == contact && !a->order->sigma_last) ts_put(sink, sigma_place(a->order, contact), bound);
  }
  if (a->order->sigma_last) ts_put(sink, sigma_place(a->order, contact), bound);
}

static void put_sigma_column(const assembly *a, int contact, ts_column_sink *sink)
{
  for (int j = 1; j <= a->polygon->directions; ++j) ts_put(sink, place(a->order, contact, j), 1.0);
}

// All columns in order, into dense storage or compressed; offsets are written where `start` is not NULL.
typedef struct writer {
  double *dense;
  int *start;
  ts_column_sink sink;
  int column, size;
} writer;

static ts_column_sink *next_column(writer *w)
{
  if (w->start) w->start[w->column] = (int)w->sink.count;
  if (w->dense) w->sink.dense = w->dense + (size_t)w->column * (size_t)w->size;
  ++w->column;
  return &w->sink;
}

static void put_matrix(const assembly *a, writer *w)
{
  const ts_friction_polygon_order *order = a->order;
  for (int k = 0; k < order->bilaterals; ++k) put_bilateral_column(a, k, next_column(w));
  for (int i = 0; i < order->contacts; ++i) {
    for (int j = 0; j <= order->directions; ++j) put_impulse_column(a, i, j, next_column(w));
    if (!order->sigma_last) put_sigma_column(a, i, next_column(w));
  }
  for (int i = 0; order->sigma_last && i < order->contacts; ++i) put_sigma_column(a, i, next_column(w));
  if (w->start) w->start[w->column] = (int)w->sink.count;
}

static assembly prepare(const ts_friction *p, const ts_friction_polygon *polygon,
                        const ts_friction_polygon_order *order, ts_arena *arena)
{
  assembly a = {.p = p, .polygon = polygon, .order = order, .mate = ts_block_mates(&p->W, arena)};
  if (p->bilaterals == 0) return a;
  a.V = ts_matrix_compress(&p->V, arena);
  a.R = ts_matrix_compress(&p->R, arena);
  a.V_by_row = ts_matrix_transpose(&a.V, arena);
  a.bilateral = ts_arena_doubles(arena, (size_t)p->bilaterals);
  return a;
}

static const double *assemble_constant(const assembly *a, int size, ts_arena *arena)
{
  double *q = ts_arena_zeros(arena, (size_t)size);
  const ts_column_sink whole = {.dense = q};
  for (int k = 0; k < a->p->bilaterals; ++k) q[k] = a->p->s[k];
  for (int i = 0; i < a->p->contacts; ++i) {
    ts_column_sink sink = whole;
    put_contact_rows(a, i, a->p->q + i * a->p->dimension, &sink);
  }
  return q;
}

ts_status ts_friction_polygon_assemble(const ts_friction *problem, const ts_friction_polygon *polygon,
                                       const ts_friction_polygon_order *order, ts_arena *arena, ts_matrix *M,
                                       const double **q, ts_error *error)
{
  enum { WORTH_SPARSE = 200 }; // unknowns below which dense solvers are no slower
  const assembly a = prepare(problem, polygon, order, arena);
  const int size = ts_friction_polygon_size(order);
  writer count = {.size = size};
  put_matrix(&a, &count);
  const size_t entries = count.sink.count;
  *M = (ts_matrix){.rows = size, .columns = size};
  *q = assemble_constant(&a, size, arena);
  if (size > WORTH_SPARSE && (double)entries < 0.25 * size * size) {
    if (entries > INT_MAX)
      return ts_fail(error, TS_UNSUPPORTED, "the lowered matrix has more entries than an int counts");
    int *start = ts_arena_ints(arena, (size_t)size + 1), *index = ts_arena_ints(arena, entries);
    double *value = ts_arena_doubles(arena, entries);
    writer w = {.start = start, .sink = {.index = index, .value = value}, .size = size};
    put_matrix(&a, &w);
    M->start = start;
    M->index = index;
    M->value = value;
  } else {
    double *dense = ts_arena_zeros(arena, (size_t)size * (size_t)size);
    writer w = {.dense = dense, .size = size};
    put_matrix(&a, &w);
    M->value = dense;
  }
  return TS_OK;
}

// ---- points --------------------------------------------------------------------------------------------------------

void ts_friction_polygon_impulse(const ts_friction *problem, const ts_friction_polygon *polygon,
                                 const ts_friction_polygon_order *order, const double *lowered, double *r)
{
  const int d = problem->dimension;
  for (int i = 0; i < problem->contacts; ++i) {
    const double *x = lowered + place(order, i, 0);
    r[i * d] = x[0];
    for (int k = 1; k < d; ++k) r[i * d + k] = 0.0;
    for (int j = 0; j < polygon->directions; ++j)
      for (int k = 1; k < d; ++k) r[i * d + k] += x[j + 1] * direction(problem, polygon, i, j)[k - 1];
  }
}

// beta of the two directions between which (x, y) lies; x and y in the units of the ellipse.
static void split_in_plane(const ts_friction_polygon *polygon, const double *first, double x, double y, double *beta)
{
  const int n = polygon->around;
  const double along = first[0] * x + first[1] * y, across = first[0] * y - first[1] * x;
  const double size = hypot(along, across), step = FULL_TURN / n;
  double angle = atan2(across, along);
  if (angle < 0.0) angle += FULL_TURN;
  const int sector = (int)fmin(floor(angle / step), n - 1.0);
  const double rest = angle - sector * step;
  beta[sector] = fmax(size * sin(step - rest) / sin(step), 0.0);
  beta[(sector + 1) % n] = fmax(size * sin(rest) / sin(step), 0.0);
}

// sigma = max_j (-d_j . u_t), at least 0: the least that makes all rows of beta non-negative.
static double least_sigma(const ts_friction *p, const ts_friction_polygon *polygon, int contact, const double *u)
{
  double sigma = 0.0;
  for (int j = 0; j < polygon->directions; ++j) {
    double along = 0.0;
    for (int k = 1; k < p->dimension; ++k) along += direction(p, polygon, contact, j)[k - 1] * u[k];
    sigma = fmax(sigma, -along);
  }
  return sigma;
}

void ts_friction_polygon_decompose(const ts_friction *problem, const ts_friction_polygon *polygon,
                                   const ts_friction_polygon_order *order, const double *r, const double *u,
                                   double *lowered)
{
  const int d = problem->dimension;
  for (int i = 0; i < problem->contacts; ++i) {
    double *beta = lowered + place(order, i, 1), round[MAX_DIMENSION] = {0};
    for (int k = 1; k < d; ++k) round[k] = r[i * d + k] / ts_semi_axis(problem, i, k);
    lowered[place(order, i, 0)] = r[i * d];
    memset(beta, 0, (size_t)polygon->directions * sizeof *beta);
    if (d == 2)
      beta[round[1] < 0.0] = fabs(round[1]);
    else
      split_in_plane(polygon, polygon->first + 2 * i, round[1], round[2], beta);
    if (d == 4) beta[polygon->around + (round[3] < 0.0)] = fabs(round[3]);
    lowered[sigma_place(order, i)] = least_sigma(problem, polygon, i, u + i * d);
  }
}
