#include "study/study_keys.h"

#include "touchstone/study.h"

#include "schema/key_list.h"

#include "base/require.h"

static const ts_key vary_keys[] = {
    {"values", TS_VALUE_NUMBERS, .least = 1, .most = TS_ANY_NUMBER, .help = "one after another: an axis of the grid"},
    {"grid", TS_VALUE_NUMBERS, .least = 2, .most = 2, .help = "first and last of `count` values, evenly spaced: an axis"},
    {"count", TS_VALUE_INTEGER, .range = TS_RANGE_POSITIVE, .help = "of `grid`"},
    {"uniform", TS_VALUE_NUMBERS, .least = 2, .most = 2, .help = "random: least and largest value"},
    {"log_uniform", TS_VALUE_NUMBERS, .range = TS_RANGE_POSITIVE, .least = 2, .most = 2,
     .help = "random, evenly in the logarithm: least and largest value"},
    {"normal", TS_VALUE_NUMBERS, .least = 2, .most = 2, .help = "random: mean and standard deviation"},
    {"range", TS_VALUE_NUMBERS, .least = 2, .most = 2, .help = "of `normal`: what lies outside is not drawn"},
    {"triangular", TS_VALUE_NUMBERS, .least = 3, .most = 3,
     .help = "random: least value, most frequent one, largest value"},
    {"discrete", TS_VALUE_NUMBERS, .least = 1, .most = TS_ANY_NUMBER, .help = "random: one of these"},
    {"weights", TS_VALUE_NUMBERS, .range = TS_RANGE_NOT_NEGATIVE, .least = 1, .most = TS_ANY_NUMBER,
     .help = "of `discrete`: how often each is drawn, to any scale; left out: all alike"},
};
static const ts_rule vary_rules[] = {
    {TS_RULE_EXACTLY_ONE, {"values", "grid", "uniform", "log_uniform", "normal", "triangular", "discrete"}},
    {TS_RULE_NEEDS, {"grid", "count"}},
    {TS_RULE_NEEDS, {"count", "grid"}},
    {TS_RULE_NEEDS, {"range", "normal"}},
    {TS_RULE_NEEDS, {"weights", "discrete"}},
    {TS_RULE_SAME_LENGTH, {"discrete", "weights"}}};
static const ts_section variation_section = {"how a parameter varies", TS_KEYS(vary_keys), TS_RULES(vary_rules)};
static const ts_key variation_row = {"NAME", TS_VALUE_MAP, .section = &variation_section, .help = "a parameter"};
static const ts_section vary_section = {"the list of what varies", .each = &variation_row};

static const ts_key derived_row = {"NAME", TS_VALUE_TEXT, .above_zero = true, .help = "expression"};
static const ts_section derived_section = {"the list of what follows", .each = &derived_row};

static const ts_key limit_keys[] = {
    {"steps", TS_VALUE_INTEGER, .range = TS_RANGE_POSITIVE, .help = "of a trial; left out: to its end"},
    {"seconds", TS_VALUE_NUMBER, "s", .range = TS_RANGE_POSITIVE,
     .help = "of wall time for a trial; which trials it ends depends on the machine"},
};
static const ts_section limit_section = {"the map of limits", TS_KEYS(limit_keys)};

static const ts_key retry_keys[] = {
    {"step", TS_VALUE_NUMBER, .range = TS_RANGE_POSITIVE, .fallback = "1", .help = "factor on the size of steps"},
    {"set", TS_VALUE_TEXTS, .least = 1, .most = TS_ANY_NUMBER, .above_zero = true,
     .help = "options of the step, as `solver=lemke`"},
};
static const ts_rule retry_rules[] = {{TS_RULE_AT_LEAST_ONE, {"step", "set"}}};
static const ts_section retry_section = {"another attempt", TS_KEYS(retry_keys), TS_RULES(retry_rules)};

#define SAMPLING_NAME(enumerator, name, help) #name,
static const char *const samplings[] = {TS_SAMPLING_LIST(SAMPLING_NAME) NULL};
#undef SAMPLING_NAME

