#include "step/implicit/guesses.h"

#include "step/far_stops.h"
#include "step/force_limits.h"
#include "step/implicit/judge.h"
#include "step/options.h"
#include "step/solve.h"

#include "complementarity/friction/patch_problem.h"

#include <math.h>
#include <string.h>

// Iterations of all guesses; guesses from which on points are kept; starts from points that rub each for itself.
enum { MOST_IN_ALL = 6000, MANY_GUESSES = 4, MOST_RESTARTS = 3 };
static const double AIM = 1e-2, GOOD = 0.2; // of the tolerance: what solves are after, and what round-off may leave

// ---- the guess -----------------------------------------------------------------------------------------------------

static double smallest_size(const ts_model *model)
{
  double least = INFINITY;
  for (int k = 0; k < model->part_count; ++k)
    if (model->bodies[model->parts[k].body].kind == TS_DYNAMIC) least = fmin(least, model->parts[k].convex.reach);
  return least;
}

void ts_guesses_begin(ts_guesses *s, ts_step *step)
{
  const size_t bodies = (size_t)step->sim->model->body_count, joints = (size_t)step->mobility.count;
  *s = (ts_guesses){.step = step, .arrival = ts_arrival_make(step), .off = INFINITY, .fine = 1.0};
  s->size = smallest_size(step->sim->model);
  s->velocity = ts_arena_bytes(step->arena, bodies, sizeof *s->velocity);
  memset(s->velocity, 0, bodies * sizeof *s->velocity);
  s->joint_impulse = ts_arena_doubles(step->arena, joints);
  if (joints > 0) memcpy(s->joint_impulse, step->mobility.impulse, joints * sizeof *s->joint_impulse);
  s->kept = ts_arena_bytes(step->arena, 1, sizeof *s->kept);
  s->kept->count = 0;
  ts_guesses_look(s);
}

void ts_guesses_look(ts_guesses *s)
{
  ts_arrival_look(&s->arrival, s->step, s->velocity, &s->patches.points);
  ts_kept_points_add(s->kept, s->step->sim->model, &s->arrival.geometry, s->step->arena, &s->patches.points);
}

// ---- the problem at the guess --------------------------------------------------------------------------------------

// Gaps at the end of the step, linearized at the guess: (psi + h J (v - guess)) / h.
static void ask_for_gaps(ts_guesses *s)
{
  ts_step *step = s->step;
  const size_t d = (size_t)step->system.dimension, rows = (size_t)step->system.count * d;
  double *guessed = ts_arena_doubles(step->arena, rows);
  ts_system_velocity(&step->system, s->velocity, guessed);
  ts_system_velocity(&step->system, step->sim->free_velocity, step->system.q);
  ts_step_bounded_bias(step, true);
  for (int i = 0; i < step->contacts.count; ++i) {
    const size_t normal = (size_t)i * d;
    step->bias[normal] = step->contacts.contacts[i].gap / step->h - guessed[normal];
    for (size_t r = 1; r < d; ++r) step->bias[normal + r] = step->surface[normal + r];
  }
  for (size_t k = 0; k < rows; ++k) step->system.q[k] += step->bias[k];
}

// What misses its gap overlaps at the end of the step: tolerances that show as half the overlap that is let pass, or
// more, would cut steps.
static double tolerance_of(const ts_guesses *s)
{
  const double way = s->step->h * s->speed;
  const double unseen = way > 0.0 ? 0.5 * TS_MOST_OVERLAP * s->size / way : INFINITY;
  return fmin(s->step->sim->options.tolerance, unseen / GOOD);
}

static bool newton(const ts_guesses *s, const ts_patch_problem *problem, double *r)
{
  ts_sim *sim = s->step->sim;
  ts_patch_report report;
  ts_patch_solve_islands(problem, AIM * s->fine * s->tolerance, GOOD * s->fine * s->tolerance, s->step->arena, r,
                         &report);
  sim->report.iterations += report.iterations;
  sim->report.factorizations += report.iterations;
  return report.residual <= GOOD * s->fine * s->tolerance;
}

