// Two boxes: the separating axis test (Gottschalk, Lin and Manocha 1996) gives a bound S of the signed distance from 15
// directions. Where the boxes overlap, S is the distance; where they do not, it is if two points that far apart face
// each other along the direction. Only what remains, corners past corners and corners past edges, needs a search.
//
// Which direction is taken where several are as good must not change from step to step: a's faces come before b's, and
// faces before edges, unless the later is better by more than PREFERENCE of the size. An edge direction that is not
// clearly better is one of nearly parallel edges of nearly parallel faces.
#include "shape/manifold_pairs.h"

#include "shape/patch.h"

static const double PREFERENCE = 1e-10;  // of the smaller box, for a's faces, and for faces against edges
static const double REACHED = 1e-9;      // of the smaller box: a touch this close to S proves it
static const double PARALLEL = 1e-20;    // squared sine between two edges that have no common normal
static const double SIDE_BY_SIDE = 0.01; // half the least slope beside an edge
static const double AT_END = 4e-6;       // of the smaller box: a nearest point this close to an end is the end

typedef struct best_axis {
  double separation;
  ts_vec3 normal;     // from b to a
  int edge_a, edge_b; // axes of the boxes along the two edges; -1 for a face direction
} best_axis;

// The boxes in the frame of the first: half lengths, b's axes as columns of R, and b's centre seen from a's in both
typedef struct turned_boxes {
  double ha[3], hb[3];
  double R[3][3]; // R[i][j] = a_i . b_j
  double ta[3], tb[3];
  ts_vec3 a[3], b[3];
} turned_boxes;

static turned_boxes relate(const ts_convex *a, const ts_frame *frame_a, const ts_convex *b, const ts_frame *frame_b)
{
  turned_boxes p = {.ha = {a->half.x, a->half.y, a->half.z},
                    .hb = {b->half.x, b->half.y, b->half.z},
                    .a = {frame_a->axes.x, frame_a->axes.y, frame_a->axes.z},
                    .b = {frame_b->axes.x, frame_b->axes.y, frame_b->axes.z}};
  const ts_vec3 t = ts_sub(frame_b->origin, frame_a->origin);
  for (int i = 0; i < 3; ++i) {
    for (int j = 0; j < 3; ++j) p.R[i][j] = ts_dot(p.a[i], p.b[j]);
    p.ta[i] = ts_dot(t, p.a[i]);
    p.tb[i] = ts_dot(t, p.b[i]);
  }
  return p;
}

static void try_axis(best_axis *best, double separation, double preference, ts_vec3 direction, double along)
{
  if (separation <= best->separation + preference) return;
  *best = (best_axis){separation, along > 0.0 ? ts_negate(direction) : direction, -1, -1};
}

// Faces of a, then of b; false when one of them proves that the boxes are further apart than the margin.
static bool try_faces(const turned_boxes *p, double margin, double preference, best_axis *best)
{
  for (int i = 0; i < 3; ++i) {
    const double *const R = p->R[i];
    const double reach = p->ha[i] + p->hb[0] * fabs(R[0]) + p->hb[1] * fabs(R[1]) + p->hb[2] * fabs(R[2]);
    try_axis(best, fabs(p->ta[i]) - reach, 0.0, p->a[i], p->ta[i]);
  }
  for (int j = 0; j < 3; ++j) {
    const double reach =
        p->hb[j] + p->ha[0] * fabs(p->R[0][j]) + p->ha[1] * fabs(p->R[1][j]) + p->ha[2] * fabs(p->R[2][j]);
    try_axis(best, fabs(p->tb[j]) - reach, preference, p->b[j], p->tb[j]);
  }
  return best->separation <= margin;
}

// a_i x b_j in a's frame is L with L_i = 0. Its products with b's other axes are summed from L itself, not taken from
// R: nearly parallel edges then lose no digits.
static bool try_edges(const turned_boxes *p, double margin, double preference, best_axis *best)
{
  for (int i = 0; i < 3; ++i) {
    const int k = (i + 1) % 3, l = (i + 2) % 3;
    for (int j = 0; j < 3; ++j) {
      const double Lk = -p->R[l][j], Ll = p->R[k][j], square = Lk * Lk + Ll * Ll;
      if (square <= PARALLEL) continue;
      const int m = (j + 1) % 3, n = (j + 2) % 3;
      const double along = Lk * p->ta[k] + Ll * p->ta[l];
      const double reach = p->ha[k] * fabs(Lk) + p->ha[l] * fabs(Ll) +
                           p->hb[m] * fabs(Lk * p->R[k][m] + Ll * p->R[l][m]) +
                           p->hb[n] * fabs(Lk * p->R[k][n] + Ll * p->R[l][n]);
      const double length = sqrt(square), separation = (fabs(along) - reach) / length;
      if (separation > margin) return false;
      if (separation <= best->separation + (best->edge_a < 0 ? preference : 0.0)) continue;
      const double s = (along > 0.0 ? -1.0 : 1.0) / length;
      *best = (best_axis){separation, ts_add_scaled(ts_scale(s * Lk, p->a[k]), s * Ll, p->a[l]), i, j};
    }
  }
  return true;
}

static ts_vec3 axis_of(const ts_frame *frame, int axis)
{
  return axis == 0 ? frame->axes.x : axis == 1 ? frame->axes.y : frame->axes.z;
}

