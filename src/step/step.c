// What the steppers share: joints, free velocities, the problem of a step, and what is reported after it.
#include "step/step.h"

#include "step/joint_loads.h"
#include "step/repair.h"
#include "step/settle.h"
#include "step/solve.h"
#include "step/supports.h"
#include "step/surfaces.h"
#include "step/works.h"

#include "contact/law.h"
#include "dynamics/row_check.h"
#include "dynamics/tree_momentum.h"

#include <string.h>

void ts_place_kinematic_bodies(ts_sim *sim, double time)
{
  if (sim->model->motion_count == 0) return;
  ts_state_follow_motions(sim->model, time, &sim->state);
  ts_kinematics_update(sim->model, &sim->state, &sim->kinematics);
}

static double largest_joint_error(const ts_bilateral_row *rows, int count)
{
  double largest = 0.0;
  for (int k = 0; k < count; ++k) largest = fmax(largest, fabs(rows[k].error));
  return largest;
}

static int without_soft_rows(ts_bilateral_row *rows, int count)
{
  int kept = 0;
  for (int k = 0; k < count; ++k)
    if (rows[k].softness == 0.0) rows[kept++] = rows[k];
  return kept;
}

static void ask_for_rates(ts_step *step)
{
  for (int k = 0; k < step->mobility.count; ++k) {
    ts_bilateral_row *row = &step->mobility.rows[k];
    if (row->of_joint) row->bias += row->drift - row->error / step->h;
  }
}

// Errors of joints are those that whole steps leave, h^2/2 of what turns. Taken back within a substep they would
// ask for velocities as many times as high: each substep takes back its share.
static void take_back_slowly(ts_step *step)
{
  for (int k = 0; k < step->mobility.count; ++k) {
    ts_bilateral_row *row = &step->mobility.rows[k];
    if (row->of_joint && row->drift == 0.0) row->bias = row->error / step->sim->options.size;
  }
}

// What the way of a base in the step adds to a soft row: springs and servos pull with the place of the end of the step,
// dampers do not. The row has the weight d + h k, and the softness 1/(h weight).
static double soft_way(const ts_step *step, double softness, double damping, double drift)
{
  return softness > 0.0 ? (1.0 - step->h * damping * softness) * drift : 0.0;
}

// Where bases stand as they do at the start of the step, errors and springs know nothing of the way that they are about
// to make.
static void follow_bases(ts_step *step)
{
  const ts_joint *joints = step->sim->model->joints;
  for (int k = 0; k < step->mobility.count; ++k) {
    ts_bilateral_row *row = &step->mobility.rows[k];
    const double damping = row->drives ? joints[row->source].motor.damping : row->damping;
    row->bias += row->of_joint ? row->drift : soft_way(step, row->softness, damping, row->drift);
  }
  for (int k = 0; k < step->bounded_count; ++k) {
    ts_bounded_row *row = &step->bounded[k];
    if (row->feature == TS_DRIVE && row->lower < 0.0)
      row->bias += soft_way(step, row->softness, joints[row->joint].motor.damping, row->drift);
  }
}

// Forces that act for longer than the step: what is soft and what is bounded gives way to them as before.
static void act_for_longer(ts_step *step, double factor)
{
  for (int k = 0; k < step->mobility.count; ++k) step->mobility.rows[k].softness /= factor;
  for (int k = 0; k < step->bounded_count; ++k) {
    step->bounded[k].softness /= factor;
    step->bounded[k].lower *= factor;
    step->bounded[k].upper *= factor;
  }
}

