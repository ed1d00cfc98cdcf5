// All trials of a study, on threads of this process and beside other processes.
#define _POSIX_C_SOURCE 200809L // nanosleep, pthread_sigmask
#include "study/folder_lock.h"
#include "study/sweep_worker.h"
#include "study/table_format.h"
#include "study/work_folder.h"

#include "base/clock.h"
#include "base/require.h"
#include "base/status.h"

#include <pthread.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>
#include <unistd.h>

enum { COOKIE = 0x53feb, MOST_CHUNK = 256, CHUNKS_A_WORKER = 64, MOST_JOBS = 1024 };

ts_sweep_options ts_sweep_options_default(void)
{
  return (ts_sweep_options){.jobs = 1, .stale = 300.0, .cookie = COOKIE};
}

static ts_status check_options(const ts_sweep_options *options, ts_error *error)
{
  if (options->cookie != COOKIE)
    return ts_fail(error, TS_INVALID, "options of a sweep begin with ts_sweep_options_default()");
  if (options->jobs < 1 || options->jobs > MOST_JOBS)
    return ts_fail(error, TS_INVALID, "a sweep has from 1 to %d threads, not %d", MOST_JOBS, options->jobs);
  if (options->workers != 0 && !(options->worker >= 0 && options->worker < options->workers))
    return ts_fail(error, TS_INVALID, "there is no worker %d of %d", options->worker, options->workers);
  if (options->workers != 0 && options->ticket)
    return ts_fail(error, TS_INVALID, "workers share a folder, or a counter of their job (MPI), not both");
  if (options->fresh && (options->workers != 0 || options->ticket))
    return ts_fail(error, TS_INVALID, "what is there can be thrown away by a process that is alone, not by workers");
  if (!(options->stale > 0.0)) return ts_fail(error, TS_INVALID, "the silence of dead workers must be positive");
  return TS_OK;
}

// ---- all workers ---------------------------------------------------------------------------------------------------

static ts_sweep_progress progress_of(ts_sweep *all)
{
  ts_sweep_progress progress = all->before;
  progress.now = atomic_load(&all->now);
  progress.uncertified += atomic_load(&all->uncertified);
  for (int i = 0; i < TS_TRIAL_END_COUNT; ++i) progress.ends[i] += atomic_load(&all->ends[i]);
  progress.seconds = ts_clock_seconds() - all->start;
  progress.others_work = all->others_work;
  return progress;
}

static void wait_for_workers(ts_sweep *all)
{
  const struct timespec a_while = {.tv_nsec = 20 * 1000 * 1000};
  const ts_sweep_options *options = all->options;
  double next = 0.0;
  while (atomic_load(&all->running) > 0) {
    nanosleep(&a_while, NULL);
    if (options->meanwhile) options->meanwhile(options->user);
    if (options->interrupt && options->interrupt(options->interrupt_user)) atomic_store(&all->over, true);
    (void)ts_claims_refresh(all->claims, NULL); // a trial may take long
    const double now = ts_clock_seconds();
    if (!options->progress || now < next) continue;
    const ts_sweep_progress progress = progress_of(all);
    options->progress(options->user, &progress);
    next = now + 0.1;
  }
}

// Signals are for the thread that called.
static ts_status start_threads(ts_sweep *all, ts_sweep_worker *workers, int *started, ts_error *error)
{
  sigset_t every, before;
  int failure = 0;
  sigfillset(&every);
  pthread_sigmask(SIG_BLOCK, &every, &before);
  for (*started = 0; *started < all->options->jobs && failure == 0; *started += failure == 0) {
    atomic_fetch_add(&all->running, 1);
    failure = pthread_create(&workers[*started].thread, NULL, ts_sweep_worker_run, &workers[*started]);
    if (failure != 0) atomic_fetch_sub(&all->running, 1);
  }
  pthread_sigmask(SIG_SETMASK, &before, NULL);
  if (failure == 0) return TS_OK;
  return ts_fail(error, TS_IO, "thread %d of the sweep cannot be started: %s", *started + 1, strerror(failure));
}

static ts_status run_threads(ts_sweep *all, ts_sweep_worker *workers, ts_error *error)
{
  int started;
  const ts_status status = start_threads(all, workers, &started, error);
  if (status != TS_OK) atomic_store(&all->over, true);
  wait_for_workers(all);
  for (int i = 0; i < started; ++i) pthread_join(workers[i].thread, NULL);
  if (status != TS_OK) return status;
  if (all->status != TS_OK && error) *error = all->error;
  return all->status;
}

