// The command as its users see it: exit status, what stands where, and files that are whole or not there.
#define _POSIX_C_SOURCE 200809L
#include "command.h"
#include "json.h"
#include "whole_file.h"

#include "touchstone/touchstone.h"

#include <stdarg.h>
#include <stddef.h>
#include <setjmp.h>
#include <math.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>
#include <cmocka.h>

// ---- running it ----------------------------------------------------------------------------------------------------

typedef struct fixture {
  scratch_folder *folder; // the command runs in it
  command_result said;
} fixture;

// A file instead of what the command said.
static void read_whole(fixture *f, const char *name)
{
  char *text = read_text(scratch_path(f->folder, name));
  snprintf(f->said.out, sizeof f->said.out, "%s", text);
  free(text);
}

static void write_whole(const fixture *f, const char *name, const char *text)
{
  scratch_write(scratch_path(f->folder, name), text, strlen(text));
}

// Run the command with these arguments (shell words) and keep what it says; returns its exit status.
static int run(fixture *f, const char *arguments)
{
  command_run(f->folder, TOUCHSTONE_COMMAND, arguments, &f->said);
  return f->said.status;
}

static void assert_refused(fixture *f, const char *arguments, const char *words)
{
  run(f, arguments);
  assert_command_refused(&f->said, words);
}

// 0 <= z _|_ M z + q >= 0 with the solution (4/3, 7/3).
static const char small_lcp[] = "touchstone problem 1 type lcp size 2 M dense 2 1 1 2 q -5 -6 end\n";

// A mass of 2 kg that slides: r = (2, -1, 0) N s by hand, for u_n = r_n/2 - 1 = 0 and friction 0.5 against the slip.
static const char sliding[] = "touchstone problem 1\ntype friction\ndimension 3\ncontacts 1\n"
                              "W dense 0.5 0 0  0 0.5 0  0 0 0.5\nq -1 3 0\nmu 0.5\nend\n";

// The same before the mass is eliminated.
static const char sliding_globally[] = "touchstone problem 1 type global-friction dimension 3 contacts 1 velocities 3\n"
                                       "M sparse 3 0 0 2 1 1 2 2 2 2 H sparse 3 0 0 1 1 1 1 2 2 1\n"
                                       "f -2 6 0 w 0 0 0 mu 0.5 end\n";

static int set_up(void **state)
{
  fixture *f = calloc(1, sizeof *f);
  void *folder = NULL;
  if (!f || scratch_folder_set_up(&folder) != 0) return -1;
  f->folder = folder;
  write_whole(f, "small.lcp", small_lcp);
  write_whole(f, "sliding.txt", sliding);
  write_whole(f, "global.txt", sliding_globally);
  *state = f;
  return 0;
}

static int tear_down(void **state)
{
  fixture *f = *state;
  void *folder = f->folder;
  free(f);
  return scratch_folder_tear_down(&folder);
}

// ---- asking --------------------------------------------------------------------------------------------------------

static void help_and_version_are_results(void **state)
{
  fixture *f = *state;
  static const char *const questions[] = {"--help", "solve --help", "list --help", "solve --json --help"};
  for (int i = 0; i < 4; ++i) {
    assert_int_equal(run(f, questions[i]), 0);
    assert_string_equal(f->said.err, "");
    assert_non_null(strstr(f->said.out, "usage: touchstone"));
  }
  assert_int_equal(run(f, "--version"), 0);
  assert_int_equal(strncmp(f->said.out, "touchstone ", 11), 0);
  assert_non_null(strstr(f->said.out, ts_version()));
}

// Whatever ts_solve() can be told, the command can.
static void every_solve_option_is_in_the_help(void **state)
{
  fixture *f = *state;
#define NAME(field, type, value, unit, help) #field,
  static const char *const names[] = {TS_SOLVE_OPTION_LIST(NAME)};
#undef NAME
  assert_int_equal(run(f, "solve --help"), 0);
  for (size_t i = 0; i < sizeof names / sizeof names[0]; ++i) {
    char option[64];
    snprintf(option, sizeof option, "--%s ", names[i]);
    for (char *c = option; *c; ++c)
      if (*c == '_') *c = '-';
    if (!strstr(f->said.out, option)) fail_msg("%s is not in the help", option);
  }
}

