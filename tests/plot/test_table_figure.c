// The numbers that figures of tables hand to gnuplot, against those of the rows.
#define _POSIX_C_SOURCE 200809L // open_memstream
#include "plot/table_figure.h"

#include "scratch_folder.h"

#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <cmocka.h>

// Rows 0 to 59: a = 0, 1, 2 and b = 10, 20 in turns, u = row/60, hit where u > a/4, v = a + b + u, void and "c, d".
enum { ROWS = 60 };

typedef struct row {
  double a, b, u, hit, v;
} row;

static row row_at(int i)
{
  const double a = i % 3, b = 10.0 * (1 + i / 3 % 2), u = i / (double)ROWS;
  return (row){a, b, u, u > a / 4.0, i == 7 ? NAN : a + b + u};
}

static int set_up(void **state)
{
  if (scratch_folder_set_up(state) != 0) return -1;
  FILE *file = fopen(scratch_path(*state, "t.csv"), "w");
  assert_non_null(file);
  fputs("trial,a,b,u,hit,v,void,\"c, d\",outcome,steps,uncertified,residual,attempt\n", file);
  for (int i = 0; i < ROWS; ++i) {
    const row r = row_at(i);
    fprintf(file, "%d,%g,%g,%.17g,%g,%.17g,nan,%d,%s,10,%d,1e-9,0\n", i, r.a, r.b, r.u, r.hit, r.v, i % 4,
            i % 9 == 4 ? "failed: it broke" : "finished", i % 20 == 0);
  }
  return fclose(file);
}

static ts_table *open_table(scratch_folder *folder)
{
  ts_table *table;
  ts_error error;
  if (ts_table_open(scratch_path(folder, "t.csv"), &table, &error) != TS_OK) fail_msg("%s", error.text);
  return table;
}

// The script of a figure. Free it.
static char *script_of(const ts_table *table, ts_table_choice choice)
{
  ts_sheet sheet = {.title = "t", .format = ts_image_format_of("x.svg")};
  ts_error error;
  if (ts_table_figure(table, &choice, &sheet, &error) != TS_OK) fail_msg("%s", error.text);
  char *script = NULL;
  size_t size = 0;
  FILE *stream = open_memstream(&script, &size);
  ts_sheet_write_script(&sheet, stream);
  fclose(stream);
  ts_sheet_destroy(&sheet);
  return script;
}

// The numbers of layer `layer` of chart `chart`; returns how many rows of `columns` there are.
enum { MOST_NUMBERS = 5 * 80 * 80 };
static int read_block(const char *script, int chart, int layer, int columns, double *numbers)
{
  char head[32];
  snprintf(head, sizeof head, "$c%d_%d << EOD\n", chart, layer);
  const char *at = strstr(script, head);
  assert_non_null(at);
  at += strlen(head);
  int count = 0;
  while (strncmp(at, "EOD", 3) != 0) {
    char *end;
    assert_true(count < MOST_NUMBERS);
    numbers[count++] = strtod(at, &end);
    assert_true(end > at);
    at = end + strspn(end, " \n");
  }
  assert_int_equal(count % columns, 0);
  return count / columns;
}

static double numbers[MOST_NUMBERS];

static void assert_near(double found, double expected)
{
  if (!(fabs(found - expected) <= 1e-8 * (1.0 + fabs(expected)))) fail_msg("%.12g is not %.12g", found, expected);
}

