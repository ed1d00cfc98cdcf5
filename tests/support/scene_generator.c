#include "scene_generator.h"

#include "shapes.h"

#include "shape/distance.h"

#include <math.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdio.h>
#include <cmocka.h>

enum { MOST_BODIES = 64, MOST_PIECES = 256, MATERIALS = 3 };

// A convex piece of a body that has found its place.
typedef struct piece {
  const ts_convex *convex;
  ts_frame frame;
} piece;

typedef struct placed_body {
  int body; // in the builder
  ts_body_kind kind;
  bool rotates;
  ts_pose pose; // before the world is turned
  double reach;
} placed_body;

typedef struct generator {
  const scene_recipe *recipe;
  scene_variant variant;
  ts_random random;
  ts_builder *builder;
  ts_arena arena;
  placed_body bodies[MOST_BODIES];
  int body_count;
  piece pieces[MOST_PIECES];
  int piece_count;
  int linkage[MOST_BODIES]; // bodies that joints hold together have the same number
  int materials[MATERIALS];
  struct {
    int joint, child;     // number of the body in `bodies`
  } movable[MOST_BODIES]; // joints with a coordinate
  int movable_count;
} generator;

static void accept(ts_status status, const ts_error *error)
{
  if (status != TS_OK) fail_msg("%s", error->text);
}

static bool chance(generator *g, double probability)
{
  return ts_random_uniform(&g->random, 0.0, 1.0) < probability;
}

static double between(generator *g, double low, double high)
{
  return ts_random_uniform(&g->random, low, high);
}

static bool is_planar(const generator *g)
{
  return g->recipe->space == TS_SPACE_2D;
}

// Directions and vectors of the space of the scene.
static ts_vec3 vector_of(generator *g, double size)
{
  ts_vec3 v = ts_scale(size, random_vector(&g->random));
  if (is_planar(g)) v.z = 0.0;
  return v;
}

static ts_vec3 direction_of(generator *g)
{
  return ts_normalize(vector_of(g, 1.0), (ts_vec3){1.0, 0.0, 0.0});
}

static ts_vec3 turned(const generator *g, ts_vec3 v)
{
  return ts_quat_rotate(g->variant.turn, v);
}

static ts_vec3 up(const generator *g)
{
  return is_planar(g) ? (ts_vec3){0.0, 1.0, 0.0} : (ts_vec3){0.0, 0.0, 1.0};
}

// ---- materials -----------------------------------------------------------------------------------------------------

static void add_materials(generator *g)
{
  static const char *const names[MATERIALS] = {"smooth", "plain", "rough"};
  const ts_combination rules[] = {TS_GEOMETRIC_MEAN, TS_ARITHMETIC_MEAN, TS_MINIMUM, TS_MAXIMUM};
  ts_error error;
  for (int k = 0; k < MATERIALS; ++k) {
    ts_contact_law law = ts_contact_law_default();
    law.friction = chance(g, 0.2) ? 0.0 : between(g, 0.0, g->recipe->friction);
    law.restitution = g->recipe->uneven ? between(g, 0.0, g->recipe->restitution) : g->recipe->restitution;
    const double spin = between(g, 0.005, 0.05);
    if (g->recipe->spin && !is_planar(g) && chance(g, 0.7)) law.ellipsoid.z = spin;
    accept(ts_builder_add_material(g->builder, names[k], &law, &g->materials[k], &error), &error);
  }
  ts_builder_set_combination(g->builder, rules[ts_random_below(&g->random, 4)],
                             g->recipe->uneven ? TS_PRODUCT : TS_MAXIMUM);
  ts_contact_law law = ts_contact_law_default();
  law.friction = fmin(law.friction, g->recipe->friction);
  law.restitution = g->recipe->restitution;
  accept(ts_builder_set_contact(g->builder, &law, &error), &error);
}

// ---- bodies --------------------------------------------------------------------------------------------------------

