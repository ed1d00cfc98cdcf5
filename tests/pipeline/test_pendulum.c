// The pendulum of twelve spheres of 000 in minimal coordinates with fixed steps, against another program's runs, a
// high-order integration of its flight, bounds of its energy, and the same pendulum in redundant coordinates
// (reference-numbers.md 6.3 to 6.6).
#include "contact_cases.h"
#include "number_table.h"
#include "pendulum.h"

#include <math.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <cmocka.h>

#include "near.h"

static void start_with(pendulum *p, const char *solver)
{
  pendulum_init(p, pendulum_p12());
  pendulum_like_000(p, solver);
  pendulum_start(p);
}

// How a run compares with a table of t, y, z and energy.
typedef struct comparison {
  double within; // time of the last sample before the first that is more than 1e-6 m off [s]
  double worst;  // distance of the last sphere [m]
  double energy; // largest difference [J]
} comparison;

static comparison compare(pendulum *p, const number_table *table)
{
  comparison c = {0};
  for (int row = 0; row < table->rows; ++row) {
    pendulum_step_to(p, number_table_at(table, row, 0));
    const ts_vec3 at = pendulum_last(p);
    const double apart = hypot(at.y - number_table_at(table, row, 1), at.z - number_table_at(table, row, 2));
    c.worst = fmax(c.worst, apart);
    c.energy = fmax(c.energy, fabs(pendulum_energy(p) - number_table_at(table, row, 3)));
    if (c.worst <= 1e-6) c.within = number_table_at(table, row, 0);
  }
  return c;
}

// Until 14.544 s, where a line of solutions is certified: the reference takes that of its solver, the step the one with
// the declared loads.
static void same_solver_follows_the_reference(void **state)
{
  (void)state;
  number_table table = number_table_need_csv(TEST_DATA "/pendulum/p12_ncp-plm.csv");
  pendulum p;
  start_with(&p, "ncp-plm");
  const comparison c = compare(&p, &table);
  print_message("ncp-plm: 1e-6 m until %.1f s, at most %.2g m and %.2g J from the reference over 20 s\n", c.within,
                c.worst, c.energy);
  assert_true(c.within >= 14.5 && c.worst < 2e-2 && c.energy < 0.1);
  pendulum_release(&p);
  number_table_release(&table);
}

// Until 14 s, or where the solver stops at 3e-11 m/s until 9 s: as far as the reference itself follows its angles plus
// 1e-12 rad of noise.
static void other_solvers_follow_it_until_solutions_part(void **state)
{
  static const struct {
    const char *solver;
    double within;
  } cases[] = {{"lemke", 14.0}, {"auto", 14.0}, {"ncp-rlm", 14.0}, {"fb-rlm", 9.0}, {"fb-plm", 9.0}};
  (void)state;
  number_table table = number_table_need_csv(TEST_DATA "/pendulum/p12_lemke.csv");
  for (size_t i = 0; i < sizeof cases / sizeof *cases; ++i) {
    pendulum p;
    start_with(&p, cases[i].solver);
    const comparison c = compare(&p, &table);
    print_message("%s: 1e-6 m until %.1f s, at most %.2g m over 20 s\n", cases[i].solver, c.within, c.worst);
    assert_true(c.within >= cases[i].within && c.worst < 2e-2);
    pendulum_release(&p);
  }
  number_table_release(&table);
}

// ---- several solutions ----

// Largest difference in the velocities of the spheres [m/s].
static double velocities_apart(const pendulum *a, const pendulum *b)
{
  double apart = 0.0;
  for (int k = 0; k < a->kind.links; ++k)
    apart = fmax(apart, ts_distance_of(ts_sim_velocity(a->world.sim, a->first + k).linear,
                                       ts_sim_velocity(b->world.sim, b->first + k).linear));
  return apart;
}

static void assert_impulses(const pendulum *p, const double *normal, double slip)
{
  int count;
  const ts_contact *contacts = ts_sim_contacts(p->world.sim, &count);
  assert_int_equal(count, 3);
  for (int i = 0; i < count; ++i) assert_true(fabs(contacts[i].impulse[0] - normal[i]) < 1e-6);
  assert_true(fabs(hypot(contacts[0].velocity[1], contacts[0].velocity[2]) - slip) < 1e-6);
}

