// Claims of processes that share a folder: every trial is done once while nobody dies; what the dead have left is done
// by the living, and what the living have is theirs.
#define _DEFAULT_SOURCE // MAP_ANONYMOUS
#include "study/claims.h"

#include "study/process.h"

#include "scratch_folder.h"

#include "base/random.h"

#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <dirent.h>
#include <fcntl.h>
#include <pthread.h>
#include <signal.h>
#include <stdatomic.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <sys/stat.h>
#include <sys/wait.h>
#include <time.h>
#include <unistd.h>
#include <cmocka.h>

enum { TRIALS = 10000, WORKERS = 8, VICTIMS = 5 };

// What all processes see.
typedef struct board {
  atomic_uint begun[TRIALS]; // by whom: a bit for every worker
  atomic_uint done[TRIALS];  // how often
  atomic_uint total;
} board;

static board *make_board(void)
{
  board *b = mmap(NULL, sizeof *b, PROT_READ | PROT_WRITE, MAP_SHARED | MAP_ANONYMOUS, -1, 0);
  assert_true(b != MAP_FAILED);
  return b;
}

static bool is_done(void *user, uint64_t first, uint64_t count)
{
  board *b = user;
  for (uint64_t trial = first; trial < first + count; ++trial)
    if (atomic_load(&b->done[trial]) == 0) return false;
  return true;
}

static bool never(void *user, uint64_t first, uint64_t count)
{
  (void)user, (void)first, (void)count;
  return false;
}

static ts_claims_setup setup_of(scratch_folder *folder, uint64_t trials, uint64_t chunk)
{
  return (ts_claims_setup){folder->path, trials, chunk, 0, 1, 60.0, never, NULL};
}

static ts_claims *create(const ts_claims_setup *setup)
{
  ts_claims *claims;
  ts_error error = {0};
  if (ts_claims_create_folder(setup, &claims, &error) != TS_OK) fail_msg("%s", error.text);
  return claims;
}

// The number of chunks that are there to be had now.
static int take_all(ts_claims *claims)
{
  int chunks = 0;
  uint64_t first, count;
  ts_error error = {0};
  for (;;) {
    if (ts_claims_next(claims, &first, &count, &error) != TS_OK) fail_msg("%s", error.text);
    if (count == 0) return chunks;
    ++chunks;
  }
}

static int files_in_claims(scratch_folder *folder, const char *beginning)
{
  int count = 0;
  DIR *listing = opendir(scratch_path(folder, "claims"));
  assert_non_null(listing);
  for (const struct dirent *entry; (entry = readdir(listing));)
    count += entry->d_name[0] != '.' && strncmp(entry->d_name, beginning, strlen(beginning)) == 0;
  closedir(listing);
  return count;
}

// ---- crowds ---------------------------------------------------------------------------------------------------------

typedef struct member {
  ts_claims *claims;
  board *seen;
  unsigned worker;
  unsigned pause; // after a chunk, at most [us]
} member;

static void *work(void *argument)
{
  const member *m = argument;
  uint64_t first, count;
  ts_random random;
  ts_random_init(&random, m->worker);
  for (;;) {
    if (ts_claims_next(m->claims, &first, &count, NULL) != TS_OK) _exit(1);
    if (count == 0 && ts_claims_pending(m->claims) == 0) return NULL;
    if (count == 0) usleep(1000);
    for (uint64_t trial = first; trial < first + count; ++trial) {
      atomic_fetch_or(&m->seen->begun[trial], 1u << m->worker);
      if (m->pause > 0 && trial == first + count / 2) usleep((unsigned)ts_random_below(&random, (int)m->pause));
      atomic_fetch_add(&m->seen->done[trial], 1);
      atomic_fetch_add(&m->seen->total, 1);
      if (ts_claims_refresh(m->claims, NULL) != TS_OK) _exit(2);
    }
  }
}

