// Solvers where there is no room for the buffer of the linear algebra library (128 MiB): what is small does without it,
// and what is not says that memory ran out. OpenBLAS itself asks for the buffer for ever.
#define _DEFAULT_SOURCE // RLIMIT_AS
#include "friction_generator.h"
#include "lcp_generator.h"
#include "library_calls.h"
#include "mcp_generator.h"

#include "touchstone/solver.h"

#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdio.h>
#include <string.h>
#include <sys/resource.h>
#include <sys/wait.h>
#include <unistd.h>
#include <cmocka.h>

enum { ROOM = 64 << 20, PATIENCE = 60 };

static long address_space(void)
{
  long pages = 0;
  FILE *file = fopen("/proc/self/statm", "r");
  if (file && fscanf(file, "%ld", &pages) != 1) pages = 0;
  if (file) fclose(file);
  return pages * sysconf(_SC_PAGESIZE);
}

// The status of every listed solver that takes the problem is `expected`: 0 when so, else 1 + the solver's number.
static int run_all(const ts_problem *problem, ts_status expected)
{
  static double z[4096];
  for (int k = 0; k < ts_solver_count(); ++k) {
    const ts_solver *solver = ts_solver_at(k);
    if (!(ts_solver_takes(solver) & (unsigned)problem->type)) continue;
    ts_solve_options options = ts_solve_options_default();
    options.max_iterations = 300;
    ts_workspace *workspace = ts_workspace_create(NULL);
    ts_report report = {0};
    ts_error error;
    memset(z, 0, sizeof z);
    const ts_status status = ts_solve(solver, problem, &options, workspace, z, &report, &error);
    ts_workspace_destroy(workspace);
    if (status != expected) return 1 + k;
  }
  return 0;
}

// Without /proc, or with a sanitizer that needs address space.
static void skip_where_memory_has_no_limit(void)
{
  if (address_space() <= 0 || !LIBRARY_CALLS_ARE_COUNTED) skip();
}

// In a process of its own, so that the limit and the wait end with it.
static void assert_status_with_little_memory(const ts_problem *problem, ts_status expected)
{
  const long used = address_space();
  const pid_t child = fork();
  if (child == 0) {
    const struct rlimit limit = {(rlim_t)used + ROOM, (rlim_t)used + ROOM};
    setrlimit(RLIMIT_AS, &limit);
    alarm(PATIENCE);
    _exit(run_all(problem, expected));
  }
  int status;
  assert_int_equal(waitpid(child, &status, 0), child);
  if (WIFEXITED(status) && WEXITSTATUS(status) > 0)
    print_error("%s\n", ts_solver_name(ts_solver_at(WEXITSTATUS(status) - 1)));
  assert_true(WIFEXITED(status));
  assert_int_equal(WEXITSTATUS(status), 0);
}

static void small_problems_need_no_buffer(void **state)
{
  (void)state;
  skip_where_memory_has_no_limit();
  static const friction_recipe jointed = {
      .dimension = 3, .contacts = 8, .bodies = 4, .joints = 3, .redundant_joint = true, .most_mu = 1.0};
  lcp_instance lcp = lcp_generate(LCP_SPD, 60, 1);
  mlcp_instance mlcp = mlcp_generate(60, 1);
  mcp_instance *mcp = mcp_generate(MCP_NONLINEAR, 40, 1);
  friction_sample *spheres = friction_sample_spheres(5, 7, 0.5, 1), *joints = friction_sample_create(&jointed, 2);
  const ts_problem problems[] = {ts_problem_lcp(lcp.lcp),
                                 ts_problem_mlcp(mlcp.mlcp),
                                 *mcp_instance_problem(mcp),
                                 spheres->local,
                                 spheres->global,
                                 joints->local};
  for (size_t k = 0; k < sizeof problems / sizeof problems[0]; ++k)
    assert_status_with_little_memory(&problems[k], TS_OK);
  friction_sample_destroy(spheres);
  friction_sample_destroy(joints);
  mcp_instance_destroy(mcp);
  mlcp_instance_release(&mlcp);
  lcp_instance_release(&lcp);
}

static void large_problems_say_that_memory_ran_out(void **state)
{
  (void)state;
  skip_where_memory_has_no_limit();
  friction_sample *spheres = friction_sample_spheres(40, 60, 0.5, 1);
  assert_status_with_little_memory(&spheres->local, TS_OUT_OF_MEMORY);
  friction_sample_destroy(spheres);
}

int main(void)
{
  const struct CMUnitTest tests[] = {
      cmocka_unit_test(small_problems_need_no_buffer),
      cmocka_unit_test(large_problems_say_that_memory_ran_out),
  };
  return cmocka_run_group_tests(tests, NULL, NULL);
}
