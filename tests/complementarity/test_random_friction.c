// `auto` on random friction problems: a thousand mechanisms of every kind that the generator knows, and the spheres of
// 002. Every one has a solution (friction_generator.h), so every one has to be solved. Seeds are fixed.
#include "friction_generator.h"
#include "friction_run.h"

#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdio.h>
#include <cmocka.h>

// Rank-deficient problems: more contact rows than degrees of freedom.
static bool is_rank_deficient(const friction_sample *sample)
{
  const ts_friction *p = &sample->local.friction;
  return p->dimension * p->contacts > sample->bodies.M.rows;
}

static void a_thousand_random_mechanisms_are_solved(void **state)
{
  friction_run *run = *state;
  const ts_solver *solver = ts_solver_find("auto");
  const double tolerance = 1e-9;
  int missed = 0, deficient = 0, bilateral = 0;
  run->options.tolerance = tolerance;
  for (uint64_t seed = 1; seed <= 1000; ++seed) {
    const friction_recipe recipe = friction_recipe_draw(seed);
    friction_sample *sample = friction_sample_create(&recipe, seed);
    deficient += is_rank_deficient(sample);
    bilateral += sample->local.friction.bilaterals > 0;
    const ts_outcome outcome = friction_run_solve(run, solver, &sample->local);
    if (outcome != TS_SOLVED || !friction_run_is_certified(run, &sample->local, tolerance)) {
      char what[64];
      snprintf(what, sizeof what, "seed %d (d = %d, %d contacts)", (int)seed, recipe.dimension, recipe.contacts);
      friction_run_print_miss(run, &sample->local, what);
      ++missed;
    }
    friction_sample_destroy(sample);
  }
  print_message("%d rank deficient, %d with joints, %d missed\n", deficient, bilateral, missed);
  assert_true(deficient >= 300 && bilateral >= 200); // the hard kinds are among them
  assert_int_equal(missed, 0);
}

// REFERENCE I.b: the sizes and coefficients of 002's table, 40 problems a cell.
static void the_spheres_of_the_table_are_solved(void **state)
{
  friction_run *run = *state;
  static const double mus[] = {0.1, 0.5, 1.0, 2.0};
  static const int sizes[][2] = {{5, 7}, {10, 16}, {15, 27}};
  const ts_solver *solver = ts_solver_find("auto");
  const double tolerance = 1e-10;
  int missed = 0;
  for (int m = 0; m < 4; ++m)
    for (int s = 0; s < 3; ++s)
      for (uint64_t seed = 1; seed <= 40; ++seed) {
        friction_sample *sample = friction_sample_spheres(sizes[s][0], sizes[s][1], mus[m], seed);
        const ts_outcome outcome = friction_run_solve(run, solver, &sample->local);
        if (outcome != TS_SOLVED || !friction_run_is_certified(run, &sample->local, tolerance)) {
          char what[64];
          snprintf(what, sizeof what, "%d spheres, mu = %g, seed %d", sizes[s][0], mus[m], (int)seed);
          friction_run_print_miss(run, &sample->local, what);
          ++missed;
        }
        friction_sample_destroy(sample);
      }
  assert_int_equal(missed, 0);
}

#define TEST(function) cmocka_unit_test_setup_teardown(function, friction_run_setup, friction_run_teardown)

int main(void)
{
  const struct CMUnitTest tests[] = {
      TEST(a_thousand_random_mechanisms_are_solved),
      TEST(the_spheres_of_the_table_are_solved),
  };
  return cmocka_run_group_tests(tests, NULL, NULL);
}
