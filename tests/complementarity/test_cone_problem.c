// The scaled problem: its scaling, and its residuals against the certificate, which is other code.
#include "complementarity/friction/cone_problem.h"

#include "friction_generator.h"

#include "touchstone/certificate.h"

#include "base/random.h"
#include "math/matrix.h"

#include <float.h>
#include <math.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdlib.h>
#include <string.h>
#include <cmocka.h>

typedef struct scaled_sample {
  ts_arena arena;
  friction_sample *sample;
  const ts_friction *friction;
  ts_cone_problem p;
  int rows; // dimension*contacts
  double *r, *u, *scaled, *scaled_u;
} scaled_sample;

static void init_sample(scaled_sample *s, int d, bool ellipsoid, uint64_t seed)
{
  const friction_recipe recipe = {.dimension = d, .contacts = 9, .bodies = 4, .ellipsoid = ellipsoid, .most_mu = 1.5};
  ts_arena_init(&s->arena, NULL);
  s->sample = friction_sample_create(&recipe, seed);
  s->friction = &s->sample->local.friction;
  ts_cone_problem_init(&s->p, s->friction, &s->arena);
  s->rows = d * s->friction->contacts;
  s->r = ts_arena_zeros(&s->arena, (size_t)s->rows);
  s->u = ts_arena_zeros(&s->arena, (size_t)s->rows);
  s->scaled = ts_arena_zeros(&s->arena, s->p.length);
  s->scaled_u = ts_arena_zeros(&s->arena, s->p.length);
  ts_random random;
  ts_random_init(&random, seed);
  for (int k = 0; k < s->rows; ++k) s->r[k] = (k % d == 0 ? 1.0 : 0.0) + ts_random_normal(&random);
}

static void release_sample(scaled_sample *s)
{
  friction_sample_destroy(s->sample);
  ts_arena_release(&s->arena);
}

static void for_all_samples(void (*check)(scaled_sample *s))
{
  for (int d = 2; d <= 4; ++d)
    for (uint64_t seed = 1; seed <= 10; ++seed) {
      scaled_sample s;
      init_sample(&s, d, seed % 2 == 0, seed);
      check(&s);
      release_sample(&s);
    }
}

static void check_scaling(scaled_sample *s)
{
  double data = 0.0;
  for (int i = 0; i < s->p.contacts; ++i) {
    const double *block = s->p.W + s->p.diagonal[i] * s->p.stride * s->p.d;
    double trace = 0.0;
    for (int k = 0; k < s->p.d; ++k) trace += block[k * s->p.stride + k];
    assert_true(fabs(trace - s->p.d) <= 8.0 * DBL_EPSILON * s->p.d);
  }
  for (size_t k = 0; k < s->p.length; ++k) data += s->p.q[k] * s->p.q[k];
  assert_true(fabs(data - 1.0) <= 1e-14);
}

static void blocks_have_trace_d_and_data_length_one(void **state)
{
  (void)state;
  for_all_samples(check_scaling);
}

// Import and export are inverse, and the scaled velocity is that of the problem: u' = D u/|D q|, D = scale/|D q|.
static void check_translation(scaled_sample *s)
{
  double *back = ts_arena_zeros(&s->arena, (size_t)s->rows);
  ts_cone_import(&s->p, s->r, s->scaled);
  ts_cone_export(&s->p, s->scaled, back);
  ts_cone_velocity(&s->p, s->scaled, s->scaled_u);
  memcpy(s->u, s->friction->q, (size_t)s->rows * sizeof *s->u);
  ts_block_multiply_add(&s->friction->W, s->r, s->u);
  for (int k = 0; k < s->rows; ++k) {
    const int at = k / s->p.d * s->p.stride + k % s->p.d;
    assert_true(fabs(back[k] - s->r[k]) <= 2.0 * DBL_EPSILON * fabs(s->r[k]));
    const double expected = s->p.scale[at] * s->u[k] / (s->p.data_size * s->p.data_size);
    assert_true(fabs(s->scaled_u[at] - expected) <= 1e-12);
  }
  for (size_t k = 0; k < s->p.length; ++k)
    if (k % (size_t)s->p.stride >= (size_t)s->p.d) assert_true(s->scaled[k] == 0.0 && s->scaled_u[k] == 0.0);
}

