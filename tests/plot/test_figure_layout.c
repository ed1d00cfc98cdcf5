// Layout: keys stand beside curves, never on them, and long names take the picture's room, not the curves'.
#define _POSIX_C_SOURCE 200809L // open_memstream
#include "plot/figure_layout.h"
#include "plot/gnuplot.h"

#include "gnuplot_is_there.h"

#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <cmocka.h>

enum { CURVES = TS_MOST_CURVES + 3 };

// Two columns: on the left eight curves of many, with names of `letters` letters, above lanes with such names; on the
// right two curves with short names.
static void fill_figure(ts_figure *figure, int letters)
{
  static const double x[2] = {0.0, 1.0}, y[2] = {0.0, 1.0};
  char name[128];
  *figure = (ts_figure){.title = "", .format = ts_image_format_at(0), .from = 0.0, .to = 1.0, .columns = 2};
  ts_panel *panel = ts_figure_add_panel(figure, "t", "many");
  for (int i = 0; i < CURVES; ++i) {
    snprintf(name, sizeof name, "%0*d", letters, i);
    ts_panel_add_curve(panel, name, x, y, 2, false);
  }
  panel = ts_figure_add_panel(figure, "t", "few");
  ts_panel_add_curve(panel, "a", x, y, 2, false);
  ts_panel_add_curve(panel, "b", x, y, 2, false);
  panel = ts_figure_add_panel(figure, "t", "modes");
  ts_panel_add_lane(panel, name);
  ts_panel_add_span(panel, (ts_mode_span){0.0, 1.0, 0, TS_SLIP});
  ts_figure_add_mark(figure, 0.5);
}

// Where a text begins in an SVG file that gnuplot wrote, in pixels; it comes after the place of its group.
static double text_begins(const char *picture, const char *text)
{
  const char *at = strstr(picture, text), *place = NULL;
  assert_non_null(at);
  for (const char *p = strstr(picture, "translate("); p && p < at; p = strstr(p + 1, "translate(")) place = p;
  assert_non_null(place);
  return strtod(place + strlen("translate("), NULL);
}

static double between_axes(const ts_figure *figure, int k)
{
  const ts_panel_margins margins = ts_figure_margins(figure, k);
  return (double)figure->size.width / figure->columns - margins.left - margins.right;
}

static void long_names_leave_room_for_curves(void **state)
{
  (void)state;
  static const int letters[] = {3, 20, 60};
  for (int i = 0; i < 3; ++i) {
    ts_figure figure;
    fill_figure(&figure, letters[i]);
    ts_figure_choose_size(&figure);
    for (int k = 0; k < figure.panel_count; ++k) assert_true(between_axes(&figure, k) >= 399.0);
    const ts_panel_margins above = ts_figure_margins(&figure, 0), below = ts_figure_margins(&figure, 2);
    assert_true(above.left == below.left && above.right == below.right); // one axis of time
    assert_true(ts_figure_margins(&figure, 1).left <= above.left);       // not as wide as other columns need
    ts_figure_destroy(&figure);
  }
}

// A size that somebody wants is kept, and shows curves.
static void small_pictures_show_curves(void **state)
{
  (void)state;
  ts_figure figure;
  fill_figure(&figure, 60);
  figure.size = (ts_image_size){500, 400};
  for (int k = 0; k < figure.panel_count; ++k) assert_true(between_axes(&figure, k) >= 0.29 * 250.0);
  ts_figure_destroy(&figure);
}

static void keys_stand_beside_curves(void **state)
{
  (void)state;
  if (!gnuplot_is_there()) skip();
  for (int letters = 3; letters < 50; letters += 20) {
    ts_figure figure;
    fill_figure(&figure, letters);
    ts_figure_choose_size(&figure);
    assert_true(ts_figure_key_is_beside(&figure, 0));
    assert_false(ts_figure_key_is_beside(&figure, 1));
    char *picture = NULL, name[128];
    size_t size = 0;
    ts_error error = {0};
    FILE *stream = open_memstream(&picture, &size);
    if (ts_gnuplot_draw(&figure, stream, &error) != TS_OK) fail_msg("%s", error.text);
    fclose(stream);
    const double column = figure.size.width / 2.0, end = column - ts_figure_margins(&figure, 0).right;
    for (int i = 0; i < TS_MOST_CURVES; ++i) {
      snprintf(name, sizeof name, ">%0*d<", letters, i);
      assert_true(text_begins(picture, name) > end);
      assert_true(text_begins(picture, name) + 6.5 * letters < column);
    }
    assert_true(text_begins(picture, "3 more not shown") > end);
    assert_true(text_begins(picture, ">impact<") > end);
    free(picture);
    ts_figure_destroy(&figure);
  }
}

int main(void)
{
  const struct CMUnitTest tests[] = {
      cmocka_unit_test(long_names_leave_room_for_curves),
      cmocka_unit_test(small_pictures_show_curves),
      cmocka_unit_test(keys_stand_beside_curves),
  };
  return cmocka_run_group_tests(tests, NULL, NULL);
}
