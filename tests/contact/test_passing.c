// Parts that pass each other: gaps ahead against the points of two rigid bodies moved on, and whether boxes may pass in
// closed form.
#include "contact/passing.h"

#include "shapes.h"

#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <math.h>
#include <cmocka.h>

#include "near.h"

typedef struct moving {
  const ts_convex *convex;
  ts_frame frame;
  ts_vec3 centre;
  ts_twist twist;
  ts_mover mover;
} moving;

static void make_cube(moving *m, ts_vec3 at, ts_twist twist, ts_arena *arena)
{
  const ts_shape shape = {.kind = TS_SHAPE_BOX, .size = {1.0, 1.0, 1.0}};
  const ts_pose pose = {at, ts_quat_identity()};
  int count;
  m->convex = ts_convex_pieces(&shape, arena, &count);
  m->frame = ts_pose_frame(&pose);
  m->centre = at;
  m->twist = twist;
  m->mover = (ts_mover){m->convex, &m->frame, &m->centre, &m->twist};
}

// Where a point of the body is after a short time: along its velocity.
static ts_vec3 moved(const moving *m, ts_vec3 point, double time)
{
  const ts_vec3 turn = ts_cross(m->twist.angular, ts_sub(point, m->centre));
  return ts_add_scaled(point, time, ts_add(m->twist.linear, turn));
}

// Touches with one normal and points at random; all count, in any order.
static void gaps_ahead_are_those_of_points_that_move(void **state)
{
  enum { MOST = 4 };
  const double time = 0.01, size = 1.0;
  ts_random random;
  ts_random_init(&random, 51);
  int closing = 0;
  for (int trial = 0; trial < 500; ++trial) {
    moving a, b;
    make_cube(&a, random_vector(&random), (ts_twist){random_vector(&random), random_vector(&random)}, *state);
    make_cube(&b, random_vector(&random), (ts_twist){random_vector(&random), random_vector(&random)}, *state);
    const ts_vec3 normal = ts_normalize(random_vector(&random), (ts_vec3){0.0, 0.0, 1.0});
    const int count = 1 + ts_random_below(&random, MOST);
    ts_touch touches[MOST], back[MOST];
    double least = INFINITY;
    for (int k = 0; k < count; ++k) {
      ts_touch *t = &touches[k];
      t->normal = normal;
      t->gap = ts_random_uniform(&random, -0.01, 0.01);
      t->point_1 = random_vector(&random);
      t->point_2 = ts_add_scaled(t->point_1, -t->gap, normal);
      const double gap = ts_dot(normal, ts_sub(moved(&a, t->point_1, time), moved(&b, t->point_2, time)));
      if (gap < t->gap && gap < 0.0) least = fmin(least, gap);
    }
    const double found = ts_passing_gap(&a.mover, &b.mover, touches, count, &(ts_outlook){time, INFINITY}, size);
    closing += isfinite(least);
    if (isfinite(least))
      assert_near(found, least, 1e-13);
    else
      assert_true(found == INFINITY);
    for (int k = 0; k < count; ++k) back[k] = touches[k];
    ts_passing_take_back(&a.mover, &b.mover, time, back, count);
    for (int k = 0; k < count; ++k) { // from now on they close to what they were
      const ts_vec3 ways = ts_sub(moved(&a, back[k].point_1, time), moved(&b, back[k].point_2, time));
      assert_near(ts_dot(normal, ways), touches[k].gap, 1e-12);
      assert_near(ts_dot(normal, ts_sub(back[k].point_1, back[k].point_2)), back[k].gap, 1e-13);
    }
  }
  assert_in_range(closing, 100, 450);
}

