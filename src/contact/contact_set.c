#include "contact/contact_set.h"

#include "shape/distance.h"
#include "shape/manifold_pairs.h"
#include "shape/shape_type.h"
#include "shape/turned_points.h"

#include <stdalign.h>
#include <string.h>

// t follows the law's direction where it has one, else the world's x axis (y where the normal is along x): the same for
// every contact with a level floor, so that numbers read easily. In the plane t is n turned clockwise.
ts_vec3 ts_tangent_wish(const ts_contact_law *law, ts_vec3 n)
{
  static const ts_vec3 x_axis = {1.0, 0.0, 0.0}, y_axis = {0.0, 1.0, 0.0};
  const ts_vec3 wish = law->direction, t = ts_add_scaled(wish, -ts_dot(wish, n), n);
  if (ts_dot(t, t) > 1e-6 * ts_dot(wish, wish)) return wish;
  return fabs(n.x) < 0.9 ? x_axis : y_axis;
}

static ts_vec3 choose_tangent(const ts_model *model, const ts_contact_law *law, ts_vec3 n)
{
  static const ts_vec3 y_axis = {0.0, 1.0, 0.0};
  if (ts_is_flat(model->freedoms)) return (ts_vec3){n.y, -n.x, 0.0};
  const ts_vec3 wish = ts_tangent_wish(law, n);
  return ts_normalize(ts_add_scaled(wish, -ts_dot(wish, n), n), y_axis);
}

// Room for more contacts, twice as many at a time, and for those of a few boxes from the start: contacts are large, and
// copied whenever there is not enough.
enum { FIRST_CONTACTS = 64 };

TS_INLINE void grow(ts_contact_set *set, int count, ts_arena *arena)
{
  if (count > TS_MOST_CONTACTS) ts_arena_refuse(arena, "contacts and more", (size_t)count, TS_MOST_CONTACTS);
  const int least = 2 * set->capacity > FIRST_CONTACTS ? 2 * set->capacity : FIRST_CONTACTS;
  const int capacity = count > least ? count : least;
  ts_contact *contacts = ts_arena_bytes(arena, (size_t)capacity, sizeof *contacts);
  const ts_contact_law **laws = ts_arena_bytes(arena, (size_t)capacity, sizeof *laws);
  ts_part_pair *parts = ts_arena_bytes(arena, (size_t)capacity, sizeof *parts);
  int *before = ts_arena_ints(arena, (size_t)capacity);
  if (set->count > 0) {
    memcpy(before, set->before, (size_t)set->count * sizeof *before);
    memcpy(parts, set->parts, (size_t)set->count * sizeof *parts);
    memcpy(contacts, set->contacts, (size_t)set->count * sizeof *contacts);
    memcpy(laws, set->laws, (size_t)set->count * sizeof *laws);
  }
  set->contacts = contacts;
  set->laws = laws;
  set->parts = parts;
  set->before = before;
  set->capacity = capacity;
  if (set->alternative) {
    int *alternative = ts_arena_ints(arena, (size_t)capacity);
    if (set->count > 0) memcpy(alternative, set->alternative, (size_t)set->count * sizeof *alternative);
    set->alternative = alternative;
  }
  if (set->companions->count == 0) return;
  ts_part_pair *instead = ts_arena_bytes(arena, (size_t)capacity, sizeof *instead);
  if (set->count > 0) memcpy(instead, set->instead, (size_t)set->count * sizeof *instead);
  set->instead = instead;
}

TS_INLINE void reserve(ts_contact_set *set, int count, ts_arena *arena)
{
  if (count > set->capacity) grow(set, count, arena);
}

// What all contacts of two parts have in common.
typedef struct meeting {
  ts_part_pair parts;
  int body_1, body_2;
  int source_1, source_2;
  ts_vec3 centre_1, centre_2; // of mass of the bodies
  bool both_move;
  bool apart;   // arms end at each one's surface; whatever is fixed has none
  double skins; // how far the cores lie below the surfaces, together
  const ts_contact_law *law;
} meeting;

