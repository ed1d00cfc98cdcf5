// touchstone sweep as its users see it: bad studies, going on, other numbers of threads and processes, single trials.
#define _XOPEN_SOURCE 700 // nanosleep, kill
#include "command.h"
#include "json.h"
#include "whole_file.h"

#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <fcntl.h>
#include <math.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/wait.h>
#include <time.h>
#include <unistd.h>
#include <cmocka.h>

// A ball is thrown upwards and slides after it has come down: heights and times are known.
static const char scene[] = "touchstone: 1\n"
                            "parameters:\n"
                            "  v: {value: 1, range: [0, 10], unit: m/s}\n"
                            "  mu: 0.3\n"
                            "  n: 1\n"
                            "contact: {friction: =mu}\n"
                            "bodies:\n"
                            "  - {name: floor, kind: fixed, shape: {plane: {normal: [0, 0, 1], offset: 0}}}\n"
                            "  - {name: ball$i, repeat: {count: =n}, mass: 1, shape: {sphere: {radius: 0.1}},\n"
                            "     position: [=i, 0, 0.1], velocity: [1, 0, =v]}\n"
                            "step: {size: 1e-2}\n"
                            "duration: 0.3\n"
                            "results:\n"
                            "  top: {max: ball0.z, unit: m}\n"
                            "  x: ball0.x\n";

static const char study[] = "study: 1\n"
                            "name: throws\n"
                            "scene: scene.yaml\n"
                            "vary:\n"
                            "  v: {grid: [0, 2], count: 10}\n"
                            "  mu: {uniform: [0.1, 0.9]}\n"
                            "samples: 30\n";

static void write_text(scratch_folder *folder, const char *name, const char *text)
{
  scratch_write(scratch_path(folder, name), text, strlen(text));
}

static int set_up(void **state)
{
  if (scratch_folder_set_up(state) != 0) return -1;
  write_text(*state, "scene.yaml", scene);
  write_text(*state, "study.yaml", study);
  return 0;
}

static void run(scratch_folder *folder, const char *arguments, int status)
{
  command_result *result = calloc(1, sizeof *result);
  command_run(folder, TOUCHSTONE_COMMAND, arguments, result);
  if (result->status != status) fail_msg("'%s': status %d, said '%s'", arguments, result->status, result->err);
  free(result);
}

static void assert_same_tables(scratch_folder *folder, const char *a, const char *b)
{
  assert_same_files(scratch_path(folder, a), scratch_path(folder, b));
}

// ---- bad studies ---------------------------------------------------------------------------------------------------

static void bad_studies_get_one_sentence_with_its_place(void **state)
{
  static const struct {
    const char *lines, *words;
  } cases[] = {
      {"vary: {vv: [1]}\n", "study.yaml:3:8: the scene has no parameter 'vv'; did you mean 'v'?"},
      {"vary: {v: {uniform: [2, 1]}}\n", "study.yaml:3:8: 'v': the range from 2 to 1 is empty"},
      {"vary: {v: {grid: [1, 1], count: 3}}\n", "study.yaml:3:18: the range from 1 to 1 is empty"},
      {"vary: {v: {uniform: [1]}}\n", "study.yaml:3:21: 'uniform' must have 2 entries, not 1"},
      {"vary: {v: {uniform: []}}\n", "'uniform' must have 2 entries, not 0"},
      {"vary: {v: {normal: [1, 0]}}\n", "standard deviation"},
      {"vary: {v: {count: 3}}\n", "study.yaml:3:11: how a parameter varies needs one of 'values'"},
      {"vary: {v: {grid: [0, 1]}}\n", "'grid' needs 'count' beside it"},
      {"vary: {v: []}\n", "'values' must have at least 1 entry, not 0"},
      {"vary: {v: {triangular: [0, 5, 3]}}\n", "the mode 5 is not between 0 and 3"},
      {"vary: {v: {discrete: [1, 2], weights: [0, 0]}}\n", "weights"},
      {"vary: {v: {discrete: [1, 2], weights: [1]}}\n", "'weights' must have as many entries as 'discrete'"},
      {"derived: {a: =b, b: =c, c: =a}\n", "study.yaml:3:11: parameters depend on themselves: a -> b -> c -> a"},
      {"derived: {a: =bb, b: 1}\n", "study.yaml:3:15: there is no 'bb'"},
      {"derived: {a: '=2*'}\n", "study.yaml:3:"},
      {"vary: {v: [1]}\nderived: {a: =v/mu}\n", "study.yaml:4:14: the scene's parameter 'mu' does not vary"},
      {"vary: {v: [1]}\nderived: {steps: =2*v}\n",
       "study.yaml:4:11: no parameter of a study can be called 'steps': every table has such a column"},
      {"derived: {trial: 1}\n", "no parameter of a study can be called 'trial'"},
      {"derived: {seconds: 1}\n", "no parameter of a study can be called 'seconds'"},
      {"derived: {t: 1}\n", "study.yaml:3:11: no parameter can be called 't'"},
      {"derived: {pi: 3}\n", "study.yaml:3:11: no parameter can be called 'pi'"},
      {"derived: {x: 1}\n", "study.yaml:3:11: 'x' is a parameter and a result"},
      {"derived: {x: 1}\nresults: [top, x]\n", "study.yaml:4:16: 'x' is a parameter and a result"},
      {"results: [x, top, x]\n", "study.yaml:3:19: there are two results 'x'"},
      {"set: ['results.residual={final: x}']\n",
       "study.yaml:2:8: no result of a study can be called 'residual': every table has such a column; rename it, or "
       "leave it out by 'results'"},
      {"set: ['results.end={final: x}']\nresults: [x, end]\n",
       "study.yaml:4:14: no result of a study can be called 'end'"},
      {"results: [topp]\n", "study.yaml:3:11: the scene has no result 'topp'; did you mean 'top'?"},
      {"vary: {v: {uniform: [0, 1]}}\nsamples: 1000000000000\n", "study.yaml:4:10: 'samples' must be a whole number"},
      {"vary: {v: {grid: [0, 1], count: 1000000}}\nsamples: 1000000\n",
       "study.yaml:4:10: the study has 1e+12 trials, 1000000000 at most can be run"},
      {"vary: {v: {uniform: [0, 1]}}\nsampling: sobol2\n", "study.yaml:4:11: 'sampling' cannot be 'sobol2'"},
      {"sampling: saltelli\n", "needs random parameters"},
      {"retry: [{set: [solver=foo]}]\n", "study.yaml:3:9: 'solver' must be one of"},
      {"retry: [{set: [solver]}]\n", "'solver' is not of the form option=value"},
      {"set: [nothing.x=1]\n", "study.yaml:3:7: 'nothing.x=1': there is nothing called 'nothing'"},
      {"set: [mu=0.5, step.sise=1e-3]\n", "study.yaml:3:15: 'step.sise=1e-3': the step has no key 'sise'"},
      {"vary: {v: [1]}\nset: [mu=0.5, v=2]\n", "study.yaml:4:15: 'v' is varied, so that it cannot be set"},
      {"vary: {mu: [1]}\nset: [parameters.mu=2]\n", "study.yaml:4:7: 'mu' is varied"},
      {"vary: {v: [1]}\nderived: {mu: =v}\nset: ['parameters.mu={value: 2}']\n", "study.yaml:5:7: 'mu' is varied"},
      {"vary: {v: [1, 2, 10.5]}\n", "study.yaml:3:18: the parameter 'v' would be 10.5, outside its range from 0 to 10"},
      {"vary: {v: {grid: [-1, 9], count: 3}}\n", "study.yaml:3:19: the parameter 'v' would be -1"},
      {"vary: {v: {uniform: [1, 11]}}\n", "study.yaml:3:25: the parameter 'v' would be 11"},
      {"vary: {v: {log_uniform: [1, 11]}}\n", "study.yaml:3:29: the parameter 'v' would be 11"},
      {"vary: {v: {triangular: [-1, 1, 2]}}\n", "study.yaml:3:25: the parameter 'v' would be -1"},
      {"vary: {v: {normal: [1, 1], range: [-1, 2]}}\n", "study.yaml:3:36: the parameter 'v' would be -1"},
      {"vary: {v: {discrete: [11, 12], weights: [0, 1]}}\n", "study.yaml:3:27: the parameter 'v' would be 12"},
      {"table: none.csv\n", "study.yaml:3:8: the file 'none.csv' cannot be read"},
      {"limits: {time: 1}\n", "study.yaml:3:10: the map of limits has no key 'time'"},
      {"vari: {v: [1]}\n", "study.yaml:3:1: a study has no key 'vari'; did you mean 'vary'?"},
  };
  for (size_t i = 0; i < sizeof cases / sizeof cases[0]; ++i) {
    char text[512];
    snprintf(text, sizeof text, "study: 1\nscene: scene.yaml\n%s", cases[i].lines);
    write_text(*state, "study.yaml", text);
    command_assert_refused(*state, TOUCHSTONE_COMMAND, "sweep study.yaml -o out.h5", cases[i].words);
    assert_int_not_equal(access(scratch_path(*state, "out.h5"), F_OK), 0);
  }
}

