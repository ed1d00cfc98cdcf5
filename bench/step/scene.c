#include "scene.h"

#include "base/random.h"
#include "math/vec3.h"

#include <math.h>
#include <stdio.h>
#include <stdlib.h>

static scene_body body_at(body_shape shape, double mass, ts_vec3 position)
{
  return (scene_body){.shape = shape, .mass = mass, .pose = {position, ts_quat_identity()}};
}

static void make_bodies(scene *s, int count)
{
  s->body_count = count;
  s->bodies = calloc((size_t)count, sizeof *s->bodies);
  if (!s->bodies) {
    fprintf(stderr, "bench_step: out of memory\n");
    exit(EXIT_FAILURE);
  }
}

static void add_plane(scene *s, ts_vec3 normal, double offset)
{
  s->planes[s->plane_count++] = (scene_plane){normal, offset};
}

static void add_floor(scene *s)
{
  add_plane(s, ts_vec3_make(0.0, 0.0, 1.0), 0.0);
}

static void keep_worst(double *worst, double value)
{
  if (!(*worst >= value)) *worst = value; // NAN begins
}

// Rotation about z that takes the body's x axis to where it is [rad]
static double yaw_of(ts_quat q)
{
  const ts_vec3 x = ts_quat_rotate(q, ts_vec3_make(1.0, 0.0, 0.0));
  return atan2(x.y, x.x);
}

// 000's sphere: slides, then rolls. reference-numbers.md 1: v_x = 2 - mu g h k in the steps that slide, then 10/7; the
// position is the sum of h v_x.
static void judge_sphere(const scene *s, const observation *seen, quality *q)
{
  const double loss = s->friction * s->gravity * s->step_size, rolling = 10.0 / 7.0;
  const int sliding = (int)floor((2.0 - rolling) / loss), step = seen->step;
  const int slid = step < sliding ? step : sliding;
  const double speed = step <= sliding ? 2.0 - loss * step : rolling;
  const double x = s->step_size * (2.0 * slid - 0.5 * loss * slid * (slid + 1.0) + rolling * (step - slid));
  const ts_vec3 p = seen->poses[0].position, v = seen->twists[0].linear;
  keep_worst(&q->drift, hypot(p.x - x, p.y));
  keep_worst(&q->friction_error, hypot(v.x - speed, v.y) / (2.0 - rolling));
}

static void sphere_scene(scene *s)
{
  s->name = "sphere";
  s->title = "000's sphere slides, then rolls: m = 1 kg, r = 1 m, mu = 0.2, v = 2 m/s, h = 1 ms, 600 steps";
  s->drift = "worst distance from the exact solution of the discrete law [m]";
  s->friction = 0.2;
  add_floor(s);
  make_bodies(s, 1);
  s->bodies[0] = body_at(BODY_SPHERE, 1.0, ts_vec3_make(0.0, 0.0, 1.0));
  s->bodies[0].radius = 1.0;
  s->bodies[0].velocity.x = 2.0;
  s->observed = s->block = 600;
  s->restarts = true;
  s->judge = judge_sphere;
}

// 003's cube, scenario 1. reference-numbers.md 3: slides straight, speed 5 - mu g h k, and rests from the step that
// would turn it round.
static void judge_cube(const scene *s, const observation *seen, quality *q)
{
  const double loss = s->friction * s->gravity * s->step_size, speed = 5.0;
  const int sliding = (int)floor(speed / loss), step = seen->step;
  const int slid = step < sliding ? step : sliding;
  const double way = s->step_size * (speed * slid - 0.5 * loss * slid * (slid + 1.0));
  const ts_vec3 p = seen->poses[0].position;
  keep_worst(&q->drift, hypot(p.x - 0.8 * way, p.y - 0.6 * way));
  keep_worst(&q->yaw, fabs(yaw_of(seen->poses[0].orientation)));
  if (step == s->observed) q->friction_error = fabs(hypot(p.x, p.y) / way - 1.0);
}

