// What the contact points of a pair cost: nanoseconds a call and points found.
//
//   bench_manifold
#include "shape/manifold.h"

#include "base/clock.h"

#include <math.h>
#include <stdio.h>

enum { MOST = 64, CALLS = 200000, REPEATS = 5 };

static const ts_convex *part(const ts_shape *shape, ts_arena *arena)
{
  int count;
  return ts_convex_pieces(shape, arena, &count);
}

static ts_frame frame(double x, double y, double z, ts_vec3 rotation)
{
  const ts_pose pose = {{x, y, z}, ts_quat_exp(rotation)};
  return ts_pose_frame(&pose);
}

static void measure(const char *name, const ts_convex *a, ts_frame frame_a, const ts_convex *b, ts_frame frame_b)
{
  ts_touch touches[MOST];
  double best = INFINITY;
  int count = 0;
  for (int k = 0; k < REPEATS; ++k) {
    const double start = ts_clock_seconds();
    for (int i = 0; i < CALLS; ++i) count = ts_convex_touches(a, &frame_a, b, &frame_b, 1e-3, touches, MOST);
    best = fmin(best, (ts_clock_seconds() - start) / CALLS);
  }
  printf("%-36s %6d %10.1f\n", name, count, 1e9 * best);
}

int main(void)
{
  ts_arena arena;
  ts_arena_init(&arena, NULL);
  const ts_vec3 none = {0.0, 0.0, 0.0}, up = {0.0, 0.0, 1.0}, lie = {0.0, 0.5 * TS_PI, 0.0};
  const ts_convex *plane = part(&(ts_shape){.kind = TS_SHAPE_PLANE, .normal = up}, &arena);
  const ts_convex *ball = part(&(ts_shape){.kind = TS_SHAPE_SPHERE, .radius = 0.5}, &arena);
  const ts_convex *box = part(&(ts_shape){.kind = TS_SHAPE_BOX, .size = {1.0, 1.0, 1.0}}, &arena);
  const ts_convex *capsule = part(&(ts_shape){.kind = TS_SHAPE_CAPSULE, .radius = 0.5, .length = 1.0}, &arena);
  const ts_convex *cylinder = part(&(ts_shape){.kind = TS_SHAPE_CYLINDER, .radius = 0.5, .length = 1.0}, &arena);
  const ts_vec3 corners[] = {{-0.5, -0.5, 0.0}, {0.5, -0.5, 0.0}, {0.5, 0.5, 0.0}, {-0.5, 0.5, 0.0}};
  const ts_convex *square = part(&(ts_shape){.kind = TS_SHAPE_POLYGON, .vertices = corners, .vertex_count = 4}, &arena);
  const ts_frame ground = frame(0.0, 0.0, 0.0, none), below = frame(0.0, 0.0, -0.5, none);
  const ts_frame above = frame(0.2, 0.1, 0.5, none), lying = frame(0.2, 0.1, 0.5, lie);
  printf("%-36s %6s %10s\n", "pair", "points", "ns a call");
  measure("sphere on plane", ball, above, plane, ground);
  measure("sphere on sphere", ball, frame(0.0, 0.0, 1.0, none), ball, ground);
  measure("sphere on box", ball, above, box, below);
  measure("box on plane", box, above, plane, ground);
  measure("box above plane", box, frame(0.0, 0.0, 2.0, none), plane, ground);
  measure("box on box", box, above, box, below);
  measure("box on box, turned", box, frame(0.2, 0.1, 0.5, ts_vec3_make(0.0, 0.0, 0.6)), box, below);
  measure("box on box, edge on edge", box, frame(0.0, 0.0, sqrt(0.5), ts_vec3_make(0.7853981633974483, 0.0, 0.0)), box,
          frame(0.0, 0.0, -sqrt(0.5), ts_vec3_make(0.0, 0.7853981633974483, 0.0)));
  measure("box beside box, corners nearest", box, frame(1.0003, 1.0003, 1.0003, none), box, ground);
  measure("boxes apart", box, frame(1.5, 0.2, 0.1, none), box, ground);
  measure("capsule on plane", capsule, lying, plane, ground);
  measure("capsule on box", capsule, lying, box, below);
  measure("capsule on capsule, parallel", capsule, frame(1.0, 0.0, 0.2, none), capsule, ground);
  measure("cylinder on plane", cylinder, above, plane, ground);
  measure("cylinder on box", cylinder, above, box, below);
  measure("cylinder on cylinder", cylinder, above, cylinder, below);
  measure("square on square", square, frame(0.2, 1.0, 0.0, none), square, ground);
  ts_arena_release(&arena);
  return 0;
}
