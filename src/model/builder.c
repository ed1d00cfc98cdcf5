// Collecting a model: see include/touchstone/model.h. check.c says what is refused, finish.c makes the model.
#include "model/builder.h"
#include "model/gears.h"
#include "model/signal.h"

#include "shape/shape_type.h"

#include "base/require.h"
#include "base/status.h"

#include <stdio.h>
#include <string.h>

static const double STANDARD_GRAVITY = 9.81; // [m/s^2]

ts_builder *ts_builder_create_with(ts_space space, const ts_allocator *allocator)
{
  if ((unsigned)space >= TS_SPACE_COUNT) return NULL;
  ts_arena memory;
  ts_arena_init(&memory, allocator);
  ts_builder *builder = memory.allocator.allocate(memory.allocator.user, sizeof *builder);
  if (!builder) return NULL;
  *builder = (ts_builder){.memory = memory, .freedoms = ts_freedoms_of(space), .default_law = ts_contact_law_default()};
  builder->gravity = ts_scale(STANDARD_GRAVITY, builder->freedoms->down);
  return builder;
}

ts_builder *ts_builder_create(ts_space space)
{
  return ts_builder_create_with(space, NULL);
}

void ts_builder_destroy(ts_builder *builder)
{
  if (!builder) return;
  const ts_allocator allocator = builder->memory.allocator;
  ts_arena_release(&builder->memory);
  allocator.release(allocator.user, builder);
}

void ts_builder_set_gravity(ts_builder *builder, ts_vec3 gravity)
{
  TS_REQUIRE(builder);
  builder->gravity = gravity;
}

ts_status ts_builder_set_contact(ts_builder *builder, const ts_contact_law *law, ts_error *error)
{
  TS_REFUSE_UNLESS(builder, error);
  TS_REFUSE_UNLESS(law, error);
  TS_TRY(ts_check_law(builder, law, "default contact law", error));
  builder->default_law = *law;
  return TS_OK;
}

void ts_builder_set_combination(ts_builder *builder, ts_combination friction, ts_combination restitution)
{
  TS_REQUIRE(builder);
  builder->friction_rule = friction;
  builder->restitution_rule = restitution;
}

// Adding: `append` copies a definition that was checked to the end of its list. It raises the count last, so that a
// builder whose memory ran out on the way is what it was before.
typedef void append_function(ts_builder *builder, const void *def);

static ts_status add(ts_builder *builder, append_function *append, const void *def, ts_error *error)
{
  jmp_buf recovery;
  builder->memory.recovery = &recovery;
  ts_status status = TS_OK;
  if (setjmp(recovery))
    status = ts_fail(error, TS_OUT_OF_MEMORY, "memory ran out");
  else
    append(builder, def);
  builder->memory.recovery = NULL;
  return status;
}

static void tell(int *number, int count)
{
  if (number) *number = count - 1;
}

// The list with room for one more: it doubles whenever `count` is a power of 2, from FEWEST on.
static void *with_room(void *list, int count, size_t size, ts_arena *arena)
{
  enum { FEWEST = 16 };
  const bool is_full = count >= FEWEST && (count & (count - 1)) == 0;
  if (count && !is_full) return list;
  void *larger = ts_arena_bytes(arena, (size_t)(count ? 2 * count : FEWEST), size);
  if (count) memcpy(larger, list, (size_t)count * size);
  return larger;
}

// A copy of the name, or where there is none "joint1" or the next number that is free.
static const char *name_or_number(const ts_names *taken, const char *name, const char *what, ts_arena *arena)
{
  char numbered[32];
  for (int i = taken->count + 1; !name; ++i) {
    snprintf(numbered, sizeof numbered, "%s%d", what, i);
    if (ts_names_find(taken, numbered) < 0) name = numbered;
  }
  return ts_copy_text(name, arena);
}

// The pose with a unit quaternion; that of the angle where bodies have one.
static ts_pose settled_pose(const ts_builder *builder, const ts_pose *pose, double angle)
{
  const bool by_angle = ts_has_angle(builder->freedoms);
  return (ts_pose){pose->position, by_angle ? ts_quat_about_z(angle) : ts_quat_normalize(pose->orientation)};
}

typedef struct material_def {
  const char *name;
  const ts_contact_law *law;
} material_def;

