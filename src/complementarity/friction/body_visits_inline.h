// The visits of one precision (body_visits.h). Once for each TS_KIND (lane_names.h), after body_visits.h,
// lane_bodies_inline.h and lane_contact.h.
#include "complementarity/friction/lane_contact_inline.h"
#include "complementarity/friction/lane_residual_inline.h"

#include <string.h>

typedef TS_OF(swept) swept;
typedef TS_OF(batch) batch;

enum { LANES = TS_KIND_LANES, BATCHES_A_PAIR = 2 * TS_LANES / LANES };

TS_INLINE const TS_VEC *rows_of(const swept *s, int k, const int d)
{
  return s->G + (size_t)k * (size_t)(TS_PAIR_ROWS * d);
}

// Velocities of the bodies of a batch, the first ones before the second ones.
TS_INLINE void gather(const swept *s, const batch *b, TS_VEC *c)
{
  TS_OF(gather)(s->v, b->body[0], c);
  TS_OF(gather)(s->v, b->body[1], c + TS_BODY_ROWS);
}

TS_INLINE void scatter(const TS_VEC *c, const batch *b, int nobody, swept *s)
{
  TS_OF(scatter)(c, b->body[0], nobody, s->v);
  TS_OF(scatter)(c + TS_BODY_ROWS, b->body[1], nobody, s->v);
}

// u = G v + q of a batch whose bodies have the velocities c.
TS_INLINE void relative_velocity(const TS_VEC *G, const TS_VEC *c, const TS_VEC *q, TS_VEC *u, const int d)
{
  for (int r = 0; r < d; ++r) {
    TS_VEC first = q[r], second = G[TS_BODY_ROWS * d + r] * c[TS_BODY_ROWS];
    for (int k = 0; k < TS_BODY_ROWS; ++k) first += G[k * d + r] * c[k];
    for (int k = TS_BODY_ROWS + 1; k < TS_PAIR_ROWS; ++k) second += G[k * d + r] * c[k];
    u[r] = first + second;
  }
}

// c += G^T change.
TS_INLINE void push(const TS_VEC *G, const TS_VEC *change, TS_VEC *c, const int d)
{
  for (int k = 0; k < TS_PAIR_ROWS; ++k)
    for (int r = 0; r < d; ++r) c[k] += G[k * d + r] * change[r];
}

// ---- sweeping ------------------------------------------------------------------------------------------------------

// Solve the contacts of batch k with the others fixed, from their share of y. The old point takes the place of the one
// before it.
TS_INLINE void visit(swept *s, int k, int nobody, TS_REAL weight, const int d)
{
  const TS_VEC *G = rows_of(s, k, d);
  batch *b = &s->batches[k];
  const TS_VEC zero = {0};
  TS_VEC c[TS_PAIR_ROWS], y[4], u[4], fresh[4], change[4], uphill = zero;
  TS_MASK moved = {0};
  gather(s, b, c);
  for (int r = 0; r < d; ++r) y[r] = b->x[r] + weight * (b->x[r] - b->before[r]);
  relative_velocity(G, c, b->q, u, d);
  TS_OF(solve)(d, &b->block, u, y, fresh);
  for (int r = 0; r < d; ++r) {
    change[r] = fresh[r] - y[r];
    uphill -= change[r] * (fresh[r] - b->x[r]);
    moved |= change[r] != zero;
    b->before[r] = b->x[r];
    b->x[r] = fresh[r];
  }
  s->uphill[k] = uphill;
  if (!TS_OF(any)(moved)) return;
  push(G, change, c, d);
  scatter(c, b, nobody, s);
}

// v <- v + weight (v - v_before), and v_before <- v, of some bodies.
TS_INLINE void extrapolate_velocities(swept *s, int first, int end, TS_REAL weight)
{
  for (size_t k = (size_t)first * TS_BODY_NUMBERS; k < (size_t)end * TS_BODY_NUMBERS; k += LANES) {
    TS_VEC *v = (TS_VEC *)(s->v + k), *before = (TS_VEC *)(s->v_before + k);
    const TS_VEC now = *v;
    *v = now + weight * (now - *before);
    *before = now;
  }
}

// A member's batches of a colour. Those that are visited one by one are member 0's.
TS_INLINE void batches_of(const ts_visit_turn *t, int colour, int *first, int *end)
{
  const ts_visit_order *o = t->order;
  const int *share = o->share + colour * (t->size + 1);
  const int from = colour < o->colours ? share[t->member] : o->alone;
  const int to = colour < o->colours ? share[t->member + 1] : t->member == 0 ? o->pairs : o->alone;
  *first = BATCHES_A_PAIR * from;
  *end = BATCHES_A_PAIR * to;
}

TS_INLINE void sweep_all(const ts_visit_turn *t, const int d)
{
  const ts_visit_order *o = t->order;
  swept *s = t->swept;
  int first, end;
  ts_team_share(o->bodies, t->member, t->size, &first, &end);
  extrapolate_velocities(s, first, end, (TS_REAL)t->weight);
  for (int colour = 0; colour <= o->colours; ++colour) {
    ts_team_barrier(o->team, t->member);
    batches_of(t, colour, &first, &end);
    for (int k = first; k < end; ++k) visit(s, k, o->bodies, (TS_REAL)t->weight, d);
  }
}