static void bad_tables_get_their_line(void **state)
{
  static const struct {
    const char *table, *words;
  } cases[] = {
      {"v,mu\n1,0.2\n2,abc\n", "points.csv:3:3: 'abc' is no number"},
      {"v,mu\n1\n", "points.csv:2:1: the line has fewer fields than there are names"},
      {"v,mu\n1,2,3\n", "points.csv:2:3: the line has more fields than there are names"},
      {"v,mu\n", "the table has no rows"},
      {"v,\n1,2\n", "points.csv:1:3: a column has no name"},
      {"w\n1\n", "points.csv:1:1: the scene has no parameter 'w'"},
      {"v, w\n1,2\n", "points.csv:1:4: the scene has no parameter 'w'"},
      {"\xef\xbb\xbfw\n1\n", "points.csv:1:1: the scene has no parameter 'w'"},
      {"v,mu,v\n1,2,3\n", "points.csv:1:6: 'v' is varied twice"},
      {"v,mu\n1,\"0.2\n", "points.csv:2:3: a quote in this field has no end"},
      {"\"v\n1\n", "points.csv:1:1: a quote in this field has no end"},
      {"v,mu\n1,0.5\n\n 11 ,0.5\n", "points.csv:4:2: the parameter 'v' would be 11, outside its range from 0 to 10"}};
  write_text(*state, "study.yaml", "study: 1\nscene: scene.yaml\ntable: points.csv\n");
  for (size_t i = 0; i < sizeof cases / sizeof cases[0]; ++i) {
    write_text(*state, "points.csv", cases[i].table);
    command_assert_refused(*state, TOUCHSTONE_COMMAND, "sweep study.yaml -o out.h5", cases[i].words);
  }
}

// As spreadsheets write them: a byte order mark, carriage returns, quotes.
static void tables_may_come_from_spreadsheets(void **state)
{
  write_text(*state, "study.yaml", "study: 1\nscene: scene.yaml\ntable: points.csv\n");
  write_text(*state, "points.csv", "v,mu\n1,0.5\n2,0.25\n");
  run(*state, "sweep study.yaml -o plain.csv", 0);
  write_text(*state, "points.csv", "\xef\xbb\xbf\"v\",mu\r\n1,\"0.5\"\r\n2, 0.25\r\n");
  run(*state, "sweep study.yaml -o foreign.csv", 0);
  assert_same_tables(*state, "plain.csv", "foreign.csv");
}

static void mistakes_of_scenes_name_their_file(void **state)
{
  write_text(*state, "scene.yaml", "touchstone: 1\nparameters: {v: =w, w: =v}\nbodies: []\n");
  command_assert_refused(*state, TOUCHSTONE_COMMAND, "sweep study.yaml",
                         "scene.yaml:2:17: parameters depend on themselves: v -> w -> v");
}