static void append_material(ts_builder *b, const void *def)
{
  const material_def *material = def;
  b->materials = with_room(b->materials, b->material_count, sizeof *b->materials, &b->memory);
  ts_names_add(&b->material_names, ts_copy_text(material->name, &b->memory), &b->memory);
  b->materials[b->material_count++] = *material->law;
}

static void append_body(ts_builder *b, const void *def)
{
  ts_body_def body = *(const ts_body_def *)def;
  body.name = ts_copy_text(body.name, &b->memory);
  body.pose = settled_pose(b, &body.pose, body.angle);
  b->bodies = with_room(b->bodies, b->body_count, sizeof *b->bodies, &b->memory);
  b->has_motion = with_room(b->has_motion, b->body_count, sizeof *b->has_motion, &b->memory);
  ts_names_add(&b->body_names, body.name, &b->memory);
  b->has_motion[b->body_count] = false;
  b->bodies[b->body_count++] = body;
}

static void append_part(ts_builder *b, const void *def)
{
  ts_part_def part = *(const ts_part_def *)def;
  part.pose = settled_pose(b, &part.pose, part.angle);
  part.shape = ts_shape_copy(&part.shape, &b->memory);
  b->parts = with_room(b->parts, b->part_count, sizeof *b->parts, &b->memory);
  b->parts[b->part_count++] = part;
}

static void append_joint(ts_builder *b, const void *def)
{
  ts_joint_def joint = *(const ts_joint_def *)def;
  joint.name = name_or_number(&b->joint_names, joint.name, "joint", &b->memory);
  joint.motor.target = ts_signal_copy(&joint.motor.target, &b->memory);
  b->joints = with_room(b->joints, b->joint_count, sizeof *b->joints, &b->memory);
  b->follows = with_room(b->follows, b->joint_count, sizeof *b->follows, &b->memory);
  ts_names_add(&b->joint_names, joint.name, &b->memory);
  b->follows[b->joint_count] = false;
  b->joints[b->joint_count++] = joint;
}

static void append_gear(ts_builder *b, const void *def)
{
  ts_gear_def gear = *(const ts_gear_def *)def;
  gear.terms = ts_copy_gear_terms(gear.terms, gear.term_count, &b->memory);
  b->gears = with_room(b->gears, b->gear_count, sizeof *b->gears, &b->memory);
  b->gears[b->gear_count++] = gear;
  b->follows[gear.joint] = true;
}

static void append_spring(ts_builder *b, const void *def)
{
  ts_spring_def spring = *(const ts_spring_def *)def;
  spring.name = name_or_number(&b->spring_names, spring.name, "spring", &b->memory);
  b->springs = with_room(b->springs, b->spring_count, sizeof *b->springs, &b->memory);
  ts_names_add(&b->spring_names, spring.name, &b->memory);
  b->springs[b->spring_count++] = spring;
}

static void append_bushing(ts_builder *b, const void *def)
{
  ts_bushing_def bushing = *(const ts_bushing_def *)def;
  const ts_pose pose = {bushing.at, bushing.orientation};
  bushing.orientation = settled_pose(b, &pose, bushing.angle).orientation;
  bushing.name = name_or_number(&b->bushing_names, bushing.name, "bushing", &b->memory);
  b->bushings = with_room(b->bushings, b->bushing_count, sizeof *b->bushings, &b->memory);
  ts_names_add(&b->bushing_names, bushing.name, &b->memory);
  b->bushings[b->bushing_count++] = bushing;
}

static void append_force(ts_builder *b, const void *def)
{
  ts_force_def force = *(const ts_force_def *)def;
  ts_signal_copy_vector(force.force, force.force, &b->memory);
  ts_signal_copy_vector(force.torque, force.torque, &b->memory);
  b->forces = with_room(b->forces, b->force_count, sizeof *b->forces, &b->memory);
  b->forces[b->force_count++] = force;
}

static void append_support(ts_builder *b, const void *def)
{
  ts_support_def support = *(const ts_support_def *)def;
  const size_t count = (size_t)support.point_count;
  if (count > 0)
    support.points = memcpy(ts_arena_bytes(&b->memory, count, sizeof *support.points), support.points,
                            count * sizeof *support.points);
  if (support.loads)
    support.loads = memcpy(ts_arena_doubles(&b->memory, count), support.loads, count * sizeof *support.loads);
  b->supports = with_room(b->supports, b->support_count, sizeof *b->supports, &b->memory);
  b->supports[b->support_count++] = support;
}