static ts_shape_kind random_kind(generator *g)
{
  static const ts_shape_kind solid[] = {TS_SHAPE_SPHERE,    TS_SHAPE_BOX,      TS_SHAPE_CAPSULE, TS_SHAPE_CYLINDER,
                                        TS_SHAPE_ELLIPSOID, TS_SHAPE_POLYTOPE, TS_SHAPE_POINT};
  static const ts_shape_kind flat[] = {TS_SHAPE_DISC, TS_SHAPE_POLYGON, TS_SHAPE_POLYGON, TS_SHAPE_POINT};
  return is_planar(g) ? flat[ts_random_below(&g->random, 4)] : solid[ts_random_below(&g->random, 7)];
}

// The pieces of a part that belongs to a body not placed yet: frames are in the body's.
static void hold_pieces(generator *g, const ts_shape *shape, const ts_pose *pose)
{
  int count;
  const ts_convex *convex = ts_convex_pieces(shape, &g->arena, &count);
  for (int k = 0; k < count && g->piece_count < MOST_PIECES; ++k)
    g->pieces[g->piece_count++] = (piece){&convex[k], ts_pose_frame(pose)};
}

static ts_frame moved(const ts_frame *frame, const ts_pose *pose)
{
  const ts_frame outer = ts_pose_frame(pose);
  return (ts_frame){ts_frame_apply(&outer, frame->origin), ts_mat3_product(&outer.axes, &frame->axes)};
}

// Least distance between the pieces from `first` on, at `pose`, and those before.
static double clearance(const generator *g, int first, const ts_pose *pose)
{
  double least = INFINITY;
  for (int i = first; i < g->piece_count; ++i) {
    const ts_frame frame = moved(&g->pieces[i].frame, pose);
    for (int j = 0; j < first; ++j) {
      ts_separation found;
      const piece *other = &g->pieces[j];
      if (g->pieces[i].convex->kind == TS_SHAPE_PLANE && other->convex->kind == TS_SHAPE_PLANE) continue;
      const double apart = ts_distance_of(frame.origin, other->frame.origin) - g->pieces[i].convex->reach;
      if (apart - other->convex->reach > least) continue; // also false for planes, whose reach is infinite
      ts_convex_distance(g->pieces[i].convex, &frame, other->convex, &other->frame, &found);
      least = fmin(least, found.gap);
    }
  }
  return least;
}

// Come from outside along a ray to a body that is there, until the gap is `wanted`: never further than the clearance
// says, so that nothing is passed through.
static ts_pose find_place(generator *g, int first_piece, double reach, double wanted)
{
  enum { ADVANCES = 60 };
  ts_pose pose = ts_pose_identity();
  if (is_planar(g))
    pose.orientation = ts_quat_about_z(between(g, -3.0, 3.0));
  else if (chance(g, 0.7))
    pose.orientation = random_rotation(&g->random);
  ts_vec3 away = direction_of(g);
  if (g->recipe->ground) { // from above, steeper than any ground
    if (ts_dot(away, up(g)) < 0.0) away = ts_negate(away);
    away = ts_normalize(ts_add(away, up(g)), up(g));
  }
  if (g->recipe->ground && chance(g, 0.5)) away = up(g); // stacks
  const double aside = between(g, -0.4, 0.4);
  if (g->body_count == 0) return pose;
  const placed_body *target = &g->bodies[ts_random_below(&g->random, g->body_count)];
  const double start = 6.0 + reach + (isfinite(target->reach) ? target->reach : 0.0);
  pose.position = ts_add_scaled(target->pose.position, start, away);
  pose.position.x += aside * reach;
  for (int k = 0; k < ADVANCES; ++k) {
    const double left = clearance(g, first_piece, &pose) - wanted;
    if (left < 1e-9 || ts_dot(ts_sub(pose.position, target->pose.position), away) < -1.0) break;
    pose.position = ts_add_scaled(pose.position, -left, away);
  }
  return pose;
}

static double wanted_gap(generator *g, double size)
{
  const double deep = between(g, 0.0, 1.0), choice = between(g, 0.0, 1.0);
  if (choice < 0.4) return 0.0;
  return choice < 0.7 ? 0.02 * deep * size : -g->recipe->penetration * deep * size;
}

