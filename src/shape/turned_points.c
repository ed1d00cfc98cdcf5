// See turned_points.h.
#include "shape/turned_points.h"

#include "shape/implicit.h"
#include "shape/shape_type.h"

// Larger turns lead to another side of the body [rad].
static const double MOST_TURN = 0.5;

// A turn moves the nearest point of a round surface by its radius times the angle. A surface that moves it by a multiple
// of that of the whole part is nearly flat, or has moved it past most of the part. This is measured between opposite
// turns: on a flat surface the nearest point itself may be anywhere, as rounding has it.
static const double FLAT = 4.0, FAR = 0.5;

// ---- points of one part --------------------------------------------------------------------------------------------

// Cosines and sines of eight angles, none along an axis: next to an axis a nearly flat surface turns rounding into
// lengths. The opposite of the k-th is k ^ 6. In the plane only the sign of the first counts: 0 and 2 are opposite.
static const double NEAR = 0.92387953251128674, AWAY = 0.38268343236508977;

static void lean_along(int k, double lean[2])
{
  const bool first = k % 2 == 0;
  lean[0] = (k & 2 ? -1.0 : 1.0) * (first ? NEAR : AWAY);
  lean[1] = (k & 4 ? -1.0 : 1.0) * (first ? AWAY : NEAR);
}

static ts_vec3 axis(int i)
{
  return ts_vec3_make(i == 0 ? 1.0 : 0.0, i == 1 ? 1.0 : 0.0, i == 2 ? 1.0 : 0.0);
}

// The axis of the part that is most along a direction.
static int main_axis(ts_vec3 d)
{
  const double x = fabs(d.x), y = fabs(d.y), z = fabs(d.z);
  return x >= y && x >= z ? 0 : y >= z ? 1 : 2;
}

// The k-th direction next to d in the frame of the part: leaning along the two axes that d is not along, so that the
// corners of a side are among the points.
static ts_vec3 turned(const ts_convex *part, ts_vec3 d, double turn, int k)
{
  double lean[2];
  lean_along(k, lean);
  if (part->planar) return ts_add_scaled(d, copysign(tan(turn), lean[0]), ts_vec3_make(-d.y, d.x, 0.0));
  const int most = main_axis(d);
  const ts_vec3 u = axis((most + 1) % 3), v = axis((most + 2) % 3);
  return ts_add_scaled(ts_add_scaled(d, tan(turn) * lean[0], u), tan(turn) * lean[1], v);
}

static bool is_near_another(ts_vec3 x, const ts_vec3 *points, int count, double distance)
{
  for (int i = 0; i < count; ++i)
    if (ts_distance_of(x, points[i]) < distance) return true;
  return false;
}

int ts_turned_points(const ts_convex *part, const ts_frame *frame, ts_vec3 outward, double turn,
                     ts_vec3 points[TS_TURNED_POINTS], uint32_t features[TS_TURNED_POINTS])
{
  turn = fmin(turn, MOST_TURN);
  if (!ts_shape_type_of(part->kind)->nearly_flat || !(turn > 0.0)) return 0;
  const ts_vec3 d = ts_mul_transposed(&frame->axes, outward);
  const double apart = part->reach * fmin(FLAT * turn, FAR);
  const int opposite = part->planar ? 2 : 6, end = part->planar ? 4 : TS_TURNED_POINTS, next = part->planar ? 2 : 1;
  ts_vec3 all[TS_TURNED_POINTS], found[TS_TURNED_POINTS];
  int count = 0;
  for (int k = 0; k < end; k += next) all[k] = ts_convex_support(part, turned(part, d, turn, k));
  for (int k = 0; k < end; k += next) {
    if (ts_distance_of(all[k], all[k ^ opposite]) < 2.0 * apart) continue;
    if (is_near_another(all[k], found, count, 0.25 * apart)) continue;
    found[count] = all[k];
    points[count] = ts_frame_apply(frame, all[k]);
    features[count++] = ts_feature_id(TS_FEATURE_ID_NEAREST, 1 + k);
  }
  return count;
}

// ---- on the surface of another part --------------------------------------------------------------------------------

static const double FACING = 0.9; // least cosine between the direction and the normal of a surface that faces it

