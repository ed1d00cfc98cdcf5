// Bodies do not pass through each other within a step unseen: not those that impulses set moving, nor those that swing
// round a joint, nor thin ones; and what passes by is no alarm.
#include "world.h"

#include "touchstone/scene.h"

#include "base/random.h"

#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <cmocka.h>

#include "near.h"

static const ts_vec3 NOWHERE = {0.0, 0.0, 0.0};

static void must(ts_status status, const ts_error *error)
{
  if (status != TS_OK) fail_msg("%s", error->text);
}

static void begin(world *w, ts_space space, int stepper, double h)
{
  world_init(w, space);
  ts_builder_set_gravity(w->builder, NOWHERE);
  w->options.method = fixed_stepper(stepper);
  w->options.size = h;
}

// Impulse that a body has taken along x in the last step.
static double impulse_on(const ts_sim *sim, int body)
{
  int count;
  double sum = 0.0;
  const ts_contact *contacts = ts_sim_contacts(sim, &count);
  for (int i = 0; i < count; ++i) {
    const double x = ts_sim_contact_wrench(sim, i).force.x;
    if (contacts[i].body_1 == body) sum += x;
    if (contacts[i].body_2 == body) sum -= x;
  }
  return sum;
}

// A shot drives a pea that stands still into a wall: the wall takes all of the momentum, and both stay before it.
static void what_impulses_set_moving_meets_what_is_in_its_way(void **state)
{
  (void)state;
  for (int stepper = 0; stepper < 2; ++stepper) {
    world w;
    begin(&w, TS_SPACE_3D, stepper, 0.01);
    const int wall = world_add(&w, "wall", TS_FIXED, 0.0, shape_box(0.1, 4.0, 4.0), (ts_vec3){0.5, 0.0, 0.0});
    const int pea = world_add(&w, "pea", TS_DYNAMIC, 0.001, shape_sphere(0.05), NOWHERE);
    const int shot = world_add(&w, "shot", TS_DYNAMIC, 10.0, shape_sphere(0.05), (ts_vec3){-0.11, 0.0, 0.0});
    world_start(&w);
    world_move(&w, shot, (ts_vec3){100.0, 0.0, 0.0}, NOWHERE);
    double taken = 0.0;
    for (int step = 0; step < 5; ++step) {
      world_step(&w);
      taken += impulse_on(w.sim, wall);
    }
    assert_near(taken, 1000.0, 1e-6);
    // `velocity` sees a contact when it is closed: within a part of a step, which is cut until sides are kept
    assert_true(ts_sim_pose(w.sim, pea).position.x < 0.4 + (stepper ? 0.0625 : 1e-9));
    world_release(&w);
  }
}

// The same where impacts are taken in one piece or rebound: the wall is far, the pea near, and the step long enough for
// both. The pea is struck first, whatever the law, and stays between the shot and the wall.
static void what_is_near_is_struck_before_what_is_far(void **state)
{
  (void)state;
  static const ts_impact_law laws[] = {TS_IMPACT_INELASTIC, TS_IMPACT_POISSON, TS_IMPACT_NEWTON};
  for (int k = 0; k < 6; ++k) {
    const double e = k < 3 ? 0.0 : 0.5;
    world w;
    begin(&w, TS_SPACE_3D, 0, 0.01);
    world_friction(&w, 0.0, e);
    w.options.impacts = laws[k % 3];
    if (k % 3 == 0) w.options.closing = TS_CLOSING_IMPACT;
    world_add(&w, "wall", TS_FIXED, 0.0, shape_box(0.1, 4.0, 4.0), (ts_vec3){0.5, 0.0, 0.0});
    const int pea = world_add(&w, "pea", TS_DYNAMIC, 0.001, shape_sphere(0.05), NOWHERE);
    const int shot = world_add(&w, "shot", TS_DYNAMIC, 10.0, shape_sphere(0.05), (ts_vec3){-0.11, 0.0, 0.0});
    world_start(&w);
    world_move(&w, shot, (ts_vec3){100.0, 0.0, 0.0}, NOWHERE);
    bool moved = false;
    for (int step = 0; step < 5; ++step) {
      world_step(&w); // certified
      const double x = ts_sim_pose(w.sim, pea).position.x;
      moved = moved || fabs(x) > 1e-3;
      assert_true(x < 0.4 + 1e-8 && x - ts_sim_pose(w.sim, shot).position.x > 0.1 - 1e-8);
    }
    assert_true(moved);
    world_release(&w);
  }
}

