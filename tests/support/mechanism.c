#include "mechanism.h"

#include <stdarg.h>
#include <stddef.h>
#include <setjmp.h>
#include <string.h>
#include <cmocka.h>

static int add_body(world *w, const ts_body_def *def)
{
  ts_error error;
  int body;
  if (ts_builder_add_body(w->builder, def, &body, &error) != TS_OK) fail_msg("%s", error.text);
  return body;
}

int mechanism_body(world *w, const char *name, double mass, ts_vec3 moments, ts_vec3 position)
{
  ts_body_def def = ts_body_def_default();
  const double inertia[6] = {moments.x, moments.y, moments.z, 0.0, 0.0, 0.0};
  def.name = name;
  def.mass = mass;
  memcpy(def.inertia, inertia, sizeof inertia);
  def.centre = (ts_vec3){0.0, 0.0, 0.0};
  def.pose.position = position;
  return add_body(w, &def);
}

int mechanism_kinematic(world *w, const char *name, ts_vec3 position)
{
  ts_body_def def = ts_body_def_default();
  def.name = name;
  def.kind = TS_KINEMATIC;
  def.pose.position = position;
  return add_body(w, &def);
}

ts_joint_def mechanism_joint(ts_joint_kind kind, int parent, int child, ts_vec3 at, ts_vec3 axis)
{
  ts_joint_def def = ts_joint_def_default();
  def.kind = kind;
  def.parent = parent;
  def.child = child;
  def.at = at;
  def.axis = axis;
  if (kind == TS_JOINT_SCREW) def.pitch = 0.3;
  def.axis2 = ts_tangent_of(ts_normalize(axis, (ts_vec3){0.0, 0.0, 1.0}));
  return def;
}

int mechanism_add(world *w, const ts_joint_def *def)
{
  ts_error error;
  int joint;
  if (ts_builder_add_joint(w->builder, def, &joint, &error) != TS_OK) fail_msg("%s", error.text);
  return joint;
}

int mechanism_hinge(world *w, int parent, int child, ts_vec3 at, ts_vec3 axis)
{
  const ts_joint_def def = mechanism_joint(TS_JOINT_REVOLUTE, parent, child, at, axis);
  return mechanism_add(w, &def);
}

void mechanism_refuse(world *w, const char *words)
{
  ts_error error = {0};
  ts_model *model;
  assert_int_equal(ts_builder_finish(w->builder, &model, &error), TS_INVALID);
  assert_null(model);
  if (!strstr(error.text, words)) fail_msg("'%s' does not say '%s'", error.text, words);
}

void mechanism_turned_inertia(ts_quat turn, ts_vec3 moments, double inertia[6])
{
  const ts_mat3 R = ts_quat_matrix(turn);
  const ts_mat3 principal = {{moments.x, 0.0, 0.0}, {0.0, moments.y, 0.0}, {0.0, 0.0, moments.z}};
  const ts_mat3 I = ts_mat3_rotate(&R, &principal);
  const double numbers[6] = {I.x.x, I.y.y, I.z.z, I.y.x, I.z.x, I.z.y};
  memcpy(inertia, numbers, sizeof numbers);
}
