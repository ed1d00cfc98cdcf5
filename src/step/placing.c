#include "step/placing.h"

#include <string.h>

// How well things are put in place.
typedef struct effort {
  int rounds;       // motions at most
  double tolerance; // of their problems
  double left;      // motions go on until no more is left, of the sizes that it is a difference of
} effort;

// Where nothing hurries, so well that contacts which are to touch do not stay open by more than round-off. In a step a
// pile would wait for the last digits of all contacts; what is left is the next step's to take.
static effort effort_of(const ts_sim *sim, ts_placing_rule rule)
{
  const double tolerance = sim->solve_options.tolerance;
  return rule == TS_PLACE_IN_STEP ? (effort){5, tolerance, TS_PLACED_WELL}
                                  : (effort){50, fmin(1e-13, tolerance), 1e-12};
}

// A motion turns no body by more than this: linearized gaps are of no use beyond [rad].
static const double LARGEST_TURN = 0.5;

// How much of a contact's gap counts as round-off, in units of a tolerance.
static double size_of_contact(const ts_contact *contact)
{
  return ts_length(contact->arm_1) + ts_length(contact->point);
}

static double size_of_stop(const ts_sim *sim, const ts_bounded_row *stop)
{
  const ts_joint *joint = &sim->model->joints[stop->joint];
  const double limit = stop->feature == TS_LOWER_STOP ? joint->lower : joint->upper;
  return 1.0 + fabs(limit);
}

// ---- what is wrong -------------------------------------------------------------------------------------------------

typedef struct fault {
  double depth;    // [m, rad]
  double relative; // to the size that it is a difference of
} fault;

static void add_fault(fault *worst, double depth, double size)
{
  worst->depth = fmax(worst->depth, depth);
  if (depth > 0.0) worst->relative = fmax(worst->relative, depth / size);
}

// A motor that nothing holds stands still, but for a stop that it is beyond.
static void hold_motors(ts_stage *stage)
{
  const ts_sim *sim = stage->sim;
  for (int k = 0; k < stage->held; ++k) {
    ts_bilateral_row *row = &stage->joint_rows[k];
    if (row->of_joint) continue;
    const ts_joint *joint = &sim->model->joints[row->source];
    const double q = ts_joint_position(sim->model, &sim->state, &sim->kinematics, row->source, NULL);
    const double inside = joint->limited ? fmin(fmax(q, joint->lower), joint->upper) : q;
    row->bias = (q - inside) / stage->h;
    row->error = q - inside;
  }
}

static void keep_stops(ts_stage *stage)
{
  int kept = 0;
  for (int k = 0; k < stage->bounded_count; ++k)
    if (stage->bounded[k].lower >= 0.0) stage->bounded[kept++] = stage->bounded[k];
  stage->bounded_count = kept;
}

// Contacts, stops and rows at the present positions, bodies at rest. Contacts within `margin` are there, so that
// nothing is pushed into its neighbours. False: joints have no factor.
static bool look(ts_sim *sim, double margin, ts_arena *arena, ts_stage *stage)
{
  *stage = (ts_stage){.sim = sim, .h = sim->options.size, .theta = 1.0, .sudden = true, .arena = arena};
  if (!ts_stage_joints(stage)) return false;
  hold_motors(stage);
  keep_stops(stage);
  if (!ts_find_contacts(&sim->finder, &sim->kinematics, sim->state.velocity, stage->h, margin, arena, &stage->contacts))
    longjmp(*arena->recovery, 1);
  return true;
}

static fault worst_fault(const ts_stage *stage, double *depth)
{
  fault worst = {0};
  for (int i = 0; i < stage->contacts.count; ++i)
    add_fault(&worst, -stage->contacts.contacts[i].gap, size_of_contact(&stage->contacts.contacts[i]));
  *depth = fmax(0.0, worst.depth);
  for (int k = 0; k < stage->bounded_count; ++k)
    add_fault(&worst, -stage->bounded[k].gap, size_of_stop(stage->sim, &stage->bounded[k]));
  for (int k = 0; k < stage->held; ++k) add_fault(&worst, fabs(stage->joint_rows[k].error), 1.0);
  return worst;
}

