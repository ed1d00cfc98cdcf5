// Sweeps: every trial once, whoever runs it; what is in a journal is never run again, whatever becomes of the process;
// and refusals.
#define _DEFAULT_SOURCE // usleep, RLIMIT_FSIZE, MAP_ANONYMOUS
#include "study/ledger.h"

#include "scratch_folder.h"
#include "study_rig.h"
#include "whole_file.h"

#include "base/random.h"

#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <sys/resource.h>
#include <sys/stat.h>
#include <sys/wait.h>
#include <unistd.h>
#include <cmocka.h>

#define scratch_test(f) cmocka_unit_test_setup_teardown(f, scratch_folder_set_up, scratch_folder_tear_down)

enum { SAMPLES = 40, TRIALS = SAMPLES * RIG_CELLS };

typedef struct fixture {
  study_rig rig;
  ts_study *study;
  char output[128];
} fixture;

// The study keeps the address of the rig, which has to stay where it is.
static void begin(void **state, fixture *f, uint64_t samples)
{
  rig_init(&f->rig);
  f->study = rig_study(&f->rig, samples);
  snprintf(f->output, sizeof f->output, "%s", scratch_path(*state, "sweep.h5"));
}

// The same with other samples.
static void begin_again(fixture *f, uint64_t samples)
{
  ts_study_destroy(f->study);
  f->study = rig_study(&f->rig, samples);
}

static void end(fixture *f)
{
  ts_study_destroy(f->study);
  rig_release(&f->rig);
}

static ts_ledger open_ledger(const fixture *f)
{
  ts_ledger ledger;
  ts_error error = {0};
  char *folder = ts_study_folder(f->output);
  if (ts_ledger_open(f->study, folder, &ledger, &error) != TS_OK) fail_msg("%s", error.text);
  free(folder);
  return ledger;
}

// How often each trial had been run, -1 of those without a row.
static void note_calls(const fixture *f, int *calls)
{
  ts_ledger ledger = open_ledger(f);
  for (uint64_t i = 0; i < ts_study_trial_count(f->study); ++i)
    calls[i] = ts_ledger_mark(&ledger, i) != 0 ? (int)rig_calls(&f->rig, i) : -1;
  ts_ledger_close(&ledger);
}

static void assert_not_run_again(const fixture *f, const int *calls)
{
  for (uint64_t i = 0; i < ts_study_trial_count(f->study); ++i)
    if (calls[i] >= 0 && (int)rig_calls(&f->rig, i) != calls[i]) fail_msg("trial %d was run again", (int)i);
}

static void assert_all_done(const fixture *f)
{
  ts_ledger ledger = open_ledger(f);
  assert_int_equal(ledger.done, ts_study_trial_count(f->study));
  ts_ledger_close(&ledger);
}

// The table is that of a sweep by one thread which nobody has disturbed.
static void assert_same_table(fixture *f, scratch_folder *folder)
{
  ts_error error = {0};
  const ts_sweep_options options = rig_options(1, 0);
  const char *reference = scratch_path(folder, "reference.h5");
  f->rig.pause = 0;
  f->rig.stop_at = 0;
  rig_sweep(f->study, reference, &options, NULL);
  assert_int_equal(ts_study_pack(f->study, reference, &error), TS_OK);
  assert_int_equal(ts_study_pack(f->study, f->output, &error), TS_OK);
  assert_same_files(reference, f->output);
}

// ---- every trial once ----------------------------------------------------------------------------------------------

static void expected_ends(const fixture *f, uint64_t ends[static TS_TRIAL_END_COUNT], uint64_t *uncertified)
{
  memset(ends, 0, TS_TRIAL_END_COUNT * sizeof *ends);
  *uncertified = 0;
  for (uint64_t i = 0; i < ts_study_trial_count(f->study); ++i) {
    double parameters[RIG_PARAMETERS], results[RIG_RESULTS];
    ts_trial_outcome outcome = {.results = results};
    char failure[128];
    assert_int_equal(ts_study_parameters(f->study, i, parameters, NULL), TS_OK);
    rig_outcome(&f->rig, i, parameters, &outcome, failure, sizeof failure);
    ++ends[failure[0] ? TS_TRIAL_FAILED : outcome.end];
    *uncertified += outcome.uncertified > 0;
  }
}

