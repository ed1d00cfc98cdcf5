// What a scene means: the model it builds is the one that a program builds by hand; its text reads back as the same.
#define _XOPEN_SOURCE 700 // truncate
#include "touchstone/scene.h"

#include "model_compare.h"
#include "option_compare.h"
#include "scratch_folder.h"

#include "math/vec3.h"

#include <stdarg.h>
#include <stddef.h>
#include <setjmp.h>
#include <stdint.h>
#include <cmocka.h>
#include <locale.h>
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

// ---- helpers -------------------------------------------------------------------------------------------------------

static ts_scene *read_with(const char *text, const char *const *overrides, int count)
{
  ts_scene *scene;
  ts_error error = {0};
  if (ts_scene_parse(text, strlen(text), "test.yaml", overrides, count, &scene, &error) != TS_OK)
    fail_msg("%s:%d:%d: %s", error.file, error.line, error.column, error.text);
  return scene;
}

static ts_scene *read_text(const char *text)
{
  return read_with(text, NULL, 0);
}

static void assert_same_model(const ts_model *a, const ts_model *b)
{
  const char *difference = model_difference(a, b);
  if (difference) fail_msg("the models differ in %s", difference);
}

static void assert_same_options(const ts_step_options *a, const ts_step_options *b)
{
  const char *difference = option_difference(a, b);
  if (difference) fail_msg("the options differ in %s", difference);
}

static void assert_same_scene(const char *a, const char *b)
{
  ts_scene *first = read_text(a), *second = read_text(b);
  assert_same_model(ts_scene_model(first), ts_scene_model(second));
  assert_same_options(ts_scene_options(first), ts_scene_options(second));
  assert_true(ts_scene_duration(first) == ts_scene_duration(second));
  assert_true(ts_scene_output_interval(first) == ts_scene_output_interval(second));
  ts_scene_destroy(first);
  ts_scene_destroy(second);
}

static void assert_refused(const char *text, const char *const *overrides, int count, int line, const char *words)
{
  ts_scene *scene;
  ts_error error = {0};
  assert_int_not_equal(ts_scene_parse(text, strlen(text), "test.yaml", overrides, count, &scene, &error), TS_OK);
  assert_null(scene);
  if (!strstr(error.text, words)) fail_msg("'%s' does not say '%s'", error.text, words);
  if (error.line != line) fail_msg("line %d, not %d: %s", error.line, line, error.text);
  assert_int_equal(error.column > 0, line > 0);
}

static ts_pose pose_of(const ts_scene *scene, const char *body)
{
  ts_sim *sim;
  assert_int_equal(ts_sim_create(ts_scene_model(scene), ts_scene_options(scene), NULL, &sim, NULL), TS_OK);
  const ts_pose pose = ts_sim_pose(sim, ts_model_find_body(ts_scene_model(scene), body));
  ts_sim_destroy(sim);
  return pose;
}

static void assert_near(ts_vec3 a, double x, double y, double z)
{
  assert_true(fabs(a.x - x) < 1e-14 && fabs(a.y - y) < 1e-14 && fabs(a.z - z) < 1e-14);
}

#define HEAD "touchstone: 1\n"
#define BALL "bodies: [{name: ball, mass: 1, shape: {sphere: {radius: 1}}}]\n"

// ---- meaning -------------------------------------------------------------------------------------------------------

static ts_model *sphere_by_hand(void)
{
  ts_builder *builder = ts_builder_create(TS_SPACE_3D);
  ts_contact_law law = ts_contact_law_default();
  law.friction = 0.2;
  assert_int_equal(ts_builder_set_contact(builder, &law, NULL), TS_OK);
  ts_body_def floor = ts_body_def_default(), ball = ts_body_def_default();
  floor.name = "floor";
  floor.kind = TS_FIXED;
  ball.name = "ball";
  ball.mass = 1.0;
  ball.pose.position.z = 1.0;
  ball.velocity.linear.x = 2.0;
  ts_part_def plane = ts_part_def_default(), sphere = ts_part_def_default();
  plane.shape = (ts_shape){.kind = TS_SHAPE_PLANE, .normal = {0.0, 0.0, 1.0}};
  sphere.shape = (ts_shape){.kind = TS_SHAPE_SPHERE, .radius = 1.0};
  int part;
  assert_int_equal(ts_builder_add_body(builder, &floor, &plane.body, NULL), TS_OK);
  assert_int_equal(ts_builder_add_body(builder, &ball, &sphere.body, NULL), TS_OK);
  assert_int_equal(ts_builder_add_part(builder, &plane, &part, NULL), TS_OK);
  assert_int_equal(ts_builder_add_part(builder, &sphere, &part, NULL), TS_OK);
  ts_model *model;
  assert_int_equal(ts_builder_finish(builder, &model, NULL), TS_OK);
  ts_builder_destroy(builder);
  return model;
}

static void a_scene_is_what_a_program_builds(void **state)
{
  (void)state;
  ts_scene *scene = read_text(HEAD "name: sphere slides, then rolls\n"
                                   "gravity: [0, 0, -9.81]\n"
                                   "contact: {friction: 0.2, restitution: 0}\n"
                                   "bodies:\n"
                                   "  - name: floor\n"
                                   "    kind: fixed\n"
                                   "    shape: {plane: {normal: [0, 0, 1], offset: 0}}\n"
                                   "  - name: ball\n"
                                   "    kind: dynamic\n"
                                   "    mass: 1                      # inertia follows from shape unless given\n"
                                   "    shape: {sphere: {radius: 1}}\n"
                                   "    position: [0, 0, 1]\n"
                                   "    velocity: [2, 0, 0]\n"
                                   "step:\n"
                                   "  method: stewart-trinkle\n"
                                   "  size: 5e-4\n"
                                   "  cone: {polyhedral: {directions: 4, align: fixed, angle: 0.5}}\n"
                                   "  solver: auto\n"
                                   "duration: 0.6\n");
  ts_model *by_hand = sphere_by_hand();
  assert_same_model(ts_scene_model(scene), by_hand);
  assert_string_equal(ts_scene_name(scene), "sphere slides, then rolls");
  const ts_step_options *options = ts_scene_options(scene);
  assert_ptr_equal(options->method, ts_stepper_find("stewart-trinkle"));
  assert_ptr_equal(options->solver, ts_solver_find("auto"));
  assert_true(options->size == 5e-4 && options->cone == TS_CONE_POLYHEDRAL && options->directions == 4);
  assert_true(options->align == TS_ALIGN_FIXED && options->direction_angle == 0.5);
  assert_true(ts_scene_duration(scene) == 0.6 && ts_scene_output_interval(scene) == 0.0);
  ts_model_destroy(by_hand);
  ts_scene_destroy(scene);
}

static void defaults_can_be_written_down(void **state)
{
  (void)state;
  assert_same_scene(
      HEAD "bodies: [{name: a, shape: {sphere: {radius: 1}}}, {name: b, position: [5, 0, 0], shapes: [{box: {size: "
           "[1, 1, 1]}}], joint: {type: revolute, limits: [-1, 1], at: [5, 0, 0]}}]\n"
           "springs: [{bodies: [world, a], length: 1}]\nforces: [{body: a, at: [0, 0, 0]}]\nmaterials: [{name: m}]\n",
      HEAD "name: \"\"\nspace: 3d\ngravity: [0, 0, -9.81]\ncontact: {friction: 0.5, restitution: 0, ellipsoid: [1, 1, "
           "0]}\n"
           "combine: {friction: geometric, restitution: geometric}\nmaterials: [{name: m, friction: 0.5, restitution: "
           "0, ellipsoid: [1, 1, 0]}]\npairs: []\n"
           "bodies: [{name: a, kind: dynamic, shape: {sphere: {radius: 1}}, density: 1000, rotates: true, position: "
           "[0, 0, 0], orientation: [1, 0, 0, 0], velocity: [0, 0, 0], angular_velocity: [0, 0, 0], gravity_scale: [1, "
           "1, 1]}, {name: b, position: [5, 0, 0], shapes: [{box: {size: [1, 1, 1]}, position: [0, 0, 0], "
           "orientation: [1, 0, 0, 0], massless: false}], joint: {type: revolute, parent: world, limits: [-1, 1], "
           "restitution: 0, at: [5, 0, 0], axis: [0, 0, 1]}}]\n"
           "springs: [{bodies: [world, a], length: 1, at: [[0, 0, 0], [0, 0, 0]], stiffness: 0, damping: 0, implicit: "
           "true}]\nforces: [{body: a, at: [0, 0, 0], force: [0, 0, 0], torque: [0, 0, 0], follows: false}]\n"
           "joints: []\nduration: 1\noutput: {interval: 0}\nallow_overlap: false\n");
}

