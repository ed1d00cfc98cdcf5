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

void report_csv(const results *r, FILE *out)
{
  fprintf(
      out,
      "problem,set,type,size,solver,end,seconds,wall_seconds,cpu_seconds,figure,scaled,setting,iterations,solves\n");
  for (int k = 0; k < r->count; ++k)
    for (int i = 0; i < r->contenders.count; ++i) {
      const entry *e = &r->at[k].entries[i];
      if (e->ran)
        fprintf(out, "%s,%s,%s,%d,%s,%s,%.9g,%.9g,%.6g,%.3e,%.3e,%.0e,%d,%d\n", r->at[k].name, r->at[k].set,
                ts_problem_type_name(r->at[k].type), r->at[k].size, r->contenders.at[i].name, end_name(&e->m),
                e->m.seconds, e->m.wall, e->m.cpu, e->m.figure, e->m.scaled, e->m.setting, e->m.iterations,
                e->m.solves);
    }
}