// ---- what steps leave ----------------------------------------------------------------------------------------------

// The way of two bodies in a step, none of it cancelled by the other's. Steps may leave as much open or overlapping.
static double way_of_bodies(const ts_stage *stage, double speed, int body_1, int body_2)
{
  const ts_model *model = stage->sim->model;
  double pull = 0.0;
  if (body_1 >= 0) pull += ts_length(model->bodies[body_1].gravity);
  if (body_2 >= 0) pull += ts_length(model->bodies[body_2].gravity);
  return stage->h * (speed + stage->h * pull);
}

static double way_of_row(const ts_stage *stage, const ts_row *row, const ts_twist *velocity)
{
  double speed = 0.0;
  for (int side = 0; side < 2; ++side)
    if (row->body[side] >= 0) speed += fabs(ts_twist_dot(row->jacobian[side], velocity[row->body[side]]));
  return way_of_bodies(stage, speed, row->body[0], row->body[1]);
}

static double way_of_contact(const ts_stage *stage, const ts_contact *c, const ts_twist *velocity)
{
  const double speed =
      ts_length(ts_twist_at(velocity[c->body_1], c->arm_1)) + ts_length(ts_twist_at(velocity[c->body_2], c->arm_2));
  return way_of_bodies(stage, speed, c->body_1, c->body_2);
}

// Whether anything is worse than a step at these velocities leaves it.
static bool is_out_of_place(const ts_stage *stage, const ts_twist *velocity)
{
  for (int i = 0; i < stage->contacts.count; ++i) {
    const ts_contact *c = &stage->contacts.contacts[i];
    if (-c->gap > way_of_contact(stage, c, velocity)) return true;
  }
  for (int k = 0; k < stage->bounded_count; ++k)
    if (-stage->bounded[k].gap > way_of_row(stage, &stage->bounded[k].row, velocity)) return true;
  for (int k = 0; k < stage->held; ++k)
    if (fabs(stage->joint_rows[k].error) > way_of_row(stage, &stage->joint_rows[k].row, velocity)) return true;
  return false;
}

// ---- what was found ------------------------------------------------------------------------------------------------

static ts_correction *correction_of(ts_placing *placing, int body_1, int body_2, int joint)
{
  for (int i = placing->count - 1; i >= 0; --i) {
    ts_correction *c = &placing->corrections[i];
    if (c->body_1 == body_1 && c->body_2 == body_2 && c->joint == joint) return c;
  }
  return NULL;
}

static void note(ts_placing *placing, ts_correction found)
{
  ts_correction *known = correction_of(placing, found.body_1, found.body_2, found.joint);
  if (known)
    known->depth = fmax(known->depth, found.depth);
  else
    placing->corrections[placing->count++] = found;
}

static void list_faults(const ts_stage *stage, ts_placing *placing, ts_arena *arena)
{
  const ts_sim *sim = stage->sim;
  const size_t most = (size_t)stage->contacts.count + (size_t)sim->model->joint_count;
  placing->corrections = ts_arena_bytes(arena, most, sizeof *placing->corrections);
  for (int i = 0; i < stage->contacts.count; ++i) {
    const ts_contact *c = &stage->contacts.contacts[i];
    if (-c->gap <= TS_PLACED_WELL * size_of_contact(c)) continue;
    note(placing, (ts_correction){.body_1 = c->body_1, .body_2 = c->body_2, .joint = -1, .depth = -c->gap});
  }
  for (int j = 0; j < sim->model->joint_count; ++j) {
    const ts_joint *joint = &sim->model->joints[j];
    if (!joint->limited) continue;
    const double q = ts_joint_position(sim->model, &sim->state, &sim->kinematics, j, NULL);
    const double beyond = fmax(joint->lower - q, q - joint->upper);
    if (beyond <= TS_PLACED_WELL * (1.0 + fabs(q))) continue;
    note(placing, (ts_correction){.body_1 = joint->parent, .body_2 = joint->child, .joint = j, .depth = beyond});
  }
}

