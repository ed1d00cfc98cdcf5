// Patches of contact: against the friction problem where every patch is a point, against closed forms of a cube on a
// plane, and on random bodies that touch by faces.
#include "complementarity/friction/patch_problem.h"

#include "base/random.h"
#include "friction_generator.h"
#include "friction_run.h"
#include "math/vec3.h"

#include <math.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <string.h>
#include <cmocka.h>

#include "near.h"

enum { D = 4, MOST_BODIES = 4, MOST_PATCHES = 8, MOST_POINTS = 40, MOST_ITERATIONS = 200 };
static const double TOLERANCE = 1e-12;

// ---- bodies that touch by patches ----------------------------------------------------------------------------------

typedef struct rig {
  int bodies, patches, points;
  double mass[MOST_BODIES], inertia[MOST_BODIES]; // balls, as far as they turn
  double v[MOST_BODIES][6];                       // without contacts
  double H[MOST_POINTS * D][6 * MOST_BODIES];     // a row of the problem, by the twists of all bodies
  int start[MOST_PATCHES + 1];
  double q[MOST_POINTS * D], mu[MOST_POINTS], ellipsoid[MOST_POINTS * (D - 1)];
  int block_start[MOST_POINTS + 1], block_index[MOST_POINTS * MOST_POINTS];
  double block_value[MOST_POINTS * MOST_POINTS * D * D];
  ts_friction friction;
  ts_patch_problem problem;
} rig;

static void set_row(double row[6], double sign, ts_vec3 linear, ts_vec3 angular)
{
  const double six[6] = {linear.x, linear.y, linear.z, angular.x, angular.y, angular.z};
  for (int k = 0; k < 6; ++k) row[k] += sign * six[k];
}

// A point of the patch that is being made, `arm` from the body's centre; the axes are n, t and o.
static void add_point(rig *g, int body, double sign, const ts_vec3 axes[3], ts_vec3 arm)
{
  double(*rows)[6 * MOST_BODIES] = g->H + (size_t)g->points * D;
  for (int k = 0; k < 3; ++k) set_row(rows[k] + 6 * body, sign, axes[k], ts_cross(arm, axes[k]));
  set_row(rows[3] + 6 * body, sign, (ts_vec3){0.0, 0.0, 0.0}, axes[0]);
}

static void end_point(rig *g, double mu, double e_r)
{
  const double e[D - 1] = {1.0, 1.0, e_r};
  g->mu[g->points] = mu;
  memcpy(g->ellipsoid + g->points * (D - 1), e, sizeof e);
  ++g->points;
}

static void end_patch(rig *g)
{
  g->start[++g->patches] = g->points;
}

static double product_of_rows(const rig *g, int a, int b)
{
  double sum = 0.0;
  for (int k = 0; k < 6 * g->bodies; ++k)
    sum += g->H[a][k] * g->H[b][k] / (k % 6 < 3 ? g->mass[k / 6] : g->inertia[k / 6]);
  return sum;
}

static void finish_rig(rig *g)
{
  for (int i = 0; i < g->points; ++i) {
    g->block_start[i] = i * g->points;
    for (int k = 0; k < g->points; ++k) {
      g->block_index[i * g->points + k] = k;
      for (int c = 0; c < D; ++c)
        for (int r = 0; r < D; ++r)
          g->block_value[((i * g->points + k) * D + c) * D + r] = product_of_rows(g, i * D + r, k * D + c);
    }
    for (int r = 0; r < D; ++r) {
      g->q[i * D + r] = 0.0;
      for (int k = 0; k < 6 * g->bodies; ++k) g->q[i * D + r] += g->H[i * D + r][k] * g->v[k / 6][k % 6];
    }
  }
  g->block_start[g->points] = g->points * g->points;
  const ts_block_matrix W = {
      .rows = g->points, .block = D, .start = g->block_start, .index = g->block_index, .value = g->block_value};
  g->friction =
      (ts_friction){.dimension = D, .contacts = g->points, .W = W, .q = g->q, .mu = g->mu, .ellipsoid = g->ellipsoid};
  g->problem = (ts_patch_problem){&g->friction, g->patches, g->start};
}

