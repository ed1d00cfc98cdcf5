#include "cli/report.h"

static void write_input(cli_json *json, const cli_input *input)
{
  cli_json_text(json, "file", input->name);
  cli_json_text(json, "format", input->format);
  cli_json_text(json, "type", ts_problem_type_name(input->problem->type));
  cli_json_integer(json, "size", (long long)ts_problem_size(input->problem));
}

static void write_formulation(cli_json *json, const cli_formulation *f)
{
  cli_json_text(json, "formulation", cli_form_name(f->form));
  if (f->form == CLI_NATIVE) return;
  cli_json_open_object(json, "solved_as");
  cli_json_text(json, "type", ts_problem_type_name(f->problem->type));
  cli_json_integer(json, "size", (long long)ts_problem_size(f->problem));
  if (f->directions > 0) cli_json_integer(json, "directions", f->directions);
  cli_json_close(json);
}

static void write_trail(cli_json *json, const ts_report *report)
{
  if (report->trail_count == 0) return;
  cli_json_open_array(json, "stages");
  for (int i = 0; i < report->trail_count; ++i) {
    const ts_trail_entry *stage = &report->trail[i];
    cli_json_open_object(json, NULL);
    cli_json_text(json, "solver", stage->solver);
    cli_json_text(json, "status", ts_outcome_name(stage->outcome));
    cli_json_integer(json, "iterations", stage->iterations);
    cli_json_integer(json, "factorizations", stage->factorizations);
    cli_json_number(json, "residual", stage->residual);
    cli_json_number(json, "seconds", stage->seconds);
    cli_json_close(json);
  }
  cli_json_close(json);
}

static void write_report(cli_json *json, const ts_report *report, double tolerance)
{
  cli_json_text(json, "produced_by", report->solver);
  cli_json_integer(json, "iterations", report->iterations);
  cli_json_integer(json, "factorizations", report->factorizations);
  cli_json_integer(json, "fallbacks", report->fallbacks);
  cli_json_number(json, "residual", report->residual);
  cli_json_number(json, "claimed", report->claimed);
  cli_json_number(json, "tolerance", tolerance);
  cli_json_number(json, "seconds", report->seconds);
  write_trail(json, report);
}

static void write_measures(cli_json *json, const cli_attempt *a)
{
  const ts_friction_measures *m = &a->measures;
  cli_json_number(json, "friction_residual", a->residual);
  cli_json_number(json, "fclib_residual", m->fclib);
  cli_json_number(json, "penetration_velocity", m->penetration_velocity);
  cli_json_number(json, "cone_violation", m->cone_violation);
  cli_json_number(json, "misalignment", m->misalignment);
  cli_json_number(json, "complementarity", m->complementarity);
  cli_json_number(json, "bilateral", m->bilateral);
  cli_json_number(json, "equilibrium", m->equilibrium);
  cli_json_open_object(json, "modes");
  cli_json_integer(json, "open", m->open);
  cli_json_integer(json, "stick", m->stick);
  cli_json_integer(json, "slip", m->slip);
  cli_json_close(json);
}

static void write_point(cli_json *json, const cli_attempt *a)
{
  const ts_problem *problem = a->formulation->original;
  size_t impulses = ts_problem_size(problem), bilaterals = 0, velocities = 0;
  if (problem->type == TS_FRICTION) {
    bilaterals = (size_t)problem->friction.bilaterals;
  } else if (problem->type == TS_GLOBAL_FRICTION) {
    bilaterals = (size_t)problem->global.bilaterals;
    velocities = (size_t)problem->global.M.rows;
  }
  impulses -= bilaterals + velocities;
  cli_json_numbers(json, "z", a->point, impulses);
  if (bilaterals > 0) cli_json_numbers(json, "lambda", a->point + impulses, bilaterals);
  if (velocities > 0) cli_json_numbers(json, "v", a->point + impulses + bilaterals, velocities);
}

void cli_json_attempt(cli_json *json, const cli_input *input, const cli_attempt *attempt, double tolerance,
                      bool with_solution)
{
  cli_json_open_object(json, NULL);
  write_input(json, input);
  write_formulation(json, attempt->formulation);
  cli_json_text(json, "status", cli_attempt_status(attempt));
  cli_json_text(json, "solver", ts_solver_name(attempt->solver));
  if (attempt->status == TS_OK) {
    write_report(json, &attempt->report, tolerance);
    if (cli_is_friction(input->problem)) write_measures(json, attempt);
    if (with_solution) write_point(json, attempt);
    if (with_solution && attempt->report.ray_found)
      cli_json_numbers(json, "ray", attempt->report.ray, ts_problem_size(attempt->formulation->problem));
  } else {
    cli_json_text(json, "error", attempt->error.text);
  }
  cli_json_close(json);
}