static void maps_have_the_means_of_their_cells(void **state)
{
  ts_table *table = open_table(*state);
  char *script = script_of(table, (ts_table_choice){.map = "a, b", .color = "hit", .contour = 0.5});
  assert_int_equal(read_block(script, 0, 0, 5, numbers), 6);
  for (int cell = 0; cell < 6; ++cell) {
    const double a = cell / 2, b = 10.0 * (1 + cell % 2), *c = numbers + 5 * cell;
    double sum = 0.0, count = 0.0;
    for (int i = 0; i < ROWS; ++i) {
      const row r = row_at(i);
      if (r.a == a && r.b == b) sum += r.hit, ++count;
    }
    assert_near(c[0], a - 0.5);
    assert_near(c[1], a + 0.5);
    assert_near(c[2], b - 5.0);
    assert_near(c[3], b + 5.0);
    assert_near(c[4], sum / count);
  }
  assert_non_null(strstr(script, "share of hit"));
  assert_non_null(strstr(script, "10 trials a cell"));
  assert_non_null(strstr(script, "set cbrange [0:1]"));
  free(script);

  // Standard errors of means: deviation of u over the root of 10.
  script = script_of(table, (ts_table_choice){.map = "a,b", .color = "v", .errors = true, .contour = INFINITY});
  assert_int_equal(read_block(script, 0, 0, 5, numbers), 6);
  double mean = 0.0, squares = 0.0;
  for (int i = 0; i < ROWS; ++i)
    if (row_at(i).a == 0.0 && row_at(i).b == 10.0) mean += row_at(i).u / 10.0;
  for (int i = 0; i < ROWS; ++i)
    if (row_at(i).a == 0.0 && row_at(i).b == 10.0) squares += pow(row_at(i).u - mean, 2.0);
  assert_near(numbers[4], sqrt(squares / 9.0 / 10.0));
  free(script);
  ts_table_close(table);
}

static void columns_of_many_values_are_binned(void **state)
{
  ts_table *table = open_table(*state);
  char *script = script_of(table, (ts_table_choice){.map = "u,a", .color = "v", .contour = INFINITY, .bins = 4});
  const int cells = read_block(script, 0, 0, 5, numbers);
  assert_int_equal(cells, 12);
  for (int cell = 0; cell < cells; ++cell) {
    const double *c = numbers + 5 * cell;
    double sum = 0.0;
    int count = 0;
    for (int i = 0; i < ROWS; ++i) {
      const row r = row_at(i);
      const bool inside = r.u >= c[0] - 1e-9 && (r.u < c[1] - 1e-9 || (cell >= 9 && r.u <= c[1] + 1e-9));
      if (!inside || r.a < c[2] || r.a > c[3] || isnan(r.v)) continue;
      sum += r.v;
      ++count;
    }
    assert_near(c[4], sum / count);
  }
  // crosses, dark on white ones that are broader
  const int crosses = read_block(script, 0, 1, 2, numbers);
  assert_true(crosses > 0 && read_block(script, 0, 2, 2, numbers) == crosses);
  assert_non_null(strstr(script, "pt 2 ps 1 lw 3.5"));
  assert_non_null(strstr(script, "pt 2 ps 1 lw 1.3"));
  assert_non_null(strstr(script, "crosses")); // of 15 bins' rows, three groups have five each; one lacks its v
  free(script);
  ts_table_close(table);
}

static void histograms_count_rows(void **state)
{
  ts_table *table = open_table(*state);
  char *script = script_of(table, (ts_table_choice){.histogram = "u,c, d,hit", .contour = INFINITY});
  int bars = read_block(script, 0, 0, 4, numbers);
  double sum = 0.0;
  for (int i = 0; i < bars; ++i) {
    int count = 0;
    const double *bar = numbers + 4 * i;
    for (int k = 0; k < ROWS; ++k)
      count += row_at(k).u >= bar[0] - 1e-9 && (row_at(k).u < bar[1] - 1e-9 || i + 1 == bars);
    assert_near(bar[2], 0.0);
    assert_near(bar[3], count);
    sum += bar[3];
  }
  assert_near(sum, ROWS);
  assert_int_equal(read_block(script, 1, 0, 4, numbers), 4); // a name with a comma in it
  for (int i = 0; i < 4; ++i) assert_near(numbers[4 * i + 3], 15.0);
  assert_int_equal(read_block(script, 2, 0, 4, numbers), 2);
  free(script);
  ts_table_close(table);
}