// Twists after the impulses.
static void respond(const rig *g, const double *r, double v[MOST_BODIES][6])
{
  for (int k = 0; k < 6 * g->bodies; ++k) {
    double push = 0.0;
    for (int row = 0; row < g->points * D; ++row) push += g->H[row][k] * r[row];
    v[k / 6][k % 6] = g->v[k / 6][k % 6] + push / (k % 6 < 3 ? g->mass[k / 6] : g->inertia[k / 6]);
  }
}

static bool solve(const rig *g, double *r, ts_patch_report *report)
{
  ts_arena arena;
  ts_arena_init(&arena, NULL);
  const bool solved = ts_patch_solve(&g->problem, TOLERANCE, MOST_ITERATIONS, &arena, r, report);
  ts_arena_release(&arena);
  return solved;
}

static double residual(const rig *g, const double *r)
{
  ts_arena arena;
  ts_arena_init(&arena, NULL);
  const double found = ts_patch_residual(&g->problem, r, &arena);
  ts_arena_release(&arena);
  return found;
}

// ---- a cube on a plane ---------------------------------------------------------------------------------------------

static const ts_vec3 UP[3] = {{0.0, 0.0, 1.0}, {1.0, 0.0, 0.0}, {0.0, 1.0, 0.0}};
static const double GH = 9.8 * 0.01, MU = 0.12, E_R = 0.3, HALF = 0.5;

static ts_vec3 corner(int k)
{
  return (ts_vec3){k == 0 || k == 3 ? -HALF : HALF, k < 2 ? -HALF : HALF, -HALF};
}

// Mass and edges 1, in the first step of 0.01 s; v and w: its motion before.
static void make_cube(rig *g, double vx, double vy, double wz, double mu)
{
  memset(g, 0, sizeof *g);
  g->bodies = 1;
  g->mass[0] = 1.0;
  g->inertia[0] = 1.0 / 6.0;
  const double v[6] = {vx, vy, -GH, 0.0, 0.0, wz};
  memcpy(g->v[0], v, sizeof v);
  for (int k = 0; k < 4; ++k) {
    add_point(g, 0, 1.0, UP, corner(k));
    end_point(g, mu, E_R);
  }
  end_patch(g);
  finish_rig(g);
}

// What the impulses of the cube come to: sums of n, t, o and r, and where they act.
typedef struct wrench {
  double sum[D], x, y;
} wrench;

static wrench wrench_of(const double *r)
{
  wrench w = {{0.0}, 0.0, 0.0};
  for (int k = 0; k < 4; ++k) {
    for (int row = 0; row < D; ++row) w.sum[row] += r[k * D + row];
    w.x += r[k * D] * corner(k).x;
    w.y += r[k * D] * corner(k).y;
  }
  w.x /= w.sum[0];
  w.y /= w.sum[0];
  return w;
}

static void check_wrench(const double *r, const double sum[D], double x, double y)
{
  const wrench w = wrench_of(r);
  for (int row = 0; row < D; ++row) assert_near(w.sum[row], sum[row], 1e-11);
  assert_near(w.x, x, 1e-10);
  assert_near(w.y, y, 1e-10);
}

static void check_twist(const rig *g, const double *r, const double twist[6])
{
  double v[MOST_BODIES][6];
  respond(g, r, v);
  for (int k = 0; k < 6; ++k) assert_near(v[0][k], twist[k], 1e-10);
}

// 003 scenario 1: friction at the height of the floor tips the cube, the equivalent contact point runs ahead by mu
// times the height of the centre and holds it.
static void cube_slides(void **state)
{
  (void)state;
  rig g;
  double r[4 * D] = {0.0};
  ts_patch_report report;
  make_cube(&g, 4.0, 3.0, 0.0, MU);
  assert_true(solve(&g, r, &report));
  check_wrench(r, (double[D]){GH, -0.096 * GH, -0.072 * GH, 0.0}, 0.048, 0.036);
  check_twist(&g, r, (double[6]){4.0 - 0.096 * GH, 3.0 - 0.072 * GH, 0.0, 0.0, 0.0, 0.0});
}

