// Problems that fall apart: islands are what a flood finds, and each is solved as it would be alone, whatever becomes
// of the others.
#include "complementarity/friction/islands.h"
#include "complementarity/solver.h"

#include "base/random.h"
#include "counting_allocator.h"
#include "friction_generator.h"
#include "friction_union.h"
#include "library_calls.h"
#include "math/matrix.h"

#include <math.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdlib.h>
#include <string.h>
#include <cmocka.h>

enum { MOST_PARTS = 8, UNIONS = 30 };

// Samples of one dimension with a union of them.
typedef struct fixture {
  int parts;
  friction_sample *samples[MOST_PARTS];
  ts_arena arena;
  ts_bodies vices[MOST_PARTS];
  ts_friction vice[MOST_PARTS];
  const ts_friction *part[MOST_PARTS];
  friction_union *all;
  double *z, *own; // room for the union's impulses, twice
} fixture;

// `parts` samples, of which the first `vices` are followed by as many vices, `least` to 3 `least` contacts each.
static void init_fixture(fixture *f, int parts, int vices, int least, bool with_bodies, const double *scale,
                         uint64_t seed)
{
  ts_random random;
  ts_random_init(&random, seed);
  const int d = 2 + (int)(seed % 3);
  *f = (fixture){.parts = parts + vices};
  ts_arena_init(&f->arena, NULL);
  for (int k = 0; k < parts; ++k) {
    const int contacts = least + ts_random_below(&random, 2 * least);
    const friction_recipe recipe = {.dimension = d,
                                    .contacts = contacts,
                                    .bodies = 1 + contacts / 2,
                                    .ellipsoid = seed % 5 == 0,
                                    .with_bodies = with_bodies,
                                    .least_mu = 0.1,
                                    .most_mu = 0.5};
    f->samples[k] = friction_sample_create(&recipe, 100 * seed + (uint64_t)k);
    f->part[k] = &f->samples[k]->local.friction;
  }
  for (int k = 0; k < vices; ++k) {
    f->vice[k] = friction_vice(d, &f->arena, &f->vices[k]);
    if (!with_bodies) f->vice[k].bodies = NULL;
    f->part[parts + k] = &f->vice[k];
  }
  f->all = friction_union_create(f->part, f->parts, scale, seed);
  f->z = calloc(ts_problem_size(&f->all->problem), sizeof *f->z);
  f->own = calloc(ts_problem_size(&f->all->problem), sizeof *f->own);
  assert_true(f->z && f->own);
}

static void release_fixture(fixture *f)
{
  for (int k = 0; k < f->parts; ++k) friction_sample_destroy(f->samples[k]);
  friction_union_destroy(f->all);
  ts_arena_release(&f->arena);
  free(f->z);
  free(f->own);
}

static ts_report solve_with(const ts_problem *problem, const ts_solve_options *options, double *jam, double *z)
{
  ts_report report = {.jam = jam};
  ts_error error;
  ts_workspace *workspace = ts_workspace_create(NULL);
  if (ts_solve(ts_solver_find("auto"), problem, options, workspace, z, &report, &error) != TS_OK)
    fail_msg("%s", error.text);
  ts_workspace_destroy(workspace);
  return report;
}

static ts_report solve(const ts_problem *problem, double *z)
{
  const ts_solve_options options = ts_solve_options_default();
  return solve_with(problem, &options, NULL, z);
}

// ---- finding -------------------------------------------------------------------------------------------------------

static void flood(const ts_block_matrix *W, int i, int island, int *of)
{
  if (of[i] >= 0) return;
  of[i] = island;
  for (int k = W->start[i]; k < W->start[i + 1]; ++k) flood(W, W->index[k], island, of);
}

// Sparse matrices are the same where they agree in every entry.
static double entry(const ts_matrix *A, int row, int column)
{
  for (int k = A->start[column]; k < A->start[column + 1]; ++k)
    if (A->index[k] == row) return A->value[k];
  return 0.0;
}

