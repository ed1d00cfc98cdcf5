#include "scene/watch_plan.h"

#include "document/parameter_set.h"
#include "document/values.h"

#include <math.h>
#include <string.h>

// ---- keys ----------------------------------------------------------------------------------------------------------

static const ts_key stop_keys[] = {
    {"name", TS_VALUE_TEXT, .above_zero = true, .help = "what it is called when it has ended a run"},
    {"when", TS_VALUE_TEXT, .above_zero = true, .help = "an expression, as `ball.z < 0.1 and t > 1`"},
    {"rest", TS_VALUE_TEXT, .above_zero = true,
     .help = "dynamic bodies, by name, with `*` and `?`: slower than `speed` and `angular_speed`"},
    {"contact", TS_VALUE_TEXTS, .least = 2, .most = 2, .above_zero = true,
     .help = "two bodies, by name, with `*` and `?`: they push each other"},
    {"speed", TS_VALUE_NUMBER, "m/s", .range = TS_RANGE_POSITIVE, .fallback = "1e-3", .help = "of `rest`"},
    {"angular_speed", TS_VALUE_NUMBER, "rad/s", .range = TS_RANGE_POSITIVE, .fallback = "1e-2", .help = "of `rest`"},
    {"for", TS_VALUE_NUMBER, "s", .range = TS_RANGE_NOT_NEGATIVE, .fallback = "0",
     .help = "how long without a break; 0: at the end of one step"},
    {"steps", TS_VALUE_INTEGER, .range = TS_RANGE_POSITIVE, .fallback = "1", .help = "at the ends of so many in a row"},
};
static const ts_rule stop_rules[] = {{TS_RULE_EXACTLY_ONE, {"when", "rest", "contact"}},
                                     {TS_RULE_NEEDS, {"speed", "rest"}},
                                     {TS_RULE_NEEDS, {"angular_speed", "rest"}}};
const ts_section ts_stop_section = {"a condition to stop on", TS_KEYS(stop_keys), TS_RULES(stop_rules)};

#define RESULT_KEY(enumerator, key, about) {#key, TS_VALUE_TEXT, .above_zero = true, .help = "expression: " about},
static const ts_key result_keys[] = {
    TS_RESULT_LIST(RESULT_KEY) // with their commas
    {"when", TS_VALUE_TEXT, .above_zero = true, .help = "expression: only where it holds"},
    {"at", TS_VALUE_NUMBER, "s", .range = TS_RANGE_NOT_NEGATIVE, .help = "of `value`: the time"},
    {"from", TS_VALUE_NUMBER, "s", .fallback = "0", .help = "only from this time on"},
    {"to", TS_VALUE_NUMBER, "s", .range = TS_RANGE_POSITIVE, .help = "only up to this time; left out: to the end"},
    {"last", TS_VALUE_NUMBER, "s", .range = TS_RANGE_POSITIVE, .help = "only in so long a time before the end"},
    {"unit", TS_VALUE_TEXT, .help = "for lists and axes of figures"},
    {"help", TS_VALUE_TEXT, .help = "one line about it"},
};
#undef RESULT_KEY
static const ts_rule result_rules[] = {
    {TS_RULE_EXACTLY_ONE, {"final", "first", "min", "max", "mean", "integral", "time", "count", "value"}},
    {TS_RULE_NEEDS, {"value", "at"}},
    {TS_RULE_NEEDS, {"at", "value"}},
    {TS_RULE_AT_MOST_ONE, {"at", "from"}},
    {TS_RULE_AT_MOST_ONE, {"at", "to"}},
    {TS_RULE_AT_MOST_ONE, {"at", "last"}},
    {TS_RULE_AT_MOST_ONE, {"last", "from"}},
    {TS_RULE_AT_MOST_ONE, {"last", "to"}}};
static const ts_section result_section = {"a result", TS_KEYS(result_keys), TS_RULES(result_rules)};
static const ts_key result_row = {"NAME", TS_VALUE_MAP, .section = &result_section, .help = "a result"};
const ts_section ts_results_section = {"the results", .each = &result_row};

ts_status ts_scene_complete_results(ts_document_input *in, ts_node *root)
{
  ts_node *results = root->kind == TS_NODE_MAP ? ts_node_find(root, "results") : NULL;
  if (!results || results->kind != TS_NODE_MAP) return TS_OK;
  for (ts_node *entry = results->first; entry; entry = entry->next) TS_TRY(ts_node_wrap(in, results, &entry, "final"));
  return TS_OK;
}

// ---- reading -------------------------------------------------------------------------------------------------------

// An expression may be marked by '=', as where numbers stand.
static const char *expression_of(const ts_node *node, ts_place *place)
{
  const int marked = node->text[0] == '=';
  *place = ts_node_place_at(node, marked);
  return node->text + marked;
}

// A name may have commas and parentheses of its own.
static const char *in_quotes(ts_document_input *in, const char *name)
{
  const char quote = strchr(name, '\'') ? '"' : '\'';
  return ts_document_print(in, "%c%.200s%c", quote, name, quote);
}

