// A block of 2 kg slides at 1 m/s over a table with friction 0.5: which impulses act in a step of 10 ms?
#include <touchstone/touchstone.h>

#include <math.h>
#include <stdio.h>

int main(void)
{
  const double mass = 2.0, step = 0.01, gravity = 9.81, mu = 0.5;

  // u = W r + q: the contact's velocity (normal, tangent, tangent) after the step, from its impulse r.
  const double W[9] = {1.0 / mass, 0.0, 0.0, 0.0, 1.0 / mass, 0.0, 0.0, 0.0, 1.0 / mass};
  const double q[3] = {-gravity * step, 1.0, 0.0};
  const ts_problem problem = ts_problem_friction((ts_friction){
      .dimension = 3,
      .contacts = 1,
      .W = {.rows = 1, .block = 3, .start = (const int[]){0, 1}, .index = (const int[]){0}, .value = W},
      .q = q,
      .mu = &mu,
  });

  double r[3];
  ts_report report = {0};
  ts_error error;
  const ts_solve_options options = ts_solve_options_default();
  ts_workspace *workspace = ts_workspace_create(NULL);
  if (!workspace || ts_solve(ts_solver_find("auto"), &problem, &options, workspace, r, &report, &error) != TS_OK) {
    fprintf(stderr, "%s\n", workspace ? error.text : "memory ran out");
    return 1;
  }
  ts_workspace_destroy(workspace);
  printf("%s by %s: impulses %g, %g, %g N s, residual %.1e\n", ts_outcome_name(report.outcome), report.solver, r[0],
         r[1], r[2], report.residual);

  // The table carries the weight, m g h, and friction brakes with mu times that.
  const double normal = mass * gravity * step;
  return fabs(r[0] - normal) < 1e-9 && fabs(r[1] + mu * normal) < 1e-9 ? 0 : 1;
}
