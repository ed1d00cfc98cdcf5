// Loads of supports that follow statics, from what a quasi-static step reports: pushed with F at the height z, the
// loads N at r balance sum of N r = z F. A step whose loads do not settle says so.
#include "scene_run.h"

#include "model/laws.h"
#include "step/sim.h"

#include <math.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>
#include <cmocka.h>

static const double H = 0.01, G = 9.81;

typedef struct push {
  double friction, height, radius, y, drift; // where the pusher is, and how it moves across over how it moves along
} push;

static scene_run start(const push *p)
{
  char text[1000];
  snprintf(text, sizeof text,
           "{touchstone: 1, space: 2.5d, contact: {friction: 0}, bodies: ["
           "{name: part, mass: 1, shape: {box: {size: [0.4, 0.4]}}, support: {friction: %g, update: statics,"
           " height: %g, points: [[%g, 0], [%g, 0.1], [%g, -0.1]]}},"
           "{name: pusher, kind: kinematic, shape: {disc: {radius: 0.05}}, position: [-0.25, %g],"
           " motion: {displacement: [{polynomial: [0, 0.05]}, {polynomial: [0, %g]}]}}],"
           " step: {method: quasistatic, size: %g}}",
           p->friction, p->height, 2.0 * p->radius, -p->radius, -p->radius, p->y, 0.05 * p->drift, H);
  return scene_run_text(text);
}

// |sum of N r - z F| over the weight [m]; friction balances the push.
static double imbalance(const scene_run *r, double height)
{
  int count;
  double x = 0.0, y = 0.0;
  const ts_contact *contacts = ts_sim_contacts(r->sim, &count);
  for (int i = 0; i < count; ++i) {
    if (!contacts[i].support) continue;
    x += contacts[i].impulse[0] * contacts[i].arm_1.x + height * contacts[i].impulse[1];
    y += contacts[i].impulse[0] * contacts[i].arm_1.y + height * contacts[i].impulse[2];
  }
  return hypot(x, y) / (H * G);
}

static void loads_balance_or_the_step_is_not_certified(void **state)
{
  (void)state;
  static const push pushes[] = {{0.4, 0.05, 0.1, 0.0, 0.0},
                                {0.4, 0.1, 0.08, 0.05, 0.1},
                                {0.3, 0.15, 0.09, -0.1, -0.2},
                                {0.4, 0.405, 0.0835, 0.146, -0.2},
                                {2.0, 0.185, 0.112, -0.094, 0.46}};
  int certified = 0, unsettled = 0;
  for (size_t k = 0; k < sizeof pushes / sizeof *pushes; ++k) {
    scene_run r = start(&pushes[k]);
    for (int n = 0; n < 5; ++n) {
      ts_error error = {0};
      if (ts_sim_step(r.sim, &error) != TS_OK) fail_msg("%s", error.text);
      const ts_step_report *report = ts_sim_report(r.sim);
      const double wrong = imbalance(&r, pushes[k].height);
      certified += report->certified;
      if (report->certified) assert_true(wrong <= 1e-9);
      if (report->certified || report->tipping) continue;
      assert_true(wrong > 1e-9 && report->residual > 1e-9);
      ++unsettled;
    }
    scene_run_end(&r);
  }
  assert_true(certified > 0 && unsettled > 0);
}

// Contacts of parts stand ahead of the supports that are told with them, and keep their laws.
static void contacts_beside_supports_keep_their_laws(void **state)
{
  (void)state;
  const push along = {0.4, 0.05, 0.1, 0.0, 0.0};
  scene_run r = start(&along);
  int supports = 0;
  scene_run_to(&r, 3.0 * H);
  const ts_contact_set *set = &r.sim->contacts;
  for (int i = 0; i < set->count; ++i) {
    const ts_contact *contact = &set->contacts[i];
    supports += contact->support;
    if (contact->support)
      assert_true(set->laws[i]->friction == along.friction);
    else
      assert_ptr_equal(set->laws[i], ts_model_law(r.sim->model, contact->part_1, contact->part_2));
  }
  assert_int_equal(supports, 3);
  assert_true(set->count > supports);
  scene_run_end(&r);
}

int main(void)
{
  const struct CMUnitTest tests[] = {cmocka_unit_test(loads_balance_or_the_step_is_not_certified),
                                     cmocka_unit_test(contacts_beside_supports_keep_their_laws)};
  return cmocka_run_group_tests(tests, NULL, NULL);
}
