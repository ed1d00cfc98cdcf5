// Lowerings, solved without any solver of the library: a contact problem in polygon form has so few kinds of
// complementary bases that all can be tried. The points found are held against the polygon law, against the closed
// forms of 000's sphere and, as the directions grow, against the exact cone.
#include "counting_allocator.h"
#include "rolling_sphere.h"
#include "complementarity/problem/lowering.h"

#include "touchstone/certificate.h"
#include "touchstone/vector.h"

#include "base/arena.h"
#include "base/random.h"
#include "math/dense.h"
#include "math/matrix.h"

#include <math.h>
#include <stdarg.h>
#include <stddef.h>
#include <setjmp.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <cmocka.h>

enum { MAX_ROWS = 80, MAX_CONTACTS = 3, MAX_BILATERALS = 4 };

// ---- enumeration of complementary bases ----------------------------------------------------------------------------

// An LCP or MLCP made by a lowering, as dense data.
typedef struct linear_problem {
  int size, bilaterals, contacts, directions;
  bool sigma_last;
  double M[MAX_ROWS * MAX_ROWS], q[MAX_ROWS];
} linear_problem;

static linear_problem read_linear(const ts_lowering *lowering, const ts_friction *p)
{
  const ts_problem *problem = ts_lowering_problem(lowering);
  assert_int_equal(ts_problem_check(problem, NULL), TS_OK);
  linear_problem l = {.contacts = p->contacts, .sigma_last = problem->type == TS_MLCP};
  const ts_matrix *M = l.sigma_last ? &problem->mlcp.M : &problem->lcp.M;
  l.size = M->rows;
  l.bilaterals = l.sigma_last ? p->bilaterals : 0;
  l.directions = (l.size - l.bilaterals) / p->contacts - 2;
  assert_true(l.size <= MAX_ROWS);
  ts_matrix_to_dense(M, l.M, (size_t)l.size);
  memcpy(l.q, l.sigma_last ? problem->mlcp.q : problem->lcp.q, (size_t)l.size * sizeof *l.q);
  return l;
}

static int place(const linear_problem *l, int contact, int j) // j = directions+1: sigma
{
  if (!l->sigma_last) return contact * (l->directions + 2) + j;
  if (j <= l->directions) return l->bilaterals + contact * (l->directions + 1) + j;
  return l->bilaterals + l->contacts * (l->directions + 1) + contact;
}

// Solve for the basic variables with the others at zero, and accept a point that is complementary to round-off.
static bool try_basis(const linear_problem *l, const int *basic, int count, double *z)
{
  double A[MAX_ROWS * MAX_ROWS], x[MAX_ROWS];
  int pivots[MAX_ROWS];
  for (int j = 0; j < count; ++j)
    for (int i = 0; i < count; ++i) A[j * count + i] = l->M[basic[j] * l->size + basic[i]];
  for (int i = 0; i < count; ++i) x[i] = -l->q[basic[i]];
  if (!ts_lu_factor(count, A, pivots)) return false;
  ts_lu_solve(count, A, pivots, x);
  memset(z, 0, (size_t)l->size * sizeof *z);
  for (int i = 0; i < count; ++i) {
    if (!(fabs(x[i]) < 1e6) || (basic[i] >= l->bilaterals && x[i] < -1e-13)) return false;
    z[basic[i]] = basic[i] >= l->bilaterals ? fmax(x[i], 0.0) : x[i];
  }
  for (int i = 0; i < l->size; ++i) {
    double w = l->q[i];
    for (int j = 0; j < l->size; ++j) w += l->M[j * l->size + i] * z[j];
    if (i < l->bilaterals || z[i] > 0.0 ? fabs(w) > 1e-9 : w < -1e-12) return false;
  }
  return true;
}

static bool try_contacts(const linear_problem *l, int tangents, int contact, int *basic, int count, double *z);

// With and without sigma, then with one more direction, `left` of them at most.
static bool try_directions(const linear_problem *l, int tangents, int contact, int from, int left, int *basic,
                           int count, double *z)
{
  if (try_contacts(l, tangents, contact + 1, basic, count, z)) return true;
  basic[count] = place(l, contact, l->directions + 1);
  if (try_contacts(l, tangents, contact + 1, basic, count + 1, z)) return true;
  for (int j = from; left > 0 && j <= l->directions; ++j) {
    basic[count] = place(l, contact, j);
    if (try_directions(l, tangents, contact, j + 1, left - 1, basic, count + 1, z)) return true;
  }
  return false;
}

// A contact is open, sigma being held by one direction at zero, or r_n is basic together with at most as many
// directions as there are tangents.
static bool try_contacts(const linear_problem *l, int tangents, int contact, int *basic, int count, double *z)
{
  if (contact == l->contacts) return try_basis(l, basic, count, z);
  basic[count + 1] = place(l, contact, l->directions + 1);
  for (int j = 1; j <= l->directions; ++j) {
    basic[count] = place(l, contact, j);
    if (try_contacts(l, tangents, contact + 1, basic, count + 2, z)) return true;
  }
  basic[count] = place(l, contact, 0);
  return try_directions(l, tangents, contact, 1, tangents, basic, count + 1, z);
}

