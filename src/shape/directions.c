// See directions.h.
#include "shape/directions.h"

#include "shape/manifold_pairs.h"
#include "shape/patch.h"

static const double PARALLEL = 1e-6; // length of the difference of two normals

// ---- vertices ------------------------------------------------------------------------------------------------------

static bool is_point(const ts_convex *part)
{
  return part->kind == TS_SHAPE_POINT;
}

static bool is_faceted(const ts_convex *part)
{
  return part->kind == TS_SHAPE_POLYGON || part->kind == TS_SHAPE_BOX || part->kind == TS_SHAPE_POLYTOPE;
}

bool ts_have_directions(const ts_convex *a, const ts_convex *b)
{
  return (is_faceted(a) && (is_faceted(b) || is_point(b))) || (is_point(a) && is_faceted(b));
}

double ts_faceted_size(const ts_convex *a, const ts_convex *b)
{
  return fmin(a->hull ? ts_part_size(a) : INFINITY, b->hull ? ts_part_size(b) : INFINITY);
}

static int vertex_count(const ts_convex *part)
{
  return part->hull ? part->hull->vertex_count : 1;
}

// Vertex v of a part in the frame of the other.
static ts_vec3 vertex_in(const ts_convex *part, const ts_frame *frame, int v, const ts_frame *other)
{
  return ts_frame_unapply(other, ts_frame_apply(frame, part->hull ? part->hull->vertices[v] : part->middle));
}

static double above(const ts_hull *hull, int face, ts_vec3 x)
{
  return ts_dot(hull->normals[face], x) - hull->offsets[face];
}

// Whether a point, or where `y` differs a segment, can get to a hull without moving farther than the margin: it is no
// farther outside of any face.
static bool is_near(const ts_hull *hull, ts_vec3 x, ts_vec3 y, double margin)
{
  for (int f = 0; f < hull->face_count; ++f)
    if (fmin(above(hull, f, x), above(hull, f, y)) > margin) return false;
  return true;
}

// ---- collecting ----------------------------------------------------------------------------------------------------

typedef struct collection {
  const ts_convex *a, *b;
  const ts_frame *frame_a, *frame_b;
  double margin;
  ts_direction *directions;
  int capacity, count;
  bool apart; // farther than the margin
} collection;

static void collect(collection *c, ts_direction direction)
{
  if (direction.gap > c->margin) c->apart = true;
  if (!(direction.gap >= -c->margin)) return;
  const int written = c->count < c->capacity ? c->count : c->capacity;
  for (int k = 0; k < written; ++k)
    if (ts_distance_of(c->directions[k].normal, direction.normal) <= PARALLEL) return;
  if (c->count < c->capacity) c->directions[c->count] = direction;
  ++c->count;
}

static void collect_faces(collection *c, bool of_a)
{
  const ts_convex *own = of_a ? c->a : c->b, *other = of_a ? c->b : c->a;
  const ts_frame *frame = of_a ? c->frame_a : c->frame_b, *other_frame = of_a ? c->frame_b : c->frame_a;
  for (int f = 0; own->hull && f < own->hull->face_count; ++f) {
    const ts_vec3 outward = ts_mul(&frame->axes, own->hull->normals[f]), n = of_a ? ts_negate(outward) : outward;
    const ts_vec3 lowest = ts_convex_support(other, ts_mul_transposed(&other_frame->axes, ts_negate(outward)));
    const ts_vec3 x = ts_frame_unapply(frame, ts_frame_apply(other_frame, lowest));
    collect(c, (ts_direction){.normal = n,
                              .gap = above(own->hull, f, x),
                              .face = f,
                              .of_a = of_a,
                              .cut = own->hull->inner && own->hull->inner[f]});
  }
}

// An edge in b's frame.
typedef struct crossing_edge {
  ts_vec3 start, end, along, normal_1, normal_2;
} crossing_edge;

static crossing_edge edge_of(const ts_convex *part, const ts_frame *frame, const ts_frame *frame_b, int e)
{
  const ts_hull *hull = part->hull;
  const ts_vec3 start = vertex_in(part, frame, hull->edges[e][0], frame_b);
  const ts_vec3 end = vertex_in(part, frame, hull->edges[e][1], frame_b);
  const ts_mat3 *axes = &frame->axes;
  return (crossing_edge){start, end, ts_sub(end, start),
                         ts_mul_transposed(&frame_b->axes, ts_mul(axes, hull->normals[hull->edge_faces[e][0]])),
                         ts_mul_transposed(&frame_b->axes, ts_mul(axes, hull->normals[hull->edge_faces[e][1]]))};
}

