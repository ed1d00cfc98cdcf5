// Runs on disk from plain numbers: what is written is read back bit for bit in both formats, and damaged, foreign and
// hostile files are refused with a sentence.
#define _POSIX_C_SOURCE 200809L
#include "whole_file.h"
#include "scratch_folder.h"

#include "record/hdf5_output.h"
#include "record/record.h"
#include "record/sink.h"

#include "base/random.h"

#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <float.h>
#include <hdf5.h>
#include <locale.h>
#include <math.h>
#include <signal.h>
#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/resource.h>
#include <sys/stat.h>
#include <sys/wait.h>
#include <unistd.h>
#include <cmocka.h>

// ---- a run that no simulation made ---------------------------------------------------------------------------------

enum { CHECKPOINT_SIZE = 37 };

static const ts_run_body bodies[] = {{"floor", TS_FIXED, {{0.0, 0.0, -1.0}, {1.0, 0.0, 0.0, 0.0}}},
                                     {"ball", TS_DYNAMIC, {{0.5, 0.0, 1.0}, {1.0, 0.0, 0.0, 0.0}}},
                                     {"a, \"b\".x", TS_KINEMATIC, {{0.0, 0.0, 0.0}, {0.6, 0.0, 0.8, 0.0}}}};

static ts_run_setup setup_of(bool planar)
{
  return (ts_run_setup){.planar = planar,
                        .step_size = 1e-3,
                        .tolerance = 1e-8,
                        .method = "stewart-trinkle",
                        .solver = "auto",
                        .scene = "touchstone: 1\nname: \xc3\xa4\n",
                        .body_count = 3,
                        .bodies = bodies};
}

// Numbers of every kind, the same for the same arguments.
static double number_at(ts_run_table table, int row, int k)
{
  static const double special[] = {0.0,         -0.0,      DBL_MIN,     -DBL_MAX, 5e-324,    1.0 / 3.0,
                                   INFINITY,    -INFINITY, 123456789.0, 1e300,    0.1 + 0.2, -1e-7,
                                   DBL_EPSILON, 1e15,      1e16 + 2.0,  -42.0};
  const uint64_t mixed = ((uint64_t)table * 1000003u + (uint64_t)row) * 1000003u + (uint64_t)k;
  if (mixed % 5 == 0) return special[mixed / 5 % (sizeof special / sizeof *special)];
  return sin((double)mixed) * pow(10.0, (double)(mixed % 13) - 6.0);
}

static double value_at(const ts_run_layout *layout, ts_run_table table, int row, int k)
{
  switch (layout->columns[table][k].kind) {
  case TS_COLUMN_REAL:
    return number_at(table, row, k);
  case TS_COLUMN_WHOLE:
    return (row * 7 + k) % 2000 - 3;
  case TS_COLUMN_BODY:
    return (row + k) % 3;
  case TS_COLUMN_MODE:
    return row % 4;
  default:
    return row % 2;
  }
}

static void append_rows(ts_sink *sink, const ts_run_layout *layout, ts_run_table table, int rows)
{
  ts_error error;
  double *row = malloc((size_t)layout->column_count[table] * sizeof *row);
  for (int i = 0; i < rows; ++i) {
    for (int k = 0; k < layout->column_count[table]; ++k) row[k] = value_at(layout, table, i, k);
    assert_int_equal(sink->functions->append(sink, table, row, &error), TS_OK);
  }
  free(row);
}

static bool is_csv(const char *path)
{
  return strcmp(path + strlen(path) - 4, ".csv") == 0;
}

// 0 rows, or so many states, and other numbers of contacts and steps.
static void write_run(const char *path, bool planar, int rows)
{
  ts_error error;
  ts_run_layout layout;
  ts_sink *sink;
  const ts_run_setup setup = setup_of(planar);
  assert_int_equal(ts_run_layout_init(&layout, &setup, &error), TS_OK);
  ts_vocabulary_add(&layout.words[TS_COLUMN_SOLVER], "nsgs", 4);
  ts_vocabulary_add(&layout.words[TS_COLUMN_SOLVER], "newton", 6);
  const ts_status status = (is_csv(path) ? ts_csv_sink_create : ts_hdf5_sink_create)(path, &layout, &sink, &error);
  assert_int_equal(status, TS_OK);
  append_rows(sink, &layout, TS_STATES, rows);
  append_rows(sink, &layout, TS_CONTACTS, 2 * rows);
  append_rows(sink, &layout, TS_STEPS, rows > 0 ? rows + 5 : 0);
  double checkpoint[CHECKPOINT_SIZE];
  for (int i = 0; i < CHECKPOINT_SIZE; ++i) checkpoint[i] = number_at(TS_STATES, 1000, i);
  assert_int_equal(sink->functions->finish(sink, &(ts_run_rest){checkpoint, CHECKPOINT_SIZE, NULL}, &error), TS_OK);
  ts_run_layout_release(&layout);
}

static ts_record *open_run(const char *path)
{
  ts_record *record;
  ts_error error = {0};
  if (ts_record_open(path, &record, &error) != TS_OK)
    fail_msg("%s:%d:%d: %s", error.file, error.line, error.column, error.text);
  return record;
}

static void assert_refused_run(const char *path, const char *fragment)
{
  ts_record *record;
  ts_error error = {0};
  assert_int_not_equal(ts_record_open(path, &record, &error), TS_OK);
  assert_null(record);
  if (!strstr(error.text, fragment)) fail_msg("'%s' is not in '%s'", fragment, error.text);
}

static void assert_same_bits(double a, double b)
{
  uint64_t left, right;
  memcpy(&left, &a, sizeof left);
  memcpy(&right, &b, sizeof right);
  if (left != right) fail_msg("%.17g is not %.17g", a, b);
}

// ---- round trips ---------------------------------------------------------------------------------------------------

