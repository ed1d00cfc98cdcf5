// Writing JSON (RFC 8259) as it comes: commas, indentation and escapes are looked after here. Numbers that JSON cannot
// hold (NAN, infinities) become null; bytes that are not UTF-8 become U+FFFD.
#ifndef TS_CLI_JSON_H
#define TS_CLI_JSON_H

#include <stdbool.h>
#include <stddef.h>
#include <stdio.h>

enum { CLI_JSON_DEPTH = 16 };

typedef struct cli_json {
  FILE *out;
  int depth;
  char closing[CLI_JSON_DEPTH]; // '}' or ']' of each level that is open
  bool empty[CLI_JSON_DEPTH];   // nothing was written in it so far
} cli_json;

void cli_json_init(cli_json *json, FILE *out);

// `key` is the member's name inside an object, NULL inside an array and at the top.
void cli_json_open_object(cli_json *json, const char *key);
void cli_json_open_array(cli_json *json, const char *key);
void cli_json_close(cli_json *json); // the innermost one; a newline follows the last

void cli_json_text(cli_json *json, const char *key, const char *value); // NULL: null
void cli_json_number(cli_json *json, const char *key, double value);    // reads back as the same double
void cli_json_integer(cli_json *json, const char *key, long long value);
void cli_json_boolean(cli_json *json, const char *key, bool value);
void cli_json_numbers(cli_json *json, const char *key, const double *values, size_t count);

#endif
