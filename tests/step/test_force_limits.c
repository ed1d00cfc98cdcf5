// Force limits of motors, servos and joint friction that are far above any force at hand: they change no contact, of
// their own bodies or of others, in a certified step.
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <cmocka.h>

#include "effort.h"
#include "mechanism.h"
#include "near.h"

#include "step/certify.h"
#include "step/force_limits.h"
#include "step/impulses.h"
#include "step/step.h"

#include "base/random.h"

#include <math.h>
#include <string.h>

static const ts_vec3 Y = {0.0, 1.0, 0.0};

// ---- unrelated drives ----------------------------------------------------------------------------------------------

enum { MOST_BOXES = 4, STEPS = 25, KINDS = 3 };

static const double TARGET = 3.0; // of a motor [rad/s]

typedef struct drawn_scene {
  int boxes;
  double mass[MOST_BOXES], edge[MOST_BOXES], friction, size;
  ts_vec3 velocity[MOST_BOXES], omega[MOST_BOXES];
  bool tumbles; // boxes turn about all axes as they land
  int drive;    // motor, brake, joint friction
  double wheel_mass;
  const char *method;
} drawn_scene;

static drawn_scene draw_scene(ts_random *random)
{
  static const char *const methods[] = {"stewart-trinkle", "velocity", "event-driven", "implicit"};
  drawn_scene s = {.boxes = 1 + ts_random_below(random, MOST_BOXES),
                   .friction = ts_random_uniform(random, 0.0, 1.0),
                   .size = pow(10.0, -3.0 + ts_random_uniform(random, 0.0, 1.0)),
                   .drive = ts_random_below(random, KINDS),
                   .wheel_mass = pow(10.0, -3.0 + 5.0 * ts_random_uniform(random, 0.0, 1.0)),
                   .method = methods[ts_random_below(random, 4)]};
  for (int k = 0; k < s.boxes; ++k) {
    s.mass[k] = pow(10.0, -3.0 + 3.0 * ts_random_uniform(random, 0.0, 1.0));
    s.edge[k] = 0.05 + 0.1 * ts_random_uniform(random, 0.0, 1.0);
    s.velocity[k] =
        (ts_vec3){ts_random_uniform(random, 0.0, 1.0) - 0.5, ts_random_uniform(random, 0.0, 1.0) - 0.5, 0.0};
    s.omega[k] = (ts_vec3){0.0, 0.0, 4.0 * (ts_random_uniform(random, 0.0, 1.0) - 0.5)};
  }
  s.tumbles = ts_random_below(random, 2) == 1;
  for (int k = 0; s.tumbles && k < s.boxes; ++k) {
    s.omega[k].x = ts_random_uniform(random, -4.0, 4.0);
    s.omega[k].y = ts_random_uniform(random, -4.0, 4.0);
  }
  return s;
}

// Returns the body.
static int add_wheel(world *w, const drawn_scene *s, double limit)
{
  const int wheel = world_add(w, "wheel", TS_DYNAMIC, s->wheel_mass, shape_sphere(0.1), (ts_vec3){-5.0, 0.0, 2.0});
  ts_joint_def def = mechanism_joint(TS_JOINT_REVOLUTE, TS_WORLD, wheel, (ts_vec3){-5.0, 0.0, 2.0}, Y);
  if (s->drive == KINDS - 1) {
    def.friction = limit;
  } else {
    def.motor.kind = TS_MOTOR_VELOCITY;
    def.motor.target = ts_signal_constant(s->drive == 0 ? TARGET : 0.0);
    def.motor.max_force = limit;
  }
  mechanism_add(w, &def);
  return wheel;
}

