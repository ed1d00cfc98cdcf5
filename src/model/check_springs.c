// What a builder refuses of springs.
#include "model/check_inside.h"

#include "base/status.h"

#include <math.h>
#include <stdio.h>

ts_status ts_check_spring(const ts_builder *builder, const ts_spring_def *def, ts_error *error)
{
  TS_TRY(ts_check_cookie(def->cookie, TS_SPRING_COOKIE, "ts_spring_def_default", error));
  if (def->name) TS_TRY(ts_check_name(&builder->spring_names, def->name, "spring", error));
  char number[32];
  snprintf(number, sizeof number, "spring%d", builder->spring_count + 1);
  const char *name = def->name ? def->name : number;
  TS_TRY(ts_check_sides(builder, def->body[0], def->body[1], "spring", name, error));
  for (int side = 0; side < 2; ++side) TS_TRY(ts_check_point(builder, def->at[side], "spring", name, error));
  if (!ts_is_at_least(def->stiffness, 0.0) || !ts_is_at_least(def->damping, 0.0))
    return ts_fail(error, TS_INVALID, "spring '%s': stiffness and damping must be finite numbers of at least 0", name);
  if (!isnan(def->length) && !ts_is_at_least(def->length, 0.0))
    return ts_fail(error, TS_INVALID, "spring '%s': its length must be a finite number of at least 0", name);
  return TS_OK;
}