// Every step with contacts is taken by all solvers from the same state. They agree until the step at 14.544 s, where
// spheres 10, 11 and 12 lie in a line and 10 slides: there two solutions are certified to 1e-12, with different motion
// (reference-numbers.md 6.4). From there on the runs may part, whatever the solvers.
static void solvers_part_where_several_solutions_are_certified(void **state)
{
  static const char *const solvers[] = {"lemke", "ncp-rlm", "auto", "fb-rlm", "fb-plm"};
  enum { LEMKE, FB_RLM = 3, SOLVERS = 5 };
  (void)state;
  pendulum leader, others[SOLVERS];
  start_with(&leader, "ncp-plm");
  for (int i = 0; i < SOLVERS; ++i) start_with(&others[i], solvers[i]);
  double worst = 0.0;
  for (int step = 0; step <= 14544; ++step) {
    world_state before;
    world_save(&leader.world, &before);
    world_step(&leader.world);
    if (ts_sim_report(leader.world.sim)->contacts == 0) continue;
    for (int i = 0; i < SOLVERS; ++i) {
      world_load(&others[i].world, &before);
      world_step(&others[i].world);
      if (step < 14544) worst = fmax(worst, velocities_apart(&leader, &others[i]));
    }
  }
  print_message("from the same state the solvers differ by at most %.2g m/s until 14.544 s, then by %.2g m/s\n", worst,
                velocities_apart(&others[LEMKE], &others[FB_RLM]));
  assert_true(worst < 1e-9);
  assert_impulses(&others[LEMKE], (double[]){0.10327806874827622, 0.050365751006055615, 0.05389798734425057},
                  0.2050355798631831);
  assert_impulses(&others[FB_RLM], (double[]){0.1045174660569086, 0.0479813342740942, 0.055181452078745905},
                  0.20501532706772743);
  assert_true(velocities_apart(&others[LEMKE], &others[FB_RLM]) > 5e-5);
  pendulum_release(&leader);
  for (int i = 0; i < SOLVERS; ++i) pendulum_release(&others[i]);
}

// The same problem as another program wrote it down, rows (normal, tangent): the two solutions leave no residual, nor
// does anything between them, and sphere 10 slides at different speeds.
static void degenerate_problem_has_a_line_of_solutions(void **state)
{
  static const double first[] = {0.10327806874827622, -0.05163903437413814, 0.050365751006055615,
                                 0.0251828755030278,  0.05389798734425057,  0.019386921844654192};
  static const double second[] = {0.1045174660569086,  -0.05225873302845427, 0.0479813342740942,
                                  0.02077902525053698, 0.055181452078745905, 0.024520749715413206};
  static contact_case c; // large
  (void)state;
  contact_case_degenerate(&c);
  const ts_problem problem = ts_problem_friction(c.problem);
  for (int k = 0; k <= 10; ++k) {
    double r[6];
    for (int i = 0; i < 6; ++i) r[i] = first[i] + 0.1 * k * (second[i] - first[i]);
    assert_true(ts_problem_residual(&problem, r) < 1e-12);
  }
  double slower = 0.0; // the first block row of W: blocks of 2 x 2 by columns
  for (int j = 0; j < 6; ++j) slower += c.W[4 * (j / 2) + 2 * (j % 2) + 1] * (first[j] - second[j]);
  assert_near(slower, 0.2050355798631831 - 0.20501532706772743, 1e-12);
}

// ---- flight, energy, redundant coordinates ----

// reference-numbers.md 6.3: first order in dt.
static void flight_is_of_first_order(void **state)
{
  (void)state;
  number_table flight = number_table_need_csv(TEST_DATA "/pendulum/flight_p12.csv");
  const double *last = number_table_row(&flight, flight.rows - 1);
  pendulum_check_flight_order(pendulum_p12(), last, (double[3]){4.0e-4, 2.0e-4, 4.0e-5}, 0.03);
  number_table_release(&flight);
}

// With default options: contacts never bring energy, and the chain never hangs lower than the floor lets it
// (reference-numbers.md 6.6). In the end it swings a little above that.
static void energy_falls_and_stays_above_its_bound(void **state)
{
  const double bound = 451.75;
  (void)state;
  pendulum p;
  pendulum_init(&p, pendulum_p12());
  pendulum_start(&p);
  while (ts_sim_time(p.world.sim) < 20.0 - 5e-4) {
    world_step(&p.world);
    assert_true(pendulum_energy(&p) > bound);
    assert_true(ts_sim_report(p.world.sim)->contact_work < 1e-9 * 961.286);
  }
  print_message("E(20 s) = %.2f J\n", pendulum_energy(&p));
  assert_true(pendulum_energy(&p) < bound + 50.0);
  assert_near(pendulum_energy(&p), world_kinetic(&p.world) + ts_sim_report(p.world.sim)->potential_energy, 1e-9);
  pendulum_release(&p);
}

