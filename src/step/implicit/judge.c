#include "step/implicit/judge.h"

#include "math/larger.h"

#include <math.h>
#include <string.h>

void ts_implicit_respond(ts_step *step, const double *joint_impulse, const double *r, ts_twist *velocity)
{
  const size_t bodies = (size_t)step->sim->model->body_count, joints = (size_t)step->mobility.count;
  memcpy(velocity, step->sim->free_velocity, bodies * sizeof *velocity);
  if (joints > 0) memcpy(step->mobility.impulse, joint_impulse, joints * sizeof *joint_impulse);
  ts_system_apply(&step->system, r, velocity, step->mobility.impulse, step->arena);
}

double ts_largest_speed(const ts_model *model, const ts_twist *velocity)
{
  double most = 0.0;
  for (int k = 0; k < model->part_count; ++k) {
    const ts_part *part = &model->parts[k];
    if (model->bodies[part->body].kind != TS_DYNAMIC) continue;
    const ts_twist v = velocity[part->body];
    most = fmax(most, ts_length(v.linear) + part->convex.reach * ts_length(v.angular));
  }
  return most;
}

// Datum of a normal row, with its gap. A gap that free motion just closes leaves round-off of the row's velocity, which
// no solution is better than.
static double normal_speed(double datum, double bias)
{
  static const double LEAST = 1e-4;
  const double row = fabs(datum - bias), speed = datum > 0.0 ? ts_smaller(datum, row) : -datum;
  return ts_larger(speed, LEAST * row);
}

double ts_step_speed(const ts_step *step)
{
  const ts_system *system = &step->system;
  const int d = system->dimension;
  double most = 0.0;
  for (int i = 0; i < system->count; ++i) {
    const double *q = system->q + (size_t)i * (size_t)d;
    if (system->blocks[i].kind == TS_BLOCK_SUPPORT || !ts_block_has_given_normal(&system->blocks[i]))
      most = ts_larger(normal_speed(q[0], step->bias[(size_t)i * (size_t)d]), most);
    for (int k = 1; k < d; ++k) most = ts_larger(fabs(q[k]), most);
  }
  return most;
}

static double data_speed(const ts_friction *problem)
{
  double most = 0.0;
  for (int k = 0; k < problem->contacts * problem->dimension; ++k) most = ts_larger(fabs(problem->q[k]), most);
  return most;
}

// Velocities that given impulses make by their compliance: errors of solutions are no smaller than their round-off.
static double given_speed(const ts_system *system)
{
  double most = 0.0;
  for (int i = 0; i < system->count; ++i)
    if (ts_block_has_given_normal(&system->blocks[i]))
      most = ts_larger(fabs(system->q[(size_t)i * (size_t)system->dimension]), most);
  return most;
}

double ts_step_fineness(const ts_step *step, const ts_friction *problem, double speed, double tolerance)
{
  static const double ROUND_OFF = 1e-13;
  const bool rigid = step->sim->model->skin_count == 0;
  const double all = data_speed(problem), own = rigid ? fmax(speed, given_speed(&step->system)) : speed;
  if (!(all > 0.0)) return 1.0;
  return all > own ? fmin(1.0, fmax(own / all, ROUND_OFF / tolerance)) : own / all;
}
