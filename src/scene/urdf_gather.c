#include "scene/urdf_gather.h"

#include "scene/urdf_place.h"

#include "math/vec3.h"

#include "base/assert.h"

#include <string.h>

static const uint32_t options_cookie = 0x75726466;
static const double clearance = 1e-3; // [m] between a robot and the floor it is dropped on

// ---- options -------------------------------------------------------------------------------------------------------

ts_urdf_options ts_urdf_options_default(void)
{
  return (ts_urdf_options){
      .base = TS_BASE_FIXED, .density = 1000.0, .pose = ts_pose_identity(), .cookie = options_cookie};
}

ts_status ts_urdf_options_check(const ts_urdf_options *options, ts_error *error)
{
  if (options->cookie != options_cookie)
    return ts_fail(error, TS_INVALID, "options of a robot must come from ts_urdf_options_default()");
  if (options->base != TS_BASE_FIXED && options->base != TS_BASE_FREE)
    return ts_fail(error, TS_INVALID, "the base %d of a robot is unknown", (int)options->base);
  if (!(options->density >= 0.0 && isfinite(options->density)))
    return ts_fail(error, TS_INVALID, "the density must be a finite number of at least 0, not %g", options->density);
  if (!ts_vec3_is_finite(options->pose.position) || !(fabs(ts_quat_length(options->pose.orientation) - 1.0) < 1e-3))
    return ts_fail(error, TS_INVALID, "the pose of a robot must be finite, with a quaternion of length 1");
  return TS_OK;
}

// ---- values --------------------------------------------------------------------------------------------------------

// Room for all values has been made sure of, see reserve_values().
static ts_node *add(ts_node *map, const char *key, ts_node *value)
{
  TS_ASSERT(value);
  ts_node_set(map, key, value->place, value);
  return value;
}

static ts_node *append(ts_node *list, ts_node *value)
{
  TS_ASSERT(value);
  ts_node_append(list, value);
  return value;
}

static ts_node *text_node(ts_scene_input *in, const char *text, ts_place place)
{
  ts_node *node = ts_node_create(in, TS_NODE_SCALAR, place);
  TS_ASSERT(node);
  node->text = text;
  return node;
}

// A word that is no text: a boolean, a whole number.
static ts_node *plain_node(ts_scene_input *in, const char *text, ts_place place)
{
  ts_node *node = text_node(in, text, place);
  node->plain = true;
  return node;
}

static void add_number(ts_scene_input *in, ts_node *map, const char *key, double value)
{
  add(map, key, ts_node_create_number(in, value, map->place));
}

static void add_numbers(ts_scene_input *in, ts_node *map, const char *key, const double *values, int count)
{
  add(map, key, ts_node_create_numbers(in, values, count, map->place));
}

static void add_vector(ts_scene_input *in, ts_node *map, const char *key, ts_vec3 v)
{
  add_numbers(in, map, key, (const double[]){v.x, v.y, v.z}, 3);
}

static void add_pose(ts_scene_input *in, ts_node *map, const ts_pose *pose)
{
  const ts_quat q = pose->orientation;
  add_vector(in, map, "position", pose->position);
  add_numbers(in, map, "orientation", (const double[]){q.w, q.x, q.y, q.z}, 4);
}

static ts_node *add_map(ts_scene_input *in, ts_node *map, const char *key)
{
  return add(map, key, ts_node_create(in, TS_NODE_MAP, map->place));
}

static ts_node *add_list(ts_scene_input *in, ts_node *map, const char *key)
{
  return add(map, key, ts_node_create(in, TS_NODE_LIST, map->place));
}

// ---- bodies --------------------------------------------------------------------------------------------------------

static void write_shape(ts_scene_input *in, ts_node *list, const ts_urdf_shape *shape, const ts_pose *pose)
{
  ts_node *entry = append(list, ts_node_create(in, TS_NODE_MAP, shape->element->place));
  ts_node *details = add_map(in, entry, ts_shape_name(shape->shape.kind));
  if (shape->shape.kind == TS_SHAPE_BOX) add_vector(in, details, "size", shape->shape.size);
  if (shape->shape.kind == TS_SHAPE_POLYTOPE)
    add(details, "vertices",
        ts_node_create_vectors(in, shape->shape.vertices, shape->shape.vertex_count, details->place));
  if (shape->shape.radius > 0.0) add_number(in, details, "radius", shape->shape.radius);
  if (shape->shape.length > 0.0) add_number(in, details, "length", shape->shape.length);
  add_pose(in, entry, pose);
}

