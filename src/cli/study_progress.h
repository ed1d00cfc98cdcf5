// What verbs of studies have in common: the bar, the end by Ctrl-C, and names of tables.
#ifndef TS_CLI_STUDY_PROGRESS_H
#define TS_CLI_STUDY_PROGRESS_H

#include "cli/job.h"
#include "cli/progress.h"

#include "touchstone/study.h"

typedef struct cli_study_progress {
  cli_progress bar;
  bool begun;
  bool wanted;
  const cli_job *job; // that the sweep is part of, or NULL
} cli_study_progress;

// Let a sweep show its bar, and be ended by signals (cli_interrupt_watch()).
void cli_study_progress_attach(cli_study_progress *shown, ts_sweep_options *sweep);
void cli_study_progress_end(cli_study_progress *shown);

int cli_core_count(void); // of the machine, at least 1

// Whether --jobs may be that; false after a sentence.
bool cli_jobs_are_good(int jobs);

// "folder/map.yaml" to "map.h5", in new memory.
char *cli_study_output(const char *study);

#endif
