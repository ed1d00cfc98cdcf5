// The contract of ts_solve(): what it refuses, what it measures, what it does with what solvers claim, and its memory.
// The solvers here are made for the purpose: each does one thing.
#include "complementarity/solver.h"

#include <stdarg.h>
#include <stddef.h>
#include <setjmp.h>
#include <math.h>
#include <stdlib.h>
#include <string.h>
#include <cmocka.h>

// 0 <= z _|_ 2 z - 6 >= 0: the solution is 3.
static const double slope[] = {2.0}, offset[] = {-6.0};

static ts_problem small_problem(void)
{
  return ts_problem_lcp((ts_lcp){1, {.rows = 1, .columns = 1, .value = slope}, offset});
}

static ts_outcome write_solution(const ts_problem *problem, ts_run *run, double *z)
{
  (void)problem;
  ts_run_record(run, 1.0, 0.5, 0.25, 1);
  ts_run_record(run, 1e-16, 1.0, 0.0, 1);
  ++run->report->factorizations;
  run->report->claimed = 1e-16;
  z[0] = 3.0;
  return TS_SOLVED;
}

static ts_outcome claim_without_solving(const ts_problem *problem, ts_run *run, double *z)
{
  (void)problem;
  run->report->claimed = 0.0;
  z[0] = 1.0;
  return TS_SOLVED;
}

static ts_outcome solve_without_noticing(const ts_problem *problem, ts_run *run, double *z)
{
  write_solution(problem, run, z);
  return TS_ITERATION_LIMIT;
}

// Leaves the limit and whether it was started warm in z.
static ts_outcome tell_limit(const ts_problem *problem, ts_run *run, double *z)
{
  (void)problem;
  z[0] = run->limit + (run->options->warm_start ? 0.5 : 0.0);
  return TS_ITERATION_LIMIT;
}

static ts_outcome take_memory(const ts_problem *problem, ts_run *run, double *z)
{
  double *memory = ts_arena_doubles(run->arena, 100000);
  memory[99999] = 3.0;
  z[0] = memory[99999];
  (void)problem;
  return TS_SOLVED;
}

static ts_outcome wait_for_the_deadline(const ts_problem *problem, ts_run *run, double *z)
{
  (void)problem;
  z[0] = 0.0;
  while (!ts_run_out_of_time(run)) continue;
  return TS_TIME_LIMIT;
}

static ts_outcome chain(const ts_problem *problem, ts_run *run, double *z)
{
  static const ts_solver miss = {"miss", "", TS_LCP, 10, claim_without_solving};
  static const ts_solver hit = {"hit", "", TS_LCP, 10, write_solution};
  ts_run_stage(&miss, problem, run, run->options->warm_start, z);
  ++run->report->fallbacks;
  return ts_run_stage(&hit, problem, run, true, z);
}

static const ts_solver right = {"right", "", TS_LCP, 10, write_solution};
static const ts_solver boastful = {"boastful", "", TS_LCP, 10, claim_without_solving};
static const ts_solver modest = {"modest", "", TS_LCP, 10, solve_without_noticing};
static const ts_solver telling = {"telling", "", TS_LCP, 77, tell_limit};
static const ts_solver hungry = {"hungry", "", TS_LCP, 10, take_memory};
static const ts_solver waiting = {"waiting", "", TS_LCP, 10, wait_for_the_deadline};
static const ts_solver falling = {"falling", "", TS_LCP, 10, chain};

typedef struct fixture {
  ts_workspace *workspace;
  ts_solve_options options;
  ts_problem problem;
  ts_report report;
  ts_error error;
  double z[1];
} fixture;

static int set_up(void **state)
{
  fixture *f = calloc(1, sizeof *f);
  f->workspace = ts_workspace_create(NULL);
  f->options = ts_solve_options_default();
  f->problem = small_problem();
  f->z[0] = -5.0;
  *state = f;
  return 0;
}

static int tear_down(void **state)
{
  fixture *f = *state;
  ts_workspace_destroy(f->workspace);
  free(f);
  return 0;
}

