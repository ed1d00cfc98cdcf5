// The exact solution of one contact against Coulomb's law itself, on random blocks and where it can be written down.
#include "complementarity/friction/one_contact.h"

#include "base/random.h"

#include <float.h>
#include <math.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <string.h>
#include <cmocka.h>

enum { MAX_D = 4, FREEDOMS = 6 };

typedef struct contact {
  int d, stride;
  double mu;
  double W[MAX_D * MAX_D], q[MAX_D]; // W: d columns of `stride` numbers
} contact;

static contact make_contact(int d, double mu)
{
  return (contact){.d = d, .stride = d == 2 ? 2 : 4, .mu = mu};
}

// Solve from the impulse in r; `multiplier` > 0 is where the search for the multiplier starts, and becomes the last
// one.
static void solve(const contact *c, double *multiplier, double *r)
{
  static const int diagonal[] = {0};
  const ts_cone_problem p = {.d = c->d, .stride = c->stride, .contacts = 1, .diagonal = diagonal, .W = c->W};
  ts_arena arena;
  ts_arena_init(&arena, NULL);
  ts_one_contact *prepared = ts_one_contact_prepare(&p, &arena);
  prepared->a = *multiplier;
  ts_one_contact_solve(c->d, c->mu, prepared, c->W, c->stride, c->q, r);
  *multiplier = prepared->a;
  ts_arena_release(&arena);
}

static void solve_cold(const contact *c, double *r)
{
  double multiplier = 0.0;
  memset(r, 0, MAX_D * sizeof *r);
  solve(c, &multiplier, r);
}

static void velocity(const contact *c, const double *r, double *u)
{
  for (int k = 0; k < c->d; ++k) {
    u[k] = c->q[k];
    for (int j = 0; j < c->d; ++j) u[k] += c->W[j * c->stride + k] * r[j];
  }
}

static double tangent_norm(int d, const double *x)
{
  double sum = 0.0;
  for (int k = 1; k < d; ++k) sum += x[k] * x[k];
  return sqrt(sum);
}

static double trace(const contact *c)
{
  double sum = 0.0;
  for (int k = 0; k < c->d; ++k) sum += c->W[k * c->stride + k];
  return sum;
}

// How far a velocity is from one that the law allows with this impulse [velocity]; INFINITY where the impulse itself is
// not allowed: outside the cone by more than the round-off of its tangential length.
static double law_violation(const contact *c, const double *r)
{
  double u[MAX_D];
  velocity(c, r, u);
  const double friction = tangent_norm(c->d, r), bound = c->mu * r[0], slip = tangent_norm(c->d, u);
  if (!(r[0] >= 0.0) || !(friction <= bound * (1.0 + 8.0 * DBL_EPSILON))) return INFINITY;
  if (r[0] == 0.0) return fmax(0.0, -u[0]);
  if (c->mu == 0.0) return fabs(u[0]);
  if (friction < bound * (1.0 - 8.0 * DBL_EPSILON)) return fmax(fabs(u[0]), slip);
  double misalignment = 0.0;
  for (int k = 1; k < c->d; ++k) {
    const double difference = u[k] + slip * r[k] / friction;
    misalignment += difference * difference;
  }
  return fmax(fabs(u[0]), sqrt(misalignment));
}

// What the law may be missed by. Computing u rounds by d units of |W| |r| + |q|, and the block the solver works with is
// shifted by 1e-14 of its trace (45 units); eliminations of at most three rows add a few.
static double backward_error(const contact *c, const double *r)
{
  double impulse = 0.0, data = 0.0;
  for (int k = 0; k < c->d; ++k) {
    impulse += r[k] * r[k];
    data += c->q[k] * c->q[k];
  }
  return 60.0 * DBL_EPSILON * (trace(c) * sqrt(impulse) + sqrt(data));
}

// ---- random blocks -------------------------------------------------------------------------------------------------

