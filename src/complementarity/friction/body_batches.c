#include "complementarity/friction/body_batches.h"

#include "math/matrix.h"

#include <math.h>
#include <string.h>

// ---- masses --------------------------------------------------------------------------------------------------------

// The lower factor of a mass matrix, by rows; the inverse of its diagonal. Rows that a body does not have are those of
// the identity.
typedef struct mass_factor {
  double L[TS_BODY_ROWS][TS_BODY_ROWS], inverse[TS_BODY_ROWS];
} mass_factor;

static void copy_mass(const ts_bodies *bodies, int b, mass_factor *f)
{
  const int first = bodies->first[b], n = bodies->first[b + 1] - first;
  const ts_matrix *M = &bodies->M;
  memset(f, 0, sizeof *f);
  for (int c = 0; c < n; ++c)
    for (int k = M->start[first + c]; k < M->start[first + c + 1]; ++k)
      if (M->index[k] - first >= c) f->L[M->index[k] - first][c] = M->value[k];
  for (int c = n; c < TS_BODY_ROWS; ++c) f->L[c][c] = 1.0;
}

// False where it is not positive definite.
static bool factor_mass(mass_factor *f)
{
  for (int c = 0; c < TS_BODY_ROWS; ++c) {
    double pivot = f->L[c][c];
    for (int k = 0; k < c; ++k) pivot -= f->L[c][k] * f->L[c][k];
    if (!(pivot > 0.0)) return false;
    f->L[c][c] = sqrt(pivot);
    f->inverse[c] = 1.0 / f->L[c][c];
    for (int r = c + 1; r < TS_BODY_ROWS; ++r) {
      double sum = f->L[r][c];
      for (int k = 0; k < c; ++k) sum -= f->L[r][k] * f->L[c][k];
      f->L[r][c] = sum * f->inverse[c];
    }
  }
  return true;
}

// The factors of all bodies, or NULL.
static mass_factor *factor_masses(const ts_bodies *bodies, ts_arena *arena)
{
  mass_factor *factors = ts_arena_bytes(arena, (size_t)bodies->count, sizeof *factors);
  for (int b = 0; b < bodies->count; ++b) {
    copy_mass(bodies, b, &factors[b]);
    if (!factor_mass(&factors[b])) return NULL;
  }
  return factors;
}

// ---- contacts ------------------------------------------------------------------------------------------------------

// The body of each row of M.
static int *bodies_of_rows(const ts_bodies *bodies, ts_arena *arena)
{
  int *of = ts_arena_ints(arena, (size_t)bodies->M.rows);
  for (int b = 0; b < bodies->count; ++b)
    for (int row = bodies->first[b]; row < bodies->first[b + 1]; ++row) of[row] = b;
  return of;
}

// The two bodies of each contact, those that move first. NULL where there are more than two.
static int *find_pairs(const ts_friction *p, const int *body_of_row, ts_arena *arena)
{
  const ts_matrix *H = &p->bodies->H;
  const int nobody = p->bodies->count, d = p->dimension;
  int *pairs = ts_arena_ints(arena, 2 * (size_t)p->contacts);
  for (int i = 0; i < p->contacts; ++i) {
    int *pair = pairs + 2 * i;
    pair[0] = pair[1] = nobody;
    for (int k = H->start[i * d]; k < H->start[(i + 1) * d]; ++k) {
      const int b = body_of_row[H->index[k]];
      if (b == pair[0] || b == pair[1]) continue;
      if (pair[1] != nobody) return NULL;
      pair[pair[0] == nobody ? 0 : 1] = b;
    }
  }
  return pairs;
}

// A contact on its way into its lane: all rows of a component at once.
typedef struct contact_rows {
  ts_quad G[TS_PAIR_ROWS];
  double D[4][4]; // G G^T
  double scale;
} contact_rows;

static void semi_axes(const ts_friction *p, int i, double e[4])
{
  for (int k = 0; k < 4; ++k)
    e[k] = k == 0 || k >= p->dimension || !p->ellipsoid ? 1.0 : p->ellipsoid[i * (p->dimension - 1) + k - 1];
}

// J in round variables.
static void take_rows(const ts_friction *p, const int *body_of_row, const int *pair, int i, contact_rows *c)
{
  const ts_bodies *bodies = p->bodies;
  const ts_matrix *H = &bodies->H;
  const int d = p->dimension;
  double e[4], rows[TS_PAIR_ROWS][4] = {{0}};
  semi_axes(p, i, e);
  for (int r = 0; r < d; ++r)
    for (int k = H->start[i * d + r]; k < H->start[i * d + r + 1]; ++k) {
      const int b = body_of_row[H->index[k]], side = b == pair[0] ? 0 : 1;
      rows[side * TS_BODY_ROWS + H->index[k] - bodies->first[b]][r] = e[r] * H->value[k];
    }
  for (int k = 0; k < TS_PAIR_ROWS; ++k) c->G[k] = TS_CONST_QUAD(rows[k]);
}

