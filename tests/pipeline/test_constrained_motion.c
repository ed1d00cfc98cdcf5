// Motion between events while something is active: contacts that rest, slide, roll and let go, drives and springs.
// Against closed forms, whatever the step.
#include "touchstone/scene.h"
#include "mechanism.h"

#include <math.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <cmocka.h>

#include "near.h"

static const double G = 9.81;
static const ts_vec3 NONE = {0.0, 0.0, 0.0};
static const double STEPS[] = {0.1, 0.02, 1e-3};
enum { STEP_COUNT = 3 };

static void begin(world *w, ts_space space, double size)
{
  world_init(w, space);
  w->options.method = ts_stepper_find("event-driven");
  w->options.impacts = TS_IMPACT_POISSON;
  w->options.tolerance = 1e-10;
  w->options.size = size;
}

static void run_to(world *w, double time)
{
  world_steps(w, (int)lround((time - ts_sim_time(w->sim)) / w->options.size));
}

// ---- sliding and rolling -------------------------------------------------------------------------------------------

// The slip u of a solid sphere keeps its direction and falls at 7/2 mu g: it rolls from 2 |u|/(7 mu g) on, with v - 2/7
// u.
static void a_sphere_slides_until_it_rolls(void **state)
{
  (void)state;
  const double mu = 0.3, r = 0.2, m = 1.7;
  const ts_vec3 v = {2.0, 0.5, 0.0}, w0 = {3.0, -5.0, 0.7};
  const ts_vec3 u = ts_add(v, ts_cross(w0, (ts_vec3){0.0, 0.0, -r}));
  const double rolls = 2.0 * ts_length(u) / (7.0 * mu * G);
  for (int k = 0; k < STEP_COUNT; ++k) {
    world w;
    begin(&w, TS_SPACE_3D, STEPS[k]);
    world_friction(&w, mu, 0.0);
    world_floor(&w);
    const int ball = world_add(&w, "ball", TS_DYNAMIC, m, shape_sphere(r), (ts_vec3){0.0, 0.0, r});
    world_start(&w);
    world_move(&w, ball, v, w0);
    for (double t = 0.1; t < 1.95; t += 0.1) {
      run_to(&w, t);
      const double slides = fmin(t, rolls), slowed = slides / rolls;
      const ts_vec3 speed = ts_add_scaled(v, -2.0 / 7.0 * slowed, u);
      const ts_vec3 way = ts_add_scaled(ts_scale(t, v), -2.0 / 7.0 * (0.5 * slowed * slides + t - slides), u);
      assert_vec_near(ts_sim_velocity(w.sim, ball).linear, speed, 1e-9);
      assert_vec_near(ts_sim_pose(w.sim, ball).position, ts_add(way, (ts_vec3){0.0, 0.0, r}), 1e-9);
      int count;
      const ts_contact *contact = ts_sim_contacts(w.sim, &count);
      assert_int_equal(count, 1);
      assert_near(contact->impulse[0], m * G * STEPS[k], 1e-9);
      const double rubs = fmax(0.0, fmin(STEPS[k], rolls - (t - STEPS[k])));
      assert_near(hypot(contact->impulse[1], contact->impulse[2]), mu * m * G * rubs, 1e-8);
      assert_int_equal(contact->mode, t > rolls ? TS_ROLL : TS_SLIP);
      assert_int_equal(ts_sim_report(w.sim)->events, 0);
    }
    world_release(&w);
  }
}