static void write_body(ts_urdf_robot *robot, ts_node *list, const ts_urdf_body *body)
{
  ts_scene_input *in = robot->in;
  const ts_urdf_node *link = &robot->links[body->link];
  ts_node *entry = append(list, ts_node_create(in, TS_NODE_MAP, link->element->place));
  add(entry, "name", text_node(in, body->name, entry->place));
  if (body->fixed) {
    add(entry, "kind", text_node(in, "fixed", entry->place));
  } else {
    add_number(in, entry, "mass", body->inertial.volume);
    add_vector(in, entry, "centre", body->inertial.centre);
    add_numbers(in, entry, "inertia", body->inertial.inertia, 6);
  }
  add_pose(in, entry, &link->pose);
}

static void write_bodies(ts_urdf_robot *robot, ts_node *list)
{
  ts_scene_input *in = robot->in;
  ts_node **entries = ts_arena_bytes(&in->arena, (size_t)robot->body_count, sizeof *entries);
  for (int i = 0; i < robot->body_count; ++i) {
    if (robot->bodies[i].name) write_body(robot, list, &robot->bodies[i]);
    entries[i] = list->last;
  }
  for (int i = 0; i < robot->shape_count; ++i) {
    const ts_urdf_shape *shape = &robot->shapes[i];
    const ts_urdf_node *link = &robot->links[shape->link];
    ts_node *shapes = ts_node_find(entries[link->body], "shapes");
    const ts_pose pose = ts_pose_compose(&link->in_body, &shape->pose);
    write_shape(in, shapes ? shapes : add_list(in, entries[link->body], "shapes"), shape, &pose);
  }
}

// ---- joints --------------------------------------------------------------------------------------------------------

static const char *scene_type_of(ts_urdf_joint_type type)
{
  return type == TS_URDF_CONTINUOUS  ? "revolute"
         : type == TS_URDF_REVOLUTE  ? "revolute"
         : type == TS_URDF_PRISMATIC ? "prismatic"
         : type == TS_URDF_PLANAR    ? "planar"
                                     : "spherical";
}

static bool has_coordinate(ts_urdf_joint_type type)
{
  return type == TS_URDF_REVOLUTE || type == TS_URDF_CONTINUOUS || type == TS_URDF_PRISMATIC;
}

// Damping is a servo without stiffness, which stepping takes implicitly; a brake is a motor that keeps the rate at 0.
static void write_motor(ts_urdf_robot *robot, ts_node *entry, const ts_urdf_edge *joint)
{
  ts_scene_input *in = robot->in;
  if (!has_coordinate(joint->type)) return;
  const bool held = robot->options->hold && joint->effort > 0.0;
  if (!held && !(joint->damping > 0.0)) return;
  ts_node *motor = add_map(in, entry, "motor"), *details = add_map(in, motor, held ? "velocity" : "servo");
  add_number(in, details, "target", 0.0);
  if (held) {
    if (isfinite(joint->effort)) add_number(in, details, "max_force", joint->effort);
  } else {
    add_number(in, details, "stiffness", 0.0);
    add_number(in, details, "damping", joint->damping);
  }
}

// The joint's frame at time 0 in the frame of the body that carries it, which may be the world.
static ts_pose joint_frame(const ts_urdf_robot *robot, const ts_urdf_edge *joint)
{
  const ts_urdf_node *parent = &robot->links[joint->parent];
  const ts_pose *place = robot->bodies[parent->body].name ? &parent->in_body : &parent->pose;
  return ts_pose_compose(place, &joint->origin);
}