static bool enumerate(const linear_problem *l, int dimension, double *z)
{
  int basic[MAX_ROWS];
  for (int k = 0; k < l->bilaterals; ++k) basic[k] = k;
  return try_contacts(l, dimension - 1, 0, basic, l->bilaterals, z);
}

static void solve_lowered(const ts_lowering *lowering, const ts_friction *p, double *z)
{
  const linear_problem l = read_linear(lowering, p);
  double lowered[MAX_ROWS];
  assert_true(enumerate(&l, p->dimension, lowered));
  ts_lowering_recover(lowering, lowered, z);
}

// ---- random problems -----------------------------------------------------------------------------------------------

enum { MAX_COMPONENTS = 4 * MAX_CONTACTS };

typedef struct storage {
  int start[MAX_CONTACTS + 1], index[MAX_CONTACTS * MAX_CONTACTS];
  double W[MAX_COMPONENTS * MAX_COMPONENTS], q[MAX_COMPONENTS], mu[MAX_CONTACTS], ellipsoid[3 * MAX_CONTACTS];
  double V[MAX_COMPONENTS * MAX_BILATERALS], R[MAX_BILATERALS * MAX_BILATERALS], s[MAX_BILATERALS];
} storage;

// W, V and R cut out of one positive definite matrix, all contacts coupled.
static ts_friction random_problem(int d, int contacts, int bilaterals, bool ellipsoid, uint64_t seed, storage *t)
{
  enum { MAX_ALL = MAX_COMPONENTS + MAX_BILATERALS };
  const int m = d * contacts, all = m + bilaterals;
  double J[MAX_ALL * MAX_ALL], K[MAX_ALL][MAX_ALL];
  ts_random random;
  ts_random_init(&random, seed);
  for (int k = 0; k < all * all; ++k) J[k] = ts_random_normal(&random);
  for (int i = 0; i < all; ++i)
    for (int j = 0; j < all; ++j) {
      K[i][j] = i == j ? 0.1 : 0.0;
      for (int k = 0; k < all; ++k) K[i][j] += J[i * all + k] * J[j * all + k] / all;
    }
  for (int i = 0; i < contacts; ++i) {
    t->start[i] = i * contacts;
    t->mu[i] = ts_random_uniform(&random, 0.1, 1.0);
    for (int k = 0; k < d - 1; ++k) t->ellipsoid[i * (d - 1) + k] = ts_random_uniform(&random, 0.3, 2.0);
    for (int j = 0; j < contacts; ++j) {
      t->index[i * contacts + j] = j;
      for (int c = 0; c < d; ++c)
        for (int r = 0; r < d; ++r) t->W[(i * contacts + j) * d * d + c * d + r] = K[i * d + r][j * d + c];
    }
  }
  t->start[contacts] = contacts * contacts;
  for (int i = 0; i < m; ++i) t->q[i] = ts_random_normal(&random) - (i % d == 0 ? 0.5 : 0.0);
  for (int k = 0; k < bilaterals; ++k) {
    t->s[k] = ts_random_normal(&random);
    for (int i = 0; i < m; ++i) t->V[k * m + i] = K[i][m + k];
    for (int i = 0; i < bilaterals; ++i) t->R[k * bilaterals + i] = K[m + i][m + k];
  }
  return (ts_friction){.dimension = d,
                       .contacts = contacts,
                       .bilaterals = bilaterals,
                       .W = {contacts, d, t->start, t->index, t->W},
                       .q = t->q,
                       .mu = t->mu,
                       .ellipsoid = ellipsoid ? t->ellipsoid : NULL,
                       .V = {m, bilaterals, NULL, NULL, t->V},
                       .R = {bilaterals, bilaterals, NULL, NULL, t->R},
                       .s = t->s};
}

static double axis(const ts_friction *p, int contact, int k) // k = 1 ..
{
  return p->ellipsoid ? p->ellipsoid[contact * (p->dimension - 1) + k - 1] : 1.0;
}

static void velocities(const ts_friction *p, const double *z, double *u)
{
  memcpy(u, p->q, (size_t)(p->dimension * p->contacts) * sizeof *u);
  ts_block_multiply_add(&p->W, z, u);
  if (p->bilaterals > 0) ts_matrix_multiply_add(&p->V, 1.0, z + p->dimension * p->contacts, u);
}

// ---- the polygon law -----------------------------------------------------------------------------------------------

// How large a tangential impulse is, in units of the polygon: 1 on its edges. In units of the ellipse the polygon is
// regular, with its first vertex at `turn`, and an edge is cos(pi/n) away from the center; the spin adds its share.
static double gauge(const ts_friction *p, int contact, int n, double turn, const double *r)
{
  const double x = r[1] / axis(p, contact, 1);
  if (p->dimension == 2) return fabs(x);
  const double y = r[2] / axis(p, contact, 2);
  double worst = 0.0;
  for (int k = 0; k < n; ++k) {
    const double angle = turn + (2 * k + 1) * TS_PI / n;
    worst = fmax(worst, (x * cos(angle) + y * sin(angle)) / cos(TS_PI / n));
  }
  return worst + (p->dimension == 4 ? fabs(r[3] / axis(p, contact, 3)) : 0.0);
}

