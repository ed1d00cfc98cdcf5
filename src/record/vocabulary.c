#include "record/vocabulary.h"

#include <limits.h>
#include <stdbool.h>
#include <stdint.h>
#include <stdlib.h>
#include <string.h>

void ts_vocabulary_release(ts_vocabulary *words)
{
  for (int i = 0; i < words->count; ++i) free(words->names[i]);
  free(words->names);
  free(words->slots);
  *words = (ts_vocabulary){0};
}

// FNV-1a
static uint32_t hash(const char *name, size_t length)
{
  uint32_t h = 2166136261u;
  for (size_t i = 0; i < length; ++i) h = (h ^ (unsigned char)name[i]) * 16777619u;
  return h;
}

// The slot that holds the name, or the empty one where it belongs. At most half of the slots are taken.
static int *slot_of(const ts_vocabulary *words, const char *name, size_t length)
{
  const uint32_t mask = (uint32_t)words->slot_count - 1;
  for (uint32_t k = hash(name, length) & mask;; k = (k + 1) & mask) {
    int *slot = &words->slots[k];
    if (*slot == 0) return slot;
    const char *known = words->names[*slot - 1];
    if (strncmp(known, name, length) == 0 && known[length] == '\0') return slot;
  }
}

int ts_vocabulary_find(const ts_vocabulary *words, const char *name, size_t length)
{
  return words->slot_count > 0 ? *slot_of(words, name, length) - 1 : -1;
}

static bool grow(ts_vocabulary *words)
{
  if (words->capacity > INT_MAX / 8) return false;
  const int capacity = words->capacity > 0 ? 2 * words->capacity : 8;
  char **names = realloc(words->names, (size_t)capacity * sizeof *names);
  if (names) words->names = names;
  int *slots = names ? calloc(2 * (size_t)capacity, sizeof *slots) : NULL;
  if (!slots) return false;
  free(words->slots);
  words->slots = slots;
  words->slot_count = 2 * capacity;
  words->capacity = capacity;
  for (int i = 0; i < words->count; ++i) *slot_of(words, names[i], strlen(names[i])) = i + 1;
  return true;
}

int ts_vocabulary_add(ts_vocabulary *words, const char *name, size_t length)
{
  const int known = ts_vocabulary_find(words, name, length);
  if (known >= 0) return known;
  if (words->count == words->capacity && !grow(words)) return -1;
  char *copy = malloc(length + 1);
  if (!copy) return -1;
  memcpy(copy, name, length);
  copy[length] = '\0';
  words->names[words->count] = copy;
  *slot_of(words, name, length) = words->count + 1;
  return words->count++;
}
