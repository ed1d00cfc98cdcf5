#include "study/variation_read.h"

#include "document/values.h"
#include "schema/range.h"
#include "text/number_text.h"

#include <string.h>

static const double *numbers_of(ts_document_input *in, const ts_node *map, const char *key, int *count)
{
  const ts_node *list = ts_node_get(map, key);
  if (!list) return NULL;
  *count = list->count;
  return ts_node_numbers(in, list);
}

static void read_grid(ts_document_input *in, const ts_node *map, const double *ends, ts_variation *variation)
{
  const int count = ts_node_integer(map, "count", 1);
  double *values = ts_arena_doubles(&in->arena, (size_t)count);
  for (int i = 0; i < count; ++i) {
    const double share = count > 1 ? (double)i / (double)(count - 1) : 0.0;
    values[i] = i == count - 1 && count > 1 ? ends[1] : ends[0] + share * (ends[1] - ends[0]);
  }
  variation->kind = TS_VARY_VALUES;
  variation->values = values;
  variation->count = count;
}

static ts_status read_variation(ts_document_input *in, const ts_node *map, ts_variation *variation)
{
  int count = 0;
  const double *n;
  *variation = (ts_variation){.name = map->key};
  if ((n = numbers_of(in, map, "values", &count)) != NULL) {
    *variation = (ts_variation){.name = map->key, .kind = TS_VARY_VALUES, .values = n, .count = count};
  } else if ((n = numbers_of(in, map, "grid", &count)) != NULL) {
    if (ts_node_integer(map, "count", 1) > TS_MOST_TRIALS)
      return ts_document_fail(in, ts_node_get(map, "count")->place, "a grid may have %d points", TS_MOST_TRIALS);
    if (n[0] == n[1] && ts_node_integer(map, "count", 1) > 1)
      return ts_document_fail(in, ts_node_get(map, "grid")->place, "the range from %g to %g is empty", n[0], n[1]);
    read_grid(in, map, n, variation);
  } else if ((n = numbers_of(in, map, "uniform", &count)) != NULL) {
    variation->kind = TS_VARY_UNIFORM, variation->low = n[0], variation->high = n[1];
  } else if ((n = numbers_of(in, map, "log_uniform", &count)) != NULL) {
    variation->kind = TS_VARY_LOG_UNIFORM, variation->low = n[0], variation->high = n[1];
  } else if ((n = numbers_of(in, map, "triangular", &count)) != NULL) {
    variation->kind = TS_VARY_TRIANGULAR;
    variation->low = n[0], variation->mode = n[1], variation->high = n[2];
  } else if ((n = numbers_of(in, map, "discrete", &count)) != NULL) {
    variation->kind = TS_VARY_DISCRETE;
    variation->values = n, variation->count = count;
    variation->weights = numbers_of(in, map, "weights", &count);
  } else {
    n = numbers_of(in, map, "normal", &count);
    variation->kind = TS_VARY_NORMAL, variation->mean = n[0], variation->deviation = n[1];
    n = numbers_of(in, map, "range", &count);
    if (n && !(n[0] < n[1]))
      return ts_document_fail(in, ts_node_get(map, "range")->place, "the range from %g to %g is empty", n[0], n[1]);
    if (n) variation->low = n[0], variation->high = n[1];
  }
  return TS_OK;
}

// ---- ranges --------------------------------------------------------------------------------------------------------

static ts_status check_value(ts_document_input *in, ts_place place, const ts_scene_parameter *parameter, double value)
{
  char shown[TS_NUMBER_TEXT_SIZE];
  ts_number_text_brief(value, shown);
  if (ts_range_fit(&value, parameter->least, parameter->most)) return TS_OK;
  return ts_document_fail(in, place, "the parameter '%s' would be %s, outside its range from %g to %g",
                          parameter->name, shown, parameter->least, parameter->most);
}

static ts_status check_table_column(ts_document_input *in, const ts_parameter_table *table, int column,
                                    const ts_scene_parameter *parameter)
{
  for (int row = 0; row < table->rows; ++row)
    TS_TRY(check_value(in, ts_parameter_table_place(table, column, row), parameter, table->values[column][row]));
  return TS_OK;
}

