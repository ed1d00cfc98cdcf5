// What the stages of the friction solvers share and promise: Newton steps that are Newton steps, a best point that only
// gets better and whose velocity is its own, an error that counts round-off, and scratch memory given back.
#include "complementarity/friction/cone_state.h"

#include "friction_generator.h"

#include "base/random.h"

#include <float.h>
#include <math.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdlib.h>
#include <string.h>
#include <cmocka.h>

#include "gives_back.h"

typedef struct fixture {
  ts_arena arena;
  friction_sample *sample;
  ts_cone_problem p;
  ts_solve_options options;
  ts_report report;
  ts_run run;
  ts_cone_state state;
} fixture;

static void init_fixture(fixture *f, int bodies, int contacts, double mu, uint64_t seed)
{
  *f = (fixture){.sample = friction_sample_spheres(bodies, contacts, mu, seed), .options = ts_solve_options_default()};
  ts_arena_init(&f->arena, NULL);
  ts_cone_problem_init(&f->p, &f->sample->local.friction, &f->arena);
  f->run =
      (ts_run){.options = &f->options, .arena = &f->arena, .report = &f->report, .deadline = INFINITY, .limit = 1000};
  ts_cone_state_init(&f->state, &f->p, &f->run, NULL);
}

static void release_fixture(fixture *f)
{
  friction_sample_destroy(f->sample);
  ts_arena_release(&f->arena);
}

// |F| of a map over all contacts.
static double map_norm(const fixture *f, ts_contact_map *map, const double *r)
{
  double sum = 0.0, *u = calloc(f->p.length, sizeof *u);
  assert_non_null(u);
  ts_cone_velocity(&f->p, r, u);
  for (int i = 0; i < f->p.contacts; ++i) {
    double F[4] = {0};
    map(f->p.d, f->p.mu[i], f->state.rho[i], r + i * f->p.stride, u + i * f->p.stride, F, NULL, NULL);
    for (int k = 0; k < f->p.d; ++k) sum += F[k] * F[k];
  }
  free(u);
  return sqrt(sum);
}

// A full step on the linearization leaves nothing, so a fraction t leaves 1 - t of F, up to t^2. The shift of 1e-8 in
// the matrix is below the differences seen here.
static void newton_steps_reduce_the_map_as_they_should(void **state)
{
  (void)state;
  ts_contact_map *const maps[] = {ts_alart_curnier, ts_natural_map};
  for (uint64_t seed = 1; seed <= 10; ++seed)
    for (int m = 0; m < 2; ++m) {
      fixture f;
      ts_random random;
      ts_random_init(&random, seed);
      init_fixture(&f, 8, 8, 0.5, seed); // full rank
      double *r = ts_arena_zeros(&f.arena, f.p.length), *u = ts_arena_zeros(&f.arena, f.p.length);
      double *step = ts_arena_zeros(&f.arena, f.p.length), *trial = ts_arena_zeros(&f.arena, f.p.length);
      for (size_t k = 0; k < f.p.length; ++k)
        if (k % 4 < 3) r[k] = 0.3 * ts_random_normal(&random) + (k % 4 == 0);
      ts_cone_velocity(&f.p, r, u);
      const double norm = ts_cone_newton_step(&f.state, maps[m], TS_NEWTON_SHIFT, r, u, step), t = 1e-6;
      assert_true(fabs(norm - map_norm(&f, maps[m], r)) <= 1e-14 * norm);
      for (size_t k = 0; k < f.p.length; ++k) trial[k] = r[k] + t * step[k];
      assert_true(fabs(map_norm(&f, maps[m], trial) - (1.0 - t) * norm) <= 1e-3 * t * norm);
      release_fixture(&f);
    }
}

// Near a solution Newton's error is squared: a few steps do.
static void polishing_finishes_what_is_nearly_solved(void **state)
{
  (void)state;
  int polished = 0;
  for (uint64_t seed = 1; seed <= 10; ++seed) {
    fixture f;
    ts_random random;
    ts_random_init(&random, seed);
    init_fixture(&f, 8, 8, 0.3, seed);
    f.state.target = 1e-14;
    ts_cone_smoothing_path(&f.state, 0.1, 0.3);
    double *start = ts_arena_doubles(&f.arena, f.p.length);
    for (size_t k = 0; k < f.p.length; ++k)
      start[k] = f.state.r[k] * (1.0 + 1e-5 * ts_random_normal(&random)); // open contacts stay open
    ts_cone_state_init(&f.state, &f.p, &f.run, start);
    const double before = f.state.error;
    polished += ts_cone_polish(&f.state, start, 6) == TS_SOLVED;
    assert_true(f.state.error <= before);
    release_fixture(&f);
  }
  assert_true(polished >= 9); // a contact at a kink may take longer
}

