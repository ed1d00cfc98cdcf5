// Using a simulation: reading and writing the state, pushes and callbacks, saving and loading, the same bits every
// time, and use that the header promises to refuse.
#include "scene_generator.h"
#include "world.h"
#include "touchstone/scene.h"

#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdlib.h>
#include <string.h>
#include <cmocka.h>

#include "near.h"

static const ts_vec3 NONE = {0.0, 0.0, 0.0};

static void accept(ts_status status, const ts_error *error)
{
  if (status != TS_OK) fail_msg("%s", error->text);
}

static void refuse(ts_status status, const ts_error *error, const char *word)
{
  assert_int_equal(status, TS_INVALID);
  assert_int_equal(error->status, TS_INVALID);
  if (!strstr(error->text, word)) fail_msg("'%s' does not speak of '%s'", error->text, word);
}

// ---- pushes and callbacks ------------------------------------------------------------------------------------------

static int floating_ball(world *w, double mass)
{
  world_init(w, TS_SPACE_3D);
  ts_builder_set_gravity(w->builder, NONE);
  world_add(w, "wall", TS_FIXED, 0.0, shape_box(1.0, 1.0, 1.0), (ts_vec3){0.0, 0.0, -50.0});
  return world_add(w, "ball", TS_DYNAMIC, mass, shape_sphere(0.1), NONE);
}

static void pushes_add_up_and_last_one_step(void **state)
{
  (void)state;
  ts_error error;
  world w;
  const double m = 2.0, h = 1e-3, inertia = 0.4 * m * 0.01;
  const int ball = floating_ball(&w, m);
  world_start(&w);
  const ts_wrench push = {{3.0, -1.0, 2.0}, {0.1, 0.0, -0.2}};
  accept(ts_sim_push(w.sim, ball, &push, &error), &error);
  accept(ts_sim_push(w.sim, ball, &push, &error), &error);
  world_steps(&w, 3);
  assert_vec_near(ts_sim_velocity(w.sim, ball).linear, ts_scale(2.0 * h / m, push.force), 1e-15);
  assert_vec_near(ts_sim_velocity(w.sim, ball).angular, ts_scale(2.0 * h / inertia, push.moment), 1e-12);
  world_release(&w);
}

typedef struct pusher {
  int body, calls;
  ts_wrench wrench;
  double last_time;
} pusher;

static void push_always(void *user, ts_sim *sim, double t)
{
  pusher *p = user;
  ++p->calls;
  p->last_time = t;
  ts_error error;
  accept(ts_sim_push(sim, p->body, &p->wrench, &error), &error);
}

static void callbacks_push_every_step(void **state)
{
  (void)state;
  world w;
  const double m = 2.0, h = 1e-3;
  const int ball = floating_ball(&w, m);
  world_start(&w);
  pusher p = {.body = ball, .wrench = {{4.0, 0.0, 0.0}, NONE}};
  ts_sim_set_callback(w.sim, push_always, &p);
  world_steps(&w, 10);
  assert_int_equal(p.calls, 10);
  assert_near(p.last_time, 9.0 * h, 1e-15);
  assert_near(ts_sim_velocity(w.sim, ball).linear.x, 10.0 * h * 4.0 / m, 1e-14);
  ts_sim_set_callback(w.sim, NULL, NULL);
  world_steps(&w, 2);
  assert_int_equal(p.calls, 10);
  world_release(&w);
}

// A pile whose problem a solver with one iteration cannot solve, and far from it a ball that a callback pushes and the
// user too: the step is cut into parts, the force on the ball stays what it is.
static void parts_of_a_step_do_not_multiply_pushes(void **state)
{
  (void)state;
  ts_error error;
  world w;
  const double m = 2.0, h = 1e-3;
  world_init(&w, TS_SPACE_3D);
  ts_builder_set_gravity(w.builder, (ts_vec3){0.0, 0.0, -9.81});
  world_floor(&w);
  w.options.max_iterations = 1;
  w.options.max_substeps = 4;
  w.options.tolerance = 1e-14;
  for (int k = 0; k < 4; ++k) {
    const char *const names[] = {"p", "q", "r", "s"};
    world_add(&w, names[k], TS_DYNAMIC, 1.0, shape_box(0.2, 0.2, 0.2),
              (ts_vec3){0.05 * k, 0.03 * k, 0.0999 + 0.1999 * k});
  }
  const int ball = world_add(&w, "ball", TS_DYNAMIC, m, shape_sphere(0.1), (ts_vec3){50.0, 0.0, 50.0});
  world_start(&w);
  pusher p = {.body = ball, .wrench = {{4.0, 0.0, 0.0}, NONE}};
  ts_sim_set_callback(w.sim, push_always, &p);
  const ts_wrench own = {{0.0, 6.0, 0.0}, NONE};
  bool cut = false;
  for (int k = 1; k <= 5; ++k) {
    accept(ts_sim_push(w.sim, ball, &own, &error), &error);
    accept(ts_sim_step(w.sim, &error), &error);
    cut = cut || ts_sim_report(w.sim)->substeps > 1;
    assert_near(ts_sim_velocity(w.sim, ball).linear.x, k * h * 4.0 / m, 1e-13);
    assert_near(ts_sim_velocity(w.sim, ball).linear.y, k * h * 6.0 / m, 1e-13);
  }
  assert_true(cut);
  world_release(&w);
}