static void lists_name_everything(void **state)
{
  fixture *f = *state;
  assert_int_equal(run(f, "list solvers"), 0);
  for (int i = 0; i < ts_solver_count(); ++i) assert_non_null(strstr(f->said.out, ts_solver_summary(ts_solver_at(i))));
  assert_int_equal(run(f, "list solvers --json"), 0);
  assert_true(json_is_valid(f->said.out));
  assert_int_equal(json_count(f->said.out), ts_solver_count());
  assert_int_equal(run(f, "list problems"), 0);
  for (int i = 0; i < ts_builtin_count(); ++i) assert_non_null(strstr(f->said.out, ts_builtin_name(i)));
  assert_int_equal(run(f, "list problems --json"), 0);
  assert_true(json_is_valid(f->said.out));
  assert_int_equal(json_count(f->said.out), ts_builtin_count());
}

// ---- bad usage and bad input ---------------------------------------------------------------------------------------

static void bad_usage_is_refused_with_advice(void **state)
{
  fixture *f = *state;
  assert_refused(f, "", "a verb is missing");
  assert_refused(f, "slove small.lcp", "there is no verb 'slove'; did you mean 'solve'?");
  assert_refused(f, "frobnicate", "there is no verb 'frobnicate' (verbs: run, sweep, verify, check, plot, ");
  assert_refused(f, "simulate scene.yaml", "there is no verb 'simulate'; did you mean 'run'?");
  assert_refused(f, "render scene.yaml", "did you mean 'draw'?");
  assert_refused(f, "small.lcp", "a verb is missing; did you mean 'touchstone run small.lcp'?");
  assert_refused(f, "solve", "usage: touchstone solve FILE");
  assert_refused(f, "solve small.lcp sliding.txt", "usage: touchstone solve FILE");
  assert_refused(f, "solve small.lcp --tolerence 1e-8", "did you mean '--tolerance'?");
  assert_refused(f, "solve small.lcp --tolerence=1e-8", "did you mean '--tolerance'?");
  assert_refused(f, "solve small.lcp -Q", "'solve' has no option '-Q'");
  assert_refused(f, "solve small.lcp --all -Qx", "'solve' has no option '-Q'");
  assert_refused(f, "solve small.lcp -s", "option '--solver' needs a value");
  assert_refused(f, "solve small.lcp --json=3", "option '--json' takes no value");
  assert_refused(f, "solve small.lcp --tolerance", "option '--tolerance' needs a value");
  assert_refused(f, "solve small.lcp --tolerance soon", "wants a number, not 'soon'");
  assert_refused(f, "solve small.lcp --max-iterations 2.5", "wants a whole number, not '2.5'");
  assert_refused(f, "solve small.lcp --seed -1", "wants a whole number of at least 0, not '-1'");
  assert_refused(f, "solve small.lcp --line-search none", "wants 'monotone' or 'nonmonotone', not 'none'");
  assert_refused(f, "solve small.lcp --tolerance 2", "tolerance is 2, it must lie between 0 and 1");
  assert_refused(f, "solve small.lcp --solver lemk", "there is no solver 'lemk'; did you mean 'lemke'?");
  assert_refused(f, "solve small.lcp --solver lemke --formulation lpc", "there is no formulation 'lpc'");
  assert_refused(f, "list solvrs", "did you mean 'solvers'?");
}

static void requests_that_do_not_fit_the_problem_are_refused(void **state)
{
  fixture *f = *state;
  assert_refused(f, "solve sliding.txt --solver lemke", "lower it with --formulation lcp");
  assert_refused(f, "solve small.lcp --solver nsgs", "does not take a problem of type lcp");
  assert_refused(f, "solve small.lcp --solver lemke --directions 4", "--directions is for friction problems");
  assert_refused(f, "solve small.lcp --solver lemke --formulation mcp", "only friction problems");
  assert_refused(f, "solve sliding.txt --solver nsgs --directions 4", "does not take a problem of type lcp");
  assert_refused(f, "solve sliding.txt --solver lemke --formulation mcp --directions 4",
                 "for the formulations lcp and mlcp");
  assert_refused(f, "solve sliding.txt --solver lemke --directions 5", "5");
  assert_refused(f, "solve small.lcp --grid 3", "--start and --grid are for built-in problems");
  assert_refused(f, "solve builtin:kojshim", "did you mean 'kojshin'?");
  assert_refused(f, "solve builtin:kojshin:99", "has the starting points 0 to");
  assert_refused(f, "solve builtin:kojshin:x", "is not of the form builtin:NAME");
}

