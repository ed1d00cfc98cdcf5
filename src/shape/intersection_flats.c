// A linear function makes a face where the point furthest along its gradient has room to all sides. Its outline is
// found by rays from there: a point at each of sixteen angles, and those where one function follows another.
#include "shape/intersection_flats.h"

#include "shape/convex_program.h"

enum { AROUND = 16, MOST_CORNERS = 3 * AROUND };

// Of the size: a face has at least so much room around its middle.
static const double LEAST_ROOM = 1e-5;

typedef struct flat {
  const ts_convex *part;
  int function;
  ts_vec3 normal, middle, across[2]; // outward; in the face
  double offset;
  ts_vec3 corners[MOST_CORNERS];
  int count;
} flat;

// Second derivatives are looked at off all axes: on its axis a cone has none.
static bool is_linear(const ts_convex *part, int function)
{
  ts_mat3 H;
  const ts_vec3 odd = {0.31, 0.17, part->planar ? 0.0 : 0.23};
  ts_intersection_value(part, function, ts_add_scaled(part->middle, part->radius, odd), NULL, &H);
  return ts_length(H.x) + ts_length(H.y) + ts_length(H.z) == 0.0;
}

// Of two functions with the same plane the first has the face.
static bool has_room(const ts_convex *part, const flat *f)
{
  const double size = part->meet->size;
  for (int i = 0; i < part->meet->function_count; ++i) {
    ts_vec3 n;
    const double value = ts_intersection_value(part, i, f->middle, &n, NULL);
    const bool same = i > f->function && ts_distance_of(n, f->normal) < 1e-12 && fabs(value) < 1e-12 * size;
    if (i != f->function && !same && value > -LEAST_ROOM * size) return false;
  }
  return true;
}

static bool begin(const ts_convex *part, int function, flat *f)
{
  if (!is_linear(part, function)) return false;
  *f = (flat){.part = part, .function = function};
  const double depth = -ts_intersection_value(part, function, part->middle, &f->normal, NULL);
  f->offset = ts_dot(f->normal, part->middle) + depth;
  f->middle = ts_program_furthest(part, f->normal, part->middle, part->meet->size).x;
  const double off = f->offset - ts_dot(f->normal, f->middle);
  if (off > 1e-9 * part->meet->size) return false;
  f->middle = ts_add_scaled(f->middle, off, f->normal);
  f->across[0] = part->planar ? ts_vec3_make(-f->normal.y, f->normal.x, 0.0) : ts_tangent_of(f->normal);
  f->across[1] = ts_cross(f->normal, f->across[0]);
  return has_room(part, f);
}

// The point of the outline at an angle, and the function that it is of
static ts_vec3 outline_at(const flat *f, double angle, int *function)
{
  const ts_vec3 way = ts_add_scaled(ts_scale(cos(angle), f->across[0]), sin(angle), f->across[1]);
  return ts_add_scaled(f->middle, ts_intersection_exit(f->part, f->middle, way, f->function, function), way);
}

static void add_corner(flat *f, ts_vec3 x)
{
  if (f->count < MOST_CORNERS) f->corners[f->count++] = x;
}

// Where one function follows another between two angles
static void add_change(flat *f, double from, double to, int function)
{
  enum { HALVINGS = 50 };
  int there;
  for (int k = 0; k < HALVINGS; ++k) {
    const double middle = 0.5 * (from + to);
    outline_at(f, middle, &there);
    if (there == function)
      from = middle;
    else
      to = middle;
  }
  add_corner(f, outline_at(f, from, &there));
}

static void trace(flat *f)
{
  for (int k = 0; k < AROUND; ++k) {
    const double from = 2.0 * TS_PI * (k + 0.5) / AROUND, to = 2.0 * TS_PI * (k + 1.5) / AROUND;
    int here, there;
    add_corner(f, outline_at(f, from, &here));
    outline_at(f, to, &there);
    if (there != here) add_change(f, from, to, here);
  }
}

static double off_line(ts_vec3 x, ts_vec3 a, ts_vec3 b)
{
  const ts_vec3 along = ts_normalize(ts_sub(b, a), ts_vec3_make(0.0, 0.0, 0.0)), d = ts_sub(x, a);
  return ts_length(ts_add_scaled(d, -ts_dot(d, along), along));
}

// Leave out what lies on a straight side, or on another corner.
static void simplify(flat *f)
{
  const double tolerance = 1e-9 * f->part->meet->size;
  for (int k = 0; k < f->count && f->count > 3;) {
    const ts_vec3 before = f->corners[(k + f->count - 1) % f->count], after = f->corners[(k + 1) % f->count];
    const bool needed =
        off_line(f->corners[k], before, after) > tolerance && ts_distance_of(f->corners[k], before) > tolerance;
    if (needed) {
      ++k;
    } else {
      memmove(&f->corners[k], &f->corners[k + 1], (size_t)(f->count - k - 1) * sizeof f->corners[0]);
      --f->count;
    }
  }
}

static bool find(const ts_convex *part, int function, flat *f)
{
  if (!begin(part, function, f)) return false;
  if (part->planar) { // from end to end
    int end;
    add_corner(f, outline_at(f, TS_PI, &end));
    add_corner(f, outline_at(f, 0.0, &end));
  } else {
    trace(f);
    simplify(f);
  }
  return true;
}

void ts_intersection_find_flats(const ts_convex *part, ts_intersection *meet, ts_arena *arena)
{
  const size_t most = (size_t)meet->function_count;
  ts_hull *hull = ts_arena_bytes(arena, 1, sizeof *hull);
  ts_vec3 *vertices = ts_arena_bytes(arena, most * MOST_CORNERS, sizeof *vertices);
  ts_vec3 *normals = ts_arena_bytes(arena, most, sizeof *normals);
  double *offsets = ts_arena_doubles(arena, most);
  int *start = ts_arena_ints(arena, most + 1), *loop = ts_arena_ints(arena, most * MOST_CORNERS);
  int *functions = ts_arena_ints(arena, most), faces = 0, count = 0;
  start[0] = 0;
  for (int i = 0; i < meet->function_count; ++i) {
    flat f;
    if (!find(part, i, &f)) continue;
    for (int k = 0; k < f.count; ++k, ++count) vertices[count] = f.corners[k], loop[count] = count;
    normals[faces] = f.normal;
    offsets[faces] = f.offset;
    functions[faces++] = i;
    start[faces] = count;
  }
  *hull = (ts_hull){.vertex_count = count,
                    .face_count = faces,
                    .vertices = vertices,
                    .normals = normals,
                    .offsets = offsets,
                    .face_start = start,
                    .face_vertices = loop};
  meet->flats = hull;
  meet->flat_functions = functions;
}
