// Links and joints of a robot, and the tree that they form.
#include "robot/urdf_robot.h"

#include "touchstone/suggest.h"

#include "math/vec3.h"

#include <string.h>

const char *ts_urdf_link_name(const ts_urdf_robot *robot, int link)
{
  return robot->link_names.names[link];
}

const char *ts_urdf_joint_name(const ts_urdf_robot *robot, int joint)
{
  return robot->joint_names.names[joint];
}

const char *ts_urdf_fresh_name(ts_urdf_robot *robot, const char *name)
{
  while (ts_names_find(&robot->link_names, name) >= 0) {
    char *longer = ts_document_take(robot->in, strlen(name) + 2);
    name = strcat(strcpy(longer, name), "_");
  }
  return name;
}

const char *ts_urdf_scene_name(ts_urdf_robot *robot, const char *name)
{
  if (!*robot->prefix) return name;
  char *longer = ts_document_take(robot->in, strlen(robot->prefix) + strlen(name) + 1);
  return strcat(strcpy(longer, robot->prefix), name);
}

static int count_children(const ts_xml_element *element, const char *name)
{
  int count = 0;
  for (const ts_xml_element *child = element->first; child; child = child->next)
    count += strcmp(child->name, name) == 0;
  return count;
}

// ---- names ---------------------------------------------------------------------------------------------------------

static const char *name_at(int i, const void *names)
{
  return ((const ts_names *)names)->names[i];
}

static ts_status add_name(ts_urdf_robot *robot, ts_names *names, const ts_xml_element *element)
{
  const ts_xml_attribute *name = ts_xml_attribute_of(element, "name");
  if (ts_names_find(names, name->value) >= 0)
    return ts_document_fail(robot->in, name->place, "there is already a %s '%.60s'", element->name, name->value);
  ts_names_add(names, name->value, &robot->in->arena);
  return TS_OK;
}

// The number of what an attribute names; `what` is "link" or "joint".
static ts_status find_name(ts_urdf_robot *robot, const ts_names *names, const ts_xml_attribute *name, const char *what,
                           int *number)
{
  *number = ts_names_find(names, name->value);
  if (*number >= 0) return TS_OK;
  const char *nearest = ts_suggest(name->value, names->count, name_at, names);
  if (nearest)
    return ts_document_fail(robot->in, name->value_place, "there is no %s '%.60s'; did you mean '%.60s'?", what,
                            name->value, nearest);
  return ts_document_fail(robot->in, name->value_place, "there is no %s '%.60s'", what, name->value);
}

static ts_status find_link(ts_urdf_robot *robot, const ts_xml_element *joint, const char *end, int *link)
{
  return find_name(robot, &robot->link_names, ts_xml_attribute_of(ts_xml_child(joint, end), "link"), "link", link);
}

// ---- joints --------------------------------------------------------------------------------------------------------

static ts_urdf_joint_type type_of(const ts_xml_element *element)
{
#define TYPE_NAME(name, text, dof) text,
  static const char *const names[] = {TS_URDF_JOINT_LIST(TYPE_NAME)};
#undef TYPE_NAME
  const char *text = ts_urdf_text(element, "type");
  int type = 0;
  while (strcmp(names[type], text) != 0) ++type;
  return (ts_urdf_joint_type)type;
}

// What a drive can do; files write -1 for "not known".
static ts_status read_ratings(ts_urdf_robot *robot, ts_urdf_edge *joint, const char *name)
{
  const ts_xml_element *limit = ts_xml_child(joint->element, "limit");
  joint->effort = ts_urdf_number(limit, "effort", INFINITY);
  joint->velocity = ts_urdf_number(limit, "velocity", INFINITY);
  if (joint->effort >= 0.0 && joint->velocity >= 0.0) return TS_OK;
  if (joint->effort < 0.0) joint->effort = INFINITY;
  if (joint->velocity < 0.0) joint->velocity = INFINITY;
  return ts_urdf_note_repair(robot, TS_URDF_NEGATIVE_LIMIT, name, limit->place, 0.0);
}

static ts_status read_limits(ts_urdf_robot *robot, ts_urdf_edge *joint, const char *name)
{
  const ts_xml_element *limit = ts_xml_child(joint->element, "limit");
  joint->lower = -INFINITY;
  joint->upper = INFINITY;
  if (joint->type != TS_URDF_REVOLUTE && joint->type != TS_URDF_PRISMATIC) return TS_OK;
  if (!limit)
    return ts_document_fail(robot->in, joint->element->place, "the %s joint '%.60s' needs a 'limit'%s",
                            ts_urdf_text(joint->element, "type"), name,
                            joint->type == TS_URDF_REVOLUTE ? "; one without is 'continuous'" : "");
  joint->lower = ts_urdf_number(limit, "lower", 0.0);
  joint->upper = ts_urdf_number(limit, "upper", 0.0);
  if (joint->lower > joint->upper)
    return ts_document_fail(robot->in, limit->place, "joint '%.60s': its lower limit %g exceeds the upper limit %g",
                            name, joint->lower, joint->upper);
  if (joint->lower > TS_URDF_FARTHEST_LIMIT || joint->upper < -TS_URDF_FARTHEST_LIMIT)
    return ts_document_fail(robot->in, limit->place, "joint '%.60s': its limits %g and %g leave nothing within reach",
                            name, joint->lower, joint->upper);
  joint->limited = true;
  return TS_OK;
}

