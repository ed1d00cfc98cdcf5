#include "complementarity/friction/body_sweeps.h"

#include "complementarity/friction/anderson.h"
#include "complementarity/friction/body_visits.h"
#include "complementarity/friction/cone_state.h"
#include "complementarity/friction/momentum.h"

#define TS_KIND quad
#include "complementarity/friction/lane_residual_inline.h"
#undef TS_KIND

#include <float.h>
#include <math.h>
#include <string.h>

// What the measurement here may differ by from the certificate, which adds in another order (cone_state.c).
static const double ROUND_OFF = 4.0 * DBL_EPSILON;

// Residual down to which single precision leads: in piles of 300 spheres its own round-off stays below 1e-6.
static const double LEAST_IN_SINGLE = 1e-5;

typedef struct body_sweeps {
  ts_body_batches b;
  ts_visit_order order;
  ts_visit_sums *sums;
  ts_quad_swept exact;
  ts_oct_swept rounded;    // of sweeps that are in single precision
  int drifting;            // such sweeps since velocities were added up
  double target;           // error that solves the problem: near it FCLIB's figure counts too
  double enough;           // velocity error of the worst contact that is good enough [m/s]; 0: none
  ts_quad *best;           // point that was kept, d quads a batch
  ts_oct *best_rounded;    // the same in single precision, d octs a pair
  double best_error, last; // of the point that was kept, and of the present one
} body_sweeps;

// ---- the team ------------------------------------------------------------------------------------------------------

typedef struct errand {
  ts_visit *visit;
  ts_visit_turn turn;
} errand;

static void take_share(void *argument, int member, int size)
{
  const errand *e = argument;
  ts_visit_turn own = e->turn;
  own.member = member;
  own.size = size;
  e->visit(&own);
}

static void visit_all(body_sweeps *f, ts_visit *visit, ts_visit_turn turn)
{
  turn.order = &f->order;
  turn.sums = f->sums;
  errand e = {visit, turn};
  ts_team_run(f->order.team, take_share, &e);
}

// ---- measuring -----------------------------------------------------------------------------------------------------

static int sum_count(const body_sweeps *f)
{
  return (f->order.pairs + TS_PAIRS_A_SUM - 1) / TS_PAIRS_A_SUM;
}

static ts_visit_sums total(const body_sweeps *f)
{
  ts_visit_sums t = {0};
  for (int k = 0; k < sum_count(f); ++k) {
    const ts_visit_sums *own = &f->sums[k];
    t.scaled += own->scaled;
    t.raw += own->raw;
    t.size += own->size;
    if (!(own->worst <= t.worst)) t.worst = own->worst; // keeps NAN
  }
  return t;
}

static ts_momentum_figures measure_point(body_sweeps *f, bool near, bool afresh)
{
  visit_all(f, ts_quad_visits.measure, (ts_visit_turn){.swept = &f->exact, .near = near, .afresh = afresh});
  const ts_visit_sums all = total(f);
  const double scaled = sqrt(all.scaled), raw = sqrt(all.raw) * f->b.data_size / f->b.raw_data;
  f->last = near ? fmax(scaled, raw) + ROUND_OFF * sqrt(all.size) : scaled;
  return (ts_momentum_figures){f->last, sqrt(all.worst) * f->b.data_size};
}

// ---- double precision ----------------------------------------------------------------------------------------------

static double sweep(void *self, double weight)
{
  body_sweeps *f = self;
  visit_all(f, ts_quad_visits.sweep, (ts_visit_turn){.swept = &f->exact, .weight = weight});
  return ts_quad_visits.uphill(&f->order, &f->exact);
}

// What seems to be good enough is measured again, with everything that counts.
static ts_momentum_figures measure(void *self)
{
  body_sweeps *f = self;
  const bool near = f->last <= 1e3 * f->target, started = isfinite(f->last);
  const ts_momentum_figures at = measure_point(f, near, !started);
  return at.error <= f->target || at.worst <= f->enough ? measure_point(f, true, true) : at;
}

static void keep(void *self)
{
  body_sweeps *f = self;
  for (int k = 0; k < f->b.colours.batches; ++k)
    for (int r = 0; r < f->b.d; ++r) f->best[k * f->b.d + r] = f->b.batches[k].x[r];
  f->best_error = f->last;
}

// A point, d quads a batch, as the present one, without momentum.
static void go_to(body_sweeps *f, const ts_quad *x)
{
  const size_t d = (size_t)f->b.d;
  for (int k = 0; k < f->b.colours.batches; ++k) {
    memcpy(f->b.batches[k].x, x + (size_t)k * d, d * sizeof *x);
    memcpy(f->b.batches[k].before, x + (size_t)k * d, d * sizeof *x);
  }
  visit_all(f, ts_quad_visits.add_up, (ts_visit_turn){.swept = &f->exact});
}

// ---- single precision ----------------------------------------------------------------------------------------------

static void add_up_rounded(body_sweeps *f)
{
  visit_all(f, ts_oct_visits.add_up, (ts_visit_turn){.swept = &f->rounded});
  f->drifting = 0;
}