// Boxes that are dropped by little, slide and spin, 1 m apart. Between events a wheel has its target from the start:
// the time that it takes to get there goes by the limit, and substeps follow the errors of all bodies.
static void start_scene(world *w, const drawn_scene *s, double limit)
{
  int box[MOST_BOXES];
  world_init(w, TS_SPACE_3D);
  world_friction(w, s->friction, 0.0);
  world_floor(w);
  for (int k = 0; k < s->boxes; ++k)
    box[k] = world_add(w, (const char *[]){"a", "b", "c", "d"}[k], TS_DYNAMIC, s->mass[k],
                       shape_box(s->edge[k], s->edge[k], s->edge[k]),
                       (ts_vec3){k, 0.0, 0.5 * s->edge[k] + (s->tumbles ? 0.01 : 1e-4)});
  const int wheel = add_wheel(w, s, limit);
  w->options.size = s->size;
  w->options.tolerance = 1e-10; // velocities of about 1 m/s
  w->options.method = ts_stepper_find(s->method);
  world_start(w);
  if (s->drive == 0 && strcmp(s->method, "event-driven") == 0)
    world_move(w, wheel, (ts_vec3){0.0, 0.0, 0.0}, ts_scale(TARGET, Y));
  for (int k = 0; k < s->boxes; ++k) world_move(w, box[k], s->velocity[k], s->omega[k]);
}

// One step, which need not be certified.
static bool take_step(world *w)
{
  ts_error error;
  if (ts_sim_step(w->sim, &error) != TS_OK) fail_msg("%s", error.text);
  return ts_sim_report(w->sim)->certified;
}

// Velocities of the boxes and the impulses on the floor are equal to the last bit.
static void assert_equal_contacts(const world *a, const world *b, int boxes)
{
  for (int k = 1; k <= boxes; ++k) { // body 0 is the floor
    const ts_twist u = ts_sim_velocity(a->sim, k), v = ts_sim_velocity(b->sim, k);
    assert_vec_near(u.linear, v.linear, 0.0);
    assert_vec_near(u.angular, v.angular, 0.0);
  }
  int count[2];
  const ts_contact *from = ts_sim_contacts(a->sim, &count[0]), *to = ts_sim_contacts(b->sim, &count[1]);
  assert_int_equal(count[0], count[1]);
  for (int i = 0; i < count[0]; ++i)
    for (int r = 0; r < 3; ++r) assert_near(from[i].impulse[r], to[i].impulse[r], 0.0);
}

static void a_drive_elsewhere_changes_no_contact(void **state)
{
  (void)state;
  ts_random random;
  ts_random_init(&random, 4001);
  const int scenes = effort_part(500, 20, 50);
  int certified = 0;
  for (int k = 0; k < scenes; ++k) {
    const drawn_scene s = draw_scene(&random);
    const double limit = pow(10.0, 3.0 + 12.0 * ts_random_uniform(&random, 0.0, 1.0));
    world modest, strong;
    start_scene(&modest, &s, 1e3);
    start_scene(&strong, &s, limit);
    bool alike = true;
    for (int n = 0; n < STEPS; ++n) {
      const bool first = take_step(&modest), second = take_step(&strong);
      certified += first && second;
      alike = alike && first && second;
      if (alike) assert_equal_contacts(&modest, &strong, s.boxes);
    }
    world_release(&modest);
    world_release(&strong);
  }
  assert_true(certified >= 0.999 * scenes * STEPS);
}

// ---- drives against a wall and against a joint limit ---------------------------------------------------------------

// A finger of 1 g is driven into a wall 5 mm ahead. It stops there, or the step is not certified. Returns the number of
// these steps. One step ends just where the gap closes: all data of its contacts are round-off.
static int check_finger(const char *method, double limit)
{
  world w;
  world_init(&w, TS_SPACE_3D);
  w.options.method = ts_stepper_find(method);
  world_add(&w, "wall", TS_FIXED, 0.0, shape_box(0.1, 0.2, 0.2), (ts_vec3){0.065, 0.0, 0.0});
  const int finger = world_add(&w, "finger", TS_DYNAMIC, 1e-3, shape_box(0.02, 0.02, 0.02), (ts_vec3){0.0, 0.0, 0.0});
  ts_joint_def def =
      mechanism_joint(TS_JOINT_PRISMATIC, TS_WORLD, finger, (ts_vec3){0.0, 0.0, 0.0}, (ts_vec3){1.0, 0.0, 0.0});
  def.motor.kind = TS_MOTOR_VELOCITY;
  def.motor.target = ts_signal_constant(0.1);
  def.motor.max_force = limit;
  mechanism_add(&w, &def);
  ts_builder_set_gravity(w.builder, (ts_vec3){0.0, 0.0, 0.0});
  world_start(&w);
  int uncertified = 0;
  for (int k = 0; k < 70; ++k) {
    const double before = ts_sim_pose(w.sim, finger).position.x;
    const bool certified = take_step(&w);
    uncertified += !certified;
    const double x = ts_sim_pose(w.sim, finger).position.x;
    assert_true(x <= 0.005 + 0.1 * w.options.size + 1e-6);          // `velocity` notices the wall one step late
    if (certified && before >= 0.005) assert_near(x, before, 1e-8); // it stands
  }
  world_release(&w);
  return uncertified;
}

