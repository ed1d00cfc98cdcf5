#include "cli/history.h"

#include <math.h>

void cli_history_header(FILE *out)
{
  fputs("solver,iteration,residual,step,damping,active\n", out);
}

// Numbers that are none leave their field empty, as spreadsheets and plotting programs expect.
static void write_field(double value, FILE *out)
{
  if (isfinite(value)) fprintf(out, "%.17g", value);
  fputc(',', out);
}

void cli_history_rows(const cli_attempt *attempt, FILE *out)
{
  const ts_report *report = &attempt->report;
  const cli_form form = attempt->formulation->form;
  for (int i = 0; i < report->history_count; ++i) {
    const ts_iteration *iteration = &report->history[i];
    if (form != CLI_NATIVE) fprintf(out, "%s/", cli_form_name(form));
    fprintf(out, "%s,%d,", ts_solver_name(attempt->solver), i + 1);
    write_field(iteration->residual, out);
    write_field(iteration->step, out);
    write_field(iteration->damping, out);
    fprintf(out, "%d\n", iteration->active);
  }
}
