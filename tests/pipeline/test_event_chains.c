// Event-driven stepping of the chains of spheres P12, T3, T12 and T30 against an event-driven reference run of each
// (reference-numbers.md 6.2): flight, the first eight impacts, and states between impacts.
#include "number_table.h"
#include "pendulum.h"

#include <math.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdio.h>
#include <cmocka.h>

#include "near.h"

typedef struct chain_case {
  const char *name;
  pendulum_kind kind;
} chain_case;

enum { CHAINS = 4 };

static void chain_cases(chain_case *cases)
{
  cases[0] = (chain_case){"p12", pendulum_p12()};
  cases[1] = (chain_case){"t3", pendulum_t(3)};
  cases[2] = (chain_case){"t12", pendulum_t(12)};
  cases[3] = (chain_case){"t30", pendulum_t(30)};
}

static number_table read_table(const char *kind, const char *chain)
{
  char path[512];
  snprintf(path, sizeof path, TEST_DATA "/pendulum/%s_%s.csv", kind, chain);
  return number_table_need_csv(path);
}

static void start_chain(pendulum *p, pendulum_kind kind, double size)
{
  pendulum_init(p, kind);
  p->world.options.method = ts_stepper_find("event-driven");
  p->world.options.rest_speed = 0.0;
  p->world.options.tolerance = 1e-12;
  p->world.options.size = size;
  pendulum_start(p);
}

// ---- flight --------------------------------------------------------------------------------------------------------

static void flight_is_that_of_a_high_order_integrator(void **state)
{
  (void)state;
  chain_case cases[CHAINS];
  chain_cases(cases);
  for (int i = 0; i < CHAINS; ++i) {
    const int links = cases[i].kind.links;
    number_table flight = read_table("flight", cases[i].name);
    pendulum p;
    start_chain(&p, cases[i].kind, 1e-2);
    double place = 0.0, velocity = 0.0, energy = 0.0;
    for (int row = 0; row < flight.rows; ++row) {
      const double *sample = number_table_row(&flight, row), *angles = sample + 1, *rates = angles + links;
      pendulum_step_to(&p, sample[0]);
      assert_near(ts_sim_time(p.world.sim), sample[0], 1e-14);
      place = fmax(place, pendulum_error(&p, angles));
      velocity = fmax(velocity, pendulum_velocity_error(&p, angles, rates));
      energy = fmax(energy, fabs(pendulum_energy(&p) - rates[links]));
    }
    print_message("%s in flight: places within %.2g m, velocities %.2g m/s, energy %.2g J\n", cases[i].name, place,
                  velocity, energy);
    assert_true(place < 1e-8 && velocity < 1e-8 && energy < 1e-8);
    pendulum_release(&p);
    number_table_release(&flight);
  }
}

// ---- impacts -------------------------------------------------------------------------------------------------------

enum { IMPACTS = 8 };

// The columns of impacts_*.csv. Velocities and impulses are those of the first body along the normal n and along the
// tangent t = (n_z, -n_y) of the y-z plane.
typedef enum quantity {
  TIME,
  TIME_ERROR, // of the reference, as is VELOCITY_ERROR: how far it moved with a thousand times its tolerance
  LINK_1,
  LINK_2, // 0: the floor, -1: the wall
  NORMAL_BEFORE,
  TANGENT_BEFORE,
  NORMAL_AFTER,
  TANGENT_AFTER,
  NORMAL_IMPULSE,
  TANGENT_IMPULSE,
  ENERGY_BEFORE,
  ENERGY_AFTER,
  VELOCITY_ERROR,
  QUANTITIES
} quantity;

typedef struct impact {
  double is[QUANTITIES];
} impact;

// A step with at most one impact: one with more is taken again in shorter steps, which stay.
static void step_to_one_impact(pendulum *p, world_state *before)
{
  world *w = &p->world;
  world_save(w, before);
  world_step(w);
  while (ts_sim_report(w->sim)->events > 1) {
    ts_sim_destroy(w->sim);
    w->options.size *= 0.1;
    world_simulate(w);
    world_load(w, before);
    world_step(w);
  }
}

static int link_of(const pendulum *p, int body)
{
  return body < p->first ? -body : body - p->first + 1; // bodies 0 and 1 are floor and wall
}

static ts_vec3 tangent_of(const ts_contact *contact)
{
  return (ts_vec3){0.0, contact->normal.z, -contact->normal.y};
}

// Velocities and energy just before the impact: a run from the saved state ends there, by less than what is printed.
static void note_before(const pendulum *p, const world_state *saved, const ts_contact *contact, impact *noted)
{
  world run = p->world;
  run.options.size = noted->is[TIME] - 1e-13 - saved->time;
  world_simulate(&run);
  world_load(&run, saved);
  world_step(&run);
  const ts_step_report *report = ts_sim_report(run.sim);
  assert_int_equal(report->events, 0);
  const ts_vec3 v = ts_sub(ts_twist_at(ts_sim_velocity(run.sim, contact->body_1), contact->arm_1),
                           ts_twist_at(ts_sim_velocity(run.sim, contact->body_2), contact->arm_2));
  noted->is[NORMAL_BEFORE] = ts_dot(v, contact->normal);
  noted->is[TANGENT_BEFORE] = ts_dot(v, tangent_of(contact));
  noted->is[ENERGY_BEFORE] = report->kinetic_energy + report->potential_energy;
  ts_sim_destroy(run.sim);
}