// ---- every stage ---------------------------------------------------------------------------------------------------

static ts_outcome sweeps(ts_cone_state *state)
{
  return ts_cone_gauss_seidel(state, 60, 1.0, INFINITY);
}

static ts_outcome impatient_sweeps(ts_cone_state *state)
{
  return ts_cone_gauss_seidel(state, 500, 1.2, 20.0);
}

static ts_outcome accelerated_sweeps(ts_cone_state *state)
{
  return ts_cone_accelerated_sweeps(state, state->r, 300, 0, 1.0);
}

static ts_outcome polish(ts_cone_state *state)
{
  return ts_cone_polish(state, state->r, 10);
}

static ts_outcome newton(ts_cone_state *state)
{
  return ts_cone_smoothed_newton(state, state->r, 14, 4);
}

static ts_outcome newton_rounds(ts_cone_state *state)
{
  return ts_cone_newton_rounds(state, 6);
}

static ts_outcome path(ts_cone_state *state)
{
  return ts_cone_smoothing_path(state, 0.1, 0.3);
}

static ts_outcome arc(ts_cone_state *state)
{
  return ts_cone_arc_length(state, 0.1, 0.1, 300);
}

static ts_outcome proximal(ts_cone_state *state)
{
  return ts_cone_proximal_steps(state, 500);
}

static ts_outcome (*const stages[])(ts_cone_state *state) = {sweeps, impatient_sweeps,   polish,   newton,       path,
                                                             arc,    accelerated_sweeps, proximal, newton_rounds};
enum { STAGES = sizeof stages / sizeof stages[0] };

// A cold start that no stage improved on need not have been measured.
static void assert_consistent(fixture *f)
{
  for (size_t k = 0; k < f->p.length; ++k) assert_true(isfinite(f->state.r[k]));
  if (isinf(f->state.error)) return;
  const ts_arena_mark mark = ts_arena_save(&f->arena);
  double *u = ts_arena_doubles(&f->arena, f->p.length);
  ts_cone_velocity(&f->p, f->state.r, u);
  assert_memory_equal(u, f->state.u, f->p.length * sizeof *u);
  assert_true(ts_cone_error(&f->state, f->state.r, u) == f->state.error);
  ts_arena_restore(&f->arena, mark);
}

static void stages_leave_the_best_point(void **state)
{
  (void)state;
  int solved[STAGES] = {0};
  for (uint64_t seed = 1; seed <= 12; ++seed)
    for (int s = 0; s < STAGES; ++s) {
      fixture f;
      init_fixture(&f, 10, 16, seed % 2 ? 0.5 : 1.5, seed);
      ts_cone_system(&f.state); // kept for the next stage; all else is scratch
      for (int again = 0; again < 2; ++again) {
        const double before = f.state.error;
        const size_t in_use = ts_arena_in_use(&f.arena);
        const ts_outcome outcome = stages[s](&f.state);
        assert_true(f.state.error <= before);
        assert_int_equal(ts_arena_in_use(&f.arena), in_use);
        if (outcome == TS_SOLVED) assert_true(ts_cone_will_do(&f.state));
        if (ts_cone_done(&f.state)) assert_int_equal(outcome, TS_SOLVED);
        assert_consistent(&f);
      }
      solved[s] += ts_cone_done(&f.state);
      release_fixture(&f);
    }
  assert_true(solved[4] + solved[5] >= 20); // the paths solve nearly all of these
  assert_true(solved[7] >= 10);             // and so do proximal steps
  assert_true(solved[8] >= 8);              // rounds from no impulses most
}

static void stages_stop_when_time_is_out(void **state)
{
  (void)state;
  for (int s = 0; s < STAGES; ++s) {
    fixture f;
    init_fixture(&f, 15, 27, 1.0, 2);
    f.run.deadline = 0.0; // long past
    const ts_outcome outcome = stages[s](&f.state);
    assert_true(outcome != TS_SOLVED || ts_cone_done(&f.state));
    assert_true(f.report.factorizations <= 2);
    assert_consistent(&f);
    release_fixture(&f);
  }
}

// ---- proximal steps ------------------------------------------------------------------------------------------------

