// Charts: numbers at axes have room, layers lie within them, and texts pass through gnuplot unharmed.
#define _POSIX_C_SOURCE 200809L // open_memstream
#include "plot/chart.h"

#include "gnuplot_is_there.h"
#include "scratch_folder.h"
#include "xml.h"

#include "plot/table_charts.h"
#include "plot/text_width.h"

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

static ts_sheet make_sheet(const char *title)
{
  return (ts_sheet){.title = title, .format = ts_image_format_of("x.svg"), .size = {600, 400}};
}

static ts_chart *add_line(ts_sheet *sheet, ts_chart_frame frame, double low, double high)
{
  ts_chart *chart = ts_sheet_add_chart(sheet, "title", "x", "y");
  assert_non_null(chart);
  chart->frame = frame;
  ts_layer *line = ts_chart_add_layer(chart, TS_LAYER_LINE, NULL, 0);
  ts_chart_add_row(chart, line, (double[]){low, low});
  ts_chart_add_row(chart, line, (double[]){high, high});
  return chart;
}

// Whatever the numbers are, two to eight stand at an axis, and side by side they fit.
static void numbers_at_axes_have_room(void **state)
{
  (void)state;
  static const double ranges[][2] = {{0.0, 1.0},     {-0.0095, 0.0095}, {1e-9, 3e-9},      {-1e6, 2e6},
                                     {100.0, 100.7}, {0.0, 7.0},        {-3.2e-5, 9.1e-5}, {1e20, 5e20}};
  static const double widths[] = {250.0, 350.0, 820.0, 2000.0};
  for (size_t i = 0; i < sizeof ranges / sizeof ranges[0]; ++i)
    for (size_t k = 0; k < sizeof widths / sizeof widths[0]; ++k) {
      ts_sheet sheet = make_sheet("");
      const ts_chart_frame frame = {10.0, 20.0, widths[k], 0.8 * widths[k]};
      const ts_chart *chart = add_line(&sheet, frame, ranges[i][0], ranges[i][1]);
      const ts_chart_frame inside = ts_chart_inside(chart);
      const ts_axis_range x = ts_chart_x_range(chart), y = ts_chart_y_range(chart);
      assert_true(inside.left > frame.left && inside.left + inside.width < frame.left + frame.width);
      assert_true(inside.top > frame.top && inside.top + inside.height < frame.top + frame.height);
      assert_true(inside.width > 0.5 * frame.width && inside.height > 0.4 * frame.height);
      assert_true(x.low < ranges[i][0] && x.high > ranges[i][1] && y.low < ranges[i][0] && y.high > ranges[i][1]);
      int count = 0;
      double pixels = 0.0;
      for (double at = ceil(x.low / x.step) * x.step; at <= x.high; at += x.step) {
        char text[32];
        snprintf(text, sizeof text, "%g", fabs(at) < 1e-9 * x.step ? 0.0 : at);
        pixels += 7.0 * (double)(strlen(text) + 1); // a blank between them
        ++count;
      }
      assert_in_range(count, 1, 10);
      assert_true(pixels < inside.width + 50.0); // the last may stand beyond the end
      assert_true((y.high - y.low) / y.step <= 10.0 && y.step < y.high - y.low);
      ts_sheet_destroy(&sheet);
    }
}

static void constants_and_nothing_have_ranges(void **state)
{
  (void)state;
  const ts_chart_frame frame = {0.0, 0.0, 300.0, 200.0};
  static const double values[] = {0.0, 5.0, -1e-30, 1e100};
  for (size_t i = 0; i < sizeof values / sizeof values[0]; ++i) {
    ts_sheet sheet = make_sheet("");
    const ts_axis_range range = ts_chart_y_range(add_line(&sheet, frame, values[i], values[i]));
    assert_true(range.low < values[i] && range.high > values[i] && range.step > 0.0 && isfinite(range.step));
    ts_sheet_destroy(&sheet);
  }
  ts_sheet sheet = make_sheet("");
  ts_chart *chart = ts_sheet_add_chart(&sheet, NULL, NULL, NULL);
  chart->frame = frame;
  chart->y.log_scale = true;
  assert_true(ts_chart_x_range(chart).high > ts_chart_x_range(chart).low);
  assert_true(ts_chart_y_range(chart).low > 0.0);
  ts_sheet_destroy(&sheet);
}

