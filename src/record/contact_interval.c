#include "record/contact_interval.h"

#include "base/hash.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

void ts_contact_interval_release(ts_contact_interval *interval)
{
  free(interval->pairs);
  free(interval->slots);
  *interval = (ts_contact_interval){0};
}

void ts_contact_interval_clear(ts_contact_interval *interval)
{
  interval->count = interval->steps = 0;
  if (interval->slot_count > 0) memset(interval->slots, -1, interval->slot_count * sizeof *interval->slots);
}

// ---- pairs ---------------------------------------------------------------------------------------------------------

// The place of a pair in the table, or the free one where it would be.
static size_t slot_of(const ts_contact_interval *interval, int body_1, int body_2, bool support)
{
  const int key[] = {body_1, body_2, support};
  size_t slot = ts_hash_bytes(TS_HASH_BEGIN, key, sizeof key) & (interval->slot_count - 1);
  for (; interval->slots[slot] >= 0; slot = (slot + 1) & (interval->slot_count - 1)) {
    const ts_touching_pair *pair = &interval->pairs[interval->slots[slot]];
    if (pair->body_1 == body_1 && pair->body_2 == body_2 && pair->support == support) break;
  }
  return slot;
}

// Room for one pair more, in a table that is at most half full.
static bool make_room(ts_contact_interval *interval)
{
  if (interval->count < interval->capacity) return true;
  const size_t capacity = interval->capacity > 0 ? 2 * (size_t)interval->capacity : 16;
  ts_touching_pair *pairs = realloc(interval->pairs, capacity * sizeof *pairs);
  if (!pairs) return false;
  interval->pairs = pairs;
  int *slots = realloc(interval->slots, 2 * capacity * sizeof *slots);
  if (!slots) return false;
  interval->slots = slots;
  interval->slot_count = 2 * capacity;
  interval->capacity = (int)capacity;
  memset(slots, -1, interval->slot_count * sizeof *slots);
  for (int i = 0; i < interval->count; ++i)
    slots[slot_of(interval, pairs[i].body_1, pairs[i].body_2, pairs[i].support)] = i;
  return true;
}

// The pair, which is there afterwards; NULL: memory ran out.
static ts_touching_pair *find_or_add(ts_contact_interval *interval, int body_1, int body_2, bool support)
{
  if (!make_room(interval)) return NULL;
  const size_t slot = slot_of(interval, body_1, body_2, support);
  if (interval->slots[slot] < 0) {
    interval->slots[slot] = interval->count;
    interval->pairs[interval->count++] = (ts_touching_pair){.body_1 = body_1, .body_2 = body_2, .support = support};
  }
  return &interval->pairs[interval->slots[slot]];
}

ts_touching_pair *ts_contact_interval_pair(const ts_contact_interval *interval, const ts_contact *contact)
{
  return &interval->pairs[interval->slots[slot_of(interval, contact->body_1, contact->body_2, contact->support)]];
}

bool ts_contact_interval_add(ts_contact_interval *interval, double h, const ts_contact *contacts, int count)
{
  ++interval->steps;
  for (int i = 0; i < interval->count; ++i) interval->pairs[i].now = 0.0;
  for (int i = 0; i < count; ++i) {
    const ts_contact *contact = &contacts[i];
    ts_touching_pair *pair = find_or_add(interval, contact->body_1, contact->body_2, contact->support);
    if (!pair) return false;
    pair->now += contact->impulse[0] / h;
    pair->point = contact->point;
    pair->normal = contact->normal;
    pair->tangent = contact->tangent;
    pair->gap = contact->gap;
  }
  for (int i = 0; i < interval->count; ++i) {
    ts_touching_pair *pair = &interval->pairs[i];
    pair->sum += pair->now;
    pair->max = fmax(pair->max, pair->now);
  }
  return true;
}

ts_contact ts_parted_contact(const ts_touching_pair *pair)
{
  return (ts_contact){.body_1 = pair->body_1,
                      .body_2 = pair->body_2,
                      .part_1 = -1,
                      .part_2 = -1,
                      .support = pair->support,
                      .point = pair->point,
                      .normal = pair->normal,
                      .tangent = pair->tangent,
                      .gap = pair->gap,
                      .mode = TS_SEPARATE};
}

// ---- as numbers ----------------------------------------------------------------------------------------------------

enum { PAIR_NUMBERS = 15 };

size_t ts_contact_interval_size(const ts_contact_interval *interval)
{
  return interval->steps > 0 ? 1 + PAIR_NUMBERS * (size_t)interval->count : 0;
}

void ts_contact_interval_save(const ts_contact_interval *interval, double *numbers)
{
  if (interval->steps == 0) return;
  *numbers++ = interval->steps;
  for (int i = 0; i < interval->count; ++i, numbers += PAIR_NUMBERS) {
    const ts_touching_pair *p = &interval->pairs[i];
    const double own[PAIR_NUMBERS] = {p->body_1,   p->body_2,    p->support,   p->sum,       p->max,
                                      p->point.x,  p->point.y,   p->point.z,   p->normal.x,  p->normal.y,
                                      p->normal.z, p->tangent.x, p->tangent.y, p->tangent.z, p->gap};
    memcpy(numbers, own, sizeof own);
  }
}

static bool is_whole(double value, double least, double most)
{
  return value >= least && value <= most && value == floor(value);
}

bool ts_contact_interval_load(ts_contact_interval *interval, const double *numbers, size_t size, int bodies)
{
  ts_contact_interval_clear(interval);
  if (size == 0) return true;
  if ((size - 1) % PAIR_NUMBERS != 0 || !is_whole(numbers[0], 1.0, 2e9)) return false;
  interval->steps = (int)*numbers++;
  for (size_t k = 0; k < (size - 1) / PAIR_NUMBERS; ++k, numbers += PAIR_NUMBERS) {
    if (!is_whole(numbers[0], 0.0, bodies - 1) || !is_whole(numbers[1], TS_WORLD, bodies - 1)) return false;
    ts_touching_pair *p = find_or_add(interval, (int)numbers[0], (int)numbers[1], numbers[2] != 0.0);
    if (!p) return false;
    p->sum = numbers[3];
    p->max = numbers[4];
    p->point = (ts_vec3){numbers[5], numbers[6], numbers[7]};
    p->normal = (ts_vec3){numbers[8], numbers[9], numbers[10]};
    p->tangent = (ts_vec3){numbers[11], numbers[12], numbers[13]};
    p->gap = numbers[14];
  }
  return true;
}
