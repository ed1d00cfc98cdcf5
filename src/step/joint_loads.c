#include "step/joint_loads.h"

#include "dynamics/gear_rows.h"

#include <string.h>

_Static_assert(sizeof(ts_joint_load) == TS_LOAD_NUMBERS * sizeof(double), "loads are numbers without gaps");

void ts_loads_forget(ts_sim *sim)
{
  if (sim->loads) memset(sim->loads, 0, ts_loads_size(sim) * sizeof(double));
}

const ts_joint_load *ts_loads_save(const ts_sim *sim, ts_arena *arena)
{
  if (!sim->loads) return NULL;
  ts_joint_load *saved = ts_arena_bytes(arena, (size_t)sim->model->joint_count, sizeof *saved);
  memcpy(saved, sim->loads, ts_loads_size(sim) * sizeof(double));
  return saved;
}

void ts_loads_restore(ts_sim *sim, const ts_joint_load *saved)
{
  if (saved) memcpy(sim->loads, saved, ts_loads_size(sim) * sizeof(double));
}

void ts_loads_add(ts_sim *sim, const double *numbers)
{
  double *sum = (double *)sim->loads;
  for (size_t k = 0; k < ts_loads_size(sim); ++k) sum[k] += numbers[k];
}

// ---- what acts -----------------------------------------------------------------------------------------------------

// Loads as they are gathered.
typedef struct gathering {
  ts_sim *sim;
  ts_joint_load *loads; // (joint_count)
  ts_wrench *outside;   // on bodies of a tree, but for what its joints do (body_count); NULL: there is no tree
} gathering;

static gathering begin(ts_sim *sim, ts_joint_load *loads, ts_arena *arena)
{
  const size_t bodies = (size_t)sim->model->body_count;
  gathering g = {sim, loads, NULL};
  if (!sim->mechanics.tree) return g;
  g.outside = ts_arena_bytes(arena, bodies, sizeof *g.outside);
  memset(g.outside, 0, bodies * sizeof *g.outside);
  return g;
}

static bool is_coordinate(const gathering *g, int joint)
{
  return g->sim->mechanics.is_coordinate && g->sim->mechanics.is_coordinate[joint];
}

static void push_body(const gathering *g, int body, double p, ts_vec3 force, ts_vec3 moment)
{
  if (!g->outside || body < 0) return;
  ts_wrench *sum = &g->outside[body];
  *sum = (ts_wrench){ts_add_scaled(sum->force, p, force), ts_add_scaled(sum->moment, p, moment)};
}

// A wrench on the child about `centre`.
static void load_joint(const gathering *g, int joint, ts_vec3 force, ts_vec3 moment, ts_vec3 centre, ts_vec3 point)
{
  ts_wrench *sum = &g->loads[joint].wrench;
  const ts_vec3 at_point = ts_add(moment, ts_cross(ts_sub(centre, point), force));
  *sum = (ts_wrench){ts_add(sum->force, force), ts_add(sum->moment, at_point)};
}

// Impulse p of a row of a joint. Of a coordinate the balance of the tree has it.
static void take_row(const gathering *g, int joint, double p, const ts_row *row)
{
  if (is_coordinate(g, joint) || p == 0.0) return;
  const ts_joint_frames at = ts_joint_frames_at(g->sim->model, &g->sim->kinematics, joint);
  const ts_twist *own = &row->jacobian[1];
  load_joint(g, joint, ts_scale(p, own->linear), ts_scale(p, own->angular), at.centre[1], at.frame[1].origin);
  for (int side = 0; side < 2; ++side)
    push_body(g, row->body[side], p, row->jacobian[side].linear, row->jacobian[side].angular);
}

static void take_along(const gathering *g, int joint, double p)
{
  const ts_joint_frames at = ts_joint_frames_at(g->sim->model, &g->sim->kinematics, joint);
  const ts_row row = ts_joint_coordinate_row(g->sim->model, joint, &at);
  take_row(g, joint, p, &row);
}

// What pushes along a joint as a force, which is among those that act on the bodies already.
static void take_force(const gathering *g, int joint, double p)
{
  if (p == 0.0) return;
  const ts_joint_frames at = ts_joint_frames_at(g->sim->model, &g->sim->kinematics, joint);
  const ts_twist own = ts_joint_coordinate_row(g->sim->model, joint, &at).jacobian[1];
  load_joint(g, joint, ts_scale(p, own.linear), ts_scale(p, own.angular), at.centre[1], at.frame[1].origin);
}

// A gear pushes along each of its joints.
static void take_gear(const gathering *g, const ts_gear *gear, double p)
{
  for (int k = 0; k <= gear->term_count; ++k) {
    const ts_geared_joint own = ts_gear_joint_at(gear, k);
    take_along(g, own.joint, own.weight * p);
  }
}

