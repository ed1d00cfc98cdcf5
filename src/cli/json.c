#include "cli/json.h"

#include <assert.h>
#include <math.h>
#include <stdlib.h>
#include <string.h>

void cli_json_init(cli_json *json, FILE *out)
{
  *json = (cli_json){.out = out};
}

// Length of the UTF-8 sequence that begins at s (a zero ends the text), 0 where there is none: RFC 3629, so neither
// overlong forms nor surrogates.
static size_t utf8_length(const unsigned char *s)
{
  if (s[0] < 0x80) return 1;
  const size_t length = s[0] >= 0xc2 && s[0] < 0xe0   ? 2
                        : s[0] >= 0xe0 && s[0] < 0xf0 ? 3
                        : s[0] >= 0xf0 && s[0] < 0xf5 ? 4
                                                      : 0;
  for (size_t i = 1; i < length; ++i)
    if ((s[i] & 0xc0) != 0x80) return 0;
  if (s[0] == 0xe0 && s[1] < 0xa0) return 0;
  if (s[0] == 0xed && s[1] > 0x9f) return 0;
  if (s[0] == 0xf0 && s[1] < 0x90) return 0;
  if (s[0] == 0xf4 && s[1] > 0x8f) return 0;
  return length;
}

static void write_text(FILE *out, const char *text)
{
  fputc('"', out);
  for (const unsigned char *s = (const unsigned char *)text; *s;) {
    const size_t length = utf8_length(s);
    if (length == 0)
      fputs("\\ufffd", out);
    else if (*s == '"' || *s == '\\')
      fprintf(out, "\\%c", *s);
    else if (*s < 0x20)
      fprintf(out, "\\u%04x", *s);
    else
      fwrite(s, 1, length, out);
    s += length ? length : 1;
  }
  fputc('"', out);
}

// Comma, indentation and key: what comes before every value.
static void begin_value(cli_json *json, const char *key)
{
  if (json->depth > 0) {
    bool *empty = &json->empty[json->depth - 1];
    fputs(*empty ? "\n" : ",\n", json->out);
    *empty = false;
    fprintf(json->out, "%*s", 2 * json->depth, "");
  }
  if (key) {
    write_text(json->out, key);
    fputs(": ", json->out);
  }
}

static void open_level(cli_json *json, const char *key, char opening, char closing)
{
  assert(json->depth < CLI_JSON_DEPTH);
  begin_value(json, key);
  fputc(opening, json->out);
  json->closing[json->depth] = closing;
  json->empty[json->depth] = true;
  ++json->depth;
}

void cli_json_open_object(cli_json *json, const char *key)
{
  open_level(json, key, '{', '}');
}

void cli_json_open_array(cli_json *json, const char *key)
{
  open_level(json, key, '[', ']');
}

void cli_json_close(cli_json *json)
{
  assert(json->depth > 0);
  --json->depth;
  if (!json->empty[json->depth]) fprintf(json->out, "\n%*s", 2 * json->depth, "");
  fputc(json->closing[json->depth], json->out);
  if (json->depth == 0) fputc('\n', json->out);
}

void cli_json_text(cli_json *json, const char *key, const char *value)
{
  begin_value(json, key);
  if (value)
    write_text(json->out, value);
  else
    fputs("null", json->out);
}

// The shortest of 15 to 17 digits that reads back as the same number.
static void write_number(FILE *out, double value)
{
  if (!isfinite(value)) {
    fputs("null", out);
    return;
  }
  char text[32];
  for (int digits = 15; digits <= 17; ++digits) {
    snprintf(text, sizeof text, "%.*g", digits, value);
    if (strtod(text, NULL) == value) break;
  }
  fputs(text, out);
}

void cli_json_number(cli_json *json, const char *key, double value)
{
  begin_value(json, key);
  write_number(json->out, value);
}

void cli_json_integer(cli_json *json, const char *key, long long value)
{
  begin_value(json, key);
  fprintf(json->out, "%lld", value);
}

void cli_json_boolean(cli_json *json, const char *key, bool value)
{
  begin_value(json, key);
  fputs(value ? "true" : "false", json->out);
}

void cli_json_numbers(cli_json *json, const char *key, const double *values, size_t count)
{
  begin_value(json, key);
  fputc('[', json->out);
  for (size_t i = 0; i < count; ++i) {
    if (i > 0) fputs(", ", json->out);
    write_number(json->out, values[i]);
  }
  fputc(']', json->out);
}