// ---- state ---------------------------------------------------------------------------------------------------------

// What is set is read again, about the origin that the user sees, though the centre of mass is elsewhere.
static void what_is_set_is_read_again(void **state)
{
  (void)state;
  ts_error error;
  world w;
  world_init(&w, TS_SPACE_3D);
  ts_body_def def = ts_body_def_default();
  def.name = "stone";
  def.kind = TS_DYNAMIC;
  def.mass = 1.0;
  def.centre = (ts_vec3){0.1, -0.2, 0.3};
  const int stone = world_add_def(&w, &def, shape_box(1.0, 2.0, 3.0));
  world_start(&w);
  const ts_pose pose = {{1.0, 2.0, 3.0}, ts_quat_exp((ts_vec3){0.3, -1.0, 0.4})};
  const ts_twist twist = {{0.1, 0.2, 0.3}, {1.0, -2.0, 0.5}};
  accept(ts_sim_set_pose(w.sim, stone, &pose, &error), &error);
  accept(ts_sim_set_velocity(w.sim, stone, &twist, &error), &error);
  const ts_pose seen = ts_sim_pose(w.sim, stone);
  assert_vec_near(seen.position, pose.position, 1e-15);
  assert_near(seen.orientation.x, pose.orientation.x, 1e-15);
  assert_vec_near(ts_sim_velocity(w.sim, stone).linear, twist.linear, 1e-15);
  assert_vec_near(ts_sim_velocity(w.sim, stone).angular, twist.angular, 0.0);
  world_release(&w);
}

static void angles_count_turns(void **state)
{
  (void)state;
  ts_error error;
  world w;
  world_init(&w, TS_SPACE_2D);
  ts_builder_set_gravity(w.builder, NONE);
  const int disc = world_add(&w, "disc", TS_DYNAMIC, 1.0, shape_disc(0.1), NONE);
  world_start(&w);
  world_move(&w, disc, NONE, (ts_vec3){0.0, 0.0, 100.0});
  world_steps(&w, 200);
  assert_near(ts_sim_angle(w.sim, disc), 20.0, 1e-10);
  const ts_pose pose = {NONE, ts_quat_about_z(20.1)};
  accept(ts_sim_set_pose(w.sim, disc, &pose, &error), &error);
  assert_near(ts_sim_angle(w.sim, disc), 20.1, 1e-12);
  world_release(&w);
}

// A wheel in space on a shaft: the angle goes on through turns, also in a simulation that continues from a saved state,
// and a stop at 9 rad on one side only holds there.
static void joints_count_turns_in_space(void **state)
{
  (void)state;
  static double saved[256];
  const double h = 1e-2, speed = 5.0;
  ts_error error;
  world w;
  world_init(&w, TS_SPACE_3D);
  ts_builder_set_gravity(w.builder, NONE);
  const int wheel = world_add(&w, "wheel", TS_DYNAMIC, 1.0, shape_cylinder(0.1, 0.1), (ts_vec3){0.0, 0.0, 1.0});
  ts_joint_def joint = ts_joint_def_default();
  joint.child = wheel;
  joint.parent = TS_WORLD;
  joint.limited = true;
  joint.upper = 9.0;
  accept(ts_builder_add_joint(w.builder, &joint, NULL, &error), &error);
  w.options.size = h;
  world_start(&w);
  world_move(&w, wheel, NONE, (ts_vec3){0.0, 0.0, speed});
  world_steps(&w, 150);
  const double a_step = 2.0 * atan(0.5 * h * speed); // what a normalized quaternion makes of h w
  assert_near(ts_sim_joint_position(w.sim, 0, NULL), 150.0 * a_step, 1e-10);
  const size_t size = ts_sim_state_size(w.sim);
  assert_true(size <= sizeof saved / sizeof saved[0]);
  assert_int_equal(ts_sim_save(w.sim, saved, size, NULL), TS_OK);
  ts_sim *other;
  accept(ts_sim_create(w.model, &w.options, NULL, &other, &error), &error);
  accept(ts_sim_load(other, saved, size, &error), &error);
  assert_true(ts_sim_joint_position(other, 0, NULL) == ts_sim_joint_position(w.sim, 0, NULL));
  for (int k = 0; k < 100; ++k) accept(ts_sim_step(other, &error), &error);
  double rate;
  assert_near(ts_sim_joint_position(other, 0, &rate), 9.0, 1e-4); // a step's h^3 w^3/12 open
  assert_near(rate, 0.0, 1e-9);
  ts_sim_destroy(other);
  world_release(&w);
}

