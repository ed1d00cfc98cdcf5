#include "complementarity/friction/body_sweeps.h"

#include "complementarity/friction/anderson.h"
#include "complementarity/friction/body_batches.h"
#include "complementarity/friction/cone_state.h"
#include "complementarity/friction/lane_contact_inline.h"
#include "complementarity/friction/lane_residual_inline.h"
#include "complementarity/friction/momentum.h"

#include "base/hot.h"

#include <float.h>
#include <math.h>
#include <string.h>

// What the measurement here may differ by from the certificate, which adds in another order (cone_state.c).
static const double ROUND_OFF = 4.0 * DBL_EPSILON;

typedef struct sums {
  ts_quad scaled, raw, size; // squares of the two residuals and of the impulses
  ts_quad worst;             // square of the worst contact's error
} sums;

// Batches whose sums are taken together, whoever takes them.
enum { CHUNK = 16 };

typedef struct body_sweeps {
  ts_body_batches b;
  ts_team *team;           // NULL: there is not enough work for several
  int *share;              // batches of each colour: of member m of the team from share[m] on; size + 1 a colour
  sums *sums;              // a chunk
  double *v, *v_before;    // G^T of the point and of the one before it, TS_BODY_NUMBERS a body; what does not move: 0
  ts_quad *uphill;         // of a batch in the last sweep
  double target;           // error that solves the problem: near it FCLIB's figure counts too
  double enough;           // velocity error of the worst contact that is good enough [m/s]; 0: none
  ts_quad *best;           // point that was kept, d quads a batch
  double best_error, last; // of the point that was kept, and of the present one
} body_sweeps;

// ---- velocities of bodies ------------------------------------------------------------------------------------------

// Velocities of the bodies of four contacts, component by component. They may all be what does not move.
TS_INLINE void gather(const double *v, const int *body, ts_quad *c)
{
  const double *b0 = v + (size_t)body[0] * TS_BODY_NUMBERS, *b1 = v + (size_t)body[1] * TS_BODY_NUMBERS,
               *b2 = v + (size_t)body[2] * TS_BODY_NUMBERS, *b3 = v + (size_t)body[3] * TS_BODY_NUMBERS;
  const ts_quad low01 = TS_QUAD_PICK(TS_CONST_QUAD(b0), TS_CONST_QUAD(b1), 0, 4, 2, 6),
                high01 = TS_QUAD_PICK(TS_CONST_QUAD(b0), TS_CONST_QUAD(b1), 1, 5, 3, 7),
                low23 = TS_QUAD_PICK(TS_CONST_QUAD(b2), TS_CONST_QUAD(b3), 0, 4, 2, 6),
                high23 = TS_QUAD_PICK(TS_CONST_QUAD(b2), TS_CONST_QUAD(b3), 1, 5, 3, 7);
  c[0] = TS_QUAD_PICK(low01, low23, 0, 1, 4, 5);
  c[1] = TS_QUAD_PICK(high01, high23, 0, 1, 4, 5);
  c[2] = TS_QUAD_PICK(low01, low23, 2, 3, 6, 7);
  c[3] = TS_QUAD_PICK(high01, high23, 2, 3, 6, 7);
  const ts_quad last01 = TS_QUAD_PICK(TS_CONST_QUAD(b0 + 4), TS_CONST_QUAD(b1 + 4), 0, 4, 1, 5),
                last23 = TS_QUAD_PICK(TS_CONST_QUAD(b2 + 4), TS_CONST_QUAD(b3 + 4), 0, 4, 1, 5);
  c[4] = TS_QUAD_PICK(last01, last23, 0, 1, 4, 5);
  c[5] = TS_QUAD_PICK(last01, last23, 2, 3, 6, 7);
}

