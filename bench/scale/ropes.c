// Chains of capsules with ball joints, laid across each other in layers, fall in a heap.
#include "kinds.h"

#include "math/vec3.h"

#include <math.h>

static const double RADIUS = 0.05, LINK = 0.2, MASS = 1.0;     // of a capsule, from joint to joint, and [kg]
static const double BESIDE = 0.4, ABOVE = 0.15, OFFSET = 0.02; // distances of ropes, and at random [m]
enum { LINKS = 10, ROPES = 5 };                                // of a rope, and of a square of them

// Where a rope begins and which way it goes: squares of ropes side by side, layers across each other
typedef struct rope {
  ts_vec3 from, along;
} rope;

static rope rope_at(int number, int across, ts_random *random)
{
  const double side = LINKS * LINK + 4.0 * RADIUS, half = 0.5 * side * across;
  const int square = number / ROPES, layer = square / (across * across), place = square % (across * across);
  const double lane = (number % ROPES + 0.5) * BESIDE + 2.0 * RADIUS + ts_random_uniform(random, -OFFSET, OFFSET);
  const double begin = 2.0 * RADIUS + ts_random_uniform(random, -OFFSET, OFFSET);
  const ts_vec3 corner = {side * (place % across) - half, side * (place / across) - half, ABOVE * (layer + 1.0)};
  const bool turned = layer % 2 == 1;
  return (rope){ts_add(corner, turned ? ts_vec3_make(lane, begin, 0.0) : ts_vec3_make(begin, lane, 0.0)),
                turned ? ts_vec3_make(0.0, 1.0, 0.0) : ts_vec3_make(1.0, 0.0, 0.0)};
}

static scene_body capsule_of(const rope *of, int link)
{
  const ts_vec3 up = {0.0, 0.0, 1.0}; // capsules lie along their z
  return (scene_body){.shape = BODY_CAPSULE,
                      .radius = RADIUS,
                      .length = LINK,
                      .mass = MASS,
                      .pose = {ts_add_scaled(of->from, LINK * (link + 0.5), of->along),
                               ts_quat_exp(ts_scale(0.5 * TS_PI, ts_cross(up, of->along)))},
                      .linked = link > 0,
                      .hinge = ts_add_scaled(of->from, LINK * link, of->along)};
}

// Heaps of all sizes are about twice as high as wide where they begin; walls keep them together.
void make_ropes(scene *s, const recipe *r)
{
  const int squares = (r->bodies + LINKS * ROPES - 1) / (LINKS * ROPES);
  const int across = (int)fmax(1.0, round(0.5 * cbrt(squares)));
  ts_random random;
  ts_random_init(&random, r->seed);
  add_floor_and_walls(s, 0.5 * (LINKS * LINK + 4.0 * RADIUS) * across + RADIUS);
  rope current = {0};
  for (int i = 0; i < r->bodies; ++i) {
    if (i % LINKS == 0) current = rope_at(i / LINKS, across, &random);
    s->bodies[i] = capsule_of(&current, i % LINKS);
  }
}