static ts_status run_workers(ts_sweep *all, ts_error *error)
{
  const int jobs = all->options->jobs;
  ts_sweep_worker *workers = calloc((size_t)jobs, sizeof *workers);
  ts_error later = {0};
  if (!workers) return ts_fail(error, TS_OUT_OF_MEMORY, "memory ran out");
  ts_status status = TS_OK;
  int equipped = 0;
  for (; equipped < jobs && status == TS_OK; ++equipped) {
    workers[equipped] = (ts_sweep_worker){.all = all, .number = equipped};
    status = ts_sweep_worker_equip(&workers[equipped], error);
  }
  if (status == TS_OK) status = run_threads(all, workers, error);
  for (int i = 0; i < equipped; ++i) {
    const ts_status closed = ts_sweep_worker_disband(&workers[i], &later);
    if (status != TS_OK || closed == TS_OK) continue;
    status = closed;
    if (error) *error = later;
  }
  free(workers);
  return status;
}

// ---- claims --------------------------------------------------------------------------------------------------------

// Asked by one thread at a time.
static bool is_complete(void *user, uint64_t first, uint64_t number)
{
  ts_sweep *all = user;
  if (ts_ledger_read(&all->ledger, NULL) != TS_OK) return false;
  for (uint64_t trial = first; trial < first + number; ++trial)
    if (ts_sweep_wants(all, trial, ts_ledger_mark(&all->ledger, trial))) return false;
  return true;
}

static uint64_t chunk_size(const ts_sweep *all)
{
  const ts_sweep_options *options = all->options;
  const int processes = options->workers > 0 ? options->workers : options->processes > 0 ? options->processes : 1;
  const uint64_t hands = (uint64_t)options->jobs * (uint64_t)processes;
  const uint64_t size = all->study->design.trials / (hands * CHUNKS_A_WORKER);
  return size < 1 ? 1 : size > MOST_CHUNK ? MOST_CHUNK : size;
}

static ts_status open_claims(ts_sweep *all, ts_error *error)
{
  const uint64_t trials = all->study->design.trials;
  const ts_sweep_options *options = all->options;
  if (options->ticket)
    return ts_claims_create_shared(trials, chunk_size(all), options->ticket, options->user, &all->claims, error);
  if (options->workers == 0) return ts_claims_create_counter(trials, chunk_size(all), &all->claims, error);
  const ts_claims_setup setup = {.folder = all->folder,
                                 .trials = trials,
                                 .chunk = chunk_size(all),
                                 .worker = options->worker,
                                 .workers = options->workers,
                                 .stale = options->stale,
                                 .is_complete = is_complete,
                                 .user = all};
  return ts_claims_create_folder(&setup, &all->claims, error);
}

// ---- the whole -----------------------------------------------------------------------------------------------------

// The ledger may be read again while threads run; what stood at the beginning stays.
static ts_sweep_progress stock_of(const ts_ledger *ledger)
{
  ts_sweep_progress stock = {
      .trials = ledger->study->design.trials, .before = ledger->done, .uncertified = ledger->uncertified};
  memcpy(stock.ends, ledger->ends, sizeof stock.ends);
  memcpy(stock.note, ledger->note, sizeof stock.note);
  return stock;
}

static ts_status take_stock(ts_sweep *all, ts_error *error)
{
  const uint64_t trials = all->study->design.trials;
  all->before = stock_of(&all->ledger);
  if (!all->options->retry_failed || all->options->workers == 0) return TS_OK;
  all->marks_before = malloc(trials + 1);
  if (!all->marks_before) return ts_fail(error, TS_OUT_OF_MEMORY, "memory ran out");
  for (uint64_t i = 0; i < trials; ++i) all->marks_before[i] = ts_ledger_mark(&all->ledger, i);
  return TS_OK;
}

static ts_status prepare(const ts_study *study, const char *folder, const char *records,
                         const ts_sweep_options *options, ts_error *error)
{
  if (options->fresh) TS_TRY(ts_work_folder_clear(folder, error));
  if (options->fresh) TS_TRY(ts_record_folder_clear(records, error));
  const unsigned allowed = (options->extend ? (unsigned)TS_MANIFEST_EXTENDED : 0) |
                           (options->retry_failed ? (unsigned)TS_MANIFEST_RETRIED : 0);
  return ts_work_folder_check(study, folder, allowed, error);
}

static ts_status sweep_folder(ts_sweep *all, ts_sweep_progress *progress, ts_error *error)
{
  TS_TRY(prepare(all->study, all->folder, all->records, all->options, error));
  TS_TRY(ts_ledger_open(all->study, all->folder, &all->ledger, error));
  ts_status status = take_stock(all, error);
  if (status == TS_OK) status = open_claims(all, error);
  if (status == TS_OK) {
    pthread_mutex_init(&all->mutex, NULL);
    status = run_workers(all, error);
    pthread_mutex_destroy(&all->mutex);
    all->others_work = status == TS_OK && ts_claims_pending(all->claims) > 0;
    ts_claims_destroy(all->claims);
  }
  if (progress) *progress = progress_of(all);
  ts_ledger_close(&all->ledger);
  free(all->marks_before);
  return status == TS_OK && atomic_load(&all->interrupted) ? ts_sweep_give_up(all, error) : status;
}

