#include "engine.h"

#include "touchstone/sim.h"

#include "math/vec3.h"

#include <stdio.h>
#include <stdlib.h>

typedef struct touchstone_world {
  ts_model *model;
  ts_sim *sim;
  const scene *described; // outlives the world
  int first_body;         // number of the scene's first body: planes and obstacles come before
  int failed;             // steps that were not certified
} touchstone_world;

static void accept(ts_status status, const ts_error *error)
{
  if (status == TS_OK) return;
  fprintf(stderr, "bench_step: Touchstone: %s\n", error->text);
  exit(EXIT_FAILURE);
}

static int add_body(ts_builder *builder, const ts_body_def *def, const ts_shape *shape, ts_pose place)
{
  ts_error error;
  ts_part_def part = ts_part_def_default();
  accept(ts_builder_add_body(builder, def, &part.body, &error), &error);
  part.shape = *shape;
  part.pose = place;
  accept(ts_builder_add_part(builder, &part, NULL, &error), &error);
  return part.body;
}

static void add_plane(ts_builder *builder, const scene_plane *plane, int number)
{
  char name[24];
  snprintf(name, sizeof name, "plane %d", number);
  ts_body_def def = ts_body_def_default();
  def.name = name;
  def.kind = TS_FIXED;
  add_body(builder, &def, &(ts_shape){.kind = TS_SHAPE_PLANE, .normal = plane->normal, .offset = plane->offset},
           ts_pose_identity());
}

// Kinematic bodies turn about their origin, which is the pivot.
static void add_turning(ts_builder *builder, const scene_obstacle *obstacle, int number)
{
  ts_error error;
  const double rates[3][2] = {{0.0, obstacle->turning.x}, {0.0, obstacle->turning.y}, {0.0, obstacle->turning.z}};
  ts_motion_def def = ts_motion_def_default();
  def.body = number;
  def.kind = TS_MOTION_POSE;
  for (int k = 0; k < 3; ++k)
    def.rotation[k] = (ts_signal){.kind = TS_SIGNAL_POLYNOMIAL, .count = 2, .coefficients = rates[k]};
  accept(ts_builder_add_motion(builder, &def, NULL, &error), &error);
}

static void add_obstacle(ts_builder *builder, const scene_obstacle *obstacle, int number)
{
  char name[24];
  snprintf(name, sizeof name, "obstacle %d", number);
  const bool moves = scene_obstacle_moves(obstacle);
  ts_body_def def = ts_body_def_default();
  def.name = name;
  def.kind = moves ? TS_KINEMATIC : TS_FIXED;
  def.pose.position = obstacle->pivot;
  const ts_pose place = {ts_sub(obstacle->pose.position, obstacle->pivot), obstacle->pose.orientation};
  const int added = add_body(builder, &def, &(ts_shape){.kind = TS_SHAPE_BOX, .size = obstacle->size}, place);
  if (moves) add_turning(builder, obstacle, added);
}

static void add_guide(ts_builder *builder, const scene_body *body, int number)
{
  ts_error error;
  ts_joint_def def = ts_joint_def_default();
  def.kind = TS_JOINT_PRISMATIC;
  def.parent = TS_WORLD;
  def.child = number;
  def.at = body->pose.position;
  def.axis = body->guide;
  accept(ts_builder_add_joint(builder, &def, NULL, &error), &error);
}

// To the body before it, or where there is none to the world
static void add_joint(ts_builder *builder, const scene *s, int body, int number)
{
  ts_error error;
  const scene_body *b = &s->bodies[body];
  const ts_pose parent = body > 0 ? s->bodies[body - 1].pose : ts_pose_identity();
  ts_joint_def def = ts_joint_def_default();
  def.kind = b->linked ? TS_JOINT_SPHERICAL : TS_JOINT_REVOLUTE;
  def.parent = body > 0 ? number - 1 : TS_WORLD;
  def.child = number;
  def.at = ts_pose_unapply(&parent, b->hinge);
  if (b->hinged) def.axis = ts_quat_rotate(ts_quat_conjugate(parent.orientation), b->axis);
  accept(ts_builder_add_joint(builder, &def, NULL, &error), &error);
}

