#include "draw/surface.h"

#include "draw/polytope_faces.h"

#include <math.h>
#include <stdlib.h>

enum { AROUND = 40, QUARTER = 9 }; // faces around an axis, and from the equator to a pole

// Twice the area of a polygon as a vector (Newell): its direction is the normal however the corners lie.
static ts_vec3 area_vector(const ts_vec3 *corners, int count)
{
  ts_vec3 area = {0.0, 0.0, 0.0};
  for (int i = 1; i + 1 < count; ++i)
    area = ts_vector_add(area, ts_vector_cross(ts_vector_subtract(corners[i], corners[0]),
                                               ts_vector_subtract(corners[i + 1], corners[0])));
  return area;
}

static bool make_room(ts_surface *surface, int corners)
{
  ts_vec3 *more_corners =
      ts_heap_grow(surface->heap, surface->corners, (size_t)(surface->corner_count + corners), sizeof *more_corners);
  if (more_corners) surface->corners = more_corners;
  ts_surface_face *more_faces =
      ts_heap_grow(surface->heap, surface->faces, (size_t)surface->face_count + 1, sizeof *more_faces);
  if (more_faces) surface->faces = more_faces;
  return more_corners && more_faces;
}

void ts_surface_add(ts_surface *surface, const ts_vec3 *corners, int count, ts_vec3 outward, bool curved)
{
  const ts_vec3 area = area_vector(corners, count);
  const bool reverse = ts_vector_dot(area, outward) < 0.0;
  if (!make_room(surface, count)) return;
  for (int i = 0; i < count; ++i) surface->corners[surface->corner_count + i] = corners[reverse ? count - 1 - i : i];
  surface->faces[surface->face_count++] = (ts_surface_face){
      surface->corner_count, count, ts_vector_unit(ts_vector_scale(reverse ? -1.0 : 1.0, area)), curved};
  surface->corner_count += count;
}

static void add_box(ts_surface *surface, ts_vec3 size)
{
  static const double square[4][2] = {{-1.0, -1.0}, {1.0, -1.0}, {1.0, 1.0}, {-1.0, 1.0}};
  const ts_vec3 half[3] = {{0.5 * size.x, 0.0, 0.0}, {0.0, 0.5 * size.y, 0.0}, {0.0, 0.0, 0.5 * size.z}};
  for (int face = 0; face < 6; ++face) {
    const ts_vec3 a = half[(face + 1) % 3], b = half[(face + 2) % 3],
                  out = ts_vector_scale(face < 3 ? 1.0 : -1.0, half[face % 3]);
    ts_vec3 corners[4];
    for (int i = 0; i < 4; ++i)
      corners[i] =
          ts_vector_add(out, ts_vector_add(ts_vector_scale(square[i][0], a), ts_vector_scale(square[i][1], b)));
    ts_surface_add(surface, corners, 4, out, false);
  }
}

static void add_hull_face(void *surface, const ts_vec3 *corners, int count, ts_vec3 outward)
{
  ts_surface_add(surface, corners, count, outward, false);
}

static ts_vec3 on_ring(double radius, double height, int i)
{
  const double angle = 2.0 * TS_PI * i / AROUND;
  return (ts_vec3){radius * cos(angle), radius * sin(angle), height};
}

// The faces between two rings about z, each given by radius and height; a ring of radius 0 is a pole. `stretch` scales
// the axes.
static void add_band(ts_surface *surface, ts_point lower, ts_point upper, ts_vec3 stretch)
{
  for (int i = 0; i < AROUND; ++i) {
    const ts_vec3 ring[4] = {on_ring(lower.x, lower.y, i), on_ring(lower.x, lower.y, i + 1),
                             on_ring(upper.x, upper.y, i + 1), on_ring(upper.x, upper.y, i)};
    ts_vec3 corners[4];
    int count = 0;
    for (int k = 0; k < 4; ++k)
      if (!(k == 1 && lower.x == 0.0) && !(k == 3 && upper.x == 0.0))
        corners[count++] = (ts_vec3){stretch.x * ring[k].x, stretch.y * ring[k].y, stretch.z * ring[k].z};
    const ts_vec3 outward = ts_vector_add(corners[0], corners[count > 3 ? 2 : 1]); // the origin is inside
    ts_surface_add(surface, corners, count, outward, true);
  }
}

// Half a ball of the given radius above `height`, or mirrored for the lower one.
static void add_dome(ts_surface *surface, double radius, double height, double side, ts_vec3 stretch)
{
  for (int k = 0; k < QUARTER; ++k) {
    const double low = 0.5 * TS_PI * k / QUARTER, high = 0.5 * TS_PI * (k + 1) / QUARTER;
    const ts_point lower = {radius * cos(low), side * (height + radius * sin(low))};
    const ts_point upper = {k + 1 < QUARTER ? radius * cos(high) : 0.0, side * (height + radius * sin(high))};
    add_band(surface, lower, upper, stretch);
  }
}

static void add_side(ts_surface *surface, double radius, double length)
{
  add_band(surface, (ts_point){radius, -0.5 * length}, (ts_point){radius, 0.5 * length}, (ts_vec3){1.0, 1.0, 1.0});
}

static void add_cap(ts_surface *surface, double radius, double height)
{
  ts_vec3 corners[AROUND];
  for (int i = 0; i < AROUND; ++i) corners[i] = on_ring(radius, height, i);
  ts_surface_add(surface, corners, AROUND, (ts_vec3){0.0, 0.0, height}, false);
}

static void add_domes(ts_surface *surface, double radius, double height, ts_vec3 stretch)
{
  add_dome(surface, radius, height, 1.0, stretch);
  add_dome(surface, radius, height, -1.0, stretch);
}

static void add_shape(ts_surface *surface, const ts_shape *shape)
{
  switch (shape->kind) {
  case TS_SHAPE_BOX:
    add_box(surface, shape->size);
    break;
  case TS_SHAPE_POLYTOPE:
    ts_polytope_faces(shape->vertices, shape->vertex_count, add_hull_face, surface, surface->heap);
    break;
  case TS_SHAPE_CYLINDER:
    add_side(surface, shape->radius, shape->length);
    add_cap(surface, shape->radius, 0.5 * shape->length);
    add_cap(surface, shape->radius, -0.5 * shape->length);
    break;
  case TS_SHAPE_CAPSULE:
    add_side(surface, shape->radius, shape->length);
    add_domes(surface, shape->radius, 0.5 * shape->length, (ts_vec3){1.0, 1.0, 1.0});
    break;
  case TS_SHAPE_ELLIPSOID:
    add_domes(surface, 1.0, 0.0, shape->size);
    break;
  default:
    break;
  }
}

void ts_surface_init(ts_surface *surface, const ts_shape *shape, const ts_pose *pose, ts_heap *heap)
{
  *surface = (ts_surface){.heap = heap};
  add_shape(surface, shape);
  for (int i = 0; i < surface->corner_count; ++i) surface->corners[i] = ts_pose_place(pose, surface->corners[i]);
  for (int i = 0; i < surface->face_count; ++i)
    surface->faces[i].normal = ts_vector_rotate(pose->orientation, surface->faces[i].normal);
}

void ts_surface_destroy(ts_surface *surface)
{
  free(surface->corners);
  free(surface->faces);
  *surface = (ts_surface){0};
}