static void check_table(const ts_record *record, ts_run_table table, int rows)
{
  const ts_run_layout *layout = &record->layout;
  for (int k = 0; k < layout->column_count[table]; ++k) {
    char name[64];
    const char *prefix = table == TS_STATES ? "" : ts_run_table_names[table];
    snprintf(name, sizeof name, "%s%s%s", prefix, *prefix ? "." : "", layout->columns[table][k].name);
    int count;
    const double *series = ts_record_series(record, name, &count);
    assert_non_null(series);
    assert_int_equal(count, rows);
    for (int i = 0; i < rows; ++i) {
      // Numbers of bodies depend on the order in which a reader meets the names.
      const ts_column_kind kind = layout->columns[table][k].kind;
      const double expected = value_at(layout, table, i, k);
      if (kind == TS_COLUMN_BODY)
        assert_string_equal(ts_record_body_name(record, (int)series[i]), bodies[(int)expected].name);
      else
        assert_same_bits(series[i], expected);
    }
  }
}

static void every_column_reads_back(void **state)
{
  static const char *const names[] = {"run.h5", "run.hdf5", "run.csv"};
  static const int rows[] = {0, 1, 7, 4096, 4099};
  for (int k = 0; k < 3; ++k)
    for (int planar = 0; planar < 2; ++planar)
      for (size_t r = 0; r < sizeof rows / sizeof *rows; ++r) {
        const char *path = scratch_path(*state, names[k]);
        if (is_csv(path) && rows[r] > 100) continue; // only HDF5 has chunks to fill
        write_run(path, planar, rows[r]);
        ts_record *record = open_run(path);
        if (rows[r] > 0) assert_int_equal(ts_record_is_planar(record), planar);
        check_table(record, TS_STATES, rows[r]);
        check_table(record, TS_CONTACTS, 2 * rows[r]);
        check_table(record, TS_STEPS, rows[r] > 0 ? rows[r] + 5 : 0);
        ts_record_close(record);
      }
}

static void hdf5_keeps_the_rest_too(void **state)
{
  const char *path = scratch_path(*state, "run.h5");
  write_run(path, false, 3);
  ts_record *record = open_run(path);
  assert_string_equal(ts_record_scene(record), "touchstone: 1\nname: \xc3\xa4\n");
  assert_int_equal(ts_record_body_count(record), 3);
  for (int b = 0; b < 3; ++b) {
    assert_string_equal(ts_record_body_name(record, b), bodies[b].name);
    assert_int_equal(record->layout.kinds[b], bodies[b].kind);
  }
  assert_string_equal(record->layout.method, "stewart-trinkle");
  assert_string_equal(record->layout.solver, "auto");
  assert_true(record->layout.step_size == 1e-3 && record->layout.tolerance == 1e-8);
  assert_string_equal(record->layout.words[TS_COLUMN_SOLVER].names[1], "newton");
  size_t size;
  const double *checkpoint = ts_record_checkpoint(record, &size);
  assert_int_equal(size, CHECKPOINT_SIZE);
  for (int i = 0; i < CHECKPOINT_SIZE; ++i) assert_same_bits(checkpoint[i], number_at(TS_STATES, 1000, i));
  ts_record_close(record);
}

static void poses_cover_all_bodies(void **state)
{
  for (int planar = 0; planar < 2; ++planar) {
    const char *path = scratch_path(*state, "run.h5");
    write_run(path, planar, 4);
    ts_record *record = open_run(path);
    ts_pose poses[3];
    ts_record_poses(record, 2, poses);
    assert_memory_equal(&poses[0], &bodies[0].pose, sizeof poses[0]);
    int count;
    const double *x = ts_record_series(record, "ball.x", &count), *y = ts_record_series(record, "ball.y", &count);
    assert_true(poses[1].position.x == x[2] && poses[1].position.y == y[2]);
    if (planar) {
      const double *theta = ts_record_series(record, "a, \"b\".x.theta", &count);
      const ts_quat q = poses[2].orientation;
      assert_true(fabs(q.w * q.w - q.z * q.z - cos(theta[2])) < 1e-12);
      assert_true(fabs(2.0 * q.w * q.z - sin(theta[2])) < 1e-12);
    } else {
      const double *qy = ts_record_series(record, "a, \"b\".x.qy", &count);
      assert_same_bits(poses[2].orientation.y, qy[2]);
    }
    assert_same_bits(ts_record_state_time(record, 3), number_at(TS_STATES, 3, 0));
    ts_record_close(record);
  }
}

static void series_have_names(void **state)
{
  const char *path = scratch_path(*state, "run.h5");
  write_run(path, false, 2);
  ts_record *record = open_run(path);
  const int count = ts_record_series_count(record);
  assert_int_equal(count, 1 + 2 * 13 + TS_CONTACT_COLUMN_COUNT + TS_STEP_COLUMN_COUNT);
  for (int i = 0; i < count; ++i) {
    int rows;
    assert_non_null(ts_record_series(record, ts_record_series_name(record, i), &rows));
  }
  assert_string_equal(ts_record_series_name(record, 0), "t");
  assert_string_equal(ts_record_series_name(record, 1), "ball.x");
  static const char *const units[][2] = {{"t", "s"},
                                         {"ball.x", "m"},
                                         {"ball.vy", "m/s"},
                                         {"steps.energy", "J"},
                                         {"steps.iterations", ""},
                                         {"contacts.pn", "N s"},
                                         {"contacts.nx", ""},
                                         {"no such series", ""}};
  for (size_t i = 0; i < sizeof units / sizeof units[0]; ++i)
    assert_string_equal(ts_record_series_unit(record, units[i][0]), units[i][1]);
  static const char *const unknown[] = {"", "ball", "ball.q", "floor.x", "contacts.", "steps.nothing", "pn"};
  for (size_t i = 0; i < sizeof unknown / sizeof *unknown; ++i) {
    int rows = 1;
    assert_null(ts_record_series(record, unknown[i], &rows));
    assert_int_equal(rows, 0);
  }
  const ts_recorded_contact contact = ts_record_contact(record, 3);
  assert_int_equal(contact.body_1, (3 + TS_CONTACT_COLUMN_body1) % 3);
  assert_int_equal(contact.mode, TS_ROLL);
  assert_same_bits(contact.fn, number_at(TS_CONTACTS, 3, TS_CONTACT_COLUMN_fn));
  assert_same_bits(contact.tangent.z, number_at(TS_CONTACTS, 3, TS_CONTACT_COLUMN_tz));
  ts_record_close(record);
}

