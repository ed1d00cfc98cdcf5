// Contact problems whose data are round-off: contacts that joints hold in place, and contacts that are stuck.
#include "mechanism.h"

#include "base/random.h"
#include "step/round_off.h"

#include <float.h>
#include <math.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <cmocka.h>

#include "near.h"

static ts_vec3 random_direction(ts_random *random)
{
  const double z = ts_random_uniform(random, -1.0, 1.0), angle = ts_random_uniform(random, 0.0, 6.2831853);
  return (ts_vec3){sqrt(1.0 - z * z) * cos(angle), sqrt(1.0 - z * z) * sin(angle), z};
}

// ---- closed forms --------------------------------------------------------------------------------------------------

// A free ball of mass m and radius r that meets a floor at speed v: U = W = diag(1, 7/2, 7/2)/m, and the energy m v^2/2
// could give every row a speed of sqrt(2 T U). Scaled by the trace 8/m, round-off is sqrt(8) times that of q = -v.
static void round_off_of_a_free_ball(void **state)
{
  (void)state;
  const double m = 2.5, r = 0.3, v = 4.0;
  world w;
  world_init(&w, TS_SPACE_3D);
  world_floor(&w);
  const int ball = world_add(&w, "ball", TS_DYNAMIC, m, shape_sphere(r), (ts_vec3){0.0, 0.0, r});
  world_start(&w);
  world_move(&w, ball, (ts_vec3){0.0, 0.0, -v}, (ts_vec3){0.0, 0.0, 0.0});
  ts_sim *sim = w.sim;
  jmp_buf recovery;
  sim->scratch[0].recovery = &recovery;
  if (setjmp(recovery)) fail_msg("memory ran out");
  ts_step step = {.sim = sim, .h = 1e-3, .theta = 1.0, .arena = &sim->scratch[0]};
  ts_step_joints(&step);
  ts_step_find_contacts(&step, sim->state.velocity);
  ts_step_assemble(&step);
  assert_int_equal(step.system.count, 1);
  ts_system_velocity(&step.system, sim->state.velocity, step.system.q);
  assert_near(ts_unconstrained_compliance(&step.system, 0, 0), 1.0 / m, 1e-15);
  assert_near(ts_unconstrained_compliance(&step.system, 0, 1), 3.5 / m, 1e-14);
  assert_near(ts_round_off_residual(&step, &step.system, (double[3]){0}) / (64.0 * DBL_EPSILON), sqrt(8.0), 1e-12);
  ts_system apart;
  assert_false(ts_set_immovable_blocks_apart(&step, &step.system, &apart));
  world_release(&w);
}

// ---- immovable contacts --------------------------------------------------------------------------------------------

// A ball turns about an axis through the point where it touches an obstacle: that point cannot move, whatever acts on
// it, and what is computed as its velocity and its compliance is noise. Another ball bounces beside it.
enum { OBSTACLE }; // the first body

static world hinged_at_its_contact(ts_random *random, const ts_step_options *options)
{
  const double r = 0.2;
  const ts_vec3 n = random_direction(random), axis = random_direction(random), none = {0.0, 0.0, 0.0};
  world w;
  world_init(&w, TS_SPACE_3D);
  world_friction(&w, 0.5, 0.7);
  world_add(&w, "obstacle", TS_FIXED, 0.0, shape_sphere(r), ts_scale(-r, n));
  const int held = world_add(&w, "held", TS_DYNAMIC, 1.7, shape_sphere(r), ts_scale(r, n));
  world_add(&w, "wall", TS_FIXED, 0.0, shape_sphere(r), (ts_vec3){10.0, -r, 0.0});
  const int other = world_add(&w, "other", TS_DYNAMIC, 1.0, shape_sphere(r), (ts_vec3){10.0, r, 0.0});
  ts_joint_def def = mechanism_joint(TS_JOINT_REVOLUTE, TS_WORLD, held, none, axis);
  def.velocity = ts_random_below(random, 2) ? 3.0 : 0.0;
  mechanism_add(&w, &def);
  w.options = *options;
  world_start(&w);
  world_move(&w, other, (ts_vec3){0.3, -1.0, 0.2}, none);
  return w;
}

static void immovable_contacts_do_not_stop_a_solver(void **state)
{
  (void)state;
  ts_random random;
  ts_random_init(&random, 3);
  for (int k = 0; k < 300; ++k) {
    ts_step_options options = ts_step_options_default();
    options.impacts = TS_IMPACT_POISSON;
    options.tolerance = 1e-11;
    options.size = 1e-3;
    options.cone = k & 1 ? TS_CONE_POLYHEDRAL : TS_CONE_QUADRATIC;
    options.coordinates = k & 2 ? TS_COORDINATES_REDUNDANT : TS_COORDINATES_MINIMAL;
    options.method = fixed_stepper(k & 4 ? 1 : 0);
    world w = hinged_at_its_contact(&random, &options);
    world_step(&w); // certified
    assert_false(ts_sim_report(w.sim)->jammed);
    int count;
    const ts_contact *contacts = ts_sim_contacts(w.sim, &count);
    for (int i = 0; i < count; ++i)
      if (contacts[i].body_2 == OBSTACLE) assert_true(contacts[i].impulse[0] == 0.0);
    world_release(&w);
  }
}

int main(void)
{
  const struct CMUnitTest tests[] = {
      cmocka_unit_test(round_off_of_a_free_ball),
      cmocka_unit_test(immovable_contacts_do_not_stop_a_solver),
  };
  return cmocka_run_group_tests(tests, NULL, NULL);
}
