// The implicit step by the mixed problem of 003, beside the reduced formulation: from the same state both take the same
// step, whichever solver finds it.
#include "scene_run.h"
#include "world.h"

#include <math.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>
#include <string.h>
#include <cmocka.h>

#include "near.h"

#define SCENES EXAMPLES "/line_and_surface_contact/"

static const char *const solvers[] = {"pathsearch", "fb-plm", "fb-rlm"};
enum { SOLVERS = sizeof solvers / sizeof *solvers, STATE = 4096 };

static scene_run start(const char *path, const char *solver, const char *const *more, int count)
{
  char name[60];
  const char *overrides[8] = {"step.method=implicit", "step.formulation=mncp", name};
  snprintf(name, sizeof name, "step.solver=%s", solver);
  for (int k = 0; k < count; ++k) overrides[3 + k] = more[k];
  return scene_run_start(path, overrides, 3 + count);
}

static void step(ts_sim *sim)
{
  ts_error error;
  assert_int_equal(ts_sim_step(sim, &error), TS_OK);
  assert_true(ts_sim_report(sim)->certified);
}

static void copy_state(const ts_sim *from, ts_sim *to)
{
  static double numbers[STATE];
  ts_error error;
  const size_t size = ts_sim_state_size(from);
  assert_true(size <= STATE);
  assert_int_equal(ts_sim_save(from, numbers, size, &error), TS_OK);
  assert_int_equal(ts_sim_load(to, numbers, size, &error), TS_OK);
}

// Largest difference of velocities.
static double difference(const ts_sim *a, const ts_sim *b)
{
  double most = 0.0;
  for (int k = 0; k < ts_model_body_count(ts_sim_model(a)); ++k) {
    const ts_twist v = ts_sim_velocity(a, k), w = ts_sim_velocity(b, k);
    most = fmax(most, fmax(ts_distance_of(v.linear, w.linear), ts_distance_of(v.angular, w.angular)));
  }
  return most;
}

// 003 scenario 2: a step after one that ends without a turn about the vertical begins with a kick.
static void kick(scene_run *r, const char *body)
{
  ts_error error;
  const int b = body ? scene_run_body(r, body) : -1;
  const ts_wrench push = {.moment = {0.0, 0.0, 300.0}};
  if (b < 0 || fabs(ts_sim_velocity(r->sim, b).angular.z) >= 1e-6) return;
  assert_int_equal(ts_sim_push(r->sim, b, &push, &error), TS_OK);
}

typedef struct scene_case {
  const char *path;
  double until;
  const char *kicked; // body, or NULL
  const char *more[3];
  int count;
} scene_case;

typedef struct tally {
  int steps, fell; // steps that the solver did not find by itself
  double iterations, worst;
} tally;

static tally compare(const scene_case *c, const char *solver)
{
  tally t = {0};
  const char *overrides[8] = {"step.method=implicit"};
  for (int k = 0; k < c->count; ++k) overrides[1 + k] = c->more[k];
  scene_run reduced = scene_run_start(c->path, overrides, 1 + c->count);
  scene_run mixed = start(c->path, solver, c->more, c->count);
  while (ts_sim_time(reduced.sim) < c->until) {
    copy_state(reduced.sim, mixed.sim);
    kick(&reduced, c->kicked);
    kick(&mixed, c->kicked);
    step(reduced.sim);
    step(mixed.sim);
    const ts_step_report *report = ts_sim_report(mixed.sim);
    ++t.steps;
    t.fell += report->fallbacks > 0;
    t.iterations += report->iterations;
    t.worst = fmax(t.worst, difference(reduced.sim, mixed.sim));
  }
  scene_run_end(&reduced);
  scene_run_end(&mixed);
  print_message("%s, %s: %d steps, %.2f iterations each, %d fell back, velocities differ by %.1e\n",
                strrchr(c->path, '/') + 1, solver, t.steps, t.iterations / t.steps, t.fell, t.worst);
  return t;
}

static void takes_the_steps_of_the_reduced_formulation(void **state)
{
  (void)state;
  static const scene_case cases[] = {{SCENES "cube_slides.yaml", 4.5, NULL, {NULL}, 0},
                                     {SCENES "cylinder_rolls.yaml", 2.0, "cylinder", {NULL}, 0},
                                     {SCENES "cube_tips.yaml", 2.0, NULL, {NULL}, 0},
                                     {SCENES "disc_rolls.yaml", 2.0, NULL, {NULL}, 0},
                                     {SCENES "sphere_on_spheres.yaml", 4.0, NULL, {NULL}, 0}};
  for (size_t k = 0; k < sizeof cases / sizeof *cases; ++k)
    for (int s = 0; s < SOLVERS; ++s) {
      const tally t = compare(&cases[k], solvers[s]);
      assert_true(t.worst <= 1e-8);
      assert_int_equal(t.fell, 0);
    }
}

// The coupler of a four-bar linkage meets the floor.
static void takes_steps_of_a_linkage(void **state)
{
  (void)state;
  static const scene_case linkage = {
      EXAMPLES "/four_bar/four_bar.yaml", 1.2, NULL, {"step.coordinates=redundant", "step.impacts=inelastic"}, 2};
  for (int s = 0; s < SOLVERS; ++s) {
    const tally t = compare(&linkage, solvers[s]);
    assert_true(t.worst <= 1e-7); // its tolerance is 1e-8
    assert_int_equal(t.fell, 0);
  }
}

