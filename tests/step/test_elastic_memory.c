// Contacts as springs whose points change their names from one step to the next, as they do where another corner or
// edge bears: what the old ones have left goes to the new ones, by the energy that is there. A box is pressed into the
// floor on four points; steps are so short that nothing else happens.
#include "scene_run.h"

#include "step/sim.h"

#include <math.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>
#include <cmocka.h>

#include "near.h"

enum { POINTS = 4, NEW_NAME = 1000 };
static const double DEEP = 1e-3, STIFFNESS = 4000.0, CLOSE = 1e-8; // [m], [N/m], of DEEP and of energies

static scene_run start(void)
{
  char text[1000];
  snprintf(text, sizeof text,
           "touchstone: 1\ncontact: {friction: 1, stiffness: %g}\n"
           "bodies:\n"
           "  - {name: floor, kind: fixed, shape: {plane: {normal: [0, 0, 1]}}}\n"
           "  - {name: box, mass: 1, shape: {box: {size: [0.2, 0.2, 0.2]}}, position: [0, 0, %.17g]}\n"
           "step: {method: compliant, tolerance: 1e-10, size: 1e-7, start: as_given}\n",
           STIFFNESS, 0.1 - DEEP);
  scene_run r = scene_run_text(text);
  assert_int_equal(r.sim->elastic.count, POINTS);
  for (int k = 0; k < POINTS; ++k) assert_near(r.sim->elastic.entries[k].normal, DEEP, 1e-15);
  return r;
}

// After a step in which the entries were what they are now.
static const ts_pressed *entries_after_step(scene_run *r)
{
  ts_error error;
  assert_int_equal(ts_sim_step(r->sim, &error), TS_OK);
  assert_int_equal(r->sim->elastic.count, POINTS);
  return r->sim->elastic.entries;
}

// All four have other names: each of them takes the place of one that is gone, and the mean of the ways along the
// surface.
static void points_of_other_names_bear_the_same(void **state)
{
  (void)state;
  scene_run r = start();
  ts_pressed *entries = r.sim->elastic.entries;
  for (int k = 0; k < POINTS; ++k) {
    entries[k].feature += NEW_NAME;
    entries[k].tangent = (ts_vec3){2e-4, -1e-4, 0.0};
  }
  const ts_pressed *after = entries_after_step(&r);
  for (int k = 0; k < POINTS; ++k) {
    assert_near(after[k].normal, DEEP, CLOSE * DEEP);
    assert_vec_near(after[k].tangent, ((ts_vec3){2e-4, -1e-4, 0.0}), CLOSE * DEEP);
  }
  scene_run_end(&r);
}

// Two have other names, and two were pressed in by half of what they overlap by: all of them lack some, and get the
// same part t of that. K DEEP^2 (t^2 + (1 + t)^2/4) = K DEEP^2 (1 + 1/4), the energy that was there.
static void what_is_left_is_shared_by_what_points_lack(void **state)
{
  (void)state;
  const double part = (sqrt(84.0) - 2.0) / 10.0, known = 0.5 * (1.0 + part);
  scene_run r = start();
  ts_pressed *entries = r.sim->elastic.entries;
  for (int k = 0; k < 2; ++k) entries[k].feature += NEW_NAME;
  for (int k = 2; k < POINTS; ++k) entries[k].normal = 0.5 * DEEP;
  const ts_pressed *after = entries_after_step(&r);
  double energy = 0.0;
  for (int k = 0; k < POINTS; ++k) {
    assert_near(after[k].normal, (k < 2 ? part : known) * DEEP, CLOSE * DEEP);
    energy += 0.5 * STIFFNESS * after[k].normal * after[k].normal;
  }
  assert_near(energy, STIFFNESS * DEEP * DEEP * 1.25, CLOSE * energy);
  assert_near(r.sim->elastic.energy, energy, CLOSE * energy);
  scene_run_end(&r);
}

// One of four is gone and has no follower: what it left is lost, and points that lack nothing gain nothing.
static void points_that_lack_nothing_get_nothing(void **state)
{
  (void)state;
  scene_run r = start();
  ts_pressed *entries = r.sim->elastic.entries, more[POINTS + 1];
  for (int k = 0; k < POINTS; ++k) more[k] = entries[k];
  more[POINTS] = entries[POINTS - 1];
  more[POINTS].feature += NEW_NAME;
  r.sim->elastic.entries = more;
  r.sim->elastic.count = POINTS + 1;
  const ts_pressed *after = entries_after_step(&r);
  for (int k = 0; k < POINTS; ++k) assert_near(after[k].normal, DEEP, CLOSE * DEEP);
  scene_run_end(&r);
}

int main(void)
{
  const struct CMUnitTest tests[] = {cmocka_unit_test(points_of_other_names_bear_the_same),
                                     cmocka_unit_test(what_is_left_is_shared_by_what_points_lack),
                                     cmocka_unit_test(points_that_lack_nothing_get_nothing)};
  return cmocka_run_group_tests(tests, NULL, NULL);
}