// A row of balls with gaps, set moving one by the other, the last before a thin wall. Each look adds a ball: the looks
// of a step are bounded, and what they cannot settle is settled in parts. Nobody overtakes anybody: fourteen balls are
// near enough for 105 contacts, which are solved within 1e-5 of their radius.
static void chains_of_balls_keep_their_order(void **state)
{
  (void)state;
  enum { MOST = 14 };
  for (int balls = 2; balls <= MOST; balls += 3) {
    world w;
    int body[MOST];
    begin(&w, TS_SPACE_3D, 0, 0.01);
    w.options.max_substeps = 64;
    static const char *const names[MOST] = {"a", "b", "c", "d", "e", "f", "g", "h", "i", "j", "k", "l", "m", "n"};
    for (int k = 0; k < balls; ++k)
      body[k] = world_add(&w, names[k], TS_DYNAMIC, k == 0 ? 5.0 : 1e-3 * k, shape_sphere(0.01),
                          (ts_vec3){0.05 * k, 0.0, 0.0});
    const double face = 0.05 * balls + 0.1;
    world_add(&w, "wall", TS_FIXED, 0.0, shape_box(0.002, 1.0, 1.0), (ts_vec3){face + 0.001, 0.0, 0.0});
    world_start(&w);
    world_move(&w, body[0], (ts_vec3){200.0, 0.0, 0.0}, NOWHERE);
    for (int step = 0; step < 4; ++step) world_step(&w);
    for (int k = 0; k + 1 < balls; ++k)
      assert_true(ts_sim_pose(w.sim, body[k + 1]).position.x - ts_sim_pose(w.sim, body[k]).position.x > 0.02 - 1e-7);
    assert_true(ts_sim_pose(w.sim, body[balls - 1]).position.x < face - 0.01 + 1e-9);
    world_release(&w);
  }
}

// A lever on a joint, its short arm struck: the long one swings against a bar, in both kinds of coordinates.
static void levers_do_not_swing_through_bars(void **state)
{
  (void)state;
  for (int k = 0; k < 4; ++k) {
    world w;
    ts_error error;
    begin(&w, TS_SPACE_3D, k % 2, 0.01);
    if (k / 2) w.options.coordinates = TS_COORDINATES_MINIMAL;
    const int lever = world_add(&w, "lever", TS_DYNAMIC, 0.1, shape_box(1.0, 0.01, 0.01), NOWHERE);
    ts_joint_def joint = ts_joint_def_default();
    joint.kind = TS_JOINT_REVOLUTE;
    joint.parent = TS_WORLD;
    joint.child = lever;
    joint.at = (ts_vec3){-0.4, 0.0, 0.0};
    joint.axis = (ts_vec3){0.0, 0.0, 1.0};
    must(ts_builder_add_joint(w.builder, &joint, NULL, &error), &error);
    const int shot =
        world_add(&w, "shot", TS_DYNAMIC, 10.0, shape_sphere(0.02), (ts_vec3){-0.45, 0.03, 0.0}); // on the short arm
    world_add(&w, "bar", TS_FIXED, 0.0, shape_box(0.1, 0.01, 0.1), (ts_vec3){0.4, 0.2, 0.0});
    world_start(&w);
    world_move(&w, shot, (ts_vec3){0.0, -6.0, 0.0}, NOWHERE);
    bool told = false;
    for (int step = 0; step < 6 && !told; ++step) {
      must(ts_sim_step(w.sim, &error), &error);
      told = !ts_sim_report(w.sim)->certified;
    }
    // The bar stops the lever at an angle of about 0.2/0.8; a lever that went through is far beyond.
    if (!told) assert_true(ts_sim_joint_position(w.sim, 0, NULL) < 0.35);
    if (k % 2 == 0) assert_false(told);
    world_release(&w);
  }
}

// A pellet of 2 mm at 100 m/s and a wall of 1 mm: `velocity` moves it by a metre in a step. It is told where cutting
// does not help, and stopped where steps are short.
static void pellets_through_thin_walls_are_told(void **state)
{
  (void)state;
  static const double sizes[] = {1e-2, 1e-3, 1e-5};
  for (int k = 0; k < 3; ++k) {
    world w;
    ts_error error;
    begin(&w, TS_SPACE_3D, 1, sizes[k]);
    world_add(&w, "far", TS_FIXED, 0.0, shape_sphere(0.1), (ts_vec3){0.0, 9.0, 0.0}); // so that no index is 0
    const int wall = world_add(&w, "wall", TS_FIXED, 0.0, shape_box(0.001, 1.0, 1.0), (ts_vec3){0.05, 0.0, 0.0});
    const int pellet = world_add(&w, "pellet", TS_DYNAMIC, 0.001, shape_sphere(0.001), NOWHERE);
    world_start(&w);
    world_move(&w, pellet, (ts_vec3){100.0, 0.0, 0.0}, NOWHERE);
    bool told = false;
    while (ts_sim_time(w.sim) < 0.02) {
      must(ts_sim_step(w.sim, &error), &error);
      const ts_step_report *report = ts_sim_report(w.sim);
      if (report->tunnelled) {
        assert_false(report->certified);
        assert_int_equal(report->tunnelled_bodies[0], pellet);
        assert_int_equal(report->tunnelled_bodies[1], wall);
        told = true;
      }
    }
    const bool through = ts_sim_pose(w.sim, pellet).position.x > 0.05;
    assert_true(told == through);
    if (k == 0) assert_true(through);
    if (k == 2) assert_false(through);
    world_release(&w);
  }
}

