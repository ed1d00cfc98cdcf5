// A superellipsoid along the local axes: |x/a|^p + |y/b|^q + |z/c|^r <= 1.
#include "shape/checks.h"
#include "shape/power_sum.h"
#include "shape/shape_type.h"

static const ts_key keys[] = {
    {"semi_axes", TS_VALUE_VECTOR, "m", .range = TS_RANGE_POSITIVE, .required = true, .help = "half the extents",
     .offset = offsetof(ts_shape, size)},
    {"exponents", TS_VALUE_VECTOR, .range = TS_RANGE_EXPONENT, .required = true,
     .help = "p, q, r: all 2 is an ellipsoid, all large nearly a box", .offset = offsetof(ts_shape, exponents)},
};
static const ts_section section = {"a superellipsoid", TS_KEYS(keys)};

static ts_status check(const ts_shape *shape, ts_error *error)
{
  TS_TRY(ts_check_size(shape, "semi-axis", error));
  return ts_check_exponents(shape, 3, error);
}

// ---- faces: rings around z. With the section of the surface at z = 0 in the place of a circle, the ring halfway
// between equator and pole lies on the edge of what is nearly a box or a cylinder, and its corners on every fifth
// meridian.

enum { AROUND = 40, QUARTER = 10 };

static ts_vec3 onto_surface(const ts_convex *part, ts_vec3 unit)
{
  const ts_vec3 a = part->half, x = {a.x * unit.x, a.y * unit.y, a.z * unit.z};
  return ts_scale(1.0 / ts_power_sum_gauge(part, x), x);
}

static ts_vec3 on_ring(const ts_convex *part, int ring, int i)
{
  const double around = 2.0 * TS_PI * (i % AROUND) / AROUND, up = 0.5 * TS_PI * ring / QUARTER;
  const ts_vec3 a = part->half, equator = onto_surface(part, ts_vec3_make(cos(around), sin(around), 0.0));
  const double across = ring * ring == QUARTER * QUARTER ? 0.0 : cos(up);
  return onto_surface(part, ts_vec3_make(across * equator.x / a.x, across * equator.y / a.y, sin(up)));
}

static void draw(const ts_shape *shape, const ts_face_sink *sink)
{
  ts_convex part = {.kind = shape->kind};
  ts_power_sum_measure(shape, &part);
  for (int ring = -QUARTER; ring < QUARTER; ++ring)
    for (int i = 0; i < AROUND; ++i) {
      ts_vec3 corners[4];
      int count = 0;
      corners[count++] = on_ring(&part, ring, i);
      if (ring > -QUARTER) corners[count++] = on_ring(&part, ring, i + 1);
      corners[count++] = on_ring(&part, ring + 1, i + 1);
      if (ring + 1 < QUARTER) corners[count++] = on_ring(&part, ring + 1, i);
      sink->face(sink->user, corners, count, ts_add(corners[0], corners[count > 3 ? 2 : 1]), true);
    }
}

static ts_feature feature_at(const ts_core *core, ts_vec3 point, ts_vec3 outward)
{
  (void)point, (void)outward;
  return (ts_feature){.kind = TS_FEATURE_SMOOTH, .core = core, .point = core->frame.origin};
}

const ts_shape_type ts_shape_type_superellipsoid = {
    .key = {"superellipsoid", TS_VALUE_MAP, .section = &section, .spaces = "3d",
            .help = "|x/a|^p + |y/b|^q + |z/c|^r <= 1 with semi-axes a, b, c: between ellipsoid, cylinder and box"},
    .in_space = true,
    .check = check,
    .draw = draw,
    .measure = ts_power_sum_measure,
    .support = ts_power_sum_support,
    .bounds = ts_power_sum_bounds,
    .inner_radius = ts_power_sum_inner_radius,
    .implicit_value = ts_power_sum_value,
    .mass = ts_power_sum_mass,
    .core = TS_CORE_SOLID,
    .outside = ts_power_sum_outside,
    .nearly_flat = true,
    .feature_at = feature_at,
    .bend = ts_power_sum_bend,
};
