// Joints that follow others: see ts_gear_def.
#ifndef TS_MODEL_GEARS_H
#define TS_MODEL_GEARS_H

#include "model/builder.h"

const ts_gear_term *ts_copy_gear_terms(const ts_gear_term *terms, int count, ts_arena *arena);

// The gears of a model whose joints are made, positions and velocities of the joints that follow included. Fails with
// one sentence where joints follow themselves, or are to start where their gears do not put them.
ts_status ts_model_make_gears(const ts_builder *builder, ts_model *model, ts_error *error);

#endif
