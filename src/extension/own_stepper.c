// A stepper from outside, behind the table of those of the library: what is common to all steps stands here.
#include "extension/extensions.h"

#include "step/solve.h"
#include "step/step.h"

#include "base/require.h"

struct ts_stepping {
  ts_step step;
  const ts_own_stepper *own;
  ts_problem problem; // of the step
};

static const ts_own_stepper *own_of(const ts_step_options *options)
{
  return (const ts_own_stepper *)options->method;
}

const ts_sim *ts_stepping_sim(const ts_stepping *stepping)
{
  TS_REQUIRE(stepping);
  return stepping->step.sim;
}

double ts_stepping_size(const ts_stepping *stepping)
{
  TS_REQUIRE(stepping);
  return stepping->step.h;
}

const double *ts_stepping_parameters(const ts_stepping *stepping)
{
  TS_REQUIRE(stepping);
  return stepping->step.sim->options.own;
}

double *ts_stepping_numbers(ts_stepping *stepping)
{
  TS_REQUIRE(stepping);
  return stepping->step.sim->numbers;
}

double *ts_stepping_scratch(ts_stepping *stepping, size_t count)
{
  TS_REQUIRE(stepping);
  return ts_arena_zeros(stepping->step.arena, count);
}

const ts_twist *ts_stepping_free_velocities(const ts_stepping *stepping)
{
  TS_REQUIRE(stepping);
  return stepping->step.sim->free_velocity;
}

const ts_contact *ts_stepping_contacts(const ts_stepping *stepping, int *count)
{
  TS_REQUIRE(stepping);
  TS_REQUIRE(count);
  *count = stepping->step.contacts.count;
  return stepping->step.contacts.contacts;
}

const ts_problem *ts_stepping_problem(const ts_stepping *stepping)
{
  TS_REQUIRE(stepping);
  return &stepping->problem;
}

void ts_stepping_ask(ts_stepping *stepping, int contact, double velocity)
{
  TS_REQUIRE(stepping);
  ts_step *step = &stepping->step;
  TS_REQUIRE(contact >= 0 && contact < step->contacts.count);
  const size_t row = (size_t)contact * (size_t)step->system.dimension;
  const double bias = step->surface[row] - velocity;
  step->system.q[row] += bias - step->bias[row];
  step->bias[row] = bias;
}

bool ts_stepping_solve(ts_stepping *stepping, const ts_problem *problem, bool warm, double *z)
{
  TS_REQUIRE(stepping);
  TS_REQUIRE(problem);
  TS_REQUIRE(z);
  ts_sim *sim = stepping->step.sim;
  ts_report report = {0};
  const bool solved = ts_sim_solve(sim, problem, warm, z, &report);
  ts_sim_take_solve(sim, (int)ts_problem_size(problem), solved, &report);
  return solved;
}

double *ts_stepping_impulses(ts_stepping *stepping)
{
  TS_REQUIRE(stepping);
  return stepping->step.r;
}

// Tangents of moving surfaces, and what motors and stops ask for.
static void set_q(ts_step *step)
{
  const size_t rows = (size_t)step->system.count * (size_t)step->system.dimension;
  for (size_t k = 0; k < rows; ++k) step->bias[k] = step->surface[k];
  ts_step_bounded_bias(step, true);
  ts_system_velocity(&step->system, step->sim->state.velocity, step->system.q);
  for (size_t k = 0; k < rows; ++k) step->system.q[k] += step->bias[k];
}

static bool find_impulses(ts_stepping *stepping)
{
  ts_step *step = &stepping->step;
  ts_sim *sim = step->sim;
  for (int b = 0; b < sim->model->body_count; ++b)
    if (sim->model->bodies[b].kind == TS_DYNAMIC) sim->state.velocity[b] = sim->free_velocity[b];
  ts_step_assemble(step);
  if (step->system.count > 0) set_q(step);
  stepping->problem = ts_problem_friction(step->system.problem);
  if (!stepping->own->def.step(stepping->own->def.user, stepping)) return false;
  if (step->system.count > 0)
    ts_system_apply(&step->system, step->r, sim->state.velocity, step->mobility.impulse, step->arena);
  return true;
}

static bool take_step(ts_sim *sim, double h, ts_arena *arena)
{
  ts_stepping stepping = {.own = own_of(&sim->options)};
  ts_step *step = &stepping.step;
  *step = (ts_step){.sim = sim, .h = h, .theta = 1.0, .arena = arena, .from = sim->old_velocity, .gaps_at_end = true};
  ts_place_kinematic_bodies(sim, sim->state.time + h);
  if (!ts_step_joints(step)) return false;
  ts_step_free_velocity(step);
  ts_step_find_contacts(step, sim->free_velocity);
  if (!find_impulses(&stepping)) return false;
  ts_step_finish(step);
  ts_step_advance(step);
  return true;
}

static ts_status check_model(const ts_model *model, const ts_step_options *options, ts_error *error)
{
  const ts_stepper_def *def = &own_of(options)->def;
  return def->check ? def->check(def->user, model, options->own, error) : TS_OK;
}

ts_stepper ts_own_stepper_table(const ts_stepper_def *def)
{
  return (ts_stepper){.name = def->name,
                      .summary = def->summary,
                      .stabilization = TS_STABILIZATION_NONE,
                      .rebounds = TS_IMPACT_INELASTIC,
                      .parameters = {def->parameters, def->parameter_count},
                      .number_count = def->number_count,
                      .check_model = check_model,
                      .step = take_step};
}
