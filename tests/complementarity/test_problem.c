// ts_problem_check(): sound problems pass, and every kind of defect is refused with the sentence that names it.
#include "touchstone/problem.h"

#include <stdarg.h>
#include <stddef.h>
#include <setjmp.h>
#include <math.h>
#include <string.h>
#include <cmocka.h>

static void assert_sound(ts_problem problem)
{
  assert_int_equal(ts_problem_check(&problem, NULL), TS_OK);
}

static void assert_refused(ts_problem problem, const char *sentence)
{
  ts_error error = {0};
  assert_int_equal(ts_problem_check(&problem, &error), TS_INVALID);
  assert_int_equal(error.status, TS_INVALID);
  assert_string_equal(error.text, sentence);
  assert_int_equal(ts_problem_check(&problem, NULL), TS_INVALID);
}

// ---- linear problems -----------------------------------------------------------------------------------------------

static const double identity[] = {1.0, 0.0, 0.0, 1.0}, two[] = {-1.0, 2.0};
static const int diagonal_start[] = {0, 1, 2}, diagonal_index[] = {0, 1};

static ts_lcp sound_lcp(void)
{
  return (ts_lcp){2, {.rows = 2, .columns = 2, .value = identity}, two};
}

static ts_lcp sparse_lcp(const int *start, const int *index)
{
  return (ts_lcp){2, {2, 2, start, index, identity}, two};
}

static void lcp_defects(void **state)
{
  (void)state;
  assert_sound(ts_problem_lcp(sound_lcp()));
  assert_sound(ts_problem_lcp(sparse_lcp(diagonal_start, diagonal_index)));
  assert_sound(ts_problem_lcp((ts_lcp){0}));

  ts_lcp p = sound_lcp();
  p.size = -1;
  assert_refused(ts_problem_lcp(p), "size is -1, it cannot be negative");
  p = sound_lcp();
  p.M.columns = 3;
  assert_refused(ts_problem_lcp(p), "M is 2 x 3, expected is 2 x 2");
  p = sound_lcp();
  p.q = (const double[]){0.0, NAN};
  assert_refused(ts_problem_lcp(p), "q[1] is nan, not a finite number");
  p = sound_lcp();
  p.M.value = (const double[]){1.0, 0.0, INFINITY, 1.0};
  assert_refused(ts_problem_lcp(p), "M[2] is inf, not a finite number");
}

static void pattern_defects(void **state)
{
  (void)state;
  assert_refused(ts_problem_lcp(sparse_lcp((const int[]){1, 1, 2}, diagonal_index)),
                 "the offsets of M do not begin with 0");
  assert_refused(ts_problem_lcp(sparse_lcp((const int[]){0, 2, 1}, diagonal_index)),
                 "the offsets of M fall after column 1");
  assert_refused(ts_problem_lcp(sparse_lcp(diagonal_start, (const int[]){0, 2})),
                 "entry 1 of M has index 2, allowed are 0 to 1");
  assert_refused(ts_problem_lcp(sparse_lcp(diagonal_start, (const int[]){-1, 1})),
                 "entry 0 of M has index -1, allowed are 0 to 1");
  assert_refused(ts_problem_lcp(sparse_lcp((const int[]){0, 2, 2}, (const int[]){1, 0})),
                 "entry 1 of M is out of order or there twice");
  assert_refused(ts_problem_lcp(sparse_lcp((const int[]){0, 2, 2}, (const int[]){1, 1})),
                 "entry 1 of M is out of order or there twice");
}

static void bound_defects(void **state)
{
  (void)state;
  const double infinite = INFINITY, low[] = {0.0, -infinite}, high[] = {0.0, infinite};
  const ts_lcp p = sound_lcp();
  assert_sound(ts_problem_mlcp((ts_mlcp){2, p.M, p.q, low, high})); // a fixed and a free variable
  assert_refused(ts_problem_mlcp((ts_mlcp){2, p.M, p.q, (const double[]){0.0, 2.0}, (const double[]){0.0, 1.0}}),
                 "variable 1 has the empty range [2, 1]");
  assert_refused(ts_problem_mlcp((ts_mlcp){2, p.M, p.q, (const double[]){0.0, infinite}, high}),
                 "variable 1 has the empty range [inf, inf]");
  assert_refused(ts_problem_mlcp((ts_mlcp){2, p.M, p.q, low, (const double[]){0.0, -infinite}}),
                 "variable 1 has the empty range [-inf, -inf]");
  assert_refused(ts_problem_mlcp((ts_mlcp){2, p.M, p.q, (const double[]){NAN, 0.0}, high}),
                 "a bound of variable 0 is not a number");
}

