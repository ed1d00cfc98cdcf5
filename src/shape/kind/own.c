// A shape that an extension defines. What the library needs without asking about pairs is its box.
#include "shape/own_shape.h"

#include "shape/checks.h"
#include "shape/extent.h"
#include "shape/shape_type.h"

#include "schema/parameters.h"

#include <stdio.h>

static const ts_key keys[] = {
    {"type", TS_VALUE_TEXT, .required = true, .above_zero = true, .help = "its name in a plug-in"},
    {"parameters", TS_VALUE_MAP, .section = &ts_parameters_section, .help = "numbers by name, as it has them"},
};
static const ts_section section = {"a shape of one's own", TS_KEYS(keys)};

// ---- what a definition says ----------------------------------------------------------------------------------------

ts_status ts_shape_def_check(const ts_shape_def *def, ts_error *error)
{
  if (!def) return ts_fail(error, TS_INVALID, "a shape of one's own has no definition");
  if (!def->name || !*def->name) return ts_fail(error, TS_INVALID, "the definition of a shape has no name");
  if (!def->measure || !def->touch)
    return ts_fail(error, TS_INVALID, "shape '%.60s' has no function '%s'", def->name,
                   def->measure ? "touch" : "measure");
  char what[96];
  snprintf(what, sizeof what, "shape '%.60s'", def->name);
  return ts_parameters_check((ts_parameter_list){def->parameters, def->parameter_count}, what, error);
}

static bool is_span(double low, double high)
{
  const double length = high - low;
  return ts_is_moderate(low) && ts_is_moderate(high) && length >= TS_SMALLEST_LENGTH;
}

static ts_status check_extent(const ts_shape_def *def, const double *values, ts_error *error)
{
  const ts_shape_extent e = def->measure(def->user, values);
  if (!is_span(e.low.x, e.high.x) || !is_span(e.low.y, e.high.y) || !is_span(e.low.z, e.high.z))
    return ts_fail(error, TS_INVALID, "shape '%.60s': its box from [%g, %g, %g] to [%g, %g, %g] is none", def->name,
                   e.low.x, e.low.y, e.low.z, e.high.x, e.high.y, e.high.z);
  const double widest = fmax(e.high.x - e.low.x, fmax(e.high.y - e.low.y, e.high.z - e.low.z));
  if (!(e.inner_radius >= 0.0 && e.inner_radius <= 0.5 * widest))
    return ts_fail(error, TS_INVALID, "shape '%.60s': an inner radius of %g m does not fit into its box", def->name,
                   e.inner_radius);
  return TS_OK;
}

static ts_status check_mass(const ts_shape_def *def, const double *values, ts_error *error)
{
  if (!def->mass) return TS_OK;
  const ts_mass_properties m = def->mass(def->user, values);
  bool sound = m.volume > 0.0 && isfinite(m.volume) && ts_vec3_is_finite(m.centre);
  for (int i = 0; i < 6; ++i) sound = sound && isfinite(m.inertia[i]) && (i > 2 || m.inertia[i] > 0.0);
  if (!sound)
    return ts_fail(error, TS_INVALID, "shape '%.60s': its volume, centre and inertia are impossible", def->name);
  return TS_OK;
}

static ts_status check(const ts_shape *shape, ts_error *error)
{
  const ts_shape_def *def = shape->own;
  TS_TRY(ts_shape_def_check(def, error));
  char owner[96];
  snprintf(owner, sizeof owner, "shape '%.60s'", def->name);
  double room[TS_MOST_PARAMETERS];
  const double *values = ts_own_values(shape, room);
  TS_TRY(ts_parameters_check_values((ts_parameter_list){def->parameters, def->parameter_count}, owner, values, error));
  if (def->check) TS_TRY(def->check(def->user, values, error));
  TS_TRY(check_extent(def, values, error));
  return check_mass(def, values, error);
}

static void normalize(ts_shape *copy, ts_arena *arena)
{
  double *values = ts_arena_doubles(arena, TS_MOST_PARAMETERS);
  const double *given = ts_own_values(copy, values);
  for (int i = 0; given != values && i < copy->own->parameter_count; ++i) values[i] = given[i];
  copy->parameters = values;
}