// Largest dissipation -d . u over the vertices.
static double most_dissipation(const ts_friction *p, int contact, int n, double turn, const double *u)
{
  const double x = axis(p, contact, 1) * u[1];
  if (p->dimension == 2) return fabs(x);
  const double y = axis(p, contact, 2) * u[2];
  double most = p->dimension == 4 ? fabs(axis(p, contact, 3) * u[3]) : 0.0;
  for (int k = 0; k < n; ++k)
    most = fmax(most, -(x * cos(turn + 2 * k * TS_PI / n) + y * sin(turn + 2 * k * TS_PI / n)));
  return most;
}

static void assert_near(double a, double b, double tolerance)
{
  if (!(fabs(a - b) <= tolerance)) print_error("%.17g and %.17g differ by %g\n", a, b, a - b);
  assert_true(fabs(a - b) <= tolerance);
}

// `slip` as handed to the lowering, or NULL.
static void assert_polygon_law(const ts_friction *p, int n, const double *slip, const double *z)
{
  const int d = p->dimension;
  double u[MAX_COMPONENTS];
  velocities(p, z, u);
  for (int i = 0; i < p->contacts; ++i) {
    const double *ri = z + i * d, *ui = u + i * d;
    const double *si = slip ? slip + i * d : NULL;
    const double turn = si && d > 2 ? atan2(-axis(p, i, 2) * si[2], -axis(p, i, 1) * si[1]) : 0.0;
    assert_true(ri[0] >= -1e-12 && ui[0] >= -1e-10);
    assert_near(ri[0] * ui[0], 0.0, 1e-10);
    assert_true(gauge(p, i, n, turn, ri) <= p->mu[i] * ri[0] + 1e-10);
    double power = 0.0;
    for (int k = 1; k < d; ++k) power += ri[k] * ui[k];
    assert_near(-power, p->mu[i] * ri[0] * most_dissipation(p, i, n, turn, ui), 1e-9);
  }
  for (int k = 0; k < p->bilaterals; ++k) {
    double e = p->s[k];
    for (int i = 0; i < d * p->contacts; ++i) e += p->V.value[k * d * p->contacts + i] * z[i];
    for (int i = 0; i < p->bilaterals; ++i) e += p->R.value[i * p->bilaterals + k] * z[d * p->contacts + i];
    assert_near(e, 0.0, 1e-9);
  }
}

typedef ts_status lower_polygon(const ts_friction *, int, const double *, ts_lowering **, ts_error *);

static void assert_lowered_point_obeys_the_law(const ts_friction *p, int n, const double *slip, lower_polygon *lower)
{
  ts_lowering *lowering = NULL;
  double z[MAX_COMPONENTS + MAX_BILATERALS];
  assert_int_equal(lower(p, n, slip, &lowering, NULL), TS_OK);
  solve_lowered(lowering, p, z);
  assert_polygon_law(p, n, slip, z);
  if (p->dimension == 2) { // the polygon is the cone
    const ts_problem problem = ts_problem_friction(*p);
    assert_true(ts_problem_residual(&problem, z) < 1e-9);
  }
  ts_lowering_destroy(lowering);
}

static void solutions_of_polygon_problems_obey_the_polygon_law(void **state)
{
  (void)state;
  for (uint64_t seed = 1; seed <= 12; ++seed)
    for (int d = 2; d <= 4; ++d)
      for (int bilaterals = 0; bilaterals <= 2; bilaterals += 2) {
        storage t;
        const int contacts = seed % 3 == 0 ? 2 : 1, n = seed % 2 == 0 && contacts == 1 ? 6 : 4;
        const ts_friction p = random_problem(d, contacts, bilaterals, seed % 4 > 1, seed, &t);
        const double *slip = seed % 5 > 2 ? p.q : NULL;
        assert_lowered_point_obeys_the_law(&p, n, slip, ts_lower_to_mlcp);
        assert_lowered_point_obeys_the_law(&p, n, slip, ts_lower_to_lcp);
      }
}

// ---- 000's sphere --------------------------------------------------------------------------------------------------

typedef struct motion {
  sphere end;
  double peak_vy, peak_wx;
  int first_rolling_step;
} motion;

// 600 steps. `speed` says what v_x has to be after step k, or is NULL.
static motion simulate(double phi, bool turn, lower_polygon *lower, double (*speed)(int k))
{
  motion m = {.end = {.vx = 2.0}, .first_rolling_step = 0};
  for (int k = 1; k <= 600; ++k) {
    double q[3];
    const ts_friction p = sphere_problem(&m.end, phi, q);
    ts_lowering *lowering = NULL;
    double r[3];
    assert_int_equal(lower(&p, 4, turn ? p.q : NULL, &lowering, NULL), TS_OK);
    solve_lowered(lowering, &p, r);
    ts_lowering_destroy(lowering);
    sphere_advance(&m.end, phi, r);
    if (speed) {
      assert_near(m.end.vx, speed(k), 1e-10);
      assert_near(m.end.wy, 2.5 * (2.0 - speed(k)), 1e-10);
      assert_near(m.end.vy, 0.0, 1e-10);
      assert_near(m.end.wx, 0.0, 1e-10);
    }
    m.peak_vy = fmax(m.peak_vy, fabs(m.end.vy));
    m.peak_wx = fmax(m.peak_wx, fabs(m.end.wx));
    if (!m.first_rolling_step && fabs(m.end.vx - m.end.wy) < 1e-10 && fabs(m.end.vy + m.end.wx) < 1e-10)
      m.first_rolling_step = k;
  }
  return m;
}