static void hostile_use_is_refused(void **state)
{
  (void)state;
  ts_error error;
  world w;
  const int ball = floating_ball(&w, 1.0), wall = 0;
  world_start(&w);
  const ts_pose pose = ts_pose_identity();
  const ts_twist rest = {NONE, NONE};
  const ts_wrench none = {NONE, NONE};
  const int bad[] = {-1, 2, 1000, -2147483647, wall};
  for (size_t k = 0; k < sizeof bad / sizeof bad[0]; ++k) {
    const char *word = bad[k] == wall ? "wall" : "no body";
    refuse(ts_sim_set_pose(w.sim, bad[k], &pose, &error), &error, word);
    refuse(ts_sim_set_velocity(w.sim, bad[k], &rest, &error), &error, word);
    refuse(ts_sim_push(w.sim, bad[k], &none, &error), &error, word);
    assert_int_equal(ts_sim_push(w.sim, bad[k], &none, NULL), TS_INVALID);
  }
  const double numbers[] = {NAN, INFINITY};
  for (int k = 0; k < 2; ++k) {
    const ts_pose nowhere = {{0.0, numbers[k], 0.0}, ts_quat_identity()};
    const ts_pose crooked = {NONE, {numbers[k], 0.0, 0.0, 0.0}};
    const ts_twist fast = {NONE, {0.0, 0.0, numbers[k]}};
    const ts_wrench strong = {{numbers[k], 0.0, 0.0}, NONE};
    refuse(ts_sim_set_pose(w.sim, ball, &nowhere, &error), &error, "ball");
    refuse(ts_sim_set_pose(w.sim, ball, &crooked, &error), &error, "ball");
    refuse(ts_sim_set_velocity(w.sim, ball, &fast, &error), &error, "ball");
    refuse(ts_sim_push(w.sim, ball, &strong, &error), &error, "ball");
  }
  const ts_pose long_quaternion = {NONE, {2.0, 0.0, 0.0, 0.0}};
  refuse(ts_sim_set_pose(w.sim, ball, &long_quaternion, &error), &error, "length 1");
  world_steps(&w, 2);
  assert_vec_near(ts_sim_pose(w.sim, ball).position, NONE, 0.0); // nothing of all that has had an effect
  world_release(&w);
}

static void the_plane_is_not_left(void **state)
{
  (void)state;
  ts_error error;
  world w;
  world_init(&w, TS_SPACE_2D);
  const int disc = world_add(&w, "disc", TS_DYNAMIC, 1.0, shape_disc(0.1), NONE);
  world_start(&w);
  const ts_pose above = {{0.0, 0.0, 1.0}, ts_quat_identity()};
  const ts_pose tilted = {NONE, ts_quat_exp((ts_vec3){0.1, 0.0, 0.0})};
  refuse(ts_sim_set_pose(w.sim, disc, &above, &error), &error, "plane");
  refuse(ts_sim_set_pose(w.sim, disc, &tilted, &error), &error, "plane");
  const ts_twist rising = {{0.0, 0.0, 1.0}, NONE}, tilting = {NONE, {0.0, 1.0, 0.0}};
  refuse(ts_sim_set_velocity(w.sim, disc, &rising, &error), &error, "plane");
  refuse(ts_sim_set_velocity(w.sim, disc, &tilting, &error), &error, "plane");
  const ts_wrench lift = {{0.0, 0.0, 1.0}, NONE}, tip = {NONE, {1.0, 0.0, 0.0}};
  refuse(ts_sim_push(w.sim, disc, &lift, &error), &error, "plane");
  refuse(ts_sim_push(w.sim, disc, &tip, &error), &error, "plane");
  world_release(&w);
}