// Claims are of those who work at the same time: the first of several workers finds none of earlier ones. What is done
// stands in the ledger.
static ts_status clear_claims_if_first(const ts_sweep *all, ts_error *error)
{
  ts_folder_lock lock;
  if (ts_folder_lock_take(all->folder, TS_FOLDER_ALONE, &lock, NULL) != TS_OK) return TS_OK;
  const ts_status status = lock.unlocked ? TS_OK : ts_claims_clear(all->folder, error);
  ts_folder_lock_release(&lock);
  return status;
}

// Another worker may be about to clear the claims: that does not take long.
static ts_status lock_with_others(const ts_sweep *all, ts_folder_lock *lock, ts_error *error)
{
  enum { TRIES = 100 };
  const struct timespec a_while = {.tv_nsec = 20 * 1000 * 1000};
  if (all->options->workers > 0) TS_TRY(clear_claims_if_first(all, error));
  for (int i = 1; i < TRIES; ++i) {
    if (ts_folder_lock_take(all->folder, TS_FOLDER_SHARED, lock, NULL) == TS_OK) return TS_OK;
    nanosleep(&a_while, NULL);
  }
  return ts_folder_lock_take(all->folder, TS_FOLDER_SHARED, lock, error);
}

static ts_status sweep_locked(ts_sweep *all, ts_sweep_progress *progress, ts_error *error)
{
  const bool alone = all->options->workers == 0 && !all->options->ticket;
  ts_folder_lock lock;
  TS_TRY(alone ? ts_folder_lock_take(all->folder, TS_FOLDER_ALONE, &lock, error) : lock_with_others(all, &lock, error));
  const ts_status status = sweep_folder(all, progress, error);
  ts_folder_lock_release(&lock);
  return status;
}

// The folders of a study, in memory of malloc(). The one for work is made where there is none.
static ts_status open_folders(const char *output, char **folder, char **records, ts_error *error)
{
  *folder = *records = NULL;
  if (ts_table_kind_of(output) == TS_TABLE_KIND_COUNT) return ts_table_refuse_name(error);
  *folder = ts_study_folder(output);
  *records = ts_study_records(output);
  if (!*folder || !*records) return ts_fail(error, TS_OUT_OF_MEMORY, "memory ran out");
  return ts_work_folder_make(*folder, error);
}

ts_status ts_study_sweep(const ts_study *study, const char *output, const ts_sweep_options *options,
                         ts_sweep_progress *progress, ts_error *error)
{
  TS_REFUSE_UNLESS(study, error);
  TS_REFUSE_UNLESS(output, error);
  TS_REFUSE_UNLESS(options, error);
  TS_TRY(check_options(options, error));
  char *folder, *records;
  ts_status status = open_folders(output, &folder, &records, error);
  ts_sweep all = {
      .study = study, .options = options, .folder = folder, .records = records, .start = ts_clock_seconds()};
  all.identity = ts_study_identity(study);
  if (status == TS_OK) status = sweep_locked(&all, progress, error);
  free(folder);
  free(records);
  return status;
}

ts_status ts_study_prepare(const ts_study *study, const char *output, const ts_sweep_options *options, ts_error *error)
{
  TS_REFUSE_UNLESS(study, error);
  TS_REFUSE_UNLESS(output, error);
  TS_REFUSE_UNLESS(options, error);
  TS_TRY(check_options(options, error));
  char *folder, *records;
  ts_folder_lock lock;
  ts_status status = open_folders(output, &folder, &records, error);
  if (status == TS_OK) status = ts_folder_lock_take(folder, TS_FOLDER_ALONE, &lock, error);
  if (status == TS_OK) {
    status = prepare(study, folder, records, options, error);
    ts_folder_lock_release(&lock);
  }
  free(folder);
  free(records);
  return status;
}

ts_status ts_study_stand(const ts_study *study, const char *output, ts_sweep_progress *progress, ts_error *error)
{
  TS_REFUSE_UNLESS(study, error);
  TS_REFUSE_UNLESS(output, error);
  TS_REFUSE_UNLESS(progress, error);
  *progress = (ts_sweep_progress){.trials = study->design.trials};
  char *folder = ts_study_folder(output);
  ts_ledger ledger;
  ts_status status = folder ? TS_OK : ts_fail(error, TS_OUT_OF_MEMORY, "memory ran out");
  if (status == TS_OK && access(folder, F_OK) == 0) {
    status = ts_ledger_open(study, folder, &ledger, error);
    if (status == TS_OK) *progress = stock_of(&ledger);
    if (status == TS_OK) ts_ledger_close(&ledger);
  }
  free(folder);
  return status;
}
