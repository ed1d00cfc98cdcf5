#include "expression/program.h"

#include <math.h>

// x - y floor(x/y), by way of fmod(), which is exact where the quotient has no digits left for its fraction. It is
// less than y: what rounds to y is 0.
static double remainder_of(double x, double y)
{
  const double rest = fmod(x, y);
  const bool other_side = y < 0.0 ? rest > 0.0 : rest < 0.0;
  if (!other_side) return rest + 0.0; // 0 rather than -0
  return rest + y == y ? 0.0 : rest + y;
}

static const char *function_trouble(const ts_expression_function *function, const double *x, double result)
{
  if (x[0] == 0.0 && function->at_zero) return function->at_zero;
  return isnan(result) ? function->undefined : function->too_large;
}

static const char *trouble_of(const ts_operation *operation, const double *x, double result)
{
  switch (operation->kind) {
  case TS_OP_ADD:
    return "the sum is too large";
  case TS_OP_SUBTRACT:
    return "the difference is too large";
  case TS_OP_MULTIPLY:
    return "the product is too large";
  case TS_OP_DIVIDE:
  case TS_OP_REMAINDER:
    return x[1] == 0.0 ? "division by zero" : "the quotient is too large";
  default:
    return function_trouble(operation->function, x, result);
  }
}

// Whether a result that is not finite may be passed on: an argument was not, either.
static bool passes_on(const ts_operation *operation, const double *x, double result, ts_expression_error *error)
{
  for (int i = 0; i < operation->count; ++i)
    if (!isfinite(x[i])) return true;
  return ts_expression_fail(error, operation->offset, "%s", trouble_of(operation, x, result));
}

static double apply(const ts_operation *operation, const double *x)
{
  switch (operation->kind) {
  case TS_OP_ADD:
    return x[0] + x[1];
  case TS_OP_SUBTRACT:
    return x[0] - x[1];
  case TS_OP_MULTIPLY:
    return x[0] * x[1];
  case TS_OP_DIVIDE:
    return x[0] / x[1];
  case TS_OP_REMAINDER:
    return remainder_of(x[0], x[1]);
  case TS_OP_LESS:
    return x[0] < x[1];
  case TS_OP_AT_MOST:
    return x[0] <= x[1];
  case TS_OP_GREATER:
    return x[0] > x[1];
  case TS_OP_AT_LEAST:
    return x[0] >= x[1];
  case TS_OP_EQUAL:
    return x[0] == x[1];
  case TS_OP_UNEQUAL:
    return x[0] != x[1];
  case TS_OP_NEGATE:
    return -x[0];
  case TS_OP_NOT:
    return x[0] == 0.0;
  case TS_OP_TRUTH:
    return x[0] != 0.0;
  case TS_OP_CALL_ONE:
    return operation->function->of_one(x[0]);
  case TS_OP_CALL_TWO:
    return operation->function->of_two(x[0], x[1]);
  default:
    return operation->function->of_many(x, operation->count);
  }
}

// Where a jump leads, or where it would be gone on. `*next` is the place above the top of the stack.
static const ts_operation *jump(const ts_expression *expression, const ts_operation *operation, double **next)
{
  bool jumps = true;
  if (operation->kind != TS_OP_JUMP) {
    const bool truth = *--*next != 0.0;
    jumps = truth == (operation->kind == TS_OP_OR);
    if (jumps && operation->kind != TS_OP_BRANCH) *(*next)++ = truth;
  }
  return jumps ? expression->operations + operation->index : operation + 1;
}

bool ts_expression_evaluate(const ts_expression *expression, const double *values, double *result,
                            ts_expression_error *error)
{
  double stack[TS_EXPRESSION_OPERATIONS], *next = stack;
  const ts_operation *at = expression->operations, *const end = at + expression->operation_count;
  while (at < end) {
    switch (at->kind) {
    case TS_OP_NUMBER:
      *next++ = at++->number;
      break;
    case TS_OP_VALUE:
      *next++ = values[at++->index];
      break;
    case TS_OP_AND:
    case TS_OP_OR:
    case TS_OP_BRANCH:
    case TS_OP_JUMP:
      at = jump(expression, at, &next);
      break;
    default:
      next -= at->count;
      const double y = apply(at, next);
      if (!isfinite(y) && !passes_on(at, next, y, error)) return false;
      *next++ = y;
      ++at;
    }
  }
  *result = stack[0];
  return true;
}

int ts_expression_value_at(const ts_expression *expression, int i)
{
  return i >= 0 && i < expression->value_count ? expression->values[i] : -1;
}