static void scatter_has_the_points_and_their_line(void **state)
{
  ts_table *table = open_table(*state);
  char *script = script_of(table, (ts_table_choice){.scatter = "u,v", .contour = INFINITY});
  assert_int_equal(read_block(script, 0, 0, 2, numbers), ROWS - 1);
  double n = 0.0, x = 0.0, y = 0.0, xx = 0.0, xy = 0.0, yy = 0.0;
  for (int i = 0, k = 0; i < ROWS; ++i) {
    const row r = row_at(i);
    if (isnan(r.v)) continue;
    assert_near(numbers[2 * k], r.u);
    assert_near(numbers[2 * k++ + 1], r.v);
    n += 1.0, x += r.u, y += r.v, xx += r.u * r.u, xy += r.u * r.v, yy += r.v * r.v;
  }
  const double slope = (n * xy - x * y) / (n * xx - x * x),
               r = (n * xy - x * y) / sqrt((n * xx - x * x) * (n * yy - y * y));
  const int places = read_block(script, 0, 2, 2, numbers);
  assert_true(places > 50);
  for (int k = 0; k < places; ++k) assert_near(numbers[2 * k + 1], y / n + slope * (numbers[2 * k] - x / n));
  char words[32];
  snprintf(words, sizeof words, "%.2f", r);
  assert_non_null(strstr(script, words + 2)); // digits are quoted as they are
  assert_non_null(strstr(script, "LOESS"));
  free(script);
  ts_table_close(table);
}

static void curves_have_means_by_group(void **state)
{
  ts_table *table = open_table(*state);
  char *script = script_of(table, (ts_table_choice){.curves = "a,v", .by = "b", .contour = INFINITY});
  for (int group = 0; group < 2; ++group) {
    assert_int_equal(read_block(script, 0, 3 * group, 4, numbers), 3); // intervals
    const double low = numbers[1], high = numbers[3];
    assert_int_equal(read_block(script, 0, 3 * group + 1, 2, numbers), 3);
    for (int k = 0; k < 3; ++k) {
      double sum = 0.0, count = 0.0;
      for (int i = 0; i < ROWS; ++i) {
        const row r = row_at(i);
        if (r.a == k && r.b == 10.0 * (1 + group) && !isnan(r.v)) sum += r.v, ++count;
      }
      assert_near(numbers[2 * k + 1], sum / count);
      assert_true(fabs(numbers[2 * k] - k) < 0.02);
    }
    assert_true(low < numbers[1] && numbers[1] < high);
  }
  free(script);
  ts_table_close(table);
}

// Of very many points how many lie where is drawn, and no more numbers than that takes.
static void many_points_become_a_density(void **state)
{
  enum { MANY = 30000 };
  FILE *file = fopen(scratch_path(*state, "many.csv"), "w");
  fputs("trial,x,y,outcome,steps,uncertified,residual,attempt\n", file);
  for (int i = 0; i < MANY; ++i)
    fprintf(file, "%d,%.10g,%.10g,finished,1,0,0,0\n", i, sin(1.0 * i), cos(0.7 * i) + 0.5 * sin(1.0 * i));
  fclose(file);
  ts_table *table;
  assert_int_equal(ts_table_open(scratch_path(*state, "many.csv"), &table, NULL), TS_OK);
  char *script = script_of(table, (ts_table_choice){.scatter = "x,y", .contour = INFINITY});
  assert_true(strlen(script) < 500000);
  double sum = 0.0;
  const int cells = read_block(script, 0, 0, 5, numbers);
  for (int i = 0; i < cells; ++i) sum += numbers[5 * i + 4];
  assert_near(sum, MANY);
  assert_non_null(strstr(script, "LOESS by"));
  free(script);
  ts_table_close(table);
}

