#include "reports.h"

static const char *end_name(const measurement *m)
{
  if (m->reached) return "reached";
  switch (m->end) {
  case TIMED_OUT:
    return "time-limit";
  case CRASHED:
    return "crashed";
  default:
    return "missed";
  }
}

void report_csv_header(FILE *out)
{
  fprintf(
      out,
      "problem,set,type,size,solver,end,seconds,wall_seconds,cpu_seconds,figure,scaled,setting,iterations,solves\n");
}

void report_csv(const results *r, const problem_results *record, FILE *out)
{
  for (int i = 0; i < r->contenders.count; ++i) {
    const entry *e = &record->entries[i];
    if (e->ran)
      fprintf(out, "%s,%s,%s,%d,%s,%s,%.9g,%.9g,%.6g,%.3e,%.3e,%.0e,%d,%d\n", record->name, record->set,
              ts_problem_type_name(record->type), record->size, r->contenders.at[i].name, end_name(&e->m), e->m.seconds,
              e->m.wall, e->m.cpu, e->m.figure, e->m.scaled, e->m.setting, e->m.iterations, e->m.solves);
  }
  fflush(out);
}
