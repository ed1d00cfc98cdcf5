// The examples, shortened: their scenes and programs against closed forms and reference numbers.
#include "effort.h"
#include "command.h"
#include "scene_run.h"
#include "shared_data.h"
#include "whole_file.h"

#include "touchstone/urdf.h"

#include "math/vec3.h"

#include <math.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <cmocka.h>

static command_result result; // large

// ---- scenes ----

static void check_sphere(const char *cone, double rolls_from, double x, double y, double sideways)
{
  const char *const overrides[] = {cone};
  scene_run r = scene_run_start(EXAMPLES "/sphere/sphere.yaml", overrides, 1);
  const int ball = scene_run_body(&r, "ball");
  double began = 0.0, largest = 0.0;
  for (int k = 1; k <= 600; ++k) {
    scene_run_to(&r, 1e-3 * k);
    const ts_twist v = ts_sim_velocity(r.sim, ball);
    const bool rolls = hypot(v.linear.x - v.angular.y, v.linear.y + v.angular.x) < 1e-9;
    if (rolls && began == 0.0) began = 1e-3 * k;
    largest = fmax(largest, fabs(v.linear.y));
    if (rolls) assert_true(fabs(v.linear.x - 10.0 / 7.0) < 1e-10);
  }
  const ts_vec3 at = ts_sim_pose(r.sim, ball).position;
  assert_true(fabs(began - rolls_from) < 1e-9);
  assert_true(fabs(at.x - x) < 1e-6 && fabs(at.y - y) < 1e-6 && fabs(largest - sideways) < 1e-5);
  scene_run_end(&r);
}

// reference-numbers.md 1.
static void sphere(void **state)
{
  (void)state;
  check_sphere("step.cone=quadratic", 0.292, 0.940071, 0.0, 0.0);
  check_sphere("step.cone={polyhedral: {directions: 4, align: slip}}", 0.292, 0.940071, 0.0, 0.0);
  check_sphere("step.cone={polyhedral: {directions: 4, align: fixed, angle: 0}}", 0.292, 0.940071, 0.0, 0.0);
  check_sphere("step.cone={polyhedral: {directions: 4, align: fixed, angle: 0.39269908169872414}}", 0.381, 0.956254,
               -0.022517, 0.11815);
  check_sphere("step.cone={polyhedral: {directions: 4, align: fixed, angle: 0.7853981633974483}}", 0.412, 0.974539, 0.0,
               0.0);
}

static double rolling_energy(const scene_run *r)
{
  const ts_twist v = ts_sim_velocity(r->sim, scene_run_body(r, "disc"));
  return 0.5 * (v.linear.x * v.linear.x + v.linear.y * v.linear.y + 0.5 * v.angular.z * v.angular.z);
}

// reference-numbers.md 4 at 0.5, 1 and 2 s: another program's steps, in which landings depend on rounding.
static void polygon_disc(void **state)
{
  static const struct {
    const char *overrides[3];
    double energy[3], tolerance;
  } cases[] = {
      {{"n=50", "edge=0", "step.size=0.01"}, {5.9457, 5.2387, 4.0307}, 3e-2},
      {{"n=50", "edge=1", "step.size=0.01"}, {5.9314, 5.1974, 4.0414}, 3e-2},
      {{"n=100", "edge=0", "step.size=0.01"}, {6.3141, 5.8781, 5.0831}, 3e-2},
      {{"n=1000", "edge=0", "step.size=0.01"}, {6.3199, 5.9198, 5.1890}, 5e-3},
      {{"n=1000", "edge=0", "step.size=0.001"}, {6.7042, 6.6583, 6.5673}, 5e-3},
  };
  static const double times[] = {0.5, 1.0, 2.0};
  (void)state;
  for (size_t i = 0; i < sizeof cases / sizeof *cases; ++i) {
    scene_run r = scene_run_start(EXAMPLES "/polygon_disc/polygon.yaml", cases[i].overrides, 3);
    for (int k = 0; k < 3; ++k) {
      scene_run_to(&r, times[k]);
      const double energy = rolling_energy(&r), expected = cases[i].energy[k];
      if (fabs(energy - expected) > cases[i].tolerance * expected)
        fail_msg("%s, %s, %s: %g J at %g s instead of %g J", cases[i].overrides[0], cases[i].overrides[1],
                 cases[i].overrides[2], energy, times[k], expected);
    }
    scene_run_end(&r);
  }
}

