#include "cli/formulation.h"

#include "cli/allocation.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#define CLI_FORM_NAME(name, text) text,
static const char *const form_names[] = {CLI_FORM_LIST(CLI_FORM_NAME)};
#undef CLI_FORM_NAME

const char *cli_form_name(cli_form form)
{
  return form_names[form];
}

cli_form cli_form_find(const char *name)
{
  int form = 0;
  while (form < CLI_FORM_COUNT && strcmp(form_names[form], name) != 0) ++form;
  return (cli_form)form;
}

bool cli_is_friction(const ts_problem *problem)
{
  return problem->type == TS_FRICTION || problem->type == TS_GLOBAL_FRICTION;
}

bool cli_form_takes_directions(cli_form form)
{
  return form == CLI_MLCP || form == CLI_LCP;
}

static ts_status refuse(ts_error *error, const char *text)
{
  *error = (ts_error){.status = TS_UNSUPPORTED};
  snprintf(error->text, sizeof error->text, "%s", text);
  return TS_UNSUPPORTED;
}

static ts_status lower(const ts_friction *problem, cli_formulation *f, ts_error *error)
{
  switch (f->form) {
  case CLI_MCP:
    return ts_lower_to_mcp(problem, &f->lowering, error);
  case CLI_MLCP:
    return ts_lower_to_mlcp(problem, f->directions, NULL, &f->lowering, error);
  case CLI_LCP:
    return ts_lower_to_lcp(problem, f->directions, NULL, &f->lowering, error);
  default:
    return TS_OK;
  }
}

ts_status cli_formulate(const ts_problem *original, cli_form form, int directions, cli_formulation *f, ts_error *error)
{
  *f = (cli_formulation){.form = form, .original = original, .problem = original};
  if (cli_form_takes_directions(form)) f->directions = directions;
  if (form == CLI_NATIVE) return TS_OK;
  if (!cli_is_friction(original)) return refuse(error, "only friction problems can be brought into another form");
  if (form == CLI_LOCAL && original->type == TS_FRICTION)
    return refuse(error, "the problem is in its local form already");
  ts_status status = TS_OK;
  if (original->type == TS_GLOBAL_FRICTION) {
    status = ts_condense(&original->global, &f->condensed, error);
    if (status == TS_OK) f->problem = ts_condensed_problem(f->condensed);
  }
  if (status == TS_OK) status = lower(&f->problem->friction, f, error);
  if (status == TS_OK && f->lowering) f->problem = ts_lowering_problem(f->lowering);
  if (status != TS_OK) cli_formulation_destroy(f);
  return status;
}

void cli_formulation_destroy(cli_formulation *f)
{
  if (f->lowering) ts_lowering_destroy(f->lowering);
  if (f->condensed) ts_condensed_destroy(f->condensed);
  *f = (cli_formulation){0};
}

// A point of the global problem begins with the point of the local one: r, then l, then v.
void cli_formulation_start(const cli_formulation *f, const double *original, double *z)
{
  if (f->lowering)
    ts_lowering_start(f->lowering, original, z);
  else
    memcpy(z, original, ts_problem_size(f->problem) * sizeof *z);
}

void cli_formulation_recover(const cli_formulation *f, const double *z, double *original)
{
  const size_t local_size = ts_problem_size(f->condensed ? ts_condensed_problem(f->condensed) : f->original);
  double *local = cli_zeros(local_size, sizeof *local);
  if (f->lowering)
    ts_lowering_recover(f->lowering, z, local);
  else
    memcpy(local, z, local_size * sizeof *local);
  if (f->condensed)
    ts_condensed_recover(f->condensed, local, original);
  else
    memcpy(original, local, local_size * sizeof *local);
  free(local);
}