TS_INLINE meeting meeting_of(const ts_finder *finder, const ts_kinematics *kinematics, const ts_candidate *candidate)
{
  const ts_model *model = finder->model;
  const ts_part *part_1 = &model->parts[candidate->part_1], *part_2 = &model->parts[candidate->part_2];
  const ts_body_kind kind = model->bodies[part_2->body].kind;
  const bool both = kind == TS_DYNAMIC;
  return (meeting){.parts = {candidate->part_1, candidate->part_2},
                   .body_1 = part_1->body,
                   .body_2 = part_2->body,
                   .source_1 = part_1->source,
                   .source_2 = part_2->source,
                   .centre_1 = kinematics->frame[part_1->body].origin,
                   .centre_2 = kinematics->frame[part_2->body].origin,
                   .both_move = both,
                   .apart = kind != TS_FIXED && finder->arms_to_surfaces,
                   .skins = model->skin_count > 0 ? ts_model_skins_between(model, candidate->part_1, candidate->part_2)
                                                  : 0.0,
                   .law = candidate->law};
}

// `touch` has its normal from part_2 to part_1. The impulses act at one point: half-way between the surfaces of two
// bodies that move, and on the surface of the one that moves where the other does not. So the arm of a ball is its
// radius, whatever its gap. `other` is normal x tangent.
TS_INLINE void add_contact(ts_contact_set *set, const meeting *m, const ts_touch *touch, ts_vec3 tangent, ts_vec3 other)
{
  ts_contact *contact = &set->contacts[set->count];
  const ts_vec3 point = m->both_move ? ts_scale(0.5, ts_add(touch->point_1, touch->point_2)) : touch->point_1;
  set->before[set->count] = -1;
  if (set->alternative) set->alternative[set->count] = -1;
  contact->body_1 = m->body_1;
  contact->body_2 = m->body_2;
  contact->part_1 = m->source_1;
  contact->part_2 = m->source_2;
  contact->feature = touch->feature;
  contact->point = point;
  contact->arm_1 = ts_sub(m->apart ? touch->point_1 : point, m->centre_1);
  contact->arm_2 = ts_sub(m->apart ? touch->point_2 : point, m->centre_2);
  contact->normal = touch->normal;
  contact->tangent = tangent;
  contact->other = other;
  contact->gap = touch->gap + m->skins;
  memset(contact->impulse, 0, sizeof contact->impulse);
  memset(contact->velocity, 0, sizeof contact->velocity);
  contact->friction = m->law->friction;
  contact->restitution = m->law->restitution;
  contact->mode = TS_SEPARATE;
  contact->patch = 0;
  contact->summed = 1;
  memset(contact->deflection, 0, sizeof contact->deflection);
  contact->core = 0.0;
  contact->support = false;
  set->parts[set->count] = m->parts;
  set->laws[set->count++] = m->law;
}

// Contacts behind the pair move up by one.
static void open_place(ts_contact_set *set, int place)
{
  const size_t behind = (size_t)(set->count - place);
  memmove(set->contacts + place + 1, set->contacts + place, behind * sizeof *set->contacts);
  memmove(set->laws + place + 1, set->laws + place, behind * sizeof *set->laws);
  memmove(set->parts + place + 1, set->parts + place, behind * sizeof *set->parts);
  if (set->alternative) memmove(set->alternative + place + 1, set->alternative + place, behind * sizeof(int));
}

void ts_contact_set_add(ts_contact_set *set, int i, const ts_finder *finder, const ts_kinematics *kinematics,
                        const ts_touch *touch, ts_arena *arena)
{
  const ts_part_pair pair = set->parts[i];
  const ts_candidate candidate = {.part_1 = pair.first, .part_2 = pair.second, .law = set->laws[i]};
  const meeting m = meeting_of(finder, kinematics, &candidate);
  const ts_vec3 tangent = choose_tangent(finder->model, m.law, touch->normal);
  int place = i + 1;
  while (place < set->count && ts_part_pair_key(set->parts[place]) == ts_part_pair_key(pair)) ++place;
  reserve(set, set->count + 1, arena);
  open_place(set, place);
  const int count = set->count;
  set->count = place;
  add_contact(set, &m, touch, tangent, ts_cross(touch->normal, tangent));
  set->count = count + 1;
}

