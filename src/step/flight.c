#include "step/flight.h"

#include "dynamics/joint_frames.h"

#include <math.h>
#include <string.h>

// Local error of a step. Impacts are to be located to 1e-12 s.
static const double RELATIVE = 1e-13, ABSOLUTE = 1e-13;

// Distance in time over which rows that close loops and velocities of kinematic bodies are differentiated, by a formula
// of fourth order: truncation and round-off are then both near 1e-12 of motions with time scales of a tenth of a
// second.
static const double DIFFERENCE = 1e-3;

static double *rates_of(const ts_flight *flight, double *y)
{
  return y + flight->q_count;
}

// Bodies to where q and v have them at time t.
static void show(const ts_flight *flight, double t, const double *q, const double *v)
{
  ts_sim *sim = flight->sim;
  if (sim->model->motion_count > 0) {
    ts_state_follow_motions(sim->model, t, &sim->state);
    ts_kinematics_update(sim->model, &sim->state, &sim->kinematics);
  }
  ts_tree_update(sim->tree, q, v, &sim->state, &sim->kinematics);
}

// Fourth-order central difference from values at -2, -1, 1, 2 times DIFFERENCE.
static double difference(double m2, double m1, double p1, double p2)
{
  return (8.0 * (p1 - m1) - (p2 - m2)) / (12.0 * DIFFERENCE);
}

static const double OFFSETS[4] = {-2.0, -1.0, 1.0, 2.0};

// Accelerations of kinematic bodies, from their velocities.
static void accelerate_bases(const ts_flight *flight, double t)
{
  ts_sim *sim = flight->sim;
  for (int k = 0; k < sim->model->motion_count; ++k) {
    const int body = sim->model->motions[k].body;
    ts_twist at[4];
    ts_pose pose;
    for (int i = 0; i < 4; ++i) ts_motion_evaluate(sim->model, body, t + OFFSETS[i] * DIFFERENCE, &pose, &at[i]);
    ts_twist *a = &sim->base_acceleration[body];
#define COMPONENT(part, c) a->part.c = difference(at[0].part.c, at[1].part.c, at[2].part.c, at[3].part.c)
    COMPONENT(linear, x);
    COMPONENT(linear, y);
    COMPONENT(linear, z);
    COMPONENT(angular, x);
    COMPONENT(angular, y);
    COMPONENT(angular, z);
#undef COMPONENT
  }
}

// ---- loops ---------------------------------------------------------------------------------------------------------

// Rows of the joints that close loops, with everything in place. Their biases become their errors: they are written for
// a step of 1 s.
static int loop_rows(const ts_flight *flight, ts_bilateral_row *rows)
{
  const ts_sim *sim = flight->sim;
  const int count = ts_bilateral_rows(sim->model, &sim->state, &sim->kinematics, 1.0, sim->in_tree, rows);
  int kept = 0;
  for (int k = 0; k < count; ++k)
    if (rows[k].softness == 0.0) rows[kept++] = rows[k]; // dampers are forces here
  return kept;
}

static ts_bilateral_row *allocate_rows(const ts_flight *flight)
{
  const int limit = ts_bilateral_row_limit(flight->sim->model);
  return ts_arena_bytes(flight->arena, (size_t)limit, sizeof(ts_bilateral_row));
}

// Of all bodies, moving bases included.
static double rate_of_row(const ts_sim *sim, const ts_bilateral_row *row)
{
  const ts_joint *joint = &sim->model->joints[row->source];
  const ts_sides sides = ts_sides_of(sim->model, joint->parent, joint->child);
  return ts_row_rate(&row->row, sim->state.velocity) + ts_row_drift(&row->row, &sides, sim->state.velocity);
}

// How fast the rates of the rows change at constant rates of the tree: d/dt (G^T v) without G^T v'. Leaves the bodies
// elsewhere.
static void loop_bias(const ts_flight *flight, double t, const double *q, const double *v, int count, double *bias)
{
  ts_sim *sim = flight->sim;
  double *moved = ts_arena_doubles(flight->arena, (size_t)flight->q_count);
  double *rate[4];
  ts_bilateral_row *rows = allocate_rows(flight);
  for (int i = 0; i < 4; ++i) {
    rate[i] = ts_arena_doubles(flight->arena, (size_t)count);
    memcpy(moved, q, (size_t)flight->q_count * sizeof *moved);
    ts_tree_advance(sim->tree, OFFSETS[i] * DIFFERENCE, v, moved);
    show(flight, t + OFFSETS[i] * DIFFERENCE, moved, v);
    loop_rows(flight, rows);
    for (int k = 0; k < count; ++k) rate[i][k] = rate_of_row(sim, &rows[k]);
  }
  for (int k = 0; k < count; ++k) bias[k] = difference(rate[0][k], rate[1][k], rate[2][k], rate[3][k]);
}

