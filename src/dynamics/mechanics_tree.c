// Joints of a spanning tree as coordinates. Bodies without joints may stay apart from it: they move as in
// mechanics_bodies.c, free of rows but for those that springs and loops have.
#include "dynamics/mechanics.h"

#include "math/larger.h"
#include "model/joint/type.h"

#include <math.h>
#include <string.h>

// ---- what the tree of a model is -----------------------------------------------------------------------------------

// Joints that are coordinates, and bodies that they move.
static void mark_tree(ts_mechanics *mechanics, ts_arena *memory)
{
  const ts_model *model = mechanics->model;
  bool *in_tree = ts_arena_bytes(memory, (size_t)model->joint_count, sizeof *in_tree);
  bool *on_tree = ts_arena_bytes(memory, (size_t)model->body_count, sizeof *on_tree);
  ts_tree_mark(mechanics->tree, in_tree, on_tree);
  mechanics->is_coordinate = in_tree;
  mechanics->state->on_tree = on_tree;
  for (int b = 0; b < model->body_count; ++b)
    mechanics->bodies_apart = mechanics->bodies_apart || (model->bodies[b].kind == TS_DYNAMIC && !on_tree[b]);
}

static void list_angles(ts_mechanics *mechanics, ts_arena *memory)
{
  const int nodes = ts_tree_sizes(mechanics->tree).nodes;
  ts_angle_coordinate *angles = ts_arena_bytes(memory, (size_t)nodes, sizeof *angles);
  for (int k = 0; k < nodes; ++k) {
    const ts_tree_node *node = ts_tree_node_at(mechanics->tree, k);
    if (node->joint >= 0 && ts_joint_has_angle(mechanics->model->joints[node->joint].kind))
      angles[mechanics->angle_count++] = (ts_angle_coordinate){node->joint, node->q};
  }
  mechanics->angles = angles;
}

// Damping from which a joint holds like a fixed one; more would overflow when a step's length and rates multiply it.
static const double HOLDS_LIKE_FIXED = 1e200;

// The damping of joints that are coordinates goes with the rates.
static void take_damping(ts_mechanics *mechanics, ts_arena *memory)
{
  const struct ts_tree_sizes sizes = ts_tree_sizes(mechanics->tree);
  double *damping = ts_arena_zeros(memory, (size_t)sizes.v);
  for (int k = 0; k < sizes.nodes; ++k) {
    const ts_tree_node *node = ts_tree_node_at(mechanics->tree, k);
    if (node->joint < 0 || mechanics->model->joints[node->joint].damping == 0.0) continue;
    damping[node->v] = fmin(HOLDS_LIKE_FIXED, mechanics->model->joints[node->joint].damping);
    mechanics->damping = damping;
  }
}

void ts_mechanics_take_tree(ts_mechanics *mechanics, ts_tree *tree, ts_arena *memory)
{
  const struct ts_tree_sizes sizes = ts_tree_sizes(tree);
  mechanics->kind = &ts_mechanics_of_trees;
  mechanics->tree = tree;
  mechanics->q_count = sizes.q;
  mechanics->v_count = sizes.v;
  mechanics->has_products = ts_tree_has_products(tree);
  mark_tree(mechanics, memory);
  take_damping(mechanics, memory);
  list_angles(mechanics, memory);
  mechanics->bodies_follow = !mechanics->bodies_apart && mechanics->model->motion_count == 0;
}

const double *ts_mechanics_softness(const ts_mechanics *mechanics, double h, ts_arena *arena)
{
  if (!mechanics->damping || h == 0.0) return NULL;
  const size_t rates = (size_t)mechanics->v_count;
  double *softness = ts_arena_doubles(arena, rates);
  for (size_t k = 0; k < rates; ++k) softness[k] = h * mechanics->damping[k];
  return softness;
}

// ---- coordinates ---------------------------------------------------------------------------------------------------

static void read(ts_mechanics *mechanics)
{
  ts_tree_read(mechanics->tree, mechanics->state, mechanics->state->q, mechanics->state->rates);
}

// Angles of the tree's joints are coordinates: they do not jump.
void ts_mechanics_count_turns(ts_mechanics *mechanics, const double *q)
{
  for (int k = 0; k < mechanics->angle_count; ++k)
    mechanics->state->turned[mechanics->angles[k].joint] = q[mechanics->angles[k].q];
  if (ts_tree_sizes(mechanics->tree).closures > 0)
    ts_state_follow_joints(mechanics->model, mechanics->kinematics, mechanics->is_coordinate, mechanics->state);
}

