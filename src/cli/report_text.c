#include "cli/report.h"

#include "cli/table.h"
#include "cli/time_text.h"

enum { FEW_NUMBERS = 30, LABEL_WIDTH = 22 };

// Contacts and rows of both friction types.
typedef struct contact_sizes {
  int dimension, contacts, bilaterals, velocities;
} contact_sizes;

static contact_sizes sizes_of(const ts_problem *problem)
{
  if (problem->type == TS_FRICTION) {
    const ts_friction *p = &problem->friction;
    return (contact_sizes){p->dimension, p->contacts, p->bilaterals, 0};
  }
  const ts_global_friction *p = &problem->global;
  return (contact_sizes){p->dimension, p->contacts, p->bilaterals, p->M.rows};
}

static void label(FILE *out, int indent, const char *text)
{
  fprintf(out, "%*s%-*s", indent, "", LABEL_WIDTH - indent, text);
}

static void describe(const ts_problem *problem, FILE *out)
{
  static const char *const laws[] = {"", "", "in the plane", "in space", "in space with spin"};
  fprintf(out, "%s, ", ts_problem_type_name(problem->type));
  if (cli_is_friction(problem)) {
    const contact_sizes s = sizes_of(problem);
    fprintf(out, "%d contact%s %s, ", s.contacts, s.contacts == 1 ? "" : "s", laws[s.dimension]);
    if (s.bilaterals > 0) fprintf(out, "%d bilateral rows, ", s.bilaterals);
    if (s.velocities > 0) fprintf(out, "%d body velocities, ", s.velocities);
  }
  const size_t size = ts_problem_size(problem);
  fprintf(out, "%zu unknown%s\n", size, size == 1 ? "" : "s");
}

void cli_print_input(const cli_input *input, FILE *out)
{
  fprintf(out, "%s: %s\n", input->name, input->format);
  label(out, 2, "problem");
  describe(input->problem, out);
}

static void print_formulation(const cli_formulation *f, FILE *out)
{
  if (f->form == CLI_NATIVE) return;
  label(out, 2, f->lowering ? "lowered to" : "condensed to");
  if (f->directions > 0) fprintf(out, "%d friction directions a contact: ", f->directions);
  describe(f->problem, out);
}

static void print_outcome(const cli_attempt *a, double tolerance, FILE *out)
{
  const ts_report *r = &a->report;
  char time[32];
  label(out, 2, "solver");
  fputs(ts_solver_name(a->solver), out);
  if (r->trail_count > 0) fprintf(out, ", ended by %s", r->solver);
  fputc('\n', out);
  label(out, 2, "outcome");
  fprintf(out, "%s\n", cli_attempt_status(a));
  label(out, 2, "iterations");
  fprintf(out, "%d\n", r->iterations);
  label(out, 2, "factorizations");
  fprintf(out, "%d\n", r->factorizations);
  label(out, 2, a->formulation->form == CLI_NATIVE ? "residual" : "residual, as solved");
  fprintf(out, "%.3g (scaled; tolerance %g)\n", r->residual, tolerance);
  label(out, 2, "time");
  fprintf(out, "%s\n", cli_time_text(r->seconds, time, sizeof time));
}

static void print_measure(FILE *out, const char *name, double value, const char *unit)
{
  label(out, 4, name);
  fprintf(out, "%.3g%s%s\n", value, *unit ? " " : "", unit);
}

static void print_measures(const cli_attempt *a, FILE *out)
{
  const ts_problem *problem = a->formulation->original;
  if (!cli_is_friction(problem)) return;
  const ts_friction_measures *m = &a->measures;
  const contact_sizes s = sizes_of(problem);
  label(out, 2, "contacts");
  fprintf(out, "%d open, %d stick, %d slip\n", m->open, m->stick, m->slip);
  fprintf(out, "  measures of the %s\n",
          a->formulation->form == CLI_NATIVE ? "point" : "point recovered for the original problem");
  if (a->formulation->form != CLI_NATIVE) print_measure(out, "residual", a->residual, "(scaled)");
  print_measure(out, "FCLIB residual", m->fclib, "");
  print_measure(out, "penetration speed", m->penetration_velocity, "m/s");
  print_measure(out, "cone violation", m->cone_violation, "N s");
  print_measure(out, "misalignment", m->misalignment, "N m");
  print_measure(out, "complementarity", m->complementarity, "N m");
  if (s.bilaterals > 0) print_measure(out, "bilateral rows", m->bilateral, "m/s");
  if (s.velocities > 0) print_measure(out, "equilibrium", m->equilibrium, "N s");
}

