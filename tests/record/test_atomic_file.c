// Files on their way to their name: what is left by the dead is removed, what the living write is not.
#define _DEFAULT_SOURCE // flock
#include "record/atomic_file.h"

#include "scratch_folder.h"

#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <dirent.h>
#include <fcntl.h>
#include <signal.h>
#include <stdbool.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <sys/wait.h>
#include <unistd.h>
#include <cmocka.h>

static bool exists(const char *path)
{
  struct stat about;
  return stat(path, &about) == 0;
}

static void a_file_gets_its_name_at_the_end(void **state)
{
  ts_atomic_file first, second;
  ts_error error = {0};
  const char *path = scratch_path(*state, "run.h5");
  assert_int_equal(ts_atomic_file_create(path, &first, &error), TS_OK);
  assert_int_equal(ts_atomic_file_create(path, &second, &error), TS_OK); // two at once
  assert_string_not_equal(first.temporary, second.temporary);
  assert_true(exists(first.temporary) && exists(second.temporary) && !exists(path));
  assert_int_equal(write(first.descriptor, "first", 5), 5);
  assert_int_equal(ts_atomic_file_commit(&first, &error), TS_OK);
  assert_true(exists(path) && exists(second.temporary));
  ts_atomic_file_discard(&second);
  ts_atomic_file_discard(&second); // of nothing
  assert_int_equal(scratch_count(*state), 1);
}

// The number of a process comes back in a container: no name may depend on it.
static void names_do_not_collide(void **state)
{
  char old[64];
  ts_atomic_file file;
  snprintf(old, sizeof old, "run.h5.%ld.part", (long)getpid());
  scratch_write(scratch_path(*state, old), "old", 3);
  assert_int_equal(ts_atomic_file_create(scratch_path(*state, "run.h5"), &file, NULL), TS_OK);
  ts_atomic_file_discard(&file);
  assert_int_equal(scratch_count(*state), 1);
}

// A child makes a file and is killed in the middle; or goes on.
static pid_t start_writer(const char *path, int *ready)
{
  assert_int_equal(pipe(ready), 0);
  const pid_t child = fork();
  assert_true(child >= 0);
  if (child > 0) return child;
  ts_atomic_file file;
  if (ts_atomic_file_create(path, &file, NULL) != TS_OK || write(ready[1], "x", 1) != 1) _exit(1);
  for (;;) pause();
}

static void end_writer(pid_t child, const int *ready)
{
  int status;
  assert_int_equal(kill(child, SIGKILL), 0);
  assert_int_equal(waitpid(child, &status, 0), child);
  close(ready[0]);
  close(ready[1]);
}

static void what_the_dead_left_is_removed(void **state)
{
  char byte;
  int dead[2], alive[2];
  const char *path = scratch_path(*state, "run.h5");
  const pid_t killed = start_writer(path, dead);
  assert_int_equal(read(dead[0], &byte, 1), 1);
  end_writer(killed, dead);
  assert_int_equal(scratch_count(*state), 1);
  const pid_t writer = start_writer(path, alive); // removes it
  assert_int_equal(read(alive[0], &byte, 1), 1);
  assert_int_equal(scratch_count(*state), 1);
  ts_atomic_file file;
  assert_int_equal(ts_atomic_file_create(path, &file, NULL), TS_OK); // leaves the other alone
  assert_int_equal(scratch_count(*state), 2);
  ts_atomic_file_discard(&file);
  assert_int_equal(scratch_count(*state), 1);
  end_writer(writer, alive);
}

// Files that are only called alike, folders and links stay.
static void other_files_stay(void **state)
{
  static const char *const names[] = {"run.h5.part",           "run.h5.abcdefg.part", "run.h5.abcdefghi.part",
                                      "run.h5.ABCDEFGH.part",  "run.h5.abcdefgh",     "other.h5.abcdefgh.part",
                                      "run.h5.abcdefgh.part.x"};
  const int count = sizeof names / sizeof names[0];
  for (int i = 0; i < count; ++i) scratch_write(scratch_path(*state, names[i]), "x", 1);
  assert_int_equal(symlink("other.h5.abcdefgh.part", scratch_path(*state, "run.h5.ijklmnop.part")), 0);
  assert_int_equal(mkfifo(scratch_path(*state, "run.h5.pipepipe.part"), 0600), 0);
  scratch_write(scratch_path(*state, "run.h5.abcdefgh.part"), "x", 1); // this one goes
  ts_atomic_file file;
  assert_int_equal(ts_atomic_file_create(scratch_path(*state, "run.h5"), &file, NULL), TS_OK);
  ts_atomic_file_discard(&file);
  assert_int_equal(scratch_count(*state), count + 2);
}

#define scratch_test(f) cmocka_unit_test_setup_teardown(f, scratch_folder_set_up, scratch_folder_tear_down)

int main(void)
{
  const struct CMUnitTest tests[] = {
      scratch_test(a_file_gets_its_name_at_the_end),
      scratch_test(names_do_not_collide),
      scratch_test(what_the_dead_left_is_removed),
      scratch_test(other_files_stay),
  };
  return cmocka_run_group_tests(tests, NULL, NULL);
}