// A block with a force against its motion: it comes to a stop, and then slides back or stays. Four corners touch, so
// that forces are not unique; their sum is.
static void check_block(double mu, double size)
{
  const double m = 2.0, pull = 5.0, v = 3.0; // pull [m/s^2]
  world w;
  begin(&w, TS_SPACE_3D, size);
  world_friction(&w, mu, 0.0);
  world_floor(&w);
  const int block = world_add(&w, "block", TS_DYNAMIC, m, shape_box(1.0, 0.6, 0.2), (ts_vec3){0.0, 0.0, 0.1});
  world_force(&w, block, (ts_vec3){-m * pull, 0.0, 0.0}, NONE);
  world_start(&w);
  world_move(&w, block, (ts_vec3){v, 0.0, 0.0}, NONE);
  const double slowing = pull + mu * G, back = fmax(0.0, pull - mu * G), stops = v / slowing;
  for (double t = 0.1; t < 0.95; t += 0.1) {
    run_to(&w, t);
    const double after = fmax(0.0, t - stops), until = fmin(t, stops);
    const double x = v * until - 0.5 * slowing * until * until - 0.5 * back * after * after;
    assert_vec_near(ts_sim_pose(w.sim, block).position, (ts_vec3){x, 0.0, 0.1}, 1e-9);
    assert_near(ts_sim_velocity(w.sim, block).linear.x, t < stops ? v - slowing * t : -back * after, 1e-9);
    int count;
    const ts_contact *contacts = ts_sim_contacts(w.sim, &count);
    double normal = 0.0;
    for (int i = 0; i < count; ++i) normal += contacts[i].impulse[0];
    assert_int_equal(count, 4);
    assert_near(normal, m * G * size, 1e-8);
  }
  world_release(&w);
}

static void a_block_stops_and_slides_back_or_stays(void **state)
{
  (void)state;
  for (int k = 0; k < STEP_COUNT; ++k) {
    check_block(0.3, STEPS[k]);
    check_block(0.6, STEPS[k]);
  }
}

// Friction of which half is left along x: a block slows by half of mu g there, and by all of it along y.
static void friction_may_depend_on_the_direction(void **state)
{
  (void)state;
  const double mu = 0.4, v = 1.5;
  for (int way = 0; way < 2; ++way) {
    const double slowing = (way == 0 ? 0.5 : 1.0) * mu * G;
    const ts_vec3 along = way == 0 ? (ts_vec3){1.0, 0.0, 0.0} : (ts_vec3){0.0, 1.0, 0.0};
    world w;
    begin(&w, TS_SPACE_3D, 0.02);
    ts_contact_law law = ts_contact_law_default();
    law.friction = mu;
    law.ellipsoid.x = 0.5;
    law.direction = (ts_vec3){1.0, 0.0, 0.0};
    ts_error error;
    if (ts_builder_set_contact(w.builder, &law, &error) != TS_OK) fail_msg("%s", error.text);
    world_floor(&w);
    const int block = world_add(&w, "block", TS_DYNAMIC, 2.0, shape_box(0.4, 0.4, 0.1), (ts_vec3){0.0, 0.0, 0.05});
    world_start(&w);
    world_move(&w, block, ts_scale(v, along), NONE);
    for (double t = 0.1; t < 1.25; t += 0.1) {
      run_to(&w, t);
      const double slides = fmin(t, v / slowing);
      assert_vec_near(ts_sim_velocity(w.sim, block).linear, ts_scale(v - slowing * slides, along), 1e-9);
      assert_near(ts_dot(ts_sim_pose(w.sim, block).position, along), v * slides - 0.5 * slowing * slides * slides,
                  1e-9);
    }
    world_release(&w);
  }
}

// Torsional friction brakes a spinning ball by mu e_r N and then holds it.
static void spin_is_braked(void **state)
{
  (void)state;
  const double r = 0.2, m = 1.5, e = 0.05, mu = 0.4, spin = 8.0, braking = mu * e * m * G / (0.4 * m * r * r);
  for (int k = 0; k < STEP_COUNT; ++k) {
    world w;
    begin(&w, TS_SPACE_3D, STEPS[k]);
    ts_contact_law law = ts_contact_law_default();
    law.friction = mu;
    law.ellipsoid.z = e;
    ts_error error;
    if (ts_builder_set_contact(w.builder, &law, &error) != TS_OK) fail_msg("%s", error.text);
    world_floor(&w);
    const int ball = world_add(&w, "ball", TS_DYNAMIC, m, shape_sphere(r), (ts_vec3){0.0, 0.0, r});
    world_start(&w);
    world_move(&w, ball, NONE, (ts_vec3){0.0, 0.0, spin});
    for (double t = 0.1; t < 1.05; t += 0.1) {
      run_to(&w, t);
      assert_near(ts_sim_velocity(w.sim, ball).angular.z, fmax(0.0, spin - braking * t), 1e-8);
    }
    world_release(&w);
  }
}

