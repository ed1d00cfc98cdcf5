#define _POSIX_C_SOURCE 200809L
#include "text/scanner.h"

#include "base/status.h"

#include <limits.h>
#include <math.h>
#include <stdarg.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <strings.h>

void ts_scan_init(ts_scanner *scanner, const char *text, size_t bytes, ts_error *error)
{
  *scanner = (ts_scanner){.begin = text, .at = text, .end = text + bytes, .error = error};
}

bool ts_scan_is_space(char c)
{
  return c == ' ' || (c >= '\t' && c <= '\r');
}

static bool is_digit(char c)
{
  return c >= '0' && c <= '9';
}

void ts_scan_line(ts_scanner *scanner)
{
  const char *newline = memchr(scanner->at, '\n', (size_t)(scanner->end - scanner->at));
  scanner->at = newline ? newline + 1 : scanner->end;
}

// The zero byte behind the text is not white space, so the loops need not look at `end`.
void ts_scan_space(ts_scanner *scanner)
{
  while (ts_scan_is_space(*scanner->at)) ++scanner->at;
  while (scanner->comments && *scanner->at == '#') {
    ts_scan_line(scanner);
    while (ts_scan_is_space(*scanner->at)) ++scanner->at;
  }
}

bool ts_scan_at_end(ts_scanner *scanner)
{
  ts_scan_space(scanner);
  return scanner->at == scanner->end;
}

size_t ts_scan_capacity(const ts_scanner *scanner)
{
  return ((size_t)(scanner->end - scanner->at) + 1) / 2;
}

// Whether a token may end before this character.
static bool ends_token(const ts_scanner *scanner, const char *at)
{
  return at == scanner->end || ts_scan_is_space(*at) || (scanner->comments && *at == '#');
}

ts_status ts_scan_fail(ts_scanner *scanner, const char *at, ts_status status, const char *format, ...)
{
  int line = 1; // a text is smaller than TS_LARGEST_TEXT, so lines and columns fit
  const char *line_start = scanner->begin;
  for (const char *c = scanner->begin; c < at; ++c)
    if (*c == '\n') {
      ++line;
      line_start = c + 1;
    }
  char sentence[sizeof scanner->error->text];
  va_list arguments;
  va_start(arguments, format);
  vsnprintf(sentence, sizeof sentence, format, arguments);
  va_end(arguments);
  return ts_fail_at(scanner->error, status, line, (int)(at - line_start) + 1, "%s", sentence);
}

// The token at the cursor, cut short and with bytes that a terminal might act on replaced.
static void quote_token(const ts_scanner *scanner, char *quoted, size_t size)
{
  size_t length = 0;
  for (const char *c = scanner->at; !ends_token(scanner, c) && length + 1 < size; ++c)
    quoted[length++] = (*c > ' ' && *c <= '~') ? *c : '?';
  quoted[length] = '\0';
}

ts_status ts_scan_unexpected(ts_scanner *scanner, const char *expected)
{
  ts_scan_space(scanner);
  if (scanner->at == scanner->end)
    return ts_scan_fail(scanner, scanner->at, TS_INVALID, "the file ends where %s should be", expected);
  char token[25];
  quote_token(scanner, token, sizeof token);
  return ts_scan_fail(scanner, scanner->at, TS_INVALID, "\"%s\" stands where %s should be", token, expected);
}

// Read digits with an optional sign from `at`; NULL when there are none or the value does not fit.
static const char *read_int(const char *at, int *value)
{
  const bool negative = *at == '-';
  if (*at == '-' || *at == '+') ++at;
  if (!is_digit(*at)) return NULL;
  int64_t magnitude = 0;
  for (; is_digit(*at); ++at) {
    magnitude = 10 * magnitude + (*at - '0');
    if (magnitude > INT_MAX) return NULL;
  }
  *value = (int)(negative ? -magnitude : magnitude);
  return at;
}

static ts_status not_a_whole_number(ts_scanner *scanner, const char *name)
{
  char expected[160];
  snprintf(expected, sizeof expected, "%s (a whole number)", name);
  return ts_scan_unexpected(scanner, expected);
}

