// Contacts between two bodies, or two groups of them, in the last step.
#ifndef TS_WATCH_PAIR_QUANTITY_H
#define TS_WATCH_PAIR_QUANTITY_H

#include "touchstone/sim.h"

#include "base/arena.h"

typedef struct ts_pair_quantity ts_pair_quantity;

// What "FIRST, SECOND).QUANTITY" stands for (the text is cut up), in the arena; NULL: nothing. Names may have * and ?,
// and a number of a shape behind them (gear/3); `world` is what supports stand on.
//   count    contacts that push             gap     the least [m]; infinite where there is none
//   pn, fn   sums of impulses and forces    slip    the largest slip of those that push [m/s]
//   px py pz, nx ny nz                      point, and normal towards FIRST, of the one that pushes most, or of the one
//                                           with the least gap where none pushes; NAN where there is none
ts_pair_quantity *ts_pair_quantity_find(const ts_model *model, char *text, ts_arena *arena);

double ts_pair_quantity_value(const ts_pair_quantity *pair, const ts_sim *sim);

#endif
