// Joints and springs of a subject as they stand at a state.
#include "draw/subject.h"

#include <math.h>
#include <stdlib.h>

static ts_pose in_world(const ts_pose *poses, int body, const ts_pose *inner)
{
  return body == TS_WORLD ? *inner : ts_pose_combine(&poses[body], inner);
}

// How far a body reaches from its centre along a direction: infinitely where it has a half-space.
static double reach_from(const ts_model *model, const ts_pose *pose, int body, ts_vec3 centre, ts_vec3 direction)
{
  double reach = 0.0;
  for (int i = 0; i < ts_model_part_count(model); ++i) {
    if (ts_model_part_body(model, i) != body) continue;
    const ts_shape *shape = ts_model_part_shape(model, i);
    if (shape->kind == TS_SHAPE_PLANE) return INFINITY;
    const ts_pose inner = ts_model_part_pose(model, i), at = ts_pose_combine(pose, &inner);
    reach = fmax(reach, ts_placed_reach(shape, &at, direction) - ts_vector_dot(direction, centre));
  }
  return reach;
}

// Where a stem from a joint's point meets the body that it holds: the point itself when that is on the body.
static ts_vec3 stem_end(const ts_model *model, const ts_pose *poses, int body, ts_vec3 point)
{
  if (body == TS_WORLD) return point;
  const ts_vec3 centre = ts_pose_place(&poses[body], ts_model_body_centre(model, body));
  const ts_vec3 out = ts_vector_subtract(point, centre), direction = ts_vector_unit(out);
  const double reach = reach_from(model, &poses[body], body, centre, direction);
  return reach < ts_vector_length(out) ? ts_vector_add(centre, ts_vector_scale(reach, direction)) : point;
}

static ts_picture_link joint_link(const ts_model *model, const ts_pose *poses, int joint)
{
  static const ts_vec3 x = {1.0, 0.0, 0.0}, z = {0.0, 0.0, 1.0};
  const ts_joint_def def = ts_model_joint(model, joint);
  const ts_pose inner[2] = {ts_model_joint_frame(model, joint, 0), ts_model_joint_frame(model, joint, 1)};
  const ts_pose parent = in_world(poses, def.parent, &inner[0]), child = in_world(poses, def.child, &inner[1]);
  return (ts_picture_link){
      .kind = def.kind,
      .point = {parent.position, child.position},
      .stem = {stem_end(model, poses, def.parent, parent.position), stem_end(model, poses, def.child, child.position)},
      .axis = ts_vector_rotate(parent.orientation, z),
      .axis2 = ts_vector_rotate(child.orientation, x)};
}

static ts_picture_link spring_link(const ts_model *model, const ts_pose *poses, int spring)
{
  const ts_spring_def def = ts_model_spring(model, spring);
  ts_picture_link link = {.is_spring = true};
  for (int side = 0; side < 2; ++side)
    link.point[side] = def.body[side] == TS_WORLD ? def.at[side] : ts_pose_place(&poses[def.body[side]], def.at[side]);
  return link;
}

ts_picture_link *ts_subject_links(const ts_subject *subject, int state, int *count, ts_heap *heap)
{
  const ts_model *model = subject->model;
  const int springs = ts_model_spring_count(model), joints = ts_model_joint_count(model);
  ts_picture_link *links = ts_heap_zeros(heap, (size_t)springs + (size_t)joints, sizeof *links);
  ts_pose *poses = ts_heap_zeros(heap, (size_t)ts_model_body_count(model), sizeof *poses);
  *count = poses ? springs + joints : 0;
  if (poses) {
    ts_subject_poses(subject, state, poses);
    for (int i = 0; i < springs; ++i) links[i] = spring_link(model, poses, i);
    for (int i = 0; i < joints; ++i) links[springs + i] = joint_link(model, poses, i);
  }
  free(poses);
  return links;
}