// Two threads of a process share the claims.
static _Noreturn void work_as_process(scratch_folder *folder, board *seen, int worker, unsigned pause)
{
  ts_claims_setup setup = setup_of(folder, TRIALS, 7);
  setup.worker = worker;
  setup.workers = WORKERS;
  setup.is_complete = is_done;
  setup.user = seen;
  member m = {NULL, seen, (unsigned)worker, pause};
  pthread_t second;
  if (ts_claims_create_folder(&setup, &m.claims, NULL) != TS_OK) _exit(3);
  if (pthread_create(&second, NULL, work, &m) != 0) _exit(4);
  work(&m);
  pthread_join(second, NULL);
  ts_claims_destroy(m.claims);
  _exit(0);
}

static void start_all(scratch_folder *folder, board *seen, unsigned pause, pid_t *children)
{
  for (int k = 0; k < WORKERS; ++k) {
    children[k] = fork();
    assert_true(children[k] >= 0);
    if (children[k] == 0) work_as_process(folder, seen, k, pause);
  }
}

static void assert_ends_well(pid_t child)
{
  int status;
  assert_int_equal(waitpid(child, &status, 0), child);
  assert_true(WIFEXITED(status));
  assert_int_equal(WEXITSTATUS(status), 0);
}

static void eight_processes_do_every_trial_once(void **state)
{
  board *seen = make_board();
  pid_t children[WORKERS];
  start_all(*state, seen, 0, children);
  for (int k = 0; k < WORKERS; ++k) assert_ends_well(children[k]);
  for (int trial = 0; trial < TRIALS; ++trial) assert_int_equal(atomic_load(&seen->done[trial]), 1);
  assert_int_equal(files_in_claims(*state, "chunk."), (TRIALS + 6) / 7);
  assert_int_equal(files_in_claims(*state, "worker."), 0);
  munmap(seen, sizeof *seen);
}

// Workers are killed one after the other; the last of them are not asked how they ended until all is over.
static void the_living_do_what_the_dead_have_left(void **state)
{
  board *seen = make_board();
  pid_t children[WORKERS];
  unsigned killed = 0;
  start_all(*state, seen, 3000, children);
  for (int k = 0; k < VICTIMS; ++k) {
    while (atomic_load(&seen->total) < (unsigned)(TRIALS * (k + 1) / 10)) usleep(200);
    assert_int_equal(kill(children[k], SIGKILL), 0);
    killed |= 1u << k;
    if (k < 3) assert_int_equal(waitpid(children[k], NULL, 0), children[k]);
  }
  for (int k = VICTIMS; k < WORKERS; ++k) assert_ends_well(children[k]);
  for (int k = 3; k < VICTIMS; ++k) assert_int_equal(waitpid(children[k], NULL, 0), children[k]);
  int twice = 0;
  for (int trial = 0; trial < TRIALS; ++trial) {
    const unsigned workers = atomic_load(&seen->begun[trial]);
    assert_true(atomic_load(&seen->done[trial]) >= 1);
    const unsigned living = workers & ~killed; // one of them at most: only of the dead has anybody taken a trial
    assert_int_equal(living & (living - 1), 0);
    twice += (workers & (workers - 1)) != 0;
  }
  assert_true(twice > 0 && twice < TRIALS / 2);
  munmap(seen, sizeof *seen);
}

// ---- who is dead ----------------------------------------------------------------------------------------------------

static void what_was_given_up_is_there_again(void **state)
{
  uint64_t first, count;
  const ts_claims_setup setup = setup_of(*state, 100, 10);
  ts_claims *a = create(&setup), *b = create(&setup);
  assert_int_equal(ts_claims_next(a, &first, &count, NULL), TS_OK);
  assert_true(first == 0 && count == 10);
  assert_int_equal(take_all(b), 9);
  assert_int_equal(ts_claims_pending(b), 1);
  assert_int_equal(take_all(a), 0);
  ts_claims_destroy(a);
  assert_int_equal(ts_claims_next(b, &first, &count, NULL), TS_OK);
  assert_true(first == 0 && count == 10);
  assert_int_equal(ts_claims_pending(b), 0);
  assert_int_equal(take_all(b), 0);
  ts_claims_destroy(b);
  ts_claims *c = create(&setup); // as when a study is resumed
  assert_int_equal(take_all(c), 10);
  ts_claims_destroy(c);
}

