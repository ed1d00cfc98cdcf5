// Joints and springs of a subject as they stand at a state.
#include "draw/subject.h"

#include <math.h>
#include <stdlib.h>

static ts_pose in_world(const ts_pose *poses, int body, const ts_pose *inner)
{
  return body == TS_WORLD ? *inner : ts_pose_combine(&poses[body], inner);
}

// Where a stem from a joint's point meets a part of the body that it holds, as far as one looks to the part's middle.
// The point itself when that is on the part, or the part is a half-space.
static ts_vec3 meet_part(const ts_model *model, const ts_pose *pose, int part, ts_vec3 point)
{
  const ts_shape *shape = ts_model_part_shape(model, part);
  if (shape->kind == TS_SHAPE_PLANE) return point;
  const ts_pose inner = ts_model_part_pose(model, part), at = ts_pose_combine(pose, &inner);
  const ts_scope box = ts_scope_of_shape(shape, &at);
  const ts_vec3 middle = ts_scope_centre(&box), out = ts_vector_subtract(point, middle);
  const ts_vec3 direction = ts_vector_unit(out);
  const double reach = ts_placed_reach(shape, &at, direction) - ts_vector_dot(direction, middle);
  return reach < ts_vector_length(out) ? ts_vector_add(middle, ts_vector_scale(reach, direction)) : point;
}

static double distance(ts_vec3 a, ts_vec3 b)
{
  return ts_vector_length(ts_vector_subtract(a, b));
}

// The nearest of a body's parts; its centre where it has none.
static ts_vec3 stem_end(const ts_model *model, const ts_pose *poses, int body, ts_vec3 point)
{
  if (body == TS_WORLD) return point;
  ts_vec3 end = ts_pose_place(&poses[body], ts_model_body_centre(model, body));
  bool any = false;
  for (int i = 0; i < ts_model_part_count(model); ++i) {
    if (ts_model_part_body(model, i) != body) continue;
    const ts_vec3 meeting = meet_part(model, &poses[body], i, point);
    if (!any || distance(meeting, point) < distance(end, point)) end = meeting;
    any = true;
  }
  return end;
}

static ts_picture_link joint_link(const ts_model *model, const ts_pose *poses, int joint)
{
  static const ts_vec3 x = {1.0, 0.0, 0.0}, z = {0.0, 0.0, 1.0};
  const ts_joint_def def = ts_model_joint(model, joint);
  const ts_pose inner[2] = {ts_model_joint_frame(model, joint, 0), ts_model_joint_frame(model, joint, 1)};
  const ts_pose parent = in_world(poses, def.parent, &inner[0]), child = in_world(poses, def.child, &inner[1]);
  return (ts_picture_link){
      .kind = def.kind,
      .body = {def.parent, def.child},
      .point = {parent.position, child.position},
      .stem = {stem_end(model, poses, def.parent, parent.position), stem_end(model, poses, def.child, child.position)},
      .axis = ts_vector_rotate(parent.orientation, z),
      .axis2 = ts_vector_rotate(child.orientation, x)};
}

static ts_picture_link spring_link(const ts_model *model, const ts_pose *poses, int spring)
{
  const ts_spring_def def = ts_model_spring(model, spring);
  ts_picture_link link = {.is_spring = true, .body = {def.body[0], def.body[1]}};
  for (int side = 0; side < 2; ++side)
    link.point[side] = def.body[side] == TS_WORLD ? def.at[side] : ts_pose_place(&poses[def.body[side]], def.at[side]);
  return link;
}

static ts_picture_link bushing_link(const ts_model *model, const ts_pose *poses, int bushing)
{
  const ts_bushing_def def = ts_model_bushing(model, bushing);
  ts_picture_link link = {.is_spring = true};
  for (int side = 0; side < 2; ++side) {
    const ts_pose inner = ts_model_bushing_frame(model, bushing, side);
    link.point[side] = in_world(poses, def.body[side], &inner).position;
  }
  return link;
}

ts_picture_link *ts_subject_links(const ts_subject *subject, int state, int *count, ts_heap *heap)
{
  const ts_model *model = subject->model;
  const int springs = ts_model_spring_count(model), bushings = ts_model_bushing_count(model);
  const int joints = ts_model_joint_count(model), all = springs + bushings + joints;
  ts_picture_link *links = ts_heap_zeros(heap, (size_t)all, sizeof *links);
  ts_pose *poses = ts_heap_zeros(heap, (size_t)ts_model_body_count(model), sizeof *poses);
  *count = poses ? all : 0;
  if (poses) {
    ts_subject_poses(subject, state, poses);
    for (int i = 0; i < springs; ++i) links[i] = spring_link(model, poses, i);
    for (int i = 0; i < bushings; ++i) links[springs + i] = bushing_link(model, poses, i);
    for (int i = 0; i < joints; ++i) links[springs + bushings + i] = joint_link(model, poses, i);
  }
  free(poses);
  return links;
}
