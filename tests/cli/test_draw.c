// touchstone draw as its users see it: runs and scenes of both spaces, files that can be read, refusals that leave
// none.
#define _POSIX_C_SOURCE 200809L
#include "command.h"
#include "png_image.h"
#include "whole_file.h"
#include "xml.h"

#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>
#include <cmocka.h>

static const char spatial[] =
    "touchstone: 1\n"
    "name: <all> shapes & more\n"
    "bodies:\n"
    "  - {name: floor, kind: fixed, shape: {plane: {normal: [0, 0, 1], offset: 0}}}\n"
    "  - {name: ball, mass: 1, shape: {sphere: {radius: 0.5}}, position: [0, 0, 0.5], velocity: [2, 0, 0]}\n"
    "  - {name: box, mass: 1, shape: {box: {size: [1, 1, 1]}}, position: [3, 0, 0.7]}\n"
    "  - {name: capsule, mass: 1, shape: {capsule: {radius: 0.2, length: 1}}, position: [0, 3, 0.9]}\n"
    "  - {name: cylinder, mass: 1, shape: {cylinder: {radius: 0.4, length: 1}}, position: [3, 3, 0.6]}\n"
    "  - {name: egg, mass: 1, shape: {ellipsoid: {semi_axes: [0.4, 0.5, 0.6]}}, position: [-3, 0, 0.7]}\n"
    "  - {name: bob, mass: 1, shape: {sphere: {radius: 0.2}}, position: [0, -3, 1], joint: {type: universal, at: [0, "
    "-3, "
    "2]}}\n"
    "springs: [{bodies: [bob, world], at: [[0, 0, 0], [1, -3, 2]], stiffness: 10}]\n"
    "step: {size: 0.01}\n"
    "duration: 0.2\n";

static const char planar[] =
    "touchstone: 1\n"
    "space: 2d\n"
    "bodies:\n"
    "  - {name: ground, kind: fixed, shape: {plane: {normal: [0, 1], offset: 0}}}\n"
    "  - {name: wheel, mass: 1, shape: {disc: {radius: 0.5}}, position: [0, 0.5], velocity: [1, 0]}\n"
    "  - {name: block, mass: 1, shape: {polygon: {vertices: [[0, 0], [1, 0], [1, 1], [0, 1]]}}, position: [2, 0.1]}\n"
    "  - {name: sled, mass: 1, shape: {disc: {radius: 0.2}}, position: [4, 1], joint: {type: prismatic, at: [4, 2], "
    "axis: "
    "[1, 1]}}\n"
    "springs: [{bodies: [sled, block], stiffness: 10}]\n"
    "step: {size: 0.01}\n"
    "duration: 0.2\n";

static command_result result;

static void run(scratch_folder *folder, const char *arguments)
{
  command_run(folder, TOUCHSTONE_COMMAND, arguments, &result);
}

static void run_well(scratch_folder *folder, const char *arguments)
{
  command_run_well(folder, TOUCHSTONE_COMMAND, arguments, &result);
}

static int set_up(void **state)
{
  if (scratch_folder_set_up(state) != 0) return -1;
  scratch_folder *folder = *state;
  scratch_write(scratch_path(folder, "space.yaml"), spatial, sizeof spatial - 1);
  scratch_write(scratch_path(folder, "plane.yaml"), planar, sizeof planar - 1);
  run_well(folder, "run space.yaml -o space.h5");
  run_well(folder, "run plane.yaml -o plane.h5");
  return 0;
}

static void assert_in_svg(scratch_folder *folder, const char *name, const char *words)
{
  xml_assert_holds(scratch_path(folder, name), words);
}

static void a_picture_lands_beside_the_run(void **state)
{
  scratch_folder *folder = *state;
  run_well(folder, "draw space.h5");
  assert_string_equal(result.out, "space.draw.svg\n");
  assert_in_svg(folder, "space.draw.svg", "t = 0.2 s");
  assert_in_svg(folder, "space.draw.svg", "&lt;all&gt; shapes &amp; more");
  run_well(folder, "draw plane.yaml"); // a scene: its beginning
  assert_in_svg(folder, "plane.draw.svg", "t = 0 s");
}

