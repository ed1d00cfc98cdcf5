// Friction of a patch acts at its equivalent contact point: the residual of patches tells impulses whose friction acts
// point by point from those, also where the bodies do not feel the difference.
#include "complementarity/friction/patch_problem.h"

#include <math.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <string.h>
#include <cmocka.h>

enum { D = 4, POINTS = 2, BLOCK = D * D };

// A body of mass 1 that does not turn lies on a line and is stopped: n, t and o of both points are the same motion.
typedef struct line {
  int block_start[POINTS + 1], block_index[POINTS * POINTS], start[2];
  double value[POINTS * POINTS * BLOCK], q[POINTS * D], mu[POINTS], ellipsoid[POINTS * (D - 1)];
  ts_friction friction;
  ts_patch_problem problem;
} line;

static void make_line(line *l)
{
  memset(l, 0, sizeof *l);
  l->start[1] = POINTS;
  for (int i = 0; i < POINTS; ++i) {
    l->mu[i] = 0.5;
    l->block_start[i + 1] = (i + 1) * POINTS;
    l->q[i * D] = -1.0;
    l->q[i * D + 1] = 0.01;
    for (int k = 0; k < D - 1; ++k) l->ellipsoid[i * (D - 1) + k] = k < 2 ? 1.0 : 0.01;
    for (int k = 0; k < POINTS; ++k) {
      l->block_index[i * POINTS + k] = k;
      for (int row = 0; row < 3; ++row) l->value[(i * POINTS + k) * BLOCK + row * D + row] = 1.0;
    }
  }
  const ts_block_matrix W = {
      .rows = POINTS, .block = D, .start = l->block_start, .index = l->block_index, .value = l->value};
  l->friction =
      (ts_friction){.dimension = D, .contacts = POINTS, .W = W, .q = l->q, .mu = l->mu, .ellipsoid = l->ellipsoid};
  l->problem = (ts_patch_problem){&l->friction, 1, l->start};
}

static double residual(const line *l, const double *r)
{
  ts_arena arena;
  ts_arena_init(&arena, NULL);
  const double found = ts_patch_residual(&l->problem, r, &arena);
  ts_arena_release(&arena);
  return found;
}

static const double SHARED[POINTS * D] = {0.5, -0.005, 0.0, 0.0, 0.5, -0.005, 0.0, 0.0};
static const double COUPLE[POINTS * D] = {0.5, -0.005, 0.05, 0.0, 0.5, -0.005, -0.05, 0.0};

static void a_couple_of_points_is_no_friction_of_a_patch(void **state)
{
  (void)state;
  line l;
  make_line(&l);
  assert_true(residual(&l, SHARED) < 1e-15);
  const double found = residual(&l, COUPLE); // 0.05 too much at each point, of a speed of 1
  if (fabs(found - 0.05) > 1e-12) fail_msg("the residual is %g", found);
}

// Impulses of points that rub each for itself are where solves begin.
static void solves_share_friction_out(void **state)
{
  (void)state;
  line l;
  ts_arena arena;
  ts_patch_report report;
  double r[POINTS * D];
  make_line(&l);
  memcpy(r, COUPLE, sizeof r);
  ts_arena_init(&arena, NULL);
  assert_true(ts_patch_solve_islands(&l.problem, 1e-12, 1e-10, &arena, r, &report));
  ts_arena_release(&arena);
  for (int i = 0; i < POINTS; ++i) {
    assert_true(fabs(r[i * D + 2]) < 1e-10);
    assert_true(fabs(r[i * D + 1] + 0.01 * r[i * D]) < 1e-10);
  }
}

int main(void)
{
  const struct CMUnitTest tests[] = {cmocka_unit_test(a_couple_of_points_is_no_friction_of_a_patch),
                                     cmocka_unit_test(solves_share_friction_out)};
  return cmocka_run_group_tests(tests, NULL, NULL);
}
