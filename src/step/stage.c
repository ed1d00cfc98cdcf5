// What the steppers share: joints, free velocities, the problem of a step, and what is reported after it.
#include "step/sim.h"

#include "contact/cone_check.h"
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

// Of the tree's rates times `factor` (v), or NULL where nothing is damped. With implicit damping D of the rates v
//   M (v+ - v) = h (f - D v+),   that is   (M + h D) (v+ - v) = h (f - D v).
static double *scaled_damping(const ts_stage *stage, double factor)
{
  const ts_sim *sim = stage->sim;
  if (!sim->damping || stage->sudden) return NULL;
  const size_t rates = (size_t)ts_tree_sizes(sim->tree).v;
  double *scaled = ts_arena_doubles(stage->arena, rates);
  for (size_t k = 0; k < rates; ++k) scaled[k] = factor * sim->damping[k];
  return scaled;
}

// False where the inertias of the tree have no factor: it was possible when the simulation was made, but axes of a
// joint can have come to coincide since.
static bool factor_joints(ts_stage *stage)
{
  ts_sim *sim = stage->sim;
  if (sim->tree) {
    if (!ts_tree_factor(sim->tree, scaled_damping(stage, stage->h), NULL)) return false;
    ts_articulation_factor(sim->model, &sim->kinematics, sim->tree, sim->state.on_tree, stage->joint_rows, stage->held,
                           stage->arena, &stage->articulation);
  } else if (stage->held > 0) {
    ts_bilateral_factor(sim->model, &sim->kinematics, stage->joint_rows, stage->held, stage->arena, &stage->bilateral);
  }
  return true;
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
  for (int k = 0; k < stage->held; ++k) {
    ts_bilateral_row *row = &stage->joint_rows[k];
    if (row->of_joint) row->bias += row->drift - row->error / stage->h;
  }
}

// Errors of joints are those that whole steps leave, h^2/2 of what turns. Taken back within a part of a step they would
// ask for velocities as many times as high: each part takes back its share.
static void take_back_slowly(ts_stage *stage)
{
  for (int k = 0; k < stage->held; ++k) {
    ts_bilateral_row *row = &stage->joint_rows[k];
    if (row->of_joint && row->drift == 0.0) row->bias = row->error / stage->sim->options.size;
  }
}

// Where bases stand as they do at the start of the step, errors know nothing of the way that they are about to make.
static void follow_bases(ts_stage *stage)
{
  for (int k = 0; k < stage->held; ++k)
    if (stage->joint_rows[k].of_joint) stage->joint_rows[k].bias += stage->joint_rows[k].drift;
}

static void write_rows(ts_stage *stage)
{
  const ts_sim *sim = stage->sim;
  const ts_model *model = sim->model;
  stage->joint_rows = ts_arena_bytes(stage->arena, (size_t)ts_bilateral_row_limit(model), sizeof *stage->joint_rows);
  stage->bounded = ts_arena_bytes(stage->arena, (size_t)ts_bounded_row_limit(model), sizeof *stage->bounded);
  stage->held = ts_bilateral_rows(model, &sim->state, &sim->kinematics, stage->h, sim->in_tree, stage->joint_rows);
  if (stage->sudden) stage->held = without_soft_rows(stage->joint_rows, stage->held);
  if (stage->at_velocity_level)
    ask_for_rates(stage);
  else if (stage->h < sim->options.size)
    take_back_slowly(stage);
  if (!stage->at_velocity_level && !stage->gaps_at_end && sim->model->motion_count > 0) follow_bases(stage);
  stage->bounded_count = ts_bounded_rows(model, &sim->state, &sim->kinematics, stage->h, stage->bounded);
  stage->joint_impulse = ts_arena_zeros(stage->arena, (size_t)stage->held);
}

bool ts_stage_joints(ts_stage *stage)
{
  ts_sim *sim = stage->sim;
  stage->held = 0;
  stage->bounded_count = 0;
  if (sim->rows_possible) write_rows(stage);
  sim->report.joint_error = fmax(sim->report.joint_error, largest_joint_error(stage->joint_rows, stage->held));
  return factor_joints(stage);
}

static const ts_wrench *pushes_of(const ts_sim *sim)
{
  return sim->pushed ? sim->pushes : NULL;
}