// J L^-T: the rows solve L g = j.
TS_INLINE void take_out_mass(const mass_factor *f, ts_quad *g)
{
  for (int r = 0; r < TS_BODY_ROWS; ++r) {
    for (int k = 0; k < r; ++k) g[r] -= f->L[r][k] * g[k];
    g[r] = g[r] * f->inverse[r];
  }
}

// The contact's own block, and the scale that gives it the trace d.
TS_INLINE void scale_rows(contact_rows *c, const int d)
{
  double trace = 0.0;
  for (int r = 0; r < d; ++r) {
    ts_quad column = {0.0, 0.0, 0.0, 0.0};
    for (int k = 0; k < TS_PAIR_ROWS; ++k) column += c->G[k] * c->G[k][r];
    TS_QUAD(c->D[r]) = column;
    trace += column[r];
  }
  const double squared = d / trace;
  c->scale = squared > 0.0 && isfinite(squared) ? sqrt(squared) : 1.0;
  for (int k = 0; k < TS_PAIR_ROWS; ++k) c->G[k] = c->G[k] * c->scale;
  for (int r = 0; r < d; ++r)
    for (int k = 0; k < d; ++k) c->D[r][k] *= c->scale * c->scale;
}

// A block may be singular in a tangential direction: this part of its trace keeps sticking well defined
// (one_contact.c).
static const double SHIFT = 1e-14;

static void set_block(ts_lane_block *block, int lane, double mu, const contact_rows *c, int d)
{
  const double normal = c->D[0][0], inverse = normal > 0.0 ? 1.0 / normal : 0.0;
  block->mu[lane] = mu;
  block->normal[lane] = normal;
  block->inverse_normal[lane] = inverse;
  for (int r = 1, k = 0; r < d; ++r) {
    block->nt[r - 1][lane] = c->D[0][r] * inverse;
    for (int s = 1; s <= r; ++s)
      block->S[k++][lane] = c->D[r][s] - c->D[0][r] * inverse * c->D[0][s] + (r == s) * d * SHIFT;
  }
}

static void set_lane(ts_body_batches *b, int k, int lane, int i, const int *pair, const contact_rows *c)
{
  const ts_friction *p = b->problem;
  const int d = b->d;
  ts_batch *batch = &b->batches[k];
  ts_quad *G = b->G + (size_t)k * (size_t)(TS_PAIR_ROWS * d);
  double e[4];
  semi_axes(p, i, e);
  for (int side = 0; side < 2; ++side)
    batch->body[side][lane] = pair[side] < b->bodies ? b->colours.number[pair[side]] : b->bodies;
  for (int m = 0; m < TS_PAIR_ROWS; ++m)
    for (int r = 0; r < d; ++r) G[m * d + r][lane] = c->G[m][r];
  batch->scale[lane] = c->scale;
  for (int r = 0; r < d; ++r) batch->q[r][lane] = e[r] * p->q[i * d + r];
  set_block(&batch->block, lane, p->mu[i], c, d);
}

// Nothing acts on an empty lane, and it has no data.
static void clear_batch(ts_body_batches *b, int k)
{
  static const ts_quad one = {1.0, 1.0, 1.0, 1.0};
  ts_batch *batch = &b->batches[k];
  memset(batch, 0, sizeof *batch);
  memset(b->G + (size_t)k * (size_t)(TS_PAIR_ROWS * b->d), 0, (size_t)(TS_PAIR_ROWS * b->d) * sizeof *b->G);
  for (int side = 0; side < 2; ++side)
    for (int lane = 0; lane < TS_LANES; ++lane) batch->body[side][lane] = b->bodies;
  batch->scale = batch->block.normal = batch->block.inverse_normal = one;
  for (int r = 1; r < b->d; ++r) batch->block.S[r * (r + 1) / 2 - 1] = one;
}

// What the batches are made of, for the team.
typedef struct filling {
  ts_body_batches *b;
  const int *body_of_row, *pairs;
  const mass_factor *factors;
} filling;

