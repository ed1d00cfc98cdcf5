// Links without a mass: files use them between joints to make one joint with several axes. dynamics/tree_massless.c
// says what can be simulated, and why; here it is said in the terms of the file.
#include "robot/urdf_settings.h"

bool ts_urdf_body_is_massless(const ts_urdf_robot *robot, int body)
{
  return !robot->bodies[body].fixed && !(robot->bodies[body].inertial.volume > 0.0);
}

static bool has_one_axis(const ts_urdf_edge *joint)
{
  return joint->type == TS_URDF_REVOLUTE || joint->type == TS_URDF_CONTINUOUS || joint->type == TS_URDF_PRISMATIC;
}

// The joint that carries a body and those that it carries.
typedef struct joints_about {
  int carried;
  bool one_axis; // each of them has
  bool damped;   // each of them is
} joints_about;

static joints_about find_joints_about(const ts_urdf_robot *robot, int body)
{
  const int first = robot->links[robot->bodies[body].link].joint;
  joints_about about = {0, true, true};
  for (int i = 0; i < robot->joint_count; ++i) {
    const ts_urdf_edge *joint = &robot->joints[i];
    const bool on = robot->links[joint->parent].body == body && joint->type != TS_URDF_FIXED;
    if (i != first && (!on || joint->type == TS_URDF_FLOATING)) continue;
    about.carried += on;
    about.one_axis = about.one_axis && has_one_axis(joint);
    about.damped = about.damped && ts_urdf_damping(joint) > 0.0;
  }
  return about;
}

ts_status ts_urdf_check_massless(ts_urdf_robot *robot, int body)
{
  const int first = robot->bodies[body].link;
  const ts_urdf_node *link = &robot->links[first];
  const ts_place place = link->element->place;
  const char *name = ts_urdf_link_name(robot, first);
  if (!ts_urdf_body_is_massless(robot, body)) return TS_OK;
  if (link->joint == TS_URDF_NONE)
    return ts_document_fail(robot->in, place,
                            "link '%.60s' has no mass, nor has a link fixed to it, so it cannot be a free base", name);
  const joints_about about = find_joints_about(robot, body);
  const int parent = robot->links[robot->joints[link->joint].parent].body;
  if (about.carried == 0 || !about.one_axis)
    return ts_document_fail(
        robot->in, place, "link '%.60s' moves by the joint '%.60s' but has no mass, nor has a link fixed to it%s", name,
        ts_urdf_joint_name(robot, link->joint), about.carried == 0 ? "" : ", and a joint about it has several axes");
  if (ts_urdf_body_is_massless(robot, parent) && !(about.damped && find_joints_about(robot, parent).damped))
    return ts_document_fail(robot->in, place,
                            "links '%.60s' and '%.60s' have no mass: the joints about them can line up, and without "
                            "damping nothing resists then",
                            ts_urdf_link_name(robot, robot->bodies[parent].link), name);
  return TS_OK;
}
