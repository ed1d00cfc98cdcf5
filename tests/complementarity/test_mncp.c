// The hybrid-variable equations: the law holds for every z, the Jacobian against central differences in every mode,
// problems built backwards from a solution, the measure against the certificate, the line search against brute force.
#include "complementarity/friction/mncp.h"
#include "complementarity/friction/mncp_ray.h"

#include "touchstone/certificate.h"

#include "base/random.h"
#include "friction_generator.h"
#include "math/matrix.h"

#include <math.h>
#include <stdarg.h>
#include <stddef.h>
#include <setjmp.h>
#include <stdlib.h>
#include <string.h>
#include <cmocka.h>

#include "gives_back.h"

static const ts_mncp_mode all_modes[] = {TS_MNCP_OPEN, TS_MNCP_STICK, TS_MNCP_SLIP};

static double tangent_norm(const double *x, int d)
{
  double sum = 0.0;
  for (int k = 1; k < d; ++k) sum += x[k] * x[k];
  return sqrt(sum);
}

// A point of one contact well inside a mode.
static void draw_in_mode(ts_random *random, ts_mncp_mode mode, double mu, int d, double *z)
{
  z[0] = (mode == TS_MNCP_OPEN ? 1.0 : -1.0) * ts_random_uniform(random, 0.5, 1.5);
  for (int k = 1; k < d; ++k) z[k] = ts_random_normal(random);
  const double bound = mu * fabs(z[0]), factor = mode == TS_MNCP_STICK ? 0.6 : 1.7;
  const double length = tangent_norm(z, d);
  for (int k = 1; k < d; ++k) z[k] *= factor * bound / length;
}

static void the_law_holds_for_every_z(void **state)
{
  (void)state;
  ts_random random;
  ts_random_init(&random, 1);
  for (int trial = 0; trial < 3000; ++trial) {
    const int d = 2 + trial % 3;
    const double mu = trial % 10 == 0 ? 0.0 : ts_random_uniform(&random, 0.0, 2.0);
    double z[4], F[4], v[4], along = 0.0;
    for (int k = 0; k < d; ++k) z[k] = trial % 7 == 0 && k > 0 ? 0.0 : ts_random_normal(&random);
    ts_mncp_contact_force(ts_mncp_mode_of(z, mu, d), z, mu, d, F);
    for (int k = 0; k < d; ++k) v[k] = F[k] + z[k];
    for (int k = 1; k < d; ++k) along += F[k] * v[k];
    const double ft = tangent_norm(F, d), vt = tangent_norm(v, d);
    assert_true(F[0] >= 0.0 && v[0] >= 0.0 && F[0] * v[0] == 0.0);
    assert_true(ft <= mu * F[0] + 1e-15);
    assert_true(fabs(along + mu * F[0] * vt) <= 1e-14); // F_t . v_t = -mu F_n |v_t|: opposed, on the cone when sliding
  }
}

// ---- the system -----------------------------------------------------------------------------------------------------

typedef struct fixture {
  friction_sample *sample;
  ts_arena arena;
  ts_mncp mncp;
  ts_random random;
} fixture;

static void fixture_init(fixture *f, const friction_recipe *recipe, double impulse_scale, uint64_t seed)
{
  f->sample = friction_sample_create(recipe, seed);
  ts_arena_init(&f->arena, NULL);
  ts_mncp_init(&f->mncp, &f->sample->local.friction, impulse_scale, &f->arena);
  ts_random_init(&f->random, seed);
}

static void fixture_release(fixture *f)
{
  ts_arena_release(&f->arena);
  friction_sample_destroy(f->sample);
}

// Bilateral impulses at random, and the contacts in turn open, sticking and slipping.
static double *draw_point(fixture *f)
{
  const ts_mncp *m = &f->mncp;
  double *x = ts_arena_doubles(&f->arena, (size_t)m->size);
  for (int k = 0; k < m->bilaterals; ++k) x[k] = ts_random_normal(&f->random);
  for (int i = 0; i < m->contacts; ++i)
    draw_in_mode(&f->random, all_modes[i % 3], m->mu[i], m->dimension, x + m->bilaterals + i * m->dimension);
  return x;
}

static void assert_jacobian(fixture *f)
{
  const ts_mncp *m = &f->mncp;
  const size_t n = (size_t)m->size;
  const double h = 1e-6;
  double *x = draw_point(f), *J = ts_arena_doubles(&f->arena, n * n);
  double *plus = ts_arena_doubles(&f->arena, n), *minus = ts_arena_doubles(&f->arena, n);
  ts_mncp_jacobian(m, x, J);
  for (size_t j = 0; j < n; ++j) {
    const double kept = x[j];
    x[j] = kept + h;
    ts_mncp_residual(m, x, plus);
    x[j] = kept - h;
    ts_mncp_residual(m, x, minus);
    x[j] = kept;
    for (size_t i = 0; i < n; ++i) {
      const double difference = (plus[i] - minus[i]) / (2.0 * h);
      if (!(fabs(J[j * n + i] - difference) <= 1e-6 * fmax(1.0, fabs(difference))))
        fail_msg("J(%zu, %zu) is %.12g, the difference quotient %.12g", i, j, J[j * n + i], difference);
    }
  }
}