static ts_status solve(fixture *f, const ts_solver *solver)
{
  return ts_solve(solver, &f->problem, &f->options, f->workspace, f->z, &f->report, &f->error);
}

// ---- options -------------------------------------------------------------------------------------------------------

static void a_zeroed_struct_of_options_is_refused(void **state)
{
  fixture *f = *state;
  f->options = (ts_solve_options){0};
  assert_int_equal(solve(f, &right), TS_INVALID);
  assert_string_equal(f->error.text, "the options were not made by ts_solve_options_default()");
  assert_true(f->z[0] == -5.0);
}

static void assert_options_refused(ts_solve_options options, const char *sentence)
{
  ts_error error = {0};
  assert_int_equal(ts_solve_options_check(&options, &error), TS_INVALID);
  assert_string_equal(error.text, sentence);
}

static void every_option_has_its_range(void **state)
{
  fixture *f = *state;
  const ts_solve_options sound = f->options;
  assert_int_equal(ts_solve_options_check(&sound, NULL), TS_OK);
#define REFUSED(field, value, sentence)                                                                                \
  do {                                                                                                                 \
    ts_solve_options options = sound;                                                                                  \
    options.field = value;                                                                                             \
    assert_options_refused(options, sentence);                                                                         \
  } while (0)
  REFUSED(tolerance, 0.0, "tolerance is 0, it must lie between 0 and 1");
  REFUSED(tolerance, 1.0, "tolerance is 1, it must lie between 0 and 1");
  REFUSED(tolerance, NAN, "tolerance is nan, it must lie between 0 and 1");
  REFUSED(max_iterations, -1, "max_iterations is -1, it cannot be negative");
  REFUSED(time_limit, 0.0, "time_limit is 0 s, it must be positive");
  REFUSED(time_limit, NAN, "time_limit is nan s, it must be positive");
  REFUSED(relaxation, 2.0, "relaxation is 2, it must lie between 0 and 2");
  REFUSED(relaxation, -0.5, "relaxation is -0.5, it must lie between 0 and 2");
  REFUSED(damping, -1.0, "damping is -1, it must be a finite number of at least 0");
  REFUSED(damping, INFINITY, "damping is inf, it must be a finite number of at least 0");
  REFUSED(impulse_scale, -1.0, "impulse_scale is -1, it must be a finite number of at least 0");
  REFUSED(line_search, (ts_line_search)7, "line_search has the unknown value 7");
#undef REFUSED
}

// The list that --help and the manual are made from names every field but the cookie, in order, with the defaults in
// force: a struct made from the list has the same layout.
static void the_list_of_options_is_the_struct(void **state)
{
  fixture *f = *state;
#define MEMBER(field, type, value, unit, help) type field;
  typedef struct mirror {
    TS_SOLVE_OPTION_LIST(MEMBER)
    uint32_t cookie;
  } mirror;
#undef MEMBER
#define SAME(field, type, value, unit, help)                                                                           \
  assert_int_equal(offsetof(mirror, field), offsetof(ts_solve_options, field));                                        \
  assert_true(f->options.field == (type)(value));                                                                      \
  assert_true(strlen(help) > 0);
  TS_SOLVE_OPTION_LIST(SAME)
#undef SAME
  assert_int_equal(sizeof(mirror), sizeof(ts_solve_options));
}

// ---- refusals ------------------------------------------------------------------------------------------------------

static void a_solver_is_not_given_what_it_does_not_take(void **state)
{
  fixture *f = *state;
  f->problem = ts_problem_friction((ts_friction){.dimension = 3, .W = {.block = 3}});
  assert_int_equal(solve(f, &right), TS_UNSUPPORTED);
  assert_string_equal(f->error.text, "solver right does not take a problem of type friction");
}

static void a_broken_problem_is_refused_and_z_untouched(void **state)
{
  fixture *f = *state;
  f->problem.lcp.size = 2;
  assert_int_equal(solve(f, &right), TS_INVALID);
  assert_string_equal(f->error.text, "M is 1 x 1, expected is 2 x 2");
  assert_true(f->z[0] == -5.0);
}

