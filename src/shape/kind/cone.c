// A solid cone about z, or what is left of one when its top is cut off: the radius goes linearly from `radius` at the
// bottom to `top_radius`. As of a cylinder, the origin is on the axis at half height.
//
// With c and s the components of the side's normal across and along the axis, the points of the side are those with
// c (rho - r(z)) = 0, rho the distance from the axis and r(z) the radius at z, and -s/c is the slope of r.
#include "shape/checks.h"
#include "shape/closed_form.h"
#include "shape/extent.h"
#include "shape/implicit.h"
#include "shape/mass.h"
#include "shape/round_patch.h"
#include "shape/shape_type.h"

// Of the reach: a flat top that is smaller makes no patch, it is as good as a tip.
static const double LEAST_TOP = 1e-5;

// Of the reach: this close to the line through the tip, a point is over the tip.
static const double OVER_TIP = 1e-9;

static const ts_key keys[] = {
    {"radius", TS_VALUE_NUMBER, "m", .range = TS_RANGE_POSITIVE, .required = true, .help = "at the bottom, z < 0",
     .offset = offsetof(ts_shape, radius)},
    {"top_radius", TS_VALUE_NUMBER, "m", .range = TS_RANGE_NOT_NEGATIVE, .fallback = "0",
     .help = "at the top; 0: it ends in a tip", .offset = offsetof(ts_shape, top_radius)},
    {"length", TS_VALUE_NUMBER, "m", .range = TS_RANGE_POSITIVE, .required = true, .help = "height",
     .offset = offsetof(ts_shape, length)},
};
static const ts_section section = {"a cone", TS_KEYS(keys)};

static ts_status check(const ts_shape *shape, ts_error *error)
{
  TS_TRY(ts_check_length(shape, "radius", shape->radius, error));
  TS_TRY(ts_check_length(shape, "length", shape->length, error));
  if (!(shape->top_radius >= 0.0))
    return ts_fail(error, TS_INVALID, "the top radius of a cone must be 0 or a positive number, not %g",
                   shape->top_radius);
  return shape->top_radius > 0.0 ? ts_check_length(shape, "top radius", shape->top_radius, error) : TS_OK;
}

static void draw(const ts_shape *shape, const ts_face_sink *sink)
{
  const ts_ring lower = {shape->radius, -0.5 * shape->length}, upper = {shape->top_radius, 0.5 * shape->length};
  ts_draw_band(sink, lower, upper, ts_vec3_make(1.0, 1.0, 1.0));
  ts_draw_end(sink, lower, -1.0);
  if (upper.radius > 0.0) ts_draw_end(sink, upper, 1.0);
}

static void measure(const ts_shape *shape, ts_convex *part)
{
  const double narrowing = shape->radius - shape->top_radius, slant = hypot(shape->length, narrowing);
  part->radius = shape->radius;
  part->top_radius = shape->top_radius;
  part->half_length = 0.5 * shape->length;
  part->normal = ts_vec3_make(shape->length / slant, 0.0, narrowing / slant);
  part->reach = hypot(part->half_length, fmax(part->radius, part->top_radius));
}

static double across_axis(ts_vec3 v)
{
  return sqrt(v.x * v.x + v.y * v.y);
}

// From the axis to a point; any direction for points of the axis
static ts_vec3 radial_of(ts_vec3 p)
{
  const double rho = across_axis(p);
  return rho > 0.0 ? ts_vec3_make(p.x / rho, p.y / rho, 0.0) : ts_vec3_make(1.0, 0.0, 0.0);
}

static double radius_at(const ts_convex *part, double z)
{
  const double share = 0.5 + 0.5 * z / part->half_length;
  return part->radius + share * (part->top_radius - part->radius);
}

static double from_side(const ts_convex *part, ts_vec3 point)
{
  return part->normal.x * (across_axis(point) - radius_at(part, point.z));
}

static ts_vec3 support(const ts_convex *part, ts_vec3 direction)
{
  const double narrowing = part->radius - part->top_radius;
  const bool top = 2.0 * part->half_length * direction.z >= narrowing * across_axis(direction);
  const ts_vec3 rim =
      ts_with_length(top ? part->top_radius : part->radius, ts_vec3_make(direction.x, direction.y, 0.0));
  return ts_vec3_make(rim.x, rim.y, top ? part->half_length : -part->half_length);
}