// Derivatives of the rates with the loops held: the projection of body accelerations as velocities are projected.
static void hold_loops(const ts_flight *flight, double t, const double *q, const double *v, double *acceleration)
{
  ts_sim *sim = flight->sim;
  ts_bilateral_row *rows = allocate_rows(flight);
  const int count = loop_rows(flight, rows);
  if (count == 0) return;
  const size_t bodies = (size_t)sim->model->body_count;
  double *bias = ts_arena_doubles(flight->arena, (size_t)count),
         *force = ts_arena_doubles(flight->arena, (size_t)count);
  loop_bias(flight, t, q, v, count, bias);
  show(flight, t, q, v);
  ts_tree_factor(sim->tree, NULL, NULL);
  for (int k = 0; k < count; ++k) rows[k].bias = bias[k];
  ts_articulation articulation;
  ts_articulation_factor(sim->model, &sim->kinematics, sim->tree, sim->state.on_tree, rows, count, flight->arena,
                         &articulation);
  ts_twist *change = ts_arena_bytes(flight->arena, bodies, sizeof *change);
  memset(change, 0, bodies * sizeof *change);
  ts_tree_twists(sim->tree, acceleration, change, change); // G^T v', as twists; bases at rest
  ts_articulation_project(&articulation, change, force, flight->arena);
  ts_tree_rates(sim->tree, change, acceleration);
}

// ---- motion --------------------------------------------------------------------------------------------------------

// q' by its definition: what ts_tree_advance() does in a short time. Rates are q' but for quaternions, q' = q (0, w)/2.
static void coordinate_rates(const ts_flight *flight, const double *y, double *rate)
{
  const ts_tree *tree = flight->sim->tree;
  const double *v = y + flight->q_count;
  for (int i = 0; i < ts_tree_sizes(tree).nodes; ++i) {
    const ts_tree_node *node = ts_tree_node_at(tree, i);
    const double *q = y + node->q, *w = v + node->v;
    double *to = rate + node->q;
    int at = 0;
    if (node->q_count > node->v_count) {
      to[0] = -0.5 * (q[1] * w[0] + q[2] * w[1] + q[3] * w[2]);
      to[1] = 0.5 * (q[0] * w[0] + q[2] * w[2] - q[3] * w[1]);
      to[2] = 0.5 * (q[0] * w[1] + q[3] * w[0] - q[1] * w[2]);
      to[3] = 0.5 * (q[0] * w[2] + q[1] * w[1] - q[2] * w[0]);
      at = 3;
    }
    for (int k = at; k < node->v_count; ++k) to[k + node->q_count - node->v_count] = w[k];
  }
}

static void normalize_quaternions(const ts_flight *flight, double *q)
{
  const ts_tree *tree = flight->sim->tree;
  for (int i = 0; i < ts_tree_sizes(tree).nodes; ++i) {
    const ts_tree_node *node = ts_tree_node_at(tree, i);
    if (node->q_count == node->v_count) continue;
    double *x = q + node->q;
    const double scale = 1.0 / sqrt(x[0] * x[0] + x[1] * x[1] + x[2] * x[2] + x[3] * x[3]);
    for (int k = 0; k < 4; ++k) x[k] *= scale;
  }
}

// Damping and dry friction of joints as they slip.
static void push_by_friction(const ts_flight *flight)
{
  ts_sim *sim = flight->sim;
  for (int j = 0; j < sim->model->joint_count; ++j) {
    const ts_joint *joint = &sim->model->joints[j];
    if (joint->damping == 0.0 && joint->friction == 0.0) continue;
    double rate;
    ts_joint_position(sim->model, &sim->state, &sim->kinematics, j, &rate);
    const double force = -joint->damping * rate - joint->friction * flight->slip[j];
    ts_push_along_joint(sim->model, &sim->kinematics, j, force, sim->applied);
  }
}

void ts_flight_take_slips(ts_flight *flight)
{
  const ts_sim *sim = flight->sim;
  for (int j = 0; j < sim->model->joint_count; ++j) {
    double rate;
    ts_joint_position(sim->model, &sim->state, &sim->kinematics, j, &rate);
    flight->slip[j] = sim->model->joints[j].friction > 0.0 ? (rate > 0.0) - (rate < 0.0) : 0;
  }
}

// The right-hand side. Quaternions may have any length here: of the point that is worked with it is made 1.
static bool flight_rate(void *user, double t, const double *y, double *rate)
{
  ts_flight *flight = user;
  ts_sim *sim = flight->sim;
  const ts_arena_mark mark = ts_arena_save(flight->arena);
  double *q = ts_arena_doubles(flight->arena, (size_t)flight->q_count), *acceleration = rate + flight->q_count;
  const double *v = y + flight->q_count;
  memcpy(q, y, (size_t)flight->q_count * sizeof *q);
  normalize_quaternions(flight, q);
  show(flight, t, q, v);
  const bool factored = ts_tree_factor(sim->tree, NULL, NULL);
  if (factored) {
    const double time = sim->state.time;
    sim->state.time = t; // forces are functions of it
    ts_applied_wrenches(sim->model, &sim->state, &sim->kinematics, sim->pushes, sim->applied);
    sim->state.time = time;
    push_by_friction(flight);
    accelerate_bases(flight, t);
    ts_tree_accelerate(sim->tree, sim->applied, NULL, sim->model->motion_count > 0 ? sim->base_acceleration : NULL,
                       acceleration);
    if (ts_tree_sizes(sim->tree).closures > 0) hold_loops(flight, t, q, v, acceleration);
    coordinate_rates(flight, y, rate);
  }
  ts_arena_restore(flight->arena, mark);
  return factored;
}

