#include "step/impulses.h"

#include <float.h>
#include <math.h>

// Parts of steps follow each other without a gap. A time that is where one begins but for round-off belongs to it.
static double boundary(double time)
{
  return time - 4.0 * DBL_EPSILON * fabs(time);
}

static void push(ts_sim *sim, double h, ts_arena *arena)
{
  const ts_model *model = sim->model;
  ts_wrench *impulse = ts_arena_bytes(arena, (size_t)model->body_count, sizeof *impulse);
  ts_applied_impulses(model, &sim->state, &sim->kinematics, sim->part, impulse);
  for (int b = 0; b < model->body_count; ++b) {
    if (model->bodies[b].kind != TS_DYNAMIC) continue;
    sim->pushes[b].force = ts_add_scaled(sim->pushes[b].force, 1.0 / h, impulse[b].force);
    sim->pushes[b].moment = ts_add_scaled(sim->pushes[b].moment, 1.0 / h, impulse[b].moment);
  }
  sim->pushed = true;
}

void ts_impulses_begin(ts_sim *sim, ts_interval span, double h, ts_arena *arena)
{
  sim->part = (ts_interval){boundary(span.from), boundary(span.until)};
  if (!sim->model->impulses || sim->options.method->is_smooth) return;
  if (ts_model_next_impulse(sim->model, sim->part) < INFINITY) push(sim, h, arena);
}
