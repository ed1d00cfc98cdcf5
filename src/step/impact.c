// An impact of all contacts and stops of a stage at the velocity in the state (ERRATA II E).
#include "step/sim.h"

double *ts_stage_approach(const ts_stage *stage, double slow, bool *impact)
{
  const int d = stage->system.dimension;
  const ts_sim *sim = stage->sim;
  double *u = ts_arena_doubles(stage->arena, (size_t)stage->system.count * (size_t)d);
  double *approach = ts_arena_doubles(stage->arena, (size_t)stage->system.count);
  ts_system_velocity(&stage->system, sim->state.velocity, u);
  *impact = false;
  for (int i = 0; i < stage->system.count; ++i) {
    approach[i] = u[(size_t)i * (size_t)d] + stage->surface[(size_t)i * (size_t)d];
    *impact = *impact || (stage->system.blocks[i].kind != TS_BLOCK_MOTOR && approach[i] < -slow);
  }
  return approach;
}

void ts_stage_impact(ts_stage *stage, const double *approach)
{
  const size_t rows = (size_t)stage->system.count * (size_t)stage->system.dimension;
  for (size_t k = 0; k < rows; ++k) stage->bias[k] = stage->surface[k];
  ts_stage_collide(stage, stage->sim->state.velocity, approach, false);
  ts_stage_new_velocity(stage);
}