// A line x + t n in the frame of a part, entered from large t.
typedef struct entry {
  double t;
  int function;     // of the part whose surface it is
  ts_vec3 gradient; // of that function
} entry;

// Where one function of the part becomes 0: convex along the line, so that Newton's method from outside never
// overshoots. -INFINITY: the line begins inside. False: it misses.
static bool enters(const ts_convex *part, int i, ts_vec3 x, ts_vec3 n, entry *at)
{
  enum { MOST = 60 };
  at->function = i;
  for (int k = 0; k < MOST; ++k) {
    const double f = ts_implicit_value(part, i, ts_add_scaled(x, at->t, n), &at->gradient, NULL);
    const double slope = ts_dot(at->gradient, n), by = f / slope;
    if (k == 0 && f <= 0.0) return at->t = -INFINITY, true;
    if (!(slope > 0.0)) return false;
    at->t -= by;
    if (!(by > 1e-15 * part->reach)) return true;
  }
  return true;
}

// Point at which the line enters the part. False: it misses, or the surface is a cut or faces elsewhere.
static bool enter(const ts_convex *part, ts_vec3 x, ts_vec3 n, double *t)
{
  const int count = ts_implicit_count(part);
  const double far = 2.0 * part->reach + ts_length(x);
  entry last = {.t = -INFINITY, .function = -1};
  for (int i = 0; i < count; ++i) {
    entry at = {.t = far};
    if (!enters(part, i, x, n, &at)) return false;
    if (at.t > last.t) last = at;
  }
  if (last.function < 0 || !(last.t > -far)) return false;
  const ts_vec3 y = ts_add_scaled(x, last.t, n);
  for (int i = 0; i < count; ++i)
    if (ts_implicit_value(part, i, y, NULL, NULL) > 1e-9 * part->reach) return false;
  *t = last.t;
  const bool cut = part->hull && part->hull->inner && part->hull->inner[last.function];
  return !cut && ts_dot(last.gradient, n) >= FACING * ts_length(last.gradient);
}

// Points of one part over the surface of the other; `up` is from the other to it.
static void push_over(const ts_convex *part, const ts_frame *frame, const ts_convex *other, const ts_frame *other_frame,
                      ts_vec3 up, bool of_a, ts_touch_list *list)
{
  ts_vec3 points[TS_TURNED_POINTS];
  uint32_t features[TS_TURNED_POINTS];
  const double turn = list->margin / fmin(part->reach, other->reach);
  const int count = ts_turned_points(part, frame, ts_negate(up), turn, points, features);
  const uint32_t nearest = ts_feature_id(TS_FEATURE_ID_NEAREST, 0);
  const ts_vec3 n = ts_mul_transposed(&other_frame->axes, up);
  for (int k = 0; k < count; ++k) {
    double t;
    if (!enter(other, ts_frame_unapply(other_frame, points[k]), n, &t)) continue;
    const ts_vec3 under = ts_add_scaled(points[k], t, up);
    ts_touch_list_push(list, of_a ? under : points[k], of_a ? up : ts_negate(up), -t,
                       of_a ? ts_feature_pair(features[k], nearest) : ts_feature_pair(nearest, features[k]));
  }
}

void ts_touches_after_turns(const ts_convex *a, const ts_frame *frame_a, const ts_convex *b, const ts_frame *frame_b,
                            ts_vec3 normal, ts_touch_list *list)
{
  if (!ts_shape_type_of(a->kind)->nearly_flat && !ts_shape_type_of(b->kind)->nearly_flat) return;
  if (a->kind == TS_SHAPE_POINT || b->kind == TS_SHAPE_POINT) return;
  push_over(a, frame_a, b, frame_b, normal, true, list);
  push_over(b, frame_b, a, frame_a, ts_negate(normal), false, list);
}

bool ts_is_nearly_flat_between(const ts_convex *part, ts_vec3 x, ts_vec3 m, ts_vec3 y, ts_vec3 n)
{
  const ts_shape_type *type = ts_shape_type_of(part->kind);
  if (!type->nearly_flat && !type->has_rim) return false;
  return ts_distance_of(x, y) > part->reach * fmin(FLAT * ts_distance_of(m, n), FAR);
}
