#include "document/parameter_set.h"

#include "document/validate.h"
#include "document/values.h"

#include "text/number_text.h"

#include <math.h>
#include <stdio.h>
#include <string.h>

static const ts_key parameter_keys[] = {
    {"value", TS_VALUE_NUMBER, .required = true, .help = "number, or expression of other parameters"},
    {"range", TS_VALUE_NUMBERS, .least = 2, .most = 2, .help = "least and largest value that makes sense"},
    {"unit", TS_VALUE_TEXT, .help = "of the value, for lists and axes of figures"},
    {"help", TS_VALUE_TEXT, .help = "one line about it"},
};
static const ts_section parameter_section = {"a parameter", TS_KEYS(parameter_keys)};
static const ts_key parameter_row = {"NAME", TS_VALUE_MAP, .section = &parameter_section, .help = "a parameter"};
const ts_section ts_declared_parameters_section = {"the list of parameters", .each = &parameter_row};

int ts_parameter_find(const ts_parameter_set *set, const char *name)
{
  for (int i = 0; set && i < set->count; ++i)
    if (strcmp(set->items[i].name, name) == 0) return i;
  return -1;
}

// ---- reading -------------------------------------------------------------------------------------------------------

bool ts_variable_name_is_good(ts_document_input *in, const char *what, const char *name, ts_place place)
{
  if (!ts_expression_is_word(name))
    ts_document_fail(in, place, "a %s is called by letters, digits and _, and no digit first, not '%.60s'", what, name);
  else if (ts_expression_is_taken(name))
    ts_document_fail(in, place, "no %s can be called '%s': expressions have it already", what, name);
  else
    return true;
  return false;
}

static const char *text_below(const ts_node *entry, const char *key)
{
  const ts_node *text = ts_node_find(entry, key);
  return text && text->kind == TS_NODE_SCALAR ? text->text : "";
}

static ts_status read_range(ts_document_input *in, const ts_node *entry, ts_document_parameter *parameter)
{
  const ts_node *range = ts_node_find(entry, "range");
  double ends[2];
  parameter->least = -INFINITY;
  parameter->most = INFINITY;
  if (!range) return TS_OK;
  if (range->kind != TS_NODE_LIST || range->count != 2)
    return ts_document_fail(in, range->place, "'range' must be a list of 2 numbers");
  for (int i = 0; i < 2; ++i) {
    const ts_node *end = ts_node_at(range, i);
    if (end->kind != TS_NODE_SCALAR || !ts_text_is_number(end->text, &ends[i]))
      return ts_document_fail(in, end->place, "'range' must be a list of 2 numbers");
  }
  if (!(ends[0] <= ends[1]))
    return ts_document_fail(in, range->place, "the range from %g to %g is empty", ends[0], ends[1]);
  parameter->least = ends[0];
  parameter->most = ends[1];
  return TS_OK;
}

static ts_status read_entry(ts_document_input *in, ts_node *entry, ts_document_parameter *parameter)
{
  if (!ts_variable_name_is_good(in, "parameter", entry->key, entry->key_place)) return TS_INVALID;
  const ts_node *value = entry->kind == TS_NODE_MAP ? ts_node_find(entry, "value") : NULL;
  if (!value && entry->kind == TS_NODE_MAP) return ts_document_validate_form(in, entry, &parameter_section);
  if (!value) return ts_document_fail(in, entry->place, "the parameter '%s' needs a 'value'", entry->key);
  *parameter = (ts_document_parameter){
      .name = entry->key, .unit = text_below(entry, "unit"), .help = text_below(entry, "help"), .place = value->place};
  TS_TRY(read_range(in, entry, parameter));
  parameter->derived = ts_node_is_formula(value);
  if (parameter->derived) return TS_OK;
  if (value->kind == TS_NODE_SCALAR && value->plain && ts_text_is_number(value->text, &parameter->own)) return TS_OK;
  char found[64];
  ts_document_fail(in, value->place, "the 'value' of the parameter '%s' must be a number, not %s", entry->key,
                   ts_node_describe(value, found, sizeof found));
  ts_formula_hint(in, value);
  return TS_INVALID;
}

// ---- evaluating ----------------------------------------------------------------------------------------------------

// Its value, where those that it depends on are known.
static ts_status evaluate(ts_document_input *in, ts_document_parameter *parameter, double given)
{
  if (!isnan(given))
    parameter->value = given;
  else if (parameter->derived)
    TS_TRY(ts_formula_evaluate(in, &parameter->formula, &parameter->value));
  else
    parameter->value = parameter->own;
  if (!isfinite(parameter->value))
    return ts_document_fail(in, parameter->place, "the parameter '%s' must be a finite number", parameter->name);
  if (ts_range_fit(&parameter->value, parameter->least, parameter->most)) return TS_OK;
  char found[TS_NUMBER_TEXT_SIZE];
  ts_number_text_brief(parameter->value, found);
  return ts_document_fail(in, parameter->place, "the parameter '%s' is %s, outside its range from %g to %g",
                          parameter->name, found, parameter->least, parameter->most);
}

