#include "model/supports.h"

#include "model/check_inside.h"

#include "base/require.h"
#include "base/status.h"

#include <math.h>
#include <string.h>

// ---- loads ---------------------------------------------------------------------------------------------------------

// A symmetric system of three by elimination; pivots below this share of the first leave it undetermined.
static const double DETERMINED = 1e-10;

static bool solve_three(double A[3][4])
{
  const double first = A[0][0];
  for (int k = 0; k < 3; ++k) {
    if (!(A[k][k] > DETERMINED * first)) return false;
    for (int i = 0; i < 3; ++i) {
      const double factor = i == k ? 0.0 : A[i][k] / A[k][k];
      for (int j = k; j < 4; ++j) A[i][j] -= factor * A[k][j];
    }
  }
  for (int k = 0; k < 3; ++k) A[k][3] /= A[k][k];
  return true;
}

static double reach_of(const ts_support_load *points, int count)
{
  double reach = 0.0;
  for (int i = 0; i < count; ++i) reach = fmax(reach, hypot(points[i].at.x, points[i].at.y));
  return reach;
}

bool ts_support_balance(const ts_support_load *points, int count, const ts_pressing *pressing, double *load)
{
  if (count == 1) {
    load[0] = pressing->force;
    return true;
  }
  const double unit = 1.0 / fmax(reach_of(points, count), 1e-300);
  double A[3][4] = {{0.0, 0.0, 0.0, pressing->force},
                    {0.0, 0.0, 0.0, pressing->along[0] * unit},
                    {0.0, 0.0, 0.0, pressing->along[1] * unit}};
  for (int i = 0; i < count; ++i) {
    const double w = points[i].weight, g[3] = {1.0, points[i].at.x * unit, points[i].at.y * unit};
    for (int r = 0; r < 3; ++r)
      for (int c = 0; c < 3; ++c) A[r][c] += w * g[r] * g[c];
  }
  if (!solve_three(A)) return false;
  for (int i = 0; i < count; ++i)
    load[i] = points[i].weight * (A[0][3] + A[1][3] * points[i].at.x * unit + A[2][3] * points[i].at.y * unit);
  return true;
}

// ---- what is refused -----------------------------------------------------------------------------------------------

ts_status ts_check_pressing_gravity(ts_vec3 gravity, ts_error *error)
{
  if (gravity.x != 0.0 || gravity.y != 0.0)
    return ts_fail(error, TS_INVALID,
                   "gravity lies in the plane: in a 2.5D world it presses bodies onto the plane, along z alone");
  if (gravity.z > 0.0) return ts_fail(error, TS_INVALID, "gravity lifts bodies off the plane: its z is above 0");
  return TS_OK;
}

static ts_status check_points(const ts_builder *builder, const ts_support_def *def, const char *name, ts_error *error)
{
  for (int i = 0; i < def->point_count; ++i) {
    TS_TRY(ts_check_point(builder, def->points[i], "support of", name, error));
    if (def->loads && !(def->loads[i] > 0.0 && def->loads[i] <= TS_LARGEST))
      return ts_fail(error, TS_INVALID, "support of '%s': load %d is %g, loads must be above 0", name, i + 1,
                     def->loads[i]);
  }
  if (def->loads && def->point_count == 0)
    return ts_fail(error, TS_INVALID, "support of '%s': loads without points", name);
  if (def->point_count == 2)
    return ts_fail(error, TS_INVALID, "support of '%s': two points cannot hold it upright, it takes one or three",
                   name);
  if (def->point_count > 3 && !def->loads)
    return ts_fail(error, TS_INVALID, "support of '%s': the loads of %d points do not follow from statics, give them",
                   name, def->point_count);
  return TS_OK;
}

