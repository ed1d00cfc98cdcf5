// The language, by rising precedence:
//
//   condition ? this : that      groups from the right; only one of the two is evaluated
//   or ||                        1 or 0; the right one is evaluated only where it matters
//   and &&                       likewise
//   not !                        1 or 0
//   < <= > >= == !=              1 or 0; do not chain
//   + -
//   * / %                        % has the sign of the divisor: x - y*floor(x/y)
//   + - before one value
//   ^                            power; groups from the right, and its exponent may have a sign
//   1.5e-3  name  f(x, y)  (...)
//
// What is not 0 is true. A name consists of words, or of texts in quotes, joined by points, with '@' and another name
// behind it if need be: ball.vx, 'left finger'.x@plate, joints.3.position. A word with parentheses that is no function
// is a name as well, and so is what stands in them: contacts(left finger, gear*).fn. The functions stand in function.c.
//
// A rule of the grammar is a function here; it emits its operations behind those of its operands. What calls itself
// does so by nested(), which counts.
#include "expression/program.h"

#include "base/assert.h"
#include "expression/token.h"
#include "touchstone/suggest.h"

#include <stdio.h>
#include <string.h>

typedef struct compiler {
  ts_token_reader in;
  const ts_expression_names *names; // may be NULL
  int depth;
  int operation_count, value_count;
  ts_operation operations[TS_EXPRESSION_OPERATIONS];
  int values[TS_EXPRESSION_OPERATIONS];
} compiler;

static bool parse_condition(compiler *c);
static bool parse_signed(compiler *c);

static const char *show_token(const compiler *c, char shown[static TS_TOKEN_SHOWN])
{
  return ts_token_show(c->in.text + c->in.token.offset, c->in.token.length, shown);
}

static bool nested(compiler *c, bool (*parse)(compiler *))
{
  if (c->depth == TS_EXPRESSION_DEPTH)
    return ts_expression_fail(c->in.error, c->in.token.offset, "the expression is nested more than %d deep",
                              TS_EXPRESSION_DEPTH);
  ++c->depth;
  const bool good = parse(c);
  --c->depth;
  return good;
}

static bool emit(compiler *c, ts_operation operation)
{
  if (c->operation_count == TS_EXPRESSION_OPERATIONS)
    return ts_expression_fail(c->in.error, operation.offset, "the expression has more than %d operations",
                              TS_EXPRESSION_OPERATIONS);
  c->operations[c->operation_count++] = operation;
  return true;
}

static bool emit_kind(compiler *c, ts_operation_kind kind, int count, int offset)
{
  return emit(c, (ts_operation){.kind = (uint8_t)kind, .count = (uint16_t)count, .offset = (uint16_t)offset});
}

static bool emit_call(compiler *c, const ts_expression_function *function, int count, int offset)
{
  const ts_operation_kind kind = function->of_one   ? TS_OP_CALL_ONE
                                 : function->of_two ? TS_OP_CALL_TWO
                                                    : TS_OP_CALL_MANY;
  return emit(c,
              (ts_operation){
                  .kind = (uint8_t)kind, .count = (uint16_t)count, .offset = (uint16_t)offset, .function = function});
}

// Let the jump at `from` lead to what comes next.
static void land(compiler *c, int from)
{
  c->operations[from].index = c->operation_count;
}

static bool sees(const compiler *c, ts_token_kind kind)
{
  return c->in.token.kind == kind;
}

static bool next(compiler *c)
{
  return ts_token_next(&c->in);
}

static bool begins_value(ts_token_kind kind)
{
  return kind == TS_TOKEN_NUMBER || kind == TS_TOKEN_NAME || kind == TS_TOKEN_FUNCTION || kind == TS_TOKEN_OPEN ||
         kind == TS_TOKEN_NOT;
}

