#include "contact/warm_start.h"

#include <string.h>

// Contacts come ordered by their lower and higher part; joint rows after all contacts.
static uint64_t block_key(const ts_system *system, const ts_contact_set *contacts, const ts_bounded_row *bounded, int i,
                          uint32_t *feature)
{
  const ts_block *block = &system->blocks[i];
  if (block->kind == TS_BLOCK_CONTACT) {
    const ts_part_pair pair = contacts->parts[block->source];
    const uint32_t low = (uint32_t)(pair.first < pair.second ? pair.first : pair.second);
    const uint32_t high = (uint32_t)(pair.first < pair.second ? pair.second : pair.first);
    *feature = contacts->contacts[block->source].feature;
    return (uint64_t)low << 32 | high;
  }
  *feature = bounded[block->source].feature;
  return UINT64_C(1) << 63 | (uint64_t)(uint32_t)bounded[block->source].joint;
}

ts_memory ts_remember(const ts_system *system, const ts_contact_set *contacts, const ts_bounded_row *bounded,
                      const double *r, double h, ts_arena *arena)
{
  const int d = system->dimension;
  ts_memory memory = {system->count, ts_arena_bytes(arena, (size_t)system->count, sizeof(ts_remembered))};
  for (int i = 0; i < system->count; ++i) {
    const double *p = r + (size_t)i * (size_t)d;
    ts_remembered *entry = &memory.entries[i];
    *entry = (ts_remembered){.normal = p[0] / h, .spin = d == 4 ? p[3] / h : 0.0};
    entry->pair = block_key(system, contacts, bounded, i, &entry->feature);
    if (system->blocks[i].kind == TS_BLOCK_CONTACT) {
      const ts_contact *contact = &contacts->contacts[system->blocks[i].source];
      entry->tangent = ts_scale(p[1] / h, contact->tangent);
      if (d > 2) entry->tangent = ts_add_scaled(entry->tangent, p[2] / h, contact->other);
    } else {
      entry->tangent.x = p[1] / h;
    }
  }
  return memory;
}

static void recall_block(const ts_remembered *entry, const ts_block *block, const ts_contact_set *contacts, int d,
                         double h, double *p)
{
  p[0] = h * entry->normal;
  if (block->kind == TS_BLOCK_CONTACT) {
    const ts_contact *contact = &contacts->contacts[block->source];
    p[1] = h * ts_dot(entry->tangent, contact->tangent);
    if (d > 2) p[2] = h * ts_dot(entry->tangent, contact->other);
  } else {
    p[1] = h * entry->tangent.x;
  }
  if (d == 4) p[3] = h * entry->spin;
}

bool ts_recall(const ts_memory *memory, const ts_system *system, const ts_contact_set *contacts,
               const ts_bounded_row *bounded, double h, double *r)
{
  const int d = system->dimension;
  bool found = false;
  int low = 0; // entries before it belong to pairs that have passed
  memset(r, 0, (size_t)system->count * (size_t)d * sizeof *r);
  for (int i = 0; i < system->count; ++i) {
    uint32_t feature;
    const uint64_t key = block_key(system, contacts, bounded, i, &feature);
    while (low < memory->count && memory->entries[low].pair < key) ++low;
    for (int k = low; k < memory->count && memory->entries[k].pair == key; ++k) {
      if (memory->entries[k].feature != feature) continue;
      recall_block(&memory->entries[k], &system->blocks[i], contacts, d, h, r + (size_t)i * (size_t)d);
      found = found || memory->entries[k].normal != 0.0;
      break;
    }
  }
  return found;
}