static void assert_ends(const fixture *f, const ts_sweep_progress *progress)
{
  uint64_t ends[TS_TRIAL_END_COUNT], uncertified;
  expected_ends(f, ends, &uncertified);
  for (int i = 0; i < TS_TRIAL_END_COUNT; ++i) assert_int_equal(progress->ends[i], ends[i]);
  assert_int_equal(progress->uncertified, uncertified);
}

static void every_trial_is_run_once(void **state)
{
  for (int jobs = 1; jobs <= 4; ++jobs) {
    fixture f;
    begin(state, &f, SAMPLES);
    ts_sweep_progress progress;
    ts_sweep_options options = rig_options(jobs, 0);
    options.fresh = true;
    rig_sweep(f.study, f.output, &options, &progress);
    for (uint64_t i = 0; i < TRIALS; ++i) assert_int_equal(rig_calls(&f.rig, i), 1);
    assert_true(progress.trials == TRIALS && progress.before == 0 && progress.now == TRIALS && progress.seconds > 0.0);
    assert_ends(&f, &progress);
    options.fresh = false; // nothing is left to do
    rig_sweep(f.study, f.output, &options, &progress);
    assert_true(progress.before == TRIALS && progress.now == 0);
    assert_ends(&f, &progress);
    for (uint64_t i = 0; i < TRIALS; ++i) assert_int_equal(rig_calls(&f.rig, i), 1);
    end(&f);
  }
}

static void limits_are_kept_and_gone_on_from(void **state)
{
  for (int jobs = 1; jobs <= 4; ++jobs) {
    fixture f;
    begin(state, &f, SAMPLES);
    ts_sweep_options options = rig_options(jobs, 50);
    options.fresh = true;
    for (int done = 0; done < TRIALS; done += 50) {
      ts_sweep_progress progress;
      rig_sweep(f.study, f.output, &options, &progress);
      assert_int_equal(progress.before, done);
      assert_int_equal(progress.now, done + 50 <= TRIALS ? 50 : TRIALS - done);
      options.fresh = false;
    }
    for (uint64_t i = 0; i < TRIALS; ++i) assert_int_equal(rig_calls(&f.rig, i), 1);
    end(&f);
  }
}

static void interrupted_sweeps_are_gone_on_with(void **state)
{
  for (int jobs = 1; jobs <= 3; ++jobs) {
    fixture f;
    begin(state, &f, SAMPLES);
    int calls[TRIALS], times = 0;
    ts_status status;
    ts_error error = {0};
    ts_sweep_options options = rig_options(jobs, 0);
    options.interrupt = rig_interrupt;
    options.interrupt_user = &f.rig;
    options.fresh = true;
    do {
      f.rig.stop_at = atomic_load(f.rig.run) + 31;
      status = ts_study_sweep(f.study, f.output, &options, NULL, &error);
      if (times++ > 0) assert_not_run_again(&f, calls);
      note_calls(&f, calls);
      options.fresh = false;
    } while (status == TS_INTERRUPTED);
    assert_int_equal(status, TS_OK);
    assert_true(times > 5);
    assert_non_null(strstr(error.text, "interrupted"));
    assert_all_done(&f);
    assert_same_table(&f, *state);
    end(&f);
  }
}

static ts_status leave_once(void *user, void *worker, const ts_trial *trial, ts_trial_outcome *outcome, ts_error *error)
{
  (void)worker, (void)outcome, (void)error;
  return trial->number == 100 && atomic_fetch_add((atomic_int *)user, 1) == 0 ? TS_INTERRUPTED : TS_OK;
}

// A trial that was given up is missing, and the sweep says so, though nobody interrupts any more.
static void trials_that_give_up_interrupt_the_sweep(void **state)
{
  for (int jobs = 1; jobs <= 2; ++jobs) {
    atomic_int times = 0;
    const ts_study_def def = {.samples = 500, .most_attempts = 1, .function = {.run = leave_once, .user = &times}};
    ts_study *study;
    ts_sweep_progress progress;
    ts_error error = {0};
    assert_int_equal(ts_study_create(&def, &study, NULL), TS_OK);
    ts_sweep_options options = rig_options(jobs, 0);
    options.fresh = true;
    const char *output = scratch_path(*state, "left.h5");
    assert_int_equal(ts_study_sweep(study, output, &options, &progress, &error), TS_INTERRUPTED);
    assert_true(progress.now < 500);
    options.fresh = false;
    rig_sweep(study, output, &options, &progress);
    assert_int_equal(progress.before + progress.now, 500);
    ts_study_destroy(study);
  }
}

