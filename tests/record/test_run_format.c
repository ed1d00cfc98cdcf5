// Formats of runs: which one a name chooses, and what is taken for a run.
#include "record/run_format.h"

#include "scratch_folder.h"

#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>
#include <string.h>
#include <cmocka.h>

static void names_choose_formats(void **state)
{
  (void)state;
  static const struct {
    const char *path, *name;
  } cases[] = {
      {"run.h5", "HDF5"}, {"a/b.c/run.hdf5", "HDF5"}, {"run.csv", "CSV"}, {"run.h5.csv", "CSV"}, {"run.H5", NULL},
      {".h5", NULL},      {"a/.csv", NULL},           {"run", NULL},      {"run.csv.txt", NULL}, {"", NULL}};
  for (size_t i = 0; i < sizeof cases / sizeof cases[0]; ++i) {
    const ts_run_format *format = ts_run_format_of(cases[i].path);
    if (cases[i].name)
      assert_string_equal(format->name, cases[i].name);
    else
      assert_null(format);
  }
}

static void every_ending_chooses_its_format(void **state)
{
  (void)state;
  for (int i = 0; i < ts_run_format_count(); ++i)
    for (int k = 0; ts_run_format_at(i)->suffixes[k]; ++k) {
      char name[32];
      snprintf(name, sizeof name, "x%s", ts_run_format_at(i)->suffixes[k]);
      assert_ptr_equal(ts_run_format_of(name), ts_run_format_at(i));
    }
}

static void refusals_list_what_there_is(void **state)
{
  ts_error error = {0};
  assert_null(ts_run_store_for("run.txt", &error));
  assert_string_equal(error.text, "the name of a run must end in .h5, .hdf5 or .csv");
  assert_int_equal(ts_run_refuse_resuming(&error), TS_INVALID);
  assert_string_equal(error.text, "only HDF5 files can be resumed");
  const char *path = scratch_path(*state, "some.txt");
  scratch_write(path, "hello", 5);
  assert_null(ts_run_store_of(path, &error));
  assert_string_equal(error.text, "this is no run: neither an HDF5 file nor one whose name ends in .csv");
  assert_null(ts_run_store_of(scratch_path(*state, "nothing.csv"), &error));
  assert_int_equal(error.status, TS_IO);
}

// By content under any name; by name whatever is in it; a file that is cut off within its mark is none.
static void runs_are_recognized(void **state)
{
  static const char mark[] = "\x89HDF\r\n\x1a\n";
  const char *path = scratch_path(*state, "data");
  scratch_write(path, mark, 8);
  assert_true(ts_record_recognizes(path));
  scratch_write(path, mark, 7);
  assert_false(ts_record_recognizes(path));
  assert_true(ts_record_recognizes("nothing.csv"));
  assert_true(ts_record_recognizes("nothing.HDF5"));
  assert_false(ts_record_recognizes("nothing.yaml"));
}

int main(void)
{
  const struct CMUnitTest tests[] = {
      cmocka_unit_test(names_choose_formats), cmocka_unit_test(every_ending_chooses_its_format),
      cmocka_unit_test(refusals_list_what_there_is), cmocka_unit_test(runs_are_recognized)};
  return cmocka_run_group_tests(tests, scratch_folder_set_up, scratch_folder_tear_down);
}
