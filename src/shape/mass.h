// Mass properties, and how they add up and move between frames.
#ifndef TS_SHAPE_MASS_H
#define TS_SHAPE_MASS_H

#include "shape/convex.h"

// Of convex pieces that do not overlap (those of one shape, see ts_convex_pieces()), in their common frame, for density
// 1. Planes and points have no volume.
ts_mass_properties ts_pieces_mass(const ts_convex *pieces, int count);

// The same seen from the frame that the shape is placed in.
ts_mass_properties ts_mass_moved(const ts_mass_properties *properties, const ts_pose *pose);

// Both together (inertia about the common centre). Volumes, and with them inertias, may be masses instead: then bodies
// of different densities add up.
ts_mass_properties ts_mass_sum(const ts_mass_properties *a, const ts_mass_properties *b);

#endif