// ---- processes that die --------------------------------------------------------------------------------------------

static pid_t fork_sweep(const fixture *f, const ts_sweep_options *options)
{
  const pid_t child = fork();
  assert_true(child >= 0);
  if (child == 0) _exit(ts_study_sweep(f->study, f->output, options, NULL, NULL) == TS_OK ? 0 : 1);
  return child;
}

// Kill a child when the function has been called so often, unless it has ended by itself before.
static void kill_after(pid_t child, const study_rig *rig, unsigned calls)
{
  int status;
  while (atomic_load(rig->run) < calls) {
    if (waitpid(child, &status, WNOHANG) != 0) return;
    usleep(100);
  }
  kill(child, SIGKILL);
  assert_int_equal(waitpid(child, &status, 0), child);
}

static void the_killed_are_gone_on_from(void **state)
{
  enum { TIMES = 20, MANY = 200, ALL = MANY * RIG_CELLS };
  fixture f;
  begin(state, &f, MANY);
  int *calls = malloc(ALL * sizeof *calls), rows = 0;
  const ts_sweep_options options = rig_options(2, 0);
  ts_random random;
  ts_random_init(&random, 11);
  f.rig.pause = 300;
  rig_sweep(f.study, f.output, &(ts_sweep_options){.jobs = 1, .stale = 1.0, .trial_limit = 1, .cookie = options.cookie},
            NULL);
  for (int k = 0; k < TIMES; ++k) {
    note_calls(&f, calls);
    const pid_t child = fork_sweep(&f, &options);
    const unsigned least = atomic_load(f.rig.run) + 3 + (unsigned)ts_random_below(&random, 40);
    kill_after(child, &f.rig, least);
    assert_not_run_again(&f, calls);
  }
  note_calls(&f, calls);
  for (int i = 0; i < ALL; ++i) rows += calls[i] >= 0;
  assert_true(rows >= TIMES); // every one of them did something
  f.rig.pause = 0;
  rig_sweep(f.study, f.output, &options, NULL);
  assert_not_run_again(&f, calls);
  assert_all_done(&f);
  assert_same_table(&f, *state);
  free(calls);
  end(&f);
}

static ts_sweep_options worker_options(int worker, int workers)
{
  ts_sweep_options options = rig_options(1, 0);
  options.worker = worker;
  options.workers = workers;
  return options;
}

// Of three workers one is killed. The others take over, or whoever comes later does.
static void workers_share_a_folder(void **state)
{
  for (int killed = 0; killed < 4; ++killed) {
    fixture f;
    begin(state, &f, SAMPLES);
    snprintf(f.output, sizeof f.output, "%s/sweep-%d.h5", ((scratch_folder *)*state)->path, killed);
    pid_t children[3];
    int status, calls[TRIALS];
    unsigned sum = 0;
    f.rig.pause = 1000;
    for (int i = 0; i < 3; ++i) {
      const ts_sweep_options options = worker_options(i, 3);
      children[i] = fork_sweep(&f, &options);
    }
    usleep(15000);
    if (killed < 3) kill(children[killed], SIGKILL);
    for (int i = 0; i < 3; ++i) {
      assert_int_equal(waitpid(children[i], &status, 0), children[i]);
      if (i != killed) assert_true(WIFEXITED(status) && WEXITSTATUS(status) == 0);
    }
    note_calls(&f, calls);
    const ts_sweep_options rest = worker_options(1, 3);
    rig_sweep(f.study, f.output, &rest, NULL);
    assert_not_run_again(&f, calls);
    assert_all_done(&f);
    for (uint64_t i = 0; i < TRIALS; ++i) sum += rig_calls(&f.rig, i);
    // Whoever was killed may have been in a trial; nobody else's is run twice.
    assert_true(sum >= TRIALS && sum <= TRIALS + (killed < 3));
    assert_same_table(&f, *state);
    end(&f);
  }
}

