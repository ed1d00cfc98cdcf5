// Controllers of a model.
#include "model/builder.h"

#include "base/require.h"
#include "schema/parameters.h"

#include <stdio.h>

static ts_parameter_list parameters_of(const ts_controller_def *def)
{
  return (ts_parameter_list){def->parameters, def->parameter_count};
}

ts_status ts_check_controller(const ts_controller_def *def, const double *parameters, ts_error *error)
{
  char what[96];
  snprintf(what, sizeof what, "controller '%.60s'", def->name ? def->name : "");
  if (!def->name || !*def->name) return ts_fail(error, TS_INVALID, "a controller needs a name");
  if (!def->control) return ts_fail(error, TS_INVALID, "%s: it has no function to call", what);
  if (def->number_count < 0) return ts_fail(error, TS_INVALID, "%s: it keeps %d numbers", what, def->number_count);
  TS_TRY(ts_parameters_check(parameters_of(def), what, error));
  return parameters ? ts_parameters_check_values(parameters_of(def), what, parameters, error) : TS_OK;
}

ts_controller ts_controller_make(const ts_controller_def *def, const double *parameters)
{
  ts_controller controller = {.def = *def};
  ts_parameters_default(parameters_of(def), controller.parameters);
  for (int i = 0; parameters && i < def->parameter_count; ++i) controller.parameters[i] = parameters[i];
  return controller;
}

ts_status ts_model_make_controllers(const ts_builder *builder, ts_model *model, ts_error *error)
{
  const size_t count = (size_t)builder->controller_count;
  model->controllers = ts_arena_bytes(&model->memory, count, sizeof *model->controllers);
  for (int i = 0; i < builder->controller_count; ++i) {
    ts_controller *controller = &model->controllers[i];
    *controller = builder->controllers[i];
    controller->first_number = model->controller_number_count;
    model->controller_number_count += controller->def.number_count;
    model->controller_count = i + 1;
  }
  for (int i = 0; i < model->controller_count; ++i) {
    const ts_controller *c = &model->controllers[i];
    if (c->def.check) TS_TRY(c->def.check(c->def.user, model, c->parameters, error));
  }
  return TS_OK;
}
