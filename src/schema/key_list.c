#include "schema/key_list.h"

#include "base/assert.h"

#include <stdio.h>
#include <string.h>

// Walks the sections in the order of the manual and stops at one key.
typedef struct key_walk {
  int left; // keys to pass before the wanted one
  ts_scene_key *found;
} key_walk;

static void describe(const ts_key *key, const char *path, ts_scene_key *found)
{
  *found = (ts_scene_key){.spaces = ts_text_or_nothing(key->spaces),
                          .unit = ts_text_or_nothing(key->unit),
                          .range = ts_range_text(key->range),
                          .fallback = ts_text_or_nothing(key->fallback),
                          .required = key->required,
                          .help = key->help};
  snprintf(found->path, sizeof found->path, "%s", path);
  ts_key_type_name(key, found->type, sizeof found->type);
}

static bool walk(key_walk *at, const ts_section *section, const char *prefix);

// Sections with a title have a walk of their own. Where keys are names, NAME stands for each of them.
static bool walk_below(key_walk *at, const ts_key *key, const char *path)
{
  const ts_key *each = key->section->each;
  const ts_section *section = each && each->section ? each->section : key->section;
  char below[sizeof at->found->path];
  snprintf(below, sizeof below,
           key->type == TS_VALUE_MAPS ? "%s[]."
           : section != key->section  ? "%s.NAME."
                                      : "%s.",
           path);
  return walk(at, section, below);
}

// All keys of a map first, then what is inside them.
static bool walk(key_walk *at, const ts_section *section, const char *prefix)
{
  char path[sizeof at->found->path];
  for (int i = 0; i < ts_section_own_count(section); ++i) {
    if (at->left-- > 0) continue;
    const ts_key *key = ts_section_own_at(section, i);
    snprintf(path, sizeof path, "%s%s", prefix, key->name);
    describe(key, path, at->found);
    return true;
  }
  for (int i = 0; i < ts_section_own_count(section); ++i) {
    const ts_key *key = ts_section_own_at(section, i);
    if (!key->section || key->section->title) continue;
    snprintf(path, sizeof path, "%s%s", prefix, key->name);
    if (walk_below(at, key, path)) return true;
  }
  return false;
}

static bool find_key(const ts_key_list *list, key_walk *at)
{
  if (walk(at, list->root, "")) return true;
  for (int i = 0; i < list->titled_count; ++i) {
    char prefix[sizeof at->found->path];
    snprintf(prefix, sizeof prefix, "%s.", list->titled[i]->title);
    if (walk(at, list->titled[i], prefix)) return true;
  }
  return false;
}

int ts_key_list_count(const ts_key_list *list)
{
  enum { MORE_THAN_THERE_ARE = 1 << 20 };
  ts_scene_key unused;
  key_walk all = {MORE_THAN_THERE_ARE, &unused};
  find_key(list, &all);
  return MORE_THAN_THERE_ARE - all.left;
}

ts_scene_key ts_key_list_at(const ts_key_list *list, int i)
{
  ts_scene_key key = {.spaces = "", .unit = "", .range = "", .fallback = "", .help = ""};
  key_walk wanted = {i, &key};
  const bool found = i >= 0 && find_key(list, &wanted);
  TS_ASSERT(found);
  return key;
}
