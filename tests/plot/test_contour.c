// Contours of fields whose lines are known.
#include "plot/contour.h"

#include "touchstone/vector.h"

#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <math.h>
#include <cmocka.h>

enum { N = 41 };

typedef struct line {
  int pieces;
  double length, worst; // worst: of how far ends are off
  double (*off)(double x, double y);
} line;

static void add(void *user, double x0, double y0, double x1, double y1)
{
  line *l = user;
  ++l->pieces;
  l->length += hypot(x1 - x0, y1 - y0);
  if (l->off) l->worst = fmax(l->worst, fmax(fabs(l->off(x0, y0)), fabs(l->off(x1, y1))));
}

static double x[N], y[N], values[N * N];

// From -1 to 1, places unevenly.
static ts_contour_field make_field(double (*value)(double x, double y))
{
  for (int i = 0; i < N; ++i) {
    const double part = -1.0 + 2.0 * i / (N - 1);
    x[i] = part;
    y[i] = 0.5 * part + 0.5 * part * part * part;
  }
  for (int i = 0; i < N; ++i)
    for (int j = 0; j < N; ++j) values[i * N + j] = value(x[i], y[j]);
  return (ts_contour_field){N, N, x, y, values};
}

static double plane(double a, double b)
{
  return 2.0 * a + b;
}

static double off_plane(double a, double b)
{
  return plane(a, b) - 0.31;
}

static double cone(double a, double b)
{
  return hypot(a, b);
}

static double off_circle(double a, double b)
{
  return cone(a, b) - 0.61;
}

static void planes_and_circles_are_found(void **state)
{
  (void)state;
  ts_contour_field field = make_field(plane);
  line l = {.off = off_plane};
  ts_contour_find(&field, 0.31, add, &l);
  assert_true(l.worst < 1e-12);
  assert_true(fabs(l.length - sqrt(5.0)) < 1e-12); // from y = -1 to 1: 2 high, 1 wide
  field = make_field(cone);
  l = (line){.off = off_circle};
  ts_contour_find(&field, 0.61, add, &l);
  assert_true(l.worst < 3e-3 && fabs(l.length - 2.0 * TS_PI * 0.61) < 5e-3);
}

static void cells_without_numbers_and_levels_beyond_have_no_line(void **state)
{
  (void)state;
  ts_contour_field field = make_field(cone);
  line l = {0};
  ts_contour_find(&field, 9.0, add, &l);
  ts_contour_find(&field, -9.0, add, &l);
  assert_int_equal(l.pieces, 0);
  for (int i = 0; i < N * N; i += 2) values[i] = NAN; // every cell has such a corner
  ts_contour_find(&field, 0.61, add, &l);
  assert_int_equal(l.pieces, 0);
  field.x_count = 1;
  ts_contour_find(&field, 0.61, add, &l);
  assert_int_equal(l.pieces, 0);
}

// Two pieces, which cut off the corners unlike the middle.
static void saddles_are_cut_by_their_mean(void **state)
{
  (void)state;
  static const double unit[] = {0.0, 1.0}, high[] = {1.0, 0.0, 0.0, 1.0};
  const ts_contour_field field = {2, 2, unit, unit, high};
  line below = {0}, above = {0};
  ts_contour_find(&field, 0.25, add, &below);
  ts_contour_find(&field, 0.75, add, &above);
  assert_int_equal(below.pieces, 2);
  assert_int_equal(above.pieces, 2);
  // either way corners are cut off at a quarter of the sides
  assert_true(fabs(below.length - 2.0 * sqrt(2.0) * 0.25) < 1e-12);
  assert_true(fabs(above.length - 2.0 * sqrt(2.0) * 0.25) < 1e-12);
}

int main(void)
{
  const struct CMUnitTest tests[] = {cmocka_unit_test(planes_and_circles_are_found),
                                     cmocka_unit_test(cells_without_numbers_and_levels_beyond_have_no_line),
                                     cmocka_unit_test(saddles_are_cut_by_their_mean)};
  return cmocka_run_group_tests(tests, NULL, NULL);
}
