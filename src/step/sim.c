// A simulation: creating it, stepping it, and reading and writing its state. See include/touchstone/sim.h.
#include "step/sim.h"

#include "step/placing.h"

#include "contact/contact_sum.h"
#include "contact/touching.h"
#include "model/joint/type.h"

#include "base/clock.h"
#include "base/require.h"
#include "base/status.h"
#include "math/finite.h"

#include <math.h>
#include <stdio.h>
#include <string.h>

static void *counted_allocate(void *user, size_t bytes)
{
  ts_counting_allocator *counting = user;
  ++counting->allocations;
  return counting->inner.allocate(counting->inner.user, bytes);
}

static void counted_release(void *user, void *memory)
{
  const ts_counting_allocator *counting = user;
  counting->inner.release(counting->inner.user, memory);
}

static struct ts_tree_sizes sizes_of_tree(const ts_sim *sim)
{
  return sim->tree ? ts_tree_sizes(sim->tree) : (struct ts_tree_sizes){0};
}

// What a step that is given up has to be taken back to.
typedef struct ts_snapshot {
  ts_state state;
  ts_wrench *pushes; // not set where there are none
  bool pushed;
  ts_memory remembered;
  ts_step_report report;
  ts_energy_account account;
} snapshot;

static snapshot *allocate_snapshot(const ts_sim *sim, ts_arena *arena)
{
  snapshot *made = ts_arena_bytes(arena, 1, sizeof *made);
  const struct ts_tree_sizes tree = sizes_of_tree(sim);
  made->state = ts_state_allocate(sim->model, tree.q, tree.v, arena);
  made->pushes = ts_arena_bytes(arena, (size_t)sim->model->body_count, sizeof *made->pushes);
  return made;
}

// What a step changes of the state, and cannot be worked out again by ts_sim_follow().
typedef struct number_list {
  double *first;
  size_t count;
} number_list;

static number_list changing_numbers(const ts_sim *sim, const ts_state *state)
{
  double *all = (double *)state->pose, *first = sim->on_tree_alone ? state->turned : all;
  return (number_list){first, state->numbers - (size_t)(first - all)};
}

static void copy_state(const ts_sim *sim, const ts_state *from, ts_state *to)
{
  const number_list source = changing_numbers(sim, from), target = changing_numbers(sim, to);
  to->time = from->time;
  memcpy(target.first, source.first, source.count * sizeof *source.first);
}

static void take_snapshot(const ts_sim *sim, snapshot *taken)
{
  copy_state(sim, &sim->state, &taken->state);
  taken->pushed = sim->pushed;
  if (sim->pushed) memcpy(taken->pushes, sim->pushes, (size_t)sim->model->body_count * sizeof *taken->pushes);
  taken->remembered = sim->remembered;
  taken->report = sim->report;
  taken->account = sim->account;
}

static void allocate_arrays(ts_sim *sim)
{
  const size_t bodies = (size_t)sim->model->body_count;
  ts_arena *memory = &sim->memory;
  const struct ts_tree_sizes tree = sizes_of_tree(sim);
  sim->state = ts_state_allocate(sim->model, tree.q, tree.v, memory);
  sim->free_rates = ts_arena_doubles(memory, (size_t)tree.v);
  sim->mean_rates = ts_arena_doubles(memory, (size_t)tree.v);
  sim->applied = ts_arena_bytes(memory, bodies, sizeof *sim->applied);
  sim->base_acceleration = ts_arena_bytes(memory, bodies, sizeof *sim->base_acceleration);
  sim->kinematics.frame = ts_arena_bytes(memory, bodies, sizeof *sim->kinematics.frame);
  sim->kinematics.inverse_inertia = ts_arena_bytes(memory, bodies, sizeof *sim->kinematics.inverse_inertia);
  sim->free_velocity = ts_arena_bytes(memory, bodies, sizeof *sim->free_velocity);
  sim->old_velocity = ts_arena_bytes(memory, bodies, sizeof *sim->old_velocity);
  sim->pushes = ts_arena_bytes(memory, bodies, sizeof *sim->pushes);
  memset(sim->pushes, 0, bodies * sizeof *sim->pushes);
  memset(sim->free_velocity, 0, bodies * sizeof *sim->free_velocity);
  memset(sim->base_acceleration, 0, bodies * sizeof *sim->base_acceleration);
  sim->before = allocate_snapshot(sim, memory);
}

