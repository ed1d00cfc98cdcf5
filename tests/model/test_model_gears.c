// Gears that a builder or a model refuses, in one sentence that names the joint.
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdio.h>
#include <string.h>
#include <cmocka.h>

#include "mechanism.h"
#include "near.h"

static const ts_vec3 Z = {0.0, 0.0, 1.0}, NONE = {0.0, 0.0, 0.0}, BALL = {1.0, 1.0, 1.0};

// Joints of these kinds, named a, b, c and so on, to the world.
static void joints(world *w, const ts_joint_kind *kinds, int count)
{
  world_init(w, TS_SPACE_3D);
  for (int k = 0; k < count; ++k) {
    const char name[] = {(char)('a' + k), '\0'};
    const int body = mechanism_body(w, name, 1.0, BALL, NONE);
    ts_joint_def def = mechanism_joint(kinds[k], TS_WORLD, body, NONE, Z);
    def.name = name;
    mechanism_add(w, &def);
  }
}

static void hinges(world *w, int count)
{
  const ts_joint_kind kinds[8] = {TS_JOINT_REVOLUTE, TS_JOINT_REVOLUTE, TS_JOINT_REVOLUTE, TS_JOINT_REVOLUTE};
  joints(w, kinds, count);
}

static ts_status add(world *w, int joint, const ts_gear_term *terms, int count, double offset, ts_error *error)
{
  ts_gear_def def = ts_gear_def_default();
  def.joint = joint;
  def.terms = terms;
  def.term_count = count;
  def.offset = offset;
  return ts_builder_add_gear(w->builder, &def, NULL, error);
}

static void refuse(world *w, int joint, const ts_gear_term *terms, int count, double offset, const char *words)
{
  ts_error error = {0};
  assert_int_equal(add(w, joint, terms, count, offset, &error), TS_INVALID);
  if (!strstr(error.text, words)) fail_msg("'%s' does not say '%s'", error.text, words);
}

static void accept(world *w, int joint, int followed, double ratio, double offset)
{
  ts_error error = {0};
  if (add(w, joint, &(ts_gear_term){followed, ratio}, 1, offset, &error) != TS_OK) fail_msg("%s", error.text);
}

static void bad_terms_are_refused(void **state)
{
  (void)state;
  const double ratios[] = {0.0, NAN, INFINITY, -INFINITY, 1e10, 1e-10};
  const double offsets[] = {NAN, INFINITY, -1e61};
  ts_gear_term many[TS_MOST_GEAR_TERMS + 1];
  world w;
  hinges(&w, 3);
  for (int k = 0; k <= TS_MOST_GEAR_TERMS; ++k) many[k] = (ts_gear_term){1, 1.0};
  for (size_t k = 0; k < sizeof ratios / sizeof ratios[0]; ++k)
    refuse(&w, 0, &(ts_gear_term){1, ratios[k]}, 1, 0.0, "joint 'a': the ratio of its gear is");
  for (size_t k = 0; k < sizeof offsets / sizeof offsets[0]; ++k)
    refuse(&w, 0, &(ts_gear_term){1, 1.0}, 1, offsets[k], "joint 'a': the offset of its gear");
  refuse(&w, 0, &(ts_gear_term){0, 1.0}, 1, 0.0, "joint 'a': its gear makes it follow itself");
  refuse(&w, 0, (ts_gear_term[]){{1, 1.0}, {2, 1.0}, {1, 2.0}}, 3, 0.0, "joint 'a': its gear names 'b' twice");
  refuse(&w, 0, &(ts_gear_term){3, 1.0}, 1, 0.0, "there is no joint number 3");
  refuse(&w, 0, &(ts_gear_term){-1, 1.0}, 1, 0.0, "there is no joint number -1");
  refuse(&w, 3, &(ts_gear_term){0, 1.0}, 1, 0.0, "there is no joint number 3");
  refuse(&w, 0, NULL, 1, 0.0, "joint 'a': its gear must name 1 to 32 joints");
  refuse(&w, 0, many, 0, 0.0, "joint 'a': its gear must name 1 to 32 joints");
  refuse(&w, 0, many, TS_MOST_GEAR_TERMS + 1, 0.0, "joint 'a': its gear must name 1 to 32 joints");
  ts_error error;
  const ts_gear_def blank = {.joint = 0, .terms = many, .term_count = 1};
  assert_int_equal(ts_builder_add_gear(w.builder, &blank, NULL, &error), TS_INVALID);
  assert_non_null(strstr(error.text, "ts_gear_def_default()"));
  assert_int_equal(ts_builder_add_gear(w.builder, NULL, NULL, &error), TS_INVALID);
  accept(&w, 0, 1, 1.0, 0.0);
  refuse(&w, 0, &(ts_gear_term){2, 1.0}, 1, 0.0, "joint 'a': it has a gear already");
  world_release(&w);
}