// Around its ends
static ts_bounds bounds(const ts_convex *part, const ts_frame *frame)
{
  const ts_vec3 way = ts_scale(part->half_length, frame->axes.z);
  const ts_bounds low = ts_bounds_about(ts_sub(frame->origin, way), ts_disc_extent(&frame->axes, part->radius));
  const ts_bounds top = ts_bounds_about(ts_add(frame->origin, way), ts_disc_extent(&frame->axes, part->top_radius));
  return (ts_bounds){{fmin(low.low.x, top.low.x), fmin(low.low.y, top.low.y), fmin(low.low.z, top.low.z)},
                     {fmax(low.high.x, top.high.x), fmax(low.high.y, top.high.y), fmax(low.high.z, top.high.z)}};
}

// A ball of radius b on the wider end touches the side where c (r - b |s| / c) = b.
static double inner_radius(const ts_convex *part)
{
  const double wider = fmax(part->radius, part->top_radius);
  return fmin(part->half_length, part->normal.x * wider / (1.0 + fabs(part->normal.z)));
}

// Side, bottom, top
static int implicit_count(const ts_convex *part)
{
  (void)part;
  return 3;
}

// The distance from the side's surface. It has a kink on the axis: there the gradient is one of those beside, which
// lies below the function like all of them, and curvature is none.
static double side_value(const ts_convex *part, ts_vec3 x, ts_vec3 *gradient, ts_mat3 *hessian)
{
  const ts_vec3 u = radial_of(x);
  const double rho = across_axis(x), c = part->normal.x, bend = rho > 0.0 ? c / rho : 0.0;
  if (gradient) *gradient = ts_vec3_make(c * u.x, c * u.y, part->normal.z);
  if (hessian)
    *hessian = (ts_mat3){
        {bend * u.y * u.y, -bend * u.x * u.y, 0.0}, {-bend * u.x * u.y, bend * u.x * u.x, 0.0}, {0.0, 0.0, 0.0}};
  return from_side(part, x);
}

static double implicit_value(const ts_convex *part, int i, ts_vec3 x, ts_vec3 *gradient, ts_mat3 *hessian)
{
  if (i == 0) return side_value(part, x, gradient, hessian);
  return ts_implicit_half_space(ts_vec3_make(0.0, 0.0, i == 1 ? -1.0 : 1.0), part->half_length, x, gradient, hessian);
}

// With R and r the radii and h the height: integrals over slices, those along the axis about the centre of mass.
static ts_mass_properties mass(const ts_convex *part)
{
  const double R = part->radius, r = part->top_radius, h = 2.0 * part->half_length;
  const double squares = R * R + R * r + r * r, fourths = R * R * R * R + r * r * r * r;
  const double volume = TS_PI * h * squares / 3.0;
  const double across = TS_PI * h * (fourths + R * r * squares) / 20.0;
  const double spread =
      3.0 * (fourths + 4.0 * R * r * (R * R + r * r) + 10.0 * R * R * r * r) / (80.0 * squares * squares);
  ts_mass_properties properties = ts_mass_of_moments(volume, across, across, volume * h * h * spread);
  properties.centre.z = 0.25 * h * (R * R + 2.0 * R * r + 3.0 * r * r) / squares - part->half_length;
  return properties;
}

// ---- distances

// Of a point in the half-plane of the axis and the point itself
typedef struct place {
  double rho, z, end; // `end`: how far it is beyond the nearer end
  ts_vec3 outward;    // from the axis
} place;

static ts_vec3 in_half_plane(ts_vec3 outward, double across, double along)
{
  return ts_add_scaled(ts_scale(across, outward), along, ts_vec3_make(0.0, 0.0, 1.0));
}

// The nearest point of a cone to one outside: of an end, of the side between its rims, or of a rim.
static double way_to(const ts_convex *part, const place *p, ts_vec3 *normal)
{
  const double c = part->normal.x, s = part->normal.z, half = part->half_length;
  const double along = c * (p->z + half) - s * (p->rho - part->radius), slant = 2.0 * half / c; // from the lower rim
  if (p->end > 0.0 && p->rho <= (p->z > 0.0 ? part->top_radius : part->radius)) {
    *normal = ts_vec3_make(0.0, 0.0, copysign(1.0, p->z));
    return p->end;
  }
  if (along >= 0.0 && along <= slant) {
    *normal = in_half_plane(p->outward, c, s);
    return c * (p->rho - radius_at(part, p->z));
  }
  const bool top = along > slant;
  const double across = p->rho - (top ? part->top_radius : part->radius), up = p->z - (top ? half : -half);
  const double beyond = top ? c * up - s * across : s * across - c * up; // the rim, along the side
  // Round-off may have it that a point of the rim is beyond it. The way from there points anywhere.
  if (beyond <= 0.0) {
    *normal = in_half_plane(p->outward, c, s);
    return c * across + s * up;
  }
  if (across <= 0.0) {
    *normal = ts_vec3_make(0.0, 0.0, top ? 1.0 : -1.0);
    return top ? up : -up;
  }
  const double distance = hypot(across, up);
  *normal = in_half_plane(p->outward, across / distance, up / distance);
  return distance;
}

