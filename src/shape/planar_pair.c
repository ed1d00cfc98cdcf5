// The difference A - B of convex polygons is a convex polygon whose edges are those of A and of -B, sorted by
// direction. The signed distance of A and B is that of the origin from it, found in one walk around its boundary: exact
// for both signs, at a cost of the number of edges.
#include "shape/planar_pair.h"

// The outline of A or of -B in the pair's frame. A point is an outline without edges.
typedef struct outline {
  const ts_core *core;
  const ts_hull *hull; // NULL for a point
  double sign;         // +1: A, -1: -B
} outline;

static int edge_count(const outline *o)
{
  return o->hull ? o->hull->face_count : 0;
}

static ts_vec3 outward(const outline *o, int edge)
{
  return ts_scale(o->sign, ts_mul(&o->core->frame.axes, o->hull->normals[edge]));
}

// Where edge `edge` begins, walking counter-clockwise.
static ts_vec3 corner(const outline *o, int edge)
{
  if (!o->hull) return ts_scale(o->sign, o->core->frame.origin);
  const ts_vec3 vertex = o->hull->vertices[o->hull->face_vertices[o->hull->face_start[edge]]];
  return ts_scale(o->sign, ts_frame_apply(&o->core->frame, vertex));
}

// Does the direction u come before v, counting angles from -pi to pi?
static bool turns_before(ts_vec3 u, ts_vec3 v)
{
  const bool u_upper = u.y > 0.0 || (u.y == 0.0 && u.x < 0.0), v_upper = v.y > 0.0 || (v.y == 0.0 && v.x < 0.0);
  if (u_upper != v_upper) return v_upper;
  return u.x * v.y - u.y * v.x > 0.0;
}

// The edge whose normal has the least angle.
static int first_edge(const outline *o)
{
  int first = 0;
  for (int e = 1; e < edge_count(o); ++e)
    if (turns_before(outward(o, e), outward(o, first))) first = e;
  return first;
}

// An edge of A - B: from `start` to `end`, with the corner of the other outline that goes with it.
typedef struct difference_edge {
  ts_vec3 start, end, normal;
  ts_vec3 fixed; // the corner of the outline that the edge is not of
  bool of_first;
} difference_edge;

typedef struct nearest {
  double rounding;  // lengths that differ by less are equal
  double touching;  // what an edge through the origin may seem to be beside it
  double face_gap;  // greatest distance of the origin outside an edge's line, and that edge
  double face_miss; // how far beyond the edge's ends its foot lies: edges in one line differ by that alone
  difference_edge face;
  double distance; // from the edges that face the origin, where there are any
  difference_edge edge;
  double along; // of the nearest point on it, 0 at the start and 1 at the end
} nearest;

static void measure(const difference_edge *edge, nearest *best)
{
  const ts_vec3 span = ts_sub(edge->end, edge->start);
  const double outside = -ts_dot(edge->normal, edge->start), length2 = ts_dot(span, span);
  const double foot = -ts_dot(edge->start, span) / length2, along = fmax(0.0, fmin(1.0, foot));
  const double miss = fabs(foot - along) * sqrt(length2), gain = outside - best->face_gap;
  if (gain > best->rounding || (gain >= -best->rounding && miss < best->face_miss)) {
    best->face_gap = outside;
    best->face_miss = miss;
    best->face = *edge;
  }
  // Of edges in one line through the origin rounding puts some before it and some behind: the one it is on must be
  // asked.
  if (!(outside > -best->touching)) return;
  const double distance = miss > 0.0 ? ts_length(along > 0.0 ? edge->end : edge->start) : outside;
  if (distance < best->distance) best->distance = distance, best->edge = *edge, best->along = along;
}

static void walk(const outline o[2], nearest *best)
{
  const int count[2] = {edge_count(&o[0]), edge_count(&o[1])};
  int done[2] = {0, 0}, at[2] = {first_edge(&o[0]), first_edge(&o[1])};
  ts_vec3 here[2] = {corner(&o[0], at[0]), corner(&o[1], at[1])};
  while (done[0] < count[0] || done[1] < count[1]) {
    int k = done[0] < count[0] ? 0 : 1;
    if (k == 0 && done[1] < count[1] && turns_before(outward(&o[1], at[1]), outward(&o[0], at[0]))) k = 1;
    const int next = at[k] + 1 < count[k] ? at[k] + 1 : 0;
    const ts_vec3 from = here[k], to = corner(&o[k], next), other = here[1 - k];
    const difference_edge edge = {ts_add(from, other), ts_add(to, other), outward(&o[k], at[k]), other, k == 0};
    measure(&edge, best);
    here[k] = to;
    at[k] = next;
    ++done[k];
  }
}

// The witness of the outline that the edge is not of is a corner; the other lies across the gap.
static void settle(const difference_edge *edge, double gap, ts_vec3 normal, ts_separation *separation)
{
  *separation = (ts_separation){.gap = gap, .normal = normal};
  if (edge->of_first) {
    separation->point_2 = ts_negate(edge->fixed);
    separation->point_1 = ts_add_scaled(separation->point_2, gap, normal);
  } else {
    separation->point_1 = edge->fixed;
    separation->point_2 = ts_add_scaled(separation->point_1, -gap, normal);
  }
}

void ts_planar_distance(const ts_core *a, const ts_core *b, ts_separation *separation)
{
  const outline o[2] = {{a, a->part->hull, 1.0}, {b, b->part->hull, -1.0}};
  const double size = fmin(a->part->hull ? a->part->reach : INFINITY, b->part->hull ? b->part->reach : INFINITY);
  const double extent = a->part->reach + b->part->reach + ts_length(ts_sub(a->frame.origin, b->frame.origin));
  nearest best = {.rounding = 1e-14 * size,
                  .touching = 4e-15 * extent,
                  .face_gap = -INFINITY,
                  .face_miss = INFINITY,
                  .distance = INFINITY};
  walk(o, &best);
  const bool apart = best.distance < INFINITY, to_corner = apart && !(best.along > 0.0 && best.along < 1.0);
  if (apart && !to_corner) {
    settle(&best.edge, best.distance, ts_negate(best.edge.normal), separation);
  } else if (to_corner && best.distance > 1e-11 * size) { // nearer, the direction is rounding: an edge's normal is not
    const ts_vec3 from_origin = best.along > 0.0 ? best.edge.end : best.edge.start;
    settle(&best.edge, best.distance, ts_scale(1.0 / best.distance, from_origin), separation);
  } else {
    settle(&best.face, best.face_gap, ts_negate(best.face.normal), separation);
  }
}
