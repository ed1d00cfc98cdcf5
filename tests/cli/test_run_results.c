// touchstone run of scenes that have parameters, conditions and results: what is printed and recorded, and that
// interruptions change nothing of it.
#include "command.h"
#include "json.h"
#include "whole_file.h"

#include "touchstone/record.h"
#include "touchstone/scene.h"

#include <math.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>
#include <cmocka.h>

// Bounces until it has gone 0.3 m.
static const char scene[] =
    "touchstone: 1\n"
    "name: hop\n"
    "parameters: {e: {value: 0.8, range: [0, 1]}, v: {value: 0.5, unit: m/s}, twice: =2*v}\n"
    "contact: {restitution: =e, friction: 0}\n"
    "bodies:\n"
    "  - {name: floor, kind: fixed, shape: {plane: {normal: [0, 0, 1]}}}\n"
    "  - {name: ball, shape: {sphere: {radius: 0.1}}, position: [0, 0, 0.3], velocity: [=v, 0, 0]}\n"
    "step: {size: 1e-3}\n"
    "duration: 1\n"
    "stop: [{name: far, when: ball.x > 0.3, for: 0.01}]\n"
    "results:\n"
    "  high: {max: ball.z, from: 0.2505, unit: m}\n"
    "  mean: {mean: ball.z, last: 0.1234, unit: m}\n"
    "  hops: {count: 'contacts(ball, floor).pn > 0'}\n"
    "  never: {time: ball.z > 5, unit: s}\n"
    "  way: ball.x*twice\n";

static int set_up(void **state)
{
  if (scratch_folder_set_up(state) != 0) return -1;
  scratch_write(scratch_path(*state, "scene.yaml"), scene, sizeof scene - 1);
  return 0;
}

static command_result result; // large

static const char *run(scratch_folder *folder, const char *arguments, int status)
{
  command_run(folder, TOUCHSTONE_COMMAND, arguments, &result);
  if (result.status != status) fail_msg("'%s': status %d, said '%s'", arguments, result.status, result.err);
  return result.out;
}

// A number in an object of the outermost object.
static double number_in(const char *text, const char *object, const char *key)
{
  assert_true(json_is_valid(text));
  const char *inside = json_member(text, object), *value = inside ? json_member(inside, key) : NULL;
  if (!value) fail_msg("there is no '%s' in '%s'", key, object);
  return strtod(value, NULL);
}

static void results_are_printed(void **state)
{
  const char *out = run(*state, "run scene.yaml", 0);
  assert_non_null(strstr(out, "stopped on          far\n"));
  const char *heading = strstr(out, "\nresults:\n");
  assert_non_null(heading);
  assert_non_null(strstr(heading, "\n  hops                2\n"));
  assert_non_null(strstr(heading, "\n  never               none\n"));
  assert_non_null(strstr(heading, " m\n"));
  assert_null(strstr(heading, "memory")); // they come last
  assert_null(strstr(run(*state, "run scene.yaml --set 'results={}'", 0), "results:"));
  out = run(*state, "run scene.yaml --set 'results={steps: 7, a_name_of_many_letters: 8}'", 0);
  assert_non_null(strstr(out, "\nresults:\n  steps               7\n  a_name_of_many_letters 8\n"));
  out = run(*state, "run scene.yaml --json", 0);
  assert_true(fabs(number_in(out, "results", "way") - 0.305) < 1e-3);
  assert_true(number_in(out, "parameters", "e") == 0.8 && number_in(out, "parameters", "twice") == 1.0);
  assert_non_null(strstr(out, "\"never\": null"));
  assert_non_null(strstr(out, "\"complete\": true"));
  out = run(*state,
            "run scene.yaml --json --set \"results={far: {min: 'contacts(ball, floor).gap', to: 0.01}, "
            "farther: '-far'}\"",
            0);
  assert_true(json_is_valid(out));
  assert_non_null(strstr(out, "\"far\": \"inf\""));
  assert_non_null(strstr(out, "\"farther\": \"-inf\""));
}

static void parameters_are_set(void **state)
{
  const char *out = run(*state, "run scene.yaml --json --set v=1 --set twice=3", 0);
  assert_true(fabs(number_in(out, "results", "way") - 0.31 * 3.0) < 1e-2);
  assert_true(number_in(out, "parameters", "v") == 1.0);
  command_assert_refused(*state, TOUCHSTONE_COMMAND, "run scene.yaml --set e=2",
                         "the parameter 'e' is 2, outside its range from 0 to 1");
  command_assert_refused(*state, TOUCHSTONE_COMMAND, "run scene.yaml --set w=2", "there is nothing called 'w'");
}