// ---- corners that parts of a body share ----------------------------------------------------------------------------

static const double SAME_POINT = 1e-8;  // of the smaller part's size
static const double SAME_NORMAL = 1e-6; // length of their difference

static bool is_between(const ts_contact *contact, int body_a, int body_b)
{
  return (contact->body_1 == body_a && contact->body_2 == body_b) ||
         (contact->body_1 == body_b && contact->body_2 == body_a);
}

// The contact found last between two bodies before the one just added, or -1. Pairs come by their first part and so by
// their first body: while those of one body come, an entry of another body, or of an earlier search, is out of date,
// and its contact shows it.
static int last_between(const ts_finder *finder, const ts_contact_set *set, int first_body, int second_body)
{
  const int last = finder->last[second_body];
  const int added = set->count - 1;
  return last >= 0 && last < added && is_between(&set->contacts[last], first_body, second_body) ? last : -1;
}

// The size of the smaller part. A point has none: against another part that one's counts, against a plane, which has no
// end, nothing does.
static double pair_size(const ts_model *model, ts_part_pair pair)
{
  const double first = model->parts[pair.first].convex.reach, second = model->parts[pair.second].convex.reach;
  const double smaller = fmin(first, second), larger = fmax(first, second);
  return smaller == 0.0 && isfinite(larger) ? larger : smaller;
}

// Does the contact just added stand where another part of the same bodies has one? `last` begins their chain.
static bool is_repeated(const ts_finder *finder, const ts_contact_set *set, int last)
{
  const int added = set->count - 1;
  const ts_contact *contact = &set->contacts[added];
  const ts_part_pair pair = set->parts[added];
  const double size = pair_size(finder->model, pair);
  for (int k = last; k >= 0; k = set->before[k]) {
    const ts_contact *other = &set->contacts[k];
    const bool of_other_parts = set->parts[k].first != pair.first || set->parts[k].second != pair.second;
    if (of_other_parts && set->laws[k] == set->laws[added] &&
        ts_distance_of(other->point, contact->point) <= SAME_POINT * size &&
        ts_distance_of(other->normal, contact->normal) <= SAME_NORMAL)
      return true;
  }
  return false;
}

// Take the contact just added back where it repeats one, else chain it to those of its bodies.
static void settle_contact(ts_finder *finder, ts_contact_set *set, int first_body, int second_body)
{
  const int last = last_between(finder, set, first_body, second_body);
  if (is_repeated(finder, set, last)) {
    --set->count;
    return;
  }
  set->before[set->count - 1] = last;
  finder->last[second_body] = set->count - 1;
}

static bool is_compound(const ts_model *model, int body)
{
  return model->bodies[body].part_count > 1;
}

// ---- pairs ---------------------------------------------------------------------------------------------------------

TS_INLINE ts_mover mover_of(const ts_finder *finder, const ts_course *c, int part)
{
  static const ts_twist rest = {{0.0, 0.0, 0.0}, {0.0, 0.0, 0.0}};
  const ts_model *model = finder->model;
  const int body = model->parts[part].body;
  const ts_twist *twists = c->heading ? c->heading : c->velocity;
  const bool stands = c->arrived && model->bodies[body].kind == TS_KINEMATIC;
  return (ts_mover){.convex = &model->parts[part].convex,
                    .frame = ts_part_frame(finder, c->kinematics, part),
                    .centre = &c->kinematics->frame[body].origin,
                    .twist = stands ? &rest : &twists[body]};
}

