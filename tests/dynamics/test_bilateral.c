// Elimination of joints against dense LAPACK on random trees and loops, redundant ones included.
#include "dynamics/bilateral.h"

#include "linkage.h"
#include "math/dense.h"

#include <cblas.h>

#include <stdarg.h>
#include <stddef.h>
#include <setjmp.h>
#include <stdint.h>
#include <string.h>
#include <cmocka.h>

#include "gives_back.h"

static const double H = 1e-2;
static const ts_vec3 NONE = {0.0, 0.0, 0.0}, X = {1.0, 0.0, 0.0}, Z = {0.0, 0.0, 1.0};

// A linkage with its rows and their factor.
typedef struct rig {
  linkage l;
  ts_bilateral_row *rows;
  int count;
  ts_bilateral bilateral;
} rig;

static void factor_rig(rig *r)
{
  linkage *l = &r->l;
  r->rows = ts_arena_bytes(&l->arena, (size_t)ts_bilateral_row_limit(&l->model), sizeof *r->rows);
  r->count = ts_bilateral_rows(&l->model, &l->state, &l->kinematics, H, NULL, r->rows);
  r->count += ts_gear_rows(&l->model, &l->state, &l->kinematics, H, r->rows + r->count, &l->arena);
  ts_bilateral_factor(&l->model, &l->kinematics, r->rows, r->count, &l->arena, &r->bilateral);
}

// Bodies at random, each joined to an earlier one, the world or a kinematic body; then `loops` joints more and some
// springs. Trees are slightly open; loops are closed, so that
// redundant rows are exactly that.
static void random_rig(rig *r, ts_space space, int bodies, int loops, ts_random *random)
{
  static const ts_joint_kind planar[] = {TS_JOINT_REVOLUTE, TS_JOINT_PRISMATIC, TS_JOINT_WELD};
  linkage *l = &r->l;
  linkage_init(l, space);
  linkage_random_body(l, TS_KINEMATIC, random);
  for (int i = 1; i <= bodies; ++i) linkage_random_body(l, TS_DYNAMIC, random);
  for (int i = 1; i <= bodies + loops; ++i) {
    const int child = i <= bodies ? i : 2 + ts_random_below(random, bodies - 1);
    const int parent = ts_random_below(random, child + 1) - 1;
    const bool plane = space == TS_SPACE_2D;
    const ts_joint_kind kind =
        plane ? planar[ts_random_below(random, 3)] : (ts_joint_kind)ts_random_below(random, TS_JOINT_COUNT);
    ts_vec3 at = random_in_cube(random, 1.0), axis = random_direction(random);
    if (plane) {
      at.z = 0.0;
      axis = kind == TS_JOINT_PRISMATIC ? ts_normalize((ts_vec3){axis.x, axis.y, 0.0}, X) : Z;
    }
    linkage_joint(l, kind, parent, child, at, axis, NONE);
  }
  for (int i = 0; i < bodies / 3; ++i) {
    const int second = 1 + ts_random_below(random, bodies), first = ts_random_below(random, second + 1) - 1;
    const double unit = ts_random_uniform(random, -3.0, 3.0), length = i % 2 ? 0.5 : 0.0;
    if (first != second) linkage_spring(l, first, X, second, NONE, pow(10.0, unit), ts_random_below(random, 3), length);
  }
  linkage_start(l);
  for (int i = 0; i < l->model.body_count; ++i) {
    l->state.velocity[i] = (ts_twist){random_in_cube(random, 1.0), random_in_cube(random, 1.0)};
    if (space == TS_SPACE_2D)
      l->state.velocity[i].linear.z = l->state.velocity[i].angular.x = l->state.velocity[i].angular.y = 0.0;
  }
  if (loops == 0) linkage_drift(l, 1e-2);
  factor_rig(r);
}

