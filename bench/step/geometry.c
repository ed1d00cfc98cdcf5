// Inertia and energy of a scene's bodies and the motion of its obstacles, apart from any engine.
#include "scene.h"

#include "math/vec3.h"

// A solid capsule is a cylinder and two half balls, whose centres of mass lie 3/8 r beyond the cylinder's ends.
static ts_vec3 capsule_inertia(const scene_body *body)
{
  const double r = body->radius, l = body->length;
  const double cylinder = r * r * l, ball = 4.0 / 3.0 * r * r * r; // volumes over pi
  const double m_c = body->mass * cylinder / (cylinder + ball), m_b = body->mass * ball / (cylinder + ball);
  const double across = m_c * (l * l / 12.0 + r * r / 4.0) + m_b * (0.4 * r * r + 0.375 * r * l + 0.25 * l * l);
  return ts_vec3_make(across, across, m_c * 0.5 * r * r + m_b * 0.4 * r * r);
}

static ts_vec3 cylinder_inertia(const scene_body *body)
{
  const double r = body->radius, l = body->length, across = body->mass * (3.0 * r * r + l * l) / 12.0;
  return ts_vec3_make(across, across, 0.5 * body->mass * r * r);
}

ts_vec3 scene_body_inertia(const scene_body *body)
{
  const ts_vec3 d = body->size;
  const double sphere = 0.4 * body->mass * body->radius * body->radius, part = body->mass / 12.0;
  switch (body->shape) {
  case BODY_BOX:
    return ts_scale(part, ts_vec3_make(d.y * d.y + d.z * d.z, d.z * d.z + d.x * d.x, d.x * d.x + d.y * d.y));
  case BODY_CAPSULE:
    return capsule_inertia(body);
  case BODY_CYLINDER:
    return cylinder_inertia(body);
  default:
    return ts_vec3_make(sphere, sphere, sphere);
  }
}

double scene_hinge_rate(const scene *s, int body)
{
  const scene_body *b = &s->bodies[body];
  const ts_vec3 carried = body > 0 ? s->bodies[body - 1].turning : (ts_vec3){0.0, 0.0, 0.0};
  return b->hinged ? ts_dot(b->axis, ts_sub(b->turning, carried)) : 0.0;
}

double scene_kinetic_energy(const scene *s, const ts_pose *poses, const ts_twist *twists)
{
  double energy = 0.0;
  for (int i = 0; i < s->body_count; ++i) {
    const ts_vec3 inertia = scene_body_inertia(&s->bodies[i]), v = twists[i].linear;
    const ts_vec3 w = ts_quat_rotate(ts_quat_conjugate(poses[i].orientation), twists[i].angular);
    energy += 0.5 * (s->bodies[i].mass * ts_dot(v, v) + inertia.x * w.x * w.x + inertia.y * w.y * w.y +
                     inertia.z * w.z * w.z);
  }
  return energy;
}

double scene_energy(const scene *s, const ts_pose *poses, const ts_twist *twists)
{
  double energy = scene_kinetic_energy(s, poses, twists);
  for (int i = 0; i < s->body_count; ++i) energy += s->bodies[i].mass * s->gravity * poses[i].position.z;
  return energy;
}

bool scene_obstacle_moves(const scene_obstacle *obstacle)
{
  return ts_length(obstacle->turning) > 0.0;
}

ts_pose scene_obstacle_pose(const scene_obstacle *obstacle, double time)
{
  const ts_quat turn = ts_quat_exp(ts_scale(time, obstacle->turning));
  const ts_vec3 arm = ts_sub(obstacle->pose.position, obstacle->pivot);
  return (ts_pose){ts_add(obstacle->pivot, ts_quat_rotate(turn, arm)),
                   ts_quat_product(turn, obstacle->pose.orientation)};
}

ts_twist scene_obstacle_twist(const scene_obstacle *obstacle, double time)
{
  const ts_vec3 arm = ts_sub(scene_obstacle_pose(obstacle, time).position, obstacle->pivot);
  return (ts_twist){ts_cross(obstacle->turning, arm), obstacle->turning};
}

bool scene_is_furnished(const scene *s)
{
  for (int i = 0; i < s->body_count; ++i)
    if (s->bodies[i].linked) return true;
  return s->obstacle_count > 0;
}