TS_INLINE const ts_touch_buffer *touches_of(const ts_finder *finder, const ts_course *c, int a, int b,
                                            ts_pair_finder *pair_finder)
{
  const double margin = finder->margins[a] + finder->margins[b];
  const ts_convex *convex_a = &finder->model->parts[a].convex, *convex_b = &finder->model->parts[b].convex;
  if (ts_pair_is_plain(pair_finder->companions, convex_a, convex_b))
    return ts_plain_touches(pair_finder, convex_a, ts_part_frame(finder, c->kinematics, a), convex_b,
                            ts_part_frame(finder, c->kinematics, b), margin);
  const ts_couple couple = {.a = a,
                            .b = b,
                            .movers = {mover_of(finder, c, a), mover_of(finder, c, b)},
                            .margin = margin,
                            .outlook = {fmin(c->h, finder->outlook.time), finder->outlook.closed}};
  const ts_touch_buffer *several = c->alternatives ? ts_pair_alternatives(pair_finder, &couple) : NULL;
  return several ? several : ts_pair_touches(pair_finder, &couple);
}

// Where contacts of one search go, and what it is for.
typedef struct search {
  ts_finder *finder;
  const ts_course *course;
  ts_pair_finder pair_finder;
  ts_contact_set *set;
  bool settle; // else whoever puts sets together sees to contacts that compounds repeat
} search;

// Parts of pairs are in the model's order, whichever body's impulses are counted.
static void settle_if_compound(ts_finder *finder, ts_contact_set *set)
{
  const ts_model *model = finder->model;
  const ts_part_pair pair = set->parts[set->count - 1];
  const int body_1 = model->parts[pair.first].body, body_2 = model->parts[pair.second].body;
  const bool exchanged = pair.first > pair.second;
  if (is_compound(model, body_1) || is_compound(model, body_2))
    settle_contact(finder, set, exchanged ? body_2 : body_1, exchanged ? body_1 : body_2);
}

TS_INLINE bool is_nearly_flat(const ts_model *model, int part)
{
  return ts_shape_type_of(model->parts[part].convex.kind)->nearly_flat;
}

TS_INLINE void add_touches(search *s, const ts_candidate *candidate)
{
  const ts_model *model = s->finder->model;
  ts_contact_set *set = s->set;
  const int a = candidate->part_1, b = candidate->part_2;
  const ts_touch_buffer *buffer = touches_of(s->finder, s->course, a, b, &s->pair_finder);
  if (buffer->count == 0) return;
  reserve(set, set->count + buffer->count, s->pair_finder.arena);
  const meeting m = meeting_of(s->finder, s->course->kinematics, candidate);
  const bool turns = buffer->alternative || ts_either_is_own(&model->parts[a].convex, &model->parts[b].convex);
  const bool nearest_alone = s->course->nearest_alone && (is_nearly_flat(model, a) || is_nearly_flat(model, b));
  ts_vec3 tangent = choose_tangent(model, m.law, buffer->touches[0].normal); // touches of convex parts share a normal
  ts_vec3 other = ts_cross(buffer->touches[0].normal, tangent);
  for (int k = 0; k < buffer->count; ++k) {
    if (nearest_alone && ts_feature_is_turned(buffer->touches[k].feature)) continue;
    if (turns) {
      tangent = choose_tangent(model, m.law, buffer->touches[k].normal);
      other = ts_cross(buffer->touches[k].normal, tangent);
    }
    const bool covered = buffer->instead && buffer->instead[k].first >= 0;
    if (buffer->instead) set->instead[set->count] = buffer->instead[k];
    add_contact(set, &m, &buffer->touches[k], tangent, other);
    if (buffer->alternative) set->alternative[set->count - 1] = buffer->alternative[k];
    if (s->settle && !covered && !buffer->alternative) settle_if_compound(s->finder, set);
  }
}

TS_INLINE void search_pairs(search *s, ts_candidates *candidates, ts_arena *arena)
{
  ts_pair_finder_init(&s->pair_finder, s->finder->model, s->set->companions, arena);
  ts_candidate candidate;
  while (ts_next_candidate(candidates, &candidate)) add_touches(s, &candidate);
}

