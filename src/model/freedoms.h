// What a body may do. Vectors have three components everywhere; what a body may not do is a component that stays zero.
// A setting is a table, and bodies point to theirs: code that deals with bodies asks for freedoms, not for a space.
#ifndef TS_MODEL_FREEDOMS_H
#define TS_MODEL_FREEDOMS_H

#include "touchstone/model.h"

typedef struct ts_freedoms {
  ts_space space;       // that scenes ask for it with
  ts_space joints;      // whose kinds of joints and shapes it has: the place in tables of kinds
  int slides, turns;    // how many axes it may move along, and turn about
  ts_vec3 along, about; // 1 for these axes, 0 for the others
  int contact_rows;     // of a contact, without spin: of what touches, or is supported
  ts_vec3 down;         // where gravity points unless it is told
} ts_freedoms;

const ts_freedoms *ts_freedoms_of(ts_space space);

// Of a body that turns about one axis an angle says how it lies, which counts turns; of any other a quaternion.
static inline bool ts_has_angle(const ts_freedoms *freedoms)
{
  return freedoms->turns == 1;
}

// Whether bodies lie in the plane: contacts have one tangent and joints the plane's rows.
static inline bool ts_is_flat(const ts_freedoms *freedoms)
{
  return freedoms->slides == 2;
}

// `v` without what is not free along these axes.
static inline ts_vec3 ts_free_part(ts_vec3 axes, ts_vec3 v)
{
  return (ts_vec3){axes.x != 0.0 ? v.x : 0.0, axes.y != 0.0 ? v.y : 0.0, axes.z != 0.0 ? v.z : 0.0};
}

static inline bool ts_is_free(ts_vec3 axes, ts_vec3 v)
{
  return (axes.x != 0.0 || v.x == 0.0) && (axes.y != 0.0 || v.y == 0.0) && (axes.z != 0.0 || v.z == 0.0);
}

// Whether a body may move along `along` and turn about `about`.
static inline bool ts_may_move(const ts_freedoms *freedoms, ts_vec3 along, ts_vec3 about)
{
  return ts_is_free(freedoms->along, along) && ts_is_free(freedoms->about, about);
}

#endif
