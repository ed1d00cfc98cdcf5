// Gyroscopic torques of bodies that rows hold, in redundant coordinates. Joints change how a body turns within the
// step, and its torque at the middle of the step is that of
//   M (v+ - v) = h f - h c(v_m) + G l,   v_m = v + weight (v+ - v),
// l included: then c(v_m) does no work, v_m.c(v_m) = 0. Taken without the joints, as for a body that is free, the turn
// h w x I w lacks what they add to w, and a top on its joint gains energy from its nutation. The passes are those of
// trees (stage.c): three are stable up to 2 rad a step and nothing is to be chosen.
#include "step/sim.h"

#include <string.h>

// What turns by less than this in a step has no torques [rad].
static const double STILL = 1e-12;

static bool turns(const ts_stage *stage, int body)
{
  const ts_vec3 w = stage->sim->state.velocity[body].angular;
  return !stage->sim->model->bodies[body].isotropic && stage->h * stage->h * ts_dot(w, w) > STILL * STILL;
}

// Bodies that rows hold and that have such torques; NULL: there are none.
static const bool *held_bodies(const ts_stage *stage)
{
  const ts_model *model = stage->sim->model;
  const size_t bodies = (size_t)model->body_count;
  bool *held = ts_arena_bytes(stage->arena, bodies, sizeof *held), any = false;
  memset(held, 0, bodies * sizeof *held);
  for (int k = 0; k < stage->held; ++k)
    for (int side = 0; side < 2; ++side) {
      const int body = stage->joint_rows[k].row.body[side];
      if (body >= 0 && turns(stage, body)) held[body] = any = true;
    }
  return any ? held : NULL;
}

const bool *ts_stage_turned_bodies(const ts_stage *stage)
{
  const ts_sim *sim = stage->sim;
  if (sim->tree || stage->held == 0 || stage->theta < 1.0 || sim->model->space != TS_SPACE_3D) return NULL;
  return sim->options.gyroscopic == TS_GYROSCOPIC_EXPLICIT ? NULL : held_bodies(stage);
}

// What the next pass works with.
typedef struct passes {
  const ts_stage *stage;
  const bool *turned;
  double weight;
  const ts_twist *plain; // velocities without the torques (body_count)
  ts_twist *at, *held;   // v_m; velocities that rows are obeyed at (body_count)
} passes;

// Free velocities with the torques at v_m, and v_m where these lead. Returns the square of the change of v_m; `size` of
// v_m itself.
static double move_torques(const passes *p, double *size)
{
  ts_sim *sim = p->stage->sim;
  const size_t bodies = (size_t)sim->model->body_count;
  double change = 0.0;
  memcpy(p->held, p->plain, bodies * sizeof *p->held);
  ts_turn_apart(sim->model, &sim->kinematics, p->stage->h, p->turned, p->at, p->held);
  ts_bilateral_project(&p->stage->bilateral, p->held, p->stage->joint_impulse, p->stage->arena);
  *size = 0.0;
  for (size_t b = 0; b < bodies; ++b) {
    if (!p->turned[b]) continue;
    const ts_vec3 w = sim->state.velocity[b].angular;
    const ts_vec3 moved = ts_add_scaled(w, p->weight, ts_sub(p->held[b].angular, w));
    const ts_vec3 way = ts_sub(moved, p->at[b].angular);
    change += ts_dot(way, way);
    *size += ts_dot(moved, moved);
    p->at[b].angular = moved;
  }
  return change;
}

bool ts_stage_turn(ts_stage *stage, const bool *turned)
{
  enum { PASSES = 3 };
  ts_sim *sim = stage->sim;
  const size_t bodies = (size_t)sim->model->body_count;
  const ts_arena_mark mark = ts_arena_save(stage->arena);
  ts_twist *room = ts_arena_bytes(stage->arena, 3 * bodies, sizeof *room);
  const passes p = {.stage = stage,
                    .turned = turned,
                    .weight = sim->options.gyroscopic == TS_GYROSCOPIC_IMPLICIT ? 1.0 : 0.5,
                    .plain = room,
                    .at = room + bodies,
                    .held = room + 2 * bodies};
  memcpy(room, sim->free_velocity, bodies * sizeof *room);
  memcpy(p.at, sim->state.velocity, bodies * sizeof *room);
  double change = 0.0, last = 0.0, size = 0.0;
  for (int pass = 0; pass < PASSES; ++pass) {
    last = change;
    change = move_torques(&p, &size);
  }
  ts_turn_apart(sim->model, &sim->kinematics, stage->h, turned, p.at, sim->free_velocity);
  ts_arena_restore(stage->arena, mark);
  return change <= last || change <= 1e-6 * size; // small changes may be round-off
}
