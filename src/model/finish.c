// From a builder to a model: masses, frames at centres of mass, convex parts in the order of bodies, laws.
#include "model/body_mass.h"
#include "model/gears.h"
#include "model/joint/type.h"
#include "model/joint_start.h"
#include "model/laws.h"
#include "model/motion.h"
#include "model/signal.h"
#include "model/supports.h"

#include "shape/shape_type.h"

#include "base/require.h"
#include "base/status.h"

#include <string.h>

// Parts of the public interface in the order of their bodies.
typedef struct part_order {
  int *parts; // numbers of parts
  int *start; // body_count+1: where those of a body begin
} part_order;

static part_order order_parts(const ts_builder *builder, ts_arena *arena)
{
  const size_t body_count = (size_t)builder->body_count;
  part_order order = {ts_arena_ints(arena, (size_t)builder->part_count), ts_arena_ints(arena, body_count + 1)};
  int *next = ts_arena_ints(arena, body_count + 1);
  memset(next, 0, (body_count + 1) * sizeof *next);
  for (int i = 0; i < builder->part_count; ++i) ++next[builder->parts[i].body];
  order.start[0] = 0;
  for (int body = 0; body < builder->body_count; ++body) {
    order.start[body + 1] = order.start[body] + next[body];
    next[body] = order.start[body];
  }
  for (int i = 0; i < builder->part_count; ++i) order.parts[next[builder->parts[i].body]++] = i;
  return order;
}

// The convex pieces that shapes consist of.
static void make_pieces(const ts_builder *builder, ts_model *model)
{
  ts_pieces *pieces = ts_arena_bytes(&model->memory, (size_t)builder->part_count, sizeof *pieces);
  model->shapes = ts_arena_bytes(&model->memory, (size_t)builder->part_count, sizeof *model->shapes);
  for (int i = 0; i < builder->part_count; ++i) {
    model->shapes[i] = ts_shape_copy(&builder->parts[i].shape, &model->memory);
    pieces[i].convex = ts_convex_pieces(&model->shapes[i], &model->memory, &pieces[i].count);
  }
  model->pieces = pieces;
}

static void take_pieces(const ts_model *shapes_of, ts_model *model)
{
  model->shapes = shapes_of->shapes;
  model->pieces = shapes_of->pieces;
}

// Where the shapes are, and what they are made of.
static void make_sources(const ts_builder *builder, ts_model *model)
{
  const size_t count = (size_t)builder->part_count;
  model->source_count = builder->part_count;
  model->shape_poses = ts_arena_bytes(&model->memory, count, sizeof *model->shape_poses);
  model->shape_bodies = ts_arena_ints(&model->memory, count);
  model->shape_materials = ts_arena_ints(&model->memory, count);
  model->shape_skins = ts_arena_bytes(&model->memory, count, sizeof *model->shape_skins);
  for (int i = 0; i < builder->part_count; ++i) {
    const ts_part_def *def = &builder->parts[i];
    model->shape_poses[i] = def->pose;
    model->shape_bodies[i] = def->body;
    model->shape_materials[i] = def->material;
    model->shape_skins[i] = ts_skin_make(&def->skin, ts_is_flat(builder->freedoms), &model->memory);
    model->skin_count += model->shape_skins[i] != NULL;
    model->part_count += model->pieces[i].count;
  }
}

static ts_vec3 scaled_by(ts_vec3 a, ts_vec3 factors)
{
  return (ts_vec3){a.x * factors.x, a.y * factors.y, a.z * factors.z};
}

static void make_dynamic(const ts_body_def *def, const ts_body_mass *mass, ts_vec3 gravity, ts_body *body)
{
  body->mass = mass->mass;
  body->inverse_mass = mass->mass > 0.0 ? 1.0 / mass->mass : 0.0;
  body->inertia = mass->inertia;
  body->inverse_inertia = mass->inverse_inertia;
  body->isotropic = mass->isotropic;
  body->centre = mass->centre;
  body->gravity = ts_free_part(body->freedoms->along, scaled_by(gravity, def->gravity_scale));
  body->pose.position = ts_pose_apply(&def->pose, mass->centre);
  body->velocity.linear = ts_twist_at(def->velocity, ts_quat_rotate(def->pose.orientation, mass->centre));
  body->velocity.angular = def->velocity.angular;
}