static void what_is_complete_is_not_done_again(void **state)
{
  board *seen = make_board();
  ts_claims_setup setup = setup_of(*state, 100, 10);
  setup.is_complete = is_done;
  setup.user = seen;
  ts_claims *a = create(&setup);
  assert_int_equal(take_all(a), 10);
  ts_claims_destroy(a);
  for (int trial = 10; trial < 35; ++trial) atomic_store(&seen->done[trial], 1);
  ts_claims *b = create(&setup);
  assert_int_equal(take_all(b), 8); // all but those of 10 to 29
  ts_claims *c = create(&setup);
  assert_int_equal(take_all(c), 0);
  assert_int_equal(ts_claims_pending(c), 8);
  for (int trial = 35; trial < 100; ++trial) atomic_store(&seen->done[trial], 1);
  assert_int_equal(ts_claims_pending(c), 1); // of a worker who lives
  ts_claims_destroy(c);
  ts_claims_destroy(b);
  munmap(seen, sizeof *seen);
}

// Somebody who takes over a chunk while another one asks whether it is complete.
static bool let_other_take_it(void *user, uint64_t first, uint64_t count)
{
  uint64_t begin, length;
  assert_int_equal(ts_claims_next(user, &begin, &length, NULL), TS_OK);
  assert_true(begin == first && length == count);
  return false;
}

static void who_is_faster_has_it(void **state)
{
  uint64_t first, count;
  ts_claims_setup setup = setup_of(*state, 10, 10);
  ts_claims *dead = create(&setup), *fast = create(&setup);
  assert_int_equal(take_all(dead), 1);
  assert_int_equal(take_all(fast), 0);
  setup.is_complete = let_other_take_it;
  setup.user = fast;
  ts_claims *slow = create(&setup);
  ts_claims_destroy(dead);
  assert_int_equal(ts_claims_next(slow, &first, &count, NULL), TS_OK);
  assert_int_equal(count, 0);
  assert_int_equal(take_all(slow), 0);
  assert_int_equal(files_in_claims(*state, "heir."), 0);
  ts_claims_destroy(slow);
  ts_claims_destroy(fast);
}

// A claim of somebody else, `age` seconds old, in the place of chunk 0.
static void forge(scratch_folder *folder, const char *text, time_t age)
{
  const char *path = scratch_path(folder, "claims/chunk.0000");
  struct timespec times[2];
  unlink(path);
  scratch_write(path, text, strlen(text));
  assert_int_equal(clock_gettime(CLOCK_REALTIME, &times[0]), 0);
  times[0].tv_sec -= age;
  times[1] = times[0];
  assert_int_equal(utimensat(AT_FDCWD, path, times, 0), 0);
}

static void assert_claim(scratch_folder *folder, const char *text, time_t age, bool is_left)
{
  const ts_claims_setup setup = setup_of(folder, 30, 10);
  assert_int_equal(ts_claims_clear(folder->path, NULL), TS_OK);
  forge(folder, text, age);
  ts_claims *claims = create(&setup);
  assert_int_equal(take_all(claims), is_left ? 3 : 2);
  ts_claims_destroy(claims);
}

static void strangers_are_known_by_signs_of_life(void **state)
{
  const char *elsewhere = "host elsewhere\nmachine some-boot/pid:[1]\nprocess 1\nstarted 1\n";
  mkdir(scratch_path(*state, "claims"), 0700);
  assert_claim(*state, elsewhere, 0, false);
  assert_claim(*state, elsewhere, 50, false);
  assert_claim(*state, elsewhere, 70, true);
  assert_claim(*state, elsewhere, -3600, false); // a clock that is ahead
  assert_claim(*state, "", 0, false);
  assert_claim(*state, "", 70, true);
  assert_claim(*state, "host x machine y process -1 started 0", 70, true);
  static char endless[100000];
  memset(endless, 'h', sizeof endless - 1);
  assert_claim(*state, endless, 0, false);
  assert_claim(*state, endless, 70, true);
}

