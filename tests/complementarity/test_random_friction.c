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

// 1 when `auto` misses the tolerance of the options, with a line that names the problem; else 0.
static int count_miss(friction_run *run, const ts_problem *problem, const char *name, ...)
{
  const ts_outcome outcome = friction_run_solve(run, ts_solver_find("auto"), problem);
  if (outcome == TS_SOLVED && friction_run_is_certified(run, problem, run->options.tolerance)) return 0;
  char what[80];
  va_list arguments;
  va_start(arguments, name);
  vsnprintf(what, sizeof what, name, arguments);
  va_end(arguments);
  friction_run_print_miss(run, problem, what);
  return 1;
}

static void a_thousand_random_mechanisms_are_solved(void **state)
{
  friction_run *run = *state;
  int missed = 0, deficient = 0, bilateral = 0;
  run->options.tolerance = 1e-9;
  for (uint64_t seed = 1; seed <= 1000; ++seed) {
    const friction_recipe recipe = friction_recipe_draw(seed);
    friction_sample *sample = friction_sample_create(&recipe, seed);
    deficient += is_rank_deficient(sample);
    bilateral += sample->local.friction.bilaterals > 0;
    missed +=
        count_miss(run, &sample->local, "seed %d (d = %d, %d contacts)", (int)seed, recipe.dimension, recipe.contacts);
    friction_sample_destroy(sample);
  }
  print_message("%d rank deficient, %d with joints, %d missed\n", deficient, bilateral, missed);
  assert_true(deficient >= 300 && bilateral >= 200); // the hard kinds are among them
  assert_int_equal(missed, 0);
}

static void global_forms_are_solved_as_well(void **state)
{
  friction_run *run = *state;
  int missed = 0;
  run->options.tolerance = 1e-9;
  for (uint64_t seed = 1; seed <= 300; ++seed) {
    const friction_recipe recipe = friction_recipe_draw(seed);
    friction_sample *sample = friction_sample_create(&recipe, seed);
    missed += count_miss(run, &sample->global, "global form, seed %d", (int)seed);
    friction_sample_destroy(sample);
  }
  assert_int_equal(missed, 0);
}

// Nearly jammed mechanisms have points with impulses of 1e5 to 1e6 times the data that look solved to within their own
// round-off; in the last four a contact joins bodies that joints hold fast. None may be claimed where it is not so.
static void problems_next_to_round_off_are_solved(void **state)
{
  friction_run *run = *state;
  static const uint64_t seeds[] = {2394, 2880, 2977, 3446, 6328, 6581, 7042, 7115,
                                   7583, 8542, 9090, 9536, 1233, 2813, 2982, 6823};
  int missed = 0;
  for (size_t k = 0; k < sizeof seeds / sizeof seeds[0]; ++k) {
    const friction_recipe recipe = friction_recipe_draw(seeds[k]);
    friction_sample *sample = friction_sample_create(&recipe, seeds[k]);
    missed += count_miss(run, &sample->local, "seed %d", (int)seeds[k]);
    friction_sample_destroy(sample);
  }
  assert_int_equal(missed, 0);
}

// reference-numbers.md 2: the sizes and coefficients of 002's table, 40 problems a cell.
static void the_spheres_of_the_table_are_solved(void **state)
{
  friction_run *run = *state;
  static const double mus[] = {0.1, 0.5, 1.0, 2.0};
  static const int sizes[][2] = {{5, 7}, {10, 16}, {15, 27}};
  int missed = 0;
  for (int m = 0; m < 4; ++m)
    for (int s = 0; s < 3; ++s)
      for (uint64_t seed = 1; seed <= 40; ++seed) {
        friction_sample *sample = friction_sample_spheres(sizes[s][0], sizes[s][1], mus[m], seed);
        missed += count_miss(run, &sample->local, "%d spheres, mu = %g, seed %d", sizes[s][0], mus[m], (int)seed);
        friction_sample_destroy(sample);
      }
  assert_int_equal(missed, 0);
}

#define TEST(function) cmocka_unit_test_setup_teardown(function, friction_run_setup, friction_run_teardown)

int main(void)
{
  const struct CMUnitTest tests[] = {
      TEST(a_thousand_random_mechanisms_are_solved),
      TEST(global_forms_are_solved_as_well),
      TEST(problems_next_to_round_off_are_solved),
      TEST(the_spheres_of_the_table_are_solved),
  };
  return cmocka_run_group_tests(tests, NULL, NULL);
}