static bool is_between(const crossing_edge *edge, ts_vec3 along)
{
  return ts_dot(edge->normal_1, along) * ts_dot(edge->normal_2, along) < 0.0;
}

// Whether the lines of two edges are closest to each other on both edges, or no farther beyond their ends than the
// margin: farther away, the edges are not what comes to touch, and how the gap there changes says nothing about them.
static bool meet_on_edges(const crossing_edge *p, const crossing_edge *q, ts_vec3 n, double margin)
{
  const ts_vec3 across_p = ts_cross(p->along, n), across_q = ts_cross(q->along, n), apart = ts_sub(p->start, q->start);
  const double on_q = ts_dot(apart, across_p) / ts_dot(q->along, across_p);
  const double on_p = -ts_dot(apart, across_q) / ts_dot(p->along, across_q);
  const double more_p = margin / ts_length(p->along), more_q = margin / ts_length(q->along);
  return on_p >= -more_p && on_p <= 1.0 + more_p && on_q >= -more_q && on_q <= 1.0 + more_q;
}

// Two edges make a face of A - B where the arcs between their faces' normals, those of B reversed, cross on the sphere.
static void collect_crossing(collection *c, const crossing_edge *p, int e, int f)
{
  const crossing_edge q = edge_of(c->b, c->frame_b, c->frame_b, f);
  if (!is_between(&q, p->along) || !is_between(p, q.along)) return;
  const ts_vec3 cross = ts_cross(p->along, q.along);
  const double length = ts_length(cross);
  if (!(length > PARALLEL * ts_length(p->along) * ts_length(q.along))) return; // the faces' directions do
  const ts_vec3 n = ts_scale(copysign(1.0 / length, ts_dot(cross, ts_add(q.normal_1, q.normal_2))), cross);
  if (ts_dot(n, ts_add(p->normal_1, p->normal_2)) > 0.0) return; // the arcs lie on opposite sides
  if (!meet_on_edges(p, &q, n, c->margin)) return;
  collect(c, (ts_direction){.normal = ts_mul(&c->frame_b->axes, n),
                            .gap = ts_dot(n, ts_sub(p->start, q.start)),
                            .face = -1,
                            .edges = {e, f}});
}

static bool edge_is_near(const ts_convex *part, const ts_frame *frame, int e, const ts_convex *other,
                         const ts_frame *other_frame, double margin)
{
  const ts_vec3 x = vertex_in(part, frame, part->hull->edges[e][0], other_frame),
                y = vertex_in(part, frame, part->hull->edges[e][1], other_frame);
  return is_near(other->hull, x, y, margin);
}

// Edges that cannot touch within the margin are left out: of parts that are apart, a face of A - B next to the point
// that is nearest to the origin says so.
static void collect_edges(collection *c)
{
  if (!c->a->hull || !c->b->hull) return;
  for (int e = 0; e < c->a->hull->edge_count; ++e) {
    if (!edge_is_near(c->a, c->frame_a, e, c->b, c->frame_b, c->margin)) continue;
    const crossing_edge p = edge_of(c->a, c->frame_a, c->frame_b, e);
    for (int f = 0; f < c->b->hull->edge_count; ++f)
      if (edge_is_near(c->b, c->frame_b, f, c->a, c->frame_a, c->margin)) collect_crossing(c, &p, e, f);
  }
}

int ts_find_directions(const ts_convex *a, const ts_frame *frame_a, const ts_convex *b, const ts_frame *frame_b,
                       double margin, ts_direction *directions, int capacity)
{
  collection c = {a, b, frame_a, frame_b, margin, directions, capacity, 0, false};
  collect_faces(&c, false);
  collect_faces(&c, true);
  if (!c.apart) collect_edges(&c);
  return c.apart ? 0 : c.count;
}

// ---- touches -------------------------------------------------------------------------------------------------------

static const double REACHED = 1e-9; // of the smaller part: a touch this close to the gap of the direction proves it

static uint32_t vertex_feature(const ts_convex *part, int v)
{
  return part->hull ? ts_feature_id(TS_FEATURE_ID_VERTEX, v) : ts_feature_id(TS_FEATURE_ID_NEAREST, 0);
}

