// Figures: scripts that carry hostile names safely, curves that are thinned without losing peaks.
#define _POSIX_C_SOURCE 200809L // open_memstream
#include "plot/figure.h"
#include "plot/figure_layout.h"
#include "plot/gnuplot.h"

#include "gnuplot_is_there.h"
#include "scratch_folder.h"
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

// ---- names ---------------------------------------------------------------------------------------------------------

static char *quoted(const char *text)
{
  char *quote = NULL;
  size_t size = 0;
  FILE *stream = open_memstream(&quote, &size);
  ts_gnuplot_quote(text, stream);
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

static void fill_figure(ts_figure *figure, const ts_image_format *format)
{
  static const double x[4] = {0.0, 1.0, 2.0, 3.0}, y[4] = {0.0, NAN, INFINITY, -1.0},
                      constant[4] = {5.0, 5.0, 5.0, 5.0};
  *figure = (ts_figure){
      .title = hostile[2], .format = format, .size = {700, 500}, .from = -INFINITY, .to = INFINITY, .columns = 1};
  ts_panel *panel = ts_figure_add_panel(figure, hostile[0], hostile[1]);
  for (int i = 0; i < HOSTILE; ++i) ts_panel_add_curve(panel, hostile[i], x, i % 2 ? y : constant, 4, i % 3 == 0);
  ts_panel_add_curve(panel, "one too many", x, y, 4, false);
  assert_int_equal(panel->left_out, 1);
  panel = ts_figure_add_panel(figure, "t-17", "modes");
  for (int i = 0; i < HOSTILE; ++i) ts_panel_add_lane(panel, hostile[i]);
  ts_panel_add_span(panel, (ts_mode_span){0.0, 1.0, 0, TS_SLIP});
}

static void draw(const ts_figure *figure, char **picture, size_t *size)
{
  ts_error error = {0};
  FILE *stream = open_memstream(picture, size);
  if (ts_gnuplot_draw(figure, stream, &error) != TS_OK) fail_msg("%s", error.text);
  fclose(stream);
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
  for (int i = 0; i < ts_image_format_count(); ++i) {
    const char *suffix = ts_image_format_at(i)->suffix;
    ts_figure figure;
    fill_figure(&figure, ts_image_format_at(i));
    char *picture = NULL;
    size_t size = 0;
    draw(&figure, &picture, &size);
    if (strcmp(suffix, ".svg") == 0) {
      const char *reason = NULL;
      if (!xml_is_well_formed(picture, NULL, &reason)) fail_msg("%s", reason);
      assert_non_null(strstr(picture, "`touch pwned`"));
      assert_non_null(strstr(picture, "$(touch pwned)"));
      assert_non_null(strstr(picture, "1 more not shown"));
      assert_non_null(strstr(picture, "t-17"));
    }
    assert_true(strcmp(suffix, ".png") != 0 || memcmp(picture, "\x89PNG\r\n\x1a\n", 8) == 0);
    assert_true(strcmp(suffix, ".pdf") != 0 || memcmp(picture, "%PDF-", 5) == 0);
    free(picture);
    ts_figure_destroy(&figure);
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
  ts_figure figure = {.from = -INFINITY, .to = INFINITY};
  ts_panel *panel = ts_figure_add_panel(&figure, "x", "y");
  ts_panel_add_curve(panel, "all", x, y, POINTS, false);
  const ts_curve *curve = &panel->curves[0];
  assert_in_range(curve->count, 1000, 10000);
  bool high = false, low = false;
  for (int i = 0; i < curve->count; ++i) {
    high = high || (curve->x[i] == PEAK && curve->y[i] == 1.0);
    low = low || (curve->x[i] == PEAK + 7 && curve->y[i] == -2.0);
    assert_true(i == 0 || curve->x[i] > curve->x[i - 1]);
  }
  assert_true(high && low);
  ts_figure_destroy(&figure);

  figure = (ts_figure){.from = 1000.5, .to = 1010.5};
  panel = ts_figure_add_panel(&figure, "x", "y");
  ts_panel_add_curve(panel, "few", x, y, POINTS, false);
  assert_int_equal(panel->curves[0].count, 12); // ten, and a neighbour on either side
  ts_figure_destroy(&figure);
  free(x);
  free(y);
}

// A force that is constant up to noise: numbers at the axis differ, and what is rounding alone is a line.
static void noise_is_told_from_rounding(void **state)
{
  (void)state;
  static const double x[2] = {0.0, 1.0}, noisy[2] = {18.4368, 18.4368 * (1.0 + 1e-7)},
                      even[2] = {18.4368, 18.4368 * (1.0 + 1e-13)};
  ts_figure figure = {.title = "", .format = ts_image_format_at(0), .from = 0.0, .to = 1.0, .columns = 1};
  ts_panel_add_curve(ts_figure_add_panel(&figure, "t", "noisy"), "f", x, noisy, 2, false);
  ts_panel_add_curve(ts_figure_add_panel(&figure, "t", "even"), "f", x, even, 2, false);
  ts_figure_choose_size(&figure);
  char *script = NULL;
  size_t size = 0;
  FILE *stream = open_memstream(&script, &size);
  ts_figure_write_script(&figure, stream);
  fclose(stream);
  assert_non_null(strstr(script, "set format y '%.10g'")); // steps of 1e-8
  assert_non_null(strstr(script, "set format y '%.6g'"));
  assert_non_null(strstr(script, "set yrange [16.59312:20.28048]"));
  assert_true(ts_figure_margins(&figure, 0).left >= 7.2 * 16.0); // room for the digits
  free(script);
  ts_figure_destroy(&figure);
}

static void panels_without_anything_to_see_go(void **state)
{
  (void)state;
  const double x[2] = {0.0, 1.0}, negative[2] = {-1.0, 0.0}, good[2] = {1.0, 2.0};
  ts_figure figure = {.from = -INFINITY, .to = INFINITY};
  ts_figure_add_panel(&figure, "x", "empty");
  ts_panel *panel = ts_figure_add_panel(&figure, "x", "negative");
  panel->log_scale = true;
  ts_panel_add_curve(panel, "negative", x, negative, 2, false);
  panel = ts_figure_add_panel(&figure, "x", "good");
  ts_panel_add_curve(panel, "good", x, good, 2, false);
  ts_figure_drop_empty(&figure);
  assert_int_equal(figure.panel_count, 1);
  assert_string_equal(figure.panels[0].y_label, "good");
  ts_figure_destroy(&figure);
}

static void a_script_that_fails_is_reported(void **state)
{
  (void)state;
  if (!gnuplot_is_there()) skip();
  static const char script[] = "set terminal svg\nplot nonsense(\n";
  char *picture = NULL;
  size_t size = 0;
  FILE *stream = open_memstream(&picture, &size);
  ts_error error = {0};
  assert_int_not_equal(ts_gnuplot_run(script, sizeof script - 1, stream, &error), TS_OK);
  assert_non_null(strstr(error.text, "gnuplot could not draw the figure: "));
  fclose(stream);
  free(picture);
}

int main(void)
{
  const struct CMUnitTest tests[] = {
      cmocka_unit_test(quotes_hold_any_text),
      cmocka_unit_test_setup_teardown(hostile_names_are_only_names, scratch_folder_set_up, scratch_folder_tear_down),
      cmocka_unit_test(thinning_keeps_peaks),
      cmocka_unit_test(noise_is_told_from_rounding),
      cmocka_unit_test(panels_without_anything_to_see_go),
      cmocka_unit_test(a_script_that_fails_is_reported),
  };
  return cmocka_run_group_tests(tests, NULL, NULL);
}
