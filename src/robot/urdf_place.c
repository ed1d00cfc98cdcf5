#include "robot/urdf_place.h"

#include "math/vec3.h"
#include "shape/broad_phase.h"
#include "shape/distance.h"

#include <stdlib.h>

static ts_frame frame_of(const ts_urdf_robot *robot, const ts_urdf_shape *shape)
{
  const ts_pose pose = ts_pose_compose(&robot->links[shape->link].pose, &shape->pose);
  return ts_pose_frame(&pose);
}

static int body_of(const ts_urdf_robot *robot, int shape)
{
  return robot->links[robot->shapes[shape].link].body;
}

// ---- overlaps ------------------------------------------------------------------------------------------------------

static bool carries(const ts_urdf_robot *robot, int parent, int child)
{
  const int joint = robot->links[robot->bodies[child].link].joint;
  return joint != TS_URDF_NONE && robot->joints[joint].type != TS_URDF_FLOATING &&
         robot->links[robot->joints[joint].parent].body == parent;
}

static bool can_meet(const ts_urdf_robot *robot, int a, int b)
{
  return a != b && !carries(robot, a, b) && !carries(robot, b, a);
}

static int compare_pairs(const void *left, const void *right)
{
  const ts_urdf_pair *a = left, *b = right;
  if (a->first != b->first) return a->first < b->first ? -1 : 1;
  return (a->second > b->second) - (a->second < b->second);
}

static int drop_repeated(ts_urdf_pair *pairs, int count)
{
  int kept = 0;
  qsort(pairs, (size_t)count, sizeof *pairs, compare_pairs);
  for (int i = 0; i < count; ++i)
    if (kept == 0 || compare_pairs(&pairs[i], &pairs[kept - 1]) != 0) pairs[kept++] = pairs[i];
  return kept;
}

static void release_broad_phase(void *broad_phase)
{
  ts_broad_phase_destroy(broad_phase);
}

// The pairs are valid as long as the robot is read.
static ts_status find_box_pairs(ts_urdf_robot *robot, const ts_frame *frames, const ts_box_pair **pairs, int *count)
{
  ts_document_input *in = robot->in;
  ts_bounds *boxes = ts_arena_bytes(&in->arena, (size_t)robot->shape_count, sizeof *boxes);
  bool *moves = ts_arena_bytes(&in->arena, (size_t)robot->shape_count, sizeof *moves);
  for (int i = 0; i < robot->shape_count; ++i) {
    boxes[i] = ts_convex_bounds(robot->shapes[i].convex, &frames[i]);
    moves[i] = !robot->bodies[body_of(robot, i)].fixed;
  }
  void **broad_phase = ts_document_hold(in, release_broad_phase);
  *broad_phase = ts_broad_phase_create(robot->shape_count, NULL);
  if (*broad_phase && ts_broad_phase_find(*broad_phase, boxes, moves, robot->shape_count, pairs, count)) return TS_OK;
  return ts_fail(in->error, TS_OUT_OF_MEMORY, "memory ran out");
}

ts_status ts_urdf_find_overlaps(ts_urdf_robot *robot, ts_urdf_pair **pairs, int *count)
{
  ts_frame *frames = ts_arena_bytes(&robot->in->arena, (size_t)robot->shape_count, sizeof *frames);
  for (int i = 0; i < robot->shape_count; ++i) frames[i] = frame_of(robot, &robot->shapes[i]);
  const ts_box_pair *near;
  int near_count;
  TS_TRY(find_box_pairs(robot, frames, &near, &near_count));
  *pairs = ts_arena_bytes(&robot->in->arena, (size_t)near_count, sizeof **pairs);
  *count = 0;
  for (int k = 0; k < near_count; ++k) {
    const int i = near[k].first, j = near[k].second, a = body_of(robot, i), b = body_of(robot, j);
    ts_separation separation;
    if (!can_meet(robot, a, b)) continue;
    ts_convex_distance(robot->shapes[i].convex, &frames[i], robot->shapes[j].convex, &frames[j], &separation);
    if (separation.gap < 0.0) (*pairs)[(*count)++] = a < b ? (ts_urdf_pair){a, b} : (ts_urdf_pair){b, a};
  }
  *count = drop_repeated(*pairs, *count);
  return TS_OK;
}

// ---- height --------------------------------------------------------------------------------------------------------

// Of what moves; INFINITY where no shape does.
static double lowest_point(const ts_urdf_robot *robot)
{
  double lowest = INFINITY;
  for (int i = 0; i < robot->shape_count; ++i) {
    if (robot->bodies[body_of(robot, i)].fixed) continue;
    const ts_frame frame = frame_of(robot, &robot->shapes[i]);
    lowest = fmin(lowest, ts_convex_bounds(robot->shapes[i].convex, &frame).low.z);
  }
  return lowest;
}

static void lift(ts_urdf_robot *robot, double height)
{
  for (int i = 0; i < robot->link_count; ++i) {
    robot->links[i].pose.position.z += height;
    robot->links[i].written.position.z += height;
  }
}

void ts_urdf_put_on_floor(ts_urdf_robot *robot, double clearance)
{
  const double lowest = lowest_point(robot);
  if (!isfinite(lowest)) return;
  if (robot->options->base == TS_BASE_FREE)
    lift(robot, clearance - lowest);
  else if (lowest < 0.0)
    robot->floor = lowest - clearance;
}
