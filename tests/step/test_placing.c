// Overlap and broken limits at the start, and where a body was placed, are taken out of positions: closed forms of the
// least motion, and no energy but that of lifting. And the impact law that follows from a scene.
#include "world.h"

#include <stdarg.h>
#include <stddef.h>
#include <setjmp.h>
#include <cmocka.h>
#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "near.h"

#define G 9.81

static const ts_vec3 NONE = {0.0, 0.0, 0.0};
static const char *const methods[] = {"stewart-trinkle", "velocity", "event-driven"};
enum { METHODS = 3 };

static void accept(ts_status status, const ts_error *error)
{
  if (status != TS_OK) fail_msg("%s", error->text);
}

static double height_of(const world *w, int body)
{
  const ts_vec3 at = ts_sim_pose(w->sim, body).position;
  return w->space == TS_SPACE_2D ? at.y : at.z;
}

static ts_vec3 up_by(ts_space space, double height)
{
  return space == TS_SPACE_2D ? (ts_vec3){0.0, height, 0.0} : (ts_vec3){0.0, 0.0, height};
}

static double energy_of(const world *w)
{
  const ts_step_report *report = ts_sim_report(w->sim);
  return report->kinetic_energy + report->potential_energy;
}

// ---- the start -----------------------------------------------------------------------------------------------------

// A ball sunk into the floor begins on it, at rest, with m g depth more than it was given, and stays.
static void a_sunk_ball_begins_on_the_floor(void **state)
{
  (void)state;
  for (int k = 0; k < 2 * METHODS; ++k) {
    const ts_space space = k < METHODS ? TS_SPACE_3D : TS_SPACE_2D;
    const double r = 0.1, depth = 0.01, m = 2.0;
    world w;
    world_init(&w, space);
    world_friction(&w, 0.5, 0.0);
    world_floor(&w);
    w.options.method = ts_stepper_find(methods[k % METHODS]);
    const ts_shape ball = space == TS_SPACE_2D ? shape_disc(r) : shape_sphere(r);
    const int body = world_add(&w, "ball", TS_DYNAMIC, m, ball, up_by(space, r - depth));
    world_start(&w);
    assert_near(height_of(&w, body), r, 1e-12);
    assert_near(ts_length(ts_sim_velocity(w.sim, body).linear), 0.0, 0.0);
    assert_near(ts_sim_report(w.sim)->potential_energy, m * G * r, 1e-11);
    int count;
    const ts_correction *c = ts_sim_corrections(w.sim, &count);
    assert_int_equal(count, 1);
    assert_int_equal(c->body_1, body);
    assert_int_equal(c->joint, -1);
    assert_near(c->depth, depth, 1e-12);
    assert_near(c->left, 0.0, 0.0);
    for (int step = 0; step < 100; ++step) {
      world_step(&w);
      assert_near(height_of(&w, body), r, 1e-9);
      assert_true(energy_of(&w) <= m * G * r * (1.0 + 1e-9));
    }
    world_release(&w);
  }
}

// Two balls in each other without gravity move apart as their masses say, and their common centre stays; a third that
// touches one of them is pushed on, one that is far stays to the last bit. Velocities are as given.
static void balls_part_by_their_masses(void **state)
{
  (void)state;
  const double m[] = {1.0, 3.0, 2.0}, depth = 0.02;
  world w;
  world_init(&w, TS_SPACE_3D);
  ts_builder_set_gravity(w.builder, NONE);
  const double x[] = {-0.1 + 0.5 * depth, 0.1 - 0.5 * depth, 0.3 - 0.5 * depth};
  int balls[4];
  static const char *const names[] = {"a", "b", "c", "far"};
  for (int k = 0; k < 3; ++k)
    balls[k] = world_add(&w, names[k], TS_DYNAMIC, m[k], shape_sphere(0.1), (ts_vec3){x[k], 0.0, 0.0});
  balls[3] = world_add(&w, names[3], TS_DYNAMIC, 1.0, shape_sphere(0.1), (ts_vec3){1.0 / 3.0, 2.0, 0.1});
  world_start(&w);
  // b and c move together by s, a by -t: s + t = depth, m_a t = (m_b + m_c) s
  const double s = depth * m[0] / (m[0] + m[1] + m[2]), t = depth - s;
  const double moved[] = {-t, s, s};
  for (int k = 0; k < 3; ++k) {
    assert_near(ts_sim_pose(w.sim, balls[k]).position.x, x[k] + moved[k], 1e-12);
    assert_near(ts_length(ts_sim_velocity(w.sim, balls[k]).linear), 0.0, 0.0);
  }
  const ts_vec3 far = {1.0 / 3.0, 2.0, 0.1}, now = ts_sim_pose(w.sim, balls[3]).position;
  assert_memory_equal(&far, &now, sizeof far);
  world_release(&w);
}

