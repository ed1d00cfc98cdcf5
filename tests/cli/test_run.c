// touchstone run as its users see it: files that are whole or not there, exit status, summary, interruption, resuming.
#define _XOPEN_SOURCE 700 // glob, SIGXCPU
#include "command.h"
#include "json.h"
#include "whole_file.h"

#include "cli/progress.h"

#include "touchstone/record.h"

#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <fcntl.h>
#include <glob.h>
#include <math.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <sys/wait.h>
#include <time.h>
#include <unistd.h>
#include <cmocka.h>

// A ball that slides and rolls at last: v = 10/7 m/s from 0.2913 s on, by hand; and one that falls on the floor.
static const char scene[] = "touchstone: 1\n"
                            "name: two balls\n"
                            "gravity: [0, 0, -9.81]\n"
                            "contact: {friction: 0.2}\n"
                            "bodies:\n"
                            "  - {name: floor, kind: fixed, shape: {plane: {normal: [0, 0, 1], offset: 0}}}\n"
                            "  - {name: ball, mass: 1, shape: {sphere: {radius: 1}}, position: [0, 0, 1],\n"
                            "     velocity: [2, 0, 0]}\n"
                            "  - {name: other, mass: 2, shape: {sphere: {radius: 0.5}}, position: [4, 0, 0.6]}\n"
                            "step: {size: 1e-3}\n"
                            "duration: 0.4\n";

static int set_up(void **state)
{
  if (scratch_folder_set_up(state) != 0) return -1;
  scratch_write(scratch_path(*state, "scene.yaml"), scene, sizeof scene - 1);
  return 0;
}

// Run it and expect this exit status; the result is free()d by the caller.
static command_result *run(scratch_folder *folder, const char *arguments, int status)
{
  command_result *result = calloc(1, sizeof *result);
  command_run(folder, TOUCHSTONE_COMMAND, arguments, result);
  if (result->status != status) fail_msg("'%s': status %d, said '%s'", arguments, result->status, result->err);
  return result;
}

static void run_quietly(scratch_folder *folder, const char *arguments)
{
  command_result *result = run(folder, arguments, 0);
  assert_string_equal(result->out, "");
  assert_string_equal(result->err, "");
  free(result);
}

static ts_record *open_run(const char *path)
{
  ts_record *record;
  ts_error error = {0};
  if (ts_record_open(path, &record, &error) != TS_OK) fail_msg("%s: %s", path, error.text);
  return record;
}

// ---- results -------------------------------------------------------------------------------------------------------

static void summaries_say_how_it_went(void **state)
{
  static const char *const expected[] = {"scene.yaml: two balls",
                                         "steps               400",
                                         "simulated time      0.4 s",
                                         "wall time",
                                         "worst residual",
                                         "uncertified steps   0",
                                         "worst penetration",
                                         "worst joint error",
                                         "energy ",
                                         "work of",
                                         "solvers",
                                         "fallbacks",
                                         "substeps",
                                         "contacts",
                                         "memory"};
  command_result *result = run(*state, "run scene.yaml", 0);
  for (size_t i = 0; i < sizeof expected / sizeof *expected; ++i)
    if (!strstr(result->out, expected[i])) fail_msg("'%s' is not in '%s'", expected[i], result->out);
  assert_string_equal(result->err, ""); // no bar where nobody looks
  assert_int_equal(scratch_count(*state), 1);
  free(result);
}

// Steps of a run that a solver is named for.
static int recorded_steps(const ts_record *record, const char *name)
{
  int count, found = 0;
  const double *solver = ts_record_series(record, "steps.solver", &count);
  for (int i = 0; i < count; ++i) found += strcmp(ts_record_solver_name(record, (int)solver[i]), name) == 0;
  return found;
}

// The number after a text in the line of the solvers, or 0.
static int summarized_steps(const char *out, const char *after)
{
  const char *line = strstr(out, "solvers"), *at = line ? strstr(line, after) : NULL;
  return at && at < strchr(line, '\n') ? atoi(at + strlen(after)) : 0;
}

// Which of its stages `auto` chose, as the file has it; what it needed no stage for; and what another solver did.
static void summaries_say_what_auto_chose(void **state)
{
  command_result *result = run(*state, "run scene.yaml -o run.h5", 0);
  ts_record *record = open_run(scratch_path(*state, "run.h5"));
  assert_non_null(strstr(result->out, "solvers             auto: "));
  static const char *const names[][2] = {
      {"nsgs", "nsgs "}, {"newton", "newton "}, {"auto", "its start alone "}, {"none", "nothing to solve in "}};
  int sum = 0;
  for (int i = 0; i < 4; ++i) {
    assert_int_equal(summarized_steps(result->out, names[i][1]), recorded_steps(record, names[i][0]));
    sum += summarized_steps(result->out, names[i][1]);
  }
  assert_int_equal(sum, 400);
  assert_true(recorded_steps(record, "auto") > 0);
  ts_record_close(record);
  free(result);
  result = run(*state, "run scene.yaml --set step.solver=nsgs", 0);
  assert_non_null(strstr(result->out, "solvers             nsgs 400 steps\n"));
  free(result);
}

static double json_number(const char *text, const char *key)
{
  const char *value = json_member(text, key);
  if (!value) fail_msg("there is no '%s'", key);
  return strtod(value, NULL);
}

