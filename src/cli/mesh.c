#include "cli/mesh.h"

#include "cli/hull.h"
#include "cli/memory.h"

#include <math.h>
#include <stdlib.h>

enum { AROUND = 40, QUARTER = 9 }; // faces around an axis, and from the equator to a pole

// Twice the area of a polygon as a vector (Newell): its direction is the normal however the corners lie.
static ts_vec3 area_vector(const ts_vec3 *corners, int count)
{
  ts_vec3 area = {0.0, 0.0, 0.0};
  for (int i = 1; i + 1 < count; ++i)
    area = cli_add(area, cli_cross(cli_subtract(corners[i], corners[0]), cli_subtract(corners[i + 1], corners[0])));
  return area;
}

void cli_mesh_add(cli_mesh *mesh, const ts_vec3 *corners, int count, ts_vec3 outward, bool curved)
{
  const ts_vec3 area = area_vector(corners, count);
  const bool reverse = cli_dot(area, outward) < 0.0;
  mesh->corners = cli_grow(mesh->corners, (size_t)(mesh->corner_count + count), sizeof *mesh->corners);
  mesh->faces = cli_grow(mesh->faces, (size_t)mesh->face_count + 1, sizeof *mesh->faces);
  for (int i = 0; i < count; ++i) mesh->corners[mesh->corner_count + i] = corners[reverse ? count - 1 - i : i];
  mesh->faces[mesh->face_count++] =
      (cli_face){mesh->corner_count, count, cli_unit(cli_scale(reverse ? -1.0 : 1.0, area)), curved};
  mesh->corner_count += count;
}

static void add_box(cli_mesh *mesh, ts_vec3 size)
{
  static const double square[4][2] = {{-1.0, -1.0}, {1.0, -1.0}, {1.0, 1.0}, {-1.0, 1.0}};
  const ts_vec3 half[3] = {{0.5 * size.x, 0.0, 0.0}, {0.0, 0.5 * size.y, 0.0}, {0.0, 0.0, 0.5 * size.z}};
  for (int face = 0; face < 6; ++face) {
    const ts_vec3 a = half[(face + 1) % 3], b = half[(face + 2) % 3],
                  out = cli_scale(face < 3 ? 1.0 : -1.0, half[face % 3]);
    ts_vec3 corners[4];
    for (int i = 0; i < 4; ++i)
      corners[i] = cli_add(out, cli_add(cli_scale(square[i][0], a), cli_scale(square[i][1], b)));
    cli_mesh_add(mesh, corners, 4, out, false);
  }
}

static void add_hull_face(void *mesh, const ts_vec3 *corners, int count, ts_vec3 outward)
{
  cli_mesh_add(mesh, corners, count, outward, false);
}

static ts_vec3 on_ring(double radius, double height, int i)
{
  const double angle = 2.0 * TS_PI * i / AROUND;
  return (ts_vec3){radius * cos(angle), radius * sin(angle), height};
}

// The faces between two rings about z, each given by radius and height; a ring of radius 0 is a pole. `stretch` scales
// the axes.
static void add_band(cli_mesh *mesh, cli_point lower, cli_point upper, ts_vec3 stretch)
{
  for (int i = 0; i < AROUND; ++i) {
    const ts_vec3 ring[4] = {on_ring(lower.x, lower.y, i), on_ring(lower.x, lower.y, i + 1),
                             on_ring(upper.x, upper.y, i + 1), on_ring(upper.x, upper.y, i)};
    ts_vec3 corners[4];
    int count = 0;
    for (int k = 0; k < 4; ++k)
      if (!(k == 1 && lower.x == 0.0) && !(k == 3 && upper.x == 0.0))
        corners[count++] = (ts_vec3){stretch.x * ring[k].x, stretch.y * ring[k].y, stretch.z * ring[k].z};
    const ts_vec3 outward = cli_add(corners[0], corners[count > 3 ? 2 : 1]); // the origin is inside
    cli_mesh_add(mesh, corners, count, outward, true);
  }
}

// Half a ball of the given radius above `height`, or mirrored for the lower one.
static void add_dome(cli_mesh *mesh, double radius, double height, double side, ts_vec3 stretch)
{
  for (int k = 0; k < QUARTER; ++k) {
    const double low = 0.5 * TS_PI * k / QUARTER, high = 0.5 * TS_PI * (k + 1) / QUARTER;
    const cli_point lower = {radius * cos(low), side * (height + radius * sin(low))};
    const cli_point upper = {k + 1 < QUARTER ? radius * cos(high) : 0.0, side * (height + radius * sin(high))};
    add_band(mesh, lower, upper, stretch);
  }
}

static void add_side(cli_mesh *mesh, double radius, double length)
{
  add_band(mesh, (cli_point){radius, -0.5 * length}, (cli_point){radius, 0.5 * length}, (ts_vec3){1.0, 1.0, 1.0});
}

static void add_cap(cli_mesh *mesh, double radius, double height)
{
  ts_vec3 corners[AROUND];
  for (int i = 0; i < AROUND; ++i) corners[i] = on_ring(radius, height, i);
  cli_mesh_add(mesh, corners, AROUND, (ts_vec3){0.0, 0.0, height}, false);
}

static void add_domes(cli_mesh *mesh, double radius, double height, ts_vec3 stretch)
{
  add_dome(mesh, radius, height, 1.0, stretch);
  add_dome(mesh, radius, height, -1.0, stretch);
}

static void add_shape(cli_mesh *mesh, const ts_shape *shape)
{
  switch (shape->kind) {
  case TS_SHAPE_BOX:
    add_box(mesh, shape->size);
    break;
  case TS_SHAPE_POLYTOPE:
    cli_hull(shape->vertices, shape->vertex_count, add_hull_face, mesh);
    break;
  case TS_SHAPE_CYLINDER:
    add_side(mesh, shape->radius, shape->length);
    add_cap(mesh, shape->radius, 0.5 * shape->length);
    add_cap(mesh, shape->radius, -0.5 * shape->length);
    break;
  case TS_SHAPE_CAPSULE:
    add_side(mesh, shape->radius, shape->length);
    add_domes(mesh, shape->radius, 0.5 * shape->length, (ts_vec3){1.0, 1.0, 1.0});
    break;
  case TS_SHAPE_ELLIPSOID:
    add_domes(mesh, 1.0, 0.0, shape->size);
    break;
  default:
    break;
  }
}

void cli_mesh_init(cli_mesh *mesh, const ts_shape *shape, const ts_pose *pose)
{
  *mesh = (cli_mesh){0};
  add_shape(mesh, shape);
  for (int i = 0; i < mesh->corner_count; ++i) mesh->corners[i] = cli_place(pose, mesh->corners[i]);
  for (int i = 0; i < mesh->face_count; ++i)
    mesh->faces[i].normal = cli_rotate(pose->orientation, mesh->faces[i].normal);
}

void cli_mesh_destroy(cli_mesh *mesh)
{
  free(mesh->corners);
  free(mesh->faces);
  *mesh = (cli_mesh){0};
}
