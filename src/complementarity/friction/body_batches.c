#include "complementarity/friction/body_batches.h"

#include "math/matrix.h"

#include <math.h>
#include <stdatomic.h>
#include <string.h>

// So many are worth a share of their own.
enum { BODIES_A_SHARE = 64, CONTACTS_A_SHARE = 128 };

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

typedef struct factoring {
  const ts_bodies *bodies;
  mass_factor *factors;
  atomic_bool failed; // some mass is not positive definite
} factoring;

static void factor_some(void *argument, int first, int end)
{
  factoring *f = argument;
  for (int b = first; b < end; ++b) {
    copy_mass(f->bodies, b, &f->factors[b]);
    if (!factor_mass(&f->factors[b])) atomic_store_explicit(&f->failed, true, memory_order_relaxed);
  }
}

// The factors of all bodies, or NULL.
static mass_factor *factor_masses(const ts_bodies *bodies, ts_team *team, ts_arena *arena)
{
  factoring f = {bodies, ts_arena_bytes(arena, (size_t)bodies->count, sizeof *f.factors), false};
  ts_team_loop(team, bodies->count, BODIES_A_SHARE, factor_some, &f);
  return atomic_load_explicit(&f.failed, memory_order_relaxed) ? NULL : f.factors;
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

typedef struct pairing {
  const ts_friction *p;
  const int *body_of_row;
  int *pairs;
  atomic_bool failed; // some contact pushes more than two bodies
} pairing;

// Those that move first. False where there are more than two.
static bool find_pair(const ts_friction *p, const int *body_of_row, int i, int *pair)
{
  const ts_matrix *H = &p->bodies->H;
  const int nobody = p->bodies->count, d = p->dimension;
  pair[0] = pair[1] = nobody;
  for (int k = H->start[i * d]; k < H->start[(i + 1) * d]; ++k) {
    const int b = body_of_row[H->index[k]];
    if (b == pair[0] || b == pair[1]) continue;
    if (pair[1] != nobody) return false;
    pair[pair[0] == nobody ? 0 : 1] = b;
  }
  return true;
}

static void find_some_pairs(void *argument, int first, int end)
{
  pairing *own = argument;
  for (int i = first; i < end; ++i)
    if (!find_pair(own->p, own->body_of_row, i, own->pairs + 2 * i))
      atomic_store_explicit(&own->failed, true, memory_order_relaxed);
}

// The two bodies of each contact. NULL where there are more than two.
static int *find_pairs(const ts_friction *p, const int *body_of_row, ts_team *team, ts_arena *arena)
{
  pairing own = {p, body_of_row, ts_arena_ints(arena, 2 * (size_t)p->contacts), false};
  ts_team_loop(team, p->contacts, CONTACTS_A_SHARE, find_some_pairs, &own);
  return atomic_load_explicit(&own.failed, memory_order_relaxed) ? NULL : own.pairs;
}

// A contact on its way into its lane: all rows of a component at once.
typedef struct contact_rows {
  ts_quad G[TS_PAIR_ROWS];
  ts_quad D[4]; // rows of G G^T
  ts_quad q;
  double scale;
} contact_rows;

static void semi_axes(const ts_friction *p, int i, double e[4])
{
  for (int k = 0; k < 4; ++k)
    e[k] = k == 0 || k >= p->dimension || !p->ellipsoid ? 1.0 : p->ellipsoid[i * (p->dimension - 1) + k - 1];
}

// J and q in round variables.
TS_INLINE void take_rows(const ts_friction *p, const int *body_of_row, const int *pair, int i, contact_rows *c,
                         const int d)
{
  const ts_bodies *bodies = p->bodies;
  const ts_matrix *H = &bodies->H;
  double e[4], rows[TS_PAIR_ROWS][4] = {{0}}, q[4] = {0};
  semi_axes(p, i, e);
  for (int r = 0; r < d; ++r) {
    q[r] = e[r] * p->q[i * d + r];
    for (int k = H->start[i * d + r]; k < H->start[i * d + r + 1]; ++k) {
      const int b = body_of_row[H->index[k]], side = b == pair[0] ? 0 : 1;
      rows[side * TS_BODY_ROWS + H->index[k] - bodies->first[b]][r] = e[r] * H->value[k];
    }
  }
  for (int k = 0; k < TS_PAIR_ROWS; ++k) c->G[k] = TS_CONST_QUAD(rows[k]);
  c->q = TS_CONST_QUAD(q);
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
    c->D[r] = column;
    trace += column[r];
  }
  const double squared = d / trace;
  c->scale = squared > 0.0 && isfinite(squared) ? sqrt(squared) : 1.0;
  for (int k = 0; k < TS_PAIR_ROWS; ++k) c->G[k] = c->G[k] * c->scale;
  for (int r = 0; r < d; ++r) c->D[r] = c->D[r] * (c->scale * c->scale);
}

