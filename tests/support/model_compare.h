// Are two models the same, bit for bit?
#ifndef MODEL_COMPARE_H
#define MODEL_COMPARE_H

#include "touchstone/model.h"

// NULL when all fields are the same, else the name of the first that is not.
const char *model_difference(const ts_model *a, const ts_model *b);

#endif