// Friction of a face that turns on the spot is a torque mu e_r p_n, and no force.
static void cube_spins(void **state)
{
  (void)state;
  rig g;
  double r[4 * D] = {0.0};
  ts_patch_report report;
  make_cube(&g, 0.0, 0.0, 2.0, MU);
  assert_true(solve(&g, r, &report));
  check_wrench(r, (double[D]){GH, 0.0, 0.0, -MU * E_R * GH}, 0.0, 0.0);
  check_twist(&g, r, (double[6]){0.0, 0.0, 0.0, 0.0, 0.0, 2.0 - 6.0 * MU * E_R * GH});
}

static void cube_sticks(void **state)
{
  (void)state;
  rig g;
  double r[4 * D] = {0.0};
  ts_patch_report report;
  make_cube(&g, 0.05 * GH, -0.02 * GH, 0.01 * GH, MU);
  assert_true(solve(&g, r, &report));
  check_wrench(r, (double[D]){GH, -0.05 * GH, 0.02 * GH, -0.01 * GH / 6.0}, 0.05 * HALF, -0.02 * HALF);
  check_twist(&g, r, (double[6]){0.0});
}

// The impulses that make_cube(4, 3, 0) asks for, with any share of what no corner feels.
static void exact_slide(double share, double *r)
{
  for (int k = 0; k < 4; ++k) {
    const double x = 0.5 + 2.0 * corner(k).x * 0.048, y = 0.5 + 2.0 * corner(k).y * 0.036;
    const double p = GH * (x * y + (k % 2 ? share : -share)), own[D] = {p, -0.096 * p, -0.072 * p, 0.0};
    memcpy(r + k * D, own, sizeof own);
  }
}

static void residual_is_zero_at_solutions_alone(void **state)
{
  (void)state;
  rig g;
  double r[4 * D];
  make_cube(&g, 4.0, 3.0, 0.0, MU);
  static const double shares[] = {0.0, 0.1, -0.2};
  for (int k = 0; k < 3; ++k) {
    exact_slide(shares[k], r);
    assert_true(residual(&g, r) < 1e-15);
  }
  for (int row = 0; row < 4 * D; ++row) { // of first order, whichever impulse is off
    double before = 0.0;
    for (double off = 1e-2; off > 1e-7; off *= 0.1) {
      exact_slide(0.0, r);
      r[row] += off * GH;
      const double now = residual(&g, r);
      assert_true(now > 1e-3 * off * GH && now < 10.0 * off * GH);
      if (before > 0.0) assert_true(now > 0.08 * before && now < 0.13 * before);
      before = now;
    }
  }
}

// Four corners share their load in many ways. What the body feels is one.
static void starts_agree_in_what_bodies_feel(void **state)
{
  (void)state;
  rig g;
  ts_random random;
  ts_patch_report report;
  ts_random_init(&random, 7);
  make_cube(&g, 4.0, 3.0, 1.5, MU);
  double first[4 * D] = {0.0}, first_v[MOST_BODIES][6];
  assert_true(solve(&g, first, &report));
  const wrench expected = wrench_of(first);
  respond(&g, first, first_v);
  for (int trial = 0; trial < 50; ++trial) {
    double r[4 * D];
    for (int k = 0; k < 4 * D; ++k) r[k] = GH * ts_random_uniform(&random, k % D ? -0.1 : 0.0, k % D ? 0.1 : 1.0);
    assert_true(solve(&g, r, &report));
    assert_true(residual(&g, r) <= 2.0 * TOLERANCE);
    check_wrench(r, expected.sum, expected.x, expected.y);
    check_twist(&g, r, first_v[0]);
  }
}

// ---- points --------------------------------------------------------------------------------------------------------