static ts_status make_bodies(const ts_builder *builder, const part_order *order, const ts_pieces *pieces,
                             ts_model *model, ts_error *error)
{
  model->bodies = ts_arena_bytes(&model->memory, (size_t)builder->body_count, sizeof *model->bodies);
  for (int i = 0; i < builder->body_count; ++i) {
    const ts_body_def *def = &builder->bodies[i];
    ts_body *body = &model->bodies[i];
    *body = (ts_body){.kind = def->kind,
                      .freedoms = builder->freedoms,
                      .isotropic = true,
                      .pose = def->pose,
                      .angle = def->angle,
                      .motion = -1};
    body->name = ts_copy_text(def->name, &model->memory);
    ts_names_add(&model->body_names, body->name, &model->memory);
    if (def->kind != TS_DYNAMIC) continue;
    ts_body_mass mass;
    const int *parts = order->parts + order->start[i];
    TS_TRY(ts_body_mass_find(builder, def, parts, order->start[i + 1] - order->start[i], pieces, &mass, error));
    make_dynamic(def, &mass, builder->gravity, body);
    model->dof_count += body->freedoms->slides + (def->rotates ? body->freedoms->turns : 0);
  }
  model->body_count = builder->body_count;
  return TS_OK;
}

static bool is_identity(const ts_pose *pose)
{
  const ts_vec3 p = pose->position;
  return p.x == 0.0 && p.y == 0.0 && p.z == 0.0 && pose->orientation.w == 1.0;
}

static ts_part make_part(const ts_model *model, int source, const ts_convex *convex)
{
  const int body = model->shape_bodies[source];
  ts_part part = {.body = body, .source = source, .material = model->shape_materials[source], .convex = *convex};
  part.pose = model->shape_poses[source];
  part.pose.position = ts_sub(part.pose.position, model->bodies[body].centre);
  part.frame = ts_pose_frame(&part.pose);
  part.at_centre = is_identity(&part.pose);
  part.skin = model->shape_skins[source];
  return part;
}

static void make_parts(const part_order *order, const ts_pieces *pieces, ts_model *model)
{
  model->parts = ts_arena_bytes(&model->memory, (size_t)model->part_count, sizeof *model->parts);
  int next = 0;
  for (int i = 0; i < model->body_count; ++i) {
    model->bodies[i].first_part = next;
    for (int k = order->start[i]; k < order->start[i + 1]; ++k)
      for (int piece = 0, source = order->parts[k]; piece < pieces[source].count; ++piece)
        model->parts[next++] = make_part(model, source, &pieces[source].convex[piece]);
    model->bodies[i].part_count = next - model->bodies[i].first_part;
  }
}

static ts_status make_motions(const ts_builder *builder, ts_model *model, ts_error *error)
{
  const size_t count = (size_t)builder->motion_count;
  model->motions = ts_arena_bytes(&model->memory, count, sizeof *model->motions);
  model->orbits = ts_arena_bytes(&model->memory, count, sizeof *model->orbits);
  for (int i = 0; i < builder->motion_count; ++i) {
    ts_motion_def *motion = &model->motions[i];
    *motion = builder->motions[i];
    if (motion->kind == TS_MOTION_POSE) {
      ts_signal_copy_vector(builder->motions[i].displacement, motion->displacement, &model->memory);
      ts_signal_copy_vector(builder->motions[i].rotation, motion->rotation, &model->memory);
    }
    model->bodies[motion->body].motion = i;
    model->orbits[i] = (ts_orbit){0};
    if (ts_motion_has_orbit(builder->freedoms, motion) && !ts_orbit_make(motion, &model->memory, &model->orbits[i]))
      return ts_fail(error, TS_UNSUPPORTED,
                     "motion of '%s': an orientation that is integrated must stay within a quarter turn, "
                     "the exponential rule has no such limit",
                     model->bodies[motion->body].name);
  }
  model->motion_count = builder->motion_count;
  return TS_OK;
}