static void expressions_stop_runs(void **state)
{
  const char *out = run(*state, "run scene.yaml --json --stop-on 'ball.x > 0.1002'", 3);
  assert_non_null(strstr(out, "\"stopped_on\": \"ball.x > 0.1002\""));
  assert_non_null(strstr(out, "\"complete\": false"));
  assert_non_null(strstr(result.err, "stopped on ball.x > 0.1002 at t = 0.201 s"));
  run(*state, "run scene.yaml -q --stop-on 'jam, t > v:0.1s'", 3);
  assert_non_null(strstr(result.err, "t > v for 0.1 s"));
  command_assert_refused(*state, TOUCHSTONE_COMMAND, "run scene.yaml --stop-on 'bal.x > 1'",
                         "--stop-on: there is no body 'bal'; did you mean 'ball'?");
}

static void trouble_ends_the_run_with_a_sentence(void **state)
{
  static const struct {
    const char *arguments, *sentence;
    int states;
  } cases[] = {{"run scene.yaml -q -o part.h5 --set 'results={a: {max: 1/(t - 0.002)}}'", "at t = 0.002 s: ", 3},
               {"run scene.yaml -q -o part.h5 --set 'results={a: {max: 1/t}}'", "at t = 0 s: ", 1},
               {"run scene.yaml -q -d 0.002 -o part.h5 --set 'results={a: 1/(t - 0.002)}'", "at t = 0.002 s: ", 3}};
  for (size_t k = 0; k < sizeof cases / sizeof *cases; ++k) {
    ts_record *record;
    int states;
    run(*state, cases[k].arguments, 1);
    assert_non_null(strstr(result.err, "result 'a' "));
    assert_non_null(strstr(result.err, cases[k].sentence));
    assert_int_equal(ts_record_open(scratch_path(*state, "part.h5"), &record, NULL), TS_OK);
    ts_record_series(record, "t", &states);
    assert_int_equal(states, cases[k].states);
    assert_int_equal(ts_record_result_count(record), 0);
    ts_record_close(record);
  }
  run(*state, "run scene.yaml --set 'results={a: {max: 1/t}}'", 1); // a summary of no step
}

static void records_hold_them(void **state)
{
  static const char *const names[] = {"run.h5", "run.csv"};
  const char *out = run(*state, "run scene.yaml --json", 0);
  const double way = number_in(out, "results", "way"), high = number_in(out, "results", "high");
  for (int f = 0; f < 2; ++f) {
    char arguments[80];
    snprintf(arguments, sizeof arguments, "run scene.yaml -q -o %s", names[f]);
    run(*state, arguments, 0);
    ts_record *record;
    assert_int_equal(ts_record_open(scratch_path(*state, names[f]), &record, NULL), TS_OK);
    assert_int_equal(ts_record_parameter_count(record), 3);
    assert_int_equal(ts_record_result_count(record), 5);
    assert_string_equal(ts_record_parameter(record, 1).name, "v");
    assert_string_equal(ts_record_parameter(record, 1).unit, "m/s");
    assert_true(ts_record_result(record, 0).value == high && ts_record_result(record, 4).value == way);
    assert_true(isnan(ts_record_result(record, 3).value));
    assert_string_equal(ts_record_result(record, 3).unit, "s");
    ts_record_close(record);
  }
  run(*state, "draw run.h5 -o frame.svg", 0);
  run(*state, "run scene.yaml -q -o other.csv --set 'results={}' --set 'parameters={e: 0.8, v: 0.5, twice: 1}'", 0);
}

// The summary without what wall time there was.
static char *lines_of_results(const char *out)
{
  const char *begin = strstr(out, "\nresults:\n");
  assert_non_null(begin);
  char *lines = malloc(strlen(begin) + 1);
  return strcpy(lines, begin);
}

