#include "step/implicit/kept_points.h"

#include <math.h>
#include <string.h>

// Where a contact touches the surfaces of body_1 and body_2 (contact_set.c has what its point is).
static void surface_points(const ts_model *model, const ts_contact *contact, ts_vec3 at[2])
{
  const bool both_move = model->bodies[contact->body_2].kind == TS_DYNAMIC;
  at[0] = both_move ? ts_add_scaled(contact->point, 0.5 * contact->gap, contact->normal) : contact->point;
  at[1] = ts_add_scaled(at[0], -contact->gap, contact->normal);
}

// ---- holding -------------------------------------------------------------------------------------------------------

static bool is_kept(const ts_kept_points *kept, const ts_kept_point *point)
{
  static const double SAME = 1e-7; // of how far it is from the centre of its body
  for (int k = 0; k < kept->count; ++k) {
    const ts_kept_point *other = &kept->kept[k];
    if (other->parts.first == point->parts.first && other->parts.second == point->parts.second &&
        ts_distance_of(other->point[0], point->point[0]) <= SAME * ts_length(point->point[0]) &&
        ts_distance_of(other->point[1], point->point[1]) <= SAME * ts_length(point->point[1]))
      return true;
  }
  return false;
}

// Points by themselves are kept where they jump. Those that move on by a little settle without, and points beside each
// other would share their load in any way.
static bool is_beside_kept(const ts_kept_points *kept, const ts_kept_point *point)
{
  static const double BESIDE = 0.05; // of how far it is from the centre of its body
  for (int k = 0; k < kept->count; ++k)
    if (kept->kept[k].parts.first == point->parts.first && kept->kept[k].parts.second == point->parts.second &&
        ts_distance_of(kept->kept[k].point[0], point->point[0]) <= BESIDE * ts_length(point->point[0]))
      return true;
  return false;
}

static void hold(ts_kept_points *kept, const ts_contact_set *points, int i, const ts_model *model,
                 const ts_kinematics *kinematics, bool alone)
{
  const ts_contact *contact = &points->contacts[i];
  const ts_frame *frame[2] = {&kinematics->frame[contact->body_1], &kinematics->frame[contact->body_2]};
  ts_kept_point point = {.parts = points->parts[i]};
  ts_vec3 at[2];
  surface_points(model, contact, at);
  for (int k = 0; k < 2; ++k) {
    point.point[k] = ts_frame_unapply(frame[k], at[k]);
    point.normal[k] = ts_mul_transposed(&frame[k]->axes, contact->normal);
  }
  if (alone && is_beside_kept(kept, &point)) return;
  if (kept->count < TS_MOST_KEPT_POINTS && !is_kept(kept, &point)) kept->kept[kept->count++] = point;
}

static int loaded_points(const ts_patch_set *set, int patch, int dimension)
{
  int count = 0;
  for (int i = set->start[patch]; i < set->start[patch + 1]; ++i) count += set->r[i * dimension] > 0.0;
  return count;
}

void ts_kept_points_take(ts_kept_points *kept, const ts_patch_set *set, const ts_model *model,
                         const ts_kinematics *kinematics, int dimension, bool any_patch)
{
  enum { POINTS_OF_A_FACE = 3, POINTS_OF_A_LINE = 2 };
  for (int p = 0; p < set->touching; ++p) {
    const bool alone = set->start[p + 1] - set->start[p] < POINTS_OF_A_FACE;
    if (alone && !any_patch) continue;
    if (loaded_points(set, p, dimension) > POINTS_OF_A_LINE) continue; // it lies flat
    for (int i = set->start[p]; i < set->start[p + 1]; ++i)
      if (set->r[i * dimension] > 0.0) hold(kept, &set->points, i, model, kinematics, alone);
  }
}

// ---- adding --------------------------------------------------------------------------------------------------------

// Which body the point belongs to, 0 or 1, where the contact is on a face of the other one: the face by which the point
// was kept. -1: it is not.
static int owner_of(const ts_kept_point *point, const ts_contact *contact, const ts_kinematics *kinematics)
{
  static const double SAME_NORMAL = 1e-12; // 1 - cos
  const int body[2] = {contact->body_1, contact->body_2};
  for (int face = 1; face >= 0; --face) {
    const ts_vec3 normal = ts_mul_transposed(&kinematics->frame[body[face]].axes, contact->normal);
    if (ts_dot(normal, point->normal[face]) > 1.0 - SAME_NORMAL) return 1 - face;
  }
  return -1;
}

