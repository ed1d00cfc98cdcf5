#include "scene/override.h"

#include "touchstone/suggest.h"

#include "scene/scene_schema.h"
#include "document/parameter_set.h"
#include "document/yaml.h"

#include <stdlib.h>
#include <string.h>

// Lists whose entries can be named without saying which list they are in, in the order they are searched.
static const char *const named_lists[] = {"bodies", "joints", "materials", "springs", "bushings", "forces"};
enum { NAMED_LISTS = sizeof named_lists / sizeof named_lists[0] };

static const char *name_of(const ts_node *item)
{
  const ts_node *name = item->kind == TS_NODE_MAP ? ts_node_find(item, "name") : NULL;
  return name && name->kind == TS_NODE_SCALAR ? name->text : "";
}

static ts_node *find_named(const ts_node *list, const char *word)
{
  for (ts_node *item = list->first; item; item = item->next)
    if (strcmp(name_of(item), word) == 0) return item;
  return NULL;
}

// By name, else by index.
static ts_node *find_item(const ts_node *list, const char *word)
{
  ts_node *named = find_named(list, word);
  if (named) return named;
  char *end;
  const unsigned long index = strtoul(word, &end, 10);
  const bool is_index = word[0] >= '0' && word[0] <= '9' && *end == '\0' && index < (unsigned long)list->count;
  return is_index ? ts_node_at(list, (int)index) : NULL;
}

static bool is_scene_key(const char *word)
{
  for (int i = 0; i < ts_section_key_count(&ts_scene_section); ++i)
    if (strcmp(ts_section_key_at(&ts_scene_section, i)->name, word) == 0) return true;
  return false;
}

static const char parameters_key[] = "parameters";

// The parameter that a path names, with or without `parameters` before it; or NULL.
static ts_node *find_parameter(const ts_node *root, const char *path)
{
  const ts_node *map = root->kind == TS_NODE_MAP ? ts_node_find(root, parameters_key) : NULL;
  const size_t length = strlen(parameters_key);
  if (!map || map->kind != TS_NODE_MAP) return NULL;
  if (strncmp(path, parameters_key, length) == 0 && path[length] == '.') path += length + 1;
  return ts_node_find(map, path);
}

// A number or an expression replaces its value alone: range, unit and help stay.
static bool override_parameter(ts_node *root, const char *path, ts_node *value)
{
  ts_node *parameter = find_parameter(root, path);
  if (!parameter || parameter->kind != TS_NODE_MAP) return false;
  if (value->kind == TS_NODE_MAP)
    ts_node_replace(ts_node_find(root, parameters_key), parameter, value);
  else
    ts_node_set(parameter, "value", value->place, value);
  return true;
}

// The robot of that name and what it stands in, before robots are read.
static ts_node *find_robot(ts_node *root, const char *word, ts_node **parent)
{
  ts_node *robots = ts_node_find(root, "urdf");
  *parent = robots && robots->kind == TS_NODE_LIST ? robots : root;
  if (!robots || !*word) return NULL;
  return robots->kind == TS_NODE_LIST ? find_named(robots, word) : strcmp(name_of(robots), word) == 0 ? robots : NULL;
}

// The joint that stands in a body, if it has one.
static ts_node *joint_of(const ts_node *body)
{
  ts_node *joint = body->kind == TS_NODE_MAP ? ts_node_find(body, "joint") : NULL;
  return joint && joint->kind == TS_NODE_MAP ? joint : NULL;
}

static const ts_node *list_of(const ts_node *root, const char *key)
{
  const ts_node *list = ts_node_find(root, key);
  return list && list->kind == TS_NODE_LIST ? list : NULL;
}

// The joint of that name that stands in a body, and the body.
static ts_node *find_body_joint(const ts_node *root, const char *word, ts_node **body)
{
  const ts_node *bodies = list_of(root, "bodies");
  for (*body = bodies ? bodies->first : NULL; *body; *body = (*body)->next) {
    ts_node *joint = joint_of(*body);
    if (joint && *word && strcmp(name_of(joint), word) == 0) return joint;
  }
  return NULL;
}

// What has that name in one of the lists of the scene, or is a joint in a body; and the list or the body.
static ts_node *find_anywhere(const ts_node *root, const char *word, ts_node **parent)
{
  for (int k = 0; k < NAMED_LISTS; ++k) {
    *parent = ts_node_find(root, named_lists[k]);
    ts_node *item = *parent && (*parent)->kind == TS_NODE_LIST ? find_named(*parent, word) : NULL;
    if (item) return item;
  }
  return find_body_joint(root, word, parent);
}

// ---- suggestions ---------------------------------------------------------------------------------------------------

// Names that a first word, or an entry of a list, could have been.
typedef struct candidates {
  const char **names;
  int count;
} candidates;

static const char *candidate(int i, const void *all)
{
  return ((const candidates *)all)->names[i];
}

static void add_names(candidates *all, const ts_node *list)
{
  for (const ts_node *item = list->first; item; item = item->next) all->names[all->count++] = name_of(item);
}

static ts_status refuse_name(ts_document_input *in, ts_place place, const candidates *all, const char *word)
{
  const char *nearest = ts_suggest(word, all->count, candidate, all);
  if (nearest && *nearest)
    return ts_document_fail(in, place, "there is nothing called '%.60s'; did you mean '%.60s'?", word, nearest);
  return ts_document_fail(in, place, "there is nothing called '%.60s'", word);
}