// The edge of a box along one of its axes that is furthest along `outward`, as two corners
static void edge_towards(const ts_frame *frame, ts_vec3 outward, int axis, int edge[2])
{
  const ts_vec3 d = ts_mul_transposed(&frame->axes, outward);
  const int top = (d.x > 0.0) | (d.y > 0.0) << 1 | (d.z > 0.0) << 2;
  edge[0] = top & ~(1 << axis);
  edge[1] = top | 1 << axis;
}

// Edges that are nearly parallel touch at the ends of what they share, too. The faces beside them are tilted by 0.02
// rad at least (TS_PATCH_FLAT), so that edges whose ends are further apart than the margin over that have nothing to
// add.
static void touch_of_ends(const ts_convex *a, const ts_frame *frame_a, const ts_convex *b, const ts_frame *frame_b,
                          const best_axis *axis, const int edge_a[2], const int edge_b[2], double size,
                          ts_touch_list *list)
{
  ts_patch patch_a, patch_b;
  ts_patch_hull_edge(a->hull, frame_a, ts_negate(axis->normal), edge_a, &patch_a);
  ts_patch_hull_edge(b->hull, frame_b, axis->normal, edge_b, &patch_b);
  ts_patch_overlap(&patch_a, &patch_b, axis->normal, size, false, list);
}

// Nearest points of the lines of two edges that cross; false where they are outside the edges.
static bool touch_of_edges(const ts_convex *a, const ts_frame *frame_a, const ts_convex *b, const ts_frame *frame_b,
                           const best_axis *axis, double size, ts_touch_list *list)
{
  int edge_a[2], edge_b[2];
  edge_towards(frame_a, ts_negate(axis->normal), axis->edge_a, edge_a);
  edge_towards(frame_b, axis->normal, axis->edge_b, edge_b);
  const ts_vec3 start_a = ts_frame_apply(frame_a, a->hull->vertices[edge_a[0]]), u = axis_of(frame_a, axis->edge_a);
  const ts_vec3 start_b = ts_frame_apply(frame_b, b->hull->vertices[edge_b[0]]), v = axis_of(frame_b, axis->edge_b);
  const double length_a = ts_distance_of(a->hull->vertices[edge_a[0]], a->hull->vertices[edge_a[1]]);
  const double length_b = ts_distance_of(b->hull->vertices[edge_b[0]], b->hull->vertices[edge_b[1]]);
  // start_a + s u - start_b - t v = gap n: eliminate with the normals of (v, n) and (u, n).
  const ts_vec3 w = ts_sub(start_b, start_a), v_n = ts_cross(v, axis->normal), u_n = ts_cross(u, axis->normal);
  const double sine = ts_dot(u, v_n), s = ts_dot(w, v_n) / sine, t = -ts_dot(w, u_n) / ts_dot(v, u_n);
  const double slack = REACHED * size;
  if (!(s >= -slack && s <= length_a + slack && t >= -slack && t <= length_b + slack)) return false;
  if (SIDE_BY_SIDE * fabs(sine) * fmin(length_a, length_b) <= list->margin - axis->separation)
    touch_of_ends(a, frame_a, b, frame_b, axis, edge_a, edge_b, size, list);
  if (list->least_gap <= axis->separation + slack) return true;
  ts_touch_list_correct(list, ts_add_scaled(start_b, t, v), axis->normal, axis->separation,
                        ts_feature_pair(ts_edge_feature_id(a->hull->vertex_count, edge_a[0], edge_a[1]),
                                        ts_edge_feature_id(b->hull->vertex_count, edge_b[0], edge_b[1])),
                        AT_END * size);
  return true;
}

// Touches along the best direction; false where they do not reach S.
static bool touch_along(const ts_convex *a, const ts_frame *frame_a, const ts_convex *b, const ts_frame *frame_b,
                        const best_axis *axis, double size, ts_touch_list *list)
{
  const ts_vec3 outward_a = ts_negate(axis->normal);
  const ts_facing facing_a = ts_patch_look(a, frame_a, outward_a);
  const ts_facing facing_b = ts_patch_look(b, frame_b, axis->normal);
  if (axis->edge_a >= 0 && fmax(facing_a.flatness, facing_b.flatness) < TS_PATCH_FLAT)
    return touch_of_edges(a, frame_a, b, frame_b, axis, size, list);
  ts_patch patch_a, patch_b;
  ts_patch_face(a->hull, frame_a, outward_a, facing_a.face, &patch_a);
  ts_patch_face(b->hull, frame_b, axis->normal, facing_b.face, &patch_b);
  ts_patch_overlap(&patch_a, &patch_b, axis->normal, size, false, list);
  return list->least_gap <= axis->separation + REACHED * size;
}

void ts_touches_of_boxes(const ts_convex *a, const ts_frame *frame_a, const ts_convex *b, const ts_frame *frame_b,
                         ts_touch_list *list)
{
  const double size = ts_pair_size(a, b), preference = PREFERENCE * size;
  const turned_boxes pair = relate(a, frame_a, b, frame_b);
  best_axis axis = {-INFINITY, {0.0, 0.0, 0.0}, -1, -1};
  if (!try_faces(&pair, list->margin, preference, &axis) || !try_edges(&pair, list->margin, preference, &axis)) return;
  if (touch_along(a, frame_a, b, frame_b, &axis, size, list)) return;
  list->count = 0;
  list->least_gap = INFINITY;
  ts_touches_at_nearest(a, frame_a, b, frame_b, list);
}