// A sliding joint whose axis is turned against the world's, driven by a force: not even rounding leaves the plane, so
// that a pose that was read can be set again.
static void motors_do_not_leave_the_plane(void **state)
{
  (void)state;
  ts_error error;
  world w;
  world_init(&w, TS_SPACE_2D);
  ts_body_def def = ts_body_def_default();
  def.name = "rail";
  def.kind = TS_DYNAMIC;
  def.mass = 3.0;
  def.angle = 0.7;
  const int rail = world_add_def(&w, &def, shape_disc(0.3));
  const int cart = world_add(&w, "cart", TS_DYNAMIC, 1.0, shape_disc(0.1), (ts_vec3){0.5, 0.2, 0.0});
  ts_joint_def joint = ts_joint_def_default();
  joint.kind = TS_JOINT_PRISMATIC;
  joint.parent = rail;
  joint.child = cart;
  joint.axis = (ts_vec3){0.31, -0.77, 0.0};
  joint.motor.kind = TS_MOTOR_FORCE;
  joint.motor.target = ts_signal_constant(1000.0);
  joint.motor.max_force = INFINITY;
  accept(ts_builder_add_joint(w.builder, &joint, NULL, &error), &error);
  world_start(&w);
  world_steps(&w, 50);
  for (int b = rail; b <= cart; ++b) {
    const ts_pose pose = ts_sim_pose(w.sim, b);
    const ts_twist v = ts_sim_velocity(w.sim, b);
    assert_true(pose.position.z == 0.0 && v.linear.z == 0.0 && v.angular.x == 0.0 && v.angular.y == 0.0);
    accept(ts_sim_set_pose(w.sim, b, &pose, &error), &error);
    accept(ts_sim_set_velocity(w.sim, b, &v, &error), &error);
  }
  world_release(&w);
}

// A force that grows beyond all numbers: the step fails, and the state is the one before it.
static double explode(void *user, double t, double *rate)
{
  (void)user;
  *rate = 0.0;
  return t < 2.5e-3 ? 1.0 : INFINITY;
}

static void a_failed_step_changes_nothing(void **state)
{
  (void)state;
  ts_error error;
  world w;
  const int ball = floating_ball(&w, 1.0);
  ts_force_def force = ts_force_def_default();
  force.body = ball;
  force.force[0] = (ts_signal){.kind = TS_SIGNAL_CALLBACK, .callback = explode};
  accept(ts_builder_add_force(w.builder, &force, NULL, &error), &error);
  world_start(&w);
  world_steps(&w, 3);
  const ts_pose pose = ts_sim_pose(w.sim, ball);
  const ts_twist v = ts_sim_velocity(w.sim, ball);
  const double t = ts_sim_time(w.sim);
  for (int k = 0; k < 2; ++k) {
    refuse(ts_sim_step(w.sim, &error), &error, "not finite");
    const ts_pose pose_now = ts_sim_pose(w.sim, ball);
    const ts_twist v_now = ts_sim_velocity(w.sim, ball);
    assert_memory_equal(&pose_now, &pose, sizeof pose);
    assert_memory_equal(&v_now, &v, sizeof v);
    assert_true(ts_sim_time(w.sim) == t);
  }
  world_release(&w);
}

// Both contacts of the body have a share in the proof.
static void assert_jammed_between(const ts_sim *sim, int body)
{
  int count, jammed = 0;
  double sum = 0.0;
  assert_true(ts_sim_report(sim)->jammed);
  const ts_contact *contacts = ts_sim_contacts(sim, &count);
  for (int i = 0; i < count; ++i) {
    assert_int_equal(contacts[i].body_1, body);
    jammed += contacts[i].jam > 0.4;
    sum += contacts[i].jam;
  }
  assert_int_equal(jammed, 2);
  assert_near(sum, 1.0, 1e-9);
}

// A ball between the floor and a plate that comes down through it: no impulse can help, with friction or without,
// whatever the law of impacts. The steps say so, and the ball is not thrown out of the scene.
static void crush(const ts_stepper *method, ts_cone cone, ts_impact_law impacts)
{
  ts_error error;
  world w;
  world_init(&w, TS_SPACE_3D);
  world_floor(&w);
  world_friction(&w, 0.3, 0.65);
  w.options.method = method;
  w.options.cone = cone;
  w.options.impacts = impacts;
  w.options.max_substeps = 2; // every part takes all that solvers can do
  const double fall[2] = {0.0, -0.1};
  ts_motion_def motion = ts_motion_def_default();
  motion.body = world_add(&w, "plate", TS_KINEMATIC, 0.0, shape_box(1.0, 1.0, 0.1), (ts_vec3){0.0, 0.0, 0.2499});
  motion.displacement[2] = (ts_signal){.kind = TS_SIGNAL_POLYNOMIAL, .count = 2, .coefficients = fall};
  accept(ts_builder_add_motion(w.builder, &motion, NULL, &error), &error);
  const int ball = world_add(&w, "ball", TS_DYNAMIC, 1.0, shape_sphere(0.1), (ts_vec3){0.0, 0.0, 0.1});
  world_start(&w);
  for (int step = 0; step < 5; ++step) {
    accept(ts_sim_step(w.sim, &error), &error);
    assert_false(ts_sim_report(w.sim)->certified);
    assert_true(ts_sim_report(w.sim)->residual > 1e-6);
    if (cone == TS_CONE_QUADRATIC) assert_jammed_between(w.sim, ball);
    assert_true(ts_length(ts_sim_velocity(w.sim, ball).linear) < 1.0);
  }
  world_release(&w);
}