static const ts_key variations_keys[] = {
    {"vary", TS_VALUE_MAP, .section = &vary_section,
     .help = "parameters of the scene and how they vary; a list alone stands for `values`"},
    {"table", TS_VALUE_TEXT, .above_zero = true,
     .help = "CSV file, beside this one: columns are parameters, rows the points of an axis"},
    {"derived", TS_VALUE_MAP, .section = &derived_section,
     .help = "parameters, or further columns of the table, that follow from what varies"},
    {"sampling", TS_VALUE_CHOICE, .choices = samplings, .fallback = "random", .help = "how random parameters are drawn"},
    {"samples", TS_VALUE_INTEGER, .range = TS_RANGE_POSITIVE, .fallback = "1",
     .help = "draws of the random parameters at every point of the grid"},
    {"seed", TS_VALUE_INTEGER, .range = TS_RANGE_NOT_NEGATIVE, .fallback = "1",
     .help = "another one gives other random numbers"},
};
const ts_section ts_variations_section = {"what varies", "VARIATIONS", TS_KEYS(variations_keys)};

static const ts_key study_keys[] = {
    {"study", TS_VALUE_INTEGER, .range = TS_RANGE_ONE, .required = true, .help = "version of the format"},
    {"name", TS_VALUE_TEXT, .help = "for titles"},
    {"scene", TS_VALUE_TEXT, .required = true, .above_zero = true, .help = "scene file, beside this one"},
    {"set", TS_VALUE_TEXTS, .least = 1, .most = TS_ANY_NUMBER, .above_zero = true,
     .help = "values of the scene for all trials, as `--set` has them: `step.size=1e-4`"},
    {"results", TS_VALUE_TEXTS, .least = 1, .most = TS_ANY_NUMBER, .above_zero = true,
     .help = "results of the scene that are kept; left out: all"},
    {"limits", TS_VALUE_MAP, .section = &limit_section, .help = "what a trial may take"},
    {"retry", TS_VALUE_MAPS, .section = &retry_section, .most = 99,
     .help = "how a trial that failed, or has steps that are not certified, is tried again; one after another"},
};
const ts_section ts_study_section = {"a study", TS_KEYS(study_keys), .base = &ts_variations_section};

static const ts_section *const titled[] = {&ts_variations_section};
static const ts_key_list study_key_list = {&ts_study_section, titled, TS_COUNT_OF(titled)};

int ts_study_key_count(void)
{
  return ts_key_list_count(&study_key_list);
}

ts_scene_key ts_study_key_at(int i)
{
  TS_REQUIRE(i >= 0 && i < ts_study_key_count());
  return ts_key_list_at(&study_key_list, i);
}

static ts_status complete_entry(ts_document_input *in, ts_node *map, ts_node **entry)
{
  ts_node *list = *entry;
  if (list->kind == TS_NODE_MAP) return TS_OK;
  ts_node *values = ts_node_copy(in, list), *made = values ? ts_node_create(in, TS_NODE_MAP, list->place) : NULL;
  if (!made) return in->error->status;
  if (values->kind == TS_NODE_SCALAR) {
    ts_node *only = values;
    values = ts_node_create(in, TS_NODE_LIST, list->place);
    if (!values) return in->error->status;
    only->key = NULL;
    ts_node_append(values, only);
  }
  ts_node_replace(map, list, made);
  made->key_place = list->key_place;
  ts_node_set(made, "values", list->place, values);
  *entry = made;
  return TS_OK;
}

ts_status ts_variations_complete(ts_document_input *in, ts_node *map)
{
  ts_node *vary = map && map->kind == TS_NODE_MAP ? ts_node_find(map, "vary") : NULL;
  if (!vary || vary->kind != TS_NODE_MAP) return TS_OK;
  for (ts_node *entry = vary->first; entry; entry = entry->next) TS_TRY(complete_entry(in, vary, &entry));
  return TS_OK;
}