static void equal_runs_are_equal_files(void **state)
{
  static const char *const names[][2] = {
      {"a.h5", "b.h5"}, {"a.csv", "b.csv"}, {"a.contacts.csv", "b.contacts.csv"}, {"a.steps.csv", "b.steps.csv"}};
  write_run(scratch_path(*state, "a.h5"), false, 5000);
  write_run(scratch_path(*state, "a.csv"), false, 50);
  sleep(1); // times of creation have a second's resolution: they must not be in the file
  write_run(scratch_path(*state, "b.h5"), false, 5000);
  write_run(scratch_path(*state, "b.csv"), false, 50);
  for (int k = 0; k < 4; ++k) {
    size_t first, second;
    char *a = read_bytes(scratch_path(*state, names[k][0]), &first);
    char *b = read_bytes(scratch_path(*state, names[k][1]), &second);
    assert_non_null(a);
    assert_int_equal(first, second);
    assert_memory_equal(a, b, first);
    free(a);
    free(b);
  }
}

// Files have a decimal point, whatever the program's locale says.
static void locale_does_not_matter(void **state)
{
  if (!setlocale(LC_NUMERIC, "de_DE.UTF-8") && !setlocale(LC_NUMERIC, "fr_FR.UTF-8")) {
    print_message("no locale with a decimal comma is installed\n");
    skip();
  }
  const char *path = scratch_path(*state, "run.csv");
  write_run(path, true, 20);
  ts_record *record = open_run(path);
  check_table(record, TS_STATES, 20);
  ts_record_close(record);
  setlocale(LC_NUMERIC, "C");
}

static void many_bodies_fit(void **state)
{
  enum { MANY = 1000, ROWS = 50 };
  ts_run_body *many = calloc(MANY, sizeof *many);
  char(*names)[16] = calloc(MANY, sizeof *names);
  for (int b = 0; b < MANY; ++b) {
    snprintf(names[b], sizeof names[b], "body%d", b);
    many[b] = (ts_run_body){names[b], TS_DYNAMIC, {.orientation.w = 1.0}};
  }
  ts_error error;
  ts_run_layout layout;
  ts_sink *sink;
  ts_run_setup setup = setup_of(false);
  setup.body_count = MANY;
  setup.bodies = many;
  assert_int_equal(ts_run_layout_init(&layout, &setup, &error), TS_OK);
  const char *path = scratch_path(*state, "many.h5");
  assert_int_equal(ts_hdf5_sink_create(path, &layout, &sink, &error), TS_OK);
  append_rows(sink, &layout, TS_STATES, ROWS);
  assert_int_equal(sink->functions->finish(sink, &(ts_run_rest){0}, &error), TS_OK);
  ts_run_layout_release(&layout);
  ts_record *record = open_run(path);
  check_table(record, TS_STATES, ROWS);
  size_t size;
  assert_null(ts_record_checkpoint(record, &size));
  ts_record_close(record);
  free(names);
  free(many);
}

// ---- names in the way ----------------------------------------------------------------------------------------------

static void bodies_need_names_of_their_own(void **state)
{
  (void)state;
  const ts_run_body twins[] = {{"a", TS_DYNAMIC, {.orientation.w = 1.0}}, {"a", TS_FIXED, {.orientation.w = 1.0}}};
  ts_run_setup setup = setup_of(false);
  setup.body_count = 2;
  setup.bodies = twins;
  ts_error error;
  ts_run_layout layout;
  assert_int_equal(ts_run_layout_init(&layout, &setup, &error), TS_INVALID);
  assert_non_null(strstr(error.text, "two bodies are called 'a'"));
}

// Bodies called as tables are, and names that look like columns of others.
static void awkward_names_stay_apart(void **state)
{
  const ts_run_body awkward[] = {
      {"steps", TS_DYNAMIC, {.orientation.w = 1.0}},      {"contacts", TS_DYNAMIC, {.orientation.w = 1.0}},
      {"a", TS_DYNAMIC, {.orientation.w = 1.0}},          {"a.x", TS_DYNAMIC, {.orientation.w = 1.0}},
      {"two\nlines", TS_DYNAMIC, {.orientation.w = 1.0}}, {" ", TS_DYNAMIC, {.orientation.w = 1.0}}};
  static const char *const names[] = {"run.h5", "run.csv"};
  for (int k = 0; k < 2; ++k) {
    ts_run_setup setup = setup_of(true);
    setup.body_count = sizeof awkward / sizeof *awkward;
    setup.bodies = awkward;
    ts_error error;
    ts_run_layout layout;
    ts_sink *sink;
    assert_int_equal(ts_run_layout_init(&layout, &setup, &error), TS_OK);
    const char *path = scratch_path(*state, names[k]);
    assert_int_equal((k == 0 ? ts_hdf5_sink_create : ts_csv_sink_create)(path, &layout, &sink, &error), TS_OK);
    append_rows(sink, &layout, TS_STATES, 3);
    assert_int_equal(sink->functions->finish(sink, &(ts_run_rest){0}, &error), TS_OK);
    ts_run_layout_release(&layout);
    ts_record *record = open_run(path);
    assert_int_equal(ts_record_body_count(record), setup.body_count);
    for (int b = 0; b < setup.body_count; ++b) assert_string_equal(ts_record_body_name(record, b), awkward[b].name);
    check_table(record, TS_STATES, 3);
    ts_record_close(record);
  }
}

// ---- files that cannot be written ----------------------------------------------------------------------------------

static void assert_not_created(const char *path, const char *fragment)
{
  ts_error error = {0};
  ts_run_layout layout;
  ts_sink *sink;
  const ts_run_setup setup = setup_of(false);
  assert_int_equal(ts_run_layout_init(&layout, &setup, &error), TS_OK);
  const ts_status status = (is_csv(path) ? ts_csv_sink_create : ts_hdf5_sink_create)(path, &layout, &sink, &error);
  assert_int_equal(status, TS_IO);
  assert_null(sink);
  if (!strstr(error.text, fragment)) fail_msg("'%s' is not in '%s'", fragment, error.text);
  ts_run_layout_release(&layout);
}

