// The folder in which a study is worked on: OUTPUT.work, with its journals, claims and manifest.
#ifndef TS_STUDY_WORK_FOLDER_H
#define TS_STUDY_WORK_FOLDER_H

#include "study/study.h"

// Make the folder where there is none.
ts_status ts_work_folder_make(const char *folder, ts_error *error);

// Remove what studies leave in it, and nothing else.
ts_status ts_work_folder_clear(const char *folder, ts_error *error);

// Remove the records of trials of that folder, which need not exist, and nothing else.
ts_status ts_record_folder_clear(const char *folder, ts_error *error);

// Hold the study against what is there: TS_INVALID with the key that differs. Where nothing is there it is written.
// `allowed`: changes (ts_manifest_change) that are none; what is new counts from now on.
ts_status ts_work_folder_check(const ts_study *study, const char *folder, unsigned allowed, ts_error *error);

#endif
