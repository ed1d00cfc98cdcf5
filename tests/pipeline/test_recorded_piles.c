// Runs of many bodies are recorded, read back, and worked out anew from the record and the scene alone
// (tests/support/run_audit.h). A record in which anything is wrong does not pass.
#include "run_audit.h"
#include "scratch_folder.h"
#include "world.h"

#include "base/random.h"

#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <cmocka.h>
#include <math.h>
#include <stdio.h>

enum { MOST_BODIES = 100, MOST_JOINTS = 40 };
static const double RADIUS = 0.1, MASS = 4.0;

// ---- scenes --------------------------------------------------------------------------------------------------------

typedef struct stage {
  audit_scene scene;
  audit_body bodies[MOST_BODIES];
  audit_joint joints[MOST_JOINTS];
  ts_vec3 velocity; // of the last body at the start
  ts_random random;
} stage;

static void start_stage(stage *s, double friction, double deepest)
{
  *s = (stage){.scene = {.friction = friction,
                         .step_size = 5e-3,
                         .tolerance = 1e-6,
                         .gravity = {0.0, 0.0, -9.81},
                         .deepest = deepest}};
  s->scene.bodies = s->bodies;
  s->scene.joints = s->joints;
  ts_random_init(&s->random, 7);
}

static int add(stage *s, ts_shape shape, double mass, ts_vec3 position, ts_quat orientation)
{
  assert_true(s->scene.body_count < MOST_BODIES);
  s->bodies[s->scene.body_count] = (audit_body){shape, mass, {position, orientation}};
  return s->scene.body_count++;
}

static double somewhat(stage *s, double most)
{
  return ts_random_uniform(&s->random, -most, most);
}

static void add_box_of_planes(stage *s, double half)
{
  const ts_vec3 normals[] = {{0, 0, 1}, {1, 0, 0}, {-1, 0, 0}, {0, 1, 0}, {0, -1, 0}}, origin = {0, 0, 0};
  for (int k = 0; k < 5; ++k) add(s, shape_plane(normals[k], k == 0 ? 0.0 : -half), 0.0, origin, ts_quat_identity());
}

typedef enum mix { SPHERES, BOXES, MIXED } mix;

static ts_shape shape_at(mix kind, int i)
{
  const int which = kind == MIXED ? i % 3 : (int)kind;
  if (which == 0) return shape_sphere(RADIUS);
  return which == 1 ? shape_box(1.6 * RADIUS, 1.3 * RADIUS, 1.8 * RADIUS) : shape_capsule(0.5 * RADIUS, 0.9 * RADIUS);
}

// `across` bodies in a row, rows beside and layers above each other, from height z on
static void add_grid(stage *s, mix kind, int across, int layers, double z)
{
  const double spacing = 2.2 * RADIUS, half = 0.5 * spacing * across, offset = 0.09 * RADIUS;
  for (int i = 0; i < across * across * layers; ++i) {
    const int cell[3] = {i % across, i / across % across, i / (across * across)};
    const ts_vec3 at = {(cell[0] + 0.5) * spacing - half + somewhat(s, offset),
                        (cell[1] + 0.5) * spacing - half + somewhat(s, offset),
                        (cell[2] + 0.5) * spacing + z + somewhat(s, offset)};
    add(s, shape_at(kind, i), MASS, at, ts_quat_identity());
  }
}

static void make_pile(stage *s, mix kind, double friction)
{
  const int across = kind == SPHERES ? 4 : 3;
  start_stage(s, friction, kind == SPHERES ? 1e-4 * RADIUS : 0.05 * RADIUS);
  add_box_of_planes(s, 0.5 * 2.2 * RADIUS * across);
  add_grid(s, kind, across, 4, 0.0);
}

// Bricks in running bond with open joints; a ball comes flying.
static void make_wall(stage *s)
{
  const ts_vec3 brick = {0.3, 0.2, 0.1};
  start_stage(s, 0.5, 0.05 * RADIUS);
  add(s, shape_plane(ts_vec3_make(0.0, 0.0, 1.0), 0.0), 0.0, ts_vec3_make(0.0, 0.0, 0.0), ts_quat_identity());
  for (int i = 0; i < 30; ++i) {
    const int course = i / 6, place = i % 6;
    const ts_vec3 at = {0.306 * (place + 0.5 * (course % 2)) + somewhat(s, 1e-3), somewhat(s, 1e-3),
                        0.102 * (course + 0.5)};
    add(s, shape_box(brick.x, brick.y, brick.z), 12.0, at, ts_quat_identity());
  }
  add(s, shape_sphere(0.2), 60.0, ts_vec3_make(0.9, -0.6, 0.3), ts_quat_identity());
  s->velocity = ts_vec3_make(0.0, 5.0, 0.0);
}