TS_HOT static void sweep(const ts_visit_turn *t)
{
  switch (t->order->d) { // a constant dimension lets the compiler unroll
  case 2:
    sweep_all(t, 2);
    break;
  case 3:
    sweep_all(t, 3);
    break;
  default:
    sweep_all(t, 4);
  }
}

// Four sums at a time: one would wait for each addition to end.
TS_HOT static double uphill(const ts_visit_order *o, const void *argument)
{
  const swept *s = argument;
  const int count = BATCHES_A_PAIR * o->pairs;
  TS_VEC sum[4] = {{0}};
  int k = 0;
  for (; k + 4 <= count; k += 4)
    for (int m = 0; m < 4; ++m) sum[m] += s->uphill[k + m];
  for (; k < count; ++k) sum[0] += s->uphill[k];
  return TS_OF(sum)(sum[0] + sum[1] + (sum[2] + sum[3]));
}

// ---- measuring -----------------------------------------------------------------------------------------------------

// A batch's share of v = G^T x.
TS_INLINE void add_velocities(swept *s, int k, int nobody, const int d)
{
  const batch *b = &s->batches[k];
  TS_VEC c[TS_PAIR_ROWS];
  gather(s, b, c);
  push(rows_of(s, k, d), b->x, c, d);
  scatter(c, b, nobody, s);
}

TS_INLINE void add_up_all(const ts_visit_turn *t, const int d)
{
  const ts_visit_order *o = t->order;
  swept *s = t->swept;
  int first, end;
  ts_team_share(o->bodies, t->member, t->size, &first, &end);
  memset(s->v + (size_t)first * TS_BODY_NUMBERS, 0, (size_t)(end - first) * TS_BODY_NUMBERS * sizeof *s->v);
  for (int colour = 0; colour <= o->colours; ++colour) {
    ts_team_barrier(o->team, t->member);
    batches_of(t, colour, &first, &end);
    for (int k = first; k < end; ++k) add_velocities(s, k, o->bodies, d);
  }
  ts_team_barrier(o->team, t->member);
}

// What a batch adds to the sums, lane by lane.
typedef struct lane_sums {
  TS_VEC scaled, raw, size, worst;
} lane_sums;

TS_INLINE void measure_batch(const swept *s, int k, bool near, lane_sums *t, const int d)
{
  const batch *b = &s->batches[k];
  TS_VEC c[TS_PAIR_ROWS], u[4];
  gather(s, b, c);
  relative_velocity(rows_of(s, k, d), c, b->q, u, d);
  const TS_VEC lawful = TS_OF(lawful_squared)(d, b->block.mu, b->x, u), error = lawful / (b->scale * b->scale);
  t->scaled += lawful;
  t->worst = TS_OF(select)(error <= t->worst, t->worst, error); // keeps NAN
  if (!near) return;
  t->raw += TS_OF(natural_squared)(d, b->block.mu, b->x, u, b->scale);
  for (int r = 0; r < d; ++r) t->size += b->x[r] * b->x[r];
}

TS_INLINE double largest(TS_VEC x)
{
  double most = x[0];
  for (int lane = 1; lane < LANES; ++lane)
    if (!(x[lane] <= most)) most = x[lane]; // keeps NAN
  return most;
}

TS_INLINE void measure_all(const ts_visit_turn *t, const int d)
{
  const ts_visit_order *o = t->order;
  int first, end;
  if (t->afresh) add_up_all(t, d);
  ts_team_share((o->pairs + TS_PAIRS_A_SUM - 1) / TS_PAIRS_A_SUM, t->member, t->size, &first, &end);
  for (int part = first; part < end; ++part) {
    const int to = (part + 1) * TS_PAIRS_A_SUM < o->pairs ? (part + 1) * TS_PAIRS_A_SUM : o->pairs;
    lane_sums own = {{0}, {0}, {0}, {0}};
    for (int k = BATCHES_A_PAIR * part * TS_PAIRS_A_SUM; k < BATCHES_A_PAIR * to; ++k)
      measure_batch(t->swept, k, t->near, &own, d);
    t->sums[part] =
        (ts_visit_sums){TS_OF(sum)(own.scaled), TS_OF(sum)(own.raw), TS_OF(sum)(own.size), largest(own.worst)};
  }
}

TS_HOT static void measure(const ts_visit_turn *t)
{
  switch (t->order->d) { // a constant dimension lets the compiler unroll
  case 2:
    measure_all(t, 2);
    break;
  case 3:
    measure_all(t, 3);
    break;
  default:
    measure_all(t, 4);
  }
}

TS_HOT static void add_up(const ts_visit_turn *t)
{
  switch (t->order->d) { // a constant dimension lets the compiler unroll
  case 2:
    add_up_all(t, 2);
    break;
  case 3:
    add_up_all(t, 3);
    break;
  default:
    add_up_all(t, 4);
  }
}

const ts_visits TS_OF(visits) = {sweep, measure, add_up, uphill};