typedef enum block_kind { REGULAR, SINGULAR, SCALED, UNSYMMETRIC, KINDS, BLIND = KINDS } block_kind;

// W = J J^T and q = J v for random directions J. A singular block has a tangent that depends on the other directions,
// or none at all. A blind one has a tangent that nothing moves, but for a velocity that may be round-off, as those of
// planar mechanisms in space have.
static contact draw(ts_random *random, block_kind kind, int d, double mu)
{
  contact c = make_contact(d, mu);
  double J[MAX_D][FREEDOMS], v[FREEDOMS];
  for (int k = 0; k < FREEDOMS; ++k) v[k] = ts_random_normal(random);
  for (int i = 0; i < d; ++i)
    for (int k = 0; k < FREEDOMS; ++k) J[i][k] = ts_random_normal(random);
  if (kind == SINGULAR) {
    const double share = ts_random_below(random, 2) ? ts_random_normal(random) : 0.0;
    for (int k = 0; k < FREEDOMS; ++k) J[d - 1][k] = share * J[d - 2][k];
  }
  const double size = kind == SCALED ? pow(10.0, ts_random_uniform(random, -3.0, 3.0)) : 1.0;
  const double speed = kind == SCALED ? pow(10.0, ts_random_uniform(random, -3.0, 3.0)) : 1.0;
  for (int i = 0; i < d; ++i)
    for (int k = 0; k < FREEDOMS; ++k) {
      c.q[i] += speed * J[i][k] * v[k];
      for (int j = 0; j < d; ++j) c.W[j * c.stride + i] += size * J[i][k] * J[j][k];
    }
  if (kind == BLIND) {
    c.q[d - 1] = pow(10.0, ts_random_uniform(random, -18.0, 0.0));
    for (int k = 0; k < d; ++k) c.W[k * c.stride + d - 1] = c.W[(d - 1) * c.stride + k] = 0.0;
  }
  const double noise = kind == UNSYMMETRIC ? 1e-3 : 0.0;
  for (int i = 0; i < d; ++i)
    for (int j = 0; j < d; ++j)
      if (i != j) c.W[j * c.stride + i] *= 1.0 + noise * ts_random_normal(random);
  return c;
}

static bool is_on_the_cone(const contact *c, const double *r)
{
  return tangent_norm(c->d, r) >= c->mu * r[0] * (1.0 - 8.0 * DBL_EPSILON);
}

static void random_blocks_obey_the_law(void **state)
{
  (void)state;
  ts_random random;
  ts_random_init(&random, 20);
  int open = 0, stick = 0, slip = 0;
  for (int n = 0; n < 100000; ++n) {
    const block_kind kind = (block_kind)(n % KINDS);
    const int d = 2 + n / KINDS % 3;
    const double mu = ts_random_below(&random, 10) == 0 ? 0.0 : ts_random_uniform(&random, 0.0, 2.0);
    const contact c = draw(&random, kind, d, mu);
    double r[MAX_D];
    solve_cold(&c, r);
    const double violation = law_violation(&c, r), allowed = backward_error(&c, r);
    if (!(violation <= allowed))
      fail_msg("block %d (kind %d, d = %d, mu = %g): %g of velocity, allowed %g", n, (int)kind, d, mu, violation,
               allowed);
    open += r[0] == 0.0;
    slip += r[0] > 0.0 && is_on_the_cone(&c, r);
    stick += r[0] > 0.0 && !is_on_the_cone(&c, r);
  }
  print_message("%d open, %d stick, %d slip\n", open, stick, slip);
  assert_true(open > 10000 && stick > 10000 && slip > 10000);
}