// ---- shared among a team -------------------------------------------------------------------------------------------

// Neighbours among the pairs are a share, and its contacts go behind those of the shares before it: they come in the
// order in which one alone would have found them. A member has several, one after another in turn with the others:
// pairs of the first bodies take longer where these lie on the floor.
enum { SHARES_EACH = 4 };

typedef struct share {
  alignas(TS_ARENA_ALIGNMENT) search search;
  ts_candidates candidates;
  ts_contact_set set;
  int place; // of its first contact among all
} share;

typedef struct shared_search {
  ts_team *team;
  share *shares; // (count)
  int count;
  bool *failed; // of the members, who ran out of memory
  ts_contact_set *set;
} shared_search;

typedef struct search_errand {
  const shared_search *search;
  int member, size;
} search_errand;

static void search_shares(void *argument, ts_arena *arena)
{
  const search_errand *errand = argument;
  const shared_search *s = errand->search;
  for (int k = errand->member; k < s->count; k += errand->size)
    search_pairs(&s->shares[k].search, &s->shares[k].candidates, arena);
}

static void search_as_member(void *argument, int member, int size)
{
  const shared_search *s = argument;
  search_errand errand = {s, member, size};
  s->failed[member] = !ts_team_send(s->team, member, search_shares, &errand);
}

static void copy_contacts(const ts_contact_set *from, int first, int count, ts_contact_set *to, int place)
{
  const size_t n = (size_t)count;
  if (count == 0) return;
  memcpy(to->contacts + place, from->contacts + first, n * sizeof *to->contacts);
  memcpy(to->laws + place, from->laws + first, n * sizeof *to->laws);
  memcpy(to->parts + place, from->parts + first, n * sizeof *to->parts);
  memcpy(to->before + place, from->before + first, n * sizeof *to->before);
  if (to->alternative) memcpy(to->alternative + place, from->alternative + first, n * sizeof *to->alternative);
  if (to->instead) memcpy(to->instead + place, from->instead + first, n * sizeof *to->instead);
}

static void copy_as_member(void *argument, int member, int size)
{
  const shared_search *s = argument;
  for (int k = member; k < s->count; k += size)
    copy_contacts(&s->shares[k].set, 0, s->shares[k].set.count, s->set, s->shares[k].place);
}

// One by one, as they would have come.
static void settle_share(ts_finder *finder, const ts_contact_set *found, ts_contact_set *set)
{
  for (int i = 0; i < found->count; ++i) {
    copy_contacts(found, i, 1, set, set->count++);
    const bool covered = set->instead && set->instead[set->count - 1].first >= 0;
    if (!covered && !ts_contact_is_alternative(set, set->count - 1)) settle_if_compound(finder, set);
  }
}

// Leave where a member has run out of memory, for its reason.
static void heed_failures(const shared_search *s, ts_arena *arena)
{
  for (int k = 0; k < ts_team_size(s->team); ++k) {
    if (!s->failed[k]) continue;
    arena->refused = ts_team_arena(s->team, k)->refused;
    longjmp(*arena->recovery, 1);
  }
}

static void put_together(ts_finder *finder, const shared_search *s, ts_arena *arena)
{
  int count = 0;
  for (int k = 0; k < s->count; ++k) {
    s->shares[k].place = count;
    count += s->shares[k].set.count;
  }
  reserve(s->set, count, arena);
  if (!finder->has_compounds) {
    ts_team_run(s->team, copy_as_member, (void *)s);
    s->set->count = count;
  }
  for (int k = 0; finder->has_compounds && k < s->count; ++k) settle_share(finder, &s->shares[k].set, s->set);
}

