#include "scene/fingerprint.h"

#include "scene/scene.h"

#include "base/hash.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

enum { KEY_SIZE = 512, LINE_SIZE = 1024 };

typedef struct printing {
  ts_fingerprint_line *line;
  void *user;
} printing;

// An entry of a list is called by its name, or its number.
static void entry_name(const ts_node *entry, int number, char *name, size_t size)
{
  const ts_node *given = entry->kind == TS_NODE_MAP ? ts_node_find(entry, "name") : NULL;
  if (given && given->kind == TS_NODE_SCALAR && given->text[0])
    snprintf(name, size, "%s", given->text);
  else
    snprintf(name, size, "%d", number);
}

// Nesting is bounded, so recursion is.
static void print_tree(const printing *to, const char *path, const ts_node *node)
{
  int number = 0;
  if (node->kind == TS_NODE_SCALAR) {
    to->line(to->user, path, node->text);
    return;
  }
  if (node->count == 0) to->line(to->user, path, node->kind == TS_NODE_LIST ? "[]" : "{}");
  for (const ts_node *child = node->first; child; child = child->next, ++number) {
    char below[KEY_SIZE], name[128];
    if (node->kind == TS_NODE_MAP)
      snprintf(name, sizeof name, "%s", child->key);
    else
      entry_name(child, number, name, sizeof name);
    snprintf(below, sizeof below, "%s%s%s", path, *path ? "." : "", name);
    print_tree(to, below, child);
  }
}

static void print_file(void *user, const char *path, const char *content, size_t length)
{
  const printing *to = user;
  const char *slash = strrchr(path, '/');
  char value[64];
  const uint64_t hash = ts_hash_bytes(TS_HASH_BEGIN, content, length);
  snprintf(value, sizeof value, "%zu bytes, %016llx", length, (unsigned long long)hash);
  to->line(to->user, slash ? slash + 1 : path, value);
}

// A text line by line.
static void print_text(const printing *to, const char *text)
{
  for (int number = 1; *text; ++number) {
    char key[32], value[LINE_SIZE];
    const size_t length = strcspn(text, "\n");
    snprintf(key, sizeof key, "line %d", number);
    snprintf(value, sizeof value, "%.*s", (int)length, text);
    to->line(to->user, key, value);
    text += length + (text[length] == '\n');
  }
}

void ts_scene_fingerprint(const ts_scene *scene, ts_fingerprint_line *line, void *user)
{
  printing to = {line, user};
  if (!scene->raw) {
    print_text(&to, ts_scene_text(scene));
    return;
  }
  print_tree(&to, "", scene->raw);
  for (int k = 0; k < scene->override_count; ++k) line(user, "set", scene->in->overrides[k]);
  ts_document_visit_kept(scene->in, print_file, &to);
}

static void hash_line(void *user, const char *key, const char *value)
{
  uint64_t *hash = user;
  *hash = ts_hash_text(ts_hash_text(*hash, key), value);
}

uint64_t ts_scene_fingerprint_hash(const ts_scene *scene)
{
  uint64_t hash = TS_HASH_BEGIN;
  ts_scene_fingerprint(scene, hash_line, &hash);
  return hash;
}