static ts_status refuse_item(ts_document_input *in, ts_place place, const ts_node *list, const char *word)
{
  candidates all = {ts_document_take(in, ((size_t)list->count + 1) * sizeof(char *)), 0};
  add_names(&all, list);
  return refuse_name(in, place, &all, word);
}

static ts_status refuse_first(ts_document_input *in, ts_place place, const ts_node *root, const char *word)
{
  const int keys = ts_section_key_count(&ts_scene_section);
  size_t most = (size_t)keys;
  for (const ts_node *child = root->first; child; child = child->next) most += 2 * (size_t)child->count;
  candidates all = {ts_document_take(in, most * sizeof(char *)), 0};
  for (int i = 0; i < keys; ++i) all.names[all.count++] = ts_section_key_at(&ts_scene_section, i)->name;
  const ts_node *parameters = ts_node_find(root, parameters_key);
  for (const ts_node *child = parameters ? parameters->first : NULL; child && child->key; child = child->next)
    all.names[all.count++] = child->key;
  for (int k = 0; k < NAMED_LISTS; ++k) {
    const ts_node *list = list_of(root, named_lists[k]);
    if (list) add_names(&all, list);
  }
  const ts_node *bodies = list_of(root, "bodies");
  for (const ts_node *body = bodies ? bodies->first : NULL; body; body = body->next)
    if (joint_of(body)) all.names[all.count++] = name_of(joint_of(body));
  return refuse_name(in, place, &all, word);
}

// ---- the path ------------------------------------------------------------------------------------------------------

// One word further down from `node`, which a map or list is put in the place of when it holds nothing of the kind.
static ts_status descend(ts_document_input *in, ts_node *node, const char *word, ts_place place, ts_node **child)
{
  *child = NULL;
  if (node->kind == TS_NODE_LIST) {
    *child = find_item(node, word);
    return *child ? TS_OK : refuse_item(in, place, node, word);
  }
  if (node->kind != TS_NODE_MAP) {
    node->kind = TS_NODE_MAP;
    node->place = place;
  }
  *child = ts_node_find(node, word);
  if (*child) return TS_OK;
  *child = ts_node_create(in, TS_NODE_SCALAR, place);
  if (!*child) return in->error->status;
  (*child)->text = "";
  (*child)->plain = true;
  ts_node_set(node, word, place, *child);
  return TS_OK;
}

// Cut the next word off a path at its point.
static const char *next_word(ts_document_input *in, const char **path)
{
  const size_t length = strcspn(*path, ".");
  const char *word = ts_document_copy_text(in, *path, length);
  *path += length + ((*path)[length] == '.');
  return word;
}

static ts_status find_target(ts_document_input *in, ts_node *root, const char *path, ts_place place, ts_node **parent,
                             ts_node **target)
{
  const char *word = next_word(in, &path);
  *parent = root;
  if (is_scene_key(word))
    TS_TRY(descend(in, root, word, place, target));
  else if (!(*target = find_anywhere(root, word, parent)) && !(*target = find_robot(root, word, parent)))
    return refuse_first(in, place, root, word);
  for (int depth = 1; *path; ++depth) {
    if (depth == TS_DOCUMENT_DEPTH) return ts_document_fail(in, place, "the path is too long");
    *parent = *target;
    TS_TRY(descend(in, *parent, next_word(in, &path), place, target));
  }
  return TS_OK;
}

// A value that was parsed as a document of its own belongs to the override, and has no line.
static void move_to(ts_node *node, ts_place place)
{
  node->place = node->key_place = place;
  for (ts_node *child = node->first; child; child = child->next) move_to(child, place);
}

bool ts_scene_override_is_of_parameters(ts_document_input *in, ts_node *root, int k)
{
  const char *text = in->overrides[k], *path = ts_document_copy_text(in, text, strcspn(text, "="));
  const size_t length = strlen(parameters_key);
  const bool says_so = strncmp(path, parameters_key, length) == 0 && (path[length] == '.' || path[length] == '\0');
  return says_so || find_parameter(root, path);
}

bool ts_scene_override_is_of_robots(ts_document_input *in, ts_node *root, int k)
{
  const char *text = in->overrides[k];
  const char *word = ts_document_copy_text(in, text, strcspn(text, ".="));
  ts_node *parent;
  if (strcmp(word, "urdf") == 0) return true;
  return !is_scene_key(word) && !find_anywhere(root, word, &parent) && find_robot(root, word, &parent);
}

ts_status ts_scene_override(ts_document_input *in, ts_node *root, int k)
{
  const ts_place place = {.file = -1 - k};
  const char *text = in->overrides[k], *equals = strchr(text, '=');
  if (!equals || equals == text) return ts_document_fail(in, place, "this is not of the form path=value");
  const char *path = ts_document_copy_text(in, text, (size_t)(equals - text));
  if (strcmp(path, "include") == 0) return ts_document_fail(in, place, "'include' cannot be set");
  ts_node *value, *parent, *target;
  TS_TRY(ts_yaml_parse(in, equals + 1, strlen(equals + 1), place.file, &value));
  move_to(value, place);
  TS_TRY(ts_parameters_complete(in, root));
  if (override_parameter(root, path, value)) return TS_OK;
  TS_TRY(find_target(in, root, path, place, &parent, &target));
  ts_node_replace(parent, target, value);
  return TS_OK;
}
