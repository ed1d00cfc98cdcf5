#include "cli/plan.h"

#include "cli/allocation.h"
#include "cli/message.h"
#include "cli/unknown_name.h"

#include <stdlib.h>
#include <string.h>

static const char *solver_name(int i, const void *unused)
{
  (void)unused;
  return ts_solver_name(ts_solver_at(i));
}

static const char *form_name(int i, const void *unused)
{
  (void)unused;
  return cli_form_name((cli_form)i);
}

static bool takes(const ts_solver *solver, ts_problem_type type)
{
  return (ts_solver_takes(solver) & (unsigned)type) != 0;
}

// ---- checking what was asked ---------------------------------------------------------------------------------------

static bool find_form(const char *name, cli_form *form)
{
  *form = cli_form_find(name);
  if (*form < CLI_FORM_COUNT) return true;
  cli_message_unknown("formulation", name, CLI_FORM_COUNT, form_name, NULL);
  return false;
}

static bool check_directions(const ts_problem *problem, cli_form form, int directions)
{
  if (directions == 0) return true;
  if (!cli_is_friction(problem)) {
    cli_message("--directions is for friction problems, this one is of type %s", ts_problem_type_name(problem->type));
    return false;
  }
  if (cli_form_takes_directions(form)) return true;
  cli_message("--directions is for the formulations lcp and mlcp, not for %s", cli_form_name(form));
  return false;
}

// ---- building ------------------------------------------------------------------------------------------------------

static bool add_formulation(cli_plan *plan, const ts_problem *problem, cli_form form, int directions, ts_error *error)
{
  if (directions == 0) directions = CLI_DEFAULT_DIRECTIONS;
  cli_formulation *formulation = &plan->formulations[plan->formulation_count];
  if (cli_formulate(problem, form, directions, formulation, error) != TS_OK) return false;
  ++plan->formulation_count;
  return true;
}

static void add_pair(cli_plan *plan, const ts_solver *solver, const cli_formulation *formulation)
{
  plan->pairs = cli_grow(plan->pairs, (size_t)plan->count + 1, sizeof *plan->pairs);
  plan->pairs[plan->count++] = (cli_pair){solver, formulation};
}

void cli_plan_destroy(cli_plan *plan)
{
  for (int i = 0; i < plan->formulation_count; ++i) cli_formulation_destroy(&plan->formulations[i]);
  free(plan->pairs);
  *plan = (cli_plan){0};
}

// ---- one solver ----------------------------------------------------------------------------------------------------

// The form a solver needs when none was asked for; CLI_FORM_COUNT: somebody has to choose one.
static cli_form suitable_form(const ts_problem *problem, const ts_solver *solver, int directions)
{
  if (directions > 0 && cli_is_friction(problem)) return CLI_LCP;
  if (takes(solver, problem->type)) return CLI_NATIVE;
  if (problem->type == TS_GLOBAL_FRICTION && takes(solver, TS_FRICTION)) return CLI_LOCAL;
  return CLI_FORM_COUNT;
}

static void refuse_type(const ts_solver *solver, const ts_problem *problem)
{
  const char *lowered = takes(solver, TS_LCP)    ? "lcp"
                        : takes(solver, TS_MLCP) ? "mlcp"
                        : takes(solver, TS_MCP)  ? "mcp"
                                                 : "";
  const char *name = ts_solver_name(solver), *type = ts_problem_type_name(problem->type);
  if (cli_is_friction(problem) && *lowered)
    cli_message("solver '%s' does not take a problem of type %s; lower it with --formulation %s", name, type, lowered);
  else
    cli_message("solver '%s' does not take a problem of type %s; see 'touchstone list solvers'", name, type);
}

static bool choose_form(const ts_problem *problem, const ts_solver *solver, const char *name, int directions,
                        cli_form *form)
{
  if (name) return find_form(name, form);
  *form = suitable_form(problem, solver, directions);
  if (*form < CLI_FORM_COUNT) return true;
  refuse_type(solver, problem);
  return false;
}

bool cli_plan_one(const ts_problem *problem, const char *wanted_solver, const char *wanted_form, int directions,
                  cli_plan *plan)
{
  *plan = (cli_plan){0};
  const ts_solver *solver = ts_solver_find(wanted_solver);
  if (!solver) {
    cli_message_unknown("solver", wanted_solver, ts_solver_count(), solver_name, NULL);
    return false;
  }
  cli_form form;
  if (!choose_form(problem, solver, wanted_form, directions, &form)) return false;
  if (!check_directions(problem, form, directions)) return false;
  ts_error error;
  if (!add_formulation(plan, problem, form, directions, &error)) {
    cli_message_about(NULL, &error);
    return false;
  }
  if (!takes(solver, plan->formulations[0].problem->type)) {
    refuse_type(solver, plan->formulations[0].problem);
    cli_plan_destroy(plan);
    return false;
  }
  add_pair(plan, solver, &plan->formulations[0]);
  return true;
}

// ---- all solvers ---------------------------------------------------------------------------------------------------

// The forms to compare; returns how many.
static int forms_to_compare(const ts_problem *problem, const char *name, int directions, cli_form *forms)
{
  int count = 0;
  if (name && strcmp(name, "all") != 0) {
    if (find_form(name, &forms[0])) count = 1;
  } else if (!name && directions > 0) {
    forms[count++] = CLI_LCP;
  } else {
    forms[count++] = CLI_NATIVE;
    if (problem->type == TS_GLOBAL_FRICTION) forms[count++] = CLI_LOCAL;
    if (name && cli_is_friction(problem))
      for (cli_form form = CLI_MCP; form < CLI_FORM_COUNT; ++form) forms[count++] = form;
  }
  return count;
}

static void pair_with_solvers(cli_plan *plan, const cli_formulation *formulation)
{
  for (int i = 0; i < ts_solver_count(); ++i)
    if (takes(ts_solver_at(i), formulation->problem->type)) add_pair(plan, ts_solver_at(i), formulation);
}

bool cli_plan_all(const ts_problem *problem, const char *wanted_form, int directions, cli_plan *plan)
{
  *plan = (cli_plan){0};
  cli_form forms[CLI_FORM_COUNT];
  const int count = forms_to_compare(problem, wanted_form, directions, forms);
  if (count == 0 || !check_directions(problem, forms[count - 1], directions)) return false;
  for (int i = 0; i < count; ++i) {
    ts_error error;
    if (add_formulation(plan, problem, forms[i], directions, &error))
      pair_with_solvers(plan, &plan->formulations[plan->formulation_count - 1]);
    else // the other forms can still be compared
      cli_message("formulation %s is left out: %s", cli_form_name(forms[i]), error.text);
  }
  if (plan->count > 0) return true;
  cli_message("no solver takes the problem in this form");
  cli_plan_destroy(plan);
  return false;
}