// An expression goes on with what cannot go on.
static bool fail_at_rest(const compiler *c)
{
  char shown[TS_TOKEN_SHOWN];
  const int offset = c->in.token.offset;
  if (begins_value(c->in.token.kind))
    return ts_expression_fail(c->in.error, offset, "an operator is missing before '%s'", show_token(c, shown));
  if (sees(c, TS_TOKEN_CLOSE)) return ts_expression_fail(c->in.error, offset, "this ')' closes nothing");
  if (sees(c, TS_TOKEN_COLON)) return ts_expression_fail(c->in.error, offset, "this ':' has no '?'");
  TS_ASSERT(sees(c, TS_TOKEN_COMMA));
  return ts_expression_fail(c->in.error, offset, "this ',' separates no arguments");
}

// Go on behind the ')' of what was opened.
static bool close_parenthesis(compiler *c, int open)
{
  if (sees(c, TS_TOKEN_CLOSE)) return next(c);
  if (sees(c, TS_TOKEN_END)) return ts_expression_fail(c->in.error, open, "this '(' is not closed");
  return fail_at_rest(c);
}

static bool fail_at_value(const compiler *c)
{
  char shown[TS_TOKEN_SHOWN];
  const int offset = c->in.token.offset;
  if (sees(c, TS_TOKEN_END))
    return ts_expression_fail(c->in.error, offset, "the expression ends where a value should be");
  if (sees(c, TS_TOKEN_NOT))
    return ts_expression_fail(c->in.error, offset, "here '%s' and its operand need parentheses around them",
                              show_token(c, shown));
  return ts_expression_fail(c->in.error, offset, "'%s' stands where a value should be", show_token(c, shown));
}

// Functions and constants are rows of one table.
static const char *row_name(int i, const void *first)
{
  return ts_expression_function_row(*(const int *)first + i)->name;
}

static const char *nearest_row(const char *word, bool constant)
{
  int functions = 0, constants = 0;
  const ts_expression_function *row;
  while ((row = ts_expression_function_row(functions + constants)) != NULL)
    ++*(row->most > 0 ? &functions : &constants);
  const int first = constant ? functions : 0;
  return ts_suggest(word, constant ? constants : functions, row_name, &first);
}

static const char *value_name(int i, const void *user)
{
  const ts_expression_names *names = user;
  return names->name_at(names->user, i);
}

static const char *nearest_value(const compiler *c)
{
  const ts_expression_names *names = c->names;
  if (!names || !names->name_at) return NULL;
  int count = 0;
  while (names->name_at(names->user, count)) ++count;
  return ts_suggest(c->in.name, count, value_name, names);
}

static bool is_in_name(char c)
{
  return (c >= 'a' && c <= 'z') || (c >= 'A' && c <= 'Z') || (c >= '0' && c <= '9') || c == '_' || c == '.' || c == '@';
}

// The end of a name that continues at `at` behind signs or blanks, as /finger_joint.position; `at` if there is none.
static int end_of_continuation(const char *text, int at)
{
  const int behind = at + (int)strspn(text + at, "/-+*:~#$ ");
  int end = behind;
  while (is_in_name(text[end])) ++end;
  return end > behind ? end : at;
}

// Fail at the name from `start` to `end`, whose part around the signs from `first` to `last` needs quotes.
static void fail_for_quotes(compiler *c, int start, int first, int last, int end)
{
  const char *text = c->in.text;
  while (first > start && text[first - 1] != '.') --first;
  while (last < end && text[last] != '.') ++last;
  ts_expression_fail(c->in.error, start, "put the name in quotes: %.*s'%.*s'%.*s", first - start, text + start,
                     last - first, text + first, end - last, text + last);
}

// True: the text goes on so that a name is found if a part of it is in quotes, and `error` says how to write it.
static bool lacks_quotes(compiler *c)
{
  const ts_expression_names *names = c->names;
  const int start = c->in.token.offset, first = start + c->in.token.length;
  if (!names || c->in.token.word) return false;
  for (int at = first, end; (end = end_of_continuation(c->in.text, at)) > at; at = end) {
    char name[TS_EXPRESSION_LENGTH + 1];
    snprintf(name, sizeof name, "%.*s", end - start, c->in.text + start);
    if (names->find(names->user, name) < 0) continue;
    fail_for_quotes(c, start, first, at + 1, end);
    return true;
  }
  names->find(names->user, c->in.name); // the last name that was not found is this one again
  return false;
}

