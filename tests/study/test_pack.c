// Tables of studies: the same bytes whatever the history, with the numbers that the trials had; and what happens where
// they cannot be written.
#define _DEFAULT_SOURCE // symlink, RLIMIT_FSIZE
#include "study/pack.h"

#include "study/work_folder.h"

#include "scratch_folder.h"
#include "study_rig.h"
#include "whole_file.h"

#include "base/random.h"

#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <dirent.h>
#include <hdf5.h>
#include <math.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/resource.h>
#include <sys/stat.h>
#include <unistd.h>
#include <cmocka.h>

#define scratch_test(f) cmocka_unit_test_setup_teardown(f, scratch_folder_set_up, scratch_folder_tear_down)

enum { SAMPLES = 40, TRIALS = SAMPLES * RIG_CELLS };

static void pack(const ts_study *study, const char *output)
{
  ts_error error = {0};
  if (ts_study_pack(study, output, &error) != TS_OK) fail_msg("%s", error.text);
}

// Pack what lies in NAME.h5.work in both formats: NAME.h5 and NAME.csv.
static void pack_both(scratch_folder *folder, const ts_study *study, const char *name)
{
  char h5[64], csv[64], from[64], link[64];
  snprintf(h5, sizeof h5, "%s.h5", name);
  snprintf(csv, sizeof csv, "%s.csv", name);
  snprintf(from, sizeof from, "%s.h5.work", name);
  snprintf(link, sizeof link, "%s.csv.work", name);
  if (access(scratch_path(folder, link), F_OK) != 0) assert_int_equal(symlink(from, scratch_path(folder, link)), 0);
  pack(study, scratch_path(folder, h5));
  pack(study, scratch_path(folder, csv));
}

static void assert_same_tables(scratch_folder *folder, const char *a, const char *b)
{
  static const char *const endings[] = {"h5", "csv"};
  for (int k = 0; k < 2; ++k) {
    char one[64], other[64];
    snprintf(one, sizeof one, "%s.%s", a, endings[k]);
    snprintf(other, sizeof other, "%s.%s", b, endings[k]);
    assert_same_files(scratch_path(folder, one), scratch_path(folder, other));
  }
}

static void reference(scratch_folder *folder, const ts_study *study)
{
  const ts_sweep_options options = rig_options(1, 0);
  rig_sweep(study, scratch_path(folder, "reference.h5"), &options, NULL);
  pack_both(folder, study, "reference");
}

// ---- any history ---------------------------------------------------------------------------------------------------

static void threads_and_pieces_make_no_difference(void **state)
{
  study_rig rig;
  rig_init(&rig);
  ts_study *study = rig_study(&rig, SAMPLES);
  reference(*state, study);
  for (int jobs = 1; jobs <= 3; ++jobs)
    for (uint64_t limit = 37; limit <= 100; limit += 63) {
      char name[32], output[48];
      snprintf(name, sizeof name, "pieces-%d-%d", jobs, (int)limit);
      snprintf(output, sizeof output, "%s.h5", name);
      const ts_sweep_options options = rig_options(jobs, limit);
      ts_sweep_progress progress;
      do rig_sweep(study, scratch_path(*state, output), &options, &progress);
      while (progress.before + progress.now < TRIALS);
      pack_both(*state, study, name);
      assert_same_tables(*state, "reference", name);
    }
  ts_study_destroy(study);
  rig_release(&rig);
}

// Each journal once more under another name, and once more with its second half spoiled.
static void double_journals(scratch_folder *folder, const char *work)
{
  char path[512];
  snprintf(path, sizeof path, "%s", scratch_path(folder, work));
  DIR *listing = opendir(path);
  assert_non_null(listing);
  char names[64][256];
  int count = 0;
  for (const struct dirent *entry; (entry = readdir(listing)) && count < 64;)
    if (strstr(entry->d_name, ".journal")) snprintf(names[count++], sizeof names[0], "%.255s", entry->d_name);
  closedir(listing);
  assert_true(count > 0);
  for (int i = 0; i < count; ++i) {
    char from[800], to[800];
    size_t bytes;
    snprintf(from, sizeof from, "%s/%.255s", path, names[i]);
    char *content = read_bytes(from, &bytes);
    snprintf(to, sizeof to, "%s/A%.255s", path, names[i]);
    scratch_write(to, content, bytes);
    content[bytes / 2] = (char)(content[bytes / 2] ^ 4);
    snprintf(to, sizeof to, "%s/Z%.255s", path, names[i]);
    scratch_write(to, content, bytes);
    free(content);
  }
}