static void add_motion(generator *g, int body)
{
  ts_error error;
  ts_motion_def def = ts_motion_def_default();
  def.body = body;
  const ts_vec3 shift = vector_of(g, 0.02), spin = vector_of(g, 0.1);
  const ts_vec3 rotation = is_planar(g) ? (ts_vec3){0.0, 0.0, spin.x} : turned(g, spin), way = turned(g, shift);
  const double amplitudes[6] = {way.x, way.y, way.z, rotation.x, rotation.y, rotation.z};
  const double frequency = between(g, 2.0, 30.0);
  for (int k = 0; k < 6; ++k) {
    if (amplitudes[k] == 0.0) continue; // the plane wants constants there
    const ts_signal wave = {.kind = TS_SIGNAL_SINE, .amplitude = amplitudes[k], .frequency = frequency};
    if (k < 3)
      def.displacement[k] = wave;
    else
      def.rotation[k - 3] = wave;
  }
  accept(ts_builder_add_motion(g->builder, &def, NULL, &error), &error);
}

// The body's definition at a place of the turned world.
static ts_body_def body_def(const generator *g, const char *name, ts_body_kind kind, const ts_pose *pose)
{
  ts_body_def def = ts_body_def_default();
  const ts_quat orientation = ts_quat_product(g->variant.turn, pose->orientation);
  def.name = name;
  def.kind = kind;
  def.pose.position = turned(g, pose->position);
  if (is_planar(g))
    def.angle = 2.0 * atan2(orientation.z, orientation.w);
  else
    def.pose.orientation = ts_quat_normalize(orientation);
  return def;
}

static void remember(generator *g, int body, ts_body_kind kind, bool rotates, const ts_pose *pose, double reach,
                     int first_piece)
{
  g->bodies[g->body_count++] = (placed_body){body, kind, rotates, *pose, reach};
  for (int i = first_piece; i < g->piece_count; ++i) g->pieces[i].frame = moved(&g->pieces[i].frame, pose);
}

static void add_part(generator *g, int body, const ts_shape *shape, const ts_pose *pose, int material)
{
  ts_error error;
  ts_part_def def = ts_part_def_default();
  def.body = body;
  def.shape = *shape;
  def.pose = *pose;
  def.material = material;
  accept(ts_builder_add_part(g->builder, &def, NULL, &error), &error);
}

static void add_ground(generator *g)
{
  ts_error error;
  int body;
  const ts_vec3 tilt = vector_of(g, 0.1);
  const ts_shape plane = {.kind = TS_SHAPE_PLANE, .normal = ts_normalize(ts_add(up(g), tilt), up(g))};
  const ts_pose here = ts_pose_identity();
  const ts_body_def def = body_def(g, "ground", TS_FIXED, &here);
  const int first = g->piece_count;
  accept(ts_builder_add_body(g->builder, &def, &body, &error), &error);
  add_part(g, body, &plane, &here, -1);
  hold_pieces(g, &plane, &here);
  remember(g, body, TS_FIXED, false, &here, INFINITY, first);
}

static ts_body_kind random_body_kind(generator *g)
{
  const double choice = between(g, 0.0, 1.0);
  if (!g->recipe->obstacles || choice > 0.3) return TS_DYNAMIC;
  return choice < 0.12 ? TS_FIXED : TS_KINEMATIC;
}

static void set_motion_state(generator *g, ts_body_def *def)
{
  const ts_vec3 v = vector_of(g, g->recipe->speed), w = vector_of(g, g->recipe->omega);
  if (def->kind != TS_DYNAMIC) return;
  def->velocity.linear = turned(g, v);
  if (def->rotates) def->velocity.angular = is_planar(g) ? (ts_vec3){0.0, 0.0, w.x} : turned(g, w);
}

