// Joints change how a body turns within the step, and its torque at the middle of the step is that of
//   M (v+ - v) = h f - h c(v_m) + G l,   v_m = v + weight (v+ - v),
// l included: then c(v_m) does no work, v_m.c(v_m) = 0. Taken without the joints, as for a body that is free, the turn
// h w x I w lacks what they add to w, and a top on its joint gains energy from its nutation. The passes are those of
// trees (mechanics_tree.c): three are stable up to 2 rad a step and nothing is to be chosen.
#include "dynamics/constrained_gyroscopic.h"

#include <string.h>

// What turns by less than this in a step has no torques [rad].
static const double STILL = 1e-12;

static bool turns(const ts_mobility *mobility, int body)
{
  const ts_mechanics *mechanics = mobility->mechanics;
  const ts_vec3 w = mechanics->state->velocity[body].angular;
  return !mechanics->model->bodies[body].isotropic && mobility->h * mobility->h * ts_dot(w, w) > STILL * STILL;
}

// Rows of one source act on the same bodies.
static const bool *find_bodies(const ts_mobility *mobility)
{
  const size_t bodies = (size_t)mobility->mechanics->model->body_count;
  bool *turned = ts_arena_bytes(mobility->arena, bodies, sizeof *turned), any = false;
  memset(turned, 0, bodies * sizeof *turned);
  for (int k = 0; k < mobility->count; ++k) {
    const ts_bilateral_row *row = &mobility->rows[k];
    if (k > 0 && row->source == row[-1].source) continue;
    for (int side = 0; side < ts_side_count(row); ++side) {
      const int body = ts_side_body(row, side);
      if (body >= 0 && turns(mobility, body)) turned[body] = any = true;
    }
  }
  return any ? turned : NULL;
}

const bool *ts_constrained_gyroscopic_bodies(const ts_mobility *mobility)
{
  const ts_mechanics *mechanics = mobility->mechanics;
  if (mobility->count == 0 || mobility->theta < 1.0 || ts_has_angle(mechanics->model->freedoms)) return NULL;
  return mechanics->gyroscopic == TS_GYROSCOPIC_EXPLICIT ? NULL : find_bodies(mobility);
}

// What the next pass works with.
typedef struct passes {
  const ts_mobility *mobility;
  const bool *turned;
  double weight;
  const ts_twist *plain; // velocities without the torques (body_count)
  ts_twist *at, *obeyed; // v_m; velocities that rows are obeyed at (body_count)
} passes;

// Free velocities with the torques at v_m, and v_m where these lead. Returns the square of the change of v_m; `size` of
// v_m itself.
static double move_torques(const passes *p, double *size)
{
  const ts_mobility *mobility = p->mobility;
  const ts_mechanics *mechanics = mobility->mechanics;
  const size_t bodies = (size_t)mechanics->model->body_count;
  double change = 0.0;
  memcpy(p->obeyed, p->plain, bodies * sizeof *p->obeyed);
  ts_turn_apart(mechanics->model, mechanics->kinematics, mobility->h, p->turned, p->at, p->obeyed);
  ts_mobility_project(mobility, p->obeyed, mobility->impulse);
  *size = 0.0;
  for (size_t b = 0; b < bodies; ++b) {
    if (!p->turned[b]) continue;
    const ts_vec3 w = mechanics->state->velocity[b].angular;
    const ts_vec3 moved = ts_add_scaled(w, p->weight, ts_sub(p->obeyed[b].angular, w));
    const ts_vec3 way = ts_sub(moved, p->at[b].angular);
    change += ts_dot(way, way);
    *size += ts_dot(moved, moved);
    p->at[b].angular = moved;
  }
  return change;
}

bool ts_constrained_gyroscopic_add(const ts_mobility *mobility, const bool *turned, ts_twist *free_velocity)
{
  enum { PASSES = 3 };
  const ts_mechanics *mechanics = mobility->mechanics;
  const size_t bodies = (size_t)mechanics->model->body_count;
  const ts_arena_mark mark = ts_arena_save(mobility->arena);
  ts_twist *room = ts_arena_bytes(mobility->arena, 3 * bodies, sizeof *room);
  const passes p = {.mobility = mobility,
                    .turned = turned,
                    .weight = mechanics->gyroscopic == TS_GYROSCOPIC_IMPLICIT ? 1.0 : 0.5,
                    .plain = room,
                    .at = room + bodies,
                    .obeyed = room + 2 * bodies};
  memcpy(room, free_velocity, bodies * sizeof *room);
  memcpy(p.at, mechanics->state->velocity, bodies * sizeof *room);
  double change = 0.0, last = 0.0, size = 0.0;
  for (int pass = 0; pass < PASSES; ++pass) {
    last = change;
    change = move_torques(&p, &size);
  }
  ts_turn_apart(mechanics->model, mechanics->kinematics, mobility->h, turned, p.at, free_velocity);
  ts_arena_restore(mobility->arena, mark);
  return change <= last || change <= 1e-6 * size; // small changes may be round-off
}