static void neighbours_are_known_by_their_process(void **state)
{
  char text[512];
  const ts_process self = ts_process_self();
  mkdir(scratch_path(*state, "claims"), 0700);
  for (int k = 0; k < 3; ++k) { // the same; one that had its number; one on another boot of the machine
    snprintf(text, sizeof text, "host %s\nmachine %s%s\nprocess %ld\nstarted %llu\n", self.host, self.machine,
             k == 2 ? "x" : "", self.pid, self.start + (k == 1));
    assert_claim(*state, text, 0, k == 1);
    assert_claim(*state, text, 3600, k >= 1); // the living may be silent
  }
}

static void a_claim_that_was_removed_is_free(void **state)
{
  uint64_t first, count;
  const ts_claims_setup setup = setup_of(*state, 30, 10);
  ts_claims *a = create(&setup), *b = create(&setup);
  assert_int_equal(take_all(a), 3);
  assert_int_equal(take_all(b), 0);
  assert_int_equal(unlink(scratch_path(*state, "claims/chunk.0001")), 0);
  assert_int_equal(ts_claims_next(b, &first, &count, NULL), TS_OK);
  assert_true(first == 10 && count == 10);
  ts_claims_destroy(a);
  ts_claims_destroy(b);
}

// Whoever died while taking over is not in the way for long; whoever lives is.
static void heirs_die_too(void **state)
{
  static const char *const texts[] = {"host elsewhere\nmachine x\nprocess 1\nstarted 1\n", "host x"};
  const ts_claims_setup setup = setup_of(*state, 30, 10);
  for (int k = 0; k < 2; ++k) {
    const char *heir = scratch_path(*state, "claims/heir.0000"), *claim = scratch_path(*state, "claims/chunk.0000");
    mkdir(scratch_path(*state, "claims"), 0700);
    forge(*state, texts[0], k == 0 ? 0 : 70);
    assert_int_equal(rename(claim, heir), 0);
    forge(*state, texts[1], 70);
    ts_claims *claims = create(&setup);
    assert_int_equal(take_all(claims), 2);
    assert_int_equal(take_all(claims), k); // the dead heir was removed meanwhile
    assert_int_equal(files_in_claims(*state, "heir."), 1 - k);
    ts_claims_destroy(claims);
    assert_int_equal(ts_claims_clear(setup.folder, NULL), TS_OK);
  }
}

static void signs_of_life_are_given_when_they_are_due(void **state)
{
  struct timespec old[2] = {{1000, 0}, {1000, 0}};
  struct stat about;
  uint64_t first, count;
  for (int k = 0; k < 2; ++k) {
    ts_claims_setup setup = setup_of(*state, 30, 10);
    setup.stale = k == 0 ? 1e-9 : 1e9;
    const char *claim = scratch_path(*state, "claims/chunk.0000");
    ts_claims *claims = create(&setup);
    assert_int_equal(ts_claims_next(claims, &first, &count, NULL), TS_OK);
    assert_int_equal(utimensat(AT_FDCWD, claim, old, 0), 0);
    assert_int_equal(ts_claims_refresh(claims, NULL), TS_OK);
    assert_int_equal(stat(claim, &about), 0);
    assert_int_equal(about.st_mtim.tv_sec == 1000, k == 1);
    ts_claims_destroy(claims);
    assert_int_equal(ts_claims_clear(((scratch_folder *)*state)->path, NULL), TS_OK);
  }
}

// ---- plans ----------------------------------------------------------------------------------------------------------

