// A body whose vertex runs into a corner where k faces of a fixed solid meet, within one step, and all ways that the
// disjunction leaves it: by trying every set of faces that push and, in the plane, every mode of each.
//   phi = max_i psi_i >= 0 at the end,   p_i > 0 only if psi_i = phi = 0   (thesis 3.2)
#ifndef TS_SUPPORT_CORNER_IMPACT_H
#define TS_SUPPORT_CORNER_IMPACT_H

#include "base/random.h"
#include "math/vec3.h"

enum { CORNER_FACES = 6, CORNER_ANSWERS = 256 };

// Mass 1, centre of mass at the origin of its frame, axes along the world's.
typedef struct corner_impact {
  bool planar;
  int faces;
  ts_vec3 rays[CORNER_FACES]; // edges of the solid, from the corner at the origin; counter-clockwise seen from outside
  ts_vec3 normals[CORNER_FACES]; // face i lies between rays i and i+1; in the plane it is ray i
  ts_vec3 vertex, arm;           // of the body, in the world and from its centre of mass
  ts_vec3 inverse_inertia;
  ts_vec3 linear, angular; // before
  double friction, h;
} corner_impact;

typedef struct corner_answer {
  unsigned pushing; // faces
  ts_vec3 impulse;
} corner_answer;

// Random ones; the vertex is outside of the solid. `faces`: 2 in the plane.
corner_impact corner_impact_random(ts_random *random, int faces, double friction);

ts_vec3 corner_vertex_velocity(const corner_impact *c, ts_vec3 impulse); // after it
double corner_gap(const corner_impact *c, int face, ts_vec3 impulse);    // of the vertex at the end of the step
double corner_phi(const corner_impact *c, ts_vec3 impulse);              // the largest of them
double corner_measure(const corner_impact *c, ts_vec3 impulse);          // kinetic energy of the impulse alone

// The face whose plane is crossed last on the straight way without impulses; -1: that does not lead inside.
int corner_entry(const corner_impact *c);

// All answers: of faces without friction, or in the plane. Returns how many.
int corner_answers(const corner_impact *c, corner_answer *answers);

#endif
