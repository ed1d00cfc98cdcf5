// Tables read back: what was packed, in both formats; and files that are none, or were changed.
#define _POSIX_C_SOURCE 200809L // fork
#include "study/table.h"

#include "record/seal.h"

#include "effort.h"
#include "scratch_folder.h"
#include "study_rig.h"
#include "whole_file.h"

#include "base/random.h"

#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <hdf5.h>
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/wait.h>
#include <unistd.h>
#include <cmocka.h>

#define scratch_test(f) cmocka_unit_test_setup_teardown(f, scratch_folder_set_up, scratch_folder_tear_down)

static const char *const outputs[] = {"t.h5", "t.csv", "t.hdf5"};

static ts_table *open_table(const char *path)
{
  ts_table *table;
  ts_error error = {0};
  if (ts_table_open(path, &table, &error) != TS_OK) fail_msg("%s: %s", path, error.text);
  return table;
}

// A table of `limit` trials (0: all) in a format.
static const char *make_table(scratch_folder *folder, const ts_study *study, int format, uint64_t limit)
{
  const char *output = scratch_path(folder, outputs[format]);
  ts_sweep_options options = rig_options(1, limit);
  options.fresh = true;
  ts_error error = {0};
  rig_sweep(study, output, &options, NULL);
  if (ts_study_pack(study, output, &error) != TS_OK) fail_msg("%s", error.text);
  return output;
}

// ---- what was packed -----------------------------------------------------------------------------------------------

static void assert_same_number(double found, double expected)
{
  if (memcmp(&found, &expected, sizeof found) != 0 && !(isnan(found) && isnan(expected)))
    fail_msg("%a, not %a", found, expected);
}

static double value(const ts_table *table, const char *name, int row)
{
  const int column = ts_table_find_column(table, name);
  if (column < 0) fail_msg("there is no column %s", name);
  return ts_table_column_values(table, column)[row];
}

static void assert_row(const study_rig *rig, const ts_study *study, const ts_table *table, int row)
{
  double parameters[RIG_PARAMETERS], results[RIG_RESULTS] = {NAN, NAN, NAN};
  ts_trial_outcome outcome = {.results = results};
  char failure[128];
  const uint64_t trial = (uint64_t)value(table, "trial", row);
  assert_int_equal(ts_study_parameters(study, trial, parameters, NULL), TS_OK);
  rig_outcome(rig, trial, parameters, &outcome, failure, sizeof failure);
  for (int i = 0; i < RIG_PARAMETERS; ++i)
    assert_same_number(value(table, ts_study_parameter_name(study, i), row), parameters[i]);
  for (int i = 0; i < RIG_RESULTS; ++i)
    assert_same_number(value(table, ts_study_result_name(study, i), row), results[i]);
  assert_int_equal(ts_table_row_end(table, row), failure[0] ? TS_TRIAL_FAILED : outcome.end);
  assert_string_equal(ts_table_row_text(table, row), failure[0] ? failure : outcome.text);
  assert_true(value(table, "end", row) == ts_table_row_end(table, row));
  assert_true(value(table, "steps", row) == (double)outcome.steps);
  assert_true(value(table, "uncertified", row) == (double)outcome.uncertified);
  assert_same_number(value(table, "residual", row), outcome.residual);
  assert_true(value(table, "attempt", row) == 0.0 && value(table, "seconds", row) >= 0.0);
}

static void tables_read_back(void **state)
{
  study_rig rig;
  rig_init(&rig);
  ts_study *study = rig_study(&rig, 30);
  for (int format = 0; format < 3; ++format)
    for (uint64_t limit = 0; limit <= 50; limit += 50) {
      const char *path = make_table(*state, study, format, limit);
      assert_true(ts_table_recognizes(path));
      ts_table *table = open_table(path);
      const int rows = (int)(limit > 0 ? limit : ts_study_trial_count(study));
      assert_int_equal(ts_table_row_count(table), rows);
      assert_int_equal(ts_table_column_count(table), 1 + RIG_PARAMETERS + RIG_RESULTS + 5 + 1);
      for (int row = 0; row < rows; ++row) assert_row(&rig, study, table, row);
      assert_int_equal(ts_table_find_column(table, "nobody"), -1);
      ts_table_close(table);
    }
  ts_study_destroy(study);
  rig_release(&rig);
}

