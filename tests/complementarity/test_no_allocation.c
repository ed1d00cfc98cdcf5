// Memory of every listed solver on every type it takes: none is allocated once the workspace has reached its size, not
// by BLAS or LAPACK either, and an allocation that fails anywhere is reported, leaks nothing and does no lasting harm.
#include "counting_allocator.h"
#include "friction_generator.h"
#include "lcp_generator.h"
#include "library_calls.h"
#include "mcp_generator.h"

#include "touchstone/solver.h"

#include <lapacke.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdlib.h>
#include <string.h>
#include <cmocka.h>

// ---- problems of every type ----------------------------------------------------------------------------------------

enum { FRICTION_SAMPLES = 4 };

typedef struct problems {
  lcp_instance lcp;
  mlcp_instance mlcp;
  mcp_instance *mcp;
  friction_sample *friction[FRICTION_SAMPLES]; // spheres, a plane, ellipsoids with spin and joints, one hard pile
  ts_problem all[3 + 2 * FRICTION_SAMPLES];
  int count;
} problems;

static int create_problems(void **state)
{
  static const friction_recipe plane = {
      .dimension = 2, .contacts = 12, .bodies = 5, .with_bodies = true, .most_mu = 1.0};
  static const friction_recipe jointed = {.dimension = 4,
                                          .contacts = 10,
                                          .bodies = 4,
                                          .joints = 2,
                                          .redundant_joint = true,
                                          .ellipsoid = true,
                                          .most_mu = 1.0};
  problems *p = calloc(1, sizeof *p);
  if (!p) return -1;
  p->lcp = lcp_generate(LCP_SPD, 20, 1);
  p->mlcp = mlcp_generate(20, 1);
  p->mcp = mcp_generate(MCP_NONLINEAR, 20, 1);
  p->friction[0] = friction_sample_spheres(5, 7, 0.5, 1);
  p->friction[1] = friction_sample_create(&plane, 2);
  p->friction[2] = friction_sample_create(&jointed, 3);
  p->friction[3] = friction_sample_spheres(10, 16, 2.0, 38); // takes many stages of `auto`
  p->all[p->count++] = ts_problem_lcp(p->lcp.lcp);
  p->all[p->count++] = ts_problem_mlcp(p->mlcp.mlcp);
  p->all[p->count++] = *mcp_instance_problem(p->mcp);
  for (int k = 0; k < FRICTION_SAMPLES; ++k) {
    p->all[p->count++] = p->friction[k]->local;
    p->all[p->count++] = p->friction[k]->global;
  }
  *state = p;
  return 0;
}

static int destroy_problems(void **state)
{
  problems *p = *state;
  lcp_instance_release(&p->lcp);
  mlcp_instance_release(&p->mlcp);
  mcp_instance_destroy(p->mcp);
  for (int k = 0; k < FRICTION_SAMPLES; ++k) friction_sample_destroy(p->friction[k]);
  free(p);
  return 0;
}

// Run a check for every solver with every problem that it takes.
static void for_all_pairs(problems *p, void (*check)(const ts_solver *solver, const ts_problem *problem, double *z))
{
  for (int s = 0; s < ts_solver_count(); ++s)
    for (int k = 0; k < p->count; ++k) {
      const ts_solver *solver = ts_solver_at(s);
      if (!(ts_solver_takes(solver) & (unsigned)p->all[k].type)) continue;
      double *z = calloc(ts_problem_size(&p->all[k]) + 1, sizeof *z);
      assert_non_null(z);
      check(solver, &p->all[k], z);
      free(z);
    }
}

static ts_status solve(const ts_solver *solver, const ts_problem *problem, ts_workspace *workspace, double *z,
                       ts_report *report, ts_error *error)
{
  const ts_solve_options options = ts_solve_options_default();
  return ts_solve(solver, problem, &options, workspace, z, report, error);
}

// The first run makes the workspace as large as it has to be, and leaves it in one piece.
static void check_nothing_allocated(const ts_solver *solver, const ts_problem *problem, double *z)
{
  allocation_count l = UNLIMITED_ALLOCATIONS;
  const ts_allocator allocator = counting_allocator(&l);
  ts_report report = {0};
  ts_workspace *workspace = ts_workspace_create(&allocator);
  assert_non_null(workspace);
  assert_int_equal(solve(solver, problem, workspace, z, &report, NULL), TS_OK);
  const int own_before = l.calls, library_before = library_calls;
  const ts_status status = solve(solver, problem, workspace, z, &report, NULL);
  const int own = l.calls - own_before, library = library_calls - library_before;
  assert_int_equal(status, TS_OK);
  if (own != 0 || library != 0)
    fail_msg("%s on a problem of type %s: %d calls of the allocator, %d of the library's", ts_solver_name(solver),
             ts_problem_type_name(problem->type), own, library);
  ts_workspace_destroy(workspace);
  assert_int_equal(l.held, 0);
}

// LAPACKE's comfortable interface allocates its work space inside the shared library.
static void the_counter_sees_calls_from_libraries(void **state)
{
  (void)state;
  if (!LIBRARY_CALLS_ARE_COUNTED) skip();
  double A[4] = {2.0, 1.0, 1.0, 3.0}, values[2];
  const int before = library_calls;
  assert_int_equal(LAPACKE_dsyev(LAPACK_COL_MAJOR, 'N', 'L', 2, A, 2, values), 0);
  assert_true(library_calls > before);
}

static void a_warm_workspace_allocates_nothing(void **state)
{
  if (!LIBRARY_CALLS_ARE_COUNTED) print_message("calls of the library's allocator are not counted in this build\n");
  for_all_pairs(*state, check_nothing_allocated);
}

static void check_every_failure(const ts_solver *solver, const ts_problem *problem, double *z)
{
  for (int budget = 1;; ++budget) { // the workspace itself takes the first
    allocation_count l = {.budget = budget};
    const ts_allocator allocator = counting_allocator(&l);
    ts_report report = {0};
    ts_error error = {0};
    ts_workspace *workspace = ts_workspace_create(&allocator);
    assert_non_null(workspace);
    const ts_status status = solve(solver, problem, workspace, z, &report, &error);
    if (status != TS_OK) {
      assert_int_equal(status, TS_OUT_OF_MEMORY);
      assert_int_equal(error.status, TS_OUT_OF_MEMORY);
      assert_non_null(strstr(error.text, "memory ran out"));
      l.budget = 1 << 20;
      assert_int_equal(solve(solver, problem, workspace, z, &report, &error), TS_OK); // the workspace serves again
    }
    ts_workspace_destroy(workspace);
    assert_int_equal(l.held, 0);
    if (status == TS_OK) break;
  }
}

static void every_failed_allocation_is_reported(void **state)
{
  allocation_count none = {.budget = 0};
  const ts_allocator allocator = counting_allocator(&none);
  assert_null(ts_workspace_create(&allocator));
  for_all_pairs(*state, check_every_failure);
}

int main(void)
{
  const struct CMUnitTest tests[] = {
      cmocka_unit_test(the_counter_sees_calls_from_libraries),
      cmocka_unit_test(a_warm_workspace_allocates_nothing),
      cmocka_unit_test(every_failed_allocation_is_reported),
  };
  return cmocka_run_group_tests(tests, create_problems, destroy_problems);
}
