// The verbs of the command. A new one is a file with its table, `const cli_verb cli_NAME`, and a line in main.c.
#ifndef TS_CLI_VERB_H
#define TS_CLI_VERB_H

typedef struct cli_verb {
  const char *name;
  const char *operands;              // for the list of verbs
  const char *summary;               // one line
  int (*run)(int argc, char **argv); // argv[0] is the verb; returns the exit status
} cli_verb;

#endif
