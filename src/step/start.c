// Velocities that a model gives its bodies at the start, where joints do not allow them: the nearest that they do, in
// the metric of the masses, as an impact of the joints would leave them. All joints are asked in the same way, whether
// they become coordinates or rows, so that all coordinates start alike.
#include "step/start.h"

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

static int rows_of_joints(const ts_sim *sim, ts_bilateral_row *rows)
{
  const int all = ts_bilateral_rows(sim->model, &sim->state, &sim->kinematics, sim->options.size, NULL, rows);
  int count = 0;
  for (int k = 0; k < all; ++k) {
    if (!rows[k].of_joint) continue;
    rows[count] = rows[k];
    rows[count++].bias = rows[k].drift;
  }
  return count;
}

// The size of what a row's rate is made of.
static double size_of_rate(const ts_sim *sim, const ts_bilateral_row *row)
{
  double size = fabs(row->drift);
  for (int side = 0; side < 2; ++side) {
    if (row->row.body[side] < 0) continue;
    const ts_twist v = sim->state.velocity[row->row.body[side]], J = row->row.jacobian[side];
    size += ts_length(J.linear) * ts_length(v.linear) + ts_length(J.angular) * ts_length(v.angular);
  }
  return size;
}

// The joint that is violated most; none where all is round-off.
static void find_violation(const ts_sim *sim, const ts_bilateral_row *rows, int count, ts_start_velocities *start)
{
  for (int k = 0; k < count; ++k) {
    const double rate = fabs(ts_row_rate(&rows[k].row, sim->state.velocity) + rows[k].drift);
    if (rate <= ALLOWED * size_of_rate(sim, &rows[k]) || rate <= start->violation) continue;
    start->joint = rows[k].source;
    start->violation = rate;
  }
}

void ts_sim_allow_velocities(ts_sim *sim, ts_arena *arena)
{
  const ts_model *model = sim->model;
  sim->start = (ts_start_velocities){.joint = -1};
  if (model->joint_count == 0 || has_massless_bodies(model)) return;
  const ts_arena_mark mark = ts_arena_save(arena);
  ts_bilateral_row *rows = ts_arena_bytes(arena, (size_t)ts_bilateral_row_limit(model), sizeof *rows);
  const int count = rows_of_joints(sim, rows);
  find_violation(sim, rows, count, &sim->start);
  sim->start.kinetic_given = ts_kinetic_energy(model, &sim->kinematics, sim->state.velocity);
  if (sim->start.joint >= 0) {
    ts_bilateral bilateral;
    double *impulse = ts_arena_zeros(arena, (size_t)count);
    ts_bilateral_factor(model, &sim->kinematics, rows, count, arena, &bilateral);
    ts_bilateral_project(&bilateral, sim->state.velocity, impulse, arena);
  }
  sim->start.kinetic_taken = ts_kinetic_energy(model, &sim->kinematics, sim->state.velocity);
  ts_arena_restore(arena, mark);
}

const ts_start_velocities *ts_sim_start_velocities(const ts_sim *sim)
{
  TS_REQUIRE(sim);
  return &sim->start;
}