static void append_motion(ts_builder *b, const void *def)
{
  ts_motion_def motion = *(const ts_motion_def *)def;
  if (motion.kind == TS_MOTION_POSE) {
    ts_signal_copy_vector(motion.displacement, motion.displacement, &b->memory);
    ts_signal_copy_vector(motion.rotation, motion.rotation, &b->memory);
  }
  b->motions = with_room(b->motions, b->motion_count, sizeof *b->motions, &b->memory);
  b->motions[b->motion_count++] = motion;
  b->has_motion[motion.body] = true;
}

static void append_controller(ts_builder *b, const void *def)
{
  b->controllers = with_room(b->controllers, b->controller_count, sizeof *b->controllers, &b->memory);
  b->controllers[b->controller_count++] = *(const ts_controller *)def;
}

static void append_material_pair(ts_builder *b, const void *def)
{
  b->material_pairs = with_room(b->material_pairs, b->material_pair_count, sizeof *b->material_pairs, &b->memory);
  b->material_pairs[b->material_pair_count++] = *(const ts_material_pair *)def;
}

static void append_body_pair(ts_builder *b, const void *def)
{
  b->body_pairs = with_room(b->body_pairs, b->body_pair_count, sizeof *b->body_pairs, &b->memory);
  b->body_pairs[b->body_pair_count++] = *(const ts_body_pair *)def;
}

ts_status ts_builder_add_material(ts_builder *builder, const char *name, const ts_contact_law *law, int *material,
                                  ts_error *error)
{
  TS_REFUSE_UNLESS(builder, error);
  TS_REFUSE_UNLESS(name, error);
  TS_REFUSE_UNLESS(law, error);
  TS_TRY(ts_check_material(builder, name, law, error));
  TS_TRY(add(builder, append_material, &(material_def){name, law}, error));
  tell(material, builder->material_count);
  return TS_OK;
}

ts_status ts_builder_add_body(ts_builder *builder, const ts_body_def *def, int *body, ts_error *error)
{
  TS_REFUSE_UNLESS(builder, error);
  TS_REFUSE_UNLESS(def, error);
  TS_TRY(ts_check_body(builder, def, error));
  TS_TRY(add(builder, append_body, def, error));
  tell(body, builder->body_count);
  return TS_OK;
}

ts_status ts_builder_add_part(ts_builder *builder, const ts_part_def *def, int *part, ts_error *error)
{
  TS_REFUSE_UNLESS(builder, error);
  TS_REFUSE_UNLESS(def, error);
  TS_TRY(ts_check_part(builder, def, error));
  TS_TRY(add(builder, append_part, def, error));
  tell(part, builder->part_count);
  return TS_OK;
}

ts_status ts_builder_add_joint(ts_builder *builder, const ts_joint_def *def, int *joint, ts_error *error)
{
  TS_REFUSE_UNLESS(builder, error);
  TS_REFUSE_UNLESS(def, error);
  TS_TRY(ts_check_joint(builder, def, error));
  TS_TRY(add(builder, append_joint, def, error));
  tell(joint, builder->joint_count);
  return TS_OK;
}

ts_status ts_builder_add_gear(ts_builder *builder, const ts_gear_def *def, int *gear, ts_error *error)
{
  TS_REFUSE_UNLESS(builder, error);
  TS_REFUSE_UNLESS(def, error);
  TS_TRY(ts_check_gear(builder, def, error));
  TS_TRY(add(builder, append_gear, def, error));
  tell(gear, builder->gear_count);
  return TS_OK;
}

ts_status ts_builder_add_spring(ts_builder *builder, const ts_spring_def *def, int *spring, ts_error *error)
{
  TS_REFUSE_UNLESS(builder, error);
  TS_REFUSE_UNLESS(def, error);
  TS_TRY(ts_check_spring(builder, def, error));
  TS_TRY(add(builder, append_spring, def, error));
  tell(spring, builder->spring_count);
  return TS_OK;
}

