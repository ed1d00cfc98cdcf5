#include "model/gears.h"

#include "model/joint/type.h"

#include "base/status.h"

#include <math.h>
#include <string.h>

static const double SMALLEST_RATIO = 1e-9, LARGEST_RATIO = 1e9, LARGEST = 1e60; // beyond, products are not finite
static const double SAME = 1e-6;                                                // [m, rad], and of rates

const ts_gear_term *ts_copy_gear_terms(const ts_gear_term *terms, int count, ts_arena *arena)
{
  ts_gear_term *copy = ts_arena_bytes(arena, (size_t)count, sizeof *copy);
  memcpy(copy, terms, (size_t)count * sizeof *copy);
  return copy;
}

// ---- what a builder refuses ----------------------------------------------------------------------------------------

static ts_status check_coordinate(const ts_builder *builder, int joint, const char *follower, ts_error *error)
{
  if (joint < 0 || joint >= builder->joint_count)
    return ts_fail(error, TS_INVALID, "there is no joint number %d", joint);
  const ts_joint_def *def = &builder->joints[joint];
  if (ts_joint_has_coordinate(def->kind)) return TS_OK;
  return ts_fail(error, TS_INVALID, "joint '%s': its gear needs joints of one freedom, '%s' is %s",
                 follower ? follower : def->name, def->name, ts_joint_kind_name(def->kind));
}

static ts_status check_term(const ts_builder *builder, const ts_gear_def *def, int k, const char *name, ts_error *error)
{
  const ts_gear_term *term = &def->terms[k];
  TS_TRY(check_coordinate(builder, term->joint, name, error));
  if (term->joint == def->joint) return ts_fail(error, TS_INVALID, "joint '%s': its gear makes it follow itself", name);
  for (int i = 0; i < k; ++i)
    if (def->terms[i].joint == term->joint)
      return ts_fail(error, TS_INVALID, "joint '%s': its gear names '%s' twice", name,
                     builder->joints[term->joint].name);
  const double size = fabs(term->ratio);
  if (!(size >= SMALLEST_RATIO && size <= LARGEST_RATIO))
    return ts_fail(error, TS_INVALID, "joint '%s': the ratio of its gear is %g, its size must lie between %g and %g",
                   name, term->ratio, SMALLEST_RATIO, LARGEST_RATIO);
  return TS_OK;
}

ts_status ts_check_gear(const ts_builder *builder, const ts_gear_def *def, ts_error *error)
{
  if (def->cookie != TS_GEAR_COOKIE)
    return ts_fail(error, TS_INVALID, "the definition was not made by ts_gear_def_default()");
  TS_TRY(check_coordinate(builder, def->joint, NULL, error));
  const char *name = builder->joints[def->joint].name;
  if (builder->follows[def->joint]) return ts_fail(error, TS_INVALID, "joint '%s': it has a gear already", name);
  if (!def->terms || def->term_count < 1 || def->term_count > TS_MOST_GEAR_TERMS)
    return ts_fail(error, TS_INVALID, "joint '%s': its gear must name 1 to %d joints", name, TS_MOST_GEAR_TERMS);
  for (int k = 0; k < def->term_count; ++k) TS_TRY(check_term(builder, def, k, name, error));
  if (!(fabs(def->offset) <= LARGEST))
    return ts_fail(error, TS_INVALID, "joint '%s': the offset of its gear must be a finite number of at most %g", name,
                   LARGEST);
  return TS_OK;
}

// ---- order ---------------------------------------------------------------------------------------------------------

// Gears by the joints that they follow: followers[first[j]] to followers[first[j + 1] - 1] follow joint j.
typedef struct follower_lists {
  int *first, *gears;
} follower_lists;

static follower_lists list_followers(const ts_model *model, ts_arena *arena)
{
  const size_t joints = (size_t)model->joint_count;
  size_t terms = 0;
  follower_lists lists = {.first = ts_arena_ints(arena, joints + 2)};
  memset(lists.first, 0, (joints + 2) * sizeof *lists.first);
  int *next = lists.first + 1; // becomes where those of a joint end, which is where those of the next begin
  for (int g = 0; g < model->gear_count; ++g) {
    terms += (size_t)model->gears[g].term_count;
    for (int k = 0; k < model->gears[g].term_count; ++k) ++next[model->gears[g].terms[k].joint + 1];
  }
  for (size_t j = 0; j < joints; ++j) next[j + 1] += next[j];
  lists.gears = ts_arena_ints(arena, terms);
  for (int g = 0; g < model->gear_count; ++g)
    for (int k = 0; k < model->gears[g].term_count; ++k) lists.gears[next[model->gears[g].terms[k].joint]++] = g;
  return lists;
}

// The gear by which a joint follows others, or -1 (joint_count).
static const int *find_gears(const ts_model *model, ts_arena *arena)
{
  int *gear_of = ts_arena_ints(arena, (size_t)model->joint_count);
  for (int j = 0; j < model->joint_count; ++j) gear_of[j] = -1;
  for (int g = 0; g < model->gear_count; ++g) gear_of[model->gears[g].joint] = g;
  return gear_of;
}

