// What a builder refuses. Every sentence names the body, joint, spring or material that it is about.
#include "model/check_inside.h"
#include "model/check_signals.h"
#include "model/joint/type.h"

#include "shape/shape_type.h"

#include "base/status.h"

#include <float.h>
#include <math.h>
#include <stdio.h>
#include <string.h>

static const double NEARLY_UNIT = 1e-3; // how far the length of a quaternion may be from 1

bool ts_is_at_least(double number, double bound)
{
  return number >= bound && isfinite(number);
}

bool ts_is_in_range(ts_vec3 a)
{
  return fabs(a.x) <= TS_LARGEST && fabs(a.y) <= TS_LARGEST && fabs(a.z) <= TS_LARGEST; // false of NAN
}

static bool is_identity(ts_quat q)
{
  return q.w == 1.0 && q.x == 0.0 && q.y == 0.0 && q.z == 0.0;
}

ts_status ts_check_cookie(uint32_t cookie, uint32_t expected, const char *maker, ts_error *error)
{
  return cookie == expected ? TS_OK : ts_fail(error, TS_INVALID, "the definition was not made by %s()", maker);
}

ts_status ts_check_name(const ts_names *taken, const char *name, const char *what, ts_error *error)
{
  if (!name || !name[0]) return ts_fail(error, TS_INVALID, "a %s needs a name", what);
  if (strlen(name) > TS_LONGEST_NAME)
    return ts_fail(error, TS_INVALID, "%s '%.20s...': a name has at most %d bytes", what, name, TS_LONGEST_NAME);
  for (const char *c = name; *c; ++c)
    if ((unsigned char)*c < ' ' || *c == 127)
      return ts_fail(error, TS_INVALID, "a name of a %s contains a control character", what);
  if (ts_names_find(taken, name) >= 0)
    return ts_fail(error, TS_INVALID, "%s '%s': there is already a %s of that name", what, name, what);
  return TS_OK;
}

ts_status ts_check_index(int index, int count, const char *what, ts_error *error)
{
  return index >= 0 && index < count ? TS_OK : ts_fail(error, TS_INVALID, "there is no %s number %d", what, index);
}

// A body or the world.
static ts_status check_side(const ts_builder *builder, int body, ts_error *error)
{
  return body == TS_WORLD ? TS_OK : ts_check_index(body, builder->body_count, "body", error);
}

const char *ts_checked_name(const ts_builder *builder, int body)
{
  return body == TS_WORLD ? "world" : builder->bodies[body].name;
}

static bool is_dynamic(const ts_builder *builder, int body)
{
  return body != TS_WORLD && builder->bodies[body].kind == TS_DYNAMIC;
}

ts_status ts_check_place(const ts_builder *builder, const ts_pose *pose, double angle, const char *what,
                         const char *name, ts_error *error)
{
  const bool by_angle = ts_has_angle(builder->freedoms);
  if (!ts_is_in_range(pose->position) || !(fabs(angle) <= TS_LARGEST))
    return ts_fail(error, TS_INVALID, "%s '%s': positions and angles must be finite, and at most %g", what, name,
                   TS_LARGEST);
  if (!ts_is_free(builder->freedoms->along, pose->position))
    return ts_fail(error, TS_INVALID, "%s '%s': a position in the plane has no z component", what, name);
  if (by_angle && !is_identity(pose->orientation))
    return ts_fail(error, TS_INVALID, "%s '%s': in the plane an angle gives the orientation, not a quaternion", what,
                   name);
  if (!by_angle && angle != 0.0)
    return ts_fail(error, TS_INVALID, "%s '%s': in space a quaternion gives the orientation, not an angle", what, name);
  if (!(fabs(ts_quat_length(pose->orientation) - 1.0) <= NEARLY_UNIT))
    return ts_fail(error, TS_INVALID, "%s '%s': the quaternion of an orientation must have length 1, this one has %g",
                   what, name, ts_quat_length(pose->orientation));
  return TS_OK;
}

ts_status ts_check_point(const ts_builder *builder, ts_vec3 point, const char *what, const char *name, ts_error *error)
{
  if (!ts_is_in_range(point))
    return ts_fail(error, TS_INVALID, "%s '%s': a point must be finite, and at most %g", what, name, TS_LARGEST);
  if (!ts_is_free(builder->freedoms->along, point))
    return ts_fail(error, TS_INVALID, "%s '%s': a point in the plane has no z component", what, name);
  return TS_OK;
}

// Bodies