static void interruptions_change_nothing(void **state)
{
  static const char *const first[] = {"run scene.yaml -q -d 0.05 -o part.h5", "run scene.yaml -q -d 0.25 -o part.h5",
                                      "run scene.yaml -q -d 0.605 -o part.h5"};
  char *lines = lines_of_results(run(*state, "run scene.yaml -o whole.h5", 0));
  for (size_t k = 0; k < sizeof first / sizeof *first; ++k) {
    run(*state, first[k], 0);
    char *again = lines_of_results(run(*state, "run scene.yaml --resume part.h5", 0));
    assert_string_equal(again, lines);
    free(again);
    assert_non_null(strstr(result.out, "stopped on          far\n"));
    assert_same_files(scratch_path(*state, "whole.h5"), scratch_path(*state, "part.h5"));
  }
  char *again = lines_of_results(run(*state, "run scene.yaml --resume part.h5", 0)); // it has ended: nothing is added
  assert_string_equal(again, lines);
  assert_same_files(scratch_path(*state, "whole.h5"), scratch_path(*state, "part.h5"));
  free(again);
  free(lines);
}

// Nothing is left to do: what the last step told is in the record.
static void runs_that_ended_yield_the_same_again(void **state)
{
  static const char *const again[] = {"run scene.yaml --json -d 0.25 --resume part.h5 --set \"results={%s}\"",
                                      "run scene.yaml --json -d 0.25 -o part.h5 --set \"results={%s}\""};
  double found[2];
  for (int k = 1; k >= 0; --k) {
    char arguments[200];
    snprintf(arguments, sizeof arguments, again[k],
             "push: 'contacts(ball, floor).count + steps.contacts', height: ball.z + steps.energy");
    const char *out = run(*state, arguments, 0);
    found[k] = number_in(out, "results", "push") + number_in(out, "results", "height");
  }
  assert_true(found[0] == found[1]);
}

// --stop-on asks anew when a run goes on.
static void stopped_runs_go_on(void **state)
{
  run(*state, "run scene.yaml -q -o whole.h5", 0);
  run(*state, "run scene.yaml -q -o part.h5 --stop-on 't > 0.1:5'", 3);
  assert_non_null(strstr(result.err, "at t = 0.105 s; continue with the same command and --resume 'part.h5'"));
  run(*state, "run scene.yaml -q --stop-on 't > 0.1:5' --resume part.h5", 3);
  assert_non_null(strstr(result.err, "at t = 0.11 s"));
  run(*state, "run scene.yaml -q --resume part.h5", 0);
  assert_same_files(scratch_path(*state, "whole.h5"), scratch_path(*state, "part.h5"));
}

// A run without what its watch had gathered, as older versions left it: that is said, and it goes on.
static void older_runs_are_resumed_with_a_word(void **state)
{
  ts_record *record;
  ts_recorder *recorder;
  ts_scene *read;
  ts_sim *sim;
  size_t size;
  ts_error error = {0};
  run(*state, "run scene.yaml -q -d 0.25 -o part.h5", 0);
  const char *path = scratch_path(*state, "part.h5"), *old = scratch_path(*state, "old.h5");
  assert_int_equal(ts_record_open(path, &record, &error), TS_OK);
  assert_int_equal(ts_scene_read(scratch_path(*state, "scene.yaml"), NULL, 0, &read, &error), TS_OK);
  assert_int_equal(ts_sim_create(ts_scene_model(read), ts_scene_options(read), NULL, &sim, &error), TS_OK);
  assert_int_equal(ts_recorder_resume(old, record, sim, ts_scene_text(read), &recorder, &error), TS_OK);
  const double *checkpoint = ts_record_checkpoint(record, &size);
  assert_int_equal(ts_sim_load(sim, checkpoint, size, &error), TS_OK);
  assert_int_equal(ts_recorder_close(recorder, sim, &error), TS_OK);
  ts_record_close(record);
  ts_sim_destroy(sim);
  ts_scene_destroy(read);
  run(*state, "run scene.yaml --resume old.h5", 0);
  assert_non_null(strstr(result.err, "old.h5: it is not recorded what was watched before: results and conditions "
                                     "count from t = 0.25 s on"));
  assert_non_null(strstr(result.out, "stopped on          far\n"));
}

int main(void)
{
#define scratch_test(name) cmocka_unit_test_setup_teardown(name, set_up, scratch_folder_tear_down)
  const struct CMUnitTest tests[] = {
      scratch_test(results_are_printed),
      scratch_test(parameters_are_set),
      scratch_test(expressions_stop_runs),
      scratch_test(trouble_ends_the_run_with_a_sentence),
      scratch_test(records_hold_them),
      scratch_test(interruptions_change_nothing),
      scratch_test(runs_that_ended_yield_the_same_again),
      scratch_test(stopped_runs_go_on),
      scratch_test(older_runs_are_resumed_with_a_word),
  };
  return cmocka_run_group_tests(tests, NULL, NULL);
}