// ---- nonlinear problems --------------------------------------------------------------------------------------------

static int no_function(void *user, const double *z, double *values)
{
  (void)user;
  (void)z;
  (void)values;
  return 1;
}

static void mcp_defects(void **state)
{
  (void)state;
  const double low[] = {0.0, 0.0}, high[] = {1.0, INFINITY};
  const ts_mcp sound = {2, low, high, diagonal_start, diagonal_index, no_function, no_function, NULL};
  assert_sound(ts_problem_mcp(sound));
  ts_mcp p = sound;
  p.start = p.index = NULL;
  assert_sound(ts_problem_mcp(p));
  p = sound;
  p.size = -3;
  assert_refused(ts_problem_mcp(p), "size is -3, it cannot be negative");
  p = sound;
  p.evaluate = NULL;
  assert_refused(ts_problem_mcp(p), "a callback of the problem is missing");
  p = sound;
  p.jacobian = NULL;
  assert_refused(ts_problem_mcp(p), "a callback of the problem is missing");
  p = sound;
  p.index = (const int[]){0, 5};
  assert_refused(ts_problem_mcp(p), "entry 1 of the Jacobian has index 5, allowed are 0 to 1");
  p = sound;
  p.upper = low;
  p.lower = high;
  assert_refused(ts_problem_mcp(p), "variable 0 has the empty range [1, 0]");
}

// ---- friction ------------------------------------------------------------------------------------------------------

static const double blocks[16] = {2.0, 0.0, 0.0, 2.0, 1.0, 0.0, 0.0, 1.0, 1.0, 0.0, 0.0, 1.0, 2.0, 0.0, 0.0, 2.0};
static const double four[4] = {-1.0, 0.5, -1.0, 0.5}, friction_coefficients[] = {0.3, 0.0};
static const int full_start[] = {0, 2, 4}, full_index[] = {0, 1, 0, 1};

// Two planar contacts, coupled.
static ts_friction sound_friction(void)
{
  return (ts_friction){.dimension = 2,
                       .contacts = 2,
                       .W = {2, 2, full_start, full_index, blocks},
                       .q = four,
                       .mu = friction_coefficients};
}

static void contact_defects(void **state)
{
  (void)state;
  assert_sound(ts_problem_friction(sound_friction()));
  assert_sound(ts_problem_friction((ts_friction){.dimension = 3, .W = {.block = 3}})); // nothing touches

  ts_friction p = sound_friction();
  p.dimension = 5;
  assert_refused(ts_problem_friction(p), "a contact has 5 components, allowed are 2, 3 and 4");
  p = sound_friction();
  p.contacts = -2;
  assert_refused(ts_problem_friction(p), "the number of contacts is -2, it cannot be negative");
  p = sound_friction();
  p.bilaterals = -1;
  assert_refused(ts_problem_friction(p), "the number of bilateral rows is -1, it cannot be negative");
  p = sound_friction();
  p.mu = (const double[]){0.3, -0.1};
  assert_refused(ts_problem_friction(p), "the friction coefficient of contact 1 is -0.1, it must be at least 0");
  p.mu = (const double[]){INFINITY, 0.1};
  assert_refused(ts_problem_friction(p), "the friction coefficient of contact 0 is inf, it must be at least 0");
  p = sound_friction();
  p.ellipsoid = (const double[]){1.0, 0.0};
  assert_refused(ts_problem_friction(p), "semi-axis 0 of contact 1 is 0, it must be positive");
  p = sound_friction();
  p.q = (const double[]){0.0, 0.0, 0.0, -INFINITY};
  assert_refused(ts_problem_friction(p), "q[3] is -inf, not a finite number");
}