// A proximal step goes where sweeps would go: from a solution it does not move, and with wedged bodies it ends at a
// solution near the start, not at the one of least impulses.
static void proximal_steps_stay_near_where_they_start(void **state)
{
  (void)state;
  static const int start[] = {0, 2, 4}, index[] = {0, 1, 0, 1};
  static const double W[16] = {1, 0, 0, 1, -1, 0, 0, -1, -1, 0, 0, -1, 1, 0, 0, 1}, mu[2] = {0.5, 0.5};
  static const double q[4] = {-1.0, 0.0, 1.0, 0.0}; // u = 0 for r_1 - r_2 = 1, however large both are
  const ts_friction problem = {.dimension = 2, .contacts = 2, .W = {2, 2, start, index, W}, .q = q, .mu = mu};
  for (int size = 0; size < 100; size += 10) {
    fixture f = {.options = ts_solve_options_default()};
    ts_arena_init(&f.arena, NULL);
    ts_cone_problem_init(&f.p, &problem, &f.arena);
    f.run =
        (ts_run){.options = &f.options, .arena = &f.arena, .report = &f.report, .deadline = INFINITY, .limit = 1000};
    const double off = 0.5, r[4] = {size + 1.0 + off, 0.0, size + off, 0.1};
    double scaled[4], found[4];
    ts_cone_import(&f.p, r, scaled);
    ts_cone_state_init(&f.state, &f.p, &f.run, scaled);
    assert_int_equal(ts_cone_proximal_steps(&f.state, 100), TS_SOLVED);
    ts_cone_export(&f.p, f.state.r, found);
    assert_true(fabs(found[0] - found[2] - 1.0) < 1e-6 && fabs(found[0] - r[0]) < 0.5);
    ts_arena_release(&f.arena);
  }
}

// ---- accelerated sweeps --------------------------------------------------------------------------------------------

enum { COLUMN = 30 };

// A column of equal bodies of mass 1, contact i below body i, contact 0 with the ground; the tangents of the contacts
// are coupled as the normals are. The free velocity is that of a unit impulse of gravity on each body: contact i
// carries COLUMN - i of them.
typedef struct column {
  int start[COLUMN + 1], index[3 * COLUMN];
  double W[9 * 3 * COLUMN], q[3 * COLUMN], mu[COLUMN];
  ts_friction problem;
} column;

static void build_column(column *c)
{
  memset(c, 0, sizeof *c);
  int blocks = 0;
  for (int i = 0; i < COLUMN; ++i) {
    c->start[i] = blocks;
    for (int j = i > 0 ? i - 1 : 0; j <= i + 1 && j < COLUMN; ++j, ++blocks) {
      c->index[blocks] = j;
      for (int k = 0; k < 3; ++k) c->W[9 * blocks + 4 * k] = j != i ? -1.0 : i == 0 ? 1.0 : 2.0;
    }
    c->mu[i] = 0.3;
  }
  c->start[COLUMN] = blocks;
  c->q[0] = -1.0;
  c->problem = (ts_friction){.dimension = 3, .contacts = COLUMN, .q = c->q, .mu = c->mu};
  c->problem.W = (ts_block_matrix){.rows = COLUMN, .block = 3, .start = c->start, .index = c->index, .value = c->W};
}

// Plain sweeps pass the load on by one contact a sweep, and then even it out like heat.
static void a_column_takes_fewer_accelerated_sweeps(void **state)
{
  (void)state;
  static column c;
  build_column(&c);
  int taken[2];
  for (int accelerated = 0; accelerated < 2; ++accelerated) {
    fixture f = {.options = ts_solve_options_default()};
    f.options.tolerance = 1e-8;
    ts_arena_init(&f.arena, NULL);
    ts_cone_problem_init(&f.p, &c.problem, &f.arena);
    f.run =
        (ts_run){.options = &f.options, .arena = &f.arena, .report = &f.report, .deadline = INFINITY, .limit = 100000};
    ts_cone_state_init(&f.state, &f.p, &f.run, NULL);
    const ts_outcome outcome = accelerated ? ts_cone_accelerated_sweeps(&f.state, NULL, 100000, 0, 1.0)
                                           : ts_cone_gauss_seidel(&f.state, 100000, 1.0, INFINITY);
    assert_int_equal(outcome, TS_SOLVED);
    double r[3 * COLUMN];
    ts_cone_export(&f.p, f.state.r, r);
    for (int i = 0; i < COLUMN; ++i) assert_true(fabs(r[3 * i] - (COLUMN - i)) < 1e-3);
    taken[accelerated] = f.report.iterations;
    ts_arena_release(&f.arena);
  }
  assert_true(20 * taken[1] < taken[0]);
}