// Failed trials are tried again by workers, and a larger study is parted anew.
static void workers_retry_and_extend(void **state)
{
  fixture f;
  begin(state, &f, SAMPLES);
  ts_sweep_options options = worker_options(0, 2);
  ts_sweep_progress progress;
  rig_sweep(f.study, f.output, &options, &progress);
  const uint64_t failed = progress.ends[TS_TRIAL_FAILED] + progress.uncertified;
  options.retry_failed = true;
  f.rig.healed = true;
  rig_sweep(f.study, f.output, &options, &progress);
  assert_true(progress.now == failed && progress.uncertified == 0 && progress.ends[TS_TRIAL_FAILED] == 0);
  assert_ends(&f, &progress);
  begin_again(&f, 2 * SAMPLES);
  options = worker_options(1, 2);
  options.extend = true;
  rig_sweep(f.study, f.output, &options, &progress);
  assert_true(progress.before == TRIALS && progress.now == TRIALS);
  assert_same_table(&f, *state);
  end(&f);
}

static ts_status next_ticket(void *user, uint64_t *ticket, ts_error *error)
{
  (void)error;
  *ticket = atomic_fetch_add((atomic_uint *)user, 1);
  return TS_OK;
}

static void processes_with_a_counter_share_the_trials(void **state)
{
  fixture f;
  begin(state, &f, SAMPLES);
  pid_t children[2];
  int status;
  atomic_uint *counter = mmap(NULL, sizeof *counter, PROT_READ | PROT_WRITE, MAP_SHARED | MAP_ANONYMOUS, -1, 0);
  assert_true(counter != MAP_FAILED);
  ts_sweep_options options = rig_options(2, 0);
  options.ticket = next_ticket;
  options.user = counter;
  f.rig.pause = 200;
  for (int i = 0; i < 2; ++i) children[i] = fork_sweep(&f, &options);
  for (int i = 0; i < 2; ++i) {
    assert_int_equal(waitpid(children[i], &status, 0), children[i]);
    assert_true(WIFEXITED(status) && WEXITSTATUS(status) == 0);
  }
  for (uint64_t i = 0; i < TRIALS; ++i) assert_int_equal(rig_calls(&f.rig, i), 1);
  assert_same_table(&f, *state);
  munmap(counter, sizeof *counter);
  end(&f);
}

// ---- studies that change -------------------------------------------------------------------------------------------

static void assert_refused(const ts_study *study, const char *output, const ts_sweep_options *options,
                           ts_status expected, const char *sentence)
{
  ts_error error = {0};
  assert_int_equal(ts_study_sweep(study, output, options, NULL, &error), expected);
  if (!strstr(error.text, sentence)) fail_msg("'%s' is not about '%s'", error.text, sentence);
}

static void other_studies_are_refused_by_the_key(void **state)
{
  fixture f;
  begin(state, &f, SAMPLES);
  static const double b[] = {-1.0, 0.5, 1.0};
  static const char *const keys[] = {"'seed' has changed", "'sampling' has changed", "'version' has come",
                                     "'vary.b' has changed", "'samples' has changed"};
  ts_sweep_options options = rig_options(1, 3);
  rig_sweep(f.study, f.output, &options, NULL);
  for (int k = 0; k < 5; ++k) {
    ts_study_def def = rig_def(&f.rig, SAMPLES);
    ts_variation variations[RIG_PARAMETERS];
    memcpy(variations, def.variations, sizeof variations);
    if (k == 0) def.seed = 3;
    if (k == 1) def.sampling = TS_SAMPLING_HALTON;
    if (k == 2) def.version = "2";
    if (k == 3) variations[1].values = b;
    if (k == 4) def.samples = SAMPLES + 1;
    def.variations = variations;
    ts_study *other;
    assert_int_equal(ts_study_create(&def, &other, NULL), TS_OK);
    assert_refused(other, f.output, &options, TS_INVALID, keys[k]);
    ts_study_destroy(other);
  }
  rig_sweep(f.study, f.output, &options, NULL); // the same one goes on
  end(&f);
}

