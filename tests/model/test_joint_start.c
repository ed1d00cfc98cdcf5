// Joints that start away from coordinate 0: poses and velocities against forward kinematics by hand and against
// differences of it, loops that close and loops that do not.
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <string.h>
#include <cmocka.h>

#include "mechanism.h"
#include "near.h"

#include "model/model.h"

#include "base/random.h"

static const ts_vec3 X = {1.0, 0.0, 0.0}, Y = {0.0, 1.0, 0.0}, Z = {0.0, 0.0, 1.0}, NONE = {0.0, 0.0, 0.0};
static const ts_vec3 BALL = {1.0, 1.0, 1.0};

static const ts_coordinates BOTH[] = {TS_COORDINATES_REDUNDANT, TS_COORDINATES_MINIMAL};

static ts_vec3 position_of(const world *w, int body)
{
  return ts_sim_pose(w->sim, body).position;
}

// ---- a double pendulum ---------------------------------------------------------------------------------------------

// Links of length 1 along x, hinges along z at (0, 0) and (1, 0); centres in the middle of the links.
typedef struct double_pendulum {
  world w;
  int body[2], joint[2];
} double_pendulum;

static void pendulum_make(double_pendulum *p, ts_space space, const double q[2], const double rate[2])
{
  world_init(&p->w, space);
  for (int k = 0; k < 2; ++k) {
    p->body[k] = mechanism_body(&p->w, k == 0 ? "a" : "b", 1.0, BALL, (ts_vec3){0.5 + k, 0.0, 0.0});
    ts_joint_def def =
        mechanism_joint(TS_JOINT_REVOLUTE, k == 0 ? TS_WORLD : p->body[0], p->body[k], (ts_vec3){0.5 * k, 0.0, 0.0}, Z);
    def.position = q[k];
    def.velocity = rate[k];
    p->joint[k] = mechanism_add(&p->w, &def);
  }
}

static void links_stand_as_forward_kinematics_says(void **state)
{
  (void)state;
  const ts_space spaces[] = {TS_SPACE_3D, TS_SPACE_2D};
  const double q[2] = {0.7, 7.5}, rate[2] = {-1.3, 2.1}; // the second beyond a turn
  for (int s = 0; s < 2; ++s)
    for (int c = 0; c < 2; ++c) {
      double_pendulum p;
      pendulum_make(&p, spaces[s], q, rate);
      p.w.options.coordinates = BOTH[c];
      world_start(&p.w);
      const double a = q[0], b = q[0] + q[1], w = rate[0], v = rate[0] + rate[1];
      assert_vec_near(position_of(&p.w, p.body[0]), (ts_vec3){0.5 * cos(a), 0.5 * sin(a), 0.0}, 1e-14);
      assert_vec_near(position_of(&p.w, p.body[1]), (ts_vec3){cos(a) + 0.5 * cos(b), sin(a) + 0.5 * sin(b), 0.0},
                      1e-14);
      const ts_twist first = ts_sim_velocity(p.w.sim, p.body[0]), second = ts_sim_velocity(p.w.sim, p.body[1]);
      assert_vec_near(first.linear, (ts_vec3){-0.5 * w * sin(a), 0.5 * w * cos(a), 0.0}, 1e-14);
      assert_vec_near(second.linear, (ts_vec3){-w * sin(a) - 0.5 * v * sin(b), w * cos(a) + 0.5 * v * cos(b), 0.0},
                      1e-14);
      assert_near(second.angular.z, v, 1e-14);
      if (spaces[s] == TS_SPACE_2D) assert_near(ts_sim_angle(p.w.sim, p.body[1]), b, 1e-14);
      for (int k = 0; k < 2; ++k) {
        double measured;
        assert_near(ts_sim_joint_position(p.w.sim, p.joint[k], &measured), q[k], 1e-13);
        assert_near(measured, rate[k], 1e-13);
        const ts_joint_def def = ts_model_joint(p.w.model, p.joint[k]);
        assert_true(def.position == q[k] && def.velocity == rate[k]);
      }
      world_steps(&p.w, 20); // turns are not lost on the way
      assert_near(ts_sim_joint_position(p.w.sim, p.joint[1], NULL), q[1] + 0.02 * rate[1], 0.02);
      world_release(&p.w);
    }
}