static void write_joint(ts_urdf_robot *robot, ts_node *list, int i)
{
  ts_scene_input *in = robot->in;
  const ts_urdf_edge *joint = &robot->joints[i];
  const char *parent = robot->bodies[robot->links[joint->parent].body].name;
  const ts_pose frame = joint_frame(robot, joint);
  ts_node *entry = append(list, ts_node_create(in, TS_NODE_MAP, joint->element->place));
  add(entry, "name", text_node(in, ts_urdf_joint_name(robot, i), entry->place));
  add(entry, "type", text_node(in, scene_type_of(joint->type), entry->place));
  add(entry, "parent", text_node(in, parent ? parent : "world", entry->place));
  add(entry, "child", text_node(in, robot->bodies[robot->links[joint->child].body].name, entry->place));
  add_vector(in, entry, "at", frame.position);
  if (joint->type != TS_URDF_SPHERICAL) add_vector(in, entry, "axis", ts_quat_rotate(frame.orientation, joint->axis));
  if (joint->limited)
    add_numbers(in, entry, "limits", (const double[]){joint->lower - joint->start, joint->upper - joint->start}, 2);
  write_motor(robot, entry, joint);
}

static void write_joints(ts_urdf_robot *robot, ts_node *list)
{
  for (int i = 0; i < robot->joint_count; ++i)
    if (robot->joints[i].type != TS_URDF_FIXED && robot->joints[i].type != TS_URDF_FLOATING)
      write_joint(robot, list, i);
}

// ---- scene ---------------------------------------------------------------------------------------------------------

static void write_pairs(ts_urdf_robot *robot, ts_node *list, const ts_urdf_pair *pairs, int count)
{
  ts_scene_input *in = robot->in;
  for (int i = 0; i < count; ++i) {
    ts_node *entry = append(list, ts_node_create(in, TS_NODE_MAP, list->place));
    ts_node *bodies = add_list(in, entry, "bodies");
    append(bodies, text_node(in, robot->bodies[pairs[i].first].name, list->place));
    append(bodies, text_node(in, robot->bodies[pairs[i].second].name, list->place));
    add(entry, "collide", plain_node(in, "false", list->place));
  }
}

static void write_floor(ts_urdf_robot *robot, ts_node *list)
{
  ts_scene_input *in = robot->in;
  ts_node *entry = append(list, ts_node_create(in, TS_NODE_MAP, list->place));
  add(entry, "name", text_node(in, ts_urdf_fresh_name(robot, "floor"), list->place));
  add(entry, "kind", text_node(in, "fixed", list->place));
  ts_node *shape = add_map(in, entry, "shape"), *plane = add_map(in, shape, "plane");
  add_vector(in, plane, "normal", (ts_vec3){0.0, 0.0, 1.0});
}

// Each entry below has at most this many values.
static ts_status reserve_values(ts_urdf_robot *robot, int pair_count)
{
  enum { ENTRY = 48 };
  long long needed = 4LL * ENTRY;
  needed += ENTRY * ((long long)robot->body_count + robot->joint_count + robot->shape_count + pair_count);
  for (int i = 0; i < robot->shape_count; ++i) needed += 4LL * robot->shapes[i].shape.vertex_count;
  if (robot->in->node_count + needed <= TS_SCENE_NODES) return TS_OK;
  return ts_scene_fail(robot->in, robot->element->place, "the robot has more than %d values, points of meshes included",
                       TS_SCENE_NODES);
}

static void write_scene(ts_urdf_robot *robot, const ts_urdf_pair *pairs, int pair_count, ts_node **root)
{
  ts_scene_input *in = robot->in;
  const ts_place place = robot->element->place;
  ts_node *scene = ts_node_create(in, TS_NODE_MAP, place);
  add(scene, "touchstone", plain_node(in, "1", place));
  add(scene, "name", text_node(in, ts_urdf_text(robot->element, "name"), place));
  add_vector(in, scene, "gravity", (ts_vec3){0.0, 0.0, -9.81});
  ts_node *bodies = add_list(in, scene, "bodies");
  write_bodies(robot, bodies);
  if (robot->options->floor) write_floor(robot, bodies);
  write_joints(robot, add_list(in, scene, "joints"));
  write_pairs(robot, add_list(in, scene, "pairs"), pairs, pair_count);
  add_number(in, add_map(in, scene, "step"), "size", 1e-3);
  add_number(in, scene, "duration", 5.0);
  add_number(in, add_map(in, scene, "output"), "interval", 0.01);
  *root = scene;
}

// ---- facts ---------------------------------------------------------------------------------------------------------

