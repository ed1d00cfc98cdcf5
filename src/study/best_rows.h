// The rows that count: of every trial the best one, in the order of trials, whoever ran it when.
#ifndef TS_STUDY_BEST_ROWS_H
#define TS_STUDY_BEST_ROWS_H

#include "study/study.h"

// Called once a trial that has a row; what is not TS_OK ends the visit, which returns it.
typedef ts_status ts_row_visitor(void *user, const ts_trial_row *row, ts_error *error);

// Rows are looked through twice: where the best one of every trial is goes to a file (row_places.h), and then they are
// read in the order of trials. So no memory is needed for them. `folder` is the study's.
ts_status ts_best_rows_visit(const ts_study *study, const char *folder, ts_row_visitor *visit, void *user,
                             ts_error *error);

#endif