static void values_that_vary_cannot_be_set(void **state)
{
  static const char words[] = "study.yaml: 'v' is varied, so that it cannot be set";
  command_assert_refused(*state, TOUCHSTONE_COMMAND, "sweep study.yaml -o out.h5 --set v=1", words);
  command_assert_refused(*state, TOUCHSTONE_COMMAND, "sweep study.yaml -o out.h5 --set parameters.v.value=1", words);
  command_assert_refused(*state, TOUCHSTONE_COMMAND, "run study.yaml --trial 9 --set v=1 -o out.h5", words);
  run(*state, "run study.yaml --trial 9 --set n=1 -o out.h5", 0);
}

// A division by zero in one trial is a row of the table, and all others are there.
static void a_trial_that_fails_is_a_row(void **state)
{
  write_text(
      *state, "study.yaml",
      "study: 1\nscene: scene.yaml\nvary: {v: {grid: [0, 1], count: 101}}\nderived: {mu: '=0.1/(v - 0.57)^2'}\n");
  run(*state, "sweep study.yaml -o out.csv -q", 0);
  char *table = read_text(scratch_path(*state, "out.csv"));
  assert_non_null(strstr(table, "\n57,"));
  assert_non_null(strstr(table, "failed: 'mu' of trial 57: division by zero"));
  int rows = 0;
  for (const char *c = table; *c; ++c) rows += *c == '\n';
  assert_int_equal(rows, 102);
  free(table);
}

// ---- going on ------------------------------------------------------------------------------------------------------

static void what_has_changed_is_refused_with_its_key(void **state)
{
  char changed[sizeof study + 32];
  run(*state, "sweep study.yaml -o out.h5 -q", 0);
  char *other = read_text(scratch_path(*state, "scene.yaml")), *mass = strstr(other, "mass: 1");
  mass[6] = '2';
  write_text(*state, "scene.yaml", other);
  free(other);
  command_assert_refused(*state, TOUCHSTONE_COMMAND, "sweep study.yaml -o out.h5",
                         "'scene.bodies.ball$i.mass' has changed since the study began: it was '1' and is '2'");
  command_assert_refused(*state, TOUCHSTONE_COMMAND, "sweep study.yaml -o out.h5 --extend", "ball$i.mass");
  write_text(*state, "scene.yaml", scene);
  snprintf(changed, sizeof changed, "%sseed: 7\n", study);
  write_text(*state, "study.yaml", changed);
  command_assert_refused(*state, TOUCHSTONE_COMMAND, "sweep study.yaml -o out.h5", "'seed' has changed");
  run(*state, "sweep study.yaml -o out.h5 -q --fresh", 0);
}

static void more_samples_are_added_where_asked_for(void **state)
{
  char more[sizeof study + 32];
  run(*state, "sweep study.yaml -o out.csv -q", 0);
  snprintf(more, sizeof more, "%.*s40\n", (int)(strstr(study, "30") - study), study);
  write_text(*state, "study.yaml", more);
  command_assert_refused(*state, TOUCHSTONE_COMMAND, "sweep study.yaml -o out.csv", "'samples' has changed");
  command_result *result = calloc(1, sizeof *result);
  command_run(*state, TOUCHSTONE_COMMAND, "sweep study.yaml -o out.csv --extend --json", result);
  assert_int_equal(result->status, 0);
  assert_non_null(strstr(result->out, "\"done_now\": 100"));
  free(result);
  run(*state, "sweep study.yaml -o anew.csv -q", 0);
  assert_same_tables(*state, "out.csv", "anew.csv");
}

static void pieces_make_the_same_table(void **state)
{
  run(*state, "sweep study.yaml -o whole.csv -q -n 1", 0);
  run(*state, "sweep study.yaml -o pieces.csv -q -n 2 --limit 37", 1);
  run(*state, "sweep study.yaml -o pieces.csv -q -n 1 --limit 101", 1);
  run(*state, "sweep study.yaml -o pieces.csv -q -n 2", 0);
  assert_same_tables(*state, "whole.csv", "pieces.csv");
  run(*state, "sweep study.yaml -o workers.csv -q -n 1 --worker 2/3", 0);
  run(*state, "sweep study.yaml -o workers.csv -q --pack", 0);
  assert_same_tables(*state, "whole.csv", "workers.csv");
}

// Killed again and again, until it is done.
static void a_sweep_that_is_killed_goes_on(void **state)
{
  scratch_folder *folder = *state;
  run(folder, "sweep study.yaml -o whole.csv -q", 0);
  char *paths[2] = {strdup(scratch_path(folder, "study.yaml")), strdup(scratch_path(folder, "killed.csv"))};
  int status = -1, killed = 0;
  for (int kills = 0; kills < 20; ++kills) {
    const pid_t child = fork();
    if (child == 0) {
      execl(TOUCHSTONE_COMMAND, "touchstone", "sweep", paths[0], "-o", paths[1], "-q", "-n", "2", (char *)NULL);
      _exit(127);
    }
    nanosleep(&(struct timespec){.tv_nsec = 5000000L + 4000000L * kills}, NULL);
    kill(child, SIGKILL);
    waitpid(child, &status, 0);
    killed += WIFSIGNALED(status);
  }
  assert_true(killed > 0);
  run(folder, "sweep study.yaml -o killed.csv -q", 0);
  assert_same_tables(folder, "whole.csv", "killed.csv");
  free(paths[0]);
  free(paths[1]);
}

// A worker for which nothing is left has done its part.
static void workers_that_leave_others_at_work_succeed(void **state)
{
  scratch_folder *folder = *state;
  char *paths[2] = {strdup(scratch_path(folder, "study.yaml")), strdup(scratch_path(folder, "workers.csv"))};
  static const char *const parts[] = {"1/3", "2/3", "3/3"};
  pid_t children[3];
  int status;
  for (int i = 0; i < 3; ++i) {
    children[i] = fork();
    if (children[i] != 0) continue;
    execl(TOUCHSTONE_COMMAND, "touchstone", "sweep", paths[0], "-o", paths[1], "-q", "-n", "1", "-w", parts[i],
          (char *)NULL);
    _exit(127);
  }
  for (int i = 0; i < 3; ++i) {
    assert_int_equal(waitpid(children[i], &status, 0), children[i]);
    assert_true(WIFEXITED(status) && WEXITSTATUS(status) == 0);
  }
  run(folder, "sweep study.yaml -o whole.csv -q", 0);
  assert_same_tables(folder, "whole.csv", "workers.csv");
  free(paths[0]);
  free(paths[1]);
}