static void hdf5_tables_know_their_design(void **state)
{
  static const ts_table_role roles[] = {TS_TABLE_ROLE_TRIAL,  TS_TABLE_ROLE_GRID,    TS_TABLE_ROLE_GRID,
                                        TS_TABLE_ROLE_RANDOM, TS_TABLE_ROLE_DERIVED, TS_TABLE_ROLE_RESULT,
                                        TS_TABLE_ROLE_RESULT, TS_TABLE_ROLE_RESULT,  TS_TABLE_ROLE_OTHER};
  static const char *const units[] = {"", "m", "", "m/s", "", "m", "", "rad", ""};
  static const int axes[] = {-1, 0, 1, -1, -1, -1, -1, -1, -1};
  study_rig rig;
  rig_init(&rig);
  ts_study *study = rig_study(&rig, 5);
  ts_table *table = open_table(make_table(*state, study, 0, 7));
  const ts_table_design *design = ts_table_design_of(table);
  assert_non_null(design);
  assert_string_equal(ts_table_name(table), "rig, \"quoted\"");
  assert_true(design->sampling == TS_SAMPLING_SOBOL && design->samples == 5 && design->cells == RIG_CELLS);
  assert_true(design->trials == 30 && design->axis_count == 2 && design->axis_sizes[0] == 2 &&
              design->axis_sizes[1] == 3);
  assert_string_equal(design->seed, "18446744073709551615");
  for (int i = 0; i < 9; ++i) {
    assert_int_equal(ts_table_column_role(table, i), roles[i]);
    assert_int_equal(ts_table_column_axis(table, i), axes[i]);
    assert_string_equal(ts_table_column_unit(table, i), units[i]);
  }
  assert_string_equal(ts_table_column_unit(table, ts_table_find_column(table, "seconds")), "s");
  ts_table_close(table);
  // CSV has nothing of it.
  table = open_table(make_table(*state, study, 1, 7));
  assert_null(ts_table_design_of(table));
  assert_string_equal(ts_table_name(table), "");
  assert_int_equal(ts_table_column_role(table, 0), TS_TABLE_ROLE_TRIAL);
  for (int i = 1; i < 8; ++i) assert_int_equal(ts_table_column_role(table, i), TS_TABLE_ROLE_UNKNOWN);
  assert_int_equal(ts_table_column_role(table, 8), TS_TABLE_ROLE_OTHER);
  ts_table_close(table);
  ts_study_destroy(study);
  rig_release(&rig);
}

// The times may be gone, or of another moment.
static void times_are_of_their_trials(void **state)
{
  study_rig rig;
  rig_init(&rig);
  ts_study *study = rig_study(&rig, 5);
  ts_error error = {0};
  ts_table *table;
  const char *path = make_table(*state, study, 1, 4), *times = scratch_path(*state, "t.times.csv");
  static const char other[] = "trial,seconds\n1,0.5\n3,2\n17,9\n";
  scratch_write(times, other, sizeof other - 1);
  table = open_table(path);
  const double *seconds = ts_table_column_values(table, ts_table_find_column(table, "seconds"));
  assert_true(isnan(seconds[0]) && seconds[1] == 0.5 && isnan(seconds[2]) && seconds[3] == 2.0);
  ts_table_close(table);
  static const char bad[] = "trial,seconds\n1,0.5\n1,2\n";
  scratch_write(times, bad, sizeof bad - 1);
  assert_int_equal(ts_table_open(path, &table, &error), TS_INVALID);
  assert_true(strstr(error.file, "t.times.csv") && strstr(error.text, "grow"));
  assert_int_equal(unlink(times), 0);
  table = open_table(path);
  assert_int_equal(ts_table_find_column(table, "seconds"), -1);
  ts_table_close(table);
  ts_study_destroy(study);
  rig_release(&rig);
}

static ts_status end_at_once(void *user, void *worker, const ts_trial *trial, ts_trial_outcome *outcome,
                             ts_error *error)
{
  (void)user, (void)worker, (void)trial, (void)outcome, (void)error;
  return TS_OK;
}

