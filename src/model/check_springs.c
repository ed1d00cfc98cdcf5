// What a builder refuses of springs and bushings.
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

static ts_status check_coefficients(const ts_builder *builder, ts_vec3 along, ts_vec3 about, const char *what,
                                    const char *name, ts_error *error)
{
  const double numbers[] = {along.x, along.y, along.z, about.x, about.y, about.z};
  for (int i = 0; i < 6; ++i)
    if (!(numbers[i] >= 0.0 && numbers[i] <= TS_LARGEST))
      return ts_fail(error, TS_INVALID, "bushing '%s': %s must be numbers from 0 to %g", name, what, TS_LARGEST);
  if (!ts_may_move(builder->freedoms, along, about))
    return ts_fail(error, TS_INVALID, "bushing '%s': in the plane there is no %s along z, nor about x and y", name,
                   what);
  return TS_OK;
}

ts_status ts_check_bushing(const ts_builder *builder, const ts_bushing_def *def, ts_error *error)
{
  TS_TRY(ts_check_cookie(def->cookie, TS_BUSHING_COOKIE, "ts_bushing_def_default", error));
  if (def->name) TS_TRY(ts_check_name(&builder->bushing_names, def->name, "bushing", error));
  char number[32];
  snprintf(number, sizeof number, "bushing%d", builder->bushing_count + 1);
  const char *name = def->name ? def->name : number;
  const ts_pose place = {def->at, def->orientation};
  TS_TRY(ts_check_sides(builder, def->body[0], def->body[1], "bushing", name, error));
  TS_TRY(ts_check_place(builder, &place, def->angle, "bushing", name, error));
  TS_TRY(check_coefficients(builder, def->stiffness, def->angular_stiffness, "stiffness", name, error));
  return check_coefficients(builder, def->damping, def->angular_damping, "damping", name, error);
}