static bool fail_at_name(compiler *c)
{
  if (lacks_quotes(c)) return false;
  const int word = c->in.token.word;
  char shown[TS_TOKEN_SHOWN], meant[TS_TOKEN_SHOWN];
  ts_token_show(c->in.name, word ? word : c->in.name_length, shown);
  if (word) c->in.name[word] = '\0';
  const char *nearest = word ? NULL : nearest_value(c);
  if (!nearest) nearest = nearest_row(c->in.name, word == 0);
  const char *what = word ? "function " : "";
  if (!nearest) return ts_expression_fail(c->in.error, c->in.token.offset, "there is no %s'%s'", what, shown);
  return ts_expression_fail(c->in.error, c->in.token.offset, "there is no %s'%s'; did you mean '%s'?", what, shown,
                            ts_token_show(nearest, (int)strlen(nearest), meant));
}

static void note_value(compiler *c, int value)
{
  for (int i = 0; i < c->value_count; ++i)
    if (c->values[i] == value) return;
  c->values[c->value_count++] = value;
}

static bool parse_name(compiler *c)
{
  const int value = c->names ? c->names->find(c->names->user, c->in.name) : -1;
  if (value < 0) return fail_at_name(c);
  if (!emit(c, (ts_operation){.kind = TS_OP_VALUE, .offset = (uint16_t)c->in.token.offset, .index = value}))
    return false;
  note_value(c, value); // there are no more than operations
  return next(c);
}

static bool emit_number(compiler *c, double number)
{
  return emit(c, (ts_operation){.kind = TS_OP_NUMBER, .offset = (uint16_t)c->in.token.offset, .number = number}) &&
         next(c);
}

static bool fail_at_count(const compiler *c, const ts_expression_function *function, int offset)
{
  const char *name = function->name, *usage = function->usage;
  if (function->most == TS_ANY_ARGUMENTS)
    return ts_expression_fail(c->in.error, offset, "'%s' takes %d arguments or more: %s", name, function->least, usage);
  if (function->least < function->most)
    return ts_expression_fail(c->in.error, offset, "'%s' takes %d to %d arguments: %s", name, function->least,
                              function->most, usage);
  return ts_expression_fail(c->in.error, offset, "'%s' takes %d argument%s: %s", name, function->least,
                            function->least == 1 ? "" : "s", usage);
}

// if(c, a, b) as c ? a : b: a jump before the second argument and one before the third.
typedef struct branches {
  int otherwise, end;
} branches;

static bool begin_branch(compiler *c, int argument, int offset, branches *b)
{
  int *jump = argument == 1 ? &b->otherwise : &b->end;
  *jump = c->operation_count;
  if (argument == 1) return emit_kind(c, TS_OP_BRANCH, 1, offset);
  if (!emit_kind(c, TS_OP_JUMP, 0, offset)) return false;
  land(c, b->otherwise);
  return true;
}

// Arguments up to the ')'. Those of `if` are branches.
static bool parse_arguments(compiler *c, const ts_expression_function *function, int offset, int *count)
{
  branches b = {0, 0};
  *count = 0;
  if (sees(c, TS_TOKEN_CLOSE)) return true;
  for (;;) {
    if (function->chooses && (*count == 1 || *count == 2) && !begin_branch(c, *count, offset, &b)) return false;
    if (!nested(c, parse_condition)) return false;
    ++*count;
    if (!sees(c, TS_TOKEN_COMMA)) break;
    if (*count == function->most) return fail_at_count(c, function, offset);
    if (!next(c)) return false;
  }
  if (function->chooses && *count == 3) land(c, b.end);
  return true;
}