// Nothing acts on an empty lane, and it has no data.
TS_INLINE void leave_empty(contact_rows *c)
{
  memset(c, 0, sizeof *c);
  for (int r = 0; r < 4; ++r) c->D[r][r] = 1.0;
  c->scale = 1.0;
}

// The first d components of a quad a lane, component by component.
TS_INLINE void across_lanes(ts_quad a, ts_quad b, ts_quad c, ts_quad e, ts_quad *out, const int d)
{
  const ts_quad low01 = TS_QUAD_PICK(a, b, 0, 4, 2, 6), high01 = TS_QUAD_PICK(a, b, 1, 5, 3, 7),
                low23 = TS_QUAD_PICK(c, e, 0, 4, 2, 6), high23 = TS_QUAD_PICK(c, e, 1, 5, 3, 7);
  out[0] = TS_QUAD_PICK(low01, low23, 0, 1, 4, 5);
  out[1] = TS_QUAD_PICK(high01, high23, 0, 1, 4, 5);
  if (d > 2) out[2] = TS_QUAD_PICK(low01, low23, 2, 3, 6, 7);
  if (d > 3) out[3] = TS_QUAD_PICK(high01, high23, 2, 3, 6, 7);
}

// Four contacts into batch k; their own blocks into `W`, the lower triangles by rows.
TS_INLINE void set_lanes(ts_body_batches *b, int k, const contact_rows *c, ts_quad *W, const int d)
{
  ts_quad_batch *batch = &b->batches[k];
  ts_quad *G = b->G + (size_t)k * (size_t)(TS_PAIR_ROWS * d), row[4];
  for (int m = 0; m < TS_PAIR_ROWS; ++m) across_lanes(c[0].G[m], c[1].G[m], c[2].G[m], c[3].G[m], G + m * d, d);
  across_lanes(c[0].q, c[1].q, c[2].q, c[3].q, batch->q, d);
  for (int lane = 0; lane < TS_LANES; ++lane) batch->scale[lane] = c[lane].scale;
  for (int r = 0; r < d; ++r) {
    across_lanes(c[0].D[r], c[1].D[r], c[2].D[r], c[3].D[r], row, d);
    for (int s = 0; s <= r; ++s) W[r * (r + 1) / 2 + s] = row[s];
  }
}

// ---- tangents ------------------------------------------------------------------------------------------------------

// A block may be singular in a tangential direction: this part of its trace keeps sticking well defined
// (one_contact.c).
static const double SHIFT = 1e-14;

TS_INLINE void prepare_block(const int d, const ts_quad *W, ts_quad_block *block, ts_lane_axes *axes)
{
  const ts_quad zero = {0.0, 0.0, 0.0, 0.0}, normal = W[0], least = zero + d * SHIFT;
  ts_quad S[TS_MOST_TANGENTS][TS_MOST_TANGENTS], nt[TS_MOST_TANGENTS];
  block->normal = normal;
  block->inverse_normal = ts_quad_select(normal > zero, 1.0 / normal, zero);
  for (int r = 1; r < d; ++r) {
    nt[r - 1] = W[r * (r + 1) / 2] * block->inverse_normal;
    for (int s = 1; s <= r; ++s)
      S[r - 1][s - 1] = S[s - 1][r - 1] = W[r * (r + 1) / 2 + s] - nt[r - 1] * W[s * (s + 1) / 2];
  }
  ts_lanes_principal_axes(d - 1, S, axes);
  for (int k = 0; k < d - 1; ++k) {
    block->nt[k] = zero;
    for (int r = 0; r < d - 1; ++r) block->nt[k] += axes->axis[k][r] * nt[r];
    block->S[k] = ts_quad_select(axes->value[k] > least, axes->value[k], least);
    block->inverse_S[k] = 1.0 / block->S[k];
  }
}

void ts_quad_block_init(int d, const ts_quad *W, ts_quad_block *block, ts_lane_axes *axes)
{
  prepare_block(d, W, block, axes);
}