// Joints that are coordinates, and bodies that they move.
static void mark_tree(ts_sim *sim)
{
  const ts_model *model = sim->model;
  bool *in_tree = ts_arena_bytes(&sim->memory, (size_t)model->joint_count, sizeof *in_tree);
  bool *on_tree = ts_arena_bytes(&sim->memory, (size_t)model->body_count, sizeof *on_tree);
  ts_tree_mark(sim->tree, in_tree, on_tree);
  sim->in_tree = in_tree;
  sim->state.on_tree = on_tree;
  for (int b = 0; b < model->body_count; ++b)
    sim->bodies_apart = sim->bodies_apart || (model->bodies[b].kind == TS_DYNAMIC && !on_tree[b]);
}

static void list_angles(ts_sim *sim)
{
  const int nodes = ts_tree_sizes(sim->tree).nodes;
  ts_tree_angle *angles = ts_arena_bytes(&sim->memory, (size_t)nodes, sizeof *angles);
  for (int k = 0; k < nodes; ++k) {
    const ts_tree_node *node = ts_tree_node_at(sim->tree, k);
    if (node->joint >= 0 && ts_joint_has_angle(sim->model->joints[node->joint].kind))
      angles[sim->angle_count++] = (ts_tree_angle){node->joint, node->q};
  }
  sim->angles = angles;
}

// Damping from which a joint holds like a fixed one; more would overflow when a step's length and rates multiply it.
static const double HOLDS_LIKE_FIXED = 1e200;

// The damping of joints that are coordinates goes with the rates of the tree.
static void take_damping_of_tree(ts_sim *sim)
{
  const struct ts_tree_sizes sizes = ts_tree_sizes(sim->tree);
  double *damping = ts_arena_zeros(&sim->memory, (size_t)sizes.v);
  for (int k = 0; k < sizes.nodes; ++k) {
    const ts_tree_node *node = ts_tree_node_at(sim->tree, k);
    if (node->joint < 0 || sim->model->joints[node->joint].damping == 0.0) continue;
    damping[node->v] = fmin(HOLDS_LIKE_FIXED, sim->model->joints[node->joint].damping);
    sim->damping = damping;
  }
}

// Gravity is the same in every step.
static void weigh(ts_sim *sim)
{
  if (ts_forces_are_possible(sim->model)) return;
  sim->weight = ts_arena_bytes(&sim->memory, (size_t)sim->model->body_count, sizeof *sim->weight);
  ts_applied_wrenches(sim->model, &sim->state, &sim->kinematics, NULL, sim->weight);
}

// Angles of the tree's joints are coordinates: they do not jump.
void ts_sim_count_turns(ts_sim *sim, const double *q)
{
  for (int k = 0; k < sim->angle_count; ++k) sim->state.turned[sim->angles[k].joint] = q[sim->angles[k].q];
  if (ts_tree_sizes(sim->tree).closures > 0)
    ts_state_follow_joints(sim->model, &sim->kinematics, sim->in_tree, &sim->state);
}

// The tree brings up to date what is not dynamic, too.
static void follow_tree(ts_sim *sim)
{
  if (sim->bodies_apart) ts_kinematics_update(sim->model, &sim->state, &sim->kinematics);
  ts_tree_update(sim->tree, sim->state.q, sim->state.rates, &sim->state, &sim->kinematics);
  ts_sim_count_turns(sim, sim->state.q);
}

void ts_sim_follow(ts_sim *sim)
{
  if (sim->tree) {
    follow_tree(sim);
    return;
  }
  ts_kinematics_update(sim->model, &sim->state, &sim->kinematics);
  ts_state_follow_joints(sim->model, &sim->kinematics, NULL, &sim->state);
}

// Coordinates from poses and twists that were given for bodies.
static void read_tree(ts_sim *sim)
{
  if (sim->tree) ts_tree_read(sim->tree, &sim->state, sim->state.q, sim->state.rates);
}

static void report_start(ts_sim *sim)
{
  sim->report =
      (ts_step_report){.certified = true, .impulses_unique = true, .solver = "none", .energy_scaled_back = 1.0};
  sim->report.kinetic_energy = ts_kinetic_energy(sim->model, &sim->kinematics, sim->state.velocity);
  sim->report.potential_energy = ts_potential_energy(sim->model, &sim->state);
}

static void start(ts_sim *sim)
{
  const bool *on_tree = sim->state.on_tree;
  ts_state_init(sim->model, &sim->state);
  ts_place_kinematic_bodies(sim, 0.0);
  sim->state.on_tree = NULL; // all bodies are where the model has them
  ts_kinematics_update(sim->model, &sim->state, &sim->kinematics);
  ts_sim_allow_velocities(sim, &sim->memory);
  sim->state.on_tree = on_tree;
  if (sim->tree) {
    read_tree(sim);
    ts_sim_follow(sim);
  }
  memcpy(sim->old_velocity, sim->state.velocity, (size_t)sim->model->body_count * sizeof *sim->old_velocity);
  report_start(sim);
}

