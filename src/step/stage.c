// What the steppers share: joints, free velocities, the problem of a step, and what is reported after it.
#include "step/stage.h"

#include "step/repair.h"
#include "step/settle.h"
#include "step/works.h"

#include "contact/law.h"
#include "dynamics/row_check.h"

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

static void ask_for_rates(ts_stage *stage)
{
  for (int k = 0; k < stage->mobility.count; ++k) {
    ts_bilateral_row *row = &stage->mobility.rows[k];
    if (row->of_joint) row->bias += row->drift - row->error / stage->h;
  }
}

// Errors of joints are those that whole steps leave, h^2/2 of what turns. Taken back within a part of a step they would
// ask for velocities as many times as high: each part takes back its share.
static void take_back_slowly(ts_stage *stage)
{
  for (int k = 0; k < stage->mobility.count; ++k) {
    ts_bilateral_row *row = &stage->mobility.rows[k];
    if (row->of_joint && row->drift == 0.0) row->bias = row->error / stage->sim->options.size;
  }
}

// Where bases stand as they do at the start of the step, errors know nothing of the way that they are about to make.
static void follow_bases(ts_stage *stage)
{
  for (int k = 0; k < stage->mobility.count; ++k)
    if (stage->mobility.rows[k].of_joint) stage->mobility.rows[k].bias += stage->mobility.rows[k].drift;
}

static void write_rows(ts_stage *stage)
{
  const ts_sim *sim = stage->sim;
  const ts_model *model = sim->model;
  stage->mobility.rows =
      ts_arena_bytes(stage->arena, (size_t)ts_bilateral_row_limit(model), sizeof *stage->mobility.rows);
  stage->bounded = ts_arena_bytes(stage->arena, (size_t)ts_bounded_row_limit(model), sizeof *stage->bounded);
  stage->mobility.count = ts_bilateral_rows(model, &sim->state, &sim->kinematics, stage->h,
                                            sim->mechanics.is_coordinate, stage->mobility.rows);
  if (stage->sudden) stage->mobility.count = without_soft_rows(stage->mobility.rows, stage->mobility.count);
  if (stage->at_velocity_level)
    ask_for_rates(stage);
  else if (stage->h < sim->options.size)
    take_back_slowly(stage);
  if (!stage->at_velocity_level && !stage->gaps_at_end && sim->model->motion_count > 0) follow_bases(stage);
  stage->bounded_count = ts_bounded_rows(model, &sim->state, &sim->kinematics, stage->h, stage->bounded);
  stage->mobility.impulse = ts_arena_zeros(stage->arena, (size_t)stage->mobility.count);
}

bool ts_stage_joints(ts_stage *stage)
{
  ts_sim *sim = stage->sim;
  stage->mobility.count = 0;
  stage->bounded_count = 0;
  if (sim->rows_possible) write_rows(stage);
  sim->report.joint_error =
      fmax(sim->report.joint_error, largest_joint_error(stage->mobility.rows, stage->mobility.count));
  stage->mobility.mechanics = &sim->mechanics;
  stage->mobility.h = stage->h;
  stage->mobility.theta = stage->theta;
  stage->mobility.at_velocity_level = stage->at_velocity_level;
  stage->mobility.sudden = stage->sudden;
  stage->mobility.arena = stage->arena;
  return ts_mobility_factor(&stage->mobility);
}

static const ts_wrench *pushes_of(const ts_sim *sim)
{
  return sim->pushed ? sim->pushes : NULL;
}

bool ts_stage_flies(const ts_stage *stage)
{
  return ts_mobility_can_fly(&stage->mobility) && stage->contacts.count == 0 && stage->bounded_count == 0;
}

void ts_stage_fly(ts_stage *stage)
{
  ts_sim *sim = stage->sim;
  ts_mobility_fly(&stage->mobility, pushes_of(sim), sim->free_velocity);
}

void ts_stage_free_velocity(ts_stage *stage)
{
  ts_sim *sim = stage->sim;
  const bool resisted = stage->bounded_count > 0 || stage->system.count > 0;
  ts_mobility_free_velocity(&stage->mobility, pushes_of(sim), resisted, sim->free_velocity);
}