// Velocities that sweeps add up drift by round-off. They are added up afresh where no momentum is: it would take the
// jump for motion and carry it on, many times over.
static double sweep_rounded(void *self, double weight)
{
  enum { OFTEN_ENOUGH = 50 }; // sweeps
  body_sweeps *f = self;
  if (weight == 0.0 && f->drifting >= OFTEN_ENOUGH) add_up_rounded(f);
  visit_all(f, ts_oct_visits.sweep, (ts_visit_turn){.swept = &f->rounded, .weight = weight});
  ++f->drifting;
  return ts_oct_visits.uphill(&f->order, &f->rounded);
}

// The present point of single precision as that of double precision.
static void take_rounded(body_sweeps *f)
{
  for (int k = 0; k < f->b.colours.batches; ++k)
    for (int r = 0; r < f->b.d; ++r) f->b.batches[k].x[r] = ts_oct_half(f->rounded.batches[k / 2].x[r], k % 2);
}

// What seems to be good enough is measured in double precision.
static ts_momentum_figures measure_rounded(void *self)
{
  body_sweeps *f = self;
  visit_all(f, ts_oct_visits.measure, (ts_visit_turn){.swept = &f->rounded});
  const ts_visit_sums all = total(f);
  const ts_momentum_figures at = {sqrt(all.scaled), sqrt(all.worst) * f->b.data_size};
  f->last = at.error;
  if (!(at.error <= LEAST_IN_SINGLE || at.worst <= f->enough)) return at;
  take_rounded(f);
  return measure_point(f, true, true);
}

static void keep_rounded(void *self)
{
  body_sweeps *f = self;
  const size_t d = (size_t)f->b.d;
  for (int k = 0; k < f->order.pairs; ++k)
    memcpy(f->best_rounded + (size_t)k * d, f->rounded.batches[k].x, d * sizeof *f->best_rounded);
}

// The best point of single precision as the present one.
static void go_to_rounded(body_sweeps *f)
{
  const size_t d = (size_t)f->b.d;
  for (int k = 0; k < f->order.pairs; ++k)
    memcpy(f->rounded.batches[k].x, f->best_rounded + (size_t)k * d, d * sizeof *f->best_rounded);
  take_rounded(f);
  for (int k = 0; k < f->b.colours.batches; ++k)
    memcpy(f->b.batches[k].before, f->b.batches[k].x, sizeof f->b.batches[k].x);
  f->last = INFINITY;
}

static void prepare_rounded(body_sweeps *f, ts_arena *arena)
{
  const size_t velocities = ((size_t)f->b.bodies + 1) * TS_BODY_NUMBERS;
  ts_rounded_batches rounded;
  ts_body_batches_round(&f->b, f->order.team, arena, &rounded);
  f->rounded.batches = rounded.batches;
  f->rounded.G = rounded.G;
  f->rounded.v = ts_arena_bytes(arena, velocities, sizeof *f->rounded.v);
  f->rounded.v_before = ts_arena_bytes(arena, velocities, sizeof *f->rounded.v_before);
  f->rounded.uphill = ts_arena_bytes(arena, (size_t)f->order.pairs, sizeof *f->rounded.uphill);
  f->best_rounded = ts_arena_bytes(arena, (size_t)(f->order.pairs * f->b.d), sizeof *f->best_rounded);
  memset(f->rounded.v, 0, velocities * sizeof *f->rounded.v);
  add_up_rounded(f);
  memset(f->rounded.v_before, 0, velocities * sizeof *f->rounded.v_before);
}

// ---- sweeping ------------------------------------------------------------------------------------------------------

static bool has_ended(ts_outcome outcome, const ts_run *run)
{
  return outcome == TS_SOLVED || outcome == TS_ACCURATE || ts_run_is_over(run);
}

// Sweeps with momentum from the present point. Where the worst contact's error counts they are made in single
// precision, which takes half the time, as far as that leads, then in double precision.
static ts_outcome sweep_with_momentum(body_sweeps *f, ts_momentum_goal goal, ts_run *run)
{
  static const ts_momentum_ops exact = {sweep, measure, keep}, rounded = {sweep_rounded, measure_rounded, keep_rounded};
  const ts_arena_mark mark = ts_arena_save(run->arena);
  const int before = run->report->iterations;
  if (goal.velocity_error > 0.0 && measure(f).error > LEAST_IN_SINGLE && goal.most > 0) {
    ts_momentum_goal first = goal;
    first.target = first.will_do = fmax(goal.target, LEAST_IN_SINGLE);
    prepare_rounded(f, run->arena);
    const ts_outcome outcome = ts_momentum_run(&rounded, f, &first, run);
    if (outcome == TS_ACCURATE)
      keep(f); // as it was measured, in double precision
    else
      go_to_rounded(f);
    ts_arena_restore(run->arena, mark);
    if (outcome == TS_ACCURATE) return outcome;
    goal.spent = run->report->iterations - before;
  }
  return ts_momentum_run(&exact, f, &goal, run);
}

