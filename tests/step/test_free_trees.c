// Free trees in minimal coordinates: momentum is that of the start and of what acts from outside, whatever joints,
// gears, stops and drives do inside, and energy is not made of it. Momenta are summed from public figures.
#include "mechanism.h"

#include "touchstone/scene.h"

#include <math.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdio.h>
#include <cmocka.h>

#include "near.h"
#include "scene_run.h"

static const ts_vec3 NONE = {0.0, 0.0, 0.0};

static void must(ts_status status, const ts_error *error)
{
  if (status != TS_OK) fail_msg("%s", error->text);
}

// ---- balances ------------------------------------------------------------------------------------------------------

// Momentum, about the origin, and the size of what it is a sum of.
typedef struct momentum {
  ts_vec3 linear, angular;
  double linear_size, angular_size;
  ts_vec3 centre; // of mass
} momentum;

static ts_vec3 spin_of(const ts_sim *sim, int body)
{
  const ts_quat q = ts_sim_pose(sim, body).orientation;
  const ts_vec3 w = ts_quat_rotate(ts_quat_conjugate(q), ts_sim_velocity(sim, body).angular);
  double i[6];
  ts_model_body_inertia(ts_sim_model(sim), body, i);
  const ts_vec3 own = {i[0] * w.x + i[3] * w.y + i[4] * w.z, i[3] * w.x + i[1] * w.y + i[5] * w.z,
                       i[4] * w.x + i[5] * w.y + i[2] * w.z};
  return ts_quat_rotate(q, own);
}

// Bodies have their centres of mass at their origins.
static momentum momentum_of(const ts_sim *sim)
{
  const ts_model *model = ts_sim_model(sim);
  momentum sum = {0};
  double mass = 0.0;
  for (int b = 0; b < ts_model_body_count(model); ++b) {
    if (ts_model_body_kind(model, b) != TS_DYNAMIC) continue;
    const ts_vec3 p = ts_scale(ts_model_body_mass(model, b), ts_sim_velocity(sim, b).linear);
    const ts_vec3 orbit = ts_cross(ts_sim_pose(sim, b).position, p), spin = spin_of(sim, b);
    sum.linear = ts_add(sum.linear, p);
    sum.angular = ts_add(sum.angular, ts_add(orbit, spin));
    sum.centre = ts_add_scaled(sum.centre, ts_model_body_mass(model, b), ts_sim_pose(sim, b).position);
    mass += ts_model_body_mass(model, b);
    sum.linear_size += ts_length(p);
    sum.angular_size += ts_length(orbit) + ts_length(spin);
  }
  sum.centre = ts_scale(1.0 / mass, sum.centre);
  return sum;
}

// What weight gives in a step of length h from the present state.
static void add_weight(const ts_sim *sim, double h, ts_vec3 gravity, momentum *sum)
{
  const ts_model *model = ts_sim_model(sim);
  for (int b = 0; b < ts_model_body_count(model); ++b) {
    if (ts_model_body_kind(model, b) != TS_DYNAMIC) continue;
    const ts_vec3 p = ts_scale(h * ts_model_body_mass(model, b), gravity);
    sum->linear = ts_add(sum->linear, p);
    sum->angular = ts_add(sum->angular, ts_cross(ts_sim_pose(sim, b).position, p));
  }
}

static double side_of(const ts_model *model, const ts_contact *contact)
{
  const double first = ts_model_body_kind(model, contact->body_1) == TS_DYNAMIC ? 1.0 : 0.0;
  const double second = ts_model_body_kind(model, contact->body_2) == TS_DYNAMIC ? 1.0 : 0.0;
  return first - second;
}

// What the contacts of the last step gave, as they are reported.
static void add_contacts(const ts_sim *sim, momentum *sum)
{
  int count;
  const ts_contact *contacts = ts_sim_contacts(sim, &count);
  for (int i = 0; i < count; ++i) {
    const double side = side_of(ts_sim_model(sim), &contacts[i]);
    const ts_wrench given = ts_sim_contact_wrench(sim, i);
    sum->linear = ts_add_scaled(sum->linear, side, given.force);
    sum->angular = ts_add_scaled(sum->angular, side, ts_cross(contacts[i].point, given.force));
  }
}

static double missing(const momentum *expected, const momentum *found)
{
  return fmax(ts_length(ts_sub(expected->linear, found->linear)) / found->linear_size,
              ts_length(ts_sub(expected->angular, found->angular)) / found->angular_size);
}