static ts_status check_given_inertia(const ts_builder *builder, const ts_body_def *def, ts_error *error)
{
  if (!ts_inertia_is_given(builder->freedoms, def)) return TS_OK;
  const bool by_angle = ts_has_angle(builder->freedoms);
  if (by_angle && ts_is_at_least(def->inertia[2], DBL_MIN)) return TS_OK;
  if (by_angle) return ts_fail(error, TS_INVALID, "body '%s': inertia must be positive and finite", def->name);
  if (!ts_inertia_is_possible(def->inertia))
    return ts_fail(error, TS_INVALID,
                   "body '%s': inertia must be positive definite with no principal moment above the sum of the others",
                   def->name);
  return TS_OK;
}

static ts_status check_massless(const ts_builder *builder, const ts_body_def *def, ts_error *error)
{
  if (ts_inertia_is_given(builder->freedoms, def))
    return ts_fail(error, TS_INVALID, "body '%s': without a mass it has no inertia", def->name);
  if (!def->rotates)
    return ts_fail(error, TS_INVALID, "body '%s': a body that does not rotate needs a mass", def->name);
  return isnan(def->centre.x) ? TS_OK : ts_check_point(builder, def->centre, "body", def->name, error);
}

static ts_status check_mass(const ts_builder *builder, const ts_body_def *def, ts_error *error)
{
  if (def->mass == 0.0) return check_massless(builder, def, error);
  if (!isnan(def->mass) && !ts_is_at_least(def->mass, DBL_MIN))
    return ts_fail(error, TS_INVALID, "body '%s': mass must be positive and finite, or 0", def->name);
  if (isnan(def->mass) && !ts_is_at_least(def->density, DBL_MIN))
    return ts_fail(error, TS_INVALID, "body '%s': density must be positive and finite", def->name);
  if (!isnan(def->centre.x)) TS_TRY(ts_check_point(builder, def->centre, "body", def->name, error));
  return check_given_inertia(builder, def, error);
}

static ts_status check_velocity(const ts_builder *builder, const ts_body_def *def, ts_error *error)
{
  const ts_vec3 v = def->velocity.linear, w = def->velocity.angular;
  if (!ts_is_in_range(v) || !ts_is_in_range(w))
    return ts_fail(error, TS_INVALID, "body '%s': velocities must be finite, and at most %g", def->name, TS_LARGEST);
  const bool turns = w.x != 0.0 || w.y != 0.0 || w.z != 0.0;
  if (def->kind != TS_DYNAMIC && (turns || v.x != 0.0 || v.y != 0.0 || v.z != 0.0))
    return ts_fail(error, TS_INVALID, "body '%s': only a dynamic body has a velocity to start with", def->name);
  if (!ts_may_move(builder->freedoms, v, w))
    return ts_fail(error, TS_INVALID, "body '%s': in the plane there is no velocity along z, nor about x and y",
                   def->name);
  if (!def->rotates && turns)
    return ts_fail(error, TS_INVALID, "body '%s': a body that does not rotate has no angular velocity", def->name);
  return TS_OK;
}

ts_status ts_check_body(const ts_builder *builder, const ts_body_def *def, ts_error *error)
{
  TS_TRY(ts_check_cookie(def->cookie, TS_BODY_COOKIE, "ts_body_def_default", error));
  TS_TRY(ts_check_name(&builder->body_names, def->name, "body", error));
  if ((unsigned)def->kind >= TS_BODY_KIND_COUNT)
    return ts_fail(error, TS_INVALID, "body '%s': the kind %d is unknown", def->name, (int)def->kind);
  if (def->kind == TS_DYNAMIC) TS_TRY(check_mass(builder, def, error));
  TS_TRY(ts_check_place(builder, &def->pose, def->angle, "body", def->name, error));
  TS_TRY(check_velocity(builder, def, error));
  if (!ts_vec3_is_finite(def->gravity_scale))
    return ts_fail(error, TS_INVALID, "body '%s': factors on gravity must be finite", def->name);
  return TS_OK;
}

// Parts