// The tangents of x, after its normal component, into the axes; and out of them.
TS_INLINE void turn_in(const ts_lane_axes *axes, const int d, ts_quad *x)
{
  ts_quad turned[TS_MOST_TANGENTS];
  for (int k = 0; k < d - 1; ++k) {
    turned[k] = axes->axis[k][0] * x[1];
    for (int r = 1; r < d - 1; ++r) turned[k] += axes->axis[k][r] * x[r + 1];
  }
  for (int k = 0; k < d - 1; ++k) x[k + 1] = turned[k];
}

static void turn_back(const ts_lane_axes *axes, int d, ts_quad *x)
{
  ts_quad turned[TS_MOST_TANGENTS];
  for (int r = 0; r < d - 1; ++r) {
    turned[r] = axes->axis[0][r] * x[1];
    for (int k = 1; k < d - 1; ++k) turned[r] += axes->axis[k][r] * x[k + 1];
  }
  for (int r = 0; r < d - 1; ++r) x[r + 1] = turned[r];
}

TS_INLINE void turn_batch(ts_body_batches *b, int k, const ts_quad *W, const int d)
{
  ts_quad *G = b->G + (size_t)k * (size_t)(TS_PAIR_ROWS * d);
  ts_quad_batch *batch = &b->batches[k];
  prepare_block(d, W, &batch->block, &b->axes[k]);
  for (int m = 0; m < TS_PAIR_ROWS; ++m) turn_in(&b->axes[k], d, G + m * d);
  turn_in(&b->axes[k], d, batch->q);
}

// ---- batches -------------------------------------------------------------------------------------------------------

// What the batches are made of, for the team.
typedef struct filling {
  ts_body_batches *b;
  const int *body_of_row, *pairs;
  const mass_factor *factors;
} filling;

TS_INLINE void fill_batch(const filling *f, int k, const int d)
{
  ts_body_batches *b = f->b;
  ts_quad_batch *batch = &b->batches[k];
  contact_rows c[TS_LANES];
  ts_quad W[10];
  memset(batch, 0, sizeof *batch);
  for (int lane = 0; lane < TS_LANES; ++lane) {
    const int i = b->colours.contact[TS_LANES * k + lane];
    batch->body[0][lane] = batch->body[1][lane] = b->bodies;
    if (i < 0) {
      leave_empty(&c[lane]);
      continue;
    }
    const int *pair = f->pairs + 2 * i;
    take_rows(b->problem, f->body_of_row, pair, i, &c[lane], d);
    for (int side = 0; side < 2; ++side) {
      if (pair[side] == b->bodies) continue;
      batch->body[side][lane] = b->colours.number[pair[side]];
      take_out_mass(&f->factors[pair[side]], c[lane].G + side * TS_BODY_ROWS);
    }
    scale_rows(&c[lane], d);
    batch->block.mu[lane] = b->problem->mu[i];
  }
  set_lanes(b, k, c, W, d);
  turn_batch(b, k, W, d);
}

TS_HOT static void fill_batches(const filling *f, int first, int end)
{
  switch (f->b->d) { // a constant dimension lets the compiler unroll
  case 2:
    for (int k = first; k < end; ++k) fill_batch(f, k, 2);
    break;
  case 3:
    for (int k = first; k < end; ++k) fill_batch(f, k, 3);
    break;
  default:
    for (int k = first; k < end; ++k) fill_batch(f, k, 4);
  }
}

static void fill_share(void *argument, int member, int size)
{
  const filling *f = argument;
  int first, end;
  ts_team_share(f->b->colours.batches, member, size, &first, &end);
  fill_batches(f, first, end);
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
  const int *pairs = find_pairs(problem, body_of_row, team, arena);
  const mass_factor *factors = pairs ? factor_masses(problem->bodies, team, arena) : NULL;
  if (!factors) return false;
  *b = (ts_body_batches){.d = problem->dimension, .bodies = problem->bodies->count, .problem = problem};
  ts_colour_contacts(problem->contacts, b->bodies, pairs, arena, &b->colours);
  b->batches = ts_arena_bytes(arena, (size_t)b->colours.batches, sizeof *b->batches);
  b->axes = ts_arena_bytes(arena, (size_t)b->colours.batches, sizeof *b->axes);
  b->G = ts_arena_bytes(arena, (size_t)b->colours.batches * (size_t)(TS_PAIR_ROWS * b->d), sizeof *b->G);
  filling f = {b, body_of_row, pairs, factors};
  ts_team_run(team, fill_share, &f);
  return scale_data(b);
}

