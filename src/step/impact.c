// An impact of all contacts and stops of a stage at the velocity in the state (corrections.md 4).
#include "step/impact.h"

#include "step/collide.h"

#include "math/larger.h"

#include <string.h>

double ts_normal_speed(const ts_sim *sim, const ts_contact *contact)
{
  const ts_vec3 v_1 = ts_twist_at(sim->state.velocity[contact->body_1], contact->arm_1);
  const ts_vec3 v_2 = ts_twist_at(sim->state.velocity[contact->body_2], contact->arm_2);
  return ts_dot(contact->normal, ts_sub(v_1, v_2));
}

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

void ts_stage_choose_rebounds(const ts_stage *stage, double least, double slow, double *approach)
{
  const bool rubs = ts_system_rubs(&stage->system);
  const double fast = ts_larger(least, stage->sim->options.rest_speed);
  bool impact = false;
  for (int i = 0; i < stage->system.count; ++i) impact = impact || approach[i] < -fast;
  for (int i = 0; i < stage->system.count; ++i) {
    if (rubs && approach[i] >= -slow) approach[i] = 0.0;
    if (!rubs) approach[i] = impact ? -INFINITY : 0.0;
  }
}

// What a row wants at an impact: joints repair their velocity, not their position (corrections.md 3), and springs have
// no time to act. The error of a joint on a kinematic body holds that body's way and stays.
static double impact_bias(const ts_stage *stage, const ts_bilateral_row *row)
{
  const ts_model *model = stage->sim->model;
  if (row->softness > 0.0) return -ts_row_rate(&row->row, stage->sim->state.velocity);
  if (row->source >= model->joint_count) return row->bias;
  const ts_joint *joint = &model->joints[row->source];
  const bool carried = (joint->parent != TS_WORLD && model->bodies[joint->parent].kind == TS_KINEMATIC) ||
                       model->bodies[joint->child].kind == TS_KINEMATIC;
  return carried ? row->bias : row->bias - row->error / stage->h;
}

// The step before left rows obeyed at the configuration that it began with: since then they have turned, and an impact
// would keep what they lack.
static void close_joints(ts_stage *stage)
{
  ts_sim *sim = stage->sim;
  if (stage->mobility.count == 0) return;
  const ts_arena_mark mark = ts_arena_save(stage->arena);
  double *bias = ts_arena_doubles(stage->arena, (size_t)stage->mobility.count);
  double *impulse = ts_arena_zeros(stage->arena, (size_t)stage->mobility.count);
  for (int i = 0; i < stage->mobility.count; ++i) bias[i] = stage->mobility.rows[i].bias;
  for (int i = 0; i < stage->mobility.count; ++i)
    stage->mobility.rows[i].bias = impact_bias(stage, &stage->mobility.rows[i]);
  ts_mobility_project(&stage->mobility, sim->state.velocity, impulse);
  for (int i = 0; i < stage->mobility.count; ++i) stage->mobility.rows[i].bias = bias[i];
  ts_arena_restore(stage->arena, mark);
}

void ts_stage_impact(ts_stage *stage, const double *approach)
{
  const ts_sim *sim = stage->sim;
  const size_t bodies = (size_t)sim->model->body_count;
  close_joints(stage);
  ts_twist *from = ts_arena_bytes(stage->arena, bodies, sizeof *from);
  memcpy(from, sim->state.velocity, bodies * sizeof *from);
  stage->from = from;
  stage->strikes = true;
  const size_t rows = (size_t)stage->system.count * (size_t)stage->system.dimension;
  for (size_t k = 0; k < rows; ++k) stage->bias[k] = stage->surface[k];
  ts_stage_collide(stage, stage->sim->state.velocity, approach, false);
  ts_stage_new_velocity(stage);
}
