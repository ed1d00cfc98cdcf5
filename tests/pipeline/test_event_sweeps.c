// Nothing is jumped over between events, however long the steps: thin plates and small balls, rods, arms and moving
// bodies that sweep past thin walls; against closed forms, and against runs in steps too short to jump over anything.
#include "mechanism.h"

#include "base/random.h"

#include <math.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdlib.h>
#include <cmocka.h>

// More scenes where TOUCHSTONE_SCENES asks for them.
static int scene_count(int usual)
{
  const char *asked = getenv("TOUCHSTONE_SCENES");
  return asked ? atoi(asked) : usual;
}

static void start(world *w, double size)
{
  w->options.method = ts_stepper_find("event-driven");
  w->options.impacts = TS_IMPACT_POISSON;
  w->options.size = size;
  world_start(w);
}

static void begin(world *w)
{
  world_init(w, TS_SPACE_3D);
  world_friction(w, 0.0, 0.5);
}

// ---- closed forms --------------------------------------------------------------------------------------------------

// A ball of 4 cm dropped on a plate of 1 cm, e = 1/2: where it is after its first impact.
static void a_ball_does_not_fall_through_a_plate(void **state)
{
  (void)state;
  static const double sizes[] = {0.1, 0.07, 1.0};
  const double g = 9.81, r = 0.02, top = 0.005;
  for (int k = 0; k < 3; ++k)
    for (int i = 0; i < 26; ++i) {
      world w;
      begin(&w);
      const double height = 0.5 + 0.02 * i, t1 = sqrt(2.0 * (height - r - top) / g), v1 = 0.5 * g * t1;
      world_add(&w, "plate", TS_FIXED, 0.0, shape_box(1.0, 1.0, 2.0 * top), (ts_vec3){0.0, 0.0, 0.0});
      const int ball = world_add(&w, "ball", TS_DYNAMIC, 1.0, shape_sphere(r), (ts_vec3){0.0, 0.0, height});
      start(&w, sizes[k]);
      while (ts_sim_time(w.sim) < t1) world_step(&w);
      double t = ts_sim_time(w.sim) - t1, v = v1;
      for (; t > 2.0 * v / g && v > 1e-9; v *= 0.5) t -= 2.0 * v / g;
      if (v <= 1e-9) v = t = 0.0; // at rest
      assert_true(fabs(ts_sim_pose(w.sim, ball).position.z - (r + top + v * t - 0.5 * g * t * t)) < 1e-8);
      world_release(&w);
    }
}

// A ball of 2 mm shot at 100 m/s against a wall of 1 mm: it comes back half as fast.
static void a_shot_does_not_go_through_a_wall(void **state)
{
  (void)state;
  static const double sizes[] = {0.01, 0.003, 0.1}, speeds[] = {100.0, 1000.0, 1.0};
  for (int k = 0; k < 3; ++k)
    for (int j = 0; j < 3; ++j)
      for (int i = 0; i < 20; ++i) {
        world w;
        begin(&w);
        ts_builder_set_gravity(w.builder, (ts_vec3){0.0, 0.0, 0.0});
        const double way = 0.05 + 0.0213 * i, v = speeds[j], t1 = way / v;
        world_add(&w, "wall", TS_FIXED, 0.0, shape_box(0.001, 1.0, 1.0), (ts_vec3){0.0, 0.0, 0.0});
        const int ball =
            world_add(&w, "ball", TS_DYNAMIC, 1e-3, shape_sphere(0.001), (ts_vec3){-0.0015 - way, 0.0, 0.0});
        start(&w, sizes[k]);
        world_move(&w, ball, (ts_vec3){v, 0.0, 0.0}, (ts_vec3){0.0, 300.0, 0.0});
        while (ts_sim_time(w.sim) < t1) world_step(&w);
        const double x = -0.0015 - 0.5 * v * (ts_sim_time(w.sim) - t1);
        assert_true(fabs(ts_sim_pose(w.sim, ball).position.x - x) < 1e-10 * v);
        world_release(&w);
      }
}