static ts_status out_of_range(ts_scanner *scanner, const char *name, int low, int high, int value)
{
  if (low == high) return ts_scan_fail(scanner, scanner->at, TS_INVALID, "%s is %d, expected is %d", name, value, low);
  if (high == INT_MAX)
    return ts_scan_fail(scanner, scanner->at, TS_INVALID, "%s is %d, it must be at least %d", name, value, low);
  return ts_scan_fail(scanner, scanner->at, TS_INVALID, "%s is %d, allowed are %d to %d", name, value, low, high);
}

ts_status ts_scan_int_before(ts_scanner *scanner, const char *name, int low, int high, const char *suffix, int *value)
{
  ts_scan_space(scanner);
  const char *after = read_int(scanner->at, value);
  const size_t length = strlen(suffix);
  if (!after || strncmp(after, suffix, length) != 0) return not_a_whole_number(scanner, name);
  if (!length && !ends_token(scanner, after)) return not_a_whole_number(scanner, name);
  if (*value < low || *value > high) return out_of_range(scanner, name, low, high, *value);
  scanner->at = after + length;
  return TS_OK;
}

ts_status ts_scan_int(ts_scanner *scanner, const char *name, int low, int high, int *value)
{
  return ts_scan_int_before(scanner, name, low, high, "", value);
}

ts_status ts_scan_room(ts_scanner *scanner, const char *name, size_t numbers)
{
  if (numbers <= ts_scan_capacity(scanner)) return TS_OK;
  return ts_scan_fail(scanner, scanner->at, TS_INVALID, "%s has %zu numbers, more than the rest of the file can hold",
                      name, numbers);
}

ts_status ts_scan_count(ts_scanner *scanner, const char *name, int each, int *count)
{
  ts_scan_space(scanner);
  const char *at = scanner->at;
  TS_TRY(ts_scan_int(scanner, name, 0, INT_MAX, count));
  if ((size_t)*count <= ts_scan_capacity(scanner) / (size_t)each) return TS_OK;
  return ts_scan_fail(scanner, at, TS_INVALID, "%s is %d, more than the rest of the file can hold", name, *count);
}

// A decimal number taken apart: 10^exponent * digits, exact unless `rounded`.
typedef struct decimal {
  uint64_t digits;
  int exponent;
  bool negative, rounded;
} decimal;

enum { LARGEST_EXPONENT = 100000 }; // far outside the range of doubles: where counting stops

static void add_digit(decimal *d, char c, int *zeros, bool fraction)
{
  if (fraction) --d->exponent;
  if (c == '0' && d->digits) {
    ++*zeros; // a run of zeros at the end only moves the point
    return;
  }
  for (; *zeros > 0; --*zeros)
    if (d->digits < UINT64_MAX / 100) // room for this zero and one digit more
      d->digits *= 10;
    else
      d->rounded = true;
  if (d->digits < UINT64_MAX / 100)
    d->digits = 10 * d->digits + (uint64_t)(c - '0');
  else
    d->rounded = true;
}

static const char *read_exponent(const char *at, int *exponent)
{
  const bool negative = *at == '-';
  if (*at == '-' || *at == '+') ++at;
  if (!is_digit(*at)) return NULL;
  int magnitude = 0;
  for (; is_digit(*at); ++at)
    if (magnitude < LARGEST_EXPONENT) magnitude = 10 * magnitude + (*at - '0');
  *exponent = negative ? -magnitude : magnitude;
  return at;
}

// [sign] digits [. digits] [e [sign] digits], with at least one digit before the exponent. NULL otherwise.
static const char *read_decimal(const char *at, decimal *d)
{
  *d = (decimal){.negative = *at == '-'};
  if (*at == '-' || *at == '+') ++at;
  const char *start = at;
  int zeros = 0;
  for (; is_digit(*at); ++at) add_digit(d, *at, &zeros, false);
  const bool whole = at > start;
  if (*at == '.') {
    start = ++at;
    for (; is_digit(*at); ++at) add_digit(d, *at, &zeros, true);
  }
  if (!whole && at == start) return NULL;
  d->exponent += zeros;
  if (*at != 'e' && *at != 'E') return at;
  int exponent;
  at = read_exponent(at + 1, &exponent);
  if (at) d->exponent += exponent;
  return at;
}