static void contact_matrix_defects(void **state)
{
  (void)state;
  ts_friction p = sound_friction();
  p.W.block = 3;
  assert_refused(ts_problem_friction(p), "W has 2 rows of blocks of size 3, expected are 2 and 2");
  p = sound_friction();
  p.W.start = (const int[]){0, 2, 3};
  p.W.index = (const int[]){0, 1, 1};
  assert_refused(ts_problem_friction(p), "W has block (0, 1) but not block (1, 0)");
  p = sound_friction();
  p.W.start = (const int[]){0, 1, 1};
  p.W.index = (const int[]){0};
  assert_refused(ts_problem_friction(p), "W lacks the diagonal block of contact 1");
  double values[16];
  memcpy(values, blocks, sizeof values);
  values[7] = NAN;
  p = sound_friction();
  p.W.value = values;
  assert_refused(ts_problem_friction(p), "W[7] is nan, not a finite number");
}

static void bilateral_defects(void **state)
{
  (void)state;
  const double V[4] = {1.0, 0.0, 0.0, 0.0}, R[1] = {1.0}, s[1] = {0.0};
  ts_friction sound = sound_friction();
  sound.bilaterals = 1;
  sound.V = (ts_matrix){.rows = 4, .columns = 1, .value = V};
  sound.R = (ts_matrix){.rows = 1, .columns = 1, .value = R};
  sound.s = s;
  assert_sound(ts_problem_friction(sound));
  ts_friction p = sound;
  p.V.rows = 3;
  assert_refused(ts_problem_friction(p), "V is 3 x 1, expected is 4 x 1");
  p = sound;
  p.R.rows = 0;
  assert_refused(ts_problem_friction(p), "R is 0 x 1, expected is 1 x 1");
  p = sound;
  p.s = (const double[]){NAN};
  assert_refused(ts_problem_friction(p), "s[0] is nan, not a finite number");
  const ts_bodies bodies = {.M = {.rows = 0}};
  p = sound;
  p.bodies = &bodies;
  assert_refused(ts_problem_friction(p), "bodies are for problems without bilateral rows");
}

static void body_defects(void **state)
{
  (void)state;
  const double H[8] = {0};
  ts_bodies bodies = {.M = {2, 2, diagonal_start, diagonal_index, identity},
                      .H = {.rows = 2, .columns = 4, .value = H}};
  ts_friction p = sound_friction();
  p.bodies = &bodies;
  assert_sound(ts_problem_friction(p));
  bodies.H.columns = 2;
  assert_refused(ts_problem_friction(p), "H is 2 x 2, expected is 2 x 4");
  bodies.M.columns = 3;
  assert_refused(ts_problem_friction(p), "M is 2 x 3, expected is 2 x 2");
  bodies.M.rows = -2;
  assert_refused(ts_problem_friction(p), "the number of rows of M is -2, it cannot be negative");
}

static void rows_of_bodies(void **state)
{
  (void)state;
  const double H[4] = {0}, coupled[4] = {2.0, 1.0, 1.0, 2.0};
  const int H_start[5] = {0, 1, 2, 3, 4}, H_index[4] = {0, 0, 1, 1}, start[3] = {0, 2, 4}, index[4] = {0, 1, 0, 1};
  const int each[3] = {0, 1, 2}, both[2] = {0, 2}, short_by_one[2] = {0, 1}, backwards[3] = {0, 3, 2};
  ts_bodies bodies = {.M = {2, 2, diagonal_start, diagonal_index, identity}, .H = {2, 4, H_start, H_index, H}};
  ts_friction p = sound_friction();
  p.bodies = &bodies;
  bodies.count = 2;
  assert_refused(ts_problem_friction(p), "there are 2 bodies, but nothing says which rows of M are theirs");
  bodies.first = each;
  assert_sound(ts_problem_friction(p));
  bodies.M = (ts_matrix){2, 2, start, index, coupled};
  assert_refused(ts_problem_friction(p), "M couples row 0 of body 0 with row 1 of another");
  bodies.first = both;
  bodies.count = 1;
  assert_sound(ts_problem_friction(p));
  bodies.first = short_by_one;
  assert_refused(ts_problem_friction(p), "the bodies have the rows 0 to 1 of M, which has 2");
  bodies.first = backwards;
  bodies.count = 2;
  assert_refused(ts_problem_friction(p), "body 1 has rows that end before they begin");
  bodies.count = -1;
  assert_refused(ts_problem_friction(p), "the number of bodies is -1, it cannot be negative");
}

