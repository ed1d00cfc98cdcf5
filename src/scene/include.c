#define _XOPEN_SOURCE 700 // realpath
#include "scene/include.h"

#include "document/parameter_set.h"
#include "document/yaml.h"

#include <stdlib.h>
#include <string.h>

// The files that are being read, each included by the one before.
typedef struct chain {
  const struct chain *outer;
  const char *real_path;
  int length;
} chain;

static ts_status gather(ts_document_input *in, const char *text, size_t length, int file, const chain *outer,
                        ts_node **root);

static bool is_list_of_maps(const ts_node *node)
{
  return node->kind == TS_NODE_LIST && node->first && node->first->kind == TS_NODE_MAP;
}

// Entries of `more` behind those of `list`.
static void join_lists(ts_node *list, ts_node *more)
{
  for (ts_node *item = more->first, *next; item; item = next) {
    next = item->next;
    ts_node_append(list, item);
  }
}

// What `included` has is put below what `own` has.
static void merge(ts_node *own, ts_node *included)
{
  for (ts_node *theirs = included->first, *next; theirs; theirs = next) {
    next = theirs->next;
    ts_node *ours = ts_node_find(own, theirs->key);
    if (!ours) {
      ts_node_append(own, theirs);
    } else if (ours->kind == TS_NODE_MAP && theirs->kind == TS_NODE_MAP) {
      merge(ours, theirs);
    } else if (is_list_of_maps(ours) && is_list_of_maps(theirs)) {
      join_lists(theirs, ours);
      ours->first = theirs->first;
      ours->last = theirs->last;
      ours->count = theirs->count;
    }
  }
}

static ts_status refuse_cycle(ts_document_input *in, const chain *outer, const char *real_path, const ts_node *name)
{
  if (outer->length >= TS_DOCUMENT_INCLUDES)
    return ts_document_fail(in, name->place, "more than %d files include one another", TS_DOCUMENT_INCLUDES);
  for (const chain *link = outer; link; link = link->outer)
    if (strcmp(link->real_path, real_path) == 0)
      return ts_document_fail(in, name->place, "'%.100s' includes itself, directly or through others", name->text);
  return TS_OK;
}

static const char *real_path_of(ts_document_input *in, const char *path)
{
  char *real = realpath(path, NULL);
  const char *name = real ? real : path;
  const size_t length = strlen(name);
  if (length >= 4096) { // nothing may leave by the arena's recovery point while `real` is held
    free(real);
    return path;
  }
  char copy[4096];
  memcpy(copy, name, length + 1);
  free(real);
  return ts_document_copy_text(in, copy, length);
}

static ts_status include_file(ts_document_input *in, const ts_node *name, const chain *outer, ts_node *root)
{
  if (name->kind != TS_NODE_SCALAR || name->text[0] == '\0' || ts_node_is_null(name))
    return ts_document_fail(in, name->place, "'include' must be the name of a file, or a list of names");
  const char *path = ts_document_beside(in, name->place.file, name->text);
  const chain link = {outer, real_path_of(in, path), outer->length + 1};
  TS_TRY(refuse_cycle(in, outer, link.real_path, name));
  if (++in->included > TS_DOCUMENT_FILES)
    return ts_document_fail(in, name->place, "a scene may include %d files in all, which '%.100s' exceeds",
                            TS_DOCUMENT_FILES, name->text);
  size_t length;
  TS_TRY(ts_document_load(in, path, name->place, &length));
  ts_node *included;
  TS_TRY(gather(in, in->content, length, ts_document_add_file(in, path), &link, &included));
  merge(root, included);
  return TS_OK;
}

// A file that is named later counts more, as the including one counts more than all it names: so the last goes first.
static ts_status include_files(ts_document_input *in, const ts_node *names, const chain *outer, ts_node *root)
{
  if (names->kind != TS_NODE_LIST) return include_file(in, names, outer, root);
  for (int i = names->count - 1; i >= 0; --i) TS_TRY(include_file(in, ts_node_at(names, i), outer, root));
  return TS_OK;
}

static ts_status gather(ts_document_input *in, const char *text, size_t length, int file, const chain *outer,
                        ts_node **root)
{
  TS_TRY(ts_yaml_parse(in, text, length, file, root));
  if ((*root)->kind != TS_NODE_MAP) return ts_document_fail(in, (*root)->place, "a scene must be a map");
  TS_TRY(ts_parameters_complete(in, *root));
  const ts_node *names = ts_node_find(*root, "include");
  if (!names) return TS_OK;
  ts_node_remove(*root, names);
  return include_files(in, names, outer, *root);
}

ts_status ts_scene_gather(ts_document_input *in, const char *text, size_t length, int file, ts_node **root)
{
  const chain self = {NULL, real_path_of(in, in->files[file]), 1};
  return gather(in, text, length, file, &self, root);
}