static void check_island_bodies(const ts_friction *whole, const ts_friction *own, const ts_islands *islands, int k)
{
  const int *contacts = islands->contacts.member + islands->contacts.start[k];
  const int *rows = islands->rows.member + islands->rows.start[k], n = own->bodies->M.rows, d = whole->dimension;
  assert_int_equal(n, islands->rows.start[k + 1] - islands->rows.start[k]);
  for (int c = 0; c < n; ++c)
    for (int r = 0; r < n; ++r) assert_true(entry(&own->bodies->M, r, c) == entry(&whole->bodies->M, rows[r], rows[c]));
  for (int c = 0; c < d * own->contacts; ++c) {
    int entries = 0;
    for (int r = 0; r < n; ++r) {
      const double value = entry(&own->bodies->H, r, c);
      assert_true(value == entry(&whole->bodies->H, rows[r], contacts[c / d] * d + c % d));
      entries += value != 0.0;
    }
    assert_int_equal(entries, own->bodies->H.start[c + 1] - own->bodies->H.start[c]);
  }
  assert_int_equal(own->bodies->count > 0, whole->bodies->count > 0);
}

static void check_islands(const ts_friction *p, ts_arena *arena)
{
  ts_islands islands;
  ts_islands_find(p, arena, &islands);
  int *of = ts_arena_ints(arena, (size_t)p->contacts), count = 0, seen = 0;
  for (int i = 0; i < p->contacts; ++i) of[i] = -1;
  for (int i = 0; i < p->contacts; ++i)
    if (of[i] < 0) flood(&p->W, i, count++, of);
  assert_int_equal(islands.count, count);
  if (count < 2) return;
  for (int k = 0; k < count; ++k) {
    ts_bodies bodies;
    const ts_friction own = ts_island_problem(p, &islands, k, &bodies, arena);
    const ts_problem problem = ts_problem_friction(own);
    ts_error error;
    if (ts_problem_check(&problem, &error) != TS_OK) fail_msg("%s", error.text);
    for (int m = islands.contacts.start[k]; m < islands.contacts.start[k + 1]; ++m, ++seen) {
      const int i = islands.contacts.member[m], local = m - islands.contacts.start[k];
      assert_int_equal(of[i], k);
      assert_int_equal(islands.contacts.number[i], local);
      assert_int_equal(own.W.start[local + 1] - own.W.start[local], p->W.start[i + 1] - p->W.start[i]);
      assert_memory_equal(own.q + local * p->dimension, p->q + i * p->dimension, (size_t)p->dimension * sizeof *p->q);
      assert_memory_equal(ts_block_diagonal(&own.W, local), ts_block_diagonal(&p->W, i),
                          (size_t)(p->dimension * p->dimension) * sizeof *p->q);
      assert_true(own.mu[local] == p->mu[i]);
    }
    if (own.bodies) check_island_bodies(p, &own, &islands, k);
  }
  assert_int_equal(seen, p->contacts);
}

static void islands_are_what_a_flood_finds(void **state)
{
  (void)state;
  for (uint64_t seed = 1; seed <= UNIONS; ++seed) {
    fixture f;
    init_fixture(&f, 1 + (int)(seed % 6), (int)(seed % 3), 6, seed % 2 == 0, NULL, seed);
    check_islands(&f.all->problem.friction, &f.arena);
    if (f.all->problem.friction.bodies) { // nothing says whose rows are whose: the pattern of M does
      f.all->bodies.count = 0;
      f.all->bodies.first = NULL;
      check_islands(&f.all->problem.friction, &f.arena);
    }
    release_fixture(&f);
  }
}

// ---- solving -------------------------------------------------------------------------------------------------------

