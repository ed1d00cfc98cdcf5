// Many contacts on one elastic body: W would be dense, so the global form is solved as it is.
#include "touchstone/touchstone.h"

#include "base/random.h"

#include <stdarg.h>
#include <stddef.h>
#include <setjmp.h>
#include <stdint.h>
#include <math.h>
#include <stdlib.h>
#include <string.h>
#include <cmocka.h>

// A square membrane of side*side nodes with three velocities each, pressed on a floor at every node: M is mass plus
// stiffness (a grid Laplacian, diagonally dominant, so symmetric positive definite and connected).
typedef struct membrane {
  int side, nodes, rows;
  int *M_start, *M_index, *H_start, *H_index;
  double *M_value, *H_value, *f, *w, *mu;
  ts_problem problem;
} membrane;

static void *array(size_t count, size_t size)
{
  void *memory = calloc(count ? count : 1, size);
  assert_non_null(memory);
  return memory;
}

static void fill_mass(membrane *m)
{
  int filled = 0;
  for (int j = 0; j < m->rows; ++j) {
    const int node = j / 3, x = node % m->side, y = node / m->side;
    const int neighbours[] = {y > 0 ? j - 3 * m->side : -1, x > 0 ? j - 3 : -1, j, x + 1 < m->side ? j + 3 : -1,
                              y + 1 < m->side ? j + 3 * m->side : -1};
    m->M_start[j] = filled;
    for (int k = 0; k < 5; ++k) {
      if (neighbours[k] < 0) continue;
      m->M_index[filled] = neighbours[k];
      m->M_value[filled++] = neighbours[k] == j ? 1.0 + 4.0 * 0.3 : -0.3;
    }
  }
  m->M_start[m->rows] = filled;
}

// Contact frames tilted at random: normal within 0.3 rad of the vertical.
static void fill_contact(membrane *m, int i, ts_random *random)
{
  const double a = ts_random_uniform(random, -0.3, 0.3), b = ts_random_uniform(random, 0.0, 6.28);
  const double frame[3][3] = {
      {sin(a) * cos(b), sin(a) * sin(b), cos(a)}, {cos(a) * cos(b), cos(a) * sin(b), -sin(a)}, {-sin(b), cos(b), 0.0}};
  for (int c = 0; c < 3; ++c)
    for (int k = 0; k < 3; ++k) {
      const int at = 9 * i + 3 * c + k;
      m->H_index[at] = 3 * i + k;
      m->H_value[at] = frame[c][k];
    }
}

static membrane *create_membrane(int side, double mu, uint64_t seed)
{
  membrane *m = array(1, sizeof *m);
  ts_random random;
  ts_random_init(&random, seed);
  m->side = side;
  m->nodes = side * side;
  m->rows = 3 * m->nodes;
  const size_t rows = (size_t)m->rows;
  m->M_start = array(rows + 1, sizeof(int));
  m->M_index = array(5 * rows, sizeof(int));
  m->M_value = array(5 * rows, sizeof(double));
  m->H_start = array(rows + 1, sizeof(int));
  m->H_index = array(3 * rows, sizeof(int));
  m->H_value = array(3 * rows, sizeof(double));
  m->f = array(rows, sizeof(double));
  m->w = array(rows, sizeof(double));
  m->mu = array((size_t)m->nodes, sizeof(double));
  fill_mass(m);
  for (int j = 0; j <= m->rows; ++j) m->H_start[j] = 3 * j;
  for (int i = 0; i < m->nodes; ++i) {
    fill_contact(m, i, &random);
    m->mu[i] = mu;
    for (int k = 0; k < 3; ++k) m->f[3 * i + k] = ts_random_normal(&random) - (k == 2 ? 0.5 : 0.0);
  }
  m->problem =
      ts_problem_global_friction((ts_global_friction){.dimension = 3,
                                                      .contacts = m->nodes,
                                                      .M = {m->rows, m->rows, m->M_start, m->M_index, m->M_value},
                                                      .H = {m->rows, m->rows, m->H_start, m->H_index, m->H_value},
                                                      .f = m->f,
                                                      .w = m->w,
                                                      .mu = m->mu});
  return m;
}

static void destroy_membrane(membrane *m)
{
  void *arrays[] = {m->M_start, m->M_index, m->M_value, m->H_start, m->H_index, m->H_value, m->f, m->w, m->mu, m};
  for (size_t k = 0; k < sizeof arrays / sizeof arrays[0]; ++k) free(arrays[k]);
}

static size_t solve(const char *solver, const ts_problem *problem, double *z, ts_report *report)
{
  ts_workspace *workspace = ts_workspace_create(NULL);
  ts_solve_options options = ts_solve_options_default();
  ts_error error;
  assert_int_equal(ts_solve(ts_solver_find(solver), problem, &options, workspace, z, report, &error), TS_OK);
  assert_int_equal(report->outcome, TS_SOLVED);
  const size_t peak = ts_workspace_peak(workspace);
  ts_workspace_destroy(workspace);
  return peak;
}

static void agrees_with_sweeps_on_the_condensed_problem(void **state)
{
  (void)state;
  membrane *m = create_membrane(16, 0.4, 3);
  const size_t size = ts_problem_size(&m->problem);
  double *whole = array(size, sizeof(double)), *condensed = array(size, sizeof(double));
  ts_report report = {0};
  const size_t sparing = solve("auto", &m->problem, whole, &report);
  assert_string_equal(report.solver, "smooth");
  ts_report other = {0};
  const size_t full = solve("nsgs", &m->problem, condensed, &other); // condenses: W has 256*256 blocks
  assert_true(sparing < full / 2);
  for (size_t k = 0; k < size; ++k) assert_true(fabs(whole[k] - condensed[k]) < 1e-8);
  free(whole);
  free(condensed);
  destroy_membrane(m);
}

static void solves_a_thousand_contacts(void **state)
{
  (void)state;
  membrane *m = create_membrane(32, 0.7, 4);
  double *z = array(ts_problem_size(&m->problem), sizeof(double));
  ts_report report = {0};
  solve("auto", &m->problem, z, &report);
  assert_true(report.measures.stick > 0 && report.measures.slip > 0 && report.measures.open > 0);
  free(z);
  destroy_membrane(m);
}

int main(void)
{
  const struct CMUnitTest tests[] = {
      cmocka_unit_test(agrees_with_sweeps_on_the_condensed_problem),
      cmocka_unit_test(solves_a_thousand_contacts),
  };
  return cmocka_run_group_tests(tests, NULL, NULL);
}