// The way back. What does not move is not written.
TS_INLINE void scatter(const ts_quad *c, const int *body, int nobody, double *v)
{
  const ts_quad low01 = TS_QUAD_PICK(c[0], c[1], 0, 4, 2, 6), high01 = TS_QUAD_PICK(c[0], c[1], 1, 5, 3, 7),
                low23 = TS_QUAD_PICK(c[2], c[3], 0, 4, 2, 6), high23 = TS_QUAD_PICK(c[2], c[3], 1, 5, 3, 7);
  const ts_quad first[TS_LANES] = {TS_QUAD_PICK(low01, low23, 0, 1, 4, 5), TS_QUAD_PICK(high01, high23, 0, 1, 4, 5),
                                   TS_QUAD_PICK(low01, low23, 2, 3, 6, 7), TS_QUAD_PICK(high01, high23, 2, 3, 6, 7)};
  const ts_quad zero = {0.0, 0.0, 0.0, 0.0}, even = TS_QUAD_PICK(c[4], c[5], 0, 4, 2, 6),
                odd = TS_QUAD_PICK(c[4], c[5], 1, 5, 3, 7);
  const ts_quad last[TS_LANES] = {TS_QUAD_PICK(even, zero, 0, 1, 4, 5), TS_QUAD_PICK(odd, zero, 0, 1, 4, 5),
                                  TS_QUAD_PICK(even, zero, 2, 3, 4, 5), TS_QUAD_PICK(odd, zero, 2, 3, 4, 5)};
  for (int lane = 0; lane < TS_LANES; ++lane) {
    if (body[lane] == nobody) continue;
    double *own = v + (size_t)body[lane] * TS_BODY_NUMBERS;
    TS_QUAD(own) = first[lane];
    TS_QUAD(own + 4) = last[lane];
  }
}

// u = G v + q of a batch whose bodies have the velocities c.
TS_INLINE void relative_velocity(const ts_quad *G, const ts_quad *c, const ts_quad *q, ts_quad *u, const int d)
{
  for (int r = 0; r < d; ++r) {
    ts_quad first = q[r], second = G[TS_BODY_ROWS * d + r] * c[TS_BODY_ROWS];
    for (int k = 0; k < TS_BODY_ROWS; ++k) first += G[k * d + r] * c[k];
    for (int k = TS_BODY_ROWS + 1; k < TS_PAIR_ROWS; ++k) second += G[k * d + r] * c[k];
    u[r] = first + second;
  }
}

// c += G^T change.
TS_INLINE void push(const ts_quad *G, const ts_quad *change, ts_quad *c, const int d)
{
  for (int k = 0; k < TS_PAIR_ROWS; ++k)
    for (int r = 0; r < d; ++r) c[k] += G[k * d + r] * change[r];
}

// ---- sweeping ------------------------------------------------------------------------------------------------------

// Solve the contacts of batch k with the others fixed, from their share of y. The old point takes the place of the one
// before it.
TS_INLINE void visit(body_sweeps *f, int k, double weight, const int d)
{
  const ts_quad *G = ts_batch_rows(&f->b, k, d);
  ts_batch *batch = &f->b.batches[k];
  const ts_quad zero = {0.0, 0.0, 0.0, 0.0};
  ts_quad c[TS_PAIR_ROWS], y[4], u[4], fresh[4], change[4], uphill = zero;
  ts_quad_mask moved = {0, 0, 0, 0};
  gather(f->v, batch->body[0], c);
  gather(f->v, batch->body[1], c + TS_BODY_ROWS);
  for (int r = 0; r < d; ++r) y[r] = batch->x[r] + weight * (batch->x[r] - batch->before[r]);
  relative_velocity(G, c, batch->q, u, d);
  ts_lanes_solve(d, &batch->block, u, y, fresh);
  for (int r = 0; r < d; ++r) {
    change[r] = fresh[r] - y[r];
    uphill -= change[r] * (fresh[r] - batch->x[r]);
    moved |= change[r] != zero;
    batch->before[r] = batch->x[r];
    batch->x[r] = fresh[r];
  }
  f->uphill[k] = uphill;
  if (!ts_quad_any(moved)) return;
  push(G, change, c, d);
  scatter(c, batch->body[0], f->b.bodies, f->v);
  scatter(c + TS_BODY_ROWS, batch->body[1], f->b.bodies, f->v);
}

