// What acts between bodies and on them: joints, springs, bushings, forces.
#include "scene/build.h"

#include "document/values.h"

static void read_motor(ts_scene_plan *plan, const ts_node *node, ts_motor *motor)
{
  const ts_node *velocity = ts_node_get(node, "velocity"), *servo = ts_node_get(node, "servo");
  const ts_node *details = velocity ? velocity : servo;
  motor->kind = velocity ? TS_MOTOR_VELOCITY : servo ? TS_MOTOR_SERVO : TS_MOTOR_FORCE;
  if (!details) {
    ts_node_signal(plan->in, node, "force", &motor->target);
    return;
  }
  ts_node_signal(plan->in, details, "target", &motor->target);
  motor->max_force = ts_node_number(details, "max_force", motor->max_force);
  if (!servo) return;
  motor->stiffness = ts_node_number(servo, "stiffness", 0.0);
  motor->damping = ts_node_number(servo, "damping", 0.0);
}

static void read_limits(const ts_node *node, ts_joint_def *def)
{
  const bool both = node->kind == TS_NODE_LIST;
  def->limited = true;
  def->lower = both ? node->first->number : ts_node_number(node, "lower", def->lower);
  def->upper = both ? node->last->number : ts_node_number(node, "upper", def->upper);
}

static ts_status add_joint(ts_scene_plan *plan, const ts_node *node, int child)
{
  ts_joint_def def = ts_joint_def_default();
  const ts_node *parent = ts_node_get(node, "parent"), *limits = ts_node_get(node, "limits");
  const ts_node *motor = ts_node_get(node, "motor");
  if (parent) TS_TRY(ts_scene_find_body(plan, parent, true, &def.parent));
  def.name = ts_node_word(node, "name", NULL);
  def.kind = (ts_joint_kind)ts_node_choice(node, "type", TS_JOINT_REVOLUTE);
  def.child = child;
  def.at = ts_node_vector(node, "at", def.at);
  def.axis = ts_node_vector(node, "axis", def.axis);
  def.axis2 = ts_node_vector(node, "axis2", def.axis2);
  def.restitution = ts_node_number(node, "restitution", def.restitution);
#define NUMBER(name, range, units, help) def.name = ts_node_number(node, #name, def.name);
  TS_JOINT_NUMBER_LIST(NUMBER)
#undef NUMBER
  def.closes_loop = ts_node_boolean(node, "closes_loop", def.closes_loop);
  if (limits) read_limits(limits, &def);
  if (motor) read_motor(plan, motor, &def.motor);
  int joint;
  TS_TRY(ts_document_locate(plan->in, node->place, ts_builder_add_joint(plan->builder, &def, &joint, plan->in->error)));
  plan->joint_nodes[plan->joint_count++] = node;
  return TS_OK;
}

// A gear is a map, or a list of them that add up.
static ts_status add_gear(ts_scene_plan *plan, int joint)
{
  const ts_node *node = ts_node_get(plan->joint_nodes[joint], "gear");
  if (!node) return TS_OK;
  ts_gear_term terms[TS_MOST_GEAR_TERMS];
  ts_gear_def def = ts_gear_def_default();
  def.joint = joint;
  def.terms = terms;
  for (const ts_node *map = node->kind == TS_NODE_LIST ? node->first : node; map; map = map->next) {
    ts_gear_term *term = &terms[def.term_count++];
    TS_TRY(ts_scene_find_joint(plan, ts_node_get(map, "joint"), &term->joint));
    term->ratio = ts_node_number(map, "ratio", 0.0);
    def.offset += ts_node_number(map, "offset", 0.0);
    if (map == node) break;
  }
  return ts_document_locate(plan->in, node->place, ts_builder_add_gear(plan->builder, &def, NULL, plan->in->error));
}

static ts_status add_spring(ts_scene_plan *plan, const ts_node *node)
{
  ts_spring_def def = ts_spring_def_default();
  const ts_node *bodies = ts_node_get(node, "bodies"), *at = ts_node_get(node, "at");
  TS_TRY(ts_scene_find_body(plan, bodies->first, true, &def.body[0]));
  TS_TRY(ts_scene_find_body(plan, bodies->last, true, &def.body[1]));
  if (at) {
    const ts_vec3 *ends = ts_node_vectors(plan->in, at);
    def.at[0] = ends[0];
    def.at[1] = ends[1];
  }
  def.name = ts_node_word(node, "name", NULL);
  def.stiffness = ts_node_number(node, "stiffness", def.stiffness);
  def.damping = ts_node_number(node, "damping", def.damping);
  def.length = ts_node_number(node, "length", def.length);
  def.damps_across = ts_node_boolean(node, "damps_across", def.damps_across);
  def.implicit = ts_node_boolean(node, "implicit", def.implicit);
  int spring;
  return ts_document_locate(plan->in, node->place,
                            ts_builder_add_spring(plan->builder, &def, &spring, plan->in->error));
}

