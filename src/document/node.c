#include "document/node.h"

#include "base/assert.h"

#include <stdio.h>
#include <string.h>

ts_node *ts_node_create(ts_document_input *in, ts_node_kind kind, ts_place place)
{
  if (in->node_count >= TS_DOCUMENT_NODES) {
    ts_document_fail(in, place, "the scene has more than %d values, repeated ones included", TS_DOCUMENT_NODES);
    return NULL;
  }
  ++in->node_count;
  ts_node *node = ts_document_take(in, sizeof *node);
  node->kind = kind;
  node->place = place;
  return node;
}

ts_node *ts_node_create_number(ts_document_input *in, double value, ts_place place)
{
  ts_node *node = ts_node_create(in, TS_NODE_SCALAR, place);
  if (!node) return NULL;
  node->text = "";
  node->plain = true;
  node->is_number = true;
  node->number = value;
  return node;
}

ts_node *ts_node_create_numbers(ts_document_input *in, const double *values, int count, ts_place place)
{
  ts_node *list = ts_node_create(in, TS_NODE_LIST, place);
  for (int i = 0; list && i < count; ++i) {
    ts_node *number = ts_node_create_number(in, values[i], place);
    if (!number) return NULL;
    ts_node_append(list, number);
  }
  return list;
}

ts_node *ts_node_create_vectors(ts_document_input *in, const ts_vec3 *vectors, int count, ts_place place)
{
  ts_node *list = ts_node_create(in, TS_NODE_LIST, place);
  for (int i = 0; list && i < count; ++i) {
    ts_node *vector = ts_node_create_numbers(in, (const double[]){vectors[i].x, vectors[i].y, vectors[i].z}, 3, place);
    if (!vector) return NULL;
    ts_node_append(list, vector);
  }
  return list;
}

// Nesting is bounded, so recursion is.
static ts_node *copy_tree(ts_document_input *in, const ts_node *node, bool checked)
{
  ts_node *copy = ts_node_create(in, node->kind, node->place);
  if (!copy) return NULL;
  copy->key = node->key;
  copy->key_place = node->key_place;
  copy->text = node->text;
  copy->plain = node->plain;
  copy->robot = node->robot;
  copy->scope = node->scope;
  if (checked) {
    copy->row = node->row;
    copy->section = node->section;
    copy->is_number = node->is_number;
    copy->number = node->number;
  }
  for (const ts_node *child = node->first; child; child = child->next) {
    ts_node *child_copy = copy_tree(in, child, checked);
    if (!child_copy) return NULL;
    ts_node_append(copy, child_copy);
  }
  return copy;
}

ts_node *ts_node_copy(ts_document_input *in, const ts_node *node)
{
  return copy_tree(in, node, false);
}

ts_node *ts_node_copy_checked(ts_document_input *in, const ts_node *node)
{
  return copy_tree(in, node, true);
}

void ts_node_append(ts_node *parent, ts_node *child)
{
  child->next = NULL;
  if (parent->last)
    parent->last->next = child;
  else
    parent->first = child;
  parent->last = child;
  ++parent->count;
}

// The link that leads to a child: from its elder sibling, or from the parent.
static ts_node **link_to(ts_node *parent, const ts_node *child)
{
  ts_node **link = &parent->first;
  while (*link != child) link = &(*link)->next;
  return link;
}

void ts_node_replace(ts_node *parent, const ts_node *old, ts_node *value)
{
  value->key = old->key;
  value->key_place = value->place;
  value->next = old->next;
  *link_to(parent, old) = value;
  if (parent->last == old) parent->last = value;
}

void ts_node_set(ts_node *map, const char *key, ts_place key_place, ts_node *value)
{
  const ts_node *old = ts_node_find(map, key);
  if (old) {
    ts_node_replace(map, old, value);
    return;
  }
  value->key = key;
  value->key_place = key_place;
  ts_node_append(map, value);
}

void ts_node_remove(ts_node *parent, const ts_node *child)
{
  ts_node **link = link_to(parent, child);
  *link = child->next;
  --parent->count;
  if (parent->last != child) return;
  parent->last = parent->first;
  while (parent->last && parent->last->next) parent->last = parent->last->next;
}

ts_node *ts_node_find(const ts_node *map, const char *key)
{
  for (ts_node *child = map->first; child; child = child->next)
    if (child->key && strcmp(child->key, key) == 0) return child;
  return NULL;
}

ts_node *ts_node_at(const ts_node *parent, int i)
{
  TS_ASSERT(i >= 0 && i < parent->count);
  ts_node *child = parent->first;
  while (i-- > 0) child = child->next;
  return child;
}

ts_place ts_node_place_at(const ts_node *node, int character)
{
  return ts_place_within(node->place, character + !node->plain); // a quote comes before it
}

bool ts_node_is_null(const ts_node *node)
{
  return node->kind == TS_NODE_SCALAR && node->plain && !node->is_number &&
         (node->text[0] == '\0' || strcmp(node->text, "~") == 0 || strcmp(node->text, "null") == 0);
}

const char *ts_node_describe(const ts_node *node, char *text, size_t size)
{
  if (node->kind == TS_NODE_LIST) return node->count == 0 ? "an empty list" : "a list";
  if (node->kind == TS_NODE_MAP) return "a map";
  if (ts_node_is_null(node)) return "nothing";
  snprintf(text, size, node->plain ? "'%.40s'" : "the text '%.40s'", node->text);
  return text;
}

ts_status ts_node_wrap(ts_document_input *in, ts_node *parent, ts_node **child, const char *key)
{
  const ts_node *scalar = *child;
  if (scalar->kind != TS_NODE_SCALAR) return TS_OK;
  ts_node *value = ts_node_copy(in, scalar), *map = value ? ts_node_create(in, TS_NODE_MAP, scalar->place) : NULL;
  if (!map) return in->error->status;
  ts_node_replace(parent, scalar, map);
  map->key_place = scalar->key_place;
  ts_node_set(map, key, scalar->place, value);
  *child = map;
  return TS_OK;
}
