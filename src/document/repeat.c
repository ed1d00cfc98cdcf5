#include "document/repeat.h"

#include "document/parameter_set.h"
#include "document/validate.h"
#include "document/values.h"
#include "text/number_text.h"

#include <ctype.h>
#include <math.h>
#include <stdio.h>
#include <string.h>

enum {
  MOST_TIMES = 1000000, // of one repeat
  MOST_ROUNDS = 1000000 // of all repeats of a document, entries that are passed over included
};

static const ts_key let_row = {"NAME", TS_VALUE_NUMBER, .help = "a variable, from those before it"};
static const ts_section let_section = {"the variables of a repeat", .each = &let_row};
static const ts_key repeat_keys[] = {
    {"count", TS_VALUE_INTEGER, .range = TS_RANGE_NOT_NEGATIVE, .required = true, .help = "how many"},
    {"as", TS_VALUE_TEXT, .above_zero = true, .fallback = "i", .help = "name of the variable that counts them"},
    {"from", TS_VALUE_INTEGER, .fallback = "0", .help = "its first value"},
    {"let", TS_VALUE_MAP, .section = &let_section, .help = "more variables by name, from it and from those before"},
    {"when", TS_VALUE_NUMBER, .fallback = "1", .help = "where it is 0, or a comparison that fails, there is no entry"},
};
const ts_section ts_repeat_section = {"a repeat", "REPEAT", TS_KEYS(repeat_keys)};

static ts_status expand_children(ts_document_input *in, ts_node *node, int *rounds);

// ---- texts ---------------------------------------------------------------------------------------------------------

// The expression behind a $: in parentheses, or a single name. Returns its length with these, 0: there is none.
static size_t template_length(const char *text)
{
  size_t n = 0;
  if (text[0] != '(') {
    while (isalnum((unsigned char)text[n]) || text[n] == '_') ++n;
    return n;
  }
  for (int open = 0; text[n]; ++n) {
    open += (text[n] == '(') - (text[n] == ')');
    if (open == 0) return n + 1;
  }
  return 0;
}

static ts_status evaluate_template(ts_document_input *in, const ts_node *node, const char *text, size_t length,
                                   double *value)
{
  ts_formula formula;
  const ts_place place = ts_node_place_at(node, (int)(text - node->text));
  TS_TRY(ts_formula_compile(in, ts_document_copy_text(in, text, length), place, node->scope, &formula));
  ts_formula_shapes(in, &formula);
  TS_TRY(ts_formula_evaluate(in, &formula, value));
  if (ts_range_fit_whole(value) && fabs(*value) < 1e15) return TS_OK;
  char found[TS_NUMBER_TEXT_SIZE];
  ts_number_text_brief(*value, found);
  return ts_document_fail(in, place, "a name can have a whole number in it, and this is %s", found);
}

static ts_status expand_text(ts_document_input *in, ts_node *node)
{
  char text[512];
  size_t used = 0;
  if (!strchr(node->text, '$')) return TS_OK;
  for (const char *c = node->text; *c;) {
    char piece[32] = {*c, '\0'};
    size_t length = 1;
    if (*c == '$' && c[1] != '$') {
      double value;
      length = template_length(c + 1);
      if (length == 0)
        return ts_document_fail(in, node->place,
                                "'$' must be followed by a name or by '(EXPRESSION)'; '$$' stands for $");
      TS_TRY(evaluate_template(in, node, c + 1, length, &value));
      snprintf(piece, sizeof piece, "%.0f", value);
      ++length;
    } else if (*c == '$') {
      length = 2;
    }
    if (used + strlen(piece) >= sizeof text)
      return ts_document_fail(in, node->place, "a text with '$' in it may have %zu characters", sizeof text - 1);
    memcpy(text + used, piece, strlen(piece));
    used += strlen(piece);
    c += length;
  }
  node->text = ts_document_copy_text(in, text, used);
  return TS_OK;
}

// Give a copy its scope; texts are put in at once, numbers when they are asked for. Entries that are repeated in turn
// have variables of their own, and wait.
static ts_status bind(ts_document_input *in, ts_node *node, const ts_variable_scope *scope)
{
  node->scope = scope;
  if (node->kind == TS_NODE_MAP && ts_node_find(node, "repeat")) return TS_OK;
  if (node->kind == TS_NODE_SCALAR) return expand_text(in, node);
  for (ts_node *child = node->first; child; child = child->next) TS_TRY(bind(in, child, scope));
  return TS_OK;
}

// ---- one entry -----------------------------------------------------------------------------------------------------

