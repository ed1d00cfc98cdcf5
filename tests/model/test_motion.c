// Motions of kinematic bodies: twists are derivatives of poses, sinusoids integrate to closed forms, the integrated
// orientation has the start and the drift of reference-numbers.md 10.2.
#include "model/motion.h"

#include <math.h>
#include <stdarg.h>
#include <stddef.h>
#include <setjmp.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <cmocka.h>

#include "near.h"

static ts_body_def plate(ts_space space)
{
  ts_body_def def = ts_body_def_default();
  def.name = "plate";
  def.kind = TS_KINEMATIC;
  def.pose.position = (ts_vec3){1.0, 2.0, space == TS_SPACE_2D ? 0.0 : 3.0};
  if (space == TS_SPACE_2D)
    def.angle = 0.4;
  else
    def.pose.orientation = ts_quat_exp((ts_vec3){0.5, -0.2, 0.9});
  return def;
}

static ts_status build(ts_space space, ts_motion_def motion, ts_model **model, ts_error *error)
{
  ts_builder *builder = ts_builder_create(space);
  const ts_body_def def = plate(space);
  ts_status status = ts_builder_add_body(builder, &def, &motion.body, error);
  if (status == TS_OK) status = ts_builder_add_motion(builder, &motion, NULL, error);
  if (status == TS_OK) status = ts_builder_finish(builder, model, error);
  ts_builder_destroy(builder);
  return status;
}

static ts_model *model_with(ts_space space, ts_motion_def motion)
{
  ts_model *model = NULL;
  ts_error error;
  if (build(space, motion, &model, &error) != TS_OK) fail_msg("%s", error.text);
  return model;
}

// The angular velocity of two orientations a short time apart: the rotation vector between them over the time.
static ts_vec3 turning_between(ts_quat before, ts_quat after, double time)
{
  const ts_quat q = ts_quat_product(after, ts_quat_conjugate(before));
  return ts_scale((q.w < 0.0 ? -2.0 : 2.0) / time, (ts_vec3){q.x, q.y, q.z});
}

// Fourth-order central differences of the pose against the twist.
static void assert_twist_is_derivative(const ts_model *model, double t, double e, double tolerance)
{
  ts_pose pose, far[2], near[2];
  ts_twist twist, unused;
  ts_motion_evaluate(model, 0, t, &pose, &twist);
  for (int i = 0; i < 2; ++i) {
    ts_motion_evaluate(model, 0, t + (i ? e : -e), &near[i], &unused);
    ts_motion_evaluate(model, 0, t + (i ? 2 * e : -2 * e), &far[i], &unused);
  }
  const ts_vec3 v1 = ts_scale(0.5 / e, ts_sub(near[1].position, near[0].position));
  const ts_vec3 v2 = ts_scale(0.25 / e, ts_sub(far[1].position, far[0].position));
  const ts_vec3 w1 = turning_between(near[0].orientation, near[1].orientation, 2 * e);
  const ts_vec3 w2 = turning_between(far[0].orientation, far[1].orientation, 4 * e);
  assert_vec_near(ts_scale(1.0 / 3.0, ts_sub(ts_scale(4.0, v1), v2)), twist.linear, tolerance);
  assert_vec_near(ts_scale(1.0 / 3.0, ts_sub(ts_scale(4.0, w1), w2)), twist.angular, tolerance);
  assert_near(ts_quat_length(pose.orientation), 1.0, 1e-14);
}

// The same of the twist against the acceleration.
static void assert_acceleration_is_derivative(const ts_model *model, double t, double e, double tolerance)
{
  static const double weight[] = {1.0 / 12.0, -8.0 / 12.0, 8.0 / 12.0, -1.0 / 12.0};
  static const double offset[] = {-2.0, -1.0, 1.0, 2.0};
  ts_twist sum = {0};
  for (int i = 0; i < 4; ++i) {
    ts_pose pose;
    ts_twist twist;
    ts_motion_evaluate(model, 0, t + offset[i] * e, &pose, &twist);
    sum = ts_twist_add_scaled(sum, weight[i] / e, twist);
  }
  const ts_twist acceleration = ts_motion_acceleration(model, 0, t);
  assert_vec_near(acceleration.linear, sum.linear, tolerance);
  assert_vec_near(acceleration.angular, sum.angular, tolerance);
}