// The vertex of the other part that the gap of a face's direction is about.
static int lowest_vertex(const ts_convex *a, const ts_frame *frame_a, const ts_convex *b, const ts_frame *frame_b,
                         const ts_direction *direction)
{
  const ts_convex *other = direction->of_a ? b : a;
  const ts_frame *frame = direction->of_a ? frame_b : frame_a;
  const ts_vec3 up = ts_scale(direction->of_a ? -1.0 : 1.0, ts_mul_transposed(&frame->axes, direction->normal));
  int lowest = 0;
  for (int v = 1; v < vertex_count(other); ++v)
    if (ts_dot(up, other->hull->vertices[v]) < ts_dot(up, other->hull->vertices[lowest])) lowest = v;
  return lowest;
}

typedef enum vertex_choice { CAN_TOUCH, CANNOT_TOUCH, LOWEST } vertex_choice;

// Vertices of the other part over the plane of a face, within the margin.
static void push_vertices(const ts_convex *a, const ts_frame *frame_a, const ts_convex *b, const ts_frame *frame_b,
                          const ts_direction *direction, vertex_choice which, ts_touch_list *list)
{
  const bool of_a = direction->of_a;
  const ts_convex *own = of_a ? a : b, *other = of_a ? b : a;
  const ts_frame *frame = of_a ? frame_a : frame_b, *other_frame = of_a ? frame_b : frame_a;
  const bool planar = own->kind == TS_SHAPE_POLYGON;
  const uint32_t face = ts_feature_id(planar ? TS_FEATURE_ID_EDGE : TS_FEATURE_ID_FACE, direction->face);
  const int lowest = which == LOWEST ? lowest_vertex(a, frame_a, b, frame_b, direction) : -1;
  for (int v = 0; v < vertex_count(other); ++v) {
    const ts_vec3 x = vertex_in(other, other_frame, v, frame);
    const bool touches = which != LOWEST && is_near(own->hull, x, x, list->margin);
    if (which == LOWEST ? v != lowest : touches != (which == CAN_TOUCH)) continue;
    const double gap = above(own->hull, direction->face, x);
    const ts_vec3 vertex = ts_frame_apply(frame, x);
    const uint32_t corner = vertex_feature(other, v);
    ts_touch_list_push(list, of_a ? vertex : ts_add_scaled(vertex, -gap, direction->normal), direction->normal, gap,
                       of_a ? ts_feature_pair(face, corner) : ts_feature_pair(corner, face));
  }
}

// Where the lines of two edges are closest.
static void push_crossing(const ts_convex *a, const ts_frame *frame_a, const ts_convex *b, const ts_frame *frame_b,
                          const ts_direction *direction, ts_touch_list *list)
{
  const int *p = a->hull->edges[direction->edges[0]], *q = b->hull->edges[direction->edges[1]];
  const ts_vec3 start = ts_frame_apply(frame_b, b->hull->vertices[q[0]]);
  const ts_vec3 along = ts_sub(ts_frame_apply(frame_b, b->hull->vertices[q[1]]), start);
  const ts_vec3 other = ts_frame_apply(frame_a, a->hull->vertices[p[0]]);
  const ts_vec3 across =
      ts_cross(ts_sub(ts_frame_apply(frame_a, a->hull->vertices[p[1]]), other), direction->normal); // of a's edge
  const double t = ts_dot(ts_sub(other, start), across) / ts_dot(along, across);
  ts_touch_list_push(list, ts_add_scaled(start, t, along), direction->normal, direction->gap,
                     ts_feature_pair(ts_edge_feature_id(a->hull->vertex_count, p[0], p[1]),
                                     ts_edge_feature_id(b->hull->vertex_count, q[0], q[1])));
}

// Where the faces that look at each other along the direction overlap.
static void push_overlap(const ts_convex *a, const ts_frame *frame_a, const ts_convex *b, const ts_frame *frame_b,
                         ts_vec3 normal, double size, ts_touch_list *list)
{
  if (a->kind == TS_SHAPE_POLYGON) {
    ts_touches_of_facing_sides(a, frame_a, b, frame_b, normal, list);
    return;
  }
  const ts_facing facing_a = ts_patch_look(a, frame_a, ts_negate(normal)), facing_b = ts_patch_look(b, frame_b, normal);
  ts_patch patch_a, patch_b;
  ts_patch_widest(a, frame_a, ts_negate(normal), &facing_a, &patch_a);
  ts_patch_widest(b, frame_b, normal, &facing_b, &patch_b);
  ts_patch_overlap(&patch_a, &patch_b, normal, size, false, list);
}

