#include "dynamics/tree_free_motion.h"

#include <string.h>

double *ts_mobility_damping(const ts_mobility *mobility, double factor)
{
  const ts_mechanics *mechanics = mobility->mechanics;
  if (!mechanics->damping || mobility->impulsive) return NULL;
  const size_t rates = (size_t)mechanics->v_count;
  double *scaled = ts_arena_doubles(mobility->arena, rates);
  for (size_t k = 0; k < rates; ++k) scaled[k] = factor * mechanics->damping[k];
  return scaled;
}

// Data of free motion.
typedef struct start {
  ts_mobility *mobility;
  const ts_wrench *pushes;       // or NULL
  const ts_twist *free_velocity; // of bodies apart and bases (body_count)
  const double *braking;         // of joints (v), or NULL
  bool resisted;
} start;

// Mean accelerations of kinematic bodies through the step, wherever the stepper has put them by now.
static void accelerate_bases(const ts_mobility *mobility)
{
  const ts_mechanics *mechanics = mobility->mechanics;
  const ts_model *model = mechanics->model;
  for (int k = 0; k < model->motion_count; ++k) {
    const int body = model->motions[k].body;
    ts_pose pose;
    ts_twist before, after;
    ts_motion_evaluate(model, body, mechanics->state->time, &pose, &before);
    ts_motion_evaluate(model, body, mechanics->state->time + mobility->h, &pose, &after);
    mechanics->base_acceleration[body] =
        ts_twist_add_scaled((ts_twist){0}, 1.0 / mobility->h, ts_twist_add_scaled(after, -1.0, before));
  }
}

// Forces on bodies now.
static const ts_wrench *applied_wrenches(const ts_mechanics *mechanics, const ts_wrench *pushes)
{
  if (mechanics->weight && !pushes) return mechanics->weight;
  ts_applied_wrenches(mechanics->model, mechanics->state, mechanics->kinematics, pushes, mechanics->applied);
  return mechanics->applied;
}

// Free rates with the velocity products as they are in the tree.
static void reach_free_rates(const start *s)
{
  const ts_mobility *mobility = s->mobility;
  const ts_mechanics *mechanics = mobility->mechanics;
  double *free = mechanics->free_rates;
  ts_tree_accelerate(mechanics->tree, mobility->applied, s->braking,
                     mechanics->model->motion_count > 0 ? mechanics->base_acceleration : NULL, free);
  for (int k = 0; k < mechanics->v_count; ++k) free[k] = mechanics->state->rates[k] + mobility->h * free[k];
}

// The rates that free rates lead to when the rows that are left are obeyed.
static const double *constrained_rates(const start *s)
{
  const ts_mobility *mobility = s->mobility;
  const ts_mechanics *mechanics = mobility->mechanics;
  if (mobility->count == 0) return mechanics->free_rates;
  const size_t bodies = (size_t)mechanics->model->body_count;
  ts_twist *twists = ts_arena_bytes(mobility->arena, bodies, sizeof *twists);
  double *rates = ts_arena_doubles(mobility->arena, (size_t)mechanics->v_count);
  memcpy(twists, s->free_velocity, bodies * sizeof *twists);
  ts_tree_twists(mechanics->tree, mechanics->free_rates, mechanics->state->velocity, twists);
  ts_articulation_project(&mobility->articulation, twists, mobility->impulse, mobility->arena);
  ts_tree_rates(mechanics->tree, twists, rates);
  return rates;
}

// What forces alone change the rates by, where contacts, stops and drives may hold against them: a robot that stands
// still must not feel the products of a fall that never comes. NULL where nothing of that kind is known of.
static const double *change_by_forces(const start *s)
{
  const ts_mobility *mobility = s->mobility;
  const ts_mechanics *mechanics = mobility->mechanics;
  if (!s->resisted) return NULL;
  const size_t rates = (size_t)mechanics->v_count;
  double *change = ts_arena_zeros(mobility->arena, rates), *reached = ts_arena_doubles(mobility->arena, rates);
  memcpy(reached, mechanics->free_rates, rates * sizeof *reached);
  ts_tree_take_products(mechanics->tree, change);
  reach_free_rates(s);
  const double *end = constrained_rates(s);
  for (size_t k = 0; k < rates; ++k) change[k] = end[k] - mechanics->state->rates[k];
  memcpy(mechanics->free_rates, reached, rates * sizeof *reached);
  return change;
}

