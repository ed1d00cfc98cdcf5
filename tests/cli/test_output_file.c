// Output files: nothing under the name before the commit, everything after it, nothing else left behind.
#define _POSIX_C_SOURCE 200809L
#include "cli/output_file.h"

#include <stdarg.h>
#include <stddef.h>
#include <setjmp.h>
#include <dirent.h>
#include <errno.h>
#include <fcntl.h>
#include <stdint.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>
#include <cmocka.h>

typedef struct fixture {
  char folder[64], path[80];
} fixture;

static int set_up(void **state)
{
  fixture *f = calloc(1, sizeof *f);
  strcpy(f->folder, "/tmp/touchstone-test-XXXXXX");
  if (!mkdtemp(f->folder)) return -1;
  snprintf(f->path, sizeof f->path, "%s/result", f->folder);
  *state = f;
  return 0;
}

static int tear_down(void **state)
{
  fixture *f = *state;
  unlink(f->path);
  const int status = rmdir(f->folder); // fails when anything else is in it
  free(f);
  return status;
}

static int entries(const fixture *f)
{
  int count = 0;
  DIR *folder = opendir(f->folder);
  assert_non_null(folder);
  for (const struct dirent *entry; (entry = readdir(folder));) count += entry->d_name[0] != '.';
  closedir(folder);
  return count;
}

static void assert_holds(const char *path, const char *text)
{
  char found[256] = "";
  FILE *file = fopen(path, "r");
  assert_non_null(file);
  found[fread(found, 1, sizeof found - 1, file)] = '\0';
  fclose(file);
  assert_string_equal(found, text);
}

static void a_file_appears_when_it_is_complete(void **state)
{
  const fixture *f = *state;
  cli_output output;
  assert_true(cli_output_open(f->path, &output));
  fputs("all of it\n", output.stream);
  fflush(output.stream);
  assert_int_equal(entries(f), 0);
  assert_true(cli_output_commit(&output));
  assert_int_equal(entries(f), 1);
  assert_holds(f->path, "all of it\n");
  cli_output_discard(&output); // harmless now
  assert_holds(f->path, "all of it\n");
}

static void an_old_file_stays_until_the_new_one_is_complete(void **state)
{
  const fixture *f = *state;
  cli_output output;
  assert_true(cli_output_open(f->path, &output));
  fputs("old", output.stream);
  assert_true(cli_output_commit(&output));
  assert_true(cli_output_open(f->path, &output));
  fputs("new", output.stream);
  assert_holds(f->path, "old");
  cli_output_discard(&output);
  assert_holds(f->path, "old");
  assert_true(cli_output_open(f->path, &output));
  assert_true(cli_output_commit(&output)); // an empty one
  assert_holds(f->path, "");
}

static void the_users_mask_decides_on_permissions(void **state)
{
  const fixture *f = *state;
  const mode_t before = umask(027);
  cli_output output;
  assert_true(cli_output_open(f->path, &output));
  assert_true(cli_output_commit(&output));
  umask(before);
  struct stat about;
  assert_int_equal(stat(f->path, &about), 0);
  assert_int_equal(about.st_mode & 0777, 0640);
}

// Opening fails, with the name and the reason on standard error.
static void refuse(const fixture *f, const char *path, const char *reason)
{
  const int screen = dup(STDERR_FILENO), file = open(f->path, O_RDWR | O_CREAT | O_TRUNC, 0666);
  assert_true(screen >= 0 && file >= 0);
  dup2(file, STDERR_FILENO);
  cli_output output;
  const bool opened = cli_output_open(path, &output);
  dup2(screen, STDERR_FILENO);
  close(screen);
  close(file);
  assert_false(opened);
  assert_null(output.stream);
  char wanted[256];
  snprintf(wanted, sizeof wanted, "touchstone: %s: cannot be written: %s\n", path, reason);
  assert_holds(f->path, wanted);
}

static void places_that_cannot_hold_a_file_are_refused_at_once(void **state)
{
  const fixture *f = *state;
  char path[128];
  snprintf(path, sizeof path, "%s/missing/result", f->folder);
  refuse(f, path, strerror(ENOENT));
  refuse(f, f->folder, strerror(EISDIR));
  refuse(f, "", strerror(ENOENT));
  snprintf(path, sizeof path, "%s/other/", f->folder);
  refuse(f, path, strerror(EISDIR));
}

// The folder goes away between opening and committing.
static void a_late_failure_is_reported(void **state)
{
  const fixture *f = *state;
  char folder[128], path[160];
  snprintf(folder, sizeof folder, "%s/short-lived", f->folder);
  snprintf(path, sizeof path, "%s/result", folder);
  assert_int_equal(mkdir(folder, 0777), 0);
  cli_output output;
  assert_true(cli_output_open(path, &output));
  assert_int_equal(rmdir(folder), 0);
  assert_false(cli_output_commit(&output));
  cli_output_discard(&output);
}

static void devices_are_written_straight(void **state)
{
  (void)state;
  cli_output output;
  assert_true(cli_output_open("/dev/null", &output));
  fputs("gone", output.stream);
  assert_true(cli_output_commit(&output));
  struct stat about;
  assert_int_equal(stat("/dev/null", &about), 0);
  assert_true(S_ISCHR(about.st_mode));
}

#define TEST(function) cmocka_unit_test_setup_teardown(function, set_up, tear_down)

int main(void)
{
  const struct CMUnitTest tests[] = {
      TEST(a_file_appears_when_it_is_complete),
      TEST(an_old_file_stays_until_the_new_one_is_complete),
      TEST(the_users_mask_decides_on_permissions),
      TEST(places_that_cannot_hold_a_file_are_refused_at_once),
      TEST(a_late_failure_is_reported),
      TEST(devices_are_written_straight),
  };
  return cmocka_run_group_tests(tests, NULL, NULL);
}
