// See pair_touches.h.
#include "contact/pair_touches.h"

#include "shape/shape_type.h"

enum { TOUCHES_AT_FIRST = 64 };

static void make_room(const ts_pair_finder *finder, int capacity, ts_touch_buffer *buffer)
{
  buffer->touches = ts_arena_bytes(finder->arena, (size_t)capacity, sizeof *buffer->touches);
  buffer->capacity = capacity;
  buffer->alternative = NULL;
  buffer->instead =
      finder->companions->count > 0 ? ts_arena_bytes(finder->arena, (size_t)capacity, sizeof *buffer->instead) : NULL;
}

void ts_pair_finder_init(ts_pair_finder *finder, const ts_model *model, const ts_companions *companions,
                         ts_arena *arena)
{
  finder->model = model;
  finder->companions = companions;
  finder->arena = arena;
  finder->ahead.touches = NULL;
  finder->alternatives = (ts_alternative_list){0};
  make_room(finder, TOUCHES_AT_FIRST, &finder->now);
}

_Noreturn void ts_refuse_answer(ts_query_fault fault, const ts_convex *a, const ts_convex *b, ts_arena *arena)
{
  char text[TS_FAULT_SIZE];
  ts_query_fault_text(fault, a, b, text);
  ts_arena_fail(arena, text);
}

// A shape of an extension may answer otherwise when it is asked again with more room.
TS_INLINE void fill(const ts_pair_finder *finder, const ts_convex *a, const ts_frame *frame_a, const ts_convex *b,
                    const ts_frame *frame_b, double margin, ts_touch_buffer *buffer)
{
  for (;;) {
    buffer->count = ts_convex_touches(a, frame_a, b, frame_b, margin, buffer->touches, buffer->capacity);
    if ((unsigned)buffer->count <= (unsigned)buffer->capacity) return;
    if (buffer->count < 0) ts_refuse_answer((ts_query_fault)-buffer->count, a, b, finder->arena);
    make_room(finder, 2 * buffer->count, buffer);
  }
}

const ts_touch_buffer *ts_plain_touches(ts_pair_finder *finder, const ts_convex *a, const ts_frame *frame_a,
                                        const ts_convex *b, const ts_frame *frame_b, double margin)
{
  fill(finder, a, frame_a, b, frame_b, margin, &finder->now);
  return &finder->now;
}

static void find(const ts_pair_finder *finder, const ts_couple *couple, const ts_frame *frame_a,
                 const ts_frame *frame_b, ts_touch_buffer *buffer)
{
  fill(finder, couple->movers[0].convex, frame_a, couple->movers[1].convex, frame_b, couple->margin, buffer);
}

// ---- covers --------------------------------------------------------------------------------------------------------

static const ts_part_pair NO_PAIR = {-1, -1};

// The pair of parts that separates what touches here, where a companion of one of the two parts covers the touch.
static ts_part_pair covering_pair(const ts_pair_finder *finder, const ts_couple *couple, const ts_frame *frame_a,
                                  const ts_frame *frame_b, const ts_touch *touch)
{
  const int a = couple->a, b = couple->b;
  const int of_b =
      ts_companions_cover(finder->companions, finder->model, b, a, ts_frame_unapply(frame_b, touch->point_2),
                          ts_mul_transposed(&frame_b->axes, touch->normal));
  if (of_b >= 0) return (ts_part_pair){a, of_b};
  const int of_a =
      ts_companions_cover(finder->companions, finder->model, a, b, ts_frame_unapply(frame_a, touch->point_1),
                          ts_mul_transposed(&frame_a->axes, ts_negate(touch->normal)));
  return of_a >= 0 ? (ts_part_pair){of_a, b} : NO_PAIR;
}

static void note_covers(const ts_pair_finder *finder, const ts_couple *couple, const ts_frame *frame_a,
                        const ts_frame *frame_b, const ts_touch_buffer *buffer)
{
  if (!buffer->instead) return;
  const bool ask =
      ts_companions_are_there(finder->companions, couple->a) || ts_companions_are_there(finder->companions, couple->b);
  for (int k = 0; k < buffer->count; ++k)
    buffer->instead[k] = ask ? covering_pair(finder, couple, frame_a, frame_b, &buffer->touches[k]) : NO_PAIR;
}

// A shape of an extension is believed to have told all: nothing covers its touches, and what passes it does so along no
// one direction.
static void note_no_covers(const ts_touch_buffer *buffer)
{
  for (int k = 0; buffer->instead && k < buffer->count; ++k) buffer->instead[k] = NO_PAIR;
}

static int count_covered(const ts_touch_buffer *buffer)
{
  int count = 0;
  for (int k = 0; buffer->instead && k < buffer->count; ++k) count += buffer->instead[k].first >= 0;
  return count;
}

// ---- in corners of the union ---------------------------------------------------------------------------------------