// A box between two walls that are narrower than it is wedged: it is said how much is left, and nothing is thrown.
static void what_is_wedged_is_said_and_not_thrown(void **state)
{
  (void)state;
  for (int k = 0; k < METHODS; ++k) {
    world w;
    world_init(&w, TS_SPACE_3D);
    w.options.method = ts_stepper_find(methods[k]);
    world_friction(&w, 0.3, 0.0);
    ts_builder_set_gravity(w.builder, NONE);
    world_add(&w, "left", TS_FIXED, 0.0, shape_plane((ts_vec3){1.0, 0.0, 0.0}, -0.09), NONE);
    world_add(&w, "right", TS_FIXED, 0.0, shape_plane((ts_vec3){-1.0, 0.0, 0.0}, -0.09), NONE);
    world_add(&w, "ball", TS_DYNAMIC, 1.0, shape_sphere(0.1), (ts_vec3){0.003, 0.0, 0.0});
    world_start(&w);
    int count;
    const ts_correction *c = ts_sim_corrections(w.sim, &count);
    assert_int_equal(count, 2);
    assert_near(c[0].left + c[1].left, 0.02, 1e-9); // 0.2 m of ball in 0.18 m
    ts_error error;
    for (int step = 0; step < 20; ++step) {
      accept(ts_sim_step(w.sim, &error), &error);
      assert_true(world_kinetic(&w) < 1e-12);
    }
    world_release(&w);
  }
}

// Overlap of round-off that a step takes back by 1e-7 m/s is no gain of energy that anybody has to hear of.
static void overlap_of_round_off_is_no_gain(void **state)
{
  (void)state;
  world w;
  world_init(&w, TS_SPACE_3D);
  ts_builder_set_gravity(w.builder, NONE);
  world_add(&w, "light", TS_DYNAMIC, 1.0, shape_sphere(0.1), NONE);
  world_add(&w, "heavy", TS_DYNAMIC, 100.0, shape_sphere(0.1), (ts_vec3){0.2 - 1e-10, 0.0, 0.0});
  world_start(&w);
  for (int step = 0; step < 10; ++step) world_step(&w); // certified
  world_release(&w);
}

// ---- joints --------------------------------------------------------------------------------------------------------

static int add_door(world *w, ts_joint_def *joint)
{
  ts_error error;
  ts_builder_set_gravity(w->builder, NONE);
  const int door = world_add(w, "door", TS_DYNAMIC, 2.0, shape_box(0.8, 0.02, 1.0), (ts_vec3){0.4, 0.0, 0.0});
  joint->kind = TS_JOINT_REVOLUTE;
  joint->parent = TS_WORLD;
  joint->child = door;
  joint->axis = (ts_vec3){0.0, 0.0, 1.0};
  joint->limited = true;
  joint->lower = 0.25;
  joint->upper = 1.0;
  accept(ts_builder_add_joint(w->builder, joint, NULL, &error), &error);
  return door;
}

