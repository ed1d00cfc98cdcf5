// Velocities of moving surfaces. Friction sees the surface of a kinematic body at the end of the step, or with
// `surfaces: secant` how it carries what sticks to it through the step. The first runs ahead of the second by h/2 times
// the acceleration of the surface; and what sticks to a surface that turns stays in its place with the second, while
// tangents lead it outwards.
//
// Ways of material points, x(p) = [s + (R - 1) (p - o)]/h, are no velocities of a rigid body: the symmetric part of
// (R - 1)/h, (cos wh - 1)/h across the axis, draws points together by h w^2/2 times their distance, and a body that
// touches at two of them would slip at both. What can carry a body is the rigid field that its own step makes into the
// motion of the surface. A step moves the centre c by h v and turns the body by h w, so that
//   v = x(c),   w = log(R)/h,   and at the touched point p   x(c) + w x (p - c).
// It is x(p) where p = c, and for all p as long as the surface does not turn. It depends on the body that is carried
// and on the motion, not on where the origin of the kinematic body is: several that move as one carry as one.
#include "step/surfaces.h"

#include "contact/law.h"
#include "dynamics/tree_span.h"

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

// The same in the mean through the step, of what is at a point at its start.
static ts_vec3 mean_velocity_at(const ts_step *step, const ts_chord *chord, ts_vec3 point)
{
  const ts_vec3 arm = ts_sub(point, chord->origin);
  const ts_vec3 covered = ts_add(chord->shift, ts_sub(ts_mul(&chord->turn, arm), arm));
  return ts_scale(1.0 / step->h, covered);
}

// The body whose centre a step moves by h v: a tree that hangs on nothing goes with its first, the others follow by
// their joints.
static int leader_of(const ts_step *step, int body)
{
  const ts_tree *tree = step->sim->mechanics.tree;
  const int first = tree ? ts_tree_node_of_body(tree, body) : -1;
  if (first < 0) return body;
  const ts_tree_node *node = ts_tree_node_at(tree, first);
  while (node->parent >= 0) node = ts_tree_node_at(tree, node->parent);
  return node->joint < 0 ? node->body : body;
}

// How a surface carries a body, at a point where it touches. All points of what cannot turn move alike, and any of them
// is as good a centre: the touched one then keeps its place.
static ts_twist carrying_motion(const ts_step *step, const ts_chord *chord, int body, ts_vec3 point)
{
  const ts_sim *sim = step->sim;
  const bool turns = !ts_body_is_particle(sim->model, body);
  const ts_vec3 centre = turns ? sim->kinematics.frame[leader_of(step, body)].origin : point;
  const ts_twist v = {mean_velocity_at(step, chord, centre), chord->turning};
  return (ts_twist){ts_twist_at(v, ts_sub(point, centre)), v.angular};
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
  return chord ? mean_velocity_at(step, chord, contact->point)
               : motion_at(step, contact->body_2, contact->arm_2).linear;
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
  const ts_twist v = secant ? carrying_motion(step, secant, contact->body_1, contact->point)
                            : motion_at(step, contact->body_2, contact->arm_2);
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
  const ts_twist v = carrying_motion(step, secant, support->body, point);
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