static int degrees_of(ts_urdf_joint_type type)
{
#define TYPE_DEGREES(name, text, dof) dof,
  static const int degrees[] = {TS_URDF_JOINT_LIST(TYPE_DEGREES)};
#undef TYPE_DEGREES
  return degrees[type];
}

static void keep_links(const ts_urdf_robot *robot, ts_urdf_facts *facts)
{
  facts->summary.links = robot->link_count;
  facts->links = ts_arena_bytes(&facts->memory, (size_t)robot->link_count, sizeof *facts->links);
  for (int i = 0; i < robot->link_count; ++i) {
    const ts_urdf_node *link = &robot->links[i];
    const char *body = robot->bodies[link->body].name;
    facts->links[i] = (ts_urdf_link){.name = ts_copy_text(ts_urdf_link_name(robot, i), &facts->memory),
                                     .body = ts_copy_text(body ? body : "world", &facts->memory),
                                     .pose = body ? link->in_body : link->pose,
                                     .mass = link->inertial.volume};
    facts->summary.mass += link->inertial.volume;
    if (link->derived) facts->summary.derived_mass += link->inertial.volume;
  }
}

static void keep_joints(const ts_urdf_robot *robot, ts_urdf_facts *facts)
{
  facts->summary.joints = robot->joint_count;
  facts->summary.velocities = robot->bodies[0].fixed ? 0 : 6;
  facts->joints = ts_arena_bytes(&facts->memory, (size_t)robot->joint_count, sizeof *facts->joints);
  for (int i = 0; i < robot->joint_count; ++i) {
    const ts_urdf_edge *joint = &robot->joints[i];
    facts->summary.velocities += degrees_of(joint->type);
    facts->joints[i] = (ts_urdf_joint){.name = ts_copy_text(ts_urdf_joint_name(robot, i), &facts->memory),
                                       .type = ts_copy_text(ts_urdf_text(joint->element, "type"), &facts->memory),
                                       .lower = joint->lower,
                                       .upper = joint->upper,
                                       .start = joint->start,
                                       .effort = joint->effort,
                                       .velocity = joint->velocity,
                                       .damping = joint->damping,
                                       .friction = joint->friction};
  }
}

// ---- all -----------------------------------------------------------------------------------------------------------

static ts_status check_root(ts_scene_input *in, const ts_xml_element *root)
{
  if (strcmp(root->name, ts_urdf_robot_element.name) == 0) return ts_urdf_check(in, root, &ts_urdf_robot_element);
  if (strcmp(root->name, "mujoco") == 0)
    return ts_scene_fail(in, root->place, "this is an MJCF file, the format of MuJoCo; only URDF is read");
  return ts_scene_fail(in, root->place, "the root of a URDF file is 'robot', not '%.60s'", root->name);
}

static ts_status read_robot(ts_urdf_robot *robot)
{
  TS_TRY(check_root(robot->in, robot->element));
  TS_TRY(ts_urdf_read_links(robot));
  TS_TRY(ts_urdf_order_links(robot));
  TS_TRY(ts_urdf_read_shapes(robot));
  TS_TRY(ts_urdf_read_masses(robot));
  ts_urdf_place_links(robot);
  TS_TRY(ts_urdf_make_bodies(robot));
  if (robot->options->floor && robot->options->base == TS_BASE_FREE) ts_urdf_lift(robot, clearance);
  return TS_OK;
}

ts_status ts_urdf_gather(ts_scene_input *in, const char *text, size_t length, int file, const ts_urdf_options *options,
                         ts_urdf_facts *facts, ts_node **root)
{
  ts_urdf_robot robot = {.in = in, .options = options};
  ts_xml_element *element;
  ts_urdf_pair *pairs;
  TS_TRY(ts_xml_parse(in, text, length, file, &element));
  robot.element = element;
  TS_TRY(read_robot(&robot));
  TS_TRY(ts_urdf_find_overlaps(&robot, &pairs, &facts->summary.separated));
  TS_TRY(reserve_values(&robot, facts->summary.separated));
  write_scene(&robot, pairs, facts->summary.separated, root);
  keep_links(&robot, facts);
  keep_joints(&robot, facts);
  return TS_OK;
}
