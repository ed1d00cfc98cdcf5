// Shapes of extensions that may meet something that they know nothing of.
#include "model/builder.h"

#include "shape/own_shape.h"

#include "base/status.h"

static ts_status check_pair(const ts_model *model, const ts_part *own, const ts_part *other, ts_error *error)
{
  const ts_shape *shape = own->convex.shape, *met = other->convex.shape;
  if (ts_own_pair_is_known(shape, met)) return TS_OK;
  return ts_fail(
      error, TS_UNSUPPORTED,
      "body '%s': its shape '%.60s' does not know where it touches a %.60s, which body '%s' has; a pair with "
      "'collide: false' lets them pass through each other",
      model->bodies[own->body].name, shape->own->name, ts_shape_label(met), model->bodies[other->body].name);
}

ts_status ts_model_check_own_pairs(const ts_model *model, ts_error *error)
{
  for (int i = 0; i < model->part_count; ++i) {
    if (model->parts[i].convex.kind != TS_SHAPE_OWN) continue;
    for (int k = 0; k < model->part_count; ++k)
      if (ts_model_law(model, i, k)) TS_TRY(check_pair(model, &model->parts[i], &model->parts[k], error));
  }
  return TS_OK;
}
