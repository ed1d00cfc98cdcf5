// libFuzzer target: any bytes as the vertices of a polytope or a polygon, in doubles, on a grid of small whole numbers,
// where points in a plane and on a line are common, or next to such a grid, as in meshes of few digits. What is
// accepted must be sound, and touch itself.
#include "touchstone/shape.h"

#include "shape/convex.h"
#include "shape/distance.h"
#include "shape/manifold.h"

#include <math.h>
#include <stdint.h>
#include <stdlib.h>
#include <string.h>

enum { MOST = 300 };

static void demand(int condition)
{
  if (!condition) abort();
}

typedef enum spread { GRID, DOUBLES, NEAR_GRID, SPREADS } spread;

static double coordinate(const uint8_t **data, size_t *left, spread spread)
{
  double value = 0.0;
  const size_t bytes = spread == DOUBLES ? sizeof value : 1;
  if (*left < bytes) {
    *left = 0;
    return 0.0;
  }
  if (spread == DOUBLES)
    memcpy(&value, *data, sizeof value);
  else
    value = **data % 8 + (spread == NEAR_GRID ? 3e-6 * (**data / 8 - 16) : 0.0);
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

// A closed surface over the same vertices, all of which are below its planes to the tolerance.
static void check_wide(const ts_convex *part)
{
  const ts_hull *wide = part->hull->wide;
  if (!wide) return;
  bool used[MOST] = {false};
  int corners = 0;
  for (int e = 0; e < wide->edge_count; ++e)
    for (int k = 0; k < 2; ++k) corners += !used[wide->edges[e][k]], used[wide->edges[e][k]] = true;
  demand(corners - wide->edge_count + wide->face_count == 2);
  demand(wide->slack >= 0.0 && wide->slack <= 1e-3 * part->reach);
}

// Two of them, moved to where they touch: whatever their faces are, some point is reported, and none that is nearer
// than their distance by more than the slack of faces allows.
static void check_touches(const ts_convex *part)
{
  const ts_pose origin = {{2.0 * part->reach, 0.0, 0.0}, {1.0, 0.0, 0.0, 0.0}}, other = ts_pose_identity();
  const ts_frame still = ts_pose_frame(&other);
  ts_frame moved = ts_pose_frame(&origin);
  ts_separation apart;
  ts_convex_distance(part, &moved, part, &still, &apart);
  moved.origin = ts_add_scaled(moved.origin, -apart.gap, apart.normal);
  ts_convex_distance(part, &moved, part, &still, &apart);
  if (!(fabs(apart.gap) <= 1e-4 * part->reach)) return;
  const double slack = part->hull->wide ? part->hull->wide->slack : 0.0;
  ts_touch touches[2 * MOST];
  const int count = ts_convex_touches(part, &moved, part, &still, 1e-3 * part->reach, touches, 2 * MOST);
  demand(count > 0);
  for (int i = 0; i < count && i < 2 * MOST; ++i) {
    demand(fabs(ts_length(touches[i].normal) - 1.0) < 1e-9);
    demand(touches[i].gap >= apart.gap - 16.0 * slack - 2e-5 * part->reach);
  }
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
  if (size < 2) return 0;
  const int planar = data[0] % 2;
  const spread spread = (enum spread)(data[0] / 2 % SPREADS);
  size_t left = size - 1;
  ts_vec3 vertices[MOST];
  ts_shape shape = {.kind = planar ? TS_SHAPE_POLYGON : TS_SHAPE_POLYTOPE, .vertices = vertices};
  for (++data; left > 0 && shape.vertex_count < MOST;) {
    const double x = coordinate(&data, &left, spread), y = coordinate(&data, &left, spread);
    vertices[shape.vertex_count++] = (ts_vec3){x, y, planar ? 0.0 : coordinate(&data, &left, spread)};
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
  if (!planar) {
    check_hull(parts, &shape);
    check_wide(parts);
    check_touches(parts);
  }
  ts_arena_release(&arena);
  return 0;
}
