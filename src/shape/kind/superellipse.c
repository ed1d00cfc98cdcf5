// A superellipse in the plane z = 0: |x/a|^p + |y/b|^q <= 1.
#include "shape/checks.h"
#include "shape/power_sum.h"
#include "shape/shape_type.h"

static const ts_key keys[] = {
    {"semi_axes", TS_VALUE_VECTOR, "m", .range = TS_RANGE_POSITIVE, .required = true, .help = "half the extents",
     .offset = offsetof(ts_shape, size)},
    {"exponents", TS_VALUE_VECTOR, .range = TS_RANGE_EXPONENT, .required = true,
     .help = "p, q: both 2 is an ellipse, both large nearly a rectangle", .offset = offsetof(ts_shape, exponents)},
};
static const ts_section section = {"a superellipse", TS_KEYS(keys)};

static ts_status check(const ts_shape *shape, ts_error *error)
{
  TS_TRY(ts_check_length(shape, "semi-axis", shape->size.x, error));
  TS_TRY(ts_check_length(shape, "semi-axis", shape->size.y, error));
  return ts_check_exponents(shape, 2, error);
}

static void measure(const ts_shape *shape, ts_convex *part)
{
  part->planar = true;
  ts_power_sum_measure(shape, part);
}

static void draw(const ts_shape *shape, const ts_face_sink *sink)
{
  enum { CORNERS = 80 };
  ts_convex part = {.kind = shape->kind};
  ts_vec3 corners[CORNERS];
  measure(shape, &part);
  for (int i = 0; i < CORNERS; ++i) {
    const double around = 2.0 * TS_PI * i / CORNERS;
    const ts_vec3 x = {part.half.x * cos(around), part.half.y * sin(around), 0.0};
    corners[i] = ts_scale(1.0 / ts_power_sum_gauge(&part, x), x);
  }
  sink->face(sink->user, corners, CORNERS, ts_vec3_make(0.0, 0.0, 1.0), false);
}

const ts_shape_type ts_shape_type_superellipse = {
    .key = {"superellipse", TS_VALUE_MAP, .section = &section, .spaces = TS_PLANE,
            .help = "|x/a|^p + |y/b|^q <= 1 with semi-axes a, b: between ellipse and rectangle"},
    .in_plane = true,
    .check = check,
    .draw = draw,
    .measure = measure,
    .support = ts_power_sum_support,
    .bounds = ts_power_sum_bounds,
    .inner_radius = ts_power_sum_inner_radius,
    .implicit_value = ts_power_sum_value,
    .mass = ts_power_sum_mass,
    .core = TS_CORE_SOLID,
    .outside = ts_power_sum_outside,
    .nearly_flat = true,
};