// The double nearest to a decimal. Where digits and power are both exact doubles one rounding does it (Clinger 1990);
// the rest is strtod()'s work, in the "C" locale that problem_file.c sets.
static double nearest_double(const decimal *d, const char *text)
{
  static const double power[] = {1e0,  1e1,  1e2,  1e3,  1e4,  1e5,  1e6,  1e7,  1e8,  1e9,  1e10, 1e11,
                                 1e12, 1e13, 1e14, 1e15, 1e16, 1e17, 1e18, 1e19, 1e20, 1e21, 1e22};
  const int largest = (int)(sizeof power / sizeof *power) - 1;
  if (d->rounded || d->digits > (UINT64_C(1) << 53) || abs(d->exponent) > largest) return strtod(text, NULL);
  const double digits = (double)d->digits;
  const double magnitude = d->exponent < 0 ? digits / power[-d->exponent] : digits * power[d->exponent];
  return d->negative ? -magnitude : magnitude;
}

static size_t token_length(const ts_scanner *scanner)
{
  const char *after = scanner->at;
  while (!ends_token(scanner, after)) ++after;
  return (size_t)(after - scanner->at);
}

static bool token_is(const ts_scanner *scanner, const char *word)
{
  return strlen(word) == token_length(scanner) && strncasecmp(scanner->at, word, strlen(word)) == 0;
}

// +1, -1 or 0: inf or infinity with an optional sign, or something else.
static int infinity_sign(const ts_scanner *scanner)
{
  if (token_is(scanner, "-inf") || token_is(scanner, "-infinity")) return -1;
  if (token_is(scanner, "inf") || token_is(scanner, "infinity")) return 1;
  if (token_is(scanner, "+inf") || token_is(scanner, "+infinity")) return 1;
  return 0;
}

bool ts_scan_sees_number(ts_scanner *scanner)
{
  ts_scan_space(scanner);
  const char c = *scanner->at;
  return is_digit(c) || c == '+' || c == '-' || c == '.' || infinity_sign(scanner) != 0 || token_is(scanner, "nan");
}

static ts_status not_a_finite_number(ts_scanner *scanner, const char *name)
{
  if (infinity_sign(scanner) != 0 || token_is(scanner, "nan") || token_is(scanner, "-nan"))
    return ts_scan_fail(scanner, scanner->at, TS_INVALID, "a number of %s is not finite", name);
  char expected[160];
  snprintf(expected, sizeof expected, "a number of %s", name);
  return ts_scan_unexpected(scanner, expected);
}

ts_status ts_scan_number(ts_scanner *scanner, const char *name, double *value)
{
  ts_scan_space(scanner);
  decimal d;
  const char *after = read_decimal(scanner->at, &d);
  if (!after || !ends_token(scanner, after)) return not_a_finite_number(scanner, name);
  *value = nearest_double(&d, scanner->at);
  if (!isfinite(*value))
    return ts_scan_fail(scanner, scanner->at, TS_INVALID, "a number of %s is too large to be represented", name);
  scanner->at = after;
  return TS_OK;
}

ts_status ts_scan_numbers(ts_scanner *scanner, const char *name, size_t count, double *values)
{
  for (size_t i = 0; i < count; ++i) TS_TRY(ts_scan_number(scanner, name, &values[i]));
  return TS_OK;
}

ts_status ts_scan_bound(ts_scanner *scanner, const char *name, double *value)
{
  ts_scan_space(scanner);
  const int sign = infinity_sign(scanner);
  if (!sign) return ts_scan_number(scanner, name, value);
  *value = sign * (double)INFINITY;
  scanner->at += token_length(scanner);
  return TS_OK;
}

ts_status ts_scan_at_least(ts_scanner *scanner, const char *name, double low, bool strict, double *value)
{
  ts_scan_space(scanner);
  const char *at = scanner->at;
  TS_TRY(ts_scan_number(scanner, name, value));
  if (*value > low || (*value == low && !strict)) return TS_OK;
  return ts_scan_fail(scanner, at, TS_INVALID, "a number of %s is %g, it must be %s %g", name, *value,
                      strict ? "greater than" : "at least", low);
}

ts_status ts_scan_word(ts_scanner *scanner, const char *word)
{
  ts_scan_space(scanner);
  const size_t length = strlen(word);
  if (strncmp(scanner->at, word, length) == 0 && ends_token(scanner, scanner->at + length)) {
    scanner->at += length;
    return TS_OK;
  }
  char expected[64];
  snprintf(expected, sizeof expected, "\"%s\"", word);
  return ts_scan_unexpected(scanner, expected);
}