// What implicit damping adds to the inertia of the tree in a whole step; NULL where none does.
static const double *softness_of_steps(ts_sim *sim)
{
  if (!sim->damping || sim->options.method->needs_tree) return NULL;
  const size_t rates = (size_t)ts_tree_sizes(sim->tree).v;
  double *softness = ts_arena_doubles(&sim->memory, rates);
  for (size_t k = 0; k < rates; ++k) softness[k] = sim->options.size * sim->damping[k];
  return softness;
}

// A joint about which nothing has inertia, such as one through a particle, leaves its rate open.
static ts_status check_tree(ts_sim *sim, ts_error *error)
{
  return sim->tree ? ts_tree_try_factor(sim->tree, softness_of_steps(sim), error) : TS_OK;
}

static ts_solve_options solve_options(const ts_step_options *options)
{
  ts_solve_options solve = ts_solve_options_default();
  solve.tolerance = options->tolerance;
  solve.max_iterations = options->max_iterations;
  solve.line_search = options->line_search;
  solve.impulse_scale = options->impulse_scale;
  return solve;
}

// Forces, those of joints included, act as the start of the step has them. Positions that do not follow with the new
// velocity alone then gain energy from all that pulls back, (1 - theta) h w^2/2 of an amplitude a second at the
// frequency w; and joints pull without bound.
static ts_status check_theta(const ts_model *model, const ts_step_options *options, ts_error *error)
{
  if (options->method != &ts_stepper_velocity || options->theta == 1.0 || model->joint_count == 0) return TS_OK;
  return ts_fail(error, TS_UNSUPPORTED, "theta is %g, with joints it must be 1: below that they gain energy",
                 options->theta);
}

static ts_impact_law law_in_force(const ts_model *model, const ts_step_options *options)
{
  if (options->impacts != TS_IMPACT_DEFAULT) return options->impacts;
  return ts_model_rebounds(model) ? options->method->rebounds : TS_IMPACT_INELASTIC;
}

// Positions at the start, and energies that go with them.
static void place_at_start(ts_sim *sim, jmp_buf *recovery)
{
  if (sim->options.start == TS_START_AS_GIVEN) return;
  ts_arena *arena = &sim->scratch[1 - sim->turn];
  arena->recovery = recovery;
  const ts_placing placing = ts_sim_place(sim, TS_PLACE_START, arena);
  sim->correction_count = placing.count;
  if (placing.count > 0) {
    const size_t count = (size_t)placing.count;
    sim->corrections = ts_arena_bytes(&sim->memory, count, sizeof *sim->corrections);
    memcpy(sim->corrections, placing.corrections, count * sizeof *sim->corrections);
  }
  if (placing.found > 0.0) report_start(sim);
  arena->recovery = NULL;
  ts_arena_reset(arena);
}

// Whichever arena control came from.
static ts_status give_up_creation(ts_sim *sim, ts_error *error)
{
  ts_arena *arena = &sim->memory;
  for (int k = 0; k < 2; ++k)
    if (sim->scratch[k].refused.what) arena = &sim->scratch[k];
  const ts_status status = ts_arena_reason(arena, error, "for the simulation");
  ts_sim_destroy(sim);
  return status;
}

// Of all bodies after ten steps, [J]; and a thousand times what repairs that are nothing make of bodies at rest, for
// gains are held against a thousandth.
static double energy_of_a_fall(const ts_model *model, double h)
{
  double energy = 0.0;
  for (int b = 0; b < model->body_count; ++b) {
    const ts_vec3 gravity = model->bodies[b].gravity;
    energy += model->bodies[b].mass * (50.0 * h * h * ts_dot(gravity, gravity) + 1e3 * TS_SLOW_REPAIR * TS_SLOW_REPAIR);
  }
  return energy;
}

