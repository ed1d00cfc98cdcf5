// Bushings as they stand.
#ifndef TS_DYNAMICS_BUSHINGS_H
#define TS_DYNAMICS_BUSHINGS_H

#include "dynamics/state.h"

typedef struct ts_bushing_place {
  ts_pose frame[2];   // in the world
  ts_vec3 measure[2]; // place and rotation vector of the second frame, in the axes of the first [m, rad]
} ts_bushing_place;

ts_bushing_place ts_bushing_place_at(const ts_model *model, const ts_state *state, int bushing);

// Energy that its springs hold [J].
double ts_bushing_energy(const ts_model *model, const ts_state *state, int bushing);

#endif
