#include "schema/schema.h"

#include "base/assert.h"

#include <stdio.h>
#include <string.h>

static const ts_section *extension_at(const ts_section *section, int i)
{
  return section->extension_at ? section->extension_at(i) : NULL;
}

static const ts_key *listed_at(const ts_section *section, int i)
{
  return section->key_at ? section->key_at(i) : &section->keys[i];
}

int ts_section_own_count(const ts_section *section)
{
  int count = section->key_count;
  const ts_section *more;
  for (int i = 0; (more = extension_at(section, i)) != NULL; ++i) count += more->key_count;
  return count;
}

const ts_key *ts_section_own_at(const ts_section *section, int i)
{
  TS_ASSERT(i >= 0 && i < ts_section_own_count(section));
  const ts_section *part = section;
  for (int k = 0; i >= part->key_count; part = extension_at(section, k++)) i -= part->key_count;
  return listed_at(part, i);
}

int ts_section_key_count(const ts_section *section)
{
  return ts_section_own_count(section) + (section->base ? ts_section_key_count(section->base) : 0);
}

const ts_key *ts_section_key_at(const ts_section *section, int i)
{
  TS_ASSERT(i >= 0 && i < ts_section_key_count(section));
  if (i < section->key_count) return listed_at(section, i);
  const int own = ts_section_own_count(section);
  return i < own ? ts_section_own_at(section, i) : ts_section_key_at(section->base, i - own);
}

const char *ts_rule_key(const ts_section *section, const ts_rule *rule, int i)
{
  if (rule->keys[0]) return rule->keys[i];
  return i < ts_section_own_count(section) ? ts_section_own_at(section, i)->name : NULL;
}

static const ts_key *find_value(const ts_section *section, int *left, const char *prefix, char *path)
{
  const int count = ts_section_key_count(section);
  for (int i = 0; i < count; ++i) {
    const ts_key *key = ts_section_key_at(section, i), *inside;
    if (key->section) {
      char below[TS_PATH_SIZE];
      snprintf(below, sizeof below, "%s%s.", prefix, key->name);
      if ((inside = find_value(key->section, left, below, path)) != NULL) return inside;
    } else if ((*left)-- == 0) {
      snprintf(path, TS_PATH_SIZE, "%s%s", prefix, key->name);
      return key;
    }
  }
  return NULL;
}

const ts_key *ts_section_value_at(const ts_section *section, int i, char path[static TS_PATH_SIZE])
{
  return find_value(section, &i, "", path);
}

bool ts_key_is_in(const ts_key *key, ts_space space)
{
  return !key->spaces || strstr(key->spaces, ts_space_name(space)) != NULL; // no name is part of another
}

const char *ts_key_choice(const ts_key *key, int i)
{
  return key->choice_at ? key->choice_at(i) : key->choices[i];
}

int ts_key_word(const ts_key *key, const char *word)
{
  const char *choice;
  for (int i = 0; (choice = ts_key_choice(key, i)) != NULL; ++i)
    if (strcmp(choice, word) == 0) return i;
  return -1;
}

static void list_choices(const ts_key *key, char *text, size_t size)
{
  int used = snprintf(text, size, "one of: ");
  const char *word;
  for (int i = 0; (word = ts_key_choice(key, i)) != NULL && (size_t)used < size; ++i)
    used += snprintf(text + used, size - (size_t)used, "%s%s", i > 0 ? ", " : "", word);
  if (key->find && (size_t)used < size) snprintf(text + used, size - (size_t)used, ", or of a plug-in (--plugin)");
}

static void count_text(const ts_key *key, const char *many, char *text, size_t size)
{
  if (key->least == key->most)
    snprintf(text, size, "%d %s", key->least, many);
  else if (key->most < TS_ANY_NUMBER)
    snprintf(text, size, "%d to %d %s", key->least, key->most, many);
  else if (key->least > 1)
    snprintf(text, size, "a list of at least %d %s", key->least, many);
  else
    snprintf(text, size, "a list of %s", many);
}

// Names for keys, and a map for each.
static bool holds_maps(const ts_section *section)
{
  return section && section->each && section->each->type == TS_VALUE_MAP;
}

void ts_key_type_text(const ts_key *key, int dimensions, char *text, size_t size)
{
  static const char *const simple[] = {
      [TS_VALUE_NUMBER] = "a number",         [TS_VALUE_INTEGER] = "a whole number",
      [TS_VALUE_BOOLEAN] = "true or false",   [TS_VALUE_TEXT] = "a text",
      [TS_VALUE_BODY] = "the name of a body", [TS_VALUE_MATERIAL] = "the name of a material",
      [TS_VALUE_SIGNAL] = "a signal"};
  const char *title = key->section ? key->section->title : NULL;
  const char *base = key->section && key->section->base ? key->section->base->title : NULL;
  switch (key->type) {
  case TS_VALUE_CHOICE:
    list_choices(key, text, size);
    break;
  case TS_VALUE_NUMBERS:
    count_text(key, "numbers", text, size);
    break;
  case TS_VALUE_VECTORS:
    count_text(key, "vectors", text, size);
    break;
  case TS_VALUE_TEXTS:
    count_text(key, "texts", text, size);
    break;
  case TS_VALUE_BODIES:
    count_text(key, "names of bodies", text, size);
    break;
  case TS_VALUE_MATERIALS:
    count_text(key, "names of materials", text, size);
    break;
  case TS_VALUE_SUMMANDS:
    count_text(key, "signals", text, size);
    break;
  case TS_VALUE_MAPS:
    if (base)
      snprintf(text, size, "a list of maps (keys below and of %s)", base);
    else
      snprintf(text, size, "a list of maps%s%s", title ? ": " : "", title ? title : "");
    break;
  case TS_VALUE_MAP:
    snprintf(text, size, "a map%s%s%s", holds_maps(key->section) ? " of maps" : "", title ? ": " : "",
             title ? title : "");
    break;
  case TS_VALUE_VECTOR:
  case TS_VALUE_SIGNALS:
    if (dimensions > 0)
      snprintf(text, size, "a list of %d %s", dimensions, key->type == TS_VALUE_VECTOR ? "numbers" : "signals");
    else
      snprintf(text, size, "a %s", key->type == TS_VALUE_VECTOR ? "vector" : "vector of signals");
    break;
  default:
    snprintf(text, size, "%s", simple[key->type]);
  }
}

void ts_key_type_name(const ts_key *key, char *text, size_t size)
{
  char type[TS_TYPE_SIZE];
  ts_key_type_text(key, 0, type, sizeof type);
  const bool counted = strncmp(type, "a ", 2) == 0, known = strncmp(type, "the ", 4) == 0;
  snprintf(text, size, "%s", type + (counted ? 2 : known ? 4 : 0));
}