// A point inside leaves by the nearest surface.
static void point_distance(const ts_core *point, const ts_core *cone, ts_separation *separation)
{
  const ts_convex *part = cone->part;
  const ts_vec3 x = ts_frame_unapply(&cone->frame, point->frame.origin);
  const place p = {across_axis(x), x.z, fabs(x.z) - part->half_length, radial_of(x)};
  const double lateral = from_side(part, x);
  ts_vec3 normal = {0.0, 0.0, copysign(1.0, x.z)};
  double gap = p.end;
  if (p.end > 0.0 || lateral > 0.0)
    gap = way_to(part, &p, &normal);
  else if (lateral > p.end)
    gap = lateral, normal = in_half_plane(p.outward, part->normal.x, part->normal.z);
  ts_place_distance(point, cone, gap, normal, separation);
}

static double outside(const ts_convex *part, ts_vec3 point)
{
  return fmax(from_side(part, point), fabs(point.z) - part->half_length);
}

// The rim or the tip of an end, or its flat face
static ts_feature end_feature(const ts_core *core, bool top, bool flat)
{
  const double radius = top ? core->part->top_radius : core->part->radius, sign = top ? 1.0 : -1.0;
  const ts_vec3 axis = ts_scale(sign, core->frame.axes.z);
  const ts_vec3 centre = ts_add_scaled(core->frame.origin, core->part->half_length, axis);
  if (radius == 0.0) return ts_feature_vertex(core, centre);
  return flat ? ts_feature_flat(core, centre, axis)
              : ts_feature_rim(core, centre, axis, radius, sign * core->part->normal.z);
}

static ts_feature side_feature(const ts_core *core)
{
  const ts_convex *part = core->part;
  return ts_feature_line(core, core->frame.origin, core->frame.axes.z, radius_at(part, 0.0), part->normal.z,
                         part->normal.x);
}

static ts_feature feature_at(const ts_core *core, ts_vec3 point, ts_vec3 outward)
{
  (void)outward;
  const ts_convex *part = core->part;
  const bool on_side = -from_side(part, point) < TS_FEATURE_NEAR * fmax(part->radius, part->top_radius);
  const bool on_end = part->half_length - fabs(point.z) < TS_FEATURE_NEAR * part->half_length;
  if (on_side && !on_end) return side_feature(core);
  return end_feature(core, point.z > 0.0, on_end && !on_side); // inside, a rim can turn into either
}

static ts_feature feature_raised(const ts_feature *feature, ts_vec3 outward)
{
  const bool to_end = feature->kind == TS_FEATURE_RIM && ts_dot(outward, feature->direction) > feature->lean;
  return to_end ? ts_feature_flat(feature->core, feature->point, feature->direction) : side_feature(feature->core);
}

// ---- contact points

static double flat_radius(const ts_convex *part, bool top)
{
  return top && part->top_radius <= LEAST_TOP * part->reach ? 0.0 : top ? part->top_radius : part->radius;
}

static ts_facing look(const ts_convex *part, ts_vec3 direction)
{
  return (ts_facing){.flatness = flat_radius(part, direction.z > 0.0) > 0.0 ? fabs(direction.z) : 0.0};
}

// Cosine between a direction and the normal of the line that faces it
static double line_facing(const ts_convex *part, const ts_frame *frame, ts_vec3 outward)
{
  const ts_vec3 d = ts_mul_transposed(&frame->axes, outward);
  return part->normal.x * across_axis(d) + part->normal.z * d.z;
}

// The line of the side that faces the direction most, from its lower to its upper end
static void line(const ts_convex *part, const ts_frame *frame, ts_vec3 outward, const ts_facing *facing,
                 ts_patch *patch)
{
  (void)facing;
  if (line_facing(part, frame, outward) < TS_STANDING) {
    ts_patch_point(patch);
    return;
  }
  const ts_vec3 axis = frame->axes.z, half = ts_scale(part->half_length, axis);
  const ts_vec3 across = ts_normalize(ts_add_scaled(outward, -ts_dot(axis, outward), axis), frame->axes.x);
  ts_patch_segment(ts_add_scaled(ts_sub(frame->origin, half), part->radius, across),
                   ts_add_scaled(ts_add(frame->origin, half), part->top_radius, across), outward, patch);
  patch->radii[0] = part->radius / part->normal.x;
  patch->radii[1] = part->top_radius / part->normal.x;
  patch->round = part;
  patch->frame = frame;
}

