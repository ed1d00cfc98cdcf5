#define _POSIX_C_SOURCE 200809L
#include "expression/token.h"

#include "expression/expression.h"

#include "text/c_locale.h"
#include "text/number_text.h"
#include "text/scanner.h"

#include <string.h>

static bool is_digit(char c)
{
  return c >= '0' && c <= '9';
}

static bool begins_word(char c)
{
  return (c >= 'a' && c <= 'z') || (c >= 'A' && c <= 'Z') || c == '_';
}

static bool is_in_word(char c)
{
  return begins_word(c) || is_digit(c);
}

static bool continues_character(char c) // of UTF-8
{
  return ((unsigned char)c & 0xC0) == 0x80;
}

const char *ts_token_show(const char *text, int length, char shown[static TS_TOKEN_SHOWN])
{
  int size = length < TS_TOKEN_SHOWN ? length : TS_TOKEN_SHOWN - 1;
  while (size < length && size > 0 && continues_character(text[size])) --size;
  for (int i = 0; i < size; ++i) shown[i] = (unsigned char)text[i] < ' ' || text[i] == 0x7F ? '?' : text[i];
  shown[size] = '\0';
  return shown;
}

static void skip_blanks(ts_token_reader *in)
{
  while (ts_scan_is_space(in->text[in->at])) ++in->at;
}

static bool fail_here(ts_token_reader *in, const char *sentence)
{
  return ts_expression_fail(in->error, in->at, "%s", sentence);
}

static void add_to_name(ts_token_reader *in, char c)
{
  in->name[in->name_length++] = c;
  in->name[in->name_length] = '\0';
}

static void skip_digits(ts_token_reader *in)
{
  while (is_digit(in->text[in->at])) ++in->at;
}

// An 'e' without digits behind it does not belong to the number.
static void skip_number(ts_token_reader *in)
{
  skip_digits(in);
  if (in->text[in->at] == '.') {
    ++in->at;
    skip_digits(in);
  }
  const char *e = in->text + in->at;
  if (*e != 'e' && *e != 'E') return;
  const int sign = e[1] == '+' || e[1] == '-';
  if (!is_digit(e[1 + sign])) return;
  in->at += 1 + sign;
  skip_digits(in);
}

static bool read_number(ts_token_reader *in)
{
  const int start = in->at;
  skip_number(in);
  char text[TS_EXPRESSION_LENGTH + 1];
  const size_t length = (size_t)(in->at - start);
  memcpy(text, in->text + start, length);
  text[length] = '\0';
  in->token.kind = TS_TOKEN_NUMBER;
  ts_c_locale locale;
  if (!ts_c_locale_enter(&locale)) return ts_expression_fail(in->error, start, "memory ran out");
  const bool fits = ts_text_is_number(text, &in->token.number);
  ts_c_locale_leave(&locale);
  return fits || ts_expression_fail(in->error, start, "the number is too large");
}

// Copies what stands in quotes, and with `keep` the quotes as well.
static bool read_quoted(ts_token_reader *in, bool keep)
{
  const int start = in->at;
  const char quote = in->text[in->at++];
  if (keep) add_to_name(in, quote);
  for (; in->text[in->at] != quote; ++in->at) {
    if (in->text[in->at] == '\0') return ts_expression_fail(in->error, start, "this quote has no end");
    add_to_name(in, in->text[in->at]);
  }
  if (keep) add_to_name(in, quote);
  if (in->at++ == start + 1) return ts_expression_fail(in->error, start, "there is no name between these quotes");
  return true;
}

static bool read_part(ts_token_reader *in)
{
  const char c = in->text[in->at];
  if (c == '\'' || c == '"') return read_quoted(in, false);
  if (!is_in_word(c))
    return ts_expression_fail(in->error, in->at, "a name is missing after '%c'", in->text[in->at - 1]);
  while (is_in_word(in->text[in->at])) add_to_name(in, in->text[in->at++]);
  return true;
}

// .part.part@part.part
static bool read_more_parts(ts_token_reader *in)
{
  bool in_frame = false;
  while (in->text[in->at] == '.' || (in->text[in->at] == '@' && !in_frame)) {
    in_frame |= in->text[in->at] == '@';
    add_to_name(in, in->text[in->at++]);
    if (!read_part(in)) return false;
  }
  return true;
}

static bool is_edge(char c)
{
  return c == '(' || c == ')' || c == ',';
}

// From '(' to the ')' that closes it. Blanks count inside of names only: "left finger".
static bool read_parentheses(ts_token_reader *in)
{
  const int start = in->at;
  int open = 0, blanks = 0;
  char before = '(';
  do {
    const char c = in->text[in->at];
    if (c == '\0') return ts_expression_fail(in->error, start, "this '(' is not closed");
    if (ts_scan_is_space(c)) {
      ++blanks;
      ++in->at;
      continue;
    }
    if (before == ',' && c != ',' && c != ')') add_to_name(in, ' ');
    if (!is_edge(before) && !is_edge(c))
      for (int i = in->at - blanks; i < in->at; ++i) add_to_name(in, in->text[i]);
    blanks = 0;
    before = c;
    open += (c == '(') - (c == ')');
    if (c == '\'' || c == '"') {
      if (!read_quoted(in, true)) return false;
    } else {
      add_to_name(in, c);
      ++in->at;
    }
  } while (open > 0);
  return true;
}

