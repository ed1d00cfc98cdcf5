// A four-bar linkage with a contact on its coupler (reference-numbers.md 7, FB1): a loop closed by rows, in the plane
// and in space, in minimal and redundant coordinates, against an event-driven reference in the crank's angle.
#include "number_table.h"

#include "touchstone/dynamics.h"
#include "touchstone/scene.h"

#include <math.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdio.h>
#include <cmocka.h>

static const char *const scenes[] = {EXAMPLES "/four_bar/four_bar.yaml", TEST_DATA "/scenes/four_bar_3d.yaml"};
static const char *const coordinates[] = {"step.coordinates=minimal", "step.coordinates=redundant"};

typedef struct linkage_run {
  ts_scene *scene;
  ts_sim *sim;
  double closure; // largest error of a joint so far [m]
} linkage_run;

static linkage_run start(const char *path, const char *const *overrides, int count)
{
  linkage_run run = {0};
  ts_error error;
  if (ts_scene_read(path, overrides, count, &run.scene, &error) != TS_OK) fail_msg("%s: %s", path, error.text);
  if (ts_sim_create(ts_scene_model(run.scene), ts_scene_options(run.scene), NULL, &run.sim, &error) != TS_OK)
    fail_msg("%s: %s", path, error.text);
  return run;
}

static void finish(linkage_run *run)
{
  ts_sim_destroy(run->sim);
  ts_scene_destroy(run->scene);
}

static void step(linkage_run *run)
{
  ts_error error;
  if (ts_sim_step(run->sim, &error) != TS_OK) fail_msg("%s", error.text);
  assert_true(ts_sim_report(run->sim)->certified);
  run->closure = fmax(run->closure, ts_sim_report(run->sim)->joint_error);
}

static double crank_angle(const linkage_run *run, double *rate)
{
  return 2.0 + ts_sim_joint_position(run->sim, 0, rate);
}

static linkage_run start_with_step(const char *path, const char *coordinate, double h)
{
  char size[40], rest[60];
  snprintf(size, sizeof size, "step.size=%g", h);
  snprintf(rest, sizeof rest, "step.rest_speed=%g", 2.0 * 9.81 * h);
  return start(path, (const char *const[]){coordinate, size, rest}, 3);
}

// Errors of the crank's angle [rad] at 0.40 s, before the first impact, and the largest one at all samples.
static void run_errors(linkage_run *run, const number_table *reference, double *before, double *largest)
{
  *largest = 0.0;
  for (int row = 0; row < reference->rows; ++row) {
    const double t = number_table_at(reference, row, 0);
    while (ts_sim_time(run->sim) < t - 1e-9) step(run);
    const double error = fabs(crank_angle(run, NULL) - number_table_at(reference, row, 1));
    *largest = fmax(*largest, error);
    if (fabs(t - 0.40) < 1e-9) *before = error;
  }
}

// In minimal coordinates as listed in reference-numbers.md 7, in redundant ones of the same order. An impact that is
// noticed up to a step late shifts what comes after it by up to 14 rad/s times that step, and times what the flight
// lags.
static void check_errors(const char *path, const char *coordinate, bool minimal, const number_table *reference)
{
  static const double steps[] = {1e-3, 5e-4, 2.5e-4}, listed[] = {3.7e-3, 1.9e-3, 9.4e-4};
  double closure[3];
  for (int k = 0; k < 3; ++k) {
    linkage_run run = start_with_step(path, coordinate, steps[k]);
    double before = NAN, largest;
    run_errors(&run, reference, &before, &largest);
    closure[k] = run.closure;
    print_message("%s, h = %g s: error %.3g rad at 0.40 s, %.3g rad at most, joints open by %.2g m\n", coordinate,
                  steps[k], before, largest, run.closure);
    assert_true(fabs(before - listed[k]) < (minimal ? 0.02 : 0.1) * listed[k]);
    assert_true(largest < 20.0 * steps[k]);
    finish(&run);
  }
  assert_true(closure[0] < 1.3e-5);
  assert_true(closure[0] / closure[1] > 3.8 && closure[1] / closure[2] > 3.8); // O(h^2)
}

static void errors_and_order(void **state)
{
  (void)state;
  number_table reference = number_table_need_csv(TEST_DATA "/pendulum/four_bar.csv");
  for (int s = 0; s < 2; ++s)
    for (int c = 0; c < 2; ++c) check_errors(scenes[s], coordinates[c], c == 0, &reference);
  number_table_release(&reference);
}