// Where an edge stands in the corner between a floor and a wall beside it, the edges of floor and body meet, and the
// direction of their distance may be any between those of their faces. Where it is one that the wall covers, a face
// that nothing covers must do.

enum { MOST_FACES = 16 };

static bool is_on_round_end(const ts_convex *convex, ts_vec3 p, double tolerance)
{
  const ts_shape_type *type = ts_shape_type_of(convex->kind);
  if (!type->exposed_face) return false;
  const ts_exposed_face end = type->exposed_face(convex, p, ts_vec3_make(0.0, 0.0, p.z > 0.0 ? 1.0 : -1.0));
  return end.kind == TS_EXPOSED_DISC && end.height - fabs(p.z) <= tolerance;
}

// Outward normals (world) of the faces of a part that a point lies on.
static int normals_at(const ts_mover *part, ts_vec3 point, double tolerance, ts_vec3 *normals)
{
  const ts_convex *convex = part->convex;
  const ts_vec3 p = ts_frame_unapply(part->frame, point);
  int count = 0;
  for (int f = 0; convex->hull && f < convex->hull->face_count && count < MOST_FACES; ++f)
    if (fabs(convex->hull->offsets[f] - ts_dot(convex->hull->normals[f], p)) <= tolerance)
      normals[count++] = ts_mul(&part->frame->axes, convex->hull->normals[f]);
  if (is_on_round_end(convex, p, tolerance))
    normals[count++] = p.z > 0.0 ? part->frame->axes.z : ts_negate(part->frame->axes.z);
  return count;
}

// Touches along a given direction, into finder->ahead: a is lifted along it, so that it is that of the distance. False
// where there are none, or some are covered.
static bool touch_along(ts_pair_finder *finder, const ts_couple *couple, ts_vec3 direction, double lift)
{
  const ts_mover *a = &couple->movers[0], *b = &couple->movers[1];
  const ts_frame lifted = {ts_add_scaled(a->frame->origin, lift, direction), a->frame->axes};
  ts_touch_buffer *buffer = &finder->ahead;
  find(finder, couple, &lifted, b->frame, buffer);
  for (int k = 0; k < buffer->count; ++k) {
    ts_touch *t = &buffer->touches[k];
    if (ts_distance_of(t->normal, direction) > 1e-3) return false;
    t->normal = direction;
    t->gap -= lift;
    t->point_1 = ts_add_scaled(t->point_1, -lift, direction);
  }
  note_covers(finder, couple, a->frame, b->frame, buffer);
  return buffer->count > 0 && count_covered(buffer) == 0;
}

static int nearest_touch(const ts_touch_buffer *buffer)
{
  int nearest = 0;
  for (int k = 1; k < buffer->count; ++k)
    if (buffer->touches[k].gap < buffer->touches[nearest].gap) nearest = k;
  return nearest;
}

// Where touches of now are covered: those along a face that the nearest of them lies on, if the parts are as far apart
// along it.
static void turn_to_a_face(ts_pair_finder *finder, const ts_couple *couple)
{
  const ts_mover *a = &couple->movers[0], *b = &couple->movers[1];
  const ts_touch touch = finder->now.touches[nearest_touch(&finder->now)];
  const double flush = TS_FLUSH * ts_pair_size(a->convex, b->convex);
  ts_vec3 normals[2 * MOST_FACES + 2];
  const int of_b = normals_at(b, touch.point_2, flush, normals);
  const int count = of_b + normals_at(a, touch.point_1, flush, normals + of_b);
  if (!finder->ahead.touches) make_room(finder, TOUCHES_AT_FIRST, &finder->ahead);
  for (int k = 0; k < count; ++k) {
    const ts_vec3 m = k < of_b ? normals[k] : ts_negate(normals[k]);
    if (ts_convex_separation_along(a->convex, a->frame, b->convex, b->frame, m) < touch.gap - flush) continue;
    if (!touch_along(finder, couple, m, 4.0 * flush)) continue;
    const ts_touch_buffer found = finder->ahead;
    finder->ahead = finder->now;
    finder->now = found;
    return;
  }
}

// ---- passing -------------------------------------------------------------------------------------------------------

// Whether parts that the touches of now would stop pass each other. Then finder->ahead has those of where they will be.
// `gap` is what they close to.
static bool look_ahead(ts_pair_finder *finder, const ts_couple *couple, double gap, double size)
{
  const ts_mover *a = &couple->movers[0], *b = &couple->movers[1];
  if (!finder->ahead.touches) make_room(finder, TOUCHES_AT_FIRST, &finder->ahead);
  ts_touch_buffer *ahead = &finder->ahead;
  const ts_frame frame_a = ts_mover_ahead(a, couple->outlook.time), frame_b = ts_mover_ahead(b, couple->outlook.time);
  find(finder, couple, &frame_a, &frame_b, ahead);
  const bool covered = count_covered(&finder->now) == finder->now.count;
  if (!ts_passing_is_free(a, b, ahead->touches, ahead->count, gap, covered, size)) return false;
  note_covers(finder, couple, &frame_a, &frame_b, ahead);
  ts_passing_take_back(a, b, couple->outlook.time, ahead->touches, ahead->count);
  return true;
}

