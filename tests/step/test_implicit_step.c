// The implicit stepper beside closed forms and other steppers: what it may gain, first order in h, joints, moving
// floors, saved states, and what is refused. tests/pipeline/test_line_and_surface.c has the scenes of the papers.
#include "scene_run.h"
#include "world.h"

#include "base/random.h"

#include <math.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>
#include <string.h>
#include <cmocka.h>

#include "near.h"

static const double G = 9.81;
static const ts_vec3 NONE = {0.0, 0.0, 0.0};

static void begin_world(world *w, double h)
{
  world_init(w, TS_SPACE_3D);
  w->options.method = ts_stepper_find("implicit");
  w->options.size = h;
  w->options.tolerance = 1e-10;
}

// ---- energy --------------------------------------------------------------------------------------------------------

enum { BODIES = 4 };

// Kinetic energy of a twist (linear at the centre of mass) of a body with the orientation q.
static double kinetic(const ts_model *model, int body, ts_quat q, ts_twist v)
{
  double i[6];
  ts_model_body_inertia(model, body, i);
  const ts_vec3 w = ts_quat_rotate(ts_quat_conjugate(q), v.angular);
  const ts_vec3 momentum = {i[0] * w.x + i[3] * w.y + i[4] * w.z, i[3] * w.x + i[1] * w.y + i[5] * w.z,
                            i[4] * w.x + i[5] * w.y + i[2] * w.z};
  return 0.5 * (ts_model_body_mass(model, body) * ts_dot(v.linear, v.linear) + ts_dot(w, momentum));
}

// What an impulse makes of a twist: shapes here are symmetric in their frames, so that inertias are diagonal.
static ts_twist pushed(const ts_model *model, int body, ts_quat q, ts_twist v, ts_vec3 impulse, ts_vec3 moment)
{
  double i[6];
  ts_model_body_inertia(model, body, i);
  const ts_vec3 turn = ts_quat_rotate(ts_quat_conjugate(q), moment),
                rate = {turn.x / i[0], turn.y / i[1], turn.z / i[2]};
  v.linear = ts_add_scaled(v.linear, 1.0 / ts_model_body_mass(model, body), impulse);
  v.angular = ts_add(v.angular, ts_quat_rotate(q, rate));
  return v;
}

// KE(v+) - KE(v_free) of the last step, from its contacts alone; `q` are the orientations before it.
static double work_of_contacts(const world *w, const ts_quat *q)
{
  ts_twist v[BODIES];
  int count;
  double work = 0.0;
  const ts_contact *contacts = ts_sim_contacts(w->sim, &count);
  for (int b = 0; b < ts_model_body_count(w->model); ++b) v[b] = ts_sim_velocity(w->sim, b);
  for (int k = 0; k < count; ++k) {
    const ts_contact *c = &contacts[k];
    const ts_wrench own = ts_sim_contact_wrench(w->sim, k);
    const ts_vec3 spin = ts_sub(own.moment, ts_cross(c->arm_1, own.force));
    const ts_vec3 other = ts_add(spin, ts_cross(c->arm_2, own.force));
    v[c->body_1] = pushed(w->model, c->body_1, q[c->body_1], v[c->body_1], ts_negate(own.force), ts_negate(own.moment));
    if (ts_model_body_kind(w->model, c->body_2) == TS_DYNAMIC)
      v[c->body_2] = pushed(w->model, c->body_2, q[c->body_2], v[c->body_2], own.force, other);
  }
  for (int b = 0; b < ts_model_body_count(w->model); ++b)
    if (ts_model_body_kind(w->model, b) == TS_DYNAMIC)
      work += kinetic(w->model, b, q[b], ts_sim_velocity(w->sim, b)) - kinetic(w->model, b, q[b], v[b]);
  return work;
}

// sum p_n max(0, u_n+): what rows of the end of the step may cost.
static double most_gain(const world *w)
{
  int count;
  double most = 0.0;
  const ts_contact *contacts = ts_sim_contacts(w->sim, &count);
  for (int k = 0; k < count; ++k) most += contacts[k].impulse[0] * fmax(0.0, contacts[k].velocity[0]);
  return most;
}

