// The smoothed law: its value tends to the projection and its zeros to solutions as eps falls, and its derivative
// agrees with differences, frictionless contacts and u_t = 0 included.
#include "complementarity/friction/smoothing.h"

#include "friction_generator.h"

#include "base/random.h"

#include <math.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdlib.h>
#include <string.h>
#include <cmocka.h>

// A scaled problem with its smoothing, and a point.
typedef struct bench {
  ts_arena arena;
  friction_sample *sample;
  ts_cone_problem p;
  ts_smoothing smoothing;
  ts_newton_system *system;
  double *z, *r, *u, *F;
} bench;

static void init_bench(bench *b, int d, double gamma, uint64_t seed)
{
  const friction_recipe recipe = {.dimension = d, .contacts = 12, .bodies = 5, .most_mu = 1.5}; // one mu in ten is 0
  ts_arena_init(&b->arena, NULL);
  b->sample = friction_sample_create(&recipe, seed);
  ts_cone_problem_init(&b->p, &b->sample->local.friction, &b->arena);
  ts_smoothing_init(&b->smoothing, &b->p, gamma, &b->arena);
  b->system = ts_newton_system_create(&b->p, INFINITY, &b->arena);
  b->z = ts_arena_zeros(&b->arena, b->p.length);
  b->r = ts_arena_zeros(&b->arena, b->p.length);
  b->u = ts_arena_zeros(&b->arena, b->p.length);
  b->F = ts_arena_zeros(&b->arena, b->p.length);
}

static void release_bench(bench *b)
{
  friction_sample_destroy(b->sample);
  ts_arena_release(&b->arena);
}

static void draw_point(bench *b, uint64_t seed)
{
  ts_random random;
  ts_random_init(&random, seed);
  for (int i = 0; i < b->p.contacts; ++i)
    for (int k = 0; k < b->p.d; ++k) {
      const size_t at = (size_t)i * (size_t)b->p.stride + (size_t)k;
      b->z[at] = ts_random_normal(&random);
      b->u[at] = ts_random_normal(&random) / b->smoothing.velocity[at];
    }
}

// F without smoothing, contact by contact, with the projection on |x_t| <= x_n of another file.
static void unsmoothed_map(const bench *b, int i, double *F)
{
  const size_t at = (size_t)i * (size_t)b->p.stride;
  double x[4] = {0}, slip = 0.0;
  for (int k = 0; k < b->p.d; ++k) {
    const double v = b->smoothing.velocity[at + (size_t)k] * b->u[at + (size_t)k];
    x[k] = b->z[at + (size_t)k] - v;
    if (k > 0) slip += v * v;
  }
  if (b->p.mu[i] > 0.0) {
    x[0] -= sqrt(slip);
    ts_cone_project(b->p.d, 1.0, x);
  } else {
    x[0] = fmax(x[0], 0.0);
    for (int k = 1; k < b->p.d; ++k) x[k] = 0.0;
  }
  for (int k = 0; k < b->p.d; ++k) F[k] = b->z[at + (size_t)k] - x[k];
}

// |p(l) - max(l, 0)| <= eps and |sqrt(v^2 + g^2) - g - |v|| <= g, and the projection does not stretch: every contact's
// part of F is within (sqrt(2) + gamma) eps of the unsmoothed one.
static void the_value_tends_to_the_projection(void **state)
{
  (void)state;
  const double gamma = 0.3;
  for (int d = 2; d <= 4; ++d) {
    bench b;
    init_bench(&b, d, gamma, (uint64_t)d);
    for (uint64_t seed = 1; seed <= 50; ++seed)
      for (double eps = 1.0; eps > 1e-12; eps *= 0.01) {
        draw_point(&b, seed);
        ts_smoothing_map(&b.smoothing, eps, b.z, b.u, b.F, NULL);
        for (int i = 0; i < b.p.contacts; ++i) {
          double F[4], difference = 0.0;
          unsmoothed_map(&b, i, F);
          for (int k = 0; k < d; ++k) {
            const double e = b.F[i * b.p.stride + k] - F[k];
            difference += e * e;
          }
          assert_true(sqrt(difference) <= (sqrt(2.0) + gamma) * eps + 1e-14);
        }
      }
    release_bench(&b);
  }
}

