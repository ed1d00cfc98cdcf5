// Visits of all contacts in the space of bodies, colour by colour, in double or in single precision: what a member of
// the team does. Results do not depend on its size.
#ifndef TS_COMPLEMENTARITY_FRICTION_BODY_VISITS_H
#define TS_COMPLEMENTARITY_FRICTION_BODY_VISITS_H

#include "complementarity/friction/body_batches.h"

// How visits are shared. Batches are counted in pairs, which are those of single precision.
typedef struct ts_visit_order {
  int d, bodies;
  int colours; // pairs of colour c that are member m's begin at share[c (size + 1) + m]
  int *share;
  int alone, pairs; // pairs from `alone` on are visited one by one, by member 0
  ts_team *team;    // NULL: there is not enough work for several
} ts_visit_order;

// What is visited: batches of one precision and the velocities of bodies, G^T of the point and of the one before it,
// TS_BODY_NUMBERS a body; of what does not move 0, at the end.
typedef struct ts_quad_swept {
  ts_quad_batch *batches;
  const ts_quad *G;
  double *v, *v_before;
  ts_quad *uphill; // of a batch in the last sweep
} ts_quad_swept;

typedef struct ts_oct_swept {
  ts_oct_batch *batches;
  const ts_oct *G;
  float *v, *v_before;
  ts_oct *uphill;
} ts_oct_swept;

// Of pairs whose sums are taken together, whoever takes them.
typedef struct ts_visit_sums {
  double scaled, raw, size; // squares of the two residuals and of the impulses
  double worst;             // square of the worst contact's error, NAN if one has none
} ts_visit_sums;

enum { TS_PAIRS_A_SUM = 8 };

typedef struct ts_visit_turn {
  const ts_visit_order *order;
  void *swept;         // of the precision
  double weight;       // of a sweep
  bool near;           // of a measurement: FCLIB's figure and the size of the impulses are wanted too
  bool afresh;         // of a measurement: v = G^T x, for what sweeps add up drifts by round-off
  ts_visit_sums *sums; // of a measurement
  int member, size;
} ts_visit_turn;

typedef void ts_visit(const ts_visit_turn *turn);

// A sweep from y = x + weight (x - x_before); the errors of the point; v = G^T x.
typedef struct ts_visits {
  ts_visit *sweep, *measure, *add_up;
  double (*uphill)(const ts_visit_order *order, const void *swept); // (y - x').(x' - x) of the last sweep
} ts_visits;

extern const ts_visits ts_quad_visits, ts_oct_visits;

#endif