// What is left of what was found. Joints of the tree are at their coordinates.
static void list_rest(const ts_stage *stage, ts_placing *placing)
{
  const ts_sim *sim = stage->sim;
  for (int i = 0; i < stage->contacts.count; ++i) {
    const ts_contact *c = &stage->contacts.contacts[i];
    ts_correction *found = correction_of(placing, c->body_1, c->body_2, -1);
    if (found && -c->gap > TS_PLACED_WELL * size_of_contact(c)) found->left = fmax(found->left, -c->gap);
  }
  for (int i = 0; i < placing->count; ++i) {
    ts_correction *found = &placing->corrections[i];
    if (found->joint < 0) continue;
    const ts_joint *joint = &sim->model->joints[found->joint];
    const double q = ts_joint_position(sim->model, &sim->state, &sim->kinematics, found->joint, NULL);
    const double beyond = fmax(joint->lower - q, q - joint->upper);
    if (beyond > TS_PLACED_WELL * (1.0 + fabs(q))) found->left = beyond;
  }
}

// ---- taking it out -------------------------------------------------------------------------------------------------

// The motion into the velocities of the state, which are 0. False where there is none: what is wedged has no room, and
// what solvers leave of such a problem would throw it out of the scene.
static bool find_motion(ts_stage *stage)
{
  ts_sim *sim = stage->sim;
  sim->report.certified = true;
  for (int i = 0; i < stage->contacts.count; ++i) stage->contacts.contacts[i].friction = 0.0;
  ts_stage_assemble(stage);
  for (int i = 0; i < stage->system.count; ++i) {
    const ts_block *block = &stage->system.blocks[i];
    const bool contact = block->kind == TS_BLOCK_CONTACT;
    const double gap = contact ? stage->contacts.contacts[i].gap : stage->bounded[block->source].gap;
    stage->bias[(size_t)i * (size_t)stage->system.dimension] = gap / stage->h;
  }
  if (sim->tree)
    ts_articulation_project(&stage->articulation, sim->state.velocity, stage->joint_impulse, stage->arena);
  else if (stage->held > 0)
    ts_bilateral_project(&stage->bilateral, sim->state.velocity, stage->joint_impulse, stage->arena);
  ts_stage_collide(stage, sim->state.velocity, NULL, false);
  return sim->report.certified;
}

// The share of a motion that does not turn bodies too far.
static double share_of_motion(const ts_stage *stage)
{
  const ts_sim *sim = stage->sim;
  double turn = 0.0;
  for (int b = 0; b < sim->model->body_count; ++b)
    turn = fmax(turn, stage->h * ts_length(sim->state.velocity[b].angular));
  return turn > LARGEST_TURN ? LARGEST_TURN / turn : 1.0;
}

static void rest_all(ts_sim *sim)
{
  memset(sim->state.velocity, 0, (size_t)sim->model->body_count * sizeof *sim->state.velocity);
  if (!sim->tree) return;
  memset(sim->state.rates, 0, (size_t)ts_tree_sizes(sim->tree).v * sizeof *sim->state.rates);
}

static void carry_out(ts_stage *stage)
{
  ts_sim *sim = stage->sim;
  const double h = stage->h, time = sim->state.time;
  stage->h = h * share_of_motion(stage);
  ts_stage_advance(stage);
  sim->state.time = time;
  rest_all(sim);
  ts_sim_follow(sim);
}

// Positions and all else of a state, at rest or not.
static double *copy_of_state(const ts_sim *sim, ts_arena *arena)
{
  double *numbers = ts_arena_doubles(arena, sim->state.numbers);
  memcpy(numbers, sim->state.pose, sim->state.numbers * sizeof *numbers);
  return numbers;
}

static void take_state(ts_sim *sim, const double *numbers)
{
  memcpy(sim->state.pose, numbers, sim->state.numbers * sizeof *numbers);
}

// The best positions so far.
typedef struct best_place {
  double relative; // of its worst fault
  double *numbers;
} best_place;

