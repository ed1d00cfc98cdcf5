// The torus of examples/plugins against closed forms: mass, distances, rest, rolling, falling, hanging.
// Linked by itself: it has what a plug-in exports.
#include "../../examples/plugins/torus.c"

#include "touchstone/touchstone.h"

#include "math/vec3.h"

#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>
#include <string.h>
#include <cmocka.h>

static const double G = 9.81, R = 0.3, TUBE_RADIUS = 0.1, DENSITY = 500.0;

#define TORUS "shape: {own: {type: torus, parameters: {ring: 0.3, tube: 0.1}}}, density: 500"
#define FLOOR "- {name: floor, kind: fixed, shape: {plane: {normal: [0, 0, 1]}}}\n"

static ts_extensions *set_with_torus(void)
{
  ts_extensions *extensions = ts_extensions_create();
  assert_int_equal(touchstone_plugin.add(extensions, NULL), TS_OK);
  return extensions;
}

typedef struct world {
  ts_extensions *extensions;
  ts_scene *scene;
  ts_sim *sim;
} world;

static world world_of(const char *bodies, const char *rest)
{
  char text[2048];
  ts_error error = {0};
  world w = {set_with_torus(), NULL, NULL};
  const ts_scene_request request = {.extensions = w.extensions};
  snprintf(text, sizeof text, "touchstone: 1\nbodies:\n%s%s", bodies, rest);
  if (ts_scene_parse_with(text, strlen(text), "rings", &request, &w.scene, &error) != TS_OK)
    fail_msg("%d:%d: %s", error.line, error.column, error.text);
  if (ts_sim_create(ts_scene_model(w.scene), ts_scene_options(w.scene), NULL, &w.sim, &error) != TS_OK)
    fail_msg("%s", error.text);
  return w;
}

static void run(world *w, int steps)
{
  ts_error error = {0};
  for (int k = 0; k < steps; ++k) {
    if (ts_sim_step(w->sim, &error) != TS_OK) fail_msg("%s", error.text);
    if (!ts_sim_report(w->sim)->certified) fail_msg("step %d is not certified", k);
  }
}

static void close_world(world *w)
{
  ts_sim_destroy(w->sim);
  ts_scene_destroy(w->scene);
  ts_extensions_destroy(w->extensions);
}

static void assert_near(double value, double expected, double tolerance)
{
  if (!(fabs(value - expected) <= tolerance)) fail_msg("%.15g, not %.15g", value, expected);
}

static double mass_of_torus(void)
{
  return DENSITY * 2.0 * TS_PI * TS_PI * R * TUBE_RADIUS * TUBE_RADIUS;
}

// ---- mass ----------------------------------------------------------------------------------------------------------

// Washers about the axis: at height z the torus lies between the radii R -+ sqrt(r^2 - z^2).
static void mass_is_the_integral(void **state)
{
  (void)state;
  ts_extensions *extensions = set_with_torus();
  const double values[PARAMETERS] = {R, TUBE_RADIUS};
  const ts_shape shape = {.kind = TS_SHAPE_OWN, .own = ts_extensions_shape(extensions, "torus"), .parameters = values};
  ts_mass_properties m;
  assert_int_equal(ts_shape_mass_properties(&shape, &m, NULL), TS_OK);
  enum { SLICES = 200000 };
  double volume = 0.0, about = 0.0, heights = 0.0;
  for (int i = 0; i < SLICES; ++i) {
    const double angle = TS_PI * (i + 0.5) / SLICES, z = TUBE_RADIUS * cos(angle);
    const double half = TUBE_RADIUS * sin(angle), dz = half * TS_PI / SLICES; // z = r cos: smooth at the ends
    const double out = R + half, in = R - half, area = TS_PI * (out * out - in * in);
    volume += area * dz;
    about += 0.5 * TS_PI * (pow(out, 4.0) - pow(in, 4.0)) * dz;
    heights += area * z * z * dz;
  }
  assert_near(m.volume, volume, 1e-9 * volume);
  assert_near(m.inertia[2], about, 1e-9 * about);
  assert_near(m.inertia[0], 0.5 * about + heights, 1e-9 * about);
  assert_near(m.inertia[1], 0.5 * about + heights, 1e-9 * about);
  ts_extensions_destroy(extensions);
}

// ---- distances -----------------------------------------------------------------------------------------------------

static ts_shape torus_of(const ts_extensions *extensions, const double *values)
{
  return (ts_shape){.kind = TS_SHAPE_OWN, .own = ts_extensions_shape(extensions, "torus"), .parameters = values};
}

static const ts_pose HERE = {{0.0, 0.0, 0.0}, {1.0, 0.0, 0.0, 0.0}};

