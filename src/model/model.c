// Reading a model: see include/touchstone/model.h.
#include "model/model.h"

#include "model/builder.h"
#include "model/joint/type.h"
#include "base/require.h"
#include "shape/convex.h"

void ts_model_destroy(ts_model *model)
{
  if (!model) return;
  const ts_allocator allocator = model->memory.allocator;
  ts_arena_release(&model->memory);
  allocator.release(allocator.user, model);
}

ts_space ts_model_space(const ts_model *model)
{
  TS_REQUIRE(model);
  return model->freedoms->space;
}

ts_vec3 ts_model_gravity(const ts_model *model)
{
  TS_REQUIRE(model);
  return model->gravity;
}

int ts_model_body_count(const ts_model *model)
{
  TS_REQUIRE(model);
  return model->body_count;
}

int ts_model_part_count(const ts_model *model)
{
  TS_REQUIRE(model);
  return model->source_count;
}

int ts_model_joint_count(const ts_model *model)
{
  TS_REQUIRE(model);
  return model->joint_count;
}

int ts_model_find_joint(const ts_model *model, const char *name)
{
  TS_REQUIRE(model);
  TS_REQUIRE(name);
  return ts_names_find(&model->joint_names, name);
}

const char *ts_model_body_name(const ts_model *model, int body)
{
  TS_REQUIRE(model);
  TS_REQUIRE(body >= 0 && body < model->body_count);
  return model->bodies[body].name;
}

int ts_model_find_body(const ts_model *model, const char *name)
{
  TS_REQUIRE(model);
  TS_REQUIRE(name);
  return ts_names_find(&model->body_names, name);
}

ts_body_kind ts_model_body_kind(const ts_model *model, int body)
{
  TS_REQUIRE(model);
  TS_REQUIRE(body >= 0 && body < model->body_count);
  return model->bodies[body].kind;
}

// A body is at least as wide as its widest part.
static double half_width_of(const ts_model *model, const ts_body *body)
{
  double width = 0.0;
  for (int i = body->first_part; i < body->first_part + body->part_count; ++i)
    width = fmax(width, ts_convex_inner_radius(&model->parts[i].convex));
  return width;
}

double ts_model_least_half_width(const ts_model *model)
{
  TS_REQUIRE(model);
  double least = INFINITY;
  for (int b = 0; b < model->body_count; ++b) {
    const double width = model->bodies[b].kind == TS_DYNAMIC ? half_width_of(model, &model->bodies[b]) : 0.0;
    if (width > 0.0) least = fmin(least, width);
  }
  return isfinite(least) ? least : 0.0;
}

double ts_model_body_mass(const ts_model *model, int body)
{
  TS_REQUIRE(model);
  TS_REQUIRE(body >= 0 && body < model->body_count);
  return model->bodies[body].mass;
}

ts_vec3 ts_model_body_centre(const ts_model *model, int body)
{
  TS_REQUIRE(model);
  TS_REQUIRE(body >= 0 && body < model->body_count);
  return model->bodies[body].centre;
}

void ts_model_body_inertia(const ts_model *model, int body, double inertia[6])
{
  TS_REQUIRE(model);
  TS_REQUIRE(body >= 0 && body < model->body_count);
  TS_REQUIRE(inertia);
  const ts_mat3 *I = &model->bodies[body].inertia;
  inertia[0] = I->x.x;
  inertia[1] = I->y.y;
  inertia[2] = I->z.z;
  inertia[3] = I->x.y;
  inertia[4] = I->x.z;
  inertia[5] = I->y.z;
}

int ts_model_part_body(const ts_model *model, int part)
{
  TS_REQUIRE(model);
  TS_REQUIRE(part >= 0 && part < ts_model_part_count(model));
  return model->shape_bodies[part];
}

const ts_shape *ts_model_part_shape(const ts_model *model, int part)
{
  TS_REQUIRE(model);
  TS_REQUIRE(part >= 0 && part < ts_model_part_count(model));
  return &model->shapes[part];
}

ts_pose ts_model_part_pose(const ts_model *model, int part)
{
  TS_REQUIRE(model);
  TS_REQUIRE(part >= 0 && part < ts_model_part_count(model));
  return model->shape_poses[part];
}

int ts_model_gear_count(const ts_model *model)
{
  TS_REQUIRE(model);
  return model->gear_count;
}

