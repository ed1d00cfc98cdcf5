#include "shape/faces.h"

enum { AROUND = 40, QUARTER = 9 }; // faces around an axis, and from the equator to a pole

static ts_vec3 on_ring(ts_ring ring, int i)
{
  const double angle = 2.0 * TS_PI * i / AROUND;
  return ts_vec3_make(ring.radius * cos(angle), ring.radius * sin(angle), ring.height);
}

void ts_draw_band(const ts_face_sink *sink, ts_ring lower, ts_ring upper, ts_vec3 stretch)
{
  for (int i = 0; i < AROUND; ++i) {
    const ts_vec3 ring[4] = {on_ring(lower, i), on_ring(lower, i + 1), on_ring(upper, i + 1), on_ring(upper, i)};
    ts_vec3 corners[4];
    int count = 0;
    for (int k = 0; k < 4; ++k)
      if (!(k == 1 && lower.radius == 0.0) && !(k == 3 && upper.radius == 0.0))
        corners[count++] = ts_vec3_make(stretch.x * ring[k].x, stretch.y * ring[k].y, stretch.z * ring[k].z);
    sink->face(sink->user, corners, count, ts_add(corners[0], corners[count > 3 ? 2 : 1]), true);
  }
}

void ts_draw_end(const ts_face_sink *sink, ts_ring ring, double up)
{
  ts_vec3 corners[AROUND];
  for (int i = 0; i < AROUND; ++i) corners[i] = on_ring(ring, i);
  sink->face(sink->user, corners, AROUND, ts_vec3_make(0.0, 0.0, up), false);
}

static void draw_dome(const ts_face_sink *sink, double radius, double height, double side, ts_vec3 stretch)
{
  for (int k = 0; k < QUARTER; ++k) {
    const double low = 0.5 * TS_PI * k / QUARTER, high = 0.5 * TS_PI * (k + 1) / QUARTER;
    const ts_ring lower = {radius * cos(low), side * (height + radius * sin(low))};
    const ts_ring upper = {k + 1 < QUARTER ? radius * cos(high) : 0.0, side * (height + radius * sin(high))};
    ts_draw_band(sink, lower, upper, stretch);
  }
}

void ts_draw_domes(const ts_face_sink *sink, double radius, double height, ts_vec3 stretch)
{
  draw_dome(sink, radius, height, 1.0, stretch);
  draw_dome(sink, radius, height, -1.0, stretch);
}

void ts_draw_hull(const ts_face_sink *sink, const ts_hull *hull)
{
  ts_vec3 *corners = ts_arena_bytes(sink->arena, (size_t)hull->vertex_count, sizeof *corners);
  for (int f = 0; f < hull->face_count; ++f) {
    const int *loop = hull->face_vertices + hull->face_start[f], count = hull->face_start[f + 1] - hull->face_start[f];
    for (int i = 0; i < count; ++i) corners[i] = hull->vertices[loop[i]];
    sink->face(sink->user, corners, count, hull->normals[f], false);
  }
}
