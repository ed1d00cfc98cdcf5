// See gjk.h. The nearest point of a simplex is found by the signs of the origin's barycentric coordinates, taken as
// ratios of signed volumes (Montanari, Petrinic and Barbieri 2017): dimension by dimension, without the cancellation of
// Johnson's sub-determinants.
#include "shape/gjk.h"

#include <float.h>

enum { MOST_ITERATIONS = 128 };

ts_difference_point ts_difference_support(const ts_difference *difference, ts_vec3 direction)
{
  const ts_vec3 a = ts_core_support(difference->a, direction);
  const ts_vec3 b = ts_core_support(difference->b, ts_negate(direction));
  ts_vec3 w = ts_add(ts_sub(a, b), difference->shift);
  if (difference->inflation > 0.0)
    w = ts_add_scaled(w, difference->inflation, ts_normalize(direction, (ts_vec3){0.0, 0.0, 1.0}));
  return (ts_difference_point){w, a, b};
}

// A face of the simplex: which vertices, with which weights, and the point they make.
typedef struct simplex_face {
  int index[4];
  double weight[4];
  int count;
  ts_vec3 point;
} simplex_face;

static simplex_face vertex_face(const ts_vec3 *w, int i)
{
  return (simplex_face){.index = {i}, .weight = {1.0}, .count = 1, .point = w[i]};
}

static simplex_face nearest_on_edge(const ts_vec3 *w, int i, int j)
{
  const ts_vec3 span = ts_sub(w[j], w[i]);
  const double t = -ts_dot(w[i], span), length2 = ts_dot(span, span);
  if (!(t > 0.0)) return vertex_face(w, i);
  if (!(t < length2)) return vertex_face(w, j);
  const double along = t / length2;
  return (simplex_face){
      .index = {i, j}, .weight = {1.0 - along, along}, .count = 2, .point = ts_add_scaled(w[i], along, span)};
}

static void keep_nearer(simplex_face candidate, simplex_face *best)
{
  if (ts_dot(candidate.point, candidate.point) < ts_dot(best->point, best->point)) *best = candidate;
}

static double component(ts_vec3 v, int axis)
{
  return axis == 0 ? v.x : axis == 1 ? v.y : v.z;
}

static int greatest_component(ts_vec3 v)
{
  const double x = fabs(v.x), y = fabs(v.y), z = fabs(v.z);
  return x >= y && x >= z ? 0 : y >= z ? 1 : 2;
}

// Twice the signed area of the triangle p q r seen along an axis.
static double area_along(int axis, ts_vec3 p, ts_vec3 q, ts_vec3 r)
{
  return component(ts_cross(ts_sub(q, p), ts_sub(r, p)), axis);
}

static simplex_face nearest_on_triangle(const ts_vec3 *w, int i, int j, int k)
{
  const ts_vec3 n = ts_cross(ts_sub(w[j], w[i]), ts_sub(w[k], w[i]));
  const double nn = ts_dot(n, n);
  const int corner[3] = {i, j, k};
  double part[3] = {0.0, 0.0, 0.0}; // signed areas that the origin's foot spans with the edges
  double whole = 0.0;
  ts_vec3 foot = {0.0, 0.0, 0.0};
  if (nn > 0.0) {
    const int axis = greatest_component(n);
    foot = ts_scale(ts_dot(w[i], n) / nn, n);
    for (int e = 0; e < 3; ++e) part[e] = area_along(axis, foot, w[corner[(e + 1) % 3]], w[corner[(e + 2) % 3]]);
    whole = part[0] + part[1] + part[2];
    if (part[0] * whole > 0.0 && part[1] * whole > 0.0 && part[2] * whole > 0.0)
      return (simplex_face){
          .index = {i, j, k}, .weight = {part[0] / whole, part[1] / whole, part[2] / whole}, .count = 3, .point = foot};
  }
  simplex_face best = {.point = {INFINITY, 0.0, 0.0}};
  for (int e = 0; e < 3; ++e)
    if (!(part[e] * whole > 0.0)) keep_nearer(nearest_on_edge(w, corner[(e + 1) % 3], corner[(e + 2) % 3]), &best);
  return best;
}

