// The directions of polyhedra and polygons against their signed distance: where parts overlap it is the largest gap
// along one of them, where they are apart some gap is above 0 and none above the distance. Touches along a direction.
#include "shape/directions.h"

#include "shape/distance.h"

#include "shapes.h"

#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdlib.h>
#include <cmocka.h>

enum { MOST_DIRECTIONS = 20000, MOST_TOUCHES = 1000 };

typedef struct pair {
  const ts_convex *a, *b;
  ts_frame frame_a, frame_b;
} pair;

static const ts_convex *make(ts_random *random, ts_shape_kind kind, ts_arena *arena)
{
  test_shape *made = ts_arena_bytes(arena, 1, sizeof *made);
  int count;
  const ts_convex *pieces;
  do {
    random_shape(random, kind, 1.0, made);
    pieces = ts_convex_pieces(&made->shape, arena, &count);
  } while (count > 1 || (pieces->hull && pieces->hull->vertex_count > 40));
  return pieces;
}

static ts_frame place(ts_random *random, double far, bool planar)
{
  const ts_pose pose = random_pose(random, far);
  if (!planar) return (ts_frame){pose.position, ts_quat_matrix(pose.orientation)};
  const ts_vec3 turn = {0.0, 0.0, ts_random_uniform(random, -3.0, 3.0)};
  return (ts_frame){{pose.position.x, pose.position.y, 0.0}, ts_quat_matrix(ts_quat_exp(turn))};
}

static pair random_pair(ts_random *random, ts_shape_kind first, ts_shape_kind second, ts_arena *arena)
{
  const bool planar = kind_is_planar(first) || kind_is_planar(second);
  const double far = ts_random_uniform(random, 0.1, 1.5);
  return (pair){make(random, first, arena), make(random, second, arena), place(random, far, planar),
                place(random, far, planar)};
}

// Touches belong to their direction, and the first of them proves its gap where it may push.
static void check_touches(const pair *p, const ts_direction *d, double margin)
{
  static ts_touch touches[MOST_TOUCHES];
  int pushing;
  const int count = ts_touches_along(p->a, &p->frame_a, p->b, &p->frame_b, d, margin, touches, MOST_TOUCHES, &pushing);
  assert_true(pushing >= 1 && count >= pushing && count <= MOST_TOUCHES);
  assert_true(fabs(ts_length(d->normal) - 1.0) < 1e-12);
  for (int k = 0; k < count; ++k) {
    const ts_vec3 across = ts_sub(ts_sub(touches[k].point_1, touches[k].point_2), ts_scale(touches[k].gap, d->normal));
    assert_true(ts_distance_of(touches[k].normal, d->normal) == 0.0 && ts_length(across) < 1e-12);
    assert_true(touches[k].gap >= d->gap - 1e-9);
  }
}

static void check_pair(const pair *p, int *overlapping)
{
  static ts_direction directions[MOST_DIRECTIONS];
  ts_separation s;
  ts_convex_distance(p->a, &p->frame_a, p->b, &p->frame_b, &s);
  const double margin = 10.0;
  const int count = ts_find_directions(p->a, &p->frame_a, p->b, &p->frame_b, margin, directions, MOST_DIRECTIONS);
  assert_true(count > 0 && count <= MOST_DIRECTIONS);
  double widest = -INFINITY;
  for (int k = 0; k < count; ++k) {
    const double along = ts_convex_separation_along(p->a, &p->frame_a, p->b, &p->frame_b, directions[k].normal);
    assert_true(fabs(along - directions[k].gap) < 1e-10);
    widest = fmax(widest, directions[k].gap);
    check_touches(p, &directions[k], margin);
  }
  if (s.gap > 0.0)
    assert_true(widest > 0.0 && widest <= s.gap + 1e-12);
  else
    assert_true(fabs(widest - s.gap) < 1e-10);
  *overlapping += s.gap < 0.0;
  if (s.gap > 0.0) // farther than the margin along one of them: nothing to choose from
    assert_int_equal(ts_find_directions(p->a, &p->frame_a, p->b, &p->frame_b, 0.5 * widest, directions, 1), 0);
}

// A random pair, in memory of its own.
static void run_pair(ts_random *random, const ts_shape_kind *kinds, int *overlapping)
{
  ts_arena arena;
  jmp_buf recovery;
  ts_arena_init(&arena, NULL);
  arena.recovery = &recovery;
  if (setjmp(recovery)) abort();
  const pair p = random_pair(random, kinds[0], kinds[1], &arena);
  assert_true(ts_have_directions(p.a, p.b));
  check_pair(&p, overlapping);
  ts_arena_release(&arena);
}

static void gaps_are_those_of_the_distance(void **state)
{
  static const ts_shape_kind kinds[][2] = {{TS_SHAPE_BOX, TS_SHAPE_BOX},           {TS_SHAPE_BOX, TS_SHAPE_POLYTOPE},
                                           {TS_SHAPE_POLYTOPE, TS_SHAPE_POLYTOPE}, {TS_SHAPE_POINT, TS_SHAPE_BOX},
                                           {TS_SHAPE_POLYTOPE, TS_SHAPE_POINT},    {TS_SHAPE_POLYGON, TS_SHAPE_POLYGON},
                                           {TS_SHAPE_POINT, TS_SHAPE_POLYGON}};
  (void)state;
  for (size_t k = 0; k < sizeof kinds / sizeof *kinds; ++k) {
    ts_random random;
    ts_random_init(&random, 40 + k);
    int overlapping = 0;
    for (int run = 0; run < 60; ++run) run_pair(&random, kinds[k], &overlapping);
    print_message("pairs of kinds %zu: %d of 60 overlap\n", k, overlapping);
    assert_true(overlapping > 0 && overlapping < 60);
  }
}

int main(void)
{
  const struct CMUnitTest tests[] = {cmocka_unit_test(gaps_are_those_of_the_distance)};
  return cmocka_run_group_tests(tests, NULL, NULL);
}