// The nearest of many points of the ring, less the tube: no closed form but for what a point is from the other shape.
static double brute_force(const ts_pose *pose, const ts_shape *other, const ts_pose *other_pose)
{
  enum { MANY = 20000 };
  double least = INFINITY;
  const ts_shape point = {.kind = TS_SHAPE_POINT};
  for (int i = 0; i < MANY; ++i) {
    const double angle = 2.0 * TS_PI * i / MANY;
    const ts_pose at = {ts_pose_apply(pose, ts_vec3_make(R * cos(angle), R * sin(angle), 0.0)), HERE.orientation};
    ts_separation s;
    assert_int_equal(ts_shape_distance(&point, &at, other, other_pose, &s, NULL), TS_OK);
    least = fmin(least, s.gap);
  }
  return least - TUBE_RADIUS;
}

static void distances_are_those_of_the_ring(void **state)
{
  (void)state;
  ts_extensions *extensions = set_with_torus();
  const double values[PARAMETERS] = {R, TUBE_RADIUS};
  const ts_shape torus = torus_of(extensions, values);
  const ts_shape others[] = {{.kind = TS_SHAPE_PLANE, .normal = {0.36, 0.48, 0.8}, .offset = -1.5},
                             {.kind = TS_SHAPE_SPHERE, .radius = 0.25},
                             {.kind = TS_SHAPE_BOX, .size = {0.4, 0.6, 0.3}},
                             {.kind = TS_SHAPE_CAPSULE, .radius = 0.1, .length = 0.5},
                             {.kind = TS_SHAPE_CYLINDER, .radius = 0.2, .length = 0.3},
                             {.kind = TS_SHAPE_CONE, .radius = 0.2, .length = 0.3},
                             {.kind = TS_SHAPE_ELLIPSOID, .size = {0.2, 0.3, 0.4}}};
  for (size_t i = 0; i < sizeof others / sizeof others[0]; ++i)
    for (int k = 0; k < 3; ++k) {
      const ts_pose pose = {{1.0, 2.0, 3.0}, ts_quat_exp(ts_vec3_make(0.3 + k, -0.7 * k, 0.5))};
      const ts_pose other = {{1.1 + 0.4 * k, 2.2, 3.0 + 0.5 * (1 - k)}, ts_quat_exp(ts_vec3_make(-0.4, 0.2 * k, 0.9))};
      ts_separation s, back;
      ts_error error = {0};
      if (ts_shape_distance(&torus, &pose, &others[i], &other, &s, &error) != TS_OK) fail_msg("%s", error.text);
      assert_near(s.gap, brute_force(&pose, &others[i], &other), 1e-7);
      assert_near(ts_length(s.normal), 1.0, 1e-12);
      assert_true(ts_distance_of(s.point_1, ts_add_scaled(s.point_2, s.gap, s.normal)) < 1e-12);
      // the point lies on the torus
      const ts_vec3 p = ts_quat_rotate(ts_quat_conjugate(pose.orientation), ts_sub(s.point_1, pose.position));
      assert_near(hypot(hypot(p.x, p.y) - R, p.z), TUBE_RADIUS, 1e-12);
      assert_int_equal(ts_shape_distance(&others[i], &other, &torus, &pose, &back, NULL), TS_OK);
      assert_true(back.gap == s.gap && ts_distance_of(back.normal, ts_negate(s.normal)) < 1e-15);
    }
  ts_extensions_destroy(extensions);
}

// ---- at rest -------------------------------------------------------------------------------------------------------

// Sum of the forces on a body [N].
static ts_vec3 force_on(const world *w, int body)
{
  int count;
  ts_vec3 sum_of_all = {0.0, 0.0, 0.0};
  const ts_contact *contacts = ts_sim_contacts(w->sim, &count);
  const double h = ts_sim_options(w->sim)->size;
  for (int i = 0; i < count; ++i) {
    const ts_wrench wrench = ts_sim_contact_wrench(w->sim, i);
    if (contacts[i].body_1 == body) sum_of_all = ts_add_scaled(sum_of_all, 1.0 / h, wrench.force);
    if (contacts[i].body_2 == body) sum_of_all = ts_add_scaled(sum_of_all, -1.0 / h, wrench.force);
  }
  return sum_of_all;
}

static void a_ring_lies_on_its_tube(void **state)
{
  (void)state;
  world w = world_of(FLOOR "- {name: ring, " TORUS ", position: [0.2, 0.1, 0.1]}\n", "step: {size: 1e-3}\n");
  run(&w, 500);
  int count;
  ts_sim_contacts(w.sim, &count);
  assert_int_equal(count, 8);
  assert_near(force_on(&w, 1).z, mass_of_torus() * G, 1e-6 * mass_of_torus() * G);
  const ts_pose pose = ts_sim_pose(w.sim, 1);
  assert_near(pose.position.z, TUBE_RADIUS, 1e-9);
  assert_near(ts_length(ts_sub(pose.position, ts_vec3_make(0.2, 0.1, 0.1))), 0.0, 1e-9);
  assert_near(fabs(pose.orientation.w), 1.0, 1e-12);
  close_world(&w);
}