static void bad_input_is_refused_with_its_place(void **state)
{
  fixture *f = *state;
  assert_refused(f, "solve missing.txt", "touchstone: missing.txt: ");
  assert_refused(f, "solve .", "touchstone: .: ");
  write_whole(f, "empty", "");
  assert_refused(f, "solve empty", "touchstone: empty:");
  write_whole(f, "broken", "touchstone problem 1\ntype lcp\nsize 2\nM dense 2 1 one 2\nq -5 -6\nend\n");
  assert_refused(f, "solve broken", "touchstone: broken:4:13: ");
  write_whole(f, "short", "1.5\n");
  assert_refused(f, "solve small.lcp --solver lemke --warm-start short",
                 "short: the file holds 1 numbers, the problem has 2");
  write_whole(f, "words", "1.5\nabc\n");
  assert_refused(f, "solve small.lcp --solver lemke --warm-start words", "words:2: a finite number was expected here");
  assert_refused(f, "solve small.lcp --solver lemke --warm-start missing", "missing: cannot be read");
}

// ---- solving -------------------------------------------------------------------------------------------------------

static void a_summary_says_what_happened(void **state)
{
  fixture *f = *state;
  assert_int_equal(run(f, "solve sliding.txt --solver nsgs"), 0);
  assert_string_equal(f->said.err, "");
  static const char *const words[] = {"friction, 1 contact in space, 3 unknowns",
                                      "solved",
                                      "nsgs",
                                      "residual",
                                      "0 open, 0 stick, 1 slip",
                                      "penetration speed",
                                      "m/s",
                                      "N s",
                                      "iterations"};
  for (size_t i = 0; i < sizeof words / sizeof words[0]; ++i) assert_non_null(strstr(f->said.out, words[i]));
}

// The text after a member's name holds these numbers.
static void assert_numbers(const char *value, const double *expected, int count, double tolerance)
{
  assert_non_null(value);
  assert_int_equal(json_count(value), count);
  for (int i = 0; i < count; ++i) {
    char *end;
    assert_true(fabs(strtod(value + 1, &end) - expected[i]) <= tolerance);
    value = end;
  }
}

static void json_holds_the_solution_and_how_good_it_is(void **state)
{
  fixture *f = *state;
  assert_int_equal(run(f, "solve small.lcp --solver lemke --json"), 0);
  assert_true(json_is_valid(f->said.out));
  assert_numbers(json_member(f->said.out, "z"), (const double[]){4.0 / 3.0, 7.0 / 3.0}, 2, 1e-12);
  static const char *const members[] = {"status", "solver", "iterations", "factorizations", "residual", "seconds"};
  for (int i = 0; i < 6; ++i) assert_non_null(json_member(f->said.out, members[i]));
  assert_int_equal(strncmp(json_member(f->said.out, "status"), "\"solved\"", 8), 0);
  assert_null(json_member(f->said.out, "fclib_residual"));

  assert_int_equal(run(f, "solve sliding.txt --solver nsgs --json"), 0);
  assert_true(json_is_valid(f->said.out));
  assert_numbers(json_member(f->said.out, "z"), (const double[]){2.0, -1.0, 0.0}, 3, 1e-9);
  static const char *const measures[] = {"fclib_residual", "penetration_velocity", "cone_violation",
                                         "misalignment",   "complementarity",      "modes"};
  for (int i = 0; i < 6; ++i) assert_non_null(json_member(f->said.out, measures[i]));
  assert_int_equal(strtol(json_member(json_member(f->said.out, "modes"), "slip"), NULL, 10), 1);
}