ts_status ts_sim_create(const ts_model *model, const ts_step_options *options, const ts_allocator *allocator,
                        ts_sim **sim_out, ts_error *error)
{
  TS_REFUSE_UNLESS(sim_out, error);
  *sim_out = NULL;
  TS_REFUSE_UNLESS(model, error);
  TS_REFUSE_UNLESS(options, error);
  TS_TRY(ts_step_options_check(options, error));
  TS_TRY(check_theta(model, options, error));
  if (options->method->check_model) TS_TRY(options->method->check_model(model, error));
  ts_arena probe; // knows what NULL means
  ts_arena_init(&probe, allocator);
  ts_sim *sim = probe.allocator.allocate(probe.allocator.user, sizeof *sim);
  if (!sim) return ts_fail(error, TS_OUT_OF_MEMORY, "memory ran out for the simulation");
  memset(sim, 0, sizeof *sim);
  sim->model = model;
  sim->options = *options;
  sim->options.impacts = law_in_force(model, options);
  sim->stabilization =
      options->stabilization == TS_STABILIZATION_DEFAULT ? options->method->stabilization : options->stabilization;
  sim->solve_options = solve_options(options);
  sim->counting.inner = probe.allocator;
  sim->allocator = (ts_allocator){counted_allocate, counted_release, &sim->counting};
  ts_arena_init(&sim->memory, &sim->allocator);
  ts_arena_init(&sim->scratch[0], &sim->allocator);
  ts_arena_init(&sim->scratch[1], &sim->allocator);

  jmp_buf recovery;
  sim->memory.recovery = &recovery;
  if (setjmp(recovery)) return give_up_creation(sim, error);
  sim->workspace = ts_workspace_create(&sim->allocator);
  if (!sim->workspace) longjmp(recovery, 1);
  const bool minimal = options->coordinates == TS_COORDINATES_MINIMAL && model->joint_count > 0;
  if (minimal || options->method->needs_tree)
    sim->tree = ts_tree_create(model, !options->method->needs_tree, &sim->memory);
  allocate_arrays(sim);
  if (sim->tree) {
    mark_tree(sim);
    ts_bases_init(sim);
    sim->has_products = ts_tree_has_products(sim->tree);
    take_damping_of_tree(sim);
    list_angles(sim);
  }
  sim->on_tree_alone = sim->tree && !sim->bodies_apart && model->motion_count == 0;
  weigh(sim);
  sim->rows_possible = ts_rows_are_possible(model, sim->in_tree);
  if (!ts_finder_init(&sim->finder, model, &sim->memory)) longjmp(recovery, 1);
  if (options->method->needs_tree) {
    sim->sweeper = ts_broad_phase_create(model->part_count, &sim->allocator);
    if (!sim->sweeper) longjmp(recovery, 1);
    sim->finder.touching = 2.0 * TS_TOUCHING; // bodies at rest are seen to touch though round-off has parted them
  }
  sim->finder.arms_to_surfaces = options->arms == TS_ARMS_SURFACE;
  start(sim);
  sim->fall = energy_of_a_fall(model, options->size);
  const double implicit_step = options->method->needs_tree ? 0.0 : options->size;
  ts_status status = ts_massless_check(model, sim->tree, implicit_step, &sim->memory, error);
  if (status == TS_OK) status = check_tree(sim, error);
  if (status == TS_OK) place_at_start(sim, &recovery);
  sim->memory.recovery = NULL;
  if (status != TS_OK)
    ts_sim_destroy(sim);
  else
    *sim_out = sim;
  return status;
}

void ts_sim_destroy(ts_sim *sim)
{
  if (!sim) return;
  TS_REQUIRE(!sim->in_callback);
  const ts_allocator allocator = sim->counting.inner;
  ts_finder_release(&sim->finder);
  ts_broad_phase_destroy(sim->sweeper);
  ts_workspace_destroy(sim->workspace);
  ts_arena_release(&sim->scratch[0]);
  ts_arena_release(&sim->scratch[1]);
  ts_arena_release(&sim->memory);
  allocator.release(allocator.user, sim);
}

static void forget_pushes(ts_sim *sim)
{
  if (sim->pushed) memset(sim->pushes, 0, (size_t)sim->model->body_count * sizeof *sim->pushes);
  sim->pushed = false;
}

// The pushes of the user hold for all parts of a step, those of the callback for the part that it was called for.
static void take_back_pushes(ts_sim *sim, const snapshot *taken)
{
  if (!taken->pushed)
    forget_pushes(sim);
  else
    memcpy(sim->pushes, taken->pushes, (size_t)sim->model->body_count * sizeof *sim->pushes);
}

static void go_back(ts_sim *sim, const snapshot *taken)
{
  copy_state(sim, &taken->state, &sim->state);
  ts_sim_follow(sim);
  sim->remembered = taken->remembered;
  sim->report = taken->report;
  sim->account = taken->account;
}

static bool is_finite_state(const ts_sim *sim)
{
  const number_list numbers = changing_numbers(sim, &sim->state);
  return ts_all_finite(numbers.first, numbers.count);
}

static void begin_report(ts_sim *sim)
{
  sim->report =
      (ts_step_report){.certified = true, .impulses_unique = true, .solver = "none", .energy_scaled_back = 1.0};
}

