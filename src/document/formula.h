// Numbers written as expressions: a scalar that begins with '=' ("=2*r + 0.01"), wherever the schema has a number.
// Names in it are parameters of the document and variables of the repeats around it.
#ifndef TS_DOCUMENT_FORMULA_H
#define TS_DOCUMENT_FORMULA_H

#include "document/node.h"

#include "expression/expression.h"

typedef struct ts_variable {
  const char *name;
  double value;
} ts_variable;

// Variables of a repeat, and of those around it.
struct ts_variable_scope {
  const ts_variable_scope *outer; // or NULL: parameters come next
  ts_variable *variables;
  int count;
};

// What an expression reads.
typedef struct ts_formula_input {
  const double *value;
  int parameter; // its number, or -1: a variable
} ts_formula_input;

typedef struct ts_formula {
  const ts_expression *expression;
  ts_formula_input *inputs;
  int input_count;
  ts_place place; // of its first character
} ts_formula;

enum { TS_FORMULA_INPUTS = 64 }; // of one formula

bool ts_node_is_formula(const ts_node *node);

// Of the text behind '=' in a node, or of any text that begins at a place.
ts_status ts_formula_read(ts_document_input *in, const ts_node *node, ts_formula *formula);
ts_status ts_formula_compile(ts_document_input *in, const char *text, ts_place place, const ts_variable_scope *scope,
                             ts_formula *formula);

// The value of what it reads as that stands now. What is wrong has its column.
ts_status ts_formula_evaluate(ts_document_input *in, const ts_formula *formula, double *value);

// True if a text is the rest of one that a comma between { and } or [ and ] has cut: parentheses do not match. The hint
// for it, and the hint as an addition to a sentence about a list that has such a text.
bool ts_text_was_cut(const char *text);
extern const char ts_cut_text_hint[];
void ts_cut_items_hint(ts_document_input *in, const ts_node *list);

// True if a comma between { and } has cut a number: digits without a value come right behind it, as in {radius: 0,1}.
// `node` may be NULL. The hint for it, and the hint as an addition to a sentence about the number.
bool ts_comma_cut_number(const ts_node *node);
extern const char ts_decimal_hint[];
void ts_decimal_comma_hint(ts_document_input *in, const ts_node *node);

// Add to a sentence about a scalar that is no number that it would be one with '=' before it, or with a decimal point,
// where that is so.
void ts_formula_hint(ts_document_input *in, const ts_node *node);

// Make a scalar that is a formula a number. Others are left alone.
ts_status ts_node_evaluate(ts_document_input *in, ts_node *node);

#endif