void ts_stage_find_contacts(ts_stage *stage, const ts_twist *velocity)
{
  ts_sim *sim = stage->sim;
  const ts_course course = {.kinematics = &sim->kinematics,
                            .velocity = velocity,
                            .h = stage->h,
                            .margin = sim->options.margin,
                            .heading = stage->gaps_at_end ? sim->old_velocity : NULL, // `velocity` has forces in it
                            .arrived = stage->gaps_at_end};
  if (!ts_find_contacts_on(&sim->finder, &course, stage->arena, &stage->contacts)) longjmp(*stage->arena->recovery, 1);
}

// What the moving surface of a kinematic body adds to the relative velocity of a contact, row by row.
static void surface_velocity(const ts_stage *stage, int i, double *surface)
{
  const ts_sim *sim = stage->sim;
  const ts_contact *contact = &stage->contacts.contacts[i];
  const int body = contact->body_2, d = stage->system.dimension;
  const ts_twist twist = sim->state.velocity[body];
  const ts_vec3 v = ts_twist_at(twist, contact->arm_2);
  surface[0] = -ts_dot(contact->normal, v);
  surface[1] = -ts_dot(contact->tangent, v);
  if (d > 2) surface[2] = -ts_dot(contact->other, v);
  if (d > 3 && (stage->system.blocks[i].active & 8u)) surface[3] = -ts_dot(contact->normal, twist.angular);
}

void ts_stage_assemble(ts_stage *stage)
{
  const ts_sim *sim = stage->sim;
  ts_system_assemble(sim->model, &sim->kinematics, &stage->contacts, stage->bounded, stage->bounded_count,
                     ts_mobility_couples(&stage->mobility) ? &stage->mobility : NULL, stage->arena, &stage->system);
  const size_t rows = (size_t)stage->system.count * (size_t)stage->system.dimension;
  stage->surface = ts_arena_zeros(stage->arena, 3 * rows + (size_t)stage->system.count);
  stage->bias = stage->surface + rows;
  stage->r = stage->bias + rows;
  stage->jam = stage->r + rows;
  if (sim->model->motion_count == 0) return;
  for (int k = 0; k < stage->bounded_count; ++k)
    if (stage->bounded[k].lower >= 0.0) // a motor's first row is its held normal, which does not move
      stage->surface[(size_t)(stage->contacts.count + k) * (size_t)stage->system.dimension] = stage->bounded[k].drift;
  for (int i = 0; i < stage->contacts.count; ++i)
    if (sim->model->bodies[stage->contacts.contacts[i].body_2].kind == TS_KINEMATIC)
      surface_velocity(stage, i, stage->surface + (size_t)i * (size_t)stage->system.dimension);
}

double ts_stage_restitution(const ts_stage *stage, int i)
{
  const int k = i - stage->contacts.count;
  return k < 0 ? stage->contacts.contacts[i].restitution : stage->bounded[k].restitution;
}

void ts_stage_bounded_bias(ts_stage *stage, bool limit_gaps)
{
  const int d = stage->system.dimension;
  for (int k = 0; k < stage->bounded_count; ++k) {
    const ts_bounded_row *row = &stage->bounded[k];
    const int i = stage->contacts.count + k;
    double *bias = stage->bias + (size_t)i * (size_t)d;
    if (row->lower >= 0.0) {
      bias[0] = limit_gaps ? ts_stage_gap_speed(stage, i) : row->drift;
    } else {
      bias[0] = -ts_system_diagonal(&stage->system, i, 0) * row->upper;
      bias[1] = row->bias;
    }
  }
}

double ts_slip_threshold(const ts_stage *stage, int i)
{
  const double *q = stage->system.q + (size_t)i * (size_t)stage->system.dimension;
  double size = 0.0;
  for (int r = 0; r < stage->system.dimension; ++r)
    if (fabs(q[r]) > size) size = fabs(q[r]);
  return 10.0 * stage->sim->options.tolerance * size + 1e-14;
}

