// The velocity stepper with theta 0.5, contacts at midstep and Newton's law is Moreau and Jean's scheme: it reproduces
// Siconos' trajectories (../shared/data/siconos_ref, whose README states rules and parameters).
#include "number_table.h"
#include "shared_data.h"
#include "world.h"

#include <stdarg.h>
#include <stddef.h>
#include <setjmp.h>
#include <cmocka.h>
#include <stdio.h>

static void moreau_jean(world *w, double h)
{
  w->options.method = ts_stepper_find("velocity");
  w->options.size = h;
  w->options.theta = 0.5;
  w->options.activate = TS_ACTIVATE_MIDPOINT;
  w->options.impacts = TS_IMPACT_NEWTON;
  w->options.tolerance = 1e-12; // ten beads at rest on each other: 1e-13 of their data is round-off
}

static number_table reference(const char *name)
{
  char path[512];
  number_table table;
  snprintf(path, sizeof path, "%s/data/siconos_ref/%s.ref", SHARED_DATA, name);
  if (!number_table_read_ref(path, &table)) fail_msg("%s cannot be read", path);
  return table;
}

static double worst(double so_far, double a, double b)
{
  return fmax(so_far, fabs(a - b));
}

static void bouncing_ball(void **state)
{
  (void)state;
  number_table table = reference("BouncingBallTS");
  world w;
  world_init(&w, TS_SPACE_3D);
  world_friction(&w, 0.0, 0.9);
  world_floor(&w);
  ts_body_def def = ts_body_def_default();
  def.name = "ball";
  def.kind = TS_DYNAMIC;
  def.mass = 1.0;
  def.rotates = false;
  def.pose.position.z = 1.0;
  const int ball = world_add_def(&w, &def, (ts_shape){.kind = TS_SHAPE_POINT});
  moreau_jean(&w, 0.005);
  world_start(&w);
  double error = 0.0;
  for (int k = 1; k < table.rows; ++k) {
    world_step(&w);
    error = worst(error, ts_sim_pose(w.sim, ball).position.z, number_table_at(&table, k, 1));
    error = worst(error, ts_sim_velocity(w.sim, ball).linear.z, number_table_at(&table, k, 2));
  }
  print_message("BouncingBallTS: largest difference %.2g\n", error);
  assert_true(error < 1e-11);
  world_release(&w);
  number_table_release(&table);
}

static void column_of_beads(void **state)
{
  (void)state;
  number_table table = reference("ColumnOfBeadsTS");
  world w;
  world_init(&w, TS_SPACE_3D);
  world_friction(&w, 0.0, 0.9);
  world_floor(&w);
  int bead[10];
  for (int i = 0; i < 10; ++i) {
    char name[16];
    snprintf(name, sizeof name, "bead%d", i);
    bead[i] = world_add(&w, name, TS_DYNAMIC, 1.0, shape_sphere(0.1), (ts_vec3){0.0, 0.0, 1.0 + 0.25 * i});
  }
  moreau_jean(&w, 5e-4);
  world_start(&w);
  double error = 0.0;
  for (int k = 1; k < table.rows; ++k) {
    world_step(&w);
    for (int i = 0; i < 10; ++i) {
      error = worst(error, ts_sim_pose(w.sim, bead[i]).position.z, number_table_at(&table, k, 1 + 2 * i));
      error = worst(error, ts_sim_velocity(w.sim, bead[i]).linear.z, number_table_at(&table, k, 2 + 2 * i));
    }
  }
  print_message("ColumnOfBeadsTS: largest difference %.2g\n", error);
  assert_true(error < 1e-11);
  world_release(&w);
  number_table_release(&table);
}

// A stick whose lower end alone touches the floor: a point on a body in the plane.
static void impacting_stick(void **state)
{
  (void)state;
  number_table table = reference("ImpactingStick");
  const double angle = 0.7853981633974483;
  world w;
  world_init(&w, TS_SPACE_2D);
  ts_builder_set_gravity(w.builder, (ts_vec3){0.0, -10.0, 0.0});
  world_friction(&w, 0.01, 1.0);
  world_floor(&w);
  ts_body_def def = ts_body_def_default();
  def.name = "stick";
  def.kind = TS_DYNAMIC;
  def.mass = 1.0;
  for (int k = 0; k < 6; ++k) def.inertia[k] = k == 2 ? 1.0 / 12.0 : 0.0;
  def.centre = (ts_vec3){0.0, 0.0, 0.0};
  def.pose.position = (ts_vec3){0.5 * sin(angle), 0.5 * cos(angle) + 0.01, 0.0};
  def.angle = angle;
  ts_error error_text;
  int stick, part;
  assert_int_equal(ts_builder_add_body(w.builder, &def, &stick, &error_text), TS_OK);
  ts_part_def end = ts_part_def_default();
  end.body = stick;
  end.shape.kind = TS_SHAPE_POINT;
  end.pose.position.y = -0.5;
  assert_int_equal(ts_builder_add_part(w.builder, &end, &part, &error_text), TS_OK);
  moreau_jean(&w, 1e-4);
  world_start(&w);
  world_move(&w, stick, (ts_vec3){-0.5, 0.1, 0.0}, (ts_vec3){0.0, 0.0, 0.1});
  double error = 0.0;
  for (int k = 1; k < table.rows; ++k) {
    world_step(&w);
    const ts_vec3 at = ts_sim_pose(w.sim, stick).position;
    const ts_twist v = ts_sim_velocity(w.sim, stick);
    const double own[6] = {at.x, at.y, ts_sim_angle(w.sim, stick), v.linear.x, v.linear.y, v.angular.z};
    for (int i = 0; i < 6; ++i) error = worst(error, own[i], number_table_at(&table, k, 1 + i));
  }
  print_message("ImpactingStick: largest difference %.2g\n", error);
  assert_true(error < 1e-11);
  world_release(&w);
  number_table_release(&table);
}

