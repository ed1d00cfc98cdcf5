// The implicit stepper where edges meet (003 Fig. 5): crossing ones have one normal; of parallel ones, which touch
// along a line, any between the faces will do, and none of them is preferred. Distances are those of the public query.
#include "touchstone/shape.h"

#include "world.h"

#include <math.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <cmocka.h>

#include "near.h"

static const double G = 9.81, EDGE = 0.4, DEEPEST = 1e-8; // of the cube [m]; overlap over it
enum { BEAM, CUBE };

// A beam with an edge up, along x at height 0, and a cube with an edge down over it, turned by `yaw` about the
// vertical: 0 is along the beam's. `at` is where the lower edge's middle is.
typedef struct meeting {
  world w;
  ts_shape beam, cube;
  ts_pose beam_pose;
} meeting;

static ts_quat turn(double x, double z)
{
  return ts_quat_product(ts_quat_exp((ts_vec3){0.0, 0.0, z}), ts_quat_exp((ts_vec3){x, 0.0, 0.0}));
}

static meeting meet(double yaw, ts_vec3 at, double friction, double h)
{
  meeting m = {.beam = shape_box(3.0, 1.0, 1.0), .cube = shape_box(EDGE, EDGE, EDGE)};
  world_init(&m.w, TS_SPACE_3D);
  m.w.options.method = ts_stepper_find("implicit");
  m.w.options.size = h;
  m.w.options.tolerance = 1e-10;
  world_friction(&m.w, friction, 0.0);
  m.beam_pose = (ts_pose){{0.0, 0.0, -sqrt(0.5)}, turn(0.25 * TS_PI, 0.0)};
  ts_body_def def = ts_body_def_default();
  def.name = "beam";
  def.kind = TS_FIXED;
  def.pose = m.beam_pose;
  assert_int_equal(world_add_def(&m.w, &def, m.beam), BEAM);
  def.name = "cube";
  def.kind = TS_DYNAMIC;
  def.mass = 2.0;
  def.pose = (ts_pose){{at.x, at.y, at.z + EDGE * sqrt(0.5)}, turn(0.25 * TS_PI, yaw)};
  assert_int_equal(world_add_def(&m.w, &def, m.cube), CUBE);
  world_start(&m.w);
  return m;
}

static double gap_of(const meeting *m)
{
  const ts_pose pose = ts_sim_pose(m->w.sim, CUBE);
  ts_separation separation;
  ts_error error;
  assert_int_equal(ts_shape_distance(&m->cube, &pose, &m->beam, &m->beam_pose, &separation, &error), TS_OK);
  return separation.gap;
}

static const ts_contact *only_contact(const world *w)
{
  int count;
  const ts_contact *contacts = ts_sim_contacts(w->sim, &count);
  assert_int_equal(count, 1);
  return contacts;
}

// ---- crossing ------------------------------------------------------------------------------------------------------

// Fig. 5d: the normal is across both edges. Over the crossing the cube balances, and weighs what it weighs.
static void crossing_edges_bear_the_weight(void **state)
{
  (void)state;
  const double h = 0.005;
  for (int k = 1; k <= 6; ++k) {
    meeting m = meet(k * TS_PI / 12.0, (ts_vec3){0.3, 0.0, 0.0}, 0.5, h);
    for (int i = 0; i < 20; ++i) {
      world_step(&m.w);
      const ts_contact *c = only_contact(&m.w);
      assert_int_equal(c->patch, 0);
      assert_vec_near(c->normal, ((ts_vec3){0.0, 0.0, 1.0}), 1e-9);
      assert_vec_near(c->point, ((ts_vec3){0.3, 0.0, 0.0}), 1e-9);
      assert_near(c->impulse[0], 2.0 * G * h, 1e-8);
      assert_true(gap_of(&m) > -DEEPEST * EDGE);
    }
    world_release(&m.w);
  }
}

