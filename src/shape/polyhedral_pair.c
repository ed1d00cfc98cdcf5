// See polyhedral_pair.h.
#include "shape/polyhedral_pair.h"

#include "shape/ascent.h"

// The best direction so far; of an edge-edge direction, the edges' directions.
typedef struct axis_choice {
  double gap;
  ts_vec3 normal; // from B to A
  bool of_edges;
  ts_vec3 edges[2];
} axis_choice;

// Of directions as good to rounding the first wins, and faces come first: a normal that jumps between a face and an
// edge next to it would unsettle contact points.
static void offer(axis_choice *best, double gap, ts_vec3 normal, double rounding)
{
  if (gap > best->gap + rounding) *best = (axis_choice){.gap = gap, .normal = normal};
}

// The gap between the lines of two edges is the cores' only where the edges are the furthest along the normal. Whether
// they are rounding decides for edges that are nearly parallel, so what seems better is measured before it is believed.
static void offer_edges(const ts_core *a, const ts_core *b, axis_choice *best, double gap, ts_vec3 normal,
                        ts_vec3 edge_a, ts_vec3 edge_b, double rounding)
{
  if (!(gap > best->gap + rounding)) return;
  const double measured = ts_core_gap_along(a, b, normal, NULL, NULL);
  if (measured > best->gap + rounding)
    *best = (axis_choice){.gap = measured, .normal = normal, .of_edges = true, .edges = {edge_a, edge_b}};
}

static double rounding_of(const ts_core *a, const ts_core *b)
{
  return 1e-13 * (a->part->reach + b->part->reach);
}

// Points to the direction. Where it turns out not to be the best, the cores are apart, corner to corner or to edge; or
// two directions are as good to rounding, and the points belong to the other.
static void settle(const ts_core *a, const ts_core *b, const axis_choice *best, ts_separation *separation)
{
  const double defect = ts_ascent_witnesses(a, b, best->normal, best->of_edges ? best->edges : NULL, separation);
  if (defect > 10.0 * rounding_of(a, b)) ts_ascent_from(a, b, best->normal, separation);
}

// ---- boxes
// -------------------------------------------------------------------------------------------------------------

static ts_vec3 axis_of(const ts_mat3 *axes, int i)
{
  return i == 0 ? axes->x : i == 1 ? axes->y : axes->z;
}

// Fifteen directions: the faces of each box, and an edge of each (Gottschalk, Lin and Manocha 1996). R[i][j] is the
// cosine between axis i of A and axis j of B.
void ts_box_box_distance(const ts_core *a, const ts_core *b, ts_separation *separation)
{
  const ts_mat3 *A = &a->frame.axes, *B = &b->frame.axes;
  const ts_vec3 apart = ts_sub(a->frame.origin, b->frame.origin);
  const double along_a[3] = {ts_dot(apart, A->x), ts_dot(apart, A->y), ts_dot(apart, A->z)};
  const double half_a[3] = {a->part->half.x, a->part->half.y, a->part->half.z};
  const double half_b[3] = {b->part->half.x, b->part->half.y, b->part->half.z};
  const double rounding = rounding_of(a, b);
  double R[3][3];
  for (int i = 0; i < 3; ++i)
    for (int j = 0; j < 3; ++j) R[i][j] = ts_dot(axis_of(A, i), axis_of(B, j));
  axis_choice best = {.gap = -INFINITY};
  for (int i = 0; i < 3; ++i) {
    const double extent = half_a[i] + half_b[0] * fabs(R[i][0]) + half_b[1] * fabs(R[i][1]) + half_b[2] * fabs(R[i][2]);
    offer(&best, fabs(along_a[i]) - extent, ts_scale(copysign(1.0, along_a[i]), axis_of(A, i)), rounding);
  }
  for (int j = 0; j < 3; ++j) {
    const double along = ts_dot(apart, axis_of(B, j));
    const double extent = half_b[j] + half_a[0] * fabs(R[0][j]) + half_a[1] * fabs(R[1][j]) + half_a[2] * fabs(R[2][j]);
    offer(&best, fabs(along) - extent, ts_scale(copysign(1.0, along), axis_of(B, j)), rounding);
  }
  for (int i = 0; i < 3; ++i)
    for (int j = 0; j < 3; ++j) {
      const int i1 = (i + 1) % 3, i2 = (i + 2) % 3, j1 = (j + 1) % 3, j2 = (j + 2) % 3;
      const double sine2 = R[i1][j] * R[i1][j] + R[i2][j] * R[i2][j];
      if (sine2 < 1e-16) continue; // parallel edges: the faces' directions are among their common normals
      const double along = along_a[i2] * R[i1][j] - along_a[i1] * R[i2][j]; // of (axis i) x (axis j)
      const double extent = half_a[i1] * fabs(R[i2][j]) + half_a[i2] * fabs(R[i1][j]) + half_b[j1] * fabs(R[i][j2]) +
                            half_b[j2] * fabs(R[i][j1]);
      const double gap = (fabs(along) - extent) / sqrt(sine2);
      if (!(gap > best.gap + rounding)) continue;
      const ts_vec3 edge_a = axis_of(A, i), edge_b = axis_of(B, j), cross = ts_cross(edge_a, edge_b);
      offer_edges(a, b, &best, gap, ts_scale(copysign(1.0, along), ts_normalize(cross, edge_a)), edge_a, edge_b,
                  rounding);
    }
  settle(a, b, &best, separation);
}