// A = G^T M^-1 G + softness, and M^-1 G
static double *dense_matrix(const rig *r, const double *G, const double *W, double *WG, ts_arena *arena)
{
  const int n = 6 * r->l.model.body_count, m = r->count;
  double *A = ts_arena_zeros(arena, (size_t)m * (size_t)m);
  cblas_dgemm(CblasColMajor, CblasNoTrans, CblasNoTrans, n, m, n, 1.0, W, n, G, n, 0.0, WG, n);
  cblas_dgemm(CblasColMajor, CblasTrans, CblasNoTrans, m, m, n, 1.0, G, n, WG, n, 0.0, A, m);
  for (int i = 0; i < m; ++i) A[i * m + i] += r->rows[i].softness;
  return A;
}

static void flatten(const ts_twist *v, int bodies, double *to)
{
  memcpy(to, v, (size_t)bodies * sizeof *v);
}

// -A^-1 (G^T v + bias) by LAPACK's minimum norm solution, and the velocity that it leads to
static void dense_projection(const rig *r, const ts_twist *velocity, double *v, ts_arena *arena)
{
  const int n = 6 * r->l.model.body_count, m = r->count;
  const double *G = linkage_dense_bilateral_rows(&r->l, r->rows, m, arena);
  double *WG = ts_arena_doubles(arena, (size_t)n * (size_t)m);
  double *A = dense_matrix(r, G, linkage_dense_inverse_mass(&r->l, arena), WG, arena);
  double *b = ts_arena_doubles(arena, (size_t)m);
  flatten(velocity, r->l.model.body_count, v);
  for (int i = 0; i < m; ++i) b[i] = -r->rows[i].bias;
  cblas_dgemv(CblasColMajor, CblasTrans, n, m, -1.0, G, n, v, 1, 1.0, b, 1);
  assert_true(ts_minimum_norm(m, m, A, b, 1e-12, arena) > 0);
  cblas_dgemv(CblasColMajor, CblasNoTrans, n, m, 1.0, WG, n, b, 1, 1.0, v, 1);
}

static double largest(const double *x, int n)
{
  double worst = 0.0;
  for (int i = 0; i < n; ++i) worst = fmax(worst, fabs(x[i]));
  return worst;
}

// Rows that were dropped hold as well as the others allow: up to round-off times the condition of the linkage, which
// for loops at random is some 1e4.
static double compare_projection(rig *r)
{
  linkage *l = &r->l;
  const int n = 6 * l->model.body_count;
  ts_twist *v = ts_arena_bytes(&l->arena, (size_t)l->model.body_count, sizeof *v);
  double *impulse = ts_arena_doubles(&l->arena, (size_t)r->count), *mine = ts_arena_doubles(&l->arena, (size_t)n);
  double *theirs = ts_arena_doubles(&l->arena, (size_t)n);
  memcpy(v, l->state.velocity, (size_t)l->model.body_count * sizeof *v);
  ts_bilateral_project(&r->bilateral, v, impulse, &l->arena);
  dense_projection(r, l->state.velocity, theirs, &l->arena);
  flatten(v, l->model.body_count, mine);
  for (int i = 0; i < n; ++i) mine[i] -= theirs[i];
  assert_true(ts_bilateral_rows_residual(r->rows, r->count, v, impulse) < (r->bilateral.dropped ? 1e-9 : 1e-11));
  return largest(mine, n) / (1.0 + largest(theirs, n));
}

static void trees_agree_with_dense_algebra(void **state)
{
  (void)state;
  ts_random random;
  ts_random_init(&random, 21);
  double worst = 0.0;
  for (int round = 0; round < 200; ++round) {
    rig r;
    random_rig(&r, round % 3 ? TS_SPACE_3D : TS_SPACE_2D, 2 + ts_random_below(&random, 12), 0, &random);
    assert_int_equal(r.bilateral.dropped, 0);
    worst = fmax(worst, compare_projection(&r));
    linkage_release(&r.l);
  }
  print_message("trees: velocities differ by at most %.1e\n", worst);
  assert_true(worst < 1e-10);
}