static void json_is_json(void **state)
{
  command_result *result = run(*state, "run scene.yaml --json -o run.csv", 0);
  assert_true(json_is_valid(result->out));
  assert_true(json_number(result->out, "steps") == 400.0);
  assert_true(json_number(result->out, "time") == 0.4);
  assert_true(json_number(result->out, "uncertified_steps") == 0.0);
  assert_true(json_number(result->out, "worst_residual") <= 1e-8);
  // 1 kg at 2 m/s and 1 m, 2 kg at 0.6 m; later 7/10 v^2 of the rolling ball, and potential energy at rest.
  assert_true(fabs(json_number(result->out, "first_energy") - (2.0 + 9.81 + 2.0 * 9.81 * 0.6)) < 1e-9);
  assert_true(fabs(json_number(result->out, "last_energy") - (100.0 / 70.0 + 9.81 + 2.0 * 9.81 * 0.5)) < 1e-3);
  assert_int_equal(strncmp(json_member(result->out, "output"), "\"run.csv\"", 9), 0);
  assert_int_equal(strncmp(json_member(result->out, "complete"), "true", 4), 0);
  assert_int_equal(strncmp(json_member(result->out, "first_uncertified"), "null", 4), 0);
  assert_int_equal(strncmp(json_member(result->out, "solver"), "\"auto\"", 6), 0);
  free(result);
}

static void both_formats_hold_the_same(void **state)
{
  run_quietly(*state, "run scene.yaml -q -o run.h5");
  run_quietly(*state, "run scene.yaml -q -o run.csv");
  ts_record *hdf5 = open_run(scratch_path(*state, "run.h5")), *csv = open_run(scratch_path(*state, "run.csv"));
  assert_int_equal(ts_record_series_count(hdf5), ts_record_series_count(csv));
  for (int i = 0; i < ts_record_series_count(hdf5); ++i) {
    const char *name = ts_record_series_name(hdf5, i);
    if (strncmp(name, "contacts.body", 13) == 0) continue; // numbered in another order
    int count, other;
    const double *a = ts_record_series(hdf5, name, &count), *b = ts_record_series(csv, name, &other);
    assert_int_equal(count, other);
    assert_memory_equal(a, b, (size_t)count * sizeof *a);
  }
  int count;
  const double *vx = ts_record_series(hdf5, "ball.vx", &count);
  assert_int_equal(count, 401);
  assert_true(fabs(vx[400] - 10.0 / 7.0) < 1e-9);
  assert_non_null(strstr(ts_record_scene(hdf5), "two balls"));
  ts_record_close(hdf5);
  ts_record_close(csv);
}

static void output_interval_thins_states(void **state)
{
  run_quietly(*state, "run scene.yaml -q -o run.h5 --duration 0.1 --set output.interval=0.01");
  ts_record *record = open_run(scratch_path(*state, "run.h5"));
  int count;
  assert_non_null(ts_record_series(record, "steps.t", &count));
  assert_int_equal(count, 100);
  assert_int_equal(ts_record_state_count(record), 11);
  assert_true(ts_record_state_time(record, 1) == 0.01);
  ts_record_close(record);
}

static void overrides_count(void **state)
{
  command_result *result = run(*state, "run scene.yaml --json --set step.size=2e-3 --set ball.mass=3 -d 0.1", 0);
  assert_true(json_number(result->out, "steps") == 50.0);
  assert_true(fabs(json_number(result->out, "first_energy") - (3.0 * (2.0 + 9.81) + 2.0 * 9.81 * 0.6)) < 1e-9);
  free(result);
}

// A tolerance alone is the only measure; with an accuracy the summary has both.
static void tolerance_and_accuracy_are_stated(void **state)
{
  command_result *result = run(*state, "run scene.yaml -d 0.02 --set step.tolerance=1e-9", 0);
  assert_non_null(strstr(result->out, "(tolerance 1e-09)"));
  free(result);
  result = run(*state, "run scene.yaml -d 0.02 --set step.tolerance=1e-9 --set step.accuracy=2e-6", 0);
  assert_non_null(strstr(result->out, "(tolerance 1e-09, accuracy 2e-06 m)"));
  free(result);
  result = run(*state, "run scene.yaml -d 0.02 --json", 0);
  assert_true(json_number(result->out, "tolerance") == 1e-8 && json_number(result->out, "accuracy") == -1.0);
  free(result);
}

// With `velocity`, a ball that falls at v is overlapped by up to v h, here 9.9 mm, when its impact is found.
static void deep_overlap_is_warned_of(void **state)
{
  static const char drop[] = "touchstone: 1\n"
                             "bodies:\n"
                             "  - {name: floor, kind: fixed, shape: {plane: {normal: [0, 0, 1]}}}\n"
                             "  - {name: ball, mass: 1, shape: {sphere: {radius: 0.1}}, position: [0, 0, 0.1001], "
                             "velocity: [0, 0, -1]}\n"
                             "step: {size: 0.01, method: velocity}\nduration: 0.05\n";
  scratch_write(scratch_path(*state, "drop.yaml"), drop, sizeof drop - 1);
  command_result *result = run(*state, "run drop.yaml", 0);
  assert_non_null(strstr(result->out, " m; warning: above 0.0001 m, 1e-3 of the smallest body's half width\n"));
  free(result);
  result = run(*state, "run drop.yaml --json", 0);
  assert_true(json_number(result->out, "penetration_bound") == 1e-4);
  assert_true(json_number(result->out, "worst_penetration") > 9e-3);
  free(result);
  result = run(*state, "run drop.yaml --set step.method=stewart-trinkle", 0);
  assert_null(strstr(result->out, "warning"));
  free(result);
}

