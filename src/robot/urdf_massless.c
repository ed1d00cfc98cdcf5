// Links without a mass: files use them between joints to make one joint with several axes. dynamics/tree_massless.c
// says what can be simulated, and why; here it is said in the terms of the file. What cannot gets a mass.
#include "robot/urdf_settings.h"

#include "robot/urdf_inertia.h"

static const double SMALL_SHARE = 1e-3; // of the robot's mass, for a link that needs one
static const double SMALL_MASS = 1e-3;  // [kg] likewise where the robot has none

bool ts_urdf_body_is_massless(const ts_urdf_robot *robot, int body)
{
  return !robot->bodies[body].fixed && !(robot->bodies[body].inertial.volume > 0.0);
}

// ---- what cannot move without a mass -------------------------------------------------------------------------------

// The joint that carries a body and those that it carries.
typedef struct joints_about {
  int carried;
  bool several_axes; // one of them has
  bool undamped;     // one of them is
} joints_about;

static void add_joint(joints_about *about, const ts_urdf_edge *joint)
{
  about->several_axes = about->several_axes || !ts_urdf_has_coordinate(joint->type);
  about->undamped = about->undamped || !(ts_urdf_damping(joint) > 0.0);
}

// Of every body. What floats hangs on nothing, but a body that floats has no axis to turn about.
static joints_about *find_joints_about(ts_urdf_robot *robot)
{
  const size_t count = (size_t)robot->body_count;
  joints_about *all = ts_arena_bytes(&robot->in->arena, count, sizeof *all);
  for (size_t i = 0; i < count; ++i) all[i] = (joints_about){0};
  for (int i = 0; i < robot->joint_count; ++i) {
    const ts_urdf_edge *joint = &robot->joints[i];
    joints_about *parent = &all[robot->links[joint->parent].body];
    if (joint->type == TS_URDF_FIXED) continue;
    add_joint(&all[robot->links[joint->child].body], joint);
    if (joint->type == TS_URDF_FLOATING) continue;
    add_joint(parent, joint);
    ++parent->carried;
  }
  return all;
}

typedef enum massless_trouble { CAN_MOVE, FREE_BASE, TIP, SEVERAL_AXES, IN_A_ROW } massless_trouble;

// `massless` tells which bodies are, and none of those before this one has trouble.
static massless_trouble find_trouble(const ts_urdf_robot *robot, const joints_about *about, const bool *massless,
                                     int body)
{
  const int joint = robot->links[robot->bodies[body].link].joint;
  if (!massless[body]) return CAN_MOVE;
  if (joint == TS_URDF_NONE) return FREE_BASE;
  const int parent = robot->links[robot->joints[joint].parent].body;
  if (about[body].carried == 0) return TIP;
  if (about[body].several_axes) return SEVERAL_AXES;
  return massless[parent] && (about[body].undamped || about[parent].undamped) ? IN_A_ROW : CAN_MOVE;
}

static ts_status refuse_trouble(ts_urdf_robot *robot, int body, massless_trouble trouble)
{
  const int first = robot->bodies[body].link, joint = robot->links[first].joint;
  const ts_place place = robot->links[first].element->place;
  const char *name = ts_urdf_link_name(robot, first);
  if (trouble == FREE_BASE)
    return ts_document_fail(robot->in, place,
                            "link '%.60s' has no mass, nor has a link fixed to it, so it cannot be a free base", name);
  if (trouble == IN_A_ROW) {
    const int parent = robot->links[robot->joints[joint].parent].body;
    return ts_document_fail(robot->in, place,
                            "links '%.60s' and '%.60s' have no mass: the joints about them can line up, and without "
                            "damping nothing resists then",
                            ts_urdf_link_name(robot, robot->bodies[parent].link), name);
  }
  return ts_document_fail(
      robot->in, place, "link '%.60s' moves by the joint '%.60s' but has no mass, nor has a link fixed to it%s", name,
      ts_urdf_joint_name(robot, joint), trouble == TIP ? "" : ", and a joint about it has several axes");
}

// Bodies stand behind those that carry them.
static ts_status find_needy(ts_urdf_robot *robot, bool *needy, int *count)
{
  const joints_about *about = find_joints_about(robot);
  bool *massless = ts_arena_bytes(&robot->in->arena, (size_t)robot->body_count, sizeof *massless);
  *count = 0;
  for (int i = 0; i < robot->body_count; ++i) {
    massless[i] = ts_urdf_body_is_massless(robot, i);
    const massless_trouble trouble = find_trouble(robot, about, massless, i);
    if (trouble != CAN_MOVE && robot->options->strict) return refuse_trouble(robot, i, trouble);
    needy[i] = trouble != CAN_MOVE;
    massless[i] = massless[i] && !needy[i];
    *count += needy[i];
  }
  return TS_OK;
}

// ---- masses for them -----------------------------------------------------------------------------------------------

static void weigh_shapes(ts_urdf_robot *robot, const bool *needy)
{
  for (int i = 0; i < robot->link_count; ++i)
    if (needy[robot->links[i].body]) ts_urdf_derive_mass(robot, i);
  ts_urdf_weigh_bodies(robot);
}

static double small_mass(const ts_urdf_robot *robot)
{
  double sum = 0.0;
  for (int i = 0; i < robot->link_count; ++i) sum += robot->links[i].inertial.volume;
  return sum > 0.0 ? SMALL_SHARE * sum : SMALL_MASS;
}

// A ball about the origin of the body's first link.
static ts_status give_small_mass(ts_urdf_robot *robot, int body, double mass)
{
  const int first = robot->bodies[body].link;
  ts_urdf_node *link = &robot->links[first];
  link->inertial = (ts_mass_properties){.volume = mass};
  ts_ball_inertia(mass, link->inertial.inertia);
  link->derived = false; // a density has no part in it
  return ts_urdf_note_repair(robot, TS_URDF_SMALL_MASS, ts_urdf_link_name(robot, first), link->element->place, mass);
}

ts_status ts_urdf_supply_masses(ts_urdf_robot *robot)
{
  bool *needy = ts_arena_bytes(&robot->in->arena, (size_t)robot->body_count, sizeof *needy);
  int count;
  TS_TRY(find_needy(robot, needy, &count));
  if (count == 0) return TS_OK;
  weigh_shapes(robot, needy);
  const double small = small_mass(robot);
  for (int i = 0; i < robot->body_count; ++i) {
    const int first = robot->bodies[i].link;
    if (!needy[i]) continue;
    if (robot->bodies[i].inertial.volume > 0.0)
      TS_TRY(ts_urdf_note_repair(robot, TS_URDF_SHAPE_MASS, ts_urdf_link_name(robot, first),
                                 robot->links[first].element->place, 0.0));
    else
      TS_TRY(give_small_mass(robot, i, small));
  }
  ts_urdf_weigh_bodies(robot);
  return TS_OK;
}
