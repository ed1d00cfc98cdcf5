// Warnings: what is said about scenes that are legal but probably not meant, where it stands, and that usual scenes are
// let alone.
#include "touchstone/scene.h"

#include "document/notes.h"

#include "scratch_folder.h"

#include <math.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <cmocka.h>

static ts_scene *parse(const char *text, const char *path)
{
  ts_scene *scene;
  ts_error error;
  if (ts_scene_parse(text, strlen(text), path, NULL, 0, &scene, &error) != TS_OK)
    fail_msg("%d:%d: %s\n%s", error.line, error.column, error.text, text);
  return scene;
}

// Exactly one warning, with these words at this place; words NULL: none.
static void assert_warning(const char *text, const char *words, int line, int column)
{
  ts_scene *scene = parse(text, "scene.yaml");
  const int count = ts_scene_note_count(scene);
  const ts_scene_note *note = count > 0 ? ts_scene_note_at(scene, 0) : NULL;
  if (count != (words ? 1 : 0)) fail_msg("%d notes, first '%s', on\n%s", count, note ? note->text : "", text);
  if (words) {
    assert_true(note->warning);
    if (!strstr(note->text, words)) fail_msg("'%s' does not say '%s'", note->text, words);
    if (note->line != line || note->column != column) fail_msg("%d:%d: %s", note->line, note->column, note->text);
  }
  ts_scene_destroy(scene);
}

// ---- numbers -------------------------------------------------------------------------------------------------------

#define BALL  "touchstone: 1\nbodies:\n  - {name: ball, shape: {sphere: {radius: 0.1}}}\n"
#define HINGE "touchstone: 1\nbodies:\n  - name: arm\n    mass: 1\n    inertia: [1, 1, 1]\n    joint:\n"

static void degrees_are_noticed(void **state)
{
  (void)state;
  assert_warning(HINGE "      {type: revolute, limits: [0, 90]}\n",
                 "90 rad, 14.3 turns; if degrees are meant, it is 1.5708", 7, 36);
  assert_warning(HINGE "      {type: revolute, limits: {lower: -45}}\n", "'limits' holds an angle of -45 rad", 7, 40);
  assert_warning(HINGE "      {type: revolute, limits: [-90, 90]}\n", "-90 rad", 7, 33); // one mistake, one sentence
  assert_warning(HINGE "      {type: revolute, position: 30}\n", "'position' holds an angle of 30 rad", 7, 34);
  assert_warning(HINGE "      {type: revolute, motor: {servo: {target: 180, stiffness: 1}}}\n", "'target' holds", 7,
                 48);
  assert_warning(HINGE "      {type: revolute, limits: [-1e16, 1e16]}\n", NULL, 0, 0);     // none
  assert_warning(HINGE "      {type: prismatic, limits: [0, 90]}\n", NULL, 0, 0);          // metres
  assert_warning(HINGE "      {type: revolute, limits: [-12.566, 12.566]}\n", NULL, 0, 0); // wrists turn twice
  assert_warning("touchstone: 1\nbodies:\n  - {name: a, mass: 1, inertia: [1, 1, 1],\n"
                 "     orientation: {roll_pitch_yaw: [0, 0, 90]}}\n",
                 "'roll_pitch_yaw' holds an angle of 90 rad", 4, 43);
  assert_warning("touchstone: 1\nspace: 2d\nbodies:\n  - {name: a, shape: {disc: {radius: 1}}, angle: -45}\n",
                 "'angle' holds an angle of -45 rad", 4, 50);
}

static void upward_and_size_are_noticed(void **state)
{
  (void)state;
  assert_warning(BALL "gravity: [0, -9.81, 0]\n", "gravity points along y", 4, 10);
  assert_warning(BALL "gravity: [0, -4, -9]\n", NULL, 0, 0); // a slope
  assert_warning("touchstone: 1\nspace: 2d\ngravity: [0, -9.81]\nbodies:\n  - {name: a, shape: {disc: {radius: 1}}}\n",
                 NULL, 0, 0);
  assert_warning("touchstone: 1\nbodies:\n  - {name: cup, shape: {box: {size: [50, 80, 50]}}}\n",
                 "'cup', spans 80 m; if the scene is in millimetres", 3, 24);
  assert_warning("touchstone: 1\nbodies:\n  - {name: cup, shape: {box: {size: [500, 80, 50]}}}\n",
                 "body 'cup' spans 500 m and weighs 2e+09 kg", 3, 24);
  assert_warning("touchstone: 1\ngravity: [0, 0, -9810]\nbodies:\n"
                 "  - {name: cup, mass: 1, shape: {box: {size: [50, 80, 50]}}}\n",
                 NULL, 0, 0); // consistent
  assert_warning("touchstone: 1\nbodies:\n  - {name: hall, kind: fixed, shape: {box: {size: [50, 80, 50]}}}\n"
                 "  - {name: ball, position: [0, 0, 99], shape: {sphere: {radius: 0.1}}}\n",
                 NULL, 0, 0);
}