// The same mechanism written in the pose itself, whose coordinates are then 0, moves the same.
static void a_posed_pendulum_moves_as_one_that_is_written_so(void **state)
{
  (void)state;
  for (int c = 0; c < 2; ++c) {
    const double q[2] = {0.4, -1.1}, none[2] = {0.0, 0.0};
    double_pendulum p;
    pendulum_make(&p, TS_SPACE_2D, q, none);
    p.w.options.coordinates = BOTH[c];
    world_start(&p.w);
    world r;
    world_init(&r, TS_SPACE_2D);
    r.options.coordinates = BOTH[c];
    int body[2];
    for (int k = 0; k < 2; ++k) {
      ts_body_def def = ts_body_def_default();
      def.name = k == 0 ? "a" : "b";
      def.mass = 1.0;
      def.inertia[2] = 1.0;
      def.inertia[0] = def.inertia[1] = 1.0;
      def.centre = NONE;
      def.pose.position = position_of(&p.w, p.body[k]);
      def.angle = k == 0 ? q[0] : q[0] + q[1];
      ts_error error;
      if (ts_builder_add_body(r.builder, &def, &body[k], &error) != TS_OK) fail_msg("%s", error.text);
      const ts_joint_def joint =
          mechanism_joint(TS_JOINT_REVOLUTE, k == 0 ? TS_WORLD : body[0], body[k], (ts_vec3){0.5 * k, 0.0, 0.0}, Z);
      mechanism_add(&r, &joint);
    }
    world_start(&r);
    world_steps(&p.w, 200);
    world_steps(&r, 200);
    for (int k = 0; k < 2; ++k) assert_vec_near(position_of(&p.w, p.body[k]), position_of(&r, body[k]), 1e-11);
    world_release(&r);
    world_release(&p.w);
  }
}

static void a_joint_at_zero_changes_no_bit(void **state)
{
  (void)state;
  const double none[2] = {0.0, 0.0}, rate[2] = {0.0, 1e-9};
  double_pendulum still, moving;
  pendulum_make(&still, TS_SPACE_3D, none, none);
  pendulum_make(&moving, TS_SPACE_3D, none, rate);
  world_start(&still.w);
  world_start(&moving.w);
  for (int k = 0; k < 2; ++k) {
    const ts_pose a = ts_sim_pose(still.w.sim, still.body[k]), b = ts_sim_pose(moving.w.sim, moving.body[k]);
    assert_memory_equal(&a, &b, sizeof a); // a rate moves nothing either
    assert_true(a.position.x == 0.5 + k && a.orientation.w == 1.0);
  }
  world_release(&still.w);
  world_release(&moving.w);
}

// ---- trees of all kinds --------------------------------------------------------------------------------------------

static ts_vec3 random_direction(ts_random *random)
{
  const ts_vec3 v = {ts_random_uniform(random, -1.0, 1.0), ts_random_uniform(random, -1.0, 1.0),
                     ts_random_uniform(random, -1.0, 1.0)};
  return ts_normalize(v, (ts_vec3){0.0, 0.0, 1.0});
}

enum { LINKS = 6 };

// A branched chain with joints of all kinds between bodies that move and turn as they are written; the coordinates of
// those that have one are q + t rate. Every second joint is written from the far body to the near one.
static void random_tree(world *w, uint64_t seed, double t, double rates, ts_coordinates coordinates, int *joints)
{
  ts_random random;
  ts_random_init(&random, seed);
  world_init(w, TS_SPACE_3D);
  w->options.coordinates = coordinates;
  int bodies[LINKS];
  for (int k = 0; k < LINKS; ++k) {
    char name[8] = {'b', (char)('0' + k), '\0'};
    bodies[k] = mechanism_body(w, name, 1.0, BALL, ts_scale(2.0, random_direction(&random)));
  }
  for (int k = 0; k < LINKS; ++k) {
    const bool is_slide = k % 3 == 2;
    const int from = k == 0 ? TS_WORLD : bodies[k / 2];
    const bool reversed = k % 2 == 1;
    ts_joint_def def =
        mechanism_joint(is_slide ? TS_JOINT_PRISMATIC : TS_JOINT_REVOLUTE, reversed ? bodies[k] : from,
                        reversed ? from : bodies[k], random_direction(&random), random_direction(&random));
    const double q = ts_random_uniform(&random, -2.0, 2.0), rate = ts_random_uniform(&random, -2.0, 2.0);
    def.position = q + t * rate;
    def.velocity = rates * rate;
    joints[k] = mechanism_add(w, &def);
  }
  world_start(w);
}