// ---- a belt that goes to and fro -----------------------------------------------------------------------------------

// x = a sin(w t) of the belt; the block's motion in pieces: it slides at +-mu g, or sticks while the belt's own
// acceleration is less than that.
typedef struct belt {
  double a, w, most; // most: mu g
} belt;

static double belt_speed(const belt *b, double t)
{
  return b->a * b->w * cos(b->w * t);
}

// From (t, x, v) to `end` on the finest of grids that closed forms allow: events by bisection.
static void follow_belt(const belt *b, double end, double *x, double *v)
{
  const double dt = 1e-4;
  double t = 0.0;
  int sign = *v > belt_speed(b, 0.0) ? 1 : -1;
  bool sticks = false;
  while (t < end - 1e-13) {
    const double to = fmin(end, t + dt);
    if (sticks) {
      double leaves = to; // the belt's acceleration passes mu g once at most in so short a time
      if (b->a * b->w * b->w * fabs(sin(b->w * to)) > b->most) {
        double low = t, high = to;
        for (int k = 0; k < 60; ++k) {
          const double mid = 0.5 * (low + high);
          if (b->a * b->w * b->w * fabs(sin(b->w * mid)) > b->most)
            high = mid;
          else
            low = mid;
        }
        leaves = high;
        sticks = false;
        sign = sin(b->w * leaves) > 0.0 ? 1 : -1; // the belt turns back under the block
      }
      *x += b->a * (sin(b->w * leaves) - sin(b->w * t));
      *v = belt_speed(b, leaves);
      t = leaves;
      continue;
    }
    double meets = to;
    const double slowed = -sign * b->most;
    if (sign * (*v + slowed * (to - t) - belt_speed(b, to)) < 0.0) {
      double low = t, high = to;
      for (int k = 0; k < 60; ++k) {
        const double mid = 0.5 * (low + high);
        if (sign * (*v + slowed * (mid - t) - belt_speed(b, mid)) < 0.0)
          high = mid;
        else
          low = mid;
      }
      meets = high;
      sticks = b->a * b->w * b->w * fabs(sin(b->w * meets)) <= b->most;
      if (!sticks) sign = -sign;
    }
    *x += *v * (meets - t) + 0.5 * slowed * (meets - t) * (meets - t);
    *v += slowed * (meets - t);
    t = meets;
  }
}

static void check_belt(double mu, double size)
{
  const belt b = {0.05, 9.0, mu * G}; // up to 4.05 m/s^2
  static const ts_vec3 square[] = {{-0.15, -0.1, 0.0}, {0.15, -0.1, 0.0}, {0.15, 0.1, 0.0}, {-0.15, 0.1, 0.0}};
  world w;
  begin(&w, TS_SPACE_2D, size);
  world_friction(&w, mu, 0.0);
  const int floor = world_add(&w, "belt", TS_KINEMATIC, 0.0, shape_plane((ts_vec3){0.0, 1.0, 0.0}, 0.0), NONE);
  ts_motion_def motion = ts_motion_def_default();
  motion.body = floor;
  motion.displacement[0] = (ts_signal){.kind = TS_SIGNAL_SINE, .amplitude = b.a, .frequency = b.w};
  ts_error error;
  if (ts_builder_add_motion(w.builder, &motion, NULL, &error) != TS_OK) fail_msg("%s", error.text);
  const int block = world_add(&w, "block", TS_DYNAMIC, 1.0, shape_polygon(square, 4), (ts_vec3){0.0, 0.1, 0.0});
  world_start(&w);
  for (double t = 0.2; t < 1.9; t += 0.2) {
    run_to(&w, t);
    double x = 0.0, v = 0.0;
    follow_belt(&b, t, &x, &v);
    assert_near(ts_sim_pose(w.sim, block).position.x, x, 1e-8);
    assert_near(ts_sim_velocity(w.sim, block).linear.x, v, 1e-8);
  }
  world_release(&w);
}