// On a box that is no half-space, and one on the other.
static void rings_are_stacked(void **state)
{
  (void)state;
  world w = world_of("- {name: table, kind: fixed, shape: {box: {size: [2, 2, 0.4]}}, position: [0, 0, -0.2]}\n"
                     "- {name: lower, " TORUS ", position: [0, 0, 0.1]}\n"
                     "- {name: upper, " TORUS ", position: [0, 0, 0.3]}\n",
                     "step: {size: 1e-3}\n");
  run(&w, 300);
  const double weight = mass_of_torus() * G;
  assert_near(ts_sim_pose(w.sim, 1).position.z, TUBE_RADIUS, 1e-8);
  assert_near(ts_sim_pose(w.sim, 2).position.z, 3.0 * TUBE_RADIUS, 1e-8);
  assert_near(force_on(&w, 1).z, weight, 1e-6 * weight);
  assert_near(force_on(&w, 2).z, weight, 1e-6 * weight);
  close_world(&w);
}

// The ball touches the ring all around: normals differ from touch to touch, and lean by sin = R/(r + b).
static void a_ball_rests_in_the_hole(void **state)
{
  (void)state;
  const double b = 0.25, height = sqrt((TUBE_RADIUS + b) * (TUBE_RADIUS + b) - R * R), z = TUBE_RADIUS + height;
  char bodies[512];
  snprintf(bodies, sizeof bodies,
           "- {name: ring, kind: fixed, shape: {own: {type: torus}}, position: [0, 0, 0.1]}\n"
           "- {name: ball, mass: 2, shape: {sphere: {radius: 0.25}}, position: [0, 0, %.17g]}\n",
           z);
  world w = world_of(bodies, "contact: {friction: 0}\nstep: {size: 1e-3}\n");
  run(&w, 300);
  int count;
  double total = 0.0;
  const ts_contact *contacts = ts_sim_contacts(w.sim, &count);
  assert_int_equal(count, 8);
  for (int i = 0; i < count; ++i) {
    assert_near(contacts[i].normal.z, height / (TUBE_RADIUS + b), 1e-9);
    assert_near(ts_dot(contacts[i].normal, contacts[i].tangent), 0.0, 1e-12);
    total += contacts[i].impulse[0] / 1e-3;
  }
  assert_near(total, 2.0 * G * (TUBE_RADIUS + b) / height, 1e-5);
  assert_near(force_on(&w, 1).z, 2.0 * G, 1e-6);
  assert_near(ts_sim_pose(w.sim, 1).position.z, z, 1e-9);
  close_world(&w);
}

// A link in a hook: the circles are two tubes apart where they touch.
static void a_link_hangs(void **state)
{
  (void)state;
  world w = world_of("- {name: hook, kind: fixed, shape: {own: {type: torus}}, orientation: {axis: [1, 0, 0], angle: "
                     "1.5707963267948966}}\n"
                     "- {name: link, " TORUS ", position: [0, 0, -0.39], orientation: {axis: [0, 1, 0], angle: "
                     "1.5707963267948966}}\n",
                     "step: {size: 1e-3}\n");
  run(&w, 1000);
  assert_near(ts_sim_pose(w.sim, 1).position.z, -2.0 * R + 2.0 * TUBE_RADIUS, 1e-7);
  assert_near(force_on(&w, 1).z, mass_of_torus() * G, 1e-6 * mass_of_torus() * G);
  close_world(&w);
}

// ---- in motion -----------------------------------------------------------------------------------------------------

#define STANDS "position: [0, 0, 0.4], orientation: {axis: [1, 0, 0], angle: -1.5707963267948966}"

static double energy_of(const world *w)
{
  return ts_sim_report(w->sim)->kinetic_energy + ts_sim_report(w->sim)->potential_energy;
}

