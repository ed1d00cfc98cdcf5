#include "step/snapshot.h"

#include <string.h>

static size_t joint_count(const ts_sim *sim)
{
  return (size_t)sim->model->joint_count;
}

ts_snapshot *ts_snapshot_allocate(const ts_sim *sim, ts_arena *arena)
{
  ts_snapshot *made = ts_arena_bytes(arena, 1, sizeof *made);
  made->state = ts_state_allocate(sim->model, sim->mechanics.q_count, sim->mechanics.v_count, arena);
  made->pushes = ts_arena_bytes(arena, (size_t)sim->model->body_count, sizeof *made->pushes);
  made->commands = ts_arena_bytes(arena, joint_count(sim), sizeof *made->commands);
  made->commanded = false;
  made->loads = sim->loads ? ts_arena_bytes(arena, joint_count(sim), sizeof *made->loads) : NULL;
  made->numbers = ts_arena_zeros(arena, (size_t)sim->number_count);
  return made;
}

void ts_snapshot_copy_state(const ts_sim *sim, const ts_state *from, ts_state *to)
{
  const ts_number_list source = ts_mechanics_numbers(&sim->mechanics, from);
  const ts_number_list target = ts_mechanics_numbers(&sim->mechanics, to);
  to->time = from->time;
  memcpy(target.first, source.first, source.count * sizeof *source.first);
}

static void copy_numbers(const ts_sim *sim, const double *from, double *to)
{
  for (int k = 0; k < sim->number_count; ++k) to[k] = from[k];
}

void ts_snapshot_take(const ts_sim *sim, ts_snapshot *taken)
{
  ts_snapshot_copy_state(sim, &sim->state, &taken->state);
  taken->pushed = sim->pushed;
  if (sim->pushed) memcpy(taken->pushes, sim->pushes, (size_t)sim->model->body_count * sizeof *taken->pushes);
  taken->commanded = sim->state.commands;
  if (taken->commanded) memcpy(taken->commands, sim->commands, joint_count(sim) * sizeof *taken->commands);
  if (sim->loads) memcpy(taken->loads, sim->loads, joint_count(sim) * sizeof *taken->loads);
  taken->impact_count = sim->impacts.count;
  taken->remembered = sim->remembered;
  taken->skins = sim->skins;
  taken->elastic = sim->elastic;
  taken->report = sim->report;
  taken->account = sim->account;
  copy_numbers(sim, sim->numbers, taken->numbers);
}

void ts_sim_forget_pushes(ts_sim *sim)
{
  if (!sim->pushed) return;
  memset(sim->pushes, 0, (size_t)sim->model->body_count * sizeof *sim->pushes);
  for (int j = 0; sim->state.commands && j < sim->model->joint_count; ++j) sim->commands[j].push = 0.0;
  sim->pushed = false;
}

void ts_snapshot_return_pushes(ts_sim *sim, const ts_snapshot *taken)
{
  if (!taken->pushed) {
    ts_sim_forget_pushes(sim);
    return;
  }
  memcpy(sim->pushes, taken->pushes, (size_t)sim->model->body_count * sizeof *sim->pushes);
  for (int j = 0; sim->state.commands && j < sim->model->joint_count; ++j)
    sim->commands[j].push = taken->commanded ? taken->commands[j].push : 0.0;
}

void ts_snapshot_go_back(ts_sim *sim, const ts_snapshot *taken)
{
  ts_snapshot_copy_state(sim, &taken->state, &sim->state);
  ts_mechanics_follow(&sim->mechanics);
  sim->state.commands = taken->commanded ? sim->commands : NULL;
  if (taken->commanded) memcpy(sim->commands, taken->commands, joint_count(sim) * sizeof *sim->commands);
  if (sim->loads) memcpy(sim->loads, taken->loads, joint_count(sim) * sizeof *sim->loads);
  if (sim->balance) sim->balance->is_open = false;
  sim->impacts.count = taken->impact_count; // the list may have moved since
  sim->remembered = taken->remembered;
  sim->skins = taken->skins;
  sim->elastic = taken->elastic;
  sim->report = taken->report;
  sim->account = taken->account;
  copy_numbers(sim, taken->numbers, sim->numbers);
}