static bool parse_function(compiler *c)
{
  const ts_expression_function *function = c->in.token.function;
  const int offset = c->in.token.offset;
  if (function->most == 0) return emit_number(c, function->constant);
  if (!next(c)) return false;
  const int open = c->in.token.offset;
  if (!sees(c, TS_TOKEN_OPEN))
    return ts_expression_fail(c->in.error, offset, "'%s' is a function: write %s", function->name, function->usage);
  int count;
  if (!next(c) || !parse_arguments(c, function, offset, &count)) return false;
  if (sees(c, TS_TOKEN_CLOSE) && count < function->least) return fail_at_count(c, function, offset);
  if (!close_parenthesis(c, open)) return false;
  return function->chooses || emit_call(c, function, count, offset);
}

static bool parse_value(compiler *c)
{
  const int open = c->in.token.offset;
  switch (c->in.token.kind) {
  case TS_TOKEN_NUMBER:
    return emit_number(c, c->in.token.number);
  case TS_TOKEN_NAME:
    return parse_name(c);
  case TS_TOKEN_FUNCTION:
    return parse_function(c);
  case TS_TOKEN_OPEN:
    return next(c) && nested(c, parse_condition) && close_parenthesis(c, open);
  default:
    return fail_at_value(c);
  }
}

static bool parse_power(compiler *c)
{
  if (!parse_value(c)) return false;
  if (!sees(c, TS_TOKEN_POWER)) return true;
  const int offset = c->in.token.offset;
  return next(c) && nested(c, parse_signed) && emit_call(c, ts_expression_function_find("pow", 3), 2, offset);
}

static bool parse_signed(compiler *c)
{
  const ts_token sign = c->in.token;
  if (sign.kind != TS_TOKEN_PLUS && sign.kind != TS_TOKEN_MINUS) return parse_power(c);
  if (!next(c) || !nested(c, parse_signed)) return false;
  return sign.kind == TS_TOKEN_PLUS || emit_kind(c, TS_OP_NEGATE, 1, sign.offset);
}

// What a sign between two values computes, or -1: it is not one of from..to.
static int binary_kind(ts_token_kind token, ts_token_kind from, ts_token_kind to)
{
  static const ts_operation_kind kinds[] = {
      [TS_TOKEN_LESS] = TS_OP_LESS,         [TS_TOKEN_AT_MOST] = TS_OP_AT_MOST,    [TS_TOKEN_GREATER] = TS_OP_GREATER,
      [TS_TOKEN_AT_LEAST] = TS_OP_AT_LEAST, [TS_TOKEN_EQUAL] = TS_OP_EQUAL,        [TS_TOKEN_UNEQUAL] = TS_OP_UNEQUAL,
      [TS_TOKEN_PLUS] = TS_OP_ADD,          [TS_TOKEN_MINUS] = TS_OP_SUBTRACT,     [TS_TOKEN_TIMES] = TS_OP_MULTIPLY,
      [TS_TOKEN_OVER] = TS_OP_DIVIDE,       [TS_TOKEN_REMAINDER] = TS_OP_REMAINDER};
  return token >= from && token <= to ? (int)kinds[token] : -1;
}

// Operands joined by signs from..to, from the left.
static bool parse_chain(compiler *c, bool (*operand)(compiler *), ts_token_kind from, ts_token_kind to)
{
  if (!operand(c)) return false;
  int kind;
  while ((kind = binary_kind(c->in.token.kind, from, to)) >= 0) {
    const int offset = c->in.token.offset;
    if (!next(c) || !operand(c) || !emit_kind(c, (ts_operation_kind)kind, 2, offset)) return false;
  }
  return true;
}

static bool parse_product(compiler *c)
{
  return parse_chain(c, parse_signed, TS_TOKEN_TIMES, TS_TOKEN_REMAINDER);
}

static bool parse_sum(compiler *c)
{
  return parse_chain(c, parse_product, TS_TOKEN_PLUS, TS_TOKEN_MINUS);
}