static void update_tree(ts_mechanics *mechanics)
{
  ts_state *state = mechanics->state;
  ts_tree_update(mechanics->tree, state->q, state->rates, state, mechanics->kinematics);
}

// The tree brings up to date what is not dynamic, too.
static void follow(ts_mechanics *mechanics)
{
  if (mechanics->bodies_apart) ts_kinematics_update(mechanics->model, mechanics->state, mechanics->kinematics);
  update_tree(mechanics);
  ts_mechanics_count_turns(mechanics, mechanics->state->q);
}

static void update(ts_mechanics *mechanics)
{
  ts_kinematics_update(mechanics->model, mechanics->state, mechanics->kinematics);
  update_tree(mechanics);
}

static void rates(const ts_mechanics *mechanics, const ts_twist *velocity, double *rates)
{
  ts_tree_rates(mechanics->tree, velocity, rates);
}

static void move(ts_mechanics *mechanics, double h, const ts_twist *old_velocity)
{
  ts_state *state = mechanics->state;
  ts_tree_advance(mechanics->tree, h, state->rates, state->q);
  if (mechanics->bodies_apart) ts_state_advance(mechanics->model, h, 1.0, old_velocity, state);
}

// Rates go on, and the twists that they mean have turned with the joints: what was known of these is no longer true.
static ts_energies energies(const ts_mechanics *mechanics, double known_kinetic)
{
  (void)known_kinetic;
  const ts_model *model = mechanics->model;
  const ts_state *state = mechanics->state;
  if (mechanics->bodies_apart)
    return (ts_energies){ts_kinetic_energy(model, mechanics->kinematics, state->velocity),
                         ts_potential_energy(model, state)};
  const ts_tree_energy energy = ts_tree_present_energy(mechanics->tree);
  const bool elastic = model->spring_count + model->bushing_count > 0;
  return (ts_energies){energy.kinetic, elastic ? ts_potential_energy(model, state) : energy.potential};
}

static int base_of(const ts_mechanics *mechanics, int body)
{
  int node = ts_tree_node_of_body(mechanics->tree, body);
  if (node < 0) return -1;
  const ts_tree_node *n = ts_tree_node_at(mechanics->tree, node);
  while (n->parent >= 0) n = ts_tree_node_at(mechanics->tree, n->parent);
  return n->base >= 0 && mechanics->model->bodies[n->base].kind == TS_KINEMATIC ? n->base : -1;
}

// ---- free motion ---------------------------------------------------------------------------------------------------

// The damping of the rates times `factor` (v), or NULL where nothing is damped. With implicit damping D of the rates v
//   M (v+ - v) = h (f - D v+),   that is   (M + h D) (v+ - v) = h (f - D v).
static double *scaled_damping(const ts_mobility *mobility, double factor)
{
  const ts_mechanics *mechanics = mobility->mechanics;
  if (!mechanics->damping || mobility->impulsive) return NULL;
  const size_t rates = (size_t)mechanics->v_count;
  double *scaled = ts_arena_doubles(mobility->arena, rates);
  for (size_t k = 0; k < rates; ++k) scaled[k] = factor * mechanics->damping[k];
  return scaled;
}

static bool factor(ts_mobility *mobility)
{
  const ts_mechanics *mechanics = mobility->mechanics;
  if (!ts_tree_factor(mechanics->tree, scaled_damping(mobility, mobility->h), NULL)) return false;
  ts_articulation_factor(mechanics->model, mechanics->kinematics, mechanics->tree, mechanics->state->on_tree,
                         mobility->rows, mobility->count, mobility->arena, &mobility->articulation);
  mobility->depends = mobility->articulation.depends;
  return true;
}

// What free motion is worked out from.
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

// What acts on bodies now.
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
  double *braking = scaled_damping(mobility, -1.0);
  for (int k = 0; braking && k < mechanics->v_count; ++k) braking[k] *= mechanics->state->rates[k];
  s->braking = braking;
  if (mobility->drifts) take_no_products(mechanics);
  reach_free_rates(s);
  const bool settles = mechanics->gyroscopic != TS_GYROSCOPIC_EXPLICIT && !mobility->at_velocity_level;
  if (settles && !mobility->drifts && mechanics->has_products) settle_products(s);
}