// A disc that spins and bounces with friction. Siconos has x upwards and y to the left.
static void ball_with_friction(void **state)
{
  (void)state;
  number_table table = reference("Ball2D_kernel_only_with_friction");
  world w;
  world_init(&w, TS_SPACE_2D);
  world_friction(&w, 0.1, 0.9);
  world_floor(&w);
  ts_body_def def = ts_body_def_default();
  def.name = "ball";
  def.kind = TS_DYNAMIC;
  def.mass = 1.0;
  for (int k = 0; k < 6; ++k) def.inertia[k] = k == 2 ? 0.1 : 0.0;
  def.pose.position.y = 1.0;
  const int ball = world_add_def(&w, &def, shape_disc(0.5));
  moreau_jean(&w, 0.005);
  w.options.activate = TS_ACTIVATE_END; // the rule of this file: gap + h u <= 0
  world_start(&w);
  world_move(&w, ball, (ts_vec3){0.0, 0.0, 0.0}, (ts_vec3){0.0, 0.0, 2.0});
  double error = 0.0;
  for (int k = 1; k < table.rows; ++k) {
    world_step(&w);
    const ts_vec3 at = ts_sim_pose(w.sim, ball).position;
    const ts_twist v = ts_sim_velocity(w.sim, ball);
    error = worst(error, at.y, number_table_at(&table, k, 1));
    error = worst(error, v.linear.y, number_table_at(&table, k, 2));
    error = worst(error, v.angular.z, number_table_at(&table, k, 3));
    error = worst(error, -at.x, number_table_at(&table, k, 6));
    error = worst(error, ts_sim_angle(w.sim, ball), number_table_at(&table, k, 7));
    error = worst(error, -v.linear.x, number_table_at(&table, k, 8));
  }
  print_message("Ball2D: largest difference %.2g\n", error);
  assert_true(error < 1e-11);
  world_release(&w);
  number_table_release(&table);
}

// Two balls on top of each other. Up to row 201, five impacts, this is the scheme with gap + h u <= 0. In row 202
// Siconos' global formulation takes a contact that this rule leaves open (gap 0.281 mm, u = -0.233 m/s, h = 1 ms); its
// own rule is not stated, and the runs part there.
static void two_bouncing_balls(void **state)
{
  (void)state;
  number_table table = reference("TwoBouncingBallTS-MoreauJeanGOSI");
  world w;
  world_init(&w, TS_SPACE_3D);
  world_friction(&w, 0.6, 0.95);
  world_add(&w, "floor", TS_FIXED, 0.0, shape_plane((ts_vec3){0.0, 0.0, 1.0}, -0.1), (ts_vec3){0.0, 0.0, 0.0});
  const int lower = world_add(&w, "lower", TS_DYNAMIC, 1.0, shape_sphere(0.1), (ts_vec3){0.0, 0.0, 0.1});
  const int upper = world_add(&w, "upper", TS_DYNAMIC, 2.0, shape_sphere(0.1), (ts_vec3){0.0, 0.0, 0.301});
  moreau_jean(&w, 0.001);
  w.options.activate = TS_ACTIVATE_END; // the rule of this file: gap + h u <= 0
  world_start(&w);
  double error = 0.0;
  for (int k = 1; k <= 201; ++k) {
    world_step(&w);
    error = worst(error, ts_sim_pose(w.sim, lower).position.z, number_table_at(&table, k, 1));
    error = worst(error, ts_sim_velocity(w.sim, lower).linear.z, number_table_at(&table, k, 2));
    error = worst(error, ts_sim_pose(w.sim, upper).position.z, number_table_at(&table, k, 5));
    error = worst(error, ts_sim_velocity(w.sim, upper).linear.z, number_table_at(&table, k, 6));
  }
  print_message("TwoBouncingBall: largest difference %.2g up to row 201\n", error);
  assert_true(error < 1e-11);
  world_release(&w);
  number_table_release(&table);
}

int main(void)
{
  const struct CMUnitTest tests[] = {
      cmocka_unit_test(bouncing_ball),      cmocka_unit_test(column_of_beads),    cmocka_unit_test(impacting_stick),
      cmocka_unit_test(ball_with_friction), cmocka_unit_test(two_bouncing_balls),
  };
  return run_shared_tests(tests, NULL, NULL);
}