// What is repeated, and the nodes that say how often.
typedef struct repetition {
  const ts_node *entry; // without `repeat`
  ts_node *levels[4];   // outermost first
  int level_count;
  ts_node *list;   // or map that the entries go to
  const char *key; // of an entry of a map, with '$' in it; NULL: of a list
  ts_place key_place;
  int *rounds;
} repetition;

static ts_status evaluate_shaping(ts_document_input *in, const ts_node *node, const ts_variable_scope *scope,
                                  double *value)
{
  ts_formula formula;
  ts_node scoped = *node;
  scoped.scope = scope;
  if (!ts_node_is_formula(node)) {
    *value = node->number;
    return TS_OK;
  }
  const ts_document_mark mark = ts_document_save(in); // rounds may be many
  TS_TRY(ts_formula_read(in, &scoped, &formula));
  ts_formula_shapes(in, &formula);
  TS_TRY(ts_formula_evaluate(in, &formula, value));
  ts_document_restore(in, &mark);
  return TS_OK;
}

// A whole number below a key, which may depend on the variables around.
static ts_status read_whole(ts_document_input *in, ts_node *level, const char *key, const ts_variable_scope *scope,
                            double *value)
{
  ts_node *node = ts_node_find(level, key);
  if (!node) return TS_OK;
  const ts_key *row = NULL;
  for (int i = 0; i < TS_COUNT_OF(repeat_keys); ++i)
    if (strcmp(repeat_keys[i].name, key) == 0) row = &repeat_keys[i];
  TS_TRY(evaluate_shaping(in, node, scope, value));
  const bool whole = ts_node_is_formula(node) ? ts_range_fit_whole(value) : *value == floor(*value);
  if (whole && fabs(*value) <= MOST_TIMES && ts_range_holds(row->range, *value)) return TS_OK;
  char found[TS_NUMBER_TEXT_SIZE];
  ts_number_text_brief(*value, found);
  return ts_document_fail(in, node->place, "'%s' must be a whole number%s up to %d, not %s", key,
                          row->range == TS_RANGE_NOT_NEGATIVE ? " from 0" : "", MOST_TIMES, found);
}

// The key of an entry of a map, with its numbers.
static ts_status expand_key(ts_document_input *in, const repetition *all, const ts_variable_scope *scope, ts_node *copy)
{
  ts_node key = {.text = all->key, .place = all->key_place, .scope = scope};
  TS_TRY(expand_text(in, &key));
  if (ts_node_find(all->list, key.text))
    return ts_document_fail(in, all->key_place, "the key '%.60s' is given twice", key.text);
  if (all->list->count >= TS_DOCUMENT_KEYS)
    return ts_document_fail(in, all->key_place, "a map has more than %d keys", TS_DOCUMENT_KEYS);
  copy->key = key.text;
  copy->key_place = all->key_place;
  return TS_OK;
}

static ts_status add_entry(ts_document_input *in, const repetition *all, const ts_variable_scope *scope)
{
  ts_node *copy = ts_node_copy(in, all->entry);
  if (!copy) return in->error->status;
  TS_TRY(bind(in, copy, scope));
  TS_TRY(expand_children(in, copy, all->rounds));
  if (all->key) TS_TRY(expand_key(in, all, scope, copy));
  ts_node_append(all->list, copy);
  return TS_OK;
}

// The name of the variable that counts.
static const char *counter_of(const ts_node *map)
{
  const ts_node *as = ts_node_find(map, "as");
  return as ? as->text : "i";
}

// The variables of one round: the one that counts, and those of `let` in their order.
static ts_status set_variables(ts_document_input *in, const ts_node *let, ts_variable_scope *scope, double count)
{
  scope->variables[0].value = count;
  scope->count = 1;
  for (const ts_node *item = let ? let->first : NULL; item; item = item->next) {
    ts_variable *variable = &scope->variables[scope->count];
    TS_TRY(evaluate_shaping(in, item, scope, &variable->value));
    variable->name = item->key;
    ++scope->count;
  }
  return TS_OK;
}