static const double cubic[] = {0.1, 0.3, -0.2, 0.05};

static ts_motion_def pose_motion(void)
{
  ts_motion_def motion = ts_motion_def_default();
  motion.kind = TS_MOTION_POSE;
  motion.displacement[0] = (ts_signal){.kind = TS_SIGNAL_SINE, .amplitude = 0.3, .frequency = 2.0, .phase = 0.1};
  motion.displacement[1] = (ts_signal){.kind = TS_SIGNAL_POLYNOMIAL, .count = 4, .coefficients = cubic};
  motion.rotation[2] = (ts_signal){.kind = TS_SIGNAL_POLYNOMIAL, .count = 2, .coefficients = cubic};
  return motion;
}

static ts_motion_def accelerations(ts_orientation_rule rule)
{
  ts_motion_def motion = ts_motion_def_default();
  motion.kind = TS_MOTION_ACCELERATION;
  motion.orientation = rule;
  motion.frequency = 3.0;
  const double amplitude[] = {1.0, 2.0, 0.0, 0.0, 0.0, 1.5}, phase[] = {0.1, 0.2, 0.3, 0.4, 0.5, 0.6};
  memcpy(motion.amplitude, amplitude, sizeof amplitude);
  memcpy(motion.phase, phase, sizeof phase);
  return motion;
}

static ts_motion_def centrifuge(void)
{
  ts_motion_def motion = ts_motion_def_default();
  motion.kind = TS_MOTION_ACCELERATION;
  motion.orientation = TS_ORIENTATION_INTEGRATED;
  motion.frequency = 66.0 * TS_PI;
  motion.amplitude[3] = motion.amplitude[4] = 100.0;
  motion.phase[3] = 0.5 * TS_PI;
  motion.phase[4] = TS_PI;
  return motion;
}

static void twists_and_accelerations_are_derivatives(void **state)
{
  (void)state;
  ts_motion_def spatial = pose_motion(), shaking = accelerations(TS_ORIENTATION_EXPONENTIAL);
  spatial.displacement[2] = (ts_signal){.kind = TS_SIGNAL_SINE, .amplitude = 1.0, .frequency = 1.0};
  spatial.rotation[0] = (ts_signal){.kind = TS_SIGNAL_SINE, .amplitude = 2.0, .frequency = 1.5, .phase = 0.3};
  spatial.rotation[1] = (ts_signal){.kind = TS_SIGNAL_SINE, .amplitude = 0.1, .frequency = 4.0};
  shaking.amplitude[2] = 3.0;
  shaking.amplitude[3] = 4.0;
  shaking.amplitude[4] = -5.0;
  ts_motion_def integrated = shaking;
  integrated.orientation = TS_ORIENTATION_INTEGRATED;
  const ts_motion_def planar[] = {pose_motion(), accelerations(TS_ORIENTATION_EXPONENTIAL),
                                  accelerations(TS_ORIENTATION_INTEGRATED)};
  const ts_motion_def motions[] = {spatial, shaking, integrated};
  for (int space = 0; space < 2; ++space)
    for (int i = 0; i < 3; ++i) {
      ts_model *model = space ? model_with(TS_SPACE_2D, planar[i]) : model_with(TS_SPACE_3D, motions[i]);
      for (double t = -1.0; t < 8.0; t += 0.173) {
        assert_twist_is_derivative(model, t, 1e-3, 1e-9);
        assert_acceleration_is_derivative(model, t, 1e-3, 2e-9);
      }
      ts_model_destroy(model);
    }
}

