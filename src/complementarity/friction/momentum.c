#include "complementarity/friction/momentum.h"

#include <math.h>

enum {
  SWEEPS_A_TEST = 5,       // at first
  SWEEPS_A_LATER_TEST = 8, // a test costs half a sweep
  LEAST_SINCE = 5,         // sweeps that momentum is given before the residual may end it
  SWEEPS_A_STALL = 100,
  MANY_SWEEPS = 300 // after which a point will do that is not well inside the tolerance
};

// A pile is solved in fewer sweeps where the first ones do not overshoot: heavier momentum is for what is hard.
static const double LIGHT = 0.92;
enum { LIGHT_SWEEPS = 200 };

static const double RISE = 1.2; // of the residual over its least since the last restart that ends the momentum
static const double FALL = 0.8; // of the worst error within SWEEPS_A_STALL, or the sweeps are stalled

// The state of the momentum.
typedef struct momentum {
  double theta; // of Nesterov's sequence
  int done;     // sweeps
  int since;    // sweeps since it began anew
  bool plain;   // no momentum for a while: it was stalled with it
  double least; // error since the momentum began
  double reference;
  int mark; // sweeps when the worst error was `reference`
} momentum;

static void begin_anew(momentum *m)
{
  m->theta = 1.0;
  m->since = 0;
}

static double next_weight(momentum *m)
{
  const double next = 0.5 * (1.0 + sqrt(1.0 + 4.0 * m->theta * m->theta));
  const double most = m->done < LIGHT_SWEEPS ? LIGHT : 1.0;
  const double weight = m->plain ? 0.0 : fmin((m->theta - 1.0) / next, most);
  m->theta = next;
  ++m->since;
  ++m->done;
  return weight;
}

// The residual has risen: the momentum carries past where it should go.
static void heed_residual(momentum *m, double error)
{
  if (error < m->least) {
    m->least = error;
  } else if (error > RISE * m->least && m->since > LEAST_SINCE) {
    begin_anew(m);
    m->least = error;
  }
}

// Momentum may circle about a point that plain sweeps walk into, and the other way round.
static void heed_stall(momentum *m, const ts_momentum_figures *at)
{
  if (at->worst < FALL * m->reference) {
    m->reference = at->worst;
    m->mark = m->done;
  } else if (m->done - m->mark >= SWEEPS_A_STALL) {
    m->plain = !m->plain;
    m->mark = m->done;
    m->reference = at->worst;
    m->least = at->error;
    begin_anew(m);
  }
}

static int sweeps_till_test(int done)
{
  return done < TS_MOMENTUM_EFFORT ? SWEEPS_A_TEST : SWEEPS_A_LATER_TEST;
}

// What starts far inside the error that is allowed rests, as far as anybody can tell: a few sweeps a step keep it so,
// and it still comes to the tolerance with time.
static int effort_from(const ts_momentum_goal *goal, const ts_momentum_figures *first)
{
  enum { AT_REST = 10 };
  static const double FAR_INSIDE = 2e-3;
  return first->worst <= FAR_INSIDE * goal->velocity_error ? AT_REST : TS_MOMENTUM_EFFORT;
}

ts_outcome ts_momentum_run(const ts_momentum_ops *ops, void *self, const ts_momentum_goal *goal, ts_run *run)
{
  ts_momentum_figures at = ops->measure(self);
  momentum m = {.theta = 1.0, .done = goal->spent, .least = at.error, .reference = at.worst, .mark = goal->spent};
  const int effort = effort_from(goal, &at);
  double best = INFINITY;
  for (;;) {
    if (at.error < best) {
      best = at.error;
      ops->keep(self);
    }
    if (at.error <= (m.done < MANY_SWEEPS ? goal->target : goal->will_do)) {
      ops->keep(self);
      return TS_SOLVED;
    }
    if (m.done >= effort && at.worst <= goal->velocity_error) {
      ops->keep(self);
      return TS_ACCURATE;
    }
    if (m.done >= goal->most || ts_run_is_over(run)) return ts_run_ending(run, TS_STALLED);
    heed_residual(&m, at.error);
    heed_stall(&m, &at);
    for (const int test = m.done + sweeps_till_test(m.done); m.done < test;) {
      if (ops->sweep(self, next_weight(&m)) > 0.0) begin_anew(&m);
      ts_run_record(run, at.error, 0.0, 0.0, 0);
    }
    at = ops->measure(self);
  }
}