// Nothing varies, or nothing comes of it, or nothing was run; and a parameter that no trial can compute.
static void tables_may_be_empty(void **state)
{
  static const ts_variation root = {.name = "root", .kind = TS_VARY_EXPRESSION, .expression = "1/(1-1)"};
  static const char *const sizes[] = {"size"};
  for (int format = 0; format < 2; ++format)
    for (int what = 0; what < 8; ++what) {
      ts_study_def def = {.variations = &root,
                          .variation_count = what & 1,
                          .samples = 3,
                          .results = sizes,
                          .result_count = what >> 1 & 1,
                          .most_attempts = 1,
                          .function.run = end_at_once};
      ts_study *study;
      ts_error error = {0};
      assert_int_equal(ts_study_create(&def, &study, &error), TS_OK);
      const char *output = scratch_path(*state, outputs[format]);
      ts_sweep_options options = rig_options(1, 0);
      options.fresh = true;
      rig_sweep(study, output, &options, NULL);
      if (what & 4) { // as before the first trial
        char line[256];
        snprintf(line, sizeof line, "rm '%s'.work/*.journal", output);
        assert_int_equal(system(line), 0);
      }
      assert_int_equal(ts_study_pack(study, output, &error), TS_OK);
      ts_table *table = open_table(output);
      assert_int_equal(ts_table_row_count(table), what & 4 ? 0 : 3);
      assert_int_equal(ts_table_column_count(table), 7 + (what & 1) + (what >> 1 & 1));
      for (int row = 0; row < ts_table_row_count(table); ++row) {
        assert_int_equal(ts_table_row_end(table, row), what & 1 ? TS_TRIAL_FAILED : TS_TRIAL_FINISHED);
        if (what & 1) assert_true(isnan(ts_table_column_values(table, 1)[row]) && ts_table_row_text(table, row)[0]);
        if (what & 2) assert_true(isnan(ts_table_column_values(table, 1 + (what & 1))[row]));
      }
      ts_table_close(table);
      ts_study_destroy(study);
    }
}

// More sentences than are remembered: each row has its own all the same.
static ts_status fail_each(void *user, void *worker, const ts_trial *trial, ts_trial_outcome *outcome, ts_error *error)
{
  (void)user, (void)worker, (void)outcome;
  return ts_fail(error, TS_INVALID, "reason %d", (int)(trial->number % 18000));
}

static void every_trial_may_have_a_sentence_of_its_own(void **state)
{
  const ts_study_def def = {.samples = 40000, .most_attempts = 1, .function.run = fail_each};
  ts_study *study;
  assert_int_equal(ts_study_create(&def, &study, NULL), TS_OK);
  for (int format = 0; format < 2; ++format) {
    ts_table *table = open_table(make_table(*state, study, format, 0));
    assert_int_equal(ts_table_row_count(table), 40000);
    for (int row = 0; row < 40000; ++row) {
      char expected[32];
      snprintf(expected, sizeof expected, "reason %d", row % 18000);
      assert_string_equal(ts_table_row_text(table, row), expected);
    }
    ts_table_close(table);
  }
  ts_study_destroy(study);
}

// Tables that were written when the format was new; the numbers are those of the text.
static void tables_of_the_first_format_are_read(void **state)
{
  (void)state;
  static const char *const paths[] = {TEST_DATA "/tables/table.h5", TEST_DATA "/tables/table.csv"};
  for (int k = 0; k < 2; ++k) {
    ts_table *table = open_table(paths[k]);
    assert_int_equal(ts_table_row_count(table), 12);
    assert_true(value(table, "x", 4) == 1.7223950604524059 && value(table, "sum", 11) == 7.4335051845518727);
    assert_true(isnan(value(table, "sum", 3)) && value(table, "uncertified", 4) == 2.0);
    assert_int_equal(ts_table_row_end(table, 6), TS_TRIAL_LIMITED);
    assert_string_equal(ts_table_row_text(table, 6), "time");
    assert_string_equal(ts_table_row_text(table, 10), "trial 10 said \"no\", and no more");
    assert_int_equal(ts_table_find_column(table, "seconds") >= 0, k == 1);
    ts_table_close(table);
  }
}

// ---- what is none --------------------------------------------------------------------------------------------------

static double sum_of(const ts_table *table)
{
  double sum = 0.0;
  for (int i = 0; i < ts_table_column_count(table); ++i)
    for (int row = 0; row < ts_table_row_count(table); ++row)
      sum += ts_table_column_values(table, i)[row] + (double)strlen(ts_table_column_name(table, i));
  for (int row = 0; row < ts_table_row_count(table); ++row)
    sum += (double)ts_table_row_end(table, row) + (double)strlen(ts_table_row_text(table, row));
  return sum;
}