static ts_status add_bushing(ts_scene_plan *plan, const ts_node *node)
{
  ts_bushing_def def = ts_bushing_def_default();
  const ts_node *bodies = ts_node_get(node, "bodies");
  const bool plane = ts_space_is_planar(plan->space);
  TS_TRY(ts_scene_find_body(plan, bodies->first, true, &def.body[0]));
  TS_TRY(ts_scene_find_body(plan, bodies->last, true, &def.body[1]));
  def.name = ts_node_word(node, "name", NULL);
  def.at = ts_node_vector(node, "at", def.at);
  def.angle = ts_node_number(node, "angle", def.angle);
  if (!plane) def.orientation = ts_node_orientation(node, def.orientation);
  def.stiffness = ts_node_vector(node, "stiffness", def.stiffness);
  def.damping = ts_node_vector(node, "damping", def.damping);
  if (plane) {
    def.angular_stiffness.z = ts_node_number(node, "angular_stiffness", 0.0);
    def.angular_damping.z = ts_node_number(node, "angular_damping", 0.0);
  } else {
    def.angular_stiffness = ts_node_vector(node, "angular_stiffness", def.angular_stiffness);
    def.angular_damping = ts_node_vector(node, "angular_damping", def.angular_damping);
  }
  int bushing;
  return ts_document_locate(plan->in, node->place,
                            ts_builder_add_bushing(plan->builder, &def, &bushing, plan->in->error));
}

void ts_scene_read_force(const ts_scene_plan *plan, const ts_node *node, ts_force_def *def)
{
  ts_node_signals(plan->in, node, "force", def->force);
  if (ts_space_is_planar(plan->space))
    ts_node_signal(plan->in, node, "torque", &def->torque[2]);
  else
    ts_node_signals(plan->in, node, "torque", def->torque);
}

static ts_status add_force(ts_scene_plan *plan, const ts_node *node)
{
  ts_force_def def = ts_force_def_default();
  TS_TRY(ts_scene_find_body(plan, ts_node_get(node, "body"), false, &def.body));
  def.at = ts_node_vector(node, "at", def.at);
  def.follows = ts_node_boolean(node, "follows", def.follows);
  ts_scene_read_force(plan, node, &def);
  int force;
  return ts_document_locate(plan->in, node->place, ts_builder_add_force(plan->builder, &def, &force, plan->in->error));
}

// Every body may have one of its own.
static void make_room_for_joints(ts_scene_plan *plan)
{
  const ts_node *list = ts_node_get(plan->root, "joints");
  const size_t most = (size_t)plan->bodies.count + (list ? (size_t)list->count : 0);
  plan->joint_nodes = ts_arena_bytes(&plan->in->arena, most, sizeof *plan->joint_nodes);
}

ts_status ts_scene_build_joints(ts_scene_plan *plan)
{
  make_room_for_joints(plan);
  for (int i = 0; i < plan->bodies.count; ++i) {
    const ts_node *joint = ts_node_get(plan->body_nodes[i], "joint");
    if (joint) TS_TRY(add_joint(plan, joint, i));
  }
  for (const ts_node *node = ts_scene_items(plan->root, "joints"); node; node = node->next) {
    int child;
    TS_TRY(ts_scene_find_body(plan, ts_node_get(node, "child"), false, &child));
    TS_TRY(add_joint(plan, node, child));
  }
  for (int i = 0; i < plan->joint_count; ++i) TS_TRY(add_gear(plan, i));
  for (const ts_node *node = ts_scene_items(plan->root, "springs"); node; node = node->next)
    TS_TRY(add_spring(plan, node));
  for (const ts_node *node = ts_scene_items(plan->root, "bushings"); node; node = node->next)
    TS_TRY(add_bushing(plan, node));
  for (const ts_node *node = ts_scene_items(plan->root, "forces"); node; node = node->next)
    TS_TRY(add_force(plan, node));
  return TS_OK;
}