static void a_strong_motor_does_not_push_through_a_wall(void **state)
{
  (void)state;
  static const double limits[] = {1e3, 1e6, 1e8};
  for (int k = 0; k < 3; ++k) {
    assert_int_equal(check_finger("velocity", limits[k]), 0);
    assert_int_equal(check_finger("stewart-trinkle", limits[k]), 0);
    assert_int_equal(check_finger("implicit", limits[k]), 0);
    check_finger("event-driven", limits[k]);
  }
}

// A hinge is driven at 1 rad/s against its limit at 1e-3 rad.
static void check_hinge(const char *method, double limit)
{
  world w;
  world_init(&w, TS_SPACE_3D);
  w.options.method = ts_stepper_find(method);
  const int arm = world_add(&w, "arm", TS_DYNAMIC, 1.0, shape_sphere(1.0), (ts_vec3){0.0, 0.0, 3.0});
  ts_joint_def def = mechanism_joint(TS_JOINT_REVOLUTE, TS_WORLD, arm, (ts_vec3){0.0, 0.0, 5.0}, Y);
  def.limited = true;
  def.lower = -1e-3;
  def.upper = 1e-3;
  def.motor.kind = TS_MOTOR_VELOCITY;
  def.motor.target = ts_signal_constant(1.0);
  def.motor.max_force = limit;
  const int hinge = mechanism_add(&w, &def);
  ts_builder_set_gravity(w.builder, (ts_vec3){0.0, 0.0, 0.0});
  world_start(&w);
  for (int k = 0; k < 50; ++k) {
    const double before = ts_sim_joint_position(w.sim, hinge, NULL);
    const bool certified = take_step(&w);
    const double angle = ts_sim_joint_position(w.sim, hinge, NULL);
    assert_true(angle <= 1e-3 + 1.0 * w.options.size + 1e-6);
    if (certified && before >= 1e-3) assert_near(angle, before, 1e-7);
  }
  world_release(&w);
}

static void a_strong_motor_does_not_turn_a_hinge_past_its_limit(void **state)
{
  (void)state;
  static const double limits[] = {1e3, 1e8, 1e12};
  for (int k = 0; k < 3; ++k) {
    check_hinge("velocity", limits[k]);
    check_hinge("stewart-trinkle", limits[k]);
    check_hinge("event-driven", limits[k]);
    check_hinge("implicit", limits[k]);
  }
}

// ---- drives against each other -------------------------------------------------------------------------------------

// A wheel whose motor wants 3 rad/s, and a brake of its joint: both are far stronger than what turns the wheel in a
// step, 3 I/h = 2.4 N m. The stronger of the two has its way, and the other bears its limit. Returns how many of 3
// steps are not certified.
static int check_brake(const char *method, double motor, double brake)
{
  int uncertified = 0;
  world w;
  world_init(&w, TS_SPACE_3D);
  w.options.method = ts_stepper_find(method);
  w.options.size = 0.01;
  ts_builder_set_gravity(w.builder, (ts_vec3){0.0, 0.0, 0.0});
  const int wheel = world_add(&w, "wheel", TS_DYNAMIC, 2.0, shape_sphere(0.1), (ts_vec3){0.0, 0.0, 0.0});
  ts_joint_def def = mechanism_joint(TS_JOINT_REVOLUTE, TS_WORLD, wheel, (ts_vec3){0.0, 0.0, 0.0}, Y);
  def.motor.kind = TS_MOTOR_VELOCITY;
  def.motor.target = ts_signal_constant(3.0);
  def.motor.max_force = motor;
  def.friction = brake;
  mechanism_add(&w, &def);
  world_start(&w);
  for (int k = 0; k < 3; ++k) {
    if (take_step(&w))
      assert_near(ts_sim_velocity(w.sim, wheel).angular.y, motor > brake ? 3.0 : 0.0, 1e-6);
    else
      ++uncertified;
  }
  world_release(&w);
  return uncertified;
}