// Four plates lead to an opening above the floor.
static void make_hopper(stage *s)
{
  const double slope = 0.9;
  start_stage(s, 0.4, 0.05 * RADIUS);
  add_box_of_planes(s, 0.5);
  for (int k = 0; k < 4; ++k) {
    const ts_quat turn = ts_quat_about_z(0.5 * TS_PI * k), lean = ts_quat_exp(ts_vec3_make(0.0, -slope, 0.0));
    const ts_vec3 at = ts_quat_rotate(turn, ts_vec3_make(0.45, 0.0, 0.5));
    add(s, shape_box(0.6, 1.4, 0.2), 0.0, at, ts_quat_product(turn, lean));
  }
  add_grid(s, MIXED, 3, 5, 0.85);
}

// Chains of capsules with ball joints fall across each other and over a beam.
static void make_ropes(stage *s)
{
  const double link = 0.2, radius = 0.05;
  start_stage(s, 0.5, 0.05 * RADIUS);
  add(s, shape_plane(ts_vec3_make(0.0, 0.0, 1.0), 0.0), 0.0, ts_vec3_make(0.0, 0.0, 0.0), ts_quat_identity());
  add(s, shape_box(0.2, 2.0, 0.2), 0.0, ts_vec3_make(0.03, 0.0, 0.1), ts_quat_identity());
  for (int rope = 0; rope < 6; ++rope) {
    const bool turned = rope % 2 == 1;
    const ts_vec3 along = turned ? ts_vec3_make(0.0, 1.0, 0.0) : ts_vec3_make(1.0, 0.0, 0.0);
    const ts_vec3 aside = ts_vec3_make(turned ? 0.25 * (rope - 3) : 0.0, turned ? 0.0 : 0.25 * (rope - 2), 0.0);
    const ts_quat lying = ts_quat_exp(ts_scale(0.5 * TS_PI, ts_cross(ts_vec3_make(0.0, 0.0, 1.0), along)));
    for (int k = 0; k < 6; ++k) {
      const ts_vec3 up = {0.0, 0.0, 0.27 + 0.12 * rope}, at = ts_add(aside, ts_scale(link * (k - 2.5), along));
      const int body = add(s, shape_capsule(radius, link), 1.0, ts_add(at, up), lying);
      if (k > 0)
        s->joints[s->scene.joint_count++] =
            (audit_joint){body - 1, body, {{0.0, 0.0, 0.5 * link}, {0.0, 0.0, -0.5 * link}}};
    }
  }
}

// ---- runs ----------------------------------------------------------------------------------------------------------

static void must(ts_status status, const ts_error *error)
{
  if (status != TS_OK) fail_msg("%s", error->text);
}

static void build(world *w, stage *s)
{
  ts_error error;
  world_init(w, TS_SPACE_3D);
  world_friction(w, s->scene.friction, 0.0);
  for (int b = 0; b < s->scene.body_count; ++b) {
    char name[16];
    snprintf(name, sizeof name, "body%d", b);
    ts_body_def def = ts_body_def_default();
    def.name = name;
    def.kind = s->bodies[b].mass > 0.0 ? TS_DYNAMIC : TS_FIXED;
    if (s->bodies[b].mass > 0.0) def.mass = s->bodies[b].mass;
    def.pose = s->bodies[b].pose;
    if (b == s->scene.body_count - 1) def.velocity.linear = s->velocity;
    world_add_def(w, &def, s->bodies[b].shape);
  }
  for (int j = 0; j < s->scene.joint_count; ++j) {
    ts_joint_def def = ts_joint_def_default();
    def.kind = TS_JOINT_SPHERICAL;
    def.parent = s->joints[j].parent;
    def.child = s->joints[j].child;
    def.at = s->joints[j].at[0];
    must(ts_builder_add_joint(w->builder, &def, NULL, &error), &error);
  }
  w->options.size = s->scene.step_size;
  w->options.tolerance = s->scene.tolerance;
  w->options.accuracy = -1.0;
  world_start(w);
}

