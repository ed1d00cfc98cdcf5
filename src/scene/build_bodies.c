// Bodies: where they are, what they weigh, how they are driven.
#include "scene/build.h"

#include "document/notes.h"
#include "document/values.h"

#include "math/vec3.h"

#include <string.h>

// ---- names ---------------------------------------------------------------------------------------------------------

static ts_status collect_names(ts_scene_plan *plan)
{
  const ts_node *list = ts_node_get(plan->root, "bodies");
  plan->body_nodes = ts_arena_bytes(&plan->in->arena, (size_t)list->count, sizeof *plan->body_nodes);
  for (const ts_node *node = list->first; node; node = node->next) {
    const ts_node *name = ts_node_get(node, "name");
    if (strcmp(name->text, "world") == 0)
      return ts_document_fail(plan->in, name->place, "'world' stands for the world, no body can have that name");
    if (ts_names_find(&plan->bodies, name->text) >= 0)
      return ts_document_fail(plan->in, name->place, "there is already a body '%.60s'", name->text);
    plan->body_nodes[plan->bodies.count] = node;
    ts_names_add(&plan->bodies, name->text, &plan->in->arena);
  }
  return TS_OK;
}

// ---- poses ---------------------------------------------------------------------------------------------------------

// Where bodies are. One with a joint, and no place of its own, is placed after its parent. So is a robot without a
// position that a joint of the list holds: its body at that joint is the anchor, which is placed after the other body
// of the joint, and the rest of the robot after the anchor.
typedef struct placement {
  const ts_node **joints; // that place bodies; NULL where there is none
  int *parents;           // bodies that are placed before; TS_WORLD where there is none
  int *anchors;           // of robots that a joint of the list places, else NO_ANCHOR
  bool *backwards;        // anchors: the parent of their joint, so that they are placed after its child
  ts_pose *poses;         // in the plane the orientation is not looked at
  double *angles;         // plane
  bool *placed;
  int *path; // from a body towards the root, while it is being placed
} placement;

enum { NO_ANCHOR = -2 };

static ts_status find_parent(ts_scene_plan *plan, const ts_node *joint, int *parent)
{
  const ts_node *name = joint ? ts_node_get(joint, "parent") : NULL;
  *parent = TS_WORLD;
  return name ? ts_scene_find_body(plan, name, true, parent) : TS_OK;
}

static ts_status collect_parents(ts_scene_plan *plan, placement *all)
{
  for (int i = 0; i < plan->bodies.count; ++i) {
    all->anchors[i] = NO_ANCHOR;
    all->backwards[i] = false;
    all->joints[i] = ts_node_get(plan->body_nodes[i], "joint");
    TS_TRY(find_parent(plan, all->joints[i], &all->parents[i]));
  }
  return TS_OK;
}

// ---- robots --------------------------------------------------------------------------------------------------------

static bool has_robots(const ts_scene_plan *plan)
{
  for (int i = 0; i < plan->bodies.count; ++i)
    if (plan->body_nodes[i]->robot) return true;
  return false;
}

static bool is_of_robot(const ts_scene_plan *plan, int body, const ts_robot_place *robot)
{
  const ts_robot_place *own = body == TS_WORLD ? NULL : plan->body_nodes[body]->robot;
  return own && own->first == robot->first;
}

static bool is_fixed(const ts_scene_plan *plan, int body)
{
  return body == TS_WORLD || (ts_body_kind)ts_node_choice(plan->body_nodes[body], "kind", TS_DYNAMIC) == TS_FIXED;
}

// Numbers that an override has written have a text.
static bool is_overridden(const ts_node *list)
{
  return list->kind != TS_NODE_LIST || list->first->text[0] != '\0';
}

// A body of a robot that no one has given a place.
static bool is_unplaced(const ts_scene_plan *plan, const placement *all, int body)
{
  const ts_node *node = plan->body_nodes[body];
  return node->robot && !node->robot->positioned && !is_overridden(ts_node_get(node, "position")) &&
         all->anchors[body] == NO_ANCHOR;
}

