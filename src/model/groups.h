// Rules for groups of bodies.
#ifndef TS_MODEL_GROUPS_H
#define TS_MODEL_GROUPS_H

#include "model/builder.h"

// Fill in the model's rules for groups. Bodies and pairs of bodies are there.
ts_status ts_model_make_groups(const ts_builder *builder, ts_model *model, ts_error *error);

// The rule for two bodies, or NULL: there is none.
static inline const ts_group *ts_model_group_of(const ts_model *model, int body_1, int body_2)
{
  if (model->group_count == 0) return NULL;
  const size_t row = (size_t)model->body_class[body_1], classes = (size_t)model->class_count;
  const int number = model->class_group[row * classes + (size_t)model->body_class[body_2]];
  return number > 0 ? &model->groups[number - 1] : NULL;
}

#endif
