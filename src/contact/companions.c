// See companions.h.
#include "contact/companions.h"

#include "shape/broad_phase.h"
#include "shape/distance.h"
#include "shape/shape_type.h"

#include <math.h>
#include <string.h>

// Of the smaller part's size: points this close lie in a part. Parts this close are companions.
static const double IN = 1e-7;

// How far from the touch F is looked at. A thousand times as far as points may be outside, so that faces that part by
// more than 1e-3 rad are told apart.
static const double NEAR = 1e-4;

// Points this much lower than the touch along the normal are not in F.
static const double LEVEL = TS_EXPOSED_LEVEL;

// ---- which parts are companions ------------------------------------------------------------------------------------

// Shapes of extensions have none: what covers a touch is told by the faces of convex parts.
static bool has_companions(const ts_model *model, const ts_part *part)
{
  const ts_body *body = &model->bodies[part->body];
  if (part->convex.kind == TS_SHAPE_OWN) return false;
  return body->kind == TS_FIXED || body->part_count > 1;
}

static bool stay_together(const ts_model *model, int i, int k)
{
  const int first = model->parts[i].body, second = model->parts[k].body;
  return first == second || (model->bodies[first].kind == TS_FIXED && model->bodies[second].kind == TS_FIXED);
}

static ts_frame frame_at_start(const ts_model *model, const ts_part *part)
{
  const ts_pose pose = ts_pose_compose(&model->bodies[part->body].pose, &part->pose);
  return ts_pose_frame(&pose);
}

static double smaller_size(const ts_model *model, int i, int k)
{
  return ts_pair_size(&model->parts[i].convex, &model->parts[k].convex);
}

// Where a part of a pair stands: parts of one body in the body's frame, so that nothing depends, by round-off, on where
// the body is; others in the world.
static const ts_frame *common_frame(const ts_model *model, const ts_frame *frames, ts_box_pair pair, int part)
{
  const bool of_one_body = model->parts[pair.first].body == model->parts[pair.second].body;
  return of_one_body ? &model->parts[part].frame : &frames[part];
}

static bool are_in_touch(const ts_model *model, const ts_frame *frames, ts_box_pair pair)
{
  const ts_convex *first = &model->parts[pair.first].convex, *second = &model->parts[pair.second].convex;
  if (!stay_together(model, pair.first, pair.second)) return false;
  if (first->kind == TS_SHAPE_PLANE && second->kind == TS_SHAPE_PLANE) return false;
  ts_separation separation;
  ts_convex_distance(first, common_frame(model, frames, pair, pair.first), second,
                     common_frame(model, frames, pair, pair.second), &separation);
  return separation.gap <= IN * smaller_size(model, pair.first, pair.second);
}

static ts_bounds fattened_bounds(const ts_convex *convex, const ts_frame *frame)
{
  const double margin = isfinite(convex->reach) ? IN * convex->reach : 0.0;
  const ts_bounds box = ts_convex_bounds(convex, frame);
  const ts_vec3 by = {margin, margin, margin};
  return (ts_bounds){ts_sub(box.low, by), ts_add(box.high, by)};
}

// Both ways into the lists, which are filled part by part.
static void list_pairs(ts_companions *companions, const ts_model *model, const ts_frame *frames,
                       const ts_box_pair *pairs, int pair_count, ts_arena *memory)
{
  const size_t parts = (size_t)model->part_count;
  int *start = ts_arena_ints(memory, parts + 1), *next = ts_arena_ints(memory, parts + 1), count = 0;
  bool *in_touch = ts_arena_bytes(memory, (size_t)pair_count, sizeof *in_touch);
  memset(start, 0, (parts + 1) * sizeof *start);
  for (int p = 0; p < pair_count; ++p) {
    in_touch[p] = are_in_touch(model, frames, pairs[p]);
    if (!in_touch[p]) continue;
    ++start[pairs[p].first + 1];
    ++start[pairs[p].second + 1];
    count += 2;
  }
  if (count == 0) return;
  for (size_t i = 0; i < parts; ++i) start[i + 1] += start[i];
  memcpy(next, start, (parts + 1) * sizeof *start);
  companions->list = ts_arena_bytes(memory, (size_t)count, sizeof *companions->list);
  for (int p = 0; p < pair_count; ++p) {
    if (!in_touch[p]) continue;
    const int i = pairs[p].first, k = pairs[p].second;
    const double size = smaller_size(model, i, k);
    const ts_frame *first = common_frame(model, frames, pairs[p], i), *second = common_frame(model, frames, pairs[p], k);
    companions->list[next[i]++] = (ts_companion){k, ts_frame_in(second, first), size};
    companions->list[next[k]++] = (ts_companion){i, ts_frame_in(first, second), size};
  }
  companions->start = start;
  companions->count = count;
}