// A plate of 20 cm by 5 cm meets a wall with a corner, which stays there for a moment while the plate turns at 400
// rad/s and lets go: the other corners come next. In the end it lies flat against the wall.
static void a_plate_that_a_corner_turns_does_not_go_through_a_wall(void **state)
{
  (void)state;
  static const double sizes[] = {0.1, 0.05, 0.02, 0.01}, speeds[] = {20.0, 50.0, 100.0}, angles[] = {1.4, 1.45, 1.7};
  for (int k = 0; k < 36; ++k) {
    world w;
    world_init(&w, TS_SPACE_2D);
    ts_builder_set_gravity(w.builder, (ts_vec3){0.0, 0.0, 0.0});
    ts_vec3 wall[4], plate[4];
    world_add(&w, "wall", TS_FIXED, 0.0, shape_rectangle(wall, 0.95, -10.0, 1.05, 10.0), (ts_vec3){0});
    const int body =
        world_add(&w, "plate", TS_DYNAMIC, 1.0, shape_rectangle(plate, -0.1, -0.025, 0.1, 0.025), (ts_vec3){0});
    start(&w, sizes[k % 4]);
    ts_error error;
    const ts_pose turned = {{0.0, 0.0, 0.0}, ts_quat_about_z(angles[k / 12])};
    if (ts_sim_set_pose(w.sim, body, &turned, &error) != TS_OK) fail_msg("%s", error.text);
    world_move(&w, body, (ts_vec3){speeds[k / 4 % 3], 0.0, 0.0}, (ts_vec3){0.0, 0.0, 0.0});
    while (ts_sim_time(w.sim) < 0.2) {
      world_step(&w);
      assert_true(ts_sim_pose(w.sim, body).position.x <= 0.925 + 1e-9);
    }
    const ts_twist v = ts_sim_velocity(w.sim, body);
    assert_true(fabs(ts_sim_pose(w.sim, body).position.x - 0.925) < 1e-8);
    assert_true(fabs(v.linear.x) < 1e-8 && fabs(v.angular.z) < 1e-6);
    world_release(&w);
  }
}

static void move_body(world *w, int body, ts_signal displacement, ts_signal rotation)
{
  ts_motion_def def = ts_motion_def_default();
  ts_error error;
  int index;
  def.body = body;
  def.displacement[0] = displacement;
  def.rotation[2] = rotation;
  assert_int_equal(ts_builder_add_motion(w->builder, &def, &index, &error), TS_OK);
}

// A paddle of 2 mm that swings by A sin(w t), many times a step, against a ball at rest: it meets it where A sin(w t)
// is the gap, and the ball leaves at (1 + e) times its speed, for good.
static void a_paddle_meets_a_ball(void **state)
{
  (void)state;
  static const double sizes[] = {0.01, 0.1, 1.0, 3.0};
  const ts_signal none = ts_signal_constant(0.0);
  const double A = 0.05, frequency = 97.0;
  for (int k = 0; k < 4; ++k)
    for (int i = 1; i < 12; ++i) {
      world w;
      begin(&w);
      ts_builder_set_gravity(w.builder, (ts_vec3){0.0, 0.0, 0.0});
      const double gap = A * i / 12.5, t1 = asin(gap / A) / frequency;
      const int paddle = world_add(&w, "paddle", TS_KINEMATIC, 0.0, shape_box(0.002, 1.0, 1.0), (ts_vec3){0, 0, 0});
      const int ball = world_add(&w, "ball", TS_DYNAMIC, 1.0, shape_sphere(0.001), (ts_vec3){0.002 + gap, 0.0, 0.0});
      move_body(&w, paddle, (ts_signal){.kind = TS_SIGNAL_SINE, .amplitude = A, .frequency = frequency}, none);
      start(&w, sizes[k]);
      while (ts_sim_time(w.sim) < 3.0 - 1e-9) world_step(&w);
      const double v = 1.5 * A * frequency * cos(frequency * t1);
      assert_true(fabs(ts_sim_velocity(w.sim, ball).linear.x - v) < 1e-9);
      assert_true(fabs(ts_sim_pose(w.sim, ball).position.x - (0.002 + gap + v * (3.0 - t1))) < 1e-8);
      world_release(&w);
    }
}

// A blade that turns at a steady rate about z sweeps a ball of 1 cm at rest 0.8 m from its axis: the ball leaves at
// (1 + e) w 0.8 across the blade, which it meets at the angle asin(r/0.8) before its place.
static void a_blade_sweeps_a_ball_away(void **state)
{
  (void)state;
  static const double sizes[] = {0.001, 0.05, 0.5};
  const double R = 0.8, r = 0.01, half = 0.001;
  for (int k = 0; k < 3; ++k)
    for (int i = 1; i < 8; ++i) {
      world w;
      begin(&w);
      ts_builder_set_gravity(w.builder, (ts_vec3){0.0, 0.0, 0.0});
      const double rate[] = {0.0, 11.0}, angle = 0.7 * i;
      const int blade = world_add(&w, "blade", TS_KINEMATIC, 0.0, shape_box(2.0, 2.0 * half, 1.0), (ts_vec3){0, 0, 0});
      const int ball =
          world_add(&w, "ball", TS_DYNAMIC, 1.0, shape_sphere(r), (ts_vec3){R * cos(angle), R * sin(angle), 0.0});
      const ts_signal turn = {.kind = TS_SIGNAL_POLYNOMIAL, .count = 2, .coefficients = rate};
      move_body(&w, blade, ts_signal_constant(0.0), turn);
      start(&w, sizes[k]);
      while (ts_sim_time(w.sim) < 0.5 - 1e-9) world_step(&w);
      const double along = sqrt(R * R - (r + half) * (r + half)); // where the blade is met
      const ts_vec3 v = ts_sim_velocity(w.sim, ball).linear;
      assert_true(fabs(ts_length(v) - 1.5 * 11.0 * along) < 1e-8);
      world_release(&w);
    }
}

