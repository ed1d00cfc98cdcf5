// Forces between two bodies, or groups of them, and by what they touch, through a run: "contacts(part, finger*).fn".
#ifndef TS_PLOT_PAIR_SERIES_H
#define TS_PLOT_PAIR_SERIES_H

#include "plot/series.h"

// Whether a word has that form.
bool ts_pair_series_is_meant(const char *word);

// The series: at each recorded state the sum over all contacts of the step that led to it whose bodies are of the two
// names, in either order (* and ? as wildcards), of their normal forces (fn) or impulses (pn); 0 where nothing touches,
// nothing at the first state. Of patch it is the largest dimension of those that push, nothing where none does. Owns
// its numbers.
ts_status ts_pair_series(const ts_record *record, const char *word, ts_series *series, ts_error *error);

#endif