// Parts without companions get a box that overlaps nothing.
static bool find_pairs(const ts_model *model, ts_broad_phase *broad_phase, ts_frame *frames, ts_arena *memory,
                       const ts_box_pair **pairs, int *pair_count)
{
  const size_t parts = (size_t)model->part_count;
  ts_bounds *boxes = ts_arena_bytes(memory, parts, sizeof *boxes);
  bool *moves = ts_arena_bytes(memory, parts, sizeof *moves);
  for (size_t i = 0; i < parts; ++i) {
    const ts_part *part = &model->parts[i];
    frames[i] = frame_at_start(model, part);
    const ts_vec3 one = {1.0, 1.0, 1.0};
    boxes[i] =
        has_companions(model, part) ? fattened_bounds(&part->convex, &frames[i]) : (ts_bounds){one, ts_negate(one)};
    moves[i] = true;
  }
  return ts_broad_phase_find(broad_phase, boxes, moves, model->part_count, pairs, pair_count);
}

static int parts_with_companions(const ts_model *model)
{
  int count = 0;
  for (int i = 0; i < model->part_count; ++i) count += has_companions(model, &model->parts[i]);
  return count;
}

bool ts_companions_find(ts_companions *companions, const ts_model *model, ts_arena *memory)
{
  *companions = (ts_companions){.count = 0};
  if (parts_with_companions(model) < 2) return true;
  ts_frame *frames = ts_arena_bytes(memory, (size_t)model->part_count, sizeof *frames);
  ts_broad_phase *broad_phase = ts_broad_phase_create(model->part_count, &memory->allocator);
  if (!broad_phase) return false;
  const ts_box_pair *pairs;
  int pair_count;
  const bool found = find_pairs(model, broad_phase, frames, memory, &pairs, &pair_count);
  if (found) list_pairs(companions, model, frames, pairs, pair_count, memory);
  ts_broad_phase_destroy(broad_phase);
  return found;
}

// The same convex pieces at the same places of their bodies, and fixed bodies where they were.
static bool stand_alike(const ts_model *a, const ts_model *b)
{
  if (a->pieces != b->pieces || a->part_count != b->part_count || a->body_count != b->body_count) return false;
  for (int i = 0; i < a->body_count; ++i) {
    const ts_body *one = &a->bodies[i], *other = &b->bodies[i];
    if (one->kind != other->kind) return false;
    if (one->kind == TS_FIXED && memcmp(&one->pose, &other->pose, sizeof one->pose) != 0) return false;
  }
  for (int i = 0; i < a->part_count; ++i)
    if (memcmp(&a->parts[i].pose, &b->parts[i].pose, sizeof a->parts[i].pose) != 0) return false;
  return true;
}

bool ts_companions_take(ts_companions *companions, const ts_model *model, const ts_companions *from,
                        const ts_model *of, ts_arena *memory)
{
  if (!stand_alike(model, of)) return false;
  *companions = (ts_companions){.count = from->count};
  if (from->count == 0) return true;
  const size_t parts = (size_t)model->part_count + 1, count = (size_t)from->count;
  companions->start = memcpy(ts_arena_ints(memory, parts), from->start, parts * sizeof *from->start);
  companions->list =
      memcpy(ts_arena_bytes(memory, count, sizeof *from->list), from->list, count * sizeof *from->list);
  return true;
}

// ---- what is covered -----------------------------------------------------------------------------------------------

// A touch of a part, in its frame.
typedef struct spot {
  const ts_companions *companions;
  const ts_model *model;
  int part, partner;
  ts_vec3 point, normal;
} spot;

// Whether a point may lie in a companion, by its reach alone.
static bool is_about(const ts_companion *companion, const ts_convex *convex, ts_vec3 q)
{
  return ts_distance_of(q, companion->frame.origin) <= convex->reach + IN * companion->size;
}

// Of outlines in the plane it is enough to know how far outside a point is to first order: that is exact on the
// outline, and less than what points are allowed to be outside by where it is less in truth.
static bool holds_point(const ts_companion *companion, const ts_convex *convex, ts_vec3 q)
{
  if (convex->planar)
    return ts_shape_type_of(convex->kind)->outside(convex, ts_frame_unapply(&companion->frame, q)) <=
           IN * companion->size;
  const ts_convex point = {.kind = TS_SHAPE_POINT};
  const ts_frame there = {q, ts_mat3_identity()};
  ts_separation separation;
  ts_convex_distance(&point, &there, convex, &companion->frame, &separation);
  return separation.gap <= IN * companion->size;
}

// How much further the companion reaches along the normal than q.
static double reach_beyond(const ts_companion *companion, const ts_convex *convex, ts_vec3 normal, ts_vec3 q)
{
  const ts_vec3 n = ts_mul_transposed(&companion->frame.axes, normal);
  if (convex->kind == TS_SHAPE_PLANE) return ts_distance_of(n, convex->normal) > LEVEL ? INFINITY : 0.0;
  return ts_dot(n, ts_convex_support(convex, n)) - ts_dot(normal, ts_sub(q, companion->frame.origin));
}

static bool covers(const spot *touch, const ts_companion *companion, ts_vec3 q)
{
  const ts_convex *convex = &touch->model->parts[companion->part].convex;
  return is_about(companion, convex, q) &&
         reach_beyond(companion, convex, touch->normal, q) > 4.0 * IN * companion->size &&
         holds_point(companion, convex, q) && ts_model_law(touch->model, touch->partner, companion->part);
}