static void the_jacobian_is_the_derivative_in_every_mode(void **state)
{
  (void)state;
  for (int d = 2; d <= 4; ++d)
    for (int variant = 0; variant < 8; ++variant) {
      const friction_recipe recipe = {.dimension = d,
                                      .contacts = 6,
                                      .bodies = 4,
                                      .joints = variant & 1 ? 2 : 0,
                                      .ellipsoid = (variant & 2) != 0,
                                      .least_mu = 0.1,
                                      .most_mu = 1.5};
      fixture f;
      fixture_init(&f, &recipe, variant & 4 ? 1.0 : 0.0, 100 + (uint64_t)variant);
      assert_jacobian(&f);
      fixture_release(&f);
    }
}

// Without friction a closed contact slips; its tangential rows are those of a contact without tangential force.
static void the_jacobian_without_friction(void **state)
{
  (void)state;
  const double z[3] = {-1.0, 0.5, -2.0}, centred[3] = {-1.0, 0.0, 0.0};
  double dF[9];
  ts_mncp_contact_derivative(ts_mncp_mode_of(z, 0.0, 3), z, 0.0, 3, dF);
  for (int k = 0; k < 9; ++k) assert_true(dF[k] == (k == 0 ? -1.0 : 0.0));
  ts_mncp_contact_derivative(ts_mncp_mode_of(centred, 0.0, 3), centred, 0.0, 3, dF);
  for (int k = 0; k < 9; ++k) assert_true(dF[k] == (k == 0 ? -1.0 : 0.0));
}

// Choose r, l and u that obey the law, and q = u - W r - V l, s = -V^T r - R l that make them a solution.
static void a_solution_is_a_zero_and_comes_back(void **state)
{
  (void)state;
  for (uint64_t seed = 1; seed <= 12; ++seed) {
    const friction_recipe recipe = {.dimension = 2 + (int)(seed % 3),
                                    .contacts = 6,
                                    .bodies = 3,
                                    .joints = seed % 2 ? 1 : 0,
                                    .ellipsoid = seed % 4 < 2,
                                    .least_mu = 0.2,
                                    .most_mu = 1.2};
    friction_sample *sample = friction_sample_create(&recipe, seed);
    ts_friction p = sample->local.friction;
    const int d = p.dimension, rows = d * p.contacts;
    double r[24], l[3] = {0.5, -0.3, 0.8}, q[24], s[3] = {0}, solution[27], x[27], phi[27], back[27];
    ts_random random;
    ts_random_init(&random, seed);
    for (int i = 0; i < p.contacts; ++i) {
      double z[4], F[4];
      draw_in_mode(&random, all_modes[i % 3], p.mu[i], d, z);
      ts_mncp_contact_force(all_modes[i % 3], z, p.mu[i], d, F);
      for (int k = 0; k < d; ++k) {
        const double e = p.ellipsoid && k > 0 ? p.ellipsoid[i * (d - 1) + k - 1] : 1.0;
        r[i * d + k] = e * F[k];
        q[i * d + k] = -(F[k] + z[k]) / e; // minus the velocity, for now
      }
    }
    ts_block_multiply_add(&p.W, r, q);
    if (p.bilaterals) {
      ts_matrix_multiply_add(&p.V, 1.0, l, q);
      ts_matrix_transpose_multiply_add(&p.V, -1.0, r, s);
      ts_matrix_multiply_add(&p.R, -1.0, l, s);
    }
    for (int k = 0; k < rows; ++k) q[k] = -q[k];
    p.q = q;
    p.s = s;
    memcpy(solution, r, sizeof(double) * (size_t)rows);
    memcpy(solution + rows, l, sizeof(double) * (size_t)p.bilaterals);
    const double scales[] = {0.0, 1.0, 7.5};
    for (int k = 0; k < 3; ++k) {
      ts_arena arena;
      ts_mncp m;
      ts_arena_init(&arena, NULL);
      ts_mncp_init(&m, &p, scales[k], &arena);
      ts_mncp_start_at(&m, solution, x);
      ts_mncp_residual(&m, x, phi);
      ts_mncp_recover(&m, x, back);
      for (int i = 0; i < m.size; ++i) {
        assert_true(fabs(phi[i]) <= 1e-11); // round-off of terms W r of up to 1e4
        assert_true(fabs(back[i] - solution[i]) <= 1e-12);
      }
      assert_true(ts_mncp_measure(&m, x, phi) <= 1e-12);
      ts_arena_release(&arena);
    }
    friction_sample_destroy(sample);
  }
}