// Where the search for the multiplier has many powers of ten to go down.
static void blind_tangents_obey_the_law(void **state)
{
  (void)state;
  ts_random random;
  ts_random_init(&random, 22);
  int slip = 0;
  for (int n = 0; n < 20000; ++n) {
    const contact c = draw(&random, BLIND, 2 + n % 3, ts_random_uniform(&random, 0.01, 2.0));
    double r[MAX_D];
    solve_cold(&c, r);
    const double violation = law_violation(&c, r), allowed = backward_error(&c, r);
    if (!(violation <= allowed)) fail_msg("block %d: %g of velocity, allowed %g", n, violation, allowed);
    slip += r[0] > 0.0 && is_on_the_cone(&c, r);
  }
  assert_true(slip > 1000);
}

// ---- closed forms --------------------------------------------------------------------------------------------------

static void assert_impulse(const contact *c, const double *expected)
{
  double r[MAX_D];
  solve_cold(c, r);
  for (int k = 0; k < c->d; ++k)
    if (!(fabs(r[k] - expected[k]) <= 1e-13 * (1.0 + fabs(expected[k]))))
      fail_msg("component %d is %.17g, expected is %.17g", k, r[k], expected[k]);
}

// In the plane every mode is a linear system, here with W = [2 0.5; 0.5 1] and mu = 0.3. Stick: W r = -q. Slip to
// either side: r_t = -+0.3 r_n and r_n = -q_n/(2 -+ 0.3*0.5).
static void planar_contacts_have_their_closed_form(void **state)
{
  (void)state;
  contact c = make_contact(2, 0.3);
  const double W[4] = {2.0, 0.5, 0.5, 1.0};
  memcpy(c.W, W, sizeof W);
  c.q[0] = 1.0, c.q[1] = -3.0;
  assert_impulse(&c, (double[]){0.0, 0.0}); // open
  c.q[0] = -(2.0 * 1.0 + 0.5 * 0.2), c.q[1] = -(0.5 * 1.0 + 1.0 * 0.2);
  assert_impulse(&c, (double[]){1.0, 0.2}); // stick
  c.q[0] = -1.0, c.q[1] = 2.0;
  assert_impulse(&c, (double[]){1.0 / (2.0 - 0.15), -0.3 / (2.0 - 0.15)}); // slips forward
  c.q[0] = -1.0, c.q[1] = -2.0;
  assert_impulse(&c, (double[]){1.0 / (2.0 + 0.15), 0.3 / (2.0 + 0.15)}); // and backward
  c.mu = 0.0;
  assert_impulse(&c, (double[]){0.5, 0.0});
}

// Without coupling the normal impulse is -q_n/w_n; with equal tangential entries r_t is against q_t, of length
// min(|q_t|/w_t, mu r_n).
static void diagonal_blocks_have_their_closed_form(void **state)
{
  (void)state;
  for (int d = 2; d <= MAX_D; ++d)
    for (int slides = 0; slides < 2; ++slides) {
      const double mu = 0.7, normal = 4.0, tangent = 0.25;
      contact c = make_contact(d, mu);
      for (int k = 0; k < d; ++k) c.W[k * c.stride + k] = k == 0 ? normal : tangent;
      c.q[0] = -6.0;
      for (int k = 1; k < d; ++k) c.q[k] = (slides ? 1.0 : 0.1) * (k - 2.5);
      const double slip = tangent_norm(d, c.q), length = fmin(slip / tangent, mu * 1.5);
      double expected[MAX_D] = {1.5};
      for (int k = 1; k < d; ++k) expected[k] = -length * c.q[k] / slip;
      assert_true((length < slip / tangent) == (slides == 1));
      assert_impulse(&c, expected);
    }
}

// The sphere of reference-numbers.md 1: W = diag(1, 3.5, 3.5), mu = 0.2, gravity for 1 ms. Sliding at 2 m/s it gets the
// impulse (g h, -mu g h, 0); rolling it gets none along the plane.
static void the_sphere_slides_and_rolls(void **state)
{
  (void)state;
  const double pressure = 9.81e-3;
  contact c = make_contact(3, 0.2);
  c.W[0] = 1.0, c.W[5] = c.W[10] = 3.5;
  c.q[0] = -pressure, c.q[1] = 2.0;
  assert_impulse(&c, (double[]){pressure, -0.2 * pressure, 0.0});
  c.q[1] = 0.0;
  assert_impulse(&c, (double[]){pressure, 0.0, 0.0});
}

