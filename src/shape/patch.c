#include "shape/patch.h"

#include "shape/shape_type.h"

#include "math/quad.h"

// A face that is seen at a steeper angle than this makes no patch: its height would be ill determined.
static const double LEAST_FACING = 0.1;

// Beside an edge whose face is steeper than this there is no surface.
static const double LEAST_FLANK = 1e-3;

static const double WITHIN =
    1e-6; // of the parts' size: points beside an edge are no further beyond its faces than this

// ---- what a part offers along a direction

const ts_hull *ts_patch_hull(const ts_convex *part)
{
  return part->hull->wide ? part->hull->wide : part->hull;
}

static int highest_vertex(const ts_hull *hull, ts_vec3 d)
{
  int best = 0;
  double furthest = -INFINITY;
  for (int v = 0; v < hull->vertex_count; ++v) {
    const double along = ts_dot(hull->vertices[v], d);
    if (along > furthest) best = v, furthest = along;
  }
  return best;
}

// Vertices inside wide faces have no edges: the highest that has.
static int highest_corner(const ts_hull *wide, ts_vec3 d)
{
  int best = wide->edges[0][0];
  double furthest = -INFINITY;
  for (int k = 0; k < 2 * wide->edge_count; ++k) {
    const int v = wide->edges[k / 2][k % 2];
    const double along = ts_dot(wide->vertices[v], d);
    if (along > furthest) best = v, furthest = along;
  }
  return best;
}

// The edge at the highest vertex that falls least, and of its two faces the flatter one. The flattest face of all at
// the vertex need not contain that edge; this one does, so that an edge that lies across the direction is in the patch.
static ts_facing look_at_hull(const ts_hull *hull, int top, ts_vec3 d)
{
  ts_facing facing = {0};
  double least_fall = INFINITY;
  int least = 0;
  for (int e = 0; e < hull->edge_count; ++e) {
    const int v = hull->edges[e][0], w = hull->edges[e][1];
    if (v != top && w != top) continue;
    const ts_vec3 along = ts_sub(hull->vertices[w], hull->vertices[v]);
    const double fall = fabs(ts_dot(along, d)) / ts_length(along);
    if (fall < least_fall) least = e, least_fall = fall;
  }
  const int f = hull->edge_faces[least][0], g = hull->edge_faces[least][1];
  const double flat_f = ts_dot(hull->normals[f], d), flat_g = ts_dot(hull->normals[g], d);
  facing.face = flat_g > flat_f ? g : f;
  facing.flatness = flat_g > flat_f ? flat_g : flat_f;
  facing.edge[0] = hull->edges[least][0];
  facing.edge[1] = hull->edges[least][1];
  return facing;
}

ts_facing ts_hull_look(const ts_convex *part, ts_vec3 d)
{
  const ts_hull *const hull = part->hull;
  return hull->wide ? look_at_hull(hull->wide, highest_corner(hull->wide, d), d)
                    : look_at_hull(hull, highest_vertex(hull, d), d);
}

ts_facing ts_patch_look(const ts_convex *part, const ts_frame *frame, ts_vec3 outward)
{
  const ts_shape_type *type = ts_shape_type_of(part->kind);
  return type->look ? type->look(part, ts_mul_transposed(&frame->axes, outward)) : (ts_facing){0};
}

// ---- patches

void ts_patch_segment(ts_vec3 start, ts_vec3 end, ts_vec3 outward, ts_patch *patch)
{
  patch->kind = TS_PATCH_SEGMENT;
  patch->outward = outward;
  patch->corners[0] = patch->ends[0] = start;
  patch->corners[1] = patch->ends[1] = end;
  patch->radii[0] = patch->radii[1] = 0.0;
  patch->round = NULL;
  patch->edge[0] = patch->edge[1] = -1;
  patch->feature = ts_feature_id(TS_FEATURE_ID_EDGE, 0);
  patch->end_features[0] = ts_feature_id(TS_FEATURE_ID_VERTEX, 0);
  patch->end_features[1] = ts_feature_id(TS_FEATURE_ID_VERTEX, 1);
}

void ts_patch_point(ts_patch *patch)
{
  patch->kind = TS_PATCH_POINT;
}

void ts_patch_hull_edge(const ts_hull *hull, const ts_frame *frame, ts_vec3 outward, const int edge[2], ts_patch *patch)
{
  ts_patch_segment(ts_frame_apply(frame, hull->vertices[edge[0]]), ts_frame_apply(frame, hull->vertices[edge[1]]),
                   outward, patch);
  patch->hull = hull;
  patch->frame = frame;
  patch->feature = ts_edge_feature_id(hull->vertex_count, edge[0], edge[1]);
  for (int k = 0; k < 2; ++k) {
    patch->edge[k] = edge[k];
    patch->end_features[k] = ts_feature_id(TS_FEATURE_ID_VERTEX, edge[k]);
  }
}