ts_status ts_builder_add_bushing(ts_builder *builder, const ts_bushing_def *def, int *bushing, ts_error *error)
{
  TS_REFUSE_UNLESS(builder, error);
  TS_REFUSE_UNLESS(def, error);
  TS_TRY(ts_check_bushing(builder, def, error));
  TS_TRY(add(builder, append_bushing, def, error));
  tell(bushing, builder->bushing_count);
  return TS_OK;
}

ts_status ts_builder_add_force(ts_builder *builder, const ts_force_def *def, int *force, ts_error *error)
{
  TS_REFUSE_UNLESS(builder, error);
  TS_REFUSE_UNLESS(def, error);
  TS_TRY(ts_check_force(builder, def, error));
  TS_TRY(add(builder, append_force, def, error));
  tell(force, builder->force_count);
  return TS_OK;
}

ts_status ts_builder_add_support(ts_builder *builder, const ts_support_def *def, ts_error *error)
{
  TS_REFUSE_UNLESS(builder, error);
  TS_REFUSE_UNLESS(def, error);
  TS_TRY(ts_check_support(builder, def, error));
  return add(builder, append_support, def, error);
}

ts_status ts_builder_add_motion(ts_builder *builder, const ts_motion_def *def, int *motion, ts_error *error)
{
  TS_REFUSE_UNLESS(builder, error);
  TS_REFUSE_UNLESS(def, error);
  TS_TRY(ts_check_motion(builder, def, error));
  TS_TRY(add(builder, append_motion, def, error));
  tell(motion, builder->motion_count);
  return TS_OK;
}

// Numbers of bodies, each once, in the order they came.
static int *copy_members(const int *bodies, int *count, int body_count, ts_arena *arena)
{
  int *copy = ts_arena_ints(arena, (size_t)*count), kept = 0;
  bool *seen = ts_arena_bytes(arena, (size_t)body_count, sizeof *seen);
  memset(seen, 0, (size_t)body_count * sizeof *seen);
  for (int i = 0; i < *count; ++i) {
    if (!seen[bodies[i]]) copy[kept++] = bodies[i];
    seen[bodies[i]] = true;
  }
  *count = kept;
  return copy;
}

static void append_group(ts_builder *b, const void *def)
{
  ts_group_def group = *(const ts_group_def *)def;
  group.group = copy_members(group.group, &group.group_count, b->body_count, &b->memory);
  group.with = copy_members(group.with, &group.with_count, b->body_count, &b->memory);
  if (group.law) {
    ts_contact_law *law = ts_arena_bytes(&b->memory, 1, sizeof *law);
    *law = *group.law;
    group.law = law;
  }
  b->groups = with_room(b->groups, b->group_count, sizeof *b->groups, &b->memory);
  b->groups[b->group_count++] = group;
}

ts_status ts_builder_pair_groups(ts_builder *builder, const ts_group_def *def, ts_error *error)
{
  TS_REFUSE_UNLESS(builder, error);
  TS_REFUSE_UNLESS(def, error);
  TS_TRY(ts_check_group(builder, def, error));
  return add(builder, append_group, def, error);
}

ts_status ts_builder_add_controller(ts_builder *builder, const ts_controller_def *def, const double *parameters,
                                    ts_error *error)
{
  TS_REFUSE_UNLESS(builder, error);
  TS_REFUSE_UNLESS(def, error);
  TS_TRY(ts_check_controller(def, parameters, error));
  const ts_controller controller = ts_controller_make(def, parameters);
  return add(builder, append_controller, &controller, error);
}

ts_status ts_builder_pair_materials(ts_builder *builder, int first, int second, const ts_contact_law *law,
                                    ts_error *error)
{
  TS_REFUSE_UNLESS(builder, error);
  TS_REFUSE_UNLESS(law, error);
  TS_TRY(ts_check_material_pair(builder, first, second, law, error));
  return add(builder, append_material_pair, &(ts_material_pair){first, second, *law}, error);
}

ts_status ts_builder_pair_bodies(ts_builder *builder, int first, int second, const ts_contact_law *law, ts_error *error)
{
  TS_REFUSE_UNLESS(builder, error);
  TS_TRY(ts_check_body_pair(builder, first, second, law, error));
  ts_body_pair pair = {.first = first < second ? first : second, .second = first < second ? second : first};
  pair.collide = law != NULL;
  if (law) pair.law = *law;
  return add(builder, append_body_pair, &pair, error);
}