// Rates of the tree, and velocities of what is apart from it.
static void move_freely(ts_mobility *mobility, const ts_wrench *pushes, bool resisted, ts_twist *free_velocity)
{
  const ts_mechanics *mechanics = mobility->mechanics;
  const ts_turning turning = {mechanics->gyroscopic, mobility->theta, NULL};
  if (mechanics->bodies_apart || mechanics->model->motion_count > 0)
    ts_free_velocity(mechanics->model, mechanics->state, mechanics->kinematics, mobility->h, turning, pushes,
                     free_velocity);
  free_rates(&(start){mobility, pushes, free_velocity, NULL, resisted});
}

// Twists are those that the rates mean at the present configuration: without the change of the axes, which contacts
// must not feel (corrections.md 2). Bases move as they do when rates are read from the twists again.
static void free_velocity(ts_mobility *mobility, const ts_wrench *pushes, bool resisted, ts_twist *velocity)
{
  const ts_mechanics *mechanics = mobility->mechanics;
  move_freely(mobility, pushes, resisted, velocity);
  ts_tree_twists(mechanics->tree, mechanics->free_rates, mechanics->state->velocity, velocity);
  ts_articulation_project(&mobility->articulation, velocity, mobility->impulse, mobility->arena);
}

static void fly(ts_mobility *mobility, const ts_wrench *pushes, ts_twist *free_velocity)
{
  const ts_mechanics *mechanics = mobility->mechanics;
  const ts_model *model = mechanics->model;
  ts_state *state = mechanics->state;
  mobility->drifts = mechanics->has_products && mechanics->gyroscopic == TS_GYROSCOPIC_MIDPOINT &&
                     mobility->theta == 1.0 && model->motion_count == 0;
  if (mobility->drifts || !mobility->applied) move_freely(mobility, pushes, false, free_velocity); // else it is known
  for (int b = 0; mechanics->bodies_apart && b < model->body_count; ++b)
    if (model->bodies[b].kind == TS_DYNAMIC && !state->on_tree[b]) state->velocity[b] = free_velocity[b];
}

static void flown_twists(const ts_mobility *mobility, ts_twist *twists)
{
  const ts_mechanics *mechanics = mobility->mechanics;
  ts_tree_twists(mechanics->tree, mechanics->free_rates, mechanics->state->velocity, twists);
}

// ---- impulses ------------------------------------------------------------------------------------------------------

static void project(const ts_mobility *mobility, ts_twist *velocity, double *impulse)
{
  ts_articulation_project(&mobility->articulation, velocity, impulse, mobility->arena);
}

static void push(const ts_mobility *mobility, const ts_body_push *pushes, int count, ts_twist *velocity,
                 double *impulse)
{
  const ts_arena_mark mark = ts_arena_save(mobility->arena);
  const size_t bodies = (size_t)mobility->mechanics->model->body_count;
  ts_wrench *wrench = ts_arena_bytes(mobility->arena, bodies, sizeof *wrench);
  memset(wrench, 0, bodies * sizeof *wrench);
  for (int k = 0; k < count; ++k) {
    ts_wrench *own = &wrench[pushes[k].body];
    *own = (ts_wrench){ts_add(own->force, pushes[k].wrench.force), ts_add(own->moment, pushes[k].wrench.moment)};
  }
  ts_articulation_push(&mobility->articulation, wrench, velocity, impulse, mobility->arena);
  ts_arena_restore(mobility->arena, mark);
}

static int groups(const ts_mobility *mobility, int *group)
{
  ts_articulation_groups(&mobility->articulation, group);
  return mobility->mechanics->model->body_count;
}