// Beside its middle it tips: without friction it begins with m g / (1 + m d^2 / I) on its edge, I = m EDGE^2 / 6.
static void crossing_edges_tip_beside_the_middle(void **state)
{
  (void)state;
  const double d = 0.1, expected = 2.0 * G / (1.0 + 6.0 * d * d / (EDGE * EDGE));
  double before = 0.0;
  for (int k = 0; k < 3; ++k) {
    const double h = 2e-3 / (1 << k);
    meeting m = meet(0.5 * TS_PI, (ts_vec3){0.0, d, 0.0}, 0.0, h);
    world_step(&m.w);
    const double force = only_contact(&m.w)->impulse[0] / h, error = fabs(force / expected - 1.0);
    print_message("h = %g: %.9g N, error %.2e\n", h, force, error);
    assert_true(error < 1e-3);
    if (k > 0) assert_true(error < 0.6 * before + 1e-9);
    before = error;
    world_release(&m.w);
  }
}

// ---- parallel ------------------------------------------------------------------------------------------------------

// Fig. 5e: the contact is a line, its normal lies across it and between the normals of the faces, 45 degrees from the
// vertical at most, and the cube does not go through.
static void parallel_edges_touch_along_a_line(void **state)
{
  (void)state;
  meeting m = meet(0.0, (ts_vec3){0.3, 0.0, 0.0}, 0.5, 0.005);
  world_step(&m.w);
  const ts_contact *c = only_contact(&m.w);
  print_message("normal (%g, %g, %g), patch %d, p_n %g of %g\n", c->normal.x, c->normal.y, c->normal.z, c->patch,
                c->impulse[0], 2.0 * G * 0.005);
  assert_int_equal(c->patch, 1);
  assert_near(c->normal.x, 0.0, 1e-9);
  assert_true(c->normal.z > sqrt(0.5) - 1e-9);
  assert_near(c->point.x, 0.3, 1e-8); // the middle carries it
  assert_true(c->impulse[0] > 0.0);
  assert_true(gap_of(&m) > -DEEPEST * EDGE);
  world_release(&m.w);
}

// Edges that are parallel or nearly so, one over the other or nearly so, with a cube that rests, falls or is pushed
// aside. Steps are certified, and where they are not cut the bodies do not overlap.
typedef struct tally {
  int steps, cut, fell_back;
  double deepest;
} tally;

static void let_it_fall(double yaw, ts_vec3 at, ts_vec3 velocity, tally *t)
{
  meeting m = meet(yaw, at, 0.3, 0.005);
  world_move(&m.w, CUBE, velocity, (ts_vec3){0.0, 0.0, 0.0});
  for (int k = 0; k < 100; ++k) {
    world_step(&m.w);
    const ts_step_report *report = ts_sim_report(m.w.sim);
    ++t->steps;
    t->cut += report->substeps > 1;
    t->fell_back += report->fallbacks > 0;
    if (report->substeps == 1) t->deepest = fmax(t->deepest, -gap_of(&m) / EDGE);
  }
  world_release(&m.w);
}

static void nearly_parallel_edges_are_certified(void **state)
{
  (void)state;
  static const double small[] = {0.0, 1e-14, 1e-12, 1e-9, 1e-6, 1e-3, 0.03};
  static const ts_vec3 velocities[] = {{0.0, 0.0, 0.0}, {0.0, 0.05, -1.0}, {0.4, 0.0, -0.3}};
  tally t = {0};
  for (int y = 0; y < 7; ++y)
    for (int a = 0; a < 7; ++a)
      for (int v = 0; v < 3; ++v)
        let_it_fall(small[y], (ts_vec3){0.1, small[a], v == 0 ? 0.0 : 0.01}, velocities[v], &t);
  print_message("%d steps, %d cut, %d with a fall-back, deepest overlap %.1e of the edge\n", t.steps, t.cut,
                t.fell_back, t.deepest);
  assert_true(t.deepest < DEEPEST);
}

int main(void)
{
  const struct CMUnitTest tests[] = {
      cmocka_unit_test(crossing_edges_bear_the_weight), cmocka_unit_test(crossing_edges_tip_beside_the_middle),
      cmocka_unit_test(parallel_edges_touch_along_a_line), cmocka_unit_test(nearly_parallel_edges_are_certified)};
  return cmocka_run_group_tests(tests, NULL, NULL);
}