static void crushed_bodies_stay_in_the_scene(void **state)
{
  (void)state;
  static const ts_impact_law laws[] = {TS_IMPACT_INELASTIC, TS_IMPACT_NEWTON, TS_IMPACT_POISSON};
  for (int k = 0; k < 12; ++k)
    crush(fixed_stepper(k % 2), k / 2 % 2 ? TS_CONE_POLYHEDRAL : TS_CONE_QUADRATIC, laws[k / 4]);
}

// What is said of a jam outlives the memory of the solves that proved it: those of Poisson's law and of Newton's lie
// in memory that was given back, and grew, before the step ends. Shares are those of parts that were jammed.
static void what_is_said_of_a_jam_lasts(void **state)
{
  (void)state;
  static const char *const laws[] = {"step.impacts=poisson", "step.impacts=newton", "step.impacts=inelastic"};
  for (int k = 0; k < 3; ++k) {
    ts_error error;
    ts_scene *scene;
    ts_sim *sim;
    int jammed = 0;
    accept(ts_scene_read(TEST_DATA "/scenes/jammed_poisson.yaml", &laws[k], 1, &scene, &error), &error);
    accept(ts_sim_create(ts_scene_model(scene), ts_scene_options(scene), NULL, &sim, &error), &error);
    for (int step = 0; step < 40; ++step) {
      accept(ts_sim_step(sim, &error), &error);
      int count;
      const ts_contact *contacts = ts_sim_contacts(sim, &count);
      double sum = 0.0;
      for (int i = 0; i < count; ++i) {
        assert_true(contacts[i].jam >= 0.0 && contacts[i].jam <= 1.0);
        sum += contacts[i].jam;
      }
      if (!ts_sim_report(sim)->jammed) assert_true(sum == 0.0);
      if (ts_sim_report(sim)->jammed) assert_true(sum > 0.5);
      jammed += ts_sim_report(sim)->jammed;
    }
    if (k == 0) assert_true(jammed > 0); // the other laws take another course
    ts_sim_destroy(sim);
    ts_scene_destroy(scene);
  }
}

// ---- the same bits -------------------------------------------------------------------------------------------------

enum { MOST_STATE = 1 << 16 };

static size_t state_of(const ts_sim *sim, double *state)
{
  const size_t size = ts_sim_state_size(sim);
  assert_true(size <= MOST_STATE);
  assert_int_equal(ts_sim_save(sim, state, size, NULL), TS_OK);
  return size;
}

// A ball that falls: the state grows when it touches. A buffer of the size asked for before is refused, and stays as it
// is.
static void a_buffer_that_is_too_small_is_refused(void **state)
{
  (void)state;
  world w;
  world_init(&w, TS_SPACE_3D);
  world_floor(&w);
  world_add(&w, "ball", TS_DYNAMIC, 1.0, shape_sphere(0.1), (ts_vec3){0.0, 0.0, 0.101});
  world_start(&w);
  const size_t before = ts_sim_state_size(w.sim);
  double *buffer = malloc(before * sizeof *buffer), *whole; // exactly: a sanitizer sees a step beyond it
  accept(ts_sim_save(w.sim, buffer, before, NULL), NULL);
  world_steps(&w, 200);
  ts_error error = {0};
  size_t size;
  const double first = buffer[1] = 1234.5;
  assert_true(ts_sim_state_size(w.sim) > before);
  assert_int_equal(ts_sim_save(w.sim, buffer, before, &error), TS_INVALID);
  assert_non_null(strstr(error.text, "there is room for"));
  assert_int_equal(ts_sim_save(w.sim, buffer, before, NULL), TS_INVALID);
  assert_true(buffer[1] == first);
  accept(ts_sim_snapshot(w.sim, &whole, &size, &error), &error);
  assert_int_equal(size, ts_sim_state_size(w.sim));
  ts_sim *other;
  accept(ts_sim_create(w.model, &w.options, NULL, &other, &error), &error);
  accept(ts_sim_load(other, whole, size, &error), &error);
  for (int k = 0; k < 10; ++k) {
    accept(ts_sim_step(other, &error), &error);
    world_step(&w);
  }
  const ts_pose a = ts_sim_pose(w.sim, 1), b = ts_sim_pose(other, 1);
  assert_memory_equal(&a, &b, sizeof a);
  free(whole);
  free(buffer);
  ts_sim_destroy(other);
  world_release(&w);
}