static double worst_velocity_difference(const ts_friction *p, const double *r, const double *s)
{
  const size_t rows = (size_t)(p->dimension * p->contacts);
  double *u = calloc(rows, sizeof *u), worst = 0.0;
  assert_non_null(u);
  for (size_t k = 0; k < rows; ++k) u[k] = 0.0;
  double *difference = calloc(rows, sizeof *difference);
  assert_non_null(difference);
  for (size_t k = 0; k < rows; ++k) difference[k] = r[k] - s[k];
  ts_block_multiply_add(&p->W, difference, u);
  for (size_t k = 0; k < rows; ++k) worst = fmax(worst, fabs(u[k]));
  free(difference);
  free(u);
  return worst;
}

static void unions_are_solved_as_their_parts_are(void **state)
{
  (void)state;
  for (uint64_t seed = 1; seed <= UNIONS; ++seed) {
    fixture f;
    init_fixture(&f, 2 + (int)(seed % 5), 0, seed % 4 == 0 ? 70 : 31, seed % 2 == 0, NULL, seed);
    const ts_report report = solve(&f.all->problem, f.z);
    if (report.outcome != TS_SOLVED) fail_msg("seed %d: %s", (int)seed, ts_outcome_name(report.outcome));
    assert_true(report.claimed <= 1e-10 && report.residual <= 1.01 * report.claimed + 1e-14);
    double alone[4 * 3 * 70];
    for (int k = 0; k < f.parts; ++k) {
      const ts_problem part = ts_problem_friction(*f.part[k]);
      assert_int_equal(solve(&part, alone).outcome, TS_SOLVED);
      friction_union_take(f.all, k, f.z, f.own);
      assert_true(ts_problem_residual(&part, f.own) <= 2e-10);
      const double difference = worst_velocity_difference(f.part[k], f.own, alone);
      if (difference > 1e-7) fail_msg("seed %d, part %d: velocities differ by %g m/s", (int)seed, k, difference);
    }
    release_fixture(&f);
  }
}

// What hardly moves is solved to what the whole needs, not to its own last digits; and never worse than that.
static void small_data_are_not_chased(void **state)
{
  (void)state;
  static const double scale[] = {1.0, 1e-9, 1e-14, 1.0};
  int iterations = 0, without = 0;
  for (uint64_t seed = 1; seed <= UNIONS; ++seed) {
    fixture f, like;
    init_fixture(&f, 4, 0, 40, seed % 2 == 0, scale, seed);
    init_fixture(&like, 4, 0, 40, seed % 2 == 0, NULL, seed);
    const ts_report report = solve(&f.all->problem, f.z), other = solve(&like.all->problem, like.z);
    assert_int_equal(report.outcome, TS_SOLVED);
    assert_int_equal(other.outcome, TS_SOLVED);
    iterations += report.iterations;
    without += other.iterations;
    for (int k = 1; k < 3; ++k) {
      const ts_problem part = ts_problem_friction(*f.part[k]);
      friction_union_take(f.all, k, f.z, f.own);
      for (size_t j = 0; j < ts_problem_size(&part); ++j) f.own[j] /= scale[k];
      assert_true(ts_problem_residual(&part, f.own) <= 1e-3);
    }
    release_fixture(&like);
    release_fixture(&f);
  }
  print_message("%d iterations instead of %d\n", iterations, without);
  assert_true(iterations < without);
}

// Of a fast island among slow ones only so much error is forgiven as the certificate forgives the whole.
static void accuracy_is_that_of_the_whole(void **state)
{
  (void)state;
  static const double scale[] = {10.0, 0.01, 0.01, 0.01, 0.01, 0.01};
  for (uint64_t seed = 1; seed <= UNIONS; ++seed) {
    fixture f;
    init_fixture(&f, 6, 0, seed % 3 == 0 ? 20 : 70, true, scale, seed);
    ts_solve_options options = ts_solve_options_default();
    options.tolerance = 1e-12;
    options.velocity_error = 1e-4;
    options.warm_start = true;
    const ts_report report = solve_with(&f.all->problem, &options, NULL, f.z);
    if (report.outcome != TS_SOLVED && report.outcome != TS_ACCURATE)
      fail_msg("seed %d: %s", (int)seed, ts_outcome_name(report.outcome));
    release_fixture(&f);
  }
}