// A true disc keeps its energy, however long the step.
static void disc_keeps_its_energy(void **state)
{
  const char *const overrides[] = {"disc.shape={disc: {radius: 1}}"};
  (void)state;
  scene_run r = scene_run_start(EXAMPLES "/polygon_disc/polygon.yaml", overrides, 1);
  scene_run_to(&r, 10.0);
  assert_true(fabs(rolling_energy(&r) - 6.75) < 1e-10);
  scene_run_end(&r);
}

static void check_standing(const char *path, const char *top)
{
  scene_run r = scene_run_start(path, NULL, 0);
  const ts_vec3 before = scene_run_position(&r, top);
  scene_run_to(&r, 0.5);
  const ts_vec3 after = scene_run_position(&r, top);
  assert_true(fabs(after.x - before.x) < 1e-9 && fabs(after.y - before.y) < 1e-9 && fabs(after.z - before.z) < 1e-9);
  scene_run_end(&r);
}

static void towers_stand(void **state)
{
  (void)state;
  check_standing(EXAMPLES "/tower/tower.yaml", "box9");
  check_standing(EXAMPLES "/tower/heavy_on_light.yaml", "heavy");
}

static void check_jack(const char *const *overrides, int count, double t, double rise, double tolerance)
{
  scene_run r = scene_run_start(EXAMPLES "/screw_jack/jack.yaml", overrides, count);
  const double before = scene_run_position(&r, "crate").z;
  scene_run_to(&r, t);
  assert_true(fabs(scene_run_position(&r, "crate").z - before - rise) < tolerance);
  assert_true(fabs(scene_run_position(&r, "crate").x - 0.14) < 1e-9);
  scene_run_end(&r);
}

// A spindle gets to 20 rad/s in 0.5 s, and its nut rises by 5 mm a radian: by 75 mm in 1 s, and before by 0.1 m/s^2
// times the square of the time. Steps of fixed length have the speed of their end, and are ahead by h/2 of it.
static void jack_lifts_its_crate(void **state)
{
  (void)state;
  const char *const overrides[] = {"step.method=event-driven", "step.size=0.01"};
  const double t = 0.01 * effort_share(10, 3);
  check_jack(NULL, 0, 1.0, 0.075 + 0.5e-3 * 0.1, 1e-6);
  check_jack(overrides, 2, t, 0.1 * t * t, 1e-9);
}

// Force of all contacts of a body with the cube.
static double grip_of(const scene_run *r, const char *finger)
{
  int count;
  double sum = 0.0;
  const int body = ts_model_find_body(ts_scene_model(r->scene), finger);
  const ts_contact *contacts = ts_sim_contacts(r->sim, &count);
  for (int i = 0; i < count; ++i)
    if (contacts[i].body_1 == body || contacts[i].body_2 == body)
      sum += contacts[i].impulse[0] / ts_sim_options(r->sim)->size;
  return sum;
}

// A torque of 0.2 N m at 0.01 m a radian, shared by two fingers.
static void gripper_centres_its_cube(void **state)
{
  (void)state;
  for (int k = 0; k < 2; ++k) {
    const char *const overrides[] = {k ? "step.coordinates=redundant" : "step.coordinates=minimal"};
    scene_run r = scene_run_start(EXAMPLES "/gripper/gripper.yaml", overrides, 1);
    scene_run_to(&r, 1.5);
    assert_true(fabs(scene_run_position(&r, "cube").x) < 1e-9);
    assert_true(fabs(scene_run_position(&r, "left").x + scene_run_position(&r, "right").x) < 1e-9);
    // first order in the step: the hand speeds up
    assert_true(fabs(scene_run_position(&r, "cube").z - 0.03 - 0.045) < 1e-4);
    assert_true(fabs(grip_of(&r, "left") - 10.0) < 1e-5 && fabs(grip_of(&r, "right") - 10.0) < 1e-5);
    scene_run_end(&r);
  }
}

