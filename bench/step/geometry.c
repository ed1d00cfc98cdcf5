// Inertia, energy and overlap of a scene's bodies, apart from any engine.
#include "scene.h"

#include "touchstone/shape.h"

#include "math/vec3.h"

#include <math.h>
#include <stddef.h>

// A solid capsule is a cylinder and two half balls, whose centres of mass lie 3/8 r beyond the cylinder's ends.
static ts_vec3 capsule_inertia(const scene_body *body)
{
  const double r = body->radius, l = body->length;
  const double cylinder = r * r * l, ball = 4.0 / 3.0 * r * r * r; // volumes over pi
  const double m_c = body->mass * cylinder / (cylinder + ball), m_b = body->mass * ball / (cylinder + ball);
  const double across = m_c * (l * l / 12.0 + r * r / 4.0) + m_b * (0.4 * r * r + 0.375 * r * l + 0.25 * l * l);
  return ts_vec3_make(across, across, m_c * 0.5 * r * r + m_b * 0.4 * r * r);
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

double scene_energy(const scene *s, const ts_pose *poses, const ts_twist *twists)
{
  double energy = 0.0;
  for (int i = 0; i < s->body_count; ++i) {
    const double m = s->bodies[i].mass, inertia = scene_body_inertia(&s->bodies[i]).x;
    const ts_vec3 v = twists[i].linear, w = twists[i].angular;
    energy += 0.5 * (m * ts_dot(v, v) + inertia * ts_dot(w, w)) + m * s->gravity * poses[i].position.z;
  }
  return energy;
}

static double bounding_radius(const scene_body *body)
{
  if (body->shape == BODY_BOX) return 0.5 * ts_length(body->size);
  return body->radius + 0.5 * body->length;
}

static double gap_to_plane(const scene_body *body, const ts_pose *pose, const scene_plane *plane)
{
  const ts_vec3 n = ts_quat_rotate(ts_quat_conjugate(pose->orientation), plane->normal);
  const double height = ts_dot(plane->normal, pose->position) - plane->offset;
  if (body->shape == BODY_BOX)
    return height - 0.5 * (fabs(n.x) * body->size.x + fabs(n.y) * body->size.y + fabs(n.z) * body->size.z);
  return height - 0.5 * body->length * fabs(n.z) - body->radius;
}

static ts_shape shape_of(const scene_body *body)
{
  static const ts_shape_kind kinds[] = {
      [BODY_SPHERE] = TS_SHAPE_SPHERE, [BODY_BOX] = TS_SHAPE_BOX, [BODY_CAPSULE] = TS_SHAPE_CAPSULE};
  return (ts_shape){.kind = kinds[body->shape], .radius = body->radius, .length = body->length, .size = body->size};
}

static double gap_between(const scene *s, const ts_pose *poses, int i, int j)
{
  const scene_body *a = &s->bodies[i], *b = &s->bodies[j];
  const double apart = ts_distance_of(poses[i].position, poses[j].position) - bounding_radius(a) - bounding_radius(b);
  if (apart > 0.0 || (a->shape == BODY_SPHERE && b->shape == BODY_SPHERE)) return apart;
  const ts_shape first = shape_of(a), second = shape_of(b);
  ts_separation separation;
  if (ts_shape_distance(&first, &poses[i], &second, &poses[j], &separation, NULL) != TS_OK) return -INFINITY;
  return separation.gap;
}

double scene_penetration(const scene *s, const ts_pose *poses)
{
  double least = 0.0;
  for (int i = 0; i < s->body_count; ++i) {
    for (int k = 0; k < s->plane_count; ++k) least = fmin(least, gap_to_plane(&s->bodies[i], &poses[i], &s->planes[k]));
    for (int j = 0; j < i; ++j) least = fmin(least, gap_between(s, poses, i, j));
  }
  return -least;
}