static ts_status check_numbers(const ts_support_def *def, const char *name, ts_error *error)
{
  if (!isnan(def->friction) && !ts_is_at_least(def->friction, 0.0))
    return ts_fail(error, TS_INVALID, "support of '%s': friction must be at least 0", name);
  if (!(def->ellipsoid.x > 0.0 && def->ellipsoid.y > 0.0 && def->ellipsoid.z >= 0.0) || !ts_is_in_range(def->ellipsoid))
    return ts_fail(error, TS_INVALID, "support of '%s': semi-axes must be above 0, e_r at least 0", name);
  if (!ts_is_at_least(def->height, 0.0) || !ts_is_at_least(def->centre_height, 0.0))
    return ts_fail(error, TS_INVALID, "support of '%s': heights above the plane must be at least 0", name);
  return TS_OK;
}

static bool has_support(const ts_builder *builder, int body)
{
  for (int i = 0; i < builder->support_count; ++i)
    if (builder->supports[i].body == body) return true;
  return false;
}

ts_status ts_check_support(const ts_builder *builder, const ts_support_def *def, ts_error *error)
{
  TS_TRY(ts_check_cookie(def->cookie, TS_SUPPORT_COOKIE, "ts_support_def_default", error));
  TS_TRY(ts_check_index(def->body, builder->body_count, "body", error));
  const char *name = builder->bodies[def->body].name;
  if (builder->freedoms->space != TS_SPACE_2_5D)
    return ts_fail(error, TS_INVALID, "support of '%s': only bodies of 2.5D worlds have supports", name);
  if (builder->bodies[def->body].kind != TS_DYNAMIC)
    return ts_fail(error, TS_INVALID, "support of '%s': it is not dynamic and needs none", name);
  if (has_support(builder, def->body)) return ts_fail(error, TS_INVALID, "support of '%s': it has one already", name);
  if (def->carried) return TS_OK;
  if (def->on != TS_WORLD) TS_TRY(ts_check_index(def->on, builder->body_count, "body", error));
  if (def->on != TS_WORLD && builder->bodies[def->on].kind == TS_DYNAMIC)
    return ts_fail(error, TS_INVALID, "support of '%s': '%s' is dynamic, what the plane moves with must not be", name,
                   builder->bodies[def->on].name);
  TS_TRY(check_points(builder, def, name, error));
  return check_numbers(def, name, error);
}

// ---- making --------------------------------------------------------------------------------------------------------

static const ts_support_def *support_of(const ts_builder *builder, int body, const ts_support_def *otherwise)
{
  for (int i = 0; i < builder->support_count; ++i)
    if (builder->supports[i].body == body) return &builder->supports[i];
  return otherwise;
}

// What does not turn stands on its centre of mass, and so does what has one torsional point.
static bool stands_on_one(const ts_body *body, const ts_support_def *def)
{
  return body->inverse_inertia.z.z == 0.0 || def->ellipsoid.z > 0.0;
}

static int point_count_of(const ts_body *body, const ts_support_def *def)
{
  if (body->kind != TS_DYNAMIC || body->mass == 0.0 || def->carried) return 0;
  if (def->point_count > 0) return def->point_count;
  return stands_on_one(body, def) ? 1 : 3;
}

static ts_vec3 chosen_point(const ts_body *body, int count, int i)
{
  if (count == 1) return (ts_vec3){0.0, 0.0, 0.0};
  const double radius = sqrt(body->inertia.z.z / body->mass), angle = TS_PI * (0.5 + 2.0 * i / 3.0);
  return (ts_vec3){radius * cos(angle), radius * sin(angle), 0.0};
}

static void place_points(const ts_model *model, const ts_support_def *def, const ts_support *support)
{
  const ts_body *body = &model->bodies[support->body];
  for (int i = 0; i < support->count; ++i) {
    ts_support_load *point = &model->support_points[support->first + i];
    point->at = def->point_count > 0 ? ts_sub(def->points[i], body->centre) : chosen_point(body, support->count, i);
    point->weight = def->loads ? def->loads[i] : 1.0;
  }
}