// Twelve bodies stay between the walls and above the floor while the motor keeps its speed within its torque.
static void mixer(void **state)
{
  (void)state;
  const char *const overrides[] = {"count=12"};
  scene_run r = scene_run_start(EXAMPLES "/mixer/mixer.yaml", overrides, 1);
  scene_run_to(&r, 1.0);
  for (int i = 0; i < 12; ++i) {
    char name[16];
    snprintf(name, sizeof name, "body%d", i);
    const ts_vec3 at = scene_run_position(&r, name);
    assert_true(fabs(at.x) < 0.58 && fabs(at.y) < 0.58 && at.z > 0.02 && at.z < 0.5);
  }
  const ts_twist v = ts_sim_velocity(r.sim, scene_run_body(&r, "paddle"));
  assert_true(v.angular.z < 2.5 + 1e-6 && v.angular.z > 0.0);
  assert_true(fabs(v.angular.x) < 1e-9 && fabs(v.linear.z) < 1e-9);
  scene_run_end(&r);
}

// The pendulums of 000 and 001 at 1 s, both sorts of coordinates: tests/data/pendulum. Redundant ones are as near as
// the order of the steps allows after the impacts (reference-numbers.md 6.5).
static void pendulums(void **state)
{
  static const struct {
    const char *scene, *last;
    double y, z, redundant;
  } cases[] = {{EXAMPLES "/pendulum/pendulum.yaml", "link12", 0.870802309, 2.876372326, 5e-2},
               {EXAMPLES "/table_1/chain.yaml", "link3", -4.6518994, 2.3270536, 1e-3}};
  (void)state;
  for (int i = 0; i < 2; ++i)
    for (int c = 0; c < 2; ++c) {
      const char *const overrides[] = {c ? "step.coordinates=redundant" : "step.coordinates=minimal"};
      scene_run r = scene_run_start(cases[i].scene, overrides, 1);
      scene_run_to(&r, 1.0);
      const ts_vec3 at = scene_run_position(&r, cases[i].last);
      const double apart = hypot(at.y - cases[i].y, at.z - cases[i].z);
      if (apart > (c ? cases[i].redundant : 1e-6)) fail_msg("%s, %s: %g m away", cases[i].scene, overrides[0], apart);
      scene_run_end(&r);
    }
}

// ---- programs ----

static void need_program(const char *path)
{
  FILE *file = fopen(path, "rb");
  if (!file) {
    print_message("skipped: %s was not built\n", path);
    skip();
  }
  fclose(file);
}

// Status 2, nothing on standard output, and one line on standard error that holds `words`.
static void assert_refused(scratch_folder *folder, const char *program, const char *arguments, const char *words)
{
  command_run(folder, program, arguments, &result);
  if (result.status != 2 || !strstr(result.err, words))
    fail_msg("'%s': status %d, said '%s'", arguments, result.status, result.err);
  assert_string_equal(result.out, "");
  assert_ptr_equal(strchr(result.err, '\n'), result.err + strlen(result.err) - 1);
}

// Mean of a benchmark's measure over the first seconds; every step must be certified.
static double measured(scratch_folder *folder, const char *test, double duration)
{
  char text[600];
  snprintf(text, sizeof text, "%s %s/simbenchmark/%s.yaml '' %g", test, EXAMPLES, test, duration);
  command_run(folder, EXAMPLE_PROGRAMS "/measure", text, &result);
  print_message("%s", result.out);
  assert_int_equal(result.status, 0);
  const char *mean = strstr(result.out, "mean ");
  assert_non_null(mean);
  return strtod(mean + strlen("mean "), NULL);
}

static void simbenchmark(void **state)
{
  need_program(EXAMPLE_PROGRAMS "/measure");
  assert_true(measured(*state, "rolling-y", 0.3) < 1e-18);
  assert_true(measured(*state, "rolling-diagonal", 0.3) < 1e-18);
  assert_true(measured(*state, "bouncing", 3.0) < 1e-12); // every ball has landed and come back
  assert_true(measured(*state, "666", 0.5) < 1e-12);
  assert_true(measured(*state, "elastic-666", 1.0) < 1e-8);
}

static void measure_refuses_other_tests(void **state)
{
  need_program(EXAMPLE_PROGRAMS "/measure");
  assert_refused(*state, EXAMPLE_PROGRAMS "/measure", "sliding scene.yaml", "usage");
  assert_refused(*state, EXAMPLE_PROGRAMS "/measure", "666", "usage");
}