static void a_block_sticks_and_slips_on_a_belt(void **state)
{
  (void)state;
  for (int k = 0; k < STEP_COUNT; ++k) {
    check_belt(0.1, STEPS[k]); // slides all the time
    check_belt(0.3, STEPS[k]); // sticks now and then
    check_belt(0.5, STEPS[k]); // sticks for good once it has caught up
  }
}

// ---- letting go ----------------------------------------------------------------------------------------------------

// A rod slides down between a wall and the floor, without friction. It leaves the wall when its upper end has come down
// by a third; its middle then goes on at sqrt(g L cos^3 a)/3.
static void a_rod_leaves_the_wall(void **state)
{
  (void)state;
  const double L = 1.2, r = 0.01, a = 0.4, m = 0.8;
  for (int k = 1; k < STEP_COUNT; ++k) {
    world w;
    begin(&w, TS_SPACE_3D, STEPS[k]);
    world_friction(&w, 0.0, 0.0);
    world_floor(&w);
    world_add(&w, "wall", TS_FIXED, 0.0, shape_plane((ts_vec3){1.0, 0.0, 0.0}, 0.0), NONE);
    ts_body_def def = ts_body_def_default();
    def.name = "rod";
    def.mass = m;
    const double moment = m * L * L / 12.0;
    def.inertia[0] = def.inertia[1] = moment;
    def.inertia[2] = 1e-3 * moment;
    def.pose.position = (ts_vec3){r + 0.5 * L * sin(a), 0.0, r + 0.5 * L * cos(a)};
    def.pose.orientation = (ts_quat){cos(0.5 * a), 0.0, -sin(0.5 * a), 0.0}; // the upper end to the wall
    const int rod = world_add_def(&w, &def, shape_capsule(r, L));
    world_start(&w);
    const double leaves = sqrt(G * L * pow(cos(a), 3.0)) / 3.0, height = 2.0 / 3.0 * L * cos(a);
    const double before = ts_sim_report(w.sim)->potential_energy;
    bool gone = false;
    double upper = INFINITY;
    while (upper > 0.3 * L) {
      world_step(&w);
      upper = 2.0 * (ts_sim_pose(w.sim, rod).position.z - r);
      const ts_step_report *report = ts_sim_report(w.sim);
      assert_near(report->kinetic_energy + report->potential_energy, before, 1e-9);
      assert_int_equal(report->events, 0);
      if (upper < height - 0.01) {
        gone = true;
        assert_near(ts_sim_velocity(w.sim, rod).linear.x, leaves, 2e-8);
      } else if (upper > height + 1e-3) {
        assert_true(ts_sim_velocity(w.sim, rod).linear.x < leaves - 1e-8);
      }
    }
    assert_true(gone);
    world_release(&w);
  }
}

// A small ball slides down a large one and leaves it where the cosine of its angle has fallen to 2/3 of the first one.
static void a_ball_leaves_a_dome(void **state)
{
  (void)state;
  const double R = 1.0, r = 0.1, a = 0.3, m = 0.5, leaves = 2.0 / 3.0 * cos(a);
  world w;
  begin(&w, TS_SPACE_3D, 0.02);
  world_friction(&w, 0.0, 0.0);
  world_add(&w, "dome", TS_FIXED, 0.0, shape_sphere(R - r), NONE);
  const int ball = world_add(&w, "ball", TS_DYNAMIC, m, shape_sphere(r), (ts_vec3){R * sin(a), 0.0, R * cos(a)});
  world_start(&w);
  const double sideways = sqrt(2.0 * G * R * (cos(a) - leaves)) * leaves;
  for (int k = 0; k < 60; ++k) {
    world_step(&w);
    const ts_vec3 at = ts_sim_pose(w.sim, ball).position, v = ts_sim_velocity(w.sim, ball).linear;
    assert_near(0.5 * ts_dot(v, v) + G * at.z, G * R * cos(a), 1e-9);
    if (at.z / R > leaves) assert_near(ts_length(at), R, 1e-10);
    if (at.z < 0.9 * leaves) assert_near(v.x, sideways, 2e-8);
  }
  assert_true(ts_sim_pose(w.sim, ball).position.z < 0.0);
  world_release(&w);
}