static void sweep_from(void *self, double *x)
{
  body_sweeps *f = self;
  const size_t d = (size_t)f->b.d;
  go_to(f, (const ts_quad *)x);
  sweep(f, 0.0);
  for (int k = 0; k < f->b.colours.batches; ++k)
    memcpy((ts_quad *)x + (size_t)k * d, f->b.batches[k].x, d * sizeof(ts_quad));
}

TS_HOT static void project(void *self, double *x)
{
  const body_sweeps *f = self;
  for (int k = 0; k < f->b.colours.batches; ++k) {
    ts_quad *own = (ts_quad *)x + (size_t)k * (size_t)f->b.d;
    ts_quad_project(f->b.d, f->b.batches[k].block.mu, own);
  }
}

static ts_momentum_figures measure_swept(void *self, const double *x)
{
  (void)x; // it is the present point
  return measure(self);
}

static ts_outcome accelerate(body_sweeps *f, const ts_momentum_goal *goal, ts_run *run)
{
  static const ts_anderson_ops ops = {sweep_from, project, measure_swept, keep};
  const size_t length = (size_t)f->b.colours.batches * (size_t)f->b.d * TS_LANES;
  const ts_anderson_start start = {length, (const double *)f->best, f->best_error};
  return ts_anderson_run(&ops, f, &start, goal, run);
}

static ts_outcome take_turns(body_sweeps *f, const ts_sweep_turn *turns, int count, ts_run *run)
{
  ts_momentum_goal goal = {
      .target = f->target, .will_do = TS_WILL_DO * run->options->tolerance, .velocity_error = f->enough};
  for (int k = 0; k < count; ++k) {
    if (k > 0) go_to(f, f->best);
    goal.most = turns[k].momentum;
    ts_outcome outcome = sweep_with_momentum(f, goal, run);
    if (has_ended(outcome, run)) return outcome;
    goal.most = turns[k].accelerated;
    outcome = accelerate(f, &goal, run);
    if (has_ended(outcome, run)) return outcome;
  }
  return TS_STALLED;
}

// ---- solving -------------------------------------------------------------------------------------------------------

bool ts_body_sweeps_apply(const ts_friction *problem)
{
  return ts_body_batches_apply(problem);
}

// So many pairs of batches a colour and member are worth a barrier.
enum { PAIRS_A_MEMBER = 4 };

// Members take the same stretch of the order of bodies in every colour: most bodies are one member's alone.
static void share_batches(body_sweeps *f, const ts_friction *problem, ts_team *team, ts_arena *arena)
{
  const ts_contact_colours *c = &f->b.colours;
  ts_visit_order *o = &f->order;
  *o = (ts_visit_order){
      .d = f->b.d, .bodies = f->b.bodies, .colours = c->colours, .alone = c->alone / 2, .pairs = c->batches / 2};
  o->team = o->pairs >= PAIRS_A_MEMBER * ts_team_size(team) * c->colours ? team : NULL;
  const int size = ts_team_size(o->team);
  o->share = ts_arena_ints(arena, (size_t)c->colours * (size_t)(size + 1));
  for (int colour = 0; colour < c->colours; ++colour) {
    int k = c->start[colour], *share = o->share + colour * (size + 1);
    for (int member = 0; member <= size; ++member) {
      int first, end;
      ts_team_share(problem->contacts, member < size ? member : size - 1, size, &first, &end);
      while (k < c->start[colour + 1] && (member == size || c->place[k] < first)) k += 2;
      share[member] = k / 2;
    }
  }
}

static void make_room(body_sweeps *f, ts_arena *arena)
{
  const size_t batches = (size_t)f->b.colours.batches, velocities = ((size_t)f->b.bodies + 1) * TS_BODY_NUMBERS;
  f->exact = (ts_quad_swept){f->b.batches, f->b.G, ts_arena_zeros(arena, velocities), ts_arena_zeros(arena, velocities),
                             ts_arena_bytes(arena, batches, sizeof *f->exact.uphill)};
  f->best = ts_arena_bytes(arena, batches * (size_t)f->b.d, sizeof *f->best);
  f->sums = ts_arena_bytes(arena, (size_t)sum_count(f), sizeof *f->sums);
  f->last = INFINITY;
}

ts_outcome ts_body_sweeps_solve(const ts_friction *problem, ts_run *run, bool warm, const ts_sweep_turn *turns,
                                int count, double *z, double *error)
{
  const ts_arena_mark mark = ts_arena_save(run->arena);
  body_sweeps f = {.target = TS_SHARE_OF_TOLERANCE * run->options->tolerance};
  ts_outcome outcome = TS_STALLED;
  if (ts_body_batches_init(&f.b, problem, run->team, run->arena)) {
    f.enough = TS_SHARE_OF_VELOCITY_ERROR * ts_run_velocity_error(run, f.b.raw_data / sqrt(problem->contacts));
    share_batches(&f, problem, run->team, run->arena);
    make_room(&f, run->arena);
    if (warm) ts_body_batches_import(&f.b, z);
    outcome = take_turns(&f, turns, count, run);
    ts_body_batches_export(&f.b, f.best, z);
    *error = f.best_error;
  }
  ts_arena_restore(run->arena, mark);
  return outcome;
}