// C by dense algebra: -(G^T W H)^T A^+ (G^T W H)
static double compare_delassus(rig *r, ts_random *random)
{
  enum { CONTACTS = 7, COLUMNS = 3 * CONTACTS };
  linkage *l = &r->l;
  ts_arena *arena = &l->arena;
  const int n = 6 * l->model.body_count, m = r->count, bodies = l->model.body_count;
  ts_row rows[COLUMNS];
  for (int i = 0; i < COLUMNS; ++i) {
    const int first = 1 + ts_random_below(random, bodies - 1), second = ts_random_below(random, first + 1) - 1;
    rows[i] =
        i % 3 ? rows[i - 1] : (ts_row){.body = {first, second <= 0 || second == first ? -1 : second}}; // 0 is kinematic
    for (int side = 0; side < 2; ++side)
      rows[i].jacobian[side] = (ts_twist){random_in_cube(random, 1.0), random_in_cube(random, 1.0)};
  }
  double C[COLUMNS * COLUMNS];
  assert_gives_back(arena, ts_bilateral_delassus(&r->bilateral, rows, COLUMNS, C, arena));
  const double *G = linkage_dense_bilateral_rows(l, r->rows, m, arena);
  const double *F = linkage_dense_rows(l, rows, COLUMNS, sizeof *rows, arena);
  double *WG = ts_arena_doubles(arena, (size_t)n * (size_t)m), *K = ts_arena_doubles(arena, (size_t)m * COLUMNS);
  double *A = dense_matrix(r, G, linkage_dense_inverse_mass(l, arena), WG, arena), *Y, D[COLUMNS * COLUMNS];
  cblas_dgemm(CblasColMajor, CblasTrans, CblasNoTrans, m, COLUMNS, n, 1.0, WG, n, F, n, 0.0, K, m);
  Y = ts_arena_doubles(arena, (size_t)m * COLUMNS);
  for (int j = 0; j < COLUMNS; ++j) {
    double *copy = ts_arena_doubles(arena, (size_t)m * (size_t)m);
    memcpy(copy, A, (size_t)m * (size_t)m * sizeof *copy);
    memcpy(Y + j * m, K + j * m, (size_t)m * sizeof *Y);
    assert_true(ts_minimum_norm(m, m, copy, Y + j * m, 1e-12, arena) > 0);
  }
  cblas_dgemm(CblasColMajor, CblasTrans, CblasNoTrans, COLUMNS, COLUMNS, m, -1.0, K, m, Y, m, 0.0, D, COLUMNS);
  double worst = 0.0;
  for (int i = 0; i < COLUMNS * COLUMNS; ++i) worst = fmax(worst, fabs(C[i] - D[i]));
  for (int i = 0; i < COLUMNS; ++i)
    for (int j = 0; j < COLUMNS; ++j) assert_true(C[i * COLUMNS + j] == C[j * COLUMNS + i]);
  return worst / largest(D, COLUMNS * COLUMNS);
}

static void delassus_agrees_with_dense_algebra(void **state)
{
  (void)state;
  ts_random random;
  ts_random_init(&random, 22);
  double worst = 0.0;
  for (int round = 0; round < 60; ++round) {
    rig r;
    random_rig(&r, round % 3 ? TS_SPACE_3D : TS_SPACE_2D, 2 + ts_random_below(&random, 10), 0, &random);
    worst = fmax(worst, compare_delassus(&r, &random));
    linkage_release(&r.l);
  }
  print_message("Delassus: differs by at most %.1e\n", worst);
  assert_true(worst < 1e-11);
}