static void fill_batch(const filling *f, int k)
{
  ts_body_batches *b = f->b;
  clear_batch(b, k);
  for (int lane = 0; lane < TS_LANES; ++lane) {
    const int i = b->colours.contact[TS_LANES * k + lane];
    if (i < 0) continue;
    const int *pair = f->pairs + 2 * i;
    contact_rows c;
    take_rows(b->problem, f->body_of_row, pair, i, &c);
    for (int side = 0; side < 2; ++side)
      if (pair[side] < b->bodies) take_out_mass(&f->factors[pair[side]], c.G + side * TS_BODY_ROWS);
    scale_rows(&c, b->d);
    set_lane(b, k, lane, i, pair, &c);
  }
}

static void fill_share(void *argument, int member, int size)
{
  const filling *f = argument;
  int first, end;
  ts_team_share(f->b->colours.batches, member, size, &first, &end);
  for (int k = first; k < end; ++k) fill_batch(f, k);
}

// q to unit length in scaled variables. Empty lanes have no data. Data that have lost their squares are left to others.
static bool scale_data(ts_body_batches *b)
{
  static const double LEAST = 1e-200, MOST = 1e200;
  ts_quad raw = {0.0, 0.0, 0.0, 0.0}, scaled = raw;
  for (int k = 0; k < b->colours.batches; ++k)
    for (int r = 0; r < b->d; ++r) {
      const ts_quad q = b->batches[k].q[r];
      raw += q * q;
      scaled += b->batches[k].scale * q * (b->batches[k].scale * q);
    }
  b->raw_data = ts_quad_sum(raw);
  b->data_size = ts_quad_sum(scaled);
  if (!(b->data_size > LEAST && b->data_size < MOST && b->raw_data > LEAST && b->raw_data < MOST)) return false;
  b->raw_data = sqrt(b->raw_data);
  b->data_size = sqrt(b->data_size);
  for (int k = 0; k < b->colours.batches; ++k)
    for (int r = 0; r < b->d; ++r) b->batches[k].q[r] = b->batches[k].scale * b->batches[k].q[r] / b->data_size;
  return true;
}

// ---- the problem ---------------------------------------------------------------------------------------------------

bool ts_body_batches_apply(const ts_friction *problem)
{
  if (!problem->bodies || problem->bodies->count == 0 || problem->bilaterals > 0) return false;
  for (int b = 0; b < problem->bodies->count; ++b)
    if (problem->bodies->first[b + 1] - problem->bodies->first[b] > TS_BODY_ROWS) return false;
  return true;
}

bool ts_body_batches_init(ts_body_batches *b, const ts_friction *problem, ts_team *team, ts_arena *arena)
{
  const int *body_of_row = bodies_of_rows(problem->bodies, arena);
  const int *pairs = find_pairs(problem, body_of_row, arena);
  const mass_factor *factors = pairs ? factor_masses(problem->bodies, arena) : NULL;
  if (!factors) return false;
  *b = (ts_body_batches){.d = problem->dimension, .bodies = problem->bodies->count, .problem = problem};
  ts_colour_contacts(problem->contacts, b->bodies, pairs, arena, &b->colours);
  b->batches = ts_arena_bytes(arena, (size_t)b->colours.batches, sizeof *b->batches);
  b->G = ts_arena_bytes(arena, (size_t)b->colours.batches * (size_t)(TS_PAIR_ROWS * b->d), sizeof *b->G);
  filling f = {b, body_of_row, pairs, factors};
  ts_team_run(team, fill_share, &f);
  return scale_data(b);
}

// The impulses of a contact are r = s e |S q| x.
void ts_body_batches_import(ts_body_batches *b, const double *z)
{
  for (int k = 0; k < TS_LANES * b->colours.batches; ++k) {
    const int i = b->colours.contact[k], lane = k % TS_LANES;
    ts_batch *batch = &b->batches[k / TS_LANES];
    double e[4];
    if (i < 0) continue;
    semi_axes(b->problem, i, e);
    for (int r = 0; r < b->d; ++r) {
      const double value = z[i * b->d + r] / (batch->scale[lane] * e[r] * b->data_size);
      batch->x[r][lane] = batch->before[r][lane] = isfinite(value) ? value : 0.0;
    }
  }
}

void ts_body_batches_export(const ts_body_batches *b, const ts_quad *point, double *z)
{
  for (int k = 0; k < TS_LANES * b->colours.batches; ++k) {
    const int i = b->colours.contact[k], lane = k % TS_LANES;
    double e[4];
    if (i < 0) continue;
    semi_axes(b->problem, i, e);
    for (int r = 0; r < b->d; ++r) {
      const double value =
          point[k / TS_LANES * b->d + r][lane] * (b->batches[k / TS_LANES].scale[lane] * e[r] * b->data_size);
      z[i * b->d + r] = isfinite(value) ? value : 0.0;
    }
  }
}
