// What an expression is compiled into: operations in the order in which a stack of numbers takes them. Those that need
// not be evaluated are jumped over, always forwards.
#ifndef TS_EXPRESSION_PROGRAM_H
#define TS_EXPRESSION_PROGRAM_H

#include "expression/expression.h"
#include "expression/function.h"

#include <stdint.h>

// Each pushes one number at most, so this many fit on the stack of numbers, too.
enum { TS_EXPRESSION_OPERATIONS = 1000 };

typedef enum ts_operation_kind {
  TS_OP_NUMBER, // push it
  TS_OP_VALUE,  // push the value of that index
  // Jumps.
  TS_OP_AND,    // on top is 0: leave it and jump; otherwise drop it
  TS_OP_OR,     // on top is something else than 0: leave 1 and jump; otherwise drop it
  TS_OP_BRANCH, // drop the one on top, and jump if it is 0
  TS_OP_JUMP,
  // Put a result in the place of `count` numbers on top: of one,
  TS_OP_NEGATE,
  TS_OP_NOT,
  TS_OP_TRUTH, // 1 for what is not 0
  // of two,
  TS_OP_ADD,
  TS_OP_SUBTRACT,
  TS_OP_MULTIPLY,
  TS_OP_DIVIDE,
  TS_OP_REMAINDER,
  TS_OP_LESS,
  TS_OP_AT_MOST,
  TS_OP_GREATER,
  TS_OP_AT_LEAST,
  TS_OP_EQUAL,
  TS_OP_UNEQUAL,
  // and by functions.
  TS_OP_CALL_ONE,
  TS_OP_CALL_TWO,
  TS_OP_CALL_MANY
} ts_operation_kind;

typedef struct ts_operation {
  uint8_t kind;    // ts_operation_kind
  uint16_t count;  // of arguments
  uint16_t offset; // in the text, for sentences
  union {
    double number;
    int index; // of a value; of the operation to jump to
    const ts_expression_function *function;
  };
} ts_operation;

struct ts_expression {
  int operation_count, value_count;
  const ts_operation *operations;
  const int *values; // that the text refers to, each once
};

// Fill `error` (may be NULL). Always false.
__attribute__((format(printf, 3, 4))) bool ts_expression_fail(ts_expression_error *error, int offset,
                                                              const char *format, ...);

#endif