static void add_body(generator *g, int number)
{
  char name[16];
  ts_error error;
  int body;
  test_shape shapes[2];
  const ts_body_kind kind = random_body_kind(g);
  const ts_shape_kind shape_kind = random_kind(g);
  const bool compound = chance(g, 0.2) && shape_kind != TS_SHAPE_POINT;
  const double size = between(g, 0.1, 0.4), density = exp(between(g, 4.0, 8.5));
  ts_pose part_pose[2] = {ts_pose_identity(), ts_pose_identity()};
  const int parts = compound ? 2 : 1, first = g->piece_count;
  double reach = 0.0;
  for (int k = 0; k < parts; ++k) {
    random_shape(&g->random, k == 0 ? shape_kind : is_planar(g) ? TS_SHAPE_DISC : TS_SHAPE_BOX, size, &shapes[k]);
    if (k == 1) part_pose[k].position = vector_of(g, size);
    hold_pieces(g, &shapes[k].shape, &part_pose[k]);
  }
  for (int i = first; i < g->piece_count; ++i)
    reach = fmax(reach, ts_length(g->pieces[i].frame.origin) + g->pieces[i].convex->reach);
  const double wanted = wanted_gap(g, size);
  // Two points in one place have no normal, so points stay a little away.
  const ts_pose pose = find_place(g, first, reach, shape_kind == TS_SHAPE_POINT ? fmax(wanted, 1e-3 * size) : wanted);
  snprintf(name, sizeof name, "body%d", number);
  ts_body_def def = body_def(g, name, kind, &pose);
  def.density = density;
  def.rotates = shape_kind != TS_SHAPE_POINT;
  if (!def.rotates && kind == TS_DYNAMIC) def.mass = density * size * size * size;
  set_motion_state(g, &def);
  accept(ts_builder_add_body(g->builder, &def, &body, &error), &error);
  const int material = ts_random_below(&g->random, MATERIALS + 1) - 1;
  for (int k = 0; k < parts; ++k)
    add_part(g, body, &shapes[k].shape, &part_pose[k], material < 0 ? -1 : g->materials[material]);
  remember(g, body, kind, def.rotates, &pose, reach, first);
  if (kind == TS_KINEMATIC) add_motion(g, body);
}

// ---- what connects them --------------------------------------------------------------------------------------------

// The kinds that scenes of a seed have always had.
static ts_joint_kind random_joint_kind(generator *g)
{
  static const ts_joint_kind flat[] = {TS_JOINT_REVOLUTE, TS_JOINT_PRISMATIC, TS_JOINT_WELD};
  return is_planar(g) ? flat[ts_random_below(&g->random, 3)]
                      : (ts_joint_kind)ts_random_below(&g->random, TS_JOINT_WELD + 1);
}

static void set_drive(generator *g, ts_joint_def *def)
{
  def->limited = chance(g, 0.6);
  def->lower = -between(g, 0.0, 0.3);
  def->upper = between(g, 0.0, 0.3);
  if (def->lower > -0.05) def->lower = -INFINITY; // some have a stop on one side only
  if (def->upper < 0.05) def->upper = INFINITY;
  def->restitution = g->recipe->restitution;
  def->motor.kind = (ts_motor_kind)ts_random_below(&g->random, 4);
  def->motor.target = (ts_signal){
      .kind = TS_SIGNAL_SINE, .offset = between(g, -1.0, 1.0), .amplitude = between(g, 0.0, 1.0), .frequency = 3.0};
  def->motor.stiffness = exp(between(g, 0.0, 10.0));
  def->motor.damping = exp(between(g, -2.0, 5.0));
  def->motor.max_force = chance(g, 0.7) ? exp(between(g, -2.0, 6.0)) : INFINITY;
  if (!def->limited) def->friction = def->motor.damping;
  if (def->motor.kind == TS_MOTOR_FORCE) def->damping = 0.01 * def->motor.stiffness;
}

// A point given in the world (before it is turned) as a body sees it; the world itself has turned.
static ts_vec3 seen_from(const generator *g, const placed_body *body, ts_vec3 point)
{
  return body ? ts_pose_unapply(&body->pose, point) : turned(g, point);
}

static ts_vec3 direction_seen_from(const generator *g, const placed_body *body, ts_vec3 direction)
{
  return body ? ts_quat_rotate(ts_quat_conjugate(body->pose.orientation), direction) : turned(g, direction);
}