// Whether z solves the friction problem, by the certificate of that problem.
static bool solves_friction(friction_run *run, const ts_problem *problem, const double *z)
{
  friction_run_resize(run, problem);
  memcpy(run->z, z, ts_problem_size(problem) * sizeof *z);
  return friction_run_is_certified(run, problem, 1e-9);
}

static void patches_of_one_point_are_contacts(void **state)
{
  friction_run *run = *state;
  int solved = 0;
  run->options.tolerance = 1e-12;
  for (uint64_t seed = 1; seed <= 60; ++seed) {
    const friction_recipe recipe = {.dimension = 2 + (int)(seed % 3),
                                    .contacts = 1 + (int)(seed % 5),
                                    .bodies = 6,
                                    .ellipsoid = seed % 2 == 0,
                                    .least_mu = 0.05,
                                    .most_mu = 0.3};
    friction_sample *sample = friction_sample_create(&recipe, seed);
    const ts_friction *p = &sample->local.friction;
    int start[MOST_POINTS];
    double r[MOST_POINTS] = {0.0};
    ts_patch_report report;
    for (int k = 0; k <= p->contacts; ++k) start[k] = k;
    const ts_patch_problem problem = {p, p->contacts, start};
    if (ts_patch_solve(&problem, TOLERANCE, MOST_ITERATIONS, &sample->arena, r, &report)) {
      ++solved;
      assert_true(solves_friction(run, &sample->local, r));
      memset(run->z, 0, run->size * sizeof *run->z);
      assert_int_equal(friction_run_solve(run, ts_solver_find("auto"), &sample->local), TS_SOLVED);
      assert_true(ts_patch_residual(&problem, run->z, &sample->arena) < 1e-9);
      for (int k = 0; k < p->contacts * p->dimension; ++k) assert_near(r[k], run->z[k], 1e-7 * (1.0 + fabs(r[k])));
    }
    friction_sample_destroy(sample);
  }
  print_message("%d of 60 solved from zero\n", solved);
  assert_int_equal(solved, 60);
}

// ---- random faces --------------------------------------------------------------------------------------------------

static ts_vec3 random_vector(ts_random *random)
{
  return (ts_vec3){ts_random_normal(random), ts_random_normal(random), ts_random_normal(random)};
}

// Coordinates along n, t and o.
static ts_vec3 along(const ts_vec3 axes[3], double n, double t, double o)
{
  return ts_add_scaled(ts_add_scaled(ts_scale(n, axes[0]), t, axes[1]), o, axes[2]);
}

// A regular polygon of 1 to 6 points by which a body touches the ground, or its neighbour.
static void add_face(rig *g, ts_random *random, int body, bool between, double most_mu)
{
  const int points = 1 + ts_random_below(random, 6);
  const double mu = ts_random_uniform(random, 0.0, most_mu), size = ts_random_uniform(random, 0.1, 0.5);
  ts_vec3 axes[3] = {ts_normalize(random_vector(random), UP[0])};
  axes[1] = ts_tangent_of(axes[0]);
  axes[2] = ts_cross(axes[0], axes[1]);
  const double tilt_t = ts_random_uniform(random, -0.2, 0.2), tilt_o = ts_random_uniform(random, -0.2, 0.2);
  for (int k = 0; k < points; ++k) {
    const double angle = 2.0 * TS_PI * k / points, t = tilt_t + size * cos(angle), o = tilt_o + size * sin(angle);
    add_point(g, body, 1.0, axes, along(axes, -0.5, t, o));
    if (between) add_point(g, body + 1, -1.0, axes, along(axes, 0.5, t, o));
    end_point(g, mu, 0.3);
  }
  end_patch(g);
}

