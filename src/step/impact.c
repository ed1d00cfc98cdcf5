// An impact of all contacts and stops of a step at the velocity in the state (corrections.md 4).
#include "step/impact.h"

#include "step/collide.h"
#include "step/joint_loads.h"

#include "math/larger.h"

#include <string.h>

double ts_normal_speed(const ts_sim *sim, const ts_contact *contact)
{
  const ts_vec3 v_1 = ts_twist_at(sim->state.velocity[contact->body_1], contact->arm_1);
  const ts_vec3 v_2 = ts_twist_at(sim->state.velocity[contact->body_2], contact->arm_2);
  return ts_dot(contact->normal, ts_sub(v_1, v_2));
}

double *ts_step_approach(const ts_step *step, double slow, bool *impact)
{
  const int d = step->system.dimension;
  const ts_sim *sim = step->sim;
  double *u = ts_arena_doubles(step->arena, (size_t)step->system.count * (size_t)d);
  double *approach = ts_arena_doubles(step->arena, (size_t)step->system.count);
  ts_system_velocity(&step->system, sim->state.velocity, u);
  *impact = false;
  for (int i = 0; i < step->system.count; ++i) {
    approach[i] = u[(size_t)i * (size_t)d] + step->surface[(size_t)i * (size_t)d];
    *impact = *impact || (!ts_block_is_held(&step->system.blocks[i]) && approach[i] < -slow);
  }
  return approach;
}

void ts_step_choose_rebounds(const ts_step *step, double least, double slow, double *approach)
{
  const bool rubs = ts_system_rubs(&step->system);
  const double fast = ts_larger(least, step->sim->options.rest_speed);
  bool impact = false;
  for (int i = 0; i < step->system.count; ++i) impact = impact || approach[i] < -fast;
  for (int i = 0; i < step->system.count; ++i) {
    if (rubs && approach[i] >= -slow) approach[i] = 0.0;
    if (!rubs) approach[i] = impact ? -INFINITY : 0.0;
  }
}

static bool is_kinematic(const ts_model *model, int body)
{
  return body != TS_WORLD && model->bodies[body].kind == TS_KINEMATIC;
}

static bool is_carried(const ts_model *model, int joint)
{
  return is_kinematic(model, model->joints[joint].parent) || is_kinematic(model, model->joints[joint].child);
}

// The error of a joint on a kinematic body holds that body's way.
static bool has_error_of_way(const ts_model *model, const ts_bilateral_row *row)
{
  bool carried = is_carried(model, ts_row_joint(model, row));
  const ts_gear *gear = row->is_gear ? ts_row_gear(model, row) : NULL;
  for (int k = 0; gear && k < gear->term_count; ++k) carried = carried || is_carried(model, gear->terms[k].joint);
  return carried;
}

// What a row wants at an impact: joints repair their velocity, not their position (corrections.md 3), and springs have
// no time to act. The error of a joint on a kinematic body stays.
static double impact_bias(const ts_step *step, const ts_bilateral_row *row)
{
  const ts_model *model = step->sim->model;
  if (row->softness > 0.0) return -ts_bilateral_rate(row, step->sim->state.velocity);
  if (ts_row_joint(model, row) < 0 || has_error_of_way(model, row)) return row->bias;
  return row->bias - row->error / step->h;
}

// The step before left rows obeyed at the configuration that it began with: since then they have turned, and an impact
// would keep what they lack.
static void close_joints(ts_step *step)
{
  ts_sim *sim = step->sim;
  if (step->mobility.count == 0) return;
  const size_t bodies = (size_t)sim->model->body_count;
  const ts_arena_mark mark = ts_arena_save(step->arena);
  double *bias = ts_arena_doubles(step->arena, (size_t)step->mobility.count);
  double *impulse = ts_arena_zeros(step->arena, (size_t)step->mobility.count);
  for (int i = 0; i < step->mobility.count; ++i) bias[i] = step->mobility.rows[i].bias;
  for (int i = 0; i < step->mobility.count; ++i)
    step->mobility.rows[i].bias = impact_bias(step, &step->mobility.rows[i]);
  ts_twist *before = sim->loads ? ts_arena_bytes(step->arena, bodies, sizeof *before) : NULL;
  if (before) memcpy(before, sim->state.velocity, bodies * sizeof *before);
  ts_mobility_project(&step->mobility, sim->state.velocity, impulse);
  if (before) ts_step_add_row_loads(step, before, impulse);
  for (int i = 0; i < step->mobility.count; ++i) step->mobility.rows[i].bias = bias[i];
  ts_arena_restore(step->arena, mark);
}

void ts_step_impact(ts_step *step, const double *approach)
{
  const ts_sim *sim = step->sim;
  const size_t bodies = (size_t)sim->model->body_count;
  close_joints(step);
  ts_twist *from = ts_arena_bytes(step->arena, bodies, sizeof *from);
  memcpy(from, sim->state.velocity, bodies * sizeof *from);
  step->from = from;
  step->strikes = true;
  const size_t rows = (size_t)step->system.count * (size_t)step->system.dimension;
  for (size_t k = 0; k < rows; ++k) step->bias[k] = step->surface[k];
  ts_step_collide(step, step->sim->state.velocity, approach, false);
  ts_step_new_velocity(step);
}