static void what_runs_nothing_takes_no_options_of_running(void **state)
{
  command_assert_refused(*state, TOUCHSTONE_COMMAND, "sweep study.yaml -o out.csv --pack --fresh", "takes no --fresh");
  command_assert_refused(*state, TOUCHSTONE_COMMAND, "sweep study.yaml --summary --limit 3", "takes no --limit");
  command_assert_refused(*state, TOUCHSTONE_COMMAND, "sweep study.yaml -o out.csv --pack",
                         "nothing of it has been run");
  assert_int_not_equal(access(scratch_path(*state, "out.csv.work"), F_OK), 0);
}

// ---- MPI -----------------------------------------------------------------------------------------------------------

static bool has_mpi(scratch_folder *folder)
{
  command_result *result = calloc(1, sizeof *result);
  command_run(folder, "sh", "-c 'command -v mpirun'", result);
  const bool found = result->status == 0;
  free(result);
  return found;
}

static const char as_root[] = "OMPI_ALLOW_RUN_AS_ROOT=1 OMPI_ALLOW_RUN_AS_ROOT_CONFIRM=1 ASAN_OPTIONS=detect_leaks=0";

static void ranks_make_the_same_table(void **state)
{
  if (!has_mpi(*state)) skip();
  run(*state, "sweep study.yaml -o whole.csv -q -n 1", 0);
  for (int ranks = 2; ranks <= 4; ranks += 2) {
    char arguments[256], output[32];
    snprintf(output, sizeof output, "ranks%d.csv", ranks);
    snprintf(arguments, sizeof arguments, "--oversubscribe -n %d " TOUCHSTONE_COMMAND " sweep study.yaml -o %s -q",
             ranks, output);
    command_result *result = calloc(1, sizeof *result);
    command_run_in(*state, as_root, "mpirun", arguments, result);
    if (result->status != 0) fail_msg("%d ranks: %s", ranks, result->err);
    free(result);
    assert_same_tables(*state, "whole.csv", output);
  }
}

// What is said of a job is of all its ranks, and a limit is for all of them together.
static void ranks_are_counted_together(void **state)
{
  static const int limits[] = {0, 5};
  if (!has_mpi(*state)) skip();
  for (int k = 0; k < 2; ++k) {
    char arguments[256];
    snprintf(arguments, sizeof arguments,
             "--oversubscribe -n 3 " TOUCHSTONE_COMMAND " sweep study.yaml -o count%d.csv --json --limit %d", k,
             limits[k]);
    command_result *result = calloc(1, sizeof *result);
    command_run_in(*state, as_root, "mpirun", arguments, result);
    const char *done = json_member(result->out, "done_now");
    assert_non_null(done);
    assert_int_equal(atoi(done), k == 0 ? 300 : 5);
    free(result);
  }
}

// How many trials a sweep that goes on had to run, by what --json says.
static int trials_left(scratch_folder *folder, const char *arguments)
{
  command_result *result = calloc(1, sizeof *result);
  command_run_well(folder, TOUCHSTONE_COMMAND, arguments, result);
  const char *member = json_member(result->out, "done_now");
  assert_non_null(member);
  const int left = atoi(member);
  free(result);
  return left;
}

static int row_count(const char *path)
{
  int rows = -1; // the first line has names
  char *table = read_text(path);
  for (const char *c = table; *c; ++c) rows += *c == '\n';
  free(table);
  return rows;
}

// Two ranks, of which the second is asked to end as soon as there is a journal. How many rows there are then.
static int rows_of_an_ended_rank(scratch_folder *folder, const char *output)
{
  char script[512], pack[64];
  snprintf(script, sizeof script,
           "if [ \"$OMPI_COMM_WORLD_RANK\" = 1 ]; then\n"
           "  (until ls %s.work/*.journal > /dev/null 2>&1; do sleep 0.01; done; kill -TERM $$) &\n"
           "fi\n"
           "exec " TOUCHSTONE_COMMAND " sweep study.yaml -o %s -q\n",
           output, output);
  write_text(folder, "rank.sh", script);
  command_result *result = calloc(1, sizeof *result);
  command_run_in(folder, as_root, "mpirun", "--oversubscribe -n 2 sh rank.sh", result);
  snprintf(pack, sizeof pack, "sweep study.yaml -o %s -q --pack", output);
  run(folder, pack, result->status == 0 ? 0 : 1);
  free(result);
  return row_count(scratch_path(folder, output));
}

// What it has finished is there, and what is left is run later. (On a busy machine all may be done before the signal
// comes: then it is tried again.)
static void a_rank_that_is_ended_loses_nothing(void **state)
{
  enum { TRIALS = 5000, TRIES = 5 };
  char output[32], arguments[64];
  int rows = TRIALS;
  if (!has_mpi(*state)) skip();
  write_text(*state, "study.yaml",
             "study: 1\nscene: scene.yaml\nvary: {v: {grid: [0, 2], count: 10}, mu: {uniform: [0.1, 0.9]}}\n"
             "samples: 500\n");
  for (int k = 0; k < TRIES && rows == TRIALS; ++k) {
    snprintf(output, sizeof output, "ranks%d.csv", k);
    rows = rows_of_an_ended_rank(*state, output);
  }
  assert_true(rows < TRIALS);
  snprintf(arguments, sizeof arguments, "sweep study.yaml -o %s --json", output);
  assert_int_equal(trials_left(*state, arguments), TRIALS - rows);
  run(*state, "sweep study.yaml -o whole.csv -q -n 1", 0);
  assert_same_tables(*state, "whole.csv", output);
}