// reference-numbers.md 6.6 lists the range of energies over 13 variants of step, integrator and rest speed. That of 13
// normal numbers is 3.3 standard deviations wide: half as much again on either side takes in 99.9 % of them.
static void energies_are_those_of_other_variants(void **state)
{
  static const struct {
    double time, low, high;
  } windows[] = {{1.0, 866.6, 866.9}, {2.0, 620.0, 680.0},  {3.0, 558.0, 635.0},
                 {5.0, 486.0, 564.0}, {10.0, 469.0, 501.0}, {20.0, 459.0, 490.0}};
  static const struct {
    double step, rest_speed;
  } variants[] = {{1e-3, 2.0 * 9.81 * 1e-3}, {1e-3, 0.2}, {5e-4, 0.05}};
  (void)state;
  for (size_t i = 0; i < sizeof variants / sizeof *variants; ++i) {
    pendulum_kind kind = pendulum_p12();
    kind.step = variants[i].step;
    pendulum p;
    pendulum_init(&p, kind);
    p.world.options.rest_speed = variants[i].rest_speed;
    pendulum_start(&p);
    for (size_t k = 0; k < sizeof windows / sizeof *windows; ++k) {
      const double margin = 0.5 * (windows[k].high - windows[k].low);
      pendulum_step_to(&p, windows[k].time);
      assert_true(pendulum_energy(&p) > windows[k].low - margin && pendulum_energy(&p) < windows[k].high + margin);
    }
    const ts_vec3 last = pendulum_last(&p); // on the floor, or folded on top of what lies there
    assert_true(last.z > 0.35 - 1e-3 && last.z < 0.9 && last.y > -2.75 && last.y < 1.85);
    pendulum_release(&p);
  }
}

// reference-numbers.md 6.4 and 6.6: how many contacts steps have, and by how much energy rises between samples.
static void contacts_and_rises_of_energy_are_as_listed(void **state)
{
  static const double shares[] = {0.645, 0.241, 0.099, 0.015};
  enum { STEPS = 20000, MOST_CONTACTS = 3 };
  (void)state;
  pendulum p;
  start_with(&p, "lemke");
  int counts[MOST_CONTACTS + 1] = {0};
  double before = 961.286033172, rise = 0.0;
  for (int k = 1; k <= STEPS; ++k) {
    world_step(&p.world);
    const int contacts = ts_sim_report(p.world.sim)->contacts;
    assert_true(contacts <= MOST_CONTACTS);
    ++counts[contacts];
    if (k % 10 > 0) continue;
    rise = fmax(rise, pendulum_energy(&p) - before);
    before = pendulum_energy(&p);
  }
  print_message("energy rises by up to %.3f J between samples\n", rise);
  assert_true(rise < 0.285);
  for (int i = 0; i <= MOST_CONTACTS; ++i) assert_true(fabs((double)counts[i] / STEPS - shares[i]) < 6e-4);
  pendulum_release(&p);
}

// Both are of first order and differ in its term (reference-numbers.md 6.5).
static void redundant_coordinates_agree(void **state)
{
  static const struct {
    double step, until, passes[3], hinge;
  } cases[] = {{1e-3, 1.4, {0.200, 0.706, 1.356}, 1.3e-4}, {2e-4, 1.3, {0.280, 1.240, INFINITY}, 5.4e-6}};
  (void)state;
  double in_flight[2];
  for (int i = 0; i < 2; ++i) {
    pendulum_kind kind = pendulum_p12();
    kind.step = cases[i].step;
    const pendulum_parting parting = pendulum_minimal_and_redundant(kind, 0.14, cases[i].until);
    for (int k = 0; k < 3; ++k)
      assert_true(parting.passes[k] == cases[i].passes[k] || fabs(parting.passes[k] - cases[i].passes[k]) < 3e-3);
    assert_true(parting.hinge < cases[i].hinge);
    in_flight[i] = parting.early;
  }
  assert_true(in_flight[0] < 1e-5 && in_flight[1] < 0.2 * in_flight[0]);
}

int main(void)
{
  const struct CMUnitTest tests[] = {
      cmocka_unit_test(same_solver_follows_the_reference),
      cmocka_unit_test(other_solvers_follow_it_until_solutions_part),
      cmocka_unit_test(solvers_part_where_several_solutions_are_certified),
      cmocka_unit_test(degenerate_problem_has_a_line_of_solutions),
      cmocka_unit_test(flight_is_of_first_order),
      cmocka_unit_test(energy_falls_and_stays_above_its_bound),
      cmocka_unit_test(energies_are_those_of_other_variants),
      cmocka_unit_test(contacts_and_rises_of_energy_are_as_listed),
      cmocka_unit_test(redundant_coordinates_agree),
  };
  return cmocka_run_group_tests(tests, NULL, NULL);
}