static double aligned_speed(int k)
{
  return k <= 291 ? 2.0 - friction * gravity * step_size * k : 10.0 / 7.0;
}

static double diagonal_speed(int k)
{
  return k <= 411 ? 2.0 - friction * gravity / sqrt(2.0) * step_size * k : 10.0 / 7.0;
}

static void the_sphere_of_000_follows_the_closed_forms(void **state)
{
  (void)state;
  lower_polygon *const lower[] = {ts_lower_to_mlcp, ts_lower_to_lcp};
  for (int f = 0; f < 2; ++f) {
    motion m = simulate(0.0, false, lower[f], aligned_speed);
    assert_int_equal(m.first_rolling_step, 292);
    assert_near(m.end.x, 0.940071, 6e-7);
    m = simulate(TS_PI / 4, false, lower[f], diagonal_speed);
    assert_int_equal(m.first_rolling_step, 412);
    assert_near(m.end.x, 0.974539, 6e-7);
    m = simulate(TS_PI / 8, false, lower[f], NULL);
    assert_int_equal(m.first_rolling_step, 381);
    assert_near(m.peak_vy, 0.11815, 6e-6);
    assert_near(m.peak_wx, 0.2954, 6e-5);
    assert_near(m.end.x, 0.956254, 6e-7);
    assert_near(m.end.y, -0.022517, 6e-7);
    assert_near(m.end.vx, 10.0 / 7.0, 1e-10);
  }
  simulate(TS_PI / 8, true, ts_lower_to_lcp, aligned_speed); // a direction against the slip: as aligned, in any frame
}

// ---- convergence to the cone ---------------------------------------------------------------------------------------

typedef struct deviation {
  double impulse, dissipation;
} deviation;

// One slipping contact with a W that couples everything, solved with n directions: the distance of r to that of the
// exact cone, and what the dissipation lacks of mu r_n |D u_t|. The exact solution is built first: u_n = 0, r on the
// cone against u_t, and q from it.
static deviation deviation_from_cone(int n, double angle, bool ellipse)
{
  storage t;
  const ts_friction p = random_problem(3, 1, 0, ellipse, 3, &t);
  const double e1 = axis(&p, 0, 1), e2 = axis(&p, 0, 2), bound = p.mu[0] * 0.7;
  const double r[] = {0.7, bound * e1 * cos(angle), bound * e2 * sin(angle)};
  double u[] = {0.0, -0.4 * cos(angle) / e1, -0.4 * sin(angle) / e2}, z[3];
  for (int i = 0; i < 3; ++i) {
    t.q[i] = u[i];
    for (int j = 0; j < 3; ++j) t.q[i] -= t.W[j * 3 + i] * r[j];
  }
  const ts_problem exact = ts_problem_friction(p);
  assert_true(ts_problem_residual(&exact, r) < 1e-14);
  ts_lowering *lowering = NULL;
  assert_int_equal(ts_lower_to_lcp(&p, n, NULL, &lowering, NULL), TS_OK);
  solve_lowered(lowering, &p, z);
  ts_lowering_destroy(lowering);
  velocities(&p, z, u);
  return (deviation){hypot(hypot(z[0] - r[0], z[1] - r[1]), z[2] - r[2]),
                     1.0 + (z[1] * u[1] + z[2] * u[2]) / (p.mu[0] * z[0] * hypot(e1 * u[1], e2 * u[2]))};
}

// Slip that points between two vertices is met by one of them: the impulse turns by up to pi/n, which is first order,
// while the dissipation lacks 1 - cos(pi/n), which is second order. Single figures scatter with the angle, so the worst
// of many is taken.
static void polygons_approach_the_cone(void **state)
{
  (void)state;
  for (int ellipse = 0; ellipse < 2; ++ellipse) {
    deviation worst[4] = {{0.0, 0.0}};
    for (int level = 0; level < 4; ++level) {
      const int n = 8 << level;
      for (int k = 0; k < 40; ++k) {
        const deviation d = deviation_from_cone(n, 0.01 + 0.157 * k, ellipse);
        worst[level].impulse = fmax(worst[level].impulse, d.impulse);
        worst[level].dissipation = fmax(worst[level].dissipation, d.dissipation);
        assert_true(d.dissipation > -1e-9);
      }
      assert_true(worst[level].dissipation <= 1.0 - cos(TS_PI / n) + 1e-12);
      assert_true(worst[level].dissipation >= 0.5 * (1.0 - cos(TS_PI / n))); // the bound is met, not idle
    }
    assert_true(worst[0].impulse / worst[3].impulse > 4.0); // 8 for a worst case that is hit exactly
  }
}

// ---- the matrix of the polygon problems ----------------------------------------------------------------------------

// A chain of contacts, each coupled with its neighbours, and bilateral rows that touch two contacts each.
typedef struct chain {
  ts_friction p;
  ts_arena arena;
} chain;