// Mean accelerations of kinematic bodies through the step, wherever the stepper has put them by now.
static void accelerate_bases(const ts_stage *stage)
{
  ts_sim *sim = stage->sim;
  for (int k = 0; k < sim->model->motion_count; ++k) {
    const int body = sim->model->motions[k].body;
    ts_pose pose;
    ts_twist before, after;
    ts_motion_evaluate(sim->model, body, sim->state.time, &pose, &before);
    ts_motion_evaluate(sim->model, body, sim->state.time + stage->h, &pose, &after);
    sim->base_acceleration[body] =
        ts_twist_add_scaled((ts_twist){0}, 1.0 / stage->h, ts_twist_add_scaled(after, -1.0, before));
  }
}

// What acts on bodies now.
static const ts_wrench *applied_wrenches(ts_sim *sim)
{
  if (sim->weight && !sim->pushed) return sim->weight;
  ts_applied_wrenches(sim->model, &sim->state, &sim->kinematics, pushes_of(sim), sim->applied);
  return sim->applied;
}

// Free rates with the velocity products as they are in the tree. `braking`: of joints, or NULL.
static void reach_free_rates(ts_stage *stage, const double *braking)
{
  ts_sim *sim = stage->sim;
  const int rates = ts_tree_sizes(sim->tree).v;
  ts_tree_accelerate(sim->tree, stage->applied, braking, sim->model->motion_count > 0 ? sim->base_acceleration : NULL,
                     sim->free_rates);
  for (int k = 0; k < rates; ++k) sim->free_rates[k] = sim->state.rates[k] + stage->h * sim->free_rates[k];
}

// The rates that free rates lead to when the rows that are left are obeyed.
static const double *held_rates(ts_stage *stage)
{
  ts_sim *sim = stage->sim;
  if (stage->held == 0) return sim->free_rates;
  const ts_model *model = sim->model;
  ts_twist *twists = ts_arena_bytes(stage->arena, (size_t)model->body_count, sizeof *twists);
  double *rates = ts_arena_doubles(stage->arena, (size_t)ts_tree_sizes(sim->tree).v);
  memcpy(twists, sim->free_velocity, (size_t)model->body_count * sizeof *twists);
  ts_tree_twists(sim->tree, sim->free_rates, sim->state.velocity, twists);
  ts_articulation_project(&stage->articulation, twists, stage->joint_impulse, stage->arena);
  ts_tree_rates(sim->tree, twists, rates);
  return rates;
}

// What forces alone change the rates by, where contacts, stops and drives may hold against them: a robot that stands
// still must not feel the products of a fall that never comes. NULL where nothing of that kind is known of.
static const double *change_by_forces(ts_stage *stage, const double *braking)
{
  ts_sim *sim = stage->sim;
  if (stage->bounded_count == 0 && stage->system.count == 0) return NULL;
  const size_t rates = (size_t)ts_tree_sizes(sim->tree).v;
  double *change = ts_arena_zeros(stage->arena, rates), *reached = ts_arena_doubles(stage->arena, rates);
  memcpy(reached, sim->free_rates, rates * sizeof *reached);
  ts_tree_take_products(sim->tree, change);
  reach_free_rates(stage, braking);
  const double *end = held_rates(stage);
  for (size_t k = 0; k < rates; ++k) change[k] = end[k] - sim->state.rates[k];
  memcpy(sim->free_rates, reached, rates * sizeof *reached);
  return change;
}

// Velocity products at v + weight (v+ - v), v+ where the present ones lead, less `forced` (or NULL). Returns the square
// of the change of the rates that they are taken at; `at` are those, before and after.
static double move_products(ts_stage *stage, double weight, const double *forced, double *at)
{
  ts_sim *sim = stage->sim;
  const int rates = ts_tree_sizes(sim->tree).v;
  const ts_arena_mark mark = ts_arena_save(stage->arena);
  const double *end = held_rates(stage);
  double change = 0.0;
  for (int k = 0; k < rates; ++k) {
    const double moved = sim->state.rates[k] + weight * (end[k] - sim->state.rates[k] - (forced ? forced[k] : 0.0));
    change += (moved - at[k]) * (moved - at[k]);
    at[k] = moved;
  }
  ts_arena_restore(stage->arena, mark);
  ts_tree_take_products(sim->tree, at);
  return change;
}