static void note_after(const pendulum *p, const ts_contact *contact, impact *noted)
{
  const ts_vec3 t = tangent_of(contact);
  const double turn[2] = {ts_dot(t, contact->tangent), ts_dot(t, contact->other)};
  noted->is[LINK_1] = link_of(p, contact->body_1);
  noted->is[LINK_2] = link_of(p, contact->body_2);
  noted->is[NORMAL_AFTER] = contact->velocity[0];
  noted->is[TANGENT_AFTER] = turn[0] * contact->velocity[1] + turn[1] * contact->velocity[2];
  noted->is[NORMAL_IMPULSE] = contact->impulse[0];
  noted->is[TANGENT_IMPULSE] = turn[0] * contact->impulse[1] + turn[1] * contact->impulse[2];
  noted->is[ENERGY_AFTER] = pendulum_energy(p);
}

static void first_impacts(pendulum_kind kind, impact *noted)
{
  pendulum p;
  start_chain(&p, kind, 2e-3);
  for (int k = 0; k < IMPACTS; ++k) {
    world_state before;
    do step_to_one_impact(&p, &before);
    while (ts_sim_report(p.world.sim)->events == 0);
    int count;
    const ts_contact *contacts = ts_sim_contacts(p.world.sim, &count);
    assert_int_equal(count, 1);
    noted[k] = (impact){.is = {[TIME] = ts_sim_report(p.world.sim)->event_time}};
    note_after(&p, &contacts[0], &noted[k]);
    note_before(&p, &before, &contacts[0], &noted[k]);
  }
  pendulum_release(&p);
}

// How far a quantity may be off. The reference is printed to 12 digits behind the point in time and to 9 in all else.
// Errors of flight grow from impact to impact: by how much, the same chain started at an angle that is off by a known
// share tells. Flight is integrated with local errors of 1e-13, of which ten may add up.
static double allowance(quantity what, double moved, double share)
{
  const double printed = what == TIME ? 0.5e-12 : 0.5e-9, flight = 10.0 * 1e-13;
  return printed + flight * moved / share;
}

static void impacts_are_those_of_the_reference(void **state)
{
  static const quantity compared[] = {TIME,           NORMAL_BEFORE,   TANGENT_BEFORE, NORMAL_AFTER, TANGENT_AFTER,
                                      NORMAL_IMPULSE, TANGENT_IMPULSE, ENERGY_BEFORE,  ENERGY_AFTER};
  const double share = 1e-9;
  (void)state;
  chain_case cases[CHAINS];
  chain_cases(cases);
  for (int i = 0; i < CHAINS; ++i) {
    number_table reference = read_table("impacts", cases[i].name);
    assert_int_equal(reference.rows, IMPACTS);
    assert_int_equal(reference.columns, QUANTITIES);
    impact noted[IMPACTS], moved[IMPACTS];
    pendulum_kind off = cases[i].kind;
    off.angle *= 1.0 + share;
    first_impacts(cases[i].kind, noted);
    first_impacts(off, moved);
    double worst[2] = {0.0, 0.0}; // of all else, of times
    for (int k = 0; k < IMPACTS; ++k) {
      const double *expected = number_table_row(&reference, k), *found = noted[k].is;
      assert_true(found[LINK_1] == expected[LINK_1] && found[LINK_2] == expected[LINK_2]);
      for (size_t j = 0; j < sizeof compared / sizeof *compared; ++j) {
        const quantity what = compared[j];
        const double limit = allowance(what, fabs(moved[k].is[what] - found[what]), share);
        const double error = fabs(found[what] - expected[what]);
        assert_true(error < limit && limit < (what == TIME ? 1e-9 : 1e-6));
        worst[what == TIME] = fmax(worst[what == TIME], error);
      }
    }
    print_message("%s: %d impacts, times within %.2g s, all else within %.2g\n", cases[i].name, IMPACTS, worst[1],
                  worst[0]);
    number_table_release(&reference);
  }
}

// ---- states between impacts ----------------------------------------------------------------------------------------

// After one and three impacts of P12, whatever the step, which is only when the user looks.
static void states_do_not_depend_on_the_step(void **state)
{
  static const double samples[][4] = {// t, y, z of the last sphere, energy
                                      {0.3, -6.822858285, 1.756743606, 870.302051138},
                                      {0.9, -0.092517495, 3.203600735, 870.302051138},
                                      {1.2, 2.986090403, 2.451552033, 863.634410396}};
  static const double sizes[] = {1e-3, 0.05, 0.3};
  (void)state;
  for (int i = 0; i < 3; ++i) {
    pendulum p;
    start_chain(&p, pendulum_p12(), sizes[i]);
    for (int k = 0; k < 3; ++k) {
      pendulum_step_to(&p, samples[k][0]);
      const ts_vec3 last = pendulum_last(&p);
      assert_near(last.y, samples[k][1], 1e-9);
      assert_near(last.z, samples[k][2], 1e-9);
      assert_near(pendulum_energy(&p), samples[k][3], 2e-9);
    }
    pendulum_release(&p);
  }
}

int main(void)
{
  const struct CMUnitTest tests[] = {
      cmocka_unit_test(flight_is_that_of_a_high_order_integrator),
      cmocka_unit_test(impacts_are_those_of_the_reference),
      cmocka_unit_test(states_do_not_depend_on_the_step),
  };
  return cmocka_run_group_tests(tests, NULL, NULL);
}