static void make_chain(chain *c, int contacts, int bilaterals)
{
  enum { D = 3 };
  ts_random random;
  ts_random_init(&random, 17);
  ts_arena_init(&c->arena, NULL);
  const size_t n = (size_t)contacts, b = (size_t)bilaterals;
  int *start = ts_arena_ints(&c->arena, n + 1), *index = ts_arena_ints(&c->arena, 3 * n), count = 0;
  double *W = ts_arena_doubles(&c->arena, 3 * n * D * D), *q = ts_arena_doubles(&c->arena, n * D);
  double *mu = ts_arena_doubles(&c->arena, n), *ellipsoid = ts_arena_doubles(&c->arena, 2 * n);
  double *V = ts_arena_zeros(&c->arena, n * D * b), *R = ts_arena_zeros(&c->arena, b * b);
  double *s = ts_arena_doubles(&c->arena, b);
  for (int i = 0; i < contacts; ++i) {
    start[i] = count;
    for (int j = i - 1; j <= i + 1; ++j)
      if (j >= 0 && j < contacts) index[count++] = j;
    mu[i] = 0.3 + 0.01 * i;
    ellipsoid[2 * i] = 0.5 + 0.02 * i;
    ellipsoid[2 * i + 1] = 1.5;
  }
  start[contacts] = count;
  for (int k = 0; k < count * D * D; ++k) W[k] = ts_random_normal(&random); // no symmetry is asked for
  for (int k = 0; k < contacts * D; ++k) q[k] = ts_random_normal(&random);
  for (int k = 0; k < bilaterals; ++k) {
    s[k] = ts_random_normal(&random);
    R[k * bilaterals + k] = 2.0;
    V[(size_t)k * n * D + (size_t)(7 * k)] = 0.5 + k;
    V[(size_t)k * n * D + (size_t)(7 * k + 10)] = -1.0;
  }
  c->p = (ts_friction){.dimension = D,
                       .contacts = contacts,
                       .bilaterals = bilaterals,
                       .W = {contacts, D, start, index, W},
                       .q = q,
                       .mu = mu,
                       .ellipsoid = ellipsoid,
                       .V = {contacts * D, bilaterals, NULL, NULL, V},
                       .R = {bilaterals, bilaterals, NULL, NULL, R},
                       .s = s};
}

// w = M z + q at a random z, row by row from the definitions of 000 eq. 16 and 20.
static void assert_rows_of_the_definition(const chain *c, const ts_lowering *lowering, int n)
{
  const ts_friction *p = &c->p;
  const ts_problem *lowered = ts_lowering_problem(lowering);
  assert_int_equal(ts_problem_check(lowered, NULL), TS_OK);
  assert_int_equal(lowered->type, TS_MLCP);
  const ts_mlcp *m = &lowered->mlcp;
  const size_t size = (size_t)m->size, rows = (size_t)(3 * p->contacts);
  double *z = calloc(4 * size + 2 * rows, sizeof *z), *w = z + size, *expected = w + size, *original = expected + size;
  double *u = original + size + rows;
  assert_non_null(z);
  for (size_t k = 0; k < size; ++k) z[k] = sin(3.0 * (double)k + 1.0);
  memcpy(w, m->q, size * sizeof *w);
  ts_matrix_multiply_add(&m->M, 1.0, z, w);
  ts_lowering_recover(lowering, z, original);
  velocities(p, original, u);
  for (int k = 0; k < p->bilaterals; ++k) {
    assert_near(original[rows + (size_t)k], z[k], 0.0);
    expected[k] = p->s[k];
  }
  ts_matrix_transpose_multiply_add(&p->V, 1.0, original, expected);
  ts_matrix_multiply_add(&p->R, 1.0, z, expected);
  for (int i = 0; i < p->contacts; ++i) {
    const int at = p->bilaterals + i * (n + 1), sigma = p->bilaterals + p->contacts * (n + 1) + i;
    double r[3] = {z[at], 0.0, 0.0};
    expected[at] = u[3 * i];
    expected[sigma] = p->mu[i] * z[at];
    for (int j = 0; j < n; ++j) {
      const double d1 = axis(p, i, 1) * cos(2 * TS_PI * j / n), d2 = axis(p, i, 2) * sin(2 * TS_PI * j / n);
      r[1] += z[at + 1 + j] * d1;
      r[2] += z[at + 1 + j] * d2;
      expected[at + 1 + j] = d1 * u[3 * i + 1] + d2 * u[3 * i + 2] + z[sigma];
      expected[sigma] -= z[at + 1 + j];
    }
    for (int k = 0; k < 3; ++k) assert_near(original[3 * i + k], r[k], 1e-13);
  }
  for (size_t k = 0; k < size; ++k) assert_near(w[k], expected[k], 1e-11);
  free(z);
}

static void small_problems_are_dense_and_large_ones_sparse(void **state)
{
  (void)state;
  for (int large = 0; large < 2; ++large)
    for (int bilaterals = 0; bilaterals <= 4; bilaterals += 4)
      for (int n = 4; n <= 8; n += 4) {
        chain c;
        ts_lowering *lowering = NULL;
        make_chain(&c, large ? 60 : 11, bilaterals);
        assert_int_equal(ts_lower_to_mlcp(&c.p, n, NULL, &lowering, NULL), TS_OK);
        assert_int_equal(ts_matrix_is_dense(&ts_lowering_problem(lowering)->mlcp.M), !large);
        assert_rows_of_the_definition(&c, lowering, n);
        ts_lowering_destroy(lowering);
        ts_arena_release(&c.arena);
      }
}