static void places_that_take_no_file(void **state)
{
  static const char *const endings[] = {"h5", "csv"};
  for (int k = 0; k < 2; ++k) {
    char name[64];
    snprintf(name, sizeof name, "missing/run.%s", endings[k]);
    assert_not_created(scratch_path(*state, name), "No such file or directory");
    snprintf(name, sizeof name, "folder%d.%s", k, endings[k]);
    const char *folder = scratch_path(*state, name);
    assert_int_equal(mkdir(folder, 0777), 0);
    assert_not_created(folder, "Is a directory");
    snprintf(name, sizeof name, "pipe%d.%s", k, endings[k]);
    const char *pipe = scratch_path(*state, name);
    assert_int_equal(mkfifo(pipe, 0666), 0);
    assert_not_created(pipe, "Invalid argument");
  }
  // A folder where the second CSV file should go: the first is not left behind.
  const int before = scratch_count(*state);
  assert_int_equal(mkdir(scratch_path(*state, "run.contacts.csv"), 0777), 0);
  assert_not_created(scratch_path(*state, "run.csv"), "Is a directory");
  assert_int_equal(scratch_count(*state), before + 1);
}

// A disk that is full: the size of files is limited instead. Nothing is left, and libhdf5 keeps quiet.
static void full_disks_leave_nothing(void **state)
{
  struct rlimit before;
  assert_int_equal(getrlimit(RLIMIT_FSIZE, &before), 0);
  signal(SIGXFSZ, SIG_IGN);
  static const char *const names[] = {"run.h5", "run.csv"};
  for (int k = 0; k < 2; ++k)
    for (rlim_t limit = 0; limit <= 1 << 18; limit = limit == 0 ? 1 << 12 : limit << 2) {
      ts_error error = {0};
      ts_run_layout layout;
      ts_sink *sink;
      const ts_run_setup setup = setup_of(false);
      assert_int_equal(ts_run_layout_init(&layout, &setup, &error), TS_OK);
      ts_vocabulary_add(&layout.words[TS_COLUMN_SOLVER], "nsgs", 4);
      ts_vocabulary_add(&layout.words[TS_COLUMN_SOLVER], "newton", 6);
      const struct rlimit tight = {limit, before.rlim_max};
      assert_int_equal(setrlimit(RLIMIT_FSIZE, &tight), 0);
      const char *path = scratch_path(*state, names[k]);
      ts_status status = (k == 0 ? ts_hdf5_sink_create : ts_csv_sink_create)(path, &layout, &sink, &error);
      double row[64] = {0};
      for (int i = 0; i < 9000 && status == TS_OK; ++i) {
        for (int c = 0; c < TS_CONTACT_COLUMN_COUNT; ++c) row[c] = value_at(&layout, TS_CONTACTS, i, c);
        status = sink->functions->append(sink, TS_CONTACTS, row, &error);
      }
      if (status == TS_OK)
        status = sink->functions->finish(sink, &(ts_run_rest){row, 64, NULL}, &error);
      else if (sink)
        sink->functions->discard(sink);
      assert_int_equal(setrlimit(RLIMIT_FSIZE, &before), 0);
      assert_int_equal(status, TS_IO);
      assert_non_null(strstr(error.text, "cannot be written"));
      assert_int_equal(scratch_count(*state), 0);
      ts_run_layout_release(&layout);
    }
  signal(SIGXFSZ, SIG_DFL);
  // The library works on after all that.
  write_run(scratch_path(*state, "run.h5"), false, 5);
  ts_record_close(open_run(scratch_path(*state, "run.h5")));
}

// Steps and states as a run adds them, row by row, until a limit on the size of files stops it.
static ts_status write_until_full(const char *path, bool hdf5, rlim_t limit, ts_error *error)
{
  struct rlimit before;
  ts_run_layout layout;
  ts_sink *sink;
  const ts_run_setup setup = setup_of(false);
  assert_int_equal(getrlimit(RLIMIT_FSIZE, &before), 0);
  assert_int_equal(ts_run_layout_init(&layout, &setup, error), TS_OK);
  ts_vocabulary_add(&layout.words[TS_COLUMN_SOLVER], "nsgs", 4);
  ts_vocabulary_add(&layout.words[TS_COLUMN_SOLVER], "newton", 6);
  const struct rlimit tight = {limit, before.rlim_max};
  assert_int_equal(setrlimit(RLIMIT_FSIZE, &tight), 0);
  signal(SIGXFSZ, SIG_IGN);
  ts_status status = (hdf5 ? ts_hdf5_sink_create : ts_csv_sink_create)(path, &layout, &sink, error);
  double row[64] = {0};
  for (int i = 0; i < 30000 && status == TS_OK; ++i)
    for (int table = 0; table <= TS_STEPS && status == TS_OK; ++table) {
      for (int c = 0; c < layout.column_count[table]; ++c) row[c] = value_at(&layout, (ts_run_table)table, i, c);
      status = sink->functions->append(sink, (ts_run_table)table, row, error);
    }
  assert_true(!sink || status == TS_IO);
  if (sink) assert_int_equal(sink->functions->append(sink, TS_STATES, row, NULL), TS_IO); // it stays full
  if (sink) status = sink->functions->finish(sink, &(ts_run_rest){row, 64, NULL}, error);
  assert_int_equal(setrlimit(RLIMIT_FSIZE, &before), 0);
  signal(SIGXFSZ, SIG_DFL);
  ts_run_layout_release(&layout);
  return status;
}

