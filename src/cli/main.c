#define _POSIX_C_SOURCE 200809L // access
// touchstone VERB ...: finds the verb and runs it.
#include "cli/verb.h"

#include "cli/message.h"

#include "touchstone/api.h"
#include "touchstone/suggest.h"

#include <errno.h>
#include <stdbool.h>
#include <stdio.h>
#include <string.h>
#include <unistd.h>

#define CLI_VERBS(X)                                                                                                   \
  X(run)                                                                                                               \
  X(sweep)                                                                                                             \
  X(verify)                                                                                                            \
  X(check)                                                                                                             \
  X(plot)                                                                                                              \
  X(draw)                                                                                                              \
  X(dynamics)                                                                                                          \
  X(convert)                                                                                                           \
  X(solve)                                                                                                             \
  X(list)

#define DECLARE(name) extern const cli_verb cli_##name;
CLI_VERBS(DECLARE)
#undef DECLARE

#define ENTRY(name) &cli_##name,
static const cli_verb *const verbs[] = {CLI_VERBS(ENTRY)};
#undef ENTRY
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

// What people try, from other tools.
static const char *const other_words[][2] = {
    {"simulate", "run"},
    {"sim", "run"},
    {"start", "run"},
    {"play", "run"},
    {"exec", "run"},
    {"validate", "check"},
    {"test", "check"},
    {"info", "check"},
    {"inspect", "check"},
    {"graph", "plot"},
    {"chart", "plot"},
    {"figure", "plot"},
    {"render", "draw"},
    {"show", "draw"},
    {"view", "draw"},
    {"picture", "draw"},
    {"export", "convert"},
    {"import", "convert"},
    {"help", "--help"},
    {"version", "--version"},
    {"solvers", "list solvers"},
    {"steppers", "list steppers"},
    {"keys", "list keys"},
};

static const char *known_word(const char *word)
{
  for (size_t i = 0; i < sizeof other_words / sizeof other_words[0]; ++i)
    if (strcmp(other_words[i][0], word) == 0) return other_words[i][1];
  return NULL;
}

// A file where the verb should be, a word that somebody else has for it, a slip of the fingers; and all there are.
static void refuse_verb(const char *word)
{
  char verb_list[200] = "";
  for (int i = 0; i < VERB_COUNT; ++i)
    snprintf(verb_list + strlen(verb_list), sizeof verb_list - strlen(verb_list), "%s%s", i > 0 ? ", " : "",
             verbs[i]->name);
  const char *meant = known_word(word);
  if (!meant) meant = ts_suggest(word, VERB_COUNT, verb_name, NULL);
  if (strchr(word, '.') && access(word, R_OK) == 0)
    cli_message("a verb is missing; did you mean 'touchstone run %s'? (verbs: %s)", word, verb_list);
  else if (meant)
    cli_message("there is no verb '%s'; did you mean '%s'? (verbs: %s)", word, meant, verb_list);
  else
    cli_message("there is no verb '%s' (verbs: %s); see 'touchstone --help'", word, verb_list);
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
    refuse_verb(argv[1]);
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