// With e = 0 the linkage comes to rest on the floor, which carries 38.772111 N at the undisturbed contact angle; the
// disc has sunk by up to a step's way.
static void floor_carries_its_weight(void **state)
{
  (void)state;
  for (int s = 0; s < 2; ++s)
    for (int c = 0; c < 2; ++c) {
      linkage_run run = start(scenes[s], (const char *const[]){coordinates[c], "contact.restitution=0"}, 2);
      while (ts_sim_time(run.sim) < 1.0) step(&run);
      int count;
      const ts_contact *contacts = ts_sim_contacts(run.sim, &count);
      double rate;
      const double angle = crank_angle(&run, &rate);
      assert_int_equal(count, 1);
      const double force = contacts[0].impulse[0] / ts_sim_options(run.sim)->size;
      print_message("at rest: %.6f N, crank at %.6f rad\n", force, angle);
      assert_true(fabs(force - 38.772111) < 3.5e-3 * 38.772111);
      assert_true(fabs(angle - 3.281453872467) < 1e-2 && fabs(rate) < 1e-9);
      finish(&run);
    }
}

// The loop is what the crank's angle alone says: C lies 1 m from B and 0.8 m from D.
static void loop_stays_closed(void **state)
{
  (void)state;
  for (int c = 0; c < 2; ++c) {
    linkage_run run = start(scenes[0], (const char *const[]){coordinates[c]}, 1);
    for (int k = 0; k < 930; ++k) {
      step(&run);
      const double angle = crank_angle(&run, NULL);
      const ts_vec3 pin = ts_sim_joint(run.sim, 2).point[0];
      assert_true(fabs(hypot(pin.x - 0.4 * cos(angle), pin.y - 1.0 - 0.4 * sin(angle)) - 1.0) < 3e-5);
      assert_true(fabs(hypot(pin.x - 1.0, pin.y - 1.0) - 0.8) < 3e-5);
    }
    finish(&run);
  }
}

// ---- where the loop is cut ------------------------------------------------------------------------------------------

static const char *const cuts[] = {"A.closes_loop=true", "B.closes_loop=true", "C.closes_loop=true",
                                   "D.closes_loop=true"};

static linkage_run start_cut(const char *path, const char *cut, const char *method, double h)
{
  char size[40];
  snprintf(size, sizeof size, "step.size=%g", h);
  return start(path, (const char *const[]){"step.coordinates=minimal", cut, method, size}, 4);
}

static double angle_at(linkage_run *run, double t)
{
  while (ts_sim_time(run->sim) < t - 1e-9) step(run);
  return crank_angle(run, NULL);
}

// The reference in the crank's angle, by reference-numbers.md 7: whichever joint closes the loop the motion is this
// one. Flight is integrated to 1e-13 a step and loops are closed to round-off after each: 1e-9 rad is what impacts are
// listed to.
static void event_driven_motion_is_that_of_the_loop(void **state)
{
  (void)state;
  for (int s = 0; s < 2; ++s)
    for (int k = 0; k < 4; ++k) {
      linkage_run run = start_cut(scenes[s], cuts[k], "step.method=event-driven", 0.01);
      const double before = angle_at(&run, 0.40) - 3.122928718360;
      print_message("%s: %.2g rad from the reference\n", cuts[k], before);
      assert_true(fabs(before) < 1e-9);
      finish(&run);
    }
}

// With steps of fixed length coordinates of a tree move by h v, an error of first order that depends on which joints
// they are; what the closure has opened by after a step is of second order and is pushed back in the next. So angles
// are a + b h + c h^2, a that of the reference for all cuts, and extrapolation from h and h/2 leaves -c h^2/2. The rate
// grows to 8 rad/s in 0.4 s: a second derivative of the error of 8^2 rad/s^2 and some more is what c can be.
static void fixed_steps_converge_to_it_for_every_cut(void **state)
{
  const double h = 1e-3;
  (void)state;
  for (int k = 0; k < 4; ++k) {
    double error[2], closure[2];
    for (int half = 0; half < 2; ++half) {
      linkage_run run = start_cut(scenes[0], cuts[k], "step.method=velocity", half ? 0.5 * h : h);
      error[half] = angle_at(&run, 0.40) - 3.122928718360;
      closure[half] = run.closure;
      finish(&run);
    }
    print_message("%s: errors %.3g, %.3g rad, extrapolated %.2g; open by %.2g, %.2g m\n", cuts[k], error[0], error[1],
                  2.0 * error[1] - error[0], closure[0], closure[1]);
    assert_true(fabs(2.0 * error[1] - error[0]) < 100.0 * h * h);
    assert_true(closure[0] / closure[1] > 3.8);
  }
}

