// Numbers of extensions by name.
#ifndef TS_SCHEMA_PARAMETERS_H
#define TS_SCHEMA_PARAMETERS_H

#include "touchstone/extension.h"

#include "schema/schema.h"

typedef struct ts_parameter_list {
  const ts_parameter *items;
  int count;
} ts_parameter_list;

// `parameters: {...}` of scenes: any name, with a number.
extern const ts_section ts_parameters_section;

// Names, ranges and defaults of a definition make sense. `what` begins the sentence: "solver 'mine'".
ts_status ts_parameters_check(ts_parameter_list list, const char *what, ts_error *error);

void ts_parameters_default(ts_parameter_list list, double *values);

// `owner` is what the sentence calls whose parameter it is: "method 'mine'".
ts_status ts_parameters_set(ts_parameter_list list, const char *owner, const char *name, double value, double *values,
                            ts_error *error);
// Of all of them.
ts_status ts_parameters_check_values(ts_parameter_list list, const char *owner, const double *values, ts_error *error);

#endif