// Angular momentum about the center of mass, whose way is of first order in h where something is touched.
static void take_about_centre(momentum *sum)
{
  sum->angular = ts_sub(sum->angular, ts_cross(sum->centre, sum->linear));
}

// ---- with contacts -------------------------------------------------------------------------------------------------

// A linkage at 80 rad/s with a servo, a motor and a gear, that meets the floor and a body that shakes.
static void reported_impulses_are_all_that_changes_momentum(void **state)
{
  (void)state;
  static const ts_vec3 gravity = {-2.678814739278148, -4.537651012039476, -0.22952583706640528};
  static const char *const methods[] = {"step.method=stewart-trinkle", "step.method=velocity"};
  for (int m = 0; m < 2; ++m) {
    ts_scene *scene;
    ts_sim *sim;
    ts_error error;
    int touched = 0;
    double worst = 0.0;
    must(ts_scene_read(TEST_DATA "/scenes/fast_free_linkage.yaml", &methods[m], 1, &scene, &error), &error);
    must(ts_sim_create(ts_scene_model(scene), ts_scene_options(scene), NULL, &sim, &error), &error);
    for (int k = 0; k < 100; ++k) {
      momentum expected = momentum_of(sim);
      add_weight(sim, ts_scene_options(scene)->size, gravity, &expected);
      must(ts_sim_step(sim, &error), &error);
      assert_true(ts_sim_report(sim)->certified);
      assert_int_equal(ts_sim_report(sim)->substeps, 1);
      add_contacts(sim, &expected);
      touched += ts_sim_report(sim)->contacts;
      momentum found = momentum_of(sim);
      take_about_centre(&expected);
      take_about_centre(&found);
      worst = fmax(worst, missing(&expected, &found));
    }
    print_message("%s: %.2g of the momentum is not explained, %d contacts\n", methods[m], worst, touched);
    assert_true(touched > 50 && worst < 1e-11);
    ts_sim_destroy(sim);
    ts_scene_destroy(scene);
  }
}

// Three links of a tree that folds: its ends meet, and push each other. They are near each other before and after.
// Nothing acts from outside, so that momentum about a fixed point stays, too.
static void contacts_within_a_tree_leave_its_momentum(void **state)
{
  (void)state;
  static const char *const methods[] = {"stewart-trinkle", "velocity"};
  for (int m = 0; m < 2; ++m) {
    char text[2000];
    snprintf(
        text, sizeof text,
        "touchstone: 1\n"
        "gravity: [0, 0, 0]\n"
        "bodies:\n"
        "- {name: a, mass: 0.3, inertia: [0.011, 0.012, 0.01], shape: {sphere: {radius: 0.3}}, position: [0, 0, 0], "
        "velocity: [2, 1, 0], angular_velocity: [3, 40, 20]}\n"
        "- {name: b, mass: 0.8, inertia: [0.02, 0.01, 0.015], shape: {sphere: {radius: 0.05}}, position: [0.33, 0.5, "
        "0]}\n"
        "- {name: c, mass: 0.1, inertia: [0.003, 0.004, 0.0035], shape: {sphere: {radius: 0.3}}, position: [0.64, 0, "
        "0.1], angular_velocity: [0, 5, -30]}\n"
        "joints:\n"
        "- {name: j, type: revolute, parent: a, child: b, axis: [0.1, 0.2, 1], at: [0.2, 0.4, 0]}\n"
        "- {name: k, type: spherical, parent: b, child: c, at: [0.1, -0.1, 0]}\n"
        "step: {size: 0.005, method: %s, coordinates: minimal}\n"
        "duration: 0.2\n",
        methods[m]);
    scene_run run = scene_run_text(text);
    const momentum start = momentum_of(run.sim);
    ts_error error;
    int near = 0, pushing = 0;
    double worst = 0.0;
    for (int k = 0; k < 40; ++k) {
      must(ts_sim_step(run.sim, &error), &error);
      assert_true(ts_sim_report(run.sim)->certified);
      int count;
      const ts_contact *contacts = ts_sim_contacts(run.sim, &count);
      near += count > 0;
      pushing += count > 0 && contacts[0].impulse[0] > 0.0;
      const momentum found = momentum_of(run.sim);
      worst = fmax(worst, missing(&start, &found));
    }
    print_message("%s: %.2g of the momentum is lost, near in %d steps, pushing in %d\n", methods[m], worst, near,
                  pushing);
    assert_true(near > pushing && pushing > 0 && worst < 1e-11);
    scene_run_end(&run);
  }
}