static void cones_are_read(void **state)
{
  (void)state;
  ts_scene *scene = read_text(HEAD "bodies:\n- {name: a, shape: {cone: {radius: 0.3, top_radius: 0.2, length: 0.5}}}\n"
                                   "- {name: b, position: [5, 0, 0], shape: {cone: {length: 4, radius: 1}}}\n");
  const ts_shape *cut = ts_model_part_shape(ts_scene_model(scene), 0);
  const ts_shape *whole = ts_model_part_shape(ts_scene_model(scene), 1);
  assert_true(cut->kind == TS_SHAPE_CONE && cut->radius == 0.3 && cut->top_radius == 0.2 && cut->length == 0.5);
  assert_true(whole->kind == TS_SHAPE_CONE && whole->radius == 1.0 && whole->top_radius == 0.0 && whole->length == 4.0);
  ts_scene_destroy(scene);
  static const char *const bad[][2] = {
      {"radius: 0, length: 1", "'radius' must be > 0"},
      {"radius: -1, length: 1", "'radius' must be > 0"},
      {"radius: 1, length: 0", "'length' must be > 0"},
      {"radius: 1, length: 1, top_radius: -0.1", "'top_radius' must be >= 0"},
      {"radius: 1, length: 1e40", "the length of a cone must be between 1e-30 and 1e+30, not 1e+40"},
      {"radius: 1, length: 1, top_radius: 1e40", "the top radius of a cone must be between 1e-30 and 1e+30"},
      {"radius: 1, length: 1, top_radius: .nan", "'top_radius' must be a number"},
      {"radius: 1", "a cone needs 'length'"},
  };
  for (size_t i = 0; i < sizeof bad / sizeof bad[0]; ++i) {
    char text[256];
    snprintf(text, sizeof text, HEAD "bodies:\n- name: a\n  shape: {cone: {%s}}\n", bad[i][0]);
    assert_refused(text, NULL, 0, 4, bad[i][1]);
  }
  assert_refused(HEAD "space: 2d\nbodies:\n- name: a\n  shape: {cone: {radius: 1, length: 1}}\n", NULL, 0, 5,
                 "'cone' does not exist in 2d scenes");
}

static void superellipsoids_are_read(void **state)
{
  (void)state;
  ts_scene *scene = read_text(
      HEAD "bodies:\n- {name: a, shape: {superellipsoid: {semi_axes: [0.3, 0.2, 0.1], exponents: [2, 3.5, 100]}}}\n");
  const ts_shape *solid = ts_model_part_shape(ts_scene_model(scene), 0);
  assert_true(solid->kind == TS_SHAPE_SUPERELLIPSOID && solid->size.y == 0.2 && solid->exponents.z == 100.0);
  ts_scene_destroy(scene);
  scene = read_text(HEAD
                    "space: 2d\nbodies:\n- {name: a, shape: {superellipse: {semi_axes: [2, 1], exponents: [2, 4]}}}\n");
  const ts_shape *flat = ts_model_part_shape(ts_scene_model(scene), 0);
  assert_true(flat->kind == TS_SHAPE_SUPERELLIPSE && flat->size.x == 2.0 && flat->exponents.y == 4.0);
  ts_scene_destroy(scene);
  static const char *const bad[][2] = {
      {"semi_axes: [1, 1, 1], exponents: [2, 1.9, 2]", "'exponents' must be 2 to 1000, not 1.9"},
      {"semi_axes: [1, 1, 1], exponents: [2, 2, .inf]", "'exponents' must be a list of 3 numbers"},
      {"semi_axes: [1, 1, 1], exponents: [2, 2, 1001]", "'exponents' must be 2 to 1000"},
      {"semi_axes: [1, 0, 1], exponents: [2, 2, 2]", "'semi_axes' must be > 0"},
      {"semi_axes: [1, -1, 1], exponents: [2, 2, 2]", "'semi_axes' must be > 0"},
      {"semi_axes: [1, 1, 1], exponents: [2, 2]", "'exponents' must have 3 entries, not 2"},
      {"semi_axes: [1, 1, 1], exponents: 2", "'exponents' must be a list of 3 numbers"},
      {"semi_axes: [1, 1, 1]", "a superellipsoid needs 'exponents'"},
      {"semi_axes: [1, 1, 1e40], exponents: [2, 2, 2]", "the semi-axis of a superellipsoid must be between"},
  };
  for (size_t i = 0; i < sizeof bad / sizeof bad[0]; ++i) {
    char text[256];
    snprintf(text, sizeof text, HEAD "bodies:\n- name: a\n  shape: {superellipsoid: {%s}}\n", bad[i][0]);
    assert_refused(text, NULL, 0, 4, bad[i][1]);
  }
  assert_refused(HEAD "bodies:\n- name: a\n  shape: {superellipse: {semi_axes: [1, 1], exponents: [2, 2]}}\n", NULL, 0,
                 4, "'superellipse' does not exist in 3d scenes");
}

static void intersections_are_read(void **state)
{
  (void)state;
  ts_scene *scene = read_text(
      HEAD "bodies:\n- {name: a, shape: {intersection: {members: [{sphere: {radius: 1}}, {plane: {normal: [0, 0, -2]}, "
           "position: [0, 0, -0.5]}]}}}\n");
  const ts_shape *cut = ts_model_part_shape(ts_scene_model(scene), 0);
  assert_true(cut->kind == TS_SHAPE_INTERSECTION && cut->member_count == 2 && cut->members[0].shape.radius == 1.0);
  assert_true(cut->members[1].shape.normal.z == -1.0 && cut->members[1].pose.position.z == -0.5);
  ts_scene_destroy(scene);
  static const char *const bad[][2] = {
      {"", "'members' must have at least 1 entry, not 0"},
      {"{sphere: {radius: 1}}, {sphere: {radius: 1}, position: [3, 0, 0]}", "is empty: no point lies in all"},
      {"{sphere: {radius: 1}}, {plane: {normal: [0, 0, 1], offset: -1}}", "has no inside"},
      {"{plane: {normal: [0, 0, 1]}}, {plane: {normal: [0, 0, -1], offset: 1}}", "has no end: its half-spaces"},
      {"{sphere: {radius: -1}}", "'radius' must be > 0"},
      {"{superellipsoid: {semi_axes: [1, 1, 1], exponents: [1, 2, 2]}}", "'exponents' must be 2 to 1000"},
      {"{point: {}}", "member 1 of an intersection: a point has no implicit function"},
      {"{position: [0, 0, 0]}", "a member of an intersection needs one of 'plane', 'point'"},
      {"{intersection: {members: [{sphere: {radius: 1}}]}}", "an intersection within another"},
  };
  for (size_t i = 0; i < sizeof bad / sizeof bad[0]; ++i) {
    char text[512];
    snprintf(text, sizeof text, HEAD "bodies:\n- name: a\n  shape: {intersection: {members: [%s]}}\n", bad[i][0]);
    assert_refused(text, NULL, 0, 4, bad[i][1]);
  }
  assert_refused(HEAD
                 "space: 2d\nbodies:\n- name: a\n  shape: {intersection: {members: [{disc: {radius: 1}}, {polygon: "
                 "{vertices: [[0, 0], [1, 1], [0, 0.5], [-1, 1]]}}]}}\n",
                 NULL, 0, 5, "member 2 of an intersection: the polygon is not convex");
}

