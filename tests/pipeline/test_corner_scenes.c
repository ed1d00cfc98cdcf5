// Rules for corners in the scenes of the thesis, Figs. 3.1 and 4.8, and their like in space. References: the steps'
// own closed form x = -0.6 + 1 - mu g h^2 n (n+1)/2, and numbers of an independent program.
#include "scene_run.h"
#include "world.h"

#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdio.h>
#include <string.h>
#include <cmocka.h>
#include <math.h>

// ---- a block over a hole -------------------------------------------------------------------------------------------

static ts_vec3 block_at_end(const char *corners, double h, double friction)
{
  char rule[64], size[64], law[64];
  snprintf(rule, sizeof rule, "step.corners=%s", corners);
  snprintf(size, sizeof size, "step.size=%g", h);
  snprintf(law, sizeof law, "contact.friction=%g", friction);
  const char *const overrides[] = {rule, size, law};
  scene_run r = scene_run_start(EXAMPLES "/corners/hole.yaml", overrides, 3);
  scene_run_to(&r, 1.0);
  const ts_vec3 at = scene_run_position(&r, "block");
  scene_run_end(&r);
  return at;
}

static void block_passes_the_corner(void **state)
{
  static const char *const rules[] = {"nearest", "exact"};
  static const double sizes[] = {0.01, 0.002}, frictions[] = {0.0, 0.1};
  (void)state;
  for (int rule = 0; rule < 2; ++rule)
    for (int i = 0; i < 2; ++i)
      for (int k = 0; k < 2; ++k) {
        const double h = sizes[i], n = round(1.0 / h), mu = frictions[k];
        const ts_vec3 at = block_at_end(rules[rule], h, mu);
        assert_true(fabs(at.x - (0.4 - mu * 9.81 * h * h * n * (n + 1.0) / 2.0)) < 1e-11);
        assert_true(fabs(at.y - 0.2) < 1e-12);
      }
}

static void conjunction_throws_the_block_back(void **state)
{
  (void)state;
  assert_true(fabs(block_at_end("conjunction", 0.01, 0.0).x + 0.2022) < 5e-5);
  assert_true(fabs(block_at_end("conjunction", 0.002, 0.0).x + 0.2056) < 5e-5);
}

// The same in space, 0.6 m wide.
static void add_prism(world *w, const char *name, const double (*profile)[2], int count)
{
  ts_vec3 vertices[16];
  for (int k = 0; k < 2 * count; ++k) vertices[k] = (ts_vec3){profile[k / 2][0], k % 2 ? 0.3 : -0.3, profile[k / 2][1]};
  ts_shape shape = shape_polygon(vertices, 2 * count);
  shape.kind = TS_SHAPE_POLYTOPE;
  world_add(w, name, TS_FIXED, 0.0, shape, (ts_vec3){0.0, 0.0, 0.0});
}

static void block_passes_the_corner_in_space(void **state)
{
  static const double near[][2] = {{-3, 0}, {-3, -1}, {0, -1}, {0, 0}};
  static const double far[][2] = {{0.4, 0}, {0.1, -0.3}, {0.1, -1}, {3, -1}, {3, 0}};
  (void)state;
  world w;
  world_init(&w, TS_SPACE_3D);
  world_friction(&w, 0.1, 0.0);
  add_prism(&w, "near side", near, 4);
  add_prism(&w, "far side", far, 5);
  const int block = world_add(&w, "block", TS_DYNAMIC, 1.0, shape_box(1.0, 0.4, 0.4), (ts_vec3){-0.6, 0.0, 0.2});
  w.options.size = 0.01;
  w.options.corners = TS_CORNERS_EXACT;
  w.options.tolerance = 1e-11;
  world_start(&w);
  world_move(&w, block, (ts_vec3){1.0, 0.0, 0.0}, (ts_vec3){0.0, 0.0, 0.0});
  world_steps(&w, 100);
  const ts_vec3 at = ts_sim_pose(w.sim, block).position;
  assert_true(fabs(at.x + 0.095405) < 1e-9);
  assert_true(fabs(at.y) < 1e-9 && fabs(at.z - 0.2) < 1e-9);
  world_release(&w);
}

// ---- a fingertip on a polygon --------------------------------------------------------------------------------------

