// The inside of a study.
#ifndef TS_STUDY_STUDY_H
#define TS_STUDY_STUDY_H

#include "study/design.h"
#include "study/journal.h"
#include "study/manifest.h"
#include "study/row.h"

struct ts_study {
  ts_arena memory; // of all texts and arrays
  const char *name;
  ts_design design;
  const char **results, **units; // (result_count)
  int result_count;
  int most_attempts;
  ts_trial_function function;
  ts_manifest manifest;        // all that rows depend on
  void (*release)(void *user); // what `function.user` holds, or NULL: it is the caller's
};

// The same study by the same bytes: what may change without making rows others is left out.
ts_journal_identity ts_study_identity(const ts_study *study);

// Where its journals lie: OUTPUT.work. In memory of malloc(); NULL: it ran out.
char *ts_study_folder(const char *output);

// Where records of trials lie, OUTPUT.records/trial_N.h5; likewise.
char *ts_study_records(const char *output);
#define TS_RECORD_OF_TRIAL "trial_%llu.h5"

bool ts_study_any_steps(const ts_study *study); // trials of more than 1e9 steps run, too

// Run a trial with all its attempts.
ts_status ts_study_try(const ts_study *study, void *worker, ts_trial *trial, ts_trial_row *row, ts_error *error);

// What a failure is about: a variation, a result, or both; -1: none.
typedef struct ts_study_subject {
  int column, result;
} ts_study_subject;

// ts_study_create(), which tells that.
ts_status ts_study_make(const ts_study_def *def, ts_study **study, ts_study_subject *about, ts_error *error);

#endif
