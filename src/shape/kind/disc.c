// A disc in the plane z = 0.
#include "shape/checks.h"
#include "shape/extent.h"
#include "shape/implicit.h"
#include "shape/mass.h"
#include "shape/shape_type.h"

static const ts_key keys[] = {
    {"radius", TS_VALUE_NUMBER, "m", .range = TS_RANGE_POSITIVE, .required = true, .help = "radius",
     .offset = offsetof(ts_shape, radius)},
};
static const ts_section section = {"a disc", TS_KEYS(keys)};

static ts_status check(const ts_shape *shape, ts_error *error)
{
  return ts_check_length(shape, "radius", shape->radius, error);
}

static void draw(const ts_shape *shape, const ts_face_sink *sink)
{
  ts_draw_end(sink, (ts_ring){shape->radius, 0.0}, 1.0);
}

static void measure(const ts_shape *shape, ts_convex *part)
{
  part->radius = part->reach = shape->radius;
}

static ts_vec3 support(const ts_convex *part, ts_vec3 direction)
{
  return ts_with_length(part->radius, ts_vec3_make(direction.x, direction.y, 0.0));
}

static ts_bounds bounds(const ts_convex *part, const ts_frame *frame)
{
  return ts_bounds_about(frame->origin, ts_disc_extent(&frame->axes, part->radius));
}

static double inner_radius(const ts_convex *part)
{
  return part->radius;
}

static double implicit_value(const ts_convex *part, int i, ts_vec3 x, ts_vec3 *gradient, ts_mat3 *hessian)
{
  (void)i;
  return ts_implicit_round_side(part->radius, x, gradient, hessian);
}

// A lamina: it has second moments in its plane only.
static ts_mass_properties mass(const ts_convex *part)
{
  const double r = part->radius, area = TS_PI * r * r, across = area * r * r / 4.0;
  return ts_mass_of_moments(area, across, across, 0.0);
}

const ts_shape_type ts_shape_type_disc = {
    .key = {"disc", TS_VALUE_MAP, .section = &section, .spaces = TS_PLANE, .help = "disc"},
    .in_plane = true,
    .check = check,
    .draw = draw,
    .measure = measure,
    .symmetry = TS_SPHERICAL,
    .support = support,
    .bounds = bounds,
    .inner_radius = inner_radius,
    .implicit_value = implicit_value,
    .mass = mass,
    .core = TS_CORE_POINT,
};