static void add_force(ts_builder *builder, const scene_body *body, int number)
{
  ts_error error;
  ts_force_def def = ts_force_def_default();
  def.body = number;
  def.force[0] = ts_signal_constant(body->force.x);
  def.force[1] = ts_signal_constant(body->force.y);
  def.force[2] = ts_signal_constant(body->force.z);
  accept(ts_builder_add_force(builder, &def, NULL, &error), &error);
}

static int add_dynamic(ts_builder *builder, const scene_body *body, int number)
{
  static const ts_shape_kind kinds[] = {[BODY_SPHERE] = TS_SHAPE_SPHERE,
                                        [BODY_BOX] = TS_SHAPE_BOX,
                                        [BODY_CAPSULE] = TS_SHAPE_CAPSULE,
                                        [BODY_CYLINDER] = TS_SHAPE_CYLINDER};
  char name[24];
  snprintf(name, sizeof name, "body %d", number);
  ts_body_def def = ts_body_def_default();
  def.name = name;
  def.kind = TS_DYNAMIC;
  def.mass = body->mass;
  def.pose = body->pose;
  def.velocity = (ts_twist){body->velocity, body->turning};
  const int added = add_body(
      builder, &def,
      &(ts_shape){.kind = kinds[body->shape], .radius = body->radius, .length = body->length, .size = body->size},
      ts_pose_identity());
  if (body->guided) add_guide(builder, body, added);
  if (ts_length(body->force) > 0.0) add_force(builder, body, added);
  return added;
}

static void add_bodies(ts_builder *builder, const scene *s)
{
  for (int i = 0; i < s->body_count; ++i) {
    const scene_body *body = &s->bodies[i];
    const int added = add_dynamic(builder, body, i);
    if (body->hinged || body->linked) add_joint(builder, s, i, added);
  }
}

enum { DEFAULT, MINIMAL, REDUNDANT, IMPLICIT };

static ts_builder *describe(const scene *s, int variant)
{
  ts_error error;
  ts_builder *builder = ts_builder_create(TS_SPACE_3D);
  ts_contact_law law = ts_contact_law_default();
  law.friction = s->friction;
  law.restitution = s->restitution;
  if (variant == IMPLICIT) law.ellipsoid.z = s->spin_arm;
  accept(ts_builder_set_contact(builder, &law, &error), &error);
  ts_builder_set_gravity(builder, ts_vec3_make(0.0, 0.0, -s->gravity));
  for (int i = 0; i < s->plane_count; ++i) add_plane(builder, &s->planes[i], i);
  for (int i = 0; i < s->obstacle_count; ++i) add_obstacle(builder, &s->obstacles[i], i);
  add_bodies(builder, s);
  return builder;
}

static ts_step_options options_for(const scene *s, int variant)
{
  ts_step_options options = ts_step_options_default();
  options.size = s->step_size;
  options.tolerance = s->tolerance;
  if (s->threads > 1) options.threads = s->threads;
  options.accuracy = s->accuracy;
  if (variant == IMPLICIT) options.method = ts_stepper_find("implicit");
  if (variant == DEFAULT || variant == IMPLICIT) return options;
  options.method = ts_stepper_find("velocity");
  options.impacts = TS_IMPACT_POISSON;
  options.arms = TS_ARMS_SURFACE;              // as 001 has it
  options.gyroscopic = TS_GYROSCOPIC_EXPLICIT; // velocity products at the start of the step, as 001 and other engines
  options.rest_speed = 2.0 * s->gravity * s->step_size;
  options.coordinates = variant == MINIMAL ? TS_COORDINATES_MINIMAL : TS_COORDINATES_REDUNDANT;
  return options;
}

static void *create(const scene *s, int variant)
{
  ts_error error;
  touchstone_world *world = malloc(sizeof *world);
  *world = (touchstone_world){.described = s, .first_body = s->plane_count + s->obstacle_count};
  ts_builder *builder = describe(s, variant);
  accept(ts_builder_finish(builder, &world->model, &error), &error);
  ts_builder_destroy(builder);
  const ts_step_options options = options_for(s, variant);
  accept(ts_sim_create(world->model, &options, NULL, &world->sim, &error), &error);
  return world;
}

static void step(void *opaque)
{
  touchstone_world *world = opaque;
  ts_error error;
  accept(ts_sim_step(world->sim, &error), &error);
  if (!ts_sim_report(world->sim)->certified) ++world->failed;
}

