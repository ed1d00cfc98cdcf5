#define _GNU_SOURCE // getopt_long
#include "cli/arguments.h"

#include "cli/allocation.h"
#include "cli/message.h"

#include "touchstone/solver.h"
#include "touchstone/suggest.h"

#include <errno.h>
#include <getopt.h>
#include <inttypes.h>
#include <limits.h>
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

// ---- values --------------------------------------------------------------------------------------------------------

static bool set_double(const char *text, void *field)
{
  char *end;
  errno = 0;
  const double value = strtod(text, &end);
  if (end == text || *end || isnan(value) || (errno == ERANGE && isinf(value))) return false;
  *(double *)field = value;
  return true;
}

static void show_double(const void *field, char *text, size_t size)
{
  const double value = *(const double *)field;
  snprintf(text, size, isinf(value) ? "none" : "%g", value);
}

static bool set_int(const char *text, void *field)
{
  char *end;
  errno = 0;
  const long value = strtol(text, &end, 10);
  if (end == text || *end || errno == ERANGE || value < INT_MIN || value > INT_MAX) return false;
  *(int *)field = (int)value;
  return true;
}

static void show_int(const void *field, char *text, size_t size)
{
  snprintf(text, size, "%d", *(const int *)field);
}

static bool set_uint64(const char *text, void *field)
{
  char *end;
  errno = 0;
  const unsigned long long value = strtoull(text, &end, 10);
  if (end == text || *end || errno == ERANGE || strchr(text, '-')) return false; // strtoull would wrap -1 around
  *(uint64_t *)field = value;
  return true;
}

static void show_uint64(const void *field, char *text, size_t size)
{
  snprintf(text, size, "%" PRIu64, *(const uint64_t *)field);
}

static bool set_line_search(const char *text, void *field)
{
  const bool monotone = strcmp(text, "monotone") == 0;
  if (!monotone && strcmp(text, "nonmonotone") != 0) return false;
  *(ts_line_search *)field = monotone ? TS_MONOTONE : TS_NONMONOTONE;
  return true;
}

static void show_line_search(const void *field, char *text, size_t size)
{
  snprintf(text, size, "%s", *(const ts_line_search *)field == TS_MONOTONE ? "monotone" : "nonmonotone");
}

bool cli_set_text(const char *text, void *field)
{
  *(const char **)field = text;
  return true;
}

void cli_show_text(const void *field, char *text, size_t size)
{
  const char *value = *(const char *const *)field;
  snprintf(text, size, "%s", value ? value : "");
}

static bool set_texts(const char *text, void *field)
{
  cli_texts *texts = field;
  if (texts->count == CLI_TEXTS) return false;
  texts->items[texts->count++] = text;
  return true;
}

static bool set_flag(const char *text, void *field)
{
  (void)text;
  *(bool *)field = true;
  return true;
}

const cli_value cli_value_double = {"a number", set_double, show_double, NULL};
const cli_value cli_value_int = {"a whole number", set_int, show_int, NULL};
const cli_value cli_value_uint64_t = {"a whole number of at least 0", set_uint64, show_uint64, NULL};
const cli_value cli_value_ts_line_search = {"'monotone' or 'nonmonotone'", set_line_search, show_line_search, NULL};
const cli_value cli_value_text = {"text", cli_set_text, cli_show_text, NULL};
const cli_value cli_value_texts = {"a text, at most 64 times", set_texts, NULL, NULL};
const cli_value cli_value_flag = {"nothing", set_flag, NULL, NULL};

// ---- names ---------------------------------------------------------------------------------------------------------

enum { NAME_SIZE = 40, HELP_COLUMN = 30 };

typedef struct option_name {
  char text[NAME_SIZE];
} option_name;

static option_name dashed(const char *name)
{
  option_name result;
  snprintf(result.text, sizeof result.text, "%s", name);
  for (char *c = result.text; *c; ++c)
    if (*c == '_') *c = '-';
  return result;
}

static const char *name_at(int i, const void *names)
{
  return ((const option_name *)names)[i].text;
}

// ---- help ----------------------------------------------------------------------------------------------------------

static void print_words(const cli_option *option)
{
  const char *gap = option->value->list ? strstr(option->help, "%s") : NULL;
  if (!gap) {
    fputs(option->help, stdout);
    return;
  }
  char text[160];
  option->value->list(text, sizeof text);
  printf("%.*s%s%s", (int)(gap - option->help), option->help, text, gap + 2);
}

static void print_option(const cli_option *option, const char *defaults)
{
  char head[80], value[64] = "";
  const int start =
      option->letter ? snprintf(head, sizeof head, "  -%c, ", option->letter) : snprintf(head, sizeof head, "      ");
  snprintf(head + start, sizeof head - (size_t)start, "--%s%s%s", dashed(option->name).text, option->metavar ? " " : "",
           option->metavar ? option->metavar : "");
  if (option->value->show) option->value->show(defaults + option->offset, value, sizeof value);
  printf("%-*s ", HELP_COLUMN, head);
  print_words(option);
  if (*option->unit) printf(" [%s]", option->unit);
  if (*value) printf(" (default: %s)", value);
  putchar('\n');
}

