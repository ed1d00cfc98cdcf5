#include "model/names.h"

#include "base/hash.h"

#include <stdint.h>
#include <string.h>

enum { FEWEST_SLOTS = 32 };

static uint64_t hash(const char *name)
{
  return ts_hash_bytes(TS_HASH_BEGIN, name, strlen(name));
}

// Where the name is, or the free slot where it belongs.
static int *slot_of(const ts_names *names, const char *name)
{
  const uint64_t mask = (uint64_t)names->slot_count - 1;
  uint64_t i = hash(name) & mask;
  while (names->slots[i] && strcmp(names->names[names->slots[i] - 1], name) != 0) i = (i + 1) & mask;
  return &names->slots[i];
}

int ts_names_find(const ts_names *names, const char *name)
{
  return names->slot_count ? *slot_of(names, name) - 1 : -1;
}

static void enlarge(ts_names *names, ts_arena *arena)
{
  ts_names larger = {.count = names->count, .slot_count = names->slot_count ? 2 * names->slot_count : FEWEST_SLOTS};
  const size_t slot_count = (size_t)larger.slot_count;
  larger.slots = ts_arena_ints(arena, slot_count);
  larger.names = ts_arena_bytes(arena, slot_count / 2, sizeof *larger.names);
  memset(larger.slots, 0, slot_count * sizeof *larger.slots);
  for (int i = 0; i < names->count; ++i) {
    larger.names[i] = names->names[i];
    *slot_of(&larger, names->names[i]) = i + 1;
  }
  *names = larger;
}

void ts_names_add(ts_names *names, const char *name, ts_arena *arena)
{
  if (2 * (names->count + 1) > names->slot_count) enlarge(names, arena);
  *slot_of(names, name) = names->count + 1;
  names->names[names->count++] = name;
}

const char *ts_copy_text(const char *text, ts_arena *arena)
{
  const size_t bytes = strlen(text) + 1;
  return memcpy(ts_arena_bytes(arena, bytes, 1), text, bytes);
}
