// Command-line arguments, driven by a table: parsing, --help and the defaults it shows all come from the same rows.
#ifndef TS_CLI_ARGUMENTS_H
#define TS_CLI_ARGUMENTS_H

#include <stdbool.h>
#include <stddef.h>

// How the text of a value becomes a field of the request, and back.
typedef struct cli_value {
  const char *expects;                                      // "a number": for the message about a bad one
  bool (*set)(const char *text, void *field);               // false: not a legal value
  void (*show)(const void *field, char *text, size_t size); // the default for --help; NULL: shown nowhere
  void (*list)(char *text, size_t size); // what there is to choose from, for --help; NULL: that is not listed
} cli_value;

extern const cli_value cli_value_double, cli_value_int, cli_value_uint64_t, cli_value_ts_line_search;
extern const cli_value cli_value_text; // const char *, borrowed from argv
bool cli_set_text(const char *text, void *field);
void cli_show_text(const void *field, char *text, size_t size);
extern const cli_value cli_value_texts; // cli_texts: an option that may be given again
extern const cli_value cli_value_flag;  // bool, set true; takes no value

// Borrowed from argv, in the order given.
enum { CLI_TEXTS = 64 };
typedef struct cli_texts {
  const char *items[CLI_TEXTS];
  int count;
} cli_texts;

typedef struct cli_option {
  const char *name;    // long name; an underscore stands for a dash
  char letter;         // short name or 0
  const char *metavar; // how --help calls its value; NULL for a flag
  const cli_value *value;
  size_t offset;    // of the field in the request
  const char *unit; // or ""
  const char *help; // a %s in it stands for what the value's `list` writes
} cli_option;

typedef struct cli_syntax {
  const char *verb;
  const char *operands; // "FILE"
  const char *summary;  // one line
  const char *details;  // further lines for --help, each ending in a newline
  const cli_option *options;
  int option_count;
  int operand_count;   // exactly so many are wanted
  size_t request_size; // bytes of the request
} cli_syntax;

typedef enum cli_parsed { CLI_PARSED, CLI_HELP_SHOWN, CLI_BAD_USAGE } cli_parsed;

// Parse argv (argv[0] is the verb) into `request`, which holds the defaults. Operands are borrowed from argv.
// CLI_BAD_USAGE: one sentence was said on standard error.
cli_parsed cli_parse(int argc, char **argv, const cli_syntax *syntax, void *request, const char **operands);

#endif