// The parameters that wait for each other, from the outermost on.
typedef struct waiting {
  const struct waiting *outer;
  int parameter;
} waiting;

// "a -> b -> a"
static ts_status refuse_cycle(ts_document_input *in, const ts_parameter_set *set, const waiting *last, int first)
{
  char path[320];
  int names[16], count = 0;
  for (const waiting *at = last; at && count < 16; at = at->outer) {
    names[count++] = at->parameter;
    if (at->parameter == first) break;
  }
  size_t used = 0;
  for (int i = count - 1; i >= 0 && used < sizeof path; --i)
    used += (size_t)snprintf(path + used, sizeof path - used, "%.40s -> ", set->items[names[i]].name);
  if (used >= sizeof path) used = sizeof path - 1;
  path[used] = '\0';
  return ts_document_fail(in, set->items[first].place, "parameters depend on themselves: %s%.40s", path,
                          set->items[first].name);
}

static ts_status settle(ts_document_input *in, int p, const double *given, const waiting *outer, int *known)
{
  ts_parameter_set *set = in->parameters;
  ts_document_parameter *parameter = &set->items[p];
  const waiting self = {outer, p};
  if (parameter->state == TS_PARAMETER_KNOWN) return TS_OK;
  if (parameter->state == TS_PARAMETER_BUSY) return refuse_cycle(in, set, outer, p);
  parameter->state = TS_PARAMETER_BUSY;
  for (int i = 0; parameter->derived && i < parameter->formula.input_count; ++i)
    TS_TRY(settle(in, parameter->formula.inputs[i].parameter, given, &self, known));
  parameter->state = TS_PARAMETER_KNOWN;
  set->order[(*known)++] = p;
  return evaluate(in, parameter, given ? given[p] : NAN);
}

// What they are now, into the tree: for texts of the scene.
static void write_values(const ts_parameter_set *set, const ts_node *map)
{
  int i = 0;
  for (const ts_node *entry = map->first; entry; entry = entry->next, ++i) {
    ts_node *value = ts_node_find(entry, "value");
    value->is_number = value->plain = true;
    value->number = set->items[i].value;
  }
}

static ts_node *map_of(const ts_node *root)
{
  return root->kind == TS_NODE_MAP ? ts_node_find(root, "parameters") : NULL;
}

ts_status ts_parameters_complete(ts_document_input *in, const ts_node *root)
{
  ts_node *map = map_of(root);
  if (!map || map->kind != TS_NODE_MAP) return TS_OK;
  for (ts_node *entry = map->first; entry; entry = entry->next) TS_TRY(ts_node_wrap(in, map, &entry, "value"));
  return TS_OK;
}

static ts_status read_entries(ts_document_input *in, const ts_node *map, ts_parameter_set *set)
{
  int i = 0;
  if (map->kind != TS_NODE_MAP) return ts_document_fail(in, map->place, "'parameters' must be a map of names");
  if (map->count > TS_PARAMETERS_MOST)
    return ts_document_fail(in, map->place, "a scene may have %d parameters, not %d", TS_PARAMETERS_MOST, map->count);
  set->items = ts_document_take(in, ((size_t)map->count + 1) * sizeof *set->items);
  set->order = ts_document_take(in, ((size_t)map->count + 1) * sizeof *set->order);
  for (ts_node *entry = map->first; entry; entry = entry->next, ++i) TS_TRY(read_entry(in, entry, &set->items[i]));
  set->count = map->count;
  return TS_OK;
}

ts_status ts_parameters_read(ts_document_input *in, const ts_node *root, const double *given)
{
  const ts_node *map = map_of(root);
  int known = 0, i = 0;
  in->parameters = NULL;
  if (!map) return TS_OK;
  ts_parameter_set *set = ts_document_take(in, sizeof *set);
  TS_TRY(read_entries(in, map, set));
  in->parameters = set;
  for (const ts_node *entry = map->first; entry; entry = entry->next, ++i)
    if (set->items[i].derived) TS_TRY(ts_formula_read(in, ts_node_find(entry, "value"), &set->items[i].formula));
  for (i = 0; i < set->count; ++i) TS_TRY(settle(in, i, given, NULL, &known));
  write_values(set, map);
  return TS_OK;
}

ts_status ts_parameters_renew(ts_document_input *in, const double *given)
{
  ts_parameter_set *set = in->parameters;
  for (int k = 0; k < set->count; ++k) TS_TRY(evaluate(in, &set->items[set->order[k]], given[set->order[k]]));
  return TS_OK;
}

void ts_formula_shapes(ts_document_input *in, const ts_formula *formula)
{
  for (int i = 0; i < formula->input_count; ++i)
    if (formula->inputs[i].parameter >= 0) in->parameters->items[formula->inputs[i].parameter].shapes = true;
}