static void draw_rig(rig *g, uint64_t seed, double most_mu)
{
  ts_random random;
  ts_random_init(&random, seed);
  memset(g, 0, sizeof *g);
  g->bodies = 1 + ts_random_below(&random, MOST_BODIES);
  for (int b = 0; b < g->bodies; ++b) {
    g->mass[b] = ts_random_uniform(&random, 0.5, 2.0);
    g->inertia[b] = g->mass[b] * ts_random_uniform(&random, 0.1, 0.3);
    for (int k = 0; k < 6; ++k) g->v[b][k] = ts_random_normal(&random);
    add_face(g, &random, b, false, most_mu);
    if (b + 1 < g->bodies) add_face(g, &random, b, true, most_mu);
  }
  finish_rig(g);
}

// The solver's own figure is the largest entry of the map, the residual takes three of them together.
static void check_report(const rig *g, const double *r, const ts_patch_report *report)
{
  const double found = residual(g, r);
  assert_true(found >= report->residual * (1.0 - 1e-9) - 1e-14);
  assert_true(found <= report->residual * (sqrt(3.0) + 1e-9) + 1e-14);
}

static void random_faces_are_solved_or_reported(void **state)
{
  (void)state;
  int solved = 0;
  for (uint64_t seed = 1; seed <= 300; ++seed) {
    rig g;
    double r[MOST_POINTS * D] = {0.0};
    ts_patch_report report;
    draw_rig(&g, seed, 0.8);
    const bool done = solve(&g, r, &report);
    assert_int_equal(done, report.residual <= TOLERANCE);
    check_report(&g, r, &report);
    solved += done;
  }
  print_message("%d of 300 solved from zero\n", solved);
  assert_true(solved >= 285);
}

// ---- islands -------------------------------------------------------------------------------------------------------

// Leave out the blocks of W between points that share no body: they are all zeros.
static void drop_zeros(rig *g)
{
  int kept = 0;
  for (int i = 0; i < g->points; ++i) {
    g->block_start[i] = kept;
    for (int k = 0; k < g->points; ++k) {
      const double *block = g->block_value + (i * g->points + k) * D * D;
      double size = 0.0;
      for (int c = 0; c < D * D; ++c) size = fmax(size, fabs(block[c]));
      if (size == 0.0) continue;
      memmove(g->block_value + kept * D * D, block, D * D * sizeof *block);
      g->block_index[kept++] = k;
    }
  }
  g->block_start[g->points] = kept;
}

static bool solve_islands(const rig *g, double *r, ts_patch_report *report)
{
  ts_arena arena;
  ts_arena_init(&arena, NULL);
  const bool solved = ts_patch_solve_islands(&g->problem, TOLERANCE, TOLERANCE, &arena, r, report);
  ts_arena_release(&arena);
  return solved;
}

// A cube that slides and one that spins: both as if alone.
static void cubes_apart_are_solved_apart(void **state)
{
  (void)state;
  rig g;
  double r[8 * D] = {0.0};
  ts_patch_report report;
  make_cube(&g, 4.0, 3.0, 0.0, MU);
  g.bodies = 2;
  g.mass[1] = g.mass[0];
  g.inertia[1] = g.inertia[0];
  const double v[6] = {0.0, 0.0, -GH, 0.0, 0.0, 2.0};
  memcpy(g.v[1], v, sizeof v);
  for (int k = 0; k < 4; ++k) {
    add_point(&g, 1, 1.0, UP, corner(k));
    end_point(&g, MU, E_R);
  }
  end_patch(&g);
  finish_rig(&g);
  drop_zeros(&g);
  assert_true(solve_islands(&g, r, &report));
  check_wrench(r, (double[D]){GH, -0.096 * GH, -0.072 * GH, 0.0}, 0.048, 0.036);
  check_wrench(r + 4 * D, (double[D]){GH, 0.0, 0.0, -MU * E_R * GH}, 0.0, 0.0);
  assert_true(residual(&g, r) <= 2.0 * TOLERANCE);
}