// Pose at time 0 of the centre of mass frame.
static ts_pose initial_pose(const ts_model *model, int body)
{
  ts_pose pose = ts_pose_identity();
  ts_twist velocity;
  if (body != TS_WORLD) ts_motion_evaluate(model, body, 0.0, &pose, &velocity);
  return pose;
}

static ts_vec3 from_centre(const ts_model *model, int body, ts_vec3 point)
{
  return body == TS_WORLD ? point : ts_sub(point, model->bodies[body].centre);
}

// The unit quaternion of a rotation matrix (Shepperd): divides by the largest of the four components.
static ts_quat quaternion_of(const ts_mat3 *R)
{
  const double xx = R->x.x, yy = R->y.y, zz = R->z.z, trace = xx + yy + zz;
  ts_quat q;
  if (trace >= xx && trace >= yy && trace >= zz)
    q = (ts_quat){1.0 + trace, R->y.z - R->z.y, R->z.x - R->x.z, R->x.y - R->y.x};
  else if (xx >= yy && xx >= zz)
    q = (ts_quat){R->y.z - R->z.y, 1.0 + xx - yy - zz, R->x.y + R->y.x, R->z.x + R->x.z};
  else if (yy >= zz)
    q = (ts_quat){R->z.x - R->x.z, R->x.y + R->y.x, 1.0 + yy - xx - zz, R->y.z + R->z.y};
  else
    q = (ts_quat){R->x.y - R->y.x, R->z.x + R->x.z, R->y.z + R->z.y, 1.0 + zz - xx - yy};
  return ts_quat_normalize(q);
}

// The axes of a joint's frames, in the parent's frame (see ts_joint).
static ts_quat joint_axes(const ts_freedoms *freedoms, const ts_joint_def *def)
{
  const ts_joint_type *type = ts_joint_type_of(def->kind);
  if (type->traits.axes == 0) return ts_quat_identity();
  ts_mat3 axes;
  axes.z = ts_scale(1.0 / ts_length(def->axis), def->axis);
  axes.x = type->x_axis(freedoms, def, axes.z);
  axes.y = ts_cross(axes.z, axes.x);
  return quaternion_of(&axes);
}

// A frame on one body as another body has it, where the two stand at time 0.
static ts_pose same_place(const ts_model *model, int body, const ts_pose *frame, int other)
{
  const ts_pose first = initial_pose(model, body), second = initial_pose(model, other);
  const ts_pose back = ts_pose_inverse(&second), place = ts_pose_compose(&first, frame);
  ts_pose same = ts_pose_compose(&back, &place);
  same.orientation = ts_quat_normalize(same.orientation);
  return same;
}

// Limits that no coordinate reaches are no stops: files write 1e16 for none, and a gap of 1e16 would drown all others.
static void take_limits(ts_joint *joint, const ts_joint_def *def)
{
  static const double FARTHEST = 1e9; // [m, rad], of places
  joint->lower = def->lower < -FARTHEST ? -INFINITY : def->lower;
  joint->upper = def->upper > FARTHEST ? INFINITY : def->upper;
  joint->limited = def->limited && (joint->lower > -INFINITY || joint->upper < INFINITY);
}

static ts_joint make_joint(ts_model *model, const ts_joint_def *def)
{
  ts_joint joint = {.kind = def->kind,
                    .parent = def->parent,
                    .child = def->child,
                    .restitution = def->restitution,
                    .motor = def->motor,
                    .closes_loop = def->closes_loop};
#define NUMBER(name, range, units, help) joint.name = def->name;
  TS_JOINT_NUMBER_LIST(NUMBER)
#undef NUMBER
  take_limits(&joint, def);
  joint.name = ts_copy_text(def->name, &model->memory);
  joint.motor.target = ts_signal_copy(&def->motor.target, &model->memory);
  joint.frame[0] = (ts_pose){from_centre(model, def->parent, def->at), joint_axes(model->freedoms, def)};
  joint.frame[1] = same_place(model, def->parent, &joint.frame[0], def->child);
  return joint;
}

