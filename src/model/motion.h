// Orientations that are integrated beforehand, for motions given by accelerations.
#ifndef TS_MODEL_MOTION_H
#define TS_MODEL_MOTION_H

#include "model/model.h"

// A quaternion with its first two derivatives by the phase frequency t.
typedef struct ts_orbit_node {
  ts_quat value, first, second;
} ts_orbit_node;

// One period of Q(t) with Q' = 1/2 omega Q, Q(0) = 1. Later periods follow: Q(t + T) = Q(t) Q(T).
typedef struct ts_orbit {
  ts_orbit_node *nodes; // TS_ORBIT_INTERVALS+1, evenly spaced
  ts_vec3 drift;        // rotation vector of Q(T)
  ts_quat start;        // orientation at time 0 that makes the angles symmetric about zero
} ts_orbit;

enum { TS_ORBIT_INTERVALS = 256 };

// Does the motion need one? In the plane angles are sums, and integrals closed forms.
bool ts_motion_has_orbit(const ts_freedoms *freedoms, const ts_motion_def *motion);

// Integrate. False when the orientation leaves a quarter turn, where Euler angles are no measure any more.
bool ts_orbit_make(const ts_motion_def *motion, ts_arena *arena, ts_orbit *orbit);

// Orientation at a phase, relative to the body's pose.
ts_quat ts_orbit_orientation(const ts_orbit *orbit, double phase);

// Components i .. i+2 of a motion by accelerations: twice integrated with zero mean, and once.
ts_vec3 ts_motion_oscillation(const ts_motion_def *motion, int i, double t, ts_vec3 *rate);

#endif