static void widest(const ts_convex *part, const ts_frame *frame, ts_vec3 outward, const ts_facing *facing,
                   ts_patch *patch)
{
  const bool top = ts_dot(frame->axes.z, outward) > 0.0;
  if (facing->flatness > TS_STANDING && facing->flatness > line_facing(part, frame, outward))
    ts_patch_round_end(part, frame, outward, flat_radius(part, top), patch);
  else
    line(part, frame, outward, facing, patch);
}

// Along m from d to where it leaves the infinite cone: of |d + h m|^2 = r^2 across the axis, A h^2 + 2 B h + C = 0, the
// solution with A h + B >= 0, in the form that does not cancel. None beyond the apex.
static bool way_to_side(const ts_convex *part, ts_vec3 d, ts_vec3 m, double *h)
{
  const double r = radius_at(part, d.z), rise = -part->normal.z / part->normal.x * m.z;
  const double A = m.x * m.x + m.y * m.y - rise * rise, B = d.x * m.x + d.y * m.y - r * rise;
  const double C = d.x * d.x + d.y * d.y - r * r, square = B * B - A * C;
  if (!(square >= 0.0)) return false;
  *h = B > 0.0 ? -C / (sqrt(square) + B) : (sqrt(square) - B) / A;
  return r + *h * rise >= 0.0;
}

// Over the tip, where rounding decides on which side of the apex a point is, the surface is the tip.
static bool way_to_tip(const ts_convex *part, ts_vec3 d, ts_vec3 m, double *h)
{
  const ts_vec3 way = ts_sub(ts_vec3_make(0.0, 0.0, part->half_length), d);
  const double over = OVER_TIP * part->reach;
  *h = ts_dot(way, m);
  return part->top_radius <= over && ts_length(ts_add_scaled(way, -*h, m)) <= over;
}

static bool surface_over(const ts_patch *line, ts_vec3 x, ts_vec3 *y)
{
  const ts_vec3 d = ts_frame_unapply(line->frame, x), m = ts_mul_transposed(&line->frame->axes, line->outward);
  double h;
  if (!way_to_tip(line->round, d, m, &h) && !way_to_side(line->round, d, m, &h)) return false;
  *y = ts_add_scaled(x, h, line->outward);
  return true;
}

// Along the line, which gains the height of the cone from end to end
static ts_vec3 beyond_end(const ts_patch *line, ts_vec3 y)
{
  const double half = line->round->half_length, z = ts_frame_unapply(line->frame, y).z;
  const double over = z - fmax(-half, fmin(half, z));
  return ts_scale(0.5 * over / half, ts_sub(line->corners[1], line->corners[0]));
}

static ts_exposed_face exposed_face(const ts_convex *part, ts_vec3 point, ts_vec3 normal)
{
  const double c = part->normal.x, s = part->normal.z, half = part->half_length, across = across_axis(normal);
  const double end = flat_radius(part, normal.z > 0.0);
  (void)point;
  if (fabs(c * normal.z - s * across) <= TS_EXPOSED_LEVEL) {
    const ts_vec3 u = radial_of(normal);
    return (ts_exposed_face){.kind = TS_EXPOSED_LINE,
                             .ends = {{part->top_radius * u.x, part->top_radius * u.y, half},
                                      {part->radius * u.x, part->radius * u.y, -half}}};
  }
  if (across <= TS_EXPOSED_LEVEL && end > 0.0)
    return (ts_exposed_face){.kind = TS_EXPOSED_DISC, .radius = end, .height = half};
  return (ts_exposed_face){.kind = TS_EXPOSED_POINT};
}

const ts_shape_type ts_shape_type_cone = {
    .key = {"cone", TS_VALUE_MAP, .section = &section, .spaces = "3d",
            .help = "solid cone of height `length` along local z, pointed or truncated; its origin is at half height"},
    .in_space = true,
    .check = check,
    .draw = draw,
    .measure = measure,
    .symmetry = TS_OF_REVOLUTION,
    .support = support,
    .bounds = bounds,
    .inner_radius = inner_radius,
    .implicit_count = implicit_count,
    .implicit_value = implicit_value,
    .mass = mass,
    .has_rim = true,
    .core = TS_CORE_SOLID,
    .point_distance = point_distance,
    .outside = outside,
    .feature_at = feature_at,
    .feature_raised = feature_raised,
    .look = look,
    .face_normal = ts_round_end_normal,
    .widest = widest,
    .edge = line,
    .surface_over = surface_over,
    .beyond_end = beyond_end,
    .exposed_face = exposed_face,
};