// Bodies that are held each for itself, to the world or to a kinematic body, or not at all. The
// second of them by two joints now and then: then all are taken as linkages are.
static void anchored_rig(rig *r, ts_space space, int bodies, bool twice, ts_random *random)
{
  static const ts_joint_kind planar[] = {TS_JOINT_REVOLUTE, TS_JOINT_PRISMATIC, TS_JOINT_WELD};
  linkage *l = &r->l;
  linkage_init(l, space);
  linkage_random_body(l, TS_KINEMATIC, random);
  for (int i = 1; i <= bodies; ++i) linkage_random_body(l, TS_DYNAMIC, random);
  for (int i = 1; i <= bodies; ++i) {
    if (i % 4 == 3) continue;
    const bool plane = space == TS_SPACE_2D;
    const ts_joint_kind kind = plane ? planar[i % 3] : (ts_joint_kind)ts_random_below(random, TS_JOINT_COUNT);
    ts_vec3 at = random_in_cube(random, 1.0), axis = plane ? Z : random_direction(random);
    if (plane) at.z = 0.0;
    if (plane && kind == TS_JOINT_PRISMATIC) axis = X;
    linkage_joint(l, kind, i % 2 ? TS_WORLD : 0, i, at, axis, NONE);
    if (twice && i == 2) linkage_joint(l, kind, TS_WORLD, i, at, axis, NONE);
  }
  linkage_start(l);
  for (int i = 0; i <= bodies; ++i) {
    l->state.velocity[i] = (ts_twist){random_in_cube(random, 1.0), random_in_cube(random, 1.0)};
    if (space == TS_SPACE_2D)
      l->state.velocity[i].linear.z = l->state.velocity[i].angular.x = l->state.velocity[i].angular.y = 0.0;
  }
  if (!twice) linkage_drift(l, 1e-2); // two joints alike would contradict each other
  factor_rig(r);
}

static void anchors_agree_with_dense_algebra(void **state)
{
  (void)state;
  ts_random random;
  ts_random_init(&random, 31);
  double worst = 0.0;
  for (int round = 0; round < 60; ++round) {
    rig r;
    const bool twice = round % 5 == 4;
    anchored_rig(&r, round % 3 ? TS_SPACE_3D : TS_SPACE_2D, 2 + ts_random_below(&random, 6), twice, &random);
    if (twice)
      assert_null(r.bilateral.anchored.of_body);
    else {
      assert_non_null(r.bilateral.anchored.of_body);
      assert_int_equal(r.bilateral.dropped, 0);
      worst = fmax(worst, compare_delassus(&r, &random));
    }
    worst = fmax(worst, compare_projection(&r));
    linkage_release(&r.l);
  }
  print_message("anchors: differ by at most %.1e\n", worst);
  assert_true(worst < 1e-11);
}

// A hub with many joints is cut into pieces inside; outside nothing shows. Bodies hang on it by chains of one or two,
// the hub itself on the world by a joint in the middle of the list, and with loops two of the chains are joined.
static void hub_rig(rig *r, ts_space space, int bodies, bool loop, ts_random *random)
{
  const ts_joint_kind pin = space == TS_SPACE_2D ? TS_JOINT_REVOLUTE : TS_JOINT_UNIVERSAL;
  linkage *l = &r->l;
  linkage_init(l, space);
  linkage_random_body(l, TS_KINEMATIC, random);
  for (int i = 1; i <= bodies; ++i) linkage_random_body(l, TS_DYNAMIC, random);
  for (int i = 2; i <= bodies; ++i) {
    ts_vec3 at = random_in_cube(random, 1.0);
    if (space == TS_SPACE_2D) at.z = 0.0;
    if (i == bodies / 2) linkage_joint(l, pin, i % 2 ? TS_WORLD : 0, 1, at, Z, NONE);
    linkage_joint(l, pin, i % 5 ? 1 : i - 1, i, at, Z, NONE);
  }
  if (loop) linkage_joint(l, pin, 3, bodies, X, Z, NONE);
  linkage_start(l);
  for (int i = 0; i <= bodies; ++i) {
    l->state.velocity[i] = (ts_twist){random_in_cube(random, 1.0), random_in_cube(random, 1.0)};
    if (space == TS_SPACE_2D)
      l->state.velocity[i].linear.z = l->state.velocity[i].angular.x = l->state.velocity[i].angular.y = 0.0;
  }
  if (!loop) linkage_drift(l, 1e-2);
  factor_rig(r);
}

