// A wall of bricks in running bond, hit by a ball.
#include "kinds.h"

#include "math/vec3.h"

#include <math.h>

static const double LENGTH = 0.3, THICKNESS = 0.2, HEIGHT = 0.1; // of a brick [m]
static const double JOINT = 2e-3, OFFSET = 1e-3;                 // between bricks, and at random in each direction [m]
static const double BRICK = 12.0, BALL = 60.0, BALL_RADIUS = 0.2, SPEED = 8.0; // [kg, kg, m, m/s]

static scene_body ball_at(double height)
{
  return (scene_body){.shape = BODY_SPHERE,
                      .radius = BALL_RADIUS,
                      .mass = BALL,
                      .pose = {{0.0, -1.0, height}, {1.0, 0.0, 0.0, 0.0}},
                      .velocity = {0.0, SPEED, 0.0}};
}

// Four bricks in a course for one above it; each course is half a brick on from the one below. Joints are open: the
// bricks settle onto each other.
void make_wall(scene *s, const recipe *r)
{
  const int bricks = r->bodies - 1, courses = (int)fmax(1.0, round(0.5 * sqrt(bricks)));
  const int course = (bricks + courses - 1) / courses;
  ts_random random;
  ts_random_init(&random, r->seed);
  add_plane(s, ts_vec3_make(0.0, 0.0, 1.0), 0.0);
  for (int i = 0; i < bricks; ++i) {
    const int row = i / course, place = i % course;
    double shift[2];
    for (int k = 0; k < 2; ++k) shift[k] = ts_random_uniform(&random, -OFFSET, OFFSET);
    const double x = (LENGTH + 3.0 * JOINT) * (place - 0.5 * course + 0.5 * (row % 2));
    s->bodies[i] =
        (scene_body){.shape = BODY_BOX,
                     .size = {LENGTH, THICKNESS, HEIGHT},
                     .mass = BRICK,
                     .pose = {{x + shift[0], shift[1], (HEIGHT + JOINT) * (row + 0.5)}, {1.0, 0.0, 0.0, 0.0}}};
  }
  s->bodies[bricks] = ball_at(fmax(BALL_RADIUS + 0.05, 0.6 * HEIGHT * courses));
}