// What fits is a run with the rows that came first. Somewhat less than the disk holds, never more.
static void full_disks_keep_what_fits(void **state)
{
  static const char *const names[] = {"run.h5", "run.csv"};
  for (int k = 0; k < 2; ++k) {
    int most = 0;
    for (rlim_t limit = 1 << 14; limit <= 1 << 21; limit = limit * 3 / 2) {
      ts_error error = {0};
      const char *path = scratch_path(*state, names[k]);
      assert_int_equal(write_until_full(path, k == 0, limit, &error), TS_IO);
      assert_non_null(strstr(error.text, strerror(EFBIG)));
      if (!strstr(error.text, "what fits is kept")) {
        assert_int_equal(scratch_count(*state), k == 0 ? 0 : 1);
        assert_true(limit < 1 << 16);
        continue;
      }
      ts_record *record = open_run(path);
      size_t size;
      assert_null(ts_record_checkpoint(record, &size));
      assert_true(ts_record_state_count(record) >= most);
      most = ts_record_state_count(record);
      for (int table = 0; table < TS_RUN_TABLE_COUNT; ++table) {
        const int rows = ((const ts_record *)record)->rows[table];
        check_table(record, (ts_run_table)table, rows);
      }
      ts_record_close(record);
      remove(path);
      remove(scratch_path(*state, "run.contacts.csv"));
      remove(scratch_path(*state, "run.steps.csv"));
    }
    assert_true(most > 1000);
    if (k == 0) scratch_write(scratch_path(*state, "other"), "x", 1);
  }
}

// Numbers below 2.2e-308 set errno to ERANGE when they are written: the reason that is told must be the disk's.
static void the_reason_is_the_disks(void **state)
{
  struct rlimit before;
  ts_error error = {0};
  ts_run_layout layout;
  ts_sink *sink;
  const ts_run_setup setup = setup_of(false);
  assert_int_equal(ts_run_layout_init(&layout, &setup, &error), TS_OK);
  assert_int_equal(getrlimit(RLIMIT_FSIZE, &before), 0);
  const struct rlimit tight = {1 << 16, before.rlim_max};
  assert_int_equal(setrlimit(RLIMIT_FSIZE, &tight), 0);
  signal(SIGXFSZ, SIG_IGN);
  assert_int_equal(ts_csv_sink_create(scratch_path(*state, "run.csv"), &layout, &sink, &error), TS_OK);
  double row[64];
  for (int c = 0; c < 64; ++c) row[c] = 4e-320;
  ts_status status = TS_OK;
  for (int i = 0; i < 100000 && status == TS_OK; ++i) status = sink->functions->append(sink, TS_STATES, row, &error);
  assert_int_equal(setrlimit(RLIMIT_FSIZE, &before), 0);
  signal(SIGXFSZ, SIG_DFL);
  assert_int_equal(status, TS_IO);
  if (!strstr(error.text, strerror(EFBIG))) fail_msg("%s", error.text);
  sink->functions->discard(sink);
  ts_run_layout_release(&layout);
}

// It is noticed while rows are added, once libhdf5 lets go of what it keeps (1 MiB a column), not when the run is over.
static void full_disks_are_noticed_early(void **state)
{
  struct rlimit before;
  assert_int_equal(getrlimit(RLIMIT_FSIZE, &before), 0);
  signal(SIGXFSZ, SIG_IGN);
  ts_error error = {0};
  ts_run_layout layout;
  ts_sink *sink;
  const ts_run_setup setup = setup_of(false);
  assert_int_equal(ts_run_layout_init(&layout, &setup, &error), TS_OK);
  ts_vocabulary_add(&layout.words[TS_COLUMN_SOLVER], "nsgs", 4);
  ts_vocabulary_add(&layout.words[TS_COLUMN_SOLVER], "newton", 6);
  assert_int_equal(ts_hdf5_sink_create(scratch_path(*state, "run.h5"), &layout, &sink, &error), TS_OK);
  const struct rlimit tight = {1 << 14, before.rlim_max};
  assert_int_equal(setrlimit(RLIMIT_FSIZE, &tight), 0);
  double row[64] = {0};
  ts_status status = TS_OK;
  int rows = 0;
  for (; rows < 300000 && status == TS_OK; ++rows) {
    for (int c = 0; c < TS_CONTACT_COLUMN_COUNT; ++c) row[c] = value_at(&layout, TS_CONTACTS, rows, c);
    status = sink->functions->append(sink, TS_CONTACTS, row, &error);
  }
  assert_int_equal(setrlimit(RLIMIT_FSIZE, &before), 0);
  signal(SIGXFSZ, SIG_DFL);
  assert_int_equal(status, TS_IO);
  print_message("noticed after %d rows\n", rows);
  sink->functions->discard(sink);
  ts_run_layout_release(&layout);
}

// libhdf5 numbers its identifiers one after another: none that was given between two of ours may still be valid.
static void nothing_stays_open(void **state)
{
  const hid_t before = H5Screate(H5S_SCALAR);
  H5Sclose(before);
  write_run(scratch_path(*state, "run.h5"), false, 9000); // several chunks
  ts_record_close(open_run(scratch_path(*state, "run.h5")));
  const hid_t after = H5Screate(H5S_SCALAR);
  H5Sclose(after);
  assert_true(after > before + 100);
  for (hid_t id = before; id <= after; ++id) assert_true(H5Iis_valid(id) <= 0);
}

// What libhdf5 reads back across the end of what was written: the bytes that are there, then zeros.
static void reading_across_the_end_gives_zeros(void **state)
{
  const char *path = scratch_path(*state, "run.h5");
  scratch_write(path, "", 0);
  ts_hdf5_output output;
  const hid_t file = ts_hdf5_output_create(path, H5P_DEFAULT, &output);
  assert_true(file >= 0);
  const hid_t access = H5Pcreate(H5P_FILE_ACCESS);
  ts_hdf5_output *info = &output;
  assert_true(H5Pset_driver(access, output.driver, &info) >= 0);
  H5FD_t *driver = H5FDopen(path, H5F_ACC_RDWR, access, HADDR_UNDEF);
  assert_non_null(driver);
  assert_true(H5FDset_eoa(driver, H5FD_MEM_DRAW, 1 << 20) >= 0);
  char bytes[64], back[128];
  for (size_t k = 0; k < sizeof bytes; ++k) bytes[k] = (char)(k + 1);
  const haddr_t end = 1 << 19;
  assert_true(H5FDwrite(driver, H5FD_MEM_DRAW, H5P_DEFAULT, end - sizeof bytes, sizeof bytes, bytes) >= 0);
  memset(back, 'x', sizeof back);
  assert_true(H5FDread(driver, H5FD_MEM_DRAW, H5P_DEFAULT, end - sizeof bytes, sizeof back, back) >= 0);
  assert_memory_equal(back, bytes, sizeof bytes);
  for (size_t k = sizeof bytes; k < sizeof back; ++k) assert_int_equal(back[k], 0);
  H5FDclose(driver);
  H5Pclose(access);
  H5Fclose(file);
  ts_hdf5_output_close(&output);
}

