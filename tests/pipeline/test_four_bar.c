// A four-bar linkage with a contact on its coupler (REFERENCE II.2, FB1): a loop closed by rows, in the plane and in
// space, in minimal and redundant coordinates, against an event-driven reference in the crank's angle.
#include "number_table.h"

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

// In minimal coordinates as listed in REFERENCE II.2, in redundant ones of the same order. An impact that is noticed up
// to a step late shifts what comes after it by up to 14 rad/s times that step, and times what the flight lags.
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

// ---- event-driven ----

// Impacts as listed in REFERENCE II.2, with half the rate and half the impulse of the one before.
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

int main(void)
{
  const struct CMUnitTest tests[] = {
      cmocka_unit_test(errors_and_order),
      cmocka_unit_test(floor_carries_its_weight),
      cmocka_unit_test(loop_stays_closed),
      cmocka_unit_test(it_hits_the_floor_when_it_should),
  };
  return cmocka_run_group_tests(tests, NULL, NULL);
}