static ts_shape draw_shape(ts_random *random)
{
  const double a = ts_random_uniform(random, 0.1, 0.3), b = ts_random_uniform(random, 0.1, 0.3);
  switch (ts_random_below(random, 4)) {
  case 0:
    return shape_box(2.0 * a, 2.0 * b, a + b);
  case 1:
    return shape_cylinder(a, 2.0 * b);
  case 2:
    return shape_capsule(a, b);
  default:
    return (ts_shape){.kind = TS_SHAPE_ELLIPSOID, .size = {a, b, 0.5 * (a + b)}};
  }
}

static void add_body(world *w, ts_random *random, const char *name, double height)
{
  ts_body_def def = ts_body_def_default();
  def.name = name;
  def.kind = TS_DYNAMIC;
  def.mass = ts_random_uniform(random, 0.5, 2.0);
  def.pose.position = (ts_vec3){ts_random_uniform(random, -0.1, 0.1), ts_random_uniform(random, -0.1, 0.1), height};
  const ts_vec3 turn = {ts_random_normal(random), ts_random_normal(random), ts_random_normal(random)};
  const double size = sqrt(1.0 + ts_dot(turn, turn));
  def.pose.orientation = (ts_quat){1.0 / size, turn.x / size, turn.y / size, turn.z / size};
  def.velocity.linear.x = ts_random_normal(random);
  def.velocity.angular = (ts_vec3){ts_random_normal(random), ts_random_normal(random), ts_random_normal(random)};
  world_add_def(w, &def, draw_shape(random));
}

static void draw_world(world *w, uint64_t seed)
{
  ts_random random;
  ts_random_init(&random, seed);
  begin_world(w, 0.005);
  world_friction(w, ts_random_uniform(&random, 0.0, 0.9), 0.0);
  world_floor(w);
  add_body(w, &random, "low", 0.5);
  add_body(w, &random, "middle", 1.1);
  add_body(w, &random, "high", 1.7);
  world_start(w);
}

static void contacts_gain_no_more_than_the_rows_of_the_end_cost(void **state)
{
  (void)state;
  double most = 0.0;
  for (uint64_t seed = 1; seed <= 12; ++seed) {
    world w;
    draw_world(&w, seed);
    for (int k = 0; k < 160; ++k) {
      ts_quat q[BODIES];
      ts_error error;
      for (int b = 0; b < BODIES; ++b) q[b] = ts_sim_pose(w.sim, b).orientation;
      assert_int_equal(ts_sim_step(w.sim, &error), TS_OK);
      if (ts_sim_report(w.sim)->substeps > 1) continue; // rows are those of the last part
      const double bound = most_gain(&w) + 1e-10 * (1.0 + ts_sim_report(w.sim)->kinetic_energy);
      assert_true(work_of_contacts(&w, q) <= bound);
      most = fmax(most, most_gain(&w));
    }
    world_release(&w);
  }
  assert_true(most > 1e-6); // there is something to bound
}

// A cube that tips over its corner, without an impact: the most of a step falls as h^2.
static void what_may_be_gained_falls_as_h_squared(void **state)
{
  (void)state;
  double before = 0.0;
  for (int k = 0; k < 4; ++k) {
    const double h = 0.01 / (1 << k);
    char size[40];
    const char *const overrides[] = {size};
    snprintf(size, sizeof size, "step.size=%.17g", h);
    scene_run r = scene_run_start(EXAMPLES "/line_and_surface_contact/cube_tips.yaml", overrides, 1);
    double most = 0.0;
    for (int i = 1; i <= (int)(0.2 / h + 0.5); ++i) {
      scene_run_to(&r, h * i);
      int count;
      const ts_contact *contacts = ts_sim_contacts(r.sim, &count);
      for (int c = 0; c < count; ++c) most = fmax(most, contacts[c].impulse[0] * contacts[c].velocity[0]);
    }
    if (k > 0) assert_true(most > before / 4.8 && most < before / 3.4);
    before = most;
    scene_run_end(&r);
  }
}