// The default length is 1e-5 of half the least width of the smallest body.
static double default_accuracy(const stage *s)
{
  double least = INFINITY;
  for (int b = 0; b < s->scene.body_count; ++b) {
    const ts_shape *shape = &s->bodies[b].shape;
    if (s->bodies[b].mass == 0.0) continue;
    const double box = 0.5 * fmin(shape->size.x, fmin(shape->size.y, shape->size.z));
    least = fmin(least, shape->kind == TS_SHAPE_BOX ? box : shape->radius);
  }
  return 1e-5 * least;
}

// Run, record, and read what was recorded.
static void record(stage *s, int steps, const char *path, audit_run *run)
{
  ts_error error;
  world w;
  build(&w, s);
  s->scene.accuracy = default_accuracy(s);
  must(ts_sim_measure_joints(w.sim, s->scene.joint_count > 0, &error), &error);
  ts_recorder *recorder;
  must(ts_recorder_create(path, w.sim, NULL, &recorder, &error), &error);
  must(ts_recorder_add(recorder, w.sim, true, &error), &error);
  for (int k = 0; k < steps; ++k) {
    must(ts_sim_step(w.sim, &error), &error);
    must(ts_recorder_add(recorder, w.sim, true, &error), &error);
  }
  must(ts_recorder_close(recorder, w.sim, &error), &error);
  world_release(&w);
  ts_record *read;
  must(ts_record_open(path, &read, &error), &error);
  assert_true(audit_run_read(run, &s->scene, read));
  ts_record_close(read);
  assert_int_equal(run->step_count, steps);
}

static audit pass(stage *s, int steps, const char *path)
{
  audit_run run;
  record(s, steps, path, &run);
  const audit a = audit_of(&s->scene, &run);
  if (a.mistakes) fail_msg("%s", a.sentence);
  assert_true(20 * a.cut <= steps);
  audit_run_release(&run);
  return a;
}

static void piles_are_as_recorded(void **state)
{
  const double frictions[] = {0.3, 0.6};
  for (int kind = SPHERES; kind <= MIXED; ++kind)
    for (int k = 0; k < 2; ++k) {
      stage s;
      make_pile(&s, (mix)kind, frictions[k]);
      const audit a = pass(&s, 120, scratch_path(*state, k == 0 ? "pile.h5" : "pile.csv"));
      assert_int_equal(a.within_length > 0,
                       kind != BOXES); // boxes stay towers, and small islands come to the tolerance
    }
}

static void a_wall_is_as_recorded(void **state)
{
  stage s;
  make_wall(&s);
  const audit a = pass(&s, 80, scratch_path(*state, "wall.h5"));
  assert_true(a.within_length > 0);
}

static void a_hopper_is_as_recorded(void **state)
{
  stage s;
  make_hopper(&s);
  const audit a = pass(&s, 120, scratch_path(*state, "hopper.csv"));
  assert_true(a.within_length > 0);
}

static void ropes_are_as_recorded(void **state)
{
  stage s;
  make_ropes(&s);
  const audit a = pass(&s, 100, scratch_path(*state, "ropes.h5"));
  assert_true(a.within_length > 0);
}

// ---- records that are wrong ----------------------------------------------------------------------------------------

enum { ENOUGH = 70 }; // steps until some are within the length

// The audit finds this mistake while a number is another one.
static void expect_mistake(const stage *s, const audit_run *run, double *number, double wrong, audit_mistake mistake)
{
  const double right = *number;
  *number = wrong;
  const audit a = audit_of(&s->scene, run);
  if (!(a.mistakes & (unsigned)mistake))
    fail_msg("%.17g instead of %.17g: %x (%s)", wrong, right, a.mistakes, a.sentence);
  *number = right;
}

static void expect_mistake_of_count(const stage *s, const audit_run *run, int *number, int wrong, audit_mistake mistake)
{
  const int right = *number;
  *number = wrong;
  const audit a = audit_of(&s->scene, run);
  if (!(a.mistakes & (unsigned)mistake)) fail_msg("%d instead of %d: %x (%s)", wrong, right, a.mistakes, a.sentence);
  *number = right;
}

static int step_within_length(const audit_run *run)
{
  for (int step = run->step_count - 1; step >= 0; --step)
    if (run->steps[step].within_length > 0) return step;
  fail_msg("no step is within the length");
  return -1;
}

static ts_recorded_contact *largest_contact(const audit_run *run, int step)
{
  ts_recorded_contact *largest = &run->contacts[run->first[step]];
  for (int i = run->first[step]; i < run->first[step + 1]; ++i)
    if (run->contacts[i].pn > largest->pn) largest = &run->contacts[i];
  return largest;
}