// Predict the tosses of a folder; the mean position error [% of the edge]. No step may be uncertified.
static double tosses_error(scratch_folder *folder, const char *tosses, int count)
{
  char text[1200];
  snprintf(text, sizeof text, "%s/cube_tosses/cube.yaml -o errors.csv %s/toss_*.csv", EXAMPLES, tosses);
  command_run(folder, EXAMPLE_PROGRAMS "/tosses", text, &result);
  assert_int_equal(result.status, 0);
  snprintf(text, sizeof text, "%d tosses: mean position error ", count);
  const char *summary = strstr(result.out, text);
  assert_non_null(summary);
  print_message("%s", summary);
  assert_non_null(strstr(summary, " 0 uncertified"));
  return strtod(summary + strlen(text), NULL);
}

// Three tosses, picked by their numbers, say little: what a cube that slides without turning reaches on all is the
// bound.
static void three_tosses(void **state)
{
  need_program(EXAMPLE_PROGRAMS "/tosses");
  assert_true(tosses_error(*state, TEST_DATA "/cube_tosses", 3) < 30.6);
  char *table = read_text(scratch_path(*state, "errors.csv"));
  assert_non_null(strstr(table, "toss_099.csv,"));
  free(table);
}

static void hundred_tosses(void **state)
{
  need_program(EXAMPLE_PROGRAMS "/tosses");
  assert_true(tosses_error(*state, SHARED_DATA "/data/cube_tosses", 100) <= 14.3);
}

// ---- robots ----

// Drop robots of a folder, several patterns of files with blanks between; how many were. No step may be uncertified.
static int dropped(scratch_folder *folder, const char *robots, const char *patterns, const char *settings)
{
  char text[1200];
  snprintf(text, sizeof text, "-c 'cd %s && exec %s/drops %s %s'", robots, EXAMPLE_PROGRAMS, settings, patterns);
  command_run(folder, "sh", text, &result);
  print_message("%s", result.out);
  assert_int_equal(result.status, 0);
  assert_string_equal(result.err, "");
  int count = 0;
  const char *line = strchr(result.out, '\n');
  for (; line && line[1]; line = strchr(line + 1, '\n')) {
    long steps;
    int velocities, contacts, uncertified;
    double mass, fall;
    const int read =
        sscanf(line + 1, "%*s %d %lf %lf %ld %d %d", &velocities, &mass, &fall, &steps, &contacts, &uncertified);
    if (read == 0) continue; // refused
    assert_int_equal(read, 6);
    assert_true(velocities >= 6 && mass > 0.0 && fall > 0.0 && steps > 0 && contacts > 0 && uncertified == 0);
    ++count;
  }
  return count;
}

static void robots_are_dropped(void **state)
{
  need_program(EXAMPLE_PROGRAMS "/drops");
  const char *robots = "TwoJointRobot_w_fixedJoints.urdf iiwa14_spheres_collision.urdf test_joints_MB.urdf";
  assert_int_equal(dropped(*state, TEST_DATA "/urdf", robots, "duration=2 step.coordinates=minimal"), 3);
  assert_int_equal(dropped(*state, TEST_DATA "/urdf", robots, "duration=2 step.coordinates=redundant"), 3);
}

static void all_robots_are_dropped(void **state)
{
  need_program(EXAMPLE_PROGRAMS "/drops");
  assert_int_equal(dropped(*state, SHARED_DATA "/data/models", "*/*.urdf", "duration=0.5 step.coordinates=minimal"),
                   14);
}

static void drops_refuses_bad_usage(void **state)
{
  need_program(EXAMPLE_PROGRAMS "/drops");
  assert_refused(*state, EXAMPLE_PROGRAMS "/drops", "duration=1", "usage");
  static const char shapeless[] = "<robot name='r'><link name='a'><inertial><mass value='1'/><inertia ixx='1' iyy='1' "
                                  "izz='1'/></inertial></link></robot>";
  scratch_write(scratch_path(*state, "shapeless.urdf"), shapeless, sizeof shapeless - 1);
  command_run(*state, EXAMPLE_PROGRAMS "/drops", "shapeless.urdf", &result);
  assert_non_null(strstr(result.out, "refused: it has no shapes that move"));
}

