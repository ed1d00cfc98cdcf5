// Planar friction by other ways than the library's: statics in three lines, minima of dissipation by Newton's method
// on a smoothed and strictly convex function, elliptic integrals by means, an explicit integration of high order.
// Nothing of the library is used. Units are those of the caller, points are along world axes.
#ifndef TESTS_PLANAR_ORACLES_H
#define TESTS_PLANAR_ORACLES_H

#include <stdbool.h>

enum { PLANAR_MOST_SUPPORTS = 256 };

// Points that rub on a plane. A twist is the velocity of the origin and the angular velocity: vx, vy, w.
typedef struct planar_supports {
  int count;
  double at[PLANAR_MOST_SUPPORTS][2]; // from the origin, world axes
  double grip[PLANAR_MOST_SUPPORTS];  // friction times load: the largest friction force
} planar_supports;

// Loads of three points that bear `weight` at `centre`, by the sum of forces and two sums of moments. False: the points
// are on a line.
bool planar_loads(double at[3][2], const double centre[2], double weight, double loads[3]);

// Power that friction takes at a twist, and the force and the moment about the origin that keep the twist up.
double planar_dissipation(const planar_supports *s, const double twist[3], double wrench[3]);

// A finger that touches the body at one point.
typedef struct planar_finger {
  double at[2];       // of the contact, from the origin
  double normal[2];   // of length 1, into the body
  double velocity[2]; // of the finger's point
  double friction;
} planar_finger;

typedef enum planar_mode { PLANAR_APART, PLANAR_STICK, PLANAR_SLIDE_LEFT, PLANAR_SLIDE_RIGHT, PLANAR_JAM } planar_mode;

// What a slow body does that a finger pushes. `left`: the body slips past the finger along the normal turned to the
// left.
typedef struct planar_push {
  planar_mode mode;
  double twist[3];
  double force[2]; // on the body
} planar_push;

planar_push planar_push_of(const planar_supports *s, const planar_finger *f);

// Complete elliptic integrals of modulus k in [0, 1), by arithmetic and geometric means.
void planar_elliptic(double k, double *K, double *E);

// A thin ring of radius R and of grip 1 in all that turns at rate 1 about a point at distance c != R from its centre:
// the force along the velocity of the centre, and the moment about the centre.
void planar_ring(double R, double c, double *force, double *moment);

// A body of a mass and an inertia about the origin, its centre of mass, slides and spins until it rests.
typedef struct planar_slide {
  double time;   // of rest
  double way[2]; // of the origin
  double angle;
} planar_slide;

// `twist` is that at the start; a step changes velocities by the fraction `fine` of themselves at most. No point may
// come to rest before the others do: speeds of points are not smoothed.
planar_slide planar_slide_to_rest(const planar_supports *s, double mass, double inertia, const double twist[3],
                                  double fine);

#endif