// ---- faces ---------------------------------------------------------------------------------------------------------

static void hand_on(void *user, const ts_vec3 *corners, int count, ts_vec3 outward, bool curved)
{
  const ts_face_sink *sink = user;
  bool sound = corners && count >= 3 && ts_vec3_is_finite(outward);
  for (int i = 0; sound && i < count; ++i) sound = ts_vec3_is_finite(corners[i]);
  if (sound) sink->face(sink->user, corners, count, outward, curved);
}

static ts_vec3 along(int axis, double first, double second, double third)
{
  const double by_axis[3] = {first, second, third};
  return ts_vec3_make(by_axis[(3 - axis) % 3], by_axis[(4 - axis) % 3], by_axis[(5 - axis) % 3]);
}

static void draw_box(const ts_convex *part, const ts_face_sink *sink)
{
  static const double around[4][2] = {{-1.0, -1.0}, {1.0, -1.0}, {1.0, 1.0}, {-1.0, 1.0}};
  for (int face = 0; face < 6; ++face) {
    const int axis = face / 2;
    const double side = face % 2 ? 1.0 : -1.0;
    ts_vec3 corners[4];
    for (int i = 0; i < 4; ++i) {
      const ts_vec3 s = along(axis, side, around[i][0], around[i][1]), h = part->half;
      corners[i] = ts_add(part->middle, ts_vec3_make(s.x * h.x, s.y * h.y, s.z * h.z));
    }
    sink->face(sink->user, corners, 4, along(axis, side, 0.0, 0.0), false);
  }
}

static void measure(const ts_shape *shape, ts_convex *part)
{
  double room[TS_MOST_PARAMETERS];
  const ts_shape_extent e = shape->own->measure(shape->own->user, ts_own_values(shape, room));
  part->middle = ts_scale(0.5, ts_add(e.low, e.high));
  part->half = ts_scale(0.5, ts_sub(e.high, e.low));
  part->radius = e.inner_radius;
  part->reach = ts_length(ts_vec3_make(fmax(fabs(e.low.x), fabs(e.high.x)), fmax(fabs(e.low.y), fabs(e.high.y)),
                                       fmax(fabs(e.low.z), fabs(e.high.z))));
}

static void draw(const ts_shape *shape, const ts_face_sink *sink)
{
  const ts_shape_def *def = shape->own;
  double room[TS_MOST_PARAMETERS];
  ts_convex part = {.kind = TS_SHAPE_OWN};
  if (def->draw) {
    def->draw(def->user, ts_own_values(shape, room), hand_on, (void *)sink);
    return;
  }
  measure(shape, &part);
  draw_box(&part, sink);
}

// ---- as a part -----------------------------------------------------------------------------------------------------

// Of the box.
static ts_vec3 support(const ts_convex *part, ts_vec3 direction)
{
  return ts_add(part->middle, ts_vec3_make(copysign(part->half.x, direction.x), copysign(part->half.y, direction.y),
                                           copysign(part->half.z, direction.z)));
}

static ts_bounds bounds(const ts_convex *part, const ts_frame *frame)
{
  return ts_bounds_about(ts_frame_apply(frame, part->middle), ts_box_extent(&frame->axes, part->half));
}

static double inner_radius(const ts_convex *part)
{
  return part->radius;
}

static ts_mass_properties mass(const ts_convex *part)
{
  const ts_shape_def *def = part->shape->own;
  double room[TS_MOST_PARAMETERS];
  return def->mass ? def->mass(def->user, ts_own_values(part->shape, room)) : (ts_mass_properties){0};
}

const ts_shape_type ts_shape_type_own = {
    .key = {"own", TS_VALUE_MAP, .section = &section, .spaces = "3d",
            .help = "a shape that a plug-in brings (`--plugin FILE`)"},
    .in_space = true,
    .check = check,
    .normalize = normalize,
    .draw = draw,
    .measure = measure,
    .support = support,
    .bounds = bounds,
    .inner_radius = inner_radius,
    .mass = mass,
    .core = TS_CORE_NONE,
};