// Where Newton's method ends elsewhere it begins again from points that rub each for itself.
static void solve_patches(ts_guesses *s, const ts_patch_problem *problem, double *r)
{
  ts_step *step = s->step;
  ts_sim *sim = step->sim;
  if (!newton(s, problem, r) && s->restarts < MOST_RESTARTS) {
    const ts_problem points = ts_problem_friction(*problem->points);
    double *other = ts_arena_zeros(step->arena, ts_problem_size(&points));
    ts_report solve;
    memset(&solve, 0, offsetof(ts_report, trail));
    ++s->restarts;
    ++sim->report.fallbacks;
    ts_sim_solve(sim, &points, false, other, &solve);
    newton(s, problem, other);
    if (ts_patch_residual(problem, other, step->arena) < ts_patch_residual(problem, r, step->arena))
      memcpy(r, other, ts_problem_size(&points) * sizeof *other);
  }
  ts_patch_drop_open(problem, r, step->arena);
  s->residual = ts_patch_residual(problem, r, step->arena) / s->fine;
}

// Gaps of stops over h and deflections over h are data of the problem, and may be far faster than anything moves.
static double fineness(const ts_guesses *s, const ts_friction *problem)
{
  return ts_step_fineness(s->step, problem, s->speed, GOOD * s->tolerance);
}

// Cores enter the problem once they are met.
static void solve_with_skins(ts_guesses *s)
{
  ts_step *step = s->step;
  const size_t rows = (size_t)step->system.count * (size_t)step->system.dimension;
  const ts_softening before = s->soft;
  double *r;
  s->soft = ts_soften(&s->patches, step->sim, &s->arrival.geometry, step->h, &before, step->arena);
  ts_softening_ask_for_gaps(&s->soft, &s->patches, step);
  do {
    const ts_patch_problem problem = ts_softening_problem(&s->soft, &s->patches, step, &r);
    s->speed = ts_step_speed(step);
    s->fine = fineness(s, problem.points);
    solve_patches(s, &problem, r);
    if (rows > 0) memcpy(s->patches.r, r, rows * sizeof *r);
  } while (ts_softening_meets_cores(&s->soft, &s->patches, step, r));
}

static void solve_once(ts_guesses *s)
{
  s->speed = ts_step_speed(s->step);
  s->tolerance = tolerance_of(s);
  if (s->step->sim->model->skin_count > 0) {
    solve_with_skins(s);
    return;
  }
  const ts_patch_problem problem = {&s->step->system.problem, s->patches.patches, s->patches.start};
  s->fine = fineness(s, problem.points);
  solve_patches(s, &problem, s->patches.r);
}

static void solve_with_far_stops(ts_guesses *s)
{
  ts_step *step = s->step;
  ts_far_stops far = ts_far_stops_begin(&step->system, step->bias, step->arena);
  do {
    solve_once(s);
  } while (ts_far_stops_put_back(&far, s->patches.r));
  ts_far_stops_end(&far);
}

// A limit that the solution reaches and that is not the given one leaves the problem unsolved.
static void solve_within_limits(ts_guesses *s)
{
  ts_step *step = s->step;
  ts_islands islands;
  ts_islands_find(&step->system.problem, step->arena, &islands);
  ts_force_limits limits = ts_force_limits_begin(&step->system, &islands, true, s->patches.r, step->arena);
  do {
    solve_with_far_stops(s);
  } while (ts_force_limits_raise(&limits, s->patches.r));
  if (!ts_force_limits_end(&limits, s->patches.r)) s->residual = fmax(s->residual, 1.0);
}

// Solve for the geometry of the guess, from the impulses of the one before.
static void solve_at_guess(ts_guesses *s, const ts_patch_set *before)
{
  ts_step *step = s->step;
  step->contacts = s->patches.points;
  ts_step_assemble(step);
  s->patches.bounded = step->bounded_count;
  s->patches.r = step->r;
  ts_patches_find(&s->patches, step->arena);
  ask_for_gaps(s);
  if (before->r)
    ts_patches_recall(&s->patches, before, step->system.dimension);
  else if (step->sim->options.warm_start)
    ts_recall(&step->sim->remembered, &step->system, &step->contacts, step->bounded, step->h, step->r);
  if (ts_system_has_force_limits(&step->system))
    solve_within_limits(s);
  else
    solve_with_far_stops(s);
}