// A joint at 0 whose stop is at 0.25 begins at the stop, without a rate; one that is driven, too.
static void a_joint_beyond_its_stop_begins_there(void **state)
{
  (void)state;
  for (int k = 0; k < 4 * METHODS; ++k) {
    const bool driven = k % 4 >= 2;
    world w;
    ts_joint_def joint = ts_joint_def_default();
    if (driven)
      joint.motor = (ts_motor){.kind = TS_MOTOR_VELOCITY, .target = ts_signal_constant(0.0), .max_force = INFINITY};
    world_init(&w, TS_SPACE_3D);
    w.options.method = ts_stepper_find(methods[k / 4]);
    w.options.coordinates = k % 2 ? TS_COORDINATES_MINIMAL : TS_COORDINATES_REDUNDANT;
    add_door(&w, &joint);
    world_start(&w);
    int count;
    const ts_correction *c = ts_sim_corrections(w.sim, &count);
    assert_int_equal(count, 1);
    assert_int_equal(c->joint, 0);
    assert_near(c->depth, 0.25, 1e-12);
    for (int step = 0; step < 10; ++step) {
      double rate;
      assert_near(ts_sim_joint_position(w.sim, 0, &rate), 0.25, 1e-9);
      assert_near(rate, 0.0, 1e-9);
      world_step(&w);
    }
    world_release(&w);
  }
}

// A ball that is wedged between walls keeps neither a door beyond its stop nor two balls in each other where they are.
static void what_is_wedged_keeps_no_other_from_moving(void **state)
{
  (void)state;
  for (int k = 0; k < 2 * METHODS; ++k) {
    world w;
    ts_joint_def joint = ts_joint_def_default();
    world_init(&w, TS_SPACE_3D);
    w.options.method = ts_stepper_find(methods[k / 2]);
    w.options.coordinates = k % 2 ? TS_COORDINATES_MINIMAL : TS_COORDINATES_REDUNDANT;
    world_add(&w, "lower", TS_FIXED, 0.0, shape_box(1.0, 1.0, 1.0), (ts_vec3){0.0, 9.0, -0.59});
    world_add(&w, "upper", TS_FIXED, 0.0, shape_box(1.0, 1.0, 1.0), (ts_vec3){0.0, 9.0, 0.59});
    const int wedged = world_add(&w, "wedged", TS_DYNAMIC, 1.0, shape_sphere(0.1), (ts_vec3){0.0, 9.0, 0.0});
    const int light = world_add(&w, "light", TS_DYNAMIC, 1.0, shape_sphere(0.1), (ts_vec3){5.0, 0.0, 0.0});
    const int heavy = world_add(&w, "heavy", TS_DYNAMIC, 3.0, shape_sphere(0.1), (ts_vec3){5.18, 0.0, 0.0});
    add_door(&w, &joint);
    world_start(&w);
    assert_near(ts_sim_pose(w.sim, wedged).position.z, 0.0, 1e-9);
    assert_near(ts_sim_pose(w.sim, light).position.x, 5.0 - 0.015, 1e-9); // 2 cm, three quarters of it
    assert_near(ts_sim_pose(w.sim, heavy).position.x, 5.18 + 0.005, 1e-9);
    assert_near(ts_sim_joint_position(w.sim, 0, NULL), 0.25, 1e-9);
    int count;
    const ts_correction *c = ts_sim_corrections(w.sim, &count);
    assert_int_equal(count, 4);
    for (int i = 0; i < count; ++i) {
      const bool is_wedged = c[i].joint < 0 && (c[i].body_1 == wedged || c[i].body_2 == wedged);
      assert_near(c[i].left, is_wedged ? 0.01 : 0.0, 1e-9);
    }
    world_release(&w);
  }
}

// In a step, too, and the report says by how much.
static void what_is_wedged_within_a_step_keeps_no_other_from_moving(void **state)
{
  (void)state;
  world w;
  ts_error error;
  world_init(&w, TS_SPACE_3D);
  ts_builder_set_gravity(w.builder, NONE);
  world_add(&w, "lower", TS_FIXED, 0.0, shape_box(1.0, 1.0, 1.0), (ts_vec3){0.0, 9.0, -0.59});
  world_add(&w, "upper", TS_FIXED, 0.0, shape_box(1.0, 1.0, 1.0), (ts_vec3){0.0, 9.0, 0.59});
  world_add(&w, "wedged", TS_DYNAMIC, 1.0, shape_sphere(0.1), (ts_vec3){0.0, 9.0, 0.0});
  const int light = world_add(&w, "light", TS_DYNAMIC, 1.0, shape_sphere(0.1), (ts_vec3){5.0, 0.0, 0.0});
  world_add(&w, "heavy", TS_DYNAMIC, 3.0, shape_sphere(0.1), (ts_vec3){5.2, 0.0, 0.0});
  world_start(&w);
  const ts_pose inside = {{5.008, 0.0, 0.0}, ts_quat_identity()};
  accept(ts_sim_set_pose(w.sim, light, &inside, &error), &error);
  accept(ts_sim_step(w.sim, &error), &error);
  assert_near(ts_sim_pose(w.sim, light).position.x, 5.008 - 0.006, 1e-9);
  assert_near(ts_sim_report(w.sim)->taken_out, 0.008, 1e-9);
  world_release(&w);
}