static void points_are_translated_there_and_back(void **state)
{
  (void)state;
  for_all_samples(check_translation);
}

static void check_residuals(scaled_sample *s)
{
  ts_friction_measures measures;
  double sum = 0.0;
  ts_cone_import(&s->p, s->r, s->scaled);
  ts_cone_velocity(&s->p, s->scaled, s->scaled_u);
  assert_int_equal(ts_friction_measure(&s->sample->local, s->r, &measures), TS_OK);
  const double scaled = ts_cone_residual(&s->p, s->scaled, s->scaled_u);
  const double raw = ts_cone_raw_residual(&s->p, s->scaled, s->scaled_u);
  assert_true(fabs(scaled - measures.scaled) <= 1e-12 * measures.scaled);
  assert_true(fabs(raw - measures.fclib) <= 1e-12 * measures.fclib);
  for (int i = 0; i < s->p.contacts; ++i) sum += ts_cone_contact_residual(&s->p, i, s->scaled, s->scaled_u);
  assert_true(fabs(sqrt(sum) - scaled) <= 1e-12 * scaled);
}

static void residuals_are_those_of_the_certificate(void **state)
{
  (void)state;
  for_all_samples(check_residuals);
}

// y is the projection of x on K where y is in K, x - y in the polar cone, and the two are orthogonal (Moreau).
static void projections_obey_the_decomposition(void **state)
{
  (void)state;
  ts_random random;
  ts_random_init(&random, 50);
  for (int n = 0; n < 30000; ++n) {
    const int d = 2 + n % 3;
    const double mu = n % 7 == 0 ? 0.0 : ts_random_uniform(&random, 0.0, 2.0);
    double x[4], y[4], inside = 0.0, outside = 0.0, product = 0.0, size = 0.0;
    for (int k = 0; k < d; ++k) y[k] = x[k] = ts_random_normal(&random);
    ts_cone_project(d, mu, y);
    for (int k = 0; k < d; ++k) {
      product += y[k] * (x[k] - y[k]);
      size += x[k] * x[k];
      if (k == 0) continue;
      inside += y[k] * y[k];
      outside += (x[k] - y[k]) * (x[k] - y[k]);
    }
    const double tiny = 8.0 * DBL_EPSILON * (1.0 + size);
    assert_true(sqrt(inside) <= mu * y[0] + tiny && y[0] >= 0.0);
    assert_true(mu * sqrt(outside) <= -(x[0] - y[0]) + tiny);
    assert_true(fabs(product) <= tiny);
  }
}

// Data that is zero, and a contact without any mobility: nothing is divided by it.
static void nothing_to_scale_by_is_harmless(void **state)
{
  (void)state;
  static const int start[] = {0, 1, 2}, index[] = {0, 1};
  static const double W[8] = {0, 0, 0, 0, 2, 0, 0, 2}, q[4] = {0}, mu[2] = {0.5, 0.5};
  const ts_friction problem = {.dimension = 2, .contacts = 2, .W = {2, 2, start, index, W}, .q = q, .mu = mu};
  ts_arena arena;
  ts_cone_problem p;
  ts_arena_init(&arena, NULL);
  ts_cone_problem_init(&p, &problem, &arena);
  for (size_t k = 0; k < p.length; ++k) assert_true(isfinite(p.scale[k]) && p.scale[k] > 0.0 && p.q[k] == 0.0);
  ts_arena_release(&arena);
}

int main(void)
{
  const struct CMUnitTest tests[] = {
      cmocka_unit_test(blocks_have_trace_d_and_data_length_one), cmocka_unit_test(points_are_translated_there_and_back),
      cmocka_unit_test(residuals_are_those_of_the_certificate),  cmocka_unit_test(projections_obey_the_decomposition),
      cmocka_unit_test(nothing_to_scale_by_is_harmless),
  };
  return cmocka_run_group_tests(tests, NULL, NULL);
}