static void step_defaults_are_the_librarys(void **state)
{
  (void)state;
  const ts_step_options expected = ts_step_options_default();
  int keys = 0;
  for (int i = 0; i < ts_scene_key_count(); ++i) {
    const ts_scene_key key = ts_scene_key_at(i);
    if (strncmp(key.path, "step.", 5) != 0 || !*key.fallback) continue;
    char text[512];
    const char *name = strrchr(key.path, '.') + 1;
    const bool nested = strstr(key.path, "polyhedral.") != NULL;
    snprintf(text, sizeof text,
             nested ? HEAD BALL "step: {cone: {polyhedral: {%s: %s}}}\n" : HEAD BALL "step: {%s: %s}\n", name,
             key.fallback);
    ts_scene *scene = read_text(text);
    ts_step_options options = *ts_scene_options(scene);
    if (nested) options.cone = expected.cone;
    if (option_difference(&options, &expected)) fail_msg("the default of %s is not '%s'", key.path, key.fallback);
    ts_scene_destroy(scene);
    ++keys;
  }
  assert_int_equal(keys, ts_step_option_count()); // every option has its key
}

static void words_are_the_enumerators_they_say(void **state)
{
  (void)state;
#define WORD(word, field, value)                                                                                       \
  {                                                                                                                    \
    ts_scene *scene = read_text(HEAD BALL "step: {" word "}\n");                                                       \
    assert_int_equal(ts_scene_options(scene)->field, value);                                                           \
    ts_scene_destroy(scene);                                                                                           \
  }
  WORD("cone: quadratic", cone, TS_CONE_QUADRATIC)
  WORD("cone: polyhedral", cone, TS_CONE_POLYHEDRAL)
  WORD("cone: {polyhedral: {align: slip}}", align, TS_ALIGN_SLIP)
  WORD("cone: {polyhedral: {align: fixed}}", align, TS_ALIGN_FIXED)
  WORD("cone: {polyhedral: {align: body}}", align, TS_ALIGN_BODY)
  WORD("impacts: default", impacts, TS_IMPACT_DEFAULT)
  WORD("impacts: inelastic", impacts, TS_IMPACT_INELASTIC)
  WORD("impacts: newton", impacts, TS_IMPACT_NEWTON)
  WORD("impacts: poisson", impacts, TS_IMPACT_POISSON)
  WORD("closing: default", closing, TS_CLOSING_DEFAULT)
  WORD("closing: gap", closing, TS_CLOSING_GAP)
  WORD("closing: impact", closing, TS_CLOSING_IMPACT)
  WORD("start: corrected", start, TS_START_CORRECTED)
  WORD("start: as_given", start, TS_START_AS_GIVEN)
  WORD("stabilization: default", stabilization, TS_STABILIZATION_DEFAULT)
  WORD("stabilization: full", stabilization, TS_STABILIZATION_FULL)
  WORD("stabilization: capped", stabilization, TS_STABILIZATION_CAPPED)
  WORD("stabilization: position", stabilization, TS_STABILIZATION_POSITION)
  WORD("stabilization: none", stabilization, TS_STABILIZATION_NONE)
  WORD("method: velocity, activate: current", activate, TS_ACTIVATE_CURRENT)
  WORD("method: velocity, activate: midpoint", activate, TS_ACTIVATE_MIDPOINT)
  WORD("method: velocity, activate: end", activate, TS_ACTIVATE_END)
  WORD("method: implicit, formulation: reduced", formulation, TS_FORMULATION_REDUCED)
  WORD("method: implicit, formulation: mncp", formulation, TS_FORMULATION_MNCP)
  WORD("gyroscopic: explicit", gyroscopic, TS_GYROSCOPIC_EXPLICIT)
  WORD("gyroscopic: implicit", gyroscopic, TS_GYROSCOPIC_IMPLICIT)
  WORD("gyroscopic: midpoint", gyroscopic, TS_GYROSCOPIC_MIDPOINT)
  WORD("coordinates: redundant", coordinates, TS_COORDINATES_REDUNDANT)
  WORD("coordinates: minimal", coordinates, TS_COORDINATES_MINIMAL)
  WORD("arms: common", arms, TS_ARMS_COMMON)
  WORD("arms: surface", arms, TS_ARMS_SURFACE)
  WORD("surfaces: end", surfaces, TS_SURFACES_END)
  WORD("surfaces: secant", surfaces, TS_SURFACES_SECANT)
  WORD("line_search: nonmonotone", line_search, TS_NONMONOTONE)
  WORD("line_search: monotone", line_search, TS_MONOTONE)
#undef WORD
}

// sqrt(0.2 * 0.8) = 0.4 and so on, by hand.
static void materials_are_combined_as_the_words_say(void **state)
{
  (void)state;
  static const struct {
    const char *rule;
    double friction;
  } cases[] = {{"geometric", 0.4}, {"arithmetic", 0.5}, {"minimum", 0.2}, {"maximum", 0.8}, {"product", 0.16}};
  for (size_t i = 0; i < sizeof cases / sizeof cases[0]; ++i) {
    char text[512];
    snprintf(text, sizeof text,
             HEAD
             "combine: {friction: %s}\nmaterials: [{name: m, friction: 0.2}, {name: n, friction: 0.8}]\n"
             "bodies: [{name: a, material: m, shape: {sphere: {radius: 1}}}, {name: b, material: n, position: [5, 0, "
             "0], shape: {sphere: {radius: 1}}}]\n",
             cases[i].rule);
    ts_scene *scene = read_text(text);
    ts_contact_law law;
    assert_true(ts_model_contact_law(ts_scene_model(scene), 0, 1, &law));
    assert_true(fabs(law.friction - cases[i].friction) < 1e-15);
    ts_scene_destroy(scene);
  }
}

// The table says which step options are legal for the place of a message; the library has the last word. They agree.

static void step_ranges_are_the_librarys(void **state)
{
  (void)state;
  for (int i = 0; i < ts_scene_key_count(); ++i) {
    const ts_scene_key key = ts_scene_key_at(i);
    if (strncmp(key.path, "step.", 5) != 0 || !*key.range || strstr(key.path, "polyhedral.")) continue;
    const char *name = strrchr(key.path, '.') + 1;
    static const struct {
      const char *range, *inside[3];
    } limits[] = {{"> 0", {"1e-9", "1", "1e3"}},      {">= 0", {"0", "1", "100"}},
                  {"0 to 1", {"0", "1", "0.5"}},      {"> 0 and < 1", {"1e-9", "0.1", "0.01"}},
                  {"0.5 to 1", {"0.5", "1", "0.75"}}, {"a power of 2 up to 1024", {"1", "2", "1024"}}};
    for (size_t k = 0; k < sizeof limits / sizeof limits[0]; ++k) {
      if (strcmp(limits[k].range, key.range) != 0) continue;
      for (int m = 0; m < 3; ++m) {
        char text[512];
        snprintf(text, sizeof text, HEAD BALL "step: {method: velocity, %s: %s}\n", name, limits[k].inside[m]);
        ts_scene_destroy(read_text(text));
      }
    }
  }
#define REFUSES(field, bad)                                                                                            \
  {                                                                                                                    \
    ts_step_options options = ts_step_options_default();                                                               \
    options.field = bad;                                                                                               \
    assert_int_not_equal(ts_step_options_check(&options, NULL), TS_OK);                                                \
  }
  REFUSES(size, 0.0);
  REFUSES(size, -1.0);
  REFUSES(tolerance, -1e-9);
  REFUSES(tolerance, 1.0);
  REFUSES(max_iterations, -1);
  REFUSES(rest_speed, -1e-9);
  REFUSES(recovery_speed, 0.0);
  REFUSES(theta, 0.49);
  REFUSES(theta, 1.01);
  REFUSES(margin, -1e-9);
  REFUSES(max_substeps, 0);
  REFUSES(max_substeps, 3);
  REFUSES(directions, 5);
  REFUSES(directions, 2);
}

