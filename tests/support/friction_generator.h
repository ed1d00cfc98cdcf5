// Random frictional contact problems for tests and benchmarks: bodies are drawn first, and W, q, V, R and s follow from
// their mass matrices and contact frames, so that every problem is mechanically possible. The free velocity is that of
// the bodies (q = H^T v, s = G^T v), hence a velocity that satisfies all constraints exists (rest) and with it a
// solution. The same seed gives the same problem everywhere.
#ifndef FRICTION_GENERATOR_H
#define FRICTION_GENERATOR_H

#include "touchstone/problem.h"

#include "base/arena.h"

#include <stdint.h>

// A generated problem with all its memory. Never moved: `local` points into it.
typedef struct friction_sample {
  ts_problem local;  // TS_FRICTION; its `bodies` are set where the recipe asks for them and there are no bilateral rows
  ts_problem global; // the same mechanism as TS_GLOBAL_FRICTION
  ts_bodies bodies;  // M and H, always filled in
  ts_arena arena;    // owns every array of the above
} friction_sample;

// What to draw. The contacts are spread over `bodies` bodies of 6 degrees of freedom (3 for dimension 2).
typedef struct friction_recipe {
  int dimension;            // 2, 3 or 4
  int contacts, bodies;     // contacts*dimension beyond the degrees of freedom makes W singular
  int joints;               // each adds a point that two bodies share: 3 bilateral rows, 2 for dimension 2
  bool redundant_joint;     // state the last joint twice: R is singular
  bool ellipsoid;           // semi-axes between 0.3 and 2 instead of 1
  bool with_bodies;         // hand M and H over with the local problem
  double least_mu, most_mu; // coefficients are drawn from here, one in ten is 0 where least_mu is 0
} friction_recipe;

// A recipe drawn from the seed: 1 to 40 contacts of dimension 2, 3 or 4, mu from 0 to 2, one half with more contact
// rows than degrees of freedom, one half with an ellipsoid, one third with joints.
friction_recipe friction_recipe_draw(uint64_t seed);

friction_sample *friction_sample_create(const friction_recipe *recipe, uint64_t seed);

// The problem of reference-numbers.md 2, after the table of 002: `bodies` unit spheres (mass 1, inertia 0.4). Contact k
// < bodies holds sphere k to the ground or, as often, to an earlier sphere below it; the others join random pairs along
// random normals. Free velocity: standard normal, then 0.01 s of gravity.
friction_sample *friction_sample_spheres(int bodies, int contacts, double mu, uint64_t seed);

void friction_sample_destroy(friction_sample *sample); // accepts NULL

#endif
