// Work of bodies that move as they are told on the trees that hang on them. What a base gives is what the momentum of
// its tree changes by beyond what all else gives; it works on the mean of the base's velocities before and after.
#include "step/bases.h"

#include <string.h>

void ts_bases_init(ts_sim *sim)
{
  if (sim->model->motion_count == 0) return;
  const size_t bodies = (size_t)sim->model->body_count;
  int *base_of = ts_arena_ints(&sim->memory, bodies);
  for (int b = 0; b < sim->model->body_count; ++b) {
    base_of[b] = ts_mechanics_base_of(&sim->mechanics, b);
    if (base_of[b] >= 0) sim->base_of = base_of;
  }
  sim->base_push = ts_arena_bytes(&sim->memory, bodies, sizeof *sim->base_push);
}

// A wrench about a body's centre of mass to its base, about the world's origin.
static void add(ts_sim *sim, int body, double scale, ts_vec3 force, ts_vec3 moment)
{
  const int base = body >= 0 ? sim->base_of[body] : -1;
  if (base < 0) return;
  ts_wrench *sum = &sim->base_push[base];
  sum->force = ts_add_scaled(sum->force, scale, force);
  sum->moment = ts_add_scaled(sum->moment, scale, ts_add(moment, ts_cross(sim->state.pose[body].position, force)));
}

// Momenta in the present place.
static void add_momenta(ts_sim *sim, const ts_twist *velocity, double scale)
{
  for (int b = 0; b < sim->model->body_count; ++b) {
    const ts_body *body = &sim->model->bodies[b];
    if (sim->base_of[b] < 0) continue;
    const ts_twist v = velocity[b];
    const ts_mat3 *axes = &sim->kinematics.frame[b].axes;
    const ts_vec3 spin = ts_mul(axes, ts_mul(&body->inertia, ts_mul_transposed(axes, v.angular)));
    add(sim, b, scale, ts_scale(body->mass, v.linear), spin);
  }
}

void ts_bases_begin(ts_sim *sim)
{
  if (!sim->base_of) return;
  memset(sim->base_push, 0, (size_t)sim->model->body_count * sizeof *sim->base_push);
  add_momenta(sim, sim->state.velocity, 1.0);
}

static void add_blocks(ts_step *step)
{
  const ts_system *system = &step->system;
  for (int i = 0; i < system->count; ++i)
    for (int side = 0; side < 2; ++side)
      for (int r = 0; r < system->dimension && system->blocks[i].body[side] >= 0; ++r) {
        const ts_twist row = ts_row_block_row(&system->jacobian[2 * i + side], r);
        const double p = system->blocks[i].active & (1u << r) ? step->r[i * system->dimension + r] : 0.0;
        add(step->sim, system->blocks[i].body[side], p, row.linear, row.angular);
      }
}

static void add_rows(ts_step *step)
{
  for (int k = 0; k < step->mobility.count; ++k)
    for (int side = 0; side < ts_side_count(&step->mobility.rows[k]); ++side) {
      const ts_twist row = *ts_side_jacobian(&step->mobility.rows[k], side);
      add(step->sim, ts_side_body(&step->mobility.rows[k], side), step->mobility.impulse[k], row.linear, row.angular);
    }
}

void ts_bases_push(ts_step *step)
{
  ts_sim *sim = step->sim;
  for (int b = 0; step->mobility.applied && b < sim->model->body_count; ++b)
    add(sim, b, step->h, step->mobility.applied[b].force, step->mobility.applied[b].moment);
  if (!ts_step_flies(step)) add_blocks(step);
  add_rows(step);
}

// What the sums give at these twists of the bases.
static double power_at(const ts_sim *sim, const ts_twist *before, const ts_twist *after)
{
  double power = 0.0;
  for (int k = 0; k < sim->model->motion_count; ++k) {
    const int base = sim->model->motions[k].body;
    const ts_vec3 w = ts_scale(0.5, ts_add(before[base].angular, after[base].angular));
    const ts_vec3 v = ts_scale(0.5, ts_add(before[base].linear, after[base].linear));
    const ts_vec3 at_origin = ts_sub(v, ts_cross(w, sim->state.pose[base].position));
    power += ts_dot(sim->base_push[base].force, at_origin) + ts_dot(sim->base_push[base].moment, w);
  }
  return power;
}

void ts_bases_close(ts_sim *sim)
{
  if (!sim->base_of) return;
  add_momenta(sim, sim->state.velocity, -1.0); // now the sums are minus what bases have given
  sim->report.drive_work -= power_at(sim, sim->old_velocity, sim->state.velocity);
}

void ts_bases_strike(ts_step *step, const ts_wrench *impulse)
{
  ts_sim *sim = step->sim;
  if (!sim->base_of) return;
  memset(sim->base_push, 0, (size_t)sim->model->body_count * sizeof *sim->base_push);
  add_momenta(sim, step->from, 1.0);
  add_momenta(sim, sim->state.velocity, -1.0);
  for (int b = 0; impulse && b < sim->model->body_count; ++b) add(sim, b, 1.0, impulse[b].force, impulse[b].moment);
  add_blocks(step);
  add_rows(step);
  sim->report.drive_work -= power_at(sim, sim->state.velocity, sim->state.velocity);
}

double ts_bases_power(ts_sim *sim, const ts_twist *acceleration, const ts_wrench *applied)
{
  memset(sim->base_push, 0, (size_t)sim->model->body_count * sizeof *sim->base_push);
  for (int b = 0; b < sim->model->body_count; ++b) {
    const ts_body *body = &sim->model->bodies[b];
    if (sim->base_of[b] < 0) continue;
    const ts_mat3 *axes = &sim->kinematics.frame[b].axes;
    const ts_vec3 w = ts_mul_transposed(axes, sim->state.velocity[b].angular);
    const ts_vec3 turning = ts_add(ts_mul(&body->inertia, ts_mul_transposed(axes, acceleration[b].angular)),
                                   ts_cross(w, ts_mul(&body->inertia, w)));
    add(sim, b, 1.0, ts_scale(body->mass, acceleration[b].linear), ts_mul(axes, turning));
    add(sim, b, -1.0, applied[b].force, applied[b].moment);
  }
  return power_at(sim, sim->state.velocity, sim->state.velocity);
}