// ---- single trials -------------------------------------------------------------------------------------------------

static double result_of_run(scratch_folder *folder, const char *arguments, const char *name)
{
  command_result *result = calloc(1, sizeof *result);
  command_run_well(folder, TOUCHSTONE_COMMAND, arguments, result);
  const char *results = json_member(result->out, "results"), *member = results ? json_member(results, name) : NULL;
  assert_non_null(member);
  const double value = strtod(member, NULL);
  free(result);
  return value;
}

// The row of a trial, and the run of it, have the same bits.
static void run_repeats_a_trial(void **state)
{
  run(*state, "sweep study.yaml -o out.csv -q", 0);
  char *table = read_text(scratch_path(*state, "out.csv"));
  for (int trial = 3; trial < 300; trial += 99) {
    char mark[32], arguments[64];
    double v, mu, top, x;
    snprintf(mark, sizeof mark, "\n%d,", trial);
    snprintf(arguments, sizeof arguments, "run study.yaml --trial %d --json", trial);
    assert_int_equal(sscanf(strstr(table, mark) + strlen(mark), "%lf,%lf,%lf,%lf", &v, &mu, &top, &x), 4);
    assert_true(result_of_run(*state, arguments, "top") == top);
    assert_true(result_of_run(*state, arguments, "x") == x);
    assert_true(fabs(top - 0.1 - v * v / (2 * 9.81)) < 0.011 * v + 1e-9); // to first order in the step
  }
  free(table);
  command_assert_refused(*state, TOUCHSTONE_COMMAND, "run study.yaml --trial 300", "there is no trial 300");
}

static void records_of_trials_are_kept(void **state)
{
  run(*state, "sweep study.yaml -o out.csv -q --keep 2", 0);
  assert_int_equal(access(scratch_path(*state, "out.csv.records/trial_0.h5"), F_OK), 0);
  assert_int_equal(access(scratch_path(*state, "out.csv.records/trial_1.h5"), F_OK), 0);
  assert_int_not_equal(access(scratch_path(*state, "out.csv.records/trial_2.h5"), F_OK), 0);
  command_assert_refused(*state, TOUCHSTONE_COMMAND, "sweep study.yaml -o out.csv --keep some", "--keep takes 'all'");
}

// Records are of the rows that the table has: not of what has been tried again with success, nor of another study.
static void records_go_with_their_rows(void **state)
{
  static const char box[] =
      "touchstone: 1\nparameters: {v: 1}\ncontact: {friction: 0.5}\n"
      "bodies:\n"
      "  - {name: floor, kind: fixed, shape: {plane: {normal: [0, 0, 1]}}}\n"
      "  - {name: box, mass: 1, shape: {box: {size: [1, 1, 1]}}, position: [0, 0, 0.5], velocity: [=v, 0, 0]}\n"
      "step: {size: 1e-2}\nduration: 0.05\nresults: {x: box.x}\n";
  static const char weak[] = "study: 1\nscene: scene.yaml\nvary: {v: [2, 1]}\n"
                             "set: [step.solver=nsgs, step.max_iterations=1, step.max_substeps=1]\n";
  char strong[sizeof weak + 80];
  char *record = strdup(scratch_path(*state, "out.csv.records/trial_0.h5"));
  write_text(*state, "scene.yaml", box);
  write_text(*state, "study.yaml", weak);
  run(*state, "sweep study.yaml -o out.csv -q --keep failed", 0);
  assert_int_equal(access(record, F_OK), 0);
  snprintf(strong, sizeof strong, "%sretry: [{set: [solver=auto, max_iterations=0]}]\n", weak);
  write_text(*state, "study.yaml", strong);
  run(*state, "sweep study.yaml -o out.csv -q --retry failed", 0);
  assert_int_not_equal(access(record, F_OK), 0);
  run(*state, "sweep study.yaml -o out.csv -q --keep failed", 0);
  assert_int_not_equal(access(record, F_OK), 0);
  run(*state, "sweep study.yaml -o out.csv -q --keep all", 0);
  assert_int_equal(access(record, F_OK), 0);
  run(*state, "sweep study.yaml -o out.csv -q --fresh", 0);
  assert_int_not_equal(access(record, F_OK), 0);
  free(record);
}

// ---- efforts -------------------------------------------------------------------------------------------------------

static void limits_and_retries_are_told(void **state)
{
  write_text(*state, "study.yaml",
             "study: 1\nscene: scene.yaml\nvary: {mu: [0.1, 2]}\nderived: {v: =10*mu}\nlimits: {steps: 5}\nretry: "
             "[{step: 0.5}, {set: "
             "[solver=nsgs]}]\n");
  run(*state, "sweep study.yaml -o out.csv -q", 0);
  char *table = read_text(scratch_path(*state, "out.csv"));
  assert_non_null(strstr(table, "limit of steps"));
  assert_non_null(strstr(table, "failed: the parameter 'v' is 20, outside its range from 0 to 10"));
  command_result *result = calloc(1, sizeof *result);
  command_run_well(*state, TOUCHSTONE_COMMAND, "run study.yaml --trial 0 --json", result);
  assert_non_null(strstr(result->out, "\"complete\": false"));
  assert_non_null(strstr(result->out, "\"stopped_on\": \"limit of steps\""));
  free(result);
  const char *failed = strstr(table, "\n1,2,20,");
  assert_non_null(failed);
  assert_true(strstr(failed, ",2\n") != NULL); // the third attempt was the last
  free(table);
}