static ts_vec3 centre_of(const ts_sim *sim, int body)
{
  const ts_pose pose = ts_sim_pose(sim, body);
  return ts_pose_apply(&pose, ts_model_body_centre(ts_sim_model(sim), body));
}

// What gravity and contacts do to some bodies at rest, about a point.
static ts_wrench load_on(const ts_sim *sim, const bool *bodies, ts_vec3 point)
{
  const ts_model *model = ts_sim_model(sim);
  ts_wrench sum = {{0.0, 0.0, 0.0}, {0.0, 0.0, 0.0}};
  for (int b = 0; b < ts_model_body_count(model); ++b) {
    if (!bodies[b]) continue;
    const ts_vec3 weight = ts_scale(ts_model_body_mass(model, b), ts_model_gravity(model));
    sum.force = ts_add(sum.force, weight);
    sum.moment = ts_add(sum.moment, ts_cross(ts_sub(centre_of(sim, b), point), weight));
  }
  int count;
  const ts_contact *contacts = ts_sim_contacts(sim, &count);
  for (int i = 0; i < count; ++i) {
    const ts_contact *c = &contacts[i];
    if (!bodies[c->body_1]) continue;
    const ts_vec3 tangential = ts_add(ts_scale(c->impulse[1], c->tangent), ts_scale(c->impulse[2], c->other));
    const ts_vec3 impulse = ts_add_scaled(tangential, c->impulse[0], c->normal);
    const ts_vec3 force = ts_scale(1.0 / ts_sim_options(sim)->size, impulse);
    sum.force = ts_add(sum.force, force);
    sum.moment = ts_add(sum.moment, ts_cross(ts_sub(c->point, point), force));
  }
  return sum;
}

// The bodies that a joint carries. Robots list joints from the base outwards, or not: pass until nothing is new.
static void mark_carried(const ts_model *model, int joint, bool *carried)
{
  memset(carried, 0, (size_t)ts_model_body_count(model) * sizeof *carried);
  carried[ts_model_joint(model, joint).child] = true;
  for (bool grown = true; grown;) {
    grown = false;
    for (int j = 0; j < ts_model_joint_count(model); ++j) {
      const ts_joint_def def = ts_model_joint(model, j);
      if (def.parent < 0 || !carried[def.parent] || carried[def.child]) continue;
      carried[def.child] = grown = true;
    }
  }
}

// At rest each servo gives way until stiffness times error balances what hangs on its joint: gravity and contact forces
// about the axis, from positions alone. `scale` is a torque of the size that matters [N m].
static void check_servos_balance(const ts_sim *sim, double scale)
{
  enum { MOST_BODIES = 64 };
  const ts_model *model = ts_sim_model(sim);
  bool carried[MOST_BODIES];
  assert_true(ts_model_body_count(model) <= MOST_BODIES);
  for (int j = 0; j < ts_model_joint_count(model); ++j) {
    const ts_joint_def def = ts_model_joint(model, j);
    const ts_joint_state state = ts_sim_joint(sim, j);
    assert_int_equal(def.motor.kind, TS_MOTOR_SERVO);
    mark_carried(model, j, carried);
    const double target = ts_signal_value(&def.motor.target, ts_sim_time(sim), NULL);
    const double servo = def.motor.stiffness * (target - state.position);
    const double load = ts_dot(state.axis[0], load_on(sim, carried, state.point[0]).moment);
    if (fabs(servo + load) > 1e-6 * scale) fail_msg("%s: servo %.9g N m, load %.9g N m", def.name, servo, load);
    assert_true(fabs(servo) < def.motor.max_force);
  }
}

