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

// For tables of kinds: of a body symmetric about its axes, from the second moments along them; of any body from the
// integrals of 1, x and x x^T (xx yy zz xy xz yz), with x seen from `origin`; of an
// ellipsoid; of a cylinder; of a polytope; of a convex polygon.
ts_mass_properties ts_mass_of_moments(double volume, double xx, double yy, double zz);
ts_mass_properties ts_mass_of_integrals(double volume, ts_vec3 first, const double second[6], ts_vec3 origin);
ts_mass_properties ts_ellipsoid_mass(double a, double b, double c);
ts_mass_properties ts_cylinder_mass(double r, double half_length);
ts_mass_properties ts_hull_mass(const ts_convex *part);
ts_mass_properties ts_outline_mass(const ts_convex *part);

#endif
