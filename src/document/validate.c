#include "document/validate.h"

#include "document/common_keys.h"
#include "document/foreign.h"

#include "schema/field.h"
#include "text/number_text.h"
#include "text/word_list.h"

#include "touchstone/suggest.h"

#include <math.h>
#include <stdio.h>
#include <string.h>

enum { TYPE_SIZE = 256, FOUND_SIZE = 64, LIST_SIZE = 320 };

typedef struct validation {
  ts_document_input *in;
  ts_space space;
  int dimensions;
  bool form_only;        // expressions are not evaluated
  int depth;             // of maps
  const ts_key *path[2]; // that lead to the present value
  const ts_node *before; // entry before the present one, or NULL
} validation;

// ---- scalars -------------------------------------------------------------------------------------------------------

static bool holds_numbers(ts_value_type type)
{
  return type == TS_VALUE_NUMBER || type == TS_VALUE_INTEGER || type == TS_VALUE_NUMBERS || type == TS_VALUE_VECTOR ||
         type == TS_VALUE_VECTORS || type == TS_VALUE_SIGNAL || type == TS_VALUE_SIGNALS || type == TS_VALUE_SUMMANDS;
}

static ts_status refuse_type(validation *v, const ts_node *node, const ts_key *key)
{
  char found[FOUND_SIZE];
  const char *what = ts_node_describe(node, found, sizeof found);
  ts_document_locate(v->in, node->place, ts_key_refuse(key, v->dimensions, what, v->in->error));
  if (holds_numbers(key->type)) ts_formula_hint(v->in, node);
  return TS_INVALID;
}

static bool reads_parameters(const ts_formula *formula)
{
  for (int i = 0; i < formula->input_count; ++i)
    if (formula->inputs[i].parameter >= 0) return true;
  return false;
}

// The value of an expression, without what rounding has left of a whole number or beyond the end of a range.
static ts_status evaluate_formula(ts_document_input *in, const ts_formula *formula, const ts_key *key, double *value)
{
  TS_TRY(ts_formula_evaluate(in, formula, value));
  if (key->type == TS_VALUE_INTEGER) ts_range_fit_whole(value);
  *value = ts_range_settle(key->range, *value);
  return TS_OK;
}

// What parameters change is remembered.
static ts_status evaluate(validation *v, ts_node *node, const ts_key *key)
{
  ts_formula formula;
  TS_TRY(ts_formula_read(v->in, node, &formula));
  TS_TRY(evaluate_formula(v->in, &formula, key, &node->number));
  node->is_number = node->plain = true;
  if (!reads_parameters(&formula)) return TS_OK;
  ts_live_number *live = ts_document_take(v->in, sizeof *live);
  *live = (ts_live_number){v->in->live, node, key, {v->path[0], v->path[1]}, formula};
  v->in->live = live;
  return TS_OK;
}

static ts_status check_number(validation *v, ts_node *node, const ts_key *key)
{
  if (ts_node_is_formula(node) && !node->is_number) {
    if (v->form_only) return TS_OK;
    TS_TRY(evaluate(v, node, key));
  }
  if (node->kind != TS_NODE_SCALAR || !node->plain) return refuse_type(v, node, key);
  if (!node->is_number && !ts_text_is_number(node->text, &node->number)) return refuse_type(v, node, key);
  node->is_number = true;
  const ts_status status = ts_key_check_number(key, node->number, v->in->error);
  if (status != TS_OK) ts_decimal_comma_hint(v->in, node);
  return ts_document_locate(v->in, node->place, status);
}

static ts_status refuse_fraction(ts_document_input *in, const ts_node *node, const ts_key *key)
{
  char found[TS_NUMBER_TEXT_SIZE];
  ts_number_text_brief(node->number, found);
  return ts_document_fail(in, node->place, "'%s' must be a whole number, and this is %s", key->name, found);
}

static ts_status check_integer(validation *v, ts_node *node, const ts_key *key)
{
  if (ts_node_is_formula(node) && !node->is_number) {
    if (v->form_only) return TS_OK;
    TS_TRY(evaluate(v, node, key));
    if (floor(node->number) != node->number) return refuse_fraction(v->in, node, key);
  }
  const bool whole = node->kind == TS_NODE_SCALAR && node->plain &&
                     (node->is_number || ts_text_is_number(node->text, &node->number)) &&
                     floor(node->number) == node->number;
  if (!whole) return refuse_type(v, node, key);
  node->is_number = true;
  return ts_document_locate(v->in, node->place, ts_key_check_integer(key, node->number, v->in->error));
}