static void search_as_team(ts_finder *finder, ts_candidates *candidates, ts_arena *arena, ts_contact_set *set)
{
  const int size = ts_team_size(finder->team);
  ts_place_candidates(candidates, ts_arena_ints(arena, (size_t)finder->model->part_count));
  shared_search s = {.team = finder->team, .count = SHARES_EACH * size, .set = set};
  s.shares = ts_arena_bytes(arena, (size_t)s.count, sizeof *s.shares);
  s.failed = ts_arena_bytes(arena, (size_t)size, sizeof *s.failed);
  for (int k = 0; k < s.count; ++k) {
    share *own = &s.shares[k];
    *own = (share){.search = {.finder = finder, .course = candidates->course, .set = &own->set},
                   .candidates = *candidates,
                   .set = {.companions = set->companions, .alternative = set->alternative}};
    ts_team_share(candidates->count, k, s.count, &own->candidates.next, &own->candidates.count);
  }
  ts_team_run(s.team, search_as_member, &s);
  heed_failures(&s, arena);
  put_together(finder, &s, arena);
}

// ---- covered contacts ----------------------------------------------------------------------------------------------

// The deepest contact of two parts that nobody covers, or -1.
static int deepest_contact(const ts_contact_set *set, ts_part_pair pair)
{
  int deepest = -1;
  for (int i = 0; i < set->count; ++i) {
    if (set->instead[i].first >= 0 || ts_part_pair_key(set->parts[i]) != ts_part_pair_key(pair)) continue;
    if (deepest < 0 || set->contacts[i].gap < set->contacts[deepest].gap) deepest = i;
  }
  return deepest;
}

// Whether the parts of contact i are apart once the body is out of contact k.
static bool parts_with(const ts_finder *finder, const ts_kinematics *kinematics, const ts_contact_set *set, int i,
                       int k)
{
  const ts_contact *cover = &set->contacts[k];
  const int a = set->parts[i].first, b = set->parts[i].second;
  const ts_convex *convex_a = &finder->model->parts[a].convex, *convex_b = &finder->model->parts[b].convex;
  ts_frame moved = *ts_part_frame(finder, kinematics, a);
  moved.origin = ts_add_scaled(moved.origin, fmax(0.0, -cover->gap), cover->normal);
  ts_separation separation;
  ts_convex_distance(convex_a, &moved, convex_b, ts_part_frame(finder, kinematics, b), &separation);
  return separation.gap >= -TS_FLUSH * ts_pair_size(convex_a, convex_b);
}

// Whoever covers a contact separates the bodies by its own. Where bodies overlap so much that it does not, or that two
// parts cover each other's contacts, the covered one stays.
static void drop_covered(const ts_finder *finder, const ts_kinematics *kinematics, ts_contact_set *set)
{
  for (int i = 0; i < set->count; ++i) {
    if (set->instead[i].first < 0 || set->contacts[i].gap >= 0.0) continue;
    const int cover = deepest_contact(set, set->instead[i]);
    if (cover < 0 || !parts_with(finder, kinematics, set, i, cover)) set->instead[i] = (ts_part_pair){-1, -1};
  }
  int kept = 0;
  for (int i = 0; i < set->count; ++i)
    if (set->instead[i].first < 0) ts_contact_set_move(set, i, kept++);
  set->count = kept;
}

bool ts_find_contacts_on(ts_finder *finder, const ts_course *course, ts_arena *arena, ts_contact_set *set)
{
  enum { WORTHWHILE = 64 }; // pairs
  static const ts_companions NOBODY = {0};
  ts_candidates candidates;
  *set = (ts_contact_set){.companions = course->uncovered ? &NOBODY : &finder->companions,
                          .alternative = course->alternatives ? ts_arena_ints(arena, 1) : NULL};
  if (!ts_find_candidates(finder, course, &candidates)) return false;
  if (candidates.count == 0) return true;
  if (ts_team_pays(finder->team, candidates.count, WORTHWHILE) && finder->may_share) {
    search_as_team(finder, &candidates, arena, set);
  } else {
    search alone; // member by member: its memory is made in a moment
    alone.finder = finder;
    alone.course = course;
    alone.set = set;
    alone.settle = finder->has_compounds;
    search_pairs(&alone, &candidates, arena);
  }
  if (set->instead) drop_covered(finder, course->kinematics, set);
  return true;
}
