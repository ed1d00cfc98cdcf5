#include "contact/contact_sum.h"

static ts_vec3 impulse_vector(const ts_contact *contact)
{
  ts_vec3 sum = ts_scale(contact->impulse[0], contact->normal);
  sum = ts_add_scaled(sum, contact->impulse[1], contact->tangent);
  return ts_add_scaled(sum, contact->impulse[2], contact->other);
}

static void add_impulse(const ts_contact *earlier, ts_contact *later)
{
  const ts_vec3 vector = impulse_vector(earlier);
  later->impulse[0] += ts_dot(vector, later->normal);
  later->impulse[1] += ts_dot(vector, later->tangent);
  later->impulse[2] += ts_dot(vector, later->other);
  later->impulse[3] += earlier->impulse[3];
}

static ts_vec3 between(ts_vec3 a, double share_of_a, ts_vec3 b)
{
  return ts_add_scaled(b, share_of_a, ts_sub(a, b));
}

static void add_contact(const ts_contact *earlier, ts_contact *later)
{
  const double p_earlier = fmax(0.0, earlier->impulse[0]), p = p_earlier + fmax(0.0, later->impulse[0]);
  const double share = p > 0.0 ? p_earlier / p : 0.0;
  add_impulse(earlier, later);
  later->point = between(earlier->point, share, later->point);
  later->arm_1 = between(earlier->arm_1, share, later->arm_1);
  later->arm_2 = between(earlier->arm_2, share, later->arm_2);
  later->gap = earlier->gap;
  later->core += earlier->core;
  later->summed += earlier->summed;
  later->jam = fmax(earlier->jam, later->jam);
}

static void let_go(ts_contact *contact, const ts_twist *velocity)
{
  contact->mode = TS_SEPARATE;
  if (contact->support) return; // it never lets go but where its step has failed
  const ts_twist *v_1 = &velocity[contact->body_1], *v_2 = &velocity[contact->body_2];
  const ts_vec3 apart = ts_sub(ts_twist_at(*v_1, contact->arm_1), ts_twist_at(*v_2, contact->arm_2));
  contact->velocity[0] = ts_dot(apart, contact->normal);
  contact->velocity[1] = ts_dot(apart, contact->tangent);
  contact->velocity[2] = ts_dot(apart, contact->other);
  contact->velocity[3] = ts_dot(ts_sub(v_1->angular, v_2->angular), contact->normal);
}

static void append(ts_contact_set *sum, const ts_contact_set *from, int i)
{
  sum->contacts[sum->count] = from->contacts[i];
  sum->laws[sum->count] = from->laws[i];
  sum->parts[sum->count++] = from->parts[i];
}

// Append the contacts of one pair of parts from *next on, which moves behind them.
static void append_pair(ts_contact_set *sum, const ts_contact_set *from, uint64_t key, int *next)
{
  for (; *next < from->count && ts_part_pair_key(from->parts[*next]) == key; ++*next) append(sum, from, *next);
}

// Among the contacts of the sum from `first` on, the one with this feature, or NULL.
static ts_contact *find_feature(const ts_contact_set *sum, int first, uint32_t feature)
{
  for (int k = first; k < sum->count; ++k)
    if (sum->contacts[k].feature == feature) return &sum->contacts[k];
  return NULL;
}

// The same for the earlier part, whose contacts are added to those of the later one from `first` on.
static void add_pair(ts_contact_set *sum, int first, const ts_contact_set *earlier, uint64_t key,
                     const ts_twist *velocity, int *next)
{
  for (; *next < earlier->count && ts_part_pair_key(earlier->parts[*next]) == key; ++*next) {
    const ts_contact *contact = &earlier->contacts[*next];
    ts_contact *same = find_feature(sum, first, contact->feature);
    if (same) {
      add_contact(contact, same);
    } else {
      append(sum, earlier, *next);
      let_go(&sum->contacts[sum->count - 1], velocity);
    }
  }
}

static uint64_t key_at(const ts_contact_set *set, int i)
{
  return i < set->count ? ts_part_pair_key(set->parts[i]) : UINT64_MAX;
}

ts_contact_set ts_contact_sum(const ts_contact_set *earlier, const ts_contact_set *later, const ts_twist *velocity,
                              ts_arena *arena)
{
  ts_contact_set sum = {.capacity = earlier->count + later->count};
  sum.contacts = ts_arena_bytes(arena, (size_t)sum.capacity, sizeof *sum.contacts);
  sum.laws = ts_arena_bytes(arena, (size_t)sum.capacity, sizeof *sum.laws);
  sum.parts = ts_arena_bytes(arena, (size_t)sum.capacity, sizeof *sum.parts);
  for (int i = 0, j = 0; i < earlier->count || j < later->count;) {
    const uint64_t a = key_at(earlier, i), b = key_at(later, j), key = a < b ? a : b;
    const int first = sum.count;
    append_pair(&sum, later, key, &j);
    add_pair(&sum, first, earlier, key, velocity, &i);
  }
  return sum;
}
