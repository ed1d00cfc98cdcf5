#include "contact/contact_set.h"

#include "base/hot.h"
#include "math/quad.h"
#include "shape/distance.h"
#include "shape/manifold_pairs.h"

#include <limits.h>
#include <string.h>

static const int64_t PLACED_FOR_EVER = INT64_MAX;

// Points of a ball are at most as fast as |v|_1 + radius |w|_1. The components of a twist are read as two quads, v and
// w_x, and v_z and w, of which some must not count twice; weights are raised beyond rounding.
static ts_ball make_ball(int part, int body, double radius, double pull)
{
  const double once = 1.0 + 1e-12, turn = once * radius;
  return (ts_ball){part, body, radius, pull, {{once, once, once, turn}, {0.0, 0.0, turn, turn}}};
}

// Balls, and the other parts that have to be placed in every call.
static void sort_parts(ts_finder *finder)
{
  const ts_model *model = finder->model;
  for (int i = 0; i < model->part_count; ++i) {
    const ts_part *part = &model->parts[i];
    const ts_body *body = &model->bodies[part->body];
    if (finder->moves[i] && part->at_centre && part->convex.kind == TS_SHAPE_SPHERE)
      finder->balls[finder->ball_count++] = make_ball(i, part->body, part->convex.radius, finder->pulls[i]);
    else if (body->kind != TS_FIXED)
      finder->others[finder->other_count++] = i;
  }
}

// A pair has a part of a dynamic body and another part.
static double thinnest_pair(const ts_finder *finder)
{
  const ts_model *model = finder->model;
  double moving = INFINITY, other = INFINITY;
  int thinnest = -1;
  for (int i = 0; i < model->part_count; ++i) {
    const double radius = ts_convex_inner_radius(&model->parts[i].convex);
    if (!finder->moves[i] || !(radius < moving)) continue;
    moving = radius;
    thinnest = i;
  }
  for (int i = 0; i < model->part_count; ++i)
    if (i != thinnest) other = fmin(other, ts_convex_inner_radius(&model->parts[i].convex));
  return moving + other;
}

static bool is_round(const ts_convex *convex)
{
  return convex->kind == TS_SHAPE_SPHERE || convex->kind == TS_SHAPE_POINT || convex->kind == TS_SHAPE_DISC;
}

// Where every pair touches at one point and there are few parts.
static int most_contacts(const ts_finder *finder)
{
  enum { FEW = 16 };
  const ts_model *model = finder->model;
  int count = 0;
  for (int i = 0; i < model->part_count; ++i)
    for (int k = i + 1; k < model->part_count; ++k) {
      if (model->part_count > FEW) return INT_MAX;
      if (!finder->moves[i] && !finder->moves[k]) continue;
      if (!is_round(&model->parts[i].convex) && !is_round(&model->parts[k].convex)) return INT_MAX;
      count += model->parts[i].body != model->parts[k].body;
    }
  return count;
}

bool ts_finder_init(ts_finder *finder, const ts_model *model, ts_arena *memory)
{
  const size_t count = (size_t)model->part_count;
  *finder = (ts_finder){.model = model, .outlook = {INFINITY, INFINITY}};
  finder->frames = ts_arena_bytes(memory, count, sizeof *finder->frames);
  finder->bounds = ts_arena_bytes(memory, count, sizeof *finder->bounds);
  finder->margins = ts_arena_doubles(memory, count);
  finder->ways = ts_arena_doubles(memory, count);
  finder->swings = ts_arena_doubles(memory, count);
  finder->pulls = ts_arena_doubles(memory, count);
  finder->moves = ts_arena_bytes(memory, count, sizeof *finder->moves);
  finder->placed = ts_arena_bytes(memory, count, sizeof *finder->placed);
  finder->balls = ts_arena_bytes(memory, count, sizeof *finder->balls);
  finder->others = ts_arena_ints(memory, count);
  finder->last = ts_arena_ints(memory, (size_t)model->body_count);
  for (int i = 0; i < model->body_count; ++i) finder->last[i] = -1;
  for (int i = 0; i < model->part_count; ++i) {
    finder->moves[i] = model->bodies[model->parts[i].body].kind == TS_DYNAMIC;
    finder->placed[i] = 0;
    finder->margins[i] = finder->ways[i] = 0.0;
    finder->swings[i] = ts_length(model->parts[i].frame.origin) + model->parts[i].convex.reach;
    finder->pulls[i] = ts_length(model->bodies[model->parts[i].body].gravity);
  }
  sort_parts(finder);
  finder->thinnest = thinnest_pair(finder);
  finder->most_contacts = most_contacts(finder);
  if (!ts_companions_find(&finder->companions, model, memory)) return false;
  finder->near_pairs = ts_near_pairs_create(model->part_count, &memory->allocator);
  return finder->near_pairs != NULL;
}