// Impulses and end velocities of the contacts, from the blocks of the stage. Returns how many stick.
static int report_contacts(ts_stage *stage, const double *u)
{
  int sticking = 0;
  const int d = stage->system.dimension;
  ts_step_report *report = &stage->sim->report;
  const double share = ts_law_cone_share(&stage->sim->options, stage->sim->model);
  const ts_twist *velocity = stage->sim->state.velocity;
  report->contacts = stage->contacts.count;
  for (int i = 0; i < stage->contacts.count; ++i) {
    ts_contact *contact = &stage->contacts.contacts[i];
    const size_t first = (size_t)i * (size_t)d;
    const double *p = stage->r + first, *own = u + first, *surface = stage->surface + first;
    for (int r = 0; r < TS_MAX_DIMENSION; ++r) { // a constant number of turns is unrolled
      contact->impulse[r] = r < d ? p[r] : 0.0;
      contact->velocity[r] = r < d ? own[r] + surface[r] : 0.0;
    }
    contact->mode = ts_law_status(contact, stage->contacts.laws[i], share, ts_slip_threshold(stage, i), velocity);
    sticking += contact->mode == TS_STICK || contact->mode == TS_ROLL;
    contact->jam = stage->jam[i];
    const double beyond = ts_contact_cone_violation(contact, stage->contacts.laws[i]);
    if (beyond > report->cone_violation) report->cone_violation = beyond;
    if (-contact->gap > report->penetration) report->penetration = -contact->gap;
  }
  return sticking;
}

// Rows that contradict each other are obeyed in part at best, whatever their factor makes of them.
static void report_rows(const ts_stage *stage)
{
  static const double OBEYED = 1e-6;
  ts_sim *sim = stage->sim;
  ts_step_report *report = &sim->report;
  const ts_solved_rows solved = {.model = sim->model,
                                 .kinematics = &sim->kinematics,
                                 .rows = stage->mobility.rows,
                                 .depends = stage->mobility.depends,
                                 .count = stage->mobility.count,
                                 .h = stage->h};
  const double left = ts_bilateral_rows_residual(stage->mobility.rows, stage->mobility.count, sim->state.velocity,
                                                 stage->mobility.impulse);
  const double defiance = ts_rows_defiance(&solved, sim->old_velocity, sim->state.velocity, stage->mobility.impulse);
  report->joint_residual = fmax(report->joint_residual, left);
  if (defiance <= OBEYED) return;
  report->certified = false;
  report->residual = fmax(report->residual, defiance);
}

// The kinetic energy that the step has reached where it began.
static void report_kick(const ts_stage *stage)
{
  ts_sim *sim = stage->sim;
  sim->kicked = ts_kinetic_energy(sim->model, &sim->kinematics, sim->state.velocity);
}

void ts_stage_finish(ts_stage *stage)
{
  ts_sim *sim = stage->sim;
  if (ts_stage_flies(stage)) {
    sim->contacts = stage->contacts;
    sim->remembered = (ts_memory){0};
    sim->kicked = NAN;
    ts_stage_add_works(stage, NULL);
    return;
  }
  const ts_arena_mark mark = ts_arena_save(stage->arena);
  const size_t rows = (size_t)stage->system.count * (size_t)stage->system.dimension;
  double *u = ts_arena_doubles(stage->arena, 2 * rows); // before and after
  if (rows > 0) ts_system_velocity(&stage->system, stage->from, u + rows);
  ts_system_velocity(&stage->system, sim->state.velocity, u);
  const int sticking = report_contacts(stage, u);
  ts_stage_add_works(stage, u);
  ts_arena_restore(stage->arena, mark);
  if (sticking > 1 && !ts_stage_is_unique(stage)) sim->report.impulses_unique = false;
  if (stage->mobility.count > 0) report_rows(stage);
  report_kick(stage);
  sim->contacts = stage->contacts;
  const ts_memory nothing = {0}, *old = stage->settled ? &nothing : &sim->remembered; // a mean with others is not least
  sim->remembered =
      ts_remember(old, &stage->system, &stage->contacts, stage->bounded, stage->r, stage->h, stage->arena);
}

void ts_stage_new_velocity(ts_stage *stage)
{
  ts_mobility_take_velocity(&stage->mobility, stage->strikes ? NULL : &stage->sim->report.damping_work);
}

void ts_stage_advance(ts_stage *stage)
{
  ts_sim *sim = stage->sim;
  const bool kept =
      ts_mobility_advance(&stage->mobility, ts_stage_flies(stage), sim->old_velocity, &sim->report.damping_work);
  sim->report.certified = sim->report.certified && kept;
  sim->theta = stage->theta;
  sim->state.time += stage->h;
}