static const placed_body *random_partner(generator *g, int child)
{
  const int partner = child > 0 ? ts_random_below(&g->random, child) : 0;
  const bool to_world = chance(g, 0.3) && g->recipe->anchors;
  const placed_body *found = &g->bodies[partner];
  if (to_world || child == 0) return NULL;
  return found->kind == TS_DYNAMIC || g->recipe->anchors ? found : NULL;
}

static void join_linkages(generator *g, int first, int second)
{
  const int from = g->linkage[first], to = g->linkage[second];
  for (int i = 0; i < g->body_count; ++i)
    if (g->linkage[i] == from) g->linkage[i] = to;
}

// What is welded to something that does not move is no body of the scene any more.
static bool is_wanted(const generator *g, ts_joint_kind kind, const placed_body *other)
{
  if (!other) return g->recipe->anchors && kind != TS_JOINT_WELD;
  return other->kind == TS_DYNAMIC ? other->rotates : kind != TS_JOINT_WELD;
}

static void add_joint(generator *g, int child)
{
  ts_error error;
  const placed_body *own = &g->bodies[child], *other = random_partner(g, child);
  ts_joint_def def = ts_joint_def_default();
  def.kind = random_joint_kind(g);
  const ts_vec3 axis = direction_of(g), point = ts_add(own->pose.position, vector_of(g, 0.2));
  const bool about_z = is_planar(g) && def.kind == TS_JOINT_REVOLUTE;
  def.parent = other ? other->body : TS_WORLD;
  def.child = own->body;
  def.at = seen_from(g, other, point);
  def.axis = about_z ? (ts_vec3){0.0, 0.0, 1.0} : direction_seen_from(g, other, axis);
  def.axis2 = direction_seen_from(g, other, ts_tangent_of(axis));
  const bool has_coordinate = def.kind == TS_JOINT_REVOLUTE || def.kind == TS_JOINT_PRISMATIC;
  if (has_coordinate && g->recipe->drives) set_drive(g, &def);
  if (!is_wanted(g, def.kind, other)) return;
  int joint;
  accept(ts_builder_add_joint(g->builder, &def, &joint, &error), &error);
  if (has_coordinate) {
    g->movable[g->movable_count].joint = joint;
    g->movable[g->movable_count++].child = child;
  }
  if (other) join_linkages(g, child, (int)(other - g->bodies));
}

static void add_spring(generator *g, int first)
{
  ts_error error;
  const placed_body *own = &g->bodies[first], *other = random_partner(g, first);
  ts_spring_def def = ts_spring_def_default();
  const ts_vec3 from = own->pose.position, aside = vector_of(g, 0.1);
  const ts_vec3 to = other && !other->rotates ? other->pose.position : ts_add(from, vector_of(g, 0.5));
  def.body[0] = own->body;
  def.body[1] = other ? other->body : TS_WORLD;
  def.at[0] = own->rotates ? seen_from(g, own, ts_add(from, aside)) : (ts_vec3){0.0, 0.0, 0.0};
  def.at[1] = seen_from(g, other, to);
  def.stiffness = exp(between(g, 0.0, 7.0));
  def.damping = exp(between(g, -3.0, 3.0));
  def.implicit = chance(g, 0.5);
  if (other || g->recipe->anchors) accept(ts_builder_add_spring(g->builder, &def, NULL, &error), &error);
}

static void add_force(generator *g, int number)
{
  ts_error error;
  ts_force_def def = ts_force_def_default();
  def.body = g->bodies[number].body;
  def.follows = chance(g, 0.3);
  ts_vec3 force = vector_of(g, 20.0), torque = vector_of(g, 2.0);
  if (!def.follows) force = turned(g, force);
  if (is_planar(g))
    torque = (ts_vec3){0.0, 0.0, torque.x};
  else if (!def.follows)
    torque = turned(g, torque);
  const double f[3] = {force.x, force.y, force.z}, t[3] = {torque.x, torque.y, torque.z};
  for (int k = 0; k < 3; ++k) {
    if (f[k] != 0.0)
      def.force[k] = (ts_signal){.kind = TS_SIGNAL_SINE, .offset = f[k], .amplitude = f[k], .frequency = 10.0};
    def.torque[k] = ts_signal_constant(g->bodies[number].rotates ? t[k] : 0.0);
  }
  accept(ts_builder_add_force(g->builder, &def, NULL, &error), &error);
}