// What the tree alone makes of rows: without loops nobody needs them whole.
static void compliance_without_loops(const ts_mobility *mobility, const ts_block_list *blocks, double *C,
                                     ts_arena *arena)
{
  const bool *on_tree = mobility->mechanics->state->on_tree;
  const int d = blocks->dimension, rows = blocks->count * d;
  ts_tree_force *forces = ts_arena_bytes(arena, 2 * (size_t)rows, sizeof *forces);
  int count = 0;
  for (int i = 0; i < blocks->count; ++i)
    for (int side = 0; side < 2; ++side) {
      const ts_block_rows *block = &blocks->blocks[i];
      const int body = block->body[side];
      if (body < 0 || !on_tree[body]) continue;
      for (int r = 0; r < d; ++r) {
        if (!(block->active & (1u << r))) continue;
        const ts_twist row = ts_row_block_row(&block->jacobian[side], r);
        forces[count++] = (ts_tree_force){i * d + r, body, {row.linear, row.angular}};
      }
    }
  ts_tree_force_compliance(mobility->mechanics->tree, forces, count, rows, C, arena);
}

static void compliance(const ts_mobility *mobility, const ts_block_list *blocks, double *C, ts_arena *arena)
{
  if (mobility->count == 0)
    compliance_without_loops(mobility, blocks, C, arena);
  else
    ts_articulation_compliance(&mobility->articulation, ts_rows_of_blocks(blocks, arena),
                               blocks->count * blocks->dimension, C, arena);
}

// ---- onwards -------------------------------------------------------------------------------------------------------

// Damping of the rates is that of their end: the impulse -h D v+. It only takes energy: more than nothing is left to
// the errors of the method.
static void add_damping(const ts_mobility *mobility, const double *before, const double *after, double *work)
{
  const ts_mechanics *mechanics = mobility->mechanics;
  if (!mechanics->damping || mobility->impulsive) return;
  for (int k = 0; k < mechanics->v_count; ++k) {
    const double p = -mobility->h * mechanics->damping[k] * after[k];
    *work += ts_smaller(0.0, 0.5 * p * (before[k] + after[k]));
  }
}

static void take_velocity(ts_mobility *mobility, double *damping_work)
{
  ts_mechanics *mechanics = mobility->mechanics;
  ts_state *state = mechanics->state;
  ts_tree_rates(mechanics->tree, state->velocity, mechanics->mean_rates);
  if (damping_work) add_damping(mobility, state->rates, mechanics->mean_rates, damping_work);
  memcpy(state->rates, mechanics->mean_rates, (size_t)mechanics->v_count * sizeof *state->rates);
  update_tree(mechanics);
}

// Rates from the twists that the step has reached, and coordinates from these. The bodies follow later.
static bool advance_tree(ts_mobility *mobility, bool flew, double *damping_work)
{
  ts_mechanics *mechanics = mobility->mechanics;
  ts_state *state = mechanics->state;
  const size_t bytes = (size_t)mechanics->v_count * sizeof *state->rates;
  const double theta = mobility->theta;
  double *rates = mechanics->free_rates, *mean = mechanics->mean_rates;
  if (!flew) ts_tree_rates(mechanics->tree, state->velocity, rates);
  add_damping(mobility, state->rates, rates, damping_work);
  if (mobility->drifts) {
    memcpy(state->rates, rates, bytes);
    return ts_tree_drift(mechanics->tree, mobility->h, state->q, state->rates, state, mechanics->kinematics,
                         mobility->arena);
  }
  for (int k = 0; theta < 1.0 && k < mechanics->v_count; ++k)
    mean[k] = theta * rates[k] + (1.0 - theta) * state->rates[k];
  ts_tree_advance(mechanics->tree, mobility->h, theta < 1.0 ? mean : rates, state->q);
  memcpy(state->rates, rates, bytes);
  return true;
}

static bool advance(ts_mobility *mobility, bool flew, const ts_twist *old_velocity, double *damping_work)
{
  const ts_mechanics *mechanics = mobility->mechanics;
  const bool kept = advance_tree(mobility, flew, damping_work);
  if (mechanics->bodies_apart)
    ts_state_advance(mechanics->model, mobility->h, mobility->theta, old_velocity, mechanics->state);
  return kept;
}

const ts_mechanics_kind ts_mechanics_of_trees = {
    .couples = true,
    .read = read,
    .rates = rates,
    .base_of = base_of,
    .follow = follow,
    .update = update,
    .move = move,
    .energies = energies,
    .factor = factor,
    .free_velocity = free_velocity,
    .project = project,
    .push = push,
    .groups = groups,
    .compliance = compliance,
    .fly = fly,
    .flown_twists = flown_twists,
    .take_velocity = take_velocity,
    .advance = advance,
};
