// The verbs of the command: one file each, listed in main.c.
#ifndef TS_CLI_VERB_H
#define TS_CLI_VERB_H

typedef struct cli_verb {
  const char *name;
  const char *operands;              // for the list of verbs
  const char *summary;               // one line
  int (*run)(int argc, char **argv); // argv[0] is the verb; returns the exit status
} cli_verb;

extern const cli_verb cli_run, cli_check, cli_plot, cli_draw, cli_dynamics, cli_convert, cli_solve, cli_list;

#endif