typedef enum finding { TABLE, SENTENCE, NONSENSE } finding;

// A table all of whose numbers can be asked for, or a sentence.
static finding look_at(const char *path)
{
  ts_table *table;
  ts_error error = {0};
  const ts_status status = ts_table_open(path, &table, &error);
  (void)ts_table_recognizes(path);
  if (status != TS_OK)
    return !table && error.status == status && error.text[0] && !strchr(error.text, '\n') ? SENTENCE : NONSENSE;
  volatile double sum = sum_of(table);
  (void)sum;
  ts_table_close(table);
  return TABLE;
}

static void demand_table_or_sentence(const char *path)
{
  assert_int_not_equal(look_at(path), NONSENSE);
}

static void assert_no_table(scratch_folder *folder, const char *name, const char *content, const char *sentence)
{
  ts_table *table;
  ts_error error = {0};
  const char *path = scratch_path(folder, name);
  scratch_write(path, content, strlen(content));
  assert_int_not_equal(ts_table_open(path, &table, &error), TS_OK);
  assert_null(table);
  if (!strstr(error.text, sentence)) fail_msg("'%s' is not about '%s'", error.text, sentence);
}

#define LAST "outcome,steps,uncertified,residual,attempt\n"

static void csv_files_that_are_no_tables_are_refused(void **state)
{
  assert_no_table(*state, "t.csv", "", "the first column of a table is trial");
  assert_no_table(*state, "t.csv", "t,x\n0,1\n", "the first column of a table is trial");
  assert_no_table(*state, "t.csv", "trial,x\n0,1\n", "the last columns");
  assert_no_table(*state, "t.csv", "trial," LAST "0,finished,1,0,0\n", "5 fields, there are 6 columns");
  assert_no_table(*state, "t.csv", "trial," LAST "0,finished,1,0,0,0,0\n", "more than 6 fields");
  assert_no_table(*state, "t.csv", "trial," LAST "0,done,1,0,0,0\n", "an outcome begins with");
  assert_no_table(*state, "t.csv", "trial," LAST "0,finishedly,1,0,0,0\n", "an outcome begins with");
  assert_no_table(*state, "t.csv", "trial,x," LAST "0,y,finished,1,0,0,0\n", "column x wants a number");
  assert_no_table(*state, "t.csv", "trial,\"x\ny\"," LAST "0,y,finished,1,0,0,0\n", "a column cannot be called so");
  assert_no_table(*state, "t.csv", "trial,x,y,x," LAST "0,1,2,3,finished,1,0,0,0\n", "a column is given twice");
  assert_no_table(*state, "t.csv", "trial,steps," LAST "0,1,finished,1,0,0,0\n", "a column is given twice");
  assert_no_table(*state, "t.csv", "trial,," LAST "0,y,finished,1,0,0,0\n", "a column cannot be called so");
  assert_no_table(*state, "t.csv", "trial," LAST "1,finished,1,0,0,0\n1,finished,1,0,0,0\n", "grow");
  assert_no_table(*state, "t.csv", "trial," LAST "0.5,finished,1,0,0,0\n", "whole numbers");
  assert_no_table(*state, "t.csv", "trial," LAST "0,\"failed: x,1,0,0,0\n", "never ends");
  assert_no_table(*state, "t.txt", "trial," LAST, ".h5, .hdf5 or .csv");
  assert_no_table(*state, "t.h5", "trial," LAST, "cut off");
  ts_table *table;
  ts_error error = {0};
  assert_int_equal(ts_table_open(scratch_path(*state, "nothing.csv"), &table, &error), TS_IO);
  assert_false(ts_table_recognizes(scratch_path(*state, "nothing.csv")));
  // By what it begins with.
  scratch_write(scratch_path(*state, "run.csv"), "t,ball.x\n0,1\n", 13);
  assert_false(ts_table_recognizes(scratch_path(*state, "run.csv")));
  ts_table_close(NULL);
}

static char *small_table(scratch_folder *folder, int format, size_t *bytes)
{
  study_rig rig;
  rig_init(&rig);
  ts_study *study = rig_study(&rig, 3);
  const char *path = make_table(folder, study, format, 0);
  ts_study_destroy(study);
  rig_release(&rig);
  assert_int_equal(unlink(scratch_path(folder, format == 0 ? "t.times.h5" : "t.times.csv")), 0);
  return read_bytes(path, bytes);
}