// ---- segments and boxes
// -------------------------------------------------------------------------------------------------------------

// The part of the segment centre + t along, -1 <= t <= 1, that is between -half and half.
static void clip(double centre, double along, double half, double *low, double *high)
{
  if (along == 0.0) {
    if (fabs(centre) > half) *high = -INFINITY;
    return;
  }
  const double s = (-half - centre) / along, t = (half - centre) / along;
  *low = fmax(*low, fmin(s, t));
  *high = fmin(*high, fmax(s, t));
}

// A segment above a face of the box. The face's direction bounds the gap from below, and a point of the segment above
// the face that is as near attains it. False where there is none: an edge or a corner is nearest, or they overlap.
static bool segment_is_above_face(const ts_core *segment, const ts_core *box, ts_separation *separation)
{
  const double rounding = rounding_of(segment, box), half_length = segment->part->half_length;
  const ts_vec3 c = ts_frame_unapply(&box->frame, segment->frame.origin);
  const ts_vec3 u = ts_scale(half_length, ts_mul_transposed(&box->frame.axes, segment->frame.axes.z));
  const double centre[3] = {c.x, c.y, c.z}, along[3] = {u.x, u.y, u.z};
  const double half[3] = {box->part->half.x, box->part->half.y, box->part->half.z};
  double gap = rounding, low = -1.0, high = 1.0;
  int face = -1;
  for (int i = 0; i < 3; ++i) {
    const double above = fabs(centre[i]) - fabs(along[i]) - half[i];
    if (above > gap) gap = above, face = i;
  }
  if (face < 0) return false;
  for (int k = 1; k < 3; ++k) clip(centre[(face + k) % 3], along[(face + k) % 3], half[(face + k) % 3], &low, &high);
  if (!(low <= high)) return false;
  const double side = copysign(1.0, centre[face]), slope = side * along[face];
  if (fabs(slope) * (slope > 0.0 ? low + 1.0 : 1.0 - high) > rounding)
    return false; // what is nearest is beside the face
  const bool parallel = fabs(slope) * (high - low) <= rounding;
  const double t = parallel ? 0.5 * (low + high) : slope > 0.0 ? low : high;
  const ts_vec3 n = ts_scale(side, axis_of(&box->frame.axes, face));
  const ts_vec3 point = ts_add_scaled(segment->frame.origin, t * half_length, segment->frame.axes.z);
  *separation = (ts_separation){.gap = gap, .normal = n, .point_1 = point, .point_2 = ts_add_scaled(point, -gap, n)};
  return true;
}

void ts_segment_box_distance(const ts_core *a, const ts_core *b, ts_separation *separation)
{
  if (!segment_is_above_face(a, b, separation)) ts_polyhedral_distance(a, b, separation);
}

// ---- hulls
// -------------------------------------------------------------------------------------------------------------

// Pairs of edges up to which looking at all of them is faster than growing a polytope.
enum { MOST_EDGE_PAIRS = 16384 };

// `sign` is +1 where the hull is the second core, so that its outward normals point from B to A, else -1.
static void offer_faces(const ts_core *hull_core, const ts_core *other, double sign, double rounding, axis_choice *best)
{
  const ts_hull *hull = hull_core->part->hull;
  for (int f = 0; f < hull->face_count; ++f) {
    const ts_vec3 outward = ts_mul(&hull_core->frame.axes, hull->normals[f]);
    const ts_vec3 point = ts_core_support(other, ts_negate(outward));
    const double gap = ts_dot(outward, ts_sub(point, hull_core->frame.origin)) - hull->offsets[f];
    offer(best, gap, ts_scale(sign, outward), rounding);
  }
}

static ts_vec3 edge_vector(const ts_hull *hull, int edge)
{
  return ts_sub(hull->vertices[hull->edges[edge][1]], hull->vertices[hull->edges[edge][0]]);
}