static char *script_of(const ts_sheet *sheet)
{
  char *script = NULL;
  size_t length = 0;
  FILE *stream = open_memstream(&script, &length);
  ts_sheet_write_script(sheet, stream);
  fclose(stream);
  return script;
}

// Numbers that differ late have the digits for it, at their axis and in the data.
static void close_numbers_are_told_apart(void **state)
{
  (void)state;
  ts_sheet sheet = make_sheet("");
  add_line(&sheet, (ts_chart_frame){0.0, 0.0, 600.0, 400.0}, 1e9 + 0.25, 1e9 + 7.25);
  char *script = script_of(&sheet);
  assert_non_null(strstr(script, "set format x '%.10g'"));
  assert_non_null(strstr(script, "set format y '%.10g'"));
  assert_non_null(strstr(script, "1000000000.25 1000000000.25\n1000000007.25 1000000007.25\n"));
  free(script);
  ts_sheet_destroy(&sheet);
}

// Labels of an axis that reaches over less than a decade and a half.
static void short_logarithmic_axes_have_numbers(void **state)
{
  (void)state;
  ts_sheet sheet = make_sheet("");
  ts_chart *chart = add_line(&sheet, (ts_chart_frame){0.0, 0.0, 600.0, 400.0}, 0.7, 2.0);
  chart->y.log_scale = true;
  char *script = script_of(&sheet);
  assert_non_null(strstr(script, "set ytics (1, 1.5, 2)"));
  free(script);
  ts_sheet_destroy(&sheet);
}

// Whatever texts there are, they end within the frame.
static void long_texts_stay_in_their_frames(void **state)
{
  (void)state;
  char text[200];
  memset(text, 'm', sizeof text - 1);
  text[sizeof text - 1] = '\0';
  ts_sheet sheet = make_sheet(text);
  ts_chart *chart = ts_sheet_add_chart(&sheet, text, text, text);
  const ts_chart_frame frame = chart->frame = (ts_chart_frame){100.0, 30.0, 400.0, 300.0};
  ts_layer *line = ts_chart_add_layer(chart, TS_LAYER_LINE, text, 0);
  ts_chart_add_row(chart, line, (double[]){1.0, 2.0});
  ts_chart_add_name(chart, &chart->y, text);
  ts_chart_set_note(chart, "%s", text);
  const ts_chart_room room = ts_chart_text_room(chart);
  const ts_chart_frame inside = ts_chart_inside(chart);
  assert_true(inside.width > 30.0 && inside.left + inside.width < frame.left + frame.width);
  assert_true(ts_chart_title_left(chart) + room.title <= frame.left + frame.width);
  assert_true(room.x_middle - 0.5 * room.x_label >= frame.left);
  assert_true(room.x_middle + 0.5 * room.x_label <= frame.left + frame.width);
  assert_true(room.y_middle - 0.5 * room.y_label >= frame.top);
  assert_true(room.y_middle + 0.5 * room.y_label <= frame.top + frame.height - 19.0); // the note is below
  assert_true(frame.left + room.names < inside.left && room.names > 100.0);
  assert_true(inside.left + inside.width + room.key < frame.left + frame.width);
  char *script = script_of(&sheet);
  assert_null(strstr(script, text));
  free(script);
  ts_sheet_destroy(&sheet);
}

// Short ones are left as they are, whatever the letters: names at the vertical axis begin at the frame or right of it.
static void short_texts_are_not_cut(void **state)
{
  (void)state;
  static const char *const names[] = {"stopped by missed: 56", "WWWWW", "illi"};
  for (int i = 0; i < 3; ++i) {
    ts_sheet sheet = make_sheet("title");
    ts_chart *chart = ts_sheet_add_chart(&sheet, "title", "share of the variance", NULL);
    chart->frame = (ts_chart_frame){0.0, 30.0, 350.0, 290.0};
    ts_chart_add_name(chart, &chart->y, names[i]);
    const ts_chart_room room = ts_chart_text_room(chart);
    assert_true(ts_text_width(names[i]) <= room.names && ts_chart_inside(chart).left - room.names >= 12.0);
    assert_true(ts_text_width("share of the variance") <= room.x_label);
    ts_sheet_destroy(&sheet);
  }
}