static void every_option_draws(void **state)
{
  scratch_folder *folder = *state;
  static const char *const options[] = {"",
                                        "--at 0.1",
                                        "--at 0,0.05,0.2",
                                        "--ghosts 4",
                                        "--contacts",
                                        "--names",
                                        "--trail '*'",
                                        "--title 'a \"title\" & <more>'",
                                        "--view 30,20",
                                        "--focus '*l*'",
                                        "-f '*l*' -z 3 --names",
                                        "--zoom 0.2",
                                        "--hide '*l*' --contacts --names --trail '*'",
                                        "--size 321x200",
                                        "--at 0.2 --ghosts 2 --trail '*l*' --contacts --names"};
  static const char *const inputs[] = {"space.h5", "plane.h5"};
  for (size_t i = 0; i < sizeof options / sizeof options[0]; ++i)
    for (int k = 0; k < 2; ++k) {
      char line[256];
      snprintf(line, sizeof line, "draw %s %s -o x.svg", inputs[k], options[i]);
      run_well(folder, line);
      free(xml_read(scratch_path(folder, "x.svg")));
      snprintf(line, sizeof line, "draw %s %s -o x.png", inputs[k], options[i]);
      run_well(folder, line);
      size_t size;
      char *file = read_bytes(scratch_path(folder, "x.png"), &size);
      png_image image;
      png_image_decode((const unsigned char *)file, size, &image);
      assert_int_equal(image.width, strstr(options[i], "321") ? 321 : 900);
      assert_int_equal(image.height, strstr(options[i], "200") ? 200 : 600);
      png_image_release(&image);
      free(file);
    }
}

static void what_was_asked_for_is_in_the_picture(void **state)
{
  scratch_folder *folder = *state;
  run_well(folder, "draw space.h5 --at 0.1 --names --contacts -o x.svg");
  assert_in_svg(folder, "x.svg", ">ball</text>");
  assert_in_svg(folder, "x.svg", ">t = 0.1 s</text>");
  assert_in_svg(folder, "x.svg", "contact force");
  run_well(folder, "draw plane.h5 --at 0.05,0.1 -o x.svg");
  assert_in_svg(folder, "x.svg", ">t = 0.05, 0.1 s</text>");
}

static void the_same_picture_is_the_same_file(void **state)
{
  scratch_folder *folder = *state;
  run_well(folder, "draw space.h5 --ghosts 3 -o a.svg");
  run_well(folder, "draw space.h5 --ghosts 3 -o b.svg");
  char *a = read_text(scratch_path(folder, "a.svg")), *b = read_text(scratch_path(folder, "b.svg"));
  assert_string_equal(a, b);
  free(a);
  free(b);
}

static void mistakes_are_refused_in_one_sentence(void **state)
{
  scratch_folder *folder = *state;
  static const char *const cases[][2] = {{"draw", "usage"},
                                         {"draw missing.h5", "missing.h5"},
                                         {"draw missing.yaml", "missing.yaml"},
                                         {"draw space.h5 --at 7", "it holds 0 to 0.2 s"},
                                         {"draw space.h5 --at -1", "there is no state at -1 s"},
                                         {"draw space.h5 --at soon", "not 'soon'"},
                                         {"draw space.h5 --at 0.1,nan", "not 'nan'"},
                                         {"draw space.h5 --view up", "not 'up'"},
                                         {"draw space.h5 --size big", "not 'big'"},
                                         {"draw space.h5 --size 9000x10", "16 to 8192"},
                                         {"draw space.h5 --size 100x-100", "16 to 8192"},
                                         {"draw space.h5 --ghosts -1", "--ghosts"},
                                         {"draw space.h5 --ghosts 2000000000", "--ghosts"},
                                         {"draw space.h5 --trail bal", "did you mean 'ball'"},
                                         {"draw space.h5 --trail 'z*'", "there is no body 'z*'"},
                                         {"draw space.h5 --focus boxx", "did you mean 'box'"},
                                         {"draw space.h5 --focus ball,boxx", "did you mean 'box'"},
                                         {"draw space.h5 --focus 'z*'", "there is no body 'z*'"},
                                         {"draw space.h5 --focus floor", "'floor' has no place to look at"},
                                         {"draw space.h5 --focus ,", "'--focus' names no body"},
                                         {"draw space.h5 --focus 'b*' --hide 'b*'", "'b*' is hidden"},
                                         {"draw space.h5 --hide capsul", "did you mean 'capsule'"},
                                         {"draw space.h5 --hide '*'", "'--hide' leaves no body to draw"},
                                         {"draw space.h5 --hide", "hide"},
                                         {"draw space.h5 --zoom 0", "'--zoom' wants 0.001 to 1000, not 0"},
                                         {"draw space.h5 --zoom -2", "not -2"},
                                         {"draw space.h5 --zoom 1e9", "not 1e+09"},
                                         {"draw space.h5 --zoom nan", "not 'nan'"},
                                         {"draw space.h5 --zoom inf", "not inf"},
                                         {"draw space.h5 --zoom 2x", "not '2x'"},
                                         {"draw space.h5 -o x.gif", ".svg or .png"},
                                         {"draw space.h5 -o nowhere/x.svg", "cannot be written"},
                                         {"draw space.h5 --contract", "--contacts"},
                                         {"draw broken.h5", "broken.h5"},
                                         {"draw broken.yaml", "broken.yaml"}};
  scratch_write(scratch_path(folder, "broken.h5"), "\x89HDF\r\n\x1a\n and no more", 20);
  scratch_write(scratch_path(folder, "broken.yaml"), "bodies: [", 9);
  const int before = scratch_count(folder);
  for (size_t i = 0; i < sizeof cases / sizeof cases[0]; ++i) {
    run(folder, cases[i][0]);
    assert_command_refused(&result, cases[i][1]);
    assert_int_equal(scratch_count(folder), before);
  }
}

