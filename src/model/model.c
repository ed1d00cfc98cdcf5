// Reading a model: see include/touchstone/model.h.
#include "model/model.h"

void ts_model_destroy(ts_model *model)
{
  if (!model) return;
  const ts_allocator allocator = model->memory.allocator;
  ts_arena_release(&model->memory);
  allocator.release(allocator.user, model);
}

ts_space ts_model_space(const ts_model *model)
{
  return model->space;
}

ts_vec3 ts_model_gravity(const ts_model *model)
{
  return model->gravity;
}

int ts_model_body_count(const ts_model *model)
{
  return model->body_count;
}

int ts_model_part_count(const ts_model *model)
{
  return model->source_count;
}

int ts_model_joint_count(const ts_model *model)
{
  return model->joint_count;
}

const char *ts_model_body_name(const ts_model *model, int body)
{
  return model->bodies[body].name;
}

int ts_model_find_body(const ts_model *model, const char *name)
{
  return ts_names_find(&model->body_names, name);
}

ts_body_kind ts_model_body_kind(const ts_model *model, int body)
{
  return model->bodies[body].kind;
}

double ts_model_body_mass(const ts_model *model, int body)
{
  return model->bodies[body].mass;
}

ts_vec3 ts_model_body_centre(const ts_model *model, int body)
{
  return model->bodies[body].centre;
}

void ts_model_body_inertia(const ts_model *model, int body, double inertia[6])
{
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
  return model->shape_bodies[part];
}

const ts_shape *ts_model_part_shape(const ts_model *model, int part)
{
  return &model->shapes[part];
}

ts_pose ts_model_part_pose(const ts_model *model, int part)
{
  return model->shape_poses[part];
}

int ts_model_dof_count(const ts_model *model)
{
  return model->dof_count;
}

int ts_model_bilateral_count(const ts_model *model)
{
  return model->bilateral_count;
}
