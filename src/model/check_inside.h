// What the checks of a builder share.
#ifndef TS_MODEL_CHECK_INSIDE_H
#define TS_MODEL_CHECK_INSIDE_H

#include "model/builder.h"

enum { TS_LONGEST_NAME = 100 };

// Beyond this, products of a few numbers of a scene are no longer finite.
#define TS_LARGEST 1e60

// False of numbers that are not finite.
bool ts_is_at_least(double number, double bound);
bool ts_is_in_range(ts_vec3 a); // of at most TS_LARGEST

ts_status ts_check_cookie(uint32_t cookie, uint32_t expected, const char *maker, ts_error *error);
ts_status ts_check_name(const ts_names *taken, const char *name, const char *what, ts_error *error);
ts_status ts_check_index(int index, int count, const char *what, ts_error *error);

// A point given in a body's frame.
ts_status ts_check_point(const ts_builder *builder, ts_vec3 point, const char *what, const char *name, ts_error *error);

// Where something is: finite, its orientation a unit quaternion in space and an angle in the plane.
ts_status ts_check_place(const ts_builder *builder, const ts_pose *pose, double angle, const char *what,
                         const char *name, ts_error *error);

// At most one side is the world, they differ, and something can move.
ts_status ts_check_sides(const ts_builder *builder, int first, int second, const char *what, const char *name,
                         ts_error *error);

// Of a body that was added, or of the world.
const char *ts_checked_name(const ts_builder *builder, int body);

#endif