const ts_touch_buffer *ts_pair_touches(ts_pair_finder *finder, const ts_couple *couple)
{
  const ts_frame *frame_a = couple->movers[0].frame, *frame_b = couple->movers[1].frame;
  find(finder, couple, frame_a, frame_b, &finder->now);
  const ts_mover *a = &couple->movers[0], *b = &couple->movers[1];
  if (finder->now.count == 0) return &finder->now;
  if (ts_either_is_own(a->convex, b->convex)) {
    note_no_covers(&finder->now);
    return &finder->now;
  }
  if (finder->now.instead) {
    note_covers(finder, couple, frame_a, frame_b, &finder->now);
    if (count_covered(&finder->now) > 0) turn_to_a_face(finder, couple);
  }
  if (b->convex->kind == TS_SHAPE_PLANE) return &finder->now;
  const double size = ts_pair_size(a->convex, b->convex);
  const double gap = ts_passing_gap(a, b, finder->now.touches, finder->now.count, &couple->outlook, size);
  return gap < 0.0 && look_ahead(finder, couple, gap, size) ? &finder->ahead : &finder->now;
}

// ---- several directions --------------------------------------------------------------------------------------------

enum { DIRECTIONS_AT_FIRST = 32 };

// Room for more touches; what is there stays.
static void make_more_room(const ts_pair_finder *finder, int capacity, ts_touch_buffer *buffer)
{
  const ts_touch_buffer before = *buffer;
  make_room(finder, capacity, buffer);
  buffer->alternative = ts_arena_ints(finder->arena, (size_t)capacity);
  for (int k = 0; k < before.count; ++k) {
    buffer->touches[k] = before.touches[k];
    buffer->alternative[k] = before.alternative[k];
  }
}

// The directions of a couple, and how many.
static int directions_of(ts_pair_finder *finder, const ts_couple *couple)
{
  ts_alternative_list *list = &finder->alternatives;
  const ts_mover *a = &couple->movers[0], *b = &couple->movers[1];
  if (!list->directions) list->capacity = 0;
  for (int wanted = DIRECTIONS_AT_FIRST;;) {
    if (list->capacity < wanted) {
      list->directions = ts_arena_bytes(finder->arena, (size_t)wanted, sizeof *list->directions);
      list->capacity = wanted;
    }
    const int count =
        ts_find_directions(a->convex, a->frame, b->convex, b->frame, couple->margin, list->directions, list->capacity);
    if (count <= list->capacity) return count;
    wanted = 2 * count;
  }
}

static double widest_gap(const ts_direction *directions, int count)
{
  double widest = -INFINITY;
  for (int k = 0; k < count; ++k) widest = fmax(widest, directions[k].gap);
  return widest;
}

// Touches along a direction, behind those of the others.
static void add_direction(ts_pair_finder *finder, const ts_couple *couple, int number)
{
  ts_touch_buffer *buffer = &finder->alternatives.touches;
  const ts_direction *direction = &finder->alternatives.directions[number];
  const ts_mover *a = &couple->movers[0], *b = &couple->movers[1];
  const int first = buffer->count;
  int count, pushing;
  while ((count = ts_touches_along(a->convex, a->frame, b->convex, b->frame, direction, couple->margin,
                                   buffer->touches + first, buffer->capacity - first, &pushing)) >
         buffer->capacity - first)
    make_more_room(finder, 2 * (first + count), buffer);
  bool mute = direction->cut;
  for (int k = first; finder->companions->count > 0 && k < first + pushing; ++k)
    mute = mute || covering_pair(finder, couple, a->frame, b->frame, &buffer->touches[k]).first >= 0;
  for (int k = first; k < first + count; ++k)
    buffer->alternative[k] = ts_alternative_make(number, mute || k >= first + pushing);
  buffer->count += count;
}

const ts_touch_buffer *ts_pair_alternatives(ts_pair_finder *finder, const ts_couple *couple)
{
  const ts_convex *a = couple->movers[0].convex, *b = couple->movers[1].convex;
  ts_touch_buffer *buffer = &finder->alternatives.touches;
  if (!ts_have_directions(a, b)) return NULL;
  const int count = directions_of(finder, couple);
  if (count < 2 || widest_gap(finder->alternatives.directions, count) < -TS_FLUSH * ts_faceted_size(a, b)) return NULL;
  buffer->count = 0;
  if (!buffer->touches) make_more_room(finder, TOUCHES_AT_FIRST, buffer);
  for (int k = 0; k < count; ++k) add_direction(finder, couple, k);
  note_no_covers(buffer);
  return buffer;
}