// ---- without forces ------------------------------------------------------------------------------------------------

typedef struct tree_case {
  ts_space space;
  bool geared, stopped, driven;
} tree_case;

static ts_vec3 about(ts_space space, ts_vec3 axis)
{
  return space == TS_SPACE_2D ? (ts_vec3){0.0, 0.0, 1.0} : axis;
}

static ts_twist turning(ts_space space, double fast, ts_vec3 angular)
{
  return (ts_twist){{0.3 * fast, -0.2 * fast, space == TS_SPACE_2D ? 0.0 : 0.1 * fast}, about(space, angular)};
}

// Three bodies and two hinges, far from the origin; the first turns at 12 rad/s, the others as far as joints
// carry them along.
static void build(world *w, const tree_case *c)
{
  ts_error error;
  world_init(w, c->space);
  ts_builder_set_gravity(w->builder, NONE);
  const ts_vec3 moments[] = {{0.011, 0.008, 0.004}, {0.002, 0.008, 0.009}, {0.003, 0.006, 0.004}};
  const ts_vec3 at[] = {{5.0, 3.0, 0.0}, {5.3, 3.0, 0.0}, {5.3, 3.3, 0.0}};
  static const char *const names[] = {"a", "b", "c"};
  int body[3], joint[2];
  for (int k = 0; k < 3; ++k) body[k] = mechanism_body(w, names[k], 1.0 - 0.25 * k, moments[k], at[k]);
  for (int k = 0; k < 2; ++k) {
    const ts_vec3 point = k == 0 ? (ts_vec3){0.15, 0.0, 0.0} : (ts_vec3){0.0, 0.15, 0.0};
    const ts_vec3 axis = about(c->space, k == 0 ? (ts_vec3){0.0, 0.0, 1.0} : (ts_vec3){1.0, 0.0, 0.0});
    ts_joint_def def = mechanism_joint(TS_JOINT_REVOLUTE, body[k], body[k + 1], point, axis);
    if (k == 1 && c->stopped) {
      def.limited = true;
      def.lower = -0.2;
      def.upper = 0.2;
    }
    if (k == 0 && c->driven)
      def.motor = (ts_motor){.kind = TS_MOTOR_VELOCITY, .target = ts_signal_constant(2.0), .max_force = 5.0};
    joint[k] = mechanism_add(w, &def);
  }
  if (!c->geared) return;
  const ts_gear_term term = {joint[0], 2.0};
  ts_gear_def gear = ts_gear_def_default();
  gear.joint = joint[1];
  gear.terms = &term;
  gear.term_count = 1;
  must(ts_builder_add_gear(w->builder, &gear, NULL, &error), &error);
}

static void start(world *w, const tree_case *c, double fast)
{
  world_start(w);
  ts_error error;
  const ts_twist v = turning(c->space, fast, (ts_vec3){5.0, 3.0, 10.0});
  must(ts_sim_set_velocity(w->sim, 0, &v, &error), &error);
}

// Largest change of momentum over 250 steps, a share of its size; the energy at the end, a share of that
// after the first.
static double drift_of(const tree_case *c, ts_step_options options, double *energy)
{
  world w;
  build(&w, c);
  options.coordinates = TS_COORDINATES_MINIMAL;
  w.options = options;
  start(&w, c, 1.0);
  const momentum first = momentum_of(w.sim);
  world_step(&w); // gears catch up with each other
  const double before = world_kinetic(&w);
  double worst = 0.0;
  for (int k = 0; k < 250; ++k) {
    world_step(&w);
    const momentum now = momentum_of(w.sim);
    worst = fmax(worst, missing(&first, &now));
  }
  *energy = world_kinetic(&w) / before;
  world_release(&w);
  return worst;
}