static void make_joints(const ts_builder *builder, ts_model *model)
{
  model->joint_count = builder->joint_count;
  model->joints = ts_arena_bytes(&model->memory, (size_t)builder->joint_count, sizeof *model->joints);
  for (int i = 0; i < builder->joint_count; ++i) {
    model->joints[i] = make_joint(model, &builder->joints[i]);
    ts_names_add(&model->joint_names, model->joints[i].name, &model->memory);
    model->bilateral_count += ts_joint_row_count(model->freedoms, model->joints[i].kind);
  }
}

static ts_spring make_spring(ts_model *model, const ts_spring_def *def)
{
  ts_spring spring = {.stiffness = def->stiffness,
                      .damping = def->damping,
                      .length = def->length,
                      .damps_across = def->damps_across,
                      .implicit = def->implicit};
  spring.name = ts_copy_text(def->name, &model->memory);
  ts_vec3 ends[2];
  for (int side = 0; side < 2; ++side) {
    spring.body[side] = def->body[side];
    spring.at[side] = from_centre(model, def->body[side], def->at[side]);
    const ts_pose pose = initial_pose(model, def->body[side]);
    ends[side] = ts_pose_apply(&pose, spring.at[side]);
  }
  if (isnan(spring.length)) spring.length = ts_distance_of(ends[0], ends[1]);
  return spring;
}

static void make_springs(const ts_builder *builder, ts_model *model)
{
  model->spring_count = builder->spring_count;
  model->springs = ts_arena_bytes(&model->memory, (size_t)builder->spring_count, sizeof *model->springs);
  for (int i = 0; i < builder->spring_count; ++i) model->springs[i] = make_spring(model, &builder->springs[i]);
}

static ts_bushing make_bushing(ts_model *model, const ts_bushing_def *def)
{
  ts_bushing bushing = {.body = {def->body[0], def->body[1]},
                        .stiffness = {def->stiffness, def->angular_stiffness},
                        .damping = {def->damping, def->angular_damping}};
  bushing.name = ts_copy_text(def->name, &model->memory);
  bushing.frame[0] = (ts_pose){from_centre(model, def->body[0], def->at), def->orientation};
  bushing.frame[1] = same_place(model, def->body[0], &bushing.frame[0], def->body[1]);
  return bushing;
}

static void make_bushings(const ts_builder *builder, ts_model *model)
{
  model->bushing_count = builder->bushing_count;
  model->bushings = ts_arena_bytes(&model->memory, (size_t)builder->bushing_count, sizeof *model->bushings);
  for (int i = 0; i < builder->bushing_count; ++i) model->bushings[i] = make_bushing(model, &builder->bushings[i]);
}

static void make_forces(const ts_builder *builder, ts_model *model)
{
  model->force_count = builder->force_count;
  model->forces = ts_arena_bytes(&model->memory, (size_t)builder->force_count, sizeof *model->forces);
  for (int i = 0; i < builder->force_count; ++i) {
    const ts_force_def *def = &builder->forces[i];
    ts_force *force = &model->forces[i];
    *force = (ts_force){.body = def->body, .follows = def->follows};
    if (!isnan(def->at.x)) force->at = from_centre(model, def->body, def->at);
    ts_signal_copy_vector(def->force, force->force, &model->memory);
    ts_signal_copy_vector(def->torque, force->torque, &model->memory);
  }
}

static void copy_material_names(const ts_builder *builder, ts_model *model)
{
  const size_t count = (size_t)builder->material_count;
  model->material_count = builder->material_count;
  model->material_names = ts_arena_bytes(&model->memory, count, sizeof *model->material_names);
  for (int i = 0; i < builder->material_count; ++i)
    model->material_names[i] = ts_copy_text(builder->material_names.names[i], &model->memory);
}