static void assert_same_state(const ts_sim *a, const ts_sim *b)
{
  static double state_a[MOST_STATE], state_b[MOST_STATE];
  const size_t size = state_of(a, state_a);
  assert_int_equal(state_of(b, state_b), size);
  assert_memory_equal(state_a, state_b, size * sizeof *state_a);
  assert_true(ts_sim_time(a) == ts_sim_time(b));
}

static ts_step_options busy_options(int variant)
{
  ts_step_options options = ts_step_options_default();
  options.size = 2e-3;
  options.method = fixed_stepper(variant % 2);
  options.cone = variant & 2 ? TS_CONE_POLYHEDRAL : TS_CONE_QUADRATIC;
  return options;
}

static ts_model *busy_model(int variant)
{
  scene_recipe recipe = scene_recipe_random((uint64_t)variant);
  recipe.space = variant & 4 ? TS_SPACE_2D : TS_SPACE_3D;
  recipe.bodies = 8;
  recipe.ground = recipe.gravity = recipe.joints = recipe.drives = recipe.springs = true;
  recipe.couplings = (variant & 8) != 0;
  return scene_generate(&recipe, (uint64_t)variant + 900, (scene_variant){.turn = ts_quat_identity()});
}

static void step_many(ts_sim *sim, int count)
{
  ts_error error;
  for (int k = 0; k < count; ++k) accept(ts_sim_step(sim, &error), &error);
}

// Continue from a saved state in the same simulation, and in one that was used for something else.
static void saved_states_continue_bit_for_bit(void **state)
{
  (void)state;
  static double saved[MOST_STATE];
  for (int variant = 0; variant < 16; ++variant) {
    ts_error error;
    ts_sim *sim, *other, *twin;
    ts_model *model = busy_model(variant);
    const ts_step_options options = busy_options(variant);
    accept(ts_sim_create(model, &options, NULL, &sim, &error), &error);
    accept(ts_sim_create(model, &options, NULL, &other, &error), &error);
    accept(ts_sim_create(model, &options, NULL, &twin, &error), &error);
    step_many(sim, 20);
    step_many(twin, 20);
    step_many(other, 7);
    assert_same_state(sim, twin);
    const size_t size = state_of(sim, saved);
    step_many(sim, 20);
    accept(ts_sim_load(other, saved, size, &error), &error);
    accept(ts_sim_load(twin, saved, size, &error), &error);
    step_many(other, 20);
    step_many(twin, 20);
    assert_same_state(sim, other);
    assert_same_state(sim, twin);
    ts_sim_destroy(sim);
    ts_sim_destroy(other);
    ts_sim_destroy(twin);
    ts_model_destroy(model);
  }
}

// Steps of another length go on from the same time, and back: 20 of 2 ms, 8 of 0.5 ms, 3 of 2 ms.
static void saved_states_keep_their_time(void **state)
{
  (void)state;
  static double saved[MOST_STATE];
  ts_error error;
  ts_sim *sim, *finer;
  ts_model *model = busy_model(0);
  ts_step_options options = busy_options(0);
  accept(ts_sim_create(model, &options, NULL, &sim, &error), &error);
  options.size = 5e-4;
  accept(ts_sim_create(model, &options, NULL, &finer, &error), &error);
  step_many(sim, 20);
  accept(ts_sim_load(finer, saved, state_of(sim, saved), &error), &error);
  assert_true(ts_sim_time(finer) == ts_sim_time(sim));
  step_many(finer, 8);
  assert_true(fabs(ts_sim_time(finer) - 0.044) < 1e-15);
  accept(ts_sim_load(sim, saved, state_of(finer, saved), &error), &error);
  step_many(sim, 3);
  assert_true(fabs(ts_sim_time(sim) - 0.050) < 1e-15);
  ts_sim_destroy(finer);
  ts_sim_destroy(sim);
  ts_model_destroy(model);
}

