// A step is certified only where every number that it reports is finite, whatever the stepper.
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <math.h>
#include <cmocka.h>

#include "effort.h"
#include "world.h"

#include "step/sim.h"
#include "step/stepper.h"

#include "touchstone/scene.h"

static void accept(ts_status status, const ts_error *error)
{
  if (status != TS_OK) fail_msg("%s", error->text);
}

// ---- a stepper that spoils one number
// --------------------------------------------------------------------------------

#define SPOILED_LIST(X)                                                                                                \
  X(report.residual)                                                                                                   \
  X(report.velocity_error)                                                                                             \
  X(report.length_error)                                                                                               \
  X(report.penetration)                                                                                                \
  X(report.cone_violation)                                                                                             \
  X(report.joint_residual)                                                                                             \
  X(report.contact_work)                                                                                               \
  X(report.damping_work)                                                                                               \
  X(report.drive_work)                                                                                                 \
  X(report.applied_work)                                                                                               \
  X(report.stabilization_work)                                                                                         \
  X(contacts.contacts[0].impulse[0])                                                                                   \
  X(contacts.contacts[0].impulse[3])

static double spoiled_by;
static int spoiled_number;

static double *number_to_spoil(ts_sim *sim)
{
#define SPOILED_ADDRESS(member) &sim->member,
  double *const numbers[] = {SPOILED_LIST(SPOILED_ADDRESS)};
#undef SPOILED_ADDRESS
  return spoiled_number < (int)(sizeof numbers / sizeof *numbers) ? numbers[spoiled_number] : NULL;
}

static bool take_step(ts_sim *sim, double h, ts_arena *arena)
{
  const bool taken = ts_stepper_velocity.step(sim, h, arena);
  double *number = number_to_spoil(sim);
  if (number) *number = spoiled_by;
  return taken;
}

static const ts_stepper spoiling_stepper = {
    .name = "test's own",
    .summary = "the velocity stepper with one number of the report spoiled",
    .stabilization = TS_STABILIZATION_POSITION,
    .rebounds = TS_IMPACT_INELASTIC,
    .step = take_step,
};

// A ball at rest on the floor.
static void start(world *w)
{
  world_init(w, TS_SPACE_3D);
  world_friction(w, 0.3, 0.0);
  world_floor(w);
  world_add(w, "ball", TS_DYNAMIC, 2.0, shape_sphere(0.1), (ts_vec3){0.0, 0.0, 0.1});
  w->options.method = &spoiling_stepper;
  w->options.size = 1e-3;
  world_start(w);
}

static void a_number_that_is_not_finite_is_not_certified(void **state)
{
  (void)state;
  static const double values[] = {INFINITY, -INFINITY, NAN};
  const int numbers = 13;
  for (spoiled_number = 0; spoiled_number <= numbers; ++spoiled_number)
    for (int k = 0; k < 3; ++k) {
      world w;
      ts_error error;
      start(&w);
      spoiled_by = values[k];
      accept(ts_sim_step(w.sim, &error), &error);
      assert_int_equal(ts_sim_report(w.sim)->certified, spoiled_number == numbers);
      world_release(&w);
    }
}

// ---- a scene -------------------------------------------------------------------------------------------------------

static bool is_finite_report(const ts_step_report *r)
{
  return isfinite(r->contact_work) && isfinite(r->damping_work) && isfinite(r->drive_work) &&
         isfinite(r->applied_work) && isfinite(r->stabilization_work) && isfinite(r->stagger_work) &&
         isfinite(r->integration_work) && isfinite(r->kinetic_energy) && isfinite(r->potential_energy);
}

// Works of a motor of 1e300 N m that turns a body at 1e150 rad/s against its stop: the step is refused, or not
// certified, or all of its numbers are finite.
static void works_that_overflow_are_not_certified(void **state)
{
  (void)state;
  static const char *const methods[][2] = {{"step.method=event-driven", "step.max_substeps=1"}, // parts take seconds
                                           {"step.method=velocity", "step.max_substeps=16"},
                                           {"step.method=stewart-trinkle", "step.max_substeps=16"}};
  for (int m = effort_one_in(2) - 1; m < 3; ++m) { // the first takes a minute under sanitizers
    ts_error error;
    ts_scene *scene;
    ts_sim *sim;
    accept(ts_scene_read(TEST_DATA "/scenes/works_overflow.yaml", methods[m], 2, &scene, &error), &error);
    accept(ts_sim_create(ts_scene_model(scene), ts_scene_options(scene), NULL, &sim, &error), &error);
    const int steps = m == 0 ? 1 : 4; // works of the first overflow
    for (int step = 0; step < steps && ts_sim_step(sim, &error) == TS_OK; ++step)
      assert_true(!ts_sim_report(sim)->certified || is_finite_report(ts_sim_report(sim)));
    ts_sim_destroy(sim);
    ts_scene_destroy(scene);
  }
}

int main(void)
{
  const struct CMUnitTest tests[] = {cmocka_unit_test(a_number_that_is_not_finite_is_not_certified),
                                     cmocka_unit_test(works_that_overflow_are_not_certified)};
  return cmocka_run_group_tests(tests, NULL, NULL);
}
