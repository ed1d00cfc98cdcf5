// Force limits of motors, servos and joint friction in the friction problem of a step.
//
// A limit L is the normal impulse of its block, held by u_n = w (r_n - L) (contact/system.h). As data of the problem it
// scales the residual: a limit far above all other impulses would hide errors of every contact. The normal acts on
// nothing, so that w is free. It is chosen such that the held normal weighs no more than the rest of the data. A limit
// that is far above the impulses at hand enters as a lower one, which is raised where the solution reaches it.
#ifndef TS_STEP_FORCE_LIMITS_H
#define TS_STEP_FORCE_LIMITS_H

#include "contact/system_islands.h"

typedef struct ts_force_limit {
  int block;
  double load;       // L [N s, N m s]
  double impulse;    // of the data at this block: energy of the data over the square root of the block's compliance
  double compliance; // w and q_n as they were
  double bias;
} ts_force_limit;

typedef struct ts_force_limits {
  ts_system *system;
  double reach; // limits enter the problem up to this multiple of `impulse`
  int count;
  ts_force_limit *limits;
} ts_force_limits;

// True if a system has blocks of motors, servos or joint friction. Loads of supports are weights, not limits.
bool ts_system_has_force_limits(const ts_system *system);

// Rescale the held normals of a system, in W and q, by the data of their islands (NULL: the system is one). r is a
// starting point if `warm`; its held normals are set.
ts_force_limits ts_force_limits_begin(ts_system *system, const ts_islands *islands, bool warm, double *r,
                                      ts_arena *arena);

// True if limits far above the data are in the problem.
bool ts_force_limits_are_raised(const ts_force_limits *limits);

// Raise the limits if the solution r reaches one that was lowered. False if none is reached, or if the reach is at its
// end: a limit of 1e9 times the impulses at hand is beyond the precision of the velocities.
bool ts_force_limits_raise(ts_force_limits *limits, const double *r);

// Restore W and q, and set the held normals of r to their loads. False if r lies at a limit that is not the given one.
bool ts_force_limits_end(const ts_force_limits *limits, double *r);

#endif
