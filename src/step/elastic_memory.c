#include "step/elastic_memory.h"

#include "model/laws.h"

#include <string.h>

double ts_elastic_energy(const ts_contact_law *law, double normal, ts_vec3 tangent)
{
  return 0.5 * (law->stiffness * normal * normal + ts_law_along_surface(law).stiffness * ts_dot(tangent, tangent));
}

int ts_elastic_of_pair(const ts_elastic_memory *memory, uint64_t pair, int *first)
{
  while (*first < memory->count && memory->entries[*first].pair < pair) ++*first;
  int end = *first;
  while (end < memory->count && memory->entries[end].pair == pair) ++end;
  return end;
}

const ts_pressed *ts_elastic_find(const ts_elastic_memory *memory, int first, int end, uint32_t feature)
{
  for (int k = first; k < end; ++k)
    if (memory->entries[k].feature == feature) return &memory->entries[k];
  return NULL;
}

ts_elastic_memory ts_elastic_copy(const ts_elastic_memory *memory, ts_arena *arena)
{
  ts_elastic_memory copy = *memory;
  copy.entries = ts_arena_bytes(arena, (size_t)memory->count, sizeof *copy.entries);
  if (memory->count > 0) memcpy(copy.entries, memory->entries, (size_t)memory->count * sizeof *copy.entries);
  return copy;
}

ts_elastic_memory ts_elastic_press_in(const ts_contact_set *contacts, ts_arena *arena)
{
  ts_elastic_memory memory = {.entries = ts_arena_bytes(arena, (size_t)contacts->count, sizeof *memory.entries)};
  for (int i = 0; i < contacts->count; ++i) {
    const ts_contact *contact = &contacts->contacts[i];
    if (!(contact->gap < 0.0)) continue;
    memory.entries[memory.count++] = (ts_pressed){
        .pair = ts_part_pair_key(contacts->parts[i]), .feature = contact->feature, .normal = -contact->gap};
    memory.energy += ts_elastic_energy(contacts->laws[i], -contact->gap, (ts_vec3){0.0, 0.0, 0.0});
  }
  return memory;
}