static void the_stronger_of_two_drives_wins(void **state)
{
  (void)state;
  static const char *const methods[] = {"velocity", "stewart-trinkle", "event-driven", "implicit"};
  int uncertified = 0;
  for (int k = 0; k < 4; ++k)
    for (double brake = 10.0; brake < 2e7; brake *= 1e2)
      uncertified += check_brake(methods[k], 2.0 * brake, brake) + check_brake(methods[k], 0.5 * brake, brake);
  assert_true(uncertified <= 2); // of 96 steps, with limits at the end of what round-off leaves
}

// A chain of three light links and a heavy one, whose drives hold or turn each other. Joints make it 1e5 times as stiff
// at the drives as its bodies are: velocities of these rows must not be lost in the scale of the certificate.
static void check_chain(const char *method, double limit)
{
  static const double masses[] = {0.01, 0.4, 750.0, 0.005};
  world w;
  world_init(&w, TS_SPACE_3D);
  w.options.method = ts_stepper_find(method);
  w.options.tolerance = 1e-10;
  int joint[4];
  for (int k = 0, parent = TS_WORLD; k < 4; ++k) {
    const int link = world_add(&w, (const char *[]){"a", "b", "c", "d"}[k], TS_DYNAMIC, masses[k], shape_sphere(0.1),
                               (ts_vec3){k, 0.0, 4.0});
    const ts_vec3 axis = k == 0 || k == 3 ? (ts_vec3){0.2, 1.0, 0.0} : Y, at = {k == 0 ? 0.0 : k - 0.3, 0.0, 4.0};
    ts_joint_def def = mechanism_joint(TS_JOINT_REVOLUTE, parent, link, at, axis);
    if (k < 2) {
      def.motor.kind = TS_MOTOR_VELOCITY;
      def.motor.target = ts_signal_constant(0.1 * k);
      def.motor.max_force = limit;
    } else {
      def.friction = limit;
    }
    joint[k] = mechanism_add(&w, &def);
    parent = link;
  }
  world_start(&w);
  for (int n = 0; n < 10; ++n) {
    world_step(&w); // certified
    for (int k = 0; k < 4; ++k) {
      double rate;
      ts_sim_joint_position(w.sim, joint[k], &rate);
      assert_near(rate, k == 1 ? 0.1 : 0.0, 1e-6); // axes turn within the step
    }
  }
  world_release(&w);
}

static void drives_of_a_chain_with_a_heavy_link_are_certified(void **state)
{
  (void)state;
  static const double limits[] = {1e7, 1e9, 1e12};
  for (int k = 0; k < 3; ++k) {
    check_chain("velocity", limits[k]);
    check_chain("stewart-trinkle", limits[k]);
  }
}

// ---- the problem afterwards ----------------------------------------------------------------------------------------

static ts_step assemble_step(ts_sim *sim, ts_arena *arena)
{
  const double h = sim->options.size;
  ts_step step = {.sim = sim, .h = h, .theta = 1.0, .arena = arena, .from = sim->old_velocity};
  ts_impulses_begin(sim, (ts_interval){0.0, h}, h, arena);
  assert_true(ts_step_joints(&step));
  ts_step_free_velocity(&step);
  ts_step_find_contacts(&step, sim->free_velocity);
  ts_step_assemble(&step);
  ts_step_bounded_bias(&step, true);
  ts_system_velocity(&step.system, sim->free_velocity, step.system.q);
  for (int k = 0; k < step.system.count * step.system.dimension; ++k) step.system.q[k] += step.bias[k];
  return step;
}