// An impossible tolerance: the run goes on, says so, and its exit status does too.
static void uncertified_steps_are_no_success(void **state)
{
  command_result *result = run(*state, "run scene.yaml -o run.h5 --set step.tolerance=1e-300 -d 0.02", 1);
  const char *line = strstr(result->out, "uncertified steps");
  assert_non_null(line);
  assert_non_null(strstr(line, "the first one ends at t = "));
  free(result);
  ts_record_close(open_run(scratch_path(*state, "run.h5")));
}

// A plate that comes down on a ball as if nothing were there: the summary names who is jammed.
static void jammed_bodies_are_named(void **state)
{
  static const char press[] =
      "touchstone: 1\n"
      "bodies:\n"
      "  - {name: floor, kind: fixed, shape: {plane: {normal: [0, 0, 1], offset: 0}}}\n"
      "  - {name: plate, kind: kinematic, shape: {box: {size: [1, 1, 0.1]}}, position: [0, 0, 0.2499],\n"
      "     motion: {displacement: [0, 0, {polynomial: [0, -0.1]}]}}\n"
      "  - {name: ball, mass: 1, shape: {sphere: {radius: 0.1}}, position: [0, 0, 0.1]}\n"
      "  - {name: free, mass: 1, shape: {sphere: {radius: 0.1}}, position: [3, 0, 0.1]}\n"
      "duration: 0.003\n";
  scratch_write(scratch_path(*state, "press.yaml"), press, sizeof press - 1);
  command_result *result = run(*state, "run press.yaml -o press.h5", 1);
  const char *line = strstr(result->out, "jammed steps");
  assert_non_null(line);
  assert_non_null(strstr(line, "3 of them: no solution exists, first for 'ball', 'floor', 'plate'\n"));
  free(result);
  static const char *const cones[] = {"run press.yaml --json", "run press.yaml --json --set step.cone=polyhedral"};
  for (int k = 0; k < 2; ++k) {
    result = run(*state, cones[k], 1);
    assert_true(json_number(result->out, "jammed_steps") == 3.0);
    free(result);
  }
  int count;
  ts_record *record = open_run(scratch_path(*state, "press.h5"));
  const double *jammed = ts_record_series(record, "steps.jammed", &count);
  assert_int_equal(count, 3);
  for (int k = 0; k < count; ++k) assert_true(jammed[k] == 1.0);
  ts_record_close(record);
}

// Two boxes begin 1 cm deep in the floor. The first step takes them out, which lifts 2 kg by 1 cm; the summary counts
// that one step, whether the run went through at once or was resumed.
static void steps_that_correct_positions_are_counted(void **state)
{
  static const char sunk[] = "touchstone: 1\n"
                             "gravity: [0, 0, -10]\n"
                             "bodies:\n"
                             "  - {name: floor, kind: fixed, shape: {plane: {normal: [0, 0, 1], offset: 0}}}\n"
                             "  - {name: one, mass: 1, shape: {box: {size: [1, 1, 1]}}, position: [0, 0, 0.49]}\n"
                             "  - {name: two, mass: 1, shape: {box: {size: [1, 1, 1]}}, position: [3, 0, 0.49]}\n"
                             "step: {size: 1e-3, start: as_given}\n"
                             "duration: 0.01\n";
  scratch_write(scratch_path(*state, "sunk.yaml"), sunk, sizeof sunk - 1);
  command_result *result = run(*state, "run sunk.yaml -o part.h5 -d 0.005", 0);
  const char *line = strstr(result->out, "positions corrected");
  assert_non_null(line);
  assert_non_null(strstr(line, " in 1 steps that began with overlap; potential energy +0.2 J\n"));
  free(result);
  static const char *const runs[] = {"run sunk.yaml --json", "run sunk.yaml --json --resume part.h5"};
  for (int k = 0; k < 2; ++k) {
    result = run(*state, runs[k], 0);
    assert_true(json_number(result->out, "steps") == 10.0);
    assert_true(json_number(result->out, "corrected_steps") == 1.0);
    assert_true(fabs(json_number(result->out, "correction_work") - 0.2) < 1e-10);
    free(result);
  }
  result = run(*state, "run scene.yaml", 0);
  assert_null(strstr(result->out, "positions corrected"));
  free(result);
}

// ---- equal runs ----------------------------------------------------------------------------------------------------

static void runs_repeat_and_resume_to_the_bit(void **state)
{
  run_quietly(*state, "run scene.yaml -q -o whole.h5");
  run_quietly(*state, "run scene.yaml -q -o again.h5");
  assert_same_files(scratch_path(*state, "whole.h5"), scratch_path(*state, "again.h5"));
  run_quietly(*state, "run scene.yaml -q -o part.h5 --duration 0.123");
  run_quietly(*state, "run scene.yaml -q --resume part.h5 -o rest.h5");
  assert_same_files(scratch_path(*state, "whole.h5"), scratch_path(*state, "rest.h5"));
  run_quietly(*state, "run scene.yaml -q --threads 3 --resume part.h5 -o shared.h5");
  assert_same_files(scratch_path(*state, "whole.h5"), scratch_path(*state, "shared.h5"));
  command_result *result = run(*state, "run scene.yaml --json --resume part.h5", 0);
  assert_true(json_number(result->out, "steps") == 400.0);
  assert_true(json_number(result->out, "resumed_steps") == 123.0);
  free(result);
  assert_same_files(scratch_path(*state, "whole.h5"), scratch_path(*state, "part.h5"));
  run_quietly(*state, "run scene.yaml -q -o often.h5 --checkpoint-every 0.001");
  assert_same_files(scratch_path(*state, "whole.h5"), scratch_path(*state, "often.h5"));
}

// ---- refusals ------------------------------------------------------------------------------------------------------