// How a step that is not certified is cut. Halving helps where a step was too long for its contacts. Where bodies are
// jammed it does not: once a half is no better than the whole was, nothing is cut any more.
typedef struct cutting {
  int limit;       // parts of a step at most
  double residual; // of the last attempt that was given up
  double excess;   // of energy, likewise
  bool in_vain;
  ts_contact_set contacts; // of the parts taken so far, impulses summed
} cutting;

// Where bodies pass through each other a shorter step helps, whatever the residual is; where all is `solved` and energy
// was gained it is of no interest.
static bool is_no_better(const ts_sim *sim, bool solved, const cutting *cut)
{
  const bool stuck = !solved && !sim->report.tunnelled && sim->report.residual > 0.5 * cut->residual;
  return stuck || sim->excess > 0.75 * cut->excess;
}

// A part of the step is taken for good.
static void accept_part(ts_sim *sim, int parts, cutting *cut, ts_arena *arena)
{
  ++sim->report.substeps;
  if (parts == 1) return;
  cut->contacts = ts_contact_sum(&cut->contacts, &sim->contacts, sim->state.velocity, arena);
  sim->contacts = cut->contacts;
  sim->report.contacts = sim->contacts.count;
}

// What changes the state is refused meanwhile.
static void call_back(ts_sim *sim)
{
  if (!sim->callback) return;
  sim->in_callback = true;
  sim->callback(sim->callback_user, sim, sim->state.time);
  sim->in_callback = false;
}

// An explosion goes no farther than the velocities carry that it is left with.
static void take_back(ts_sim *sim, double h, const snapshot *before)
{
  const size_t bodies = (size_t)sim->model->body_count, rates = (size_t)sizes_of_tree(sim).v;
  if (!ts_energy_slow_down(sim, &before->account)) return;
  memcpy(sim->old_velocity, sim->state.velocity, bodies * sizeof *sim->old_velocity);
  if (sim->tree) memcpy(sim->free_rates, sim->state.rates, rates * sizeof *sim->free_rates);
  copy_state(sim, &before->state, &sim->state);
  memcpy(sim->state.velocity, sim->old_velocity, bodies * sizeof *sim->old_velocity);
  if (sim->tree) {
    memcpy(sim->state.rates, sim->free_rates, rates * sizeof *sim->free_rates);
    ts_tree_advance(sim->tree, h, sim->state.rates, sim->state.q);
  }
  if (!sim->tree || sim->bodies_apart) ts_state_advance(sim->model, h, 1.0, sim->old_velocity, &sim->state);
  sim->state.time += h;
  ts_place_kinematic_bodies(sim, sim->state.time);
  ts_sim_follow(sim);
  ts_energy_renew(sim, h, &before->account, &before->report);
}

// Advance by h. A step that is not certified is taken again in two halves, unless it is as short as it may be or
// halving was in vain: then its best point counts, and the report says so. False when numbers that are not finite
// came up even so. `before` is the simulation as it is now.
static bool advance(ts_sim *sim, double h, int parts, const snapshot *before, cutting *cut, ts_arena *arena)
{
  const size_t bodies = (size_t)sim->model->body_count;
  memcpy(sim->old_velocity, sim->state.velocity, bodies * sizeof *sim->old_velocity);
  if (sim->base_of) ts_bases_begin(sim);
  sim->excess = sim->surplus = 0.0;
  sim->report_before = &before->report;
  call_back(sim);
  const bool finite = sim->options.method->step(sim, h, arena) && is_finite_state(sim);
  const bool solved = sim->report.certified;
  take_back_pushes(sim, before);
  if (finite) {
    ts_sim_follow(sim);
    if (!sim->options.method->needs_tree) ts_bases_close(sim);
    ts_energy_close(sim, h, &before->account, &before->report);
  }
  const bool certified = finite && sim->report.certified;
  if (finite && !certified && parts > 1 && is_no_better(sim, solved, cut)) cut->in_vain = true;
  if (certified || (finite && (parts >= cut->limit || cut->in_vain))) {
    if (sim->surplus > 0.0) take_back(sim, h, before);
    accept_part(sim, parts, cut, arena);
    return true;
  }
  if (parts >= cut->limit) return false;
  cut->residual = sim->report.residual;
  cut->excess = sim->excess;
  go_back(sim, before);
  if (!advance(sim, 0.5 * h, 2 * parts, before, cut, arena)) return false;
  snapshot *halfway = allocate_snapshot(sim, arena);
  take_snapshot(sim, halfway);
  return advance(sim, 0.5 * h, 2 * parts, halfway, cut, arena);
}