// Without --solver it is `auto`, and the stages it went through are told.
static void the_default_is_a_chain_that_tells_its_stages(void **state)
{
  fixture *f = *state;
  assert_int_equal(run(f, "solve sliding.txt"), 0);
  assert_non_null(strstr(f->said.out, "auto, ended by "));
  assert_non_null(strstr(f->said.out, "stages"));
  assert_int_equal(run(f, "solve sliding.txt --json"), 0);
  assert_true(json_is_valid(f->said.out));
  assert_int_equal(strncmp(json_member(f->said.out, "solver"), "\"auto\"", 6), 0);
  assert_true(json_count(json_member(f->said.out, "stages")) >= 1);
  assert_numbers(json_member(f->said.out, "z"), (const double[]){2.0, -1.0, 0.0}, 3, 1e-9);
}

// Whichever form a problem is brought into, the point comes back as one of the problem as it was given. With four
// directions, one of them against the slip, the polygon is exact here.
static void every_formulation_leads_back_to_the_original(void **state)
{
  fixture *f = *state;
  static const char *const requests[] = {"--solver lemke --directions 4", "--solver lemke --formulation mlcp",
                                         "--solver nsgs", "--solver lemke --formulation lcp"};
  char arguments[256];
  for (int i = 0; i < 4; ++i) {
    snprintf(arguments, sizeof arguments, "solve sliding.txt --json %s", requests[i]);
    assert_int_equal(run(f, arguments), 0);
    assert_true(json_is_valid(f->said.out));
    assert_numbers(json_member(f->said.out, "z"), (const double[]){2.0, -1.0, 0.0}, 3, 1e-9);
    assert_true(strtod(json_member(f->said.out, "fclib_residual"), NULL) < 1e-9);

    snprintf(arguments, sizeof arguments, "solve global.txt --json %s", requests[i]);
    assert_int_equal(run(f, arguments), 0);
    assert_true(json_is_valid(f->said.out));
    assert_numbers(json_member(f->said.out, "z"), (const double[]){2.0, -1.0, 0.0}, 3, 1e-9);
    assert_numbers(json_member(f->said.out, "v"), (const double[]){0.0, 2.5, 0.0}, 3, 1e-9);
  }
}

static void comparisons_have_a_line_for_every_pair(void **state)
{
  fixture *f = *state;
  int takers = 0;
  for (int i = 0; i < ts_solver_count(); ++i) takers += (ts_solver_takes(ts_solver_at(i)) & TS_LCP) != 0;
  assert_int_equal(run(f, "solve small.lcp --all --json"), 0);
  assert_true(json_is_valid(f->said.out));
  assert_int_equal(json_count(f->said.out), takers);
  assert_int_equal(run(f, "solve sliding.txt --all --formulation all --history steps.csv"), 0);
  assert_string_equal(f->said.err, ""); // not a terminal: no progress
  assert_non_null(strstr(f->said.out, "native"));
  assert_non_null(strstr(f->said.out, "mlcp"));
  read_whole(f, "steps.csv");
  assert_int_equal(strncmp(f->said.out, "solver,iteration,residual,step,damping,active\n", 46), 0);
  assert_non_null(strstr(f->said.out, "\nnsgs,1,"));
}

static void not_solved_is_status_one(void **state)
{
  fixture *f = *state;
  write_whole(f, "none.lcp", "touchstone problem 1 type lcp size 1 M dense 0 q -1 end\n"); // 0 z - 1 >= 0: never
  assert_int_equal(run(f, "solve none.lcp --solver lemke --json"), 1);
  assert_true(json_is_valid(f->said.out));
  assert_int_equal(strncmp(json_member(f->said.out, "status"), "\"solved\"", 8) == 0, 0);
  assert_int_equal(run(f, "solve none.lcp --solver lemke"), 1);
  assert_int_equal(run(f, "solve none.lcp --all"), 1);
}

static void a_warm_start_is_used(void **state)
{
  fixture *f = *state;
  assert_int_equal(run(f, "solve sliding.txt --solver nsgs -o r.txt"), 0);
  assert_int_equal(run(f, "solve sliding.txt --solver nsgs --warm-start r.txt --json"), 0);
  assert_true(strtol(json_member(f->said.out, "iterations"), NULL, 10) <= 1);
}

// ---- output files --------------------------------------------------------------------------------------------------