// The LCP is the MLCP in another order where there is nothing to eliminate.
static void lcp_and_mlcp_differ_in_order_only(void **state)
{
  (void)state;
  chain c;
  ts_lowering *as_lcp = NULL, *as_mlcp = NULL;
  make_chain(&c, 50, 0);
  assert_int_equal(ts_lower_to_lcp(&c.p, 4, NULL, &as_lcp, NULL), TS_OK);
  assert_int_equal(ts_lower_to_mlcp(&c.p, 4, NULL, &as_mlcp, NULL), TS_OK);
  const ts_lcp *l = &ts_lowering_problem(as_lcp)->lcp;
  const ts_mlcp *m = &ts_lowering_problem(as_mlcp)->mlcp;
  assert_int_equal(l->size, 300);
  assert_int_equal(m->size, 300);
  double *L = malloc(2 * 300 * 300 * sizeof *L), *M = L + 300 * 300;
  assert_non_null(L);
  ts_matrix_to_dense(&l->M, L, 300);
  ts_matrix_to_dense(&m->M, M, 300);
  int map[300];
  for (int k = 0; k < 300; ++k) map[k] = k % 6 < 5 ? k / 6 * 5 + k % 6 : 250 + k / 6;
  for (int j = 0; j < 300; ++j) {
    assert_true(l->q[j] == m->q[map[j]]);
    for (int i = 0; i < 300; ++i) assert_true(L[j * 300 + i] == M[map[j] * 300 + map[i]]);
  }
  free(L);
  ts_lowering_destroy(as_lcp);
  ts_lowering_destroy(as_mlcp);
  ts_arena_release(&c.arena);
}

// ---- the quadratic cone --------------------------------------------------------------------------------------------

typedef enum mode { OPEN, STICK, SLIP, MODES } mode;

// Turn a random problem into one whose solution is known: impulses and velocities that obey the law in the given modes,
// and q and s from them.
static void build_backwards(const ts_friction *p, const mode *modes, uint64_t seed, storage *t, double *z)
{
  const int d = p->dimension, m = d * p->contacts;
  double u[MAX_COMPONENTS], product[MAX_COMPONENTS];
  ts_random random;
  ts_random_init(&random, seed);
  for (int i = 0; i < p->contacts; ++i) {
    double *ri = z + i * d, *ui = u + i * d, slip = 0.0;
    ri[0] = modes[i] == OPEN ? 0.0 : ts_random_uniform(&random, 0.5, 2.0);
    ui[0] = modes[i] == OPEN ? ts_random_uniform(&random, 0.1, 1.0) : 0.0;
    for (int k = 1; k < d; ++k) {
      ui[k] = modes[i] == STICK ? 0.0 : ts_random_normal(&random);
      slip = hypot(slip, axis(p, i, k) * ui[k]);
    }
    for (int k = 1; k < d; ++k) {
      const double e = axis(p, i, k), bound = p->mu[i] * ri[0];
      ri[k] = modes[i] == SLIP ? -bound * e * e * ui[k] / slip : bound * e * ts_random_uniform(&random, -0.5, 0.5);
    }
  }
  for (int k = 0; k < p->bilaterals; ++k) z[m + k] = ts_random_normal(&random);
  memset(t->q, 0, sizeof t->q);
  velocities(p, z, product);
  for (int i = 0; i < m; ++i) t->q[i] = u[i] - product[i];
  memset(t->s, 0, sizeof t->s);
  if (p->bilaterals == 0) return;
  ts_matrix_transpose_multiply_add(&p->V, -1.0, z, t->s);
  ts_matrix_multiply_add(&p->R, -1.0, z + m, t->s);
}

static void assert_derivatives(const ts_mcp *mcp, const double *z)
{
  enum { MOST = (4 + 1) * MAX_CONTACTS + MAX_BILATERALS };
  double values[MOST * MOST], J[MOST * MOST], x[MOST], above[MOST], below[MOST];
  const size_t n = (size_t)mcp->size;
  assert_int_equal(mcp->jacobian(mcp->user, z, values), 0);
  const ts_matrix sparse = {mcp->size, mcp->size, mcp->start, mcp->index, values};
  ts_matrix_to_dense(&sparse, J, n);
  for (size_t j = 0; j < n; ++j) { // F is quadratic, so that central differences are exact but for round-off
    memcpy(x, z, n * sizeof *x);
    x[j] = z[j] + 1e-3;
    assert_int_equal(mcp->evaluate(mcp->user, x, above), 0);
    x[j] = z[j] - 1e-3;
    assert_int_equal(mcp->evaluate(mcp->user, x, below), 0);
    for (size_t i = 0; i < n; ++i) assert_near(J[j * n + i], (above[i] - below[i]) / 2e-3, 1e-10);
  }
}

