// Impulses of contacts at rest are not unique where there are more of them than bodies have ways to move: a box on four
// corners may press them against each other as it likes, as far as friction goes. Of all impulses that push every body
// alike the least ones are chosen:
//   min |r|^2  with  J^T r = J^T r_0,  r in the cones,
// normal and tangential impulses counted alike [N s], spin divided by the semi-axis e_r of its ellipsoid. Where nothing
// moves in a contact any impulse in its cone obeys the law of friction, so that these solve the step as well as r_0
// does.
#ifndef TS_CONTACT_LEAST_NORM_H
#define TS_CONTACT_LEAST_NORM_H

#include "contact/system.h"

// What may be exchanged.
typedef struct ts_resting {
  const ts_system *system;
  const bool *rests; // contacts whose velocity is zero, those without friction along their normal (blocks)
  double cone;       // share of the friction cone that may be used: 1, or that of the circle in a polygon
} ts_resting;

typedef enum ts_least_outcome {
  TS_LEAST_UNIQUE,   // there is nothing to choose
  TS_LEAST_FOUND,    // the least ones inside the cones, or where those bind, of cones narrower by 1e-3
  TS_LEAST_NEARER,   // as far on the way to the least ones as cones allow
  TS_LEAST_UNCHANGED // it could not be done to round-off
} ts_least_outcome;

// r: a solution in, one of a norm that is no larger out. Memory from the arena, given back.
ts_least_outcome ts_least_norm(const ts_resting *resting, double *r, ts_arena *arena);

// What impulses at rest are led to.
typedef struct ts_balance_data {
  const double *asked;           // velocities that contacts ask for; none along tangents (dimension*blocks)
  const ts_twist *old, *reached; // velocities of the bodies before the step, and those that r leads to
} ts_balance_data;

// Contacts that press are taken to hold. Motions of many bodies together, which sweeps reach last, are then known at
// once: the velocities are those that come nearest to what contacts ask for, and r becomes the nearest impulses in the
// cones that lead to them. `guess` (dimension*blocks) becomes the nearest to these that leave velocities as they are:
// without what put them right in this step, they hold in the next one. False: there are none, and both are of no use.
bool ts_balance(const ts_resting *resting, const ts_balance_data *data, double *r, double *guess, ts_arena *arena);

// Rank of J^T in the rows of contacts that rest, and how many rows there are.
int ts_resting_rank(const ts_resting *resting, int *rows, ts_arena *arena);

#endif