static void studies_grow_where_they_may(void **state)
{
  fixture f;
  begin(state, &f, SAMPLES);
  int calls[2 * TRIALS];
  ts_sweep_progress progress;
  ts_sweep_options options = rig_options(2, 0);
  rig_sweep(f.study, f.output, &options, NULL);
  begin_again(&f, 2 * SAMPLES);
  options.extend = true;
  note_calls(&f, calls);
  rig_sweep(f.study, f.output, &options, &progress);
  assert_true(progress.before == TRIALS && progress.now == TRIALS);
  assert_not_run_again(&f, calls);
  assert_same_table(&f, *state);
  // Fewer are refused, and trying again adds none.
  begin_again(&f, SAMPLES);
  assert_refused(f.study, f.output, &options, TS_INVALID, "rows are not taken away");
  begin_again(&f, 3 * SAMPLES);
  options.extend = false;
  options.retry_failed = true;
  assert_refused(f.study, f.output, &options, TS_INVALID, "--extend adds trials");
  options.extend = true;
  options.retry_failed = false;
  // Latin hypercubes have other points then.
  ts_study_def def = rig_def(&f.rig, SAMPLES);
  def.sampling = TS_SAMPLING_LATIN;
  ts_study *latin;
  const char *output = scratch_path(*state, "latin.h5");
  for (int k = 0; k < 2; ++k) {
    assert_int_equal(ts_study_create(&def, &latin, NULL), TS_OK);
    if (k == 0)
      rig_sweep(latin, output, &options, NULL);
    else
      assert_refused(latin, output, &options, TS_INVALID, "this sampling cannot be extended");
    ts_study_destroy(latin);
    ++def.samples;
  }
  end(&f);
}

static void failed_trials_are_retried_when_asked(void **state)
{
  fixture f;
  begin(state, &f, SAMPLES);
  ts_sweep_progress progress;
  ts_sweep_options options = rig_options(2, 0);
  rig_sweep(f.study, f.output, &options, &progress);
  options.retry_failed = true;
  rig_sweep(f.study, f.output, &options, &progress); // in vain
  assert_ends(&f, &progress);
  for (uint64_t i = 0; i < TRIALS; ++i) assert_int_equal(rig_calls(&f.rig, i), i % 7 == 3 || i % 17 == 4 ? 2 : 1);
  f.rig.healed = true;
  rig_sweep(f.study, f.output, &options, &progress);
  assert_ends(&f, &progress);
  rig_forget(&f.rig);
  rig_sweep(f.study, f.output, &options, &progress); // nothing failed
  assert_true(progress.now == 0 && atomic_load(f.rig.run) == 0);
  assert_ends(&f, &progress);
  end(&f);
}

// ---- trials that fail, and workers that cannot be ------------------------------------------------------------------

typedef struct attempts {
  int calls, made, gone, refuse;
} attempts;

static ts_status try_thrice(void *user, void *worker, const ts_trial *trial, ts_trial_outcome *outcome, ts_error *error)
{
  attempts *a = user;
  (void)worker;
  assert_int_equal(trial->attempt, a->calls++ % 3);
  outcome->steps = 5;
  if (trial->attempt < 2) return ts_fail(error, TS_IO, "attempt %d", trial->attempt);
  outcome->end = trial->number == 1 ? (ts_trial_end)77 : TS_TRIAL_FINISHED;
  memset(outcome->text, 'x', sizeof outcome->text); // without an end
  return TS_OK;
}

static ts_status make_worker(void *user, void **worker, ts_error *error)
{
  attempts *a = user;
  if (a->refuse > 0 && a->made + 1 == a->refuse) return ts_fail(error, TS_UNSUPPORTED, "no room for a worker");
  ++a->made;
  *worker = a;
  return TS_OK;
}

static void destroy_worker(void *worker)
{
  ++((attempts *)worker)->gone;
}

static ts_study *attempts_study(attempts *a)
{
  const ts_study_def def = {.samples = 2, .most_attempts = 3, .function = {make_worker, destroy_worker, try_thrice, a}};
  ts_study *study;
  assert_int_equal(ts_study_create(&def, &study, NULL), TS_OK);
  return study;
}

static void trials_are_tried_so_often(void **state)
{
  attempts a = {0};
  ts_study *study = attempts_study(&a);
  ts_sweep_progress progress;
  const ts_sweep_options options = rig_options(1, 0);
  const char *output = scratch_path(*state, "attempts.csv");
  rig_sweep(study, output, &options, &progress);
  assert_true(a.calls == 6 && a.made == 1 && a.gone == 1);
  assert_true(progress.ends[TS_TRIAL_FINISHED] == 1 && progress.ends[TS_TRIAL_FAILED] == 1);
  assert_int_equal(ts_study_pack(study, output, NULL), TS_OK);
  char *text = read_text(output);
  assert_non_null(strstr(text, "\n0,finished xxx"));
  assert_non_null(strstr(text, "x,5,0,0,2\n1,"));
  assert_non_null(strstr(text, "\n1,\"failed: the trial says that it ended in way 77, which there is not\",5,0,0,2\n"));
  free(text);
  ts_study_destroy(study);
}