// A plate that is driven across a ball within one step, and one that carries a ball.
static void plates_that_sweep_over_balls_are_told(void **state)
{
  (void)state;
  for (int k = 0; k < 4; ++k) {
    world w;
    ts_error error;
    begin(&w, TS_SPACE_3D, k % 2, 0.01);
    const bool carries = k / 2;
    const double way[2] = {0.0, carries ? 2.0 : 60.0};
    ts_motion_def motion = ts_motion_def_default();
    motion.body = world_add(&w, "plate", TS_KINEMATIC, 0.0, shape_box(0.01, 1.0, 1.0),
                            (ts_vec3){carries ? -0.055 : -0.1, 0.0, 0.0});
    motion.displacement[0] = (ts_signal){.kind = TS_SIGNAL_POLYNOMIAL, .count = 2, .coefficients = way};
    must(ts_builder_add_motion(w.builder, &motion, NULL, &error), &error);
    world_add(&w, "ball", TS_DYNAMIC, 1.0, shape_sphere(0.05), NOWHERE);
    w.options.max_substeps = 1;
    world_start(&w);
    must(ts_sim_step(w.sim, &error), &error);
    assert_true(ts_sim_report(w.sim)->tunnelled == !carries);
    assert_true(ts_sim_report(w.sim)->certified == carries);
    world_release(&w);
  }
}

// Fast, and near thin things, but not through them.
static void what_flies_past_is_no_alarm(void **state)
{
  (void)state;
  for (int stepper = 0; stepper < 2; ++stepper) {
    world w;
    begin(&w, TS_SPACE_3D, stepper, 0.01);
    world_add(&w, "wall", TS_FIXED, 0.0, shape_box(0.01, 1.0, 1.0), (ts_vec3){0.5, 0.0, 0.0});
    world_add(&w, "post", TS_FIXED, 0.0, shape_cylinder(0.01, 1.0), (ts_vec3){2.0, 0.6, 0.0});
    const int bullet = world_add(&w, "bullet", TS_DYNAMIC, 0.01, shape_sphere(0.01), (ts_vec3){0.0, 0.52, 0.0});
    const int dart = world_add(&w, "dart", TS_DYNAMIC, 0.01, shape_box(0.1, 0.001, 0.001), (ts_vec3){0.0, -0.502, 0.0});
    world_start(&w);
    world_move(&w, bullet, (ts_vec3){300.0, 0.0, 0.0}, (ts_vec3){0.0, 0.0, 50.0});
    world_move(&w, dart, (ts_vec3){-300.0, 0.0, 0.0}, NOWHERE);
    world_steps(&w, 3);
    // `stewart-trinkle` takes the nearest faces for planes, which may deflect what is as fast as this
    if (stepper == 1) assert_near(ts_sim_pose(w.sim, bullet).position.x, 9.0, 1e-9);
    world_release(&w);
  }
}