// Who asks for a pace gets an end where there is none: here below round-off.
static void accelerated_sweeps_end_where_they_get_nowhere(void **state)
{
  (void)state;
  int taken[2];
  for (int patient = 0; patient < 2; ++patient) {
    fixture f;
    init_fixture(&f, 10, 16, 0.5, 3);
    f.state.target = 0.0;
    f.options.tolerance = 1e-300;
    assert_int_equal(ts_cone_accelerated_sweeps(&f.state, NULL, 100000, patient ? 0 : 10, 1.0), TS_STALLED);
    assert_consistent(&f);
    taken[patient] = f.report.iterations;
    release_fixture(&f);
  }
  assert_true(4 * taken[0] < taken[1]);
}

// ---- repair of clusters --------------------------------------------------------------------------------------------

// The column is solved but for one contact, wherever that is; a thousand plain sweeps would not even it out.
static void a_cluster_is_repaired_where_it_is(void **state)
{
  (void)state;
  static column c;
  build_column(&c);
  for (int wrong = 0; wrong < COLUMN; ++wrong) {
    fixture f = {.options = ts_solve_options_default()};
    f.options.tolerance = 1e-11;
    ts_arena_init(&f.arena, NULL);
    ts_cone_problem_init(&f.p, &c.problem, &f.arena);
    f.run =
        (ts_run){.options = &f.options, .arena = &f.arena, .report = &f.report, .deadline = INFINITY, .limit = 100000};
    double r[3 * COLUMN] = {0}, *scaled = ts_arena_zeros(&f.arena, f.p.length);
    for (int i = 0; i < COLUMN; ++i) r[3 * i] = COLUMN - i;
    r[3 * wrong] += 0.4;
    r[3 * wrong + 1] = 0.05;
    r[3 * wrong + 2] = -0.1;
    ts_cone_import(&f.p, r, scaled);
    ts_cone_state_init(&f.state, &f.p, &f.run, scaled);
    assert_false(ts_cone_done(&f.state));
    assert_gives_back(&f.arena, assert_int_equal(ts_cone_cluster_repair(&f.state), TS_SOLVED));
    ts_cone_export(&f.p, f.state.r, r);
    for (int i = 0; i < COLUMN; ++i) assert_true(fabs(r[3 * i] - (COLUMN - i)) < 1e-6);
    ts_arena_release(&f.arena);
  }
}

// A point with impulses of 1e6 cannot be known to be solved to 1e-10: its velocity is not known to that.
static void round_off_counts_as_error(void **state)
{
  (void)state;
  static const int start[] = {0, 2, 4}, index[] = {0, 1, 0, 1};
  static const double W[16] = {1, 0, 0, 1, -1, 0, 0, -1, -1, 0, 0, -1, 1, 0, 0, 1}, mu[2] = {0.5, 0.5};
  static const double q[4] = {-1.0, 0.0, 1.0, 0.0}; // u = 0 for r_1 - r_2 = 1, however large both are
  const ts_friction problem = {.dimension = 2, .contacts = 2, .W = {2, 2, start, index, W}, .q = q, .mu = mu};
  for (int large = 0; large < 2; ++large) {
    fixture f = {.options = ts_solve_options_default()};
    ts_arena_init(&f.arena, NULL);
    ts_cone_problem_init(&f.p, &problem, &f.arena);
    f.run =
        (ts_run){.options = &f.options, .arena = &f.arena, .report = &f.report, .deadline = INFINITY, .limit = 1000};
    const double size = large ? 1048576.0 : 1.0, r[4] = {size + 1.0, 0.0, size, 0.0};
    double scaled[4];
    ts_cone_import(&f.p, r, scaled);
    ts_cone_state_init(&f.state, &f.p, &f.run, scaled);
    assert_int_equal(ts_cone_done(&f.state), !large);
    assert_true(f.state.error >= DBL_EPSILON * (large ? 1e6 : 1.0));
    ts_arena_release(&f.arena);
  }
}

int main(void)
{
  const struct CMUnitTest tests[] = {
      cmocka_unit_test(newton_steps_reduce_the_map_as_they_should),
      cmocka_unit_test(polishing_finishes_what_is_nearly_solved),
      cmocka_unit_test(stages_leave_the_best_point),
      cmocka_unit_test(stages_stop_when_time_is_out),
      cmocka_unit_test(proximal_steps_stay_near_where_they_start),
      cmocka_unit_test(a_column_takes_fewer_accelerated_sweeps),
      cmocka_unit_test(accelerated_sweeps_end_where_they_get_nowhere),
      cmocka_unit_test(a_cluster_is_repaired_where_it_is),
      cmocka_unit_test(round_off_counts_as_error),
  };
  return cmocka_run_group_tests(tests, NULL, NULL);
}
