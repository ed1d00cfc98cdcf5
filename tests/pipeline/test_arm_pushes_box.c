// The example of robot, controller and object in one file: where kinematics, statics and Coulomb put the box.
#include "touchstone/sim.h"
#include "touchstone/urdf.h"

#include "math/vec3.h"

#include <stdarg.h>
#include <stddef.h>
#include <setjmp.h>
#include <stdint.h>
#include <cmocka.h>
#include <math.h>
#include <stdio.h>
#include <string.h>

#include "near.h"

static const double L = 0.4, K = 2000.0, MU = 0.4, M = 1.0, G = 9.81; // links, servos, the box and what it lies on
static const double FIRST = 1.2, LAST = 0.6, START = 0.25, END = 2.25;
static const double PLATE = 0.01, BOX = 0.05; // half their thickness

typedef struct push {
  ts_scene *scene;
  ts_sim *sim;
  int joints[3]; // shoulder, elbow, wrist
  int box, plate;
  double contact_work, drive_work; // so far
} push;

static int joint_of(const ts_model *model, const char *name)
{
  for (int i = 0; i < ts_model_joint_count(model); ++i)
    if (strcmp(ts_model_joint(model, i).name, name) == 0) return i;
  fail_msg("no joint '%s'", name);
  return -1;
}

static push begin(const char *coordinates)
{
  push p = {0};
  ts_error error;
  const char *const overrides[] = {coordinates};
  if (ts_scene_read(EXAMPLES "/arm_pushes_box/push.yaml", overrides, 1, &p.scene, &error) != TS_OK)
    fail_msg("%d:%d: %s", error.line, error.column, error.text);
  const ts_model *model = ts_scene_model(p.scene);
  if (ts_sim_create(model, ts_scene_options(p.scene), NULL, &p.sim, &error) != TS_OK) fail_msg("%s", error.text);
  p.joints[0] = joint_of(model, "shoulder");
  p.joints[1] = joint_of(model, "elbow");
  p.joints[2] = joint_of(model, "wrist");
  p.box = ts_model_find_body(model, "box");
  p.plate = ts_model_find_body(model, "plate");
  return p;
}

static void end(push *p)
{
  ts_sim_destroy(p->sim);
  ts_scene_destroy(p->scene);
}

static void run_to(push *p, double t)
{
  while (ts_sim_time(p->sim) < t - 1e-6) {
    ts_error error;
    if (ts_sim_step(p->sim, &error) != TS_OK) fail_msg("%s", error.text);
    const ts_step_report *report = ts_sim_report(p->sim);
    if (!report->certified) fail_msg("the step to %g s is not certified", ts_sim_time(p->sim));
    p->contact_work += report->contact_work;
    p->drive_work += report->drive_work;
  }
}

// The smooth ramp that the targets follow, here of half the elbow's angle.
static double half_angle(double t)
{
  const double s = fmin(fmax((t - START) / (END - START), 0.0), 1.0);
  return FIRST + (LAST - FIRST) * s * s * s * (10.0 - 15.0 * s + 6.0 * s * s);
}

static double x_of(const push *p, int body)
{
  return ts_sim_pose(p->sim, body).position.x;
}

// What the box does to the plate: a force along x [N], and a torque about an upright axis [N m].
typedef struct push_back {
  double force, torque;
} push_back;

static push_back find_push_back(const push *p, ts_vec3 axis_point)
{
  const double h = ts_sim_options(p->sim)->size;
  int count;
  const ts_contact *contacts = ts_sim_contacts(p->sim, &count);
  push_back sum = {0.0, 0.0};
  for (int i = 0; i < count; ++i) {
    const ts_contact *c = &contacts[i];
    const bool first = c->body_1 == p->plate && c->body_2 == p->box;
    if (!first && !(c->body_2 == p->plate && c->body_1 == p->box)) continue;
    assert_near(c->friction, 0.0, 0.0); // polished
    const ts_vec3 force = ts_scale((first ? 1.0 : -1.0) * c->impulse[0] / h, c->normal);
    sum.force += force.x;
    sum.torque += ts_cross(ts_sub(c->point, axis_point), force).z;
  }
  return sum;
}

// Servos are springs: at rest each gives way by torque/K.
static void check_statics(const push *p)
{
  static const double targets[] = {0.6, -1.2, 0.6};
  for (int i = 0; i < 3; ++i) {
    double rate;
    const double q = ts_sim_joint_position(p->sim, p->joints[i], &rate);
    assert_near(K * (targets[i] - q), -find_push_back(p, ts_sim_joint(p->sim, p->joints[i]).point[0]).torque, 1e-6);
    assert_near(rate, 0.0, 1e-9);
  }
}

static void check(const char *coordinates)
{
  push p = begin(coordinates);
  assert_near(x_of(&p, p.plate), 2.0 * L * cos(FIRST), 1e-12);
  run_to(&p, 0.7);
  assert_near(x_of(&p, p.box), 0.4, 1e-12); // not yet
  assert_near(x_of(&p, p.plate), 2.0 * L * cos(half_angle(0.7)), 1e-4);
  run_to(&p, 1.5);
  const double from = x_of(&p, p.box), work = p.contact_work, speed = ts_sim_velocity(p.sim, p.box).linear.x;
  assert_near(from, x_of(&p, p.plate) + PLATE + BOX, 1e-5);
  assert_near(from, 2.0 * L * cos(half_angle(1.5)) + PLATE + BOX, 1e-3);
  run_to(&p, 3.5);

  // The box has come to rest a little before friction needed all it has. By the force F that is left the elbow gives
  // way by F L sin(q)/K, and with it the plate by L sin(q) times that.
  const double force = -find_push_back(&p, (ts_vec3){0.0, 0.0, 0.0}).force, arm = L * sin(LAST);
  assert_true(force <= MU * M * G + 1e-9 && force > 0.95 * MU * M * G);
  assert_near(x_of(&p, p.box), 2.0 * L * cos(LAST) + PLATE + BOX - force * arm * arm / K, 2e-6);
  assert_near(ts_sim_pose(p.sim, p.box).position.y, 0.0, 3e-4);
  assert_near(ts_sim_pose(p.sim, p.box).position.z, BOX, 1e-9);
  check_statics(&p);

  // What friction takes on the way is what motors gave.
  // Works are on the mean velocity of a step, ways on the one at its end.
  const double way = x_of(&p, p.box) - from + 0.5 * speed * ts_sim_options(p.sim)->size;
  assert_near(p.contact_work - work, -MU * M * G * way, 2e-6);
  assert_near(p.contact_work + p.drive_work, 0.0, 1e-4);
  end(&p);
}

static void the_box_goes_where_the_arm_pushes_it(void **state)
{
  (void)state;
  check("step.coordinates=minimal");
}

static void redundant_coordinates_push_it_there_too(void **state)
{
  (void)state;
  check("step.coordinates=redundant");
}

int main(void)
{
  const struct CMUnitTest tests[] = {
      cmocka_unit_test(the_box_goes_where_the_arm_pushes_it),
      cmocka_unit_test(redundant_coordinates_push_it_there_too),
  };
  return cmocka_run_group_tests(tests, NULL, NULL);
}