static int count_words(scratch_folder *folder, const char *name, const char *words)
{
  char *file = xml_read(scratch_path(folder, name));
  int count = 0;
  for (const char *at = strstr(file, words); at; at = strstr(at + 1, words)) ++count;
  free(file);
  return count;
}

// Hidden bodies go with their names, joints, springs and trails; forces on those that push others stay.
static void hidden_bodies_are_not_in_the_picture(void **state)
{
  scratch_folder *folder = *state;
  run_well(folder, "draw space.h5 --names --trail bob -o all.svg");
  run_well(folder, "draw space.h5 --names --trail bob --hide bob -o x.svg");
  assert_int_equal(count_words(folder, "all.svg", ">bob</text>"), 1);
  assert_int_equal(count_words(folder, "x.svg", ">bob</text>"), 0);
  assert_int_equal(count_words(folder, "x.svg", ">ball</text>"), 1);
  assert_true(count_words(folder, "x.svg", "<polyline") <= count_words(folder, "all.svg", "<polyline") - 3);
  run_well(folder, "draw space.h5 --contacts -o x.svg");
  const int all = count_words(folder, "x.svg", "#bf0d1a");
  run_well(folder, "draw space.h5 --contacts --hide floor -o x.svg"); // what the floor does to others is seen
  assert_int_equal(count_words(folder, "x.svg", "#bf0d1a"), all);
  run_well(folder, "draw space.h5 --contacts --hide ball -o x.svg");
  assert_true(count_words(folder, "x.svg", "#bf0d1a") < all);
}

// A ball beside the table falls: 4.905 t^2 by hand, 44.1 m in 3 s. The others are as large as without it.
static void what_fell_away_is_said(void **state)
{
  scratch_folder *folder = *state;
  static const char scene[] =
      "touchstone: 1\n"
      "bodies:\n"
      "  - {name: table, kind: fixed, shape: {box: {size: [2, 2, 0.2]}}, position: [0, 0, -0.1]}\n"
      "  - {name: box, mass: 1, shape: {box: {size: [0.4, 0.4, 0.4]}}, position: [0.3, 0.3, 0.2]}\n"
      "  - {name: ball, mass: 1, shape: {sphere: {radius: 0.2}}, position: [2, 0, -0.2]}\n"
      "step: {size: 0.001}\n"
      "duration: 3\n";
  scratch_write(scratch_path(folder, "fall.yaml"), scene, sizeof scene - 1);
  run_well(folder, "run fall.yaml -o fall.h5");
  run_well(folder, "draw fall.h5 -o x.svg");
  assert_in_svg(folder, "x.svg", ">1 body outside: ball, 44.2 m below</text>"); // from the table's under side
  run_well(folder, "draw fall.h5 --at 0 -o x.svg");
  assert_int_equal(count_words(folder, "x.svg", "outside"), 0);
  run_well(folder, "draw fall.h5 --focus ball -o x.svg");
  assert_int_equal(count_words(folder, "x.svg", "outside"), 0);
  run_well(folder, "draw fall.h5 --hide ball -o x.svg");
  assert_int_equal(count_words(folder, "x.svg", "outside"), 0);
}

static void help_tells_about_the_choice_of_bodies(void **state)
{
  run_well(*state, "draw --help");
  static const char *const words[] = {"--focus BODIES", "--zoom F", "--hide BODIES", "(default: 1)", "far away"};
  for (size_t i = 0; i < sizeof words / sizeof words[0]; ++i) assert_non_null(strstr(result.out, words[i]));
}

// A run in CSV keeps no scene.
static void a_run_without_shapes_is_refused(void **state)
{
  scratch_folder *folder = *state;
  run_well(folder, "run plane.yaml -o plane.csv");
  run(folder, "draw plane.csv");
  assert_command_refused(&result, "holds no scene");
}

int main(void)
{
  const struct CMUnitTest tests[] = {
      cmocka_unit_test(a_picture_lands_beside_the_run),        cmocka_unit_test(every_option_draws),
      cmocka_unit_test(what_was_asked_for_is_in_the_picture),  cmocka_unit_test(the_same_picture_is_the_same_file),
      cmocka_unit_test(mistakes_are_refused_in_one_sentence),  cmocka_unit_test(a_run_without_shapes_is_refused),
      cmocka_unit_test(hidden_bodies_are_not_in_the_picture),  cmocka_unit_test(what_fell_away_is_said),
      cmocka_unit_test(help_tells_about_the_choice_of_bodies),
  };
  return cmocka_run_group_tests(tests, set_up, scratch_folder_tear_down);
}
