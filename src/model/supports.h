// What bodies of a 2.5D world stand on.
#ifndef TS_MODEL_SUPPORTS_H
#define TS_MODEL_SUPPORTS_H

#include "model/builder.h"

// What the loads of a support have to balance, about the centre of mass.
typedef struct ts_pressing {
  double force;    // onto the plane [N]
  double along[2]; // where it acts: sums of load times x, and times y [N m]
} ts_pressing;

// Loads w_i (a + b x_i + c y_i) that balance: of three points the only ones there are (thesis 3.24), of more those
// nearest to the weights w_i in shape. False where points on one line leave them undetermined; `load` may be negative.
bool ts_support_balance(const ts_support_load *points, int count, const ts_pressing *pressing, double *load);

// Gravity of a 2.5D world presses onto its plane and has no part in it.
ts_status ts_check_pressing_gravity(ts_vec3 gravity, ts_error *error);

// Supports and their loads at rest: those that were given, and tripods of the other dynamic bodies.
ts_status ts_model_make_supports(const ts_builder *builder, ts_model *model, ts_error *error);

#endif
