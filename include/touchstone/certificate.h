/// How good a point is, measured from the problem's data alone by code that no solver uses. The definitions are spelled
/// out in docs/theory/residuals.md.
#ifndef TOUCHSTONE_CERTIFICATE_H
#define TOUCHSTONE_CERTIFICATE_H

#include "touchstone/problem.h"

#ifdef __cplusplus
extern "C" {
#endif

/// Physical measures of a point of a friction problem.
typedef struct ts_friction_measures {
  double scaled;               ///< natural map of the scaled problem over its data; mu > 1: normal law too [1]
  double fclib;                ///< |r - P_K(r - u - mu |u_t| n)| / |q|, unscaled, the figure of FCLIB [mixed units]
  double penetration_velocity; ///< worst negative u_n, as a positive number [m/s]
  double cone_violation;       ///< worst |D^-1 r_t| - mu r_n, and -r_n where that is worse; >= 0 [N s]
  double misalignment;         ///< worst |r_t| |D u_t| + r_t . D u_t over contacts (r_t in ellipsoid units) [N m]
  double complementarity;      ///< worst |r_n u_n| [N m]
  double bilateral;            ///< worst |V^T r + R l + s|, or |G^T v + b| in the global form [m/s]
  double equilibrium;          ///< worst |M v - H r - G l - f| of the global form, else 0 [N s]
  double velocity_error; ///< backward error of the worst contact: the point solves, to first order, a problem whose
                         ///< q differs by this at that contact; bilateral rows count too [m/s, rad/s]
  double data_speed;     ///< root of the mean square of |q| over contacts: the size of velocities [m/s]
  int open, stick, slip; ///< contacts in each mode at this point
} ts_friction_measures;

/// A velocity error of this share of the data's speed is as good as one below the bound that was asked for: what
/// moves fast need not be known to micrometres (docs/theory/residuals.md).
#define TS_SHARE_OF_SPEED 1e-3

/// Scaled natural-map residual of any problem at z (ts_problem_size() numbers). The same scale for every solver and
/// unchanged by units; 0 exactly at a solution; NAN where F is not defined or z is not finite, INFINITY when memory
/// runs out. Allocates; ts_solve() measures without.
TS_API double ts_problem_residual(const ts_problem *problem, const double *z);

/// The measures of a friction problem (local or global) at z. TS_INVALID for other types.
TS_API ts_status ts_friction_measure(const ts_problem *problem, const double *z, ts_friction_measures *measures);

#ifdef __cplusplus
}
#endif

#endif
