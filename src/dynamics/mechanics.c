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

void ts_mechanics_adopt(ts_mechanics *mechanics)
{
  if (!mechanics->kind->read) return;
  mechanics->kind->read(mechanics);
  mechanics->kind->follow(mechanics);
}