static void bad_input_is_refused(void **state)
{
  static const struct {
    const char *arguments, *words;
  } cases[] = {
      {"run", "usage: touchstone run SCENE"},
      {"run missing.yaml", "missing.yaml: "},
      {"run scene.yaml --durations 3", "did you mean '--duration'?"},
      {"run scene.yaml --duration -1", "--duration must be"},
      {"run scene.yaml --duration x", "option '--duration' wants a number"},
      {"run scene.yaml --duration inf", "--duration must be"},
      {"run scene.yaml --checkpoint-every -1 -o run.h5", "--checkpoint-every must be"},
      {"run scene.yaml --checkpoint-every 1 -o run.csv", "needs an HDF5 file"},
      {"run scene.yaml --checkpoint-every 1", "needs an HDF5 file"},
      {"run scene.yaml --set nonsense", "nonsense"},
      {"run scene.yaml --set step.sise=1", "did you mean 'size'?"},
      {"run scene.yaml --set step.size=-1", "size"},
      {"run scene.yaml -o run.txt", "run.txt: the name of a run must end in .h5, .hdf5 or .csv"},
      {"run scene.yaml -o missing/run.h5", "missing/run.h5: the file cannot be written: No such file or directory"},
      {"run scene.yaml -o missing/run.csv", "missing/run.csv: the file cannot be written: No such file or directory"},
      {"run scene.yaml -o folder.h5", "folder.h5: the file cannot be written: Is a directory"},
      {"run scene.yaml --resume missing.h5", "missing.h5: the file cannot be opened: No such file or directory"},
      {"run scene.yaml --resume scene.yaml", "scene.yaml: this is no run"},
      {"run scene.yaml --resume run.csv", "cannot be resumed"},
      {"run scene.yaml --resume run.h5 --set ball.mass=2", "another scene"},
      {"run scene.yaml --resume run.h5 --set step.size=2e-3", "other step options"},
      {"run scene.yaml --resume run.h5 -o other.h5 --set ball.mass=2", "run.h5: the run to be resumed"},
      {"run scene.yaml --resume run.h5 -o missing/run.h5", "missing/run.h5: the file cannot be written"},
      {"run scene.yaml -d 2e6",
       "a duration of 2000000 s takes 2e+09 steps of 0.001 s, more than 1e9; --yes takes them"},
      {"run scene.yaml -d 1 --set step.size=1e-20", "takes 1e+20 steps of 1e-20 s, more than 1e9"},
      {"run scene.yaml -d 1e300 --set step.size=1e-300", "takes inf steps"},
  };
  run_quietly(*state, "run scene.yaml -q -o run.h5 -d 0.01");
  run_quietly(*state, "run scene.yaml -q -o run.csv -d 0.01");
  assert_int_equal(mkdir(scratch_path(*state, "folder.h5"), 0777), 0);
  const int files = scratch_count(*state);
  for (size_t i = 0; i < sizeof cases / sizeof *cases; ++i) {
    command_assert_refused(*state, TOUCHSTONE_COMMAND, cases[i].arguments, cases[i].words);
    assert_int_equal(scratch_count(*state), files);
  }
}

// A byte that is wrong anywhere gives one sentence, and libhdf5 says nothing.
static void long_runs_can_be_confirmed(void **state)
{
  command_result *result = run(*state, "run scene.yaml -q --yes -d 1e8 --stop-on 't > 0.0095'", 3);
  assert_non_null(strstr(result->err, "stopped on t > 0.0095 at t = 0.01 s"));
  free(result);
  result = run(*state, "check scene.yaml --set duration=1e8", 0);
  assert_non_null(strstr(result->err, "warning: a duration of 100000000 s takes 1e+11 steps"));
  free(result);
}

static void damaged_runs_are_not_resumed(void **state)
{
  run_quietly(*state, "run scene.yaml -q -o run.h5 -d 0.01");
  size_t bytes;
  char *content = read_bytes(scratch_path(*state, "run.h5"), &bytes);
  for (size_t at = 100; at + 16 < bytes; at += bytes / 10) {
    content[at] = (char)~content[at];
    scratch_write(scratch_path(*state, "damaged.h5"), content, bytes);
    content[at] = (char)~content[at];
    command_assert_refused(*state, TOUCHSTONE_COMMAND, "run scene.yaml --resume damaged.h5", "is damaged");
  }
  free(content);
}

// Without the seal it is libhdf5 that finds the damage. It has lost memory then, about which it said two lines more
// when the command ended; leak checkers would say so, too.
static void damage_that_libhdf5_finds_is_one_line(void **state)
{
  enum { SEAL = 16 };
  static const char *const verbs[] = {"draw damaged.h5 -o damaged.svg", "solve damaged.h5",
                                      "convert damaged.h5 damaged.csv"};
  command_result *result = calloc(1, sizeof *result);
  int refused = 0;
  run_quietly(*state, "run scene.yaml -q -o run.h5 -d 0.01");
  size_t bytes;
  char *content = read_bytes(scratch_path(*state, "run.h5"), &bytes);
  for (size_t at = 100; at + SEAL < bytes; at += bytes / 40) {
    content[at] = (char)~content[at];
    scratch_write(scratch_path(*state, "damaged.h5"), content, bytes - SEAL);
    content[at] = (char)~content[at];
    for (int k = 0; k < 3; ++k) {
      command_run_in(*state, "ASAN_OPTIONS=detect_leaks=0", TOUCHSTONE_COMMAND, verbs[k], result);
      if (result->status == 0) continue; // nobody reads what lies there
      assert_command_refused(result, "touchstone: damaged.h5: ");
      ++refused;
    }
  }
  assert_true(refused > 40); // 'solve' refuses all of them
  free(content);
  free(result);
}

