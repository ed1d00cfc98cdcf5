// Inertias that no body has, and the possible ones next to them.
#ifndef TS_ROBOT_URDF_INERTIA_H
#define TS_ROBOT_URDF_INERTIA_H

#include <stdbool.h>

// Whether anything can be made of it: all six numbers are finite, and so is their sum.
bool ts_inertia_is_finite(const double inertia[6]);

// The possible inertia next to the one given (xx yy zz xy xz yz, finite), which is replaced. A possible one stays as it
// is, but for the rounding that ts_inertia_is_possible() allows. Inertias are compared by the second moments of their
// masses, S = tr(I)/2 1 - I: every body has S >= 0, so that the nearest (in the sum of squared entries of S) is S
// without its negative eigenvalues. Bodies have an extent, too: what would turn about an axis without any resistance
// gets 1e-3 of the trace, and what has no positive second moment at all is a ball of that mass and 1000 kg/m^3. Returns
// by how much it was changed: |I' - I| / |I'|, by the same norm.
double ts_inertia_make_possible(double inertia[6], double mass);

// A solid ball of that mass, of 1000 kg/m^3.
void ts_ball_inertia(double mass, double inertia[6]);

#endif
