// A simulation: creating it, stepping it, and reading and writing its state. See include/touchstone/sim.h.
#include "step/sim.h"

#include "step/bases.h"
#include "step/energy.h"
#include "step/impulses.h"
#include "step/joint_loads.h"
#include "step/placing.h"
#include "step/solve.h"
#include "step/repair.h"
#include "step/snapshot.h"
#include "step/start.h"
#include "step/supports.h"

#include "contact/contact_sum.h"

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

static void allocate_arrays(ts_sim *sim)
{
  const size_t bodies = (size_t)sim->model->body_count;
  ts_arena *memory = &sim->memory;
  sim->free_velocity = ts_arena_bytes(memory, bodies, sizeof *sim->free_velocity);
  sim->old_velocity = ts_arena_bytes(memory, bodies, sizeof *sim->old_velocity);
  sim->pushes = ts_arena_bytes(memory, bodies, sizeof *sim->pushes);
  memset(sim->pushes, 0, bodies * sizeof *sim->pushes);
  memset(sim->free_velocity, 0, bodies * sizeof *sim->free_velocity);
  sim->commands = ts_arena_bytes(memory, (size_t)sim->model->joint_count, sizeof *sim->commands);
  sim->numbers = ts_arena_zeros(memory, (size_t)sim->number_count);
  sim->support_loads = sim->numbers + sim->number_count - sim->model->support_point_count;
  ts_supports_rest(sim);
  sim->before = ts_snapshot_allocate(sim, memory);
}

static ts_step_report fresh_report(void)
{
  return (ts_step_report){
      .certified = true, .unique = true, .impulses_unique = true, .solver = "none", .energy_scaled_back = 1.0};
}