// At the end of the step. False when its energy is not finite: nothing that was computed with it can be trusted then.
static bool arrive(ts_sim *sim)
{
  sim->state.time = sim->start_time + (double)(sim->steps + 1) * sim->options.size; // without the round-off of a sum
  return isfinite(sim->report.kinetic_energy + sim->report.potential_energy);
}

static void end_step(ts_sim *sim, double started)
{
  sim->turn = 1 - sim->turn;
  forget_pushes(sim);
  ++sim->steps;
  if (sim->timed) sim->report.seconds = ts_clock_seconds() - started;
}

// Give up a step. Contacts that were found since the last one lay in the memory of this one: they are gone.
static void give_up(ts_sim *sim, const ts_step_report *last)
{
  sim->scratch[1 - sim->turn].recovery = NULL;
  sim->contacts = (ts_contact_set){.count = 0};
  go_back(sim, sim->before);
  take_back_pushes(sim, sim->before);
  sim->report = *last;
}

// What the user has placed into others, or off its joints.
static void take_out(ts_sim *sim, ts_arena *arena)
{
  sim->placed = false;
  if (sim->options.start == TS_START_AS_GIVEN) return;
  ts_sim_take_out(sim, TS_PLACE_MOVED, arena);
  sim->account.is_known = false;
  ts_energy_begin(sim);
  take_snapshot(sim, sim->before);
}

ts_status ts_sim_step(ts_sim *sim, ts_error *error)
{
  TS_REFUSE_UNLESS(sim, error);
  TS_REFUSE_UNLESS(!sim->in_callback, error);
  const double started = sim->timed ? ts_clock_seconds() : 0.0, time = sim->state.time;
  ts_arena *arena = &sim->scratch[1 - sim->turn];
  ts_arena_reset(arena);
  const ts_step_report last = sim->report;
  begin_report(sim);
  ts_energy_begin(sim);
  take_snapshot(sim, sim->before);
  sim->interrupted = false;
  jmp_buf recovery;
  arena->recovery = &recovery;
  if (setjmp(recovery)) {
    give_up(sim, &last);
    if (sim->interrupted) return ts_fail(error, TS_INTERRUPTED, "the step at t = %g s was interrupted", time);
    char where[64];
    snprintf(where, sizeof where, "in the step at t = %g s", time);
    return ts_arena_reason(arena, error, where);
  }
  if (sim->placed) take_out(sim, arena);
  cutting cut = {.limit = sim->options.max_substeps};
  const bool advanced = advance(sim, sim->options.size, 1, sim->before, &cut, arena);
  arena->recovery = NULL;
  if (!advanced) {
    give_up(sim, &last);
    return ts_fail(error, TS_INVALID, "the step at t = %g s gives numbers that are not finite", time);
  }
  if (!arrive(sim)) {
    give_up(sim, &last);
    return ts_fail(error, TS_INVALID, "the energy after the step at t = %g s is not a finite number", time);
  }
  end_step(sim, started);
  return TS_OK;
}

const ts_correction *ts_sim_corrections(const ts_sim *sim, int *count)
{
  TS_REQUIRE(sim);
  TS_REQUIRE(count);
  *count = sim->correction_count;
  return sim->corrections;
}

const ts_model *ts_sim_model(const ts_sim *sim)
{
  TS_REQUIRE(sim);
  return sim->model;
}

const ts_step_options *ts_sim_options(const ts_sim *sim)
{
  TS_REQUIRE(sim);
  return &sim->options;
}

double ts_sim_time(const ts_sim *sim)
{
  TS_REQUIRE(sim);
  return sim->state.time;
}

const ts_step_report *ts_sim_report(const ts_sim *sim)
{
  TS_REQUIRE(sim);
  return &sim->report;
}

// From the centre of mass to the origin that the user sees, in world axes.
static ts_vec3 origin_arm(const ts_sim *sim, int body)
{
  const ts_vec3 arm = ts_negate(sim->model->bodies[body].centre);
  return ts_quat_rotate(sim->state.pose[body].orientation, arm);
}

ts_pose ts_sim_pose(const ts_sim *sim, int body)
{
  TS_REQUIRE(sim);
  TS_REQUIRE(body >= 0 && body < sim->model->body_count);
  const ts_pose *pose = &sim->state.pose[body];
  return (ts_pose){ts_add(pose->position, origin_arm(sim, body)), pose->orientation};
}

double ts_sim_angle(const ts_sim *sim, int body)
{
  TS_REQUIRE(sim);
  TS_REQUIRE(body >= 0 && body < sim->model->body_count);
  return sim->state.angle[body];
}

