#include "pendulum.h"

#include "mechanism.h"

#include <math.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdio.h>
#include <string.h>
#include <cmocka.h>

static const double LENGTH = 12.0, BASE = 10.0;

pendulum_kind pendulum_p12(void)
{
  return (pendulum_kind){12, -0.25 * TS_PI, 9.81, 0.7, 1e-3};
}

pendulum_kind pendulum_t(int links)
{
  return (pendulum_kind){links, -0.5 * TS_PI, 9.8, 0.5, 1e-4};
}

static void add_link(pendulum *p, int k)
{
  const double reach = LENGTH * k / p->kind.links, s = sin(p->kind.angle), c = cos(p->kind.angle);
  char name[16];
  snprintf(name, sizeof name, "%d", k);
  ts_body_def def = ts_body_def_default();
  def.name = name;
  def.kind = TS_DYNAMIC;
  def.mass = 1.0;
  def.pose.position = (ts_vec3){0.0, reach * s, BASE - reach * c};
  def.velocity = (ts_twist){{0.0, reach * c, reach * s}, {1.0, 0.0, 0.0}};
  const int body = world_add_def(&p->world, &def, shape_sphere(3.0 / p->kind.links));
  if (k == 1) p->first = body;
  const ts_vec3 base = {0.0, 0.0, BASE}, centre = {0.0, 0.0, 0.0};
  const ts_vec3 axis = {1.0, 0.0, 0.0};
  mechanism_hinge(&p->world, k == 1 ? TS_WORLD : body - 1, body, k == 1 ? base : centre, axis);
}

void pendulum_init(pendulum *p, pendulum_kind kind)
{
  *p = (pendulum){.kind = kind};
  world *w = &p->world;
  world_init(w, TS_SPACE_3D);
  ts_builder_set_gravity(w->builder, (ts_vec3){0.0, 0.0, -kind.gravity});
  world_friction(w, 0.5, kind.restitution);
  const ts_vec3 origin = {0.0, 0.0, 0.0};
  world_add(w, "floor", TS_FIXED, 0.0, shape_plane((ts_vec3){0.0, 0.0, 1.0}, 0.1), origin);
  world_add(w, "wall", TS_FIXED, 0.0, shape_plane((ts_vec3){0.0, -1.0, 0.0}, -4.0), origin);
  for (int k = 1; k <= kind.links; ++k) add_link(p, k);
  w->options.method = ts_stepper_find("velocity");
  w->options.coordinates = TS_COORDINATES_MINIMAL;
  w->options.impacts = TS_IMPACT_POISSON;
  w->options.gyroscopic =
      TS_GYROSCOPIC_EXPLICIT; // velocity products at the start of the step, reference-numbers.md 6.3
  w->options.size = kind.step;
  w->options.rest_speed = 2.0 * kind.gravity * kind.step;
}

void pendulum_start(pendulum *p)
{
  world_start(&p->world);
}

void pendulum_release(pendulum *p)
{
  world_release(&p->world);
}

void pendulum_like_000(pendulum *p, const char *solver)
{
  ts_step_options *options = &p->world.options;
  options->solver = ts_solver_find(solver);
  options->arms = TS_ARMS_SURFACE;
  options->warm_start = false;
  options->tolerance = 1e-12;
  options->line_search = TS_MONOTONE;
  options->impulse_scale = 1.0;
  options->directions = 4;
  const bool linear = strcmp(solver, "lemke") == 0 || strncmp(solver, "fb-", 3) == 0;
  options->cone = linear ? TS_CONE_POLYHEDRAL : TS_CONE_QUADRATIC;
}

void pendulum_step_to(pendulum *p, double t)
{
  while (ts_sim_time(p->world.sim) < t - 0.5 * p->world.options.size) world_step(&p->world);
}

// Larger of the two differences in the plane of motion.
static double apart_in_plane(ts_vec3 a, ts_vec3 b)
{
  return fmax(fabs(a.y - b.y), fabs(a.z - b.z));
}

double pendulum_error(const pendulum *p, const double *angles)
{
  const double length = LENGTH / p->kind.links;
  ts_vec3 centre = {0.0, 0.0, BASE};
  double largest = 0.0;
  for (int k = 0; k < p->kind.links; ++k) {
    centre = ts_add(centre, (ts_vec3){0.0, length * sin(angles[k]), -length * cos(angles[k])});
    largest = fmax(largest, apart_in_plane(centre, ts_sim_pose(p->world.sim, p->first + k).position));
  }
  return largest;
}

