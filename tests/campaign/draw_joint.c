#include "draw_joint.h"

#include "draw_shape.h"

#include "math/vec3.h"

#include <math.h>

static bool chance(ts_random *random, double probability)
{
  return ts_random_uniform(random, 0.0, 1.0) < probability;
}

static double between(ts_random *random, double low, double high)
{
  return ts_random_uniform(random, low, high);
}

static bool has_coordinate(ts_joint_kind kind)
{
  return kind == TS_JOINT_REVOLUTE || kind == TS_JOINT_PRISMATIC || kind == TS_JOINT_SCREW;
}

static void join_linkages(campaign_scene *s, int first, int second)
{
  const int from = s->bodies[first].linkage, to = s->bodies[second].linkage;
  for (int b = 0; b < s->body_count; ++b)
    if (s->bodies[b].linkage == from) s->bodies[b].linkage = to;
}

// Frames of the joint in both bodies, from a point and two axes in the world
static void fix_frames(const campaign_scene *s, campaign_joint *j, ts_vec3 point, ts_vec3 axis, ts_vec3 axis2)
{
  const ts_pose here = ts_pose_identity();
  const ts_pose *parent = j->parent >= 0 ? &s->bodies[j->parent].pose : &here, *child = &s->bodies[j->child].pose;
  const ts_quat back = ts_quat_conjugate(parent->orientation), back_child = ts_quat_conjugate(child->orientation);
  j->at = ts_pose_unapply(parent, point);
  j->at_child = ts_pose_unapply(child, point);
  j->axis = ts_quat_rotate(back, axis);
  j->axis2 = ts_quat_rotate(back, axis2);
  j->axis_child = ts_quat_rotate(back_child, axis);
  j->axis2_child = ts_quat_rotate(back_child, axis2);
  j->turn = ts_quat_product(back, child->orientation);
}

// What gravity makes of the lighter body at the joint. A drive for the heavier one would spin the other by more than a
// radian in a step: no step of that size follows such a motion.
static double load_of(const campaign_scene *s, const campaign_joint *j)
{
  const bool slides = j->kind == TS_JOINT_PRISMATIC;
  const campaign_body *child = &s->bodies[j->child];
  const double load = 10.0 * child->mass * (slides ? 1.0 : child->reach);
  if (j->parent == TS_WORLD || s->bodies[j->parent].kind != TS_DYNAMIC) return load;
  const campaign_body *parent = &s->bodies[j->parent];
  return fmin(load, 10.0 * parent->mass * (slides ? 1.0 : parent->reach));
}

// Limits, friction, damping and a motor of limited force. Where nothing can come into its way, some have no limit.
static void draw_drive(campaign_scene *s, campaign_joint *j, ts_random *random)
{
  const double load = load_of(s, j);
  if (chance(random, 0.4)) {
    j->lower = -between(random, 0.05, 0.5);
    j->upper = chance(random, 0.3) ? INFINITY : between(random, 0.05, 0.5);
  }
  if (chance(random, 0.3)) j->friction = load * between(random, 0.0, 0.3);
  if (chance(random, 0.3)) j->damping = load * between(random, 0.0, 0.2);
  if (chance(random, 0.5)) return;
  j->motor = (ts_motor_kind)(1 + ts_random_below(random, 3));
  j->target = between(random, -0.3, 0.3);
  j->sway = between(random, 0.0, 0.3);
  j->frequency = between(random, 1.0, 10.0);
  j->max_force = load * exp(between(random, -2.0, 2.0));
  j->stiffness = load * exp(between(random, 0.0, 4.0));
  j->motor_damping = 0.1 * j->stiffness;
  if (j->motor == TS_MOTOR_FORCE) { // the target is the force
    j->target *= load;
    j->sway *= load;
  }
}

static ts_joint_kind draw_kind(const campaign_scene *s, ts_random *random)
{
  static const ts_joint_kind flat[] = {TS_JOINT_REVOLUTE, TS_JOINT_REVOLUTE, TS_JOINT_PRISMATIC, TS_JOINT_WELD};
  static const ts_joint_kind solid[] = {TS_JOINT_REVOLUTE,  TS_JOINT_REVOLUTE,  TS_JOINT_PRISMATIC,
                                        TS_JOINT_SPHERICAL, TS_JOINT_UNIVERSAL, TS_JOINT_PLANAR,
                                        TS_JOINT_WELD,      TS_JOINT_SCREW,     TS_JOINT_CYLINDRICAL};
  return campaign_is_planar(s) ? flat[ts_random_below(random, 4)] : solid[ts_random_below(random, 9)];
}

static void add_joint(campaign_scene *s, ts_random *random, int parent, int child)
{
  const bool planar = campaign_is_planar(s);
  campaign_joint *j = &s->joints[s->joint_count];
  const campaign_body *own = &s->bodies[child];
  *j = (campaign_joint){
      .kind = draw_kind(s, random), .parent = parent, .child = child, .lower = -INFINITY, .upper = INFINITY};
  if (parent == TS_WORLD && j->kind == TS_JOINT_WELD) j->kind = TS_JOINT_REVOLUTE;
  if (parent == TS_WORLD && j->kind == TS_JOINT_PLANAR) j->kind = TS_JOINT_SPHERICAL;
  ts_vec3 axis = campaign_random_direction(random, planar);
  const ts_vec3 across = ts_tangent_of(axis);
  if (planar && j->kind == TS_JOINT_REVOLUTE) axis = ts_vec3_make(0.0, 0.0, 1.0);
  const ts_vec3 aside = ts_scale(own->reach, campaign_random_direction(random, planar));
  ts_vec3 point = ts_add(own->pose.position, aside);
  if (parent >= 0) { // on the line between the two
    const campaign_body *other = &s->bodies[parent];
    point = ts_add_scaled(own->pose.position, 0.5, ts_sub(other->pose.position, own->pose.position));
  }
  j->pitch = j->kind == TS_JOINT_SCREW ? between(random, 0.02, 0.1) : 0.0;
  fix_frames(s, j, point, axis, across);
  if (has_coordinate(j->kind)) draw_drive(s, j, random);
  if (parent >= 0) join_linkages(s, child, parent);
  ++s->joint_count;
}

