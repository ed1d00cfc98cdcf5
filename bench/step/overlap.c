// Overlap of a scene's bodies, apart from any engine.
#include "scene.h"

#include "touchstone/shape.h"

#include "math/vec3.h"

#include <math.h>
#include <stdio.h>
#include <stdlib.h>

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
  if (body->shape == BODY_CYLINDER) return height - 0.5 * body->length * fabs(n.z) - body->radius * hypot(n.x, n.y);
  return height - 0.5 * body->length * fabs(n.z) - body->radius;
}

static ts_shape shape_of(const scene_body *body)
{
  static const ts_shape_kind kinds[] = {[BODY_SPHERE] = TS_SHAPE_SPHERE,
                                        [BODY_BOX] = TS_SHAPE_BOX,
                                        [BODY_CAPSULE] = TS_SHAPE_CAPSULE,
                                        [BODY_CYLINDER] = TS_SHAPE_CYLINDER};
  return (ts_shape){.kind = kinds[body->shape], .radius = body->radius, .length = body->length, .size = body->size};
}

static double gap_of_shapes(const ts_shape *first, const ts_pose *at, const ts_shape *second, const ts_pose *there)
{
  ts_separation separation;
  if (ts_shape_distance(first, at, second, there, &separation, NULL) != TS_OK) return -INFINITY;
  return separation.gap;
}

static double gap_to_obstacle(const scene_body *body, const ts_pose *pose, const scene_obstacle *obstacle, double time)
{
  const ts_pose place = scene_obstacle_pose(obstacle, time);
  const ts_vec3 p = ts_pose_unapply(&place, pose->position), half = ts_scale(0.5, obstacle->size);
  const ts_vec3 outside = {fmax(fabs(p.x) - half.x, 0.0), fmax(fabs(p.y) - half.y, 0.0), fmax(fabs(p.z) - half.z, 0.0)};
  const double apart = ts_length(outside) - bounding_radius(body);
  if (apart > 0.0) return apart;
  const ts_shape box = {.kind = TS_SHAPE_BOX, .size = obstacle->size}, shape = shape_of(body);
  return gap_of_shapes(&shape, pose, &box, &place);
}

static bool are_joined(const scene *s, int i, int j)
{
  const int later = i > j ? i : j, apart = i > j ? i - j : j - i;
  return apart == 1 && (s->bodies[later].hinged || s->bodies[later].linked);
}

static double gap_between(const scene *s, const ts_pose *poses, int i, int j)
{
  const scene_body *a = &s->bodies[i], *b = &s->bodies[j];
  if (are_joined(s, i, j)) return 0.0;
  const double apart = ts_distance_of(poses[i].position, poses[j].position) - bounding_radius(a) - bounding_radius(b);
  if (apart > 0.0 || (a->shape == BODY_SPHERE && b->shape == BODY_SPHERE)) return apart;
  const ts_shape first = shape_of(a), second = shape_of(b);
  return gap_of_shapes(&first, &poses[i], &second, &poses[j]);
}

// A body with the least x that it may reach to
typedef struct extent {
  double least, most;
  int body;
} extent;

static int by_least(const void *a, const void *b)
{
  const extent *x = a, *y = b;
  if (x->least != y->least) return x->least < y->least ? -1 : 1;
  return (x->body > y->body) - (x->body < y->body);
}

// Pairs whose extents along x overlap, in a sweep: thousands of bodies are looked at many times in a run.
static double least_gap_of_pairs(const scene *s, const ts_pose *poses)
{
  const int n = s->body_count;
  extent *extents = calloc((size_t)n, sizeof *extents);
  if (!extents) {
    fprintf(stderr, "bench: out of memory\n");
    exit(EXIT_FAILURE);
  }
  for (int i = 0; i < n; ++i) {
    const double x = poses[i].position.x, r = bounding_radius(&s->bodies[i]);
    extents[i] = (extent){x - r, x + r, i};
  }
  qsort(extents, (size_t)n, sizeof *extents, by_least);
  double least = 0.0;
  for (int i = 0; i < n; ++i)
    for (int j = i + 1; j < n && extents[j].least <= extents[i].most; ++j)
      least = fmin(least, gap_between(s, poses, extents[i].body, extents[j].body));
  free(extents);
  return least;
}

double scene_penetration(const scene *s, const ts_pose *poses, double time)
{
  double least = least_gap_of_pairs(s, poses);
  for (int i = 0; i < s->body_count; ++i) {
    for (int k = 0; k < s->plane_count; ++k) least = fmin(least, gap_to_plane(&s->bodies[i], &poses[i], &s->planes[k]));
    for (int k = 0; k < s->obstacle_count; ++k)
      least = fmin(least, gap_to_obstacle(&s->bodies[i], &poses[i], &s->obstacles[k], time));
  }
  return 0.0 - least; // not -0
}
