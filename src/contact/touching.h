// When surfaces count as touching: the one rule of all steppers.
#ifndef TS_CONTACT_TOUCHING_H
#define TS_CONTACT_TOUCHING_H

#include "math/vec3.h"

// Gaps that round-off may have opened, of the lengths that they are differences of; and of stops [m, rad].
static const double TS_TOUCHING = 1e-11;

// A gap at `point`, `arm` from the centre of mass of a body, that is as good as closed [m].
TS_INLINE double ts_touching_gap(ts_vec3 arm, ts_vec3 point)
{
  return TS_TOUCHING * (ts_length(arm) + ts_length(point));
}

#endif
