// How the results of a table converge, printed: what --convergence of sweeps asks for.
#ifndef TS_CLI_CONVERGENCE_H
#define TS_CLI_CONVERGENCE_H

#include "cli/json.h"

#include "touchstone/convergence.h"

enum { CLI_CONVERGENCE_RESULTS = 16 };

typedef struct cli_convergence {
  char *words; // what was asked, cut into names; NULL: nothing
  const char *results[CLI_CONVERGENCE_RESULTS];
  const char *against; // path of a table, or NULL
  ts_convergence_def def;
  ts_table *table, *exact;
  ts_convergence *measured;
} cli_convergence;

// Take "h:x,y" or "1/n:x,y", and "finest", "extrapolated" or the path of a table; NULL: nothing is asked, and the
// finest run. False: a sentence was said. Release it either way.
bool cli_convergence_read(const char *what, const char *reference, cli_convergence *convergence);

// True if the table of a study will have the columns that are asked for, before any trial is run; the table of
// references is opened. False: a sentence was said.
bool cli_convergence_check(cli_convergence *convergence, const ts_study *study);

// The same check for the study at a path; true if no columns are required. False: a message was printed.
bool cli_convergence_measure(cli_convergence *convergence, const ts_study *study, const char *path);

// What came of it, as text and as a member of the object that is open; nothing where nothing is asked.
void cli_convergence_print(const cli_convergence *convergence);
void cli_convergence_write(const cli_convergence *convergence, cli_json *json);

void cli_convergence_release(cli_convergence *convergence);

#endif
