// Mass properties, and how they add up and move between frames.
#ifndef TS_SHAPE_MASS_H
#define TS_SHAPE_MASS_H

#include "touchstone/shape.h"

#include "math/vec3.h"

// Of a shape that ts_shape_check() passed, about its own origin and for density 1.
ts_mass_properties ts_shape_mass(const ts_shape *shape);

// The same seen from the frame that the shape is placed in.
ts_mass_properties ts_mass_moved(const ts_mass_properties *properties, const ts_pose *pose);

// Both together (inertia about the common centre).
ts_mass_properties ts_mass_sum(const ts_mass_properties *a, const ts_mass_properties *b);

#endif