static void files_stay_few_however_many_trials(void **state)
{
  static const uint64_t trials[] = {0, 1, 4096, 4097, 1000000000, UINT64_MAX};
  for (size_t k = 0; k < sizeof trials / sizeof *trials; ++k) {
    ts_claims_setup setup = setup_of(*state, trials[k], 1);
    setup.worker = 2;
    setup.workers = 3;
    ts_claims *claims = create(&setup);
    uint64_t first, count, sum = 0, least = UINT64_MAX, end = 0;
    int chunks = 0;
    while (ts_claims_next(claims, &first, &count, NULL) == TS_OK && count > 0) {
      if (chunks++ == 0 && trials[k] > 3) assert_true(first / 2 + count >= trials[k] / 3); // two thirds of the way
      sum += count;
      least = first < least ? first : least;
      end = first + count > end ? first + count : end;
    }
    assert_true(chunks <= TS_CLAIMS_MOST_CHUNKS && chunks == files_in_claims(*state, "chunk."));
    assert_true(sum == trials[k] && end == trials[k] && (trials[k] == 0 || least == 0));
    ts_claims_destroy(claims);
    assert_int_equal(ts_claims_clear(setup.folder, NULL), TS_OK);
    assert_int_equal(files_in_claims(*state, ""), 0);
  }
}

static void assert_refused(const ts_claims_setup *setup, const char *words)
{
  ts_claims *claims;
  ts_error error = {0};
  assert_int_not_equal(ts_claims_create_folder(setup, &claims, &error), TS_OK);
  assert_null(claims);
  if (!strstr(error.text, words)) fail_msg("'%s' is not in '%s'", words, error.text);
}

static void the_first_worker_parts_the_trials(void **state)
{
  static const char *const plans[] = {"", "trials", "trials 100 chunk 0", "trials 1000000 chunk 1", "trials x chunk 2"};
  uint64_t first, count;
  ts_claims_setup setup = setup_of(*state, 100, 10);
  ts_claims *a = create(&setup);
  setup.chunk = 30;
  ts_claims *b = create(&setup);
  assert_int_equal(ts_claims_next(b, &first, &count, NULL), TS_OK);
  assert_true(first == 0 && count == 10);
  setup.trials = 101;
  assert_refused(&setup, "are for 100 trials, not for 101");
  setup.trials = 100;
  for (size_t k = 0; k < sizeof plans / sizeof *plans; ++k) {
    scratch_write(scratch_path(*state, "claims/plan"), plans[k], strlen(plans[k]));
    assert_refused(&setup, "plan is damaged");
  }
  setup.folder = "/nowhere/at/all";
  assert_refused(&setup, "cannot be made: No such file");
  assert_int_equal(files_in_claims(*state, "worker."), 2);
  ts_claims_destroy(a);
  ts_claims_destroy(b);
}

static void mistakes_are_refused(void **state)
{
  ts_claims_setup setup = setup_of(*state, 100, 0);
  assert_refused(&setup, "chunk > 0");
  setup = setup_of(*state, 100, 1);
  setup.worker = 1;
  assert_refused(&setup, "worker < setup->workers");
  setup = setup_of(*state, 100, 1);
  setup.stale = 0.0;
  assert_refused(&setup, "stale > 0");
}

#define scratch_test(f) cmocka_unit_test_setup_teardown(f, scratch_folder_set_up, scratch_folder_tear_down)

int main(void)
{
  const struct CMUnitTest tests[] = {
      scratch_test(eight_processes_do_every_trial_once),
      scratch_test(the_living_do_what_the_dead_have_left),
      scratch_test(what_was_given_up_is_there_again),
      scratch_test(what_is_complete_is_not_done_again),
      scratch_test(who_is_faster_has_it),
      scratch_test(strangers_are_known_by_signs_of_life),
      scratch_test(neighbours_are_known_by_their_process),
      scratch_test(a_claim_that_was_removed_is_free),
      scratch_test(heirs_die_too),
      scratch_test(signs_of_life_are_given_when_they_are_due),
      scratch_test(files_stay_few_however_many_trials),
      scratch_test(the_first_worker_parts_the_trials),
      scratch_test(mistakes_are_refused),
  };
  return cmocka_run_group_tests(tests, NULL, NULL);
}
