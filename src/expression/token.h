// The words, numbers and signs that an expression consists of, one after the other.
#ifndef TS_EXPRESSION_TOKEN_H
#define TS_EXPRESSION_TOKEN_H

#include "expression/program.h"

typedef enum ts_token_kind {
  TS_TOKEN_END,
  TS_TOKEN_NUMBER,
  TS_TOKEN_NAME,     // of a value; it stands in the reader's buffer
  TS_TOKEN_FUNCTION, // or constant
  TS_TOKEN_OPEN,
  TS_TOKEN_CLOSE,
  TS_TOKEN_COMMA,
  TS_TOKEN_QUESTION,
  TS_TOKEN_COLON,
  TS_TOKEN_OR,
  TS_TOKEN_AND,
  TS_TOKEN_NOT,
  // Signs between two values, those of one precedence together.
  TS_TOKEN_LESS,
  TS_TOKEN_AT_MOST,
  TS_TOKEN_GREATER,
  TS_TOKEN_AT_LEAST,
  TS_TOKEN_EQUAL,
  TS_TOKEN_UNEQUAL,
  TS_TOKEN_PLUS,
  TS_TOKEN_MINUS,
  TS_TOKEN_TIMES,
  TS_TOKEN_OVER,
  TS_TOKEN_REMAINDER,
  TS_TOKEN_POWER
} ts_token_kind;

typedef struct ts_token {
  ts_token_kind kind;
  int offset, length; // in the text
  double number;
  const ts_expression_function *function;
  int word; // of a name that has parentheses and nothing behind them: characters before them; 0 otherwise
} ts_token;

typedef struct ts_token_reader {
  const char *text;
  int at;
  ts_token token;                          // the last that was read
  char name[2 * TS_EXPRESSION_LENGTH + 1]; // without quotes, blanks put in order; a comma may have got a blank
  int name_length;
  ts_expression_error *error; // may be NULL
} ts_token_reader;

// Read the next token. False: `error` has the sentence.
bool ts_token_next(ts_token_reader *reader);

// A part of a text for sentences: cut short between characters, with bytes that a terminal might act on replaced.
enum { TS_TOKEN_SHOWN = 64 };
const char *ts_token_show(const char *text, int length, char shown[static TS_TOKEN_SHOWN]);

#endif