// A table of 80 rows: few values that lie unevenly, numbers that differ by rounding, none, whole numbers, 20 values,
// and y = 3 x^2 over decades.
static ts_table *open_odd_table(scratch_folder *folder)
{
  FILE *file = fopen(scratch_path(folder, "odd.csv"), "w");
  assert_non_null(file);
  fputs("trial,few,near,never,whole,gaps,close,many,x,y,outcome,steps,uncertified,residual,attempt\n", file);
  for (int i = 0; i < 80; ++i) {
    static const double few[] = {0.001, 0.5, 1.0, 12.0};
    const double x = pow(10.0, 4.0 * i / 79.0);
    fprintf(file, "%d,%g,%.17g,nan,%d,%d,%.17g,%d,%.17g,%.17g,finished,1,0,0,0\n", i, few[i % 8 < 5 ? 0 : i % 8 - 4],
            1.0 + 1e-12 * sin(i), 2 * (i % 3), (i % 4) * (i % 4), (double[]){0.12345, 0.12346, 7.0}[i % 3], i % 20, x,
            3.0 * x * x);
  }
  fclose(file);
  ts_table *table;
  assert_int_equal(ts_table_open(scratch_path(folder, "odd.csv"), &table, NULL), TS_OK);
  return table;
}

static void uneven_values_have_bars_of_equal_width(void **state)
{
  ts_table *table = open_odd_table(*state);
  char *script = script_of(table, (ts_table_choice){.histogram = "few", .contour = INFINITY});
  assert_int_equal(read_block(script, 0, 0, 4, numbers), 4);
  for (int i = 0; i < 4; ++i) {
    assert_near(numbers[4 * i], i - 0.4);
    assert_near(numbers[4 * i + 1], i + 0.4);
    assert_near(numbers[4 * i + 3], i == 0 ? 50.0 : 10.0);
  }
  assert_non_null(strstr(script, "set xtics (\"0\\056\\060\\060\\061\" 0, \"0\\056\\065\" 1, \"1\" 2, \"12\" 3)"));
  free(script);
  // even ones keep their places
  script = script_of(table, (ts_table_choice){.histogram = "whole", .contour = INFINITY});
  assert_int_equal(read_block(script, 0, 0, 4, numbers), 3);
  for (int i = 0; i < 3; ++i) assert_near(numbers[4 * i], 2.0 * i - 1.0);
  free(script);
  // whole numbers have theirs, too: 0, 1, 4, 9
  script = script_of(table, (ts_table_choice){.histogram = "gaps", .contour = INFINITY});
  assert_int_equal(read_block(script, 0, 0, 4, numbers), 4);
  for (int i = 0; i < 4; ++i) assert_near(numbers[4 * i], i * i - 0.5);
  free(script);
  // names differ: 0.12345 and 0.12346
  script = script_of(table, (ts_table_choice){.histogram = "close", .contour = INFINITY});
  assert_non_null(strstr(script, "\\064\\065\" 0"));
  assert_non_null(strstr(script, "\\064\\066\" 1"));
  free(script);
  ts_table_close(table);
}

// One bar that can be seen, not forty thinner than a line.
static void what_rounding_tells_apart_is_one_bar(void **state)
{
  ts_table *table = open_odd_table(*state);
  char *script = script_of(table, (ts_table_choice){.histogram = "near", .contour = INFINITY});
  assert_int_equal(read_block(script, 0, 0, 4, numbers), 1);
  assert_near(numbers[0], 0.95);
  assert_near(numbers[1], 1.05);
  assert_near(numbers[3], 80.0);
  free(script);
  ts_table_close(table);
}

static void columns_without_numbers_are_left_out(void **state)
{
  ts_table *table = open_odd_table(*state);
  char *script = script_of(table, (ts_table_choice){.histogram = "whole,never,x", .contour = INFINITY});
  assert_non_null(strstr(script, "$c1_0"));
  assert_null(strstr(script, "$c2_0"));
  assert_non_null(strstr(script, "no trial has a number for \\047never\\047"));
  free(script);
  ts_table_close(table);
}

// The line is one in the picture: of logarithms on logarithmic axes.
static void lines_are_fitted_to_what_is_drawn(void **state)
{
  ts_table *table = open_odd_table(*state);
  char *script = script_of(table, (ts_table_choice){.scatter = "x,y", .contour = INFINITY});
  assert_non_null(strstr(script, "set logscale x"));
  assert_non_null(strstr(script, "set logscale y"));
  const int places = read_block(script, 0, 2, 2, numbers);
  for (int k = 0; k < places; ++k) assert_near(numbers[2 * k + 1] / (3.0 * numbers[2 * k] * numbers[2 * k]), 1.0);
  assert_non_null(strstr(script, "line of log y over log x"));
  free(script);
  ts_table_close(table);
}