static void take_rows(const gathering *g, const ts_bilateral_row *rows, int count, const double *impulse)
{
  const ts_model *model = g->sim->model;
  for (int k = 0; k < count; ++k) {
    const ts_bilateral_row *row = &rows[k];
    const double p = impulse[k];
    if (row->is_gear) {
      take_gear(g, ts_row_gear(model, row), p);
    } else if (row->source < model->joint_count) {
      if (row->drives) g->loads[row->source].drive += p;
      take_row(g, row->source, p, &row->row);
    } else {
      for (int side = 0; side < 2; ++side)
        push_body(g, row->row.body[side], p, row->row.jacobian[side].linear, row->row.jacobian[side].angular);
    }
  }
}

static void take_contact(const gathering *g, const ts_step *step, int i, const double *p)
{
  const ts_system *system = &step->system;
  for (int side = 0; side < 2; ++side)
    for (int r = 0; r < system->dimension && system->blocks[i].body[side] >= 0; ++r) {
      if (!(system->blocks[i].active & (1u << r))) continue;
      const ts_twist row = ts_row_block_row(&system->jacobian[2 * i + side], r);
      push_body(g, system->blocks[i].body[side], p[r], row.linear, row.angular);
    }
}

// Stops, and drives of limited force with dry friction, whose row is the second of its block.
static void take_bounded(const gathering *g, const ts_bounded_row *row, ts_block_kind kind, const double *p)
{
  const double own = p[kind == TS_BLOCK_MOTOR ? 1 : 0];
  if (row->feature == TS_DRIVE) g->loads[row->joint].drive += own;
  take_row(g, row->joint, own, &row->row);
}

static void take_blocks(const gathering *g, const ts_step *step)
{
  const int d = step->system.dimension;
  for (int i = 0; i < step->system.count; ++i) {
    const ts_block *block = &step->system.blocks[i];
    double p[TS_MAX_DIMENSION] = {0.0};
    for (int r = 0; r < d; ++r) p[r] = step->r[i * d + r] - (step->counted ? step->counted[i * d + r] : 0.0);
    if (block->kind == TS_BLOCK_CONTACT || block->kind == TS_BLOCK_SUPPORT)
      take_contact(g, step, i, p);
    else
      take_bounded(g, &step->bounded[block->source], block->kind, p);
  }
}

// Motors that are forces, and pushes along joints, for a time h; impulses of the former.
static void take_forces(const gathering *g, double h)
{
  const ts_sim *sim = g->sim;
  const bool impulses = sim->model->impulses && !sim->options.method->is_smooth;
  for (int j = 0; j < sim->model->joint_count; ++j) {
    double drive = h * ts_motor_force(sim->model, &sim->state, j);
    if (impulses) drive += ts_motor_impulse(sim->model, &sim->state, sim->part, j);
    g->loads[j].drive += drive;
    take_force(g, j, drive + (sim->state.commands ? h * sim->commands[j].push : 0.0));
  }
}

static void take_wrenches(const gathering *g, double h, const ts_wrench *wrench)
{
  for (int b = 0; g->outside && b < g->sim->model->body_count; ++b)
    push_body(g, b, h, wrench[b].force, wrench[b].moment);
}

// ---- trees ---------------------------------------------------------------------------------------------------------

// What coordinates transmit, times h.
static void load_tree(const gathering *g, const ts_tree_course *course, double h, ts_arena *arena)
{
  const ts_sim *sim = g->sim;
  ts_tree *tree = sim->mechanics.tree;
  const int nodes = ts_tree_sizes(tree).nodes;
  ts_wrench *transmitted = ts_arena_bytes(arena, (size_t)nodes, sizeof *transmitted);
  ts_tree_transmitted(tree, course, transmitted);
  for (int i = 0; i < nodes; ++i) {
    const ts_tree_node *node = ts_tree_node_at(tree, i);
    if (node->joint < 0) continue;
    const double scale = node->reversed ? -h : h;
    const ts_joint_frames at = ts_joint_frames_at(sim->model, &sim->kinematics, node->joint);
    load_joint(g, node->joint, ts_scale(scale, transmitted[i].force), ts_scale(scale, transmitted[i].moment),
               sim->kinematics.frame[node->body].origin, at.frame[1].origin);
  }
}

// Rates change at once from those of `from` to those of the velocity in the state.
static void load_tree_at_once(const gathering *g, const ts_twist *from, ts_arena *arena)
{
  const ts_sim *sim = g->sim;
  const size_t rates = (size_t)sim->mechanics.v_count;
  double *change = ts_arena_doubles(arena, rates), *before = ts_arena_doubles(arena, rates);
  ts_tree_rates(sim->mechanics.tree, sim->state.velocity, change);
  ts_tree_rates(sim->mechanics.tree, from, before);
  for (size_t k = 0; k < rates; ++k) change[k] -= before[k];
  load_tree(g, &(ts_tree_course){g->outside, change, NULL, .at_once = true}, 1.0, arena);
}