// Velocities are the derivatives of the poses that moved coordinates make.
static void velocities_are_differences_of_poses(void **state)
{
  (void)state;
  static const double step = 1e-5;
  for (uint64_t seed = 1; seed <= 10; ++seed)
    for (int c = 0; c < 2; ++c) {
      world now, before, after;
      int joints[LINKS];
      random_tree(&now, seed, 0.0, 1.0, BOTH[c], joints);
      random_tree(&before, seed, -step, 0.0, BOTH[c], joints);
      random_tree(&after, seed, step, 0.0, BOTH[c], joints);
      for (int b = 0; b < LINKS; ++b) {
        const ts_vec3 way = ts_sub(position_of(&after, b), position_of(&before, b));
        assert_vec_near(ts_sim_velocity(now.sim, b).linear, ts_scale(0.5 / step, way), 1e-8);
        const ts_quat turn = ts_quat_product(ts_sim_pose(after.sim, b).orientation,
                                             ts_quat_conjugate(ts_sim_pose(before.sim, b).orientation));
        const double side = turn.w < 0.0 ? -1.0 : 1.0;
        assert_vec_near(ts_sim_velocity(now.sim, b).angular, ts_scale(side / step, (ts_vec3){turn.x, turn.y, turn.z}),
                        1e-8);
      }
      for (int j = 0; j < ts_model_joint_count(now.model); ++j) {
        double rate;
        const ts_joint_def def = ts_model_joint(now.model, j);
        assert_near(ts_sim_joint_position(now.sim, j, &rate), def.position, 1e-12);
        assert_near(rate, def.velocity, 1e-12);
      }
      world_release(&now);
      world_release(&before);
      world_release(&after);
    }
}

// Joints without a coordinate carry what hangs on them along, with the motion that bodies have against each other.
static void other_joints_keep_the_relative_pose_and_motion(void **state)
{
  (void)state;
  const ts_joint_kind kinds[] = {TS_JOINT_SPHERICAL, TS_JOINT_UNIVERSAL, TS_JOINT_CYLINDRICAL, TS_JOINT_PLANAR,
                                 TS_JOINT_WELD};
  for (size_t k = 0; k < sizeof kinds / sizeof kinds[0]; ++k) {
    world w;
    world_init(&w, TS_SPACE_3D);
    const int a = mechanism_body(&w, "a", 1.0, BALL, X);
    ts_body_def def = ts_body_def_default();
    def.name = "b";
    def.mass = 1.0;
    const double inertia[6] = {1.0, 1.0, 1.0, 0.0, 0.0, 0.0};
    memcpy(def.inertia, inertia, sizeof inertia);
    def.centre = NONE;
    def.pose.position = (ts_vec3){2.0, 0.0, 0.5};
    def.velocity.angular = (ts_vec3){0.0, 0.3, 0.4};
    int b;
    ts_error error;
    assert_int_equal(ts_builder_add_body(w.builder, &def, &b, &error), TS_OK);
    ts_joint_def hinge = mechanism_joint(TS_JOINT_REVOLUTE, TS_WORLD, a, NONE, Z);
    hinge.position = TS_PI / 2.0;
    mechanism_add(&w, &hinge);
    const ts_joint_def other = mechanism_joint(kinds[k], a, b, (ts_vec3){0.5, 0.0, 0.0}, Y);
    mechanism_add(&w, &other);
    world_start(&w);
    assert_vec_near(position_of(&w, b), (ts_vec3){0.0, 2.0, 0.5}, 1e-14);
    const ts_twist v = w.model->bodies[b].velocity; // a simulation starts with what joints allow of it
    assert_vec_near(v.angular, (ts_vec3){-0.3, 0.0, 0.4}, 1e-14);
    assert_vec_near(v.linear, NONE, 1e-14); // turned with the rest: it was zero
    world_release(&w);
  }
}

