#define _POSIX_C_SOURCE 200809L // unlink
#include "study/sweep_worker.h"

#include "base/clock.h"
#include "base/status.h"

#include <stdio.h>
#include <stdlib.h>
#include <unistd.h>

static const double SYNC_INTERVAL = 10.0; // [s]: rows that a loss of power may cost

static void fail(ts_sweep *all, ts_status status, const ts_error *why)
{
  pthread_mutex_lock(&all->mutex);
  if (all->status == TS_OK) {
    all->status = status;
    all->error = *why;
  }
  pthread_mutex_unlock(&all->mutex);
  atomic_store(&all->over, true);
}

static bool is_interrupted(void *user)
{
  const ts_sweep *all = user;
  const ts_sweep_options *options = all->options;
  return atomic_load_explicit(&all->over, memory_order_relaxed) ||
         (options->interrupt && options->interrupt(options->interrupt_user));
}

// Tried again is what had failed when the sweep began, and nobody has tried since.
static bool is_to_be_retried(const ts_sweep *all, uint64_t trial, unsigned char mark)
{
  if (!all->options->retry_failed || !ts_ledger_has_failed(mark)) return false;
  if (ts_ledger_generation(mark) >= TS_LEDGER_LAST_GENERATION) return false;
  return !all->marks_before || ts_ledger_generation(mark) == ts_ledger_generation(all->marks_before[trial]);
}

bool ts_sweep_wants(const ts_sweep *all, uint64_t trial, unsigned char mark)
{
  return mark == 0 || is_to_be_retried(all, trial, mark);
}

// Whether another trial may begin. It is counted then.
static bool may_begin(ts_sweep *all)
{
  return all->options->trial_limit == 0 || atomic_fetch_add(&all->begun, 1) < all->options->trial_limit;
}

ts_status ts_sweep_give_up(ts_sweep *all, ts_error *error)
{
  atomic_store(&all->interrupted, true);
  atomic_store(&all->over, true);
  return ts_fail(error, TS_INTERRUPTED, "the sweep was interrupted");
}

// A row that takes the place of another one takes its place in the counts, which may wrap around for a moment.
static void count(ts_sweep *all, const ts_trial_row *row, unsigned char before)
{
  if (before != 0) {
    atomic_fetch_sub_explicit(&all->ends[ts_ledger_end(before)], 1, memory_order_relaxed);
    if (ts_ledger_is_uncertified(before)) atomic_fetch_sub_explicit(&all->uncertified, 1, memory_order_relaxed);
  }
  atomic_fetch_add_explicit(&all->ends[row->outcome.end], 1, memory_order_relaxed);
  if (row->outcome.uncertified > 0) atomic_fetch_add_explicit(&all->uncertified, 1, memory_order_relaxed);
  atomic_fetch_add_explicit(&all->now, 1, memory_order_relaxed);
}

static ts_status write_row(ts_sweep_worker *worker, const ts_trial_row *row, ts_error *error)
{
  const size_t size = ts_row_write(row, worker->all->study->result_count, worker->bytes);
  const double now = ts_clock_seconds();
  TS_TRY(ts_journal_append(worker->journal, worker->bytes, size, error));
  ++worker->rows;
  if (now - worker->synced < SYNC_INTERVAL) return TS_OK;
  worker->synced = now;
  return ts_journal_sync(worker->journal, error);
}

// The record of a trial that has been run again is not of its row any more.
static void forget_record(const ts_sweep *all, uint64_t trial)
{
  char path[4096];
  snprintf(path, sizeof path, "%.4000s/" TS_RECORD_OF_TRIAL, all->records, (unsigned long long)trial);
  unlink(path);
}

static ts_status run_trial(ts_sweep_worker *worker, uint64_t number, unsigned char before, ts_error *error)
{
  ts_sweep *all = worker->all;
  ts_trial trial = {.number = number, .interrupt = is_interrupted, .interrupt_user = all};
  ts_trial_row row = {.outcome.results = worker->results};
  if (before != 0) row.generation = (uint32_t)ts_ledger_generation(before) + 1;
  if (ts_study_try(all->study, worker->own, &trial, &row, error) != TS_OK) return ts_sweep_give_up(all, error);
  TS_TRY(write_row(worker, &row, error));
  if (before != 0) forget_record(all, number);
  count(all, &row, before);
  return ts_claims_refresh(all->claims, error);
}

// *full becomes true when no more trials may begin.
static ts_status run_chunk(ts_sweep_worker *worker, uint64_t first, uint64_t count_of_chunk, bool *full,
                           ts_error *error)
{
  ts_sweep *all = worker->all;
  for (uint64_t trial = first; trial < first + count_of_chunk && !*full; ++trial) {
    const unsigned char mark = ts_ledger_mark(&all->ledger, trial);
    if (!ts_sweep_wants(all, trial, mark)) continue;
    if (is_interrupted(all)) return ts_sweep_give_up(all, error);
    *full = !may_begin(all);
    if (!*full) TS_TRY(run_trial(worker, trial, mark, error));
  }
  return TS_OK;
}

static ts_status run_chunks(ts_sweep_worker *worker, ts_error *error)
{
  for (bool full = false; !full;) {
    uint64_t first, chunk;
    TS_TRY(ts_claims_next(worker->all->claims, &first, &chunk, error));
    if (chunk == 0) break;
    TS_TRY(run_chunk(worker, first, chunk, &full, error));
  }
  return TS_OK;
}

void *ts_sweep_worker_run(void *argument)
{
  ts_sweep_worker *worker = argument;
  ts_error error = {0};
  const ts_status status = run_chunks(worker, &error);
  if (status != TS_OK && status != TS_INTERRUPTED) fail(worker->all, status, &error);
  atomic_fetch_sub(&worker->all->running, 1);
  return NULL;
}

ts_status ts_sweep_worker_equip(ts_sweep_worker *worker, ts_error *error)
{
  const ts_study *study = worker->all->study;
  char name[32];
  snprintf(name, sizeof name, "t%d", worker->number);
  worker->bytes = malloc(ts_row_size(study->result_count));
  worker->results = malloc(((size_t)study->result_count + 1) * sizeof *worker->results);
  if (!worker->bytes || !worker->results) return ts_fail(error, TS_OUT_OF_MEMORY, "memory ran out");
  worker->synced = ts_clock_seconds();
  if (study->function.create_worker) TS_TRY(study->function.create_worker(study->function.user, &worker->own, error));
  return ts_journal_create(worker->all->folder, name, &worker->all->identity, &worker->journal, error);
}

ts_status ts_sweep_worker_disband(ts_sweep_worker *worker, ts_error *error)
{
  const ts_trial_function *function = &worker->all->study->function;
  if (worker->journal && worker->rows == 0) unlink(ts_journal_path(worker->journal)); // it says nothing
  const ts_status status = ts_journal_close(worker->journal, error);
  if (worker->own && function->destroy_worker) function->destroy_worker(worker->own);
  free(worker->bytes);
  free(worker->results);
  return status;
}
