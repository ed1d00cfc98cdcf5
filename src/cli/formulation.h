// The shape in which a problem is handed to a solver: as it is, or, for friction problems, condensed or lowered.
#ifndef TS_CLI_FORMULATION_H
#define TS_CLI_FORMULATION_H

#include "touchstone/lowering.h"

// name on the command line, type that results
#define CLI_FORM_LIST(X)                                                                                               \
  X(NATIVE, "native")                                                                                                  \
  X(LOCAL, "local")                                                                                                    \
  X(MCP, "mcp")                                                                                                        \
  X(MLCP, "mlcp")                                                                                                      \
  X(LCP, "lcp")

#define CLI_FORM_ENUM(name, text) CLI_##name,
typedef enum cli_form { CLI_FORM_LIST(CLI_FORM_ENUM) CLI_FORM_COUNT } cli_form;
#undef CLI_FORM_ENUM

const char *cli_form_name(cli_form form);
cli_form cli_form_find(const char *name); // CLI_FORM_COUNT: there is none of that name

typedef struct cli_formulation {
  cli_form form;
  int directions; // of the friction polygon; 0 where there is none
  const ts_problem *original;
  const ts_problem *problem; // what the solver is handed
  ts_condensed *condensed;   // the original without its bodies, or NULL
  ts_lowering *lowering;     // or NULL
} cli_formulation;

bool cli_is_friction(const ts_problem *problem); // local or global

// Whether the form has a friction polygon.
bool cli_form_takes_directions(cli_form form);

// Bring `original` into a form; it must outlive the formulation. On failure `error` says why.
ts_status cli_formulate(const ts_problem *original, cli_form form, int directions, cli_formulation *formulation,
                        ts_error *error);
void cli_formulation_destroy(cli_formulation *formulation);

// Translate a point of the original into one for the solver, and a solver's point into one of the original.
void cli_formulation_start(const cli_formulation *formulation, const double *original, double *z);
void cli_formulation_recover(const cli_formulation *formulation, const double *z, double *original);

#endif