static void a_floating_linkage_keeps_its_base(void **state)
{
  (void)state;
  world w;
  world_init(&w, TS_SPACE_3D);
  const int tip = mechanism_body(&w, "tip", 1.0, BALL, (ts_vec3){2.0, 0.0, 0.0});
  const int base = mechanism_body(&w, "base", 1.0, BALL, NONE);
  ts_joint_def def = mechanism_joint(TS_JOINT_REVOLUTE, base, tip, X, Z);
  def.position = TS_PI / 2.0;
  mechanism_add(&w, &def);
  world_start(&w);
  assert_vec_near(position_of(&w, base), NONE, 0.0);
  assert_vec_near(position_of(&w, tip), (ts_vec3){1.0, 1.0, 0.0}, 1e-15);
  world_release(&w);
}

// The fixed body is the joint's child: its parent moves, the other way round.
static void a_fixed_child_stays_and_its_parent_moves(void **state)
{
  (void)state;
  world w;
  world_init(&w, TS_SPACE_2D);
  const int wall = world_add(&w, "wall", TS_FIXED, 0.0, shape_disc(0.1), NONE);
  const int arm = mechanism_body(&w, "arm", 1.0, BALL, X);
  ts_joint_def def = mechanism_joint(TS_JOINT_REVOLUTE, arm, wall, (ts_vec3){-1.0, 0.0, 0.0}, Z);
  def.position = TS_PI / 2.0;
  def.velocity = 3.0;
  const int joint = mechanism_add(&w, &def);
  world_start(&w);
  assert_vec_near(position_of(&w, arm), (ts_vec3){0.0, -1.0, 0.0}, 1e-15);
  double rate;
  assert_near(ts_sim_joint_position(w.sim, joint, &rate), TS_PI / 2.0, 1e-15);
  assert_near(rate, 3.0, 1e-15);
  assert_near(ts_sim_velocity(w.sim, arm).angular.z, -3.0, 1e-15);
  world_release(&w);
}

// The base turns as its motion says; a slide on it starts out by 0.5 and carries the base's velocity.
static void a_moving_base_carries_what_starts_on_it(void **state)
{
  (void)state;
  for (int c = 0; c < 2; ++c) {
    world w;
    world_init(&w, TS_SPACE_3D);
    w.options.coordinates = BOTH[c];
    const int base = mechanism_kinematic(&w, "base", NONE);
    const int cart = mechanism_body(&w, "cart", 1.0, BALL, X);
    ts_motion_def motion = ts_motion_def_default();
    motion.body = base;
    const double turn[2] = {0.3, 2.0}; // angle 0.3 + 2 t
    motion.rotation[2] = (ts_signal){.kind = TS_SIGNAL_POLYNOMIAL, .coefficients = turn, .count = 2};
    ts_error error;
    if (ts_builder_add_motion(w.builder, &motion, NULL, &error) != TS_OK) fail_msg("%s", error.text);
    ts_joint_def def = mechanism_joint(TS_JOINT_PRISMATIC, base, cart, NONE, Y);
    def.position = 0.5;
    def.velocity = 0.25;
    const int joint = mechanism_add(&w, &def);
    world_start(&w);
    const ts_vec3 along = {-sin(0.3), cos(0.3), 0.0}; // the base's y
    const ts_vec3 place = ts_add_scaled(X, 0.5, along);
    assert_vec_near(position_of(&w, cart), place, 1e-15);
    double rate;
    assert_near(ts_sim_joint_position(w.sim, joint, &rate), 0.5, 1e-15);
    assert_near(rate, 0.25, 1e-15); // against the base, which turns away under the cart
    world_release(&w);
  }
}