static bool uses_axis(ts_urdf_joint_type type)
{
  return type == TS_URDF_REVOLUTE || type == TS_URDF_CONTINUOUS || type == TS_URDF_PRISMATIC || type == TS_URDF_PLANAR;
}

static ts_status read_axis(ts_urdf_robot *robot, ts_urdf_edge *joint, const char *name)
{
  const ts_xml_element *axis = ts_xml_child(joint->element, "axis");
  const ts_vec3 x = {1.0, 0.0, 0.0}, given = ts_urdf_vector(axis, "xyz", x);
  if (uses_axis(joint->type) && !(ts_length(given) > 0.0))
    return ts_document_fail(robot->in, axis->place, "the axis of the joint '%.60s' must not be zero", name);
  joint->axis = ts_normalize(given, x);
  if (!uses_axis(joint->type) || !axis || ts_xml_attribute_of(axis, "xyz")) return TS_OK;
  return ts_urdf_note_repair(robot, TS_URDF_EMPTY_AXIS, name, axis->place, 0.0);
}

static ts_status read_joint(ts_urdf_robot *robot, ts_urdf_edge *joint, const char *name)
{
  const ts_xml_element *element = joint->element, *dynamics = ts_xml_child(element, "dynamics");
  TS_TRY(find_link(robot, element, "parent", &joint->parent));
  TS_TRY(find_link(robot, element, "child", &joint->child));
  joint->type = type_of(element);
  joint->origin = ts_urdf_origin(element);
  TS_TRY(read_axis(robot, joint, name));
  joint->damping = ts_urdf_number(dynamics, "damping", 0.0);
  joint->friction = ts_urdf_number(dynamics, "friction", 0.0);
  TS_TRY(read_ratings(robot, joint, name));
  return read_limits(robot, joint, name);
}

// All joints are known by then.
static ts_status read_mimic(ts_urdf_robot *robot, int i)
{
  ts_urdf_edge *joint = &robot->joints[i];
  const ts_xml_element *mimic = ts_xml_child(joint->element, "mimic");
  joint->mimics = TS_URDF_NONE;
  if (!mimic) return TS_OK;
  TS_TRY(find_name(robot, &robot->joint_names, ts_xml_attribute_of(mimic, "joint"), "joint", &joint->mimics));
  joint->multiplier = ts_urdf_number(mimic, "multiplier", 1.0);
  joint->offset = ts_urdf_number(mimic, "offset", 0.0);
  if (ts_urdf_has_coordinate(joint->type) && ts_urdf_has_coordinate(robot->joints[joint->mimics].type)) return TS_OK;
  return ts_document_fail(robot->in, mimic->place,
                          "joint '%.60s' mimics '%.60s', which revolute, continuous and prismatic joints alone can",
                          ts_urdf_joint_name(robot, i), ts_urdf_joint_name(robot, joint->mimics));
}

// ---- all -----------------------------------------------------------------------------------------------------------

static void *zeroed(ts_urdf_robot *robot, int count, size_t size)
{
  return memset(ts_arena_bytes(&robot->in->arena, (size_t)count, size), 0, (size_t)count * size);
}

static ts_status collect_links(ts_urdf_robot *robot)
{
  robot->links = zeroed(robot, count_children(robot->element, "link"), sizeof *robot->links);
  for (const ts_xml_element *element = robot->element->first; element; element = element->next) {
    if (strcmp(element->name, "link") != 0) continue;
    TS_TRY(add_name(robot, &robot->link_names, element));
    robot->links[robot->link_count++] = (ts_urdf_node){.element = element, .joint = TS_URDF_NONE};
  }
  return TS_OK;
}

static ts_status collect_joints(ts_urdf_robot *robot)
{
  robot->joints = zeroed(robot, count_children(robot->element, "joint"), sizeof *robot->joints);
  for (const ts_xml_element *element = robot->element->first; element; element = element->next) {
    if (strcmp(element->name, "joint") != 0) continue;
    TS_TRY(add_name(robot, &robot->joint_names, element));
    ts_urdf_edge *joint = &robot->joints[robot->joint_count];
    joint->element = element;
    TS_TRY(read_joint(robot, joint, ts_urdf_joint_name(robot, robot->joint_count++)));
  }
  for (int i = 0; i < robot->joint_count; ++i) TS_TRY(read_mimic(robot, i));
  return TS_OK;
}

ts_status ts_urdf_read_links(ts_urdf_robot *robot)
{
  TS_TRY(collect_links(robot));
  return collect_joints(robot);
}