enum { MOST_SIDES = 64 };

static double outside(ts_vec3 x, int sides)
{
  const double turn = TS_PI / sides;
  double most = -INFINITY;
  for (int k = 0; k < sides; ++k)
    most = fmax(most, x.x * cos((2 * k + 1) * turn) + x.y * sin((2 * k + 1) * turn) - cos(turn));
  return most;
}

static int start_tip(world *w, int sides, ts_corners_rule rule)
{
  ts_vec3 vertices[MOST_SIDES];
  const double turn = 2.0 * TS_PI / sides;
  for (int k = 0; k < sides; ++k) vertices[k] = (ts_vec3){cos(turn * k), sin(turn * k), 0.0};
  world_init(w, TS_SPACE_2D);
  ts_builder_set_gravity(w->builder, (ts_vec3){0.0, 0.0, 0.0});
  world_friction(w, 0.2, 0.0);
  world_add(w, "part", TS_FIXED, 0.0, shape_polygon(vertices, sides), (ts_vec3){0.0, 0.0, 0.0});
  ts_body_def def = ts_body_def_default();
  def.name = "tip";
  def.kind = TS_DYNAMIC;
  def.mass = 1.0;
  def.inertia[2] = 1.0;
  def.pose.position = (ts_vec3){1.05, 0.35, 0.0};
  const int tip = world_add_def(w, &def, (ts_shape){.kind = TS_SHAPE_POINT});
  world_force(w, tip, (ts_vec3){-20.0, -3.0, 0.0}, (ts_vec3){0.0, 0.0, 0.0});
  w->options.size = 0.01;
  w->options.margin = 0.2;
  w->options.corners = rule;
  w->options.tolerance = 1e-12;
  world_start(w);
  return tip;
}

// A contact that pushes has its point on the part, and its normal is that of a side that the point is on.
static void check_pushes(const world *w, ts_vec3 x, int sides)
{
  int count;
  const ts_contact *contacts = ts_sim_contacts(w->sim, &count);
  for (int k = 0; k < count; ++k) {
    if (contacts[k].impulse[0] <= 1e-12) continue;
    assert_true(fabs(outside(x, sides)) < 1e-15);
    assert_true(fabs(ts_dot(contacts[k].normal, x) - cos(TS_PI / sides)) < 1e-15);
  }
}

static void tip_sticks_where_it_touches(void **state)
{
  static const struct {
    int sides;
    double x, y;
  } cases[] = {{16, 0.93390, 0.33229}, {64, 0.94140, 0.33371}};
  (void)state;
  for (int c = 0; c < 2; ++c) {
    world w;
    const int tip = start_tip(&w, cases[c].sides, TS_CORNERS_EXACT);
    bool touched = false;
    for (int k = 0; k < 100; ++k) {
      world_step(&w);
      const ts_vec3 x = ts_sim_pose(w.sim, tip).position;
      touched = touched || ts_sim_report(w.sim)->contact_work != 0.0;
      if (touched) assert_true(fabs(outside(x, cases[c].sides)) < 2.3e-16); // an ulp of 1
      check_pushes(&w, x, cases[c].sides);
    }
    const ts_vec3 x = ts_sim_pose(w.sim, tip).position;
    assert_true(touched && fabs(x.x - cases[c].x) < 1e-5 && fabs(x.y - cases[c].y) < 1e-5);
    world_release(&w);
  }
}

static void conjunction_never_touches(void **state)
{
  (void)state;
  for (int sides = 16; sides <= 64; sides += 48) {
    world w;
    const int tip = start_tip(&w, sides, TS_CORNERS_CONJUNCTION);
    for (int k = 0; k < 100; ++k) {
      world_step(&w);
      assert_true(outside(ts_sim_pose(w.sim, tip).position, sides) > 1.5e-5);
    }
    world_release(&w);
  }
}

int main(void)
{
  const struct CMUnitTest tests[] = {
      cmocka_unit_test(block_passes_the_corner),          cmocka_unit_test(conjunction_throws_the_block_back),
      cmocka_unit_test(block_passes_the_corner_in_space), cmocka_unit_test(tip_sticks_where_it_touches),
      cmocka_unit_test(conjunction_never_touches),
  };
  return cmocka_run_group_tests(tests, NULL, NULL);
}