// More than 1e9 steps of the first trial are a mistake of the scene, which is told before anything runs.
static void endless_sweeps_are_refused(void **state)
{
  static const char refused[] = "study.yaml: a duration of 1e+09 s takes 1e+11 steps of 0.01 s, more than 1e9; --yes";
  write_text(*state, "study.yaml", "study: 1\nscene: scene.yaml\nvary: {mu: [0.1]}\nset: [duration=1e9]\n");
  command_assert_refused(*state, TOUCHSTONE_COMMAND, "sweep study.yaml -o out.csv -q", refused);
  assert_int_not_equal(access(scratch_path(*state, "out.csv"), F_OK), 0);
  assert_int_not_equal(access(scratch_path(*state, "out.csv.work"), F_OK), 0);
  run(*state, "sweep study.yaml -o out.csv -q --yes --set 'stop=[{when: t > 0.055}]'", 0);
  char *table = read_text(scratch_path(*state, "out.csv"));
  assert_non_null(strstr(table, "t > 0.055"));
  free(table);
  write_text(*state, "study.yaml",
             "study: 1\nscene: scene.yaml\nvary: {mu: [0.1]}\nset: [duration=1e9]\nlimits: {steps: 3}\n");
  run(*state, "sweep study.yaml -o out.csv -q --fresh", 0);
  table = read_text(scratch_path(*state, "out.csv"));
  assert_non_null(strstr(table, "limit of steps"));
  free(table);
}

// What later trials vary is found when they run, and their rows say so.
static void endless_trials_fail(void **state)
{
  write_text(*state, "study.yaml",
             "study: 1\nscene: scene.yaml\nvary: {mu: [0.1, 1e9]}\nset: [duration==mu, contact.friction=0.3]\n");
  run(*state, "sweep study.yaml -o out.csv -q", 0);
  char *table = read_text(scratch_path(*state, "out.csv"));
  assert_non_null(strstr(table, "failed: a duration of 1e+09 s takes 1e+11 steps of 0.01 s"));
  assert_non_null(strstr(table, "finished"));
  free(table);
}

static void check_warns_of_endless_studies(void **state)
{
  command_result *result = calloc(1, sizeof *result);
  write_text(*state, "study.yaml", "study: 1\nscene: scene.yaml\nvary: {mu: [0.1]}\nset: [duration=1e9]\n");
  command_run(*state, TOUCHSTONE_COMMAND, "check study.yaml", result);
  assert_int_equal(result->status, 0);
  assert_non_null(strstr(result->err, "warning: the first trial: a duration of 1e+09 s takes 1e+11 steps"));
  assert_non_null(strstr(result->err, "'sweep' needs --yes"));
  command_run(*state, TOUCHSTONE_COMMAND, "check study.yaml --set duration=1", result);
  assert_null(strstr(result->err, "warning"));
  free(result);
}

// ---- verify --------------------------------------------------------------------------------------------------------

// A number of a level in what --json prints.
static double level_number(const char *json, const char *level, const char *key)
{
  char name[64], member[64];
  snprintf(name, sizeof name, "\"name\": \"%s\"", level);
  snprintf(member, sizeof member, "\"%s\": ", key);
  const char *begin = strstr(json, name), *found = begin ? strstr(begin, member) : NULL;
  assert_non_null(found);
  return strtod(found + strlen(member), NULL);
}

// The level whose runs never end is named before any level runs.
static void endless_levels_are_refused(void **state)
{
  command_result *result = calloc(1, sizeof *result);
  write_text(
      *state, "verify.yaml",
      "verify: 1\nscene: scene.yaml\ndesigns: {vary: {v: [1, 2]}}\n"
      "set: ['results.high={final: top > 0.1}', 'stop=[{when: t > 0.055}]']\nlevels:\n  - {name: slow, when: v < 3}\n"
      "  - {name: coarse, success: high}\n  - {name: fine, success: high, set: [duration=1e9]}\n");
  command_assert_refused(*state, TOUCHSTONE_COMMAND, "verify verify.yaml -o out.csv -q",
                         "verify.yaml: level 'fine': a duration of 1e+09 s takes 1e+11 steps of 0.01 s, more than 1e9; "
                         "--yes takes them");
  assert_int_not_equal(access(scratch_path(*state, "out.coarse.csv"), F_OK), 0);
  command_run(*state, TOUCHSTONE_COMMAND, "check verify.yaml", result);
  assert_int_equal(result->status, 0);
  assert_non_null(strstr(result->err, "warning: level 'fine': a duration of 1e+09 s takes 1e+11 steps"));
  command_run_well(*state, TOUCHSTONE_COMMAND, "verify verify.yaml -o out.csv --json --yes", result);
  assert_true(level_number(result->out, "fine", "passed") == 2.0);
  assert_true(level_number(result->out, "fine", "broken") == 0.0);
  free(result);
}

static void levels_sort_designs_out(void **state)
{
  write_text(*state, "verify.yaml",
             "verify: 1\nscene: scene.yaml\ndesigns: {vary: {v: {grid: [0, 3], count: 31}}}\n"
             "uncertain: {vary: {mu: [0.1, 0.5]}}\nset: ['results.high={final: top > 0.2}']\n"
             "levels:\n  - {name: slow, when: v < 2.05}\n  - {name: coarse, success: high, stop_after: 1}\n"
             "  - {name: fine, success: high, set: [step.size=5e-3]}\nnaive: 4\n");
  command_result *result = calloc(1, sizeof *result);
  command_run_well(*state, TOUCHSTONE_COMMAND, "verify verify.yaml -o out.h5 --json", result);
  assert_true(level_number(result->out, "slow", "passed") == 21.0);
  // v^2/(2 g) > 0.1 from v = 1.4007 on; a step of 10 ms is less than half a centimetre short of it
  const double coarse = level_number(result->out, "coarse", "passed");
  assert_true(coarse >= 6.0 && coarse <= 7.0);
  assert_true(level_number(result->out, "coarse", "runs") == (21.0 - coarse) + 2.0 * coarse);
  assert_true(level_number(result->out, "fine", "sampled") == 4.0);
  assert_true(level_number(result->out, "fine", "naive_seconds") > 0.0);
  free(result);
  assert_int_equal(access(scratch_path(*state, "out.coarse.h5"), F_OK), 0);
}

