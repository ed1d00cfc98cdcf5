#include "results.h"

#include <string.h>

int results_best(const results *r, const problem_results *record, bool ours)
{
  int best = -1;
  for (int i = 0; i < r->contenders.count; ++i) {
    const entry *e = &record->entries[i];
    if (r->contenders.at[i].ours != ours || !e->ran || !e->m.reached) continue;
    if (best < 0 || e->m.seconds < record->entries[best].m.seconds) best = i;
  }
  return best;
}

const entry *results_entry(const results *r, const problem_results *record, const char *name)
{
  for (int i = 0; i < r->contenders.count; ++i)
    if (record->entries[i].ran && strcmp(r->contenders.at[i].name, name) == 0) return &record->entries[i];
  return NULL;
}

bool results_quoted(const char *problem)
{
  return strcmp(problem, "piles/fc3d_np_K0256_rest") == 0 || strcmp(problem, "piles/fc3d_np_K0256_impact") == 0 ||
         strcmp(problem, "piles/fc3d_np_K0064_rest") == 0;
}