static void solutions_go_to_files_that_are_whole(void **state)
{
  fixture *f = *state;
  const int before = scratch_count(f->folder);
  assert_int_equal(run(f, "solve sliding.txt --solver nsgs -o r.txt"), 0);
  assert_int_equal(scratch_count(f->folder), before + 1); // nothing temporary is left
  read_whole(f, "r.txt");
  char *end;
  assert_true(fabs(strtod(f->said.out, &end) - 2.0) < 1e-9);
  assert_true(fabs(strtod(end, &end) + 1.0) < 1e-9);
  assert_true(fabs(strtod(end, &end)) < 1e-9);
  assert_string_equal(end, "\n");

  assert_int_equal(run(f, "solve sliding.txt --solver nsgs --json -o r.txt"), 0); // replaces it
  assert_string_equal(f->said.out, "");
  read_whole(f, "r.txt");
  assert_true(json_is_valid(f->said.out));
  assert_int_equal(scratch_count(f->folder), before + 1);
}

static void what_cannot_be_written_leaves_nothing(void **state)
{
  fixture *f = *state;
  const int before = scratch_count(f->folder);
  assert_refused(f, "solve sliding.txt --solver nsgs -o missing/r.txt", "missing/r.txt: cannot be written");
  assert_refused(f, "solve sliding.txt --solver nsgs -o .", ".: cannot be written");
  assert_refused(f, "solve sliding.txt --solver nsgs -o r.txt --history missing/h.csv",
                 "missing/h.csv: cannot be written");
  assert_int_equal(scratch_count(f->folder), before);

  write_whole(f, "kept.txt", "mine\n"); // a request that fails does not touch what was there
  assert_refused(f, "solve broken -o kept.txt", "broken");
  read_whole(f, "kept.txt");
  assert_string_equal(f->said.out, "mine\n");
  assert_int_equal(scratch_count(f->folder), before + 1);
}

static void full_devices_are_noticed(void **state)
{
  fixture *f = *state;
  if (access("/dev/full", W_OK) != 0) skip();
  char line[512];
  snprintf(line, sizeof line, "'%s' list solvers > /dev/full 2> /dev/null", TOUCHSTONE_COMMAND);
  assert_int_equal(WEXITSTATUS(system(line)), 2);
  assert_int_equal(run(f, "solve sliding.txt --solver nsgs --json -o /dev/full"), 2);
  assert_non_null(strstr(f->said.err, "/dev/full: could not be completed"));
  assert_int_equal(run(f, "solve sliding.txt --solver nsgs --json -o /dev/null"), 0);
  assert_int_equal(access("/dev/null", W_OK), 0);
}

static void a_link_stays_a_link(void **state)
{
  fixture *f = *state;
  char path[128];
  snprintf(path, sizeof path, "%s/link.txt", f->folder->path);
  write_whole(f, "target.txt", "old\n");
  assert_int_equal(symlink("target.txt", path), 0);
  assert_int_equal(run(f, "solve small.lcp --solver lemke -o link.txt"), 0);
  struct stat about;
  assert_int_equal(lstat(path, &about), 0);
  assert_true(S_ISLNK(about.st_mode));
  read_whole(f, "target.txt");
  assert_true(fabs(strtod(f->said.out, NULL) - 4.0 / 3.0) < 1e-12);
}

#define TEST(function) cmocka_unit_test_setup_teardown(function, set_up, tear_down)

int main(void)
{
  const struct CMUnitTest tests[] = {
      TEST(help_and_version_are_results),
      TEST(every_solve_option_is_in_the_help),
      TEST(lists_name_everything),
      TEST(bad_usage_is_refused_with_advice),
      TEST(requests_that_do_not_fit_the_problem_are_refused),
      TEST(bad_input_is_refused_with_its_place),
      TEST(a_summary_says_what_happened),
      TEST(json_holds_the_solution_and_how_good_it_is),
      TEST(the_default_is_a_chain_that_tells_its_stages),
      TEST(every_formulation_leads_back_to_the_original),
      TEST(comparisons_have_a_line_for_every_pair),
      TEST(not_solved_is_status_one),
      TEST(a_warm_start_is_used),
      TEST(solutions_go_to_files_that_are_whole),
      TEST(what_cannot_be_written_leaves_nothing),
      TEST(full_devices_are_noticed),
      TEST(a_link_stays_a_link),
  };
  return cmocka_run_group_tests(tests, NULL, NULL);
}