static void damaged_states_are_refused(void **state)
{
  (void)state;
  static double saved[MOST_STATE], changed[MOST_STATE];
  ts_error error;
  ts_sim *sim;
  ts_model *model = busy_model(0);
  const ts_step_options options = busy_options(0);
  accept(ts_sim_create(model, &options, NULL, &sim, &error), &error);
  step_many(sim, 5);
  const size_t size = state_of(sim, saved);
  for (size_t k = 0; k < size; ++k) {
    memcpy(changed, saved, size * sizeof *saved);
    changed[k] = k % 2 ? NAN : INFINITY;
    refuse(ts_sim_load(sim, changed, size, &error), &error, "not finite");
  }
  for (size_t k = 0; k < 6; ++k) { // the header
    if (k == 1) continue;          // any time will do
    memcpy(changed, saved, size * sizeof *saved);
    changed[k] = changed[k] + 0.5;
    assert_int_equal(ts_sim_load(sim, changed, size, &error), TS_INVALID);
    changed[k] = -3.0;
    assert_int_equal(ts_sim_load(sim, changed, size, &error), TS_INVALID);
    changed[k] = 1e300;
    assert_int_equal(ts_sim_load(sim, changed, size, &error), TS_INVALID);
  }
  memcpy(changed, saved, size * sizeof *saved);
  changed[7] = 0.0; // length of steps
  assert_int_equal(ts_sim_load(sim, changed, size, &error), TS_INVALID);
  memcpy(changed, saved, size * sizeof *saved);
  changed[8] = -1e-3; // length of steps of constrained motion
  assert_int_equal(ts_sim_load(sim, changed, size, &error), TS_INVALID);
  memcpy(changed, saved, size * sizeof *saved);
  memset(changed + 15 + 3, 0, 4 * sizeof *changed);
  refuse(ts_sim_load(sim, changed, size, &error), &error, "rotation");
  for (size_t less = 1; less <= size; ++less)
    assert_int_equal(ts_sim_load(sim, saved, size - less, &error), TS_INVALID);
  memcpy(changed, saved, size * sizeof *saved);
  assert_int_equal(ts_sim_load(sim, changed, size + 8, &error), TS_INVALID);
  static double now[MOST_STATE];
  assert_int_equal(state_of(sim, now), size); // none of this has left a trace
  assert_memory_equal(now, saved, size * sizeof *saved);
  ts_sim_destroy(sim);
  ts_model_destroy(model);
}

// ---- joints and springs --------------------------------------------------------------------------------------------

// A rod on a pin, turned by hand: the pin is where a circle says, and a spring from the rod's end to the world is as
// long and grows as fast as differences say.
static void joints_and_springs_as_they_stand(void **state)
{
  (void)state;
  ts_error error;
  world w;
  world_init(&w, TS_SPACE_3D);
  ts_builder_set_gravity(w.builder, NONE);
  const int rod = world_add(&w, "rod", TS_DYNAMIC, 1.0, shape_box(1.0, 0.1, 0.1), (ts_vec3){0.5, 0.0, 0.0});
  ts_joint_def joint = ts_joint_def_default();
  joint.child = rod;
  joint.axis = (ts_vec3){0.0, 2.0, 0.0};
  accept(ts_builder_add_joint(w.builder, &joint, NULL, &error), &error);
  ts_spring_def spring = ts_spring_def_default();
  spring.body[0] = rod;
  spring.at[0] = (ts_vec3){0.5, 0.0, 0.0};
  spring.at[1] = (ts_vec3){0.0, 0.0, 2.0};
  accept(ts_builder_add_spring(w.builder, &spring, NULL, &error), &error);
  world_start(&w);
  const double turn = 0.7, speed = 1.3;
  const ts_quat q = ts_quat_exp((ts_vec3){0.0, turn, 0.0});
  const ts_pose pose = {ts_quat_rotate(q, (ts_vec3){0.5, 0.0, 0.0}), q};
  accept(ts_sim_set_pose(w.sim, rod, &pose, &error), &error);
  world_move(&w, rod, ts_cross((ts_vec3){0.0, speed, 0.0}, pose.position), (ts_vec3){0.0, speed, 0.0});
  const ts_joint_state at = ts_sim_joint(w.sim, 0);
  for (int side = 0; side < 2; ++side) {
    assert_vec_near(at.point[side], NONE, 1e-15);
    assert_vec_near(at.axis[side], (ts_vec3){0.0, 1.0, 0.0}, 1e-15);
  }
  assert_near(at.position, turn, 1e-15);
  assert_near(at.rate, speed, 1e-15);
  const ts_spring_state pull = ts_sim_spring(w.sim, 0);
  assert_vec_near(pull.point[0], (ts_vec3){cos(turn), 0.0, -sin(turn)}, 1e-15);
  assert_vec_near(pull.point[1], spring.at[1], 0.0);
  const double length = sqrt(5.0 + 4.0 * sin(turn)); // from (cos, -sin) to (0, 2)
  assert_near(pull.length, length, 1e-15);
  assert_near(pull.rate, 2.0 * cos(turn) * speed / length, 1e-14);
  world_release(&w);
}