// ---- against short steps -------------------------------------------------------------------------------------------

// A scene with some bodies at random; the same for the same seed.
typedef void scene_builder(world *w, ts_random *random);

static ts_vec3 random_vector(ts_random *random, double size)
{
  return (ts_vec3){ts_random_uniform(random, -size, size), ts_random_uniform(random, -size, size),
                   ts_random_uniform(random, -size, size)};
}

static int add_turned(world *w, const char *name, ts_body_kind kind, ts_shape shape, ts_vec3 position, ts_vec3 rotation)
{
  ts_body_def def = ts_body_def_default();
  def.name = name;
  def.kind = kind;
  def.mass = kind == TS_DYNAMIC ? 1.0 : 0.0;
  def.pose = (ts_pose){position, ts_quat_exp(rotation)};
  return world_add_def(w, &def, shape);
}

enum { MOST_BODIES = 8 };

typedef struct outcome {
  int events, bodies;
  ts_pose pose[MOST_BODIES];
} outcome;

static outcome run(scene_builder *build, uint64_t seed, double size, double end)
{
  world w;
  ts_random random;
  ts_random_init(&random, seed);
  begin(&w);
  w.options.size = size;
  build(&w, &random);
  outcome seen = {.bodies = ts_model_body_count(w.model)};
  while (ts_sim_time(w.sim) < end - 1e-9) {
    world_step(&w);
    seen.events += ts_sim_report(w.sim)->events;
  }
  for (int b = 0; b < seen.bodies; ++b) seen.pose[b] = ts_sim_pose(w.sim, b);
  world_release(&w);
  return seen;
}

// The same in long steps as in short ones. Impacts magnify what differs, a few of them by 1e5 at most.
static void compare(scene_builder *build, int scenes, double end, double shortest)
{
  int met = 0;
  for (int k = 0; k < scenes; ++k) {
    const outcome fine = run(build, (uint64_t)k, shortest, end), coarse = run(build, (uint64_t)k, end, end);
    if (fine.events != coarse.events) fail_msg("scene %d: %d impacts, %d in one step", k, fine.events, coarse.events);
    met += fine.events > 0;
    for (int b = 0; b < fine.bodies && fine.events < 20; ++b)
      if (ts_distance_of(fine.pose[b].position, coarse.pose[b].position) > 1e-6)
        fail_msg("scene %d: body %d is %g m off", k, b, ts_distance_of(fine.pose[b].position, coarse.pose[b].position));
  }
  assert_true(met > scenes / 4);
}

// A ball or a box of a few mm thrown at plates of 1 mm.
static void plates(world *w, ts_random *random)
{
  for (int k = 0; k < 5; ++k)
    add_turned(w,
               k == 0   ? "p0"
               : k == 1 ? "p1"
               : k == 2 ? "p2"
               : k == 3 ? "p3"
                        : "p4",
               TS_FIXED, shape_box(0.3, 0.3, 0.001), (ts_vec3){0.3 + 0.2 * k, 0.0, 0.0}, random_vector(random, 2.0));
  const bool round = ts_random_below(random, 2) == 0;
  const ts_shape shape = round ? shape_sphere(0.002) : shape_box(0.002, 0.003, 0.004);
  const int shot = add_turned(w, "shot", TS_DYNAMIC, shape, (ts_vec3){0.0, 0.0, 0.0}, random_vector(random, 2.0));
  start(w, w->options.size);
  const ts_vec3 aim = {ts_random_uniform(random, 2.0, 12.0), ts_random_uniform(random, -0.5, 0.5),
                       ts_random_uniform(random, 0.0, 1.0)};
  world_move(w, shot, aim, random_vector(random, 20.0));
}

static void random_plates_are_met(void **state)
{
  (void)state;
  compare(plates, scene_count(24), 0.25, 5e-4);
}