// Between begin and end limits are other ones; afterwards W and q are what they were, normals are the limits, h times
// the force, and an impulse at a lowered limit is told.
static void limits_are_put_back(void **state)
{
  (void)state;
  const double limit = 1e6;
  ts_arena arena;
  jmp_buf recovery;
  world w;
  start_scene(
      &w,
      &(drawn_scene){.boxes = 1, .mass = {1.0}, .edge = {0.1}, .size = 0.01, .wheel_mass = 1.0, .method = "velocity"},
      limit);
  ts_arena_init(&arena, NULL);
  arena.recovery = &recovery;
  if (setjmp(recovery)) fail_msg("memory ran out");
  ts_step step = assemble_step(w.sim, &arena);
  const ts_system *system = &step.system;
  const size_t d = (size_t)system->dimension, rows = (size_t)system->count * d;
  const size_t numbers = (size_t)system->problem.W.start[system->count] * d * d;
  double *q = ts_arena_doubles(&arena, rows), *W = ts_arena_doubles(&arena, numbers), *r = ts_arena_zeros(&arena, rows);
  memcpy(q, system->q, rows * sizeof *q);
  memcpy(W, system->problem.W.value, numbers * sizeof *W);
  for (int reached = 0; reached < 2; ++reached) {
    const ts_force_limits limits = ts_force_limits_begin(&step.system, NULL, true, r, &arena);
    assert_int_equal(limits.count, 1);
    const size_t normal = (size_t)limits.limits[0].block * d;
    assert_true(r[normal] > 0.0 && r[normal] < 0.1 * limit * w.options.size);
    assert_memory_not_equal(W, system->problem.W.value, numbers * sizeof *W);
    r[normal + 1] = reached ? r[normal] : 0.0;
    assert_int_equal(ts_force_limits_end(&limits, r), !reached);
    assert_near(r[normal], limit * w.options.size, 1e-9 * limit);
    assert_memory_equal(W, system->problem.W.value, numbers * sizeof *W);
    assert_memory_equal(q, system->q, rows * sizeof *q);
  }
  ts_arena_release(&arena);
  world_release(&w);
}

// The residual of exchanged impulses in a scene of a box and a wheel with this limit. The impulses of the contacts are
// wrong.
static double exchanged_residual(double limit)
{
  ts_arena arena;
  jmp_buf recovery;
  world w;
  start_scene(
      &w,
      &(drawn_scene){.boxes = 1, .mass = {1.0}, .edge = {0.1}, .size = 0.01, .wheel_mass = 1.0, .method = "velocity"},
      limit);
  world_steps(&w, 3);
  ts_arena_init(&arena, NULL);
  arena.recovery = &recovery;
  if (setjmp(recovery)) fail_msg("memory ran out");
  const ts_step step = assemble_step(w.sim, &arena);
  const size_t d = (size_t)step.system.dimension, blocks = (size_t)step.system.count;
  double *before = ts_arena_zeros(&arena, blocks * d), *after = ts_arena_zeros(&arena, blocks * d);
  assert_true(blocks == 5);
  for (size_t i = 0; i < blocks; ++i) {
    const bool drives = step.system.blocks[i].kind == TS_BLOCK_MOTOR;
    before[i * d] = w.options.size * (drives ? limit : 0.25 * 9.81); // the box stands
    after[i * d] = drives ? before[i * d] : 1.1 * before[i * d];
  }
  ts_friction_measures measures;
  const double residual = ts_step_certify_exchange(&step, before, after, &measures);
  ts_arena_release(&arena);
  world_release(&w);
  return residual;
}

static void exchanged_impulses_are_certified_without_limits(void **state)
{
  (void)state;
  const double modest = exchanged_residual(1e3);
  assert_true(modest > 1e-3);
  assert_near(exchanged_residual(1e12), modest, 0.0);
}

int main(void)
{
  const struct CMUnitTest tests[] = {
      cmocka_unit_test(a_drive_elsewhere_changes_no_contact),
      cmocka_unit_test(a_strong_motor_does_not_push_through_a_wall),
      cmocka_unit_test(the_stronger_of_two_drives_wins),
      cmocka_unit_test(drives_of_a_chain_with_a_heavy_link_are_certified),
      cmocka_unit_test(limits_are_put_back),
      cmocka_unit_test(exchanged_impulses_are_certified_without_limits),
      cmocka_unit_test(a_strong_motor_does_not_turn_a_hinge_past_its_limit),
  };
  return cmocka_run_group_tests(tests, NULL, NULL);
}