// Inward normal of a side in the shadow: faces run counter-clockwise about `outward`
TS_INLINE ts_vec3 side_normal(ts_vec3 outward, ts_vec3 corner, ts_vec3 next)
{
  return ts_normalize(ts_cross(outward, ts_sub(next, corner)), ts_vec3_make(0.0, 0.0, 0.0));
}

void ts_patch_plane(ts_vec3 normal, ts_vec3 base, ts_patch *patch)
{
  patch->kind = TS_PATCH_POLYGON;
  patch->outward = patch->normal = normal;
  patch->base = base;
  patch->feature = ts_feature_id(TS_FEATURE_ID_FACE, 0);
  patch->count = 0;
}

TS_INLINE void set_corners(const ts_hull *hull, const ts_frame *frame, ts_patch *patch)
{
  for (int i = 0; i < patch->count; ++i) patch->corners[i] = ts_frame_apply(frame, hull->vertices[patch->loop[i]]);
  for (int i = 0; i < patch->count; ++i)
    patch->sides[i] = side_normal(patch->outward, patch->corners[i], patch->corners[i + 1 < patch->count ? i + 1 : 0]);
}

// The same of a quadrangle, all four corners and sides at once, and in both forms.
TS_HOT static void set_quadrangle(const ts_hull *hull, const ts_frame *frame, ts_patch *patch)
{
  const int *loop = patch->loop;
  const ts_vec3 *a = &hull->vertices[loop[0]], *b = &hull->vertices[loop[1]], *c = &hull->vertices[loop[2]],
                *d = &hull->vertices[loop[3]], w = patch->outward, o = frame->origin;
  const ts_mat3 *A = &frame->axes;
  const ts_quad x = {a->x, b->x, c->x, d->x}, y = {a->y, b->y, c->y, d->y}, z = {a->z, b->z, c->z, d->z};
  const ts_quad corner[3] = {o.x + (A->x.x * x + A->y.x * y + A->z.x * z), o.y + (A->x.y * x + A->y.y * y + A->z.y * z),
                             o.z + (A->x.z * x + A->y.z * y + A->z.z * z)};
  ts_quad along[3];
  for (int k = 0; k < 3; ++k) along[k] = TS_QUAD_PICK(corner[k], corner[k], 1, 2, 3, 0) - corner[k];
  const ts_quad inward[3] = {w.y * along[2] - w.z * along[1], w.z * along[0] - w.x * along[2],
                             w.x * along[1] - w.y * along[0]};
  const ts_quad length = ts_quad_sqrt(inward[0] * inward[0] + inward[1] * inward[1] + inward[2] * inward[2]);
  const ts_quad_mask has_length = length > 0.0;
  for (int k = 0; k < 3; ++k) {
    TS_QUAD(patch->four.corner[k]) = corner[k];
    TS_QUAD(patch->four.side[k]) = ts_quad_select(has_length, 1.0 / length * inward[k], (ts_quad){0.0});
  }
  for (int i = 0; i < 4; ++i) {
    const ts_quadrangle *four = &patch->four;
    patch->corners[i] = (ts_vec3){four->corner[0][i], four->corner[1][i], four->corner[2][i]};
    patch->sides[i] = (ts_vec3){four->side[0][i], four->side[1][i], four->side[2][i]};
  }
}

void ts_patch_face(const ts_hull *hull, const ts_frame *frame, ts_vec3 outward, int face, ts_patch *patch)
{
  patch->kind = TS_PATCH_POLYGON;
  patch->outward = outward;
  patch->feature = ts_feature_id(TS_FEATURE_ID_FACE, face);
  patch->normal = ts_mul(&frame->axes, hull->normals[face]);
  patch->hull = hull;
  patch->frame = frame;
  patch->loop = hull->face_vertices + hull->face_start[face];
  patch->count = hull->face_start[face + 1] - hull->face_start[face];
  patch->base = ts_frame_apply(frame, hull->vertices[patch->loop[0]]);
  if (hull->slack > 0.0) { // the first corner may be off the plane
    const double off = hull->offsets[face] - ts_dot(hull->normals[face], hull->vertices[patch->loop[0]]);
    patch->base = ts_add_scaled(patch->base, off, patch->normal);
  }
  if (patch->count == 4)
    set_quadrangle(hull, frame, patch);
  else if (patch->count <= TS_PATCH_CACHED)
    set_corners(hull, frame, patch);
}

void ts_patch_widest(const ts_convex *part, const ts_frame *frame, ts_vec3 outward, const ts_facing *facing,
                     ts_patch *patch)
{
  const ts_shape_type *type = ts_shape_type_of(part->kind);
  if (type->widest)
    type->widest(part, frame, outward, facing, patch);
  else
    ts_patch_point(patch);
}

