#include "draw/surface.h"

#include <stdlib.h>

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

static void add_face(void *surface, const ts_vec3 *corners, int count, ts_vec3 outward, bool curved)
{
  ts_surface_add(surface, corners, count, outward, curved);
}

void ts_surface_init(ts_surface *surface, const ts_shape *shape, const ts_pose *pose, ts_heap *heap)
{
  *surface = (ts_surface){.heap = heap};
  if (ts_shape_draw(shape, add_face, surface, NULL) == TS_OUT_OF_MEMORY) heap->exhausted = true;
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
