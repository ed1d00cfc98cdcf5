// Directions from a point inside, in triangles; one that two functions share is cut where the surface has its edge. A
// flat face is drawn as one, through the points where others were cut at it.
#include "shape/intersection_faces.h"

#include "shape/intersection_part.h"

#include <stdlib.h>

enum { AROUND = 48, BANDS = 24, PLANAR = 144, HALVINGS = 40, DEEPEST = 4, MOST_ON_RIM = 1024 };

typedef struct ray {
  ts_vec3 way, point;
  int function;
} ray;

// The outline of a flat face
typedef struct rim {
  int function, count;
  ts_vec3 normal, middle, points[MOST_ON_RIM];
} rim;

typedef struct painter {
  const ts_face_sink *sink;
  const ts_convex *part;
  rim *rims; // one a flat face
  int rim_count;
} painter;

static ray ray_along(const painter *p, ts_vec3 way)
{
  ray r = {.way = way};
  const double t = ts_intersection_exit(p->part, p->part->middle, way, -1, &r.function);
  r.point = ts_add_scaled(p->part->middle, t, way);
  return r;
}

static ray between(const painter *p, const ray *a, const ray *b)
{
  return ray_along(p, ts_normalize(ts_add(a->way, b->way), a->way));
}

// The last point of a's function on the way to b
static ts_vec3 edge_between(const painter *p, const ray *a, const ray *b)
{
  ray from = *a, to = *b;
  for (int k = 0; k < HALVINGS; ++k) {
    const ray middle = between(p, &from, &to);
    if (middle.function == a->function)
      from = middle;
    else
      to = middle;
  }
  return from.point;
}

static rim *rim_of(const painter *p, int function)
{
  for (int i = 0; i < p->rim_count; ++i)
    if (p->rims[i].function == function) return &p->rims[i];
  return NULL;
}

static void add_to_rim(rim *r, ts_vec3 x)
{
  if (r->count < MOST_ON_RIM) r->points[r->count++] = x;
}

// A piece of one function's surface; of those of a flat face only the outline counts.
static void paint(const painter *p, int function, const ts_vec3 *corners, int count)
{
  ts_vec3 outward = {0.0, 0.0, 0.0};
  if (rim_of(p, function)) return;
  for (int k = 0; k < count; ++k) outward = ts_add(outward, ts_sub(corners[k], p->part->middle));
  p->sink->face(p->sink->user, corners, count, outward, true);
}

// a and b are of one function, c is of another.
static void paint_cut(const painter *p, const ray *a, const ray *b, const ray *c)
{
  const ts_vec3 on_b = edge_between(p, b, c), on_a = edge_between(p, a, c);
  const ts_vec3 side[4] = {a->point, b->point, on_b, on_a}, tip[3] = {on_a, on_b, c->point};
  paint(p, a->function, side, 4);
  paint(p, c->function, tip, 3);
  for (int k = 0; k < 2; ++k) {
    rim *const r = rim_of(p, k ? a->function : c->function);
    if (r) add_to_rim(r, on_a), add_to_rim(r, on_b);
  }
}

static void paint_triangle(const painter *p, const ray *a, const ray *b, const ray *c, int depth)
{
  const bool ab = a->function == b->function, bc = b->function == c->function, ca = c->function == a->function;
  const ts_vec3 corners[3] = {a->point, b->point, c->point};
  if (ab && bc) {
    paint(p, a->function, corners, 3);
  } else if (ab) {
    paint_cut(p, a, b, c);
  } else if (bc) {
    paint_cut(p, b, c, a);
  } else if (ca) {
    paint_cut(p, c, a, b);
  } else if (depth < DEEPEST) {
    const ray x = between(p, a, b), y = between(p, b, c), z = between(p, c, a);
    paint_triangle(p, a, &x, &z, depth + 1);
    paint_triangle(p, b, &y, &x, depth + 1);
    paint_triangle(p, c, &z, &y, depth + 1);
    paint_triangle(p, &x, &y, &z, depth + 1);
  } else {
    paint(p, a->function, corners, 3);
    rim *const touched[3] = {rim_of(p, a->function), rim_of(p, b->function), rim_of(p, c->function)};
    for (int k = 0; k < 3; ++k)
      if (touched[k]) add_to_rim(touched[k], edge_between(p, k == 0 ? a : k == 1 ? b : c, k == 0 ? b : k == 1 ? c : a));
  }
}

// ---- flat faces

static int by_angle(const void *a, const void *b)
{
  const double first = ((const ts_vec3 *)a)->z, second = ((const ts_vec3 *)b)->z;
  return first < second ? -1 : first > second;
}