// A segment crosses an edge of the hull B where the normals of the edge's faces lie on different sides of the plane
// across the segment.
static void offer_segment_edges(const ts_core *segment, const ts_core *b, double rounding, axis_choice *best)
{
  const ts_hull *hull = b->part->hull;
  const ts_vec3 u = ts_mul_transposed(&b->frame.axes, segment->frame.axes.z);
  const ts_vec3 centre = ts_frame_unapply(&b->frame, segment->frame.origin);
  for (int e = 0; e < hull->edge_count; ++e) {
    const ts_vec3 n1 = hull->normals[hull->edge_faces[e][0]], n2 = hull->normals[hull->edge_faces[e][1]];
    if (!(ts_dot(n1, u) * ts_dot(n2, u) < 0.0)) continue;
    const ts_vec3 along = edge_vector(hull, e), cross = ts_cross(u, along);
    const double sine = ts_length(cross);
    if (!(sine > 0.0)) continue;
    const ts_vec3 n = ts_scale(copysign(1.0 / sine, ts_dot(cross, ts_add(n1, n2))), cross);
    const double gap = ts_dot(n, ts_sub(centre, hull->vertices[hull->edges[e][0]]));
    offer_edges(segment, b, best, gap, ts_mul(&b->frame.axes, n), segment->frame.axes.z, ts_mul(&b->frame.axes, along),
                rounding);
  }
}

// An edge of A in B's frame.
typedef struct placed_edge {
  ts_vec3 start, along, normal_1, normal_2;
} placed_edge;

static placed_edge place_edge(const ts_core *a, const ts_core *b, int edge)
{
  const ts_hull *hull = a->part->hull;
  const ts_mat3 *A = &a->frame.axes, *B = &b->frame.axes;
  return (placed_edge){
      ts_frame_unapply(&b->frame, ts_frame_apply(&a->frame, hull->vertices[hull->edges[edge][0]])),
      ts_mul_transposed(B, ts_mul(A, edge_vector(hull, edge))),
      ts_mul_transposed(B, ts_mul(A, hull->normals[hull->edge_faces[edge][0]])),
      ts_mul_transposed(B, ts_mul(A, hull->normals[hull->edge_faces[edge][1]])),
  };
}

// Two edges make a face of A - B where the arcs between their faces' normals, those of B reversed, cross on the sphere.
static void offer_crossing_edges(const ts_core *a, const ts_core *b, double rounding, axis_choice *best)
{
  const ts_hull *hull_b = b->part->hull;
  for (int i = 0; i < a->part->hull->edge_count; ++i) {
    const placed_edge edge = place_edge(a, b, i);
    for (int j = 0; j < hull_b->edge_count; ++j) {
      const ts_vec3 n1 = hull_b->normals[hull_b->edge_faces[j][0]], n2 = hull_b->normals[hull_b->edge_faces[j][1]];
      if (!(ts_dot(n1, edge.along) * ts_dot(n2, edge.along) < 0.0)) continue;
      const ts_vec3 along = edge_vector(hull_b, j);
      if (!(ts_dot(edge.normal_1, along) * ts_dot(edge.normal_2, along) < 0.0)) continue;
      const ts_vec3 cross = ts_cross(edge.along, along);
      const double length = ts_length(cross);
      if (!(length > 0.0)) continue;
      const ts_vec3 n = ts_scale(copysign(1.0 / length, ts_dot(cross, ts_add(n1, n2))), cross);
      if (ts_dot(n, ts_add(edge.normal_1, edge.normal_2)) > 0.0) continue; // the arcs lie on opposite sides
      const double gap = ts_dot(n, ts_sub(edge.start, hull_b->vertices[hull_b->edges[j][0]]));
      offer_edges(a, b, best, gap, ts_mul(&b->frame.axes, n), ts_mul(&b->frame.axes, edge.along),
                  ts_mul(&b->frame.axes, along), rounding);
    }
  }
}

void ts_polyhedral_distance(const ts_core *a, const ts_core *b, ts_separation *separation)
{
  if (ts_ascent_if_apart(a, b, separation)) return;
  const double rounding = rounding_of(a, b);
  axis_choice best = {.gap = -INFINITY};
  if (a->kind == TS_CORE_HULL) {
    if ((long)a->part->hull->edge_count * b->part->hull->edge_count > MOST_EDGE_PAIRS) {
      ts_ascent_overlap(a, b, separation);
      return;
    }
    offer_faces(a, b, -1.0, rounding, &best);
  }
  offer_faces(b, a, 1.0, rounding, &best);
  if (a->kind == TS_CORE_SEGMENT) offer_segment_edges(a, b, rounding, &best);
  if (a->kind == TS_CORE_HULL) offer_crossing_edges(a, b, rounding, &best);
  settle(a, b, &best, separation);
}