// v <- v + weight (v - v_before), and v_before <- v, of some bodies.
TS_INLINE void extrapolate_velocities(body_sweeps *f, int first, int end, double weight)
{
  for (size_t k = (size_t)first * TS_BODY_NUMBERS; k < (size_t)end * TS_BODY_NUMBERS; k += 4) {
    const ts_quad v = TS_CONST_QUAD(f->v + k);
    TS_QUAD(f->v + k) = v + weight * (v - TS_CONST_QUAD(f->v_before + k));
    TS_QUAD(f->v_before + k) = v;
  }
}

// What a member of the team does, colour by colour.
typedef struct turn turn;
struct turn {
  void (*take)(const turn *t);
  body_sweeps *f;
  double weight; // of a sweep
  bool near;     // of a measurement: FCLIB's figure and the size of the impulses are wanted too
  bool afresh;   // of a measurement: v = G^T x, for what sweeps add up drifts by round-off
  int member, size;
};

static void take_share(void *argument, int member, int size)
{
  turn own = *(const turn *)argument;
  own.member = member;
  own.size = size;
  own.take(&own);
}

// A member's batches of a colour. Those that are visited one by one are member 0's.
TS_INLINE void batches_of(const turn *t, int colour, int *first, int *end)
{
  const ts_contact_colours *c = &t->f->b.colours;
  const int *share = t->f->share + colour * (t->size + 1);
  *first = colour < c->colours ? share[t->member] : c->alone;
  *end = colour < c->colours ? share[t->member + 1] : t->member == 0 ? c->batches : c->alone;
}

TS_INLINE void sweep_all(const turn *t, const int d)
{
  body_sweeps *f = t->f;
  int first, end;
  ts_team_share(f->b.bodies, t->member, t->size, &first, &end);
  extrapolate_velocities(f, first, end, t->weight);
  for (int colour = 0; colour <= f->b.colours.colours; ++colour) {
    ts_team_barrier(f->team, t->member);
    batches_of(t, colour, &first, &end);
    for (int k = first; k < end; ++k) visit(f, k, t->weight, d);
  }
}