// Every mode of two contacts, in 2, 3 and 4 components, round and elliptic, with and without bilateral rows: the exact
// solution solves the MCP, comes back from it unchanged, and the Jacobian is that of F.
static void exact_solutions_solve_the_quadratic_cone(void **state)
{
  (void)state;
  for (int d = 2; d <= 4; ++d)
    for (int both = 0; both < MODES * MODES; ++both)
      for (int variant = 0; variant < 4; ++variant) {
        const mode modes[] = {(mode)(both % MODES), (mode)(both / MODES)};
        const uint64_t seed = (uint64_t)(100 * d + 4 * both + variant);
        storage t;
        const ts_friction p = random_problem(d, 2, variant % 2 * 2, variant / 2, seed, &t);
        double z[MAX_COMPONENTS + MAX_BILATERALS], back[MAX_COMPONENTS + MAX_BILATERALS], lowered[MAX_ROWS];
        build_backwards(&p, modes, seed, &t, z);
        const ts_problem problem = ts_problem_friction(p);
        assert_true(ts_problem_residual(&problem, z) < 1e-14);
        ts_lowering *lowering = NULL;
        assert_int_equal(ts_lower_to_mcp(&p, &lowering, NULL), TS_OK);
        const ts_problem *cone = ts_lowering_problem(lowering);
        assert_int_equal(ts_problem_check(cone, NULL), TS_OK);
        ts_lowering_start(lowering, z, lowered);
        assert_true(ts_problem_residual(cone, lowered) < 1e-13);
        assert_derivatives(&cone->mcp, lowered);
        ts_lowering_recover(lowering, lowered, back);
        assert_memory_equal(back, z, ts_problem_size(&problem) * sizeof *z);
        for (int k = 0; k < cone->mcp.size; ++k) lowered[k] += 0.3 * sin(k + 1.0);
        assert_derivatives(&cone->mcp, lowered); // and away from it
        assert_true(ts_problem_residual(cone, lowered) > 1e-3);
        ts_lowering_destroy(lowering);
      }
}

// ---- translation of points -----------------------------------------------------------------------------------------

static void any_point_survives_the_way_to_a_polygon_and_back(void **state)
{
  (void)state;
  lower_polygon *const lower[] = {ts_lower_to_mlcp, ts_lower_to_lcp};
  for (int d = 2; d <= 4; ++d)
    for (int n = 4; n <= 10; n += 2)
      for (int f = 0; f < 2; ++f)
        for (int turned = 0; turned < 2; ++turned) {
          storage t;
          const ts_friction p = random_problem(d, 3, f == 0 ? 2 : 0, turned, (uint64_t)n, &t);
          ts_lowering *lowering = NULL;
          double z[MAX_COMPONENTS + MAX_BILATERALS], back[MAX_COMPONENTS + MAX_BILATERALS], lowered[MAX_ROWS];
          const int size = d * 3 + p.bilaterals;
          assert_int_equal(lower[f](&p, n, turned ? p.q : NULL, &lowering, NULL), TS_OK);
          for (int k = 0; k < size; ++k) z[k] = sin(5.0 * k + n);
          z[1] = d > 2 ? z[1] : 0.0;
          ts_lowering_start(lowering, z, lowered);
          for (int k = 0; k < (int)ts_problem_size(ts_lowering_problem(lowering)); ++k) // beta and sigma
            if (k >= p.bilaterals && lowered[k] != z[0] && lowered[k] != z[d] && lowered[k] != z[2 * d])
              assert_true(lowered[k] >= 0.0);
          ts_lowering_recover(lowering, lowered, back);
          for (int k = 0; k < size; ++k) assert_near(back[k], z[k], 1e-14);
          ts_lowering_destroy(lowering);
        }
}

// A solution, taken back and lowered again, still solves the lowered problem, though beta may be another.
static void solutions_stay_solutions_when_lowered_again(void **state)
{
  (void)state;
  for (uint64_t seed = 1; seed <= 10; ++seed)
    for (int d = 2; d <= 4; ++d) {
      storage t;
      const ts_friction p = random_problem(d, 1, seed % 2 ? 2 : 0, seed % 3 == 0, seed, &t);
      ts_lowering *lowering = NULL;
      double z[MAX_COMPONENTS + MAX_BILATERALS], again[MAX_ROWS];
      assert_int_equal(ts_lower_to_mlcp(&p, 6, NULL, &lowering, NULL), TS_OK);
      solve_lowered(lowering, &p, z);
      ts_lowering_start(lowering, z, again);
      assert_true(ts_problem_residual(ts_lowering_problem(lowering), again) < 1e-10);
      ts_lowering_destroy(lowering);
    }
}

// ---- bad input and odd sizes ---------------------------------------------------------------------------------------

static void broken_contracts_are_refused_with_a_sentence(void **state)
{
  (void)state;
  storage t;
  ts_friction p = random_problem(3, 2, 2, false, 1, &t);
  ts_lowering *lowering = NULL;
  ts_error error;
  const int wrong[] = {-4, 0, 2, 3, 5, 7};
  for (size_t k = 0; k < sizeof wrong / sizeof wrong[0]; ++k) {
    assert_int_equal(ts_lower_to_mlcp(&p, wrong[k], NULL, &lowering, &error), TS_INVALID);
    assert_non_null(strstr(error.text, "directions"));
    assert_null(lowering);
  }
  double slip[6] = {0, 0, 0, 0, NAN, 0};
  assert_int_equal(ts_lower_to_lcp(&p, 4, slip, &lowering, &error), TS_INVALID);
  assert_non_null(strstr(error.text, "slip[4]"));
  t.R[0] = t.R[1] = t.R[2] = t.R[3] = 1.0;
  assert_int_equal(ts_lower_to_lcp(&p, 4, NULL, &lowering, &error), TS_UNSUPPORTED);
  assert_non_null(strstr(error.text, "R is singular"));
  assert_int_equal(ts_lower_to_mlcp(&p, 4, NULL, &lowering, &error), TS_OK);
  ts_lowering_destroy(lowering);
  t.mu[1] = -1.0;
  assert_int_equal(ts_lower_to_mcp(&p, &lowering, &error), TS_INVALID);
  assert_null(lowering);
  ts_lowering_destroy(NULL);
}