static void print_help(const cli_syntax *syntax, const void *defaults)
{
  printf("usage: touchstone %s %s [options]\n\n%s\n\n", syntax->verb, syntax->operands, syntax->summary);
  if (*syntax->details) printf("%s\n", syntax->details);
  for (int i = 0; i < syntax->option_count; ++i) print_option(&syntax->options[i], defaults);
  printf("%-*s %s\n", HELP_COLUMN, "      --help", "show this");
}

// ---- parsing -------------------------------------------------------------------------------------------------------

// An unknown long option, with the one that was probably meant.
static void refuse_name(const char *verb, const char *argument, int count, const option_name *names)
{
  option_name word;
  snprintf(word.text, sizeof word.text, "%.*s", (int)strcspn(argument + 2, "="), argument + 2);
  const char *nearest = ts_suggest(word.text, count, name_at, names);
  if (nearest)
    cli_message("'%s' has no option '--%s'; did you mean '--%s'?", verb, word.text, nearest);
  else
    cli_message("'%s' has no option '--%s'; see 'touchstone %s --help'", verb, word.text, verb);
}

static cli_parsed take_operands(int argc, char **argv, const cli_syntax *syntax, const char **operands)
{
  const int given = argc - optind;
  if (given != syntax->operand_count) {
    cli_message("usage: touchstone %s %s [options]; see 'touchstone %s --help'", syntax->verb, syntax->operands,
                syntax->verb);
    return CLI_BAD_USAGE;
  }
  for (int i = 0; i < given; ++i) operands[i] = argv[optind + i];
  return CLI_PARSED;
}

// What getopt_long() needs, made from the table. Codes 0 .. count-1 are rows of the table, `count` is --help; they are
// shifted by FIRST_CODE so that they meet no character.
enum { FIRST_CODE = 256 };

typedef struct getopt_tables {
  option_name *names;
  struct option *longs;
  char *shorts;
} getopt_tables;

static getopt_tables make_tables(const cli_syntax *syntax)
{
  const int count = syntax->option_count;
  getopt_tables tables = {cli_zeros((size_t)count + 1, sizeof *tables.names),
                          cli_zeros((size_t)count + 2, sizeof *tables.longs), cli_zeros(2 * (size_t)count + 2, 1)};
  char *letters = tables.shorts;
  *letters++ = ':'; // tell a missing value from an unknown option
  for (int i = 0; i < count; ++i) {
    const cli_option *option = &syntax->options[i];
    tables.names[i] = dashed(option->name);
    tables.longs[i] =
        (struct option){tables.names[i].text, option->metavar ? required_argument : no_argument, NULL, FIRST_CODE + i};
    if (option->letter) *letters++ = option->letter;
    if (option->letter && option->metavar) *letters++ = ':';
  }
  tables.names[count] = dashed("help");
  tables.longs[count] = (struct option){tables.names[count].text, no_argument, NULL, FIRST_CODE + count};
  return tables;
}

static void free_tables(getopt_tables *tables)
{
  free(tables->names);
  free(tables->longs);
  free(tables->shorts);
}

static int row_of(int code, const cli_syntax *syntax)
{
  if (code >= FIRST_CODE) return code - FIRST_CODE;
  for (int i = 0; i < syntax->option_count; ++i)
    if (syntax->options[i].letter == code) return i;
  return -1;
}

// What getopt_long() did not like: it leaves the letter or the code of the option in optopt, 0 for an unknown name.
static cli_parsed refuse_option(int code, char **argv, const cli_syntax *syntax, const getopt_tables *tables)
{
  const int row = optopt ? row_of(optopt, syntax) : -1;
  if (optopt == 0)
    refuse_name(syntax->verb, argv[optind - 1], syntax->option_count + 1, tables->names);
  else if (row < 0)
    cli_message("'%s' has no option '-%c'; see 'touchstone %s --help'", syntax->verb, optopt, syntax->verb);
  else
    cli_message("option '--%s' %s", tables->names[row].text, code == ':' ? "needs a value" : "takes no value");
  return CLI_BAD_USAGE;
}

static cli_parsed parse_with(const getopt_tables *tables, int argc, char **argv, const cli_syntax *syntax,
                             const void *defaults, void *request, const char **operands)
{
  opterr = 0; // the messages are ours
  for (;;) {
    const int code = getopt_long(argc, argv, tables->shorts, tables->longs, NULL);
    if (code == -1) return take_operands(argc, argv, syntax, operands);
    if (code == ':' || code == '?') return refuse_option(code, argv, syntax, tables);
    const int row = row_of(code, syntax);
    if (row == syntax->option_count) {
      print_help(syntax, defaults);
      return CLI_HELP_SHOWN;
    }
    const cli_option *option = &syntax->options[row];
    if (!option->value->set(optarg, (char *)request + option->offset)) {
      cli_message("option '--%s' wants %s, not '%s'", tables->names[row].text, option->value->expects, optarg);
      return CLI_BAD_USAGE;
    }
  }
}

cli_parsed cli_parse(int argc, char **argv, const cli_syntax *syntax, void *request, const char **operands)
{
  getopt_tables tables = make_tables(syntax);
  void *defaults = cli_zeros(1, syntax->request_size); // for --help, which may come after other options
  memcpy(defaults, request, syntax->request_size);
  const cli_parsed parsed = parse_with(&tables, argc, argv, syntax, defaults, request, operands);
  free(defaults);
  free_tables(&tables);
  return parsed;
}
