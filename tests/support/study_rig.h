// A study whose trials are arithmetic, so that tests know every number of its table. Some trials fail, stop or meet a
// limit, by their numbers.
#ifndef TS_SUPPORT_STUDY_RIG_H
#define TS_SUPPORT_STUDY_RIG_H

#include "touchstone/study.h"

#include <stdatomic.h>

enum { RIG_MOST_TRIALS = 4096, RIG_RESULTS = 3, RIG_CELLS = 6, RIG_PARAMETERS = 4 };

typedef struct study_rig {
  atomic_uint *calls; // how often each trial was run; seen by all processes (RIG_MOST_TRIALS)
  bool healed;        // nothing fails
  int pause;          // of every trial [microseconds]
  unsigned stop_at;   // the interruption comes after so many calls of the function; 0: never
  atomic_uint *run;   // calls of the function; seen by all processes, too
} study_rig;

void rig_init(study_rig *rig);
void rig_release(study_rig *rig);
void rig_forget(study_rig *rig); // all calls

// Parameters a (2 values), b (3 values), x (random), y = a + b x; results sum, `a "b", c` (mean) and none.
ts_study *rig_study(study_rig *rig, uint64_t samples);
ts_study_def rig_def(study_rig *rig, uint64_t samples); // what it is made of; its texts are static

// What comes of a trial with these parameters.
void rig_outcome(const study_rig *rig, uint64_t trial, const double *parameters, ts_trial_outcome *outcome,
                 char *failure, size_t size);

bool rig_interrupt(void *user); // a ts_interrupt_callback: user is the rig

unsigned rig_calls(const study_rig *rig, uint64_t trial);

// Options for so many threads and trials.
ts_sweep_options rig_options(int jobs, uint64_t trial_limit);

// A sweep that has to be TS_OK.
void rig_sweep(const ts_study *study, const char *output, const ts_sweep_options *options, ts_sweep_progress *progress);

#endif