// Inertia alone, which moves a tree on that flies.
static void load_by_drift(const gathering *g, const ts_step *step)
{
  const ts_mechanics *mechanics = &step->sim->mechanics;
  const size_t bodies = (size_t)step->sim->model->body_count, rates = (size_t)mechanics->v_count;
  double *acceleration = ts_arena_doubles(step->arena, rates), *none = ts_arena_zeros(step->arena, rates);
  memset(g->outside, 0, bodies * sizeof *g->outside);
  ts_tree_take_products(mechanics->tree, mechanics->free_rates);
  ts_tree_accelerate(mechanics->tree, g->outside, NULL, NULL, acceleration);
  load_tree(g, &(ts_tree_course){g->outside, acceleration, NULL, false}, step->h, step->arena);
  ts_tree_take_products(mechanics->tree, none);
}

static void load_tree_in_step(const gathering *g, const ts_step *step)
{
  const ts_sim *sim = g->sim;
  const ts_mechanics *mechanics = &sim->mechanics;
  const double per_time = 1.0 / step->h;
  const bool flies = ts_step_flies(step);
  double *acceleration = ts_arena_doubles(step->arena, (size_t)mechanics->v_count);
  if (flies)
    memcpy(acceleration, mechanics->free_rates, (size_t)mechanics->v_count * sizeof *acceleration);
  else
    ts_tree_rates(mechanics->tree, sim->state.velocity, acceleration);
  for (int k = 0; k < mechanics->v_count; ++k) acceleration[k] = per_time * (acceleration[k] - sim->state.rates[k]);
  for (int b = 0; b < sim->model->body_count; ++b)
    g->outside[b] = (ts_wrench){ts_scale(per_time, g->outside[b].force), ts_scale(per_time, g->outside[b].moment)};
  const ts_twist *bases = sim->model->motion_count > 0 ? mechanics->base_acceleration : NULL;
  load_tree(g, &(ts_tree_course){g->outside, acceleration, bases, false}, step->h, step->arena);
  if (flies && step->mobility.drifts) load_by_drift(g, step);
}

// ---- balance of a step in minimal coordinates -----------------------------------------------------------------------

static ts_wrench sum_of(ts_wrench a, double scale, ts_wrench b)
{
  return (ts_wrench){ts_add_scaled(a.force, scale, b.force), ts_add_scaled(a.moment, scale, b.moment)};
}

static ts_wrench momentum_of(const ts_sim *sim, int b, ts_twist twist)
{
  const ts_body *body = &sim->model->bodies[b];
  const ts_mat3 *axes = &sim->kinematics.frame[b].axes;
  if (body->kind != TS_DYNAMIC) return (ts_wrench){0};
  const ts_vec3 spin = ts_mul(&body->inertia, ts_mul_transposed(axes, twist.angular));
  return (ts_wrench){ts_scale(body->mass, twist.linear), ts_mul(axes, spin)};
}

// The momentum of bodies at the start, and all that acts on them but for joints of the tree. Before these are loaded.
static void open_balance(const gathering *g, const ts_step *step)
{
  const ts_sim *sim = g->sim;
  const ts_tree *tree = sim->mechanics.tree;
  ts_load_balance *balance = sim->balance;
  const ts_twist *start = step->carried ? step->carried : step->from;
  balance->is_open = true;
  for (int b = 0; b < sim->model->body_count; ++b) {
    balance->momentum[b] = sum_of(momentum_of(sim, b, start[b]), 1.0, g->outside[b]);
    balance->center[b] = sim->kinematics.frame[b].origin;
  }
  for (int i = 0; i < ts_tree_sizes(tree).nodes; ++i) {
    const int j = ts_tree_node_at(tree, i)->joint;
    if (j < 0) continue;
    ts_open_joint *joint = &balance->joints[j];
    joint->others = g->loads[j].wrench;
    joint->point = ts_joint_frames_at(sim->model, &sim->kinematics, j).frame[1].origin;
    joint->axis_count = ts_tree_turning_axes(tree, i, joint->axes);
  }
}

static ts_wrench moved(ts_wrench load, ts_vec3 arm)
{
  return (ts_wrench){load.force, ts_add(load.moment, ts_cross(arm, load.force))};
}

// About axes that the joint turns about freely, the moment is what drives it: that of the start, which is in `load`.
static void correct(const ts_open_joint *joint, ts_wrench exact, ts_wrench *load)
{
  ts_vec3 change = ts_sub(ts_add(joint->others.moment, exact.moment), load->moment);
  for (int k = 0; k < joint->axis_count; ++k)
    change = ts_add_scaled(change, -ts_dot(joint->axes[k], change), joint->axes[k]);
  *load = (ts_wrench){ts_add(joint->others.force, exact.force), ts_add(load->moment, change)};
}

