#include "step/implicit/patches.h"

#include "shape/distance.h"

#include <math.h>
#include <string.h>

static bool is_same_pair(const ts_contact_set *a, int i, const ts_contact_set *b, int k)
{
  return a->parts[i].first == b->parts[k].first && a->parts[i].second == b->parts[k].second;
}

static bool belong_together(const ts_contact_set *points, int i, int k)
{
  static const double SAME_NORMAL = 1e-9; // 1 - cos
  return is_same_pair(points, i, points, k) &&
         ts_dot(points->contacts[i].normal, points->contacts[k].normal) > 1.0 - SAME_NORMAL;
}

void ts_patches_find(ts_patch_set *set, ts_arena *arena)
{
  const int points = set->points.count, blocks = points + set->bounded;
  set->start = ts_arena_ints(arena, (size_t)blocks + 1);
  set->patches = 0;
  for (int i = 0; i < blocks; ++i) {
    if (i == points) set->touching = set->patches;
    if (i == 0 || i >= points || !belong_together(&set->points, i - 1, i)) set->start[set->patches++] = i;
  }
  if (set->bounded == 0) set->touching = set->patches;
  set->start[set->patches] = blocks;
}

// The point of `before` that is point i of the set, or -1. Points keep their order as a rule: the search begins at
// `from`.
static int find_point(const ts_patch_set *set, int i, const ts_patch_set *before, int from)
{
  const ts_contact_set *old = &before->points;
  for (int k = 0; k < old->count; ++k) {
    const int at = (from + k) % old->count;
    if (is_same_pair(&set->points, i, old, at) && set->points.contacts[i].feature == old->contacts[at].feature)
      return at;
  }
  return -1;
}

void ts_patches_recall(ts_patch_set *set, const ts_patch_set *before, int dimension)
{
  const size_t d = (size_t)dimension;
  int from = 0;
  for (int i = 0; i < set->points.count; ++i) {
    const int at = find_point(set, i, before, from);
    if (at < 0) continue;
    memcpy(set->r + (size_t)i * d, before->r + (size_t)at * d, d * sizeof *set->r);
    from = at + 1;
  }
  memcpy(set->r + (size_t)set->points.count * d, before->r + (size_t)before->points.count * d,
         (size_t)set->bounded * d * sizeof *set->r);
}

// The normal impulse of a patch. Newton's method leaves single points a little below 0.
static double load_of(const ts_patch_set *set, int patch, int dimension)
{
  double load = 0.0;
  for (int i = set->start[patch]; i < set->start[patch + 1]; ++i) load += fmax(0.0, set->r[i * dimension]);
  return load;
}

static const ts_contact *nearest_of(const ts_patch_set *set, int patch)
{
  const ts_contact *nearest = &set->points.contacts[set->start[patch]];
  for (int i = set->start[patch] + 1; i < set->start[patch + 1]; ++i)
    if (set->points.contacts[i].gap < nearest->gap) nearest = &set->points.contacts[i];
  return nearest;
}

// How far `c` is from the line through `a` and `b`, which are apart.
static double from_line(ts_vec3 a, ts_vec3 b, ts_vec3 c)
{
  const ts_vec3 along = ts_sub(b, a);
  return ts_length(ts_cross(along, ts_sub(c, a))) / ts_length(along);
}

// 0, 1 or 2: of the points that touch where the nearest does, within what rounding leaves of it.
static int dimension_of(const ts_patch_set *set, int patch, double size)
{
  static const double TOUCHING = 1e-7, FLAT = 1e-6; // of the size
  const ts_contact *nearest = nearest_of(set, patch), *farthest = nearest;
  double wide = 0.0;
  for (int pass = 0; pass < 2; ++pass)
    for (int i = set->start[patch]; i < set->start[patch + 1]; ++i) {
      const ts_contact *at = &set->points.contacts[i];
      if (at->patch == TS_KEPT_POINT || at->gap > nearest->gap + TOUCHING * size) continue;
      if (pass == 0 && ts_distance_of(at->point, nearest->point) > ts_distance_of(farthest->point, nearest->point))
        farthest = at;
      if (pass == 1 && farthest != nearest) wide = fmax(wide, from_line(nearest->point, farthest->point, at->point));
    }
  if (ts_distance_of(farthest->point, nearest->point) <= FLAT * size) return 0;
  return wide <= FLAT * size ? 1 : 2;
}