static void any_byte_of_a_csv_table_may_change(void **state)
{
  static const char others[] = {'\0', '"', ',', '\n', '9', 'e', (char)0xff};
  size_t bytes;
  char *content = small_table(*state, 1, &bytes);
  const char *path = scratch_path(*state, "t.csv");
  for (size_t at = 0; at < bytes; at += (size_t)effort_stride(3, 5)) {
    const char was = content[at];
    content[at] = others[at % sizeof others];
    scratch_write(path, content, bytes);
    demand_table_or_sentence(path);
    content[at] = was;
    if (at % 4 > 0) continue;
    scratch_write(path, content, at);
    demand_table_or_sentence(path);
  }
  free(content);
}

// The seal finds out every change.
static void any_byte_of_an_hdf5_table_may_change(void **state)
{
  size_t bytes;
  char *content = small_table(*state, 0, &bytes);
  const char *path = scratch_path(*state, "t.h5");
  for (size_t at = 0; at < bytes; at += (size_t)effort_stride(3, 5)) {
    const char was = content[at];
    content[at] = (char)(was ^ (1 << at % 8));
    scratch_write(path, content, bytes);
    const finding found = look_at(path);
    assert_true(found == SENTENCE || (found == TABLE && at + 16 >= bytes));
    content[at] = was;
  }
  for (size_t cut = 0; cut < bytes; cut += 97) {
    scratch_write(path, content, cut);
    demand_table_or_sentence(path);
  }
  scratch_write(path, content, bytes);
  assert_int_equal(look_at(path), TABLE);
  free(content);
}

static bool survives_damage(const char *path, char *content, size_t bytes)
{
  ts_random random;
  ts_random_init(&random, 5);
  for (int k = 0; k < effort_part(1000, 3, 5); ++k) {
    const size_t at = (size_t)ts_random_below(&random, (int)bytes);
    const char was = content[at];
    content[at] = (char)ts_random_bits(&random);
    scratch_write(path, content, bytes);
    content[at] = was;
    if (k % 2 == 0 && ts_seal_write(path) != 0) return false;
    if (look_at(path) == NONSENSE) return false;
  }
  return H5Fget_obj_count(H5F_OBJ_ALL, H5F_OBJ_ALL) == 0;
}

// One who changes a file and seals it again, or takes the seal away, meets the checks of libhdf5 and ours. libhdf5
// loses memory when its own do not fit, so this runs in a process of its own, which ends without looking back.
static void sealed_changes_are_found_by_other_checks(void **state)
{
  enum { SEAL = 16 };
  size_t bytes;
  char *content = small_table(*state, 0, &bytes);
  const char *path = scratch_path(*state, "t.h5");
  const pid_t child = fork();
  assert_true(child >= 0);
  if (child == 0) _exit(survives_damage(path, content, bytes - SEAL) ? 0 : 1);
  int status;
  assert_int_equal(waitpid(child, &status, 0), child);
  assert_int_equal(status, 0);
  free(content);
}

// ---- hostile files that libhdf5 finds in order ---------------------------------------------------------------------

// What is changed in a copy of a table by libhdf5 itself.
typedef void change(hid_t file);

static void write_attribute(hid_t file, const char *path, const char *name, hid_t type, const void *value)
{
  const hid_t object = H5Oopen(file, path, H5P_DEFAULT), space = H5Screate(H5S_SCALAR);
  if (H5Aexists(object, name) > 0) H5Adelete(object, name);
  const hid_t attribute = H5Acreate2(object, name, type, space, H5P_DEFAULT, H5P_DEFAULT);
  assert_true(attribute >= 0 && H5Awrite(attribute, type, value) >= 0);
  H5Aclose(attribute);
  H5Sclose(space);
  H5Oclose(object);
}

static void claim_many_cells(hid_t file)
{
  const uint64_t cells = UINT64_C(1) << 60;
  write_attribute(file, "/", "cells", H5T_NATIVE_UINT64, &cells);
}

static void claim_another_format(hid_t file)
{
  const int format = 99;
  write_attribute(file, "/", "touchstone_study", H5T_NATIVE_INT, &format);
}

static void claim_an_axis(hid_t file)
{
  const int axis = 1000;
  write_attribute(file, "parameters/a", "axis", H5T_NATIVE_INT, &axis);
}

