// Boxes along the world's axes that hold what a picture is about.
#ifndef TS_DRAW_SCOPE_H
#define TS_DRAW_SCOPE_H

#include "draw/geometry.h"

typedef struct ts_scope {
  ts_vec3 low, high; // empty when low > high
} ts_scope;

ts_scope ts_scope_empty(void);
bool ts_scope_is_empty(const ts_scope *scope);
ts_scope ts_scope_of_shape(const ts_shape *shape, const ts_pose *pose); // not for planes

void ts_scope_unite(ts_scope *scope, const ts_scope *with);
void ts_scope_unite_point(ts_scope *scope, ts_vec3 point);
// Cut it down to what is no further than `room` from the other one. False: nothing is left.
bool ts_scope_intersect(ts_scope *scope, const ts_scope *with, double room);

ts_vec3 ts_scope_corner(const ts_scope *scope, int i); // 0 <= i < 8
ts_vec3 ts_scope_centre(const ts_scope *scope);
double ts_scope_size(const ts_scope *scope); // its diagonal [m]; 0 of an empty one
// From the nearest of its points to `point`.
ts_vec3 ts_scope_way(const ts_scope *scope, ts_vec3 point);
double ts_scope_reach(const ts_scope *scope, ts_vec3 point); // how far its furthest point is from `point`

#endif
