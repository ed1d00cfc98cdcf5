#include "world.h"

#include <stdarg.h>
#include <stddef.h>
#include <setjmp.h>
#include <cmocka.h>
#include <stdio.h>

static void accept(ts_status status, const ts_error *error)
{
  if (status != TS_OK) fail_msg("%s", error->text);
}

const ts_stepper *fixed_stepper(int k)
{
  static const char *const names[] = {"stewart-trinkle", "velocity"};
  return ts_stepper_find(names[k]);
}

void world_init(world *w, ts_space space)
{
  *w = (world){.space = space, .builder = ts_builder_create(space), .options = ts_step_options_default()};
  assert_non_null(w->builder);
}

void world_release(world *w)
{
  ts_sim_destroy(w->sim);
  ts_model_destroy(w->model);
  ts_builder_destroy(w->builder);
}

ts_shape shape_plane(ts_vec3 normal, double offset)
{
  return (ts_shape){.kind = TS_SHAPE_PLANE, .normal = normal, .offset = offset};
}

ts_shape shape_sphere(double radius)
{
  return (ts_shape){.kind = TS_SHAPE_SPHERE, .radius = radius};
}

ts_shape shape_box(double x, double y, double z)
{
  return (ts_shape){.kind = TS_SHAPE_BOX, .size = {x, y, z}};
}

ts_shape shape_capsule(double radius, double length)
{
  return (ts_shape){.kind = TS_SHAPE_CAPSULE, .radius = radius, .length = length};
}

ts_shape shape_cylinder(double radius, double length)
{
  return (ts_shape){.kind = TS_SHAPE_CYLINDER, .radius = radius, .length = length};
}

ts_shape shape_disc(double radius)
{
  return (ts_shape){.kind = TS_SHAPE_DISC, .radius = radius};
}

ts_shape shape_polygon(const ts_vec3 *vertices, int count)
{
  return (ts_shape){.kind = TS_SHAPE_POLYGON, .vertices = vertices, .vertex_count = count};
}

ts_shape shape_rectangle(ts_vec3 room[4], double x0, double y0, double x1, double y1)
{
  for (int k = 0; k < 4; ++k) room[k] = (ts_vec3){k == 0 || k == 3 ? x0 : x1, k < 2 ? y0 : y1, 0.0};
  return shape_polygon(room, 4);
}

void world_friction(world *w, double friction, double restitution)
{
  ts_error error;
  ts_contact_law law = ts_contact_law_default();
  law.friction = friction;
  law.restitution = restitution;
  accept(ts_builder_set_contact(w->builder, &law, &error), &error);
}

int world_add_def(world *w, const ts_body_def *def, ts_shape shape)
{
  ts_error error;
  int body, part;
  accept(ts_builder_add_body(w->builder, def, &body, &error), &error);
  ts_part_def part_def = ts_part_def_default();
  part_def.body = body;
  part_def.shape = shape;
  accept(ts_builder_add_part(w->builder, &part_def, &part, &error), &error);
  return body;
}

int world_add(world *w, const char *name, ts_body_kind kind, double mass, ts_shape shape, ts_vec3 position)
{
  ts_body_def def = ts_body_def_default();
  def.name = name;
  def.kind = kind;
  if (mass > 0.0) def.mass = mass;
  def.pose.position = position;
  return world_add_def(w, &def, shape);
}

int world_floor(world *w)
{
  const ts_vec3 up = w->space == TS_SPACE_2D ? (ts_vec3){0.0, 1.0, 0.0} : (ts_vec3){0.0, 0.0, 1.0};
  return world_add(w, "floor", TS_FIXED, 0.0, shape_plane(up, 0.0), (ts_vec3){0.0, 0.0, 0.0});
}

void world_force(world *w, int body, ts_vec3 force, ts_vec3 torque)
{
  ts_error error;
  int number;
  ts_force_def def = ts_force_def_default();
  def.body = body;
  const double f[3] = {force.x, force.y, force.z}, t[3] = {torque.x, torque.y, torque.z};
  for (int k = 0; k < 3; ++k) {
    def.force[k] = ts_signal_constant(f[k]);
    def.torque[k] = ts_signal_constant(t[k]);
  }
  accept(ts_builder_add_force(w->builder, &def, &number, &error), &error);
}

void world_start(world *w)
{
  ts_error error;
  accept(ts_builder_finish(w->builder, &w->model, &error), &error);
  world_simulate(w);
}

void world_simulate(world *w)
{
  ts_error error;
  accept(ts_sim_create(w->model, &w->options, NULL, &w->sim, &error), &error);
}

void world_save(const world *w, world_state *saved)
{
  saved->time = ts_sim_time(w->sim);
  saved->size = ts_sim_state_size(w->sim);
  assert_true(saved->size <= WORLD_STATE_CAPACITY);
  assert_int_equal(ts_sim_save(w->sim, saved->numbers, saved->size, NULL), TS_OK);
}

void world_load(world *w, const world_state *saved)
{
  ts_error error;
  accept(ts_sim_load(w->sim, saved->numbers, saved->size, &error), &error);
}

void world_move(world *w, int body, ts_vec3 velocity, ts_vec3 angular)
{
  ts_error error;
  const ts_twist twist = {velocity, angular};
  accept(ts_sim_set_velocity(w->sim, body, &twist, &error), &error);
}

void world_step(world *w)
{
  ts_error error;
  accept(ts_sim_step(w->sim, &error), &error);
  const ts_step_report *report = ts_sim_report(w->sim);
  if (!report->certified)
    fail_msg("step to t = %g s is not certified: residual %g", ts_sim_time(w->sim), report->residual);
}

void world_steps(world *w, int count)
{
  for (int k = 0; k < count; ++k) world_step(w);
}

double world_kinetic(const world *w)
{
  double energy = 0.0;
  for (int b = 0; b < ts_model_body_count(w->model); ++b) {
    if (ts_model_body_kind(w->model, b) != TS_DYNAMIC) continue;
    const ts_twist v = ts_sim_velocity(w->sim, b);
    const ts_quat q = ts_sim_pose(w->sim, b).orientation;
    const ts_vec3 arm = ts_quat_rotate(q, ts_model_body_centre(w->model, b));
    const ts_vec3 centre = ts_twist_at(v, arm), turning = ts_quat_rotate(ts_quat_conjugate(q), v.angular);
    double i[6];
    ts_model_body_inertia(w->model, b, i);
    const ts_vec3 momentum = {i[0] * turning.x + i[3] * turning.y + i[4] * turning.z,
                              i[3] * turning.x + i[1] * turning.y + i[5] * turning.z,
                              i[4] * turning.x + i[5] * turning.y + i[2] * turning.z};
    energy += 0.5 * (ts_model_body_mass(w->model, b) * ts_dot(centre, centre) + ts_dot(turning, momentum));
  }
  return energy;
}