// Velocity products at v + weight (v+ - v), v+ where the present ones lead, less `forced` (or NULL). Returns the square
// of the change of the rates that they are taken at; `at` are those, before and after.
static double move_products(const start *s, double weight, const double *forced, double *at)
{
  const ts_mechanics *mechanics = s->mobility->mechanics;
  const double *now = mechanics->state->rates;
  const ts_arena_mark mark = ts_arena_save(s->mobility->arena);
  const double *end = constrained_rates(s);
  double change = 0.0;
  for (int k = 0; k < mechanics->v_count; ++k) {
    const double moved = now[k] + weight * (end[k] - now[k] - (forced ? forced[k] : 0.0));
    change += (moved - at[k]) * (moved - at[k]);
    at[k] = moved;
  }
  ts_arena_restore(s->mobility->arena, mark);
  ts_tree_take_products(mechanics->tree, at);
  return change;
}

static void take_no_products(ts_mechanics *mechanics)
{
  memset(mechanics->mean_rates, 0, (size_t)mechanics->v_count * sizeof *mechanics->mean_rates);
  ts_tree_take_products(mechanics->tree, mechanics->mean_rates);
}

// Velocity products c at the middle of the step (weight 1/2) or at its end (1), by a fixed number of passes of
//   v_m = v + weight h M^-1 (f - c(v_m)).
// For a mode v' = i y/h v, such as the nutation of a top, n passes of the midpoint rule make a step a factor whose
// square is 1 + y^4/4 for n = 1, 1 - y^4/4 + y^6/16 for 2, 1 - y^6/16 + y^8/64 for 3, and above 1 again for 4 and 5:
// three are stable up to y = 2 and lose no more than y^6/32 of an amplitude a step. At the end of the step they make
// 1 - y^2 + y^4 - y^6 + y^8, stable up to y = 1. Where the passes do not draw together bodies turn by radians a step;
// then rates stay but for forces, which at least is bounded: a top that turns about its joint keeps its energy so.
static void settle_products(const start *s)
{
  enum { PASSES = 3 };
  ts_mechanics *mechanics = s->mobility->mechanics;
  const size_t rates = (size_t)mechanics->v_count;
  const double weight = mechanics->gyroscopic == TS_GYROSCOPIC_IMPLICIT ? 1.0 : 0.5;
  double *at = mechanics->mean_rates, change = 0.0, last = 0.0, size = 0.0;
  const double *forced = change_by_forces(s);
  memcpy(at, mechanics->state->rates, rates * sizeof *at);
  for (int pass = 0; pass < PASSES; ++pass) {
    last = change;
    change = move_products(s, weight, forced, at);
    reach_free_rates(s);
  }
  for (size_t k = 0; k < rates; ++k) size += at[k] * at[k];
  if (change <= last || change <= 1e-6 * size) return; // small changes may be round-off
  take_no_products(mechanics);
  reach_free_rates(s);
}

// Rates after h of everything that is known now.
static void free_rates(start *s)
{
  ts_mobility *mobility = s->mobility;
  ts_mechanics *mechanics = mobility->mechanics;
  mobility->applied = applied_wrenches(mechanics, s->pushes);
  accelerate_bases(mobility);
  double *braking = ts_mobility_damping(mobility, -1.0);
  for (int k = 0; braking && k < mechanics->v_count; ++k) braking[k] *= mechanics->state->rates[k];
  s->braking = braking;
  if (mobility->drifts) take_no_products(mechanics);
  reach_free_rates(s);
  const bool settles = mechanics->gyroscopic != TS_GYROSCOPIC_EXPLICIT && !mobility->at_velocity_level;
  if (settles && !mobility->drifts && mechanics->has_products) settle_products(s);
}

void ts_mobility_move_freely(ts_mobility *mobility, const ts_wrench *pushes, bool resisted, ts_twist *free_velocity)
{
  const ts_mechanics *mechanics = mobility->mechanics;
  const ts_turning turning = ts_mobility_turning(mobility, pushes, NULL);
  if (mechanics->bodies_apart || mechanics->model->motion_count > 0)
    ts_free_velocity(mechanics->model, mechanics->state, mechanics->kinematics, mobility->h, turning, pushes,
                     free_velocity);
  free_rates(&(start){mobility, pushes, free_velocity, NULL, resisted});
}