// What docs/formats/scene.md says of numbers.
static void numbers_are_written_freely(void **state)
{
  (void)state;
  static const struct {
    const char *text;
    double number;
  } cases[] = {{"010", 10.0}, {"+1", 1.0}, {".5", 0.5}, {"5.", 5.0}, {"1.e2", 100.0}, {"+.5e+1", 5.0}, {"2E-1", 0.2}};
  for (size_t i = 0; i < sizeof cases / sizeof cases[0]; ++i) {
    char text[128];
    snprintf(text, sizeof text, HEAD "duration: %s\nbodies: [{name: a, kind: fixed}]\n", cases[i].text);
    ts_scene *scene = read_text(text);
    assert_true(ts_scene_duration(scene) == cases[i].number);
    ts_scene_destroy(scene);
  }
  static const char *const refused[] = {"0x10", "1_000", "1e", "0o10", ".", "1,5", ".inf", "NaN"};
  for (size_t i = 0; i < sizeof refused / sizeof refused[0]; ++i) {
    char text[128];
    snprintf(text, sizeof text, HEAD "duration: %s\nbodies: [{name: a, kind: fixed}]\n", refused[i]);
    assert_refused(text, NULL, 0, 2, "'duration' must be a number");
  }
}

// ---- places --------------------------------------------------------------------------------------------------------

// Rotations by a third of a turn about (1, 1, 1) take x to y.
static void orientations_come_in_four_forms(void **state)
{
  (void)state;
  const char *const forms[] = {"[0.5, 0.5, 0.5, 0.5]",
                               "[3, 3, 3, 3]",
                               "{axis: [2, 2, 2], angle: 2.0943951023931953}",
                               "[1e200, 1e200, 1e200, 1e200]",
                               "[1e-200, 1e-200, 1e-200, 1e-200]", // no length to square
                               "{axis: [1e200, 1e200, 1e200], angle: 2.0943951023931953}",
                               "{rotation_vector: [1.2091995761561452, 1.2091995761561452, 1.2091995761561452]}",
                               "{roll_pitch_yaw: [1.5707963267948966, 0, 1.5707963267948966]}"};
  for (size_t i = 0; i < sizeof forms / sizeof forms[0]; ++i) {
    char text[512];
    snprintf(text, sizeof text, HEAD "bodies: [{name: a, shape: {sphere: {radius: 1}}, orientation: %s}]\n", forms[i]);
    ts_scene *scene = read_text(text);
    const ts_pose pose = pose_of(scene, "a");
    assert_near(ts_quat_rotate(pose.orientation, (ts_vec3){1.0, 0.0, 0.0}), 0.0, 1.0, 0.0);
    assert_near(ts_quat_rotate(pose.orientation, (ts_vec3){0.0, 1.0, 0.0}), 0.0, 0.0, 1.0);
    ts_scene_destroy(scene);
  }
}

// A chain in which each link hangs on the one before, listed from its end: the order does not matter.
static void a_joint_places_its_body(void **state)
{
  (void)state;
  ts_scene *scene = read_text(
      HEAD "bodies:\n"
           "- {name: c, mass: 1, inertia: [1, 1, 1], joint: {type: revolute, parent: b, at: [1, 0, 0]}}\n"
           "- {name: b, mass: 1, inertia: [1, 1, 1], joint: {type: spherical, parent: a, at: [0, 2, 0]},\n"
           "   orientation: {axis: [0, 0, 1], angle: 3.141592653589793}}\n"
           "- {name: a, mass: 1, inertia: [1, 1, 1], joint: {type: fixed, at: [0, 0, 5]},\n"
           "   orientation: {axis: [0, 0, 1], angle: 1.5707963267948966}}\n"
           "- {name: d, mass: 1, inertia: [1, 1, 1], joint: {type: fixed, parent: c}, position: [7, 7, 7]}\n");
  assert_near(pose_of(scene, "a").position, 0.0, 0.0, 5.0);
  assert_near(pose_of(scene, "b").position, -2.0, 0.0, 5.0); // y of a is -x of the world
  assert_near(pose_of(scene, "c").position, -3.0, 0.0, 5.0); // b is turned by half a turn
  assert_near(pose_of(scene, "d").position, 7.0, 7.0, 7.0);
  ts_scene_destroy(scene);
  scene = read_text(HEAD "space: 2d\nbodies:\n"
                         "- {name: a, mass: 1, inertia: 1, position: [1, 2], angle: 1.5707963267948966}\n"
                         "- {name: b, mass: 1, inertia: 1, joint: {type: revolute, parent: a, at: [1, 0]}}\n");
  assert_near(pose_of(scene, "b").position, 1.0, 3.0, 0.0);
  ts_scene_destroy(scene);
}

static void a_box_in_the_plane_is_a_rectangle(void **state)
{
  (void)state;
  assert_same_scene(HEAD "space: 2d\nbodies: [{name: a, shape: {box: {size: [2, 1]}}}]\n",
                    HEAD "space: 2d\nbodies: [{name: a, shape: {polygon: {vertices: [[-1, -0.5], [1, -0.5], [1, 0.5], "
                         "[-1, 0.5]]}}}]\n");
  ts_scene *scene = read_text(HEAD "space: 2d\nbodies: [{name: a, shape: {box: {size: [2, 1]}}, density: 3}]\n");
  assert_true(fabs(ts_model_body_mass(ts_scene_model(scene), 0) - 6.0) < 1e-14);
  ts_scene_destroy(scene);
}

// ---- text ----------------------------------------------------------------------------------------------------------

static void assert_reads_back(const ts_scene *scene)
{
  const char *text = ts_scene_text(scene);
  ts_scene *again;
  ts_error error;
  if (ts_scene_parse(text, strlen(text), "elsewhere/again.yaml", NULL, 0, &again, &error) != TS_OK)
    fail_msg("%d:%d: %s in\n%s", error.line, error.column, error.text, text);
  assert_same_model(ts_scene_model(scene), ts_scene_model(again));
  assert_same_options(ts_scene_options(scene), ts_scene_options(again));
  assert_string_equal(ts_scene_name(scene), ts_scene_name(again));
  assert_true(ts_scene_duration(scene) == ts_scene_duration(again));
  assert_true(ts_scene_output_interval(scene) == ts_scene_output_interval(again));
  assert_string_equal(ts_scene_text(again), text); // and is in its final form
  ts_scene_destroy(again);
}

static void the_text_reads_back_as_the_same_scene(void **state)
{
  (void)state;
  const char *const files[] = {TEST_DATA "/scenes/every_key_3d.yaml", TEST_DATA "/scenes/every_key_2d.yaml"};
  for (int i = 0; i < 2; ++i) {
    ts_scene *scene;
    assert_int_equal(ts_scene_read(files[i], NULL, 0, &scene, NULL), TS_OK);
    assert_reads_back(scene);
    ts_scene_destroy(scene);
  }
}

static void names_of_all_sorts_read_back(void **state)
{
  (void)state;
  const char *const names[] = {
      "\"a: b\"", "\"- x\"",     "'#no comment'", "\"null\"", "\"~\"",  "1e3", "true", "\"say \\\"hi\\\"\"",
      "\"[x]\"",  "back\\slash", "tschüß",        "\"{\"",    "\"*a\"", "0x1", "...",  "\"'\""};
  for (size_t i = 0; i < sizeof names / sizeof names[0]; ++i) {
    char text[256];
    snprintf(text, sizeof text, HEAD "name: %s\nbodies: [{name: %s, shape: {sphere: {radius: 1}}}]\n", names[i],
             names[i]);
    ts_scene *scene = read_text(text);
    assert_reads_back(scene);
    ts_scene_destroy(scene);
  }
}

static void numbers_read_back_to_the_last_bit(void **state)
{
  (void)state;
  const char *const numbers[] = {"0.1",
                                 "1e-300",
                                 "123456789.123456789",
                                 "3.141592653589793238462643",
                                 "4.9e-5",
                                 "1e22",
                                 "+.5",
                                 "5.",
                                 "0.30000000000000004",
                                 "-0.0"};
  for (size_t i = 0; i < sizeof numbers / sizeof numbers[0]; ++i) {
    char text[256];
    snprintf(text, sizeof text, HEAD "bodies: [{name: a, shape: {sphere: {radius: 1}}, position: [%s, 0, 0]}]\n",
             numbers[i]);
    ts_scene *scene = read_text(text);
    assert_true(pose_of(scene, "a").position.x == strtod(numbers[i], NULL));
    assert_reads_back(scene);
    ts_scene_destroy(scene);
  }
}