// ---- one without a solution ----------------------------------------------------------------------------------------

static void others_are_solved_beside_a_vice(void **state)
{
  (void)state;
  for (uint64_t seed = 1; seed <= UNIONS; ++seed) {
    const int samples = 2 + (int)(seed % 4), vices = 1 + (int)(seed % 2);
    fixture f;
    init_fixture(&f, samples, vices, 35, seed % 2 == 0, NULL, seed);
    const int contacts = f.all->problem.friction.contacts;
    double *jam = calloc((size_t)contacts, sizeof *jam);
    assert_non_null(jam);
    const ts_solve_options options = ts_solve_options_default();
    const ts_report report = solve_with(&f.all->problem, &options, jam, f.z);
    assert_int_equal(report.outcome, TS_NO_SOLUTION);
    for (int i = 0; i < contacts; ++i) {
      const double expected = f.all->part[i] < samples ? 0.0 : 0.5 / vices;
      assert_true(fabs(jam[i] - expected) <= 1e-9);
    }
    for (int k = 0; k < samples; ++k) {
      const ts_problem part = ts_problem_friction(*f.part[k]);
      friction_union_take(f.all, k, f.z, f.own);
      assert_true(ts_problem_residual(&part, f.own) <= 2e-10);
    }
    free(jam);
    release_fixture(&f);
  }
}

// ---- report and limits ---------------------------------------------------------------------------------------------

static void counts_add_up(void **state)
{
  (void)state;
  enum { ROOM = 4000 };
  static ts_iteration history[ROOM];
  fixture f;
  init_fixture(&f, 5, 1, 40, true, NULL, 7);
  ts_workspace *workspace = ts_workspace_create(NULL);
  const ts_solve_options options = ts_solve_options_default();
  ts_report report = {.history = history, .history_capacity = ROOM};
  assert_int_equal(ts_solve(ts_solver_find("auto"), &f.all->problem, &options, workspace, f.z, &report, NULL), TS_OK);
  assert_true(report.history == history && report.history_capacity == ROOM);
  assert_int_equal(report.history_count, report.iterations < ROOM ? report.iterations : ROOM);
  int iterations = 0;
  double seconds = 0.0;
  assert_true(report.trail_count > 0);
  for (int k = 0; k < report.trail_count; ++k) {
    iterations += report.trail[k].iterations;
    assert_true(report.trail[k].seconds >= 0.0);
    seconds += report.trail[k].seconds;
  }
  assert_true(iterations < report.iterations && seconds <= report.seconds);
  assert_int_equal(report.trail[report.trail_count - 1].outcome, TS_NO_SOLUTION); // the worst island's
  assert_true(report.fallbacks >= report.trail_count - 1);
  ts_workspace_destroy(workspace);
  release_fixture(&f);
}

static void limits_hold_for_all_together(void **state)
{
  (void)state;
  fixture f;
  init_fixture(&f, 5, 0, 40, true, NULL, 8);
  const ts_report free = solve(&f.all->problem, f.z);
  assert_int_equal(free.outcome, TS_SOLVED);
  ts_solve_options options = ts_solve_options_default();
  for (int limit = 1; limit < free.iterations; limit += 1 + limit / 3) {
    options.max_iterations = limit;
    const ts_report report = solve_with(&f.all->problem, &options, NULL, f.z);
    assert_int_equal(report.outcome, TS_ITERATION_LIMIT);
    assert_true(report.iterations <= limit + 10); // sweeps are counted by tests, which are several sweeps apart
  }
  options = ts_solve_options_default();
  options.time_limit = 1e-9;
  memset(f.z, 0xff, ts_problem_size(&f.all->problem) * sizeof *f.z); // no numbers
  const ts_report late = solve_with(&f.all->problem, &options, NULL, f.z);
  assert_int_equal(late.outcome, TS_TIME_LIMIT);
  assert_int_equal(late.iterations, 0);
  assert_true(isfinite(late.residual));
  release_fixture(&f);
}

