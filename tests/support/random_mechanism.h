// Models of random trees of joints of all kinds, made by the builder as users do.
#ifndef TS_TESTS_RANDOM_MECHANISM_H
#define TS_TESTS_RANDOM_MECHANISM_H

#include "touchstone/dynamics.h"

#include "base/random.h"

// A base that swings (body 0), and `bodies` more, with inertias of any directions and centres of mass off their
// origins: they hang on earlier ones, the base or the world by joints of all kinds, walked either way; some are free,
// and some of these do not turn. `closures`: that many of the joints are stated to close loops, though they are in
// none.
ts_model *random_mechanism(ts_space space, int bodies, int closures, uint64_t seed);

// Random coordinates and rates, quaternions of length 1, at a random time.
void random_configuration(ts_dynamics *dynamics, ts_random *random);

#endif