// An ellipsoid that rolls rises and falls. What it gains on the way down it loses on the way up, and a little more,
// of first order in h.
static void rolling_ellipsoid_loses_by_first_order(void **state)
{
  (void)state;
  double lost[2];
  for (int k = 0; k < 2; ++k) {
    world w;
    ts_error error;
    begin_world(&w, 0.005 / (1 << k));
    world_friction(&w, 0.9, 0.0);
    world_floor(&w);
    const ts_shape shape = {.kind = TS_SHAPE_ELLIPSOID, .size = {0.2, 0.3, 0.25}};
    const int body = world_add(&w, "ellipsoid", TS_DYNAMIC, 60.0, shape, (ts_vec3){0.0, 0.0, 0.25});
    world_start(&w);
    world_move(&w, body, (ts_vec3){1.0, 0.0, 0.0}, (ts_vec3){0.0, 4.0, 0.1});
    const double before = world_kinetic(&w) + 60.0 * G * 0.25;
    while (ts_sim_time(w.sim) < 4.0) assert_int_equal(ts_sim_step(w.sim, &error), TS_OK);
    lost[k] = before - world_kinetic(&w) - 60.0 * G * ts_sim_pose(w.sim, body).position.z;
    world_release(&w);
  }
  assert_true(lost[1] > 0.0);
  assert_near(lost[0] / lost[1], 2.0, 0.2);
}

// ---- beside stewart-trinkle ----------------------------------------------------------------------------------------

static ts_twist end_of(const char *path, const char *body, const char *method, double h, double t)
{
  char size[40], name[60];
  const char *const overrides[] = {size, name};
  snprintf(size, sizeof size, "step.size=%.17g", h);
  snprintf(name, sizeof name, "step.method=%s", method);
  scene_run r = scene_run_start(path, overrides, 2);
  scene_run_to(&r, t);
  const ts_twist v = ts_sim_velocity(r.sim, scene_run_body(&r, body));
  scene_run_end(&r);
  return v;
}

static void check_first_order(const char *path, const char *body, double t)
{
  double before = 0.0;
  for (int k = 0; k < 4; ++k) {
    const double h = 0.01 / (1 << k);
    const ts_twist a = end_of(path, body, "implicit", h, t), b = end_of(path, body, "stewart-trinkle", h, t);
    const double off = ts_length(ts_sub(a.linear, b.linear)) + ts_length(ts_sub(a.angular, b.angular));
    print_message("%s, h = %g: %g\n", body, h, off);
    if (k > 0) assert_true(off > 0.3 * before && off < 0.7 * before);
    before = off;
  }
}

static void differs_from_points_by_first_order(void **state)
{
  (void)state;
  check_first_order(EXAMPLES "/line_and_surface_contact/sphere_on_spheres.yaml", "ball", 2.0);
  check_first_order(EXAMPLES "/line_and_surface_contact/cube_tips.yaml", "cube", 0.2); // on its corner
}

// ---- joints --------------------------------------------------------------------------------------------------------

static double push_between(const scene_run *r, const char *first, const char *second)
{
  int count;
  double sum = 0.0;
  const ts_contact *contacts = ts_sim_contacts(r->sim, &count);
  const int a = scene_run_body(r, first), b = scene_run_body(r, second);
  for (int k = 0; k < count; ++k)
    if ((contacts[k].body_1 == a && contacts[k].body_2 == b) || (contacts[k].body_1 == b && contacts[k].body_2 == a))
      sum += contacts[k].impulse[0];
  return sum;
}

