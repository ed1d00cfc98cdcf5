// libFuzzer target: any bytes as the vertices of a polytope or a polygon, in doubles or on a grid of small whole
// numbers, where points in a plane and on a line are common. What is accepted must be sound.
#include "touchstone/shape.h"

#include "shape/convex.h"

#include <math.h>
#include <stdint.h>
#include <stdlib.h>
#include <string.h>

enum { MOST = 300 };

static void demand(int condition)
{
  if (!condition) abort();
}

static double coordinate(const uint8_t **data, size_t *left, int fine)
{
  double value = 0.0;
  const size_t bytes = fine ? sizeof value : 1;
  if (*left < bytes) {
    *left = 0;
    return 0.0;
  }
  if (fine)
    memcpy(&value, *data, sizeof value);
  else
    value = (double)(**data % 8);
  *data += bytes;
  *left -= bytes;
  return value;
}

// Every vertex that was given is inside the hull, to the distance at which points may be made one.
static void check_hull(const ts_convex *part, const ts_shape *shape)
{
  const ts_hull *h = part->hull;
  demand(h->vertex_count - h->edge_count + h->face_count == 2);
  for (int f = 0; f < h->face_count; ++f)
    for (int i = 0; i < shape->vertex_count; ++i)
      demand(ts_dot(h->normals[f], shape->vertices[i]) <= h->offsets[f] + 5e-8 * part->reach);
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
  if (size < 2) return 0;
  const int fine = data[0] % 2, planar = data[0] / 2 % 2;
  size_t left = size - 1;
  ts_vec3 vertices[MOST];
  ts_shape shape = {.kind = planar ? TS_SHAPE_POLYGON : TS_SHAPE_POLYTOPE, .vertices = vertices};
  for (++data; left > 0 && shape.vertex_count < MOST;) {
    const double x = coordinate(&data, &left, fine), y = coordinate(&data, &left, fine);
    vertices[shape.vertex_count++] = (ts_vec3){x, y, planar ? 0.0 : coordinate(&data, &left, fine)};
  }
  ts_error error = {0};
  if (ts_shape_check(&shape, &error) != TS_OK) {
    demand(error.status != TS_OK && error.text[0] != '\0' && !strchr(error.text, '\n'));
    return 0;
  }
  ts_mass_properties mass;
  demand(ts_shape_mass_properties(&shape, &mass, NULL) == TS_OK);
  demand(mass.volume > 0.0 && isfinite(mass.inertia[2]));
  ts_arena arena;
  ts_arena_init(&arena, NULL);
  int count;
  const ts_convex *parts = ts_convex_pieces(&shape, &arena, &count);
  if (!planar) check_hull(parts, &shape);
  ts_arena_release(&arena);
  return 0;
}
