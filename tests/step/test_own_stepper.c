// A stepper that the library does not know, with a problem, memory and numbers of its own, goes through the same frame
// as those that it knows: certified solve, report, cut steps, saved states.
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdlib.h>
#include <math.h>
#include <string.h>
#include <cmocka.h>

#include "near.h"
#include "world.h"

#include "step/solve.h"
#include "step/step.h"

#include "complementarity/problem/lowering.h"

#include "base/status.h"

enum { STEPS_TAKEN, ATTEMPTS_SEEN, NUMBERS };

static const double LONGEST = 6e-3; // steps above are not certified [s]
static int created, destroyed;
static bool memory_is_there = true;

static ts_status check_model(const ts_model *model, const ts_step_options *options, ts_error *error)
{
  (void)options;
  if (model->joint_count == 0) return TS_OK;
  return ts_fail(error, TS_UNSUPPORTED, "the stepper of this test takes no joints");
}

static bool create(ts_sim *sim)
{
  ++created;
  sim->own = memory_is_there ? malloc(sizeof(int)) : NULL;
  if (!sim->own) return false;
  *(int *)sim->own = 0;
  return true;
}

static void destroy(ts_sim *sim)
{
  ++destroyed;
  free(sim->own);
}

static void ask_for_gaps(ts_step *step)
{
  const size_t d = (size_t)step->system.dimension;
  ts_system_velocity(&step->system, step->sim->state.velocity, step->system.q);
  for (int i = 0; i < step->contacts.count; ++i) {
    step->bias[(size_t)i * d] = step->contacts.contacts[i].gap / step->h;
    step->system.q[(size_t)i * d] += step->bias[(size_t)i * d];
  }
}

// The exact cone as an MCP, which has multipliers beside the impulses.
static void solve_as_mcp(ts_step *step)
{
  ts_sim *sim = step->sim;
  ts_lowering lowering;
  ts_error error;
  const ts_friction_polygon_options unused = {0};
  if (ts_lower_to_mcp_into(&step->system.problem, &unused, step->arena, &lowering, &error) != TS_OK)
    fail_msg("%s", error.text);
  const ts_problem *problem = ts_lowering_problem(&lowering);
  assert_int_equal(problem->type, TS_MCP);
  double *z = ts_arena_zeros(step->arena, ts_problem_size(problem));
  ts_report solve = {0};
  const bool solved = ts_sim_solve(sim, problem, false, z, &solve);
  ts_sim_take_solve(sim, (int)ts_problem_size(problem), solved, &solve);
  ts_lowering_recover(&lowering, z, step->r);
}

static bool take_step(ts_sim *sim, double h, ts_arena *arena)
{
  ts_step step = {.sim = sim, .h = h, .theta = 1.0, .arena = arena, .from = sim->old_velocity, .gaps_at_end = true};
  if (!ts_step_joints(&step)) return false;
  ts_step_free_velocity(&step);
  ts_step_find_contacts(&step, sim->free_velocity);
  for (int b = 0; b < sim->model->body_count; ++b)
    if (sim->model->bodies[b].kind == TS_DYNAMIC) sim->state.velocity[b] = sim->free_velocity[b];
  ts_step_assemble(&step);
  if (step.system.count > 0) {
    ask_for_gaps(&step);
    solve_as_mcp(&step);
    ts_system_apply(&step.system, step.r, sim->state.velocity, step.mobility.impulse, arena);
  }
  ++*(int *)sim->own;
  sim->numbers[STEPS_TAKEN] += 1.0;
  sim->numbers[ATTEMPTS_SEEN] = *(int *)sim->own;
  ts_step_finish(&step);
  ts_step_advance(&step);
  if (h > LONGEST) sim->report.certified = false;
  return true;
}

static const ts_stepper own_stepper = {
    .name = "test's own",
    .summary = "Stewart and Trinkle's step as an MCP",
    .stabilization = TS_STABILIZATION_POSITION,
    .rebounds = TS_IMPACT_INELASTIC,
    .number_count = NUMBERS,
    .check_model = check_model,
    .create = create,
    .destroy = destroy,
    .step = take_step,
};

static int sliding_ball(world *w, const ts_stepper *method, double size)
{
  world_init(w, TS_SPACE_3D);
  w->options.method = method;
  w->options.size = size;
  w->options.tolerance = 1e-12;
  world_friction(w, 0.3, 0.0);
  world_floor(w);
  const int ball = world_add(w, "ball", TS_DYNAMIC, 2.0, shape_sphere(0.1), (ts_vec3){0.0, 0.0, 0.11});
  world_start(w);
  world_move(w, ball, (ts_vec3){1.5, 0.2, 0.0}, (ts_vec3){0.0, 0.0, 0.0});
  return ball;
}

