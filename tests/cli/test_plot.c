// touchstone plot: scripts that carry hostile names safely, figures that other code can read, refusals that leave no
// file.
#define _POSIX_C_SOURCE 200809L // open_memstream
#include "cli/figure.h"
#include "cli/gnuplot.h"
#include "cli/wildcard.h"

#include "command.h"
#include "xml.h"

#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>
#include <cmocka.h>

static command_result result;

static bool gnuplot_is_there(void)
{
  if (system("gnuplot --version > /dev/null 2>&1") == 0) return true;
  print_message("gnuplot is not installed: skipped\n");
  return false;
}

// ---- names ---------------------------------------------------------------------------------------------------------

static void wildcards_match(void **state)
{
  (void)state;
  static const struct {
    const char *pattern, *name;
    bool matches;
  } cases[] = {{"ball.vx", "ball.vx", true},
               {"ball*.vx", "ball12.vx", true},
               {"ball*.vx", "ball.vx", true},
               {"ball?.vx", "ball1.vx", true},
               {"ball?.vx", "ball.vx", false},
               {"*", "", true},
               {"*.x", "a.b.x", true},
               {"*.x", "a.xy", false},
               {"a*b*c", "aXbbYc", true},
               {"a*b*c", "aXcYb", false},
               {"", "", true},
               {"", "a", false},
               {"a", "", false},
               {"[a]", "a", false},
               {"**", "abc", true}};
  for (size_t i = 0; i < sizeof cases / sizeof cases[0]; ++i)
    assert_int_equal(cli_matches(cases[i].pattern, cases[i].name), cases[i].matches);
}

static void lists_are_split_at_commas(void **state)
{
  (void)state;
  int count = 0;
  char **words = cli_split(" a, b c ,,\td,", &count);
  assert_int_equal(count, 3);
  assert_string_equal(words[0], "a");
  assert_string_equal(words[1], "b c");
  assert_string_equal(words[2], "d");
  free(words);
  free(cli_split("", &count));
  assert_int_equal(count, 0);
}

static char *quoted(const char *text)
{
  char *quote = NULL;
  size_t size = 0;
  FILE *stream = open_memstream(&quote, &size);
  cli_gnuplot_quote(text, stream);
  fclose(stream);
  return quote;
}

static void quotes_hold_any_text(void **state)
{
  (void)state;
  static const char *const cases[][2] = {{"ball 1", "\"ball 1\""},
                                         {"it's", "\"it\\047s\""},
                                         {"a\nb\r\x7f", "\"a b  \""},
                                         {"`$\\@\"", "\"\\140\\044\\134\\100\\042\""},
                                         {"caf\xc3\xa9", "\"caf\xc3\xa9\""},
                                         {"", "\"\""},
                                         {"1e-17 7", "\"1e\\055\\061\\067 7\""}};
  for (size_t i = 0; i < sizeof cases / sizeof cases[0]; ++i) {
    char *quote = quoted(cases[i][0]);
    assert_string_equal(quote, cases[i][1]);
    free(quote);
  }
}

// ---- scripts -------------------------------------------------------------------------------------------------------

static const char *const hostile[] = {"`touch pwned`",
                                      "$(touch pwned)",
                                      "'; system 'touch pwned'; plot '",
                                      "\"; system(\"touch pwned\"); \"",
                                      "line\nsystem 'touch pwned'\n",
                                      "trailing \\",
                                      "<b>&amp; @macro {/Bold %s %d} _^",
                                      "EOD"};
enum { HOSTILE = sizeof hostile / sizeof hostile[0] };

static void fill_figure(cli_figure *figure, cli_image_format format)
{
  static const double x[4] = {0.0, 1.0, 2.0, 3.0}, y[4] = {0.0, NAN, INFINITY, -1.0},
                      constant[4] = {5.0, 5.0, 5.0, 5.0};
  *figure = (cli_figure){
      .title = hostile[2], .format = format, .size = {700, 500}, .from = -INFINITY, .to = INFINITY, .columns = 1};
  cli_panel *panel = cli_figure_add_panel(figure, hostile[0], hostile[1]);
  for (int i = 0; i < HOSTILE; ++i) cli_panel_add_curve(panel, hostile[i], x, i % 2 ? y : constant, 4, i % 3 == 0);
  cli_panel_add_curve(panel, "one too many", x, y, 4, false);
  assert_int_equal(panel->left_out, 1);
  panel = cli_figure_add_panel(figure, "t-17", "modes");
  for (int i = 0; i < HOSTILE; ++i) cli_panel_add_lane(panel, hostile[i]);
  cli_panel_add_span(panel, (cli_span){0.0, 1.0, 0, TS_SLIP});
}

static bool draw(const cli_figure *figure, char **picture, size_t *size)
{
  char *script = NULL;
  size_t length = 0;
  FILE *stream = open_memstream(&script, &length);
  cli_figure_write_script(figure, stream);
  fclose(stream);
  stream = open_memstream(picture, size);
  const bool drawn = cli_gnuplot_run(script, length, stream);
  fclose(stream);
  free(script);
  return drawn;
}