static void state(void *opaque, int body, ts_pose *pose, ts_twist *velocity)
{
  const touchstone_world *world = opaque;
  *pose = ts_sim_pose(world->sim, world->first_body + body);
  *velocity = ts_sim_velocity(world->sim, world->first_body + body);
}

static int contact_count(void *opaque)
{
  const touchstone_world *world = opaque;
  return ts_sim_report(world->sim)->contacts;
}

static int failed_steps(void *opaque)
{
  const touchstone_world *world = opaque;
  return world->failed;
}

// A number of Touchstone's as engine_contact has it
static int body_of(const touchstone_world *world, int number)
{
  const scene *s = world->described;
  if (number >= world->first_body) return number - world->first_body;
  return number < s->plane_count ? ENGINE_PLANE : ENGINE_OBSTACLE - (number - s->plane_count);
}

// Obstacles have their origin in the pivot. Touchstone has gaps to what moves as it will be at the end of the step.
static void meet_obstacle(const touchstone_world *world, const ts_contact *c, engine_contact *contact)
{
  const scene *s = world->described;
  const scene_obstacle *o = &s->obstacles[ENGINE_OBSTACLE - contact->body_2];
  contact->arm_2 = ts_sub(c->point, o->pivot);
  contact->gap += s->step_size * ts_dot(c->normal, ts_cross(o->turning, contact->arm_2));
}

static int contacts(void *opaque, engine_contact *list, int room)
{
  const touchstone_world *world = opaque;
  int count;
  const ts_contact *found = ts_sim_contacts(world->sim, &count);
  for (int i = 0; i < count && i < room; ++i) {
    const ts_contact *c = &found[i];
    const ts_vec3 along = ts_scale(c->impulse[0], c->normal), across = ts_scale(c->impulse[1], c->tangent);
    list[i] = (engine_contact){.body_1 = body_of(world, c->body_1),
                               .body_2 = body_of(world, c->body_2),
                               .arm_1 = c->arm_1,
                               .arm_2 = c->arm_2,
                               .normal = c->normal,
                               .impulse = ts_add(along, ts_add_scaled(across, c->impulse[2], c->other)),
                               .gap = c->gap};
    if (list[i].body_2 <= ENGINE_OBSTACLE) meet_obstacle(world, c, &list[i]);
  }
  return count;
}

static const ts_step_report *report(void *opaque)
{
  const touchstone_world *world = opaque;
  return ts_sim_report(world->sim);
}

static void destroy(void *opaque)
{
  touchstone_world *world = opaque;
  ts_sim_destroy(world->sim);
  ts_model_destroy(world->model);
  free(world);
}

#define TOUCHSTONE_FUNCTIONS                                                                                           \
  .furnishes = true, .create = create, .step = step, .state = state, .contact_count = contact_count,                   \
  .failed_steps = failed_steps, .destroy = destroy, .contacts = contacts, .report = report

const engine *touchstone_engine(int i)
{
  static const engine own = {.name = "touchstone",
                             .settings = "default options: stewart-trinkle, quadratic cone, solver auto, every step "
                                         "certified",
                             .variant = DEFAULT,
                             TOUCHSTONE_FUNCTIONS};
  return i == 0 ? &own : NULL;
}

const engine *touchstone_implicit_engine(int i)
{
  static const engine own = {.name = "implicit",
                             .settings = "Touchstone, stepper implicit: patches, every step certified",
                             .variant = IMPLICIT,
                             TOUCHSTONE_FUNCTIONS};
  return i == 0 ? &own : NULL;
}

const engine *touchstone_chain_engine(int i)
{
  static const engine settings[] = {
      {.name = "touchstone",
       .settings =
           "minimal coordinates: velocity, Poisson's law, exact cone, solver auto, every step certified to 1e-8, "
           "velocity products explicit",
       .variant = MINIMAL,
       TOUCHSTONE_FUNCTIONS},
      {.name = "redundant",
       .settings = "Touchstone in redundant coordinates: the same, joints eliminated by sparse block Cholesky, O(n)",
       .variant = REDUNDANT,
       TOUCHSTONE_FUNCTIONS}};
  return i < (int)(sizeof settings / sizeof *settings) ? &settings[i] : NULL;
}
