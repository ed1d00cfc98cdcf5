// A cuboid. It has a hull, whose faces and edges are its features, and short cuts around it.
#include "shape/checks.h"
#include "shape/closed_form.h"
#include "shape/extent.h"
#include "shape/hull.h"
#include "shape/hull_part.h"
#include "shape/mass.h"
#include "shape/shape_type.h"

static const ts_key keys[] = {
    {"size", TS_VALUE_VECTOR, "m", .range = TS_RANGE_POSITIVE, .required = true, .help = "full edge lengths",
     .offset = offsetof(ts_shape, size)},
};
static const ts_section section = {"a box", TS_KEYS(keys)};

static ts_status check(const ts_shape *shape, ts_error *error)
{
  return ts_check_size(shape, "size", error);
}

// A rectangle about the origin: the plane has no boxes of its own.
static ts_shape flattened(const ts_shape *shape, ts_arena *arena)
{
  ts_vec3 *corners = ts_arena_bytes(arena, 4, sizeof *corners);
  const double x = 0.5 * shape->size.x, y = 0.5 * shape->size.y;
  corners[0] = (ts_vec3){-x, -y, 0.0};
  corners[1] = (ts_vec3){x, -y, 0.0};
  corners[2] = (ts_vec3){x, y, 0.0};
  corners[3] = (ts_vec3){-x, y, 0.0};
  return (ts_shape){.kind = TS_SHAPE_POLYGON, .vertices = corners, .vertex_count = 4};
}

static void measure(const ts_shape *shape, ts_convex *part)
{
  part->half = ts_scale(0.5, shape->size);
}

static const ts_hull *hull(const ts_shape *shape, ts_arena *arena)
{
  return ts_hull_of_box(ts_scale(0.5, shape->size), arena);
}

static void draw(const ts_shape *shape, const ts_face_sink *sink)
{
  ts_draw_hull(sink, hull(shape, sink->arena));
}

static ts_vec3 support(const ts_convex *part, ts_vec3 direction)
{
  return ts_vec3_make(copysign(part->half.x, direction.x), copysign(part->half.y, direction.y),
                      copysign(part->half.z, direction.z));
}

static ts_bounds bounds(const ts_convex *part, const ts_frame *frame)
{
  return ts_bounds_about(frame->origin, ts_box_extent(&frame->axes, part->half));
}

static double inner_radius(const ts_convex *part)
{
  return fmin(part->half.x, fmin(part->half.y, part->half.z));
}

static ts_mass_properties mass(const ts_convex *part)
{
  const ts_vec3 half = part->half;
  const double volume = 8.0 * half.x * half.y * half.z, share = volume / 3.0;
  return ts_mass_of_moments(volume, share * half.x * half.x, share * half.y * half.y, share * half.z * half.z);
}

static ts_vec3 signed_axis(int axis, double sign)
{
  const double one = copysign(1.0, sign);
  return (ts_vec3){axis == 0 ? one : 0.0, axis == 1 ? one : 0.0, axis == 2 ? one : 0.0};
}

static void point_distance(const ts_core *point, const ts_core *box, ts_separation *separation)
{
  const ts_vec3 half = box->part->half, p = ts_frame_unapply(&box->frame, point->frame.origin);
  const double over[3] = {fabs(p.x) - half.x, fabs(p.y) - half.y, fabs(p.z) - half.z}; // outside the faces
  const double sign[3] = {p.x, p.y, p.z};
  int most = 0;
  for (int i = 1; i < 3; ++i)
    if (over[i] > over[most]) most = i;
  const ts_vec3 outside = {copysign(fmax(over[0], 0.0), p.x), copysign(fmax(over[1], 0.0), p.y),
                           copysign(fmax(over[2], 0.0), p.z)};
  const double distance = ts_length(outside);
  if (distance > 0.0)
    ts_place_distance(point, box, distance, ts_scale(1.0 / distance, outside), separation);
  else
    ts_place_distance(point, box, over[most], signed_axis(most, sign[most]), separation);
}

// Corners and faces of a box are numbered as those of its hull: bit k of a corner tells its side along axis k, faces
// are -x +x -y +y -z +z.
static ts_facing look(const ts_convex *part, ts_vec3 d)
{
  (void)part;
  const double size[3] = {fabs(d.x), fabs(d.y), fabs(d.z)};
  const int sides[3] = {d.x > 0.0, d.y > 0.0, d.z > 0.0};
  int flat = 0, across = 0;
  for (int k = 1; k < 3; ++k) {
    if (size[k] > size[flat]) flat = k;
    if (size[k] < size[across]) across = k;
  }
  const int top = sides[0] | sides[1] << 1 | sides[2] << 2;
  return (ts_facing){
      .flatness = size[flat], .face = 2 * flat + sides[flat], .edge = {top & ~(1 << across), top | 1 << across}};
}

// Corner i of a box is at +half.x if bit 0 of i is set, and so on: the numbering of its hull.
static void on_plane(const ts_convex *box, const ts_frame *frame, const ts_boundary *ground, ts_touch_list *list)
{
  const ts_vec3 n = ground->normal, x = ts_scale(box->half.x, frame->axes.x), y = ts_scale(box->half.y, frame->axes.y),
                z = ts_scale(box->half.z, frame->axes.z);
  const double nx = ts_dot(n, x), ny = ts_dot(n, y), nz = ts_dot(n, z);
  const double middle = ts_dot(n, frame->origin) - ground->offset;
  if (middle - fabs(nx) - fabs(ny) - fabs(nz) > list->margin) return;
  static const double side[2] = {-1.0, 1.0};
  for (int i = 0; i < 8; ++i) {
    const double sx = side[i & 1], sy = side[i >> 1 & 1], sz = side[i >> 2];
    const double gap = middle + sx * nx + sy * ny + sz * nz;
    if (gap > list->margin) continue;
    const ts_vec3 corner = ts_add_scaled(ts_add_scaled(ts_add_scaled(frame->origin, sx, x), sy, y), sz, z);
    ts_touch_list_push(list, ts_add_scaled(corner, -gap, n), n, gap,
                       ts_feature_pair(ts_feature_id(TS_FEATURE_ID_VERTEX, i), ts_feature_id(TS_FEATURE_ID_FACE, 0)));
  }
}

const ts_shape_type ts_shape_type_box = {
    .key = {"box", TS_VALUE_MAP, .section = &section, .help = "cuboid; in the plane a rectangle"},
    .in_space = true,
    .flattened = flattened,
    .check = check,
    .draw = draw,
    .measure = measure,
    .hull = hull,
    .support = support,
    .bounds = bounds,
    .inner_radius = inner_radius,
    .implicit_count = ts_hull_implicit_count,
    .implicit_value = ts_hull_implicit_value,
    .mass = mass,
    .core = TS_CORE_HULL,
    .point_distance = point_distance,
    .look = look,
    .face_normal = ts_hull_face_normal,
    .widest = ts_hull_widest,
    .edge = ts_hull_edge,
    .on_plane = on_plane,
};
