// Command lines of benchmarks. What the user got wrong ends the program with a sentence.
#ifndef BENCH_SUPPORT_COMMAND_LINE_H
#define BENCH_SUPPORT_COMMAND_LINE_H

#include <getopt.h>

enum { OPTION_HELP = 255 }; // the value of --help; programs number their options from 256 on

typedef struct command_line {
  const char *program;          // its name
  const char *help;             // all of it
  const char *short_options;    // as for getopt()
  const struct option *options; // as for getopt_long()
} command_line;

// Calls take() with the value of each option, its argument in `optarg`. Arguments that belong to no option are refused.
void command_line_read(const command_line *line, int argc, char **argv, void (*take)(void *user, int option),
                       void *user);

// The option's argument as a number.
double command_line_number(const command_line *line, const char *option, double least, double most);
double command_line_positive(const command_line *line, const char *option);

// "PROGRAM: OPTION takes WHAT, not ..."
_Noreturn void command_line_refuse(const command_line *line, const char *option, const char *what);

#endif