static void duplicates_and_damaged_copies_make_no_difference(void **state)
{
  study_rig rig;
  rig_init(&rig);
  ts_study *study = rig_study(&rig, SAMPLES);
  reference(*state, study);
  const ts_sweep_options options = rig_options(3, 0);
  rig_sweep(study, scratch_path(*state, "twice.h5"), &options, NULL);
  double_journals(*state, "twice.h5.work");
  pack_both(*state, study, "twice");
  assert_same_tables(*state, "reference", "twice");
  ts_study_destroy(study);
  rig_release(&rig);
}

// Trials that failed are tried again, and go well then: as if they always had.
static void retried_rows_take_the_place_of_the_failed(void **state)
{
  study_rig rig;
  rig_init(&rig);
  rig.healed = true;
  ts_study *study = rig_study(&rig, SAMPLES);
  reference(*state, study);
  rig.healed = false;
  ts_sweep_options options = rig_options(2, 0);
  rig_sweep(study, scratch_path(*state, "retried.h5"), &options, NULL);
  options.retry_failed = true;
  rig_sweep(study, scratch_path(*state, "retried.h5"), &options, NULL); // they fail again
  rig.healed = true;
  rig_sweep(study, scratch_path(*state, "retried.h5"), &options, NULL);
  pack_both(*state, study, "retried");
  assert_same_tables(*state, "reference", "retried");
  ts_study_destroy(study);
  rig_release(&rig);
}

// Journals that nobody's sweep would leave: all rows of all generations in any order, over any number of files.
static void write_journals(const ts_study *study, scratch_folder *folder, const char *output, uint64_t seed, int files)
{
  enum { GENERATIONS = 3, ROWS = 100 * GENERATIONS };
  const ts_journal_identity identity = ts_study_identity(study);
  char *work = ts_study_folder(scratch_path(folder, output));
  ts_journal *journals[8];
  ts_random random;
  int order[ROWS];
  unsigned char bytes[2048];
  ts_random_init(&random, seed);
  assert_int_equal(ts_work_folder_make(work, NULL), TS_OK);
  for (int k = 0; k < files; ++k) assert_int_equal(ts_journal_create(work, "w", &identity, &journals[k], NULL), TS_OK);
  for (int i = 0; i < ROWS; ++i) {
    const int at = ts_random_below(&random, i + 1);
    order[i] = order[at];
    order[at] = i;
  }
  for (int i = 0; i < ROWS; ++i) {
    const int trial = order[i] / GENERATIONS, generation = order[i] % GENERATIONS;
    double results[RIG_RESULTS] = {trial, generation, NAN};
    ts_trial_row row = {.trial = (uint64_t)trial,
                        .generation = generation == 2 && trial % 2 ? 1 : (uint32_t)generation, // two alike
                        .seconds = ts_random_uniform(&random, 0.0, 1.0),
                        .outcome.results = results};
    const size_t size = ts_row_write(&row, RIG_RESULTS, bytes);
    ts_journal *journal = journals[ts_random_below(&random, files)];
    assert_int_equal(ts_journal_append(journal, bytes, size, NULL), TS_OK);
  }
  for (int k = 0; k < files; ++k) assert_int_equal(ts_journal_close(journals[k], NULL), TS_OK);
  free(work);
}

static void tables_are_functions_of_the_set_of_rows(void **state)
{
  study_rig rig;
  rig_init(&rig);
  ts_study *study = rig_study(&rig, SAMPLES);
  write_journals(study, *state, "reference.h5", 1, 1);
  pack_both(*state, study, "reference");
  for (int k = 0; k < 6; ++k) {
    char name[32], output[48];
    snprintf(name, sizeof name, "shuffled-%d", k);
    snprintf(output, sizeof output, "%s.h5", name);
    write_journals(study, *state, output, (uint64_t)k + 2, k + 2);
    pack_both(*state, study, name);
    assert_same_tables(*state, "reference", name);
  }
  // The highest generation counts: column 7, `a "b", c`, of even trials is 2.
  char *text = read_text(scratch_path(*state, "reference.csv"));
  const char *line = strchr(text, '\n') + 1;
  for (int trial = 0; trial < 100; ++trial, line = strchr(line, '\n') + 1) {
    double numbers[7];
    assert_int_equal(sscanf(line, "%lf,%lf,%lf,%lf,%lf,%lf,%lf", &numbers[0], &numbers[1], &numbers[2], &numbers[3],
                            &numbers[4], &numbers[5], &numbers[6]),
                     7);
    assert_true(numbers[0] == trial && numbers[5] == trial);
    if (trial % 2 == 0) assert_true(numbers[6] == 2.0);
  }
  assert_int_equal(*line, '\0');
  free(text);
  ts_study_destroy(study);
  rig_release(&rig);
}

