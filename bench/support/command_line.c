#include "command_line.h"

#include <math.h>
#include <stdio.h>
#include <stdlib.h>

_Noreturn static void print_help(const command_line *line, FILE *file, int status)
{
  fputs(line->help, file);
  exit(status);
}

void command_line_read(const command_line *line, int argc, char **argv, void (*take)(void *user, int option),
                       void *user)
{
  for (int option; (option = getopt_long(argc, argv, line->short_options, line->options, NULL)) != -1;) {
    if (option == OPTION_HELP) print_help(line, stdout, EXIT_SUCCESS);
    if (option == '?') print_help(line, stderr, EXIT_FAILURE);
    take(user, option);
  }
  if (optind == argc) return;
  fprintf(stderr, "%s: unexpected argument \"%s\"\n", line->program, argv[optind]);
  exit(EXIT_FAILURE);
}

_Noreturn void command_line_refuse(const command_line *line, const char *option, const char *what)
{
  fprintf(stderr, "%s: %s takes %s, not \"%s\"\n", line->program, option, what, optarg);
  exit(EXIT_FAILURE);
}

// NAN when it is none.
static double argument(void)
{
  char *rest;
  const double value = strtod(optarg, &rest);
  return *optarg && !*rest ? value : NAN;
}

double command_line_number(const command_line *line, const char *option, double least, double most)
{
  char range[64];
  const double value = argument();
  if (value >= least && value <= most) return value;
  snprintf(range, sizeof range, "a number from %g to %g", least, most);
  command_line_refuse(line, option, range);
}

double command_line_positive(const command_line *line, const char *option)
{
  const double value = argument();
  if (value > 0.0) return value;
  command_line_refuse(line, option, "a positive number");
}