ts_gear_def ts_model_gear(const ts_model *model, int gear)
{
  TS_REQUIRE(model);
  TS_REQUIRE(gear >= 0 && gear < model->gear_count);
  const ts_gear *g = &model->gears[gear];
  ts_gear_def def = ts_gear_def_default();
  def.joint = g->joint;
  def.terms = g->terms;
  def.term_count = g->term_count;
  def.offset = g->offset;
  return def;
}

int ts_model_bushing_count(const ts_model *model)
{
  TS_REQUIRE(model);
  return model->bushing_count;
}

int ts_model_spring_count(const ts_model *model)
{
  TS_REQUIRE(model);
  return model->spring_count;
}

// Inside, points are relative to the centre of mass.
static ts_vec3 from_origin(const ts_model *model, int body, ts_vec3 at)
{
  return body == TS_WORLD ? at : ts_add(at, model->bodies[body].centre);
}

ts_joint_def ts_model_joint(const ts_model *model, int joint)
{
  TS_REQUIRE(model);
  TS_REQUIRE(joint >= 0 && joint < model->joint_count);
  const ts_joint *j = &model->joints[joint];
  const ts_frame frame = ts_pose_frame(&j->frame[0]);
  ts_joint_def def = ts_joint_def_default();
  def.name = j->name;
  def.kind = j->kind;
  def.parent = j->parent;
  def.child = j->child;
  def.at = from_origin(model, j->parent, frame.origin);
  def.axis = frame.axes.z;
  if (ts_joint_type_of(j->kind)->traits.axes > 1) def.axis2 = frame.axes.x;
  def.limited = j->limited;
  def.lower = j->lower;
  def.upper = j->upper;
  def.restitution = j->restitution;
#define NUMBER(name, range, units, help) def.name = j->name;
  TS_JOINT_NUMBER_LIST(NUMBER)
#undef NUMBER
  def.motor = j->motor;
  def.closes_loop = j->closes_loop;
  return def;
}

ts_pose ts_model_joint_frame(const ts_model *model, int joint, int side)
{
  TS_REQUIRE(model);
  TS_REQUIRE(joint >= 0 && joint < model->joint_count);
  TS_REQUIRE(side == 0 || side == 1);
  const ts_joint *j = &model->joints[joint];
  const ts_pose *frame = &j->frame[side];
  return (ts_pose){from_origin(model, side == 0 ? j->parent : j->child, frame->position), frame->orientation};
}

ts_spring_def ts_model_spring(const ts_model *model, int spring)
{
  TS_REQUIRE(model);
  TS_REQUIRE(spring >= 0 && spring < model->spring_count);
  const ts_spring *s = &model->springs[spring];
  ts_spring_def def = ts_spring_def_default();
  def.name = s->name;
  for (int side = 0; side < 2; ++side) {
    def.body[side] = s->body[side];
    def.at[side] = from_origin(model, s->body[side], s->at[side]);
  }
  def.stiffness = s->stiffness;
  def.damping = s->damping;
  def.length = s->length;
  def.damps_across = s->damps_across;
  def.implicit = s->implicit;
  return def;
}

ts_bushing_def ts_model_bushing(const ts_model *model, int bushing)
{
  TS_REQUIRE(model);
  TS_REQUIRE(bushing >= 0 && bushing < model->bushing_count);
  const ts_bushing *b = &model->bushings[bushing];
  ts_bushing_def def = ts_bushing_def_default();
  def.name = b->name;
  for (int side = 0; side < 2; ++side) def.body[side] = b->body[side];
  const ts_quat turn = b->frame[0].orientation;
  def.at = from_origin(model, b->body[0], b->frame[0].position);
  if (ts_has_angle(model->freedoms))
    def.angle = 2.0 * atan2(turn.z, turn.w);
  else
    def.orientation = turn;
  def.stiffness = b->stiffness[0];
  def.angular_stiffness = b->stiffness[1];
  def.damping = b->damping[0];
  def.angular_damping = b->damping[1];
  return def;
}

ts_pose ts_model_bushing_frame(const ts_model *model, int bushing, int side)
{
  TS_REQUIRE(model);
  TS_REQUIRE(bushing >= 0 && bushing < model->bushing_count);
  TS_REQUIRE(side == 0 || side == 1);
  const ts_bushing *b = &model->bushings[bushing];
  return (ts_pose){from_origin(model, b->body[side], b->frame[side].position), b->frame[side].orientation};
}

int ts_model_dof_count(const ts_model *model)
{
  TS_REQUIRE(model);
  return model->dof_count;
}

int ts_model_bilateral_count(const ts_model *model)
{
  TS_REQUIRE(model);
  return model->bilateral_count;
}