void ts_finder_release(ts_finder *finder)
{
  ts_near_pairs_destroy(finder->near_pairs);
  finder->near_pairs = NULL;
}

// Where a part is in the world: most are where their body is.
TS_INLINE const ts_frame *part_frame(const ts_finder *finder, const ts_kinematics *kinematics, int part)
{
  const ts_part *p = &finder->model->parts[part];
  return p->at_centre ? &kinematics->frame[p->body] : &finder->frames[part];
}

static ts_frame frame_on(const ts_frame *body, const ts_frame *part)
{
  return (ts_frame){ts_frame_apply(body, part->origin), ts_mat3_product(&body->axes, &part->axes)};
}

// How far any point of the part gets in time h, twice: an impulse may turn it back as fast.
TS_INLINE double travel(const ts_finder *finder, int part, const ts_twist *v, double h)
{
  const double turning = ts_length(v->angular);
  double speed = ts_length(v->linear);
  if (turning > 0.0) speed += turning * finder->swings[part]; // that of a plane is infinite
  return 2.0 * h * (speed + h * finder->pulls[part]);
}

TS_INLINE ts_bounds grown(ts_bounds box, double margin)
{
  const ts_vec3 by = {margin, margin, margin};
  return (ts_bounds){ts_sub(box.low, by), ts_add(box.high, by)};
}

// A ball is not worth a call.
TS_INLINE ts_bounds bounds_of(const ts_convex *convex, const ts_frame *frame)
{
  if (convex->kind != TS_SHAPE_SPHERE) return ts_convex_bounds(convex, frame);
  return ts_bounds_about(frame->origin, (ts_vec3){convex->radius, convex->radius, convex->radius});
}

// What parts move by in a call of ts_find_contacts().
typedef struct course {
  const ts_kinematics *kinematics;
  const ts_twist *velocity;
  double h, margin;
} course;

TS_INLINE void place_part(ts_finder *finder, const course *c, int i)
{
  const ts_part *part = &finder->model->parts[i];
  if (!part->at_centre) finder->frames[i] = frame_on(&c->kinematics->frame[part->body], &part->frame);
  const double way = finder->ways[i] = travel(finder, i, &c->velocity[part->body], c->h);
  if (finder->moves[i]) finder->margins[i] = c->margin > 0.0 ? 0.5 * c->margin : way;
  if (finder->touching > 0.0 && finder->moves[i])
    finder->margins[i] += finder->touching * (ts_length(c->kinematics->frame[part->body].origin) + finder->swings[i]);
  finder->bounds[i] = grown(bounds_of(&part->convex, part_frame(finder, c->kinematics, i)), finder->margins[i]);
  const bool stays = finder->model->bodies[part->body].kind == TS_FIXED;
  finder->placed[i] = stays ? PLACED_FOR_EVER : finder->call;
}

TS_HOT static void place_all(ts_finder *finder, const course *c)
{
  for (int i = 0; i < finder->model->part_count; ++i)
    if (finder->placed[i] < finder->call) place_part(finder, c, i);
}

