// A sweep while it runs, and its workers: threads that run trials and write their rows.
#ifndef TS_STUDY_SWEEP_WORKER_H
#define TS_STUDY_SWEEP_WORKER_H

#include "study/claims.h"
#include "study/ledger.h"

#include <pthread.h>

typedef struct ts_sweep {
  const ts_study *study;
  const ts_sweep_options *options;
  const char *folder, *records;
  ts_journal_identity identity;
  ts_ledger ledger;
  ts_claims *claims;
  unsigned char *marks_before; // of workers that try failed trials again: the ledger's, when this sweep began (trials)
  double start;
  ts_sweep_progress before;                                    // as it stood when this sweep began
  _Atomic uint64_t now, ends[TS_TRIAL_END_COUNT], uncertified; // of this sweep
  _Atomic uint64_t begun;                                      // trials, where there is a limit
  _Atomic bool over;                                           // all is given up: interrupted, or a failure
  _Atomic bool interrupted;                                    // some trial was not run for that
  _Atomic int running;                                         // threads
  bool others_work;
  pthread_mutex_t mutex; // of what follows
  ts_status status;      // the first that was not TS_OK
  ts_error error;
} ts_sweep;

typedef struct ts_sweep_worker {
  ts_sweep *all;
  int number;
  pthread_t thread;
  void *own; // of the study's function
  ts_journal *journal;
  uint64_t rows; // in the journal
  double synced; // when they were last brought to the disk
  unsigned char *bytes;
  double *results;
} ts_sweep_worker;

// Whether a trial has to be run, by its mark (ledger.h).
bool ts_sweep_wants(const ts_sweep *all, uint64_t trial, unsigned char mark);

// All ends before its time: TS_INTERRUPTED, with its sentence.
ts_status ts_sweep_give_up(ts_sweep *all, ts_error *error);

// What a worker needs, of which `all` and `number` are set. Disband it whatever is returned.
ts_status ts_sweep_worker_equip(ts_sweep_worker *worker, ts_error *error);
ts_status ts_sweep_worker_disband(ts_sweep_worker *worker, ts_error *error);

// What its thread does: run trials while there are any. `worker` is a ts_sweep_worker.
void *ts_sweep_worker_run(void *worker);

#endif