static void runs_are_not_converted(void **state)
{
  static const char *const runs[] = {"run.h5", "run.csv"};
  for (int k = 0; k < 2; ++k) {
    char words[64], line[128];
    snprintf(line, sizeof line, "run scene.yaml -q -o %s -d 0.01", runs[k]);
    run_quietly(*state, line);
    snprintf(line, sizeof line, "convert %s x.csv", runs[k]);
    snprintf(words, sizeof words, "%s: this is a run; convert takes scenes, robots and tables", runs[k]);
    command_assert_refused(*state, TOUCHSTONE_COMMAND, line, words);
  }
}

// A limit on the size of files stands for a full disk: one sentence, and what fits is kept. Nobody need switch the
// signal off. Of HDF5 not even the beginning fits.
static void full_disks_are_no_success(void **state)
{
  static const char *const endings[] = {"h5", "csv"};
  for (int k = 0; k < 2; ++k) {
    char line[512];
    snprintf(line, sizeof line, "cd '%s' && (ulimit -f 16; '%s' run scene.yaml -d 4 -o run.%s) > out.txt 2> err.txt",
             ((scratch_folder *)*state)->path, TOUCHSTONE_COMMAND, endings[k]);
    const int status = system(line);
    assert_int_equal(WEXITSTATUS(status), 2);
    size_t bytes;
    char *said = read_bytes(scratch_path(*state, "err.txt"), &bytes);
    const char *end = memchr(said, '\n', bytes);
    assert_ptr_equal(end, said + bytes - 1);
    free(said);
    assert_int_equal(scratch_count(*state), k == 0 ? 3 : 6); // the scene, what was said, three tables
  }
  ts_record *record = open_run(scratch_path(*state, "run.csv"));
  assert_true(ts_record_state_count(record) > 10);
  ts_record_close(record);
}

// The same with a real disk that is full, where one may be made.
static void no_space_left_is_said(void **state)
{
  static const char *const endings[] = {"h5", "csv"};
  const char *folder = ((scratch_folder *)*state)->path;
  assert_int_equal(mkdir(scratch_path(*state, "disk"), 0700), 0);
  for (int k = 0; k < 2; ++k) {
    char line[1024], name[32];
    snprintf(line, sizeof line,
             "unshare -rm sh -c 'cd \"$1\" && mount -t tmpfs -o size=1m none disk || exit 77\n"
             "cd disk && \"$2\" run ../scene.yaml -q -d 60 -o run.%s 2> ../err.txt\n"
             "echo $? > ../status.txt; cp run.* ..' x '%s' '%s' 2> /dev/null",
             endings[k], folder, TOUCHSTONE_COMMAND);
    if (system(line) != 0) skip();
    char *said = read_text(scratch_path(*state, "err.txt")), *status = read_text(scratch_path(*state, "status.txt"));
    assert_non_null(strstr(said, "No space left on device; what fits is kept"));
    assert_string_equal(status, "2\n");
    free(said);
    free(status);
    snprintf(name, sizeof name, "run.%s", endings[k]);
    ts_record *record = open_run(scratch_path(*state, name));
    assert_true(ts_record_state_count(record) > 1000);
    ts_record_close(record);
  }
}

// ---- interruption --------------------------------------------------------------------------------------------------

// The run leaves signals off that are off when it starts, and so they are where this test runs in the background.
static void turn_signals_on(int except)
{
  static const int numbers[] = {SIGINT, SIGTERM, SIGHUP, SIGXCPU};
  for (size_t k = 0; k < sizeof numbers / sizeof *numbers; ++k)
    signal(numbers[k], numbers[k] == except ? SIG_IGN : SIG_DFL);
}

static pid_t start_run_without(int number, scratch_folder *folder, const char *output, const char *more)
{
  const pid_t child = fork();
  assert_true(child >= 0);
  if (child > 0) return child;
  turn_signals_on(number);
  const int out = open(scratch_path(folder, "out.txt"), O_WRONLY | O_CREAT | O_TRUNC, 0666);
  const int err = open(scratch_path(folder, "err.txt"), O_WRONLY | O_CREAT | O_TRUNC, 0666);
  if (out < 0 || err < 0 || chdir(folder->path) != 0 || dup2(out, STDOUT_FILENO) < 0 || dup2(err, STDERR_FILENO) < 0)
    _exit(99);
  execl(TOUCHSTONE_COMMAND, "touchstone", "run", "scene.yaml", "--duration", "1e5", "--set", "output.interval=0.005",
        "-o", output, more, (char *)NULL);
  _exit(99);
}

static pid_t start_run(scratch_folder *folder, const char *output, const char *more)
{
  return start_run_without(0, folder, output, more);
}

static void pause_for(double seconds)
{
  const struct timespec time = {(time_t)seconds, (long)(1e9 * fmod(seconds, 1.0))};
  nanosleep(&time, NULL);
}

// Until the temporary file is there: the run is under way.
static void wait_for_file(scratch_folder *folder, pid_t child, const char *output)
{
  char pattern[64];
  glob_t found;
  snprintf(pattern, sizeof pattern, "%s.????????.part", output);
  for (int i = 0; glob(scratch_path(folder, pattern), 0, NULL, &found) != 0; ++i) {
    if (i == 3000) fail_msg("the run %ld never began", (long)child);
    pause_for(0.01);
  }
  globfree(&found);
}

static void end_run(pid_t child, int number)
{
  int status;
  assert_int_equal(kill(child, number), 0);
  assert_int_equal(waitpid(child, &status, 0), child);
  assert_true(WIFEXITED(status));
  assert_int_equal(WEXITSTATUS(status), 128 + number);
}