// ---- many contacts at once ------------------------------------------------------------------------------------------

// A plate that tumbles, a cube on it and a ball: contacts come, go and change their features while others are active.
// What must hold whatever happens: no overlap beyond round-off, energy that never grows, every problem certified. The
// cube lands on the plate all but flush and rattles, which takes more problems than are allowed for: a fixed step of
// h = 1/16 ms lets surfaces drift by (|a| + w^2 r) h^2/2, 5e-8 m with the 20 m/s^2, 5 rad/s and 0.25 m there are here.
static void boxes_tumble_without_overlap(void **state)
{
  (void)state;
  world w;
  begin(&w, TS_SPACE_3D, 5e-3);
  world_friction(&w, 0.4, 0.3);
  world_floor(&w);
  const int plate = world_add(&w, "plate", TS_DYNAMIC, 1.0, shape_box(0.3, 0.2, 0.1), (ts_vec3){0.0, 0.0, 0.12});
  world_add(&w, "cube", TS_DYNAMIC, 1.0, shape_box(0.2, 0.2, 0.2), (ts_vec3){0.05, 0.02, 0.35});
  world_add(&w, "ball", TS_DYNAMIC, 1.0, shape_sphere(0.1), (ts_vec3){-0.05, 0.03, 0.7});
  world_start(&w);
  world_move(&w, plate, (ts_vec3){0.3, 0.0, 0.0}, (ts_vec3){1.0, 2.0, 0.5});
  double energy = INFINITY, fixed_steps = 0.0;
  int most = 0;
  for (int k = 0; k < 60; ++k) {
    world_step(&w);
    const ts_step_report *report = ts_sim_report(w.sim);
    const double now = report->kinetic_energy + report->potential_energy;
    if (report->regularized > 0.0) fixed_steps += ceil(report->regularized / (1e-3 / 16.0));
    assert_true(report->penetration < 1e-9 + 5e-8 * fixed_steps);
    assert_true(fixed_steps < 100.0);
    assert_true(now < energy + 1e-8);
    energy = now;
    most = report->contacts > most ? report->contacts : most;
  }
  assert_true(most >= 4);
  world_release(&w);
}

// ---- drives and springs --------------------------------------------------------------------------------------------

// I q'' = -k (q - target) - d q', from rest.
static double swings_in(double t, double target, double k, double d, double I)
{
  const double decay = 0.5 * d / I, w = sqrt(k / I - decay * decay);
  return target * (1.0 - exp(-decay * t) * (cos(w * t) + decay / w * sin(w * t)));
}

// A rotor of 0.2 kg m^2 with a motor. Returns its joint.
static int start_rotor(world *w, double size, const ts_motor *motor)
{
  begin(w, TS_SPACE_3D, size);
  const int rotor = mechanism_body(w, "rotor", 1.0, (ts_vec3){0.3, 0.3, 0.2}, NONE);
  ts_joint_def def = mechanism_joint(TS_JOINT_REVOLUTE, TS_WORLD, rotor, NONE, (ts_vec3){0.0, 0.0, 1.0});
  def.motor = *motor;
  const int joint = mechanism_add(w, &def);
  world_start(w);
  return joint;
}

static void a_servo_swings_in(void **state)
{
  (void)state;
  const ts_motor servo = {.kind = TS_MOTOR_SERVO,
                          .target = ts_signal_constant(0.7),
                          .stiffness = 20.0,
                          .damping = 0.8,
                          .max_force = INFINITY};
  for (int k = 0; k < STEP_COUNT; ++k) {
    world w;
    const int joint = start_rotor(&w, STEPS[k], &servo);
    for (double t = 0.1; t < 1.05; t += 0.1) {
      run_to(&w, t);
      assert_near(ts_sim_joint_position(w.sim, joint, NULL), swings_in(t, 0.7, 20.0, 0.8, 0.2), 1e-9);
    }
    world_release(&w);
  }
}

