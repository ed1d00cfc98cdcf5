#include "comparison.h"

#include "math/vec3.h"

#include <math.h>
#include <stdio.h>
#include <stdlib.h>

static void one_body_on_a_floor(scene *s)
{
  s->planes[s->plane_count++] = (scene_plane){{0.0, 0.0, 1.0}, 0.0};
  s->body_count = 1;
  s->bodies = calloc(1, sizeof *s->bodies);
  if (s->bodies) return;
  fprintf(stderr, "bench_implicit: out of memory\n");
  exit(EXIT_FAILURE);
}

// ---- a cylinder rolls ----------------------------------------------------------------------------------------------

// It rolls straight for ever: x = v t, and its energy stays.
static void judge_rolling(const scene *s, const observation *seen, quality *q)
{
  const scene_body *body = &s->bodies[0];
  const double first = scene_kinetic_energy(s, &body->pose, &(ts_twist){body->velocity, body->turning});
  const ts_vec3 p = seen->poses[0].position,
                axis = ts_quat_rotate(seen->poses[0].orientation, (ts_vec3){0.0, 0.0, 1.0});
  if (seen->step < s->observed) return;
  q->energy_lost = 1.0 - scene_kinetic_energy(s, seen->poses, seen->twists) / first;
  q->drift = hypot(p.x - body->velocity.x * s->step_size * seen->step, p.y);
  q->yaw = fabs(atan2(axis.x, axis.y));
}

static void rolling(scene *s)
{
  s->name = "rolling";
  s->title = "a cylinder rolls at 1 m/s: m = 1 kg, r = 0.1 m, length 0.3 m, mu = 0.5, h = 10 ms, 10 s";
  s->drift = "distance from x = v t at the end [m]; yaw: of the axis";
  s->friction = 0.5;
  s->spin_arm = 0.075; // a line of uniform pressure: a quarter of its length
  one_body_on_a_floor(s);
  s->bodies[0] = (scene_body){.shape = BODY_CYLINDER,
                              .radius = 0.1,
                              .length = 0.3,
                              .mass = 1.0,
                              .pose = {{0.0, 0.0, 0.1}, {sqrt(0.5), -sqrt(0.5), 0.0, 0.0}}, // z lies along y
                              .velocity = {1.0, 0.0, 0.0},
                              .turning = {0.0, 10.0, 0.0}};
  s->observed = s->block = 1000;
  s->judge = judge_rolling;
}

// ---- a box spins ---------------------------------------------------------------------------------------------------

// Uniform pressure on a square of edge a resists by mu m g times the mean distance from its middle, 0.3826 a:
// (sqrt 2 + ln(1 + sqrt 2)) / 6.
static double mean_distance(double edge)
{
  return edge * (sqrt(2.0) + log(1.0 + sqrt(2.0))) / 6.0;
}

// The turn by the discrete law: w falls by the same in every step, until there is less. The centre stays.
static void judge_spinning(const scene *s, const observation *seen, quality *q)
{
  const scene_body *body = &s->bodies[0];
  const double loss = s->friction * body->mass * s->gravity * s->spin_arm / scene_body_inertia(body).z * s->step_size;
  const int turning = (int)floor(body->turning.z / loss), step = seen->step < turning ? seen->step : turning;
  const double turned = s->step_size * (body->turning.z * step - 0.5 * loss * step * (step + 1.0));
  const ts_vec3 p = seen->poses[0].position, x = ts_quat_rotate(seen->poses[0].orientation, (ts_vec3){1.0, 0.0, 0.0});
  const double drift = hypot(p.x, p.y);
  if (!(q->drift >= drift)) q->drift = drift;
  if (seen->step == s->observed) q->yaw = fabs(atan2(x.y, x.x) - turned); // less than half a turn
}

static void spinning(scene *s)
{
  s->name = "spinning";
  s->title = "a box spins on its face at 10 rad/s: m = 1 kg, 0.2 x 0.2 x 0.1 m, mu = 0.3, h = 5 ms, 1 s";
  s->drift = "how far the centre moves, at most [m]; yaw: turn at the end against uniform pressure [rad], 1.48 in all";
  s->friction = 0.3;
  s->step_size = 5e-3;
  s->spin_arm = mean_distance(0.2);
  one_body_on_a_floor(s);
  s->bodies[0] = (scene_body){.shape = BODY_BOX,
                              .size = {0.2, 0.2, 0.1},
                              .mass = 1.0,
                              .pose = {{0.0, 0.0, 0.05}, {1.0, 0.0, 0.0, 0.0}},
                              .turning = {0.0, 0.0, 10.0}};
  s->observed = s->block = 200;
  s->judge = judge_spinning;
}

// ---- all of them ---------------------------------------------------------------------------------------------------

void comparison_init(scene *s, int i)
{
  if (i == 1) {
    scene_init(s, SCENE_CUBE);
    s->spin_arm = mean_distance(1.0);
    return;
  }
  *s = (scene){.step_size = 1e-2, .gravity = 9.81, .tolerance = 1e-10, .observe_every = 1, .restarts = true};
  if (i == 0)
    rolling(s);
  else
    spinning(s);
}

const engine *comparison_engine(int i)
{
  return i == 0 ? touchstone_implicit_engine(0) : engine_at(i - 1);
}