// What `rest` and `contact` stand for, and what they are called unless the scene says otherwise.
static void write_condition(ts_document_input *in, const ts_node *node, ts_planned_stop *stop)
{
  const ts_node *rest = ts_node_get(node, "rest"), *contact = ts_node_get(node, "contact");
  const char *name;
  if (rest) {
    const char *bodies = in_quotes(in, rest->text);
    stop->place = rest->place;
    stop->def.when =
        ts_document_print(in, "bodies(%s).speed < %.17g and bodies(%s).spin < %.17g", bodies,
                          ts_node_number(node, "speed", 1e-3), bodies, ts_node_number(node, "angular_speed", 1e-2));
    name = ts_document_print(in, "rest of %.200s", rest->text);
  } else {
    const char *first = contact->first->text, *second = contact->last->text;
    stop->place = contact->place;
    stop->def.when = ts_document_print(in, "contacts(%s, %s).count > 0", in_quotes(in, first), in_quotes(in, second));
    name = ts_document_print(in, "contact of %.200s and %.200s", first, second);
  }
  if (!stop->def.name) stop->def.name = name;
}

static void read_stop(ts_document_input *in, const ts_node *node, ts_planned_stop *stop)
{
  stop->def.name = ts_node_word(node, "name", NULL);
  stop->def.duration = ts_node_number(node, "for", 0.0);
  stop->def.steps = ts_node_integer(node, "steps", 1);
  const ts_node *when = ts_node_get(node, "when");
  stop->is_text = when != NULL;
  if (when)
    stop->def.when = expression_of(when, &stop->place);
  else
    write_condition(in, node, stop);
}

static void read_result(const ts_node *node, ts_planned_result *result)
{
  ts_result_def *def = &result->def;
  def->name = node->key;
  for (int kind = 0; kind < TS_RESULT_COUNT_OF; ++kind) {
    const ts_node *expression = ts_node_get(node, ts_result_kind_name((ts_result_kind)kind));
    if (!expression) continue;
    def->kind = (ts_result_kind)kind;
    def->expression = expression_of(expression, &result->place);
  }
  const ts_node *when = ts_node_get(node, "when");
  if (when) def->when = expression_of(when, &result->when_place);
  if (ts_node_get(node, "from") || ts_node_get(node, "to")) {
    def->from = ts_node_number(node, "from", 0.0);
    def->to = ts_node_number(node, "to", INFINITY);
  }
  if (def->kind == TS_RESULT_VALUE) def->from = def->to = ts_node_number(node, "at", 0.0);
  def->last = ts_node_number(node, "last", 0.0);
  def->unit = ts_node_word(node, "unit", "");
  def->help = ts_node_word(node, "help", "");
}

ts_status ts_watch_plan_read(ts_document_input *in, const ts_node *root, ts_watch_plan *plan)
{
  const ts_node *stops = ts_node_get(root, "stop"), *results = ts_node_get(root, "results");
  *plan = (ts_watch_plan){0};
  if (stops) plan->stops = ts_document_take(in, ((size_t)stops->count + 1) * sizeof *plan->stops);
  for (const ts_node *node = stops ? stops->first : NULL; node; node = node->next)
    read_stop(in, node, &plan->stops[plan->stop_count++]);
  if (results) plan->results = ts_document_take(in, ((size_t)results->count + 1) * sizeof *plan->results);
  for (const ts_node *node = results ? results->first : NULL; node; node = node->next)
    read_result(node, &plan->results[plan->result_count++]);
  return TS_OK;
}

// ---- a watch -------------------------------------------------------------------------------------------------------

// What the watch says about an expression, at its place in the file.
static ts_status locate(ts_document_input *in, ts_place place, bool counts_columns, ts_status status)
{
  if (status == TS_OK) return TS_OK;
  if (counts_columns && in->error->column > 0) place = ts_place_within(place, in->error->column - 1);
  return ts_document_locate(in, place, status);
}

static ts_status fill(ts_document_input *in, const ts_watch_plan *plan, ts_watch *watch)
{
  const ts_parameter_set *set = in->parameters;
  for (int i = 0; set && i < set->count; ++i)
    TS_TRY(ts_document_locate(in, set->items[i].place,
                              ts_watch_add_parameter(watch, set->items[i].name, set->items[i].value, in->error)));
  for (int i = 0; i < plan->stop_count; ++i) {
    const ts_planned_stop *stop = &plan->stops[i];
    in->error->column = 0;
    TS_TRY(locate(in, stop->place, stop->is_text, ts_watch_add_stop(watch, &stop->def, in->error)));
  }
  for (int i = 0; i < plan->result_count; ++i) {
    const ts_planned_result *result = &plan->results[i];
    in->error->column = 0;
    in->error->line = 0;
    const ts_status status = ts_watch_add_result(watch, &result->def, in->error);
    TS_TRY(locate(in, in->error->line == 2 ? result->when_place : result->place, true, status));
  }
  return TS_OK;
}

ts_status ts_watch_plan_make(ts_document_input *in, const ts_watch_plan *plan, const ts_model *model, ts_watch **watch)
{
  TS_TRY(ts_watch_create(model, watch, in->error));
  const ts_status status = fill(in, plan, *watch);
  if (status == TS_OK) return TS_OK;
  ts_watch_destroy(*watch);
  *watch = NULL;
  return status;
}
