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

ts_turning ts_mobility_turning(ts_mobility *mobility, const ts_wrench *pushes, const bool *apart)
{
  const ts_mechanics *mechanics = mobility->mechanics;
  const size_t bodies = (size_t)mechanics->model->body_count;
  const bool in_one_piece = mobility->theta == 1.0 && !mobility->at_velocity_level;
  const bool keeps = mechanics->gyroscopic != TS_GYROSCOPIC_EXPLICIT && !ts_has_angle(mechanics->model->freedoms);
  ts_turning turning = {mechanics->gyroscopic, mobility->theta, apart, NULL};
  mobility->turned_by = NULL;
  if (!in_one_piece || !keeps || (mechanics->weight && !pushes)) return turning;
  turning.change = ts_arena_bytes(mobility->arena, bodies, sizeof *turning.change);
  memset(turning.change, 0, bodies * sizeof *turning.change);
  mobility->turned_by = turning.change;
  return turning;
}

static ts_row row_of(const ts_block_rows *block, int r)
{
  ts_row row = {.body = {block->body[0], block->body[1]}};
  for (int side = 0; side < 2; ++side)
    if (block->body[side] >= 0) row.jacobian[side] = ts_row_block_row(&block->jacobian[side], r);
  return row;
}

const ts_row *ts_rows_of_blocks(const ts_block_list *blocks, ts_arena *arena)
{
  const int d = blocks->dimension;
  ts_row *rows = ts_arena_bytes(arena, (size_t)blocks->count * (size_t)d, sizeof *rows);
  for (int i = 0; i < blocks->count; ++i)
    for (int r = 0; r < d; ++r) rows[i * d + r] = row_of(&blocks->blocks[i], r);
  return rows;
}