void ts_flight_begin(ts_flight *flight, ts_sim *sim, ts_arena *arena)
{
  const struct ts_tree_sizes sizes = ts_tree_sizes(sim->tree);
  *flight = (ts_flight){.sim = sim, .arena = arena, .q_count = sizes.q, .v_count = sizes.v};
  const size_t size = (size_t)(sizes.q + sizes.v);
  flight->y = ts_arena_doubles(arena, size);
  flight->slip = ts_arena_ints(arena, (size_t)sim->model->joint_count);
  ts_flight_take_slips(flight);
  memcpy(flight->y, sim->state.q, size * sizeof *flight->y); // rates lie behind
  ts_ode_init(&flight->ode, size, flight_rate, flight, RELATIVE, ABSOLUTE, arena);
}

static void first_stage(ts_flight *flight)
{
  flight->ode.rate(flight, flight->sim->state.time, flight->y, flight->ode.stage[0]);
}

double ts_flight_step(ts_flight *flight, double end)
{
  first_stage(flight);
  return ts_ode_step(&flight->ode, flight->sim->state.time, flight->y, end);
}

bool ts_flight_try(ts_flight *flight, double h)
{
  return isfinite(ts_ode_attempt(&flight->ode, flight->sim->state.time, flight->y, h));
}

static void show_point(ts_flight *flight, double time, double *y)
{
  normalize_quaternions(flight, y);
  show(flight, time, y, rates_of(flight, y));
}

void ts_flight_show_trial(ts_flight *flight, double time)
{
  show_point(flight, time, flight->ode.trial);
}

void ts_flight_show(ts_flight *flight, double time)
{
  show_point(flight, time, flight->y);
}

// One step of Newton's method closes loops that round-off and the integrator's error have opened: velocities of bodies
// that take the errors back in 1 s, then the rates that open them further are taken away.
static void close_loops(ts_flight *flight)
{
  ts_sim *sim = flight->sim;
  const ts_arena_mark mark = ts_arena_save(flight->arena);
  const size_t bodies = (size_t)sim->model->body_count;
  ts_bilateral_row *rows = allocate_rows(flight);
  ts_twist *twists = ts_arena_bytes(flight->arena, bodies, sizeof *twists);
  double *v = ts_arena_doubles(flight->arena, (size_t)flight->v_count);
  for (int pass = 0; pass < 2; ++pass) { // errors of place, then of rates
    const int count = loop_rows(flight, rows);
    if (count == 0) break;
    double *impulse = ts_arena_doubles(flight->arena, (size_t)count);
    ts_tree_factor(sim->tree, NULL, NULL);
    if (pass == 1)
      for (int k = 0; k < count; ++k) rows[k].bias = 0.0;
    ts_articulation articulation;
    ts_articulation_factor(sim->model, &sim->kinematics, sim->tree, sim->state.on_tree, rows, count, flight->arena,
                           &articulation);
    memcpy(twists, sim->state.velocity, bodies * sizeof *twists);
    if (pass == 0)
      for (size_t b = 0; b < bodies; ++b) twists[b] = (ts_twist){0};
    ts_articulation_project(&articulation, twists, impulse, flight->arena);
    if (pass == 0) {
      ts_tree_rates(sim->tree, twists, v);
      ts_tree_advance(sim->tree, 1.0, v, flight->y);
    } else {
      ts_tree_rates(sim->tree, twists, rates_of(flight, flight->y));
    }
    ts_flight_show(flight, sim->state.time);
  }
  ts_arena_restore(flight->arena, mark);
}

static void store(ts_flight *flight)
{
  memcpy(flight->sim->state.q, flight->y, flight->ode.size * sizeof *flight->y); // rates lie behind
}

void ts_flight_accept(ts_flight *flight, double time)
{
  flight->sim->state.time = time;
  memcpy(flight->y, flight->ode.trial, flight->ode.size * sizeof *flight->y);
  ts_flight_show(flight, time);
  if (ts_tree_sizes(flight->sim->tree).closures > 0) close_loops(flight);
  store(flight);
}

void ts_flight_take_velocity(ts_flight *flight)
{
  ts_sim *sim = flight->sim;
  ts_tree_rates(sim->tree, sim->state.velocity, sim->state.rates);
  memcpy(flight->y, sim->state.q, flight->ode.size * sizeof *flight->y);
  flight->ode.step = 0.0; // what was smooth is no longer
}