// The joint holds the robot of `anchor`, at that body, after `other`.
static void anchor_robot(const ts_scene_plan *plan, placement *all, const ts_node *joint, int anchor, int other)
{
  for (int i = 0; i < plan->bodies.count; ++i) {
    if (!is_of_robot(plan, i, plan->body_nodes[anchor]->robot) || plan->body_nodes[i]->robot->on_world) continue;
    all->anchors[i] = anchor;
    all->parents[i] = anchor;
  }
  all->parents[anchor] = other;
  all->joints[anchor] = joint;
}

static ts_status refuse_fixed_base(ts_scene_plan *plan, const ts_node *joint, int base)
{
  return ts_document_fail(plan->in, joint->place,
                          "'%.60s' is the fixed base of a robot without a position; write base: free, and the joint "
                          "places it",
                          plan->bodies.names[base]);
}

// A joint with a robot's body that stays where it is, though the joint reads as if it carried the robot.
static void warn_of_joint(ts_scene_plan *plan, const ts_node *joint, int parent, int child)
{
  const char *const *names = plan->bodies.names;
  const ts_robot_place *robot = plan->body_nodes[child]->robot;
  if (!robot || is_of_robot(plan, parent, robot)) return;
  if (robot->on_world && !robot->positioned && parent != TS_WORLD)
    ts_document_warn(plan->in, joint->place,
                     "'%.60s' hangs on the link 'world' of its robot and stays there: the joint does not place it",
                     names[child]);
  else if (robot->positioned && is_fixed(plan, child) && !is_fixed(plan, parent) &&
           (ts_joint_kind)ts_node_choice(joint, "type", TS_JOINT_REVOLUTE) == TS_JOINT_WELD)
    ts_document_warn(plan->in, joint->place,
                     "'%.60s' is the fixed base of a robot, so that the joint holds '%.60s' where it is; with base: "
                     "free and no position the joint places the robot",
                     names[child], names[parent]);
}

static ts_status read_ends(ts_scene_plan *plan, const ts_node *joint, int *parent, int *child)
{
  TS_TRY(find_parent(plan, joint, parent));
  return ts_scene_find_body(plan, ts_node_get(joint, "child"), false, child);
}

// The child's robot is placed after the parent.
static ts_status anchor_child(ts_scene_plan *plan, placement *all, const ts_node *joint)
{
  int parent, child;
  TS_TRY(read_ends(plan, joint, &parent, &child));
  warn_of_joint(plan, joint, parent, child);
  if (!is_unplaced(plan, all, child) || is_of_robot(plan, parent, plan->body_nodes[child]->robot)) return TS_OK;
  if (plan->body_nodes[child]->robot->on_world) return TS_OK;
  if (parent != TS_WORLD && is_fixed(plan, child)) return refuse_fixed_base(plan, joint, child);
  anchor_robot(plan, all, joint, child, parent);
  return TS_OK;
}

static bool comes_after(const ts_scene_plan *plan, const placement *all, int body, const ts_robot_place *robot)
{
  for (int i = body, steps = 0; i != TS_WORLD && steps <= plan->bodies.count; i = all->parents[i], ++steps)
    if (is_of_robot(plan, i, robot)) return true;
  return false;
}

// The parent's robot, if nothing else places it, is placed after the child. A fixed base stays, and carries the child.
static ts_status anchor_parent(ts_scene_plan *plan, placement *all, const ts_node *joint)
{
  int parent, child;
  TS_TRY(read_ends(plan, joint, &parent, &child));
  if (parent == TS_WORLD || !is_unplaced(plan, all, parent)) return TS_OK;
  const ts_robot_place *robot = plan->body_nodes[parent]->robot;
  if (robot->on_world || comes_after(plan, all, child, robot)) return TS_OK;
  if (is_fixed(plan, parent)) return is_fixed(plan, child) ? refuse_fixed_base(plan, joint, parent) : TS_OK;
  anchor_robot(plan, all, joint, parent, child);
  all->backwards[parent] = true;
  return TS_OK;
}

