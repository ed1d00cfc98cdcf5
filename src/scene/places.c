#include "scene/places.h"

#include "document/values.h"

#include <string.h>

// ---- collecting ----------------------------------------------------------------------------------------------------

static ts_entry_place entry_of(const ts_node *node, const char *name, ts_arena *arena)
{
  ts_entry_place entry = {name ? ts_copy_text(name, arena) : "", node->place, NULL, 0};
  entry.keys = ts_arena_bytes(arena, (size_t)node->count, sizeof *entry.keys);
  for (const ts_node *child = node->first; child; child = child->next)
    entry.keys[entry.key_count++] = (ts_key_place){ts_copy_text(child->key, arena), child->key_place};
  return entry;
}

ts_scene_places ts_scene_places_collect(const ts_scene_plan *plan, const ts_model *model, ts_arena *arena)
{
  const ts_document_input *in = plan->in;
  ts_scene_places all = {.body_count = plan->body_nodes ? plan->bodies.count : 0, .joint_count = plan->joint_count};
  all.files = ts_arena_bytes(arena, (size_t)in->file_count, sizeof *all.files);
  all.bodies = ts_arena_bytes(arena, (size_t)all.body_count, sizeof *all.bodies);
  all.joints = ts_arena_bytes(arena, (size_t)all.joint_count, sizeof *all.joints);
  for (int i = 0; i < in->file_count; ++i) all.files[i] = ts_copy_text(in->files[i], arena);
  for (int i = 0; i < all.body_count; ++i) all.bodies[i] = entry_of(plan->body_nodes[i], plan->bodies.names[i], arena);
  for (int i = 0; i < all.joint_count; ++i) {
    const ts_node *node = plan->joint_nodes[i];
    all.joints[i] = entry_of(node, model ? ts_model_joint(model, i).name : ts_node_word(node, "name", NULL), arena);
  }
  return all;
}

// ---- finding -------------------------------------------------------------------------------------------------------

static const ts_entry_place *find_entry(const ts_entry_place *entries, int count, const char *name, size_t length)
{
  for (int i = 0; i < count; ++i)
    if (strlen(entries[i].name) == length && strncmp(entries[i].name, name, length) == 0) return &entries[i];
  return NULL;
}

// What is named from `open`, a quotation mark, on. A name may hold such marks itself.
static const ts_entry_place *named_at(const ts_scene_places *places, const char *sentence, const char *open)
{
  static const char joint[] = "joint ";
  const size_t before = (size_t)(open - sentence), word = sizeof joint - 1;
  const bool of_joint = before >= word && strncmp(open - word, joint, word) == 0;
  for (const char *close = strchr(open + 1, '\''); close; close = strchr(close + 1, '\'')) {
    const size_t length = (size_t)(close - open - 1);
    const ts_entry_place *body = find_entry(places->bodies, places->body_count, open + 1, length);
    const ts_entry_place *named_joint = find_entry(places->joints, places->joint_count, open + 1, length);
    if (of_joint ? named_joint != NULL : body != NULL) return of_joint ? named_joint : body;
    if (named_joint || body) return named_joint ? named_joint : body;
  }
  return NULL;
}

// Names are in quotes; of the words between them the first that is a key of the entry. Short words mean nothing.
static const ts_key_place *mentioned_key(const ts_entry_place *entry, const char *sentence)
{
  enum { SHORTEST = 4 };
  bool quoted = false;
  for (const char *at = sentence; *at;) {
    const size_t length = strspn(at, "abcdefghijklmnopqrstuvwxyz_");
    for (int i = 0; !quoted && length >= SHORTEST && i < entry->key_count; ++i) {
      const ts_key_place *key = &entry->keys[i];
      if (strlen(key->key) == length && strncmp(key->key, at, length) == 0 && strcmp(key->key, "name") != 0) return key;
    }
    if (*at == '\'') quoted = !quoted;
    at += length > 0 ? length : 1;
  }
  return NULL;
}

bool ts_scene_places_find(const ts_scene_places *places, const char *sentence, ts_place *place)
{
  for (const char *open = strchr(sentence, '\''); open; open = strchr(open + 1, '\'')) {
    const ts_entry_place *entry = named_at(places, sentence, open);
    if (!entry) continue;
    const ts_key_place *key = mentioned_key(entry, sentence);
    *place = key ? key->place : entry->place;
    return true;
  }
  return false;
}