// ---- what is in them -----------------------------------------------------------------------------------------------

static void csv_tables_have_the_numbers_of_trials(void **state)
{
  study_rig rig;
  rig_init(&rig);
  ts_study *study = rig_study(&rig, SAMPLES);
  reference(*state, study);
  char *text = read_text(scratch_path(*state, "reference.csv")), *at = text;
  static const char heading[] =
      "trial,a,b,x,y,sum,\"a \"\"b\"\", c\",none,outcome,steps,uncertified,residual,attempt\n";
  assert_memory_equal(text, heading, sizeof heading - 1);
  at += sizeof heading - 1;
  for (uint64_t trial = 0; trial < TRIALS; ++trial) {
    double parameters[RIG_PARAMETERS], results[RIG_RESULTS] = {NAN, NAN, NAN};
    ts_trial_outcome outcome = {.results = results};
    char failure[128], expected[256];
    assert_int_equal(ts_study_parameters(study, trial, parameters, NULL), TS_OK);
    rig_outcome(&rig, trial, parameters, &outcome, failure, sizeof failure);
    assert_int_equal(strtoull(at, &at, 10), trial);
    const double numbers[] = {parameters[0], parameters[1], parameters[2], parameters[3], results[0], results[1], NAN};
    for (int k = 0; k < 7; ++k) {
      const double found = strtod(at + 1, &at); // after the comma; nan is one, too
      if (!(found == numbers[k] || (isnan(found) && isnan(numbers[k]))))
        fail_msg("trial %d, number %d: %g, not %g", (int)trial, k, found, numbers[k]);
    }
    const char *how = outcome.end == TS_TRIAL_STOPPED   ? "stopped by gate"
                      : outcome.end == TS_TRIAL_LIMITED ? "limit of time"
                                                        : "finished";
    if (failure[0] && trial % 2 == 0)
      snprintf(expected, sizeof expected, ",\"failed: trial %d said \"\"no\"\", and no more\",", (int)trial);
    else
      snprintf(expected, sizeof expected, ",%s,", failure[0] ? "\"failed: the ball has left\nthe table\"" : how);
    assert_memory_equal(at, expected, strlen(expected));
    at += strlen(expected);
    assert_int_equal(strtoull(at, &at, 10), 100 + trial);
    assert_int_equal(strtoull(at + 1, &at, 10), outcome.uncertified);
    assert_true(strtod(at + 1, &at) == outcome.residual); // of what failed, of the steps that it took
    assert_memory_equal(at, ",0\n", 3);
    at += 3;
  }
  assert_int_equal(*at, '\0');
  free(text);
  ts_study_destroy(study);
  rig_release(&rig);
}

static void read_column(hid_t file, const char *path, double *values)
{
  const hid_t dataset = H5Dopen2(file, path, H5P_DEFAULT), space = H5Dget_space(dataset);
  assert_true(dataset >= 0 && H5Sget_simple_extent_npoints(space) == TRIALS);
  assert_true(H5Dread(dataset, H5T_NATIVE_DOUBLE, H5S_ALL, H5S_ALL, H5P_DEFAULT, values) >= 0);
  H5Sclose(space);
  H5Dclose(dataset);
}

static void assert_attribute(hid_t file, const char *path, const char *name, const char *expected)
{
  char text[128] = "";
  const hid_t object = H5Oopen(file, path, H5P_DEFAULT), attribute = H5Aopen(object, name, H5P_DEFAULT);
  assert_true(attribute >= 0);
  const hid_t type = H5Aget_type(attribute);
  assert_true(H5Tget_size(type) < sizeof text && H5Aread(attribute, type, text) >= 0);
  assert_string_equal(text, expected);
  H5Tclose(type);
  H5Aclose(attribute);
  H5Oclose(object);
}