static void a_hoop_rolls_on(void **state)
{
  (void)state;
  world w =
      world_of(FLOOR "- {name: hoop, " TORUS ", " STANDS ", velocity: [1, 0, 0], angular_velocity: [0, 2.5, 0]}\n",
               "contact: {friction: 0.5}\nstep: {size: 1e-3}\n");
  const double k2 = R * R + 0.75 * TUBE_RADIUS * TUBE_RADIUS, rho = R + TUBE_RADIUS, mass = mass_of_torus();
  run(&w, 1000);
  assert_near(ts_sim_pose(w.sim, 1).position.x, 1.0, 1e-6);
  assert_near(ts_sim_velocity(w.sim, 1).linear.x, 1.0, 1e-6);
  assert_near(ts_sim_velocity(w.sim, 1).angular.y, 1.0 / rho, 1e-6);
  const double kinetic = 0.5 * mass * (1.0 + k2 / (rho * rho));
  assert_near(ts_sim_report(w.sim)->kinetic_energy, kinetic, 1e-6 * kinetic);
  close_world(&w);
}

// Down a slope of 10 degrees: a = g sin/(1 + k^2/rho^2), friction m a k^2/rho^2. Steps are exact in v.
static void a_hoop_rolls_down(void **state)
{
  (void)state;
  const double slope = 10.0 * TS_PI / 180.0, rho = R + TUBE_RADIUS;
  const double share = (R * R + 0.75 * TUBE_RADIUS * TUBE_RADIUS) / (rho * rho);
  char rest[256];
  snprintf(rest, sizeof rest, "gravity: [%.17g, 0, %.17g]\ncontact: {friction: 0.5}\nstep: {size: 1e-3}\n",
           G * sin(slope), -G * cos(slope));
  world w = world_of(FLOOR "- {name: hoop, " TORUS ", " STANDS "}\n", rest);
  run(&w, 1);
  const double at_first = energy_of(&w), a = G * sin(slope) / (1.0 + share);
  run(&w, 999);
  assert_near(ts_sim_velocity(w.sim, 1).linear.x, a, 1e-6 * a);
  assert_near(ts_sim_velocity(w.sim, 1).angular.y, a / rho, 1e-6 * a / rho);
  assert_near(force_on(&w, 1).x, -mass_of_torus() * a * share, 1e-5 * mass_of_torus() * a);
  assert_near(energy_of(&w), at_first, 2e-3 * ts_sim_report(w.sim)->kinetic_energy); // h a/v of it
  close_world(&w);
}

static void what_stands_askew_falls_over(void **state)
{
  (void)state;
  world w = world_of(FLOOR "- {name: ring, " TORUS
                           ", position: [0, 0, 0.395], orientation: {axis: [1, 0, 0], angle: -1.3}}\n",
                     "contact: {friction: 0.5}\nstep: {size: 1e-3}\n");
  run(&w, 4000);
  const ts_pose pose = ts_sim_pose(w.sim, 1);
  assert_near(pose.position.z, TUBE_RADIUS, 1e-6);
  assert_near(fabs(ts_quat_rotate(pose.orientation, ts_vec3_make(0.0, 0.0, 1.0)).z), 1.0, 1e-9);
  assert_true(ts_length(ts_sim_velocity(w.sim, 1).angular) < 1e-6);
  close_world(&w);
}

// What flies through the hole touches nothing; what would have to jump over the ring in a step is stopped by it.
static void a_hole_is_a_hole(void **state)
{
  (void)state;
  world w = world_of("- {name: ring, kind: fixed, shape: {own: {type: torus}}}\n"
                     "- {name: pea, mass: 1, shape: {sphere: {radius: 0.05}}, position: [0, 0, 1], "
                     "velocity: [0, 0, -20]}\n",
                     "gravity: [0, 0, 0]\nstep: {size: 1e-3}\n");
  run(&w, 100);
  assert_near(ts_sim_pose(w.sim, 1).position.z, -1.0, 1e-12);
  close_world(&w);
  w = world_of("- {name: ring, kind: fixed, shape: {own: {type: torus}}}\n"
               "- {name: pea, mass: 1, shape: {sphere: {radius: 0.05}}, position: [0.3, 0, 0.5], "
               "velocity: [0, 0, -200]}\n",
               "step: {size: 1e-2}\n");
  run(&w, 1);
  assert_true(ts_sim_pose(w.sim, 1).position.z > 0.0);
  close_world(&w);
}

int main(void)
{
  const struct CMUnitTest tests[] = {
      cmocka_unit_test(mass_is_the_integral),
      cmocka_unit_test(distances_are_those_of_the_ring),
      cmocka_unit_test(a_ring_lies_on_its_tube),
      cmocka_unit_test(rings_are_stacked),
      cmocka_unit_test(a_ball_rests_in_the_hole),
      cmocka_unit_test(a_link_hangs),
      cmocka_unit_test(a_hoop_rolls_on),
      cmocka_unit_test(a_hoop_rolls_down),
      cmocka_unit_test(what_stands_askew_falls_over),
      cmocka_unit_test(a_hole_is_a_hole),
  };
  return cmocka_run_group_tests(tests, NULL, NULL);
}