static void discarded_runs_leave_nothing(void **state)
{
  static const char *const names[] = {"run.h5", "run.csv"};
  for (int k = 0; k < 2; ++k) {
    const char *path = scratch_path(*state, names[k]);
    scratch_write(path, "old", 3);
    ts_error error;
    ts_run_layout layout;
    ts_sink *sink;
    const ts_run_setup setup = setup_of(false);
    assert_int_equal(ts_run_layout_init(&layout, &setup, &error), TS_OK);
    assert_int_equal((k == 0 ? ts_hdf5_sink_create : ts_csv_sink_create)(path, &layout, &sink, &error), TS_OK);
    append_rows(sink, &layout, TS_STATES, 10);
    sink->functions->discard(sink);
    ts_run_layout_release(&layout);
    size_t bytes;
    char *content = read_bytes(path, &bytes);
    assert_int_equal(bytes, 3);
    assert_memory_equal(content, "old", 3);
    free(content);
    assert_int_equal(scratch_count(*state), k + 1);
  }
}

// ---- files that are no runs ----------------------------------------------------------------------------------------

static void other_files_are_refused(void **state)
{
  assert_refused_run(scratch_path(*state, "missing.h5"), "cannot be opened: No such file");
  assert_refused_run(((scratch_folder *)*state)->path, "cannot be read: Is a directory");
  const char *path = scratch_path(*state, "empty.h5");
  scratch_write(path, "", 0);
  assert_refused_run(path, "this is no run");
  path = scratch_path(*state, "text.txt");
  scratch_write(path, "t,x\n", 4);
  assert_refused_run(path, "this is no run");
  assert_refused_run(TEST_DATA "/problems/local_2d.hdf5", "of an older format than runs are");
  // An HDF5 file of the right format that holds something else.
  path = scratch_path(*state, "other.h5");
  const hid_t access = H5Pcreate(H5P_FILE_ACCESS);
  H5Pset_libver_bounds(access, H5F_LIBVER_V110, H5F_LIBVER_V110);
  H5Fclose(H5Fcreate(path, H5F_ACC_TRUNC, H5P_DEFAULT, access));
  H5Pclose(access);
  assert_refused_run(path, "this HDF5 file is no run");
}

// ---- damage --------------------------------------------------------------------------------------------------------

// A file that lacks no more than its seal is complete.
static void cut_off_hdf5_is_refused(void **state)
{
  enum { SEAL = 16 };
  const char *path = scratch_path(*state, "run.h5");
  write_run(path, false, 100);
  size_t bytes;
  char *content = read_bytes(path, &bytes);
  path = scratch_path(*state, "cut.h5");
  for (size_t length = 8; length + SEAL < bytes; length += length < 64 ? 1 : bytes / 97) {
    scratch_write(path, content, length);
    ts_record *record;
    ts_error error = {0};
    assert_int_not_equal(ts_record_open(path, &record, &error), TS_OK);
    assert_int_not_equal(strlen(error.text), 0);
  }
  free(content);
}

// A run with a hole of a tebibyte behind it, and then its seal or another end: nobody waits until that is read.
static void hdf5_with_a_hole_is_judged_at_once(void **state)
{
  enum { SEAL = 16 };
  const long long hole = 1LL << 40;
  const char *path = scratch_path(*state, "run.h5");
  write_run(path, false, 20);
  size_t bytes;
  char *content = read_bytes(path, &bytes);
  FILE *file = fopen(path, "r+b");
  assert_non_null(file);
  const bool has_room = ftruncate(fileno(file), hole) == 0;
  if (has_room) ts_record_close(open_run(path)); // no seal: it is as if another program had written it
  assert_int_equal(fseeko(file, hole, SEEK_SET), 0);
  if (has_room) assert_int_equal(fwrite(content + bytes - SEAL, 1, SEAL, file), SEAL);
  fclose(file);
  free(content);
  if (!has_room) skip();
  assert_refused_run(path, "its checksum does not fit its content");
}

// Change one byte; restore it by calling it again.
static void change(char *content, size_t at, int by)
{
  content[at] = (char)(content[at] ^ (char)by);
}

// One byte changed anywhere: the seal is broken, or what lies behind the file is no seal any more.
static void damaged_hdf5_is_refused(void **state)
{
  enum { SEAL_SIZE = 16, MARK_SIZE = 8, TRIALS = 1500 };
  const char *path = scratch_path(*state, "run.h5");
  write_run(path, true, 20);
  size_t bytes;
  char *content = read_bytes(path, &bytes);
  path = scratch_path(*state, "damaged.h5");
  ts_random random;
  ts_random_init(&random, 7);
  for (int trial = 0; trial < TRIALS; ++trial) {
    const size_t at = 9 + (size_t)ts_random_below(&random, (int)bytes - 9); // behind what tells formats apart
    const int by = 1 + ts_random_below(&random, 255);
    if (at >= bytes - SEAL_SIZE && at < bytes - SEAL_SIZE + MARK_SIZE) continue;
    change(content, at, by);
    scratch_write(path, content, bytes);
    change(content, at, by);
    assert_refused_run(path, "its checksum does not fit its content");
  }
  free(content);
}

static bool same_series(const ts_record *a, const ts_record *b)
{
  for (int i = 0; i < ts_record_series_count(a); ++i) {
    int count, other;
    const double *left = ts_record_series(a, ts_record_series_name(a, i), &count);
    const double *right = ts_record_series(b, ts_record_series_name(a, i), &other);
    if (!right || count != other || memcmp(left, right, (size_t)count * sizeof *left) != 0) return false;
  }
  return true;
}

