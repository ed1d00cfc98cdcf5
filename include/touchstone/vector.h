/// Vectors, rotations and placements of rigid bodies.
#ifndef TOUCHSTONE_VECTOR_H
#define TOUCHSTONE_VECTOR_H

#define TS_PI 3.14159265358979323846 ///< half a turn [rad]

typedef struct ts_vec3 {
  double x, y, z;
} ts_vec3;

/// A unit quaternion: the rotation that takes components along a body's axes to components along the world's.
typedef struct ts_quat {
  double w, x, y, z;
} ts_quat;

/// Where a body or a part of one is: `position` of its origin and `orientation` of its axes, in the frame around it.
typedef struct ts_pose {
  ts_vec3 position; ///< [m]
  ts_quat orientation;
} ts_pose;

/// Velocity of a rigid body: of a point of it, and angular; components along the world's axes.
typedef struct ts_twist {
  ts_vec3 linear;  ///< [m/s]
  ts_vec3 angular; ///< [rad/s]
} ts_twist;

/// Force and moment, or impulse and angular impulse, on a body; components along the world's axes.
typedef struct ts_wrench {
  ts_vec3 force;  ///< [N], or [N s]
  ts_vec3 moment; ///< [N m], or [N m s]
} ts_wrench;

#endif