static ts_status check_boolean(validation *v, const ts_node *node, const ts_key *key)
{
  const bool fits = node->plain && (strcmp(node->text, "true") == 0 || strcmp(node->text, "false") == 0);
  return fits ? TS_OK : refuse_type(v, node, key);
}

static ts_status check_text(validation *v, ts_node *node, const ts_key *key)
{
  if (node->kind != TS_NODE_SCALAR || ts_node_is_null(node)) return refuse_type(v, node, key);
  if (key->above_zero && node->text[0] == '\0')
    return ts_document_fail(v->in, node->place, "'%s' must not be empty", key->name);
  return TS_OK;
}

static ts_status check_choice(validation *v, const ts_node *node, const ts_key *key)
{
  if (ts_node_is_null(node)) return refuse_type(v, node, key);
  if (ts_key_word(key, node->text) >= 0 || (key->find && key->find(v->in->extensions, node->text))) return TS_OK;
  const char *meant = ts_foreign_choice(node->text, key);
  return ts_document_locate(v->in, node->place, ts_key_refuse_word(key, node->text, meant, v->in->error));
}

// ---- lists ---------------------------------------------------------------------------------------------------------

static ts_status check_map(validation *v, ts_node *node, const ts_section *section);
static ts_status check_signal(validation *v, ts_node *node, const ts_key *key);

static ts_status check_count(validation *v, const ts_node *node, const ts_key *key, int least, int most)
{
  if (node->kind != TS_NODE_LIST) return refuse_type(v, node, key);
  if (node->count >= least && node->count <= most) return TS_OK;
  const char *bound = least == most ? "" : node->count < least ? "at least " : "at most ";
  const int limit = node->count < least ? least : most;
  ts_document_fail(v->in, node->place, "'%s' must have %s%d %s, not %d", key->name, bound, limit,
                   limit == 1 ? "entry" : "entries", node->count);
  ts_cut_items_hint(v->in, node);
  return TS_INVALID;
}

static ts_status check_each(validation *v, ts_node *list, const ts_key *key,
                            ts_status (*check)(validation *v, ts_node *node, const ts_key *key))
{
  for (ts_node *item = list->first; item; item = item->next) TS_TRY(check(v, item, key));
  return TS_OK;
}

static bool all_zero(const ts_node *list)
{
  for (const ts_node *item = list->first; item; item = item->next)
    if (item->number != 0.0) return false;
  return true;
}

static ts_status check_numbers(validation *v, ts_node *node, const ts_key *key, int least, int most)
{
  TS_TRY(check_count(v, node, key, least, most));
  TS_TRY(check_each(v, node, key, check_number));
  if (key->above_zero && all_zero(node))
    return ts_document_fail(v->in, node->place, "'%s' must not be zero", key->name);
  return TS_OK;
}

// In the plane a third component is accepted when it is zero; sizes, which must be positive, have none.
static ts_status check_vector(validation *v, ts_node *node, const ts_key *key)
{
  double z;
  const bool flat = v->dimensions == 2 && node->kind == TS_NODE_LIST && node->count == 3 &&
                    key->range == TS_RANGE_ANY && node->last->kind == TS_NODE_SCALAR &&
                    ts_text_is_number(node->last->text, &z) && z == 0.0;
  return check_numbers(v, node, key, v->dimensions, flat ? 3 : v->dimensions);
}

static ts_status check_item_map(validation *v, ts_node *node, const ts_key *key)
{
  char found[FOUND_SIZE];
  if (node->kind != TS_NODE_MAP)
    return ts_document_fail(v->in, node->place, "an entry of '%s' must be a map, not %s", key->name,
                            ts_node_describe(node, found, sizeof found));
  node->row = key;
  return check_map(v, node, key->section);
}

static ts_status check_list(validation *v, ts_node *node, const ts_key *key,
                            ts_status (*check)(validation *v, ts_node *node, const ts_key *key))
{
  TS_TRY(check_count(v, node, key, key->least, key->most));
  return check_each(v, node, key, check);
}

// ---- maps ----------------------------------------------------------------------------------------------------------