// Something rigid has to be left below a skin, or bodies would come out on the other side. Of shapes in several pieces
// that is not known.
static ts_status check_cores(const ts_model *model, const ts_pieces *pieces, ts_error *error)
{
  for (int i = 0; i < model->source_count; ++i) {
    if (!model->shape_skins[i] || pieces[i].count > 1) continue;
    const double room = ts_convex_inner_radius(pieces[i].convex);
    if (!(model->shape_skins[i]->thickness < room))
      return ts_fail(error, TS_INVALID, "body '%s': a skin of %.6g m leaves no core, the shape is %.6g m deep",
                     model->bodies[model->shape_bodies[i]].name, model->shape_skins[i]->thickness, room);
  }
  return TS_OK;
}

static ts_status check_gravity(const ts_builder *builder, ts_error *error)
{
  if (!ts_vec3_is_finite(builder->gravity)) return ts_fail(error, TS_INVALID, "gravity must be finite");
  if (builder->freedoms->space == TS_SPACE_2_5D) return ts_check_pressing_gravity(builder->gravity, error);
  if (!ts_is_free(builder->freedoms->along, builder->gravity))
    return ts_fail(error, TS_INVALID, "gravity in the plane has no z component");
  return TS_OK;
}

static ts_status fill(const ts_builder *builder, const ts_model *shapes_of, ts_model *model, ts_error *error)
{
  TS_TRY(check_gravity(builder, error));
  const part_order order = order_parts(builder, &model->memory);
  if (shapes_of)
    take_pieces(shapes_of, model);
  else
    make_pieces(builder, model);
  make_sources(builder, model);
  const ts_pieces *pieces = model->pieces;
  TS_TRY(make_bodies(builder, &order, pieces, model, error));
  make_parts(&order, pieces, model);
  TS_TRY(check_cores(model, pieces, error));
  TS_TRY(make_motions(builder, model, error));
  make_joints(builder, model);
  TS_TRY(ts_model_make_gears(builder, model, error));
  TS_TRY(ts_model_take_positions(model, error));
  make_springs(builder, model);
  make_bushings(builder, model);
  make_forces(builder, model);
  model->impulses = ts_model_next_impulse(model, (ts_interval){-INFINITY, INFINITY}) < INFINITY;
  copy_material_names(builder, model);
  TS_TRY(ts_model_make_laws(builder, model, error));
  TS_TRY(ts_model_check_own_pairs(model, error));
  TS_TRY(ts_model_make_supports(builder, model, error));
  return ts_model_make_controllers(builder, model, error);
}

// Memory that runs out below comes back here by the arena's recovery point.
static ts_status fill_or_recover(const ts_builder *builder, const ts_model *shapes_of, ts_model *model, ts_error *error)
{
  jmp_buf recovery;
  model->memory.recovery = &recovery;
  if (setjmp(recovery)) return ts_fail(error, TS_OUT_OF_MEMORY, "memory ran out");
  const ts_status status = fill(builder, shapes_of, model, error);
  model->memory.recovery = NULL; // a model that is made allocates no more
  return status;
}

ts_status ts_builder_finish_with(const ts_builder *builder, const ts_model *shapes_of, ts_model **model,
                                 ts_error *error)
{
  const ts_allocator *allocator = &builder->memory.allocator;
  *model = NULL;
  ts_model *made = allocator->allocate(allocator->user, sizeof *made);
  if (!made) return ts_fail(error, TS_OUT_OF_MEMORY, "memory ran out");
  *made = (ts_model){.freedoms = builder->freedoms, .gravity = builder->gravity};
  ts_arena_init(&made->memory, allocator);
  const ts_status status = fill_or_recover(builder, shapes_of, made, error);
  if (status == TS_OK)
    *model = made;
  else
    ts_model_destroy(made);
  return status;
}

ts_status ts_builder_finish(const ts_builder *builder, ts_model **model, ts_error *error)
{
  TS_REFUSE_UNLESS(model, error);
  *model = NULL;
  TS_REFUSE_UNLESS(builder, error);
  return ts_builder_finish_with(builder, NULL, model, error);
}