// As users find it, by libhdf5 alone.
static void hdf5_tables_have_the_documented_paths(void **state)
{
  study_rig rig;
  rig_init(&rig);
  ts_study *study = rig_study(&rig, SAMPLES);
  reference(*state, study);
  const hid_t file = H5Fopen(scratch_path(*state, "reference.h5"), H5F_ACC_RDONLY, H5P_DEFAULT);
  assert_true(file >= 0);
  assert_attribute(file, "/", "name", "rig, \"quoted\"");
  assert_attribute(file, "/", "sampling", "sobol");
  assert_attribute(file, "/", "seed", "18446744073709551615");
  assert_attribute(file, "parameters/a", "kind", "grid");
  assert_attribute(file, "parameters/x", "kind", "random");
  assert_attribute(file, "parameters/x", "unit", "m/s");
  assert_attribute(file, "parameters/y", "kind", "derived");
  assert_attribute(file, "results/none", "unit", "rad");
  double x[TRIALS], sum[TRIALS], end[TRIALS], text[TRIALS], steps[TRIALS];
  read_column(file, "parameters/x", x);
  read_column(file, "results/sum", sum);
  read_column(file, "end", end);
  read_column(file, "text", text);
  read_column(file, "steps", steps);
  for (uint64_t trial = 0; trial < TRIALS; ++trial) {
    double parameters[RIG_PARAMETERS], results[RIG_RESULTS] = {NAN, NAN, NAN};
    ts_trial_outcome outcome = {.results = results};
    char failure[128];
    assert_int_equal(ts_study_parameters(study, trial, parameters, NULL), TS_OK);
    rig_outcome(&rig, trial, parameters, &outcome, failure, sizeof failure);
    assert_true(x[trial] == parameters[2] && steps[trial] == 100.0 + (double)trial);
    assert_true(failure[0] ? isnan(sum[trial]) && end[trial] == TS_TRIAL_FAILED
                           : sum[trial] == results[0] && end[trial] == outcome.end);
    assert_true((text[trial] < 0.0) == (outcome.end == TS_TRIAL_FINISHED && !failure[0]));
  }
  // In the order in which they first come: trial 3 fails, 5 is stopped, 6 meets a limit, 10 fails otherwise.
  assert_true(text[3] == 0.0 && text[5] == 1.0 && text[6] == 2.0 && text[10] == 3.0 && text[17] == 0.0);
  H5Fclose(file);
  ts_study_destroy(study);
  rig_release(&rig);
}

static void tables_of_a_part_have_the_rows_that_there_are(void **state)
{
  study_rig rig;
  rig_init(&rig);
  ts_study *study = rig_study(&rig, SAMPLES);
  for (uint64_t limit = 1; limit < TRIALS; limit = 3 * limit + 1) {
    ts_sweep_options options = rig_options(1, limit);
    options.fresh = true;
    rig_sweep(study, scratch_path(*state, "part.h5"), &options, NULL);
    pack_both(*state, study, "part");
    char *text = read_text(scratch_path(*state, "part.times.csv"));
    uint64_t lines = 0;
    for (const char *c = text; *c; ++c) lines += *c == '\n';
    assert_int_equal(lines, limit + 1);
    free(text);
  }
  ts_study_destroy(study);
  rig_release(&rig);
}

// ---- where it cannot be --------------------------------------------------------------------------------------------

static void assert_refused(const ts_study *study, const char *output, ts_status expected, const char *sentence)
{
  ts_error error = {0};
  assert_int_equal(ts_study_pack(study, output, &error), expected);
  if (!strstr(error.text, sentence)) fail_msg("'%s' is not about '%s'", error.text, sentence);
}

static void names_and_folders_are_checked(void **state)
{
  study_rig rig;
  rig_init(&rig);
  ts_study *study = rig_study(&rig, 2);
  static const char *const names[] = {"table", "table.txt", "table.H5", "h5", ".csv"};
  for (size_t k = 0; k < sizeof names / sizeof *names; ++k)
    assert_refused(study, scratch_path(*state, names[k]), TS_INVALID, ".h5, .hdf5 or .csv");
  assert_refused(study, scratch_path(*state, "nowhere.h5"), TS_IO, "nothing of it has been run");
  const ts_sweep_options options = rig_options(1, 0);
  rig_sweep(study, scratch_path(*state, "table.h5"), &options, NULL);
  assert_int_equal(mkdir(scratch_path(*state, "table.h5"), 0777), 0);
  assert_refused(study, scratch_path(*state, "table.h5"), TS_IO, "directory");
  assert_int_equal(rmdir(scratch_path(*state, "table.h5")), 0);
  pack(study, scratch_path(*state, "table.h5"));
  // Another study's folder.
  ts_study_def def = rig_def(&rig, 2);
  def.seed = 7;
  ts_study *other;
  assert_int_equal(ts_study_create(&def, &other, NULL), TS_OK);
  assert_refused(other, scratch_path(*state, "table.h5"), TS_INVALID, "belongs to another study");
  ts_study_destroy(other);
  assert_int_equal(scratch_count(*state), 3); // the folder, the table and its times
  ts_study_destroy(study);
  rig_release(&rig);
}