static ts_status check_signal(validation *v, ts_node *node, const ts_key *key)
{
  if (node->kind == TS_NODE_MAP) return check_map(v, node, &ts_signal_section);
  if (node->kind == TS_NODE_SCALAR) return check_number(v, node, key);
  return refuse_type(v, node, key);
}

static ts_status check_form(validation *v, ts_node *node, const ts_key *key)
{
  switch (key->type) {
  case TS_VALUE_NUMBER:
    return check_number(v, node, key);
  case TS_VALUE_INTEGER:
    return check_integer(v, node, key);
  case TS_VALUE_BOOLEAN:
    return check_boolean(v, node, key);
  case TS_VALUE_CHOICE:
    return check_choice(v, node, key);
  case TS_VALUE_TEXT:
  case TS_VALUE_BODY:
  case TS_VALUE_MATERIAL:
    return check_text(v, node, key);
  case TS_VALUE_VECTOR:
    return check_vector(v, node, key);
  case TS_VALUE_NUMBERS:
    return check_numbers(v, node, key, key->least, key->most);
  case TS_VALUE_VECTORS:
    return check_list(v, node, key, check_vector);
  case TS_VALUE_TEXTS:
  case TS_VALUE_BODIES:
  case TS_VALUE_MATERIALS:
    return check_list(v, node, key, check_text);
  case TS_VALUE_SIGNAL:
    return check_signal(v, node, key);
  case TS_VALUE_SIGNALS:
    TS_TRY(check_count(v, node, key, v->dimensions, v->dimensions));
    return check_each(v, node, key, check_signal);
  case TS_VALUE_SUMMANDS:
    return check_list(v, node, key, check_signal);
  case TS_VALUE_MAP:
    return check_map(v, node, key->section);
  case TS_VALUE_MAPS:
    return check_list(v, node, key, check_item_map);
  }
  return TS_OK;
}

static ts_status check_value(validation *v, ts_node *node, const ts_key *key)
{
  const int level = v->depth - 1;
  node->row = key;
  if (level < 2) v->path[level] = key;
  const ts_status status = check_form(v, node, key);
  if (level < 2) v->path[level] = NULL;
  return status;
}

// Could a value of this form be meant for the row? Tells two rows of a name apart.
static bool suits(const ts_node *node, const ts_key *key)
{
  switch (key->type) {
  case TS_VALUE_NUMBER:
  case TS_VALUE_INTEGER:
  case TS_VALUE_BOOLEAN:
  case TS_VALUE_CHOICE:
  case TS_VALUE_TEXT:
  case TS_VALUE_BODY:
  case TS_VALUE_MATERIAL:
    return node->kind == TS_NODE_SCALAR;
  case TS_VALUE_SIGNAL:
    return node->kind != TS_NODE_LIST;
  case TS_VALUE_MAP:
    return node->kind == TS_NODE_MAP;
  default:
    return node->kind == TS_NODE_LIST;
  }
}

typedef struct key_search {
  const ts_section *section;
  ts_space space;
} key_search;

static const char *key_name(int i, const void *search)
{
  const key_search *in = search;
  const ts_key *key = ts_section_key_at(in->section, i);
  return ts_key_is_in(key, in->space) ? key->name : "";
}

// "a, b, c": the keys of the section in this space, each once.
static void list_keys(const validation *v, const ts_section *section, char *text, size_t size)
{
  const char *last = "";
  text[0] = '\0';
  for (int i = 0; i < ts_section_key_count(section); ++i) {
    const ts_key *key = ts_section_key_at(section, i);
    if (!ts_key_is_in(key, v->space) || strcmp(key->name, last) == 0) continue; // two forms of a key are neighbours
    ts_word_list_extend(text, size, key->name);
    last = key->name;
  }
}

// A key without a value on the line of an unquoted text: the rest of that text behind a comma.
static bool follows_comma(const validation *v, const ts_node *node)
{
  const ts_node *before = v->before;
  return before && before->kind == TS_NODE_SCALAR && before->plain && node->kind == TS_NODE_SCALAR && node->plain &&
         node->text[0] == '\0' && before->place.line > 0 && before->place.line == node->key_place.line &&
         before->place.file == node->key_place.file;
}

// What stands behind a comma is no key.
static ts_status refuse_piece(validation *v, const ts_node *node)
{
  return ts_document_fail(v->in, node->key_place, "'%.60s' is no key; %s", node->key,
                          ts_comma_cut_number(v->before) ? ts_decimal_hint : ts_cut_text_hint);
}

