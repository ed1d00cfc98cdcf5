#include "shape/own_shape.h"

#include "shape/distance.h"
#include "shape/shape_type.h"

#include "base/require.h"
#include "schema/parameters.h"

#include <stdio.h>
#include <string.h>

const char *ts_shape_label(const ts_shape *shape)
{
  return shape->kind == TS_SHAPE_OWN ? shape->own->name : ts_shape_name(shape->kind);
}

const double *ts_own_values(const ts_shape *shape, double room[static TS_MOST_PARAMETERS])
{
  if (shape->parameters) return shape->parameters;
  ts_parameters_default((ts_parameter_list){shape->own->parameters, shape->own->parameter_count}, room);
  return room;
}

// ---- which pairs are known -----------------------------------------------------------------------------------------

static bool lists(const char *const *names, const char *name)
{
  for (; names && *names; ++names)
    if (strcmp(*names, name) == 0) return true;
  return false;
}

static bool knows(const ts_shape *shape, const ts_shape *other)
{
  if (shape->kind != TS_SHAPE_OWN) return false;
  if (other->kind == TS_SHAPE_OWN) return lists(shape->own->others, other->own->name);
  return shape->own->kinds >> other->kind & 1;
}

bool ts_own_pair_is_known(const ts_shape *first, const ts_shape *second)
{
  return knows(first, second) || knows(second, first);
}

// ---- what a query sees ---------------------------------------------------------------------------------------------

struct ts_neighbour {
  const ts_convex *convex;
  ts_frame frame; // in that of the shape that is asked
};

const ts_shape *ts_neighbour_shape(const ts_neighbour *other)
{
  TS_REQUIRE(other);
  return other->convex->shape;
}

ts_vec3 ts_neighbour_point(const ts_neighbour *other, ts_vec3 point)
{
  TS_REQUIRE(other);
  return ts_frame_apply(&other->frame, point);
}

ts_vec3 ts_neighbour_direction(const ts_neighbour *other, ts_vec3 direction)
{
  TS_REQUIRE(other);
  return ts_mul(&other->frame.axes, direction);
}

void ts_neighbour_distance(const ts_neighbour *other, ts_vec3 point, ts_separation *separation)
{
  TS_REQUIRE(other && other->convex->kind != TS_SHAPE_OWN);
  TS_REQUIRE(separation);
  const ts_convex particle = {.kind = TS_SHAPE_POINT};
  const ts_frame there = {point, ts_mat3_identity()};
  ts_convex_distance(&particle, &there, other->convex, &other->frame, separation);
}

ts_vec3 ts_neighbour_support(const ts_neighbour *other, ts_vec3 direction)
{
  TS_REQUIRE(other && other->convex->kind != TS_SHAPE_OWN && other->convex->kind != TS_SHAPE_PLANE);
  const ts_vec3 along = ts_mul_transposed(&other->frame.axes, direction);
  return ts_frame_apply(&other->frame, ts_convex_support(other->convex, along));
}

// ---- what it reports -----------------------------------------------------------------------------------------------

struct ts_touches {
  ts_touch_list *list;   // NULL: the nearest alone is asked for
  const ts_convex *own;  // that is asked
  const ts_frame *frame; // where it is
  bool is_second;        // of the pair
  int count;             // reported
  ts_touch nearest;      // of these
  ts_query_fault fault;  // the first
};

static const double UNIT = 1e-6; // a normal may be longer or shorter by this
static const double EDGE = 1e-6; // of its reach: a point may be so far outside of the shape's box

static bool is_in_box(const ts_convex *own, ts_vec3 point)
{
  const ts_vec3 d = ts_sub(point, own->middle);
  const double more = EDGE * own->reach;
  return fabs(d.x) <= own->half.x + more && fabs(d.y) <= own->half.y + more && fabs(d.z) <= own->half.z + more;
}

static ts_query_fault fault_of(const ts_touches *touches, ts_vec3 point, ts_vec3 normal, double gap, int feature)
{
  if (touches->count >= TS_MOST_TOUCHES) return TS_QUERY_ENDLESS;
  if (!ts_vec3_is_finite(point) || !ts_vec3_is_finite(normal) || !isfinite(gap)) return TS_QUERY_INFINITE;
  if (!(fabs(ts_length(normal) - 1.0) <= UNIT)) return TS_QUERY_NO_UNIT;
  if (!is_in_box(touches->own, point)) return TS_QUERY_BEYOND;
  return feature >= 0 && feature <= 0xffff ? TS_QUERY_FINE : TS_QUERY_FEATURE;
}