// It falls, slides and rolls on with 5/7 of its speed: velocities are those of another formulation and solver.
static void it_moves_bodies_as_another_formulation_does(void **state)
{
  (void)state;
  world own, other;
  const int ball = sliding_ball(&own, &own_stepper, 2e-3);
  sliding_ball(&other, ts_stepper_find("stewart-trinkle"), 2e-3);
  for (int k = 0; k < 200; ++k) {
    world_step(&own);
    world_step(&other);
    const ts_twist a = ts_sim_velocity(own.sim, ball), b = ts_sim_velocity(other.sim, ball);
    assert_near(ts_length(ts_sub(a.linear, b.linear)), 0.0, 1e-8);
    assert_near(ts_length(ts_sub(a.angular, b.angular)), 0.0, 1e-7);
  }
  const ts_step_report *report = ts_sim_report(own.sim);
  int count;
  const ts_contact *contacts = ts_sim_contacts(own.sim, &count);
  assert_int_equal(count, 1);
  assert_int_equal(contacts[0].mode, TS_ROLL);
  assert_near(contacts[0].impulse[0], 2.0 * 9.81 * 2e-3, 1e-9);
  assert_true(report->problem_size > 3); // a multiplier beside the impulses
  assert_near(ts_sim_velocity(own.sim, ball).linear.x, 5.0 / 7.0 * 1.5, 1e-7);
  assert_near(report->kinetic_energy, world_kinetic(&own), 1e-12);
  world_release(&own);
  world_release(&other);
}

// A step of 8 ms is taken again in two halves: the attempt that was given up leaves no trace in its numbers.
static void numbers_go_back_with_the_step(void **state)
{
  (void)state;
  world w;
  sliding_ball(&w, &own_stepper, 8e-3);
  world_step(&w);
  assert_int_equal(ts_sim_report(w.sim)->substeps, 2);
  assert_true(w.sim->numbers[STEPS_TAKEN] == 2.0);
  assert_true(w.sim->numbers[ATTEMPTS_SEEN] == 3.0); // its memory is its own affair
  world_release(&w);
}

static void saved_states_have_them(void **state)
{
  (void)state;
  world w, other;
  static world_state saved;
  sliding_ball(&w, &own_stepper, 2e-3);
  world_steps(&w, 5);
  world_save(&w, &saved);
  world_steps(&w, 4);
  assert_true(w.sim->numbers[STEPS_TAKEN] == 9.0);
  world_load(&w, &saved);
  assert_true(w.sim->numbers[STEPS_TAKEN] == 5.0);
  world_release(&w);

  // Another stepper takes the state, but not what it does not understand; and back again it has been forgotten.
  const int ball = sliding_ball(&other, ts_stepper_find("velocity"), 2e-3);
  world_load(&other, &saved);
  assert_near(ts_sim_time(other.sim), 0.01, 1e-12);
  world_step(&other);
  assert_true(ts_sim_velocity(other.sim, ball).linear.x > 1.0);
  world_save(&other, &saved);
  world_release(&other);
  sliding_ball(&w, &own_stepper, 2e-3);
  w.sim->numbers[STEPS_TAKEN] = 7.0;
  world_load(&w, &saved);
  assert_true(w.sim->numbers[STEPS_TAKEN] == 0.0);
  world_release(&w);
}

static void its_checks_are_heard(void **state)
{
  (void)state;
  world w;
  world_init(&w, TS_SPACE_3D);
  w.options.method = &own_stepper;
  const int ball = world_add(&w, "ball", TS_DYNAMIC, 1.0, shape_sphere(0.1), (ts_vec3){0.0, 0.0, 1.0});
  ts_joint_def joint = ts_joint_def_default();
  joint.kind = TS_JOINT_SPHERICAL;
  joint.parent = TS_WORLD;
  joint.child = ball;
  ts_error error;
  int number;
  assert_int_equal(ts_builder_add_joint(w.builder, &joint, &number, &error), TS_OK);
  assert_int_equal(ts_builder_finish(w.builder, &w.model, &error), TS_OK);
  assert_int_equal(ts_sim_create(w.model, &w.options, NULL, &w.sim, &error), TS_UNSUPPORTED);
  assert_string_equal(error.text, "the stepper of this test takes no joints");
  world_release(&w);
}

static void its_memory_is_given_back(void **state)
{
  (void)state;
  world w;
  ts_error error;
  ts_sim *none;
  sliding_ball(&w, &own_stepper, 2e-3);
  memory_is_there = false;
  assert_int_equal(ts_sim_create(w.model, &w.options, NULL, &none, &error), TS_OUT_OF_MEMORY);
  memory_is_there = true;
  assert_null(none);
  world_release(&w);
  assert_int_equal(created, destroyed);
}

int main(void)
{
  const struct CMUnitTest tests[] = {
      cmocka_unit_test(it_moves_bodies_as_another_formulation_does),
      cmocka_unit_test(numbers_go_back_with_the_step),
      cmocka_unit_test(saved_states_have_them),
      cmocka_unit_test(its_checks_are_heard),
      cmocka_unit_test(its_memory_is_given_back),
  };
  return cmocka_run_group_tests(tests, NULL, NULL);
}