static void hubs_agree_with_dense_algebra(void **state)
{
  (void)state;
  ts_random random;
  ts_random_init(&random, 28);
  double worst = 0.0;
  for (int round = 0; round < 24; ++round) {
    rig r;
    hub_rig(&r, round % 2 ? TS_SPACE_3D : TS_SPACE_2D, 9 + 2 * round, round % 3 == 0, &random);
    assert_int_equal(r.bilateral.dropped, 0);
    worst = fmax(worst, compare_projection(&r));
    worst = fmax(worst, compare_delassus(&r, &random));
    linkage_release(&r.l);
  }
  print_message("hubs: differ by at most %.1e\n", worst);
  assert_true(worst < 1e-11);
}

// Gears between joints anywhere, on a hub of many pieces too, and with loops: rows of up to eight bodies.
static void gears_agree_with_dense_algebra(void **state)
{
  (void)state;
  ts_random random;
  ts_random_init(&random, 29);
  double worst = 0.0;
  int gears = 0, most_sides = 0;
  for (int round = 0; round < 200; ++round) {
    rig r;
    const ts_space space = round % 3 ? TS_SPACE_3D : TS_SPACE_2D;
    if (round % 10 == 9)
      hub_rig(&r, TS_SPACE_2D, 9 + round / 5, false, &random);
    else
      random_rig(&r, space, 3 + ts_random_below(&random, 12), round % 7 == 0, &random);
    linkage_random_gears(&r.l, NULL, round % 7 ? 1e-2 : 0.0, &random); // loops may lock what would close them
    factor_rig(&r);
    gears += r.l.model.gear_count;
    for (int i = 0; i < r.count; ++i)
      if (ts_side_count(&r.rows[i]) > most_sides) most_sides = ts_side_count(&r.rows[i]);
    if (round % 7) assert_int_equal(r.bilateral.dropped, 0);
    worst = fmax(worst, compare_projection(&r));
    if (round % 7) worst = fmax(worst, compare_delassus(&r, &random));
    linkage_release(&r.l);
  }
  print_message("%d gears of up to %d sides: differ by at most %.1e\n", gears, most_sides, worst);
  assert_true(gears > 400 && most_sides >= 8);
  assert_true(worst < 1e-10);
}

// Loops at random have no redundancy but where they lock; the motion is unique even so.
static void loops_agree_with_dense_algebra(void **state)
{
  (void)state;
  ts_random random;
  ts_random_init(&random, 23);
  double worst = 0.0;
  int singular = 0;
  for (int round = 0; round < 200; ++round) {
    rig r;
    random_rig(&r, round % 3 ? TS_SPACE_3D : TS_SPACE_2D, 4 + ts_random_below(&random, 10), 1 + round % 2, &random);
    singular += r.bilateral.dropped > 0;
    worst = fmax(worst, compare_projection(&r));
    linkage_release(&r.l);
  }
  print_message("loops: %d of 200 with redundant rows, velocities differ by at most %.1e\n", singular, worst);
  assert_true(worst < 1e-9);
}

// ---- redundant linkages --------------------------------------------------------------------------------------------

static ts_mat3 scaled(double factor, const ts_mat3 *A)
{
  return (ts_mat3){ts_scale(factor, A->x), ts_scale(factor, A->y), ts_scale(factor, A->z)};
}

static void scale_mass(ts_body *body, double factor)
{
  body->mass *= factor;
  body->inverse_mass /= factor;
  body->inertia = scaled(factor, &body->inertia);
  body->inverse_inertia = scaled(1.0 / factor, &body->inverse_inertia);
}

