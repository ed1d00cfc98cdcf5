// Impulses that are recorded between events: in their friction cones, and together the change of momentum, also where a
// body is braced between its own corners so that they are not unique.
#include "world.h"

#include <math.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <cmocka.h>

// A heavy box at rest and a rock that a force turns over, friction 10; in the plane. The solver returns some solution
// of each problem, not the one of least norm.
static void start(world *w, const char *solver)
{
  static const ts_vec3 rock[] = {{-0.23, 0.31, 0.0}, {-0.39, 0.02, 0.0}, {0.23, -0.31, 0.0}, {0.39, -0.02, 0.0}};
  world_init(w, TS_SPACE_2D);
  world_friction(w, 10.0, 0.0);
  world_floor(w);
  ts_vec3 square[] = {{-0.5, -0.5, 0.0}, {0.5, -0.5, 0.0}, {0.5, 0.5, 0.0}, {-0.5, 0.5, 0.0}};
  world_add(w, "box", TS_DYNAMIC, 1000.0, shape_polygon(square, 4), (ts_vec3){0.0, 0.5, 0.0});
  const int turned = world_add(w, "rock", TS_DYNAMIC, 1.0, shape_polygon(rock, 4), (ts_vec3){5.0, 0.6, 0.0});
  world_force(w, turned, (ts_vec3){9.0, 0.0, 0.0}, (ts_vec3){0.0, 0.0, 0.0});
  w->options.method = ts_stepper_find("event-driven");
  w->options.solver = ts_solver_find(solver);
  w->options.size = 0.008;
  world_start(w);
}

static ts_vec3 momentum_of(const world *w, int body, double mass)
{
  const ts_vec3 arm = ts_model_body_centre(w->model, body);
  const ts_vec3 turned = ts_quat_rotate(ts_sim_pose(w->sim, body).orientation, arm);
  return ts_scale(mass, ts_twist_at(ts_sim_velocity(w->sim, body), turned));
}

// Of the box: what contacts and weight bring in a step is what its momentum changes by.
static void check_step(world *w)
{
  const int box = 1;
  const double h = w->options.size;
  const ts_vec3 before = momentum_of(w, box, 1000.0);
  world_step(w);
  int count;
  const ts_contact *contacts = ts_sim_contacts(w->sim, &count);
  ts_vec3 brought = {0.0, -1000.0 * 9.81 * h, 0.0};
  for (int i = 0; i < count; ++i) {
    const double *p = contacts[i].impulse, size = fabs(p[0]) + fabs(p[1]);
    assert_true(p[0] >= -1e-7 * (1.0 + size));
    if (fabs(p[1]) > 10.0 * p[0] + 1e-6 * (1.0 + size)) fail_msg("p_n = %g, p_t = %g N s", p[0], p[1]);
    if (contacts[i].body_1 == box) brought = ts_add(brought, ts_sim_contact_wrench(w->sim, i).force);
  }
  const ts_vec3 change = ts_sub(momentum_of(w, box, 1000.0), before);
  assert_true(ts_distance_of(change, brought) < 1e-6 * 1000.0 * 9.81 * h);
  assert_true(ts_sim_report(w->sim)->cone_violation < 1e-4);
}

static void impulses_are_in_their_cones(void **state)
{
  (void)state;
  static const char *const solvers[] = {"pathsearch", "auto"};
  for (int k = 0; k < 2; ++k) {
    world w;
    start(&w, solvers[k]);
    for (int i = 0; i < 40; ++i) check_step(&w);
    world_release(&w);
  }
}

int main(void)
{
  const struct CMUnitTest tests[] = {
      cmocka_unit_test(impulses_are_in_their_cones),
  };
  return cmocka_run_group_tests(tests, NULL, NULL);
}