// The companion that covers q, or -1; the one that covered the last point is asked first.
static int cover_at(const spot *touch, int last, ts_vec3 q)
{
  const ts_companions *all = touch->companions;
  const int first = all->start[touch->part], end = all->start[touch->part + 1];
  if (last >= 0 && covers(touch, &all->list[last], q)) return last;
  for (int k = first; k < end; ++k)
    if (k != last && covers(touch, &all->list[k], q)) return k;
  return -1;
}

// Whether F, which goes on for `length` along the unit direction, is covered that way; `cover` is who did it last.
static bool is_covered_along(const spot *touch, ts_vec3 direction, double length, int *cover)
{
  const double size = touch->companions->list[*cover].size;
  if (length <= 4.0 * IN * size) return true; // the touch is at the end of F
  const int found = cover_at(touch, *cover, ts_add_scaled(touch->point, fmin(length, NEAR * size), direction));
  if (found >= 0) *cover = found;
  return found >= 0;
}

static bool is_covered_towards(const spot *touch, ts_vec3 end, int *cover)
{
  const ts_vec3 way = ts_sub(end, touch->point);
  const double length = ts_length(way);
  return is_covered_along(touch, ts_scale(length > 0.0 ? 1.0 / length : 0.0, way), length, cover);
}

// A face that touches: of a hull, or else a disc about the part's axis.
typedef struct face {
  const ts_hull *hull;
  double radius;
} face;

// How far a part goes on from a point on its surface.
static double way_out_of_hull(const ts_hull *hull, ts_vec3 point, ts_vec3 direction)
{
  double way = INFINITY;
  for (int f = 0; f < hull->face_count; ++f) {
    const double slope = ts_dot(hull->normals[f], direction);
    if (slope > LEVEL) way = fmin(way, fmax(0.0, hull->offsets[f] - ts_dot(hull->normals[f], point)) / slope);
  }
  return way;
}

static double way_out_of_disc(double radius, ts_vec3 point, ts_vec3 direction)
{
  const double along = point.x * direction.x + point.y * direction.y;
  const double inside = radius * radius - point.x * point.x - point.y * point.y;
  return sqrt(fmax(0.0, along * along + inside)) - along;
}

// Eight ways across a face.
static bool is_covered_across(const spot *touch, const face *across, int *cover)
{
  static const double cosine[8] = {1.0,  0.70710678118654752,  0.0, -0.70710678118654752,
                                   -1.0, -0.70710678118654752, 0.0, 0.70710678118654752};
  const ts_vec3 u = ts_tangent_of(touch->normal), w = ts_cross(touch->normal, u);
  for (int k = 0; k < 8; ++k) {
    const ts_vec3 d = ts_add_scaled(ts_scale(cosine[k], u), cosine[(k + 6) % 8], w);
    const double way = across->hull ? way_out_of_hull(across->hull, touch->point, d)
                                    : way_out_of_disc(across->radius, touch->point, d);
    if (!is_covered_along(touch, d, way, cover)) return false;
  }
  return true;
}

static bool is_covered_on_hull(const spot *touch, const ts_convex *part, int *cover)
{
  const ts_hull *hull = part->hull;
  const double level = ts_dot(touch->normal, touch->point) - LEVEL * ts_part_size(part);
  int found = 0, ends[2];
  for (int v = 0; v < hull->vertex_count && found < 3; ++v) {
    if (ts_dot(touch->normal, hull->vertices[v]) < level) continue;
    if (found < 2) ends[found] = v;
    ++found;
  }
  if (found > 2) return is_covered_across(touch, &(face){.hull = hull}, cover);
  for (int k = 0; k < found; ++k)
    if (!is_covered_towards(touch, hull->vertices[ends[k]], cover)) return false;
  return true;
}

// Lines along round sides, and flat ends.
static bool is_covered_on_round(const spot *touch, const ts_convex *part, int *cover)
{
  const ts_shape_type *type = ts_shape_type_of(part->kind);
  if (!type->exposed_face) return true;
  const ts_exposed_face F = type->exposed_face(part, touch->point, touch->normal);
  if (F.kind == TS_EXPOSED_LINE)
    return is_covered_towards(touch, F.ends[0], cover) && is_covered_towards(touch, F.ends[1], cover);
  return F.kind == TS_EXPOSED_POINT || is_covered_across(touch, &(face){.radius = F.radius}, cover);
}

int ts_companions_cover(const ts_companions *companions, const ts_model *model, int part, int partner, ts_vec3 point,
                        ts_vec3 normal)
{
  const ts_convex *convex = &model->parts[part].convex;
  if (!ts_companions_are_there(companions, part) || convex->kind == TS_SHAPE_PLANE) return -1;
  const spot touch = {companions, model, part, partner, point, normal};
  int cover = cover_at(&touch, -1, point);
  if (cover < 0) return -1;
  const int at_touch = companions->list[cover].part;
  const bool covered =
      convex->hull ? is_covered_on_hull(&touch, convex, &cover) : is_covered_on_round(&touch, convex, &cover);
  return covered ? at_touch : -1;
}