static void connect_bodies(generator *g)
{
  for (int i = 0; i < g->body_count; ++i) {
    if (g->bodies[i].kind != TS_DYNAMIC) continue;
    if (g->recipe->joints && g->bodies[i].rotates && chance(g, 0.4)) add_joint(g, i);
    if (g->recipe->springs && chance(g, 0.3)) add_spring(g, i);
    if (g->recipe->forces && chance(g, 0.3)) add_force(g, i);
  }
}

// ---- couplings -----------------------------------------------------------------------------------------------------

// Joint k follows one or two before it; what they carry is one linkage then.
static void add_gear(generator *g, int k)
{
  ts_error error;
  ts_gear_term terms[2];
  ts_gear_def def = ts_gear_def_default();
  def.joint = g->movable[k].joint;
  def.terms = terms;
  const int first = ts_random_below(&g->random, k), second = ts_random_below(&g->random, k);
  const bool differs = chance(g, 0.4) && second != first;
  for (int i = 0; i < (differs ? 2 : 1); ++i) {
    const int followed = i == 0 ? first : second;
    const double ratio = exp(between(g, -1.0, 1.0));
    terms[def.term_count++] = (ts_gear_term){g->movable[followed].joint, chance(g, 0.5) ? ratio : -ratio};
    join_linkages(g, g->movable[k].child, g->movable[followed].child);
  }
  accept(ts_builder_add_gear(g->builder, &def, NULL, &error), &error);
}

static ts_vec3 random_stiffness(generator *g, double low, double high)
{
  const double x = exp(between(g, low, high)), y = exp(between(g, low, high)), z = exp(between(g, low, high));
  return (ts_vec3){x, y, is_planar(g) ? 0.0 : z};
}

static void add_bushing(generator *g, int number)
{
  ts_error error;
  const placed_body *own = &g->bodies[number], *other = random_partner(g, number);
  ts_bushing_def def = ts_bushing_def_default();
  def.body[0] = own->body;
  def.body[1] = other ? other->body : TS_WORLD;
  def.at = vector_of(g, 0.1);
  def.stiffness = random_stiffness(g, 0.0, 7.0);
  def.damping = random_stiffness(g, -3.0, 3.0);
  def.angular_stiffness = random_stiffness(g, -2.0, 3.0);
  def.angular_damping = random_stiffness(g, -5.0, 0.0);
  if (is_planar(g)) {
    def.angle = between(g, -3.0, 3.0);
    def.angular_stiffness = (ts_vec3){0.0, 0.0, def.angular_stiffness.x};
    def.angular_damping = (ts_vec3){0.0, 0.0, def.angular_damping.x};
  } else {
    def.orientation = random_rotation(&g->random);
  }
  if (other ? other->rotates : g->recipe->anchors)
    accept(ts_builder_add_bushing(g->builder, &def, NULL, &error), &error);
}

// A blow within the first steps.
static void add_impulse(generator *g, int number)
{
  ts_error error;
  ts_force_def def = ts_force_def_default();
  def.body = g->bodies[number].body;
  const double time = between(g, 0.0, 0.02);
  const ts_vec3 blow = turned(g, vector_of(g, 1.0));
  const double p[3] = {blow.x, blow.y, blow.z};
  for (int k = 0; k < 3; ++k)
    if (p[k] != 0.0) def.force[k] = (ts_signal){.kind = TS_SIGNAL_IMPULSE, .time = time, .impulse = p[k]};
  accept(ts_builder_add_force(g->builder, &def, NULL, &error), &error);
}