static void wrong_motions_are_found(void **state)
{
  stage s;
  audit_run run;
  make_pile(&s, SPHERES, 0.3);
  record(&s, 40, scratch_path(*state, "pile.h5"), &run);
  assert_int_equal(audit_of(&s.scene, &run).mistakes, 0);
  const int at = 30 * run.body_count + run.body_count - 7;
  ts_pose *pose = &run.poses[at];
  ts_twist *twist = &run.twists[at];
  expect_mistake(&s, &run, &pose->position.x, pose->position.x + 1e-9, AUDIT_MOTION);
  expect_mistake(&s, &run, &pose->orientation.y, pose->orientation.y + 1e-9, AUDIT_MOTION);
  expect_mistake(&s, &run, &twist->linear.y, twist->linear.y + 1e-9, AUDIT_MOMENTUM);
  expect_mistake(&s, &run, &twist->angular.z, twist->angular.z + 1e-9, AUDIT_ANGULAR);
  expect_mistake(&s, &run, &pose->position.z, pose->position.z - 0.03, AUDIT_OVERLAP);
  for (int k = 0; k < run.step_count; ++k)
    if (run.steps[k].penetration > 1e-9) {
      expect_mistake(&s, &run, &run.steps[k].penetration, 0.5 * run.steps[k].penetration, AUDIT_OVERLAP);
      break;
    }
  audit_run_release(&run);
}

static void wrong_contacts_are_found(void **state)
{
  stage s;
  audit_run run;
  make_pile(&s, SPHERES, 0.3);
  record(&s, ENOUGH, scratch_path(*state, "pile.csv"), &run);
  const int within = step_within_length(&run);
  ts_recorded_contact *c = largest_contact(&run, within);
  expect_mistake(&s, &run, &c->pn, c->pn * (1.0 + 1e-8), AUDIT_MOMENTUM);
  expect_mistake(&s, &run, &c->pt, c->pt + 1e-8, AUDIT_MOMENTUM);
  expect_mistake(&s, &run, &c->pt, 2.0 * s.scene.friction * c->pn, AUDIT_CONE);
  expect_mistake(&s, &run, &c->point.x, c->point.x + 1e-6, AUDIT_ANGULAR);
  expect_mistake(&s, &run, &c->normal.x, c->normal.x + 1e-6, AUDIT_MOMENTUM);
  expect_mistake(&s, &run, &c->gap, c->gap + 1e-3, AUDIT_GAP);
  audit_run_release(&run);
}

static void wrong_certificates_are_found(void **state)
{
  stage s;
  audit_run run;
  make_pile(&s, SPHERES, 0.3);
  record(&s, ENOUGH, scratch_path(*state, "pile.h5"), &run);
  audit_step *step = &run.steps[step_within_length(&run)];
  expect_mistake(&s, &run, &step->velocity_error, 0.99 * step->velocity_error, AUDIT_ERROR);
  expect_mistake(&s, &run, &step->velocity_error, 1.01 * step->velocity_error, AUDIT_ERROR);
  expect_mistake(&s, &run, &step->length_error, 0.99 * step->length_error, AUDIT_ERROR);
  expect_mistake(&s, &run, &step->residual, 0.99 * step->residual, AUDIT_RESIDUAL);
  expect_mistake_of_count(&s, &run, &step->within_length, 0, AUDIT_CERTIFICATE);
  expect_mistake_of_count(&s, &run, &step->certified, 0, AUDIT_CERTIFICATE);
  expect_mistake_of_count(&s, &run, &step->contacts, step->contacts + 1, AUDIT_GAP);
  audit_run_release(&run);
}

int main(void)
{
#define WITH_FOLDER(test) cmocka_unit_test_setup_teardown(test, scratch_folder_set_up, scratch_folder_tear_down)
  const struct CMUnitTest tests[] = {
      WITH_FOLDER(piles_are_as_recorded),        WITH_FOLDER(a_wall_is_as_recorded),
      WITH_FOLDER(a_hopper_is_as_recorded),      WITH_FOLDER(ropes_are_as_recorded),
      WITH_FOLDER(wrong_motions_are_found),      WITH_FOLDER(wrong_contacts_are_found),
      WITH_FOLDER(wrong_certificates_are_found),
  };
  return cmocka_run_group_tests(tests, NULL, NULL);
}