// Rows of a level are of what it asked for, and of all that is uncertain.
static void levels_that_have_changed_are_refused(void **state)
{
  static const char begin[] = "verify: 1\nscene: scene.yaml\ndesigns: {vary: {v: [1, 2]}}\n";
  static const struct {
    const char *lines, *words;
  } changes[] = {
      {"uncertain: {vary: {mu: {uniform: [0.1, 0.2]}}, samples: 3}\nlevels: [{name: a, success: top}]\n", "'success'"},
      {"uncertain: {vary: {mu: {uniform: [0.1, 0.2]}}, samples: 4}\nlevels: [{name: a, success: x}]\n",
       "'uncertain.samples' has changed"},
      {"uncertain: {vary: {mu: {uniform: [0.1, 0.3]}}, samples: 3}\nlevels: [{name: a, success: x}]\n",
       "it was 'uniform from 0.10000000000000001 to 0.20000000000000001'"}};
  char text[512];
  snprintf(text, sizeof text,
           "%suncertain: {vary: {mu: {uniform: [0.1, 0.2]}}, samples: 3}\nlevels: [{name: a, success: x}]\n", begin);
  write_text(*state, "verify.yaml", text);
  run(*state, "verify verify.yaml -o out.csv -q", 0);
  for (size_t i = 0; i < sizeof changes / sizeof changes[0]; ++i) {
    snprintf(text, sizeof text, "%s%s", begin, changes[i].lines);
    write_text(*state, "verify.yaml", text);
    command_assert_refused(*state, TOUCHSTONE_COMMAND, "verify verify.yaml -o out.csv -q", changes[i].words);
  }
}

// A design without numbers passes nothing, and one that the scene refuses is told; names of levels are free.
static void designs_that_cannot_be_run_pass_nothing(void **state)
{
  command_result *result = calloc(1, sizeof *result);
  write_text(*state, "verify.yaml",
             "verify: 1\nscene: scene.yaml\ndesigns: {vary: {mu: [1, 20, 3]}, derived: {v: =mu, q: =1/(mu - 3)}}\n"
             "levels: [{name: naive-a, success: top}, {name: a, success: top}]\nnaive: 2\n");
  command_run(*state, TOUCHSTONE_COMMAND, "verify verify.yaml -o out.csv --json", result);
  assert_int_equal(result->status, 0);
  assert_true(level_number(result->out, "naive-a", "designs") == 3.0);
  assert_true(level_number(result->out, "naive-a", "passed") == 1.0);
  assert_true(level_number(result->out, "naive-a", "broken") == 1.0);
  assert_true(level_number(result->out, "a", "passed") == 1.0);
  assert_non_null(
      strstr(result->err, "at level 'naive-a' 1 of 2 runs broke off, first of design 1: the parameter 'v' is 20"));
  free(result);
  char *table = read_text(scratch_path(*state, "out.naive-a.csv"));
  assert_non_null(strstr(table, "failed: the parameter 'v' is 20"));
  free(table);
}

static void bad_verifications_get_one_sentence(void **state)
{
  static const struct {
    const char *lines, *words;
  } cases[] = {
      {"designs: {vary: {v: [1]}}\nlevels: [{name: a, when: w > 1}]\n", "verify.yaml:3:26: there is no 'w'"},
      {"designs: {vary: {v: [1]}}\nlevels: [{name: a}]\n", "the level needs a 'scene'"},
      {"designs: {vary: {v: [1]}}\nlevels: [{name: a/b, when: v}]\n", "a level is called by letters"},
      {"designs: {vary: {v: [1]}}\nlevels: [{name: a, when: v}, {name: a, when: v}]\n", "there is already a level 'a'"},
      {"designs: {vary: {v: [1]}}\nscene: scene.yaml\nlevels: [{name: a, success: no}]\n",
       "the scene has no result 'no'"},
      {"designs: {vary: {u: [1]}}\nscene: scene.yaml\nlevels: [{name: a, success: top}]\n", "no parameter 'u'"},
      {"designs: {vary: {u: [1]}}\nscene: scene.yaml\nlevels: [{name: a, when: v > 1}]\n", "no parameter 'u'"},
      {"designs: {vary: {v: [1]}}\nuncertain: {vary: {mu: [1], v: [2]}}\nlevels: [{name: a, when: 1}]\n",
       "verify.yaml:3:29: 'v' is varied twice: by 'designs', and by 'uncertain'"},
      {"designs: {vary: {v: [1], share: [1]}}\nlevels: [{name: a, when: 1}]\n",
       "verify.yaml:2:26: no parameter of designs can be called 'share': every level's table has such a column"},
      {"designs: {derived: {design: 1}}\nlevels: [{name: a, when: 1}]\n", "can be called 'design'"},
      {"designs: {derived: {steps: 1}}\nlevels: [{name: a, when: 1}]\n", "can be called 'steps'"},
      {"designs: {vary: {v: [11]}}\nscene: scene.yaml\nlevels: [{name: a, success: top}]\n",
       "verify.yaml:2:22: the parameter 'v' would be 11"},
      {"designs: {vary: {v: [1]}}\nuncertain: {vary: {mu: [1]}}\nscene: scene.yaml\n"
       "levels: [{name: a, success: top, set: [step.size=1e-2, mu=1]}]\n",
       "verify.yaml:5:56: 'mu' is varied, so that it cannot be set"},
      {"designs: {vary: {v: [1]}}\nlevels: [{name: a, scene: none.yaml}]\n",
       "verify.yaml:3:27: the scene 'none.yaml': the file cannot be read: No such file"},
      {"levels: [{name: a, when: 1}]\n", "a verification needs 'designs'"}};
  for (size_t i = 0; i < sizeof cases / sizeof cases[0]; ++i) {
    char text[512];
    snprintf(text, sizeof text, "verify: 1\n%s", cases[i].lines);
    write_text(*state, "verify.yaml", text);
    command_assert_refused(*state, TOUCHSTONE_COMMAND, "verify verify.yaml -o out.h5", cases[i].words);
  }
}

// ---- the right verb ------------------------------------------------------------------------------------------------

static const char verification[] = "verify: 1\nscene: scene.yaml\ndesigns: {vary: {v: {grid: [0, 3], count: 4}}}\n"
                                   "uncertain: {vary: {mu: [0.1, 0.5]}}\n"
                                   "levels: [{name: slow, when: v < 2}, {name: fine, success: top}]\n";