static void workers_that_cannot_be_made_end_the_sweep(void **state)
{
  for (int refuse = 1; refuse <= 3; ++refuse) {
    attempts a = {.refuse = refuse};
    ts_study *study = attempts_study(&a);
    const ts_sweep_options options = rig_options(3, 0);
    assert_refused(study, scratch_path(*state, "workers.h5"), &options, TS_UNSUPPORTED, "no room for a worker");
    assert_true(a.calls == 0 && a.made == refuse - 1 && a.gone == a.made);
    ts_study_destroy(study);
  }
}

// ---- places that cannot take it ------------------------------------------------------------------------------------

static void full_disks_end_the_sweep(void **state)
{
  struct rlimit before;
  fixture f;
  begin(state, &f, SAMPLES);
  int calls[TRIALS];
  const ts_sweep_options options = rig_options(2, 0);
  assert_int_equal(getrlimit(RLIMIT_FSIZE, &before), 0);
  signal(SIGXFSZ, SIG_IGN);
  const struct rlimit tight = {4096, before.rlim_max}, none = {0, before.rlim_max};
  assert_int_equal(setrlimit(RLIMIT_FSIZE, &none), 0);
  assert_refused(f.study, f.output, &options, TS_IO, "File too large");
  assert_int_equal(setrlimit(RLIMIT_FSIZE, &tight), 0);
  assert_refused(f.study, f.output, &options, TS_IO, "cannot take another row");
  assert_int_equal(setrlimit(RLIMIT_FSIZE, &before), 0);
  signal(SIGXFSZ, SIG_DFL);
  note_calls(&f, calls);
  rig_sweep(f.study, f.output, &options, NULL);
  assert_not_run_again(&f, calls);
  assert_all_done(&f);
  assert_same_table(&f, *state);
  end(&f);
}

// Before the first trial, not after the last.
static void names_of_tables_are_checked_first(void **state)
{
  fixture f;
  begin(state, &f, 2);
  const ts_sweep_options options = rig_options(1, 0);
  assert_refused(f.study, scratch_path(*state, "table.txt"), &options, TS_INVALID, ".h5");
  assert_int_equal(atomic_load(f.rig.run), 0);
  assert_int_not_equal(access(scratch_path(*state, "table.txt.work"), F_OK), 0);
  end(&f);
}

// A byte in the middle of a journal is not what it was: the rows behind it are run again, and that is told.
static void damage_is_told(void **state)
{
  fixture f;
  begin(state, &f, SAMPLES);
  const ts_sweep_options options = rig_options(1, 0);
  ts_sweep_progress progress;
  rig_sweep(f.study, f.output, &options, &progress);
  assert_string_equal(progress.note, "");
  char command[700];
  snprintf(command, sizeof command,
           "for j in '%s.work'/*.journal; do printf x | dd of=\"$j\" bs=1 seek=500 conv=notrunc; done 2>/dev/null",
           f.output);
  assert_int_equal(system(command), 0);
  rig_sweep(f.study, f.output, &options, &progress);
  assert_non_null(strstr(progress.note, "is damaged from byte"));
  assert_true(progress.before > 0 && progress.now > 0 && progress.before + progress.now == TRIALS);
  assert_same_table(&f, *state);
  end(&f);
}

// Each of several workers makes the table when it ends: whoever is last has all rows in it.
static void workers_that_end_together_leave_a_whole_table(void **state)
{
  enum { WORKERS = 4 };
  fixture f;
  begin(state, &f, SAMPLES);
  f.rig.pause = 300;
  pid_t children[WORKERS];
  int status;
  for (int i = 0; i < WORKERS; ++i) {
    const ts_sweep_options options = worker_options(i, WORKERS);
    children[i] = fork();
    if (children[i] != 0) continue;
    const bool done = ts_study_sweep(f.study, f.output, &options, NULL, NULL) == TS_OK &&
                      ts_study_pack(f.study, f.output, NULL) == TS_OK;
    _exit(done ? 0 : 1);
  }
  for (int i = 0; i < WORKERS; ++i) {
    assert_int_equal(waitpid(children[i], &status, 0), children[i]);
    assert_true(WIFEXITED(status) && WEXITSTATUS(status) == 0);
  }
  char packed[600];
  snprintf(packed, sizeof packed, "%s/together.h5", ((scratch_folder *)*state)->path);
  assert_int_equal(rename(f.output, packed), 0);
  assert_int_equal(ts_study_pack(f.study, f.output, NULL), TS_OK);
  assert_same_files(f.output, packed);
  end(&f);
}

