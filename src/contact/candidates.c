#include "contact/candidates.h"

#include "base/hot.h"
#include "math/quad.h"
#include "shape/shape_type.h"

#include <limits.h>
#include <math.h>

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
      if (ts_either_is_own(&model->parts[i].convex, &model->parts[k].convex)) return INT_MAX;
      if (!ts_is_ball(model->parts[i].convex.kind) && !ts_is_ball(model->parts[k].convex.kind)) return INT_MAX;
      count += model->parts[i].body != model->parts[k].body;
    }
  return count;
}

static void look_over(ts_finder *finder)
{
  const ts_model *model = finder->model;
  finder->may_share = true;
  for (int i = 0; i < model->part_count; ++i) {
    const ts_shape_type *type = ts_shape_type_of(model->parts[i].convex.kind);
    finder->may_share = finder->may_share && model->parts[i].convex.kind != TS_SHAPE_OWN;
    finder->may_roll_far = finder->may_roll_far || type->nearly_flat || type->has_rim;
  }
  for (int b = 0; b < model->body_count; ++b)
    finder->has_compounds = finder->has_compounds || model->bodies[b].part_count > 1;
}

bool ts_finder_init(ts_finder *finder, const ts_model *model, const ts_finder *like, ts_arena *memory)
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
  look_over(finder);
  sort_parts(finder);
  finder->thinnest = thinnest_pair(finder);
  finder->most_contacts = most_contacts(finder);
  const bool taken =
      like && ts_companions_take(&finder->companions, model, &like->companions, like->model, memory);
  if (!taken && !ts_companions_find(&finder->companions, model, memory)) return false;
  finder->near_pairs = ts_near_pairs_create(model->part_count, &memory->allocator);
  return finder->near_pairs != NULL;
}

void ts_finder_release(ts_finder *finder)
{
  ts_near_pairs_destroy(finder->near_pairs);
  finder->near_pairs = NULL;
}

// ---- where parts are, and how far they may get ---------------------------------------------------------------------

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

TS_INLINE void place_part(ts_finder *finder, const ts_course *c, int i)
{
  const ts_part *part = &finder->model->parts[i];
  if (!part->at_centre) finder->frames[i] = frame_on(&c->kinematics->frame[part->body], &part->frame);
  const double way = finder->ways[i] = travel(finder, i, &c->velocity[part->body], c->h);
  if (finder->moves[i]) finder->margins[i] = c->margin > 0.0 ? 0.5 * c->margin : way;
  if (finder->touching > 0.0 && finder->moves[i])
    finder->margins[i] += finder->touching * (ts_length(c->kinematics->frame[part->body].origin) + finder->swings[i]);
  finder->bounds[i] = grown(bounds_of(&part->convex, ts_part_frame(finder, c->kinematics, i)), finder->margins[i]);
  const bool stays = finder->model->bodies[part->body].kind == TS_FIXED;
  finder->placed[i] = stays ? PLACED_FOR_EVER : finder->call;
}

TS_HOT static void place_all(ts_finder *finder, const ts_course *c)
{
  for (int i = 0; i < finder->model->part_count; ++i)
    if (finder->placed[i] < finder->call) place_part(finder, c, i);
}

TS_HOT void ts_place_part(ts_finder *finder, const ts_course *c, int part)
{
  place_part(finder, c, part);
}