// A planar four-bar linkage in space: ground, crank, coupler and rocker by four revolute joints, turned by R. With
// `floating` the ground is a dynamic body.
static void four_bar(rig *r, ts_quat R, bool floating)
{
  linkage *l = &r->l;
  linkage_init(l, TS_SPACE_3D);
  const ts_vec3 pins[4] = {{0.0, 0.0, 0.0}, {0.2, 0.4, 0.0}, {1.1, 0.7, 0.0}, {1.0, 0.0, 0.0}};
  const ts_vec3 moments = {0.02, 0.03, 0.04}, axis = ts_quat_rotate(R, Z);
  int body[4];
  for (int i = 0; i < 4; ++i) { // body i runs from pin i to pin i+1; the last one is the ground
    const ts_vec3 middle = ts_scale(0.5, ts_add(pins[i], pins[(i + 1) % 4]));
    const ts_pose pose = {ts_quat_rotate(R, middle), R};
    body[i] = i < 3 || floating ? linkage_body(l, TS_DYNAMIC, 1.0 + i, moments, pose, 0.0) : TS_WORLD;
  }
  for (int i = 0; i < 4; ++i)
    linkage_joint(l, TS_JOINT_REVOLUTE, body[(i + 3) % 4], body[i], ts_quat_rotate(R, pins[i]), axis, NONE);
  linkage_start(l);
}

static void four_bars_move_in_space(void **state)
{
  (void)state;
  ts_random random;
  ts_random_init(&random, 24);
  for (int round = 0; round < 20; ++round) {
    rig r;
    const bool floating = round % 2;
    four_bar(&r, random_rotation(&random), floating);
    factor_rig(&r);
    assert_int_equal(r.count, 20);
    assert_int_equal(r.bilateral.dropped, 3); // 18 - 1 or 24 - 7 rows are independent
    for (int i = 0; i < r.l.model.body_count; ++i)
      r.l.state.velocity[i] = (ts_twist){random_in_cube(&random, 1.0), random_in_cube(&random, 1.0)};
    assert_true(compare_projection(&r) < 1e-10);
    assert_true(compare_delassus(&r, &random) < 1e-10);
    linkage_release(&r.l);
  }
}

// A four-bar linkage that turns over in space opens its joints by h^2 in all directions; the redundant rows then are
// nearly, not exactly, dependent, and must not lock it. The crank turns like that of a linkage whose coupler is held by
// just the rows it needs (a spherical and a cylindrical joint in place of two revolutes).
static double tumble(double h, double spin, double coupler_mass, bool needed, double *error)
{
  rig r;
  linkage *l = &r.l;
  four_bar(&r, (ts_quat){1.0, 0.0, 0.0, 0.0}, true);
  if (needed) { // 5 + 4 + 3 + 5 rows
    l->model.joints[2].kind = TS_JOINT_SPHERICAL;
    l->model.joints[1].kind = TS_JOINT_CYLINDRICAL;
  }
  scale_mass(&l->model.bodies[1], coupler_mass);
  linkage_refresh(l);
  for (int i = 0; i < 4; ++i) {
    const ts_vec3 w = ts_scale(spin, (ts_vec3){2.0, 3.0, 0.5}), centre = l->state.pose[i].position;
    l->state.velocity[i] = (ts_twist){ts_cross(w, centre), w};
  }
  l->state.velocity[0].angular.z += 4.0; // the crank, roughly; the first step makes it consistent
  *error = 0.0;
  for (int i = 0; i < (int)(0.5 / h); ++i) *error = fmax(*error, linkage_step(l, h));
  const double angle = ts_joint_position(&l->model, &l->state, &l->kinematics, 0, NULL);
  linkage_release(l);
  return angle;
}

