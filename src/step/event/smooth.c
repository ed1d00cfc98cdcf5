
#include "step/event/smooth.h"

#include "step/bases.h"
#include "step/solve.h"
#include "step/works.h"

#include "dynamics/joint_frames.h"
#include "dynamics/loops.h"
#include "math/finite.h"

#include <math.h>
#include <string.h>

// Local error of a step. Impacts are to be located to 1e-12 s.
static const double FREE_TOLERANCE = 1e-13;

// The same of held motion: about ten times what round-off makes of the last differences of an extrapolation.
static const double HELD_TOLERANCE = 1e-11;

// A step that is taken whatever its error, the first and the longest of some in a row; and the shortest step that is
// tried before [s].
static const double BLIND_STEP = 1e-7, LONGEST_BLIND_STEP = 1e-5, SHORTEST_STEP = 1e-12;

// Problems of a step that an evaluation of free motion is worth.
static const double EVALUATION = 0.1;

static double *rates_of(const ts_smooth *smooth, double *y)
{
  return y + smooth->q_count;
}

// Bodies to where q and v have them at time t.
static void show(const ts_smooth *smooth, double t, const double *q, const double *v)
{
  ts_sim *sim = smooth->sim;
  if (sim->model->motion_count > 0) {
    ts_state_follow_motions(sim->model, t, &sim->state);
    ts_kinematics_update(sim->model, &sim->state, &sim->kinematics);
  }
  ts_tree_update(sim->mechanics.tree, q, v, &sim->state, &sim->kinematics);
  ts_mechanics_count_turns(&sim->mechanics, q);
}

// ---- loops ---------------------------------------------------------------------------------------------------------

// Rows of the joints that close loops, with everything in place. Their biases become their errors: they are written for
// a step of 1 s.
static int loop_rows(const ts_smooth *smooth, ts_bilateral_row *rows)
{
  const ts_sim *sim = smooth->sim;
  const int count =
      ts_bilateral_rows(sim->model, &sim->state, &sim->kinematics, 1.0, sim->mechanics.is_coordinate, rows);
  int kept = 0;
  for (int k = 0; k < count; ++k)
    if (rows[k].of_joint) rows[kept++] = rows[k];
  return kept;
}

// ---- motion --------------------------------------------------------------------------------------------------------

