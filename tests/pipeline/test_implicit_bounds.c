// What a certified step of the implicit stepper promises, measured from outside: overlap by the distances of all pairs
// where bodies end, energy and momentum by the states.
#include "scene_run.h"

#include "shape/distance.h"
#include "step/sim.h"

#include <math.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <cmocka.h>

// ---- overlap -------------------------------------------------------------------------------------------------------

static ts_frame frame_of(const ts_sim *sim, int part)
{
  const ts_part *own = &sim->model->parts[part];
  const ts_frame *body = &sim->kinematics.frame[own->body];
  return (ts_frame){ts_frame_apply(body, own->frame.origin), ts_mat3_product(&body->axes, &own->frame.axes)};
}

static double overlap_of(const ts_sim *sim, int first, int second)
{
  const ts_convex *a = &sim->model->parts[first].convex, *b = &sim->model->parts[second].convex;
  const ts_frame at = frame_of(sim, first), there = frame_of(sim, second);
  ts_separation separation;
  ts_convex_distance(a, &at, b, &there, &separation);
  return -separation.gap / fmin(a->reach, b->reach);
}

// Of all pairs, over the size of the smaller part. Planes come second.
static double deepest_overlap(const ts_sim *sim)
{
  const ts_model *model = sim->model;
  double deepest = 0.0;
  for (int i = 0; i < model->part_count; ++i)
    for (int k = i + 1; k < model->part_count; ++k) {
      if (!ts_model_law(model, i, k)) continue;
      const bool exchanged = isinf(model->parts[i].convex.reach);
      deepest = fmax(deepest, exchanged ? overlap_of(sim, k, i) : overlap_of(sim, i, k));
    }
  return deepest;
}

static void certified_steps_do_not_overlap(void **state)
{
  (void)state;
  scene_run r = scene_run_start(TEST_DATA "/scenes/implicit_pile_of_six.yaml", NULL, 0);
  int certified = 0;
  for (int k = 0; k < 17; ++k) { // the superellipsoid lands in the last but one
    ts_error error;
    assert_int_equal(ts_sim_step(r.sim, &error), TS_OK);
    if (!ts_sim_report(r.sim)->certified) continue;
    ++certified;
    const double deepest = deepest_overlap(r.sim);
    if (deepest > 1e-8) fail_msg("step %d: overlap of %g of the size", k, deepest);
  }
  assert_int_equal(certified, 17);
  scene_run_end(&r);
}

// Two crossed cylinders lie on a line of their surface, and nearest points are one end of it or the other. Guesses
// settle once both are kept; they did not where the line lands, and the cores overlapped by 0.002 of the size. Steps
// stay whole: where points are not kept for good, half of those after the landing are cut. Solves that begin again from
// other impulses, as some do, are counted: 18, or twice as many where they are not gone on with.
static void line_lands_on_a_skin(void **state)
{
  (void)state;
  scene_run r = scene_run_text(
      "touchstone: 1\ngravity: [0, 0, -9.81]\ncontact: {friction: 0.3}\nbodies:\n"
      "- {name: ground, kind: fixed, shape: {plane: {normal: [0, 0, 1], offset: 0}},\n"
      "   skin: {thickness: 0.002, stiffness: 1200, damping: 5}}\n"
      "- {name: body, mass: 0.1, position: [0, 0, 0.06], orientation: {axis: [0, 1, 0], angle: 1.2},\n"
      "   velocity: [0.1, 0.05, 0], angular_velocity: [0.2, 0.5, 0.3],\n"
      "   shape: {intersection: {members: [{cylinder: {radius: 0.04, length: 0.14}},\n"
      "     {cylinder: {radius: 0.04, length: 0.14}, orientation: {axis: [1, 0, 0], angle: 1.5707963267948966}}]}}}\n"
      "step: {method: implicit-compliant, size: 0.002}\nduration: 0.4\n");
  int parts = 0, restarts = 0;
  for (int n = 1; n <= 110; ++n) {
    scene_run_to(&r, 0.002 * n); // certified, all of it
    parts += ts_sim_report(r.sim)->substeps;
    restarts += ts_sim_report(r.sim)->fallbacks;
    assert_true(ts_sim_report(r.sim)->fallbacks >= 0);
  }
  assert_true(parts <= 115);
  assert_true(restarts > 0 && restarts <= 28);
  assert_true(overlap_of(r.sim, 1, 0) <= 0.002 / 0.04);
  scene_run_end(&r);
}

// ---- law -----------------------------------------------------------------------------------------------------------

// Stops that are far away are data of the problem, with a gap/h of 1000 rad/s. What moves does so at 1 m/s: a contact
// that sticks slipped at 2.5e-7 m/s when the certificate took its scale from the stops.
static void far_stops_blunt_nothing(void **state)
{
  (void)state;
  scene_run r = scene_run_start(TEST_DATA "/scenes/implicit_far_stop.yaml", NULL, 0);
  scene_run_to(&r, 0.0115);
  int count;
  const ts_contact *contacts = ts_sim_contacts(r.sim, &count);
  assert_int_equal(count, 1);
  const ts_contact *c = &contacts[0];
  assert_true(fabs(c->impulse[1]) < 0.9 * c->friction * c->impulse[0]);
  if (fabs(c->velocity[1]) > 1e-8) fail_msg("it slips at %g m/s", c->velocity[1]);
  scene_run_end(&r);
}