static void results_have_names_that_columns_may_have(void **state)
{
  (void)state;
  char longest[256];
  memset(longest, 'r', sizeof longest);
  longest[200] = '\0';
  const char *const bad[][2] = {{"", "sum"},    {"a/b", "sum"}, {"x\ny", "sum"}, {"..", "sum"},
                                {longest, "s"}, {"r", "r"},     {"r", "x"},      {"r", NULL},
                                {"trial", "r"}, {"r", "end"},   {"outcome", "r"}, {"r", "residual"}, {"seconds", "r"}};
  study_rig rig;
  rig_init(&rig);
  for (size_t k = 0; k <= sizeof bad / sizeof *bad; ++k) {
    ts_study_def def = rig_def(&rig, 1);
    ts_study *study;
    ts_error error = {0};
    const bool is_good = k == sizeof bad / sizeof *bad;
    longest[199] = is_good ? '\0' : 'r';
    const char *const good[] = {longest, "\xc3\xa4 b"};
    def.results = is_good ? good : bad[k];
    def.result_count = 2;
    assert_int_equal(ts_study_create(&def, &study, &error), is_good ? TS_OK : TS_INVALID);
    assert_true(is_good == (study != NULL) && is_good == !error.text[0]);
    ts_study_destroy(study);
  }
  rig_release(&rig);
}

// A disk that is full: the size of files is limited instead. The old table stays, and nothing else.
static void full_disks_leave_the_old_table(void **state)
{
  static const char *const outputs[] = {"full.h5", "full.csv"};
  struct rlimit before;
  study_rig rig;
  rig_init(&rig);
  ts_study *study = rig_study(&rig, 600);
  assert_int_equal(getrlimit(RLIMIT_FSIZE, &before), 0);
  const ts_sweep_options options = rig_options(1, 1000), rest = rig_options(1, 0);
  rig_sweep(study, scratch_path(*state, "full.h5"), &options, NULL);
  pack_both(*state, study, "full");
  const int files = scratch_count(*state);
  rig_sweep(study, scratch_path(*state, "full.h5"), &rest, NULL);
  signal(SIGXFSZ, SIG_IGN);
  for (int k = 0; k < 2; ++k) {
    size_t bytes, kept;
    char *old = read_bytes(scratch_path(*state, outputs[k]), &bytes);
    int refused = 0;
    for (rlim_t limit = 0;; limit = limit == 0 ? 1 << 12 : limit + limit / 2) {
      const struct rlimit tight = {limit, before.rlim_max};
      ts_error error = {0};
      assert_int_equal(setrlimit(RLIMIT_FSIZE, &tight), 0);
      const ts_status status = ts_study_pack(study, scratch_path(*state, outputs[k]), &error);
      assert_int_equal(setrlimit(RLIMIT_FSIZE, &before), 0);
      assert_int_equal(scratch_count(*state), files);
      if (status == TS_OK) break;
      assert_int_equal(status, TS_IO);
      assert_non_null(strstr(error.text, "written"));
      char *now = read_bytes(scratch_path(*state, outputs[k]), &kept);
      assert_true(kept == bytes);
      assert_memory_equal(now, old, bytes);
      free(now);
      ++refused;
    }
    assert_true(refused > 3);
    free(old);
  }
  signal(SIGXFSZ, SIG_DFL);
  ts_study_destroy(study);
  rig_release(&rig);
}

int main(void)
{
  const struct CMUnitTest tests[] = {scratch_test(threads_and_pieces_make_no_difference),
                                     scratch_test(duplicates_and_damaged_copies_make_no_difference),
                                     scratch_test(retried_rows_take_the_place_of_the_failed),
                                     scratch_test(tables_are_functions_of_the_set_of_rows),
                                     scratch_test(csv_tables_have_the_numbers_of_trials),
                                     scratch_test(hdf5_tables_have_the_documented_paths),
                                     scratch_test(tables_of_a_part_have_the_rows_that_there_are),
                                     scratch_test(names_and_folders_are_checked),
                                     cmocka_unit_test(results_have_names_that_columns_may_have),
                                     scratch_test(full_disks_leave_the_old_table)};
  return cmocka_run_group_tests(tests, NULL, NULL);
}