static void write_rows(ts_step *step)
{
  const ts_sim *sim = step->sim;
  const ts_model *model = sim->model;
  step->mobility.rows = ts_arena_bytes(step->arena, (size_t)ts_bilateral_row_limit(model), sizeof *step->mobility.rows);
  step->bounded = ts_arena_bytes(step->arena, (size_t)ts_bounded_row_limit(model), sizeof *step->bounded);
  step->mobility.count = ts_bilateral_rows(model, &sim->state, &sim->kinematics, step->h, sim->mechanics.is_coordinate,
                                           step->mobility.rows);
  step->mobility.count += ts_gear_rows(model, &sim->state, &sim->kinematics, step->h,
                                       step->mobility.rows + step->mobility.count, step->arena);
  if (step->impulsive) step->mobility.count = without_soft_rows(step->mobility.rows, step->mobility.count);
  if (step->at_velocity_level)
    ask_for_rates(step);
  else if (step->h < sim->options.size)
    take_back_slowly(step);
  step->bounded_count = ts_bounded_rows(model, &sim->state, &sim->kinematics, step->h, step->bounded);
  if (!step->at_velocity_level && !step->gaps_at_end && sim->model->motion_count > 0) follow_bases(step);
  if (!step->impulsive) // an impact leaves no time to friction of a known load
    step->bounded_count += ts_support_rows(model, &sim->state, &sim->kinematics, sim->support_loads, step->h,
                                           step->bounded + step->bounded_count);
  if (step->force_time > 0.0) act_for_longer(step, step->force_time / step->h);
  step->mobility.impulse = ts_arena_zeros(step->arena, (size_t)step->mobility.count);
}

bool ts_step_joints(ts_step *step)
{
  ts_sim *sim = step->sim;
  step->mobility.count = 0;
  step->bounded_count = 0;
  if (sim->rows_possible) write_rows(step);
  sim->report.joint_error =
      fmax(sim->report.joint_error, largest_joint_error(step->mobility.rows, step->mobility.count));
  step->mobility.mechanics = &sim->mechanics;
  step->mobility.h = step->h;
  step->mobility.theta = step->theta;
  step->mobility.at_velocity_level = step->at_velocity_level;
  step->mobility.impulsive = step->impulsive;
  step->mobility.arena = step->arena;
  return ts_mobility_factor(&step->mobility);
}

static const ts_wrench *pushes_of(const ts_sim *sim)
{
  return sim->pushed ? sim->pushes : NULL;
}

bool ts_step_flies(const ts_step *step)
{
  return ts_mobility_can_fly(&step->mobility) && step->contacts.count == 0 && step->bounded_count == 0;
}

void ts_step_fly(ts_step *step)
{
  ts_sim *sim = step->sim;
  ts_mobility_fly(&step->mobility, pushes_of(sim), sim->free_velocity);
}

void ts_step_free_velocity(ts_step *step)
{
  ts_sim *sim = step->sim;
  const bool touched = sim->remembered.count > 0; // at the end of the last step
  const bool resisted = step->bounded_count > 0 || step->system.count > 0 || touched;
  ts_mobility_free_velocity(&step->mobility, pushes_of(sim), resisted, sim->free_velocity);
}

void ts_step_find_contacts(ts_step *step, const ts_twist *velocity)
{
  ts_sim *sim = step->sim;
  const ts_course course = {.kinematics = &sim->kinematics,
                            .velocity = velocity,
                            .h = step->h,
                            .margin = sim->options.margin,
                            .heading = step->gaps_at_end ? sim->old_velocity : NULL, // `velocity` has forces in it
                            .arrived = step->gaps_at_end,
                            .alternatives = sim->options.corners != TS_CORNERS_NEAREST};
  if (step->gaps_at_end) ts_step_find_chords(step);
  if (!ts_find_contacts_on(&sim->finder, &course, step->arena, &step->contacts)) longjmp(*step->arena->recovery, 1);
}

// Impulses of the last step that may be kept are measured through the bodies. Laws of restitution solve a problem again
// and again, in memory that they give back.
static bool may_do_without_W(const ts_step *step)
{
  const ts_sim *sim = step->sim;
  const unsigned all = (1u << step->system.dimension) - 1u;
  if (!sim->options.warm_start || sim->remembered.count == 0) return false;
  if (step->system.mobility || step->bounded_count > 0 || sim->options.impacts != TS_IMPACT_INELASTIC) return false;
  for (int i = 0; i < step->system.count; ++i)
    if (step->system.blocks[i].active != all) return false;
  return true;
}

void ts_step_complete(ts_step *step)
{
  ts_system_complete(&step->system, step->bounded, step->bounded_count, step->arena);
}

void ts_step_assemble(ts_step *step)
{
  ts_step_describe(step);
  ts_step_complete(step);
}