static ts_status check_shape(const ts_builder *builder, const ts_shape *shape, const char *body, ts_error *error)
{
  const bool plane = ts_is_flat(builder->freedoms);
  ts_error reason;
  if ((unsigned)shape->kind >= TS_SHAPE_KINDS)
    return ts_fail(error, TS_INVALID, "body '%s': the shape %d is unknown", body, (int)shape->kind);
  const ts_shape_type *type = ts_shape_type_of(shape->kind);
  if (plane && shape->kind == TS_SHAPE_OWN)
    return ts_fail(error, TS_INVALID, "body '%s': shapes of one's own do not exist in the plane", body);
  if (!(plane ? type->in_plane : type->in_space))
    return ts_fail(error, TS_INVALID, "body '%s': a %s does not exist in %s", body, ts_shape_name(shape->kind),
                   plane ? "the plane" : "space");
  if (ts_shape_check(shape, &reason) != TS_OK) return ts_fail(error, reason.status, "body '%s': %s", body, reason.text);
  if (!ts_shape_is_in(shape, plane))
    return ts_fail(error, TS_INVALID, "body '%s': this %s does not exist in %s", body, ts_shape_name(shape->kind),
                   plane ? "the plane" : "space");
  if (shape->kind == TS_SHAPE_PLANE && !ts_is_free(builder->freedoms->along, shape->normal))
    return ts_fail(error, TS_INVALID, "body '%s': the normal of a half-plane has no z component", body);
  return TS_OK;
}

ts_status ts_check_part(const ts_builder *builder, const ts_part_def *def, ts_error *error)
{
  TS_TRY(ts_check_cookie(def->cookie, TS_PART_COOKIE, "ts_part_def_default", error));
  TS_TRY(ts_check_index(def->body, builder->body_count, "body", error));
  const char *name = ts_checked_name(builder, def->body);
  TS_TRY(check_shape(builder, &def->shape, name, error));
  if (def->shape.kind == TS_SHAPE_PLANE && is_dynamic(builder, def->body))
    return ts_fail(error, TS_INVALID, "body '%s': a plane has no end, only fixed and kinematic bodies can carry one",
                   name);
  if (def->material != -1) TS_TRY(ts_check_index(def->material, builder->material_count, "material", error));
  TS_TRY(ts_skin_check(&def->skin, ts_is_flat(builder->freedoms), name, error));
  return ts_check_place(builder, &def->pose, def->angle, "body", name, error);
}

// Joints, springs

ts_status ts_check_sides(const ts_builder *builder, int first, int second, const char *what, const char *name,
                         ts_error *error)
{
  TS_TRY(check_side(builder, first, error));
  TS_TRY(check_side(builder, second, error));
  if (first == second)
    return ts_fail(error, TS_INVALID, "%s '%s': it joins '%s' to itself", what, name, ts_checked_name(builder, first));
  if (!is_dynamic(builder, first) && !is_dynamic(builder, second))
    return ts_fail(error, TS_INVALID, "%s '%s': neither '%s' nor '%s' is dynamic", what, name,
                   ts_checked_name(builder, first), ts_checked_name(builder, second));
  return TS_OK;
}

static bool is_direction(ts_vec3 axis)
{
  const double length = ts_length(axis);
  return length > 0.0 && isfinite(length);
}

// Numbers that joints of the kind do not have.
static ts_status check_numbers(const ts_joint_type *type, const ts_joint_def *def, const char *name, ts_error *error)
{
#define NUMBER(name, range, units, help) {#name, def->name},
  const struct {
    const char *key;
    double value;
  } numbers[] = {TS_JOINT_NUMBER_LIST(NUMBER)};
#undef NUMBER
  for (int i = 0; i < TS_JOINT_NUMBERS; ++i)
    if (numbers[i].value != 0.0 && !(type->takes >> i & 1))
      return ts_fail(error, TS_INVALID, "joint '%s': a %s joint has no %s", name, ts_joint_kind_name(def->kind),
                     numbers[i].key);
  return TS_OK;
}

static ts_status check_kind(const ts_builder *builder, const ts_joint_def *def, const char *name, ts_error *error)
{
  const ts_joint_type *type = ts_joint_type_of(def->kind);
  if (type->traits.axes > 0 && !is_direction(def->axis))
    return ts_fail(error, TS_INVALID, "joint '%s': its axis must not be zero", name);
  TS_TRY(check_numbers(type, def, name, error));
  return type->check ? type->check(builder->freedoms, def, name, error) : TS_OK;
}

static ts_status check_limits(const ts_joint_def *def, bool has_coordinate, const char *name, ts_error *error)
{
  if (!def->limited) return TS_OK;
  if (!has_coordinate)
    return ts_fail(error, TS_INVALID, "joint '%s': a %s joint has no limits, only joints of one freedom do", name,
                   ts_joint_kind_name(def->kind));
  if (!(def->lower <= def->upper && def->lower < INFINITY && def->upper > -INFINITY))
    return ts_fail(error, TS_INVALID, "joint '%s': its lower limit %g must not exceed the upper limit %g", name,
                   def->lower, def->upper);
  if (!(def->restitution >= 0.0 && def->restitution <= 1.0))
    return ts_fail(error, TS_INVALID, "joint '%s': restitution is %g, it must lie between 0 and 1", name,
                   def->restitution);
  return TS_OK;
}

