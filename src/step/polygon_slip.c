#include "step/polygon_slip.h"

#include <math.h>

// The x axis of the body that a contact's polygon is fixed to, seen along the normal: its angle from tangent t. Where
// that is as good as the normal, its y axis.
static double angle_of_axes(const ts_frame *frame, ts_vec3 n, ts_vec3 t)
{
  static const double ALONG = 0.999; // cosine
  const ts_vec3 axis = fabs(ts_dot(frame->axes.x, n)) < ALONG ? frame->axes.x : frame->axes.y;
  return atan2(ts_dot(axis, ts_cross(n, t)), ts_dot(axis, t));
}

// Angle from tangent t to the first direction of the polygon of a block, one that rubs along both.
static double first_direction(const ts_step *step, const ts_block *block)
{
  static const ts_vec3 x_axis = {1.0, 0.0, 0.0}, z_axis = {0.0, 0.0, 1.0};
  const ts_sim *sim = step->sim;
  const double angle = sim->options.direction_angle;
  if (sim->options.align != TS_ALIGN_BODY) return angle;
  if (block->kind == TS_BLOCK_SUPPORT) {
    const int on = step->bounded[block->source].support->on;
    return on == TS_WORLD ? angle : angle + angle_of_axes(&sim->kinematics.frame[on], z_axis, x_axis);
  }
  const ts_contact *contact = &step->contacts.contacts[block->source];
  return angle + angle_of_axes(&sim->kinematics.frame[contact->body_2], contact->normal, contact->tangent);
}

const double *ts_polygon_slip(const ts_step *step, const ts_system *system)
{
  const int d = system->dimension;
  const ts_step_options *options = &step->sim->options;
  const bool turns = options->align == TS_ALIGN_SLIP && step->force_time == 0.0; // without inertia q is no slip
  if (turns) return system->q;
  double *slip = ts_arena_zeros(step->arena, (size_t)system->count * (size_t)d);
  if (d == 2) return slip;
  for (int i = 0; i < system->count; ++i) { // what rubs along one tangent alone has its directions along that
    const bool both = (system->blocks[i].active & 4u) != 0;
    const double angle = both ? first_direction(step, &system->blocks[i]) : 0.0;
    slip[i * d + 1] = -cos(angle);
    slip[i * d + 2] = -sin(angle);
  }
  return slip;
}