// Estimates outside of 0 to 1 are within the axes.
static void intervals_beyond_one_are_shown(void **state)
{
  static const char text[] = "trial,a,y,outcome,steps,uncertified,residual,attempt\n0,1,1,finished,1,0,0,0\n";
  ts_table *table;
  scratch_write(scratch_path(*state, "t.csv"), text, sizeof text - 1);
  assert_int_equal(ts_table_open(scratch_path(*state, "t.csv"), &table, NULL), TS_OK);
  ts_sheet sheet = make_sheet("");
  const ts_table_view view = {.table = table, .sheet = &sheet};
  const ts_summary_sensitivity wide = {1, {0.2, -0.1, 0.5}, {0.7, 0.214, 1.335}},
                               narrow = {1, {0.2, 0.1, 0.3}, {NAN, NAN, NAN}};
  ts_table_sensitivity_chart(&view, 2, &(ts_summary_sensitivities){.count = 1, .list = &wide});
  ts_table_sensitivity_chart(&view, 2, &(ts_summary_sensitivities){.count = 1, .list = &narrow});
  for (int i = 0; i < 2; ++i) sheet.charts[i]->frame = (ts_chart_frame){0.0, 0.0, 350.0, 290.0};
  const ts_axis_range x = ts_chart_x_range(sheet.charts[0]), plain = ts_chart_x_range(sheet.charts[1]);
  assert_true(x.low < -0.1 && x.high > 1.335);
  assert_true(plain.low == 0.0 && plain.high == 1.0);
  ts_sheet_destroy(&sheet);
  ts_table_close(table);
}

static const char *const hostile[] = {"`touch pwned`",
                                      "'; system 'touch pwned'; plot '",
                                      "\"; system(\"touch pwned\"); \"",
                                      "line\nsystem 'touch pwned'\n",
                                      "trailing \\",
                                      "<b>&amp; @macro {/Bold %s %d} _^",
                                      "EOD"};
enum { HOSTILE = sizeof hostile / sizeof hostile[0] };

// Every layer there is, with such texts wherever texts may be.
static void any_text_is_drawn_as_it_is(void **state)
{
  if (!gnuplot_is_there()) skip();
  char before[4096], *picture = NULL;
  size_t length = 0;
  assert_non_null(getcwd(before, sizeof before));
  assert_int_equal(chdir(((scratch_folder *)*state)->path), 0);
  for (int i = 0; i < HOSTILE; ++i) {
    ts_sheet sheet = make_sheet(hostile[i]);
    for (int k = 0; k < 2; ++k) {
      ts_chart *chart = ts_sheet_add_chart(&sheet, hostile[i], hostile[i], hostile[i]);
      chart->frame = (ts_chart_frame){300.0 * k, 30.0, 300.0, 340.0};
      for (int kind = 0; kind < TS_LAYER_KIND_COUNT; ++kind) {
        ts_layer *layer = ts_chart_add_layer(chart, (ts_layer_kind)kind, hostile[i], kind - 3);
        ts_chart_add_row(chart, layer, (double[]){1.0, 2.0, 3.0, 4.0, 5.0});
        ts_chart_add_row(chart, layer, (double[]){2.0, NAN, 3.0, 5.0, INFINITY});
      }
      if (k) ts_chart_add_name(chart, &chart->y, hostile[i]);
      ts_chart_set_note(chart, "%s", hostile[i]);
    }
    ts_sheet_add_text(&sheet, 10.0, 10.0, hostile[i]);
    ts_error error;
    FILE *stream = open_memstream(&picture, &length);
    const ts_status status = ts_sheet_draw(&sheet, stream, &error);
    fclose(stream);
    if (status != TS_OK) fail_msg("%s: %s", hostile[i], error.text);
    assert_true(xml_is_well_formed(picture, NULL, NULL));
    free(picture);
    ts_sheet_destroy(&sheet);
  }
  assert_int_equal(scratch_count(*state), 0);
  assert_int_equal(chdir(before), 0);
}

int main(void)
{
  const struct CMUnitTest tests[] = {
      cmocka_unit_test(numbers_at_axes_have_room),
      cmocka_unit_test(constants_and_nothing_have_ranges),
      cmocka_unit_test(close_numbers_are_told_apart),
      cmocka_unit_test(short_logarithmic_axes_have_numbers),
      cmocka_unit_test(long_texts_stay_in_their_frames),
      cmocka_unit_test(short_texts_are_not_cut),
      cmocka_unit_test_setup_teardown(intervals_beyond_one_are_shown, scratch_folder_set_up, scratch_folder_tear_down),
      cmocka_unit_test_setup_teardown(any_text_is_drawn_as_it_is, scratch_folder_set_up, scratch_folder_tear_down)};
  return cmocka_run_group_tests(tests, NULL, NULL);
}