// Rows are of the scene that the study was read with.
static void a_scene_that_changes_meanwhile_is_refused(void **state)
{
  static const char study_text[] = "study: 1\nscene: scene.yaml\nvary: {v: [1, 2]}\n";
  static const char *const scenes[] = {
      "touchstone: 1\nparameters: {v: 1}\nbodies: [{name: b, mass: 1, inertia: [1, 1, 1], velocity: [=v, 0, 0]}]\n"
      "duration: 0.01\nresults: {x: b.x}\n",
      "touchstone: 1\nparameters: {v: 1}\nbodies: [{name: b, mass: 2, inertia: [1, 1, 1], velocity: [=v, 0, 0]}]\n"
      "duration: 0.01\nresults: {x: b.x}\n"};
  const ts_sweep_options options = rig_options(1, 0);
  ts_study *study;
  ts_error error = {0};
  scratch_write(scratch_path(*state, "study.yaml"), study_text, sizeof study_text - 1);
  scratch_write(scratch_path(*state, "scene.yaml"), scenes[0], strlen(scenes[0]));
  assert_int_equal(ts_study_read(scratch_path(*state, "study.yaml"), NULL, &study, &error), TS_OK);
  scratch_write(scratch_path(*state, "scene.yaml"), scenes[1], strlen(scenes[1]));
  assert_refused(study, scratch_path(*state, "table.csv"), &options, TS_INVALID, "has changed while the study");
  scratch_write(scratch_path(*state, "scene.yaml"), scenes[0], strlen(scenes[0]));
  rig_sweep(study, scratch_path(*state, "table.csv"), &options, NULL);
  ts_study_destroy(study);
}

static void attempts_that_there_are_not_are_refused(void **state)
{
  fixture f;
  begin(state, &f, 2);
  double results[RIG_RESULTS];
  ts_trial_outcome outcome = {.results = results};
  ts_error error = {0};
  assert_int_equal(ts_study_run_trial(f.study, 0, 0, &outcome, &error), TS_OK);
  assert_int_equal(ts_study_run_trial(f.study, 0, 1, &outcome, &error), TS_INVALID);
  assert_int_equal(ts_study_run_trial(f.study, 0, -1, &outcome, &error), TS_INVALID);
  end(&f);
}

static void folders_that_cannot_be_written_are_refused(void **state)
{
  fixture f;
  begin(state, &f, 2);
  const ts_sweep_options options = rig_options(1, 0);
  assert_refused(f.study, scratch_path(*state, "no/where.h5"), &options, TS_IO, "No such file");
  scratch_write(scratch_path(*state, "file.h5.work"), "", 0);
  assert_refused(f.study, scratch_path(*state, "file.h5"), &options, TS_IO, "Not a directory");
  if (geteuid() != 0) { // who may everything is refused nothing
    assert_int_equal(mkdir(scratch_path(*state, "closed.h5.work"), 0555), 0);
    assert_refused(f.study, scratch_path(*state, "closed.h5"), &options, TS_IO, "Permission denied");
  }
  end(&f);
}

static void sweep_again(void *user, const ts_sweep_progress *progress)
{
  fixture *f = user;
  (void)progress;
  const ts_sweep_options alone = rig_options(1, 0);
  if (f->rig.stop_at == 0) assert_refused(f->study, f->output, &alone, TS_IO, "is in use by process");
  f->rig.stop_at = 1; // it has been asked
}

static void a_folder_that_is_in_use_is_refused(void **state)
{
  fixture f;
  begin(state, &f, SAMPLES);
  ts_sweep_options options = rig_options(1, 0);
  options.progress = sweep_again;
  options.user = &f;
  options.fresh = true;
  f.rig.pause = 500;
  for (int k = 0; k < 100 && f.rig.stop_at == 0; ++k) // on a busy machine nobody may have looked meanwhile
    rig_sweep(f.study, f.output, &options, NULL);
  assert_int_equal(f.rig.stop_at, 1);
  end(&f);
}