static void trees_keep_momentum_and_energy(void **state)
{
  (void)state;
  static const ts_gyroscopic kinds[] = {TS_GYROSCOPIC_MIDPOINT, TS_GYROSCOPIC_IMPLICIT, TS_GYROSCOPIC_EXPLICIT};
  static const tree_case cases[] = {{TS_SPACE_3D, false, false, false}, {TS_SPACE_3D, true, false, false},
                                    {TS_SPACE_3D, false, true, false},  {TS_SPACE_3D, false, false, true},
                                    {TS_SPACE_2D, false, false, false}, {TS_SPACE_2D, true, false, false},
                                    {TS_SPACE_2D, false, true, true}};
  for (size_t k = 0; k < sizeof cases / sizeof cases[0]; ++k)
    for (int method = 0; method < 2; ++method)
      for (int g = 0; g < 3; ++g) {
        const tree_case *c = &cases[k];
        ts_step_options options = ts_step_options_default();
        options.method = fixed_stepper(method);
        options.size = 4e-3;
        options.gyroscopic = kinds[g];
        double energy;
        const double drift = drift_of(c, options, &energy);
        print_message("case %d, stepper %d, products %d: momentum %.2g, energy %.6f\n", (int)k, method, g, drift,
                      energy);
        assert_true(drift < 1e-11);
        // A gear turns the joints back, where there is next to nothing to scale.
        if (!c->stopped && !c->driven) assert_near(energy, 1.0, c->geared ? 2e-3 : 1e-9);
      }
}

// Joints turn alike in a tree that flies fast and in one that does not.
static void joints_turn_alike_however_fast_the_tree_flies(void **state)
{
  (void)state;
  static const tree_case cases[] = {{TS_SPACE_3D, false, false, false}, {TS_SPACE_3D, true, false, false},
                                    {TS_SPACE_3D, false, true, false},  {TS_SPACE_3D, false, false, true},
                                    {TS_SPACE_2D, false, true, false},  {TS_SPACE_2D, true, false, true}};
  for (size_t k = 0; k < sizeof cases / sizeof cases[0]; ++k)
    for (int method = 0; method < 2; ++method) {
      double position[2][2];
      for (int fast = 0; fast < 2; ++fast) {
        world w;
        build(&w, &cases[k]);
        w.options = ts_step_options_default();
        w.options.method = fixed_stepper(method);
        w.options.size = 4e-3;
        w.options.coordinates = TS_COORDINATES_MINIMAL;
        start(&w, &cases[k], fast ? 100.0 : 0.0);
        for (int n = 0; n < 50; ++n) world_step(&w);
        for (int j = 0; j < 2; ++j) position[fast][j] = ts_sim_joint_position(w.sim, j, NULL);
        world_release(&w);
      }
      for (int j = 0; j < 2; ++j) assert_near(position[1][j], position[0][j], 1e-8);
    }
}

// ---- little motion in the joints -----------------------------------------------------------------------------------

static double rate_at_end(const char *const *settings, int count)
{
  ts_scene *scene;
  ts_sim *sim;
  ts_error error;
  must(ts_scene_read(TEST_DATA "/scenes/screw_begins_to_slide.yaml", settings, count, &scene, &error), &error);
  must(ts_sim_create(ts_scene_model(scene), ts_scene_options(scene), NULL, &sim, &error), &error);
  const double h = ts_scene_options(scene)->size;
  const int steps = (int)round(ts_scene_duration(scene) / h);
  for (int k = 0; k < steps; ++k) must(ts_sim_step(sim, &error), &error);
  double rate;
  ts_sim_joint_position(sim, 0, &rate);
  ts_sim_destroy(sim);
  ts_scene_destroy(scene);
  return rate;
}

// The screw has 1e-6 of the energy, whose error of first order is far larger. Against motion from event to event and
// short steps in redundant coordinates.
static void a_joint_begins_to_slide_on_a_body_that_turns(void **state)
{
  (void)state;
  const char *exact[] = {"step.method=event-driven"}, *half[] = {"step.size=2.5e-4"};
  const char *redundant[] = {"step.coordinates=redundant", "step.size=2e-5"};
  const double expected = rate_at_end(exact, 1), own = rate_at_end(NULL, 0), finer = rate_at_end(half, 1);
  print_message("rates %.6f, %.6f, %.6f\n", own, finer, expected);
  assert_near(rate_at_end(redundant, 2), expected, 2e-3 * fabs(expected));
  assert_near(own, expected, 5e-3 * fabs(expected));
  assert_near(finer, expected, 2e-3 * fabs(expected));
}

int main(void)
{
  const struct CMUnitTest tests[] = {
      cmocka_unit_test(a_joint_begins_to_slide_on_a_body_that_turns),
      cmocka_unit_test(contacts_within_a_tree_leave_its_momentum),
      cmocka_unit_test(reported_impulses_are_all_that_changes_momentum),
      cmocka_unit_test(trees_keep_momentum_and_energy),
      cmocka_unit_test(joints_turn_alike_however_fast_the_tree_flies),
  };
  return cmocka_run_group_tests(tests, NULL, NULL);
}