static void global_defects(void **state)
{
  (void)state;
  const double H[8] = {0}, mass[1] = {1.0};
  const ts_global_friction sound = {.dimension = 2,
                                    .contacts = 2,
                                    .M = {2, 2, diagonal_start, diagonal_index, identity},
                                    .H = {.rows = 2, .columns = 4, .value = H},
                                    .f = two,
                                    .w = four,
                                    .mu = friction_coefficients};
  assert_sound(ts_problem_global_friction(sound));
  ts_global_friction p = sound;
  p.contacts = 0;
  p.H.columns = 0;
  assert_sound(ts_problem_global_friction(p));
  p = sound;
  p.M.rows = -1;
  assert_refused(ts_problem_global_friction(p), "the number of rows of M is -1, it cannot be negative");
  p = sound;
  p.M.columns = 1;
  assert_refused(ts_problem_global_friction(p), "M is 2 x 1, expected is 2 x 2");
  p = sound;
  p.H.rows = 3;
  assert_refused(ts_problem_global_friction(p), "H is 3 x 4, expected is 2 x 4");
  p = sound;
  p.f = (const double[]){NAN, 0.0};
  assert_refused(ts_problem_global_friction(p), "f[0] is nan, not a finite number");
  p = sound;
  p.w = (const double[]){0.0, 0.0, NAN, 0.0};
  assert_refused(ts_problem_global_friction(p), "w[2] is nan, not a finite number");
  p = sound;
  p.bilaterals = 1;
  p.G = (ts_matrix){.rows = 1, .columns = 1, .value = mass};
  assert_refused(ts_problem_global_friction(p), "G is 1 x 1, expected is 2 x 1");
  p.G = (ts_matrix){.rows = 2, .columns = 1, .value = identity};
  p.b = (const double[]){INFINITY};
  assert_refused(ts_problem_global_friction(p), "b[0] is inf, not a finite number");
}

// Sizes whose products would not fit an int must be refused before anything is read.
static void sizes_that_overflow(void **state)
{
  (void)state;
  ts_friction p = sound_friction();
  p.contacts = 1 << 30;
  assert_refused(ts_problem_friction(p), "1073741824 contacts of 2 components are more than can be numbered");
}

// ---- names and sizes -----------------------------------------------------------------------------------------------

static void types_have_names_and_sizes(void **state)
{
  (void)state;
  assert_string_equal(ts_problem_type_name(TS_LCP), "lcp");
  assert_string_equal(ts_problem_type_name(TS_MLCP), "mlcp");
  assert_string_equal(ts_problem_type_name(TS_MCP), "mcp");
  assert_string_equal(ts_problem_type_name(TS_FRICTION), "friction");
  assert_string_equal(ts_problem_type_name(TS_GLOBAL_FRICTION), "global-friction");
  assert_string_equal(ts_problem_type_name((ts_problem_type)3), "unknown");

  assert_int_equal(ts_problem_size(&(ts_problem){.type = TS_LCP, .lcp = sound_lcp()}), 2);
  ts_problem p = ts_problem_friction((ts_friction){.dimension = 3, .contacts = 4, .bilaterals = 5});
  assert_int_equal(ts_problem_size(&p), 17);
  p = ts_problem_global_friction(
      (ts_global_friction){.dimension = 2, .contacts = 4, .bilaterals = 1, .M = {.rows = 6}});
  assert_int_equal(ts_problem_size(&p), 15);
  assert_refused((ts_problem){0}, "the problem has no type");
}

int main(void)
{
  const struct CMUnitTest tests[] = {
      cmocka_unit_test(lcp_defects),         cmocka_unit_test(pattern_defects),
      cmocka_unit_test(bound_defects),       cmocka_unit_test(mcp_defects),
      cmocka_unit_test(contact_defects),     cmocka_unit_test(contact_matrix_defects),
      cmocka_unit_test(bilateral_defects),   cmocka_unit_test(body_defects),
      cmocka_unit_test(rows_of_bodies),      cmocka_unit_test(global_defects),
      cmocka_unit_test(sizes_that_overflow), cmocka_unit_test(types_have_names_and_sizes),
  };
  return cmocka_run_group_tests(tests, NULL, NULL);
}