// A pendulum and another that hangs on it, under a base that moves at 1 m/s: they move along in all coordinates and
// with all steppers, and none of them swings. What has a velocity of its own has that.
static void what_hangs_on_a_moving_base_starts_along_with_it(void **state)
{
  (void)state;
  static const char *const methods[] = {"stewart-trinkle", "velocity", "event-driven"};
  for (int c = 0; c < 6; ++c) {
    world w;
    world_init(&w, TS_SPACE_3D);
    w.options.coordinates = BOTH[c % 2];
    w.options.method = ts_stepper_find(methods[c / 2]);
    ts_builder_set_gravity(w.builder, NONE);
    const int base = mechanism_kinematic(&w, "base", NONE);
    const int upper = mechanism_body(&w, "upper", 1.0, BALL, (ts_vec3){0.0, 0.0, -0.3});
    const int lower = mechanism_body(&w, "lower", 1.0, BALL, (ts_vec3){0.0, 0.0, -0.8});
    ts_motion_def motion = ts_motion_def_default();
    motion.body = base;
    const double way[2] = {0.0, 1.0};
    motion.displacement[0] = (ts_signal){.kind = TS_SIGNAL_POLYNOMIAL, .coefficients = way, .count = 2};
    ts_error error;
    if (ts_builder_add_motion(w.builder, &motion, NULL, &error) != TS_OK) fail_msg("%s", error.text);
    mechanism_hinge(&w, base, upper, NONE, Y);
    mechanism_hinge(&w, upper, lower, (ts_vec3){0.0, 0.0, -0.3}, Y);
    world_start(&w);
    assert_int_equal(ts_sim_start_velocities(w.sim)->joint, -1);
    for (int step = 0; step < 5; ++step) {
      assert_vec_near(ts_sim_velocity(w.sim, upper).linear, X, 1e-12);
      assert_vec_near(ts_sim_velocity(w.sim, lower).linear, X, 1e-12);
      assert_vec_near(ts_sim_velocity(w.sim, lower).angular, NONE, 1e-12);
      world_step(&w);
    }
    world_release(&w);
  }
}

// ---- loops ---------------------------------------------------------------------------------------------------------

// A parallelogram in the plane: two cranks of length 1 along y, 2 apart, and a coupler. `q` are the four angles.
static void parallelogram(world *w, ts_space space, const double q[4], const double rate[4])
{
  world_init(w, space);
  const int left = mechanism_body(w, "left", 1.0, BALL, (ts_vec3){0.0, 0.5, 0.0});
  const int coupler = mechanism_body(w, "coupler", 1.0, BALL, (ts_vec3){1.0, 1.0, 0.0});
  const int right = mechanism_body(w, "right", 1.0, BALL, (ts_vec3){2.0, 0.5, 0.0});
  const ts_vec3 top = {0.0, 0.5, 0.0};
  ts_joint_def joints[4] = {mechanism_joint(TS_JOINT_REVOLUTE, TS_WORLD, left, NONE, Z),
                            mechanism_joint(TS_JOINT_REVOLUTE, left, coupler, top, Z),
                            mechanism_joint(TS_JOINT_REVOLUTE, TS_WORLD, right, (ts_vec3){2.0, 0.0, 0.0}, Z),
                            mechanism_joint(TS_JOINT_REVOLUTE, right, coupler, top, Z)};
  const char *const names[4] = {"A", "B", "C", "D"};
  for (int j = 0; j < 4; ++j) {
    joints[j].name = names[j];
    joints[j].position = q[j];
    joints[j].velocity = rate[j];
    mechanism_add(w, &joints[j]);
  }
}

static void loops_close_where_positions_fit(void **state)
{
  (void)state;
  const ts_space spaces[] = {TS_SPACE_2D, TS_SPACE_3D};
  const double q[4] = {0.6, -0.6, 0.6, -0.6}, rate[4] = {1.5, -1.5, 1.5, -1.5};
  for (int s = 0; s < 2; ++s)
    for (int c = 0; c < 2; ++c) {
      world w;
      parallelogram(&w, spaces[s], q, rate);
      w.options.coordinates = BOTH[c];
      world_start(&w);
      assert_vec_near(position_of(&w, 1), (ts_vec3){1.0 - sin(0.6), cos(0.6), 0.0}, 1e-14);
      assert_vec_near(ts_sim_velocity(w.sim, 1).linear, (ts_vec3){-1.5 * cos(0.6), -1.5 * sin(0.6), 0.0}, 1e-14);
      assert_near(ts_sim_velocity(w.sim, 1).angular.z, 0.0, 1e-14);
      for (int j = 0; j < 4; ++j) assert_near(ts_sim_joint_position(w.sim, j, NULL), q[j], 1e-14);
      world_steps(&w, 5);
      assert_true(ts_sim_report(w.sim)->joint_error < 1e-4);
      world_release(&w);
    }
}