// Nothing in a name is carried out, and every name can be read in the picture.
static void hostile_names_are_only_names(void **state)
{
  if (!gnuplot_is_there()) skip();
  scratch_folder *folder = *state;
  const int files = scratch_count(folder);
  char before[1024];
  assert_non_null(getcwd(before, sizeof before));
  assert_int_equal(chdir(folder->path), 0);
  for (int format = CLI_IMAGE_SVG; format <= CLI_IMAGE_PDF; ++format) {
    cli_figure figure;
    fill_figure(&figure, (cli_image_format)format);
    char *picture = NULL;
    size_t size = 0;
    assert_true(draw(&figure, &picture, &size));
    if (format == CLI_IMAGE_SVG) {
      const char *reason = NULL;
      if (!xml_is_well_formed(picture, NULL, &reason)) fail_msg("%s", reason);
      assert_non_null(strstr(picture, "`touch pwned`"));
      assert_non_null(strstr(picture, "$(touch pwned)"));
      assert_non_null(strstr(picture, "1 more not shown"));
      assert_non_null(strstr(picture, "t-17"));
    }
    assert_true(format != CLI_IMAGE_PNG || memcmp(picture, "\x89PNG\r\n\x1a\n", 8) == 0);
    assert_true(format != CLI_IMAGE_PDF || memcmp(picture, "%PDF-", 5) == 0);
    free(picture);
    cli_figure_destroy(&figure);
  }
  assert_int_equal(chdir(before), 0);
  assert_int_equal(scratch_count(folder), files);
}

// A long curve is thinned, and keeps its only peak; a range cuts before it thins.
static void thinning_keeps_peaks(void **state)
{
  (void)state;
  enum { POINTS = 200000, PEAK = 123457 };
  double *x = calloc(POINTS, sizeof *x), *y = calloc(POINTS, sizeof *y);
  for (int i = 0; i < POINTS; ++i) x[i] = i;
  y[PEAK] = 1.0;
  y[PEAK + 7] = -2.0;
  cli_figure figure = {.from = -INFINITY, .to = INFINITY};
  cli_panel *panel = cli_figure_add_panel(&figure, "x", "y");
  cli_panel_add_curve(panel, "all", x, y, POINTS, false);
  const cli_curve *curve = &panel->curves[0];
  assert_in_range(curve->count, 1000, 10000);
  bool high = false, low = false;
  for (int i = 0; i < curve->count; ++i) {
    high = high || (curve->x[i] == PEAK && curve->y[i] == 1.0);
    low = low || (curve->x[i] == PEAK + 7 && curve->y[i] == -2.0);
    assert_true(i == 0 || curve->x[i] > curve->x[i - 1]);
  }
  assert_true(high && low);
  cli_figure_destroy(&figure);

  figure = (cli_figure){.from = 1000.5, .to = 1010.5};
  panel = cli_figure_add_panel(&figure, "x", "y");
  cli_panel_add_curve(panel, "few", x, y, POINTS, false);
  assert_int_equal(panel->curves[0].count, 12); // ten, and a neighbour on either side
  cli_figure_destroy(&figure);
  free(x);
  free(y);
}

static void panels_without_anything_to_see_go(void **state)
{
  (void)state;
  const double x[2] = {0.0, 1.0}, negative[2] = {-1.0, 0.0}, good[2] = {1.0, 2.0};
  cli_figure figure = {.from = -INFINITY, .to = INFINITY};
  cli_figure_add_panel(&figure, "x", "empty");
  cli_panel *panel = cli_figure_add_panel(&figure, "x", "negative");
  panel->log_scale = true;
  cli_panel_add_curve(panel, "negative", x, negative, 2, false);
  panel = cli_figure_add_panel(&figure, "x", "good");
  cli_panel_add_curve(panel, "good", x, good, 2, false);
  cli_figure_drop_empty(&figure);
  assert_int_equal(figure.panel_count, 1);
  assert_string_equal(figure.panels[0].y_label, "good");
  cli_figure_destroy(&figure);
}

static void a_script_that_fails_is_reported(void **state)
{
  (void)state;
  if (!gnuplot_is_there()) skip();
  static const char script[] = "set terminal svg\nplot nonsense(\n";
  char *picture = NULL;
  size_t size = 0;
  FILE *stream = open_memstream(&picture, &size);
  assert_false(cli_gnuplot_run(script, sizeof script - 1, stream));
  fclose(stream);
  free(picture);
}

// ---- the command ---------------------------------------------------------------------------------------------------

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
      cmocka_unit_test(wildcards_match),
      cmocka_unit_test(lists_are_split_at_commas),
      cmocka_unit_test(quotes_hold_any_text),
      cmocka_unit_test(hostile_names_are_only_names),
      cmocka_unit_test(thinning_keeps_peaks),
      cmocka_unit_test(panels_without_anything_to_see_go),
      cmocka_unit_test(a_script_that_fails_is_reported),
      cmocka_unit_test(the_summary_shows_what_there_is),
      cmocka_unit_test(series_are_drawn_by_name),
      cmocka_unit_test(mistakes_are_refused_in_one_sentence),
  };
  return cmocka_run_group_tests(tests, set_up, scratch_folder_tear_down);
}