// A motor of limited torque: F/I until it has its speed.
static void a_motor_comes_up_to_speed(void **state)
{
  (void)state;
  const ts_motor motor = {.kind = TS_MOTOR_VELOCITY, .target = ts_signal_constant(3.0), .max_force = 1.5};
  for (int k = 0; k < STEP_COUNT; ++k) {
    world w;
    const int joint = start_rotor(&w, STEPS[k], &motor);
    const double rate = 1.5 / 0.2, there = 3.0 / rate;
    for (double t = 0.1; t < 1.05; t += 0.1) {
      run_to(&w, t);
      const double q = t < there ? 0.5 * rate * t * t : 0.5 * 3.0 * there + 3.0 * (t - there);
      double turns;
      assert_near(ts_sim_joint_position(w.sim, joint, &turns), q, 1e-9);
      assert_near(turns, fmin(3.0, rate * t), 1e-9);
    }
    world_release(&w);
  }
}

// A mass between a spring and the floor that it bounces on: flight with a row, and impacts located in it.
static void a_spring_is_exact_between_impacts(void **state)
{
  (void)state;
  const double m = 0.5, k = 50.0, w0 = sqrt(k / m), down = m * G / k, top = 1.6, e = 0.5;
  world w;
  begin(&w, TS_SPACE_3D, 0.01);
  world_friction(&w, 0.0, e);
  world_floor(&w);
  const double r = 0.1, hangs = top - 1.0 - down; // spring of length 1 from `top`; at rest it hangs at `hangs`
  const int ball = world_add(&w, "ball", TS_DYNAMIC, m, shape_sphere(r), (ts_vec3){0.0, 0.0, 1.2});
  ts_spring_def spring = ts_spring_def_default();
  spring.body[0] = TS_WORLD;
  spring.body[1] = ball;
  spring.at[0] = (ts_vec3){0.0, 0.0, top};
  spring.stiffness = k;
  spring.length = 1.0;
  spring.implicit = true;
  ts_error error;
  if (ts_builder_add_spring(w.builder, &spring, NULL, &error) != TS_OK) fail_msg("%s", error.text);
  world_start(&w);
  const double A = 1.2 - hangs; // z = hangs + A cos(w0 t) until z = r
  assert_true(A > hangs - r);
  const double hit = acos((r - hangs) / A) / w0, speed = A * w0 * sin(w0 * hit);
  for (double t = 0.05; t < hit; t += 0.05) {
    run_to(&w, t);
    assert_near(ts_sim_pose(w.sim, ball).position.z, hangs + A * cos(w0 * t), 1e-9);
  }
  while (ts_sim_report(w.sim)->events == 0) world_step(&w);
  assert_near(ts_sim_report(w.sim)->event_time, hit, 1e-9);
  const double t = ts_sim_time(w.sim) - hit;
  assert_near(ts_sim_pose(w.sim, ball).position.z, hangs + (r - hangs) * cos(w0 * t) + e * speed / w0 * sin(w0 * t),
              1e-8);
  world_release(&w);
}