static void other_documents_are_told_their_verb(void **state)
{
  static const char to_sweep[] = "study.yaml: this is a study: 'touchstone sweep' runs it";
  static const char to_run[] = "scene.yaml: this is a scene: 'touchstone run' runs it";
  static const char to_verify[] = "verify.yaml: this is a verification: 'touchstone verify' runs it";
  write_text(*state, "verify.yaml", verification);
  command_assert_refused(*state, TOUCHSTONE_COMMAND, "run study.yaml", to_sweep);
  command_assert_refused(*state, TOUCHSTONE_COMMAND, "verify study.yaml", to_sweep);
  command_assert_refused(*state, TOUCHSTONE_COMMAND, "draw study.yaml", to_sweep);
  command_assert_refused(*state, TOUCHSTONE_COMMAND, "sweep scene.yaml", to_run);
  command_assert_refused(*state, TOUCHSTONE_COMMAND, "verify scene.yaml", to_run);
  command_assert_refused(*state, TOUCHSTONE_COMMAND, "run scene.yaml --trial 3", to_run);
  command_assert_refused(*state, TOUCHSTONE_COMMAND, "run verify.yaml", to_verify);
  command_assert_refused(*state, TOUCHSTONE_COMMAND, "sweep verify.yaml", to_verify);
}

static void bad_arguments_are_told(void **state)
{
  static const char words[] = "--jobs must be a number of threads, or 0: one a core, not -1";
  command_assert_refused(*state, TOUCHSTONE_COMMAND, "sweep study.yaml -o out.h5 --jobs=-1", words);
  command_assert_refused(*state, TOUCHSTONE_COMMAND, "verify verify.yaml -o out.h5 --jobs=-1", words);
  command_assert_refused(*state, TOUCHSTONE_COMMAND, "convert nope.h5 out.csv",
                         "nope.h5: the file cannot be read: No such");
}

static void assert_said(const command_result *result, const char *words)
{
  if (!strstr(result->out, words)) fail_msg("'%s' is not in '%s'", words, result->out);
}

static void studies_are_checked_without_a_run(void **state)
{
  command_result *result = calloc(1, sizeof *result);
  write_text(*state, "study.yaml",
             "study: 1\nname: throws\nscene: scene.yaml\nvary: {v: {grid: [0, 2], count: 5}}\n"
             "derived: {w: =1/v}\nsamples: 3\nresults: [top]\n");
  command_run_well(*state, TOUCHSTONE_COMMAND, "check study.yaml", result);
  assert_said(result, "study.yaml: throws\nscene: scene.yaml\ntrials: 15, 3 at each of 5 points of a grid\n");
  assert_said(result, "parameter  unit  least  largest  first  second  third\n");
  assert_said(result, "v          m/s     0.5        2      -     0.5      1\n");
  assert_said(result, "trials that cannot be computed: 3 ('w' of trial 0: division by zero)\n");
  assert_said(result, "results: top [m]\n");
  command_run_well(*state, TOUCHSTONE_COMMAND, "check study.yaml --json", result);
  assert_true(json_is_valid(result->out));
  assert_int_equal(atoi(json_member(result->out, "trials")), 15);
  command_assert_refused(*state, TOUCHSTONE_COMMAND, "check study.yaml --set v=1", "'v' is varied");
  write_text(*state, "verify.yaml", verification);
  command_run_well(*state, TOUCHSTONE_COMMAND, "check verify.yaml", result);
  assert_said(result, "designs: 4, runs of each at a level: 2\nlevels: slow, fine\n");
  assert_said(result, "v                    0        3      0       1      2\n");
  command_run_well(*state, TOUCHSTONE_COMMAND, "check verify.yaml --json", result);
  assert_true(json_is_valid(result->out));
  assert_int_equal(atoi(json_member(result->out, "designs")), 4);
  free(result);
}

#define IN_FOLDER(test) cmocka_unit_test_setup_teardown(test, set_up, scratch_folder_tear_down)

int main(void)
{
  const struct CMUnitTest tests[] = {
      IN_FOLDER(bad_studies_get_one_sentence_with_its_place),
      IN_FOLDER(bad_tables_get_their_line),
      IN_FOLDER(tables_may_come_from_spreadsheets),
      IN_FOLDER(mistakes_of_scenes_name_their_file),
      IN_FOLDER(values_that_vary_cannot_be_set),
      IN_FOLDER(a_trial_that_fails_is_a_row),
      IN_FOLDER(what_has_changed_is_refused_with_its_key),
      IN_FOLDER(more_samples_are_added_where_asked_for),
      IN_FOLDER(pieces_make_the_same_table),
      IN_FOLDER(a_sweep_that_is_killed_goes_on),
      IN_FOLDER(workers_that_leave_others_at_work_succeed),
      IN_FOLDER(what_runs_nothing_takes_no_options_of_running),
      IN_FOLDER(ranks_make_the_same_table),
      IN_FOLDER(ranks_are_counted_together),
      IN_FOLDER(a_rank_that_is_ended_loses_nothing),
      IN_FOLDER(run_repeats_a_trial),
      IN_FOLDER(records_of_trials_are_kept),
      IN_FOLDER(records_go_with_their_rows),
      IN_FOLDER(limits_and_retries_are_told),
      IN_FOLDER(endless_trials_fail),
      IN_FOLDER(endless_sweeps_are_refused),
      IN_FOLDER(check_warns_of_endless_studies),
      IN_FOLDER(endless_levels_are_refused),
      IN_FOLDER(levels_sort_designs_out),
      IN_FOLDER(levels_that_have_changed_are_refused),
      IN_FOLDER(designs_that_cannot_be_run_pass_nothing),
      IN_FOLDER(bad_verifications_get_one_sentence),
      IN_FOLDER(other_documents_are_told_their_verb),
      IN_FOLDER(studies_are_checked_without_a_run),
      IN_FOLDER(bad_arguments_are_told),
  };
  return cmocka_run_group_tests(tests, NULL, NULL);
}