// Gears in an order in which joints that are followed come before those that follow. Returns how many there are: fewer
// than all where joints follow themselves. `waits` (gear_count): for how many joints a gear has to wait, in the end.
static int order_gears(const ts_model *model, const int *gear_of, int *order, int *waits, ts_arena *arena)
{
  const follower_lists lists = list_followers(model, arena);
  int count = 0;
  for (int g = 0; g < model->gear_count; ++g) {
    waits[g] = 0;
    for (int k = 0; k < model->gears[g].term_count; ++k) waits[g] += gear_of[model->gears[g].terms[k].joint] >= 0;
    if (waits[g] == 0) order[count++] = g;
  }
  for (int next = 0; next < count; ++next) {
    const int joint = model->gears[order[next]].joint;
    for (int k = lists.first[joint]; k < lists.first[joint + 1]; ++k)
      if (--waits[lists.gears[k]] == 0) order[count++] = lists.gears[k];
  }
  return count;
}

// A gear that waits for another that does.
static int next_in_wait(const ts_model *model, const int *gear_of, const int *waits, int gear)
{
  const ts_gear *g = &model->gears[gear];
  for (int k = 0; k < g->term_count; ++k) {
    const int other = gear_of[g->terms[k].joint];
    if (other >= 0 && waits[other] > 0) return other;
  }
  return gear;
}

// Of gears that wait, back through those that they wait for: that ends in a circle.
static ts_status refuse_circle(const ts_model *model, const int *gear_of, const int *waits, ts_error *error)
{
  int gear = 0;
  while (waits[gear] == 0) ++gear;
  for (int i = 0; i < model->gear_count; ++i) gear = next_in_wait(model, gear_of, waits, gear);
  return ts_fail(error, TS_INVALID, "joint '%s': its gear makes it follow itself, by way of other joints",
                 model->joints[model->gears[gear].joint].name);
}

// ---- start ---------------------------------------------------------------------------------------------------------

// What a number of the joint that follows becomes: that of its gear, unless it says otherwise.
static ts_status take_number(const ts_joint *joint, double wanted, const char *what, double *number, ts_error *error)
{
  if (*number != 0.0 && !(fabs(*number - wanted) <= SAME * (1.0 + fabs(wanted))))
    return ts_fail(error, TS_INVALID, "joint '%s': its %s is %.9g, but its gear asks for %.9g", joint->name, what,
                   *number, wanted);
  if (!(fabs(wanted) <= LARGEST))
    return ts_fail(error, TS_INVALID, "joint '%s': its gear asks for a %s of %g", joint->name, what, wanted);
  *number = wanted;
  return TS_OK;
}

static ts_status take_start(ts_model *model, const ts_gear *gear, ts_error *error)
{
  ts_joint *joint = &model->joints[gear->joint];
  double position = gear->offset, velocity = 0.0;
  for (int k = 0; k < gear->term_count; ++k) {
    const ts_joint *followed = &model->joints[gear->terms[k].joint];
    position += gear->terms[k].ratio * followed->position;
    velocity += gear->terms[k].ratio * followed->velocity;
  }
  TS_TRY(take_number(joint, position, "position", &joint->position, error));
  TS_TRY(take_number(joint, velocity, "velocity", &joint->velocity, error));
  if (joint->limited && position != 0.0 && !(position >= joint->lower && position <= joint->upper))
    return ts_fail(error, TS_INVALID,
                   "joint '%s': its gear asks for the position %.9g, outside of its limits %g and %g", joint->name,
                   position, joint->lower, joint->upper);
  return TS_OK;
}

// ---- the whole -----------------------------------------------------------------------------------------------------

static void copy_gears(const ts_builder *builder, ts_model *model)
{
  model->gear_count = builder->gear_count;
  model->gears = ts_arena_bytes(&model->memory, (size_t)builder->gear_count, sizeof *model->gears);
  for (int g = 0; g < builder->gear_count; ++g) {
    const ts_gear_def *def = &builder->gears[g];
    const ts_gear_term *terms = ts_copy_gear_terms(def->terms, def->term_count, &model->memory);
    model->gears[g] = (ts_gear){def->joint, terms, def->term_count, def->offset};
  }
}

ts_status ts_model_make_gears(const ts_builder *builder, ts_model *model, ts_error *error)
{
  if (builder->gear_count == 0) return TS_OK;
  copy_gears(builder, model);
  model->bilateral_count += model->gear_count;
  const size_t gears = (size_t)model->gear_count;
  int *order = ts_arena_ints(&model->memory, gears), *waits = ts_arena_ints(&model->memory, gears);
  const int *gear_of = find_gears(model, &model->memory);
  const int count = order_gears(model, gear_of, order, waits, &model->memory);
  if (count < model->gear_count) return refuse_circle(model, gear_of, waits, error);
  for (int i = 0; i < count; ++i) TS_TRY(take_start(model, &model->gears[order[i]], error));
  return TS_OK;
}
