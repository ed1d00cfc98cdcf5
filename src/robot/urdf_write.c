#include "robot/urdf_write.h"

#include "shape/shape_type.h"

#include "base/assert.h"

#include <string.h>

// ---- values --------------------------------------------------------------------------------------------------------

// Room for all values has been made sure of, see ts_urdf_reserve_values().
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

static ts_node *text_node(ts_document_input *in, const char *text, ts_place place)
{
  ts_node *node = ts_node_create(in, TS_NODE_SCALAR, place);
  TS_ASSERT(node);
  node->text = text;
  return node;
}

// A word that is no text: a boolean, a whole number.
static ts_node *plain_node(ts_document_input *in, const char *text, ts_place place)
{
  ts_node *node = text_node(in, text, place);
  node->plain = true;
  return node;
}

static void add_number(ts_document_input *in, ts_node *map, const char *key, double value)
{
  add(map, key, ts_node_create_number(in, value, map->place));
}

static void add_numbers(ts_document_input *in, ts_node *map, const char *key, const double *values, int count)
{
  add(map, key, ts_node_create_numbers(in, values, count, map->place));
}

static void add_vector(ts_document_input *in, ts_node *map, const char *key, ts_vec3 v)
{
  add_numbers(in, map, key, (const double[]){v.x, v.y, v.z}, 3);
}

static void add_pose(ts_document_input *in, ts_node *map, const ts_pose *pose)
{
  const ts_quat q = pose->orientation;
  add_vector(in, map, "position", pose->position);
  add_numbers(in, map, "orientation", (const double[]){q.w, q.x, q.y, q.z}, 4);
}

static ts_node *add_map(ts_document_input *in, ts_node *map, const char *key)
{
  return add(map, key, ts_node_create(in, TS_NODE_MAP, map->place));
}

// The list of that key, which is added where there is none.
static ts_node *list_of(ts_document_input *in, ts_node *map, const char *key)
{
  ts_node *list = ts_node_find(map, key);
  return list ? list : add(map, key, ts_node_create(in, TS_NODE_LIST, map->place));
}

// ---- bodies --------------------------------------------------------------------------------------------------------

// What a key of a shape says, from its place.
static void write_value(ts_document_input *in, ts_node *map, const ts_key *key, const ts_shape *shape)
{
  const void *place = (const char *)shape + key->offset;
  if (key->type == TS_VALUE_NUMBER) add_number(in, map, key->name, *(const double *)place);
  if (key->type == TS_VALUE_VECTOR) add_vector(in, map, key->name, *(const ts_vec3 *)place);
  if (key->type == TS_VALUE_VECTORS)
    add(map, key->name, ts_node_create_vectors(in, shape->vertices, shape->vertex_count, map->place));
}

static void write_shape(ts_document_input *in, ts_node *list, const ts_urdf_shape *shape, const ts_pose *pose,
                        const ts_node *material)
{
  ts_node *entry = append(list, ts_node_create(in, TS_NODE_MAP, shape->element->place));
  ts_node *details = add_map(in, entry, ts_shape_name(shape->shape.kind));
  const ts_section *section = ts_shape_key_at((int)shape->shape.kind)->section;
  for (int i = 0; i < section->key_count; ++i)
    if (section->keys[i].offset > 0) write_value(in, details, &section->keys[i], &shape->shape);
  add_pose(in, entry, pose);
  if (material) add(entry, "material", text_node(in, material->text, material->place));
}

static void write_body(ts_urdf_robot *robot, ts_node *list, const ts_urdf_body *body)
{
  ts_document_input *in = robot->in;
  const ts_urdf_node *link = &robot->links[body->link];
  ts_node *entry = append(list, ts_node_create(in, TS_NODE_MAP, link->element->place));
  add(entry, "name", text_node(in, body->name, entry->place));
  if (body->fixed) {
    add(entry, "kind", text_node(in, "fixed", entry->place));
  } else if (!(body->inertial.volume > 0.0)) {
    add_number(in, entry, "mass", 0.0);
  } else {
    add_number(in, entry, "mass", body->inertial.volume);
    add_vector(in, entry, "centre", body->inertial.centre);
    add_numbers(in, entry, "inertia", body->inertial.inertia, 6);
  }
  add_pose(in, entry, &link->written);
}