static void take_no_products(ts_sim *sim)
{
  memset(sim->mean_rates, 0, (size_t)ts_tree_sizes(sim->tree).v * sizeof *sim->mean_rates);
  ts_tree_take_products(sim->tree, sim->mean_rates);
}

// Velocity products c at the middle of the step (weight 1/2) or at its end (1), by a fixed number of passes of
//   v_m = v + weight h M^-1 (f - c(v_m)).
// For a mode v' = i y/h v, such as the nutation of a top, n passes of the midpoint rule make a step a factor whose
// square is 1 + y^4/4 for n = 1, 1 - y^4/4 + y^6/16 for 2, 1 - y^6/16 + y^8/64 for 3, and above 1 again for 4 and 5:
// three are stable up to y = 2 and lose no more than y^6/32 of an amplitude a step. At the end of the step they make
// 1 - y^2 + y^4 - y^6 + y^8, stable up to y = 1. Where the passes do not draw together bodies turn by radians a step;
// then rates stay but for forces, which at least is bounded: a top that turns about its joint keeps its energy so.
static void settle_products(ts_stage *stage, const double *braking)
{
  enum { PASSES = 3 };
  ts_sim *sim = stage->sim;
  const size_t rates = (size_t)ts_tree_sizes(sim->tree).v;
  const double weight = sim->options.gyroscopic == TS_GYROSCOPIC_IMPLICIT ? 1.0 : 0.5;
  double *at = sim->mean_rates, change = 0.0, last = 0.0, size = 0.0;
  const double *forced = change_by_forces(stage, braking);
  memcpy(at, sim->state.rates, rates * sizeof *at);
  for (int pass = 0; pass < PASSES; ++pass) {
    last = change;
    change = move_products(stage, weight, forced, at);
    reach_free_rates(stage, braking);
  }
  for (size_t k = 0; k < rates; ++k) size += at[k] * at[k];
  if (change <= last || change <= 1e-6 * size) return; // small changes may be round-off
  take_no_products(sim);
  reach_free_rates(stage, braking);
}

// Rates of the tree after h of everything that is known now.
static void free_rates_of_tree(ts_stage *stage)
{
  ts_sim *sim = stage->sim;
  const int rates = ts_tree_sizes(sim->tree).v;
  stage->applied = applied_wrenches(sim);
  accelerate_bases(stage);
  double *braking = scaled_damping(stage, -1.0);
  for (int k = 0; braking && k < rates; ++k) braking[k] *= sim->state.rates[k];
  if (stage->drifts) take_no_products(sim);
  reach_free_rates(stage, braking);
  const bool settles = sim->options.gyroscopic != TS_GYROSCOPIC_EXPLICIT && !stage->at_velocity_level;
  if (settles && !stage->drifts && sim->has_products) settle_products(stage, braking);
}

bool ts_stage_flies(const ts_stage *stage)
{
  return stage->sim->tree && stage->held == 0 && stage->contacts.count == 0 && stage->bounded_count == 0;
}

static void free_velocities(ts_stage *stage, const bool *turned_apart)
{
  ts_sim *sim = stage->sim;
  const ts_turning turning = {sim->options.gyroscopic, stage->theta, turned_apart};
  ts_free_velocity(sim->model, &sim->state, &sim->kinematics, stage->h, turning, pushes_of(sim), sim->free_velocity);
}

static void free_rates(ts_stage *stage)
{
  ts_sim *sim = stage->sim;
  const bool *turned = stage->held > 0 ? ts_stage_turned_bodies(stage) : NULL;
  if (!sim->tree || sim->bodies_apart || sim->model->motion_count > 0) free_velocities(stage, turned);
  if (turned && !ts_stage_turn(stage, turned)) free_velocities(stage, NULL); // as if nothing held them
  if (sim->tree) free_rates_of_tree(stage);
}

void ts_stage_fly(ts_stage *stage)
{
  ts_sim *sim = stage->sim;
  stage->drifts = sim->has_products && sim->options.gyroscopic == TS_GYROSCOPIC_MIDPOINT && stage->theta == 1.0 &&
                  sim->model->motion_count == 0;
  if (stage->drifts || !stage->applied) free_rates(stage); // else they are there
  for (int b = 0; sim->bodies_apart && b < sim->model->body_count; ++b)
    if (sim->model->bodies[b].kind == TS_DYNAMIC && !sim->state.on_tree[b])
      sim->state.velocity[b] = sim->free_velocity[b];
}