static simplex_face nearest_in_tetrahedron(const ts_vec3 *w)
{
  static const int face[4][3] = {{1, 2, 3}, {0, 3, 2}, {0, 1, 3}, {0, 2, 1}}; // opposite to vertex 0, 1, 2, 3
  double part[4], whole = 0.0;
  for (int f = 0; f < 4; ++f) {
    part[f] = ts_dot(w[face[f][0]], ts_cross(w[face[f][1]], w[face[f][2]]));
    whole += part[f];
  }
  simplex_face best = {.point = {INFINITY, 0.0, 0.0}};
  for (int f = 0; f < 4; ++f)
    if (!(part[f] * whole > 0.0)) keep_nearer(nearest_on_triangle(w, face[f][0], face[f][1], face[f][2]), &best);
  if (best.count > 0) return best;
  simplex_face inside = {.count = 4};
  for (int f = 0; f < 4; ++f) inside.index[f] = f, inside.weight[f] = part[f] / whole;
  return inside;
}

static simplex_face nearest_in_simplex(const ts_gjk *gjk)
{
  ts_vec3 w[4];
  for (int i = 0; i < gjk->count; ++i) w[i] = gjk->vertices[i].w;
  switch (gjk->count) {
  case 1:
    return vertex_face(w, 0);
  case 2:
    return nearest_on_edge(w, 0, 1);
  case 3:
    return nearest_on_triangle(w, 0, 1, 2);
  default:
    return nearest_in_tetrahedron(w);
  }
}

static void reduce_to(ts_gjk *gjk, const simplex_face *face)
{
  ts_difference_point kept[4];
  for (int i = 0; i < face->count; ++i) kept[i] = gjk->vertices[face->index[i]];
  for (int i = 0; i < face->count; ++i) gjk->vertices[i] = kept[i], gjk->weights[i] = face->weight[i];
  gjk->count = face->count;
  gjk->nearest = face->point;
  gjk->distance = ts_length(face->point);
}

static bool is_vertex(const ts_gjk *gjk, ts_vec3 w)
{
  for (int i = 0; i < gjk->count; ++i)
    if (gjk->vertices[i].w.x == w.x && gjk->vertices[i].w.y == w.y && gjk->vertices[i].w.z == w.z) return true;
  return false;
}

void ts_gjk_run(const ts_difference *difference, ts_vec3 guess, double accuracy, ts_gjk *gjk)
{
  const ts_difference_point first = ts_difference_support(difference, ts_negate(guess));
  *gjk = (ts_gjk){.vertices = {first}, .weights = {1.0}, .count = 1, .nearest = first.w, .least = -INFINITY};
  gjk->distance = ts_length(first.w);
  double reach = gjk->distance; // of the simplex' vertices: rounding errors are in proportion
  for (int i = 0; i < MOST_ITERATIONS; ++i) {
    if (gjk->count == 4 || gjk->distance <= 4.0 * DBL_EPSILON * reach) {
      gjk->overlap = true;
      return;
    }
    const ts_difference_point next = ts_difference_support(difference, ts_negate(gjk->nearest));
    gjk->least = fmax(gjk->least, ts_dot(gjk->nearest, next.w) / gjk->distance);
    if (gjk->distance - gjk->least <= accuracy || is_vertex(gjk, next.w)) return;
    ts_gjk trial = *gjk;
    trial.vertices[trial.count++] = next;
    const simplex_face face = nearest_in_simplex(&trial);
    if (face.count < 4 && !(ts_dot(face.point, face.point) < gjk->distance * gjk->distance)) return;
    reduce_to(&trial, &face);
    *gjk = trial;
    reach = fmax(reach, ts_length(next.w));
  }
}

void ts_gjk_witnesses(const ts_gjk *gjk, ts_vec3 *a, ts_vec3 *b)
{
  *a = *b = (ts_vec3){0.0, 0.0, 0.0};
  for (int i = 0; i < gjk->count; ++i) {
    *a = ts_add_scaled(*a, gjk->weights[i], gjk->vertices[i].a);
    *b = ts_add_scaled(*b, gjk->weights[i], gjk->vertices[i].b);
  }
}