// Change bytes of a run without a seal at random. Either it is refused with a sentence, or it reads as before.
static bool survives_damage(const ts_record *sound, const char *path, char *content, size_t bytes)
{
  enum { TRIALS = 300 };
  ts_random random;
  ts_random_init(&random, 8);
  for (int trial = 0; trial < TRIALS; ++trial) {
    const size_t at = (size_t)ts_random_below(&random, (int)bytes);
    const int by = 1 + ts_random_below(&random, 255);
    change(content, at, by);
    scratch_write(path, content, bytes);
    change(content, at, by);
    ts_record *record;
    ts_error error = {0};
    const ts_status status = ts_record_open(path, &record, &error);
    const bool sane = status == TS_OK ? same_series(sound, record) : *error.text != '\0';
    ts_record_close(record);
    if (!sane) return false;
  }
  return true;
}

// Without the seal (another program has written the file again) libhdf5's checksums stand in. It loses memory when they
// do not fit, so this runs in a process of its own, which ends without looking back.
static void unsealed_hdf5_does_no_harm(void **state)
{
  enum { SEAL_SIZE = 16 };
  const char *path = scratch_path(*state, "run.h5");
  write_run(path, true, 20);
  size_t bytes;
  char *content = read_bytes(path, &bytes);
  path = scratch_path(*state, "damaged.h5");
  scratch_write(path, content, bytes - SEAL_SIZE);
  ts_record *sound = open_run(path);
  const pid_t child = fork();
  assert_true(child >= 0);
  if (child == 0) _exit(survives_damage(sound, path, content, bytes - SEAL_SIZE) ? 0 : 1);
  int status;
  assert_int_equal(waitpid(child, &status, 0), child);
  assert_int_equal(status, 0);
  ts_record_close(sound);
  free(content);
}

// Somebody adds a note with libhdf5: the seal goes, the run is still read.
static void changed_hdf5_is_read(void **state)
{
  const char *path = scratch_path(*state, "run.h5");
  write_run(path, false, 20);
  const hid_t file = H5Fopen(path, H5F_ACC_RDWR, H5P_DEFAULT);
  assert_true(file >= 0);
  const hid_t space = H5Screate(H5S_SCALAR);
  const hid_t note = H5Acreate2(file, "note", H5T_NATIVE_INT, space, H5P_DEFAULT, H5P_DEFAULT);
  const int value = 42;
  assert_true(H5Awrite(note, H5T_NATIVE_INT, &value) >= 0);
  H5Aclose(note);
  H5Sclose(space);
  assert_true(H5Fclose(file) >= 0);
  ts_record *record = open_run(path);
  check_table(record, TS_STATES, 20);
  ts_record_close(record);
}

// A dataset in the place of another, of which nothing is stored.
static void replace_by_claim(hid_t file, const char *path, hid_t type, hsize_t size, hsize_t chunk, bool deflate)
{
  assert_true(H5Ldelete(file, path, H5P_DEFAULT) >= 0);
  const hsize_t largest = H5S_UNLIMITED;
  const hid_t space = H5Screate_simple(1, &size, &largest), properties = H5Pcreate(H5P_DATASET_CREATE);
  H5Pset_chunk(properties, 1, &chunk);
  if (deflate) H5Pset_deflate(properties, 6);
  H5Pset_fletcher32(properties);
  const hid_t dataset = H5Dcreate2(file, path, type, space, H5P_DEFAULT, properties, H5P_DEFAULT);
  assert_true(dataset >= 0);
  H5Dclose(dataset);
  H5Pclose(properties);
  H5Sclose(space);
}

// Files that claim far more than they hold are refused before memory is taken: whatever is forged must be stored.
static void claims_without_storage_are_refused(void **state)
{
  static const struct {
    const char *path;
    hsize_t size, chunk;
    bool deflate;
  } claims[] = {{"states/t", 1 << 24, 1 << 20, true},
                {"steps/t", 1 << 20, 1 << 20, true},
                {"contacts/t", 1 << 20, 1 << 10, false},
                {"checkpoint", 1 << 27, 1 << 20, false}};
  for (size_t k = 0; k < sizeof claims / sizeof *claims; ++k) {
    const char *path = scratch_path(*state, "run.h5");
    write_run(path, false, 20);
    const hid_t file = H5Fopen(path, H5F_ACC_RDWR, H5P_DEFAULT);
    assert_true(file >= 0);
    replace_by_claim(file, claims[k].path, H5T_NATIVE_DOUBLE, claims[k].size, claims[k].chunk, claims[k].deflate);
    assert_true(H5Fclose(file) >= 0);
    assert_int_equal(truncate(path, 1 << 22), 0); // a file of 4 MiB could keep more, and does not
    assert_refused_run(path, "is larger than the file can hold");
    remove(path);
  }
}

// ---- CSV -----------------------------------------------------------------------------------------------------------

typedef struct csv_fault {
  const char *text;
  int line, column;
  const char *fragment;
} csv_fault;

static void check_csv_fault(scratch_folder *folder, const csv_fault *fault)
{
  write_run(scratch_path(folder, "run.csv"), true, 1);
  const char *path = scratch_path(folder, "run.csv");
  scratch_write(path, fault->text, strlen(fault->text));
  ts_record *record;
  ts_error error = {0};
  const ts_status status = ts_record_open(path, &record, &error);
  if (status != TS_INVALID || error.line != fault->line || error.column != fault->column ||
      !strstr(error.text, fault->fragment))
    fail_msg("got %d at %d:%d '%s', wanted %d:%d '%s'", status, error.line, error.column, error.text, fault->line,
             fault->column, fault->fragment);
  assert_string_equal(error.file, "");
}