static void a_warm_start_must_be_finite(void **state)
{
  fixture *f = *state;
  f->z[0] = NAN;
  assert_int_equal(solve(f, &right), TS_OK); // not used, so not looked at
  f->options.warm_start = true;
  f->z[0] = NAN;
  assert_int_equal(solve(f, &right), TS_INVALID);
  assert_string_equal(f->error.text, "entry 0 of the warm start is not a finite number");
}

// ---- reports -------------------------------------------------------------------------------------------------------

static void the_report_holds_what_the_run_did(void **state)
{
  fixture *f = *state;
  ts_iteration history[1];
  f->report = (ts_report){.history = history, .history_capacity = 1, .iterations = 99, .trail_count = 5};
  assert_int_equal(solve(f, &right), TS_OK);
  assert_int_equal(f->report.outcome, TS_SOLVED);
  assert_string_equal(f->report.solver, "right");
  assert_int_equal(f->report.iterations, 2); // what stood there before is gone
  assert_int_equal(f->report.factorizations, 1);
  assert_int_equal(f->report.trail_count, 0);
  assert_int_equal(f->report.history_count, 1); // the buffer holds the first one
  assert_true(history[0].residual == 1.0 && history[0].step == 0.5 && history[0].damping == 0.25);
  assert_true(f->report.claimed == 1e-16);
  assert_true(f->report.residual == 0.0);
  assert_true(f->report.seconds >= 0.0);
}

// Scaled by s = 1/sqrt(2): x = z/s and y = s w give min(x, y) over |s q|. At z = 1: min(sqrt 2, -4/sqrt 2) over
// 6/sqrt 2 = 2/3.
static void a_claim_counts_only_where_the_certificate_agrees(void **state)
{
  fixture *f = *state;
  assert_int_equal(solve(f, &boastful), TS_OK);
  assert_int_equal(f->report.outcome, TS_STALLED);
  assert_true(fabs(f->report.residual - 2.0 / 3.0) < 1e-15);
  assert_true(f->report.claimed == 0.0);
  assert_int_equal(solve(f, &modest), TS_OK);
  assert_int_equal(f->report.outcome, TS_SOLVED);
}

static void limits_come_from_the_options_or_the_solver(void **state)
{
  fixture *f = *state;
  assert_int_equal(solve(f, &telling), TS_OK);
  assert_true(f->z[0] == 77.0);
  assert_int_equal(f->report.outcome, TS_ITERATION_LIMIT);
  f->options.max_iterations = 5;
  f->options.warm_start = true;
  assert_int_equal(solve(f, &telling), TS_OK);
  assert_true(f->z[0] == 5.5);
}

static void time_runs_out(void **state)
{
  fixture *f = *state;
  f->options.time_limit = 1e-3;
  assert_int_equal(solve(f, &waiting), TS_OK);
  assert_int_equal(f->report.outcome, TS_TIME_LIMIT);
  assert_true(f->report.seconds >= 1e-3);
}

static void a_chain_leaves_a_trail(void **state)
{
  fixture *f = *state;
  assert_int_equal(solve(f, &falling), TS_OK);
  assert_int_equal(f->report.outcome, TS_SOLVED);
  assert_string_equal(f->report.solver, "hit");
  assert_int_equal(f->report.trail_count, 2);
  assert_string_equal(f->report.trail[0].solver, "miss");
  assert_int_equal(f->report.trail[0].outcome, TS_STALLED);
  assert_int_equal(f->report.trail[0].iterations, 0);
  assert_string_equal(f->report.trail[1].solver, "hit");
  assert_int_equal(f->report.trail[1].outcome, TS_SOLVED);
  assert_int_equal(f->report.trail[1].iterations, 2);
  assert_int_equal(f->report.trail[1].factorizations, 1);
  assert_int_equal(f->report.fallbacks, 1);
}

// ---- memory --------------------------------------------------------------------------------------------------------

typedef struct budget {
  int calls, allowed;
} budget;

static void *allocate_within(void *user, size_t bytes)
{
  budget *b = user;
  ++b->calls;
  return b->allowed-- > 0 ? malloc(bytes) : NULL;
}