static void print_trail(const ts_report *report, FILE *out)
{
  if (report->trail_count == 0) return;
  cli_table table;
  cli_table_init(&table);
  cli_table_column(&table, "solver", 'l');
  cli_table_column(&table, "outcome", 'l');
  cli_table_column(&table, "iterations", 'r');
  cli_table_column(&table, "factorizations", 'r');
  cli_table_column(&table, "residual", 'r');
  cli_table_column(&table, "time", 'r');
  for (int i = 0; i < report->trail_count; ++i) {
    const ts_trail_entry *stage = &report->trail[i];
    char time[32];
    cli_table_row(&table);
    cli_table_cell(&table, "%s", stage->solver);
    cli_table_cell(&table, "%s", ts_outcome_name(stage->outcome));
    cli_table_cell(&table, "%d", stage->iterations);
    cli_table_cell(&table, "%d", stage->factorizations);
    cli_table_cell(&table, "%.2e", stage->residual);
    cli_table_cell(&table, "%s", cli_time_text(stage->seconds, time, sizeof time));
  }
  fputs("  stages\n", out);
  cli_table_print(&table, 4, out);
  cli_table_destroy(&table);
}

static void print_impulses(const double *r, const contact_sizes *s, FILE *out)
{
  static const char *const headings[] = {"normal [N s]", "tangent 1 [N s]", "tangent 2 [N s]", "spin [N m s]"};
  cli_table table;
  cli_table_init(&table);
  cli_table_column(&table, "contact", 'r');
  for (int k = 0; k < s->dimension; ++k) cli_table_column(&table, headings[k], 'r');
  for (int i = 0; i < s->contacts; ++i) {
    cli_table_row(&table);
    cli_table_cell(&table, "%d", i);
    for (int k = 0; k < s->dimension; ++k) cli_table_cell(&table, "%.10g", r[i * s->dimension + k]);
  }
  fputs("  impulses\n", out);
  cli_table_print(&table, 4, out);
  cli_table_destroy(&table);
}

static void print_numbers(const char *title, const double *values, size_t count, FILE *out)
{
  if (count == 0) return;
  fprintf(out, "  %s\n", title);
  for (size_t i = 0; i < count; ++i) fprintf(out, "    %6zu  %.10g\n", i, values[i]);
}

static void print_solution(const cli_attempt *a, FILE *out)
{
  const ts_problem *problem = a->formulation->original;
  if (!cli_is_friction(problem)) {
    print_numbers("solution z", a->point, ts_problem_size(problem), out);
    return;
  }
  const contact_sizes s = sizes_of(problem);
  const size_t impulses = (size_t)s.dimension * (size_t)s.contacts;
  print_impulses(a->point, &s, out);
  print_numbers("bilateral impulses [N s]", a->point + impulses, (size_t)s.bilaterals, out);
  print_numbers("velocities [m/s, rad/s]", a->point + impulses + s.bilaterals, (size_t)s.velocities, out);
}

void cli_print_attempt(const cli_attempt *attempt, double tolerance, bool with_solution, FILE *out)
{
  print_formulation(attempt->formulation, out);
  print_outcome(attempt, tolerance, out);
  print_measures(attempt, out);
  print_trail(&attempt->report, out);
  const size_t size = ts_problem_size(attempt->formulation->original);
  if (with_solution || size <= FEW_NUMBERS) print_solution(attempt, out);
}

static void compare(cli_table *table, const cli_attempt *a, bool formulations, bool friction)
{
  cli_table_row(table);
  cli_table_cell(table, "%s", ts_solver_name(a->solver));
  if (formulations) cli_table_cell(table, "%s", cli_form_name(a->formulation->form));
  cli_table_cell(table, "%s", cli_attempt_status(a));
  if (a->status != TS_OK) return;
  char time[32];
  cli_table_cell(table, "%d", a->report.iterations);
  cli_table_cell(table, "%d", a->report.factorizations);
  cli_table_cell(table, "%.2e", a->report.residual);
  if (friction) cli_table_cell(table, "%.2e", a->measures.fclib);
  cli_table_cell(table, "%s", cli_time_text(a->report.seconds, time, sizeof time));
}

void cli_print_comparison(const cli_attempt *attempts, int count, FILE *out)
{
  bool formulations = false, friction = false;
  for (int i = 0; i < count; ++i) {
    formulations |= attempts[i].formulation->form != CLI_NATIVE;
    friction |= cli_is_friction(attempts[i].formulation->original);
  }
  cli_table table;
  cli_table_init(&table);
  cli_table_column(&table, "solver", 'l');
  if (formulations) cli_table_column(&table, "formulation", 'l');
  cli_table_column(&table, "status", 'l');
  cli_table_column(&table, "iterations", 'r');
  cli_table_column(&table, "factorizations", 'r');
  cli_table_column(&table, formulations ? "residual (as solved)" : "residual", 'r');
  if (friction) cli_table_column(&table, formulations ? "FCLIB (original)" : "FCLIB residual", 'r');
  cli_table_column(&table, "time", 'r');
  for (int i = 0; i < count; ++i) compare(&table, &attempts[i], formulations, friction);
  cli_table_print(&table, 2, out);
  cli_table_destroy(&table);
}

void cli_write_solution(const cli_attempt *attempt, FILE *out)
{
  const size_t size = ts_problem_size(attempt->formulation->original);
  for (size_t i = 0; i < size; ++i) fprintf(out, "%.17g\n", attempt->point[i]);
}