// Twists are those that the rates mean at the present configuration: without the change of the axes, which contacts
// must not feel (corrections.md 2). Bases move as they do when rates are read from the twists again.
void ts_stage_free_velocity(ts_stage *stage)
{
  ts_sim *sim = stage->sim;
  free_rates(stage);
  if (sim->tree) {
    ts_tree_twists(sim->tree, sim->free_rates, sim->state.velocity, sim->free_velocity);
    ts_articulation_project(&stage->articulation, sim->free_velocity, stage->joint_impulse, stage->arena);
  } else if (stage->held > 0) {
    ts_bilateral_project(&stage->bilateral, sim->free_velocity, stage->joint_impulse, stage->arena);
  }
}

void ts_stage_find_contacts(ts_stage *stage, const ts_twist *velocity)
{
  ts_sim *sim = stage->sim;
  ts_finder *finder = &sim->finder;
  finder->heading = stage->gaps_at_end ? sim->old_velocity : NULL; // `velocity` has forces in it
  finder->arrived = stage->gaps_at_end;
  const bool found = ts_find_contacts(finder, &sim->kinematics, velocity, stage->h, sim->options.margin, stage->arena,
                                      &stage->contacts);
  finder->heading = NULL;
  finder->arrived = false;
  if (!found) longjmp(*stage->arena->recovery, 1);
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

static ts_joining joining_of(const ts_stage *stage)
{
  if (stage->sim->tree) return (ts_joining){.articulation = &stage->articulation};
  return (ts_joining){.bilateral = stage->held > 0 ? &stage->bilateral : NULL};
}

void ts_stage_assemble(ts_stage *stage)
{
  const ts_sim *sim = stage->sim;
  ts_system_assemble(sim->model, &sim->kinematics, &stage->contacts, stage->bounded, stage->bounded_count,
                     joining_of(stage), stage->arena, &stage->system);
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

// How much of a speed of bodies their linearized motion may miss in a step.
static const double MISSED_SHARE = 0.01;

// Overlap of this share of a body's size is taken out of positions at once, less every so many steps: in a pile that
// pours some contact is a little too deep in every other step.
static const double DEEP_SHARE = 0.02;
enum { SHALLOW_PERIOD = 32 };

// A step errs by a small share of the way that bodies make in it, and by what forces do in one. Overlap that takes more
// speed to repair is not of its making. `speed`: of the bodies; `forced`: what forces make of it.
static double usual_repair(double speed, double forced)
{
  return MISSED_SHARE * speed + fabs(forced);
}

// How fast an overlapping contact opens where all is repaired in a step [m/s].
typedef struct repair {
  double whole;
  double usual;   // the fastest that is usual
  double slow;    // the part of it that comes with motion, and adds next to nothing to its energy
  double carried; // what a moving surface does to the gap in the step
} repair;

static repair repair_of(const ts_stage *stage, int i)
{
  const ts_sim *sim = stage->sim;
  const ts_contact *c = &stage->contacts.contacts[i];
  const int a = c->body_1, b = c->body_2;
  const ts_vec3 other = ts_twist_at(sim->free_velocity[b], c->arm_2);
  const ts_vec3 old = ts_sub(ts_twist_at(sim->old_velocity[a], c->arm_1), ts_twist_at(sim->old_velocity[b], c->arm_2));
  const ts_vec3 free = ts_sub(ts_twist_at(sim->free_velocity[a], c->arm_1), other);
  const double carried = sim->model->bodies[b].kind == TS_KINEMATIC ? ts_dot(c->normal, other) : 0.0;
  return (repair){.whole = -c->gap / stage->h - carried,
                  .usual = usual_repair(ts_length(old), ts_dot(c->normal, ts_sub(free, old))),
                  .slow = usual_repair(ts_length(old), 0.0),
                  .carried = carried};
}

static bool overlaps(const ts_stage *stage, int i)
{
  return -stage->contacts.contacts[i].gap > TS_SLOW_REPAIR * stage->h;
}

// The smaller of the bodies as its arm has it; what does not move has no size.
static bool is_deep(const ts_stage *stage, int i)
{
  const ts_contact *c = &stage->contacts.contacts[i];
  const bool both = stage->sim->model->bodies[c->body_2].kind == TS_DYNAMIC;
  const double size = ts_length(c->arm_1), other = both ? ts_length(c->arm_2) : size;
  return -c->gap > DEEP_SHARE * fmin(size, other);
}

static bool contact_is_sunk(const ts_stage *stage, int i)
{
  if (!overlaps(stage, i) || !(stage->sim->steps % SHALLOW_PERIOD == 0 || is_deep(stage, i))) return false;
  const repair r = repair_of(stage, i);
  return r.whole > r.usual;
}

static bool stop_is_sunk(const ts_stage *stage, const ts_bounded_row *row)
{
  if (row->lower < 0.0 || -row->gap <= TS_SLOW_REPAIR * stage->h) return false;
  const double old = ts_row_rate(&row->row, stage->sim->old_velocity);
  const double forced = ts_row_rate(&row->row, stage->sim->free_velocity) - old;
  return row->drift - row->gap / stage->h > usual_repair(fabs(old + row->drift), forced);
}

bool ts_stage_is_sunk(const ts_stage *stage)
{
  for (int i = 0; i < stage->contacts.count; ++i)
    if (contact_is_sunk(stage, i)) return true;
  for (int k = 0; k < stage->bounded_count; ++k)
    if (stop_is_sunk(stage, &stage->bounded[k])) return true;
  return false;
}

double ts_stage_repairing_gap_speed(const ts_stage *stage, int i)
{
  const ts_sim *sim = stage->sim;
  const bool contact = i < stage->contacts.count;
  const ts_bounded_row *row = contact ? NULL : &stage->bounded[i - stage->contacts.count];
  if (stage->keeps_overlap && (contact ? contact_is_sunk(stage, i) : stop_is_sunk(stage, row)))
    return stage->surface[(size_t)i * (size_t)stage->system.dimension];
  const double speed = ts_stabilizing_speed(sim, contact ? stage->contacts.contacts[i].gap : row->gap, stage->h);
  if (!contact || !overlaps(stage, i) || sim->stabilization != TS_STABILIZATION_POSITION) return speed;
  const repair r = repair_of(stage, i);
  return r.whole > r.usual ? fmax(speed, -(r.slow + r.carried)) : speed;
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

// Bodies that stick at a point but turn against each other about a tangent roll.
static bool is_rolling(const ts_stage *stage, const ts_contact *contact, double threshold)
{
  const ts_twist *velocity = stage->sim->state.velocity;
  const ts_vec3 turning = ts_sub(velocity[contact->body_1].angular, velocity[contact->body_2].angular);
  const ts_vec3 rolling = ts_add_scaled(turning, -ts_dot(turning, contact->normal), contact->normal);
  return ts_length(rolling) * ts_length(contact->arm_1) > 10.0 * threshold;
}

// In the plane there is no circle.
double ts_cone_share(const ts_sim *sim)
{
  if (sim->options.cone == TS_CONE_QUADRATIC || sim->model->space == TS_SPACE_2D) return 1.0;
  return cos(TS_PI / sim->options.directions);
}

// Whether the friction impulse has reached the surface of its cone, or of the polyhedral one within.
static bool is_on_the_cone(const ts_contact *contact, const ts_contact_law *law, double share)
{
  const ts_vec3 e = law->ellipsoid;
  const double spin = e.z > 0.0 ? contact->impulse[3] / e.z : 0.0;
  const double used = ts_length((ts_vec3){contact->impulse[1] / e.x, contact->impulse[2] / e.y, spin});
  return used >= (1.0 - 1e-6) * share * contact->friction * contact->impulse[0];
}

static ts_contact_mode contact_mode(const ts_stage *stage, int i)
{
  const ts_contact *contact = &stage->contacts.contacts[i];
  if (!(contact->impulse[0] > 0.0)) return TS_SEPARATE;
  const double threshold = ts_slip_threshold(stage, i);
  const double slip = ts_length((ts_vec3){contact->velocity[1], contact->velocity[2], 0.0});
  if (slip > threshold && is_on_the_cone(contact, stage->contacts.laws[i], ts_cone_share(stage->sim))) return TS_SLIP;
  return is_rolling(stage, contact, threshold) ? TS_ROLL : TS_STICK;
}

// Impulses and end velocities of the contacts, from the blocks of the stage. Returns how many stick.
static int report_contacts(ts_stage *stage, const double *u)
{
  int sticking = 0;
  const int d = stage->system.dimension;
  ts_step_report *report = &stage->sim->report;
  report->contacts = stage->contacts.count;
  for (int i = 0; i < stage->contacts.count; ++i) {
    ts_contact *contact = &stage->contacts.contacts[i];
    const size_t first = (size_t)i * (size_t)d;
    const double *p = stage->r + first, *own = u + first, *surface = stage->surface + first;
    for (int r = 0; r < TS_MAX_DIMENSION; ++r) { // a constant number of turns is unrolled
      contact->impulse[r] = r < d ? p[r] : 0.0;
      contact->velocity[r] = r < d ? own[r] + surface[r] : 0.0;
    }
    contact->mode = contact_mode(stage, i);
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
                                 .rows = stage->joint_rows,
                                 .depends = sim->tree ? stage->articulation.depends : stage->bilateral.depends,
                                 .count = stage->held,
                                 .h = stage->h};
  const double left =
      ts_bilateral_rows_residual(stage->joint_rows, stage->held, sim->state.velocity, stage->joint_impulse);
  const double defiance = ts_rows_defiance(&solved, sim->old_velocity, sim->state.velocity, stage->joint_impulse);
  report->joint_residual = fmax(report->joint_residual, left);
  if (defiance <= OBEYED) return;
  report->certified = false;
  report->residual = fmax(report->residual, defiance);
}

// The kinetic energy that the step has reached where it began, where it is not known since impulses were applied.
static void report_kick(const ts_stage *stage)
{
  ts_sim *sim = stage->sim;
  if (stage->system.count == 0)
    sim->report.kinetic_energy = ts_kinetic_energy(sim->model, &sim->kinematics, sim->state.velocity);
  sim->kicked = sim->report.kinetic_energy;
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
  if (stage->held > 0) report_rows(stage);
  report_kick(stage);
  sim->contacts = stage->contacts;
  const ts_memory nothing = {0}, *old = stage->settled ? &nothing : &sim->remembered; // a mean with others is not least
  sim->remembered =
      ts_remember(old, &stage->system, &stage->contacts, stage->bounded, stage->r, stage->h, stage->arena);
}

void ts_stage_new_velocity(ts_stage *stage)
{
  ts_sim *sim = stage->sim;
  if (!sim->tree) return;
  ts_tree_rates(sim->tree, sim->state.velocity, sim->mean_rates);
  if (!stage->strikes) ts_stage_add_damping(stage, sim->state.rates, sim->mean_rates);
  memcpy(sim->state.rates, sim->mean_rates, (size_t)ts_tree_sizes(sim->tree).v * sizeof *sim->state.rates);
  ts_tree_update(sim->tree, sim->state.q, sim->state.rates, &sim->state, &sim->kinematics);
}

// Rates from the twists that the step has reached, and coordinates from these. The bodies follow in ts_sim_follow().
static void advance_tree(ts_stage *stage)
{
  ts_sim *sim = stage->sim;
  const int count = ts_tree_sizes(sim->tree).v;
  double *rates = sim->free_rates, *mean = sim->mean_rates;
  if (!ts_stage_flies(stage)) ts_tree_rates(sim->tree, sim->state.velocity, rates);
  ts_stage_add_damping(stage, sim->state.rates, rates);
  if (stage->drifts) {
    memcpy(sim->state.rates, rates, (size_t)count * sizeof *rates);
    const bool kept =
        ts_tree_drift(sim->tree, stage->h, sim->state.q, sim->state.rates, &sim->state, &sim->kinematics, stage->arena);
    sim->report.certified = sim->report.certified && kept;
    return;
  }
  for (int k = 0; stage->theta < 1.0 && k < count; ++k)
    mean[k] = stage->theta * rates[k] + (1.0 - stage->theta) * sim->state.rates[k];
  ts_tree_advance(sim->tree, stage->h, stage->theta < 1.0 ? mean : rates, sim->state.q);
  memcpy(sim->state.rates, rates, (size_t)count * sizeof *rates);
}

void ts_stage_advance(ts_stage *stage)
{
  ts_sim *sim = stage->sim;
  if (sim->tree) advance_tree(stage);
  if (!sim->tree || sim->bodies_apart)
    ts_state_advance(sim->model, stage->h, stage->theta, sim->old_velocity, &sim->state);
  sim->state.time += stage->h;
}
