// Which of the contacts that are seen are those that are active.
#include "step/event/active_set.h"

// Gaps with which a contact with another feature or part goes on for one that is active, of its size: errors of first
// order. And how much their normals may differ: at a kink there is an event.
static const double TAKES_OVER = 1e-5, SAME_NORMAL = 1e-6;

static bool is_pair(const ts_active_contact *contact, const ts_contact_set *set, int i)
{
  return contact->pair == ts_part_pair_key(set->parts[i]);
}

static int find_feature(const ts_active_set *active, const ts_contact_set *set, int i) // or -1
{
  for (int k = 0; k < active->contact_count; ++k)
    if (is_pair(&active->contacts[k], set, i) && active->contacts[k].feature == set->contacts[i].feature) return k;
  return -1;
}

bool ts_active_set_is_matched(const int *match, int count, int k)
{
  for (int i = 0; i < count; ++i)
    if (match[i] == k) return true;
  return false;
}

// Whether contact i touches along the normal of one that is active, as it has turned with one of the bodies: it may be
// the same one, with another feature.
static bool goes_on_for(const ts_active_contact *active, const ts_sim *sim, const ts_contact_set *set, int i)
{
  const ts_contact *contact = &set->contacts[i];
  const ts_frame *frames = sim->kinematics.frame;
  if (contact->gap > TAKES_OVER * (ts_length(contact->arm_1) + ts_length(contact->point))) return false;
  const ts_vec3 with_1 = ts_mul(&frames[contact->body_1].axes, active->normal[0]);
  const ts_vec3 with_2 = ts_mul(&frames[contact->body_2].axes, active->normal[1]);
  return ts_distance_of(contact->normal, with_1) <= SAME_NORMAL ||
         ts_distance_of(contact->normal, with_2) <= SAME_NORMAL;
}

// Whether contact i is between one of the parts of an active contact and a companion of the other.
static bool is_beside(const ts_active_contact *contact, const ts_contact_set *set, int i)
{
  if (!set->companions || set->companions->count == 0) return false;
  const int low = (int)(contact->pair >> 32), high = (int)(contact->pair & UINT32_MAX);
  const ts_part_pair pair = set->parts[i];
  const int same = pair.first == low || pair.first == high ? pair.first : pair.second;
  if (same != low && same != high) return false;
  const int gone = same == low ? high : low, other = same == pair.first ? pair.second : pair.first;
  return ts_companions_are(set->companions, gone, other);
}

// Of the contacts that are left and are as `is` says, the one with the smallest gap that goes on for an active one; -1:
// there is none.
static int nearest(const ts_active_contact *contact, const ts_sim *sim, const ts_contact_set *set, const int *match,
                   bool (*is)(const ts_active_contact *contact, const ts_contact_set *set, int i))
{
  int nearest = -1;
  for (int i = 0; i < set->count; ++i)
    if (match[i] < 0 && is(contact, set, i) && goes_on_for(contact, sim, set, i) &&
        (nearest < 0 || set->contacts[i].gap < set->contacts[nearest].gap))
      nearest = i;
  return nearest;
}

void ts_active_set_match(const ts_active_set *active, const ts_sim *sim, const ts_contact_set *set, int *match)
{
  for (int i = 0; i < set->count; ++i) {
    const int k = find_feature(active, set, i);
    match[i] = ts_active_set_is_matched(match, i, k)
                   ? -1
                   : k; // one contact each, also where two of a pair have the same feature
  }
  for (int k = 0; k < active->contact_count; ++k) {
    if (ts_active_set_is_matched(match, set->count, k)) continue;
    const int of_pair = nearest(&active->contacts[k], sim, set, match, is_pair);
    const int i = of_pair >= 0 ? of_pair : nearest(&active->contacts[k], sim, set, match, is_beside);
    if (i >= 0) match[i] = k;
  }
}