TS_HOT static void sweep_turn(const turn *t)
{
  switch (t->f->b.d) { // a constant dimension lets the compiler unroll
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
TS_HOT static double sum_of(const ts_quad *x, int count)
{
  ts_quad sum[4] = {{0.0}};
  int k = 0;
  for (; k + 4 <= count; k += 4)
    for (int m = 0; m < 4; ++m) sum[m] += x[k + m];
  for (; k < count; ++k) sum[0] += x[k];
  return ts_quad_sum(sum[0] + sum[1] + (sum[2] + sum[3]));
}

static double sweep(void *self, double weight)
{
  body_sweeps *f = self;
  turn t = {.take = sweep_turn, .f = f, .weight = weight};
  ts_team_run(f->team, take_share, &t);
  return sum_of(f->uphill, f->b.colours.batches);
}

// ---- measuring -----------------------------------------------------------------------------------------------------

// A batch's share of v = G^T x.
TS_INLINE void add_velocities(body_sweeps *f, int k, const int d)
{
  const ts_batch *batch = &f->b.batches[k];
  ts_quad c[TS_PAIR_ROWS];
  gather(f->v, batch->body[0], c);
  gather(f->v, batch->body[1], c + TS_BODY_ROWS);
  push(ts_batch_rows(&f->b, k, d), batch->x, c, d);
  scatter(c, batch->body[0], f->b.bodies, f->v);
  scatter(c + TS_BODY_ROWS, batch->body[1], f->b.bodies, f->v);
}

TS_INLINE void measure_batch(const body_sweeps *f, int k, bool near, sums *t, const int d)
{
  const ts_batch *batch = &f->b.batches[k];
  const ts_quad s = batch->scale;
  ts_quad c[TS_PAIR_ROWS], u[4];
  gather(f->v, batch->body[0], c);
  gather(f->v, batch->body[1], c + TS_BODY_ROWS);
  relative_velocity(ts_batch_rows(&f->b, k, d), c, batch->q, u, d);
  const ts_quad lawful = ts_lanes_lawful_squared(d, batch->block.mu, batch->x, u), error = lawful / (s * s);
  t->scaled += lawful;
  t->worst = ts_quad_select(error <= t->worst, t->worst, error); // keeps NAN
  if (!near) return;
  t->raw += ts_lanes_natural_squared(d, batch->block.mu, batch->x, u, s);
  for (int r = 0; r < d; ++r) t->size += batch->x[r] * batch->x[r];
}

static int chunk_count(const body_sweeps *f)
{
  return (f->b.colours.batches + CHUNK - 1) / CHUNK;
}

// v = G^T x.
TS_INLINE void add_up_velocities(const turn *t, const int d)
{
  body_sweeps *f = t->f;
  int first, end;
  ts_team_share(f->b.bodies, t->member, t->size, &first, &end);
  memset(f->v + (size_t)first * TS_BODY_NUMBERS, 0, (size_t)(end - first) * TS_BODY_NUMBERS * sizeof *f->v);
  for (int colour = 0; colour <= f->b.colours.colours; ++colour) {
    ts_team_barrier(f->team, t->member);
    batches_of(t, colour, &first, &end);
    for (int k = first; k < end; ++k) add_velocities(f, k, d);
  }
  ts_team_barrier(f->team, t->member);
}

// The sums of each chunk.
TS_INLINE void measure_all(const turn *t, const int d)
{
  body_sweeps *f = t->f;
  int first, end;
  if (t->afresh) add_up_velocities(t, d);
  ts_team_share(chunk_count(f), t->member, t->size, &first, &end);
  for (int chunk = first; chunk < end; ++chunk) {
    sums own = {0};
    for (int k = chunk * CHUNK; k < (chunk + 1) * CHUNK && k < f->b.colours.batches; ++k)
      measure_batch(f, k, t->near, &own, d);
    f->sums[chunk] = own;
  }
}

TS_HOT static void measure_turn(const turn *t)
{
  switch (t->f->b.d) { // a constant dimension lets the compiler unroll
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

static void add_up(const body_sweeps *f, sums *t)
{
  *t = (sums){0};
  for (int chunk = 0; chunk < chunk_count(f); ++chunk) {
    const sums *own = &f->sums[chunk];
    t->scaled += own->scaled;
    t->raw += own->raw;
    t->size += own->size;
    t->worst = ts_quad_select(own->worst <= t->worst, t->worst, own->worst); // keeps NAN
  }
}

static double largest(ts_quad x)
{
  double most = x[0];
  for (int lane = 1; lane < TS_LANES; ++lane)
    if (!(x[lane] <= most)) most = x[lane]; // keeps NAN
  return most;
}

static ts_momentum_figures measure_point(body_sweeps *f, bool near, bool afresh)
{
  turn t = {.take = measure_turn, .f = f, .near = near, .afresh = afresh};
  sums all;
  ts_team_run(f->team, take_share, &t);
  add_up(f, &all);
  const double scaled = sqrt(ts_quad_sum(all.scaled)),
               raw = sqrt(ts_quad_sum(all.raw)) * f->b.data_size / f->b.raw_data;
  f->last = near ? fmax(scaled, raw) + ROUND_OFF * sqrt(ts_quad_sum(all.size)) : scaled;
  return (ts_momentum_figures){f->last, sqrt(largest(all.worst)) * f->b.data_size};
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

// ---- accelerating --------------------------------------------------------------------------------------------------

TS_HOT static void velocities_turn(const turn *t)
{
  switch (t->f->b.d) { // a constant dimension lets the compiler unroll
  case 2:
    add_up_velocities(t, 2);
    break;
  case 3:
    add_up_velocities(t, 3);
    break;
  default:
    add_up_velocities(t, 4);
  }
}

// A point, d quads a batch, as the present one, without momentum.
static void go_to(body_sweeps *f, const ts_quad *x)
{
  const size_t d = (size_t)f->b.d;
  for (int k = 0; k < f->b.colours.batches; ++k) {
    memcpy(f->b.batches[k].x, x + (size_t)k * d, d * sizeof *x);
    memcpy(f->b.batches[k].before, x + (size_t)k * d, d * sizeof *x);
  }
  turn t = {.take = velocities_turn, .f = f};
  ts_team_run(f->team, take_share, &t);
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
    ts_lanes_project(f->b.d, f->b.batches[k].block.mu, own);
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

// ---- solving -------------------------------------------------------------------------------------------------------

bool ts_body_sweeps_apply(const ts_friction *problem)
{
  return ts_body_batches_apply(problem);
}

// So many batches a colour and member are worth a barrier.
enum { BATCHES_A_MEMBER = 8 };

// Members take the same stretch of the order of bodies in every colour: most bodies are one member's alone.
static void share_batches(body_sweeps *f, const ts_friction *problem, ts_team *team, ts_arena *arena)
{
  const ts_contact_colours *c = &f->b.colours;
  f->team = c->batches >= BATCHES_A_MEMBER * ts_team_size(team) * c->colours ? team : NULL;
  const int size = ts_team_size(f->team);
  f->share = ts_arena_ints(arena, (size_t)c->colours * (size_t)(size + 1));
  for (int colour = 0; colour < c->colours; ++colour) {
    int k = c->start[colour], *share = f->share + colour * (size + 1);
    for (int member = 0; member <= size; ++member) {
      int first, end;
      ts_team_share(problem->contacts, member < size ? member : size - 1, size, &first, &end);
      while (k < c->start[colour + 1] && (member == size || c->place[k] < first)) ++k;
      share[member] = k;
    }
  }
}

static void make_room(body_sweeps *f, ts_arena *arena)
{
  const size_t batches = (size_t)f->b.colours.batches, velocities = ((size_t)f->b.bodies + 1) * TS_BODY_NUMBERS;
  f->uphill = ts_arena_bytes(arena, batches, sizeof *f->uphill);
  f->best = ts_arena_bytes(arena, batches * (size_t)f->b.d, sizeof *f->best);
  f->sums = ts_arena_bytes(arena, (size_t)chunk_count(f), sizeof *f->sums);
  f->v = ts_arena_zeros(arena, velocities);
  f->v_before = ts_arena_zeros(arena, velocities);
  f->last = INFINITY;
}

static bool has_ended(ts_outcome outcome, const ts_run *run)
{
  return outcome == TS_SOLVED || outcome == TS_ACCURATE || ts_run_is_over(run);
}

static ts_outcome take_turns(body_sweeps *f, const ts_sweep_turn *turns, int count, ts_run *run)
{
  static const ts_momentum_ops ops = {sweep, measure, keep};
  ts_momentum_goal goal = {f->target, TS_WILL_DO * run->options->tolerance, f->enough, 0, 0};
  for (int k = 0; k < count; ++k) {
    if (k > 0) go_to(f, f->best);
    goal.most = turns[k].momentum;
    ts_outcome outcome = ts_momentum_run(&ops, f, &goal, run);
    if (has_ended(outcome, run)) return outcome;
    goal.most = turns[k].accelerated;
    outcome = accelerate(f, &goal, run);
    if (has_ended(outcome, run)) return outcome;
  }
  return TS_STALLED;
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
