// A simulation: stepping it, and reading its state. See include/touchstone/sim.h.
#include "step/sim.h"

#include "step/bases.h"
#include "step/energy.h"
#include "step/impulses.h"
#include "step/joint_errors.h"
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

static bool is_finite_state(const ts_sim *sim)
{
  const ts_number_list numbers = ts_mechanics_numbers(&sim->mechanics, &sim->state);
  return ts_all_finite(numbers.first, numbers.count);
}

// Numbers that a step reports, of itself, its contacts and its joints. A sum is finite only where all of its terms are.
static bool is_finite_report(const ts_sim *sim)
{
  const ts_step_report *r = &sim->report;
  const double sum = r->residual + r->velocity_error + r->length_error + r->penetration + r->taken_out +
                     r->cone_violation + r->joint_error + r->joint_residual + r->kinetic_energy + r->potential_energy +
                     r->contact_work + r->damping_work + r->drive_work + r->applied_work + r->stabilization_work +
                     r->correction_work + r->stagger_work + r->integration_work + r->energy_scaled_back;
  double impulses = 0.0;
  for (int i = 0; i < sim->contacts.count; ++i) {
    const ts_contact *c = &sim->contacts.contacts[i];
    impulses += (c->impulse[0] + c->impulse[1]) + (c->impulse[2] + c->impulse[3]);
  }
  const bool loads = !sim->loads || ts_all_finite((const double *)sim->loads, ts_loads_size(sim));
  return loads && isfinite(sum + impulses);
}

// How a step that is not certified is cut. Halving helps where a step was too long for its contacts. Where bodies are
// jammed it does not: once a half is no better than the whole was, nothing is cut any more.
typedef struct cutting {
  int limit;       // substeps at most
  double residual; // of the last attempt that was given up
  double excess;   // of energy, likewise
  double overlap;  // beyond bounds, likewise
  bool in_vain;
  ts_contact_set contacts; // of the substeps taken so far, impulses summed
} cutting;

// Where bodies pass through each other or overlap, or guesses do not settle, a shorter step helps, whatever the
// residual is; where all is `solved` and energy was gained it is of no interest. A first half may gain as much as the
// whole because of the state that the whole steps before it have left: quarters decide.
static bool is_no_better(const ts_sim *sim, int substeps, bool solved, const cutting *cut)
{
  const bool through = sim->report.tunnelled || sim->overlap > 0.0 || sim->unsettled;
  const bool stuck = !solved && !through && sim->report.residual > 0.5 * cut->residual;
  const bool sunk = cut->overlap > 0.0 && sim->overlap > 0.75 * cut->overlap;
  return stuck || sunk || (substeps > 4 && sim->excess > 0.75 * cut->excess);
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
  sim->excess = sim->surplus = sim->overlap = sim->lifted = sim->belated = sim->blur = 0.0;
  sim->unsettled = sim->hurries = false;
  sim->report_before = &before->report;
  call_back(sim, h);
  ts_impulses_begin(sim, span, h, arena);
  const bool finite = ts_supports_step(sim, h, before, arena) && is_finite_state(sim);
  const bool solved = sim->report.certified;
  ts_snapshot_return_pushes(sim, before);
  if (finite && !sim->options.method->is_elastic) {
    ts_mechanics_follow(&sim->mechanics);
    if (sim->loads) ts_loads_close_balance(sim);
    if (sim->options.method->without_inertia && sim->contacts.count > 0)
      ts_report_overlap_at_end(sim, before->report.penetration, arena);
    if (sim->rows_possible) ts_joint_errors_close(sim, h, arena);
    if (!sim->options.method->is_smooth) ts_bases_close(sim);
    ts_energy_close(sim, h, &before->account, &before->report);
  }
  const bool reported = finite && is_finite_report(sim);
  sim->report.certified = sim->report.certified && reported;
  const bool certified = finite && sim->report.certified;
  const bool falls = sim->report.tipping || sim->report.no_equilibrium; // however short the step
  const bool wanting = !certified || sim->hurries;
  if (finite && wanting && (falls || !reported || (substeps > 1 && is_no_better(sim, substeps, solved, cut))))
    cut->in_vain = true;
  if (!wanting || (finite && (substeps >= cut->limit || cut->in_vain))) {
    if (sim->surplus > 0.0) take_back(sim, h, before);
    accept_substep(sim, substeps, cut, arena);
    return true;
  }
  if (substeps >= cut->limit) return false;
  cut->residual = sim->report.residual;
  cut->excess = sim->excess;
  sim->closes_by_gaps = sim->closes_by_gaps || sim->report.gained;
  cut->overlap = sim->overlap;
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
  if (keeps && !ts_sim_is_soft(sim)) return;
  if (!keeps) ts_sim_take_out(sim, TS_PLACE_MOVED, arena);
  ts_sim_press_in(sim, arena);
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
  sim->report = ts_report_fresh();
  ts_loads_forget(sim);
  sim->impacts = (ts_impact_list){0};
  ts_energy_begin(sim);
  ts_snapshot_take(sim, sim->before);
  sim->interrupted = sim->closes_by_gaps = false;
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

ts_status ts_step_count_check(double duration, double size, ts_error *error)
{
  static const double MOST = 1e9;
  const double steps = duration / size;
  if (steps <= MOST * (1.0 + 1e-9)) return TS_OK;
  return ts_fail(error, TS_INVALID, "a duration of %.9g s takes %.6g steps of %.9g s, more than 1e9", duration, steps,
                 size);
}

int64_t ts_step_count(double duration, double size)
{
  static const double MOST = 1e15;
  const double steps = ceil(duration / size * (1.0 - 1e-12) - 1e-9);
  return steps < 1.0 ? 1 : steps > MOST ? (int64_t)MOST : (int64_t)steps;
}