// A word with parentheses that is no function.
static bool read_called_name(ts_token_reader *in)
{
  in->token.word = in->name_length;
  if (!read_parentheses(in)) return false;
  const int end = in->at, length = in->name_length;
  skip_blanks(in);
  if (in->text[in->at] != '.' && in->text[in->at] != '@') in->at = end;
  if (!read_more_parts(in)) return false;
  if (in->name_length > length) in->token.word = 0;
  return true;
}

static bool is_operator_word(const char *name, ts_token_kind *kind)
{
  static const struct {
    const char *word;
    ts_token_kind kind;
  } operators[] = {{"or", TS_TOKEN_OR}, {"and", TS_TOKEN_AND}, {"not", TS_TOKEN_NOT}};
  for (size_t i = 0; i < sizeof operators / sizeof *operators; ++i)
    if (strcmp(name, operators[i].word) == 0) {
      *kind = operators[i].kind;
      return true;
    }
  return false;
}

// Reserved words are so where they stand alone: sin(x) is a function, sin.x the value of a body.
static bool read_word(ts_token_reader *in)
{
  in->name_length = 0;
  in->token.kind = TS_TOKEN_NAME;
  const bool quoted = !begins_word(in->text[in->at]);
  if (!read_part(in)) return false;
  if (!quoted && is_operator_word(in->name, &in->token.kind)) return true;
  const int end = in->at;
  if (quoted || in->text[end] == '.' || in->text[end] == '@') return read_more_parts(in);
  in->token.function = ts_expression_function_find(in->name, (size_t)in->name_length);
  if (in->token.function) {
    in->token.kind = TS_TOKEN_FUNCTION;
    return true;
  }
  skip_blanks(in);
  if (in->text[in->at] == '(') return read_called_name(in);
  in->at = end;
  return true;
}

// What is no sign of the language, with the sign that was probably meant.
static bool fail_at_sign(ts_token_reader *in)
{
  const char *text = in->text + in->at;
  if (*text == '=') return fail_here(in, "'==' compares");
  if (*text == '&') return fail_here(in, "'&&' means 'and'");
  if (*text == '|') return fail_here(in, "'||' means 'or'");
  int length = 1;
  while (length < 4 && continues_character(text[length])) ++length;
  char shown[TS_TOKEN_SHOWN];
  ts_token_show(text, length, shown);
  if ((unsigned char)*text >= 0x80)
    return ts_expression_fail(in->error, in->at, "'%s' can stand in a name only where that is in quotes", shown);
  return ts_expression_fail(in->error, in->at, "'%s' means nothing here", shown);
}

static bool read_sign(ts_token_reader *in)
{
  static const struct {
    const char *sign;
    ts_token_kind kind;
  } signs[] = {{"<=", TS_TOKEN_AT_MOST}, {">=", TS_TOKEN_AT_LEAST}, {"==", TS_TOKEN_EQUAL},   {"!=", TS_TOKEN_UNEQUAL},
               {"||", TS_TOKEN_OR},      {"&&", TS_TOKEN_AND},      {"<", TS_TOKEN_LESS},     {">", TS_TOKEN_GREATER},
               {"!", TS_TOKEN_NOT},      {"+", TS_TOKEN_PLUS},      {"-", TS_TOKEN_MINUS},    {"*", TS_TOKEN_TIMES},
               {"/", TS_TOKEN_OVER},     {"%", TS_TOKEN_REMAINDER}, {"^", TS_TOKEN_POWER},    {"(", TS_TOKEN_OPEN},
               {")", TS_TOKEN_CLOSE},    {",", TS_TOKEN_COMMA},     {"?", TS_TOKEN_QUESTION}, {":", TS_TOKEN_COLON}};
  const char *text = in->text + in->at;
  if (strncmp(text, "**", 2) == 0) return fail_here(in, "'^' raises to a power");
  for (size_t i = 0; i < sizeof signs / sizeof *signs; ++i)
    if (strncmp(text, signs[i].sign, strlen(signs[i].sign)) == 0) {
      in->token.kind = signs[i].kind;
      in->at += (int)strlen(signs[i].sign);
      return true;
    }
  return fail_at_sign(in);
}

bool ts_token_next(ts_token_reader *in)
{
  skip_blanks(in);
  const char c = in->text[in->at];
  in->token = (ts_token){.kind = TS_TOKEN_END, .offset = in->at};
  bool good = true;
  if (is_digit(c) || (c == '.' && is_digit(in->text[in->at + 1])))
    good = read_number(in);
  else if (begins_word(c) || c == '\'' || c == '"')
    good = read_word(in);
  else if (c != '\0')
    good = read_sign(in);
  in->token.length = in->at - in->token.offset;
  return good;
}

bool ts_expression_is_word(const char *text)
{
  static const char letters[] = "abcdefghijklmnopqrstuvwxyzABCDEFGHIJKLMNOPQRSTUVWXYZ_";
  static const char others[] = "abcdefghijklmnopqrstuvwxyzABCDEFGHIJKLMNOPQRSTUVWXYZ_0123456789";
  return text && text[0] != '\0' && strchr(letters, text[0]) && text[strspn(text, others)] == '\0';
}

bool ts_expression_is_taken(const char *word)
{
  ts_token_kind unused;
  return ts_expression_function_find(word, strlen(word)) || is_operator_word(word, &unused) || strcmp(word, "t") == 0;
}