// a = sum_k p_k a_k / p_n
static ts_contact equivalent_contact(const ts_patch_set *set, int patch, int dimension)
{
  ts_contact own = *nearest_of(set, patch);
  const double load = load_of(set, patch, dimension);
  if (!(load > 0.0)) return own;
  own.point = own.arm_1 = own.arm_2 = (ts_vec3){0.0, 0.0, 0.0};
  for (int i = set->start[patch]; i < set->start[patch + 1]; ++i) {
    const ts_contact *at = &set->points.contacts[i];
    const double share = fmax(0.0, set->r[i * dimension]) / load;
    own.point = ts_add_scaled(own.point, share, at->point);
    own.arm_1 = ts_add_scaled(own.arm_1, share, at->arm_1);
    own.arm_2 = ts_add_scaled(own.arm_2, share, at->arm_2);
  }
  return own;
}

static double pair_size(const ts_model *model, ts_part_pair pair)
{
  return fmin(model->parts[pair.first].convex.reach, model->parts[pair.second].convex.reach);
}

ts_contact_set ts_patches_contacts(const ts_patch_set *set, const ts_model *model, int dimension, double *wrench,
                                   ts_arena *arena)
{
  const size_t count = (size_t)set->touching, d = (size_t)dimension;
  ts_contact_set contacts = {.capacity = set->touching, .companions = set->points.companions};
  contacts.contacts = ts_arena_bytes(arena, count, sizeof *contacts.contacts);
  contacts.laws = ts_arena_bytes(arena, count, sizeof *contacts.laws);
  contacts.parts = ts_arena_bytes(arena, count, sizeof *contacts.parts);
  memset(wrench, 0, count * d * sizeof *wrench);
  for (int p = 0; p < set->touching; ++p) {
    const int first = set->start[p];
    contacts.contacts[p] = equivalent_contact(set, p, dimension);
    contacts.contacts[p].patch = dimension_of(set, p, pair_size(model, set->points.parts[first]));
    contacts.laws[p] = set->points.laws[first];
    contacts.parts[p] = set->points.parts[first];
    wrench[(size_t)p * d] = load_of(set, p, dimension);
    for (int i = first; i < set->start[p + 1]; ++i)
      for (size_t r = 1; r < d; ++r) wrench[(size_t)p * d + r] += set->r[(size_t)i * d + r];
  }
  contacts.count = set->touching;
  return contacts;
}

int ts_patches_dimension(const ts_patch_set *set, const ts_model *model, ts_part_pair pair)
{
  int nearest = -1;
  for (int p = 0; p < set->touching; ++p) {
    if (ts_part_pair_key(set->points.parts[set->start[p]]) != ts_part_pair_key(pair)) continue;
    if (nearest < 0 || nearest_of(set, p)->gap < nearest_of(set, nearest)->gap) nearest = p;
  }
  return nearest < 0 ? 0 : dimension_of(set, nearest, pair_size(model, pair));
}

// Frame of a part in a configuration, whatever the finder has placed last.
static ts_frame frame_of(const ts_model *model, const ts_kinematics *kinematics, int part)
{
  const ts_part *own = &model->parts[part];
  const ts_frame *body = &kinematics->frame[own->body];
  if (own->at_centre) return *body;
  return (ts_frame){ts_frame_apply(body, own->frame.origin), ts_mat3_product(&body->axes, &own->frame.axes)};
}

double ts_pairs_overlap(const ts_contact_set *points, const ts_model *model, const ts_kinematics *kinematics)
{
  double deepest = 0.0;
  for (int i = 0; i < points->count; ++i) {
    if (i > 0 && is_same_pair(points, i - 1, points, i)) continue;
    const ts_part_pair pair = points->parts[i];
    const ts_frame first = frame_of(model, kinematics, pair.first), second = frame_of(model, kinematics, pair.second);
    ts_separation separation;
    ts_convex_distance(&model->parts[pair.first].convex, &first, &model->parts[pair.second].convex, &second,
                       &separation);
    const double gap = separation.gap + ts_model_skins_between(model, pair.first, pair.second);
    if (isnan(gap)) return INFINITY; // a plug-in's shape failed
    deepest = fmax(deepest, -gap / pair_size(model, pair));
  }
  return deepest;
}
