// Contacts between two bodies, or two groups of them, in the last step.
#ifndef TS_WATCH_PAIR_QUANTITY_H
#define TS_WATCH_PAIR_QUANTITY_H

#include "watch/name_trouble.h"

#include "touchstone/sim.h"

#include "base/arena.h"

typedef struct ts_pair_quantity ts_pair_quantity;

// What "FIRST, SECOND).QUANTITY" stands for (the text is cut up), in the arena; NULL: nothing. Names may have * and ?,
// may stand in quotes, and may have a number of a shape behind them (gear/3); `world` is what supports stand on.
ts_pair_quantity *ts_pair_quantity_find(const ts_model *model, char *text, ts_arena *arena, ts_name_trouble *trouble);

double ts_pair_quantity_value(const ts_pair_quantity *pair, const ts_sim *sim);

// Name, unit and help of the i-th quantity; NULL after the last.
const char *ts_pair_quantity_row(int i, const char **unit, const char **help);

#endif