// A door that is taken off its hinges is hung again, and gets no velocity by it.
static void a_body_placed_off_its_joint_goes_back(void **state)
{
  (void)state;
  ts_error error;
  world w;
  ts_joint_def joint = ts_joint_def_default();
  world_init(&w, TS_SPACE_3D);
  const int door = add_door(&w, &joint);
  world_start(&w);
  ts_pose pose = ts_sim_pose(w.sim, door);
  pose.position = ts_add(pose.position, (ts_vec3){0.02, -0.01, 0.03});
  accept(ts_sim_set_pose(w.sim, door, &pose, &error), &error);
  world_step(&w);
  assert_true(ts_sim_report(w.sim)->taken_out > 0.02);
  assert_true(world_kinetic(&w) < 1e-15);
  world_step(&w);
  assert_true(ts_sim_report(w.sim)->joint_error < 1e-10);
  world_release(&w);
}

// ---- later ---------------------------------------------------------------------------------------------------------

// A box that rests is placed into the one that it rests on. Out of it again it has the height that it had, and all
// kinetic energy is what gravity makes of a step, m g^2 h^2/2 of each body.
static void a_body_placed_into_another_is_not_thrown(void **state)
{
  (void)state;
  const double m[] = {3.0, 1.0}, h = 1e-3, depth = 0.015;
  for (int k = 0; k < 2 * METHODS; ++k) {
    const ts_space space = k < METHODS ? TS_SPACE_3D : TS_SPACE_2D;
    static const ts_vec3 corners[] = {{-0.1, -0.1, 0.0}, {0.1, -0.1, 0.0}, {0.1, 0.1, 0.0}, {-0.1, 0.1, 0.0}};
    const ts_shape box = space == TS_SPACE_2D ? shape_polygon(corners, 4) : shape_box(0.2, 0.2, 0.2);
    ts_error error;
    world w;
    world_init(&w, space);
    world_friction(&w, 0.5, 0.0);
    world_floor(&w);
    w.options.method = ts_stepper_find(methods[k % METHODS]);
    world_add(&w, "lower", TS_DYNAMIC, m[0], box, up_by(space, 0.1));
    const int upper = world_add(&w, "upper", TS_DYNAMIC, m[1], box, up_by(space, 0.3));
    world_start(&w);
    world_steps(&w, 20);
    const double before = energy_of(&w);
    const double falls = k % METHODS == 1 ? 2.0 * G * h * h : 0.0; // `velocity` sees a contact once it is closed
    ts_pose pose = ts_sim_pose(w.sim, upper);
    pose.position = ts_sub(pose.position, up_by(space, depth));
    accept(ts_sim_set_pose(w.sim, upper, &pose, &error), &error);
    for (int step = 0; step < 50; ++step) {
      world_step(&w);
      assert_true(world_kinetic(&w) <= 0.5 * (m[0] + m[1]) * G * G * h * h);
      assert_near(height_of(&w, upper), 0.3, falls + 2e-9);
      assert_near(energy_of(&w), before, (m[0] + m[1]) * G * falls + 1e-7);
    }
    world_release(&w);
  }
}