static void cube_scene(scene *s)
{
  s->name = "cube";
  s->title =
      "003's sliding cube on four corners: m = 1 kg, L = 1 m, mu = 0.12, v = (4, 3, 0) m/s, h = 10 ms, 450 steps";
  s->drift = "worst distance from the exact solution of the discrete law [m]";
  s->friction = 0.12;
  s->gravity = 9.8;
  s->step_size = 0.01;
  add_floor(s);
  make_bodies(s, 1);
  s->bodies[0] = body_at(BODY_BOX, 1.0, ts_vec3_make(0.0, 0.0, 0.5));
  s->bodies[0].size = ts_vec3_make(1.0, 1.0, 1.0);
  s->bodies[0].velocity = ts_vec3_make(4.0, 3.0, 0.0);
  s->observed = s->block = 450;
  s->restarts = true;
  s->judge = judge_cube;
}

static void judge_tower(const scene *s, const observation *seen, quality *q)
{
  const int top = s->body_count - 1;
  const ts_vec3 moved = ts_sub(seen->poses[top].position, seen->start[top].position);
  keep_worst(&q->drift, hypot(moved.x, moved.y));
  keep_worst(&q->sinking, fmax(-moved.z, 0.0));
  keep_worst(&q->yaw, fabs(yaw_of(seen->poses[top].orientation)));
}

static void tower_scene(scene *s)
{
  const double edge = 0.2;
  s->name = "tower";
  s->title = "10 cubes of 1 kg on each other, edge 0.2 m, mu = 0.5, h = 1 ms, 5 s: 40 contacts";
  s->drift = "how far the top cube moves sideways [m]";
  s->friction = 0.5;
  add_floor(s);
  make_bodies(s, 10);
  for (int i = 0; i < s->body_count; ++i) {
    s->bodies[i] = body_at(BODY_BOX, 1.0, ts_vec3_make(0.0, 0.0, edge * (i + 0.5)));
    s->bodies[i].size = ts_vec3_make(edge, edge, edge);
  }
  s->observed = 5000;
  s->block = 500;
  s->judge = judge_tower;
}

static void judge_slope(const scene *s, const observation *seen, quality *q)
{
  const ts_vec3 moved = ts_sub(seen->poses[0].position, seen->start[0].position), n = s->planes[0].normal;
  keep_worst(&q->drift, ts_length(ts_add_scaled(moved, -ts_dot(moved, n), n)));
}

static void slope_scene(scene *s)
{
  const double edge = 0.2, angle = atan(0.5 * 0.5);
  s->name = "slope";
  s->title =
      "a cube rests on a slope of atan(mu / 2): m = 1 kg, edge 0.2 m, mu = 0.5, h = 1 ms, 1 s, then 10 s watched";
  s->drift = "how far the cube creeps along the slope in 10 s [m]";
  s->friction = 0.5;
  s->tolerance = 1e-12;
  add_plane(s, ts_vec3_make(sin(angle), 0.0, cos(angle)), 0.0);
  make_bodies(s, 1);
  s->bodies[0] = body_at(BODY_BOX, 1.0, ts_scale(0.5 * edge, s->planes[0].normal));
  s->bodies[0].pose.orientation = ts_quat_exp(ts_vec3_make(0.0, angle, 0.0));
  s->bodies[0].size = ts_vec3_make(edge, edge, edge);
  s->settle = 1000;
  s->observed = 10000;
  s->block = 500;
  s->judge = judge_slope;
}

enum { CAPSULE, PAD };

static void judge_capsule(const scene *s, const observation *seen, quality *q)
{
  if (seen->step < s->observed) return;
  const ts_vec3 moved = ts_sub(seen->poses[CAPSULE].position, seen->start[CAPSULE].position);
  q->drift = hypot(moved.y, moved.z) / (s->step_size * s->observed);
}

static scene_body pad(double side)
{
  const double thickness = 0.01, capsule_radius = 0.004;
  scene_body body = body_at(BODY_BOX, 0.1, ts_vec3_make(side * (capsule_radius + 0.5 * thickness), 0.0, 0.0));
  body.size = ts_vec3_make(thickness, 0.04, 0.06);
  body.guided = true;
  body.guide.x = 1.0;
  body.force = ts_vec3_make(-12.0 * side, 0.0, 0.0);
  return body;
}