static void loops_that_do_not_close_are_refused(void **state)
{
  (void)state;
  const double good[4] = {0.6, -0.6, 0.6, -0.6}, none[4] = {0.0};
  const double open[4] = {0.6, -0.6, 0.5, -0.6}, twisted[4] = {0.6, -0.6, 0.6, -0.7},
               forgotten[4] = {0.6, -0.6, 0.6, 0.0};
  const double torn[4] = {1.5, -1.5, 1.4, -1.5}, spun[4] = {1.5, -1.5, 1.5, 0.0};
  const struct {
    const double *q, *rate;
    const char *words;
  } cases[] = {{open, none, "'D' closes a loop that the positions of its joints leave open"},
               {twisted, none, "0.1 rad"},
               {forgotten, none, "0.6 rad"},
               {good, torn, "velocities of its joints tear apart"},
               {none, spun, "1.5 rad/s"}};
  for (size_t k = 0; k < sizeof cases / sizeof cases[0]; ++k) {
    world w;
    parallelogram(&w, TS_SPACE_3D, cases[k].q, cases[k].rate);
    mechanism_refuse(&w, cases[k].words);
    world_release(&w);
  }
}

// Closing joints of the kinds without a coordinate are asked for what they hold, and for no more.
static void closing_joints_of_every_kind_are_checked(void **state)
{
  (void)state;
  const struct {
    ts_joint_kind kind;
    ts_vec3 axis;
    bool closes; // after a quarter turn of the arm about z, which takes the tip from (2, 0, 0) to (0, 2, 0)
  } cases[] = {{TS_JOINT_SPHERICAL, Z, false}, {TS_JOINT_WELD, Z, false},        {TS_JOINT_UNIVERSAL, Z, false},
               {TS_JOINT_PLANAR, Z, true},     {TS_JOINT_CYLINDRICAL, Z, false}, {TS_JOINT_PLANAR, X, false}};
  for (size_t k = 0; k < sizeof cases / sizeof cases[0]; ++k) {
    world w;
    world_init(&w, TS_SPACE_3D);
    const int arm = mechanism_body(&w, "arm", 1.0, BALL, X);
    ts_joint_def hinge = mechanism_joint(TS_JOINT_REVOLUTE, TS_WORLD, arm, NONE, Z);
    hinge.position = TS_PI / 2.0;
    mechanism_add(&w, &hinge);
    const ts_joint_def closing = mechanism_joint(cases[k].kind, TS_WORLD, arm, (ts_vec3){2.0, 0.0, 0.0}, cases[k].axis);
    mechanism_add(&w, &closing);
    if (cases[k].closes)
      world_start(&w);
    else
      mechanism_refuse(&w, "closes a loop");
    world_release(&w);
  }
}

// ---- what else depends on time 0 -----------------------------------------------------------------------------------

static void springs_without_a_length_are_as_long_as_the_pose_makes_them(void **state)
{
  (void)state;
  world w;
  world_init(&w, TS_SPACE_3D);
  const int arm = mechanism_body(&w, "arm", 1.0, BALL, X);
  ts_joint_def hinge = mechanism_joint(TS_JOINT_REVOLUTE, TS_WORLD, arm, NONE, Z);
  hinge.position = TS_PI / 2.0;
  mechanism_add(&w, &hinge);
  ts_spring_def spring = ts_spring_def_default();
  spring.body[0] = arm;
  spring.at[1] = (ts_vec3){0.0, 4.0, 0.0};
  spring.stiffness = 10.0;
  ts_error error;
  assert_int_equal(ts_builder_add_spring(w.builder, &spring, NULL, &error), TS_OK);
  world_start(&w);
  assert_near(ts_model_spring(w.model, 0).length, 3.0, 1e-15);
  world_release(&w);
}