// Blocks of the derivative of contact i with respect to r and u, column by column, by central differences. With eps
// of 0.1 third derivatives are at most 1/eps^2 = 100: a step of 1e-5 is off by 2e-9.
static void assert_blocks(bench *b, double eps, int i)
{
  const int d = b->p.d;
  const double h = 1e-5;
  for (int c = 0; c < 2 * d; ++c) {
    const size_t at = (size_t)(i * b->p.stride + c % d);
    const double unit = c < d ? 1.0 : 1.0 / b->smoothing.velocity[at]; // a step of h in Lorentz variables
    double *x = c < d ? b->z : b->u, low[4], high[4];
    const double middle = x[at];
    for (int side = 0; side < 2; ++side) {
      x[at] = middle + (side ? h : -h) * unit;
      ts_smoothing_map(&b->smoothing, eps, b->z, b->u, b->F, NULL);
      memcpy(side ? high : low, b->F + i * b->p.stride, (size_t)d * sizeof *low);
    }
    x[at] = middle;
    for (int k = 0; k < d; ++k) {
      const double *block = c < d ? ts_newton_system_A(b->system, i) : ts_newton_system_B(b->system, i);
      const double exact = block[c % d * d + k] * (c < d ? b->smoothing.impulse[at] : unit);
      const double difference = (high[k] - low[k]) / (2.0 * h);
      if (!(fabs(difference - exact) <= 1e-6))
        fail_msg("d = %d, mu = %g: entry (%d, %d) is %g, differences give %g", d, b->p.mu[i], k, c, exact, difference);
    }
  }
}

static void blocks_agree_with_differences(void **state)
{
  (void)state;
  const double eps = 0.1;
  int frictionless = 0;
  for (int d = 2; d <= 4; ++d)
    for (uint64_t seed = 1; seed <= 20; ++seed) {
      bench b;
      init_bench(&b, d, 0.5, seed);
      draw_point(&b, seed);
      for (int i = 0; i < b.p.contacts; i += 3) { // sticking ones, and points on the axis of the cone
        memset(b.u + i * b.p.stride + 1, 0, (size_t)(d - 1) * sizeof *b.u);
        if (i % 2) memset(b.z + i * b.p.stride + 1, 0, (size_t)(d - 1) * sizeof *b.z);
      }
      ts_smoothing_map(&b.smoothing, eps, b.z, b.u, b.F, b.system);
      for (int i = 0; i < b.p.contacts; ++i) {
        frictionless += b.p.mu[i] == 0.0;
        assert_blocks(&b, eps, i);
      }
      release_bench(&b);
    }
  assert_true(frictionless >= 20);
}

// F at the last point of a walk is small; the natural residual there is of the order of eps, so that halving eps
// halves it: the zero of the smoothed law tends to a solution of the law.
static void zeros_tend_to_a_solution(void **state)
{
  (void)state;
  int followed = 0;
  for (uint64_t seed = 1; seed <= 20; ++seed) {
    bench b;
    init_bench(&b, 3, 0.1, seed);
    const ts_solve_options options = ts_solve_options_default();
    ts_report report = {0};
    ts_run run = {.options = &options, .arena = &b.arena, .report = &report, .deadline = INFINITY, .limit = 1000};
    ts_cone_state cone;
    ts_path_walk walk;
    double eps, worst = 0.0;
    ts_cone_state_init(&cone, &b.p, &run, NULL);
    ts_path_walk_init(&walk, &cone, 0.1, &eps);
    int steps = 0;
    for (; eps > 1e-9 && steps >= 0; eps *= 0.5) {
      steps = ts_path_centre(&walk, eps, 0.01);
      if (steps < 0) break; // the path folds back here: the arc-length stage's business
      ts_smoothing_point(&walk.smoothing, walk.z, walk.r, walk.u);
      worst = ts_cone_residual(&b.p, walk.r, walk.u);
    }
    if (steps >= 0) {
      ++followed;
      assert_true(worst <= 1e-7); // eps = 2e-9 at the end, twelve contacts, scales of about 1
    }
    release_bench(&b);
  }
  print_message("%d of 20 paths followed to the end\n", followed);
  assert_true(followed >= 10);
}

// Problems that the first setting of the path leaves unsolved, and a later one solves.
static void later_settings_solve_what_the_first_does_not(void **state)
{
  (void)state;
  static const int seeds[] = {13, 28, 103, 110};
  double z[1024];
  ts_workspace *workspace = ts_workspace_create(NULL);
  const ts_solve_options options = ts_solve_options_default();
  for (size_t k = 0; k < sizeof seeds / sizeof *seeds; ++k) {
    friction_recipe recipe = friction_recipe_draw((uint64_t)seeds[k]);
    if (recipe.contacts > 12) recipe.contacts = 12;
    friction_sample *sample = friction_sample_create(&recipe, (uint64_t)seeds[k]);
    ts_report report = {0};
    memset(z, 0, sizeof z);
    assert_int_equal(ts_solve(ts_solver_find("smooth"), &sample->local, &options, workspace, z, &report, NULL), TS_OK);
    if (report.outcome != TS_SOLVED) fail_msg("seed %d: %s", seeds[k], ts_outcome_name(report.outcome));
    friction_sample_destroy(sample);
  }
  ts_workspace_destroy(workspace);
}

int main(void)
{
  const struct CMUnitTest tests[] = {
      cmocka_unit_test(the_value_tends_to_the_projection),
      cmocka_unit_test(blocks_agree_with_differences),
      cmocka_unit_test(zeros_tend_to_a_solution),
      cmocka_unit_test(later_settings_solve_what_the_first_does_not),
  };
  return cmocka_run_group_tests(tests, NULL, NULL);
}