static void release_any(void *user, void *memory)
{
  (void)user;
  free(memory);
}

static void a_warm_workspace_allocates_nothing(void **state)
{
  fixture *f = *state;
  budget b = {0, 1000};
  ts_workspace_destroy(f->workspace);
  f->workspace = ts_workspace_create(&(ts_allocator){allocate_within, release_any, &b});
  assert_int_equal(solve(f, &hungry), TS_OK);
  assert_int_equal(solve(f, &hungry), TS_OK);
  const int before = b.calls;
  assert_int_equal(solve(f, &hungry), TS_OK);
  assert_int_equal(b.calls, before);
  assert_true(ts_workspace_peak(f->workspace) >= 100000 * sizeof(double));
}

// With every number of allocations that is too small there is an error, never a crash; and the workspace still works.
static void running_out_of_memory_is_an_error(void **state)
{
  fixture *f = *state;
  assert_null(ts_workspace_create(&(ts_allocator){allocate_within, release_any, &(budget){0, 0}}));
  for (int allowed = 1;; ++allowed) {
    budget b = {0, allowed};
    ts_workspace_destroy(f->workspace);
    f->workspace = ts_workspace_create(&(ts_allocator){allocate_within, release_any, &b});
    assert_non_null(f->workspace);
    const ts_status status = solve(f, &hungry);
    if (status == TS_OK) break;
    assert_int_equal(status, TS_OUT_OF_MEMORY);
    assert_string_equal(f->error.text, "memory ran out in solver hungry");
    b.allowed = 1000;
    assert_int_equal(solve(f, &hungry), TS_OK);
    assert_int_equal(f->report.outcome, TS_SOLVED);
    ts_workspace_destroy(f->workspace);
    f->workspace = NULL;
  }
  ts_workspace_destroy(f->workspace);
  f->workspace = NULL;
}

// ---- the list ------------------------------------------------------------------------------------------------------

static void every_solver_of_the_list_is_complete(void **state)
{
  (void)state;
  for (int i = 0; i < ts_solver_count(); ++i) {
    const ts_solver *solver = ts_solver_at(i);
    assert_ptr_equal(ts_solver_find(ts_solver_name(solver)), solver); // so no name is there twice
    assert_true(strlen(ts_solver_summary(solver)) > 0);
    assert_true(ts_solver_takes(solver) > 0 && ts_solver_takes(solver) < 32);
    assert_true(ts_solver_default_limit(solver) > 0);
    assert_null(strchr(ts_solver_name(solver), '_'));
  }
  assert_null(ts_solver_find("no such solver"));
}

static void every_outcome_has_a_name(void **state)
{
  (void)state;
  assert_string_equal(ts_outcome_name(TS_SOLVED), "solved");
  assert_string_equal(ts_outcome_name(TS_BROKE_DOWN), "broke-down");
  assert_string_equal(ts_outcome_name(TS_OUTCOME_COUNT), "unknown");
}

#define TEST(function) cmocka_unit_test_setup_teardown(function, set_up, tear_down)

int main(void)
{
  const struct CMUnitTest tests[] = {
      TEST(a_zeroed_struct_of_options_is_refused),
      TEST(every_option_has_its_range),
      TEST(the_list_of_options_is_the_struct),
      TEST(a_solver_is_not_given_what_it_does_not_take),
      TEST(a_broken_problem_is_refused_and_z_untouched),
      TEST(a_warm_start_must_be_finite),
      TEST(the_report_holds_what_the_run_did),
      TEST(a_claim_counts_only_where_the_certificate_agrees),
      TEST(limits_come_from_the_options_or_the_solver),
      TEST(time_runs_out),
      TEST(a_chain_leaves_a_trail),
      TEST(a_warm_workspace_allocates_nothing),
      TEST(running_out_of_memory_is_an_error),
      TEST(every_solver_of_the_list_is_complete),
      TEST(every_outcome_has_a_name),
  };
  return cmocka_run_group_tests(tests, NULL, NULL);
}