TS_HOT static void place_one(ts_finder *finder, const course *c, int part)
{
  place_part(finder, c, part);
}

// False of numbers that are none.
TS_INLINE bool is_in(const ts_bounds *box, const ts_bounds *room)
{
  return (room->low.x <= box->low.x) & (room->low.y <= box->low.y) & (room->low.z <= box->low.z) &
         (room->high.x >= box->high.x) & (room->high.y >= box->high.y) & (room->high.z >= box->high.z);
}

// No point of a ball is faster.
TS_INLINE double ball_speed_bound(const ts_twist *v, const ts_ball *ball)
{
  const ts_quad first = TS_CONST_QUAD((const double *)v), last = TS_CONST_QUAD((const double *)v + 2);
  const ts_quad terms =
      ts_quad_abs(first) * TS_CONST_QUAD(ball->weight[0]) + ts_quad_abs(last) * TS_CONST_QUAD(ball->weight[1]);
  return (terms[0] + terms[1]) + (terms[2] + terms[3]);
}

// At least the margin of place_part(), without the roots of travel().
TS_INLINE double margin_bound(const ts_ball *ball, const course *c)
{
  const double speed = ball_speed_bound(&c->velocity[ball->body], ball);
  return c->margin > 0.0 ? 0.5 * c->margin : 2.0 * c->h * (speed + c->h * ball->pull);
}

// Whether the boxes of all balls are in their rooms for sure. A room is six numbers: the first four are compared with
// the low corner, the last four with the high one; of the fourth nothing is asked. Corners are rounded as those of the
// boxes are, so that no box is smaller in truth. Numbers that are none are in no room.
TS_HOT static bool balls_stay(const ts_finder *finder, const course *c, const ts_bounds *rooms)
{
  ts_quad_mask low = {-1, -1, -1, -1}, high = low;
  for (int k = 0; k < finder->ball_count; ++k) {
    const ts_ball *ball = &finder->balls[k];
    const double *room = (const double *)&rooms[ball->part], way = margin_bound(ball, c);
    const ts_quad centre = TS_CONST_QUAD((const double *)&c->kinematics->frame[ball->body]);
    const ts_quad shifted = __builtin_shufflevector(centre, centre, 3, 0, 1, 2);
    low &= TS_CONST_QUAD(room) <= centre - ball->radius - way;
    high &= TS_CONST_QUAD(room + 2) >= shifted + ball->radius + way;
  }
  return (low[0] & low[1] & low[2] & high[1] & high[2] & high[3]) != 0;
}

// Whether a part stays in its room, with its box.
TS_INLINE bool stays(ts_finder *finder, const course *c, const ts_bounds *rooms, int part)
{
  place_part(finder, c, part);
  return is_in(&finder->bounds[part], &rooms[part]);
}

// The same of all parts. Of balls whose box is not needed to tell it is not made: they are left not placed.
TS_HOT static bool all_stay(ts_finder *finder, const course *c, const ts_bounds *rooms)
{
  for (int k = 0; k < finder->other_count; ++k)
    if (!stays(finder, c, rooms, finder->others[k])) return false;
  if (finder->touching == 0.0 && balls_stay(finder, c, rooms)) return true;
  for (int k = 0; k < finder->ball_count; ++k)
    if (!stays(finder, c, rooms, finder->balls[k].part)) return false;
  return true;
}

// t follows the law's direction where it has one, else the world's x axis (y where the normal is along x): the same for
// every contact with a level floor, so that numbers read easily. In the plane t is n turned clockwise.
static ts_vec3 choose_tangent(const ts_model *model, const ts_contact_law *law, ts_vec3 n)
{
  static const ts_vec3 x_axis = {1.0, 0.0, 0.0}, y_axis = {0.0, 1.0, 0.0};
  if (model->space == TS_SPACE_2D) return (ts_vec3){n.y, -n.x, 0.0};
  const ts_vec3 wish = law->direction, t = ts_add_scaled(wish, -ts_dot(wish, n), n);
  if (ts_dot(t, t) > 1e-6 * ts_dot(wish, wish)) return ts_normalize(t, x_axis);
  const ts_vec3 axis = fabs(n.x) < 0.9 ? x_axis : y_axis;
  return ts_normalize(ts_add_scaled(axis, -ts_dot(axis, n), n), y_axis);
}