// ---- tree ----------------------------------------------------------------------------------------------------------

static ts_status hang_links(ts_urdf_robot *robot)
{
  for (int i = 0; i < robot->joint_count; ++i) {
    const ts_urdf_edge *joint = &robot->joints[i];
    ts_urdf_node *child = &robot->links[joint->child];
    if (child->joint != TS_URDF_NONE)
      return ts_document_fail(robot->in, joint->element->place,
                              "link '%.60s' has two parents, by the joints '%.60s' and '%.60s'",
                              ts_urdf_link_name(robot, joint->child), ts_urdf_joint_name(robot, child->joint),
                              ts_urdf_joint_name(robot, i));
    child->joint = i;
  }
  return TS_OK;
}

// As many steps towards the root as there are links end in a circle, where there is one.
static ts_status refuse_circle(ts_urdf_robot *robot, int link)
{
  for (int i = 0; i < robot->link_count; ++i) link = robot->joints[robot->links[link].joint].parent;
  return ts_document_fail(robot->in, robot->joints[robot->links[link].joint].element->place,
                          "link '%.60s' is its own ancestor: joints must form a tree", ts_urdf_link_name(robot, link));
}

static ts_status find_root(ts_urdf_robot *robot, int *root)
{
  *root = TS_URDF_NONE;
  for (int i = 0; i < robot->link_count; ++i) {
    if (robot->links[i].joint != TS_URDF_NONE) continue;
    if (*root != TS_URDF_NONE)
      return ts_document_fail(robot->in, robot->links[i].element->place,
                              "links '%.60s' and '%.60s' both have no parent: a robot has one root",
                              ts_urdf_link_name(robot, *root), ts_urdf_link_name(robot, i));
    *root = i;
  }
  if (*root == TS_URDF_NONE) return refuse_circle(robot, 0);
  const int world = ts_names_find(&robot->link_names, "world");
  if (world < 0 || world == *root) return TS_OK;
  return ts_document_fail(robot->in, robot->links[world].element->place,
                          "the link 'world' must be the root, not a child");
}

// Children of every link together: those of link i from start[i] to start[i+1].
static int *group_children(ts_urdf_robot *robot, int *start)
{
  int *children = ts_arena_ints(&robot->in->arena, (size_t)robot->joint_count);
  for (int i = 0; i < robot->joint_count; ++i) ++start[robot->joints[i].parent + 2];
  for (int i = 0; i < robot->link_count; ++i) start[i + 2] += start[i + 1];
  for (int i = 0; i < robot->joint_count; ++i) children[start[robot->joints[i].parent + 1]++] = robot->joints[i].child;
  return children;
}

ts_status ts_urdf_order_links(ts_urdf_robot *robot)
{
  int root;
  TS_TRY(hang_links(robot));
  TS_TRY(find_root(robot, &root));
  int *start = zeroed(robot, robot->link_count + 2, sizeof *start);
  const int *children = group_children(robot, start);
  robot->order = ts_arena_ints(&robot->in->arena, (size_t)robot->link_count);
  bool *reached = zeroed(robot, robot->link_count, sizeof *reached);
  int known = 0;
  robot->order[known++] = root;
  for (int done = 0; done < known; ++done) {
    const int link = robot->order[done];
    reached[link] = true;
    for (int k = start[link]; k < start[link + 1]; ++k) robot->order[known++] = children[k];
  }
  for (int i = 0; i < robot->link_count; ++i)
    if (!reached[i]) return refuse_circle(robot, i);
  return TS_OK;
}

// ---- places --------------------------------------------------------------------------------------------------------

// The child's frame where the parent's is given, and the joint's coordinate.
static ts_pose carried_pose(const ts_urdf_edge *joint, const ts_pose *parent, double coordinate)
{
  ts_pose moved = ts_pose_identity();
  if (joint->type == TS_URDF_PRISMATIC)
    moved.position = ts_scale(coordinate, joint->axis);
  else if (ts_urdf_has_coordinate(joint->type))
    moved.orientation = ts_quat_exp(ts_scale(coordinate, joint->axis));
  const ts_pose place = ts_pose_compose(&joint->origin, &moved);
  ts_pose pose = ts_pose_compose(parent, &place);
  pose.orientation = ts_quat_normalize(pose.orientation);
  return pose;
}

// No joint of the scene moves what floats: it is written where it starts.
void ts_urdf_place_links(ts_urdf_robot *robot)
{
  ts_urdf_node *root = &robot->links[robot->order[0]];
  root->pose = root->written = robot->options->pose;
  for (int k = 1; k < robot->link_count; ++k) {
    ts_urdf_node *link = &robot->links[robot->order[k]];
    const ts_urdf_edge *joint = &robot->joints[link->joint];
    const ts_urdf_node *parent = &robot->links[joint->parent];
    link->pose = carried_pose(joint, &parent->pose, joint->start);
    link->written = joint->type == TS_URDF_FLOATING ? link->pose : carried_pose(joint, &parent->written, 0.0);
  }
}