// A bar on a hinge falls with its end onto a ball: there it bears half of the weight, as a lever says.
static void pendulum_rests_on_a_ball(void **state)
{
  (void)state;
  scene_run r = scene_run_text(
      "touchstone: 1\ngravity: [0, 0, -9.81]\ncontact: {friction: 0.3}\nbodies:\n"
      "- {name: ball, kind: fixed, shape: {sphere: {radius: 0.1}}, position: [1, 0, -0.15]}\n"
      "- {name: bar, mass: 2, shape: {box: {size: [1.2, 0.1, 0.1]}}, position: [0.5, 0, 0.2],\n"
      "   orientation: {axis: [0, 1, 0], angle: -0.3805063771123649}, joint: {name: hinge, type: revolute,\n"
      "   at: [0.035761, 0, 0.014305], axis: [0, 1, 0]}}\n"
      "step: {method: implicit, size: 0.005, tolerance: 1e-10}\n");
  scene_run_to(&r, 2.0);
  assert_true(ts_length(ts_sim_velocity(r.sim, scene_run_body(&r, "bar")).angular) < 1e-9);
  int count;
  const ts_contact *contact = ts_sim_contacts(r.sim, &count);
  assert_int_equal(count, 1);
  const ts_joint_state hinge = ts_sim_joint(r.sim, 0);
  const ts_vec3 centre = scene_run_position(&r, "bar"), arm = ts_sub(contact->point, hinge.point[1]);
  const ts_wrench held = ts_sim_contact_wrench(r.sim, 0);
  const double weighs = 2.0 * G * 0.005 * (centre.x - hinge.point[1].x);
  assert_near(arm.x * held.force.z - arm.z * held.force.x, weighs, 1e-9); // no moment left about the hinge
  scene_run_end(&r);
}

// A slider with a motor pushes a box over the floor: face against face, with the force of friction.
static void motor_pushes_a_box(void **state)
{
  (void)state;
  scene_run r = scene_run_text(
      "touchstone: 1\ngravity: [0, 0, -9.81]\ncontact: {friction: 0.3, ellipsoid: [1, 1, 0.05]}\nbodies:\n"
      "- {name: floor, kind: fixed, shape: {plane: {normal: [0, 0, 1]}}}\n"
      "- {name: box, mass: 2, shape: {box: {size: [0.2, 0.2, 0.2]}}, position: [0.3, 0, 0.1]}\n"
      "- {name: pusher, mass: 1, shape: {box: {size: [0.1, 0.2, 0.1]}}, position: [0, 0, 0.1], joint: {name: slide,\n"
      "   type: prismatic, axis: [1, 0, 0], limits: {upper: 0.55}, motor: {velocity: {target: 0.5, max_force: 50}}}}\n"
      "pairs:\n- {bodies: [pusher, box], friction: 0}\n"
      "step: {method: implicit, size: 0.005, tolerance: 1e-10}\n");
  scene_run_to(&r, 0.8);
  assert_near(ts_sim_velocity(r.sim, scene_run_body(&r, "box")).linear.x, 0.5, 1e-9);
  assert_near(push_between(&r, "box", "pusher"), 0.3 * 2.0 * G * 0.005, 1e-9);
  assert_near(push_between(&r, "box", "floor"), 2.0 * G * 0.005, 1e-9);
  assert_near(scene_run_position(&r, "box").x - scene_run_position(&r, "pusher").x, 0.15, 1e-9);
  scene_run_to(&r, 2.0); // the slider is at its stop, the box has come to rest in front of it
  assert_near(scene_run_position(&r, "pusher").x, 0.55, 1e-8);
  assert_true(ts_length(ts_sim_velocity(r.sim, scene_run_body(&r, "box")).linear) < 1e-9);
  scene_run_end(&r);
}

