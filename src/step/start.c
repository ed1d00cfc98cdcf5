// Velocities that a model gives its bodies at the start, where joints do not allow them: the nearest that they do, in
// the metric of the masses, as an impact of the joints would leave them. All joints are asked in the same way, whether
// they become coordinates or rows, so that all coordinates start alike.
#include "step/start.h"

#include "dynamics/row_check.h"
#include "base/require.h"

#include <string.h>

static const double ALLOWED = 1e-9; // of the velocities about

// A body without mass has no momentum: its velocity follows from the tree.
static bool has_massless_bodies(const ts_model *model)
{
  for (int b = 0; b < model->body_count; ++b)
    if (model->bodies[b].kind == TS_DYNAMIC && model->bodies[b].mass == 0.0) return true;
  return false;
}

static int rows_of_joints(const ts_sim *sim, ts_bilateral_row *rows, ts_arena *arena)
{
  const double h = sim->options.size;
  int all = ts_bilateral_rows(sim->model, &sim->state, &sim->kinematics, h, NULL, rows);
  all += ts_gear_rows(sim->model, &sim->state, &sim->kinematics, h, rows + all, arena);
  int count = 0;
  for (int k = 0; k < all; ++k) {
    if (!rows[k].of_joint) continue;
    rows[count] = rows[k];
    rows[count++].bias = rows[k].drift;
  }
  return count;
}

// The joint that is violated most; none where all is round-off.
static void find_violation(const ts_sim *sim, const ts_bilateral_row *rows, int count, ts_start_velocities *start)
{
  for (int k = 0; k < count; ++k) {
    const double rate = fabs(ts_bilateral_rate(&rows[k], sim->state.velocity) + rows[k].drift);
    const double size = fabs(rows[k].drift) + ts_size_of_rate(&rows[k], sim->state.velocity);
    if (rate <= ALLOWED * size || rate <= start->violation) continue;
    start->joint = ts_row_joint(sim->model, &rows[k]);
    start->violation = rate;
  }
}

// An impact of all joints on the velocities in the state.
static void project(ts_sim *sim, const ts_bilateral_row *rows, int count, ts_arena *arena)
{
  ts_bilateral bilateral;
  double *impulse = ts_arena_zeros(arena, (size_t)count);
  ts_bilateral_factor(sim->model, &sim->kinematics, rows, count, arena, &bilateral);
  ts_bilateral_project(&bilateral, sim->state.velocity, impulse, arena);
}

void ts_sim_allow_velocities(ts_sim *sim, ts_arena *arena)
{
  const ts_model *model = sim->model;
  sim->start = (ts_start_velocities){.joint = -1};
  if (model->joint_count == 0 || has_massless_bodies(model)) return;
  const ts_arena_mark mark = ts_arena_save(arena);
  ts_bilateral_row *rows = ts_arena_bytes(arena, (size_t)ts_bilateral_row_limit(model), sizeof *rows);
  const int count = rows_of_joints(sim, rows, arena);
  find_violation(sim, rows, count, &sim->start);
  sim->start.kinetic_given = ts_kinetic_energy(model, &sim->kinematics, sim->state.velocity);
  if (sim->start.joint >= 0) project(sim, rows, count, arena);
  sim->start.kinetic_taken = ts_kinetic_energy(model, &sim->kinematics, sim->state.velocity);
  ts_arena_restore(arena, mark);
}

bool ts_sim_keep_momentum(ts_sim *sim, ts_arena *arena)
{
  if (has_massless_bodies(sim->model)) return false;
  const ts_arena_mark mark = ts_arena_save(arena);
  ts_bilateral_row *rows = ts_arena_bytes(arena, (size_t)ts_bilateral_row_limit(sim->model), sizeof *rows);
  project(sim, rows, rows_of_joints(sim, rows, arena), arena);
  ts_mechanics_rates(&sim->mechanics, sim->state.velocity, sim->state.rates);
  ts_arena_restore(arena, mark);
  return true;
}

const ts_start_velocities *ts_sim_start_velocities(const ts_sim *sim)
{
  TS_REQUIRE(sim);
  return &sim->start;
}