// A program with a decimal comma reads and writes points all the same.
static void the_locale_does_not_matter(void **state)
{
  (void)state;
  if (!setlocale(LC_ALL, "de_DE.UTF-8") && !setlocale(LC_ALL, "de_DE.utf8")) {
    print_message("there is no locale with a decimal comma here\n");
    skip();
  }
  ts_scene *scene = read_text(HEAD "gravity: [0.5, 0, 0]\n" BALL);
  assert_true(ts_model_gravity(ts_scene_model(scene)).x == 0.5);
  assert_non_null(strstr(ts_scene_text(scene), "0.5"));
  ts_scene_destroy(scene);
  setlocale(LC_ALL, "C");
}

// A stop on one side is a limit that is infinite on the other.
static void limits_may_have_one_side(void **state)
{
  (void)state;
  static const struct {
    const char *limits;
    double lower, upper;
  } cases[] = {{"[-1, 2]", -1.0, 2.0},
               {"{lower: -1, upper: 2}", -1.0, 2.0},
               {"{lower: -7.5}", -7.5, INFINITY},
               {"{upper: 20}", -INFINITY, 20.0}};
  for (size_t k = 0; k < sizeof cases / sizeof cases[0]; ++k) {
    char text[512];
    snprintf(text, sizeof text,
             HEAD "bodies: [{name: a, mass: 1, inertia: [1, 1, 1], joint: {type: revolute, limits: %s}}]\n",
             cases[k].limits);
    ts_scene *scene = read_text(text);
    const ts_joint_def joint = ts_model_joint(ts_scene_model(scene), 0);
    assert_true(joint.limited && joint.lower == cases[k].lower && joint.upper == cases[k].upper);
    assert_reads_back(scene);
    ts_scene_destroy(scene);
  }
}

// Files write 1e16 where there is no limit.
static void limits_out_of_reach_are_none(void **state)
{
  (void)state;
  static const struct {
    const char *text;
    bool limited;
    double lower, upper;
  } cases[] = {{"[-1e16, 1e16]", false, -INFINITY, INFINITY},
               {"[-1e16, 0.5]", true, -INFINITY, 0.5},
               {"[-0.5, 1e16]", true, -0.5, INFINITY},
               {"[-1e9, 1e9]", true, -1e9, 1e9}};
  for (size_t k = 0; k < sizeof cases / sizeof *cases; ++k) {
    char text[512];
    snprintf(text, sizeof text,
             "touchstone: 1\nbodies: [{name: a, shape: {sphere: {radius: 1}}, joint: {type: prismatic, limits: %s}}]\n",
             cases[k].text);
    ts_scene *scene = read_text(text);
    const ts_joint_def joint = ts_model_joint(ts_scene_model(scene), 0);
    assert_int_equal(joint.limited, cases[k].limited);
    assert_true(joint.lower == cases[k].lower && joint.upper == cases[k].upper);
    ts_scene_destroy(scene);
  }
}

// They are numbers of the joint, and the body starts where they put it.
static void joints_have_friction_and_a_start(void **state)
{
  (void)state;
  ts_scene *scene = read_text(HEAD "bodies: [{name: a, mass: 1, inertia: [1, 1, 1], position: [2, 0, 0], joint: {type: "
                                   "revolute, limits: [-2, 2], position: 1.5707963267948966, velocity: -3, friction: "
                                   "0.25, damping: 0.125}}]\n");
  const ts_joint_def joint = ts_model_joint(ts_scene_model(scene), 0);
  assert_true(joint.position == 0.5 * TS_PI && joint.velocity == -3.0);
  assert_true(joint.friction == 0.25 && joint.damping == 0.125);
  assert_reads_back(scene);
  ts_sim *sim;
  assert_int_equal(ts_sim_create(ts_scene_model(scene), ts_scene_options(scene), NULL, &sim, NULL), TS_OK);
  assert_true(fabs(ts_sim_pose(sim, 0).position.y - 2.0) < 1e-15);
  assert_true(fabs(ts_sim_velocity(sim, 0).linear.x - 6.0) < 1e-14);
  ts_sim_destroy(sim);
  ts_scene_destroy(scene);
}

// Wherever joints are written, and by default not.
static void joints_may_be_stated_to_close_loops(void **state)
{
  (void)state;
  ts_scene *scene =
      read_text(HEAD "bodies:\n- {name: a, mass: 1, inertia: [1, 1, 1], joint: {type: revolute, closes_loop: true}}\n"
                     "- {name: b, mass: 1, inertia: [1, 1, 1], joint: {type: revolute, parent: a}}\n"
                     "joints: [{name: last, type: fixed, child: b, closes_loop: true}]\n");
  const ts_model *model = ts_scene_model(scene);
  assert_true(ts_model_joint(model, 0).closes_loop);
  assert_false(ts_model_joint(model, 1).closes_loop);
  assert_true(ts_model_joint(model, 2).closes_loop);
  assert_non_null(strstr(ts_scene_text(scene), "closes_loop: true"));
  assert_reads_back(scene);
  ts_scene_destroy(scene);
}

// ---- overrides -----------------------------------------------------------------------------------------------------

static const char chain[] =
    HEAD "bodies:\n- {name: a, mass: 1, inertia: [1, 1, 1]}\n- {name: b, mass: 2, inertia: [1, 1, 1]}\n"
         "joints: [{name: j, type: revolute, child: b, at: [1, 2, 3]}]\n";

static void overrides_replace_and_add(void **state)
{
  (void)state;
  const char *const overrides[] = {"b.mass=5",
                                   "bodies.a.mass=1e1",
                                   "bodies.1.position=[4, 5, 6]",
                                   "step.size=1e-4",
                                   "step.cone={polyhedral: {directions: 4}}",
                                   "b.position.2=-1",
                                   "j.limits=[-1, 1]",
                                   "contact.friction=0.25",
                                   "name=a=b.c",
                                   "step.cone.polyhedral.align=fixed"};
  ts_scene *scene = read_with(chain, overrides, sizeof overrides / sizeof overrides[0]);
  const ts_model *model = ts_scene_model(scene);
  assert_true(ts_model_body_mass(model, 0) == 10.0 && ts_model_body_mass(model, 1) == 5.0);
  assert_near(pose_of(scene, "b").position, 4.0, 5.0, -1.0);
  assert_true(ts_scene_options(scene)->size == 1e-4);
  assert_int_equal(ts_scene_options(scene)->directions, 4);
  assert_false(ts_scene_options(scene)->align);
  assert_string_equal(ts_scene_name(scene), "a=b.c");
  assert_reads_back(scene);
  ts_scene_destroy(scene);
}

// A joint that stands in a body has a name as those of the list have.
static void overrides_find_joints_in_bodies(void **state)
{
  (void)state;
  static const char arm[] = "touchstone: 1\nbodies:\n  - {name: a, mass: 1, inertia: [1, 1, 1],"
                            " joint: {name: hinge, type: revolute, limits: [-1, 1]}}\n";
  static const char *const one[] = {"hinge.limits=[-2, 3]", "hinge.position=0.5"};
  static const char *const whole[] = {"hinge={name: slide, type: prismatic}"};
  static const char *const slip[] = {"hinje.position=1"};
  ts_scene *scene = read_with(arm, one, 2);
  const ts_joint_def joint = ts_model_joint(ts_scene_model(scene), 0);
  assert_true(joint.lower == -2.0 && joint.upper == 3.0);
  ts_scene_destroy(scene);
  scene = read_with(arm, whole, 1);
  assert_int_equal(ts_model_find_joint(ts_scene_model(scene), "slide"), 0);
  ts_scene_destroy(scene);
  assert_refused(arm, slip, 1, 0, "there is nothing called 'hinje'; did you mean 'hinge'?");
}