static ts_status anchor_robots(ts_scene_plan *plan, placement *all)
{
  if (!has_robots(plan)) return TS_OK;
  for (const ts_node *joint = ts_scene_items(plan->root, "joints"); joint; joint = joint->next)
    TS_TRY(anchor_child(plan, all, joint));
  for (const ts_node *joint = ts_scene_items(plan->root, "joints"); joint; joint = joint->next)
    TS_TRY(anchor_parent(plan, all, joint));
  return TS_OK;
}

// ---- places --------------------------------------------------------------------------------------------------------

// As it is in its robot, whose anchor is placed already.
static ts_pose carried_pose(const ts_scene_plan *plan, const placement *all, int body)
{
  const int anchor = all->anchors[body];
  const ts_pose back = ts_pose_inverse(&plan->body_nodes[anchor]->robot->pose);
  const ts_pose inside = ts_pose_compose(&back, &plan->body_nodes[body]->robot->pose);
  return ts_pose_compose(&all->poses[anchor], &inside);
}

static void put_numbers(const ts_node *list, const double *values)
{
  for (ts_node *item = list->first; item; item = item->next) item->number = *values++;
}

// The text of a scene holds the place that was found. What an override says stays.
static void write_pose(const ts_node *body, ts_pose pose)
{
  const ts_quat q = pose.orientation;
  const ts_node *position = ts_node_get(body, "position"), *orientation = ts_node_get(body, "orientation");
  if (!is_overridden(position))
    put_numbers(position, (const double[]){pose.position.x, pose.position.y, pose.position.z});
  if (!is_overridden(orientation)) put_numbers(orientation, (const double[]){q.w, q.x, q.y, q.z});
}

// The joint's point is at the origin of its child, which is oriented as its parent, unless an orientation is given. The
// joint's other body is placed already.
static ts_pose anchor_pose(const ts_scene_plan *plan, const placement *all, int anchor)
{
  const ts_node *node = plan->body_nodes[anchor];
  const int other = all->parents[anchor];
  const ts_pose outer = other == TS_WORLD ? ts_pose_identity() : all->poses[other];
  const ts_vec3 at = ts_node_vector(all->joints[anchor], "at", (ts_vec3){0.0, 0.0, 0.0});
  const bool turned = node->robot->oriented || is_overridden(ts_node_get(node, "orientation"));
  ts_pose pose = outer;
  if (turned) pose.orientation = ts_node_orientation(node, outer.orientation);
  if (all->backwards[anchor])
    pose.position = ts_sub(outer.position, ts_quat_rotate(pose.orientation, at));
  else
    pose.position = ts_pose_apply(&outer, at);
  return pose;
}

// The joint's point, with the parent's orientation, unless the body says otherwise. Its parent is placed already.
static void place_body(const ts_scene_plan *plan, placement *all, int i)
{
  const ts_node *node = plan->body_nodes[i], *joint = all->joints[i];
  const int parent = all->parents[i];
  ts_pose pose = ts_pose_identity();
  double angle = 0.0;
  if (joint) {
    if (parent != TS_WORLD) {
      pose = all->poses[parent];
      angle = all->angles[parent];
    }
    const ts_pose outer = {pose.position, ts_space_is_planar(plan->space) ? ts_quat_about_z(angle) : pose.orientation};
    pose.position = ts_pose_apply(&outer, ts_node_vector(joint, "at", (ts_vec3){0.0, 0.0, 0.0}));
  }
  all->placed[i] = true;
  all->angles[i] = ts_node_number(node, "angle", angle);
  if (all->anchors[i] != NO_ANCHOR)
    write_pose(node, all->anchors[i] == i ? anchor_pose(plan, all, i) : carried_pose(plan, all, i));
  all->poses[i].position = ts_node_vector(node, "position", pose.position);
  all->poses[i].orientation = ts_node_orientation(node, pose.orientation);
}