// q' by its definition: what ts_tree_advance() does in a short time. Rates are q' but for quaternions, q' = q (0, w)/2.
static void coordinate_rates(const ts_smooth *smooth, const double *y, double *rate)
{
  const ts_tree *tree = smooth->sim->mechanics.tree;
  const double *v = y + smooth->q_count;
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

static void normalize_quaternions(const ts_smooth *smooth, double *q)
{
  const ts_tree *tree = smooth->sim->mechanics.tree;
  for (int i = 0; i < ts_tree_sizes(tree).nodes; ++i) {
    const ts_tree_node *node = ts_tree_node_at(tree, i);
    if (node->q_count == node->v_count) continue;
    double *x = q + node->q;
    const double scale = 1.0 / sqrt(x[0] * x[0] + x[1] * x[1] + x[2] * x[2] + x[3] * x[3]);
    for (int k = 0; k < 4; ++k) x[k] *= scale;
  }
}

// Damping and dry friction of joints as they slip. Returns their power.
static double push_by_friction(const ts_smooth *smooth)
{
  double power = 0.0;
  ts_sim *sim = smooth->sim;
  for (int j = 0; j < sim->model->joint_count; ++j) {
    const ts_joint *joint = &sim->model->joints[j];
    if (joint->damping == 0.0 && joint->friction == 0.0) continue;
    double rate;
    ts_joint_position(sim->model, &sim->state, &sim->kinematics, j, &rate);
    const double force = -joint->damping * rate - joint->friction * smooth->slip[j];
    ts_push_along_joint(sim->model, &sim->kinematics, j, force, sim->mechanics.applied);
    power += force * rate;
  }
  return power;
}

void ts_smooth_take_slips(ts_smooth *smooth)
{
  const ts_sim *sim = smooth->sim;
  for (int j = 0; j < sim->model->joint_count; ++j) {
    double rate;
    ts_joint_position(sim->model, &sim->state, &sim->kinematics, j, &rate);
    smooth->slip[j] = sim->model->joints[j].friction > 0.0 ? (rate > 0.0) - (rate < 0.0) : 0;
  }
}

bool ts_smooth_is_spent(const ts_smooth *smooth)
{
  const double passed = smooth->sweep.start_time - smooth->work_time;
  return smooth->work > smooth->work_limit + smooth->work_rate * fmax(0.0, passed);
}

// Of a point on the way of a trial.
static void note_point(ts_smooth *smooth, const ts_extrapolation *x, double t)
{
  if (x->row == 0) return;
  if (x->row == 1) ts_sweep_forget(&smooth->sweep); // it has one point
  ts_sweep_note(&smooth->sweep, smooth->sim, t);
}

// Works of free motion, behind coordinates and rates: damping, drives, forces.
enum { TS_FLIGHT_WORKS = 3 };

static bool has_works(const ts_sim *sim)
{
  bool damped = false;
  for (int j = 0; j < sim->model->joint_count; ++j)
    damped = damped || sim->model->joints[j].damping > 0.0 || sim->model->joints[j].friction > 0.0;
  return damped || sim->pushed || sim->base_of || ts_forces_are_possible(sim->model);
}

static void report_flight(ts_smooth *smooth, const double *works)
{
  ts_step_report *report = &smooth->sim->report;
  if (!smooth->works) return;
  report->damping_work += works[0];
  report->drive_work += works[1];
  report->applied_work += works[2];
}

// Powers at the present state, without those of joints and bases.
static void take_powers(const ts_smooth *smooth, double *works)
{
  const ts_sim *sim = smooth->sim;
  const ts_force_powers powers =
      ts_powers_of_forces(sim->model, &sim->state, &sim->kinematics, sim->pushes, sim->state.velocity);
  works[0] = powers.damping;
  works[1] = powers.drive;
  works[2] = powers.applied;
}

static double power_of_bases(const ts_smooth *smooth, double t, const double *acceleration)
{
  ts_sim *sim = smooth->sim;
  const size_t bodies = (size_t)sim->model->body_count;
  ts_twist *change = ts_arena_bytes(smooth->arena, bodies, sizeof *change);
  ts_tree_body_accelerations(sim->mechanics.tree, sim->mechanics.base_acceleration, acceleration, change);
  const double time = sim->state.time;
  sim->state.time = t;
  ts_applied_wrenches(sim->model, &sim->state, &sim->kinematics, sim->pushes,
                      sim->mechanics.applied); // without friction
  sim->state.time = time;
  return ts_bases_power(sim, change, sim->mechanics.applied);
}

// The right-hand side. Quaternions may have any length here: of the point that is worked with it is made 1.
static bool free_rate(void *user, double t, const double *y, double *rate)
{
  ts_smooth *smooth = user;
  ts_sim *sim = smooth->sim;
  smooth->work += EVALUATION;
  ts_sim_heed(sim);
  if (ts_smooth_is_spent(smooth)) return false;
  const ts_arena_mark mark = ts_arena_save(smooth->arena);
  double *q = ts_arena_doubles(smooth->arena, (size_t)smooth->q_count), *acceleration = rate + smooth->q_count;
  const double *v = y + smooth->q_count;
  memcpy(q, y, (size_t)smooth->q_count * sizeof *q);
  normalize_quaternions(smooth, q);
  show(smooth, t, q, v);
  note_point(smooth, &smooth->ode.extrapolation, t);
  const bool factored = ts_tree_factor(sim->mechanics.tree, NULL, NULL);
  if (factored) {
    const double time = sim->state.time;
    sim->state.time = t; // forces are functions of it
    ts_applied_wrenches(sim->model, &sim->state, &sim->kinematics, sim->pushes, sim->mechanics.applied);
    double *works = acceleration + smooth->v_count;
    if (smooth->works) take_powers(smooth, works);
    sim->state.time = time;
    const double rubbed = push_by_friction(smooth);
    if (smooth->works) works[0] += rubbed;
    ts_motion_accelerations(sim->model, t, sim->mechanics.base_acceleration);
    ts_tree_accelerate(sim->mechanics.tree, sim->mechanics.applied, NULL,
                       sim->model->motion_count > 0 ? sim->mechanics.base_acceleration : NULL, acceleration);
    ts_loops_hold(sim->mechanics.tree, sim->model, &sim->state, &sim->kinematics, sim->mechanics.base_acceleration,
                  acceleration, smooth->arena);
    coordinate_rates(smooth, y, rate);
    if (sim->base_of) works[1] += power_of_bases(smooth, t, acceleration);
  }
  ts_arena_restore(smooth->arena, mark);
  return factored;
}

// ---- held motion ---------------------------------------------------------------------------------------------------

// The simulation as y has it at t.
static void take_point(ts_smooth *smooth, double t, const double *y)
{
  ts_sim *sim = smooth->sim;
  memcpy(sim->state.q, y, (size_t)smooth->q_count * sizeof *y);
  memcpy(sim->state.rates, y + smooth->q_count, (size_t)smooth->v_count * sizeof *y);
  normalize_quaternions(smooth, sim->state.q);
  sim->state.time = t;
  ts_place_kinematic_bodies(sim, t);
  ts_mechanics_follow(&sim->mechanics);
}

static size_t state_size(const ts_smooth *smooth)
{
  return (size_t)(smooth->q_count + smooth->v_count);
}

// Works are in the sums, and overlaps of parts are not those of the motion.
static void report_solves_alone(ts_sim *sim, const ts_step_report *before)
{
  sim->report.penetration = before->penetration;
  sim->report.joint_error = before->joint_error;
#define TS_FORGET_WORK(work) sim->report.work = before->work;
  TS_WORK_LIST(TS_FORGET_WORK)
#undef TS_FORGET_WORK
}

// Steps of first order for the extrapolation.
static bool take_parts(void *user, double t, const double *y, double h, int parts, double *end)
{
  ts_smooth *smooth = user;
  ts_sim *sim = smooth->sim;
  const size_t state = state_size(smooth), sums = ts_held_sums(&smooth->held);
  const double start = sim->state.time, part = h / parts;
  if (parts == 1) ts_forget_attempt(sim, &smooth->before);
  memset(end + state, 0, sums * sizeof *end);
  take_point(smooth, t, y);
  ts_held_take_start(&smooth->held);
  bool goes_on = !ts_smooth_is_spent(smooth);
  for (int k = 0; k < parts && goes_on; ++k) {
    double until;
    ++smooth->work;
    goes_on = ts_held_part(&smooth->held, sim, part, end + state, &until, smooth->arena) || smooth->is_blind;
    note_point(smooth, &smooth->extrapolation, t + (k + 1) * part);
    if (!goes_on && k + until > 0.0) smooth->extrapolation.hint = (1.0 - 1e-3) * (k * part + until);
  }
  memcpy(end, sim->state.q, (size_t)smooth->q_count * sizeof *end);
  memcpy(end + smooth->q_count, sim->state.rates, (size_t)smooth->v_count * sizeof *end);
  report_solves_alone(sim, &smooth->before);
  sim->state.time = start;
  return goes_on && ts_all_finite(end, state + sums);
}

// Room for the numbers of held motion, which are more where more is held.
static void reserve(ts_smooth *smooth)
{
  ts_held_reserve(&smooth->held, smooth->sim, smooth->arena);
  const size_t state = state_size(smooth), size = state + ts_held_sums(&smooth->held);
  if (size <= smooth->capacity) {
    smooth->extrapolation.size = size;
    return;
  }
  smooth->capacity = size + 4 * TS_HELD_IMPULSES;
  double *y = ts_arena_zeros(smooth->arena, smooth->capacity);
  memcpy(y, smooth->y, state * sizeof *y);
  smooth->y = y;
  const double step = smooth->extrapolation.step;
  ts_extrapolation_init(&smooth->extrapolation, smooth->capacity, state, 1, take_parts, smooth, HELD_TOLERANCE,
                        smooth->arena);
  smooth->extrapolation.size = size;
  smooth->extrapolation.shortest = SHORTEST_STEP;
  smooth->extrapolation.step = step;
}

void ts_smooth_hold(ts_smooth *smooth)
{
  smooth->is_held = true;
  reserve(smooth);
}

void ts_smooth_let_go(ts_smooth *smooth)
{
  ts_held_clear(&smooth->held);
  smooth->is_held = smooth->driven;
  if (smooth->driven) reserve(smooth);
}

// ---- both ----------------------------------------------------------------------------------------------------------

// Springs and drives that are rows of a step: their forces depend on its length.
static bool has_rows_of_a_step(const ts_model *model)
{
  for (int s = 0; s < model->spring_count; ++s)
    if (model->springs[s].implicit) return true;
  for (int j = 0; j < model->joint_count; ++j)
    if (model->joints[j].motor.kind == TS_MOTOR_VELOCITY || model->joints[j].motor.kind == TS_MOTOR_SERVO) return true;
  return false;
}

void ts_smooth_begin(ts_smooth *smooth, ts_sim *sim, ts_arena *arena)
{
  const struct ts_tree_sizes sizes = ts_tree_sizes(sim->mechanics.tree);
  *smooth = (ts_smooth){
      .sim = sim, .arena = arena, .q_count = sizes.q, .v_count = sizes.v, .blind = BLIND_STEP, .work_limit = INFINITY};
  const size_t size = state_size(smooth);
  smooth->works = has_works(sim);
  smooth->y = ts_arena_zeros(arena, size + TS_FLIGHT_WORKS);
  smooth->slip = ts_arena_ints(arena, (size_t)sim->model->joint_count);
  ts_smooth_take_slips(smooth);
  memcpy(smooth->y, sim->state.q, size * sizeof *smooth->y); // rates lie behind
  ts_ode_init(&smooth->ode, size + (smooth->works ? TS_FLIGHT_WORKS : 0), free_rate, smooth, FREE_TOLERANCE, arena);
  ts_held_init(&smooth->held, sim, arena);
  ts_sweep_init(&smooth->sweep, sim, arena);
  smooth->driven = has_rows_of_a_step(sim->model);
  smooth->extrapolation.step = sim->numbers[TS_EVENT_HELD_STEP];
  ts_smooth_let_go(smooth);
}

// Where forces jump at once, whatever the step, it is taken with eyes shut, and short; where they go on to do so, twice
// as long each time.
static double step_blindly(ts_smooth *smooth, double end)
{
  ts_sim *sim = smooth->sim;
  const double time = sim->state.time, h = fmin(smooth->blind, end - time);
  if (ts_smooth_is_spent(smooth)) return 0.0;
  smooth->is_blind = true;
  const double error = ts_extrapolation_attempt(&smooth->extrapolation, time, smooth->y, h, 2);
  smooth->extrapolation.step = h;
  smooth->blind = fmin(2.0 * smooth->blind, LONGEST_BLIND_STEP);
  smooth->rows = 2;
  ++sim->report.fallbacks;
  return isfinite(error) ? h : 0.0;
}

// Forces that begin to jump in the last part of the step are seen at its end only.
static double step_held(ts_smooth *smooth, double end)
{
  ts_sim *sim = smooth->sim;
  ts_extrapolation *x = &smooth->extrapolation;
  const double time = sim->state.time;
  smooth->is_blind = false;
  take_point(smooth, time, smooth->y);
  smooth->work += 1.0;
  ts_held_see_modes(&smooth->held, sim, end - time, smooth->arena);
  sim->state.time = time;
  for (;;) {
    const double h = ts_extrapolation_step(x, time, smooth->y, end);
    if (h == 0.0) return step_blindly(smooth, end);
    smooth->work += 1.0; // of the look beyond the end
    take_point(smooth, time + h, x->trial);
    const bool jumps = time + h + TS_HELD_PROBE >= smooth->next_break; // there forces change anyway
    const bool goes_on = jumps || ts_held_goes_on(&smooth->held, sim, smooth->arena);
    sim->state.time = time;
    report_solves_alone(sim, &smooth->before);
    smooth->rows = x->taken;
    if (goes_on) {
      smooth->blind = BLIND_STEP;
      return h;
    }
    x->step = 0.5 * h;
  }
}

double ts_smooth_target(ts_smooth *smooth, double end)
{
  const ts_sim *sim = smooth->sim;
  smooth->next_break = ts_model_next_break(sim->model, sim->state.time);
  return smooth->next_break <= end ? nextafter(smooth->next_break, -INFINITY) : end;
}

double ts_smooth_step(ts_smooth *smooth, double end)
{
  const double time = smooth->sim->state.time;
  smooth->before = smooth->sim->report;
  ts_smooth_show(smooth, time);
  ts_sweep_start(&smooth->sweep, smooth->sim, time);
  if (smooth->is_held) return step_held(smooth, end);
  return ts_ode_step(&smooth->ode, time, smooth->y, end);
}

static ts_extrapolation *extrapolation_of(ts_smooth *smooth)
{
  return smooth->is_held ? &smooth->extrapolation : &smooth->ode.extrapolation;
}

void ts_smooth_shorten(ts_smooth *smooth, double h)
{
  ts_extrapolation *x = extrapolation_of(smooth);
  x->step = fmin(x->step, h);
}

bool ts_smooth_try(ts_smooth *smooth, double h)
{
  const double time = smooth->sim->state.time;
  ts_extrapolation *x = &smooth->extrapolation;
  if (smooth->is_held) return isfinite(ts_extrapolation_attempt(x, time, smooth->y, h, smooth->rows));
  return ts_ode_attempt(&smooth->ode, time, smooth->y, h);
}

double ts_smooth_clear(ts_smooth *smooth, double h)
{
  ts_smooth_show_trial(smooth, smooth->sim->state.time + h);
  return ts_sweep_clear(&smooth->sweep, smooth->sim, &smooth->held, h, smooth->arena);
}

static void show_point(ts_smooth *smooth, double time, double *y)
{
  normalize_quaternions(smooth, y);
  show(smooth, time, y, rates_of(smooth, y));
}

void ts_smooth_show_trial(ts_smooth *smooth, double time)
{
  show_point(smooth, time, extrapolation_of(smooth)->trial);
}

void ts_smooth_show(ts_smooth *smooth, double time)
{
  show_point(smooth, time, smooth->y);
}

// ---- putting right -------------------------------------------------------------------------------------------------

// A row of a contact along a direction of its frame: the speed of body_1 over body_2.
static ts_bilateral_row contact_row(const ts_sim *sim, const ts_contact *contact, ts_vec3 along, int source)
{
  const ts_model *model = sim->model;
  const int body[2] = {contact->body_2, contact->body_1};
  const ts_vec3 arm[2] = {contact->arm_2, contact->arm_1};
  ts_bilateral_row row = {.source = source};
  for (int side = 0; side < 2; ++side) {
    const ts_vec3 pull = side == 1 ? along : ts_negate(along);
    row.row.body[side] = model->bodies[body[side]].kind == TS_DYNAMIC ? body[side] : -1;
    row.row.jacobian[side] = (ts_twist){.linear = pull, .angular = ts_cross(arm[side], pull)};
    if (model->bodies[body[side]].kind == TS_KINEMATIC)
      row.bias += ts_twist_dot(row.row.jacobian[side], sim->state.velocity[body[side]]);
  }
  return row;
}

typedef enum pass { PLACES, RATES } pass;

// Rows of contacts that push: of places their normals, of rates also the tangents of those that stick. Bodies that have
// overlapped from the start stay as they are, and what has opened by more than errors do is not pulled.
static int held_contact_rows(const ts_smooth *smooth, pass what, ts_bilateral_row *rows)
{
  ts_sim *sim = smooth->sim;
  const int sources = sim->model->joint_count + sim->model->spring_count;
  ts_contact_set set;
  if (smooth->held.contact_count == 0) return 0;
  if (!ts_find_contacts(&sim->finder, &sim->kinematics, sim->state.velocity, TS_HELD_REACH, sim->options.margin,
                        smooth->arena, &set))
    longjmp(*smooth->arena->recovery, 1);
  int count = 0, *match = ts_arena_ints(smooth->arena, (size_t)set.count);
  ts_held_match(&smooth->held, sim, &set, match);
  for (int i = 0; i < set.count; ++i) {
    const int k = match[i];
    const ts_contact *contact = &set.contacts[i];
    if (k < 0 || !smooth->held.contacts[k].now.pushes || ts_held_is_open(contact)) continue;
    rows[count] = contact_row(sim, contact, contact->normal, sources + i);
    if (what == PLACES) rows[count].bias = contact->gap - fmin(0.0, smooth->held.contacts[k].gap);
    ++count;
    if (what == PLACES || !smooth->held.contacts[k].now.sticks) continue;
    rows[count++] = contact_row(sim, contact, contact->tangent, sources + i);
    if (sim->model->space == TS_SPACE_3D) rows[count++] = contact_row(sim, contact, contact->other, sources + i);
  }
  return count;
}

static int held_stop_rows(const ts_smooth *smooth, pass what, ts_bilateral_row *rows)
{
  const ts_sim *sim = smooth->sim;
  if (smooth->held.row_count == 0) return 0;
  ts_bounded_row *bounded = ts_arena_bytes(smooth->arena, (size_t)ts_bounded_row_limit(sim->model), sizeof *bounded);
  const int all = ts_bounded_rows(sim->model, &sim->state, &sim->kinematics, TS_HELD_REACH, bounded);
  int count = 0;
  for (int k = 0; k < all; ++k) {
    const ts_held_row *held = ts_held_find_row(&smooth->held, &bounded[k]);
    if (held && bounded[k].lower >= 0.0 && held->now.pushes)
      rows[count++] = (ts_bilateral_row){.row = bounded[k].row,
                                         .bias = what == PLACES ? bounded[k].gap : bounded[k].drift,
                                         .source = bounded[k].joint};
  }
  return count;
}

// Errors of loops are reported.
static int rows_to_close(const ts_smooth *smooth, pass what, ts_bilateral_row *rows)
{
  ts_sim *sim = smooth->sim;
  int count = ts_tree_sizes(sim->mechanics.tree).closures > 0 ? loop_rows(smooth, rows) : 0;
  for (int k = 0; k < count; ++k) {
    if (what == PLACES) sim->report.joint_error = fmax(sim->report.joint_error, fabs(rows[k].bias));
    if (what == RATES) rows[k].bias = rows[k].drift;
  }
  if (!smooth->is_held) return count;
  count += held_stop_rows(smooth, what, rows + count);
  return count + held_contact_rows(smooth, what, rows + count);
}

// One step of Newton's method closes what round-off and the integrator's error have opened: velocities of bodies that
// take the errors back in 1 s; then the rates that would open it further are taken away.
static void close_again(ts_smooth *smooth)
{
  ts_sim *sim = smooth->sim;
  const ts_arena_mark mark = ts_arena_save(smooth->arena);
  const size_t bodies = (size_t)sim->model->body_count;
  const size_t limit = (size_t)(ts_bilateral_row_limit(sim->model) + ts_bounded_row_limit(sim->model)) +
                       3 * (size_t)smooth->held.contact_count;
  ts_bilateral_row *rows = ts_arena_bytes(smooth->arena, limit, sizeof *rows);
  ts_twist *twists = ts_arena_bytes(smooth->arena, bodies, sizeof *twists);
  double *v = ts_arena_doubles(smooth->arena, (size_t)smooth->v_count);
  for (pass what = PLACES; what <= RATES; ++what) {
    const int count = rows_to_close(smooth, what, rows);
    if (count == 0) break;
    double *impulse = ts_arena_doubles(smooth->arena, (size_t)count);
    ts_tree_factor(sim->mechanics.tree, NULL, NULL);
    ts_articulation articulation;
    ts_articulation_factor(sim->model, &sim->kinematics, sim->mechanics.tree, sim->state.on_tree, rows, count,
                           smooth->arena, &articulation);
    memcpy(twists, sim->state.velocity, bodies * sizeof *twists);
    if (what == PLACES) memset(twists, 0, bodies * sizeof *twists);
    ts_articulation_project(&articulation, twists, impulse, smooth->arena);
    if (what == PLACES) {
      ts_tree_rates(sim->mechanics.tree, twists, v);
      ts_tree_advance(sim->mechanics.tree, 1.0, v, smooth->y);
    } else {
      ts_tree_rates(sim->mechanics.tree, twists, rates_of(smooth, smooth->y));
    }
    ts_smooth_show(smooth, sim->state.time);
  }
  ts_arena_restore(smooth->arena, mark);
}

// What was smooth is no longer: steps are to be found again.
static void start_anew(ts_smooth *smooth)
{
  smooth->ode.extrapolation.step = smooth->extrapolation.step = 0.0;
}

static void store(ts_smooth *smooth)
{
  memcpy(smooth->sim->state.q, smooth->y, state_size(smooth) * sizeof *smooth->y); // rates lie behind
}

void ts_smooth_accept(ts_smooth *smooth, double time)
{
  smooth->sim->state.time = time;
  memcpy(smooth->y, extrapolation_of(smooth)->trial, state_size(smooth) * sizeof *smooth->y);
  ts_smooth_show(smooth, time);
  close_again(smooth);
  store(smooth);
  if (smooth->is_held)
    ts_held_report(&smooth->held, smooth->sim, smooth->extrapolation.trial + state_size(smooth),
                   smooth->extrapolation.end + state_size(smooth), smooth->arena);
  else
    report_flight(smooth, extrapolation_of(smooth)->trial + state_size(smooth));
}

// ---- jumps of given motions ----------------------------------------------------------------------------------------

// Momenta that bodies lack to go on with the twists they had.
static bool lost_momenta(const ts_smooth *smooth, const ts_twist *earlier, ts_wrench *momentum)
{
  const ts_sim *sim = smooth->sim;
  bool lost = false;
  for (int b = 0; b < sim->model->body_count; ++b) {
    const ts_body *body = &sim->model->bodies[b];
    momentum[b] = (ts_wrench){0};
    if (body->kind == TS_KINEMATIC) lost = lost || memcmp(&earlier[b], &sim->state.velocity[b], sizeof *earlier) != 0;
    if (body->kind != TS_DYNAMIC) continue;
    const ts_twist change = ts_twist_add_scaled(earlier[b], -1.0, sim->state.velocity[b]);
    const ts_mat3 inertia = ts_mat3_rotate(&sim->kinematics.frame[b].axes, &body->inertia);
    momentum[b].force = ts_scale(body->mass, change.linear);
    momentum[b].moment = ts_mul(&inertia, change.angular);
  }
  return lost;
}

// Bodies on a base whose velocity has jumped keep theirs as far as joints let them: of all rates those whose twists are
// nearest, measured by the masses. That is the impact by which the base drags them along.
static void keep_twists(ts_smooth *smooth, const ts_twist *earlier)
{
  ts_sim *sim = smooth->sim;
  const size_t bodies = (size_t)sim->model->body_count;
  ts_wrench *momentum = ts_arena_bytes(smooth->arena, bodies, sizeof *momentum);
  if (lost_momenta(smooth, earlier, momentum)) {
    ts_bilateral_row *rows = ts_arena_bytes(smooth->arena, (size_t)ts_bilateral_row_limit(sim->model), sizeof *rows);
    const int count = ts_tree_sizes(sim->mechanics.tree).closures > 0 ? loop_rows(smooth, rows) : 0;
    for (int k = 0; k < count; ++k) rows[k].bias = rows[k].drift;
    double *impulse = ts_arena_zeros(smooth->arena, (size_t)count);
    ts_tree_factor(sim->mechanics.tree, NULL, NULL);
    ts_articulation articulation;
    ts_articulation_factor(sim->model, &sim->kinematics, sim->mechanics.tree, sim->state.on_tree, rows, count,
                           smooth->arena, &articulation);
    ts_articulation_push(&articulation, momentum, sim->state.velocity, impulse, smooth->arena);
    ts_articulation_project(&articulation, sim->state.velocity, impulse, smooth->arena);
    ts_tree_rates(sim->mechanics.tree, sim->state.velocity, rates_of(smooth, smooth->y));
    ts_smooth_show(smooth, sim->state.time);
  }
}

void ts_smooth_hop(ts_smooth *smooth, double time)
{
  ts_sim *sim = smooth->sim;
  const size_t bodies = (size_t)sim->model->body_count;
  const ts_arena_mark mark = ts_arena_save(smooth->arena);
  ts_twist *earlier = ts_arena_bytes(smooth->arena, bodies, sizeof *earlier);
  memcpy(earlier, sim->state.velocity, bodies * sizeof *earlier);
  sim->state.time = time;
  const double kinetic = ts_kinetic_energy(sim->model, &sim->kinematics, earlier);
  ts_smooth_show(smooth, time);
  if (sim->model->motion_count > 0) keep_twists(smooth, earlier);
  sim->report.drive_work += ts_kinetic_energy(sim->model, &sim->kinematics, sim->state.velocity) - kinetic;
  ts_arena_restore(smooth->arena, mark);
  store(smooth);
  start_anew(smooth);
}

void ts_smooth_give_up(ts_smooth *smooth)
{
  store(smooth);
  ts_smooth_show(smooth, smooth->sim->state.time);
  ts_forget_attempt(smooth->sim, &smooth->before);
}

void ts_smooth_take_velocity(ts_smooth *smooth)
{
  ts_sim *sim = smooth->sim;
  ts_tree_rates(sim->mechanics.tree, sim->state.velocity, sim->state.rates);
  memcpy(smooth->y, sim->state.q, state_size(smooth) * sizeof *smooth->y);
  start_anew(smooth);
}