static void curves_of_many_groups_are_spread_out(void **state)
{
  ts_table *table = open_odd_table(*state);
  char *script = script_of(table, (ts_table_choice){.curves = "whole,x", .by = "many", .contour = INFINITY});
  static const char *const shown[] = {"0", "4", "8", "11", "15", "19"};
  for (int i = 0; i < 6; ++i) {
    char words[40];
    snprintf(words, sizeof words, "title \"many \\075 %s\"", shown[i]);
    if (!strstr(script, words)) fail_msg("'%s' is missing", words);
  }
  assert_non_null(strstr(script, "6 of the 20 values of many are shown"));
  free(script);
  ts_table_close(table);
}

static void mistakes_are_refused(void **state)
{
  ts_table *table = open_table(*state);
  static const struct {
    ts_table_choice choice;
    const char *words;
  } cases[] = {{{.map = "a,bb"}, "there is no column 'bb'"},
               {{.map = "a,nope"}, "there are trial, a, b, u, hit, v, void, c, d, end, steps, uncertified, residual"},
               {{.map = "a,hitt"}, "did you mean 'hit'? There are trial, a, b"},
               {{.map = "a"}, "'--map' takes 2 columns"},
               {{.map = "a,b,u"}, "'--map' takes 2 columns"},
               {{.map = "a,a"}, "two different columns"},
               {{.map = ",a"}, "takes 2 columns"},
               {{.map = "a,b", .color = "hitt"}, "did you mean 'hit'?"},
               {{.map = "a,b", .color = "hit,v"}, "'--color' takes one column"},
               {{.map = "a,b", .color = "void"}, "no trial has numbers"},
               {{.map = "a,void", .color = "hit"}, "no trial has numbers"},
               {{.histogram = "void"}, "no trial has a number for 'void'"},
               {{.histogram = "u,"}, "takes 1 to 16 columns"},
               {{.scatter = "u,void"}, "no trial has numbers for both"},
               {{.curves = "void,u"}, "no trial has numbers for both"},
               {{.curves = "a,u", .by = "bb"}, "there is no column 'bb'"}};
  for (size_t i = 0; i < sizeof cases / sizeof cases[0]; ++i) {
    ts_sheet sheet = {.title = "", .format = ts_image_format_of("x.svg")};
    ts_error error = {0};
    assert_int_equal(ts_table_figure(table, &cases[i].choice, &sheet, &error), TS_INVALID);
    if (!strstr(error.text, cases[i].words)) fail_msg("'%s' does not hold '%s'", error.text, cases[i].words);
    ts_sheet_destroy(&sheet);
  }
  ts_table_close(table);
}

int main(void)
{
  const struct CMUnitTest tests[] = {cmocka_unit_test(maps_have_the_means_of_their_cells),
                                     cmocka_unit_test(columns_of_many_values_are_binned),
                                     cmocka_unit_test(histograms_count_rows),
                                     cmocka_unit_test(scatter_has_the_points_and_their_line),
                                     cmocka_unit_test(curves_have_means_by_group),
                                     cmocka_unit_test(many_points_become_a_density),
                                     cmocka_unit_test(uneven_values_have_bars_of_equal_width),
                                     cmocka_unit_test(what_rounding_tells_apart_is_one_bar),
                                     cmocka_unit_test(columns_without_numbers_are_left_out),
                                     cmocka_unit_test(lines_are_fitted_to_what_is_drawn),
                                     cmocka_unit_test(curves_of_many_groups_are_spread_out),
                                     cmocka_unit_test(mistakes_are_refused)};
  return cmocka_run_group_tests(tests, set_up, scratch_folder_tear_down);
}