#define HEADING "t,b.x,b.y,b.theta,b.vx,b.vy,b.w\n"
static void csv_faults_have_a_place(void **state)
{
  static const csv_fault faults[] = {
      {"", 1, 1, "this column should be t"},
      {"time,b.x\n", 1, 1, "this column should be t"},
      {"t,b.x,b.y\n", 1, 10, "column b.z is missing"},
      {"t,b.x,b.y,b.theta,b.vx,b.vy,b.q\n", 1, 29, "this column should be b.w"},
      {"t,b.x,b.y,b.theta,b.vx,b.vy,b.w,c\n", 1, 33, "there is no such column"},
      {"t,x\n", 1, 3, "there is no such column"},
      {"t,\"b.x\n", 1, 3, "the quote that begins here never ends"},
      {"t,\"b.x\"y\n", 1, 8, "a comma is missing after the quoted field"},
      {HEADING "0,1,2,3,4,5\n", 2, 1, "this row has 6 fields, there are 7 columns"},
      {HEADING "0,1,2,3,4,5,6,7\n", 2, 1, "this row has more than 7 fields"},
      {HEADING "0,1,2,3,4,5,6\n\n", 3, 1, "column t wants a number"},
      {HEADING "0,1,2,3,4,5,6\n0,1,2,x,4,5,6\n", 3, 7, "column b.theta wants a number"},
      {HEADING "0,1,2,3 ,4,5,6\n", 2, 7, "column b.theta wants a number"},
      {HEADING "0,1,2, 3,4,5,6\n", 2, 7, "column b.theta wants a number"},
      {HEADING "0,1,2,\"3\",4,5,6\n", 2, 7, "column b.theta wants a number"},
      {HEADING "0,,,,,,\n0,,,,,,\n0,,,,,,\n", 2, 3, "column b.x wants a number"},
  };
  for (size_t k = 0; k < sizeof faults / sizeof *faults; ++k) check_csv_fault(*state, &faults[k]);
}

// The other two files are named in the message.
static void faults_of_the_other_files(void **state)
{
  const char *path = scratch_path(*state, "run.csv"), *steps = scratch_path(*state, "run.steps.csv"),
             *contacts = scratch_path(*state, "run.contacts.csv");
  write_run(path, false, 2);
  size_t bytes;
  char *content = read_bytes(contacts, &bytes);
  char *mode = strstr(content, ",separate");
  memcpy(mode, ",separated", 9);
  mode[8] = 'y';
  scratch_write(contacts, content, bytes);
  free(content);
  ts_record *record;
  ts_error error = {0};
  assert_int_equal(ts_record_open(path, &record, &error), TS_INVALID);
  assert_string_equal(error.file, contacts);
  assert_int_equal(error.line, 2);
  assert_non_null(strstr(error.text, "column mode wants separate, stick, slip or roll"));
  write_run(path, false, 2);
  assert_int_equal(unlink(steps), 0);
  assert_int_equal(ts_record_open(path, &record, &error), TS_IO);
  assert_string_equal(error.file, steps);
}

// Lines may end as on other systems, and the last one not at all.
static void line_ends_are_free(void **state)
{
  write_run(scratch_path(*state, "run.csv"), true, 1);
  const char *path = scratch_path(*state, "run.csv");
  static const char *const texts[] = {
      HEADING "0,1,2,3,4,5,6\n1,nan,inf,-inf,0x10,5,6\n", HEADING "0,1,2,3,4,5,6\n1,nan,inf,-inf,16,5,6",
      "t,b.x,\"b.y\",b.theta,b.vx,b.vy,b.w\r\n0,1,2,3,4,5,6\r\n1,nan,inf,-inf,16,5,6\r\n"};
  for (int k = 0; k < 3; ++k) {
    scratch_write(path, texts[k], strlen(texts[k]));
    ts_record *record = open_run(path);
    int count;
    const double *vx = ts_record_series(record, "b.vx", &count);
    assert_int_equal(count, 2);
    assert_true(vx[0] == 4.0 && vx[1] == 16.0);
    assert_true(isnan(ts_record_series(record, "b.x", &count)[1]));
    ts_record_close(record);
  }
}

// CSV does not tell where fixed bodies are; contacts name them.
static void csv_names_fixed_bodies_by_contacts(void **state)
{
  const char *path = scratch_path(*state, "run.csv");
  write_run(path, false, 5);
  ts_record *record = open_run(path);
  assert_int_equal(ts_record_body_count(record), 3);
  assert_string_equal(ts_record_body_name(record, 2), "floor");
  ts_pose poses[3];
  ts_record_poses(record, 0, poses);
  assert_true(poses[2].orientation.w == 1.0 && poses[2].position.z == 0.0);
  assert_null(ts_record_scene(record));
  size_t size;
  assert_null(ts_record_checkpoint(record, &size));
  ts_record_close(record);
}

#define scratch_test(f) cmocka_unit_test_setup_teardown(f, scratch_folder_set_up, scratch_folder_tear_down)

int main(void)
{
  const struct CMUnitTest tests[] = {
      scratch_test(every_column_reads_back),
      scratch_test(hdf5_keeps_the_rest_too),
      scratch_test(poses_cover_all_bodies),
      scratch_test(series_have_names),
      scratch_test(equal_runs_are_equal_files),
      scratch_test(locale_does_not_matter),
      scratch_test(many_bodies_fit),
      scratch_test(bodies_need_names_of_their_own),
      scratch_test(awkward_names_stay_apart),
      scratch_test(places_that_take_no_file),
      scratch_test(full_disks_leave_nothing),
      scratch_test(full_disks_keep_what_fits),
      scratch_test(the_reason_is_the_disks),
      scratch_test(full_disks_are_noticed_early),
      scratch_test(nothing_stays_open),
      scratch_test(reading_across_the_end_gives_zeros),
      scratch_test(discarded_runs_leave_nothing),
      scratch_test(other_files_are_refused),
      scratch_test(cut_off_hdf5_is_refused),
      scratch_test(hdf5_with_a_hole_is_judged_at_once),
      scratch_test(damaged_hdf5_is_refused),
      scratch_test(unsealed_hdf5_does_no_harm),
      scratch_test(changed_hdf5_is_read),
      scratch_test(claims_without_storage_are_refused),
      scratch_test(csv_faults_have_a_place),
      scratch_test(faults_of_the_other_files),
      scratch_test(line_ends_are_free),
      scratch_test(csv_names_fixed_bodies_by_contacts),
  };
  return cmocka_run_group_tests(tests, NULL, NULL);
}
