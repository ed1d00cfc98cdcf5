// Which contact law holds between which surfaces.
#ifndef TS_MODEL_LAWS_H
#define TS_MODEL_LAWS_H

#include "model/builder.h"

// Fill in the model's table of materials and its pairs of bodies. Bodies and joints are there.
ts_status ts_model_make_laws(const ts_builder *builder, ts_model *model, ts_error *error);

// A spring and the damper beside it.
typedef struct ts_spring_constants {
  double stiffness, damping; // [N/m, N s/m]
} ts_spring_constants;

static inline ts_spring_constants ts_law_along_normal(const ts_contact_law *law)
{
  return (ts_spring_constants){law->stiffness, law->damping};
}

// As along the normal where nothing else is said.
static inline ts_spring_constants ts_law_along_surface(const ts_contact_law *law)
{
  if (law->tangential_stiffness == 0.0) return ts_law_along_normal(law);
  return (ts_spring_constants){law->tangential_stiffness, law->tangential_damping};
}

#endif