static void joints_without_a_coordinate_are_refused(void **state)
{
  (void)state;
  const ts_joint_kind kinds[] = {TS_JOINT_REVOLUTE, TS_JOINT_SPHERICAL, TS_JOINT_UNIVERSAL, TS_JOINT_CYLINDRICAL,
                                 TS_JOINT_PLANAR,   TS_JOINT_WELD,      TS_JOINT_PRISMATIC, TS_JOINT_SCREW};
  world w;
  joints(&w, kinds, 8);
  for (int k = 1; k <= 5; ++k) {
    refuse(&w, 0, &(ts_gear_term){k, 1.0}, 1, 0.0, "joint 'a': its gear needs joints of one freedom");
    refuse(&w, k, &(ts_gear_term){0, 1.0}, 1, 0.0, "its gear needs joints of one freedom");
  }
  accept(&w, 0, 6, 1.0, 0.0);
  accept(&w, 7, 0, 1.0, 0.0);
  world_release(&w);
}

// However long the way round is, and whatever hangs on it.
static void circles_are_refused(void **state)
{
  (void)state;
  world w;
  hinges(&w, 2);
  accept(&w, 0, 1, 2.0, 0.0);
  accept(&w, 1, 0, 0.5, 0.0);
  mechanism_refuse(&w, "its gear makes it follow itself, by way of other joints");
  world_release(&w);
  hinges(&w, 4);
  accept(&w, 0, 1, 1.0, 0.0); // follows the circle, and is not of it
  accept(&w, 1, 2, 1.0, 0.0);
  accept(&w, 2, 3, 1.0, 0.0);
  accept(&w, 3, 1, 1.0, 0.0);
  mechanism_refuse(&w, "its gear makes it follow itself, by way of other joints");
  ts_error error;
  ts_model *model;
  ts_builder_finish(w.builder, &model, &error);
  assert_null(strstr(error.text, "joint 'a'"));
  world_release(&w);
}

static void start_at(world *w, const double *position, const double *velocity)
{
  world_init(w, TS_SPACE_3D);
  for (int k = 0; k < 2; ++k) {
    const char name[] = {(char)('a' + k), '\0'};
    const int body = mechanism_body(w, name, 1.0, BALL, NONE);
    ts_joint_def def = mechanism_joint(TS_JOINT_REVOLUTE, TS_WORLD, body, NONE, Z);
    def.name = name;
    def.position = position[k];
    def.velocity = velocity[k];
    def.limited = k == 1;
    def.lower = -1.0;
    def.upper = 1.0;
    mechanism_add(w, &def);
  }
  accept(w, 1, 0, 2.0, 0.1);
}

static void starts_that_do_not_fit_are_refused(void **state)
{
  (void)state;
  static const struct {
    double position[2], velocity[2];
    const char *words;
  } cases[] = {
      {{0.2, 0.4}, {0.0, 0.0}, "joint 'b': its position is 0.4, but its gear asks for 0.5"},
      {{0.0, 0.6}, {0.0, 0.0}, "joint 'b': its position is 0.6, but its gear asks for 0.1"},
      {{0.2, 0.0}, {1.0, 1.9}, "joint 'b': its velocity is 1.9, but its gear asks for 2"},
      {{0.5, 0.0}, {0.0, 0.0}, "joint 'b': its gear asks for the position 1.1, outside of its limits -1 and 1"},
      {{1e60, 0.0}, {0.0, 0.0}, "joint 'b': its gear asks for a position of 2e+60"},
  };
  world w;
  for (size_t k = 0; k < sizeof cases / sizeof cases[0]; ++k) {
    start_at(&w, cases[k].position, cases[k].velocity);
    mechanism_refuse(&w, cases[k].words);
    world_release(&w);
  }
  start_at(&w, (const double[]){0.2, 0.5}, (const double[]){1.0, 2.0});
  world_start(&w);
  double rate;
  assert_near(ts_sim_joint_position(w.sim, 1, &rate), 0.5, 1e-14);
  assert_near(rate, 2.0, 1e-14);
  world_release(&w);
}

// A train as long as memory is, followed from its end.
static void long_trains_are_followed(void **state)
{
  (void)state;
  enum { WHEELS = 5000 };
  world w;
  char name[16];
  world_init(&w, TS_SPACE_3D);
  for (int k = 0; k < WHEELS; ++k) {
    snprintf(name, sizeof name, "wheel%d", k);
    const int body = mechanism_body(&w, name, 1.0, BALL, NONE);
    ts_joint_def def = mechanism_joint(TS_JOINT_REVOLUTE, TS_WORLD, body, NONE, Z);
    if (k == WHEELS - 1) def.position = 0.1;
    mechanism_add(&w, &def);
  }
  for (int k = 0; k + 1 < WHEELS; ++k) accept(&w, k, k + 1, k % 2 ? 2.0 : 0.5, 0.0);
  ts_error error;
  assert_int_equal(ts_builder_finish(w.builder, &w.model, &error), TS_OK);
  assert_near(ts_model_joint(w.model, 1).position, 0.1 * 1.0, 1e-15);
  assert_near(ts_model_joint(w.model, 0).position, 0.1 * 0.5, 1e-15);
  world_release(&w);
}

int main(void)
{
  const struct CMUnitTest tests[] = {
      cmocka_unit_test(bad_terms_are_refused),    cmocka_unit_test(joints_without_a_coordinate_are_refused),
      cmocka_unit_test(circles_are_refused),      cmocka_unit_test(starts_that_do_not_fit_are_refused),
      cmocka_unit_test(long_trains_are_followed),
  };
  return cmocka_run_group_tests(tests, NULL, NULL);
}