static void list_touch(ts_touch_list *list, const ts_touch *touch)
{
  if (!(touch->gap <= list->margin)) return;
  if (list->count < list->capacity) list->touches[list->count] = *touch;
  ++list->count;
}

void ts_touches_add(ts_touches *touches, ts_vec3 point, ts_vec3 normal, double gap, int feature)
{
  TS_REQUIRE(touches);
  if (touches->fault == TS_QUERY_FINE) touches->fault = fault_of(touches, point, normal, gap, feature);
  if (touches->fault != TS_QUERY_FINE) return;
  const ts_vec3 n = ts_mul(&touches->frame->axes, ts_scale(1.0 / ts_length(normal), normal));
  const ts_vec3 here = ts_frame_apply(touches->frame, point), there = ts_add_scaled(here, -gap, n);
  const uint32_t id = (uint32_t)feature;
  const ts_touch touch = touches->is_second ? (ts_touch){there, here, ts_negate(n), gap, ts_feature_pair(0, id)}
                                            : (ts_touch){here, there, n, gap, ts_feature_pair(id, 0)};
  if (touches->count++ == 0 || gap < touches->nearest.gap) touches->nearest = touch;
  if (touches->list) list_touch(touches->list, &touch);
}

// ---- asking --------------------------------------------------------------------------------------------------------

static void ask(ts_touches *touches, const ts_convex *other, const ts_frame *frame, double margin)
{
  const ts_shape_def *def = touches->own->shape->own;
  const ts_neighbour neighbour = {other, ts_frame_in(frame, touches->frame)};
  double room[TS_MOST_PARAMETERS];
  const bool told = def->touch(def->user, ts_own_values(touches->own->shape, room), &neighbour, margin, touches);
  if (touches->fault != TS_QUERY_FINE) return;
  if (!told)
    touches->fault = TS_QUERY_CANNOT_TELL;
  else if (touches->count == 0)
    touches->fault = TS_QUERY_SILENT;
}

// Where each knows the other the first is asked.
static ts_touches ask_pair(const ts_convex *a, const ts_frame *frame_a, const ts_convex *b, const ts_frame *frame_b,
                           double margin, ts_touch_list *list)
{
  const bool is_second = !knows(a->shape, b->shape);
  ts_touches touches = {
      .list = list, .own = is_second ? b : a, .frame = is_second ? frame_b : frame_a, .is_second = is_second};
  ask(&touches, is_second ? a : b, is_second ? frame_a : frame_b, margin);
  return touches;
}

ts_query_fault ts_own_touches(const ts_convex *a, const ts_frame *frame_a, const ts_convex *b, const ts_frame *frame_b,
                              ts_touch_list *list)
{
  return ask_pair(a, frame_a, b, frame_b, list->margin, list).fault;
}

ts_query_fault ts_own_distance(const ts_convex *a, const ts_frame *frame_a, const ts_convex *b, const ts_frame *frame_b,
                               ts_separation *separation)
{
  const ts_touches touches = ask_pair(a, frame_a, b, frame_b, 0.0, NULL);
  const ts_touch *t = &touches.nearest;
  *separation = (ts_separation){t->gap, t->normal, t->point_1, t->point_2};
  if (touches.fault != TS_QUERY_FINE) separation->gap = NAN;
  return touches.fault;
}

void ts_query_fault_text(ts_query_fault fault, const ts_convex *a, const ts_convex *b, char text[static TS_FAULT_SIZE])
{
  static const char *const words[] = {
      [TS_QUERY_FINE] = "has answered",
      [TS_QUERY_CANNOT_TELL] = "cannot tell where they touch",
      [TS_QUERY_SILENT] = "reported no touch, not even the nearest",
      [TS_QUERY_ENDLESS] = "reported more touches than there is room for",
      [TS_QUERY_INFINITE] = "reported a touch with a number that is not finite",
      [TS_QUERY_NO_UNIT] = "reported a normal that is not of unit length",
      [TS_QUERY_BEYOND] = "reported a touch outside of its own box",
      [TS_QUERY_FEATURE] = "reported a feature that is not between 0 and 65535",
  };
  const bool is_second = !knows(a->shape, b->shape);
  const char *asked = ts_shape_label(is_second ? b->shape : a->shape);
  const char *other = ts_shape_label(is_second ? a->shape : b->shape);
  snprintf(text, TS_FAULT_SIZE, "shape '%.60s', asked about a %.60s, %s", asked, other, words[fault]);
}