// False of numbers that are none.
TS_INLINE bool is_in(const ts_bounds *box, const ts_bounds *fat_box)
{
  return (fat_box->low.x <= box->low.x) & (fat_box->low.y <= box->low.y) & (fat_box->low.z <= box->low.z) &
         (fat_box->high.x >= box->high.x) & (fat_box->high.y >= box->high.y) & (fat_box->high.z >= box->high.z);
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
TS_INLINE double margin_bound(const ts_ball *ball, const ts_course *c)
{
  const double speed = ball_speed_bound(&c->velocity[ball->body], ball);
  return c->margin > 0.0 ? 0.5 * c->margin : 2.0 * c->h * (speed + c->h * ball->pull);
}

// Whether the boxes of all balls are in their fat boxes for sure. A fat box is six numbers: the first four are compared
// with the low corner, the last four with the high one; of the fourth nothing is asked. Corners are rounded as those of
// the boxes are, so that no box is smaller in truth. Numbers that are none are in no fat box.
TS_HOT static bool balls_stay(const ts_finder *finder, const ts_course *c, const ts_bounds *fat_boxes)
{
  ts_quad_mask low = {-1, -1, -1, -1}, high = low;
  for (int k = 0; k < finder->ball_count; ++k) {
    const ts_ball *ball = &finder->balls[k];
    const double *fat_box = (const double *)&fat_boxes[ball->part], way = margin_bound(ball, c);
    const ts_quad centre = TS_CONST_QUAD((const double *)&c->kinematics->frame[ball->body]);
    const ts_quad shifted = __builtin_shufflevector(centre, centre, 3, 0, 1, 2);
    low &= TS_CONST_QUAD(fat_box) <= centre - ball->radius - way;
    high &= TS_CONST_QUAD(fat_box + 2) >= shifted + ball->radius + way;
  }
  return (low[0] & low[1] & low[2] & high[1] & high[2] & high[3]) != 0;
}

// Whether a part stays in its fat box, with its box.
TS_INLINE bool stays(ts_finder *finder, const ts_course *c, const ts_bounds *fat_boxes, int part)
{
  place_part(finder, c, part);
  return is_in(&finder->bounds[part], &fat_boxes[part]);
}

// The same of all parts. Of balls whose box is not needed to tell it is not made: they are left not placed.
TS_HOT static bool all_stay(ts_finder *finder, const ts_course *c, const ts_bounds *fat_boxes)
{
  for (int k = 0; k < finder->other_count; ++k)
    if (!stays(finder, c, fat_boxes, finder->others[k])) return false;
  if (finder->touching == 0.0 && balls_stay(finder, c, fat_boxes)) return true;
  for (int k = 0; k < finder->ball_count; ++k)
    if (!stays(finder, c, fat_boxes, finder->balls[k].part)) return false;
  return true;
}

// ---- pairs ---------------------------------------------------------------------------------------------------------

bool ts_find_candidates(ts_finder *finder, const ts_course *c, ts_candidates *candidates)
{
  const int parts = finder->model->part_count;
  const ts_bounds *fat_boxes = ts_near_pairs_fat_boxes(finder->near_pairs, parts);
  const ts_box_pair *pairs;
  int count;
  ++finder->call;
  const bool stay = fat_boxes && all_stay(finder, c, fat_boxes);
  if (stay) {
    pairs = ts_near_pairs_kept(finder->near_pairs, &count);
  } else {
    place_all(finder, c);
    if (!ts_near_pairs_find(finder->near_pairs, finder->bounds, finder->ways, finder->moves, parts, &pairs, &count))
      return false;
  }
  *candidates = (ts_candidates){.finder = finder, .course = c, .pairs = pairs, .count = count, .overlap = !stay};
  return true;
}

typedef struct placing_list {
  const ts_candidates *candidates;
  const int *parts;
} placing_list;

TS_HOT static void place_listed(void *argument, int first, int end)
{
  const placing_list *list = argument;
  for (int k = first; k < end; ++k) place_part(list->candidates->finder, list->candidates->course, list->parts[k]);
}

// No part is listed twice: those that are count as placed.
static int list_part(ts_finder *finder, int part, int *list, int count)
{
  if (finder->placed[part] >= finder->call) return count;
  finder->placed[part] = finder->call;
  list[count] = part;
  return count + 1;
}

void ts_place_candidates(ts_candidates *candidates, int *list)
{
  enum { WORTHWHILE = 100 };
  ts_finder *finder = candidates->finder;
  int count = 0;
  for (int k = 0; !candidates->overlap && k < candidates->count; ++k) {
    count = list_part(finder, candidates->pairs[k].first, list, count);
    count = list_part(finder, candidates->pairs[k].second, list, count);
  }
  placing_list placing = {candidates, list};
  ts_team_loop(finder->team, count, WORTHWHILE, place_listed, &placing);
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

// A ball that was not placed has nothing near it as long as it stays in its fat box.
static bool stays_in_fat_box(const ts_finder *finder, const ts_kinematics *kinematics, const ts_ball *ball, double way)
{
  const ts_bounds *fat_boxes = ts_near_pairs_fat_boxes(finder->near_pairs, finder->model->part_count);
  const double extent = ball->radius + way;
  const ts_bounds box = ts_bounds_about(kinematics->frame[ball->body].origin, (ts_vec3){extent, extent, extent});
  return fat_boxes && is_in(&box, &fat_boxes[ball->part]);
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
      ahead.covered = ahead.covered && stays_in_fat_box(finder, kinematics, ball, way);
  }
  return ahead;
}