static ts_status repeat_level(ts_document_input *in, const repetition *all, int level, const ts_variable_scope *outer)
{
  if (level == all->level_count) return add_entry(in, all, outer);
  ts_node *map = all->levels[level];
  const ts_node *let = ts_node_find(map, "let"), *when = ts_node_find(map, "when");
  double count = 0.0, from = 0.0;
  TS_TRY(read_whole(in, map, "count", outer, &count));
  TS_TRY(read_whole(in, map, "from", outer, &from));
  for (double k = 0.0; k < count; k += 1.0) {
    const ts_document_mark mark = ts_document_save(in);
    ts_variable_scope *scope = ts_document_take(in, sizeof *scope);
    double holds = 1.0;
    if (++*all->rounds > MOST_ROUNDS)
      return ts_document_fail(in, map->place, "all repeats together go round more than %d times", MOST_ROUNDS);
    scope->outer = outer;
    scope->variables = ts_document_take(in, (size_t)(1 + (let ? let->count : 0)) * sizeof *scope->variables);
    scope->variables[0].name = counter_of(map);
    TS_TRY(set_variables(in, let, scope, from + k));
    if (when) TS_TRY(evaluate_shaping(in, when, scope, &holds));
    if (holds != 0.0)
      TS_TRY(repeat_level(in, all, level + 1, scope));
    else
      ts_document_restore(in, &mark);
  }
  return TS_OK;
}

// ---- lists ---------------------------------------------------------------------------------------------------------

// `repeat` held against its keys. Formulas in it are left for later: they depend on variables.
static ts_status check_level(ts_document_input *in, ts_node *map, repetition *all)
{
  if (all->level_count == TS_COUNT_OF(all->levels))
    return ts_document_fail(in, map->place, "repeats are nested more than %d deep", TS_COUNT_OF(all->levels));
  all->levels[all->level_count++] = map;
  TS_TRY(ts_document_validate_form(in, map, &ts_repeat_section));
  const ts_node *as = ts_node_find(map, "as"), *let = ts_node_find(map, "let");
  if (as && !ts_variable_name_is_good(in, "variable", as->text, as->place)) return TS_INVALID;
  for (const ts_node *item = let ? let->first : NULL; item; item = item->next) {
    if (!ts_variable_name_is_good(in, "variable", item->key, item->key_place)) return TS_INVALID;
    if (strcmp(item->key, counter_of(map)) == 0)
      return ts_document_fail(in, item->key_place, "'%s' counts the entries, so that 'let' needs another name",
                              item->key);
  }
  return TS_OK;
}

static ts_status collect_levels(ts_document_input *in, ts_node *repeat, repetition *all)
{
  if (repeat->kind != TS_NODE_LIST) return check_level(in, repeat, all);
  for (ts_node *map = repeat->first; map; map = map->next) TS_TRY(check_level(in, map, all));
  return TS_OK;
}

// The entry as it is repeated: what stands below `each`, or the map without `repeat`.
static ts_status take_out_repeat(ts_document_input *in, ts_node *entry, const ts_node *repeat, repetition *all)
{
  ts_node *each = ts_node_find(entry, "each");
  ts_node_remove(entry, repeat);
  all->entry = each ? each : entry;
  if (!each || entry->count == 1) return TS_OK;
  const ts_node *other = entry->first == each ? each->next : entry->first;
  return ts_document_fail(in, other->key_place, "beside 'repeat' and 'each' there is nothing else, as '%.60s'",
                          other->key);
}

// In a map, an entry is repeated if its key can differ.
static ts_status expand_entry(ts_document_input *in, ts_node *parent, ts_node *entry, int *rounds)
{
  const bool named = parent->kind == TS_NODE_MAP, may_repeat = !named || strchr(entry->key, '$');
  ts_node *repeat = may_repeat && entry->kind == TS_NODE_MAP ? ts_node_find(entry, "repeat") : NULL;
  repetition all = {.list = parent, .key = named ? entry->key : NULL, .key_place = entry->key_place, .rounds = rounds};
  if (!repeat) {
    TS_TRY(expand_children(in, entry, rounds));
    ts_node_append(parent, entry);
    return TS_OK;
  }
  const ts_variable_scope *outer = entry->scope;
  TS_TRY(collect_levels(in, repeat, &all));
  TS_TRY(take_out_repeat(in, entry, repeat, &all));
  return repeat_level(in, &all, 0, outer);
}

// Nesting is bounded, so recursion is: an entry is no deeper for being repeated.
static ts_status expand_children(ts_document_input *in, ts_node *node, int *rounds)
{
  ts_node *child = node->first;
  node->first = node->last = NULL;
  node->count = 0;
  for (ts_node *next; child; child = next) {
    next = child->next;
    TS_TRY(expand_entry(in, node, child, rounds));
  }
  return TS_OK;
}

ts_status ts_document_expand(ts_document_input *in, ts_node *root)
{
  int rounds = 0;
  return expand_children(in, root, &rounds);
}