void ts_step_describe(ts_step *step)
{
  const ts_sim *sim = step->sim;
  ts_system_describe(sim->model, &sim->kinematics, &step->contacts, step->bounded, step->bounded_count,
                     ts_mobility_couples(&step->mobility) ? &step->mobility : NULL, sim->team, step->arena,
                     &step->system);
  const bool may_rest = ts_resting_velocity_error(step) > 0.0;
  if (!may_rest || !may_do_without_W(step)) ts_step_complete(step);
  const size_t rows = (size_t)step->system.count * (size_t)step->system.dimension;
  step->surface = ts_arena_zeros(step->arena, 3 * rows + (size_t)step->system.count);
  step->bias = step->surface + rows;
  step->r = step->bias + rows;
  step->jam = step->r + rows;
  step->guess = may_rest ? ts_arena_doubles(step->arena, rows) : NULL;
  if (sim->model->motion_count > 0) ts_step_surfaces(step);
}

double ts_step_restitution(const ts_step *step, int i)
{
  const int k = i - step->contacts.count;
  return k < 0 ? step->contacts.contacts[i].restitution : step->bounded[k].restitution;
}

void ts_step_bounded_bias(ts_step *step, bool limit_gaps)
{
  const int d = step->system.dimension;
  for (int k = 0; k < step->bounded_count; ++k) {
    const ts_bounded_row *row = &step->bounded[k];
    const int i = step->contacts.count + k;
    double *bias = step->bias + (size_t)i * (size_t)d;
    if (row->lower >= 0.0) {
      bias[0] = limit_gaps ? ts_step_gap_speed(step, i) : row->drift;
    } else {
      bias[0] = -ts_system_diagonal(&step->system, i, 0) * row->upper;
      bias[1] = row->bias;
    }
    if (row->support) memcpy(bias + 1, step->surface + (size_t)i * (size_t)d + 1, (size_t)(d - 1) * sizeof *bias);
  }
}

double ts_slip_threshold(const ts_step *step, int i)
{
  const double *q = step->system.q + (size_t)i * (size_t)step->system.dimension;
  double size = 0.0;
  for (int r = 0; r < step->system.dimension; ++r)
    if (fabs(q[r]) > size) size = fabs(q[r]);
  return 10.0 * step->sim->options.tolerance * size + 1e-14;
}

// Impulses and end velocities of the contacts, from the blocks of the step. Returns how many stick.
static int report_contacts(ts_step *step, const double *u)
{
  int sticking = 0;
  const int d = step->system.dimension;
  ts_step_report *report = &step->sim->report;
  const double share = ts_law_cone_share(&step->sim->options, step->sim->model);
  const ts_twist *velocity = step->sim->state.velocity;
  report->contacts = step->contacts.count;
  for (int i = 0; i < step->contacts.count; ++i) {
    ts_contact *contact = &step->contacts.contacts[i];
    const size_t first = (size_t)i * (size_t)d;
    const double *p = step->r + first, *own = u + first, *surface = step->surface + first;
    for (int r = 0; r < TS_MAX_DIMENSION; ++r) { // a constant number of turns is unrolled
      contact->impulse[r] = r < d ? p[r] : 0.0;
      contact->velocity[r] = r < d ? own[r] + surface[r] : 0.0;
    }
    contact->mode = ts_law_mode(contact, step->contacts.laws[i], share, ts_slip_threshold(step, i), velocity);
    sticking += contact->mode == TS_STICK || contact->mode == TS_ROLL;
    contact->jam = step->jam[i];
    const double beyond = ts_contact_cone_violation(contact, step->contacts.laws[i]);
    if (beyond > report->cone_violation) report->cone_violation = beyond;
    if (-contact->gap > report->penetration && !ts_contact_is_alternative(&step->contacts, i))
      report->penetration = -contact->gap;
  }
  return sticking;
}

// Rows that contradict each other are obeyed in part at best, whatever their factor makes of them.
static void report_rows(const ts_step *step)
{
  static const double OBEYED = 1e-6;
  ts_sim *sim = step->sim;
  ts_step_report *report = &sim->report;
  const ts_solved_rows solved = {.model = sim->model,
                                 .kinematics = &sim->kinematics,
                                 .rows = step->mobility.rows,
                                 .depends = step->mobility.depends,
                                 .count = step->mobility.count,
                                 .h = step->h};
  const double left = ts_bilateral_rows_residual(step->mobility.rows, step->mobility.count, sim->state.velocity,
                                                 step->mobility.impulse);
  const double defiance =
      ts_rows_defiance(&solved, sim->old_velocity, sim->state.velocity, step->mobility.impulse, left);
  report->joint_residual = fmax(report->joint_residual, left);
  if (defiance <= OBEYED) return;
  report->certified = false;
  report->residual = fmax(report->residual, defiance);
}