// Overlap that nobody told of, as it comes from steps that are far too coarse: the step itself takes it out, and says
// so. A box that slides keeps its way along the floor.
static void steps_take_out_overlap_that_is_not_theirs(void **state)
{
  (void)state;
  const double m = 2.0, depth = 0.01;
  world w;
  world_init(&w, TS_SPACE_3D);
  world_friction(&w, 0.0, 0.0);
  world_floor(&w);
  w.options.start = TS_START_AS_GIVEN;
  const int box = world_add(&w, "box", TS_DYNAMIC, m, shape_box(0.2, 0.2, 0.2), (ts_vec3){0.0, 0.0, 0.1 - depth});
  world_start(&w);
  world_move(&w, box, (ts_vec3){1.0, 0.0, 0.0}, NONE);
  world_step(&w);
  const ts_step_report *report = ts_sim_report(w.sim);
  assert_near(report->taken_out, depth, 1e-12);
  assert_near(report->penetration, depth, 1e-12);
  assert_near(report->correction_work, m * G * depth, 1e-11);
  assert_near(report->stabilization_work, 0.0, 1e-12);
  world_steps(&w, 9);
  assert_vec_near(ts_sim_pose(w.sim, box).position, (ts_vec3){0.01, 0.0, 0.1}, 1e-11);
  assert_vec_near(ts_sim_velocity(w.sim, box).linear, (ts_vec3){1.0, 0.0, 0.0}, 1e-9);
  assert_near(ts_sim_report(w.sim)->taken_out, 0.0, 0.0);
  world_release(&w);
}

// ---- nothing to do -------------------------------------------------------------------------------------------------

// A hundredth of the box deep: the box stays as it is, at rest, until it is lifted out with all else that is shallow.
// The energy that it gets is that of the lift.
static void shallow_overlap_is_taken_out_now_and_then(void **state)
{
  (void)state;
  const double m = 2.0, depth = 1e-3;
  world w;
  ts_error error;
  world_init(&w, TS_SPACE_3D);
  world_friction(&w, 0.3, 0.0);
  world_floor(&w);
  w.options.start = TS_START_AS_GIVEN;
  const int box = world_add(&w, "box", TS_DYNAMIC, m, shape_box(0.2, 0.2, 0.2), (ts_vec3){0.0, 0.0, 0.1});
  world_start(&w);
  world_step(&w);
  ts_pose pose = ts_sim_pose(w.sim, box);
  pose.position.z = 0.1 - depth;
  accept(ts_sim_set_pose(w.sim, box, &pose, &error), &error);
  double lift = 0.0;
  for (int step = 0; step < 40; ++step) {
    world_step(&w);
    const ts_step_report *report = ts_sim_report(w.sim);
    assert_near(report->stabilization_work, 0.0, 1e-12);
    assert_true(world_kinetic(&w) < 1e-12);
    lift += report->correction_work;
    const double height = lift > 0.0 ? 0.1 : 0.1 - depth;
    assert_near(height_of(&w, box), height, 1e-9);
  }
  assert_near(lift, m * G * depth, 1e-9);
  world_release(&w);
}

static void tumble(world *w, ts_start start, int method)
{
  world_init(w, TS_SPACE_3D);
  world_friction(w, 0.4, 0.3);
  world_floor(w);
  w->options.method = ts_stepper_find(methods[method]);
  w->options.start = start;
  ts_body_def def = ts_body_def_default();
  def.name = "box";
  def.mass = 1.0;
  def.pose.position = (ts_vec3){0.0, 0.0, 0.4};
  def.velocity = (ts_twist){{2.0, 0.0, -1.0}, {5.0, 3.0, 2.0}};
  world_add_def(w, &def, shape_box(0.3, 0.2, 0.1));
  world_add(w, "ball", TS_DYNAMIC, 1.0, shape_sphere(0.1), (ts_vec3){0.5, 0.0, 0.1});
  world_start(w);
  world_steps(w, 300);
}

// Where nothing overlaps nothing changes, to the last bit.
static void what_is_right_stays_as_it_is(void **state)
{
  (void)state;
  for (int method = 0; method < METHODS; ++method) {
    world a, b;
    static world_state of_a, of_b;
    tumble(&a, TS_START_CORRECTED, method);
    tumble(&b, TS_START_AS_GIVEN, method);
    world_save(&a, &of_a);
    world_save(&b, &of_b);
    assert_int_equal(of_a.size, of_b.size);
    assert_memory_equal(of_a.numbers, of_b.numbers, of_a.size * sizeof *of_a.numbers);
    int count;
    ts_sim_corrections(a.sim, &count);
    assert_int_equal(count, 0);
    world_release(&a);
    world_release(&b);
  }
}

