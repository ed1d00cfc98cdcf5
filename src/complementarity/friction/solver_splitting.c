// Solver `splitting`: the normal and the friction problem in turn, each with the other's impulses fixed (thesis 2.3.1).
// The normal problem is an LCP in r_n, the friction problem a convex quadratic program over the discs |r_t| <= mu r_n;
// both are swept, a few times more as the whole converges. It converges on problems whose normal and tangential
// motions are weakly coupled, and is kept for comparison.
#include "complementarity/friction/friction_solver.h"
#include "complementarity/friction/one_contact_inline.h"

#include <math.h>
#include <string.h>

enum { FEWEST_SWEEPS = 2, MOST_SWEEPS = 50, ROUNDS_A_STALL = 100 };

typedef struct splitting {
  ts_cone_state *state;
  ts_one_contact *tangential; // W_tt alone: the normal impulse is given
  double *r, *u;
} splitting;

// A contact whose normal row says r_n = -q_n: the one-contact solver then finds the friction under a given r_n.
static ts_one_contact *prepare_tangential(const ts_cone_problem *p, ts_arena *arena)
{
  ts_one_contact *contacts = ts_arena_bytes(arena, (size_t)p->contacts, sizeof *contacts);
  const int t = p->d - 1;
  for (int i = 0; i < p->contacts; ++i) {
    const double *block = p->W + (size_t)p->diagonal[i] * (size_t)(p->stride * p->d);
    contacts[i] = (ts_one_contact){.inverse_normal = 1.0, .trace = p->d};
    for (int c = 0; c < t; ++c)
      for (int r = 0; r < t; ++r)
        contacts[i].S[c * t + r] = block[(c + 1) * p->stride + r + 1] + (r == c ? 1e-14 : 0.0);
  }
  return contacts;
}

// u_i = q_i + sum_j W_ij r_j.
static void velocity_of(const ts_cone_problem *p, int i, const double *r, double *u)
{
  memcpy(u, p->q + (size_t)i * (size_t)p->stride, (size_t)p->d * sizeof *u);
  for (int b = p->start[i]; b < p->start[i + 1]; ++b) {
    const double *block = p->W + (size_t)b * (size_t)(p->stride * p->d);
    const double *rj = r + (size_t)p->index[b] * (size_t)p->stride;
    for (int c = 0; c < p->d; ++c)
      for (int k = 0; k < p->d; ++k) u[k] += block[c * p->stride + k] * rj[c];
  }
}

static void sweep_normal(const splitting *s)
{
  const ts_cone_problem *p = s->state->p;
  for (int i = 0; i < p->contacts; ++i) {
    const double *block = p->W + (size_t)p->diagonal[i] * (size_t)(p->stride * p->d);
    double u[4], *ri = s->r + (size_t)i * (size_t)p->stride;
    if (!(block[0] > 0.0)) continue;
    velocity_of(p, i, s->r, u);
    const double normal = ri[0] - u[0] / block[0];
    ri[0] = normal > 0.0 ? normal : 0.0;
  }
}

static void sweep_friction(const splitting *s)
{
  const ts_cone_problem *p = s->state->p;
  for (int i = 0; i < p->contacts; ++i) {
    const double *block = p->W + (size_t)p->diagonal[i] * (size_t)(p->stride * p->d);
    double u[4], fresh[4], *ri = s->r + (size_t)i * (size_t)p->stride;
    velocity_of(p, i, s->r, u);
    for (int c = 1; c < p->d; ++c) // without the contact's own friction
      for (int k = 1; k < p->d; ++k) u[k] -= block[c * p->stride + k] * ri[c];
    u[0] = -ri[0];
    memcpy(fresh, ri, (size_t)p->d * sizeof *fresh);
    ts_solve_one_contact(p->d, p->mu[i], &s->tangential[i], block, p->stride, u, fresh);
    memcpy(ri + 1, fresh + 1, (size_t)(p->d - 1) * sizeof *fresh);
    if (ri[0] == 0.0) memset(ri + 1, 0, (size_t)(p->d - 1) * sizeof *ri);
  }
}

ts_outcome ts_cone_splitting(ts_cone_state *state, int rounds)
{
  ts_run *run = state->run;
  const size_t length = state->p->length;
  const ts_arena_mark mark = ts_arena_save(run->arena);
  splitting s = {.state = state,
                 .tangential = prepare_tangential(state->p, run->arena),
                 .r = ts_arena_doubles(run->arena, length),
                 .u = ts_arena_doubles(run->arena, length)};
  memcpy(s.r, state->r, length * sizeof *s.r);
  double reference = state->error;
  int sweeps = FEWEST_SWEEPS;
  if (ts_run_iterations_left(run) < rounds) rounds = ts_run_iterations_left(run);
  ts_outcome outcome = TS_ITERATION_LIMIT;
  for (int round = 1; round <= rounds && outcome == TS_ITERATION_LIMIT; ++round) {
    for (int k = 0; k < sweeps; ++k) sweep_normal(&s);
    for (int k = 0; k < sweeps; ++k) sweep_friction(&s);
    const double before = state->error, error = ts_cone_offer(state, s.r, s.u);
    ts_run_record(run, error, 0.0, 0.0, 0);
    if (error > 0.5 * before && sweeps < MOST_SWEEPS) ++sweeps; // the inner problems are too far from solved
    if (ts_cone_done(state))
      outcome = TS_SOLVED;
    else if (ts_run_out_of_time(run))
      outcome = TS_TIME_LIMIT;
    else if (round % ROUNDS_A_STALL == 0) {
      if (state->error > 0.5 * reference) outcome = TS_STALLED;
      reference = state->error;
    }
  }
  ts_arena_restore(run->arena, mark);
  return outcome;
}

static ts_outcome run_splitting(ts_cone_state *state)
{
  return ts_cone_splitting(state, state->run->limit);
}

static ts_outcome solve_splitting(const ts_problem *problem, ts_run *run, double *z)
{
  return ts_friction_solve(problem, true, run, z, run_splitting);
}

const ts_solver ts_solver_splitting = {"splitting", "normal and friction problems in turn (004, section 2.3.1)",
                                       TS_FRICTION | TS_GLOBAL_FRICTION, 5000, solve_splitting};
