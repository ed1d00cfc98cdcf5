// Where the best row of every trial is: on disk, for there may be more trials than memory has room for. The file lies
// in the work folder and loses its name at once, so that nothing of it is left but by a kill at that moment.
#ifndef TS_STUDY_ROW_PLACES_H
#define TS_STUDY_ROW_PLACES_H

#include "study/journal.h"

#include <stdbool.h>

typedef struct ts_row_places ts_row_places;

typedef struct ts_row_place {
  ts_journal_place at;
  uint32_t generation; // the highest counts
  uint32_t sum;        // of the row; where generations are equal the lowest counts, whatever the order of rows
} ts_row_place;

// On failure *places is NULL and `error` has a sentence.
ts_status ts_row_places_create(const char *folder, ts_row_places **places, ts_error *error);
void ts_row_places_destroy(ts_row_places *places); // accepts NULL

// Quick where trials are about in order.
ts_status ts_row_places_note(ts_row_places *places, uint64_t trial, const ts_row_place *place, ts_error *error);
// *there is false where no row was noted.
ts_status ts_row_places_find(ts_row_places *places, uint64_t trial, ts_row_place *place, bool *there, ts_error *error);

#endif