// ---- the impact law that follows -----------------------------------------------------------------------------------

static void the_impact_law_follows_from_the_scene(void **state)
{
  (void)state;
  static const ts_impact_law own[] = {TS_IMPACT_NEWTON, TS_IMPACT_NEWTON, TS_IMPACT_POISSON};
  for (int k = 0; k < 2 * METHODS; ++k) {
    const bool rebounds = k >= METHODS;
    world w;
    world_init(&w, TS_SPACE_3D);
    world_friction(&w, 0.0, rebounds ? 0.8 : 0.0);
    world_floor(&w);
    w.options.method = ts_stepper_find(methods[k % METHODS]);
    const int ball = world_add(&w, "ball", TS_DYNAMIC, 1.0, shape_sphere(0.1), (ts_vec3){0.0, 0.0, 0.2});
    world_start(&w);
    assert_int_equal(ts_sim_options(w.sim)->impacts, rebounds ? own[k % METHODS] : TS_IMPACT_INELASTIC);
    double up = 0.0; // falls at 1.4 m/s
    for (int step = 0; step < 200; ++step) {
      world_step(&w);
      up = fmax(up, ts_sim_velocity(w.sim, ball).linear.z);
    }
    assert_near(up, rebounds ? 0.8 * sqrt(2.0 * G * 0.1) : 0.0, 0.02);
    ts_sim_destroy(w.sim);
    w.options.impacts = TS_IMPACT_INELASTIC; // at its word
    world_simulate(&w);
    assert_int_equal(ts_sim_options(w.sim)->impacts, TS_IMPACT_INELASTIC);
    world_release(&w);
  }
}

// A restitution that no two bodies can meet with, and one of stops.
static void only_restitutions_that_can_act_count(void **state)
{
  (void)state;
  ts_error error;
  for (int k = 0; k < 2; ++k) {
    world w;
    world_init(&w, TS_SPACE_3D);
    world_floor(&w);
    ts_contact_law law = ts_contact_law_default();
    law.restitution = 0.9;
    int rubber;
    accept(ts_builder_add_material(w.builder, "rubber", &law, &rubber, &error), &error);
    ts_body_def def = ts_body_def_default();
    def.name = "ball";
    def.mass = 1.0;
    def.pose.position = (ts_vec3){0.0, 0.0, 0.2};
    ts_part_def part = ts_part_def_default();
    accept(ts_builder_add_body(w.builder, &def, &part.body, &error), &error);
    part.shape = shape_sphere(0.1);
    part.material = rubber;
    accept(ts_builder_add_part(w.builder, &part, NULL, &error), &error);
    if (k == 1) {
      ts_joint_def joint = ts_joint_def_default();
      joint.restitution = 0.5;
      add_door(&w, &joint);
    }
    world_start(&w);
    assert_int_equal(ts_sim_options(w.sim)->impacts, k == 1 ? TS_IMPACT_NEWTON : TS_IMPACT_INELASTIC);
    world_release(&w);
  }
}

int main(void)
{
  const struct CMUnitTest tests[] = {
      cmocka_unit_test(a_sunk_ball_begins_on_the_floor),
      cmocka_unit_test(balls_part_by_their_masses),
      cmocka_unit_test(what_is_wedged_is_said_and_not_thrown),
      cmocka_unit_test(overlap_of_round_off_is_no_gain),
      cmocka_unit_test(a_joint_beyond_its_stop_begins_there),
      cmocka_unit_test(what_is_wedged_keeps_no_other_from_moving),
      cmocka_unit_test(what_is_wedged_within_a_step_keeps_no_other_from_moving),
      cmocka_unit_test(a_body_placed_off_its_joint_goes_back),
      cmocka_unit_test(a_body_placed_into_another_is_not_thrown),
      cmocka_unit_test(steps_take_out_overlap_that_is_not_theirs),
      cmocka_unit_test(shallow_overlap_is_taken_out_now_and_then),
      cmocka_unit_test(what_is_right_stays_as_it_is),
      cmocka_unit_test(the_impact_law_follows_from_the_scene),
      cmocka_unit_test(only_restitutions_that_can_act_count),
  };
  return cmocka_run_group_tests(tests, NULL, NULL);
}