// The loop of four bars with a disc over the floor, and the gripper: the same motion as with points, to first order.
// Fingers hold the cube from turning by their spin friction: a patch without it holds by its equivalent contact point
// alone, which loads of two faces against each other do not determine.
static void mechanisms_follow_stewart_trinkle(void **state)
{
  (void)state;
  static const struct {
    const char *path, *body;
    double until, tolerance;
  } cases[] = {{EXAMPLES "/four_bar/four_bar.yaml", "coupler", 0.93, 1e-9},
               {EXAMPLES "/gripper/gripper.yaml", "cube", 1.4, 1e-4}};
  for (int i = 0; i < 2; ++i) {
    ts_vec3 at[2];
    for (int k = 0; k < 2; ++k) {
      const char *const overrides[] = {k == 0 ? "step.method=implicit" : "step.method=stewart-trinkle",
                                       "step.coordinates=redundant", "step.impacts=inelastic",
                                       "contact.ellipsoid=[1, 1, 0.02]"};
      scene_run r = scene_run_start(cases[i].path, overrides, i == 0 ? 3 : 4);
      scene_run_to(&r, cases[i].until);
      at[k] = scene_run_position(&r, cases[i].body);
      scene_run_end(&r);
    }
    assert_vec_near(at[0], at[1], cases[i].tolerance);
  }
}

// ---- overlap that is given -----------------------------------------------------------------------------------------

// It is taken out of positions, not closed by velocities, which would be 2 m/s here.
static void given_overlap_gives_no_velocity(void **state)
{
  (void)state;
  world w;
  begin_world(&w, 0.005);
  w.options.start = TS_START_AS_GIVEN;
  world_floor(&w);
  const int box = world_add(&w, "box", TS_DYNAMIC, 1.0, shape_box(0.4, 0.4, 0.4), (ts_vec3){0.0, 0.0, 0.19});
  world_start(&w);
  world_steps(&w, 20);
  assert_near(ts_sim_pose(w.sim, box).position.z, 0.2, 1e-9);
  assert_true(ts_length(ts_sim_velocity(w.sim, box).linear) < 1e-8);
  world_release(&w);
}

// ---- floors that move ----------------------------------------------------------------------------------------------

static ts_signal sine(double amplitude, double frequency)
{
  return (ts_signal){.kind = TS_SIGNAL_SINE, .amplitude = amplitude, .frequency = frequency};
}

// Friction holds the box on a floor that swings to and fro and up and down, less than gravity and friction allow.
static void box_goes_with_the_floor(void **state)
{
  (void)state;
  world w;
  ts_error error;
  begin_world(&w, 0.005);
  world_friction(&w, 0.5, 0.0);
  ts_motion_def motion = ts_motion_def_default();
  motion.body = world_add(&w, "floor", TS_KINEMATIC, 0.0, shape_plane((ts_vec3){0.0, 0.0, 1.0}, 0.0), NONE);
  motion.displacement[0] = sine(0.02, 8.0);
  motion.displacement[2] = sine(0.03, 10.0);
  assert_int_equal(ts_builder_add_motion(w.builder, &motion, NULL, &error), TS_OK);
  const int box = world_add(&w, "box", TS_DYNAMIC, 1.0, shape_box(0.4, 0.4, 0.2), (ts_vec3){0.0, 0.0, 0.1});
  world_start(&w);
  world_move(&w, box, (ts_vec3){0.16, 0.0, 0.3}, NONE);
  for (int k = 1; k <= 400; ++k) {
    world_step(&w);
    const ts_pose floor = ts_sim_pose(w.sim, motion.body), pose = ts_sim_pose(w.sim, box);
    assert_near(pose.position.z - floor.position.z, 0.1, 1e-9);
    assert_near(pose.position.x, floor.position.x, 1e-3); // sticks to the floor's velocity at the end of the step
    assert_near(ts_sim_velocity(w.sim, box).linear.x, ts_sim_velocity(w.sim, motion.body).linear.x, 1e-8);
    assert_near(fabs(pose.orientation.w), 1.0, 1e-12);
  }
  world_release(&w);
}

// ---- saved states --------------------------------------------------------------------------------------------------

static void resumes_to_the_bit(void **state)
{
  (void)state;
  world w;
  world_state saved, first, second;
  draw_world(&w, 3);
  for (int k = 0; k < 70; ++k) world_step(&w);
  world_save(&w, &saved);
  for (int k = 0; k < 70; ++k) world_step(&w);
  world_save(&w, &first);
  ts_sim_destroy(w.sim);
  world_simulate(&w);
  world_load(&w, &saved);
  for (int k = 0; k < 70; ++k) world_step(&w);
  world_save(&w, &second);
  assert_int_equal(first.size, second.size);
  assert_memory_equal(first.numbers, second.numbers, first.size * sizeof *first.numbers);
  world_release(&w);
}