// Fingers with motors close on a cube and lift it: the motion with points, to first order, and hardly a step that falls
// back. Which do depends on last bits, which BLAS rounds differently from processor to processor.
static void grips_a_cube(void **state)
{
  (void)state;
  static const char *const more[] = {"step.coordinates=redundant", "step.impacts=inelastic"};
  const char *const points[] = {"step.method=stewart-trinkle", more[0], more[1]};
  scene_run mixed = start(EXAMPLES "/gripper/gripper.yaml", "pathsearch", more, 2);
  scene_run other = scene_run_start(EXAMPLES "/gripper/gripper.yaml", points, 3);
  int fell = 0, steps = 0;
  for (; ts_sim_time(mixed.sim) < 0.9; ++steps) {
    step(mixed.sim);
    fell += ts_sim_report(mixed.sim)->fallbacks;
  }
  scene_run_to(&other, ts_sim_time(mixed.sim));
  assert_true(fell <= steps / 100);
  assert_vec_near(scene_run_position(&mixed, "cube"), scene_run_position(&other, "cube"), 1e-4);
  scene_run_end(&mixed);
  scene_run_end(&other);
}

// 004 3.5.3.1: what a disc that rolls keeps, without the reduced formulation beside it.
static void disc_keeps_its_energy(void **state)
{
  (void)state;
  for (int s = 0; s < SOLVERS; ++s) {
    scene_run r = start(SCENES "disc_rolls.yaml", solvers[s], NULL, 0);
    scene_run_to(&r, 5.0);
    assert_near(ts_sim_report(r.sim)->kinetic_energy, 6.75, 1e-10);
    scene_run_end(&r);
  }
}

// 003 scenario 3 on its own: a corner (0), an edge (1), flight, an edge, a face (2).
static void cube_tips_from_kind_to_kind(void **state)
{
  (void)state;
  static const struct {
    double t;
    int kind; // -1: nothing pushes
  } seen[] = {{0.42, 0}, {0.46, 1}, {0.98, 1}, {1.10, -1}, {1.22, 1}, {1.30, 2}, {1.70, 2}};
  for (int s = 0; s < SOLVERS; ++s) {
    scene_run r = start(SCENES "cube_tips.yaml", solvers[s], NULL, 0);
    for (size_t k = 0; k < sizeof seen / sizeof *seen; ++k) {
      int count;
      scene_run_to(&r, seen[k].t);
      const ts_contact *contact = ts_sim_contacts(r.sim, &count);
      const bool pushes = count > 0 && contact->impulse[0] > 0.0;
      assert_int_equal(pushes ? contact->patch : -1, seen[k].kind);
    }
    assert_vec_near(scene_run_position(&r, "cube"), ((ts_vec3){-0.27418, -0.75923, 0.5}), 1e-5); // reference, 1.8 s
    scene_run_end(&r);
  }
}

// A state that was saved goes on to the bit: starting points come from nothing else.
static void resumes_to_the_bit(void **state)
{
  (void)state;
  scene_run first = start(SCENES "cube_tips.yaml", "pathsearch", NULL, 0);
  scene_run second = start(SCENES "cube_tips.yaml", "pathsearch", NULL, 0);
  scene_run_to(&first, 0.3);
  copy_state(first.sim, second.sim);
  scene_run_to(&first, 1.3);
  scene_run_to(&second, 1.3);
  const ts_twist v = ts_sim_velocity(first.sim, scene_run_body(&first, "cube"));
  const ts_twist w = ts_sim_velocity(second.sim, scene_run_body(&second, "cube"));
  assert_memory_equal(&v, &w, sizeof v);
  scene_run_end(&first);
  scene_run_end(&second);
}

// ---- what is refused -----------------------------------------------------------------------------------------------

static void check_refusal(const char *overrides, const char *expected)
{
  ts_scene *scene = NULL;
  ts_error error = {0};
  const char *const list[] = {"step.formulation=mncp", overrides};
  assert_int_not_equal(ts_scene_read(SCENES "cube_slides.yaml", list, 2, &scene, &error), TS_OK);
  assert_non_null(strstr(error.text, expected));
}

static void refuses_what_does_not_go_with_it(void **state)
{
  (void)state;
  check_refusal("step.solver=nsgs", "which solver nsgs does not take");
  check_refusal("step.solver=lemke", "linear problems only");
}

int main(void)
{
  const struct CMUnitTest tests[] = {
      cmocka_unit_test(takes_the_steps_of_the_reduced_formulation),
      cmocka_unit_test(takes_steps_of_a_linkage),
      cmocka_unit_test(grips_a_cube),
      cmocka_unit_test(disc_keeps_its_energy),
      cmocka_unit_test(cube_tips_from_kind_to_kind),
      cmocka_unit_test(resumes_to_the_bit),
      cmocka_unit_test(refuses_what_does_not_go_with_it),
  };
  return cmocka_run_group_tests(tests, NULL, NULL);
}
