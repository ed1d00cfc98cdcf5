// Creating and destroying a simulation.
#include "step/sim.h"

#include "step/bases.h"
#include "step/energy.h"
#include "step/options.h"
#include "step/placing.h"
#include "step/repair.h"
#include "step/snapshot.h"
#include "step/solve.h"
#include "step/start.h"
#include "step/supports.h"

#include "base/require.h"
#include "base/status.h"

#include <math.h>
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

ts_step_report ts_report_fresh(void)
{
  return (ts_step_report){
      .certified = true, .unique = true, .impulses_unique = true, .solver = "none", .energy_scaled_back = 1.0};
}

static void report_start(ts_sim *sim)
{
  sim->report = ts_report_fresh();
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

// Tolerance and accuracy in force: a tolerance that is given alone holds.
static void resolve_tolerance(ts_step_options *options)
{
  static const double DEFAULT = 1e-8;
  if (options->accuracy == TS_ACCURACY_BY_TOLERANCE)
    options->accuracy = options->tolerance > 0.0 ? 0.0 : TS_ACCURACY_AUTOMATIC;
  if (options->tolerance == 0.0) options->tolerance = DEFAULT;
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

bool ts_sim_is_soft(const ts_sim *sim)
{
  return sim->model->skin_count > 0 || sim->options.method->is_elastic;
}

void ts_sim_press_in(ts_sim *sim, ts_arena *arena)
{
  if (sim->model->skin_count > 0) sim->skins = ts_skins_press_in(&sim->skins, &sim->finder, &sim->kinematics, arena);
  if (!sim->options.method->is_elastic) return;
  const ts_contact_set contacts = ts_contacts_at(&sim->finder, &sim->kinematics, arena);
  sim->elastic = ts_elastic_press_in(&contacts, arena);
}

// The memory is that of the step before.
static void press_in_at_start(ts_sim *sim, jmp_buf *recovery)
{
  if (!ts_sim_is_soft(sim)) return;
  ts_arena *arena = &sim->scratch[sim->turn];
  arena->recovery = recovery;
  ts_sim_press_in(sim, arena);
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
  resolve_tolerance(&sim->options);
  sim->solve_options = solve_options(&sim->options);
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

// Fraction of half the least width of the smallest dynamic body: an error of a gap that is nothing to it.
static const double SHARE_OF_WIDTH = 1e-5;

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
  sim->length = SHARE_OF_WIDTH * ts_model_least_half_width(model);
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