static void capsule_scene(scene *s)
{
  s->name = "capsule";
  s->title =
      "an upright capsule (45 g, r = 4 mm, length 80 mm) between two pads of 0.1 kg on guides, 12 N each, mu = 0.7, "
      "h = 1 ms, 0.5 s, then 2 s watched";
  s->drift = "how fast the capsule creeps [m/s]";
  s->friction = 0.7;
  s->tolerance = 1e-12;
  make_bodies(s, 3);
  s->bodies[CAPSULE] = body_at(BODY_CAPSULE, 0.045, ts_vec3_make(0.0, 0.0, 0.0));
  s->bodies[CAPSULE].radius = 0.004;
  s->bodies[CAPSULE].length = 0.08 - 2.0 * 0.004;
  s->bodies[PAD] = pad(1.0);
  s->bodies[PAD + 1] = pad(-1.0);
  s->settle = 500;
  s->observed = 2000;
  s->block = 500;
  s->judge = judge_capsule;
}

// Spheres on a loose cubic grid with random offsets fall into a box of planes that is as wide as the grid. Piles of all
// sizes have the same shape, so that the cost per sphere may be compared.
static void pile_scene(scene *s, int count)
{
  const double radius = PILE_RADIUS, spacing = 2.2 * radius, offset = 0.09 * radius;
  const int side = (int)ceil(cbrt(count));
  const double half = 0.5 * spacing * side;
  s->friction = 0.3;
  s->step_size = 5e-3;
  s->tolerance = 1e-6;
  add_floor(s);
  add_plane(s, ts_vec3_make(1.0, 0.0, 0.0), -half);
  add_plane(s, ts_vec3_make(-1.0, 0.0, 0.0), -half);
  add_plane(s, ts_vec3_make(0.0, 1.0, 0.0), -half);
  add_plane(s, ts_vec3_make(0.0, -1.0, 0.0), -half);
  make_bodies(s, count);
  ts_random random;
  ts_random_init(&random, 1);
  for (int i = 0; i < count; ++i) {
    const int cell[3] = {i % side, i / side % side, i / (side * side)};
    const ts_vec3 jitter = {ts_random_uniform(&random, -offset, offset), ts_random_uniform(&random, -offset, offset),
                            ts_random_uniform(&random, -offset, offset)};
    const ts_vec3 centre = {(cell[0] + 0.5) * spacing - half, (cell[1] + 0.5) * spacing - half,
                            (cell[2] + 0.5) * spacing};
    s->bodies[i] = body_at(BODY_SPHERE, 4.0, ts_add(centre, jitter));
    s->bodies[i].radius = radius;
  }
  s->settle = 400;
  s->observed = 100;
  s->observe_every = 10;
  s->block = 20;
}

static void pile_100(scene *s)
{
  s->name = "pile-100";
  s->title = "100 spheres in a box: r = 0.1 m, 4 kg, mu = 0.3, h = 5 ms, 2 s to settle, then 0.5 s watched";
  pile_scene(s, 100);
}

static void pile_300(scene *s)
{
  s->name = "pile-300";
  s->title = "300 spheres in a box, else the same";
  pile_scene(s, 300);
}

static void pile_1000(scene *s)
{
  s->name = "pile-1000";
  s->title = "1000 spheres in a box, else the same";
  pile_scene(s, 1000);
}

void scene_init(scene *s, scene_id id)
{
  static void (*const scenes[SCENE_COUNT])(scene *) = {
      [SCENE_SPHERE] = sphere_scene, [SCENE_CUBE] = cube_scene,       [SCENE_TOWER] = tower_scene,
      [SCENE_SLOPE] = slope_scene,   [SCENE_CAPSULE] = capsule_scene, [SCENE_PILE_100] = pile_100,
      [SCENE_PILE_300] = pile_300,   [SCENE_PILE_1000] = pile_1000};
  *s = (scene){.step_size = 1e-3, .gravity = 9.81, .tolerance = 1e-8, .accuracy = -1.0, .observe_every = 1};
  scenes[id](s);
}

void scene_release(scene *s)
{
  free(s->bodies);
}