static void tumbling_four_bars_do_not_lock(void **state)
{
  (void)state;
  const double cases[][3] = {{1e-3, 1.0, 1.0}, {5e-3, 1.0, 1.0},  {1e-2, 1.0, 1.0},  {2e-3, 4.0, 1.0},
                             {5e-3, 4.0, 1.0}, {1e-2, 2.0, 1e-6}, {5e-3, 1.0, 1e-8}, {5e-3, 1.0, 1e4}};
  for (size_t k = 0; k < sizeof cases / sizeof *cases; ++k) {
    const double h = cases[k][0], spin = cases[k][1], mass = cases[k][2];
    double opened, needed_opened;
    const double angle = tumble(h, spin, mass, false, &opened), needed = tumble(h, spin, mass, true, &needed_opened);
    print_message("four-bar, h = %g, spin %g, coupler %g: crank %.5f and %.5f, joints open by %.1e and %.1e\n", h, spin,
                  mass, angle, needed, opened, needed_opened);
    assert_true(fabs(needed) > 0.3);
    assert_true(fabs(angle - needed) < 1e-3);
    assert_true(opened < 2.0 * needed_opened + 1e-9);
  }
}

// ---- masses and particles ------------------------------------------------------------------------------------------

// A light link between heavy ones: pivots are as small as the ratio of masses, and none may be dropped.
static void mass_ratios_are_no_redundancy(void **state)
{
  (void)state;
  ts_random random;
  ts_random_init(&random, 25);
  const double ratios[] = {1e-4, 1e-6, 1e-8};
  for (int k = 0; k < 3; ++k) {
    rig r;
    linkage *l = &r.l;
    linkage_init(l, TS_SPACE_3D);
    for (int i = 0; i < 5; ++i) {
      const double mass = i % 2 ? ratios[k] : 1.0;
      const ts_pose pose = {{i + 0.5, 0.0, 0.0}, {1.0, 0.0, 0.0, 0.0}};
      linkage_body(l, TS_DYNAMIC, mass, ts_scale(0.1 * mass, (ts_vec3){1.0, 2.0, 3.0}), pose, 0.0);
      linkage_joint(l, i % 2 ? TS_JOINT_REVOLUTE : TS_JOINT_UNIVERSAL, i - 1, i, (ts_vec3){i, 0.0, 0.0}, Z, NONE);
    }
    linkage_start(l);
    for (int i = 0; i < 5; ++i)
      l->state.velocity[i] = (ts_twist){random_in_cube(&random, 1.0), random_in_cube(&random, 1.0)};
    factor_rig(&r);
    assert_int_equal(r.bilateral.dropped, 0);
    double impulse[32];
    ts_bilateral_project(&r.bilateral, l->state.velocity, impulse, &l->arena);
    assert_true(ts_bilateral_rows_residual(r.rows, r.count, l->state.velocity, impulse) < 1e-9);
    linkage_release(l);
  }
}

// Bodies without rotation have rows that are zero; they get nothing, and the rest holds.
static void particles_drop_their_turns(void **state)
{
  (void)state;
  rig r;
  linkage_init(&r.l, TS_SPACE_3D);
  const int ball = linkage_body(&r.l, TS_DYNAMIC, 2.0, NONE, (ts_pose){X, {1.0, 0.0, 0.0, 0.0}}, 0.0);
  linkage_joint(&r.l, TS_JOINT_PRISMATIC, TS_WORLD, ball, X, Z, NONE);
  linkage_start(&r.l);
  r.l.state.velocity[0].linear = (ts_vec3){1.0, 2.0, 3.0};
  factor_rig(&r);
  assert_int_equal(r.bilateral.dropped, 3);
  double impulse[6];
  ts_bilateral_project(&r.bilateral, r.l.state.velocity, impulse, &r.l.arena);
  assert_true(fabs(r.l.state.velocity[0].linear.x) < 1e-15 && fabs(r.l.state.velocity[0].linear.y) < 1e-15);
  assert_true(r.l.state.velocity[0].linear.z == 3.0);
  linkage_release(&r.l);
}