static void bad_overrides_are_refused(void **state)
{
  (void)state;
  static const struct {
    const char *override, *words;
  } cases[] = {
      {"b.mas=5", "no key 'mas'; did you mean 'mass'?"},
      {"bb.mass=5", "nothing called 'bb'; did you mean"},
      {"bodis.b.mass=5", "did you mean 'bodies'?"},
      {"bodies.c.mass=5", "nothing called 'c'"},
      {"bodies.2.mass=5", "nothing called '2'"},
      {"bodies.-1.mass=5", "nothing called '-1'"},
      {"step.sise=1", "did you mean 'size'?"},
      {"step.size=-1", "'size' must be > 0 s"},
      {"step.size=", "nothing in it"},
      {"step.size=[1", "not YAML"},
      {"step.size", "path=value"},
      {"=3", "path=value"},
      {"", "path=value"},
      {"b..mass=3", "no key ''"},
      {"include=x.yaml", "cannot be set"},
      {"b.mass.x.y=3", "'mass' must be a number, not a map"},
      {"a.b.c.d.e.f.g.h.i.j.k.l.m.n.o.p.q.r.s.t.u.v.w.x.y.z.a.b.c.d.e.f.g.h.i.j=1", "too long"},
  };
  for (size_t i = 0; i < sizeof cases / sizeof cases[0]; ++i)
    assert_refused(chain, &cases[i].override, 1, 0, cases[i].words);
}

// ---- bodies that are not right together ----------------------------------------------------------------------------

static void ancestors_are_checked(void **state)
{
  (void)state;
  assert_refused(HEAD "bodies:\n- {name: a, mass: 1, inertia: [1, 1, 1], joint: {type: fixed, parent: a}}\n", NULL, 0,
                 3, "'a' is its own ancestor");
  assert_refused(HEAD "bodies:\n"
                      "- {name: z, mass: 1, inertia: [1, 1, 1], joint: {type: fixed, parent: a}}\n"
                      "- {name: a, mass: 1, inertia: [1, 1, 1], joint: {type: fixed, parent: b}}\n"
                      "- {name: b, mass: 1, inertia: [1, 1, 1], joint: {type: fixed, parent: c}}\n"
                      "- {name: c, mass: 1, inertia: [1, 1, 1], joint: {type: fixed, parent: a}}\n",
                 NULL, 0, 4, "own ancestor");
}

#define WHEEL(name, rest)                                                                                              \
  "- {name: " name ", mass: 1, inertia: [1, 1, 1], position: [0, 0, 0], joint: {name: " name                           \
  "_axle, type: revolute" rest "}}\n"

// A gear is one term or a list of them; it may name joints that come later, or have no name of their own.
static void gears_are_read(void **state)
{
  (void)state;
  const char *const bodies = HEAD "bodies:\n" WHEEL("a", ", gear: %s") WHEEL("b", ", position: 0.5") WHEEL("c", "");
  char text[1024];
  snprintf(text, sizeof text, bodies, "[{joint: b_axle, ratio: -2, offset: 0.25}, {joint: c_axle, ratio: 3}]");
  ts_scene *scene = read_text(text);
  const ts_model *model = ts_scene_model(scene);
  assert_int_equal(ts_model_gear_count(model), 1);
  const ts_gear_def gear = ts_model_gear(model, 0);
  assert_int_equal(gear.joint, 0);
  assert_int_equal(gear.term_count, 2);
  assert_int_equal(gear.terms[0].joint, 1);
  assert_int_equal(gear.terms[1].joint, 2);
  assert_true(gear.terms[0].ratio == -2.0 && gear.terms[1].ratio == 3.0 && gear.offset == 0.25);
  assert_true(ts_model_joint(model, 0).position == -0.75);
  ts_scene_destroy(scene);
  char map[1024], list[1024];
  snprintf(map, sizeof map, bodies, "{joint: b_axle, ratio: 2, offset: 0.25}");
  snprintf(list, sizeof list, bodies, "[{joint: b_axle, ratio: 2, offset: 0.25}]");
  assert_same_scene(map, list);
  scene = read_text(HEAD "bodies:\n- {name: a, mass: 1, inertia: [1, 1, 1], joint: {type: revolute}}\n" WHEEL(
      "b", ", gear: {joint: joint1, ratio: 1}"));
  assert_int_equal(ts_model_gear(ts_scene_model(scene), 0).terms[0].joint, 0);
  ts_scene_destroy(scene);
}

static void bad_gears_are_refused(void **state)
{
  (void)state;
  static const char *const bad[][2] = {
      {"{joint: b_axel, ratio: 2}", "there is no joint 'b_axel'; did you mean 'b_axle'?"},
      {"{joint: nobody, ratio: 2}", "there is no joint 'nobody'"},
      {"{joint: a_axle, ratio: 2}", "joint 'a_axle': its gear makes it follow itself"},
      {"{joint: b_axle, ratio: 0}", "joint 'a_axle': the ratio of its gear is 0"},
      {"{joint: b_axle, ratio: .nan}", "'ratio' must be a number"},
      {"{joint: b_axle}", "a gear needs 'ratio'"},
      {"{ratio: 1}", "a gear needs 'joint'"},
      {"{joint: b_axle, ratio: 1, ofset: 1}", "did you mean 'offset'?"},
      {"{joint: d_axle, ratio: 1}", "joint 'a_axle': its gear needs joints of one freedom, 'd_axle' is fixed"},
      {"[{joint: b_axle, ratio: 1}, {joint: b_axle, ratio: 2}]", "joint 'a_axle': its gear names 'b_axle' twice"},
      {"[]", "'gear' must"},
      {"b_axle", "'gear' must"},
      {"{joint: c_axle, ratio: 1}", "by way of other joints"}, // which follows this one
  };
  for (size_t i = 0; i < sizeof bad / sizeof bad[0]; ++i) {
    char text[1024];
    snprintf(text, sizeof text,
             HEAD "bodies:\n" WHEEL("a", ", gear: %s") WHEEL("b", "")
                 WHEEL("c", "") "- {name: d, mass: 1, inertia: [1, 1, 1], joint: {name: d_axle, type: fixed}}\n",
             bad[i][0]);
    if (i + 1 == sizeof bad / sizeof bad[0])
      snprintf(text, sizeof text,
               HEAD "bodies:\n" WHEEL("a", ", gear: %s") WHEEL("c", ", gear: {joint: a_axle, ratio: 1}"), bad[i][0]);
    assert_refused(text, NULL, 0, 3, bad[i][1]);
  }
  assert_refused(HEAD "bodies:\n" WHEEL("a", ", position: 0.3")
                     WHEEL("b", ",\n    position: 0.5,\n    gear: {joint: a_axle, ratio: 1}"),
                 NULL, 0, 5, "joint 'b_axle': its position is 0.5, but its gear asks for 0.3");
}