// A rod that spins past thin walls.
static void rods(world *w, ts_random *random)
{
  ts_builder_set_gravity(w->builder, (ts_vec3){0.0, 0.0, 0.0});
  for (int k = 0; k < 3; ++k)
    add_turned(w,
               k == 0   ? "w0"
               : k == 1 ? "w1"
                        : "w2",
               TS_FIXED, shape_box(0.002, 0.1, 0.4),
               (ts_vec3){ts_random_uniform(random, 0.1, 0.29), ts_random_uniform(random, -0.25, 0.25), 0.0},
               random_vector(random, 1.0));
  const ts_shape shape = ts_random_below(random, 2) ? shape_capsule(0.004, 0.6) : shape_box(0.6, 0.01, 0.006);
  const int rod = add_turned(w, "rod", TS_DYNAMIC, shape, (ts_vec3){0.0, 0.0, 0.0}, (ts_vec3){0.0, 0.0, 1.5});
  start(w, w->options.size);
  world_move(w, rod, random_vector(random, 0.5), random_vector(random, 40.0));
}

static void rods_that_spin_meet_thin_walls(void **state)
{
  (void)state;
  compare(rods, scene_count(24), 0.1, 1e-4);
}

// Two arms on hinges swing past thin walls that stand where only their ends come by.
static void arms(world *w, ts_random *random)
{
  const ts_vec3 axis = {0.0, 1.0, 0.0};
  const int upper = world_add(w, "upper", TS_DYNAMIC, 1.0, shape_box(0.4, 0.02, 0.02), (ts_vec3){0.2, 0.0, 0.0});
  const int lower = world_add(w, "lower", TS_DYNAMIC, 0.5, shape_box(0.4, 0.02, 0.01), (ts_vec3){0.6, 0.0, 0.0});
  const double a = ts_random_uniform(random, 0.0, 6.28), R = ts_random_uniform(random, 0.5, 0.79);
  add_turned(w, "wall", TS_FIXED, shape_box(0.05, 0.2, 0.002), (ts_vec3){R * cos(a), 0.0, R * sin(a)},
             (ts_vec3){0.0, a, 0.0});
  mechanism_hinge(w, TS_WORLD, upper, (ts_vec3){0.0, 0.0, 0.0}, axis);
  ts_joint_def def = mechanism_joint(TS_JOINT_REVOLUTE, upper, lower, (ts_vec3){0.2, 0.0, 0.0}, axis);
  def.velocity = ts_random_uniform(random, -10.0, 10.0);
  mechanism_add(w, &def);
  start(w, w->options.size);
}

static void arms_meet_thin_walls(void **state)
{
  (void)state;
  compare(arms, scene_count(12), 0.8, 1e-3);
}

// A wheel on a cart turns just above the floor, on which the cart stands: its rim stays where it is, and nothing is to
// be looked at more closely. Points of it have accelerations of r w^2, which would close the gap in 4 us.
static void a_wheel_that_turns_above_the_floor_meets_nothing(void **state)
{
  (void)state;
  world w;
  begin(&w);
  world_floor(&w);
  const ts_vec3 y = {0.0, 1.0, 0.0};
  const int cart = world_add(&w, "cart", TS_DYNAMIC, 5.0, shape_box(0.4, 0.2, 0.1), (ts_vec3){0.0, 0.0, 0.05});
  const double r = 0.05, height = r + 1e-9;
  const int wheel = add_turned(&w, "wheel", TS_DYNAMIC, shape_cylinder(r, 0.03), (ts_vec3){0.0, 0.2, height},
                               (ts_vec3){-0.5 * TS_PI, 0.0, 0.0});
  ts_joint_def def = mechanism_joint(TS_JOINT_REVOLUTE, cart, wheel, (ts_vec3){0.0, 0.2, height - 0.05}, y);
  def.velocity = 50.0;
  mechanism_add(&w, &def);
  start(&w, 0.01);
  for (int k = 0; k < 3; ++k) {
    world_step(&w);
    assert_true(ts_sim_report(w.sim)->problems < 100);
    assert_true(ts_sim_report(w.sim)->regularized == 0.0);
  }
  assert_true(fabs(ts_sim_joint_position(w.sim, 0, NULL) - 50.0 * 0.03) < 1e-10);
  world_release(&w);
}

int main(void)
{
  const struct CMUnitTest tests[] = {
      cmocka_unit_test(a_ball_does_not_fall_through_a_plate),
      cmocka_unit_test(a_shot_does_not_go_through_a_wall),
      cmocka_unit_test(a_plate_that_a_corner_turns_does_not_go_through_a_wall),
      cmocka_unit_test(a_paddle_meets_a_ball),
      cmocka_unit_test(a_blade_sweeps_a_ball_away),
      cmocka_unit_test(random_plates_are_met),
      cmocka_unit_test(rods_that_spin_meet_thin_walls),
      cmocka_unit_test(arms_meet_thin_walls),
      cmocka_unit_test(a_wheel_that_turns_above_the_floor_meets_nothing),
  };
  return cmocka_run_group_tests(tests, NULL, NULL);
}