ts_twist ts_sim_velocity(const ts_sim *sim, int body)
{
  TS_REQUIRE(sim);
  TS_REQUIRE(body >= 0 && body < sim->model->body_count);
  const ts_twist v = sim->state.velocity[body];
  return (ts_twist){ts_twist_at(v, origin_arm(sim, body)), v.angular};
}

static ts_status check_dynamic(const ts_sim *sim, int body, const char *what, ts_error *error)
{
  if (body < 0 || body >= sim->model->body_count)
    return ts_fail(error, TS_INVALID, "there is no body %d to %s", body, what);
  if (sim->model->bodies[body].kind == TS_DYNAMIC) return TS_OK;
  return ts_fail(error, TS_INVALID, "body '%s' is not dynamic, it is not possible to %s it",
                 sim->model->bodies[body].name, what);
}

// In the plane nothing goes along z or turns about x and y.
static ts_status check_planar(const ts_sim *sim, int body, const char *what, ts_vec3 along, ts_vec3 about,
                              ts_error *error)
{
  if (sim->model->space == TS_SPACE_3D || (along.z == 0.0 && about.x == 0.0 && about.y == 0.0)) return TS_OK;
  return ts_fail(error, TS_INVALID, "body '%s' moves in the plane, its %s must lie in it",
                 sim->model->bodies[body].name, what);
}

// The angle nearest to `old` that turns as the quaternion (about z) does.
static double angle_near(double old, ts_quat q)
{
  static const double TURN = 6.283185307179586;
  const double angle = 2.0 * atan2(q.z, q.w);
  return angle + TURN * round((old - angle) / TURN);
}

ts_status ts_sim_set_pose(ts_sim *sim, int body, const ts_pose *pose, ts_error *error)
{
  TS_REFUSE_UNLESS(sim, error);
  TS_REFUSE_UNLESS(!sim->in_callback, error);
  TS_REFUSE_UNLESS(pose, error);
  TS_TRY(check_dynamic(sim, body, "place", error));
  const double length = ts_quat_length(pose->orientation);
  if (!ts_vec3_is_finite(pose->position) || !(fabs(length - 1.0) < 1e-6))
    return ts_fail(error, TS_INVALID, "body '%s': the pose needs finite numbers and a quaternion of length 1",
                   sim->model->bodies[body].name);
  const ts_quat q = pose->orientation;
  TS_TRY(check_planar(sim, body, "pose", pose->position, (ts_vec3){q.x, q.y, q.z}, error));
  ts_pose *own = &sim->state.pose[body];
  own->orientation = ts_quat_normalize(pose->orientation);
  if (sim->model->space == TS_SPACE_2D) sim->state.angle[body] = angle_near(sim->state.angle[body], own->orientation);
  own->position = ts_sub(pose->position, origin_arm(sim, body));
  sim->account.is_known = false;
  read_tree(sim);
  ts_sim_follow(sim);
  sim->placed = true;
  return TS_OK;
}

ts_status ts_sim_set_velocity(ts_sim *sim, int body, const ts_twist *velocity, ts_error *error)
{
  TS_REFUSE_UNLESS(sim, error);
  TS_REFUSE_UNLESS(!sim->in_callback, error);
  TS_REFUSE_UNLESS(velocity, error);
  TS_TRY(check_dynamic(sim, body, "set a velocity of", error));
  if (!ts_vec3_is_finite(velocity->linear) || !ts_vec3_is_finite(velocity->angular))
    return ts_fail(error, TS_INVALID, "body '%s': the velocity needs finite numbers", sim->model->bodies[body].name);
  TS_TRY(check_planar(sim, body, "velocity", velocity->linear, velocity->angular, error));
  const ts_vec3 to_centre = ts_negate(origin_arm(sim, body));
  sim->state.velocity[body] = (ts_twist){ts_twist_at(*velocity, to_centre), velocity->angular};
  sim->account.is_known = false;
  if (sim->tree) {
    read_tree(sim);
    ts_sim_follow(sim);
  }
  return TS_OK;
}

ts_status ts_sim_push(ts_sim *sim, int body, const ts_wrench *wrench, ts_error *error)
{
  TS_REFUSE_UNLESS(sim, error);
  TS_REFUSE_UNLESS(wrench, error);
  TS_TRY(check_dynamic(sim, body, "push", error));
  if (!ts_vec3_is_finite(wrench->force) || !ts_vec3_is_finite(wrench->moment))
    return ts_fail(error, TS_INVALID, "body '%s': the wrench needs finite numbers", sim->model->bodies[body].name);
  TS_TRY(check_planar(sim, body, "push", wrench->force, wrench->moment, error));
  ts_wrench *push = &sim->pushes[body];
  *push = (ts_wrench){ts_add(push->force, wrench->force), ts_add(push->moment, wrench->moment)};
  sim->pushed = sim->pushed || ts_wrench_is_something(wrench);
  return TS_OK;
}