// The kept point as a contact like `found`, which is on the same face.
static ts_contact contact_at(const ts_kept_point *point, int owner, const ts_contact *found, const ts_model *model,
                             const ts_kinematics *kinematics)
{
  const ts_frame *frame[2] = {&kinematics->frame[found->body_1], &kinematics->frame[found->body_2]};
  const ts_vec3 own = ts_frame_apply(frame[owner], point->point[owner]);
  ts_vec3 at[2];
  ts_contact contact = *found;
  surface_points(model, found, at);
  const ts_vec3 across = owner == 0 ? ts_sub(own, at[1]) : ts_sub(at[0], own);
  contact.gap = ts_dot(found->normal, across);
  at[0] = owner == 0 ? own : ts_add_scaled(own, contact.gap, found->normal);
  const bool both_move = model->bodies[found->body_2].kind == TS_DYNAMIC;
  contact.point = both_move ? ts_add_scaled(at[0], -0.5 * contact.gap, found->normal) : at[0];
  contact.arm_1 = ts_sub(contact.point, frame[0]->origin);
  contact.arm_2 = ts_sub(contact.point, frame[1]->origin);
  return contact;
}

static bool is_same_pair(ts_part_pair a, ts_part_pair b)
{
  return a.first == b.first && a.second == b.second;
}

// The contacts of a face: those of one pair, from `first` on.
static int end_of_pair(const ts_contact_set *points, int first)
{
  int end = first + 1;
  while (end < points->count && is_same_pair(points->parts[end], points->parts[first])) ++end;
  return end;
}

static void append(ts_contact_set *set, const ts_contact_set *from, int i, const ts_contact *contact)
{
  set->contacts[set->count] = *contact;
  set->laws[set->count] = from->laws[i];
  set->parts[set->count++] = from->parts[i];
}

// Corners are found again and again.
static bool is_among(const ts_contact_set *set, int first, const ts_contact *contact)
{
  static const double SAME = 1e-7; // of the arm
  for (int i = first; i < set->count; ++i)
    if (ts_distance_of(set->contacts[i].arm_1, contact->arm_1) <= SAME * ts_length(contact->arm_1)) return true;
  return false;
}

// Add what is kept by the face of point i to `set`, which has the points of its pair from `first` on.
static void append_kept(const ts_kept_points *kept, const ts_contact_set *found, int i, const ts_model *model,
                        const ts_kinematics *kinematics, int first, ts_contact_set *set)
{
  static const uint32_t KEPT = 0xFFFF0000u; // features of their own
  for (int k = 0; k < kept->count; ++k) {
    const ts_kept_point *point = &kept->kept[k];
    if (!is_same_pair(point->parts, found->parts[i])) continue;
    const int owner = owner_of(point, &found->contacts[i], kinematics);
    if (owner < 0) continue;
    ts_contact contact = contact_at(point, owner, &found->contacts[i], model, kinematics);
    contact.feature = KEPT | (uint32_t)k;
    contact.patch = TS_KEPT_POINT;
    if (!is_among(set, first, &contact)) append(set, found, i, &contact);
  }
}

void ts_kept_points_add(const ts_kept_points *kept, const ts_model *model, const ts_kinematics *kinematics,
                        ts_arena *arena, ts_contact_set *points)
{
  if (kept->count == 0) return;
  const ts_contact_set found = *points;
  const size_t most = (size_t)(found.count + kept->count);
  *points = (ts_contact_set){.capacity = (int)most, .companions = found.companions};
  points->contacts = ts_arena_bytes(arena, most, sizeof *points->contacts);
  points->laws = ts_arena_bytes(arena, most, sizeof *points->laws);
  points->parts = ts_arena_bytes(arena, most, sizeof *points->parts);
  for (int first = 0; first < found.count;) {
    const int end = end_of_pair(&found, first), own = points->count;
    for (int i = first; i < end; ++i) append(points, &found, i, &found.contacts[i]);
    append_kept(kept, &found, end - 1, model, kinematics, own, points);
    first = end;
  }
}