static ts_status refuse_key(validation *v, const ts_node *node, const ts_section *section, bool elsewhere)
{
  const key_search search = {section, v->space};
  const ts_foreign_word *foreign = ts_foreign_key(node->key, section, v->space);
  const char *nearest = foreign ? foreign->ours : NULL;
  char keys[LIST_SIZE], remark[TYPE_SIZE] = "";
  if (ts_text_was_cut(node->key) || follows_comma(v, node)) return refuse_piece(v, node);
  list_keys(v, section, keys, sizeof keys);
  if (!foreign && !elsewhere) nearest = ts_suggest(node->key, ts_section_key_count(section), key_name, &search);
  if (foreign && foreign->how)
    snprintf(remark, sizeof remark, "; %s%s", foreign->how[0] == '\'' ? "write " : "", foreign->how);
  else if (nearest && *nearest)
    snprintf(remark, sizeof remark, "; did you mean '%s'?", nearest);
  if (elsewhere)
    return ts_document_fail(v->in, node->key_place, "'%s' does not exist in %s scenes%s", node->key,
                            ts_space_name(v->space), remark);
  return ts_document_fail(v->in, node->key_place, "%s has no key '%.60s'%s%s%s%s", section->what, node->key, remark,
                          *keys ? " (keys: " : "", keys, *keys ? ")" : "");
}

// No row suits: what each of them wants.
static ts_status refuse_form(validation *v, const ts_node *node, const ts_key *first, const ts_key *second)
{
  if (!second) return refuse_type(v, node, first);
  char wanted[TYPE_SIZE], instead[TYPE_SIZE], found[FOUND_SIZE];
  ts_key_type_text(first, v->dimensions, wanted, sizeof wanted);
  ts_key_type_text(second, v->dimensions, instead, sizeof instead);
  return ts_document_fail(v->in, node->place, "'%s' must be %s, or %s, not %s", first->name, wanted, instead,
                          ts_node_describe(node, found, sizeof found));
}

// A key that is a name; which names there are is its reader's to say.
static ts_status check_named_entry(validation *v, ts_node *node, const ts_key *each)
{
  ts_key named = *each;
  if (ts_text_was_cut(node->key)) return refuse_piece(v, node);
  named.name = node->key;
  return suits(node, each) ? check_value(v, node, each) : refuse_type(v, node, &named);
}

static ts_status check_entry(validation *v, ts_node *node, const ts_section *section)
{
  if (section->each) return check_named_entry(v, node, section->each);
  const ts_key *first = NULL, *second = NULL;
  bool elsewhere = false;
  for (int i = 0; i < ts_section_key_count(section); ++i) {
    const ts_key *key = ts_section_key_at(section, i);
    if (strcmp(key->name, node->key) != 0) continue;
    if (!ts_key_is_in(key, v->space)) {
      elsewhere = true;
      continue;
    }
    if (suits(node, key)) return check_value(v, node, key);
    *(first ? &second : &first) = key;
  }
  return first ? refuse_form(v, node, first, second) : refuse_key(v, node, section, elsewhere);
}

static ts_status check_required(validation *v, const ts_node *map, const ts_section *section)
{
  for (int i = 0; i < ts_section_key_count(section); ++i) {
    const ts_key *key = ts_section_key_at(section, i);
    if (key->required && ts_key_is_in(key, v->space) && !ts_node_find(map, key->name))
      return ts_document_fail(v->in, map->place, "%s needs '%s'", section->what, key->name);
  }
  return TS_OK;
}

static bool exists_in(const ts_section *section, const char *name, ts_space space)
{
  for (int i = 0; i < ts_section_key_count(section); ++i) {
    const ts_key *key = ts_section_key_at(section, i);
    if (strcmp(key->name, name) == 0 && ts_key_is_in(key, space)) return true;
  }
  return false;
}

// "a, b or c" of the keys that exist in this space.
static void join_keys(const validation *v, const ts_section *section, const ts_rule *rule, char *text, size_t size)
{
  int total = 0, done = 0, used = 0;
  const char *key;
  for (int i = 0; (key = ts_rule_key(section, rule, i)) != NULL; ++i) total += exists_in(section, key, v->space);
  for (int i = 0; (key = ts_rule_key(section, rule, i)) != NULL && (size_t)used < size; ++i) {
    if (!exists_in(section, key, v->space)) continue;
    const char *joint = done == 0 ? "" : done == total - 1 ? " or " : ", ";
    used += snprintf(text + used, size - (size_t)used, "%s'%s'", joint, key);
    ++done;
  }
}

