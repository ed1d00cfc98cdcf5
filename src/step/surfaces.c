// Velocities of moving surfaces. Friction sees the surface of a kinematic body at the end of the step, or with
// `surfaces: secant` the mean over the step: the way [x(t+h) - x(t)]/h of the material point x that lies, at its start,
// where the other body touches. The first runs ahead of the second by h/2 times the acceleration of the surface; and
// what sticks to a surface that turns stays in its place with the second, while tangents lead it outwards.
#include "step/surfaces.h"

#include "contact/law.h"

// What is at the arm r from `origin` at the start moves by shift + turn r - r.
struct ts_chord {
  ts_vec3 origin;  // of the body, at the start [m]
  ts_vec3 shift;   // of its origin [m]
  ts_mat3 turn;    // from the axes of the start to those of the end
  ts_vec3 turning; // mean angular velocity [rad/s]
};

static ts_chord chord_of(const ts_sim *sim, int body, double h)
{
  ts_pose start;
  ts_twist unused;
  ts_motion_evaluate(sim->model, body, sim->state.time, &start, &unused);
  const ts_pose *end = &sim->state.pose[body];
  const ts_quat turn = ts_quat_product(end->orientation, ts_quat_conjugate(start.orientation));
  return (ts_chord){.origin = start.position,
                    .shift = ts_sub(end->position, start.position),
                    .turn = ts_quat_matrix(turn),
                    .turning = ts_scale(1.0 / h, ts_quat_rotation_vector(turn))};
}

void ts_step_find_chords(ts_step *step)
{
  const ts_model *model = step->sim->model;
  if (model->motion_count == 0) return;
  ts_chord *chords = ts_arena_bytes(step->arena, (size_t)model->motion_count, sizeof *chords);
  for (int i = 0; i < model->motion_count; ++i) chords[i] = chord_of(step->sim, model->motions[i].body, step->h);
  step->chords = chords;
}

// Velocity of a kinematic body at the end of the step, at an arm, and its turning.
static ts_twist motion_at(const ts_step *step, int body, ts_vec3 arm)
{
  const ts_twist twist = step->sim->state.velocity[body];
  return (ts_twist){ts_twist_at(twist, arm), twist.angular};
}

// The same through the step, of what is at a point at its start.
static ts_twist mean_motion_at(const ts_step *step, const ts_chord *chord, ts_vec3 point)
{
  const ts_vec3 arm = ts_sub(point, chord->origin);
  const ts_vec3 covered = ts_add(chord->shift, ts_sub(ts_mul(&chord->turn, arm), arm));
  return (ts_twist){ts_scale(1.0 / step->h, covered), chord->turning};
}

// The chord of a kinematic body, or NULL: it does not move, or nobody has asked.
static const ts_chord *chord_through(const ts_step *step, int body)
{
  const int motion = step->sim->model->bodies[body].motion;
  return step->chords && motion >= 0 ? &step->chords[motion] : NULL;
}

ts_vec3 ts_step_mean_surface(const ts_step *step, int i)
{
  const ts_contact *contact = &step->contacts.contacts[i];
  const ts_chord *chord = chord_through(step, contact->body_2);
  return (chord ? mean_motion_at(step, chord, contact->point) : motion_at(step, contact->body_2, contact->arm_2))
      .linear;
}

// The chord of a surface where friction sees that.
static const ts_chord *secant_of(const ts_step *step, int body)
{
  return step->sim->options.surfaces == TS_SURFACES_SECANT ? chord_through(step, body) : NULL;
}

// What the surface adds to the relative velocity of a contact, row by row.
static void contact_surface(const ts_step *step, int i, double *surface)
{
  const ts_contact *contact = &step->contacts.contacts[i];
  const int d = step->system.dimension;
  const ts_chord *secant = secant_of(step, contact->body_2);
  const ts_twist v =
      secant ? mean_motion_at(step, secant, contact->point) : motion_at(step, contact->body_2, contact->arm_2);
  surface[0] = -ts_dot(contact->normal, v.linear);
  surface[1] = -ts_dot(contact->tangent, v.linear);
  if (d > 2) surface[2] = -ts_dot(contact->other, v.linear);
  if (d > 3 && (step->system.blocks[i].active & 8u)) surface[3] = -ts_dot(contact->normal, v.angular);
}

// The slip of a support whose plane moves.
static ts_vec3 plane_surface(const ts_step *step, const ts_bounded_row *row)
{
  const ts_support *support = row->support;
  const ts_chord *secant = support->on == TS_WORLD ? NULL : secant_of(step, support->on);
  if (!secant) return row->plane;
  const ts_vec3 point = ts_add(step->sim->kinematics.frame[support->body].origin, row->arm);
  const ts_twist v = mean_motion_at(step, secant, point);
  return (ts_vec3){-v.linear.x, -v.linear.y, -v.angular.z};
}

// The same of a stop, and of a support. A motor's first row is its given normal, which does not move.
static void bounded_surface(const ts_step *step, const ts_bounded_row *row, double *surface)
{
  if (row->support) {
    const ts_vec3 plane = plane_surface(step, row);
    surface[1] = plane.x;
    surface[2] = plane.y;
    if (step->system.dimension > 3 && ts_law_resists_spin(&row->support->law)) surface[3] = plane.z;
  } else if (row->lower >= 0.0) {
    surface[0] = row->drift;
  }
}

void ts_step_surfaces(ts_step *step)
{
  const ts_model *model = step->sim->model;
  const size_t d = (size_t)step->system.dimension;
  for (int k = 0; k < step->bounded_count; ++k)
    bounded_surface(step, &step->bounded[k], step->surface + (size_t)(step->contacts.count + k) * d);
  for (int i = 0; i < step->contacts.count; ++i)
    if (model->bodies[step->contacts.contacts[i].body_2].kind == TS_KINEMATIC)
      contact_surface(step, i, step->surface + (size_t)i * d);
}
