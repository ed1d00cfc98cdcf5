// Locks of folders: who has one keeps others out, says who it is, and loses it when it dies.
// Linked by itself: its flock() says what file systems of all kinds may say.
#define _GNU_SOURCE // syscall
#include "study/folder_lock.h"

#include "scratch_folder.h"

#include "study/process.h"

#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <errno.h>
#include <signal.h>
#include <stdio.h>
#include <string.h>
#include <sys/file.h>
#include <sys/syscall.h>
#include <sys/wait.h>
#include <unistd.h>
#include <cmocka.h>

static void assert_taken(const char *folder, ts_folder_use use)
{
  ts_folder_lock lock;
  ts_error error = {0};
  if (ts_folder_lock_take(folder, use, &lock, &error) != TS_OK) fail_msg("%s", error.text);
  assert_false(lock.unlocked);
  ts_folder_lock_release(&lock);
}

static void assert_in_use(const char *folder, ts_folder_use use, long pid)
{
  ts_folder_lock lock;
  ts_error error = {0};
  char host[256] = "", name[32];
  assert_int_equal(ts_folder_lock_take(folder, use, &lock, &error), TS_IO);
  assert_int_equal(lock.descriptor, -1);
  snprintf(name, sizeof name, "process %ld of host ", pid);
  assert_int_equal(gethostname(host, sizeof host), 0);
  host[strcspn(host, ".-")] = '\0';
  if (!strstr(error.text, name) || !strstr(error.text, host) || !strstr(error.text, folder)) fail_msg("%s", error.text);
}

static void one_alone_or_several_together(void **state)
{
  const char *folder = ((scratch_folder *)*state)->path;
  ts_folder_lock alone, first, second;
  const long self = (long)getpid();
  assert_int_equal(ts_folder_lock_take(folder, TS_FOLDER_ALONE, &alone, NULL), TS_OK);
  assert_in_use(folder, TS_FOLDER_ALONE, self);
  assert_in_use(folder, TS_FOLDER_SHARED, self);
  ts_folder_lock_release(&alone);
  ts_folder_lock_release(&alone);
  assert_int_equal(ts_folder_lock_take(folder, TS_FOLDER_SHARED, &first, NULL), TS_OK);
  assert_int_equal(ts_folder_lock_take(folder, TS_FOLDER_SHARED, &second, NULL), TS_OK);
  assert_in_use(folder, TS_FOLDER_ALONE, self);
  ts_folder_lock_release(&first);
  assert_in_use(folder, TS_FOLDER_ALONE, self);
  assert_taken(folder, TS_FOLDER_SHARED);
  ts_folder_lock_release(&second);
  assert_taken(folder, TS_FOLDER_ALONE);
}

static void the_dead_hold_nothing(void **state)
{
  const char *folder = ((scratch_folder *)*state)->path;
  for (int k = 0; k < 2; ++k) {
    const ts_folder_use use = k == 0 ? TS_FOLDER_ALONE : TS_FOLDER_SHARED;
    int ready[2];
    char byte;
    assert_int_equal(pipe(ready), 0);
    const pid_t child = fork();
    assert_true(child >= 0);
    if (child == 0) {
      ts_folder_lock lock;
      if (ts_folder_lock_take(folder, use, &lock, NULL) != TS_OK || write(ready[1], "x", 1) != 1) _exit(1);
      for (;;) pause();
    }
    assert_int_equal(read(ready[0], &byte, 1), 1);
    assert_in_use(folder, TS_FOLDER_ALONE, (long)child);
    assert_int_equal(kill(child, SIGKILL), 0);
    assert_int_equal(waitpid(child, NULL, 0), child);
    assert_taken(folder, TS_FOLDER_ALONE);
    close(ready[0]);
    close(ready[1]);
  }
}

static void assert_sentence(const char *folder, const char *holder)
{
  ts_folder_lock lock;
  ts_error error = {0};
  char sentence[512];
  snprintf(sentence, sizeof sentence, "the folder %s is in use by %s", folder, holder);
  assert_int_equal(ts_folder_lock_take(folder, TS_FOLDER_ALONE, &lock, &error), TS_IO);
  assert_string_equal(error.text, sentence);
}

// The file of a lock says who has it, without what fills the record up; one that says something else names nobody.
static void the_sentence_ends_with_the_holder(void **state)
{
  const char *folder = ((scratch_folder *)*state)->path, *file = scratch_path(*state, "lock");
  ts_folder_lock alone;
  char holder[320];
  assert_int_equal(ts_folder_lock_take(folder, TS_FOLDER_ALONE, &alone, NULL), TS_OK);
  snprintf(holder, sizeof holder, "process %ld of host %s", (long)getpid(), ts_process_self().host);
  assert_sentence(folder, holder);
  scratch_write(file, "process 7 of host b   \n", 23);
  assert_sentence(folder, "process 7 of host b");
  scratch_write(file, "", 0);
  assert_sentence(folder, "another process");
  scratch_write(file, "a text of somebody else", 23);
  assert_sentence(folder, "another process");
  ts_folder_lock_release(&alone);
}

static void a_folder_that_is_not_there_is_refused(void **state)
{
  ts_folder_lock lock;
  ts_error error = {0};
  const char *folder = scratch_path(*state, "nowhere");
  assert_int_equal(ts_folder_lock_take(folder, TS_FOLDER_SHARED, &lock, &error), TS_IO);
  assert_non_null(strstr(error.text, "nowhere cannot be locked: No such file"));
}

// ---- what a file system says ---------------------------------------------------------------------------------------

static int said[4]; // errno of the next calls, the last one first; 0: as it is
static int left;    // of these

int flock(int descriptor, int operation)
{
  const int reason = left > 0 ? said[--left] : 0;
  if (reason == 0) return (int)syscall(SYS_flock, descriptor, operation);
  errno = reason;
  return -1;
}

// Some file systems know no locks, and a call may be interrupted.
static void folders_without_locks_are_used_without(void **state)
{
  const char *folder = ((scratch_folder *)*state)->path;
  static const int none[] = {ENOSYS, ENOLCK, EOPNOTSUPP};
  ts_folder_lock lock;
  ts_error error = {0};
  for (int k = 0; k < 3; ++k) {
    said[0] = none[k];
    said[1] = said[2] = EINTR;
    left = 3;
    assert_int_equal(ts_folder_lock_take(folder, TS_FOLDER_ALONE, &lock, NULL), TS_OK);
    assert_int_equal(left, 0);
    assert_true(lock.unlocked);
    assert_true(lock.descriptor >= 0);
    ts_folder_lock_release(&lock);
  }
  said[0] = EIO;
  left = 1;
  assert_int_equal(ts_folder_lock_take(folder, TS_FOLDER_ALONE, &lock, &error), TS_IO);
  assert_non_null(strstr(error.text, "cannot be locked: Input/output error"));
  assert_int_equal(lock.descriptor, -1);
  assert_taken(folder, TS_FOLDER_ALONE);
}

#define scratch_test(f) cmocka_unit_test_setup_teardown(f, scratch_folder_set_up, scratch_folder_tear_down)

int main(void)
{
  const struct CMUnitTest tests[] = {
      scratch_test(one_alone_or_several_together),          scratch_test(the_dead_hold_nothing),
      scratch_test(the_sentence_ends_with_the_holder),      scratch_test(a_folder_that_is_not_there_is_refused),
      scratch_test(folders_without_locks_are_used_without),
  };
  return cmocka_run_group_tests(tests, NULL, NULL);
}