// Of a loop one joint is left over, and nobody has to say which: naming the one that would be changes no bit.
static void default_cut_can_be_named(void **state)
{
  (void)state;
  linkage_run plain = start(scenes[0], (const char *const[]){"step.coordinates=minimal"}, 1);
  linkage_run named = start(scenes[0], (const char *const[]){"step.coordinates=minimal", cuts[2]}, 2);
  for (int k = 0; k < 930; ++k) {
    step(&plain);
    step(&named);
    assert_true(crank_angle(&plain, NULL) == crank_angle(&named, NULL));
  }
  finish(&plain);
  finish(&named);
}

// Every joint a row: bodies are free but for these, as in redundant coordinates.
static void all_joints_may_be_rows(void **state)
{
  (void)state;
  const char *const all[] = {
      "step.coordinates=minimal", "step.method=event-driven", "step.size=0.01", cuts[0], cuts[1], cuts[2], cuts[3]};
  linkage_run run = start(scenes[0], all, 7);
  assert_true(fabs(angle_at(&run, 0.40) - 3.122928718360) < 1e-9);
  finish(&run);
}

// Of a loop of four bodies, the world among them, the tree has three joints: each body hangs on its neighbour away from
// the cut.
static void trees_are_those_that_were_stated(void **state)
{
  static const char *const parents[4][3] = {// of crank, coupler, rocker
                                            {"coupler", "rocker", NULL},
                                            {NULL, "rocker", NULL},
                                            {NULL, "crank", NULL},
                                            {NULL, "crank", "coupler"}};
  (void)state;
  for (int k = 0; k < 4; ++k) {
    linkage_run run = start_cut(scenes[0], cuts[k], "step.method=event-driven", 0.01);
    const ts_model *model = ts_scene_model(run.scene);
    ts_dynamics *d;
    assert_int_equal(ts_dynamics_create(model, NULL, &d, NULL), TS_OK);
    assert_int_equal(ts_dynamics_rate_count(d), 3);
    assert_int_equal(ts_dynamics_closure_count(d), 1);
    assert_int_equal(ts_dynamics_closure_at(d, 0), k);
    assert_true(ts_dynamics_loop_error(d) < 1e-12);
    for (int i = 0; i < 3; ++i) {
      const ts_dynamics_node node = ts_dynamics_node_at(d, i);
      const char *parent = parents[k][node.body - 1]; // body 0 is the floor
      if (parent)
        assert_string_equal(ts_model_body_name(model, node.parent), parent);
      else
        assert_int_equal(node.parent, TS_WORLD);
      assert_int_not_equal(node.joint, k);
    }
    ts_dynamics_destroy(d);
    finish(&run);
  }
}

// ---- event-driven --------------------------------------------------------------------------------------------------

// Impacts as listed in reference-numbers.md 7, with half the rate and half the impulse of the one before.
static void it_hits_the_floor_when_it_should(void **state)
{
  static const double times[] = {0.418469380598, 0.686361626848, 0.817603276640,
                                 0.883171130486, 0.915958662119, 0.932353214355};
  static const char *const overrides[] = {"step.method=event-driven", "step.size=0.005", "step.tolerance=1e-12",
                                          "step.rest_speed=0"};
  (void)state;
  for (int s = 0; s < 2; ++s) {
    linkage_run run = start(scenes[s], overrides, 4);
    for (int seen = 0; seen < 6;) {
      step(&run);
      const ts_step_report *report = ts_sim_report(run.sim);
      if (fabs(ts_sim_time(run.sim) - 0.40) < 1e-9) {
        double rate;
        assert_true(fabs(crank_angle(&run, &rate) - 3.122928718360) < 1e-10);
        assert_true(fabs(rate - 8.021116696885) < 1e-9);
      }
      if (report->events == 0) continue;
      int count;
      const ts_contact *contacts = ts_sim_contacts(run.sim, &count);
      assert_int_equal(report->events, 1);
      assert_int_equal(count, 1);
      print_message("impact %d: %.2g s, %.2g N s off; joints open by %.2g m\n", seen + 1,
                    report->event_time - times[seen], contacts[0].impulse[0] - ldexp(15.255905711272, -seen),
                    run.closure);
      assert_true(fabs(report->event_time - times[seen]) < 1e-11);
      assert_true(fabs(contacts[0].impulse[0] - ldexp(15.255905711272, -seen)) < 1e-8);
      ++seen;
    }
    finish(&run);
  }
}

// ---- the crank's equation of motion ---------------------------------------------------------------------------------

// What the linkage is at a crank angle: moment of inertia that the crank feels, and potential energy. Angles of coupler
// and rocker from the triangle B C D; their rates a unit of the crank's from the velocity of C along and across the
// other rod.
typedef struct reduced {
  double inertia, potential;
} reduced;