// The feet carry the weight, in balance, and the base has come to rest.
static void anymal_stands(void **state)
{
  (void)state;
  scene_run r = scene_run_start(EXAMPLES "/anymal_stand/anymal.yaml", NULL, 0);
  const double mass = 16.793507758 + 4.0 * (1.42462064 + 1.634976467 + 0.207204302 + 0.140170767), weight = 9.81 * mass;
  assert_true(fabs(ts_scene_urdf_summary(r.scene).mass - mass) < 1e-12 * mass);
  scene_run_to(&r, 1.2);
  const ts_model *model = ts_sim_model(r.sim);
  const int base = ts_model_find_body(model, "base");
  bool robot[64];
  for (int b = 0; b < ts_model_body_count(model); ++b) robot[b] = ts_model_body_kind(model, b) == TS_DYNAMIC;
  const double height = ts_sim_pose(r.sim, base).position.z;
  for (int k = 1; k <= 20; ++k) {
    scene_run_to(&r, 1.2 + 1e-3 * k);
    int contacts;
    double support = 0.0;
    const ts_contact *contact = ts_sim_contacts(r.sim, &contacts);
    for (int i = 0; i < contacts; ++i) support += contact[i].impulse[0] / 1e-3;
    const ts_wrench rest = load_on(r.sim, robot, (ts_vec3){0.0, 0.0, 0.0});
    assert_true(fabs(support - weight) < 1e-6 * weight);
    assert_true(ts_length(rest.force) < 1e-6 * weight && ts_length(rest.moment) < 1e-6 * weight);
    check_servos_balance(r.sim, 0.1 * weight);
  }
  assert_true(fabs(ts_sim_pose(r.sim, base).position.z - height) < 1e-9);
  assert_true(height > 0.48 && height < 0.52); // 0.518 m with stiff joints
  scene_run_end(&r);
}

// While the tip slides friction is mu times the normal force, against the slip; at rest every servo balances its load.
static void iiwa_slides_on_a_table(void **state)
{
  (void)state;
  scene_run r = scene_run_start(EXAMPLES "/iiwa_table/arm.yaml", NULL, 0);
  for (int k = 0; k <= 16; ++k) {
    scene_run_to(&r, 1.2 + 0.1 * k);
    int contacts;
    const ts_contact *c = ts_sim_contacts(r.sim, &contacts);
    assert_int_equal(contacts, 1);
    const double friction = hypot(c->impulse[1], c->impulse[2]), slip = hypot(c->velocity[1], c->velocity[2]);
    assert_true(slip > 1e-3);
    assert_true(fabs(friction - 0.3 * c->impulse[0]) < 1e-6 * friction);
    assert_true(fabs(c->impulse[1] * c->velocity[1] + c->impulse[2] * c->velocity[2] + friction * slip) <
                1e-6 * friction * slip);
    assert_true(c->gap > -1e-9 && c->gap < 1e-5); // linearized gaps close to second order in h
  }
  scene_run_to(&r, 3.6);
  check_servos_balance(r.sim, 10.0);
  const ts_vec3 tip = scene_run_position(&r, "iiwa_link_7");
  assert_true(fabs(tip.x - 0.7) < 5e-3 && fabs(tip.y) < 1e-3);
  scene_run_end(&r);
}

// ---- tosses ----

static const char header[] = "t,qw,qx,qy,qz,x,y,z,wx,wy,wz,vx,vy,vz\n";

// A toss that is a parabola, high above the table. The steps fall by g h^2 k (k + 1)/2, that is by g h t/2 too much.
static void parabola(void **state)
{
  need_program(EXAMPLE_PROGRAMS "/tosses");
  const double g = 9.81, h = 1.0 / 1480.0, edge = 0.1048;
  char text[4096];
  int length = snprintf(text, sizeof text, "%s", header);
  double expected = 0.0;
  for (int k = 0; k <= 20; ++k) {
    const double t = 10.0 * h * k;
    length += snprintf(text + length, sizeof text - (size_t)length, "%.15g,1,0,0,0,%.15g,2,%.15g,0,0,0,1,0,%.15g\n", t,
                       1.0 + t, 5.0 - 0.5 * g * t * t, -g * t);
    if (k > 0) expected += 100.0 * 0.5 * g * h * t / edge / 20.0;
  }
  scratch_write(scratch_path(*state, "parabola.csv"), text, (unsigned long)length);
  command_run(*state, EXAMPLE_PROGRAMS "/tosses", EXAMPLES "/cube_tosses/cube.yaml -o errors.csv parabola.csv",
              &result);
  assert_int_equal(result.status, 0);
  char *table = read_text(scratch_path(*state, "errors.csv"));
  const char *row = strstr(table, "parabola.csv,");
  assert_non_null(row);
  char *next;
  assert_true(fabs(strtod(row + strlen("parabola.csv,"), &next) - expected) < 1e-5 * expected);
  assert_true(strtod(next + 1, NULL) < 1e-5); // it does not turn
  free(table);
}