static void interrupt_run(scratch_folder *folder, const char *output, int number)
{
  const pid_t child = start_run(folder, output, strstr(output, ".h5") ? "-c0.05" : NULL);
  wait_for_file(folder, child, output);
  pause_for(0.2);
  end_run(child, number);
}

static char *text_of(scratch_folder *folder, const char *name)
{
  size_t bytes;
  char *content = read_bytes(scratch_path(folder, name), &bytes);
  char *text = realloc(content, bytes + 1);
  assert_non_null(text);
  text[bytes] = '\0';
  return text;
}

static void interrupted_runs_are_whole(void **state)
{
  static const struct {
    const char *output;
    int number;
  } cases[] = {{"run.h5", SIGINT}, {"run.h5", SIGTERM}, {"run.h5", SIGHUP}, {"run.h5", SIGXCPU}, {"run.csv", SIGINT}};
  for (int k = 0; k < 5; ++k) {
    interrupt_run(*state, cases[k].output, cases[k].number);
    char *said = text_of(*state, "err.txt"), *summary = text_of(*state, "out.txt");
    assert_non_null(strstr(said, "interrupted at t = "));
    assert_int_equal(strstr(said, "--resume 'run.h5'") != NULL, k < 4);
    assert_non_null(strstr(summary, "worst residual"));
    free(said);
    free(summary);
    ts_record *record = open_run(scratch_path(*state, cases[k].output));
    int count;
    const double *t = ts_record_series(record, "steps.t", &count);
    for (int i = 0; i < count; ++i) assert_true(fabs(t[i] - 1e-3 * (i + 1)) < 1e-9 * (i + 1));
    assert_int_equal(ts_record_state_count(record), 1 + count / 5);
    ts_record_close(record);
  }
}

// nohup: what is off when the run starts stays off, and what is on still ends it.
static void signals_that_are_off_stay_off(void **state)
{
  static const int off[] = {SIGHUP, SIGINT}, on[] = {SIGTERM, SIGHUP};
  for (int k = 0; k < 2; ++k) {
    const pid_t child = start_run_without(off[k], *state, "run.csv", NULL);
    wait_for_file(*state, child, "run.csv");
    assert_int_equal(kill(child, off[k]), 0);
    pause_for(0.1);
    assert_int_equal(waitpid(child, NULL, WNOHANG), 0);
    end_run(child, on[k]);
  }
}

// What Ctrl-C left is continued as if it had never come.
static void interrupted_runs_resume(void **state)
{
  interrupt_run(*state, "run.h5", SIGINT);
  ts_record *record = open_run(scratch_path(*state, "run.h5"));
  int count;
  ts_record_series(record, "steps.t", &count);
  ts_record_close(record);
  char arguments[256];
  snprintf(arguments, sizeof arguments, "run scene.yaml -q --set output.interval=0.005 --resume run.h5 -d %g",
           1e-3 * (count + 500));
  run_quietly(*state, arguments);
  snprintf(arguments, sizeof arguments, "run scene.yaml -q --set output.interval=0.005 -o whole.h5 -d %g",
           1e-3 * (count + 500));
  run_quietly(*state, arguments);
  assert_same_files(scratch_path(*state, "whole.h5"), scratch_path(*state, "run.h5"));
}

// A run that is killed leaves its temporary file, which the next one removes; whatever its number.
static void killed_runs_do_not_stand_in_the_way(void **state)
{
  for (int k = 0; k < 2; ++k) {
    int status;
    const pid_t child = start_run(*state, "run.h5", NULL);
    wait_for_file(*state, child, "run.h5");
    assert_int_equal(kill(child, SIGKILL), 0);
    assert_int_equal(waitpid(child, &status, 0), child);
  }
  assert_int_equal(scratch_count(*state), 4); // the scene, what was said, one temporary file
  run_quietly(*state, "run scene.yaml -q -o run.h5");
  assert_int_equal(scratch_count(*state), 4); // and the run instead of it
}

// ---- the bar -------------------------------------------------------------------------------------------------------

static void bars_show_time_rate_and_rest(void **state)
{
  (void)state;
  cli_progress progress = {.last = 1100, .marks = {{0.0, 100}}, .mark_count = 1};
  char text[160];
  assert_string_equal(cli_progress_text(&progress, 100, 0.1, text, sizeof text),
                      "[##                      ]   9 %  t = 0.1 s  0 steps/s  ? left");
  cli_progress_count(&progress, 550, 90.0);
  assert_string_equal(cli_progress_text(&progress, 550, 0.55, text, sizeof text),
                      "[############            ]  50 %  t = 0.55 s  5 steps/s  1 min 50 s left");
  cli_progress fast = {.last = 1100, .marks = {{0.0, 100}}, .mark_count = 1};
  cli_progress_count(&fast, 1100, 0.5);
  assert_string_equal(cli_progress_text(&fast, 1100, 1.1, text, sizeof text),
                      "[########################] 100 %  t = 1.1 s  2e+03 steps/s  0 s left");
}