// A gap that is wide for where it is does not count.
static void wide_gaps_do_not_count(void **state)
{
  moving a, b;
  make_cube(&a, (ts_vec3){0.0, 0.0, 1.0}, (ts_twist){.linear = {0.0, 0.0, -1.0}}, *state);
  make_cube(&b, (ts_vec3){0.0, 0.0, 0.0}, (ts_twist){.linear = {0.0, 0.0, 0.0}}, *state);
  const ts_touch touch = {
      .point_1 = {0.0, 0.0, 0.5}, .point_2 = {0.0, 0.0, 0.4}, .normal = {0.0, 0.0, 1.0}, .gap = 0.1};
  const double far = 0.5 + 0.5; // from the centre of a, and from the origin
  const ts_outlook near = {1.0, 0.1 / far * 1.001}, wide = {1.0, 0.1 / far * 0.999};
  assert_near(ts_passing_gap(&a.mover, &b.mover, &touch, 1, &near, 1.0), -0.9, 1e-15);
  assert_true(ts_passing_gap(&a.mover, &b.mover, &touch, 1, &wide, 1.0) == INFINITY);
}

static void parts_ahead_are_where_their_twist_takes_them(void **state)
{
  ts_random random;
  ts_random_init(&random, 52);
  for (int trial = 0; trial < 100; ++trial) {
    moving a;
    const ts_vec3 w = random_vector(&random), corner = {0.5, -0.5, 0.5};
    make_cube(&a, random_vector(&random), (ts_twist){random_vector(&random), w}, *state);
    const double time = 1e-5;
    const ts_frame ahead = ts_mover_ahead(&a.mover, time);
    const ts_vec3 wanted = moved(&a, ts_frame_apply(&a.frame, corner), time);
    assert_vec_near(ts_frame_apply(&ahead, corner), wanted, 1e-9); // but for h^2 w^2
    const ts_frame later = ts_mover_ahead(&a.mover, 1.0);
    assert_near(ts_dot(later.axes.x, w), ts_dot(a.frame.axes.x, w), 1e-12); // about the axis w
    assert_near(ts_length(later.axes.y), 1.0, 1e-12);
  }
}

// Cubes one above the other, 0.1 apart or flush. Touches ahead that leave more than half of the overlap are an impact,
// whichever of them it is, unless those of now are covered; where there are none nothing is better.
static void parts_pass_where_touches_ahead_leave_half(void **state)
{
  const double gap = -0.02;
  moving a, b;
  for (int apart = 0; apart < 3; ++apart) {
    static const double heights[3] = {1.1, 1.0 - 0.5 * TS_FLUSH, 1.0 - 2.0 * TS_FLUSH};
    make_cube(&a, (ts_vec3){0.2, 0.0, heights[apart]}, (ts_twist){.linear = {1.0, 0.0, 0.0}}, *state);
    make_cube(&b, (ts_vec3){0.0, 0.0, 0.0}, (ts_twist){.linear = {0.0, 0.0, 0.0}}, *state);
    const bool parted = apart < 2;
    for (int count = 0; count <= 4; ++count)
      for (int deep = -1; deep < count; ++deep)
        for (int covered = 0; covered < 2; ++covered) {
          ts_touch touches[4];
          for (int k = 0; k < count; ++k)
            touches[k] = (ts_touch){.normal = {0.0, 0.0, 1.0}, .gap = (k == deep ? 0.51 : 0.49) * gap};
          const bool wanted = count > 0 && parted && (deep < 0 || covered);
          assert_int_equal(ts_passing_is_free(&a.mover, &b.mover, touches, count, gap, covered, 1.0), wanted);
        }
  }
}

static int set_up(void **state)
{
  static ts_arena arena;
  ts_arena_init(&arena, NULL);
  *state = &arena;
  return 0;
}

static int tear_down(void **state)
{
  ts_arena_release(*state);
  return 0;
}

int main(void)
{
  const struct CMUnitTest tests[] = {
      cmocka_unit_test(gaps_ahead_are_those_of_points_that_move),
      cmocka_unit_test(wide_gaps_do_not_count),
      cmocka_unit_test(parts_ahead_are_where_their_twist_takes_them),
      cmocka_unit_test(parts_pass_where_touches_ahead_leave_half),
  };
  return cmocka_run_group_tests(tests, set_up, tear_down);
}