// Whether positions are better than the best, which they then become.
static void compare(ts_sim *sim, const fault *worst, best_place *best)
{
  if (!(worst->relative < best->relative)) return;
  best->relative = worst->relative;
  memcpy(best->numbers, sim->state.pose, sim->state.numbers * sizeof *best->numbers);
}

// The rounds after the first look, bodies at rest.
static void move_apart(ts_sim *sim, const effort *how, const ts_placing *placing, best_place *best, ts_arena *arena)
{
  bool done = false;
  for (int round = 0; round <= how->rounds && !done; ++round) {
    const ts_arena_mark mark = ts_arena_save(arena);
    ts_stage stage;
    double depth;
    const bool possible = look(sim, 4.0 * placing->found, arena, &stage);
    const fault worst = possible ? worst_fault(&stage, &depth) : (fault){INFINITY, INFINITY};
    compare(sim, &worst, best);
    done = !possible || worst.relative <= how->left || round == how->rounds || !find_motion(&stage);
    if (!done) carry_out(&stage);
    ts_arena_restore(arena, mark);
  }
}

// Bodies at rest.
static void place_at_rest(ts_sim *sim, const ts_twist *velocity, const effort *how, ts_placing_rule rule,
                          ts_placing *placing, ts_arena *arena)
{
  ts_stage stage;
  if (!look(sim, 0.0, arena, &stage)) return;
  if (rule == TS_PLACE_MOVED && !is_out_of_place(&stage, velocity)) return;
  const fault worst = worst_fault(&stage, &placing->depth);
  if (worst.relative <= TS_PLACED_WELL) return;
  placing->found = worst.depth;
  const bool list = rule == TS_PLACE_START;
  if (list) list_faults(&stage, placing, arena);
  best_place best = {worst.relative, copy_of_state(sim, arena)};
  move_apart(sim, how, placing, &best, arena);
  take_state(sim, best.numbers);
  ts_sim_follow(sim);
  if (!look(sim, 0.0, arena, &stage)) return;
  double depth;
  const fault rest = worst_fault(&stage, &depth);
  placing->left = rest.relative > TS_PLACED_WELL ? rest.depth : 0.0;
  if (list) list_rest(&stage, placing);
}

double ts_sim_take_out(ts_sim *sim, ts_placing_rule rule, ts_arena *arena)
{
  const ts_arena_mark mark = ts_arena_save(arena);
  const double before = ts_potential_energy(sim->model, &sim->state);
  const ts_placing placing = ts_sim_place(sim, rule, arena);
  if (placing.found > 0.0) {
    sim->report.penetration = fmax(sim->report.penetration, placing.depth);
    sim->report.taken_out = fmax(sim->report.taken_out, placing.found - placing.left);
    sim->report.correction_work += ts_potential_energy(sim->model, &sim->state) - before;
  }
  ts_arena_restore(arena, mark);
  return placing.left;
}

ts_placing ts_sim_place(ts_sim *sim, ts_placing_rule rule, ts_arena *arena)
{
  ts_placing placing = {0};
  const effort how = effort_of(sim, rule);
  const ts_step_report report = sim->report;
  const double tolerance = sim->solve_options.tolerance;
  const size_t bodies = (size_t)sim->model->body_count, rates = sim->tree ? (size_t)ts_tree_sizes(sim->tree).v : 0;
  ts_twist *velocity = ts_arena_bytes(arena, bodies, sizeof *velocity);
  double *rate = ts_arena_doubles(arena, rates);
  memcpy(velocity, sim->state.velocity, bodies * sizeof *velocity);
  if (rates > 0) memcpy(rate, sim->state.rates, rates * sizeof *rate);
  rest_all(sim);
  sim->solve_options.tolerance = how.tolerance;
  place_at_rest(sim, velocity, &how, rule, &placing, arena);
  memcpy(sim->state.velocity, velocity, bodies * sizeof *velocity);
  if (rates > 0) memcpy(sim->state.rates, rate, rates * sizeof *rate);
  if (placing.found > 0.0) ts_sim_follow(sim);
  sim->report = report;
  sim->solve_options.tolerance = tolerance;
  return placing;
}