// Follow parents until one that is placed, then come back. A way longer than there are bodies goes in a circle.
static ts_status place_after_parents(ts_scene_plan *plan, placement *all, int body)
{
  int length = 0;
  for (int i = body; i != TS_WORLD && !all->placed[i]; i = all->parents[i]) {
    if (length == plan->bodies.count)
      return ts_document_fail(plan->in, (all->joints[i] ? all->joints[i] : plan->body_nodes[i])->place,
                              "body '%.60s' is its own ancestor", plan->bodies.names[i]);
    all->path[length++] = i;
  }
  while (length > 0) place_body(plan, all, all->path[--length]);
  return TS_OK;
}

static ts_status place_bodies(ts_scene_plan *plan, placement *all)
{
  const size_t count = (size_t)plan->bodies.count;
  ts_arena *arena = &plan->in->arena;
  all->joints = ts_arena_bytes(arena, count, sizeof *all->joints);
  all->parents = ts_arena_ints(arena, count);
  all->anchors = ts_arena_ints(arena, count);
  all->backwards = ts_arena_bytes(arena, count, sizeof *all->backwards);
  all->poses = ts_arena_bytes(arena, count, sizeof *all->poses);
  all->angles = ts_arena_doubles(arena, count);
  all->placed = memset(ts_arena_bytes(arena, count, sizeof *all->placed), 0, count * sizeof *all->placed);
  all->path = ts_arena_ints(arena, count);
  TS_TRY(collect_parents(plan, all));
  TS_TRY(anchor_robots(plan, all));
  for (int i = 0; i < plan->bodies.count; ++i) TS_TRY(place_after_parents(plan, all, i));
  return TS_OK;
}

// ---- bodies --------------------------------------------------------------------------------------------------------

// Three numbers are the diagonal; in the plane a single one is zz.
static ts_status read_inertia(ts_scene_plan *plan, const ts_node *node, double inertia[6])
{
  const ts_node *given = ts_node_get(node, "inertia");
  if (!given) return TS_OK;
  memset(inertia, 0, 6 * sizeof *inertia);
  if (given->kind == TS_NODE_SCALAR) {
    inertia[0] = inertia[1] = inertia[2] = given->number; // the plane looks at zz alone
    return TS_OK;
  }
  if (given->count != 3 && given->count != 6)
    return ts_document_fail(plan->in, given->place, "'inertia' must be 3 or 6 numbers, not %d", given->count);
  int k = 0;
  for (const ts_node *item = given->first; item; item = item->next) inertia[k++] = item->number;
  return TS_OK;
}

static ts_status add_body(ts_scene_plan *plan, const placement *all, int i)
{
  const ts_node *node = plan->body_nodes[i];
  const bool planar = ts_space_is_planar(plan->space);
  ts_body_def def = ts_body_def_default();
  def.name = plan->bodies.names[i];
  def.kind = (ts_body_kind)ts_node_choice(node, "kind", def.kind);
  def.mass = ts_node_number(node, "mass", def.mass);
  def.density = ts_node_number(node, "density", def.density);
  TS_TRY(read_inertia(plan, node, def.inertia));
  def.centre = ts_node_vector(node, "centre", def.centre);
  def.rotates = ts_node_boolean(node, "rotates", def.rotates);
  def.pose = all->poses[i];
  def.angle = all->angles[i];
  def.velocity.linear = ts_node_vector(node, "velocity", def.velocity.linear);
  if (planar)
    def.velocity.angular.z = ts_node_number(node, "angular_velocity", 0.0);
  else
    def.velocity.angular = ts_node_vector(node, "angular_velocity", def.velocity.angular);
  def.gravity_scale = ts_node_vector(node, "gravity_scale", def.gravity_scale);
  int body;
  return ts_document_locate(plan->in, node->place, ts_builder_add_body(plan->builder, &def, &body, plan->in->error));
}

