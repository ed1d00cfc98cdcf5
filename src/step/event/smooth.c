#include "step/event/smooth.h"

#include "step/event/blind_step.h"
#include "step/event/put_right.h"

#include "step/bases.h"
#include "step/joint_loads.h"
#include "step/solve.h"
#include "step/works.h"

#include "dynamics/joint_frames.h"
#include "dynamics/loops.h"
#include "math/finite.h"

#include <math.h>
#include <string.h>

// Local error of a step. Impacts are to be located to 1e-12 s.
static const double FREE_TOLERANCE = 1e-13;

// The same of constrained motion: about ten times what round-off makes of the last differences of an extrapolation.
static const double CONSTRAINED_TOLERANCE = 1e-11;

// The shortest step that is tried before one that is taken whatever its error [s].
static const double SHORTEST_STEP = 1e-12;

// Problems of a step that an evaluation of free motion is worth.
static const double EVALUATION = 0.1;

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

// Damping and dry friction of joints as they slip (joint_count). Returns their power.
static double push_by_friction(const ts_smooth *smooth, double *rubbed)
{
  double power = 0.0;
  ts_sim *sim = smooth->sim;
  for (int j = 0; j < sim->model->joint_count; ++j) {
    const ts_joint *joint = &sim->model->joints[j];
    rubbed[j] = 0.0;
    if (joint->damping == 0.0 && joint->friction == 0.0) continue;
    double rate;
    ts_joint_position(sim->model, &sim->state, &sim->kinematics, j, &rate);
    const double force = -joint->damping * rate - joint->friction * smooth->slip[j];
    ts_push_along_joint(sim->model, &sim->kinematics, j, force, sim->mechanics.applied);
    rubbed[j] = force;
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
  const double passed = smooth->advancement.start_time - smooth->work_time;
  return smooth->work > smooth->work_limit + smooth->work_rate * fmax(0.0, passed);
}

// Of a point on the way of a trial.
static void note_point(ts_smooth *smooth, const ts_extrapolation *x, double t)
{
  if (x->row == 0) return;
  if (x->row == 1) ts_advancement_forget(&smooth->advancement); // it has one point
  ts_advancement_note(&smooth->advancement, smooth->sim, t);
}

// Works of free motion, behind coordinates and rates: damping, drives, forces. Loads of joints are behind them.
enum { TS_FLIGHT_WORKS = 3 };

static bool has_works(const ts_sim *sim)
{
  bool damped = false;
  for (int j = 0; j < sim->model->joint_count; ++j)
    damped = damped || sim->model->joints[j].damping > 0.0 || sim->model->joints[j].friction > 0.0;
  return damped || sim->pushed || sim->base_of || ts_forces_are_possible(sim->model);
}

static size_t flight_works(const ts_smooth *smooth)
{
  return smooth->works ? TS_FLIGHT_WORKS : 0;
}

static void report_flight(ts_smooth *smooth, const double *works)
{
  ts_step_report *report = &smooth->sim->report;
  ts_loads_add(smooth->sim, works + flight_works(smooth));
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
  ts_free_motion motion = {.time = t, .acceleration = acceleration};
  if (factored) {
    const double time = sim->state.time;
    sim->state.time = t; // forces are functions of it
    ts_applied_wrenches(sim->model, &sim->state, &sim->kinematics, sim->pushes, sim->mechanics.applied);
    double *works = acceleration + smooth->v_count;
    if (smooth->works) take_powers(smooth, works);
    sim->state.time = time;
    double *rubbed = ts_arena_doubles(smooth->arena, (size_t)sim->model->joint_count);
    const double rubbing = push_by_friction(smooth, rubbed);
    if (smooth->works) works[0] += rubbing;
    ts_motion_accelerations(sim->model, t, sim->mechanics.base_acceleration);
    ts_tree_accelerate(sim->mechanics.tree, sim->mechanics.applied, NULL,
                       sim->model->motion_count > 0 ? sim->mechanics.base_acceleration : NULL, acceleration);
    ts_loops_hold(sim->mechanics.tree, sim->model, &sim->state, &sim->kinematics, sim->mechanics.base_acceleration,
                  acceleration, sim->loads ? &motion.loops : NULL, smooth->arena);
    coordinate_rates(smooth, y, rate);
    motion.rubbed = rubbed;
    if (sim->loads) ts_loads_of_motion(sim, &motion, works + flight_works(smooth), smooth->arena);
    if (sim->base_of) works[1] += power_of_bases(smooth, t, acceleration);
  }
  ts_arena_restore(smooth->arena, mark);
  return factored;
}

// ---- constrained motion --------------------------------------------------------------------------------------------

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

// Works are in the sums, and overlaps of substeps are not those of the motion.
static void report_solves_alone(ts_sim *sim, const ts_step_report *before)
{
  sim->report.penetration = before->penetration;
  sim->report.joint_error = before->joint_error;
#define TS_FORGET_WORK(work) sim->report.work = before->work;
  TS_WORK_LIST(TS_FORGET_WORK)
#undef TS_FORGET_WORK
}

// Steps of first order for the extrapolation.
static bool take_substeps(void *user, double t, const double *y, double h, int substeps, double *end)
{
  ts_smooth *smooth = user;
  ts_sim *sim = smooth->sim;
  const size_t state = state_size(smooth), sums = ts_active_set_sums(&smooth->active);
  const double start = sim->state.time, substep = h / substeps;
  if (substeps == 1) ts_forget_attempt(sim, &smooth->before);
  memset(end + state, 0, sums * sizeof *end);
  take_point(smooth, t, y);
  ts_active_set_take_start(&smooth->active);
  bool goes_on = !ts_smooth_is_spent(smooth);
  for (int k = 0; k < substeps && goes_on; ++k) {
    double until;
    ++smooth->work;
    goes_on =
        ts_active_set_substep(&smooth->active, sim, substep, end + state, &until, smooth->arena) || smooth->is_blind;
    note_point(smooth, &smooth->extrapolation, t + (k + 1) * substep);
    if (!goes_on && k + until > 0.0) smooth->extrapolation.hint = (1.0 - 1e-3) * (k * substep + until);
  }
  memcpy(end, sim->state.q, (size_t)smooth->q_count * sizeof *end);
  memcpy(end + smooth->q_count, sim->state.rates, (size_t)smooth->v_count * sizeof *end);
  report_solves_alone(sim, &smooth->before);
  sim->state.time = start;
  return goes_on && ts_all_finite(end, state + sums);
}

// Room for the numbers of constrained motion, which are more where more is active.
static void reserve(ts_smooth *smooth)
{
  ts_active_set_reserve(&smooth->active, smooth->sim, smooth->arena);
  const size_t state = state_size(smooth), size = state + ts_active_set_sums(&smooth->active);
  if (size <= smooth->capacity) {
    smooth->extrapolation.size = size;
    return;
  }
  smooth->capacity = size + 4 * TS_ACTIVE_IMPULSES;
  double *y = ts_arena_zeros(smooth->arena, smooth->capacity);
  memcpy(y, smooth->y, state * sizeof *y);
  smooth->y = y;
  const double step = smooth->extrapolation.step;
  ts_extrapolation_init(&smooth->extrapolation, smooth->capacity, state, 1, take_substeps, smooth,
                        CONSTRAINED_TOLERANCE, smooth->arena);
  smooth->extrapolation.size = size;
  smooth->extrapolation.shortest = SHORTEST_STEP;
  smooth->extrapolation.step = step;
}

void ts_smooth_constrain(ts_smooth *smooth)
{
  smooth->is_constrained = true;
  reserve(smooth);
}

void ts_smooth_set_free(ts_smooth *smooth)
{
  ts_active_set_clear(&smooth->active);
  smooth->is_constrained = smooth->driven;
  if (smooth->driven) reserve(smooth);
}

// ---- both ----------------------------------------------------------------------------------------------------------

// Springs, bushings and drives that are rows of a step: their forces depend on its length.
static bool has_rows_of_a_step(const ts_model *model)
{
  for (int s = 0; s < model->spring_count; ++s)
    if (model->springs[s].implicit) return true;
  for (int j = 0; j < model->joint_count; ++j)
    if (model->joints[j].motor.kind == TS_MOTOR_VELOCITY || model->joints[j].motor.kind == TS_MOTOR_SERVO) return true;
  return model->bushing_count > 0;
}

void ts_smooth_begin(ts_smooth *smooth, ts_sim *sim, ts_arena *arena)
{
  const struct ts_tree_sizes sizes = ts_tree_sizes(sim->mechanics.tree);
  *smooth = (ts_smooth){.sim = sim,
                        .arena = arena,
                        .q_count = sizes.q,
                        .v_count = sizes.v,
                        .blind = TS_BLIND_STEP,
                        .work_limit = INFINITY};
  const size_t size = state_size(smooth);
  smooth->works = has_works(sim);
  smooth->y = ts_arena_zeros(arena, size + TS_FLIGHT_WORKS + ts_loads_size(sim));
  smooth->slip = ts_arena_ints(arena, (size_t)sim->model->joint_count);
  ts_smooth_take_slips(smooth);
  memcpy(smooth->y, sim->state.q, size * sizeof *smooth->y); // rates lie behind
  ts_ode_init(&smooth->ode, size + flight_works(smooth) + ts_loads_size(sim), free_rate, smooth, FREE_TOLERANCE, arena);
  smooth->ode.extrapolation.controlled -= ts_loads_size(sim); // they follow the motion
  ts_active_set_init(&smooth->active, sim, arena);
  ts_advancement_init(&smooth->advancement, sim, arena);
  smooth->driven = has_rows_of_a_step(sim->model);
  smooth->extrapolation.step = sim->numbers[TS_EVENT_CONSTRAINED_STEP];
  ts_smooth_set_free(smooth);
}

// Forces that begin to jump in the last substep of the step are seen at its end only.
static double step_constrained(ts_smooth *smooth, double end)
{
  ts_sim *sim = smooth->sim;
  ts_extrapolation *x = &smooth->extrapolation;
  const double time = sim->state.time;
  smooth->is_blind = false;
  take_point(smooth, time, smooth->y);
  smooth->work += 1.0;
  ts_active_set_see_modes(&smooth->active, sim, end - time, smooth->arena);
  sim->state.time = time;
  for (;;) {
    const double h = ts_extrapolation_step(x, time, smooth->y, end);
    if (h == 0.0) return ts_smooth_step_blindly(smooth, end);
    smooth->work += 1.0; // of the look beyond the end
    take_point(smooth, time + h, x->trial);
    const bool jumps = time + h + TS_ACTIVE_PROBE >= smooth->next_break; // there forces change anyway
    const bool goes_on = jumps || ts_active_set_goes_on(&smooth->active, sim, smooth->arena);
    sim->state.time = time;
    report_solves_alone(sim, &smooth->before);
    smooth->rows = x->taken;
    if (goes_on) {
      smooth->blind = TS_BLIND_STEP;
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
  ts_advancement_start(&smooth->advancement, smooth->sim, time);
  if (smooth->is_constrained) return step_constrained(smooth, end);
  return ts_ode_step(&smooth->ode, time, smooth->y, end);
}

static ts_extrapolation *extrapolation_of(ts_smooth *smooth)
{
  return smooth->is_constrained ? &smooth->extrapolation : &smooth->ode.extrapolation;
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
  if (smooth->is_constrained) return isfinite(ts_extrapolation_attempt(x, time, smooth->y, h, smooth->rows));
  return ts_ode_attempt(&smooth->ode, time, smooth->y, h);
}

double ts_smooth_clear(ts_smooth *smooth, double h)
{
  ts_smooth_show_trial(smooth, smooth->sim->state.time + h);
  return ts_advancement_clear(&smooth->advancement, smooth->sim, &smooth->active, h, smooth->arena);
}

static void show_point(ts_smooth *smooth, double time, double *y)
{
  normalize_quaternions(smooth, y);
  show(smooth, time, y, ts_smooth_rates_of(smooth, y));
}

void ts_smooth_show_trial(ts_smooth *smooth, double time)
{
  show_point(smooth, time, extrapolation_of(smooth)->trial);
}

void ts_smooth_show(ts_smooth *smooth, double time)
{
  show_point(smooth, time, smooth->y);
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
  ts_smooth_close_again(smooth, extrapolation_of(smooth)->trial + state_size(smooth));
  store(smooth);
  if (smooth->is_constrained)
    ts_active_set_report(&smooth->active, smooth->sim,
                         &(ts_active_course){smooth->extrapolation.trial + state_size(smooth),
                                             smooth->extrapolation.end + state_size(smooth), smooth->rows},
                         smooth->arena);
  else
    report_flight(smooth, extrapolation_of(smooth)->trial + state_size(smooth));
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
  if (sim->model->motion_count > 0) ts_smooth_keep_twists(smooth, earlier);
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
