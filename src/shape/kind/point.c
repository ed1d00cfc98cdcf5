// A particle.
#include "shape/implicit.h"
#include "shape/shape_type.h"

static const ts_section section = {"a point", .key_count = 0};

static ts_vec3 support(const ts_convex *part, ts_vec3 direction)
{
  (void)direction;
  return part->middle;
}

static ts_bounds bounds(const ts_convex *part, const ts_frame *frame)
{
  (void)part;
  return (ts_bounds){frame->origin, frame->origin};
}

static double inner_radius(const ts_convex *part)
{
  (void)part;
  return 0.0;
}

// A box without size.
static int implicit_count(const ts_convex *part)
{
  (void)part;
  return 6;
}

static double implicit_value(const ts_convex *part, int i, ts_vec3 x, ts_vec3 *gradient, ts_mat3 *hessian)
{
  static const ts_vec3 axes[6] = {{-1.0, 0.0, 0.0}, {1.0, 0.0, 0.0},  {0.0, -1.0, 0.0},
                                  {0.0, 1.0, 0.0},  {0.0, 0.0, -1.0}, {0.0, 0.0, 1.0}};
  (void)part;
  return ts_implicit_half_space(axes[i], 0.0, x, gradient, hessian);
}

const ts_shape_type ts_shape_type_point = {
    .key = {"point", TS_VALUE_MAP, .section = &section, .help = "a particle"},
    .in_space = true,
    .in_plane = true,
    .support = support,
    .bounds = bounds,
    .inner_radius = inner_radius,
    .implicit_count = implicit_count,
    .implicit_value = implicit_value,
    .core = TS_CORE_POINT,
};
