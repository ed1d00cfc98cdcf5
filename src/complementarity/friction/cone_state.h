// What the stages of a friction solver share: the scaled problem, the best point so far and its error, and the Newton
// system, analyzed when it is first needed.
#ifndef TS_COMPLEMENTARITY_FRICTION_CONE_STATE_H
#define TS_COMPLEMENTARITY_FRICTION_CONE_STATE_H

#include "complementarity/friction/cone_problem.h"
#include "complementarity/friction/contact_map.h"
#include "complementarity/friction/newton_system.h"
#include "complementarity/friction/one_contact.h"
#include "complementarity/solver.h"

typedef struct ts_cone_state {
  const ts_cone_problem *p;
  ts_run *run;
  ts_one_contact *contacts;
  ts_newton_system *system; // NULL until ts_cone_system()
  double *r, *u;            // best point, and its velocity
  double error;             // ts_cone_error() there
  double target;            // error that counts as solved
  double enough;            // velocity error of the worst contact that will do [m/s]; 0: none will
  double *rho;              // step of the projection maps: 1 / largest eigenvalue of W_ii; with the Newton system
} ts_cone_state;

// Start at r = 0 (cold; not measured: its error counts as infinite) or at the given scaled point.
void ts_cone_state_init(ts_cone_state *state, const ts_cone_problem *p, ts_run *run, const double *start);

// Regularization of rank-deficient W in Newton matrices, in units of the scaled problem; never in a residual.
#define TS_NEWTON_SHIFT 1e-8

// The Newton system; its patterns are analyzed at the first call.
ts_newton_system *ts_cone_system(ts_cone_state *state);

// What has to come under the tolerance: the larger of the scaled and the raw residual, and the round-off in them. Far
// from the solution the scaled one alone says enough.
double ts_cone_error(const ts_cone_state *state, const double *r, const double *u);

// Measure r (its velocity goes to u) and keep it where it is better. Returns its error.
double ts_cone_offer(ts_cone_state *state, const double *r, double *u);

static inline bool ts_cone_done(const ts_cone_state *state)
{
  return state->error <= state->target;
}

// The stages aim well inside the tolerance. A point between that and the tolerance solves the problem too, round-off
// being counted in the error: to be taken where going on costs much, as it does near a fold.
#define TS_WILL_DO 0.95
static inline bool ts_cone_will_do(const ts_cone_state *state)
{
  return state->error <= TS_WILL_DO * state->run->options->tolerance;
}

// Whether the best point is within the velocity error that the options are content with. The same figures by another
// sum than the certificate's: hence a little inside.
#define TS_SHARE_OF_VELOCITY_ERROR 0.95
bool ts_cone_is_accurate(const ts_cone_state *state);

// Newton step of a map at (r, u) for a problem with W + shift I: step = -J^-1 F. Returns |F|, or INFINITY when the
// factorization failed (the step is then zero).
double ts_cone_newton_step(ts_cone_state *state, ts_contact_map *map, double shift, const double *r, const double *u,
                           double *step);

// The stages. Each starts from the best point so far and leaves the best point it found.

// Gauss-Seidel sweeps, tested every few. Stops early when it gets nowhere, or when at the present pace it would take
// more than `patience` further sweeps.
ts_outcome ts_cone_gauss_seidel(ts_cone_state *state, int sweeps, double relaxation, double patience);

// The same with Anderson's acceleration: for many contacts, where impulses take many sweeps to pass through.
// Starts from the scaled point `start`, which may be state->r, or NULL: no impulses. After many sweeps it is content
// with a point that will do. Ends where the error does not halve in `stall` sweeps (0: in hundreds).
ts_outcome ts_cone_accelerated_sweeps(ts_cone_state *state, const double *start, int sweeps, int stall,
                                      double relaxation);

// Sweeps with momentum, for problems whose worst contact's velocity error counts: TS_ACCURATE when that is small
// enough.
ts_outcome ts_cone_momentum_sweeps(ts_cone_state *state, int sweeps);

// A few undamped Newton steps on Alart-Curnier's map and the natural map in turn: for points that are nearly solved.
// Starts from the scaled point `start`, which may be state->r.
ts_outcome ts_cone_polish(ts_cone_state *state, const double *start, int steps);

// Newton steps and a few sweeps in turn, at most so many times, without judging either.
ts_outcome ts_cone_newton_rounds(ts_cone_state *state, int most);

// Newton steps judged after Gauss-Seidel smoothing, from the scaled point `start`, which may be state->r. Gives up
// after that many steps without a better point.
ts_outcome ts_cone_smoothed_newton(ts_cone_state *state, const double *start, int factorizations, int most_rejections);

// Proximal steps: implicit steps of growing length along the flow that sweeps follow, past points that are nearly
// solutions and are none.
ts_outcome ts_cone_proximal_steps(ts_cone_state *state, int factorizations);

// Smoothing path from its own cold start; `gamma` ties the smoothing of |u_t| to that of the cone, `factor` is the
// first reduction of the smoothing parameter.
ts_outcome ts_cone_smoothing_path(ts_cone_state *state, double gamma, double factor);

// Clusters of contacts that hold the residual, solved alone with the others fixed, and put back.
ts_outcome ts_cone_cluster_repair(ts_cone_state *state);

// The normal and the friction problem in turn.
ts_outcome ts_cone_splitting(ts_cone_state *state, int rounds);

// The same path followed by arc length, past folds; `centring` is how near to it the corrector has to come.
ts_outcome ts_cone_arc_length(ts_cone_state *state, double centring, double gamma, int factorizations);

// Branch and bound over modes, for small problems: finds a solution, or proves that there is none (TS_NO_SOLUTION, with
// report->jam written where the caller wants it), or gives up after that many nodes.
ts_outcome ts_cone_enumerate(ts_cone_state *state, int nodes);

#endif