// Sweeps and paths solve what Newton's method from zero does not.
static void sweeps_and_paths_help(void **state)
{
  (void)state;
  int solved = 0, from_zero = 0;
  for (uint64_t seed = 1; seed <= 300; ++seed) {
    rig g;
    double r[MOST_POINTS * D] = {0.0}, plain[MOST_POINTS * D] = {0.0};
    ts_patch_report report, before;
    draw_rig(&g, seed, 0.8);
    drop_zeros(&g);
    from_zero += solve(&g, plain, &before);
    const bool done = solve_islands(&g, r, &report);
    assert_true(!done || residual(&g, r) <= 2.0 * TOLERANCE);
    solved += done;
  }
  print_message("%d of 300 solved, %d of them by Newton's method from zero\n", solved, from_zero);
  assert_true(solved >= 297);
  assert_true(solved > from_zero);
}

// A line whose ends slide in opposite directions: a cylinder that turned as it fell on a floor. It sticks at its
// equivalent contact point, which depends on the friction there; Newton's method from zero does not find it.
static void a_line_that_turns_is_followed(void **state)
{
  (void)state;
  enum { POINTS = 2, ROWS = 6 };
  const int start[2] = {0, POINTS}, row_start[3] = {0, 2, 4}, index[4] = {0, 1, 0, 1};
  const double mu[POINTS] = {0.4, 0.4};
  const double q[ROWS] = {-0.017861036333651048, 0.20530477655678428,  0.27725655682499606,
                          -0.021378912766659597, -0.10602860542553202, -0.15123716446050975};
  const double W[ROWS * ROWS] = {3.1072580550652775,   -1.0517180284765946,  0.8006004831750817,   -1.0517180284765946,
                                 4.0324987332559337,   1.7982225499649109,   0.80060048317508181,  1.7982225499649109,
                                 5.2549740622746599,   0.077136378674447226, 1.0516262244590375,   -0.80053059910081148,
                                 -1.051959361580445,   2.9862612053708397,   0.35790427591939022,  0.80078419344173013,
                                 0.35790427591945573,  3.2729042804519066,   0.077136378674447226, -1.051959361580445,
                                 0.80078419344173013,  1.0516262244590375,   2.9862612053708397,   0.35790427591945573,
                                 -0.80053059910081148, 0.35790427591939022,  3.2729042804519066,   3.1069935570381948,
                                 1.0518675364970245,   -0.80071429333146882, 1.0518675364970245,   4.0332872440567975,
                                 1.7985915461003739,   -0.80071429333146915, 1.7985915461003739,   5.2560271509413434};
  const ts_friction points = {.dimension = 3,
                              .contacts = POINTS,
                              .W = {.rows = POINTS, .block = 3, .start = row_start, .index = index, .value = W},
                              .q = q,
                              .mu = mu};
  const ts_patch_problem problem = {&points, 1, start};
  double r[ROWS] = {0.0}, slip[2];
  ts_patch_report report;
  ts_arena arena;
  ts_arena_init(&arena, NULL);
  assert_false(ts_patch_solve(&problem, TOLERANCE, MOST_ITERATIONS, &arena, r, &report));
  memset(r, 0, sizeof r);
  assert_true(ts_patch_follow(&problem, TOLERANCE, 60, &arena, r, &report));
  assert_true(ts_patch_residual(&problem, r, &arena) <= 2.0 * TOLERANCE);
  ts_arena_release(&arena);
  // It sticks: no slip at the equivalent contact point, and friction within its bound.
  for (int j = 0; j < 2; ++j) {
    slip[j] = 0.0;
    for (int k = 0; k < POINTS; ++k) {
      double u = q[k * 3 + 1 + j];
      for (int m = 0; m < POINTS; ++m)
        for (int c = 0; c < 3; ++c) u += W[((k * POINTS + m) * 3 + c) * 3 + 1 + j] * r[m * 3 + c];
      slip[j] += r[k * 3] / (r[0] + r[3]) * u;
    }
    assert_near(slip[j], 0.0, 1e-12);
  }
  assert_true(hypot(r[1] + r[4], r[2] + r[5]) < 0.9 * 0.4 * (r[0] + r[3]));
}

// ---- hostile data --------------------------------------------------------------------------------------------------

