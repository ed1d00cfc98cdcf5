// touchstone VERB ...: finds the verb and runs it.
#include "cli/verb.h"

#include "cli/message.h"
#include "cli/suggest.h"

#include "touchstone/api.h"

#include <errno.h>
#include <stdbool.h>
#include <stdio.h>
#include <string.h>

static const cli_verb *const verbs[] = {&cli_run,      &cli_check,   &cli_plot,  &cli_draw,
                                        &cli_dynamics, &cli_convert, &cli_solve, &cli_list};
enum { VERB_COUNT = sizeof verbs / sizeof verbs[0] };

static const char *verb_name(int i, const void *unused)
{
  (void)unused;
  return verbs[i]->name;
}

static const cli_verb *find_verb(const char *name)
{
  for (int i = 0; i < VERB_COUNT; ++i)
    if (strcmp(verbs[i]->name, name) == 0) return verbs[i];
  return NULL;
}

static void print_help(void)
{
  puts("usage: touchstone VERB ... [options]\n\nRigid bodies in frictional contact, solved as complementarity "
       "problems.\n");
  for (int i = 0; i < VERB_COUNT; ++i)
    printf("  %-8s %-20s %s\n", verbs[i]->name, verbs[i]->operands, verbs[i]->summary);
  puts("\n'touchstone VERB --help' explains a verb; 'touchstone --version' tells the version.\n"
       "Exit status: 0 success, 1 the problem was not solved, 2 bad usage or bad input.");
}

static int run(int argc, char **argv)
{
  if (argc < 2) {
    cli_message("a verb is missing; see 'touchstone --help'");
    return CLI_REFUSED;
  }
  if (strcmp(argv[1], "--help") == 0 || strcmp(argv[1], "-h") == 0) {
    print_help();
    return CLI_SUCCESS;
  }
  if (strcmp(argv[1], "--version") == 0) {
    printf("touchstone %s\n", ts_version());
    return CLI_SUCCESS;
  }
  const cli_verb *verb = find_verb(argv[1]);
  if (!verb) {
    cli_message_unknown("verb", argv[1], VERB_COUNT, verb_name, NULL);
    return CLI_REFUSED;
  }
  return verb->run(argc - 1, argv + 1);
}

// A result that did not reach its reader is no success.
static bool close_standard_output(void)
{
  const bool failed = ferror(stdout) != 0;
  if (fclose(stdout) == 0 && !failed) return true;
  cli_message("standard output could not be written: %s", strerror(errno));
  return false;
}

int main(int argc, char **argv)
{
  const int status = run(argc, argv);
  return close_standard_output() ? status : CLI_REFUSED;
}
