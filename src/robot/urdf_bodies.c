// The bodies that links fixed to one another become.
#include "robot/urdf_robot.h"

#include "shape/mass.h"

#include <string.h>

static bool is_world(const ts_urdf_robot *robot, int link)
{
  return strcmp(ts_urdf_link_name(robot, link), "world") == 0;
}

// Where the root is the world, a free base is what is fixed to that.
static void release_base(ts_urdf_robot *robot)
{
  const int root = robot->order[0];
  if (robot->options->base != TS_BASE_FREE || !is_world(robot, root)) return;
  for (int i = 0; i < robot->joint_count; ++i)
    if (robot->joints[i].parent == root && robot->joints[i].type == TS_URDF_FIXED)
      robot->joints[i].type = TS_URDF_FLOATING;
}

static int begin_body(ts_urdf_robot *robot, int link)
{
  const bool root = link == robot->order[0];
  robot->bodies[robot->body_count] =
      (ts_urdf_body){.link = link, .fixed = root && (robot->options->base == TS_BASE_FIXED || is_world(robot, link))};
  return robot->body_count++;
}

static void assign_bodies(ts_urdf_robot *robot)
{
  robot->bodies = ts_arena_bytes(&robot->in->arena, (size_t)robot->link_count, sizeof *robot->bodies);
  for (int k = 0; k < robot->link_count; ++k) {
    ts_urdf_node *link = &robot->links[robot->order[k]];
    const ts_urdf_edge *joint = link->joint == TS_URDF_NONE ? NULL : &robot->joints[link->joint];
    link->in_body = ts_pose_identity();
    if (joint && joint->type == TS_URDF_FIXED) {
      const ts_urdf_node *parent = &robot->links[joint->parent];
      link->body = parent->body;
      link->in_body = ts_pose_compose(&parent->in_body, &joint->origin);
    } else {
      link->body = begin_body(robot, robot->order[k]);
    }
  }
}

// The name of its first link. The world's is taken: a link fixed to it lends its name, or, where there is none and no
// shape either, the world stands for itself.
static const char *name_of_body(ts_urdf_robot *robot, int body)
{
  const int link = robot->bodies[body].link;
  if (!is_world(robot, link)) return ts_urdf_link_name(robot, link);
  for (int k = 1; k < robot->link_count; ++k)
    if (robot->links[robot->order[k]].body == body) return ts_urdf_link_name(robot, robot->order[k]);
  return robot->links[link].shape_count > 0 ? ts_urdf_fresh_name(robot, "world_link") : NULL;
}

static void name_bodies(ts_urdf_robot *robot)
{
  for (int i = 0; i < robot->body_count; ++i) {
    const char *name = name_of_body(robot, i);
    robot->bodies[i].name = name ? ts_urdf_scene_name(robot, name) : NULL;
  }
}

// Joints on the world have absolute coordinates. The world without a body of its own stays, and so does one with a free
// base; what floats does not hang on it.
static void hang_on_world(ts_urdf_robot *robot)
{
  const int root = robot->order[0];
  const bool stays = is_world(robot, root) && (!robot->bodies[0].name || robot->options->base == TS_BASE_FREE);
  robot->bodies[0].on_world = stays;
  for (int i = 1; i < robot->body_count; ++i) {
    const ts_urdf_edge *joint = &robot->joints[robot->links[robot->bodies[i].link].joint];
    const int carrier = robot->links[joint->parent].body;
    robot->bodies[i].on_world = joint->type != TS_URDF_FLOATING && robot->bodies[carrier].on_world;
  }
}

void ts_urdf_join_links(ts_urdf_robot *robot)
{
  release_base(robot);
  assign_bodies(robot);
  name_bodies(robot);
  hang_on_world(robot);
}
