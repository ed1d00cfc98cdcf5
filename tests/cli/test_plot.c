// touchstone plot: figures that other code can read, refusals that leave no file.
#include "command.h"
#include "gnuplot_is_there.h"
#include "xml.h"

#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <cmocka.h>

static command_result result;

static const char spatial[] =
    "touchstone: 1\n"
    "contact: {friction: 0.2}\n"
    "bodies:\n"
    "  - {name: floor, kind: fixed, shape: {plane: {normal: [0, 0, 1], offset: 0}}}\n"
    "  - {name: ball, mass: 1, shape: {sphere: {radius: 1}}, position: [0, 0, 1], velocity: [2, 0, 0]}\n"
    "  - {name: \"it's `odd`\", mass: 1, shape: {box: {size: [1, 1, 1]}}, position: [4, 0, 0.6]}\n"
    "step: {size: 0.005}\n"
    "duration: 0.5\n";

static const char planar[] =
    "touchstone: 1\n"
    "space: 2d\n"
    "bodies:\n"
    "  - {name: ground, kind: fixed, shape: {plane: {normal: [0, 1], offset: 0}}}\n"
    "  - {name: wheel, mass: 1, shape: {disc: {radius: 0.5}}, position: [0, 0.5], velocity: [1, 0]}\n"
    "step: {size: 0.01}\n"
    "duration: 0.3\n";

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
  run_well(folder, "run plane.yaml -o plane.csv");
  return 0;
}

static void assert_in_svg(scratch_folder *folder, const char *name, const char *words)
{
  xml_assert_holds(scratch_path(folder, name), words);
}

static void the_summary_shows_what_there_is(void **state)
{
  if (!gnuplot_is_there()) skip();
  scratch_folder *folder = *state;
  static const char *const words[] = {
      "position [m]", "speed [m/s]", "angular speed [rad/s]", "energy [J]",   "normal force [N]", "slip",
      "roll",         "residual",    "penetration [m]",       "floor - ball", "space.h5"};
  run_well(folder, "plot space.h5");
  assert_string_equal(result.out, "space.plot.svg\n");
  for (size_t i = 0; i < sizeof words / sizeof words[0]; ++i) assert_in_svg(folder, "space.plot.svg", words[i]);
  run_well(folder, "plot plane.csv -o plane.svg");
  assert_in_svg(folder, "plane.svg", "angular speed [rad/s]");
}

static void series_are_drawn_by_name(void **state)
{
  if (!gnuplot_is_there()) skip();
  scratch_folder *folder = *state;
  run_well(folder, "plot space.h5 --y 'ball.v?,steps.residual,contacts.fn' --from 0.1 --to 0.3 --title here -o x.svg");
  static const char *const words[] = {"ball.vx",   "ball.vz", "velocity [m/s]", "residual", "contacts.fn",
                                      "force [N]", "here"};
  for (size_t i = 0; i < sizeof words / sizeof words[0]; ++i) assert_in_svg(folder, "x.svg", words[i]);
  run_well(folder, "plot space.h5 --y '*.x' --x ball.vx -o x.svg");
  assert_in_svg(folder, "x.svg", "it's `odd`.x");
  run_well(folder, "plot space.h5 --y steps.energy --log -o x.svg");
  run_well(folder, "plot space.h5 --y ball.x --size 300x200 -o x.png");
  run_well(folder, "plot space.h5 --y ball.x -o x.pdf");
  run_well(folder, "plot plane.csv --y wheel.theta,wheel.w -o x.svg");
  assert_in_svg(folder, "x.svg", "angle [rad]");
}

static void mistakes_are_refused_in_one_sentence(void **state)
{
  scratch_folder *folder = *state;
  static const char *const cases[][2] = {{"plot", "usage"},
                                         {"plot missing.h5", "missing.h5"},
                                         {"plot space.yaml", "space.yaml"},
                                         {"plot space.h5 --y bal.vx", "did you mean 'ball.vx'"},
                                         {"plot space.h5 --y 'zebra*'", "there is no series 'zebra*'"},
                                         {"plot space.h5 --y ,", "no series"},
                                         {"plot space.h5 --y ball.x --x ball.vq", "did you mean"},
                                         {"plot space.h5 --y steps.residual --x ball.x", "different tables"},
                                         {"plot space.h5 --x ball.x", "needs '--y'"},
                                         {"plot space.h5 --log", "needs '--y'"},
                                         {"plot space.h5 --from 2 --to 1", "not after its start"},
                                         {"plot space.h5 --from 7 --to 8", "nothing to draw"},
                                         {"plot space.h5 --from x", "a number"},
                                         {"plot space.h5 -o x.bmp", ".svg, .png or .pdf"},
                                         {"plot space.h5 -o nowhere/x.svg", "cannot be written"},
                                         {"plot space.h5 --y ball.qx --log", "nothing to draw above zero"}};
  const int before = scratch_count(folder);
  for (size_t i = 0; i < sizeof cases / sizeof cases[0]; ++i) {
    run(folder, cases[i][0]);
    assert_command_refused(&result, cases[i][1]);
    assert_int_equal(scratch_count(folder), before);
  }
  command_run_in(folder, "PATH=/nowhere", TOUCHSTONE_COMMAND, "plot space.h5", &result);
  assert_command_refused(&result, "gnuplot, which is not installed");
  assert_int_equal(scratch_count(folder), before);
}

int main(void)
{
  const struct CMUnitTest tests[] = {
      cmocka_unit_test(the_summary_shows_what_there_is),
      cmocka_unit_test(series_are_drawn_by_name),
      cmocka_unit_test(mistakes_are_refused_in_one_sentence),
  };
  return cmocka_run_group_tests(tests, set_up, scratch_folder_tear_down);
}