// Loads at rest, all above 0.
static ts_status find_loads(const ts_model *model, const ts_support *support, double weight, ts_arena *arena,
                            ts_error *error)
{
  static const double BELOW = 1e-9; // of the weight: round-off of a point below the centre
  const char *name = model->bodies[support->body].name;
  ts_support_load *points = model->support_points + support->first;
  double *load = ts_arena_doubles(arena, (size_t)support->count);
  const ts_pressing pressing = {.force = 1.0};
  if (support->count == 1 && reach_of(points, 1) > BELOW * (1.0 + ts_length(model->bodies[support->body].centre)))
    return ts_fail(error, TS_INVALID, "support of '%s': its only point is not below the centre of mass", name);
  if (!ts_support_balance(points, support->count, &pressing, load))
    return ts_fail(error, TS_INVALID, "support of '%s': its points lie on one line and cannot hold it upright", name);
  for (int i = 0; i < support->count; ++i) {
    if (!(load[i] > BELOW))
      return ts_fail(error, TS_INVALID,
                     "support of '%s': its points do not enclose the centre of mass, point %d would carry %.3g N", name,
                     i + 1, load[i] * weight);
    points[i].load = load[i] * weight;
  }
  return TS_OK;
}

static ts_status make_support(const ts_builder *builder, ts_model *model, int body, const ts_support_def *def,
                              ts_error *error)
{
  const int count = point_count_of(&model->bodies[body], def);
  if (count == 0) return TS_OK;
  if (count == 1 && def->update == TS_LOADS_BY_STATICS)
    return ts_fail(error, TS_INVALID, "support of '%s': one point takes no moments, its load does not follow them",
                   model->bodies[body].name);
  ts_support *support = &model->supports[model->support_count++];
  *support = (ts_support){.body = body,
                          .on = def->on,
                          .first = model->support_point_count,
                          .count = count,
                          .law = builder->default_law,
                          .update = def->update,
                          .height = def->height,
                          .centre_height = def->centre_height};
  if (!isnan(def->friction)) support->law.friction = def->friction;
  support->law.ellipsoid = def->ellipsoid;
  model->support_point_count += count;
  model->spins = model->spins || def->ellipsoid.z > 0.0;
  for (int i = 0; i < count; ++i) model->support_points[support->first + i].support = model->support_count - 1;
  place_points(model, def, support);
  const double weight = -model->bodies[body].mass * builder->gravity.z * builder->bodies[body].gravity_scale.z;
  if (weight < 0.0)
    return ts_fail(error, TS_INVALID, "support of '%s': gravity_scale lifts it off the plane",
                   model->bodies[body].name);
  return find_loads(model, support, weight, &model->memory, error);
}

ts_status ts_model_make_supports(const ts_builder *builder, ts_model *model, ts_error *error)
{
  if (builder->freedoms->space != TS_SPACE_2_5D) return TS_OK;
  const ts_support_def usual = ts_support_def_default();
  size_t points = 0;
  for (int b = 0; b < model->body_count; ++b)
    points += (size_t)point_count_of(&model->bodies[b], support_of(builder, b, &usual));
  model->supports = ts_arena_bytes(&model->memory, (size_t)model->body_count, sizeof *model->supports);
  model->support_points = ts_arena_bytes(&model->memory, points, sizeof *model->support_points);
  for (int b = 0; b < model->body_count; ++b)
    TS_TRY(make_support(builder, model, b, support_of(builder, b, &usual), error));
  return TS_OK;
}

// ---- asking --------------------------------------------------------------------------------------------------------

static const ts_support *find_support(const ts_model *model, int body)
{
  for (int i = 0; i < model->support_count; ++i)
    if (model->supports[i].body == body) return &model->supports[i];
  return NULL;
}

int ts_model_support_count(const ts_model *model, int body)
{
  TS_REQUIRE(model);
  TS_REQUIRE(body >= 0 && body < model->body_count);
  const ts_support *support = find_support(model, body);
  return support ? support->count : 0;
}

ts_support_point ts_model_support(const ts_model *model, int body, int point)
{
  TS_REQUIRE(point >= 0 && point < ts_model_support_count(model, body));
  const ts_support *support = find_support(model, body);
  const ts_support_load *at = &model->support_points[support->first + point];
  return (ts_support_point){ts_add(at->at, model->bodies[body].centre), at->load, support->law.friction};
}