void ts_patch_edge(const ts_convex *part, const ts_frame *frame, ts_vec3 outward, const ts_facing *facing,
                   ts_patch *patch)
{
  const ts_shape_type *type = ts_shape_type_of(part->kind);
  if (type->edge)
    type->edge(part, frame, outward, facing, patch);
  else
    ts_patch_point(patch);
}

// ---- of hulls

ts_vec3 ts_hull_face_normal(const ts_convex *part, const ts_frame *frame, ts_vec3 outward, const ts_facing *facing)
{
  (void)outward;
  return ts_mul(&frame->axes, ts_patch_hull(part)->normals[facing->face]);
}

void ts_hull_widest(const ts_convex *part, const ts_frame *frame, ts_vec3 outward, const ts_facing *facing,
                    ts_patch *patch)
{
  if (facing->flatness > LEAST_FACING)
    ts_patch_face(ts_patch_hull(part), frame, outward, facing->face, patch);
  else
    ts_patch_hull_edge(ts_patch_hull(part), frame, outward, facing->edge, patch);
}

void ts_hull_edge(const ts_convex *part, const ts_frame *frame, ts_vec3 outward, const ts_facing *facing,
                  ts_patch *patch)
{
  ts_patch_hull_edge(ts_patch_hull(part), frame, outward, facing->edge, patch);
}

// ---- surfaces around lines

static int edge_between(const ts_hull *hull, const int vertices[2])
{
  for (int e = 0; e < hull->edge_count; ++e) {
    const int v = hull->edges[e][0], w = hull->edges[e][1];
    if ((v == vertices[0] && w == vertices[1]) || (v == vertices[1] && w == vertices[0])) return e;
  }
  return -1;
}

// How far the surface of a hull is from a point along m
static double height_over(const ts_hull *hull, ts_vec3 from, ts_vec3 m)
{
  double h = INFINITY;
  for (int f = 0; f < hull->face_count; ++f) {
    const double facing = ts_dot(hull->normals[f], m);
    if (facing > LEAST_FLANK) h = fmin(h, (hull->offsets[f] - ts_dot(hull->normals[f], from)) / facing);
  }
  return h;
}

// Is a point beyond an edge where it is the outline? Of a sharp edge it may be far beyond and outside no face by much.
static bool beyond_outline(const ts_hull *hull, int edge, ts_vec3 m, ts_vec3 point, double tolerance)
{
  const ts_vec3 start = hull->vertices[hull->edges[edge][0]], d = ts_sub(point, start);
  const ts_vec3 along = ts_sub(hull->vertices[hull->edges[edge][1]], start);
  const double aside = ts_length(ts_add_scaled(d, -ts_dot(d, along) / ts_dot(along, along), along));
  for (int k = 0; k < 2; ++k) {
    const int f = hull->edge_faces[edge][k];
    if (ts_dot(hull->normals[f], m) <= LEAST_FLANK && ts_dot(hull->normals[f], point) > hull->offsets[f])
      return aside > tolerance;
  }
  return false;
}

// The lower of the two faces' planes, where no other face is lower still by more than tolerance. Over a point that is
// beyond a steep face by tolerance, or beyond a triangle of a wide face by its slack, these planes are above the
// surface by that over `facing`: the height is that of the surface itself.
static bool flank_over(const ts_patch *line, ts_vec3 x, double size, ts_vec3 *y)
{
  const ts_hull *const hull = line->hull;
  const int edge = edge_between(hull, line->edge);
  if (edge < 0) return false;
  const ts_vec3 m = ts_mul_transposed(&line->frame->axes, line->outward), from = ts_frame_unapply(line->frame, x);
  double h = INFINITY;
  for (int k = 0; k < 2; ++k) {
    const int f = hull->edge_faces[edge][k];
    const double facing = ts_dot(hull->normals[f], m), outside = ts_dot(hull->normals[f], from) - hull->offsets[f];
    if (facing > LEAST_FLANK) h = fmin(h, -outside / facing);
  }
  if (!(h < INFINITY)) return false;
  const ts_vec3 local = ts_add_scaled(from, h, m);
  for (int f = 0; f < hull->face_count; ++f)
    if (ts_dot(hull->normals[f], local) - hull->offsets[f] > WITHIN * size) return false;
  if (beyond_outline(hull, edge, m, local, 4.0 * WITHIN * size)) return false;
  h = fmin(h, height_over(hull->exact ? hull->exact : hull, from, m));
  *y = ts_add_scaled(x, h, line->outward);
  return true;
}

bool ts_patch_surface_over(const ts_patch *line, ts_vec3 x, double size, ts_vec3 *y)
{
  if (line->round) return ts_shape_type_of(line->round->kind)->surface_over(line, x, y);
  return line->edge[0] >= 0 && flank_over(line, x, size, y);
}
