// Joints of a spanning tree as coordinates. Bodies without joints may stay apart from it: they move as in
// mechanics_bodies.c, free of rows but for those that springs and loops have.
#include "dynamics/mechanics.h"

#include "dynamics/tree_free_motion.h"
#include "dynamics/tree_momentum.h"

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

static bool factor(ts_mobility *mobility)
{
  const ts_mechanics *mechanics = mobility->mechanics;
  if (!ts_tree_factor(mechanics->tree, ts_mobility_damping(mobility, mobility->h), NULL)) return false;
  ts_articulation_factor(mechanics->model, mechanics->kinematics, mechanics->tree, mechanics->state->on_tree,
                         mobility->rows, mobility->count, mobility->arena, &mobility->articulation);
  mobility->depends = mobility->articulation.depends;
  return true;
}

// Twists are those that the rates mean at the present configuration: without the change of the axes, which contacts
// must not feel (corrections.md 2). Bases move as they do when rates are read from the twists again.
static void free_velocity(ts_mobility *mobility, const ts_wrench *pushes, bool resisted, ts_twist *velocity)
{
  const ts_mechanics *mechanics = mobility->mechanics;
  ts_mobility_move_freely(mobility, pushes, resisted, velocity);
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
  if (mobility->drifts || !mobility->applied)
    ts_mobility_move_freely(mobility, pushes, false, free_velocity); // else it is known
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

// Conserved quantities of free trees at the start of the step, if it has taken forces into account at all.
static bool note_momentum(const ts_mobility *mobility, const double *end)
{
  const ts_mechanics *mechanics = mobility->mechanics;
  const ts_tree *tree = mechanics->tree;
  const size_t bodies = (size_t)mechanics->model->body_count, rates = (size_t)mechanics->v_count;
  if (!mobility->applied || !ts_tree_floats(tree)) return false;
  const ts_arena_mark mark = ts_arena_save(mobility->arena);
  ts_twist *twists = ts_arena_bytes(mobility->arena, 2 * bodies, sizeof *twists), *mean = twists;
  ts_tree_twists(tree, end, mechanics->state->velocity, twists);
  if (!mobility->drifts) { // else there are no products
    double *middle = ts_arena_doubles(mobility->arena, rates);
    for (size_t k = 0; k < rates; ++k) middle[k] = 0.5 * (mechanics->state->rates[k] + end[k]);
    mean = twists + bodies;
    ts_tree_twists(tree, middle, mechanics->state->velocity, mean);
  }
  ts_tree_note_momentum(mechanics->tree, mobility->h, twists, mean);
  ts_arena_restore(mobility->arena, mark);
  return true;
}

// The rates that carry the coordinates through the step, of those that it ends with.
static const double *rates_of_way(const ts_mobility *mobility, const double *end)
{
  const ts_mechanics *mechanics = mobility->mechanics;
  const double theta = mobility->theta, *begin = mechanics->state->rates;
  double *way = mechanics->mean_rates;
  if (mobility->reached) {
    ts_tree_rates(mechanics->tree, mechanics->state->velocity, way);
    return way;
  }
  if (theta == 1.0) return end;
  for (int k = 0; k < mechanics->v_count; ++k) way[k] = theta * end[k] + (1.0 - theta) * begin[k];
  return way;
}

static void keep_momentum(const ts_mobility *mobility)
{
  ts_tree *tree = mobility->mechanics->tree;
  ts_state *state = mobility->mechanics->state;
  ts_tree_keep_momentum(tree, state->rates);
  if (mobility->theta != 1.0 || mobility->reached) return;
  ts_tree_note_holds(tree, mobility->touched, mobility->rows, mobility->count);
  ts_tree_carry_centers(tree, mobility->h, state->q);
}

// Rates from the twists that the step has reached, and coordinates from these. The bodies follow later.
static bool advance_tree(ts_mobility *mobility, bool flew, double *damping_work)
{
  ts_mechanics *mechanics = mobility->mechanics;
  ts_tree *tree = mechanics->tree;
  ts_state *state = mechanics->state;
  double *rates = mechanics->free_rates;
  const ts_twist *twists = mobility->reached ? mobility->reached : state->velocity;
  const size_t bytes = (size_t)mechanics->v_count * sizeof *rates;
  bool kept = true;
  if (!flew) ts_tree_rates(tree, twists, rates);
  add_damping(mobility, state->rates, rates, damping_work);
  const bool floats = note_momentum(mobility, rates);
  if (mobility->drifts) {
    memcpy(state->rates, rates, bytes);
    kept = ts_tree_drift(tree, mobility->h, state->q, state->rates, state, mechanics->kinematics, mobility->arena);
  } else {
    ts_tree_advance(tree, mobility->h, rates_of_way(mobility, rates), state->q);
    memcpy(state->rates, rates, bytes);
    if (floats) update_tree(mechanics);
  }
  if (floats) keep_momentum(mobility);
  return kept;
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
