// A particle on a plate that vibrates on six axes (004 chapter 5), for tests and benchmarks.
#ifndef TS_TESTS_PLATE_H
#define TS_TESTS_PLATE_H

#include "world.h"

// Accelerations of the plate, amplitude sin(66 pi t + phase): along x, y, z [m/s^2], then about them [rad/s^2].
typedef struct plate_field {
  const char *name;
  double amplitude[6], phase[6];
} plate_field;

// By name; stops the test where there is none. reference-numbers.md 10.3 says where they come from.
const plate_field *plate_field_find(const char *name);

enum { PLATE_BODY = 0, PLATE_PARTICLE = 1 };

// 3d, friction 0.3, steps of 0.1 ms, the plate's velocity at the foot of the particle; change options before
// plate_start().
void plate_init(world *w);
// The plate with a particle at (x, y) cm of it that moves with it, and the simulation.
void plate_start(world *w, const plate_field *field, ts_orientation_rule rule, double x, double y);
ts_vec3 plate_particle(const world *w); // where it is on the plate [cm]

#endif
