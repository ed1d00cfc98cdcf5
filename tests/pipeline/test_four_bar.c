// A four-bar linkage with a contact on its coupler (REFERENCE II.2, FB1): a loop closed by rows, in the plane and in space,
// in minimal and redundant coordinates, against an event-driven reference in the crank's angle.
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

static double run_error(const char *path, const char *coordinate, double h, const number_table *reference,
                        double *closure, double *at_040)
{
  char size[40], rest[60];
  snprintf(size, sizeof size, "step.size=%g", h);
  snprintf(rest, sizeof rest, "step.rest_speed=%g", 2.0 * 9.81 * h);
  const char *const overrides[] = {coordinate, size, rest};
  linkage_run run = start(path, overrides, 3);
  double worst = 0.0;
  for (int row = 0; row < reference->rows; ++row) {
    const double t = number_table_at(reference, row, 0);
    while (ts_sim_time(run.sim) < t - 1e-9) step(&run);
    const double error = fabs(crank_angle(&run, NULL) - number_table_at(reference, row, 1));
    if (error > worst) { worst = error; printf("   t %g error %g\n", t, error); }
    if (fabs(t - 0.40) < 1e-9) *at_040 = error;
  }
  *closure = run.closure;
  finish(&run);
  return worst;
}

static void errors_and_order(void **state)
{
  (void)state;
  static const double steps[] = {1e-3, 5e-4, 2.5e-4};
  number_table reference;
  assert_true(number_table_read_csv(TEST_DATA "/pendulum/four_bar.csv", &reference));
  for (int s = 0; s < 2; ++s)
    for (int c = 0; c < 2; ++c)
      for (int k = 0; k < 3; ++k) {
        double closure, at;
        const double error = run_error(scenes[s], coordinates[c], steps[k], &reference, &closure, &at);
        print_message("%s %s h = %g: error %.3g rad, at 0.40 s %.3g, closure %.3g m\n", s ? "space" : "plane", coordinates[c],
                      steps[k], error, at, closure);
      }
  number_table_release(&reference);
}

// With e = 0 the linkage comes to rest on the floor, and the floor carries 38.772111 N.
static void carries_its_weight(void **state)
{
  (void)state;
  for (int s = 0; s < 2; ++s)
    for (int c = 0; c < 2; ++c) {
      const char *const overrides[] = {coordinates[c], "contact.restitution=0"};
      linkage_run run = start(scenes[s], overrides, 2);
      while (ts_sim_time(run.sim) < 1.0) step(&run);
      int count;
      const ts_contact *contacts = ts_sim_contacts(run.sim, &count);
      double rate;
      const double angle = crank_angle(&run, &rate);
      assert_int_equal(count, 1);
      print_message("rest: F_n = %.6f N, angle %.9f, rate %g\n", contacts[0].impulse[0] / 1e-3, angle, rate);
      finish(&run);
    }
}

int main(void)
{
  const struct CMUnitTest tests[] = {
      cmocka_unit_test(errors_and_order),
      cmocka_unit_test(carries_its_weight),
  };
  return cmocka_run_group_tests(tests, NULL, NULL);
}
