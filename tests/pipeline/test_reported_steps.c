// What steps report of themselves, held against their contacts and the state they leave: rows of one problem obey the
// law of friction, sums of several are marked; kinetic energy and overlap are those of the state.
#include "scene_run.h"
#include "world.h"

#include <math.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <cmocka.h>

#include "near.h"

static const ts_step_report *step_once(scene_run *r)
{
  ts_error error;
  if (ts_sim_step(r->sim, &error) != TS_OK) fail_msg("%s", error.text);
  return ts_sim_report(r->sim);
}

// How far a row lies outside its cone, over its normal impulse.
static double beyond_cone(const ts_contact *c)
{
  return hypot(c->impulse[1], c->impulse[2]) - c->friction * c->impulse[0];
}

typedef struct tally {
  int rows, sums, outside; // outside: sums that lie outside the cone of their row
} tally;

static void count_rows(const scene_run *r, tally *all)
{
  int count;
  const ts_contact *contacts = ts_sim_contacts(r->sim, &count);
  for (int i = 0; i < count; ++i) {
    const double beyond = beyond_cone(&contacts[i]);
    assert_true(contacts[i].summed >= 1);
    if (contacts[i].summed == 1) assert_true(beyond <= 1e-9 * (1.0 + contacts[i].impulse[0]));
    all->rows += contacts[i].summed == 1;
    all->sums += contacts[i].summed > 1;
    all->outside += contacts[i].summed > 1 && beyond > 1e-6;
  }
}

// Bodies that roll over each other between events.
static void rows_between_events_are_in_their_cones_or_sums(void **state)
{
  (void)state;
  scene_run r = scene_run_start(TEST_DATA "/scenes/frames_turn.yaml", NULL, 0);
  tally all = {0};
  for (int k = 0; k < 28; ++k) {
    assert_true(step_once(&r)->certified);
    count_rows(&r, &all);
  }
  assert_true(all.outside > 0 && all.sums > all.outside);
  scene_run_end(&r);
}

// Steps in parts: those that were cut, in a jam, and those of contacts that are springs.
static void rows_of_cut_steps_are_sums(void **state)
{
  (void)state;
  scene_run r = scene_run_start(TEST_DATA "/scenes/jammed_disc.yaml", NULL, 0);
  int cut = 0;
  for (int k = 0; k < 225; ++k) {
    const ts_step_report *report = step_once(&r);
    int count;
    const ts_contact *contacts = ts_sim_contacts(r.sim, &count);
    for (int i = 0; i < count; ++i) assert_true(contacts[i].summed <= report->substeps);
    for (int i = 0; i < count; ++i) cut += contacts[i].summed > 1;
    for (int i = 0; i < count; ++i) // a contact of a single substep obeys its law
      if (contacts[i].summed == 1) assert_true(beyond_cone(&contacts[i]) <= 1e-9 * (1.0 + contacts[i].impulse[0]));
  }
  assert_true(cut > 0);
  scene_run_end(&r);
}

static void rows_of_springs_are_sums(void **state)
{
  (void)state;
  scene_run r = scene_run_text("{touchstone: 1, contact: {friction: 0.5, stiffness: 1e5, damping: 20}, bodies: ["
                               "{name: floor, kind: fixed, shape: {plane: {normal: [0, 0, 1]}}},"
                               "{name: ball, mass: 1, shape: {sphere: {radius: 0.1}}, position: [0, 0, 0.1],"
                               " velocity: [1, 0, -0.5]}], step: {method: compliant, size: 0.01}}");
  tally all = {0};
  for (int k = 0; k < 50; ++k) {
    const ts_step_report *report = step_once(&r);
    count_rows(&r, &all);
    int count;
    const ts_contact *contacts = ts_sim_contacts(r.sim, &count);
    if (count == 1 && contacts[0].mode != TS_SEPARATE) assert_true(contacts[0].summed <= report->substeps);
  }
  assert_true(all.sums > 0);
  scene_run_end(&r);
}

// Impacts in one piece: bodies turn about another velocity than the one that they leave with.
static void kinetic_energy_is_that_of_the_state(void **state)
{
  (void)state;
  scene_run r = scene_run_start(TEST_DATA "/scenes/closes_and_turns.yaml", NULL, 0);
  const world w = {.model = (ts_model *)ts_scene_model(r.scene), .sim = r.sim};
  int touching = 0;
  for (int k = 0; k < 300; ++k) {
    const ts_step_report *report = step_once(&r);
    assert_near(report->kinetic_energy, world_kinetic(&w), 1e-11 * report->kinetic_energy);
    touching += report->contacts > 0;
  }
  assert_true(touching > 0);
  scene_run_end(&r);
}

// A fence at an angle pushes a disc by 1 cm a step along the way: nothing overlaps where a step ends.
static void penetration_of_pushes_is_that_of_the_end(void **state)
{
  (void)state;
  scene_run r = scene_run_start(TEST_DATA "/scenes/fence_pushes.yaml", NULL, 0);
  for (int k = 0; k < 100; ++k) {
    const ts_step_report *report = step_once(&r);
    const ts_vec3 fence = scene_run_position(&r, "fence"), disc = scene_run_position(&r, "p");
    const double gap = (disc.x - fence.x) * cos(0.25) + (disc.y - fence.y) * sin(0.25) - 0.05 - 0.05;
    assert_true(report->certified);
    assert_near(report->penetration, fmax(0.0, -gap), 1e-12);
    assert_true(report->penetration < 1e-9);
  }
  scene_run_end(&r);
}

int main(void)
{
  const struct CMUnitTest tests[] = {
      cmocka_unit_test(rows_between_events_are_in_their_cones_or_sums), cmocka_unit_test(rows_of_cut_steps_are_sums),
      cmocka_unit_test(rows_of_springs_are_sums), cmocka_unit_test(kinetic_energy_is_that_of_the_state),
      cmocka_unit_test(penetration_of_pushes_is_that_of_the_end)};
  return cmocka_run_group_tests(tests, NULL, NULL);
}