static reduced reduce(double theta)
{
  const double a = 0.4, b = 1.0, c = 0.8, g = 9.81;
  const double x = a * cos(theta), y = a * sin(theta), dx = 1.0 - x, dy = -y, d = hypot(dx, dy);
  const double phi = atan2(dy, dx) + acos((b * b + d * d - c * c) / (2.0 * b * d)); // C to the left of B -> D
  const double psi = atan2(y + b * sin(phi), x + b * cos(phi) - 1.0);
  const double phi_rate = -a * sin(theta - psi) / (b * sin(phi - psi)),
               psi_rate = a * sin(theta - phi) / (c * sin(psi - phi));
  const double u = -y - 0.5 * b * sin(phi) * phi_rate, v = x + 0.5 * b * cos(phi) * phi_rate; // of the coupler's middle
  return (reduced){
      .inertia = 1.0 * a * a / 3.0 + 2.0 * (u * u + v * v + b * b / 12.0 * phi_rate * phi_rate) +
                 1.5 * c * c / 3.0 * psi_rate * psi_rate,
      .potential = g * (1.0 * 0.5 * y + 2.0 * (y + 0.5 * b * sin(phi)) + 1.5 * 0.5 * c * sin(psi)),
  };
}

// d/dt (I w) - I' w^2/2 + V' = 0, derivatives by differences of fourth order: 1e-12/h and h^4 are 1e-9 and less.
static double crank_acceleration(double theta, double rate)
{
  const double h = 1e-3;
  const reduced m2 = reduce(theta - 2.0 * h), m1 = reduce(theta - h), p1 = reduce(theta + h),
                p2 = reduce(theta + 2.0 * h);
  const double I = (8.0 * (p1.inertia - m1.inertia) - (p2.inertia - m2.inertia)) / (12.0 * h);
  const double V = (8.0 * (p1.potential - m1.potential) - (p2.potential - m2.potential)) / (12.0 * h);
  return -(0.5 * I * rate * rate + V) / reduce(theta).inertia;
}

// The angular acceleration of the crank, body 1, by forward dynamics.
static double forward_acceleration(ts_dynamics *d)
{
  double a[18], J[6 * 18];
  ts_point_motion motion;
  ts_error error;
  const int n = ts_dynamics_rate_count(d);
  assert_true(n <= 18);
  if (ts_dynamics_forward(d, NULL, NULL, a, &error) != TS_OK) fail_msg("%s", error.text);
  assert_int_equal(ts_dynamics_point(d, 1, (ts_vec3){0.0, 0.0, 0.0}, J, &motion, &error), TS_OK);
  double sum = motion.bias.angular.z;
  for (int j = 0; j < n; ++j) sum += J[5 * n + j] * a[j];
  return sum;
}

static void forward_dynamics_obey_loops(void **state)
{
  (void)state;
  const char *const all[] = {"step.method=event-driven", "step.size=0.01", cuts[0], cuts[1], cuts[2], cuts[3]};
  double worst = 0.0;
  for (int k = 0; k < 5; ++k) { // each cut, and all of them
    linkage_run run =
        k < 4 ? start_cut(scenes[0], cuts[k], "step.method=event-driven", 0.01) : start(scenes[0], all, 6);
    ts_dynamics *d;
    assert_int_equal(ts_dynamics_create(ts_scene_model(run.scene), NULL, &d, NULL), TS_OK);
    for (int i = 1; i <= 40; ++i) {
      double rate;
      angle_at(&run, 0.01 * i);
      assert_int_equal(ts_dynamics_from_sim(d, run.sim, NULL), TS_OK);
      const double angle = crank_angle(&run, &rate), expected = crank_acceleration(angle, rate);
      const double error = fabs(forward_acceleration(d) - expected) / (1.0 + fabs(expected));
      worst = error <= worst ? worst : error;
    }
    ts_dynamics_destroy(d);
    finish(&run);
  }
  print_message("accelerations of the crank: within %.1e of its equation of motion\n", worst);
  assert_true(worst < 1e-9);
}

int main(void)
{
  const struct CMUnitTest tests[] = {
      cmocka_unit_test(errors_and_order),
      cmocka_unit_test(floor_carries_its_weight),
      cmocka_unit_test(loop_stays_closed),
      cmocka_unit_test(event_driven_motion_is_that_of_the_loop),
      cmocka_unit_test(fixed_steps_converge_to_it_for_every_cut),
      cmocka_unit_test(default_cut_can_be_named),
      cmocka_unit_test(all_joints_may_be_rows),
      cmocka_unit_test(trees_are_those_that_were_stated),
      cmocka_unit_test(forward_dynamics_obey_loops),
      cmocka_unit_test(it_hits_the_floor_when_it_should),
  };
  return cmocka_run_group_tests(tests, NULL, NULL);
}