// Corners in their order around the middle, those at one place once
static void paint_rim(const painter *p, rim *r)
{
  const ts_vec3 u = ts_tangent_of(r->normal), w = ts_cross(r->normal, u);
  for (int k = 0; k < r->count; ++k) {
    const ts_vec3 d = ts_sub(r->points[k], r->middle);
    r->points[k] = ts_vec3_make(ts_dot(u, d), ts_dot(w, d), 0.0);
    r->points[k].z = atan2(r->points[k].y, r->points[k].x);
  }
  qsort(r->points, (size_t)r->count, sizeof *r->points, by_angle);
  int left = 0;
  for (int k = 0; k < r->count; ++k) {
    const ts_vec3 x = ts_add(r->middle, ts_add_scaled(ts_scale(r->points[k].x, u), r->points[k].y, w));
    if (left == 0 || ts_distance_of(x, r->points[left - 1]) > 1e-7 * p->part->meet->size) r->points[left++] = x;
  }
  if (left > 2) p->sink->face(p->sink->user, r->points, left, r->normal, false);
}

static void begin_rims(painter *p)
{
  const ts_hull *flats = p->part->meet->flats;
  p->rim_count = flats->face_count;
  p->rims = ts_arena_bytes(p->sink->arena, (size_t)p->rim_count, sizeof *p->rims);
  for (int f = 0; f < p->rim_count; ++f) {
    const int first = flats->face_start[f], count = flats->face_start[f + 1] - first;
    ts_vec3 sum = {0.0, 0.0, 0.0};
    for (int k = 0; k < count; ++k) sum = ts_add(sum, flats->vertices[flats->face_vertices[first + k]]);
    p->rims[f].function = p->part->meet->flat_functions[f];
    p->rims[f].count = 0;
    p->rims[f].normal = flats->normals[f];
    p->rims[f].middle = ts_scale(1.0 / count, sum);
  }
}

// ---- all of it

static ts_vec3 way_at(const ts_mat3 *axes, int band, int i)
{
  const double polar = TS_PI * band / BANDS, around = 2.0 * TS_PI * (i % AROUND) / AROUND;
  const double across = band == 0 || band == BANDS ? 0.0 : sin(polar);
  return ts_mul(axes, ts_vec3_make(across * cos(around), across * sin(around), cos(polar)));
}

static void paint_surface(painter *p)
{
  const ts_hull *flats = p->part->meet->flats;
  const ts_vec3 axis = flats->face_count ? flats->normals[0] : ts_vec3_make(0.0, 0.0, 1.0), u = ts_tangent_of(axis);
  const ts_mat3 axes = {u, ts_cross(axis, u), axis};
  for (int band = 0; band < BANDS; ++band)
    for (int i = 0; i < AROUND; ++i) {
      const ray a = ray_along(p, way_at(&axes, band, i)), b = ray_along(p, way_at(&axes, band + 1, i));
      const ray c = ray_along(p, way_at(&axes, band + 1, i + 1)), d = ray_along(p, way_at(&axes, band, i + 1));
      if (band + 1 < BANDS) paint_triangle(p, &a, &b, &c, 0);
      if (band > 0) paint_triangle(p, &a, &c, &d, 0);
    }
}

// In the plane: the outline, with its corners.
static void paint_outline(painter *p)
{
  ts_vec3 *corners = ts_arena_bytes(p->sink->arena, 2 * PLANAR, sizeof *corners);
  int count = 0;
  for (int k = 0; k < PLANAR; ++k) {
    const double angle = 2.0 * TS_PI * k / PLANAR, next = 2.0 * TS_PI * (k + 1) / PLANAR;
    const ray a = ray_along(p, ts_vec3_make(cos(angle), sin(angle), 0.0));
    const ray b = ray_along(p, ts_vec3_make(cos(next), sin(next), 0.0));
    corners[count++] = a.point;
    if (a.function != b.function) corners[count++] = edge_between(p, &a, &b);
  }
  p->sink->face(p->sink->user, corners, count, ts_vec3_make(0.0, 0.0, 1.0), false);
}

void ts_draw_part(const ts_face_sink *sink, const ts_convex *part)
{
  painter p = {.sink = sink, .part = part};
  if (part->kind == TS_SHAPE_POLYGON) {
    sink->face(sink->user, part->hull->vertices, part->hull->vertex_count, ts_vec3_make(0.0, 0.0, 1.0), false);
  } else if (part->hull) {
    ts_draw_hull(sink, part->hull->wide ? part->hull->wide : part->hull);
  } else if (part->planar) {
    paint_outline(&p);
  } else {
    begin_rims(&p);
    paint_surface(&p);
    for (int f = 0; f < p.rim_count; ++f) paint_rim(&p, &p.rims[f]);
  }
}