// Tips to base: a joint transmits the change of momentum of all bodies behind it, less what acts on them otherwise.
void ts_loads_close_balance(ts_sim *sim)
{
  ts_load_balance *balance = sim->balance;
  if (!sim->loads || !balance || !balance->is_open) return;
  const ts_tree *tree = sim->mechanics.tree;
  ts_wrench *owed = balance->momentum;
  balance->is_open = false;
  for (int b = 0; b < sim->model->body_count; ++b)
    owed[b] = sum_of(momentum_of(sim, b, sim->state.velocity[b]), -1.0, owed[b]);
  for (int i = ts_tree_sizes(tree).nodes - 1; i >= 0; --i) { // children come after parents
    const ts_tree_node *node = ts_tree_node_at(tree, i);
    const ts_vec3 center = balance->center[node->body];
    if (node->parent >= 0) {
      const int parent = ts_tree_node_at(tree, node->parent)->body;
      const ts_vec3 arm = ts_sub(center, balance->center[parent]);
      owed[parent] = sum_of(owed[parent], 1.0, moved(owed[node->body], arm));
    }
    if (node->joint < 0) continue;
    const ts_open_joint *joint = &balance->joints[node->joint];
    const ts_wrench none = {0}, at_point = moved(owed[node->body], ts_sub(center, joint->point));
    correct(joint, sum_of(none, node->reversed ? -1.0 : 1.0, at_point), &sim->loads[node->joint].wrench);
  }
}

// ---- steps ---------------------------------------------------------------------------------------------------------

void ts_step_add_loads(ts_step *step)
{
  ts_sim *sim = step->sim;
  const ts_arena_mark mark = ts_arena_save(step->arena);
  const gathering g = begin(sim, sim->loads, step->arena);
  take_rows(&g, step->mobility.rows, step->mobility.count, step->mobility.impulse);
  if (!ts_step_flies(step)) take_blocks(&g, step);
  if (step->struck) {
    take_wrenches(&g, 1.0, step->struck->impulse);
    for (int j = 0; j < sim->model->joint_count; ++j) {
      const double p = ts_motor_impulse(sim->model, &sim->state, step->struck->span, j);
      g.loads[j].drive += p;
      take_force(&g, j, p);
    }
  }
  if (!step->strikes) {
    take_forces(&g, step->h);
    if (g.outside) take_wrenches(&g, step->h, step->mobility.applied);
  }
  if (g.outside && step->strikes) load_tree_at_once(&g, step->from, step->arena);
  if (g.outside && !step->strikes) {
    if (!step->at_velocity_level) open_balance(&g, step); // else bodies stand at the end already
    load_tree_in_step(&g, step);
  }
  ts_arena_restore(step->arena, mark);
}

void ts_loads_add_rows(ts_sim *sim, const ts_bilateral_row *rows, int count, const double *impulse,
                       const ts_wrench *pushed, const ts_twist *from, ts_arena *arena)
{
  const ts_arena_mark mark = ts_arena_save(arena);
  const gathering g = begin(sim, sim->loads, arena);
  take_rows(&g, rows, count, impulse);
  if (pushed) take_wrenches(&g, 1.0, pushed);
  if (g.outside) load_tree_at_once(&g, from, arena);
  ts_arena_restore(arena, mark);
}

void ts_step_add_row_loads(ts_step *step, const ts_twist *from, const double *impulse)
{
  ts_loads_add_rows(step->sim, step->mobility.rows, step->mobility.count, impulse, NULL, from, step->arena);
}

// ---- free motion ---------------------------------------------------------------------------------------------------

void ts_loads_of_motion(ts_sim *sim, const ts_free_motion *motion, double *forces, ts_arena *arena)
{
  const double time = sim->state.time;
  const gathering g = begin(sim, (ts_joint_load *)forces, arena);
  memset(forces, 0, ts_loads_size(sim) * sizeof *forces);
  take_rows(&g, motion->loops.rows, motion->loops.count, motion->loops.force);
  sim->state.time = motion->time; // forces are functions of it
  take_forces(&g, 1.0);
  sim->state.time = time;
  for (int j = 0; j < sim->model->joint_count; ++j) take_force(&g, j, motion->rubbed[j]);
  take_wrenches(&g, 1.0, sim->mechanics.applied);
  const ts_twist *bases = sim->model->motion_count > 0 ? sim->mechanics.base_acceleration : NULL;
  load_tree(&g, &(ts_tree_course){g.outside, motion->acceleration, bases, false}, 1.0, arena);
}