// Room for more contacts, twice as many at a time.
static void reserve(const ts_finder *finder, ts_contact_set *set, int count, ts_arena *arena)
{
  if (count <= set->capacity) return;
  if (count > TS_MOST_CONTACTS) ts_arena_refuse(arena, "contacts and more", (size_t)count, TS_MOST_CONTACTS);
  const int capacity = count > 2 * set->capacity ? count : 2 * set->capacity;
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
  if (finder->companions.count == 0) return;
  ts_part_pair *instead = ts_arena_bytes(arena, (size_t)capacity, sizeof *instead);
  if (set->count > 0) memcpy(instead, set->instead, (size_t)set->count * sizeof *instead);
  set->instead = instead;
}

// `touch` has its normal from part_2 to part_1. The impulses act at one point: half-way between the surfaces of two
// bodies that move, and on the surface of the one that moves where the other does not. So the arm of a ball is its
// radius, whatever its gap.
static void add_contact(const ts_finder *finder, ts_contact_set *set, const ts_kinematics *kinematics, int part_1,
                        int part_2, const ts_touch *touch, ts_vec3 tangent, const ts_contact_law *law)
{
  const ts_model *model = finder->model;
  ts_contact *contact = &set->contacts[set->count];
  set->before[set->count] = -1;
  const int body_1 = model->parts[part_1].body, body_2 = model->parts[part_2].body;
  const bool both = model->bodies[body_2].kind == TS_DYNAMIC;
  const ts_vec3 point = both ? ts_scale(0.5, ts_add(touch->point_1, touch->point_2)) : touch->point_1;
  contact->body_1 = body_1;
  contact->body_2 = body_2;
  contact->part_1 = model->parts[part_1].source;
  contact->part_2 = model->parts[part_2].source;
  contact->feature = touch->feature;
  contact->point = point;
  const bool apart = both && finder->arms_to_surfaces;
  contact->arm_1 = ts_sub(apart ? touch->point_1 : point, kinematics->frame[body_1].origin);
  contact->arm_2 = ts_sub(apart ? touch->point_2 : point, kinematics->frame[body_2].origin);
  contact->normal = touch->normal;
  contact->tangent = tangent;
  contact->other = ts_cross(touch->normal, tangent);
  contact->gap = touch->gap;
  memset(contact->impulse, 0, sizeof contact->impulse);
  memset(contact->velocity, 0, sizeof contact->velocity);
  contact->friction = law->friction;
  contact->restitution = law->restitution;
  contact->mode = TS_SEPARATE;
  set->parts[set->count] = (ts_part_pair){part_1, part_2};
  set->laws[set->count++] = law;
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

TS_INLINE ts_mover mover_of(const ts_finder *finder, const course *c, int part)
{
  static const ts_twist rest = {{0.0, 0.0, 0.0}, {0.0, 0.0, 0.0}};
  const ts_model *model = finder->model;
  const int body = model->parts[part].body;
  const ts_twist *twists = finder->heading ? finder->heading : c->velocity;
  const bool stands = finder->arrived && model->bodies[body].kind == TS_KINEMATIC;
  return (ts_mover){.convex = &model->parts[part].convex,
                    .frame = part_frame(finder, c->kinematics, part),
                    .centre = &c->kinematics->frame[body].origin,
                    .twist = stands ? &rest : &twists[body]};
}

TS_INLINE const ts_touch_room *touches_of(const ts_finder *finder, const course *c, int a, int b,
                                          ts_pair_finder *pair_finder)
{
  const double margin = finder->margins[a] + finder->margins[b];
  const ts_convex *convex_a = &finder->model->parts[a].convex, *convex_b = &finder->model->parts[b].convex;
  if (ts_pair_is_plain(&finder->companions, convex_a, convex_b))
    return ts_plain_touches(pair_finder, convex_a, part_frame(finder, c->kinematics, a), convex_b,
                            part_frame(finder, c->kinematics, b), margin);
  const ts_couple couple = {.a = a,
                            .b = b,
                            .movers = {mover_of(finder, c, a), mover_of(finder, c, b)},
                            .margin = margin,
                            .outlook = {fmin(c->h, finder->outlook.time), finder->outlook.closed}};
  return ts_pair_touches(pair_finder, &couple);
}

static void add_pair(ts_finder *finder, const course *c, ts_box_pair pair, ts_pair_finder *pair_finder,
                     ts_contact_set *set)
{
  const ts_model *model = finder->model;
  const ts_contact_law *law = ts_model_law(model, pair.first, pair.second);
  if (!law) return;
  // The moving part first: then impulses of a body on the floor are impulses on the body.
  const bool exchange = !finder->moves[pair.first];
  const int a = exchange ? pair.second : pair.first, b = exchange ? pair.first : pair.second;
  const ts_touch_room *room = touches_of(finder, c, a, b, pair_finder);
  reserve(finder, set, set->count + room->count, pair_finder->arena);
  if (room->count == 0) return;
  const int body_1 = model->parts[pair.first].body, body_2 = model->parts[pair.second].body;
  const bool may_repeat = is_compound(model, body_1) || is_compound(model, body_2);
  const ts_vec3 tangent = choose_tangent(model, law, room->touches[0].normal); // the touches of a pair share a normal
  for (int k = 0; k < room->count; ++k) {
    const bool covered = room->instead && room->instead[k].first >= 0;
    if (room->instead) set->instead[set->count] = room->instead[k];
    add_contact(finder, set, c->kinematics, a, b, &room->touches[k], tangent, law);
    if (may_repeat && !covered) settle_contact(finder, set, body_1, body_2);
  }
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
  ts_frame moved = *part_frame(finder, kinematics, a);
  moved.origin = ts_add_scaled(moved.origin, fmax(0.0, -cover->gap), cover->normal);
  ts_separation separation;
  ts_convex_distance(convex_a, &moved, convex_b, part_frame(finder, kinematics, b), &separation);
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

// The pairs of parts whose boxes overlap, from those whose rooms do.
static bool is_near(ts_finder *finder, const course *c, ts_box_pair pair)
{
  if (finder->placed[pair.first] < finder->call) place_one(finder, c, pair.first);
  if (finder->placed[pair.second] < finder->call) place_one(finder, c, pair.second);
  const ts_bounds *first = &finder->bounds[pair.first], *second = &finder->bounds[pair.second];
  return ts_bounds_overlap(first, second) && ts_bounds_are_proper(first) && ts_bounds_are_proper(second);
}

bool ts_find_contacts(ts_finder *finder, const ts_kinematics *kinematics, const ts_twist *velocity, double h,
                      double margin, ts_arena *arena, ts_contact_set *set)
{
  const int parts = finder->model->part_count;
  const course c = {kinematics, velocity, h, margin};
  const ts_bounds *rooms = ts_near_pairs_rooms(finder->near_pairs, parts);
  const ts_box_pair *pairs;
  int pair_count;
  *set = (ts_contact_set){.companions = &finder->companions};
  ++finder->call;
  const bool stay = rooms && all_stay(finder, &c, rooms);
  if (stay) {
    pairs = ts_near_pairs_kept(finder->near_pairs, &pair_count);
  } else {
    place_all(finder, &c);
    if (!ts_near_pairs_find(finder->near_pairs, finder->bounds, finder->ways, finder->moves, parts, &pairs,
                            &pair_count))
      return false;
  }
  if (pair_count == 0) return true;
  ts_pair_finder pair_finder;
  ts_pair_finder_init(&pair_finder, finder->model, &finder->companions, arena);
  for (int k = 0; k < pair_count; ++k)
    if (!stay || is_near(finder, &c, pairs[k])) add_pair(finder, &c, pairs[k], &pair_finder, set);
  if (set->instead) drop_covered(finder, kinematics, set);
  return true;
}

// ---- looking ahead -------------------------------------------------------------------------------------------------

// No point of the part is faster; without the roots of travel(), up to sqrt(3) times too much.
TS_INLINE double speed_bound(const ts_twist *v, double swing)
{
  const ts_vec3 a = v->linear, w = v->angular;
  return fabs(a.x) + fabs(a.y) + fabs(a.z) + swing * (fabs(w.x) + fabs(w.y) + fabs(w.z));
}

TS_HOT bool ts_is_in_sight(const ts_finder *finder, const ts_twist *velocity, double h, bool all)
{
  const double fastest = finder->thinnest / (2.0 * h);
  for (int k = 0; k < finder->other_count; ++k) {
    const int part = finder->others[k];
    const double speed = speed_bound(&velocity[finder->model->parts[part].body], finder->swings[part]);
    if (!(speed <= fastest && h * speed <= finder->margins[part]) && finder->moves[part]) return false;
  }
  for (int k = 0; k < finder->ball_count; ++k) {
    const ts_ball *ball = &finder->balls[k];
    const double speed = ball_speed_bound(&velocity[ball->body], ball);
    if (!(speed <= fastest)) return false;
    if (finder->placed[ball->part] == finder->call ? !(h * speed <= finder->margins[ball->part]) : all) return false;
  }
  return true;
}

// Whether a part of whose margin is not known whether it is enough gets no farther than that.
static bool stays_within(const ts_finder *finder, int part, const ts_twist *v, double h)
{
  return h * (ts_length(v->linear) + finder->swings[part] * ts_length(v->angular)) <= finder->margins[part];
}

// A ball that was not placed has nothing near it as long as it stays in its room.
static bool stays_in_room(const ts_finder *finder, const ts_kinematics *kinematics, const ts_ball *ball, double way)
{
  const ts_bounds *rooms = ts_near_pairs_rooms(finder->near_pairs, finder->model->part_count);
  const double extent = ball->radius + way;
  const ts_bounds box = ts_bounds_about(kinematics->frame[ball->body].origin, (ts_vec3){extent, extent, extent});
  return rooms && is_in(&box, &rooms[ball->part]);
}

TS_INLINE bool is_covered(const ts_finder *finder, int part, const ts_twist *v, double way, double h)
{
  return way <= finder->margins[part] || stays_within(finder, part, v, h);
}

ts_travel ts_look_ahead(const ts_finder *finder, const ts_kinematics *kinematics, const ts_twist *velocity, double h,
                        bool all)
{
  ts_travel ahead = {.covered = true};
  for (int k = 0; k < finder->other_count; ++k) {
    const int part = finder->others[k];
    if (!finder->moves[part]) continue;
    const ts_twist *v = &velocity[finder->model->parts[part].body];
    const double way = h * speed_bound(v, finder->swings[part]);
    ahead.way = way > ahead.way ? way : ahead.way;
    ahead.covered = ahead.covered && is_covered(finder, part, v, way, h);
  }
  for (int k = 0; k < finder->ball_count; ++k) {
    const ts_ball *ball = &finder->balls[k];
    const ts_twist *v = &velocity[ball->body];
    const double way = h * ball_speed_bound(v, ball);
    ahead.way = way > ahead.way ? way : ahead.way;
    if (finder->placed[ball->part] == finder->call)
      ahead.covered = ahead.covered && is_covered(finder, ball->part, v, way, h);
    else if (all)
      ahead.covered = ahead.covered && stays_in_room(finder, kinematics, ball, way);
  }
  return ahead;
}