// A run that gets slow: 160 steps a second for ten seconds, then 16. Three seconds later nothing is left of the fast
// ones, and what is said to be left is what is.
static void the_rest_follows_from_the_recent_rate(void **state)
{
  (void)state;
  char text[160];
  cli_progress progress = {.last = 2080, .marks = {{0.0, 0}}, .mark_count = 1};
  for (int i = 1; i <= 80; ++i) cli_progress_count(&progress, 20 * i, 0.125 * i);
  assert_non_null(strstr(cli_progress_text(&progress, 1600, 0.0, text, sizeof text), "160 steps/s  3 s left"));
  for (int i = 1; i <= 12; ++i) cli_progress_count(&progress, 1600 + 2 * i, 10.0 + 0.125 * i);
  assert_non_null(
      strstr(cli_progress_text(&progress, 1624, 0.0, text, sizeof text), "88 steps/s  5 s left")); // the mean
  for (int i = 13; i <= 24; ++i) cli_progress_count(&progress, 1600 + 2 * i, 10.0 + 0.125 * i);
  assert_non_null(strstr(cli_progress_text(&progress, 1648, 0.0, text, sizeof text), " 16 steps/s  27 s left"));
}

// Steps that take longer than the rate looks back: the last one counts.
static void slow_steps_have_a_rate(void **state)
{
  (void)state;
  char text[160];
  cli_progress progress = {.last = 10, .marks = {{0.0, 0}}, .mark_count = 1};
  for (int i = 1; i <= 5; ++i) cli_progress_count(&progress, i, 20.0 * i);
  assert_non_null(strstr(cli_progress_text(&progress, 5, 0.0, text, sizeof text), "0.05 steps/s  1 min 40 s left"));
  for (int i = 1; i <= 1000; ++i) cli_progress_count(&progress, 5, 100.0 + 1e-3 * i); // more often than there is room
  assert_non_null(strstr(cli_progress_text(&progress, 5, 0.0, text, sizeof text), " 0 steps/s  ? left"));
}

// ---- the end before the end ----------------------------------------------------------------------------------------

// A block between two walls that close in from 0.1 s on: no solution exists then.
static const char press[] = "touchstone: 1\n"
                            "bodies:\n"
                            "  - name: left\n"
                            "    kind: kinematic\n"
                            "    position: [-1.5, 0, 0]\n"
                            "    shape: {box: {size: [1, 4, 4]}}\n"
                            "    motion: {displacement: [{table: {times: [0.1, 1.1], values: [0, 1]}}, 0, 0]}\n"
                            "  - {name: right, kind: fixed, position: [1.5, 0, 0], shape: {box: {size: [1, 4, 4]}}}\n"
                            "  - {name: block, shape: {box: {size: [2, 1, 1]}}}\n"
                            "gravity: [0, 0, 0]\n"
                            "duration: 0.4\n";

static void runs_stop_where_asked(void **state)
{
  static const struct {
    const char *arguments, *said;
    double time; // of the end
  } cases[] = {{"--stop-on jam", "stopped on jam for 1 step at t = ", 0.101},
               {"--stop-on jam:10", "stopped on jam for 10 steps at t = ", 0.110},
               {"--stop-on uncertified:0.05s,jam:200", "stopped on uncertified for 0.05 s at t = ", 0.150}};
  scratch_write(scratch_path(*state, "press.yaml"), press, sizeof press - 1);
  for (int k = 0; k < 3; ++k) {
    char line[200];
    snprintf(line, sizeof line, "run press.yaml -o run.h5 %s", cases[k].arguments);
    command_result *result = run(*state, line, 3);
    if (!strstr(result->err, cases[k].said)) fail_msg("%s", result->err);
    assert_non_null(strstr(result->err, "--resume 'run.h5'"));
    assert_non_null(strstr(result->out, "stopped on"));
    free(result);
    ts_record *record = open_run(scratch_path(*state, "run.h5"));
    int count;
    const double *t = ts_record_series(record, "steps.t", &count);
    if (!(fabs(t[count - 1] - cases[k].time) < 1.5e-3)) fail_msg("%s: ends at %g s", cases[k].arguments, t[count - 1]);
    ts_record_close(record);
  }
  command_result *result = run(*state, "run press.yaml --json --stop-on jam", 3);
  assert_true(json_is_valid(result->out));
  assert_non_null(strstr(result->out, "\"stopped_on\": \"jam for 1 step\""));
  free(result);
  run_quietly(*state, "run scene.yaml -q --stop-on jam,uncertified"); // never met
  command_assert_refused(*state, TOUCHSTONE_COMMAND, "run scene.yaml --stop-on jamm",
                         "--stop-on: a run cannot be stopped");
}

// A quasi-static run ends on the step that has no balance, not certified; --go-on has it go on.
static void quasistatic_runs_end_without_balance(void **state)
{
  scratch_write(scratch_path(*state, "press.yaml"), press, sizeof press - 1);
  static const char method[] = "--set step.method=quasistatic --set step.size=0.01";
  char line[200];
  snprintf(line, sizeof line, "run press.yaml -o run.h5 %s", method);
  command_result *result = run(*state, line, 1);
  if (!strstr(result->err, "without balance")) fail_msg("%s", result->err);
  assert_non_null(strstr(result->err, "--go-on"));
  assert_non_null(strstr(result->out, "no motion"));
  free(result);
  ts_record *record = open_run(scratch_path(*state, "run.h5"));
  int count;
  const double *t = ts_record_series(record, "steps.t", &count);
  const double *stayed = ts_record_series(record, "steps.stayed", &count);
  assert_true(fabs(t[count - 1] - 0.11) < 1e-9);
  for (int i = 0; i < count; ++i) assert_true((stayed[i] != 0.0) == (i == count - 1));
  ts_record_close(record);
  snprintf(line, sizeof line, "run press.yaml --json --go-on %s", method);
  result = run(*state, line, 1);
  assert_non_null(strstr(result->out, "\"steps\": 40"));
  assert_non_null(strstr(result->out, "\"steps_without_motion\": 30"));
  free(result);
}