// ---- from guess to guess -------------------------------------------------------------------------------------------

static double product(ts_twist a, ts_twist b)
{
  return ts_dot(a.linear, b.linear) + ts_dot(a.angular, b.angular);
}

// Aitken's rule for the share of `off` by which a body goes on: 1 as a rule, less where its guesses swing about their
// end. A cylinder that rocks on its rim has its lowest point run around with the least tilt.
static double next_share(double share, ts_twist off, ts_twist last)
{
  static const double LEAST = 0.05, MOST = 2.0;
  const ts_twist change = ts_twist_add_scaled(off, -1.0, last);
  const double squared = product(change, change);
  return squared > 0.0 ? fmin(fmax(-share * product(last, change) / squared, LEAST), MOST) : 1.0;
}

// From guess to guess: what the last one lacked, and by which share of it each body has gone on.
typedef struct going {
  ts_twist *next, *off, *last;
  double *share;
} going;

static going begin_going(const ts_guesses *s)
{
  const size_t bodies = (size_t)s->step->sim->model->body_count;
  ts_twist *twists = ts_arena_bytes(s->step->arena, 3 * bodies, sizeof *twists);
  const going g = {twists, twists + bodies, twists + 2 * bodies, ts_arena_doubles(s->step->arena, bodies)};
  for (size_t b = 0; b < bodies; ++b) g.share[b] = 1.0;
  return g;
}

static void guess_again(ts_guesses *s, going *g, int guesses)
{
  const int bodies = s->step->sim->model->body_count;
  for (int b = 0; b < bodies; ++b) {
    g->off[b] = ts_twist_add_scaled(g->next[b], -1.0, s->velocity[b]);
    if (guesses > 1) g->share[b] = next_share(g->share[b], g->off[b], g->last[b]);
    s->velocity[b] = ts_twist_add_scaled(s->velocity[b], g->share[b], g->off[b]);
  }
  memcpy(g->last, g->off, (size_t)bodies * sizeof *g->last);
}

// The mixed problem of few points costs less than many guesses.
static int most_guesses(const ts_guesses *s)
{
  enum { FEW_POINTS = 40, FEW_GUESSES = 25, MOST_GUESSES = 60 };
  return s->patches.points.count <= FEW_POINTS ? FEW_GUESSES : MOST_GUESSES;
}

void ts_guesses_find_velocity(ts_guesses *s)
{
  const ts_sim *sim = s->step->sim;
  const int most = sim->report.iterations + MOST_IN_ALL;
  going g = begin_going(s);
  ts_patch_set before = {.r = NULL};
  const int guesses = most_guesses(s), from = 2 * MANY_GUESSES;
  const bool is_cut_or_soft = sim->model->skin_count > 0 || s->step->h < sim->options.size;
  for (int k = 0; k < guesses && sim->report.iterations < most; ++k) {
    if (k > 0) ts_guesses_look(s);
    solve_at_guess(s, &before);
    ts_implicit_respond(s->step, s->joint_impulse, s->patches.r, g.next);
    guess_again(s, &g, k);
    before = s->patches;
    if (k == 0) { // nothing has moved yet: whatever its residual, it says nothing of where the step ends
      s->residual = fmax(s->residual, 1.0);
      continue;
    }
    if (k >= MANY_GUESSES)
      ts_kept_points_take(s->kept, &s->patches, sim->model, &s->arrival.geometry, s->step->system.dimension,
                          k >= from && is_cut_or_soft);
    const double change = ts_largest_speed(sim->model, g.off), solved = s->residual;
    s->off = change;
    if (s->speed > 0.0) s->residual = fmax(solved, change / s->speed);
    if (s->step->system.count == 0 || s->residual <= GOOD * s->tolerance) break;
    if (solved <= sim->options.tolerance && change <= 1e-3 * solved * s->speed) break; // other guesses would not help
  }
  memcpy(s->velocity, g.next, (size_t)sim->model->body_count * sizeof *g.next);
}

bool ts_guesses_have_arrived(const ts_guesses *s)
{
  static const double UNSEEN = 1e-2; // of the overlap that is let pass
  return s->step->h * s->off <= UNSEEN * TS_MOST_OVERLAP * s->size;
}