// The joint follows an earlier one that has neither stops nor a drive, and loses its own.
static void add_gear(campaign_scene *s, ts_random *random, int k)
{
  campaign_joint *j = &s->joints[k];
  if (!has_coordinate(j->kind)) return;
  for (int i = 0; i < k && j->term_count < CAMPAIGN_TERMS; ++i) {
    const campaign_joint *leader = &s->joints[i];
    const bool free = has_coordinate(leader->kind) && !isfinite(leader->lower) && leader->term_count == 0;
    if (!free || !chance(random, 0.6)) continue;
    j->followed[j->term_count] = i;
    j->ratio[j->term_count++] = between(random, 0.3, 2.0) * (chance(random, 0.5) ? 1.0 : -1.0);
    join_linkages(s, j->child, leader->child);
  }
  if (j->term_count == 0) return;
  j->lower = -INFINITY;
  j->upper = INFINITY;
  j->motor = TS_MOTOR_NONE;
}

// Close the loop of the last body with the first of its linkage: by a ball, in the plane by a pin.
static void close_loop(campaign_scene *s, int first, int last)
{
  if (s->joint_count == CAMPAIGN_JOINTS || first == last) return;
  const ts_vec3 a = s->bodies[first].pose.position, b = s->bodies[last].pose.position;
  campaign_joint *j = &s->joints[s->joint_count++];
  *j = (campaign_joint){
      .kind = campaign_is_planar(s) ? TS_JOINT_REVOLUTE : TS_JOINT_SPHERICAL, .parent = first, .child = last};
  j->lower = -INFINITY;
  j->upper = INFINITY;
  j->closes_loop = true;
  fix_frames(s, j, ts_add_scaled(a, 0.5, ts_sub(b, a)), ts_vec3_make(0.0, 0.0, 1.0), ts_vec3_make(1.0, 0.0, 0.0));
}

// A chain of pins or balls with a closed loop; starting at rest, so that velocities fit
static void draw_ring(campaign_scene *s, int first)
{
  for (int b = first + 1; b < s->body_count && s->joint_count < CAMPAIGN_JOINTS; ++b) {
    campaign_joint *j = &s->joints[s->joint_count++];
    *j = (campaign_joint){.parent = b - 1, .child = b, .lower = -INFINITY, .upper = INFINITY};
    j->kind = campaign_is_planar(s) ? TS_JOINT_REVOLUTE : TS_JOINT_SPHERICAL;
    const ts_vec3 a = s->bodies[b - 1].pose.position, c = s->bodies[b].pose.position;
    fix_frames(s, j, ts_add_scaled(a, 0.5, ts_sub(c, a)), ts_vec3_make(0.0, 0.0, 1.0), ts_vec3_make(1.0, 0.0, 0.0));
    join_linkages(s, b, b - 1);
  }
  close_loop(s, first, s->body_count - 1);
}

// A motor without a limit of force is feasible where nothing else holds its linkage: no contact, no stop, no gear, no
// loop.
static void free_some_motors(campaign_scene *s, ts_random *random)
{
  for (int k = 0; k < s->joint_count; ++k) {
    campaign_joint *j = &s->joints[k];
    bool is_led = false;
    for (int i = 0; i < s->joint_count; ++i)
      for (int t = 0; t < s->joints[i].term_count; ++t) is_led = is_led || s->joints[i].followed[t] == k;
    if (s->ghosts && !is_led && !isfinite(j->lower) && j->term_count == 0 && chance(random, 0.5))
      j->max_force = INFINITY;
  }
}

void campaign_draw_joints(campaign_scene *s, ts_random *random)
{
  int first = 0;
  while (first < s->body_count && s->bodies[first].kind != TS_DYNAMIC) ++first;
  if (s->body_count - first >= 4 && chance(random, 0.2)) {
    draw_ring(s, first);
    return;
  }
  const bool anchored = chance(random, 0.5), geared = chance(random, 0.4);
  for (int b = first; b < s->body_count && s->joint_count < CAMPAIGN_JOINTS; ++b) {
    if (s->bodies[b].supported || !chance(random, 0.7)) continue;
    const int partner = b > first ? first + ts_random_below(random, b - first) : TS_WORLD;
    const bool to_world = anchored && chance(random, 0.35);
    if (to_world)
      add_joint(s, random, TS_WORLD, b);
    else if (partner >= 0 && !s->bodies[partner].supported)
      add_joint(s, random, partner, b);
  }
  for (int k = 1; k < s->joint_count && geared; ++k)
    if (chance(random, 0.5)) add_gear(s, random, k);
  free_some_motors(s, random);
}