static bool parse_comparison(compiler *c)
{
  if (!parse_sum(c)) return false;
  const int offset = c->in.token.offset, kind = binary_kind(c->in.token.kind, TS_TOKEN_LESS, TS_TOKEN_UNEQUAL);
  if (kind < 0) return true;
  if (!next(c) || !parse_sum(c) || !emit_kind(c, (ts_operation_kind)kind, 2, offset)) return false;
  if (binary_kind(c->in.token.kind, TS_TOKEN_LESS, TS_TOKEN_UNEQUAL) < 0) return true;
  return ts_expression_fail(c->in.error, c->in.token.offset,
                            "comparisons do not chain: write 'a < b and b < c' for 'a < b < c'");
}

static bool parse_negation(compiler *c)
{
  const int offset = c->in.token.offset;
  if (!sees(c, TS_TOKEN_NOT)) return parse_comparison(c);
  return next(c) && nested(c, parse_negation) && emit_kind(c, TS_OP_NOT, 1, offset);
}

// Operands joined by `and` or `or`. Each jumps to the end where it decides; there, all are 1 or 0.
static bool parse_logic(compiler *c, bool (*operand)(compiler *), ts_token_kind token, ts_operation_kind kind)
{
  if (!operand(c)) return false;
  while (sees(c, token)) {
    const int from = c->operation_count, offset = c->in.token.offset;
    if (!emit_kind(c, kind, 1, offset) || !next(c) || !operand(c)) return false;
    if (!emit_kind(c, TS_OP_TRUTH, 1, offset)) return false;
    land(c, from);
  }
  return true;
}

static bool parse_conjunction(compiler *c)
{
  return parse_logic(c, parse_negation, TS_TOKEN_AND, TS_OP_AND);
}

static bool parse_condition(compiler *c)
{
  if (!parse_logic(c, parse_conjunction, TS_TOKEN_OR, TS_OP_OR)) return false;
  if (!sees(c, TS_TOKEN_QUESTION)) return true;
  const int offset = c->in.token.offset;
  branches b;
  if (!begin_branch(c, 1, offset, &b) || !next(c) || !nested(c, parse_condition)) return false;
  if (!sees(c, TS_TOKEN_COLON))
    return begins_value(c->in.token.kind) ? fail_at_rest(c)
                                          : ts_expression_fail(c->in.error, offset, "the ':' of this '?' is missing");
  if (!begin_branch(c, 2, offset, &b) || !next(c) || !nested(c, parse_condition)) return false;
  land(c, b.end);
  return true;
}

static bool parse(compiler *c)
{
  if (strlen(c->in.text) > TS_EXPRESSION_LENGTH)
    return ts_expression_fail(c->in.error, TS_EXPRESSION_LENGTH, "the expression has more than %d characters",
                              TS_EXPRESSION_LENGTH);
  if (!next(c)) return false;
  if (sees(c, TS_TOKEN_END)) return ts_expression_fail(c->in.error, 0, "the expression is empty");
  if (!parse_condition(c)) return false;
  return sees(c, TS_TOKEN_END) || fail_at_rest(c);
}

bool ts_expression_compile(const char *text, const ts_expression_names *names, ts_arena *arena,
                           ts_expression **expression, ts_expression_error *error)
{
  compiler c;
  c.in.text = text;
  c.in.at = 0;
  c.in.error = error;
  c.names = names;
  c.depth = c.operation_count = c.value_count = 0;
  *expression = NULL;
  if (!parse(&c)) return false;
  const size_t operations = (size_t)c.operation_count, values = (size_t)c.value_count;
  ts_operation *operation = ts_arena_bytes(arena, operations, sizeof *operation);
  memcpy(operation, c.operations, operations * sizeof *operation);
  int *value = ts_arena_ints(arena, values);
  memcpy(value, c.values, values * sizeof *value);
  ts_expression *made = ts_arena_bytes(arena, 1, sizeof *made);
  *made = (ts_expression){c.operation_count, c.value_count, operation, value};
  *expression = made;
  return true;
}