static void bad_tosses_are_refused(void **state)
{
  need_program(EXAMPLE_PROGRAMS "/tosses");
  static const char row[] = "1,0,0,0,0,0,1,0,0,0,0,0,0\n";
  const char *const rows[][2] = {
      {"", ""},         // no rows
      {"0,", ""},       // one row
      {"0,", "0,"},     // time stands still
      {"0,", "nan,"},   // not a number
      {"0,1,", "1,"},   // a number too many: the quaternion is none
      {"0,", "1,2,"},   // the same in the second row
      {"0,", "hello,"}, // no number
  };
  for (size_t i = 0; i < sizeof rows / sizeof *rows; ++i) {
    char text[512];
    const int length = snprintf(text, sizeof text, "%s%s%s%s%s", header, rows[i][0], rows[i][0][0] ? row : "",
                                rows[i][1], rows[i][1][0] ? row : "");
    scratch_write(scratch_path(*state, "bad.csv"), text, (unsigned long)length);
    assert_refused(*state, EXAMPLE_PROGRAMS "/tosses", EXAMPLES "/cube_tosses/cube.yaml -o errors.csv bad.csv",
                   "bad.csv:");
  }
  assert_refused(*state, EXAMPLE_PROGRAMS "/tosses", EXAMPLES "/cube_tosses/cube.yaml -o errors.csv none.csv",
                 "none.csv cannot be opened");
  assert_refused(*state, EXAMPLE_PROGRAMS "/tosses", EXAMPLES "/sphere/sphere.yaml -o errors.csv bad.csv",
                 "no body 'cube'");
  assert_refused(*state, EXAMPLE_PROGRAMS "/tosses",
                 EXAMPLES "/cube_tosses/cube.yaml contact.fricton=1 -o errors.csv bad.csv", "fricton");
  assert_refused(*state, EXAMPLE_PROGRAMS "/tosses", EXAMPLES "/cube_tosses/cube.yaml", "usage");
}

// 003 scenario 2 (reference-numbers.md 11.1); test_line_and_surface.c has the scenes themselves.
static void cylinder_is_kicked(void **state)
{
  need_program(EXAMPLE_PROGRAMS "/kicks");
  command_run(*state, EXAMPLE_PROGRAMS "/kicks", EXAMPLES "/line_and_surface_contact/cylinder_rolls.yaml kicks.csv",
              &result);
  assert_int_equal(result.status, 0);
  assert_non_null(strstr(result.out, "kick 3 in the step that begins at 0.49 s"));
  assert_non_null(strstr(result.out, "89 kicks, uncertified steps 0; contact point 0.03711 m from the middle"));
  assert_refused(*state, EXAMPLE_PROGRAMS "/kicks", "", "usage");
}

int main(int argc, char **argv)
{
  const struct CMUnitTest tests[] = {
      cmocka_unit_test(sphere),
      cmocka_unit_test(polygon_disc),
      cmocka_unit_test(disc_keeps_its_energy),
      cmocka_unit_test(towers_stand),
      cmocka_unit_test(jack_lifts_its_crate),
      cmocka_unit_test(gripper_centres_its_cube),
      cmocka_unit_test(mixer),
      cmocka_unit_test(pendulums),
      cmocka_unit_test(simbenchmark),
      cmocka_unit_test(measure_refuses_other_tests),
      cmocka_unit_test(robots_are_dropped),
      cmocka_unit_test(drops_refuses_bad_usage),
      cmocka_unit_test(anymal_stands),
      cmocka_unit_test(iiwa_slides_on_a_table),
      cmocka_unit_test(three_tosses),
      cmocka_unit_test(parabola),
      cmocka_unit_test(bad_tosses_are_refused),
      cmocka_unit_test(cylinder_is_kicked),
  };
  const struct CMUnitTest shared_tests[] = {
      cmocka_unit_test(all_robots_are_dropped),
      cmocka_unit_test(hundred_tosses),
  };
  if (asks_for_shared(argc, argv))
    return run_shared_tests(shared_tests, scratch_folder_set_up, scratch_folder_tear_down);
  return cmocka_run_group_tests(tests, scratch_folder_set_up, scratch_folder_tear_down);
}