// ---- structure -----------------------------------------------------------------------------------------------------

static void separate_chains_do_not_couple(void **state)
{
  (void)state;
  ts_random random;
  ts_random_init(&random, 26);
  rig r;
  linkage_init(&r.l, TS_SPACE_3D);
  for (int i = 0; i < 7; ++i) linkage_random_body(&r.l, i == 6 ? TS_FIXED : TS_DYNAMIC, &random);
  linkage_joint(&r.l, TS_JOINT_REVOLUTE, TS_WORLD, 0, X, Z, NONE);
  linkage_joint(&r.l, TS_JOINT_REVOLUTE, 0, 1, X, Z, NONE);
  linkage_joint(&r.l, TS_JOINT_REVOLUTE, TS_WORLD, 2, X, Z, NONE);
  linkage_joint(&r.l, TS_JOINT_REVOLUTE, 2, 3, X, Z, NONE);
  linkage_start(&r.l);
  factor_rig(&r);
  int component[7];
  assert_gives_back(&r.l.arena, assert_int_equal(ts_bilateral_components(&r.bilateral, component, &r.l.arena), 4));
  const int expected[7] = {0, 0, 1, 1, 2, 3, -1};
  for (int i = 0; i < 7; ++i) assert_int_equal(component[i], expected[i]);
  const ts_twist J = {random_in_cube(&random, 1.0), random_in_cube(&random, 1.0)};
  const ts_row rows[3] = {{{1, -1}, {J, J}}, {{3, 4}, {J, J}}, {{4, 5}, {J, J}}};
  double C[9];
  ts_bilateral_delassus(&r.bilateral, rows, 3, C, &r.l.arena);
  assert_true(C[0] < 0.0 && C[4] < 0.0);
  assert_true(C[1] == 0.0 && C[2] == 0.0 && C[5] == 0.0 && C[8] == 0.0);
  linkage_release(&r.l);
}

static void nothing_to_do_does_nothing(void **state)
{
  (void)state;
  ts_random random;
  ts_random_init(&random, 27);
  rig r;
  linkage_init(&r.l, TS_SPACE_3D);
  linkage_random_body(&r.l, TS_DYNAMIC, &random);
  linkage_start(&r.l);
  const size_t before = ts_arena_in_use(&r.l.arena);
  ts_bilateral_factor(&r.l.model, &r.l.kinematics, NULL, 0, &r.l.arena, &r.bilateral);
  ts_bilateral_project(&r.bilateral, r.l.state.velocity, NULL, &r.l.arena);
  assert_int_equal(ts_arena_in_use(&r.l.arena), before);
  assert_true(ts_bilateral_rows_residual(NULL, 0, r.l.state.velocity, NULL) == 0.0);
  const ts_row row = {{0, -1}, {{X, X}, {X, X}}};
  double C = 1.0;
  ts_bilateral_delassus(&r.bilateral, &row, 1, &C, &r.l.arena);
  assert_true(C == 0.0);
  linkage_release(&r.l);
}

int main(void)
{
  const struct CMUnitTest tests[] = {
      cmocka_unit_test(trees_agree_with_dense_algebra), cmocka_unit_test(delassus_agrees_with_dense_algebra),
      cmocka_unit_test(hubs_agree_with_dense_algebra),  cmocka_unit_test(gears_agree_with_dense_algebra),
      cmocka_unit_test(loops_agree_with_dense_algebra), cmocka_unit_test(four_bars_move_in_space),
      cmocka_unit_test(tumbling_four_bars_do_not_lock), cmocka_unit_test(mass_ratios_are_no_redundancy),
      cmocka_unit_test(particles_drop_their_turns),     cmocka_unit_test(separate_chains_do_not_couple),
      cmocka_unit_test(nothing_to_do_does_nothing),     cmocka_unit_test(anchors_agree_with_dense_algebra),
  };
  return cmocka_run_group_tests(tests, NULL, NULL);
}