static void problems_without_contacts_lower_too(void **state)
{
  (void)state;
  for (int bilaterals = 0; bilaterals <= 2; bilaterals += 2) {
    storage t;
    ts_friction p = random_problem(3, 0, bilaterals, false, 1, &t);
    ts_lowering *lowering = NULL;
    double z[2] = {5.0, 5.0}, lowered[2] = {1.0, 2.0};
    assert_int_equal(ts_lower_to_mcp(&p, &lowering, NULL), TS_OK);
    assert_int_equal(ts_lowering_problem(lowering)->mcp.size, bilaterals);
    ts_lowering_destroy(lowering);
    assert_int_equal(ts_lower_to_mlcp(&p, 4, NULL, &lowering, NULL), TS_OK);
    assert_int_equal(ts_lowering_problem(lowering)->mlcp.size, bilaterals);
    ts_lowering_destroy(lowering);
    assert_int_equal(ts_lower_to_lcp(&p, 4, NULL, &lowering, NULL), TS_OK);
    assert_int_equal(ts_lowering_problem(lowering)->lcp.size, 0);
    ts_lowering_recover(lowering, lowered, z); // l = -R^-1 s
    for (int k = 0; k < bilaterals; ++k) assert_near(t.R[k] * z[0] + t.R[2 + k] * z[1] + t.s[k], 0.0, 1e-13);
    ts_lowering_destroy(lowering);
  }
}

// The lowered problem has its own data: the original may change.
static void lowerings_do_not_depend_on_the_original(void **state)
{
  (void)state;
  storage t;
  const ts_friction p = random_problem(3, 2, 2, true, 8, &t);
  ts_lowering *lowering = NULL;
  double before[MAX_ROWS], after[MAX_ROWS], z[MAX_ROWS];
  assert_int_equal(ts_lower_to_mcp(&p, &lowering, NULL), TS_OK);
  const ts_mcp *mcp = &ts_lowering_problem(lowering)->mcp;
  for (int k = 0; k < mcp->size; ++k) z[k] = k;
  mcp->evaluate(mcp->user, z, before);
  memset(&t, 0, sizeof t);
  mcp->evaluate(mcp->user, z, after);
  assert_memory_equal(before, after, (size_t)mcp->size * sizeof *before);
  ts_lowering_destroy(lowering);
}

// ---- memory --------------------------------------------------------------------------------------------------------

// Lowering into an arena that has its size allocates nothing; with too little memory control leaves, and the arena can
// be given back.
static void lowering_in_an_arena_needs_no_other_memory(void **state)
{
  (void)state;
  ts_lower_into *const lower[] = {ts_lower_to_mcp_into, ts_lower_to_mlcp_into, ts_lower_to_lcp_into};
  const ts_friction_polygon_options options = {8, NULL};
  chain c;
  make_chain(&c, 60, 4);
  for (int k = 0; k < 3; ++k) {
    allocation_count count = {.budget = 1000};
    ts_arena arena;
    jmp_buf recovery;
    const ts_allocator allocator = counting_allocator(&count);
    ts_arena_init(&arena, &allocator);
    for (int run = 0; run < 3; ++run) {
      ts_lowering lowering;
      ts_arena_reset(&arena);
      count.calls = 0;
      assert_int_equal(lower[k](&c.p, &options, &arena, &lowering, NULL), TS_OK);
      assert_int_equal(ts_problem_check(&lowering.problem, NULL), TS_OK);
    }
    assert_int_equal(count.calls, 0);
    ts_arena_release(&arena);
    for (volatile int budget = 0; budget < 3; ++budget) {
      ts_lowering lowering;
      count.budget = budget;
      ts_arena_init(&arena, &allocator);
      arena.recovery = &recovery;
      if (!setjmp(recovery)) {
        assert_int_equal(lower[k](&c.p, &options, &arena, &lowering, NULL), TS_OK);
        assert_true(budget > 0);
      }
      ts_arena_release(&arena);
    }
  }
  ts_arena_release(&c.arena);
}

int main(void)
{
  const struct CMUnitTest tests[] = {
      cmocka_unit_test(solutions_of_polygon_problems_obey_the_polygon_law),
      cmocka_unit_test(the_sphere_of_000_follows_the_closed_forms),
      cmocka_unit_test(polygons_approach_the_cone),
      cmocka_unit_test(small_problems_are_dense_and_large_ones_sparse),
      cmocka_unit_test(lcp_and_mlcp_differ_in_order_only),
      cmocka_unit_test(exact_solutions_solve_the_quadratic_cone),
      cmocka_unit_test(any_point_survives_the_way_to_a_polygon_and_back),
      cmocka_unit_test(solutions_stay_solutions_when_lowered_again),
      cmocka_unit_test(broken_contracts_are_refused_with_a_sentence),
      cmocka_unit_test(problems_without_contacts_lower_too),
      cmocka_unit_test(lowerings_do_not_depend_on_the_original),
      cmocka_unit_test(lowering_in_an_arena_needs_no_other_memory),
  };
  return cmocka_run_group_tests(tests, NULL, NULL);
}