static void report_start(ts_sim *sim)
{
  sim->report = fresh_report();
  if (!sim->options.method->without_inertia)
    sim->report.kinetic_energy = ts_kinetic_energy(sim->model, &sim->kinematics, sim->state.velocity);
  sim->report.potential_energy = ts_sim_potential_energy(sim);
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
  ts_mechanics_adopt(&sim->mechanics);
  memcpy(sim->old_velocity, sim->state.velocity, (size_t)sim->model->body_count * sizeof *sim->old_velocity);
  report_start(sim);
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

static bool is_soft(const ts_sim *sim)
{
  return sim->model->skin_count > 0 || sim->options.method->is_elastic;
}

// Skins and springs of what overlaps where bodies stand.
static void press_in(ts_sim *sim, ts_arena *arena)
{
  if (sim->model->skin_count > 0) sim->skins = ts_skins_press_in(&sim->skins, &sim->finder, &sim->kinematics, arena);
  if (!sim->options.method->is_elastic) return;
  const ts_contact_set contacts = ts_contacts_at(&sim->finder, &sim->kinematics, arena);
  sim->elastic = ts_elastic_press_in(&contacts, arena);
}

// The memory is that of the step before.
static void press_in_at_start(ts_sim *sim, jmp_buf *recovery)
{
  if (!is_soft(sim)) return;
  ts_arena *arena = &sim->scratch[sim->turn];
  arena->recovery = recovery;
  press_in(sim, arena);
  arena->recovery = NULL;
  report_start(sim);
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

// What needs no memory of its own.
static ts_sim *allocate_sim(const ts_model *model, const ts_step_options *options, const ts_allocator *allocator)
{
  ts_arena probe; // knows what NULL means
  ts_arena_init(&probe, allocator);
  ts_sim *sim = probe.allocator.allocate(probe.allocator.user, sizeof *sim);
  if (!sim) return NULL;
  memset(sim, 0, sizeof *sim);
  sim->model = model;
  sim->options = *options;
  sim->number_count = options->method->number_count + model->controller_number_count + model->support_point_count;
  sim->options.impacts = law_in_force(model, options);
  sim->theta = 1.0;
  sim->weight_power[0] = NAN;
  sim->stabilization =
      options->stabilization == TS_STABILIZATION_DEFAULT ? options->method->stabilization : options->stabilization;
  sim->solve_options = solve_options(options);
  sim->counting.inner = probe.allocator;
  sim->allocator = (ts_allocator){counted_allocate, counted_release, &sim->counting};
  ts_arena_init(&sim->memory, &sim->allocator);
  ts_arena_init(&sim->scratch[0], &sim->allocator);
  ts_arena_init(&sim->scratch[1], &sim->allocator);
  return sim;
}

// Releases the simulation where it fails.
static ts_status hire_team(ts_sim *sim, ts_error *error)
{
  const int threads = sim->options.threads;
  if (threads == 1) return TS_OK;
  sim->team = ts_team_create(threads, &sim->allocator);
  if (sim->team) return TS_OK;
  ts_sim_destroy(sim);
  return ts_fail(error, TS_OUT_OF_MEMORY, "memory ran out for the simulation, or its %d threads cannot be had",
                 threads);
}

ts_status ts_sim_create(const ts_model *model, const ts_step_options *options, const ts_allocator *allocator,
                        ts_sim **sim, ts_error *error)
{
  TS_REFUSE_UNLESS(sim, error);
  *sim = NULL;
  TS_REFUSE_UNLESS(model, error);
  TS_REFUSE_UNLESS(options, error);
  TS_TRY(ts_step_options_check(options, error));
  return ts_sim_create_like(NULL, model, options, allocator, sim, error);
}

ts_status ts_sim_create_like(const ts_sim *like, const ts_model *model, const ts_step_options *options,
                             const ts_allocator *allocator, ts_sim **sim_out, ts_error *error)
{
  *sim_out = NULL;
  TS_TRY(ts_stepper_check_skins(options->method, model, error));
  TS_TRY(ts_stepper_check_model(options->method, model, options, error));
  ts_sim *sim = allocate_sim(model, options, allocator);
  if (!sim) return ts_fail(error, TS_OUT_OF_MEMORY, "memory ran out for the simulation");
  TS_TRY(hire_team(sim, error));
  jmp_buf recovery;
  sim->memory.recovery = &recovery;
  if (setjmp(recovery)) return give_up_creation(sim, error);
  sim->workspace = ts_workspace_create(&sim->allocator);
  if (!sim->workspace) longjmp(recovery, 1);
  ts_workspace_set_team(sim->workspace, sim->team);
  const ts_mechanics_choice choice = {.minimal = options->coordinates == TS_COORDINATES_MINIMAL,
                                      .all_moves = options->method->needs_coordinates,
                                      .gyroscopic = options->gyroscopic};
  ts_mechanics_init(&sim->mechanics, model, choice, &sim->state, &sim->kinematics, &sim->memory);
  allocate_arrays(sim);
  ts_bases_init(sim);
  sim->rows_possible = ts_rows_are_possible(model, sim->mechanics.is_coordinate);
  if (!ts_finder_init(&sim->finder, model, like ? &like->finder : NULL, &sim->memory)) longjmp(recovery, 1);
  if (options->method->create && !options->method->create(sim)) longjmp(recovery, 1);
  sim->finder.team = sim->team;
  sim->finder.arms_to_surfaces = options->arms == TS_ARMS_SURFACE;
  start(sim);
  sim->fall = energy_of_a_fall(model, options->size);
  sim->length = ts_length_of_interest(model, &sim->memory);
  const double implicit_step = options->method->is_smooth ? 0.0 : options->size;
  const ts_status status = ts_mechanics_check(&sim->mechanics, implicit_step, &sim->memory, error);
  if (status == TS_OK) place_at_start(sim, &recovery);
  if (status == TS_OK) press_in_at_start(sim, &recovery);
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
  if (sim->options.method->destroy) sim->options.method->destroy(sim);
  ts_workspace_destroy(sim->workspace);
  ts_team_destroy(sim->team);
  ts_arena_release(&sim->scratch[0]);
  ts_arena_release(&sim->scratch[1]);
  ts_arena_release(&sim->memory);
  allocator.release(allocator.user, sim);
}

static bool is_finite_state(const ts_sim *sim)
{
  const ts_number_list numbers = ts_mechanics_numbers(&sim->mechanics, &sim->state);
  return ts_all_finite(numbers.first, numbers.count);
}

// How a step that is not certified is cut. Halving helps where a step was too long for its contacts. Where bodies are
// jammed it does not: once a half is no better than the whole was, nothing is cut any more.
typedef struct cutting {
  int limit;       // substeps at most
  double residual; // of the last attempt that was given up
  double excess;   // of energy, likewise
  bool in_vain;
  ts_contact_set contacts; // of the substeps taken so far, impulses summed
} cutting;

// Where bodies pass through each other a shorter step helps, whatever the residual is; where all is `solved` and energy
// was gained it is of no interest.
static bool is_no_better(const ts_sim *sim, bool solved, const cutting *cut)
{
  const bool stuck = !solved && !sim->report.tunnelled && sim->report.residual > 0.5 * cut->residual;
  return stuck || sim->excess > 0.75 * cut->excess;
}

// A substep is taken for good.
static void accept_substep(ts_sim *sim, int substeps, cutting *cut, ts_arena *arena)
{
  ++sim->report.substeps;
  if (substeps == 1) return;
  cut->contacts = ts_contact_sum(&cut->contacts, &sim->contacts, sim->state.velocity, arena);
  sim->contacts = cut->contacts;
  sim->report.contacts = ts_contact_set_touching(&sim->contacts);
}

static void control(ts_sim *sim, const ts_controller *controller, double h)
{
  double *numbers = sim->numbers + sim->options.method->number_count + controller->first_number;
  const ts_control handed = {sim, sim->state.time, h, controller->parameters, numbers};
  controller->def.control(controller->def.user, &handed);
}

// What changes the state is refused meanwhile.
static void call_back(ts_sim *sim, double h)
{
  if (!sim->callback && sim->model->controller_count == 0) return;
  sim->in_callback = true;
  for (int i = 0; i < sim->model->controller_count; ++i) control(sim, &sim->model->controllers[i], h);
  if (sim->callback) sim->callback(sim->callback_user, sim, sim->state.time);
  sim->in_callback = false;
}

// An explosion goes no farther than the velocities carry that it is left with.
static void take_back(ts_sim *sim, double h, const ts_snapshot *before)
{
  const size_t bodies = (size_t)sim->model->body_count, rates = (size_t)sim->mechanics.v_count;
  double *slowed = sim->mechanics.free_rates;
  if (!ts_energy_slow_down(sim, &before->account)) return;
  memcpy(sim->old_velocity, sim->state.velocity, bodies * sizeof *sim->old_velocity);
  if (rates > 0) memcpy(slowed, sim->state.rates, rates * sizeof *slowed);
  ts_snapshot_copy_state(sim, &before->state, &sim->state);
  memcpy(sim->state.velocity, sim->old_velocity, bodies * sizeof *sim->old_velocity);
  if (rates > 0) memcpy(sim->state.rates, slowed, rates * sizeof *slowed);
  ts_mechanics_move(&sim->mechanics, h, sim->old_velocity);
  sim->state.time += h;
  ts_place_kinematic_bodies(sim, sim->state.time);
  ts_mechanics_follow(&sim->mechanics);
  ts_energy_renew(sim, h, &before->account, &before->report);
}

// Advance by one of `substeps` of the step, through `span`. A part that is not certified is taken again in two halves,
// unless it is as short as it may be or halving was in vain: then its best point counts, and the report says so. False
// when numbers that are not finite came up even so. `before` is the simulation as it is now.
static bool advance(ts_sim *sim, ts_interval span, int substeps, const ts_snapshot *before, cutting *cut,
                    ts_arena *arena)
{
  const size_t bodies = (size_t)sim->model->body_count;
  const double h = sim->options.size / substeps, middle = sim->state.time + 0.5 * h;
  memcpy(sim->old_velocity, sim->state.velocity, bodies * sizeof *sim->old_velocity);
  if (sim->base_of) ts_bases_begin(sim);
  sim->excess = sim->surplus = 0.0;
  sim->report_before = &before->report;
  call_back(sim, h);
  ts_impulses_begin(sim, span, h, arena);
  const bool finite = ts_supports_step(sim, h, before, arena) && is_finite_state(sim);
  const bool solved = sim->report.certified;
  ts_snapshot_return_pushes(sim, before);
  if (finite && !sim->options.method->is_elastic) {
    ts_mechanics_follow(&sim->mechanics);
    if (!sim->options.method->is_smooth) ts_bases_close(sim);
    ts_energy_close(sim, h, &before->account, &before->report);
  }
  const bool certified = finite && sim->report.certified;
  const bool falls = sim->report.tipping || sim->report.no_equilibrium; // however short the step
  if (finite && !certified && (falls || (substeps > 1 && is_no_better(sim, solved, cut)))) cut->in_vain = true;
  if (certified || (finite && (substeps >= cut->limit || cut->in_vain))) {
    if (sim->surplus > 0.0) take_back(sim, h, before);
    accept_substep(sim, substeps, cut, arena);
    return true;
  }
  if (substeps >= cut->limit) return false;
  cut->residual = sim->report.residual;
  cut->excess = sim->excess;
  ts_snapshot_go_back(sim, before);
  if (!advance(sim, (ts_interval){span.from, middle}, 2 * substeps, before, cut, arena)) return false;
  ts_snapshot *halfway = ts_snapshot_allocate(sim, arena);
  ts_snapshot_take(sim, halfway);
  return advance(sim, (ts_interval){middle, span.until}, 2 * substeps, halfway, cut, arena);
}

// Without the round-off of a sum.
static double end_of_step(const ts_sim *sim)
{
  return sim->start_time + (double)(sim->steps + 1) * sim->options.size;
}

// At the end of the step. False when its energy is not finite: nothing that was computed with it can be trusted then.
static bool arrive(ts_sim *sim)
{
  sim->state.time = end_of_step(sim);
  return isfinite(sim->report.kinetic_energy + sim->report.potential_energy);
}

static void end_step(ts_sim *sim, double started)
{
  sim->turn = 1 - sim->turn;
  ts_sim_forget_pushes(sim);
  ++sim->steps;
  if (sim->timed) sim->report.seconds = ts_clock_seconds() - started;
}

// Give up a step. Contacts that were found since the last one lay in the memory of this one: they are gone.
static void give_up(ts_sim *sim, const ts_step_report *last)
{
  sim->scratch[1 - sim->turn].recovery = NULL;
  sim->contacts = (ts_contact_set){.count = 0};
  ts_snapshot_go_back(sim, sim->before);
  ts_snapshot_return_pushes(sim, sim->before);
  ts_loads_forget(sim);
  sim->impacts = (ts_impact_list){0};
  sim->report = *last;
}

// What the user has placed into others, or off its joints.
static void take_out(ts_sim *sim, ts_arena *arena)
{
  const bool keeps = sim->options.start == TS_START_AS_GIVEN || sim->options.method->is_elastic;
  sim->placed = false;
  if (keeps && !is_soft(sim)) return;
  if (!keeps) ts_sim_take_out(sim, TS_PLACE_MOVED, arena);
  press_in(sim, arena);
  sim->account.is_known = false;
  ts_energy_begin(sim);
  ts_snapshot_take(sim, sim->before);
}

ts_status ts_sim_step(ts_sim *sim, ts_error *error)
{
  TS_REFUSE_UNLESS(sim, error);
  TS_REFUSE_UNLESS(!sim->in_callback, error);
  const double started = sim->timed ? ts_clock_seconds() : 0.0, time = sim->state.time;
  ts_arena *arena = &sim->scratch[1 - sim->turn];
  ts_arena_reset(arena);
  const ts_step_report last = sim->report;
  sim->report = fresh_report();
  ts_loads_forget(sim);
  sim->impacts = (ts_impact_list){0};
  ts_energy_begin(sim);
  ts_snapshot_take(sim, sim->before);
  sim->interrupted = false;
  const ts_solve_options solve = sim->solve_options; // a solve that is left has set them for its own problem
  jmp_buf recovery;
  arena->recovery = &recovery;
  if (setjmp(recovery)) {
    sim->solve_options = solve;
    give_up(sim, &last);
    if (sim->interrupted) return ts_fail(error, TS_INTERRUPTED, "the step at t = %g s was interrupted", time);
    char where[64];
    snprintf(where, sizeof where, "in the step at t = %g s", time);
    return ts_arena_reason(arena, error, where);
  }
  if (sim->placed) take_out(sim, arena);
  cutting cut = {.limit = sim->options.max_substeps};
  const ts_interval span = {sim->state.time, end_of_step(sim)};
  const bool advanced = advance(sim, span, 1, sim->before, &cut, arena);
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

size_t ts_sim_memory(const ts_sim *sim, int *growths)
{
  TS_REQUIRE(sim);
  if (growths) *growths = sim->counting.allocations;
  return ts_arena_peak(&sim->memory) + ts_arena_peak(&sim->scratch[0]) + ts_arena_peak(&sim->scratch[1]) +
         ts_workspace_peak(sim->workspace);
}