// Vertices that are not on the edges, against the plane through both along the normal: one beyond it has turned so far
// that the edges part nothing any more.
static void push_beside_edges(const ts_convex *a, const ts_frame *frame_a, const ts_convex *b, const ts_frame *frame_b,
                              const ts_direction *direction, ts_touch_list *list)
{
  const int *p = a->hull->edges[direction->edges[0]], *q = b->hull->edges[direction->edges[1]];
  const ts_vec3 n = direction->normal, on_a = ts_frame_apply(frame_a, a->hull->vertices[p[0]]),
                on_b = ts_frame_apply(frame_b, b->hull->vertices[q[0]]);
  const uint32_t edge_a = ts_edge_feature_id(a->hull->vertex_count, p[0], p[1]),
                 edge_b = ts_edge_feature_id(b->hull->vertex_count, q[0], q[1]);
  for (int v = 0; v < a->hull->vertex_count; ++v) {
    const ts_vec3 x = ts_frame_apply(frame_a, a->hull->vertices[v]);
    const double gap = ts_dot(n, ts_sub(x, on_b));
    const ts_vec3 y = vertex_in(a, frame_a, v, frame_b);
    if (v != p[0] && v != p[1] && is_near(b->hull, y, y, list->margin))
      ts_touch_list_push(list, ts_add_scaled(x, -gap, n), n, gap, ts_feature_pair(vertex_feature(a, v), edge_b));
  }
  for (int v = 0; v < b->hull->vertex_count; ++v) {
    const ts_vec3 x = ts_frame_apply(frame_b, b->hull->vertices[v]);
    const double gap = ts_dot(n, ts_sub(on_a, x));
    const ts_vec3 y = vertex_in(b, frame_b, v, frame_a);
    if (v != q[0] && v != q[1] && is_near(a->hull, y, y, list->margin))
      ts_touch_list_push(list, x, n, gap, ts_feature_pair(edge_a, vertex_feature(b, v)));
  }
}

// Returns how many push.
static int touches_along(const ts_convex *a, const ts_frame *frame_a, const ts_convex *b, const ts_frame *frame_b,
                         const ts_direction *direction, ts_touch_list *list)
{
  if (direction->face < 0) {
    push_crossing(a, frame_a, b, frame_b, direction, list);
    const int crossing = list->count;
    push_beside_edges(a, frame_a, b, frame_b, direction, list);
    return crossing;
  }
  const double size = ts_faceted_size(a, b), margin = list->margin;
  if (a->hull && b->hull && !direction->cut) push_overlap(a, frame_a, b, frame_b, direction->normal, size, list);
  const bool reached = list->least_gap <= direction->gap + REACHED * size;
  if (!reached) push_vertices(a, frame_a, b, frame_b, direction, CAN_TOUCH, list);
  list->margin = INFINITY;
  if (list->count == 0) push_vertices(a, frame_a, b, frame_b, direction, LOWEST, list);
  const int pushing = list->count;
  list->margin = margin;
  if (reached) push_vertices(a, frame_a, b, frame_b, direction, CAN_TOUCH, list);
  if (a->kind == TS_SHAPE_POLYGON || b->kind == TS_SHAPE_POLYGON)
    push_vertices(a, frame_a, b, frame_b, direction, CANNOT_TOUCH, list);
  return pushing;
}

int ts_touches_along(const ts_convex *a, const ts_frame *frame_a, const ts_convex *b, const ts_frame *frame_b,
                     const ts_direction *direction, double margin, ts_touch *touches, int capacity, int *pushing)
{
  ts_touch_list list = {
      .touches = touches, .capacity = capacity, .margin = margin, .least_gap = INFINITY, .origin = frame_a->origin};
  const ts_frame near_a = {ts_vec3_make(0.0, 0.0, 0.0), frame_a->axes};
  const ts_frame near_b = {ts_sub(frame_b->origin, list.origin), frame_b->axes};
  *pushing = touches_along(a, &near_a, b, &near_b, direction, &list);
  return list.count;
}