static void the_measure_is_that_of_the_certificate(void **state)
{
  (void)state;
  for (uint64_t seed = 1; seed <= 40; ++seed) {
    const friction_recipe recipe = friction_recipe_draw(seed);
    fixture f;
    fixture_init(&f, &recipe, 0.0, seed);
    const size_t n = (size_t)f.mncp.size;
    double *x = ts_arena_doubles(&f.arena, n), *phi = ts_arena_doubles(&f.arena, n), *z = ts_arena_doubles(&f.arena, n);
    for (size_t i = 0; i < n; ++i) x[i] = ts_random_normal(&f.random);
    ts_mncp_residual(&f.mncp, x, phi);
    ts_mncp_recover(&f.mncp, x, z);
    ts_friction_measures measures;
    assert_int_equal(ts_friction_measure(&f.sample->local, z, &measures), TS_OK);
    const double expected = fmax(measures.scaled, measures.fclib);
    assert_true(fabs(ts_mncp_measure(&f.mncp, x, phi) - expected) <= 1e-12 * expected);
    fixture_release(&f);
  }
}

// In the stick start every contact velocity is zero where that is possible: u = A f + b with f = -z.
static void the_stick_start_stops_every_contact(void **state)
{
  (void)state;
  const friction_recipe recipe = {
      .dimension = 3, .contacts = 5, .bodies = 5, .joints = 1, .ellipsoid = true, .most_mu = 1.0};
  fixture f;
  fixture_init(&f, &recipe, 0.0, 3);
  const int n = f.mncp.size, nb = f.mncp.bilaterals;
  double *x = ts_arena_doubles(&f.arena, (size_t)n);
  assert_gives_back(&f.arena, ts_mncp_start_stick(&f.mncp, x, &f.arena));
  for (int i = 0; i < n; ++i) {
    double u = f.mncp.b[i];
    for (int j = 0; j < n; ++j) u += f.mncp.A[j * n + i] * (j < nb ? x[j] : -x[j]);
    assert_true(fabs(u) <= 1e-10);
  }
  fixture_release(&f);
}

// ---- the line search ------------------------------------------------------------------------------------------------

static double merit_at(const ts_mncp *m, const double *x, const double *direction, double t, double *scratch)
{
  double *point = scratch, *phi = scratch + m->size, psi = 0.0;
  for (int i = 0; i < m->size; ++i) point[i] = x[i] + t * direction[i];
  ts_mncp_residual(m, point, phi);
  for (int i = 0; i < m->size; ++i) psi += 0.5 * phi[i] * phi[i];
  return psi;
}

// No sample of the ray lies below the minimum that the search reports, and the merit there is what it says.
static void the_line_search_finds_the_lowest_point_of_the_ray(void **state)
{
  (void)state;
  enum { SAMPLES = 4000 };
  for (uint64_t seed = 1; seed <= 40; ++seed) {
    const friction_recipe recipe = {.dimension = 2 + (int)(seed % 3),
                                    .contacts = 7,
                                    .bodies = 4,
                                    .joints = seed % 3 == 0,
                                    .ellipsoid = seed % 2 == 0,
                                    .most_mu = 2.0};
    fixture f;
    fixture_init(&f, &recipe, 0.0, seed);
    const size_t n = (size_t)f.mncp.size;
    double *x = ts_arena_doubles(&f.arena, n), *direction = ts_arena_doubles(&f.arena, n);
    double *scratch = ts_arena_doubles(&f.arena, 2 * n);
    for (size_t i = 0; i < n; ++i) {
      x[i] = ts_random_normal(&f.random);
      direction[i] = ts_random_normal(&f.random);
    }
    ts_mncp_ray ray;
    ts_mncp_ray_init(&ray, &f.mncp, &f.arena);
    const double limit = 5.0;
    const ts_mncp_ray_point lowest = ts_mncp_ray_minimize(&ray, x, direction, limit);
    assert_true(lowest.t >= 0.0 && lowest.t <= limit);
    const double there = merit_at(&f.mncp, x, direction, lowest.t, scratch);
    assert_true(fabs(there - lowest.psi) <= 1e-10 * there);
    for (int k = 0; k <= SAMPLES; ++k)
      assert_true(merit_at(&f.mncp, x, direction, limit * k / SAMPLES, scratch) >= there * (1.0 - 1e-9));
    fixture_release(&f);
  }
}

int main(void)
{
  const struct CMUnitTest tests[] = {
      cmocka_unit_test(the_law_holds_for_every_z),
      cmocka_unit_test(the_jacobian_is_the_derivative_in_every_mode),
      cmocka_unit_test(the_jacobian_without_friction),
      cmocka_unit_test(a_solution_is_a_zero_and_comes_back),
      cmocka_unit_test(the_measure_is_that_of_the_certificate),
      cmocka_unit_test(the_stick_start_stops_every_contact),
      cmocka_unit_test(the_line_search_finds_the_lowest_point_of_the_ray),
  };
  return cmocka_run_group_tests(tests, NULL, NULL);
}