double pendulum_velocity_error(const pendulum *p, const double *angles, const double *rates)
{
  const double length = LENGTH / p->kind.links;
  ts_vec3 velocity = {0.0, 0.0, 0.0};
  double largest = 0.0;
  for (int k = 0; k < p->kind.links; ++k) {
    const double speed = length * rates[k];
    velocity = ts_add(velocity, (ts_vec3){0.0, speed * cos(angles[k]), speed * sin(angles[k])});
    largest = fmax(largest, apart_in_plane(velocity, ts_sim_velocity(p->world.sim, p->first + k).linear));
  }
  return largest;
}

void pendulum_check_flight_order(pendulum_kind kind, const double *sample, const double expected[3], double share)
{
  static const double steps[3] = {1e-3, 5e-4, 1e-4};
  double error[3];
  for (int k = 0; k < 3; ++k) {
    pendulum p;
    kind.step = steps[k];
    pendulum_init(&p, kind);
    pendulum_start(&p);
    pendulum_step_to(&p, sample[0]);
    error[k] = pendulum_error(&p, sample + 1);
    pendulum_release(&p);
  }
  print_message("%d links: errors in flight at %g s %.3g, %.3g, %.3g m\n", kind.links, sample[0], error[0], error[1],
                error[2]);
  for (int k = 0; k < 3; ++k) assert_true(fabs(error[k] - expected[k]) < share * expected[k]);
  assert_true(fabs(error[0] / error[1] - 2.0) < 0.02 && fabs(error[1] / error[2] - 5.0) < 0.05);
}

static void start_in(pendulum *p, pendulum_kind kind, ts_coordinates coordinates)
{
  pendulum_init(p, kind);
  pendulum_like_000(p, "auto");
  p->world.options.coordinates = coordinates;
  if (coordinates == TS_COORDINATES_REDUNDANT) p->world.options.tolerance = 1e-10;
  pendulum_start(p);
}

pendulum_parting pendulum_minimal_and_redundant(pendulum_kind kind, double early, double until)
{
  static const double limits[3] = {1e-3, 1e-2, 1e-1};
  pendulum_parting parting = {.passes = {INFINITY, INFINITY, INFINITY}};
  pendulum minimal, redundant;
  start_in(&minimal, kind, TS_COORDINATES_MINIMAL);
  start_in(&redundant, kind, TS_COORDINATES_REDUNDANT);
  for (double t = 0.0; t < until - 0.5 * kind.step; t = ts_sim_time(minimal.world.sim)) {
    world_step(&minimal.world);
    world_step(&redundant.world);
    const double apart = ts_distance_of(pendulum_last(&minimal), pendulum_last(&redundant));
    if (t < early - 0.5 * kind.step) parting.early = fmax(parting.early, apart);
    for (int i = 0; i < 3; ++i)
      if (apart > limits[i]) parting.passes[i] = fmin(parting.passes[i], ts_sim_time(minimal.world.sim));
    parting.hinge = fmax(parting.hinge, ts_sim_report(redundant.world.sim)->joint_error);
    const double now = ts_sim_time(minimal.world.sim);
    const int second = (int)lround(now);
    if (second >= 1 && second <= PENDULUM_SECONDS && fabs(now - second) < 0.5 * kind.step)
      parting.energy[second - 1] = fabs(pendulum_energy(&redundant) / pendulum_energy(&minimal) - 1.0);
  }
  print_message("%d links, h = %g s: %.2g m apart until %g s; 1 mm, 1 cm, 0.1 m passed at %.3f, %.3f, %.3f s; hinges "
                "open by %.2g m\n",
                kind.links, kind.step, parting.early, early, parting.passes[0], parting.passes[1], parting.passes[2],
                parting.hinge);
  pendulum_release(&minimal);
  pendulum_release(&redundant);
  return parting;
}

ts_vec3 pendulum_last(const pendulum *p)
{
  return ts_sim_pose(p->world.sim, p->first + p->kind.links - 1).position;
}

double pendulum_energy(const pendulum *p)
{
  const ts_step_report *report = ts_sim_report(p->world.sim);
  return report->kinetic_energy + report->potential_energy;
}
