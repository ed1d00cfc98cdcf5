#include "step/placing.h"

#include "step/collide.h"
#include "step/repair.h"
#include "step/start.h"

#include "math/disjoint_sets.h"

#include <string.h>

// How well things are put in place.
typedef struct effort {
  int rounds;        // motions at most
  double tolerance;  // of their problems
  double left;       // motions go on until no more is left, of the sizes that it is a difference of
  double share_left; // of the deepest fault: error of a motion of many contacts that will do; 0: none
} effort;

// Where nothing hurries, so well that contacts which are to touch do not stay open by more than round-off. In a step a
// pile would wait for the last digits of all contacts; what is left is the next step's to take.
static effort effort_of(const ts_sim *sim, ts_placing_rule rule)
{
  const double tolerance = sim->solve_options.tolerance;
  return rule == TS_PLACE_IN_STEP ? (effort){5, tolerance, TS_PLACED_WELL, 1e-2}
                                  : (effort){50, fmin(1e-13, tolerance), 1e-12, 0.0};
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
static void hold_motors(ts_step *step)
{
  const ts_sim *sim = step->sim;
  for (int k = 0; k < step->mobility.count; ++k) {
    ts_bilateral_row *row = &step->mobility.rows[k];
    if (row->of_joint) continue;
    const ts_joint *joint = &sim->model->joints[row->source];
    const double q = ts_joint_position(sim->model, &sim->state, &sim->kinematics, row->source, NULL);
    const double inside = joint->limited ? fmin(fmax(q, joint->lower), joint->upper) : q;
    row->bias = (q - inside) / step->h;
    row->error = q - inside;
  }
}

static void keep_stops(ts_step *step)
{
  int kept = 0;
  for (int k = 0; k < step->bounded_count; ++k)
    if (step->bounded[k].lower >= 0.0) step->bounded[kept++] = step->bounded[k];
  step->bounded_count = kept;
}

// Contacts, stops and rows at the present positions, bodies at rest. Contacts within `margin` are there, so that
// nothing is pushed into its neighbours. False: joints have no factor.
static bool look(ts_sim *sim, double margin, ts_arena *arena, ts_step *step)
{
  *step = (ts_step){.sim = sim, .h = sim->options.size, .theta = 1.0, .impulsive = true, .arena = arena};
  if (!ts_step_joints(step)) return false;
  hold_motors(step);
  keep_stops(step);
  if (!ts_find_contacts(&sim->finder, &sim->kinematics, sim->state.velocity, step->h, margin, arena, &step->contacts))
    longjmp(*arena->recovery, 1);
  return true;
}

// A dynamic body of the row.
static int body_of_row(const ts_row *row)
{
  return row->body[0] >= 0 ? row->body[0] : row->body[1];
}

// What does not concern bodies that are `wedged` (body_count), or all where that is NULL. `depth`: that of overlap.
static fault worst_fault(const ts_step *step, const bool *wedged, double *depth)
{
  fault worst = {0};
  for (int i = 0; i < step->contacts.count; ++i) {
    const ts_contact *c = &step->contacts.contacts[i];
    if (!wedged || !wedged[c->body_1]) add_fault(&worst, -c->gap, size_of_contact(c));
  }
  *depth = fmax(0.0, worst.depth);
  for (int k = 0; k < step->bounded_count; ++k) {
    const ts_bounded_row *stop = &step->bounded[k];
    if (!wedged || !wedged[body_of_row(&stop->row)]) add_fault(&worst, -stop->gap, size_of_stop(step->sim, stop));
  }
  for (int k = 0; k < step->mobility.count; ++k) {
    const ts_bilateral_row *row = &step->mobility.rows[k];
    if (!wedged || !wedged[body_of_row(&row->row)]) add_fault(&worst, fabs(row->error), 1.0);
  }
  return worst;
}

// ---- what steps leave ----------------------------------------------------------------------------------------------

// The way of two bodies in a step, none of it cancelled by the other's. Steps may leave as much open or overlapping.
static double way_of_bodies(const ts_step *step, double speed, int body_1, int body_2)
{
  const ts_model *model = step->sim->model;
  double pull = 0.0;
  if (body_1 >= 0) pull += ts_length(model->bodies[body_1].gravity);
  if (body_2 >= 0) pull += ts_length(model->bodies[body_2].gravity);
  return step->h * (speed + step->h * pull);
}

static double way_of_row(const ts_step *step, const ts_row *row, const ts_twist *velocity)
{
  double speed = 0.0;
  for (int side = 0; side < 2; ++side)
    if (row->body[side] >= 0) speed += fabs(ts_twist_dot(row->jacobian[side], velocity[row->body[side]]));
  return way_of_bodies(step, speed, row->body[0], row->body[1]);
}

static double way_of_bilateral_row(const ts_step *step, const ts_bilateral_row *row, const ts_twist *velocity)
{
  double way = way_of_row(step, &row->row, velocity);
  for (int k = 0; k < row->further_count; ++k) way += way_of_row(step, &row->further[k], velocity);
  return way;
}

static double way_of_contact(const ts_step *step, const ts_contact *c, const ts_twist *velocity)
{
  const double speed =
      ts_length(ts_twist_at(velocity[c->body_1], c->arm_1)) + ts_length(ts_twist_at(velocity[c->body_2], c->arm_2));
  return way_of_bodies(step, speed, c->body_1, c->body_2);
}

// Whether anything is worse than a step at these velocities leaves it.
static bool is_out_of_place(const ts_step *step, const ts_twist *velocity)
{
  for (int i = 0; i < step->contacts.count; ++i) {
    const ts_contact *c = &step->contacts.contacts[i];
    if (-c->gap > way_of_contact(step, c, velocity)) return true;
  }
  for (int k = 0; k < step->bounded_count; ++k)
    if (-step->bounded[k].gap > way_of_row(step, &step->bounded[k].row, velocity)) return true;
  for (int k = 0; k < step->mobility.count; ++k)
    if (fabs(step->mobility.rows[k].error) > way_of_bilateral_row(step, &step->mobility.rows[k], velocity)) return true;
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

static void list_faults(const ts_step *step, ts_placing *placing, ts_arena *arena)
{
  const ts_sim *sim = step->sim;
  const size_t most = (size_t)step->contacts.count + (size_t)sim->model->joint_count;
  placing->corrections = ts_arena_bytes(arena, most, sizeof *placing->corrections);
  for (int i = 0; i < step->contacts.count; ++i) {
    const ts_contact *c = &step->contacts.contacts[i];
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
static void list_rest(const ts_step *step, ts_placing *placing)
{
  const ts_sim *sim = step->sim;
  for (int i = 0; i < step->contacts.count; ++i) {
    const ts_contact *c = &step->contacts.contacts[i];
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

static void rest_all(ts_sim *sim)
{
  memset(sim->state.velocity, 0, (size_t)sim->model->body_count * sizeof *sim->state.velocity);
  if (sim->mechanics.v_count == 0) return;
  memset(sim->state.rates, 0, (size_t)sim->mechanics.v_count * sizeof *sim->state.rates);
}

// The motion into the velocities of the state, which are 0. False where there is none: what is wedged has no room, and
// what solvers leave of such a problem would throw it out of the scene.
static bool find_motion(ts_step *step)
{
  ts_sim *sim = step->sim;
  sim->report.certified = true;
  for (int i = 0; i < step->contacts.count; ++i) step->contacts.contacts[i].friction = 0.0;
  ts_step_assemble(step);
  for (int i = 0; i < step->system.count; ++i) {
    const ts_block *block = &step->system.blocks[i];
    const bool contact = block->kind == TS_BLOCK_CONTACT;
    const double gap = contact ? step->contacts.contacts[i].gap : step->bounded[block->source].gap;
    step->bias[(size_t)i * (size_t)step->system.dimension] = gap / step->h;
  }
  ts_mobility_project(&step->mobility, sim->state.velocity, step->mobility.impulse);
  ts_step_collide(step, sim->state.velocity, NULL, false);
  return sim->report.certified;
}

// Bodies that touch or that joints join are a group, named by one of them; what is wedged there wedges all of it.
static int *find_groups(const ts_step *step, bool *wedged)
{
  const ts_model *model = step->sim->model;
  int *group = ts_arena_ints(step->arena, (size_t)model->body_count);
  for (int b = 0; b < model->body_count; ++b) group[b] = b;
  for (int i = 0; i < step->contacts.count; ++i) {
    const ts_contact *c = &step->contacts.contacts[i];
    if (model->bodies[c->body_2].kind == TS_DYNAMIC) ts_join_sets(group, c->body_1, c->body_2);
  }
  for (int j = 0; j < model->joint_count; ++j) {
    const int parent = model->joints[j].parent, child = model->joints[j].child;
    const bool both = parent >= 0 && child >= 0 && model->bodies[parent].kind == TS_DYNAMIC;
    if (both && model->bodies[child].kind == TS_DYNAMIC) ts_join_sets(group, parent, child);
  }
  for (int b = 0; b < model->body_count; ++b)
    if (wedged[b]) wedged[ts_find_set(group, b)] = true;
  for (int b = 0; b < model->body_count; ++b) wedged[b] = wedged[ts_find_set(group, b)];
  return group;
}

// The step with the contacts and stops of a group alone.
static ts_step step_of_group(const ts_step *all, int *group, int name)
{
  const ts_contact_set *set = &all->contacts;
  const size_t contacts = (size_t)set->count, stops = (size_t)all->bounded_count;
  ts_step own = *all;
  own.contacts = (ts_contact_set){
      .capacity = set->count,
      .companions = set->companions,
      .contacts = ts_arena_bytes(all->arena, contacts, sizeof *own.contacts.contacts),
      .laws = ts_arena_bytes(all->arena, contacts, sizeof *own.contacts.laws),
      .parts = ts_arena_bytes(all->arena, contacts, sizeof *own.contacts.parts),
  };
  for (int i = 0; i < set->count; ++i) {
    if (ts_find_set(group, set->contacts[i].body_1) != name) continue;
    own.contacts.contacts[own.contacts.count] = set->contacts[i];
    own.contacts.laws[own.contacts.count] = set->laws[i];
    own.contacts.parts[own.contacts.count++] = set->parts[i];
  }
  own.bounded = ts_arena_bytes(all->arena, stops, sizeof *own.bounded);
  own.bounded_count = 0;
  for (int k = 0; k < all->bounded_count; ++k)
    if (ts_find_set(group, body_of_row(&all->bounded[k].row)) == name)
      own.bounded[own.bounded_count++] = all->bounded[k];
  own.mobility.impulse = ts_arena_zeros(all->arena, (size_t)all->mobility.count);
  return own;
}

// Groups that something is wrong with (body_count).
static bool *find_faulty_groups(const ts_step *step, int *group)
{
  const size_t bodies = (size_t)step->sim->model->body_count;
  bool *faulty = ts_arena_bytes(step->arena, bodies, sizeof *faulty);
  memset(faulty, 0, bodies * sizeof *faulty);
  for (int i = 0; i < step->contacts.count; ++i)
    if (step->contacts.contacts[i].gap < 0.0) faulty[ts_find_set(group, step->contacts.contacts[i].body_1)] = true;
  for (int k = 0; k < step->bounded_count; ++k)
    if (step->bounded[k].gap < 0.0) faulty[ts_find_set(group, body_of_row(&step->bounded[k].row))] = true;
  for (int k = 0; k < step->mobility.count; ++k)
    if (step->mobility.rows[k].error != 0.0)
      faulty[ts_find_set(group, body_of_row(&step->mobility.rows[k].row))] = true;
  return faulty;
}

// The motion of each group by itself, so that one that is wedged keeps no other from moving. False: nothing moves.
static bool find_motion_of_groups(ts_step *step, bool *wedged)
{
  ts_sim *sim = step->sim;
  const int bodies = sim->model->body_count;
  int *group = find_groups(step, wedged);
  const bool *faulty = find_faulty_groups(step, group);
  ts_twist *motion = ts_arena_bytes(step->arena, (size_t)bodies, sizeof *motion);
  memset(motion, 0, (size_t)bodies * sizeof *motion);
  bool moves = false;
  for (int name = 0; name < bodies; ++name) {
    if (!faulty[name] || wedged[name]) continue;
    const ts_arena_mark mark = ts_arena_save(step->arena);
    ts_step own = step_of_group(step, group, name);
    rest_all(sim);
    const bool found = find_motion(&own);
    for (int b = 0; b < bodies; ++b) {
      if (ts_find_set(group, b) != name) continue;
      wedged[b] = !found;
      if (found) motion[b] = sim->state.velocity[b];
    }
    moves = moves || found;
    ts_arena_restore(step->arena, mark);
  }
  memcpy(sim->state.velocity, motion, (size_t)bodies * sizeof *motion);
  return moves;
}

// The share of a motion that does not turn bodies too far.
static double share_of_motion(const ts_step *step)
{
  const ts_sim *sim = step->sim;
  double turn = 0.0;
  for (int b = 0; b < sim->model->body_count; ++b)
    turn = fmax(turn, step->h * ts_length(sim->state.velocity[b].angular));
  return turn > LARGEST_TURN ? LARGEST_TURN / turn : 1.0;
}

static void carry_out(ts_step *step)
{
  ts_sim *sim = step->sim;
  const double h = step->h, time = sim->state.time;
  step->h = h * share_of_motion(step);
  ts_step_advance(step);
  sim->state.time = time;
  rest_all(sim);
  ts_mechanics_follow(&sim->mechanics);
}

// Positions and all else of a state, at rest or not.
static double *copy_of_state(const ts_sim *sim, ts_arena *arena)
{
  double *numbers = ts_arena_doubles(arena, sim->state.numbers);
  memcpy(numbers, sim->state.pose, sim->state.numbers * sizeof *numbers);
  return numbers;
}

// The best positions so far, of bodies that are not wedged.
typedef struct best_place {
  double relative; // of its worst fault
  double *numbers;
  bool *wedged; // (body_count)
} best_place;

static best_place first_place(const ts_sim *sim, const fault *worst, ts_arena *arena)
{
  const size_t bodies = (size_t)sim->model->body_count;
  const best_place first = {worst->relative, copy_of_state(sim, arena), ts_arena_bytes(arena, bodies, sizeof(bool))};
  memset(first.wedged, 0, bodies * sizeof *first.wedged);
  return first;
}

// Positions that are better than the best become that.
static void compare(const ts_sim *sim, const fault *worst, best_place *best)
{
  if (!(worst->relative < best->relative)) return;
  best->relative = worst->relative;
  memcpy(best->numbers, sim->state.pose, sim->state.numbers * sizeof *best->numbers);
}

// A motion of all together, or of as many groups as can be moved: then the best is that of these, from where all is
// now. False: nothing moves.
static bool move(ts_step *step, best_place *best)
{
  ts_sim *sim = step->sim;
  double depth;
  if (find_motion(step)) return true;
  if (!find_motion_of_groups(step, best->wedged)) return false;
  best->relative = worst_fault(step, best->wedged, &depth).relative;
  memcpy(best->numbers, sim->state.pose, sim->state.numbers * sizeof *best->numbers);
  return true;
}

// The rounds after the first look, bodies at rest.
static void move_apart(ts_sim *sim, const effort *how, const ts_placing *placing, best_place *best, ts_arena *arena)
{
  bool done = false;
  for (int round = 0; round <= how->rounds && !done; ++round) {
    const ts_arena_mark mark = ts_arena_save(arena);
    ts_step step;
    double depth;
    const bool possible = look(sim, 4.0 * placing->found, arena, &step);
    step.gap_error = how->share_left * placing->found;
    const fault worst = possible ? worst_fault(&step, best->wedged, &depth) : (fault){INFINITY, INFINITY};
    compare(sim, &worst, best);
    done = !possible || worst.relative <= how->left || round == how->rounds || !move(&step, best);
    if (!done) carry_out(&step);
    ts_arena_restore(arena, mark);
  }
}

// Of what does not concern bodies that are `wedged`, or of all where that is NULL [m, rad].
static double what_is_left(const ts_step *step, const bool *wedged)
{
  double depth;
  const fault rest = worst_fault(step, wedged, &depth);
  return rest.relative > TS_PLACED_WELL ? rest.depth : 0.0;
}

// Bodies at rest.
static void place_at_rest(ts_sim *sim, const ts_twist *velocity, const effort *how, ts_placing_rule rule,
                          ts_placing *placing, ts_arena *arena)
{
  ts_step step;
  if (!look(sim, 0.0, arena, &step)) return;
  if (rule == TS_PLACE_MOVED && !is_out_of_place(&step, velocity)) return;
  const fault worst = worst_fault(&step, NULL, &placing->depth);
  if (worst.relative <= TS_PLACED_WELL) return;
  placing->found = worst.depth;
  placing->beyond = ts_step_share_beyond(&step);
  const bool list = rule == TS_PLACE_START;
  if (list) list_faults(&step, placing, arena);
  best_place best = first_place(sim, &worst, arena);
  move_apart(sim, how, placing, &best, arena);
  memcpy(sim->state.pose, best.numbers, sim->state.numbers * sizeof *best.numbers);
  ts_mechanics_follow(&sim->mechanics);
  double depth;
  const fault moved = worst_fault(&step, best.wedged, &depth);
  if (!look(sim, 0.0, arena, &step)) return;
  placing->left = what_is_left(&step, NULL);
  placing->taken = moved.depth - what_is_left(&step, best.wedged);
  if (list) list_rest(&step, placing);
}

double ts_sim_take_out(ts_sim *sim, ts_placing_rule rule, ts_arena *arena)
{
  const ts_arena_mark mark = ts_arena_save(arena);
  const double before = ts_potential_energy(sim->model, &sim->state);
  const ts_placing placing = ts_sim_place(sim, rule, arena);
  if (placing.found > 0.0) {
    sim->report.penetration = fmax(sim->report.penetration, placing.depth);
    sim->report.taken_out = fmax(sim->report.taken_out, placing.taken);
    const double lifted = ts_potential_energy(sim->model, &sim->state) - before;
    sim->report.correction_work += lifted;
    sim->lifted += placing.beyond * fmax(0.0, lifted);
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
  const size_t bodies = (size_t)sim->model->body_count, rates = (size_t)sim->mechanics.v_count;
  ts_twist *velocity = ts_arena_bytes(arena, bodies, sizeof *velocity);
  double *rate = ts_arena_doubles(arena, rates);
  memcpy(velocity, sim->state.velocity, bodies * sizeof *velocity);
  if (rates > 0) memcpy(rate, sim->state.rates, rates * sizeof *rate);
  rest_all(sim);
  sim->solve_options.tolerance = how.tolerance;
  place_at_rest(sim, velocity, &how, rule, &placing, arena);
  memcpy(sim->state.velocity, velocity, bodies * sizeof *velocity);
  const bool corrected = rule == TS_PLACE_IN_STEP && rates > 0 && placing.found > 0.0;
  const bool renewed = corrected && ts_sim_keep_momentum(sim, arena);
  if (rates > 0 && !renewed) memcpy(sim->state.rates, rate, rates * sizeof *rate);
  if (placing.found > 0.0) ts_mechanics_follow(&sim->mechanics);
  sim->report = report;
  sim->solve_options.tolerance = tolerance;
  return placing;
}