// `owner` is the section that has the rule: that of the map, or one it extends.
static ts_status check_choice_of_keys(validation *v, const ts_node *map, const ts_section *section,
                                      const ts_section *owner, const ts_rule *rule)
{
  const ts_node *present = NULL;
  const char *key;
  for (int i = 0; (key = ts_rule_key(owner, rule, i)) != NULL; ++i) {
    const ts_node *node = ts_node_find(map, key);
    if (node && present && rule->kind != TS_RULE_AT_LEAST_ONE)
      return ts_document_fail(v->in, node->key_place, "'%s' and '%s' exclude each other", present->key, node->key);
    if (node) present = node;
  }
  if (present || rule->kind == TS_RULE_AT_MOST_ONE) return TS_OK;
  char keys[TYPE_SIZE];
  join_keys(v, owner, rule, keys, sizeof keys);
  return ts_document_fail(v->in, map->place, "%s needs %s%s", section->what,
                          rule->kind == TS_RULE_AT_LEAST_ONE ? "" : "one of ", keys);
}

static ts_status check_pair_of_keys(validation *v, const ts_node *map, const ts_rule *rule)
{
  const ts_node *first = ts_node_find(map, rule->keys[0]), *second = ts_node_find(map, rule->keys[1]);
  if (rule->kind == TS_RULE_NEEDS) {
    if (!first || second) return TS_OK;
    return ts_document_fail(v->in, first->key_place, "'%s' needs '%s' beside it", rule->keys[0], rule->keys[1]);
  }
  if (!first || !second || first->count == second->count) return TS_OK;
  return ts_document_fail(v->in, second->place, "'%s' must have as many entries as '%s': %d, not %d", rule->keys[1],
                          rule->keys[0], first->count, second->count);
}

static ts_status check_rule(validation *v, const ts_node *map, const ts_section *section, const ts_section *owner,
                            const ts_rule *rule)
{
  if (rule->kind == TS_RULE_NEEDS || rule->kind == TS_RULE_SAME_LENGTH) return check_pair_of_keys(v, map, rule);
  return check_choice_of_keys(v, map, section, owner, rule);
}

static ts_status check_map(validation *v, ts_node *node, const ts_section *section)
{
  node->section = section;
  ++v->depth;
  const ts_node *before = NULL;
  for (ts_node *child = node->first; child; before = child, child = child->next) {
    v->before = before;
    TS_TRY(check_entry(v, child, section));
  }
  --v->depth;
  TS_TRY(check_required(v, node, section));
  for (const ts_section *part = section; part; part = part->base)
    for (int i = 0; i < part->rule_count; ++i) TS_TRY(check_rule(v, node, section, part, &part->rules[i]));
  return TS_OK;
}

static ts_status validate(validation *v, ts_node *map, const ts_section *section)
{
  char found[FOUND_SIZE];
  if (map->kind != TS_NODE_MAP)
    return ts_document_fail(v->in, map->place, "%s must be a map, not %s", section->what,
                            ts_node_describe(map, found, sizeof found));
  return check_map(v, map, section);
}

ts_status ts_document_validate(ts_document_input *in, ts_node *map, const ts_section *section, ts_space space)
{
  validation v = {.in = in, .space = space, .dimensions = ts_space_is_planar(space) ? 2 : 3};
  return validate(&v, map, section);
}

ts_status ts_document_validate_form(ts_document_input *in, ts_node *map, const ts_section *section)
{
  validation v = {.in = in, .space = TS_SPACE_3D, .dimensions = 3, .form_only = true};
  return validate(&v, map, section);
}

ts_status ts_live_number_renew(ts_document_input *in, ts_live_number *live, bool *changed)
{
  const double before = live->node->number;
  ts_node *node = live->node;
  TS_TRY(evaluate_formula(in, &live->formula, live->row, &node->number));
  *changed = node->number != before;
  if (live->row->type != TS_VALUE_INTEGER)
    return ts_document_locate(in, node->place, ts_key_check_number(live->row, node->number, in->error));
  if (floor(node->number) != node->number) return refuse_fraction(in, node, live->row);
  return ts_document_locate(in, node->place, ts_key_check_integer(live->row, node->number, in->error));
}
