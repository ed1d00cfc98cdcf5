// Stage: repair of clusters. After sweeps the residual often sits in a few contacts, in a nearly singular corner of a
// large problem. Those contacts and their neighbours are solved alone, the others fixed, and put back; sweeps over
// everything then settle the seam. A cluster that gains little grows by one ring of neighbours.
#include "complementarity/friction/cone_state.h"
#include "complementarity/friction/sweep.h"

#include <math.h>
#include <string.h>

enum { ROUNDS = 20, MOST_SEEDS = 10, LARGEST_CLUSTER = 150, SETTLING_SWEEPS = 50 };

typedef struct cluster {
  int count;
  int *members; // contacts, ascending
  int *local;   // contact -> place in `members`, or -1
} cluster;

// Contacts whose residual is at least 0.3 of the worst, at most MOST_SEEDS of them.
static void find_seeds(const ts_cone_problem *p, const double *r, const double *u, cluster *c)
{
  double worst = 0.0;
  for (int i = 0; i < p->contacts; ++i) worst = fmax(worst, ts_cone_contact_residual(p, i, r, u));
  c->count = 0;
  for (int i = 0; i < p->contacts; ++i) c->local[i] = -1;
  for (int i = 0; i < p->contacts && c->count < MOST_SEEDS; ++i)
    if (ts_cone_contact_residual(p, i, r, u) >= 0.09 * worst) { // squares
      c->local[i] = 0;
      c->members[c->count++] = i;
    }
}

// Add the neighbours of all members, `rings` times, up to the size limit; then number the members in order.
static void grow(const ts_cone_problem *p, int rings, cluster *c)
{
  const int most = p->contacts / 3 < LARGEST_CLUSTER ? p->contacts / 3 : LARGEST_CLUSTER;
  for (int ring = 0, from = 0; ring < rings; ++ring) {
    const int to = c->count;
    for (int k = from; k < to; ++k)
      for (int b = p->start[c->members[k]]; b < p->start[c->members[k] + 1] && c->count < most; ++b)
        if (c->local[p->index[b]] < 0) {
          c->local[p->index[b]] = 0;
          c->members[c->count++] = p->index[b];
        }
    from = to;
  }
  c->count = 0;
  for (int i = 0; i < p->contacts; ++i)
    if (c->local[i] >= 0) {
      c->local[i] = c->count;
      c->members[c->count++] = i;
    }
}

// The members' problem with all other impulses fixed: their blocks of W, and q that includes the rest.
static void extract(const ts_cone_problem *p, const cluster *c, const double *r, ts_cone_problem *part, ts_arena *arena)
{
  const size_t count = (size_t)c->count, stride = (size_t)p->stride, block = stride * (size_t)p->d;
  size_t blocks = 0;
  for (int k = 0; k < c->count; ++k) blocks += (size_t)(p->start[c->members[k] + 1] - p->start[c->members[k]]);
  int *start = ts_arena_ints(arena, count + 1), *index = ts_arena_ints(arena, blocks);
  int *diagonal = ts_arena_ints(arena, count), filled = 0;
  double *W = ts_arena_doubles(arena, blocks * block), *q = ts_arena_doubles(arena, count * stride);
  double *mu = ts_arena_doubles(arena, count), *scale = ts_arena_doubles(arena, count * stride);
  double *contact_scale = ts_arena_doubles(arena, count);
  for (int k = 0; k < c->count; ++k) {
    const int i = c->members[k];
    double *qk = q + (size_t)k * stride;
    memcpy(qk, p->q + (size_t)i * stride, stride * sizeof *qk);
    memcpy(scale + (size_t)k * stride, p->scale + (size_t)i * stride, stride * sizeof *scale);
    mu[k] = p->mu[i];
    contact_scale[k] = p->contact_scale[i];
    start[k] = filled;
    for (int b = p->start[i]; b < p->start[i + 1]; ++b) {
      const double *from = p->W + (size_t)b * block, *rj = r + (size_t)p->index[b] * stride;
      if (c->local[p->index[b]] >= 0) {
        if (p->index[b] == i) diagonal[k] = filled;
        memcpy(W + (size_t)filled * block, from, block * sizeof *W);
        index[filled++] = c->local[p->index[b]];
      } else {
        for (int column = 0; column < p->d; ++column)
          for (size_t row = 0; row < stride; ++row) qk[row] += from[(size_t)column * stride + row] * rj[column];
      }
    }
  }
  start[c->count] = filled;
  *part = *p;
  part->contacts = c->count;
  part->length = count * stride;
  part->start = start;
  part->index = index;
  part->diagonal = diagonal;
  part->W = W;
  part->q = q;
  part->mu = mu;
  part->scale = scale;
  part->contact_scale = contact_scale;
  part->bodies = NULL;
}

// Solve the cluster alone from the present impulses and put its solution into r.
static void solve_cluster(ts_cone_state *state, const cluster *c, double *r)
{
  ts_run *run = state->run;
  const ts_arena_mark mark = ts_arena_save(run->arena);
  const size_t stride = (size_t)state->p->stride;
  ts_cone_problem part;
  ts_cone_state inner;
  extract(state->p, c, r, &part, run->arena);
  double *start = ts_arena_doubles(run->arena, part.length);
  for (int k = 0; k < c->count; ++k)
    memcpy(start + (size_t)k * stride, r + (size_t)c->members[k] * stride, stride * sizeof *start);
  ts_cone_state_init(&inner, &part, run, start);
  inner.target = 0.1 * state->target; // in the units of the whole problem, whose data has length 1
  if (ts_cone_smoothed_newton(&inner, inner.r, 14, 4) != TS_SOLVED && ts_cone_polish(&inner, inner.r, 8) != TS_SOLVED &&
      ts_cone_smoothing_path(&inner, 0.1, 0.3) != TS_SOLVED)
    ts_cone_arc_length(&inner, 0.1, 0.1, 200);
  for (int k = 0; k < c->count; ++k)
    memcpy(r + (size_t)c->members[k] * stride, inner.r + (size_t)k * stride, stride * sizeof *r);
  ts_arena_restore(run->arena, mark);
}

ts_outcome ts_cone_cluster_repair(ts_cone_state *state)
{
  ts_run *run = state->run;
  const ts_cone_problem *p = state->p;
  const ts_arena_mark mark = ts_arena_save(run->arena);
  double *r = ts_arena_doubles(run->arena, p->length), *u = ts_arena_doubles(run->arena, p->length);
  cluster c = {.members = ts_arena_ints(run->arena, (size_t)p->contacts),
               .local = ts_arena_ints(run->arena, (size_t)p->contacts)};
  for (int round = 0, rings = 1; round < ROUNDS && !ts_cone_done(state) && !ts_run_is_over(run); ++round) {
    const double before = state->error;
    find_seeds(p, state->r, state->u, &c);
    grow(p, rings, &c);
    if (c.count == 0) break;
    memcpy(r, state->r, p->length * sizeof *r);
    solve_cluster(state, &c, r);
    ts_cone_offer(state, r, u);
    if (ts_run_is_over(run)) break;
    ts_sweep(p, state->contacts, SETTLING_SWEEPS, TS_ALTERNATING, 1.0, r);
    const double error = ts_cone_offer(state, r, u);
    ts_run_record(run, error, 0.0, 0.0, c.count);
    if (state->error > 0.7 * before) ++rings;
  }
  ts_arena_restore(run->arena, mark);
  if (ts_cone_done(state)) return TS_SOLVED;
  return ts_run_ending(run, TS_STALLED);
}
