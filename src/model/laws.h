// Which contact law holds between which surfaces.
#ifndef TS_MODEL_LAWS_H
#define TS_MODEL_LAWS_H

#include "model/builder.h"

// Fill in the model's table of materials and its pairs of bodies. Bodies and joints are there.
ts_status ts_model_make_laws(const ts_builder *builder, ts_model *model, ts_error *error);

#endif