// Columns of all tables.
static void names_of_tables_are_refused(void **state)
{
  (void)state;
  static const char *const names[] = {"trial",       "end",      "outcome", "steps",
                                      "uncertified", "residual", "attempt", "seconds"};
  study_rig rig;
  rig_init(&rig);
  for (size_t i = 0; i < sizeof names / sizeof *names; ++i) {
    const double value = 1.0;
    const ts_variation taken = {.name = names[i], .values = &value, .count = 1};
    ts_study_def def = rig_def(&rig, 1);
    ts_study *study;
    ts_error error = {0};
    def.variations = &taken;
    def.variation_count = 1;
    assert_int_equal(ts_study_create(&def, &study, &error), TS_INVALID);
    assert_non_null(strstr(error.text, "every table has such a column"));
  }
  rig_release(&rig);
}

// What only the design can tell.
static void designs_that_cannot_be_are_refused(void **state)
{
  (void)state;
  study_rig rig;
  rig_init(&rig);
  const double value = 1.0;
  const ts_variation given = {.name = "given", .values = &value, .count = 1};
  ts_study_def def = rig_def(&rig, 1);
  ts_study *study;
  ts_error error = {0};
  def.sampling = TS_SAMPLING_SALTELLI;
  def.variations = &given;
  def.variation_count = 1;
  assert_int_equal(ts_study_create(&def, &study, &error), TS_INVALID);
  assert_int_equal(error.status, TS_INVALID);
  assert_null(study);
  assert_non_null(strstr(error.text, "sampling 'saltelli' needs random parameters"));
  rig_release(&rig);
}

static void options_are_checked(void **state)
{
  fixture f;
  begin(state, &f, 2);
  ts_sweep_options options = {.jobs = 1};
  assert_refused(f.study, f.output, &options, TS_INVALID, "ts_sweep_options_default()");
  options = rig_options(0, 0);
  assert_refused(f.study, f.output, &options, TS_INVALID, "threads, not 0");
  options = worker_options(3, 3);
  assert_refused(f.study, f.output, &options, TS_INVALID, "there is no worker 3 of 3");
  options = worker_options(0, 3);
  options.fresh = true;
  assert_refused(f.study, f.output, &options, TS_INVALID, "by a process that is alone");
  options = worker_options(0, 3);
  options.ticket = next_ticket;
  assert_refused(f.study, f.output, &options, TS_INVALID, "not both");
  options = rig_options(1, 0);
  options.stale = 0.0;
  assert_refused(f.study, f.output, &options, TS_INVALID, "must be positive");
  assert_int_equal(scratch_count(*state), 0);
  end(&f);
}

int main(void)
{
  const struct CMUnitTest tests[] = {scratch_test(every_trial_is_run_once),
                                     scratch_test(limits_are_kept_and_gone_on_from),
                                     scratch_test(interrupted_sweeps_are_gone_on_with),
                                     scratch_test(trials_that_give_up_interrupt_the_sweep),
                                     scratch_test(the_killed_are_gone_on_from),
                                     scratch_test(workers_share_a_folder),
                                     scratch_test(workers_retry_and_extend),
                                     scratch_test(processes_with_a_counter_share_the_trials),
                                     scratch_test(other_studies_are_refused_by_the_key),
                                     scratch_test(studies_grow_where_they_may),
                                     scratch_test(failed_trials_are_retried_when_asked),
                                     scratch_test(trials_are_tried_so_often),
                                     scratch_test(workers_that_cannot_be_made_end_the_sweep),
                                     scratch_test(full_disks_end_the_sweep),
                                     scratch_test(names_of_tables_are_checked_first),
                                     scratch_test(damage_is_told),
                                     scratch_test(workers_that_end_together_leave_a_whole_table),
                                     scratch_test(a_scene_that_changes_meanwhile_is_refused),
                                     scratch_test(attempts_that_there_are_not_are_refused),
                                     scratch_test(folders_that_cannot_be_written_are_refused),
                                     scratch_test(a_folder_that_is_in_use_is_refused),
                                     scratch_test(names_of_tables_are_refused),
                                     cmocka_unit_test(designs_that_cannot_be_are_refused),
                                     scratch_test(options_are_checked)};
  return cmocka_run_group_tests(tests, NULL, NULL);
}