// ---- refusals ------------------------------------------------------------------------------------------------------

// `at`: the line that is blamed.
static void check_refusal(const char *line, const char *sentence, int at)
{
  char text[600];
  ts_scene *scene = NULL;
  ts_sim *sim = NULL;
  ts_error error = {.line = 0};
  snprintf(text, sizeof text,
           "touchstone: 1\nbodies:\n- {name: floor, kind: fixed, shape: {plane: {normal: [0, 0, 1]}}}\n"
           "- {name: ball, mass: 1, shape: {sphere: {radius: 1}}, position: [0, 0, 1]}\n%s\n",
           line);
  ts_status status = ts_scene_parse(text, strlen(text), "scene", NULL, 0, &scene, &error);
  if (status == TS_OK) status = ts_sim_create(ts_scene_model(scene), ts_scene_options(scene), NULL, &sim, &error);
  assert_int_equal(status, TS_UNSUPPORTED);
  assert_string_equal(error.text, sentence);
  assert_int_equal(error.line, at);
  ts_scene_destroy(scene);
}

static void refuses_what_it_has_no_law_for(void **state)
{
  (void)state;
  check_refusal("step: {method: implicit, cone: {polyhedral: {directions: 8}}}",
                "implicit has friction of whole patches, by ellipsoids; it goes with cone: quadratic", 5);
  check_refusal("step: {method: implicit, coordinates: minimal}",
                "implicit takes bodies at the end of the step one by one; it goes with coordinates: redundant", 5);
  static const char *const laws[] = {"newton", "poisson"};
  for (int k = 0; k < 2; ++k) {
    char line[80];
    snprintf(line, sizeof line, "step: {method: implicit, impacts: %s}", laws[k]);
    check_refusal(
        line, "implicit knows inelastic impacts alone; stewart-trinkle, velocity and event-driven have other laws", 5);
  }
  check_refusal("contact: {restitution: 0.5}\nstep: {method: implicit}",
                "implicit lets nothing rebound: take out the restitution, or say impacts: inelastic", 6);
  check_refusal("step: {method: implicit-compliant, formulation: mncp}",
                "formulation: mncp goes with method: implicit, not with implicit-compliant", 5);
  check_refusal("step: {method: stewart-trinkle, formulation: mncp}",
                "formulation: mncp goes with method: implicit, not with stewart-trinkle", 5);
  static const char *const rules[] = {"full", "capped", "none"};
  for (int k = 0; k < 3; ++k) {
    char line[80];
    snprintf(line, sizeof line, "step: {method: implicit, stabilization: %s}", rules[k]);
    check_refusal(line, "implicit closes gaps at the end of every step; it has no other rule of stabilization", 5);
  }
}

int main(void)
{
  const struct CMUnitTest tests[] = {cmocka_unit_test(contacts_gain_no_more_than_the_rows_of_the_end_cost),
                                     cmocka_unit_test(what_may_be_gained_falls_as_h_squared),
                                     cmocka_unit_test(rolling_ellipsoid_loses_by_first_order),
                                     cmocka_unit_test(differs_from_points_by_first_order),
                                     cmocka_unit_test(pendulum_rests_on_a_ball),
                                     cmocka_unit_test(motor_pushes_a_box),
                                     cmocka_unit_test(mechanisms_follow_stewart_trinkle),
                                     cmocka_unit_test(given_overlap_gives_no_velocity),
                                     cmocka_unit_test(box_goes_with_the_floor),
                                     cmocka_unit_test(resumes_to_the_bit),
                                     cmocka_unit_test(refuses_what_it_has_no_law_for)};
  return cmocka_run_group_tests(tests, NULL, NULL);
}