// g h^2 + v h against the width.
static void long_steps_are_noticed(void **state)
{
  (void)state;
  assert_warning(BALL "step: {size: 1}\n", "a step of 1 s is long", 4, 14);
  assert_warning(BALL "step: {size: 0.01}\n", NULL, 0, 0);
  assert_warning(BALL "step: {size: 1, method: event-driven}\n", NULL, 0, 0);
  assert_warning("touchstone: 1\nbodies:\n  - {name: shot, shape: {sphere: {radius: 0.001}}, velocity: [100, 0, 0]}\n",
                 "in a step of 0.001 s body 'shot' moves by 0.1 m, but is only 0.002 m wide", 3, 5);
  assert_warning("touchstone: 1\nbodies:\n  - {name: shot, shape: {sphere: {radius: 0.1}}, velocity: [100, 0, 0]}\n",
                 NULL, 0, 0);
  assert_warning(
      "touchstone: 1\nbodies:\n  - {name: top, shape: {sphere: {radius: 0.1}}, angular_velocity: [0, 0, 1500]}\n",
      "body 'top' turns by 1.5 rad", 3, 5);
}

#define RUBBER                                                                                                         \
  "touchstone: 1\nmaterials: [{name: rubber, restitution: 0.8}]\nbodies:\n"                                            \
  "  - {name: ball, material: rubber, shape: {sphere: {radius: 0.1}}}\n"
#define FLOOR "  - {name: floor, kind: fixed, position: [0, 0, -1], shape: {plane: {normal: [0, 0, 1]}}"

// The geometric mean with a floor that has none is 0: nothing bounced, and nothing was said.
static void restitutions_without_effect_are_noticed(void **state)
{
  (void)state;
  assert_warning(RUBBER FLOOR "}\n", "material 'rubber' has a restitution of 0.8, but what it can touch has 0", 2, 41);
  assert_warning(RUBBER FLOOR "}\ncombine: {restitution: product}\n", "'combine: {restitution: maximum}'", 2, 41);
  assert_warning(RUBBER FLOOR "}\npairs: [{materials: [rubber, rubber], restitution: 1}]\n", "nothing rebounds", 2, 41);
}

static void restitutions_with_an_effect_are_let_alone(void **state)
{
  (void)state;
  assert_warning(RUBBER, NULL, 0, 0); // it touches nothing
  assert_warning(RUBBER FLOOR ", material: rubber}\n", NULL, 0, 0);
  assert_warning(RUBBER FLOOR "}\ncontact: {restitution: 0.5}\n", NULL, 0, 0);
  assert_warning(RUBBER FLOOR "}\ncombine: {restitution: maximum}\n", NULL, 0, 0);
  assert_warning(RUBBER FLOOR "}\ncombine: {restitution: arithmetic}\n", NULL, 0, 0);
  assert_warning(RUBBER FLOOR "}\npairs: [{bodies: [ball, floor], restitution: 0.5}]\n", NULL, 0, 0);
  assert_warning(RUBBER FLOOR "}\npairs: [{bodies: [ball, floor], collide: false}]\n", NULL, 0, 0);
  assert_warning(RUBBER FLOOR "}\nstep: {impacts: inelastic}\n", NULL, 0, 0);
  assert_warning(RUBBER FLOOR "}\n  - {name: other, material: rubber, shape: {sphere: {radius: 0.1}},"
                              " position: [1, 0, 0]}\n",
                 NULL, 0, 0); // the balls rebound from each other
}

// ---- meshes --------------------------------------------------------------------------------------------------------

#define L_VERTICES                                                                                                     \
  "v 0 0 0\nv 2 0 0\nv 2 1 0\nv 1 1 0\nv 1 2 0\nv 0 2 0\nv 0 0 1\nv 2 0 1\nv 2 1 1\nv 1 1 1\nv 1 2 1\nv 0 2 1\n"
// An L of three unit cubes; its hull has 3.5.
static const char closed_l[] = L_VERTICES "f 6 5 4 3 2 1\nf 7 8 9 10 11 12\nf 1 2 8 7\nf 2 3 9 8\nf 3 4 10 9\n"
                                          "f 4 5 11 10\nf 5 6 12 11\nf 6 1 7 12\n";
