#include "draw/scope.h"

#include <math.h>

ts_scope ts_scope_empty(void)
{
  return (ts_scope){{INFINITY, INFINITY, INFINITY}, {-INFINITY, -INFINITY, -INFINITY}};
}

bool ts_scope_is_empty(const ts_scope *scope)
{
  return !(scope->low.x <= scope->high.x);
}

static ts_vec3 reach_along_axes(const ts_shape *shape, const ts_pose *pose, double sign)
{
  return (ts_vec3){sign * ts_placed_reach(shape, pose, (ts_vec3){sign, 0.0, 0.0}),
                   sign * ts_placed_reach(shape, pose, (ts_vec3){0.0, sign, 0.0}),
                   sign * ts_placed_reach(shape, pose, (ts_vec3){0.0, 0.0, sign})};
}

ts_scope ts_scope_of_shape(const ts_shape *shape, const ts_pose *pose)
{
  return (ts_scope){reach_along_axes(shape, pose, -1.0), reach_along_axes(shape, pose, 1.0)};
}

static ts_vec3 least(ts_vec3 a, ts_vec3 b)
{
  return (ts_vec3){fmin(a.x, b.x), fmin(a.y, b.y), fmin(a.z, b.z)};
}

static ts_vec3 most(ts_vec3 a, ts_vec3 b)
{
  return (ts_vec3){fmax(a.x, b.x), fmax(a.y, b.y), fmax(a.z, b.z)};
}

void ts_scope_unite(ts_scope *scope, const ts_scope *with)
{
  scope->low = least(scope->low, with->low);
  scope->high = most(scope->high, with->high);
}

void ts_scope_unite_point(ts_scope *scope, ts_vec3 point)
{
  ts_scope_unite(scope, &(ts_scope){point, point});
}

bool ts_scope_intersect(ts_scope *scope, const ts_scope *with, double room)
{
  const ts_vec3 around = {room, room, room};
  scope->low = most(scope->low, ts_vector_subtract(with->low, around));
  scope->high = least(scope->high, ts_vector_add(with->high, around));
  return scope->low.x <= scope->high.x && scope->low.y <= scope->high.y && scope->low.z <= scope->high.z;
}

ts_vec3 ts_scope_corner(const ts_scope *scope, int i)
{
  return (ts_vec3){i & 1 ? scope->high.x : scope->low.x, i & 2 ? scope->high.y : scope->low.y,
                   i & 4 ? scope->high.z : scope->low.z};
}

ts_vec3 ts_scope_centre(const ts_scope *scope)
{
  return ts_vector_add(ts_vector_scale(0.5, scope->low), ts_vector_scale(0.5, scope->high));
}

double ts_scope_size(const ts_scope *scope)
{
  return ts_scope_is_empty(scope) ? 0.0 : ts_vector_length(ts_vector_subtract(scope->high, scope->low));
}

ts_vec3 ts_scope_way(const ts_scope *scope, ts_vec3 point)
{
  return ts_vector_subtract(point, most(scope->low, least(point, scope->high)));
}

double ts_scope_reach(const ts_scope *scope, ts_vec3 point)
{
  const ts_vec3 low = ts_vector_subtract(point, scope->low), high = ts_vector_subtract(scope->high, point);
  return ts_vector_length(most(low, high));
}