// The kinetic energy that the step has reached where it began. That of free trees does not change on the way: what
// velocity products do there is in it (dynamics/tree_momentum.h).
static void report_kick(const ts_step *step)
{
  ts_sim *sim = step->sim;
  const bool keeps = sim->mechanics.tree && ts_tree_floats(sim->mechanics.tree);
  sim->kicked = keeps ? NAN : ts_kinetic_energy(sim->model, &sim->kinematics, sim->state.velocity);
}

void ts_step_finish(ts_step *step)
{
  ts_sim *sim = step->sim;
  if (ts_step_flies(step)) {
    sim->contacts = step->contacts;
    sim->remembered = (ts_warm_start){0};
    sim->kicked = NAN;
    ts_step_add_works(step, NULL);
    if (sim->loads) ts_step_add_loads(step);
    return;
  }
  const ts_arena_mark mark = ts_arena_save(step->arena);
  const size_t rows = (size_t)step->system.count * (size_t)step->system.dimension;
  double *u = ts_arena_doubles(step->arena, 2 * rows); // before and after
  if (rows > 0) ts_system_velocity(&step->system, step->turned ? step->turned : step->from, u + rows);
  ts_system_velocity(&step->system, sim->state.velocity, u);
  const int sticking = report_contacts(step, u);
  ts_step_add_works(step, u);
  if (sim->loads) ts_step_add_loads(step);
  const bool supported = sim->model->support_count > 0;
  if (supported) ts_supports_settle(step, u);
  const ts_contact_set reported = supported ? ts_step_with_supports(step, u) : step->contacts;
  if (!supported) ts_arena_restore(step->arena, mark);
  const bool definite = step->sprung && step->system.dimension < 4; // springs tell who bears what
  if (sticking > 1 && !definite && !ts_step_is_unique(step)) sim->report.impulses_unique = false;
  if (supported && !ts_supports_are_unique(&reported)) sim->report.impulses_unique = false;
  if (step->mobility.count > 0) report_rows(step);
  report_kick(step);
  sim->contacts = reported;
  const bool alone = step->settled || step->balanced; // a mean with others would be another choice, or not hold
  const ts_warm_start nothing = {0}, *old = alone ? &nothing : &sim->remembered;
  sim->remembered = ts_remember(old, &step->system, &step->contacts, step->bounded,
                                step->balanced ? step->guess : step->r, step->h, step->arena);
  sim->remembered.futile = step->futile;
}

void ts_step_new_velocity(ts_step *step)
{
  ts_mobility_take_velocity(&step->mobility, step->strikes ? NULL : &step->sim->report.damping_work);
}

// Bodies that others may touch, those of their own tree aside.
static const bool *touched_bodies(const ts_step *step)
{
  const ts_sim *sim = step->sim;
  const ts_tree *tree = sim->mechanics.tree;
  if (step->contacts.count == 0 || !tree || !ts_tree_floats(tree)) return NULL;
  const size_t bodies = (size_t)sim->model->body_count;
  bool *touched = ts_arena_bytes(step->arena, bodies, sizeof *touched);
  memset(touched, 0, bodies * sizeof *touched);
  for (int i = 0; i < step->contacts.count; ++i) {
    const ts_contact *contact = &step->contacts.contacts[i];
    if (ts_tree_floats_with(tree, contact->body_1, contact->body_2)) continue;
    touched[contact->body_1] = touched[contact->body_2] = true;
  }
  return touched;
}

void ts_step_advance(ts_step *step)
{
  ts_sim *sim = step->sim;
  step->mobility.touched = touched_bodies(step);
  const bool kept =
      ts_mobility_advance(&step->mobility, ts_step_flies(step), sim->old_velocity, &sim->report.damping_work);
  sim->report.certified = sim->report.certified && kept;
  sim->theta = step->theta;
  sim->state.time += step->h;
}
