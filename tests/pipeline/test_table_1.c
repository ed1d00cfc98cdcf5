// The pendulums of 001's Table I with fixed steps in minimal coordinates, against another program's runs and a
// high-order integration of their flight, and against redundant coordinates (REFERENCE II.1.3, II.1.5, II.1.6).
#include "number_table.h"
#include "pendulum.h"

#include <math.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdio.h>
#include <cmocka.h>

static number_table read_table(const char *format, int links)
{
  char name[32], path[512];
  number_table table;
  snprintf(name, sizeof name, format, links);
  snprintf(path, sizeof path, "%s/pendulum/%s.csv", TEST_DATA, name);
  if (!number_table_read_csv(path, &table)) fail_msg("%s cannot be read", path);
  return table;
}

// A first order: the errors at 0.70 s are those listed, and fall with the step.
static void flight_is_of_first_order(void **state)
{
  static const struct {
    int links;
    double error[3];
  } cases[] = {{12, {3.7e-3, 1.87e-3, 3.7e-4}}, {30, {3.9e-3, 1.95e-3, 3.9e-4}}};
  static const double steps[] = {1e-3, 5e-4, 1e-4};
  (void)state;
  for (int i = 0; i < 2; ++i) {
    number_table angles = read_table("flight_t%d", cases[i].links);
    double error[3];
    for (int k = 0; k < 3; ++k) {
      pendulum_kind kind = pendulum_t(cases[i].links);
      kind.step = steps[k];
      pendulum p;
      pendulum_init(&p, kind);
      pendulum_start(&p);
      pendulum_step_to(&p, 0.70);
      error[k] = pendulum_error(&p, angles.values);
      pendulum_release(&p);
    }
    print_message("T%d: errors at 0.70 s %.3g, %.3g, %.3g m\n", cases[i].links, error[0], error[1], error[2]);
    for (int k = 0; k < 3; ++k) assert_true(fabs(error[k] - cases[i].error[k]) < 0.02 * cases[i].error[k]);
    assert_true(fabs(error[0] / error[1] - 2.0) < 0.02 && fabs(error[1] / error[2] - 5.0) < 0.05);
    number_table_release(&angles);
  }
}

// The last sphere within 1e-6 m until `together`, energies at whole seconds within `share`, always above the bound.
static void follow(int links, double together, double lowest, const double share[5])
{
  number_table table = read_table("t%d", links);
  pendulum p;
  pendulum_init(&p, pendulum_t(links));
  pendulum_like_000(&p, "lemke");
  p.world.options.tolerance = 1e-11; // pivots know none; the certificate's own round-off reaches 1e-12 in T30
  pendulum_start(&p);
  double worst = 0.0;
  for (int row = 0; row < table.rows; ++row) {
    const double t = number_table_at(&table, row, 0), energy = number_table_at(&table, row, 3);
    while (ts_sim_time(p.world.sim) < t - 5e-5) {
      world_step(&p.world);
      assert_true(pendulum_energy(&p) > lowest);
    }
    const ts_vec3 at = pendulum_last(&p);
    if (t < together + 1e-9)
      worst = fmax(worst, hypot(at.y - number_table_at(&table, row, 1), at.z - number_table_at(&table, row, 2)));
    const int second = (int)lround(t);
    if (fabs(t - second) > 1e-9 || second == 0) continue;
    print_message("T%d: E(%d s) = %.2f J, reference %.2f J\n", links, second, pendulum_energy(&p), energy);
    assert_true(fabs(pendulum_energy(&p) - energy) < share[second - 1] * energy);
  }
  print_message("T%d: within %.2g m until %g s\n", links, worst, together);
  assert_true(worst < 1e-6);
  pendulum_release(&p);
  number_table_release(&table);
}

static void runs_follow_the_reference(void **state)
{
  (void)state;
  follow(3, 1.2, 89.18, (double[5]){3e-4, 3e-4, 3e-4, 3e-4, 3e-4});
  follow(12, 1.0, 451.29, (double[5]){3e-3, 2.5e-2, 0.14, 0.14, 0.14});
  follow(30, 1.0, 1187.76, (double[5]){3e-3, 2.5e-2, 0.14, 0.14, 0.14});
}

static void check_parting(int links, double until, double first, double second)
{
  const pendulum_parting parting = pendulum_minimal_and_redundant(pendulum_t(links), 0.65, until);
  assert_true(parting.early < 1e-3);
  assert_true(fabs(parting.passes[0] - first) < 3e-3);
  assert_true(parting.passes[1] == second || fabs(parting.passes[1] - second) < 3e-3);
  assert_true(parting.hinge < 1e-5);
}

static void redundant_coordinates_agree(void **state)
{
  (void)state;
  check_parting(3, 5.0, 1.390, INFINITY);
  check_parting(12, 1.21, 0.876, 1.202);
  check_parting(30, 0.91, 0.734, 0.904);
}

int main(void)
{
  const struct CMUnitTest tests[] = {
      cmocka_unit_test(flight_is_of_first_order),
      cmocka_unit_test(runs_follow_the_reference),
      cmocka_unit_test(redundant_coordinates_agree),
  };
  return cmocka_run_group_tests(tests, NULL, NULL);
}