// Balls of very different masses in a closed box of thin walls: as long as steps are certified they are in it.
static void what_is_in_a_box_stays_in_it(void **state)
{
  (void)state;
  enum { SCENES = 60, BALLS = 4 };
  int certified = 0, told = 0;
  for (uint64_t seed = 1; seed <= SCENES; ++seed) {
    world w;
    ts_error error;
    ts_random random;
    ts_random_init(&random, seed);
    begin(&w, TS_SPACE_3D, (int)(seed % 2), 0.005);
    w.options.impacts = seed % 3 ? TS_IMPACT_INELASTIC : TS_IMPACT_NEWTON;
    world_friction(&w, 0.2, 0.5);
    static const char *const names[] = {"w", "e", "s", "n", "d", "u", "p", "q", "r", "t"};
    for (int k = 0; k < 6; ++k) {
      const double at = (k % 2 ? 1.0 : -1.0) * 0.505;
      const ts_vec3 place = {k / 2 == 0 ? at : 0.0, k / 2 == 1 ? at : 0.0, k / 2 == 2 ? at : 0.0};
      world_add(&w, names[k], TS_FIXED, 0.0,
                shape_box(k / 2 == 0 ? 0.01 : 1.02, k / 2 == 1 ? 0.01 : 1.02, k / 2 == 2 ? 0.01 : 1.02), place);
    }
    int ball[BALLS];
    for (int k = 0; k < BALLS; ++k)
      ball[k] = world_add(&w, names[6 + k], TS_DYNAMIC, pow(10.0, -k), shape_sphere(0.03),
                          (ts_vec3){-0.3 + 0.2 * k, ts_random_uniform(&random, -0.3, 0.3), 0.05 * k});
    world_start(&w);
    for (int k = 0; k < BALLS; ++k) {
      const double s = k == 0 ? 80.0 : 3.0;
      world_move(&w, ball[k],
                 (ts_vec3){ts_random_uniform(&random, -s, s), ts_random_uniform(&random, -s, s),
                           ts_random_uniform(&random, -s, s)},
                 NOWHERE);
    }
    for (int step = 0; step < 60; ++step) {
      must(ts_sim_step(w.sim, &error), &error);
      if (!ts_sim_report(w.sim)->certified) {
        told += ts_sim_report(w.sim)->tunnelled;
        break;
      }
      ++certified;
      for (int k = 0; k < BALLS; ++k) {
        const ts_vec3 x = ts_sim_pose(w.sim, ball[k]).position;
        if (fmax(fabs(x.x), fmax(fabs(x.y), fabs(x.z))) > 0.505)
          fail_msg("seed %llu: ball %d is outside, at %g %g %g", (unsigned long long)seed, k, x.x, x.y, x.z);
      }
    }
    world_release(&w);
  }
  print_message("%d certified steps; %d of %d runs ended by a passage that was told\n", certified, told, SCENES);
  assert_true(certified > 1000);
}

// `velocity` lets a body sink in before it sees the contact. One that has sunk half way into a thin wall and turns
// there comes out on the other side, at any speed: that is told.
static void what_turns_within_a_wall_is_told(void **state)
{
  (void)state;
  static const char text[] =
      "touchstone: 1\n"
      "gravity: [0, 0, 0]\n"
      "contact: {friction: 0}\n"
      "bodies:\n"
      "  - {name: wall, kind: kinematic, shape: {box: {size: [0.001, 6, 6]}}, position: [1, 0, 0],\n"
      "     motion: {displacement: [{polynomial: [0, -1]}, 0, 0]}}\n"
      "  - {name: egg, mass: 0.01, position: [0, 0, 0.026799534871159658], velocity: [5, 0, 0],\n"
      "     shape: {ellipsoid: {semi_axes: [0.01, 0.02, 0.005]}},\n"
      "     angular_velocity: [-25.40838955609277, -1.8972354891004386, 15.177869958618444]}\n"
      "step: {method: velocity, size: 0.001, impacts: poisson}\n";
  ts_scene *scene;
  ts_sim *sim;
  ts_error error;
  must(ts_scene_parse(text, sizeof text - 1, "egg", NULL, 0, &scene, &error), &error);
  must(ts_sim_create(ts_scene_model(scene), ts_scene_options(scene), NULL, &sim, &error), &error);
  const int wall = ts_model_find_body(ts_scene_model(scene), "wall");
  const int egg = ts_model_find_body(ts_scene_model(scene), "egg");
  bool told = false;
  for (int step = 0; step < 400; ++step) {
    must(ts_sim_step(sim, &error), &error);
    told = told || ts_sim_report(sim)->tunnelled;
    const bool behind = ts_sim_pose(sim, egg).position.x > ts_sim_pose(sim, wall).position.x + 0.02;
    if (behind) assert_true(told);
  }
  assert_true(told);
  ts_sim_destroy(sim);
  ts_scene_destroy(scene);
}

int main(void)
{
  const struct CMUnitTest tests[] = {
      cmocka_unit_test(what_impulses_set_moving_meets_what_is_in_its_way),
      cmocka_unit_test(what_is_near_is_struck_before_what_is_far),
      cmocka_unit_test(chains_of_balls_keep_their_order),
      cmocka_unit_test(levers_do_not_swing_through_bars),
      cmocka_unit_test(pellets_through_thin_walls_are_told),
      cmocka_unit_test(plates_that_sweep_over_balls_are_told),
      cmocka_unit_test(what_turns_within_a_wall_is_told),
      cmocka_unit_test(what_flies_past_is_no_alarm),
      cmocka_unit_test(what_is_in_a_box_stays_in_it),
  };
  return cmocka_run_group_tests(tests, NULL, NULL);
}