static void solve_any(const rig *g, double *r, ts_patch_report *report)
{
  memset(r, 0, (size_t)(g->points * D) * sizeof *r);
  solve(g, r, report);
  for (int k = 0; k < g->points * D; ++k) assert_true(isfinite(r[k]));
  assert_true(isfinite(report->residual));
}

static void without_friction_impulses_are_normal(void **state)
{
  (void)state;
  rig g;
  double r[4 * D];
  ts_patch_report report;
  make_cube(&g, 4.0, 3.0, 2.0, 0.0);
  solve_any(&g, r, &report);
  assert_true(residual(&g, r) <= TOLERANCE);
  check_wrench(r, (double[D]){GH, 0.0, 0.0, 0.0}, 0.0, 0.0);
}

static void huge_friction_holds(void **state)
{
  (void)state;
  rig g;
  double r[4 * D];
  ts_patch_report report;
  make_cube(&g, 0.2 * GH, 0.1 * GH, 0.1 * GH, 1e6);
  solve_any(&g, r, &report);
  assert_true(residual(&g, r) <= 1e-9);
  check_twist(&g, r, (double[6]){0.0});
}

static void contacts_that_open_push_nothing(void **state)
{
  (void)state;
  rig g;
  double r[4 * D];
  ts_patch_report report;
  make_cube(&g, 4.0, 3.0, 2.0, MU);
  for (int k = 0; k < 4; ++k) g.q[k * D] = 1.0;
  solve_any(&g, r, &report);
  assert_int_equal(report.iterations, 0);
  for (int k = 0; k < 4 * D; ++k) assert_true(r[k] == 0.0);
  assert_true(residual(&g, r) == 0.0);
}

// A row that no impulse moves: whatever is asked of it cannot be had, and is reported.
static void rows_of_zeros_are_reported(void **state)
{
  (void)state;
  rig g;
  double r[4 * D];
  ts_patch_report report;
  make_cube(&g, 4.0, 3.0, 0.0, MU);
  memset(g.block_value, 0, sizeof g.block_value);
  solve_any(&g, r, &report);
  assert_true(report.residual > 0.02); // the weight of a step is GH, the speed 4
  assert_true(residual(&g, r) > 0.02);
}

static void nothing_is_solved(void **state)
{
  (void)state;
  static const int start[1] = {0};
  const ts_friction none = {.dimension = D, .W = {.block = D, .start = start}};
  const ts_patch_problem problem = {&none, 0, start};
  ts_arena arena;
  ts_arena_init(&arena, NULL);
  ts_patch_report report;
  double r[1];
  assert_true(ts_patch_solve(&problem, TOLERANCE, MOST_ITERATIONS, &arena, r, &report));
  assert_true(report.residual == 0.0 && ts_patch_residual(&problem, r, &arena) == 0.0);
  ts_arena_release(&arena);
}

int main(void)
{
  const struct CMUnitTest tests[] = {
      cmocka_unit_test(cube_slides),
      cmocka_unit_test(cube_spins),
      cmocka_unit_test(cube_sticks),
      cmocka_unit_test(residual_is_zero_at_solutions_alone),
      cmocka_unit_test(starts_agree_in_what_bodies_feel),
      cmocka_unit_test_setup_teardown(patches_of_one_point_are_contacts, friction_run_setup, friction_run_teardown),
      cmocka_unit_test(random_faces_are_solved_or_reported),
      cmocka_unit_test(cubes_apart_are_solved_apart),
      cmocka_unit_test(sweeps_and_paths_help),
      cmocka_unit_test(a_line_that_turns_is_followed),
      cmocka_unit_test(without_friction_impulses_are_normal),
      cmocka_unit_test(huge_friction_holds),
      cmocka_unit_test(contacts_that_open_push_nothing),
      cmocka_unit_test(rows_of_zeros_are_reported),
      cmocka_unit_test(nothing_is_solved)};
  return cmocka_run_group_tests(tests, NULL, NULL);
}
