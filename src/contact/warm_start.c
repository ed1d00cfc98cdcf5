#include "contact/warm_start.h"

#include <math.h>
#include <string.h>

// Contacts come ordered by their lower and higher part; joint rows after all contacts.
static uint64_t block_key(const ts_system *system, const ts_contact_set *contacts, const ts_bounded_row *bounded, int i,
                          uint32_t *feature)
{
  const ts_block *block = &system->blocks[i];
  if (block->kind == TS_BLOCK_CONTACT) {
    *feature = contacts->contacts[block->source].feature;
    return ts_part_pair_key(contacts->parts[block->source]);
  }
  *feature = bounded[block->source].feature;
  return ts_joint_key(bounded[block->source].joint);
}

// Finds the entries of blocks that are asked for in their order.
typedef struct search {
  const ts_warm_start *memory;
  int low;  // entries before it belong to pairs that have passed
  int next; // behind the last one found: as a rule the one that is asked for next
} search;

static bool is_entry(const ts_warm_start *memory, int k, uint64_t pair, uint32_t feature)
{
  return k < memory->count && memory->entries[k].pair == pair && memory->entries[k].feature == feature;
}

static const ts_remembered *find_entry(search *s, uint64_t pair, uint32_t feature) // or NULL
{
  const ts_warm_start *memory = s->memory;
  if (is_entry(memory, s->next, pair, feature)) return &memory->entries[s->next++];
  while (s->low < memory->count && memory->entries[s->low].pair < pair) ++s->low;
  for (int k = s->low; k < memory->count && memory->entries[k].pair == pair; ++k)
    if (memory->entries[k].feature == feature) {
      s->next = k + 1;
      return &memory->entries[k];
    }
  return NULL;
}

static ts_remembered_force force_of(const ts_system *system, const ts_contact_set *contacts, int i, const double *p,
                                    double h)
{
  const int d = system->dimension;
  const double rate = 1.0 / h;
  ts_remembered_force force = {.normal = p[0] * rate, .spin = d == 4 ? p[3] * rate : 0.0};
  if (system->blocks[i].kind != TS_BLOCK_CONTACT) {
    const bool both = system->blocks[i].kind == TS_BLOCK_SUPPORT; // along x and y
    force.tangent = (ts_vec3){p[1] * rate, both ? p[2] * rate : 0.0, 0.0};
    return force;
  }
  const ts_contact *contact = &contacts->contacts[system->blocks[i].source];
  force.tangent = ts_scale(p[1] * rate, contact->tangent);
  if (d > 2) force.tangent = ts_add_scaled(force.tangent, p[2] * rate, contact->other);
  return force;
}

ts_warm_start ts_remember(const ts_warm_start *old, const ts_system *system, const ts_contact_set *contacts,
                          const ts_bounded_row *bounded, const double *r, double h, ts_arena *arena)
{
  ts_warm_start memory = {.count = system->count,
                          .entries = ts_arena_bytes(arena, (size_t)system->count, sizeof *memory.entries)};
  search earlier = {old, 0, 0};
  for (int i = 0; i < system->count; ++i) {
    ts_remembered *entry = &memory.entries[i];
    entry->pair = block_key(system, contacts, bounded, i, &entry->feature);
    entry->last = force_of(system, contacts, i, r + (size_t)i * (size_t)system->dimension, h);
    const ts_remembered *known = find_entry(&earlier, entry->pair, entry->feature);
    entry->before = known ? known->last : entry->last;
  }
  return memory;
}

static void recall_block(const ts_remembered *entry, const ts_block *block, const ts_contact_set *contacts, int d,
                         double h, double *p)
{
  const ts_vec3 tangent = ts_scale(0.5, ts_add(entry->last.tangent, entry->before.tangent));
  p[0] = 0.5 * h * (entry->last.normal + entry->before.normal);
  if (block->kind == TS_BLOCK_CONTACT) {
    const ts_contact *contact = &contacts->contacts[block->source];
    p[1] = h * ts_dot(tangent, contact->tangent);
    if (d > 2) p[2] = h * ts_dot(tangent, contact->other);
  } else {
    p[1] = h * tangent.x;
    if (block->kind == TS_BLOCK_SUPPORT) p[2] = h * tangent.y;
  }
  if (d == 4) p[3] = 0.5 * h * (entry->last.spin + entry->before.spin);
}

bool ts_recall(const ts_warm_start *memory, const ts_system *system, const ts_contact_set *contacts,
               const ts_bounded_row *bounded, double h, double *r)
{
  const int d = system->dimension;
  bool found = false;
  search known = {memory, 0, 0};
  memset(r, 0, (size_t)system->count * (size_t)d * sizeof *r);
  for (int i = 0; i < system->count; ++i) {
    uint32_t feature;
    const uint64_t pair = block_key(system, contacts, bounded, i, &feature);
    const ts_remembered *entry = find_entry(&known, pair, feature);
    if (!entry) continue;
    recall_block(entry, &system->blocks[i], contacts, d, h, r + (size_t)i * (size_t)d);
    found = found || r[(size_t)i * (size_t)d] != 0.0;
  }
  return found;
}

static double force_size(const ts_remembered_force *force)
{
  return fabs(force->normal) + fabs(force->tangent.x) + fabs(force->tangent.y) + fabs(force->tangent.z) +
         fabs(force->spin);
}

// Sums over forces: of changes, and of sizes.
typedef struct force_sums {
  double change, size;
} force_sums;

static void add_entry(force_sums *sums, const ts_remembered *entry, bool held)
{
  ts_remembered_force last = entry->last;
  const ts_remembered_force *before = &entry->before;
  ts_remembered_force difference = {last.normal - before->normal, ts_sub(last.tangent, before->tangent),
                                    last.spin - before->spin};
  if (held) last.normal = difference.normal = 0.0;
  sums->change += force_size(&difference);
  sums->size += force_size(&last);
}

// True if the system is all that is remembered, and has no motors: joint rows come last.
static bool is_all_contacts(const ts_system *system)
{
  return !system->origin && (system->count == 0 || system->blocks[system->count - 1].kind == TS_BLOCK_CONTACT);
}

double ts_remembered_change(const ts_warm_start *memory, const ts_system *system, const ts_contact_set *contacts,
                            const ts_bounded_row *bounded)
{
  const bool all = is_all_contacts(system);
  force_sums sums = {0.0, 0.0};
  search known = {memory, 0, 0};
  for (int k = 0; all && k < memory->count; ++k) add_entry(&sums, &memory->entries[k], false);
  for (int i = 0; !all && i < system->count; ++i) {
    uint32_t feature;
    const uint64_t pair = block_key(system, contacts, bounded, i, &feature);
    const ts_remembered *entry = find_entry(&known, pair, feature);
    if (entry) add_entry(&sums, entry, system->blocks[i].kind == TS_BLOCK_MOTOR);
  }
  return sums.change > 0.0 ? sums.change / sums.size : 0.0;
}