// The impulses of a contact are r = s e |S q| x, with x turned back.
void ts_body_batches_import(ts_body_batches *b, const double *z)
{
  for (int k = 0; k < b->colours.batches; ++k) {
    ts_quad_batch *batch = &b->batches[k];
    for (int lane = 0; lane < TS_LANES; ++lane) {
      const int i = b->colours.contact[TS_LANES * k + lane];
      double e[4];
      if (i < 0) continue;
      semi_axes(b->problem, i, e);
      for (int r = 0; r < b->d; ++r) {
        const double value = z[i * b->d + r] / (batch->scale[lane] * e[r] * b->data_size);
        batch->x[r][lane] = isfinite(value) ? value : 0.0;
      }
    }
    turn_in(&b->axes[k], b->d, batch->x);
    memcpy(batch->before, batch->x, sizeof batch->before);
  }
}

void ts_body_batches_export(const ts_body_batches *b, const ts_quad *point, double *z)
{
  for (int k = 0; k < b->colours.batches; ++k) {
    ts_quad x[4];
    memcpy(x, point + (size_t)k * (size_t)b->d, (size_t)b->d * sizeof *x);
    turn_back(&b->axes[k], b->d, x);
    for (int lane = 0; lane < TS_LANES; ++lane) {
      const int i = b->colours.contact[TS_LANES * k + lane];
      double e[4];
      if (i < 0) continue;
      semi_axes(b->problem, i, e);
      for (int r = 0; r < b->d; ++r) {
        const double value = x[r][lane] * (b->batches[k].scale[lane] * e[r] * b->data_size);
        z[i * b->d + r] = isfinite(value) ? value : 0.0;
      }
    }
  }
}

// ---- single precision ----------------------------------------------------------------------------------------------

typedef struct rounding {
  const ts_body_batches *b;
  ts_rounded_batches *to;
} rounding;

TS_INLINE void round_all(const ts_quad *low, const ts_quad *high, ts_oct *to, const int count)
{
  for (int k = 0; k < count; ++k) to[k] = ts_oct_round(low[k], high[k]);
}

TS_INLINE void round_block(const ts_quad_block *low, const ts_quad_block *high, ts_oct_block *to)
{
  to->mu = ts_oct_round(low->mu, high->mu);
  to->normal = ts_oct_round(low->normal, high->normal);
  to->inverse_normal = ts_oct_round(low->inverse_normal, high->inverse_normal);
  to->a = ts_oct_round(low->a, high->a);
  round_all(low->nt, high->nt, to->nt, TS_MOST_TANGENTS);
  round_all(low->S, high->S, to->S, TS_MOST_TANGENTS);
  round_all(low->inverse_S, high->inverse_S, to->inverse_S, TS_MOST_TANGENTS);
}

TS_HOT static void round_some(void *argument, int first, int end)
{
  const rounding *r = argument;
  const size_t rows = (size_t)(TS_PAIR_ROWS * r->b->d);
  for (int k = first; k < end; ++k) {
    const ts_quad_batch *low = &r->b->batches[2 * k], *high = low + 1;
    const ts_quad *G = r->b->G + 2 * (size_t)k * rows;
    ts_oct_batch *to = &r->to->batches[k];
    for (int side = 0; side < 2; ++side) {
      memcpy(to->body[side], low->body[side], sizeof low->body[side]);
      memcpy(to->body[side] + TS_LANES, high->body[side], sizeof high->body[side]);
    }
    to->scale = ts_oct_round(low->scale, high->scale);
    round_all(low->q, high->q, to->q, 4);
    round_all(low->x, high->x, to->x, 4);
    memcpy(to->before, to->x, sizeof to->before);
    round_block(&low->block, &high->block, &to->block);
    round_all(G, G + rows, r->to->G + (size_t)k * rows, (int)rows);
  }
}

void ts_body_batches_round(const ts_body_batches *b, ts_team *team, ts_arena *arena, ts_rounded_batches *rounded)
{
  const size_t count = (size_t)b->colours.batches / 2;
  rounded->batches = ts_arena_bytes(arena, count, sizeof *rounded->batches);
  rounded->G = ts_arena_bytes(arena, count * (size_t)(TS_PAIR_ROWS * b->d), sizeof *rounded->G);
  rounding r = {b, rounded};
  ts_team_loop(team, (int)count, CONTACTS_A_SHARE / (2 * TS_LANES), round_some, &r);
}
