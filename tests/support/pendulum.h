// The chains of spheres of 000 and 001 (reference-numbers.md 6.1): P12, and T<n> of Table I. Motion in the y-z plane, z
// up, hinges along +x, the first at (0, 0, 10); sphere k at the far end of link k. Floor at z = 0.1, wall at y = 4.
#ifndef TS_TESTS_PENDULUM_H
#define TS_TESTS_PENDULUM_H

#include "world.h"

enum { PENDULUM_MOST_LINKS = 1000 };

typedef struct pendulum_kind {
  int links;
  double angle;       // of the straight chain from the vertical at the start, + toward +y [rad]
  double gravity;     // [m/s^2]
  double restitution; // friction is 0.5
  double step;        // [s]
} pendulum_kind;

pendulum_kind pendulum_p12(void);
pendulum_kind pendulum_t(int links);

typedef struct pendulum {
  pendulum_kind kind;
  world world;
  int first; // body of link 1; the others follow
} pendulum;

// Builds the model; options are those of the stepper TS1 (reference-numbers.md 6.3) in minimal coordinates. Change
// them, then pendulum_start().
void pendulum_init(pendulum *p, pendulum_kind kind);
void pendulum_start(pendulum *p);
void pendulum_release(pendulum *p);

// Solvers as 000 has them, each step from a cold start, to 1e-12: impulses at the surfaces, a monotone line search, no
// scale, four directions where there are any. Before pendulum_start().
void pendulum_like_000(pendulum *p, const char *solver);

void pendulum_step_to(pendulum *p, double t); // every step certified
// Largest difference in y or z of a sphere's centre from where the links' angles [rad] put it [m].
double pendulum_error(const pendulum *p, const double *angles);
// The same of its velocity [m/s], from the links' angles and rates of turning [rad/s].
double pendulum_velocity_error(const pendulum *p, const double *angles, const double *rates);
// Fixed steps of 1, 0.5 and 0.1 ms in flight: fails the test unless errors of place at the time of `sample` (time, then
// angles) are those expected within `share` of them, and fall as the step does.
void pendulum_check_flight_order(pendulum_kind kind, const double *sample, const double expected[3], double share);

// How far apart minimal and redundant coordinates go, by the last sphere and by energy.
enum { PENDULUM_SECONDS = 5 };
typedef struct pendulum_parting {
  double early;     // largest distance until the first time given [m]
  double passes[3]; // when 1 mm, 1 cm and 0.1 m are passed first; INFINITY: not until the second time given [s]
  double hinge;     // largest error of a hinge in redundant coordinates [m]
  double energy[PENDULUM_SECONDS]; // relative difference at 1, 2, ... s; 0: not reached
} pendulum_parting;
pendulum_parting pendulum_minimal_and_redundant(pendulum_kind kind, double early, double until);

ts_vec3 pendulum_last(const pendulum *p); // centre of the last sphere
double pendulum_energy(const pendulum *p);

#endif