// About a fixed axis everything commutes: exp of the closed-form angle, whichever rule.
static void one_axis_has_a_closed_form(void **state)
{
  (void)state;
  for (int rule = 0; rule < 2; ++rule) {
    ts_model *model = model_with(TS_SPACE_3D, accelerations((ts_orientation_rule)rule));
    for (double t = 0.0; t < 9.0; t += 0.31) {
      ts_pose pose;
      ts_twist twist;
      ts_motion_evaluate(model, 0, t, &pose, &twist);
      assert_vec_near(pose.position,
                      (ts_vec3){1.0 - sin(3.0 * t + 0.1) / 9.0, 2.0 - 2.0 * sin(3.0 * t + 0.2) / 9.0, 3.0}, 1e-14);
      const ts_quat q = ts_quat_product(ts_quat_exp((ts_vec3){0, 0, -1.5 * sin(3.0 * t + 0.6) / 9.0}),
                                        plate(TS_SPACE_3D).pose.orientation);
      // the symmetric start is found from samples of the angle, whose peak a parabola gives to 1e-9 of it
      const double tolerance = rule == TS_ORIENTATION_INTEGRATED ? 1e-8 : 1e-14;
      assert_near(fabs(q.w * pose.orientation.w + q.x * pose.orientation.x + q.y * pose.orientation.y +
                       q.z * pose.orientation.z),
                  1.0, tolerance);
      assert_near(q.z, pose.orientation.z, tolerance);
      assert_near(twist.angular.z, -1.5 * cos(3.0 * t + 0.6) / 3.0, 1e-14);
    }
    ts_model_destroy(model);
  }
}

// reference-numbers.md 10.2: eps(0) and the yaw per period, from independent integration; analytic e_x and drift.
static void the_centrifuge_starts_and_drifts_as_the_reference_says(void **state)
{
  (void)state;
  ts_arena arena;
  jmp_buf recovery;
  ts_arena_init(&arena, NULL);
  arena.recovery = &recovery;
  assert_int_equal(setjmp(recovery), 0);
  const ts_motion_def motion = centrifuge();
  ts_orbit orbit;
  assert_true(ts_orbit_make(&motion, &arena, &orbit));
  const double w = motion.frequency, amplitude = 100.0 / (w * w);
  assert_near(orbit.start.w, 0.999999324, 5e-10);
  assert_near(orbit.start.x, -1.1630048e-3, 5e-11);
  assert_near(orbit.start.y, 4.94e-9, 5e-12);
  assert_near(orbit.start.z, -4.249253e-6, 5e-13);
  assert_near(orbit.start.x, -sin(0.5 * amplitude), amplitude * amplitude * amplitude); // to second order
  assert_near(orbit.drift.z, TS_PI * amplitude * amplitude, 1e-9); // to second order in the amplitude
  assert_near(orbit.drift.z, 1.6997e-5, 5e-10);
  ts_arena_release(&arena);
}

// The angles of R = Rz Ry Rx.
static ts_vec3 yaw_pitch_roll(ts_quat q)
{
  return (ts_vec3){atan2(2.0 * (q.w * q.x + q.y * q.z), 1.0 - 2.0 * (q.x * q.x + q.y * q.y)),
                   asin(2.0 * (q.w * q.y - q.z * q.x)),
                   atan2(2.0 * (q.w * q.z + q.x * q.y), 1.0 - 2.0 * (q.y * q.y + q.z * q.z))};
}

// reference-numbers.md 10.2: the ranges of the angles through a period, had the plate started level.
static void the_centrifuge_tilts_as_far_as_the_reference_says(void **state)
{
  (void)state;
  enum { SAMPLES = 20000 }; // a peak between two of them is missed by 1e-8 of it
  const ts_motion_def motion = centrifuge();
  ts_model *model = model_with(TS_SPACE_3D, motion);
  ts_vec3 low = {0.0, 0.0, 0.0}, high = low;
  ts_pose pose;
  ts_twist twist;
  ts_motion_evaluate(model, 0, 0.0, &pose, &twist);
  const ts_quat start = ts_quat_conjugate(pose.orientation);
  for (int k = 0; k <= SAMPLES; ++k) {
    ts_motion_evaluate(model, 0, k / 33.0 / SAMPLES, &pose, &twist);
    const ts_vec3 angles = yaw_pitch_roll(ts_quat_product(pose.orientation, start));
    low = (ts_vec3){fmin(low.x, angles.x), fmin(low.y, angles.y), fmin(low.z, angles.z)};
    high = (ts_vec3){fmax(high.x, angles.x), fmax(high.y, angles.y), fmax(high.z, angles.z)};
  }
  assert_vec_near(low, (ts_vec3){0.0, -2.32601e-3, 0.0}, 5e-9);
  assert_vec_near(high, (ts_vec3){4.6520202e-3, 2.32601e-3, 1.699702e-5}, 5e-9);
  assert_near(high.x, 4.6520202e-3, 1e-10);
  assert_near(high.z, 1.699702e-5, 1e-11);
  ts_model_destroy(model);
}