static void what_the_builder_refuses_has_a_place(void **state)
{
  (void)state;
  assert_refused(HEAD "bodies:\n- {name: a, mass: 1, inertia: [1, 1, 1]}\n- {name: b}\n", NULL, 0, 4, "no mass");
  assert_refused(HEAD "bodies:\n- {name: a, mass: 1, inertia: [1, 1, 1, 2]}\n", NULL, 0, 3, "3 or 6 numbers");
  assert_refused(HEAD "bodies:\n- {name: a, mass: 1, inertia: [1, 1, 5]}\n", NULL, 0, 3, "inertia");
  assert_refused(HEAD "bodies:\n- {name: a, mass: 1}\n- {name: a, mass: 1}\n", NULL, 0, 4, "already a body 'a'");
  assert_refused(HEAD "bodies:\n- {name: world, mass: 1}\n", NULL, 0, 3, "world");
  assert_refused(HEAD "step: {max_iterations: 3000000000}\nbodies: []\n", NULL, 0, 2,
                 "'max_iterations' must be a whole number of at most 2147483647, not 3000000000");
  assert_refused(HEAD "bodies:\n- name: a\n  shape: {plane: {normal: [0, 0, 1]}}\n", NULL, 0, 4, "plane");
  assert_refused(HEAD
                 "bodies:\n- name: a\n  shape: {polytope: {vertices: [[0, 0, 0], [1, 0, 0], [0, 1, 0], [1, 1, 0]]}}\n",
                 NULL, 0, 4, "body 'a'");
  assert_refused(
      HEAD "bodies: [{name: a, mass: 1, inertia: [1, 1, 1]}]\njoints:\n- {type: revolute, child: a, limits: [2, 1]}\n",
      NULL, 0, 4, "limit");
  assert_refused(
      HEAD "bodies: [{name: a, mass: 1, inertia: [1, 1, 1]}]\njoints:\n- {type: revolute, child: a, limits: {}}\n",
      NULL, 0, 4, "a map of limits needs 'lower' or 'upper'");
  static const struct {
    const char *joint, *words;
  } joints[] = {
      {"type: spherical, friction: 1", "a spherical joint has no friction"},
      {"type: fixed, position: 1", "a fixed joint has no position"},
      {"type: revolute, friction: -1", "friction"},
      {"type: screw", "a screw needs a pitch other than 0"},
      {"type: screw, pitch: .nan", "pitch"},
      {"type: revolute, pitch: 0.1", "a revolute joint has no pitch"},
      {"type: revolute, damping: [1]", "damping"},
      {"type: revolute, position: .inf", "position"},
      {"type: revolute, position: up", "position"},
      {"type: revolute, closes_loop: 1", "closes_loop"},
      {"type: revolute, closes_loop: [a]", "closes_loop"},
      {"type: revolute, closes_loop:", "closes_loop"},
      {"type: revolute, limits: [-1, 1], position: 2", "position 2 lies outside of its limits -1 and 1"},
      {"type: revolute, limits: [-1, 0.5], position: 0.50000001",
       "position 0.50000001 lies outside of its limits -1 and"},
      {"type: revolute, limits: [-1, 0.5], position: 0.5000000000000001", "position 0.5000000000000001 lies outside"}};
  for (size_t k = 0; k < sizeof joints / sizeof joints[0]; ++k) {
    char text[256];
    snprintf(text, sizeof text, HEAD "bodies: [{name: a, mass: 1, inertia: [1, 1, 1]}]\njoints:\n- {child: a, %s}\n",
             joints[k].joint);
    assert_refused(text, NULL, 0, 4, joints[k].words);
  }
  assert_refused(HEAD "bodies: [{name: a, mass: 1, inertia: [1, 1, 1]}]\npairs:\n- {bodies: [a, a]}\n", NULL, 0, 4,
                 "different");
  assert_refused(HEAD "bodies: [{name: a, mass: 1, inertia: [1, 1, 1]}]\npairs:\n- {bodies: [a, world]}\n", NULL, 0, 4,
                 "world");
  assert_refused(HEAD "materials: [{name: m}]\nbodies: [{name: a, mass: 1, inertia: [1, 1, 1]}]\npairs:\n"
                      "- {materials: [m, m], collide: false}\n",
                 NULL, 0, 5, "'collide: false' needs 'bodies'");
  assert_refused(HEAD
                 "bodies: [{name: a, mass: 1, inertia: [1, 1, 1]}, {name: b, mass: 1, inertia: [1, 1, 1]}]\npairs:\n"
                 "- {bodies: [a, b], collide: false, friction: 1}\n",
                 NULL, 0, 4, "no contact law");
  assert_refused(HEAD "bodies:\n- {name: a, mass: 1, inertia: [1, 1, 1], motion: {displacement: [0, 0, 0]}}\n", NULL, 0,
                 3, "kinematic");
  assert_refused(
      HEAD "bodies:\n- {name: a, mass: 1, rotates: false, force: [{table: {times: [1, 0], values: [1, 1]}}, 0, 0]}\n",
      NULL, 0, 3, "ascend");
  assert_refused(
      HEAD "bodies:\n- {name: a, mass: 1, rotates: false, force: [{table: {times: [0, 1], values: [1]}}, 0, 0]}\n",
      NULL, 0, 3, "as many");
}

static void deep_overlap_is_refused(void **state)
{
  (void)state;
  const char *const body = "- {name: %s, shape: {sphere: {radius: 0.5}}, position: [0, 0, %s]}\n";
  static const struct {
    const char *height;
    bool deep;
  } cases[] = {{"0.5", false}, {"0.401", false}, {"0.399", true}, {"-3", true}};
  for (size_t i = 0; i < sizeof cases / sizeof cases[0]; ++i) {
    char text[512];
    int used = snprintf(text, sizeof text,
                        HEAD "bodies:\n- {name: floor, kind: fixed, shape: {plane: {normal: [0, 0, 1]}}}\n");
    snprintf(text + used, sizeof text - (size_t)used, body, "ball", cases[i].height);
    if (!cases[i].deep) {
      ts_scene_destroy(read_text(text));
      continue;
    }
    assert_refused(text, NULL, 0, 4, "'ball' overlaps body 'floor'");
    const char *const allowed = "allow_overlap=true";
    ts_scene_destroy(read_with(text, &allowed, 1));
  }
  // bodies that do not collide may be anywhere
  ts_scene_destroy(
      read_text(HEAD "bodies: [{name: a, shape: {sphere: {radius: 1}}}, {name: b, shape: {sphere: {radius: 1}}}]\n"
                     "pairs: [{bodies: [a, b], collide: false}]\n"));
  // a kinematic body is where its motion begins
  assert_refused(HEAD "bodies:\n- {name: a, shape: {sphere: {radius: 1}}}\n"
                      "- {name: b, kind: kinematic, position: [9, 0, 0], shape: {sphere: {radius: 1}}, motion: "
                      "{displacement: [-8, 0, 0]}}\n",
                 NULL, 0, 4, "by 1 m");
}

// ---- files ---------------------------------------------------------------------------------------------------------

static scratch_folder *folder; // of all tests

static int make_folder(void **state)
{
  const int status = scratch_folder_set_up(state);
  folder = *state;
  return status;
}

static const char *write_file(const char *name, const char *content)
{
  const char *path = scratch_path(folder, name);
  scratch_write(path, content, strlen(content));
  return path;
}

static ts_status read_file(const char *name, ts_scene **scene, ts_error *error)
{
  *error = (ts_error){0};
  return ts_scene_read(scratch_path(folder, name), NULL, 0, scene, error);
}

static void includes_are_merged(void **state)
{
  (void)state;
  write_file("floor.yaml", "gravity: [0, 0, -1]\ncontact: {friction: 0.1, restitution: 0.3}\n"
                           "bodies: [{name: floor, kind: fixed, shape: {plane: {normal: [0, 0, 1]}}}]\n");
  write_file("more.yaml",
             "gravity: [0, 0, -2]\nbodies: [{name: second, shape: {sphere: {radius: 1}}, position: [0, 0, 9]}]\n");
  write_file("main.yaml", HEAD "include: [floor.yaml, more.yaml]\ncontact: {friction: 0.9}\n"
                               "bodies: [{name: third, shape: {sphere: {radius: 1}}, position: [9, 0, 9]}]\n");
  ts_scene *scene;
  ts_error error;
  if (read_file("main.yaml", &scene, &error) != TS_OK) fail_msg("%s:%d: %s", error.file, error.line, error.text);
  const ts_model *model = ts_scene_model(scene);
  assert_int_equal(ts_model_body_count(model), 3);
  assert_string_equal(ts_model_body_name(model, 0), "floor");
  assert_string_equal(ts_model_body_name(model, 2), "third");
  assert_true(ts_model_gravity(model).z == -2.0); // the later of two that are included
  ts_contact_law law;
  assert_true(ts_model_contact_law(model, 0, 1, &law));
  assert_true(law.friction == 0.9 && law.restitution == 0.3); // the including file's, key by key
  assert_reads_back(scene);
  assert_null(strstr(ts_scene_text(scene), "include"));
  ts_scene_destroy(scene);
}

static void assert_file_refused(const char *name, const char *file, int line, const char *words)
{
  ts_scene *scene;
  ts_error error;
  assert_int_not_equal(read_file(name, &scene, &error), TS_OK);
  assert_null(scene);
  if (!strstr(error.text, words)) fail_msg("'%s' does not say '%s'", error.text, words);
  if (!strstr(error.file, file) || (!*file && *error.file)) fail_msg("in '%s', not '%s'", error.file, file);
  assert_int_equal(error.line, line);
  assert_int_equal(error.column > 0, line > 0);
}