// ---- energy --------------------------------------------------------------------------------------------------------

static double energy_of(const ts_sim *sim)
{
  return ts_kinetic_energy(sim->model, &sim->kinematics, sim->state.velocity) + ts_sim_potential_energy(sim);
}

// Nothing drives: between any two times the energy rises by no more than 0.15 of the kinetic energy, in a step by no
// more than 0.01 of it and what gravity and springs make of half a step.
static double check_rises(scene_run *r, int steps, double stagger)
{
  double least = INFINITY, before = energy_of(r->sim), most = 0.0;
  const double start = before;
  for (int k = 0; k < steps; ++k) {
    ts_error error;
    assert_int_equal(ts_sim_step(r->sim, &error), TS_OK);
    assert_true(ts_sim_report(r->sim)->certified);
    const double energy = energy_of(r->sim), kinetic = r->sim->account.scale;
    least = fmin(least, before);
    most = fmax(most, (energy - before) / kinetic);
    if (energy - before > (0.0101 + stagger) * kinetic)
      fail_msg("step %d: %g J to %g J, of %g J kinetic", k, before, energy, kinetic);
    if (energy - least > (0.151 + stagger) * kinetic)
      fail_msg("step %d: from %g J to %g J, of %g J kinetic", k, least, energy, kinetic);
    before = energy;
  }
  print_message("%d steps: %g J to %g J, in a step at most %g of the kinetic energy\n", steps, start, before, most);
  return before - start;
}

static void fast_spins_gain_nothing(void **state)
{
  (void)state;
  scene_run r = scene_run_start(TEST_DATA "/scenes/implicit_fast_spins.yaml", NULL, 0);
  assert_true(check_rises(&r, 600, 0.005) < 0.0);
  scene_run_end(&r);
}

// ---- momentum ------------------------------------------------------------------------------------------------------

static ts_vec3 momentum_of(const ts_sim *sim)
{
  ts_vec3 sum = {0.0, 0.0, 0.0};
  for (int b = 0; b < sim->model->body_count; ++b)
    if (sim->model->bodies[b].kind == TS_DYNAMIC)
      sum = ts_add_scaled(sum, sim->model->bodies[b].mass, sim->state.velocity[b].linear);
  return sum;
}

// What contacts report and the weight, in a step.
static ts_vec3 pushes_on_all(const ts_sim *sim)
{
  ts_vec3 sum = {0.0, 0.0, 0.0};
  int count;
  const ts_contact *contacts = ts_sim_contacts(sim, &count);
  for (int b = 0; b < sim->model->body_count; ++b)
    if (sim->model->bodies[b].kind == TS_DYNAMIC)
      sum = ts_add_scaled(sum, sim->model->bodies[b].mass * sim->options.size, sim->model->gravity);
  for (int i = 0; i < count; ++i) {
    const ts_contact *c = &contacts[i];
    const double sign = (sim->model->bodies[c->body_1].kind == TS_DYNAMIC ? 1.0 : 0.0) -
                        (sim->model->bodies[c->body_2].kind == TS_DYNAMIC ? 1.0 : 0.0);
    sum = ts_add_scaled(sum, sign * c->impulse[0], c->normal);
    sum = ts_add_scaled(sum, sign * c->impulse[1], c->tangent);
    sum = ts_add_scaled(sum, sign * c->impulse[2], c->other);
  }
  return sum;
}

// Steps that end with velocities of their own, too, report the impulses that lead to them.
static void impulses_are_those_of_the_velocities(void **state)
{
  (void)state;
  scene_run r = scene_run_start(TEST_DATA "/scenes/implicit_fast_spins.yaml", NULL, 0);
  for (int k = 0; k < 200; ++k) {
    ts_error error;
    const ts_vec3 before = momentum_of(r.sim);
    assert_int_equal(ts_sim_step(r.sim, &error), TS_OK);
    const ts_vec3 pushes = pushes_on_all(r.sim), change = ts_sub(momentum_of(r.sim), before);
    const double scale = ts_length(before) + ts_length(change) + ts_length(pushes);
    if (!(ts_distance_of(change, pushes) <= 1e-9 * scale))
      fail_msg("step %d: %g of %g", k, ts_distance_of(change, pushes), scale);
  }
  scene_run_end(&r);
}

int main(void)
{
  const struct CMUnitTest tests[] = {cmocka_unit_test(certified_steps_do_not_overlap),
                                     cmocka_unit_test(line_lands_on_a_skin), cmocka_unit_test(far_stops_blunt_nothing),
                                     cmocka_unit_test(fast_spins_gain_nothing),
                                     cmocka_unit_test(impulses_are_those_of_the_velocities)};
  return cmocka_run_group_tests(tests, NULL, NULL);
}