// ---- other starts and other blocks ---------------------------------------------------------------------------------

static double distance(const contact *c, const double *a, const double *b)
{
  double sum = 0.0;
  for (int k = 0; k < c->d; ++k) sum += (a[k] - b[k]) * (a[k] - b[k]);
  return sqrt(sum);
}

// A search from a far multiplier ends at the same impulse. One from nearby takes a single Newton step a call, whose
// error is squared from call to call: 3e-4 off, three calls are enough.
static void the_multiplier_it_starts_from_does_not_matter(void **state)
{
  (void)state;
  ts_random random;
  ts_random_init(&random, 21);
  int sliding = 0;
  for (int n = 0; n < 2000; ++n) {
    const contact c = draw(&random, REGULAR, 2 + n % 3, ts_random_uniform(&random, 0.05, 1.0));
    double cold[MAX_D] = {0}, root = 0.0;
    solve(&c, &root, cold);
    if (!(root > 0.0)) continue;
    ++sliding;
    static const double factors[] = {1.0, 1e-4, 1e4, 1.0003};
    for (int f = 0; f < 4; ++f) {
      double r[MAX_D] = {0}, multiplier = factors[f] * root;
      for (int call = 0; call < 3; ++call) solve(&c, &multiplier, r);
      // The root is found to about 1e-15 of the impulses; what it depends on has a condition of up to 1e3 here.
      assert_true(distance(&c, r, cold) <= 1e-12 * (1.0 + cold[0]));
    }
  }
  assert_true(sliding > 300);
}

// No exact solution is tried where the normal has no mobility, or a negative one: the impulse stays finite and inside
// the cone, whatever it was before.
static void blocks_that_are_not_fit_leave_a_sound_impulse(void **state)
{
  (void)state;
  ts_random random;
  ts_random_init(&random, 22);
  for (int n = 0; n < 3000; ++n) {
    contact c = draw(&random, REGULAR, 2 + n % 3, ts_random_uniform(&random, 0.0, 2.0));
    if (n % 2)
      c.W[0] = -ts_random_uniform(&random, 0.0, 1.0);
    else
      for (int k = 0; k < c.d; ++k) c.W[k] = c.W[k * c.stride] = 0.0;
    if (n % 5 == 0) memset(c.W, 0, sizeof c.W);
    if (n % 7 == 0)
      for (int k = 0; k < c.d; ++k) c.W[k * c.stride + k] = -1.0; // negative definite
    c.q[0] = -fabs(c.q[0]);
    double r[MAX_D] = {0}, multiplier = 0.0;
    for (int k = 0; k < c.d; ++k) r[k] = ts_random_normal(&random);
    for (int call = 0; call < 5; ++call) {
      solve(&c, &multiplier, r);
      for (int k = 0; k < c.d; ++k) assert_true(isfinite(r[k]));
      assert_true(r[0] >= 0.0 && tangent_norm(c.d, r) <= c.mu * r[0] * (1.0 + 8.0 * DBL_EPSILON));
    }
  }
}

int main(void)
{
  const struct CMUnitTest tests[] = {
      cmocka_unit_test(random_blocks_obey_the_law),
      cmocka_unit_test(blind_tangents_obey_the_law),
      cmocka_unit_test(planar_contacts_have_their_closed_form),
      cmocka_unit_test(diagonal_blocks_have_their_closed_form),
      cmocka_unit_test(the_sphere_slides_and_rolls),
      cmocka_unit_test(the_multiplier_it_starts_from_does_not_matter),
      cmocka_unit_test(blocks_that_are_not_fit_leave_a_sound_impulse),
  };
  return cmocka_run_group_tests(tests, NULL, NULL);
}
