// What a scene of many bodies is doing in a step, told from its motion alone and by the same rule for every engine.
#ifndef BENCH_SCALE_PHASE_H
#define BENCH_SCALE_PHASE_H

#include "scene.h"

// Fall: from the start, as long as the centre of mass is accelerated downwards by more than g/2. The first step in
// which half the weight or more is carried ends it: the bulk has met something. From then on each step belongs to a
// phase by the bodies' speed at its end, v = sqrt(2 kinetic energy / mass), turning counted in, in units of sqrt(g r)
// with r = PILE_RADIUS (1 m/s): impact from 0.1 on, creep from 0.01 on, else rest. What is stirred goes back to impact.
typedef enum phase { PHASE_FALL, PHASE_IMPACT, PHASE_CREEP, PHASE_REST, PHASE_COUNT } phase;
const char *phase_name(phase p); // "fall", ...

typedef struct phase_watch {
  bool landed;
  double sinking; // speed of the centre of mass downwards after the last step [m/s]
} phase_watch;

// Before the first step, and after every step that was taken: the phase it belongs to
void phase_watch_init(phase_watch *w, const scene *s);
phase phase_watch_step(phase_watch *w, const scene *s, const ts_twist *twists, double kinetic_energy);

#endif