// Every member of the object stands in the manual's list of them.
static void assert_described(const char *json)
{
  char *manual = read_text(TEST_DATA "/../../docs/cli.md"), *list = strstr(manual, "**JSON.**");
  assert_non_null(list);
  *strstr(list, "\n## ") = '\0';
  for (const char *line = json; (line = strstr(line, "\n  \"")) != NULL; line += 4) {
    char member[64];
    snprintf(member, sizeof member, "`%.*s`", (int)strcspn(line + 4, "\""), line + 4);
    if (!strstr(list, member)) fail_msg("the manual does not mention %s", member);
  }
  free(manual);
}

static void members_are_in_the_manual(void **state)
{
  scratch_write(scratch_path(*state, "press.yaml"), press, sizeof press - 1);
  static const char *const runs[] = {"run scene.yaml --json", "run scene.yaml --json --set step.method=event-driven",
                                     "run press.yaml --json --stop-on jam"};
  static const int ends[] = {0, 0, 3};
  for (int k = 0; k < 3; ++k) {
    command_result *result = run(*state, runs[k], ends[k]);
    assert_described(result->out);
    free(result);
  }
}

// ---- checkpoints ---------------------------------------------------------------------------------------------------

// Killed at any time, a run goes on from its checkpoint, and leaves the file that it would have left.
static void killed_runs_go_on_from_their_checkpoint(void **state)
{
  int status;
  const pid_t child = start_run(*state, "run.h5", "-c0.02");
  const char *checkpoint = scratch_path(*state, "run.checkpoint.h5");
  for (int i = 0; access(checkpoint, F_OK) != 0; ++i) {
    if (i == 3000) fail_msg("there is no checkpoint");
    pause_for(0.01);
  }
  pause_for(0.1);
  assert_int_equal(kill(child, SIGKILL), 0);
  assert_int_equal(waitpid(child, &status, 0), child);
  ts_record *record = open_run(scratch_path(*state, "run.checkpoint.h5"));
  int count;
  ts_record_series(record, "steps.t", &count);
  ts_record_close(record);
  char line[256];
  snprintf(line, sizeof line, "run scene.yaml -q --set output.interval=0.005 -o run.h5 -d %g", 1e-3 * (count + 300));
  command_result *result = run(*state, line, 0); // anew: it is mentioned, and stays
  assert_non_null(strstr(result->err, "run.checkpoint.h5: an earlier run was cut off; continue it with 'touchstone run "
                                      "scene.yaml --resume run.checkpoint.h5 -o run.h5'"));
  free(result);
  assert_int_equal(access(scratch_path(*state, "run.checkpoint.h5"), F_OK), 0);
  assert_int_equal(rename(scratch_path(*state, "run.h5"), scratch_path(*state, "whole.h5")), 0);
  strcat(line, " --resume run.checkpoint.h5");
  run_quietly(*state, line);
  assert_same_files(scratch_path(*state, "whole.h5"), scratch_path(*state, "run.h5"));
  assert_int_not_equal(access(scratch_path(*state, "run.checkpoint.h5"), F_OK), 0);
  assert_int_equal(scratch_count(*state), 5); // the scene, what was said, both runs
}

// The end of a run takes its checkpoint away, whatever end it is.
static void checkpoints_go_when_the_run_is_there(void **state)
{
  run_quietly(*state, "run scene.yaml -q -o run.h5 -c 0.001");
  assert_int_equal(scratch_count(*state), 2);
  run_quietly(*state, "run scene.yaml -q -o run.csv"); // there are none of CSV
  assert_int_equal(scratch_count(*state), 5);
  interrupt_run(*state, "run.h5", SIGINT);
  assert_int_equal(scratch_count(*state), 7); // what was said
}

#define scratch_test(f) cmocka_unit_test_setup_teardown(f, set_up, scratch_folder_tear_down)

int main(void)
{
  const struct CMUnitTest tests[] = {
      scratch_test(summaries_say_how_it_went),
      scratch_test(summaries_say_what_auto_chose),
      scratch_test(json_is_json),
      scratch_test(both_formats_hold_the_same),
      scratch_test(output_interval_thins_states),
      scratch_test(overrides_count),
      scratch_test(tolerance_and_accuracy_are_stated),
      scratch_test(deep_overlap_is_warned_of),
      scratch_test(uncertified_steps_are_no_success),
      scratch_test(jammed_bodies_are_named),
      scratch_test(steps_that_correct_positions_are_counted),
      scratch_test(runs_repeat_and_resume_to_the_bit),
      scratch_test(bad_input_is_refused),
      scratch_test(long_runs_can_be_confirmed),
      scratch_test(damaged_runs_are_not_resumed),
      scratch_test(damage_that_libhdf5_finds_is_one_line),
      scratch_test(runs_are_not_converted),
      scratch_test(full_disks_are_no_success),
      scratch_test(no_space_left_is_said),
      scratch_test(interrupted_runs_are_whole),
      scratch_test(signals_that_are_off_stay_off),
      scratch_test(interrupted_runs_resume),
      scratch_test(killed_runs_do_not_stand_in_the_way),
      cmocka_unit_test(bars_show_time_rate_and_rest),
      cmocka_unit_test(the_rest_follows_from_the_recent_rate),
      cmocka_unit_test(slow_steps_have_a_rate),
      scratch_test(runs_stop_where_asked),
      scratch_test(quasistatic_runs_end_without_balance),
      scratch_test(members_are_in_the_manual),
      scratch_test(killed_runs_go_on_from_their_checkpoint),
      scratch_test(checkpoints_go_when_the_run_is_there),
  };
  return cmocka_run_group_tests(tests, NULL, NULL);
}
