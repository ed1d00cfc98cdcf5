#include "dynamics/mechanics.h"

#include <string.h>

static void allocate_arrays(ts_mechanics *mechanics, ts_arena *memory)
{
  const size_t bodies = (size_t)mechanics->model->body_count, rates = (size_t)mechanics->v_count;
  const bool *on_tree = mechanics->state->on_tree;
  *mechanics->state = ts_state_allocate(mechanics->model, mechanics->q_count, mechanics->v_count, memory);
  mechanics->state->on_tree = on_tree;
  mechanics->free_rates = ts_arena_doubles(memory, rates);
  mechanics->mean_rates = ts_arena_doubles(memory, rates);
  mechanics->applied = ts_arena_bytes(memory, bodies, sizeof *mechanics->applied);
  mechanics->base_acceleration = ts_arena_bytes(memory, bodies, sizeof *mechanics->base_acceleration);
  memset(mechanics->base_acceleration, 0, bodies * sizeof *mechanics->base_acceleration);
  mechanics->kinematics->frame = ts_arena_bytes(memory, bodies, sizeof *mechanics->kinematics->frame);
  mechanics->kinematics->inverse_inertia =
      ts_arena_bytes(memory, bodies, sizeof *mechanics->kinematics->inverse_inertia);
}

// Gravity is the same in every step.
static const ts_wrench *weigh(const ts_mechanics *mechanics, ts_arena *memory)
{
  if (ts_forces_are_possible(mechanics->model)) return NULL;
  ts_wrench *weight = ts_arena_bytes(memory, (size_t)mechanics->model->body_count, sizeof *weight);
  ts_applied_wrenches(mechanics->model, mechanics->state, mechanics->kinematics, NULL, weight);
  return weight;
}

void ts_mechanics_init(ts_mechanics *mechanics, const ts_model *model, ts_mechanics_choice choice, ts_state *state,
                       ts_kinematics *kinematics, ts_arena *memory)
{
  *mechanics = (ts_mechanics){.kind = &ts_mechanics_of_bodies,
                              .model = model,
                              .state = state,
                              .kinematics = kinematics,
                              .gyroscopic = choice.gyroscopic};
  if ((choice.minimal && model->joint_count > 0) || choice.all_moves)
    ts_mechanics_take_tree(mechanics, ts_tree_create(model, !choice.all_moves, memory), memory);
  allocate_arrays(mechanics, memory);
  mechanics->weight = weigh(mechanics, memory);
}

ts_status ts_mechanics_check(ts_mechanics *mechanics, double implicit_step, ts_arena *arena, ts_error *error)
{
  const ts_status status = ts_massless_check(mechanics->model, mechanics->tree, implicit_step, arena, error);
  if (status != TS_OK || !mechanics->tree) return status;
  return ts_tree_try_factor(mechanics->tree, ts_mechanics_softness(mechanics, implicit_step, arena), error);
}

void ts_mechanics_read(ts_mechanics *mechanics)
{
  if (mechanics->kind->read) mechanics->kind->read(mechanics);
}

void ts_mechanics_adopt(ts_mechanics *mechanics)
{
  if (!mechanics->kind->read) return;
  mechanics->kind->read(mechanics);
  mechanics->kind->follow(mechanics);
}

void ts_mechanics_follow(ts_mechanics *mechanics)
{
  mechanics->kind->follow(mechanics);
}

void ts_mechanics_update(ts_mechanics *mechanics)
{
  mechanics->kind->update(mechanics);
}

void ts_mechanics_rates(const ts_mechanics *mechanics, const ts_twist *velocity, double *rates)
{
  if (mechanics->kind->rates) mechanics->kind->rates(mechanics, velocity, rates);
}

void ts_mechanics_move(ts_mechanics *mechanics, double h, const ts_twist *old_velocity)
{
  mechanics->kind->move(mechanics, h, old_velocity);
}

ts_energies ts_mechanics_energies(const ts_mechanics *mechanics, double known_kinetic)
{
  return mechanics->kind->energies(mechanics, known_kinetic);
}

int ts_mechanics_base_of(const ts_mechanics *mechanics, int body)
{
  return mechanics->kind->base_of ? mechanics->kind->base_of(mechanics, body) : -1;
}

ts_number_list ts_mechanics_numbers(const ts_mechanics *mechanics, const ts_state *state)
{
  double *all = (double *)state->pose, *first = mechanics->bodies_follow ? state->turned : all;
  return (ts_number_list){first, state->numbers - (size_t)(first - all)};
}

bool ts_mobility_factor(ts_mobility *mobility)
{
  return mobility->mechanics->kind->factor(mobility);
}

void ts_mobility_free_velocity(ts_mobility *mobility, const ts_wrench *pushes, bool resisted, ts_twist *free_velocity)
{
  mobility->mechanics->kind->free_velocity(mobility, pushes, resisted, free_velocity);
}

void ts_mobility_fly(ts_mobility *mobility, const ts_wrench *pushes, ts_twist *free_velocity)
{
  mobility->mechanics->kind->fly(mobility, pushes, free_velocity);
}

void ts_mobility_flown_twists(const ts_mobility *mobility, ts_twist *twists)
{
  mobility->mechanics->kind->flown_twists(mobility, twists);
}

void ts_mobility_project(const ts_mobility *mobility, ts_twist *velocity, double *impulse)
{
  if (mobility->count > 0) mobility->mechanics->kind->project(mobility, velocity, impulse);
}

void ts_mobility_push(const ts_mobility *mobility, const ts_body_push *pushes, int count, ts_twist *velocity,
                      double *impulse)
{
  mobility->mechanics->kind->push(mobility, pushes, count, velocity, impulse);
}

int ts_mobility_groups(const ts_mobility *mobility, int *group)
{
  return mobility->mechanics->kind->groups(mobility, group);
}

void ts_mobility_compliance(const ts_mobility *mobility, const ts_row *rows, int columns, double *C, ts_arena *arena)
{
  mobility->mechanics->kind->compliance(mobility, rows, columns, C, arena);
}

void ts_mobility_take_velocity(ts_mobility *mobility, double *damping_work)
{
  if (mobility->mechanics->kind->take_velocity) mobility->mechanics->kind->take_velocity(mobility, damping_work);
}

bool ts_mobility_advance(ts_mobility *mobility, bool flew, const ts_twist *old_velocity, double *damping_work)
{
  return mobility->mechanics->kind->advance(mobility, flew, old_velocity, damping_work);
}