// A slider that sticks and slips in turn: friction 1 N, a force 2 N sin(5 t). What its row does at the start of a part
// is seen once; a part that begins with a wrong mode is cut again and again. About two iterations a step are enough.
static void sticking_and_slipping_takes_few_iterations(void **state)
{
  (void)state;
  static const char text[] = "touchstone: 1\ngravity: [0, 0, 0]\nbodies:\n"
                             "- {name: a, mass: 1, inertia: [1, 1, 1], joint: {type: prismatic, axis: [1, 0, 0],\n"
                             "   friction: 1, motor: {force: {sine: {amplitude: 2, frequency: 5}}}}}\n"
                             "step: {method: event-driven, size: 0.01}\n";
  ts_scene *scene;
  ts_sim *sim;
  ts_error error;
  if (ts_scene_parse(text, sizeof text - 1, "slider", NULL, 0, &scene, &error) != TS_OK) fail_msg("%s", error.text);
  assert_int_equal(ts_sim_create(ts_scene_model(scene), ts_scene_options(scene), NULL, &sim, &error), TS_OK);
  int iterations = 0;
  for (int k = 0; k < 100; ++k) {
    assert_int_equal(ts_sim_step(sim, &error), TS_OK);
    iterations += ts_sim_report(sim)->iterations;
  }
  assert_in_range(iterations, 1, 500);
  ts_sim_destroy(sim);
  ts_scene_destroy(scene);
}

// A block slides at v_0 along a smooth floor, which holds it, against a wall at d - a sin(w t): they meet where the
// ways do, and the block leaves with 2 v_wall - v_0.
static void a_sliding_block_meets_a_wall_that_swings(void **state)
{
  (void)state;
  const double v_0 = 1.5, d = 0.7, a = 0.3, w = 7.0, half = 0.1;
  const ts_vec3 square[4] = {{-half, -half, 0.0}, {half, -half, 0.0}, {half, half, 0.0}, {-half, half, 0.0}};
  double meets = 0.0, later = 0.3; // the block is behind the wall there
  for (int k = 0; k < 60; ++k) {
    const double t = 0.5 * (meets + later);
    *(v_0 * t + half < d - a * sin(w * t) ? &meets : &later) = t;
  }
  const double back = 2.0 * -a * w * cos(w * meets) - v_0;
  for (int k = 0; k < STEP_COUNT; ++k) {
    world at;
    begin(&at, TS_SPACE_2D, STEPS[k]);
    world_friction(&at, 0.0, 1.0);
    world_floor(&at);
    const int wall = world_add(&at, "wall", TS_KINEMATIC, 0.0, shape_plane((ts_vec3){-1.0, 0.0, 0.0}, -d), NONE);
    ts_motion_def motion = ts_motion_def_default();
    motion.body = wall;
    motion.displacement[0] = (ts_signal){.kind = TS_SIGNAL_SINE, .amplitude = -a, .frequency = w};
    assert_int_equal(ts_builder_add_motion(at.builder, &motion, NULL, NULL), TS_OK);
    const int block = world_add(&at, "block", TS_DYNAMIC, 1.0, shape_polygon(square, 4), (ts_vec3){0.0, half, 0.0});
    world_start(&at);
    world_move(&at, block, (ts_vec3){v_0, 0.0, 0.0}, NONE);
    run_to(&at, 0.5);
    assert_near(ts_sim_velocity(at.sim, block).linear.x, back, 1e-7);
    assert_near(ts_sim_pose(at.sim, block).position.x, v_0 * meets + back * (0.5 - meets), 1e-8);
    world_release(&at);
  }
}

int main(void)
{
  const struct CMUnitTest tests[] = {
      cmocka_unit_test(a_sphere_slides_until_it_rolls),
      cmocka_unit_test(a_block_stops_and_slides_back_or_stays),
      cmocka_unit_test(friction_may_depend_on_the_direction),
      cmocka_unit_test(boxes_tumble_without_overlap),
      cmocka_unit_test(spin_is_braked),
      cmocka_unit_test(a_block_sticks_and_slips_on_a_belt),
      cmocka_unit_test(a_rod_leaves_the_wall),
      cmocka_unit_test(a_ball_leaves_a_dome),
      cmocka_unit_test(a_servo_swings_in),
      cmocka_unit_test(a_motor_comes_up_to_speed),
      cmocka_unit_test(a_spring_is_exact_between_impacts),
      cmocka_unit_test(sticking_and_slipping_takes_few_iterations),
      cmocka_unit_test(a_sliding_block_meets_a_wall_that_swings),
  };
  return cmocka_run_group_tests(tests, NULL, NULL);
}