static void bad_includes_are_refused(void **state)
{
  (void)state;
  write_file("self.yaml", HEAD "include: self.yaml\n" BALL);
  assert_file_refused("self.yaml", "", 2, "includes itself");
  write_file("a.yaml", HEAD "include: b.yaml\n");
  write_file("b.yaml", "# two\n# lines\ninclude: [./a.yaml]\n");
  assert_file_refused("a.yaml", "b.yaml", 3, "includes itself");
  write_file("gone.yaml", HEAD "include: nowhere.yaml\n");
  assert_file_refused("gone.yaml", "", 2, "No such file");
  write_file("dir.yaml", HEAD "include: .\n");
  assert_file_refused("dir.yaml", "", 2, "folder");
  write_file("device.yaml", HEAD "include: /dev/zero\n");
  assert_file_refused("device.yaml", "", 2, "regular file");
  write_file("type.yaml", HEAD "include: {a: b}\n");
  assert_file_refused("type.yaml", "", 2, "'include' must be");
  write_file("null.yaml", HEAD "include: [~]\n");
  assert_file_refused("null.yaml", "", 2, "'include' must be");
  write_file("inner.yaml", "bodies: [{name: x, mas: 1}]\n");
  write_file("outer.yaml", HEAD "include: inner.yaml\n");
  assert_file_refused("outer.yaml", "inner.yaml", 1, "'mas'");
  write_file("list.yaml", "- 1\n");
  write_file("outer.yaml", HEAD "include: list.yaml\n");
  assert_file_refused("outer.yaml", "list.yaml", 1, "must be a map");
  for (int i = 0; i < 20; ++i) {
    char name[32], text[64];
    snprintf(name, sizeof name, "deep%d.yaml", i);
    snprintf(text, sizeof text, "touchstone: 1\ninclude: deep%d.yaml\n", i + 1);
    write_file(name, text);
  }
  assert_file_refused("deep0.yaml", "deep15.yaml", 2, "include one another");
}

// Each of a few files names the next one twice: what they include doubles with each. It is refused by the count of
// files, long before the size of them all.
static void includes_that_multiply_are_refused(void **state)
{
  (void)state;
  enum { LEVELS = 13 };
  for (int i = 0; i < LEVELS; ++i) {
    char name[32], text[96];
    snprintf(name, sizeof name, "bomb%d.yaml", i);
    if (i + 1 < LEVELS)
      snprintf(text, sizeof text, "touchstone: 1\ninclude: [bomb%d.yaml, bomb%d.yaml]\n", i + 1, i + 1);
    else
      snprintf(text, sizeof text, "touchstone: 1\n");
    write_file(name, text);
  }
  assert_file_refused("bomb0.yaml", "bomb", 2, "256 files in all");
  write_file("many.yaml",
             HEAD "include: [bomb12.yaml, bomb11.yaml, bomb10.yaml, bomb9.yaml, bomb8.yaml, bomb7.yaml]\n" BALL);
  ts_scene *scene;
  ts_error error;
  assert_int_equal(read_file("many.yaml", &scene, &error), TS_OK); // 1 + 3 + 7 + 15 + 31 + 63 files
  ts_scene_destroy(scene);
}

static void mesh_files_are_found_and_faulted(void **state)
{
  (void)state;
  write_file("cube.obj", "v 0 0 0\nv 1 0 0\nv 0 1 0\nv 0 0 1\nv 1 1 0\nv 1 0 1\nv 0 1 1\nv 1 1 1\n");
  write_file("mesh.yaml", HEAD "bodies:\n- name: a\n  density: 1\n  shape: {polytope: {file: cube.obj, scale: 2}}\n");
  ts_scene *scene;
  ts_error error;
  assert_int_equal(read_file("mesh.yaml", &scene, &error), TS_OK);
  assert_true(fabs(ts_model_body_mass(ts_scene_model(scene), 0) - 8.0) < 1e-12);
  assert_reads_back(scene);
  ts_scene_destroy(scene);
  write_file("cube.obj", "v 0 0 0\nv 1 0 zero\n");
  assert_file_refused("mesh.yaml", "cube.obj", 2, "number");
  write_file("mesh.yaml", HEAD "bodies:\n- name: a\n  shape: {polytope: {file: cubes.obj}}\n");
  assert_file_refused("mesh.yaml", "", 4, "cubes.obj");
  write_file("mesh.yaml", HEAD "bodies:\n- name: a\n  shape: {polytope: {file: mesh.yaml}}\n");
  assert_file_refused("mesh.yaml", "", 4, ".obj, .stl or .dae");
}

static void files_that_are_none(void **state)
{
  (void)state;
  write_file("empty.yaml", "");
  assert_file_refused("empty.yaml", "", 1, "nothing");
  assert_file_refused("nowhere.yaml", "", 0, "No such file");
  assert_file_refused(".", "", 0, "folder");
  const char *path = write_file("huge.yaml", HEAD);
  assert_int_equal(truncate(path, (off_t)65 << 20), 0); // sparse: zero bytes to the end
  assert_file_refused("huge.yaml", "", 0, "64 MiB");
  assert_int_equal(truncate(path, 1 << 20), 0);
  assert_file_refused("huge.yaml", "", 2, "UTF-8");
}

// ---- keys ----------------------------------------------------------------------------------------------------------

static void keys_can_be_listed(void **state)
{
  (void)state;
  const int count = ts_scene_key_count();
  assert_true(count > 120);
  bool radius = false;
  for (int i = 0; i < count; ++i) {
    const ts_scene_key key = ts_scene_key_at(i);
    assert_true(key.path[0] != '\0' && key.type[0] != '\0' && key.help[0] != '\0');
    assert_true(strlen(key.path) < sizeof key.path - 1 && strlen(key.type) < sizeof key.type - 1);
    assert_false(key.required && key.fallback[0] != '\0');
    if (strcmp(key.path, "SHAPE.sphere.radius") != 0) continue;
    radius = true;
    assert_string_equal(key.unit, "m");
    assert_string_equal(key.range, "> 0");
    assert_true(key.required);
  }
  assert_true(radius);
}

int main(void)
{
  const struct CMUnitTest tests[] = {
      cmocka_unit_test(a_scene_is_what_a_program_builds),
      cmocka_unit_test(defaults_can_be_written_down),
      cmocka_unit_test(cones_are_read),
      cmocka_unit_test(superellipsoids_are_read),
      cmocka_unit_test(intersections_are_read),
      cmocka_unit_test(step_defaults_are_the_librarys),
      cmocka_unit_test(step_ranges_are_the_librarys),
      cmocka_unit_test(limits_out_of_reach_are_none),
      cmocka_unit_test(words_are_the_enumerators_they_say),
      cmocka_unit_test(materials_are_combined_as_the_words_say),
      cmocka_unit_test(numbers_are_written_freely),
      cmocka_unit_test(orientations_come_in_four_forms),
      cmocka_unit_test(a_joint_places_its_body),
      cmocka_unit_test(a_box_in_the_plane_is_a_rectangle),
      cmocka_unit_test(the_text_reads_back_as_the_same_scene),
      cmocka_unit_test(names_of_all_sorts_read_back),
      cmocka_unit_test(numbers_read_back_to_the_last_bit),
      cmocka_unit_test(the_locale_does_not_matter),
      cmocka_unit_test(limits_may_have_one_side),
      cmocka_unit_test(joints_have_friction_and_a_start),
      cmocka_unit_test(joints_may_be_stated_to_close_loops),
      cmocka_unit_test(overrides_replace_and_add),
      cmocka_unit_test(overrides_find_joints_in_bodies),
      cmocka_unit_test(bad_overrides_are_refused),
      cmocka_unit_test(ancestors_are_checked),
      cmocka_unit_test(gears_are_read),
      cmocka_unit_test(bad_gears_are_refused),
      cmocka_unit_test(what_the_builder_refuses_has_a_place),
      cmocka_unit_test(deep_overlap_is_refused),
      cmocka_unit_test(includes_are_merged),
      cmocka_unit_test(bad_includes_are_refused),
      cmocka_unit_test(includes_that_multiply_are_refused),
      cmocka_unit_test(mesh_files_are_found_and_faulted),
      cmocka_unit_test(files_that_are_none),
      cmocka_unit_test(keys_can_be_listed),
  };
  return cmocka_run_group_tests(tests, make_folder, scratch_folder_tear_down);
}