// Ten periods by Runge-Kutta in time, with steps of its own, against the table of one period.
static void later_periods_follow_from_the_first(void **state)
{
  (void)state;
  ts_motion_def motion = centrifuge();
  motion.amplitude[3] = motion.amplitude[4] = 1e4; // 0.23 rad
  motion.amplitude[5] = 5e3;
  ts_model *model = model_with(TS_SPACE_3D, motion);
  const int steps = 40000;
  const double h = 20.0 * TS_PI / motion.frequency / steps;
  ts_pose pose;
  ts_twist twist;
  ts_motion_evaluate(model, 0, 0.0, &pose, &twist);
  ts_quat q = pose.orientation;
  for (int n = 0; n < steps; ++n) { // two Gauss points and their commutator: Magnus, fourth order
    ts_twist at[2];
    const double middle = (n + 0.5) * h, offset = h * sqrt(3.0) / 6.0;
    ts_motion_evaluate(model, 0, middle - offset, &pose, &at[0]);
    ts_motion_evaluate(model, 0, middle + offset, &pose, &at[1]);
    const ts_vec3 sum = ts_scale(0.5 * h, ts_add(at[0].angular, at[1].angular));
    const ts_vec3 twisted = ts_scale(-sqrt(3.0) / 12.0 * h * h, ts_cross(at[0].angular, at[1].angular));
    q = ts_quat_product(ts_quat_exp(ts_add(sum, twisted)), q);
    if (n % 97) continue;
    ts_motion_evaluate(model, 0, (n + 1) * h, &pose, &twist);
    assert_near(pose.orientation.w, q.w, 1e-10);
    assert_near(pose.orientation.x, q.x, 1e-10);
    assert_near(pose.orientation.y, q.y, 1e-10);
    assert_near(pose.orientation.z, q.z, 1e-10);
  }
  ts_model_destroy(model);
}

static void the_exponential_rule_is_periodic(void **state)
{
  (void)state;
  ts_motion_def motion = centrifuge();
  motion.orientation = TS_ORIENTATION_EXPONENTIAL;
  ts_model *model = model_with(TS_SPACE_3D, motion);
  for (double t = 0.0; t < 0.03; t += 0.0017) {
    ts_pose now, later;
    ts_twist twist;
    ts_motion_evaluate(model, 0, t, &now, &twist);
    ts_motion_evaluate(model, 0, t + 100.0 / 33.0, &later, &twist);
    assert_near(now.orientation.x, later.orientation.x, 1e-14);
    assert_near(now.orientation.z, later.orientation.z, 1e-14);
  }
  ts_model_destroy(model);
}

// The rotation vector may turn around many times: the plane keeps count.
static void planar_angles_do_not_jump(void **state)
{
  (void)state;
  ts_motion_def motion = pose_motion();
  const double spin[] = {0.0, 50.0};
  motion.rotation[2] = (ts_signal){.kind = TS_SIGNAL_POLYNOMIAL, .count = 2, .coefficients = spin};
  ts_model *model = model_with(TS_SPACE_2D, motion);
  for (double t = 0.0; t < 3.0; t += 0.1) {
    ts_pose pose;
    ts_twist twist;
    ts_motion_evaluate(model, 0, t, &pose, &twist);
    assert_near(ts_motion_angle(model, 0, t), 0.4 + 50.0 * t, 1e-13);
    assert_near(pose.orientation.z, sin(0.5 * (0.4 + 50.0 * t)), 1e-13);
    assert_near(pose.position.z, 0.0, 0.0);
  }
  ts_model_destroy(model);
}

static void a_body_without_motion_stands_still(void **state)
{
  (void)state;
  ts_builder *builder = ts_builder_create(TS_SPACE_3D);
  ts_model *model;
  const ts_body_def def = plate(TS_SPACE_3D);
  assert_int_equal(ts_builder_add_body(builder, &def, NULL, NULL), TS_OK);
  assert_int_equal(ts_builder_finish(builder, &model, NULL), TS_OK);
  ts_pose pose;
  ts_twist twist;
  ts_motion_evaluate(model, 0, 5.0, &pose, &twist);
  assert_vec_near(pose.position, def.pose.position, 0.0);
  assert_vec_near(twist.linear, (ts_vec3){0}, 0.0);
  ts_model_destroy(model);
  ts_builder_destroy(builder);
}