static const char open_l[] = L_VERTICES "f 1 2 3 4 5 6\nf 7 8 9 10 11 12\n";
// The same as two boxes that share a square.
static const char two_boxes[] =
    "v 0 0 0\nv 2 0 0\nv 0 1 0\nv 2 1 0\nv 0 0 1\nv 2 0 1\nv 0 1 1\nv 2 1 1\n"
    "f 1 3 4 2\nf 5 6 8 7\nf 1 2 6 5\nf 3 7 8 4\nf 1 5 7 3\nf 2 4 8 6\n"
    "v 0 1 0\nv 1 1 0\nv 0 2 0\nv 1 2 0\nv 0 1 1\nv 1 1 1\nv 0 2 1\nv 1 2 1\n"
    "f 9 11 12 10\nf 13 14 16 15\nf 9 10 14 13\nf 11 15 16 12\nf 9 13 15 11\nf 10 12 16 14\n";

// The same as two copies of a cube, one of them stretched, in COLLADA.
static const char collada_l[] =
    "<COLLADA><library_geometries><geometry id='cube'><mesh><source id='s'>"
    "<float_array id='a' count='24'>0 0 0 1 0 0 0 1 0 1 1 0 0 0 1 1 0 1 0 1 1 1 1 1</float_array>"
    "<technique_common><accessor source='#a' count='8' stride='3'/></technique_common></source>"
    "<vertices id='v'><input semantic='POSITION' source='#s'/></vertices>"
    "<polylist count='6'><input semantic='VERTEX' source='#v'/><vcount>4 4 4 4 4 4</vcount>"
    "<p>0 2 3 1 4 5 7 6 0 1 5 4 2 6 7 3 0 4 6 2 1 3 7 5</p></polylist></mesh></geometry></library_geometries>"
    "<library_visual_scenes><visual_scene id='l'>"
    "<node><scale>2 1 1</scale><instance_geometry url='#cube'/></node>"
    "<node><translate>0 1 0</translate><instance_geometry url='#cube'/></node>"
    "</visual_scene></library_visual_scenes><scene><instance_visual_scene url='#l'/></scene></COLLADA>";

static ts_scene *read_mesh_scene(scratch_folder *folder, const char *mesh, const char *more)
{
  char text[400];
  const char *name = mesh == collada_l ? "part.dae" : "part.obj";
  scratch_write(scratch_path(folder, name), mesh, strlen(mesh));
  snprintf(text, sizeof text,
           "touchstone: 1\nbodies:\n  - name: part\n    shape: {polytope: {file: %s, scale: 0.1%s}}\n", name, more);
  return parse(text, scratch_path(folder, "scene.yaml"));
}

static void assert_mesh_warning(scratch_folder *folder, const char *mesh, const char *more, const char *words,
                                double mass)
{
  ts_scene *scene = read_mesh_scene(folder, mesh, more);
  const int count = ts_scene_note_count(scene);
  assert_int_equal(count, words ? 1 : 0);
  if (words) {
    const ts_scene_note *note = ts_scene_note_at(scene, 0);
    if (!strstr(note->text, words)) fail_msg("'%s' does not say '%s'", note->text, words);
    assert_int_equal(note->line, 4);
    assert_int_equal(note->column, 30);
  }
  assert_true(fabs(ts_model_body_mass(ts_scene_model(scene), 0) - mass) < 1e-12 * mass);
  ts_scene_destroy(scene);
}

static void meshes_that_are_filled_up_are_noticed(void **state)
{
  assert_mesh_warning(*state, closed_l, "", "mesh 'part.obj' is not convex: its hull, which is taken, has 1.167 times",
                      3.5);
  assert_mesh_warning(*state, open_l, "", "mesh 'part.obj' is not closed (12 edges have no second face)", 3.5);
  assert_mesh_warning(*state, two_boxes, "", "has 1.167 times its volume", 3.5);
  assert_mesh_warning(*state, collada_l, "", "mesh 'part.dae' is not convex: its hull, which is taken, has 1.167 times",
                      3.5);
  assert_mesh_warning(*state, two_boxes, ", convex: hull", "has 1.167 times its volume", 3.5);
  assert_mesh_warning(*state, L_VERTICES, "", NULL, 3.5); // points alone: their hull is what they mean
}

// Mass, centre and inertia about it of the L: three cubes of side a = 0.1 and 1 kg.
static void parts_are_a_compound(void **state)
{
  assert_mesh_warning(*state, two_boxes, ", convex: parts", NULL, 3.0);
  assert_mesh_warning(*state, collada_l, ", convex: parts", NULL, 3.0);
  assert_mesh_warning(*state, closed_l, ", convex: parts", "piece 1 of 1 of mesh 'part.obj' is not convex", 3.5);
  ts_scene *scene = read_mesh_scene(*state, two_boxes, ", convex: parts");
  const ts_model *model = ts_scene_model(scene);
  assert_int_equal(ts_model_part_count(model), 2);
  ts_scene *again = parse(ts_scene_text(scene), "again.yaml"); // without the file
  assert_int_equal(ts_model_part_count(ts_scene_model(again)), 2);
  assert_string_equal(ts_scene_text(again), ts_scene_text(scene));
  ts_scene_destroy(again);
  ts_scene_destroy(scene);
}