// A force alone can be an impulse, one without a bound.
static ts_status check_target(const ts_motor *motor, const char *name, ts_error *error)
{
  if (motor->kind == TS_MOTOR_FORCE && isinf(motor->max_force))
    return ts_check_signals(&motor->target, 1, "joint", name, error);
  const char *why = motor->kind == TS_MOTOR_FORCE ? "an impulse is more than any max_force, it goes with none"
                                                  : "the target of a motor is no force and has no impulse";
  return ts_check_signals_without_impulse(&motor->target, 1, why, "joint", name, error);
}

static ts_status check_motor(const ts_motor *motor, bool has_coordinate, const char *name, ts_error *error)
{
  if (motor->kind == TS_MOTOR_NONE) return TS_OK;
  if (motor->kind != TS_MOTOR_FORCE && motor->kind != TS_MOTOR_VELOCITY && motor->kind != TS_MOTOR_SERVO)
    return ts_fail(error, TS_INVALID, "joint '%s': the motor %d is unknown", name, (int)motor->kind);
  if (!has_coordinate) return ts_fail(error, TS_INVALID, "joint '%s': only joints of one freedom have motors", name);
  if (!(motor->max_force > 0.0))
    return ts_fail(error, TS_INVALID, "joint '%s': max_force is %g, it must be positive", name, motor->max_force);
  if (motor->kind == TS_MOTOR_SERVO) {
    if (!ts_is_at_least(motor->stiffness, 0.0) || !ts_is_at_least(motor->damping, 0.0))
      return ts_fail(error, TS_INVALID, "joint '%s': stiffness and damping must be finite numbers of at least 0", name);
    if (motor->stiffness == 0.0 && motor->damping == 0.0)
      return ts_fail(error, TS_INVALID, "joint '%s': a servo needs stiffness or damping", name);
  }
  return check_target(motor, name, error);
}

// A position beyond its limits, with as many digits as tell it from them.
static ts_status refuse_position(const ts_joint_def *def, const char *name, ts_error *error)
{
  const double limit = def->position < def->lower ? def->lower : def->upper;
  char position[32], broken[32];
  int digits = 5;
  do {
    snprintf(position, sizeof position, "%.*g", ++digits, def->position);
    snprintf(broken, sizeof broken, "%.*g", digits, limit);
  } while (digits < DBL_DECIMAL_DIG && strcmp(position, broken) == 0);
  return ts_fail(error, TS_INVALID, "joint '%s': its position %s lies outside of its limits %.*g and %.*g", name,
                 position, digits, def->lower, digits, def->upper);
}

static ts_status check_coordinate(const ts_joint_def *def, const char *name, ts_error *error)
{
  if (!(fabs(def->position) <= TS_LARGEST && fabs(def->velocity) <= TS_LARGEST))
    return ts_fail(error, TS_INVALID, "joint '%s': its position and velocity must be finite numbers of at most %g",
                   name, TS_LARGEST);
  if (!ts_is_at_least(def->friction, 0.0) || !ts_is_at_least(def->damping, 0.0))
    return ts_fail(error, TS_INVALID, "joint '%s': friction and damping must be finite numbers of at least 0", name);
  if (def->limited && def->position != 0.0 && !(def->position >= def->lower && def->position <= def->upper))
    return refuse_position(def, name, error);
  return TS_OK;
}

ts_status ts_check_joint(const ts_builder *builder, const ts_joint_def *def, ts_error *error)
{
  TS_TRY(ts_check_cookie(def->cookie, TS_JOINT_COOKIE, "ts_joint_def_default", error));
  if (def->name) TS_TRY(ts_check_name(&builder->joint_names, def->name, "joint", error));
  char number[32];
  snprintf(number, sizeof number, "joint%d", builder->joint_count + 1);
  const char *name = def->name ? def->name : number;
  if ((unsigned)def->kind >= TS_JOINT_COUNT)
    return ts_fail(error, TS_INVALID, "joint '%s': the kind %d is unknown", name, (int)def->kind);
  if (ts_joint_row_count(builder->freedoms, def->kind) < 0)
    return ts_fail(error, TS_INVALID, "joint '%s': a %s joint does not exist in the plane", name,
                   ts_joint_kind_name(def->kind));
  TS_TRY(ts_check_sides(builder, def->parent, def->child, "joint", name, error));
  if (def->child == TS_WORLD)
    return ts_fail(error, TS_INVALID, "joint '%s': the world can be its parent, not its child", name);
  TS_TRY(ts_check_point(builder, def->at, "joint", name, error));
  TS_TRY(check_kind(builder, def, name, error));
  const bool has_coordinate = ts_joint_has_coordinate(def->kind);
  TS_TRY(check_limits(def, has_coordinate, name, error));
  TS_TRY(check_coordinate(def, name, error));
  return check_motor(&def->motor, has_coordinate, name, error);
}