static void circling(void *user, double t, ts_pose *pose, ts_twist *velocity)
{
  const double radius = *(const double *)user;
  pose->position = (ts_vec3){radius * cos(t), radius * sin(t), 0.0};
  pose->orientation = ts_quat_exp((ts_vec3){0.0, 2.0 * t, 0.0});
  velocity->linear = (ts_vec3){-radius * sin(t), radius * cos(t), 0.0};
  velocity->angular = (ts_vec3){0.0, 2.0, 0.0};
}

static void callbacks_are_absolute(void **state)
{
  (void)state;
  double radius = 2.0;
  ts_motion_def motion = ts_motion_def_default();
  motion.kind = TS_MOTION_CALLBACK;
  motion.callback = circling;
  motion.user = &radius;
  ts_model *model = model_with(TS_SPACE_3D, motion);
  ts_pose pose;
  ts_twist twist;
  ts_motion_evaluate(model, 0, 0.0, &pose, &twist);
  assert_vec_near(pose.position, (ts_vec3){2.0, 0.0, 0.0}, 0.0);
  for (double t = 0.0; t < 3.0; t += 0.3) assert_twist_is_derivative(model, t, 1e-3, 1e-10);
  ts_model_destroy(model);
}

// Shaken along x at user[0] rad/s.
static void shaking_callback(void *user, double t, ts_pose *pose, ts_twist *velocity)
{
  const double w = *(const double *)user;
  pose->position.x = sin(w * t + 0.3);
  velocity->linear.x = w * cos(w * t + 0.3);
}

static void callbacks_are_differentiated_on_their_own_time_scale(void **state)
{
  (void)state;
  for (double w = 0.1; w < 2e4; w *= 10.0) {
    ts_motion_def motion = ts_motion_def_default();
    motion.kind = TS_MOTION_CALLBACK;
    motion.callback = shaking_callback;
    motion.user = &w;
    ts_model *model = model_with(TS_SPACE_3D, motion);
    for (double t = 0.0; t < 1.0; t += 0.0917) {
      const ts_twist acceleration = ts_motion_acceleration(model, 0, t);
      assert_near(acceleration.linear.x, -w * w * sin(w * t + 0.3), 1e-9 * w * (1.0 + w));
      assert_near(acceleration.linear.y, 0.0, 0.0);
    }
    ts_model_destroy(model);
  }
}

static void large_integrated_rotations_are_refused(void **state)
{
  (void)state;
  for (double amplitude = 1e5; amplitude < 1e300; amplitude *= 1e20) {
    ts_motion_def motion = centrifuge();
    motion.amplitude[3] = amplitude;
    ts_model *model;
    ts_error error;
    assert_int_equal(build(TS_SPACE_3D, motion, &model, &error), TS_UNSUPPORTED);
    assert_null(model);
    assert_string_equal(error.text, "motion of 'plate': an orientation that is integrated must stay within a quarter "
                                    "turn, the exponential rule has no such limit");
  }
}

int main(void)
{
  const struct CMUnitTest tests[] = {
      cmocka_unit_test(twists_and_accelerations_are_derivatives),
      cmocka_unit_test(one_axis_has_a_closed_form),
      cmocka_unit_test(the_centrifuge_starts_and_drifts_as_the_reference_says),
      cmocka_unit_test(the_centrifuge_tilts_as_far_as_the_reference_says),
      cmocka_unit_test(later_periods_follow_from_the_first),
      cmocka_unit_test(the_exponential_rule_is_periodic),
      cmocka_unit_test(planar_angles_do_not_jump),
      cmocka_unit_test(a_body_without_motion_stands_still),
      cmocka_unit_test(callbacks_are_absolute),
      cmocka_unit_test(callbacks_are_differentiated_on_their_own_time_scale),
      cmocka_unit_test(large_integrated_rotations_are_refused),
  };
  return cmocka_run_group_tests(tests, NULL, NULL);
}