void ts_sim_set_callback(ts_sim *sim, ts_force_callback *callback, void *user)
{
  TS_REQUIRE(sim);
  sim->callback = callback;
  sim->callback_user = user;
}

void ts_sim_set_interrupt(ts_sim *sim, ts_interrupt_callback *interrupt, void *user)
{
  TS_REQUIRE(sim);
  sim->interrupt = (ts_interrupt){interrupt, user};
  ts_workspace_set_interrupt(sim->workspace, sim->interrupt);
}

void ts_sim_heed(ts_sim *sim)
{
  if (!sim->interrupt.ask || !sim->interrupt.ask(sim->interrupt.user)) return;
  sim->interrupted = true;
  longjmp(*sim->scratch[1 - sim->turn].recovery, 1);
}

void ts_sim_set_timing(ts_sim *sim, bool timed)
{
  TS_REQUIRE(sim);
  sim->timed = timed;
}

const char *ts_contact_mode_name(ts_contact_mode mode)
{
  static const char *const names[] = {"separate", "stick", "slip", "roll"};
  return (unsigned)mode < sizeof names / sizeof names[0] ? names[mode] : "unknown";
}

const ts_contact *ts_sim_contacts(const ts_sim *sim, int *count)
{
  TS_REQUIRE(sim);
  TS_REQUIRE(count);
  *count = sim->contacts.count;
  return sim->contacts.contacts;
}

ts_status ts_sim_find_contacts(ts_sim *sim, ts_error *error)
{
  TS_REFUSE_UNLESS(sim, error);
  TS_REFUSE_UNLESS(!sim->in_callback, error);
  ts_arena *arena = &sim->scratch[1 - sim->turn];
  ts_arena_reset(arena);
  jmp_buf recovery;
  arena->recovery = &recovery;
  bool found = false;
  if (!setjmp(recovery))
    found = ts_find_contacts(&sim->finder, &sim->kinematics, sim->state.velocity, sim->options.size,
                             sim->options.margin, arena, &sim->contacts);
  arena->recovery = NULL;
  return found ? TS_OK : ts_arena_reason(arena, error, "where the simulation is");
}

static void write_row(double row[12], int side, double sign, ts_vec3 linear, ts_vec3 angular)
{
  const double values[6] = {linear.x, linear.y, linear.z, angular.x, angular.y, angular.z};
  for (int k = 0; k < 6; ++k) row[6 * side + k] = sign * values[k];
}

void ts_sim_contact_jacobian(const ts_sim *sim, int contact, double jacobian[4][12])
{
  TS_REQUIRE(sim);
  TS_REQUIRE(contact >= 0 && contact < sim->contacts.count);
  TS_REQUIRE(jacobian);
  const ts_contact *c = &sim->contacts.contacts[contact];
  const ts_vec3 directions[3] = {c->normal, c->tangent, c->other}, none = {0.0, 0.0, 0.0};
  for (int side = 0; side < 2; ++side) {
    const ts_vec3 arm = side == 0 ? c->arm_1 : c->arm_2;
    const double sign = side == 0 ? 1.0 : -1.0;
    for (int r = 0; r < 3; ++r) write_row(jacobian[r], side, sign, directions[r], ts_cross(arm, directions[r]));
    write_row(jacobian[3], side, sign, none, c->normal);
  }
}

ts_wrench ts_sim_contact_wrench(const ts_sim *sim, int contact)
{
  TS_REQUIRE(sim);
  TS_REQUIRE(contact >= 0 && contact < sim->contacts.count);
  const ts_contact *c = &sim->contacts.contacts[contact];
  ts_vec3 force = ts_scale(c->impulse[0], c->normal);
  force = ts_add_scaled(force, c->impulse[1], c->tangent);
  force = ts_add_scaled(force, c->impulse[2], c->other);
  return (ts_wrench){force, ts_add_scaled(ts_cross(c->arm_1, force), c->impulse[3], c->normal)};
}

size_t ts_sim_memory(const ts_sim *sim, int *growths)
{
  TS_REQUIRE(sim);
  if (growths) *growths = sim->counting.allocations;
  return ts_arena_peak(&sim->memory) + ts_arena_peak(&sim->scratch[0]) + ts_arena_peak(&sim->scratch[1]) +
         ts_workspace_peak(sim->workspace);
}