// A list of values, ends or bounds below a key. What has no weight is not drawn.
static ts_status check_numbers(ts_document_input *in, const ts_node *map, const char *key,
                               const ts_scene_parameter *parameter)
{
  const ts_node *list = ts_node_get(map, key), *weights = ts_node_get(map, "weights");
  const ts_node *weight = weights ? weights->first : NULL;
  for (const ts_node *item = list ? list->first : NULL; item; item = item->next) {
    if (!weight || weight->number > 0.0) TS_TRY(check_value(in, item->place, parameter, item->number));
    weight = weight ? weight->next : NULL;
  }
  return TS_OK;
}

ts_status ts_variation_check_range(ts_document_input *in, const ts_variation_list *list, int i,
                                   const ts_scene_parameter *parameter)
{
  static const char *const keys[] = {"values", "grid", "uniform", "log_uniform", "triangular", "discrete", "range"};
  const ts_node *map = list->nodes[i];
  if (!map) return check_table_column(in, &list->table, i, parameter);
  for (size_t k = 0; map->kind == TS_NODE_MAP && k < sizeof keys / sizeof *keys; ++k)
    TS_TRY(check_numbers(in, map, keys[k], parameter));
  return TS_OK;
}

// ---- reading -------------------------------------------------------------------------------------------------------

static void add_table(ts_variation_list *list)
{
  for (int c = 0; c < list->table.columns; ++c)
    list->items[list->count++] = (ts_variation){
        .name = list->table.names[c], .axis = 1, .values = list->table.values[c], .count = list->table.rows};
}

static void add_derived(const ts_node *text, ts_variation_list *list)
{
  list->nodes[list->count] = text;
  list->items[list->count++] = (ts_variation){
      .name = text->key, .kind = TS_VARY_EXPRESSION, .expression = text->text + (text->text[0] == '=')};
}

ts_status ts_variations_read(ts_document_input *in, const ts_node *map, ts_variation_list *list)
{
  const ts_node *vary = ts_node_get(map, "vary"), *derived = ts_node_get(map, "derived");
  const ts_node *table = ts_node_get(map, "table");
  *list = (ts_variation_list){0};
  if (table) TS_TRY(ts_parameter_table_read(in, table, &list->table));
  const size_t most = (size_t)(list->table.columns + (vary ? vary->count : 0) + (derived ? derived->count : 0)) + 1;
  list->items = ts_arena_bytes(&in->arena, most, sizeof *list->items);
  list->nodes = memset(ts_arena_bytes(&in->arena, most, sizeof *list->nodes), 0, most * sizeof *list->nodes);
  add_table(list);
  for (const ts_node *entry = vary ? vary->first : NULL; entry; entry = entry->next) {
    list->nodes[list->count] = entry;
    TS_TRY(read_variation(in, entry, &list->items[list->count]));
    ++list->count;
  }
  for (const ts_node *text = derived ? derived->first : NULL; text; text = text->next) add_derived(text, list);
  return TS_OK;
}

void ts_variations_read_sampling(const ts_node *map, ts_study_def *def)
{
  def->sampling = (ts_sampling)ts_node_choice(map, "sampling", TS_SAMPLING_RANDOM);
  def->samples = (uint64_t)ts_node_number(map, "samples", 1.0);
  def->seed = (uint64_t)ts_node_number(map, "seed", 1.0);
}

ts_place ts_variation_place(const ts_variation_list *list, int i)
{
  if (list->nodes[i]) return list->nodes[i]->key_place;
  return list->table.name_places[i];
}

// What is about the whole is about how much is drawn.
static ts_place place_of_whole(const ts_node *map)
{
  const ts_node *samples = ts_node_get(map, "samples"), *sampling = ts_node_get(map, "sampling");
  return sampling ? sampling->place : samples ? samples->place : map->place;
}

ts_status ts_variations_locate(ts_document_input *in, const ts_node *map, const ts_variation_list *list, int column,
                               ts_status status)
{
  if (status == TS_OK) return TS_OK;
  if (column < 0) return ts_document_locate(in, place_of_whole(map), status);
  const ts_node *node = list->nodes[column];
  ts_place place = ts_variation_place(list, column);
  if (node && node->kind == TS_NODE_SCALAR && in->error->column > 0) // within an expression
    place = ts_node_place_at(node, in->error->column - 1 + (node->text[0] == '='));
  return ts_document_locate(in, place, status);
}