static void couple_bodies(generator *g)
{
  for (int k = 1; k < g->movable_count; ++k)
    if (chance(g, 0.6)) add_gear(g, k);
  for (int i = 0; i < g->body_count; ++i) {
    if (g->bodies[i].kind != TS_DYNAMIC) continue;
    if (g->bodies[i].rotates && chance(g, 0.3)) add_bushing(g, i);
    if (chance(g, 0.3)) add_impulse(g, i);
  }
}

// Bodies of a linkage do not collide with each other: joints may hold them so that no impulse could part them.
static void forbid_contact(generator *g)
{
  ts_error error;
  for (int i = 0; i < g->body_count; ++i)
    for (int j = 0; j < i; ++j)
      if (g->variant.ghosts || g->linkage[i] == g->linkage[j])
        accept(ts_builder_pair_bodies(g->builder, g->bodies[i].body, g->bodies[j].body, NULL, &error), &error);
}

// ---- scenes --------------------------------------------------------------------------------------------------------

scene_recipe scene_recipe_random(uint64_t seed)
{
  ts_random random;
  ts_random_init(&random, seed ^ UINT64_C(0x5ce0e));
  const double many = ts_random_uniform(&random, 0.0, 1.0);
  return (scene_recipe){
      .space = ts_random_below(&random, 3) == 0 ? TS_SPACE_2D : TS_SPACE_3D,
      .bodies = 1 + (int)(20.0 * many * many),
      .ground = ts_random_below(&random, 3) > 0,
      .gravity = ts_random_below(&random, 4) > 0,
      .obstacles = ts_random_below(&random, 2) == 0,
      .joints = ts_random_below(&random, 2) == 0,
      .anchors = ts_random_below(&random, 2) == 0,
      .drives = ts_random_below(&random, 2) == 0,
      .springs = ts_random_below(&random, 3) == 0,
      .forces = ts_random_below(&random, 3) == 0,
      .spin = ts_random_below(&random, 4) == 0,
      .friction = ts_random_uniform(&random, 0.1, 1.2),
      .penetration = 0.01,
      .speed = ts_random_uniform(&random, 0.0, 2.0),
      .omega = ts_random_uniform(&random, 0.0, 5.0),
  };
}

void scene_recipe_describe(const scene_recipe *recipe, char *text, size_t size)
{
  snprintf(text, size, "%s, %d bodies%s%s%s%s%s%s%s%s%s%s", recipe->space == TS_SPACE_2D ? "2D" : "3D", recipe->bodies,
           recipe->ground ? ", ground" : "", recipe->gravity ? ", gravity" : "", recipe->obstacles ? ", obstacles" : "",
           recipe->joints ? ", joints" : "", recipe->anchors ? ", anchors" : "", recipe->drives ? ", drives" : "",
           recipe->springs ? ", springs" : "", recipe->forces ? ", forces" : "", recipe->spin ? ", spin" : "",
           recipe->couplings ? ", couplings" : "");
}

ts_model *scene_generate(const scene_recipe *recipe, uint64_t seed, scene_variant variant)
{
  generator g = {.recipe = recipe, .variant = variant, .builder = ts_builder_create(recipe->space)};
  jmp_buf recovery;
  ts_error error;
  ts_model *model = NULL;
  assert_non_null(g.builder);
  ts_random_init(&g.random, seed);
  ts_arena_init(&g.arena, NULL);
  g.arena.recovery = &recovery;
  if (setjmp(recovery)) fail_msg("memory ran out");
  ts_builder_set_gravity(g.builder, ts_scale(recipe->gravity ? -9.81 : 0.0, turned(&g, up(&g))));
  add_materials(&g);
  if (recipe->ground) add_ground(&g);
  for (int k = 0; k < recipe->bodies; ++k) add_body(&g, k);
  for (int k = 0; k < g.body_count; ++k) g.linkage[k] = k;
  connect_bodies(&g);
  if (recipe->couplings) couple_bodies(&g);
  forbid_contact(&g);
  accept(ts_builder_finish(g.builder, &model, &error), &error);
  ts_builder_destroy(g.builder);
  ts_arena_release(&g.arena);
  return model;
}