// A part keeps its place, material and all; others of the compound stay.
static void parts_within_a_compound(void **state)
{
  static const char text[] = "touchstone: 1\nmaterials: [{name: ice, friction: 0}]\nbodies:\n"
                             "  - name: part\n    shapes:\n"
                             "      - {sphere: {radius: 0.1}, position: [0, 0, 5]}\n"
                             "      - {polytope: {file: part.obj, convex: parts}, position: [9, 0, 0], material: ice}\n"
                             "      - {sphere: {radius: 0.1}, position: [0, 0, 7]}\n";
  scratch_write(scratch_path(*state, "part.obj"), two_boxes, sizeof two_boxes - 1);
  ts_scene *scene = parse(text, scratch_path(*state, "scene.yaml"));
  const ts_model *model = ts_scene_model(scene);
  static const ts_shape_kind kinds[] = {TS_SHAPE_SPHERE, TS_SHAPE_POLYTOPE, TS_SHAPE_POLYTOPE, TS_SHAPE_SPHERE};
  assert_int_equal(ts_model_part_count(model), 4);
  for (int i = 0; i < 4; ++i) {
    assert_int_equal(ts_model_part_shape(model, i)->kind, kinds[i]);
    assert_true(ts_model_part_pose(model, i).position.x == (kinds[i] == TS_SHAPE_POLYTOPE ? 9.0 : 0.0));
  }
  ts_scene_destroy(scene);
}

static void parts_need_faces(void **state)
{
  static const char text[] =
      "touchstone: 1\nbodies:\n  - {name: a, shape: {polytope: {file: part.obj, convex: parts}}}\n";
  ts_scene *scene;
  ts_error error;
  scratch_write(scratch_path(*state, "part.obj"), L_VERTICES, sizeof L_VERTICES - 1);
  assert_int_equal(ts_scene_parse(text, sizeof text - 1, scratch_path(*state, "scene.yaml"), NULL, 0, &scene, &error),
                   TS_INVALID);
  assert_non_null(strstr(error.text, "has no faces"));
  assert_int_equal(error.line, 3);
}

// ---- the list ------------------------------------------------------------------------------------------------------

static void notes_are_kept_once_and_not_without_end(void **state)
{
  (void)state;
  jmp_buf recovery;
  ts_error error = {0};
  ts_document_input in;
  ts_document_input_init(&in, NULL, &error);
  in.arena.recovery = &recovery;
  ts_document_add_file(&in, "scene.yaml");
  ts_document_add_file(&in, "included.yaml");
  ts_document_remark(&in, (ts_place){.file = 1, .line = 7, .column = 3}, "bodies were parted by %g m", 0.5);
  ts_document_warn(&in, (ts_place){.line = 2, .column = 1}, "bodies were parted by %g m", 0.5);
  assert_int_equal(in.note_count, 1);
  assert_false(in.notes[0].warning);
  assert_string_equal(in.notes[0].file, "included.yaml");
  assert_int_equal(in.notes[0].line, 7);
  assert_string_equal(error.text, "");
  for (int i = 0; i < 500; ++i) ts_document_warn(&in, (ts_place){.line = 2, .column = 1}, "number %d", i);
  assert_int_equal(in.note_count, TS_DOCUMENT_NOTES);
  assert_non_null(strstr(in.notes[TS_DOCUMENT_NOTES - 1].text, "left out"));
  ts_document_input_release(&in);
}

int main(void)
{
  const struct CMUnitTest tests[] = {
      cmocka_unit_test(degrees_are_noticed),
      cmocka_unit_test(upward_and_size_are_noticed),
      cmocka_unit_test(long_steps_are_noticed),
      cmocka_unit_test(meshes_that_are_filled_up_are_noticed),
      cmocka_unit_test(parts_are_a_compound),
      cmocka_unit_test(parts_within_a_compound),
      cmocka_unit_test(restitutions_without_effect_are_noticed),
      cmocka_unit_test(restitutions_with_an_effect_are_let_alone),
      cmocka_unit_test(parts_need_faces),
      cmocka_unit_test(notes_are_kept_once_and_not_without_end),
  };
  return cmocka_run_group_tests(tests, scratch_folder_set_up, scratch_folder_tear_down);
}