static void write_whole_column(hid_t file, const char *path, double number)
{
  const hid_t dataset = H5Dopen2(file, path, H5P_DEFAULT), space = H5Dget_space(dataset);
  double values[64];
  for (int i = 0; i < 64; ++i) values[i] = number;
  assert_true(H5Sget_simple_extent_npoints(space) <= 64);
  assert_true(H5Dwrite(dataset, H5T_NATIVE_DOUBLE, H5S_ALL, H5S_ALL, H5P_DEFAULT, values) >= 0);
  H5Sclose(space);
  H5Dclose(dataset);
}

static void name_no_end(hid_t file)
{
  write_whole_column(file, "end", 4.0);
}

static void name_no_text(hid_t file)
{
  write_whole_column(file, "text", 1e6);
}

static void repeat_a_trial(hid_t file)
{
  write_whole_column(file, "trial", 3.0);
}

static void make_longer(hid_t file)
{
  const hsize_t extent = 2000000000;
  const hid_t dataset = H5Dopen2(file, "results/sum", H5P_DEFAULT);
  assert_true(H5Dset_extent(dataset, &extent) >= 0);
  H5Dclose(dataset);
}

static void make_all_longer(hid_t file)
{
  const hsize_t extent = 2000000000;
  const hid_t dataset = H5Dopen2(file, "trial", H5P_DEFAULT);
  assert_true(H5Dset_extent(dataset, &extent) >= 0);
  H5Dclose(dataset);
}

static void lead_elsewhere(hid_t file)
{
  assert_true(H5Ldelete(file, "results/sum", H5P_DEFAULT) >= 0);
  assert_true(H5Lcreate_external("/etc/passwd", "sum", file, "results/sum", H5P_DEFAULT, H5P_DEFAULT) >= 0);
}

static void remove_a_column(hid_t file)
{
  assert_true(H5Ldelete(file, "steps", H5P_DEFAULT) >= 0);
}

static void files_that_claim_too_much_are_refused(void **state)
{
  static const struct {
    change *make;
    const char *sentence;
  } cases[] = {{claim_many_cells, "axes of this table does not fit"},
               {claim_another_format, "this table is of format 99"},
               {claim_an_axis, "parameters/a of this table is of an axis that there is not"},
               {name_no_end, "end of this table holds a number that is no end"},
               {name_no_text, "text of this table holds a number that has no text"},
               {repeat_a_trial, "trials of this table are not whole numbers that grow"},
               {make_longer, "results/sum of this table is larger than the file can hold"},
               {make_all_longer, "trial of this table is larger than the file can hold"},
               {lead_elsewhere, "results/sum of this table is missing"},
               {remove_a_column, "steps of this table is missing"}};
  size_t bytes;
  char *content = small_table(*state, 0, &bytes);
  const char *path = scratch_path(*state, "t.h5");
  for (size_t k = 0; k < sizeof cases / sizeof *cases; ++k) {
    ts_table *table;
    ts_error error = {0};
    scratch_write(path, content, bytes);
    const hid_t file = H5Fopen(path, H5F_ACC_RDWR, H5P_DEFAULT);
    assert_true(file >= 0);
    cases[k].make(file);
    H5Fclose(file);
    assert_int_not_equal(ts_table_open(path, &table, &error), TS_OK);
    assert_null(table);
    if (!strstr(error.text, cases[k].sentence)) fail_msg("'%s' is not about '%s'", error.text, cases[k].sentence);
  }
  free(content);
}

int main(void)
{
  const struct CMUnitTest tests[] = {scratch_test(tables_read_back),
                                     scratch_test(hdf5_tables_know_their_design),
                                     scratch_test(times_are_of_their_trials),
                                     scratch_test(tables_may_be_empty),
                                     scratch_test(every_trial_may_have_a_sentence_of_its_own),
                                     cmocka_unit_test(tables_of_the_first_format_are_read),
                                     scratch_test(csv_files_that_are_no_tables_are_refused),
                                     scratch_test(any_byte_of_a_csv_table_may_change),
                                     scratch_test(any_byte_of_an_hdf5_table_may_change),
                                     scratch_test(sealed_changes_are_found_by_other_checks),
                                     scratch_test(files_that_claim_too_much_are_refused)};
  return cmocka_run_group_tests(tests, NULL, NULL);
}
