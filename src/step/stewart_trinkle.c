// Stewart and Trinkle's step (thesis 2.6): at its end no gap is negative, to first order. With the quadratic cone
// eq. 2.77, with a polyhedral one eq. 2.78 after elimination of velocities and joints:
//   M (v+ - v) = h f + J^T p + G l,   G^T v+ + Phi/h = 0,   0 <= p_n _|_ J_n v+ + psi(q, t+h)/h >= 0,   friction,
//   q+ = q + h G(q) v+.
// Kinematic bodies stand where they are at the end of the step (thesis 5.1.2), so that their motion is in psi; their
// tangential velocity enters the friction law.
#include "step/sim.h"

static ts_status check(const ts_step_options *options, ts_error *error)
{
  (void)options, (void)error;
  return TS_OK;
}

// Relative normal velocity of each block at the start of the step.
static double *approach_velocities(const ts_stage *stage)
{
  const int d = stage->system.dimension;
  double *u = ts_arena_doubles(stage->arena, (size_t)stage->system.count * (size_t)d);
  double *approach = ts_arena_doubles(stage->arena, (size_t)stage->system.count);
  ts_system_velocity(&stage->system, stage->sim->old_velocity, u);
  for (int i = 0; i < stage->system.count; ++i)
    approach[i] = u[(size_t)i * (size_t)d] + stage->surface[(size_t)i * (size_t)d];
  return approach;
}

// Newton's law where a contact would close within the step: leave with e times the speed of approach.
static double newton_bias(const ts_stage *stage, const ts_contact *contact, double gap_speed, double approach,
                          double free_normal)
{
  const bool closes = free_normal + gap_speed <= 0.0, fast = approach < -stage->sim->options.rest_speed;
  return closes && fast && contact->restitution > 0.0 ? contact->restitution * approach : gap_speed;
}

static void set_contact_bias(ts_stage *stage, const double *approach)
{
  const ts_sim *sim = stage->sim;
  const int d = stage->system.dimension;
  double *u = stage->system.q; // of the free velocity
  ts_system_velocity(&stage->system, sim->free_velocity, u);
  for (int i = 0; i < stage->contacts.count; ++i) {
    const ts_contact *contact = &stage->contacts.contacts[i];
    const size_t first = (size_t)i * (size_t)d;
    double *bias = stage->bias + first;
    bias[0] = ts_stabilizing_speed(sim, contact->gap, stage->h);
    if (sim->options.impacts == TS_IMPACT_NEWTON) bias[0] = newton_bias(stage, contact, bias[0], approach[i], u[first]);
    for (int r = 1; r < d; ++r) bias[r] = stage->surface[first + (size_t)r];
  }
}

static bool step(ts_sim *sim, double h, ts_arena *arena)
{
  ts_stage stage = {.sim = sim, .h = h, .theta = 1.0, .arena = arena, .gaps_at_end = true};
  ts_place_kinematic_bodies(sim, sim->state.time + h);
  ts_stage_joints(&stage);
  ts_stage_free_velocity(&stage);
  if (!ts_find_contacts(&sim->finder, &sim->kinematics, sim->free_velocity, h, sim->options.margin, arena,
                        &stage.contacts))
    return false;
  ts_stage_assemble(&stage);
  const double *approach = sim->options.impacts == TS_IMPACT_INELASTIC ? NULL : approach_velocities(&stage);
  set_contact_bias(&stage, approach);
  ts_stage_bounded_bias(&stage, true);
  for (int b = 0; b < sim->model->body_count; ++b)
    if (sim->model->bodies[b].kind == TS_DYNAMIC) sim->state.velocity[b] = sim->free_velocity[b];
  ts_stage_collide(&stage, sim->state.velocity, sim->options.impacts == TS_IMPACT_POISSON ? approach : NULL, true);
  ts_stage_finish(&stage);
  ts_stage_advance(&stage);
  return true;
}

const ts_stepper ts_stepper_stewart_trinkle = {
    .name = "stewart-trinkle",
    .summary = "gaps not negative at the end of the step, linearized (thesis 2.6)",
    .stabilization = TS_STABILIZATION_FULL,
    .check = check,
    .step = step,
};
