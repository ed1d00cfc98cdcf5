#include "document/formula.h"

#include "document/parameter_set.h"

#include "text/number_text.h"

#include <stdio.h>
#include <string.h>

// Names are found in the scopes from the inside out, then among the parameters. Each that an expression mentions
// becomes an input.
typedef struct formula_names {
  ts_document_input *in;
  const ts_variable_scope *scope;
  ts_formula_input inputs[TS_FORMULA_INPUTS];
  int count;
  bool too_many;
} formula_names;

static bool look_up(const formula_names *names, const char *name, ts_formula_input *input)
{
  for (const ts_variable_scope *scope = names->scope; scope; scope = scope->outer)
    for (int i = 0; i < scope->count; ++i)
      if (strcmp(scope->variables[i].name, name) == 0) {
        *input = (ts_formula_input){&scope->variables[i].value, -1};
        return true;
      }
  const int p = ts_parameter_find(names->in->parameters, name);
  if (p < 0) return false;
  names->in->parameters->items[p].used = true;
  *input = (ts_formula_input){&names->in->parameters->items[p].value, p};
  return true;
}

static int find_input(const void *user, const char *name)
{
  formula_names *names = *(formula_names *const *)user;
  ts_formula_input input;
  if (!look_up(names, name, &input)) return -1;
  for (int i = 0; i < names->count; ++i)
    if (names->inputs[i].value == input.value) return i;
  if (names->count == TS_FORMULA_INPUTS) {
    names->too_many = true;
    return 0;
  }
  names->inputs[names->count] = input;
  return names->count++;
}

static const char *known_name(const void *user, int i)
{
  const formula_names *names = *(formula_names *const *)user;
  for (const ts_variable_scope *scope = names->scope; scope; i -= scope->count, scope = scope->outer)
    if (i < scope->count) return scope->variables[i].name;
  const ts_parameter_set *set = names->in->parameters;
  return set && i < set->count ? set->items[i].name : NULL;
}

ts_status ts_formula_compile(ts_document_input *in, const char *text, ts_place place, const ts_variable_scope *scope,
                             ts_formula *formula)
{
  formula_names names = {.in = in, .scope = scope};
  formula_names *const user = &names;
  const ts_expression_names table = {&user, find_input, known_name};
  ts_expression_error error;
  ts_expression *expression;
  if (!ts_expression_compile(text, &table, &in->arena, &expression, &error))
    return ts_document_fail(in, ts_place_within(place, error.offset), "%s", error.text);
  if (names.too_many)
    return ts_document_fail(in, place, "an expression may have %d different names", TS_FORMULA_INPUTS);
  const size_t count = (size_t)names.count;
  *formula = (ts_formula){.expression = expression, .input_count = names.count, .place = place};
  formula->inputs = ts_document_take(in, (count + 1) * sizeof *formula->inputs);
  memcpy(formula->inputs, names.inputs, count * sizeof *formula->inputs);
  return TS_OK;
}

ts_status ts_formula_evaluate(ts_document_input *in, const ts_formula *formula, double *value)
{
  double values[TS_FORMULA_INPUTS];
  ts_expression_error error;
  for (int i = 0; i < formula->input_count; ++i) values[i] = *formula->inputs[i].value;
  if (ts_expression_evaluate(formula->expression, values, value, &error)) return TS_OK;
  return ts_document_fail(in, ts_place_within(formula->place, error.offset), "%s", error.text);
}

bool ts_node_is_formula(const ts_node *node)
{
  return node->kind == TS_NODE_SCALAR && node->text[0] == '=';
}

const char ts_cut_text_hint[] = "between { and }, or [ and ], a text with a comma needs quotes";
const char ts_decimal_hint[] = "a number has a decimal point, not a comma";

bool ts_text_was_cut(const char *text)
{
  int open = 0;
  for (; *text; ++text) open += (*text == '(') - (*text == ')');
  return open != 0;
}

void ts_cut_items_hint(ts_document_input *in, const ts_node *list)
{
  for (const ts_node *item = list->first; item; item = item->next) {
    if (item->kind != TS_NODE_SCALAR || !item->plain || !ts_text_was_cut(item->text)) continue;
    ts_document_add(in, "; ");
    ts_document_add(in, ts_cut_text_hint);
    return;
  }
}

static bool is_digits(const char *text)
{
  return *text && strspn(text, "0123456789") == strlen(text);
}

// The digits before a comma: 0, -12.
static bool is_before_comma(const char *text)
{
  return is_digits(text + (*text == '-' || *text == '+'));
}

bool ts_comma_cut_number(const ts_node *node)
{
  const ts_node *rest = node ? node->next : NULL;
  if (!rest || !rest->key || node->kind != TS_NODE_SCALAR || !node->plain || !is_before_comma(node->text)) return false;
  return is_digits(rest->key) && ts_node_is_null(rest) && rest->key_place.line == node->place.line &&
         rest->key_place.file == node->place.file &&
         rest->key_place.column == node->place.column + (int)strlen(node->text) + 1;
}

void ts_decimal_comma_hint(ts_document_input *in, const ts_node *node)
{
  if (!ts_comma_cut_number(node)) return;
  ts_document_add(in, "; ");
  ts_document_add(in, ts_decimal_hint);
}

static bool has_decimal_comma(const char *text)
{
  char before[32];
  const size_t length = strcspn(text, ",");
  if (text[length] != ',' || length >= sizeof before) return false;
  snprintf(before, sizeof before, "%.*s", (int)length, text);
  return is_before_comma(before) && is_digits(text + length + 1);
}

void ts_formula_hint(ts_document_input *in, const ts_node *node)
{
  ts_formula unused;
  ts_error *error = in->error, kept = *error;
  if (node->kind != TS_NODE_SCALAR || !*node->text) return;
  const bool is_one =
      strpbrk(node->text, "*/^(") || ts_formula_compile(in, node->text, node->place, node->scope, &unused) == TS_OK;
  *error = kept;
  if (is_one) ts_document_add(in, "; an expression begins with '='");
  if (!node->plain || !has_decimal_comma(node->text)) return;
  ts_document_add(in, "; ");
  ts_document_add(in, ts_decimal_hint);
}

ts_status ts_formula_read(ts_document_input *in, const ts_node *node, ts_formula *formula)
{
  const ts_status status = ts_formula_compile(in, node->text + 1, ts_node_place_at(node, 1), node->scope, formula);
  if (status == TS_OK || !node->plain || !ts_text_was_cut(node->text)) return status;
  ts_document_add(in, "; ");
  ts_document_add(in, ts_cut_text_hint);
  return status;
}

ts_status ts_node_evaluate(ts_document_input *in, ts_node *node)
{
  ts_formula formula;
  if (!ts_node_is_formula(node)) return TS_OK;
  TS_TRY(ts_formula_read(in, node, &formula));
  TS_TRY(ts_formula_evaluate(in, &formula, &node->number));
  node->is_number = true;
  node->plain = true;
  return TS_OK;
}