// Tell the entries of a robot's bodies, which a joint may place together, from all others.
static void mark_bodies(const ts_urdf_robot *robot, ts_node *const *entries)
{
  const ts_node *first = NULL;
  for (int i = 0; i < robot->body_count; ++i) {
    const ts_urdf_body *body = &robot->bodies[i];
    if (!body->name) continue;
    if (!first) first = entries[i];
    ts_robot_place *place = ts_document_take(robot->in, sizeof *place);
    *place =
        (ts_robot_place){first, robot->links[body->link].written, robot->positioned, robot->oriented, body->on_world};
    entries[i]->robot = place;
  }
}

static void write_bodies(ts_urdf_robot *robot, ts_node *list)
{
  ts_document_input *in = robot->in;
  ts_node **entries = ts_arena_bytes(&in->arena, (size_t)robot->body_count, sizeof *entries);
  for (int i = 0; i < robot->body_count; ++i) {
    if (robot->bodies[i].name) write_body(robot, list, &robot->bodies[i]);
    entries[i] = list->last;
  }
  mark_bodies(robot, entries);
  for (int i = 0; i < robot->shape_count; ++i) {
    const ts_urdf_shape *shape = &robot->shapes[i];
    const ts_urdf_node *link = &robot->links[shape->link];
    const ts_pose pose = ts_pose_compose(&link->in_body, &shape->pose);
    const ts_node *material = link->settings ? ts_node_find(link->settings, "material") : NULL;
    write_shape(in, list_of(in, entries[link->body], "shapes"), shape, &pose, material);
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

// A brake is a motor that keeps the rate at 0.
static void write_brake(ts_document_input *in, ts_node *entry, double effort)
{
  ts_node *details = add_map(in, add_map(in, entry, "motor"), "velocity");
  add_number(in, details, "target", 0.0);
  if (isfinite(effort)) add_number(in, details, "max_force", effort);
}

// What resists the motion of a joint with one coordinate.
static void write_resistance(ts_urdf_robot *robot, ts_node *entry, const ts_urdf_edge *joint)
{
  if (!ts_urdf_has_coordinate(joint->type)) return;
  if (joint->friction > 0.0) add_number(robot->in, entry, "friction", joint->friction);
  if (joint->damping > 0.0) add_number(robot->in, entry, "damping", joint->damping);
  if (robot->options->hold && joint->effort > 0.0) write_brake(robot->in, entry, joint->effort);
}

// The joint's frame at time 0 in the frame of the body that carries it, which may be the world.
static ts_pose joint_frame(const ts_urdf_robot *robot, const ts_urdf_edge *joint)
{
  const ts_urdf_node *parent = &robot->links[joint->parent];
  const ts_pose *place = robot->bodies[parent->body].name ? &parent->in_body : &parent->pose;
  return ts_pose_compose(place, &joint->origin);
}

static void write_mimic(ts_urdf_robot *robot, ts_node *entry, const ts_urdf_edge *joint)
{
  ts_document_input *in = robot->in;
  if (joint->mimics == TS_URDF_NONE) return;
  ts_node *gear = add_map(in, entry, "gear");
  add(gear, "joint", text_node(in, ts_urdf_scene_name(robot, ts_urdf_joint_name(robot, joint->mimics)), entry->place));
  add_number(in, gear, "ratio", joint->multiplier);
  if (joint->offset != 0.0) add_number(in, gear, "offset", joint->offset);
}

// What the scene says of the joint wins over its file.
static void write_joint_settings(ts_node *entry, const ts_urdf_edge *joint)
{
  if (!joint->settings) return;
  for (ts_node *value = joint->settings->first, *next; value; value = next) {
    next = value->next;
    if (strcmp(value->key, "position") != 0) ts_node_set(entry, value->key, value->key_place, value);
  }
  entry->place = joint->settings->place;
}

static void write_joint(ts_urdf_robot *robot, ts_node *list, int i)
{
  ts_document_input *in = robot->in;
  const ts_urdf_edge *joint = &robot->joints[i];
  const char *parent = robot->bodies[robot->links[joint->parent].body].name;
  const ts_pose frame = joint_frame(robot, joint);
  ts_node *entry = append(list, ts_node_create(in, TS_NODE_MAP, joint->element->place));
  add(entry, "name", text_node(in, ts_urdf_scene_name(robot, ts_urdf_joint_name(robot, i)), entry->place));
  add(entry, "type", text_node(in, scene_type_of(joint->type), entry->place));
  add(entry, "parent", text_node(in, parent ? parent : "world", entry->place));
  add(entry, "child", text_node(in, robot->bodies[robot->links[joint->child].body].name, entry->place));
  add_vector(in, entry, "at", frame.position);
  if (joint->type != TS_URDF_SPHERICAL) add_vector(in, entry, "axis", ts_quat_rotate(frame.orientation, joint->axis));
  if (joint->limited) add_numbers(in, entry, "limits", (const double[]){joint->lower, joint->upper}, 2);
  if (joint->start != 0.0 && !joint->follows) add_number(in, entry, "position", joint->start);
  write_resistance(robot, entry, joint);
  write_mimic(robot, entry, joint);
  write_joint_settings(entry, joint);
}

static void write_joints(ts_urdf_robot *robot, ts_node *root)
{
  for (int i = 0; i < robot->joint_count; ++i)
    if (robot->joints[i].type != TS_URDF_FIXED && robot->joints[i].type != TS_URDF_FLOATING)
      write_joint(robot, list_of(robot->in, root, "joints"), i);
}

// ---- scene ---------------------------------------------------------------------------------------------------------

static void write_pairs(ts_urdf_robot *robot, ts_node *root, const ts_urdf_pair *pairs, int count)
{
  ts_document_input *in = robot->in;
  const ts_place place = robot->element->place;
  for (int i = 0; i < count; ++i) {
    ts_node *entry = append(list_of(in, root, "pairs"), ts_node_create(in, TS_NODE_MAP, place));
    ts_node *bodies = list_of(in, entry, "bodies");
    append(bodies, text_node(in, robot->bodies[pairs[i].first].name, place));
    append(bodies, text_node(in, robot->bodies[pairs[i].second].name, place));
    add(entry, "collide", plain_node(in, "false", place));
  }
}

static void write_floor(ts_urdf_robot *robot, ts_node *list)
{
  ts_document_input *in = robot->in;
  ts_node *entry = append(list, ts_node_create(in, TS_NODE_MAP, list->place));
  add(entry, "name", text_node(in, ts_urdf_fresh_name(robot, "floor"), list->place));
  add(entry, "kind", text_node(in, "fixed", list->place));
  ts_node *shape = add_map(in, entry, "shape"), *plane = add_map(in, shape, "plane");
  add_vector(in, plane, "normal", (ts_vec3){0.0, 0.0, 1.0});
  if (robot->floor != 0.0) add_number(in, plane, "offset", robot->floor);
}

// ENTRY is more than any body, joint, shape or pair has.
ts_status ts_urdf_reserve_values(ts_urdf_robot *robot, int pair_count)
{
  enum { ENTRY = 48 };
  long long needed = 4LL * ENTRY;
  needed += ENTRY * ((long long)robot->body_count + robot->joint_count + robot->shape_count + pair_count);
  for (int i = 0; i < robot->shape_count; ++i) needed += 4LL * robot->shapes[i].shape.vertex_count;
  if (robot->in->node_count + needed <= TS_DOCUMENT_NODES) return TS_OK;
  return ts_document_fail(robot->in, robot->element->place,
                          "the robot has more than %d values, points of meshes included", TS_DOCUMENT_NODES);
}

static bool has_massless_bodies(const ts_urdf_robot *robot)
{
  bool has = false;
  for (int i = 0; i < robot->body_count; ++i) has = has || ts_urdf_body_is_massless(robot, i);
  return has;
}

ts_node *ts_urdf_write_settings(ts_urdf_robot *robot)
{
  ts_document_input *in = robot->in;
  const ts_place place = robot->element->place;
  ts_node *root = ts_node_create(in, TS_NODE_MAP, place);
  add(root, "touchstone", plain_node(in, "1", place));
  add(root, "name", text_node(in, ts_urdf_text(robot->element, "name"), place));
  add_vector(in, root, "gravity", (ts_vec3){0.0, 0.0, -9.81});
  ts_node *step = add_map(in, root, "step");
  add_number(in, step, "size", 1e-3);
  if (has_massless_bodies(robot)) add(step, "coordinates", text_node(in, "minimal", place));
  add_number(in, root, "duration", 5.0);
  add_number(in, add_map(in, root, "output"), "interval", 0.01);
  return root;
}

void ts_urdf_write(ts_urdf_robot *robot, const ts_urdf_pair *pairs, int pair_count, ts_node *root)
{
  ts_node *bodies = list_of(robot->in, root, "bodies");
  write_bodies(robot, bodies);
  if (robot->options->floor) write_floor(robot, bodies);
  write_joints(robot, root);
  write_pairs(robot, root, pairs, pair_count);
}