// Forces, motions

ts_status ts_check_force(const ts_builder *builder, const ts_force_def *def, ts_error *error)
{
  TS_TRY(ts_check_cookie(def->cookie, TS_FORCE_COOKIE, "ts_force_def_default", error));
  TS_TRY(ts_check_index(def->body, builder->body_count, "body", error));
  const char *name = ts_checked_name(builder, def->body);
  if (!is_dynamic(builder, def->body))
    return ts_fail(error, TS_INVALID, "body '%s': a force needs a dynamic body to act on", name);
  if (!isnan(def->at.x)) TS_TRY(ts_check_point(builder, def->at, "body", name, error));
  TS_TRY(ts_check_signals(def->force, 3, "body", name, error));
  TS_TRY(ts_check_signals(def->torque, 3, "body", name, error));
  return ts_check_free_signals(builder, def->force, def->torque, "body", name, error);
}

static ts_status check_accelerations(const ts_builder *builder, const ts_motion_def *def, const char *name,
                                     ts_error *error)
{
  if (!ts_is_at_least(def->frequency, DBL_MIN))
    return ts_fail(error, TS_INVALID, "motion of '%s': frequency is %g, it must be positive and finite", name,
                   def->frequency);
  for (int i = 0; i < 6; ++i)
    if (!isfinite(def->amplitude[i] / (def->frequency * def->frequency)) || !isfinite(def->phase[i]))
      return ts_fail(error, TS_INVALID, "motion of '%s': amplitudes and phases must be finite", name);
  const ts_vec3 along = {def->amplitude[0], def->amplitude[1], def->amplitude[2]};
  const ts_vec3 about = {def->amplitude[3], def->amplitude[4], def->amplitude[5]};
  if (!ts_may_move(builder->freedoms, along, about))
    return ts_fail(error, TS_INVALID, "motion of '%s': in the plane there is no z component, and none about x and y",
                   name);
  if (def->orientation != TS_ORIENTATION_EXPONENTIAL && def->orientation != TS_ORIENTATION_INTEGRATED)
    return ts_fail(error, TS_INVALID, "motion of '%s': the orientation rule %d is unknown", name,
                   (int)def->orientation);
  return TS_OK;
}

static const char PLACES[] = "a place or an angle is no force and has no impulse";

ts_status ts_check_motion(const ts_builder *builder, const ts_motion_def *def, ts_error *error)
{
  TS_TRY(ts_check_cookie(def->cookie, TS_MOTION_COOKIE, "ts_motion_def_default", error));
  TS_TRY(ts_check_index(def->body, builder->body_count, "body", error));
  const char *name = ts_checked_name(builder, def->body);
  if (builder->bodies[def->body].kind != TS_KINEMATIC)
    return ts_fail(error, TS_INVALID, "body '%s': only a kinematic body has a motion", name);
  if (builder->has_motion[def->body]) return ts_fail(error, TS_INVALID, "body '%s': it has a motion already", name);
  switch (def->kind) {
  case TS_MOTION_POSE:
    TS_TRY(ts_check_signals_without_impulse(def->displacement, 3, PLACES, "motion of", name, error));
    TS_TRY(ts_check_signals_without_impulse(def->rotation, 3, PLACES, "motion of", name, error));
    TS_TRY(ts_check_periods_close(def->displacement, false, name, error));
    TS_TRY(ts_check_periods_close(def->rotation, true, name, error));
    return ts_check_free_signals(builder, def->displacement, def->rotation, "motion of", name, error);
  case TS_MOTION_ACCELERATION:
    return check_accelerations(builder, def, name, error);
  case TS_MOTION_CALLBACK:
    return def->callback ? TS_OK : ts_fail(error, TS_INVALID, "motion of '%s': it has no function to call", name);
  }
  return ts_fail(error, TS_INVALID, "motion of '%s': the kind %d is unknown", name, (int)def->kind);
}