static void numbers_that_make_no_sense_are_refused(void **state)
{
  (void)state;
  world w;
  world_init(&w, TS_SPACE_3D);
  const int arm = mechanism_body(&w, "arm", 1.0, BALL, X);
  const ts_joint_def hinge = mechanism_joint(TS_JOINT_REVOLUTE, TS_WORLD, arm, NONE, Z);
  const double bad[] = {NAN, INFINITY, -INFINITY};
  const size_t offsets[] = {offsetof(ts_joint_def, position), offsetof(ts_joint_def, velocity),
                            offsetof(ts_joint_def, friction), offsetof(ts_joint_def, damping)};
  ts_error error;
  for (size_t f = 0; f < sizeof offsets / sizeof offsets[0]; ++f) {
    for (int k = 0; k < 3; ++k) {
      ts_joint_def def = hinge;
      memcpy((char *)&def + offsets[f], &bad[k], sizeof bad[k]);
      assert_int_equal(ts_builder_add_joint(w.builder, &def, NULL, &error), TS_INVALID);
      assert_non_null(strstr(error.text, "finite"));
    }
    const ts_joint_kind others[] = {TS_JOINT_SPHERICAL, TS_JOINT_UNIVERSAL, TS_JOINT_CYLINDRICAL, TS_JOINT_PLANAR,
                                    TS_JOINT_WELD};
    for (size_t k = 0; k < sizeof others / sizeof others[0]; ++k) {
      ts_joint_def def = hinge;
      const double one = 1.0;
      def.kind = others[k];
      memcpy((char *)&def + offsets[f], &one, sizeof one);
      assert_int_equal(ts_builder_add_joint(w.builder, &def, NULL, &error), TS_INVALID);
      assert_non_null(strstr(error.text, " joint has no "));
    }
  }
  ts_joint_def negative = hinge, outside = hinge;
  negative.friction = -1.0;
  assert_int_equal(ts_builder_add_joint(w.builder, &negative, NULL, &error), TS_INVALID);
  outside.limited = true;
  outside.lower = -1.0;
  outside.upper = 1.0;
  outside.position = 1.5;
  assert_int_equal(ts_builder_add_joint(w.builder, &outside, NULL, &error), TS_INVALID);
  assert_non_null(strstr(error.text, "outside of its limits"));
  outside.position = 1.0;
  assert_int_equal(ts_builder_add_joint(w.builder, &outside, NULL, &error), TS_OK);
  world_release(&w);
}

static void a_particle_is_not_turned(void **state)
{
  (void)state;
  for (int turns = 0; turns < 2; ++turns) {
    world w;
    world_init(&w, TS_SPACE_3D);
    ts_body_def def = ts_body_def_default();
    def.name = "bead";
    def.mass = 1.0;
    def.rotates = false;
    def.centre = NONE;
    ts_error error;
    int bead;
    assert_int_equal(ts_builder_add_body(w.builder, &def, &bead, &error), TS_OK);
    ts_joint_def joint =
        mechanism_joint(turns ? TS_JOINT_REVOLUTE : TS_JOINT_PRISMATIC, TS_WORLD, bead, (ts_vec3){1.0, 0.0, 0.0}, Z);
    joint.position = 0.5;
    mechanism_add(&w, &joint);
    if (turns) {
      mechanism_refuse(&w, "'bead' does not rotate");
    } else {
      world_start(&w);
      assert_vec_near(position_of(&w, bead), (ts_vec3){0.0, 0.0, 0.5}, 1e-15);
    }
    world_release(&w);
  }
}

int main(void)
{
  const struct CMUnitTest tests[] = {
      cmocka_unit_test(links_stand_as_forward_kinematics_says),
      cmocka_unit_test(a_posed_pendulum_moves_as_one_that_is_written_so),
      cmocka_unit_test(a_joint_at_zero_changes_no_bit),
      cmocka_unit_test(velocities_are_differences_of_poses),
      cmocka_unit_test(other_joints_keep_the_relative_pose_and_motion),
      cmocka_unit_test(a_floating_linkage_keeps_its_base),
      cmocka_unit_test(a_fixed_child_stays_and_its_parent_moves),
      cmocka_unit_test(a_moving_base_carries_what_starts_on_it),
      cmocka_unit_test(what_hangs_on_a_moving_base_starts_along_with_it),
      cmocka_unit_test(loops_close_where_positions_fit),
      cmocka_unit_test(loops_that_do_not_close_are_refused),
      cmocka_unit_test(closing_joints_of_every_kind_are_checked),
      cmocka_unit_test(springs_without_a_length_are_as_long_as_the_pose_makes_them),
      cmocka_unit_test(numbers_that_make_no_sense_are_refused),
      cmocka_unit_test(a_particle_is_not_turned),
  };
  return cmocka_run_group_tests(tests, NULL, NULL);
}
