// Contacts as they lie in lanes. Once for each TS_KIND (lane_names.h).
#include "complementarity/friction/lane_names.h"

// Contacts prepared for their own solution. The tangents are turned into the axes in which the scaled block of W is
//   W_nn = normal, W_tn = normal nt, W_tt = S + normal nt nt^T  with S diagonal.
typedef struct TS_OF(block) {
  TS_VEC mu, normal, inverse_normal; // 1/W_nn, or 0 where that is not positive
  TS_VEC a;                          // multiplier of the last slip: where the next search starts; 0: none yet
  TS_VEC nt[TS_MOST_TANGENTS], S[TS_MOST_TANGENTS], inverse_S[TS_MOST_TANGENTS];
} TS_OF(block);

// A batch. Arrays over rows have room for d = 4.
typedef struct TS_OF(batch) {
  int body[2][TS_KIND_LANES]; // velocities they push; of what does not move the number of bodies
  TS_VEC scale;               // s
  TS_VEC q[4];                // scaled and turned, |q| = 1 over all batches
  TS_VEC x[4], before[4];     // impulses, and those before the last sweep
  TS_OF(block) block;
} TS_OF(batch);