// x, y, z and about them; in the plane x, y and about z are given.
static void read_axes(const ts_node *list, double axes[6])
{
  static const int planar_axes[] = {0, 1, 5};
  int k = 0;
  for (const ts_node *item = list ? list->first : NULL; item; item = item->next, ++k)
    axes[list->count == 3 ? planar_axes[k] : k] = item->number;
}

static ts_status add_motion(ts_scene_plan *plan, const ts_node *node, int body)
{
  ts_motion_def def = ts_motion_def_default();
  def.body = body;
  const ts_node *acceleration = ts_node_get(node, "acceleration");
  if (acceleration) {
    def.kind = TS_MOTION_ACCELERATION;
    read_axes(ts_node_get(acceleration, "amplitude"), def.amplitude);
    read_axes(ts_node_get(acceleration, "phase"), def.phase);
    def.frequency = ts_node_number(acceleration, "frequency", 0.0);
    def.orientation = (ts_orientation_rule)ts_node_choice(acceleration, "orientation", TS_ORIENTATION_EXPONENTIAL);
  } else {
    def.kind = TS_MOTION_POSE;
    ts_node_signals(plan->in, node, "displacement", def.displacement);
    if (ts_space_is_planar(plan->space))
      ts_node_signal(plan->in, node, "rotation", &def.rotation[2]);
    else
      ts_node_signals(plan->in, node, "rotation", def.rotation);
  }
  int motion;
  return ts_document_locate(plan->in, node->place,
                            ts_builder_add_motion(plan->builder, &def, &motion, plan->in->error));
}

static ts_status add_support(ts_scene_plan *plan, const ts_node *node, int body)
{
  ts_support_def def = ts_support_def_default();
  def.body = body;
  def.carried = node->kind == TS_NODE_SCALAR;
  if (!def.carried) {
    const ts_node *points = ts_node_get(node, "points"), *loads = ts_node_get(node, "loads");
    const ts_node *on = ts_node_get(node, "on");
    if (points) def.points = ts_node_vectors(plan->in, points);
    if (loads) def.loads = ts_node_numbers(plan->in, loads);
    def.point_count = points ? points->count : 0;
    if (on) TS_TRY(ts_scene_find_body(plan, on, true, &def.on));
    def.friction = ts_node_number(node, "friction", def.friction);
    def.ellipsoid = ts_node_vector(node, "ellipsoid", def.ellipsoid);
    def.update = (ts_load_rule)ts_node_choice(node, "update", def.update);
    def.height = ts_node_number(node, "height", def.height);
    def.centre_height = ts_node_number(node, "centre_height", def.centre_height);
  }
  return ts_document_locate(plan->in, node->place, ts_builder_add_support(plan->builder, &def, plan->in->error));
}

static ts_status add_own_force(ts_scene_plan *plan, const ts_node *node, int body)
{
  if (!ts_node_get(node, "force") && !ts_node_get(node, "torque")) return TS_OK;
  ts_force_def def = ts_force_def_default();
  def.body = body;
  ts_scene_read_force(plan, node, &def);
  int force;
  return ts_document_locate(plan->in, node->place, ts_builder_add_force(plan->builder, &def, &force, plan->in->error));
}

ts_status ts_scene_build_bodies(ts_scene_plan *plan)
{
  placement all;
  TS_TRY(collect_names(plan));
  TS_TRY(place_bodies(plan, &all));
  for (int i = 0; i < plan->bodies.count; ++i) TS_TRY(add_body(plan, &all, i));
  for (int i = 0; i < plan->bodies.count; ++i) {
    const ts_node *node = plan->body_nodes[i], *motion = ts_node_get(node, "motion");
    const ts_node *support = ts_node_get(node, "support");
    TS_TRY(ts_scene_build_parts(plan, node, i));
    if (motion) TS_TRY(add_motion(plan, motion, i));
    if (support) TS_TRY(add_support(plan, support, i));
    TS_TRY(add_own_force(plan, node, i));
  }
  return TS_OK;
}