static bool ask(void *user)
{
  return --*(int *)user < 0;
}

// Solved islands stay, the others keep their start.
static void interrupts_leave_what_was_solved(void **state)
{
  (void)state;
  fixture f;
  init_fixture(&f, 5, 0, 40, true, NULL, 9);
  int last = 0;
  for (int questions = 0; questions < 60; questions += 4) {
    ts_workspace *workspace = ts_workspace_create(NULL);
    const ts_solve_options options = ts_solve_options_default();
    ts_report report = {0};
    int left = questions, solved = 0;
    ts_workspace_set_interrupt(workspace, (ts_interrupt){ask, &left});
    assert_int_equal(ts_solve(ts_solver_find("auto"), &f.all->problem, &options, workspace, f.z, &report, NULL), TS_OK);
    assert_true(report.outcome == TS_TIME_LIMIT || report.outcome == TS_SOLVED);
    for (int k = 0; k < f.parts; ++k) {
      const ts_problem part = ts_problem_friction(*f.part[k]);
      friction_union_take(f.all, k, f.z, f.own);
      solved += ts_problem_residual(&part, f.own) <= 2e-10;
    }
    assert_true(solved >= last);
    last = solved;
    ts_workspace_destroy(workspace);
  }
  assert_true(last > 0);
  release_fixture(&f);
}

// ---- memory --------------------------------------------------------------------------------------------------------

static void a_warm_workspace_allocates_nothing(void **state)
{
  (void)state;
  for (uint64_t seed = 1; seed <= 6; ++seed) {
    fixture f;
    init_fixture(&f, 4, (int)(seed % 2), 40, seed % 3 != 0, NULL, seed);
    allocation_count l = UNLIMITED_ALLOCATIONS;
    const ts_allocator allocator = counting_allocator(&l);
    const ts_solve_options options = ts_solve_options_default();
    ts_workspace *workspace = ts_workspace_create(&allocator);
    ts_report report = {0};
    const ts_solver *automatic = ts_solver_find("auto");
    assert_int_equal(ts_solve(automatic, &f.all->problem, &options, workspace, f.z, &report, NULL), TS_OK);
    const int own = l.calls, library = library_calls;
    assert_int_equal(ts_solve(automatic, &f.all->problem, &options, workspace, f.z, &report, NULL), TS_OK);
    assert_int_equal(l.calls, own);
    assert_int_equal(library_calls, library);
    ts_workspace_destroy(workspace);
    assert_int_equal(l.held, 0);
    for (int budget = 1; budget < own; ++budget) {
      l = UNLIMITED_ALLOCATIONS;
      l.budget = budget;
      workspace = ts_workspace_create(&allocator);
      ts_report failed = {0};
      const ts_status status = ts_solve(automatic, &f.all->problem, &options, workspace, f.z, &failed, NULL);
      assert_true(status == TS_OK || status == TS_OUT_OF_MEMORY);
      ts_workspace_destroy(workspace);
      assert_int_equal(l.held, 0);
    }
    release_fixture(&f);
  }
}

int main(void)
{
  const struct CMUnitTest tests[] = {
      cmocka_unit_test(islands_are_what_a_flood_finds),     cmocka_unit_test(unions_are_solved_as_their_parts_are),
      cmocka_unit_test(small_data_are_not_chased),          cmocka_unit_test(accuracy_is_that_of_the_whole),
      cmocka_unit_test(others_are_solved_beside_a_vice),    cmocka_unit_test(counts_add_up),
      cmocka_unit_test(limits_hold_for_all_together),       cmocka_unit_test(interrupts_leave_what_was_solved),
      cmocka_unit_test(a_warm_workspace_allocates_nothing),
  };
  return cmocka_run_group_tests(tests, NULL, NULL);
}