static void universal_joints_show_both_axes(void **state)
{
  (void)state;
  ts_error error;
  world w;
  world_init(&w, TS_SPACE_3D);
  const int rod = world_add(&w, "rod", TS_DYNAMIC, 1.0, shape_box(1.0, 0.1, 0.1), (ts_vec3){0.5, 0.0, 0.0});
  ts_joint_def joint = ts_joint_def_default();
  joint.kind = TS_JOINT_UNIVERSAL;
  joint.child = rod;
  joint.axis = (ts_vec3){0.0, 1.0, 0.0};
  joint.axis2 = (ts_vec3){0.0, 0.0, 1.0};
  accept(ts_builder_add_joint(w.builder, &joint, NULL, &error), &error);
  world_start(&w);
  const ts_quat q = ts_quat_exp((ts_vec3){0.0, 0.4, 0.0});
  const ts_pose pose = {ts_quat_rotate(q, (ts_vec3){0.5, 0.0, 0.0}), q};
  accept(ts_sim_set_pose(w.sim, rod, &pose, &error), &error);
  const ts_joint_state at = ts_sim_joint(w.sim, 0);
  assert_vec_near(at.axis[0], joint.axis, 1e-15);
  assert_vec_near(at.axis[1], ts_quat_rotate(q, joint.axis2), 1e-15);
  assert_true(at.position == 0.0 && at.rate == 0.0);
  world_release(&w);
}

// ---- contacts between steps ----------------------------------------------------------------------------------------

static void contacts_of_the_present_state(void **state)
{
  (void)state;
  ts_error error;
  int count;
  world w;
  world_init(&w, TS_SPACE_3D);
  world_floor(&w);
  const int box = world_add(&w, "box", TS_DYNAMIC, 1.0, shape_box(0.2, 0.2, 0.2), (ts_vec3){0.0, 0.0, 0.0999});
  w.options.start = TS_START_AS_GIVEN;
  world_start(&w);
  ts_sim_contacts(w.sim, &count);
  assert_int_equal(count, 0);
  accept(ts_sim_find_contacts(w.sim, &error), &error);
  const ts_contact *contacts = ts_sim_contacts(w.sim, &count);
  assert_int_equal(count, 4);
  for (int i = 0; i < 4; ++i) {
    assert_int_equal(contacts[i].body_1, box);
    assert_near(contacts[i].gap, -1e-4, 1e-12);
    assert_near(contacts[i].impulse[0], 0.0, 0.0);
    const ts_wrench wrench = ts_sim_contact_wrench(w.sim, i);
    assert_near(ts_length(wrench.force), 0.0, 0.0);
  }
  world_step(&w); // steps as if nobody had looked
  ts_sim_contacts(w.sim, &count);
  assert_int_equal(count, 4);
  world_release(&w);
}

static void steps_are_timed_where_asked(void **state)
{
  (void)state;
  world w;
  world_init(&w, TS_SPACE_3D);
  world_add(&w, "ball", TS_DYNAMIC, 1.0, shape_sphere(0.5), (ts_vec3){0.0, 0.0, 2.0});
  world_start(&w);
  world_step(&w);
  assert_true(ts_sim_report(w.sim)->seconds == 0.0);
  ts_sim_set_timing(w.sim, true);
  double spent = 0.0;
  for (int k = 0; k < 100; ++k) {
    world_step(&w);
    assert_true(ts_sim_report(w.sim)->seconds >= 0.0);
    spent += ts_sim_report(w.sim)->seconds;
  }
  assert_true(spent > 0.0);
  ts_sim_set_timing(w.sim, false);
  world_step(&w);
  assert_true(ts_sim_report(w.sim)->seconds == 0.0);
  world_release(&w);
}

int main(void)
{
  const struct CMUnitTest tests[] = {
      cmocka_unit_test(pushes_add_up_and_last_one_step),
      cmocka_unit_test(callbacks_push_every_step),
      cmocka_unit_test(parts_of_a_step_do_not_multiply_pushes),
      cmocka_unit_test(what_is_set_is_read_again),
      cmocka_unit_test(angles_count_turns),
      cmocka_unit_test(joints_count_turns_in_space),
      cmocka_unit_test(hostile_use_is_refused),
      cmocka_unit_test(the_plane_is_not_left),
      cmocka_unit_test(motors_do_not_leave_the_plane),
      cmocka_unit_test(a_failed_step_changes_nothing),
      cmocka_unit_test(crushed_bodies_stay_in_the_scene),
      cmocka_unit_test(what_is_said_of_a_jam_lasts),
      cmocka_unit_test(saved_states_continue_bit_for_bit),
      cmocka_unit_test(saved_states_keep_their_time),
      cmocka_unit_test(damaged_states_are_refused),
      cmocka_unit_test(a_buffer_that_is_too_small_is_refused),
      cmocka_unit_test(joints_and_springs_as_they_stand),
      cmocka_unit_test(universal_joints_show_both_axes),
      cmocka_unit_test(contacts_of_the_present_state),
      cmocka_unit_test(steps_are_timed_where_asked),
  };
  return cmocka_run_group_tests(tests, NULL, NULL);
}
